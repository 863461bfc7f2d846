package controller

import (
	"slices"

	"kafkatrial/model/protocol"
)

// liveBroker is a broker with a session, and its broker epoch: the czxid of its node.
type liveBroker struct {
	id    protocol.BrokerID
	epoch int64
}

// zkPartition is a partition as the controller last read or wrote it. PartitionEpoch is the zkVersion.
type zkPartition struct {
	protocol.PartitionState
	created bool // it has a state in ZooKeeper
	offline bool // OfflinePartition, or NewPartition if it is not created
}

// controllerContext is what the active controller knows (ControllerContext). It may be old: others write
// to ZooKeeper too.
type controllerContext struct {
	epoch          int
	epochZkVersion int32
	live           []liveBroker // with a session, in order of id
	shuttingDown   []protocol.BrokerID
	partitions     []zkPartition // by topic and number
	topics         []string
	config         configuration
}

func (x *controllerContext) find(tp protocol.TopicPartition) *zkPartition {
	i, ok := slices.BinarySearchFunc(x.partitions, tp, func(p zkPartition, tp protocol.TopicPartition) int { return p.TP.Compare(tp) })
	if !ok {
		return nil
	}
	return &x.partitions[i]
}

// add makes room for a partition that is new to the controller.
func (x *controllerContext) add(tp protocol.TopicPartition, replicas []protocol.BrokerID) {
	i, ok := slices.BinarySearchFunc(x.partitions, tp, func(p zkPartition, tp protocol.TopicPartition) int { return p.TP.Compare(tp) })
	if !ok {
		x.partitions = slices.Insert(x.partitions, i, zkPartition{offline: true,
			PartitionState: protocol.PartitionState{TP: tp, Replicas: replicas, Leader: protocol.NoBroker}})
	}
}

func (x *controllerContext) broker(b protocol.BrokerID) *liveBroker {
	for i := range x.live {
		if x.live[i].id == b {
			return &x.live[i]
		}
	}
	return nil
}

func (x *controllerContext) addLive(b liveBroker) {
	x.removeLive(b.id)
	x.live = append(x.live, b)
	slices.SortFunc(x.live, func(a, c liveBroker) int { return a.id - c.id })
}

func (x *controllerContext) removeLive(b protocol.BrokerID) {
	x.live = slices.DeleteFunc(slices.Clone(x.live), func(l liveBroker) bool { return l.id == b })
}

// liveOrShuttingDown lists the brokers with a session.
func (x *controllerContext) liveOrShuttingDown() []protocol.BrokerID {
	out := make([]protocol.BrokerID, len(x.live))
	for i := range x.live {
		out[i] = x.live[i].id
	}
	return out
}

// online lists the brokers that may lead: with a session and not shutting down.
func (x *controllerContext) online() []protocol.BrokerID {
	return slices.DeleteFunc(x.liveOrShuttingDown(), func(b protocol.BrokerID) bool { return slices.Contains(x.shuttingDown, b) })
}

// on lists the partitions with a replica on b.
func (x *controllerContext) on(b protocol.BrokerID) (tps []protocol.TopicPartition) {
	for i := range x.partitions {
		if slices.Contains(x.partitions[i].Replicas, b) {
			tps = append(tps, x.partitions[i].TP)
		}
	}
	return tps
}

// markOffline puts partitions whose leader has no session into OfflinePartition, and lists all that are
// offline. newly says that there were such.
func (x *controllerContext) markOffline() (offline []protocol.TopicPartition, newly bool) {
	online := x.online()
	for i := range x.partitions {
		p := &x.partitions[i]
		if p.created && !p.offline && !slices.Contains(online, p.Leader) {
			p.offline, newly = true, true
		}
		if p.created && p.offline {
			offline = append(offline, p.TP)
		}
	}
	return offline, newly
}

// all lists every partition.
func (x *controllerContext) all() []protocol.TopicPartition {
	out := make([]protocol.TopicPartition, len(x.partitions))
	for i := range x.partitions {
		out[i] = x.partitions[i].TP
	}
	return out
}
