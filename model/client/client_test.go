package client

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"kafkatrial/model/config"
	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/model/release"
	"kafkatrial/sim"
)

const ms = sim.Millisecond

// tester is a node that owns a NetworkClient and sends what it is told to, as soon as it can.
type tester struct {
	c       *NetworkClient
	wanted  []Destination
	results []string
	probes  int         // how often to ask for the least loaded broker
	drop    Destination // to disconnect from; 0 none
}

func (n *tester) Start(env *sim.Env) { n.c.Start(env) }
func (n *tester) run(env *sim.Env) {
	for len(n.wanted) > 0 && n.c.Ready(env, n.wanted[0]) {
		id := n.c.NextCorrelation()
		n.c.Send(env, n.wanted[0], id, &protocol.FindCoordinator{Correlation: id}, true)
		n.wanted = n.wanted[1:]
	}
	for ; n.probes > 0; n.probes-- {
		b, _ := n.c.LeastLoaded(env)
		n.results = append(n.results, protocol.BrokerName(b))
	}
	if n.drop != 0 {
		n.c.Disconnect(env, n.drop)
		n.drop = 0
	}
	n.c.Poll(env)
}
func (n *tester) handle(env *sim.Env, r Response) {
	s := fmt.Sprintf("%d answered", r.To)
	if r.Answer == nil {
		s = fmt.Sprintf("%d lost", r.To)
	}
	if r.TimedOut {
		s = fmt.Sprintf("%d timed out", r.To)
	}
	n.results = append(n.results, fmt.Sprintf("%s @%v", s, env.Now()))
}
func (n *tester) Receive(env *sim.Env, d sim.Delivery) {
	if r, ok := n.c.Receive(env, d); ok {
		n.handle(env, r)
	}
	n.run(env)
}
func (n *tester) Timer(env *sim.Env, t sim.Timer) {
	done, _ := n.c.Timer(env, t)
	for _, r := range done {
		n.handle(env, r)
	}
	n.run(env)
}
func (n *tester) Disconnected(env *sim.Env, c sim.ConnID) {
	for _, r := range n.c.Disconnected(env, c) {
		n.handle(env, r)
	}
	n.run(env)
}

// server is a fake broker.
type server struct {
	h  *harness
	id protocol.BrokerID
}

func (s *server) Start(*sim.Env)                    {}
func (s *server) Timer(*sim.Env, sim.Timer)         {}
func (s *server) Disconnected(*sim.Env, sim.ConnID) {}
func (s *server) Receive(env *sim.Env, d sim.Delivery) {
	h := s.h
	switch m := d.Msg.(type) {
	case *protocol.ApiVersions:
		h.log = append(h.log, fmt.Sprintf("connect b%d @%v", s.id, env.Now()))
		if !h.deaf {
			env.Send(d.Conn, &protocol.ApiVersionsResponse{Correlation: m.Correlation})
		}
	case *protocol.Metadata:
		h.log = append(h.log, fmt.Sprintf("metadata b%d @%v", s.id, env.Now()))
		env.Send(d.Conn, &protocol.MetadataResponse{Correlation: m.Correlation, Live: h.live, Partitions: slices.Clone(h.states)})
	case *protocol.FindCoordinator:
		if !h.mute {
			env.Send(d.Conn, &protocol.FindCoordinatorResponse{Correlation: m.Correlation})
		}
	}
}

type harness struct {
	*testing.T
	w      *sim.World
	n      *tester
	id     sim.NodeID
	live   []protocol.BrokerID
	states []protocol.PartitionState
	log    []string
	mute   bool // brokers answer no FindCoordinator
	deaf   bool // nor ApiVersions
}

var t0 = protocol.TopicPartition{Topic: "t"}

func newHarness(t *testing.T, version, settings string, brokers, maxInFlight int) *harness {
	t.Helper()
	v, err := release.Parse(version)
	if err != nil {
		t.Fatal(err)
	}
	rules := release.Of(v)
	values := config.New(config.Producer, v)
	for _, kv := range strings.Fields(settings) {
		key, value, _ := strings.Cut(kv, "=")
		if err := values.Set(key, value); err != nil {
			t.Fatal(err)
		}
	}
	h := &harness{T: t, id: sim.NodeID(brokers), states: []protocol.PartitionState{{TP: t0, Leader: 1, LeaderEpoch: 5}}}
	dir := &protocol.Directory{}
	cfg := sim.Config{MessageNames: protocol.MessageNames, TimerNames: protocol.TimerNames}
	for b := 1; b <= brokers; b++ {
		dir.Brokers = append(dir.Brokers, sim.NodeID(b-1))
		h.live = append(h.live, b)
		cfg.Nodes = append(cfg.Nodes, sim.NodeSpec{Name: protocol.BrokerName(b), New: func() sim.Node { return &server{h, b} }})
	}
	h.n = &tester{c: NewNetworkClient(ConfigOf(values, maxInFlight), dir, &rules)}
	cfg.Nodes = append(cfg.Nodes, sim.NodeSpec{Name: "c", New: func() sim.Node { return h.n }})
	h.w = sim.New(cfg)
	return h
}

func (h *harness) until(at sim.Time) {
	for h.w.NextAt() <= at {
		if _, more := h.w.Pending(); !more {
			break
		}
		h.w.Resolve(0)
	}
	h.w.AdvanceTo(at)
}

// ask makes the client send one request to each destination in turn.
func (h *harness) ask(to ...Destination) {
	h.n.wanted = append(h.n.wanted, to...)
	h.w.Command(h.id, &protocol.Command{Flush: true})
}

func (h *harness) want(what, got, want string) {
	h.Helper()
	if got != want {
		h.Errorf("%s:\n got  %s\n want %s", what, got, want)
	}
}

func (h *harness) lost() int {
	n := 0
	for _, f := range h.w.Trace().Events {
		if _, ok := f.Event.(*event.ConnectionLost); ok {
			n++
		}
	}
	return n
}

// The wait between attempts to connect doubles from 0.11 on (KIP-144), and starts anew once a connection is up.
func TestReconnectBackoff(t *testing.T) {
	for _, c := range []struct{ version, want string }{
		{"0.10", "62 114 166 218 270 322 374 426 478 530 582 634 686 738 790 842 894 946 998"},
		{"4.0", "62 164 366 768"},
	} {
		h := newHarness(t, c.version, "metadata.max.age.ms=10000000", 1, 5)
		h.until(10 * ms)
		h.w.Kill(0)
		h.until(20 * ms)
		h.ask(1) // what is to be sent drives the attempts
		h.until(sim.Second)
		var at []string
		for _, s := range h.w.Trace().Steps {
			if s.Kind == sim.StepLost {
				at = append(at, fmt.Sprint(s.At.Ms()))
			}
		}
		h.want(c.version, strings.Join(at, " "), c.want)
		if h.lost() != 1 {
			t.Error("only a connection that was up can be lost")
		}
	}
}

// Once a connection was up the wait starts anew.
func TestReconnectBackoffStartsAnew(t *testing.T) {
	h := newHarness(t, "4.0", "metadata.max.age.ms=10000000", 1, 5)
	h.until(10 * ms)
	h.w.Kill(0)
	h.ask(1)
	h.until(sim.Second)
	h.w.Restart(0)
	h.until(5 * sim.Second)
	h.log = nil
	h.w.Kill(0)
	h.until(5010 * ms)
	h.w.Restart(0)
	h.ask(1)
	h.until(6 * sim.Second)
	h.want("log", h.log[0], "connect b1 @5052ms")
}

// A metadata update that is due goes before everything else, also if nobody can be asked at the moment.
func TestMetadataFirst(t *testing.T) {
	h := newHarness(t, "4.0", "retry.backoff.ms=1 retry.backoff.max.ms=1 reconnect.backoff.ms=500", 1, 5)
	h.until(10 * ms)
	h.ask(Coordinator(1))
	h.until(20 * ms)
	h.n.drop = 1
	h.w.Command(h.id, &protocol.Command{Flush: true})
	h.until(30 * ms)
	h.ask(Coordinator(1))
	h.until(400 * ms)
	h.want("while b1 can not be asked", strings.Join(h.n.results, ", "), "-1 answered @14ms")
	h.until(sim.Second)
	if len(h.n.results) != 2 {
		t.Error(h.n.results)
	}
}

// A request without an answer closes the connection and takes with it everything else in flight there.
func TestRequestTimeout(t *testing.T) {
	h := newHarness(t, "4.0", "request.timeout.ms=1000", 1, 5)
	h.mute = true
	h.until(10 * ms)
	h.ask(1)
	h.until(500 * ms)
	h.ask(1)
	h.until(3 * sim.Second)
	h.want("results", strings.Join(h.n.results, ", "), "1 timed out @1011ms, 1 timed out @1011ms")
	if h.lost() != 1 || h.w.Busy() != 0 {
		t.Errorf("%d connections lost, %d things busy", h.lost(), h.w.Busy())
	}
	if h.n.c.State(1) != "ready" { // metadata brought it up again
		t.Error(h.n.c.State(1))
	}

	h = newHarness(t, "0.8.2", "", 1, 5) // before KIP-19 a client waits for ever
	h.mute = true
	h.until(10 * ms)
	h.ask(1)
	h.until(sim.Minute * 10)
	h.want("0.8.2", strings.Join(h.n.results, ", "), "")
}

// A peer that accepts but never answers is given up after socket.connection.setup.timeout.ms, which doubles
// (KIP-601). The wait between the attempts is that of the metadata, which count as asked for in vain.
func TestConnectionSetupTimeout(t *testing.T) {
	h := newHarness(t, "4.0", "metadata.max.age.ms=10000000", 1, 5)
	h.deaf = true
	h.until(31 * sim.Second)
	h.want("attempts", strings.Join(h.log, ", "), "connect b1 @1ms, connect b1 @10102ms, connect b1 @30303ms")
}

func TestMaxInFlight(t *testing.T) {
	h := newHarness(t, "4.0", "request.timeout.ms=30000", 1, 2)
	h.mute = true
	h.until(10 * ms)
	h.ask(1, 1, 1)
	if n := len(h.n.c.InFlight(1)); n != 2 {
		t.Errorf("%d requests in flight", n)
	}
	h.n.wanted = []Destination{Coordinator(1)}
	h.mute = false
	h.w.Command(h.id, &protocol.Command{Flush: true})
	h.until(20 * ms)
	h.want("the coordinator has a connection of its own", strings.Join(h.n.results, ", "), "1 answered @12ms, 1 answered @12ms, -1 answered @14ms")
}

// An answer to a request of a connection that was given up is no answer to anything.
func TestDisconnect(t *testing.T) {
	h := newHarness(t, "4.0", "", 1, 5)
	h.until(10 * ms)
	h.ask(1)
	h.w.Disconnect(0, h.id)
	h.until(200 * ms)
	h.want("results", strings.Join(h.n.results, ", "), "1 lost @10ms")
	h.ask(1)
	h.until(300 * ms)
	h.want("results", strings.Join(h.n.results, ", "), "1 lost @10ms, 1 answered @202ms")
}

// From 2.2 on a client does not go back to an older leader epoch, whatever a broker that has not heard the news
// tells it (KAFKA-7738).
func TestOlderEpochIsNotTakenOver(t *testing.T) {
	for _, c := range []struct {
		version string
		leader  protocol.BrokerID
		epoch   int
	}{{"2.1", 1, 4}, {"2.2", 2, 5}} {
		h := newHarness(t, c.version, "metadata.max.age.ms=1000", 2, 5)
		h.states[0] = protocol.PartitionState{TP: t0, Leader: 2, LeaderEpoch: 5}
		h.until(100 * ms)
		h.states[0] = protocol.PartitionState{TP: t0, Leader: 1, LeaderEpoch: 4}
		h.until(1500 * ms)
		m := h.n.c.Metadata()
		if b, e, ok := m.Leader(t0); b != c.leader || e != c.epoch || !ok {
			t.Errorf("%s: leader %d epoch %d", c.version, b, e)
		}
	}
}

// An epoch heard of elsewhere makes the metadata out of date: nobody leads until new ones come.
func TestNewerEpochHeardOf(t *testing.T) {
	h := newHarness(t, "4.0", "", 2, 5)
	h.until(200 * ms)
	m := h.n.c.Metadata()
	if m.UpdateLastSeenEpochIfNewer(t0, 5) || !m.UpdateLastSeenEpochIfNewer(t0, 6) {
		t.Error("only a newer epoch is news")
	}
	if _, e, ok := m.Leader(t0); ok || e != 6 {
		t.Errorf("leader known %v, epoch %d", ok, e)
	}
	h.states[0] = protocol.PartitionState{TP: t0, Leader: 2, LeaderEpoch: 6}
	h.w.Command(h.id, &protocol.Command{Flush: true})
	h.until(300 * ms)
	if b, e, ok := m.Leader(t0); b != 2 || e != 6 || !ok {
		t.Errorf("leader %d epoch %d", b, e)
	}
}

// A leader that is not among the live brokers can not be asked.
func TestLeaderMustBeAlive(t *testing.T) {
	h := newHarness(t, "4.0", "", 2, 5)
	h.live = []protocol.BrokerID{2}
	h.until(100 * ms)
	if _, _, ok := h.n.c.Metadata().Leader(t0); ok {
		t.Error("b1 is gone")
	}
}

// Requests for metadata are at least retry.backoff.ms apart; answers without news make the wait grow from 3.7 on.
func TestMetadataBackoff(t *testing.T) {
	for _, c := range []struct{ version, want string }{
		{"3.6", "3 105 207 309 411 513"},
		{"3.7", "3 105 207 409"},
	} {
		h := newHarness(t, c.version, "", 1, 5)
		for at := sim.Time(0); at <= 600*ms; at += 10 * ms {
			h.until(at)
			h.n.c.Metadata().RequestUpdate()
			h.w.Command(h.id, &protocol.Command{Flush: true})
		}
		var at []string
		for _, l := range h.log {
			if strings.HasPrefix(l, "metadata") {
				at = append(at, strings.TrimSuffix(l[strings.Index(l, "@")+1:], "ms"))
			}
		}
		h.want(c.version, strings.Join(at, " "), c.want)
	}
}

// An answer without brokers comes from a broker that is still starting: it is asked again.
func TestEmptyMetadata(t *testing.T) {
	h := newHarness(t, "4.0", "", 1, 5)
	h.live = nil
	h.until(50 * ms)
	if h.n.c.Metadata().Version() != 0 {
		t.Error("an empty answer was taken over")
	}
	h.live = []protocol.BrokerID{1}
	h.until(300 * ms)
	if h.n.c.Metadata().Version() != 1 || h.n.c.Metadata().PartitionCount("t") != 1 {
		t.Error("the broker was not asked again")
	}
}

// metadata.recovery.strategy=rebootstrap (KIP-899) goes back to bootstrap.servers if nobody known is left.
func TestRebootstrap(t *testing.T) {
	for _, c := range []struct {
		strategy string
		version  int
	}{{"none", 1}, {"rebootstrap", 2}} {
		h := newHarness(t, "3.8", "metadata.recovery.strategy="+c.strategy, 2, 5)
		h.live = []protocol.BrokerID{1}
		h.until(100 * ms)
		h.w.Kill(0)
		h.live = []protocol.BrokerID{2}
		h.until(200 * ms)
		h.ask(1)
		h.until(5 * sim.Second)
		if v := h.n.c.Metadata().Version(); (v > 1) != (c.version > 1) {
			t.Errorf("%s: version %d", c.strategy, v)
		}
	}
}

func TestLeastLoaded(t *testing.T) {
	h := newHarness(t, "4.0", "", 3, 5)
	h.mute = true
	h.until(10 * ms)
	h.ask(1)
	h.until(20 * ms)
	h.ask(2, 3, 3)
	h.until(30 * ms)
	h.ask(2, 1, 1) // b1 has 3, b2 2, b3 2
	h.ask(3)       // b3 3
	h.until(40 * ms)
	h.n.probes = 10
	h.w.Command(h.id, &protocol.Command{Flush: true})
	h.want("least loaded", strings.Join(h.n.results, " "), strings.TrimSpace(strings.Repeat("b2 ", 10)))
}

func TestBackoff(t *testing.T) {
	var got []string
	for i := range 6 {
		got = append(got, Backoff(100*ms, sim.Second, i).String())
	}
	if s := strings.Join(got, " "); s != "100ms 200ms 400ms 800ms 1000ms 1000ms" {
		t.Error(s)
	}
	if Backoff(2*sim.Second, sim.Second, 0) != sim.Second {
		t.Error("a static backoff of the maximum")
	}
}

func TestDrawIsSpread(t *testing.T) {
	var n [3]int
	for i := range uint64(3000) {
		n[Draw(3, 7, i, 3)]++
	}
	for _, k := range n {
		if k < 900 || k > 1100 {
			t.Error(n)
		}
	}
}

// Two clients of one node have timers and correlation ids of their own.
func TestClientsOfOneNodeAreToldApart(t *testing.T) {
	h := newHarness(t, "4.0", "", 1, 5)
	first, second := h.n.c, NewNetworkClient(h.n.c.cfg, h.n.c.dir, &release.Rules{})
	second.Numbered(1)
	if a, b := first.NextCorrelation(), second.NextCorrelation(); a == b || a>>24 != 0 || b>>24 != 1 {
		t.Errorf("correlation ids %d and %d", a, b)
	}
	for _, kind := range []uint8{protocol.TimerReconnect, protocol.TimerMetadataAge, protocol.TimerRequestTimeout} {
		_, mine := first.Timer(nil, sim.Timer{Kind: kind, Arg: 1 << ofClient})
		if mine {
			t.Errorf("the first client takes the second's %s", protocol.TimerNames[kind])
		}
	}
	h.until(10 * ms)
	h.w.Kill(0)
	h.n.c = second
	h.ask(1)
	h.until(2 * sim.Second) // its attempts go on by its own timers
	if second.conn(1).failures < 3 {
		t.Errorf("%d attempts to connect", second.conn(1).failures)
	}
}
