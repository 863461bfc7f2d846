package story

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"

	"kafkatrial/scenarios"
	"kafkatrial/sim"
)

// counter counts what it is told.
type counter struct{ steps, events, sent int }

func (c *counter) Step(sim.View, sim.Step)                            { c.steps++ }
func (c *counter) Event(sim.View, sim.Recorded)                       { c.events++ }
func (c *counter) Sent(sim.View, sim.NodeID, sim.NodeID, sim.Message) { c.sent++ }

// asker asks its view for all that can be asked, whenever it is told something: it calls every method that a view has,
// those that will be added too.
type asker struct {
	counter
	asked int
}

func (a *asker) Step(v sim.View, s sim.Step)      { a.counter.Step(v, s); a.ask(v, s.Node) }
func (a *asker) Event(v sim.View, r sim.Recorded) { a.counter.Event(v, r); a.ask(v, r.Node) }
func (a *asker) Sent(v sim.View, from, to sim.NodeID, m sim.Message) {
	a.counter.Sent(v, from, to, m)
	a.ask(v, from)
	a.ask(v, to)
}

func (a *asker) ask(v sim.View, n sim.NodeID) {
	view := reflect.ValueOf(v)
	for i := range view.NumMethod() {
		method := view.Method(i)
		var in []reflect.Value
		for k := range method.Type().NumIn() {
			if typ := method.Type().In(k); typ == reflect.TypeFor[sim.NodeID]() {
				in = append(in, reflect.ValueOf(max(n, 0)))
			} else {
				in = append(in, reflect.Zero(typ))
			}
		}
		method.Call(in)
		a.asked++
	}
}

// ran is all that there is to a run: its hash, its trace, its answers, the hits of its probes, and what is printed of it.
func ran(t *testing.T, name string, o scenarios.Options, observers ...sim.Observer) (string, *scenarios.Run) {
	t.Helper()
	r := open(t, name, o)
	for _, each := range observers {
		r.World.Observe(each)
	}
	r.Finish()
	end, err := New(r, Options{}).Ending(name, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "hash %x\nanswers %v\nprobes %v\n", r.World.Hash(), r.Answers(), r.World.Probes())
	trace := r.World.Trace()
	for i := range trace.Steps {
		fmt.Fprintf(&b, "%+v\n", withoutMessage(trace.Steps[i]))
		for _, e := range trace.EventsOf(i) {
			fmt.Fprintf(&b, "  %d %T\n", e.Node, e.Event)
		}
	}
	if err := end.Text(&b, Look{Width: 100}); err != nil {
		t.Fatal(err)
	}
	return b.String(), r
}

// withoutMessage takes from a step what is a place in memory.
func withoutMessage(s sim.Step) sim.Step {
	s.Msg = nil
	return s
}

// TestObserversDoNotInfluenceARun compares, to the byte, runs that nobody looks at with runs that one and three observers look at, one of
// which asks for everything at every step.
func TestObserversDoNotInfluenceARun(t *testing.T) {
	drawn := func() scenarios.Options {
		return scenarios.Options{Source: &sim.Seeded{Seed: 7, Weights: sim.DefaultWeights}, FaultModel: sim.FaultModel{Budget: 12, MaxDown: 1, Node: sim.CanKill | sim.CanLosePower, Lose: true, Cut: true, Late: []sim.Time{3 * sim.Millisecond}}}
	}
	for _, c := range []struct {
		name string
		o    func() scenarios.Options
	}{
		{"kip-101-truncation", func() scenarios.Options { return scenarios.Options{} }},
		{"coordinator-fails-over-while-committing", func() scenarios.Options { return scenarios.Options{} }},
		{"end-to-end", drawn},
	} {
		alone, _ := ran(t, c.name, c.o())
		one, all := &counter{}, &asker{}
		watched, _ := ran(t, c.name, c.o(), one)
		if n, a, b := firstDifference(alone, watched); n > 0 {
			t.Errorf("%s with one observer: line %d\nalone:   %s\nwatched: %s", c.name, n, a, b)
		}
		crowd, r := ran(t, c.name, c.o(), &counter{}, all, &counter{})
		if n, a, b := firstDifference(alone, crowd); n > 0 {
			t.Errorf("%s with three observers: line %d\nalone:   %s\nwatched: %s", c.name, n, a, b)
		}
		trace := r.World.Trace()
		if *one != all.counter || one.steps != len(trace.Steps) || one.events != len(trace.Events) || one.sent == 0 || all.asked == 0 {
			t.Errorf("%s: observers were told of %+v and %+v; the trace has %d steps and %d events", c.name, *one, all.counter, len(trace.Steps), len(trace.Events))
		}
	}
}

// TestObserversDoNotFollowACopy: whoever wants to be told of a copy says so to the copy.
func TestObserversDoNotFollowACopy(t *testing.T) {
	r := open(t, "end-to-end", scenarios.Options{})
	seen := &counter{}
	r.World.Observe(seen)
	for range 50 {
		r.Step()
	}
	before := *seen
	copied := r.Clone()
	copied.Finish()
	branch := r.Branch(nil)
	branch.Finish()
	if *seen != before {
		t.Errorf("told of a copy: %+v, before it %+v", *seen, before)
	}
	r.Finish()
	if seen.steps == before.steps {
		t.Error("nothing was told of the run itself after it was copied")
	}
}
