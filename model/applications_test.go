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

// writing is a small cluster with one application that reads in-0, processes and writes out-0, and a producer that fills
// in-0. Broker 2 coordinates transactions, so that it can be cut off alone.
type writing struct {
	*testing.T
	c   *model.Cluster
	app sim.NodeID
}

var (
	inTransaction = []consumer.Verb{consumer.Poll, consumer.Begin, consumer.Process, consumer.Send, consumer.SendOffsets, consumer.CommitTransaction}
	plainly       = []consumer.Verb{consumer.Poll, consumer.Process, consumer.Send, consumer.Flush, consumer.Commit}
	in0           = protocol.TopicPartition{Topic: "in"}
)

func newWriting(t *testing.T, version string, app consumer.Application, settings ...string) *writing {
	t.Helper()
	v, err := release.Parse(version)
	if err != nil {
		t.Fatal(err)
	}
	all := []protocol.BrokerID{1}
	spec := model.Spec{Version: v, Rules: release.Of(v), Brokers: 2, Controllers: 1, Config: config.New(config.Broker, v), Topics: []model.TopicSpec{
		{Name: "in", Replicas: [][]protocol.BrokerID{all}}, {Name: "out", Replicas: [][]protocol.BrokerID{all}},
		{Name: "__consumer_offsets", Replicas: [][]protocol.BrokerID{all}}, {Name: "__transaction_state", Replicas: [][]protocol.BrokerID{{2}}}}}
	spec.Producers = []model.ProducerSpec{{Name: "p", Config: config.New(config.Producer, v)}}
	app.Group, app.Topics, app.ProcessTime = "app", []string{"in"}, sim.Millisecond
	if app.Sends.Topic == "" {
		app.Sends = consumer.Sends{Topic: "out", Partition: -1}
	}
	app.Producer = config.New(config.Producer, v)
	if slices.Contains(app.Loop, consumer.Begin) {
		settings = append(settings, "transactional.id", "app-1")
		successor := config.New(config.Producer, v) // of the same name
		if err := successor.Set("transactional.id", "app-1"); err != nil {
			t.Fatal(err)
		}
		spec.Producers = append(spec.Producers, model.ProducerSpec{Name: "successor", Config: successor})
	}
	strict := config.New(config.Topic, v)
	if err := strict.Set("min.insync.replicas", "2"); err != nil {
		t.Fatal(err)
	}
	spec.Topics = append(spec.Topics, model.TopicSpec{Name: "strict", Replicas: [][]protocol.BrokerID{{1, 2}}, Config: strict})
	for i := 0; i < len(settings); i += 2 {
		if err := app.Producer.Set(settings[i], settings[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	reading := config.New(config.Consumer, v)
	for _, s := range [][2]string{{"auto.offset.reset", "earliest"}, {"enable.auto.commit", "false"}} {
		if err := reading.Set(s[0], s[1]); err != nil {
			t.Fatal(err)
		}
	}
	spec.Consumers = []model.ConsumerSpec{{Name: "app", App: app, Config: reading}}
	w := &writing{T: t, c: model.New(spec)}
	w.app = w.c.Consumers()[0]
	runFor(w.c.World, 5*sim.Second)
	return w
}

func (w *writing) send(ids ...string) {
	cmd := &protocol.SendCommand{Topic: "in", Partition: 0}
	for _, id := range ids {
		cmd.Records = append(cmd.Records, record.Record{ID: id, Value: id, Timestamp: record.NoTimestamp})
	}
	w.c.World.Command(w.c.Producers()[0], &protocol.Command{Send: cmd})
}

// until lets the run go on until the application tells an event of this kind.
func (w *writing) until(kind event.Event) {
	w.Helper()
	for n := len(w.c.World.Trace().Events); ; {
		for events := w.c.World.Trace().Events; n < len(events); n++ {
			if event.KindOf(events[n].Event) == kind.Kind() && events[n].Node == w.app {
				return
			}
		}
		if _, more := w.c.World.Pending(); !more || w.c.World.Now() > 10*sim.Minute {
			w.Fatal("the application did not come to it")
		}
		w.c.World.Resolve(0)
	}
}

// written lists the records that are in effect in out-0, and the committed position of in-0.
func (w *writing) written() string {
	w.Helper()
	if moving := w.c.Moving(); len(moving) > 0 {
		w.Errorf("still moving: %v", moving)
	}
	var ids []string
	log := w.c.Leader(protocol.TopicPartition{Topic: "out"}).Replica(protocol.TopicPartition{Topic: "out"}).Log()
	open := map[int64][]string{}
	for _, b := range log.Batches() {
		switch {
		case b.IsControl:
			if !b.Marker.Abort {
				ids = append(ids, open[b.ProducerID]...)
			}
			open[b.ProducerID] = nil
		case b.IsTransactional:
			for i := range b.Records {
				open[b.ProducerID] = append(open[b.ProducerID], b.Records[i].ID)
			}
		default:
			for i := range b.Records {
				ids = append(ids, b.Records[i].ID)
			}
		}
	}
	committed := int64(-1)
	for _, f := range w.c.World.Trace().Events {
		if e, ok := f.Event.(*event.OffsetsCommitted); ok && e.TP == in0 {
			committed = e.Offset
		}
	}
	return fmt.Sprintf("%s @%d", strings.Join(ids, " "), committed)
}

func (w *writing) want(what, got, want string) {
	w.Helper()
	if got != want {
		w.Errorf("%s: got %q, want %q", what, got, want)
	}
}

// told counts the events of a kind that the application has told.
func (w *writing) told(kind event.Event) (n int) {
	for _, f := range w.c.World.Trace().Events {
		if event.KindOf(f.Event) == kind.Kind() && f.Node == w.app {
			n++
		}
	}
	return n
}

// unique says that no two calls of send, and no two transactions, of one life of the application bear the same number.
func (w *writing) unique() {
	w.Helper()
	seen := map[string]bool{}
	for _, f := range w.c.World.Trace().Events {
		key := ""
		switch e := f.Event.(type) {
		case *event.RecordSent:
			key = fmt.Sprint("send ", e.Submission)
		case *event.TxnBegan:
			key = fmt.Sprint("transaction ", e.Number)
		}
		if key == "" || f.Node != w.app {
			continue
		}
		if seen[key] {
			w.Errorf("the number of %s is given twice", key)
		}
		seen[key] = true
	}
}

func TestAnApplicationReadsProcessesAndWrites(t *testing.T) {
	for _, version := range []string{"0.11", "2.5", "3.9", "4.0"} {
		for _, loop := range [][]consumer.Verb{inTransaction, plainly} {
			t.Run(fmt.Sprint(version, loop[1]), func(t *testing.T) {
				w := newWriting(t, version, consumer.Application{Loop: loop})
				w.send("m1", "m2")
				runFor(w.c.World, 5*sim.Second)
				w.send("m3")
				runFor(w.c.World, 5*sim.Second)
				w.want("written", w.written(), "m1.out m2.out m3.out @3")
			})
		}
	}
}

// What the application's own code throws in a transaction it catches: it aborts, and goes back to the committed position, or
// does not (KAFKA-17582).
func TestAnAbortRewindsOnlyIfTheApplicationDoes(t *testing.T) {
	for _, tc := range []struct {
		on      consumer.OnAbort
		nothing bool // is committed before
		want    string
	}{{consumer.Rewind, false, "m0.out m1.out m2.out m3.out @4"}, {consumer.GoOn, false, "m0.out m3.out @4"},
		{consumer.Rewind, true, "m1.out m2.out m3.out @3"}, {consumer.GoOn, true, "m3.out @3"}} {
		w := newWriting(t, "3.9", consumer.Application{Loop: inTransaction, OnAbort: tc.on, Fails: []consumer.FailingRecord{{Record: "m2", Times: 1}}})
		if !tc.nothing {
			w.send("m0")
			runFor(w.c.World, sim.Second)
		}
		w.send("m1", "m2")
		runFor(w.c.World, 5*sim.Second)
		w.send("m3")
		runFor(w.c.World, 5*sim.Second)
		w.want("written", w.written(), tc.want)
		if w.told(new(event.ConsumerFailed)) > 0 || w.told(new(event.TxnAborted)) != 1 {
			t.Errorf("%d exceptions left the loop, %d transactions were aborted", w.told(new(event.ConsumerFailed)), w.told(new(event.TxnAborted)))
		}
	}
}

// Without a transaction an exception leaves the loop, and with RestartAfter the application begins anew in the same process.
func TestAnExceptionOutsideOfATransactionLeavesTheLoop(t *testing.T) {
	w := newWriting(t, "3.9", consumer.Application{Loop: plainly, RestartAfter: sim.Second, Fails: []consumer.FailingRecord{{Record: "m2", Times: 2}}})
	w.send("m1", "m2")
	runFor(w.c.World, 20*sim.Second)
	w.want("written", w.written(), "m1.out m2.out @2")
	if n := w.told(new(event.ConsumerFailed)); n != 2 {
		t.Errorf("%d exceptions left the loop", n)
	}
	w.unique()
}

// The script's throw leaves the loop wherever it stands, and close aborts the transaction.
func TestWhatLeavesTheLoopAbortsTheTransaction(t *testing.T) {
	w := newWriting(t, "3.9", consumer.Application{Loop: inTransaction, RestartAfter: sim.Second})
	w.send("m1")
	w.until(new(event.TxnOffsetsSent))
	w.c.World.Command(w.app, &protocol.Command{Throw: true})
	runFor(w.c.World, 20*sim.Second)
	w.want("written", w.written(), "m1.out @1")
	if w.told(new(event.TxnInitialized)) != 2 || w.told(new(event.TxnBegan)) != 2 {
		t.Errorf("initTransactions returned %d times, %d transactions", w.told(new(event.TxnInitialized)), w.told(new(event.TxnBegan)))
	}
	w.unique()
}

func TestAnOpenCommitIsAskedForAgainOrDoneAgain(t *testing.T) {
	for _, version := range []string{"2.5", "3.9", "4.0"} {
		for _, tc := range []struct {
			on   consumer.OnUnknown
			want string
		}{{consumer.Retry, "m1.out m2.out @2"}, {consumer.Redo, "m1.out m1.out m2.out @2"}} {
			w := newWriting(t, version, consumer.Application{Loop: inTransaction, OnUnknown: tc.on})
			w.send("m1")
			w.until(new(event.BatchAcked))
			runFor(w.c.World, 1500*sim.Microsecond) // EndTxn is at the coordinator
			w.c.World.CutBoth(w.app, w.c.Directory.Node(2))
			runFor(w.c.World, 70*sim.Second)
			if w.told(new(event.CallRepeated))+w.told(new(event.CommitRedone)) != 1 {
				t.Error("the commit did not run into its time-out")
			}
			w.c.World.HealLinks()
			runFor(w.c.World, 10*sim.Second)
			w.send("m2")
			runFor(w.c.World, 10*sim.Second)
			w.want(version, w.written(), tc.want)
			w.unique()
		}
	}
}

// A call that runs into its time-out at once is not made again in the same moment.
func TestACallThatThrowsAtOnceIsMadeAgainLater(t *testing.T) {
	w := newWriting(t, "4.0", consumer.Application{Loop: inTransaction}, "max.block.ms", "0")
	runFor(w.c.World, sim.Second)
	if n := w.told(new(event.CallRepeated)); n < 2 || n > 1001 {
		t.Errorf("initTransactions was called again %d times in a second", n)
	}
	w.c.World.Command(w.app, &protocol.Command{Throw: true})
	runFor(w.c.World, 10*sim.Second)
	if w.c.Consumer(w.app) != nil {
		t.Error("the process runs after an exception")
	}
}

// A fatal exception is not for abortTransaction: another producer has the transactional.id.
func TestAFencedApplicationEnds(t *testing.T) {
	for _, version := range []string{"0.11", "2.5", "4.0"} {
		w := newWriting(t, version, consumer.Application{Loop: inTransaction})
		w.send("m1")
		w.until(new(event.TxnOffsetsSent))
		w.c.World.Pause(w.app)
		w.c.World.Command(w.c.Producers()[1], &protocol.Command{Transaction: protocol.InitTransactions})
		runFor(w.c.World, 10*sim.Second)
		w.c.World.Resume(w.app)
		runFor(w.c.World, 40*sim.Second)
		if w.told(new(event.ProducerFailed)) != 1 || w.told(new(event.ConsumerFailed)) != 1 || w.told(new(event.TxnAborted)) != 0 {
			t.Errorf("%s: the producer failed %d times, %d exceptions left the loop, %d aborts", version, w.told(new(event.ProducerFailed)), w.told(new(event.ConsumerFailed)), w.told(new(event.TxnAborted)))
		}
		w.want(version, w.written(), " @-1")
	}
}

// What the callback of a send has told without a transaction, flush does not throw; the application looks at it.
func TestAFailedSendIsSeenAfterFlush(t *testing.T) {
	w := newWriting(t, "3.9", consumer.Application{Loop: plainly, Sends: consumer.Sends{Topic: "strict", Partition: 0}}, "enable.idempotence", "false", "retries", "0", "acks", "all")
	w.c.World.Kill(w.c.Directory.Node(2))
	runFor(w.c.World, sim.Minute)
	w.send("m1")
	runFor(w.c.World, 10*sim.Second)
	if w.told(new(event.ConsumerFailed)) != 1 || w.told(new(event.CommitSent)) != 0 || w.told(new(event.BatchFailed)) != 1 {
		t.Errorf("%d batches failed, %d exceptions left the loop", w.told(new(event.BatchFailed)), w.told(new(event.ConsumerFailed)))
	}
}

// An exception of send ends the verb: the records behind it are not sent.
func TestAnExceptionOfSendEndsTheVerb(t *testing.T) {
	w := newWriting(t, "3.9", consumer.Application{Loop: inTransaction, OnAbort: consumer.GoOn}, "max.request.size", "150")
	w.send(strings.Repeat("m", 200), "m2")
	runFor(w.c.World, 5*sim.Second)
	if w.told(new(event.RecordSent)) != 1 || w.told(new(event.TxnAborted)) != 1 {
		t.Errorf("send was called %d times, %d transactions were aborted", w.told(new(event.RecordSent)), w.told(new(event.TxnAborted)))
	}
}

// An exception in the midst of a call of the producer leaves the call, and closes.
func TestThrowLeavesACallThatWaits(t *testing.T) {
	w := newWriting(t, "3.9", consumer.Application{Loop: inTransaction})
	w.send("m1")
	w.until(new(event.BatchAcked))
	w.c.World.CutBoth(w.app, w.c.Directory.Node(2))
	runFor(w.c.World, sim.Second)
	if s := w.c.Consumer(w.app).State(); s != consumer.Calling {
		t.Fatalf("the application is %v, and waits for no call", s)
	}
	w.c.World.Command(w.app, &protocol.Command{Throw: true})
	runFor(w.c.World, 70*sim.Second)
	w.c.World.HealLinks()
	runFor(w.c.World, 10*sim.Second)
	if w.told(new(event.TxnFailed)) != 0 || w.c.Consumer(w.app) != nil {
		t.Errorf("%d calls failed, the process runs: %t", w.told(new(event.TxnFailed)), w.c.Consumer(w.app) != nil)
	}
}

// An application that is told to close while its poll waits for a database closes when the answer has come.
func TestCloseWhilePollWaitsForPositionsOfADatabase(t *testing.T) {
	w := newStoring(t, consumer.Application{Loop: counting, Database: &consumer.DatabaseUse{Name: "db", Table: "t"}, Resume: consumer.FromDatabase})
	w.c.World.Kill(w.app)
	w.c.World.CutBoth(w.app, w.c.Databases()[0])
	w.c.World.Restart(w.app)
	runFor(w.c.World, sim.Second)
	if s := w.c.Consumer(w.app).State(); s != consumer.Asking {
		t.Fatalf("the application is %v", s)
	}
	w.c.World.Command(w.app, &protocol.Command{Close: true})
	runFor(w.c.World, sim.Second)
	w.c.World.HealLinks()
	runFor(w.c.World, sim.Minute)
	if k := w.c.Consumer(w.app); k != nil {
		t.Errorf("it runs on, and is %v", k.State())
	}
}
