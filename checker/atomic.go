package checker

import (
	"slices"

	"github.com/anishathalye/porcupine"
)

// atomicOp says whether one member of a transaction, a record or a consumer offset, is visible at the end.
type atomicOp struct{ visible bool }

// atomicState remembers what was found so far.
type atomicState struct{ shown, hidden bool }

// atomicModel allows all members of a transaction to be visible, or none.
func atomicModel() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return atomicState{} },
		Step: func(state, input, _ any) (bool, any) {
			st, op := state.(atomicState), input.(atomicOp)
			st.shown = st.shown || op.visible
			st.hidden = st.hidden || !op.visible
			return !(st.shown && st.hidden), st
		},
	}
}

// member is one thing that a transaction contains.
type member struct {
	record  RecordID // empty for an offset
	words   string
	tp      TopicPartition
	offset  int64
	visible bool
	step    int
}

// members lists what a transaction contains and whether each is visible at a level. A send that failed for certain, or
// that was never appended and never acknowledged, is no part of it, unless the commit has succeeded: that it does not
// when a send has failed is what commitTransaction promises.
func (x *index) members(t *Txn, l Level, app *Application) []member {
	var out []member
	for i := range x.h.Submissions {
		s := &x.h.Submissions[i]
		if s.Txn != t.ID {
			continue
		}
		appends := x.leaderAppends(s.ID)
		m := member{record: s.Record, words: string(s.Record), tp: s.TP, offset: -1}
		if l == AtLog {
			m.visible, m.offset, m.step = x.visibleInLog(s)
		} else {
			if !slices.Contains(app.Topics, s.TP.Topic) {
				continue
			}
			m.visible, m.offset, m.step = x.seenBy(s, app)
		}
		failed := s.Outcome.Kind == FailedForCertain && t.Outcome == TxnCommitted
		if !m.visible && !failed && (s.Outcome.Kind != Acked && len(appends) == 0 || s.Outcome.Kind == FailedForCertain) {
			continue
		}
		if len(appends) > 0 && m.offset < 0 {
			m.offset, m.step = appends[0].Offset, appends[0].Step
		}
		out = append(out, m)
	}
	if l == AtLog {
		for _, o := range t.Offsets {
			out = append(out, member{words: "the offset of " + o.Group + " in " + o.TP.String(), tp: o.TP, offset: o.Offset, visible: o.Applied, step: o.Step})
		}
	}
	return out
}

func (x *index) visibleInLog(s *Submission) (visible bool, offset int64, step int) {
	for _, e := range x.entries[s.Record] {
		if e.Submission == s.ID {
			return true, e.Offset, e.Step
		}
	}
	return false, -1, 0
}

// seenBy says whether the application got to see the record: visibility is about what poll handed out, and what the
// application then made of it is the matter of the three delivery claims.
func (x *index) seenBy(s *Submission, app *Application) (visible bool, offset int64, step int) {
	for i := range x.h.Reads {
		r := &x.h.Reads[i]
		if r.Application == app.Name && r.Record == s.Record && x.submissionAt(r.TP, r.Offset, r.Record) == s.ID {
			return true, r.Offset, r.Step
		}
	}
	for _, e := range x.effects[s.Record] {
		if e.Application == app.Name && x.submissionAt(e.TP, e.Offset, e.Record) == s.ID {
			return true, e.Offset, e.Step
		}
	}
	return false, -1, 0
}

// judgeAtomic rules that a transaction's records and offsets are visible all or none at the end. It is about the end
// only: a reader may well see one partition's half before the other (faults T22), and Kafka promises nothing else.
func judgeAtomic(x *index, l Level) Verdict {
	v := Verdict{Claim: Atomic, Level: l, Ruling: Holds}
	if l == AtApplication && len(x.h.Applications) == 0 {
		return notObserved(v)
	}
	var all [][]member
	var parts []part
	var whose []*Txn
	waiting := ""
	collect := func(t *Txn, ms []member) {
		p := part{name: string(t.ID)}
		for _, m := range ms {
			p.ops = append(p.ops, instant(x.h.End, atomicOp{m.visible}))
		}
		parts, all, whose = append(parts, p), append(all, ms), append(whose, t)
	}
	for i := range x.h.Txns {
		t := &x.h.Txns[i]
		if l == AtLog {
			collect(t, x.members(t, l, nil))
			continue
		}
		for j := range x.h.Applications {
			collect(t, x.members(t, l, &x.h.Applications[j]))
		}
	}
	for _, i := range x.illegal(atomicModel(), parts) {
		if what, pending := x.torn(all[i]); pending {
			waiting = what
			continue
		}
		v.Ruling, v.Evidence = Violated, explainTorn(l, whose[i], all[i])
		return v
	}
	if waiting != "" {
		v.Ruling = Undecided
		v.Evidence = Evidence{Short: "a transaction is visible in part so far",
			Sentence: "A transaction is visible in part so far, but the run did not come to rest (" + waiting + ")."}
	}
	return v
}

// torn says whether the hidden members may still become visible.
func (x *index) torn(ms []member) (what string, pending bool) {
	for _, m := range ms {
		if m.visible {
			continue
		}
		if what, pending = x.moving(m.record); !pending {
			return "", false
		}
	}
	return what, pending
}

func explainTorn(l Level, t *Txn, ms []member) Evidence {
	var shown, hidden []string
	ev := Evidence{JepsenWord: TornTransaction}
	var steps []int
	for _, m := range ms {
		if m.visible {
			shown = append(shown, m.words)
		} else {
			hidden = append(hidden, m.words)
		}
		if m.record != "" {
			ev.Records = append(ev.Records, m.record)
		}
		if m.offset >= 0 {
			ev.Offsets = append(ev.Offsets, m.offset)
		}
		steps = append(steps, m.step)
	}
	if len(ms) > 0 {
		ev.Partition = ms[0].tp.String()
	}
	ev.Steps = decisive(append(steps, t.DecidedStep)...)
	where, see := "in the log", "visible"
	if l == AtApplication {
		where, see = "at the application", "seen"
	}
	ev.Short = string(t.ID) + " torn: " + and(shown) + " " + see + ", " + and(hidden) + " not"
	ev.Sentence = "Transaction " + string(t.ID) + " is torn " + where + ": " + and(shown) + " " + verb(len(shown), "is ", "are ") + see +
		", and " + and(hidden) + " " + verb(len(hidden), "is", "are") + " not."
	return ev
}
