package checker

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawDeliveries makes a small history of arbitrary submissions and effects, with no regard to how it could come about.
func drawDeliveries(t *rapid.T) History {
	h := History{Applications: shop, Quiescence: rested, End: 12}
	var entries []Entry
	for r := range rapid.IntRange(1, 3).Draw(t, "records") {
		record := RecordID(fmt.Sprintf("m%d", r))
		for s := range rapid.IntRange(0, 2).Draw(t, "submissions") {
			send := rapid.IntRange(1, 8).Draw(t, "send")
			h.Submissions = append(h.Submissions, Submission{
				ID: SubmissionID(fmt.Sprintf("%s#%d", record, s)), Record: record, Producer: "p", TP: orders, SendStep: send,
				Outcome: Outcome{Kind: OutcomeKind(rapid.IntRange(0, 2).Draw(t, "outcome")), Offset: -1, Step: rapid.IntRange(send, 9).Draw(t, "answer")},
			})
		}
		for range rapid.IntRange(0, 2).Draw(t, "entries") {
			entries = append(entries, Entry{Offset: int64(len(entries)), Submission: SubmissionID(record) + "#0", Record: record, Step: rapid.IntRange(1, 10).Draw(t, "step")})
		}
		for range rapid.IntRange(0, 2).Draw(t, "effects") {
			h.Effects = append(h.Effects, effect(record, 0, rapid.IntRange(1, 10).Draw(t, "processed")))
		}
	}
	h.Logs = ordersLog(entries...)
	return h
}

// naiveDelivery is the table of the package comment, word for word.
func naiveDelivery(h History, r RecordID, effects []int, ru rule) Ruling {
	acked, possible := false, false
	for _, s := range h.Submissions {
		acked = acked || s.Record == r && s.Outcome.Kind == Acked
		possible = possible || s.Record == r && s.Outcome.Kind != FailedForCertain
	}
	for _, at := range effects {
		if !slices.ContainsFunc(h.Submissions, func(s Submission) bool {
			return s.Record == r && possible && s.SendStep <= at
		}) {
			return Violated
		}
	}
	if acked && len(effects) == 0 && !ru.mayMiss || len(effects) > 1 && !ru.mayDouble {
		return Violated
	}
	return Holds
}

func TestDeliveryMatchesNaiveDefinition(t *testing.T) {
	rules := map[Claim]rule{AtMostOnce: {mayMiss: true}, AtLeastOnce: {mayDouble: true}, ExactlyOnce: {}}
	rapid.Check(t, func(t *rapid.T) {
		h := drawDeliveries(t)
		report := Judge(h, Options{})
		for _, c := range []Claim{AtMostOnce, AtLeastOnce, ExactlyOnce} {
			log, app := Holds, Holds
			for i := range 3 {
				r := RecordID(fmt.Sprintf("m%d", i))
				var inLog, byApp []int
				for _, e := range h.Logs[0].Entries {
					if e.Record == r {
						inLog = append(inLog, e.Step)
					}
				}
				for _, e := range h.Effects {
					if e.Record == r {
						byApp = append(byApp, e.Step)
					}
				}
				log, app = worse(log, naiveDelivery(h, r, inLog, rules[c])), worse(app, naiveDelivery(h, r, byApp, rules[c]))
			}
			for l, naive := range map[Level]Ruling{AtLog: log, AtApplication: app} {
				v, _ := report.Find(c, l)
				if v.Ruling != naive {
					t.Fatalf("%s at the %s: %s, by the naive definition %s", c, l, v.Ruling, naive)
				}
				if v.Ruling == Violated && (v.Evidence.Sentence == "" || len(v.Evidence.Records) == 0) {
					t.Fatalf("%s at the %s is violated without evidence", c, l)
				}
			}
		}
	})
}

// naiveOp is an operation on a log for the naive search.
type naiveOp struct {
	kind      logOpKind
	record    RecordID
	offset    int64 // -1: any
	call, ret int
	optional  bool // an append that may never have happened
	final     []RecordID
}

// drawLogHistory lets operations happen one after the other on a log, widens each to an interval, and then may spoil
// one answer.
func drawLogHistory(t *rapid.T) History {
	h := History{Quiescence: rested, End: 40}
	var log []Entry
	now := 3
	for i := range rapid.IntRange(1, 6).Draw(t, "operations") {
		now += rapid.IntRange(1, 3).Draw(t, "pause")
		call, ret := max(1, now-rapid.IntRange(0, 5).Draw(t, "early")), now+rapid.IntRange(0, 5).Draw(t, "late")
		switch rapid.SampledFrom([]string{"append", "append", "append", "read", "end"}).Draw(t, "operation") {
		case "append":
			r := RecordID(fmt.Sprintf("m%d", i))
			s := sub(r, call, int64(len(log)), ret)
			happened := true
			switch rapid.SampledFrom([]string{"acked", "acked", "unknown", "unknown", "vain", "failed"}).Draw(t, "outcome") {
			case "unknown":
				s.Outcome = Outcome{Kind: Unknown, Offset: -1, Step: ret}
			case "vain":
				s.Outcome, happened = Outcome{Kind: Unknown, Offset: -1, Step: ret}, false
			case "failed":
				s.Outcome, happened = Outcome{Kind: FailedForCertain, Offset: -1, Step: ret}, false
			}
			h.Submissions = append(h.Submissions, s)
			if happened {
				h.Appends = append(h.Appends, written(1, r, int64(len(log)), now))
				log = append(log, entry(r, int64(len(log)), now))
			}
		case "read":
			if len(log) > 0 {
				e := log[rapid.IntRange(0, len(log)-1).Draw(t, "which")]
				h.Reads = append(h.Reads, Read{Consumer: "c", TP: orders, Offset: e.Offset, Record: e.Record, Call: call, Step: ret})
			}
		case "end":
			h.EndOffsets = append(h.EndOffsets, EndOffset{Consumer: "c", TP: orders, Offset: int64(len(log)), Call: call, Step: ret})
		}
	}
	h.Logs = ordersLog(log...)
	spoil(t, &h)
	return h
}

// spoil changes one thing that somebody was told.
func spoil(t *rapid.T, h *History) {
	shift := int64(rapid.IntRange(-1, 1).Draw(t, "shift"))
	log := h.Logs[0].Entries
	switch rapid.SampledFrom([]string{"nothing", "ack", "read", "end", "drop", "swap", "double", "late"}).Draw(t, "spoil") {
	case "ack":
		if n := len(h.Submissions); n > 0 {
			if s := &h.Submissions[rapid.IntRange(0, n-1).Draw(t, "which")]; s.Outcome.Kind == Acked {
				s.Outcome.Offset = max(0, s.Outcome.Offset+shift)
			}
		}
	case "read":
		if n := len(h.Reads); n > 0 {
			h.Reads[rapid.IntRange(0, n-1).Draw(t, "which")].Offset += max(0, shift)
		}
	case "end":
		if n := len(h.EndOffsets); n > 0 {
			e := &h.EndOffsets[rapid.IntRange(0, n-1).Draw(t, "which")]
			e.Offset = max(0, e.Offset+shift)
		}
	case "drop":
		if len(log) > 0 {
			h.Logs[0].Entries = log[:len(log)-1]
		}
	case "swap":
		if len(log) > 1 {
			log[0].Record, log[1].Record = log[1].Record, log[0].Record
			log[0].Submission, log[1].Submission = log[1].Submission, log[0].Submission
		}
	case "double":
		if len(log) > 0 {
			e := log[0]
			e.Offset = int64(len(log))
			h.Logs[0].Entries = append(log, e)
		}
	case "late":
		if n := len(h.Submissions); n > 0 {
			s := &h.Submissions[n-1]
			s.SendStep, s.Outcome.Step = 30, 31
		}
	}
}

// naiveOps takes the history at its word: an unknown append may have happened, at any offset.
func naiveOps(h History) []naiveOp {
	var ops []naiveOp
	for _, s := range h.Submissions {
		switch s.Outcome.Kind {
		case Acked:
			ops = append(ops, naiveOp{kind: opAppend, record: s.Record, offset: s.Outcome.Offset, call: s.SendStep, ret: s.Outcome.Step})
		case Unknown:
			ops = append(ops, naiveOp{kind: opAppend, record: s.Record, offset: -1, call: s.SendStep, ret: h.End + 1, optional: true})
		}
	}
	for _, r := range h.Reads {
		ops = append(ops, naiveOp{kind: opRead, record: r.Record, offset: r.Offset, call: r.Call, ret: r.Step})
	}
	for _, e := range h.EndOffsets {
		ops = append(ops, naiveOp{kind: opEndOffset, offset: e.Offset, call: e.Call, ret: e.Step})
	}
	final := naiveOp{kind: opFinal, call: h.End + 2, ret: h.End + 2}
	for _, e := range h.Logs[0].Entries {
		final.final = append(final.final, e.Record)
	}
	return append(ops, final)
}

// naiveLegal tries every order that respects time, with a plain list as the log, and every subset of the unknown.
func naiveLegal(ops []naiveOp, log []RecordID) bool {
	done := true
	for _, o := range ops {
		done = done && o.optional
	}
	if done {
		return true
	}
	for i, o := range ops {
		if slices.ContainsFunc(ops, func(p naiveOp) bool { return !p.optional && p.ret < o.call }) {
			continue // another must come first
		}
		rest := slices.Delete(slices.Clone(ops), i, i+1)
		switch o.kind {
		case opAppend:
			if (o.offset < 0 || o.offset == int64(len(log))) && naiveLegal(rest, append(slices.Clone(log), o.record)) {
				return true
			}
		case opRead:
			if o.offset < int64(len(log)) && log[o.offset] == o.record && naiveLegal(rest, log) {
				return true
			}
		case opEndOffset:
			if o.offset == int64(len(log)) && naiveLegal(rest, log) {
				return true
			}
		case opFinal:
			if slices.Equal(o.final, log) {
				return true
			}
		}
	}
	return false
}

func TestLinearizableMatchesNaiveSearch(t *testing.T) {
	count := map[Ruling]int{}
	rapid.Check(t, func(t *rapid.T) {
		h := drawLogHistory(t)
		naive := Violated
		if naiveLegal(naiveOps(h), nil) {
			naive = Holds
		}
		v, _ := Judge(h, Options{Claims: []Claim{Linearizable}}).Find(Linearizable, AtLog)
		if v.Ruling != naive {
			t.Fatalf("%s, by the naive search %s: %s", v.Ruling, naive, v.Evidence.Sentence)
		}
		if v.Ruling == Violated && v.Evidence.Sentence == "" {
			t.Fatal("violated without a sentence")
		}
		count[v.Ruling]++
	})
	if count[Holds] == 0 || count[Violated] == 0 {
		t.Errorf("the histories are one-sided: %v", count)
	}
}

// naiveOrdered compares every pair of first occurrences.
func TestOrderedMatchesNaiveDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := History{Quiescence: rested, End: 30}
		n := rapid.IntRange(1, 5).Draw(t, "records")
		for i := range n {
			s := sub(RecordID(fmt.Sprintf("m%d", i)), i+1, -1, 20)
			s.Producer = rapid.SampledFrom([]string{"p", "q"}).Draw(t, "producer")
			h.Submissions = append(h.Submissions, s)
		}
		var entries []Entry
		for i, which := range rapid.SliceOfN(rapid.IntRange(0, n-1), 1, 6).Draw(t, "log") {
			entries = append(entries, entry(h.Submissions[which].Record, int64(i), 20))
		}
		h.Logs = ordersLog(entries...)
		naive := Holds
		for i, later := range entries {
			for j, earlier := range entries[:i] {
				first := func(k int) bool {
					return !slices.ContainsFunc(entries[:k], func(e Entry) bool { return e.Record == entries[k].Record })
				}
				a := slices.IndexFunc(h.Submissions, func(s Submission) bool { return s.Record == earlier.Record })
				b := slices.IndexFunc(h.Submissions, func(s Submission) bool { return s.Record == later.Record })
				if first(i) && first(j) && a > b && h.Submissions[a].Producer == h.Submissions[b].Producer {
					naive = Violated
				}
			}
		}
		v, _ := Judge(h, Options{Claims: []Claim{Ordered}}).Find(Ordered, AtLog)
		if v.Ruling != naive || v.Ruling == Violated && v.Evidence.Sentence == "" {
			t.Fatalf("%s, by the naive definition %s (%q)", v.Ruling, naive, v.Evidence.Sentence)
		}
	})
}

// What the live line calls violated stays violated, and the final verdict agrees.
func TestViolatedSoFarIsFinal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawDeliveries(t)
		live, report := NewLive(&h), Judge(h, Options{})
		was := map[Claim]bool{}
		for step := 0; step <= h.End; step++ {
			for _, s := range live.At(step) {
				if was[s.Claim] && s.State != ViolatedSoFar {
					t.Fatalf("%s was violated before step %d and is now %q", s.Claim, step, s.State)
				}
				was[s.Claim] = s.State == ViolatedSoFar
			}
		}
		for c, v := range was {
			if sum, _ := report.Overall(c); v && sum != Violated {
				t.Fatalf("%s is violated so far, but %s at the end", c, sum)
			}
		}
	})
}

// A verdict is a function of the history: no goroutine and no map may show in it.
func TestJudgeIsDeterministic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawDeliveries(t)
		first := fmt.Sprint(Judge(h, Options{}))
		for range 5 {
			if again := fmt.Sprint(Judge(h, Options{})); again != first {
				t.Fatalf("two rulings on one history:\n%s\n%s", first, again)
			}
		}
	})
}
