package scenarios

import (
	"strings"
	"testing"

	"kafkatrial/model/event"
	"kafkatrial/model/planted"
	"kafkatrial/sim"
)

// aboveTheEnd is a model whose replicas take over a high watermark above their own log end, and which asserts that they do not.
var aboveTheEnd = planted.Off(planted.HWBelowLEO).Asserting()

// TestADefectOfTheModelEndsTheRun: the run has no verdict, and says which assertion did not hold, in which step.
func TestADefectOfTheModelEndsTheRun(t *testing.T) {
	o, err := Open("kip-101-divergence")
	if err != nil {
		t.Fatal(err)
	}
	whole, err := New(o.File, Options{})
	if err != nil {
		t.Fatal(err)
	}
	whole.Finish()
	if d := whole.Defect(); d != nil {
		t.Fatalf("the model itself is broken: %v", d)
	}
	r, err := New(o.File, Options{Planted: aboveTheEnd})
	if err != nil {
		t.Fatal(err)
	}
	r.Finish()
	d, res := r.Defect(), r.Result()
	if d == nil || d.Assertion != "log start <= HW <= LEO, recovery point <= LEO" {
		t.Fatalf("the run ended with %v", d)
	}
	if res.Defect != d || !strings.Contains(res.Undecided, d.Assertion) || !strings.Contains(res.Undecided, d.Found) || res.AsStated() || len(res.Broken) > 0 {
		t.Errorf("the result is %+v", res)
	}
	trace := r.World.Trace()
	last := trace.EventsOf(len(trace.Steps) - 1)
	if said, ok := last[0].Event.(*event.DefectFound); !ok || said.Found != d.Found || d.Step != len(trace.Steps)-1 {
		t.Errorf("the run ends with %+v, and the defect is of step %d of %d", last, d.Step, len(trace.Steps))
	}
	if _, more := r.Pending(); more || r.Phase() != Ended || r.World.Steps() >= whole.World.Steps() {
		t.Errorf("the run goes on: phase %d, %d steps", r.Phase(), r.World.Steps())
	}
	if b := r.Broken(); len(b) != 1 || !b[0].Assertion || b[0].Step != d.Step {
		t.Errorf("broken: %+v", b)
	}
}

// breaker breaks an assertion in the first step after a number of them.
type breaker struct {
	after int
	done  bool
}

func (b *breaker) Step(v sim.View, s sim.Step) {
	if v.Steps() > b.after && !b.done {
		b.done = true
		sim.Broken("nothing breaks", "step %d", v.Steps())
	}
}
func (b *breaker) Event(sim.View, sim.Recorded)                       {}
func (b *breaker) Sent(sim.View, sim.NodeID, sim.NodeID, sim.Message) {}

// A defect may be found at any step, also while a run asks for its next decision: it never gets out of the run. Any other
// panic does.
func TestADefectIsRecoveredWhereverItIsFound(t *testing.T) {
	o, err := Open("kip-101-truncation")
	if err != nil {
		t.Fatal(err)
	}
	whole, err := New(o.File, Options{})
	if err != nil {
		t.Fatal(err)
	}
	whole.Finish()
	for after := 0; after < whole.World.Steps(); after += 3 {
		r, err := New(o.File, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r.World.Observe(&breaker{after: after})
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Fatalf("after step %d: %v", after, p)
				}
			}()
			r.Finish()
		}()
		if r.Defect() == nil || r.Defect().Step != after+1 {
			t.Fatalf("after step %d: %v", after, r.Defect())
		}
	}
	r, err := New(o.File, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if recover() != "another" {
			t.Error("a panic that is no defect was swallowed")
		}
	}()
	r.broke("another")
}
