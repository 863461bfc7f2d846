package checker

import (
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
	words  string
	free   bool
	undone bool
}

// glimpses lists who saw records of the transaction: at the log, entries that the final log has as committed; at the
// application, what consumers were handed.
func (x *index) glimpses(t *Txn, l Level) []glimpse {
	var out []glimpse
	if l == AtLog {
		for _, tp := range x.partitions {
			if log := x.logs[tp]; log != nil {
				for _, e := range x.wholeLog(log) {
					if s := x.bySub[e.Submission]; s != nil && s.Txn == t.ID && e.Fate == MarkedCommitted {
						out = append(out, glimpse{e.Record, tp, e.Offset, x.h.End, "is committed in " + tp.String() + " " + atOffsets(e.Offset), false, false})
					}
				}
			}
		}
		return out
	}
	for i := range x.h.Reads {
		r := &x.h.Reads[i]
		if s := x.bySub[x.submissionAt(r.TP, r.Offset, r.Record)]; s != nil && s.Txn == t.ID {
			words := "was read by " + r.Consumer + " (" + r.Isolation.String() + ") " + inSteps(r.Step)
			out = append(out, glimpse{r.Record, r.TP, r.Offset, r.Step, words, r.Isolation == ReadUncommitted, x.undone(r.TP, r.Offset, s.ID)})
		}
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
	seen := make([][]glimpse, len(x.h.Txns))
	for i := range x.h.Txns {
		t := &x.h.Txns[i]
		parts[i].name = string(t.ID)
		seen[i] = x.glimpses(t, l)
		if t.CommitAsked > 0 {
			parts[i].ops = append(parts[i].ops, instant(t.CommitAsked, txnOp{kind: opAsk}))
		}
		if t.doomed() && (x.h.Quiescence.Reached || t.Outcome == TxnAborted) {
			parts[i].ops = append(parts[i].ops, instant(0, txnOp{kind: opDoom})) // it was settled from the outset
		}
		for _, g := range seen[i] {
			parts[i].ops = append(parts[i].ops, instant(max(g.step, 1), txnOp{kind: opSee, free: g.free, undone: g.undone}))
		}
	}
	if bad := x.illegal(txnModel(), parts); len(bad) > 0 {
		v.Ruling = Violated
		v.Evidence = x.explainAbortedRead(&x.h.Txns[bad[0]], seen[bad[0]])
	}
	return v
}

func (x *index) explainAbortedRead(t *Txn, seen []glimpse) Evidence {
	var ev Evidence
	for _, g := range seen {
		if !t.doomed() && !g.undone && (g.free || g.step >= t.CommitAsked) {
			continue
		}
		ev.Records = appendNew(ev.Records, g.record)
		if ev.Sentence != "" {
			continue
		}
		ev.Partition, ev.Offsets = g.tp.String(), []int64{g.offset}
		ev.Sentence = string(g.record) + " " + g.words + ", "
		switch {
		case t.Outcome == TxnAborted:
			ev.JepsenWord = AbortedRead
			ev.Sentence += "but its transaction " + string(t.ID) + " was aborted " + inSteps(t.OutcomeStep) + "."
			ev.Steps = decisive(g.step, t.OutcomeStep)
			ev.Short = string(g.record) + " of the aborted " + string(t.ID) + " seen"
		case t.doomed():
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
	return ev
}
