package checker

import (
	"cmp"
	"slices"

	"github.com/anishathalye/porcupine"
)

// rule answers the two questions that make the three famous claims.
type rule struct {
	mayMiss   bool // may an acknowledged record be missing at the end?
	mayDouble bool // may a record take effect twice?
}

type deliveryKind uint8

const (
	opSubmit deliveryKind = iota
	opEffect
	opEnd
)

// deliveryOp is one operation on one record.
type deliveryOp struct {
	kind    deliveryKind
	outcome OutcomeKind // of opSubmit
}

// deliveryState is all that is to be remembered about one record.
type deliveryState struct {
	permitted bool // it was submitted, and not all its submissions failed for certain
	owed      bool // it was acknowledged
	effects   uint8
}

// deliveryModel is the sequential specification of a delivery channel for one record, under a rule. Submissions open the
// channel, an effect is a delivery, and the end asks whether what is owed has arrived.
func deliveryModel(r rule) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return deliveryState{} },
		Step: func(state, input, _ any) (bool, any) {
			st, op := state.(deliveryState), input.(deliveryOp)
			switch op.kind {
			case opSubmit:
				st.permitted = st.permitted || op.outcome != FailedForCertain
				st.owed = st.owed || op.outcome == Acked
				return true, st
			case opEffect:
				if !st.permitted || st.effects > 0 && !r.mayDouble {
					return false, st
				}
				st.effects = 1
				return true, st
			default:
				return r.mayMiss || !st.owed || st.effects > 0, st
			}
		},
	}
}

// cargo is a record with what there is to know of it wherever it goes.
type cargo struct {
	record RecordID
	subs   []*Submission
	lies   []placed // where it is in effect in logs
	duty   duty
	opens  []porcupine.Operation // the submissions, see submissions
}

// flow is one record on its way to one place where it takes effect.
type flow struct {
	*cargo
	app  string       // empty at the log
	of   *Application // nil at the log
	sink string       // which of several places that the application writes to, else empty
	// effects in the order of the run; only those that count.
	places  []placed
	effects []*Effect
	// waiting says what is still moving, if an acknowledged record is missing but may still arrive.
	waiting string
	pending bool
}

func (f *flow) count() int { return len(f.places) + len(f.effects) }

// cargos are all records, in their order.
func (x *index) cargos() []*cargo {
	all := make([]*cargo, len(x.records))
	for i, r := range x.records {
		c := &cargo{record: r, subs: x.byRecord[r], lies: x.entries[r]}
		c.duty, _ = x.duty(r)
		c.opens = x.submissions(c)
		all[i] = c
	}
	return all
}

// logFlows lists every record's way into the log.
func (x *index) logFlows(all []*cargo) []flow {
	flows := make([]flow, 0, len(all))
	for _, c := range all {
		if len(c.lies) == 0 && !slices.ContainsFunc(c.subs, func(s *Submission) bool { return !s.Kept }) {
			continue // a stranger that only an application saw, or a row that stays in its database
		}
		f := flow{cargo: c, places: c.lies}
		x.wait(&f)
		flows = append(flows, f)
	}
	return flows
}

// appFlows lists every record's way to every application that consumes its topic.
func (x *index) appFlows(all []*cargo) []flow {
	by := make(map[string]map[RecordID][]*Effect)
	for i := range x.h.Effects {
		if e := &x.h.Effects[i]; x.counts(e) {
			if by[e.Application] == nil {
				by[e.Application] = make(map[RecordID][]*Effect)
			}
			by[e.Application][e.Record] = append(by[e.Application][e.Record], e)
		}
	}
	var flows []flow
	for i := range x.h.Applications {
		app := &x.h.Applications[i]
		for _, sink := range app.sinks() {
			flows = x.flowsInto(flows, all, by[app.Name], app, sink)
		}
	}
	return flows
}

// flowsInto adds every record's way to one of the places that an application writes to.
func (x *index) flowsInto(flows []flow, all []*cargo, effects map[RecordID][]*Effect, app *Application, sink string) []flow {
	for _, c := range all {
		f := flow{cargo: c, app: app.Name, of: app, sink: sink}
		if len(effects) > 0 {
			f.effects = effects[c.record]
		}
		if sink != "" {
			f.effects = slices.DeleteFunc(slices.Clone(f.effects), func(e *Effect) bool { return e.Sink != sink })
		}
		if len(f.effects) == 0 && !consumes(app, c.subs) {
			continue
		}
		x.wait(&f)
		flows = append(flows, f)
	}
	return flows
}

// consumes says whether a record was submitted to one of the application's topics.
func consumes(app *Application, subs []*Submission) bool {
	for _, s := range subs {
		if s.InTable == app.Table && slices.Contains(app.Topics, s.TP.Topic) {
			return true
		}
	}
	return false
}

// wait notes whether a missing record may still arrive. A run that was cut off proves no loss.
func (x *index) wait(f *flow) {
	if f.duty.kind != Acked || f.count() > 0 {
		return
	}
	f.waiting, f.pending = x.moving(f.record)
	if !f.pending && f.app == "" && x.logs[f.duty.by.TP] == nil {
		f.waiting, f.pending = "the log of "+f.duty.by.TP.String()+" at the end is not known", true
	}
}

// operations turns one flow into concurrent operations on its channel. A submission lasts from the call of send to its
// answer, and one with an unknown outcome for ever; retries of the producer are within it. An effect lasts from its
// beginning to where it counts. The end is left out for a record that may still arrive: the rest, that is safety, can be
// judged without it.
//
// Of the submissions only those are operations of which something depends: the first that permits an effect, and the
// first that was acknowledged. Of the effects it is the two that are over first. Nothing is lost, and the search is of
// five operations however often a record was sent and took effect:
//
//   - A submission changes what it finds only if it is the first to permit or the first to oblige, and none is ever in
//     the way of another operation: of those that permit, the one that was called first can always come first.
//   - If no second effect is allowed, two of them are as illegal as all. If it is, an effect is illegal only where it
//     comes before every submission that permits it; a later place never harms it, and the one with the earliest end
//     has the least choice.
func (x *index) operations(f *flow, ops []porcupine.Operation) []porcupine.Operation {
	ops = append(ops, f.opens...)
	first, second := -1, -1
	spans := f.spans(x)
	for i, s := range spans {
		switch {
		case first < 0 || s.ret < spans[first].ret:
			first, second = i, first
		case second < 0 || s.ret < spans[second].ret:
			second = i
		}
	}
	for _, i := range []int{first, second} {
		if i >= 0 {
			ops = append(ops, interval(spans[i].call, spans[i].ret, deliveryOp{kind: opEffect}))
		}
	}
	if !f.pending {
		ops = append(ops, instant(x.h.End+2, deliveryOp{kind: opEnd}))
	}
	return ops
}

// submissions gives the operations that open a record's channels: the first submission that permits an effect, and the
// first that was acknowledged.
//
// A record failed for certain only if all its submissions did. One that was aborted and then sent again may take effect
// from the first submission on: an effect too many is what is wrong then.
func (x *index) submissions(c *cargo) (ops []porcupine.Operation) {
	if len(c.subs) == 0 || c.duty.kind == FailedForCertain {
		return nil
	}
	permit := slices.MinFunc(c.subs, func(a, b *Submission) int { return a.SendStep - b.SendStep })
	add := func(s *Submission) {
		o := x.outcome(s)
		if o.Kind != Acked || o.Step == 0 {
			o.Kind, o.Step = Unknown, x.h.End+1
		}
		ops = append(ops, interval(s.SendStep, max(o.Step, s.SendStep), deliveryOp{kind: opSubmit, outcome: o.Kind}))
	}
	add(permit)
	if c.duty.kind == Acked && c.duty.by != permit {
		add(c.duty.by)
	}
	return ops
}

// span is the time in which an effect took place.
type span struct{ call, ret int }

// spans gives the time of each effect. A record in the log has taken effect once a high watermark has passed it, and a
// transactional one once the commit is decided; an application's begins when it is handed the record.
func (f *flow) spans(x *index) []span {
	out := make([]span, 0, f.count())
	for _, e := range f.places {
		ret := max(e.Step, x.committed[entryKey{e.tp, e.Offset, e.Epoch}])
		if s := x.bySub[e.Submission]; s != nil && x.txns[s.Txn] != nil {
			ret = max(ret, x.txns[s.Txn].DecidedStep)
		}
		out = append(out, span{e.Step, ret})
	}
	for _, e := range f.effects {
		ret := e.Step
		if t := x.txns[e.Txn]; t != nil {
			ret = max(ret, t.DecidedStep)
		}
		out = append(out, span{cmp.Or(min(e.Begun, e.Step), e.Step), ret})
	}
	return out
}

// judgeDelivery rules on one of the three famous claims at one level. Herlihy and Wing's locality lets the channels be
// asked about one after another.
func (x *index) judgeDelivery(c Claim, l Level, r rule) Verdict {
	v := Verdict{Claim: c, Level: l, Ruling: Holds}
	flows := x.flowsAt(l)
	if l == AtApplication && len(x.h.Applications) == 0 {
		return notObserved(v)
	}
	ask := x.asking(r, deliveryModel(r))
	var bad []int
	for i := range flows {
		if ops := x.operations(&flows[i], ask.room[:0]); !ask.legal(string(flows[i].record), ops) {
			bad = append(bad, i)
		}
	}
	if len(bad) > 0 {
		v.Ruling = Violated
		v.Evidence = x.explainDelivery(l, flows, bad)
		return v
	}
	if !r.mayMiss {
		v.Ruling, v.Evidence = x.stillMoving(flows)
	}
	return v
}

// flowsAt returns the flows of a level; they are the same for all three claims, so they are made once.
func (x *index) flowsAt(l Level) []flow {
	if x.flows == nil {
		all := x.cargos()
		x.flows = map[Level][]flow{AtLog: x.logFlows(all), AtApplication: x.appFlows(all)}
	}
	return x.flows[l]
}

// stillMoving rules that records which may still arrive leave the claim undecided, and names them.
func (x *index) stillMoving(flows []flow) (Ruling, Evidence) {
	var ev Evidence
	var records distinct[RecordID]
	what := ""
	for i := range flows {
		if flows[i].pending {
			records.add(flows[i].record)
			if what == "" {
				what = flows[i].waiting
			}
		}
	}
	ev.Records = records.list
	if len(ev.Records) == 0 {
		return Holds, Evidence{}
	}
	n := len(ev.Records)
	ev.Short = comma(ev.Records) + " may still arrive"
	ev.Sentence = many(ev.Records) + " " + verb(n, "was", "were") + " acknowledged and " + verb(n, "has", "have") +
		" not arrived, but the run did not come to rest (" + what + ")."
	return Undecided, ev
}

// appendNew appends an item that is not yet in the list.
func appendNew[T comparable](list []T, item T) []T {
	if slices.Contains(list, item) {
		return list
	}
	return append(list, item)
}
