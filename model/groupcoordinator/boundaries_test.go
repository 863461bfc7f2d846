package groupcoordinator

import (
	"testing"

	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// Where a rule says "below", "at" or "not yet", what lies on the bound decides, and each condition of a rule decides
// alone. Each of these was found by mutating the rule.

// What is not in the log yet is not committed, however far the high watermark is (4.0).
func TestAWriteThatIsNotAppendedIsNotCommitted(t *testing.T) {
	for name, begin := range map[string]func(r *replica){
		"a commit": func(r *replica) {
			r.g.HandleOffsetCommit(0, 1, &protocol.OffsetCommit{Group: "g", Generation: -1, Data: []protocol.CommitData{at(orders0, 3)}})
		},
		"a commit in a transaction": func(r *replica) {
			r.g.HandleTxnOffsetCommit(0, 1, &protocol.TxnOffsetCommit{TransactionalID: "t", Group: "g", ProducerID: 9, Generation: -1, Data: []protocol.CommitData{at(orders0, 3)}})
		},
		"a generation": func(r *replica) {
			r.join("a", "")
			r.g.Rebalance(0, &protocol.RebalanceCommand{Group: "g", Members: []protocol.GroupMember{to("a", orders0)}})
		},
	} {
		r := newCoordinator(t, "4.0")
		r.elect(1, 0)
		begin(r)
		if a := r.g.OnHighWatermark(0, 100); len(a) != 0 || r.g.Pending() != 1 {
			t.Errorf("%s: answered %+v, %d writes are under way", name, a, r.g.Pending())
		}
	}
}

// A marker commits the positions that are in the log before it, and not one that is still to be appended.
func TestAMarkerDoesNotCommitWhatIsNotAppended(t *testing.T) {
	r := newCoordinator(t, "4.0")
	r.elect(1, 0)
	r.g.HandleTxnOffsetCommit(0, 1, &protocol.TxnOffsetCommit{TransactionalID: "t", Group: "g", ProducerID: 9, Generation: -1, Data: []protocol.CommitData{at(orders0, 3)}})
	if done := r.marker(false); len(done) != 0 {
		t.Errorf("committed %v", done)
	}
}

// Records bear the coordinator's clock in milliseconds, and are of no producer of the run.
func TestTimestampsOfTheCoordinatorsRecords(t *testing.T) {
	r := newCoordinator(t, "3.9")
	r.elect(1, 0)
	plain, _ := r.commit(at(orders0, 3))
	txn := r.txnCommit(at(orders0, 5))
	r.join("a", "")
	o := r.g.Rebalance(7*sim.Millisecond, &protocol.RebalanceCommand{Group: "g", Members: []protocol.GroupMember{to("a", orders0)}})
	for name, w := range map[string]Append{"a commit": plain, "a commit in a transaction": txn, "a generation": o.Write} {
		if rec := w.Batch.Records[0]; rec.Timestamp != 7 || rec.Producer != -1 {
			t.Errorf("%s: at %d ms, of producer %d", name, rec.Timestamp, rec.Producer)
		}
	}
}

// The first leader epoch is 0 and is written with the position; -1 is none, and the answer to who asks for what is not there.
func TestTheLeaderEpochOfAPosition(t *testing.T) {
	for _, epoch := range []int{-1, 0, 1} {
		c := protocol.CommitData{TP: orders0, Offset: 3, LeaderEpoch: epoch}
		r := offsetRecord("g", &c, 0)
		if _, got, ok := readOffsetRecord(&r); !ok || got != c {
			t.Errorf("epoch %d: %q reads %+v", epoch, r.Value, got)
		}
	}
	r := newCoordinator(t, "3.9")
	r.elect(1, 0)
	w, _ := r.commit(at(orders1, 4))
	r.done(w)
	for _, group := range []string{"g", "nobody"} {
		a, _, _ := r.g.HandleOffsetFetch(1, &protocol.OffsetFetch{Group: group, Partitions: []protocol.TopicPartition{orders0}})
		if got := a.Msg.(*protocol.OffsetFetchResponse).Data[0]; got != at(orders0, -1) {
			t.Errorf("group %s: %+v", group, got)
		}
	}
}

// Generation 0 is a generation: only a negative one stands for none.
func TestGeneration0NeedsItsMember(t *testing.T) {
	for version, want := range map[string]protocol.Error{"3.9": protocol.IllegalGeneration, "4.0": protocol.GroupIDNotFound} {
		r := newCoordinator(t, version)
		r.elect(1, 0)
		if got := r.commitOf("", 0); got != want {
			t.Errorf("%s: no group: %v, want %v", version, got, want)
		}
		w, _ := r.commit(at(orders0, 3)) // makes a group without members
		r.done(w)
		if got := r.commitOf("", 0); got != protocol.UnknownMemberID {
			t.Errorf("%s: a group without members: %v", version, got)
		}
	}
	for version, want := range map[string]protocol.Error{"3.9": protocol.None, "4.0": protocol.IllegalGeneration} {
		r := newCoordinator(t, version)
		r.elect(1, 0)
		if got := r.txnCommitOf("", 0); got != want {
			t.Errorf("%s: no group, in a transaction: %v, want %v", version, got, want)
		}
	}
}

// A resignation counts in the epoch in which the broker was elected, and a failed JoinGroup bears no generation.
func TestAResignationInTheEpochOfTheElection(t *testing.T) {
	r := newCoordinator(t, "3.9")
	r.elect(1, 0)
	r.join("a", "")
	answers := r.g.OnResignation(0, 1)
	if _, err, _ := r.position(orders0); err != protocol.NotCoordinator {
		t.Errorf("a position: %v", err)
	}
	if len(answers) != 1 {
		t.Fatalf("answered %+v", answers)
	}
	if got := answers[0].Msg.(*protocol.JoinGroupResponse); got.Err != protocol.NotCoordinator || got.Generation != -1 {
		t.Errorf("the join: %+v", got)
	}
}

// A transaction of whose positions one could not be written keeps the others.
func TestOnePositionOfATransactionFails(t *testing.T) {
	r := newCoordinator(t, "3.9", planted.StableOffsetFetch)
	r.elect(1, 0)
	first := r.txnCommit(at(orders1, 4))
	r.g.OnCommitted(first.ID)
	second := r.txnCommit(at(orders0, 5))
	r.g.OnAppendFailed(second.ID, protocol.NotEnoughReplicasAfterAppend)
	done := r.marker(false)
	if len(done) != 1 || len(done[0].Data) != 1 || done[0].Data[0] != at(orders1, 4) {
		t.Errorf("committed %+v", done)
	}
}
