package transactioncoordinator

import (
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

func initProducerIDResult(correlation int32, err protocol.Error) *protocol.InitProducerIdResponse {
	return &protocol.InitProducerIdResponse{Correlation: correlation, Err: err, ProducerID: record.NoProducerID, ProducerEpoch: record.NoProducerEpoch}
}

// HandleInitProducerId gives the producer of a transactional.id its producer id and an epoch above that of
// whoever had the id before, who is shut out by it. A transaction that is open is aborted first, under an
// epoch that nobody is given, and the producer is told CONCURRENT_TRANSACTIONS: it asks again until that is done.
//
// Errors: INVALID_REQUEST, INVALID_TRANSACTION_TIMEOUT, COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR,
// COORDINATOR_NOT_AVAILABLE, CONCURRENT_TRANSACTIONS, PRODUCER_FENCED.
//
// Kafka: TransactionCoordinator.handleInitProducerId.
func (c *TransactionCoordinator) HandleInitProducerId(clock sim.Time, conn sim.ConnID, req *protocol.InitProducerId, ids ProducerIDManager) Effects {
	if err := c.initProducerID(clock.Ms(), conn, req, ids); err != protocol.None {
		c.answer(conn, initProducerIDResult(req.Correlation, c.toClient(err)))
	}
	return c.take()
}

// giveProducerID gives a producer without a transactional.id a new producer id, and nothing is written. A broker
// does that without its coordinator.
//
// Kafka: TransactionCoordinator.handleInitProducerId, transactionalId == null.
func (c *TransactionCoordinator) giveProducerID(conn sim.ConnID, correlation int32, ids ProducerIDManager) protocol.Error {
	id, err := ids.GenerateProducerID()
	if err == protocol.None {
		c.answer(conn, &protocol.InitProducerIdResponse{Correlation: correlation, ProducerID: id})
	}
	return err
}

func (c *TransactionCoordinator) initProducerID(now int64, conn sim.ConnID, req *protocol.InitProducerId, ids ProducerIDManager) protocol.Error {
	timeout := req.TransactionTimeout.Ms()
	identified := req.ProducerID != record.NoProducerID && req.ProducerEpoch != record.NoProducerEpoch
	switch {
	case req.EmptyID, (req.ProducerID == record.NoProducerID) != (req.ProducerEpoch == record.NoProducerEpoch):
		return protocol.InvalidRequest
	case req.TransactionalID == "":
		return c.giveProducerID(conn, req.Correlation, ids)
	case timeout <= 0 || timeout > c.cfg.MaxTimeoutMs:
		return protocol.InvalidTransactionTimeout
	}
	m, epoch, err := c.getTransactionState(req.TransactionalID)
	if err != protocol.None {
		return err
	}
	if m == nil {
		id, err := ids.GenerateProducerID()
		if err != protocol.None {
			return err
		}
		m = c.putTransactionState(newMetadata(req.TransactionalID, id, timeout, now))
	}
	expected := producerIdentity{record.NoProducerID, record.NoProducerEpoch}
	if identified && c.rules.EpochBump {
		expected = producerIdentity{req.ProducerID, req.ProducerEpoch}
	}
	t, err := c.prepareInitProducerIDTransit(m, timeout, expected, ids, now)
	switch {
	case err == protocol.ProducerFenced:
		c.fenced(m, req.ProducerID, req.ProducerEpoch)
		return err
	case err != protocol.None:
		return err
	case t.State == PrepareEpochFence:
		c.endTransaction(now, endTxn{id: req.TransactionalID, producerID: t.ProducerID, producerEpoch: t.ProducerEpoch, version: c.serverVersion(), from: fromInitProducerID},
			conn, req.Correlation, ids)
	default:
		c.appendTransactionToLog(pendingWrite{kind: writeInitProducerID, transactionalID: req.TransactionalID, coordinatorEpoch: epoch, transit: t,
			conn: conn, correlation: req.Correlation}, now)
	}
	return protocol.None
}

// producerIdentity is what a producer says it has (KIP-360); -1, -1 of one that begins.
type producerIdentity struct {
	id    int64
	epoch int16
}

// valid says whether a producer with this identity may go on: it is new to the coordinator, or it has the
// producer id in force (its epoch is looked at later), or it has the id before that with the epochs used up,
// and may not have got the answer to its last request.
func (p producerIdentity) valid(m *TransactionMetadata) bool {
	return p.id == record.NoProducerID || m.ProducerEpoch == record.NoProducerEpoch || p.id == m.ProducerID ||
		p.id == m.PreviousProducerID && IsEpochExhausted(p.epoch)
}

// prepareInitProducerIDTransit says how the state of a transactional.id changes when its producer begins.
//
// Kafka: TransactionCoordinator.prepareInitProducerIdTransit.
func (c *TransactionCoordinator) prepareInitProducerIDTransit(m *TransactionMetadata, timeout int64, expected producerIdentity, ids ProducerIDManager, now int64) (t TxnTransitMetadata, err protocol.Error) {
	switch {
	case m.PendingTransition():
		return t, protocol.ConcurrentTransactions
	case !expected.valid(m):
		return t, protocol.ProducerFenced
	}
	switch m.State {
	case PrepareAbort, PrepareCommit:
		return t, protocol.ConcurrentTransactions
	case Ongoing:
		return m.PrepareFenceProducerEpoch(c.rules)
	case CompleteAbort, CompleteCommit, Empty:
		if IsEpochExhausted(m.ProducerEpoch) && (expected.epoch == record.NoProducerEpoch || expected.epoch == m.ProducerEpoch) {
			id, err := ids.GenerateProducerID()
			if err != protocol.None {
				return t, err
			}
			return m.PrepareProducerIDRotation(id, timeout, now, expected.epoch != record.NoProducerEpoch)
		}
		return m.PrepareIncrementProducerEpoch(timeout, expected.epoch, now)
	}
	return t, protocol.IllegalState
}
