package log

import (
	"slices"
	"testing"

	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
)

// Where a rule says "more than", "below" or "at", what lies on the bound decides, and each condition of a rule decides
// alone. Each of these was found by mutating the rule.

// read_committed stops at the oldest transaction that is open, or whose marker is not replicated yet; the index of aborted
// transactions notes where it stops once the marker counts.
func TestTheLastStableOffsetWaitsForTheMarkersReplication(t *testing.T) {
	l := Open(newDisk(), "orders-0", Config{}, &trunk, 0)
	for id := int64(1); id <= 3; id++ { // offsets 0, 1, 2
		l.AppendAsLeader(transactional(id), 1, 0)
	}
	l.AppendAsLeader(batch(1).WithProducerState(9, 0, 0), 1, 0) // 3, in no transaction
	at := func(hw, lso int64, when string) {
		t.Helper()
		l.UpdateHighWatermark(hw)
		if got := l.LastStableOffset(); got != lso {
			t.Errorf("%s: last stable offset %d, want %d", when, got, lso)
		}
	}
	at(4, 0, "all open")
	abort(t, l, 2) // 4
	abort(t, l, 1) // 5
	at(4, 0, "no marker replicated")
	at(5, 0, "the second transaction's marker is replicated")
	at(6, 2, "both are")
	for _, c := range []struct {
		isolation Isolation
		batches   int
	}{{FetchTxnCommitted, 2}, {FetchHighWatermark, 6}} {
		if got, err := l.Read(0, c.isolation, 0); err != protocol.None || len(got) != c.batches {
			t.Errorf("isolation %v: %d batches, %v, want %d", c.isolation, len(got), err, c.batches)
		}
	}
	abort(t, l, 3) // 6
	at(6, 2, "the last marker is not replicated")
	at(7, 7, "it is")
	for i, want := range []int64{0, 2, 7} {
		if got := l.Aborted().Entries()[i].LastStableOffset; got != want {
			t.Errorf("aborted transaction %d: last stable offset %d, want %d", i, got, want)
		}
	}
}

// A snapshot knows what is open, and of whom.
func TestAnOpenTransactionIsReadFromASnapshot(t *testing.T) {
	for _, open := range []bool{true, false} {
		disk := newDisk()
		l := Open(disk, "orders-0", Config{}, &trunk, 0)
		b := transactional(1)
		b.IsTransactional = open
		l.AppendAsLeader(b, 1, 0)
		l.Flush()
		l.Close()
		l = Open(disk, "orders-0", Config{}, &trunk, 1)
		if got := l.LastStableOffset(); (got == 0) != open {
			t.Errorf("open %v: last stable offset %d", open, got)
		}
	}
}

// A transaction hangs when it is older than the largest transaction.timeout.ms and five minutes more; without one, none hangs.
func TestATransactionThatHangs(t *testing.T) {
	const never = int64(1) << 40
	l := Open(newDisk(), "orders-0", Config{Producers: ProducerStateManagerConfig{MaxTransactionTimeout: 1000}}, &trunk, 0)
	late := func(now int64, want bool, when string) {
		t.Helper()
		if got := l.Producers().HasLateTransaction(now); got != want {
			t.Errorf("%s, at %d ms: %v", when, now, got)
		}
	}
	late(never, false, "an empty log")
	begin := func() {
		b := transactional(1)
		b.MaxTimestamp = 500
		l.AppendAsLeader(b, 1, 0)
	}
	begin()
	late(500+1000+5*60*1000, false, "open, to the millisecond")
	late(500+1000+5*60*1000+1, true, "open, a millisecond later")
	abort(t, l, 1)
	late(never, false, "aborted")
	l = Open(newDisk(), "orders-0", l.cfg, &trunk, 0)
	begin()
	l.TruncateFullyAndStartAt(7)
	late(never, false, "emptied")
}

// After the largest sequence number comes 0.
func TestSequenceNumbersWrap(t *testing.T) {
	l := Open(newDisk(), "orders-0", Config{}, &trunk, 0)
	produce(l, 0, 1<<31-1, 1)
	if got := produce(l, 0, 0, 1); got != "1-1" {
		t.Error("0 after 2147483647:", got)
	}
}

// Two snapshots are kept, each of another offset; those below the log's start go.
func TestWhichSnapshotsAreKept(t *testing.T) {
	l := Open(newDisk(), "orders-0", Config{}, &trunk, 0)
	kept := func(when string, want ...int64) {
		t.Helper()
		var got []int64
		for _, s := range l.Producers().snapshots {
			got = append(got, s.Offset)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", when, got, want)
		}
	}
	for s := range int32(3) {
		produce(l, 0, s, 1)
		l.Close()
	}
	kept("of three", 2, 3)
	l.Close()
	kept("of a log that has not grown", 2, 3)
	l.MaybeIncrementLogStartOffset(3)
	kept("at the log's start", 3)
}

// Up to 2.3 what is remembered of a producer is what the log still has.
func TestBatchesBelowTheLogStartAreForgotten(t *testing.T) {
	l := Open(newDisk(), "orders-0", Config{}, rulesOf(t, "2.3"), 0)
	for s := range int32(3) {
		produce(l, 0, s, 1)
	}
	for start := int64(1); start <= 2; start++ {
		l.MaybeIncrementLogStartOffset(start)
		e := l.Producers().LastEntry(7)
		if e == nil {
			t.Fatalf("log start %d: the producer is forgotten, and its last record is there", start)
		}
		if b := e.Batches(); int64(len(b)) != 3-start || b[0].LastOffset != start {
			t.Errorf("log start %d: remembered %+v", start, b)
		}
	}
}

// A batch is read when the bound is behind it, and not when the bound is within it.
func TestABatchAcrossTheBoundIsNotRead(t *testing.T) {
	l := Open(newDisk(), "orders-0", Config{}, &trunk, 0)
	fill(l, 0, 2, 3) // 0-1 2-4
	for upTo, want := range map[int64]int{2: 1, 4: 1, 5: 2} {
		if got, err := l.ReadUpTo(0, upTo, 0); err != protocol.None || len(got) != want {
			t.Errorf("up to %d: %d batches, %v, want %d", upTo, len(got), err, want)
		}
	}
}

// The high watermark is raised when it is higher, to the end of the log at most.
func TestTheHighWatermarkRisesToTheLogEnd(t *testing.T) {
	l := Open(newDisk(), "orders-0", Config{}, &trunk, 0)
	fill(l, 0, 3)
	l.UpdateHighWatermark(1)
	for _, c := range []struct {
		to     int64
		raised bool
	}{{1, false}, {4, false}, {3, true}, {3, false}} {
		if _, raised := l.MaybeIncrementHighWatermark(c.to); raised != c.raised {
			t.Errorf("to %d: raised %v, want %v", c.to, raised, c.raised)
		}
	}
}

// A restart finds the recovery point, a log that was deleted up to its end, and the epoch 0.
func TestWhatARestartFindsAtTheBounds(t *testing.T) {
	disk := newDisk()
	l := Open(disk, "orders-0", Config{}, &trunk, 0)
	fill(l, 0, 2)
	l.Flush()
	fill(l, 0, 1)
	l.epochs.Clear()
	again := Open(disk, "orders-0", Config{}, &trunk, 3)
	expectState(t, again, "start 0 hw 3 end 3 epochs [{0 0}] batches 0-1 2-2")
	if again.recoveryPoint != 2 {
		t.Errorf("recovery point %d, want 2: the third record was not flushed", again.recoveryPoint)
	}
	again.MaybeIncrementLogStartOffset(3)
	expectState(t, Open(disk, "orders-0", Config{}, &trunk, 3), "start 3 hw 3 end 3 epochs [] batches 0-1 2-2")
}

// What is deleted from the front of the disk is gone there, and the log begins with the batch that is left.
func TestWhereALogBeginsOnTheDisk(t *testing.T) {
	disk := newDisk()
	l := Open(disk, "orders-0", Config{}, &trunk, 0)
	fill(l, 0, 2, 1)
	l.UpdateHighWatermark(3)
	l.DeleteOldest(2)
	for when, l := range map[string]*UnifiedLog{"at once": l, "after a restart": Open(disk, "orders-0", Config{}, &trunk, 3)} {
		if l.baseOffset != 2 {
			t.Errorf("%s: the disk begins at %d, want 2", when, l.baseOffset)
		}
	}
	l = Open(newDisk(), "orders-0", Config{}, &trunk, 0)
	abortedLog(t, l)
	l.DeleteOldest(1) // the marker at 1 is the first that is left
	if got := spelt(l.Aborted()); got != "1:0-1 2:2-3 " {
		t.Errorf("aborted transactions whose markers are left: %q", got)
	}
}

// In 3.6 a coordinator's batch needs no verification, and from 3.7 on it does; a client's needs one in both.
func TestWhoseBatchesAreVerified(t *testing.T) {
	for _, c := range []struct {
		version string
		origin  AppendOrigin
		want    protocol.Error
	}{
		{"3.6", OriginClient, protocol.InvalidTxnState}, {"3.6", OriginCoordinator, protocol.None},
		{"3.7", OriginClient, protocol.InvalidTxnState}, {"3.7", OriginCoordinator, protocol.InvalidTxnState},
	} {
		l := verifyingLog(t, c.version)
		if _, err := l.AppendAsLeaderWith(ofTransaction(0, 0), 0, 0, AppendOptions{Origin: c.origin}); err != c.want {
			t.Errorf("%s, origin %v: %v, want %v", c.version, c.origin, err, c.want)
		}
	}
}

// A verification holds the lowest sequence number of its epoch. A newer epoch begins anew; an older one changes nothing.
func TestAVerificationHoldsTheLowestSequence(t *testing.T) {
	p := verifyingLog(t, "3.9").Producers()
	for _, c := range []struct {
		sequence int32
		epoch    int16
		lowest   int32
		of       int16
	}{{5, 1, 5, 1}, {3, 1, 3, 1}, {4, 1, 3, 1}, {9, 2, 9, 2}, {1, 1, 9, 2}} {
		if v := p.MaybeCreateVerificationStateEntry(7, c.sequence, c.epoch, false, 0); v.LowestSequence != c.lowest || v.Epoch != c.of {
			t.Errorf("sequence %d of epoch %d: %+v", c.sequence, c.epoch, v)
		}
	}
}

// The cache of epochs begins with epoch 0 and offset 0, knows its only entry, and names none above its last.
func TestTheFirstAndTheLastEpoch(t *testing.T) {
	c := OpenLeaderEpochFileCache(newDisk(), "orders-0", &trunk, planted.Set{})
	if _, ok := c.LatestEpoch(); ok {
		t.Error("an empty cache has a latest epoch")
	}
	for _, want := range []bool{true, false} {
		if changed, err := c.Assign(0, 0); changed != want || err != nil {
			t.Errorf("epoch 0 at offset 0: changed %v, %v, want %v", changed, err, want)
		}
	}
	if e, ok := c.LatestEpoch(); !ok || e != 0 {
		t.Errorf("latest epoch %d, %v", e, ok)
	}
	if e, ok := c.NextEpoch(0); ok {
		t.Errorf("above the last epoch comes %d", e)
	}
	old := OpenLeaderEpochFileCache(newDisk(), "orders-0", rulesOf(t, "0.11"), planted.Set{})
	for _, c := range []struct {
		offset int64
		want   bool
	}{{0, true}, {5, false}} {
		if changed, _ := old.Assign(1, c.offset); changed != c.want {
			t.Errorf("0.11: epoch 1 at offset %d: changed %v, want %v", c.offset, changed, c.want)
		}
	}
}

// A truncation lowers the recovery point: what is appended after it was not flushed, though the log once was, up to there and
// beyond. A power loss takes that, and no more; and flush.messages counts from the cut.
//
// Kafka: UnifiedLog.truncateTo (updateRecoveryPoint); flush.messages in UnifiedLog.append.
func TestATruncationLowersTheRecoveryPoint(t *testing.T) {
	disk := newDisk()
	l := Open(disk, "orders-0", Config{}, &trunk, 0)
	fill(l, 1, 1, 1, 1, 1, 1)
	l.Flush()
	point := func(want int64, when string) {
		t.Helper()
		if l.RecoveryPoint() != want {
			t.Errorf("%s: recovery point %d, want %d", when, l.RecoveryPoint(), want)
		}
	}
	point(5, "flushed")
	l.TruncateTo(3)
	point(3, "truncated")
	fill(l, 2, 1, 1)
	point(3, "appended to again")
	powerLoss(l)
	l = Open(disk, "orders-0", Config{FlushMessages: 2}, &trunk, 0)
	expectState(t, l, "start 0 hw 0 end 3 epochs [{1 0}] batches 0-0 1-1 2-2")
	point(3, "after a power loss")

	l.TruncateTo(1)
	fill(l, 2, 1)
	point(1, "one record after a cut, with flush.messages=2")
	fill(l, 2, 1)
	point(3, "two records after it")
	powerLoss(l)
	expectState(t, Open(disk, "orders-0", Config{}, &trunk, 0), "start 0 hw 0 end 3 epochs [{1 0} {2 1}] batches 0-0 1-1 2-2")

	l = Open(newDisk(), "orders-1", Config{}, &trunk, 0)
	fill(l, 1, 2)
	l.Flush()
	l.TruncateFullyAndStartAt(1)
	point(1, "emptied")
}
