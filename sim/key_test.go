package sim

import "testing"

// thing is a node with every kind of memory.
type thing struct {
	env     *Env
	n       int
	word    string
	flag    bool
	moment  Time
	span    Time
	at      int64
	conn    ConnID
	timer   TimerID
	name    int32
	list    []int
	part    *piece
	other   *piece
	any     any
	written *seal
	fixed   *seal
	scratch int
	file    *File
}

type piece struct{ n int }

type seal struct{ n int }

func (t *thing) Start(env *Env) {
	t.env, t.file = env, env.Disk().File("log")
	t.conn, t.timer = NoConn, NoTimer
	t.part = &piece{1}
	t.other = t.part
	t.written, t.fixed = &seal{1}, &seal{1}
}
func (t *thing) Receive(*Env, Delivery)    {}
func (t *thing) Timer(*Env, Timer)         {}
func (t *thing) Disconnected(*Env, ConnID) {}

// things is a world of two things at rest, some time after its beginning.
func things() (*World, *thing, *thing) {
	w := New(Config{MessageNames: []string{"Note"},
		Nodes: []NodeSpec{{Name: "a", New: func() Node { return &thing{} }}, {Name: "b", New: func() Node { return &thing{} }}},
		Memory: &Memory{Types: map[string]Meaning{"sim.seal": Written},
			Fields: map[string]Meaning{"sim.thing.span": Length, "sim.thing.at": Millis, "sim.thing.name": Naming, "sim.thing.fixed": Constant,
				"sim.thing.scratch": Forgotten}}})
	w.Pending()
	w.Resolve(0)
	w.Pending()
	w.Resolve(0)
	w.AdvanceTo(100 * Millisecond)
	return w, w.Node(0).(*thing), w.Node(1).(*thing)
}

func keyOf(w *World) uint64 {
	for i := range w.nodes {
		w.own(NodeID(i)) // the tests change nodes behind the world's back
	}
	var k Keyer
	k.World(w)
	return k.Sum()
}

// TestEverythingThatCountsIsInTheKey changes one thing at a time: no two of these worlds go on alike.
func TestEverythingThatCountsIsInTheKey(t *testing.T) {
	changes := []struct {
		name string
		do   func(w *World, a, b *thing)
	}{
		{"nothing", func(*World, *thing, *thing) {}},
		{"a number", func(_ *World, a, _ *thing) { a.n = 1 }},
		{"a number elsewhere", func(_ *World, _, b *thing) { b.n = 1 }},
		{"a word", func(_ *World, a, _ *thing) { a.word = "x" }},
		{"a flag", func(_ *World, a, _ *thing) { a.flag = true }},
		{"a moment", func(_ *World, a, _ *thing) { a.moment = 5 * Millisecond }},
		{"another moment", func(_ *World, a, _ *thing) { a.moment = 6 * Millisecond }},
		{"never", func(_ *World, a, _ *thing) { a.moment = Never }},
		{"a length", func(_ *World, a, _ *thing) { a.span = 5 * Millisecond }},
		{"milliseconds", func(_ *World, a, _ *thing) { a.at = 5 }},
		{"a list", func(_ *World, a, _ *thing) { a.list = []int{1, 2} }},
		{"a list in another order", func(_ *World, a, _ *thing) { a.list = []int{2, 1} }},
		{"a part", func(_ *World, a, _ *thing) { a.part.n = 2 }},
		{"two parts that were one", func(_ *World, a, _ *thing) { a.other = &piece{1} }},
		{"what any holds", func(_ *World, a, _ *thing) { a.any = piece{1} }},
		{"something else that any holds", func(_ *World, a, _ *thing) { a.any = seal{1} }},
		{"what is written once", func(_ *World, a, _ *thing) { a.written = &seal{2} }},
		{"a block", func(_ *World, a, _ *thing) { a.file.Append("x") }},
		{"a block that is flushed", func(_ *World, a, _ *thing) { a.file.Append("x"); a.file.Flush() }},
		{"a value on the disk", func(w *World, _, _ *thing) { w.Disk(0).Put("v", 1) }},
		{"a connection", func(_ *World, a, _ *thing) { a.conn = a.env.Connect(1) }},
		{"a connection that nobody holds", func(_ *World, a, _ *thing) { a.env.Connect(1) }},
		{"a connection closed at one end", func(_ *World, a, b *thing) { b.env.Close(a.env.Connect(1)) }},
		{"the second of two connections", func(_ *World, a, _ *thing) { a.env.Connect(1); a.conn = a.env.Connect(1) }},
		{"the first of two connections", func(_ *World, a, _ *thing) { a.conn = a.env.Connect(1); a.env.Connect(1) }},
		{"a message", func(_ *World, a, _ *thing) { a.env.Send(a.env.Connect(1), &note{n: 1}) }},
		{"another message", func(_ *World, a, _ *thing) { a.env.Send(a.env.Connect(1), &note{n: 2}) }},
		{"a late message", func(w *World, a, _ *thing) {
			w.SetLatency(0, 1, 3*Millisecond)
			a.env.Send(a.env.Connect(1), &note{n: 1})
		}},
		{"a timer", func(_ *World, a, _ *thing) { a.env.SetTimer(5, 1, 0, false) }},
		{"a timer that is held", func(_ *World, a, _ *thing) { a.timer = a.env.SetTimer(5, 1, 0, false) }},
		{"the later of two timers", func(_ *World, a, _ *thing) { a.env.SetTimer(5, 1, 0, false); a.timer = a.env.SetTimer(5, 1, 0, false) }},
		{"the earlier of two timers", func(_ *World, a, _ *thing) { a.timer = a.env.SetTimer(5, 1, 0, false); a.env.SetTimer(5, 1, 0, false) }},
		{"a later timer", func(_ *World, a, _ *thing) { a.env.SetTimer(6, 1, 0, false) }},
		{"a timer of another kind", func(_ *World, a, _ *thing) { a.env.SetTimer(5, 2, 0, false) }},
		{"a timer with another argument", func(_ *World, a, _ *thing) { a.env.SetTimer(5, 1, 9, false) }},
		{"a routine timer", func(_ *World, a, _ *thing) { a.env.SetTimer(5, 1, 0, true) }},
		{"a cut", func(w *World, _, _ *thing) { w.Cut(0, 1) }},
		{"a cut the other way", func(w *World, _, _ *thing) { w.Cut(1, 0) }},
		{"a process that is down", func(w *World, _, _ *thing) { w.Kill(0) }},
		{"a machine that is off", func(w *World, _, _ *thing) { w.PowerLoss(0, nil) }},
		{"a pause", func(w *World, _, _ *thing) { w.Pause(0) }},
		{"a command that waits for a pause to end", func(w *World, _, _ *thing) { w.Pause(0); w.Command(0, &note{n: 1}) }},
		{"a clock that is off", func(w *World, _, _ *thing) { w.SetSkew(0, 5) }},
		{"a rule", func(w *World, _, _ *thing) { w.AddRule(&LinkRule{Pattern: Pattern{From: 0, To: 1}}) }},
		{"a budget", func(w *World, _, _ *thing) { w.SetFaultModel(FaultModel{Budget: 1}) }},
	}
	met := map[uint64]string{}
	for _, c := range changes {
		w, a, b := things()
		c.do(w, a, b)
		key := keyOf(w)
		if before, known := met[key]; known {
			t.Errorf("%q and %q have the same key", before, c.name)
		}
		met[key] = c.name
	}
}

// TestWhatOnlyNamesIsNotInTheKey comes to the same state in different ways.
func TestWhatOnlyNamesIsNotInTheKey(t *testing.T) {
	busy := func(w *World, a, _ *thing) { // the state that all come to
		a.conn = a.env.Connect(1)
		a.env.Send(a.conn, &note{n: 1})
		a.timer = a.env.SetTimer(5*Millisecond, 1, 0, false)
		a.moment = w.Now() - 3*Millisecond
		a.at = w.Now().Ms()
		a.name = 7
	}
	w, a, b := things()
	busy(w, a, b)
	want := keyOf(w)
	for name, before := range map[string]func(w *World, a, b *thing){
		"a later time":          func(w *World, _, _ *thing) { w.AdvanceTo(350 * Millisecond) },
		"a connection before":   func(_ *World, a, b *thing) { c := a.env.Connect(1); a.env.Close(c); b.env.Close(c) },
		"a timer before":        func(_ *World, a, _ *thing) { a.env.CancelTimer(a.env.SetTimer(5, 1, 0, false)) },
		"a cut that was healed": func(w *World, _, _ *thing) { w.Cut(0, 1); w.Heal(0, 1) },
		"what is forgotten":     func(_ *World, a, _ *thing) { a.scratch = 5 },
		"what is constant":      func(_ *World, a, _ *thing) { a.fixed = &seal{9} },
	} {
		w, a, b := things()
		before(w, a, b)
		for _, more := w.Pending(); more; _, more = w.Pending() { // the news that a connection is closed
			w.Resolve(0)
		}
		at := w.Now().Ms()
		w.AdvanceTo(Time(at+1) * Millisecond)
		busy(w, a, b)
		if got := keyOf(w); got != want {
			t.Errorf("%s makes another key", name)
		}
	}
	w, a, b = things()
	busy(w, a, b)
	a.name = 8
	if keyOf(w) != want {
		t.Error("another name makes another key")
	}
}

func TestACopyHasItsOwnFileAndConnections(t *testing.T) {
	w, a, _ := things()
	c := w.Clone()
	copied := c.Node(0).(*thing)
	copied.file.Append("x")
	copied.part.n = 9
	if a.file.Len() != 0 || c.Disk(0).File("log").Len() != 1 {
		t.Error("a copied node does not write to the disk of its own world")
	}
	if copied.other != copied.part || a.part.n != 1 {
		t.Error("what was one thing in the original is not one in the copy")
	}
	if copied.fixed != a.fixed || copied.written != a.written || copied.env == a.env {
		t.Error("what does not change is copied, or the environment is shared")
	}
}

func TestABranchBorrows(t *testing.T) {
	w, a, _ := things()
	b := w.Branch(nil)
	if b.Node(0) != w.Node(0) {
		t.Error("a branch copies a node before anything happens there")
	}
	b.Command(0, &note{n: 1})
	if b.Node(0) == w.Node(0) || b.Node(1) != w.Node(1) {
		t.Error("a branch copies the node where something happens, and no other")
	}
	if b.Steps() != w.Steps()+1 || len(b.Trace().Steps) != 1 {
		t.Errorf("a branch of a world of %d steps counts %d and has %d", w.Steps(), b.Steps(), len(b.Trace().Steps))
	}
	b.Disk(1).File("log").Append("x")
	if w.Disk(1).File("log").Len() != 0 || a.env.world != w {
		t.Error("a branch changed the original")
	}
}

func TestWhatCanNotBeCopiedIsRefused(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a node with a map is copied")
		}
	}()
	w := New(Config{MessageNames: []string{"Note"}, Nodes: []NodeSpec{{Name: "a", New: func() Node { return &mapped{m: map[int]int{}} }}}})
	w.Pending()
	w.Resolve(0)
	w.Clone()
}

type mapped struct {
	thing
	m map[int]int
}
