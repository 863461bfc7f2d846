package trial

import (
	"testing"

	"kafkatrial/checker"
	"kafkatrial/scenarios"
)

// What can happen to a transaction up to 3.9, told from what is in the logs in the end and what coordinators decided when.

// happened says that one of them did in a run.
func happened(r *scenarios.Run, what func(*checker.History) bool) bool {
	h := r.History()
	return what(&h)
}

// seekFrom is Seek that begins with a chosen seed, near which a witness is known, and goes on to others.
func seekFrom(t *testing.T, p Property, first int) *Trial {
	t.Helper()
	for seed := first; seed < first+1500; seed++ {
		if trial := p.Run(seed); len(trial.Findings) > 0 {
			found := p.shrunk(trial, quick)
			t.Logf("seed %d is a witness:\n%s", seed, found.tell())
			return found
		}
	}
	t.Fatalf("none of 1500 runs is a witness that this is wrong: %s", p.Says)
	return nil
}

// hanging says that at the end a log holds a record of a transaction that nobody will ever end, and that was aborted: the
// run has come to rest, and no transaction is open by then but this one, of which the coordinator does not know.
func hanging(h *checker.History) bool {
	of := transactionOf(h)
	for _, l := range h.Logs {
		for _, e := range l.Entries {
			if t := of[e.Submission]; t != nil && e.Fate == checker.Unmarked && t.Decided != checker.TxnCommitted {
				return true
			}
		}
	}
	return false
}

func transactionOf(h *checker.History) map[checker.SubmissionID]*checker.Txn {
	byID := map[checker.TxnID]*checker.Txn{}
	for i := range h.Txns {
		byID[h.Txns[i].ID] = &h.Txns[i]
	}
	of := map[checker.SubmissionID]*checker.Txn{}
	for _, s := range h.Submissions {
		of[s.ID] = byID[s.Txn]
	}
	return of
}

// lateProduceJoins says that a record of a transaction which was aborted was appended after that, and committed with
// another transaction.
func lateProduceJoins(h *checker.History) bool {
	of := transactionOf(h)
	for _, l := range h.Logs {
		for _, e := range l.Entries {
			if t := of[e.Submission]; t != nil && e.Fate == checker.MarkedCommitted && t.Decided == checker.TxnAborted && e.Step > t.DecidedStep {
				return true
			}
		}
	}
	return false
}

// lateEnd says that the coordinator has ended a transaction otherwise than its application asked for: it committed it
// before that was asked for, or aborted what the application was told is committed.
func lateEnd(h *checker.History) bool {
	for _, t := range h.Txns {
		switch {
		case t.Decided == checker.TxnCommitted && (t.CommitAsked == 0 || t.DecidedStep < t.CommitAsked):
			return true
		case t.Decided == checker.TxnAborted && t.Outcome == checker.TxnCommitted:
			return true
		}
	}
	return false
}

// takenForAnother says that a record of a committed transaction is in no log, although a leader has acknowledged it: it
// bore the numbers of another, which was aborted.
func takenForAnother(h *checker.History) bool {
	of := transactionOf(h)
	for _, s := range h.Submissions {
		t := of[s.ID]
		if t == nil || s.Outcome.Kind != checker.Acked || t.Outcome != checker.TxnCommitted || t.Decided != checker.TxnCommitted {
			continue
		}
		appended := false
		for _, a := range h.Appends {
			appended = appended || a.Submission == s.ID
		}
		if !appended {
			return true
		}
	}
	return false
}
