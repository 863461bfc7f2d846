// Package controller holds both kinds of Kafka controller: the QuorumController of KRaft, whose decisions
// are records of a metadata log that brokers read, and the KafkaController of ZooKeeper's time, which keeps
// its decisions in ZooKeeper and sends them to brokers.
package controller

import (
	"kafkatrial/model/generation"
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// Settings is what a controller is made from.
type Settings struct {
	ID        int // its place in Directory.Controllers, from 1
	Directory *protocol.Directory
	Rules     *generation.Rules
	Topics    []protocol.TopicSpec // the state in which the run begins; KRaft only, ZooKeeper keeps it otherwise
	// Down lists brokers that do not run when the run begins: they are fenced then. KRaft only.
	Down    []protocol.BrokerID
	Planted planted.Set // guards switched off, in tests only
}

// Activity is what views ask of either kind of controller.
type Activity interface {
	sim.Node
	// Active says that it believes to be the active controller.
	Active() bool
	// Epoch is the controller epoch: under KRaft, how often its process has started.
	Epoch() int
	// Partitions lists what it knows of all partitions, by topic and number. The caller must not change it.
	Partitions() []protocol.PartitionState
	// Live lists the brokers it takes for live (unfenced, or with a session), in order.
	Live() []protocol.BrokerID
	// BrokerEpoch is a broker's epoch, -1 if it has none.
	BrokerEpoch(b protocol.BrokerID) int64
}
