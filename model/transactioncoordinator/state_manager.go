package transactioncoordinator

import (
	"slices"
	"strings"
	"unicode/utf16"

	"kafkatrial/model/event"
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// stateManager is the cache of what __transaction_state says.
//
// Kafka: TransactionStateManager.
type stateManager struct {
	partitions []txnPartition
}

// txnPartition is a partition of __transaction_state.
type txnPartition struct {
	status       partitionStatus
	epoch        int                   // leader epoch of the last election or resignation, -1 before the first: the coordinator epoch
	transactions []TransactionMetadata // by transactional.id
}

type partitionStatus uint8

const (
	notCoordinator partitionStatus = iota
	loading
	active
)

func newStateManager(partitions int32) stateManager {
	s := stateManager{partitions: make([]txnPartition, partitions)}
	for i := range s.partitions {
		s.partitions[i].epoch = -1
	}
	return s
}

// PartitionFor gives the partition of __transaction_state that a transactional.id belongs to: the absolute
// value of its hash, as Java has it, modulo the number of partitions.
//
// Kafka: TransactionStateManager.partitionFor.
func PartitionFor(id string, partitions int32) int32 {
	h := JavaHash(id)
	if h == -1<<31 { // it has no absolute value
		h = 0
	}
	return max(h, -h) % partitions
}

// JavaHash is String.hashCode.
func JavaHash(s string) int32 {
	var h int32
	for _, c := range utf16.Encode([]rune(s)) {
		h = 31*h + int32(c)
	}
	return h
}

func (p *txnPartition) find(id string) (int, bool) {
	return slices.BinarySearchFunc(p.transactions, id, func(m TransactionMetadata, id string) int {
		return strings.Compare(m.TransactionalID, id)
	})
}

// getTransactionState gives what is known of a transactional.id, nil if nothing, and the coordinator epoch.
//
// Kafka: TransactionStateManager.getTransactionState.
func (c *TransactionCoordinator) getTransactionState(id string) (m *TransactionMetadata, epoch int, err protocol.Error) {
	p := &c.state.partitions[PartitionFor(id, c.cfg.Partitions)]
	switch p.status {
	case loading:
		return nil, p.epoch, protocol.CoordinatorLoadInProgress
	case notCoordinator:
		return nil, p.epoch, protocol.NotCoordinator
	}
	if i, found := p.find(id); found {
		m = &p.transactions[i]
	}
	return m, p.epoch, protocol.None
}

// putTransactionState adds a transactional.id of which nothing is known.
func (c *TransactionCoordinator) putTransactionState(m TransactionMetadata) *TransactionMetadata {
	p := &c.state.partitions[PartitionFor(m.TransactionalID, c.cfg.Partitions)]
	i, _ := p.find(m.TransactionalID)
	p.transactions = slices.Insert(p.transactions, i, m)
	return &p.transactions[i]
}

// appendTransactionToLog writes a transition. onWritten is told what came of it.
//
// Kafka: TransactionStateManager.appendTransactionToLog.
func (c *TransactionCoordinator) appendTransactionToLog(w pendingWrite, now int64) {
	m, epoch, err := c.getTransactionState(w.transactionalID)
	if err == protocol.None && (m == nil || epoch != w.coordinatorEpoch) {
		err = protocol.NotCoordinator
	}
	if err != protocol.None {
		c.written(&w, err, now)
		return
	}
	c.lastID++
	w.id = c.lastID
	c.writes = append(c.writes, w)
	c.out.Appends = append(c.out.Appends, Append{ID: w.id, TP: c.PartitionFor(w.transactionalID), Timeout: ms(w.transit.TimeoutMs),
		Batch: record.NewBatch([]record.Record{stateRecord(w.transactionalID, &w.transit, c.rules.TransactionV2, now)})})
}

func ms(n int64) sim.Time { return sim.Time(n) * sim.Millisecond }

// OnCommitted says that the append is replicated as acks=all demands. clock is the broker's time of day.
func (c *TransactionCoordinator) OnCommitted(clock sim.Time, id int64) Effects {
	c.appended(id, protocol.None, clock.Ms())
	return c.take()
}

// OnAppendFailed says that the append was refused, or that its replication failed or took too long
// (REQUEST_TIMED_OUT). The record may still be in the log, and the next coordinator may load it.
func (c *TransactionCoordinator) OnAppendFailed(clock sim.Time, id int64, err protocol.Error) Effects {
	c.appended(id, err, clock.Ms())
	return c.take()
}

// OnAppendWaits says that an append waits for its replication. If the transition turns out to be an exception then, that
// is one of the thread that completes the replication, and whoever has asked for the transition gets no answer.
func (c *TransactionCoordinator) OnAppendWaits(id int64) {
	if i := slices.IndexFunc(c.writes, func(w pendingWrite) bool { return w.id == id }); i >= 0 {
		c.writes[i].waited = true
	}
}

// appended is updateCacheCallback: the transition counts now, or it is off.
//
// Kafka: TransactionStateManager.appendTransactionToLog; writeTombstonesForExpiredTransactionalIds.
func (c *TransactionCoordinator) appended(id int64, logErr protocol.Error, now int64) {
	i := slices.IndexFunc(c.writes, func(w pendingWrite) bool { return w.id == id })
	if i < 0 {
		return
	}
	w := c.writes[i]
	c.writes = slices.Delete(c.writes, i, i+1)
	if w.kind == writeTombstones {
		c.removeExpired(&w, logErr)
		return
	}
	err := AppendError(logErr)
	m, epoch, stateErr := c.getTransactionState(w.transactionalID)
	mine := stateErr == protocol.None && m != nil && epoch == w.coordinatorEpoch
	switch {
	case err == protocol.None && stateErr != protocol.None:
		err = stateErr
	case err == protocol.None && !mine:
		err = protocol.NotCoordinator
	case err == protocol.None:
		from := m.State
		before := m.Partitions
		if err = m.CompleteTransitionTo(w.transit, c.rules); err == protocol.None {
			c.recordTransition(m, from, before)
		} else if w.waited {
			return
		}
	case mine && !(w.kind == writeComplete && err == protocol.CoordinatorNotAvailable): // that is tried again
		m.PendingState = NoState
	}
	c.written(&w, err, now)
}

// AppendError gives an error of the log as the coordinator's client is told it.
//
// Kafka: TransactionStateManager.appendTransactionToLog.
func AppendError(err protocol.Error) protocol.Error {
	switch err {
	case protocol.UnknownTopicOrPartition, protocol.NotEnoughReplicas, protocol.NotEnoughReplicasAfterAppend, protocol.RequestTimedOut:
		return protocol.CoordinatorNotAvailable
	case protocol.NotLeaderOrFollower, protocol.KafkaStorageError:
		return protocol.NotCoordinator
	case protocol.MessageTooLarge, protocol.RecordListTooLarge:
		return protocol.UnknownServerError
	}
	return err
}

// recordTransition tells of the new state, and of the partitions that became part of the transaction.
func (c *TransactionCoordinator) recordTransition(m *TransactionMetadata, from State, before []protocol.TopicPartition) {
	if from != m.State || m.State == Empty {
		c.out.Events = append(c.out.Events, &event.TransactionState{From: from, To: m.State, ProducerEpoch: m.ProducerEpoch, TransactionalID: m.TransactionalID})
	}
	if m.State != Ongoing {
		return
	}
	old := TransactionMetadata{Partitions: before}
	for _, tp := range m.Partitions {
		if !old.Contains(tp) {
			c.out.Events = append(c.out.Events, &event.TransactionPartition{TP: tp, ProducerID: m.ProducerID, ProducerEpoch: m.ProducerEpoch, TransactionalID: m.TransactionalID})
		}
	}
}

// OnElection says that this broker leads a partition of __transaction_state from the given leader epoch on,
// which is its coordinator epoch. It reports false if the news is old.
//
// Kafka: TransactionCoordinator.onElection (handleTxnImmigration up to 2.3).
func (c *TransactionCoordinator) OnElection(partition int32, epoch int) bool {
	p := &c.state.partitions[partition]
	if epoch <= p.epoch {
		return false
	}
	c.markers.removeMarkersForTxnTopicPartition(partition)
	*p = txnPartition{status: loading, epoch: epoch}
	return true
}

// OnLoaded gives the coordinator the log of a partition it was elected for, from logStart to its end, above
// the high watermark too. A transaction whose end was written goes on where it was: its markers are sent,
// those that the coordinator before has written already as well. One that is Ongoing is left to its producer
// or to its time-out.
//
// Kafka: TransactionStateManager.loadTransactionsForTxnTopicPartition.
func (c *TransactionCoordinator) OnLoaded(clock sim.Time, partition int32, epoch int, batches []*record.RecordBatch, logStart int64) Effects {
	if p := &c.state.partitions[partition]; p.status != loading || p.epoch != epoch {
		return Effects{}
	}
	var loaded txnPartition
	for _, b := range batches {
		if b.IsControl {
			continue
		}
		for i := range b.Records {
			if b.Offset(i) >= logStart {
				loaded.load(&b.Records[i])
			}
		}
	}
	return c.AddLoadedTransactions(clock, partition, epoch, loaded.transactions)
}

// load takes over one record: a later one with the same key replaces an earlier one.
func (p *txnPartition) load(r *record.Record) {
	i, found := p.find(r.Key)
	switch m, ok := readStateRecord(r); {
	case r.Tombstone && found:
		p.transactions = slices.Delete(p.transactions, i, i+1)
	case r.Tombstone || !ok:
	case found:
		p.transactions[i] = m
	default:
		p.transactions = slices.Insert(p.transactions, i, m)
	}
}

// AddLoadedTransactions ends the loading: from now on this broker coordinates these transactions, which are
// ordered by their ids.
//
// Kafka: TransactionStateManager.addLoadedTransactionsToCache.
func (c *TransactionCoordinator) AddLoadedTransactions(clock sim.Time, partition int32, epoch int, loaded []TransactionMetadata) Effects {
	c.state.partitions[partition] = txnPartition{status: active, epoch: epoch, transactions: loaded}
	for i := range loaded {
		m := &loaded[i]
		if m.State != PrepareCommit && m.State != PrepareAbort || !c.cfg.Planted.On(planted.MarkersAfterLoading) {
			continue
		}
		if t, err := m.PrepareComplete(clock.Ms()); err == protocol.None {
			c.addTxnMarkersToSend(epoch, m, t, clock.Ms())
		}
	}
	return c.take()
}

// OnResignation says that this broker leads a partition of __transaction_state no more, from the given leader
// epoch on. It forgets the transactions. What is being written is not the coordinator's to end: the broker
// tells of it as it does of any write, and the clients get NOT_COORDINATOR.
//
// Kafka: TransactionCoordinator.onResignation.
func (c *TransactionCoordinator) OnResignation(partition int32, epoch int) {
	p := &c.state.partitions[partition]
	if epoch < p.epoch {
		return
	}
	*p = txnPartition{status: notCoordinator, epoch: epoch}
	c.markers.removeMarkersForTxnTopicPartition(partition)
}
