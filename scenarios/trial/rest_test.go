package trial

import (
	"testing"

	"kafkatrial/checker"
	"kafkatrial/sim"
)

// comesToRest is about progress: nothing that is lost, late or doubled, and no stop of a process, may leave a
// cluster waiting for ever once all is mended.
func comesToRest() Property {
	s := threeCopies()
	s.Faults.Budget = 8
	s.Faults.Duplicate = false // an answer that comes twice breaks the connection in Kafka, and is taken for the next one here
	return Property{Name: "everything comes to rest", Says: "Whatever messages are lost and whichever processes stop, a mended cluster comes to rest, and every application has read all there is.",
		Shape: s, Claims: AtApplication(checker.AtLeastOnce)}
}

func TestEverythingComesToRest(t *testing.T) { Check(t, comesToRest()) }

// With ZooKeeper this holds from 2.2 on (before, a controller can miss that a broker was away: KAFKA-1120) and
// up to 2.6, and as long as the links to ZooKeeper carry. From 2.7 on a leader asks the controller for a
// change of the ISR; if the controller's write was carried out but its answer was lost, the controller tells
// the leader INVALID_UPDATE_VERSION, and the leader waits until the next election for an outcome.
func TestEverythingComesToRestWithZooKeeper(t *testing.T) {
	p := comesToRest()
	p.Name += " with ZooKeeper"
	p.Shape = p.Shape.With(onZooKeeper)
	p.Shape.Kafka = []string{"2.6", "2.2"}
	p.Allow = notOf("zk")
	Check(t, p)
}

// Of a single lost message nobody takes notice in the end, whichever it is.
func TestAnySingleMessageMayBeLost(t *testing.T) {
	p := comesToRest()
	p.Shape.Kafka = []string{"4.0"}
	p.Shape.Sends, p.Shape.Records, p.Shape.After = []int{2}, []int{1}, []string{"100ms"}
	p.Shape.Faults = sim.FaultModel{Lose: true, Budget: 1}
	w := p.draw(&seedDice{1})
	n := 600
	if testing.Short() {
		n = 100
	}
	for at := range n {
		if trial := p.try(w, &loseNth{at: at}); len(trial.Findings) > 0 {
			report(t, p, trial)
			return
		} else if len(trial.Run.Answers()) == 0 {
			t.Logf("%d messages, each lost once", at)
			return
		}
	}
}

// loseNth loses one message of a run.
type loseNth struct{ at, seen int }

// Choose implements sim.Source.
func (s *loseNth) Choose(p sim.Point) (int, error) {
	if p.Kind != sim.Fate {
		return 0, nil
	}
	s.seen++
	if s.seen-1 == s.at {
		return 1, nil
	}
	return 0, nil
}
