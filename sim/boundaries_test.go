package sim

import (
	"fmt"
	"testing"
)

// Where a rule says "more than", "at" or "as many as", what lies on the bound decides, and each condition of a rule decides
// alone. Each of these was found by mutating the rule.

// Words of a fault model that allow nothing are not written.
func TestAnEmptyFaultModelHasNoWords(t *testing.T) {
	if got := (FaultModel{}).String(); got != "" {
		t.Errorf("%q", got)
	}
}

var (
	calmOption   = Option{Op: OpStep}
	faultOption  = Option{Op: OpKill, Class: Fault}
	repairOption = Option{Op: OpRestart, Class: Repair}
)

// A weight of a million is a certainty, if there is something to choose; without a weight nothing strikes.
func TestWeightsThatLeaveNoChoice(t *testing.T) {
	for _, c := range []struct {
		name    string
		kind    Kind
		weights Weights
		options []Option
		want    int
	}{
		{"a repair", Next, Weights{Repair: million}, []Option{calmOption, faultOption, repairOption}, 2},
		{"a fault", Next, Weights{Fault: million}, []Option{calmOption, repairOption, faultOption}, 2},
		{"nothing to mend", Next, Weights{Repair: million}, []Option{calmOption, faultOption}, 0},
		{"nothing to strike", Next, Weights{Fault: million}, []Option{calmOption, repairOption}, 0},
		{"no weight", Next, Weights{}, []Option{calmOption, repairOption, faultOption}, 0},
		{"late", Fate, Weights{Late: million}, []Option{calmOption, faultOption, repairOption}, 2},
		{"lost", Fate, Weights{Lost: million}, []Option{calmOption, repairOption, faultOption}, 2},
		{"can not be late", Fate, Weights{Late: million}, []Option{calmOption, faultOption}, 0},
		{"can not be lost", Fate, Weights{Lost: million}, []Option{calmOption, repairOption}, 0},
		{"no weight", Fate, Weights{}, []Option{calmOption, repairOption, faultOption}, 0},
		{"torn", Tear, Weights{Torn: million}, []Option{calmOption, faultOption}, 1},
		{"no weight", Tear, Weights{}, []Option{calmOption, faultOption}, 0},
	} {
		for seed := range uint64(200) {
			if got, err := (&Seeded{Seed: seed, Weights: c.weights}).Choose(Point{Kind: c.kind, Options: c.options}); err != nil || got != c.want {
				t.Fatalf("%s, seed %d: %d, %v, want %d", c.name, seed, got, err, c.want)
			}
		}
	}
}

// A draw depends on what is asked, not on what was asked before.
func TestADecisionElsewhereDoesNotReshuffle(t *testing.T) {
	point := func(node NodeID) Point {
		o := calmOption
		o.Node = node
		return Point{Kind: Next, Options: []Option{o, faultOption}}
	}
	differ := 0
	for seed := range uint64(200) {
		var got [2]int
		for i := range got {
			s := &Seeded{Seed: seed, Weights: Weights{Fault: million / 2}}
			for range i * 3 {
				s.Choose(point(1))
			}
			got[i], _ = s.Choose(point(2))
		}
		if got[0] != got[1] {
			differ++
		}
	}
	if differ > 0 {
		t.Errorf("of 200 draws %d are others after a decision elsewhere", differ)
	}
}

// A pattern covers another if it picks all that the other picks.
func TestWhichPatternsCoverWhich(t *testing.T) {
	any := Pattern{From: Nobody, To: Nobody, AnyType: true}
	from, to, typed := any, any, any
	from.From, to.To = 1, 1
	typed.AnyType, typed.Type = false, 1
	other := typed
	other.Type = 2
	from2, to2 := from, to
	from2.From, to2.To = 2, 2
	for _, c := range []struct {
		p, q Pattern
		want bool
	}{
		{any, any, true}, {any, from, true}, {any, to, true}, {any, typed, true},
		{from, from, true}, {from, from2, false}, {from, any, false},
		{to, to, true}, {to, to2, false}, {to, any, false},
		{typed, typed, true}, {typed, other, false}, {typed, any, false},
	} {
		if got := c.p.covers(&c.q); got != c.want {
			t.Errorf("%+v covers %+v: %v", c.p, c.q, got)
		}
	}
}

// To release some lets the rule hold on; to release all lifts the rules that would hold more of the same, and no others.
func TestReleaseOfSomeAndOfAll(t *testing.T) {
	w := started(t, false)
	w.AddRule(anyNote(Hold, 0))
	for range 3 { // three connections with one note each
		w.Command(0, &note{n: 1})
	}
	run(t, w)
	all := Pattern{From: Nobody, To: Nobody, AnyType: true}
	if n := w.Release(all, 2); n != 2 || w.Held(all) != 1 {
		t.Errorf("released %d, held %d", n, w.Held(all))
	}
	run(t, w)
	w.Command(0, &note{n: 1})
	run(t, w)
	if n := w.Held(all); n != 2 {
		t.Errorf("after some were released the next is not held: %d", n)
	}
	one := all
	one.To = 0 // nothing is on its way there
	if n := w.Release(one, 0); n != 0 {
		t.Errorf("released %d that were not meant", n)
	}
	w.Command(0, &note{n: 1})
	run(t, w)
	if n := w.Held(all); n != 3 {
		t.Errorf("a release of others has lifted the rule: %d held", n)
	}
	if n := w.Release(all, 0); n != 3 {
		t.Errorf("released %d of 3", n)
	}
	w.Command(0, &note{n: 1})
	run(t, w)
	if expect(t, w, 1, "start 1, got 1, got 1, got 1, got 1, got 1, got 1"); w.Held(all) != 0 {
		t.Errorf("%d are held", w.Held(all))
	}
}

// A rule that delays one message delays one, and one without a count delays all.
func TestADelayCounts(t *testing.T) {
	for count, late := range map[int]int{0: 3, 1: 1, 2: 2} {
		w := started(t, false)
		r := anyNote(Delay, count)
		r.By = Second
		w.AddRule(r)
		for range 3 {
			w.Command(0, &note{n: 1})
		}
		for w.NextAt() < 500*Millisecond {
			if _, more := w.Pending(); !more {
				break
			}
			w.Resolve(0)
		}
		got := 0
		for i := range w.trace.Events {
			if f := &w.trace.Events[i]; f.Node == 1 && f.Event == text("got 1") {
				got++
			}
		}
		if got != 3-late {
			t.Errorf("count %d: %d of 3 came in time, want %d", count, got, 3-late)
		}
	}
}

// A cut of one direction between two nodes touches no other, in a world of three.
func TestACutIsOfOneDirection(t *testing.T) {
	for from := range NodeID(3) {
		for to := range NodeID(3) {
			if from == to {
				continue
			}
			w := race(0)
			w.Cut(from, to)
			for a := range NodeID(3) {
				for b := range NodeID(3) {
					if cut := w.link(a, b).cut; cut != (a == from && b == to) {
						t.Errorf("cut from %d to %d: from %d to %d is cut: %v", from, to, a, b, cut)
					}
				}
			}
		}
	}
}

// Messages are numbered by sender, receiver and type.
func TestMessagesAreNumberedApart(t *testing.T) {
	w := New(Config{MessageNames: []string{"Note", "Other"}, Nodes: []NodeSpec{
		{Name: "a", New: func() Node { return &echo{} }}, {Name: "b", New: func() Node { return &echo{} }}, {Name: "c", New: func() Node { return &echo{} }}}})
	seen := map[*uint32]bool{}
	for from := range NodeID(3) {
		for to := range NodeID(3) {
			for typ := range MsgType(2) {
				seen[w.sent(from, to, typ)] = true
			}
		}
	}
	if len(seen) != 18 {
		t.Errorf("%d counters for 18 kinds of message", len(seen))
	}
}

// The clock may be moved to where it is, and to the next event.
func TestTheClockMovesUpToTheNextEvent(t *testing.T) {
	w := started(t, false)
	w.Command(0, &note{n: -5})
	w.Pending()
	for w.NextAt() == w.Now() {
		w.Pending()
		w.Resolve(0)
	}
	w.AdvanceTo(w.Now())
	at := w.NextAt()
	if w.AdvanceTo(at); w.Now() != at {
		t.Errorf("at %v, want %v", w.Now(), at)
	}
}

// Every operation is named with the nodes that it is about.
func TestOptionsAreNamedByWhatTheyAreAbout(t *testing.T) {
	w := pair(false)
	for want, o := range map[string]Option{
		"kill a":           {Op: OpKill, Node: 0, Peer: Nobody},
		"cut a>b":          {Op: OpCut, Node: 0, Peer: 1},
		"cut-both a-b":     {Op: OpCutBoth, Node: 0, Peer: 1},
		"heal a-b":         {Op: OpHeal, Node: 0, Peer: 1},
		"disconnect a-b":   {Op: OpDisconnect, Node: 0, Peer: 1},
		"skew b by 2ms":    {Op: OpSkew, Node: 1, Peer: Nobody, N: int64(2 * Millisecond)},
		"lose a>b Note #3": {Op: OpLose, IsMsg: true, Node: 0, Peer: 1, Seq: 3},
	} {
		if got := w.optionID(o); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// What a power loss may take is all that was not flushed, block by block, and nothing of what was; the calm answer takes nothing.
func TestAPowerLossTakesAnyPartOfWhatWasNotFlushed(t *testing.T) {
	for take := range 4 {
		w := started(t, false)
		f, flushed := w.Disk(1).File("log"), w.Disk(1).File("flushed")
		for range 2 {
			f.Append("kept")
			flushed.Append("kept")
		}
		f.Flush()
		flushed.Flush()
		for range 3 {
			f.Append("at risk")
		}
		w.SetFaultModel(FaultModel{Node: CanLosePower, Budget: 1})
		w.Command(0, &note{n: -1})
		p, _ := w.Pending()
		busy := w.Busy()
		for i := range p.Options {
			if p.Options[i].Op == OpPowerLoss {
				w.Resolve(i)
				break
			}
		}
		if w.Busy() != busy+1 || w.NextAt() != w.Now() {
			t.Errorf("with a file at risk %d things are to be done, want %d", w.Busy(), busy+1)
		}
		p, _ = w.Pending()
		if p.Kind != Tear || len(p.Options) != 4 {
			t.Fatalf("%v with %d options", p.Kind, len(p.Options))
		}
		for i, o := range p.Options {
			if o.N != int64(i) || (o.Class == Fault) != (i > 0) {
				t.Errorf("option %d: %+v", i, o)
			}
		}
		w.Resolve(take)
		if f.Len() != 5-take || f.Flushed() != 5-take || flushed.Len() != 2 {
			t.Errorf("%d taken: %d blocks are left, %d of them flushed; of the other file %d", take, f.Len(), f.Flushed(), flushed.Len())
		}
		if p, _ := w.Pending(); p.Kind == Tear {
			t.Error("nothing else was at risk")
		}
	}
}

// Who tells what a power loss keeps is told how much was not flushed.
func TestAPowerLossAsksForWhatWasNotFlushed(t *testing.T) {
	w := started(t, false)
	f := w.Disk(1).File("log")
	f.Append("x")
	f.Flush()
	f.Append("y")
	f.Append("z")
	asked := 0
	w.PowerLoss(1, func(_ string, unflushed int) int { asked = unflushed; return 1 })
	if asked != 2 || f.Len() != 2 {
		t.Errorf("asked about %d blocks, and %d are left", asked, f.Len())
	}
	if last := w.trace.Steps[len(w.trace.Steps)-1]; last.Kind != StepFault || last.Cause != -1 {
		t.Errorf("a fault has no cause: %+v", last)
	}
}

// At most so many messages overtake as the fault model says; with none, none.
func TestSoManyMessagesMayOvertake(t *testing.T) {
	for reorder := range 4 {
		w := New(Config{MessageNames: []string{"Note"}, Nodes: []NodeSpec{
			{Name: "a", New: func() Node { return &echo{} }}, {Name: "b", New: func() Node { return &echo{} }}}})
		run(t, w)
		for range 3 { // three connections
			w.Command(0, &note{n: 1})
		}
		w.SetFaultModel(FaultModel{Reorder: reorder, InFlight: true})
		p, _ := w.Pending()
		n := 0
		for _, o := range p.Options[1:] {
			if o.Op == OpDeliver {
				n++
			}
		}
		if want := min(reorder, 2); n != want {
			t.Errorf("reorder=%d: %d may overtake, want %d", reorder, n, want)
		}
	}
}

// So many nodes may be down or paused at once, whichever way, and an idle one does not count.
func TestSoManyNodesMayBeDown(t *testing.T) {
	for _, c := range []struct {
		strike func(w *World)
		most   int
		can    bool
	}{
		{func(w *World) {}, 1, true}, {func(w *World) { w.Pause(0) }, 1, false}, {func(w *World) { w.Kill(0) }, 1, false},
		{func(w *World) { w.Pause(0) }, 2, true}, {func(w *World) { w.Pause(0); w.Kill(2) }, 2, false}, {func(w *World) { w.Pause(0); w.Kill(2) }, 0, true},
	} {
		var nodes []NodeSpec
		for _, name := range []string{"a", "b", "c"} {
			nodes = append(nodes, NodeSpec{Name: name, New: func() Node { return &echo{} }, Faults: CanKill | CanPause})
		}
		nodes = append(nodes, NodeSpec{Name: "idle", New: func() Node { return &echo{} }, Idle: true})
		w := New(Config{MessageNames: []string{"Note"}, Nodes: nodes})
		run(t, w)
		c.strike(w)
		w.SetFaultModel(FaultModel{Node: CanKill | CanPause, Budget: 9, MaxDown: c.most})
		w.Command(1, &note{n: -1})
		p, _ := w.Pending()
		can := false
		for _, o := range p.Options {
			can = can || o.Op == OpKill && o.Node == 1
		}
		if can != c.can {
			t.Errorf("at most %d: b can be killed: %v, want %v", c.most, can, c.can)
		}
	}
}

// Without a fault that is left, no message is asked about that could be lost or doubled only.
func TestWithoutABudgetNothingIsAsked(t *testing.T) {
	for _, c := range []struct {
		a    FaultModel
		want bool
	}{
		{FaultModel{Lose: true}, false}, {FaultModel{Duplicate: true}, false}, {FaultModel{Lose: true, Budget: 1}, true},
		{FaultModel{Duplicate: true, Budget: 1}, true}, {FaultModel{Budget: 1}, false}, {FaultModel{Late: []Time{1}}, true}, {FaultModel{Late: []Time{1}, Quiet: true}, false},
	} {
		if got := c.a.decidesFate(); got != c.want {
			t.Errorf("%v: %v", c.a, got)
		}
	}
}

// A chain of causes ends at what has none, and of a step that there is not there is none.
func TestAChainOfCausesEnds(t *testing.T) {
	tr := Trace{Steps: []Step{{Cause: -1}, {Cause: 0}, {Cause: 1}, {Cause: -1}}}
	for i, want := range map[int]string{-1: "[]", 0: "[0]", 1: "[0 1]", 2: "[0 1 2]", 3: "[3]", 4: "[]"} {
		if got := fmt.Sprint(tr.Why(i)); got != want {
			t.Errorf("step %d: %s, want %s", i, got, want)
		}
	}
}

// What a dead machine's disk is replaced by is empty, and the loss ends no process a second time.
func TestADiskIsLostOfADeadProcessToo(t *testing.T) {
	w := started(t, false)
	w.Command(0, &note{n: 1})
	run(t, w)
	w.Kill(1)
	steps := w.Steps()
	w.LoseDisk(1)
	if w.Disk(1).ID() != 1 || w.Steps() != steps+1 {
		t.Errorf("disk %d, %d steps", w.Disk(1).ID(), w.Steps()-steps)
	}
	run(t, w)
	expect(t, w, 0, "start 1, got 1, disconnected")
}

// What waits behind a cut goes with its process, on its connection and in its direction, and what waits on others stays.
func TestWhatWaitsBehindACutGoesWithItsProcess(t *testing.T) {
	w := started(t, false)
	c1, c2 := w.connect(0, 1), w.connect(1, 0)
	w.CutBoth(0, 1)
	w.step = 0
	w.send(0, c1, &note{n: 1})
	w.send(1, c1, &note{n: 2})
	w.send(1, c2, &note{n: 3})
	run(t, w)
	if len(w.waiting) != 3 {
		t.Fatalf("%d wait", len(w.waiting))
	}
	w.closeConn(c1, 0, false)
	if len(w.waiting) != 2 {
		t.Errorf("%d wait, want 2", len(w.waiting))
	}
	w.closeConn(c2, 0, false)
	if len(w.waiting) != 2 {
		t.Errorf("%d wait after the end that sent nothing was closed, want 2", len(w.waiting))
	}
	w.closeConn(c2, 1, false)
	if len(w.waiting) != 1 {
		t.Errorf("%d wait, want 1", len(w.waiting))
	}
}

// A search by an odometer says that it was bounded only where a bound kept something from being tried.
func TestABoundThatKeptNothingIsNone(t *testing.T) {
	for deviations, bounded := range map[int]bool{0: true, 1: true, 9: false, -1: false} {
		dfs := &DFS{Deviations: deviations}
		for dfs.Begin() {
			if err := Run(race(8), dfs); err != nil {
				t.Fatal(err)
			}
		}
		if dfs.Bounded() != bounded {
			t.Errorf("at most %d deviations: bounded is %v", deviations, dfs.Bounded())
		}
	}
}

// A slot of a timer that was used before is another timer, and of two timers that are set each has its own slot.
func TestASlotIsUsedAgainByOneTimerAtATime(t *testing.T) {
	for _, cancelled := range []bool{false, true} {
		var ts timers
		a, b := ts.alloc(), ts.alloc()
		if cancelled {
			ts.cancel(a)
		}
		ts.release(a)
		ts.release(b)
		ids := map[TimerID]bool{a: true, b: true}
		slots := map[int32]bool{}
		for range 3 {
			id := ts.alloc()
			if ids[id] || slots[int32(id)] || !ts.live(id) {
				t.Errorf("timer %x is given out again", id)
			}
			ids[id], slots[int32(id)] = true, true
		}
		if ts.live(a) || ts.live(b) {
			t.Error("a timer that has fired is taken for the next one in its slot")
		}
	}
}

// All sequences with so many answers that are not calm are tried, and no others.
func TestAnOdometerTriesAllSequencesWithinItsBound(t *testing.T) {
	for deviations, want := range map[int]int{0: 1, 1: 4, 2: 7, 3: 8, -1: 8} {
		dfs := &DFS{Deviations: deviations}
		runs := 0
		for dfs.Begin() {
			differ := 0
			for range 3 {
				i, err := dfs.Choose(Point{Options: []Option{calmOption, faultOption}})
				if err != nil {
					t.Fatal(err)
				}
				differ += i
			}
			if deviations >= 0 && differ > deviations {
				t.Errorf("at most %d deviations: a run has %d", deviations, differ)
			}
			runs++
		}
		if runs != want {
			t.Errorf("at most %d deviations in three answers: %d runs, want %d", deviations, runs, want)
		}
	}
}

// Who loses its disk loses its process.
func TestAProcessDiesWithItsDisk(t *testing.T) {
	w := started(t, false)
	w.LoseDisk(1)
	if w.Node(1) != nil {
		t.Error("the process runs on")
	}
}

// An order to a paused process is carried out when it goes on.
func TestAnOrderWaitsForAPausedProcess(t *testing.T) {
	w := started(t, false)
	w.Pause(0)
	w.Command(0, &note{n: 2})
	run(t, w)
	w.Resume(0)
	run(t, w)
	expect(t, w, 0, "start 1, got 2")
	expect(t, w, 1, "start 1, got 1, got 2")
}

// The second of two copies comes one latency after the first.
func TestACopyTakesItsTime(t *testing.T) {
	w := New(Config{MessageNames: []string{"Note"}, Latency: 3 * Millisecond, Nodes: []NodeSpec{
		{Name: "a", New: func() Node { return &echo{} }}, {Name: "b", New: func() Node { return &echo{} }}}})
	run(t, w)
	w.AddRule(anyNote(Duplicate, 1))
	w.Command(0, &note{n: 1})
	run(t, w)
	var at []Time
	for i := range w.trace.Steps {
		if s := &w.trace.Steps[i]; s.Kind == StepDeliver && s.Node == 1 {
			at = append(at, s.At)
		}
	}
	if len(at) != 2 || at[1]-at[0] != 3*Millisecond {
		t.Errorf("copies arrive at %v", at)
	}
}

// Both ends of a connection that is reset are told of the other one.
func TestBothEndsAreToldOfEachOther(t *testing.T) {
	w := started(t, false)
	w.Command(0, &note{n: 1})
	run(t, w)
	before := w.Steps()
	w.Disconnect(0, 1)
	run(t, w)
	told := map[NodeID]NodeID{}
	for _, s := range w.trace.Steps[before+1:] {
		told[s.Node] = s.Peer
	}
	if len(told) != 2 || told[0] != 1 || told[1] != 0 {
		t.Errorf("told of: %v", told)
	}
}
