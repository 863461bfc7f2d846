package checker

import (
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

// deliveryModel is the sequential specification of one record under a rule. A record may take effect from the moment
// of its submission; the end asks whether an acknowledged one has.
//
// An unknown outcome needs no search here: it permits an effect and demands none.
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

// flow is one record on its way to one place where it takes effect.
type flow struct {
	app    string // empty at the log
	sink   string // which of several places that the application writes to, else empty
	record RecordID
	// effects in the order of the run; only those that count.
	places  []placed
	effects []*Effect
	// waiting says what is still moving, if an acknowledged record is missing but may still arrive.
	waiting string
	pending bool
	nobody  bool // nobody submitted it
}

func (f *flow) count() int { return len(f.places) + len(f.effects) }

// logFlows lists every record's way into the log.
func (x *index) logFlows() []flow {
	flows := make([]flow, 0, len(x.records))
	for _, r := range x.records {
		if len(x.byRecord[r]) == 0 && len(x.entries[r]) == 0 {
			continue // a stranger that only an application saw
		}
		if len(x.entries[r]) == 0 && !slices.ContainsFunc(x.byRecord[r], func(s *Submission) bool { return !s.Kept }) {
			continue // a row that stays in its database
		}
		f := flow{record: r, places: x.entries[r], nobody: len(x.byRecord[r]) == 0}
		x.wait(&f)
		flows = append(flows, f)
	}
	return flows
}

// appFlows lists every record's way to every application that consumes its topic.
func (x *index) appFlows() []flow {
	var flows []flow
	for i := range x.h.Applications {
		app := &x.h.Applications[i]
		for _, sink := range app.sinks() {
			flows = x.flowsInto(flows, app, sink)
		}
	}
	return flows
}

// flowsInto adds every record's way to one of the places that an application writes to.
func (x *index) flowsInto(flows []flow, app *Application, sink string) []flow {
	for _, r := range x.records {
		f := flow{app: app.Name, sink: sink, record: r, nobody: len(x.byRecord[r]) == 0}
		for _, e := range x.effects[r] {
			if e.Application == app.Name && (sink == "" || e.Sink == sink) && x.counts(e) {
				f.effects = append(f.effects, e)
			}
		}
		if !x.consumes(app, r) && len(f.effects) == 0 {
			continue
		}
		x.wait(&f)
		flows = append(flows, f)
	}
	return flows
}

// consumes says whether the record was submitted to one of the application's topics.
func (x *index) consumes(app *Application, r RecordID) bool {
	for _, s := range x.byRecord[r] {
		if s.InTable == app.Table && slices.Contains(app.Topics, s.TP.Topic) {
			return true
		}
	}
	return false
}

// wait notes whether a missing record may still arrive. A run that was cut off proves no loss.
func (x *index) wait(f *flow) {
	d, ok := x.duty(f.record)
	if !ok || d.kind != Acked || f.count() > 0 {
		return
	}
	f.waiting, f.pending = x.moving(f.record)
	if !f.pending && f.app == "" && x.logs[d.by.TP] == nil {
		f.waiting, f.pending = "the log of "+d.by.TP.String()+" at the end is not known", true
	}
}

// deliveryPart turns one flow into operations. The end is left out for a record that may still arrive: the rest, that
// is safety, can be judged without it.
func (x *index) deliveryPart(f *flow) part {
	end := x.h.End + 1
	p := part{name: string(f.record)}
	d, _ := x.duty(f.record)
	for _, s := range x.byRecord[f.record] {
		o := x.outcome(s)
		ret := o.Step
		if ret == 0 {
			ret = end
		}
		// A record failed for certain only if all its submissions did. One that was aborted and then sent again
		// may take effect from the first submission on: an effect too many is what is wrong then.
		if o.Kind == FailedForCertain && d.kind != FailedForCertain {
			o.Kind = Unknown
		}
		p.ops = append(p.ops, interval(s.SendStep, ret, deliveryOp{kind: opSubmit, outcome: o.Kind}))
	}
	for _, e := range f.places {
		p.ops = append(p.ops, instant(e.Step, deliveryOp{kind: opEffect}))
	}
	for _, e := range f.effects {
		p.ops = append(p.ops, instant(e.Step, deliveryOp{kind: opEffect}))
	}
	if !f.pending {
		p.ops = append(p.ops, instant(end+1, deliveryOp{kind: opEnd}))
	}
	return p
}

// judgeDelivery rules on one of the three famous claims at one level.
func (x *index) judgeDelivery(c Claim, l Level, r rule) Verdict {
	v := Verdict{Claim: c, Level: l, Ruling: Holds}
	flows := x.flowsAt(l)
	if l == AtApplication && len(x.h.Applications) == 0 {
		return notObserved(v)
	}
	parts := make([]part, len(flows))
	for i := range flows {
		parts[i] = x.deliveryPart(&flows[i])
	}
	if bad := x.illegal(deliveryModel(r), parts); len(bad) > 0 {
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
		x.flows = map[Level][]flow{AtLog: x.logFlows(), AtApplication: x.appFlows()}
	}
	return x.flows[l]
}

// stillMoving rules that records which may still arrive leave the claim undecided, and names them.
func (x *index) stillMoving(flows []flow) (Ruling, Evidence) {
	var ev Evidence
	what := ""
	for i := range flows {
		if flows[i].pending {
			ev.Records = appendNew(ev.Records, flows[i].record)
			if what == "" {
				what = flows[i].waiting
			}
		}
	}
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
