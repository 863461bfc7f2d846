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

// sights says where each submission became visible, made once per level and application.
type sights map[SubmissionID]sight

type sight struct {
	offset int64
	step   int
}

func (ss sights) note(id SubmissionID, offset int64, step int) {
	if _, old := ss[id]; !old && id != "" {
		ss[id] = sight{offset, step}
	}
}

// sightsInLogs lists what the final logs hold.
func (x *index) sightsInLogs() sights {
	out := make(sights)
	for _, r := range x.records {
		for _, e := range x.entries[r] {
			out.note(e.Submission, e.Offset, e.Step)
		}
	}
	return out
}

// sightsBy lists what an application got to see: visibility is about what poll handed out, and what the application then
// made of it is the matter of the three delivery claims.
func (x *index) sightsBy(app *Application) sights {
	out := make(sights)
	for i := range x.h.Reads {
		if r := &x.h.Reads[i]; r.Application == app.Name {
			out.note(x.submissionAt(r.TP, r.Offset, r.Record), r.Offset, r.Step)
		}
	}
	for i := range x.h.Effects {
		if e := &x.h.Effects[i]; e.Application == app.Name {
			out.note(x.submissionAt(e.TP, e.Offset, e.Record), e.Offset, e.Step)
		}
	}
	return out
}

// removed lists the submissions whose records a topic's own policy removed.
func (x *index) removed() map[SubmissionID]bool {
	out := make(map[SubmissionID]bool)
	for i := range x.h.Logs {
		for _, e := range x.h.Logs[i].Expired {
			out[e.Submission] = true
		}
	}
	return out
}

// sentIn lists the submissions of each transaction.
func (x *index) sentIn() map[TxnID][]*Submission {
	out := make(map[TxnID][]*Submission)
	for i := range x.h.Submissions {
		if s := &x.h.Submissions[i]; s.Txn != "" {
			out[s.Txn] = append(out[s.Txn], s)
		}
	}
	return out
}

// lens is what transactions are looked at through: the final logs, or an application.
type lens struct {
	app     *Application // nil: the logs
	seen    sights
	removed map[SubmissionID]bool
}

// lenses lists what a level looks through.
func (x *index) lenses(l Level) []lens {
	if l == AtLog {
		return []lens{{seen: x.sightsInLogs()}}
	}
	var all []lens
	removed := x.removed()
	for i := range x.h.Applications {
		app := &x.h.Applications[i]
		all = append(all, lens{app, x.sightsBy(app), removed})
	}
	return all
}

// members lists what a transaction contains and whether each is visible. A send that failed for certain, or
// that was never appended and never acknowledged, is no part of it, unless the commit has succeeded: that it does not
// when a send has failed is what commitTransaction promises. Nor is, at an application, a record that it has not seen and
// that the topic's policy removed: it came too late for that, and nothing was torn.
func (x *index) members(t *Txn, sent []*Submission, through lens) []member {
	var out []member
	for _, s := range sent {
		if through.app != nil && !slices.Contains(through.app.Topics, s.TP.Topic) {
			continue
		}
		appends := x.leaderAppends(s.ID)
		m := member{record: s.Record, words: string(s.Record), tp: s.TP, offset: -1}
		if at, visible := through.seen[s.ID]; visible {
			m.visible, m.offset, m.step = true, at.offset, at.step
		}
		failed := s.Outcome.Kind == FailedForCertain || s.Outcome.Kind != Acked && len(appends) == 0
		if !m.visible && (failed && t.Outcome != TxnCommitted || through.removed[s.ID]) {
			continue
		}
		if len(appends) > 0 && m.offset < 0 {
			m.offset, m.step = appends[0].Offset, appends[0].Step
		}
		out = append(out, m)
	}
	if through.app == nil {
		for _, o := range t.Offsets {
			out = append(out, member{words: "the offset of " + o.Group + " in " + o.TP.String(), tp: o.TP, offset: o.Offset, visible: o.Applied, step: o.Step})
		}
	}
	return out
}

// judgeAtomic rules that a transaction's records and offsets are visible all or none at the end. It is about the end
// only: each partition has its own marker, so a reader may well see one partition's half before the other, and Kafka
// promises nothing else.
func judgeAtomic(x *index, l Level) Verdict {
	v := Verdict{Claim: Atomic, Level: l, Ruling: Holds}
	if l == AtApplication && len(x.h.Applications) == 0 {
		return notObserved(v)
	}
	var all [][]member
	var parts []part
	var whose []*Txn
	waiting := ""
	sent := x.sentIn()
	lenses := x.lenses(l)
	for i := range x.h.Txns {
		t := &x.h.Txns[i]
		for _, through := range lenses {
			ms := x.members(t, sent[t.ID], through)
			p := part{name: string(t.ID), line: true} // the looks commute: whatever their order, all are legal or none
			for _, m := range ms {
				p.ops = append(p.ops, instant(x.h.End, atomicOp{m.visible}))
			}
			parts, all, whose = append(parts, p), append(all, ms), append(whose, t)
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
	ev.Short = string(t.ID) + " torn: " + several(shown) + " " + see + ", " + several(hidden) + " not"
	ev.Sentence = "Transaction " + string(t.ID) + " is torn " + where + ": " + several(shown) + " " + verb(len(shown), "is ", "are ") + see +
		", and " + several(hidden) + " " + verb(len(hidden), "is", "are") + " not."
	return ev
}
