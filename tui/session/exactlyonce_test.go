package session

import (
	"slices"
	"testing"

	"kafkatrial/model/protocol"
	"kafkatrial/scenarios"
)

// standing opens a scenario where a step speaks of something.
func standing(t *testing.T, name, words string) *Session {
	t.Helper()
	opened, err := scenarios.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(opened, scenarios.Options{}, "")
	if err != nil {
		t.Fatal(err)
	}
	s.GoTo(0)
	i, ok := s.Search(words, false)
	if !ok {
		t.Fatalf("%s does not tell of %q", name, words)
	}
	s.GoTo(i)
	return s
}

var orders = protocol.TopicPartition{Topic: "orders", Partition: 0}

func TestHangingTransactionIsSeen(t *testing.T) {
	s := standing(t, "hanging-transaction", "appends m1 at offset 1")
	st := s.State()
	r := st.Partition(orders).Replica(1)
	if want := []Fate{TxnMarker, TxnOpen}; !slices.Equal(r.Fates(), want) {
		t.Errorf("fates %v, want %v", r.Fates(), want)
	}
	if r.LSO != 1 || r.HW != 2 {
		t.Errorf("LSO %d, HW %d; want 1 and 2", r.LSO, r.HW)
	}
	k := slices.IndexFunc(r.Remembers, func(m Remembered) bool { return m.Open == 1 })
	if k < 0 {
		t.Fatalf("no open transaction among %+v", r.Remembers)
	}
	m := r.Remembers[k]
	if !st.Hanging(m.ID, orders) || st.Owner(m.ID) != "shop" {
		t.Errorf("hanging %v, owner %q; want true, shop", st.Hanging(m.ID, orders), st.Owner(m.ID))
	}
	if len(m.Batches) != 1 || m.Batches[0].First != 0 || m.Batches[0].LastOffset != 1 {
		t.Errorf("batches %+v", m.Batches)
	}
	// While the coordinator counts the partition as part of the transaction it does not hang.
	for s.At() > 0 && len(st.Transactions[0].Partitions) == 0 {
		s.GoTo(s.Prev())
		st = s.State()
	}
	if st.Hanging(m.ID, orders) {
		t.Error("a transaction that its coordinator knows hangs")
	}
}

func TestWhatAnErrorLeavesToDo(t *testing.T) {
	for _, c := range []struct{ scenario, words, producer, state, next string }{
		{"hanging-transaction", "p can only abort its transaction", "p", "ABORTABLE_ERROR", "abort the transaction"},
		{"zombie-producer-is-fenced", "p1 can send nothing more", "p1", "FATAL_ERROR", "close the producer"},
		{"zombie-producer-is-fenced", "p1 can send nothing more", "p2", "READY", ""},
		{"late-commit-ends-the-next-transaction", "appends m2", "p", "IN_TRANSACTION", ""},
	} {
		s := standing(t, c.scenario, c.words)
		for _, p := range s.State().Producers {
			if p.Name == c.producer && (p.Transaction != c.state || p.Next != c.next) {
				t.Errorf("%s, %s: %s is in %s and must %q; want %s and %q", c.scenario, c.words, p.Name, p.Transaction, p.Next, c.state, c.next)
			}
		}
	}
}

func TestFateOfATransaction(t *testing.T) {
	s := standing(t, "zombie-producer-is-fenced", "c processes m1")
	r := s.State().Partition(orders).Replica(1)
	if want := []Fate{TxnAborted, TxnMarker, TxnCommitted, TxnMarker}; !slices.Equal(r.Fates(), want) {
		t.Errorf("fates %v, want %v", r.Fates(), want)
	}
	if len(r.Aborted) != 1 || r.Aborted[0].First != 0 || r.Aborted[0].Last != 1 {
		t.Errorf("aborted %+v, want offsets 0 to 1", r.Aborted)
	}
}

func TestCoordinatorOwesMarkers(t *testing.T) {
	s := standing(t, "zombie-producer-is-fenced", "has decided to abort")
	x := s.State().Transactions
	if len(x) != 1 || !x[0].Owed || x[0].State != "PrepareAbort" || x[0].Epoch != 1 || !slices.Equal(x[0].Partitions, []protocol.TopicPartition{orders}) {
		t.Errorf("transactions %+v, want a marker owed to orders-0 at epoch 1", x)
	}
}

// 0.11 has one batch of a partition in flight and counts only when it is acknowledged.
func TestSequenceWindowIn011(t *testing.T) {
	s := standing(t, "unknown-producer-after-retention", "refuses m2")
	q := s.State().Producers[0].Sequences
	if len(q) != 1 || q[0].Next != 1 || len(q[0].InFlight) != 1 || q[0].InFlight[0].First != 1 {
		t.Errorf("sequences %+v, want one batch of number 1 in flight", q)
	}
}

func TestSequenceWindow(t *testing.T) {
	s := standing(t, "five-batches-are-remembered", "appends")
	most, flying := 0, 0
	for ; !s.AtEnd(); s.GoTo(s.Next()) {
		for _, p := range s.State().Partitions {
			for _, r := range p.Replicas {
				for _, m := range r.Remembers {
					most = max(most, len(m.Batches))
				}
			}
		}
		for _, p := range s.State().Producers {
			for _, q := range p.Sequences {
				flying = max(flying, len(q.InFlight))
				for _, b := range q.InFlight {
					if b.Last >= q.Next || len(b.Records) == 0 {
						t.Errorf("batch %+v is in flight, next sequence %d", b, q.Next)
					}
				}
			}
		}
	}
	if most != 5 || flying < 1 {
		t.Errorf("at most %d batches were remembered and %d in flight; want 5 and some", most, flying)
	}
}
