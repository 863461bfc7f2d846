package transactioncoordinator

import (
	"reflect"
	"slices"
	"testing"

	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/model/release"
	"kafkatrial/sim"
)

var (
	orders0 = protocol.TopicPartition{Topic: "orders", Partition: 0}
	orders1 = protocol.TopicPartition{Topic: "orders", Partition: 1}
)

// harness is what a broker does around a coordinator. Writes are replicated at once unless hold is set.
type harness struct {
	t       *testing.T
	c       *TransactionCoordinator
	rules   release.Rules
	clock   sim.Time
	batches []*record.RecordBatch
	hold    bool
	held    []Append
	fail    protocol.Error // of the next write
	answers []sim.Message
	sent    []MarkerRequest
	events  []sim.Event
	leaders map[protocol.TopicPartition]protocol.BrokerID
	nextID  int64
}

func (h *harness) GenerateProducerID() (int64, protocol.Error) {
	h.nextID++
	return h.nextID, protocol.None
}

func (h *harness) Leader(tp protocol.TopicPartition) (protocol.BrokerID, bool) {
	b, known := h.leaders[tp]
	return b, known
}

func newHarness(t *testing.T, version string, off ...planted.Guard) *harness {
	t.Helper()
	v, err := release.Parse(version)
	if err != nil {
		t.Fatal(err)
	}
	h := &harness{t: t, rules: release.Of(v), clock: sim.Second, nextID: 6,
		leaders: map[protocol.TopicPartition]protocol.BrokerID{orders0: 1, orders1: 2}}
	cfg := DefaultConfig
	cfg.Planted = planted.Off(off...)
	h.c = New(cfg, &h.rules)
	h.c.OnElection(0, 1)
	h.do(h.c.OnLoaded(h.clock, 0, 1, nil, 0))
	return h
}

func (h *harness) do(e Effects) {
	for _, a := range e.Answers {
		h.answers = append(h.answers, a.Msg)
	}
	h.sent = append(h.sent, e.Requests...)
	h.events = append(h.events, e.Events...)
	for _, a := range e.Appends {
		var end int64
		if n := len(h.batches); n > 0 {
			end = h.batches[n-1].NextOffset()
		}
		switch {
		case h.fail != protocol.None:
			err := h.fail
			h.fail = protocol.None
			h.do(h.c.OnAppendFailed(h.clock, a.ID, err))
		case h.hold:
			h.held = append(h.held, a)
		default:
			h.batches = append(h.batches, a.Batch.WithOffset(end, 1))
			h.do(h.c.OnCommitted(h.clock, a.ID))
		}
	}
	if e.Wakeup {
		h.do(h.c.GenerateRequests(h.clock, h, func(protocol.BrokerID) bool { return true }))
	}
}

// release replicates what was held.
func (h *harness) release() {
	h.hold = false
	held := h.held
	h.held = nil
	for _, a := range held {
		h.do(h.c.OnCommitted(h.clock, a.ID))
	}
}

func (h *harness) last() sim.Message {
	h.t.Helper()
	if len(h.answers) == 0 {
		h.t.Fatal("there is no answer")
	}
	return h.answers[len(h.answers)-1]
}

func (h *harness) init(id int64, epoch int16) *protocol.InitProducerIdResponse {
	h.t.Helper()
	h.do(h.c.HandleInitProducerId(h.clock, 1, &protocol.InitProducerId{TransactionalID: "t", TransactionTimeout: sim.Minute, ProducerID: id, ProducerEpoch: epoch}, h))
	return h.last().(*protocol.InitProducerIdResponse)
}

func (h *harness) add(id int64, epoch int16, verify bool, tps ...protocol.TopicPartition) protocol.Error {
	h.t.Helper()
	n := len(h.answers)
	h.do(h.c.HandleAddPartitionsToTxn(h.clock, 1, &protocol.AddPartitionsToTxn{FromBroker: h.rules.TransactionV2, Transactions: []protocol.AddPartitionsToTxnTransaction{
		{TransactionalID: "t", ProducerID: id, ProducerEpoch: epoch, VerifyOnly: verify, Partitions: tps}}}, h))
	if len(h.answers) == n {
		return protocol.None // it is being written
	}
	return h.last().(*protocol.AddPartitionsToTxnResponse).Results[0].Data[0].Err
}

func (h *harness) end(id int64, epoch int16, commit bool) *protocol.EndTxnResponse {
	h.t.Helper()
	h.do(h.c.HandleEndTxn(h.clock, 1, &protocol.EndTxn{TransactionalID: "t", ProducerID: id, ProducerEpoch: epoch, Committed: commit, TransactionV2: h.rules.TransactionV2}, h))
	return h.last().(*protocol.EndTxnResponse)
}

// write answers the markers that were sent to a broker, each with err.
func (h *harness) write(to protocol.BrokerID, err protocol.Error) {
	h.t.Helper()
	i := slices.IndexFunc(h.sent, func(r MarkerRequest) bool { return r.To == to })
	if i < 0 {
		h.t.Fatalf("nothing was sent to broker %d", to)
	}
	r := h.sent[i]
	h.sent = slices.Delete(h.sent, i, i+1)
	res := &protocol.WriteTxnMarkersResponse{}
	for _, m := range r.Markers {
		one := protocol.TxnMarkerResult{ProducerID: m.ProducerID}
		for _, tp := range m.Partitions {
			one.Data = append(one.Data, protocol.CommitResult{TP: tp, Err: err})
		}
		res.Results = append(res.Results, one)
	}
	h.do(h.c.OnMarkersAnswered(h.clock, to, res))
}

func (h *harness) state() State {
	h.t.Helper()
	all := h.c.Transactions(0)
	if len(all) != 1 {
		h.t.Fatalf("%d transactional.ids are known", len(all))
	}
	return all[0].State
}

func TestADelayedEndTxn(t *testing.T) {
	for _, c := range []struct {
		version      string
		late, itself protocol.Error // the answers to the delayed commit of the first transaction, and to the abort of the second
		state        State
	}{
		{"3.9", protocol.None, protocol.InvalidTxnState, CompleteCommit}, // KAFKA-17754: it commits the second one
		{"4.0", protocol.ProducerFenced, protocol.None, PrepareAbort},
	} {
		h := newHarness(t, c.version)
		a := h.init(-1, -1)
		id, epoch := a.ProducerID, a.ProducerEpoch
		h.add(id, epoch, false, orders0)
		r := h.end(id, epoch, true)
		h.write(1, protocol.None)
		if r.Err != protocol.None || h.state() != CompleteCommit {
			t.Fatalf("%s: %v %v", c.version, r.Err, h.state())
		}
		next := epoch
		if h.rules.TransactionV2 {
			next = r.ProducerEpoch
		}
		h.add(id, next, false, orders0) // the second transaction
		if late := h.end(id, epoch, true); late.Err != c.late {
			t.Errorf("%s: the delayed commit is answered %v, want %v", c.version, late.Err, c.late)
		}
		if len(h.sent) > 0 {
			h.write(1, protocol.None)
		}
		if own := h.end(id, next, false); own.Err != c.itself {
			t.Errorf("%s: the abort is answered %v, want %v", c.version, own.Err, c.itself)
		}
		if h.state() != c.state {
			t.Errorf("%s: %v, want %v", c.version, h.state(), c.state)
		}
	}
}

func TestNothingOvertakesATransitionThatIsBeingWritten(t *testing.T) {
	for _, guarded := range []bool{true, false} {
		var off []planted.Guard
		want := protocol.ConcurrentTransactions
		if !guarded {
			off, want = []planted.Guard{planted.PendingTransition}, protocol.None
		}
		h := newHarness(t, "3.9", off...)
		a := h.init(-1, -1)
		h.add(a.ProducerID, a.ProducerEpoch, false, orders0)
		h.hold = true
		h.add(a.ProducerID, a.ProducerEpoch, false, orders1)
		h.hold = false
		if r := h.end(a.ProducerID, a.ProducerEpoch, true); r.Err != want {
			t.Errorf("guarded=%v: %v, want %v", guarded, r.Err, want)
		}
		if guarded {
			h.release()
			if r := h.end(a.ProducerID, a.ProducerEpoch, true); r.Err != protocol.None || len(h.sent) != 2 {
				t.Errorf("afterwards: %v, sent %v", r.Err, h.sent)
			}
		}
	}
}

func TestATransactionIsCompleteWhenAllMarkersAreWritten(t *testing.T) {
	h := newHarness(t, "3.9")
	a := h.init(-1, -1)
	h.add(a.ProducerID, a.ProducerEpoch, false, orders0, orders1)
	h.end(a.ProducerID, a.ProducerEpoch, true)
	h.write(1, protocol.NotLeaderOrFollower)
	if len(h.sent) != 2 {
		t.Fatalf("sent again: %v", h.sent)
	}
	h.write(2, protocol.None)
	if h.state() != PrepareCommit {
		t.Fatalf("%v with a marker missing", h.state())
	}
	// Broker 1 is gone: the marker waits, then goes to the next leader.
	h.leaders[orders0] = protocol.NoBroker
	h.sent = nil
	h.do(h.c.OnMarkersLost(1))
	if len(h.sent) != 0 || !h.c.Waiting() {
		t.Fatalf("sent %v without a leader", h.sent)
	}
	h.leaders[orders0] = 3
	h.do(h.c.GenerateRequests(h.clock, h, func(protocol.BrokerID) bool { return true }))
	h.write(3, protocol.None)
	if h.state() != CompleteCommit || h.c.Busy() {
		t.Errorf("%v, busy %v", h.state(), h.c.Busy())
	}
}

func TestOneRequestToABrokerAtATime(t *testing.T) {
	h := newHarness(t, "3.9")
	a := h.init(-1, -1)
	h.add(a.ProducerID, a.ProducerEpoch, false, orders0)
	h.end(a.ProducerID, a.ProducerEpoch, true)
	h.do(h.c.HandleInitProducerId(h.clock, 1, &protocol.InitProducerId{TransactionalID: "u", TransactionTimeout: sim.Minute, ProducerID: -1, ProducerEpoch: -1}, h))
	u := h.last().(*protocol.InitProducerIdResponse)
	h.do(h.c.HandleAddPartitionsToTxn(h.clock, 1, &protocol.AddPartitionsToTxn{Transactions: []protocol.AddPartitionsToTxnTransaction{
		{TransactionalID: "u", ProducerID: u.ProducerID, ProducerEpoch: u.ProducerEpoch, Partitions: []protocol.TopicPartition{orders0}}}}, h))
	h.do(h.c.HandleEndTxn(h.clock, 1, &protocol.EndTxn{TransactionalID: "u", ProducerID: u.ProducerID, ProducerEpoch: u.ProducerEpoch}, h))
	if len(h.sent) != 1 {
		t.Fatalf("%d requests under way", len(h.sent))
	}
	h.write(1, protocol.None)
	if len(h.sent) != 1 || h.sent[0].Markers[0].Committed || h.sent[0].Markers[0].ProducerID != u.ProducerID {
		t.Errorf("then %+v", h.sent)
	}
}

func TestStateRecords(t *testing.T) {
	m := TransactionMetadata{TransactionalID: "a b", ProducerID: 7, PreviousProducerID: 6, NextProducerID: 8, ProducerEpoch: 3, LastProducerEpoch: 2,
		TimeoutMs: 60000, State: PrepareAbort, PendingState: NoState, Partitions: []protocol.TopicPartition{orders0, {Topic: "a-b", Partition: 12}},
		StartMs: 5, LastUpdateMs: 9, ClientVersion: V2}
	for _, v2 := range []bool{true, false} {
		next := m.unchanged(m.State)
		next.PreviousProducerID, next.NextProducerID = m.PreviousProducerID, m.NextProducerID
		r := stateRecord(m.TransactionalID, &next, v2, 9)
		got, ok := readStateRecord(&r)
		want := m
		want.LastProducerEpoch = -1 // in no version written
		if !v2 {
			want.PreviousProducerID, want.NextProducerID, want.ClientVersion = -1, -1, V0
		}
		if !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("v2=%v: %q reads %+v, want %+v", v2, r.Value, got, want)
		}
	}
	for _, bad := range []string{"", "Nowhere producer=1", "Empty producer=x", "Empty", "Ongoing producer=1 partitions=orders", "Empty producer=1 color=2"} {
		if m, ok := readStateRecord(&record.Record{Key: "t", HasKey: true, Value: bad}); ok {
			t.Errorf("%q reads %+v", bad, m)
		}
	}
}

// A coordinator that takes over knows what is in the log, also what it has not replicated itself.
func TestLoading(t *testing.T) {
	h := newHarness(t, "3.9")
	a := h.init(-1, -1)
	h.add(a.ProducerID, a.ProducerEpoch, false, orders0)
	h.end(a.ProducerID, a.ProducerEpoch, false)
	h.c.OnResignation(0, 2)
	if r := h.end(a.ProducerID, a.ProducerEpoch, false); r.Err != protocol.NotCoordinator {
		t.Errorf("after the resignation: %v", r.Err)
	}
	if !h.c.OnElection(0, 3) || h.c.OnElection(0, 3) {
		t.Error("the election")
	}
	if r := h.end(a.ProducerID, a.ProducerEpoch, false); r.Err != protocol.CoordinatorLoadInProgress {
		t.Errorf("while it loads: %v", r.Err)
	}
	h.write(1, protocol.None) // the answer to what was sent before: nobody waits for it any more
	h.do(h.c.OnLoaded(h.clock, 0, 3, h.batches, 0))
	if len(h.sent) != 1 || h.sent[0].Markers[0].CoordinatorEpoch != 3 || h.sent[0].Markers[0].Committed {
		t.Fatalf("sent %+v", h.sent)
	}
	h.write(1, protocol.None)
	if h.state() != CompleteAbort {
		t.Error(h.state())
	}
}

func TestAnExpiredIDThatCouldNotBeRemoved(t *testing.T) {
	for _, c := range []struct {
		version string
		want    protocol.Error
	}{{"1.1", protocol.ConcurrentTransactions}, {"2.1", protocol.None}} { // KAFKA-7519
		h := newHarness(t, c.version)
		h.init(-1, -1)
		h.clock += 8 * 24 * 60 * sim.Minute
		h.fail = protocol.NotEnoughReplicas
		h.do(h.c.RemoveExpiredTransactionalIds(h.clock))
		if a := h.init(-1, -1); a.Err != c.want {
			t.Errorf("%s: %v, want %v", c.version, a.Err, c.want)
		}
	}
	h := newHarness(t, "3.9")
	a := h.init(-1, -1)
	h.clock += 8 * 24 * 60 * sim.Minute
	h.do(h.c.RemoveExpiredTransactionalIds(h.clock))
	if err := h.add(a.ProducerID, a.ProducerEpoch, false, orders0); err != protocol.InvalidProducerIDMapping {
		t.Errorf("the forgotten producer: %v", err)
	}
	if b := h.init(-1, -1); b.ProducerID == a.ProducerID || b.ProducerEpoch != 0 {
		t.Errorf("the id comes back with %d, %d", b.ProducerID, b.ProducerEpoch)
	}
}

func TestWhatAProducerIsToldByRelease(t *testing.T) {
	for _, c := range []struct {
		version        string
		fenced, absent protocol.Error
		identity       protocol.Error // to a producer that names an epoch that is over (KIP-360)
	}{
		{"0.11", protocol.InvalidProducerEpoch, protocol.InvalidTxnState, protocol.None},
		{"2.5", protocol.InvalidProducerEpoch, protocol.InvalidTxnState, protocol.InvalidProducerEpoch},
		{"2.7", protocol.ProducerFenced, protocol.InvalidTxnState, protocol.ProducerFenced},
		{"3.7", protocol.ProducerFenced, protocol.InvalidTxnState, protocol.ProducerFenced},
		{"3.8", protocol.ProducerFenced, protocol.TransactionAbortable, protocol.ProducerFenced},
	} {
		h := newHarness(t, c.version)
		h.init(-1, -1)
		a := h.init(-1, -1)
		if err := h.add(a.ProducerID, a.ProducerEpoch-1, false, orders0); err != c.fenced {
			t.Errorf("%s: the older epoch: %v, want %v", c.version, err, c.fenced)
		}
		h.add(a.ProducerID, a.ProducerEpoch, false, orders0)
		if err := h.add(a.ProducerID, a.ProducerEpoch, true, orders1); err != c.absent {
			t.Errorf("%s: verified %v, want %v", c.version, err, c.absent)
		}
		h.end(a.ProducerID, a.ProducerEpoch, true)
		h.write(1, protocol.None)
		if b := h.init(a.ProducerID, a.ProducerEpoch-1); b.Err != c.identity {
			t.Errorf("%s: InitProducerId with the older epoch: %v, want %v", c.version, b.Err, c.identity)
		}
	}
}

func TestAddingPartitionsThatDoNotExist(t *testing.T) {
	h := newHarness(t, "3.9")
	a := h.init(-1, -1)
	nowhere := protocol.TopicPartition{Topic: "nowhere"}
	h.add(a.ProducerID, a.ProducerEpoch, false, orders0, nowhere)
	data := h.last().(*protocol.AddPartitionsToTxnResponse).Results[0].Data
	if data[0].Err != protocol.OperationNotAttempted || data[1].Err != protocol.UnknownTopicOrPartition || h.state() != Empty {
		t.Errorf("%v, %v", data, h.state())
	}
}

// When the epochs of a producer id are used up, another id follows.
func TestEpochsAreUsedUp(t *testing.T) {
	h := newHarness(t, "3.9")
	m := newMetadata("t", 6, 60000, 0)
	m.ProducerEpoch = 32766
	h.c.OnElection(0, 2)
	h.do(h.c.AddLoadedTransactions(h.clock, 0, 2, []TransactionMetadata{m}))
	if a := h.init(-1, -1); a.ProducerID != 7 || a.ProducerEpoch != 0 {
		t.Errorf("%+v", a)
	}
	// Of the id before, only the last epoch may come again: its producer may not have got the answer.
	if b := h.init(6, 32765); b.Err != protocol.ProducerFenced {
		t.Errorf("%+v", b)
	}
}

// A producer that names what it has goes on after an error, and may ask twice (KIP-360).
func TestAProducerThatNamesItsIdentity(t *testing.T) {
	h := newHarness(t, "3.9")
	a := h.init(-1, -1)
	b := h.init(a.ProducerID, a.ProducerEpoch)
	if again := h.init(a.ProducerID, a.ProducerEpoch); b.ProducerEpoch != a.ProducerEpoch+1 || again.ProducerEpoch != b.ProducerEpoch || again.Err != protocol.None {
		t.Errorf("epoch %d, then %d, and the same request again: %+v", a.ProducerEpoch, b.ProducerEpoch, again)
	}
	if other := h.init(a.ProducerID+1, b.ProducerEpoch); other.Err != protocol.ProducerFenced {
		t.Errorf("with a producer id that is another's: %+v", other)
	}
	if half := h.init(a.ProducerID, -1); half.Err != protocol.InvalidRequest {
		t.Errorf("with an id and no epoch: %+v", half)
	}
}

func TestATransactionMayLastAsLongAsItsTimeout(t *testing.T) {
	h := newHarness(t, "3.9")
	a := h.init(-1, -1)
	h.add(a.ProducerID, a.ProducerEpoch, false, orders0)
	h.clock += sim.Minute
	h.do(h.c.AbortTimedOutTransactions(h.clock, h))
	if h.state() != Ongoing {
		t.Errorf("after transaction.timeout.ms, to the millisecond: %v", h.state())
	}
	h.clock += sim.Millisecond
	h.do(h.c.AbortTimedOutTransactions(h.clock, h))
	if h.state() != PrepareAbort {
		t.Errorf("a millisecond later: %v", h.state())
	}
}

// A leader that knows a newer epoch of the producer, or a newer coordinator: the marker is not sent again.
func TestAMarkerThatIsRefusedIsDropped(t *testing.T) {
	for _, err := range []protocol.Error{protocol.InvalidProducerEpoch, protocol.TransactionCoordinatorFenced} {
		h := newHarness(t, "3.9")
		a := h.init(-1, -1)
		h.add(a.ProducerID, a.ProducerEpoch, false, orders0)
		h.end(a.ProducerID, a.ProducerEpoch, true)
		h.write(1, err)
		if len(h.sent) != 0 || h.c.Busy() || h.state() != PrepareCommit {
			t.Errorf("%v: sent %v, %v", err, h.sent, h.state())
		}
	}
}

// A write that is replicated after another election is nobody's: its client asks who coordinates now.
func TestAWriteOfAnEarlierElection(t *testing.T) {
	h := newHarness(t, "3.9")
	a := h.init(-1, -1)
	h.hold = true
	h.add(a.ProducerID, a.ProducerEpoch, false, orders0)
	h.c.OnElection(0, 2)
	h.do(h.c.OnLoaded(h.clock, 0, 2, h.batches, 0))
	n := len(h.answers)
	h.release()
	if len(h.answers) != n+1 {
		t.Fatal("no answer")
	}
	if err := h.last().(*protocol.AddPartitionsToTxnResponse).Results[0].Data[0].Err; err != protocol.NotCoordinator || h.state() != Empty {
		t.Errorf("%v, %v", err, h.state())
	}
}

// The coordinator of 4.0 raises the epoch of a transaction it aborts itself twice, once to shut the producer
// out and once because every end does; from 4.1 once (KAFKA-19367).
func TestAnAbortByTheCoordinatorRaisesTheEpoch(t *testing.T) {
	for version, by := range map[string]int16{"4.0.0": 2, "4.0.1": 1, "4.1": 1} {
		h := newHarness(t, version)
		a := h.init(-1, -1)
		h.add(a.ProducerID, a.ProducerEpoch, false, orders0)
		h.clock += sim.Minute + sim.Millisecond
		h.do(h.c.AbortTimedOutTransactions(h.clock, h))
		if got := h.c.Transactions(0)[0].ProducerEpoch - a.ProducerEpoch; got != by || h.state() != PrepareAbort {
			t.Errorf("%s: the epoch was raised by %d, want %d; %v", version, got, by, h.state())
		}
	}
}

// TestAnAbortOfTheProducerOvertakesAFence: while the epoch is about to be raised to shut the producer out, its own abort may come
// first. It is one end, and raises the epoch once, also in 4.0.0: what the fence would have raised was never taken over. The
// abort that the fence leads to meets the transition then.
//
// Kafka: TransactionCoordinator.endTransaction, isEpochFence with isFromClient (4.0.0 to 4.3.1).
func TestAnAbortOfTheProducerOvertakesAFence(t *testing.T) {
	for _, version := range []string{"4.0.0", "4.0.1", "4.4"} {
		h := newHarness(t, version)
		a := h.init(-1, -1)
		h.add(a.ProducerID, a.ProducerEpoch, false, orders0)
		m := &h.c.state.partitions[0].transactions[0]
		fence, err := m.PrepareFenceProducerEpoch(&h.rules)
		if err != protocol.None {
			t.Fatal(err)
		}
		h.hold = true
		if h.do(h.c.HandleEndTxn(h.clock, 1, &protocol.EndTxn{TransactionalID: "t", ProducerID: a.ProducerID, ProducerEpoch: a.ProducerEpoch, TransactionV2: true}, h)); len(h.held) != 1 {
			t.Fatalf("%s: the producer's abort is not being written", version)
		}
		h.c.endTransaction(h.clock.Ms(), endTxn{id: "t", producerID: fence.ProducerID, producerEpoch: fence.ProducerEpoch, version: V2, from: fromInitProducerID}, 2, 7, h)
		h.do(h.c.take())
		if got := h.last().(*protocol.InitProducerIdResponse).Err; got != protocol.ConcurrentTransactions {
			t.Errorf("%s: the fence is told %v", version, got)
		}
		if h.release(); m.ProducerEpoch != a.ProducerEpoch+1 || m.LastProducerEpoch != a.ProducerEpoch || m.State != PrepareAbort {
			t.Errorf("%s: epoch %d after %d, before that %d, %v", version, m.ProducerEpoch, a.ProducerEpoch, m.LastProducerEpoch, m.State)
		}
	}
}

// TestAnotherFenceBetweenTwoLookUps: who aborts a transaction for a producer that begins, or for its time-out, looks the
// transactional.id up once to raise the epoch, and again to end the transaction. If the epoch is above that by then, another has
// raised it, and nothing is aborted. In Kafka another thread comes between the two; here they are one step, so the test is the
// other thread.
//
// Kafka: TransactionCoordinatorTest.shouldFailToAbortTransactionOnHandleInitPidWhenProducerEpochIsSmaller,
// shouldNotAcceptSmallerEpochDuringTransactionExpiration.
func TestAnotherFenceBetweenTwoLookUps(t *testing.T) {
	for _, from := range []endedBy{fromInitProducerID, fromTimeout} {
		for _, version := range []string{"2.4", "3.9", "4.0.0", "4.4"} {
			h := newHarness(t, version)
			a := h.init(-1, -1)
			h.add(a.ProducerID, a.ProducerEpoch, false, orders0)
			m := &h.c.state.partitions[0].transactions[0]
			fence, err := m.PrepareFenceProducerEpoch(&h.rules)
			if err != protocol.None {
				t.Fatal(err)
			}
			m.ProducerEpoch += 2
			written, answered := len(h.batches), len(h.answers)
			h.c.endTransaction(h.clock.Ms(), endTxn{id: "t", producerID: fence.ProducerID, producerEpoch: fence.ProducerEpoch, version: h.c.serverVersion(), from: from}, 1, 7, h)
			if h.do(h.c.take()); len(h.batches) > written || m.State != Ongoing {
				t.Errorf("%s: the transaction was aborted by whoever has the lower epoch", version)
			}
			want := h.c.toClient(protocol.ProducerFenced)
			switch told := len(h.answers) - answered; {
			case from == fromTimeout && told != 0:
				t.Errorf("%s: a time-out has answered somebody", version)
			case from == fromInitProducerID && (told != 1 || h.last().(*protocol.InitProducerIdResponse).Err != want):
				t.Errorf("%s: the producer was told %v, want %v", version, h.answers[answered:], want)
			}
		}
	}
}

// TestInitProducerIDWithoutATransactionalID: null is an idempotent producer's, and gets a new id; empty is refused.
func TestInitProducerIDWithoutATransactionalID(t *testing.T) {
	for _, version := range []string{"0.11", "2.5", "4.4"} {
		h := newHarness(t, version)
		ask := func(req protocol.InitProducerId) *protocol.InitProducerIdResponse {
			req.ProducerID, req.ProducerEpoch, req.Correlation = -1, -1, 9
			h.do(h.c.HandleInitProducerId(h.clock, 1, &req, h))
			return h.last().(*protocol.InitProducerIdResponse)
		}
		if got := ask(protocol.InitProducerId{}); got.Err != protocol.None || got.ProducerID != 7 || got.ProducerEpoch != 0 || got.Correlation != 9 {
			t.Errorf("%s: null is answered %+v", version, got)
		}
		if got := ask(protocol.InitProducerId{EmptyID: true, TransactionTimeout: sim.Minute}); got.Err != protocol.InvalidRequest {
			t.Errorf("%s: an empty one is answered %+v", version, got)
		}
		if len(h.batches) > 0 || len(h.c.Transactions(0)) > 0 {
			t.Errorf("%s: a producer without transactions has left something with the coordinator", version)
		}
	}
}

// TestTheCoordinatorsClockGoesBack: up to 2.4 no transaction begins before the last one did, by the coordinator's clock
// (KAFKA-8803). The transition is written, and is then an exception, after which the transactional.id is pending until another
// coordinator loads it. Only a write that was replicated at once has its request answered.
func TestTheCoordinatorsClockGoesBack(t *testing.T) {
	for version, want := range map[string]protocol.Error{"0.11": protocol.UnknownServerError, "2.4": protocol.UnknownServerError, "2.5.0": protocol.None} {
		for _, waits := range []bool{false, true} {
			h := newHarness(t, version)
			a := h.init(-1, -1)
			h.add(a.ProducerID, a.ProducerEpoch, false, orders0)
			h.end(a.ProducerID, a.ProducerEpoch, true)
			h.write(1, protocol.None)
			again := h.init(-1, -1) // it does not make the start forgotten
			h.clock -= sim.Millisecond
			n := len(h.answers)
			if h.hold = waits; waits {
				h.add(again.ProducerID, again.ProducerEpoch, false, orders0)
				h.c.OnAppendWaits(h.held[0].ID)
				h.release()
				if told := len(h.answers) > n; told != (want == protocol.None) {
					t.Errorf("%s: answered: %v", version, told)
				}
			} else if got := h.add(again.ProducerID, again.ProducerEpoch, false, orders0); got != want {
				t.Errorf("%s: told %v, want %v", version, got, want)
			}
			stuck := want != protocol.None
			if m := h.c.Transactions(0)[0]; m.PendingTransition() != stuck || (m.State == Ongoing) == stuck {
				t.Errorf("%s: %v, pending %v", version, m.State, m.PendingState)
			}
			if !stuck {
				continue
			}
			if got := h.init(-1, -1).Err; got != protocol.ConcurrentTransactions {
				t.Errorf("%s: a new producer is told %v", version, got)
			}
			if waits {
				continue // the harness has no log of what it holds
			}
			h.c.OnElection(0, 2)
			h.do(h.c.OnLoaded(h.clock, 0, 2, h.batches, 0))
			if m := h.c.Transactions(0)[0]; m.State != Ongoing || m.PendingTransition() {
				t.Errorf("%s: another coordinator has %v, pending %v", version, m.State, m.PendingState)
			}
		}
	}
}

// TestARequestMeetsATransition: from 4.0 on it is told to wait, whoever sends it (KAFKA-18660); before, one with another epoch
// was refused at once.
func TestARequestMeetsATransition(t *testing.T) {
	for version, want := range map[string]protocol.Error{"3.9": protocol.ProducerFenced, "4.0.0": protocol.ConcurrentTransactions} {
		h := newHarness(t, version)
		a := h.init(-1, -1)
		h.hold = true
		h.add(a.ProducerID, a.ProducerEpoch, false, orders0)
		if got := h.add(a.ProducerID, a.ProducerEpoch+1, false, orders0); got != want {
			t.Errorf("%s: AddPartitionsToTxn of another epoch is told %v, want %v", version, got, want)
		}
		if got := h.end(a.ProducerID, a.ProducerEpoch+1, false).Err; got != want {
			t.Errorf("%s: EndTxn of another epoch is told %v, want %v", version, got, want)
		}
	}
}

// TestTheLastEpochThereIs: a transaction v2 times out in the last epoch but one. What becomes of it differs by release.
func TestTheLastEpochThereIs(t *testing.T) {
	const last = 1<<15 - 1
	for _, c := range []struct {
		version string
		epoch   int16 // of the transaction
		state   State // after the time-out
		want    int16 // the epoch then
		id      bool  // and another producer id follows
	}{
		{"4.0.0", last - 1, Ongoing, last, false},      // raised twice, once too often: an exception in every try
		{"4.0.1", last - 1, PrepareAbort, last, false}, // raised once
		{"4.2", last - 1, PrepareAbort, last, false},
		{"4.3.0", last - 1, PrepareAbort, last, true}, // KAFKA-20090
		{"4.2", last, Ongoing, last, false},
		{"4.3.0", last, PrepareAbort, last, true},
	} {
		h := newHarness(t, c.version)
		a := h.init(-1, -1)
		h.add(a.ProducerID, a.ProducerEpoch, false, orders0)
		m := &h.c.state.partitions[0].transactions[0]
		m.ProducerEpoch = c.epoch
		h.clock += sim.Minute + sim.Millisecond
		h.do(h.c.AbortTimedOutTransactions(h.clock, h))
		if m.State != c.state || m.ProducerEpoch != c.want || (m.NextProducerID >= 0) != c.id {
			t.Errorf("%s, epoch %d: %v, epoch %d, next id %d", c.version, c.epoch, m.State, m.ProducerEpoch, m.NextProducerID)
		}
	}
}
