package broker

import (
	"slices"

	"kafkatrial/model/event"
	"kafkatrial/model/log"
	"kafkatrial/model/partition"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// purgatory holds requests that can not be answered yet. They are data, in the order in which they came.
//
// Kafka: DelayedOperationPurgatory.
type purgatory struct {
	produces []delayedProduce
	fetches  []delayedFetch
	lastID   int64
}

// delayedProduce is a produce with acks=all that waits for the high watermark.
type delayedProduce struct {
	id          int64
	conn        sim.ConnID
	client      sim.NodeID
	correlation int32
	acks        protocol.Acks
	parts       []producePart
	timer       sim.TimerID
}

type producePart struct {
	result   protocol.ProduceResult
	batch    *record.RecordBatch
	required int64 // the high watermark that completes it
	pending  bool
}

// delayedFetch is a fetch that found less than it asked for.
type delayedFetch struct {
	id    int64
	conn  sim.ConnID
	req   *protocol.Fetch
	timer sim.TimerID
}

func (q *purgatory) nextID() int64 {
	q.lastID++
	return q.lastID
}

func (q *purgatory) addProduce(b *Broker, d delayedProduce, timeout sim.Time) {
	d.id = q.nextID()
	d.timer = b.env.SetTimer(timeout, protocol.TimerDelayedProduce, d.id, false)
	q.produces = append(q.produces, d)
}

func (q *purgatory) addFetch(b *Broker, d delayedFetch, wait sim.Time) {
	d.id = q.nextID()
	d.timer = b.env.SetTimer(wait, protocol.TimerDelayedFetch, d.id, true)
	q.fetches = append(q.fetches, d)
}

// check completes what a change of one partition allows.
//
// Kafka: ReplicaManager.tryCompleteActions.
func (q *purgatory) check(b *Broker, h *hosted) {
	for i := 0; i < len(q.produces); i++ {
		if q.tryCompleteProduce(b, &q.produces[i], h) {
			d := q.produces[i]
			q.produces = slices.Delete(q.produces, i, i+1)
			i--
			b.env.CancelTimer(d.timer)
			b.answerProduce(&d)
		}
	}
	for i := 0; i < len(q.fetches); i++ {
		if fetchReady(b, q.fetches[i].req, h) {
			d := q.fetches[i]
			q.fetches = slices.Delete(q.fetches, i, i+1)
			i--
			b.env.CancelTimer(d.timer)
			b.completeFetch(d.conn, d.req)
		}
	}
	b.checkCommits(h)
	b.checkTransactions(h)
}

// tryCompleteProduce looks whether all partitions of a produce have their answer.
//
// Kafka: DelayedProduce.tryComplete.
func (q *purgatory) tryCompleteProduce(b *Broker, d *delayedProduce, h *hosted) bool {
	waiting := false
	for i := range d.parts {
		p := &d.parts[i]
		if !p.pending {
			continue
		}
		if p.result.TP != h.tp {
			waiting = true
			continue
		}
		done, err := h.p.CheckEnoughReplicasReachOffset(p.required)
		if !done && err == protocol.None {
			waiting = true
			continue
		}
		p.pending = false
		p.result.Err = err
		if err == protocol.NotEnoughReplicasAfterAppend {
			b.env.Probe("acks=all failed after the append")
		}
	}
	return !waiting
}

func (q *purgatory) produceExpired(b *Broker, id int64) {
	i := slices.IndexFunc(q.produces, func(d delayedProduce) bool { return d.id == id })
	if i < 0 {
		return
	}
	d := q.produces[i]
	q.produces = slices.Delete(q.produces, i, i+1)
	for j := range d.parts {
		if p := &d.parts[j]; p.pending {
			p.pending = false
			p.result.Err = protocol.RequestTimedOut
		}
	}
	b.env.Probe("acks=all timed out on the broker")
	b.answerProduce(&d)
}

func (q *purgatory) fetchExpired(b *Broker, id int64) {
	i := slices.IndexFunc(q.fetches, func(d delayedFetch) bool { return d.id == id })
	if i < 0 {
		return
	}
	d := q.fetches[i]
	q.fetches = slices.Delete(q.fetches, i, i+1)
	b.completeFetch(d.conn, d.req)
}

// dropConnection forgets fetches whose asker is gone. A produce stays: it is appended, and its end is
// worth recording.
func (q *purgatory) dropConnection(b *Broker, c sim.ConnID) {
	q.fetches = slices.DeleteFunc(q.fetches, func(d delayedFetch) bool {
		if d.conn == c {
			b.env.CancelTimer(d.timer)
		}
		return d.conn == c
	})
}

// fetchReady says that a waiting fetch has something to tell about one of its partitions.
//
// Kafka: DelayedFetch.tryComplete.
func fetchReady(b *Broker, req *protocol.Fetch, h *hosted) bool {
	for i := range req.Data {
		f := &req.Data[i]
		if f.TP != h.tp {
			continue
		}
		if !h.p.IsLeader() || h.p.CheckCurrentLeaderEpoch(f.CurrentLeaderEpoch) != protocol.None {
			return true
		}
		switch fetchIsolation(req.Replica, req.Isolation) {
		case log.FetchLogEnd:
			return h.p.Log().LogEndOffset() > f.Offset
		case log.FetchTxnCommitted:
			return h.p.Log().LastStableOffset() > f.Offset
		}
		return h.p.Log().HighWatermark() > f.Offset
	}
	return false
}

// handleProduce appends the batches, those of a transaction once its coordinator has been asked.
//
// Kafka: KafkaApis.handleProduceRequest, ReplicaManager.handleProduceAppend.
func (b *Broker) handleProduce(c sim.ConnID, client sim.NodeID, req *protocol.Produce) {
	if v, waits := b.maybeVerifyProduce(c, client, req); !waits {
		b.appendProduce(c, client, req, v.errs, v.guards)
	}
}

// appendProduce appends each batch and answers now, or waits for the high watermark with acks=all. refused and
// guards tell of each batch what came of the verification; nil if there was none.
//
// Kafka: ReplicaManager.appendRecords.
func (b *Broker) appendProduce(c sim.ConnID, client sim.NodeID, req *protocol.Produce, refused []protocol.Error, guards []log.VerificationGuard) {
	d := delayedProduce{conn: c, client: client, correlation: req.Correlation, acks: req.Acks, parts: make([]producePart, len(req.Data))}
	waits, failed := false, protocol.None
	for i := range req.Data {
		data, p := &req.Data[i], &d.parts[i]
		p.result = protocol.ProduceResult{TP: data.TP, BaseOffset: -1, LogStartOffset: -1}
		p.batch = data.Batch
		h := b.hostedPartition(data.TP)
		var o log.AppendOptions
		if guards != nil {
			o.Guard, p.result.Err = guards[i], refused[i]
		}
		switch {
		case p.result.Err != protocol.None:
			b.env.Record(&event.ProduceRefused{TP: data.TP, Err: p.result.Err, LastSequence: int64(record.NoSequence), Batch: data.Batch})
		case h == nil:
			p.result.Err = b.unknownPartition(data.TP)
		default:
			p.result.LogStartOffset = h.p.Log().LogStartOffset()
			var next int64
			p.result.BaseOffset, next, p.result.Err = b.appendWith(h, data.Batch, req.Acks, o)
			p.required, p.pending = next, p.result.Err == protocol.None && req.Acks == protocol.AcksAll
		}
		if p.result.Err != protocol.None {
			failed = p.result.Err
		}
	}
	if told := partition.AnswerToProduce(int(req.Acks), failed); !told.Respond {
		if told.CloseConnection {
			b.env.Close(c)
		}
		return
	}
	for i := range d.parts {
		p := &d.parts[i]
		if p.pending {
			if done, err := b.hostedPartition(p.result.TP).p.CheckEnoughReplicasReachOffset(p.required); done || err != protocol.None {
				p.pending, p.result.Err = false, err
			}
		}
		waits = waits || p.pending
	}
	if waits {
		b.purgatory.addProduce(b, d, req.Timeout)
		return
	}
	b.answerProduce(&d)
}

// unknownPartition tells a client that asks the wrong broker from one that asks for nothing that exists.
//
// Kafka: ReplicaManager.getPartitionOrError.
func (b *Broker) unknownPartition(tp protocol.TopicPartition) protocol.Error {
	if _, known := b.meta.partition(tp); known {
		return protocol.NotLeaderOrFollower
	}
	return protocol.UnknownTopicOrPartition
}

func (b *Broker) answerProduce(d *delayedProduce) {
	res := &protocol.ProduceResponse{Correlation: d.correlation, Data: make([]protocol.ProduceResult, len(d.parts))}
	for i := range d.parts {
		p := &d.parts[i]
		if p.result.Err == protocol.None {
			b.env.Record(&event.ProduceAnswered{TP: p.result.TP, BaseOffset: p.result.BaseOffset, Acks: d.acks, Client: d.client, Batch: p.batch})
		} else if p.required > 0 {
			b.env.Record(&event.ProduceRefused{TP: p.result.TP, Err: p.result.Err, AfterAppend: true, Batch: p.batch})
			p.result.BaseOffset = -1
		}
		res.Data[i] = p.result
	}
	b.env.Send(d.conn, res)
}

// handleFetch serves followers and consumers. It answers at once if there is something to tell, or if the
// asker does not want to wait.
//
// Kafka: KafkaApis.handleFetchRequest, ReplicaManager.fetchMessages.
func (b *Broker) handleFetch(c sim.ConnID, req *protocol.Fetch) {
	res := &protocol.FetchResponse{Correlation: req.Correlation, Data: make([]protocol.FetchResult, len(req.Data))}
	ready := req.MaxWait == 0 || req.MinBytes == 0 || len(req.Data) == 0
	for i := range req.Data {
		f, r := &req.Data[i], &res.Data[i]
		r.TP = f.TP
		h := b.hostedPartition(f.TP)
		if h == nil {
			r.Err = b.unknownPartition(f.TP)
			ready = true
			continue
		}
		info, effects, err := h.p.FetchRecords(fetchParams(req, f), b.env.Now())
		b.fillFetch(r, req, f, info, err)
		ready = ready || err != protocol.None || len(info.Batches) > 0 || info.Diverging.Present
		b.apply(h, effects)
	}
	if ready {
		b.env.Send(c, res)
		return
	}
	b.purgatory.addFetch(b, delayedFetch{conn: c, req: req}, req.MaxWait)
}

func fetchParams(req *protocol.Fetch, f *protocol.FetchData) partition.FetchParams {
	p := partition.FetchParams{ReplicaID: req.Replica, ReplicaEpoch: req.ReplicaEpoch, CurrentLeaderEpoch: f.CurrentLeaderEpoch,
		LastFetchedEpoch: f.LastFetchedEpoch, FetchOffset: f.Offset, LogStartOffset: f.LogStartOffset, MaxRecords: int(f.MaxRecords),
		Isolation: fetchIsolation(req.Replica, req.Isolation), FetchOnlyLeader: true}
	if req.Replica <= 0 {
		p.ReplicaID = partition.ConsumerID
	}
	return p
}

// fetchIsolation says how far the sender of a request may read (FetchIsolation.of).
func fetchIsolation(replica protocol.BrokerID, level protocol.IsolationLevel) log.Isolation {
	switch {
	case replica > 0:
		return log.FetchLogEnd
	case level == protocol.ReadCommitted:
		return log.FetchTxnCommitted
	}
	return log.FetchHighWatermark
}

func (b *Broker) fillFetch(r *protocol.FetchResult, req *protocol.Fetch, f *protocol.FetchData, info partition.ReadInfo, err protocol.Error) {
	r.Err = err
	if err != protocol.None {
		b.env.Record(&event.FetchRefused{TP: f.TP, Err: err, Replica: req.Replica, Offset: f.Offset})
		return
	}
	r.HighWatermark, r.LogStartOffset, r.Batches = info.HighWatermark, info.LogStartOffset, info.Batches
	r.LastStableOffset = info.LastStableOffset
	for _, t := range info.Aborted {
		r.Aborted = append(r.Aborted, protocol.AbortedTransaction{ProducerID: t.ProducerID, FirstOffset: t.FirstOffset})
	}
	if info.Diverging.Present {
		r.Diverging = &protocol.EpochEndOffset{Epoch: info.Diverging.Epoch, EndOffset: info.Diverging.EndOffset}
		b.env.Record(&event.DivergenceFound{TP: f.TP, Epoch: int32(info.Diverging.Epoch), EndOffset: info.Diverging.EndOffset, Follower: req.Replica})
	}
}

// completeFetch reads again for a fetch that has waited, without noting how far the asker is: that was
// done when it came.
//
// Kafka: DelayedFetch.onComplete.
func (b *Broker) completeFetch(c sim.ConnID, req *protocol.Fetch) {
	res := &protocol.FetchResponse{Correlation: req.Correlation, Data: make([]protocol.FetchResult, len(req.Data))}
	for i := range req.Data {
		f, r := &req.Data[i], &res.Data[i]
		r.TP = f.TP
		h := b.hostedPartition(f.TP)
		if h == nil {
			r.Err = b.unknownPartition(f.TP)
			continue
		}
		info, err := h.p.ReadRecords(fetchParams(req, f))
		b.fillFetch(r, req, f, info, err)
	}
	b.env.Send(c, res)
}
