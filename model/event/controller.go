package event

import (
	"kafkatrial/model/protocol"
)

// BrokerFenced: the controller fenced a broker.
type BrokerFenced struct {
	Broker protocol.BrokerID
	Asked  bool // it asked to be, for it shuts down; else it was silent for too long
}

// BrokerUnfenced: the controller unfenced a broker.
type BrokerUnfenced struct {
	Broker protocol.BrokerID
	Epoch  int64 // broker epoch
}

// BrokerJoined: a broker registered.
type BrokerJoined struct {
	Broker  protocol.BrokerID
	Epoch   int64 // broker epoch; -1 before KIP-380
	Unclean bool  // it came back after an unclean stop
}

// BrokerGone: the controller saw that a broker's session with ZooKeeper is over.
type BrokerGone struct {
	Broker protocol.BrokerID
}

// LeaderElected: the controller made a replica the leader.
type LeaderElected struct {
	TP          protocol.TopicPartition
	Leader      protocol.BrokerID
	LeaderEpoch int32
	Unclean     bool
	ISR         []protocol.BrokerID
}

// PartitionOffline: nobody leads the partition.
type PartitionOffline struct {
	TP          protocol.TopicPartition
	LeaderEpoch int32
	ISR         []protocol.BrokerID
}

// ISRChanged: the ISR is another.
type ISRChanged struct {
	TP             protocol.TopicPartition
	PartitionEpoch int32
	Leader         protocol.BrokerID
	ISR            []protocol.BrokerID
}

// ELRChanged: the eligible leader replicas are others (KIP-966).
type ELRChanged struct {
	TP  protocol.TopicPartition
	ELR []protocol.BrokerID
}

// ISRChangeRefused: an ISR change was not accepted.
type ISRChangeRefused struct {
	TP     protocol.TopicPartition
	Err    protocol.Error
	Broker protocol.BrokerID   // who asked
	ISR    []protocol.BrokerID // as asked for
}

// ElectionRefused: an election that an operator asked for was not held.
type ElectionRefused struct {
	TP  protocol.TopicPartition
	Err protocol.Error
}

// OrderRefused: ZooKeeper refused a controller's write.
type OrderRefused struct {
	ControllerEpoch int64
	Err             protocol.Error
}

// ControllerElected: a controller took office.
type ControllerElected struct {
	ControllerEpoch int64
}

// ControllerResigned: a controller left office.
type ControllerResigned struct {
	ControllerEpoch int64
}

// TopicChanged: a topic has another number of partitions.
type TopicChanged struct {
	Topic      string
	Partitions int64 // how many there are now
}

// ConfigChanged: a setting was changed.
type ConfigChanged struct {
	Topic   string // empty: of the cluster
	Setting string // key=value
}

// SessionExpired: ZooKeeper ended a session.
type SessionExpired struct {
	Broker     protocol.BrokerID // 0: not a broker's
	Controller int64             // place of the controller, from 1; 0: not a controller's
}
