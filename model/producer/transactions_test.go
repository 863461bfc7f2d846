package producer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"kafkatrial/model/config"
	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/model/release"
	"kafkatrial/sim"
)

// coordinator is a broker that leads everything and coordinates everybody. It answers each request of a kind with the
// next error of its table, and well once the table is used up.
type coordinator struct {
	errors map[string][]protocol.Error
	silent bool // it answers no Produce
	epoch  int16
	got    []string
	who    *protocol.BrokerID // who coordinates; nil: this one
}

func (b *coordinator) Start(*sim.Env)                    {}
func (b *coordinator) Timer(*sim.Env, sim.Timer)         {}
func (b *coordinator) Disconnected(*sim.Env, sim.ConnID) {}

func (b *coordinator) next(kind, what string) protocol.Error {
	b.got = append(b.got, kind+what)
	e := b.errors[kind]
	if len(e) == 0 {
		return protocol.None
	}
	b.errors[kind] = e[1:]
	return e[0]
}

func (b *coordinator) Receive(env *sim.Env, d sim.Delivery) {
	var answer sim.Message
	switch m := d.Msg.(type) {
	case *protocol.ApiVersions:
		answer = &protocol.ApiVersionsResponse{Correlation: m.Correlation}
	case *protocol.Metadata:
		answer = &protocol.MetadataResponse{Correlation: m.Correlation, Live: []protocol.BrokerID{1}, Partitions: []protocol.PartitionState{
			{TP: protocol.TopicPartition{Topic: "orders"}, Leader: 1}}}
	case *protocol.FindCoordinator:
		r := &protocol.FindCoordinatorResponse{Correlation: m.Correlation, Coordinator: 1, Err: b.next("Find", " "+m.Key)}
		if b.who != nil {
			r.Coordinator = *b.who
		}
		answer = r
	case *protocol.InitProducerId:
		r := &protocol.InitProducerIdResponse{Correlation: m.Correlation, ProducerID: 7, Err: b.next("Init", fmt.Sprintf(" %d/%d", m.ProducerID, m.ProducerEpoch))}
		r.ProducerEpoch = b.epoch
		b.epoch++
		answer = r
	case *protocol.AddPartitionsToTxn:
		t := &m.Transactions[0]
		answer = &protocol.AddPartitionsToTxnResponse{Correlation: m.Correlation, Results: []protocol.AddPartitionsToTxnResult{{TransactionalID: t.TransactionalID,
			Data: []protocol.CommitResult{{TP: t.Partitions[0], Err: b.next("AddPartitions", "")}}}}}
	case *protocol.AddOffsetsToTxn:
		answer = &protocol.AddOffsetsToTxnResponse{Correlation: m.Correlation, Err: b.next("AddOffsets", " "+m.Group)}
	case *protocol.TxnOffsetCommit:
		answer = &protocol.TxnOffsetCommitResponse{Correlation: m.Correlation, Data: []protocol.CommitResult{{TP: m.Data[0].TP,
			Err: b.next("OffsetCommit", fmt.Sprintf(" %d", m.Data[0].Offset))}}}
	case *protocol.EndTxn:
		r := &protocol.EndTxnResponse{Correlation: m.Correlation, ProducerID: -1, ProducerEpoch: -1}
		word := " abort"
		if m.Committed {
			word = " commit"
		}
		if r.Err = b.next("End", word); r.Err == protocol.None && m.TransactionV2 {
			r.ProducerID, r.ProducerEpoch = 7, b.epoch
			b.epoch++
		}
		answer = r
	case *protocol.Produce:
		if b.silent {
			return
		}
		batch := m.Data[0].Batch
		answer = &protocol.ProduceResponse{Correlation: m.Correlation, Data: []protocol.ProduceResult{{TP: m.Data[0].TP, LogStartOffset: -1,
			Err: b.next("Produce", fmt.Sprintf(" %s e%d s%d txn %v", batch.Records[0].ID, batch.ProducerEpoch, batch.BaseSequence, batch.IsTransactional))}}}
	}
	env.Send(d.Conn, answer)
}

// transact runs commands against a coordinator until nothing is left to do, and gives what it got and what the
// application was told.
func transact(t *testing.T, version string, errors map[string][]protocol.Error, calls ...protocol.Command) (got, told string) {
	t.Helper()
	return transactAs(t, Application{}, version, errors, calls...)
}

func transactAs(t *testing.T, app Application, version string, errors map[string][]protocol.Error, calls ...protocol.Command) (got, told string) {
	t.Helper()
	got, told, _ = transactWith(t, app, nil, version, errors, calls...)
	return got, told
}

func transactWith(t *testing.T, app Application, settings [][2]string, version string, errors map[string][]protocol.Error, calls ...protocol.Command) (got, told string, steps int) {
	t.Helper()
	v, err := release.Parse(version)
	if err != nil {
		t.Fatal(err)
	}
	rules := release.Of(v)
	values := config.New(config.Producer, v)
	for _, kv := range append([][2]string{{"transactional.id", "t"}, {"acks", "all"}, {"max.block.ms", "5000"}, {"linger.ms", "0"}}, settings...) {
		if err := values.Set(kv[0], kv[1]); err != nil {
			t.Fatal(err)
		}
	}
	_, silent := errors["no answer to Produce"]
	b := &coordinator{errors: errors, epoch: 0, silent: silent}
	dir := &protocol.Directory{Brokers: []sim.NodeID{0}, ZooKeeper: sim.Nobody}
	w := sim.New(sim.Config{MessageNames: protocol.MessageNames, TimerNames: protocol.TimerNames, Horizon: 200 * sim.Second, MaxSteps: 100_000, Nodes: []sim.NodeSpec{
		{Name: "b1", New: func() sim.Node { return b }},
		{Name: "p", New: func() sim.Node { return New(values, dir, &rules, app) }}}})
	until := func(at sim.Time) {
		for w.NextAt() <= at {
			if _, more := w.Pending(); !more {
				break
			}
			w.Resolve(0)
		}
	}
	until(sim.Second) // the process has started
	for i := range calls {
		if calls[i] == (protocol.Command{}) { // the application does something else for a while
			at := w.Now() + 100*sim.Millisecond
			until(at)
			w.AdvanceTo(at)
			continue
		}
		w.Command(1, &calls[i])
	}
	until(60 * sim.Second)
	var out []string
	for _, f := range w.Trace().Events {
		switch e := f.Event.(type) {
		case *event.TxnCommitted:
			out = append(out, "committed")
		case *event.TxnAborted:
			out = append(out, "aborted")
		case *event.TxnFailed:
			out = append(out, fmt.Sprintf("%s: %v", e.Call, e.Err))
		case *event.RecordRejected:
			out = append(out, fmt.Sprintf("send: %v", e.Err))
		case *event.BatchFailed:
			out = append(out, fmt.Sprintf("send: %v", e.Err))
		case *event.ProducerFailed:
			out = append(out, "fatal")
		case *event.TxnAbortable:
			out = append(out, "abortable")
		}
	}
	return strings.Join(b.got, ", "), strings.Join(out, ", "), w.Steps()
}

var (
	initCall   = protocol.Command{Transaction: protocol.InitTransactions}
	beginCall  = protocol.Command{Transaction: protocol.BeginTransaction}
	commitCall = protocol.Command{Transaction: protocol.CommitTransaction}
	abortCall  = protocol.Command{Transaction: protocol.AbortTransaction}
	sendCall   = protocol.Command{Send: &protocol.SendCommand{Topic: "orders", Partition: 0, Records: []record.Record{{ID: "m1"}}}}
	offsetCall = protocol.Command{SendOffsets: &protocol.SendOffsetsCommand{Group: "g", Generation: -1,
		Data: []protocol.CommitData{{TP: protocol.TopicPartition{Topic: "input"}, Offset: 5}}}}
)

// What goes to whom, and in which order. With transactions v2 the leaders and the group's coordinator tell the
// transaction's themselves, and every transaction has another epoch.
func TestTheRequestsOfATransaction(t *testing.T) {
	twice := []protocol.Command{initCall, beginCall, sendCall, offsetCall, commitCall, beginCall, sendCall, {Flush: true}, abortCall}
	for version, want := range map[string]string{
		"3.9": "Find t, Init -1/-1, AddOffsets g, AddPartitions, Find g, OffsetCommit 5, Produce m1 e0 s0 txn true, End commit, AddPartitions, Produce m1 e0 s1 txn true, End abort",
		"4.0": "Find t, Init -1/-1, Find g, OffsetCommit 5, Produce m1 e0 s0 txn true, End commit, Produce m1 e1 s0 txn true, End abort",
	} {
		got, told := transact(t, version, nil, twice...)
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", version, got, want)
		}
		if !strings.HasPrefix(told, "committed") || !strings.HasSuffix(told, "aborted") {
			t.Errorf("%s: the application was told %q", version, told)
		}
	}
}

// Nobody is told of a transaction in which nothing was sent.
func TestAnEmptyTransactionIsNobodysAffair(t *testing.T) {
	got, told := transact(t, "3.9", nil, initCall, beginCall, commitCall)
	if got != "Find t, Init -1/-1" || told != "committed" {
		t.Errorf("got %s; told %s", got, told)
	}
}

// The three classes of errors: sent again, the transaction is lost, the producer is lost.
func TestWhatErrorsMeanForATransaction(t *testing.T) {
	end := func(e ...protocol.Error) map[string][]protocol.Error { return map[string][]protocol.Error{"End": e} }
	produce := func(e ...protocol.Error) map[string][]protocol.Error {
		return map[string][]protocol.Error{"Produce": e}
	}
	add := func(e ...protocol.Error) map[string][]protocol.Error {
		return map[string][]protocol.Error{"AddPartitions": e}
	}
	for _, c := range []struct {
		version string
		errors  map[string][]protocol.Error
		want    string
	}{
		{"3.9", end(protocol.ConcurrentTransactions, protocol.CoordinatorLoadInProgress), "committed"},
		{"3.9", end(protocol.NotCoordinator), "committed"},
		{"3.9", add(protocol.ConcurrentTransactions), "committed"},
		{"3.9", end(protocol.InvalidTxnState), "fatal, commitTransaction: INVALID_TXN_STATE, abortTransaction: INVALID_TXN_STATE"},
		{"3.9", end(protocol.InvalidProducerEpoch), "fatal, commitTransaction: PRODUCER_FENCED, abortTransaction: PRODUCER_FENCED"},
		{"3.9", add(protocol.ProducerFenced), "fatal, commitTransaction: PRODUCER_FENCED, abortTransaction: PRODUCER_FENCED, send: PRODUCER_FENCED"},
		{"3.9", produce(protocol.InvalidProducerEpoch), "abortable, send: INVALID_PRODUCER_EPOCH, commitTransaction: INVALID_PRODUCER_EPOCH, aborted"},
		{"2.5", produce(protocol.InvalidProducerEpoch), "fatal, send: INVALID_PRODUCER_EPOCH, commitTransaction: PRODUCER_FENCED, abortTransaction: PRODUCER_FENCED"},
		{"3.9", produce(protocol.MessageTooLarge), "abortable, send: MESSAGE_TOO_LARGE, commitTransaction: MESSAGE_TOO_LARGE, aborted"},
		{"4.0", produce(protocol.TransactionAbortable), "abortable, send: TRANSACTION_ABORTABLE, commitTransaction: TRANSACTION_ABORTABLE, aborted"},
		{"3.9", end(protocol.UnknownProducerID), "abortable, commitTransaction: UNKNOWN_PRODUCER_ID, aborted"},
		{"2.4", end(protocol.UnknownProducerID), "fatal, commitTransaction: UNKNOWN_PRODUCER_ID, abortTransaction: UNKNOWN_PRODUCER_ID"},
	} {
		calls := []protocol.Command{initCall, beginCall, sendCall, commitCall}
		if c.want != "committed" {
			calls = append(calls, abortCall)
		}
		if _, told := transact(t, c.version, c.errors, calls...); told != c.want {
			t.Errorf("%s %v:\ntold %s\nwant %s", c.version, c.errors, told, c.want)
		}
	}
}

// After a batch that failed the epoch is raised once the transaction is aborted (KIP-360): by the coordinator, since
// it is the one who fences. Not so if the commit was asked for already.
func TestAnAbortedTransactionRaisesTheEpoch(t *testing.T) {
	for version, want := range map[string]string{"2.4": "End abort", "2.5": "Init 7/0", "3.9": "Init 7/0", "4.0": "End abort"} {
		refused := func() map[string][]protocol.Error {
			return map[string][]protocol.Error{"Produce": {protocol.MessageTooLarge}}
		}
		if got, told := transact(t, version, refused(), initCall, beginCall, sendCall, protocol.Command{Flush: true}, abortCall); !strings.HasSuffix(got, want) || !strings.HasSuffix(told, "aborted") {
			t.Errorf("%s: %s; want %s at the end; told %s", version, got, want, told)
		}
		if got, _ := transact(t, version, refused(), initCall, beginCall, sendCall, commitCall, abortCall); !strings.HasSuffix(got, "End abort") {
			t.Errorf("%s: %s; want End abort at the end", version, got)
		}
	}
}

// Calls out of their place are refused, and nothing is sent.
func TestTransactionCallsOutOfPlace(t *testing.T) {
	for _, c := range []struct {
		calls []protocol.Command
		want  string
	}{
		{[]protocol.Command{beginCall}, "beginTransaction: IllegalStateException"},
		{[]protocol.Command{initCall, commitCall}, "commitTransaction: IllegalStateException"},
		{[]protocol.Command{initCall, beginCall, beginCall, commitCall}, "beginTransaction: IllegalStateException, committed"},
		{[]protocol.Command{initCall, sendCall}, "send: IllegalStateException"},
	} {
		if _, told := transact(t, "3.9", nil, c.calls...); told != c.want {
			t.Errorf("told %s, want %s", told, c.want)
		}
	}
}

// A record that send() refuses by itself, as one that is too large, belongs to the transaction as well: from 3.2 on
// it can only be aborted, and the epoch is raised as after any failed batch. Before, the commit went through
// without the record (KAFKA-9279).
func TestARecordThatIsTooLargeEndsTheTransaction(t *testing.T) {
	large := protocol.Command{Send: &protocol.SendCommand{Topic: "orders", Partition: 0,
		Records: []record.Record{{ID: "m2", Value: strings.Repeat("x", 2<<20)}}}}
	for version, want := range map[string]struct{ got, told string }{
		"3.1": {"End commit", "send: MESSAGE_TOO_LARGE, committed, abortTransaction: IllegalStateException"},
		"3.2": {"Init 7/0", "abortable, send: MESSAGE_TOO_LARGE, commitTransaction: MESSAGE_TOO_LARGE, aborted"},
		"4.0": {"End abort", "abortable, send: MESSAGE_TOO_LARGE, commitTransaction: MESSAGE_TOO_LARGE, aborted"},
	} {
		got, told := transact(t, version, nil, initCall, beginCall, sendCall, protocol.Command{Flush: true}, large, commitCall, abortCall)
		if !strings.HasSuffix(got, want.got) || told != want.told {
			t.Errorf("%s: %s; want %s at the end\ntold %s\nwant %s", version, got, want.got, told, want.told)
		}
	}
}

// A coordinator that can not be reached any more is looked for again, also if the first answers still name it.
func TestTheCoordinatorIsLookedForAgain(t *testing.T) {
	v, _ := release.Parse("3.9")
	rules := release.Of(v)
	values := config.New(config.Producer, v)
	for _, kv := range [][2]string{{"transactional.id", "t"}, {"acks", "all"}, {"linger.ms", "0"}} {
		if err := values.Set(kv[0], kv[1]); err != nil {
			t.Fatal(err)
		}
	}
	who := protocol.BrokerID(2)
	first, second := &coordinator{who: &who}, &coordinator{who: &who}
	dir := &protocol.Directory{Brokers: []sim.NodeID{0, 1}, ZooKeeper: sim.Nobody}
	w := sim.New(sim.Config{MessageNames: protocol.MessageNames, TimerNames: protocol.TimerNames, Horizon: 200 * sim.Second, Nodes: []sim.NodeSpec{
		{Name: "b1", New: func() sim.Node { return first }}, {Name: "b2", New: func() sim.Node { return second }},
		{Name: "p", New: func() sim.Node { return New(values, dir, &rules, Application{}) }}}})
	until := func(at sim.Time) {
		for w.NextAt() <= at {
			if _, more := w.Pending(); !more {
				break
			}
			w.Resolve(0)
		}
	}
	until(sim.Second)
	for _, c := range []protocol.Command{initCall, beginCall, sendCall, {Flush: true}} {
		w.Command(2, &c)
	}
	until(2 * sim.Second)
	w.Kill(1)
	w.Command(2, &commitCall)
	until(6 * sim.Second)
	if slices.ContainsFunc(first.got, func(s string) bool { return strings.HasPrefix(s, "End") }) {
		t.Fatalf("b1 is asked for the end while b2 is named: %v", first.got)
	}
	who = 1
	until(20 * sim.Second)
	if n := len(first.got); first.got[n-1] != "End commit" {
		t.Errorf("b1 got %v", first.got)
	}
	if n := len(first.got); n > 80 {
		t.Errorf("b1 was asked %d times in 18 seconds", n)
	}
}

// m1 expires while its second attempt is out, and is aborted; the error for that attempt comes in the next transaction. Up to
// 3.5 it ends that one too (KAFKA-14831).
func TestALateErrorInTheNextTransaction(t *testing.T) {
	settings := [][2]string{{"delivery.timeout.ms", "1000"}, {"request.timeout.ms", "600"}}
	calls := []protocol.Command{beginCall, sendCall}
	wait := func(tenths int) { calls = append(calls, make([]protocol.Command, tenths)...) }
	wait(11)
	calls = append(calls, abortCall, beginCall)
	wait(4)
	calls = append(calls, commitCall)
	const before = "abortable, send: TimeoutException, aborted, "
	for version, want := range map[string]string{
		"2.5.1": before + "abortable, commitTransaction: NETWORK_EXCEPTION, aborted",
		"3.5":   before + "abortable, commitTransaction: REQUEST_TIMED_OUT, aborted",
		"3.6.0": before + "committed", "4.0.0": before + "committed",
	} {
		silent := map[string][]protocol.Error{"no answer to Produce": nil}
		if _, told, _ := transactWith(t, Application{OnError: Abort}, settings, version, silent, calls...); told != want {
			t.Errorf("%s: told %s; want %s", version, told, want)
		}
	}
}
