package log

import (
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
)

// Read gives the whole batches from the one that holds offset from, up to the bound of the isolation.
// maxRecords bounds their number of records (0: no bound), but at least one batch is given if there is
// one. The result is a part of the log's own slice: the caller must not change it.
// OFFSET_OUT_OF_RANGE if from is below LogStartOffset or above LogEndOffset.
//
// Kafka: UnifiedLog.read.
func (l *UnifiedLog) Read(from int64, isolation Isolation, maxRecords int) ([]*record.Batch, protocol.Error) {
	panic("not yet")
}

// ReadUpTo is Read with an explicit bound: no batch that reaches upTo or beyond.
func (l *UnifiedLog) ReadUpTo(from, upTo int64, maxRecords int) ([]*record.Batch, protocol.Error) {
	panic("not yet")
}

// UpdateHighWatermark sets the high watermark, kept between LogStartOffset and LogEndOffset, and gives
// the new value. It may go down.
//
// Kafka: UnifiedLog.updateHighWatermark.
func (l *UnifiedLog) UpdateHighWatermark(offset int64) int64 { panic("not yet") }

// MaybeIncrementHighWatermark raises the high watermark to offset if that is higher.
//
// Kafka: UnifiedLog.maybeIncrementHighWatermark.
func (l *UnifiedLog) MaybeIncrementHighWatermark(offset int64) (old int64, raised bool) {
	panic("not yet")
}

// EndOffsetForEpoch answers from the leader epoch cache.
//
// Kafka: UnifiedLog.endOffsetForEpoch.
func (l *UnifiedLog) EndOffsetForEpoch(epoch int) (foundEpoch int, endOffset int64) { panic("not yet") }

// LatestEpoch is the epoch of the last batch written or of the leader's own term; ok is false if none is known.
func (l *UnifiedLog) LatestEpoch() (epoch int, ok bool) { return l.epochs.LatestEpoch() }
