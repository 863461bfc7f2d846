// Package protocol holds what nodes say to each other: Kafka's requests and responses under Kafka's
// names, its error codes, and the orders that a person or a script gives.
//
// A message is immutable once sent. Fields that a version's protocol lacks are still there: the sender
// leaves them at "none" (-1) and the receiver does not look at them.
package protocol

import (
	"strconv"

	"kafkatrial/sim"
)

// BrokerID is Kafka's broker.id, from 1; 0 and below name no broker.
type BrokerID = int

// NoBroker is no broker: the leader of an offline partition.
const NoBroker BrokerID = -1

// ConsumerReplicaID is the replica id of a fetch that comes from a consumer.
const ConsumerReplicaID BrokerID = -1

// BrokerName writes a broker as b1, and no broker as "none".
func BrokerName(b BrokerID) string {
	if b <= 0 {
		return "none"
	}
	return "b" + strconv.Itoa(b)
}

// TopicPartition names a partition.
type TopicPartition struct {
	Topic     string
	Partition int32
}

// String writes it as Kafka names the directory: orders-0.
func (tp TopicPartition) String() string { return tp.Topic + "-" + strconv.Itoa(int(tp.Partition)) }

// Compare orders partitions by topic, then number.
func (tp TopicPartition) Compare(o TopicPartition) int {
	switch {
	case tp.Topic < o.Topic:
		return -1
	case tp.Topic > o.Topic:
		return 1
	}
	return int(tp.Partition - o.Partition)
}

// PartitionState is what the controller decides about a partition: a LeaderAndIsr entry, or a partition
// of the metadata image.
type PartitionState struct {
	TP             TopicPartition
	Replicas       []BrokerID // in order of preference
	Leader         BrokerID   // NoBroker: offline
	ISR            []BrokerID
	ELR            []BrokerID // eligible leader replicas (KIP-966)
	LastKnownELR   []BrokerID
	LeaderEpoch    int
	PartitionEpoch int // zkVersion under ZooKeeper
}

// Directory tells where everybody is. It never changes during a run.
type Directory struct {
	Brokers     []sim.NodeID // index = broker id - 1
	Controllers []sim.NodeID
	ZooKeeper   sim.NodeID // Nobody under KRaft
}

// Node gives a broker's node.
func (d *Directory) Node(b BrokerID) sim.NodeID { return d.Brokers[b-1] }

// Broker gives a node's broker id, NoBroker if it is none.
func (d *Directory) Broker(n sim.NodeID) BrokerID {
	for i, node := range d.Brokers {
		if node == n {
			return i + 1
		}
	}
	return NoBroker
}
