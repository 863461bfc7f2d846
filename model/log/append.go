package log

import (
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// AppendAsLeader gives the batch its offset and the leader's epoch, and appends it. now is the broker's
// clock. The stored batch is a copy; LastBatch gives it.
//
// Kafka: UnifiedLog.appendAsLeader.
func (l *UnifiedLog) AppendAsLeader(b *record.Batch, leaderEpoch int, now sim.Time) (AppendInfo, protocol.Error) {
	panic("not yet")
}

// AppendAsFollower appends batches as fetched, with the offsets and epochs they bear.
// OFFSET_OUT_OF_RANGE if they do not continue the log (UnexpectedAppendOffsetException).
//
// Kafka: UnifiedLog.appendAsFollower.
func (l *UnifiedLog) AppendAsFollower(batches []*record.Batch) (AppendInfo, protocol.Error) {
	panic("not yet")
}

// Flush makes everything appended durable.
func (l *UnifiedLog) Flush() { panic("not yet") }
