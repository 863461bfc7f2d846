package checker

// An explanation names what destroyed an effect, or kept it from being, and counts its step among those that decide.
func init() {
	trials = append(trials, []struct {
		name string
		h    History
		want []want
	}{
		{"its process dies with a record in hand", edit(smooth(), func(h *History) {
			h.Effects = h.Effects[:1]
			h.Deaths = []Death{
				{Node: "c", Applications: []string{"shop"}, How: "crashed", Step: 5}, // before it read
				{Node: "d", Applications: []string{"shop"}, How: "crashed", Step: 21},
				{Node: "c", Applications: []string{"shop"}, How: "lost power", Step: 22},
				{Node: "c", Applications: []string{"shop"}, How: "crashed", Step: 24},
			}
		}), []want{
			{AtLeastOnce, AtApplication, Violated, "m2 was acknowledged in step 9, read by c in step 20, before c lost power in step 22, and never processed.", "", []int{9, 20, 22}},
			{ExactlyOnce, AtApplication, Violated, "", "", nil},
		}},
		{"its database dies, and takes the transaction along", edit(writingHistory(), func(h *History) {
			h.Effects = h.Effects[:1]
			h.RowWrites = []RowWrite{{Record: "m2", Consumer: "c", Table: "orders", Step: 21, RolledBack: 23}}
			h.Deaths = []Death{{Node: "db", Applications: []string{"shop"}, Database: true, How: "crashed", Step: 22}}
		}), []want{
			{AtLeastOnce, AtApplication, Violated, "m2 was acknowledged in step 9, read by c in step 20, written to table orders in step 21 in a transaction that was rolled back in step 23, after db crashed in step 22, and took no effect in shop.", "", []int{9, 20, 22, 23}},
			{ExactlyOnce, AtApplication, Violated, "", "", nil},
		}},
		{"the database of another application dies", edit(writingHistory(), func(h *History) {
			h.Effects = h.Effects[:1]
			h.Deaths = []Death{{Node: "db", Applications: []string{"mail"}, Database: true, How: "crashed", Step: 22}}
		}), []want{
			{AtLeastOnce, AtApplication, Violated, "m2 was acknowledged in step 9, read by c in step 20, and took no effect in shop.", "", []int{9, 20}},
			{ExactlyOnce, AtApplication, Violated, "", "", nil},
		}},
		{"an open transaction stands before it in the log", behindAnOpenTransaction(ReadCommitted), []want{
			{AtLeastOnce, AtApplication, Violated, "m2 was acknowledged in step 9, kept from readers in read_committed by m1 at offset 0, appended in step 2 in a transaction that never ended, and never processed.", "", []int{2, 9}},
			{ExactlyOnce, AtApplication, Violated, "", "", nil},
			{Available, AtLog, Violated, "m1 was sent in step 1 and never acknowledged.", "", []int{1}},
			{Available, AtApplication, Violated, "m2 was in orders-0 at offset 1 since step 2 and never handed to a consumer, kept from readers in read_committed by m1 at offset 0, appended in step 2 in a transaction that never ended.", "", []int{2}},
		}},
		{"it stands before it, and nobody minds", behindAnOpenTransaction(ReadUncommitted), []want{
			{AtLeastOnce, AtApplication, Violated, "m2 was acknowledged in step 9 and never processed.", "", []int{9}},
			{ExactlyOnce, AtApplication, Violated, "", "", nil},
			{Available, AtLog, Violated, "m1 was sent in step 1 and never acknowledged.", "", []int{1}},
			{Available, AtApplication, Violated, "m2 was in orders-0 at offset 1 since step 2 and never handed to a consumer.", "", []int{2}},
		}},
		{"a transaction is committed, and its application is never told", edit(smooth(), func(h *History) {
			h.Submissions[0].Txn = "p.1"
			h.Txns = []Txn{{ID: "p.1", Producer: "p", Begin: 1, CommitAsked: 10, Outcome: TxnOpen, Decided: TxnCommitted, DecidedStep: 11}}
			h.Logs[0].Entries[0].Fate = MarkedCommitted
		}), []want{
			{Available, AtLog, Violated, "m1 was sent in step 1 in p.1, which was committed in step 11, but commitTransaction never returned to its application.", "", []int{1}},
		}},
	}...)
}

// behindAnOpenTransaction is a history in which m1's transaction was begun and is never ended, and m2 lies behind it.
func behindAnOpenTransaction(i Isolation) History {
	h := smooth()
	h.Applications = []Application{{Name: "shop", Topics: []string{"orders"}, ReadCommitted: i == ReadCommitted}}
	h.Submissions[0].Txn = "p.1"
	h.Submissions[0].Outcome = Outcome{Kind: Unknown, Offset: -1}
	h.Txns = []Txn{{ID: "p.1", Producer: "p", Begin: 1}}
	h.Logs[0].Entries[0].Fate = Unmarked
	h.Reads, h.Effects, h.EndOffsets = nil, nil, nil
	return h
}
