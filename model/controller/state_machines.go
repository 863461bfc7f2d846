package controller

import (
	"slices"

	"kafkatrial/model/event"
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/model/zookeeper"
)

// writeStates asks ZooKeeper to set the states, each on condition that its version is still the one read. Up to 1.0 a controller
// that has to ask again, because the answer was lost, sees that its state is written; since it writes many at once (KAFKA-5642) it
// reads the state anew, and decides once more.
//
// Kafka: PartitionStateMachine.electLeaderForPartition, KafkaController.removeReplicaFromIsr in 1.0, with
// ReplicationUtils.updateLeaderAndIsr; from 1.1 KafkaZkClient.updateLeaderAndIsr.
func (c *KafkaController) writeStates(writes []write) {
	requests := make([]protocol.ZkRequest, len(writes))
	for i := range writes {
		s := &writes[i].to
		assertState(s)
		requests[i] = c.guarded(protocol.ZkRequest{Op: protocol.ZkSet, Path: zookeeper.PartitionStatePath(s.TP), Version: int32(s.PartitionEpoch),
			OrWritten: !c.s.Rules.ExpiryClearsQueue,
			Data:      zookeeper.PartitionZNode{Leader: s.Leader, LeaderEpoch: s.LeaderEpoch, ISR: s.ISR, ControllerEpoch: c.ctx.epoch}})
	}
	c.call(requests...)
}

// took takes over what ZooKeeper has accepted.
func (c *KafkaController) took(w *write, version int32) {
	p := c.ctx.find(w.to.TP)
	before := p.PartitionState
	if !p.created {
		before = protocol.PartitionState{}
	}
	w.to.PartitionEpoch = int(version)
	p.PartitionState, p.created = w.to, true
	p.offline = w.to.Leader == protocol.NoBroker
	announceLeader(c.env, &before, &w.to, w.unclean)
	c.view()
}

// readState gives the state that ZooKeeper has answered with. It is none of this controller's business if
// a later controller has written it.
func (c *KafkaController) readState(i int, tp protocol.TopicPartition) (s protocol.PartitionState, ok bool) {
	d, ok := c.zk.answers[i].Data.(zookeeper.PartitionZNode)
	if !ok {
		return s, false
	}
	if d.ControllerEpoch > c.ctx.epoch {
		c.env.Probe("a partition was already written by a later controller")
		return s, false
	}
	return stateOf(c.ctx.find(tp), d, c.zk.answers[i].Version), true
}

// electLeaders reads the states, elects, and writes on condition that nobody wrote in between; where
// somebody did, it reads again. An ISR change of the old leader can come in between.
//
// Kafka: PartitionStateMachine.doElectLeaderForPartitions (2.8).
func (c *KafkaController) electLeaders(p *phase) bool {
	switch p.stage {
	case 0:
		if len(p.parts) == 0 {
			return true
		}
		c.readStates(p.parts)
	case 1:
		p.writes = p.writes[:0:0]
		for i, tp := range p.parts {
			s, ok := c.readState(i, tp)
			var r leaderAndISR
			if ok {
				r, ok = c.elect(p.strategy, &s, p.forced)
			}
			if !ok {
				c.electionFailed(p, tp)
				continue
			}
			s.Leader, s.ISR = r.leader, r.isr
			s.LeaderEpoch++
			p.writes = append(p.writes, write{s, r.unclean})
		}
		c.writeStates(p.writes)
	case 2:
		p.parts = nil
		for i := range p.writes {
			w := &p.writes[i]
			switch r := c.zk.answers[i]; r.Err {
			case protocol.ZkOK:
				c.took(w, r.Version)
				c.addLeaderAndIsr(c.replicasOnline(w.to.Replicas, p.strategy == shutdownElection), w.to.TP)
			case protocol.ZkBadVersion:
				p.parts = append(p.parts, w.to.TP)
			case protocol.ZkControllerMoved:
				c.moved()
				return false
			}
		}
		p.stage = 0
		return false
	}
	p.stage++
	return false
}

func (c *KafkaController) electionFailed(p *phase, tp protocol.TopicPartition) {
	if !p.operator {
		return
	}
	err := protocol.PreferredLeaderNotAvailable
	if p.strategy == offlineElection {
		err = protocol.EligibleLeadersNotAvailable
	}
	c.env.Record(&event.ElectionRefused{TP: tp, Err: err})
}

func (c *KafkaController) replicasOnline(replicas []protocol.BrokerID, shuttingDownToo bool) []protocol.BrokerID {
	live := c.ctx.online()
	if shuttingDownToo {
		live = c.ctx.liveOrShuttingDown()
	}
	return slices.DeleteFunc(slices.Clone(replicas), func(b protocol.BrokerID) bool { return !slices.Contains(live, b) })
}

// removeReplicaFromISR takes a broker out of ISRs. The last member stays, so that no other replica is
// elected in its place; but it does not lead while it is away.
//
// Kafka: ReplicaStateMachine.doRemoveReplicasFromIsr (2.8).
func (c *KafkaController) removeReplicaFromISR(p *phase) bool {
	switch p.stage {
	case 0:
		p.parts = slices.DeleteFunc(slices.Clone(p.parts), func(tp protocol.TopicPartition) bool { return !c.ctx.find(tp).created })
		if len(p.parts) == 0 {
			return true
		}
		c.readStates(p.parts)
	case 1:
		p.writes = p.writes[:0:0]
		for i, tp := range p.parts {
			s, ok := c.readState(i, tp)
			if !ok {
				continue
			}
			if !slices.Contains(s.ISR, p.broker) {
				c.ctx.find(tp).PartitionState = s
				c.addLeaderAndIsr(without(s.Replicas, p.broker), tp)
				continue
			}
			if s.Leader == p.broker {
				s.Leader = protocol.NoBroker
			}
			if len(s.ISR) > 1 || !c.s.Planted.On(planted.LastISRMemberKept) {
				s.ISR = without(s.ISR, p.broker)
			}
			s.LeaderEpoch++
			p.writes = append(p.writes, write{to: s})
		}
		c.view()
		c.writeStates(p.writes)
	case 2:
		p.parts = nil
		for i := range p.writes {
			w := &p.writes[i]
			switch r := c.zk.answers[i]; r.Err {
			case protocol.ZkOK:
				c.took(w, r.Version)
				c.addLeaderAndIsr(without(w.to.Replicas, p.broker), w.to.TP)
			case protocol.ZkBadVersion:
				p.parts = append(p.parts, w.to.TP)
			case protocol.ZkControllerMoved:
				c.moved()
				return false
			}
		}
		p.stage = 0
		return false
	}
	p.stage++
	return false
}

// processControlledShutdown moves what a broker leads to others, and takes it out of the ISRs of what it
// follows, while it still runs.
//
// Kafka: KafkaController.doControlledShutdown (2.8).
func (c *KafkaController) processControlledShutdown(q *protocol.ControlledShutdown) bool {
	known := c.ctx.broker(q.Broker)
	err := protocol.None
	switch {
	case known == nil:
		err = protocol.BrokerNotAvailable
	case q.BrokerEpoch >= 0 && q.BrokerEpoch < known.epoch && c.s.Rules.BrokerEpochInOrders:
		err = protocol.StaleBrokerEpoch
	}
	if err != protocol.None {
		c.env.Send(c.event.conn, &protocol.ControlledShutdownResponse{Err: err})
		return true
	}
	if !slices.Contains(c.ctx.shuttingDown, q.Broker) {
		c.ctx.shuttingDown = append(slices.Clone(c.ctx.shuttingDown), q.Broker)
	}
	var leads, follows []protocol.TopicPartition
	for _, tp := range c.ctx.on(q.Broker) {
		switch p := c.ctx.find(tp); {
		case len(p.Replicas) < 2 || !p.created:
		case p.Leader == q.Broker:
			leads = append(leads, tp)
		default:
			follows = append(follows, tp)
		}
	}
	c.then(phase{kind: phElect, parts: leads, strategy: shutdownElection}, phase{kind: phSend},
		phase{kind: phStopReplicas, broker: q.Broker, parts: follows}, phase{kind: phRemove, broker: q.Broker, parts: follows}, phase{kind: phSend}, phase{kind: phShutdownAnswer, broker: q.Broker})
	return true
}

// answerControlledShutdown lists what the broker still leads: what has no other member in its ISR.
func (c *KafkaController) answerControlledShutdown(p *phase) bool {
	r := &protocol.ControlledShutdownResponse{}
	for i := range c.ctx.partitions {
		if c.ctx.partitions[i].Leader == p.broker {
			r.Remaining = append(r.Remaining, c.ctx.partitions[i].TP)
		}
	}
	c.env.Send(c.event.conn, r)
	return true
}
