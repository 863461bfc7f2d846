package broker

import (
	"slices"

	"kafkatrial/model/event"
	"kafkatrial/model/partition"
	"kafkatrial/model/protocol"
	"kafkatrial/model/zookeeper"
	"kafkatrial/sim"
)

// alterPartitionManager sends ISR changes to the controller, one request at a time (KIP-497).
//
// Kafka: AlterPartitionManager (AlterIsrManager in 2.7).
type alterPartitionManager struct {
	unsent   []isrItem
	inFlight []isrItem
	conn     sim.ConnID
	open     bool
	watch    sim.TimerID // of what is in flight
	deadline sim.Time
}

type isrItem struct {
	tp     protocol.TopicPartition
	change *partition.AlterPartition
}

// alterRetry is how long the manager waits after an error of the whole request.
const alterRetry = 50 * sim.Millisecond

func proposed(c *partition.AlterPartition) []int {
	ids := make([]int, len(c.ISR))
	for i, m := range c.ISR {
		ids[i] = m.ID
	}
	slices.Sort(ids)
	return ids
}

// proposeISR sends an ISR change on its way: to the controller, or before KIP-497 straight into ZooKeeper,
// while the request thread waits.
func (b *Broker) proposeISR(h *hosted, c *partition.AlterPartition) {
	ids := proposed(c)
	expands := len(ids) > len(h.p.ISR())
	b.env.Record(&event.ISRProposed{TP: h.tp, PartitionEpoch: int32(c.PartitionEpoch), Expands: expands, ISR: ids})
	if !expands && len(ids) < int(b.meta.topic(b, h.tp.Topic).Int("min.insync.replicas")) {
		b.env.Probe("the ISR shrinks below min.insync.replicas")
	}
	if b.rules.AlterPartition {
		b.alter.submit(b, isrItem{h.tp, c})
		return
	}
	b.zk.writeISR(b, h.tp, c)
}

func (m *alterPartitionManager) submit(b *Broker, it isrItem) {
	m.unsent = slices.DeleteFunc(m.unsent, func(o isrItem) bool { return o.tp == it.tp })
	m.unsent = append(m.unsent, it)
	m.sendPending(b)
}

func (m *alterPartitionManager) sendPending(b *Broker) {
	if len(m.inFlight) > 0 && b.env.Now() >= m.deadline {
		m.unanswered(b)
	}
	if len(m.inFlight) > 0 || len(m.unsent) == 0 {
		return
	}
	to := b.controllerNode()
	if to == sim.Nobody {
		b.env.SetTimer(alterRetry, protocol.TimerAlterPartition, 0, true)
		return
	}
	if !m.open {
		m.conn, m.open = b.env.Connect(to), true
	}
	m.inFlight, m.unsent = m.unsent, nil
	req := &protocol.AlterPartition{Broker: b.id, BrokerEpoch: b.brokerEpoch()}
	for _, it := range m.inFlight {
		d := protocol.ISRChange{TP: it.tp, LeaderEpoch: it.change.LeaderEpoch, PartitionEpoch: it.change.PartitionEpoch}
		for _, s := range it.change.ISR {
			d.ISR = append(d.ISR, protocol.ISRMember{Broker: s.ID, Epoch: s.Epoch})
		}
		req.Data = append(req.Data, d)
	}
	b.env.Send(m.conn, req)
	m.deadline = b.env.Now() + controllerTimeout
	m.watch = b.env.SetTimer(controllerTimeout, protocol.TimerAlterPartition, 0, false)
}

// unanswered gives the connection up after controller.socket.timeout.ms; what is not answered is sent again
// on another.
//
// Kafka: BrokerToControllerRequestThread, NetworkClient.handleTimedOutRequests.
func (m *alterPartitionManager) unanswered(b *Broker) {
	b.env.Close(m.conn)
	m.open = false
	m.requeue(m.inFlight)
	m.inFlight = nil
}

func (m *alterPartitionManager) answered(b *Broker, r *protocol.AlterPartitionResponse) {
	items := m.inFlight
	m.inFlight = nil
	b.env.CancelTimer(m.watch)
	if r.Err != protocol.None { // the whole request: try again what has not been replaced meanwhile
		m.requeue(items)
		if r.Err == protocol.NotController && m.open {
			b.env.Close(m.conn)
			m.open = false
		}
		b.env.SetTimer(alterRetry, protocol.TimerAlterPartition, 0, true)
		return
	}
	for i := range r.Data {
		d := &r.Data[i]
		for _, it := range items {
			if it.tp == d.TP {
				b.isrAnswered(it, d.Err, leaderAndISR(d.State, b.zk.controllerEpoch))
			}
		}
	}
	m.sendPending(b)
}

func (m *alterPartitionManager) requeue(items []isrItem) {
	for _, it := range items {
		if !slices.ContainsFunc(m.unsent, func(o isrItem) bool { return o.tp == it.tp }) {
			m.unsent = append(m.unsent, it)
		}
	}
}

func (m *alterPartitionManager) disconnected(b *Broker, c sim.ConnID) {
	if !m.open || c != m.conn {
		return
	}
	m.open = false
	b.env.CancelTimer(m.watch)
	if len(m.inFlight) > 0 {
		m.requeue(m.inFlight)
		m.inFlight = nil
		b.env.SetTimer(alterRetry, protocol.TimerAlterPartition, 0, false)
	}
}

// isrAnswered takes over the outcome of an ISR change.
func (b *Broker) isrAnswered(it isrItem, err protocol.Error, answer partition.LeaderAndISR) {
	h := b.hostedPartition(it.tp)
	if h == nil {
		return
	}
	out := h.p.HandleAlterPartitionResponse(it.change, err, answer, b.env.Now())
	switch {
	case out.Accepted:
		b.env.Record(&event.ISRCommitted{TP: it.tp, PartitionEpoch: int32(h.p.PartitionEpoch()), ISR: slices.Clone(h.p.ISR())})
	case err != protocol.None:
		b.env.Record(&event.ISRRefused{TP: it.tp, Err: err, ISR: proposed(it.change)})
	}
	b.highWatermarkMoved(h, out.HW)
	b.purgatory.check(b, h) // the ISR decides how a waiting acks=all ends
	if out.Retry != nil {
		b.alter.submit(b, isrItem{it.tp, out.Retry})
	}
}

// writeISR sets the partition's node in ZooKeeper if its version is still the one this leader knows.
// The request thread waits for the answer: until then the broker serves nothing. A request for several
// partitions may bring several changes; they are written one after the other.
//
// Kafka up to 2.6: Partition.updateIsr, ReplicationUtils.updateLeaderAndIsr.
func (z *zkSession) writeISR(b *Broker, tp protocol.TopicPartition, c *partition.AlterPartition) {
	z.isr = append(z.isr, isrItem{tp, c})
	b.blocked = true
	if len(z.isr) == 1 {
		z.sendISR(b)
	}
}

func (z *zkSession) sendISR(b *Broker) {
	if len(z.isr) == 0 {
		return
	}
	tp, c := z.isr[0].tp, z.isr[0].change
	z.send(b, &protocol.ZkRequest{Op: protocol.ZkSet, Path: zookeeper.PartitionStatePath(tp), Version: int32(c.PartitionEpoch), ControllerEpoch: -1, OrWritten: true,
		Data: zookeeper.PartitionZNode{Leader: b.id, LeaderEpoch: c.LeaderEpoch, ISR: proposed(c), ControllerEpoch: c.ControllerEpoch}})
}
