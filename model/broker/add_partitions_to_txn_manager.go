package broker

import (
	"slices"

	"kafkatrial/model/event"
	"kafkatrial/model/log"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// addPartitionsToTxnManager asks the coordinators of transactions whether the partitions that a producer writes
// to are part of its transaction; with transactions v2, to make them so. One request to a coordinator is under
// way at a time; what comes meanwhile goes with the next.
//
// Kafka: AddPartitionsToTxnManager (3.6, KIP-890).
type addPartitionsToTxnManager struct {
	thread   interBrokerSendThread
	queued   []verification // in the order in which they came
	inFlight []verification // of the requests under way
	waiting  []verification // to be asked again after add.partitions.to.txn.retry.backoff.ms
	lastID   int64
}

// verification is what a request waits for: an answer about the transaction it belongs to. Exactly one of
// produce and commit is set.
type verification struct {
	id          int64
	coordinator protocol.BrokerID
	began       sim.Time
	txn         protocol.AddPartitionsToTxnTransaction

	conn    sim.ConnID
	client  sim.NodeID
	produce *protocol.Produce
	errs    []protocol.Error        // of the produce request's batches, by place
	guards  []log.VerificationGuard // the same
	commit  *protocol.TxnOffsetCommit
}

// From 4.0 a broker itself asks again, for a while, when the transaction before has not got all its markers yet.
const (
	addPartitionsToTxnRetryBackoff    = 20 * sim.Millisecond  // add.partitions.to.txn.retry.backoff.ms
	addPartitionsToTxnRetryBackoffMax = 100 * sim.Millisecond // add.partitions.to.txn.retry.backoff.max.ms
)

// verifies says that this broker asks the coordinator before it appends to a transaction.
func (b *Broker) verifies() bool {
	return b.rules.TransactionVerification && b.cfg.Values.Bool("transaction.partition.verification.enable")
}

// maybeVerifyProduce begins a verification for the batches of a produce request that need one. It reports
// false if none does, with the errors that are known already.
//
// Kafka: ReplicaManager.handleProduceAppend, maybeStartTransactionVerificationForPartitions.
func (b *Broker) maybeVerifyProduce(c sim.ConnID, client sim.NodeID, req *protocol.Produce) (v verification, waits bool) {
	v = verification{conn: c, client: client, produce: req}
	if req.TransactionalID == "" || !b.verifies() {
		return v, false
	}
	v.errs, v.guards = make([]protocol.Error, len(req.Data)), make([]log.VerificationGuard, len(req.Data))
	for i := range req.Data {
		batch := req.Data[i].Batch
		if !batch.IsTransactional {
			continue
		}
		tp := req.Data[i].TP
		if v.guards[i], v.errs[i] = b.startVerification(tp, batch.ProducerID, batch.ProducerEpoch, batch.BaseSequence, req.TransactionV2); v.guards[i] == log.NoGuard {
			continue
		}
		v.txn.ProducerID, v.txn.ProducerEpoch = batch.ProducerID, batch.ProducerEpoch
		v.txn.Partitions = append(v.txn.Partitions, tp)
	}
	if len(v.txn.Partitions) == 0 {
		return v, false
	}
	v.txn.TransactionalID, v.txn.VerifyOnly = req.TransactionalID, !req.TransactionV2
	b.verifyTransaction(v)
	return v, true
}

// startVerification is Partition.maybeStartTransactionVerification.
func (b *Broker) startVerification(tp protocol.TopicPartition, id int64, epoch int16, sequence int32, v2 bool) (log.VerificationGuard, protocol.Error) {
	h := b.hostedPartition(tp)
	switch {
	case h == nil:
		return log.NoGuard, b.unknownPartition(tp)
	case !h.p.IsLeader():
		return log.NoGuard, protocol.NotLeaderOrFollower
	}
	return h.p.Log().Producers().MaybeStartVerification(id, sequence, epoch, v2, b.env.Clock().Ms()), protocol.None
}

// verifyTransaction queues a verification. Another of the same transaction that is still queued is answered:
// its producer has sent again, or is fenced.
//
// Kafka: AddPartitionsToTxnManager.verifyTransaction (addOrVerifyTransaction), addTxnData.
func (b *Broker) verifyTransaction(v verification) {
	m := &b.transactions.verifier
	if v.id == 0 {
		m.lastID++
		v.id, v.began = m.lastID, b.env.Now()
	}
	leader, _ := b.meta.Leader(b.transactions.coordinator.PartitionFor(v.txn.TransactionalID))
	if leader == protocol.NoBroker {
		b.verified(v, all(&v, protocol.CoordinatorNotAvailable))
		return
	}
	v.coordinator = leader
	i := slices.IndexFunc(m.queued, func(o verification) bool {
		return o.coordinator == leader && o.txn.TransactionalID == v.txn.TransactionalID
	})
	if i >= 0 {
		old := m.queued[i]
		if old.txn.ProducerEpoch > v.txn.ProducerEpoch {
			b.verified(v, all(&v, protocol.InvalidProducerEpoch))
			return
		}
		m.queued = slices.Delete(m.queued, i, i+1)
		err := protocol.NetworkException
		if old.txn.ProducerEpoch < v.txn.ProducerEpoch {
			err = protocol.InvalidProducerEpoch
		}
		b.verified(old, all(&old, err))
	}
	m.queued = append(m.queued, v)
	b.wakeVerifier()
}

func all(v *verification, err protocol.Error) []protocol.CommitResult {
	out := make([]protocol.CommitResult, len(v.txn.Partitions))
	for i, tp := range v.txn.Partitions {
		out[i] = protocol.CommitResult{TP: tp, Err: err}
	}
	return out
}

// wakeVerifier sends what is queued to coordinators that can be asked.
func (b *Broker) wakeVerifier() {
	m := &b.transactions.verifier
	for to := 1; to <= len(b.cfg.Directory.Brokers); to++ {
		if !slices.ContainsFunc(m.queued, func(v verification) bool { return v.coordinator == to }) || !m.thread.ready(to) {
			continue
		}
		req := &protocol.AddPartitionsToTxn{Correlation: b.nextCorrelation(), FromBroker: true}
		m.queued = slices.DeleteFunc(m.queued, func(v verification) bool {
			if v.coordinator == to {
				req.Transactions = append(req.Transactions, v.txn)
				m.inFlight = append(m.inFlight, v)
			}
			return v.coordinator == to
		})
		m.thread.send(b, to, req)
	}
}

// takeInFlight ends the request under way to a coordinator.
func (m *addPartitionsToTxnManager) takeInFlight(from protocol.BrokerID) []verification {
	var out []verification
	m.inFlight = slices.DeleteFunc(m.inFlight, func(v verification) bool {
		if v.coordinator == from {
			out = append(out, v)
		}
		return v.coordinator == from
	})
	return out
}

func (b *Broker) transactionsVerified(c sim.ConnID, res *protocol.AddPartitionsToTxnResponse) {
	m := &b.transactions.verifier
	from, ok := m.thread.answered(b, c)
	if !ok {
		return
	}
	for i, v := range m.takeInFlight(from) {
		b.verified(v, res.Results[i].Data)
	}
	b.wakeVerifier()
}

// verificationsLost tells those who wait that a coordinator did not answer.
func (b *Broker) verificationsLost(from protocol.BrokerID) {
	for _, v := range b.transactions.verifier.takeInFlight(from) {
		b.verified(v, all(&v, protocol.NetworkException))
	}
	b.wakeVerifier()
}

// verificationTimer: a broker for the sender's timers, a verification, negative, for one to be asked again.
func (b *Broker) verificationTimer(arg int64) {
	m := &b.transactions.verifier
	if arg > 0 {
		if m.thread.timer(b, int(arg)) {
			b.verificationsLost(int(arg))
			return
		}
		b.wakeVerifier()
		return
	}
	if i := slices.IndexFunc(m.waiting, func(v verification) bool { return v.id == -arg }); i >= 0 {
		v := m.waiting[i]
		m.waiting = slices.Delete(m.waiting, i, i+1)
		b.verifyTransaction(v)
	}
}

// verified goes on with the request that waited: what is part of the transaction is appended.
//
// Kafka: AddPartitionsToTxnHandler.onComplete, postVerificationCallback in ReplicaManager.handleProduceAppend.
func (b *Broker) verified(v verification, results []protocol.CommitResult) {
	if b.rules.TransactionV2 && v.produce != nil && b.env.Now()-v.began < addPartitionsToTxnRetryBackoffMax &&
		slices.ContainsFunc(results, func(r protocol.CommitResult) bool { return r.Err == protocol.ConcurrentTransactions }) {
		b.transactions.verifier.waiting = append(b.transactions.verifier.waiting, v)
		b.env.SetTimer(addPartitionsToTxnRetryBackoff, protocol.TimerTxnVerification, -v.id, false)
		return
	}
	for _, r := range results {
		b.recordVerification(&v, r)
	}
	if v.commit != nil {
		b.txnOffsetCommitVerified(&v, results[0].Err)
		return
	}
	for i := range v.produce.Data {
		for _, r := range results {
			if v.produce.Data[i].TP == r.TP && v.guards[i] != log.NoGuard {
				v.errs[i] = produceVerificationError(verificationError(r.Err))
			}
		}
	}
	b.appendProduce(v.conn, v.client, v.produce, v.errs, v.guards)
}

func (b *Broker) recordVerification(v *verification, r protocol.CommitResult) {
	if r.Err != protocol.None {
		b.env.Record(&event.TransactionNotVerified{TP: r.TP, ProducerID: v.txn.ProducerID, ProducerEpoch: v.txn.ProducerEpoch, Err: r.Err, TransactionalID: v.txn.TransactionalID})
		return
	}
	b.env.Record(&event.TransactionVerified{TP: r.TP, ProducerID: v.txn.ProducerID, ProducerEpoch: v.txn.ProducerEpoch, TransactionalID: v.txn.TransactionalID})
}

// verificationError: a producer expects INVALID_PRODUCER_EPOCH of a partition's leader.
//
// Kafka: AddPartitionsToTxnHandler.onComplete.
func verificationError(err protocol.Error) protocol.Error {
	if err == protocol.ProducerFenced {
		return protocol.InvalidProducerEpoch
	}
	return err
}

// produceVerificationError: that the coordinator can not be asked just now is told as NOT_ENOUGH_REPLICAS, upon
// which every producer sends again.
//
// Kafka: postVerificationCallback in ReplicaManager.handleProduceAppend.
func produceVerificationError(err protocol.Error) protocol.Error {
	switch err {
	case protocol.ConcurrentTransactions, protocol.NetworkException, protocol.CoordinatorLoadInProgress, protocol.CoordinatorNotAvailable, protocol.NotCoordinator:
		return protocol.NotEnoughReplicas
	}
	return err
}

// handleTxnOffsetCommit takes positions that belong to a transaction.
//
// Kafka: KafkaApis.handleTxnOffsetCommitRequest.
func (b *Broker) handleTxnOffsetCommit(c sim.ConnID, req *protocol.TxnOffsetCommit) {
	tp := b.coordinator.PartitionFor(req.Group)
	v := verification{conn: c, commit: req, guards: make([]log.VerificationGuard, 1)}
	if b.verifies() && b.rules.OffsetCommitVerified {
		guard, err := b.startVerification(tp, req.ProducerID, req.ProducerEpoch, record.NoSequence, req.TransactionV2)
		if err == protocol.None && guard != log.NoGuard {
			v.guards[0] = guard
			v.txn = protocol.AddPartitionsToTxnTransaction{TransactionalID: req.TransactionalID, ProducerID: req.ProducerID, ProducerEpoch: req.ProducerEpoch,
				VerifyOnly: !req.TransactionV2, Partitions: []protocol.TopicPartition{tp}}
			b.verifyTransaction(v)
			return
		}
	}
	b.txnOffsetCommitVerified(&v, protocol.None)
}

func (b *Broker) txnOffsetCommitVerified(v *verification, err protocol.Error) {
	if err != protocol.None {
		b.sendAnswer(b.coordinator.TxnOffsetCommitFailed(v.conn, v.commit, verificationError(err)))
		return
	}
	a, done, write := b.coordinator.HandleTxnOffsetCommit(b.env.Clock(), v.conn, v.commit)
	b.commit(a, done, write, log.AppendOptions{Origin: log.OriginCoordinator, Guard: v.guards[0]})
}
