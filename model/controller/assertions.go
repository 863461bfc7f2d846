package controller

import (
	"slices"

	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// assertState is called with a state of a partition that a controller has decided: the ISR is within the replicas, and a leader
// is in the ISR. The epochs were raised by whoever calls.
//
// Kafka: PartitionRegistration; ReplicationControlManager.validateAlterPartitionData.
func assertState(p *protocol.PartitionState) {
	for _, id := range p.ISR {
		if !slices.Contains(p.Replicas, id) {
			sim.Broken("the ISR is within the replicas", "the controller gives %s the replicas %v and the ISR %v", p.TP, p.Replicas, p.ISR)
		}
	}
	if p.Leader != protocol.NoBroker && !slices.Contains(p.ISR, p.Leader) {
		sim.Broken("the leader is in the ISR", "the controller gives %s the leader %d and the ISR %v", p.TP, p.Leader, p.ISR)
	}
}
