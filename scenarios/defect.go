package scenarios

import (
	"fmt"

	"kafkatrial/checker"
	"kafkatrial/model/event"
	"kafkatrial/sim"
)

// Defect is an assertion of the model that did not hold, and ended the run: nothing in it says anything about Kafka.
type Defect struct {
	sim.Defect
	Step int // as a transcript numbers them: the one in which it was found
}

func (d *Defect) sentence() string {
	return fmt.Sprintf("a defect of the model ended the run at step %d: %s does not hold: %s", d.Step, d.Assertion, d.Found)
}

// Defect tells of the assertion that ended the run, nil if none did.
func (r *Run) Defect() *Defect { return r.defect }

// broke ends a run in which an assertion did not hold; any other panic goes on. This is the one place where an assertion is
// recovered: what drives a world without a run gets the panic, with all that led to it.
func (r *Run) broke(found any) {
	d, ok := found.(*sim.Defect)
	if !ok {
		panic(found)
	}
	if r.defect != nil {
		return
	}
	r.defect = &Defect{*d, r.World.Steps()}
	r.phase, r.stopped, r.rested = Ended, r.defect.sentence(), false
	r.World.Note(&event.DefectFound{Assertion: d.Assertion, Found: d.Found})
	r.broken = append(r.broken, checker.Breach{Invariant: d.Assertion, Step: r.defect.Step, Offset: -1, Sentence: d.Found, Assertion: true})
}
