package checker

import (
	"slices"
	"testing"
)

// Each case guards one rule of the checker itself: without the rule, the ruling would be another.
func TestGuards(t *testing.T) {
	committed := Txn{CommitAsked: 5, Outcome: TxnCommitted, OutcomeStep: 8, Decided: TxnCommitted, DecidedStep: 6}
	aborted := Txn{AbortAsked: 5, Outcome: TxnAborted, OutcomeStep: 8, Decided: TxnAborted, DecidedStep: 6}
	for _, c := range []struct {
		name   string
		h      History
		claim  Claim
		level  Level
		ruling Ruling
	}{
		{"an unknown append that nobody saw lies below one that was acknowledged", History{
			Submissions: []Submission{timedOut("m1", 1, 5), sub("m2", 1, 1, 6)},
			Appends:     []Append{written(1, "m1", 0, 2), written(1, "m2", 1, 2)}, End: 9,
		}, Linearizable, AtLog, Undecided},
		{"offsets below the log start are gone with their records", edit(smooth(), func(h *History) {
			h.Logs = []Log{{TP: orders, Leader: 1, Start: 1, Entries: []Entry{entry("m2", 1, 2)}}}
		}), Linearizable, AtLog, Holds},
		{"what was readable below the log start need not be", edit(smooth(), func(h *History) {
			h.Logs = []Log{{TP: orders, Leader: 1, Start: 1, Entries: []Entry{entry("m2", 1, 2)}}}
		}), MonotonicRead, AtApplication, Holds},
		{"a transaction marker takes the place of a record", edit(smooth(), func(h *History) {
			h.Logs = ordersLog(entry("m1", 0, 2), Entry{Offset: 1, Control: true, Record: "m2"})
		}), MonotonicRead, AtApplication, Violated},
		{"a marker is no record", edit(txnTrial(committed, MarkedCommitted, MarkedCommitted), func(h *History) {
			h.Logs[0].Entries[1].Record, h.Logs[0].Entries[1].Submission = "x", "x#1"
		}), AtMostOnce, AtLog, Holds},
		{"a run that is cut off, by nothing in particular", edit(kip101(), func(h *History) {
			h.Cuts, h.Quiescence = nil, Quiescence{}
		}), AtLeastOnce, AtLog, Undecided},
		{"the abort was asked for after the commit was decided, and refused: the records are visible", txnTrial(
			Txn{AbortAsked: 7, Outcome: TxnUnknown, OutcomeStep: 8, Decided: TxnCommitted, DecidedStep: 6}, MarkedCommitted, MarkedCommitted),
			NoAbortedRead, AtLog, Violated},
		{"and by the abort that was asked for they failed for certain", txnTrial(
			Txn{AbortAsked: 7, Outcome: TxnUnknown, OutcomeStep: 8, Decided: TxnCommitted, DecidedStep: 6}, MarkedCommitted, MarkedCommitted),
			ExactlyOnce, AtLog, Violated},
		{"a zombie processes in a transaction that is aborted", edit(smooth(), func(h *History) {
			h.Grants = []Grant{{Office: OwnerOffice, Name: "shop", TP: orders, Epoch: 1, Holder: "c", Step: 2}, {Office: OwnerOffice, Name: "shop", TP: orders, Epoch: 2, Holder: "d", Step: 10}}
			h.Txns = []Txn{{ID: "t1", Begin: 20, AbortAsked: 24, Outcome: TxnAborted, OutcomeStep: 25, Decided: TxnAborted, DecidedStep: 25}}
			h.Effects = slices.Clone(h.Effects)
			h.Effects[0].Generation, h.Effects[0].Txn = 1, "t1"
		}), Fenced, AtApplication, Holds},
		{"a send that never got anywhere is no part of its transaction", edit(txnTrial(committed, MarkedCommitted, MarkedCommitted), func(h *History) {
			h.Submissions[1].Outcome = Outcome{Kind: Unknown, Offset: -1}
			h.Txns[0].Outcome = TxnUnknown
			h.Logs = h.Logs[:1]
		}), Atomic, AtLog, Holds},
		{"one marker is still on its way", edit(txnTrial(committed, MarkedCommitted, Unmarked), func(h *History) {
			h.Quiescence = Quiescence{Moving: []Motion{{What: "the marker for payments-0"}}}
		}), Atomic, AtLog, Undecided},
		{"one marker never came", txnTrial(committed, MarkedCommitted, Unmarked), Atomic, AtLog, Violated},
		{"a send waits for its answer when the run is cut off", edit(smooth(), func(h *History) {
			h.Submissions = append(h.Submissions, Submission{ID: "m3#1", Record: "m3", Producer: "p", TP: orders, SendStep: 28})
			h.Quiescence = Quiescence{Moving: []Motion{{What: "p waits for b1"}}}
		}), Available, AtLog, Undecided},
		{"a loop's send has failed, and the loop may come to it again when the run is cut off", edit(writingHistory(), func(h *History) {
			h.Submissions = append(h.Submissions, made("m2", 22, Outcome{Kind: FailedForCertain, Offset: -1, Error: "NOT_ENOUGH_REPLICAS", Step: 24}, ""))
			h.Quiescence = Quiescence{Moving: []Motion{{What: "c waits for b1"}}}
		}), Available, AtLog, Undecided},
		{"a script's send has failed, and nobody sends it again", edit(smooth(), func(h *History) {
			h.Submissions = append(h.Submissions, timedOut("m3", 3, 28))
			h.Quiescence = Quiescence{Moving: []Motion{{What: "c waits for b1"}}}
		}), Available, AtLog, Violated},
		{"an aborted transaction is not for want of answers", txnTrial(aborted, MarkedAborted, MarkedAborted), Available, AtLog, Holds},
		{"an open transaction is read at read_uncommitted when the run is cut off", edit(txnTrial(Txn{}, Unmarked, Unmarked), func(h *History) {
			h.Reads = []Read{read("x", 0, 4)}
			h.Quiescence = Quiescence{}
		}), NoAbortedRead, AtApplication, Undecided},
		{"a record of an aborted transaction has no place in the order", edit(smooth(), func(h *History) {
			h.Logs = ordersLog(entry("m2", 0, 2).fate(MarkedAborted), entry("m1", 1, 2))
		}), Ordered, AtLog, Holds},
		{"a record expired before the consumer came", edit(smooth(), func(h *History) {
			h.Logs = []Log{{TP: orders, Leader: 1, Start: 1, Entries: []Entry{entry("m2", 1, 2)}, Expired: []Expiry{{Entry: entry("m1", 0, 2), Cause: Retention, Step: 15}}}}
			h.Effects, h.Reads = h.Effects[1:], h.Reads[1:]
		}), Available, AtApplication, Holds},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, ok := Judge(c.h, Options{Claims: []Claim{c.claim}}).Find(c.claim, c.level)
			if !ok || v.Ruling != c.ruling {
				t.Errorf("%s at the %s: %s, expected %s (%s)", c.claim, c.level, v.Ruling, c.ruling, v.Evidence.Sentence)
			}
		})
	}
}

// One record is doubled and another lost: exactly-once then fails for a reason of its own, and must say it.
func TestExactlyOnceRefersOnlyToTheSameReason(t *testing.T) {
	h := smooth()
	h.Logs = ordersLog(entry("m1", 0, 2), entry("m1", 1, 7))
	v, _ := Judge(h, Options{}).Find(ExactlyOnce, AtLog)
	const want = "m1 is in orders-0 twice, at offsets 0 and 1, appended in steps 2 and 7; m2 is affected too."
	if v.Evidence.As != "" || v.Evidence.Sentence != want {
		t.Errorf("as %q: %s", v.Evidence.As, v.Evidence.Sentence)
	}
}

// The live line knows that an aborted transaction's copies and effects are none.
func TestLiveLineLeavesAbortedTransactionsOut(t *testing.T) {
	h := smooth()
	first := sub("m1", 1, 0, 2).in("t1").again("0")
	h.Submissions = append([]Submission{first}, h.Submissions...)
	h.Txns = []Txn{{ID: "t1", Begin: 1, AbortAsked: 3, Outcome: TxnAborted, OutcomeStep: 4, Decided: TxnAborted, DecidedStep: 4}}
	old := written(1, "m1", 7, 2)
	old.Submission = first.ID
	h.Appends = append([]Append{old}, h.Appends...)
	undone := effect("m1", 7, 3)
	undone.Txn = "t1"
	h.Effects = append([]Effect{undone}, h.Effects...)
	s := SoFar(h, 30)
	if s[0].State != HoldsSoFar || s[1].State != HoldsSoFar {
		t.Errorf("%v", s)
	}
	h.Cuts = []Cut{{TP: orders, Broker: 1, From: 0, To: 2, Step: 12}, {TP: orders, Broker: 2, From: 0, To: 2, Step: 12}}
	if got, want := SoFar(h, 12)[1].String(), "at-least-once: at risk m1 m2 (acknowledged, in no log)"; got != want {
		t.Errorf("%q, expected %q", got, want)
	}
}

// The newest owner need not be the one that has gone furthest.
func TestOrderedAlwaysHasEvidence(t *testing.T) {
	h := smooth()
	by := func(e Effect, consumer string, generation int) Effect {
		e.Consumer, e.Generation = consumer, generation
		return e
	}
	h.Effects = []Effect{by(effect("m1", 0, 21), "e", 3), by(effect("m2", 1, 22), "d", 2), by(effect("m1", 0, 23), "c", 1)}
	v, _ := Judge(h, Options{}).Find(Ordered, AtApplication)
	const want = "m1 was processed again by c, an owner of an older generation, in step 23, after d had gone on to m2 in step 22."
	if v.Ruling != Violated || v.Evidence.Sentence != want {
		t.Errorf("%s: %q", v.Ruling, v.Evidence.Sentence)
	}
}
