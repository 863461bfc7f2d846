package transactioncoordinator

import (
	"testing"

	"kafkatrial/sim"
)

func TestAssertionsOfATransition(t *testing.T) {
	for _, c := range []struct {
		want string
		from State
		to   State
		bump int16
	}{
		{"", Ongoing, PrepareCommit, 0},
		{"", CompleteCommit, Empty, 1},
		{"a transaction goes from a state to one that follows it", Empty, CompleteCommit, 0},
		{"a transaction goes from a state to one that follows it", PrepareCommit, PrepareAbort, 0},
		{"a producer's epoch does not go back at its coordinator", CompleteCommit, Empty, -1},
	} {
		m := newMetadata("tx", 7, 60_000, 0)
		m.State, m.ProducerEpoch = c.from, 4
		next := m.unchanged(c.to)
		next.ProducerEpoch += c.bump
		got := func() (assertion string) {
			defer func() {
				if d, ok := recover().(*sim.Defect); ok {
					assertion = d.Assertion
				}
			}()
			m.assertTransition(&next)
			return ""
		}()
		if got != c.want {
			t.Errorf("%v to %v: broken: %q, want %q", c.from, c.to, got, c.want)
		}
	}
}
