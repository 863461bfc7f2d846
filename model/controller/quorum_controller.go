package controller

import (
	"slices"

	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// QuorumController is the active controller of KRaft. Everything it decides is a record of the metadata
// log, flushed before anyone hears of it; brokers read the log and act on it.
//
// It is a quorum of one: its log is committed once it is on its own disk, so what needs a majority
// (KRaft's elections, KAFKA-15489) does not happen here.
type QuorumController struct {
	s       Settings
	env     *sim.Env
	epoch   int
	log     *sim.File
	waiting []waitingFetch // in the order in which they came

	config     configuration
	cluster    clusterControlManager
	heartbeats brokerHeartbeatManager
	partitions []protocol.PartitionState // by topic and number
	producerID int64                     // the next one to give out
	live       []protocol.BrokerID

	balance deferred
	unclean deferred
}

// waitingFetch is a MetadataFetch that waits for more.
type waitingFetch struct {
	conn   sim.ConnID
	offset int64
	expiry sim.TimerID
}

// maxFetchWait is how long a MetadataFetch waits before it is answered with nothing
// (KafkaRaftClient.MAX_FETCH_WAIT_MS).
const maxFetchWait = 500 * sim.Millisecond

// deferred is work that Kafka puts off for an interval once there is a reason for it.
type deferred struct {
	every sim.Time
	kind  uint8
	timer sim.TimerID
	at    sim.Time
	busy  bool
}

// change is a record to be written, and what the record does not say.
type change struct {
	partition    *protocol.PartitionState
	registration *protocol.RegistrationRecord
	config       *protocol.ConfigRecord
	feature      *protocol.FeatureRecord
	producerIDs  *protocol.ProducerIDsRecord
	unclean      bool // an unclean election, or a registration after an unclean stop
	asked        bool // the broker is fenced because it asked to: it shuts down
}

// Where the controller keeps what must survive.
const (
	metadataLogFile = "__cluster_metadata-0"
	quorumStateFile = "quorum-state" // the controller epoch
)

// uncleanElectionInterval is how often leaderless partitions are looked at again
// (QuorumController.Builder.uncleanLeaderElectionCheckIntervalMs, 3.9).
const uncleanElectionInterval = 5 * sim.Minute

// NewQuorumController makes a KRaft controller.
func NewQuorumController(s Settings) *QuorumController { return &QuorumController{s: s} }

// Start replays the metadata log; the first time, it writes the state in which the run begins.
func (c *QuorumController) Start(env *sim.Env) {
	c.env = env
	c.config.static = c.s.Config
	c.cluster.brokers = make([]brokerRegistration, len(c.s.Directory.Brokers))
	c.heartbeats.init(len(c.s.Directory.Brokers), defaultMs(c.s.Config, "broker.session.timeout.ms", 9*sim.Second),
		defaultMs(c.s.Config, "broker.heartbeat.interval.ms", 2*sim.Second))
	c.balance = deferred{every: c.s.Config.Ms("leader.imbalance.check.interval.seconds"), kind: protocol.TimerLeaderRebalance, timer: sim.NoTimer, at: sim.Never}
	c.unclean = deferred{every: uncleanElectionInterval, kind: protocol.TimerUncleanElection, timer: sim.NoTimer, at: sim.Never}
	c.log = env.Disk().File(metadataLogFile)
	if c.log.Len() == 0 && env.Disk().ID() > 0 {
		env.Exit() // Kafka does not start on a disk that was not formatted
		return
	}
	if last, ok := env.Disk().Get(quorumStateFile); ok {
		c.epoch = last.(int)
	}
	c.epoch++
	env.Disk().Put(quorumStateFile, c.epoch)
	env.Record(&event.ControllerElected{ControllerEpoch: int64(c.epoch)})
	for i, b := range c.log.Blocks() {
		rec := b.(protocol.MetadataRecord)
		c.replay(&rec, int64(i))
	}
	if c.log.Len() == 0 {
		c.format()
	}
	for i := range c.cluster.brokers {
		if r := &c.cluster.brokers[i]; r.known {
			c.heartbeats.register(i+1, r.Fenced, env.Now())
		}
	}
	c.afterWrite()
}

// format writes the state of a cluster that has been running: every broker registered and unfenced, every
// partition led by its first replica in leader epoch 0, every replica in sync. Brokers that do not run yet
// are fenced and in no ISR.
func (c *QuorumController) format() {
	level := 0
	if c.s.Rules.ELR {
		level = 1
	}
	out := []change{{feature: &protocol.FeatureRecord{Name: "eligible.leader.replicas.version", Level: level}}}
	for i := range c.s.Directory.Brokers {
		out = append(out, change{registration: &protocol.RegistrationRecord{Broker: i + 1, Epoch: int64(i + 1),
			Incarnation: runningAtStart, Fenced: slices.Contains(c.s.Down, i+1)}})
	}
	for i := range c.s.Topics {
		t := &c.s.Topics[i]
		for j := range t.Config {
			rec := t.Config[j]
			rec.Topic = t.Name
			out = append(out, change{config: &rec})
		}
		for n, replicas := range t.Replicas {
			p := protocol.InitialState(protocol.TopicPartition{Topic: t.Name, Partition: int32(n)}, replicas, c.s.Down)
			out = append(out, change{partition: &p})
		}
	}
	c.append(out)
}

func (c *QuorumController) endOffset() int64 { return int64(c.log.Len()) }

// append writes records, applies them, and makes them durable.
func (c *QuorumController) append(changes []change) {
	for i := range changes {
		ch := &changes[i]
		rec := protocol.MetadataRecord{Registration: ch.registration, Partition: ch.partition, Config: ch.config, Feature: ch.feature, ProducerIDs: ch.producerIDs}
		offset := c.endOffset()
		c.log.Append(rec)
		c.announce(ch)
		c.replay(&rec, offset)
	}
	c.log.Flush()
}

// announce records what a change means, before it is applied.
func (c *QuorumController) announce(ch *change) {
	switch {
	case ch.partition != nil:
		var before protocol.PartitionState
		if p := c.partition(ch.partition.TP); p != nil {
			before = *p
		} else {
			c.env.Record(&event.TopicChanged{Topic: ch.partition.TP.Topic, Partitions: int64(c.partitionCount(ch.partition.TP.Topic)) + 1})
		}
		announce(c.env, &before, ch.partition, ch.unclean)
	case ch.registration != nil:
		r, old := ch.registration, c.cluster.registration(ch.registration.Broker)
		switch {
		case old == nil || old.Incarnation != r.Incarnation:
			if r.Incarnation != runningAtStart {
				c.env.Record(&event.BrokerJoined{Broker: r.Broker, Epoch: r.Epoch, Unclean: ch.unclean})
			}
		case old.Fenced && !r.Fenced:
			c.env.Record(&event.BrokerUnfenced{Broker: r.Broker, Epoch: r.Epoch})
		case !old.Fenced && r.Fenced:
			c.env.Record(&event.BrokerFenced{Broker: r.Broker, Asked: ch.asked})
		}
	case ch.config != nil:
		c.env.Record(&event.ConfigChanged{Topic: ch.config.Topic, Setting: ch.config.Key + "=" + ch.config.Value})
	}
}

// replay applies a record to memory.
func (c *QuorumController) replay(rec *protocol.MetadataRecord, offset int64) {
	switch {
	case rec.Registration != nil:
		c.cluster.replay(rec.Registration, offset)
		c.live = c.live[:0:0]
		for i := range c.cluster.brokers {
			if r := &c.cluster.brokers[i]; r.known && !r.Fenced {
				c.live = append(c.live, i+1)
			}
		}
	case rec.Partition != nil:
		i, found := partitionIndex(c.partitions, rec.Partition.TP)
		if found {
			c.partitions[i] = *rec.Partition
		} else {
			c.partitions = slices.Insert(c.partitions, i, *rec.Partition)
		}
	case rec.Config != nil:
		c.config.set(*rec.Config)
	case rec.ProducerIDs != nil:
		c.producerID = rec.ProducerIDs.NextProducerID
	}
}

// write appends what an operation has decided and lets everybody know. No changes are no write.
func (c *QuorumController) write(changes []change) {
	if len(changes) > 0 {
		c.append(changes)
	}
	c.afterWrite()
}

func (c *QuorumController) afterWrite() {
	c.answerWaiting()
	c.heartbeats.arm(c.env)
	c.maybeSchedule()
}

// answerWaiting sends the new end of the log to those who wait for it.
func (c *QuorumController) answerWaiting() {
	kept := c.waiting[:0]
	for _, w := range c.waiting {
		if w.offset < c.endOffset() {
			c.env.CancelTimer(w.expiry)
			c.answerFetch(w)
		} else {
			kept = append(kept, w)
		}
	}
	c.waiting = kept
}

func (c *QuorumController) answerFetch(w waitingFetch) {
	blocks := c.log.Blocks()[w.offset:]
	records := make([]protocol.MetadataRecord, len(blocks))
	for i, b := range blocks {
		records[i] = b.(protocol.MetadataRecord)
	}
	c.env.Send(w.conn, &protocol.MetadataFetchResponse{Offset: w.offset, Records: records})
}

// maybeSchedule puts off the search for better leaders, if there is a reason for one. The unclean search
// keeps a run going only if it will find somebody.
//
// Kafka: QuorumController.maybeScheduleNextBalancePartitionLeaders, maybeScheduleNextElectUncleanLeaders.
func (c *QuorumController) maybeSchedule() {
	imbalanced, offline, electable := false, false, false
	for i := range c.partitions {
		p := &c.partitions[i]
		imbalanced = imbalanced || p.Leader != p.Replicas[0]
		if leaderless(p) {
			offline = true
			electable = electable || c.uncleanEnabled(p.TP.Topic) && slices.ContainsFunc(p.Replicas, c.cluster.isActive)
		}
	}
	if c.s.Config.Bool("auto.leader.rebalance.enable") && imbalanced {
		c.balance.schedule(c.env, false)
	}
	if c.s.Rules.KRaftUnclean && offline {
		c.unclean.schedule(c.env, electable)
	}
}

func (d *deferred) schedule(env *sim.Env, busy bool) {
	if d.at == sim.Never {
		d.at = env.Now() + d.every
	} else if d.busy == busy {
		return
	}
	env.CancelTimer(d.timer)
	d.busy = busy
	d.timer = env.SetTimer(d.at-env.Now(), d.kind, 0, !busy)
}

func (d *deferred) fired() { d.timer, d.at, d.busy = sim.NoTimer, sim.Never, false }

// Receive handles a request or an order.
func (c *QuorumController) Receive(env *sim.Env, d sim.Delivery) {
	switch m := d.Msg.(type) {
	case *protocol.BrokerRegistration:
		out, answer := c.registerBroker(m)
		c.write(out)
		if r := c.cluster.registration(m.Broker); answer.Err == protocol.None {
			c.heartbeats.register(m.Broker, r.Fenced, env.Now())
			c.heartbeats.brokers[m.Broker-1].conn = d.Conn
			c.heartbeats.brokers[m.Broker-1].adopted = !r.Fenced
			c.heartbeats.arm(env)
		}
		env.Send(d.Conn, &answer)
	case *protocol.BrokerHeartbeat:
		out, answer := c.processBrokerHeartbeat(m)
		c.write(out)
		if answer.Err == protocol.None {
			s := &c.heartbeats.brokers[m.Broker-1]
			s.conn = d.Conn
			if r := c.cluster.registration(m.Broker); r.ShuttingDown && !r.Fenced && s.controlledShutdownOffset < 0 {
				s.controlledShutdownOffset = c.endOffset() - 1
			}
		}
		env.Send(d.Conn, &answer)
	case *protocol.AlterPartition:
		out, answer := c.alterPartition(m)
		c.write(out)
		env.Send(d.Conn, answer)
	case *protocol.AllocateProducerIds:
		out, answer := c.generateNextProducerID(m)
		c.write(out)
		env.Send(d.Conn, answer)
	case *protocol.MetadataFetch:
		w := waitingFetch{d.Conn, m.Offset, sim.NoTimer}
		c.forget(d.Conn)
		if w.offset < c.endOffset() {
			c.answerFetch(w)
		} else {
			w.expiry = env.SetTimer(maxFetchWait, protocol.TimerMetadataFetch, int64(d.Conn), true)
			c.waiting = append(c.waiting, w)
		}
	case *protocol.Command:
		c.command(m)
	}
}

// command does what an operator's tool asks for.
func (c *QuorumController) command(m *protocol.Command) {
	switch {
	case m.Elect != nil:
		out, err := c.electLeader(m.Elect.TP, m.Elect.Unclean)
		if err != protocol.None {
			c.env.Record(&event.ElectionRefused{TP: m.Elect.TP, Err: err})
		}
		c.write(out)
	case m.AlterConfig != nil:
		out := []change{{config: m.AlterConfig}}
		if m.AlterConfig.Key == keyMinISR && c.s.Rules.ELR {
			out = append(out, c.clearELR(m.AlterConfig.Topic)...)
		}
		c.write(out)
	case m.AddPartitions != nil:
		out, err := c.createPartitions(m.AddPartitions)
		if err != protocol.None {
			c.env.Probe("partitions could not be added")
		}
		c.write(out)
	}
}

// Timer does periodic work.
func (c *QuorumController) Timer(env *sim.Env, t sim.Timer) {
	switch t.Kind {
	case protocol.TimerSession:
		c.heartbeats.timerAt = sim.Never
		c.fenceStaleBrokers()
	case protocol.TimerMetadataFetch:
		c.fetchExpired(sim.ConnID(t.Arg))
	case protocol.TimerLeaderRebalance:
		c.balance.fired()
		c.write(c.maybeBalancePartitionLeaders())
	case protocol.TimerUncleanElection:
		c.unclean.fired()
		c.write(c.maybeElectUncleanLeaders())
	}
}

// fenceStaleBrokers fences, one by one, the brokers whose session has ended, so that what becomes of each
// is seen before the next (ReplicationControlManager.maybeFenceOneStaleBroker).
func (c *QuorumController) fenceStaleBrokers() {
	for {
		b := c.heartbeats.findOneStaleBroker(c.env.Now())
		if b == protocol.NoBroker {
			break
		}
		c.append(c.handleBrokerFenced(b))
		c.heartbeats.brokers[b-1].fenced = true
		c.heartbeats.brokers[b-1].controlledShutdownOffset = -1
	}
	c.afterWrite()
}

// Disconnected forgets what waits on the connection.
func (c *QuorumController) Disconnected(env *sim.Env, id sim.ConnID) {
	c.forget(id)
	c.heartbeats.disconnected(id)
	c.heartbeats.arm(env)
}

func (c *QuorumController) forget(conn sim.ConnID) {
	kept := c.waiting[:0]
	for _, w := range c.waiting {
		if w.conn != conn {
			kept = append(kept, w)
		} else {
			c.env.CancelTimer(w.expiry)
		}
	}
	c.waiting = kept
}

// fetchExpired answers a fetch that has found nothing, so that the broker knows that it was heard.
func (c *QuorumController) fetchExpired(conn sim.ConnID) {
	for _, w := range c.waiting {
		if w.conn == conn {
			c.answerFetch(w)
		}
	}
	c.forget(conn)
}

// Active is always true of a quorum of one.
func (c *QuorumController) Active() bool { return true }

// Epoch counts the controller's starts.
func (c *QuorumController) Epoch() int { return c.epoch }

// Partitions lists all partitions, by topic and number. The caller must not change it.
func (c *QuorumController) Partitions() []protocol.PartitionState { return c.partitions }

// Live lists the brokers that are not fenced.
func (c *QuorumController) Live() []protocol.BrokerID { return c.live }

// BrokerEpoch is a broker's epoch, -1 if it was never registered.
func (c *QuorumController) BrokerEpoch(b protocol.BrokerID) int64 {
	if r := c.cluster.registration(b); r != nil {
		return r.Epoch
	}
	return -1
}

// Fenced says that a broker is registered but may not serve.
func (c *QuorumController) Fenced(b protocol.BrokerID) bool {
	r := c.cluster.registration(b)
	return r != nil && r.Fenced
}

// MetadataEndOffset is the end of the metadata log.
func (c *QuorumController) MetadataEndOffset() int64 { return c.endOffset() }
