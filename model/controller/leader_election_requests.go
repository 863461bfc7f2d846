package controller

import (
	"slices"

	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/model/zookeeper"
)

// processPreferredElection does what kafka-preferred-replica-election.sh has asked for in ZooKeeper.
func (c *KafkaController) processPreferredElection(p *phase) bool {
	switch p.stage {
	case 0:
		c.call(get(zookeeper.PreferredElectionPath, true))
	case 1:
		d, ok := c.zk.answers[0].Data.(zookeeper.PreferredElectionZNode)
		if !ok {
			return true
		}
		p.parts = d.Partitions
		c.call(c.remove(zookeeper.PreferredElectionPath))
	case 2:
		if c.zk.answers[0].Err == protocol.ZkControllerMoved {
			c.moved()
			return false
		}
		var next []phase
		for _, tp := range p.parts {
			next = append(next, c.operatorsElection(&protocol.ElectCommand{TP: tp})...)
		}
		// The watch was spent by the deletion; it is set again, and what has come in between is found.
		c.then(append(next, phase{kind: phPreferredZk})...)
		return true
	}
	p.stage++
	return false
}

// operatorsElection: Kafka's KafkaController.processReplicaLeaderElection (2.8).
func (c *KafkaController) operatorsElection(q *protocol.ElectCommand) []phase {
	p := c.ctx.find(q.TP)
	err := protocol.None
	switch {
	case p == nil || !p.created:
		err = protocol.UnknownTopicOrPartition
	case !q.Unclean && p.Leader == p.Replicas[0], q.Unclean && slices.Contains(c.ctx.online(), p.Leader):
		err = protocol.ElectionNotNeeded
	}
	if err != protocol.None {
		c.env.Record(&event.ElectionRefused{TP: q.TP, Err: err})
		return nil
	}
	s := preferredElection
	if q.Unclean {
		s = offlineElection
	}
	return []phase{{kind: phElect, parts: []protocol.TopicPartition{q.TP}, strategy: s, forced: q.Unclean, operator: true}, {kind: phSend}}
}

func (c *KafkaController) electPreferred(tps []protocol.TopicPartition) []phase {
	if len(tps) == 0 {
		return nil
	}
	return []phase{{kind: phElect, parts: tps, strategy: preferredElection}, {kind: phSend}}
}

// imbalanced lists the partitions to lead back to their preferred replicas: those of brokers that lead too
// few of what they should (leader.imbalance.per.broker.percentage), and can lead it.
//
// Kafka: KafkaController.checkAndTriggerAutoLeaderRebalance (2.8).
func (c *KafkaController) imbalanced() (out []protocol.TopicPartition) {
	allowed := c.s.Config.Int("leader.imbalance.per.broker.percentage")
	online := c.ctx.online()
	for b := 1; b <= len(c.channels); b++ {
		var total, away int64
		var candidates []protocol.TopicPartition
		for i := range c.ctx.partitions {
			p := &c.ctx.partitions[i]
			if p.Replicas[0] != b || !p.created {
				continue
			}
			total++
			if p.Leader != b {
				away++
				if PreferredReplicaLeaderElection(p.Replicas, p.ISR, online) == b {
					candidates = append(candidates, p.TP)
				}
			}
		}
		if away*100 > allowed*total {
			out = append(out, candidates...)
		}
	}
	return out
}
