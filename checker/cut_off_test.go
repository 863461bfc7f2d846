package checker

import (
	"strings"
	"testing"
)

// openTxn is a transaction of m1, whose record a reader in read_uncommitted has processed. Nobody has said how it ends.
func openTxn(change func(*History)) History {
	return edit(smooth(), func(h *History) {
		h.Submissions[0].Txn = "p.1"
		h.Submissions = append([]Submission{}, h.Submissions...)
		h.Txns = []Txn{{ID: "p.1", Producer: "p", Begin: 1}}
		h.Logs = ordersLog(entry("m1", 0, 2).fate(Unmarked), entry("m2", 1, 2))
		h.Quiescence = Quiescence{Moving: []Motion{{What: "p is in the middle of p.1"}}}
		change(h)
	})
}

// A run that was cut off gives no comfort: every claim that nothing has broken is undecided, and says so. What can not be
// mended any more stays violated.
func TestARunThatWasCutOffHoldsNothing(t *testing.T) {
	for _, trial := range trials {
		h := trial.h
		if !h.Quiescence.Reached {
			continue
		}
		h.Quiescence = Quiescence{}
		for _, v := range Judge(h, Options{}).Verdicts {
			if v.Ruling == Holds || v.Ruling == Undecided && v.Evidence.Sentence == "" {
				t.Errorf("%s: %s at the %s is %s: %q", trial.name, v.Claim, v.Level, v.Ruling, v.Evidence.Sentence)
			}
		}
	}
}

func TestWhatACutOffRunHasDecided(t *testing.T) {
	three := []Claim{AtMostOnce, AtLeastOnce, ExactlyOnce}
	for _, c := range []struct {
		name   string
		h      History
		claims []Claim
		level  Level
		ruling Ruling
		says   string
	}{
		{"the commit of an open transaction may still be asked for", openTxn(func(*History) {}), three, AtApplication, Undecided, ""},
		{"its abort was asked for, and the record was processed", openTxn(func(h *History) { h.Txns[0].AbortAsked = 26 }), three, AtApplication, Violated, "abort"},
		{"its process is gone, and nobody asks any more", openTxn(func(h *History) { h.Txns[0].Abandoned = 26 }), three, AtApplication, Violated, "never asked for"},
		{"it was aborted", openTxn(func(h *History) {
			h.Txns[0].AbortAsked, h.Txns[0].Outcome, h.Txns[0].OutcomeStep = 24, TxnAborted, 26
		}), three, AtApplication, Violated, "aborted"},
		{"the run came to rest, and nobody has asked", openTxn(func(h *History) { h.Quiescence = rested }), three, AtApplication, Violated, "never asked for"},
		{"a commit was asked for and not answered", openTxn(func(h *History) { h.Txns[0].CommitAsked = 26 }), three, AtApplication, Undecided, ""},
		{"two copies below the high watermark", edit(smooth(), func(h *History) {
			h.Logs = ordersLog(entry("m1", 0, 2), entry("m2", 1, 2), entry("m1", 2, 12))
			h.Quiescence = Quiescence{}
		}), []Claim{AtMostOnce, ExactlyOnce}, AtLog, Violated, "twice"},
		{"a second copy that no high watermark has passed", edit(smooth(), func(h *History) {
			h.Appends = append(h.Appends, written(1, "m1", 2, 12))
			h.Quiescence = Quiescence{}
		}), three, AtLog, Undecided, "Nothing that happened breaks it"},
		{"a zombie has acted", edit(smooth(), func(h *History) {
			h.Grants = []Grant{{Office: LeaderOffice, TP: orders, Epoch: 1, Holder: "b1", Step: 1}, {Office: LeaderOffice, TP: orders, Epoch: 2, Holder: "b2", Step: 2}}
			h.Appends = []Append{written(1, "m1", 0, 2), written(1, "m2", 1, 7)}
			h.Logs = ordersLog(entry("m1", 0, 2), entry("m2", 1, 7))
			h.Quiescence = Quiescence{}
		}), []Claim{Fenced}, AtLog, Violated, "b2 became leader"},
		{"records have changed places", edit(smooth(), func(h *History) {
			h.Logs = ordersLog(entry("m2", 0, 2), entry("m1", 1, 2))
			h.Quiescence = Quiescence{}
		}), []Claim{Ordered}, AtLog, Violated, "lies after it"},
		{"a record has not been handed out", edit(smooth(), func(h *History) {
			h.Reads, h.Effects = h.Reads[:1], h.Effects[:1]
			h.Quiescence = Quiescence{}
		}), []Claim{Available}, AtApplication, Undecided, "did not come to rest"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, claim := range c.claims {
				v, _ := Judge(c.h, Options{Claims: []Claim{claim}}).Find(claim, c.level)
				if v.Ruling != c.ruling || !strings.Contains(v.Evidence.Sentence, c.says) {
					t.Errorf("%s: %s, expected %s (%s)", claim, v.Ruling, c.ruling, v.Evidence.Sentence)
				}
			}
		})
	}
}
