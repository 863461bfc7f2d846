package producer

import (
	"slices"

	"kafkatrial/model/record"
)

// ProducerIDAndEpoch is what a broker knows a producer by.
type ProducerIDAndEpoch struct {
	ID    int64 // record.NoProducerID: none yet
	Epoch int16
}

var noProducerID = ProducerIDAndEpoch{record.NoProducerID, record.NoProducerEpoch}

// TxnPartitionEntry is what the producer keeps about the sequence numbers of one partition.
//
// Kafka: TxnPartitionEntry; the maps of TransactionManager up to 2.3.
type TxnPartitionEntry struct {
	ProducerIDAndEpoch ProducerIDAndEpoch // of NextSequence
	NextSequence       int32              // of the next batch
	LastAckedSequence  int32              // of the last record acknowledged; -1 none
	LastAckedOffset    int64              // -1 none

	// inFlight holds the batches that have a sequence number and no outcome, in that order, also those
	// that wait to be sent again (inflightBatchesBySequence).
	inFlight []*ProducerBatch

	// Unresolved: a batch expired after it had been sent, so it is not known which number the broker has
	// next. afterExpired is the one that follows the batch.
	Unresolved   bool
	afterExpired int32
	rewrite      bool // the epoch is to be bumped, and the batches here are to be numbered anew
}

func newTxnPartitionEntry() TxnPartitionEntry {
	return TxnPartitionEntry{ProducerIDAndEpoch: noProducerID, LastAckedSequence: -1, LastAckedOffset: -1}
}

func (e *TxnPartitionEntry) hasInFlight() bool { return len(e.inFlight) > 0 }

// firstInFlightSequence is the lowest number without an outcome, record.NoSequence if there is none.
func (e *TxnPartitionEntry) firstInFlightSequence() int32 {
	if len(e.inFlight) == 0 {
		return record.NoSequence
	}
	return e.inFlight[0].baseSequence()
}

// addInFlight. Up to 3.1.0 (KAFKA-13794) two batches are the same to the set if their first sequence numbers are, in whatever
// epochs: the second one is not put in, and taking out one takes out the other. That matters since 2.5, where a batch that has expired
// may still be out when the first one of the next epoch is.
func (e *TxnPartitionEntry) addInFlight(b *ProducerBatch, byIdentity bool) {
	if !byIdentity && slices.ContainsFunc(e.inFlight, func(o *ProducerBatch) bool { return o.baseSequence() == b.baseSequence() }) {
		return
	}
	i := len(e.inFlight)
	for i > 0 && e.inFlight[i-1].baseSequence() > b.baseSequence() {
		i--
	}
	e.inFlight = append(e.inFlight, nil)
	copy(e.inFlight[i+1:], e.inFlight[i:])
	e.inFlight[i] = b
}

func (e *TxnPartitionEntry) removeInFlight(b *ProducerBatch, byIdentity bool) {
	for i := range e.inFlight {
		if e.inFlight[i] == b || !byIdentity && e.inFlight[i].baseSequence() == b.baseSequence() {
			n := copy(e.inFlight[i:], e.inFlight[i+1:]) + i
			e.inFlight[n] = nil
			e.inFlight = e.inFlight[:n]
			return
		}
	}
}

// isNextSequence says that a number follows the last one acknowledged.
func (e *TxnPartitionEntry) isNextSequence(sequence int32) bool {
	return int64(sequence)-int64(e.LastAckedSequence) == 1
}

func (e *TxnPartitionEntry) markUnresolved(b *ProducerBatch) {
	next := b.Batch.LastSequence() + 1
	if e.Unresolved {
		next = max(next, e.afterExpired)
	}
	e.Unresolved, e.afterExpired = true, next
}

// startSequencesAtBeginning numbers the batches without an outcome anew, from 0.
//
// Kafka: TxnPartitionEntry.startSequencesAtBeginning.
func (e *TxnPartitionEntry) startSequencesAtBeginning(id ProducerIDAndEpoch) {
	var next int32
	for _, b := range e.inFlight {
		b.resetProducerState(id, next)
		next += int32(len(b.Records))
	}
	e.ProducerIDAndEpoch, e.NextSequence, e.LastAckedSequence = id, next, -1
}

// adjustSequencesDueToFailedBatch closes the gap that a batch leaves which the broker certainly has not written.
//
// Kafka: TxnPartitionEntry.adjustSequencesDueToFailedBatch; of an idempotent producer up to 2.4.
func (e *TxnPartitionEntry) adjustSequencesDueToFailedBatch(failed *ProducerBatch) {
	n := int32(len(failed.Records))
	if e.NextSequence < n { // an exception, which nobody hears of
		return
	}
	e.NextSequence -= n
	for _, b := range e.inFlight {
		if b.baseSequence() >= failed.baseSequence() {
			b.resetProducerState(ProducerIDAndEpoch{b.Batch.ProducerID, b.Batch.ProducerEpoch}, b.baseSequence()-n)
		}
	}
}
