package partition

import (
	"slices"

	"kafkatrial/model/planted"
	"kafkatrial/sim"
)

// MakeLeader takes over a state in which this broker leads. applied is false, and nothing changes, for a
// state older than what is known. newLeader says that the broker did not lead before.
//
// With a new leader epoch the log end becomes the start of the epoch, and what is known of the followers
// begins anew. A state of the same epoch only replaces the ISR and the assignment, and ends a pending ISR
// change: whatever its answer says, it is of an older state.
//
// Kafka: Partition.makeLeader.
func (p *Partition) MakeLeader(s LeaderAndISR, now sim.Time) (applied, newLeader bool, hw HWChange) {
	if p.isStale(s) {
		return false, false, HWChange{}
	}
	p.assertTaken(&s)
	newLeader = !p.IsLeader()
	newEpoch := s.LeaderEpoch > p.leaderEpoch

	p.controllerEpoch = s.ControllerEpoch
	p.setAssignment(s.Replicas)
	p.commitISR(s.ISR)
	if newEpoch {
		p.log.AssignEpochStartOffset(s.LeaderEpoch)
		p.resetReplicas(now, p.forgetsReplicas(newLeader, s.LeaderEpoch))
		p.leaderEpoch, p.leaderEpochStart = s.LeaderEpoch, p.log.LogEndOffset()
	}
	p.partitionEpoch, p.leader = s.PartitionEpoch, p.brokerID
	return true, newLeader, p.maybeIncrementLeaderHW(now) // the ISR may be this broker alone
}

// MakeFollower takes over a state in which another broker leads, or none. applied is false, and nothing
// changes, for an older state. restart says that the fetcher must begin anew: find out where to truncate,
// and fetch from there.
//
// Kafka: Partition.makeFollower.
func (p *Partition) MakeFollower(s LeaderAndISR) (applied, restart bool) {
	if p.isStale(s) {
		return false, false
	}
	p.assertTaken(&s)
	restart = p.mustRestartFetcher(s)
	p.leader, p.leaderEpoch, p.partitionEpoch, p.controllerEpoch = s.Leader, s.LeaderEpoch, s.PartitionEpoch, s.ControllerEpoch
	p.leaderEpochStart = NoOffset
	p.replicas = s.Replicas
	if p.cfg.Planted.On(planted.ResetReplicasOnElection) {
		p.remote = p.remote[:0]
	}
	p.isr = isrState{}
	return true, restart
}

// isStale says that a state is not newer than what this broker has taken over. An order of ZooKeeper's
// controller must bear a larger leader epoch: it may come twice, and must not undo an ISR change that the
// leader has proposed since it came first. KRaft tells of every change, also within a term.
//
// Kafka: ReplicaManager.becomeLeaderOrFollower; with KRaft Partition.makeLeader and makeFollower, which compare
// the partition epoch.
func (p *Partition) isStale(s LeaderAndISR) bool {
	if !p.cfg.Planted.On(planted.StaleMetadata) {
		return false
	}
	if p.rules.KRaft {
		known := s.PartitionEpoch == p.partitionEpoch && p.isr.sent != nil
		return s.PartitionEpoch < p.partitionEpoch || p.rules.PendingISRKept && known
	}
	return s.LeaderEpoch <= p.leaderEpoch
}

// mustRestartFetcher says that a follower has to reconcile its log with the leader's again. From 2.1 on
// that is so with every new leader epoch (KIP-320). Up to 2.0.0 another leader was needed: a follower that had missed
// the epoch in which its leader followed somebody else, and truncated, went on with what the leader had cut
// (KAFKA-7164). 2.0.1 looked for the gap in the epochs.
//
// Kafka: Partition.makeFollower (2.0.0, 2.0.1, 2.1.0).
func (p *Partition) mustRestartFetcher(s LeaderAndISR) bool {
	switch {
	case p.rules.FetchFencing:
		return s.LeaderEpoch > p.leaderEpoch || s.Leader != p.leader
	case p.rules.TruncateAfterGap:
		return s.Leader != p.leader || s.LeaderEpoch > p.leaderEpoch+1
	default:
		return s.Leader != p.leader
	}
}

// setAssignment takes over the assignment: it keeps what is known of followers that stay.
//
// Kafka: Partition.updateAssignmentAndIsr.
func (p *Partition) setAssignment(replicas []int) {
	p.replicas = replicas
	remote := make([]Replica, 0, len(replicas))
	for _, id := range replicas {
		switch known := p.Replica(id); {
		case id == p.brokerID:
		case known != nil:
			remote = append(remote, *known)
		default:
			remote = append(remote, newReplica(id))
		}
	}
	p.remote = remote
}

// forgetsReplicas says whether a leader forgets, in a new epoch, where its followers' logs ended: if it did not lead before,
// that is, if it did not know itself as the leader. It may have missed an epoch of another leader, in which they truncated
// (docs/findings.md); what would mend that is in no release.
//
// Kafka: Partition.makeLeader (isNewLeader), Replica.resetReplicaState since 0.9; with every election in 0.8.
func (p *Partition) forgetsReplicas(newLeader bool, epoch int) bool {
	skipped := epoch > p.leaderEpoch+1
	return newLeader || !p.rules.NoMessageLag || p.rules.ForgetOnEveryEpoch || p.rules.ForgetOnSkippedEpoch && skipped
}

func (p *Partition) resetReplicas(now sim.Time, forget bool) {
	if !p.cfg.Planted.On(planted.ResetReplicasOnElection) {
		return
	}
	for i := range p.remote {
		r := &p.remote[i]
		r.reset(now, p.log.LogEndOffset(), forget, slices.Contains(p.isr.committed, r.ID))
	}
}
