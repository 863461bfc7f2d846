package producer

import (
	"strings"
	"testing"

	"kafkatrial/model/record"
)

// The sizes are those of Kafka's DefaultRecord.sizeInBytes and LegacyRecord.recordSize with LOG_OVERHEAD.
func TestRecordSize(t *testing.T) {
	hundred := strings.Repeat("x", 100)
	for _, c := range []struct {
		magic     int
		offset    int32
		timestamp int64
		r         record.Record
		want      int
	}{
		{2, 0, 0, record.Record{}, 7},
		{2, 0, 0, record.Record{Value: hundred}, 109},
		{2, 64, 0, record.Record{Value: hundred}, 110},
		{2, 0, -65, record.Record{Value: hundred}, 110},
		{2, 0, 0, record.Record{HasKey: true, Key: "k", Value: "v"}, 9},
		{2, 0, 0, record.Record{HasKey: true, Key: "k", Value: "v", Tombstone: true}, 8},
		{1, 5, 9, record.Record{Value: hundred}, 134},
		{0, 5, 9, record.Record{HasKey: true, Key: "k", Value: hundred}, 127},
	} {
		if got := recordSize(c.magic, c.offset, c.timestamp, &c.r); got != c.want {
			t.Errorf("format %d, %+v: %d bytes, want %d", c.magic, c.r, got, c.want)
		}
	}
}

// What is reserved for a first record has room for a second one that is small. The sizes, and how many records share a
// batch under batch.size=1, are those of DefaultRecord.recordSizeUpperBound and MemoryRecordsBuilder.hasRoomFor; four bytes
// were seen on a broker of 4.0.0, where five records came as m1, m2 m3, m4 m5.
func TestRoomBesideTheFirstRecord(t *testing.T) {
	for _, c := range []struct {
		magic, value, reserved, records int
	}{{2, 0, 85, 3}, {2, 4, 89, 2}, {2, 10, 95, 2}, {2, 11, 96, 1}, {2, 24, 109, 1}, {1, 0, 34, 1}, {0, 4, 30, 1}} {
		r := record.Record{Value: strings.Repeat("x", c.value)}
		a := RecordAccumulator{cfg: &Config{Magic: c.magic, BatchSize: 1}, free: BufferPool{total: 1 << 20, available: 1 << 20}}
		if got := sizeUpperBound(c.magic, &r); got != c.reserved {
			t.Errorf("format %d, %d bytes: %d are reserved, want %d", c.magic, c.value, got, c.reserved)
		}
		var q PartitionQueue
		if _, ok := a.appendNewBatch(&q, &r, 0); !ok {
			t.Fatal("no memory")
		}
		for range 5 {
			a.tryAppend(&q, &r, 0)
		}
		if got := len(q.Batches[0].Records); got != c.records {
			t.Errorf("format %d: %d records of %d bytes in a batch, want %d", c.magic, got, c.value, c.records)
		}
	}
}
