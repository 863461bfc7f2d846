package partition

import (
	"slices"

	"kafkatrial/model/planted"
	"kafkatrial/sim"
)

// assertTaken is called with a state that is about to be taken over: within a process the leader epoch does not go back.
//
// Kafka: ReplicaManager.becomeLeaderOrFollower; with KRaft the metadata log is read in order.
func (p *Partition) assertTaken(s *LeaderAndISR) {
	if s.LeaderEpoch < p.leaderEpoch && p.cfg.Planted.Asserts(planted.StaleMetadata) {
		sim.Broken("a replica's leader epoch does not go back", "%s at broker %d is in epoch %d and takes over epoch %d", p.name, p.brokerID, p.leaderEpoch, s.LeaderEpoch)
	}
}

// assertISR is called when a leader's ISR has changed, or what it proposes: who joins is a replica, and the maximal ISR has the
// committed one in it. A committed member may be no replica any more: the leader proposes to drop it.
//
// Kafka: Partition.maybeExpandIsr, which asks followers only; PartitionState.maximalIsr.
func (p *Partition) assertISR() {
	for _, id := range p.isr.proposed {
		if !slices.Contains(p.replicas, id) && !slices.Contains(p.isr.committed, id) {
			sim.Broken("who joins the ISR is a replica", "%s at broker %d has replicas %v and the ISR %v, and proposes %v", p.name, p.brokerID, p.replicas, p.isr.committed, p.isr.proposed)
		}
	}
	for _, id := range p.isr.committed {
		if !slices.Contains(p.isr.maximal, id) {
			sim.Broken("the maximal ISR has the ISR in it", "%s at broker %d has the ISR %v and the maximal ISR %v", p.name, p.brokerID, p.isr.committed, p.isr.maximal)
		}
	}
}
