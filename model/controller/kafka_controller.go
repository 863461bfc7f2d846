package controller

import (
	"slices"

	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/model/zookeeper"
	"kafkatrial/sim"
)

// KafkaController is a controller of ZooKeeper's time. In Kafka every broker has one inside; here they are
// nodes of their own, so that a controller can fail without a broker.
//
// It stands for election by creating /controller. The one that is active watches ZooKeeper, decides, writes
// what it has decided to ZooKeeper, and then tells the brokers. One event is handled at a time; while it
// waits for ZooKeeper the next ones wait in the queue (ControllerEventManager), and what the controller
// knows grows old.
type KafkaController struct {
	s              Settings
	env            *sim.Env
	sessionTimeout sim.Time
	zk             zkClient
	queue          []controllerEvent
	event          controllerEvent // under way; what it still has to do is phases
	phases         []phase         // the first is under way
	active         bool
	ctx            controllerContext
	channels       []channel // by broker id - 1
	batch          requestBatch
	rebalance      sim.TimerID
	partitions     []protocol.PartitionState // for views
}

// controllerEvent is an entry of the controller's queue (ControllerEvent).
type controllerEvent struct {
	kind  eventKind
	conn  sim.ConnID  // whom to answer
	req   sim.Message // what was asked
	topic string      // of partitionModifications
}

type eventKind uint8

const (
	noEvent                 eventKind = iota
	controllerChange                  // /controller was created, changed or deleted (Startup, Reelect, ControllerChange)
	expire                            // a new session has begun in place of an expired one (before 1.1)
	brokerChange                      // /brokers/ids
	isrChangeNotification             // /isr_change_notification (before 2.7)
	partitionModifications            // /brokers/topics/T
	configChange                      // /config/changes
	preferredReplicaZk                // /admin/preferred_replica_election
	replicaLeaderElection             // an operator asks
	alterISR                          // a leader asks (KIP-497)
	controlledShutdownEvent           // a broker asks
	autoPreferredReplica              // auto.leader.rebalance.enable
)

// NewKafkaController makes a controller that stands for election in ZooKeeper.
func NewKafkaController(s Settings) *KafkaController { return &KafkaController{s: s} }

// Start begins a ZooKeeper session.
func (c *KafkaController) Start(env *sim.Env) {
	c.env = env
	c.sessionTimeout = defaultMs(c.s.Config, "zookeeper.session.timeout.ms", 18*sim.Second)
	c.zk.conn, c.rebalance = sim.NoConn, sim.NoTimer
	c.channels = make([]channel, len(c.s.Directory.Brokers))
	for i := range c.channels {
		c.channels[i] = channel{conn: sim.NoConn, timer: sim.NoTimer}
	}
	c.ctx.config.static = c.s.Config
	c.connectZk()
	env.SetTimer(c.sessionTimeout/3, protocol.TimerControllerPing, 0, true)
}

// Receive handles an answer, an event or an order.
func (c *KafkaController) Receive(env *sim.Env, d sim.Delivery) {
	switch m := d.Msg.(type) {
	case *protocol.ZkResponse:
		if d.Conn == c.zk.conn {
			c.zkAnswered(m)
		}
	case *protocol.ZkEvent:
		c.watched(m)
	case *protocol.LeaderAndIsrResponse:
		c.answered(d.Conn, m.Err)
	case *protocol.StopReplicaResponse:
		c.answered(d.Conn, m.Err)
	case *protocol.UpdateMetadataResponse:
		c.answered(d.Conn, m.Err)
	case *protocol.AlterPartition:
		c.put(controllerEvent{kind: alterISR, conn: d.Conn, req: m})
	case *protocol.ControlledShutdown:
		c.put(controllerEvent{kind: controlledShutdownEvent, conn: d.Conn, req: m})
	case *protocol.Command:
		if m.Elect != nil {
			c.put(controllerEvent{kind: replicaLeaderElection, conn: sim.NoConn, req: m})
		}
	}
}

// watched turns what a watch tells into an event.
func (c *KafkaController) watched(m *protocol.ZkEvent) {
	switch m.Path {
	case zookeeper.ControllerPath:
		c.put(controllerEvent{kind: controllerChange})
	case zookeeper.BrokerIDsPath:
		c.put(controllerEvent{kind: brokerChange})
	case zookeeper.ISRChangePath:
		c.put(controllerEvent{kind: isrChangeNotification})
	case zookeeper.ConfigChangesPath:
		c.put(controllerEvent{kind: configChange})
	case zookeeper.PreferredElectionPath:
		c.put(controllerEvent{kind: preferredReplicaZk})
	default:
		for _, t := range c.ctx.topics {
			if m.Path == zookeeper.TopicPath(t) {
				c.put(controllerEvent{kind: partitionModifications, topic: t})
			}
		}
	}
}

// readWatchedAgain makes up for what happened while there was no connection (SetWatches).
func (c *KafkaController) readWatchedAgain() {
	c.queue = append(c.queue, controllerEvent{kind: controllerChange})
	if !c.active {
		return
	}
	for _, k := range [...]eventKind{brokerChange, isrChangeNotification, configChange, preferredReplicaZk} {
		c.queue = append(c.queue, controllerEvent{kind: k})
	}
	for _, t := range c.ctx.topics {
		c.queue = append(c.queue, controllerEvent{kind: partitionModifications, topic: t})
	}
}

// put queues an event.
func (c *KafkaController) put(e controllerEvent) {
	c.queue = append(c.queue, e)
	c.run()
}

// run goes on until the event thread has to wait for ZooKeeper or there is nothing to do.
func (c *KafkaController) run() {
	for c.zk.missing == 0 {
		switch {
		case len(c.phases) > 0:
			if c.step(&c.phases[0]) {
				c.phases = c.phases[1:]
			}
		case len(c.queue) > 0 && c.zk.session != 0:
			c.event, c.queue = c.queue[0], c.queue[1:]
			c.phases = c.begin(&c.event)
		default:
			c.event = controllerEvent{}
			return
		}
	}
}

// then puts phases behind the one under way.
func (c *KafkaController) then(next ...phase) {
	c.phases = slices.Concat(c.phases[:1], next, c.phases[1:])
}

// newSession stands for election.
func (c *KafkaController) newSession() {
	c.queue = append(c.queue, controllerEvent{kind: controllerChange})
}

// sessionExpired: another controller may have been elected. Since 1.1 (KAFKA-5642) the controller first
// drops what it was doing and resigns, and only then begins a new session. Before, the client library began
// the new session by itself: what the event thread was doing went on under it, and a controller that had
// been replaced could still write.
func (c *KafkaController) sessionExpired() {
	c.zk.session, c.zk.connected = 0, false
	if c.s.Rules.ExpiryClearsQueue {
		for _, e := range append([]controllerEvent{c.event}, c.queue...) {
			c.preempt(&e)
		}
		c.queue, c.phases, c.event, c.batch = nil, nil, controllerEvent{}, requestBatch{}
		c.dropCalls()
		c.resign()
	} else if c.active {
		c.env.Probe("a controller goes on under a new ZooKeeper session")
		c.queue = append(c.queue, controllerEvent{kind: expire})
	}
	c.connectZk()
}

// preempt answers an event that will not be handled (ControllerEvent.preempt).
func (c *KafkaController) preempt(e *controllerEvent) {
	switch m := e.req.(type) {
	case *protocol.AlterPartition:
		c.env.Send(e.conn, &protocol.AlterPartitionResponse{Err: protocol.NotController})
	case *protocol.ControlledShutdown:
		c.env.Send(e.conn, &protocol.ControlledShutdownResponse{Err: protocol.StaleControllerEpoch})
	case *protocol.Command:
		c.env.Record(&event.ElectionRefused{TP: m.Elect.TP, Err: protocol.NotController})
	}
}

// resign gives up everything an active controller has (KafkaController.onControllerResignation).
func (c *KafkaController) resign() {
	if !c.active {
		return
	}
	c.active = false
	c.env.Record(&event.ControllerResigned{ControllerEpoch: int64(c.ctx.epoch)})
	for i := range c.channels {
		c.removeChannel(i + 1)
	}
	c.env.CancelTimer(c.rebalance)
	c.rebalance = sim.NoTimer
	c.batch = requestBatch{}
	c.ctx = controllerContext{config: configuration{static: c.s.Config}}
	c.view()
}

// moved: ZooKeeper says that another controller was elected (ControllerMovedException). What is under way
// is given up.
func (c *KafkaController) moved() {
	c.env.Record(&event.OrderRefused{ControllerEpoch: int64(c.ctx.epoch), Err: protocol.StaleControllerEpoch})
	c.env.Probe("a replaced controller's write was refused")
	c.preempt(&c.event)
	c.dropCalls()
	c.phases, c.event, c.batch = nil, controllerEvent{}, requestBatch{}
	c.resign()
	c.queue = append([]controllerEvent{{kind: controllerChange}}, c.queue...)
}

// Timer does periodic work.
func (c *KafkaController) Timer(env *sim.Env, t sim.Timer) {
	switch t.Kind {
	case protocol.TimerControllerPing:
		c.pingZk()
	case protocol.TimerRequestRetry:
		if t.Arg != retryZk {
			c.retryOrder(int(t.Arg))
		} else if c.zk.conn == sim.NoConn {
			c.connectZk()
		}
	case protocol.TimerLeaderRebalance:
		if !c.active {
			return
		}
		c.rebalance = env.SetTimer(c.s.Config.Ms("leader.imbalance.check.interval.seconds"), protocol.TimerLeaderRebalance, 0, true)
		c.put(controllerEvent{kind: autoPreferredReplica})
	}
}

// Disconnected notices that a connection is gone.
func (c *KafkaController) Disconnected(env *sim.Env, id sim.ConnID) {
	if id == c.zk.conn {
		c.zkBroken()
		return
	}
	c.channelBroken(id)
}

// view brings the list for views up to date.
func (c *KafkaController) view() {
	c.partitions = c.partitions[:0]
	for i := range c.ctx.partitions {
		if p := &c.ctx.partitions[i]; p.created {
			c.partitions = append(c.partitions, p.PartitionState)
		}
	}
}

// Active says that it believes to be the active controller; two can at once.
func (c *KafkaController) Active() bool { return c.active }

// Epoch is its controller epoch, 0 unless it is active.
func (c *KafkaController) Epoch() int { return c.ctx.epoch }

// Partitions lists what it last read or wrote, by topic and number; empty unless it is active. The caller
// must not change it.
func (c *KafkaController) Partitions() []protocol.PartitionState { return c.partitions }

// Live lists the brokers it takes for live; empty unless it is active.
func (c *KafkaController) Live() []protocol.BrokerID { return c.ctx.liveOrShuttingDown() }

// BrokerEpoch is a live broker's epoch, -1 for another.
func (c *KafkaController) BrokerEpoch(b protocol.BrokerID) int64 {
	if l := c.ctx.broker(b); l != nil {
		return l.epoch
	}
	return -1
}

// Waiting says whether the event thread waits for ZooKeeper, and how many events wait behind it.
func (c *KafkaController) Waiting() (forZooKeeper bool, events int) {
	return c.zk.missing > 0, len(c.queue)
}

// Unanswered counts the orders that brokers have not answered yet.
func (c *KafkaController) Unanswered() (n int) {
	for i := range c.channels {
		n += len(c.channels[i].queue)
	}
	return n
}
