package model_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"kafkatrial/model"
	"kafkatrial/model/config"
	"kafkatrial/model/consumer"
	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/model/release"
	"kafkatrial/sim"
)

var (
	counting   = []consumer.Verb{consumer.Poll, consumer.Process, consumer.Update, consumer.Flush, consumer.Commit}
	countingIn = []consumer.Verb{consumer.Poll, consumer.Begin, consumer.Update, consumer.Flush, consumer.Process, consumer.SendOffsets, consumer.CommitTransaction}
	passing    = []consumer.Verb{consumer.Poll, consumer.Send, consumer.Flush, consumer.StorePosition}
	passingIn  = []consumer.Verb{consumer.Poll, consumer.Begin, consumer.Send, consumer.StorePosition, consumer.CommitTransaction}
)

// newStoring is a cluster with an application that has a store: with Update it counts what is in the topic in, which has
// two partitions; with StorePosition it passes on to out what is in table t of db. p writes in, other writes in
// transactions.
func newStoring(t *testing.T, app consumer.Application, settings ...string) *writing {
	t.Helper()
	v, err := release.Parse("4.0")
	if err != nil {
		t.Fatal(err)
	}
	set := func(values *config.Values, pairs ...string) *config.Values {
		for i := 0; i < len(pairs); i += 2 {
			if err := values.Set(pairs[i], pairs[i+1]); err != nil {
				t.Fatal(err)
			}
		}
		return values
	}
	on := func(n int) (all [][]protocol.BrokerID) { return slices.Repeat([][]protocol.BrokerID{{1}}, n) }
	spec := model.Spec{Version: v, Rules: release.Of(v), Brokers: 1, Controllers: 1, Config: config.New(config.Broker, v), Topics: []model.TopicSpec{
		{Name: "in", Replicas: on(2)}, {Name: "out", Replicas: on(1)}, {Name: "counts", Replicas: on(2)}}}
	spec.Producers = []model.ProducerSpec{{Name: "p", Config: config.New(config.Producer, v)},
		{Name: "other", Config: set(config.New(config.Producer, v), "transactional.id", "other", "transaction.timeout.ms", "20000")}}
	spec.Databases = []model.DatabaseSpec{{Name: "db"}}
	app.Group, app.ProcessTime, app.Store = "app", sim.Millisecond, &consumer.StateStore{Topic: "counts"}
	if slices.Contains(app.Loop, consumer.Mark) {
		app.Store = nil
	}
	if app.Store == nil || slices.Contains(app.Loop, consumer.StorePosition) {
		app.Source, app.Sends = &consumer.SourceTable{Name: "db", Table: "t"}, consumer.Sends{Topic: "out", Partition: -1}
	} else {
		app.Topics = []string{"in"}
	}
	app.Producer = config.New(config.Producer, v)
	if slices.Contains(app.Loop, consumer.Begin) {
		set(app.Producer, "transactional.id", "app-1")
	}
	reading := set(config.New(config.Consumer, v), append([]string{"auto.offset.reset", "earliest", "enable.auto.commit", "false", "isolation.level", "read_committed"}, settings...)...)
	spec.Consumers = []model.ConsumerSpec{{Name: "app", App: app, Config: reading}}
	w := &writing{T: t, c: model.New(spec)}
	w.app = w.c.Consumers()[0]
	runFor(w.c.World, 5*sim.Second)
	return w
}

// order has a producer send records named key+number, to the partition of in that is given.
func (w *writing) order(producer int, topic string, partition int32, ids ...string) {
	s := &protocol.SendCommand{Topic: topic, Partition: partition}
	for _, id := range ids {
		s.Records = append(s.Records, record.Record{ID: id, Value: "7", Key: id[:1], HasKey: true, Timestamp: record.NoTimestamp})
	}
	w.c.World.Command(w.c.Producers()[producer], &protocol.Command{Send: s})
}

func (w *writing) counts() string {
	var all []string
	for _, n := range w.c.Consumer(w.app).Counts() {
		all = append(all, fmt.Sprintf("%s=%d in %d", n.Key, n.Count, n.Partition))
	}
	return strings.Join(all, ", ")
}

// changes lists the values that the log of a partition of counts holds, whatever became of their transactions.
func (w *writing) changes(partition int32) string {
	tp := protocol.TopicPartition{Topic: "counts", Partition: partition}
	var all []string
	for _, b := range w.c.Leader(tp).Replica(tp).Log().Batches() {
		for i := range b.Records {
			if !b.IsControl {
				all = append(all, b.Records[i].ID+"="+b.Records[i].Value)
			}
		}
	}
	return strings.Join(all, " ")
}

func TestAStoreIsReadBackFromItsChangelog(t *testing.T) {
	w := newStoring(t, consumer.Application{Loop: counting})
	w.want("at first", w.counts(), "")
	w.order(0, "in", 0, "a1", "b1", "a2")
	w.order(0, "in", 1, "a3")
	runFor(w.c.World, 5*sim.Second)
	w.want("the store", w.counts(), "a=2 in 0, b=1 in 0, a=1 in 1")
	w.want("the changelog of in-0", w.changes(0), "a1.counts=1 b1.counts=1 a2.counts=2")
	w.want("the changelog of in-1", w.changes(1), "a3.counts=1")
	w.c.World.Kill(w.app)
	w.c.World.Restart(w.app)
	runFor(w.c.World, 5*sim.Second)
	w.want("read back", w.counts(), "b=1 in 0, a=2 in 0, a=1 in 1")
	w.order(0, "in", 1, "a4")
	runFor(w.c.World, 5*sim.Second)
	w.want("the next count", w.changes(1), "a3.counts=1 a4.counts=2")
}

// TestAnAbortedUpdateIsNotInTheStore: what the transaction had counted is in memory, and must go with it.
func TestAnAbortedUpdateIsNotInTheStore(t *testing.T) {
	w := newStoring(t, consumer.Application{Loop: countingIn, Fails: []consumer.FailingRecord{{Record: "a2", Times: 2}}})
	w.order(0, "in", 0, "a1")
	runFor(w.c.World, 5*sim.Second)
	w.order(0, "in", 0, "a2")
	runFor(w.c.World, 5*sim.Second)
	w.want("the store", w.counts(), "a=2 in 0")
	w.want("three transactions", w.changes(0), "a1.counts=1 a2.counts=2 a2.counts=2 a2.counts=2")
	if n := w.told(new(event.TxnAborted)); n != 2 {
		t.Errorf("%d aborted transactions", n)
	}
}

// TestAStoreIsReadBackToTheHighWatermark: a reader of committed records waits there for whatever is open, and another
// takes it as it is. The other transaction ends by its time-out.
func TestAStoreIsReadBackToTheHighWatermark(t *testing.T) {
	for _, test := range []struct{ isolation, during, after string }{
		{"read_committed", "", "a=1 in 0"},
		{"read_uncommitted", "a=8 in 0", "a=8 in 0"},
	} {
		w := newStoring(t, consumer.Application{Loop: counting}, "isolation.level", test.isolation)
		w.c.World.Kill(w.app)
		other := w.c.Producers()[1]
		w.c.World.Command(other, &protocol.Command{Transaction: protocol.InitTransactions})
		w.c.World.Command(other, &protocol.Command{Transaction: protocol.BeginTransaction})
		w.order(1, "counts", 0, "a0")
		w.order(0, "in", 0, "a1")
		runFor(w.c.World, 5*sim.Second)
		w.c.World.Restart(w.app)
		runFor(w.c.World, 5*sim.Second)
		w.want(test.isolation+", while it is open", w.counts(), test.during)
		runFor(w.c.World, 40*sim.Second)
		w.want(test.isolation+", afterwards", w.counts(), test.after)
	}
}

// TestAStoreIsReadBackWhileTheChangelogIsCut: the application does not wait for what is deleted while it reads, whenever
// that is.
func TestAStoreIsReadBackWhileTheChangelogIsCut(t *testing.T) {
	seen := map[string]bool{}
	for steps := range 8 {
		w := newStoring(t, consumer.Application{Loop: counting})
		w.order(0, "in", 0, "a1", "b1", "b2")
		runFor(w.c.World, 5*sim.Second)
		w.c.World.Kill(w.app)
		w.c.World.Restart(w.app)
		for n := 0; n < steps || w.c.Consumer(w.app) == nil || w.c.Consumer(w.app).State() < consumer.Restoring; n++ {
			w.c.World.Resolve(0)
		}
		for range steps {
			w.c.World.Resolve(0)
		}
		tp := protocol.TopicPartition{Topic: "counts"}
		w.c.World.Command(w.c.Directory.Node(w.c.Leader(tp).ID()), &protocol.Command{DeleteRecords: &protocol.DeleteRecordsCommand{TP: tp, Before: 1}})
		runFor(w.c.World, 5*sim.Second)
		seen[w.counts()] = true
	}
	if len(seen) != 2 || !seen["b=2 in 0"] || !seen["a=1 in 0, b=2 in 0"] {
		t.Errorf("the stores are %v", seen)
	}
}

func (w *writing) rows(ids ...string) {
	in := &protocol.InsertRowsCommand{Table: "t"}
	for _, id := range ids {
		in.Records = append(in.Records, record.Record{ID: id, Value: id, Timestamp: record.NoTimestamp})
	}
	w.c.World.Command(w.c.Databases()[0], &protocol.Command{InsertRows: in})
}

func (w *writing) passedOn() string {
	w.Helper()
	ids, _, _ := strings.Cut(w.written(), " @")
	return ids
}

func TestTheSourcePositionIsReadBack(t *testing.T) {
	for _, loop := range [][]consumer.Verb{passing, passingIn} {
		w := newStoring(t, consumer.Application{Loop: loop})
		w.rows("m1", "m2")
		runFor(w.c.World, 5*sim.Second)
		w.want("passed on", w.passedOn(), "m1 m2")
		w.c.World.Kill(w.app)
		w.rows("m3")
		w.c.World.Restart(w.app)
		runFor(w.c.World, 5*sim.Second)
		w.want("and no more than that again", w.passedOn(), "m1 m2 m3")
		if _, after := w.c.Consumer(w.app).Reads(); after != 3 {
			t.Errorf("the position is %d", after)
		}
	}
}

// TestACrashBeforeTheSourcePosition: the row is passed on again, unless both are one transaction.
func TestACrashBeforeTheSourcePosition(t *testing.T) {
	for _, test := range []struct {
		loop []consumer.Verb
		pc   int64
		want string
	}{{passing, 3, "m1 m1"}, {passingIn, 4, "m1"}} {
		w := newStoring(t, consumer.Application{Loop: test.loop})
		w.rows("m1")
		for w.c.Consumer(w.app).PC() != int(test.pc) {
			if _, more := w.c.World.Pending(); !more {
				t.Fatal("the application did not come to it")
			}
			w.c.World.Resolve(0)
		}
		runFor(w.c.World, sim.Microsecond)
		w.c.World.Kill(w.app)
		w.c.World.Restart(w.app)
		runFor(w.c.World, 5*sim.Second)
		w.want("passed on", w.passedOn(), test.want)
	}
}

// TestAnAbortOfASourceRewindsIt: the rows of an aborted transaction come again.
func TestAnAbortOfASourceRewindsIt(t *testing.T) {
	marking := []consumer.Verb{consumer.Poll, consumer.Begin, consumer.Send, consumer.Process, consumer.CommitTransaction, consumer.Mark}
	for _, loop := range [][]consumer.Verb{slices.Insert(slices.Clone(passingIn), 3, consumer.Process), marking} {
		w := newStoring(t, consumer.Application{Loop: loop, Fails: []consumer.FailingRecord{{Record: "m2", Times: 1}}})
		w.rows("m1")
		runFor(w.c.World, 5*sim.Second)
		w.rows("m2")
		runFor(w.c.World, 5*sim.Second)
		w.want("passed on", w.passedOn(), "m1 m2")
	}
}
