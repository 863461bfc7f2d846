package transactioncoordinator

import (
	"fmt"
	"slices"
	"testing"

	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// Where a rule says "more than", "below" or "at", what lies on the bound decides, and each condition of a rule decides
// alone. Each of these was found by mutating the rule.

// Java's hash of "transfer-1" is −1727369521; that of "polygenelubricants" is −2³¹, which has no absolute value.
func TestPartitionFor(t *testing.T) {
	for id, want := range map[string]int32{"hello": 22, "transfer-1": 21, "polygenelubricants": 0, "": 0} {
		if got := PartitionFor(id, 50); got != want {
			t.Errorf("%q: %d, want %d", id, got, want)
		}
	}
}

// transaction.timeout.ms is 1 ms at least and transaction.max.timeout.ms at most. A write of the transaction may take as long.
func TestTheBoundsOfTheTimeout(t *testing.T) {
	for timeout, want := range map[sim.Time]protocol.Error{0: protocol.InvalidTransactionTimeout, sim.Millisecond: protocol.None,
		15 * sim.Minute: protocol.None, 15*sim.Minute + sim.Millisecond: protocol.InvalidTransactionTimeout} {
		h := newHarness(t, "3.9")
		h.hold = true
		h.do(h.c.HandleInitProducerId(h.clock, 1, &protocol.InitProducerId{TransactionalID: "t", TransactionTimeout: timeout, ProducerID: -1, ProducerEpoch: -1}, h))
		if refused := len(h.held) == 0; refused != (want != protocol.None) {
			t.Fatalf("%v: refused %v", timeout, refused)
		} else if refused {
			if got := h.last().(*protocol.InitProducerIdResponse).Err; got != want {
				t.Errorf("%v: %v, want %v", timeout, got, want)
			}
		} else if got := h.held[0].Timeout; got != timeout {
			t.Errorf("%v: the write may take %v", timeout, got)
		}
	}
}

// The first producer id there is is 0.
func TestARecordOfProducer0(t *testing.T) {
	for value, want := range map[string]bool{"Empty producer=0": true, "Empty producer=-1": false} {
		if _, ok := readStateRecord(&record.Record{Key: "t", HasKey: true, Value: value}); ok != want {
			t.Errorf("%q reads: %v, want %v", value, ok, want)
		}
	}
}

// Without an epoch a transactional.id can only be forgotten.
func TestATransitionNeedsAnEpoch(t *testing.T) {
	m := newMetadata("t", 7, 60000, 0)
	if _, err := m.PrepareAddPartitions([]protocol.TopicPartition{orders0}, V0, 1); err != protocol.IllegalState {
		t.Errorf("a transaction begins: %v", err)
	}
	if _, err := m.PrepareDead(); err != protocol.None {
		t.Errorf("it is forgotten: %v", err)
	}
	m = newMetadata("t", 0, 60000, 0)
	if _, err := m.PrepareDead(); err != protocol.None {
		t.Errorf("that of producer 0 is forgotten: %v", err)
	}
}

// A producer that has used up its epochs and names what it has gets another producer id, and the same one if it asks again: the
// answer may have been lost (KIP-360). A new process gets yet another epoch.
func TestAnotherProducerIDIsToldTwice(t *testing.T) {
	h := newHarness(t, "3.9")
	m := newMetadata("t", 6, 60000, 0)
	m.ProducerEpoch = 32766
	h.c.OnElection(0, 2)
	h.do(h.c.AddLoadedTransactions(h.clock, 0, 2, []TransactionMetadata{m}))
	for range 2 {
		if a := h.init(6, 32766); a.Err != protocol.None || a.ProducerID != 7 || a.ProducerEpoch != 0 {
			t.Errorf("%+v", a)
		}
	}
	if a := h.init(-1, -1); a.ProducerID != 7 || a.ProducerEpoch != 1 {
		t.Errorf("a new process: %+v", a)
	}
}

// With an epoch for every transaction the producer id changes at the end of one; the id before it is remembered then, so that
// the end can be asked for again.
func TestThePreviousProducerIDIsThatOfTheLastEnd(t *testing.T) {
	h := newHarness(t, "4.0.1")
	a := h.init(-1, -1)
	h.c.state.partitions[0].transactions[0].ProducerEpoch = 32766
	h.add(a.ProducerID, 32766, false, orders0)
	h.end(a.ProducerID, 32766, true)
	h.write(1, protocol.None)
	if m := h.c.Transactions(0)[0]; m.State != CompleteCommit || m.ProducerID == a.ProducerID || m.ProducerEpoch != 0 || m.PreviousProducerID != a.ProducerID {
		t.Fatalf("%v, producer %d in epoch %d, before it %d", m.State, m.ProducerID, m.ProducerEpoch, m.PreviousProducerID)
	}
	next := h.c.Transactions(0)[0].ProducerID
	if again := h.end(a.ProducerID, 32766, true); again.Err != protocol.None || again.ProducerID != next || again.ProducerEpoch != 0 {
		t.Errorf("asked again: %+v, want producer %d in epoch 0", again, next)
	}
}

// A transaction that begins at the first millisecond ends like any other.
func TestATransactionBeginsAtOneMillisecond(t *testing.T) {
	h := newHarness(t, "3.9")
	h.clock = sim.Millisecond
	a := h.init(-1, -1)
	h.add(a.ProducerID, a.ProducerEpoch, false, orders0)
	h.end(a.ProducerID, a.ProducerEpoch, true)
	if h.write(1, protocol.None); h.state() != CompleteCommit {
		t.Error(h.state())
	}
}

// What is told of a transaction: each state it comes to, also the one in which a producer begins anew, and each partition once,
// while it is open.
func TestWhatIsToldOfATransaction(t *testing.T) {
	h := newHarness(t, "3.9")
	a := h.init(-1, -1)
	h.add(a.ProducerID, a.ProducerEpoch, false, orders0)
	h.add(a.ProducerID, a.ProducerEpoch, false, orders1)
	h.end(a.ProducerID, a.ProducerEpoch, true)
	var got []string
	for _, f := range h.events {
		switch e := f.(type) {
		case *event.TransactionState:
			got = append(got, fmt.Sprintf("%v to %v", e.From, e.To))
		case *event.TransactionPartition:
			got = append(got, fmt.Sprintf("%s-%d", e.TP.Topic, e.TP.Partition))
		}
	}
	want := []string{"Empty to Empty", "Empty to Ongoing", "orders-0", "orders-1", "Ongoing to PrepareCommit"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A write that is replicated while the coordinator loads anew: its client is told to wait, not to look for another.
func TestAWriteIsReplicatedWhileTheCoordinatorLoads(t *testing.T) {
	h := newHarness(t, "3.9")
	a := h.init(-1, -1)
	h.hold = true
	h.add(a.ProducerID, a.ProducerEpoch, false, orders0)
	h.c.OnElection(0, 2)
	h.release()
	if err := h.last().(*protocol.AddPartitionsToTxnResponse).Results[0].Data[0].Err; err != protocol.CoordinatorLoadInProgress {
		t.Errorf("%v, want COORDINATOR_LOAD_IN_PROGRESS", err)
	}
}

// A resignation counts in the epoch in which the broker was elected, and ends the markers of that partition's transactions alone.
func TestAResignationEndsTheMarkersOfItsPartition(t *testing.T) {
	for resigned, markers := range map[int32]int{0: 0, 1: 1} { // "t" is of partition 0
		h := newHarness(t, "3.9")
		cfg := h.c.cfg
		cfg.Partitions = 2
		h.c = New(cfg, &h.rules)
		for p := range int32(2) {
			h.c.OnElection(p, 1)
			h.do(h.c.OnLoaded(h.clock, p, 1, nil, 0))
		}
		if h.c.Waiting() {
			t.Error("without a transaction markers wait")
		}
		a := h.init(-1, -1)
		h.add(a.ProducerID, a.ProducerEpoch, false, orders0)
		h.end(a.ProducerID, a.ProducerEpoch, true)
		h.c.OnResignation(resigned, 1)
		if got := len(h.c.markers.pending); got != markers {
			t.Errorf("partition %d resigned: %d transactions wait for their markers, want %d", resigned, got, markers)
		}
		want := protocol.NotCoordinator
		if resigned == 1 {
			want = protocol.ConcurrentTransactions
		}
		if got := h.add(a.ProducerID, a.ProducerEpoch, false, orders1); got != want {
			t.Errorf("partition %d resigned: told %v, want %v", resigned, got, want)
		}
	}
}

// A transactional.id is forgotten when it was last used transactional.id.expiration.ms ago, to the millisecond.
func TestWhenATransactionalIDExpires(t *testing.T) {
	for after, want := range map[sim.Time]int{-1: 1, 0: 0} {
		h := newHarness(t, "3.9")
		h.init(-1, -1)
		h.clock += ms(h.c.cfg.IDExpirationMs) + after*sim.Millisecond
		h.do(h.c.RemoveExpiredTransactionalIds(h.clock))
		if got := len(h.c.Transactions(0)); got != want {
			t.Errorf("%v after it has expired %d are known, want %d", after*sim.Millisecond, got, want)
		}
	}
}
