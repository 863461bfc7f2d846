package controller

import (
	"slices"

	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// channel is the controller's line to one broker. Orders go out one at a time, in order; one that was not
// answered is sent again, for as long as that broker's session lives.
//
// Kafka: ControllerChannelManager, RequestSendThread (2.8).
type channel struct {
	open     bool
	epoch    int64 // the broker epoch that the orders are meant for
	conn     sim.ConnID
	queue    []sim.Message // the first is out if inFlight
	inFlight bool
	timer    sim.TimerID // a retry, or the answer's time-out
}

const (
	orderBackoff = 100 * sim.Millisecond
	orderTimeout = 30 * sim.Second // controller.socket.timeout.ms
)

func (c *KafkaController) addChannel(b liveBroker) {
	ch := &c.channels[b.id-1]
	if !ch.open {
		*ch = channel{open: true, epoch: b.epoch, conn: sim.NoConn, timer: sim.NoTimer}
	}
}

func (c *KafkaController) removeChannel(b protocol.BrokerID) {
	ch := &c.channels[b-1]
	c.env.CancelTimer(ch.timer)
	c.env.Close(ch.conn)
	*ch = channel{conn: sim.NoConn, timer: sim.NoTimer}
}

func (c *KafkaController) order(b protocol.BrokerID, m sim.Message) {
	if ch := &c.channels[b-1]; ch.open {
		ch.queue = append(ch.queue, m)
		c.pump(b)
	}
}

func (c *KafkaController) pump(b protocol.BrokerID) {
	ch := &c.channels[b-1]
	if !ch.open || ch.inFlight || len(ch.queue) == 0 {
		return
	}
	if ch.conn == sim.NoConn {
		ch.conn = c.env.Connect(c.s.Directory.Node(b))
	}
	c.env.Send(ch.conn, ch.queue[0])
	ch.inFlight = true
	c.env.CancelTimer(ch.timer)
	ch.timer = c.env.SetTimer(orderTimeout, protocol.TimerRequestRetry, int64(b), true) // a run does not wait for it: the order itself is on its way
}

// answered goes on with the next order. What the answer says is only logged by Kafka.
func (c *KafkaController) answered(conn sim.ConnID, err protocol.Error) {
	for i := range c.channels {
		ch := &c.channels[i]
		if !ch.open || ch.conn != conn || !ch.inFlight {
			continue
		}
		if err == protocol.StaleControllerEpoch {
			c.env.Probe("a broker refused an order of an old controller")
		}
		ch.inFlight, ch.queue = false, ch.queue[1:]
		c.env.CancelTimer(ch.timer)
		ch.timer = sim.NoTimer
		c.pump(i + 1)
	}
}

func (c *KafkaController) channelBroken(conn sim.ConnID) {
	for i := range c.channels {
		ch := &c.channels[i]
		if !ch.open || ch.conn != conn {
			continue
		}
		ch.conn, ch.inFlight = sim.NoConn, false
		c.env.CancelTimer(ch.timer)
		ch.timer = sim.NoTimer
		if len(ch.queue) > 0 {
			ch.timer = c.env.SetTimer(orderBackoff, protocol.TimerRequestRetry, int64(i+1), false)
		}
	}
}

// retryOrder: the backoff is over, or no answer has come in time.
func (c *KafkaController) retryOrder(b protocol.BrokerID) {
	ch := &c.channels[b-1]
	ch.timer = sim.NoTimer
	if ch.inFlight {
		c.env.Close(ch.conn)
		ch.conn, ch.inFlight = sim.NoConn, false
	}
	c.pump(b)
}

// requestBatch gathers what brokers must hear, so that each gets one order of a kind
// (ControllerBrokerRequestBatch).
type requestBatch struct {
	leaderAndISR [][]protocol.TopicPartition // by broker id - 1
	stop         []protocol.TopicPartition   // to be stopped on stopOn
	stopOn       protocol.BrokerID
	metadata     []protocol.TopicPartition
	metadataTo   []protocol.BrokerID
	configs      []protocol.ConfigRecord
}

// addLeaderAndIsr orders a partition's replicas on these brokers, and tells every broker of it.
func (c *KafkaController) addLeaderAndIsr(to []protocol.BrokerID, tp protocol.TopicPartition) {
	b := &c.batch
	if b.leaderAndISR == nil {
		b.leaderAndISR = make([][]protocol.TopicPartition, len(c.channels))
	}
	for _, id := range to {
		if !slices.Contains(b.leaderAndISR[id-1], tp) {
			b.leaderAndISR[id-1] = append(b.leaderAndISR[id-1], tp)
		}
	}
	c.addMetadata(c.ctx.liveOrShuttingDown(), tp)
}

// addMetadata tells brokers who is live, and of these partitions.
func (c *KafkaController) addMetadata(to []protocol.BrokerID, tps ...protocol.TopicPartition) {
	b := &c.batch
	for _, id := range to {
		if !slices.Contains(b.metadataTo, id) {
			b.metadataTo = append(b.metadataTo, id)
		}
	}
	for _, tp := range tps {
		if !slices.Contains(b.metadata, tp) {
			b.metadata = append(b.metadata, tp)
		}
	}
}

// sendRequestsToBrokers sends the batch: first the orders, then what is told to clients.
func (c *KafkaController) sendRequestsToBrokers() {
	b := c.batch
	c.batch = requestBatch{}
	live := c.ctx.liveOrShuttingDown()
	for i, tps := range b.leaderAndISR {
		if len(tps) > 0 && slices.Contains(live, i+1) {
			c.order(i+1, &protocol.LeaderAndIsr{Controller: c.s.ID, ControllerEpoch: c.ctx.epoch, BrokerEpoch: c.orderEpoch(i + 1),
				Partitions: c.states(tps), Live: live})
		}
	}
	slices.Sort(b.metadataTo)
	for _, id := range b.metadataTo {
		if slices.Contains(live, id) {
			c.order(id, &protocol.UpdateMetadata{Controller: c.s.ID, ControllerEpoch: c.ctx.epoch, BrokerEpoch: c.orderEpoch(id),
				Partitions: c.states(b.metadata), Live: live, Configs: b.configs})
		}
	}
	if len(b.stop) > 0 && slices.Contains(live, b.stopOn) {
		c.order(b.stopOn, &protocol.StopReplica{Controller: c.s.ID, ControllerEpoch: c.ctx.epoch, BrokerEpoch: c.orderEpoch(b.stopOn),
			Partitions: b.stop})
	}
}

// orderEpoch is the broker epoch that an order names since KIP-380, so that a broker that was started
// again does not obey what was meant for its earlier life.
func (c *KafkaController) orderEpoch(b protocol.BrokerID) int64 {
	if c.s.Rules.BrokerEpochInOrders {
		return c.channels[b-1].epoch
	}
	return -1
}

func (c *KafkaController) states(tps []protocol.TopicPartition) []protocol.PartitionState {
	var out []protocol.PartitionState
	for _, tp := range tps {
		if p := c.ctx.find(tp); p != nil && p.created {
			out = append(out, p.PartitionState)
		}
	}
	return out
}
