package checker

import (
	"cmp"
	"slices"

	"github.com/anishathalye/porcupine"
)

type txnOpKind uint8

const (
	opAsk  txnOpKind = iota // the application asks for the commit
	opDoom                  // the transaction must never be visible
	opSee                   // a record of it is seen
)

// txnOp is one operation on one transaction.
type txnOp struct {
	kind txnOpKind
	// free: the reader runs at read_uncommitted and may see records before the commit.
	free bool
	// undone: what is seen was taken back by an abort marker, whoever asked for that.
	undone bool
}

// txnState remembers whether the transaction may be seen.
type txnState struct{ asked, doomed bool }

// txnModel lets a transaction's records be seen only after its commit was asked for, and never if it is aborted.
func txnModel() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return txnState{} },
		Step: func(state, input, _ any) (bool, any) {
			st, op := state.(txnState), input.(txnOp)
			switch op.kind {
			case opAsk:
				st.asked = true
			case opDoom:
				st.doomed = true
			default:
				return !st.doomed && !op.undone && (st.asked || op.free), st
			}
			return true, st
		},
	}
}

// glimpse is one sight of a transaction's record, kept for the evidence.
type glimpse struct {
	record RecordID
	tp     TopicPartition
	offset int64
	step   int
	reader *Read // nil: the final log
	free   bool
	undone bool
}

func (g *glimpse) words() string {
	if r := g.reader; r != nil {
		return "was read by " + r.Consumer + " (" + r.Isolation.String() + ") " + inSteps(r.Step)
	}
	return "is committed in " + g.tp.String() + " " + atOffsets(g.offset)
}

// glimpses lists who saw records of each transaction: at the log, entries that the final log has as committed; at the
// application, what consumers were handed.
func (x *index) glimpses(l Level) map[TxnID][]glimpse {
	out := make(map[TxnID][]glimpse)
	note := func(id SubmissionID, g glimpse) {
		if s := x.bySub[id]; s != nil && s.Txn != "" {
			g.undone = g.reader != nil && x.undone(g.tp, g.offset, s.ID)
			out[s.Txn] = append(out[s.Txn], g)
		}
	}
	if l == AtLog {
		for _, tp := range x.partitions {
			if log := x.logs[tp]; log != nil {
				for _, e := range x.wholeLog(log) {
					if e.Fate == MarkedCommitted {
						note(e.Submission, glimpse{record: e.Record, tp: tp, offset: e.Offset, step: x.h.End})
					}
				}
			}
		}
		return out
	}
	for i := range x.h.Reads {
		r := &x.h.Reads[i]
		note(x.submissionAt(r.TP, r.Offset, r.Record), glimpse{record: r.Record, tp: r.TP, offset: r.Offset, step: r.Step, reader: r, free: r.Isolation == ReadUncommitted})
	}
	return out
}

// undone says that an abort marker stands behind a submission's entry: the coordinator may abort what its application
// meant to commit.
func (x *index) undone(tp TopicPartition, offset int64, s SubmissionID) bool {
	log := x.logs[tp]
	if log == nil {
		return false
	}
	entries := x.wholeLog(log)
	i, found := slices.BinarySearchFunc(entries, offset, func(e Entry, o int64) int { return compareInt64(e.Offset, o) })
	return found && entries[i].Submission == s && entries[i].Fate == MarkedAborted
}

// judgeNoAbortedRead rules that nobody sees a record of a transaction that was aborted, or whose commit was not even
// asked for. A reader at read_uncommitted may see open transactions, but what turns out to be aborted counts for it too.
func judgeNoAbortedRead(x *index, l Level) Verdict {
	v := Verdict{Claim: NoAbortedRead, Level: l, Ruling: Holds}
	if l == AtApplication && len(x.h.Applications) == 0 && len(x.h.Reads) == 0 {
		return notObserved(v)
	}
	parts := make([]part, len(x.h.Txns))
	seen := x.glimpses(l)
	for i := range x.h.Txns {
		t := &x.h.Txns[i]
		parts[i] = x.txnLine(t, seen[t.ID])
	}
	if bad := x.illegal(txnModel(), parts); len(bad) > 0 {
		v.Ruling = Violated
		v.Evidence = x.explainAbortedRead(&x.h.Txns[bad[0]], seen[x.h.Txns[bad[0]].ID])
	}
	return v
}

// txnLine puts what happened to a transaction into the order of time. That it must never be visible was settled from the
// outset. To be seen becomes legal when the commit is asked for, and is never illegal afterwards, so of what happened in one
// step the asking comes first; sights do not mind each other.
func (x *index) txnLine(t *Txn, seen []glimpse) part {
	p := part{name: string(t.ID), line: true}
	if x.doomed(t) {
		p.ops = append(p.ops, instant(0, txnOp{kind: opDoom}))
	}
	if t.CommitAsked > 0 {
		p.ops = append(p.ops, instant(t.CommitAsked, txnOp{kind: opAsk}))
	}
	for _, g := range seen {
		p.ops = append(p.ops, instant(max(g.step, 1), txnOp{kind: opSee, free: g.free, undone: g.undone}))
	}
	slices.SortStableFunc(p.ops, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
	return p
}

func (x *index) explainAbortedRead(t *Txn, seen []glimpse) Evidence {
	var ev Evidence
	var records distinct[RecordID]
	for _, g := range seen {
		if !x.doomed(t) && !g.undone && (g.free || g.step >= t.CommitAsked) {
			continue
		}
		records.add(g.record)
		if ev.Sentence != "" {
			continue
		}
		ev.Partition, ev.Offsets = g.tp.String(), []int64{g.offset}
		ev.Sentence = string(g.record) + " " + g.words() + ", "
		switch {
		case t.Outcome == TxnAborted:
			ev.JepsenWord = AbortedRead
			ev.Sentence += "but its transaction " + string(t.ID) + " was aborted " + inSteps(t.OutcomeStep) + "."
			ev.Steps = decisive(g.step, t.OutcomeStep)
			ev.Short = string(g.record) + " of the aborted " + string(t.ID) + " seen"
		case x.doomed(t):
			ev.JepsenWord = AbortedRead
			why, short := x.notCommitted(t)
			ev.Sentence += "but " + why + "."
			ev.Steps = decisive(t.AbortAsked, g.step)
			ev.Short = string(g.record) + " of " + string(t.ID) + " seen, though " + short
		case g.undone:
			ev.JepsenWord = AbortedRead
			ev.Sentence += "but the coordinator aborted its transaction " + string(t.ID)
			if t.DecidedStep > 0 && t.Decided == TxnAborted {
				ev.Sentence += " " + inSteps(t.DecidedStep)
			}
			ev.Sentence += ", although a commit was asked for."
			ev.Steps = decisive(g.step, t.DecidedStep)
			ev.Short = string(g.record) + " of " + string(t.ID) + " seen, which the coordinator aborted"
		default:
			ev.JepsenWord = PrecommittedRead
			ev.Sentence += "but the commit of its transaction " + string(t.ID) + " was only asked for " + inSteps(t.CommitAsked) + "."
			ev.Steps = decisive(g.step, t.CommitAsked)
			ev.Short = string(g.record) + " seen before the commit of " + string(t.ID)
		}
	}
	ev.Records = records.list
	return ev
}
