package consumer

import (
	"cmp"
	"slices"

	"kafkatrial/model/client"
	"kafkatrial/model/event"
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// fetcher holds what was fetched and not yet returned by poll.
//
// Kafka: AbstractFetch, FetchBuffer, FetchCollector.
type fetcher struct {
	pending []int32          // by broker id − 1: correlation id of the fetch under way, 0 none
	buffer  []completedFetch // the first is the one in use
	records []event.Consumed // what the poll under way has collected
}

// completedFetch is one partition's part of a fetch response.
type completedFetch struct {
	tp          protocol.TopicPartition
	result      *protocol.FetchResult
	nextOffset  int64 // of the next record to return
	lastEpoch   int   // of the batch it is in; -1 before the first
	batch, next int   // where that is: a batch of the result, a record in it
	initialized bool
	consumed    bool

	// With isolation.level=read_committed: the producers in whose aborted transaction the reader is.
	readCommitted bool
	aborted       []protocol.AbortedTransaction // not come to yet, by first offset
	abortedIDs    []int64
}

// sendFetches asks every broker that leads a partition with a valid position and nothing in the buffer, if
// no fetch to it is under way.
//
// Kafka: AbstractFetch.prepareFetchRequests.
func (c *Consumer) sendFetches(env *sim.Env) {
	k := &c.kafka
	for b := 1; b <= len(c.dir.Brokers); b++ {
		if k.fetcher.pending[b-1] != 0 {
			continue
		}
		var req *protocol.Fetch
		for i := range k.subs.partitions {
			p := &k.subs.partitions[i]
			if !p.hasValidPosition() || p.fetchAt > env.Now() || k.fetcher.buffered(p.TP) {
				continue
			}
			if p.Position.Leader == protocol.NoBroker {
				k.net.Metadata().RequestUpdate()
			}
			if p.Position.Leader != b {
				continue
			}
			if req == nil {
				if !k.net.Ready(env, client.Destination(b)) {
					break
				}
				req = &protocol.Fetch{Correlation: k.net.NextCorrelation(), Replica: protocol.ConsumerReplicaID, ReplicaEpoch: -1,
					MaxWait: c.cfg.fetchMaxWait, MinBytes: c.cfg.fetchMinBytes, Isolation: c.cfg.isolation}
			}
			req.Data = append(req.Data, protocol.FetchData{TP: p.TP, Offset: p.Position.Offset,
				CurrentLeaderEpoch: p.Position.CurrentEpoch, LastFetchedEpoch: -1, LogStartOffset: -1})
		}
		if req != nil {
			k.fetcher.pending[b-1] = req.Correlation
			k.net.Send(env, client.Destination(b), req.Correlation, req, true)
		}
	}
}

func (f *fetcher) buffered(tp protocol.TopicPartition) bool {
	for i := range f.buffer {
		if f.buffer[i].tp == tp {
			return true
		}
	}
	return false
}

// handleFetch puts what a fetch brought into the buffer.
//
// Kafka: AbstractFetch.handleFetchSuccess.
func (c *Consumer) handleFetch(env *sim.Env, r *client.Response, req *protocol.Fetch) {
	f := &c.kafka.fetcher
	if b := r.To.Broker(); f.pending[b-1] == r.Correlation {
		f.pending[b-1] = 0
	}
	answer, ok := r.Answer.(*protocol.FetchResponse)
	if !ok {
		return // the connection is gone; the client asks for metadata
	}
	for i := range answer.Data {
		d := &answer.Data[i]
		offset := int64(-1)
		for j := range req.Data {
			if req.Data[j].TP == d.TP {
				offset = req.Data[j].Offset
			}
		}
		if offset < 0 {
			continue
		}
		if n := len(d.Batches); n > 0 {
			env.Record(&event.Fetched{TP: d.TP, FirstOffset: offset, NextOffset: d.Batches[n-1].NextOffset(), Broker: r.To.Broker(), Records: recordsFrom(d.Batches, offset)})
		}
		f.buffer = append(f.buffer, c.completedFetch(d, offset, req.Isolation))
	}
}

func (c *Consumer) completedFetch(d *protocol.FetchResult, offset int64, isolation protocol.IsolationLevel) completedFetch {
	done := completedFetch{tp: d.TP, result: d, nextOffset: offset, lastEpoch: -1, readCommitted: isolation == protocol.ReadCommitted && c.app.Planted.On(planted.SkipAborted)}
	done.aborted = slices.SortedStableFunc(slices.Values(d.Aborted), func(a, b protocol.AbortedTransaction) int {
		return cmp.Compare(a.FirstOffset, b.FirstOffset)
	})
	return done
}

// recordsFrom lists the records of batches from an offset on. One batch that is wanted whole is not copied.
func recordsFrom(batches []*record.RecordBatch, offset int64) []record.Record {
	if len(batches) == 1 && batches[0].BaseOffset >= offset {
		return batches[0].Records
	}
	var all []record.Record
	for _, b := range batches {
		for i := range b.Records {
			if b.Offset(i) >= offset {
				all = append(all, b.Records[i])
			}
		}
	}
	return all
}

// collectFetch takes up to max.poll.records records out of the buffer and moves the positions past them.
// An exception waits for the next poll if there are records to return first. reset says that a position was
// given up and nothing returned: the poll goes round again.
//
// Kafka: FetchCollector.collectFetch.
func (c *Consumer) collectFetch(env *sim.Env) (reset bool, e *exception) {
	f := &c.kafka.fetcher
	for len(f.records) < c.cfg.maxPollRecords && len(f.buffer) > 0 {
		next := &f.buffer[0]
		if !next.initialized {
			ok, e := c.initialize(env, next)
			if e != nil {
				if len(f.records) == 0 {
					f.drop()
					return false, e
				}
				return false, nil
			}
			if !ok {
				if p := c.kafka.subs.find(next.tp); p != nil && p.State == AwaitReset && p.asked == 0 {
					reset = true
				}
				f.drop()
				continue
			}
			next.initialized = true
		}
		c.fetchRecords(env, next)
		if next.consumed {
			f.drop()
		}
	}
	return reset && len(f.records) == 0, nil
}

func (f *fetcher) drop() {
	n := copy(f.buffer, f.buffer[1:])
	f.buffer[n] = completedFetch{}
	f.buffer = f.buffer[:n]
}

// initialize looks at a fetch for the first time: is it still wanted, and is it an error?
//
// Kafka: FetchCollector.initialize, handleInitializeSuccess, handleInitializeErrors.
func (c *Consumer) initialize(env *sim.Env, f *completedFetch) (ok bool, e *exception) {
	p := c.kafka.subs.find(f.tp)
	if p == nil || !p.hasValidPosition() {
		return false, nil
	}
	stale := p.Position.Offset != f.nextOffset && c.app.Planted.On(planted.FetchAtPosition)
	switch f.result.Err {
	case protocol.None:
		if stale {
			return false, nil
		}
		p.HighWatermark = f.result.HighWatermark
		return true, nil
	case protocol.NotLeaderOrFollower, protocol.ReplicaNotAvailable, protocol.KafkaStorageError,
		protocol.FencedLeaderEpoch, protocol.OffsetNotAvailable, protocol.UnknownTopicOrPartition:
		c.kafka.net.Metadata().RequestUpdate()
		p.fetchAt = env.Now() + c.cfg.client.RetryBackoff
	case protocol.OffsetOutOfRange:
		if stale {
			return false, nil
		}
		if c.cfg.reset == ResetNone {
			return false, &exception{err: protocol.OffsetOutOfRange, tp: f.tp, at: f.nextOffset}
		}
		p.requestReset(c.cfg.reset)
	case protocol.UnknownLeaderEpoch, protocol.UnknownServerError:
		p.fetchAt = env.Now() + c.cfg.client.RetryBackoff // the broker is behind the metadata, or could not read
	default:
		return false, &exception{err: f.result.Err, tp: f.tp, at: f.nextOffset}
	}
	return false, nil
}

// fetchRecords returns records of one fetch, if they begin at the position, and moves the position.
//
// Kafka: FetchCollector.fetchRecords.
func (c *Consumer) fetchRecords(env *sim.Env, f *completedFetch) {
	k := &c.kafka
	p := k.subs.find(f.tp)
	if !p.hasValidPosition() || p.Position.Offset != f.nextOffset && c.app.Planted.On(planted.FetchAtPosition) {
		f.consumed = true
		return
	}
	from, first := f.nextOffset, len(k.fetcher.records)
	for len(k.fetcher.records) < c.cfg.maxPollRecords {
		r, offset, ok := f.nextRecord()
		if !ok {
			break
		}
		k.fetcher.records = append(k.fetcher.records, event.Consumed{TP: f.tp, Offset: offset, Record: r})
	}
	if f.nextOffset <= from {
		return
	}
	p.Position.Offset, p.Position.OffsetEpoch = f.nextOffset, c.epochOf(f.lastEpoch)
	if got := k.fetcher.records[first:]; len(got) > 0 {
		env.Record(&event.Polled{TP: f.tp, FirstOffset: got[0].Offset, NextOffset: f.nextOffset, Records: append([]event.Consumed(nil), got...)})
	}
}

// nextRecord gives the next record of a fetch that is for the application. Records before the position, at
// the start of a batch that holds it, are passed over, and so are control records. At the end of the last
// batch the position moves behind it, although compaction may have removed its last records.
//
// A reader with isolation.level=read_committed passes over the batches of aborted transactions too.
//
// Kafka: CompletedFetch.nextFetchedRecord.
func (f *completedFetch) nextRecord() (r *record.Record, offset int64, ok bool) {
	for f.batch < len(f.result.Batches) {
		b := f.result.Batches[f.batch]
		f.lastEpoch = b.PartitionLeaderEpoch
		if f.next == 0 && f.skips(b) {
			f.nextOffset = b.NextOffset()
			f.batch++
			continue
		}
		for f.next < len(b.Records) {
			i := f.next
			f.next++
			if offset = b.Offset(i); offset < f.nextOffset {
				continue
			}
			f.nextOffset = offset + 1
			if !b.IsControl {
				return &b.Records[i], offset, true
			}
		}
		f.batch, f.next = f.batch+1, 0
	}
	if n := len(f.result.Batches); n > 0 && !f.consumed {
		f.nextOffset = max(f.nextOffset, f.result.Batches[n-1].NextOffset())
	}
	f.consumed = true
	return nil, 0, false
}

// skips says, when the reader comes to a batch, that it belongs to an aborted transaction. Which transactions
// were aborted the broker has told; where one ends its marker says. A batch outside of a transaction counts
// although its producer aborted one.
//
// Kafka: CompletedFetch.nextFetchedRecord, consumeAbortedTransactionsUpTo, isBatchAborted, containsAbortMarker.
func (f *completedFetch) skips(b *record.RecordBatch) bool {
	if !f.readCommitted || !b.HasProducerID() {
		return false
	}
	for len(f.aborted) > 0 && f.aborted[0].FirstOffset <= b.LastOffset() {
		if id := f.aborted[0].ProducerID; !slices.Contains(f.abortedIDs, id) {
			f.abortedIDs = append(f.abortedIDs, id)
		}
		f.aborted = f.aborted[1:]
	}
	if b.IsControl && len(b.Records) > 0 && b.Marker.Abort {
		f.abortedIDs = slices.DeleteFunc(f.abortedIDs, func(id int64) bool { return id == b.ProducerID })
		return false
	}
	return b.IsTransactional && !b.IsControl && slices.Contains(f.abortedIDs, b.ProducerID)
}
