package log

import "kafkatrial/model/record"

// numBatchesToRetain is how many of a producer's last batches a partition remembers, so that it knows them
// again: as many as a producer may have in flight (ProducerStateEntry.NUM_BATCHES_TO_RETAIN).
const numBatchesToRetain = 5

// NoTransaction stands for the first offset of a transaction where there is none.
const NoTransaction int64 = -1

// BatchMetadata is what is remembered of a batch.
type BatchMetadata struct {
	LastSeq     int32
	LastOffset  int64
	OffsetDelta int32
	Timestamp   int64 // milliseconds, as the batch bears it
}

// FirstSeq is the sequence number of the batch's first record.
func (b BatchMetadata) FirstSeq() int32 { return record.DecrementSequence(b.LastSeq, b.OffsetDelta) }

// FirstOffset is the offset of the batch's first record.
func (b BatchMetadata) FirstOffset() int64 { return b.LastOffset - int64(b.OffsetDelta) }

// ProducerStateEntry is what one replica knows of one producer. It is a plain value: a copy is a snapshot.
//
// Kafka: ProducerStateEntry (ProducerIdEntry in 0.11).
type ProducerStateEntry struct {
	ProducerID            int64
	ProducerEpoch         int16 // record.NoProducerEpoch: nothing is known
	CoordinatorEpoch      int32 // of the last marker; -1 none
	LastTimestamp         int64 // of the last batch or marker, as it bears it, in milliseconds
	CurrentTxnFirstOffset int64 // NoTransaction: none is open

	retained [numBatchesToRetain]BatchMetadata
	n        int
}

func emptyProducerState(id int64) ProducerStateEntry {
	return ProducerStateEntry{ProducerID: id, ProducerEpoch: record.NoProducerEpoch, CoordinatorEpoch: -1,
		LastTimestamp: record.NoTimestamp, CurrentTxnFirstOffset: NoTransaction}
}

// Batches gives the batches that are remembered, oldest first. The caller must not change it.
func (e *ProducerStateEntry) Batches() []BatchMetadata { return e.retained[:e.n] }

// FirstSeq is the first sequence number of the oldest batch remembered, record.NoSequence if there is none.
func (e *ProducerStateEntry) FirstSeq() int32 {
	if e.n == 0 {
		return record.NoSequence
	}
	return e.retained[0].FirstSeq()
}

// LastSeq is the sequence number of the last record, record.NoSequence if none is known.
func (e *ProducerStateEntry) LastSeq() int32 {
	if e.n == 0 {
		return record.NoSequence
	}
	return e.retained[e.n-1].LastSeq
}

// LastDataOffset is the offset of the last record, -1 if none is known.
func (e *ProducerStateEntry) LastDataOffset() int64 {
	if e.n == 0 {
		return -1
	}
	return e.retained[e.n-1].LastOffset
}

// addBatch remembers one more batch, at most retain of them. An epoch other than the known one begins anew.
func (e *ProducerStateEntry) addBatch(epoch int16, b BatchMetadata, retain int) {
	e.maybeUpdateProducerEpoch(epoch)
	e.remember(b, retain)
	e.LastTimestamp = b.Timestamp
}

func (e *ProducerStateEntry) remember(b BatchMetadata, retain int) {
	e.keepLast(retain - 1)
	e.retained[e.n] = b
	e.n++
}

// keepLast forgets all batches but the last n.
func (e *ProducerStateEntry) keepLast(n int) {
	if e.n > n {
		e.n = copy(e.retained[:], e.retained[e.n-n:e.n])
	}
}

func (e *ProducerStateEntry) maybeUpdateProducerEpoch(epoch int16) {
	if e.ProducerEpoch != epoch {
		e.n, e.ProducerEpoch = 0, epoch
	}
}

// update takes over what an append has brought (ProducerStateEntry.update).
func (e *ProducerStateEntry) update(next *ProducerStateEntry, retain int) {
	e.maybeUpdateProducerEpoch(next.ProducerEpoch)
	for _, b := range next.Batches() {
		e.remember(b, retain)
	}
	e.CoordinatorEpoch, e.CurrentTxnFirstOffset, e.LastTimestamp = next.CoordinatorEpoch, next.CurrentTxnFirstOffset, next.LastTimestamp
}

// removeBatchesOlderThan forgets the batches that end below offset (up to 2.3).
func (e *ProducerStateEntry) removeBatchesOlderThan(offset int64) {
	old := 0
	for old < e.n && e.retained[old].LastOffset < offset {
		old++
	}
	e.n = copy(e.retained[:], e.retained[old:e.n])
}

// findDuplicateBatch finds the batch among those remembered that has exactly the same epoch and sequence
// numbers.
//
// Kafka: ProducerStateEntry.findDuplicateBatch; ProducerIdEntry.isDuplicate (0.11).
func (e *ProducerStateEntry) findDuplicateBatch(b *record.RecordBatch) (BatchMetadata, bool) {
	if b.ProducerEpoch == e.ProducerEpoch {
		first, last := b.BaseSequence, b.LastSequence()
		for _, known := range e.Batches() {
			if known.FirstSeq() == first && known.LastSeq == last {
				return known, true
			}
		}
	}
	return BatchMetadata{}, false
}
