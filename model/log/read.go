package log

import (
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
)

// Read gives the whole batches from the one that holds offset from, up to the bound of the isolation.
// maxRecords bounds their number of records (0: no bound), but at least one batch is given if there is
// one. The result is a part of the log's own slice: the caller must not change it.
// OFFSET_OUT_OF_RANGE if from is below LogStartOffset or above LogEndOffset. At or above the bound there
// is simply nothing to read.
//
// Kafka: UnifiedLog.read, LocalLog.read. Kafka bounds by bytes (fetch.max.bytes,
// max.partition.fetch.bytes, replica.fetch.max.bytes).
func (l *UnifiedLog) Read(from int64, isolation Isolation, maxRecords int) ([]*record.RecordBatch, protocol.Error) {
	return l.ReadUpTo(from, l.fetchUpperBound(isolation), maxRecords)
}

// fetchUpperBound is the offset at which a reader must stop.
//
// Kafka: UnifiedLog.read; ReplicaManager.readFromLog before 2.3.
func (l *UnifiedLog) fetchUpperBound(isolation Isolation) int64 {
	if isolation == FetchLogEnd || !l.cfg.Planted.On(planted.ReadBelowHW) {
		return l.logEndOffset
	}
	if isolation == FetchTxnCommitted && l.cfg.Planted.On(planted.ReadBelowLSO) {
		return l.LastStableOffset()
	}
	return l.highWatermark
}

// ReadUpTo is Read with an explicit bound: no batch that reaches upTo or beyond.
func (l *UnifiedLog) ReadUpTo(from, upTo int64, maxRecords int) ([]*record.RecordBatch, protocol.Error) {
	if from < l.logStartOffset || from > l.logEndOffset {
		return nil, protocol.OffsetOutOfRange
	}
	if from >= upTo {
		return nil, protocol.None
	}
	first := l.indexOf(from)
	last, records := first, 0
	for last < len(l.batches) && l.batches[last].LastOffset() < upTo {
		records += len(l.batches[last].Records)
		if maxRecords > 0 && records > maxRecords && last > first {
			break
		}
		last++
	}
	return l.batches[first:last:last], protocol.None
}

// CollectAbortedTransactions lists the aborted transactions of which a fetch from offset from has read
// records: batches is what Read gave. A reader in isolation read_committed has to pass over them.
//
// Kafka's bound is where the fetch could have read to, found by the offset index: its answer may list more.
//
// Kafka: LocalLog.addAbortedTransactions, UnifiedLog.collectAbortedTransactions.
func (l *UnifiedLog) CollectAbortedTransactions(from int64, batches []*record.RecordBatch) []AbortedTxn {
	if len(batches) == 0 {
		return nil
	}
	aborted, _ := l.aborted.CollectAbortedTxns(from, batches[len(batches)-1].NextOffset())
	return aborted
}

// indexOf is the place of the first batch that holds offset or something later: len(batches) if none.
func (l *UnifiedLog) indexOf(offset int64) int {
	lo, hi := 0, len(l.batches)
	if hi > 0 && l.batches[hi-1].BaseOffset <= offset { // most readers are at the end
		lo = hi - 1
	}
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if l.batches[mid].LastOffset() < offset {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// UpdateHighWatermark sets the high watermark, kept between LogStartOffset and LogEndOffset, and gives
// the new value. It may go down: that is how a follower takes over what its leader says.
//
// Kafka: UnifiedLog.updateHighWatermark.
func (l *UnifiedLog) UpdateHighWatermark(offset int64) int64 {
	if offset > l.logEndOffset && l.cfg.Planted.On(planted.HWBelowLEO) {
		offset = l.logEndOffset
	}
	l.highWatermark = max(offset, l.logStartOffset)
	l.producers.OnHighWatermarkUpdated(l.highWatermark)
	l.assertBounds()
	return l.highWatermark
}

// MaybeIncrementHighWatermark raises the high watermark to offset, at most LogEndOffset, if that is higher.
//
// Kafka: UnifiedLog.maybeIncrementHighWatermark.
func (l *UnifiedLog) MaybeIncrementHighWatermark(offset int64) (old int64, raised bool) {
	old = l.highWatermark
	if offset <= old || offset > l.logEndOffset {
		return old, false
	}
	l.highWatermark = offset
	l.producers.OnHighWatermarkUpdated(offset)
	l.assertBounds()
	return old, true
}

// EndOffsetForEpoch answers from the leader epoch cache: see LeaderEpochFileCache.EndOffsetFor.
//
// Kafka: UnifiedLog.endOffsetForEpoch.
func (l *UnifiedLog) EndOffsetForEpoch(epoch int) (foundEpoch int, endOffset int64) {
	return l.epochs.EndOffsetFor(epoch, l.logEndOffset)
}
