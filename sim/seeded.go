package sim

// Seeded draws its answers from a seed. A draw is keyed by what is asked (the kind of decision and the
// stable name of its calm option), so a new decision elsewhere does not reshuffle the rest. After a fault
// the same decision is asked again, since the same event is still the oldest: it is then drawn anew, or one
// fault would bring on all others at once.
type Seeded struct {
	Seed    uint64
	Weights Weights
	last    uint64 // key of the last decision
	again   uint64 // how often it was asked in a row
}

// Weights say how often, out of a million decisions of a kind, the answer is not the calm one.
type Weights struct {
	Fault  int // Next: a fault strikes
	Repair int // Next: something is mended, when something is broken
	Late   int // Fate: the message is late
	Lost   int // Fate: it is lost or doubled
	Torn   int // Tear: a power loss takes something
}

// DefaultWeights suit clusters of a few nodes: a fault every few hundred events.
var DefaultWeights = Weights{Fault: 3_000, Repair: 10_000, Late: 100_000, Lost: 2_000, Torn: 700_000}

const million = 1_000_000

// Choose draws.
func (s *Seeded) Choose(p Point) (int, error) {
	calm := p.Options[0]
	key := uint64(calm.Op)<<56 ^ uint64(calm.Type)<<48 ^ uint64(uint16(calm.Node))<<32 ^ uint64(uint16(calm.Peer))<<16 ^ uint64(p.Kind)<<8 ^ uint64(uint32(calm.File))
	key = scramble(key) ^ scramble(uint64(calm.Seq)+1)<<1
	if key != s.last {
		s.last, s.again = key, 0
	}
	h := scramble(s.Seed ^ key + s.again*0x9E3779B97F4A7C15)
	s.again++
	u := int(h % million)
	pick := scramble(h)
	switch p.Kind {
	case Next:
		faults, repairs := 0, 0
		for _, o := range p.Options[1:] {
			if o.Class == Fault {
				faults++
			} else {
				repairs++
			}
		}
		if repairs > 0 && u < s.Weights.Repair {
			return nth(p, pick, repairs, false), nil
		}
		if faults > 0 && u >= million-s.Weights.Fault {
			return nth(p, pick, faults, true), nil
		}
		return 0, nil
	case Fate:
		late, lost := 0, 0
		for _, o := range p.Options[1:] {
			if o.Class == Fault {
				lost++
			} else {
				late++
			}
		}
		if late > 0 && u < s.Weights.Late {
			return nth(p, pick, late, false), nil
		}
		if lost > 0 && u >= million-s.Weights.Lost {
			return nth(p, pick, lost, true), nil
		}
		return 0, nil
	case Tear:
		if u < s.Weights.Torn {
			return 1 + int(pick%uint64(len(p.Options)-1)), nil
		}
	case Skew:
		return int(pick % uint64(len(p.Options))), nil
	}
	return 0, nil
}

// nth gives the index of one of the n options that are faults, or of those that are not.
func nth(p Point, pick uint64, n int, fault bool) int {
	k := int(pick % uint64(n))
	for i := 1; i < len(p.Options); i++ {
		if (p.Options[i].Class == Fault) == fault {
			if k == 0 {
				return i
			}
			k--
		}
	}
	return 0
}

// scramble is the finaliser of SplitMix64: every bit of x reaches every bit of the result.
func scramble(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}
