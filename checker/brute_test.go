package checker

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
)

// A second judge, plain and slow. It is written from what docs/claims.md says of each claim and shares no code with the first:
// orders are found by trying all of them, and everything else by looking through the history from front to back. It judges the
// three delivery claims, at the log and at applications, and atomic at the log; of runs that were cut off, at-most-once at the
// log. The other claims have no second judge yet.

// bruteOp is an operation with its interval. What it may do, the claim says.
type bruteOp struct {
	what     string // submit, failed, acked, effect, end
	from, to int
}

const bruteEver = 1 << 20

// anyOrder says that some order of all operations respects their intervals and is legal step by step.
func anyOrder(ops []bruteOp, taken []bool, so []bruteOp, legal func(so []bruteOp) bool) bool {
	if !legal(so) {
		return false
	}
	if len(so) == len(ops) {
		return true
	}
	for i := range ops {
		first := !taken[i]
		for k := range ops {
			if !taken[k] && k != i && ops[k].to < ops[i].from {
				first = false
			}
		}
		if first {
			taken[i] = true
			if anyOrder(ops, taken, append(slices.Clone(so), ops[i]), legal) {
				return true
			}
			taken[i] = false
		}
	}
	return false
}

// bruteDelivery is the channel of one record to one place.
func bruteDelivery(ops []bruteOp, mayMiss, mayDouble bool) bool {
	return anyOrder(ops, make([]bool, len(ops)), nil, func(so []bruteOp) bool {
		open, owed, effects := false, false, 0
		for _, o := range so {
			switch o.what {
			case "submit":
				open = true
			case "acked":
				open, owed = true, true
			case "effect":
				if effects++; !open || effects > 1 && !mayDouble {
					return false
				}
			case "end":
				if owed && effects == 0 && !mayMiss {
					return false
				}
			}
		}
		return true
	})
}

// bruteJudge gives the second judge's rulings by claim and level.
func bruteJudge(h *History) map[string]Ruling {
	out := map[string]Ruling{}
	for _, c := range []struct {
		claim              Claim
		mayMiss, mayDouble bool
	}{{AtMostOnce, true, false}, {AtLeastOnce, false, true}, {ExactlyOnce, false, false}} {
		for _, place := range []string{"", "shop", "audit"} {
			level := AtLog
			if place != "" {
				level = AtApplication
			}
			key := string(c.claim) + " at the " + string(level)
			for _, r := range bruteRecords(h) {
				if ok := bruteDelivery(bruteOps(h, r, place), c.mayMiss, c.mayDouble); !ok {
					out[key] = Violated
				} else if out[key] == "" {
					out[key] = Holds
				}
			}
		}
	}
	out["atomic at the log"] = bruteAtomic(h)
	return out
}

func bruteRecords(h *History) (all []RecordID) {
	for _, s := range h.Submissions {
		if !slices.Contains(all, s.Record) {
			all = append(all, s.Record)
		}
	}
	return all
}

func bruteTxn(h *History, id TxnID) *Txn {
	for i := range h.Txns {
		if h.Txns[i].ID == id && id != "" {
			return &h.Txns[i]
		}
	}
	return nil
}

// bruteOps lists a record's submissions, its effects at a place, and the end.
func bruteOps(h *History, r RecordID, place string) (ops []bruteOp) {
	for _, s := range h.Submissions {
		if s.Record != r {
			continue
		}
		o := bruteOp{"submit", s.SendStep, bruteEver}
		kind, at := s.Outcome.Kind, s.Outcome.Step
		if t := bruteTxn(h, s.Txn); t != nil {
			switch {
			case t.Outcome == TxnCommitted:
				kind, at = Acked, t.OutcomeStep
			case !h.Quiescence.Reached && t.CommitAsked+t.AbortAsked+t.Abandoned == 0:
				kind = Unknown // its process may still ask for the commit
			case t.Outcome == TxnAborted || t.CommitAsked == 0:
				kind = FailedForCertain
			default:
				kind = Unknown
			}
		}
		switch kind {
		case Acked:
			o.what, o.to = "acked", at
		case FailedForCertain:
			o.what = "failed"
		}
		ops = append(ops, o)
	}
	// A record failed for certain only if all its submissions did: else each of them may have opened the channel.
	if slices.ContainsFunc(ops, func(o bruteOp) bool { return o.what != "failed" }) {
		for i := range ops {
			if ops[i].what == "failed" {
				ops[i].what = "submit"
			}
		}
	}
	if place == "" {
		for _, l := range h.Logs {
			entries := slices.Clone(l.Entries)
			for _, e := range l.Expired {
				entries = append(entries, e.Entry)
			}
			for _, e := range entries {
				if e.Record == r && !e.Control && (e.Fate == Plain || e.Fate == MarkedCommitted) {
					end := e.Step
					for _, c := range h.Commits {
						if c.TP == l.TP && c.HighWatermark > e.Offset {
							end = max(end, c.Step)
							break
						}
					}
					if t := bruteTxn(h, bruteTxnOf(h, e.Submission)); t != nil {
						end = max(end, t.DecidedStep)
					}
					ops = append(ops, bruteOp{"effect", e.Step, end})
				}
			}
		}
	} else {
		for _, e := range h.Effects {
			if e.Application == place && e.Record == r {
				from := e.Step
				for _, d := range h.Reads {
					if d.Application == place && d.TP == e.TP && d.Offset == e.Offset && d.Step <= e.Step {
						from = d.Step
					}
				}
				ops = append(ops, bruteOp{"effect", from, e.Step})
			}
		}
	}
	if h.Quiescence.Reached {
		ops = append(ops, bruteOp{"end", bruteEver + 1, bruteEver + 1})
	}
	return ops
}

func bruteTxnOf(h *History, id SubmissionID) TxnID {
	for _, s := range h.Submissions {
		if s.ID == id {
			return s.Txn
		}
	}
	return ""
}

// bruteAtomic: of each transaction all records are visible at the end, or none.
func bruteAtomic(h *History) Ruling {
	if len(h.Txns) == 0 {
		return ""
	}
	for _, t := range h.Txns {
		seen, hidden := 0, 0
		for _, s := range h.Submissions {
			if s.Txn != t.ID || s.Outcome.Kind == FailedForCertain && t.Outcome != TxnCommitted {
				continue
			}
			visible, there := false, s.Outcome.Kind == Acked || t.Outcome == TxnCommitted
			for _, l := range h.Logs {
				for _, e := range l.Entries {
					there = there || e.Submission == s.ID
					visible = visible || e.Submission == s.ID && e.Fate == MarkedCommitted
				}
				for _, e := range l.Expired {
					there = there || e.Submission == s.ID
					visible = visible || e.Submission == s.ID && e.Fate == MarkedCommitted
				}
			}
			switch {
			case visible:
				seen++
			case there:
				hidden++
			}
		}
		if seen > 0 && hidden > 0 {
			return Violated
		}
	}
	return Holds
}

// bruteHistory draws a history such as an extraction makes: a few records in two partitions, sent alone, again, in batches of
// one step, and in transactions of every outcome; lost, doubled, removed; read by two groups once, twice or not at all.
func bruteHistory(r *rand.Rand) *History {
	h := &History{Quiescence: rested, Applications: []Application{{Name: "shop", Topics: []string{"orders", "payments"}}, {Name: "audit", Topics: []string{"orders", "payments"}}}}
	logs := []Log{{TP: orders, Leader: 1}, {TP: payments, Leader: 1}}
	step := 1
	txn := TxnID("")
	for i := range 1 + r.IntN(4) {
		if r.IntN(3) == 0 {
			txn = TxnID("t" + strconv.Itoa(i))
			h.Txns = append(h.Txns, Txn{ID: txn, Producer: "p", Begin: step})
		} else if r.IntN(3) > 0 {
			txn = ""
		}
		if t := bruteTxn(h, txn); t != nil && t.CommitAsked+t.AbortAsked > 0 {
			txn = ""
		}
		record := RecordID("m" + strconv.Itoa(1+r.IntN(3)))
		tp := r.IntN(2)
		s := Submission{ID: SubmissionID(fmt.Sprint(record, "#", i)), Record: record, Producer: "p", TP: logs[tp].TP, SendStep: step, Txn: txn, Outcome: Outcome{Kind: OutcomeKind(r.IntN(3)), Offset: -1}}
		appended := step + r.IntN(3)
		copies := [...]int{0, 1, 1, 1, 2}[r.IntN(5)]
		if txn != "" && s.Outcome.Kind == FailedForCertain {
			s.Outcome.Kind = Acked // commitTransaction throws if a send has failed
		}
		if s.Outcome.Kind == FailedForCertain && r.IntN(4) > 0 {
			copies = 0
		}
		for range copies {
			l := &logs[tp]
			e := Entry{Offset: int64(len(l.Entries) + len(l.Expired)), Epoch: 1, Submission: s.ID, Record: record, Step: appended}
			h.Appends = append(h.Appends, Append{TP: l.TP, Broker: 1, AsLeader: true, Epoch: 1, Offset: e.Offset, Submission: s.ID, Record: record, Step: appended})
			if txn != "" {
				e.Fate = Unmarked
			}
			l.Entries = append(l.Entries, e)
			s.Outcome.Offset = e.Offset
			h.Commits = append(h.Commits, Commit{TP: l.TP, Broker: 1, Epoch: 1, HighWatermark: e.Offset + 1, Step: appended + r.IntN(2)})
		}
		if s.Outcome.Kind != Acked {
			s.Outcome.Offset = -1
		}
		s.Outcome.Step = appended + r.IntN(3)
		h.Submissions = append(h.Submissions, s)
		step = appended + r.IntN(3) + 1
		if t := bruteTxn(h, txn); t != nil && r.IntN(2) == 0 {
			step = bruteEnds(r, h, t, logs, step)
		}
	}
	step += 4
	for i := range h.Txns {
		if t := &h.Txns[i]; t.CommitAsked+t.AbortAsked == 0 {
			step = bruteEnds(r, h, t, logs, step)
		}
	}
	slices.SortStableFunc(h.Commits, func(a, b Commit) int { return a.Step - b.Step })
	for i := range logs {
		if n := r.IntN(8); n > 0 && n <= len(logs[i].Entries) { // delete-records
			for _, e := range logs[i].Entries[:n] {
				logs[i].Expired = append(logs[i].Expired, Expiry{Entry: e, Cause: DeleteRecords, Step: step})
			}
			logs[i].Start, logs[i].Entries = int64(n), logs[i].Entries[n:]
		}
	}
	h.Logs = logs
	for _, app := range []string{"shop", "audit"} {
		for _, l := range logs {
			all := slices.Clone(l.Entries)
			for _, e := range l.Expired {
				all = append(all, e.Entry)
			}
			for _, e := range all {
				times := [...]int{0, 1, 1, 1, 1, 1, 1, 2}[r.IntN(8)]
				if (e.Fate == MarkedAborted || e.Fate == Unmarked) && r.IntN(6) > 0 {
					times = 0
				}
				for range times {
					step += r.IntN(2)
					h.Reads = append(h.Reads, Read{Application: app, Consumer: app, TP: l.TP, Offset: e.Offset, Record: e.Record, Step: step})
					step += r.IntN(2)
					h.Effects = append(h.Effects, Effect{Application: app, Consumer: app, TP: l.TP, Offset: e.Offset, Record: e.Record, Step: step})
				}
			}
		}
	}
	h.End = step + 2
	if r.IntN(5) == 0 {
		h.Quiescence = Quiescence{Moving: []Motion{{What: "b1 is starting"}}}
	}
	return h
}

// bruteEnds asks for the end of a transaction and marks its records, one of them, now and then, otherwise than the rest.
func bruteEnds(r *rand.Rand, h *History, t *Txn, logs []Log, step int) int {
	fate := MarkedAborted
	if r.IntN(5) == 0 {
		return step // nobody asks, and it stays open
	}
	if r.IntN(3) > 0 {
		t.CommitAsked, fate = step, MarkedCommitted
		t.Outcome = [...]TxnOutcome{TxnCommitted, TxnCommitted, TxnUnknown}[r.IntN(3)]
		for _, s := range h.Submissions {
			if s.Txn == t.ID && s.Outcome.Kind != Acked {
				t.Outcome = TxnUnknown // commitTransaction returns only if all sends did
			}
		}
	} else {
		t.AbortAsked, t.Outcome = step, TxnAborted
	}
	t.Decided = TxnAborted
	if fate == MarkedCommitted {
		t.Decided = TxnCommitted
	}
	t.DecidedStep = step + r.IntN(2)
	t.OutcomeStep = t.DecidedStep + r.IntN(2)
	for i := range logs {
		for k := range logs[i].Entries {
			if e := &logs[i].Entries[k]; bruteTxnOf(h, e.Submission) == t.ID {
				e.Fate = fate
				if r.IntN(12) == 0 {
					e.Fate = MarkedAborted
				}
			}
		}
	}
	return t.OutcomeStep + 1
}

// bruteRuns is how many histories the suite compares; KAFKATRIAL_BRUTE says another number.
const bruteRuns = 20_000

// TestTwoJudgesAgree compares the judge with the brute-force one.
func TestTwoJudgesAgree(t *testing.T) {
	n, first := bruteRuns, uint64(1)
	if text := os.Getenv("KAFKATRIAL_BRUTE"); text != "" {
		n, _ = strconv.Atoi(text)
		first = 1_000_000
	}
	met, bad := map[string]int{}, 0
	for i := range n {
		seed := first + uint64(i)
		h := bruteHistory(rand.New(rand.NewPCG(seed, 7)))
		verdicts := Judge(*h, Options{Claims: []Claim{AtMostOnce, AtLeastOnce, ExactlyOnce, Atomic}}).Verdicts
		for key, want := range bruteJudge(h) {
			if want == "" {
				continue
			}
			var got Ruling
			for _, v := range verdicts {
				if string(v.Claim)+" at the "+string(v.Level) == key && (got == "" || v.Ruling == Violated) {
					got = v.Ruling
				}
			}
			met[key+" "+string(want)]++
			if (got == Violated) != (want == Violated) && (h.Quiescence.Reached || key == "at-most-once at the log") {
				if bad++; bad < 6 {
					t.Errorf("seed %d: %s: the judge says %q, the plain one %q\n%+v", seed, key, got, want, *h)
				}
			}
		}
	}
	if bad > 0 {
		t.Errorf("%d disagreements", bad)
	}
	for _, key := range []string{"at-most-once at the log violated", "at-least-once at the log violated", "exactly-once at the application violated", "atomic at the log violated",
		"at-most-once at the application violated", "at-least-once at the application holds", "atomic at the log holds"} {
		if met[key] < n/200 {
			t.Errorf("%s: only %d of %d histories", key, met[key], n)
		}
	}
	t.Log(met)
}
