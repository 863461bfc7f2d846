package consumer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"kafkatrial/model/config"
	"kafkatrial/model/event"
	"kafkatrial/model/groupcoordinator"
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/model/release"
	"kafkatrial/sim"
)

var (
	orders0 = protocol.TopicPartition{Topic: "orders", Partition: 0}
	orders1 = protocol.TopicPartition{Topic: "orders", Partition: 1}
	offsets = protocol.TopicPartition{Topic: groupcoordinator.TopicName}
)

// topicLog is a partition as the fake cluster holds it: one log for all brokers, all of it committed.
type topicLog struct {
	tp       protocol.TopicPartition
	leader   protocol.BrokerID
	epoch    int
	start    int64
	batches  []*record.RecordBatch
	fetchErr protocol.Error // what a fetch or an end-offset look-up is told
}

func (l *topicLog) end() int64 {
	if n := len(l.batches); n > 0 {
		return l.batches[n-1].NextOffset()
	}
	return 0
}

// endOfEpoch answers OffsetsForLeaderEpoch: the largest epoch not above the one asked for, and its end.
func (l *topicLog) endOfEpoch(epoch int) (int, int64) {
	found, end := -1, int64(-1)
	for _, b := range l.batches {
		if b.PartitionLeaderEpoch <= epoch {
			found, end = b.PartitionLeaderEpoch, b.NextOffset()
		}
	}
	if epoch >= l.epoch {
		return l.epoch, l.end()
	}
	return found, end
}

// cluster is what the fake brokers share.
type cluster struct {
	t     *testing.T
	world *sim.World
	dir   protocol.Directory
	rules release.Rules
	logs  []*topicLog
	next  int32 // submissions

	loadTime     sim.Time // how long a coordinator takes to load
	replicaDelay sim.Time // between the append of a commit and its replication
	commitErr    protocol.Error
	loseCommits  int // acknowledged commits that never reach the log

	consumer sim.NodeID
	calls    []string // requests of the consumer, as text
}

func (c *cluster) log(tp protocol.TopicPartition) *topicLog {
	for _, l := range c.logs {
		if l.tp == tp {
			return l
		}
	}
	return nil
}

// fakeBroker answers from the cluster's logs, and coordinates groups with the real GroupCoordinator.
type fakeBroker struct {
	c       *cluster
	id      protocol.BrokerID
	groups  *groupcoordinator.GroupCoordinator
	waiting []waitingFetch
	writes  []groupcoordinator.Append
}

type waitingFetch struct {
	conn sim.ConnID
	req  *protocol.Fetch
}

const (
	timerLoaded     = 100
	timerReplicated = 101
)

func (b *fakeBroker) Start(env *sim.Env) {
	cfg := groupcoordinator.DefaultConfig
	b.groups = groupcoordinator.New(cfg, &b.c.rules)
	b.lead(env)
}

// lead makes the broker take over or give up __consumer_offsets, as the cluster says.
func (b *fakeBroker) lead(env *sim.Env) {
	l := b.c.log(offsets)
	state := b.groups.State(0)
	switch {
	case l.leader == b.id && state == groupcoordinator.NotCoordinator:
		b.groups.OnElection(0, l.epoch)
		env.SetTimer(b.c.loadTime, timerLoaded, int64(l.epoch), false)
	case l.leader != b.id && state != groupcoordinator.NotCoordinator:
		for _, a := range b.groups.OnResignation(0, l.epoch) {
			a.Send(env)
		}
	}
}

func (b *fakeBroker) Timer(env *sim.Env, t sim.Timer) {
	switch t.Kind {
	case timerLoaded:
		l := b.c.log(offsets)
		b.groups.OnLoaded(0, int(t.Arg), l.batches, l.start, l.end(), l.end())
	case timerReplicated:
		b.replicated(env, t.Arg)
	case protocol.TimerDelayedFetch:
		if len(b.waiting) > 0 {
			w := b.waiting[0]
			b.waiting = b.waiting[1:]
			env.Send(w.conn, b.fetch(w.req))
		}
	}
}

func (b *fakeBroker) Disconnected(env *sim.Env, conn sim.ConnID) {
	b.waiting = slices.DeleteFunc(b.waiting, func(w waitingFetch) bool { return w.conn == conn })
}

func (b *fakeBroker) Receive(env *sim.Env, d sim.Delivery) {
	if d.From == b.c.consumer && d.Msg.Type() != protocol.TFetch && d.Msg.Type() != protocol.TMetadata {
		b.c.calls = append(b.c.calls, fmt.Sprintf("%s b%d", protocol.MessageNames[d.Msg.Type()], b.id))
	}
	switch m := d.Msg.(type) {
	case *protocol.Command: // look again at what you lead, and at who waits
		if m.Rebalance != nil {
			b.group(env, b.groups.Rebalance(env.Clock(), m.Rebalance))
		}
		b.lead(env)
		waiting := b.waiting
		b.waiting = nil
		for _, w := range waiting {
			if r := b.fetch(w.req); !r.Routine() {
				env.Send(w.conn, r)
			} else {
				b.waiting = append(b.waiting, w)
			}
		}
	case *protocol.ApiVersions:
		env.Send(d.Conn, &protocol.ApiVersionsResponse{Correlation: m.Correlation})
	case *protocol.Metadata:
		r := &protocol.MetadataResponse{Correlation: m.Correlation}
		for id := range b.c.dir.Brokers {
			r.Live = append(r.Live, id+1)
		}
		for _, l := range b.c.logs {
			r.Partitions = append(r.Partitions, protocol.PartitionState{TP: l.tp, Leader: l.leader, LeaderEpoch: l.epoch})
		}
		env.Send(d.Conn, r)
	case *protocol.Fetch:
		if r := b.fetch(m); !r.Routine() {
			env.Send(d.Conn, r)
		} else {
			b.waiting = append(b.waiting, waitingFetch{d.Conn, m})
			env.SetTimer(m.MaxWait, protocol.TimerDelayedFetch, 0, true)
		}
	case *protocol.ListOffsets:
		r := &protocol.ListOffsetsResponse{Correlation: m.Correlation}
		for _, q := range m.Data {
			l := b.c.log(q.TP)
			a := protocol.OffsetAnswer{TP: q.TP, Err: b.refusal(l), Offset: l.end(), LeaderEpoch: l.epoch}
			if q.Timestamp == protocol.EarliestTimestamp {
				a.Offset = l.start
			}
			r.Data = append(r.Data, a)
		}
		env.Send(d.Conn, r)
	case *protocol.OffsetForLeaderEpoch:
		r := &protocol.OffsetForLeaderEpochResponse{Correlation: m.Correlation}
		for _, q := range m.Data {
			l := b.c.log(q.TP)
			a := protocol.EpochAnswer{TP: q.TP, Err: b.refusal(l)}
			a.Epoch, a.EndOffset = l.endOfEpoch(q.LeaderEpoch)
			r.Data = append(r.Data, a)
		}
		env.Send(d.Conn, r)
	case *protocol.FindCoordinator:
		env.Send(d.Conn, groupcoordinator.FindCoordinator(m, b.c.log(offsets).leader, true))
	case *protocol.OffsetFetch:
		if a, ok, _ := b.groups.HandleOffsetFetch(d.Conn, m); ok {
			a.Send(env)
		}
	case *protocol.OffsetCommit:
		b.commit(env, d.Conn, m)
	case *protocol.JoinGroup:
		b.group(env, b.groups.HandleJoinGroup(env.Clock(), d.Conn, m))
	case *protocol.Heartbeat:
		b.groups.HandleHeartbeat(d.Conn, m).Send(env)
	}
}

func (b *fakeBroker) group(env *sim.Env, o groupcoordinator.Outcome) {
	for _, a := range o.Answers {
		a.Send(env)
	}
	if o.Write.ID != 0 {
		b.write(env, o.Write)
	}
}

func (b *fakeBroker) commit(env *sim.Env, conn sim.ConnID, m *protocol.OffsetCommit) {
	a, ok, write := b.groups.HandleOffsetCommit(env.Clock(), conn, m)
	if ok {
		a.Send(env)
		return
	}
	if b.c.commitErr != protocol.None {
		for _, a := range b.groups.OnAppendFailed(write.ID, b.c.commitErr) {
			a.Send(env)
		}
		return
	}
	b.write(env, write)
}

func (b *fakeBroker) write(env *sim.Env, write groupcoordinator.Append) {
	l := b.c.log(offsets)
	base := l.end()
	if b.c.loseCommits > 0 {
		b.c.loseCommits--
	} else {
		l.batches = append(l.batches, write.Batch.WithOffset(base, l.epoch))
	}
	for _, a := range b.groups.OnAppended(write.ID, base, base+int64(len(write.Batch.Records))) {
		a.Send(env)
	}
	b.writes = append(b.writes, write)
	env.SetTimer(b.c.replicaDelay, timerReplicated, base+int64(len(write.Batch.Records)), false)
}

func (b *fakeBroker) replicated(env *sim.Env, hw int64) {
	answers := b.groups.OnHighWatermark(0, hw)
	if b.writes[0].Acks == protocol.AcksAll {
		answers = append(answers, b.groups.OnCommitted(b.writes[0].ID)...)
	}
	b.writes = b.writes[1:]
	for _, a := range answers {
		a.Send(env)
	}
}

func (b *fakeBroker) refusal(l *topicLog) protocol.Error {
	if l.leader != b.id {
		return protocol.NotLeaderOrFollower
	}
	return l.fetchErr
}

func (b *fakeBroker) fetch(m *protocol.Fetch) *protocol.FetchResponse {
	r := &protocol.FetchResponse{Correlation: m.Correlation}
	for _, q := range m.Data {
		l := b.c.log(q.TP)
		d := protocol.FetchResult{TP: q.TP, Err: b.refusal(l), HighWatermark: l.end(), LogStartOffset: l.start}
		switch {
		case d.Err != protocol.None:
		case q.CurrentLeaderEpoch >= 0 && q.CurrentLeaderEpoch < l.epoch:
			d.Err = protocol.FencedLeaderEpoch
		case q.Offset < l.start || q.Offset > l.end():
			d.Err = protocol.OffsetOutOfRange
		default:
			for _, batch := range l.batches {
				if batch.NextOffset() > q.Offset {
					d.Batches = append(d.Batches, batch)
				}
			}
		}
		r.Data = append(r.Data, d)
	}
	return r
}

// setup is a test's cluster and application.
type setup struct {
	version string
	set     []string // consumer settings: key, value, …
	app     Application
	brokers int
	off     []planted.Guard
}

// start makes a world of fake brokers that hold orders-0, led by broker 1, and the consumer "c".
func start(t *testing.T, s setup) *cluster {
	t.Helper()
	if s.version == "" {
		s.version = "3.9"
	}
	if s.brokers == 0 {
		s.brokers = 1
	}
	version, err := release.Parse(s.version)
	if err != nil {
		t.Fatal(err)
	}
	values := config.New(config.Consumer, version)
	for i := 0; i < len(s.set); i += 2 {
		if err := values.Set(s.set[i], s.set[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	c := &cluster{t: t, rules: release.Of(version), replicaDelay: sim.Millisecond}
	c.logs = []*topicLog{{tp: offsets, leader: 1, epoch: 1}, {tp: orders0, leader: 1, epoch: 1}}
	cfg := sim.Config{MessageNames: protocol.MessageNames, TimerNames: protocol.TimerNames}
	for i := 0; i < s.brokers; i++ {
		c.dir.Brokers = append(c.dir.Brokers, sim.NodeID(i))
		cfg.Nodes = append(cfg.Nodes, sim.NodeSpec{Name: fmt.Sprintf("b%d", i+1), New: func() sim.Node { return &fakeBroker{c: c, id: i + 1} }})
	}
	c.consumer = sim.NodeID(s.brokers)
	if s.app.Group == "" {
		s.app.Group = "g"
	}
	if s.app.Topics == nil && s.app.Partitions == nil {
		s.app.Partitions = []protocol.TopicPartition{orders0}
	}
	if s.app.ProcessTime == 0 {
		s.app.ProcessTime = DefaultProcessTime
	}
	s.app.Planted = planted.Off(s.off...)
	cfg.Nodes = append(cfg.Nodes, sim.NodeSpec{Name: "c", New: func() sim.Node { return New(s.app, values, &c.dir, &c.rules) }})
	c.world = sim.New(cfg)
	return c
}

// write appends one batch at the leader.
func (c *cluster) write(tp protocol.TopicPartition, ids ...string) {
	l := c.log(tp)
	var rs []record.Record
	for _, id := range ids {
		c.next++
		rs = append(rs, record.Record{ID: id, Value: id, Producer: 7, Submission: c.next})
	}
	l.batches = append(l.batches, record.NewBatch(rs).WithOffset(l.end(), l.epoch))
	c.tell()
}

// tell makes the brokers look again at the cluster.
func (c *cluster) tell() {
	for _, n := range c.dir.Brokers {
		c.world.Command(n, &protocol.Command{Flush: true})
	}
}

// rebalance has broker 1 begin a round of group g.
func (c *cluster) rebalance(members ...protocol.GroupMember) {
	c.world.Command(c.dir.Brokers[0], &protocol.Command{Rebalance: &protocol.RebalanceCommand{Group: "g", Members: members}})
}

// move makes another broker the leader of a partition.
func (c *cluster) move(tp protocol.TopicPartition, to protocol.BrokerID) {
	l := c.log(tp)
	l.leader, l.epoch = to, l.epoch+1
	c.tell()
}

// truncate cuts whole batches from a partition's end.
func (c *cluster) truncate(tp protocol.TopicPartition, end int64) {
	l := c.log(tp)
	for len(l.batches) > 0 && l.end() > end {
		l.batches = l.batches[:len(l.batches)-1]
	}
}

// to runs the world up to a time.
func (c *cluster) to(at sim.Time) {
	c.t.Helper()
	for steps := 0; c.world.NextAt() <= at; steps++ {
		if steps > 20000 {
			c.t.Fatalf("20,000 steps and still at %v", c.world.Now())
		}
		if _, more := c.world.Pending(); !more {
			break
		}
		c.world.Resolve(0)
	}
	c.world.AdvanceTo(max(at, c.world.Now()))
}

// until runs the world up to the n-th event of a kind, and not a step further.
func (c *cluster) until(kind event.Event, n int) {
	c.t.Helper()
	for c.count(kind) < n {
		if c.world.Now() > 600*sim.Second {
			c.t.Fatalf("no %d-th event %s:\n%s", n, kind.Kind().ID, strings.Join(c.story(), "\n"))
		}
		if _, more := c.world.Pending(); !more {
			c.t.Fatalf("the world has ended before the %d-th event %s", n, kind.Kind().ID)
		}
		c.world.Resolve(0)
	}
}

// quiet runs until nothing but routine is left, and fails if that takes more than ten minutes.
func (c *cluster) quiet() {
	c.t.Helper()
	limit := c.world.Now() + 600*sim.Second
	for c.world.Busy() > 0 {
		if c.world.Now() > limit {
			c.t.Fatalf("not quiet by %v", limit)
		}
		c.world.Pending()
		c.world.Resolve(0)
	}
}

func (c *cluster) count(kind event.Event) int {
	n := 0
	for _, f := range c.world.Trace().Events {
		if event.KindOf(f.Event) == kind.Kind() && f.Node == c.consumer {
			n++
		}
	}
	return n
}

func (c *cluster) node() *Consumer {
	n, _ := c.world.Node(c.consumer).(*Consumer)
	return n
}

// story tells the consumer's events, with its deaths.
func (c *cluster) story() []string {
	var out []string
	tr := c.world.Trace()
	for i := range tr.Steps {
		if s := &tr.Steps[i]; s.Kind == sim.StepFault && s.Node == c.consumer && s.Op == sim.OpKill {
			out = append(out, s.Op.String())
		}
		for _, f := range tr.EventsOf(i) {
			if f.Node == c.consumer {
				out = append(out, tell(&f)...)
			}
		}
	}
	return out
}

func tell(f *sim.Recorded) []string {
	tp := ""
	if event.Topic(f.Event) != "" {
		tp = event.Partition(f.Event).String() + " "
	}
	switch e := f.Event.(type) {
	case *event.Assigned:
		return []string{fmt.Sprintf("assigned %s%d %s", tp, e.Offset, e.Source)}
	case *event.Polled:
		return []string{fmt.Sprintf("polled %s%d–%d", tp, e.FirstOffset, e.NextOffset)}
	case *event.Processed:
		return []string{fmt.Sprintf("processed %s", e.Record.ID)}
	case *event.CommitSent:
		return []string{fmt.Sprintf("commit sent %s%d", tp, e.Offset)}
	case *event.Committed:
		return []string{fmt.Sprintf("committed %s%d", tp, e.Offset)}
	case *event.CommitFailed:
		return []string{fmt.Sprintf("commit failed %s%d %v", tp, e.Offset, e.Err)}
	case *event.PositionReset:
		return []string{fmt.Sprintf("reset %s%d→%d %s", tp, e.From, e.To, e.Source)}
	case *event.TruncationSeen:
		return []string{fmt.Sprintf("truncation seen %s%d, ends at %d", tp, e.Position, e.EndOffset)}
	case *event.EndOffset:
		return []string{fmt.Sprintf("told end %s%d", tp, e.Offset)}
	case *event.GroupJoined:
		return []string{fmt.Sprintf("joined %d as %s", e.Generation, e.Member)}
	case *event.AssignmentTaken:
		return []string{"given " + strings.TrimSpace(tp)}
	case *event.PartitionRevoked:
		return []string{fmt.Sprintf("gives up %slost %t", tp, e.Lost)}
	case *event.GroupTold:
		return []string{fmt.Sprintf("told %v", e.Err)}
	case *event.ConsumerFailed:
		return []string{fmt.Sprintf("failed %s%v", tp, e.Err)}
	}
	return nil
}

// without drops lines that begin with one of the words.
func without(lines []string, words ...string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(l string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(l, w) })
	})
}

func (c *cluster) expect(want ...string) {
	c.t.Helper()
	got := c.story()
	if !slices.Equal(got, want) {
		c.t.Errorf("the consumer's story:\n  %s\nwant:\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// processed lists the records in the order of their effects.
func (c *cluster) processed() string {
	var ids []string
	for _, f := range c.world.Trace().Events {
		if e, ok := f.Event.(*event.Processed); ok {
			ids = append(ids, e.Record.ID)
		}
	}
	return strings.Join(ids, " ")
}

// committed is what stands in __consumer_offsets, oldest first.
func (c *cluster) committed() string {
	var ids []string
	for _, b := range c.log(offsets).batches {
		for i := range b.Records {
			ids = append(ids, b.Records[i].ID)
		}
	}
	return strings.Join(ids, " ")
}
