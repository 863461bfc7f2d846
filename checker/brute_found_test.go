package checker

import "testing"

// What the comparison with the second judge has found: histories about which one of the two was wrong.
func TestWhatTheSecondJudgeFound(t *testing.T) {
	owned := func(r RecordID, offset int64, step, generation int) Effect {
		e := effect(r, offset, step)
		e.Generation = generation
		return e
	}
	repeats := func(effects ...Effect) History {
		return edit(smooth(), func(h *History) { h.Effects = effects })
	}
	acksNone := edit(smooth(), func(h *History) { // m1 is acknowledged and never appended, and m2 comes to where it would have come or before that
		h.Submissions[0].Outcome = Outcome{Kind: Acked, Offset: -1, Step: 1}
		h.Submissions[1] = sub("m2", 2, 0, 4)
		h.Appends = []Append{written(1, "m2", 0, 3)}
		h.Logs = ordersLog(entry("m2", 0, 3))
		h.Reads = []Read{read("m2", 0, 20)}
		h.EndOffsets = nil
	})
	before := edit(smooth(), func(h *History) { // m1 is read, cut, and sent again: it is not there until that is acknowledged
		h.Submissions[0].Outcome = Outcome{Kind: Unknown, Offset: -1}
		h.Submissions = append(h.Submissions, sub("m1", 14, 0, 25).again("2"))
		h.Reads = []Read{read("m1", 0, 10)}
		h.EndOffsets = []EndOffset{{Consumer: "c", TP: orders, Offset: 0, Call: 15, Step: 16}}
		h.Submissions = []Submission{h.Submissions[0], h.Submissions[2]}
	})
	torn := edit(smooth(), func(h *History) { // the commit returned, but of m2 nothing was ever appended
		h.Txns = []Txn{{ID: "t1", Producer: "p", Begin: 1, CommitAsked: 5, Outcome: TxnCommitted, OutcomeStep: 9, Decided: TxnCommitted, DecidedStep: 8}}
		h.Submissions = []Submission{sub("m1", 1, 0, 4).in("t1"), timedOut("m2", 1, 4).in("t1")}
		h.Appends = []Append{written(1, "m1", 0, 2)}
		h.Logs = ordersLog(entry("m1", 0, 2).fate(MarkedCommitted))
	})
	forgotten := edit(smooth(), func(h *History) { // a position that a transaction has committed, and of which nobody is told
		h.Txns = []Txn{{ID: "t1", Producer: "p", Begin: 1, CommitAsked: 5, Outcome: TxnCommitted, OutcomeStep: 9, Decided: TxnCommitted, DecidedStep: 8,
			Offsets: []TxnOffset{{Group: "shop", TP: orders, Offset: 2, Applied: true, Written: 4, Step: 4}}}}
		h.OffsetFetches = []OffsetFetch{{Group: "shop", Consumer: "c", TP: orders, Offset: -1, Call: 15, Step: 16}}
		h.Reads, h.EndOffsets = nil, nil
	})
	nowhere := edit(smooth(), func(h *History) { // of two sends of m1 the one that timed out was seen once, where no leader is known to have put it
		h.Quiescence = Quiescence{}
		h.Submissions = []Submission{timedOut("m1", 1, 5), sub("m1", 2, -1, 6).again("2"), sub("m2", 7, -1, 9)}
		h.Appends = []Append{written(1, "m1", 0, 4), written(1, "m2", 1, 8)}
		h.Appends[0].Submission = h.Submissions[1].ID
		h.Logs = ordersLog(entry("m1", 0, 4), entry("m2", 1, 8))
		h.Logs[0].Entries[0].Submission = h.Submissions[1].ID
		h.Reads = []Read{read("m1", 0, 20), read("m2", 1, 21), read("m1", 2, 22)}
		h.EndOffsets = nil
	})
	for _, c := range []struct {
		name  string
		h     History
		claim Claim
		level Level
		want  Ruling
	}{
		{"an older owner repeats what the newer one has just done", repeats(owned("m1", 0, 20, 1), owned("m2", 1, 21, 1), owned("m1", 0, 22, 2), owned("m1", 0, 23, 1)), Ordered, AtApplication, Holds},
		{"an older owner repeats what the newer one has gone beyond", repeats(owned("m1", 0, 20, 1), owned("m1", 0, 21, 2), owned("m2", 1, 22, 2), owned("m1", 0, 23, 1)), Ordered, AtApplication, Violated},
		{"by repeating as well", repeats(owned("m1", 0, 20, 1), owned("m2", 1, 21, 1), owned("m2", 1, 22, 2), owned("m1", 0, 23, 1)), Ordered, AtApplication, Violated},
		{"another record where one that was never appended would have come at the earliest", acksNone, Recent, AtApplication, Holds},
		{"a read of an earlier send at the same offset", before, Recent, AtApplication, Holds},
		{"a committed transaction of which a record was never appended", torn, Atomic, AtLog, Violated},
		{"cut off, and a send that was never answered was seen where nobody is known to have appended it", nowhere, Linearizable, AtLog, Undecided},
		{"a position out of a transaction that is not told", forgotten, MonotonicRead, AtApplication, Violated},
	} {
		v, _ := Judge(c.h, Options{Claims: []Claim{c.claim}}).Find(c.claim, c.level)
		if plain := bruteJudge(&c.h)[bruteKey{c.claim, c.level}]; plain != c.want {
			t.Errorf("%s: %s %s is %q to the second judge, want %q", c.name, c.claim, c.level, plain, c.want)
		}
		if v.Ruling != c.want || v.Ruling == Violated && v.Evidence.Sentence == "" {
			t.Errorf("%s: %s %s is %q (%s), want %q", c.name, c.claim, c.level, v.Ruling, v.Evidence.Sentence, c.want)
		}
	}
}
