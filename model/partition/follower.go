package partition

import (
	"kafkatrial/model/log"
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/model/release"
)

// TruncationRule says how a follower finds out where to cut its log.
type TruncationRule uint8

// The rules, oldest first.
const (
	TruncateToHighWatermark TruncationRule = iota // before KIP-101: at once, to its own high watermark
	AskLeaderEpochEnd                             // KIP-101, KIP-279: OffsetsForLeaderEpoch before the first fetch of a term
	TruncateOnFetch                               // KIP-595: fetch at once from the log end; the response says where the logs part
)

// TruncationRuleOf gives the rule for a follower that begins to follow. known says whether its log has a
// leader epoch at all (UnifiedLog.LatestEpoch): without one, every generation falls back to the high
// watermark, which for an empty log cuts nothing.
//
// Kafka: AbstractFetcherThread.partitionFetchState, fetchTruncatingPartitions.
func TruncationRuleOf(rules *release.Rules, known bool) TruncationRule {
	switch {
	case !known || !rules.LeaderEpochTruncation:
		return TruncateToHighWatermark
	case !rules.TruncateOnFetch:
		return AskLeaderEpochEnd
	}
	return TruncateOnFetch
}

// Truncation is where a follower cuts, and whether it may fetch then (Completed) or has to ask the leader
// again about the epoch that is then its latest (OffsetTruncationState).
type Truncation struct {
	Offset    int64
	Completed bool
}

// GetOffsetTruncationState decides where a follower cuts its log, given the leader's answer to
// OffsetsForLeaderEpoch, or the diverging epoch in a fetch response. fetchOffset is where it meant to
// fetch from when it began to follow: its high watermark.
//
//   - The leader does not know: cut to fetchOffset.
//   - The answer names no epoch (before KIP-279): cut to its offset, if that is shorter.
//   - The follower has had that epoch: cut where it ends first, here or there.
//   - It has not: cut where its own largest epoch below that one ends, and ask again.
//
// Kafka: AbstractFetcherThread.getOffsetTruncationState; ReplicaFetcherThread.maybeTruncate in 0.11 to 1.1.
func GetOffsetTruncationState(l *log.UnifiedLog, rules *release.Rules, fetchOffset int64, leaderEpoch int, leaderEnd int64) Truncation {
	if leaderEnd == log.UndefinedEpochOffset {
		return Truncation{fetchOffset, true}
	}
	if leaderEpoch == log.UndefinedEpoch || !rules.EpochInAnswer {
		return Truncation{min(leaderEnd, l.LogEndOffset()), true}
	}
	epoch, end := l.EndOffsetForEpoch(leaderEpoch)
	switch epoch {
	case log.UndefinedEpoch: // its own epochs all lie below, or it has none
		return Truncation{min(leaderEnd, l.LogEndOffset()), true}
	case leaderEpoch:
		return Truncation{min(end, leaderEnd, l.LogEndOffset()), true}
	}
	return Truncation{min(end, l.LogEndOffset()), false}
}

// Truncate cuts a follower's log, and reports the number of batches that went. With the high watermark
// above the cut it goes down too: the record was not committed, or the leader was elected uncleanly.
//
// Kafka: ReplicaFetcherThread.truncate.
func (p *Partition) Truncate(t Truncation) (cut int) {
	if !p.cfg.Planted.On(planted.TruncateToEpochEnd) {
		return 0
	}
	return p.log.TruncateTo(t.Offset)
}

// AppendRecordsToFollower appends what a fetch brought. OFFSET_OUT_OF_RANGE if it does not continue the
// log, but a log without records takes a first batch that begins earlier: the leader's log start may lie
// within a batch.
//
// Kafka: Partition.appendRecordsToFollowerOrFutureReplica.
func (p *Partition) AppendRecordsToFollower(batches []*record.RecordBatch) (log.AppendInfo, protocol.Error) {
	info, err := p.log.AppendAsFollower(batches)
	if err == protocol.None {
		return info, err
	}
	end := p.log.LogEndOffset()
	first, last := batches[0].BaseOffset, batches[len(batches)-1].LastOffset()
	if end != p.log.LogStartOffset() || first >= end || last < end {
		return info, err
	}
	p.log.TruncateFullyAndStartAt(first)
	return p.log.AppendAsFollower(batches)
}

// UpdateFollowerHighWatermark takes over the leader's high watermark and log start offset from a fetch
// response: the high watermark as far as the follower's own log reaches. It may go down.
//
// Kafka: ReplicaFetcherThread.processPartitionData.
func (p *Partition) UpdateFollowerHighWatermark(leaderHW, leaderLogStart int64) HWChange {
	from := p.log.HighWatermark()
	to := p.log.UpdateHighWatermark(leaderHW)
	p.log.MaybeIncrementLogStartOffset(leaderLogStart)
	return HWChange{From: from, To: to}
}
