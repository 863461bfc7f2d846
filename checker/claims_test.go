package checker

import (
	"reflect"
	"slices"
	"testing"
)

// want is what one claim should come to at one level. A verdict that is not listed must hold, or be unobserved, or
// undecided if the run was cut off.
type want struct {
	claim    Claim
	level    Level
	ruling   Ruling
	sentence string
	jepsen   string
	steps    []int
}

var trials = []struct {
	name string
	h    History
	want []want
}{
	{"everything arrives once", smooth(), nil},
	{"KIP-101: acknowledged records are cut", kip101(), []want{
		{AtLeastOnce, AtLog, Violated, "m1 and m2 were acknowledged in step 9, cut from b2 in step 11 and from b1 in step 24, and are in no log at the end.", LostWrite, []int{9, 11, 24}},
		{AtLeastOnce, AtApplication, Violated, "m1 and m2 were acknowledged in step 9, cut from b2 in step 11 and from b1 in step 24, and never processed.", LostWrite, []int{9, 11, 24}},
		{ExactlyOnce, AtLog, Violated, "m1 and m2 were acknowledged in step 9, cut from b2 in step 11 and from b1 in step 24, and are in no log at the end.", LostWrite, []int{9, 11, 24}},
		{ExactlyOnce, AtApplication, Violated, "m1 and m2 were acknowledged in step 9, cut from b2 in step 11 and from b1 in step 24, and never processed.", LostWrite, []int{9, 11, 24}},
		{Linearizable, AtLog, Violated, "m1 was acknowledged at offset 0 in step 9, it was cut from b2 in step 11 and from b1 in step 24, and it is not in the log at the end; nor is m2.", LostWrite, []int{9, 11, 24}},
		{MonotonicRead, AtLog, Violated, "m1 at offset 0 of orders-0 became readable in step 8, but at the end that offset is empty.", LostWrite, []int{8, 31}},
	}},
	{"only the second record is cut", edit(kip101(), func(h *History) {
		h.Cuts = []Cut{{TP: orders, Broker: 2, From: 1, To: 2, Step: 11}, {TP: orders, Broker: 1, From: 1, To: 2, Step: 24}}
		h.Logs = ordersLog(entry("m1", 0, 2))
		h.Effects = []Effect{effect("m1", 0, 27)}
	}), []want{
		{AtLeastOnce, AtLog, Violated, "m2 was acknowledged in step 9, cut from b2 in step 11 and from b1 in step 24, and is in no log at the end.", LostWrite, []int{9, 11, 24}},
		{AtLeastOnce, AtApplication, Violated, "m2 was acknowledged in step 9, cut from b2 in step 11 and from b1 in step 24, and never processed.", LostWrite, nil},
		{ExactlyOnce, AtLog, Violated, "", LostWrite, nil},
		{ExactlyOnce, AtApplication, Violated, "", LostWrite, nil},
		{Linearizable, AtLog, Violated, "m2 was acknowledged at offset 1 in step 9, it was cut from b2 in step 11 and from b1 in step 24, and it is not in the log at the end.", LostWrite, nil},
		{MonotonicRead, AtLog, Violated, "", LostWrite, nil},
	}},
	{"a retry is appended again", edit(smooth(), func(h *History) {
		h.Submissions = []Submission{sub("m1", 1, 1, 9)}
		h.Appends = []Append{written(1, "m1", 0, 3), written(1, "m1", 1, 7)}
		h.Logs = ordersLog(entry("m1", 0, 3), entry("m1", 1, 7))
		h.Reads = []Read{read("m1", 0, 12), read("m1", 1, 20)}
		h.Effects = []Effect{effect("m1", 0, 12), effect("m1", 1, 20)}
	}), []want{
		{AtMostOnce, AtLog, Violated, "m1 is in orders-0 twice, at offsets 0 and 1, appended in steps 3 and 7.", Duplicate, []int{3, 7}},
		{AtMostOnce, AtApplication, Violated, "m1 was processed by c in step 12 and again by c in step 20.", Duplicate, []int{12, 20}},
		{ExactlyOnce, AtLog, Violated, "m1 is in orders-0 twice, at offsets 0 and 1, appended in steps 3 and 7.", Duplicate, nil},
		{ExactlyOnce, AtApplication, Violated, "m1 was processed by c in step 12 and again by c in step 20.", Duplicate, nil},
		{Linearizable, AtLog, Violated, "One send of m1 was appended twice, at offsets 0 and 1, in steps 3 and 7.", Duplicate, []int{3, 7}},
	}},
	{"the application resends an unknown record", edit(smooth(), func(h *History) {
		h.Submissions = []Submission{timedOut("m1", 1, 5), sub("m1", 6, 1, 9).again("2")}
		h.Appends = nil
		h.Commits = nil
		h.Logs = ordersLog(entry("m1", 0, 3), entry("m1", 1, 8).of("m1#2"))
		h.Reads = nil
		h.Effects = []Effect{effect("m1", 0, 12)}
	}), []want{
		{AtMostOnce, AtLog, Violated, "m1 is in orders-0 twice, at offsets 0 and 1, appended in steps 3 and 8.", Duplicate, nil},
		{ExactlyOnce, AtLog, Violated, "", Duplicate, nil},
		{Available, AtApplication, Violated, "m1 was in orders-0 at offset 1 since step 8 and never handed to a consumer.", "", []int{8}},
	}},
	{"an unknown record twice is still twice", edit(smooth(), func(h *History) {
		h.Submissions = []Submission{timedOut("m1", 1, 5)}
		h.Appends, h.Commits, h.Reads = nil, nil, nil
		h.Logs = ordersLog(entry("m1", 0, 3), entry("m1", 1, 8))
		h.Effects = []Effect{effect("m1", 0, 12)}
	}), []want{
		{AtMostOnce, AtLog, Violated, "m1 is in orders-0 twice, at offsets 0 and 1, appended in steps 3 and 8.", Duplicate, nil},
		{ExactlyOnce, AtLog, Violated, "", Duplicate, nil},
		{Linearizable, AtLog, Violated, "One send of m1 was appended twice, at offsets 0 and 1, in steps 3 and 8.", Duplicate, nil},
		{Available, AtLog, Violated, "", "", nil},
		{Available, AtApplication, Violated, "m1 was in orders-0 at offset 1 since step 8 and never handed to a consumer.", "", []int{8}},
	}},
	{"an unknown record that never took effect harms nothing", edit(smooth(), func(h *History) {
		h.Submissions = append(h.Submissions, timedOut("m3", 3, 28))
	}), []want{
		{Available, AtLog, Violated, "m3 was sent in step 3 and failed with TimeoutException in step 28.", "", nil},
	}},
	{"a record that failed for certain takes effect", edit(smooth(), func(h *History) {
		h.Submissions[0].Outcome = Outcome{Kind: FailedForCertain, Error: "RecordTooLargeException", Step: 2, Offset: -1}
	}), []want{
		{AtMostOnce, AtLog, Violated, "m1 is in orders-0 at offset 0, appended in step 2, although its send failed for certain in step 2 with RecordTooLargeException.", "", nil},
		{AtMostOnce, AtApplication, Violated, "m1 was processed by c in step 21, although its send failed for certain in step 2 with RecordTooLargeException.", "", []int{2, 21}},
		{AtLeastOnce, AtLog, Violated, "", "", nil}, {AtLeastOnce, AtApplication, Violated, "", "", nil},
		{ExactlyOnce, AtLog, Violated, "", "", nil}, {ExactlyOnce, AtApplication, Violated, "", "", nil},
		{Linearizable, AtLog, Violated, "m1 is in the log at offset 0, although its send failed for certain in step 2.", "", nil},
		{Available, AtLog, Violated, "m1 was sent in step 1 and failed with RecordTooLargeException in step 2.", "", nil},
	}},
	{"a record nobody submitted is processed", edit(smooth(), func(h *History) {
		h.Effects = append(slices.Clone(h.Effects), effect("x", 7, 25))
	}), []want{
		{AtMostOnce, AtApplication, Violated, "x was processed by c in step 25, and nobody ever submitted it.", "", []int{25}},
		{AtLeastOnce, AtApplication, Violated, "", "", nil},
		{ExactlyOnce, AtApplication, Violated, "", "", nil},
	}},
	{"acks=0, and the request is lost", edit(smooth(), func(h *History) {
		h.Submissions = append(h.Submissions, sub("m3", 3, -1, 3))
	}), []want{
		{AtLeastOnce, AtLog, Violated, "m3 was acknowledged in step 3, never appended to any log, and is in no log at the end.", LostWrite, []int{3}},
		{AtLeastOnce, AtApplication, Violated, "m3 was acknowledged in step 3, never appended to any log, and never processed.", LostWrite, []int{3}},
		{ExactlyOnce, AtLog, Violated, "", LostWrite, nil}, {ExactlyOnce, AtApplication, Violated, "", LostWrite, nil},
		{Linearizable, AtLog, Violated, "m3 was acknowledged without an offset in step 3, and it is not in the log at the end.", LostWrite, nil},
	}},
	{"committed first, and crashed before processing", edit(smooth(), func(h *History) {
		h.Effects = h.Effects[1:]
	}), []want{
		{AtLeastOnce, AtApplication, Violated, "m1 was acknowledged in step 9, read by c in step 20, and never processed.", "", []int{9, 20}},
		{ExactlyOnce, AtApplication, Violated, "", "", nil},
	}},
	{"a consumer starts at the end and skips", edit(smooth(), func(h *History) {
		h.Effects, h.Reads = h.Effects[1:], h.Reads[1:]
	}), []want{
		{AtLeastOnce, AtApplication, Violated, "m1 was acknowledged in step 9, skipped by c, which read offset 1 in step 20, and never processed.", PollSkip, []int{9, 20}},
		{ExactlyOnce, AtApplication, Violated, "", PollSkip, nil},
		{Available, AtApplication, Violated, "m1 was in orders-0 at offset 0 since step 2 and never handed to a consumer.", "", nil},
	}},
	{"retention is faster than the consumer", edit(smooth(), func(h *History) {
		h.Logs = []Log{{TP: orders, Leader: 1, Start: 1, Entries: []Entry{entry("m2", 1, 2)}, Expired: []Expiry{{Entry: entry("m1", 0, 2), Cause: Retention, Step: 15}}}}
		h.Effects, h.Reads = h.Effects[1:], h.Reads[1:]
	}), []want{
		{AtLeastOnce, AtApplication, Violated, "m1 was acknowledged in step 9, removed by retention in step 15, skipped by c, which read offset 1 in step 20, and never processed.", PollSkip, []int{9, 15, 20}},
		{ExactlyOnce, AtApplication, Violated, "", PollSkip, nil},
	}},
	{"a crash between processing and commit", edit(smooth(), func(h *History) {
		second := effect("m1", 0, 27)
		second.Consumer, second.Generation = "d", 2
		h.Effects = append(slices.Clone(h.Effects), second)
		h.Effects[0].Generation = 1
	}), []want{
		{AtMostOnce, AtApplication, Violated, "m1 was processed by c (generation 1) in step 21 and again by d (generation 2) in step 27.", Duplicate, []int{21, 27}},
		{ExactlyOnce, AtApplication, Violated, "", Duplicate, nil},
	}},
	{"the run was cut off", edit(kip101(), func(h *History) {
		h.Cuts, h.Logs = nil, []Log{{TP: orders, Leader: 1}}
		h.Quiescence = Quiescence{Moving: []Motion{{What: "b1 fetches from b2"}}}
	}), []want{
		{AtLeastOnce, AtLog, Undecided, "m1 and m2 were acknowledged and have not arrived, but the run did not come to rest (b1 fetches from b2).", "", nil},
		{AtLeastOnce, AtApplication, Undecided, "", "", nil},
		{ExactlyOnce, AtLog, Undecided, "", "", nil}, {ExactlyOnce, AtApplication, Undecided, "", "", nil},
	}},
	{"the run was cut off, but not for the lost record", edit(kip101(), func(h *History) {
		h.Quiescence = Quiescence{Moving: []Motion{{What: "c polls", Records: []RecordID{"m2"}}}}
	}), []want{
		{AtLeastOnce, AtLog, Violated, "m1 was acknowledged in step 9, cut from b2 in step 11 and from b1 in step 24, and is in no log at the end.", LostWrite, nil},
		{AtLeastOnce, AtApplication, Violated, "", LostWrite, nil},
		{ExactlyOnce, AtLog, Violated, "", "", nil}, {ExactlyOnce, AtApplication, Violated, "", "", nil},
	}},
	{"a later batch lands first", edit(smooth(), func(h *History) {
		h.Submissions = []Submission{sub("m1", 1, 1, 9), sub("m2", 2, 0, 5)}
		h.Appends = []Append{written(1, "m2", 0, 3), written(1, "m1", 1, 7)}
		h.Logs = ordersLog(entry("m2", 0, 3), entry("m1", 1, 7))
		h.Reads = []Read{read("m2", 0, 20), read("m1", 1, 20)}
		h.Effects = []Effect{effect("m2", 0, 21), effect("m1", 1, 22)}
	}), []want{
		{Ordered, AtLog, Violated, "m1 was sent before m2, but lies after it in orders-0: at offset 1 and not below 0.", NonmonotonicSend, []int{3, 7}},
		{Ordered, AtApplication, Violated, "m1 was sent before m2, but processed after it: m2 by c in step 21, m1 by c in step 22.", NonmonotonicPoll, []int{21, 22}},
	}},
	{"a zombie overwrites newer work", edit(smooth(), func(h *History) {
		d := func(e Effect, consumer string, generation int) Effect {
			e.Consumer, e.Generation = consumer, generation
			return e
		}
		h.Effects = []Effect{d(effect("m1", 0, 24), "d", 2), d(effect("m2", 1, 25), "d", 2), d(effect("m1", 0, 28), "c", 1)}
		h.Grants = []Grant{
			{Office: OwnerOffice, Name: "shop", TP: orders, Epoch: 1, Holder: "c", Step: 4},
			{Office: OwnerOffice, Name: "shop", TP: orders, Epoch: 2, Holder: "d", Step: 23},
		}
	}), []want{
		{AtMostOnce, AtApplication, Violated, "m1 was processed by d (generation 2) in step 24 and again by c (generation 1) in step 28.", Duplicate, nil},
		{ExactlyOnce, AtApplication, Violated, "", Duplicate, nil},
		{Ordered, AtApplication, Violated, "m1 was processed again by c, an owner of an older generation, in step 28, after d had gone on to m2 in step 25.", NonmonotonicPoll, []int{25, 28}},
		{Fenced, AtApplication, Violated, "d was given orders-0 in generation 2 in step 23, and yet c processed m1 in generation 1 in step 28.", "", []int{23, 28}},
	}},
	{"the end offset goes back", edit(smooth(), func(h *History) {
		h.EndOffsets = []EndOffset{{Consumer: "c", TP: orders, Offset: 2, Step: 19}, {Consumer: "d", TP: orders, Offset: 1, Call: 23, Step: 24}}
	}), []want{
		{Linearizable, AtLog, Violated, "m2 was acknowledged at offset 1 in step 9, but d was told in step 24 that the log ends at 1.", "", []int{9, 24}},
		{MonotonicRead, AtApplication, Violated, "c was told in step 19 that orders-0 ends at 2, but d was told in step 24 that orders-0 ends at 1.", "", []int{19, 24}},
	}},
	{"a follower tells the past, to another client", edit(smooth(), func(h *History) {
		h.EndOffsets = append(slices.Clone(h.EndOffsets), EndOffset{Consumer: "d", TP: orders, Offset: 1, Step: 24, FromFollower: true})
	}), nil},
	{"a follower tells the past to a client that knew better", edit(smooth(), func(h *History) {
		h.EndOffsets = append(slices.Clone(h.EndOffsets), EndOffset{Consumer: "c", TP: orders, Offset: 1, Step: 24, FromFollower: true})
	}), []want{
		{MonotonicRead, AtApplication, Violated, "c was told in step 19 that orders-0 ends at 2, but c was told in step 24 that orders-0 ends at 1.", "", nil},
	}},
	{"an offset is used again", edit(smooth(), func(h *History) {
		h.Submissions = append(h.Submissions, sub("n1", 25, 1, 26))
		h.Appends = append(slices.Clone(h.Appends), Append{TP: orders, Broker: 2, AsLeader: true, Epoch: 2, Offset: 1, Submission: "n1#1", Record: "n1", Step: 25})
		h.Logs = ordersLog(entry("m1", 0, 2), Entry{Offset: 1, Epoch: 2, Submission: "n1#1", Record: "n1", Step: 25})
		h.Effects = append(slices.Clone(h.Effects), effect("n1", 1, 28))
	}), []want{
		{AtLeastOnce, AtLog, Violated, "m2 was acknowledged in step 9 and is in no log at the end.", LostWrite, nil},
		{ExactlyOnce, AtLog, Violated, "", LostWrite, nil},
		{Linearizable, AtLog, Violated, "m2 was acknowledged at offset 1 in step 9, but n1 was acknowledged at offset 1 in step 26.", InconsistentOffsets, []int{9, 26}},
		{MonotonicRead, AtLog, Violated, "m2 at offset 1 of orders-0 became readable in step 8, but at the end that offset holds n1.", InconsistentOffsets, nil},
		{MonotonicRead, AtApplication, Violated, "c read m2 at offset 1 of orders-0 in step 20, but at the end that offset holds n1.", InconsistentOffsets, nil},
	}},
	{"an uncommitted record is read, and then gone", edit(smooth(), func(h *History) {
		h.Submissions = append(h.Submissions, timedOut("m3", 3, 28))
		h.Appends = append(slices.Clone(h.Appends), written(1, "m3", 2, 10))
		h.Cuts = []Cut{{TP: orders, Broker: 1, From: 2, To: 3, Step: 23}}
		h.Reads = append(slices.Clone(h.Reads), read("m3", 2, 21))
	}), []want{
		{Linearizable, AtLog, Violated, "c read m3 at offset 2 in step 21, it was cut from b1 in step 23, and it is not in the log at the end.", "", []int{21, 23}},
		{MonotonicRead, AtApplication, Violated, "c read m3 at offset 2 of orders-0 in step 21, but at the end that offset is empty.", LostWrite, nil},
		{Available, AtLog, Violated, "", "", nil},
	}},
	{"two readers disagree about an offset, and no log says who is right", edit(smooth(), func(h *History) {
		h.Reads = append(slices.Clone(h.Reads), Read{Consumer: "d", TP: orders, Offset: 1, Record: "m1", Step: 25})
		h.Logs, h.Quiescence = nil, Quiescence{}
	}), []want{
		{AtLeastOnce, AtLog, Undecided, "", "", nil}, {ExactlyOnce, AtLog, Undecided, "", "", nil},
		{Linearizable, AtLog, Violated, "m2 was acknowledged at offset 1 in step 9, but d read m1 at offset 1 in step 25.", InconsistentOffsets, nil},
		{MonotonicRead, AtApplication, Violated, "c read m2 at offset 1 of orders-0 in step 20, but d read m1 at offset 1 of orders-0 in step 25.", InconsistentOffsets, nil},
	}},
	{"a committed offset is forgotten", edit(smooth(), func(h *History) {
		h.OffsetCommits = []OffsetCommit{{Group: "shop", Consumer: "c", TP: orders, Offset: 2, Step: 22}}
		h.OffsetFetches = []OffsetFetch{{Group: "shop", Consumer: "d", TP: orders, Offset: -1, Step: 26}}
	}), []want{
		{MonotonicRead, AtApplication, Violated, "c committed offset 2 of orders-0 in step 22, but d was told in step 26 that there is no committed offset.", "", []int{22, 26}},
	}},
	{"a rewind on purpose is no going back", edit(smooth(), func(h *History) {
		h.OffsetCommits = []OffsetCommit{{Group: "shop", Consumer: "c", TP: orders, Offset: 2, Step: 22}, {Group: "shop", Consumer: "c", TP: orders, Offset: 0, Step: 23}}
		h.OffsetFetches = []OffsetFetch{{Group: "shop", Consumer: "d", TP: orders, Offset: 0, Step: 26}}
	}), nil},
}

// txnTrial is a history with one transaction t1 of two records in two partitions.
func txnTrial(t Txn, first, second Fate) History {
	t.ID, t.Begin = "t1", 1
	y := sub("y", 2, 0, 4).in("t1")
	y.TP = payments
	return History{
		Submissions: []Submission{sub("x", 2, 0, 4).in("t1"), y},
		Txns:        []Txn{t},
		Logs: []Log{
			{TP: orders, Leader: 1, Entries: []Entry{entry("x", 0, 3).fate(first), {Offset: 1, Control: true}}},
			{TP: payments, Leader: 1, Entries: []Entry{entry("y", 0, 3).fate(second), {Offset: 1, Control: true}}},
		},
		Quiescence: rested,
		End:        30,
	}
}

func init() {
	committed := Txn{CommitAsked: 5, Outcome: TxnCommitted, OutcomeStep: 8, Decided: TxnCommitted, DecidedStep: 6}
	aborted := Txn{AbortAsked: 5, Outcome: TxnAborted, OutcomeStep: 8, Decided: TxnAborted, DecidedStep: 6}
	trials = append(trials, []struct {
		name string
		h    History
		want []want
	}{
		{"a transaction commits", txnTrial(committed, MarkedCommitted, MarkedCommitted), nil},
		{"a transaction aborts", txnTrial(aborted, MarkedAborted, MarkedAborted), nil},
		{"a torn transaction", txnTrial(committed, MarkedCommitted, MarkedAborted), []want{
			{AtLeastOnce, AtLog, Violated, "y was acknowledged by the commit of t1 in step 8, but the log has it as aborted at offset 0, and is in no log at the end.", LostWrite, nil},
			{ExactlyOnce, AtLog, Violated, "", LostWrite, nil},
			{Atomic, AtLog, Violated, "Transaction t1 is torn in the log: x is visible, and y is not.", TornTransaction, []int{3, 6}},
		}},
		{"an aborted transaction is visible", txnTrial(aborted, MarkedCommitted, MarkedCommitted), []want{
			{AtMostOnce, AtLog, Violated, "x is in orders-0 at offset 0, appended in step 3, although its transaction t1 was aborted in step 8; y is affected too.", AbortedRead, []int{3, 8}},
			{AtLeastOnce, AtLog, Violated, "", AbortedRead, nil}, {ExactlyOnce, AtLog, Violated, "", AbortedRead, nil},
			{NoAbortedRead, AtLog, Violated, "x is committed in orders-0 at offset 0, but its transaction t1 was aborted in step 8.", AbortedRead, nil},
		}},
		{"a record is read before its commit", edit(txnTrial(committed, MarkedCommitted, MarkedCommitted), func(h *History) {
			r := read("x", 0, 4)
			r.Isolation = ReadCommitted
			h.Reads = []Read{r}
		}), []want{
			{NoAbortedRead, AtApplication, Violated, "x was read by c (read_committed) in step 4, but the commit of its transaction t1 was only asked for in step 5.", PrecommittedRead, []int{4, 5}},
		}},
		{"a read_uncommitted reader sees an aborted record", edit(txnTrial(aborted, MarkedAborted, MarkedAborted), func(h *History) {
			h.Reads = []Read{read("x", 0, 4)}
		}), []want{
			{NoAbortedRead, AtApplication, Violated, "x was read by c (read_uncommitted) in step 4, but its transaction t1 was aborted in step 8.", AbortedRead, []int{4, 8}},
		}},
		{"a read_uncommitted reader sees what the coordinator then aborts", edit(txnTrial(committed, MarkedAborted, MarkedAborted), func(h *History) {
			h.Txns[0].Outcome, h.Txns[0].OutcomeStep, h.Txns[0].Decided, h.Txns[0].DecidedStep = TxnOpen, 0, TxnAborted, 7
			h.Reads = []Read{read("x", 0, 4)}
		}), []want{
			{NoAbortedRead, AtApplication, Violated, "x was read by c (read_uncommitted) in step 4, but the coordinator aborted its transaction t1 in step 7, although a commit was asked for.", AbortedRead, []int{4, 7}},
			{Available, AtLog, Violated, "x and y were sent in step 2 in t1, which never committed.", "", nil},
		}},
		{"a read_uncommitted reader may see an open transaction that commits", edit(txnTrial(committed, MarkedCommitted, MarkedCommitted), func(h *History) {
			h.Reads = []Read{read("x", 0, 4)}
		}), nil},
		{"a send of a transaction failed, and the commit succeeded all the same", edit(txnTrial(committed, MarkedCommitted, MarkedCommitted), func(h *History) {
			h.Submissions[1].Outcome = Outcome{Kind: FailedForCertain, Step: 4, Offset: -1}
			h.Logs[1].Entries = nil
		}), []want{
			{Atomic, AtLog, Violated, "Transaction t1 is torn in the log: x is visible, and y is not.", TornTransaction, nil},
			{Available, AtLog, Violated, "y was sent in step 2 and never acknowledged.", "", nil},
		}},
		{"an offset of the transaction is missing", edit(txnTrial(committed, MarkedCommitted, MarkedCommitted), func(h *History) {
			h.Txns[0].Offsets = []TxnOffset{{Group: "shop", TP: orders, Offset: 5, Step: 4}}
		}), []want{
			{Atomic, AtLog, Violated, "Transaction t1 is torn in the log: x and y are visible, and the offset of shop in orders-0 is not.", TornTransaction, nil},
		}},
		{"a zombie with an old producer epoch appends", edit(smooth(), func(h *History) {
			h.Submissions[1].TransactionalID, h.Submissions[1].ProducerEpoch = "id", 0
			h.Grants = []Grant{{Office: ProducerOffice, Name: "id", Epoch: 0, Holder: "p", Step: 1}, {Office: ProducerOffice, Name: "id", Epoch: 1, Holder: "q", Step: 2}}
			h.Logs = ordersLog(entry("m1", 0, 2), entry("m2", 1, 7))
		}), []want{
			{Fenced, AtLog, Violated, "q was given id with producer epoch 1 in step 2, and yet p appended m2 with producer epoch 0 at offset 1 of orders-0 in step 7.", "", []int{2, 7}},
		}},
		{"a transactional.id that was forgotten begins anew with epoch 0", edit(smooth(), func(h *History) {
			h.Submissions[1].TransactionalID, h.Submissions[1].ProducerID, h.Submissions[1].Producer = "id", 8, "q"
			h.Grants = []Grant{{Office: ProducerOffice, Name: "id", ProducerID: 7, Epoch: 1, Holder: "p", Step: 1}, {Office: ProducerOffice, Name: "id", ProducerID: 8, Holder: "q", Step: 2}}
			h.Logs = ordersLog(entry("m1", 0, 2), entry("m2", 1, 7))
		}), nil},
		{"and who had it before is a zombie, whatever its epoch", edit(smooth(), func(h *History) {
			h.Submissions[1].TransactionalID, h.Submissions[1].ProducerID, h.Submissions[1].ProducerEpoch = "id", 7, 1
			h.Grants = []Grant{{Office: ProducerOffice, Name: "id", ProducerID: 7, Epoch: 1, Holder: "p", Step: 1}, {Office: ProducerOffice, Name: "id", ProducerID: 8, Holder: "q", Step: 2}}
			h.Logs = ordersLog(entry("m1", 0, 2), entry("m2", 1, 7))
		}), []want{
			{Fenced, AtLog, Violated, "q was given id with producer epoch 0 in step 2, and yet p appended m2 with producer epoch 1 at offset 1 of orders-0 in step 7.", "", []int{2, 7}},
		}},
		{"a zombie commits an offset", edit(smooth(), func(h *History) {
			h.Grants = []Grant{{Office: OwnerOffice, Name: "shop", TP: orders, Epoch: 1, Holder: "c", Step: 2}, {Office: OwnerOffice, Name: "shop", TP: orders, Epoch: 2, Holder: "d", Step: 10}}
			h.OffsetCommits = []OffsetCommit{{Group: "shop", Consumer: "c", Generation: 1, TP: orders, Offset: 1, Step: 25}}
		}), []want{
			{Fenced, AtLog, Violated, "d was given orders-0 in generation 2 in step 10, and yet c committed offset 1 in generation 1 in step 25.", "", []int{10, 25}},
		}},
		{"a zombie commits an offset in a transaction", edit(smooth(), func(h *History) {
			h.Grants = []Grant{{Office: OwnerOffice, Name: "shop", TP: orders, Epoch: 1, Holder: "c", Step: 2}, {Office: OwnerOffice, Name: "shop", TP: orders, Epoch: 2, Holder: "d", Step: 10}}
			h.Txns = []Txn{{ID: "c.1", Producer: "c", Begin: 3, CommitAsked: 26, Outcome: TxnCommitted, OutcomeStep: 28, Decided: TxnCommitted, DecidedStep: 27,
				Offsets: []TxnOffset{{Group: "shop", Consumer: "c", Generation: 1, TP: orders, Offset: 1, Applied: true, Written: 24, Step: 25}}}}
		}), []want{
			{Fenced, AtLog, Violated, "d was given orders-0 in generation 2 in step 10, and yet c committed offset 1 in a transaction in generation 1 in step 24.", "", []int{10, 24}},
		}},
		{"a commit that was accepted before the partition was another's, and told after", edit(smooth(), func(h *History) {
			h.Grants = []Grant{{Office: OwnerOffice, Name: "shop", TP: orders, Epoch: 1, Holder: "c", Step: 2}, {Office: OwnerOffice, Name: "shop", TP: orders, Epoch: 2, Holder: "d", Step: 10}}
			h.OffsetCommits = []OffsetCommit{{Group: "shop", Consumer: "c", Generation: 1, TP: orders, Offset: 1, Call: 8, Written: 9, Step: 12}}
		}), nil},
		{"an owner that has not heard of its own new generation is no zombie", edit(smooth(), func(h *History) {
			h.Grants = []Grant{{Office: OwnerOffice, Name: "shop", TP: orders, Epoch: 1, Holder: "c", Step: 2}, {Office: OwnerOffice, Name: "shop", TP: orders, Epoch: 2, Holder: "c", Step: 10}}
			h.OffsetCommits = []OffsetCommit{{Group: "shop", Consumer: "c", Generation: 1, TP: orders, Offset: 1, Step: 25}}
		}), nil},
		{"a deposed leader's append stays in the log", edit(smooth(), func(h *History) {
			h.Grants = []Grant{{Office: LeaderOffice, TP: orders, Epoch: 1, Holder: "b1", Step: 1}, {Office: LeaderOffice, TP: orders, Epoch: 2, Holder: "b2", Step: 2}}
			h.Appends = []Append{written(1, "m1", 0, 2), written(1, "m2", 1, 7)}
			h.Logs = ordersLog(entry("m1", 0, 2), entry("m2", 1, 7))
		}), []want{
			{Fenced, AtLog, Violated, "b2 became leader of orders-0 in epoch 2 in step 2, and yet b1 appended m2 in epoch 1 at offset 1 of orders-0 in step 7.", "", nil},
		}},
	}...)
}

// calmRuling is what a claim comes to that nothing has broken.
func calmRuling(h *History) Ruling {
	if h.Quiescence.Reached {
		return Holds
	}
	return Undecided
}

func TestTrials(t *testing.T) {
	for _, trial := range trials {
		t.Run(trial.name, func(t *testing.T) {
			report := Judge(trial.h, Options{})
			for _, v := range report.Verdicts {
				i := slices.IndexFunc(trial.want, func(w want) bool { return w.claim == v.Claim && w.level == v.Level })
				if i < 0 {
					if calm := calmRuling(&trial.h); v.Ruling != calm && !v.NotObserved {
						t.Errorf("%s at the %s: %s (%s), expected %s", v.Claim, v.Level, v.Ruling, v.Evidence.Sentence, calm)
					}
					continue
				}
				w := trial.want[i]
				if v.Ruling != w.ruling {
					t.Errorf("%s at the %s: %s, expected %s (%s)", v.Claim, v.Level, v.Ruling, w.ruling, v.Evidence.Sentence)
				}
				if w.sentence != "" && v.Evidence.Sentence != w.sentence {
					t.Errorf("%s at the %s:\n got %q\nwant %q", v.Claim, v.Level, v.Evidence.Sentence, w.sentence)
				}
				if w.jepsen != "" && v.Evidence.JepsenWord != w.jepsen {
					t.Errorf("%s at the %s: word %q, expected %q", v.Claim, v.Level, v.Evidence.JepsenWord, w.jepsen)
				}
				if w.steps != nil && !reflect.DeepEqual(v.Evidence.Steps, w.steps) {
					t.Errorf("%s at the %s: steps %v, expected %v", v.Claim, v.Level, v.Evidence.Steps, w.steps)
				}
			}
			for _, w := range trial.want {
				if _, ok := report.Find(w.claim, w.level); !ok {
					t.Errorf("%s at the %s was not judged", w.claim, w.level)
				}
			}
		})
	}
}
