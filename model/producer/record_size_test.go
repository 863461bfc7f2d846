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
