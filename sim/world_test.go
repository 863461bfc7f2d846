package sim

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// note is a message of the tests: a number, and whether it is routine.
type note struct {
	n       int
	routine bool
}

func (*note) Type() MsgType   { return 0 }
func (m *note) Routine() bool { return m.routine }

// text is the event of these tests.
type text string

func (t text) Hash(h *Hash) { h.Text(string(t)) }

// echo is a node that records what happens to it and answers every note with the next number.
type echo struct {
	answer bool
	lives  int
}

func (e *echo) Start(env *Env) {
	e.lives = env.Incarnation()
	env.Record(text(fmt.Sprintf("start %d", e.lives)))
}

func (e *echo) Receive(env *Env, d Delivery) {
	m := d.Msg.(*note)
	env.Record(text(fmt.Sprintf("got %d", m.n)))
	switch {
	case d.Conn == NoConn && m.n < 0: // an order: set a timer
		env.SetTimer(Time(-m.n)*Millisecond, 0, int64(m.n), m.routine)
	case d.Conn == NoConn: // an order: send n notes to node 1 on one connection
		c := env.Connect(1)
		for i := 1; i <= m.n; i++ {
			env.Send(c, &note{n: i})
		}
	case e.answer:
		env.Send(d.Conn, &note{n: m.n + 100})
	}
}

func (e *echo) Timer(env *Env, t Timer) { env.Record(text(fmt.Sprintf("timer %d", t.Arg))) }
func (e *echo) Disconnected(env *Env, c ConnID) {
	env.Record(text("disconnected"))
}

func pair(answer bool) *World {
	return New(Config{MessageNames: []string{"Note"}, Nodes: []NodeSpec{
		{Name: "a", New: func() Node { return &echo{} }, Faults: CanKill | CanPause},
		{Name: "b", New: func() Node { return &echo{answer: answer} }, Faults: CanKill | CanLosePower},
	}})
}

// started gives a pair whose nodes run.
func started(t *testing.T, answer bool) *World {
	t.Helper()
	w := pair(answer)
	run(t, w)
	return w
}

func run(t *testing.T, w *World) {
	t.Helper()
	if err := Run(w, Calm{}); err != nil {
		t.Fatal(err)
	}
}

// story lists the events of a node, in order.
func story(w *World, node NodeID) string {
	var all []string
	for i := range w.trace.Events {
		if f := &w.trace.Events[i]; f.Node == node {
			all = append(all, string(f.Event.(text)))
		}
	}
	return strings.Join(all, ", ")
}

func expect(t *testing.T, w *World, node NodeID, want string) {
	t.Helper()
	if got := story(w, node); got != want {
		t.Errorf("node %s\n got: %s\nwant: %s", w.Name(node), got, want)
	}
}

func anyNote(act RuleAct, count int) *LinkRule {
	return &LinkRule{Pattern: Pattern{From: Nobody, To: Nobody, AnyType: true}, Act: act, Count: count}
}

func TestMessagesOfOneConnectionKeepTheirOrder(t *testing.T) {
	w := started(t, false)
	w.Command(0, &note{n: 3})
	run(t, w)
	expect(t, w, 1, "start 1, got 1, got 2, got 3")
}

func TestHeldMessageKeepsBackWhatIsBehindIt(t *testing.T) {
	w := started(t, false)
	w.AddRule(anyNote(Hold, 1))
	w.Command(0, &note{n: 3})
	run(t, w)
	expect(t, w, 1, "start 1")
	if w.Busy() != 3 {
		t.Errorf("busy %d, want 3: held messages are unfinished work", w.Busy())
	}
	w.Release(Pattern{From: Nobody, To: Nobody, AnyType: true}, 0)
	run(t, w)
	expect(t, w, 1, "start 1, got 1, got 2, got 3")
}

func TestLostMessageTakesWithItWhatIsBehind(t *testing.T) {
	w := started(t, false)
	w.AddRule(anyNote(Drop, 1))
	w.Command(0, &note{n: 3})
	run(t, w)
	expect(t, w, 1, "start 1")
	w.Command(0, &note{n: 1}) // a new connection is not affected
	run(t, w)
	expect(t, w, 1, "start 1, got 1")
}

func TestDuplicateArrivesTwice(t *testing.T) {
	w := started(t, false)
	w.AddRule(anyNote(Duplicate, 1))
	w.Command(0, &note{n: 1})
	run(t, w)
	expect(t, w, 1, "start 1, got 1, got 1")
}

func TestDelayedMessageDelaysItsConnection(t *testing.T) {
	w := started(t, false)
	r := anyNote(Delay, 1)
	r.By = 50 * Millisecond
	w.AddRule(r)
	w.Command(0, &note{n: 2})
	run(t, w)
	expect(t, w, 1, "start 1, got 1, got 2")
	if w.Now() < 51*Millisecond {
		t.Errorf("the last message came at %v, before the delayed one could", w.Now())
	}
}

func TestCutLinkDeliversAfterItIsHealed(t *testing.T) {
	w := started(t, true)
	w.Cut(0, 1)
	w.Command(0, &note{n: 2})
	run(t, w)
	expect(t, w, 1, "start 1")
	w.Heal(0, 1)
	run(t, w)
	expect(t, w, 1, "start 1, got 1, got 2")
	expect(t, w, 0, "start 1, got 2, got 101, got 102")
}

func TestOneWayCutLosesOnlyTheAnswersWay(t *testing.T) {
	w := started(t, true)
	w.Cut(1, 0)
	w.Command(0, &note{n: 1})
	run(t, w)
	expect(t, w, 1, "start 1, got 1")
	expect(t, w, 0, "start 1, got 1")
}

func TestResetLosesWhatIsInFlightAndTellsBothSides(t *testing.T) {
	w := started(t, false)
	w.Command(0, &note{n: 2})
	w.Disconnect(0, 1)
	run(t, w)
	expect(t, w, 0, "start 1, got 2, disconnected")
	expect(t, w, 1, "start 1, disconnected")
}

func TestKilledNodesLastWordsArrive(t *testing.T) {
	w := started(t, false)
	w.Command(0, &note{n: 2})
	w.Kill(0)
	run(t, w)
	expect(t, w, 1, "start 1, got 1, got 2, disconnected")
}

// The news of a closed connection is a segment like any other: it comes behind what was sent on it, however late that is.
// A loss takes the message and no more than that; a reset takes what is under way, at once.
func TestNewsOfAClosedConnectionComesBehindWhatWasSent(t *testing.T) {
	end := map[string]func(*World){
		"close": func(w *World) { w.nodes[0].env.Close(0) },
		"kill":  func(w *World) { w.Kill(0) },
		"power": func(w *World) { w.PowerLoss(0, nil); w.Restart(0) }, // the machine comes back and knows nothing of it
		"reset": func(w *World) { w.Disconnect(0, 1) },
	}
	for _, c := range []struct {
		end  string
		fate Op
		b    string
		at   Time // of the news
	}{
		{"close", OpOnTime, "start 1, got 1, disconnected", 1 * Millisecond},
		{"close", OpLate, "start 1, got 1, disconnected", 6 * Millisecond},
		{"close", OpDuplicate, "start 1, got 1, got 1, disconnected", 1 * Millisecond},
		{"close", OpLose, "start 1, disconnected", 1 * Millisecond},
		{"kill", OpLate, "start 1, got 1, disconnected", 6 * Millisecond},
		{"power", OpLate, "start 1, got 1, disconnected", 6 * Millisecond},
		{"reset", OpLate, "start 1, disconnected", 0},
	} {
		t.Run(c.end+" "+c.fate.String(), func(t *testing.T) {
			w := started(t, false)
			w.SetFaultModel(FaultModel{Late: []Time{5 * Millisecond}, Lose: true, Duplicate: true, Budget: 1})
			w.Command(0, &note{n: 1})
			end[c.end](w)
			for {
				p, more := w.Pending()
				if !more {
					break
				}
				i := 0
				if p.Kind == Fate {
					i = slices.IndexFunc(p.Options, func(o Option) bool { return o.Op == c.fate })
				}
				w.Resolve(i)
			}
			expect(t, w, 1, c.b)
			news := slices.IndexFunc(w.trace.Steps, func(s Step) bool { return s.Kind == StepDisconnect && s.Node == 1 })
			if news < 0 || w.trace.Steps[news].At != c.at {
				t.Errorf("the news is step %d, want it at %v", news, c.at)
			}
			if w.Busy() != 0 {
				t.Errorf("busy %d after everything was over", w.Busy())
			}
		})
	}
}

func TestMessageToADeadProcessIsRefused(t *testing.T) {
	w := started(t, false)
	w.Kill(1)
	w.Command(0, &note{n: 1})
	run(t, w)
	expect(t, w, 0, "start 1, got 1, disconnected")
}

func TestMachineWithoutPowerAnswersNothing(t *testing.T) {
	w := started(t, false)
	w.PowerLoss(1, nil)
	w.Command(0, &note{n: 1})
	run(t, w)
	expect(t, w, 0, "start 1, got 1")
	w.Restart(1)
	run(t, w)
	expect(t, w, 1, "start 1, start 2")
}

func TestPausedProcessKeepsItsMemoryAndHandlesItsBacklog(t *testing.T) {
	w := started(t, true)
	w.Pause(1)
	w.Command(0, &note{n: 2})
	run(t, w)
	expect(t, w, 1, "start 1")
	if got := w.Backlog(1); len(got) != 2 || got[0].Msg.(*note).n != 1 || got[1].Msg.(*note).n != 2 || len(w.Backlog(0)) != 0 {
		t.Errorf("what has come in for it is %v", got)
	}
	w.Resume(1)
	run(t, w)
	expect(t, w, 1, "start 1, got 1, got 2")
	if w.Incarnation(1) != 1 {
		t.Errorf("a pause began a new process")
	}
}

func TestTimersDieWithTheirProcess(t *testing.T) {
	w := started(t, false)
	w.Command(0, &note{n: -5})
	w.Kill(0)
	w.Restart(0)
	run(t, w)
	expect(t, w, 0, "start 1, got -5, start 2")
	if w.Busy() != 0 {
		t.Errorf("busy %d after everything was over", w.Busy())
	}
}

func TestCancelledTimerIsNoWork(t *testing.T) {
	w := started(t, false)
	env := &w.nodes[0].env
	id := env.SetTimer(Minute, 0, 1, false)
	if w.Busy() != 1 {
		t.Fatalf("busy %d with a timer set", w.Busy())
	}
	env.CancelTimer(id)
	if w.Busy() != 0 {
		t.Fatalf("busy %d after the timer was cancelled", w.Busy())
	}
	other := env.SetTimer(Millisecond, 0, 2, false)
	env.CancelTimer(id) // an old name must not reach the new timer
	run(t, w)
	expect(t, w, 0, "start 1, timer 2")
	_ = other
}

func TestPowerLossTakesTheUnflushedEnd(t *testing.T) {
	for keep, want := range map[int]int{0: 1, 1: 2, 2: 3, 9: 3} {
		w := started(t, false)
		f := w.Disk(1).File("log")
		f.Append("x")
		f.Flush()
		f.Append("y")
		f.Append("z")
		w.PowerLoss(1, func(string, int) int { return keep })
		if f.Len() != want {
			t.Errorf("keep %d: %d blocks left, want %d", keep, f.Len(), want)
		}
	}
	w := started(t, false)
	f := w.Disk(1).File("log")
	f.Append("x")
	w.Kill(1)
	if f.Len() != 1 {
		t.Error("a process kill took the page cache")
	}
	w.LoseDisk(1)
	if w.Disk(1).File("log").Len() != 0 || w.Disk(1).ID() != 1 {
		t.Error("the replaced disk is not an empty one with a new id")
	}
}

// faulty is a fault model with everything in it.
var faulty = FaultModel{Late: []Time{5 * Millisecond, 20 * Millisecond}, Lose: true, Duplicate: true, Cut: true,
	Node: CanKill | CanLosePower | CanPause | CanLoseDisk, Budget: 6}

// wild runs a chatting pair under a seed and gives the world and the answers.
func wild(t *testing.T, src Source) (*World, []Answer) {
	t.Helper()
	w := pair(true)
	w.SetFaultModel(faulty)
	rec := &Record{Inner: src}
	for i := 0; i < 20; i++ {
		if w.Node(0) != nil {
			w.Command(0, &note{n: 5})
		}
		if w.Node(1) != nil {
			w.Disk(1).File("log").Append(i)
		}
		for j := 0; j < 25; j++ {
			p, more := w.Pending()
			if !more {
				break
			}
			n, err := answer(p, rec)
			if err != nil {
				t.Fatal(err)
			}
			w.Resolve(n)
		}
	}
	return w, rec.List
}

var wildWeights = Weights{Fault: 30_000, Repair: 60_000, Late: 200_000, Lost: 30_000, Torn: 500_000}

func TestSameSeedSameRunOtherSeedOtherRun(t *testing.T) {
	hashes := map[uint64]uint64{}
	for seed := uint64(0); seed < 40; seed++ {
		w1, _ := wild(t, &Seeded{Seed: seed, Weights: wildWeights})
		w2, _ := wild(t, &Seeded{Seed: seed, Weights: wildWeights})
		if w1.Hash() != w2.Hash() {
			t.Fatalf("seed %d: two runs, two hashes", seed)
		}
		if other, seen := hashes[w1.Hash()]; seen {
			t.Fatalf("seeds %d and %d: one hash", other, seed)
		}
		hashes[w1.Hash()] = seed
	}
}

func TestReplayOfTheAnswersIsTheRun(t *testing.T) {
	kinds := map[Kind]bool{}
	for seed := uint64(0); seed < 40; seed++ {
		w1, list := wild(t, &Seeded{Seed: seed, Weights: wildWeights})
		a := &Answers{Header: []Field{{"scenario", "pair"}}, List: list, Hash: w1.Hash(), Steps: w1.Steps()}
		back, err := ParseAnswers("x", []byte(a.Text()))
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, a.Text())
		}
		for _, x := range back.List {
			kinds[x.Kind] = true
		}
		for _, lenient := range []bool{false, true} {
			r := &Replay{Answers: back.List, Lenient: lenient}
			w2, _ := wild(t, r)
			if w2.Hash() != back.Hash || w2.Steps() != back.Steps {
				t.Fatalf("seed %d, lenient %v: hash %x after %d steps, recorded %x after %d", seed, lenient, w2.Hash(), w2.Steps(), back.Hash, back.Steps)
			}
			if left := r.Unused(); len(left) > 0 {
				t.Fatalf("seed %d, lenient %v: answers not used: %v", seed, lenient, left)
			}
		}
	}
	if !kinds[Next] || !kinds[Fate] || !kinds[Tear] {
		t.Errorf("the runs did not decide every kind of thing: %v", kinds)
	}
}

func TestStrictReplayNamesTheStepAtWhichTheRunsPart(t *testing.T) {
	_, list := wild(t, &Seeded{Seed: 3, Weights: wildWeights})
	list[2].ID = "kill nobody"
	w := pair(true)
	w.SetFaultModel(faulty)
	w.Command(0, &note{n: 5})
	r := &Replay{Answers: []Answer{{Step: 0, Kind: Next, ID: "kill nobody", Before: "step", Index: 1, Of: 2}}}
	err := Run(w, r)
	if err == nil || !strings.Contains(err.Error(), "at step 0: expected kill nobody") {
		t.Errorf("got %v", err)
	}
}

func TestPrefixFollowsThenDecides(t *testing.T) {
	_, list := wild(t, &Seeded{Seed: 5, Weights: wildWeights})
	cut := list[len(list)/2].Step
	w, got := wild(t, &Prefix{Replay: Replay{Answers: list}, Steps: cut, Then: Calm{}})
	for _, a := range got {
		if a.Step >= cut {
			t.Errorf("an answer after the prefix: %+v", a)
		}
	}
	if w.Steps() == 0 || len(got) == 0 {
		t.Error("the prefix was not followed")
	}
}

func TestCalmAnswersGiveTheRunWithoutFaultModel(t *testing.T) {
	plain := started(t, true)
	plain.Command(0, &note{n: 3})
	run(t, plain)
	w := pair(true)
	w.SetFaultModel(faulty)
	run(t, w)
	w.Command(0, &note{n: 3})
	run(t, w)
	if w.Hash() != plain.Hash() {
		t.Error("a calm source took another way through a run with decisions")
	}
}

// The last fault may strike a node or a message.
func TestBudgetRemovesOptions(t *testing.T) {
	for _, last := range []Op{OpKill, OpLose} {
		w := started(t, true)
		a := faulty
		a.Budget = 1
		w.SetFaultModel(a)
		w.Command(0, &note{n: 5})
		for n, offered, struck := 0, false, false; !struck; n++ {
			p, more := w.Pending()
			if !more || n == 100 {
				t.Fatalf("there is no option with op %d", last)
			}
			next := 0
			for i, o := range p.Options {
				if offered && o.Op == last {
					next, struck = i, true
					break
				}
			}
			offered = offered || p.Kind == Next // what nodes may suffer has been looked at
			w.Resolve(next)
		}
		w.Command(1, &note{n: 2})
		for range 100 {
			p, more := w.Pending()
			if !more {
				break
			}
			for i, o := range p.Options {
				if o.Class == Fault {
					t.Fatalf("the budget is spent, yet there is %s", p.ID(i))
				}
			}
			w.Resolve(0)
		}
	}
}

func TestEveryStepHasItsCause(t *testing.T) {
	w := started(t, true)
	w.Command(0, &note{n: 1})
	run(t, w)
	last := w.Steps() - 1 // the answer's delivery
	why := w.Trace().Why(last)
	if len(why) != 3 || w.trace.Steps[why[0]].Kind != StepScript || w.trace.Steps[why[1]].Node != 1 {
		t.Errorf("why of the answer: %v, want the order, the request, the answer", why)
	}
}

func TestAnswersFileErrorsNameTheLine(t *testing.T) {
	for src, want := range map[string]string{
		"":                     "x:1: the file is empty",
		"hello":                "x:1: not an answers file of this version",
		AnswersFormat + "\nxx": "x:2: expected \"key: value\"",
		AnswersFormat + "\nscenario: a\nanswers:\nwhat":                  "x:4: expected \"<step> <kind>",
		AnswersFormat + "\nanswers:\n3 nix kill b1 | before step | 1/2":  "unknown kind of decision \"nix\"",
		AnswersFormat + "\nanswers:\n3 next kill b1 | before step | 2/2": "x:3: expected",
		AnswersFormat + "\nscenario: a\n":                                "ends before its line \"answers:\"",
		AnswersFormat + "\nanswers:\nend: x":                             "x:3: expected \"end:",
		AnswersFormat + "\nanswers:\nend:":                               "x:3: expected \"end:",
		AnswersFormat + "\nanswers:\nend: 0 steps, hash 00":              "x:3: expected \"end:",
		AnswersFormat + "\nanswers:\n3 next a | before b | 1/2\n":        "x:3: the file has no last line; expected \"end:",
		AnswersFormat + "\nanswers:\nend: 9 steps, hash ff\nanswers:":    "x:4: nothing may follow",
	} {
		_, err := ParseAnswers("x", []byte(src))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", src, err, want)
		}
	}
}

func FuzzParseAnswers(f *testing.F) {
	f.Add([]byte(AnswersFormat + "\nscenario: a\nanswers:\n3 next kill b1 | before step | 1/2\nend: 9 steps, hash 00ff\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		a, err := ParseAnswers("x", src)
		if err != nil {
			return
		}
		b, err := ParseAnswers("x", []byte(a.Text()))
		if err != nil || len(b.List) != len(a.List) {
			t.Fatalf("what was read can not be read again: %v", err)
		}
	})
}

func TestTimeIsWrittenInMilliseconds(t *testing.T) {
	for in, want := range map[Time]string{0: "0ms", 7 * Millisecond: "7ms", 7250: "7.25ms", -1500: "-1.5ms", Never: "never", 2 * Minute: "120000ms"} {
		if got := in.String(); got != want {
			t.Errorf("%d: %q, want %q", int64(in), got, want)
		}
	}
}

// BenchmarkEvent is the kernel alone: two nodes that answer each other, the hash and the trace on.
func BenchmarkEvent(b *testing.B) {
	w := New(Config{MessageNames: []string{"Note"}, Nodes: []NodeSpec{
		{Name: "a", New: func() Node { return &pinger{} }}, {Name: "b", New: func() Node { return &pinger{} }}}})
	b.ReportAllocs()
	for i := 0; i < b.N; i++ {
		if p, more := w.Pending(); more {
			_ = p
			w.Resolve(0)
		}
		if len(w.trace.Steps) == 1<<16 { // do not measure the growth of an endless trace
			w.trace.Steps, w.trace.Events = w.trace.Steps[:0], w.trace.Events[:0]
		}
	}
}

// pinger keeps one message going for ever.
type pinger struct{ msg note }

var tick Event = text("tick")

func (p *pinger) Start(env *Env) {
	if env.Self() == 0 {
		env.Send(env.Connect(1), &p.msg)
	}
}
func (p *pinger) Receive(env *Env, d Delivery) {
	env.Record(tick)
	env.Send(d.Conn, &p.msg)
}
func (p *pinger) Timer(*Env, Timer)         {}
func (p *pinger) Disconnected(*Env, ConnID) {}

// TestTheClockWaitsForAMessageThatIsLeaving: as long as it is not decided how long a message takes, or what a disk
// loses, nobody may let time pass.
func TestTheClockWaitsForAMessageThatIsLeaving(t *testing.T) {
	w := started(t, false)
	w.SetFaultModel(FaultModel{Late: []Time{5 * Millisecond}, Budget: 1})
	w.Command(0, &note{n: 1})
	for w.Now() == 0 || len(w.outbox) == 0 {
		p, more := w.Pending()
		if !more || p.Kind == Fate {
			break
		}
		w.Resolve(0)
	}
	if len(w.outbox) == 0 {
		t.Fatal("no message waits for its fate")
	}
	if at := w.NextAt(); at != w.Now() {
		t.Errorf("the next event is at %v, it is %v and a message is leaving", at, w.Now())
	}
}
