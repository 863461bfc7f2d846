package producer

import (
	"kafkatrial/model/client"
	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// request is a produce request that is out, with its batches.
type request struct {
	correlation int32
	broker      protocol.BrokerID
	batches     []*ProducerBatch
}

// run is what every callback of the node ends with: application and Sender take turns until neither can
// do more, and the timers are set for what comes next.
//
// Kafka: Sender.run.
func (p *KafkaProducer) run(env *sim.Env) {
	p.advance(env)
	for !p.closed {
		moved := false
		for p.sendProducerData(env) {
			moved = true
		}
		if p.yielded && !moved {
			break // the application would only fail again
		}
		p.yielded = false
		if !p.advance(env) {
			break
		}
	}
	p.yielded = false
	if p.closed {
		p.linger.cancel(env)
		p.backoff.cancel(env)
		p.delivery.cancel(env)
		p.maxBlock.cancel(env)
		env.CancelTimer(p.txn.retry)
		p.txn.retry = sim.NoTimer
		if p.leaving {
			env.Exit()
		}
		return
	}
	expiry := p.accumulator.nextExpiry()
	if p.held { // until an answer comes, or the time of the next request: both have timers of their own
		p.check.lingerAt, p.check.backoffAt, expiry = sim.Never, sim.Never, sim.Never
	}
	p.linger.set(env, p.check.lingerAt, protocol.TimerLinger)
	p.backoff.set(env, p.check.backoffAt, protocol.TimerRetryBackoff)
	p.delivery.set(env, expiry, protocol.TimerDeliveryTimeout)
	p.net.Poll(env)
}

// sendProducerData drains what is due to every broker that can take a request, fails what has expired, and
// sends. It reports whether it did anything: then there may be more.
//
// Kafka: Sender.sendProducerData.
func (p *KafkaProducer) sendProducerData(env *sim.Env) (sent bool) {
	if p.held = !p.mayDrain(env); p.held {
		return false
	}
	now, m, a := env.Now(), p.net.Metadata(), &p.accumulator
	a.ready(m, p.txn.isCompleting(), now, &p.check)
	if p.check.unknownLeader {
		m.RequestUpdate()
	}
	p.drained = p.drained[:0]
	for _, broker := range p.check.brokers {
		if !p.net.Ready(env, client.Destination(broker)) {
			continue
		}
		batches := a.drain(m, &p.txn, broker, now)
		if len(batches) == 0 {
			continue
		}
		p.drained = append(p.drained, request{broker: broker, batches: batches})
		for _, b := range batches {
			a.queue(b.TP).Muted = p.guaranteeMessageOrder
		}
	}
	p.expired = a.takeExpired(now, p.expired[:0])
	for i, b := range p.expired {
		p.failBatch(env, b, protocol.TimeoutException, false)
		p.handleExpired(env, b)
		p.expired[i] = nil
	}
	for i := range p.drained {
		p.sendProduceRequest(env, p.drained[i])
		p.drained[i].batches = nil
	}
	return len(p.drained) > 0 || len(p.expired) > 0
}

// sendProduceRequest sends one request. With acks=0 nothing more is heard of it, and its batches are done:
// that the request left is all the producer knows.
//
// Kafka: Sender.sendProduceRequest; NetworkClient.handleCompletedSends for acks=0.
func (p *KafkaProducer) sendProduceRequest(env *sim.Env, r request) {
	r.correlation = p.net.NextCorrelation()
	data := make([]protocol.ProduceData, len(r.batches))
	for i, b := range r.batches {
		data[i] = protocol.ProduceData{TP: b.TP, Batch: b.Batch}
		env.Record(&event.RecordsBatched{TP: b.TP, Attempt: int64(b.Attempts) + 1, Broker: r.broker, Batch: b.Batch})
	}
	m := &protocol.Produce{Correlation: r.correlation, Acks: p.cfg.Acks, Timeout: p.cfg.RequestTimeout, Data: data,
		TransactionalID: p.cfg.TransactionalID, TransactionV2: p.txn.transactional() && p.rules.TransactionV2}
	p.net.Send(env, client.Destination(r.broker), r.correlation, m, p.cfg.Acks != 0)
	if p.cfg.Acks != 0 {
		p.sent = append(p.sent, r)
		return
	}
	for _, b := range r.batches {
		p.completeBatch(env, b, protocol.ProduceResult{BaseOffset: -1})
	}
}

// handleProduceResponse gives every batch of a request its outcome.
//
// Kafka: Sender.handleProduceResponse.
func (p *KafkaProducer) handleProduceResponse(env *sim.Env, r client.Response) {
	i := 0
	for i < len(p.sent) && p.sent[i].correlation != r.Correlation {
		i++
	}
	if i == len(p.sent) {
		return
	}
	batches := p.sent[i].batches
	n := copy(p.sent[i:], p.sent[i+1:]) + i
	p.sent[n] = request{}
	p.sent = p.sent[:n]
	if r.Answer == nil {
		err := protocol.NetworkException
		if r.TimedOut && p.rules.TimeoutsTold {
			err = protocol.RequestTimedOut
		}
		for _, b := range batches {
			p.completeBatch(env, b, protocol.ProduceResult{Err: err, BaseOffset: -1, LogStartOffset: -1})
		}
		return
	}
	results := r.Answer.(*protocol.ProduceResponse).Data
	for j := range results {
		for _, b := range batches {
			if b.TP == results[j].TP {
				p.completeBatch(env, b, results[j])
			}
		}
	}
}

// completeBatch ends one attempt of a batch: it is acknowledged, sent again or failed. A batch that has
// expired meanwhile has its outcome already; the answer changes nothing for the application.
//
// Up to 2.4 a batch is not sent again once the producer id is another: under the new one the broker could
// not know it again.
//
// Kafka: Sender.completeBatch.
func (p *KafkaProducer) completeBatch(env *sim.Env, b *ProducerBatch, r protocol.ProduceResult) {
	q, err := p.accumulator.queue(b.TP), r.Err
	if b.InFlight = false; b.done {
		p.accumulator.deallocate(b)
	}
	if err != protocol.None && !NotAppended(err, p.cfg.Acks) {
		b.MaybeWritten = true
	}
	switch {
	case b.done && (err == protocol.None || err == protocol.DuplicateSequenceNumber):
		p.txn.handleCompletedBatch(q, b, r.BaseOffset)
	case b.done:
		p.failedAgain(env, b, err)
	case err == protocol.None, err == protocol.DuplicateSequenceNumber:
		p.ackBatch(env, b, r.BaseOffset)
	case !p.canRetry(b, r, env.Now()):
		p.failBatch(env, b, err, int64(b.Attempts) < p.cfg.Retries)
	case p.txn.enabled && !p.txn.rules.EpochBump && !p.txn.matches(b):
		p.failBatch(env, b, protocol.OutOfOrderSequenceNumber, false)
	default:
		if p.txn.enabled && p.txn.rules.FiveBatches && !q.Txn.hasInFlight() {
			b.reenqueued(env.Now()) // and then an exception: the batch is in no queue, and expires where it is
			return
		}
		q.remove(b)
		p.accumulator.reenqueue(q, b, env.Now())
		env.Record(&event.BatchRetried{TP: b.TP, Err: err, AttemptsLeft: p.attemptsLeft(b), Batch: b.Batch})
	}
	if err.InvalidMetadata() {
		p.net.Metadata().RequestUpdate()
	}
	if p.guaranteeMessageOrder {
		q.Muted = false
	}
}

// failedAgain takes an error in answer to a batch that has its outcome already: the application is not told, but up to 3.5
// (KAFKA-14831) the numbers are dealt with once more. An idempotent producer raises its epoch for that, and a transaction is over
// which may be the next one. From a state in which no transaction is open that is an exception.
//
// Kafka: Sender.failBatch, TransactionManager.handleFailedBatch, transitionTo.
func (p *KafkaProducer) failedAgain(env *sim.Env, b *ProducerBatch, err protocol.Error) {
	if p.rules.LateErrorIgnored {
		return
	}
	if s := p.txn.tx.state; p.txn.transactional() && s != InTransaction && !p.txn.isCompleting() && s != AbortableError {
		return
	}
	p.handleFailedBatch(env, b, err, int64(b.Attempts) < p.cfg.Retries)
}

// attemptsLeft is how often a batch may still be sent again, -1 for no bound.
func (p *KafkaProducer) attemptsLeft(b *ProducerBatch) int64 {
	if p.cfg.Retries >= maxRetries {
		return -1
	}
	return p.cfg.Retries - int64(b.Attempts)
}

// canRetry says whether a batch is sent again after an error.
//
// Kafka: Sender.canRetry.
func (p *KafkaProducer) canRetry(b *ProducerBatch, r protocol.ProduceResult, now sim.Time) bool {
	q := p.accumulator.queue(b.TP)
	if p.rules.DeliveryTimeout && p.accumulator.deadline(q, b) <= now {
		return false
	}
	return int64(b.Attempts) < p.cfg.Retries && p.txn.canRetry(q, b, r.Err, r.LogStartOffset)
}

// ackBatch tells the application that a batch was written, as far as its acks can know. A leader that had it
// already tells the offset it has; with DUPLICATE_SEQUENCE_NUMBER none is told.
//
// Kafka: Sender.completeBatch.
func (p *KafkaProducer) ackBatch(env *sim.Env, b *ProducerBatch, baseOffset int64) {
	p.txn.handleCompletedBatch(p.accumulator.queue(b.TP), b, baseOffset)
	env.Record(&event.BatchAcked{TP: b.TP, BaseOffset: baseOffset, Acks: p.cfg.Acks, Batch: b.Batch})
	p.acked += len(b.Records)
	p.finish(b)
}

// failBatch tells the application that a batch failed, and whether it can have been written all the same.
// adjust says that the broker refused it, so that its sequence numbers are free.
//
// Kafka: Sender.failBatch.
func (p *KafkaProducer) failBatch(env *sim.Env, b *ProducerBatch, err protocol.Error, adjust bool) {
	b.close()
	p.handleFailedBatch(env, b, err, adjust)
	p.tellFailed(env, b, err)
}

func (p *KafkaProducer) tellFailed(env *sim.Env, b *ProducerBatch, err protocol.Error) {
	b.close()
	env.Record(&event.BatchFailed{TP: b.TP, Err: err, NotWritten: b.CanNotHaveBeenWritten(), Batch: b.Batch})
	p.failures += len(b.Records)
	p.finish(b)
	p.tell(err)
	for i := range b.Records {
		p.failed(b.TP, &b.Records[i], err)
	}
}

// finish forgets a batch that has its outcome (Sender.maybeRemoveAndDeallocateBatch).
func (p *KafkaProducer) finish(b *ProducerBatch) {
	b.done = true
	p.accumulator.queue(b.TP).remove(b)
	p.accumulator.complete(b)
	if !b.InFlight || !p.rules.MemoryKeptInFlight {
		p.accumulator.deallocate(b)
	}
}

// NotAppended says that a broker that answers a produce request with this error has not appended the batch
// and will not. Every other error leaves it open, and so does no answer at all:
// NOT_ENOUGH_REPLICAS_AFTER_APPEND and REQUEST_TIMED_OUT come after the append, and with acks=all a broker that
// loses the partition while the request waits for its followers answers NOT_LEADER_OR_FOLLOWER or
// UNKNOWN_TOPIC_OR_PARTITION although it has appended.
//
// Kafka: ReplicaManager.appendToLocalLog for what is found before the append; DelayedProduce.tryComplete and
// Partition.checkEnoughReplicasReachOffset for what is found after it.
func NotAppended(err protocol.Error, acks protocol.Acks) bool {
	switch err {
	case protocol.NotEnoughReplicas, protocol.MessageTooLarge, protocol.InvalidRequiredAcks,
		protocol.OutOfOrderSequenceNumber, protocol.UnknownProducerID, protocol.InvalidProducerEpoch, protocol.InvalidTxnState:
		return true
	case protocol.NotLeaderOrFollower, protocol.UnknownTopicOrPartition:
		return acks != protocol.AcksAll
	}
	return false
}
