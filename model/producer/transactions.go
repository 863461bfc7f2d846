package producer

import (
	"slices"

	"kafkatrial/model/client"
	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// TransactionState is where a transactional producer stands (TransactionManager.State).
type TransactionState uint8

// The states. FATAL_ERROR is not among them: after it the producer has failed altogether.
const (
	Uninitialized TransactionState = iota
	Initializing
	Ready
	InTransaction
	CommittingTransaction
	AbortingTransaction
	AbortableError
)

var transactionStateNames = [...]string{Uninitialized: "UNINITIALIZED", Initializing: "INITIALIZING", Ready: "READY", InTransaction: "IN_TRANSACTION",
	CommittingTransaction: "COMMITTING_TRANSACTION", AbortingTransaction: "ABORTING_TRANSACTION", AbortableError: "ABORTABLE_ERROR"}

func (s TransactionState) String() string { return transactionStateNames[s] }

// transaction is the part of a TransactionManager that a transactional.id needs.
type transaction struct {
	id      string   // transactional.id; empty: no transactions
	timeout sim.Time // transaction.timeout.ms

	state     TransactionState
	lastError protocol.Error // in AbortableError: what went wrong
	number    int            // transactions begun by this process
	started   bool           // the coordinator, or a leader for it, has been told of a partition or of offsets

	newPartitions []protocol.TopicPartition // written to, and not told yet
	partitions    []protocol.TopicPartition // part of the transaction, as the coordinator has confirmed
	offsets       []protocol.CommitData     // sent with sendOffsetsToTransaction, not confirmed yet

	coordinator, groupCoordinator protocol.BrokerID // NoBroker: not known

	pending []txnRequest // by priority, then age
	out     txnRequest
	asking  int32 // correlation id of out; 0: none is out
	retryAt sim.Time
}

// txnRequestKind orders the requests by their priority (TransactionManager.Priority).
type txnRequestKind uint8

const (
	findTransactionCoordinator txnRequestKind = iota
	findGroupCoordinator
	initProducerID
	addPartitions
	addOffsets
	commitOffsets
	endTxn
	bumpEpoch
)

// txnRequest is a request to a coordinator that waits to be sent, or is out. One is out at a time.
type txnRequest struct {
	kind       txnRequestKind
	partitions []protocol.TopicPartition
	group      protocol.SendOffsetsCommand
	commit     bool
	retry      bool
}

func (r *txnRequest) priority() int {
	switch r.kind {
	case findTransactionCoordinator, findGroupCoordinator:
		return 0
	case initProducerID:
		return 1
	case endTxn:
		return 3
	case bumpEpoch:
		return 4
	}
	return 2
}

func (t *TransactionManager) transactional() bool { return t.tx.id != "" }

// canBumpEpoch says that the client has its epoch raised after an abort (KIP-360). With transactions v2 every
// answer to EndTxn brings a new epoch.
func (t *TransactionManager) canBumpEpoch() bool { return t.rules.EpochBump && !t.rules.TransactionV2 }

func (t *TransactionManager) isCompleting() bool {
	return t.tx.state == CommittingTransaction || t.tx.state == AbortingTransaction
}

func (t *TransactionManager) hasOngoingTransaction() bool {
	return t.transactional() && t.failure == protocol.None && (t.tx.state == InTransaction || t.isCompleting() || t.tx.state == AbortableError)
}

// enqueue puts a request behind those of its priority.
func (x *transaction) enqueue(r txnRequest) {
	i := len(x.pending)
	for i > 0 && x.pending[i-1].priority() > r.priority() {
		i--
	}
	x.pending = slices.Insert(x.pending, i, r)
}

func (x *transaction) lookupCoordinator(kind txnRequestKind, group string) {
	if kind == findTransactionCoordinator {
		x.coordinator = protocol.NoBroker
	} else {
		x.groupCoordinator = protocol.NoBroker
	}
	r := txnRequest{kind: kind}
	r.group.Group = group
	x.enqueue(r)
}

// maybeAddPartition makes a partition part of the transaction before its first batch is sent. With transactions v2
// its leader does that.
//
// Kafka: TransactionManager.maybeAddPartition.
func (t *TransactionManager) maybeAddPartition(tp protocol.TopicPartition) {
	x := &t.tx
	switch {
	case !t.transactional() || slices.Contains(x.partitions, tp) || slices.Contains(x.newPartitions, tp):
	case x.out.kind == addPartitions && x.asking != 0 && slices.Contains(x.out.partitions, tp):
	case slices.ContainsFunc(x.pending, func(r txnRequest) bool { return slices.Contains(r.partitions, tp) }):
	case t.rules.TransactionV2:
		x.partitions, x.started = append(x.partitions, tp), true
	default:
		x.newPartitions = append(x.newPartitions, tp)
	}
}

// isSendToPartitionAllowed (TransactionManager.isSendToPartitionAllowed).
func (t *TransactionManager) isSendToPartitionAllowed(tp protocol.TopicPartition) bool {
	return !t.transactional() || slices.Contains(t.tx.partitions, tp)
}

// sendError is what send() and the other calls of a transaction fail with where the producer stands.
//
// Kafka: TransactionManager.maybeFailWithError, maybeAddPartition.
func (t *TransactionManager) sendError() protocol.Error {
	switch {
	case !t.transactional():
		return protocol.None
	case t.tx.state == AbortableError:
		return t.tx.lastError
	case t.tx.state != InTransaction:
		return protocol.IllegalState
	}
	return protocol.None
}

// transitionToAbortableError: the transaction can only be aborted. While it is being aborted an error changes
// nothing.
//
// Kafka: TransactionManager.transitionToAbortableError.
func (p *KafkaProducer) transitionToAbortableError(env *sim.Env, err protocol.Error) {
	x := &p.txn.tx
	if x.state == AbortingTransaction || x.state == AbortableError || p.txn.failure != protocol.None {
		return
	}
	x.state, x.lastError = AbortableError, err
	x.pending = slices.DeleteFunc(x.pending, func(r txnRequest) bool { return r.kind >= addPartitions })
	env.Record(&event.TxnAbortable{Err: err, Number: int64(x.number), TransactionalID: x.id})
}

// maybeTransitionToErrorState says what a failed batch means for its transaction.
//
// Kafka: TransactionManager.maybeTransitionToErrorState; Sender.failBatch up to 2.4.
func (p *KafkaProducer) maybeTransitionToErrorState(env *sim.Env, err protocol.Error) {
	t := &p.txn
	if err == protocol.ProducerFenced {
		p.transitionToFatalError(env, err)
		return
	}
	if t.canBumpEpoch() && !t.isCompleting() {
		t.epochBumpRequired = true
	}
	p.transitionToAbortableError(env, err)
}

// abortableErrorIfPossible: the coordinator does not know the producer id (any more). With KIP-360 the producer
// can get a new one after an abort.
func (p *KafkaProducer) abortableErrorIfPossible(env *sim.Env, err protocol.Error) {
	if p.txn.rules.EpochBump {
		p.txn.epochBumpRequired = p.txn.canBumpEpoch()
		p.transitionToAbortableError(env, err)
		return
	}
	p.transitionToFatalError(env, err)
}

// sendTransactionalRequest sends what a coordinator is to be told next. It says whether the Sender has to wait:
// while such a request is out no batch is drained.
//
// Kafka: Sender.maybeSendAndPollTransactionalRequest, TransactionManager.nextRequest.
func (p *KafkaProducer) sendTransactionalRequest(env *sim.Env) (waits bool) {
	t, x := &p.txn, &p.txn.tx
	if x.asking != 0 {
		return true
	}
	if x.state == AbortableError || x.state == AbortingTransaction {
		p.abortUndrainedBatches(env)
	}
	if len(x.newPartitions) > 0 {
		x.enqueue(txnRequest{kind: addPartitions, partitions: x.newPartitions})
		x.newPartitions = nil
	}
	if len(x.pending) == 0 {
		return false
	}
	r := x.pending[0]
	if r.kind == endTxn && len(p.accumulator.incomplete) > 0 {
		return false // not before all batches are out and answered
	}
	if r.kind == endTxn && !x.started { // nobody knows of the transaction
		x.pending = x.pending[1:]
		p.completeTransaction(env)
		return len(x.pending) > 0 && p.sendTransactionalRequest(env)
	}
	var to protocol.BrokerID
	ok := true
	switch r.kind {
	case findTransactionCoordinator, findGroupCoordinator:
		to, ok = p.net.LeastLoaded(env)
	case commitOffsets:
		if to = x.groupCoordinator; to == protocol.NoBroker {
			x.lookupCoordinator(findGroupCoordinator, r.group.Group)
			return p.sendTransactionalRequest(env)
		}
	default:
		if to = x.coordinator; to == protocol.NoBroker {
			x.lookupCoordinator(findTransactionCoordinator, "")
			return p.sendTransactionalRequest(env)
		}
	}
	if wait := x.retryAt - env.Now(); r.retry && wait > 0 {
		if t.retry == sim.NoTimer {
			t.retry = env.SetTimer(wait, protocol.TimerRetryBackoff, retryInitProducerID, false)
		}
		return true
	}
	if !ok {
		return true
	}
	if !p.net.Ready(env, client.Destination(to)) {
		if p.net.ConnectionFailed(client.Destination(to)) {
			return p.coordinatorUnreachable(env, &r)
		}
		return true
	}
	x.pending = append([]txnRequest(nil), x.pending[1:]...)
	x.out, x.asking = r, p.net.NextCorrelation()
	p.net.Send(env, client.Destination(to), x.asking, p.message(&r, x.asking), true)
	return true
}

// coordinatorUnreachable asks again who the coordinator is: the broker that was it may be gone for good. Kafka asks at
// once, and again with every answer while the old broker is named; here it waits for retry.backoff.ms first.
//
// Kafka: Sender.maybeFindCoordinatorAndRetry.
func (p *KafkaProducer) coordinatorUnreachable(env *sim.Env, r *txnRequest) (waits bool) {
	x := &p.txn.tx
	switch r.kind {
	case findTransactionCoordinator, findGroupCoordinator:
		return true // to whichever broker can be reached
	case commitOffsets:
		x.groupCoordinator = protocol.NoBroker
		p.again(env, txnRequest{kind: findGroupCoordinator, group: protocol.SendOffsetsCommand{Group: r.group.Group}}, p.cfg.Net.RetryBackoff)
	default:
		x.coordinator = protocol.NoBroker
		p.again(env, txnRequest{kind: findTransactionCoordinator}, p.cfg.Net.RetryBackoff)
	}
	return p.sendTransactionalRequest(env)
}

func (p *KafkaProducer) message(r *txnRequest, correlation int32) sim.Message {
	t, x := &p.txn, &p.txn.tx
	switch r.kind {
	case findTransactionCoordinator:
		return &protocol.FindCoordinator{Correlation: correlation, Key: x.id, KeyType: protocol.TransactionCoordinator}
	case findGroupCoordinator:
		return &protocol.FindCoordinator{Correlation: correlation, Key: r.group.Group, KeyType: protocol.GroupCoordinator}
	case initProducerID, bumpEpoch:
		m := &protocol.InitProducerId{Correlation: correlation, TransactionalID: x.id, TransactionTimeout: x.timeout, ProducerID: -1, ProducerEpoch: -1}
		if r.kind == bumpEpoch {
			m.ProducerID, m.ProducerEpoch = t.id.ID, t.id.Epoch
		}
		return m
	case addPartitions:
		return &protocol.AddPartitionsToTxn{Correlation: correlation, Transactions: []protocol.AddPartitionsToTxnTransaction{
			{TransactionalID: x.id, ProducerID: t.id.ID, ProducerEpoch: t.id.Epoch, Partitions: r.partitions}}}
	case addOffsets:
		return &protocol.AddOffsetsToTxn{Correlation: correlation, TransactionalID: x.id, ProducerID: t.id.ID, ProducerEpoch: t.id.Epoch, Group: r.group.Group}
	case commitOffsets:
		m := &protocol.TxnOffsetCommit{Correlation: correlation, TransactionalID: x.id, Group: r.group.Group, ProducerID: t.id.ID, ProducerEpoch: t.id.Epoch,
			Generation: -1, TransactionV2: t.rules.TransactionV2, Data: slices.Clone(x.offsets)}
		if t.rules.StableOffsets { // KIP-447: the group's coordinator fences by the generation
			m.Generation, m.Member = r.group.Generation, r.group.Member
		}
		return m
	default:
		return &protocol.EndTxn{Correlation: correlation, TransactionalID: x.id, ProducerID: t.id.ID, ProducerEpoch: t.id.Epoch,
			Committed: r.commit, TransactionV2: t.rules.TransactionV2}
	}
}

// addPartitionsRetryBackoff is how long the first AddPartitionsToTxn waits while the transaction before still
// completes (ADD_PARTITIONS_RETRY_BACKOFF_MS, KAFKA-5477).
const addPartitionsRetryBackoff = 20 * sim.Millisecond

// handleTransactional takes the answer to the request that is out; nil if the connection was lost or the time over.
//
// Kafka: TransactionManager.TxnRequestHandler and its subclasses, handleResponse.
func (p *KafkaProducer) handleTransactional(env *sim.Env, r client.Response) {
	x := &p.txn.tx
	if r.Correlation != x.asking {
		return
	}
	req := x.out
	x.asking, x.out = 0, txnRequest{}
	if r.Answer == nil {
		switch req.kind {
		case findTransactionCoordinator, findGroupCoordinator:
		case commitOffsets:
			x.lookupCoordinator(findGroupCoordinator, req.group.Group)
		default:
			x.lookupCoordinator(findTransactionCoordinator, "")
		}
		p.again(env, req, p.cfg.Net.RetryBackoff)
		return
	}
	switch a := r.Answer.(type) {
	case *protocol.FindCoordinatorResponse:
		p.handleFindCoordinator(env, req, a)
	case *protocol.InitProducerIdResponse:
		p.handleInitTransactions(env, req, a)
	case *protocol.AddPartitionsToTxnResponse:
		p.handleAddPartitions(env, req, a)
	case *protocol.AddOffsetsToTxnResponse:
		if a.Err == protocol.None {
			x.started = true
			req.kind, req.retry = commitOffsets, false
			x.enqueue(req)
			return
		}
		p.handleTransactionError(env, req, a.Err)
	case *protocol.TxnOffsetCommitResponse:
		p.handleTxnOffsetCommit(env, req, a)
	case *protocol.EndTxnResponse:
		p.handleEndTxn(env, req, a)
	}
}

// again puts a request back, to be sent after a wait.
func (p *KafkaProducer) again(env *sim.Env, r txnRequest, wait sim.Time) {
	if p.txn.tx.state == AbortableError && r.kind >= addPartitions {
		return
	}
	r.retry = true
	p.txn.tx.retryAt = env.Now() + wait
	p.txn.tx.enqueue(r)
}

// handleTransactionError does what the errors of AddPartitionsToTxn, AddOffsetsToTxn, EndTxn and InitProducerId mean.
// Which are fatal, and which only end the transaction, is the same for all.
func (p *KafkaProducer) handleTransactionError(env *sim.Env, r txnRequest, err protocol.Error) {
	x := &p.txn.tx
	switch {
	case err == protocol.CoordinatorNotAvailable, err == protocol.NotCoordinator:
		x.lookupCoordinator(findTransactionCoordinator, "")
		p.again(env, r, p.cfg.Net.RetryBackoff)
	case err == protocol.ConcurrentTransactions && r.kind == addPartitions && len(x.partitions) == 0:
		p.again(env, r, min(p.cfg.Net.RetryBackoff, addPartitionsRetryBackoff))
	case err.Retriable():
		p.again(env, r, p.cfg.Net.RetryBackoff)
	case err == protocol.InvalidProducerEpoch, err == protocol.ProducerFenced:
		p.transitionToFatalError(env, protocol.ProducerFenced)
	case r.kind == initProducerID || r.kind == bumpEpoch: // "Unexpected error in InitProducerIdResponse"
		p.transitionToFatalErrorBy(env, protocol.KafkaException, err)
	case err == protocol.UnknownProducerID, err == protocol.InvalidProducerIDMapping:
		p.abortableErrorIfPossible(env, err)
	case err == protocol.TransactionAbortable, r.kind == addPartitions && err != protocol.InvalidTxnState:
		p.transitionToAbortableError(env, err)
	default:
		p.transitionToFatalError(env, err)
	}
}

func (p *KafkaProducer) handleFindCoordinator(env *sim.Env, r txnRequest, a *protocol.FindCoordinatorResponse) {
	switch {
	case a.Err == protocol.None && r.kind == findTransactionCoordinator:
		p.txn.tx.coordinator = a.Coordinator
	case a.Err == protocol.None:
		p.txn.tx.groupCoordinator = a.Coordinator
	case a.Err.Retriable():
		p.again(env, r, p.cfg.Net.RetryBackoff)
	default:
		p.transitionToFatalError(env, a.Err)
	}
}

func (p *KafkaProducer) handleInitTransactions(env *sim.Env, r txnRequest, a *protocol.InitProducerIdResponse) {
	if a.Err != protocol.None {
		p.handleTransactionError(env, r, a.Err)
		return
	}
	p.setTransactionalID(env, ProducerIDAndEpoch{a.ProducerID, a.ProducerEpoch})
	p.txn.tx.state, p.txn.tx.lastError = Ready, protocol.None
}

// setTransactionalID takes a producer id and epoch that the coordinator has given. Sequence numbers begin anew.
func (p *KafkaProducer) setTransactionalID(env *sim.Env, id ProducerIDAndEpoch) {
	if p.txn.id.ID == id.ID {
		env.Record(&event.EpochBumped{ProducerID: id.ID, ProducerEpoch: id.Epoch, TransactionalID: p.txn.tx.id})
	} else {
		env.Record(&event.ProducerIDGiven{ProducerID: id.ID, ProducerEpoch: id.Epoch, TransactionalID: p.txn.tx.id})
	}
	p.txn.id = id
	for i := range p.accumulator.queues {
		p.accumulator.queues[i].Txn = newTxnPartitionEntry()
	}
}

func (p *KafkaProducer) handleAddPartitions(env *sim.Env, r txnRequest, a *protocol.AddPartitionsToTxnResponse) {
	x := &p.txn.tx
	for _, result := range a.Results {
		for _, d := range result.Data {
			if d.Err != protocol.None && d.Err != protocol.OperationNotAttempted {
				p.handleTransactionError(env, r, d.Err)
				return
			}
		}
	}
	x.partitions, x.started = append(x.partitions, r.partitions...), true
}

func (p *KafkaProducer) handleTxnOffsetCommit(env *sim.Env, r txnRequest, a *protocol.TxnOffsetCommitResponse) {
	x := &p.txn.tx
	reloaded := false
	for _, d := range a.Data {
		switch {
		case d.Err == protocol.None:
			x.offsets = slices.DeleteFunc(x.offsets, func(c protocol.CommitData) bool { return c.TP == d.TP })
		case d.Err == protocol.CoordinatorNotAvailable, d.Err == protocol.NotCoordinator, d.Err == protocol.RequestTimedOut:
			if !reloaded {
				reloaded = true
				x.lookupCoordinator(findGroupCoordinator, r.group.Group)
			}
		case d.Err.Retriable():
		case d.Err == protocol.TransactionAbortable, d.Err == protocol.UnknownMemberID, d.Err == protocol.IllegalGeneration:
			x.offsets = nil
			p.transitionToAbortableError(env, d.Err)
			return
		case d.Err == protocol.InvalidProducerEpoch, d.Err == protocol.ProducerFenced:
			x.offsets = nil
			p.transitionToFatalError(env, protocol.ProducerFenced)
			return
		default:
			x.offsets = nil
			p.transitionToFatalError(env, d.Err)
			return
		}
	}
	if len(x.offsets) > 0 {
		p.again(env, r, p.cfg.Net.RetryBackoff)
	}
}

func (p *KafkaProducer) handleEndTxn(env *sim.Env, r txnRequest, a *protocol.EndTxnResponse) {
	if a.Err != protocol.None {
		p.handleTransactionError(env, r, a.Err)
		return
	}
	if p.txn.rules.TransactionV2 && a.ProducerID >= 0 {
		p.setTransactionalID(env, ProducerIDAndEpoch{a.ProducerID, a.ProducerEpoch})
	}
	p.completeTransaction(env)
}

// completeTransaction makes the producer ready for the next transaction, or has its epoch raised first.
//
// Kafka: TransactionManager.completeTransaction.
func (p *KafkaProducer) completeTransaction(*sim.Env) {
	t, x := &p.txn, &p.txn.tx
	x.state = Ready
	if t.epochBumpRequired {
		x.state = Initializing
	}
	t.epochBumpRequired = false
	x.lastError, x.started = protocol.None, false
	x.newPartitions, x.partitions, x.offsets = nil, nil, nil
}

// initializesForEver says that the transaction is aborted, and the epoch should be raised, but nobody has asked for
// that: a batch was given up while the abort was under way already. Kafka's abortTransaction returns then, and
// beginTransaction throws IllegalStateException for ever: the producer can only be closed.
//
// Kafka: TransactionManager.maybeResolveSequences, completeTransaction, beginCompletingTransaction (2.5 to 3.9).
func (x *transaction) initializesForEver() bool {
	bumps := func(r txnRequest) bool { return r.kind == bumpEpoch || r.kind == initProducerID }
	return x.state == Initializing && !slices.ContainsFunc(x.pending, bumps) && !(x.asking != 0 && bumps(x.out))
}

// beginCompleting asks for the end of the transaction. A producer whose id the coordinator does not know goes
// straight on to a new one; one whose epoch is to be raised asks for that after the abort (KIP-360).
//
// Kafka: TransactionManager.beginCommit, beginAbort, beginCompletingTransaction.
func (t *TransactionManager) beginCompleting(commit bool) {
	x := &t.tx
	unknownID := x.lastError == protocol.InvalidProducerIDMapping
	x.state = CommittingTransaction
	if !commit {
		x.state = AbortingTransaction
		x.newPartitions = nil
	}
	if len(x.newPartitions) > 0 {
		x.enqueue(txnRequest{kind: addPartitions, partitions: x.newPartitions})
		x.newPartitions = nil
	}
	if !unknownID {
		x.enqueue(txnRequest{kind: endTxn, commit: commit})
		if !t.epochBumpRequired {
			return
		}
	}
	if unknownID {
		x.state = Initializing
		t.epochBumpRequired = false
		x.lastError, x.started, x.partitions, x.offsets = protocol.None, false, nil, nil
	}
	x.enqueue(txnRequest{kind: bumpEpoch})
}

// abortUndrainedBatches fails the batches that were never sent.
//
// Kafka: RecordAccumulator.abortUndrainedBatches.
func (p *KafkaProducer) abortUndrainedBatches(env *sim.Env) {
	err := p.txn.tx.lastError
	if err == protocol.None {
		err = protocol.TransactionAborted
	}
	for i := 0; i < len(p.accumulator.incomplete); {
		b := p.accumulator.incomplete[i]
		if b.hasSequence() || b.InFlight {
			i++
			continue
		}
		q := p.accumulator.queue(b.TP)
		q.Batches = slices.DeleteFunc(q.Batches, func(o *ProducerBatch) bool { return o == b })
		p.tellFailed(env, b, err)
	}
}

// handleFailedInTransaction: a batch that failed makes the transaction one that can only be aborted. Its numbers are
// used again if the broker refused it.
//
// Kafka: TransactionManager.handleFailedBatch.
func (p *KafkaProducer) handleFailedInTransaction(env *sim.Env, b *ProducerBatch, err protocol.Error, adjust bool) {
	e := &p.accumulator.queue(b.TP).Txn
	p.maybeTransitionToErrorState(env, err)
	e.removeInFlight(b, p.txn.inFlightByIdentity())
	switch {
	case p.txn.failure != protocol.None || !b.hasSequence() || !p.txn.rules.BumpAdmitsNewEpoch && !p.txn.matches(b):
	case err == protocol.UnknownProducerID:
		*e = newTxnPartitionEntry()
	case adjust && p.txn.rules.FiveBatches:
		e.adjustSequencesDueToFailedBatch(b)
	}
}

// resolveInTransaction looks at the partitions in which a batch expired that had been sent: if it is not known
// what the broker has, the transaction must be aborted under a new epoch (2.5), or the producer is at its end.
//
// Kafka: TransactionManager.maybeResolveSequences; Sender.run up to 2.4.
func (p *KafkaProducer) resolveInTransaction(env *sim.Env) {
	t := &p.txn
	for i := range p.accumulator.queues {
		e := &p.accumulator.queues[i].Txn
		if e.Unresolved && !t.rules.EpochBump {
			p.transitionToFatalErrorBy(env, protocol.KafkaException, protocol.TimeoutException)
			return
		}
		if !e.Unresolved || e.hasInFlight() {
			continue
		}
		if !e.isNextSequence(e.NextSequence) {
			t.epochBumpRequired = t.canBumpEpoch()
			p.transitionToAbortableError(env, protocol.TimeoutException)
		}
		e.Unresolved = false
	}
}
