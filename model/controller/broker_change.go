package controller

import (
	"slices"

	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/model/zookeeper"
)

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
	var away []protocol.BrokerID
	for _, b := range now {
		switch known := c.ctx.broker(b.id); {
		case known == nil:
			out = append(out, phase{kind: phJoin, live: b})
		case b.epoch > known.epoch && c.s.Rules.BrokerEpochInOrders:
			c.env.Probe("broker bounced within one look of the controller")
			bounced = append(bounced, phase{kind: phLeave, broker: b.id}, phase{kind: phJoin, live: b})
		}
	}
	for _, known := range c.ctx.live {
		if !slices.ContainsFunc(now, func(b liveBroker) bool { return b.id == known.id }) {
			away = append(away, known.id)
		}
	}
	for _, b := range away {
		gone = append(gone, phase{kind: phLeave, broker: b, gone: away})
	}
	return append(append(out, bounced...), gone...)
}

// onBrokerStartup tells everyone of a new broker, gives it all it has to know, and looks whether it can
// lead what has no leader.
//
// Kafka: KafkaController.onBrokerStartup (2.8). Kafka handles all new brokers together.
func (c *KafkaController) onBrokerStartup(p *phase) bool {
	b := p.live
	epoch := int64(-1)
	if c.s.Rules.BrokerEpochInOrders {
		epoch = b.epoch
	}
	c.env.Record(&event.BrokerJoined{Broker: b.id, Epoch: epoch})
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

// onBrokerFailure elects leaders for what a broker led, then takes it out of the ISRs it was in. Brokers that
// have gone together are all known to be gone before the first election, so that none of them is elected.
//
// Kafka: KafkaController.onBrokerFailure, onReplicasBecomeOffline (2.8).
func (c *KafkaController) onBrokerFailure(p *phase) bool {
	c.env.Record(&event.BrokerGone{Broker: p.broker})
	c.ctx.removeLive(p.broker)
	for _, b := range p.gone {
		c.ctx.removeLive(b)
	}
	c.ctx.shuttingDown = without(c.ctx.shuttingDown, p.broker)
	c.removeChannel(p.broker)
	c.then(phase{kind: phOffline, broker: p.broker}, phase{kind: phRemove, broker: p.broker, parts: c.ctx.on(p.broker)}, phase{kind: phSend})
	return true
}
