package log

import (
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// ProducerStateLoad says from what the producers' state was made when the log was opened.
type ProducerStateLoad struct {
	Snapshot int64 // offset of the snapshot that was read, -1 none
	ReadFrom int64 // the log was read from here to its end
}

// Producers is what this replica knows of the producers.
func (l *UnifiedLog) Producers() *ProducerStateManager { return l.producers }

// ProducerStateLoad tells from what the producers' state was made when the log was opened.
func (l *UnifiedLog) ProducerStateLoad() ProducerStateLoad { return l.load }

// analyzeAndValidateProducerState checks a batch of a producer with an id before it is appended as leader.
// Of a duplicate it gives the batch that the log has already.
//
// Kafka: UnifiedLog.analyzeAndValidateProducerState.
func (l *UnifiedLog) analyzeAndValidateProducerState(b *record.RecordBatch, o AppendOptions, info *ProducerAppendInfo) (known BatchMetadata, duplicate bool, err protocol.Error) {
	if o.Origin == OriginClient {
		if known, duplicate = l.producers.FindDuplicateBatch(b); duplicate {
			return known, true, protocol.None
		}
	}
	if b.IsTransactional && !b.IsControl && !l.producers.HasOngoingTransaction(b.ProducerID, b.ProducerEpoch) {
		e := l.producers.LastEntry(b.ProducerID)
		switch { // KAFKA-19690: a producer that was aborted meanwhile can go on after INVALID_PRODUCER_EPOCH, and not after the other
		case l.rules.EpochBeforeVerification && e != nil && b.ProducerEpoch < e.ProducerEpoch && l.cfg.Planted.On(planted.ProducerEpoch):
			return known, false, protocol.InvalidProducerEpoch
		case !l.producers.verified(b.ProducerID, o.Guard, o.Origin):
			return known, false, protocol.InvalidTxnState
		}
	}
	*info = l.producers.PrepareUpdate(b.ProducerID, o.Origin)
	info.transactionVersion = o.TransactionVersion
	return known, false, info.Append(b)
}

// updateProducers takes over what analyzeAndValidateProducerState has let pass. rebuild: the batch is read
// again; a transaction that it ends is in the index already.
//
// Kafka: UnifiedLog.append, updateProducers; LogSegment.updateTxnIndex.
func (l *UnifiedLog) updateProducers(b *record.RecordBatch, info *ProducerAppendInfo, rebuild bool) {
	l.producers.Update(info)
	if t, ended := info.CompletedTxn(); ended {
		if t.Aborted && !rebuild && l.cfg.Planted.On(planted.AbortedTransactionIndex) {
			l.aborted.Append(AbortedTxn{t.ProducerID, t.FirstOffset, t.LastOffset, l.producers.LastStableOffset(t)})
		}
		l.producers.CompleteTxn(t)
	}
	if b.IsTransactional && !l.producers.endsLastTransaction(b) {
		l.producers.ClearVerificationStateEntry(b.ProducerID)
	}
}

// replicated takes in a batch that a leader has checked: a follower's, or (rebuild) one of the log read again.
func (l *UnifiedLog) replicated(b *record.RecordBatch, rebuild bool) {
	if !b.HasProducerID() || !l.cfg.Planted.On(planted.ProducerStateRebuilt) {
		return
	}
	info := l.producers.PrepareUpdate(b.ProducerID, OriginReplication)
	if info.Append(b) == protocol.None {
		l.updateProducers(b, &info, rebuild)
	}
}

// rebuildProducerState makes the state anew for a log that was opened or cut: from the newest snapshot that
// fits, and the batches after it. In the end it takes a snapshot, as Kafka does.
//
// Simplified: what has expired is dropped when the log is opened and at the periodic look for it, not at a
// truncation.
//
// Kafka: UnifiedLog.rebuildProducerState; loadProducerState up to 2.7.
func (l *UnifiedLog) rebuildProducerState(end int64) {
	m := l.producers
	if !l.cfg.Planted.On(planted.ProducerStateRebuilt) {
		m.TruncateFullyAndStartAt(end)
		return
	}
	wasEmpty := m.isEmpty() && m.lastMapOffset >= end
	m.TruncateAndReload(l.logStartOffset, end, 0)
	l.load = ProducerStateLoad{Snapshot: -1, ReadFrom: m.lastMapOffset}
	if at, ok := m.LatestSnapshotOffset(); ok {
		l.load.Snapshot = at
	}
	if end > m.lastMapOffset && !wasEmpty {
		for i := l.indexOf(m.lastMapOffset); i < len(l.batches); i++ {
			l.replicated(l.batches[i], true)
		}
	}
	m.UpdateMapEndOffset(end)
	m.TakeSnapshot()
}

// Close writes the snapshot that an orderly shutdown leaves (UnifiedLog.close).
func (l *UnifiedLog) Close() {
	if l.cfg.Planted.On(planted.ProducerStateRebuilt) {
		l.producers.TakeSnapshot()
	}
}

// RemoveExpiredProducers forgets the producers that have been idle for producer.id.expiration.ms, and gives
// their ids (UnifiedLog.removeExpiredProducers, every producer.id.expiration.check.interval.ms).
func (l *UnifiedLog) RemoveExpiredProducers(now sim.Time) []int64 {
	return l.producers.RemoveExpiredProducers(now.Ms())
}

// EvictedProducers gives the ids of the producers that were forgotten with their last record (up to 2.3) since
// it was last asked, nil if none.
func (l *UnifiedLog) EvictedProducers() []int64 {
	ids := l.evicted
	l.evicted = nil
	return ids
}

// LastStableOffset bounds what a read_committed consumer may read: the first offset of which it is not settled
// whether it was committed, or the high watermark.
//
// Kafka: UnifiedLog.fetchLastStableOffsetMetadata, maybeIncrementFirstUnstableOffset.
func (l *UnifiedLog) LastStableOffset() int64 {
	if first, ok := l.producers.FirstUnstableOffset(); ok {
		return l.assertStable(min(max(first, l.logStartOffset), l.highWatermark))
	}
	return l.highWatermark
}
