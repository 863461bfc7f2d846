package projection

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
func (s *State) transaction(e sim.Event) {
	switch e := e.(type) {
	case *event.TransactionPartition:
		t := s.coordinated(e.ProducerID)
		if t == nil {
			s.transactions = append(s.transactions, coordinated{transactionalID: e.TransactionalID, producerID: e.ProducerID})
			t = &s.transactions[len(s.transactions)-1]
		}
		t.partitions = append(t.partitions, e.TP)
	case *event.TransactionState:
		for i := range s.transactions {
			if ended(e.To) && s.transactions[i].transactionalID == e.TransactionalID {
				s.transactions[i].partitions = nil
			}
		}
	}
}

func ended(st transactioncoordinator.State) bool {
	return st == transactioncoordinator.Empty || st == transactioncoordinator.CompleteCommit || st == transactioncoordinator.CompleteAbort
}

func (s *State) coordinated(producerID int64) *coordinated {
	i := slices.IndexFunc(s.transactions, func(t coordinated) bool { return t.producerID == producerID })
	if i < 0 {
		return nil
	}
	return &s.transactions[i]
}

// OpensUnknown says that a leader's append, which s does not hold yet, opens a transaction that the producer's
// coordinator has completed or was never told of, and therefore will not end (KIP-664). It says so only of a producer
// that some coordinator has recorded.
func (s *State) OpensUnknown(f *sim.Recorded) bool {
	b := event.Batch(f.Event)
	if b == nil || !b.IsTransactional || b.IsControl {
		return false
	}
	t := s.coordinated(b.ProducerID)
	if t == nil || slices.Contains(t.partitions, event.Partition(f.Event)) {
		return false
	}
	p := s.Partition(event.Partition(f.Event))
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
