package zookeeper

import (
	"fmt"
	"slices"
	"testing"

	"kafkatrial/model/event"
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// client sends what a test tells it and keeps what it gets.
type client struct {
	env     *sim.Env
	conn    sim.ConnID
	session int64
	events  []string
	lost    int
	last    *protocol.ZkResponse
}

func (c *client) Start(env *sim.Env)                       { c.env, c.conn = env, sim.NoConn }
func (c *client) Timer(env *sim.Env, t sim.Timer)          {}
func (c *client) Disconnected(env *sim.Env, id sim.ConnID) { c.lost++; c.conn = sim.NoConn }
func (c *client) Receive(env *sim.Env, d sim.Delivery) {
	switch m := d.Msg.(type) {
	case *protocol.ZkResponse:
		c.last = m
		if m.Op == protocol.ZkConnect && m.Err == protocol.ZkOK {
			c.session = m.Session
		}
	case *protocol.ZkEvent:
		c.events = append(c.events, fmt.Sprintf("%s %d", m.Path, m.Event))
	}
}

// harness is a world with a server and three clients: broker 1, broker 2 (down at the start), a controller.
type harness struct {
	t *testing.T
	w *sim.World
}

const timeout = 6 * sim.Second

func newHarness(t *testing.T, guards planted.Set) *harness {
	dir := &protocol.Directory{ZooKeeper: 0, Brokers: []sim.NodeID{1, 2}, Controllers: []sim.NodeID{3}}
	s := Settings{Directory: dir, SessionTimeout: timeout, Down: []protocol.BrokerID{2}, Planted: guards,
		Topics: []protocol.TopicSpec{{Name: "orders", Replicas: [][]protocol.BrokerID{{1, 2}}, Config: []protocol.ConfigRecord{{Key: "min.insync.replicas", Value: "2"}}}}}
	cfg := sim.Config{MessageNames: protocol.MessageNames, TimerNames: protocol.TimerNames, MaxSteps: 10000,
		Nodes: []sim.NodeSpec{{Name: "zk", New: func() sim.Node { return NewServer(s) }}}}
	for _, n := range []string{"b1", "b2", "k1"} {
		cfg.Nodes = append(cfg.Nodes, sim.NodeSpec{Name: n, New: func() sim.Node { return &client{} }})
	}
	h := &harness{t, sim.New(cfg)}
	h.run(0)
	return h
}

func (h *harness) run(d sim.Time) {
	end := h.w.Now() + d
	for h.w.NextAt() <= end {
		if _, ok := h.w.Pending(); !ok {
			break
		}
		h.w.Resolve(0)
	}
	h.w.AdvanceTo(end)
}

func (h *harness) client(n int) *client { return h.w.Node(sim.NodeID(n)).(*client) }
func (h *harness) server() *Server      { return h.w.Node(0).(*Server) }

// do sends an operation of a client and gives the answer.
func (h *harness) do(n int, r protocol.ZkRequest) *protocol.ZkResponse {
	h.t.Helper()
	c := h.client(n)
	if c.conn == sim.NoConn {
		c.conn = c.env.Connect(0)
	}
	r.Session, r.Timeout = c.session, timeout
	if r.ControllerEpoch == 0 {
		r.ControllerEpoch = -1
	}
	c.last = nil
	c.env.Send(c.conn, &r)
	h.run(3 * sim.Millisecond)
	if c.last == nil {
		h.t.Fatalf("no answer to %+v", r)
	}
	return c.last
}

func (h *harness) connect(n int) { h.t.Helper(); h.do(n, protocol.ZkRequest{Op: protocol.ZkConnect}) }

func (h *harness) want(r *protocol.ZkResponse, err protocol.ZkError) {
	h.t.Helper()
	if r.Err != err {
		h.t.Errorf("answer %v, want %v", r.Err, err)
	}
}

var tp = protocol.TopicPartition{Topic: "orders"}

func TestTreeOfARunningCluster(t *testing.T) {
	h := newHarness(t, planted.Set{})
	z := h.server()
	if got := z.Children(BrokerIDsPath); !slices.Equal(got, []string{"1"}) {
		t.Errorf("brokers %v", got)
	}
	d, version, _ := z.Get(PartitionStatePath(tp))
	if p := d.(PartitionZNode); p.Leader != 1 || p.LeaderEpoch != 0 || !slices.Equal(p.ISR, []protocol.BrokerID{1}) || version != 0 {
		t.Errorf("%+v version %d", p, version)
	}
	if d, _, _ := z.Get(TopicConfigPath("orders")); d.(ConfigZNode).Values[0].Topic != "orders" {
		t.Errorf("%+v", d)
	}
	if _, _, there := z.Get(ControllerPath); there {
		t.Error("there is a controller before anybody was elected")
	}
	if got, ok := partitionOf(PartitionStatePath(protocol.TopicPartition{Topic: "a-b", Partition: 12})); !ok || got.Topic != "a-b" || got.Partition != 12 {
		t.Errorf("%v", got)
	}
	if _, ok := partitionOf(TopicPath("orders")); ok {
		t.Error("a topic passes for a partition")
	}
}

func TestAFirstProcessTakesItsSessionOver(t *testing.T) {
	h := newHarness(t, planted.Set{})
	h.connect(1)
	r := h.do(1, protocol.ZkRequest{Op: protocol.ZkCreate, Path: BrokerPath(1), Ephemeral: true, Data: BrokerZNode{1}})
	h.want(r, protocol.ZkOK)
	epoch := r.Created
	// A second process of the broker gets another session, and finds the node of the first in its way.
	h.w.Kill(1)
	h.w.Restart(1)
	h.run(0)
	h.connect(1)
	create := protocol.ZkRequest{Op: protocol.ZkCreate, Path: BrokerPath(1), Ephemeral: true, Data: BrokerZNode{1}}
	h.want(h.do(1, create), protocol.ZkNodeExists)
	h.run(5 * sim.Second)
	h.want(h.do(1, protocol.ZkRequest{Op: protocol.ZkPing}), protocol.ZkOK)
	h.run(2 * sim.Second)
	r = h.do(1, create)
	h.want(r, protocol.ZkOK)
	if r.Created <= epoch {
		t.Errorf("the new broker epoch is %d, the old one %d", r.Created, epoch)
	}
}

func TestVersionsCompareAndSet(t *testing.T) {
	set := func(version int32, isr ...protocol.BrokerID) protocol.ZkRequest {
		return protocol.ZkRequest{Op: protocol.ZkSet, Path: PartitionStatePath(tp), Version: version, Data: PartitionZNode{Leader: 1, ISR: isr}}
	}
	h := newHarness(t, planted.Set{})
	h.connect(1)
	h.want(h.do(1, set(5, 2)), protocol.ZkBadVersion)
	if r := h.do(1, set(0, 1, 2)); r.Err != protocol.ZkOK || r.Version != 1 {
		t.Errorf("%+v", r)
	}
	h.want(h.do(1, set(0, 2)), protocol.ZkBadVersion)
	// Who sends a change again because the answer was lost is told that it is written, if he cares to ask.
	h.want(h.do(1, set(0, 1, 2)), protocol.ZkBadVersion)
	again := set(0, 1, 2)
	again.OrWritten = true
	if r := h.do(1, again); r.Err != protocol.ZkOK || r.Version != 1 {
		t.Errorf("sent again: %+v", r)
	}
	h.want(h.do(1, set(-1, 1, 2)), protocol.ZkOK)
	h.want(h.do(1, protocol.ZkRequest{Op: protocol.ZkSet, Path: "/nowhere", Version: -1}), protocol.ZkNoNode)
	var changed, refused int
	for _, f := range h.w.Trace().Events {
		switch e := f.Event.(type) {
		case *event.ISRChanged:
			changed++
			if !slices.Equal(e.ISR, []protocol.BrokerID{1, 2}) || e.PartitionEpoch != 1 {
				t.Errorf("%+v", f)
			}
		case *event.ISRChangeRefused:
			refused++
		}
	}
	if changed != 1 || refused != 3 {
		t.Errorf("%d changes and %d refusals recorded", changed, refused)
	}
	g := newHarness(t, planted.Off(planted.CASPartitionEpoch))
	g.connect(1)
	g.want(g.do(1, set(5)), protocol.ZkOK)
}

func TestDeleteComparesTheVersionToo(t *testing.T) {
	h := newHarness(t, planted.Set{})
	h.connect(1)
	h.do(1, protocol.ZkRequest{Op: protocol.ZkCreate, Path: "/admin/x"})
	h.want(h.do(1, protocol.ZkRequest{Op: protocol.ZkDelete, Path: "/admin/x", Version: 3}), protocol.ZkBadVersion)
	h.want(h.do(1, protocol.ZkRequest{Op: protocol.ZkDelete, Path: "/admin/x", Version: 0}), protocol.ZkOK)
	h.want(h.do(1, protocol.ZkRequest{Op: protocol.ZkDelete, Path: "/admin/x", Version: -1}), protocol.ZkNoNode)
}

func TestSessionExpiryRemovesEphemeralNodesAndTellsTheClientLate(t *testing.T) {
	h := newHarness(t, planted.Set{})
	h.connect(3)
	h.do(3, protocol.ZkRequest{Op: protocol.ZkCreate, Path: ControllerPath, Ephemeral: true, Data: ControllerZNode{1}})
	h.do(3, protocol.ZkRequest{Op: protocol.ZkCreate, Path: "/stays", Data: 1})
	h.connect(2)
	h.do(2, protocol.ZkRequest{Op: protocol.ZkGet, Path: ControllerPath, Watch: true})
	h.w.Pause(3)
	h.run(4 * sim.Second)
	h.do(2, protocol.ZkRequest{Op: protocol.ZkPing})
	h.run(1900 * sim.Millisecond)
	if _, _, there := h.server().Get(ControllerPath); !there {
		t.Error("the node is gone before the session's time is over")
	}
	h.run(200 * sim.Millisecond)
	if _, _, there := h.server().Get(ControllerPath); there {
		t.Error("the node outlives the session")
	}
	if _, _, there := h.server().Get("/stays"); !there {
		t.Error("a node that is not ephemeral went with the session")
	}
	if got := h.client(2).events; !slices.Equal(got, []string{"/controller 1"}) {
		t.Errorf("told %v", got)
	}
	h.w.Resume(3)
	h.run(10 * sim.Millisecond)
	if h.client(3).lost != 1 {
		t.Error("the client still has its connection")
	}
	h.want(h.do(3, protocol.ZkRequest{Op: protocol.ZkConnect}), protocol.ZkSessionExpired)
	h.want(h.do(3, protocol.ZkRequest{Op: protocol.ZkGet, Path: "/stays"}), protocol.ZkSessionExpired)
	h.client(3).session = 0
	h.want(h.do(3, protocol.ZkRequest{Op: protocol.ZkConnect}), protocol.ZkOK)
	n := 0
	for _, f := range h.w.Trace().Events {
		if e, ok := f.Event.(*event.SessionExpired); ok && e.Controller == 1 {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d expiries of the controller's session recorded", n)
	}
}

func TestASessionOutlivesItsConnection(t *testing.T) {
	h := newHarness(t, planted.Set{})
	h.connect(3)
	h.do(3, protocol.ZkRequest{Op: protocol.ZkCreate, Path: ControllerPath, Ephemeral: true, Data: ControllerZNode{1}})
	id := h.client(3).session
	h.w.Disconnect(0, 3)
	h.run(1 * sim.Second)
	if h.w.Busy() == 0 {
		t.Error("a session whose client is gone is nothing to wait for")
	}
	h.connect(3)
	if h.client(3).session != id {
		t.Error("another session")
	}
	if _, _, there := h.server().Get(ControllerPath); !there {
		t.Error("the node is gone")
	}
}

func TestWatchesFireOnce(t *testing.T) {
	h := newHarness(t, planted.Set{})
	h.connect(2)
	h.connect(3)
	h.do(3, protocol.ZkRequest{Op: protocol.ZkGet, Path: "/x", Watch: true}) // it does not exist yet
	h.do(3, protocol.ZkRequest{Op: protocol.ZkChildren, Path: BrokerIDsPath, Watch: true})
	h.do(2, protocol.ZkRequest{Op: protocol.ZkCreate, Path: "/x"})
	h.do(2, protocol.ZkRequest{Op: protocol.ZkSet, Path: "/x", Version: -1})
	h.do(2, protocol.ZkRequest{Op: protocol.ZkCreate, Path: BrokerPath(2), Ephemeral: true, Data: BrokerZNode{2}})
	h.do(2, protocol.ZkRequest{Op: protocol.ZkDelete, Path: BrokerPath(2), Version: -1})
	want := []string{fmt.Sprintf("/x %d", protocol.ZkNodeCreated), fmt.Sprintf("/brokers/ids %d", protocol.ZkChildrenChanged)}
	if got := h.client(3).events; !slices.Equal(got, want) {
		t.Errorf("told %v, want %v", got, want)
	}
	h.do(3, protocol.ZkRequest{Op: protocol.ZkGet, Path: "/x", Watch: true})
	h.do(2, protocol.ZkRequest{Op: protocol.ZkSet, Path: "/x", Version: -1})
	if got := h.client(3).events; len(got) != 3 || got[2] != fmt.Sprintf("/x %d", protocol.ZkDataChanged) {
		t.Errorf("told %v", got)
	}
}

func TestWritesConditionalOnTheControllerEpoch(t *testing.T) {
	h := newHarness(t, planted.Set{})
	h.connect(3)
	h.do(3, protocol.ZkRequest{Op: protocol.ZkSet, Path: ControllerEpochPath, Version: 0, Data: ControllerEpochZNode{1}})
	h.want(h.do(3, protocol.ZkRequest{Op: protocol.ZkCreate, Path: "/a", ControllerEpoch: 1}), protocol.ZkOK)
	h.do(3, protocol.ZkRequest{Op: protocol.ZkSet, Path: ControllerEpochPath, Version: 1, Data: ControllerEpochZNode{2}})
	h.want(h.do(3, protocol.ZkRequest{Op: protocol.ZkCreate, Path: "/b", ControllerEpoch: 1}), protocol.ZkControllerMoved)
	if _, _, there := h.server().Get("/b"); there {
		t.Error("a refused write was carried out")
	}
}

func TestSequentialNodesAreOrdered(t *testing.T) {
	h := newHarness(t, planted.Set{})
	h.connect(1)
	first := h.do(1, protocol.ZkRequest{Op: protocol.ZkCreate, Path: ISRChangePrefix, Sequential: true, Data: ISRChangeZNode{}}).Path
	second := h.do(1, protocol.ZkRequest{Op: protocol.ZkCreate, Path: ISRChangePrefix, Sequential: true, Data: ISRChangeZNode{}}).Path
	if first >= second || len(h.server().Children(ISRChangePath)) != 2 {
		t.Errorf("%s, %s", first, second)
	}
}

func TestTheTreeSurvivesThePower(t *testing.T) {
	h := newHarness(t, planted.Set{})
	h.connect(1)
	h.do(1, protocol.ZkRequest{Op: protocol.ZkSet, Path: PartitionStatePath(tp), Version: 0, Data: PartitionZNode{Leader: 1, LeaderEpoch: 4, ISR: []protocol.BrokerID{1}}})
	before := h.server().tree.zxid
	h.w.PowerLoss(0, nil)
	h.w.Restart(0)
	h.run(10 * sim.Millisecond)
	d, version, _ := h.server().Get(PartitionStatePath(tp))
	if d.(PartitionZNode).LeaderEpoch != 4 || version != 1 || h.server().tree.zxid != before {
		t.Errorf("%+v version %d, zxid %d and %d", d, version, before, h.server().tree.zxid)
	}
	h.client(1).conn = sim.NoConn
	h.want(h.do(1, protocol.ZkRequest{Op: protocol.ZkConnect}), protocol.ZkOK)
	h.run(20 * sim.Second)
	if got := h.server().Children(BrokerIDsPath); len(got) != 0 {
		t.Errorf("sessions do not end after a restart: %v", got)
	}
}

func TestClosingASessionRemovesItsNodesAtOnce(t *testing.T) {
	h := newHarness(t, planted.Set{})
	h.connect(1)
	h.do(1, protocol.ZkRequest{Op: protocol.ZkClose})
	if got := h.server().Children(BrokerIDsPath); len(got) != 0 {
		t.Errorf("still there: %v", got)
	}
}

func TestASilentSessionKeepsNoWorldBusyWhileItIsOnTime(t *testing.T) {
	h := newHarness(t, planted.Set{})
	h.connect(1)
	for range 5 {
		h.do(1, protocol.ZkRequest{Op: protocol.ZkPing})
		if h.w.Busy() != 0 {
			t.Fatal("busy")
		}
		h.run(timeout / 3)
	}
}

func TestOperatorsWriteToZooKeeper(t *testing.T) {
	h := newHarness(t, planted.Set{})
	z := h.server()
	command := func(m protocol.Command) { h.w.Command(0, &m) }
	command(protocol.Command{AlterConfig: &protocol.ConfigRecord{Topic: "orders", Key: "min.insync.replicas", Value: "1"}})
	command(protocol.Command{AlterConfig: &protocol.ConfigRecord{Key: "unclean.leader.election.enable", Value: "true"}})
	if d, _, _ := z.Get(TopicConfigPath("orders")); len(d.(ConfigZNode).Values) != 1 || d.(ConfigZNode).Values[0].Value != "1" {
		t.Errorf("%+v", d)
	}
	if d, _, _ := z.Get(ConfigBrokersPath); d.(ConfigZNode).Values[0].Value != "true" {
		t.Errorf("%+v", d)
	}
	if n := z.Children(ConfigChangesPath); len(n) != 2 {
		t.Errorf("notifications %v", n)
	}
	command(protocol.Command{AlterConfig: &protocol.ConfigRecord{Topic: "orders", Key: "min.insync.replicas"}})
	if d, _, _ := z.Get(TopicConfigPath("orders")); len(d.(ConfigZNode).Values) != 0 {
		t.Errorf("an empty value does not take the override away: %+v", d)
	}
	command(protocol.Command{AddPartitions: &protocol.AddPartitionsCommand{Topic: "orders", Count: 3}})
	command(protocol.Command{AddPartitions: &protocol.AddPartitionsCommand{Topic: "orders", Count: 2}})
	if d, _, _ := z.Get(TopicPath("orders")); fmt.Sprint(d.(TopicZNode).Replicas) != "[[1 2] [2 1] [1 2]]" {
		t.Errorf("%v", d)
	}
}
