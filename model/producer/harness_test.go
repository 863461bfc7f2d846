package producer

import (
	"fmt"
	"strings"
	"testing"

	"kafkatrial/model/config"
	"kafkatrial/model/event"
	"kafkatrial/model/log"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/model/release"
	"kafkatrial/sim"
)

// cluster is what the fake brokers share: who leads, and what was written.
type cluster struct {
	dir        protocol.Directory
	live       []protocol.BrokerID
	states     []protocol.PartitionState
	logs       map[protocol.TopicPartition][]record.Record
	real       map[protocol.TopicPartition]*log.UnifiedLog // of idempotent producers: they check sequence numbers
	rules      *release.Rules
	nextID     int64
	initErrors []protocol.Error // answers to the first InitProducerId requests
	// answers says what becomes of the n-th produce request to a broker (from 0); after its end all is well.
	answers map[protocol.BrokerID][]answer
	seen    map[protocol.BrokerID]int
	arrived []string // "b1 m1 m2 @1ms"
	quiet   bool     // keep neither logs nor arrived, for benchmarks
}

// answer is what a fake broker does with a produce request.
type answer struct {
	append bool
	err    protocol.Error
	silent bool     // no answer
	hangUp bool     // close the connection instead
	late   sim.Time // answer after
}

var good = answer{append: true}

// fakeBroker answers from the cluster's table.
type fakeBroker struct {
	c    *cluster
	id   protocol.BrokerID
	held []held
}

type held struct {
	conn sim.ConnID
	msg  sim.Message
}

func (b *fakeBroker) Start(*sim.Env) {}
func (b *fakeBroker) Timer(env *sim.Env, t sim.Timer) {
	env.Send(b.held[t.Arg].conn, b.held[t.Arg].msg)
}
func (b *fakeBroker) Disconnected(*sim.Env, sim.ConnID) {}
func (b *fakeBroker) Receive(env *sim.Env, d sim.Delivery) {
	switch m := d.Msg.(type) {
	case *protocol.ApiVersions:
		env.Send(d.Conn, &protocol.ApiVersionsResponse{Correlation: m.Correlation})
	case *protocol.Metadata:
		env.Send(d.Conn, &protocol.MetadataResponse{Correlation: m.Correlation, Live: b.c.live,
			Partitions: append([]protocol.PartitionState(nil), b.c.states...)})
	case *protocol.InitProducerId:
		r := &protocol.InitProducerIdResponse{Correlation: m.Correlation, ProducerID: b.c.nextID}
		if len(b.c.initErrors) > 0 {
			r.Err, b.c.initErrors = b.c.initErrors[0], b.c.initErrors[1:]
		} else {
			b.c.nextID++
		}
		env.Send(d.Conn, r)
	case *protocol.Produce:
		b.produce(env, d.Conn, m)
	}
}

func (b *fakeBroker) produce(env *sim.Env, conn sim.ConnID, m *protocol.Produce) {
	n := b.c.seen[b.id]
	b.c.seen[b.id]++
	what := good
	if script := b.c.answers[b.id]; n < len(script) {
		what = script[n]
	}
	r := &protocol.ProduceResponse{Correlation: m.Correlation}
	if b.c.quiet {
		r.Data = []protocol.ProduceResult{{TP: m.Data[0].TP}}
		env.Send(conn, r)
		return
	}
	for _, d := range m.Data {
		res := protocol.ProduceResult{TP: d.TP, Err: what.err, BaseOffset: -1}
		if s := b.c.state(d.TP); s.Leader != b.id {
			res.Err = protocol.NotLeaderOrFollower
		} else if what.append && d.Batch.HasProducerID() {
			b.c.appendChecked(&res, d)
		} else if what.append {
			if res.Err == protocol.None {
				res.BaseOffset = int64(len(b.c.logs[d.TP]))
			}
			b.c.logs[d.TP] = append(b.c.logs[d.TP], d.Batch.Records...)
		}
		r.Data = append(r.Data, res)
		b.c.arrived = append(b.c.arrived, fmt.Sprintf("b%d %s @%v", b.id, ids(d.Batch.Records), env.Now()))
	}
	switch {
	case m.Acks == 0 || what.silent:
	case what.hangUp:
		env.Close(conn)
	case what.late > 0:
		b.held = append(b.held, held{conn, r})
		env.SetTimer(what.late, protocol.TimerDelayedProduce, int64(len(b.held)-1), false)
	default:
		env.Send(conn, r)
	}
}

// appendChecked appends a batch as a leader does: to a real log, which knows the producer.
func (c *cluster) appendChecked(res *protocol.ProduceResult, d protocol.ProduceData) {
	l := c.log(d.TP)
	info, err := l.AppendAsLeader(d.Batch, 0, 0)
	if res.LogStartOffset = l.LogStartOffset(); err != protocol.None {
		res.Err = err
		return
	}
	if !info.Duplicate {
		c.logs[d.TP] = append(c.logs[d.TP], d.Batch.Records...)
	}
	if l.UpdateHighWatermark(l.LogEndOffset()); res.Err == protocol.None {
		res.BaseOffset = info.FirstOffset
	}
}

func (c *cluster) log(tp protocol.TopicPartition) *log.UnifiedLog {
	if c.real[tp] == nil {
		disk := sim.New(sim.Config{Nodes: []sim.NodeSpec{{Name: "b1", Idle: true}}}).Disk(0)
		c.real[tp] = log.Open(disk, tp.String(), log.Config{}, c.rules, 0)
	}
	return c.real[tp]
}

func (c *cluster) state(tp protocol.TopicPartition) *protocol.PartitionState {
	for i := range c.states {
		if c.states[i].TP == tp {
			return &c.states[i]
		}
	}
	return &protocol.PartitionState{}
}

func ids(rs []record.Record) string {
	var s []string
	for _, r := range rs {
		s = append(s, r.ID)
	}
	return strings.Join(s, " ")
}

// harness is a world with fake brokers and one producer.
type harness struct {
	*testing.T
	*cluster
	w *sim.World
	p sim.NodeID
	// padding makes a value so long that batch.size=1 means one record a batch.
	padding string
}

type setup struct {
	version    string
	rules      map[string]bool
	config     string // "acks=all linger.ms=10"
	app        Application
	brokers    int
	partitions int
	down       bool // the brokers' processes do not run
}

var orders = protocol.TopicPartition{Topic: "orders"}

func newHarness(t *testing.T, s setup) *harness {
	t.Helper()
	v, err := release.Parse(s.version)
	if err != nil {
		t.Fatal(err)
	}
	rules := release.Of(v)
	for key, on := range s.rules {
		if err := rules.Set(key, on); err != nil {
			t.Fatal(err)
		}
	}
	values := config.New(config.Producer, v)
	if !strings.Contains(s.config, "enable.idempotence") && values.Has("enable.idempotence") {
		s.config += " enable.idempotence=false"
	}
	for _, kv := range strings.Fields(s.config) {
		key, value, _ := strings.Cut(kv, "=")
		if err := values.Set(key, value); err != nil {
			t.Fatal(err)
		}
	}
	c := &cluster{logs: map[protocol.TopicPartition][]record.Record{}, real: map[protocol.TopicPartition]*log.UnifiedLog{}, rules: &rules, answers: map[protocol.BrokerID][]answer{}, seen: map[protocol.BrokerID]int{}}
	cfg := sim.Config{MessageNames: protocol.MessageNames, TimerNames: protocol.TimerNames}
	for b := 1; b <= max(s.brokers, 1); b++ {
		c.dir.Brokers = append(c.dir.Brokers, sim.NodeID(b-1))
		c.live = append(c.live, b)
		cfg.Nodes = append(cfg.Nodes, sim.NodeSpec{Name: protocol.BrokerName(b), Idle: s.down, New: func() sim.Node { return &fakeBroker{c: c, id: b} }})
	}
	for i := range max(s.partitions, 1) {
		tp := protocol.TopicPartition{Topic: "orders", Partition: int32(i)}
		c.states = append(c.states, protocol.PartitionState{TP: tp, Leader: 1 + i%len(c.live)})
	}
	cfg.Nodes = append(cfg.Nodes, sim.NodeSpec{Name: "p", New: func() sim.Node { return New(values, &c.dir, &rules, s.app) }})
	h := &harness{T: t, cluster: c, w: sim.New(cfg), p: sim.NodeID(len(cfg.Nodes) - 1)}
	if values.Int("batch.size") == 1 {
		h.padding = strings.Repeat(".", 20)
	}
	h.until(10 * sim.Millisecond)
	return h
}

// until runs the world up to a moment.
func (h *harness) until(at sim.Time) {
	for h.w.NextAt() <= at {
		if _, more := h.w.Pending(); !more {
			break
		}
		h.w.Resolve(0)
	}
	h.w.AdvanceTo(at)
}

// rest runs the world until nothing but routine is left.
func (h *harness) rest() {
	h.Helper()
	for range 1_000_000 {
		_, more := h.w.Pending() // drops timers that were cancelled
		if h.w.Busy() == 0 {
			return
		}
		if !more {
			break
		}
		h.w.Resolve(0)
	}
	h.Fatal("the world does not come to rest")
}

// restart kills the producer and starts it anew.
func (h *harness) restart() {
	h.w.Kill(h.p)
	h.w.Restart(h.p)
	h.until(h.w.Now() + 10*sim.Millisecond)
}

func (h *harness) producer() *KafkaProducer { return h.w.Node(h.p).(*KafkaProducer) }

// send makes the application call send() for records without a key.
func (h *harness) send(names ...string) { h.sendTo(-1, names...) }

func (h *harness) sendTo(partition int32, names ...string) {
	var rs []record.Record
	for _, n := range names {
		rs = append(rs, record.Record{ID: n, Value: n + h.padding})
	}
	h.command(&protocol.Command{Send: &protocol.SendCommand{Topic: "orders", Partition: partition, Records: rs}})
}

func (h *harness) command(c *protocol.Command) {
	h.Helper()
	if !h.w.Command(h.p, c) {
		h.Fatal("no producer runs")
	}
}

// events spells the producer's events of some kinds, in order.
func (h *harness) events(kinds ...event.Event) string {
	var out []string
	steps := h.w.Trace().Steps
	for i := range steps {
		for _, f := range h.w.Trace().EventsOf(i) {
			for _, k := range kinds {
				if event.KindOf(f.Event) == k.Kind() {
					out = append(out, spell(&f))
				}
			}
		}
	}
	return strings.Join(out, ", ")
}

func spell(f *sim.Recorded) string {
	what := ""
	if b := event.Batch(f.Event); b != nil {
		what = ids(b.Records)
	}
	switch e := f.Event.(type) {
	case *event.BatchAcked:
		return fmt.Sprintf("%s acked at %d", what, e.BaseOffset)
	case *event.BatchFailed:
		certain := "unknown"
		if e.NotWritten {
			certain = "not written"
		}
		return fmt.Sprintf("%s failed %v (%s)", what, e.Err, certain)
	case *event.BatchRetried:
		return fmt.Sprintf("%s retried %v (%d left)", what, e.Err, e.AttemptsLeft)
	case *event.RecordRejected:
		return fmt.Sprintf("%s rejected %v", e.Record, e.Err)
	case *event.RecordSent:
		return fmt.Sprintf("%s sent #%d to %d", e.Record.ID, e.Submission, e.TP.Partition)
	case *event.RecordsBatched:
		return fmt.Sprintf("%s batched for b%d, attempt %d", what, e.Broker, e.Attempt)
	case *event.ClientMetadata:
		return fmt.Sprintf("leader b%d epoch %d", e.Leader, e.LeaderEpoch)
	case *event.ProducerIDGiven:
		return fmt.Sprintf("id %d epoch %d", e.ProducerID, e.ProducerEpoch)
	case *event.ProducerIDDropped:
		return fmt.Sprintf("id %d dropped: %s %v", e.ProducerID, e.Why, e.Err)
	case *event.EpochBumped:
		return fmt.Sprintf("id %d bumped to epoch %d", e.ProducerID, e.ProducerEpoch)
	case *event.SequencesReset:
		return fmt.Sprintf("%d renumbered", e.Batches)
	case *event.ProducerFailed:
		return fmt.Sprintf("failed for good: %v", e.Err)
	case *event.ConnectionLost:
		return fmt.Sprintf("connection to node %d lost", e.Peer)
	}
	return "?"
}

var outcomes = []event.Event{new(event.BatchAcked), new(event.BatchFailed), new(event.BatchRetried), new(event.RecordRejected)}

func (h *harness) want(what, got, want string) {
	h.Helper()
	if got != want {
		h.Errorf("%s:\n got  %s\n want %s", what, got, want)
	}
}

// lead makes a broker the leader of orders-0.
func (c *cluster) lead(b protocol.BrokerID, epoch int) {
	s := c.state(orders)
	s.Leader, s.LeaderEpoch = b, epoch
}
