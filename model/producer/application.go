package producer

import (
	"slices"

	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// OnError says what the application does when the producer tells it that a record failed.
type OnError uint8

// The policies.
const (
	Drop   OnError = iota // it goes on without the record
	Resend                // it calls send() again for the same record, which is a new submission, if the error can be retried
	Stop                  // it makes no further call but close()
	Abort                 // it uses transactions as KafkaProducer's documentation asks: see transaction_application.go
)

var onErrorNames = [...]string{Drop: "drop", Resend: "resend", Stop: "stop", Abort: "abort"}

func (o OnError) String() string { return onErrorNames[o] }

// Application is the program that uses the producer, as data.
type Application struct {
	OnError OnError
}

type callKind uint8

const (
	callSend callKind = iota
	callFlush
	callClose
	callInit
	callBegin
	callSendOffsets
	callCommit
	callAbort
	callNone
)

// call is a call that the application makes, or will make when its thread comes to it: it has one thread,
// which a send() that waits holds up.
type call struct {
	kind      callKind
	topic     string
	partition int32 // -1: the partitioner chooses
	record    *record.Record
	offsets   protocol.SendOffsetsCommand
	begun     bool
	asked     int  // the version of the metadata at which the call asked for new ones
	askedNew  bool // it has asked once
}

// wait says what a call waits for.
type wait uint8

const (
	forNothing wait = iota
	forMetadata
	forMemory
	forFlush
	forTransaction
	forClose
)

// enqueue makes the application's calls out of a command.
func (p *KafkaProducer) enqueue(c *protocol.Command) {
	p.leaving = p.leaving || c.ShutDown
	if p.stopped {
		return // the application has ended its loop: it makes no more calls
	}
	if s := c.Send; s != nil {
		own := make([]record.Record, len(s.Records))
		copy(own, s.Records)
		for i := range own {
			p.calls = append(p.calls, call{kind: callSend, topic: s.Topic, partition: s.Partition, record: &own[i]})
		}
	}
	switch c.Transaction {
	case protocol.InitTransactions:
		p.calls = append(p.calls, call{kind: callInit})
	case protocol.BeginTransaction:
		p.calls = append(p.calls, call{kind: callBegin})
	case protocol.CommitTransaction:
		p.calls = append(p.calls, call{kind: callCommit})
	case protocol.AbortTransaction:
		p.calls = append(p.calls, call{kind: callAbort})
	}
	if c.SendOffsets != nil {
		p.calls = append(p.calls, call{kind: callSendOffsets, offsets: *c.SendOffsets})
	}
	if c.Flush {
		p.calls = append(p.calls, call{kind: callFlush})
	}
	if c.Close || c.ShutDown {
		p.calls = append(p.calls, call{kind: callClose})
	}
}

// resend calls send() again for a record that failed: with a key the partitioner chooses again, without one the
// record goes to the same partition.
func (p *KafkaProducer) resend(tp protocol.TopicPartition, r *record.Record) {
	again := *r
	again.Timestamp = record.NoTimestamp
	if again.HasKey {
		tp.Partition = -1
	}
	p.calls = append(p.calls, call{kind: callSend, topic: tp.Topic, partition: tp.Partition, record: &again})
}

// advance lets the application make its calls until one has to wait. It reports whether one was made.
func (p *KafkaProducer) advance(env *sim.Env) (progress bool) {
	for len(p.calls) > 0 {
		if p.app.OnError == Abort && !p.calls[0].begun && p.waiting == forNothing && !p.prepareCall() {
			progress = true
			continue
		}
		switch p.calls[0].kind {
		case callSend:
			if !p.send(env, &p.calls[0]) {
				return progress
			}
		case callFlush:
			if !p.flush() {
				return progress
			}
		case callClose:
			if !p.close(env) {
				return progress
			}
		default:
			if !p.transactionCall(env, &p.calls[0]) {
				return progress
			}
		}
		p.returned(env)
		progress = true
		if p.yielded {
			break
		}
	}
	return progress
}

// returned ends the first call.
func (p *KafkaProducer) returned(env *sim.Env) {
	p.waiting = forNothing
	p.accumulator.free.waiting = false
	p.maxBlock.cancel(env)
	p.leaveOut()
}

// leaveOut drops the first call.
func (p *KafkaProducer) leaveOut() { p.calls = slices.Delete(p.calls, 0, 1) }

// flush waits until every batch there is now has its outcome, and makes them all due.
//
// Kafka: KafkaProducer.flush, RecordAccumulator.awaitFlushCompletion.
func (p *KafkaProducer) flush() (returns bool) {
	a := &p.accumulator
	if p.waiting != forFlush {
		p.waiting = forFlush
		a.flushUpTo = a.created
	}
	if !a.flushed() {
		return false
	}
	a.flushUpTo = 0
	return true
}

// close waits until everything that is buffered has its outcome, without linger.ms, and then ends the
// connections. The wait has no bound of its own.
//
// An open transaction is aborted first, after what was sent in it has its outcome.
//
// Kafka: KafkaProducer.close, Sender.run.
func (p *KafkaProducer) close(env *sim.Env) (returns bool) {
	p.waiting = forClose
	p.accumulator.closed = true
	if len(p.accumulator.incomplete) > 0 || len(p.sent) > 0 {
		return false
	}
	if p.txn.hasOngoingTransaction() {
		if !p.txn.isCompleting() {
			p.txn.beginCompleting(false)
		}
		return false
	}
	p.closed = true
	p.net.Close(env)
	return true
}

// failed tells the application that a record failed, and does what it does then.
func (p *KafkaProducer) failed(tp protocol.TopicPartition, r *record.Record, err protocol.Error) {
	switch p.app.OnError {
	case Resend:
		if err.Retriable() {
			p.resend(tp, r)
		}
	case Stop:
		if !p.stopped {
			p.stopped = true
			p.keepBegun()
			p.calls = append(p.calls, call{kind: callClose})
		}
	}
}

// keepBegun drops the calls that the application has not begun.
func (p *KafkaProducer) keepBegun() {
	if len(p.calls) > 0 && (p.calls[0].begun || p.waiting != forNothing) {
		p.calls = p.calls[:1]
		return
	}
	p.calls = p.calls[:0]
}

// reject fails a send() that has put nothing into the accumulator. An application that tries again yields
// first, so that the Sender has a turn, as it would have on a thread of its own.
func (p *KafkaProducer) reject(env *sim.Env, tp protocol.TopicPartition, r *record.Record, err protocol.Error) {
	env.Record(&event.RecordRejected{TP: tp, Err: err, Submission: int32(r.Submission), Record: r.ID})
	p.rejected++
	p.threw(callSend, err, false)
	p.failed(tp, r, err)
	p.yielded = p.app.OnError == Resend
}
