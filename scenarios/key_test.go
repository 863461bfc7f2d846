package scenarios

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"kafkatrial/checker"
	"kafkatrial/sim"
)

// TestTheSameKeyMeansTheSameFuture comes to the same key in different ways: from a moment in the midst of a
// run it tries all short sequences of answers, and of those that lead to the same key with different pasts it
// has both go on alike. They must offer the same choices, have the same keys all the way, and come to the
// same rulings.
func TestTheSameKeyMeansTheSameFuture(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of copies of runs are followed to their ends")
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	pairs := 0
	for _, name := range Names() {
		for _, kafka := range []string{"0.10", "4.0"} {
			seed, steps := rnd.Uint64(), 40+rnd.IntN(400)
			r := wildRun(t, name, kafka, seed, steps)
			if r == nil {
				continue
			}
			var k sim.Keyer
			met := &meetings{runs: map[uint64][]*Run{}}
			fan(r, 3, &k, met)
			tried := 0
			for _, key := range met.keys {
				alike := met.runs[key]
				for _, other := range alike[1:] {
					if other.World.Hash() == alike[0].World.Hash() || tried == 3 {
						continue
					}
					tried++
					goOnAlike(t, fmt.Sprintf("%s under %s, seed %d, after %d decisions", name, kafka, seed, steps), alike[0].Clone(), other, rnd.Uint64())
				}
			}
			pairs += tried
		}
	}
	if pairs < 50 {
		t.Errorf("only %d pairs of runs came to the same key in different ways", pairs)
	}
	t.Logf("%d pairs", pairs)
}

// meetings are runs by their keys, which are listed in the order in which they were met.
type meetings struct {
	keys []uint64
	runs map[uint64][]*Run
}

// fan tries all sequences of so many answers, at most six at each decision.
func fan(r *Run, depth int, k *sim.Keyer, met *meetings) {
	p, more := r.Pending()
	if !more {
		return
	}
	key := r.Key(k)
	if met.runs[key] == nil {
		met.keys = append(met.keys, key)
	}
	met.runs[key] = append(met.runs[key], r)
	if depth == 0 {
		return
	}
	for i := range min(len(p.Options), 6) {
		c := r.Clone()
		c.Pending()
		c.Resolve(i)
		fan(c, depth-1, k, met)
	}
}

func goOnAlike(t *testing.T, about string, a, b *Run, seed uint64) {
	t.Helper()
	var k sim.Keyer
	rnd := rand.New(rand.NewPCG(seed, 5))
	for n := 0; ; n++ {
		p, more := a.Pending()
		q, also := b.Pending()
		if more != also || len(p.Options) != len(q.Options) {
			t.Fatalf("%s: after %d more decisions one run has %d options and the other %d", about, n, len(p.Options), len(q.Options))
		}
		if !more || n == 1500 {
			break
		}
		if n%16 == 0 && a.truth.apart == b.truth.apart && a.Key(&k) != b.Key(&k) { // set apart: their keys differ for good
			t.Fatalf("%s: after %d more decisions the keys differ", about, n)
		}
		i := 0
		if len(p.Options) > 1 && rnd.IntN(60) == 0 {
			i = rnd.IntN(len(p.Options))
		}
		a.Resolve(i)
		b.Resolve(i)
	}
	if a.truth.apart == b.truth.apart && a.Digest(&k) != b.Digest(&k) {
		t.Errorf("%s: the digests differ", about)
	}
	x, y := famousRulings(a), famousRulings(b)
	if x != y {
		t.Errorf("%s: the rulings differ: %s and %s", about, x, y)
	}
}

// famousRulings tells the rulings on the three famous claims, with the records they are about.
func famousRulings(r *Run) string {
	s := ""
	for _, v := range r.Report().Verdicts {
		switch v.Claim {
		case checker.AtMostOnce, checker.AtLeastOnce, checker.ExactlyOnce:
			s += fmt.Sprint(v.Claim, v.Level, v.Ruling, v.Evidence.Records, " ")
		}
	}
	return s
}

// TestTheSameDigestMeansTheSameRulings compares runs of a scenario that differ in their faults: those with
// the same digest must have the same rulings.
func TestTheSameDigestMeansTheSameRulings(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of copies of runs are followed to their ends")
	}
	same := 0
	for _, name := range Names() {
		for _, kafka := range []string{"0.10", "3.9"} {
			same += sameDigests(t, name, kafka)
		}
	}
	if same < 40 {
		t.Errorf("only %d runs had a digest that another had", same)
	}
	t.Logf("%d runs with the same digest as another", same)
}

func sameDigests(t *testing.T, name, kafka string) (same int) {
	ruled := map[uint64]string{}
	for seed := range uint64(8) {
		r := wildRun(t, name, kafka, seed, 0)
		if r == nil {
			break
		}
		var k sim.Keyer
		digest, now := r.Digest(&k), famousRulings(r)
		before, known := ruled[digest]
		if known && before != now {
			t.Errorf("%s under %s, seed %d: the same digest stands for %s and for %s", name, kafka, seed, before, now)
		}
		if known {
			same++
		}
		ruled[digest] = now
	}
	return same
}
