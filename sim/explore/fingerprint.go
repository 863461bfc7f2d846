package explore

// seed is the fixed start of every fingerprint. As it is fixed, a search visits the states in the same order on every machine.
const seed = 0x6b61666b61_00_0001

// Fingerprint maps a key to 64 bits. For n states the chance that any two of them share a fingerprint, so that one is
// overlooked, is about n²/2^65: below two in a hundred million for 700,000 states.
//
// Each word is folded in by the finalizer of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators",
// 2014), a bijection in which every bit of the input moves about half the bits of the output.
func Fingerprint(key []uint64) uint64 {
	h := uint64(seed)
	for _, word := range key {
		h ^= word
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return h
}

// The top bits of a fingerprint choose its shard, the low bits its place in the shard's table.
const (
	shardBits = 4
	shards    = 1 << shardBits
)

func shardOf(fingerprint uint64) int { return int(fingerprint >> (64 - shardBits)) }

// table is a set of fingerprints, by open addressing with linear probing. The zero fingerprint marks a free place and stands
// for itself by a flag.
type table struct {
	places  []uint64
	used    int
	hasZero bool
}

// insert adds f and says whether it was new.
func (t *table) insert(f uint64) bool {
	if f == 0 {
		isNew := !t.hasZero
		t.hasZero = true
		return isNew
	}
	// At three quarters full, a table of 2^k places has about eight probes for a new fingerprint, and two and a half for a known one.
	if 4*t.used >= 3*len(t.places) {
		t.grow()
	}
	if !t.put(f) {
		return false
	}
	t.used++
	return true
}

func (t *table) put(f uint64) bool {
	mask := uint64(len(t.places) - 1)
	for i := f & mask; ; i = (i + 1) & mask {
		switch t.places[i] {
		case 0:
			t.places[i] = f
			return true
		case f:
			return false
		}
	}
}

func (t *table) grow() {
	old := t.places
	t.places = make([]uint64, max(16, 2*len(old)))
	for _, f := range old {
		if f != 0 {
			t.put(f)
		}
	}
}
