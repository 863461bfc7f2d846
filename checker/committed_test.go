package checker

import "testing"

// Broker 1 led in epoch 2 and wrote x1, broker 2 leads in epoch 3 and has y1 of epoch 1 there (KIP-279). What
// the high watermark of epoch 3 passes is y1, though x1 bears the later epoch.
func TestALeaderCommitsItsOwnLog(t *testing.T) {
	y1, x1 := written(2, "y1", 0, 2), written(1, "x1", 0, 5)
	x1.Epoch = 2
	h := History{
		Submissions: []Submission{sub("y1", 1, 0, 3), timedOut("x1", 4, 6)},
		Appends:     []Append{y1, x1, copied(1, "y1", 0, 11)},
		Cuts:        []Cut{{TP: orders, Broker: 1, From: 0, To: 1, Step: 10}},
		Commits:     []Commit{{TP: orders, Broker: 2, Epoch: 3, HighWatermark: 1, Step: 8}, {TP: orders, Broker: 1, Epoch: 4, HighWatermark: 1, Step: 13}},
		Logs:        ordersLog(entry("y1", 0, 2)),
		Quiescence:  rested,
		End:         20,
	}
	x := newIndex(&h)
	if got := x.committed[entryKey{orders, 0, 1}]; got != 8 {
		t.Errorf("y1 was committed in step %d, want 8", got)
	}
	if got := x.committed[entryKey{orders, 0, 2}]; got != 0 {
		t.Errorf("x1 was committed in step %d, want never", got)
	}
	if v := judgeMonotonicRead(x, AtLog); v.Ruling != Holds {
		t.Errorf("monotonic-read: %+v", v)
	}
}

// A record that follows a cut at the same offset is committed anew.
func TestACommitAfterACut(t *testing.T) {
	n2 := written(1, "n2", 0, 6)
	n2.Epoch = 2
	h := History{
		Appends: []Append{written(1, "m2", 0, 2), n2},
		Cuts:    []Cut{{TP: orders, Broker: 1, From: 0, To: 1, Step: 4}},
		Commits: []Commit{{TP: orders, Broker: 1, Epoch: 1, HighWatermark: 1, Step: 3}, {TP: orders, Broker: 1, Epoch: 2, HighWatermark: 1, Step: 6}},
	}
	x := newIndex(&h)
	if m2, n2 := x.committed[entryKey{orders, 0, 1}], x.committed[entryKey{orders, 0, 2}]; m2 != 3 || n2 != 6 {
		t.Errorf("committed in steps %d and %d, want 3 and 6", m2, n2)
	}
}
