package log

// TruncateTo cuts the log so that its end offset is offset, and reports how many batches went. It cuts
// nothing if the log is not longer. A batch that holds the offset goes whole.
//
// The leader epoch cache is cut in either case: a leader that wrote nothing in its term has an entry at
// its log end that the next leader's epoch contradicts.
//
// Kafka: UnifiedLog.truncateTo, LocalLog.truncateTo, LogSegment.truncateTo.
func (l *UnifiedLog) TruncateTo(offset int64) (cut int) {
	if offset >= l.logEndOffset {
		l.epochs.TruncateFromEnd(l.logEndOffset)
		return 0
	}
	if offset < l.baseOffset {
		return l.TruncateFullyAndStartAt(offset)
	}
	cut = l.cutFrom(l.indexOf(offset))
	l.logEndOffset = offset
	l.recoveryPoint = min(l.recoveryPoint, offset)
	l.epochs.TruncateFromEnd(offset)
	l.aborted.TruncateTo(offset)
	l.setLogStartOffset(min(l.logStartOffset, offset))
	l.highWatermark = min(l.highWatermark, offset)
	l.rebuildProducerState(offset)
	l.assertBounds()
	return cut
}

// TruncateFullyAndStartAt empties the log and lets it begin at offset: what a follower does that finds
// its whole log below the leader's start. It reports how many batches went.
//
// Kafka: UnifiedLog.truncateFullyAndStartAt.
func (l *UnifiedLog) TruncateFullyAndStartAt(offset int64) (cut int) {
	cut = l.cutFrom(0)
	l.epochs.Clear()
	l.aborted.TruncateTo(0)
	l.setBaseOffset(offset)
	l.setLogStartOffset(offset)
	l.logEndOffset, l.recoveryPoint, l.highWatermark = offset, offset, offset
	l.producers.TruncateFullyAndStartAt(offset)
	l.assertBounds()
	return cut
}

func (l *UnifiedLog) cutFrom(i int) (cut int) {
	cut = len(l.batches) - i
	l.batches = l.batches[:i:i]
	l.file.Truncate(i)
	return cut
}

// MaybeIncrementLogStartOffset raises the log start offset, as DeleteRecords does on the leader and its
// answers do on followers. It does nothing and says so if offset is not higher, or is above the high
// watermark, where Kafka throws OFFSET_OUT_OF_RANGE.
//
// Kafka: UnifiedLog.maybeIncrementLogStartOffset.
func (l *UnifiedLog) MaybeIncrementLogStartOffset(offset int64) bool {
	if offset <= l.logStartOffset || offset > l.highWatermark {
		return false
	}
	l.setLogStartOffset(offset)
	l.recoveryPoint = max(l.recoveryPoint, offset)
	l.epochs.TruncateFromStart(offset)
	l.evicted = append(l.evicted, l.producers.OnLogStartOffsetIncremented(offset)...)
	l.assertBounds()
	return true
}

// DeleteOldest removes from the disk the batches that lie wholly below offset and below the high
// watermark, raises the log start offset to what is left, and reports how many batches went. Retention
// calls it with its own bound, the cleanup after DeleteRecords with LogStartOffset.
//
// Kafka: UnifiedLog.deleteOldSegments.
func (l *UnifiedLog) DeleteOldest(offset int64) (deleted int) {
	offset = min(offset, l.highWatermark)
	for deleted < len(l.batches) && l.batches[deleted].NextOffset() <= offset {
		deleted++
	}
	if deleted == 0 {
		return 0
	}
	l.batches = l.batches[deleted:]
	l.file.DropFront(deleted)
	base := l.logEndOffset
	if len(l.batches) > 0 {
		base = l.batches[0].BaseOffset
	}
	l.setBaseOffset(base)
	l.aborted.DeleteBelow(base)
	l.MaybeIncrementLogStartOffset(base)
	return deleted
}
