package story

import (
	"slices"

	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/model/transactioncoordinator"
	"kafkatrial/sim"
)

// coordinated is what a transaction coordinator has recorded of a producer id: the partitions of the transaction that
// it has not completed yet.
type coordinated struct {
	transactionalID string
	producerID      int64
	partitions      []protocol.TopicPartition
}

// transaction takes over what a coordinator recorded.
func (s *Replicas) transaction(f *sim.Event) {
	switch {
	case f.Kind == event.TransactionPartition:
		t := s.coordinated(f.A)
		if t == nil {
			s.transactions = append(s.transactions, coordinated{transactionalID: f.Text, producerID: f.A})
			t = &s.transactions[len(s.transactions)-1]
		}
		t.partitions = append(t.partitions, event.TP(f))
	case f.Kind == event.TransactionState && ended(transactioncoordinator.State(f.B)):
		for i := range s.transactions {
			if s.transactions[i].transactionalID == f.Text {
				s.transactions[i].partitions = nil
			}
		}
	}
}

func ended(st transactioncoordinator.State) bool {
	return st == transactioncoordinator.Empty || st == transactioncoordinator.CompleteCommit || st == transactioncoordinator.CompleteAbort
}

func (s *Replicas) coordinated(producerID int64) *coordinated {
	i := slices.IndexFunc(s.transactions, func(t coordinated) bool { return t.producerID == producerID })
	if i < 0 {
		return nil
	}
	return &s.transactions[i]
}

// opensUnknown says that a leader's append, which s does not hold yet, opens a transaction that the producer's
// coordinator has completed or was never told of, and therefore will not end (KIP-664). It says so only of a producer
// that some coordinator has recorded.
func (s *Replicas) opensUnknown(f *sim.Event) bool {
	b := event.Batch(f)
	if b == nil || !b.IsTransactional || b.IsControl {
		return false
	}
	t := s.coordinated(b.ProducerID)
	if t == nil || slices.Contains(t.partitions, event.TP(f)) {
		return false
	}
	p := s.Partition(event.TP(f))
	if p == nil {
		return true
	}
	r := p.Replica(s.dir.Broker(f.Node))
	if r == nil {
		return true
	}
	for i := len(r.Records) - 1; i >= 0; i-- {
		if h := &r.Records[i]; h.Producer == b.ProducerID {
			return h.Control // what stands open already is not opened by this append
		}
	}
	return true
}
