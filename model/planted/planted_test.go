package planted

import "testing"

func TestEveryGuardHasANameAndASentence(t *testing.T) {
	seen := map[string]bool{}
	for _, g := range All() {
		if g.String() == "" || seen[g.String()] {
			t.Errorf("guard %d has the name %q, which is empty or taken", g, g)
		}
		seen[g.String()] = true
		if d := g.Describe(); len(d) < 20 || d[len(d)-1] != '.' {
			t.Errorf("%v: %q is no sentence", g, d)
		}
		if found, ok := ByName(g.String()); !ok || found != g {
			t.Errorf("ByName(%q) = %v, %v", g, found, ok)
		}
	}
	if _, ok := ByName("no-such-guard"); ok {
		t.Error("found a guard that does not exist")
	}
}

func TestTheZeroSetIsTheFaithfulModel(t *testing.T) {
	var faithful Set
	for _, g := range All() {
		if !faithful.On(g) {
			t.Errorf("%v is off in the zero set", g)
		}
		off := Off(g)
		for _, other := range All() {
			if off.On(other) != (other != g) {
				t.Errorf("Off(%v): %v is on: %v", g, other, off.On(other))
			}
		}
	}
	if s := Off(HWBelowLEO).With(CASPartitionEpoch); s.Len() != 2 || s.On(HWBelowLEO) || s.On(CASPartitionEpoch) || faithful.Len() != 0 {
		t.Errorf("two guards off: %d", s.Len())
	}
}
