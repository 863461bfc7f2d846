package producer

import (
	"kafkatrial/model/client"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// drawPartition is the site of the random choices of the partitioners.
const drawPartition = 2

// topicPartitioner is what a partitioner remembers of one topic.
type topicPartitioner struct {
	topic  string
	draws  uint64
	next   int   // round robin: the next value, from a random start
	sticky int32 // the partition that records without a key stick to; -1 none yet
	bytes  int   // BuiltInPartitioner: appended to it so far
}

// partitioner chooses partitions: by the key's hash if there is a key, and otherwise by the rule of the
// version: round robin, from 2.4 sticky for a batch, from 3.3 sticky for batch.size bytes.
//
// Simplified: before 0.10.1 the round robin counts over all topics together.
type partitioner struct {
	node   sim.NodeID
	topics []topicPartitioner
}

func (p *partitioner) topic(name string) *topicPartitioner {
	for i := range p.topics {
		if p.topics[i].topic == name {
			return &p.topics[i]
		}
	}
	t := topicPartitioner{topic: name, sticky: -1}
	t.next = client.Draw(p.node, drawPartition, 0, 1<<30)
	p.topics = append(p.topics, t)
	return &p.topics[len(p.topics)-1]
}

// random draws one of the topic's partitions that have a leader, or one of all if none has. It avoids a
// partition if there is another (avoid -1: none).
//
// Kafka: BuiltInPartitioner.nextPartition, StickyPartitionCache.nextPartition.
func (p *partitioner) random(t *topicPartitioner, m *client.Metadata, avoid int32) int32 {
	n := int32(m.PartitionCount(t.topic))
	available := available(m, t.topic)
	if len(available) == 0 {
		return int32(p.draw(t, int(n)))
	}
	for len(available) > 1 {
		if c := available[p.draw(t, len(available))]; c != avoid {
			return c
		}
	}
	return available[0]
}

func (p *partitioner) draw(t *topicPartitioner, n int) int {
	t.draws++
	return client.Draw(p.node, drawPartition, t.draws, n)
}

// available lists the partitions of a topic that have a leader: Cluster.availablePartitionsForTopic.
func available(m *client.Metadata, topic string) []int32 {
	var out []int32
	all := m.Partitions()
	for i := range all {
		if all[i].TP.Topic == topic {
			if _, _, ok := m.Leader(all[i].TP); ok {
				out = append(out, all[i].TP.Partition)
			}
		}
	}
	return out
}

// roundRobin gives the next partition that has a leader.
//
// Kafka: DefaultPartitioner.partition, up to 2.3.
func (p *partitioner) roundRobin(t *topicPartitioner, m *client.Metadata) int32 {
	v := t.next
	t.next++
	if a := available(m, t.topic); len(a) > 0 {
		return a[v%len(a)]
	}
	return int32(v % m.PartitionCount(t.topic))
}

// stick gives the partition that records without a key go to at present.
//
// Kafka: StickyPartitionCache.partition; BuiltInPartitioner.peekCurrentPartitionInfo.
func (p *partitioner) stick(t *topicPartitioner, m *client.Metadata) int32 {
	if t.sticky < 0 {
		t.sticky = p.random(t, m, -1)
	}
	return t.sticky
}

// onNewBatch moves on to another partition, since a record needs a new batch (2.4 to 3.2).
//
// Kafka: DefaultPartitioner.onNewBatch, StickyPartitionCache.nextPartition.
func (p *partitioner) onNewBatch(t *topicPartitioner, m *client.Metadata) int32 {
	t.sticky = p.random(t, m, t.sticky)
	return t.sticky
}

// appended counts what went to the sticky partition and leaves it after batch.size bytes once its batch is
// full, after twice as many at once (from 3.3). The next one is drawn from all, so it may be the same.
//
// Kafka: BuiltInPartitioner.updatePartitionInfo.
func (p *partitioner) appended(t *topicPartitioner, m *client.Metadata, bytes, batchSize int, full bool) {
	t.bytes += bytes
	if t.bytes >= batchSize && full || t.bytes >= 2*batchSize {
		t.sticky, t.bytes = p.random(t, m, -1), 0
	}
}

// byKey gives the partition of a record with a key: murmur2 of the key, modulo the number of partitions.
func byKey(r *record.Record, n int) int32 { return int32(record.PartitionForKey(r.Key, n)) }
