// Package controller holds both kinds of Kafka controller: the QuorumController of KRaft, whose decisions
// are records of a metadata log that brokers read, and the KafkaController of ZooKeeper's time, which keeps
// its decisions in ZooKeeper and sends them to brokers.
package controller

import (
	"slices"

	"kafkatrial/model/config"
	"kafkatrial/model/event"
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/model/release"
	"kafkatrial/sim"
)

// Settings is what a controller is made from. They are shared and never changed.
type Settings struct {
	ID        int // its place in Directory.Controllers, from 1
	Directory *protocol.Directory
	Rules     *release.Rules
	Config    *config.Values       // broker section: the settings of the whole cluster
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

// defaultMs reads a setting that a version may not have: a rule can be switched on in a Kafka older than
// the settings that came with it.
func defaultMs(v *config.Values, key string, otherwise sim.Time) sim.Time {
	if !v.Has(key) {
		return otherwise
	}
	return v.Ms(key)
}

// without gives the list with one broker left out; the list itself if it is not in it.
func without(brokers []protocol.BrokerID, b protocol.BrokerID) []protocol.BrokerID {
	if !slices.Contains(brokers, b) {
		return brokers
	}
	rest := make([]protocol.BrokerID, 0, len(brokers)-1)
	for _, id := range brokers {
		if id != b {
			rest = append(rest, id)
		}
	}
	return rest
}

// announce records what has become of a partition. before is the zero value for a new one.
func announce(env *sim.Env, before, after *protocol.PartitionState, unclean bool) {
	announceLeader(env, before, after, unclean)
	if before.Replicas != nil && !slices.Equal(before.ISR, after.ISR) {
		env.Record(&event.ISRChanged{TP: after.TP, PartitionEpoch: int32(after.PartitionEpoch), Leader: after.Leader, ISR: after.ISR})
	}
	if !slices.Equal(before.ELR, after.ELR) {
		env.Record(&event.ELRChanged{TP: after.TP, ELR: after.ELR})
		env.Probe("eligible leader replicas changed")
	}
}

// announceLeader records a new leader, a new term of the old one, or that there is none. (In ZooKeeper's
// time ISR changes are recorded by ZooKeeper, where leaders write them too.)
func announceLeader(env *sim.Env, before, after *protocol.PartitionState, unclean bool) {
	created := before.Replicas == nil
	tp := after.TP
	switch {
	case after.Leader == protocol.NoBroker && (created || before.Leader != protocol.NoBroker):
		env.Record(&event.PartitionOffline{TP: tp, LeaderEpoch: int32(after.LeaderEpoch), ISR: after.ISR})
	case after.Leader != protocol.NoBroker && (created || before.Leader != after.Leader || before.LeaderEpoch != after.LeaderEpoch):
		env.Record(&event.LeaderElected{TP: tp, Leader: after.Leader, LeaderEpoch: int32(after.LeaderEpoch), Unclean: unclean, ISR: after.ISR})
		if unclean {
			env.Probe("unclean leader election")
		}
	}
	if !created && after.Leader == protocol.NoBroker && len(after.ISR) == 1 && before.Leader != protocol.NoBroker {
		env.Probe("last ISR member kept while it is away")
	}
	if after.Leader != protocol.NoBroker && slices.Contains(before.ELR, after.Leader) {
		env.Probe("leader elected from the eligible leader replicas")
	}
}

// refuse records that an ISR change was not accepted.
func refuse(env *sim.Env, tp protocol.TopicPartition, err protocol.Error, broker protocol.BrokerID, isr []protocol.BrokerID) {
	env.Record(&event.ISRChangeRefused{TP: tp, Err: err, Broker: broker, ISR: isr})
}
