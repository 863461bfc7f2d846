package producer

import (
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// ProducerBatch is a batch on its way: open while records are appended, closed once it is full or drained.
//
// Kafka: ProducerBatch (RecordBatch before 0.11).
type ProducerBatch struct {
	TP      protocol.TopicPartition
	Records []record.Record

	// Batch is what is sent, the same in every attempt unless it is numbered anew; nil until the batch is closed.
	Batch *record.RecordBatch

	// Attempts counts the attempts that were answered with an error that can be retried, or not answered.
	Attempts int
	InFlight bool // an attempt is out

	// MaybeWritten says that an attempt that is over may have been appended, although no answer said so.
	// It never goes back to false: a later answer "not appended" speaks of its own attempt only.
	MaybeWritten bool

	Created     sim.Time
	lastAppend  sim.Time
	lastAttempt sim.Time // Created before the first
	closed      bool
	reopened    bool // numbered anew since it was last drained (sequenceHasBeenReset)
	done        bool // its outcome was told

	size      int   // bytes so far
	limit     int   // bytes it may hold: batch.size, or what was reserved for its first record if that is more
	fullAt    int   // bytes from which on it counts as full and is due at once
	allocated int64 // taken from the BufferPool
	number    int   // of the producer's batches, from 1

	// leaderEpoch is the newest epoch seen for the partition, and newLeaderAt the value of Attempts when it
	// was seen (KAFKA-15415).
	leaderEpoch, newLeaderAt int
}

// tryAppend adds a record if there is room. What is reserved for a first record that is larger than batch.size is
// an estimate from above, and the room that it leaves is used: with batch.size=1 two records of ten bytes and without a
// key share a batch, and two of eleven do not. The older message formats leave no room.
//
// Kafka: ProducerBatch.tryAppend, MemoryRecordsBuilder.hasRoomFor.
func (b *ProducerBatch) tryAppend(magic int, r *record.Record, now sim.Time) (bytes int, ok bool) {
	if b.isFull() {
		return 0, false
	}
	if n := len(b.Records); n == 0 {
		bytes = firstRecordSize(magic, r)
	} else if bytes = recordSize(magic, int32(n), r.Timestamp-b.Records[0].Timestamp, r); b.size+bytes > b.limit {
		return 0, false
	}
	b.Records = append(b.Records, *r)
	b.size += bytes
	b.lastAppend = now
	return bytes, true
}

// isFull says that nothing more goes in.
func (b *ProducerBatch) isFull() bool { return b.closed || len(b.Records) > 0 && b.size >= b.fullAt }

// close ends appending and makes what will be sent; TransactionManager.assignSequence numbers it.
func (b *ProducerBatch) close() {
	b.closed = true
	if b.Batch == nil {
		b.Batch = record.NewBatch(b.Records)
	}
}

// hasSequence says that the batch has been given its numbers.
func (b *ProducerBatch) hasSequence() bool { return b.Batch != nil && b.Batch.HasProducerID() }

func (b *ProducerBatch) baseSequence() int32 {
	if b.Batch == nil {
		return record.NoSequence
	}
	return b.Batch.BaseSequence
}

// setProducerState gives a batch that is closed and was never sent its numbers.
func (b *ProducerBatch) setProducerState(id ProducerIDAndEpoch, sequence int32) {
	b.Batch.ProducerID, b.Batch.ProducerEpoch, b.Batch.BaseSequence = id.ID, id.Epoch, sequence
}

// resetProducerState numbers a batch anew. What was sent of it stays what it was.
func (b *ProducerBatch) resetProducerState(id ProducerIDAndEpoch, sequence int32) {
	b.Batch = b.Batch.WithProducerState(id.ID, id.Epoch, sequence)
	b.reopened = true
}

// reenqueued notes a failed attempt.
func (b *ProducerBatch) reenqueued(now sim.Time) {
	b.Attempts++
	b.lastAttempt, b.lastAppend = now, now
}

// CanNotHaveBeenWritten says that no broker has appended the batch and none will: no attempt is out, and
// every earlier one was answered with an error that means so.
func (b *ProducerBatch) CanNotHaveBeenWritten() bool { return !b.InFlight && !b.MaybeWritten }

// maybeUpdateLeaderEpoch notes that the partition has a newer leader than the last attempt knew.
func (b *ProducerBatch) maybeUpdateLeaderEpoch(epoch int) {
	if epoch > b.leaderEpoch {
		b.newLeaderAt, b.leaderEpoch = b.Attempts, epoch
	}
}

// hasNewLeader says that a new leader was learned since the last attempt failed.
//
// Kafka: ProducerBatch.hasLeaderChangedForTheOngoingRetry (3.6.1).
func (b *ProducerBatch) hasNewLeader() bool { return b.Attempts > 0 && b.newLeaderAt == b.Attempts }
