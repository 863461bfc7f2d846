package trial

import (
	"slices"
	"testing"

	"kafkatrial/checker"
	"kafkatrial/model/protocol"
	"kafkatrial/scenarios"
	"kafkatrial/sim"
)

// lastReplicaStanding is what KIP-966 is about: a member of the ISR loses power, and with it the unflushed
// end of its log, while the others are cut off.
func lastReplicaStanding() Property {
	s := threeCopies()
	s.Kafka = []string{"4.1"}
	s.Faults.Node |= sim.CanLosePower
	s.Faults.Budget = 6
	return Property{
		Name:    "one power loss with eligible leader replicas",
		Says:    "With eligible leader replicas and min.insync.replicas=2, a broker that stops uncleanly while everything is in sync, and any fault of the network, lose no acknowledged record.",
		Shape:   s,
		Allow:   oneUncleanStop,
		Claims:  AtLog(checker.AtLeastOnce),
		Weights: sim.Weights{Fault: 8_000, Repair: 8_000, Late: 100_000, Lost: 2_000, Torn: 900_000},
	}
}

// oneUncleanStop allows a broker to be killed or to lose power only while every replica of the topic that it
// would leave alone is whole: no other broker has stopped uncleanly and not come back into the ISR since.
func oneUncleanStop(r *scenarios.Run, o sim.Option) bool {
	c := r.Cluster
	if o.Op != sim.OpKill && o.Op != sim.OpPowerLoss || c.Directory.Broker(o.Node) == protocol.NoBroker {
		return true
	}
	for i := range c.Directory.Brokers {
		id := i + 1
		n := c.Directory.Node(id)
		if n == o.Node {
			continue
		}
		if s := c.World.State(n); s == sim.Down || s == sim.Off {
			return false
		}
		if c.World.Incarnation(n) == 1 {
			continue // it has never stopped
		}
		for _, tp := range c.Partitions() {
			if s, known := c.State(tp); !known || !slices.Contains(s.ISR, id) {
				return false
			}
		}
	}
	return true
}

func TestOnePowerLossWithEligibleLeaderReplicas(t *testing.T) { Check(t, lastReplicaStanding()) }

// Before KIP-966 the last member stays in the ISR whatever its disk has lost.
func TestOnePowerLossWithoutEligibleLeaderReplicas(t *testing.T) {
	if testing.Short() {
		t.Skip("searches hundreds of generated runs for a failure, and shrinks it")
	}
	for _, kafka := range []string{"4.0", "3.9", "3.5", "2.6"} {
		t.Run(kafka, func(t *testing.T) {
			p := lastReplicaStanding()
			p.Name, p.Says = "one power loss without eligible leader replicas", "Without eligible leader replicas too, one unclean stop loses no acknowledged record."
			p.Shape.Kafka = []string{kafka}
			p.Shape.Faults = sim.FaultModel{Node: sim.CanLosePower, Cut: true, Budget: 4, MaxDown: 1}
			p.Allow = func(r *scenarios.Run, o sim.Option) bool {
				return oneUncleanStop(r, o) && notOf("k", "p", "c", "zk")(r, o)
			}
			p.Shape.Sends, p.Shape.Records, p.Shape.After, p.Shape.Quiet = []int{3}, []int{1}, []string{"5s"}, "15s" // a follower that is caught up leaves the ISR only once there is more to fetch
			p.Weights = sim.Weights{Fault: 5_000, Repair: 500, Torn: 900_000}
			p.MayNotRest = true
			Seek(t, p, 3000)
		})
	}
}
