package controller

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"kafkatrial/model/config"
	"kafkatrial/model/event"
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/model/release"
	"kafkatrial/model/zookeeper"
	"kafkatrial/sim"
)

// fakeBroker registers, keeps its session, reads the metadata log or obeys orders, and does what a test
// tells it: it has no logs.
type fakeBroker struct {
	id     protocol.BrokerID
	kraft  bool
	dir    *protocol.Directory
	env    *sim.Env
	conn   sim.ConnID // to the controller or ZooKeeper
	raft   sim.ConnID
	epoch  int64
	prev   int64
	offset int64
	stop   bool // ask for a controlled shutdown
	silent bool // send no heartbeats
	wants  bool // stay fenced

	controllerEpoch int
	session         int64
	got             []sim.Message
	regErr          []protocol.Error
	state           map[protocol.TopicPartition]protocol.PartitionState // lookup only
	told            map[protocol.TopicPartition]protocol.PartitionState // by UpdateMetadata
	ordersRefused   int
}

const beat = 2 * sim.Second

func (b *fakeBroker) Start(env *sim.Env) {
	b.env, b.conn, b.raft, b.epoch = env, sim.NoConn, sim.NoConn, -1
	b.state = map[protocol.TopicPartition]protocol.PartitionState{}
	b.told = map[protocol.TopicPartition]protocol.PartitionState{}
	if v, ok := env.Disk().Get("clean"); ok {
		b.prev = v.(int64)
		env.Disk().Delete("clean")
	} else {
		b.prev = -1
	}
	if b.kraft {
		b.register()
	} else {
		b.conn = env.Connect(b.dir.ZooKeeper)
		env.Send(b.conn, &protocol.ZkRequest{Op: protocol.ZkConnect, Timeout: 6 * sim.Second, ControllerEpoch: -1})
	}
	env.SetTimer(beat, protocol.TimerHeartbeat, 0, true)
}

func (b *fakeBroker) register() {
	if b.conn == sim.NoConn {
		b.conn = b.env.Connect(b.dir.Controllers[0])
		b.raft = b.env.Connect(b.dir.Controllers[0])
		b.env.Send(b.raft, &protocol.MetadataFetch{Broker: b.id, Offset: b.offset})
	}
	b.env.Send(b.conn, &protocol.BrokerRegistration{Broker: b.id, Incarnation: int64(b.env.Incarnation()), PreviousEpoch: b.prev})
}

func (b *fakeBroker) heartbeat() {
	if b.silent {
		return
	}
	b.env.Send(b.conn, &protocol.BrokerHeartbeat{Broker: b.id, Epoch: b.epoch, MetadataOffset: b.offset - 1, WantFence: b.wants, WantShutDown: b.stop})
}

func (b *fakeBroker) Receive(env *sim.Env, d sim.Delivery) {
	b.got = append(b.got, d.Msg)
	switch m := d.Msg.(type) {
	case *protocol.BrokerRegistrationResponse:
		b.regErr = append(b.regErr, m.Err)
		if m.Err == protocol.None {
			b.epoch = m.Epoch
			b.heartbeat()
		}
	case *protocol.BrokerHeartbeatResponse:
		if m.ShouldShutDown {
			env.Disk().Put("clean", b.epoch)
			env.Exit()
		}
	case *protocol.MetadataFetchResponse:
		b.offset = m.Offset + int64(len(m.Records))
		for _, r := range m.Records {
			if r.Partition != nil {
				b.state[r.Partition.TP] = *r.Partition
			}
		}
		env.Send(d.Conn, &protocol.MetadataFetch{Broker: b.id, Offset: b.offset})
	case *protocol.ZkResponse:
		if m.Op == protocol.ZkConnect && m.Err == protocol.ZkOK {
			b.session = m.Session
			b.createNode()
		} else if m.Op == protocol.ZkCreate && m.Path == zookeeper.BrokerPath(b.id) {
			if m.Err == protocol.ZkOK {
				b.epoch = m.Created
			}
		}
	case *protocol.LeaderAndIsr:
		b.obey(d.Conn, m.ControllerEpoch, &protocol.LeaderAndIsrResponse{}, func() {
			for _, p := range m.Partitions {
				b.state[p.TP] = p
			}
		})
	case *protocol.UpdateMetadata:
		b.obey(d.Conn, m.ControllerEpoch, &protocol.UpdateMetadataResponse{}, func() {
			for _, p := range m.Partitions {
				b.told[p.TP] = p
			}
		})
	}
}

func (b *fakeBroker) createNode() {
	b.env.Send(b.conn, &protocol.ZkRequest{Op: protocol.ZkCreate, Session: b.session, Path: zookeeper.BrokerPath(b.id), Data: zookeeper.BrokerZNode{Broker: b.id},
		Ephemeral: true, Version: -1, ControllerEpoch: -1})
}

func (b *fakeBroker) obey(conn sim.ConnID, epoch int, answer sim.Message, do func()) {
	if epoch < b.controllerEpoch {
		b.ordersRefused++
		if a, ok := answer.(*protocol.LeaderAndIsrResponse); ok {
			a.Err = protocol.StaleControllerEpoch
		}
	} else {
		b.controllerEpoch = epoch
		do()
	}
	b.env.Send(conn, answer)
}

func (b *fakeBroker) Timer(env *sim.Env, t sim.Timer) {
	env.SetTimer(beat, protocol.TimerHeartbeat, 0, true)
	switch {
	case !b.kraft && b.epoch < 0 && b.session != 0:
		b.createNode()
	case !b.kraft:
		env.Send(b.conn, &protocol.ZkRequest{Op: protocol.ZkPing, Session: b.session, Version: -1, ControllerEpoch: -1})
	case b.epoch < 0:
		b.register()
	default:
		b.heartbeat()
	}
}

func (b *fakeBroker) Disconnected(env *sim.Env, c sim.ConnID) {}

// last gives the newest message of a kind.
func last[T sim.Message](b *fakeBroker) (m T) {
	for _, g := range b.got {
		if x, ok := g.(T); ok {
			m = x
		}
	}
	return m
}

// cluster is a world of controllers and fake brokers.
type cluster struct {
	t           *testing.T
	w           *sim.World
	dir         *protocol.Directory
	rules       release.Rules
	values      *config.Values
	controllers int
}

type option func(*cluster, *Settings, *zookeeper.Settings)

func down(b ...protocol.BrokerID) option {
	return func(_ *cluster, s *Settings, z *zookeeper.Settings) { s.Down, z.Down = b, b }
}

func off(g planted.Guard) option {
	return func(_ *cluster, s *Settings, z *zookeeper.Settings) {
		s.Planted, z.Planted = planted.Off(g), planted.Off(g)
	}
}

func topicConfig(key, value string) option {
	return func(_ *cluster, s *Settings, z *zookeeper.Settings) {
		rec := protocol.ConfigRecord{Key: key, Value: value}
		s.Topics[0].Config = append(s.Topics[0].Config, rec)
		z.Topics = s.Topics
	}
}

func rule(key string, on bool) option {
	return func(c *cluster, _ *Settings, _ *zookeeper.Settings) {
		if err := c.rules.Set(key, on); err != nil {
			panic(err)
		}
	}
}

var orders = protocol.TopicPartition{Topic: "orders"}

// newCluster makes three brokers, in ZooKeeper mode two controllers, and orders-0 on 1,2,3.
func newCluster(t *testing.T, version string, opts ...option) *cluster {
	t.Helper()
	v, err := release.Parse(version)
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{t: t, rules: release.Of(v), values: config.New(config.Broker, v), controllers: 1}
	topics := []protocol.TopicSpec{{Name: "orders", Replicas: [][]protocol.BrokerID{{1, 2, 3}}}}
	s := Settings{Rules: &c.rules, Config: c.values, Topics: topics}
	z := zookeeper.Settings{Topics: topics, SessionTimeout: 6 * sim.Second}
	for _, o := range opts {
		o(c, &s, &z)
	}
	cfg := sim.Config{MessageNames: protocol.MessageNames, TimerNames: protocol.TimerNames, MaxSteps: 200000}
	c.dir = &protocol.Directory{ZooKeeper: sim.Nobody}
	if !c.rules.KRaft {
		c.controllers = 2
		c.dir.ZooKeeper = 0
		cfg.Nodes = append(cfg.Nodes, sim.NodeSpec{Name: "zk", New: func() sim.Node { return zookeeper.NewServer(z) }})
	}
	for i := 0; i < c.controllers; i++ {
		s := s
		s.ID, s.Directory = i+1, c.dir
		c.dir.Controllers = append(c.dir.Controllers, sim.NodeID(len(cfg.Nodes)))
		cfg.Nodes = append(cfg.Nodes, sim.NodeSpec{Name: fmt.Sprintf("k%d", i+1), New: func() sim.Node {
			if s.Rules.KRaft {
				return NewQuorumController(s)
			}
			return NewKafkaController(s)
		}})
	}
	for b := 1; b <= 3; b++ {
		c.dir.Brokers = append(c.dir.Brokers, sim.NodeID(len(cfg.Nodes)))
		idle := false
		for _, d := range s.Down {
			idle = idle || d == b
		}
		cfg.Nodes = append(cfg.Nodes, sim.NodeSpec{Name: fmt.Sprintf("b%d", b), Idle: idle, New: func() sim.Node {
			return &fakeBroker{id: b, kraft: c.rules.KRaft, dir: c.dir}
		}})
	}
	z.Directory = c.dir
	c.w = sim.New(cfg)
	return c
}

// run lets d of simulated time pass.
func (c *cluster) run(d sim.Time) {
	c.t.Helper()
	end := c.w.Now() + d
	for c.w.NextAt() <= end {
		if _, ok := c.w.Pending(); !ok {
			break
		}
		c.w.Resolve(0)
	}
	c.w.AdvanceTo(end)
}

func (c *cluster) broker(b protocol.BrokerID) *fakeBroker {
	n, _ := c.w.Node(c.dir.Node(b)).(*fakeBroker)
	return n
}

func (c *cluster) kill(b protocol.BrokerID)    { c.w.Kill(c.dir.Node(b)) }
func (c *cluster) restart(b protocol.BrokerID) { c.w.Restart(c.dir.Node(b)) }

func (c *cluster) active() Activity {
	for _, n := range c.dir.Controllers {
		if a, ok := c.w.Node(n).(Activity); ok && a.Active() {
			return a
		}
	}
	c.t.Fatal("no active controller")
	return nil
}

// state writes orders-0 as "1 e0 p0 [1,2,3]", with ELR and last known ELR if there are any.
func (c *cluster) state() string {
	c.t.Helper()
	return show(c.partition(orders))
}

func (c *cluster) partition(tp protocol.TopicPartition) protocol.PartitionState {
	c.t.Helper()
	for _, p := range c.active().Partitions() {
		if p.TP == tp {
			return p
		}
	}
	c.t.Fatalf("no partition %v", tp)
	return protocol.PartitionState{}
}

func show(p protocol.PartitionState) string {
	s := fmt.Sprintf("%d e%d p%d [%s]", p.Leader, p.LeaderEpoch, p.PartitionEpoch, ids(p.ISR))
	if len(p.ELR) > 0 {
		s += " elr[" + ids(p.ELR) + "]"
	}
	if len(p.LastKnownELR) > 0 {
		s += " last[" + ids(p.LastKnownELR) + "]"
	}
	return s
}

func (c *cluster) want(state string) {
	c.t.Helper()
	if got := c.state(); got != state {
		c.t.Fatalf("at %v orders-0 is %s, want %s\n%s", c.w.Now(), got, state, c.events())
	}
}

// alter makes broker b propose an ISR, as of a state, and gives the outcome.
func (c *cluster) alter(b protocol.BrokerID, epochs func(*protocol.AlterPartition), isr ...protocol.BrokerID) protocol.Error {
	c.t.Helper()
	f := c.broker(b)
	p := c.partition(orders)
	q := &protocol.AlterPartition{Broker: b, BrokerEpoch: f.epoch, Data: []protocol.ISRChange{{TP: orders, LeaderEpoch: p.LeaderEpoch, PartitionEpoch: p.PartitionEpoch}}}
	for _, m := range isr {
		q.Data[0].ISR = append(q.Data[0].ISR, protocol.ISRMember{Broker: m, Epoch: c.active().BrokerEpoch(m)})
	}
	if epochs != nil {
		epochs(q)
	}
	to := c.dir.Controllers[0]
	for _, n := range c.dir.Controllers {
		if a, ok := c.w.Node(n).(Activity); ok && a.Active() {
			to = n
		}
	}
	f.env.Send(f.env.Connect(to), q)
	c.run(20 * sim.Millisecond)
	r := last[*protocol.AlterPartitionResponse](f)
	if r == nil {
		c.t.Fatal("no answer to AlterPartition")
	}
	if r.Err != protocol.None {
		return r.Err
	}
	return r.Data[0].Err
}

// events writes the recorded events that are about the controllers' work.
func (c *cluster) events() string {
	var b strings.Builder
	tr := c.w.Trace()
	for i := range tr.Events {
		f := &tr.Events[i]
		fmt.Fprintf(&b, "%s %s %+v\n", c.w.Name(f.Node), event.KindOf(f.Event).ID, f.Event)
	}
	return b.String()
}

// count counts events of a kind.
func (c *cluster) count(kind event.Event) (n int) {
	for i := range c.w.Trace().Events {
		if c.w.Trace().Events[i].Event.(event.Event).Kind() == kind.Kind() {
			n++
		}
	}
	return n
}

func (c *cluster) probe(name string) int {
	for _, m := range c.w.Probes() {
		if m.Name == name {
			return m.Count
		}
	}
	return 0
}

// ids writes broker ids: "1,2,3".
func ids(brokers []protocol.BrokerID) string {
	var b []byte
	for i, id := range brokers {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(id), 10)
	}
	return string(b)
}
