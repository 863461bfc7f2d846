package checker

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
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
			v, ok := Judge(c.h, Options{Also: []Claim{Recent}}).Find(Recent, AtApplication)
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
	if v, ok := Judge(History{Quiescence: rested}, Options{Also: []Claim{Recent}}).Find(Recent, AtApplication); !ok || !v.NotObserved {
		t.Errorf("%+v: nobody read anything", v)
	}
}

// drawReaders makes a few sends, and readers who see and miss what was sent at any time.
func drawReaders(t *rapid.T) History {
	h := History{Quiescence: rested, End: 30}
	step := rapid.IntRange(1, 14)
	level := rapid.SampledFrom([]Isolation{ReadUncommitted, ReadCommitted})
	for i := range rapid.IntRange(1, 3).Draw(t, "records") {
		s := sub(name("m", i), step.Draw(t, "send"), int64(i), 0)
		s.Outcome.Step = s.SendStep + rapid.IntRange(0, 5).Draw(t, "until its answer")
		s.Outcome.Kind = rapid.SampledFrom([]OutcomeKind{Acked, Acked, Unknown}).Draw(t, "outcome")
		h.Submissions = append(h.Submissions, s)
	}
	if rapid.Bool().Draw(t, "removed") {
		h.Logs = []Log{{TP: orders, Expired: []Expiry{{Entry: entry("m0", 0, 1), Step: step.Draw(t, "removal")}}}}
	}
	for range rapid.IntRange(0, 3).Draw(t, "reads") {
		s := h.Submissions[rapid.IntRange(0, len(h.Submissions)-1).Draw(t, "which")]
		r := read(s.Record, rapid.SampledFrom([]int64{s.Outcome.Offset, s.Outcome.Offset, 0}).Draw(t, "offset"), 0)
		r.Call, r.Isolation = step.Draw(t, "asked"), level.Draw(t, "level")
		r.Step = max(r.Call+rapid.IntRange(0, 4).Draw(t, "lasts"), s.SendStep)
		h.Reads = append(h.Reads, r)
	}
	for range rapid.IntRange(0, 3).Draw(t, "misses") {
		call := step.Draw(t, "asked")
		e := nothingFrom(rapid.Int64Range(0, 3).Draw(t, "from"), call, call+rapid.IntRange(0, 4).Draw(t, "lasts"))
		e.Isolation = level.Draw(t, "level")
		h.EmptyReads = append(h.EmptyReads, e)
	}
	return h
}

// naiveRecent compares every acknowledgement and every sight with every miss, by the words of docs/claims.md.
func naiveRecent(h *History) Ruling {
	gone := func(offset int64) int {
		for _, l := range h.Logs {
			for _, e := range l.Expired {
				if e.Offset == offset {
					return e.Step
				}
			}
		}
		return h.End + 2
	}
	for _, s := range h.Submissions {
		if s.Outcome.Kind != Acked {
			continue
		}
		at := s.Outcome.Offset
		missed := func(level Isolation, call, step int) bool {
			if step >= gone(at) {
				return false
			}
			return call > s.Outcome.Step || slices.ContainsFunc(h.Reads, func(r Read) bool {
				return r.Record == s.Record && r.Offset == at && r.Isolation >= level && r.Step < call
			})
		}
		for _, e := range h.EmptyReads {
			if e.Offset <= at && missed(e.Isolation, e.Call, e.Step) {
				return Violated
			}
		}
		for _, r := range h.Reads {
			if r.Offset == at && r.Record != s.Record && missed(r.Isolation, r.Call, r.Step) {
				return Violated
			}
		}
	}
	return Holds
}

func TestRecentMatchesNaiveDefinition(t *testing.T) {
	count := map[Ruling]int{}
	rapid.Check(t, func(t *rapid.T) {
		h := drawReaders(t)
		v, _ := Judge(h, Options{Also: []Claim{Recent}}).Find(Recent, AtApplication)
		if naive := naiveRecent(&h); !v.NotObserved && v.Ruling != naive || v.NotObserved && naive == Violated {
			t.Fatalf("%s, by the definition %s: %s", v.Ruling, naive, v.Evidence.Sentence)
		}
		if v.Ruling == Violated && (v.Evidence.Sentence == "" || len(v.Evidence.Records) == 0) {
			t.Fatal("violated without evidence")
		}
		count[v.Ruling]++
	})
	if count[Holds] == 0 || count[Violated] == 0 {
		t.Errorf("the histories are one-sided: %v", count)
	}
}
