package shrink

import (
	"testing"

	"kafkatrial/checker"
	"kafkatrial/scenarios"
	"kafkatrial/sim"
)

// failing is a run that writes a record twice, with some faults that this does not need.
func failing(t *testing.T) *Case {
	o, err := scenarios.Open("../hunt/testdata/bare-retry.yaml")
	if err != nil {
		t.Fatal(err)
	}
	opts := scenarios.Options{FaultModel: sim.FaultModel{Late: []sim.Time{20 * sim.Millisecond}, Lose: true, Node: sim.CanKill | sim.CanPause, Budget: 4}}
	for seed := uint64(1); seed < 500; seed++ {
		with := opts
		with.Source = &sim.Seeded{Seed: seed, Weights: sim.Weights{Fault: 5000, Repair: 20_000, Lost: 5000, Late: 50_000}}
		r, err := scenarios.New(o.File, with)
		if err != nil {
			t.Fatal(err)
		}
		r.Finish()
		if f, bad := First(r, checker.AtMostOnce); bad && len(r.Answers()) > 8 {
			if c, ok := New(o.File, opts, r.Answers(), f); ok {
				return c
			}
		}
	}
	t.Fatal("nothing fails")
	return nil
}

// TestLimitsHold: shrinking ends with the runs and the steps that are allowed for it.
func TestLimitsHold(t *testing.T) {
	c := failing(t)
	length := int64(c.Run.World.Steps())
	for _, l := range []Limits{{Replays: 5, Search: -1, Steps: 1 << 40}, {Replays: 1 << 30, Search: -1, Steps: 4 * length}} {
		s := &Shrinker{limits: l}
		s.allow(l.Replays)
		s.fewer(c)
		if s.runs == 0 || s.runs > l.Replays || s.steps > l.Steps+2*length {
			t.Errorf("%d runs and %d steps were made; the limits are %d and %d", s.runs, s.steps, l.Replays, l.Steps)
		}
	}
	if small := Shrink(c, Limits{Replays: 5, Search: 5}); small.Length() > c.Length() {
		t.Errorf("%d decisions became %d", c.Length(), small.Length())
	}
}

// TestShrinkingCanBeStopped: then what there is so far is given back. Who has said so once is not asked again, and no run is made
// after that.
func TestShrinkingCanBeStopped(t *testing.T) {
	c := failing(t)
	asked := 0
	small := Shrink(c, Limits{Stop: func() bool { asked++; return asked > 3 }})
	if asked != 4 || small.Length() > c.Length() {
		t.Errorf("asked %d times to stop; %d decisions became %d", asked, c.Length(), small.Length())
	}
	if again := Shrink(small, Limits{}); again.Length() != 1 {
		t.Errorf("%d decisions are left in the end", again.Length())
	}
}
