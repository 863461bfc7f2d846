package checker

import (
	"slices"
	"strings"
)

// State is a claim's standing in the middle of a run.
type State string

const (
	HoldsSoFar State = "holds so far"
	AtRisk     State = "at risk"
	// ViolatedSoFar is final: nothing that comes later can mend it.
	ViolatedSoFar State = "violated"
)

// Standing is how one of the three famous claims stands after a step, over both levels.
type Standing struct {
	Claim   Claim      `json:"claim"`
	State   State      `json:"state"`
	Records []RecordID `json:"records,omitempty"`
	// Why is a phrase: acknowledged, on b1 only.
	Why string `json:"why,omitempty"`
}

// String says it in a line: at-least-once: at risk m1 m2 (acknowledged, on b1 only).
func (s Standing) String() string {
	line := string(s.Claim) + ": " + string(s.State)
	if len(s.Records) > 0 {
		line += " " + strings.Join(names(s.Records), " ")
	}
	if s.Why != "" {
		line += " (" + s.Why + ")"
	}
	return line
}

// SoFar says how the three famous claims stand after a step of the run, with the judge's word after the last one. To follow a run step by step use Live, which
// gives the same answers without beginning anew each time.
func SoFar(h History, step int) []Standing { return NewLive(&h).At(step) }

// Live follows a history step by step. It knows nothing of what comes after the step it is asked about. It promises
// less than Judge: at risk is a warning and no ruling. What it calls violated stays so, and after the last step it says
// what Judge does: violated, or of a run that came to rest holds. Of one that was cut off it tells what is at risk.
type Live struct {
	h      *History
	x      *index
	final  *Report // see atTheEnd
	events []liveEvent
	next   int // the first event that was not applied
	now    int
	state  map[RecordID]*liveRecord
	order  []RecordID
}

// liveRecord is what is known about one record so far.
type liveRecord struct {
	submitted, owed bool
	sends, failed   int  // submissions, and those of them that failed for certain
	inTable         bool // a row of a database, which is safe there
	kept            bool // and nobody sends it to Kafka
	topics          []string
	copies          []liveCopy
	processed       map[string][]int // steps, by application
	uninvited       bool             // processed before anybody submitted it
}

// liveCopy is one copy of the record in one broker's log.
type liveCopy struct {
	tp     TopicPartition
	broker int
	offset int64
	by     SubmissionID
}

type liveEvent struct {
	step  int
	apply func(*Live)
}

// NewLive prepares to follow a history. The history must not change while Live is in use.
func NewLive(h *History) *Live {
	l := &Live{h: h, x: newIndex(h)}
	for i := range h.Submissions {
		s := &h.Submissions[i]
		l.on(s.SendStep, func(l *Live) {
			r := l.record(s.Record)
			r.submitted = true
			r.sends++
			r.topics = appendNew(r.topics, s.TP.Topic)
			r.inTable, r.kept = r.inTable || s.InTable, r.kept || s.Kept
		})
		switch o := l.x.outcome(s); o.Kind {
		case Acked:
			l.on(o.Step, func(l *Live) { l.record(s.Record).owed = true })
		case FailedForCertain:
			l.on(max(o.Step, s.SendStep), func(l *Live) { l.record(s.Record).failed++ })
		}
	}
	for i := range h.Appends {
		a := &h.Appends[i]
		l.on(a.Step, func(l *Live) {
			r := l.record(a.Record)
			r.copies = append(r.copies, liveCopy{a.TP, a.Broker, a.Offset, a.Submission})
		})
	}
	for i := range h.Cuts {
		c := &h.Cuts[i]
		l.on(c.Step, func(l *Live) { l.cut(c) })
	}
	for i := range h.Effects {
		e := &h.Effects[i]
		step := e.Step
		if t := l.x.txns[e.Txn]; t != nil {
			if t.Decided != TxnCommitted {
				continue
			}
			step = max(step, t.DecidedStep)
		}
		l.on(step, func(l *Live) {
			r := l.record(e.Record)
			r.uninvited = r.uninvited || !r.submitted
			r.processed[e.Application] = append(r.processed[e.Application], e.Step)
			r.processed[e.Application+" "+e.Sink] = append(r.processed[e.Application+" "+e.Sink], e.Step)
		})
	}
	slices.SortStableFunc(l.events, func(a, b liveEvent) int { return a.step - b.step })
	l.rewind()
	return l
}

func (l *Live) on(step int, apply func(*Live)) { l.events = append(l.events, liveEvent{step, apply}) }

func (l *Live) rewind() {
	l.next, l.now, l.order = 0, 0, nil
	l.state = make(map[RecordID]*liveRecord)
}

func (l *Live) record(id RecordID) *liveRecord {
	r := l.state[id]
	if r == nil {
		r = &liveRecord{processed: map[string][]int{}}
		l.state[id] = r
		l.order = append(l.order, id)
	}
	return r
}

func (l *Live) cut(c *Cut) {
	for _, id := range l.order {
		r := l.state[id]
		r.copies = slices.DeleteFunc(r.copies, func(have liveCopy) bool {
			return have.tp == c.TP && have.broker == c.Broker && c.From <= have.offset && have.offset < c.To
		})
	}
}

// At returns the standing of the three famous claims after a step, in the order of Claims. Going forward applies what
// happened since; going back begins anew.
func (l *Live) At(step int) []Standing {
	if step < l.now {
		l.rewind()
	}
	for l.next < len(l.events) && l.events[l.next].step <= step {
		l.events[l.next].apply(l)
		l.next++
	}
	l.now = step
	all := make([]Standing, 0, 3)
	for i := range rows {
		switch r := &rows[i]; {
		case !r.Famous:
		case r.Sum != nil:
			all = append(all, sumOf(r, all))
		default:
			all = append(all, l.standing(r.Name, r.soFar))
		}
	}
	if step >= l.h.End {
		l.atTheEnd(all)
	}
	return all
}

// sumOf is how a claim stands that says no more than others before it: as the gravest of them.
func sumOf(r *Row, others []Standing) Standing {
	sum := Standing{Claim: r.Name, State: HoldsSoFar}
	for _, s := range others {
		if slices.Contains(r.Sum, s.Claim) && graver(s.State, sum.State) {
			s.Claim = r.Name
			sum = s
		}
	}
	return sum
}

// atTheEnd replaces what the live line thinks by what the judge rules.
func (l *Live) atTheEnd(all []Standing) {
	if l.final == nil {
		r := l.x.judgeAll(Options{Claims: Famous()})
		l.final = &r
	}
	for i := range all {
		s := &all[i]
		switch sum, _ := l.final.Overall(s.Claim); {
		case sum == Holds:
			*s = Standing{Claim: s.Claim, State: HoldsSoFar}
		case sum == Violated && s.State != ViolatedSoFar:
			for _, v := range l.final.Verdicts {
				if v.Claim == s.Claim && v.Ruling == Violated && s.State != ViolatedSoFar {
					*s = Standing{s.Claim, ViolatedSoFar, v.Evidence.Records, strings.TrimPrefix(v.Evidence.Short, comma(v.Evidence.Records)+" ")}
				}
			}
		}
	}
}

func graver(a, b State) bool {
	rank := func(s State) int { return slices.Index([]State{HoldsSoFar, AtRisk, ViolatedSoFar}, s) }
	return rank(a) > rank(b)
}

// standing asks a question about every record and keeps those with the gravest answer; the words are the first's.
func (l *Live) standing(c Claim, ask func(*Live, *liveRecord) (State, string)) Standing {
	s := Standing{Claim: c, State: HoldsSoFar}
	for _, id := range l.order {
		state, why := ask(l, l.state[id])
		switch {
		case graver(state, s.State):
			s = Standing{c, state, []RecordID{id}, why}
		case state == s.State && state != HoldsSoFar && why == s.Why:
			s.Records = append(s.Records, id)
		case state == s.State && state != HoldsSoFar:
			s.Records = append(s.Records, id)
			s.Why = firstWords(s.Why)
		}
	}
	return s
}

// firstWords shortens a reason that not all records share to the part before its first comma.
func firstWords(why string) string { return strings.SplitN(why, ",", 2)[0] }

// strange says what is wrong with a record that nobody may have processed: not submitted, or failed. A failed one may be
// sent again, and is then one that was processed too early or too often.
func (l *Live) strange(r *liveRecord) (State, string) {
	switch {
	case r.uninvited:
		return ViolatedSoFar, "processed, though never submitted"
	case r.sends > 0 && r.failed == r.sends && len(r.processed) > 0:
		return AtRisk, "processed, though it failed for certain"
	}
	return HoldsSoFar, ""
}

// doubleRisk: processed twice is final, in the log twice is not yet.
func (l *Live) doubleRisk(r *liveRecord) (State, string) {
	odd, why := l.strange(r)
	if odd == ViolatedSoFar {
		return odd, why
	}
	for _, app := range l.h.Applications {
		for _, sink := range app.sinks() {
			if steps := r.processed[app.at(sink)]; len(steps) > 1 {
				return ViolatedSoFar, "processed " + times(len(steps)) + ", " + inSteps(steps...)
			}
		}
	}
	for i, a := range r.copies {
		for _, b := range r.copies[:i] {
			if (a.broker == b.broker || a.tp != b.tp) && (a.tp != b.tp || a.offset != b.offset) && !l.undone(a.by) && !l.undone(b.by) {
				return AtRisk, "in the log twice"
			}
		}
	}
	return odd, why
}

// missing says what an acknowledged record still lacks. An application that writes may have processed it: what counts is what it has
// written, and that stands. Of several applications it names the one.
func (l *Live) missing(app *Application, sink string) string {
	switch {
	case app.Writes && sink != "":
		return "acknowledged, its result not yet committed in " + sink
	case app.Writes:
		return "acknowledged, its result not yet committed"
	case len(l.h.Applications) > 1:
		return "acknowledged, not yet processed by " + app.Name
	}
	return "acknowledged, not yet processed"
}

// undone says that the submission's transaction has been given up by now.
func (l *Live) undone(id SubmissionID) bool {
	s := l.x.bySub[id]
	if s == nil {
		return false
	}
	t := l.x.txns[s.Txn]
	return t != nil && (t.AbortAsked > 0 && t.AbortAsked <= l.now || t.Outcome == TxnAborted && t.OutcomeStep <= l.now)
}

// lossRisk: an acknowledged record is safe once it is on two replicas and was processed by everybody.
func (l *Live) lossRisk(r *liveRecord) (State, string) {
	if odd, why := l.strange(r); odd != HoldsSoFar || !r.owed {
		return odd, why
	}
	if len(l.h.Appends) > 0 && !r.kept {
		var brokers []int
		for _, c := range r.copies {
			if !l.undone(c.by) {
				brokers = appendNew(brokers, c.broker)
			}
		}
		switch n := len(brokers); {
		case n == 0 && r.inTable:
			return AtRisk, "committed in a table, in no log yet"
		case n == 0:
			return AtRisk, "acknowledged, in no log"
		case n == 1 && !r.inTable:
			return AtRisk, "acknowledged, on " + broker(brokers[0]) + " only"
		}
	}
	for _, app := range l.h.Applications {
		if !slices.ContainsFunc(r.topics, func(t string) bool { return slices.Contains(app.Topics, t) }) {
			continue
		}
		for _, sink := range app.sinks() {
			if len(r.processed[app.at(sink)]) == 0 {
				return AtRisk, l.missing(&app, sink)
			}
		}
	}
	return HoldsSoFar, ""
}
