package log

import (
	"slices"
	"sort"

	"kafkatrial/model/planted"
	"kafkatrial/model/record"
)

// VerificationStateEntry is kept while a leader asks the transaction coordinator whether a producer's
// transaction is open (KIP-890). It holds the lowest sequence number seen, so that a later batch is not
// written before an earlier one that has to be sent again.
//
// Kafka: VerificationStateEntry.
type VerificationStateEntry struct {
	ProducerID        int64
	Timestamp         int64 // milliseconds, of its beginning
	LowestSequence    int32
	Epoch             int16
	SupportsEpochBump bool // its producer has an epoch for every transaction (KIP-890, part 2)
	Guard             VerificationGuard
}

// VerificationGuard names one verification. A batch is appended only under the guard with which it was
// begun: if the transaction has ended meanwhile, and another verification has begun, the answer to the first
// one is worth nothing.
//
// Kafka: VerificationGuard.
type VerificationGuard int64

// NoGuard is no verification (VerificationGuard.SENTINEL).
const NoGuard VerificationGuard = 0

// MaybeStartVerification begins a verification of a producer's transaction, or goes on with the one under way.
// NoGuard if none is needed: the transaction has records here already, so the coordinator knows of it. v2: its producer has an
// epoch for every transaction.
//
// Kafka: UnifiedLog.maybeStartTransactionVerification.
func (m *ProducerStateManager) MaybeStartVerification(id int64, sequence int32, epoch int16, v2 bool, now int64) VerificationGuard {
	if m.HasOngoingTransaction(id, epoch) {
		return NoGuard
	}
	return m.MaybeCreateVerificationStateEntry(id, sequence, epoch, v2, now).Guard
}

// HasOngoingTransaction says that a producer has a transaction open here. With an epoch for every transaction
// it must be of this epoch: of an older one only the marker is missing.
//
// Kafka: UnifiedLog.hasOngoingTransaction.
func (m *ProducerStateManager) HasOngoingTransaction(id int64, epoch int16) bool {
	e := m.LastEntry(id)
	return e != nil && e.CurrentTxnFirstOffset != NoTransaction && (e.ProducerEpoch == epoch || !m.rules.TransactionV2)
}

// verified says that the batches of a producer may be appended under a guard. In 3.6 only what clients send needs one
// (KAFKA-15449).
//
// Kafka: UnifiedLog.batchMissingRequiredVerification, analyzeAndValidateProducerState.
func (m *ProducerStateManager) verified(id int64, guard VerificationGuard, origin AppendOrigin) bool {
	if !m.cfg.TransactionVerification || origin == OriginCoordinator && !m.rules.OffsetCommitVerified || !m.planted.On(planted.VerificationGuard) {
		return true
	}
	v := m.verificationStateEntry(id)
	return guard != NoGuard && v != nil && v.Guard == guard
}

// MaybeCreateVerificationStateEntry begins a verification, or goes on with the one under way: a lower
// sequence of the same epoch counts, and a newer epoch begins anew. now is in milliseconds.
func (m *ProducerStateManager) MaybeCreateVerificationStateEntry(id int64, sequence int32, epoch int16, v2 bool, now int64) VerificationStateEntry {
	i := sort.Search(len(m.verification), func(i int) bool { return m.verification[i].ProducerID >= id })
	if i == len(m.verification) || m.verification[i].ProducerID != id {
		m.lastGuard++
		m.verification = slices.Insert(m.verification, i, VerificationStateEntry{id, now, sequence, epoch, v2, m.lastGuard})
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

// endsLastTransaction says that a batch is the marker of the transaction before the one that is being verified. Such a marker bears
// the epoch that the next transaction has, so the producer may be asked about before it is there, and its arrival is no reason to
// refuse what the coordinator has then confirmed (KAFKA-18575).
//
// Kafka: UnifiedLog.updateProducers (isV2NextTransactionStarted), since 4.0.0.
func (m *ProducerStateManager) endsLastTransaction(b *record.RecordBatch) bool {
	v := m.verificationStateEntry(b.ProducerID)
	return v != nil && v.SupportsEpochBump && b.IsControl && b.ProducerEpoch == v.Epoch
}

func (m *ProducerStateManager) verificationStateEntry(id int64) *VerificationStateEntry {
	for i := range m.verification {
		if m.verification[i].ProducerID == id {
			return &m.verification[i]
		}
	}
	return nil
}
