package controller

import (
	"slices"

	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
)

// partitionIndex finds a partition in the sorted list.
func partitionIndex(list []protocol.PartitionState, tp protocol.TopicPartition) (int, bool) {
	return slices.BinarySearchFunc(list, tp, func(p protocol.PartitionState, tp protocol.TopicPartition) int { return p.TP.Compare(tp) })
}

func (c *QuorumController) partition(tp protocol.TopicPartition) *protocol.PartitionState {
	if i, ok := partitionIndex(c.partitions, tp); ok {
		return &c.partitions[i]
	}
	return nil
}

// effectiveMinISR is min.insync.replicas, but no more than there are replicas
// (ReplicationControlManager.getTopicEffectiveMinIsr).
func (c *QuorumController) effectiveMinISR(topic string) int {
	n := c.config.minISR(topic)
	if p := c.partition(protocol.TopicPartition{Topic: topic}); p != nil {
		n = min(n, len(p.Replicas))
	}
	return n
}

// uncleanEnabled: until 3.8 KRaft does not heed unclean.leader.election.enable at all (KAFKA-12670).
func (c *QuorumController) uncleanEnabled(topic string) bool {
	return c.s.Rules.KRaftUnclean && c.config.unclean(topic)
}

// builder begins a change of a partition under the rules in force.
func (c *QuorumController) builder(p *protocol.PartitionState, acceptable func(protocol.BrokerID) bool) *PartitionChangeBuilder {
	b := NewPartitionChangeBuilder(*p, acceptable, c.effectiveMinISR(p.TP.Topic))
	b.ELR, b.BumpOnShrink, b.Planted = c.s.Rules.ELR, c.s.Rules.EpochBumpOnShrink, c.s.Planted
	b.LastKnownLive, b.LastKnownAtOnce = c.s.Rules.LastKnownLeaderLive, c.s.Rules.LastKnownAtOnce
	if c.uncleanEnabled(p.TP.Topic) {
		b.Election = Unclean
	}
	return b
}

// updates is what generateLeaderAndIsrUpdates is called for; NoBroker where it is for none.
type updates struct {
	remove  protocol.BrokerID // leaves ISR and leadership
	add     protocol.BrokerID // may lead from now on, although it is still fenced in memory
	unclean protocol.BrokerID // came back after an unclean stop: leaves ISR and ELR
}

// generateLeaderAndIsrUpdates works out what becomes of the partitions that match when brokers come or go.
//
// Kafka: ReplicationControlManager.generateLeaderAndIsrUpdates.
func (c *QuorumController) generateLeaderAndIsrUpdates(u updates, matches func(*protocol.PartitionState) bool) (out []change) {
	acceptable := func(b protocol.BrokerID) bool {
		return b != u.remove && b != u.unclean && (b == u.add || c.cluster.isActive(b))
	}
	for i := range c.partitions {
		p := &c.partitions[i]
		if !matches(p) {
			continue
		}
		b := c.builder(p, acceptable)
		b.UncleanShutdown = u.unclean
		b.TargetISR = without(without(p.ISR, u.remove), u.unclean)
		out = appendChange(out, p, b)
	}
	return out
}

func appendChange(out []change, p *protocol.PartitionState, b *PartitionChangeBuilder) []change {
	if pc, ok := b.Build(); ok {
		after := pc.Apply(*p)
		out = append(out, change{partition: &after, unclean: pc.Unclean})
	}
	return out
}

func inISR(b protocol.BrokerID) func(*protocol.PartitionState) bool {
	return func(p *protocol.PartitionState) bool { return slices.Contains(p.ISR, b) }
}

func inELR(b protocol.BrokerID) func(*protocol.PartitionState) bool {
	return func(p *protocol.PartitionState) bool { return slices.Contains(p.ELR, b) }
}

func leaderless(p *protocol.PartitionState) bool { return p.Leader == protocol.NoBroker }

// nobody is an update for no broker.
var nobody = updates{protocol.NoBroker, protocol.NoBroker, protocol.NoBroker}

// handleBrokerFenced takes a broker out of every ISR, then fences it.
func (c *QuorumController) handleBrokerFenced(b protocol.BrokerID) []change {
	u := nobody
	u.remove = b
	rec := c.cluster.registration(b).RegistrationRecord
	rec.Fenced = true
	return append(c.generateLeaderAndIsrUpdates(u, inISR(b)), change{registration: &rec})
}

// handleBrokerUnfenced lets a broker in, then looks whether it can lead a partition that has no leader.
func (c *QuorumController) handleBrokerUnfenced(b protocol.BrokerID) []change {
	u := nobody
	u.add = b
	rec := c.cluster.registration(b).RegistrationRecord
	rec.Fenced = false
	return append([]change{{registration: &rec}}, c.generateLeaderAndIsrUpdates(u, leaderless)...)
}

// handleBrokerInControlledShutdown moves a broker's leaderships away and takes it out of every ISR.
func (c *QuorumController) handleBrokerInControlledShutdown(b protocol.BrokerID) (out []change) {
	u := nobody
	u.remove = b
	if rec := c.cluster.registration(b).RegistrationRecord; !rec.ShuttingDown {
		rec.ShuttingDown = true
		out = append(out, change{registration: &rec})
	}
	return append(out, c.generateLeaderAndIsrUpdates(u, inISR(b))...)
}

// handleBrokerUncleanShutdown takes a broker that may have lost the end of its logs out of ISR and ELR
// (KIP-966).
func (c *QuorumController) handleBrokerUncleanShutdown(b protocol.BrokerID) []change {
	u := nobody
	u.unclean = b
	return append(c.generateLeaderAndIsrUpdates(u, inISR(b)), c.generateLeaderAndIsrUpdates(u, inELR(b))...)
}

// processBrokerHeartbeat: Kafka's ReplicationControlManager.processBrokerHeartbeat.
func (c *QuorumController) processBrokerHeartbeat(h *protocol.BrokerHeartbeat) (out []change, r protocol.BrokerHeartbeatResponse) {
	if err := c.checkBrokerEpoch(h.Broker, h.Epoch); err != protocol.None {
		return nil, protocol.BrokerHeartbeatResponse{Err: err}
	}
	registeredAt := c.cluster.registration(h.Broker).recordAt
	now, next := c.heartbeats.next(h, registeredAt, c.leads(h.Broker))
	if now != next {
		switch next {
		case fenced, shutdownNow:
			if !c.cluster.registration(h.Broker).Fenced {
				out = c.handleBrokerFenced(h.Broker)
				out[len(out)-1].asked = true
			}
		case unfenced:
			out = c.handleBrokerUnfenced(h.Broker)
		case controlledShutdown:
			out = c.handleBrokerInControlledShutdown(h.Broker)
		}
	}
	isFenced := next == fenced || next == shutdownNow
	c.heartbeats.touch(h.Broker, isFenced, h.MetadataOffset, c.env.Now())
	return out, protocol.BrokerHeartbeatResponse{CaughtUp: h.MetadataOffset >= registeredAt, Fenced: isFenced, ShouldShutDown: next == shutdownNow}
}

func (c *QuorumController) leads(b protocol.BrokerID) bool {
	return slices.ContainsFunc(c.partitions, func(p protocol.PartitionState) bool { return p.Leader == b })
}

// electLeader is an operator's election. Only the preferred replica or, if there is no leader at all, an
// unclean one can be asked for.
//
// Kafka: ReplicationControlManager.electLeader.
func (c *QuorumController) electLeader(tp protocol.TopicPartition, unclean bool) ([]change, protocol.Error) {
	p := c.partition(tp)
	switch {
	case p == nil:
		return nil, protocol.UnknownTopicOrPartition
	case !unclean && p.Leader == p.Replicas[0], unclean && p.Leader != protocol.NoBroker:
		return nil, protocol.ElectionNotNeeded
	}
	b := c.builder(p, c.cluster.isActive)
	b.Election = Preferred
	if unclean {
		b.Election = Unclean
	}
	out := appendChange(nil, p, b)
	switch {
	case out != nil:
		return out, protocol.None
	case unclean:
		return nil, protocol.EligibleLeadersNotAvailable
	}
	return nil, protocol.PreferredLeaderNotAvailable
}

// maxElectionsPerImbalance bounds how many leaders one balancing moves
// (QuorumController.MAX_ELECTIONS_PER_IMBALANCE).
const maxElectionsPerImbalance = 1000

// maybeBalancePartitionLeaders moves leaderships back to the preferred replicas
// (auto.leader.rebalance.enable).
func (c *QuorumController) maybeBalancePartitionLeaders() (out []change) {
	for i := range c.partitions {
		p := &c.partitions[i]
		if len(out) >= maxElectionsPerImbalance || p.Leader == p.Replicas[0] {
			continue
		}
		b := c.builder(p, c.cluster.isActive)
		b.Election = Preferred
		out = appendChange(out, p, b)
	}
	return out
}

// maybeElectUncleanLeaders looks again at partitions without a leader whose topic allows unclean elections
// (3.9, KAFKA-12670).
func (c *QuorumController) maybeElectUncleanLeaders() (out []change) {
	for i := range c.partitions {
		if p := &c.partitions[i]; leaderless(p) && c.uncleanEnabled(p.TP.Topic) && len(out) < maxElectionsPerImbalance {
			more, _ := c.electLeader(p.TP, true)
			out = append(out, more...)
		}
	}
	return out
}

// createPartitions grows a topic. A new partition is led by the first of its replicas that is active, and
// all that are active are in sync: there is nothing to copy yet.
//
// Kafka: ReplicationControlManager.createPartitions. Where Kafka's placer begins at random, this one begins
// with the broker after the one that leads the partition before.
func (c *QuorumController) createPartitions(q *protocol.AddPartitionsCommand) (out []change, err protocol.Error) {
	first := c.partition(protocol.TopicPartition{Topic: q.Topic})
	if first == nil {
		return nil, protocol.UnknownTopicOrPartition
	}
	have := c.partitionCount(q.Topic)
	if q.Count <= have || q.Replicas != nil && len(q.Replicas) != int(q.Count-have) {
		return nil, protocol.InvalidPartitions
	}
	for n := have; n < q.Count; n++ {
		var replicas []protocol.BrokerID
		if q.Replicas != nil {
			replicas = q.Replicas[n-have]
		} else {
			for i := range first.Replicas {
				replicas = append(replicas, (int(n)+i)%len(c.cluster.brokers)+1)
			}
		}
		var isr []protocol.BrokerID
		for _, r := range replicas {
			if c.cluster.isActive(r) {
				isr = append(isr, r)
			}
		}
		if len(isr) == 0 {
			return nil, protocol.InvalidPartitions // INVALID_REPLICATION_FACTOR
		}
		out = append(out, change{partition: &protocol.PartitionState{TP: protocol.TopicPartition{Topic: q.Topic, Partition: n},
			Replicas: replicas, Leader: isr[0], ISR: isr}})
	}
	return out, protocol.None
}

func (c *QuorumController) partitionCount(topic string) (n int32) {
	for i := range c.partitions {
		if c.partitions[i].TP.Topic == topic {
			n++
		}
	}
	return n
}

// clearELR: with another min.insync.replicas the ELR no longer says who has every committed record. It is cleared also where the ISR
// is empty and nobody leads; then nobody can be elected any more (docs/findings.md).
//
// Kafka: ConfigurationControlManager.createClearElrRecordsAsNeeded, ReplicationControlManager.removeTopicElrs (4.0.0 to 4.3.1); KIP-966.
func (c *QuorumController) clearELR(topic string) (out []change) {
	for i := range c.partitions {
		p := &c.partitions[i]
		if c.s.Rules.KeepELRWithoutLeader && p.Leader == protocol.NoBroker {
			continue
		}
		if (topic == "" || p.TP.Topic == topic) && len(p.ELR)+len(p.LastKnownELR) > 0 {
			pc := PartitionChange{ELRSet: true, KnownSet: true}
			after := pc.Apply(*p)
			out = append(out, change{partition: &after})
		}
	}
	return out
}

// ineligible says why a broker may not be in an ISR, None if it may (KIP-841; KIP-903 for the epoch).
//
// Kafka: ReplicationControlManager.ineligibleReplicasForIsr.
func (c *QuorumController) ineligible(m protocol.ISRMember) bool {
	r := c.cluster.registration(m.Broker)
	switch {
	case r == nil:
		return true
	case c.s.Rules.FencedOutOfISR && c.s.Planted.On(planted.FencedOutOfISR) && (r.Fenced || r.ShuttingDown):
		return true
	case c.s.Rules.BrokerEpochInISR && c.s.Planted.On(planted.BrokerEpochInISR) && m.Epoch != -1 && m.Epoch != r.Epoch:
		return true
	}
	return false
}
