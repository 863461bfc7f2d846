package partition

import (
	"kafkatrial/model/log"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// FetchParams is one partition's part of a Fetch request.
type FetchParams struct {
	ReplicaID          int   // ConsumerID for a consumer
	ReplicaEpoch       int64 // the follower's broker epoch (KIP-903), NoBrokerEpoch if not told
	CurrentLeaderEpoch int   // NoEpoch if not told (KIP-320)
	LastFetchedEpoch   int   // NoEpoch if not told (KIP-595)
	FetchOffset        int64
	LogStartOffset     int64 // the follower's; NoOffset for a consumer
	MaxRecords         int   // 0: no bound
	Isolation          log.Isolation
	FetchOnlyLeader    bool // false allows a consumer to read from a follower (KIP-392)
}

// DivergingEpoch tells a follower where the leader's log parts from its own (KIP-595).
type DivergingEpoch struct {
	Epoch     int
	EndOffset int64
	Present   bool
}

// ReadInfo is what a fetch read (LogReadInfo): the offsets are those before the read.
type ReadInfo struct {
	Batches          []*record.Batch // a part of the log's own slice: not to be changed
	Diverging        DivergingEpoch
	HighWatermark    int64
	LogStartOffset   int64
	LogEndOffset     int64
	LastStableOffset int64
}

// FetchRecords serves a fetch: it checks the epoch, looks for a divergence, reads, and for a follower
// notes how far it has come. The effects are the leader's.
// NOT_LEADER_OR_FOLLOWER, FENCED_LEADER_EPOCH, UNKNOWN_LEADER_EPOCH, OFFSET_OUT_OF_RANGE.
//
// Kafka: Partition.fetchRecords.
func (p *Partition) FetchRecords(f FetchParams, now sim.Time) (ReadInfo, Effects, protocol.Error) {
	panic("not yet")
}

// UpdateFollowerFetchState notes that a follower fetched at fetchOffset, hence has all below.
// leaderEnd is the leader's log end offset when it read for that fetch.
// NOT_LEADER_OR_FOLLOWER for a fetch from an earlier life of the broker.
//
// Kafka: Partition.updateFollowerFetchState.
func (p *Partition) UpdateFollowerFetchState(replica int, fetchOffset, logStart int64, fetchTime sim.Time, leaderEnd, brokerEpoch int64) (Effects, protocol.Error) {
	panic("not yet")
}

// ReadRecords reads without noting anything: what a delayed fetch does to see how much there is.
//
// Kafka: Partition.readRecords.
func (p *Partition) ReadRecords(f FetchParams) (ReadInfo, protocol.Error) { panic("not yet") }

// CheckCurrentLeaderEpoch compares the leader epoch that a request names to this broker's own:
// FENCED_LEADER_EPOCH if the request's is older, UNKNOWN_LEADER_EPOCH if it is newer (KIP-320).
//
// Kafka: Partition.checkCurrentLeaderEpoch.
func (p *Partition) CheckCurrentLeaderEpoch(epoch int) protocol.Error { panic("not yet") }

// LastOffsetForLeaderEpoch answers OffsetsForLeaderEpoch. Before KIP-279 the answer names no epoch
// (log.UndefinedEpoch) and is log.LeaderEpochFileCache.EndOffsetV0.
//
// Kafka: Partition.lastOffsetForLeaderEpoch.
func (p *Partition) LastOffsetForLeaderEpoch(currentLeaderEpoch, epoch int, onlyLeader bool) (foundEpoch int, endOffset int64, err protocol.Error) {
	panic("not yet")
}

// EndOffset answers ListOffsets with timestamp -1 (latest) for a client's isolation, or for a follower
// (log.FetchLogEnd). OFFSET_NOT_AVAILABLE for a client while the high watermark has not reached the start
// of the leader's epoch (KIP-207).
//
// Kafka: Partition.fetchOffsetForTimestamp.
func (p *Partition) EndOffset(isolation log.Isolation, currentLeaderEpoch int, onlyLeader bool) (int64, protocol.Error) {
	panic("not yet")
}

// StartOffset answers ListOffsets with timestamp -2 (earliest).
func (p *Partition) StartOffset(currentLeaderEpoch int, onlyLeader bool) (int64, protocol.Error) {
	panic("not yet")
}

// DeleteRecords raises the log start offset on the leader: offset -1 means the high watermark.
// lowWatermark is the smallest log start offset of all live replicas.
//
// Kafka: Partition.deleteRecordsOnLeader, lowWatermarkIfLeader.
func (p *Partition) DeleteRecords(offset int64) (lowWatermark int64, err protocol.Error) {
	panic("not yet")
}
