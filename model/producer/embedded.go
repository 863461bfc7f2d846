package producer

import (
	"kafkatrial/model/config"
	"kafkatrial/model/protocol"
	"kafkatrial/model/release"
	"kafkatrial/sim"
)

// embedded is what a producer keeps for an application in the same process that looks at every outcome.
type embedded struct {
	on        bool
	exception Exception // of the calls made last
	told      Exception // by the callback of a send, and not thrown yet
}

// Exception is what a call has thrown into the application. Err None: it has returned.
type Exception struct {
	Call string // the method of KafkaProducer
	Err  protocol.Error
	// Open: the call waited for max.block.ms, and what it asked for may still happen. The same call made again goes
	// on waiting.
	Open bool
}

// NewEmbedded makes a producer that is part of a larger process, a consuming application: its owner hands it what is its
// own (Receive, Timer, Disconnected) and makes its calls with Make. The one before it in the same process is closed; nil
// if this is the first.
func NewEmbedded(v *config.Values, dir *protocol.Directory, rules *release.Rules, before *KafkaProducer) *KafkaProducer {
	p := New(v, dir, rules, Application{})
	p.embedded.on = true
	p.net.Numbered(1)
	if before != nil { // what is numbered within a process goes on
		p.submissions, p.txn.tx.number = before.submissions, before.txn.tx.number
	}
	return p
}

// Make begins to make calls, one after the other; Returned says when they are over. An exception ends them.
func (p *KafkaProducer) Make(env *sim.Env, c *protocol.Command) {
	p.embedded.exception = Exception{}
	p.enqueue(c)
	p.run(env)
}

// Returned says whether the calls made last are over, and what they have thrown. An application without transactions looks
// at what callbacks have told too, after every call; with transactions the calls themselves say that a send has failed.
//
// Kafka: RecordCollectorImpl.checkForException of Kafka Streams does the same with callbacks.
func (p *KafkaProducer) Returned() (e Exception, done bool) {
	if len(p.calls) > 0 {
		return Exception{}, false
	}
	if e = p.embedded.exception; e.Err == protocol.None {
		e, p.embedded.told = p.embedded.told, Exception{}
	}
	return e, true
}

// Threw says that the calls made last are over, and that one has thrown.
func (p *KafkaProducer) Threw() bool {
	return len(p.calls) == 0 && p.embedded.exception.Err != protocol.None
}

// Interrupt leaves the call under way, and makes none of those that were to follow. What it asked for may still happen.
func (p *KafkaProducer) Interrupt(env *sim.Env) {
	if len(p.calls) > 0 {
		p.calls = p.calls[:1]
		p.returned(env)
		p.accumulator.flushUpTo = 0
	}
}

// Fatal says that after this exception an application closes the producer: what the documentation of KafkaProducer tells
// it to catch first (ProducerFencedException, OutOfOrderSequenceException, AuthorizationException), although the producer
// itself might go on after some of it, and what is a mistake of the application.
func (e Exception) Fatal() bool {
	return e.Err == protocol.ProducerFenced || outOfOrder(e.Err) || e.Err == protocol.IllegalState
}

// InTransaction says that a transaction is open which abortTransaction would end. After a fatal error there is none.
func (p *KafkaProducer) InTransaction() bool { return p.txn.hasOngoingTransaction() }

// Transactional says that the producer has a transactional.id.
func (p *KafkaProducer) Transactional() bool { return p.txn.transactional() }

// Closed says that close() has done its work.
func (p *KafkaProducer) Closed() bool { return p.closed }

// threw notes an exception of the first call, and drops the calls behind it.
func (p *KafkaProducer) threw(kind callKind, err protocol.Error, open bool) {
	if p.embedded.on {
		p.embedded.exception = Exception{Call: callNames[kind], Err: err, Open: open}
		p.calls = p.calls[:1]
	}
}

// tell notes what the callback of a send has told.
func (p *KafkaProducer) tell(err protocol.Error) {
	if p.embedded.on && !p.txn.transactional() && p.embedded.told.Err == protocol.None {
		p.embedded.told = Exception{Call: callNames[callSend], Err: err}
	}
}
