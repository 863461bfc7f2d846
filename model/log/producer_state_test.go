package log

import (
	"fmt"
	"slices"
	"testing"

	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/model/release"
	"kafkatrial/sim"
)

// rulesOf gives the rules of a release.
func rulesOf(t *testing.T, version string) *release.Rules {
	t.Helper()
	v, err := release.Parse(version)
	if err != nil {
		t.Fatal(err)
	}
	r := release.Of(v)
	return &r
}

// sequenced is a batch of n records of producer 7 with its first sequence number.
func sequenced(epoch int16, first int32, n int) *record.RecordBatch {
	b := batch(n).WithProducerState(7, epoch, first)
	b.MaxTimestamp = 0
	return b
}

// produce appends a batch as leader and spells what came of it; what is appended is committed.
func produce(l *UnifiedLog, epoch int16, first int32, n int) string {
	info, err := l.AppendAsLeader(sequenced(epoch, first, n), 1, 0)
	l.UpdateHighWatermark(l.LogEndOffset())
	switch {
	case err != protocol.None:
		return err.String()
	case info.Duplicate:
		return fmt.Sprintf("duplicate of %d-%d", info.FirstOffset, info.LastOffset)
	}
	return fmt.Sprintf("%d-%d", info.FirstOffset, info.LastOffset)
}

// A producer's first batch may bear any sequence number, or must bear 0, and what it is told differs by release.
func TestFirstSequenceOfAnUnknownProducer(t *testing.T) {
	for version, want := range map[string]string{
		"0.11": "OUT_OF_ORDER_SEQUENCE_NUMBER", "1.0": "UNKNOWN_PRODUCER_ID", "2.4": "UNKNOWN_PRODUCER_ID", "2.5": "0-0", "4.0": "0-0",
	} {
		l := Open(newDisk(), "orders-0", Config{}, rulesOf(t, version), 0)
		if got := produce(l, 0, 3, 1); got != want {
			t.Errorf("%s: sequence 3 first: %s, want %s", version, got, want)
		}
		l = Open(newDisk(), "orders-0", Config{}, rulesOf(t, version), 0)
		if got := produce(l, 0, 0, 1); got != "0-0" {
			t.Errorf("%s: sequence 0 first: %s", version, got)
		}
	}
}

// The last five batches are known again, in 0.11 the last one. A duplicate changes nothing.
func TestDuplicatesAmongTheLastBatches(t *testing.T) {
	for version, known := range map[string]int32{"0.11": 1, "1.0": 5, "4.0": 5} {
		l := Open(newDisk(), "orders-0", Config{}, rulesOf(t, version), 0)
		for s := range int32(7) {
			produce(l, 0, s, 1)
		}
		for s := range int32(7) {
			want := fmt.Sprintf("duplicate of %d-%d", s, s)
			if s < 7-known {
				want = "OUT_OF_ORDER_SEQUENCE_NUMBER"
			}
			if got := produce(l, 0, s, 1); got != want {
				t.Errorf("%s: batch %d again: %s, want %s", version, s, got, want)
			}
		}
		if l.LogEndOffset() != 7 {
			t.Errorf("%s: the log ends at %d", version, l.LogEndOffset())
		}
	}
}

// A duplicate is a batch with the same first and last number; one that only overlaps is out of order.
func TestAnOverlappingBatchIsNoDuplicate(t *testing.T) {
	l := Open(newDisk(), "orders-0", Config{}, &trunk, 0)
	produce(l, 0, 0, 3)
	for _, c := range []struct {
		first int32
		n     int
		want  string
	}{{0, 3, "duplicate of 0-2"}, {0, 2, "OUT_OF_ORDER_SEQUENCE_NUMBER"}, {1, 2, "OUT_OF_ORDER_SEQUENCE_NUMBER"}, {2, 2, "OUT_OF_ORDER_SEQUENCE_NUMBER"}, {4, 1, "OUT_OF_ORDER_SEQUENCE_NUMBER"}, {3, 1, "3-3"}} {
		if got := produce(l, 0, c.first, c.n); got != c.want {
			t.Errorf("%d records from sequence %d: %s, want %s", c.n, c.first, got, c.want)
		}
	}
}

// An older epoch is fenced; a newer one begins at 0.
func TestProducerEpochs(t *testing.T) {
	l := Open(newDisk(), "orders-0", Config{}, &trunk, 0)
	for _, c := range []struct {
		epoch int16
		first int32
		want  string
	}{{3, 0, "0-0"}, {2, 1, "INVALID_PRODUCER_EPOCH"}, {4, 1, "OUT_OF_ORDER_SEQUENCE_NUMBER"}, {4, 0, "1-1"}, {3, 1, "INVALID_PRODUCER_EPOCH"}, {4, 1, "2-2"}} {
		if got := produce(l, c.epoch, c.first, 1); got != c.want {
			t.Errorf("epoch %d, sequence %d: %s, want %s", c.epoch, c.first, got, c.want)
		}
	}
}

// A follower takes over what its leader checked, and is a leader that knows.
func TestAFollowerKnowsWhatItReplicates(t *testing.T) {
	leader, follower := Open(newDisk(), "orders-0", Config{}, &trunk, 0), Open(newDisk(), "orders-0", Config{}, &trunk, 0)
	produce(leader, 0, 0, 2)
	produce(leader, 0, 2, 1)
	if _, err := follower.AppendAsFollower(leader.Batches()); err != protocol.None {
		t.Fatal(err)
	}
	if got := produce(follower, 0, 0, 2); got != "duplicate of 0-1" {
		t.Error("the first batch again:", got)
	}
	if got := produce(follower, 0, 4, 1); got != "OUT_OF_ORDER_SEQUENCE_NUMBER" {
		t.Error("a gap:", got)
	}
}

// A restart forgets no sequence number: after an orderly stop the snapshot has the last one, after a crash the log has all.
func TestARestartForgetsNoSequenceNumber(t *testing.T) {
	for _, orderly := range []bool{true, false} {
		disk := newDisk()
		l := Open(disk, "orders-0", Config{}, &trunk, 0)
		produce(l, 0, 0, 2)
		produce(l, 0, 2, 1)
		if orderly {
			l.Flush()
			l.Close()
		}
		again := Open(disk, "orders-0", Config{}, &trunk, 3)
		want := ProducerStateLoad{Snapshot: -1, ReadFrom: 0}
		if orderly {
			want = ProducerStateLoad{Snapshot: 3, ReadFrom: 3}
		}
		if got := again.ProducerStateLoad(); got != want {
			t.Errorf("orderly %v: loaded from %+v, want %+v", orderly, got, want)
		}
		for _, c := range []struct {
			first int32
			n     int
			want  string
		}{{2, 1, "duplicate of 2-2"}, {4, 1, "OUT_OF_ORDER_SEQUENCE_NUMBER"}, {3, 1, "3-3"}} {
			if got := produce(again, 0, c.first, c.n); got != c.want {
				t.Errorf("orderly %v: %d records from sequence %d: %s, want %s", orderly, c.n, c.first, got, c.want)
			}
		}
	}
}

// What the log loses the producers lose: after a truncation the next number is the one that is missing.
func TestATruncationTakesSequenceNumbersBack(t *testing.T) {
	l := Open(newDisk(), "orders-0", Config{}, &trunk, 0)
	for s := range int32(4) {
		produce(l, 0, s, 1)
	}
	l.TruncateTo(2)
	if got := produce(l, 0, 4, 1); got != "OUT_OF_ORDER_SEQUENCE_NUMBER" {
		t.Error("sequence 4 after a cut to 2:", got)
	}
	if got := produce(l, 0, 1, 1); got != "duplicate of 1-1" {
		t.Error("sequence 1 again:", got)
	}
	if got := produce(l, 0, 2, 1); got != "2-2" {
		t.Error("sequence 2, which was cut:", got)
	}
	l.TruncateFullyAndStartAt(10)
	if n := len(l.Producers().ActiveProducers()); n != 0 {
		t.Error("an empty log knows", n, "producers")
	}
}

// A power loss takes the end of the log and, with it, a snapshot that knows more.
func TestASnapshotBeyondTheLogIsNotRead(t *testing.T) {
	disk := newDisk()
	l := Open(disk, "orders-0", Config{}, &trunk, 0)
	produce(l, 0, 0, 1)
	produce(l, 0, 1, 1)
	l.Close()
	disk.File("orders-0").Truncate(1)
	l = Open(disk, "orders-0", Config{}, &trunk, 0)
	if got := produce(l, 0, 1, 1); got != "1-1" {
		t.Error("sequence 1, which the disk lost:", got)
	}
}

// Up to 2.3 a producer is forgotten with its last record; from 2.4 on it stays until it expires, in memory: after a
// restart nothing knows it.
func TestDeletedRecordsAndTheirProducer(t *testing.T) {
	for _, c := range []struct {
		version, again, next, restarted string
		evicted                         []int64
	}{
		{"0.11", "1-1", "OUT_OF_ORDER_SEQUENCE_NUMBER", "OUT_OF_ORDER_SEQUENCE_NUMBER", []int64{7}},
		{"2.3", "1-1", "UNKNOWN_PRODUCER_ID", "UNKNOWN_PRODUCER_ID", []int64{7}},
		{"2.4", "duplicate of 0-0", "1-1", "UNKNOWN_PRODUCER_ID", nil},
		{"2.5", "duplicate of 0-0", "1-1", "1-1", nil},
	} {
		fresh := func() (*sim.Disk, *UnifiedLog) {
			disk := newDisk()
			l := Open(disk, "orders-0", Config{}, rulesOf(t, c.version), 0)
			produce(l, 0, 0, 1)
			l.Close() // a snapshot at the log's later start goes with what it knows
			l.MaybeIncrementLogStartOffset(1)
			l.DeleteOldest(1)
			return disk, l
		}
		_, l := fresh()
		if got := l.EvictedProducers(); !slices.Equal(got, c.evicted) {
			t.Errorf("%s: evicted %v, want %v", c.version, got, c.evicted)
		}
		if got := produce(l, 0, 0, 1); got != c.again {
			t.Errorf("%s: the deleted batch again: %s, want %s", c.version, got, c.again)
		}
		_, l = fresh()
		if got := produce(l, 0, 1, 1); got != c.next {
			t.Errorf("%s: the next batch: %s, want %s", c.version, got, c.next)
		}
		disk, l := fresh()
		l.Close()
		l = Open(disk, "orders-0", Config{}, rulesOf(t, c.version), 1)
		if got := produce(l, 0, 1, 1); got != c.restarted {
			t.Errorf("%s: the next batch after a restart: %s, want %s", c.version, got, c.restarted)
		}
	}
}

// A producer that is idle for producer.id.expiration.ms is forgotten, to the millisecond.
func TestProducerExpiration(t *testing.T) {
	l := Open(newDisk(), "orders-0", Config{Producers: ProducerStateManagerConfig{ProducerIDExpiration: 1000}}, &trunk, 0)
	b := sequenced(0, 0, 1)
	b.MaxTimestamp = 500
	l.AppendAsLeader(b, 1, 0)
	if ids := l.RemoveExpiredProducers(1499 * sim.Millisecond); ids != nil {
		t.Error("too early:", ids)
	}
	if ids := l.RemoveExpiredProducers(1500 * sim.Millisecond); !slices.Equal(ids, []int64{7}) {
		t.Error("expired:", ids)
	}
	if got := produce(l, 0, 0, 1); got != "1-1" {
		t.Error("an expired producer's batch again:", got)
	}
}

// With a guard off the log lets pass what it guards against.
func TestPlantedProducerState(t *testing.T) {
	for _, c := range []struct {
		guard planted.Guard
		epoch int16
		first int32
		want  string
	}{
		{planted.DuplicateBatches, 1, 1, "OUT_OF_ORDER_SEQUENCE_NUMBER"},
		{planted.SequenceInOrder, 1, 5, "3-3"},
		{planted.ProducerEpoch, 0, 0, "3-3"},
		{planted.FiveBatches, 1, 1, "OUT_OF_ORDER_SEQUENCE_NUMBER"},
	} {
		for _, off := range []bool{false, true} {
			cfg := Config{}
			if off {
				cfg.Planted = planted.Off(c.guard)
			}
			l := Open(newDisk(), "orders-0", cfg, &trunk, 0)
			for s := range int32(3) {
				produce(l, 1, s, 1)
			}
			if got := produce(l, c.epoch, c.first, 1); (got == c.want) != off {
				t.Errorf("%v off: %v: epoch %d, sequence %d: %s", c.guard, off, c.epoch, c.first, got)
			}
		}
	}
	disk := newDisk()
	off := Config{Planted: planted.Off(planted.ProducerStateRebuilt)}
	l := Open(disk, "orders-0", off, &trunk, 0)
	produce(l, 0, 0, 1)
	l.Close()
	if got := produce(Open(disk, "orders-0", off, &trunk, 0), 0, 0, 1); got != "1-1" {
		t.Error("a replica that does not learn from its log knew the batch again:", got)
	}
}

// Without producer ids an append costs what it cost before.
func BenchmarkAppendIdempotent(b *testing.B) {
	l := Open(newDisk(), "orders-0", Config{}, &trunk, 0)
	b.ReportAllocs()
	m := batch(1).WithProducerState(7, 0, 0)
	for b.Loop() {
		l.AppendAsLeader(m, 1, 0)
		m.BaseSequence = record.IncrementSequence(m.BaseSequence, 1)
	}
}

// A snapshot holds the last batch of each producer alone. After an orderly restart, which reads nothing else, an older
// duplicate is not known any more; after a crash the log is read, and it is.
func TestASnapshotKeepsTheLastBatch(t *testing.T) {
	for orderly, want := range map[bool][3]string{
		true:  {"OUT_OF_ORDER_SEQUENCE_NUMBER", "OUT_OF_ORDER_SEQUENCE_NUMBER", "duplicate of 2-2"},
		false: {"duplicate of 0-0", "duplicate of 1-1", "duplicate of 2-2"},
	} {
		disk := newDisk()
		l := Open(disk, "orders-0", Config{}, &trunk, 0)
		for s := range int32(3) {
			produce(l, 0, s, 1)
		}
		l.Flush()
		if orderly {
			l.Close()
		}
		again := Open(disk, "orders-0", Config{}, &trunk, 3)
		for s := range int32(3) {
			if got := produce(again, 0, s, 1); got != want[s] {
				t.Errorf("orderly %v: batch %d again: %s, want %s", orderly, s, got, want[s])
			}
		}
		if got := len(l.Producers().LastEntry(7).Batches()); got != 3 {
			t.Errorf("taking a snapshot left %d batches in memory, want 3", got)
		}
	}
}

// marker appends the marker of a transaction of producer 7, which bears ts milliseconds.
func marker(t *testing.T, l *UnifiedLog, epoch int16, ts int64) {
	t.Helper()
	b := record.NewMarker(7, epoch, record.EndTransactionMarker{Abort: true}, ts)
	if _, err := l.AppendAsLeaderWith(b, 1, 0, AppendOptions{Origin: OriginCoordinator}); err != protocol.None {
		t.Fatal(err)
	}
	l.UpdateHighWatermark(l.LogEndOffset())
}

// Delete-records takes the only record of a transaction, and then comes its marker: of the producer the partition knows
// the epoch, and no sequence number (KAFKA-7298).
func TestAProducerOfWhichOnlyAMarkerIsLeft(t *testing.T) {
	for version, want := range map[string]string{
		"1.0": "OUT_OF_ORDER_SEQUENCE_NUMBER", "2.0.0": "OUT_OF_ORDER_SEQUENCE_NUMBER", "2.0.1": "UNKNOWN_PRODUCER_ID", "2.3": "UNKNOWN_PRODUCER_ID",
	} {
		l := Open(newDisk(), "orders-0", Config{}, rulesOf(t, version), 0)
		produce(l, 0, 0, 1)
		l.MaybeIncrementLogStartOffset(1)
		marker(t, l, 0, 0)
		if got := produce(l, 0, 1, 1); got != want {
			t.Errorf("%s: the next record: %s, want %s", version, got, want)
		}
		if got := produce(l, 0, 0, 1); got != "2-2" {
			t.Errorf("%s: sequence 0: %s", version, got)
		}
	}
}

// shouldIncludeMarkersInExpiration: a marker is a sign of life of its producer. Up to 2.4.0 a producer of whom the
// marker of a newer epoch had taken the batches away was as old as can be (KAFKA-9144).
func TestAMarkerKeepsItsProducer(t *testing.T) {
	for version, want := range map[string][2]bool{"1.0": {false, false}, "2.4.0": {false, false}, "2.4.1": {true, false}, "4.0": {true, false}} {
		cfg := Config{Producers: ProducerStateManagerConfig{ProducerIDExpiration: 1000}}
		for i, now := range []int64{1899, 1900} {
			l := Open(newDisk(), "orders-0", cfg, rulesOf(t, version), 0)
			produce(l, 0, 0, 1)
			marker(t, l, 1, 900)
			l.RemoveExpiredProducers(sim.Time(now) * sim.Millisecond)
			if got := l.Producers().LastEntry(7) != nil; got != want[i] {
				t.Errorf("%s: known after %d ms: %v, want %v", version, now, got, want[i])
			}
		}
	}
	l := Open(newDisk(), "orders-0", Config{Producers: ProducerStateManagerConfig{ProducerIDExpiration: 1 << 40}}, rulesOf(t, "2.4.0"), 0)
	produce(l, 0, 0, 1)
	marker(t, l, 1, 900)
	if l.RemoveExpiredProducers(sim.Second); l.Producers().LastEntry(7) != nil {
		t.Error("2.4.0: no expiration is so long that a producer without a batch is kept")
	}
	// A marker of the same epoch leaves the batches: the producer is as old as the last of them, or as the marker.
	for version, want := range map[string]bool{"2.4.0": false, "2.4.1": true} {
		l := Open(newDisk(), "orders-0", Config{Producers: ProducerStateManagerConfig{ProducerIDExpiration: 1000}}, rulesOf(t, version), 0)
		produce(l, 0, 0, 1)
		marker(t, l, 0, 900)
		l.RemoveExpiredProducers(sim.Time(1500) * sim.Millisecond)
		if got := l.Producers().LastEntry(7) != nil; got != want {
			t.Errorf("%s: same epoch: known: %v, want %v", version, got, want)
		}
	}
}
