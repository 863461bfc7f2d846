package sim

import "testing"

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
			if f := &w.trace.Events[i]; f.Node == 1 && f.Text == "got 1" {
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
