package log

import (
	"math"

	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
)

// AppendOrigin says who appends, and so what is checked.
type AppendOrigin uint8

// The origins.
const (
	OriginClient      AppendOrigin = iota // a produce request: epoch and sequence numbers
	OriginCoordinator                     // a coordinator's own writes, offsets and markers: the epoch
	OriginReplication                     // a follower, or the log read again: nothing, the leader has checked
)

// CompletedTxn is a transaction that a marker has ended.
type CompletedTxn struct {
	ProducerID              int64
	FirstOffset, LastOffset int64 // LastOffset is the marker's
	Aborted                 bool
}

// ProducerAppendInfo checks a batch against what is known of its producer, and holds what will be known
// once it is written. It is made by ProducerStateManager.PrepareUpdate and ends with Update.
//
// Kafka: ProducerAppendInfo.
type ProducerAppendInfo struct {
	manager *ProducerStateManager
	origin  AppendOrigin
	current ProducerStateEntry
	updated ProducerStateEntry

	transactionVersion int // of a marker's transaction

	started   int64 // first offset of a transaction that began, NoTransaction if none
	completed CompletedTxn
	ended     bool
}

// Append checks one batch, which bears its offsets, and takes it in. It changes nothing beyond the info.
//
// OUT_OF_ORDER_SEQUENCE_NUMBER, UNKNOWN_PRODUCER_ID (1.0 to 2.4), INVALID_PRODUCER_EPOCH,
// TRANSACTION_COORDINATOR_FENCED, or INVALID_TXN_STATE for a batch outside of a transaction while one is open.
func (i *ProducerAppendInfo) Append(b *record.RecordBatch) protocol.Error {
	if b.IsControl {
		if len(b.Records) == 0 { // compaction has removed the marker, and the whole transaction before it
			return protocol.None
		}
		return i.appendEndTxnMarker(b)
	}
	return i.appendDataBatch(b)
}

// CompletedTxn gives the transaction that the batch has ended; ok is false if it ended none, as a marker does
// before which the producer wrote nothing here.
func (i *ProducerAppendInfo) CompletedTxn() (t CompletedTxn, ok bool) { return i.completed, i.ended }

func (i *ProducerAppendInfo) appendDataBatch(b *record.RecordBatch) protocol.Error {
	if err := i.checkProducerEpoch(b.ProducerEpoch); err != protocol.None {
		return err
	}
	if i.origin == OriginClient && i.manager.planted.On(planted.SequenceInOrder) {
		if err := i.checkSequence(b.ProducerEpoch, b.BaseSequence); err != protocol.None {
			return err
		}
	}
	i.updated.addBatch(b.ProducerEpoch, BatchMetadata{b.LastSequence(), b.LastOffset(), b.LastOffsetDelta, b.MaxTimestamp}, i.manager.retain())
	switch open := i.updated.CurrentTxnFirstOffset != NoTransaction; {
	case open && !b.IsTransactional:
		return protocol.InvalidTxnState
	case !open && b.IsTransactional:
		i.updated.CurrentTxnFirstOffset, i.started = b.BaseOffset, b.BaseOffset
	}
	return protocol.None
}

// checkProducerEpoch fences a producer whose epoch is older than the last one seen.
func (i *ProducerAppendInfo) checkProducerEpoch(epoch int16) protocol.Error {
	if epoch < i.updated.ProducerEpoch && i.origin != OriginReplication && i.manager.planted.On(planted.ProducerEpoch) {
		return protocol.InvalidProducerEpoch
	}
	return protocol.None
}

// checkMarkerEpoch refuses a marker that is late. Every transaction v2 has an epoch of its own, and its marker
// the next one: a marker with the epoch that is known is a late one, or a second one, and only the second may
// be written, since no transaction is open then (KIP-1228, KAFKA-19999). From 4.3 on the last epoch there is needs no next
// one (KAFKA-20090).
func (i *ProducerAppendInfo) checkMarkerEpoch(epoch int16) protocol.Error {
	last := epoch == math.MaxInt16 && i.manager.rules.EpochMaximumRecovers
	if i.transactionVersion >= 2 && epoch == i.updated.ProducerEpoch && i.updated.CurrentTxnFirstOffset != NoTransaction && !last &&
		i.origin != OriginReplication && i.manager.planted.On(planted.ProducerEpoch) {
		return protocol.InvalidProducerEpoch
	}
	return i.checkProducerEpoch(epoch)
}

// checkSequence lets only the batch in that comes next.
//
// A new epoch begins at 0, and an epoch after a marker too. For a producer of which nothing is known the
// generations differ: up to 2.4 it must begin at 0 and is told that it is unknown (1.0), or out of order
// (0.11); from 2.5 on it may begin anywhere, since its records may have been deleted (KIP-360), but for a transaction v2,
// which from 4.1 on begins at 0 (KAFKA-18202).
//
// Kafka: ProducerAppendInfo.checkSequence; validateAppend (0.11).
func (i *ProducerAppendInfo) checkSequence(epoch int16, first int32) protocol.Error {
	v, unknown := i.manager.verificationStateEntry(i.updated.ProducerID), i.current.ProducerEpoch == record.NoProducerEpoch
	zeroFirst := i.manager.rules.TransactionV2 && i.manager.rules.SequenceZeroFirst && i.current.LastSeq() == record.NoSequence
	if v != nil && (first > v.LowestSequence || first != 0 && zeroFirst) {
		return protocol.OutOfOrderSequenceNumber
	}
	if epoch != i.updated.ProducerEpoch {
		switch {
		case first == 0 || unknown && i.manager.rules.EpochBump:
			return protocol.None
		case unknown && i.manager.rules.UnknownProducerIDTold:
			return protocol.UnknownProducerID
		}
		return protocol.OutOfOrderSequenceNumber
	}
	last := i.updated.LastSeq()
	if last == record.NoSequence {
		last = i.current.LastSeq()
	}
	switch {
	case inSequence(last, first):
		return protocol.None
	case last == record.NoSequence && i.manager.rules.UnknownAfterMarker && !i.manager.rules.EpochBump:
		return protocol.UnknownProducerID // only a marker is left (KAFKA-7298): 2.0.1 to 2.4
	}
	return protocol.OutOfOrderSequenceNumber
}

func inSequence(last, next int32) bool {
	return int64(next) == int64(last)+1 || next == 0 && last == 1<<31-1
}

// appendEndTxnMarker ends the producer's transaction. A marker of a newer epoch begins the sequence numbers
// anew; one of the same epoch leaves them and the batches that are remembered. Up to 2.4.0 a producer was as old as the
// last batch that is remembered, so one of which the marker of a newer epoch is all that is left was forgotten at the
// next look (KAFKA-9144).
//
// Kafka: ProducerAppendInfo.appendEndTxnMarker.
func (i *ProducerAppendInfo) appendEndTxnMarker(b *record.RecordBatch) protocol.Error {
	if err := i.checkMarkerEpoch(b.ProducerEpoch); err != protocol.None {
		return err
	}
	if i.updated.CoordinatorEpoch > b.Marker.CoordinatorEpoch && i.origin != OriginReplication {
		return protocol.TransactionCoordinatorFenced
	}
	if first := i.updated.CurrentTxnFirstOffset; first != NoTransaction {
		i.completed = CompletedTxn{i.updated.ProducerID, first, b.BaseOffset, b.Marker.Abort}
		i.ended = true
	}
	i.updated.maybeUpdateProducerEpoch(b.ProducerEpoch)
	i.updated.CoordinatorEpoch, i.updated.CurrentTxnFirstOffset = b.Marker.CoordinatorEpoch, NoTransaction
	i.updated.LastTimestamp = b.Records[0].Timestamp
	if !i.manager.rules.MarkerKeepsProducer {
		i.updated.LastTimestamp = i.lastBatchTimestamp()
	}
	return protocol.None
}

// lastBatchTimestamp is that of the last batch remembered, record.NoTimestamp if there is none.
func (i *ProducerAppendInfo) lastBatchTimestamp() int64 {
	for _, e := range [...]*ProducerStateEntry{&i.updated, &i.current} {
		if n := len(e.Batches()); n > 0 && e.ProducerEpoch == i.updated.ProducerEpoch {
			return e.Batches()[n-1].Timestamp
		}
	}
	return record.NoTimestamp
}
