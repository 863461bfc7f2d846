package producer

import (
	"sort"

	"kafkatrial/model/client"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/model/release"
	"kafkatrial/sim"
)

// PartitionQueue is what the accumulator holds for one partition.
type PartitionQueue struct {
	TP protocol.TopicPartition
	// Batches wait to be drained, from the front. Records are appended to the last one.
	Batches []*ProducerBatch
	// InFlight holds what was drained and has no outcome, in the order of draining (Sender.inFlightBatches).
	InFlight []*ProducerBatch
	// Muted: nothing is drained while a batch is out.
	Muted bool
	// Txn is the partition's part of the TransactionManager.
	Txn TxnPartitionEntry
}

// RecordAccumulator gathers records in batches, one queue a partition.
//
// Kafka: RecordAccumulator.
type RecordAccumulator struct {
	cfg   *Config
	rules *release.Rules

	queues     []PartitionQueue // by topic and number
	incomplete []*ProducerBatch // those without an outcome, in the order of creation
	created    int              // batches so far
	free       BufferPool
	flushUpTo  int // batches up to this number are wanted out (flush); 0 none
	closed     bool
	drainIndex []int // by broker: the queue to begin with, so that no partition starves
}

func newRecordAccumulator(cfg *Config, rules *release.Rules, brokers int) RecordAccumulator {
	return RecordAccumulator{cfg: cfg, rules: rules, drainIndex: make([]int, brokers+1),
		free: BufferPool{total: cfg.BufferMemory, available: cfg.BufferMemory}}
}

// queue finds a partition's queue, creating it empty.
func (a *RecordAccumulator) queue(tp protocol.TopicPartition) *PartitionQueue {
	i := sort.Search(len(a.queues), func(i int) bool { return a.queues[i].TP.Compare(tp) >= 0 })
	if i < len(a.queues) && a.queues[i].TP == tp {
		return &a.queues[i]
	}
	a.queues = append(a.queues, PartitionQueue{})
	copy(a.queues[i+1:], a.queues[i:])
	a.queues[i] = PartitionQueue{TP: tp, Txn: newTxnPartitionEntry()}
	return &a.queues[i]
}

// last is the batch that a record would be appended to, nil if there is none.
func (q *PartitionQueue) last() *ProducerBatch {
	if len(q.Batches) == 0 {
		return nil
	}
	return q.Batches[len(q.Batches)-1]
}

// tryAppend adds a record to the partition's open batch. A batch that has no room is closed.
//
// Kafka: RecordAccumulator.tryAppend.
func (a *RecordAccumulator) tryAppend(q *PartitionQueue, r *record.Record, now sim.Time) (bytes int, ok bool) {
	b := q.last()
	if b == nil {
		return 0, false
	}
	if bytes, ok = b.tryAppend(a.cfg.Magic, r, now); !ok {
		b.closed = true
	}
	return bytes, ok
}

// appendNewBatch puts a record into a new batch; false if there is no memory for one.
//
// Kafka: RecordAccumulator.append, appendNewBatch.
func (a *RecordAccumulator) appendNewBatch(q *PartitionQueue, r *record.Record, now sim.Time) (bytes int, ok bool) {
	reserved := max(a.cfg.BatchSize, sizeUpperBound(a.cfg.Magic, r))
	if !a.free.allocate(int64(reserved)) {
		return 0, false
	}
	limit, fullAt := reserved, reserved
	if a.cfg.Magic < 2 {
		limit, fullAt = max(a.cfg.BatchSize, firstRecordSize(a.cfg.Magic, r)), a.cfg.BatchSize
	}
	a.created++
	b := &ProducerBatch{TP: q.TP, Created: now, lastAttempt: now,
		limit: limit, fullAt: fullAt, allocated: int64(reserved),
		number: a.created, leaderEpoch: -1, newLeaderAt: -1}
	bytes, _ = b.tryAppend(a.cfg.Magic, r, now)
	q.Batches = append(q.Batches, b)
	a.incomplete = append(a.incomplete, b)
	return bytes, true
}

// complete forgets a batch that has its outcome (RecordAccumulator.completeBatch).
func (a *RecordAccumulator) complete(b *ProducerBatch) {
	for i := range a.incomplete {
		if a.incomplete[i] == b {
			a.incomplete = append(a.incomplete[:i], a.incomplete[i+1:]...)
			break
		}
	}
}

// deallocate gives a batch's memory back, once. Until KAFKA-19012 that was also done when an attempt of the batch is still
// out.
//
// Kafka: RecordAccumulator.deallocate.
func (a *RecordAccumulator) deallocate(b *ProducerBatch) {
	a.free.deallocate(b.allocated)
	b.allocated = 0
}

// reenqueue puts a batch that is to be sent again at the front of its queue. Without sequence numbers that
// is all: if two batches of a partition fail, the one that fails last comes first. With them it
// goes behind the batches whose numbers come before.
//
// Kafka: RecordAccumulator.reenqueue, insertInSequenceOrder.
func (a *RecordAccumulator) reenqueue(q *PartitionQueue, b *ProducerBatch, now sim.Time) {
	b.reenqueued(now)
	i := 0
	for b.hasSequence() && i < len(q.Batches) && q.Batches[i].hasSequence() && q.Batches[i].baseSequence() < b.baseSequence() {
		i++
	}
	q.Batches = append(q.Batches, nil)
	copy(q.Batches[i+1:], q.Batches[i:])
	q.Batches[i] = b
}

// backoff is how long a batch waits before its next attempt.
func (a *RecordAccumulator) backoff(b *ProducerBatch) sim.Time {
	return client.Backoff(a.cfg.Net.RetryBackoff, a.cfg.Net.RetryBackoffMax, b.Attempts-1)
}

// backingOff says that a batch waits for retry.backoff.ms before it is sent again. From 3.6.1 it does not
// if the partition has got a new leader meanwhile, since the wait is meant for the old one.
//
// Kafka: RecordAccumulator.shouldBackoff.
func (a *RecordAccumulator) backingOff(b *ProducerBatch, now sim.Time) bool {
	if b.Attempts == 0 || a.rules.SkipBackoffOnNewLeader && b.hasNewLeader() {
		return false
	}
	return now-b.lastAttempt < a.backoff(b)
}

// readyCheck is what ready finds.
type readyCheck struct {
	brokers       []protocol.BrokerID // ascending
	unknownLeader bool
	// lingerAt and backoffAt are when the next batch becomes ready for each of the two reasons; sim.Never if none.
	lingerAt, backoffAt sim.Time
}

// ready finds the brokers for which a batch is due: its linger.ms or its backoff is over, it is full or
// another is behind it, memory is wanted, or the producer flushes or closes.
//
// A transaction that completes makes every batch due.
//
// Kafka: RecordAccumulator.ready, batchReady.
func (a *RecordAccumulator) ready(m *client.Metadata, completing bool, now sim.Time, r *readyCheck) {
	r.brokers, r.unknownLeader = r.brokers[:0], false
	r.lingerAt, r.backoffAt = sim.Never, sim.Never
	wanted := a.free.waiting || a.closed || a.flushUpTo > 0 || completing
	for i := range a.queues {
		q := &a.queues[i]
		if len(q.Batches) == 0 {
			continue
		}
		leader, epoch, ok := m.Leader(q.TP)
		b := q.Batches[0]
		if !ok {
			r.unknownLeader = true
			continue
		}
		b.maybeUpdateLeaderEpoch(epoch)
		if q.Muted {
			continue
		}
		lingered := now-b.lastAttempt >= a.cfg.Linger
		switch {
		case a.backingOff(b, now):
			r.backoffAt = min(r.backoffAt, b.lastAttempt+a.backoff(b))
		case lingered || len(q.Batches) > 1 || b.isFull() || wanted:
			r.add(leader)
		default:
			r.lingerAt = min(r.lingerAt, b.lastAttempt+a.cfg.Linger)
		}
	}
}

// add inserts a broker in order.
func (r *readyCheck) add(b protocol.BrokerID) {
	i := sort.SearchInts(r.brokers, b)
	if i < len(r.brokers) && r.brokers[i] == b {
		return
	}
	r.brokers = append(r.brokers, 0)
	copy(r.brokers[i+1:], r.brokers[i:])
	r.brokers[i] = b
}

// drain takes the first batch of every partition that a broker leads, also of those that were not due by
// themselves: the request goes there anyway. It stops at max.request.size, and, as Kafka does, at a partition
// that the TransactionManager holds back; the next time it begins there.
//
// Kafka: RecordAccumulator.drainBatchesForOneNode.
func (a *RecordAccumulator) drain(m *client.Metadata, t *TransactionManager, broker protocol.BrokerID, now sim.Time) []*ProducerBatch {
	var out []*ProducerBatch
	size, n := 0, len(a.queues)
	start := a.drainIndex[broker] % n
	for k := 0; k < n; k++ {
		i := (start + k) % n
		q := &a.queues[i]
		if len(q.Batches) == 0 || q.Muted {
			continue
		}
		leader, epoch, ok := m.Leader(q.TP)
		if !ok || leader != broker {
			continue
		}
		b := q.Batches[0]
		b.maybeUpdateLeaderEpoch(epoch)
		if a.backingOff(b, now) {
			continue
		}
		if size+b.size > a.cfg.MaxRequestSize && len(out) > 0 || t.shouldStopDrain(q, b) {
			a.drainIndex[broker] = i
			break
		}
		q.Batches = pop(q.Batches)
		b.close()
		t.assignSequence(q, b)
		b.reopened = false
		b.InFlight = true
		q.InFlight = append(q.InFlight, b)
		size += b.size
		out = append(out, b)
	}
	return out
}

// pop removes the first batch, in place.
func pop(s []*ProducerBatch) []*ProducerBatch {
	n := copy(s, s[1:])
	s[n] = nil
	return s[:n]
}

// remove takes a batch off the list of those in flight.
func (q *PartitionQueue) remove(b *ProducerBatch) {
	for i := range q.InFlight {
		if q.InFlight[i] == b {
			n := copy(q.InFlight[i:], q.InFlight[i+1:]) + i
			q.InFlight[n] = nil
			q.InFlight = q.InFlight[:n]
			return
		}
	}
}

// flushed says that no batch is left of those that flush waits for.
func (a *RecordAccumulator) flushed() bool {
	return len(a.incomplete) == 0 || a.incomplete[0].number > a.flushUpTo
}
