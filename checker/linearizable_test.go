package checker

import "slices"

type trial = struct {
	name string
	h    History
	want []want
}

func init() {
	trials = append(trials, []trial{
		{"acknowledged at 0, cut, sent again, acknowledged at 0", edit(smooth(), func(h *History) {
			h.Submissions = []Submission{sub("m1", 1, 0, 9), sub("m1", 12, 0, 15).again("2")}
			h.Appends = []Append{written(1, "m1", 0, 2), {TP: orders, Broker: 2, AsLeader: true, Epoch: 2, Submission: "m1#2", Record: "m1", Step: 13}}
			h.Cuts = []Cut{{TP: orders, Broker: 1, From: 0, To: 1, Step: 11}}
			h.Commits = []Commit{{TP: orders, Broker: 2, Epoch: 2, HighWatermark: 1, Step: 14}}
			h.Logs = ordersLog(Entry{Epoch: 2, Submission: "m1#2", Record: "m1", Step: 13})
			h.Reads, h.Effects, h.EndOffsets = []Read{read("m1", 0, 20)}, []Effect{effect("m1", 0, 21)}, nil
		}), []want{
			{Linearizable, AtLog, Violated, "m1 was acknowledged at offset 0 in step 9, and m1 was acknowledged at offset 0 in step 15: one offset was given twice.", "", []int{9, 15}},
		}},
		{"two sends of one record have changed places", edit(smooth(), func(h *History) {
			h.Submissions = []Submission{sub("m1", 1, 0, 9), sub("m1", 2, 1, 9).again("2")}
			h.Appends, h.Commits = nil, nil
			h.Logs = ordersLog(entry("m1", 0, 3).of("m1#2"), entry("m1", 1, 3))
			h.Reads, h.Effects = nil, []Effect{effect("m1", 0, 21)}
		}), []want{
			{AtMostOnce, AtLog, Violated, "", Duplicate, nil}, {ExactlyOnce, AtLog, Violated, "", Duplicate, nil},
			{Ordered, AtLog, Violated, "", NonmonotonicSend, nil},
			{Linearizable, AtLog, Violated, "m1 was acknowledged at offset 0 in step 9, but at the end that offset holds m1, as it was sent in step 2.", "", []int{3, 9}},
			{Available, AtApplication, Violated, "m1 was in orders-0 at offset 1 since step 3 and never handed to a consumer.", "", nil},
		}},
		{"the end goes back across a transaction marker", edit(smooth(), func(h *History) {
			h.Logs = ordersLog(entry("m1", 0, 2), entry("m2", 1, 2), Entry{Offset: 2, Control: true, Step: 12})
			h.EndOffsets = []EndOffset{{Consumer: "c", TP: orders, Offset: 3, Step: 19}, {Consumer: "d", TP: orders, Offset: 2, Call: 23, Step: 24}}
		}), []want{
			{Linearizable, AtLog, Violated, "c was told in step 19 that the log ends at 3, but later d was told in step 24 that the log ends at 2.", "", []int{19, 24}},
			{MonotonicRead, AtApplication, Violated, "", "", nil},
		}},
		{"the end is told before the marker, and after it", edit(smooth(), func(h *History) {
			h.Logs = ordersLog(entry("m1", 0, 2), entry("m2", 1, 2), Entry{Offset: 2, Control: true, Step: 12})
			h.EndOffsets = []EndOffset{{Consumer: "c", TP: orders, Offset: 2, Step: 11}, {Consumer: "d", TP: orders, Offset: 3, Call: 12, Step: 24}}
		}), nil},
		{"the end is told to be where nothing ever was", edit(smooth(), func(h *History) {
			h.EndOffsets = []EndOffset{{Consumer: "c", TP: orders, Offset: 5, Step: 19}}
		}), []want{
			{Linearizable, AtLog, Violated, "c was told in step 19 that the log ends at 5, but nothing that was sent lies at offset 2.", "", []int{19}},
		}},
		{"a record lies before one that was acknowledged when it was sent", edit(smooth(), func(h *History) {
			h.Submissions = []Submission{sub("m1", 11, 0, 14), sub("m2", 1, 1, 9)}
			h.Submissions[0].Producer = "q"
			h.Appends, h.Commits = nil, nil
			h.Logs = ordersLog(entry("m1", 0, 12), entry("m2", 1, 2))
		}), []want{
			{Linearizable, AtLog, Violated, "m2 was acknowledged at offset 1 in step 9, but m1, which lies before that at offset 0, was only sent in step 11.", "", []int{9, 11}},
		}},
		{"cut off, and acknowledged above what is known of the log: acks=0 below", cutOff(func(h *History) {
			h.Submissions[0].Outcome.Offset = -1
			h.Logs = ordersLog()
		}), unsettled},
		{"cut off, and acknowledged above what is known of the log: a marker below", cutOff(func(h *History) {
			h.Submissions = []Submission{sub("m1", 1, 0, 9), sub("m2", 1, 2, 9)}
			h.Appends = []Append{written(1, "m1", 0, 2), written(1, "m2", 2, 2)}
			h.Logs = ordersLog(entry("m1", 0, 2))
		}), unsettled},
		{"cut off, and a hole in what is known of the log", cutOff(func(h *History) {
			h.Submissions = []Submission{sub("m1", 1, 0, 9), sub("m2", 1, 2, 9)}
			h.Appends = nil
			h.Logs = ordersLog(entry("m1", 0, 2), entry("m2", 2, 2))
		}), []want{
			{Linearizable, AtLog, Violated, "m2 was acknowledged at offset 2 in step 9, but nothing that was sent lies at offset 1.", "", []int{9}},
		}},
	}...)
}

// cutOff is a run that did not come to rest, without a consumer.
func cutOff(change func(*History)) History {
	h := smooth()
	h.Quiescence, h.Applications, h.Reads, h.Effects, h.EndOffsets = Quiescence{}, nil, nil, nil, nil
	h.Appends, h.Commits = slices.Clone(h.Appends), nil
	change(&h)
	return h
}

// unsettled: nothing is violated, and what was acknowledged may still come.
var unsettled = []want{{AtLeastOnce, AtLog, Undecided, "", "", nil}, {ExactlyOnce, AtLog, Undecided, "", "", nil}}
