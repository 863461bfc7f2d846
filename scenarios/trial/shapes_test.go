package trial

import (
	"slices"
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

// gentle is a fault model without a fault of a disk.
func gentle() sim.FaultModel {
	return sim.FaultModel{Node: processes, Cut: true, Lose: true, Duplicate: true,
		Late: []sim.Time{2 * sim.Millisecond, 30 * sim.Millisecond, 700 * sim.Millisecond}, Budget: 8, MaxDown: 2}
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

// transactional is a cluster of three brokers, the first of which leads the topic and the last of which coordinates,
// with producers that write in transactions and a reader of what is committed. Time-outs are short against how long
// messages can be late, so that requests are sent again while the first is still under way.
func transactional(kafka ...string) Shape {
	return Shape{
		Kafka:      kafka,
		Brokers:    []int{3},
		Replicas:   []int{3},
		Partitions: []int{1, 2},
		Broker:     append(slices.Clone(Brisk), Set("transaction.abort.timed.out.transaction.cleanup.interval.ms", "1000")),
		Topic:      []Setting{Set("min.insync.replicas", "2")},
		Producers:  []int{1, 2, 3},
		Producer: []Setting{Set("acks", "all"), Set("linger.ms", "0", "5"), Set("request.timeout.ms", "1000", "300"),
			Set("delivery.timeout.ms", "5000", "1500"), Set("transaction.timeout.ms", "10000", "3000"), Set("max.block.ms", "60000", "2000")},
		Consumers: []int{1},
		Consumer:  []Setting{Set("auto.offset.reset", "earliest"), Set("isolation.level", "read_committed")},
		Records:   []int{1, 2},
		After:     []string{"0", "5ms", "100ms", "1s", "4s"},
		Quiet:     "10s",
		Transactions: &Transactions{Shared: []bool{false, true}, Count: []int{2, 3, 4, 5}, Sends: []int{1, 2}, Ends: []string{Commit, Commit, Abort, Die},
			Again: []bool{false, true}},
		Faults: sim.FaultModel{Node: processes, Cut: true, Lose: true,
			Late: []sim.Time{2 * sim.Millisecond, 30 * sim.Millisecond, 700 * sim.Millisecond, 3 * sim.Second}, Budget: 6, MaxDown: 2},
	}
}

// lateMarkers lets coordinators too give up a request while it is still under way.
func lateMarkers(s *Shape) {
	s.Broker = append(slices.Clone(s.Broker), Set("request.timeout.ms", "30000", "1500"))
}

// stuck is a world in which what a producer sends can be stuck on its way for longer than it waits for the answer, and
// is sent again on another connection meanwhile. Nothing else goes wrong. One broker does for it.
func stuck(kafka string) Property {
	s := transactional(kafka)
	s.Brokers, s.Replicas, s.Topic, s.Partitions = []int{1}, []int{1}, nil, []int{2, 1}
	s.Producers = []int{1}
	s.Producer = []Setting{Set("acks", "all"), Set("linger.ms", "0"), Set("request.timeout.ms", "300"),
		Set("delivery.timeout.ms", "1500", "300"), Set("retry.backoff.ms", "", "1000"), Set("transaction.timeout.ms", "10000")}
	s.Records = []int{1}
	s.After = []string{"0", "100ms", "1s"}
	s.Transactions = &Transactions{Count: []int{2, 3, 4}, Sends: []int{1, 2}, Ends: []string{Commit, Abort}, Again: []bool{false, true}}
	s.Faults = sim.FaultModel{Late: []sim.Time{700 * sim.Millisecond, 3 * sim.Second}}
	return Property{Shape: s, Weights: sim.Weights{Late: 100_000}, Allow: only("p")}
}

// givenUp is the same where a producer gives a batch up after one request, and where the coordinator may be on another broker than the
// partition. What was stuck comes while the next transaction's first record is tried again.
func givenUp(kafka string) Property {
	p := stuck(kafka)
	p.Shape.Brokers = []int{2}
	p.Shape.Producer = []Setting{Set("acks", "all"), Set("linger.ms", "0"), Set("request.timeout.ms", "300"), Set("delivery.timeout.ms", "300"),
		Set("retry.backoff.ms", "", "1000"), Set("transaction.timeout.ms", "10000")}
	p.Shape.Faults.Late = []sim.Time{450 * sim.Millisecond}
	return p
}

// only lets nothing befall but what nodes send whose names begin with the prefix.
func only(prefix string) func(*scenarios.Run, sim.Option) bool {
	return func(r *scenarios.Run, o sim.Option) bool {
		return o.IsMsg && strings.HasPrefix(r.World.Name(o.Node), prefix)
	}
}
