package log

import (
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// AppendAsLeader gives the batch its offset and the leader's epoch, and appends the copy that bears
// them. now is the broker's clock, which stamps the batch with message.timestamp.type=LogAppendTime.
//
// A batch of a producer with an id is checked first: see ProducerAppendInfo.Append for the errors, after which
// nothing has changed. A duplicate is no error: nothing is appended, and the info has the offsets that the
// batch was given the first time.
//
// A batch bears its epoch in every generation, so that a viewer can show it; before KIP-101 no rule
// reads it.
//
// Kafka: UnifiedLog.appendAsLeader.
func (l *UnifiedLog) AppendAsLeader(b *record.RecordBatch, leaderEpoch int, now sim.Time) (AppendInfo, protocol.Error) {
	return l.AppendAsLeaderWith(b, leaderEpoch, now, AppendOptions{})
}

// AppendOptions say who appends, and what is known of the transaction that the batch belongs to.
type AppendOptions struct {
	Origin AppendOrigin
	// Guard is the verification under which the coordinator has confirmed the transaction; NoGuard if it was
	// not asked.
	Guard VerificationGuard
	// TransactionVersion of a marker's transaction (KIP-1228).
	TransactionVersion int
}

// AppendAsLeaderWith is AppendAsLeader of what a client or a coordinator of this broker writes.
func (l *UnifiedLog) AppendAsLeaderWith(b *record.RecordBatch, leaderEpoch int, now sim.Time, o AppendOptions) (AppendInfo, protocol.Error) {
	b = b.WithOffset(l.logEndOffset, leaderEpoch)
	if l.cfg.LogAppendTime {
		b.LogAppendTime, b.MaxTimestamp = true, now.Ms()
	}
	info := AppendInfo{FirstOffset: b.BaseOffset, LastSequence: record.NoSequence, Completed: CompletedTxn{FirstOffset: NoTransaction}}
	if b.HasProducerID() {
		var update ProducerAppendInfo
		known, duplicate, err := l.analyzeAndValidateProducerState(b, o, &update)
		switch {
		case duplicate:
			return AppendInfo{FirstOffset: known.FirstOffset(), LastOffset: known.LastOffset, LastLeaderEpoch: leaderEpoch,
				Duplicate: true, LastSequence: known.LastSeq}, protocol.None
		case err != protocol.None:
			info.LastSequence = update.current.LastSeq()
			return info, err
		}
		l.append(b, &info)
		l.updateProducers(b, &update, false)
		if t, ended := update.CompletedTxn(); ended {
			info.Completed = t
		}
	} else {
		l.append(b, &info)
	}
	l.flushIfDue(&info)
	return info, protocol.None
}

// AppendAsFollower appends batches as fetched, with the offsets and epochs they bear.
// OFFSET_OUT_OF_RANGE, and nothing appended, if the first lies before the log end
// (UnexpectedAppendOffsetException). A gap is allowed: compaction leaves some.
//
// Kafka: UnifiedLog.appendAsFollower.
func (l *UnifiedLog) AppendAsFollower(batches []*record.RecordBatch) (AppendInfo, protocol.Error) {
	info := AppendInfo{FirstOffset: l.logEndOffset, LastOffset: l.logEndOffset - 1, LastLeaderEpoch: record.NoLeaderEpoch}
	if len(batches) == 0 {
		return info, protocol.None
	}
	info.FirstOffset = batches[0].BaseOffset
	if batches[0].BaseOffset < l.logEndOffset && l.cfg.Planted.On(planted.ContiguousAppend) {
		return info, protocol.OffsetOutOfRange
	}
	for _, b := range batches {
		l.append(b, &info)
		l.replicated(b, false)
	}
	l.flushIfDue(&info)
	return info, protocol.None
}

// append puts one batch at the end: the one place where a log grows.
//
// Kafka: UnifiedLog.append.
func (l *UnifiedLog) append(b *record.RecordBatch, info *AppendInfo) {
	l.assertNext(b)
	info.EpochChanged = l.noteEpoch(b) || info.EpochChanged
	l.batches = append(l.batches, b)
	l.file.Append(b)
	l.logEndOffset = b.NextOffset()
	l.producers.UpdateMapEndOffset(l.logEndOffset)
	info.LastOffset, info.LastLeaderEpoch = b.LastOffset(), b.PartitionLeaderEpoch
	l.assertBounds()
}

// noteEpoch brings the cache of epochs up to a batch, and reports whether it changed. A batch without an epoch is of an
// old message format: the cache is cleared, so that the next truncation goes to the high watermark.
//
// Kafka: UnifiedLog.append; the clearing since 2.2.1.
func (l *UnifiedLog) noteEpoch(b *record.RecordBatch) (changed bool) {
	switch {
	case !l.rules.LeaderEpochTruncation:
	case b.PartitionLeaderEpoch != record.NoLeaderEpoch:
		changed, _ = l.epochs.Assign(b.PartitionLeaderEpoch, b.BaseOffset)
	case len(l.epochs.Entries()) > 0:
		l.epochs.Clear()
		changed = true
	}
	return changed
}

// AssignEpochStartOffset notes that a new leader's epoch begins at the log end, before it has written
// anything: followers may hold an epoch between its last one and this (KAFKA-7415). Up to 2.0.0 the entry came with the
// first record, and until then a follower that asked about such an epoch was told that it is not known.
//
// Kafka: UnifiedLog.maybeAssignEpochStartOffset, called by Partition.makeLeader.
func (l *UnifiedLog) AssignEpochStartOffset(epoch int) {
	if l.rules.LeaderEpochTruncation && l.rules.EpochStartNoted && l.cfg.Planted.On(planted.EpochAtElection) {
		_, _ = l.epochs.Assign(epoch, l.logEndOffset) // a controller gives no negative epoch
	}
}

// Flush makes everything appended durable, as flush.ms and the roll of a segment do.
func (l *UnifiedLog) Flush() {
	l.file.Flush()
	l.recoveryPoint = l.logEndOffset
}

// flushIfDue flushes once flush.messages records are in the page cache alone.
func (l *UnifiedLog) flushIfDue(info *AppendInfo) {
	if l.cfg.FlushMessages > 0 && l.logEndOffset-l.recoveryPoint >= l.cfg.FlushMessages {
		l.Flush()
		info.Flushed = true
	}
}
