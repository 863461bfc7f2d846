package partition

import (
	"kafkatrial/model/log"
	"kafkatrial/model/planted"
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
	LogStartOffset     int64         // the follower's; NoOffset for a consumer
	MaxRecords         int           // 0: no bound
	Isolation          log.Isolation // for a consumer; a follower reads to the log end
	FetchOnlyLeader    bool          // false lets a consumer read from a follower (KIP-392); a follower always reads from the leader
}

func (f *FetchParams) fromFollower() bool { return f.ReplicaID != ConsumerID }

func (f *FetchParams) isolation() log.Isolation {
	if f.fromFollower() {
		return log.FetchLogEnd
	}
	return f.Isolation
}

// DivergingEpoch tells a follower where the leader's log parts from its own (KIP-595).
type DivergingEpoch struct {
	Epoch     int
	EndOffset int64
	Present   bool
}

// ReadInfo is what a fetch read (LogReadInfo). The offsets are those before the read.
type ReadInfo struct {
	Batches          []*record.RecordBatch // a part of the log's own slice: not to be changed
	Diverging        DivergingEpoch
	HighWatermark    int64
	LogStartOffset   int64
	LogEndOffset     int64
	LastStableOffset int64
	LeaderEpoch      int              // this broker's
	Aborted          []log.AbortedTxn // for a reader of log.FetchTxnCommitted
}

// FetchRecords serves a fetch: it checks the epoch, looks for a divergence, reads, and for a follower
// notes how far it has come. The effects are the leader's. A fetch after which the follower has to cut its log says
// nothing of what it has: 2.8.0 counted it all the same, and so acknowledged records that no follower had (KAFKA-13141).
// NOT_LEADER_OR_FOLLOWER, FENCED_LEADER_EPOCH, UNKNOWN_LEADER_EPOCH (also for a follower that is not
// assigned), OFFSET_OUT_OF_RANGE.
//
// Kafka: Partition.fetchRecords; ReplicaManager.updateFollowerFetchState up to 3.1.
func (p *Partition) FetchRecords(f FetchParams, now sim.Time) (ReadInfo, Effects, protocol.Error) {
	info, err := p.ReadRecords(f)
	if err != protocol.None || !f.fromFollower() || info.Diverging.Present && p.rules.DivergingNotCounted {
		return info, Effects{}, err
	}
	effects, err := p.UpdateFollowerFetchState(f, info, now)
	return info, effects, err
}

// ReadRecords reads without noting anything: what a delayed fetch does to see how much there is. It
// refuses a follower that is not assigned: with UNKNOWN_LEADER_EPOCH if the request names the right epoch,
// since then this leader may not have heard of the new assignment yet.
//
// Kafka: Partition.readRecords, followerReplicaOrThrow.
func (p *Partition) ReadRecords(f FetchParams) (ReadInfo, protocol.Error) {
	if err := p.checkLocalLog(f.CurrentLeaderEpoch, f.fromFollower() || f.FetchOnlyLeader); err != protocol.None {
		return ReadInfo{}, err
	}
	if f.fromFollower() && p.Replica(f.ReplicaID) == nil {
		if f.CurrentLeaderEpoch != NoEpoch && p.rules.FetchFencing {
			return ReadInfo{}, protocol.UnknownLeaderEpoch
		}
		return ReadInfo{}, protocol.NotLeaderOrFollower
	}
	info := ReadInfo{HighWatermark: p.log.HighWatermark(), LogStartOffset: p.log.LogStartOffset(),
		LogEndOffset: p.log.LogEndOffset(), LastStableOffset: p.log.LastStableOffset(), LeaderEpoch: p.leaderEpoch}
	var err protocol.Error
	if info.Diverging, err = p.divergence(f); err != protocol.None || info.Diverging.Present {
		return info, err
	}
	info.Batches, err = p.log.Read(f.FetchOffset, f.isolation(), f.MaxRecords)
	if f.isolation() == log.FetchTxnCommitted {
		info.Aborted = p.log.CollectAbortedTransactions(f.FetchOffset, info.Batches)
	}
	return info, err
}

// divergence compares the epoch of the last record the follower has to this log: if that epoch ends
// before the fetch offset here, or is one this log never had, the logs parted there (KIP-595).
// OFFSET_OUT_OF_RANGE if the epoch is above all that is known here, or the offset below the log start.
//
// Kafka: Partition.readRecords.
func (p *Partition) divergence(f FetchParams) (DivergingEpoch, protocol.Error) {
	if !p.rules.TruncateOnFetch || f.LastFetchedEpoch == NoEpoch || !p.cfg.Planted.On(planted.DivergenceInFetch) {
		return DivergingEpoch{}, protocol.None
	}
	epoch, end := p.log.EndOffsetForEpoch(f.LastFetchedEpoch)
	if epoch == log.UndefinedEpoch || end == log.UndefinedEpochOffset || f.FetchOffset < p.log.LogStartOffset() {
		return DivergingEpoch{}, protocol.OffsetOutOfRange
	}
	if epoch < f.LastFetchedEpoch || end < f.FetchOffset {
		return DivergingEpoch{Epoch: epoch, EndOffset: end, Present: true}, protocol.None
	}
	return DivergingEpoch{}, protocol.None
}

// UpdateFollowerFetchState notes that a follower fetched at f.FetchOffset, hence has all below, and sees what follows from it: the
// follower may join the ISR, and the high watermark may rise. read is what was read for that fetch. It does not look again at the
// leader epoch that the fetch named.
// NOT_LEADER_OR_FOLLOWER for a fetch from an earlier life of the broker, or from a broker that is no follower.
//
// Kafka: Partition.updateFollowerFetchState, in a lock section of its own after the read.
func (p *Partition) UpdateFollowerFetchState(f FetchParams, read ReadInfo, fetchTime sim.Time) (Effects, protocol.Error) {
	r := p.Replica(f.ReplicaID)
	if r == nil || p.isFromEarlierLife(f.ReplicaID, f.ReplicaEpoch) {
		return Effects{}, protocol.NotLeaderOrFollower
	}
	before := p.logEndOf(r)
	r.updateFetchState(f.FetchOffset, f.LogStartOffset, fetchTime, read.LogEndOffset, f.ReplicaEpoch, p.rules.CaughtUpAtLastFetch)
	r.LeaderEpoch = read.LeaderEpoch
	effects := Effects{ISR: p.MaybeExpandISR(f.ReplicaID)}
	if p.logEndOf(r) != before {
		effects.HW = p.maybeIncrementLeaderHW(fetchTime)
	}
	return effects, protocol.None
}

// isFromEarlierLife says that a fetch was sent by a broker before it restarted: what it had then it need
// not have now.
//
// Kafka: Replica.updateFetchStateOrThrow since 3.5 (KIP-903).
func (p *Partition) isFromEarlierLife(replica int, brokerEpoch int64) bool {
	if !p.rules.KRaft || !p.rules.BrokerEpochInISR || brokerEpoch == NoBrokerEpoch || !p.cfg.Planted.On(planted.FetchBrokerEpoch) {
		return false
	}
	known, ok := p.meta.AliveBrokerEpoch(replica)
	return ok && known > brokerEpoch
}

// checkLocalLog says whether a request for this broker's log may be served.
//
// Kafka: Partition.getLocalLog. A nil Partition is one this broker does not host
// (ReplicaManager.getPartitionOrError).
func (p *Partition) checkLocalLog(currentLeaderEpoch int, requireLeader bool) protocol.Error {
	if p == nil {
		return protocol.UnknownTopicOrPartition
	}
	if err := p.CheckCurrentLeaderEpoch(currentLeaderEpoch); err != protocol.None {
		return err
	}
	if requireLeader && !p.IsLeader() {
		return protocol.NotLeaderOrFollower
	}
	return protocol.None
}

// CheckCurrentLeaderEpoch compares the leader epoch that a request names to this broker's own:
// FENCED_LEADER_EPOCH if the request's is older, UNKNOWN_LEADER_EPOCH if it is newer. Without it a leader
// counts a follower that lives in an older epoch and is about to truncate.
//
// Kafka: Partition.checkCurrentLeaderEpoch since 2.1 (KIP-320).
func (p *Partition) CheckCurrentLeaderEpoch(epoch int) protocol.Error {
	switch {
	case epoch == NoEpoch || !p.rules.FetchFencing || !p.cfg.Planted.On(planted.FetchEpochFencing):
		return protocol.None
	case epoch < p.leaderEpoch:
		return protocol.FencedLeaderEpoch
	case epoch > p.leaderEpoch:
		return protocol.UnknownLeaderEpoch
	}
	return protocol.None
}

// LastOffsetForLeaderEpoch answers OffsetsForLeaderEpoch: where does this epoch end in this log? Before
// KIP-279 the answer names no epoch (log.UndefinedEpoch). log.UndefinedEpochOffset if it is not known.
// NOT_LEADER_OR_FOLLOWER, FENCED_LEADER_EPOCH, UNKNOWN_LEADER_EPOCH, and UNKNOWN_TOPIC_OR_PARTITION for a
// nil Partition, which this broker does not host.
//
// Kafka: Partition.lastOffsetForLeaderEpoch, ReplicaManager.lastOffsetForLeaderEpoch.
func (p *Partition) LastOffsetForLeaderEpoch(currentLeaderEpoch, epoch int, onlyLeader bool) (foundEpoch int, endOffset int64, err protocol.Error) {
	if err := p.checkLocalLog(currentLeaderEpoch, onlyLeader); err != protocol.None {
		return log.UndefinedEpoch, log.UndefinedEpochOffset, err
	}
	if !p.rules.EpochInAnswer {
		_, endOffset = p.log.EndOffsetForEpoch(epoch)
		return log.UndefinedEpoch, endOffset, protocol.None
	}
	foundEpoch, endOffset = p.log.EndOffsetForEpoch(epoch)
	return foundEpoch, endOffset, protocol.None
}

// EndOffset answers ListOffsets with timestamp -1 (latest) for a client's isolation, or for a follower
// (log.FetchLogEnd).
// OFFSET_NOT_AVAILABLE for a client while the high watermark has not reached the start of the leader's
// epoch: it may be behind the one the previous leader has told (KIP-207).
//
// Kafka: Partition.fetchOffsetForTimestamp.
func (p *Partition) EndOffset(isolation log.Isolation, currentLeaderEpoch int, onlyLeader bool) (int64, protocol.Error) {
	if err := p.checkLocalLog(currentLeaderEpoch, onlyLeader); err != protocol.None {
		return NoOffset, err
	}
	if isolation != log.FetchLogEnd && p.isHWBehindEpochStart() {
		return NoOffset, protocol.OffsetNotAvailable
	}
	switch isolation {
	case log.FetchTxnCommitted:
		return p.log.LastStableOffset(), protocol.None
	case log.FetchHighWatermark:
		return p.log.HighWatermark(), protocol.None
	}
	return p.log.LogEndOffset(), protocol.None
}

func (p *Partition) isHWBehindEpochStart() bool {
	return p.rules.OffsetNotAvailable && p.cfg.Planted.On(planted.OffsetNotAvailable) &&
		p.leaderEpochStart != NoOffset && p.leaderEpochStart > p.log.HighWatermark()
}

// StartOffset answers ListOffsets with timestamp -2 (earliest).
//
// Kafka: Partition.fetchOffsetForTimestamp.
func (p *Partition) StartOffset(currentLeaderEpoch int, onlyLeader bool) (int64, protocol.Error) {
	if err := p.checkLocalLog(currentLeaderEpoch, onlyLeader); err != protocol.None {
		return NoOffset, err
	}
	return p.log.LogStartOffset(), protocol.None
}

// DeleteRecords raises the log start offset on the leader; offset -1 means the high watermark. The
// request is done when the low watermark, the smallest log start offset of all live replicas, has reached
// it too.
// NOT_LEADER_OR_FOLLOWER, OFFSET_OUT_OF_RANGE above the high watermark.
//
// Kafka: Partition.deleteRecordsOnLeader, lowWatermarkIfLeader.
func (p *Partition) DeleteRecords(offset int64) (lowWatermark int64, err protocol.Error) {
	if !p.IsLeader() {
		return NoOffset, protocol.NotLeaderOrFollower
	}
	if offset == -1 {
		offset = p.log.HighWatermark()
	}
	if offset < 0 || offset > p.log.HighWatermark() {
		return NoOffset, protocol.OffsetOutOfRange
	}
	p.log.MaybeIncrementLogStartOffset(offset)
	return p.LowWatermark(), protocol.None
}

// LowWatermark is the smallest log start offset of this leader and its live followers.
//
// Kafka: Partition.lowWatermarkIfLeader.
func (p *Partition) LowWatermark() int64 {
	low := p.log.LogStartOffset()
	for i := range p.remote {
		if r := &p.remote[i]; r.LogStartOffset < low && p.meta.HasAliveBroker(r.ID) {
			low = r.LogStartOffset
		}
	}
	return low
}
