package log

import (
	"fmt"
	"testing"

	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
)

// transactional is one record of a producer in a transaction, its first in this partition.
func transactional(id int64) *record.RecordBatch {
	b := batch(1).WithProducerState(id, 0, 0)
	b.IsTransactional = true
	return b
}

func abort(t *testing.T, l *UnifiedLog, id int64) {
	t.Helper()
	if _, err := l.AppendAsLeaderWith(record.NewMarker(id, 0, record.EndTransactionMarker{Abort: true}, 0), 1, 0, AppendOptions{Origin: OriginCoordinator}); err != protocol.None {
		t.Fatal(err)
	}
}

// abortedLog holds two aborted transactions: offsets 0 to 1 of producer 1 and 2 to 3 of producer 2.
func abortedLog(t *testing.T, l *UnifiedLog) {
	t.Helper()
	for id := int64(1); id <= 2; id++ {
		if _, err := l.AppendAsLeader(transactional(id), 1, 0); err != protocol.None {
			t.Fatal(err)
		}
		abort(t, l, id)
	}
	l.UpdateHighWatermark(l.LogEndOffset())
}

func spelt(x *TransactionIndex) string {
	s := ""
	for _, e := range x.Entries() {
		s += fmt.Sprintf("%d:%d-%d ", e.ProducerID, e.FirstOffset, e.LastOffset)
	}
	return s
}

// The index is that of the log: a restart finds it once, not twice, a cut takes what it takes of the log, and a
// follower makes the same.
func TestTheIndexOfAbortedTransactionsFollowsTheLog(t *testing.T) {
	disk := newDisk()
	l := Open(disk, "orders-0", Config{}, &trunk, 0)
	abortedLog(t, l)
	const both = "1:0-1 2:2-3 "
	if got := spelt(l.Aborted()); got != both {
		t.Errorf("written: %q", got)
	}
	if got := spelt(Open(disk, "orders-0", Config{}, &trunk, 4).Aborted()); got != both {
		t.Errorf("after a restart: %q", got)
	}
	follower := Open(newDisk(), "orders-0", Config{}, &trunk, 0)
	if _, err := follower.AppendAsFollower(l.Batches()); err != protocol.None || spelt(follower.Aborted()) != both {
		t.Errorf("on a follower: %q, %v", spelt(follower.Aborted()), err)
	}
	follower.TruncateTo(3)
	if got := spelt(follower.Aborted()); got != "1:0-1 " {
		t.Errorf("after a cut to 3: %q", got)
	}
	l.DeleteOldest(2)
	if got := spelt(l.Aborted()); got != "2:2-3 " {
		t.Errorf("after the first transaction was deleted: %q", got)
	}
	l.TruncateFullyAndStartAt(7)
	if got := spelt(l.Aborted()); got != "" {
		t.Errorf("of an empty log: %q", got)
	}
}

// What a power loss takes from the log it takes from the index.
func TestAPowerLossTakesTheMarkerAndItsEntry(t *testing.T) {
	disk := newDisk()
	l := Open(disk, "orders-0", Config{}, &trunk, 0)
	abortedLog(t, l)
	disk.File("orders-0").Truncate(3)
	if got := spelt(Open(disk, "orders-0", Config{}, &trunk, 0).Aborted()); got != "1:0-1 " {
		t.Errorf("with three batches left: %q", got)
	}
}
