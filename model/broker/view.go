package broker

import (
	"kafkatrial/model/groupcoordinator"
	"kafkatrial/model/partition"
	"kafkatrial/model/protocol"
)

// Hosted is one replica on this broker, for views and checks. It must not be changed.
type Hosted struct {
	TP        protocol.TopicPartition
	Partition *partition.Partition
	Fetching  FetchView
}

// FetchView says what a follower's fetcher is doing with the partition.
type FetchView uint8

// What a fetcher does.
const (
	NotFetching  FetchView = iota // no fetcher has it
	Fetching                      // it fetches from its log end
	Truncating                    // it asks where to cut its log
	OutOfRange                    // it asks for the leader's offsets
	WaitsForNews                  // it was fenced and waits for the controller
	BackingOff                    // it rests after an error
)

var fetchViews = [...]string{"not fetching", "fetching", "asking where to truncate", "asking for the leader's offsets", "fenced, waiting for the controller", "backing off"}

func (v FetchView) String() string { return fetchViews[v] }

// Hosted gives replica i of this broker, in order of the partition; ok is false beyond the last.
func (b *Broker) Hosted(i int) (h Hosted, ok bool) {
	if i >= len(b.replicas.hosted) {
		return Hosted{}, false
	}
	hp := b.replicas.hosted[i]
	return Hosted{hp.tp, hp.p, b.fetchView(hp.tp)}, true
}

// Replica finds the replica of a partition, nil if this process has none.
func (b *Broker) Replica(tp protocol.TopicPartition) *partition.Partition {
	if h := b.hostedPartition(tp); h != nil {
		return h.p
	}
	return nil
}

func (b *Broker) fetchView(tp protocol.TopicPartition) FetchView {
	for _, f := range b.fetchers {
		for i := range f.parts {
			s := &f.parts[i]
			switch {
			case s.h.tp != tp:
			case s.failed:
				return WaitsForNews
			case s.truncating:
				return Truncating
			case s.outOfRange:
				return OutOfRange
			case s.delayedUntil > b.env.Now():
				return BackingOff
			default:
				return Fetching
			}
		}
	}
	return NotFetching
}

// Coordinator is the broker's group coordinator, for views.
func (b *Broker) Coordinator() *groupcoordinator.GroupCoordinator { return b.coordinator }

// Registered says whether the process has a session with the controller, or ZooKeeper.
func (b *Broker) Registered() bool {
	if b.rules.KRaft {
		return b.lifecycle.state >= running
	}
	return b.zk.alive && b.zk.controller >= 0
}

// State says in words how the process stands with the controller.
func (b *Broker) State() string {
	switch {
	case b.shuttingDown:
		return "shutting down"
	case b.blocked:
		return "waiting for ZooKeeper"
	case b.rules.KRaft:
		return [...]string{"not running", "starting", "recovering", "running", "shutting down"}[b.lifecycle.state]
	case b.zk.alive:
		return "running"
	case b.zk.brokerEpoch >= 0:
		return "running without a ZooKeeper session"
	}
	return "starting"
}

// Epoch is the broker epoch under which the process is registered, -1 if it is not.
func (b *Broker) Epoch() int64 { return b.brokerEpoch() }

// Waiting counts the requests in the purgatory.
func (b *Broker) Waiting() (produces, fetches int) {
	return len(b.purgatory.produces), len(b.purgatory.fetches)
}

// InLine counts the messages that wait until ZooKeeper has answered an ISR change (before KIP-497). They are handled in the order
// in which they came, in the step that brings the answer.
func (b *Broker) InLine() int { return len(b.deferred) }
