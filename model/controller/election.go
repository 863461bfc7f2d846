package controller

import (
	"slices"

	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
)

// strategy is how ZooKeeper's controller chooses a leader (PartitionLeaderElectionStrategy).
type strategy uint8

const (
	offlineElection strategy = iota
	preferredElection
	shutdownElection
)

// leaderAndISR is what an election decides.
type leaderAndISR struct {
	leader  protocol.BrokerID
	isr     []protocol.BrokerID
	unclean bool
}

// OfflinePartitionLeaderElection takes the first live replica of the assignment that is in the ISR. If there
// is none, and an unclean election is allowed, it takes the first live replica: what only others have is
// lost. NoBroker if nobody can lead.
//
// Kafka: PartitionLeaderElectionAlgorithms.offlinePartitionLeaderElection (2.8); OfflinePartitionLeaderSelector (0.8).
func OfflinePartitionLeaderElection(assignment, isr, live []protocol.BrokerID, unclean bool) (leader protocol.BrokerID, wasUnclean bool) {
	for _, b := range assignment {
		if slices.Contains(live, b) && slices.Contains(isr, b) {
			return b, false
		}
	}
	if unclean {
		for _, b := range assignment {
			if slices.Contains(live, b) {
				return b, true
			}
		}
	}
	return protocol.NoBroker, false
}

// PreferredReplicaLeaderElection takes the first replica of the assignment, if it is live and in the ISR.
//
// Kafka: PartitionLeaderElectionAlgorithms.preferredReplicaPartitionLeaderElection (2.8).
func PreferredReplicaLeaderElection(assignment, isr, live []protocol.BrokerID) protocol.BrokerID {
	if len(assignment) > 0 && slices.Contains(live, assignment[0]) && slices.Contains(isr, assignment[0]) {
		return assignment[0]
	}
	return protocol.NoBroker
}

// ControlledShutdownLeaderElection takes the first live member of the ISR that is not shutting down.
//
// Kafka: PartitionLeaderElectionAlgorithms.controlledShutdownPartitionLeaderElection (2.8).
func ControlledShutdownLeaderElection(assignment, isr, live, shuttingDown []protocol.BrokerID) protocol.BrokerID {
	for _, b := range assignment {
		if slices.Contains(live, b) && slices.Contains(isr, b) && !slices.Contains(shuttingDown, b) {
			return b
		}
	}
	return protocol.NoBroker
}

// elect applies a strategy to a partition as ZooKeeper has it; ok is false if nobody can lead.
//
// Kafka: Election.leaderForOffline, leaderForPreferredReplica, leaderForControlledShutdown (2.8).
func (c *KafkaController) elect(s strategy, p *protocol.PartitionState, forced bool) (r leaderAndISR, ok bool) {
	online := c.ctx.online()
	switch s {
	case offlineElection:
		unclean := forced || c.ctx.config.unclean(p.TP.Topic) || !c.s.Planted.On(planted.CleanElection) ||
			len(p.ISR) == 0 && !c.s.Planted.On(planted.LastISRMemberKept)
		r.leader, r.unclean = OfflinePartitionLeaderElection(p.Replicas, p.ISR, online, unclean)
		if r.unclean {
			r.isr = []protocol.BrokerID{r.leader}
		} else {
			r.isr = slices.DeleteFunc(slices.Clone(p.ISR), func(b protocol.BrokerID) bool { return !slices.Contains(online, b) })
		}
	case preferredElection:
		r.leader, r.isr = PreferredReplicaLeaderElection(p.Replicas, p.ISR, online), p.ISR
	case shutdownElection:
		r.leader = ControlledShutdownLeaderElection(p.Replicas, p.ISR, c.ctx.liveOrShuttingDown(), c.ctx.shuttingDown)
		r.isr = p.ISR
		for _, b := range c.ctx.shuttingDown {
			r.isr = without(r.isr, b)
		}
	}
	return r, r.leader != protocol.NoBroker
}
