package checker

func init() {
	trials = append(trials, []trial{
		{"a look-up is answered late, with a commit in between", edit(smooth(), func(h *History) {
			h.OffsetCommits = []OffsetCommit{{Group: "shop", Consumer: "c", TP: orders, Offset: 1, Written: 21, Step: 22}, {Group: "shop", Consumer: "c", TP: orders, Offset: 2, Written: 25, Step: 26}}
			h.OffsetFetches = []OffsetFetch{{Group: "shop", Consumer: "d", TP: orders, Offset: 2, Call: 26, Step: 27}, {Group: "shop", Consumer: "e", TP: orders, Offset: 1, Call: 23, Step: 28}}
		}), nil},
		{"a look-up that began after a commit does not know it", edit(smooth(), func(h *History) {
			h.OffsetCommits = []OffsetCommit{{Group: "shop", Consumer: "c", TP: orders, Offset: 1, Written: 21, Step: 22}, {Group: "shop", Consumer: "c", TP: orders, Offset: 2, Written: 25, Step: 26}}
			h.OffsetFetches = []OffsetFetch{{Group: "shop", Consumer: "d", TP: orders, Offset: 2, Call: 26, Step: 27}, {Group: "shop", Consumer: "e", TP: orders, Offset: 1, Call: 26, Step: 28}}
		}), []want{
			{MonotonicRead, AtApplication, Violated, "c committed offset 2 of orders-0 in step 25, but e was told in step 28 that the committed offset is 1.", "", []int{25, 28}},
		}},
		{"a transaction sets a position back", edit(smooth(), func(h *History) {
			h.OffsetCommits = []OffsetCommit{{Group: "shop", Consumer: "c", TP: orders, Offset: 2, Written: 21, Step: 22}}
			h.Txns = []Txn{{ID: "t", Producer: "p", Begin: 22, CommitAsked: 23, Outcome: TxnCommitted, OutcomeStep: 26, Decided: TxnCommitted, DecidedStep: 24,
				Offsets: []TxnOffset{{Group: "shop", TP: orders, Offset: 1, Applied: true, Written: 23, Effective: 25, Step: 23}}}}
			h.OffsetFetches = []OffsetFetch{{Group: "shop", Consumer: "d", TP: orders, Offset: 2, Call: 24, Step: 24}, {Group: "shop", Consumer: "e", TP: orders, Offset: 1, Call: 25, Step: 28}}
		}), nil},
		{"delete-records took half of a transaction before its reader came", edit(txnTrial(
			Txn{CommitAsked: 5, Outcome: TxnCommitted, OutcomeStep: 8, Decided: TxnCommitted, DecidedStep: 6}, MarkedCommitted, MarkedCommitted), func(h *History) {
			h.Applications = []Application{{Name: "shop", Topics: []string{"orders", "payments"}}}
			h.Logs[0].Expired, h.Logs[0].Entries, h.Logs[0].Start = []Expiry{{Entry: h.Logs[0].Entries[0], Cause: DeleteRecords, Step: 12}}, h.Logs[0].Entries[1:], 1
			h.Reads = []Read{{Application: "shop", Consumer: "c", TP: payments, Record: "y", Step: 20}}
			h.Effects = []Effect{{Application: "shop", Consumer: "c", TP: payments, Record: "y", Step: 21}}
		}), []want{
			{AtLeastOnce, AtApplication, Violated, "", "", nil}, {ExactlyOnce, AtApplication, Violated, "", "", nil}, // x is lost to it, but nothing is torn
		}},
	}...)
}
