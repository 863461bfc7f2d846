package trial

import "pgregory.net/rapid"

// dice draw the worlds: by rapid, or from a seed.
type dice interface {
	// roll gives a number from 0 to n-1; 0 is the calmest.
	roll(label string, n int) int
}

type rapidDice struct{ t *rapid.T }

func (d rapidDice) roll(label string, n int) int {
	if n < 2 {
		return 0
	}
	return rapid.IntRange(0, n-1).Draw(d.t, label)
}

// seedDice give the same numbers for the same seed on every machine (SplitMix64).
type seedDice struct{ state uint64 }

func (d *seedDice) roll(_ string, n int) int {
	d.state += 0x9E3779B97F4A7C15
	x := d.state
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	x ^= x >> 31
	return int(x % uint64(max(n, 1)))
}

// pick draws one of a list, the zero value of an empty one.
func pick[T any](d dice, label string, from []T) (one T) {
	if len(from) == 0 {
		return one
	}
	return from[d.roll(label, len(from))]
}
