package broker

import (
	"slices"

	"kafkatrial/model/event"
	"kafkatrial/model/partition"
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/model/zookeeper"
	"kafkatrial/sim"
)

// zkSession is a broker's session with ZooKeeper and what it knows of the controller.
//
// Kafka: KafkaZkClient, KafkaServer.startup, KafkaHealthcheck. A broker that finds its own old node in
// ZooKeeper stops in Kafka, and is started again by whoever looks after it; here it tries again.
type zkSession struct {
	conn            sim.ConnID
	session         int64
	id              int32
	isr             []isrItem // ISR changes to write, one after the other, while the request thread waits
	controller      sim.NodeID
	controllerEpoch int
	brokerEpoch     int64
	alive           bool
	lastHeard       sim.Time   // when ZooKeeper last said anything
	ctl             sim.ConnID // to the controller, for a controlled shutdown
	tries           int64
}

const zkRetry = sim.Second

func (z *zkSession) start(b *Broker) {
	z.controller, z.controllerEpoch, z.brokerEpoch, z.ctl, z.conn = sim.Nobody, 0, -1, sim.NoConn, sim.NoConn
	z.connect(b)
	b.setPing(b.sessionTimeout() / 3)
}

func (b *Broker) sessionTimeout() sim.Time { return b.cfg.Values.Ms("zookeeper.session.timeout.ms") }

func (b *Broker) setPing(after sim.Time) {
	b.env.SetTimer(after, protocol.TimerHeartbeat, 0, true)
}

func (z *zkSession) connect(b *Broker) {
	if z.conn == sim.NoConn {
		z.conn = b.env.Connect(b.cfg.Directory.ZooKeeper)
		z.lastHeard = b.env.Now()
	}
	z.send(b, &protocol.ZkRequest{Op: protocol.ZkConnect, Timeout: b.sessionTimeout(), Version: -1, ControllerEpoch: -1})
}

func (z *zkSession) send(b *Broker, r *protocol.ZkRequest) {
	if z.conn == sim.NoConn {
		return
	}
	z.id++
	r.ID, r.Session = z.id, z.session
	b.env.Send(z.conn, r)
}

// ping keeps the session alive: a ZooKeeper client pings after a third of its session time-out, and gives up
// a connection on which nothing came for two thirds of it.
//
// ZooKeeper: ClientCnxn.SendThread.run, readTimeout.
func (z *zkSession) ping(b *Broker) {
	limit := 2 * b.sessionTimeout() / 3
	silent := b.env.Now() - z.lastHeard
	next := b.sessionTimeout() / 3
	switch {
	case z.conn == sim.NoConn:
	case silent >= limit:
		b.env.Close(z.conn)
		z.disconnected(b, z.conn)
	default:
		next = min(next, limit-silent)
		if z.alive {
			z.send(b, &protocol.ZkRequest{Op: protocol.ZkPing, Version: -1, ControllerEpoch: -1})
		}
	}
	b.setPing(next)
}

func (z *zkSession) answered(b *Broker, r *protocol.ZkResponse) {
	z.lastHeard = b.env.Now()
	if r.Err == protocol.ZkSessionExpired {
		z.expired(b)
		return
	}
	switch {
	case r.Op == protocol.ZkConnect:
		z.session = r.Session
		z.alive = true
		z.register(b)
		z.sendISR(b) // again, if the connection was lost before the answer came
		b.producerIDs.zkConnected(b)
	case r.Op == protocol.ZkCreate && r.Path == zookeeper.BrokerPath(b.id):
		if r.Err == protocol.ZkNodeExists { // the previous process's session is not over yet
			b.env.SetTimer(zkRetry, protocol.TimerControllerRequest, retryZk, false)
			return
		}
		z.brokerEpoch = r.Created
		told := int64(-1) // brokers of an older release know no broker epoch
		if b.rules.BrokerEpochInOrders {
			told = z.brokerEpoch
		}
		b.env.Record(&event.BrokerRegistered{Epoch: told})
	case r.Path == zookeeper.ProducerIDBlockPath:
		b.producerIDs.zkAnswered(b, r)
	case r.Op == protocol.ZkSet && len(z.isr) > 0:
		z.isrWritten(b, r)
	}
}

func (z *zkSession) register(b *Broker) {
	z.send(b, &protocol.ZkRequest{Op: protocol.ZkCreate, Path: zookeeper.BrokerPath(b.id), Data: zookeeper.BrokerZNode{Broker: b.id},
		Ephemeral: true, Version: -1, ControllerEpoch: -1})
}

// expired begins a new session; what the broker knew stays until the controller tells it otherwise.
func (z *zkSession) expired(b *Broker) {
	z.alive = false
	z.session = 0
	b.producerIDs.failed(b)
	z.connect(b)
	for _, it := range z.takeISR() { // lost with the session: the leader proposes again at its next look
		b.isrAnswered(it, protocol.InvalidUpdateVersion, partition.LeaderAndISR{})
	}
	b.release()
}

func (z *zkSession) takeISR() []isrItem {
	all := z.isr
	z.isr = nil
	return all
}

// isrWritten takes ZooKeeper's answer to the first of the ISR changes, and asks for the next one.
func (z *zkSession) isrWritten(b *Broker, r *protocol.ZkResponse) {
	it := z.isr[0]
	z.isr = z.isr[1:]
	z.sendISR(b)
	if r.Err == protocol.ZkOK {
		z.send(b, &protocol.ZkRequest{Op: protocol.ZkCreate, Path: zookeeper.ISRChangePrefix, Sequential: true, Version: -1, ControllerEpoch: -1,
			Data: zookeeper.ISRChangeZNode{Partitions: []protocol.TopicPartition{it.tp}}})
		b.isrAnswered(it, protocol.None, partition.LeaderAndISR{Leader: b.id, LeaderEpoch: it.change.LeaderEpoch, ISR: proposed(it.change),
			PartitionEpoch: int(r.Version), Replicas: b.hostedPartition(it.tp).p.Replicas(), ControllerEpoch: it.change.ControllerEpoch})
	} else {
		b.isrAnswered(it, protocol.InvalidUpdateVersion, partition.LeaderAndISR{})
	}
	if len(z.isr) == 0 {
		b.release()
	}
}

func (z *zkSession) disconnected(b *Broker, c sim.ConnID) {
	switch c {
	case z.conn:
		z.conn, z.alive = sim.NoConn, false
		b.producerIDs.failed(b)
		b.env.SetTimer(zkRetry, protocol.TimerControllerRequest, retryZk, true)
	case z.ctl:
		z.ctl = sim.NoConn
	}
}

func (z *zkSession) close(b *Broker) {
	z.send(b, &protocol.ZkRequest{Op: protocol.ZkClose, Version: -1, ControllerEpoch: -1})
}

// handleLeaderAndIsr takes over what ZooKeeper's controller decided, unless a newer controller has spoken.
//
// Kafka: ReplicaManager.becomeLeaderOrFollower.
func (b *Broker) handleLeaderAndIsr(c sim.ConnID, m *protocol.LeaderAndIsr) {
	if err := b.checkController(m.ControllerEpoch, m.BrokerEpoch, c); err != protocol.None {
		b.env.Send(c, &protocol.LeaderAndIsrResponse{Err: err})
		return
	}
	b.meta.live = slices.Clone(m.Live)
	if b.becomeLeaderOrFollower(m.Partitions, m.ControllerEpoch) {
		b.changing = c
		return
	}
	b.env.Send(c, &protocol.LeaderAndIsrResponse{})
}

// waitsForStateChange says that an order has to wait until the one before it is carried out
// (ReplicaManager.replicaStateChangeLock).
func (b *Broker) waitsForStateChange(d sim.Delivery) bool {
	if b.changing == sim.NoConn {
		return false
	}
	switch d.Msg.(type) {
	case *protocol.LeaderAndIsr, *protocol.UpdateMetadata, *protocol.StopReplica:
		b.orders = append(b.orders, d)
		return true
	}
	return false
}

// stateChanged answers the order that is now carried out, and takes those that have waited for it.
func (b *Broker) stateChanged() {
	b.env.Send(b.changing, &protocol.LeaderAndIsrResponse{})
	b.changing = sim.NoConn
	waiting := b.orders
	b.orders = nil
	for _, d := range waiting {
		b.handle(d)
	}
}

// handleStopReplica stops fetching for partitions.
//
// Kafka: ReplicaManager.stopReplicas, with deletePartition=false.
func (b *Broker) handleStopReplica(c sim.ConnID, m *protocol.StopReplica) {
	err := b.checkController(m.ControllerEpoch, m.BrokerEpoch, c)
	if err == protocol.None {
		for _, tp := range m.Partitions {
			b.stopFetching(tp)
		}
	}
	b.env.Send(c, &protocol.StopReplicaResponse{Err: err})
}

func (b *Broker) checkController(controllerEpoch int, brokerEpoch int64, c sim.ConnID) protocol.Error {
	if controllerEpoch < b.zk.controllerEpoch && b.cfg.Planted.On(planted.StaleControllerEpoch) {
		b.env.Probe("a broker refused an order of an old controller")
		return protocol.StaleControllerEpoch
	}
	if brokerEpoch >= 0 && brokerEpoch < b.zk.brokerEpoch {
		return protocol.StaleBrokerEpoch
	}
	b.zk.controllerEpoch, b.zk.controller = controllerEpoch, b.env.Peer(c)
	return protocol.None
}

// handleUpdateMetadata takes over what to tell clients.
//
// Kafka: ZkMetadataCache.updateMetadata.
func (b *Broker) handleUpdateMetadata(c sim.ConnID, m *protocol.UpdateMetadata) {
	if err := b.checkController(m.ControllerEpoch, m.BrokerEpoch, c); err != protocol.None {
		b.env.Send(c, &protocol.UpdateMetadataResponse{Err: err})
		return
	}
	b.meta.live = slices.Clone(m.Live)
	for _, s := range m.Partitions {
		b.meta.put(s)
	}
	for i := range m.Configs {
		b.meta.setConfig(b, &m.Configs[i])
	}
	if len(m.Configs) > 0 {
		b.settingsChanged()
	}
	b.env.Send(c, &protocol.UpdateMetadataResponse{})
}

func (z *zkSession) askShutdown(b *Broker) {
	if z.controller == sim.Nobody || z.tries >= b.cfg.Values.Int("controlled.shutdown.max.retries") {
		b.finishShutdown()
		return
	}
	z.tries++
	if z.ctl == sim.NoConn {
		z.ctl = b.env.Connect(z.controller)
	}
	b.env.Send(z.ctl, &protocol.ControlledShutdown{Broker: b.id, BrokerEpoch: z.brokerEpoch})
}

func (z *zkSession) shutdownAnswered(b *Broker, r *protocol.ControlledShutdownResponse) {
	if !b.shuttingDown {
		return
	}
	if r.Err == protocol.None && len(r.Remaining) == 0 {
		b.finishShutdown()
		return
	}
	z.askShutdown(b)
}
