// Package record holds what producers write and logs keep: records in batches, in the form of message
// format v2 (KIP-98), and the hash that sends a key to a partition.
package record

import "strconv"

// Values that stand for "none" in a batch, as RecordBatch names them.
const (
	NoTimestamp     int64 = -1
	NoProducerID    int64 = -1
	NoProducerEpoch int16 = -1
	NoSequence      int32 = -1
	NoLeaderEpoch         = -1 // NO_PARTITION_LEADER_EPOCH
)

// Record is one message. It is never changed once it is in a batch.
type Record struct {
	ID        string // what people call it: m1. Not known to Kafka
	From      string // ID of the record that an application made it from; empty: of none. Not known to Kafka
	Key       string // meaningful only with HasKey
	Value     string // meaningful unless Tombstone
	HasKey    bool
	Tombstone bool  // the value is null
	Timestamp int64 // milliseconds, as the producer's clock had it; NoTimestamp if none

	// Producer and Submission name the call of send() that made the record: which producer, by its place
	// among the nodes, and the how-manieth of the whole life of that node, from 1. Not known to Kafka.
	Producer, Submission int32
}

// RecordBatch is a run of records that is written, replicated and cut as a whole. It is
// immutable once appended: brokers, messages and files share it. NewBatch makes one; the leader's log
// gives it its place with WithOffset, which copies the header only.
type RecordBatch struct {
	BaseOffset           int64 // offset of the first record, also after compaction has removed it
	PartitionLeaderEpoch int   // epoch of the leader that appended it; NoLeaderEpoch before that

	LastOffsetDelta int32 // last offset less BaseOffset, kept by compaction

	ProducerID    int64
	ProducerEpoch int16
	BaseSequence  int32

	IsTransactional bool
	IsControl       bool                 // one record: a commit or abort marker
	Marker          EndTransactionMarker // of a control batch
	LogAppendTime   bool                 // MaxTimestamp is the leader's clock (message.timestamp.type=LogAppendTime)

	MaxTimestamp int64 // milliseconds
	Records      []Record

	deltas []int32 // offset of each record less BaseOffset; nil: 0, 1, 2, …
}

// NewBatch makes a batch without an offset, an epoch or a producer id from records in sending order.
func NewBatch(records []Record) *RecordBatch {
	b := &RecordBatch{
		PartitionLeaderEpoch: NoLeaderEpoch,
		LastOffsetDelta:      int32(len(records)) - 1,
		ProducerID:           NoProducerID,
		ProducerEpoch:        NoProducerEpoch,
		BaseSequence:         NoSequence,
		MaxTimestamp:         NoTimestamp,
		Records:              records,
	}
	for i := range records {
		b.MaxTimestamp = max(b.MaxTimestamp, records[i].Timestamp)
	}
	return b
}

// WithOffset gives a copy that begins at base and bears the epoch of the leader that appends it. The
// records are shared.
func (b *RecordBatch) WithOffset(base int64, leaderEpoch int) *RecordBatch {
	c := *b
	c.BaseOffset, c.PartitionLeaderEpoch = base, leaderEpoch
	return &c
}

// Retain gives the batch that compaction leaves: the records for which keep holds, at the offsets they
// had. Base offset, last offset and sequence numbers stay, so that replicas and producer state still fit.
//
// Kafka: MemoryRecords.filterTo.
func (b *RecordBatch) Retain(keep func(i int) bool) *RecordBatch {
	c := *b
	c.Records, c.deltas = nil, nil
	for i := range b.Records {
		if keep(i) {
			c.Records = append(c.Records, b.Records[i])
			c.deltas = append(c.deltas, int32(b.Offset(i)-b.BaseOffset))
		}
	}
	return &c
}

// LastOffset is the last offset the batch takes up.
func (b *RecordBatch) LastOffset() int64 { return b.BaseOffset + int64(b.LastOffsetDelta) }

// NextOffset is the offset after the batch.
func (b *RecordBatch) NextOffset() int64 { return b.LastOffset() + 1 }

// LastSequence is the sequence number of the last record.
func (b *RecordBatch) LastSequence() int32 {
	if b.BaseSequence == NoSequence {
		return NoSequence
	}
	return IncrementSequence(b.BaseSequence, b.LastOffsetDelta)
}

// IncrementSequence counts a sequence number up; it goes back to 0 after 2³¹−1.
//
// Kafka: DefaultRecordBatch.incrementSequence.
func IncrementSequence(sequence, by int32) int32 {
	return int32((int64(sequence) + int64(by)) & 0x7fffffff)
}

// DecrementSequence undoes IncrementSequence (DefaultRecordBatch.decrementSequence).
func DecrementSequence(sequence, by int32) int32 {
	return int32((int64(sequence) - int64(by)) & 0x7fffffff)
}

// WithProducerState gives a copy that bears a producer's id, epoch and first sequence number. The records
// are shared.
//
// Kafka: MemoryRecordsBuilder.setProducerState, reopenAndRewriteProducerState.
func (b *RecordBatch) WithProducerState(producerID int64, epoch int16, baseSequence int32) *RecordBatch {
	c := *b
	c.ProducerID, c.ProducerEpoch, c.BaseSequence = producerID, epoch, baseSequence
	return &c
}

// HasProducerID says that the batch comes from an idempotent or transactional producer.
func (b *RecordBatch) HasProducerID() bool { return b.ProducerID != NoProducerID }

// Offset is the offset of record i.
func (b *RecordBatch) Offset(i int) int64 {
	if b.deltas == nil {
		return b.BaseOffset + int64(i)
	}
	return b.BaseOffset + int64(b.deltas[i])
}

// Timestamp is the time of record i in milliseconds, as a consumer sees it.
func (b *RecordBatch) Timestamp(i int) int64 {
	if b.LogAppendTime {
		return b.MaxTimestamp
	}
	return b.Records[i].Timestamp
}

// String writes the batch for a person: "m1 m2 @0–1 e3".
func (b *RecordBatch) String() string {
	var s []byte
	for i := range b.Records {
		if i > 0 {
			s = append(s, ' ')
		}
		s = append(s, b.Records[i].ID...)
	}
	s = append(s, " @"...)
	s = strconv.AppendInt(s, b.BaseOffset, 10)
	if b.LastOffsetDelta > 0 {
		s = append(s, "–"...)
		s = strconv.AppendInt(s, b.LastOffset(), 10)
	}
	if b.PartitionLeaderEpoch != NoLeaderEpoch {
		s = append(s, " e"...)
		s = strconv.AppendInt(s, int64(b.PartitionLeaderEpoch), 10)
	}
	return string(s)
}
