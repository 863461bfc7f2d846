package broker_test

import (
	"testing"

	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// A broker in a controlled shutdown fetches on until the controller takes it out of the ISRs, and for as long as no
// controller answers: acks=all goes on with it.
func TestABrokerInControlledShutdownFetchesOn(t *testing.T) {
	for _, version := range []string{"0.10", "2.8", "3.2", "3.3.1", "3.3.2", "4.0"} {
		t.Run(version, func(t *testing.T) {
			tr := cluster(t, version, 2, [][]int{{1, 2}}, "min.insync.replicas=2")
			tr.send(0, "m")
			tr.until("m on both", func() bool { return tr.log(2, orders) == "m" })
			tr.w.Kill(tr.node("k1"))
			tr.w.Command(tr.node("b2"), &protocol.Command{ShutDown: true})
			tr.send(0, "n")
			tr.until("n is committed", func() bool { return tr.log(2, orders) == "m n" && tr.hw(1) == 2 })
			if tr.w.State(tr.node("b2")) == sim.Down {
				t.Error("broker 2 stopped without an answer")
			}
		})
	}
}

// testPartitionListener, the other way round: once another broker leads, one that shuts down under KRaft stops leading from
// 3.3.2 on (KAFKA-14296), and up to 3.3.1 it leads to its end. The controller keeps it waiting, for broker 3 hears nothing.
func TestABrokerInControlledShutdownStopsLeading(t *testing.T) {
	for version, want := range map[string]bool{"3.3.1": true, "3.3.2": false, "4.0": false} {
		t.Run(version, func(t *testing.T) {
			tr := cluster(t, version, 3, [][]int{{1, 2, 3}})
			tr.send(0, "m")
			tr.until("m on all", func() bool { return tr.hw(2) == 1 && tr.hw(3) == 1 })
			tr.hold("k1", "b3", "MetadataFetchResponse")
			tr.w.Command(tr.node("b1"), &protocol.Command{ShutDown: true})
			tr.until("broker 2 leads", tr.leads(2))
			tr.pass(sim.Second)
			if got := tr.Broker(1).Replica(orders).IsLeader(); got != want {
				t.Errorf("broker 1 leads: %v, want %v", got, want)
			}
		})
	}
}

// Leader 2 is stopped and not dead. Broker 1, which is to lead in its place, has a fetch out at it: up to 1.0 it takes no
// further order until that fetch is given up (KAFKA-6051).
func TestAFetcherHoldsUpTheControllersOrders(t *testing.T) {
	for version, want := range map[string]bool{"0.10": true, "1.0": true, "1.1.0": false, "2.8": false} {
		t.Run(version, func(t *testing.T) {
			tr := cluster(t, version, 3, [][]int{{2, 1, 3}, {3, 1}}, "replica.socket.timeout.ms=30000", "auto.leader.rebalance.enable=false")
			tr.send(0, "m")
			tr.until("m on all", func() bool { return tr.hw(1) == 1 && tr.hw(3) == 1 })
			tr.w.Pause(tr.node("b2"))
			tr.until("broker 1 leads", func() bool { return tr.Broker(1).Replica(orders).IsLeader() })
			tr.w.Kill(tr.node("b3"))
			other := protocol.TopicPartition{Topic: "orders", Partition: 1}
			tr.until("the controller elects", func() bool { s, _ := tr.State(other); return s.Leader == 1 })
			tr.pass(2 * sim.Second)
			if got := !tr.Broker(1).Replica(other).IsLeader(); got != want {
				t.Errorf("broker 1 has not heard of it: %v, want %v", got, want)
			}
			tr.pass(30 * sim.Second)
			if !tr.Broker(1).Replica(other).IsLeader() {
				t.Error("the fetch was given up, and broker 1 has still not heard of it")
			}
		})
	}
}
