package controller

import (
	"testing"

	"kafkatrial/model/protocol"
	"kafkatrial/model/release"
)

type brokers = []protocol.BrokerID

// except accepts every broker but these.
func except(no ...protocol.BrokerID) func(protocol.BrokerID) bool {
	return func(b protocol.BrokerID) bool {
		for _, n := range no {
			if n == b {
				return false
			}
		}
		return true
	}
}

// The events of Kafka's PartitionChangeBuilderTest.testElectLeader: replicas 2,1,3, broker 3 can not lead.
func TestElectLeader(t *testing.T) {
	foo := protocol.PartitionState{Replicas: brokers{2, 1, 3}, ISR: brokers{2, 1, 3}, Leader: 1, LeaderEpoch: 100, PartitionEpoch: 200}
	baz := protocol.PartitionState{Replicas: brokers{2, 1, 3}, ISR: brokers{1, 3}, Leader: 3, LeaderEpoch: 100, PartitionEpoch: 200}
	for _, x := range []struct {
		name     string
		p        protocol.PartitionState
		election Election
		isr      brokers
		leader   protocol.BrokerID
		unclean  bool
	}{
		{"preferred", foo, Preferred, foo.ISR, 2, false},
		{"the leader stays", foo, Online, foo.ISR, 1, false},
		{"the leader stays, although unclean is allowed", foo, Unclean, foo.ISR, 1, false},
		{"the leader stays in a smaller ISR", foo, Online, brokers{1, 3}, 1, false},
		{"nobody", foo, Online, brokers{3}, protocol.NoBroker, false},
		{"preferred, nobody", foo, Preferred, brokers{3}, protocol.NoBroker, false},
		{"unclean", foo, Unclean, brokers{3}, 2, true},
		{"the preferred replica is not in the ISR", baz, Preferred, baz.ISR, 1, false},
	} {
		b := NewPartitionChangeBuilder(x.p, except(3), 2)
		b.Election, b.TargetISR = x.election, x.isr
		if leader, unclean := b.ElectLeader(); leader != x.leader || unclean != x.unclean {
			t.Errorf("%s: %d unclean %v, want %d %v", x.name, leader, unclean, x.leader, x.unclean)
		}
	}
	b := NewPartitionChangeBuilder(baz, except(), 2)
	b.Election = Preferred
	if leader, _ := b.ElectLeader(); leader != 3 {
		t.Errorf("a leader that meets all conditions gives way to %d, which is not preferred either", leader)
	}
}

// The events of Kafka's PartitionChangeBuilderTest, testEligibleLeaderReplicas_* with the last known leader
// in use, and of its test of leader epoch bumps.
func TestBuild(t *testing.T) {
	all := brokers{1, 2, 3, 4}
	state := func(leader protocol.BrokerID, isr, elr, last brokers) protocol.PartitionState {
		return protocol.PartitionState{Replicas: all, Leader: leader, ISR: isr, ELR: elr, LastKnownELR: last, LeaderEpoch: 100, PartitionEpoch: 200}
	}
	for _, x := range []struct {
		name    string
		p       protocol.PartitionState
		elr     bool
		bump    bool
		cannot  brokers
		isr     brokers
		unclean protocol.BrokerID
		want    string
	}{
		{"ISR shrinks below min ISR", state(1, all, nil, nil), true, false, brokers{3}, brokers{1, 2}, 0, "1 e100 p201 [1,2] elr[3,4]"},
		{"ISR shrinks below min ISR, ELR off", state(1, all, nil, nil), false, false, brokers{3}, brokers{1, 2}, 0, "1 e100 p201 [1,2]"},
		{"ISR shrinks to min ISR", state(1, all, nil, nil), true, false, nil, brokers{1, 2, 3}, 0, "1 e100 p201 [1,2,3]"},
		{"ISR expands to min ISR", state(1, brokers{1, 2}, brokers{3}, nil), true, false, brokers{3}, brokers{1, 2, 3}, 0, "1 e100 p201 [1,2,3]"},
		{"a member that was not in the ELR joins", state(1, brokers{1}, brokers{3}, nil), true, false, brokers{3}, brokers{1, 4}, 0, "1 e100 p201 [1,4] elr[3]"},
		{"unclean shutdown of an ELR member", state(1, brokers{1}, brokers{2, 3}, nil), true, false, brokers{3}, brokers{1}, 3, "1 e100 p201 [1] elr[2]"},
		{"an ELR member is elected", state(1, brokers{1}, brokers{3}, nil), true, false, brokers{1}, nil, 0, "3 e101 p201 [3] elr[1]"},
		{"ISR can shrink to zero", state(1, all, nil, nil), true, false, all, nil, 0, "-1 e101 p201 [] elr[1,2,3,4] last[1]"},
		{"ISR can not without ELR", state(1, brokers{1}, nil, nil), false, false, all, nil, 0, "-1 e101 p201 [1]"},
		{"the last known leader is elected", state(-1, nil, nil, brokers{1}), true, false, nil, nil, 0, "1 e101 p201 [1]"},
		{"the last known leader is away", state(-1, nil, nil, brokers{1}), true, false, brokers{1}, nil, 0, "none"},
		{"a leader clears the last known leader", state(1, brokers{1}, nil, brokers{2}), true, false, nil, brokers{1, 2, 3}, 0, "1 e100 p201 [1,2,3]"},
		{"a shrink bumps the leader epoch before 3.6", state(1, all, nil, nil), false, true, nil, brokers{1, 2}, 0, "1 e101 p201 [1,2]"},
		{"an expansion does not", state(1, brokers{1}, nil, nil), false, true, nil, brokers{1, 2}, 0, "1 e100 p201 [1,2]"},
		{"an election bumps once", state(1, all, nil, nil), false, true, brokers{1}, brokers{2, 3, 4}, 0, "2 e101 p201 [2,3,4]"},
		{"nothing changes", state(1, all, nil, nil), true, true, nil, all, 0, "none"},
	} {
		b := NewPartitionChangeBuilder(x.p, except(x.cannot...), 3)
		b.ELR, b.BumpOnShrink, b.TargetISR, b.LastKnownLive = x.elr, x.bump, x.isr, true
		if x.unclean > 0 {
			b.UncleanShutdown = x.unclean
		}
		got := "none"
		if c, ok := b.Build(); ok {
			got = show(c.Apply(x.p))
		}
		if got != x.want {
			t.Errorf("%s: %s, want %s", x.name, got, x.want)
		}
	}
}

// What 4.0.2, 4.1.0 and 4.1.1 make of the last known leader (PartitionChangeBuilder of each).
func TestLastKnownLeaderByRelease(t *testing.T) {
	state := func(leader protocol.BrokerID, isr, last brokers) protocol.PartitionState {
		return protocol.PartitionState{Replicas: brokers{1, 2, 3}, Leader: leader, ISR: isr, LastKnownELR: last, LeaderEpoch: 100, PartitionEpoch: 200}
	}
	for _, x := range []struct {
		name   string
		p      protocol.PartitionState
		cannot brokers
		isr    brokers
		want   [3]string
	}{
		{"it is away", state(-1, nil, brokers{1}), brokers{1}, nil, [3]string{"1 e101 p201 [1]", "none", "none"}},
		{"it is live", state(-1, nil, brokers{1}), nil, nil, [3]string{"1 e101 p201 [1]", "1 e101 p201 [1]", "1 e101 p201 [1]"}},
		{"nobody can lead, and the ISR has a member", state(1, brokers{1, 2}, nil), brokers{1, 2}, brokers{2},
			[3]string{"-1 e101 p201 [2] elr[1]", "-1 e101 p201 [2] elr[1]", "-1 e101 p201 [2] elr[1] last[1]"}},
		{"a leader stays", state(1, brokers{1}, brokers{2}), nil, brokers{1, 3}, [3]string{"1 e100 p201 [1,3]", "1 e100 p201 [1,3]", "1 e100 p201 [1,3] last[2]"}},
	} {
		for i, kafka := range []string{"4.0.2", "4.1.0", "4.1.1"} {
			rules := release.Of(release.First(kafka))
			b := NewPartitionChangeBuilder(x.p, except(x.cannot...), 2)
			b.ELR, b.LastKnownLive, b.LastKnownAtOnce, b.TargetISR = true, rules.LastKnownLeaderLive, rules.LastKnownAtOnce, x.isr
			got := "none"
			if c, ok := b.Build(); ok {
				got = show(c.Apply(x.p))
			}
			if got != x.want[i] {
				t.Errorf("%s, Kafka %s: %s, want %s", x.name, kafka, got, x.want[i])
			}
		}
	}
}

func TestUncleanElectionMakesTheISRTheLeaderAlone(t *testing.T) {
	for _, elr := range []brokers{nil, {2}} {
		p := protocol.PartitionState{Replicas: brokers{1, 2, 3}, Leader: -1, ISR: brokers{1}, ELR: elr, LeaderEpoch: 5, PartitionEpoch: 9}
		b := NewPartitionChangeBuilder(p, except(1, 2), 2)
		b.Election, b.ELR = Unclean, elr != nil
		c, ok := b.Build()
		if got := show(c.Apply(p)); !ok || !c.Unclean || got != "3 e6 p10 [3]" {
			t.Errorf("%s unclean %v", got, c.Unclean)
		}
	}
}

// The events of Kafka's PartitionLeaderElectionAlgorithmsTest (2.8).
func TestElectionStrategies(t *testing.T) {
	a := brokers{2, 4}
	for _, x := range []struct {
		name      string
		isr, live brokers
		unclean   bool
		leader    protocol.BrokerID
		was       bool
	}{
		{"a live member of the ISR", brokers{2, 4}, brokers{4}, false, 4, false},
		{"in the order of the assignment", brokers{4, 2}, brokers{4, 2}, true, 2, false},
		{"nobody of the ISR is live", brokers{2}, brokers{4}, false, protocol.NoBroker, false},
		{"nobody of the ISR is live, unclean", brokers{2}, brokers{4}, true, 4, true},
		{"a live replica that is not assigned", brokers{2}, brokers{5}, true, protocol.NoBroker, false},
	} {
		if leader, was := OfflinePartitionLeaderElection(a, x.isr, x.live, x.unclean); leader != x.leader || was != x.was {
			t.Errorf("offline, %s: %d %v, want %d %v", x.name, leader, was, x.leader, x.was)
		}
	}
	for _, x := range []struct {
		isr, live brokers
		leader    protocol.BrokerID
	}{{brokers{2, 4}, brokers{2, 4}, 2}, {brokers{4}, brokers{2, 4}, -1}, {brokers{2, 4}, brokers{4}, -1}} {
		if leader := PreferredReplicaLeaderElection(a, x.isr, x.live); leader != x.leader {
			t.Errorf("preferred, ISR %v, live %v: %d, want %d", x.isr, x.live, leader, x.leader)
		}
	}
	for _, x := range []struct {
		isr, live, stopping brokers
		leader              protocol.BrokerID
	}{
		{brokers{2, 4}, brokers{2, 4}, brokers{2}, 4},
		{brokers{2}, brokers{2, 4}, brokers{2}, -1},
		{brokers{2, 4}, brokers{2, 4}, brokers{2, 4}, -1},
	} {
		if leader := ControlledShutdownLeaderElection(a, x.isr, x.live, x.stopping); leader != x.leader {
			t.Errorf("shutdown of %v, ISR %v: %d, want %d", x.stopping, x.isr, leader, x.leader)
		}
	}
}
