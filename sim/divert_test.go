package sim

import (
	"slices"
	"strings"
	"testing"
)

// open is what a person may decide.
var open = FaultModel{InFlight: true, Delays: []Time{10 * Millisecond, 40 * Millisecond}, Reorder: 9, Cut: true, Node: CanKill | CanPause | CanLosePower, Budget: 99}

// sending gives a pair in which a has just sent n notes to b.
func sending(t *testing.T, n int) *World {
	t.Helper()
	w := started(t, false)
	w.SetFaultModel(open)
	w.Command(0, &note{n: -1000}) // a timer: something can always happen
	w.Command(0, &note{n: n})
	return w
}

// ids lists the options of the next decision that are about messages on their way.
func ids(t *testing.T, w *World) []string {
	t.Helper()
	p, more := w.Pending()
	if !more {
		return nil
	}
	var all []string
	for i, o := range p.Options {
		if i > 0 && o.IsMsg {
			all = append(all, p.ID(i))
		}
	}
	return all
}

// take answers the next decision with the option of this name.
func take(t *testing.T, w *World, id string) {
	t.Helper()
	p, _ := w.Pending()
	for i := range p.Options {
		if p.ID(i) == id {
			w.Resolve(i)
			return
		}
	}
	t.Fatalf("there is no option %q", id)
}

func TestOptionsOfAMessageInFlightComeInOrder(t *testing.T) {
	w := sending(t, 3)
	want := []string{"lose a>b Note #1", "duplicate a>b Note #1", "hold a>b Note #1", "late a>b Note #1 by 10ms", "late a>b Note #1 by 40ms"}
	if got := ids(t, w); !slices.Equal(got, want) {
		t.Errorf("offered %q, want %q: only the first of a connection", got, want)
	}
	a := open
	a.Budget = 0
	w.SetFaultModel(a)
	if got, want := ids(t, w), want[3:]; !slices.Equal(got, want) {
		t.Errorf("without a budget: offered %q, want %q", got, want)
	}
	w.SetFaultModel(open)
	take(t, w, "hold a>b Note #1")
	if got, want := ids(t, w), []string{"release a>b Note #1", "lose a>b Note #1"}; !slices.Equal(got, want) {
		t.Errorf("while it is held: offered %q, want %q", got, want)
	}
	w.SetFaultModel(a)
	if got, want := ids(t, w), []string{"release a>b Note #1"}; !slices.Equal(got, want) {
		t.Errorf("without a budget: offered %q, want %q", got, want)
	}
	a = open
	a.Among = []string{"a"}
	w.SetFaultModel(a)
	if got := ids(t, w); len(got) != 0 {
		t.Errorf("b is not among the nodes that may be struck, and %q is offered", got)
	}
}

func TestWhatIsDoneToAMessageInFlight(t *testing.T) {
	for _, c := range []struct{ id, then, b string }{
		{"lose a>b Note #1", "", "start 1"},
		{"duplicate a>b Note #1", "", "start 1, got 1, got 2, got 3, got 1"},
		{"hold a>b Note #1", "", "start 1"},
		{"hold a>b Note #1", "release a>b Note #1", "start 1, got 1, got 2, got 3"},
		{"late a>b Note #1 by 10ms", "", "start 1, got 1, got 2, got 3"},
	} {
		w := sending(t, 3)
		before := w.Now()
		take(t, w, c.id)
		if c.then != "" {
			take(t, w, c.then)
		}
		for w.NextAt() < 1000*Millisecond {
			w.Pending()
			w.Resolve(0)
		}
		if got := story(w, 1); got != c.b {
			t.Errorf("%s %s: b has %q, want %q", c.id, c.then, got, c.b)
		}
		if took := w.Now() - before; strings.HasPrefix(c.id, "late") && took != 11*Millisecond {
			t.Errorf("%s: the notes arrive after %v, want 11ms", c.id, took)
		}
	}
}

// A loss takes with it what is behind the message, and nothing of another connection or of the other direction.
func TestLossInFlightStaysOnItsConnection(t *testing.T) {
	w := started(t, true)
	w.SetFaultModel(open)
	w.Command(0, &note{n: 2})
	take(t, w, "step a>b Note #1") // b answers
	take(t, w, "lose a>b Note #2")
	run(t, w)
	expect(t, w, 0, "start 1, got 2, got 101")
	expect(t, w, 1, "start 1, got 1")
}

// answering gives a pair in which b has answered the first of two notes.
func answering(t *testing.T) *World {
	t.Helper()
	w := started(t, true)
	w.SetFaultModel(open)
	w.Command(0, &note{n: -1000})
	w.Command(0, &note{n: 2})
	take(t, w, "step a>b Note #1")
	return w
}

// What is sent behind a message that is held, or late, has to wait for it.
func TestWhatIsSentLaterStaysBehind(t *testing.T) {
	w := answering(t)
	take(t, w, "hold b>a Note #1")
	take(t, w, "step a>b Note #2")
	if got, want := ids(t, w), []string{"release b>a Note #1", "lose b>a Note #1"}; !slices.Equal(got, want) {
		t.Errorf("offered %q, want %q", got, want)
	}
	w = answering(t)
	take(t, w, "late b>a Note #1 by 40ms")
	take(t, w, "step a>b Note #2")
	p, _ := w.Pending()
	if id, at := p.ID(0), w.NextAt(); id != "step again-1 b>a Note #1" || at != w.Now()+41*Millisecond {
		t.Errorf("next is %q at %v, at %v", id, at, w.Now())
	}
	run(t, w)
	expect(t, w, 0, "start 1, got -1000, got 2, got 101, got 102, timer -1000")
}

// A delay does not bring forward what is later anyway.
func TestDelayTouchesOnlyWhatItOvertakes(t *testing.T) {
	w := answering(t)
	w.AddRule(&LinkRule{Pattern: Pattern{From: 1, To: 0, AnyType: true}, Act: Delay, Count: 1, By: 100 * Millisecond})
	take(t, w, "step a>b Note #2")
	sent := w.Now()
	take(t, w, "late b>a Note #1 by 10ms")
	take(t, w, "step again-1 b>a Note #1")
	take(t, w, "step b>a Note #2")
	if took := w.Now() - sent; took != 101*Millisecond {
		t.Errorf("the second answer arrives after %v, want 101ms", took)
	}
}

// A copy that a source chose is not copied again by a rule.
func TestCopyIsExemptFromRules(t *testing.T) {
	w := sending(t, 1)
	w.AddRule(anyNote(Duplicate, 0))
	take(t, w, "duplicate a>b Note #1")
	run(t, w)
	expect(t, w, 1, "start 1, got 1, got 1, got 1")
}

// A hold that a source chose ends when everything is healed, as the hold of a rule does.
func TestHealingLetsGoOfWhatWasHeld(t *testing.T) {
	w := sending(t, 2)
	take(t, w, "hold a>b Note #1")
	w.HealAll()
	run(t, w)
	expect(t, w, 1, "start 1, got 1, got 2")
}

// reckless answers with an option about a message in flight whenever n comes up.
type reckless struct{ calls, every int }

func (r *reckless) Choose(p Point) (int, error) {
	r.calls++
	var about []int
	for i, o := range p.Options {
		if i > 0 && o.IsMsg && o.Op != OpDeliver {
			about = append(about, i)
		}
	}
	if r.calls%r.every != 0 || len(about) == 0 {
		return 0, nil
	}
	return about[r.calls/r.every%len(about)], nil
}

// chat lets a and b talk under a source, with everything open that is about messages in flight.
func chat(t *testing.T, a FaultModel, src Source) (*World, []Answer) {
	t.Helper()
	w := started(t, true)
	w.SetFaultModel(a)
	rec := &Record{Inner: src}
	w.Command(0, &note{n: -1000})
	for range 12 {
		w.Command(0, &note{n: 4})
		for range 9 {
			p, more := w.Pending()
			if !more {
				break
			}
			i, err := answer(p, rec)
			if err != nil {
				t.Fatal(err)
			}
			w.Resolve(i)
		}
	}
	return w, rec.List
}

func TestChoicesInFlightReplay(t *testing.T) {
	ops := map[string]bool{}
	for every := 2; every < 12; every++ {
		w, list := chat(t, open, &reckless{every: every})
		for _, a := range list {
			op, _, _ := strings.Cut(a.ID, " ")
			ops[op] = true
		}
		if again, _ := chat(t, open, &Replay{Answers: list}); again.Hash() != w.Hash() {
			t.Errorf("every %d: the replay is another run", every)
		}
		lenient := &Replay{Answers: list, Lenient: true}
		if again, _ := chat(t, open, lenient); again.Hash() != w.Hash() || len(lenient.Unused()) > 0 {
			t.Errorf("every %d: the lenient replay is another run", every)
		}
		wider := open
		wider.Delays = append([]Time{Millisecond}, open.Delays...)
		byName := &Replay{Answers: list, ByName: true}
		if again, _ := chat(t, wider, byName); again.Steps() != w.Steps() || len(byName.Unused()) > 0 {
			t.Errorf("every %d: found by name, the answers lead to %d steps, want %d", every, again.Steps(), w.Steps())
		}
		if _, err := (&Replay{Answers: list}).Choose(Point{Step: 1 << 20}); err == nil {
			t.Errorf("every %d: a strict replay passes an answer over", every)
		}
	}
	for _, op := range []string{"lose", "duplicate", "hold", "release", "late"} {
		if !ops[op] {
			t.Errorf("no run chose to %s", op)
		}
	}
}

// Calm is zero: to open what can be done to messages in flight changes nothing.
func TestOpenFaultModelIsCalm(t *testing.T) {
	w, _ := chat(t, FaultModel{}, Calm{})
	if wide, _ := chat(t, open, Calm{}); wide.Hash() != w.Hash() {
		t.Error("a calm source took another way through a run in which messages in flight may be lost")
	}
}

// A delay keeps the order of a connection, and does not touch others.
func TestDelayInFlightKeepsOrder(t *testing.T) {
	w := sending(t, 3)
	w.Command(0, &note{n: 1}) // on another connection
	take(t, w, "late a>b Note #1 by 40ms")
	run(t, w)
	expect(t, w, 1, "start 1, got 1, got 1, got 2, got 3")
	var at []Time
	tr := w.Trace()
	for _, s := range tr.Steps {
		if s.Kind == StepDeliver {
			at = append(at, s.At)
		}
	}
	if len(at) != 4 || at[1]-at[0] != 40*Millisecond || at[3] != at[1] {
		t.Errorf("the notes arrive at %v", at)
	}
}
