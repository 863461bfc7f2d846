package consumer

import (
	"slices"
	"strconv"

	"kafkatrial/model/client"
	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// An application that keeps a state in memory, and writes every change of it to a topic: a store with its changelog, as
// Kafka Streams has it, which counts records by key; or the position in a source that is not Kafka, as Kafka Connect
// keeps it. What is in memory is gone with the process, and is right only as far as it agrees with what is committed. So
// it is read back from the topic before the first record is taken: when the application gets a partition, and after
// every abort.
//
//   - Streams: Stores.inMemoryKeyValueStore, ChangeLoggingKeyValueBytesStore, StoreChangelogReader. After an abort the task is
//     closed dirty, and its store is made anew from the changelog: TaskCorruptedException, TaskManager.closeDirtyAndRevive.
//     Which processing.guarantee it is (StreamsConfig) is a question of the loop and of the transactional.id (ActiveTaskCreator):
//     StreamTask.prepareCommit flushes, and StreamsProducer.commitTransaction sends the positions and commits.
//   - Connect: KafkaOffsetBackingStore, KafkaBasedLog.readToEnd. A task whose transaction fails is failed, and a task that is
//     started again reads its position.
//
// What is read ends at the high watermark, also with isolation.level=read_committed: so the reader waits until every
// transaction below it has ended. Kafka: StoreChangelogReader.endOffsetForChangelogs (from 2.6, KAFKA-10167; before, the
// end was the last stable offset), TopicAdmin.endOffsets.

// StateStore says where an application writes down what it keeps in memory.
type StateStore struct {
	Topic string // changelog of Update; offset.storage.topic of StorePosition
}

// Count is an entry of the store: how many records had the key.
type Count struct {
	Partition int32 // of the task it belongs to: that of the input and that of the changelog
	Key       string
	Count     int64
}

// stateStore is what an application has in memory, and the read-back under way.
type stateStore struct {
	counts  []Count
	counted []int64 // for each record in hand: the count after it, once Update has come to it
	read    bool    // of a source: the position was read back
	back    readBack
}

// readBack goes through partitions, one after the other, from the start to the end.
type readBack struct {
	todo    []protocol.TopicPartition // the first is the one in work
	known   bool                      // where it starts and ends
	at, end int64                     // the next offset to read, and where that ends
	asked   int32                     // correlation id of the request under way, 0 none
	retryAt sim.Time
	got     []keyed // so far, the last value of every key
}

type keyed struct{ key, value string }

// Updates says that the application counts records in a store.
func (a *Application) Updates() bool { return a.Store != nil && slices.Contains(a.Loop, Update) }

// beginUpdate counts the records in hand, and sends what has changed to the changelog: a record to the partition of the
// input, which is the task's. A record without a key counts under the empty one, where KStreamAggregate drops it.
func (c *Consumer) beginUpdate(env *sim.Env) {
	c.store.counted = nil
	c.updateNext(env)
}

// updateNext counts the next records that came from the same partition.
func (c *Consumer) updateNext(env *sim.Env) {
	batch, done := c.loop.batch, len(c.store.counted)
	if done == len(batch) {
		c.endVerb(env)
		return
	}
	s := &protocol.SendCommand{Topic: c.app.Store.Topic, Partition: batch[done].TP.Partition}
	for ; done < len(batch) && batch[done].TP.Partition == s.Partition; done++ {
		in := batch[done].Record
		n := c.store.add(s.Partition, in.Key)
		c.store.counted = append(c.store.counted, n)
		env.Record(&event.StoreUpdated{TP: batch[done].TP, Offset: batch[done].Offset, Count: n, Key: in.Key})
		s.Records = append(s.Records, record.Record{ID: OutputID(in.ID, s.Topic), From: in.ID, Key: in.Key, HasKey: true,
			Value: strconv.FormatInt(n, 10), Timestamp: record.NoTimestamp})
	}
	c.call(env, forVerb, &protocol.Command{Send: s})
}

func (s *stateStore) add(partition int32, key string) int64 {
	i := slices.IndexFunc(s.counts, func(n Count) bool { return n.Partition == partition && n.Key == key })
	if i < 0 {
		i = len(s.counts)
		s.counts = append(s.counts, Count{Partition: partition, Key: key})
	}
	s.counts[i].Count++
	return s.counts[i].Count
}

// storePosition sends the position in the source to its topic, keyed by the table: the last record of a key counts. Outside
// of a transaction it waits for the acknowledgement, as WorkerSourceTask.commitOffsets does (every
// offset.flush.interval.ms; here after every poll). In one, ExactlyOnceWorkerSourceTask makes it part of what is committed; that the
// leader of a Connect cluster fences earlier tasks first (Admin.fenceProducers) is left out.
func (c *Consumer) storePosition(env *sim.Env) {
	at := strconv.FormatInt(c.db.after, 10)
	table := c.app.Source.Table
	c.call(env, forVerb, &protocol.Command{Flush: !c.producer.Transactional(), Send: &protocol.SendCommand{Topic: c.app.Store.Topic, Partition: -1,
		Records: []record.Record{{ID: table + "@" + at, Key: table, HasKey: true, Value: at, Timestamp: record.NoTimestamp}}}})
}

// readsBack sees to it that what is in memory was read back before poll takes a record; it reports whether that is still
// to come. In Streams the positions are looked up at the same time; here they are known first.
func (c *Consumer) readsBack(env *sim.Env) bool {
	if !c.app.Updates() || !slices.ContainsFunc(c.kafka.subs.partitions, func(p PartitionState) bool { return !p.restored }) {
		return false
	}
	if !c.kafka.subs.hasAllFetchPositions() {
		return true
	}
	var todo []protocol.TopicPartition
	for i := range c.kafka.subs.partitions {
		p := &c.kafka.subs.partitions[i]
		if tp := (protocol.TopicPartition{Topic: c.app.Store.Topic, Partition: p.TP.Partition}); !p.restored && !slices.Contains(todo, tp) {
			todo = append(todo, tp)
		}
	}
	c.beginReadBack(env, todo)
	return true
}

// readsPositionBack is the same of a source.
func (c *Consumer) readsPositionBack(env *sim.Env) bool {
	if c.app.Store == nil || c.store.read {
		return false
	}
	c.db.after = 0
	var todo []protocol.TopicPartition
	for _, p := range c.kafka.net.Metadata().Partitions() {
		if p.TP.Topic == c.app.Store.Topic {
			todo = append(todo, p.TP)
		}
	}
	if todo == nil {
		c.kafka.net.Metadata().RequestUpdate()
		return true
	}
	c.beginReadBack(env, todo)
	return true
}

func (c *Consumer) beginReadBack(env *sim.Env, todo []protocol.TopicPartition) {
	c.loop.state = Restoring
	c.store.back = readBack{todo: todo}
	c.restoring(env)
}

// restoring goes on with it, and with the poll when it is done.
func (c *Consumer) restoring(env *sim.Env) {
	c.lookAtInbox(env)
	b := &c.store.back
	for len(b.todo) > 0 && b.known && b.at >= b.end {
		c.restored(env, b)
		*b = readBack{todo: b.todo[1:]}
	}
	if len(b.todo) == 0 {
		c.loop.state = Polling
		if c.app.Source != nil {
			c.store.read = true
			c.pollTable(env)
		} else {
			c.poll(env)
		}
		return
	}
	if b.asked != 0 || b.retryAt > env.Now() {
		return
	}
	tp := b.todo[0]
	leader, epoch := c.leader(tp)
	if leader == protocol.NoBroker {
		c.kafka.net.Metadata().RequestUpdate()
		return
	}
	to := client.Destination(leader)
	if !c.kafka.net.Ready(env, to) {
		return
	}
	b.asked = c.kafka.net.NextCorrelation()
	if !b.known {
		ask := func(timestamp int64) protocol.OffsetQuery {
			return protocol.OffsetQuery{TP: tp, CurrentLeaderEpoch: epoch, Timestamp: timestamp}
		}
		c.kafka.net.Send(env, to, b.asked, &protocol.ListOffsets{Correlation: b.asked, Replica: protocol.ConsumerReplicaID, Isolation: protocol.ReadUncommitted,
			Data: []protocol.OffsetQuery{ask(protocol.EarliestTimestamp), ask(protocol.LatestTimestamp)}}, true)
		return
	}
	c.kafka.net.Send(env, to, b.asked, &protocol.Fetch{Correlation: b.asked, Replica: protocol.ConsumerReplicaID, ReplicaEpoch: -1,
		MaxWait: c.cfg.fetchMaxWait, MinBytes: c.cfg.fetchMinBytes, Isolation: c.cfg.isolation,
		Data: []protocol.FetchData{{TP: tp, Offset: b.at, CurrentLeaderEpoch: epoch, LastFetchedEpoch: -1, LogStartOffset: -1}}}, true)
}

// handleReadBack takes an answer to it; mine is false if it is none. After an error it asks again, and begins the
// partition anew if what it wants to read is no longer there.
func (c *Consumer) handleReadBack(env *sim.Env, r *client.Response) (mine bool) {
	b := &c.store.back
	if b.asked == 0 || b.asked != r.Correlation {
		return false
	}
	b.asked = 0
	switch a := r.Answer.(type) {
	case *protocol.ListOffsetsResponse:
		if len(a.Data) == 2 && a.Data[0].Err == protocol.None && a.Data[1].Err == protocol.None {
			b.known, b.at, b.end = true, a.Data[0].Offset, a.Data[1].Offset
			return true
		}
	case *protocol.FetchResponse:
		if len(a.Data) == 1 && a.Data[0].Err == protocol.None {
			b.take(c.completedFetch(&a.Data[0], b.at, c.cfg.isolation))
			return true
		}
		if len(a.Data) == 1 && a.Data[0].Err == protocol.OffsetOutOfRange {
			*b = readBack{todo: b.todo}
		}
	}
	b.retryAt = env.Now() + c.cfg.client.RetryBackoff
	c.kafka.net.Metadata().RequestUpdate()
	return true
}

// take keeps the last value of every key below the end.
func (b *readBack) take(f completedFetch) {
	for {
		r, offset, ok := f.nextRecord()
		if !ok || offset >= b.end {
			b.at = f.nextOffset
			return
		}
		b.got = slices.DeleteFunc(b.got, func(have keyed) bool { return have.key == r.Key })
		if !r.Tombstone {
			b.got = append(b.got, keyed{r.Key, r.Value})
		}
	}
}

// restored puts what was read of a partition in place of what was in memory.
func (c *Consumer) restored(env *sim.Env, b *readBack) {
	tp := b.todo[0]
	f := &event.StoreRestored{TP: tp, Keys: int64(len(b.got)), End: b.end}
	if c.app.Source != nil {
		for _, got := range b.got {
			if got.key == c.app.Source.Table {
				c.db.after = number(got.value)
				env.Record(&event.SourcePositionRead{TP: tp, Row: c.db.after, Table: got.key})
			}
		}
		return
	}
	env.Record(f)
	c.store.counts = slices.DeleteFunc(c.store.counts, func(n Count) bool { return n.Partition == tp.Partition })
	for _, got := range b.got {
		c.store.counts = append(c.store.counts, Count{tp.Partition, got.key, number(got.value)})
	}
	for i := range c.kafka.subs.partitions {
		if p := &c.kafka.subs.partitions[i]; p.TP.Partition == tp.Partition {
			p.restored = true
		}
	}
}

// number reads what the application itself has written.
func number(value string) int64 {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return 0 // another program has written to the topic
	}
	return n
}

// distrustStore has what is in memory read back: it holds what was done in a transaction that is aborted.
func (c *Consumer) distrustStore() {
	c.store.read, c.store.counted = false, nil
	for i := range c.kafka.subs.partitions {
		c.kafka.subs.partitions[i].restored = false
	}
}

// Counts is the application's store. The caller must not change it.
func (c *Consumer) Counts() []Count { return c.store.counts }
