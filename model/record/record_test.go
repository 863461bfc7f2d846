package record

import "testing"

// The values are those of Kafka's UtilsTest.testMurmur2.
func TestMurmur2(t *testing.T) {
	for _, c := range []struct {
		key  string
		hash int32
	}{
		{"21", -973932308},
		{"foobar", -790332482},
		{"a-little-bit-long-string", -985981536},
		{"a-little-bit-longer-string", -1486304829},
		{"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971},
		{"abc", 479470107},
	} {
		if got := Murmur2(c.key); got != c.hash {
			t.Errorf("Murmur2(%q) = %d, want %d", c.key, got, c.hash)
		}
	}
}

func TestToPositiveClearsTheSignBit(t *testing.T) {
	for _, c := range []struct{ n, want int32 }{
		{0, 0}, {1, 1}, {-1, 2147483647}, {-2147483648, 0}, {2147483647, 2147483647}, {-973932308, 1173551340},
	} {
		if got := ToPositive(c.n); got != c.want {
			t.Errorf("ToPositive(%d) = %d, want %d", c.n, got, c.want)
		}
	}
	if got := PartitionForKey("21", 10); got != 0 {
		t.Errorf(`PartitionForKey("21", 10) = %d, want 0`, got)
	}
}

func batch(ids ...string) *RecordBatch {
	rs := make([]Record, len(ids))
	for i, id := range ids {
		rs[i] = Record{ID: id, Timestamp: int64(100 + i)}
	}
	return NewBatch(rs)
}

func TestWithOffsetLeavesTheOriginalAlone(t *testing.T) {
	b := batch("m1", "m2", "m3")
	c := b.WithOffset(7, 2)
	if b.BaseOffset != 0 || b.PartitionLeaderEpoch != NoLeaderEpoch {
		t.Errorf("the original became %v", b)
	}
	if c.BaseOffset != 7 || c.LastOffset() != 9 || c.NextOffset() != 10 || c.PartitionLeaderEpoch != 2 || c.Offset(1) != 8 {
		t.Errorf("the copy is %v with offsets %d to %d", c, c.BaseOffset, c.LastOffset())
	}
	if got, want := c.String(), "m1 m2 m3 @7–9 e2"; got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
	if c.MaxTimestamp != 102 {
		t.Errorf("MaxTimestamp = %d, want 102", c.MaxTimestamp)
	}
}

func TestRetainKeepsOffsets(t *testing.T) {
	b := batch("m1", "m2", "m3", "m4").WithOffset(10, 0)
	c := b.Retain(func(i int) bool { return i == 1 || i == 2 }).Retain(func(i int) bool { return i == 1 })
	if len(c.Records) != 1 || c.Records[0].ID != "m3" || c.Offset(0) != 12 {
		t.Errorf("left is %v, first offset %d; want m3 at 12", c, c.Offset(0))
	}
	if c.BaseOffset != 10 || c.LastOffset() != 13 {
		t.Errorf("offsets %d to %d, want 10 to 13", c.BaseOffset, c.LastOffset())
	}
	if len(b.Records) != 4 || b.Offset(3) != 13 {
		t.Errorf("the original became %v", b)
	}
}

func TestSequenceNumbersWrap(t *testing.T) {
	b := batch("m1", "m2", "m3")
	if got := b.LastSequence(); got != NoSequence {
		t.Errorf("without a producer id the last sequence is %d, want none", got)
	}
	b.ProducerID, b.BaseSequence = 1, 2147483646
	if got := b.LastSequence(); got != 0 {
		t.Errorf("the last sequence is %d, want 0", got)
	}
}

func TestLogAppendTimeHidesTheProducersClock(t *testing.T) {
	b := batch("m1", "m2")
	c := b.WithOffset(0, 0)
	c.LogAppendTime, c.MaxTimestamp = true, 500
	if c.Timestamp(0) != 500 || b.Timestamp(0) != 100 || b.Timestamp(1) != 101 {
		t.Errorf("timestamps %d, %d and %d; want 500, 100 and 101", c.Timestamp(0), b.Timestamp(0), b.Timestamp(1))
	}
}
