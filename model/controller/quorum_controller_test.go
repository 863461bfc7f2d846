package controller

import (
	"testing"

	"kafkatrial/model/event"
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

const ms = sim.Millisecond

func TestRunBeginsInTheMiddleOfTheClustersLife(t *testing.T) {
	for _, v := range []string{"3.3", "3.9", "4.1"} {
		c := newCluster(t, v)
		c.run(20 * ms)
		c.want("1 e0 p0 [1,2,3]")
		for b := 1; b <= 3; b++ {
			if p := c.broker(b).state[orders]; show(p) != "1 e0 p0 [1,2,3]" {
				t.Errorf("%s: broker %d has %s", v, b, show(p))
			}
		}
		if n := c.count(new(event.BrokerFenced)); n != 0 {
			t.Errorf("%s: %d brokers were fenced at the start", v, n)
		}
		c.run(20 * sim.Second)
		c.want("1 e0 p0 [1,2,3]")
	}
}

func TestAProcessThatStartsMayAskToStayFencedWithoutNoise(t *testing.T) {
	c := newCluster(t, "4.0")
	c.run(0)
	c.broker(2).wants = true
	c.run(5 * sim.Second)
	c.want("1 e0 p0 [1,2,3]")
	c.broker(2).wants = false
	c.run(5 * sim.Second)
	c.broker(2).wants = true // later it is a wish like any other
	c.run(5 * sim.Second)
	c.want("1 e0 p1 [1,3]")
}

func TestSessionTimeoutFencesAndElects(t *testing.T) {
	c := newCluster(t, "4.0")
	c.run(3 * sim.Second)
	c.kill(1)
	c.run(8 * sim.Second)
	c.want("1 e0 p0 [1,2,3]")
	if c.w.Busy() == 0 {
		t.Error("a session that is about to end is nothing to wait for")
	}
	c.run(2 * sim.Second)
	c.want("2 e1 p1 [2,3]")
	if p := c.broker(3).state[orders]; show(p) != "2 e1 p1 [2,3]" {
		t.Errorf("broker 3 has %s", show(p))
	}
	if c.w.Busy() != 0 {
		t.Errorf("%d things are still to come after the fencing", c.w.Busy())
	}
}

func TestRegistrationIsRefusedWhileTheOldSessionLives(t *testing.T) {
	c := newCluster(t, "3.9")
	c.run(3 * sim.Second)
	c.kill(2)
	c.run(100 * ms)
	c.restart(2)
	c.run(20 * sim.Second)
	got := c.broker(2).regErr
	if len(got) < 3 || got[0] != protocol.DuplicateBrokerRegistration || got[len(got)-1] != protocol.None {
		t.Errorf("registrations were answered %v", got)
	}
	if epoch := c.broker(2).epoch; epoch <= 3 {
		t.Errorf("the new broker epoch is %d, no larger than the first ones", epoch)
	}
	c.want("1 e0 p1 [1,3]")
	if c.active().(*QuorumController).Fenced(2) {
		t.Error("broker 2 has caught up and is still fenced")
	}
}

func TestControlledShutdownMovesLeadersFirst(t *testing.T) {
	c := newCluster(t, "4.0")
	c.run(3 * sim.Second)
	c.broker(1).stop = true
	c.run(2 * sim.Second)
	c.want("2 e1 p1 [2,3]")
	if c.w.State(c.dir.Node(1)) != sim.Up {
		t.Error("broker 1 stopped before the others had heard of its shutdown")
	}
	c.run(4 * sim.Second)
	if c.w.State(c.dir.Node(1)) != sim.Down {
		t.Error("broker 1 was not told to stop")
	}
	c.want("2 e1 p1 [2,3]")
	if why := c.fenced(); len(why) != 1 || !why[0] {
		t.Errorf("fenced %v, want one broker that asked for it", why)
	}
	c.kill(3)
	c.run(10 * sim.Second)
	if why := c.fenced(); len(why) != 2 || why[1] {
		t.Errorf("fenced %v, want one more, which was silent", why)
	}
}

// fenced tells of each fencing whether the broker asked for it.
func (c *cluster) fenced() (asked []bool) {
	for i := range c.w.Trace().Events {
		if e, ok := c.w.Trace().Events[i].Event.(*event.BrokerFenced); ok {
			asked = append(asked, e.Asked)
		}
	}
	return asked
}

func TestLastISRMemberStaysAndIsElectedWhenItReturns(t *testing.T) {
	c := newCluster(t, "4.0")
	c.run(3 * sim.Second)
	if err := c.alter(1, nil, 1); err != protocol.None {
		t.Fatal(err)
	}
	c.kill(1)
	c.run(10 * sim.Second)
	c.want("-1 e1 p2 [1]")
	c.restart(1)
	c.run(10 * sim.Second)
	c.want("1 e2 p3 [1]")
}

func TestLastISRMemberKeptGuard(t *testing.T) {
	c := newCluster(t, "4.0", off(planted.LastISRMemberKept))
	c.run(3 * sim.Second)
	c.alter(1, nil, 1)
	c.kill(1)
	c.run(10 * sim.Second)
	if p := c.partition(orders); p.Leader == protocol.NoBroker {
		t.Errorf("with the guard off nobody outside the ISR was elected: %s", show(p))
	}
}

func TestCleanElectionGuard(t *testing.T) {
	c := newCluster(t, "4.0", off(planted.CleanElection))
	c.run(3 * sim.Second)
	c.alter(1, nil, 1)
	c.kill(1)
	c.run(10 * sim.Second)
	c.want("2 e1 p2 [2]")
}

func TestUncleanElectionUnderKRaft(t *testing.T) {
	// Until 3.8 the setting is not heeded (KAFKA-12670).
	for v, want := range map[string]string{"3.8": "-1 e1 p2 [1]", "3.9": "2 e1 p2 [2]"} {
		c := newCluster(t, v, topicConfig("unclean.leader.election.enable", "true"))
		c.run(3 * sim.Second)
		c.alter(1, nil, 1)
		c.kill(1)
		c.run(10 * sim.Second)
		c.want(want)
	}
}

func TestTurningUncleanElectionOnIsActedOnAtTheNextLook(t *testing.T) {
	c := newCluster(t, "3.9")
	c.run(3 * sim.Second)
	c.alter(1, nil, 1)
	c.kill(1)
	c.run(10 * sim.Second)
	c.w.Command(c.dir.Controllers[0], &protocol.Command{AlterConfig: &protocol.ConfigRecord{Topic: "orders", Key: "unclean.leader.election.enable", Value: "true"}})
	c.run(10 * ms)
	c.want("-1 e1 p2 [1]")
	if c.w.Busy() == 0 {
		t.Error("the election to come keeps nobody waiting")
	}
	c.run(5 * sim.Minute)
	c.want("2 e2 p3 [2]")
	if c.probe("unclean leader election") != 1 {
		t.Error("no probe")
	}
}

func TestOperatorsElections(t *testing.T) {
	c := newCluster(t, "4.0")
	elect := func(unclean bool) {
		c.w.Command(c.dir.Controllers[0], &protocol.Command{Elect: &protocol.ElectCommand{TP: orders, Unclean: unclean}})
		c.run(10 * ms)
	}
	refused := func(want protocol.Error) {
		t.Helper()
		events := c.w.Trace().Events
		for i := len(events) - 1; i >= 0; i-- {
			if e, ok := events[i].Event.(*event.ElectionRefused); ok {
				if e.Err != want {
					t.Fatalf("refused with %v, want %v", e.Err, want)
				}
				return
			}
		}
		t.Fatalf("not refused, want %v", want)
	}
	c.run(3 * sim.Second)
	elect(false)
	refused(protocol.ElectionNotNeeded)
	c.kill(1)
	c.run(10 * sim.Second)
	elect(false)
	refused(protocol.PreferredLeaderNotAvailable)
	elect(true)
	refused(protocol.ElectionNotNeeded)
	c.restart(1)
	c.run(10 * sim.Second)
	c.want("2 e1 p1 [2,3]")
	if err := c.alter(2, nil, 2, 3, 1); err != protocol.None {
		t.Fatal(err)
	}
	elect(false)
	c.want("1 e2 p3 [2,3,1]")
}

func TestAutoLeaderRebalance(t *testing.T) {
	c := newCluster(t, "4.0")
	c.run(3 * sim.Second)
	c.kill(1)
	c.run(10 * sim.Second)
	c.restart(1)
	c.run(10 * sim.Second)
	c.alter(2, nil, 2, 3, 1)
	c.want("2 e1 p2 [2,3,1]")
	c.run(5 * sim.Minute)
	c.want("1 e2 p3 [2,3,1]")
}

func TestAlterPartitionChecksInKafkasOrder(t *testing.T) {
	type q = protocol.AlterPartition
	for _, x := range []struct {
		name  string
		by    protocol.BrokerID
		isr   []protocol.BrokerID
		wrong func(*q)
		want  protocol.Error
	}{
		{"accepted", 1, []protocol.BrokerID{1, 2}, nil, protocol.None},
		{"a broker epoch of another life", 1, []protocol.BrokerID{1, 2}, func(m *q) { m.BrokerEpoch-- }, protocol.StaleBrokerEpoch},
		{"unknown partition", 1, []protocol.BrokerID{1}, func(m *q) { m.Data[0].TP.Topic = "lost" }, protocol.UnknownTopicOrPartition},
		{"leader epoch ahead", 1, []protocol.BrokerID{1}, func(m *q) { m.Data[0].LeaderEpoch++ }, protocol.NotController},
		{"partition epoch ahead", 1, []protocol.BrokerID{1}, func(m *q) { m.Data[0].PartitionEpoch++ }, protocol.NotController},
		{"leader epoch behind", 1, []protocol.BrokerID{1}, func(m *q) { m.Data[0].LeaderEpoch-- }, protocol.FencedLeaderEpoch},
		{"leader epoch behind goes before partition epoch behind", 1, []protocol.BrokerID{1},
			func(m *q) { m.Data[0].LeaderEpoch--; m.Data[0].PartitionEpoch-- }, protocol.FencedLeaderEpoch},
		{"not the leader", 2, []protocol.BrokerID{1, 2}, nil, protocol.InvalidRequest},
		{"partition epoch behind", 1, []protocol.BrokerID{1}, func(m *q) { m.Data[0].PartitionEpoch-- }, protocol.InvalidUpdateVersion},
		{"no replica", 1, []protocol.BrokerID{1, 4}, nil, protocol.InvalidRequest},
		{"twice", 1, []protocol.BrokerID{1, 2, 2}, nil, protocol.InvalidRequest},
		{"without the leader", 1, []protocol.BrokerID{2}, nil, protocol.InvalidRequest},
		{"empty", 1, nil, nil, protocol.InvalidRequest},
		{"a fenced member (KIP-841)", 1, []protocol.BrokerID{1, 2, 3}, nil, protocol.IneligibleReplica},
		{"a member that has restarted since (KIP-903)", 1, []protocol.BrokerID{1, 2}, func(m *q) { m.Data[0].ISR[1].Epoch-- }, protocol.IneligibleReplica},
		{"a member whose epoch is not told", 1, []protocol.BrokerID{1, 2}, func(m *q) { m.Data[0].ISR[1].Epoch = -1 }, protocol.None},
	} {
		c := newCluster(t, "4.0", down(3))
		c.run(3 * sim.Second)
		c.want("1 e0 p0 [1,2]")
		if err := c.alter(1, nil, 1); err != protocol.None { // so that there is an earlier partition epoch
			t.Fatal(err)
		}
		c.want("1 e0 p1 [1]")
		if got := c.alter(x.by, x.wrong, x.isr...); got != x.want {
			t.Errorf("%s: %v, want %v", x.name, got, x.want)
		}
		if x.want != protocol.None {
			c.want("1 e0 p1 [1]")
			if c.count(new(event.ISRChangeRefused)) != 1 {
				t.Errorf("%s: the refusal is not recorded", x.name)
			}
		}
	}
}

func TestGuardsOfAlterPartition(t *testing.T) {
	type q = protocol.AlterPartition
	for _, x := range []struct {
		guard planted.Guard
		wrong func(*q)
		isr   []protocol.BrokerID
	}{
		{planted.CASPartitionEpoch, func(m *q) { m.Data[0].PartitionEpoch-- }, []protocol.BrokerID{1, 2}},
		{planted.LeaderEpochInAlterPartition, func(m *q) { m.Data[0].LeaderEpoch-- }, []protocol.BrokerID{1, 2}},
		{planted.StaleBrokerEpoch, func(m *q) { m.BrokerEpoch-- }, []protocol.BrokerID{1, 2}},
		{planted.BrokerEpochInISR, func(m *q) { m.Data[0].ISR[1].Epoch-- }, []protocol.BrokerID{1, 2}},
		{planted.FencedOutOfISR, nil, []protocol.BrokerID{1, 3}},
	} {
		c := newCluster(t, "4.0", down(3), off(x.guard))
		c.run(3 * sim.Second)
		c.alter(1, nil, 1)
		if err := c.alter(1, x.wrong, x.isr...); err != protocol.None {
			t.Errorf("with %v off the request is still refused: %v", x.guard, err)
		}
	}
}

func TestBrokerEpochInISRCameWithKIP903(t *testing.T) {
	for v, want := range map[string]protocol.Error{"3.4": protocol.None, "3.5": protocol.IneligibleReplica} {
		c := newCluster(t, v)
		c.run(3 * sim.Second)
		got := c.alter(1, func(m *protocol.AlterPartition) { m.Data[0].ISR[1].Epoch-- }, 1, 2)
		if got != want {
			t.Errorf("%s: %v, want %v", v, got, want)
		}
	}
}

func TestShrinkBumpsTheLeaderEpochBefore36(t *testing.T) {
	for v, want := range map[string]string{"3.5": "1 e1 p1 [1,2]", "3.6": "1 e0 p1 [1,2]"} {
		c := newCluster(t, v)
		c.run(3 * sim.Second)
		c.alter(1, nil, 1, 2)
		c.want(want)
		if v == "3.5" { // an expansion never does
			c.alter(1, nil, 1, 2, 3)
			c.want("1 e1 p2 [1,2,3]")
		}
	}
}

// The last replica standing (KIP-966): with ELR the partition does not hang on the one replica that may
// have lost the end of its log.
func TestEligibleLeaderReplicas(t *testing.T) {
	c := newCluster(t, "4.1", topicConfig("min.insync.replicas", "2"))
	c.run(3 * sim.Second)
	c.alter(1, nil, 1, 2)
	c.want("1 e0 p1 [1,2]")
	c.alter(1, nil, 1)
	c.want("1 e0 p2 [1] elr[2]")
	c.w.PowerLoss(c.dir.Node(1), nil)
	c.run(10 * sim.Second)
	c.want("2 e1 p3 [2] elr[1]")
	if c.probe("leader elected from the eligible leader replicas") != 1 {
		t.Error("no probe")
	}
	c.restart(1) // without a clean-shutdown mark
	c.run(10 * sim.Second)
	c.want("2 e1 p4 [2]")
}

func TestUncleanShutdownLeavesELRGuard(t *testing.T) {
	c := newCluster(t, "4.1", topicConfig("min.insync.replicas", "2"), off(planted.UncleanShutdownLeavesELR))
	c.run(3 * sim.Second)
	c.alter(1, nil, 1, 2)
	c.alter(1, nil, 1)
	c.kill(1)
	c.run(10 * sim.Second)
	c.restart(1)
	c.run(10 * sim.Second)
	c.want("2 e1 p3 [2] elr[1]")
}

func TestCleanShutdownKeepsELR(t *testing.T) {
	c := newCluster(t, "4.1", topicConfig("min.insync.replicas", "2"))
	c.run(3 * sim.Second)
	c.alter(1, nil, 1, 2)
	c.broker(2).stop = true
	c.run(6 * sim.Second)
	c.want("1 e0 p2 [1] elr[2]")
	c.restart(2)
	c.run(10 * sim.Second)
	c.want("1 e0 p2 [1] elr[2]")
}

func TestISRIsEmptyOnlyWithELR(t *testing.T) {
	c := newCluster(t, "4.1", topicConfig("min.insync.replicas", "2"))
	c.run(3 * sim.Second)
	c.alter(1, nil, 1)
	c.want("1 e0 p1 [1] elr[2,3]")
	for b := 1; b <= 3; b++ {
		c.kill(b)
	}
	c.run(10 * sim.Second)
	p := c.partition(orders)
	if p.Leader != protocol.NoBroker || len(p.ISR) != 0 || len(p.LastKnownELR) != 1 {
		t.Fatalf("all away: %s", show(p))
	}
	known := p.LastKnownELR[0]
	for b := 1; b <= 3; b++ {
		c.restart(b)
	}
	c.run(10 * sim.Second)
	if p = c.partition(orders); p.Leader != known || len(p.ISR) != 1 {
		t.Errorf("all back uncleanly: %s, want the last known leader %d", show(p), known)
	}
	if c.probe("unclean leader election") != 1 {
		t.Error("the last known leader is an unclean choice")
	}
}

func TestAnotherMinISRClearsELR(t *testing.T) {
	c := newCluster(t, "4.1", topicConfig("min.insync.replicas", "2"))
	c.run(3 * sim.Second)
	c.alter(1, nil, 1)
	c.want("1 e0 p1 [1] elr[2,3]")
	c.w.Command(c.dir.Controllers[0], &protocol.Command{AlterConfig: &protocol.ConfigRecord{Topic: "orders", Key: "min.insync.replicas", Value: "1"}})
	c.run(10 * ms)
	c.want("1 e0 p2 [1]")
}

func TestAddPartitions(t *testing.T) {
	c := newCluster(t, "4.0")
	c.run(3 * sim.Second)
	c.w.Command(c.dir.Controllers[0], &protocol.Command{AddPartitions: &protocol.AddPartitionsCommand{Topic: "orders", Count: 3, Replicas: [][]protocol.BrokerID{{3, 1}, {2, 3}}}})
	c.run(10 * ms)
	if got := show(c.partition(protocol.TopicPartition{Topic: "orders", Partition: 2})); got != "2 e0 p0 [2,3]" {
		t.Error(got)
	}
	if p := c.broker(2).state[protocol.TopicPartition{Topic: "orders", Partition: 1}]; show(p) != "3 e0 p0 [3,1]" {
		t.Error(show(p))
	}
	c.w.Command(c.dir.Controllers[0], &protocol.Command{AddPartitions: &protocol.AddPartitionsCommand{Topic: "orders", Count: 2}})
	if n := len(c.active().Partitions()); n != 3 {
		t.Errorf("%d partitions after a wish for fewer", n)
	}
}

func TestMetadataLogSurvivesTheController(t *testing.T) {
	c := newCluster(t, "4.0")
	c.run(3 * sim.Second)
	c.alter(1, nil, 1, 3)
	epochs := [...]int64{c.active().BrokerEpoch(1), c.active().BrokerEpoch(2)}
	c.w.PowerLoss(c.dir.Controllers[0], nil)
	c.run(1 * sim.Second)
	c.w.Restart(c.dir.Controllers[0])
	c.run(100 * ms)
	c.want("1 e0 p1 [1,3]")
	if got := [...]int64{c.active().BrokerEpoch(1), c.active().BrokerEpoch(2)}; got != epochs {
		t.Errorf("broker epochs %v, before %v", got, epochs)
	}
	if c.active().Epoch() != 2 {
		t.Errorf("controller epoch %d", c.active().Epoch())
	}
}

func TestAControllerOnAnEmptyNewDiskDoesNotStart(t *testing.T) {
	c := newCluster(t, "4.0")
	c.run(1 * sim.Second)
	c.w.LoseDisk(c.dir.Controllers[0])
	c.w.Restart(c.dir.Controllers[0])
	c.run(1 * sim.Second)
	if c.w.State(c.dir.Controllers[0]) == sim.Up {
		t.Error("it runs on a disk that was not formatted")
	}
}

func TestBrokerThatIsDownAtTheStartIsFenced(t *testing.T) {
	c := newCluster(t, "4.0", down(1))
	c.run(1 * sim.Second)
	c.want("2 e0 p0 [2,3]")
	c.restart(1)
	c.run(5 * sim.Second)
	c.want("2 e0 p0 [2,3]")
	if epoch := c.broker(1).epoch; epoch <= 3 {
		t.Errorf("it registered under epoch %d, that of the life before", epoch)
	}
	if err := c.alter(2, nil, 2, 3, 1); err != protocol.None {
		t.Error(err)
	}
}

func TestABrokerInControlledShutdownIsIneligible(t *testing.T) {
	c := newCluster(t, "4.0")
	c.run(3 * sim.Second)
	c.broker(1).stop = true
	c.run(1100 * ms)
	c.want("2 e1 p1 [2,3]")
	if err := c.alter(2, nil, 2, 3, 1); err != protocol.IneligibleReplica {
		t.Error(err)
	}
}

func TestEffectiveMinISRIsAtMostTheNumberOfReplicas(t *testing.T) {
	c := newCluster(t, "4.1", topicConfig("min.insync.replicas", "5"))
	c.run(3 * sim.Second)
	c.alter(1, nil, 1, 2)
	c.want("1 e0 p1 [1,2] elr[3]")
	c.alter(1, nil, 1, 2, 3)
	c.want("1 e0 p2 [1,2,3]")
}

// The events of Kafka's BrokerHeartbeatManagerTest.testBrokerControlStates and calculateNextBrokerState.
func TestNextBrokerState(t *testing.T) {
	type h = protocol.BrokerHeartbeat
	for _, x := range []struct {
		name     string
		isFenced bool
		stopping int64 // controlled shutdown offset, -1 none
		beat     h
		leads    bool
		next     brokerControlState
	}{
		{"fenced, not caught up", true, -1, h{MetadataOffset: 9}, false, fenced},
		{"fenced, caught up", true, -1, h{MetadataOffset: 10}, false, unfenced},
		{"fenced, caught up, wants to stay fenced", true, -1, h{MetadataOffset: 10, WantFence: true}, false, fenced},
		{"fenced, wants to stop", true, -1, h{WantShutDown: true}, false, shutdownNow},
		{"unfenced", false, -1, h{MetadataOffset: 10}, true, unfenced},
		{"unfenced, wants to be fenced", false, -1, h{WantFence: true}, true, fenced},
		{"unfenced, wants both", false, -1, h{WantFence: true, WantShutDown: true}, true, shutdownNow},
		{"unfenced, wants to stop, leads", false, -1, h{WantShutDown: true}, true, controlledShutdown},
		{"unfenced, wants to stop, leads nothing", false, -1, h{WantShutDown: true}, false, shutdownNow},
		{"stopping, still leads", false, 15, h{WantShutDown: true}, true, controlledShutdown},
		{"stopping, the others have not heard of it", false, 21, h{WantShutDown: true}, false, controlledShutdown},
		{"stopping, the others have heard of it", false, 20, h{WantShutDown: true}, false, shutdownNow},
	} {
		var m brokerHeartbeatManager
		m.init(2, 9*sim.Second, 2*sim.Second)
		m.register(1, x.isFenced, 0)
		m.brokers[0].controlledShutdownOffset = x.stopping
		m.register(2, false, 0)
		m.touch(2, false, 20, 0)
		x.beat.Broker = 1
		if _, next := m.next(&x.beat, 10, x.leads); next != x.next {
			t.Errorf("%s: %d, want %d", x.name, next, x.next)
		}
	}
}

func TestTheSameRunGivesTheSameBytes(t *testing.T) {
	for _, v := range []string{"1.0", "2.8", "4.1"} {
		var hash [2]uint64
		for i := range hash {
			c := newCluster(t, v)
			c.run(3 * sim.Second)
			c.kill(1)
			c.run(20 * sim.Second)
			hash[i] = c.w.Hash()
		}
		if hash[0] != hash[1] {
			t.Errorf("%s: two runs differ", v)
		}
	}
}
