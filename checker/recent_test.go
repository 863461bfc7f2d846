package checker

import (
	"reflect"
	"slices"
	"testing"
)

func nothingFrom(offset int64, call, step int) EmptyRead {
	return EmptyRead{Application: "shop", Consumer: "d", Broker: 2, TP: orders, Offset: offset, Call: call, Step: step}
}

func TestRecent(t *testing.T) {
	committed := Txn{CommitAsked: 5, Outcome: TxnCommitted, OutcomeStep: 8, Decided: TxnCommitted, DecidedStep: 6}
	for _, c := range []struct {
		name     string
		h        History
		ruling   Ruling
		sentence string
		steps    []int
	}{
		{"everything is seen", smooth(), Holds, "", nil},
		{"nothing was there when it was asked for, before the acknowledgement", edit(smooth(), func(h *History) {
			h.EmptyReads = []EmptyRead{nothingFrom(0, 9, 14)}
		}), Holds, "", nil},
		{"nothing was there after the acknowledgement", edit(smooth(), func(h *History) {
			h.EmptyReads = []EmptyRead{nothingFrom(0, 3, 8), nothingFrom(1, 10, 12), nothingFrom(0, 10, 13)}
		}), Violated, "m1 was acknowledged at offset 0 in step 9, but d (read_uncommitted), which asked in step 10, was told by b2 in step 13 that there is nothing from offset 0 on.", []int{9, 13}},
		{"there is nothing behind the last record", edit(smooth(), func(h *History) {
			h.EmptyReads = []EmptyRead{nothingFrom(2, 20, 23)}
		}), Holds, "", nil},
		{"the end goes back", edit(smooth(), func(h *History) {
			h.EndOffsets = []EndOffset{{Consumer: "d", TP: orders, Offset: 1, FromFollower: true, Call: 23, Step: 24}}
		}), Violated, "m2 was acknowledged at offset 1 in step 9, but d (read_uncommitted), which asked in step 23, was told in step 24 that the partition ends at 1.", []int{9, 24}},
		{"one has seen it before it was acknowledged, and the next does not", edit(smooth(), func(h *History) {
			h.Submissions = []Submission{sub("m1", 1, 0, 29)}
			h.EmptyReads = []EmptyRead{nothingFrom(0, 22, 24)}
		}), Violated, "c read m1 at offset 0 in step 20, but d (read_uncommitted), which asked in step 22, was told by b2 in step 24 that there is nothing from offset 0 on.", []int{20, 24}},
		{"one in read_uncommitted has seen it, and one in read_committed not yet", edit(smooth(), func(h *History) {
			h.Submissions = []Submission{sub("m1", 1, 0, 29)}
			h.EmptyReads = []EmptyRead{nothingFrom(0, 22, 24)}
			h.EmptyReads[0].Isolation = ReadCommitted
		}), Holds, "", nil},
		{"read_committed, behind an open transaction", edit(smooth(), func(h *History) {
			h.EmptyReads = []EmptyRead{nothingFrom(0, 12, 14)}
			h.EmptyReads[0].Isolation = ReadCommitted
		}), Violated, "m1 was acknowledged at offset 0 in step 9, but d (read_committed), which asked in step 12, was told by b2 in step 14 that there is nothing from offset 0 on.", nil},
		{"a transaction counts from its commit", edit(txnTrial(committed, MarkedCommitted, MarkedCommitted), func(h *History) {
			h.EmptyReads = []EmptyRead{nothingFrom(0, 7, 9)}
		}), Holds, "", nil},
		{"a transaction was committed, and is not there", edit(txnTrial(committed, MarkedCommitted, MarkedCommitted), func(h *History) {
			h.EmptyReads = []EmptyRead{nothingFrom(0, 9, 11)}
		}), Violated, "x was acknowledged by the commit of t1 in step 8, but d (read_uncommitted), which asked in step 9, was told by b2 in step 11 that there is nothing from offset 0 on.", []int{8, 11}},
		{"another record lies where it was", edit(smooth(), func(h *History) {
			h.Reads = []Read{{Application: "shop", Consumer: "d", TP: orders, Offset: 1, Record: "n1", Call: 26, Step: 27}}
		}), Violated, "m2 was acknowledged at offset 1 in step 9, but d read n1 at offset 1 in step 27.", []int{9, 27}},
		{"the topic's policy has removed it", edit(smooth(), func(h *History) {
			h.Logs = []Log{{TP: orders, Leader: 1, Start: 2, Expired: []Expiry{{Entry: entry("m1", 0, 2), Step: 12}, {Entry: entry("m2", 1, 2), Step: 12}}}}
			h.Reads, h.EmptyReads = nil, []EmptyRead{nothingFrom(0, 12, 14)}
		}), Holds, "", nil},
		{"the topic's policy had not yet removed it", edit(smooth(), func(h *History) {
			h.Logs = []Log{{TP: orders, Leader: 1, Start: 2, Expired: []Expiry{{Entry: entry("m1", 0, 2), Step: 15}, {Entry: entry("m2", 1, 2), Step: 15}}}}
			h.Reads, h.EmptyReads = nil, []EmptyRead{nothingFrom(0, 12, 14), nothingFrom(0, 14, 19)}
		}), Violated, "m1 was acknowledged at offset 0 in step 9, but d (read_uncommitted), which asked in step 12, was told by b2 in step 14 that there is nothing from offset 0 on.", []int{9, 14}},
		{"acks=0, and the request is lost", edit(smooth(), func(h *History) {
			h.Submissions = append(h.Submissions, sub("m3", 3, -1, 3))
			h.EmptyReads = []EmptyRead{nothingFrom(2, 5, 6)}
		}), Violated, "m3 was acknowledged in step 3, but d (read_uncommitted), which asked in step 5, was told by b2 in step 6 that there is nothing from offset 2 on.", []int{3, 6}},
		{"an unknown outcome binds nobody", edit(smooth(), func(h *History) {
			h.Submissions = append(slices.Clone(h.Submissions), timedOut("m3", 3, 5))
			h.Appends = append(slices.Clone(h.Appends), written(1, "m3", 2, 4))
			h.EmptyReads = []EmptyRead{nothingFrom(2, 15, 16)}
		}), Holds, "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, ok := Judge(c.h, Options{Recent: true}).Find(Recent, AtApplication)
			if !ok || v.Ruling != c.ruling || v.Evidence.Sentence != c.sentence {
				t.Errorf("%s: %s\nexpected %s: %s", v.Ruling, v.Evidence.Sentence, c.ruling, c.sentence)
			}
			if c.steps != nil && !reflect.DeepEqual(v.Evidence.Steps, c.steps) {
				t.Errorf("steps %v, expected %v", v.Evidence.Steps, c.steps)
			}
		})
	}
}

func TestRecentIsJudgedOnlyWhereItIsAskedFor(t *testing.T) {
	if _, ok := Judge(smooth(), Options{}).Find(Recent, AtApplication); ok {
		t.Error("recent is judged, although nobody asked")
	}
	if v, ok := Judge(History{Quiescence: rested}, Options{Recent: true}).Find(Recent, AtApplication); !ok || !v.NotObserved {
		t.Errorf("%+v: nobody read anything", v)
	}
}
