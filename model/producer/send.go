package producer

import (
	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// submissionsPerLife is how many calls of send() one process can number.
const submissionsPerLife = 1 << 20

// send is the application's call of send() for one record; it is called again while the call waits. It
// returns true when the call is over: the record is in a batch, or the call has failed.
//
// Kafka: KafkaProducer.doSend.
func (p *KafkaProducer) send(env *sim.Env, c *call) (returns bool) {
	p.begin(env, c)
	tp := protocol.TopicPartition{Topic: c.topic, Partition: c.partition}
	var err protocol.Error
	why := forNothing
	switch {
	case p.closed:
		err = protocol.IllegalState
	case p.txn.failure != protocol.None:
		err = p.txn.failure
	case p.txn.sendError() != protocol.None:
		err = p.txn.sendError()
	case !p.waitOnMetadata(c):
		why = forMetadata
	case p.tooLarge(c.record):
		err = protocol.MessageTooLarge
	default:
		var ok bool
		if tp.Partition, ok = p.append(env, c); !ok {
			why = forMemory
		}
	}
	if why != forNothing && !p.mayWait(env, why) {
		err, why = p.waitError(why), forNothing
	}
	if !c.begun {
		c.begun = true
		env.Record(&event.RecordSent{TP: tp, Submission: int32(c.record.Submission), Record: c.record})
	}
	if err != protocol.None {
		if p.rules.SendErrorAborts && p.txn.hasOngoingTransaction() && err != protocol.IllegalState {
			p.maybeTransitionToErrorState(env, err) // KAFKA-9279; before, the commit went through without the record
		}
		p.reject(env, tp, c.record, err)
		return true
	}
	return why == forNothing
}

// begin numbers a call and puts the producer's marks on the record. Submissions rise by one a call; each
// process of a node has numbers of its own, the first from 1, the second from 1<<20 + 1, and so on, so that
// they are unique over the node's whole life without being kept anywhere.
func (p *KafkaProducer) begin(env *sim.Env, c *call) {
	if c.begun {
		return
	}
	p.submissions++
	c.record.Submission = int32(env.Incarnation()-1)*submissionsPerLife + p.submissions
	c.record.Producer = int32(env.Self())
	if c.record.Timestamp <= 0 {
		c.record.Timestamp = env.Clock().Ms()
	}
	p.calledAt = env.Now()
}

// waitOnMetadata says whether the topic is known, and the partition if one was named; if not it asks for
// metadata, at once the first time, then whenever an answer has not told.
//
// Kafka: KafkaProducer.waitOnMetadata.
func (p *KafkaProducer) waitOnMetadata(c *call) (known bool) {
	m := p.net.Metadata()
	n := m.PartitionCount(c.topic)
	if n > 0 && int(c.partition) < n {
		return true
	}
	switch {
	case !c.askedNew:
		m.RequestUpdateForNewTopics()
	case c.asked != m.Version():
		m.RequestUpdate()
	}
	c.askedNew, c.asked = true, m.Version()
	return false
}

// tooLarge says that a record can never be sent (KafkaProducer.ensureValidRecordSize).
func (p *KafkaProducer) tooLarge(r *record.Record) bool {
	size := sizeUpperBound(p.cfg.Magic, r)
	return size > p.cfg.MaxRequestSize || int64(max(size, p.cfg.BatchSize)) > p.cfg.BufferMemory
}

// append puts the record into the accumulator, in a new batch if the open one has no room. ok is false if
// there is no memory for one.
//
// A transaction gets the partition as soon as it holds a record (TransactionManager.maybeAddPartition).
//
// Kafka: KafkaProducer.doSend, RecordAccumulator.append.
func (p *KafkaProducer) append(env *sim.Env, c *call) (partition int32, ok bool) {
	m, now, a := p.net.Metadata(), env.Now(), &p.accumulator
	t := p.partitioner.topic(c.topic)
	sticky := c.partition < 0 && !c.record.HasKey && p.rules.StickyPartitioner
	partition = p.partition(t, c)
	q := a.queue(protocol.TopicPartition{Topic: c.topic, Partition: partition})
	if l := q.last(); sticky && p.rules.BuiltInPartitioner && p.waiting != forMemory && (l == nil || l.isFull()) {
		p.partitioner.appended(t, m, 0, p.cfg.BatchSize, true) // what went there before may be enough by now
		partition = p.partition(t, c)
		q = a.queue(protocol.TopicPartition{Topic: c.topic, Partition: partition})
	}
	bytes, ok := a.tryAppend(q, c.record, now)
	if !ok && p.waiting != forMemory && sticky && !p.rules.BuiltInPartitioner {
		p.chosen = p.partitioner.onNewBatch(t, m)
		partition = p.chosen
		q = a.queue(protocol.TopicPartition{Topic: c.topic, Partition: partition})
		bytes, ok = a.tryAppend(q, c.record, now)
	}
	if !ok {
		bytes, ok = a.appendNewBatch(q, c.record, now)
	}
	if ok {
		p.txn.maybeAddPartition(q.TP)
	}
	if ok && sticky && p.rules.BuiltInPartitioner {
		p.partitioner.appended(t, m, bytes, p.cfg.BatchSize, q.last().isFull())
	}
	return partition, ok
}

// partition chooses a record's partition. A call that waits for memory keeps what it has chosen.
func (p *KafkaProducer) partition(t *topicPartitioner, c *call) int32 {
	m := p.net.Metadata()
	switch {
	case c.partition >= 0:
		return c.partition
	case p.waiting == forMemory:
		return p.chosen
	case c.record.HasKey:
		p.chosen = byKey(c.record, m.PartitionCount(c.topic))
	case !p.rules.StickyPartitioner:
		p.chosen = p.partitioner.roundRobin(t, m)
	default:
		p.chosen = p.partitioner.stick(t, m)
	}
	return p.chosen
}

// mayWait lets the call wait for metadata or memory; false if its time is over. Both waits count from the
// call (max.block.ms).
func (p *KafkaProducer) mayWait(env *sim.Env, why wait) bool {
	bound := p.cfg.MaxBlockMetadata
	if why == forMemory {
		bound = p.cfg.MaxBlockMemory
	}
	if bound <= env.Now()-p.calledAt {
		return false
	}
	if p.waiting != why {
		p.waiting, p.waitingSince = why, env.Now()
		env.Probe("send() blocked")
	}
	p.accumulator.free.waiting = why == forMemory
	at := sim.Never
	if bound < sim.Never-p.calledAt {
		at = p.calledAt + bound
	}
	p.maxBlock.set(env, at, protocol.TimerMaxBlock)
	return true
}

// waitError is what send() fails with when max.block.ms is over.
func (p *KafkaProducer) waitError(why wait) protocol.Error {
	if why == forMemory {
		return p.cfg.MemoryError
	}
	return protocol.TimeoutException
}
