package controller

import (
	"slices"

	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/model/zookeeper"
)

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

// processAlterISR answers a leader's request to change ISRs (KIP-497). What is accepted is written to
// ZooKeeper on condition of the version that the leader knows.
//
// Kafka: KafkaController.processAlterIsr (2.8), tryProcessAlterPartition (3.5: what FencedOutOfISR brings).
func (c *KafkaController) processAlterISR(p *phase, q *protocol.AlterPartition) bool {
	switch p.stage {
	case 0:
		if known := c.ctx.broker(q.Broker); known == nil || known.epoch != q.BrokerEpoch && c.s.Planted.On(planted.StaleBrokerEpoch) {
			for i := range q.Data {
				refuse(c.env, q.Data[i].TP, protocol.StaleBrokerEpoch, q.Broker, members(q.Data[i].ISR))
			}
			c.env.Send(c.event.conn, &protocol.AlterPartitionResponse{Err: protocol.StaleBrokerEpoch})
			return true
		}
		p.results = make([]protocol.ISRResult, len(q.Data))
		for i := range q.Data {
			d, r := &q.Data[i], &p.results[i]
			r.TP = d.TP
			var done bool
			if r.Err, done = c.checkISRChange(q.Broker, d); done {
				r.State = c.ctx.find(d.TP).PartitionState
			} else if r.Err == protocol.None {
				s := c.ctx.find(d.TP).PartitionState
				s.Leader, s.LeaderEpoch, s.ISR, s.PartitionEpoch = q.Broker, d.LeaderEpoch, members(d.ISR), d.PartitionEpoch
				p.writes = append(p.writes, write{to: s})
			}
		}
		c.writeStates(p.writes)
	case 1:
		for i := range p.writes {
			w := &p.writes[i]
			r := p.result(w.to.TP)
			switch a := c.zk.answers[i]; a.Err {
			case protocol.ZkOK:
				c.took(w, a.Version)
				r.State = w.to
			case protocol.ZkBadVersion:
				r.Err = protocol.InvalidUpdateVersion
			case protocol.ZkControllerMoved:
				c.moved()
				return false
			default:
				r.Err = protocol.UnknownServerError
			}
			p.parts = append(p.parts, w.to.TP)
		}
		for i := range p.results {
			if r := &p.results[i]; r.Err != protocol.None {
				refuse(c.env, r.TP, r.Err, q.Broker, members(q.Data[i].ISR))
			}
		}
		c.env.Send(c.event.conn, &protocol.AlterPartitionResponse{Data: p.results})
		if len(p.parts) > 0 {
			c.addMetadata(c.ctx.liveOrShuttingDown(), p.parts...)
			c.sendRequestsToBrokers()
		}
		return true
	}
	p.stage++
	return false
}

func (p *phase) result(tp protocol.TopicPartition) *protocol.ISRResult {
	i := slices.IndexFunc(p.results, func(r protocol.ISRResult) bool { return r.TP == tp })
	return &p.results[i]
}

// checkISRChange says what is wrong with a proposal; done means that it is the state already.
func (c *KafkaController) checkISRChange(broker protocol.BrokerID, d *protocol.ISRChange) (err protocol.Error, done bool) {
	guards := c.s.Planted
	p := c.ctx.find(d.TP)
	if p == nil || !p.created {
		return protocol.UnknownTopicOrPartition, false
	}
	newer := c.s.Rules.FencedOutOfISR
	switch {
	case newer && (d.PartitionEpoch > p.PartitionEpoch || d.LeaderEpoch > p.LeaderEpoch):
		return protocol.NotController, false
	case d.LeaderEpoch < p.LeaderEpoch && guards.On(planted.LeaderEpochInAlterPartition):
		return protocol.FencedLeaderEpoch, false
	case broker == p.Leader && d.LeaderEpoch == p.LeaderEpoch && slices.Equal(members(d.ISR), p.ISR):
		return protocol.None, true
	case newer && d.PartitionEpoch < p.PartitionEpoch && guards.On(planted.CASPartitionEpoch):
		return protocol.InvalidUpdateVersion, false
	case newer && guards.On(planted.FencedOutOfISR):
		online := c.ctx.online()
		for _, m := range d.ISR {
			if !slices.Contains(online, m.Broker) {
				return protocol.IneligibleReplica, false
			}
		}
	}
	return protocol.None, false
}
