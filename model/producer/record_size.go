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
	if magic < 2 {
		return messageOverheadV + magic*timestampSize + max(0, keySize(r)) + max(0, valueSize(r))
	}
	body := 1 + varint(int64(offsetDelta)) + varint(timestampDelta) + fieldsSize(r) // attributes, deltas
	return varint(int64(body)) + body
}

// fieldsSize is that of key, value and no headers, with their lengths, in format 2 (DefaultRecord.sizeOf).
func fieldsSize(r *record.Record) int {
	key, value := keySize(r), valueSize(r)
	return varint(int64(key)) + max(0, key) + varint(int64(value)) + max(0, value) + varint(0)
}

// keySize is -1 without a key.
func keySize(r *record.Record) int {
	if !r.HasKey {
		return -1
	}
	return len(r.Key)
}

// valueSize is -1 for a tombstone.
func valueSize(r *record.Record) int {
	if r.Tombstone {
		return -1
	}
	return len(r.Value)
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
// Kafka: AbstractRecords.estimateSizeInBytesUpperBound, DefaultRecord.recordSizeUpperBound.
func sizeUpperBound(magic int, r *record.Record) int {
	if magic < 2 {
		return firstRecordSize(magic, r)
	}
	return batchOverhead + maxRecordOverhead + fieldsSize(r)
}

// varint is the length of a zigzag varint: ByteUtils.sizeOfVarlong.
func varint(v int64) int { return (bits.Len64(uint64(v<<1^v>>63)|1) + 6) / 7 }
