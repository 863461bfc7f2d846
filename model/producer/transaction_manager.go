package producer

import (
	"kafkatrial/model/client"
	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/model/release"
	"kafkatrial/sim"
)

// TransactionManager gives the batches of an idempotent producer their numbers, by which a broker knows a
// batch again that is sent twice and sees one that is missing. What it keeps for each partition is in the
// PartitionQueue.
//
// Three generations: 0.11 has one batch of a partition in flight and counts when it is acknowledged; 1.0 counts when
// a batch is drained, has up to five in flight, and gives up its producer id where it no longer knows what the
// broker has (KAFKA-5494); 2.5 keeps the id and raises its epoch instead (KIP-360).
//
// With a transactional.id it also tells the transaction coordinator what the producer writes to and when a transaction
// ends: see transactions.go.
//
// Kafka: TransactionManager.
type TransactionManager struct {
	rules   *release.Rules
	enabled bool // enable.idempotence

	id                ProducerIDAndEpoch
	asking            bool // an InitProducerId request is out
	retryAt           sim.Time
	retry             sim.TimerID
	epochBumpRequired bool
	failure           protocol.Error // after which nothing more is sent; None
	tx                transaction
}

func newTransactionManager(cfg *Config, rules *release.Rules) TransactionManager {
	return TransactionManager{rules: rules, enabled: cfg.Idempotent, id: noProducerID, retry: sim.NoTimer, tx: transaction{
		id: cfg.TransactionalID, timeout: cfg.TransactionTimeout, coordinator: protocol.NoBroker, groupCoordinator: protocol.NoBroker}}
}

// inFlightByIdentity: before 2.5 no two batches of one sequence number are in flight, since a new epoch means a new id.
func (t *TransactionManager) inFlightByIdentity() bool {
	return t.rules.InFlightByIdentity || !t.rules.EpochBump
}

func (t *TransactionManager) hasProducerID() bool { return t.id != noProducerID }

func (t *TransactionManager) matches(b *ProducerBatch) bool {
	return b.hasSequence() && b.Batch.ProducerID == t.id.ID && b.Batch.ProducerEpoch == t.id.Epoch
}

// mayDrain does what has to come before batches are drained, and says whether they may be. Without a producer
// id nothing is sent, and nothing expires either.
//
// Kafka: Sender.runOnce; run and maybeWaitForProducerId up to 2.4.
func (p *KafkaProducer) mayDrain(env *sim.Env) bool {
	t := &p.txn
	if !t.enabled {
		return true
	}
	if t.transactional() {
		p.resolveInTransaction(env)
	} else if t.rules.EpochBump {
		t.maybeResolveSequences(&p.accumulator)
	} else if tp, yes := t.shouldResetAfterResolving(&p.accumulator); yes {
		p.resetProducerID(env, tp, event.BatchesExpired, protocol.None)
	}
	if t.failure != protocol.None {
		p.abortBatches(env, t.failure)
		return false
	}
	if t.transactional() {
		return !p.sendTransactionalRequest(env) && t.failure == protocol.None && t.hasProducerID()
	}
	if t.epochBumpRequired && t.hasProducerID() {
		p.bumpIdempotentProducerEpoch(env)
	}
	if t.hasProducerID() {
		return true
	}
	p.requestProducerID(env)
	return false
}

// requestProducerID asks the least loaded broker for a producer id, after an error once retry.backoff.ms is over.
//
// Kafka: TransactionManager.InitProducerIdHandler, Sender.maybeSendAndPollTransactionalRequest.
func (p *KafkaProducer) requestProducerID(env *sim.Env) {
	t := &p.txn
	if t.asking {
		return
	}
	if wait := t.retryAt - env.Now(); wait > 0 {
		if t.retry == sim.NoTimer {
			t.retry = env.SetTimer(wait, protocol.TimerRetryBackoff, retryInitProducerID, len(p.accumulator.incomplete) == 0)
		}
		return
	}
	b, ok := p.net.LeastLoaded(env)
	if !ok || !p.net.Ready(env, client.Destination(b)) {
		return
	}
	id := p.net.NextCorrelation()
	t.asking = true
	p.net.Send(env, client.Destination(b), id, &protocol.InitProducerId{Correlation: id, ProducerID: -1, ProducerEpoch: -1}, true)
}

// retryInitProducerID tells the timer of the request from that of the batches.
const retryInitProducerID = 1

// handleInitProducerIdResponse takes the answer.
//
// Kafka: TransactionManager.InitProducerIdHandler.handleResponse.
func (p *KafkaProducer) handleInitProducerIdResponse(env *sim.Env, r client.Response) {
	t := &p.txn
	t.asking = false
	answer, ok := r.Answer.(*protocol.InitProducerIdResponse)
	switch {
	case ok && answer.Err == protocol.None:
		t.id = ProducerIDAndEpoch{answer.ProducerID, answer.ProducerEpoch}
		env.Record(&event.ProducerIDGiven{ProducerID: t.id.ID, ProducerEpoch: t.id.Epoch})
	case !ok || answer.Err.Retriable():
		t.retryAt = env.Now() + p.cfg.Net.RetryBackoff
		p.net.Metadata().RequestUpdate()
	case t.rules.EpochBump:
		p.transitionToFatalErrorBy(env, protocol.KafkaException, answer.Err)
	default: // up to 2.4 the Sender itself asks
		p.transitionToFatalError(env, answer.Err)
	}
}

func (p *KafkaProducer) transitionToFatalError(env *sim.Env, err protocol.Error) {
	p.transitionToFatalErrorBy(env, err, protocol.None)
}

// transitionToFatalErrorBy fails for good with an exception that was made because of another error.
func (p *KafkaProducer) transitionToFatalErrorBy(env *sim.Env, err, cause protocol.Error) {
	if p.txn.failure == protocol.None {
		p.txn.failure = err
		env.Record(&event.ProducerFailed{Err: err, Cause: cause})
	}
}

// abortBatches fails every batch.
//
// Kafka: Sender.maybeAbortBatches, RecordAccumulator.abortBatches.
func (p *KafkaProducer) abortBatches(env *sim.Env, err protocol.Error) {
	a := &p.accumulator
	for len(a.incomplete) > 0 {
		b := a.incomplete[0]
		q := a.queue(b.TP)
		for i := range q.Batches {
			if q.Batches[i] == b {
				q.Batches = append(q.Batches[:i], q.Batches[i+1:]...)
				break
			}
		}
		p.failBatch(env, b, err, false)
	}
}

// shouldStopDrain holds the first batch of a partition back. A batch that is sent again waits until all
// before it have their outcome, so that only one at a time is out. A new one waits while the numbers before it
// are unresolved, or of another epoch.
//
// Kafka: RecordAccumulator.shouldStopDrainBatchesForPartition.
func (t *TransactionManager) shouldStopDrain(q *PartitionQueue, first *ProducerBatch) bool {
	if t.enabled && !t.isSendToPartitionAllowed(q.TP) {
		return true
	}
	if !t.enabled || !t.rules.FiveBatches {
		return false
	}
	e := &q.Txn
	if !first.hasSequence() {
		switch {
		case e.Unresolved:
			return true
		case !e.hasInFlight() || !t.rules.EpochBump:
		case t.rules.BumpAdmitsNewEpoch && e.ProducerIDAndEpoch != t.id, !t.rules.BumpAdmitsNewEpoch && !t.matches(e.inFlight[0]):
			return true
		}
		return false
	}
	next := e.firstInFlightSequence()
	return next >= 0 && first.baseSequence() != next
}

// assignSequence numbers a batch that is drained for the first time. One that is sent again keeps its numbers:
// it may have been written.
//
// Kafka: RecordAccumulator.drainBatchesForOneNode, TransactionManager.maybeUpdateProducerIdAndEpoch.
func (t *TransactionManager) assignSequence(q *PartitionQueue, b *ProducerBatch) {
	if !t.enabled || b.hasSequence() {
		return
	}
	e := &q.Txn
	if t.rules.BumpAdmitsNewEpoch && e.ProducerIDAndEpoch != t.id && !e.hasInFlight() {
		e.startSequencesAtBeginning(t.id)
	}
	e.ProducerIDAndEpoch = t.id
	b.setProducerState(t.id, e.NextSequence)
	b.Batch.IsTransactional = t.transactional()
	if t.rules.FiveBatches {
		e.NextSequence = record.IncrementSequence(b.Batch.LastSequence(), 1)
		e.addInFlight(b, t.inFlightByIdentity())
	}
}

// handleCompletedBatch takes note of an acknowledgement, also a late one of a batch that has expired.
//
// Kafka: TransactionManager.handleCompletedBatch; Sender.completeBatch up to 1.1.
func (t *TransactionManager) handleCompletedBatch(q *PartitionQueue, b *ProducerBatch, baseOffset int64) {
	if !t.enabled || !t.rules.EpochBump && !t.matches(b) {
		return
	}
	e := &q.Txn
	if !t.rules.FiveBatches {
		e.NextSequence = b.Batch.LastSequence() + 1
		return
	}
	e.LastAckedSequence = max(e.LastAckedSequence, b.Batch.LastSequence())
	if baseOffset >= 0 {
		e.LastAckedOffset = max(e.LastAckedOffset, baseOffset+int64(len(b.Records))-1)
	}
	e.removeInFlight(b, t.inFlightByIdentity())
}

// canRetry says whether a batch is sent again after an error. One that is not the next in line is: the broker
// refuses it because one before it is missing, which will come first.
//
// Kafka: TransactionManager.canRetry; Sender.canRetry up to 2.4.
func (t *TransactionManager) canRetry(q *PartitionQueue, b *ProducerBatch, err protocol.Error, logStart int64) bool {
	e := &q.Txn
	mine := t.rules.EpochBump || t.rules.FiveBatches && b.Batch.ProducerID == t.id.ID
	switch {
	case !t.enabled || !mine:
	case err == protocol.OutOfOrderSequenceNumber:
		return t.retryOutOfOrder(e, b)
	case err == protocol.UnknownProducerID:
		return t.retryUnknownProducer(e, b, logStart)
	}
	return err.Retriable()
}

func (t *TransactionManager) retryOutOfOrder(e *TxnPartitionEntry, b *ProducerBatch) bool {
	if !e.Unresolved && (b.reopened || !e.isNextSequence(b.baseSequence())) {
		return true
	}
	if !t.rules.EpochBump || t.transactional() {
		return false
	}
	if !e.Unresolved || b.baseSequence() == e.afterExpired {
		t.requestEpochBump(e)
	}
	return true
}

// retryUnknownProducer: the partition has lost what it knew of the producer. If all that was acknowledged has been
// deleted there, that is why, and the numbers begin anew. Otherwise records may be lost: up to 2.4 the batch
// fails, and the producer id goes; from 2.5 on the epoch is raised all the same, if a broker still says so.
func (t *TransactionManager) retryUnknownProducer(e *TxnPartitionEntry, b *ProducerBatch, logStart int64) bool {
	switch {
	case logStart < 0, b.reopened:
		return true
	case t.rules.EpochBump && !t.transactional():
		t.requestEpochBump(e)
		return true
	case e.LastAckedOffset < logStart:
		e.startSequencesAtBeginning(t.id)
		return true
	}
	return false
}

func (t *TransactionManager) requestEpochBump(e *TxnPartitionEntry) {
	t.epochBumpRequired, e.rewrite = true, true
}

// outOfOrder are the errors after which the producer no longer knows what the broker has
// (OutOfOrderSequenceException and its subclass UnknownProducerIdException).
func outOfOrder(err protocol.Error) bool {
	return err == protocol.OutOfOrderSequenceNumber || err == protocol.UnknownProducerID
}

// handleFailedBatch sees to it that the numbers go on after a batch that failed. adjust says that the broker
// has certainly not taken it.
//
// Kafka: TransactionManager.handleFailedBatch; Sender.failBatch up to 1.1.
func (p *KafkaProducer) handleFailedBatch(env *sim.Env, b *ProducerBatch, err protocol.Error, adjust bool) {
	t, e := &p.txn, &p.accumulator.queue(b.TP).Txn
	if !t.enabled {
		return
	}
	if err == protocol.InvalidProducerEpoch && !t.rules.EpochErrorNotFatal {
		if t.transactional() {
			err = protocol.ProducerFenced
		}
		p.transitionToFatalError(env, err)
	}
	if t.transactional() {
		p.handleFailedInTransaction(env, b, err, adjust)
		return
	}
	if !t.rules.EpochBump && !t.matches(b) {
		return
	}
	e.removeInFlight(b, t.inFlightByIdentity())
	switch {
	case t.failure != protocol.None || !b.hasSequence() || !t.rules.BumpAdmitsNewEpoch && !t.matches(b):
	case t.rules.EpochBump && (outOfOrder(err) || adjust):
		t.requestEpochBump(e)
	case t.rules.EpochBump:
	case outOfOrder(err):
		p.resetProducerID(env, b.TP, event.BatchRefused, err)
	case adjust && t.rules.FiveBatches:
		e.adjustSequencesDueToFailedBatch(b)
	}
}

// handleExpired notes that a batch which had been sent before will not be sent again: whether the broker has it
// is not known. 0.11 gives the producer id up at once.
//
// Kafka: Sender.sendProducerData.
func (p *KafkaProducer) handleExpired(env *sim.Env, b *ProducerBatch) {
	t := &p.txn
	switch {
	case !t.enabled || b.Attempts == 0:
	case t.rules.FiveBatches:
		p.accumulator.queue(b.TP).Txn.markUnresolved(b)
	case t.hasProducerID() && !t.transactional():
		p.resetProducerID(env, b.TP, event.BatchExpired, protocol.None)
	}
}

// maybeResolveSequences looks at the partitions with unresolved numbers once nothing of them is out: if the last
// number given is acknowledged all is well, otherwise the epoch is raised.
//
// Kafka: TransactionManager.maybeResolveSequences (2.5).
func (t *TransactionManager) maybeResolveSequences(a *RecordAccumulator) {
	for i := range a.queues {
		e := &a.queues[i].Txn
		if !e.Unresolved || e.hasInFlight() {
			continue
		}
		if !e.isNextSequence(e.NextSequence) {
			t.requestEpochBump(e)
		}
		e.Unresolved = false
	}
}

// shouldResetAfterResolving is the same up to 2.4: the producer id goes if the last number is not acknowledged.
//
// Kafka: TransactionManager.shouldResetProducerStateAfterResolvingSequences.
func (t *TransactionManager) shouldResetAfterResolving(a *RecordAccumulator) (protocol.TopicPartition, bool) {
	for i := range a.queues {
		e := &a.queues[i].Txn
		if !e.Unresolved || e.hasInFlight() {
			continue
		}
		if !e.isNextSequence(e.NextSequence) {
			return a.queues[i].TP, true
		}
		e.Unresolved = false
	}
	return protocol.TopicPartition{}, false
}

// resetProducerID gives the producer id up: with a new one no broker can take a batch for one it has, nor miss
// one. A batch that may have been written under the old id is failed when it comes back.
//
// Kafka: TransactionManager.resetProducerId, up to 2.4.
func (p *KafkaProducer) resetProducerID(env *sim.Env, tp protocol.TopicPartition, why event.DroppedBecause, err protocol.Error) {
	env.Record(&event.ProducerIDDropped{TP: tp, ProducerID: p.txn.id.ID, Why: why, Err: err})
	p.txn.id = noProducerID
	for i := range p.accumulator.queues {
		p.accumulator.queues[i].Txn = newTxnPartitionEntry()
	}
}

// bumpIdempotentProducerEpoch raises the epoch, by itself, without asking a broker: one that sees the new
// epoch refuses what is still under way with the old one, so that the batches can be numbered anew.
//
// Kafka: TransactionManager.bumpIdempotentProducerEpoch (2.5).
func (p *KafkaProducer) bumpIdempotentProducerEpoch(env *sim.Env) {
	t := &p.txn
	if t.id.Epoch == 1<<15-1 {
		t.id = noProducerID // exhausted: with another id
		return
	}
	t.id.Epoch++
	t.epochBumpRequired = false
	env.Record(&event.EpochBumped{ProducerID: t.id.ID, ProducerEpoch: t.id.Epoch})
	for i := range p.accumulator.queues {
		q := &p.accumulator.queues[i]
		if !q.Txn.rewrite {
			continue
		}
		env.Record(&event.SequencesReset{TP: q.TP, ProducerID: t.id.ID, ProducerEpoch: t.id.Epoch, Batches: int64(len(q.Txn.inFlight))})
		q.Txn.startSequencesAtBeginning(t.id)
		q.Txn.Unresolved, q.Txn.rewrite = false, false
	}
}
