package controller

import (
	"slices"

	"kafkatrial/model/fact"
	"kafkatrial/model/protocol"
	"kafkatrial/model/zookeeper"
	"kafkatrial/sim"
)

// phase is a part of handling an event: it runs, asks ZooKeeper, runs on with the answers, and so on. It is
// the event thread's program counter, as data.
type phase struct {
	kind     phaseKind
	stage    int
	parts    []protocol.TopicPartition
	strategy strategy
	forced   bool // an unclean election is allowed whatever the topic's setting
	broker   protocol.BrokerID
	live     liveBroker
	names    []string
	writes   []write
	results  []protocol.ISRResult
	operator bool // the outcome is an operator's
}

// write is a conditional write of a partition's state.
type write struct {
	to      protocol.PartitionState
	unclean bool
}

type phaseKind uint8

const (
	phController    phaseKind = iota // look who is controller, and stand for election
	phFailover                       // read everything
	phBrokers                        // compare the brokers with those known
	phJoin                           // a broker has come
	phLeave                          // a broker has gone
	phOffline                        // elect leaders for what is offline
	phElect                          // elect leaders
	phRemove                         // take a broker out of ISRs
	phSend                           // tell the brokers
	phNotifications                  // ISR changes by leaders
	phRefresh                        // read states again, and tell the brokers
	phAlterISR
	phShutdown
	phShutdownAnswer
	phConfig
	phTopic
	phPreferredZk
)

// begin says what handling an event consists of.
func (c *KafkaController) begin(e *event) []phase {
	if e.kind == controllerChange {
		return []phase{{kind: phController}}
	}
	if !c.active {
		c.preempt(e)
		return nil
	}
	switch e.kind {
	case expire:
		c.resign()
		return []phase{{kind: phController}}
	case brokerChange:
		return []phase{{kind: phBrokers}}
	case isrChangeNotification:
		return []phase{{kind: phNotifications}}
	case partitionModifications:
		return []phase{{kind: phTopic, names: []string{e.topic}}}
	case configChange:
		return []phase{{kind: phConfig}}
	case preferredReplicaZk:
		return []phase{{kind: phPreferredZk}}
	case replicaLeaderElection:
		return c.operatorsElection(e.req.(*protocol.Command).Elect)
	case alterISR:
		return []phase{{kind: phAlterISR}}
	case controlledShutdownEvent:
		return []phase{{kind: phShutdown}}
	case autoPreferredReplica:
		return c.electPreferred(c.imbalanced())
	}
	return nil
}

// step runs a phase on; true means that it is done.
func (c *KafkaController) step(p *phase) bool {
	switch p.kind {
	case phController:
		return c.stand(p)
	case phFailover:
		return c.failover(p)
	case phBrokers:
		return c.processBrokerChange(p)
	case phJoin:
		return c.onBrokerStartup(p)
	case phLeave:
		return c.onBrokerFailure(p)
	case phOffline:
		offline, newly := c.ctx.markOffline()
		if !newly && p.broker > 0 { // a broker left, and no leader with it: brokers only have to know who is live
			c.addMetadata(c.ctx.liveOrShuttingDown())
		}
		c.then(phase{kind: phElect, parts: offline, strategy: offlineElection}, phase{kind: phSend})
		return true
	case phElect:
		return c.electLeaders(p)
	case phRemove:
		return c.removeReplicaFromISR(p)
	case phSend:
		c.sendRequestsToBrokers()
		return true
	case phNotifications:
		return c.processISRChangeNotification(p)
	case phRefresh:
		return c.refresh(p)
	case phAlterISR:
		return c.processAlterISR(p, c.event.req.(*protocol.AlterPartition))
	case phShutdown:
		return c.processControlledShutdown(c.event.req.(*protocol.ControlledShutdown))
	case phShutdownAnswer:
		return c.answerControlledShutdown(p)
	case phConfig:
		return c.processConfigChange(p)
	case phTopic:
		return c.processPartitionModifications(p)
	case phPreferredZk:
		return c.processPreferredElection(p)
	}
	return true
}

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
		c.env.Record(sim.Fact{Kind: fact.ControllerElected, A: int64(c.ctx.epoch)})
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
			c.queue = append(c.queue, event{kind: preferredReplicaZk})
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

// processBrokerChange compares the brokers that have a session with those known. Since KIP-380 one that
// was started again in between is noticed by its epoch; before, it passes for the old one.
//
// Kafka: KafkaController.processBrokerChange (2.8).
func (c *KafkaController) processBrokerChange(p *phase) bool {
	switch p.stage {
	case 0:
		c.call(children(zookeeper.BrokerIDsPath, true))
	case 1:
		var requests []protocol.ZkRequest
		for _, id := range c.zk.answers[0].Children {
			requests = append(requests, get(zookeeper.BrokerIDsPath+"/"+id, false))
		}
		c.call(requests...)
	case 2:
		var now []liveBroker
		for _, r := range c.zk.answers {
			if d, ok := r.Data.(zookeeper.BrokerZNode); ok {
				now = append(now, liveBroker{d.Broker, r.Created})
			}
		}
		c.then(c.brokerChanges(now)...)
		return true
	}
	p.stage++
	return false
}

// brokerChanges lists what has become of the brokers: first those that are new, then those that bounced,
// then those that are gone.
func (c *KafkaController) brokerChanges(now []liveBroker) (out []phase) {
	var bounced, gone []phase
	for _, b := range now {
		switch known := c.ctx.broker(b.id); {
		case known == nil:
			out = append(out, phase{kind: phJoin, live: b})
		case b.epoch > known.epoch && c.s.Rules.BrokerEpochInOrders:
			c.env.Mark("broker bounced within one look of the controller")
			bounced = append(bounced, phase{kind: phLeave, broker: b.id}, phase{kind: phJoin, live: b})
		}
	}
	for _, known := range c.ctx.live {
		if !slices.ContainsFunc(now, func(b liveBroker) bool { return b.id == known.id }) {
			gone = append(gone, phase{kind: phLeave, broker: known.id})
		}
	}
	return append(append(out, bounced...), gone...)
}

// onBrokerStartup tells everyone of a new broker, gives it all it has to know, and looks whether it can
// lead what has no leader.
//
// Kafka: KafkaController.onBrokerStartup (2.8). Kafka handles all new brokers together.
func (c *KafkaController) onBrokerStartup(p *phase) bool {
	b := p.live
	c.env.Record(aboutBroker(fact.BrokerJoined, int64(b.id), b.epoch, 0))
	c.addMetadata(c.ctx.liveOrShuttingDown())
	c.ctx.addLive(b)
	c.addChannel(b)
	c.sendRequestsToBrokers()
	c.batch.configs = c.ctx.config.overrides
	c.addMetadata([]protocol.BrokerID{b.id}, c.ctx.all()...)
	c.sendRequestsToBrokers()
	for _, tp := range c.ctx.on(b.id) {
		c.addLeaderAndIsr([]protocol.BrokerID{b.id}, tp)
	}
	c.then(phase{kind: phSend}, phase{kind: phOffline})
	return true
}

// onBrokerFailure elects leaders for what a broker led, then takes it out of the ISRs it was in.
//
// Kafka: KafkaController.onBrokerFailure, onReplicasBecomeOffline (2.8).
func (c *KafkaController) onBrokerFailure(p *phase) bool {
	c.env.Record(aboutBroker(fact.BrokerGone, int64(p.broker), 0, 0))
	c.ctx.removeLive(p.broker)
	c.ctx.shuttingDown = without(c.ctx.shuttingDown, p.broker)
	c.removeChannel(p.broker)
	c.then(phase{kind: phOffline, broker: p.broker}, phase{kind: phRemove, broker: p.broker, parts: c.ctx.on(p.broker)}, phase{kind: phSend})
	return true
}

// processISRChangeNotification: leaders have changed ISRs in ZooKeeper and left a note. The controller
// reads the states again and tells the brokers.
//
// Kafka: KafkaController.processIsrChangeNotification (2.6).
func (c *KafkaController) processISRChangeNotification(p *phase) bool {
	switch p.stage {
	case 0:
		c.call(children(zookeeper.ISRChangePath, true))
	case 1:
		p.names = c.zk.answers[0].Children
		var requests []protocol.ZkRequest
		for _, n := range p.names {
			requests = append(requests, get(zookeeper.ISRChangePath+"/"+n, false))
		}
		c.call(requests...)
	case 2:
		for _, r := range c.zk.answers {
			d, _ := r.Data.(zookeeper.ISRChangeZNode)
			for _, tp := range d.Partitions {
				if c.ctx.find(tp) != nil && !slices.Contains(p.parts, tp) {
					p.parts = append(p.parts, tp)
				}
			}
		}
		var requests []protocol.ZkRequest
		for _, n := range p.names {
			requests = append(requests, c.remove(zookeeper.ISRChangePath+"/"+n))
		}
		c.call(requests...)
	case 3:
		for _, r := range c.zk.answers {
			if r.Err == protocol.ZkControllerMoved {
				c.moved()
				return false
			}
		}
		if len(p.parts) > 0 {
			c.then(phase{kind: phRefresh, parts: p.parts})
		}
		return true
	}
	p.stage++
	return false
}

// refresh reads states again and tells every broker.
func (c *KafkaController) refresh(p *phase) bool {
	if p.stage == 0 {
		p.stage++
		c.readStates(p.parts)
		return false
	}
	c.takeStates(p.parts)
	c.addMetadata(c.ctx.liveOrShuttingDown(), p.parts...)
	c.sendRequestsToBrokers()
	return true
}

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
			c.env.Mark("unclean election allowed while partitions are offline")
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
		c.env.Record(fact.About(fact.ElectionRefused, q.TP, int64(err), 0, 0))
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
