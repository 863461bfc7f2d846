package checker

var (
	orders   = TopicPartition{"orders", 0}
	payments = TopicPartition{"payments", 0}
	rested   = Quiescence{Reached: true}
	shop     = []Application{{Name: "shop", Topics: []string{"orders"}}}
)

// sub is a submission of a record to orders-0 that is acknowledged at an offset.
func sub(r RecordID, send int, offset int64, ack int) Submission {
	return Submission{ID: SubmissionID(r) + "#1", Record: r, Producer: "p", TP: orders, SendStep: send,
		Outcome: Outcome{Kind: Acked, Offset: offset, Step: ack}}
}

// timedOut is a submission whose outcome is unknown.
func timedOut(r RecordID, send, step int) Submission {
	s := sub(r, send, -1, step)
	s.Outcome = Outcome{Kind: Unknown, Offset: -1, Error: "TimeoutException", Step: step}
	return s
}

// again makes a resend by the application.
func (s Submission) again(n string) Submission {
	s.ID = SubmissionID(s.Record) + "#" + SubmissionID(n)
	return s
}

func (s Submission) in(t TxnID) Submission {
	s.Txn = t
	return s
}

// written is a leader's append of the first submission of a record.
func written(b int, r RecordID, offset int64, step int) Append {
	return Append{TP: orders, Broker: b, AsLeader: true, Epoch: 1, Offset: offset, Submission: SubmissionID(r) + "#1", Record: r, Step: step}
}

func copied(b int, r RecordID, offset int64, step int) Append {
	a := written(b, r, offset, step)
	a.AsLeader = false
	return a
}

func entry(r RecordID, offset int64, step int) Entry {
	return Entry{Offset: offset, Epoch: 1, Submission: SubmissionID(r) + "#1", Record: r, Step: step}
}

func (e Entry) of(id SubmissionID) Entry { e.Submission = id; return e }
func (e Entry) fate(f Fate) Entry        { e.Fate = f; return e }

func ordersLog(entries ...Entry) []Log { return []Log{{TP: orders, Leader: 1, Entries: entries}} }

func effect(r RecordID, offset int64, step int) Effect {
	return Effect{Application: "shop", Consumer: "c", TP: orders, Offset: offset, Record: r, Step: step}
}

func read(r RecordID, offset int64, step int) Read {
	return Read{Application: "shop", Consumer: "c", TP: orders, Offset: offset, Record: r, Step: step}
}

// kip101 is the loss of KIP-101, scenario 1: both records acknowledged, cut from the follower that trusts its own high
// watermark, and then from the old leader that follows it.
func kip101() History {
	return History{
		Submissions: []Submission{sub("m1", 1, 0, 9), sub("m2", 1, 1, 9)},
		Appends:     []Append{written(1, "m1", 0, 2), written(1, "m2", 1, 2), copied(2, "m1", 0, 5), copied(2, "m2", 1, 5)},
		Commits:     []Commit{{TP: orders, Broker: 1, Epoch: 1, HighWatermark: 2, Step: 8}},
		Cuts: []Cut{
			{TP: orders, Broker: 2, From: 0, To: 2, Step: 11},
			{TP: orders, Broker: 1, From: 0, To: 2, Step: 24},
		},
		Logs:         []Log{{TP: orders, Leader: 2}},
		Applications: shop,
		Quiescence:   rested,
		End:          30,
	}
}

// smooth is the same with nothing cut and everything processed.
func smooth() History {
	h := kip101()
	h.Cuts = nil
	h.Logs = ordersLog(entry("m1", 0, 2), entry("m2", 1, 2))
	h.Reads = []Read{read("m1", 0, 20), read("m2", 1, 20)}
	h.Effects = []Effect{effect("m1", 0, 21), effect("m2", 1, 22)}
	h.EndOffsets = []EndOffset{{Consumer: "c", TP: orders, Offset: 2, Step: 19}}
	return h
}

// edit changes a copy of a history.
func edit(h History, change func(*History)) History {
	change(&h)
	return h
}
