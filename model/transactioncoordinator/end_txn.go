package transactioncoordinator

import (
	"math"

	"kafkatrial/model/event"
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// endTxn is an order to end a transaction.
type endTxn struct {
	id            string
	producerID    int64
	producerEpoch int16
	commit        bool
	version       int // of transactions: the client's, or the server's if the coordinator itself gives the order
	from          endedBy
	epochFence    bool // it raises the epoch to shut out the producer
}

type endedBy uint8

const (
	fromClient         endedBy = iota
	fromInitProducerID         // another producer begins with the transactional.id
	fromTimeout
)

// result is the state in which the transaction is ended but not all markers are written.
func (e *endTxn) result() State {
	if e.commit {
		return PrepareCommit
	}
	return PrepareAbort
}

// HandleEndTxn commits or aborts a transaction. It is answered once the decision is replicated; the markers
// follow.
//
// Errors: INVALID_REQUEST, COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR, COORDINATOR_NOT_AVAILABLE,
// INVALID_PRODUCER_ID_MAPPING, PRODUCER_FENCED, CONCURRENT_TRANSACTIONS, INVALID_TXN_STATE.
//
// Kafka: TransactionCoordinator.handleEndTransaction.
func (c *TransactionCoordinator) HandleEndTxn(clock sim.Time, conn sim.ConnID, req *protocol.EndTxn, ids ProducerIDManager) Effects {
	c.endTransaction(clock.Ms(), endTxn{id: req.TransactionalID, producerID: req.ProducerID, producerEpoch: req.ProducerEpoch,
		commit: req.Committed, version: c.clientVersion(req.TransactionV2)}, conn, req.Correlation, ids)
	return c.take()
}

// endTransaction writes that the transaction is committed or aborted, or tells whoever asked why not.
func (c *TransactionCoordinator) endTransaction(now int64, e endTxn, conn sim.ConnID, correlation int32, ids ProducerIDManager) {
	w := pendingWrite{kind: writeEndTxn, transactionalID: e.id, conn: conn, correlation: correlation}
	m, epoch, err := c.getTransactionState(e.id)
	switch {
	case e.id == "":
		err = protocol.InvalidRequest
	case err == protocol.None && m == nil:
		err = protocol.InvalidProducerIDMapping
	case err == protocol.None && e.version >= V2:
		w.transit, err = c.prepareEndV2(m, &e, ids, now)
	case err == protocol.None:
		w.transit, err = c.prepareEndV1(m, &e, now)
	}
	w.end, w.coordinatorEpoch = e, epoch
	switch {
	case err == protocol.ProducerFenced:
		c.fenced(m, e.producerID, e.producerEpoch)
		fallthrough
	case err != protocol.None:
		c.endAnswered(&w, err, record.NoProducerID, record.NoProducerEpoch)
	case w.transit.ProducerID == record.NoProducerID: // it was ended before, in this way
		id, epoch := record.NoProducerID, record.NoProducerEpoch
		if e.version >= V2 {
			id, epoch = m.ProducerID, m.ProducerEpoch
		}
		c.endAnswered(&w, protocol.None, id, epoch)
	default:
		c.appendTransactionToLog(w, now)
	}
}

// alreadyEnded is no error and no transition.
var alreadyEnded = TxnTransitMetadata{ProducerID: record.NoProducerID}

// prepareEndV1 says what an EndTxn does under one epoch for many transactions. All that tells one transaction
// from the next is the state, and the table is what follows from that:
//
//	              commit                   abort
//	Ongoing       PrepareCommit            PrepareAbort
//	PrepareCommit CONCURRENT_TRANSACTIONS  INVALID_TXN_STATE
//	PrepareAbort  INVALID_TXN_STATE        CONCURRENT_TRANSACTIONS
//	CompleteCommit done                    INVALID_TXN_STATE
//	CompleteAbort INVALID_TXN_STATE        done
//	Empty         INVALID_TXN_STATE        INVALID_TXN_STATE
//
// So an EndTxn that is late ends whatever transaction it meets (KAFKA-17754).
//
// Kafka: TransactionCoordinator.endTransaction (0.11 to 3.9), endTransactionWithTV1 (4.0).
func (c *TransactionCoordinator) prepareEndV1(m *TransactionMetadata, e *endTxn, now int64) (TxnTransitMetadata, protocol.Error) {
	fencing := c.cfg.Planted.On(planted.CoordinatorEpochFencing)
	// Up to 2.5 a producer's epoch could also be above the one in force (KAFKA-9600).
	strict := e.from == fromClient && c.rules.StrictEndTxnEpoch
	switch {
	case m.ProducerID != e.producerID:
		return alreadyEnded, protocol.InvalidProducerIDMapping
	case fencing && (strict && e.producerEpoch != m.ProducerEpoch || e.producerEpoch < m.ProducerEpoch):
		return alreadyEnded, protocol.ProducerFenced
	case m.PendingTransition() && m.PendingState != PrepareEpochFence && c.cfg.Planted.On(planted.PendingTransition):
		return alreadyEnded, protocol.ConcurrentTransactions
	}
	switch m.State {
	case Ongoing:
		if e.epochFence = !e.commit && m.PendingState == PrepareEpochFence; e.epochFence {
			m.fence(e.producerEpoch)
		}
		c.dropPending(m)
		return m.PrepareAbortOrCommit(e.result(), V0, record.NoProducerID, now, false, c.rules)
	case CompleteCommit:
		return repeated(e.commit)
	case CompleteAbort:
		return repeated(!e.commit)
	case PrepareCommit:
		return alreadyEnded, underWay(e.commit)
	case PrepareAbort:
		return alreadyEnded, underWay(!e.commit)
	case Empty:
		return alreadyEnded, protocol.InvalidTxnState
	}
	return alreadyEnded, protocol.IllegalState
}

// dropPending lets a transition overtake another that is being written, with the guard against that off.
func (c *TransactionCoordinator) dropPending(m *TransactionMetadata) {
	if !c.cfg.Planted.On(planted.PendingTransition) {
		m.PendingState = NoState
	}
}

// fence makes way for the abort under an epoch that shuts out the producer.
func (m *TransactionMetadata) fence(epoch int16) {
	m.PendingState, m.ProducerEpoch, m.LastProducerEpoch = NoState, epoch, record.NoProducerEpoch
}

func repeated(same bool) (TxnTransitMetadata, protocol.Error) {
	if same {
		return alreadyEnded, protocol.None
	}
	return alreadyEnded, protocol.InvalidTxnState
}

func underWay(same bool) protocol.Error {
	if same {
		return protocol.ConcurrentTransactions
	}
	return protocol.InvalidTxnState
}

// prepareEndV2 says what an EndTxn does under an epoch for every transaction. The epoch in force when a
// transaction has ended is the next one's: an EndTxn with the epoch before it is a repetition, and is
// answered as one; with the epoch in force it is about the next transaction, which an abort may end before it
// has begun.
//
//	                abort                commit
//	                before   in force    before   in force
//	Empty           fenced   aborted     fenced   INVALID_TXN_STATE
//	CompleteAbort   done     aborted     INVALID  INVALID_TXN_STATE
//	CompleteCommit  INVALID  aborted     done     INVALID_TXN_STATE
//
// Kafka: TransactionCoordinator.endTransaction (4.0).
func (c *TransactionCoordinator) prepareEndV2(m *TransactionMetadata, e *endTxn, ids ProducerIDManager, now int64) (TxnTransitMetadata, protocol.Error) {
	fence := m.PendingState == PrepareEpochFence
	overflow := !fence && m.PreviousProducerID == e.producerID && e.producerEpoch == math.MaxInt16-1 && m.ProducerEpoch == 0
	bumped := !fence && int(m.ProducerEpoch) == int(e.producerEpoch)+1
	retry := overflow || bumped
	switch {
	case c.rules.PendingFirst && m.PendingTransition() && !fence && c.cfg.Planted.On(planted.PendingTransition):
		return alreadyEnded, protocol.ConcurrentTransactions
	case m.ProducerID != e.producerID && !overflow:
		return alreadyEnded, protocol.InvalidProducerIDMapping
	case !validEndEpochV2(m, e, fence, bumped, overflow) && c.cfg.Planted.On(planted.CoordinatorEpochFencing):
		return alreadyEnded, protocol.ProducerFenced
	case m.PendingTransition() && !fence && c.cfg.Planted.On(planted.PendingTransition):
		return alreadyEnded, protocol.ConcurrentTransactions
	}
	switch m.State {
	case Ongoing:
		return c.completionV2(m, e, ids, now, fence, false)
	case PrepareCommit:
		return alreadyEnded, underWay(e.commit)
	case PrepareAbort:
		return alreadyEnded, underWay(!e.commit)
	case CompleteCommit, CompleteAbort:
		if retry {
			return repeated(e.commit == (m.State == CompleteCommit))
		}
		fallthrough
	case Empty:
		if e.commit {
			return alreadyEnded, protocol.InvalidTxnState
		}
		return c.completionV2(m, e, ids, now, fence, true)
	}
	return alreadyEnded, protocol.IllegalState
}

func validEndEpochV2(m *TransactionMetadata, e *endTxn, fence, bumped, overflow bool) bool {
	inForce := e.producerEpoch == m.ProducerEpoch
	if fence {
		return (e.from != fromClient || inForce) && e.producerEpoch >= m.ProducerEpoch
	}
	switch m.State {
	case PrepareCommit, PrepareAbort:
		return bumped
	case CompleteCommit, CompleteAbort:
		return bumped || overflow || inForce
	}
	return inForce
}

// completionV2 ends the transaction under the next epoch. When the epochs are used up, the markers bear the
// last one, and another producer id takes over once they are written.
//
// An abort by the coordinator raised the epoch twice in 4.0.0: once to shut out the producer, and once more
// because every end does (KAFKA-19367). There the producer id did not change when the second one was one too many; from
// 4.3 on it does (KAFKA-20090).
//
// Kafka: generateTxnTransitMetadataForTxnCompletion in TransactionCoordinator.endTransaction (4.0).
func (c *TransactionCoordinator) completionV2(m *TransactionMetadata, e *endTxn, ids ProducerIDManager, now int64, fence, noPartitionAdded bool) (TxnTransitMetadata, protocol.Error) {
	next := record.NoProducerID
	if (!fence || c.rules.EpochMaximumRecovers) && IsEpochExhausted(m.ProducerEpoch) {
		id, err := ids.GenerateProducerID()
		if err != protocol.None {
			return alreadyEnded, err
		}
		next = id
	}
	if fence && !e.commit {
		e.epochFence = true
		if m.PendingState = NoState; !c.rules.EpochRaisedOnce {
			m.fence(e.producerEpoch)
		}
	}
	c.dropPending(m)
	return m.PrepareAbortOrCommit(e.result(), V2, next, now, noPartitionAdded, c.rules)
}

// endWritten goes on when the end of a transaction is written: it is told to whoever asked, and the markers
// are sent.
//
// Kafka: sendTxnMarkersCallback in TransactionCoordinator.endTransaction.
func (c *TransactionCoordinator) endWritten(w *pendingWrite, err protocol.Error, now int64) {
	m, epoch, stateErr := c.getTransactionState(w.transactionalID)
	mine := stateErr == protocol.None && m != nil && epoch == w.coordinatorEpoch
	if err != protocol.None {
		// With an epoch that is raised once, the raise has not taken place yet when the write fails.
		if mine && w.end.epochFence && c.rules.FailedFenceKept && !(c.rules.EpochRaisedOnce && w.end.version >= V2) {
			m.FailedEpochFence = true
		}
		c.endAnswered(w, err, record.NoProducerID, record.NoProducerEpoch)
		return
	}
	if err = stateErr; err == protocol.None && !mine {
		err = protocol.NotCoordinator
	}
	var t TxnTransitMetadata
	if err == protocol.None {
		t, err = c.prepareMarkers(m, &w.end, now)
	}
	if err != protocol.None {
		c.endAnswered(w, err, record.NoProducerID, record.NoProducerEpoch)
		return
	}
	id, producerEpoch := record.NoProducerID, record.NoProducerEpoch
	if w.end.version >= V2 {
		id, producerEpoch = m.ProducerID, m.ProducerEpoch
		if m.NextProducerID != record.NoProducerID { // what the producer goes on with
			id, producerEpoch = m.NextProducerID, 0
		}
	}
	c.endAnswered(w, protocol.None, id, producerEpoch)
	c.addTxnMarkersToSend(epoch, m, t, now)
}

// prepareMarkers looks whether the transaction is still where it was when its end was written.
func (c *TransactionCoordinator) prepareMarkers(m *TransactionMetadata, e *endTxn, now int64) (t TxnTransitMetadata, err protocol.Error) {
	switch {
	case m.ProducerID != e.producerID:
		return t, protocol.InvalidProducerIDMapping
	case m.ProducerEpoch != e.producerEpoch && !(e.version >= V2 && int(m.ProducerEpoch) == int(e.producerEpoch)+1) &&
		c.cfg.Planted.On(planted.CoordinatorEpochFencing):
		return t, protocol.ProducerFenced
	case m.PendingTransition():
		return t, protocol.ConcurrentTransactions
	case m.State != e.result():
		return t, protocol.InvalidTxnState
	}
	return m.PrepareComplete(now)
}

// endAnswered tells whoever asked for the end of a transaction what came of it: a producer, another producer
// that waits for the transactional.id, or nobody.
func (c *TransactionCoordinator) endAnswered(w *pendingWrite, err protocol.Error, id int64, epoch int16) {
	switch w.end.from {
	case fromClient:
		c.answer(w.conn, &protocol.EndTxnResponse{Correlation: w.correlation, Err: c.toClient(err), ProducerID: id, ProducerEpoch: epoch})
	case fromInitProducerID:
		if err == protocol.None {
			err = protocol.ConcurrentTransactions
		}
		c.answer(w.conn, initProducerIDResult(w.correlation, c.toClient(err)))
	}
}

// AbortTimedOutTransactions is the periodic look for transactions that have been open for longer than their
// producer's transaction.timeout.ms. Their epoch is raised, so that the producer is shut out, and they are
// aborted.
//
// Kafka: TransactionCoordinator.abortTimedOutTransactions, TransactionStateManager.timedOutTransactions.
func (c *TransactionCoordinator) AbortTimedOutTransactions(clock sim.Time, ids ProducerIDManager) Effects {
	now := clock.Ms()
	for p := range c.state.partitions {
		if c.state.partitions[p].status != active {
			continue
		}
		for i := range c.state.partitions[p].transactions {
			m := &c.state.partitions[p].transactions[i]
			if m.State != Ongoing || m.PendingTransition() || m.StartMs+m.TimeoutMs >= now {
				continue
			}
			c.abortTimedOut(m, now, ids)
		}
	}
	return c.take()
}

func (c *TransactionCoordinator) abortTimedOut(m *TransactionMetadata, now int64, ids ProducerIDManager) {
	f := &event.TransactionTimedOut{ProducerID: m.ProducerID, ProducerEpoch: m.ProducerEpoch, TimeoutMs: m.TimeoutMs, TransactionalID: m.TransactionalID}
	e := endTxn{id: m.TransactionalID, producerID: m.ProducerID, producerEpoch: m.ProducerEpoch, version: c.serverVersion(), from: fromTimeout}
	if c.rules.EpochRaisedOnTimeout {
		t, err := m.PrepareFenceProducerEpoch(c.rules)
		if err != protocol.None {
			return
		}
		e.producerEpoch = t.ProducerEpoch
	}
	c.out.Events = append(c.out.Events, f)
	c.endTransaction(now, e, 0, 0, ids)
}
