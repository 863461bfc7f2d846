package checker

import (
	"cmp"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/anishathalye/porcupine"
)

// A second judge, plain and slow. It is written from what docs/claims.md says of each claim and shares no code with the first:
// orders are found by trying all of them, and everything else by looking through the history from front to back. This file has
// the delivery claims, atomic, and the histories that the two are compared on.

// bruteOp is an operation with its interval. What it may do, the claim says.
type bruteOp struct {
	what     string // submit, failed, acked, effect, end, and what else a claim knows
	from, to int
	n        int64 // what an answer says
	turn     int   // its place among those of its kind
}

const bruteEver = 1 << 20

// anyOrder says that some order of all operations respects their intervals and is legal step by step.
func anyOrder(ops []bruteOp, legal func(so []bruteOp) bool) bool {
	return anyOrderFrom(ops, make([]bool, len(ops)), make([]bruteOp, 0, len(ops)), legal)
}

func anyOrderFrom(ops []bruteOp, taken []bool, so []bruteOp, legal func(so []bruteOp) bool) bool {
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
			if anyOrderFrom(ops, taken, append(so, ops[i]), legal) {
				return true
			}
			taken[i] = false
		}
	}
	return false
}

// bruteDelivery is the channel of one record to one place.
func bruteDelivery(ops []bruteOp, mayMiss, mayDouble bool) bool {
	return anyOrder(ops, func(so []bruteOp) bool {
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

// bruteKey is a claim at a level.
type bruteKey struct {
	claim Claim
	level Level
}

func (k bruteKey) String() string { return string(k.claim) + " at the " + string(k.level) }

// bruteJudge gives the second judge's rulings by claim and level.
func bruteJudge(h *History) map[bruteKey]Ruling {
	out := make(map[bruteKey]Ruling, 2*len(Claims()))
	out[bruteKey{Linearizable, AtLog}] = bruteLinearizable(h)
	out[bruteKey{Recent, AtApplication}] = bruteRecent(h)
	out[bruteKey{Available, AtLog}] = bruteSends(h)
	out[bruteKey{Available, AtApplication}] = bruteHanded(h)
	out[bruteKey{Atomic, AtLog}] = bruteAtomic(h, nil)
	for _, level := range []Level{AtLog, AtApplication} {
		out[bruteKey{Ordered, level}] = bruteOrdered(h, level)
		out[bruteKey{MonotonicRead, level}] = bruteMonotonic(h, level)
		out[bruteKey{Fenced, level}] = bruteFenced(h, level)
		out[bruteKey{NoAbortedRead, level}] = bruteAborted(h, level)
		for _, claim := range []Claim{AtMostOnce, AtLeastOnce, ExactlyOnce} {
			out[bruteKey{claim, level}] = bruteRest(h, false)
		}
	}
	deliver := func(level Level, ops []bruteOp) {
		for _, c := range []struct {
			claim              Claim
			mayMiss, mayDouble bool
		}{{AtMostOnce, true, false}, {AtLeastOnce, false, true}, {ExactlyOnce, false, false}} {
			key := bruteKey{c.claim, level}
			out[key] = worse(out[key], bruteRest(h, !bruteDelivery(ops, c.mayMiss, c.mayDouble)))
		}
	}
	for _, r := range bruteRecords(h) {
		deliver(AtLog, bruteOps(h, r, "", ""))
		for i := range h.Applications {
			app := &h.Applications[i]
			places := []string{""}
			if len(app.Sinks) > 1 {
				places = app.Sinks
			}
			for _, sink := range places {
				if ops := bruteOps(h, r, app.Name, sink); bruteConcerns(h, app, r, ops) {
					deliver(AtApplication, ops)
				}
			}
		}
	}
	for i := range h.Applications {
		out[bruteKey{Atomic, AtApplication}] = worse(out[bruteKey{Atomic, AtApplication}], bruteAtomic(h, &h.Applications[i]))
	}
	return out
}

// bruteConcerns says that a record was sent to a topic of an application, or has taken effect there.
func bruteConcerns(h *History, app *Application, r RecordID, ops []bruteOp) bool {
	return slices.ContainsFunc(h.Submissions, func(s Submission) bool { return s.Record == r && slices.Contains(app.Topics, s.TP.Topic) }) ||
		slices.ContainsFunc(ops, func(o bruteOp) bool { return o.what == "effect" })
}

func bruteRecords(h *History) (all []RecordID) {
	for _, s := range h.Submissions {
		if !slices.Contains(all, s.Record) {
			all = append(all, s.Record)
		}
	}
	for _, e := range h.Effects {
		if !slices.Contains(all, e.Record) {
			all = append(all, e.Record) // of which nobody knows where it came from
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

// bruteOps lists a record's submissions, its effects at the log or at one of the places of an application, and the end.
func bruteOps(h *History, r RecordID, place, sink string) (ops []bruteOp) {
	for _, s := range h.Submissions {
		if s.Record != r {
			continue
		}
		o := bruteOp{what: "submit", from: s.SendStep, to: bruteEver}
		kind, at := bruteAnswer(h, &s)
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
					for i := range h.Appends {
						if a := &h.Appends[i]; a.TP == l.TP && a.Offset == e.Offset && a.Epoch == e.Epoch {
							end = max(end, bruteCommitted(h, a))
						}
					}
					if t := bruteTxn(h, bruteTxnOf(h, e.Submission)); t != nil {
						end = max(end, t.DecidedStep)
					}
					ops = append(ops, bruteOp{what: "effect", from: e.Step, to: end})
				}
			}
		}
	} else {
		for i := range h.Effects {
			if e := &h.Effects[i]; e.Application == place && e.Record == r && bruteHappened(h, e) && (sink == "" || e.Sink == sink) {
				o := bruteOp{what: "effect", from: cmp.Or(e.Begun, e.Step), to: e.Step}
				if t := bruteTxn(h, e.Txn); t != nil {
					o.to = max(o.to, t.DecidedStep)
				}
				ops = append(ops, o)
			}
		}
	}
	if !bruteMoves(h, r) {
		ops = append(ops, bruteOp{what: "end", from: bruteEver + 1, to: bruteEver + 1})
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

// bruteAtomic: of each transaction all records and positions are visible at the end, or none; at an application, all that it
// could have seen.
func bruteAtomic(h *History, app *Application) Ruling {
	out := bruteRest(h, false)
	for _, t := range h.Txns {
		seen, hidden, stays := 0, 0, false
		for _, s := range h.Submissions {
			if s.Txn != t.ID || app != nil && !slices.Contains(app.Topics, s.TP.Topic) {
				continue
			}
			visible, removed := false, false
			there := s.Outcome.Kind == Acked || slices.ContainsFunc(h.Appends, func(a Append) bool { return a.AsLeader && a.Submission == s.ID })
			for _, l := range h.Logs {
				for _, e := range bruteLog(h, l.TP) {
					visible = visible || app == nil && e.Submission == s.ID && (e.Fate == MarkedCommitted || e.Fate == Plain)
				}
				removed = removed || slices.ContainsFunc(l.Expired, func(e Expiry) bool { return e.Submission == s.ID })
			}
			if app != nil {
				visible = bruteSawSend(h, app, s.ID)
			}
			switch {
			case visible:
				seen++
			case app != nil && removed:
			case there && s.Outcome.Kind != FailedForCertain || t.Outcome == TxnCommitted:
				hidden++
				stays = stays || !bruteMoves(h, s.Record)
			}
		}
		for _, o := range t.Offsets {
			switch {
			case app != nil:
			case o.Applied:
				seen++
			default:
				hidden++
				stays = stays || !bruteMoves(h, "")
			}
		}
		if seen > 0 && hidden > 0 && stays {
			return Violated
		}
	}
	return out
}

// bruteSawSend says that an application was handed what was sent there, or has done something with it.
func bruteSawSend(h *History, app *Application, id SubmissionID) bool {
	is := func(who string, tp TopicPartition, offset int64, r RecordID) bool {
		s := bruteSent(h, tp, offset, r)
		return who == app.Name && s != nil && s.ID == id
	}
	return slices.ContainsFunc(h.Reads, func(r Read) bool { return is(r.Application, r.TP, r.Offset, r.Record) }) ||
		slices.ContainsFunc(h.Effects, func(e Effect) bool { return is(e.Application, e.TP, e.Offset, e.Record) })
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
		s := Submission{ID: SubmissionID(string(record) + "#" + strconv.Itoa(i)), Record: record, Producer: "p", TP: logs[tp].TP, SendStep: step, Txn: txn, Outcome: Outcome{Kind: OutcomeKind(r.IntN(3)), Offset: -1}}
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
	step = bruteRestart(r, h, step)
	for _, app := range []string{"shop", "audit"} {
		for _, l := range logs {
			all := slices.Clone(l.Entries)
			for _, e := range l.Expired {
				all = append(all, e.Entry)
			}
			for _, e := range all {
				if e.Control {
					continue
				}
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
	h.End = step + 8
	bruteClients(r, h)
	bruteOffices(r, h)
	if r.IntN(4) == 0 {
		bruteCutOff(r, h)
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
				} else if r.IntN(12) == 0 {
					e.Fate = MarkedCommitted
				}
			}
		}
	}
	for i := range logs {
		l := &logs[i]
		if in := func(e Entry) bool { return bruteTxnOf(h, e.Submission) == t.ID }; slices.ContainsFunc(l.Entries, in) && r.IntN(5) > 0 {
			marker := Entry{Offset: int64(len(l.Entries) + len(l.Expired)), Epoch: 1, Control: true, Step: t.DecidedStep + r.IntN(2)}
			l.Entries = append(l.Entries, marker)
			h.Commits = append(h.Commits, Commit{TP: l.TP, Broker: 1, Epoch: 1, HighWatermark: marker.Offset + 1, Step: marker.Step})
		}
	}
	return t.OutcomeStep + 1
}

// bruteAsked is a question to porcupine. What it answers is the same wherever the moments of the operations are, as long as
// their order is the same, so in all histories it is asked once.
type bruteAsked struct {
	from any // the state in which it begins, which differs where models for one kind of operations do
	n    int
	ops  [10]shapedOp
}

// loggedOp is a logOp without what is for the evidence alone.
type loggedOp struct {
	kind         logOpKind
	offset, next int64
	record       RecordID
	submission   SubmissionID
}

// bruteRemembers asks porcupine what it has not been asked before.
func bruteRemembers() checkFunc {
	known := map[bruteAsked]porcupine.CheckResult{}
	return func(model porcupine.Model, p part) porcupine.CheckResult {
		q := bruteAsked{from: model.Init(), n: len(p.ops)}
		if q.n > len(q.ops) || q.n == 0 {
			return askPorcupine(model, p)
		}
		switch p.ops[0].Input.(type) {
		case deliveryOp, progressKind: // which are remembered as it is, by the name of their model
			return askPorcupine(model, p)
		}
		var moments [2 * len(q.ops)]int64
		rank(p.ops, q.ops[:], moments[:])
		for i := range p.ops {
			if o, ok := q.ops[i].input.(logOp); ok {
				q.ops[i].input = loggedOp{o.kind, o.offset, o.next, o.record, o.submission}
			}
		}
		answer, old := known[q]
		if !old {
			if len(known) == 1<<18 {
				clear(known)
			}
			answer = askPorcupine(model, p)
			known[q] = answer
		}
		return answer
	}
}

// bruteRuns is how many histories the suite compares; KAFKATRIAL_BRUTE says another number, and after an @ the seed of the
// first: 500000@2000000.
const bruteRuns = 20_000

// TestTwoJudgesAgree compares the judge with the brute-force one.
func TestTwoJudgesAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("a second judge tries every order of thousands of histories")
	}
	n, first := bruteRuns, uint64(1)
	if text := os.Getenv("KAFKATRIAL_BRUTE"); text != "" {
		count, from, _ := strings.Cut(text, "@")
		var err, err2 error
		n, err = strconv.Atoi(count)
		first, err2 = strconv.ParseUint(cmp.Or(from, "1000000"), 10, 64)
		if err != nil || err2 != nil || n < 1 {
			t.Fatalf("KAFKATRIAL_BRUTE=%s: want how many histories, and after an @ the seed of the first, as in 500000@2000000", text)
		}
	}
	defer debug.SetGCPercent(debug.SetGCPercent(800))
	type ruled struct {
		bruteKey
		ruling Ruling
	}
	met, differ, bad := map[ruled]int{}, map[bruteKey]int{}, 0
	check, shapes := bruteRemembers(), map[any]map[shape]bool{}
	for i := range n {
		seed := first + uint64(i)
		h := bruteHistory(rand.New(rand.NewPCG(seed, 7)))
		x := newIndex(h)
		x.check, x.shapes = check, shapes
		report := x.judgeAll(Options{Claims: Claims()})
		plain := bruteJudge(h)
		for _, got := range report.Verdicts {
			key := bruteKey{got.Claim, got.Level}
			want := plain[key]
			met[ruled{key, want}]++
			if want == "" {
				t.Fatalf("%s has no second judge", key)
			}
			if got.Ruling != want && !(got.NotObserved && want != Violated) {
				bad++
				if differ[key]++; differ[key] == 1 {
					t.Errorf("seed %d: %s: the judge says %q (%s), the plain one %q\n%+v", seed, key, got.Ruling, got.Evidence.Sentence, want, *h)
				}
			}
		}
	}
	if bad > 0 {
		t.Errorf("%d disagreements: %v", bad, differ)
	}
	for _, claim := range Claims() {
		for _, level := range []Level{AtLog, AtApplication} {
			key := bruteKey{claim, level}
			if met[ruled{key, Holds}]+met[ruled{key, Violated}] == 0 {
				continue // it has no such level
			}
			for _, want := range []Ruling{Holds, Violated, Undecided} {
				if met[ruled{key, want}] < n/400 {
					t.Errorf("%s %s: only %d of %d histories", key, want, met[ruled{key, want}], n)
				}
			}
		}
	}
	t.Log(met)
}
