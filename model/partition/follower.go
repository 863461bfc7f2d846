package partition

import (
	"kafkatrial/model/generation"
	"kafkatrial/model/log"
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
)

// TruncationRule says how a follower finds out where to cut its log.
type TruncationRule uint8

// The rules, oldest first.
const (
	TruncateToHighWatermark TruncationRule = iota // before KIP-101: at once, to its own high watermark
	AskLeaderEpochEnd                             // KIP-101, KIP-279: OffsetsForLeaderEpoch before the first fetch of an epoch
	TruncateOnFetch                               // KIP-595: the fetch response says where the logs part
)

// TruncationRuleOf gives the rule of a follower that begins to follow. known says whether its log has a
// leader epoch at all (UnifiedLog.LatestEpoch): without one, every generation falls back to the high watermark.
//
// Kafka: AbstractFetcherThread.partitionFetchState, fetchTruncatingPartitions.
func TruncationRuleOf(rules *generation.Rules, known bool) TruncationRule { panic("not yet") }

// Truncation is where a follower cuts, and whether it may fetch then or has to ask again (OffsetTruncationState).
type Truncation struct {
	Offset    int64
	Completed bool
}

// GetOffsetTruncationState decides where a follower cuts its log, given the leader's answer to
// OffsetsForLeaderEpoch or the divergence in a fetch response. highWatermark is the follower's fetch
// offset when it began to follow.
//
// Kafka: AbstractFetcherThread.getOffsetTruncationState.
func GetOffsetTruncationState(l *log.UnifiedLog, rules *generation.Rules, off planted.Set, highWatermark int64, leaderEpoch int, leaderEndOffset int64) Truncation {
	panic("not yet")
}

// Truncate cuts a follower's log for a Truncation, and reports the number of batches that went.
//
// Kafka: ReplicaFetcherThread.truncate.
func (p *Partition) Truncate(t Truncation) (cut int) { panic("not yet") }

// AppendRecordsToFollower appends what a fetch brought.
//
// Kafka: Partition.appendRecordsToFollowerOrFutureReplica.
func (p *Partition) AppendRecordsToFollower(batches []*record.Batch) (log.AppendInfo, protocol.Error) {
	panic("not yet")
}

// UpdateFollowerHighWatermark takes over the leader's high watermark and log start offset from a fetch
// response: the high watermark as far as the follower's own log reaches.
//
// Kafka: ReplicaFetcherThread.processPartitionData.
func (p *Partition) UpdateFollowerHighWatermark(leaderHW, leaderLogStart int64) HWChange {
	panic("not yet")
}
