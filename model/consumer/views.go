package consumer

import (
	"kafkatrial/model/client"
	"kafkatrial/model/event"
	"kafkatrial/model/producer"
	"kafkatrial/model/protocol"
)

// State is what the application's thread is doing.
func (c *Consumer) State() State { return c.loop.state }

// Loop is the application's loop. The caller must not change it.
func (c *Consumer) Loop() []Verb { return c.app.Loop }

// PC is the program counter: the index in Loop of the verb that the application has come to.
func (c *Consumer) PC() int { return c.loop.pc }

// Group is the consumer's group, "" if it has none.
func (c *Consumer) Group() string { return c.app.Group }

// Partitions is what the consumer knows of the partitions it reads: position, committed position, state.
// The caller must not change it.
func (c *Consumer) Partitions() []PartitionState { return c.kafka.subs.partitions }

// InHand is what the last poll returned and how many of these records are processed. With a hand-off
// they count as processed only in Queue.
func (c *Consumer) InHand() (records []event.Consumed, processed int) {
	return c.loop.batch, c.loop.done
}

// Queue is what was handed off and is not yet processed. The caller must not change it.
func (c *Consumer) Queue() []event.Consumed { return c.loop.queue }

// Buffered is the number of records that were fetched and not yet returned by poll. An answer to a fetch may come when
// the partition is another's already: those records poll will not return (FetchCollector.fetchRecords, isAssigned).
func (c *Consumer) Buffered() int {
	n := 0
	for i := range c.kafka.fetcher.buffer {
		f := &c.kafka.fetcher.buffer[i]
		if c.kafka.subs.find(f.tp) == nil {
			continue
		}
		for j := f.batch; j < len(f.result.Batches); j++ {
			b := f.result.Batches[j]
			for r := range b.Records {
				if !b.IsControl && b.Offset(r) >= f.nextOffset {
					n++
				}
			}
		}
	}
	return n
}

// Coordinator is the broker that the consumer takes for its group's coordinator, NoBroker if it knows none.
func (c *Consumer) Coordinator() protocol.BrokerID { return c.kafka.coord.known }

// Membership is the generation of its group that the consumer belongs to and its member id, -1 and "" if it is no member
// as far as it knows; and whether it is about to join the next one.
func (c *Consumer) Membership() (generation int32, member string, joining bool) {
	return c.kafka.coord.generation, c.kafka.coord.member, c.kafka.group.rejoin
}

// Commits is the number of commits under way.
func (c *Consumer) Commits() int { return len(c.kafka.coord.commits) }

// Producer is the application's producer, nil if it has none.
func (c *Consumer) Producer() *producer.KafkaProducer { return c.producer }

// Metadata is what the consumer believes about the cluster.
func (c *Consumer) Metadata() *client.Metadata { return c.kafka.net.Metadata() }
