package session

import (
	"slices"
	"strings"

	"kafkatrial/model/log"
	"kafkatrial/model/partition"
	"kafkatrial/model/producer"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/model/transactioncoordinator"
)

// Identity is by what brokers know a producer, how its batches are numbered, and where its transaction stands.
type Identity struct {
	Idempotent      bool
	Given           bool // it has a producer id
	ProducerID      int64
	ProducerEpoch   int16
	TransactionalID string // "" without transactions
	Transaction     string // the state of its TransactionManager, as Kafka names it; "" without transactions
	Error           string // the error in which it stands, "" if it is well
	Next            string // what its application must do next after the error: "abort the transaction"
	Window          int    // max.in.flight.requests.per.connection
	Sequences       []Sequence
}

// Sequence is how a producer numbers what it writes to one partition.
type Sequence struct {
	TP         protocol.TopicPartition
	Next       int32  // of the next record
	Acked      int32  // of the last record acknowledged, -1 none
	InFlight   []Span // batches with a number and without an outcome
	Unresolved bool   // a batch expired after it was sent: what the broker has next is not known
}

// Span is a run of sequence numbers with the offsets that they stand at, or the records that bear them.
type Span struct {
	First, Last             int32
	FirstOffset, LastOffset int64 // -1: not known to be in a log
	Records                 []string
}

// Remembered is what one replica keeps about one producer.
type Remembered struct {
	ID      int64
	Epoch   int16
	Batches []Span // the last ones, at most five, oldest first
	Open    int64  // the first offset of its open transaction, -1 none
}

// Aborted is a transaction in a log that ended with an abort marker.
type Aborted struct {
	ID          int64 // of the producer
	First, Last int64 // offsets; Last is the marker's
}

// Transaction is what a transaction coordinator knows of a transactional.id.
type Transaction struct {
	ID          string
	Coordinator protocol.BrokerID
	TP          protocol.TopicPartition // of __transaction_state, in which it is kept
	ProducerID  int64
	Epoch       int16 // -1: none was given out yet
	State       string
	Pending     string // the state that is being written, "" if none is
	Partitions  []protocol.TopicPartition
	Owed        bool  // these partitions have yet to get their marker
	TimeoutMs   int64 // transaction.timeout.ms of the producer
}

// Fate is what became of a batch's transaction, as its log tells it.
type Fate uint8

// The fates.
const (
	NoTransaction Fate = iota // of none
	TxnOpen                   // of one that has not ended
	TxnCommitted              // of one that ended with COMMIT
	TxnAborted                // of one that ended with ABORT
	TxnMarker                 // the batch is a marker itself
)

// Fates tells for each batch of the log what became of its transaction: the first marker behind it that bears its
// producer id decides.
func (r *Replica) Fates() []Fate {
	fates := make([]Fate, len(r.Batches))
	ended := map[int64]Fate{}
	for i := len(r.Batches) - 1; i >= 0; i-- {
		switch b := r.Batches[i]; {
		case b.IsControl:
			fates[i], ended[b.ProducerID] = TxnMarker, TxnCommitted
			if b.Marker.Abort {
				ended[b.ProducerID] = TxnAborted
			}
		case b.IsTransactional:
			if fates[i] = ended[b.ProducerID]; fates[i] == NoTransaction {
				fates[i] = TxnOpen
			}
		}
	}
	return fates
}

// Transactional says that a log holds, or held, anything of a transaction.
func (r *Replica) Transactional() bool {
	return len(r.Aborted) > 0 || slices.ContainsFunc(r.Batches, func(b *record.RecordBatch) bool { return b.IsTransactional })
}

// ExactlyOnce says whether there is anything to show: a producer with an id, or a replica that remembers one.
func (s *State) ExactlyOnce() bool {
	return len(s.Transactions) > 0 || slices.ContainsFunc(s.Producers, func(p Producer) bool { return p.Idempotent }) ||
		slices.ContainsFunc(s.Consumers, func(k Consumer) bool { return k.Writes != nil && k.Writes.Idempotent }) ||
		slices.ContainsFunc(s.Partitions, func(p Partition) bool {
			return slices.ContainsFunc(p.Replicas, func(r Replica) bool { return len(r.Remembers) > 0 })
		})
}

// Owner names the producer with an id: its transactional.id, or those that bear it now, or who wrote the records
// under it; "" if nobody knows.
func (s *State) Owner(id int64) string {
	for i := range s.Transactions {
		if s.Transactions[i].ProducerID == id {
			return s.Transactions[i].ID
		}
	}
	var names []string
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for i := range s.Producers {
		if p := &s.Producers[i]; p.Given && p.ProducerID == id {
			add(p.Name)
		}
	}
	for i := range s.Consumers {
		if w := s.Consumers[i].Writes; w != nil && w.Given && w.ProducerID == id {
			add(s.Consumers[i].Name)
		}
	}
	if len(names) > 0 {
		return strings.Join(names, " ")
	}
	for i := range s.Partitions {
		for j := range s.Partitions[i].Replicas {
			for _, b := range s.Partitions[i].Replicas[j].Batches {
				if b.ProducerID == id && len(b.Records) > 0 && b.Records[0].Producer >= 0 && int(b.Records[0].Producer) < len(s.Nodes) {
					add(s.Nodes[b.Records[0].Producer].Name)
				}
			}
		}
	}
	return strings.Join(names, " ")
}

// Hanging says that a transaction which a partition takes for open is unknown to the producer's coordinator, which
// therefore will not end it (KIP-664). It says so only of a producer that some coordinator knows.
func (s *State) Hanging(producerID int64, tp protocol.TopicPartition) bool {
	known := false
	for i := range s.Transactions {
		if t := &s.Transactions[i]; t.ProducerID == producerID {
			known = true
			if slices.Contains(t.Partitions, tp) {
				return false
			}
		}
	}
	return known
}

// identity reads how brokers know a producer.
func identity(k *producer.KafkaProducer) Identity {
	x := Identity{Idempotent: k.Idempotent(), Window: k.MaxInFlight()}
	id, given := k.ProducerID()
	x.Given, x.ProducerID, x.ProducerEpoch = given, id.ID, id.Epoch
	if name, state := k.Transaction(); name != "" {
		x.TransactionalID, x.Transaction = name, state.String()
	}
	switch class, err, call := k.Error(); class {
	case producer.Abortable:
		x.Error, x.Next = err.String(), "abort the transaction"
	case producer.Fatal:
		x.Error, x.Next = err.String(), "close the producer"
		if x.TransactionalID != "" {
			x.Transaction = "FATAL_ERROR"
		}
	case producer.OutcomeOpen:
		x.Error, x.Next = err.String(), "call "+call+"() again"
	}
	if !x.Idempotent {
		return x
	}
	for i := range k.Queues() {
		q := &k.Queues()[i]
		n := Sequence{TP: q.TP, Next: q.Txn.NextSequence, Acked: q.Txn.LastAckedSequence, Unresolved: q.Txn.Unresolved}
		numbered := slices.Clone(q.Txn.InFlight())
		for _, b := range q.InFlight { // 0.11 keeps no list of its own
			if b.Batch != nil && b.Batch.BaseSequence != record.NoSequence && !slices.Contains(numbered, b) {
				numbered = append(numbered, b)
			}
		}
		for _, b := range numbered {
			s := Span{First: b.Batch.BaseSequence, Last: b.Batch.LastSequence(), FirstOffset: -1, LastOffset: -1}
			for j := range b.Records {
				s.Records = append(s.Records, b.Records[j].ID)
			}
			n.InFlight = append(n.InFlight, s)
		}
		x.Sequences = append(x.Sequences, n)
	}
	return x
}

// remembers reads what a replica keeps about producers and transactions.
func (r *Replica) remembers(p *partition.Partition) {
	l := p.Log()
	r.LSO = l.LastStableOffset()
	active := l.Producers().ActiveProducers()
	for i := range active {
		e := &active[i]
		m := Remembered{ID: e.ProducerID, Epoch: e.ProducerEpoch, Open: -1}
		if e.CurrentTxnFirstOffset != log.NoTransaction {
			m.Open = e.CurrentTxnFirstOffset
		}
		for _, b := range e.Batches() {
			m.Batches = append(m.Batches, Span{First: b.FirstSeq(), Last: b.LastSeq, FirstOffset: b.FirstOffset(), LastOffset: b.LastOffset})
		}
		r.Remembers = append(r.Remembers, m)
	}
	for _, a := range l.Aborted().Entries() {
		r.Aborted = append(r.Aborted, Aborted{a.ProducerID, a.FirstOffset, a.LastOffset})
	}
}

// transactions reads what the transaction coordinators know. Of two brokers that take themselves for the coordinator
// of the same transactions each is listed.
func (s *Session) transactions() []Transaction {
	var all []Transaction
	c := s.run.Cluster
	for _, tp := range c.Partitions() {
		if tp.Topic != transactioncoordinator.TopicName {
			continue
		}
		for i := range c.Directory.Brokers {
			id := i + 1
			b := c.Broker(id)
			if b == nil || !b.TransactionCoordinator().Coordinates(tp.Partition) {
				continue
			}
			for _, m := range b.TransactionCoordinator().Transactions(tp.Partition) {
				t := Transaction{ID: m.TransactionalID, Coordinator: id, TP: tp, ProducerID: m.ProducerID, Epoch: m.ProducerEpoch, State: m.State.String(),
					Partitions: slices.Clone(m.Partitions), TimeoutMs: m.TimeoutMs}
				if m.PendingTransition() {
					t.Pending = m.PendingState.String()
				}
				t.Owed = m.State == transactioncoordinator.PrepareCommit || m.State == transactioncoordinator.PrepareAbort
				all = append(all, t)
			}
		}
	}
	return all
}
