package broker_test

import (
	"fmt"
	"strings"
	"testing"

	"kafkatrial/model/broker"
	"kafkatrial/model/config"
	"kafkatrial/model/controller"
	"kafkatrial/model/event"
	"kafkatrial/model/groupcoordinator"
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/model/release"
	"kafkatrial/model/transactioncoordinator"
	"kafkatrial/model/zookeeper"
	"kafkatrial/sim"
)

// txnTrial is a cluster with the topics of transactions, and a client that says what the test makes it say.
// Broker 1 leads orders-0, broker 2 orders-1, the last one coordinates groups and transactions.
type txnTrial struct {
	*testing.T
	w      *sim.World
	dir    protocol.Directory
	rules  release.Rules
	client sim.NodeID
	last   int
}

// speaker is the client: it sends what it is told on a connection of its own, and keeps the answers.
type speaker struct {
	env     *sim.Env
	dir     *protocol.Directory
	conns   []sim.ConnID
	answers []sim.Message
	lost    int
}

// say is the order to send something to a broker.
type say struct {
	to  protocol.BrokerID
	msg sim.Message
}

func (*say) Type() sim.MsgType { return protocol.TCommand }
func (*say) Routine() bool     { return false }

func (s *speaker) Start(env *sim.Env) {
	s.env = env
	s.conns = make([]sim.ConnID, len(s.dir.Brokers)+1)
	for i := range s.conns {
		s.conns[i] = sim.NoConn
	}
}

func (s *speaker) Receive(env *sim.Env, d sim.Delivery) {
	order, ok := d.Msg.(*say)
	if !ok {
		s.answers = append(s.answers, d.Msg)
		return
	}
	if s.conns[order.to] == sim.NoConn {
		s.conns[order.to] = env.Connect(s.dir.Node(order.to))
	}
	env.Send(s.conns[order.to], order.msg)
}

func (s *speaker) Timer(*sim.Env, sim.Timer) {}

func (s *speaker) Disconnected(env *sim.Env, c sim.ConnID) {
	s.lost++
	for i := range s.conns {
		if s.conns[i] == c {
			s.conns[i] = sim.NoConn
		}
	}
}

func newTxnTrial(t *testing.T, version string, off planted.Set, settings ...string) *txnTrial {
	t.Helper()
	v, err := release.Parse(version)
	if err != nil {
		t.Fatal(err)
	}
	const brokers = 3
	values := config.New(config.Broker, v)
	tr := &txnTrial{T: t, rules: release.Of(v), last: brokers}
	for _, s := range settings {
		key, value, _ := strings.Cut(s, "=")
		if strings.HasPrefix(key, "rule:") {
			if err := tr.rules.Set(key[len("rule:"):], value == "on"); err != nil {
				t.Fatal(err)
			}
		} else if err := values.Set(key, value); err != nil {
			t.Fatal(err)
		}
	}
	topics := []protocol.TopicSpec{
		{Name: groupcoordinator.TopicName, Replicas: [][]int{{3, 2, 1}}},
		{Name: transactioncoordinator.TopicName, Replicas: [][]int{{3, 2, 1}}},
		{Name: "orders", Replicas: [][]int{{1, 2, 3}, {2, 3, 1}}},
	}
	cfg := sim.Config{MessageNames: protocol.MessageNames, TimerNames: protocol.TimerNames, Latency: sim.Millisecond}
	add := func(n sim.NodeSpec) sim.NodeID {
		cfg.Nodes = append(cfg.Nodes, n)
		return sim.NodeID(len(cfg.Nodes) - 1)
	}
	bc := &broker.Config{Directory: &tr.dir, Rules: &tr.rules, Values: values, Planted: off}
	for _, topic := range topics {
		bc.Topics = append(bc.Topics, broker.TopicConfig{Topic: topic.Name, Values: config.ForTopic(values, config.New(config.Topic, v))})
	}
	for id := 1; id <= brokers; id++ {
		tr.dir.Brokers = append(tr.dir.Brokers, add(sim.NodeSpec{Name: protocol.BrokerName(id), New: func() sim.Node { return broker.New(bc, id) }, Faults: sim.CanKill | sim.CanPause}))
	}
	s := controller.Settings{ID: 1, Directory: &tr.dir, Rules: &tr.rules, Config: values, Topics: topics}
	tr.dir.ZooKeeper = sim.Nobody
	if tr.rules.KRaft {
		tr.dir.Controllers = append(tr.dir.Controllers, add(sim.NodeSpec{Name: "k1", New: func() sim.Node { return controller.NewQuorumController(s) }}))
	} else {
		tr.dir.Controllers = append(tr.dir.Controllers, add(sim.NodeSpec{Name: "k1", New: func() sim.Node { return controller.NewKafkaController(s) }}))
		z := zookeeper.Settings{Directory: &tr.dir, Topics: topics, SessionTimeout: values.Ms("zookeeper.session.timeout.ms")}
		tr.dir.ZooKeeper = add(sim.NodeSpec{Name: "zk", New: func() sim.Node { return zookeeper.NewServer(z) }})
	}
	tr.client = add(sim.NodeSpec{Name: "p", New: func() sim.Node { return &speaker{dir: &tr.dir} }})
	tr.w = sim.New(cfg)
	tr.until("the cluster has come up", func() bool { return tr.coordinator() == brokers && tr.leads(1, 0) && tr.leads(2, 1) })
	tr.pass(sim.Second)
	return tr
}

func (tr *txnTrial) broker(id int) *broker.Broker {
	b, _ := tr.w.Node(tr.dir.Node(id)).(*broker.Broker)
	return b
}

func (tr *txnTrial) leads(id int, partition int32) bool {
	b := tr.broker(id)
	p := b.Replica(protocol.TopicPartition{Topic: "orders", Partition: partition})
	return b.Registered() && p != nil && p.IsLeader()
}

// coordinator is the broker that coordinates transactions, 0 if none does.
func (tr *txnTrial) coordinator() int {
	for id := 1; id <= tr.last; id++ {
		if b := tr.broker(id); b != nil && b.Registered() && b.TransactionCoordinator().Coordinates(0) {
			return id
		}
	}
	return 0
}

func (tr *txnTrial) until(what string, ok func() bool) {
	tr.Helper()
	for limit := tr.w.Now() + 5*sim.Minute; !ok(); {
		if _, more := tr.w.Pending(); !more || tr.w.NextAt() > limit {
			tr.Fatalf("in vain: %s", what)
		}
		tr.w.Resolve(0)
	}
}

func (tr *txnTrial) pass(d sim.Time) {
	for limit := tr.w.Now() + d; tr.w.NextAt() <= limit; {
		if _, more := tr.w.Pending(); !more {
			return
		}
		tr.w.Resolve(0)
	}
}

func (tr *txnTrial) speaker() *speaker { return tr.w.Node(tr.client).(*speaker) }

// ask sends a request and waits for its answer.
func (tr *txnTrial) ask(to int, m sim.Message) sim.Message {
	tr.Helper()
	n := len(tr.speaker().answers)
	tr.w.Command(tr.client, &say{to, m})
	tr.until("an answer to "+protocol.MessageNames[m.Type()], func() bool { return len(tr.speaker().answers) > n })
	return tr.speaker().answers[n]
}

func (tr *txnTrial) init(id string) (int64, int16) {
	tr.Helper()
	var a *protocol.InitProducerIdResponse
	for range 50 {
		a = tr.ask(tr.coordinator(), &protocol.InitProducerId{TransactionalID: id, TransactionTimeout: 60 * sim.Second, ProducerID: -1, ProducerEpoch: -1}).(*protocol.InitProducerIdResponse)
		if a.Err == protocol.None {
			return a.ProducerID, a.ProducerEpoch
		}
		tr.pass(100 * sim.Millisecond)
	}
	tr.Fatalf("InitProducerId: %v", a.Err)
	return 0, 0
}

func orders1(n int32) protocol.TopicPartition {
	return protocol.TopicPartition{Topic: "orders", Partition: n}
}

func (tr *txnTrial) add(id string, producerID int64, epoch int16, tps ...protocol.TopicPartition) protocol.Error {
	tr.Helper()
	a := tr.ask(tr.coordinator(), &protocol.AddPartitionsToTxn{Transactions: []protocol.AddPartitionsToTxnTransaction{
		{TransactionalID: id, ProducerID: producerID, ProducerEpoch: epoch, Partitions: tps}}}).(*protocol.AddPartitionsToTxnResponse)
	return a.Results[0].Data[0].Err
}

func produceOf(id string, producerID int64, epoch int16, sequence int32, partition int32, v2 bool, ids ...string) *protocol.Produce {
	var rs []record.Record
	for _, r := range ids {
		rs = append(rs, record.Record{ID: r, Value: r, Timestamp: 0, Producer: -1})
	}
	b := record.NewBatch(rs).WithProducerState(producerID, epoch, sequence)
	b.IsTransactional = true
	return &protocol.Produce{Acks: protocol.AcksAll, Timeout: 30 * sim.Second, TransactionalID: id, TransactionV2: v2,
		Data: []protocol.ProduceData{{TP: orders1(partition), Batch: b}}}
}

func (tr *txnTrial) write(p *protocol.Produce) protocol.Error {
	tr.Helper()
	return tr.ask(int(p.Data[0].TP.Partition)+1, p).(*protocol.ProduceResponse).Data[0].Err
}

func (tr *txnTrial) end(id string, producerID int64, epoch int16, commit, v2 bool) *protocol.EndTxnResponse {
	tr.Helper()
	return tr.ask(tr.coordinator(), &protocol.EndTxn{TransactionalID: id, ProducerID: producerID, ProducerEpoch: epoch, Committed: commit, TransactionV2: v2}).(*protocol.EndTxnResponse)
}

// log gives what a broker has in a partition of orders, and its last stable offset.
func (tr *txnTrial) log(id int, partition int32) string {
	l := tr.broker(id).Replica(orders1(partition)).Log()
	var all []string
	for _, b := range l.Batches() {
		for i := range b.Records {
			all = append(all, b.Records[i].ID)
		}
	}
	return fmt.Sprintf("%s; LSO %d", strings.Join(all, " "), l.LastStableOffset())
}

func (tr *txnTrial) state(id string) string {
	k := tr.coordinator()
	if k == 0 {
		return "nobody knows"
	}
	for _, m := range tr.broker(k).TransactionCoordinator().Transactions(0) {
		if m.TransactionalID == id {
			return fmt.Sprintf("%s epoch %d", m.State, m.ProducerEpoch)
		}
	}
	return "unknown"
}

func (tr *txnTrial) want(what, got, want string) {
	tr.Helper()
	if got != want {
		tr.Errorf("%s: %q, want %q", what, got, want)
	}
}

// versions are the generations of the protocol of transactions.
var versions = []string{"0.11", "2.4", "2.8", "3.5", "3.9", "4.0", "4.2"}

func TestATransactionOverTwoPartitions(t *testing.T) {
	for _, version := range versions {
		for _, commit := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s commit=%v", version, commit), func(t *testing.T) {
				tr := newTxnTrial(t, version, planted.Set{})
				v2 := tr.rules.TransactionV2
				id, epoch := tr.init("t")
				if epoch != 0 {
					t.Fatalf("epoch %d", epoch)
				}
				if !v2 {
					if err := tr.add("t", id, epoch, orders1(0), orders1(1)); err != protocol.None {
						t.Fatal(err)
					}
				}
				for p := range int32(2) {
					if err := tr.write(produceOf("t", id, epoch, 0, p, v2, fmt.Sprintf("m%d", p))); err != protocol.None {
						t.Fatal(err)
					}
				}
				tr.want("open", tr.log(1, 0), "m0; LSO 0")
				tr.want("open", tr.state("t"), "Ongoing epoch 0")
				r := tr.end("t", id, epoch, commit, v2)
				if r.Err != protocol.None {
					t.Fatal(r.Err)
				}
				next, word, state := int16(0), "ABORT", "CompleteAbort"
				if commit {
					word, state = "COMMIT", "CompleteCommit"
				}
				if v2 {
					next = 1
					if r.ProducerID != id || r.ProducerEpoch != 1 {
						t.Errorf("answered %d, %d", r.ProducerID, r.ProducerEpoch)
					}
				}
				tr.until("all is complete", func() bool { return strings.HasPrefix(tr.state("t"), "Complete") })
				tr.pass(sim.Second)
				tr.want("state", tr.state("t"), fmt.Sprintf("%s epoch %d", state, next))
				for b := 1; b <= 3; b++ {
					for p := range int32(2) {
						tr.want("log", tr.log(b, p), fmt.Sprintf("m%d %s; LSO 2", p, word))
					}
				}
				if k := tr.broker(3).TransactionCoordinator(); k.Busy() {
					t.Error("something is still under way")
				}
			})
		}
	}
}

func TestANewProducerShutsOutTheOldOne(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			tr := newTxnTrial(t, version, planted.Set{})
			v2 := tr.rules.TransactionV2
			id, epoch := tr.init("t")
			tr.add("t", id, epoch, orders1(0))
			tr.write(produceOf("t", id, epoch, 0, 0, v2, "m1"))
			again, later := tr.init("t")
			if again != id || later <= epoch {
				t.Fatalf("the new producer has %d, %d; the old one %d, %d", again, later, id, epoch)
			}
			tr.want("log", tr.log(1, 0), "m1 ABORT; LSO 2")
			fenced := protocol.InvalidProducerEpoch
			if tr.rules.EpochErrorNotFatal {
				fenced = protocol.ProducerFenced
			}
			if r := tr.end("t", id, epoch, true, v2); r.Err != fenced {
				t.Errorf("EndTxn of the old producer: %v", r.Err)
			}
			if err := tr.add("t", id, epoch, orders1(1)); err != fenced {
				t.Errorf("AddPartitionsToTxn of the old producer: %v", err)
			}
			if err := tr.write(produceOf("t", id, epoch, 1, 0, v2, "m2")); err != protocol.InvalidProducerEpoch {
				t.Errorf("Produce of the old producer: %v", err)
			}
			tr.want("log", tr.log(1, 0), "m1 ABORT; LSO 2")
		})
	}
}

func TestATransactionThatIsOpenForTooLongIsAborted(t *testing.T) {
	for _, c := range []struct {
		version string
		within  sim.Time // the look for such transactions is every minute, from 2.5 on every ten seconds
		epoch   string
	}{{"0.11", 60 * sim.Second, "epoch 1"}, {"2.5", 10 * sim.Second, "epoch 1"}, {"4.0.0", 10 * sim.Second, "epoch 2"}, {"4.0.1", 10 * sim.Second, "epoch 1"}, {"4.1", 10 * sim.Second, "epoch 1"}} {
		t.Run(c.version, func(t *testing.T) {
			tr := newTxnTrial(t, c.version, planted.Set{})
			v2 := tr.rules.TransactionV2
			id, epoch := tr.init("t")
			tr.add("t", id, epoch, orders1(0))
			tr.write(produceOf("t", id, epoch, 0, 0, v2, "m1"))
			tr.pass(59 * sim.Second)
			tr.want("before", tr.state("t"), "Ongoing epoch 0")
			tr.pass(c.within + 2*sim.Second)
			tr.want("after", tr.state("t"), "CompleteAbort "+c.epoch)
			tr.want("log", tr.log(1, 0), "m1 ABORT; LSO 2")
		})
	}
}

// A producer's batch that comes after the abort of its transaction: up to 3.5 it opens one that nobody will
// close; from 3.6 on the leader asks first, and from 4.0 on the epoch is another (KAFKA-14402).
func TestABatchThatIsLateForItsTransaction(t *testing.T) {
	for _, c := range []struct {
		version, log string
		off          planted.Set
		settings     []string
		err          protocol.Error
	}{
		{version: "3.5", err: protocol.None, log: "ABORT m1; LSO 1"},
		{version: "3.6", err: protocol.InvalidTxnState, log: "ABORT; LSO 1"},
		{version: "3.9", err: protocol.TransactionAbortable, log: "ABORT; LSO 1"},
		{version: "3.9", settings: []string{"transaction.partition.verification.enable=false"}, err: protocol.None, log: "ABORT m1; LSO 1"},
		{version: "3.9", settings: []string{"rule:kip-890-1=off"}, err: protocol.None, log: "ABORT m1; LSO 1"},
		{version: "4.0", err: protocol.InvalidProducerEpoch, log: "ABORT; LSO 1"},
	} {
		t.Run(c.version+fmt.Sprint(c.settings), func(t *testing.T) {
			tr := newTxnTrial(t, c.version, c.off, c.settings...)
			v2 := tr.rules.TransactionV2
			id, epoch := tr.init("t")
			tr.add("t", id, epoch, orders1(0))
			if r := tr.end("t", id, epoch, false, v2); r.Err != protocol.None {
				t.Fatal(r.Err)
			}
			tr.until("the abort is complete", func() bool { return strings.HasPrefix(tr.state("t"), "CompleteAbort") })
			if err := tr.write(produceOf("t", id, epoch, 0, 0, v2, "m1")); err != c.err {
				t.Errorf("the late batch: %v, want %v", err, c.err)
			}
			tr.pass(sim.Second)
			tr.want("log", tr.log(1, 0), c.log)
		})
	}
}

// A transaction whose end is written goes on under the next coordinator, and no marker is missing.
func TestTheNextCoordinatorEndsWhatTheLastOneDecided(t *testing.T) {
	for _, version := range []string{"0.11", "3.5", "4.0"} {
		t.Run(version, func(t *testing.T) {
			tr := newTxnTrial(t, version, planted.Set{})
			v2 := tr.rules.TransactionV2
			id, epoch := tr.init("t")
			tr.add("t", id, epoch, orders1(0), orders1(1))
			tr.write(produceOf("t", id, epoch, 0, 0, v2, "m1"))
			n := len(tr.speaker().answers)
			tr.w.Command(tr.client, &say{3, &protocol.EndTxn{TransactionalID: "t", ProducerID: id, ProducerEpoch: epoch, Committed: true, TransactionV2: v2}})
			tr.until("the decision is written", func() bool { return strings.HasPrefix(tr.state("t"), "PrepareCommit") })
			tr.w.Kill(tr.dir.Node(3))
			tr.until("another broker coordinates", func() bool { k := tr.coordinator(); return k != 0 && k != 3 })
			tr.until("the commit is complete", func() bool { return strings.HasPrefix(tr.state("t"), "CompleteCommit") })
			tr.pass(5 * sim.Second)
			if len(tr.speaker().answers) == n && tr.speaker().lost == 0 {
				t.Error("the client has neither an answer nor a broken connection")
			}
			if got := tr.log(1, 0); !strings.HasPrefix(got, "m1 COMMIT") || strings.Contains(got, "ABORT") {
				t.Errorf("the log is %q", got)
			}
			if got := tr.log(2, 1); !strings.HasPrefix(got, "COMMIT") {
				t.Errorf("orders-1 is %q", got)
			}
		})
	}
}

// Markers follow the leader: the one that led when the transaction was decided is gone.
func TestMarkersAreSentAgainToTheNextLeader(t *testing.T) {
	for _, version := range []string{"0.11", "3.5", "4.0"} {
		t.Run(version, func(t *testing.T) {
			tr := newTxnTrial(t, version, planted.Set{})
			v2 := tr.rules.TransactionV2
			id, epoch := tr.init("t")
			tr.add("t", id, epoch, orders1(0))
			tr.write(produceOf("t", id, epoch, 0, 0, v2, "m1"))
			tr.w.Kill(tr.dir.Node(1))
			// In 3.5 the shrink of the ISR raises the leader epoch, and the coordinator begins anew while it writes.
			if r := tr.end("t", id, epoch, true, v2); r.Err != protocol.None && !(tr.rules.EpochBumpOnShrink && r.Err == protocol.NotCoordinator) {
				t.Fatal(r.Err)
			}
			tr.until("the commit is complete", func() bool { return strings.HasPrefix(tr.state("t"), "CompleteCommit") })
			tr.pass(5 * sim.Second)
			tr.want("log", tr.log(2, 0), "m1 COMMIT; LSO 2")
		})
	}
}

// A leader that does not know yet that it leads is not asked without end.
func TestMarkersForALeaderThatKnowsNothingAreSentAtAPace(t *testing.T) {
	tr := newTxnTrial(t, "2.6", planted.Set{})
	id, epoch := tr.init("t")
	tr.add("t", id, epoch, orders1(0))
	tr.write(produceOf("t", id, epoch, 0, 0, false, "m1"))
	for _, k := range tr.dir.Controllers {
		tr.w.Pause(k)
	}
	tr.w.Kill(tr.dir.Node(1))
	tr.w.Restart(tr.dir.Node(1))
	tr.pass(2 * sim.Minute) // it leaves the ISR, and the coordinator ends the transaction, whose time is over
	sent := func() (n int) {
		for i := range tr.w.Trace().Events {
			if _, ok := tr.w.Trace().Events[i].Event.(*event.MarkerSent); ok {
				n++
			}
		}
		return n
	}
	before := sent()
	tr.pass(sim.Second)
	if n := sent() - before; n < 10 || n > 25 {
		t.Errorf("the marker was sent %d times in a second", n)
	}
}

// The record that a transaction is complete is written again if its replication took too long: nothing else wakes the
// sender of markers then (TransactionMarkerChannelManager.txnLogAppendRetryQueue).
func TestACompletionThatCouldNotBeWrittenIsWrittenAgain(t *testing.T) {
	for _, version := range []string{"2.4", "3.9", "4.2"} {
		tr := newTxnTrial(t, version, planted.Set{})
		v2 := tr.rules.TransactionV2
		a := tr.ask(3, &protocol.InitProducerId{TransactionalID: "t", TransactionTimeout: 3 * sim.Second, ProducerID: -1, ProducerEpoch: -1}).(*protocol.InitProducerIdResponse)
		if a.Err != protocol.None {
			a = tr.ask(3, &protocol.InitProducerId{TransactionalID: "t", TransactionTimeout: 3 * sim.Second, ProducerID: -1, ProducerEpoch: -1}).(*protocol.InitProducerIdResponse)
		}
		id, epoch := a.ProducerID, a.ProducerEpoch
		tr.add("t", id, epoch, orders1(0))
		tr.write(produceOf("t", id, epoch, 0, 0, v2, "m1"))
		tr.end("t", id, epoch, true, v2)
		l := tr.broker(3).Replica(protocol.TopicPartition{Topic: transactioncoordinator.TopicName}).Log()
		n := l.LogEndOffset()
		tr.until("the completion is in the coordinator's log", func() bool { return l.LogEndOffset() > n })
		tr.w.Cut(tr.dir.Node(1), tr.dir.Node(3))
		tr.w.Cut(tr.dir.Node(2), tr.dir.Node(3))
		tr.pass(4 * sim.Second)
		tr.want("while nobody replicates", strings.Fields(tr.state("t"))[0], "PrepareCommit")
		tr.w.HealLinks()
		tr.until("the commit is complete", func() bool { return strings.HasPrefix(tr.state("t"), "CompleteCommit") })
	}
}

func TestPositionsCommittedWithATransaction(t *testing.T) {
	for _, version := range versions {
		for _, commit := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s commit=%v", version, commit), func(t *testing.T) {
				tr := newTxnTrial(t, version, planted.Set{})
				v2 := tr.rules.TransactionV2
				id, epoch := tr.init("t")
				if !v2 {
					if a := tr.ask(3, &protocol.AddOffsetsToTxn{TransactionalID: "t", ProducerID: id, ProducerEpoch: epoch, Group: "g"}).(*protocol.AddOffsetsToTxnResponse); a.Err != protocol.None {
						t.Fatal(a.Err)
					}
				}
				c := tr.ask(3, &protocol.TxnOffsetCommit{TransactionalID: "t", Group: "g", ProducerID: id, ProducerEpoch: epoch, Generation: -1, TransactionV2: v2,
					Data: []protocol.CommitData{{TP: orders1(0), Offset: 5, LeaderEpoch: -1}}}).(*protocol.TxnOffsetCommitResponse)
				if c.Data[0].Err != protocol.None {
					t.Fatal(c.Data[0].Err)
				}
				fetch := func() string {
					a := tr.ask(3, &protocol.OffsetFetch{Group: "g", Partitions: []protocol.TopicPartition{orders1(0)}}).(*protocol.OffsetFetchResponse)
					if a.Err != protocol.None {
						return a.Err.String()
					}
					return fmt.Sprint(a.Data[0].Offset)
				}
				open, after := "-1", "-1"
				if tr.rules.StableOffsets {
					open = "UNSTABLE_OFFSET_COMMIT"
				}
				if commit {
					after = "5"
				}
				tr.want("while it is open", fetch(), open)
				if r := tr.end("t", id, epoch, commit, v2); r.Err != protocol.None {
					t.Fatal(r.Err)
				}
				tr.until("all is complete", func() bool { return strings.HasPrefix(tr.state("t"), "Complete") })
				tr.want("afterwards", fetch(), after)
			})
		}
	}
}

// Guards of transactions, off one by one: each is missed.
func TestGuardsOfTransactionsAreNeeded(t *testing.T) {
	t.Run("coordinator-epoch-fencing", func(t *testing.T) {
		tr := newTxnTrial(t, "3.5", planted.Off(planted.CoordinatorEpochFencing))
		id, epoch := tr.init("t")
		tr.init("t")
		tr.add("t", id, epoch, orders1(0))
		if r := tr.end("t", id, epoch, true, false); r.Err != protocol.None {
			t.Errorf("the old producer's commit: %v", r.Err)
		}
	})
	t.Run("all-markers-written", func(t *testing.T) {
		tr := newTxnTrial(t, "3.5", planted.Off(planted.AllMarkersWritten))
		id, epoch := tr.init("t")
		tr.add("t", id, epoch, orders1(0), orders1(1))
		tr.write(produceOf("t", id, epoch, 0, 0, false, "m1"))
		tr.w.Kill(tr.dir.Node(1))
		tr.end("t", id, epoch, true, false)
		tr.pass(2 * sim.Second)
		if got := tr.state("t"); got != "CompleteCommit epoch 0" {
			t.Errorf("before broker 1 has its marker: %s", got)
		}
	})
	t.Run("markers-after-loading", func(t *testing.T) {
		tr := newTxnTrial(t, "3.5", planted.Off(planted.MarkersAfterLoading))
		id, epoch := tr.init("t")
		tr.add("t", id, epoch, orders1(0))
		tr.write(produceOf("t", id, epoch, 0, 0, false, "m1"))
		tr.w.Command(tr.client, &say{3, &protocol.EndTxn{TransactionalID: "t", ProducerID: id, ProducerEpoch: epoch, Committed: true}})
		tr.until("the decision is written", func() bool { return strings.HasPrefix(tr.state("t"), "PrepareCommit") })
		tr.w.Kill(tr.dir.Node(3))
		tr.until("another broker coordinates", func() bool { k := tr.coordinator(); return k != 0 && k != 3 })
		tr.pass(30 * sim.Second)
		tr.want("state", tr.state("t"), "PrepareCommit epoch 0")
	})
	t.Run("verification-guard", func(t *testing.T) {
		tr := newTxnTrial(t, "3.9", planted.Off(planted.VerificationGuard))
		id, epoch := tr.init("t")
		p := produceOf("t", id, epoch, 0, 0, false, "m1")
		p.TransactionalID = "" // so that nobody is asked
		if err := tr.write(p); err != protocol.None {
			t.Errorf("a batch that nobody has verified: %v", err)
		}
		faithful := newTxnTrial(t, "3.9", planted.Set{})
		id, epoch = faithful.init("t")
		p = produceOf("t", id, epoch, 0, 0, false, "m1")
		p.TransactionalID = ""
		if err := faithful.write(p); err != protocol.InvalidTxnState {
			t.Errorf("with the guard on: %v", err)
		}
	})
}

// Two runs of the same requests have the same trace.
func TestTransactionsAreDeterministic(t *testing.T) {
	run := func() (uint64, int) {
		tr := newTxnTrial(t, "4.0", planted.Set{})
		id, epoch := tr.init("t")
		tr.write(produceOf("t", id, epoch, 0, 0, true, "m1"))
		tr.write(produceOf("t", id, epoch, 0, 1, true, "m2"))
		tr.end("t", id, epoch, true, true)
		tr.pass(2 * sim.Second)
		n := 0
		events := tr.w.Trace().Events
		for i := range events {
			if event.KindOf(events[i].Event).Group == event.Transactions {
				n++
			}
		}
		return tr.w.Hash(), n
	}
	a, n := run()
	b, _ := run()
	if a != b {
		t.Error("two runs differ")
	}
	if n < 9 { // 4 states, 2 partitions, 2 markers sent and written, verified
		t.Errorf("%d events", n)
	}
}
