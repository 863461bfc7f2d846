package log

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/model/release"
	"kafkatrial/sim"
)

var (
	trunk = release.Of(release.Version{Major: 4})
	v010  = release.Of(release.Version{Minor: 10, Patch: 2})
)

func newDisk() *sim.Disk {
	return sim.New(sim.Config{Nodes: []sim.NodeSpec{{Name: "b1", Idle: true}}}).Disk(0)
}

// batch makes n records; the log names them by offset in these tests.
func batch(n int) *record.RecordBatch {
	rs := make([]record.Record, n)
	for i := range rs {
		rs[i].ID = "m" + strconv.Itoa(i+1)
	}
	return record.NewBatch(rs)
}

// fill appends batches of the given sizes as leader of epoch.
func fill(l *UnifiedLog, epoch int, sizes ...int) {
	for _, n := range sizes {
		l.AppendAsLeader(batch(n), epoch, 0)
	}
}

// state writes all that a log knows on one line.
func state(l *UnifiedLog) string {
	s := fmt.Sprintf("start %d hw %d end %d epochs %v batches", l.LogStartOffset(), l.HighWatermark(), l.LogEndOffset(), l.Epochs().Entries())
	for _, b := range l.Batches() {
		s += fmt.Sprintf(" %d-%d", b.BaseOffset, b.LastOffset())
	}
	if len(l.batches) != l.file.Len() {
		s += fmt.Sprintf(" (but %d on the file)", l.file.Len())
	}
	return s
}

func expectState(t *testing.T, l *UnifiedLog, want string) {
	t.Helper()
	if got := state(l); got != want {
		t.Errorf("the log is\n  %s\nwant\n  %s", got, want)
	}
}

func TestAppendAsLeaderAssignsOffsetsAndEpoch(t *testing.T) {
	l := Open(newDisk(), "orders-0", Config{}, &trunk, 0)
	fill(l, 1, 2, 1)
	info, err := l.AppendAsLeader(batch(3), 4, 0)
	if err != protocol.None || info.FirstOffset != 3 || info.LastOffset != 5 || info.LastLeaderEpoch != 4 || !info.EpochChanged {
		t.Errorf("append: %+v, %v", info, err)
	}
	expectState(t, l, "start 0 hw 0 end 6 epochs [{1 0} {4 3}] batches 0-1 2-2 3-5")
	if e := l.Batches()[2].PartitionLeaderEpoch; e != 4 {
		t.Errorf("the batch bears epoch %d, want 4", e)
	}
}

func TestLogAppendTime(t *testing.T) {
	l := Open(newDisk(), "orders-0", Config{LogAppendTime: true}, &trunk, 0)
	l.AppendAsLeader(batch(1), 0, 1500*sim.Microsecond)
	if b := l.Batches()[0]; !b.LogAppendTime || b.MaxTimestamp != 1 {
		t.Errorf("stamped %v %d, want the leader's clock, 1 ms", b.LogAppendTime, b.MaxTimestamp)
	}
}

func TestAppendAsFollower(t *testing.T) {
	l := Open(newDisk(), "orders-0", Config{}, &trunk, 0)
	source := Open(newDisk(), "orders-0", Config{}, &trunk, 0)
	fill(source, 1, 2, 1)
	fill(source, 3, 2)
	if _, err := l.AppendAsFollower(source.Batches()[:2]); err != protocol.None {
		t.Fatal(err)
	}
	if _, err := l.AppendAsFollower(source.Batches()[1:]); err != protocol.OffsetOutOfRange {
		t.Errorf("an append that goes back: %v, want OFFSET_OUT_OF_RANGE", err)
	}
	if info, err := l.AppendAsFollower(nil); err != protocol.None || info.LastOffset != info.FirstOffset-1 || info.FirstOffset != 3 {
		t.Errorf("nothing to append: %+v, %v", info, err)
	}
	if _, err := l.AppendAsFollower(source.Batches()[2:]); err != protocol.None {
		t.Fatal(err)
	}
	expectState(t, l, "start 0 hw 0 end 5 epochs [{1 0} {3 3}] batches 0-1 2-2 3-4")
}

func TestReadBounds(t *testing.T) {
	l := Open(newDisk(), "orders-0", Config{}, &trunk, 0)
	fill(l, 0, 2, 1, 3, 1) // 0-1 2-2 3-5 6-6
	l.UpdateHighWatermark(3)
	for _, c := range []struct {
		from      int64
		isolation Isolation
		max       int
		want      string
	}{
		{0, FetchLogEnd, 0, "0 2 3 6 NONE"},
		{1, FetchLogEnd, 0, "0 2 3 6 NONE"}, // the batch that holds the offset comes whole
		{4, FetchLogEnd, 0, "3 6 NONE"},
		{6, FetchLogEnd, 0, "6 NONE"},
		{7, FetchLogEnd, 0, "NONE"},
		{8, FetchLogEnd, 0, "OFFSET_OUT_OF_RANGE"},
		{0, FetchHighWatermark, 0, "0 2 NONE"},
		{3, FetchHighWatermark, 0, "NONE"},
		{5, FetchHighWatermark, 0, "NONE"}, // beyond the high watermark there is nothing yet
		{0, FetchTxnCommitted, 0, "0 2 NONE"},
		{0, FetchLogEnd, 1, "0 NONE"}, // at least one batch
		{0, FetchLogEnd, 3, "0 2 NONE"},
		{0, FetchLogEnd, 5, "0 2 NONE"},
		{0, FetchLogEnd, 6, "0 2 3 NONE"},
	} {
		bs, err := l.Read(c.from, c.isolation, c.max)
		got := ""
		for _, b := range bs {
			got += strconv.FormatInt(b.BaseOffset, 10) + " "
		}
		if got += err.String(); got != c.want {
			t.Errorf("Read(%d, %d, %d) = %s, want %s", c.from, c.isolation, c.max, got, c.want)
		}
	}
	l.UpdateHighWatermark(4) // within a batch: what is not committed whole is not read
	if bs, _ := l.Read(3, FetchHighWatermark, 0); len(bs) != 0 {
		t.Errorf("read %v, half of which is above the high watermark", bs)
	}
}

// A message under way holds a part of the log's slice; a cut and new records must not change it.
func TestTruncationLeavesWhatIsUnderWay(t *testing.T) {
	l := Open(newDisk(), "orders-0", Config{}, &trunk, 0)
	fill(l, 1, 1, 1, 1)
	before := slices.Clone(l.Batches())
	read, _ := l.Read(0, FetchLogEnd, 0)
	blocks := l.file.Blocks()
	l.TruncateTo(1)
	fill(l, 2, 1, 1)
	if !slices.Equal(read, before) || blocks[1] != sim.Block(before[1]) {
		t.Errorf("what was read before the cut became %v", read)
	}
	expectState(t, l, "start 0 hw 0 end 3 epochs [{1 0} {2 1}] batches 0-0 1-1 2-2")
}

func TestTruncateTo(t *testing.T) {
	for _, c := range []struct {
		to   int64
		cut  int
		want string
	}{
		{9, 0, "start 0 hw 5 end 6 epochs [{1 0} {2 3}] batches 0-1 2-2 3-5"},
		{6, 0, "start 0 hw 5 end 6 epochs [{1 0} {2 3}] batches 0-1 2-2 3-5"},
		{5, 1, "start 0 hw 5 end 5 epochs [{1 0} {2 3}] batches 0-1 2-2"}, // the batch that holds 5 goes whole
		{3, 1, "start 0 hw 3 end 3 epochs [{1 0}] batches 0-1 2-2"},
		{2, 2, "start 0 hw 2 end 2 epochs [{1 0}] batches 0-1"},
		{0, 3, "start 0 hw 0 end 0 epochs [] batches"},
	} {
		l := Open(newDisk(), "orders-0", Config{}, &trunk, 0)
		fill(l, 1, 2, 1)
		fill(l, 2, 3)
		l.UpdateHighWatermark(5)
		if cut := l.TruncateTo(c.to); cut != c.cut {
			t.Errorf("TruncateTo(%d) cut %d batches, want %d", c.to, cut, c.cut)
		}
		expectState(t, l, c.want)
	}
}

// A leader that wrote nothing has an entry at its log end. Following the next leader, it cuts nothing
// but must forget that epoch.
func TestTruncateToLogEndDropsAnEpochWithoutRecords(t *testing.T) {
	l := Open(newDisk(), "orders-0", Config{}, &trunk, 0)
	fill(l, 1, 2)
	l.AssignEpochStartOffset(3)
	expectState(t, l, "start 0 hw 0 end 2 epochs [{1 0} {3 2}] batches 0-1")
	l.TruncateTo(2)
	expectState(t, l, "start 0 hw 0 end 2 epochs [{1 0}] batches 0-1")
}

func TestTruncateFullyAndStartAtSurvivesRestart(t *testing.T) {
	disk := newDisk()
	l := Open(disk, "orders-0", Config{}, &trunk, 0)
	fill(l, 1, 2)
	l.TruncateFullyAndStartAt(10)
	expectState(t, l, "start 10 hw 10 end 10 epochs [] batches")
	expectState(t, Open(disk, "orders-0", Config{}, &trunk, 10), "start 10 hw 10 end 10 epochs [] batches")
	fill(l, 2, 2)
	l.TruncateTo(5) // below the first offset there is nothing left to keep
	expectState(t, l, "start 5 hw 5 end 5 epochs [] batches")
}

func TestLogStartOffset(t *testing.T) {
	disk := newDisk()
	l := Open(disk, "orders-0", Config{}, &trunk, 0)
	fill(l, 1, 2, 1)
	fill(l, 2, 2)
	l.UpdateHighWatermark(4)
	if l.MaybeIncrementLogStartOffset(5) {
		t.Error("the log start went above the high watermark")
	}
	if !l.MaybeIncrementLogStartOffset(1) || l.MaybeIncrementLogStartOffset(1) {
		t.Error("the log start must go up once")
	}
	expectState(t, l, "start 1 hw 4 end 5 epochs [{1 1} {2 3}] batches 0-1 2-2 3-4")
	if _, err := l.Read(0, FetchLogEnd, 0); err != protocol.OffsetOutOfRange {
		t.Errorf("a read below the log start: %v, want OFFSET_OUT_OF_RANGE", err)
	}
	if n := l.DeleteOldest(3); n != 2 {
		t.Errorf("deleted %d batches, want 2", n)
	}
	expectState(t, l, "start 3 hw 4 end 5 epochs [{2 3}] batches 3-4")
	if n := l.DeleteOldest(5); n != 0 {
		t.Errorf("deleted %d batches that reach above the high watermark", n)
	}
	l.Flush()
	expectState(t, Open(disk, "orders-0", Config{}, &trunk, 4), "start 3 hw 4 end 5 epochs [{2 3}] batches 3-4")
}

func TestDeleteOldestOfAll(t *testing.T) {
	disk := newDisk()
	l := Open(disk, "orders-0", Config{}, &trunk, 0)
	fill(l, 1, 2, 2)
	l.UpdateHighWatermark(4)
	if n := l.DeleteOldest(4); n != 2 {
		t.Errorf("deleted %d batches, want 2", n)
	}
	expectState(t, l, "start 4 hw 4 end 4 epochs [{1 4}] batches")
	expectState(t, Open(disk, "orders-0", Config{}, &trunk, 4), "start 4 hw 4 end 4 epochs [] batches")
}

func TestFlushMessages(t *testing.T) {
	l := Open(newDisk(), "orders-0", Config{FlushMessages: 3}, &trunk, 0)
	flushed := []bool{}
	for _, n := range []int{1, 1, 1, 2, 1} {
		info, _ := l.AppendAsLeader(batch(n), 0, 0)
		flushed = append(flushed, info.Flushed)
	}
	if want := []bool{false, false, true, false, true}; !slices.Equal(flushed, want) {
		t.Errorf("flushed %v, want %v", flushed, want)
	}
	fill(l, 0, 1)
	if l.RecoveryPoint() != 6 || l.file.Flushed() != 5 {
		t.Errorf("recovery point %d with %d blocks flushed; want 6 with 5", l.RecoveryPoint(), l.file.Flushed())
	}
}

// powerLoss leaves only what was flushed.
func powerLoss(l *UnifiedLog) { l.file.Truncate(l.file.Flushed()) }

func TestRecoveryAfterPowerLoss(t *testing.T) {
	disk := newDisk()
	l := Open(disk, "orders-0", Config{}, &trunk, 0)
	fill(l, 1, 2)
	fill(l, 2, 1)
	l.Flush()
	fill(l, 2, 1)
	fill(l, 5, 2)
	l.UpdateHighWatermark(6)
	expectState(t, l, "start 0 hw 6 end 6 epochs [{1 0} {2 2} {5 4}] batches 0-1 2-2 3-3 4-5")
	powerLoss(l)
	l = Open(disk, "orders-0", Config{}, &trunk, 5) // the checkpoint is beyond what is left
	expectState(t, l, "start 0 hw 3 end 3 epochs [{1 0} {2 2}] batches 0-1 2-2")
	if l.RecoveryPoint() != 3 {
		t.Errorf("recovery point %d, want 3", l.RecoveryPoint())
	}
}

func TestRecoveryWithoutTheGuardKeepsStaleEpochs(t *testing.T) {
	disk := newDisk()
	cfg := Config{Planted: planted.Off(planted.RecoverEpochs)}
	l := Open(disk, "orders-0", cfg, &trunk, 0)
	fill(l, 1, 1)
	l.Flush()
	fill(l, 2, 1)
	powerLoss(l)
	expectState(t, Open(disk, "orders-0", cfg, &trunk, 0), "start 0 hw 0 end 1 epochs [{1 0} {2 1}] batches 0-0")
}

func TestRecoveryRebuildsALostEpochCheckpoint(t *testing.T) {
	disk := newDisk()
	l := Open(disk, "orders-0", Config{}, &trunk, 0)
	fill(l, 1, 1, 1)
	fill(l, 3, 1)
	disk.Delete("orders-0/" + EpochCheckpoint)
	expectState(t, Open(disk, "orders-0", Config{}, &trunk, 0), "start 0 hw 0 end 3 epochs [{1 0} {3 2}] batches 0-0 1-1 2-2")
}

func TestRecoveryBelowTheLogStart(t *testing.T) {
	disk := newDisk()
	l := Open(disk, "orders-0", Config{}, &trunk, 0)
	fill(l, 1, 1)
	l.Flush()
	fill(l, 1, 1, 1)
	l.UpdateHighWatermark(3)
	l.MaybeIncrementLogStartOffset(3)
	powerLoss(l)
	expectState(t, Open(disk, "orders-0", Config{}, &trunk, 3), "start 3 hw 3 end 3 epochs [] batches")
}

// Before KIP-101 there are no epochs to keep.
func TestNoEpochsBefore011(t *testing.T) {
	disk := newDisk()
	l := Open(disk, "orders-0", Config{}, &v010, 0)
	fill(l, 1, 1)
	l.AssignEpochStartOffset(2)
	if _, known := l.LatestEpoch(); known {
		t.Errorf("epochs %v under Kafka 0.10", l.Epochs().Entries())
	}
	expectState(t, Open(disk, "orders-0", Config{}, &v010, 0), "start 0 hw 0 end 1 epochs [] batches 0-0")
}

func TestHighWatermarkStaysWithinTheLog(t *testing.T) {
	l := Open(newDisk(), "orders-0", Config{}, &trunk, 0)
	fill(l, 1, 4)
	if hw := l.UpdateHighWatermark(9); hw != 4 {
		t.Errorf("high watermark %d above the log end 4", hw)
	}
	if hw := l.UpdateHighWatermark(2); hw != 2 {
		t.Errorf("a follower's high watermark may go down: %d, want 2", hw)
	}
	if _, raised := l.MaybeIncrementHighWatermark(1); raised || l.HighWatermark() != 2 {
		t.Errorf("a leader's high watermark went down to %d", l.HighWatermark())
	}
	if old, raised := l.MaybeIncrementHighWatermark(3); !raised || old != 2 {
		t.Errorf("raised %v from %d, want from 2", raised, old)
	}
	faulty := Open(newDisk(), "orders-0", Config{Planted: planted.Off(planted.HWBelowLEO)}, &trunk, 0)
	if hw := faulty.UpdateHighWatermark(9); hw != 9 {
		t.Errorf("with the guard off the high watermark is %d, want 9", hw)
	}
}

func TestAssignDropsWhatItContradicts(t *testing.T) {
	for _, c := range []struct {
		add  EpochEntry
		want string
	}{
		{EpochEntry{4, 9}, "[{1 2} {3 5} {4 9}]"},
		{EpochEntry{4, 5}, "[{1 2} {4 5}]"}, // epoch 3 wrote nothing
		{EpochEntry{4, 1}, "[{4 1}]"},
		{EpochEntry{3, 5}, "[{1 2} {3 5}]"},
		{EpochEntry{3, 7}, "[{1 2} {3 5}]"}, // one more batch of the epoch
		{EpochEntry{3, 4}, "[{1 2} {3 4}]"},
		{EpochEntry{2, 8}, "[{1 2} {2 8}]"},
		{EpochEntry{-1, 8}, "[{1 2} {3 5}]"},
	} {
		cache := OpenLeaderEpochFileCache(newDisk(), "orders-0", &trunk, planted.Set{})
		cache.Assign(1, 2)
		cache.Assign(3, 5)
		before := cache.Entries()
		cache.Assign(c.add.Epoch, c.add.StartOffset)
		if got := fmt.Sprint(cache.Entries()); got != c.want {
			t.Errorf("Assign(%v) gives %v, want %v", c.add, got, c.want)
		}
		if got := fmt.Sprint(before); got != "[{1 2} {3 5}]" {
			t.Errorf("Assign(%v) changed what is on the disk to %v", c.add, got)
		}
	}
	cache := OpenLeaderEpochFileCache(newDisk(), "orders-0", &trunk, planted.Set{})
	cache.Assign(3, 5)
	if epoch, end := cache.EndOffsetFor(2, 9); epoch != 2 || end != 5 {
		t.Errorf("EndOffsetFor(2) = %d, %d; want the epoch asked for, and the first start, 5", epoch, end)
	}
}

// Up to 2.0.0 what goes back was passed over, an epoch without records kept its entry, and an epoch below all that is
// known was unknown (KAFKA-7415).
func TestAssignUpTo200(t *testing.T) {
	for version, want := range map[string]struct {
		entries     string
		epoch       int
		end, epoch4 int64
	}{
		"2.0.0": {"[{1 2} {3 5} {4 5}]", UndefinedEpoch, UndefinedEpochOffset, 9},
		"2.0.1": {"[{1 2} {2 4}]", 0, 2, UndefinedEpochOffset},
	} {
		c := OpenLeaderEpochFileCache(newDisk(), "orders-0", rulesOf(t, version), planted.Set{})
		for _, e := range []EpochEntry{{1, 2}, {3, 5}, {4, 5}, {2, 4}} {
			if _, err := c.Assign(e.Epoch, e.StartOffset); err != nil {
				t.Fatal(err)
			}
		}
		if got := fmt.Sprint(c.Entries()); got != want.entries {
			t.Errorf("%s: %s, want %s", version, got, want.entries)
		}
		if epoch, end := c.EndOffsetFor(0, 9); epoch != want.epoch || end != want.end {
			t.Errorf("%s: epoch 0 ends at %d (epoch %d), want %d (epoch %d)", version, end, epoch, want.end, want.epoch)
		}
		if _, end := c.EndOffsetFor(4, 9); end != want.epoch4 {
			t.Errorf("%s: epoch 4 ends at %d, want %d", version, end, want.epoch4)
		}
	}
}

// shouldAllowOnlyNonNegativeEpochs: no release takes an epoch below 0, and none leaves a trace of it.
func TestAssignRefusesANegativeEpoch(t *testing.T) {
	for _, version := range []string{"0.11", "2.0.0", "2.0.1", "4.0"} {
		c := OpenLeaderEpochFileCache(newDisk(), "orders-0", rulesOf(t, version), planted.Set{})
		c.Assign(1, 2)
		for _, e := range []EpochEntry{{-1, 8}, {2, -1}} {
			if changed, err := c.Assign(e.Epoch, e.StartOffset); changed || err == nil {
				t.Errorf("%s: Assign(%v): changed %v, error %v", version, e, changed, err)
			}
		}
		if got := fmt.Sprint(c.Entries()); got != "[{1 2}]" {
			t.Errorf("%s: %s", version, got)
		}
	}
}

// A batch of an old message format bears no epoch: the replica is then one without any epoch, and cuts to its high
// watermark next time.
func TestABatchWithoutAnEpochClearsTheCache(t *testing.T) {
	l := Open(newDisk(), "orders-0", Config{}, &trunk, 0)
	fill(l, 1, 1)
	if _, err := l.AppendAsFollower([]*record.RecordBatch{batch(1).WithOffset(1, record.NoLeaderEpoch)}); err != protocol.None {
		t.Fatal(err)
	}
	if epoch, known := l.LatestEpoch(); known {
		t.Errorf("the log still has an epoch, %d", epoch)
	}
	if epoch, end := l.EndOffsetForEpoch(1); epoch != UndefinedEpoch || end != UndefinedEpochOffset {
		t.Errorf("epoch 1 ends at %d (epoch %d), want undefined", end, epoch)
	}
}

// The answer before KIP-279 is the offset of this one: it did not say that the epoch asked for never was here.
func TestEndOffsetForAnEpochThatNeverWas(t *testing.T) {
	c := OpenLeaderEpochFileCache(newDisk(), "orders-0", &trunk, planted.Set{})
	c.Assign(1, 0)
	c.Assign(3, 3)
	for _, q := range []struct {
		epoch int
		want  EpochEntry
	}{{-1, EpochEntry{-1, -1}}, {0, EpochEntry{0, 0}}, {1, EpochEntry{1, 3}}, {2, EpochEntry{1, 3}}, {3, EpochEntry{3, 4}}, {4, EpochEntry{-1, -1}}} {
		if epoch, end := c.EndOffsetFor(q.epoch, 4); (EpochEntry{epoch, end}) != q.want {
			t.Errorf("EndOffsetFor(%d) = %d, %d; want %v", q.epoch, epoch, end, q.want)
		}
	}
}

func TestEpochCacheTruncationGuard(t *testing.T) {
	l := Open(newDisk(), "orders-0", Config{Planted: planted.Off(planted.EpochCacheTruncation)}, &trunk, 0)
	fill(l, 1, 1)
	fill(l, 2, 1)
	l.TruncateTo(1)
	expectState(t, l, "start 0 hw 0 end 1 epochs [{1 0} {2 1}] batches 0-0")
}

func TestOffsetCheckpointFile(t *testing.T) {
	disk := newDisk()
	f := HighWatermarkCheckpoint(disk)
	if _, ok := f.Fetch("orders-0"); ok {
		t.Error("a line in a file that does not exist")
	}
	f.Write([]PartitionOffset{{"orders-1", 7}, {"audit-0", 3}, {"orders-0", 5}})
	f = HighWatermarkCheckpoint(disk)
	for _, c := range []PartitionOffset{{"orders-0", 5}, {"orders-1", 7}, {"audit-0", 3}} {
		if got, ok := f.Fetch(c.Partition); !ok || got != c.Offset {
			t.Errorf("Fetch(%s) = %d, %v; want %d", c.Partition, got, ok, c.Offset)
		}
	}
	if _, ok := f.Fetch("orders-2"); ok {
		t.Error("found a partition that is not in the file")
	}
	f.Write([]PartitionOffset{{"orders-2", 1}})
	if got := f.Read(); len(got) != 1 {
		t.Errorf("writing replaces the file, but it holds %v", got)
	}
}

func BenchmarkAppendAsLeader(b *testing.B) {
	l := Open(newDisk(), "orders-0", Config{}, &trunk, 0)
	m := batch(1)
	b.ReportAllocs()
	for b.Loop() {
		l.AppendAsLeader(m, 1, 0)
	}
}

func BenchmarkRead(b *testing.B) {
	l := Open(newDisk(), "orders-0", Config{}, &trunk, 0)
	for range 100_000 {
		fill(l, 1, 1)
	}
	b.ReportAllocs()
	var from int64
	for b.Loop() {
		if bs, _ := l.Read(from, FetchLogEnd, 10); len(bs) == 0 {
			b.Fatal("nothing read")
		}
		from = (from + 7919) % 100_000
	}
}
