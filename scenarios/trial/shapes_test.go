package trial

import (
	"strings"

	"kafkatrial/checker"
	"kafkatrial/scenarios"
	"kafkatrial/sim"
)

// What the suites draw from. The releases stand with the newest first: it is what a failing world is shrunk
// towards.
var (
	kraft     = []string{"4.1", "4.0", "3.9", "3.5", "3.3"}
	zooKeeper = []string{"3.9", "3.5", "2.8", "2.6", "2.2"}
	// all releases with a rule of their own in replication, oldest last.
	allKRaft     = []string{"4.1", "4.0", "3.9", "3.7", "3.5", "3.3"}
	allZooKeeper = []string{"3.9", "3.5", "3.3", "2.8", "2.6", "2.4", "2.1", "2.0", "1.1", "0.11", "0.10", "0.9"}
)

// processes are the faults of nodes that leave every disk as it is.
const processes = sim.CanKill | sim.CanPause

// gentle is an alphabet without a fault of a disk.
func gentle() sim.Alphabet {
	return sim.Alphabet{Node: processes, Cut: true, Lose: true, Duplicate: true,
		Late: []sim.Time{2 * sim.Millisecond, 30 * sim.Millisecond, 700 * sim.Millisecond}, Budget: 4, MaxDown: 2}
}

// threeCopies is a topic on three brokers that acknowledges what two of them have.
func threeCopies() Shape {
	return Shape{
		Kafka:     kraft,
		Brokers:   []int{3},
		Replicas:  []int{3},
		Broker:    Brisk,
		Topic:     []Setting{Set("min.insync.replicas", "2")},
		Producer:  []Setting{Set("acks", "all"), Set("enable.idempotence", "false"), Set("linger.ms", "0", "5")},
		Consumers: []int{1},
		Consumer:  []Setting{Set("auto.offset.reset", "earliest")},
		Sends:     []int{1, 2, 3, 4},
		Records:   []int{1, 2},
		After:     []string{"0", "5ms", "100ms", "3s", "8s"},
		Quiet:     "10s",
		Faults:    gentle(),
	}
}

// onZooKeeper turns a shape into one of ZooKeeper's time, with one controller or two.
func onZooKeeper(s *Shape) {
	s.Kafka, s.Metadata, s.Controllers = zooKeeper, []string{"zookeeper"}, []int{1, 2}
}

// sound are the invariants of a cluster whose disks keep what they have.
var sound = []string{checker.OneLeaderPerEpoch, checker.EpochsGoForward, checker.LeaderInISR, checker.OffsetsInOrder,
	checker.CommittedOnISR, checker.LogMatching}

// notOf leaves nodes alone whose names begin with one of the prefixes, and their links.
func notOf(prefixes ...string) func(*scenarios.Run, sim.Option) bool {
	return func(r *scenarios.Run, o sim.Option) bool {
		for _, n := range []sim.NodeID{o.Node, o.Peer} {
			for _, p := range prefixes {
				if n != sim.Nobody && strings.HasPrefix(r.World.Name(n), p) {
					return false
				}
			}
		}
		return true
	}
}
