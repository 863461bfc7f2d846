package controller

import (
	"testing"

	"kafkatrial/model/event"
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/model/zookeeper"
	"kafkatrial/sim"
)

func (c *cluster) zk() *zookeeper.Server { return c.w.Node(c.dir.ZooKeeper).(*zookeeper.Server) }

// inZk writes orders-0 as ZooKeeper has it.
func (c *cluster) inZk() string {
	d, version, _ := c.zk().Get(zookeeper.PartitionStatePath(orders))
	z := d.(zookeeper.PartitionZNode)
	return show(protocol.PartitionState{Leader: z.Leader, LeaderEpoch: z.LeaderEpoch, ISR: z.ISR, PartitionEpoch: int(version)})
}

// writeISR makes broker b write an ISR to ZooKeeper itself, as leaders did before KIP-497.
func (c *cluster) writeISR(b protocol.BrokerID, leaderEpoch int, version int32, isr ...protocol.BrokerID) protocol.ZkError {
	f := c.broker(b)
	f.env.Send(f.conn, &protocol.ZkRequest{ID: 77, Op: protocol.ZkSet, Session: f.session, Path: zookeeper.PartitionStatePath(orders), Version: version, ControllerEpoch: -1,
		Data: zookeeper.PartitionZNode{Leader: b, LeaderEpoch: leaderEpoch, ISR: isr, ControllerEpoch: f.controllerEpoch}})
	f.env.Send(f.conn, &protocol.ZkRequest{Op: protocol.ZkCreate, Sequential: true, Session: f.session, Path: zookeeper.ISRChangePrefix, Version: -1, ControllerEpoch: -1,
		Data: zookeeper.ISRChangeZNode{Partitions: []protocol.TopicPartition{orders}}})
	c.run(30 * ms)
	for _, m := range f.got {
		if r, ok := m.(*protocol.ZkResponse); ok && r.ID == 77 && r.Op == protocol.ZkSet {
			return r.Err
		}
	}
	c.t.Fatal("no answer")
	return 0
}

func (c *cluster) controller(i int) *KafkaController {
	k, _ := c.w.Node(c.dir.Controllers[i-1]).(*KafkaController)
	return k
}

func TestZooKeeperRunBeginsInTheMiddleOfTheClustersLife(t *testing.T) {
	for _, v := range []string{"0.8.2", "0.10", "1.1", "2.8"} {
		c := newCluster(t, v)
		c.run(30 * ms)
		c.want("1 e0 p0 [1,2,3]")
		if !c.controller(1).Active() || c.controller(1).Epoch() != 1 || c.controller(2).Active() {
			t.Errorf("%s: controller 1 active %v in epoch %d", v, c.controller(1).Active(), c.controller(1).Epoch())
		}
		for b := 1; b <= 3; b++ {
			if p := c.broker(b).state[orders]; show(p) != "1 e0 p0 [1,2,3]" {
				t.Errorf("%s: broker %d was ordered %s", v, b, show(p))
			}
			if epoch := last[*protocol.LeaderAndIsr](c.broker(b)).BrokerEpoch; (epoch >= 0) != c.rules.BrokerEpochInOrders {
				t.Errorf("%s: the order names broker epoch %d", v, epoch)
			}
		}
		c.run(20 * sim.Second)
		c.want("1 e0 p0 [1,2,3]")
		if c.w.Busy() != 0 {
			t.Errorf("%s: the calm run never comes to rest", v)
		}
	}
}

func TestDeadBrokersLeadershipsMoveThenItLeavesTheISR(t *testing.T) {
	c := newCluster(t, "2.6")
	c.run(1 * sim.Second)
	c.kill(1)
	c.run(8 * sim.Second)
	c.want("2 e1 p1 [2,3]")
	if c.inZk() != c.state() {
		t.Errorf("ZooKeeper has %s", c.inZk())
	}
	if p := c.broker(3).state[orders]; p.Leader != 2 || p.LeaderEpoch != 1 {
		t.Errorf("broker 3 was ordered %s", show(p))
	}
	c.restart(1)
	c.run(1 * sim.Second)
	if p := c.broker(1).state[orders]; p.Leader != 2 {
		t.Errorf("broker 1 was ordered %s on its return", show(p))
	}
	c.kill(3) // a follower: the controller takes it out of the ISR, and the leader epoch goes up
	c.run(8 * sim.Second)
	c.want("2 e2 p2 [2]")
}

// Brokers that are found gone together are gone for the first election already.
func TestNoneOfSeveralDeadBrokersIsElected(t *testing.T) {
	c := newCluster(t, "2.6")
	c.run(1 * sim.Second)
	c.kill(1)
	c.kill(2)
	c.run(8 * sim.Second)
	c.want("3 e1 p1 [3]") // one election, which leaves the dead out of the ISR
	for i := range c.w.Trace().Events {
		if e, ok := c.w.Trace().Events[i].Event.(*event.LeaderElected); ok && e.Leader == 2 {
			t.Error("broker 2 was elected although it is gone")
		}
	}
}

func TestLastISRMemberStaysInZooKeeper(t *testing.T) {
	c := newCluster(t, "2.6")
	c.run(1 * sim.Second)
	if err := c.writeISR(1, 0, 0, 1); err != protocol.ZkOK {
		t.Fatal(err)
	}
	c.want("1 e0 p1 [1]") // the notification has reached the controller
	if p := c.broker(3).told[orders]; show(p) != "1 e0 p1 [1]" {
		t.Errorf("broker 3 was told %s", show(p))
	}
	if n := c.zk().Children(zookeeper.ISRChangePath); len(n) != 0 {
		t.Errorf("notifications left: %v", n)
	}
	c.kill(1)
	c.run(8 * sim.Second)
	c.want("-1 e1 p2 [1]")
	c.restart(1)
	c.run(2 * sim.Second)
	c.want("1 e2 p3 [1]")
}

func TestUncleanElectionIsTheDefaultBefore011(t *testing.T) {
	for v, want := range map[string]string{"0.10": "2 e1 p2 [2]", "0.11": "-1 e1 p2 [1]"} {
		c := newCluster(t, v)
		c.run(1 * sim.Second)
		c.writeISR(1, 0, 0, 1)
		c.kill(1)
		c.run(8 * sim.Second)
		c.want(want)
	}
}

func TestTurningUncleanElectionOnIsActedOnAtOnceSince21(t *testing.T) {
	for v, want := range map[string]string{"2.0": "-1 e1 p2 [1]", "2.1": "2 e2 p3 [2]"} {
		c := newCluster(t, v)
		c.run(1 * sim.Second)
		c.writeISR(1, 0, 0, 1)
		c.kill(1)
		c.run(8 * sim.Second)
		c.want("-1 e1 p2 [1]")
		c.w.Command(c.dir.ZooKeeper, &protocol.Command{AlterConfig: &protocol.ConfigRecord{Topic: "orders", Key: "unclean.leader.election.enable", Value: "true"}})
		c.run(100 * ms)
		c.want(want)
		if u := last[*protocol.UpdateMetadata](c.broker(2)); v == "2.0" && len(u.Configs) != 1 {
			t.Error("the brokers were not told of the setting")
		}
	}
}

// A leader that was cut off keeps its old state; the version refuses its ISR change.
func TestStaleLeadersISRChangeIsRefusedByTheVersion(t *testing.T) {
	for _, x := range []struct {
		opts []option
		want protocol.ZkError
	}{{nil, protocol.ZkBadVersion}, {[]option{off(planted.CASPartitionEpoch)}, protocol.ZkOK}} {
		c := newCluster(t, "2.6", x.opts...)
		c.run(1 * sim.Second)
		c.w.Command(c.dir.Controllers[0], &protocol.Command{Elect: &protocol.ElectCommand{TP: orders}})
		c.broker(1).env.Send(c.broker(1).env.Connect(c.dir.Controllers[0]), &protocol.ControlledShutdown{Broker: 1, BrokerEpoch: c.broker(1).epoch})
		c.run(100 * ms)
		c.want("2 e1 p1 [2,3]")
		if got := c.writeISR(1, 0, 0, 1); got != x.want {
			t.Errorf("the old leader's write: %v, want %v", got, x.want)
		}
		if n := c.count(new(event.ISRChangeRefused)); (n == 1) != (x.want == protocol.ZkBadVersion) {
			t.Errorf("%d refusals recorded", n)
		}
	}
}

func TestControlledShutdownInZooKeeperMode(t *testing.T) {
	c := newCluster(t, "2.2")
	c.run(1 * sim.Second)
	f := c.broker(1)
	conn := f.env.Connect(c.dir.Controllers[0])
	f.env.Send(conn, &protocol.ControlledShutdown{Broker: 1, BrokerEpoch: f.epoch - 1})
	c.run(50 * ms)
	if r := last[*protocol.ControlledShutdownResponse](f); r.Err != protocol.StaleBrokerEpoch {
		t.Errorf("an old broker epoch: %v", r.Err)
	}
	f.env.Send(conn, &protocol.ControlledShutdown{Broker: 1, BrokerEpoch: f.epoch})
	c.run(50 * ms)
	c.want("2 e1 p1 [2,3]")
	if r := last[*protocol.ControlledShutdownResponse](f); r.Err != protocol.None || len(r.Remaining) != 0 {
		t.Errorf("%+v", r)
	}
	// A follower leaves the ISR while it still runs.
	g := c.broker(3)
	g.env.Send(g.env.Connect(c.dir.Controllers[0]), &protocol.ControlledShutdown{Broker: 3, BrokerEpoch: g.epoch})
	c.run(50 * ms)
	c.want("2 e2 p2 [2]")
	// The last member can not hand over.
	h := c.broker(2)
	h.env.Send(h.env.Connect(c.dir.Controllers[0]), &protocol.ControlledShutdown{Broker: 2, BrokerEpoch: h.epoch})
	c.run(50 * ms)
	if r := last[*protocol.ControlledShutdownResponse](h); len(r.Remaining) != 1 {
		t.Errorf("%+v", r)
	}
}

func TestAlterIsrIsWrittenToZooKeeperOnCondition(t *testing.T) {
	c := newCluster(t, "2.8")
	c.run(1 * sim.Second)
	if err := c.alter(1, nil, 1, 2); err != protocol.None {
		t.Fatal(err)
	}
	c.want("1 e0 p1 [1,2]")
	if c.inZk() != c.state() {
		t.Errorf("ZooKeeper has %s", c.inZk())
	}
	if p := c.broker(3).told[orders]; show(p) != "1 e0 p1 [1,2]" {
		t.Errorf("broker 3 was told %s", show(p))
	}
	if r := last[*protocol.AlterPartitionResponse](c.broker(1)); show(r.Data[0].State) != "1 e0 p1 [1,2]" {
		t.Errorf("answered %s", show(r.Data[0].State))
	}
	for name, x := range map[string]struct {
		wrong func(*protocol.AlterPartition)
		want  protocol.Error
	}{
		"an old version":      {func(m *protocol.AlterPartition) { m.Data[0].PartitionEpoch-- }, protocol.InvalidUpdateVersion},
		"an old leader epoch": {func(m *protocol.AlterPartition) { m.Data[0].LeaderEpoch-- }, protocol.FencedLeaderEpoch},
		"an old broker epoch": {func(m *protocol.AlterPartition) { m.BrokerEpoch-- }, protocol.StaleBrokerEpoch},
		"an unknown topic":    {func(m *protocol.AlterPartition) { m.Data[0].TP.Topic = "lost" }, protocol.UnknownTopicOrPartition},
	} {
		if err := c.alter(1, x.wrong, 1, 2, 3); err != x.want {
			t.Errorf("%s: %v, want %v", name, err, x.want)
		}
	}
	if err := c.alter(1, func(m *protocol.AlterPartition) { m.Data[0].PartitionEpoch-- }, 1, 2); err != protocol.None {
		t.Errorf("what is so already: %v", err)
	}
}

func TestIneligibleReplicaInZooKeeperMode(t *testing.T) {
	for v, want := range map[string]protocol.Error{"2.8": protocol.None, "3.3": protocol.IneligibleReplica} {
		c := newCluster(t, v, rule("kip-500", false), down(3))
		c.run(1 * sim.Second)
		if err := c.alter(1, nil, 1, 2, 3); err != want {
			t.Errorf("%s: %v, want %v", v, err, want)
		}
	}
}

func TestOrdersAreSentAgainWhileTheSessionLives(t *testing.T) {
	c := newCluster(t, "2.8")
	c.run(1 * sim.Second)
	c.w.CutBoth(c.dir.Controllers[0], c.dir.Node(3))
	if err := c.alter(1, nil, 1, 2); err != protocol.None {
		t.Fatal(err)
	}
	c.w.Disconnect(c.dir.Controllers[0], c.dir.Node(3)) // the order is lost
	c.run(2 * sim.Second)
	if p := c.broker(3).told[orders]; show(p) != "1 e0 p0 [1,2,3]" {
		t.Fatalf("broker 3 knows %s through a cut", show(p))
	}
	c.w.Heal(c.dir.Controllers[0], c.dir.Node(3))
	c.run(1 * sim.Second)
	if p := c.broker(3).told[orders]; show(p) != "1 e0 p1 [1,2]" {
		t.Errorf("broker 3 still knows %s", show(p))
	}
	// Once the session is over, nothing is sent any more.
	c.kill(3)
	c.run(100 * ms)
	c.alter(1, nil, 1)
	if c.active().(*KafkaController).Unanswered() == 0 {
		t.Error("no order waits for broker 3")
	}
	c.run(30 * sim.Second)
	if c.w.Busy() != 0 {
		t.Error("the controller still tries to reach a broker that is gone")
	}
	// When it is back, it is not told what was meant for its earlier life.
	c.restart(3)
	c.run(1 * sim.Second)
	if p := c.broker(3).state[orders]; show(p) != c.state() || c.active().(*KafkaController).Unanswered() != 0 {
		t.Errorf("broker 3 was ordered %s, the state is %s", show(p), c.state())
	}
}

func TestABouncedBrokerIsNoticedSinceKIP380(t *testing.T) {
	for v, noticed := range map[string]bool{"2.1": false, "2.2": true} {
		c := newCluster(t, v)
		c.run(1 * sim.Second)
		old := c.active().BrokerEpoch(2)
		c.w.Pause(c.dir.Controllers[0])
		f := c.broker(2) // its session ends in order and a new one begins before the controller looks
		f.env.Send(f.conn, &protocol.ZkRequest{Op: protocol.ZkClose, Session: f.session, Version: -1, ControllerEpoch: -1})
		f.session, f.epoch = 0, -1
		f.env.Send(f.conn, &protocol.ZkRequest{Op: protocol.ZkConnect, Timeout: 6 * sim.Second, ControllerEpoch: -1})
		c.run(100 * ms)
		c.w.Resume(c.dir.Controllers[0])
		c.run(100 * ms)
		if got := c.active().BrokerEpoch(2) != old; got != noticed {
			t.Errorf("%s: noticed %v", v, got)
		}
		if (c.probe("broker bounced within one look of the controller") == 1) != noticed {
			t.Errorf("%s: probe", v)
		}
	}
}

func TestControllerFailover(t *testing.T) {
	c := newCluster(t, "2.8")
	c.run(1 * sim.Second)
	c.alter(1, nil, 1, 2)
	c.w.Kill(c.dir.Controllers[0])
	c.kill(1)
	c.run(30 * sim.Second)
	k2 := c.controller(2)
	if !k2.Active() || k2.Epoch() != 2 {
		t.Fatalf("controller 2: active %v, epoch %d", k2.Active(), k2.Epoch())
	}
	if p := c.partition(orders); p.Leader != 2 || ids(p.ISR) != "2" {
		t.Errorf("after the failover: %s", show(p))
	}
	if e := last[*protocol.LeaderAndIsr](c.broker(2)).ControllerEpoch; e != 2 {
		t.Errorf("orders carry epoch %d", e)
	}
	c.w.Restart(c.dir.Controllers[0])
	c.run(30 * sim.Second)
	if c.controller(1).Active() {
		t.Error("the returned controller takes over from a live one")
	}
}

// zombie pauses controller 1 until controller 2 is elected, with an operator's election of broker 1 waiting
// in its queue.
func zombie(t *testing.T, version string, opts ...option) *cluster {
	c := newCluster(t, version, opts...)
	if err := c.values.Set("auto.leader.rebalance.enable", "false"); err != nil {
		t.Fatal(err)
	}
	c.run(1 * sim.Second)
	f := c.broker(1)
	f.env.Send(f.env.Connect(c.dir.Controllers[0]), &protocol.ControlledShutdown{Broker: 1, BrokerEpoch: f.epoch})
	c.run(100 * ms)
	c.want("2 e1 p1 [2,3]")
	c.kill(1) // the controller forgets the shutdown when the broker is gone
	c.run(7 * sim.Second)
	c.restart(1)
	c.run(1 * sim.Second)
	c.writeISR(2, 1, 1, 1, 2, 3)
	c.want("2 e1 p2 [1,2,3]")
	c.w.Pause(c.dir.Controllers[0])
	c.w.Command(c.dir.Controllers[0], &protocol.Command{Elect: &protocol.ElectCommand{TP: orders}})
	c.run(20 * sim.Second)
	if !c.controller(2).Active() {
		t.Fatal("controller 2 was not elected")
	}
	c.w.Resume(c.dir.Controllers[0])
	c.run(2 * sim.Second)
	return c
}

// Two controllers at once (KAFKA-6082).
func TestAReplacedControllerCanStillWriteBefore11(t *testing.T) {
	c := zombie(t, "1.0")
	if got := c.inZk(); got != "1 e2 p3 [1,2,3]" {
		t.Errorf("ZooKeeper has %s", got)
	}
	if p := c.controller(2).Partitions()[0]; p.Leader != 2 {
		t.Errorf("controller 2 believes in %s", show(p))
	}
	if c.broker(1).ordersRefused == 0 || c.broker(1).state[orders].Leader == 1 {
		t.Errorf("a broker obeys an old controller: %s", show(c.broker(1).state[orders]))
	}
	if c.controller(1).Active() {
		t.Error("the old controller does not resign")
	}
}

func TestWritesConditionalOnTheControllerEpoch(t *testing.T) {
	c := zombie(t, "1.0", rule("kafka-6082", true))
	if got := c.inZk(); got != "2 e1 p2 [1,2,3]" {
		t.Errorf("ZooKeeper has %s", got)
	}
	if c.count(new(event.OrderRefused)) != 1 || c.controller(1).Active() {
		t.Error("the old controller was not stopped")
	}
	if g := zombie(t, "1.0", rule("kafka-6082", true), off(planted.ControllerEpochCAS)); g.inZk() != "1 e2 p3 [1,2,3]" {
		t.Errorf("with the guard off: %s", g.inZk())
	}
}

func TestAnExpiredSessionClearsTheQueueSince11(t *testing.T) {
	c := zombie(t, "1.1")
	if got := c.inZk(); got != "2 e1 p2 [1,2,3]" {
		t.Errorf("ZooKeeper has %s", got)
	}
	if c.count(new(event.ControllerResigned)) != 1 {
		t.Error("the old controller did not resign")
	}
}

// Even before 2.1 a controller leaves alone what a later one has written.
func TestAnElectionIsAbortedIfALaterControllerHasWrittenThePartition(t *testing.T) {
	c := newCluster(t, "1.0")
	c.run(1 * sim.Second)
	c.w.Pause(c.dir.Controllers[0])
	c.run(10 * sim.Second)
	f := c.broker(1)
	f.env.Send(f.env.Connect(c.dir.Controllers[1]), &protocol.ControlledShutdown{Broker: 1, BrokerEpoch: -1})
	c.run(100 * ms)
	if got := c.inZk(); got != "2 e1 p1 [2,3]" {
		t.Fatal(got)
	}
	f.env.Send(f.env.Connect(c.dir.Controllers[0]), &protocol.ControlledShutdown{Broker: 2, BrokerEpoch: -1})
	f.env.Send(f.env.Connect(c.dir.Controllers[0]), &protocol.ControlledShutdown{Broker: 3, BrokerEpoch: -1})
	c.run(100 * ms)
	c.w.Resume(c.dir.Controllers[0])
	c.run(2 * sim.Second)
	if got := c.inZk(); got != "2 e1 p1 [2,3]" {
		t.Errorf("ZooKeeper has %s", got)
	}
	if c.probe("a partition was already written by a later controller") == 0 {
		t.Error("no probe")
	}
}

func TestOperatorsElectionsInZooKeeperMode(t *testing.T) {
	c := newCluster(t, "2.4")
	elect := func(tp protocol.TopicPartition, unclean bool) {
		c.w.Command(c.dir.Controllers[0], &protocol.Command{Elect: &protocol.ElectCommand{TP: tp, Unclean: unclean}})
		c.run(50 * ms)
	}
	refused := func(want protocol.Error) {
		t.Helper()
		events := c.w.Trace().Events
		if e, ok := events[len(events)-1].Event.(*event.ElectionRefused); !ok || e.Err != want {
			t.Errorf("%+v, want a refusal with %v", events[len(events)-1].Event, want)
		}
	}
	c.run(1 * sim.Second)
	elect(protocol.TopicPartition{Topic: "lost"}, false)
	refused(protocol.UnknownTopicOrPartition)
	elect(orders, false)
	refused(protocol.ElectionNotNeeded)
	c.writeISR(1, 0, 0, 1)
	c.kill(1)
	c.run(8 * sim.Second)
	c.want("-1 e1 p2 [1]")
	elect(orders, false)
	refused(protocol.PreferredLeaderNotAvailable)
	elect(orders, true)
	c.want("2 e2 p3 [2]")
	elect(orders, true)
	refused(protocol.ElectionNotNeeded)
	c.w.Command(c.dir.Controllers[1], &protocol.Command{Elect: &protocol.ElectCommand{TP: orders}})
	refused(protocol.NotController)
	if got := len(c.active().Live()); got != 2 {
		t.Errorf("%d live brokers", got)
	}
}

func TestAnOperatorCanMoveTheController(t *testing.T) {
	c := newCluster(t, "2.8")
	c.run(1 * sim.Second)
	c.w.Command(c.dir.ZooKeeper, &protocol.Command{DeleteController: true})
	c.run(1 * sim.Second)
	if e := c.active().Epoch(); e != 2 || c.count(new(event.ControllerElected)) != 2 || c.count(new(event.ControllerResigned)) != 1 {
		t.Errorf("epoch %d", e)
	}
	c.want("1 e0 p0 [1,2,3]")
}

func TestALostConnectionIsNotALostSession(t *testing.T) {
	c := newCluster(t, "2.8")
	c.run(1 * sim.Second)
	c.w.Cut(c.dir.Controllers[0], c.dir.ZooKeeper)
	c.kill(1)
	c.run(4 * sim.Second)
	c.w.Disconnect(c.dir.Controllers[0], c.dir.ZooKeeper)
	c.run(3 * sim.Second) // meanwhile broker 1's session ends, and nobody tells the controller
	c.w.Heal(c.dir.Controllers[0], c.dir.ZooKeeper)
	c.run(2 * sim.Second)
	if e := c.active().Epoch(); e != 1 {
		t.Fatalf("the session ended first: epoch %d", e)
	}
	c.want("2 e1 p1 [2,3]")
}

func TestPreferredElectionThroughZooKeeper(t *testing.T) {
	c := newCluster(t, "2.0")
	c.run(1 * sim.Second)
	c.kill(1)
	c.run(8 * sim.Second)
	c.restart(1)
	c.run(1 * sim.Second)
	c.writeISR(2, 1, 1, 2, 3, 1)
	for range 2 { // the second one finds nothing to do
		c.w.Command(c.dir.ZooKeeper, &protocol.Command{Elect: &protocol.ElectCommand{TP: orders}})
		c.run(100 * ms)
		c.want("1 e2 p3 [2,3,1]")
	}
	if _, _, there := c.zk().Get(zookeeper.PreferredElectionPath); there {
		t.Error("the request was not taken away")
	}
	if c.count(new(event.ElectionRefused)) != 1 {
		t.Error("the second election was not refused")
	}
}

func TestAutoLeaderRebalanceInZooKeeperMode(t *testing.T) {
	c := newCluster(t, "2.0")
	c.run(1 * sim.Second)
	c.kill(1)
	c.run(8 * sim.Second)
	c.restart(1)
	c.run(1 * sim.Second)
	c.writeISR(2, 1, 1, 2, 3, 1)
	c.want("2 e1 p2 [2,3,1]")
	c.run(5 * sim.Minute)
	c.want("1 e2 p3 [2,3,1]")
}

func TestAddPartitionsThroughZooKeeper(t *testing.T) {
	c := newCluster(t, "2.0")
	c.run(1 * sim.Second)
	c.w.Command(c.dir.ZooKeeper, &protocol.Command{AddPartitions: &protocol.AddPartitionsCommand{Topic: "orders", Count: 2, Replicas: [][]protocol.BrokerID{{3, 1}}}})
	c.run(100 * ms)
	one := protocol.TopicPartition{Topic: "orders", Partition: 1}
	if got := show(c.partition(one)); got != "3 e0 p0 [3,1]" {
		t.Error(got)
	}
	if p := c.broker(1).state[one]; p.Leader != 3 {
		t.Errorf("broker 1 was ordered %s", show(p))
	}
	if p := c.broker(2).told[one]; p.Leader != 3 {
		t.Errorf("broker 2 was told %s", show(p))
	}
}

func TestAnElectionReadsAgainWhenTheISRHasChangedInBetween(t *testing.T) {
	c := newCluster(t, "2.0")
	c.run(1 * sim.Second)
	// Hold the controller's read of the state so that the leader's write falls between read and write.
	k, zk := c.dir.Controllers[0], c.dir.ZooKeeper
	writes := sim.Pattern{From: k, To: zk, Type: protocol.TZkRequest, About: "writes"}
	c.w.SetAbout(func(_ string, _, _ sim.NodeID, m sim.Message) bool {
		return m.(*protocol.ZkRequest).Op == protocol.ZkSet
	})
	c.w.AddRule(&sim.LinkRule{Pattern: writes, Act: sim.Hold, Count: 1})
	f := c.broker(1)
	f.env.Send(f.env.Connect(k), &protocol.ControlledShutdown{Broker: 1, BrokerEpoch: f.epoch})
	c.run(50 * ms)
	if err := c.writeISR(1, 0, 0, 1, 2); err != protocol.ZkOK {
		t.Fatal(err)
	}
	c.w.Release(writes, 0)
	c.run(100 * ms)
	c.want("2 e1 p2 [2]")
}

// The answer to a write is lost, so the controller writes again. Up to 1.0 it sees that its state is there; since then it reads
// it anew and decides once more, in another epoch.
func TestAWriteWhoseAnswerIsLost(t *testing.T) {
	for version, want := range map[string]string{"1.0": "2 e1 p1 [2,3]", "1.1": "2 e2 p2 [2,3]"} {
		c := newCluster(t, version)
		c.run(1 * sim.Second)
		k, zk := c.dir.Controllers[0], c.dir.ZooKeeper
		c.w.SetAbout(func(_ string, _, _ sim.NodeID, m sim.Message) bool {
			return m.(*protocol.ZkResponse).Op == protocol.ZkSet
		})
		c.w.AddRule(&sim.LinkRule{Pattern: sim.Pattern{From: zk, To: k, Type: protocol.TZkResponse, About: "answers to writes"}, Act: sim.Drop, Count: 1})
		c.kill(1)
		c.run(20 * sim.Second)
		if s := c.state(); s != want {
			t.Errorf("%s: %s, want %s", version, s, want)
		}
	}
}
