package log

import (
	"slices"
	"sort"
)

// VerificationStateEntry is kept while a leader asks the transaction coordinator whether a producer's
// transaction is open (KIP-890). It holds the lowest sequence number seen, so that a later batch is not
// written before an earlier one that has to be sent again.
//
// Kafka: VerificationStateEntry.
type VerificationStateEntry struct {
	ProducerID     int64
	Timestamp      int64 // milliseconds, of its beginning
	LowestSequence int32
	Epoch          int16
}

// MaybeCreateVerificationStateEntry begins a verification, or goes on with the one under way: a lower
// sequence of the same epoch counts, and a newer epoch begins anew. now is in milliseconds.
func (m *ProducerStateManager) MaybeCreateVerificationStateEntry(id int64, sequence int32, epoch int16, now int64) VerificationStateEntry {
	i := sort.Search(len(m.verification), func(i int) bool { return m.verification[i].ProducerID >= id })
	if i == len(m.verification) || m.verification[i].ProducerID != id {
		m.verification = slices.Insert(m.verification, i, VerificationStateEntry{id, now, sequence, epoch})
	}
	v := &m.verification[i]
	switch {
	case epoch == v.Epoch:
		v.LowestSequence = min(v.LowestSequence, sequence)
	case epoch > v.Epoch:
		v.Epoch, v.LowestSequence = epoch, sequence
	}
	return *v
}

// ClearVerificationStateEntry ends a verification: the producer has written, or its transaction has ended.
func (m *ProducerStateManager) ClearVerificationStateEntry(id int64) {
	m.verification = slices.DeleteFunc(m.verification, func(v VerificationStateEntry) bool { return v.ProducerID == id })
}

func (m *ProducerStateManager) verificationStateEntry(id int64) *VerificationStateEntry {
	for i := range m.verification {
		if m.verification[i].ProducerID == id {
			return &m.verification[i]
		}
	}
	return nil
}
