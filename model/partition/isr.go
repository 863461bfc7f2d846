package partition

import (
	"slices"

	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// isrState is what Kafka calls PartitionState: CommittedPartitionState while sent is nil, else
// PendingExpandIsr or PendingShrinkIsr. All sets are sorted and never changed in place.
type isrState struct {
	committed []int
	maximal   []int // committed, and who is about to join
	proposed  []int // what sent asks for
	sent      *AlterPartition
}

func (p *Partition) commitISR(isr []int) {
	isr = slices.Clone(isr)
	slices.Sort(isr)
	p.isr = isrState{committed: isr, maximal: isr}
}

// MaybeShrinkISR checks which members of the ISR are no longer caught up, and gives the change to send,
// nil if none. The broker calls it every replica.lag.time.max.ms / 2 (the isr-expiration task), so a
// follower may stay for up to 1.5 times that.
//
// Kafka: Partition.maybeShrinkIsr.
func (p *Partition) MaybeShrinkISR(now sim.Time) *AlterPartition {
	if !p.IsLeader() || p.isr.sent != nil || !p.hasOutOfSync(now) {
		return nil
	}
	isr := make([]int, 0, len(p.isr.committed))
	for _, id := range p.isr.committed {
		if !p.mustLeave(id, now) {
			isr = append(isr, id)
		}
	}
	// The high watermark must not rest on a shrink that may be refused, so the maximal ISR stays.
	return p.propose(isr, p.isr.committed)
}

func (p *Partition) hasOutOfSync(now sim.Time) bool {
	for _, id := range p.isr.committed {
		if p.mustLeave(id, now) {
			return true
		}
	}
	return false
}

// mustLeave is Partition.getOutOfSyncReplicas for one member. A member that is not assigned is out of sync.
func (p *Partition) mustLeave(id int, now sim.Time) bool {
	if id == p.brokerID {
		return false
	}
	r := p.Replica(id)
	return r == nil || p.isOutOfSync(r, now)
}

// MaybeExpandISR gives the change that brings a follower into the ISR, nil if it is there, is not in sync
// or not eligible, or if a change is under way. UpdateFollowerFetchState calls it.
//
// Kafka: Partition.maybeExpandIsr, needsExpandIsr.
func (p *Partition) MaybeExpandISR(replica int) *AlterPartition {
	r := p.Replica(replica)
	if r == nil || !p.IsLeader() || p.isr.sent != nil || slices.Contains(p.isr.committed, replica) {
		return nil
	}
	if !p.isFollowerInSync(r) || !p.isEligibleForISR(r) {
		return nil
	}
	isr := append(slices.Clone(p.isr.committed), replica)
	slices.Sort(isr)
	// The joining follower counts at once: more members make the high watermark only more careful. In
	// ZooKeeper the write is over before anything else happens, and the committed ISR is all there is.
	maximal := p.isr.committed
	if p.rules.AlterPartition {
		maximal = isr
	}
	return p.propose(isr, maximal)
}

// isFollowerInSync says that a follower may join: it has reached the high watermark, and the start of the
// leader's epoch. Without the second, a new leader whose high watermark still lags takes in a follower
// that lacks committed records between the two.
//
// Kafka: Partition.isFollowerInSync; KAFKA-7128.
func (p *Partition) isFollowerInSync(r *Replica) bool {
	if p.logEndOf(r) < p.log.HighWatermark() {
		return false
	}
	if p.rules.JoinPastEpochStart && p.cfg.Planted.On(planted.EpochStartJoin) {
		return p.logEndOf(r) >= p.leaderEpochStart
	}
	return true
}

// isEligibleForISR says that the leader may propose a replica: it is neither fenced nor shutting down,
// and it fetched in its present life. In ZooKeeper mode it need only be alive.
//
// Kafka: Partition.isReplicaIsrEligible, isBrokerEpochIsrEligible; KIP-841, KIP-903.
func (p *Partition) isEligibleForISR(r *Replica) bool {
	if !p.rules.FencedOutOfISR || !p.cfg.Planted.On(planted.EligibleForISR) {
		return true
	}
	if !p.rules.KRaft {
		return p.meta.HasAliveBroker(r.ID)
	}
	if p.meta.IsBrokerFenced(r.ID) || p.meta.IsBrokerShuttingDown(r.ID) {
		return false
	}
	if !p.rules.BrokerEpochInISR {
		return true
	}
	known, ok := p.meta.AliveBrokerEpoch(r.ID)
	return ok && r.Fetched && (r.BrokerEpoch == NoBrokerEpoch || r.BrokerEpoch == known)
}

// propose notes an ISR change and makes the request for it.
//
// Kafka: Partition.prepareIsrExpand, prepareIsrShrink; 2.6: expandIsr, shrinkIsr.
func (p *Partition) propose(isr, maximal []int) *AlterPartition {
	a := &AlterPartition{Leader: p.brokerID, LeaderEpoch: p.leaderEpoch, PartitionEpoch: p.partitionEpoch,
		ControllerEpoch: p.controllerEpoch, ISR: make([]BrokerState, len(isr))}
	for i, id := range isr {
		a.ISR[i] = BrokerState{ID: id, Epoch: p.brokerEpochInISR(id)}
	}
	p.isr = isrState{committed: p.isr.committed, maximal: maximal, proposed: isr, sent: a}
	p.assertISR()
	return a
}

// brokerEpochInISR is the epoch of the life in which a member fetched. A member that this leader has not
// heard of goes unchecked: should it have crashed, the controller has taken it out of the ISR, and the
// partition epoch refuses the change.
//
// Kafka: Partition.addBrokerEpochToIsr; KIP-903.
func (p *Partition) brokerEpochInISR(id int) int64 {
	if !p.rules.KRaft || !p.rules.BrokerEpochInISR {
		return NoBrokerEpoch
	}
	if id == p.brokerID {
		return p.epoch
	}
	if r := p.Replica(id); r != nil && r.Fetched {
		return r.BrokerEpoch
	}
	return NoBrokerEpoch
}

// AlterOutcome is what the leader does with the answer to an ISR change.
type AlterOutcome struct {
	Accepted bool            // the answer is now the committed state
	Ignored  bool            // it belonged to an earlier state
	Retry    *AlterPartition // send this again; nil if not
	HW       HWChange
}

// HandleAlterPartitionResponse takes the answer to a change this partition has sent. With protocol.None,
// answer holds the new state (LeaderEpoch, PartitionEpoch, ISR); otherwise it is not read.
//
// In ZooKeeper mode (generation.Rules.AlterPartition off) the caller does the conditional write, and
// gives its outcome: None with the node's new version as the partition epoch, or InvalidUpdateVersion if
// the version was another. Kafka holds the partition's lock meanwhile, so the caller must let no other
// call to the partition happen between.
//
// Kafka: Partition.submitAlterPartition; 2.6: Partition.maybeUpdateIsrAndVersion.
func (p *Partition) HandleAlterPartitionResponse(sent *AlterPartition, err protocol.Error, answer LeaderAndISR, now sim.Time) AlterOutcome {
	if p.isr.sent == nil || (!p.isr.sent.same(sent) && p.cfg.Planted.On(planted.StaleAlterPartitionAnswer)) {
		return AlterOutcome{Ignored: true} // an election or newer metadata came in between
	}
	switch {
	case err == protocol.None:
		return p.handleAlterPartitionUpdate(answer, now)
	case !p.rules.AlterPartition:
		return p.skipUpdatingISR(now)
	}
	return p.handleAlterPartitionError(err)
}

// handleAlterPartitionUpdate commits what the controller says the ISR is. An answer of another leader
// epoch, or with an older partition epoch, changes nothing: newer metadata will end the pending state.
//
// Kafka: Partition.handleAlterPartitionUpdate.
func (p *Partition) handleAlterPartitionUpdate(answer LeaderAndISR, now sim.Time) AlterOutcome {
	stale := answer.LeaderEpoch != p.leaderEpoch || answer.PartitionEpoch < p.partitionEpoch
	if stale && p.cfg.Planted.On(planted.StaleAlterPartitionAnswer) {
		return AlterOutcome{Ignored: true}
	}
	p.commitISR(answer.ISR)
	p.partitionEpoch = answer.PartitionEpoch
	return AlterOutcome{Accepted: true, HW: p.maybeIncrementLeaderHW(now)}
}

// handleAlterPartitionError decides after a refusal. Only where the controller says that the change was
// not applied and that the epochs are right does the leader go back to the committed state. In most cases
// it does not know what holds now: it keeps the pending state, hence the careful maximal ISR, until
// metadata tell. Anything else is tried again.
//
// Kafka: Partition.handleAlterPartitionError.
func (p *Partition) handleAlterPartitionError(err protocol.Error) AlterOutcome {
	switch err {
	case protocol.IneligibleReplica:
		p.isr = isrState{committed: p.isr.committed, maximal: p.isr.committed}
		return AlterOutcome{}
	case protocol.UnknownTopicOrPartition, protocol.FencedLeaderEpoch, protocol.InvalidUpdateVersion,
		protocol.InvalidRequest, protocol.NewLeaderElected:
		return AlterOutcome{}
	}
	return AlterOutcome{Retry: p.isr.sent}
}

// skipUpdatingISR is what a leader does in ZooKeeper mode when the node's version was not the one it
// knew: it keeps its ISR and its version, and tries again at the next occasion, in vain until a
// LeaderAndIsr request brings the new version.
//
// Kafka: Partition.maybeUpdateIsrAndVersion (2.6): "Cached zkVersion not equal to that in zookeeper".
func (p *Partition) skipUpdatingISR(now sim.Time) AlterOutcome {
	p.isr = isrState{committed: p.isr.committed, maximal: p.isr.committed}
	return AlterOutcome{HW: p.maybeIncrementLeaderHW(now)}
}

// same compares contents: a request may come back as a copy.
func (a *AlterPartition) same(b *AlterPartition) bool {
	return a == b || (b != nil && a.Leader == b.Leader && a.LeaderEpoch == b.LeaderEpoch &&
		a.PartitionEpoch == b.PartitionEpoch && slices.Equal(a.ISR, b.ISR))
}
