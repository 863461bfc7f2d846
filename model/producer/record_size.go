package producer

import (
	"math/bits"

	"kafkatrial/model/record"
)

// The overheads of the message formats, in bytes.
const (
	batchOverhead    = 61 // DefaultRecordBatch.RECORD_BATCH_OVERHEAD, format 2
	messageOverheadV = 26 // Records.LOG_OVERHEAD and LegacyRecord.RECORD_OVERHEAD_V0, formats 0 and 1
	timestampSize    = 8  // added by format 1

	maxRecordOverhead = 21 // DefaultRecord.MAX_RECORD_OVERHEAD, format 2
)

// recordSize is how many bytes a record takes in a batch in which it has the given offset and timestamp
// less those of the first record. Keys and values count with their bytes; a record's name (ID) does not,
// since Kafka does not know it.
//
// Kafka: DefaultRecord.sizeInBytes, LegacyRecord.recordSize.
func recordSize(magic int, offsetDelta int32, timestampDelta int64, r *record.Record) int {
	key, value := 0, 0
	if r.HasKey {
		key = len(r.Key)
	}
	if !r.Tombstone {
		value = len(r.Value)
	}
	if magic < 2 {
		return messageOverheadV + magic*timestampSize + key + value
	}
	body := 1 + varint(int64(offsetDelta)) + varint(timestampDelta) + 1 // attributes, deltas, no headers
	for _, f := range [...]struct {
		has bool
		n   int
	}{{r.HasKey, key}, {!r.Tombstone, value}} {
		if f.has {
			body += varint(int64(f.n)) + f.n
		} else {
			body++
		}
	}
	return varint(int64(body)) + body
}

// firstRecordSize is what a batch of the one record takes.
func firstRecordSize(magic int, r *record.Record) int {
	n := recordSize(magic, 0, 0, r)
	if magic >= 2 {
		n += batchOverhead
	}
	return n
}

// sizeUpperBound is what the producer reserves for a batch of the one record before it knows the deltas.
//
// Kafka: AbstractRecords.estimateSizeInBytesUpperBound.
func sizeUpperBound(magic int, r *record.Record) int {
	if magic < 2 {
		return firstRecordSize(magic, r)
	}
	n := batchOverhead + maxRecordOverhead
	if r.HasKey {
		n += len(r.Key)
	}
	if !r.Tombstone {
		n += len(r.Value)
	}
	return n
}

// varint is the length of a zigzag varint: ByteUtils.sizeOfVarlong.
func varint(v int64) int { return (bits.Len64(uint64(v<<1^v>>63)|1) + 6) / 7 }
