package producer

import (
	"kafkatrial/model/client"
	"kafkatrial/model/config"
	"kafkatrial/model/protocol"
	"kafkatrial/model/release"
	"kafkatrial/sim"
)

// KafkaProducer is a process with one producer and the application that uses it.
//
// It obeys the commands Send, Flush, Close and ShutDown, which the application's one thread carries out in order.
// After Close the process goes on without connections; a send() then fails with IllegalStateException. ShutDown
// closes the producer and ends the process.
type KafkaProducer struct {
	cfg   Config
	rules *release.Rules
	app   Application
	net   *client.NetworkClient

	// The application's thread.
	embedded     embedded // the application is another part of the same process
	calls        []call
	waiting      wait     // what the first call waits for
	waitingSince sim.Time // for metadata or memory
	calledAt     sim.Time // when the first call was made
	chosen       int32    // the partition chosen for it
	submissions  int32
	unawaited    callKind // the call whose outcome is open since max.block.ms was over; callNone
	stopped      bool     // the policy Stop has struck, or Abort after a fatal exception
	// inTransaction says that the application has begun a transaction and not ended it.
	inTransaction bool
	yielded       bool // the application lets the Sender have a turn before it goes on
	closed        bool
	leaving       bool // the process ends once the producer is closed
	partitioner   partitioner
	maxBlock      alarm

	// The Sender.
	accumulator           RecordAccumulator
	txn                   TransactionManager
	sent                  []request // in flight, oldest first
	guaranteeMessageOrder bool
	check                 readyCheck
	held                  bool // batches wait for a producer id, or for an answer of a coordinator; none expires meanwhile
	drained               []request
	expired               []*ProducerBatch
	linger                alarm
	backoff               alarm
	delivery              alarm

	acked, failures, rejected int
}

// New makes a producer's process. The values are those of the section config.Producer.
func New(v *config.Values, dir *protocol.Directory, rules *release.Rules, app Application) *KafkaProducer {
	p := &KafkaProducer{cfg: ConfigOf(v, rules), rules: rules, app: app, unawaited: callNone}
	p.net = client.NewNetworkClient(p.cfg.Net, dir, rules)
	p.accumulator = newRecordAccumulator(&p.cfg, rules, len(dir.Brokers))
	p.txn = newTransactionManager(&p.cfg, rules)
	p.maxBlock.id, p.linger.id, p.backoff.id, p.delivery.id = sim.NoTimer, sim.NoTimer, sim.NoTimer, sim.NoTimer
	// With one request in flight a connection, batches of a partition could still overtake each other on
	// two connections when its leader changes, so the partition is muted (KAFKA-3197).
	p.guaranteeMessageOrder = rules.MutePartition && p.cfg.MaxInFlight == 1
	return p
}

// Start asks for metadata; the application does nothing before it is told to.
func (p *KafkaProducer) Start(env *sim.Env) {
	p.partitioner.node = env.Self()
	p.net.Start(env)
}

// Receive takes a command for the application or an answer from a broker.
func (p *KafkaProducer) Receive(env *sim.Env, d sim.Delivery) {
	if c, ok := d.Msg.(*protocol.Command); ok {
		p.enqueue(c)
	} else if r, ok := p.net.Receive(env, d); ok {
		p.completed(env, r)
	}
	p.run(env)
}

// completed takes what became of a request.
func (p *KafkaProducer) completed(env *sim.Env, r client.Response) {
	switch r.Msg.(type) {
	case *protocol.Produce:
		p.handleProduceResponse(env, r)
	case *protocol.InitProducerId:
		if !p.txn.transactional() {
			p.handleInitProducerIdResponse(env, r)
			return
		}
		p.handleTransactional(env, r)
	default:
		p.handleTransactional(env, r)
	}
}

// Timer takes a time-out. All it says is that there may be something to do.
func (p *KafkaProducer) Timer(env *sim.Env, t sim.Timer) {
	switch t.Kind {
	case protocol.TimerLinger:
		p.linger.id = sim.NoTimer
	case protocol.TimerRetryBackoff:
		if t.Arg == retryInitProducerID {
			p.txn.retry = sim.NoTimer
		} else {
			p.backoff.id = sim.NoTimer
		}
	case protocol.TimerDeliveryTimeout:
		p.delivery.id = sim.NoTimer
	case protocol.TimerMaxBlock:
		p.maxBlock.id = sim.NoTimer
	default:
		done, _ := p.net.Timer(env, t)
		for _, r := range done {
			p.completed(env, r)
		}
	}
	p.run(env)
}

// Disconnected takes the news that a connection is gone: what was in flight on it may have been written or not.
func (p *KafkaProducer) Disconnected(env *sim.Env, c sim.ConnID) {
	for _, r := range p.net.Disconnected(env, c) {
		p.completed(env, r)
	}
	p.run(env)
}

// alarm is a timer that is set for one moment. It is real work: a world with one set is not at rest.
type alarm struct {
	id sim.TimerID
	at sim.Time
}

// set moves the alarm to a moment; sim.Never stops it.
func (a *alarm) set(env *sim.Env, at sim.Time, kind uint8) {
	if a.id != sim.NoTimer {
		if a.at == at {
			return
		}
		a.cancel(env)
	}
	if at != sim.Never {
		a.at = at
		a.id = env.SetTimer(at-env.Now(), kind, 0, false)
	}
}

func (a *alarm) cancel(env *sim.Env) {
	env.CancelTimer(a.id)
	a.id = sim.NoTimer
}
