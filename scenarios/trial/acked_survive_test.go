package trial

import (
	"testing"

	"kafkatrial/checker"
)

// ackedSurvive: at the log, since what an application that fails in the middle makes of a record is its own
// affair.
func ackedSurvive() Property {
	return Property{
		Name:       "acked records survive",
		Says:       "With acks=all, min.insync.replicas=2 and three replicas, no kill, pause or fault of the network loses an acknowledged record.",
		Shape:      threeCopies(),
		Claims:     append(AtLog(checker.AtLeastOnce, checker.MonotonicRead), AtApplication(checker.MonotonicRead)...),
		Invariants: sound,
		Reaches:    []string{"the ISR shrinks below min.insync.replicas", "acks=all refused below min.insync.replicas"},
	}
}

func TestAckedRecordsSurvive(t *testing.T) { Check(t, ackedSurvive()) }

// With ZooKeeper a run need not come to rest: an order or an answer that is lost between controller and
// ZooKeeper can leave a leader waiting for the outcome of an ISR change. Nothing is lost by it.
func TestAckedRecordsSurviveWithZooKeeper(t *testing.T) {
	p := ackedSurvive()
	p.Name += " with ZooKeeper"
	p.Shape = p.Shape.With(onZooKeeper)
	p.MayNotRest = true
	Check(t, p)
}
