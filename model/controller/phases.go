package controller

import (
	"kafkatrial/model/protocol"
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
	gone     []protocol.BrokerID // who is found gone together with broker
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
	phStopReplicas // a broker that shuts down stops following
	phShutdownAnswer
	phConfig
	phTopic
	phPreferredZk
)

// begin says what handling an event consists of.
func (c *KafkaController) begin(e *controllerEvent) []phase {
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
	case phStopReplicas:
		c.batch.stop, c.batch.stopOn = p.parts, p.broker
		c.sendRequestsToBrokers()
		return true
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
