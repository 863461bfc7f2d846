package scenarios

import (
	"fmt"
	"slices"

	"kafkatrial/model/event"
	"kafkatrial/scenarios/format"
	"kafkatrial/sim"
)

// director carries out a script: it says when the next step is due, acts, and watches the run for what
// steps wait for.
type director struct {
	script []format.Step
	at     int        // the step to come
	since  sim.Time   // when the step before was done
	until  sim.Time   // when the step that is being waited for is given up
	going  *ongoing   // an action that takes time
	asks   []question // predictions to answer
	ledger ledger
	watch  []watcher // the events of the step to come
	seen   int       // steps of the trace that have been looked at
	events int       // events that have been looked at
	sent   []sentMessage
	ready  bool // the cluster has come up: the script may begin
	// byRecord says that the script picks messages by the record they are about.
	byRecord bool
	told     bool // the words of the step that is due are said; what it does comes next
}

// ongoing is an action that is not done at once.
type ongoing struct {
	wait    *format.Wait
	restart []sim.NodeID // to be started once they are down
	lives   []int        // which incarnation of each is to end
	start   []sim.NodeID // have been started, and are to run
	send    *format.Send // the rest of its records
	next    int          // index of its next record
	due     sim.Time     // of the next record, or when a wait or a restart is given up
}

type sentMessage struct {
	from, to sim.NodeID
	msg      sim.Message
}

// turn says what the run does next.
type turn uint8

const (
	goOn   turn = iota // let the world go on
	actNow             // the next step is due
	done               // the script is over
)

// patience is how long a step waits for its when.
const (
	patience     = 10 * sim.Minute
	patienceText = "10m"
)

// timedOut says that a step has given up.
func timedOut(st *format.Step, what, long string) string {
	return fmt.Sprintf("step %d (line %d) timed out after %s waiting for %s", st.Number, st.Pos.Line, long, what)
}

func (d *director) start(r *Run) {
	d.script = r.File.Script
	d.until = patience
	d.byRecord = picksByRecord(d.script)
	d.ledger.start()
	d.listen(r)
	d.arm(r)
}

// listen has the world tell of messages, and ask what they are about.
func (d *director) listen(r *Run) {
	r.World.Observe(d)
	r.World.SetAbout(func(record string, _, to sim.NodeID, m sim.Message) bool { return d.ledger.carries(to, m, record) })
}

// Sent implements sim.Observer. What the director makes of the run it makes between two decisions (observe).
func (d *director) Sent(_ sim.View, from, to sim.NodeID, m sim.Message) {
	d.ledger.sent(from, m)
	d.sent = append(d.sent, sentMessage{from, to, m})
}

// Step and Event implement sim.Observer: observe reads steps and events from the trace.
func (d *director) Step(sim.View, sim.Step) {}

// Event implements sim.Observer.
func (d *director) Event(sim.View, sim.Recorded) {}

// next says whether the next step is due, moving the clock to its time if nothing happens before.
func (d *director) next(r *Run) turn {
	if d.going != nil {
		return d.carryOn(r)
	}
	if d.told {
		return actNow
	}
	if r.stopped != "" || d.at == len(d.script) {
		return done
	}
	if !d.ready && !d.calm(r) {
		return goOn
	}
	st := &d.script[d.at]
	due := d.since
	if st.At.Given() {
		due = max(due, duration(st.At))
	}
	if st.After.Given() {
		due = max(due, d.since+duration(st.After))
	}
	if r.World.Now() < due {
		if r.World.NextAt() < due {
			return goOn
		}
		r.World.AdvanceTo(due)
	}
	if st.When != nil && !d.holds(r, st.When.Predicates) {
		if r.World.NextAt() > d.until {
			d.giveUp(r, timedOut(st, describe(st.When.Predicates), patienceText))
			return done
		}
		if never := d.hopeless(r, st.When.Predicates); never != "" {
			d.giveUp(r, fmt.Sprintf("step %d (line %d) can not get past its wait for %s: %s", st.Number, st.Pos.Line, describe(st.When.Predicates), never))
			return done
		}
		return goOn
	}
	return actNow
}

// startUp bounds how long the script waits for the cluster to come up.
const startUp = 5 * sim.Second

// calm says that the cluster has come up: brokers registered, partitions led, consumers placed. The script
// begins then, or after startUp.
func (d *director) calm(r *Run) bool {
	d.ready = len(r.Cluster.Moving()) == 0 && r.World.Steps() > 0 || r.World.Now() >= startUp
	if d.ready {
		d.since = r.World.Now()
		d.until = d.since + patience
	}
	return d.ready
}

// carryOn looks whether an action that takes time is done.
func (d *director) carryOn(r *Run) turn {
	g := d.going
	switch {
	case g.wait != nil:
		if d.holds(r, g.wait.Predicates) {
			return d.finish(r)
		}
		st, why := &d.script[d.at], ""
		if r.World.NextAt() > g.due {
			why = timedOut(st, describe(g.wait.Predicates), g.wait.For.Text)
		} else if never := d.hopeless(r, g.wait.Predicates); never != "" {
			why = fmt.Sprintf("step %d (line %d) can not get past its wait for %s: %s", st.Number, st.Pos.Line, describe(g.wait.Predicates), never)
		}
		switch {
		case why == "":
		case g.wait.MayFail:
			r.World.Note(&event.ScriptEnd{Text: why, GoesOn: true})
			return d.finish(r)
		default:
			d.giveUp(r, why)
			return done
		}
	case g.restart != nil:
		waiting := false
		for i, n := range g.restart {
			switch r.World.State(n) {
			case sim.Down, sim.Off:
				r.World.Restart(n)
				waiting = true
			default:
				waiting = waiting || r.World.Incarnation(n) == g.lives[i]
			}
		}
		if !waiting {
			return d.finish(r)
		}
		if r.World.NextAt() > g.due {
			st := &d.script[d.at]
			d.giveUp(r, timedOut(st, "a node to stop that it restarts", patienceText))
			return done
		}
	case g.start != nil:
		if !slices.ContainsFunc(g.start, func(n sim.NodeID) bool { s := r.World.State(n); return s == sim.Down || s == sim.Off }) {
			return d.finish(r)
		}
	case g.send != nil:
		if r.World.Now() < g.due {
			if r.World.NextAt() < g.due {
				return goOn
			}
			r.World.AdvanceTo(g.due)
		}
		return actNow
	}
	return goOn
}

// finish ends an action that took time, and looks at the step after it.
func (d *director) finish(r *Run) turn {
	d.going = nil
	d.advance(r)
	return d.next(r)
}

func (d *director) advance(r *Run) {
	d.at++
	d.since = r.World.Now()
	d.until = d.since + patience
}

// giveUp ends the script before its last step.
func (d *director) giveUp(r *Run, why string) {
	d.going = nil
	if r.stopped != "" {
		return
	}
	if d.at < len(d.script) && why == "nothing is left that could happen" {
		why = fmt.Sprintf("step %d (line %d) can not come: %s", d.script[d.at].Number, d.script[d.at].Pos.Line, why)
	}
	r.stopped = why
	r.World.Note(&event.ScriptEnd{Text: why})
}

// act carries out the step that is due. If it has words they come first, as a decision of their own: people
// read before they look.
func (d *director) act(r *Run) {
	if d.going != nil && d.going.send != nil {
		d.sendNext(r)
		d.refuse(r, &d.script[d.at])
		if d.going == nil {
			d.advance(r)
		}
		d.observe(r)
		return
	}
	st := &d.script[d.at]
	if !d.told && d.speak(r, st) {
		d.told = true
		d.observe(r)
		return
	}
	d.told = false
	d.arm(r)
	d.perform(r, st)
	if d.going == nil {
		d.advance(r)
	}
	d.observe(r)
}

// speak answers what is due, and says the words of a step; it reports whether there were any.
func (d *director) speak(r *Run, st *format.Step) bool {
	d.answer(r, false)
	if !st.Act.IsZero() {
		r.World.Note(&event.Act{Text: st.Act.In(""), Step: int64(st.Number)})
	}
	if !st.Say.IsZero() {
		r.World.Note(&event.Said{Text: st.Say.In(""), Step: int64(st.Number)})
	}
	return !st.Act.IsZero() || !st.Say.IsZero()
}

// observe looks at what the run has done since the last look.
func (d *director) observe(r *Run) {
	t := r.World.Trace()
	if r.truth.recent.wanted {
		r.truth.own()
	}
	for ; d.events < len(t.Events); d.events++ {
		d.ledger.take(r, &t.Events[d.events])
		if r.truth.recent.wanted {
			r.truth.recent.event(r, &r.truth, &t.Events[d.events])
		}
		if r.truth.kept {
			r.truth.take(r, &t.Events[d.events])
		}
		for i := range d.watch {
			d.watch[i].event(r, &t.Events[d.events])
		}
	}
	for ; d.seen < len(t.Steps); d.seen++ {
		if r.truth.recent.wanted {
			r.truth.recent.step(&t.Steps[d.seen])
		}
		for i := range d.watch {
			d.watch[i].step(r, &t.Steps[d.seen])
		}
	}
	if r.truth.recent.wanted {
		for i := range d.sent {
			r.truth.recent.sent(r, &d.sent[i])
		}
	}
	for i := range d.watch {
		d.watch[i].messages(r, d.sent)
	}
	d.sent = d.sent[:0]
}

// arm begins to watch for the events of the step after the present one: events count from its action on.
// What the present step itself waits for has been watched since the action of the step before it.
func (d *director) arm(r *Run) {
	kept := d.watch[:0]
	for _, w := range d.watch {
		if w.of == d.at {
			kept = append(kept, w)
		}
	}
	d.watch = kept
	if d.at == 0 && r.World.Steps() == 0 {
		d.watchStep(r, 0)
	}
	d.watchStep(r, d.at+1)
}

func (d *director) watchStep(r *Run, k int) {
	if k >= len(d.script) {
		return
	}
	st := &d.script[k]
	if st.When != nil {
		d.watchFor(r, k, st.When.Predicates)
	}
	if w, ok := st.Do.(*format.Wait); ok {
		d.watchFor(r, k, w.Predicates)
	}
}

func (d *director) watchFor(r *Run, k int, predicates []format.Predicate) {
	for _, f := range predicates {
		if !format.IsEvent(f) || slices.ContainsFunc(d.watch, func(w watcher) bool { return w.want == f }) {
			continue
		}
		w := watcher{of: k, want: f}
		if m, ok := f.(*format.Probe); ok {
			w.probes = probeCount(r, m.Text.Text)
		}
		d.watch = append(d.watch, w)
	}
}
