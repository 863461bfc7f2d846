package replicationspec

import "testing"

// faults are the guards of KIP-320, taken out one at a time. Each must lead to a counterexample, or the model would not show
// what the guard is for. The length is in states, with the bounds of faultBounds.
var faults = []struct {
	guard   string
	without func(*rules)
	states  int
}{
	{
		"A new follower asks only a leader of the epoch in which it wants to follow.",
		func(r *rules) { r.mayFollow = nil }, 14,
	},
	{
		"A new follower truncates at all.",
		func(r *rules) { r.truncationPoint = nil }, 10,
	},
	{
		"A new follower truncates to the last common record, not to its high watermark.",
		func(r *rules) { r.truncationPoint = ownHighWatermark }, 12,
	},
	{
		"A new follower truncates to the last common record, not to the end of its last epoch in the leader's log.",
		func(r *rules) { r.truncationPoint = endOfLastEpoch }, 14,
	},
	{
		"A leader answers only fetches of its own epoch.",
		func(r *rules) { r.mayFetch = always }, 13,
	},
	{
		"A leader counts a record as committed only if the ISR follows it in its own epoch.",
		func(r *rules) { r.acknowledges = acknowledgedByOffset }, 13,
	},
	{
		"A leader takes into the ISR only who follows it in its own epoch.",
		func(r *rules) {
			r.mayExpand = func(s *state, f, l int, hw int) bool { return s.caughtUp(f, l, hw) && s.hwReachedEpoch(l) }
		}, 15,
	},
	{
		"A leader takes into the ISR only who has all committed records.",
		func(r *rules) {
			r.mayExpand = func(s *state, f, l int, hw int) bool { return s.followsEpoch(f, l) && s.hwReachedEpoch(l) }
		}, 9,
	},
	{
		"A leader takes nobody into the ISR before its high watermark has reached its own epoch.",
		func(r *rules) {
			r.mayExpand = func(s *state, f, l int, hw int) bool { return s.followsEpoch(f, l) && s.caughtUp(f, l, hw) }
		}, 12,
	},
}

var faultBounds = checking(symmetric(bounds(KIP320, 3, 2, 2, 2)), WeakIsr, StrongIsr)

func TestEveryGuardOfKIP320IsNeeded(t *testing.T) {
	for _, fault := range faults {
		t.Run(fault.guard, func(t *testing.T) {
			m, err := newModel(faultBounds)
			if err != nil {
				t.Fatal(err)
			}
			fault.without(&m.rules)
			r, err := m.explore(faultBounds)
			if err != nil {
				t.Fatal(err)
			}
			if r.Violation == nil {
				t.Fatal("no counterexample without this guard")
			}
			if n := len(r.Violation.Steps); n != fault.states {
				t.Errorf("%d states, want %d:\n%s", n, fault.states, r.Violation)
			}
		})
	}
}
