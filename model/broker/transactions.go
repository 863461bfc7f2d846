package broker

import (
	"slices"

	"kafkatrial/model/event"
	"kafkatrial/model/groupcoordinator"
	"kafkatrial/model/log"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/model/transactioncoordinator"
	"kafkatrial/sim"
)

// transactions is a broker's part in transactions: as the coordinator of some, and as the leader of
// partitions that belong to others.
type transactions struct {
	coordinator *transactioncoordinator.TransactionCoordinator
	appends     []pendingTxnAppend // to __transaction_state, waiting for their replication
	markers     interBrokerSendThread
	poll        sim.TimerID      // the sender of markers looks again
	writes      []pendingMarkers // WriteTxnMarkers that wait for the replication of their markers
	lastWrite   int64            // names them
	verifier    addPartitionsToTxnManager
}

type pendingTxnAppend struct {
	id       int64
	tp       protocol.TopicPartition
	required int64 // the high watermark that completes it
	timer    sim.TimerID
}

// pendingMarkers is a WriteTxnMarkers of which not every marker is replicated.
type pendingMarkers struct {
	id    int64
	conn  sim.ConnID
	res   *protocol.WriteTxnMarkersResponse
	waits []markerWait
	timer sim.TimerID
}

type markerWait struct {
	marker, partition int // in the response
	tp                protocol.TopicPartition
	required          int64
	producerID        int64
	commit            bool
}

// startTransactions makes the coordinator, and its periodic tasks where there are transactions at all.
//
// Kafka: TransactionCoordinator.startup.
func (b *Broker) startTransactions() {
	t := &b.transactions
	v := b.cfg.Values
	cfg := transactioncoordinator.DefaultConfig
	cfg.Planted, cfg.RequestTimeout = b.cfg.Planted, 30*sim.Second
	t.poll = sim.NoTimer
	t.markers.kind, t.verifier.thread.kind = protocol.TimerTxnMarkers, protocol.TimerTxnVerification
	if b.hasTransactions() {
		cfg.MaxTimeoutMs, cfg.IDExpirationMs = v.Ms("transaction.max.timeout.ms").Ms(), v.Ms("transactional.id.expiration.ms").Ms()
		cfg.RequestTimeout = b.requestTimeout()
		b.setTransactionTimer(protocol.TimerTransactionAbort)
		b.setTransactionTimer(protocol.TimerTransactionalIDExpiration)
	}
	t.coordinator = transactioncoordinator.New(cfg, b.rules)
}

// hasTransactions says that the cluster has the topic __transaction_state.
func (b *Broker) hasTransactions() bool {
	return slices.ContainsFunc(b.cfg.Topics, func(t TopicConfig) bool { return t.Topic == transactioncoordinator.TopicName })
}

func (b *Broker) setTransactionTimer(kind uint8) {
	key := "transaction.abort.timed.out.transaction.cleanup.interval.ms"
	if kind == protocol.TimerTransactionalIDExpiration {
		key = "transaction.remove.expired.transaction.cleanup.interval.ms"
	}
	b.env.SetTimer(b.cfg.Values.Ms(key), kind, 0, true)
}

// transactionTimer runs a periodic task, or ends a wait.
func (b *Broker) transactionTimer(t sim.Timer) {
	switch c := b.transactions.coordinator; t.Kind {
	case protocol.TimerTransactionAbort:
		b.transact(c.AbortTimedOutTransactions(b.env.Clock(), b))
		b.setTransactionTimer(t.Kind)
	case protocol.TimerTransactionalIDExpiration:
		b.transact(c.RemoveExpiredTransactionalIds(b.env.Clock()))
		b.setTransactionTimer(t.Kind)
	case protocol.TimerTransactionAppend:
		b.transactionAppendExpired(t.Arg)
	case protocol.TimerWriteTxnMarkers:
		b.markersExpired(t.Arg)
	case protocol.TimerTxnMarkers:
		b.markerTimer(t.Arg)
	case protocol.TimerTxnVerification:
		b.verificationTimer(t.Arg)
	}
}

// transact does what the coordinator asks for.
func (b *Broker) transact(e transactioncoordinator.Effects) {
	for _, told := range e.Events {
		b.env.Record(told)
		switch told.(type) {
		case *event.TransactionProducerFenced:
			b.env.Probe("a coordinator shut out a producer")
		case *event.TransactionTimedOut:
			b.env.Probe("a transaction timed out")
		}
	}
	for _, a := range e.Appends {
		b.appendTransaction(a)
	}
	for _, a := range e.Answers {
		b.env.Send(a.Conn, a.Msg)
	}
	for _, r := range e.Requests {
		b.transactions.markers.send(b, r.To, &protocol.WriteTxnMarkers{Correlation: b.nextCorrelation(), Markers: r.Markers})
	}
	if e.Wakeup {
		b.wakeMarkerSender()
	} else {
		b.pollMarkerSender()
	}
}

// appendTransaction appends to __transaction_state, and waits for the replication.
func (b *Broker) appendTransaction(a transactioncoordinator.Append) {
	c := b.transactions.coordinator
	h := b.hostedPartition(a.TP)
	if h == nil {
		b.transact(c.OnAppendFailed(b.env.Clock(), a.ID, protocol.NotLeaderOrFollower))
		return
	}
	_, next, err := b.appendWith(h, a.Batch, protocol.AcksAll, log.AppendOptions{Origin: log.OriginCoordinator})
	if err != protocol.None {
		b.transact(c.OnAppendFailed(b.env.Clock(), a.ID, err))
		return
	}
	b.transactions.appends = append(b.transactions.appends, pendingTxnAppend{id: a.ID, tp: a.TP, required: next,
		timer: b.env.SetTimer(a.Timeout, protocol.TimerTransactionAppend, a.ID, false)})
	b.checkTransactions(h)
	c.OnAppendWaits(a.ID)
}

// checkTransactions completes the writes to __transaction_state and the markers that a change of a partition
// allows.
func (b *Broker) checkTransactions(h *hosted) {
	t := &b.transactions
	for i := 0; i < len(t.appends); i++ {
		p := t.appends[i]
		if p.tp != h.tp {
			continue
		}
		done, err := h.p.CheckEnoughReplicasReachOffset(p.required)
		if !done && err == protocol.None {
			continue
		}
		t.appends = slices.Delete(t.appends, i, i+1)
		b.env.CancelTimer(p.timer)
		if err == protocol.None {
			b.transact(t.coordinator.OnCommitted(b.env.Clock(), p.id))
		} else {
			b.transact(t.coordinator.OnAppendFailed(b.env.Clock(), p.id, err))
		}
		i = -1 // what that led to may have changed the list
	}
	b.checkMarkers(h)
}

func (b *Broker) transactionAppendExpired(id int64) {
	t := &b.transactions
	if i := slices.IndexFunc(t.appends, func(p pendingTxnAppend) bool { return p.id == id }); i >= 0 {
		t.appends = slices.Delete(t.appends, i, i+1)
		b.transact(t.coordinator.OnAppendFailed(b.env.Clock(), id, protocol.RequestTimedOut))
	}
}

// electedTransactionCoordinator loads the transactions of a partition of __transaction_state that this broker
// now leads. Kafka does it on a background thread; here it is done within the step. Under KRaft a new leader
// epoch of the same leader begins anew as well; what is being written then is answered NOT_COORDINATOR.
//
// Kafka: ReplicaManager.makeLeaders (ZooKeeper); BrokerMetadataPublisher.updateCoordinator with
// LocalReplicaChanges.electedLeaders (KRaft).
func (b *Broker) electedTransactionCoordinator(h *hosted) {
	c := b.transactions.coordinator
	if h.tp.Topic != transactioncoordinator.TopicName || !c.OnElection(h.tp.Partition, h.p.LeaderEpoch()) {
		return
	}
	b.loadTransactions(h)
}

// loadTransactions reads the log to its end, above the high watermark too, and acts on what it finds there: markers are sent for a decision
// that another leader may not have (docs/findings.md, C6). Whoever waits for the high watermark, in no release, comes here again
// when it moves.
//
// Kafka: TransactionStateManager.loadTransactionMetadata.
func (b *Broker) loadTransactions(h *hosted) {
	l := h.p.Log()
	if b.rules.LoadWhenReplicated && l.HighWatermark() < l.LogEndOffset() {
		return
	}
	e := b.transactions.coordinator.OnLoaded(b.env.Clock(), h.tp.Partition, h.p.LeaderEpoch(), l.Batches(), l.LogStartOffset())
	if e.Wakeup {
		b.env.Probe("a new coordinator ends what was decided before it")
	}
	b.transact(e)
}

func (b *Broker) resignedTransactionCoordinator(h *hosted) {
	if h.tp.Topic == transactioncoordinator.TopicName {
		b.transactions.coordinator.OnResignation(h.tp.Partition, h.p.LeaderEpoch())
	}
}

// Leader is part of transactioncoordinator.Metadata.
//
// Kafka: MetadataCache.getPartitionLeaderEndpoint.
func (m *metadataCache) Leader(tp protocol.TopicPartition) (protocol.BrokerID, bool) {
	s, known := m.partition(tp)
	if !known || s.Leader <= 0 || !m.HasAliveBroker(s.Leader) {
		return protocol.NoBroker, known
	}
	return s.Leader, true
}

// GenerateProducerID is part of transactioncoordinator.ProducerIDManager. Without an id at hand it asks for the
// next block, and whoever wanted one asks again.
func (b *Broker) GenerateProducerID() (int64, protocol.Error) {
	m := &b.producerIDs
	if m.next == m.end {
		m.requestNextBlock(b)
		return record.NoProducerID, protocol.CoordinatorLoadInProgress
	}
	m.next++
	return m.next - 1, protocol.None
}

// transactionVersion is the level of the feature transaction.version that is in force.
func (b *Broker) transactionVersion() int {
	if b.rules.TransactionV2 {
		return transactioncoordinator.V2
	}
	return transactioncoordinator.V0
}

func (b *Broker) initTransactions(c sim.ConnID, req *protocol.InitProducerId) {
	b.transact(b.transactions.coordinator.HandleInitProducerId(b.env.Clock(), c, req, b))
}

func (b *Broker) handleAddPartitionsToTxn(c sim.ConnID, req *protocol.AddPartitionsToTxn) {
	b.transact(b.transactions.coordinator.HandleAddPartitionsToTxn(b.env.Clock(), c, req, &b.meta))
}

func (b *Broker) handleAddOffsetsToTxn(c sim.ConnID, req *protocol.AddOffsetsToTxn) {
	b.transact(b.transactions.coordinator.HandleAddOffsetsToTxn(b.env.Clock(), c, req))
}

func (b *Broker) handleEndTxn(c sim.ConnID, req *protocol.EndTxn) {
	b.transact(b.transactions.coordinator.HandleEndTxn(b.env.Clock(), c, req, b))
}

// wakeMarkerSender sends the markers that can be sent. What can not, because nobody leads the partition, is
// looked at again when something else wakes the sender, at the latest after request.timeout.ms.
//
// Kafka: TransactionMarkerChannelManager.doWork; NetworkClient.poll returns after request.timeout.ms.
func (b *Broker) wakeMarkerSender() {
	t := &b.transactions
	b.env.CancelTimer(t.poll)
	t.poll = sim.NoTimer
	b.transact(t.coordinator.GenerateRequests(b.env.Clock(), &b.meta, t.markers.ready))
	b.pollMarkerSender()
}

// pollMarkerSender sees to it that what waits, a marker or a record of completion whose write has failed, is looked at
// again although nothing else wakes the sender.
func (b *Broker) pollMarkerSender() {
	if t := &b.transactions; t.poll == sim.NoTimer && t.coordinator.Waiting() {
		t.poll = b.env.SetTimer(b.requestTimeout(), protocol.TimerTxnMarkers, pollMarkers, true)
	}
}

// pollMarkers, in place of a broker, is the sender's own timer.
const pollMarkers = 0

func (b *Broker) markerTimer(to int64) {
	t := &b.transactions
	if to == pollMarkers {
		t.poll = sim.NoTimer
	}
	if to != pollMarkers && t.markers.timer(b, int(to)) {
		b.transact(t.coordinator.OnMarkersLost(int(to)))
		return
	}
	b.wakeMarkerSender()
}

// markersAnswered takes the answer of a leader. One that could not write a marker now, because it does not know yet that
// it leads, is left alone for a moment. Kafka asks it again at once, and so as often as the network carries it.
func (b *Broker) markersAnswered(c sim.ConnID, res *protocol.WriteTxnMarkersResponse) {
	if from, ok := b.transactions.markers.answered(b, c); ok {
		if res.AnyFailed() {
			t := &b.transactions.markers
			t.backOff(b, t.channel(from))
		}
		b.transact(b.transactions.coordinator.OnMarkersAnswered(b.env.Clock(), from, res))
	}
}

func (b *Broker) transactionsDisconnected(c sim.ConnID) {
	t := &b.transactions
	if lost, ok := t.markers.disconnected(b, c); ok {
		b.transact(t.coordinator.OnMarkersLost(lost))
	}
	if lost, ok := t.verifier.thread.disconnected(b, c); ok {
		b.verificationsLost(lost)
	}
}

// handleWriteTxnMarkers writes the markers of transactions that have ended, and answers when they are
// replicated.
//
// Kafka: KafkaApis.handleWriteTxnMarkersRequest.
func (b *Broker) handleWriteTxnMarkers(c sim.ConnID, req *protocol.WriteTxnMarkers) {
	t := &b.transactions
	t.lastWrite++
	p := pendingMarkers{id: t.lastWrite, conn: c, timer: sim.NoTimer,
		res: &protocol.WriteTxnMarkersResponse{Correlation: req.Correlation, Results: make([]protocol.TxnMarkerResult, len(req.Markers))}}
	for i := range req.Markers {
		m := &req.Markers[i]
		r := &p.res.Results[i]
		r.ProducerID, r.Data = m.ProducerID, make([]protocol.CommitResult, len(m.Partitions))
		for k, tp := range m.Partitions {
			r.Data[k].TP = tp
			if next, err := b.appendMarker(tp, m); err != protocol.None {
				r.Data[k].Err = err
			} else {
				p.waits = append(p.waits, markerWait{marker: i, partition: k, tp: tp, required: next, producerID: m.ProducerID, commit: m.Committed})
			}
		}
	}
	p.timer = b.env.SetTimer(b.requestTimeout(), protocol.TimerWriteTxnMarkers, p.id, false)
	t.writes = append(t.writes, p)
	b.checkMarkersOf(p.id)
}

// appendMarker ends a producer's transaction in a partition.
func (b *Broker) appendMarker(tp protocol.TopicPartition, m *protocol.TxnMarker) (next int64, err protocol.Error) {
	h := b.hostedPartition(tp)
	if h == nil {
		return 0, protocol.UnknownTopicOrPartition
	}
	marker := record.NewMarker(m.ProducerID, m.ProducerEpoch, record.EndTransactionMarker{Abort: !m.Committed, CoordinatorEpoch: int32(m.CoordinatorEpoch)}, b.env.Clock().Ms())
	_, next, err = b.appendWith(h, marker, protocol.AcksAll, log.AppendOptions{Origin: log.OriginCoordinator, TransactionVersion: m.TransactionVersion})
	if err == protocol.None && tp.Topic == groupcoordinator.TopicName && !b.coordinator.WaitsForMarkerToReplicate() {
		b.offsetsOfTransaction(tp, m.ProducerID, m.Committed, next)
	}
	return next, err
}

// offsetsOfTransaction tells the group coordinator that a transaction with positions has ended.
func (b *Broker) offsetsOfTransaction(tp protocol.TopicPartition, producerID int64, commit bool, next int64) {
	for _, done := range b.coordinator.OnTransactionCompleted(tp.Partition, producerID, commit, next) {
		for _, c := range done.Data {
			b.env.Record(&event.OffsetsCommitted{TP: c.TP, Offset: c.Offset, Group: done.Group})
		}
	}
}

// checkMarkers completes the markers that a change of a partition allows.
func (b *Broker) checkMarkers(h *hosted) {
	t := &b.transactions
	for i := 0; i < len(t.writes); i++ {
		p := &t.writes[i]
		if slices.ContainsFunc(p.waits, func(w markerWait) bool { return w.tp == h.tp }) && b.checkMarkersOf(p.id) {
			i = -1
		}
	}
}

// checkMarkersOf looks at one WriteTxnMarkers; true if it is answered.
func (b *Broker) checkMarkersOf(id int64) bool {
	t := &b.transactions
	i := slices.IndexFunc(t.writes, func(p pendingMarkers) bool { return p.id == id })
	if i < 0 {
		return false
	}
	p := &t.writes[i]
	var completed []markerWait
	p.waits = slices.DeleteFunc(p.waits, func(w markerWait) bool {
		done, err := false, protocol.NotLeaderOrFollower
		if h := b.hostedPartition(w.tp); h != nil {
			done, err = h.p.CheckEnoughReplicasReachOffset(w.required)
		}
		if !done && err == protocol.None {
			return false
		}
		p.res.Results[w.marker].Data[w.partition].Err = err
		if err == protocol.None && w.tp.Topic == groupcoordinator.TopicName {
			completed = append(completed, w)
		}
		return true
	})
	answered := len(p.waits) == 0
	if answered {
		b.env.CancelTimer(p.timer)
		b.env.Send(p.conn, p.res)
		t.writes = slices.Delete(t.writes, i, i+1)
	}
	for _, w := range completed {
		if b.coordinator.WaitsForMarkerToReplicate() {
			b.offsetsOfTransaction(w.tp, w.producerID, w.commit, w.required)
		}
	}
	return answered
}

// markersExpired answers a WriteTxnMarkers whose markers were not replicated in time.
func (b *Broker) markersExpired(id int64) {
	t := &b.transactions
	i := slices.IndexFunc(t.writes, func(p pendingMarkers) bool { return p.id == id })
	if i < 0 {
		return
	}
	p := t.writes[i]
	t.writes = slices.Delete(t.writes, i, i+1)
	for _, w := range p.waits {
		p.res.Results[w.marker].Data[w.partition].Err = protocol.RequestTimedOut
	}
	b.env.Send(p.conn, p.res)
}

// markerWritten records what a marker has ended.
func (b *Broker) markerWritten(h *hosted, batch *record.RecordBatch, info log.AppendInfo) {
	b.env.Record(&event.MarkerWritten{TP: h.tp, Offset: info.FirstOffset, FirstOffset: info.Completed.FirstOffset, CoordinatorEpoch: int32(batch.Marker.CoordinatorEpoch), Batch: batch})
}

// TransactionCoordinator is the broker's transaction coordinator, for views.
func (b *Broker) TransactionCoordinator() *transactioncoordinator.TransactionCoordinator {
	return b.transactions.coordinator
}
