package controller

import (
	"slices"

	"kafkatrial/model/protocol"
	"kafkatrial/model/zookeeper"
)

// processConfigChange reads the settings again and tells the brokers. (In Kafka every broker watches
// /config/changes itself.) Since 2.1 (KAFKA-6835) a topic for which unclean elections have been allowed gets
// one at once.
func (c *KafkaController) processConfigChange(p *phase) bool {
	a := c.zk.answers
	switch p.stage {
	case 0:
		c.call(children(zookeeper.ConfigChangesPath, true), children(zookeeper.ConfigTopicsPath, false), get(zookeeper.ConfigBrokersPath, false))
	case 1:
		var requests []protocol.ZkRequest
		requests = append(requests, get(zookeeper.ConfigBrokersPath, false))
		for _, t := range a[1].Children {
			requests = append(requests, get(zookeeper.TopicConfigPath(t), false))
		}
		c.call(requests...)
	case 2:
		before := c.ctx.config
		c.ctx.config = configuration{static: c.s.Config}
		for _, r := range a {
			c.readConfig(r)
		}
		c.batch.configs = c.ctx.config.overrides
		c.addMetadata(c.ctx.liveOrShuttingDown())
		var allowed []protocol.TopicPartition
		for i := range c.ctx.partitions {
			z := &c.ctx.partitions[i]
			if z.offline && z.created && c.ctx.config.unclean(z.TP.Topic) && !before.unclean(z.TP.Topic) {
				allowed = append(allowed, z.TP)
			}
		}
		next := []phase{{kind: phSend}}
		if c.s.Rules.UncleanAtOnce && len(allowed) > 0 {
			c.env.Probe("unclean election allowed while partitions are offline")
			next = append(next, phase{kind: phElect, parts: allowed, strategy: offlineElection}, phase{kind: phSend})
		}
		c.then(next...)
		return true
	}
	p.stage++
	return false
}

// processPartitionModifications looks for partitions that a topic has got. A new one is led by the first of
// its replicas that is live, and all that are live are in sync: there is nothing to copy yet.
//
// Kafka: KafkaController.processPartitionModifications, PartitionStateMachine.initializeLeaderAndIsrForPartitions.
func (c *KafkaController) processPartitionModifications(p *phase) bool {
	switch p.stage {
	case 0:
		c.call(get(zookeeper.TopicPath(p.names[0]), true))
	case 1:
		d, _ := c.zk.answers[0].Data.(zookeeper.TopicZNode)
		online := c.ctx.online()
		var requests []protocol.ZkRequest
		for n, replicas := range d.Replicas {
			tp := protocol.TopicPartition{Topic: p.names[0], Partition: int32(n)}
			c.ctx.add(tp, replicas)
			isr := slices.DeleteFunc(slices.Clone(replicas), func(b protocol.BrokerID) bool { return !slices.Contains(online, b) })
			if z := c.ctx.find(tp); z.created || len(isr) == 0 {
				continue
			}
			p.writes = append(p.writes, write{to: protocol.PartitionState{TP: tp, Replicas: replicas, Leader: isr[0], ISR: isr}})
			requests = append(requests, c.guarded(protocol.ZkRequest{Op: protocol.ZkCreate, Path: zookeeper.PartitionStatePath(tp), Version: -1,
				Data: zookeeper.PartitionZNode{Leader: isr[0], ISR: isr, ControllerEpoch: c.ctx.epoch}}))
		}
		c.call(requests...)
	case 2:
		for i := range p.writes {
			w := &p.writes[i]
			switch r := c.zk.answers[i]; r.Err {
			case protocol.ZkOK:
				c.took(w, r.Version)
				c.addLeaderAndIsr(w.to.ISR, w.to.TP)
			case protocol.ZkControllerMoved:
				c.moved()
				return false
			}
		}
		c.then(phase{kind: phSend})
		return true
	}
	p.stage++
	return false
}
