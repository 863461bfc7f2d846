package controller

import (
	"slices"

	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/model/zookeeper"
	"kafkatrial/sim"
)

// stand looks who is controller, and creates /controller if nobody is. The epoch is raised next, on
// condition that nobody raised it in between. (Since 2.1 Kafka does both in one operation.)
//
// Kafka: KafkaController.maybeResign, elect; KafkaZkClient.registerControllerAndIncrementControllerEpoch.
func (c *KafkaController) stand(p *phase) bool {
	answer := func() *protocol.ZkResponse { return c.zk.answers[0] }
	switch p.stage {
	case 0:
		c.call(get(zookeeper.ControllerPath, true))
	case 1:
		if answer().Err == protocol.ZkOK {
			if answer().Data.(zookeeper.ControllerZNode).Controller != c.s.ID {
				c.resign()
			}
			return true
		}
		c.resign()
		c.call(protocol.ZkRequest{Op: protocol.ZkCreate, Path: zookeeper.ControllerPath, Data: zookeeper.ControllerZNode{Controller: c.s.ID},
			Ephemeral: true, Version: -1, ControllerEpoch: -1})
	case 2:
		if answer().Err != protocol.ZkOK {
			p.stage = 0
			return false
		}
		c.call(get(zookeeper.ControllerEpochPath, false))
	case 3:
		c.ctx.epoch = answer().Data.(zookeeper.ControllerEpochZNode).Epoch + 1
		c.ctx.epochZkVersion = answer().Version + 1
		c.call(protocol.ZkRequest{Op: protocol.ZkSet, Path: zookeeper.ControllerEpochPath, Version: answer().Version, ControllerEpoch: -1,
			Data: zookeeper.ControllerEpochZNode{Epoch: c.ctx.epoch}})
	case 4:
		if answer().Err != protocol.ZkOK {
			p.stage = 0
			c.ctx.epoch = 0
			c.call(protocol.ZkRequest{Op: protocol.ZkDelete, Path: zookeeper.ControllerPath, Version: -1, ControllerEpoch: -1})
			return false
		}
		c.active = true
		c.env.Record(&event.ControllerElected{ControllerEpoch: int64(c.ctx.epoch)})
		c.then(phase{kind: phFailover})
		return true
	}
	p.stage++
	return false
}

// failover reads everything from ZooKeeper, with watches first so that no change is missed, then tells
// every broker who is live and what it leads and follows, and looks for leaders where there are none.
//
// Kafka: KafkaController.onControllerFailover, initializeControllerContext.
func (c *KafkaController) failover(p *phase) bool {
	a := c.zk.answers
	switch p.stage {
	case 0:
		c.call(children(zookeeper.BrokerIDsPath, true), children(zookeeper.ISRChangePath, true), children(zookeeper.TopicsPath, false),
			children(zookeeper.ConfigTopicsPath, false), get(zookeeper.ConfigBrokersPath, false), children(zookeeper.ConfigChangesPath, true),
			get(zookeeper.PreferredElectionPath, true))
	case 1:
		c.ctx.topics = a[2].Children
		c.readConfig(a[4])
		if a[6].Err == protocol.ZkOK {
			c.queue = append(c.queue, controllerEvent{kind: preferredReplicaZk})
		}
		var requests []protocol.ZkRequest
		for _, id := range a[0].Children {
			requests = append(requests, get(zookeeper.BrokerIDsPath+"/"+id, false))
		}
		for _, t := range c.ctx.topics {
			requests = append(requests, get(zookeeper.TopicPath(t), true))
		}
		for _, t := range a[3].Children {
			requests = append(requests, get(zookeeper.TopicConfigPath(t), false))
		}
		for _, n := range a[1].Children { // nothing to learn from them: all states are read below
			requests = append(requests, c.remove(zookeeper.ISRChangePath+"/"+n))
		}
		c.call(requests...)
	case 2:
		for _, r := range a {
			switch d := r.Data.(type) {
			case zookeeper.BrokerZNode:
				c.ctx.addLive(liveBroker{d.Broker, r.Created})
			case zookeeper.ConfigZNode:
				c.readConfig(r)
			case zookeeper.TopicZNode:
				topic := r.Path[len(zookeeper.TopicsPath)+1:]
				for n, replicas := range d.Replicas {
					c.ctx.add(protocol.TopicPartition{Topic: topic, Partition: int32(n)}, replicas)
				}
			}
			if r.Err == protocol.ZkControllerMoved {
				c.moved()
				return false
			}
		}
		for _, b := range c.ctx.live {
			c.addChannel(b)
		}
		c.readStates(c.ctx.all())
	case 3:
		c.takeStates(c.ctx.all())
		c.startStateMachines()
		return true
	}
	p.stage++
	return false
}

// startStateMachines: Kafka's ReplicaStateMachine.startup and PartitionStateMachine.startup.
func (c *KafkaController) startStateMachines() {
	c.batch.configs = c.ctx.config.overrides
	c.addMetadata(c.ctx.liveOrShuttingDown(), c.ctx.all()...)
	online := c.ctx.online()
	var gone []phase
	for i := range c.ctx.partitions {
		p := &c.ctx.partitions[i]
		p.offline = !p.created || !slices.Contains(online, p.Leader)
		for _, r := range p.Replicas {
			if slices.Contains(online, r) && p.created {
				c.addLeaderAndIsr([]protocol.BrokerID{r}, p.TP)
			}
		}
	}
	for i := range c.channels {
		if !slices.Contains(online, i+1) {
			gone = append(gone, phase{kind: phRemove, broker: i + 1, parts: c.ctx.on(i + 1)}, phase{kind: phSend})
		}
	}
	if c.s.Config.Bool("auto.leader.rebalance.enable") {
		c.rebalance = c.env.SetTimer(firstRebalance, protocol.TimerLeaderRebalance, 0, true)
	}
	next := append([]phase{{kind: phSend}}, gone...)
	for _, t := range c.ctx.topics {
		if slices.ContainsFunc(c.ctx.partitions, func(p zkPartition) bool { return p.TP.Topic == t && !p.created }) {
			next = append(next, phase{kind: phTopic, names: []string{t}})
		}
	}
	c.then(append(next, phase{kind: phOffline})...)
	c.view()
}

// firstRebalance is when the balance of leaders is looked at first after a failover.
const firstRebalance = 5 * sim.Second

func (c *KafkaController) readConfig(r *protocol.ZkResponse) {
	if d, ok := r.Data.(zookeeper.ConfigZNode); ok {
		for _, rec := range d.Values {
			c.ctx.config.set(rec)
		}
	}
}

// readStates asks for the states of partitions; takeStates takes them over.
func (c *KafkaController) readStates(tps []protocol.TopicPartition) {
	requests := make([]protocol.ZkRequest, len(tps))
	for i, tp := range tps {
		requests[i] = get(zookeeper.PartitionStatePath(tp), false)
	}
	c.call(requests...)
}

func (c *KafkaController) takeStates(tps []protocol.TopicPartition) {
	for i, tp := range tps {
		if d, ok := c.zk.answers[i].Data.(zookeeper.PartitionZNode); ok {
			p := c.ctx.find(tp)
			p.PartitionState = stateOf(p, d, c.zk.answers[i].Version)
			p.created = true
		}
	}
	c.view()
}

// stateOf joins what the node says with the assignment.
func stateOf(p *zkPartition, d zookeeper.PartitionZNode, version int32) protocol.PartitionState {
	s := p.PartitionState
	s.Leader, s.LeaderEpoch, s.ISR, s.PartitionEpoch = d.Leader, d.LeaderEpoch, d.ISR, int(version)
	return s
}
