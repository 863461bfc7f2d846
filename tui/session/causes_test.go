package session

import (
	"slices"
	"testing"

	"kafkatrial/scenarios"
	"kafkatrial/sim"
)

// Among the steps that v stops at are those that destroyed an effect or kept it from being: the crash, and the append
// that holds up the last stable offset.
func TestTroublesNameTheCause(t *testing.T) {
	for name, is := range map[string]func(s *Session, step int) bool{
		"commit-then-process": func(s *Session, step int) bool {
			st := &s.Trace().Steps[step-1]
			return st.Kind == sim.StepFault && st.Op == sim.OpKill
		},
		"hanging-transaction": func(s *Session, step int) bool {
			s.GoTo(s.OfStep(step))
			r := s.State().Partition(orders).Replica(1)
			return slices.Equal(r.Fates(), []Fate{TxnMarker, TxnOpen}) && r.HW == 2
		},
	} {
		opened, err := scenarios.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Open(opened, scenarios.Options{}, "")
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(s.Troubles(), func(x Trouble) bool { return is(s, x.Step) }) {
			t.Errorf("%s: the cause is not among %+v", name, s.Troubles())
		}
	}
}
