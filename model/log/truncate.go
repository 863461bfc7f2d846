package log

// TruncateTo cuts the log so that its end offset is offset, and reports what was cut: the number of
// batches. It does nothing if the log is not longer. A batch that holds the offset goes whole.
//
// Kafka: UnifiedLog.truncateTo.
func (l *UnifiedLog) TruncateTo(offset int64) (cut int) { panic("not yet") }

// TruncateFullyAndStartAt empties the log and lets it begin at offset.
//
// Kafka: UnifiedLog.truncateFullyAndStartAt.
func (l *UnifiedLog) TruncateFullyAndStartAt(offset int64) (cut int) { panic("not yet") }

// MaybeIncrementLogStartOffset raises the log start offset, as DeleteRecords and the leader's answers to
// a follower's fetch do. false if offset is above the high watermark (OFFSET_OUT_OF_RANGE) or not higher.
//
// Kafka: UnifiedLog.maybeIncrementLogStartOffset.
func (l *UnifiedLog) MaybeIncrementLogStartOffset(offset int64) bool { panic("not yet") }

// DeleteOldest removes the batches wholly below offset from the disk and raises the log start offset to
// the first that is left, as retention does with whole segments. Only what is below the high watermark goes.
//
// Kafka: UnifiedLog.deleteOldSegments.
func (l *UnifiedLog) DeleteOldest(offset int64) (deleted int) { panic("not yet") }
