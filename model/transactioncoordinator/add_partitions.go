package transactioncoordinator

import (
	"slices"

	"kafkatrial/model/groupcoordinator"
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// pendingAdd is an AddPartitionsToTxn of which not every transaction is answered yet.
type pendingAdd struct {
	id          int
	conn        sim.ConnID
	correlation int32
	results     []protocol.AddPartitionsToTxnResult
	left        int
}

// HandleAddPartitionsToTxn counts partitions as part of a transaction, or says whether they are (VerifyOnly).
// It is one outcome for all partitions of a transaction, unless one of them does not exist, or only some are
// found by a verification.
//
// Errors: INVALID_REQUEST, UNKNOWN_TOPIC_OR_PARTITION, OPERATION_NOT_ATTEMPTED, COORDINATOR_LOAD_IN_PROGRESS,
// NOT_COORDINATOR, COORDINATOR_NOT_AVAILABLE, INVALID_PRODUCER_ID_MAPPING, PRODUCER_FENCED,
// CONCURRENT_TRANSACTIONS, TRANSACTION_ABORTABLE.
//
// Kafka: KafkaApis.handleAddPartitionsToTxnRequest.
func (c *TransactionCoordinator) HandleAddPartitionsToTxn(clock sim.Time, conn sim.ConnID, req *protocol.AddPartitionsToTxn, meta Metadata) Effects {
	c.lastID++
	add := pendingAdd{id: int(c.lastID), conn: conn, correlation: req.Correlation, left: len(req.Transactions),
		results: make([]protocol.AddPartitionsToTxnResult, len(req.Transactions))}
	for i := range req.Transactions {
		t := &req.Transactions[i]
		add.results[i] = protocol.AddPartitionsToTxnResult{TransactionalID: t.TransactionalID, Data: make([]protocol.CommitResult, len(t.Partitions))}
		for k, tp := range t.Partitions {
			add.results[i].Data[k].TP = tp
		}
	}
	c.adds = append(c.adds, add)
	for i := range req.Transactions {
		c.addTransaction(clock.Ms(), add.id, i, &req.Transactions[i], req.FromBroker, meta)
	}
	return c.take()
}

func (c *TransactionCoordinator) addTransaction(now int64, add, i int, t *protocol.AddPartitionsToTxnTransaction, fromBroker bool, meta Metadata) {
	if slices.ContainsFunc(t.Partitions, func(tp protocol.TopicPartition) bool { return !exists(meta, tp) }) {
		c.addOutcome(add, i, func(tp protocol.TopicPartition) protocol.Error {
			if exists(meta, tp) {
				return protocol.OperationNotAttempted
			}
			return protocol.UnknownTopicOrPartition
		})
		return
	}
	if t.VerifyOnly {
		m, err := c.verify(t)
		c.addOutcome(add, i, func(tp protocol.TopicPartition) protocol.Error {
			if err == protocol.None && !m.Contains(tp) {
				return c.notInTransaction()
			}
			return err
		})
		return
	}
	w := pendingWrite{kind: writeAddPartitions, transactionalID: t.TransactionalID, add: add, transaction: i}
	c.addPartitions(now, w, t.ProducerID, t.ProducerEpoch, t.Partitions, c.clientVersion(fromBroker))
}

// notInTransaction is how a verification is told that a partition is not part of the transaction: from 3.8
// on, TRANSACTION_ABORTABLE (KIP-890, KIP-1050), upon which the producer may abort and go on.
func (c *TransactionCoordinator) notInTransaction() protocol.Error {
	if c.rules.TransactionAbortable {
		return protocol.TransactionAbortable
	}
	return protocol.InvalidTxnState
}

// verify finds the transaction that a partition's leader asks about. A transition that is being written does
// not matter: what counts is the leader's own check when it appends.
//
// Kafka: TransactionCoordinator.handleVerifyPartitionsInTransaction.
func (c *TransactionCoordinator) verify(t *protocol.AddPartitionsToTxnTransaction) (*TransactionMetadata, protocol.Error) {
	if t.TransactionalID == "" {
		return nil, protocol.InvalidRequest
	}
	m, _, err := c.getTransactionState(t.TransactionalID)
	switch {
	case err != protocol.None:
		return nil, err
	case m == nil || m.ProducerID != t.ProducerID:
		return nil, protocol.InvalidProducerIDMapping
	case m.ProducerEpoch != t.ProducerEpoch && c.cfg.Planted.On(planted.CoordinatorEpochFencing):
		c.fenced(m, t.ProducerID, t.ProducerEpoch)
		return nil, protocol.ProducerFenced
	case m.State == PrepareCommit || m.State == PrepareAbort:
		return nil, protocol.ConcurrentTransactions
	}
	return m, protocol.None
}

// HandleAddOffsetsToTxn counts a group's partition of __consumer_offsets as part of a transaction.
//
// Kafka: KafkaApis.handleAddOffsetsToTxnRequest.
func (c *TransactionCoordinator) HandleAddOffsetsToTxn(clock sim.Time, conn sim.ConnID, req *protocol.AddOffsetsToTxn) Effects {
	tp := protocol.TopicPartition{Topic: groupcoordinator.TopicName, Partition: groupcoordinator.PartitionFor(req.Group, c.cfg.OffsetsTopicPartitions)}
	w := pendingWrite{kind: writeAddOffsets, transactionalID: req.TransactionalID, conn: conn, correlation: req.Correlation}
	c.addPartitions(clock.Ms(), w, req.ProducerID, req.ProducerEpoch, []protocol.TopicPartition{tp}, V0)
	return c.take()
}

// addPartitions writes the transition, or tells w at once why not.
//
// Kafka: TransactionCoordinator.handleAddPartitionsToTransaction.
func (c *TransactionCoordinator) addPartitions(now int64, w pendingWrite, producerID int64, epoch int16, tps []protocol.TopicPartition, clientVersion int) {
	t, coordinatorEpoch, err := c.prepareAddPartitions(now, w.transactionalID, producerID, epoch, tps, clientVersion)
	if err != protocol.None || t.State != Ongoing {
		c.written(&w, err, now)
		return
	}
	w.transit, w.coordinatorEpoch = t, coordinatorEpoch
	c.appendTransactionToLog(w, now)
}

// prepareAddPartitions: no error and no transition if the partitions are part of the transaction already.
func (c *TransactionCoordinator) prepareAddPartitions(now int64, id string, producerID int64, epoch int16, tps []protocol.TopicPartition, clientVersion int) (t TxnTransitMetadata, coordinatorEpoch int, err protocol.Error) {
	if id == "" {
		return t, 0, protocol.InvalidRequest
	}
	m, coordinatorEpoch, err := c.getTransactionState(id)
	switch {
	case err != protocol.None:
		return t, 0, err
	case c.rules.PendingFirst && m != nil && m.PendingTransition():
		return t, 0, protocol.ConcurrentTransactions
	case m == nil || m.ProducerID != producerID:
		return t, 0, protocol.InvalidProducerIDMapping
	case m.ProducerEpoch != epoch && c.cfg.Planted.On(planted.CoordinatorEpochFencing):
		c.fenced(m, producerID, epoch)
		return t, 0, protocol.ProducerFenced
	case m.PendingTransition():
		return t, 0, protocol.ConcurrentTransactions
	case m.State == PrepareCommit || m.State == PrepareAbort:
		return t, 0, protocol.ConcurrentTransactions
	case m.State == Ongoing && m.containsAll(tps):
		return t, 0, protocol.None
	}
	t, err = m.PrepareAddPartitions(tps, clientVersion, now)
	return t, coordinatorEpoch, err
}

// addAnswered gives all partitions of a transaction the same outcome.
func (c *TransactionCoordinator) addAnswered(add, i int, err protocol.Error) {
	c.addOutcome(add, i, func(protocol.TopicPartition) protocol.Error { return err })
}

// addOutcome notes what came of one transaction, and answers when it was the last.
func (c *TransactionCoordinator) addOutcome(add, i int, outcome func(protocol.TopicPartition) protocol.Error) {
	k := slices.IndexFunc(c.adds, func(a pendingAdd) bool { return a.id == add })
	if k < 0 {
		return
	}
	a := &c.adds[k]
	data := a.results[i].Data
	for j := range data {
		data[j].Err = c.toClient(outcome(data[j].TP))
	}
	if a.left--; a.left > 0 {
		return
	}
	c.answer(a.conn, &protocol.AddPartitionsToTxnResponse{Correlation: a.correlation, Results: a.results})
	c.adds = slices.Delete(c.adds, k, k+1)
}
