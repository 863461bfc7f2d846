package controller

import (
	"slices"

	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
)

// validateISRChange checks a leader's proposal in Kafka's order. Epochs from the future mean that this is
// not the active controller any more; the compare of the compare-and-set is the partition epoch: a leader
// that does not know the latest state can not change it.
//
// Kafka: ReplicationControlManager.validateAlterPartitionData (3.3).
func (c *QuorumController) validateISRChange(broker protocol.BrokerID, q *protocol.ISRChange, p *protocol.PartitionState) protocol.Error {
	guards := c.s.Planted
	switch {
	case p == nil:
		return protocol.UnknownTopicOrPartition
	case q.LeaderEpoch > p.LeaderEpoch, q.PartitionEpoch > p.PartitionEpoch:
		return protocol.NotController
	case q.LeaderEpoch < p.LeaderEpoch && guards.On(planted.LeaderEpochInAlterPartition):
		return protocol.FencedLeaderEpoch
	case broker != p.Leader && guards.On(planted.LeaderEpochInAlterPartition):
		return protocol.InvalidRequest
	case q.PartitionEpoch < p.PartitionEpoch && guards.On(planted.CASPartitionEpoch):
		return protocol.InvalidUpdateVersion
	case !validISR(p.Replicas, q.ISR), !memberOf(q.ISR, broker):
		return protocol.InvalidRequest
	case slices.ContainsFunc(q.ISR, c.ineligible):
		return protocol.IneligibleReplica
	}
	return protocol.None
}

// validISR: not empty, no broker twice, only replicas (Replicas.validateIsr).
func validISR(replicas []protocol.BrokerID, isr []protocol.ISRMember) bool {
	for i := range isr {
		if !slices.Contains(replicas, isr[i].Broker) || memberOf(isr[:i], isr[i].Broker) {
			return false
		}
	}
	return len(isr) > 0
}

func memberOf(isr []protocol.ISRMember, b protocol.BrokerID) bool {
	return slices.ContainsFunc(isr, func(m protocol.ISRMember) bool { return m.Broker == b })
}

// members gives the brokers of a proposal.
func members(isr []protocol.ISRMember) []protocol.BrokerID {
	out := make([]protocol.BrokerID, len(isr))
	for i := range isr {
		out[i] = isr[i].Broker
	}
	return out
}

// alterPartition answers a leader's request to change ISRs (KIP-497).
//
// Kafka: ReplicationControlManager.alterPartition (3.5).
func (c *QuorumController) alterPartition(q *protocol.AlterPartition) (out []change, r *protocol.AlterPartitionResponse) {
	r = &protocol.AlterPartitionResponse{Err: c.checkBrokerEpoch(q.Broker, q.BrokerEpoch)}
	if r.Err != protocol.None {
		for i := range q.Data {
			refuse(c.env, q.Data[i].TP, r.Err, q.Broker, members(q.Data[i].ISR))
		}
		return nil, r
	}
	r.Data = make([]protocol.ISRResult, len(q.Data))
	for i := range q.Data {
		d, answer := &q.Data[i], &r.Data[i]
		answer.TP = d.TP
		p := c.partition(d.TP)
		if answer.Err = c.validateISRChange(q.Broker, d, p); answer.Err != protocol.None {
			refuse(c.env, d.TP, answer.Err, q.Broker, members(d.ISR))
			continue
		}
		b := c.builder(p, c.cluster.isActive)
		b.TargetISR = members(d.ISR)
		answer.State = *p
		pc, ok := b.Build()
		if !ok {
			continue
		}
		answer.State = pc.Apply(*p)
		after := answer.State
		out = append(out, change{partition: &after, unclean: pc.Unclean})
		if pc.LeaderSet && pc.Leader != q.Broker {
			answer.Err = protocol.NewLeaderElected
		}
	}
	return out, r
}
