package checker

import "testing"

// writing is an application that makes m1.out of m1, and so on: what it has written is what it has done.
func writingHistory() History {
	h := smooth()
	h.Applications = []Application{{Name: "shop", Topics: []string{"orders"}, Writes: true}}
	h.Effects = []Effect{output("m1", 0, 0, 23), output("m2", 1, 1, 23)}
	return h
}

var out = TopicPartition{"out", 0}

// output is the effect that one record made of another is.
func output(r RecordID, offset, at int64, step int) Effect {
	e := effect(r, offset, step)
	e.Output, e.Place = string(r)+".out", out.String()+" "+atOffsets(at)
	return e
}

// made is a submission of what the application made of a record.
func made(r RecordID, step int, o Outcome, t TxnID) Submission {
	return Submission{ID: SubmissionID(r) + ".out#1", Record: r + ".out", From: r, Producer: "c", TP: out, SendStep: step, Outcome: o, Txn: t}
}

func init() {
	trials = append(trials, []struct {
		name string
		h    History
		want []want
	}{
		{"an application that writes has written everything once", writingHistory(), nil},
		{"and has written a record twice", edit(writingHistory(), func(h *History) {
			h.Effects = append(h.Effects, output("m1", 0, 3, 25))
		}), []want{
			{AtMostOnce, AtApplication, Violated, "m1 took effect twice in shop, in steps 23 and 25: m1.out stands in out-0 at offset 0 and in out-0 at offset 3.", Duplicate, []int{23, 25}},
			{ExactlyOnce, AtApplication, Violated, "", Duplicate, nil},
		}},
		{"and has written both twice", edit(writingHistory(), func(h *History) {
			h.Effects = append(h.Effects, output("m1", 0, 3, 25), output("m2", 1, 4, 25))
		}), []want{
			{AtMostOnce, AtApplication, Violated, "m1 and m2 took effect twice each in shop, in steps 23 and 25.", Duplicate, []int{23, 25}},
			{ExactlyOnce, AtApplication, Violated, "", Duplicate, nil},
		}},
		{"it aborts, and does not rewind", edit(writingHistory(), func(h *History) {
			h.Effects = h.Effects[:1]
			h.Submissions = append(h.Submissions, made("m2", 22, Outcome{Kind: Unknown, Offset: -1}, "c.1"))
			h.Txns = []Txn{{ID: "c.1", Producer: "c", Begin: 21, AbortAsked: 23, Outcome: TxnAborted, OutcomeStep: 24, Decided: TxnAborted, DecidedStep: 24}}
			h.Logs = append(h.Logs, Log{TP: out, Leader: 1})
		}), []want{
			{AtLeastOnce, AtApplication, Violated, "m2 was acknowledged in step 9, read by c in step 20, made into m2.out in step 22, whose transaction was aborted in step 24, and took no effect in shop.", "", []int{9, 20, 24}},
			{ExactlyOnce, AtApplication, Violated, "", "", nil},
		}},
		{"it reads, and its send fails", edit(writingHistory(), func(h *History) {
			h.Effects = h.Effects[:1]
			h.Submissions = append(h.Submissions, made("m2", 22, Outcome{Kind: FailedForCertain, Offset: -1, Error: "NOT_ENOUGH_REPLICAS", Step: 24}, ""))
			h.Logs = append(h.Logs, Log{TP: out, Leader: 1})
		}), []want{
			{AtLeastOnce, AtApplication, Violated, "m2 was acknowledged in step 9, read by c in step 20, made into m2.out in step 22, which failed with NOT_ENOUGH_REPLICAS in step 24, and took no effect in shop.", "", []int{9, 20, 24}},
			{ExactlyOnce, AtApplication, Violated, "", "", nil},
			{Available, AtLog, Violated, "", "", nil},
		}},
	}...)
}

// An application's effects are its outputs only if it writes.
func TestWritesFor(t *testing.T) {
	h := writingHistory()
	if !h.writesFor("shop") || h.writesFor("other") {
		t.Error("the application that writes is not known")
	}
}
