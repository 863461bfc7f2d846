package transactioncoordinator

import (
	"slices"

	"kafkatrial/model/event"
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// markerChannelManager has the markers written. A transaction is complete when all its partitions have
// theirs; until then, what is not written is sent again, to whoever leads the partition then.
//
// The leader is looked up when a marker is sent; Kafka does it when the marker is queued. One request to a
// broker is under way at a time.
//
// Kafka: TransactionMarkerChannelManager.
type markerChannelManager struct {
	queue    []markerEntry        // to be sent, in order
	inFlight []markersInFlight    // by broker
	pending  []pendingCompleteTxn // transactionsWithPendingMarkers, in the order in which they came
	retries  []pendingCompleteTxn // txnLogAppendRetryQueue: all markers are written, the record of it is not
	lastID   int64
}

// pendingCompleteTxn is a transaction whose end is written, and what it becomes when its markers are.
type pendingCompleteTxn struct {
	id               int64
	transactionalID  string
	partition        int32 // of __transaction_state
	coordinatorEpoch int
	transit          TxnTransitMetadata
}

// markerEntry is a marker for partitions of one broker.
type markerEntry struct {
	txn    pendingCompleteTxn
	marker protocol.TxnMarker
}

type markersInFlight struct {
	to      protocol.BrokerID
	entries []markerEntry
}

// MarkerRequest is a WriteTxnMarkers to send.
type MarkerRequest struct {
	To      protocol.BrokerID
	Markers []protocol.TxnMarker
}

func (m *markerChannelManager) busy() bool {
	return len(m.queue)+len(m.inFlight)+len(m.pending)+len(m.retries) > 0
}

// Waiting says that a marker or a record could not be sent or written, and waits for the sender to look again.
func (c *TransactionCoordinator) Waiting() bool {
	return len(c.markers.queue)+len(c.markers.retries) > 0
}

// addTxnMarkersToSend has the markers of a transaction written that was ended.
//
// Kafka: TransactionMarkerChannelManager.addTxnMarkersToSend.
func (c *TransactionCoordinator) addTxnMarkersToSend(coordinatorEpoch int, m *TransactionMetadata, t TxnTransitMetadata, now int64) {
	q := &c.markers
	q.lastID++
	txn := pendingCompleteTxn{q.lastID, m.TransactionalID, PartitionFor(m.TransactionalID, c.cfg.Partitions), coordinatorEpoch, t}
	q.pending = slices.DeleteFunc(q.pending, func(p pendingCompleteTxn) bool { return p.transactionalID == txn.transactionalID })
	q.pending = append(q.pending, txn)
	if len(m.Partitions) > 0 {
		version := 0
		if c.rules.MarkerVersion {
			version = m.ClientVersion
		}
		q.queue = append(q.queue, markerEntry{txn, protocol.TxnMarker{ProducerID: m.ProducerID, ProducerEpoch: m.ProducerEpoch,
			Committed: m.State == PrepareCommit, CoordinatorEpoch: coordinatorEpoch, TransactionVersion: version, Partitions: m.Partitions}})
		c.out.Wakeup = true
	}
	c.maybeWriteTxnCompletion(&txn, now)
}

// current gives the transaction of a marker as it is now, nil if this broker has ceased to coordinate it, or
// has begun anew.
func (c *TransactionCoordinator) current(txn *pendingCompleteTxn) *TransactionMetadata {
	m, epoch, err := c.getTransactionState(txn.transactionalID)
	if err != protocol.None || m == nil || epoch != txn.coordinatorEpoch {
		return nil
	}
	return m
}

// maybeWriteTxnCompletion writes that the transaction is complete when no marker is missing.
//
// Kafka: TransactionMarkerChannelManager.maybeWriteTxnCompletion.
func (c *TransactionCoordinator) maybeWriteTxnCompletion(txn *pendingCompleteTxn, now int64) {
	m := c.current(txn)
	if m == nil {
		c.markers.removeTxn(txn)
		return
	}
	if len(m.Partitions) > 0 && c.cfg.Planted.On(planted.AllMarkersWritten) {
		return
	}
	if c.markers.removeTxn(txn) {
		c.tryAppendToLog(*txn, now)
	}
}

func (m *markerChannelManager) removeTxn(txn *pendingCompleteTxn) bool {
	i := slices.IndexFunc(m.pending, func(p pendingCompleteTxn) bool { return p.id == txn.id })
	if i < 0 {
		return false
	}
	m.pending = slices.Delete(m.pending, i, i+1)
	return true
}

// tryAppendToLog writes CompleteCommit or CompleteAbort.
func (c *TransactionCoordinator) tryAppendToLog(txn pendingCompleteTxn, now int64) {
	c.appendTransactionToLog(pendingWrite{kind: writeComplete, transactionalID: txn.transactionalID, coordinatorEpoch: txn.coordinatorEpoch,
		transit: txn.transit}, now)
}

// completionWritten tries again if the log could not be written just now; otherwise another coordinator ends
// the transaction.
//
// Kafka: TransactionMarkerChannelManager.tryAppendToLog, appendCallback.
func (c *TransactionCoordinator) completionWritten(w *pendingWrite, err protocol.Error) {
	if err == protocol.CoordinatorNotAvailable {
		q := &c.markers
		q.lastID++
		q.retries = append(q.retries, pendingCompleteTxn{q.lastID, w.transactionalID, PartitionFor(w.transactionalID, c.cfg.Partitions), w.coordinatorEpoch, w.transit})
	}
}

// GenerateRequests gives the markers to send now: for each broker with which no request is under way, and
// that ready says can be reached, all that wait for it. A partition without a leader waits.
//
// Kafka: TransactionMarkerChannelManager.generateRequests, addTxnMarkersToBrokerQueue.
func (c *TransactionCoordinator) GenerateRequests(clock sim.Time, meta Metadata, ready func(protocol.BrokerID) bool) Effects {
	now := clock.Ms()
	retries := c.markers.retries
	c.markers.retries = nil
	for _, txn := range retries {
		c.tryAppendToLog(txn, now)
	}
	queue := c.markers.queue
	c.markers.queue = nil
	for i := range queue {
		c.route(&queue[i], meta, ready, now)
	}
	for i := range c.out.Requests {
		r := &c.out.Requests[i]
		for _, m := range r.Markers {
			for _, tp := range m.Partitions {
				c.recordMarker(&m, tp, r.To)
			}
		}
	}
	c.out.Wakeup = false
	return c.take()
}

func (c *TransactionCoordinator) recordMarker(m *protocol.TxnMarker, tp protocol.TopicPartition, to protocol.BrokerID) {
	sent := &event.MarkerSent{TP: tp, ProducerID: m.ProducerID, ProducerEpoch: m.ProducerEpoch, Leader: to, Marker: event.Abort}
	if m.Committed {
		sent.Marker = event.Commit
	}
	c.out.Events = append(c.out.Events, sent)
}

// route divides a marker among the leaders of its partitions.
func (c *TransactionCoordinator) route(e *markerEntry, meta Metadata, ready func(protocol.BrokerID) bool, now int64) {
	var waiting []protocol.TopicPartition
	for _, tp := range e.marker.Partitions {
		to, known := meta.Leader(tp)
		switch {
		case !known: // the topic is deleted, and nobody waits for the marker
			if m := c.current(&e.txn); m != nil {
				m.removePartition(tp)
				c.maybeWriteTxnCompletion(&e.txn, now)
			}
		case to == protocol.NoBroker || c.markers.underWay(to) && !c.newRequest(to) || !ready(to):
			waiting = append(waiting, tp)
		default:
			c.addMarker(to, e, tp)
		}
	}
	if len(waiting) > 0 {
		rest := *e
		rest.marker.Partitions = waiting
		c.markers.queue = append(c.markers.queue, rest)
	}
}

func (m *markerChannelManager) underWay(to protocol.BrokerID) bool {
	return slices.ContainsFunc(m.inFlight, func(f markersInFlight) bool { return f.to == to })
}

// newRequest says that the request under way to a broker is one that is being put together now.
func (c *TransactionCoordinator) newRequest(to protocol.BrokerID) bool {
	return slices.ContainsFunc(c.out.Requests, func(r MarkerRequest) bool { return r.To == to })
}

// addMarker puts a partition's marker into the request to its leader.
func (c *TransactionCoordinator) addMarker(to protocol.BrokerID, e *markerEntry, tp protocol.TopicPartition) {
	byBroker := func(b, to protocol.BrokerID) int { return b - to }
	k, found := slices.BinarySearchFunc(c.out.Requests, to, func(r MarkerRequest, to protocol.BrokerID) int { return byBroker(r.To, to) })
	i, _ := slices.BinarySearchFunc(c.markers.inFlight, to, func(f markersInFlight, to protocol.BrokerID) int { return byBroker(f.to, to) })
	if !found {
		c.out.Requests = slices.Insert(c.out.Requests, k, MarkerRequest{To: to})
		c.markers.inFlight = slices.Insert(c.markers.inFlight, i, markersInFlight{to: to})
	}
	r, f := &c.out.Requests[k], &c.markers.inFlight[i]
	if n := len(f.entries); n == 0 || f.entries[n-1].txn.id != e.txn.id {
		one := *e
		one.marker.Partitions = nil
		f.entries = append(f.entries, one)
		r.Markers = append(r.Markers, one.marker)
	}
	n := len(f.entries) - 1
	f.entries[n].marker.Partitions = append(f.entries[n].marker.Partitions, tp)
	r.Markers[n].Partitions = f.entries[n].marker.Partitions
}

// takeInFlight ends the request under way to a broker.
func (m *markerChannelManager) takeInFlight(to protocol.BrokerID) []markerEntry {
	i := slices.IndexFunc(m.inFlight, func(f markersInFlight) bool { return f.to == to })
	if i < 0 {
		return nil
	}
	entries := m.inFlight[i].entries
	m.inFlight = slices.Delete(m.inFlight, i, i+1)
	return entries
}

// OnMarkersAnswered takes a broker's answer. What could not be written is sent again, unless the leader knows
// of a newer epoch of the producer or of another coordinator: then the transaction is not this coordinator's
// to end.
//
// Kafka: TransactionMarkerRequestCompletionHandler.onComplete.
func (c *TransactionCoordinator) OnMarkersAnswered(clock sim.Time, from protocol.BrokerID, res *protocol.WriteTxnMarkersResponse) Effects {
	for i, e := range c.markers.takeInFlight(from) {
		m := c.current(&e.txn)
		if m == nil || i >= len(res.Results) {
			c.markers.removeTxn(&e.txn)
			continue
		}
		c.markersWritten(m, &e, res.Results[i].Data, clock.Ms())
	}
	c.out.Wakeup = true
	return c.take()
}

func (c *TransactionCoordinator) markersWritten(m *TransactionMetadata, e *markerEntry, data []protocol.CommitResult, now int64) {
	var retry []protocol.TopicPartition
	for _, d := range data {
		switch d.Err {
		case protocol.None:
			m.removePartition(d.TP)
		case protocol.InvalidProducerEpoch, protocol.TransactionCoordinatorFenced:
			c.markers.removeTxn(&e.txn)
			return
		default: // in Kafka, an error that is not of those that pass is an exception in the sender's thread
			retry = append(retry, d.TP)
		}
	}
	if len(retry) > 0 {
		again := *e
		again.marker.Partitions = retry
		c.markers.queue = append(c.markers.queue, again)
		return
	}
	c.maybeWriteTxnCompletion(&e.txn, now)
}

// OnMarkersLost says that a request to a broker got no answer. Its markers are sent again, to whoever leads
// the partitions then; a leader may have written them already.
func (c *TransactionCoordinator) OnMarkersLost(from protocol.BrokerID) Effects {
	for _, e := range c.markers.takeInFlight(from) {
		if c.current(&e.txn) == nil {
			c.markers.removeTxn(&e.txn)
			continue
		}
		c.markers.queue = append(c.markers.queue, e)
	}
	c.out.Wakeup = true
	return c.take()
}

// removeMarkersForTxnTopicPartition drops the markers of a partition of __transaction_state, which this broker
// ceases to coordinate or begins to coordinate anew.
//
// Kafka: TransactionMarkerChannelManager.removeMarkersForTxnTopicPartition.
func (m *markerChannelManager) removeMarkersForTxnTopicPartition(partition int32) {
	m.queue = slices.DeleteFunc(m.queue, func(e markerEntry) bool { return e.txn.partition == partition })
	of := func(p pendingCompleteTxn) bool { return p.partition == partition }
	m.pending = slices.DeleteFunc(m.pending, of)
	m.retries = slices.DeleteFunc(m.retries, of)
}
