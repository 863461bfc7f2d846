package consumer

import (
	"kafkatrial/model/client"
	"kafkatrial/model/config"
	"kafkatrial/model/event"
	"kafkatrial/model/producer"
	"kafkatrial/model/protocol"
	"kafkatrial/model/release"
	"kafkatrial/sim"
)

// Consumer is one process: a KafkaConsumer and the application that uses it, which may have a KafkaProducer too.
type Consumer struct {
	app   Application
	cfg   settings
	dir   *protocol.Directory
	rules *release.Rules

	kafka    kafkaConsumer
	producer *producer.KafkaProducer // nil: the application has none
	db       databaseClient
	store    stateStore
	loop     loop
}

// kafkaConsumer is KafkaConsumer: everything that is gone after close().
type kafkaConsumer struct {
	net     *client.NetworkClient
	inbox   []client.Response // answers that no call has looked at yet
	subs    subscriptionState
	fetcher fetcher
	coord   consumerCoordinator
	group   membership
	// cached is an exception that an answer gave rise to: the next poll throws it.
	cached  *exception
	timer   sim.TimerID // when a call that waits has to look again
	timerAt sim.Time
}

// exception is what a call throws into the application.
type exception struct {
	err protocol.Error
	tp  protocol.TopicPartition
	at  int64 // the position, where there is one
}

// New makes the process of a consuming application from its settings (of section config.Consumer).
func New(app Application, v *config.Values, dir *protocol.Directory, rules *release.Rules) *Consumer {
	if app.Group == "" {
		app.Group = v.Text("group.id")
	} else if v = v.Clone(); v.Set("group.id", app.Group) != nil {
		panic("consumer: group.id takes any word")
	}
	c := &Consumer{app: app, cfg: settingsOf(v), dir: dir, rules: rules}
	c.loop.processTime = app.ProcessTime
	return c
}

// Start begins the application.
func (c *Consumer) Start(env *sim.Env) {
	c.open(env)
	c.begin(env)
	c.run(env)
}

// open makes a new KafkaConsumer, and a new KafkaProducer for an application that has one.
func (c *Consumer) open(env *sim.Env) {
	c.kafka = kafkaConsumer{net: client.NewNetworkClient(c.cfg.client, c.dir, c.rules), timer: sim.NoTimer}
	c.store = stateStore{}
	k := &c.kafka
	k.subs.metadataVersion = -1
	k.coord.known, k.coord.generation = protocol.NoBroker, -1
	k.coord.nextAutoCommit = env.Now() + c.cfg.autoCommitInterval
	k.fetcher.pending = make([]int32, len(c.dir.Brokers))
	c.subscribe()
	for _, tp := range c.app.Partitions {
		k.subs.assign(tp)
	}
	k.net.Start(env)
	c.openProducer(env)
}

// Receive takes an answer of a broker or an order of the script.
func (c *Consumer) Receive(env *sim.Env, d sim.Delivery) {
	if cmd, ok := d.Msg.(*protocol.Command); ok {
		c.command(env, cmd)
	} else if c.producer != nil && c.producer.Net().Owns(d.Conn) {
		c.producer.Receive(env, d)
	} else if o, ok := c.db.session.Receive(env, d); ok {
		c.answered(env, o)
	} else if r, ok := c.kafka.net.Receive(env, d); ok {
		c.completed(env, r)
	}
	c.run(env)
}

// Timer takes a timer.
func (c *Consumer) Timer(env *sim.Env, t sim.Timer) {
	switch t.Kind {
	case protocol.TimerPoll, protocol.TimerAutoCommit:
		c.kafka.timer = sim.NoTimer
	case protocol.TimerGroupHeartbeat:
		c.kafka.group.timer = sim.NoTimer
		c.heartbeatDue(env)
	case protocol.TimerDatabase:
		if t.Arg == tablePollTimer {
			break
		}
		if o, ok := c.db.session.Timer(env); ok {
			c.answered(env, o)
		}
	case protocol.TimerApplication:
		c.loop.timer = sim.NoTimer
		c.carryOut(env)
	case protocol.TimerProcess:
		c.processed(env, thread(t.Arg))
	default:
		if done, mine := c.kafka.net.Timer(env, t); mine {
			c.completed(env, done...)
		} else if c.producer != nil {
			c.producer.Timer(env, t)
		}
	}
	c.run(env)
}

// Disconnected takes the news that a connection is gone.
func (c *Consumer) Disconnected(env *sim.Env, conn sim.ConnID) {
	if c.producer != nil && c.producer.Net().Owns(conn) {
		c.producer.Disconnected(env, conn)
	} else if c.databaseNode() != sim.Nobody && c.db.session.Owns(conn) {
		if o, ok := c.db.session.Disconnected(env, conn); ok {
			c.answered(env, o)
		}
	} else {
		c.completed(env, c.kafka.net.Disconnected(env, conn)...)
	}
	c.run(env)
}

// run goes on with the call that the application's thread is in, as far as it gets.
func (c *Consumer) run(env *sim.Env) {
	switch {
	case c.loop.state == Polling && c.app.Source != nil:
		c.pollTable(env)
	case c.loop.state == Polling:
		c.poll(env)
	case c.loop.state == Committing:
		c.commitSync(env)
	case c.loop.state == Recovering:
		c.recovering(env)
	case c.loop.state == Restoring:
		c.restoring(env)
	}
	for c.loop.state == Calling && c.calling(env) {
	}
	if c.loop.state == Closing {
		c.closing(env)
	}
	if c.loop.state >= Draining {
		return // there is no KafkaConsumer any more
	}
	c.kafka.net.Poll(env)
	c.setTimer(env)
}

// command takes an order from outside.
func (c *Consumer) command(env *sim.Env, cmd *protocol.Command) {
	switch {
	case cmd.Seek != nil:
		c.loop.seeks = append(c.loop.seeks, *cmd.Seek)
	case cmd.ProcessTime != nil:
		c.loop.processTime = cmd.ProcessTime.Time
	case cmd.Close, cmd.ShutDown:
		c.loop.stop = true
		atTheStart := c.loop.state == Between && c.loop.pc == 0
		if atTheStart || c.loop.state == Polling || c.loop.state == Restoring || c.loop.state == Resting {
			c.stopNow(env)
		}
	case cmd.Throw:
		if c.loop.state != Closing && c.loop.state != Resting {
			c.throw(env, exception{err: protocol.None, at: -1})
		}
	}
}

// throw is an exception that leaves the application's loop: it closes the consumer, as a program does that
// holds it in a try-with-resources, and ends or begins anew.
func (c *Consumer) throw(env *sim.Env, e exception) {
	c.leave(env, &event.ConsumerFailed{TP: e.tp, Position: e.at, Err: e.err, From: event.ByConsumer})
}

// leave ends the loop with an exception, which the event tells of.
func (c *Consumer) leave(env *sim.Env, why sim.Event) {
	env.Record(why)
	c.loop.failed = true
	c.stopNow(env)
}
