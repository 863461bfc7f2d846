package partition

import (
	"testing"

	"kafkatrial/model/log"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
)

// Where a rule says "more than", "below" or "at", what lies on the bound decides. Each of these was found by mutating the rule.

// A follower whose fetch begins exactly at the log start has nothing to begin anew.
func TestAFetchAtTheLogStartIsServed(t *testing.T) {
	p := setup{}.leader(1)
	write(t, p, 0, "m1", "m2", "m3")
	p.DeleteRecords(2)
	info, err := p.ReadRecords(FetchParams{ReplicaID: 2, CurrentLeaderEpoch: 1, LastFetchedEpoch: 1, FetchOffset: 2})
	if err != protocol.None || info.Diverging.Present || len(info.Batches) != 1 {
		t.Errorf("%v, diverging %v, %d batches; want m3", err, info.Diverging.Present, len(info.Batches))
	}
}

// To delete what lies below 0 is to delete nothing, and no error.
func TestDeleteRecordsBelowZeroDeletesNothing(t *testing.T) {
	p := setup{}.leader(1)
	write(t, p, 0, "m1")
	if _, err := p.DeleteRecords(0); err != protocol.None || p.log.LogStartOffset() != 0 {
		t.Errorf("%v, log start %d", err, p.log.LogStartOffset())
	}
	if _, err := p.DeleteRecords(-2); err != protocol.OffsetOutOfRange {
		t.Errorf("an offset that is none: %v", err)
	}
}

// Only read_committed readers are told of aborted transactions.
func TestOnlyReadCommittedHearsOfAbortedTransactions(t *testing.T) {
	p := setup{}.leader(1)
	b := batch("m1").WithProducerState(9, 0, 0)
	b.IsTransactional = true
	for _, b := range []*record.RecordBatch{b, record.NewMarker(9, 0, record.EndTransactionMarker{Abort: true}, 0)} {
		if _, _, err := p.AppendRecordsToLeader(b, 1, 0); err != protocol.None {
			t.Fatal(err)
		}
	}
	for isolation, told := range map[log.Isolation]bool{log.FetchTxnCommitted: true, log.FetchHighWatermark: false} {
		info, err := p.ReadRecords(FetchParams{ReplicaID: ConsumerID, CurrentLeaderEpoch: 1, LastFetchedEpoch: NoEpoch, Isolation: isolation})
		if err != protocol.None || (len(info.Aborted) > 0) != told {
			t.Errorf("isolation %v: %v, %d aborted transactions", isolation, err, len(info.Aborted))
		}
	}
}

// An ISR change names the broker epoch that each follower fetched in (KIP-903).
func TestAnISRChangeNamesTheFollowersBrokerEpochs(t *testing.T) {
	p := setup{meta: &cluster{epochs: map[int]int64{3: 7}}}.leader(1, 2)
	fetch(t, p, 2, 0, 0)
	a := fetch(t, p, 3, 0, 0).ISR
	if a == nil {
		t.Fatal("no change is asked for")
	}
	for i, want := range []BrokerState{{1, 7}, {2, 7}, {3, 7}} {
		if a.ISR[i] != want {
			t.Errorf("member %d: %+v, want %+v", i, a.ISR[i], want)
		}
	}
}

// A follower is slow when it is more than replica.lag.max.messages behind, not when it is as many.
func TestMessageLagIsMoreThanTheBound(t *testing.T) {
	for behind, slow := range map[int]bool{4000: false, 4001: true} {
		p := setup{rules: rulesOf("0.8")}.leader(1, 2)
		write(t, p, 0, "m", "m", "m")
		fetch(t, p, 2, 3, 0)
		for range behind {
			write(t, p, 0, "m")
		}
		if got := p.MaybeShrinkISR(1) != nil; got != slow {
			t.Errorf("%d behind: shrinks %v, want %v", behind, got, slow)
		}
	}
	p := setup{rules: rulesOf("0.8")}.leader(1, 2) // it has not fetched yet: what it lacks is not known
	for range 5000 {
		write(t, p, 0, "m")
	}
	if p.MaybeShrinkISR(1) != nil {
		t.Error("a follower that the leader knows nothing of yet is no slow one")
	}
}

// An answer belongs to a request when it is the same in all that it asks for, also as a copy.
func TestAnAnswerBelongsToARequestByItsContents(t *testing.T) {
	a := AlterPartition{Leader: 1, LeaderEpoch: 2, PartitionEpoch: 3, ISR: []BrokerState{{1, 7}}}
	same := a
	if !a.same(&a) || !a.same(&same) || a.same(nil) {
		t.Error("a request and its copy are one, and none is another")
	}
	for _, other := range []AlterPartition{
		{Leader: 2, LeaderEpoch: 2, PartitionEpoch: 3, ISR: a.ISR}, {Leader: 1, LeaderEpoch: 1, PartitionEpoch: 3, ISR: a.ISR},
		{Leader: 1, LeaderEpoch: 2, PartitionEpoch: 4, ISR: a.ISR}, {Leader: 1, LeaderEpoch: 2, PartitionEpoch: 3, ISR: []BrokerState{{1, 7}, {2, 7}}},
	} {
		if a.same(&other) {
			t.Errorf("%+v is taken for %+v", other, a)
		}
	}
}

// A state of the same term, which tells of another ISR, does not make a follower reconcile its log again; one of the next term
// does, also with the same leader (KIP-320).
func TestAStateOfTheSameTermRestartsNoFetcher(t *testing.T) {
	p := setup{rules: rulesOf("4.3")}.leader(1, 2)
	p.MakeFollower(LeaderAndISR{Leader: 2, LeaderEpoch: 5, PartitionEpoch: 20, Replicas: []int{1, 2}})
	for _, c := range []struct {
		epoch, partitionEpoch int
		restart               bool
	}{{5, 21, false}, {6, 22, true}} {
		applied, restart := p.MakeFollower(LeaderAndISR{Leader: 2, LeaderEpoch: c.epoch, PartitionEpoch: c.partitionEpoch, Replicas: []int{1, 2}})
		if !applied || restart != c.restart {
			t.Errorf("leader epoch %d: applied %v, restart %v, want %v", c.epoch, applied, restart, c.restart)
		}
	}
}
