package partition

import (
	"kafkatrial/model/planted"
	"kafkatrial/sim"
)

// neverCaughtUp lies so far back that every replica.lag.time.max.ms has passed since. Kafka writes 0,
// the year 1970; a simulated clock starts there.
const neverCaughtUp = sim.Time(-1 << 60)

// Replica is what the leader knows of a follower.
//
// Kafka: Replica, ReplicaState.
type Replica struct {
	ID             int
	LogEndOffset   int64 // where it fetched from last: it has everything below. NoOffset: not heard of in this term
	LogStartOffset int64
	LeaderEpoch    int // the leader's epoch when it read for that fetch

	// The leader's log end and clock at the follower's last fetch.
	LastFetchLeaderLogEndOffset int64
	LastFetchTime               sim.Time

	// LastCaughtUpTime is the latest time at which the follower is known to have had all that the
	// leader had then.
	LastCaughtUpTime sim.Time

	BrokerEpoch int64 // of the life that fetched last, NoBrokerEpoch if it did not tell
	Fetched     bool  // it has told its broker epoch, or that it has none
}

func newReplica(id int) Replica {
	return Replica{ID: id, LogEndOffset: NoOffset, LogStartOffset: NoOffset, LeaderEpoch: NoEpoch, LastFetchLeaderLogEndOffset: NoOffset,
		LastFetchTime: neverCaughtUp, LastCaughtUpTime: neverCaughtUp, BrokerEpoch: NoBrokerEpoch}
}

// updateFetchState takes over what a fetch at fetchOffset says: the follower has everything below.
// leaderEnd is the leader's log end when it read for that fetch.
//
// A follower that fetches at the leader's log end is caught up now. One that fetches where the leader's
// log ended at its previous fetch was caught up then: else a steady stream of small writes would keep a
// healthy follower out of the ISR for ever. That is so since 0.10.2 (KAFKA-4485, atLast).
//
// Kafka: Replica.updateFetchStateOrThrow; 0.10.1: Replica.updateLogReadResult.
func (r *Replica) updateFetchState(fetchOffset, logStart int64, fetchTime sim.Time, leaderEnd, brokerEpoch int64, atLast bool) {
	if fetchOffset >= leaderEnd {
		r.LastCaughtUpTime = max(r.LastCaughtUpTime, fetchTime)
	} else if atLast && fetchOffset >= r.LastFetchLeaderLogEndOffset {
		r.LastCaughtUpTime = max(r.LastCaughtUpTime, r.LastFetchTime)
	}
	r.LogStartOffset, r.LogEndOffset = logStart, fetchOffset
	r.LastFetchLeaderLogEndOffset = max(leaderEnd, r.LastFetchLeaderLogEndOffset)
	r.LastFetchTime = fetchTime
	r.BrokerEpoch, r.Fetched = brokerEpoch, true
}

// reset begins a new term of the leader. A leader that did not lead before knows nothing of the
// follower; one that is elected again keeps what it knows. A follower in the ISR counts as caught up now,
// any other as never, so that it does not hold the high watermark back.
//
// Kafka: Replica.resetReplicaState.
func (r *Replica) reset(now sim.Time, leaderEnd int64, newLeader, inSync bool) {
	since := neverCaughtUp
	if inSync {
		since = now
	}
	if newLeader {
		*r = newReplica(r.ID)
	} else {
		r.LastFetchLeaderLogEndOffset = leaderEnd
		r.LastFetchTime = since
	}
	r.LastCaughtUpTime = since
}

// logEndOf is where the leader takes a follower's log to end: where it fetched from last, in whatever epoch of the leader.
// With generation.Rules.EpochWithLogEnd, which no release has, a fetch in an earlier epoch says nothing.
func (p *Partition) logEndOf(r *Replica) int64 {
	if p.rules.EpochWithLogEnd && r.LeaderEpoch != p.leaderEpoch {
		return NoOffset
	}
	return r.LogEndOffset
}

// isCaughtUp says that the follower has all that the leader has, or had it at most maxLag ago.
//
// Kafka: ReplicaState.isCaughtUp since about 3.2. Before, the time alone counted for the high watermark,
// which comes to the same: a follower at the log end does not hold it back.
func (p *Partition) isCaughtUp(r *Replica, now sim.Time) bool {
	return p.logEndOf(r) == p.log.LogEndOffset() || now-r.LastCaughtUpTime <= p.cfg.ReplicaLagTimeMax
}

// isOutOfSync says that an ISR member must leave. Before KAFKA-7152 a follower that had everything left the
// ISR of an idle partition too when it had not fetched for replica.lag.time.max.ms.
//
// Kafka: Partition.isFollowerOutOfSync; Partition.getOutOfSyncReplicas before 2.1.
func (p *Partition) isOutOfSync(r *Replica, now sim.Time) bool {
	if !p.cfg.Planted.On(planted.CaughtUpShrink) {
		return false
	}
	if !p.rules.NoMessageLag {
		return p.isStuckOrSlow(r, now)
	}
	if !p.rules.CaughtUpByEnd {
		return now-r.LastCaughtUpTime > p.cfg.ReplicaLagTimeMax
	}
	return !p.isCaughtUp(r, now)
}

// isStuckOrSlow is the rule before KIP-16: a follower that has not fetched for replica.lag.time.max.ms is
// stuck, and one that is more than replica.lag.max.messages behind is slow, however briefly. One large
// write throws healthy followers out.
//
// Kafka: Partition.getOutOfSyncReplicas in 0.8.2.
func (p *Partition) isStuckOrSlow(r *Replica, now sim.Time) bool {
	stuck := now-max(r.LastFetchTime, r.LastCaughtUpTime) > p.cfg.ReplicaLagTimeMax
	slow := r.LogEndOffset >= 0 && p.log.LogEndOffset()-r.LogEndOffset > p.cfg.ReplicaLagMaxMessages
	return stuck || slow
}

// Replica gives what the leader knows of a follower, nil if it has no such follower. Views read it.
func (p *Partition) Replica(id int) *Replica {
	for i := range p.remote {
		if p.remote[i].ID == id {
			return &p.remote[i]
		}
	}
	return nil
}

// Remote gives all followers in order of the assignment. The caller must not change it.
func (p *Partition) Remote() []Replica { return p.remote }
