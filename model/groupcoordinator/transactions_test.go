package groupcoordinator

import (
	"testing"

	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// txnCommit hands in positions of producer 9's transaction, and appends them.
func (r *replica) txnCommit(data ...protocol.CommitData) Append {
	r.t.Helper()
	r.conn++
	_, done, w := r.g.HandleTxnOffsetCommit(7*sim.Millisecond, r.conn, &protocol.TxnOffsetCommit{Correlation: int32(r.conn), TransactionalID: "t", Group: "g",
		ProducerID: 9, ProducerEpoch: 2, Generation: -1, Data: data})
	if done {
		r.t.Fatal("answered at once")
	}
	b := w.Batch.WithOffset(r.end(), 0)
	r.batches = append(r.batches, b)
	r.g.OnAppended(w.ID, b.BaseOffset, b.NextOffset())
	return w
}

// marker writes the end of producer 9's transaction.
func (r *replica) marker(abort bool) []CommittedOffsets {
	b := record.NewMarker(9, 2, record.EndTransactionMarker{Abort: abort}, 0).WithOffset(r.end(), 0)
	r.batches = append(r.batches, b)
	return r.g.OnTransactionCompleted(0, 9, !abort, b.NextOffset())
}

// position gives what a consumer is told of orders-0: an offset, or an error.
func (r *replica) told() (int64, protocol.Error) {
	r.t.Helper()
	r.g.OnHighWatermark(0, r.end())
	a, ok, _ := r.g.HandleOffsetFetch(1, &protocol.OffsetFetch{Group: "g", Partitions: []protocol.TopicPartition{orders0}})
	if !ok {
		r.t.Fatal("the answer waits")
	}
	res := a.Msg.(*protocol.OffsetFetchResponse)
	if res.Err != protocol.None {
		return -1, res.Err
	}
	return res.Data[0].Offset, protocol.None
}

func TestPositionsOfATransactionCountWithItsMarker(t *testing.T) {
	for _, c := range []struct {
		version string
		abort   bool
		open    protocol.Error // what is told while the transaction is open
		before  int64
		after   int64
	}{
		{"0.11", false, protocol.None, -1, 5},
		{"2.4", true, protocol.None, -1, -1},
		{"2.5", false, protocol.UnstableOffsetCommit, -1, 5},
		{"3.9", true, protocol.UnstableOffsetCommit, -1, -1},
		{"4.0", false, protocol.UnstableOffsetCommit, -1, 5},
		{"4.0", true, protocol.UnstableOffsetCommit, -1, -1},
	} {
		for _, reload := range []bool{false, true} {
			r := newCoordinator(t, c.version)
			r.elect(1, 0)
			w := r.txnCommit(protocol.CommitData{TP: orders0, Offset: 5, LeaderEpoch: -1})
			if b := w.Batch; !b.IsTransactional || b.ProducerID != 9 || b.ProducerEpoch != 2 || b.BaseSequence != record.NoSequence {
				t.Fatalf("%s: the batch is %+v", c.version, b)
			}
			r.g.OnCommitted(w.ID)
			if reload {
				r.elect(2, r.end())
			}
			if at, err := r.told(); at != c.before || err != c.open {
				t.Errorf("%s: while it is open, %d %v", c.version, at, err)
			}
			done := r.marker(c.abort)
			if want := c.after == 5; (len(done) == 1 && done[0].Group == "g" && done[0].Data[0].Offset == 5) != want {
				t.Errorf("%s: committed %v", c.version, done)
			}
			if at, err := r.told(); at != c.after || err != protocol.None {
				t.Errorf("%s: after the marker, %d %v", c.version, at, err)
			}
			r.elect(3, r.end())
			if at, err := r.told(); at != c.after || err != protocol.None {
				t.Errorf("%s: loaded anew, %d %v", c.version, at, err)
			}
		}
	}
}

func TestAPositionOfATransactionThatCouldNotBeWrittenIsDropped(t *testing.T) {
	r := newCoordinator(t, "3.9")
	r.elect(1, 0)
	w := r.txnCommit(protocol.CommitData{TP: orders0, Offset: 5, LeaderEpoch: -1})
	a := r.g.OnAppendFailed(w.ID, protocol.NotEnoughReplicasAfterAppend)
	res, ok := a[0].Msg.(*protocol.TxnOffsetCommitResponse)
	if !ok || res.Data[0].Err != protocol.CoordinatorNotAvailable {
		t.Fatalf("answered %v", a[0].Msg)
	}
	if at, err := r.told(); at != -1 || err != protocol.None {
		t.Errorf("%d %v", at, err)
	}
}

// A later commit outside of the transaction stands behind it in the log, and is not undone by the marker.
func TestAMarkerDoesNotUndoALaterCommit(t *testing.T) {
	r := newCoordinator(t, "3.9")
	r.elect(1, 0)
	w := r.txnCommit(protocol.CommitData{TP: orders0, Offset: 5, LeaderEpoch: -1})
	r.g.OnCommitted(w.ID)
	later, _ := r.commit(protocol.CommitData{TP: orders0, Offset: 7, LeaderEpoch: -1})
	r.g.OnCommitted(later.ID)
	if done := r.marker(false); len(done) != 0 {
		t.Errorf("committed %v", done)
	}
	if at, err := r.told(); at != 7 || err != protocol.None {
		t.Errorf("%d %v", at, err)
	}
}
