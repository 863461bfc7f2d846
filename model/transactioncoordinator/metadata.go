package transactioncoordinator

import (
	"math"
	"slices"

	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/model/release"
)

// Versions of transactions: the levels of the feature transaction.version that differ here.
const (
	V0 = 0 // one epoch for many transactions
	V2 = 2 // KIP-890: every transaction has an epoch of its own
)

// TransactionMetadata is what the coordinator knows of a transactional.id. Times are milliseconds of the
// broker's clock.
//
// Kafka: TransactionMetadata.
type TransactionMetadata struct {
	TransactionalID    string
	ProducerID         int64
	PreviousProducerID int64 // the id before the last change of ids; -1 none
	NextProducerID     int64 // the id that follows once the markers are written, when the epochs are used up; -1 none
	ProducerEpoch      int16 // -1: none was given out yet
	LastProducerEpoch  int16 // the producer's epoch before the last raise it asked for (KIP-360); -1 none
	TimeoutMs          int64 // transaction.timeout.ms of the producer
	State              State
	PendingState       State                     // the transition that is being written; NoState if none is
	Partitions         []protocol.TopicPartition // of the transaction, in order; those with markers to be written after its end
	StartMs            int64                     // when the first partition was added; -1 none
	LastUpdateMs       int64
	ClientVersion      int // version of the transactions that the producer used at the last change: V0 or V2
	// FailedEpochFence says that the epoch was raised to shut out the producer, and that this could not be
	// written. It is not raised again then: nobody has been told it (KAFKA-9755, 2.6).
	FailedEpochFence bool
}

// TxnTransitMetadata is what TransactionMetadata becomes once the transition is written.
//
// Kafka: TxnTransitMetadata.
type TxnTransitMetadata struct {
	ProducerID, PreviousProducerID, NextProducerID int64
	ProducerEpoch, LastProducerEpoch               int16
	TimeoutMs                                      int64
	State                                          State
	Partitions                                     []protocol.TopicPartition
	StartMs, LastUpdateMs                          int64
	ClientVersion                                  int
}

// newMetadata is a transactional.id that has just been given a producer id.
func newMetadata(id string, producerID, timeoutMs, now int64) TransactionMetadata {
	return TransactionMetadata{TransactionalID: id, ProducerID: producerID, PreviousProducerID: record.NoProducerID, NextProducerID: record.NoProducerID,
		ProducerEpoch: record.NoProducerEpoch, LastProducerEpoch: record.NoProducerEpoch, TimeoutMs: timeoutMs, PendingState: NoState, StartMs: -1, LastUpdateMs: now}
}

// IsEpochExhausted says that no producer may be given the next epoch: the last one is kept for shutting out
// whoever has the one before (TransactionMetadata.isEpochExhausted).
func IsEpochExhausted(epoch int16) bool { return epoch >= math.MaxInt16-1 }

// PendingTransition says that a transition is being written (pendingTransitionInProgress).
func (m *TransactionMetadata) PendingTransition() bool { return m.PendingState != NoState }

// Contains says that a partition is part of the transaction.
func (m *TransactionMetadata) Contains(tp protocol.TopicPartition) bool {
	_, found := slices.BinarySearchFunc(m.Partitions, tp, protocol.TopicPartition.Compare)
	return found
}

func (m *TransactionMetadata) containsAll(tps []protocol.TopicPartition) bool {
	return !slices.ContainsFunc(tps, func(tp protocol.TopicPartition) bool { return !m.Contains(tp) })
}

// removePartition notes that a partition's marker is written.
func (m *TransactionMetadata) removePartition(tp protocol.TopicPartition) {
	if i, found := slices.BinarySearchFunc(m.Partitions, tp, protocol.TopicPartition.Compare); found {
		m.Partitions = slices.Delete(slices.Clone(m.Partitions), i, i+1)
	}
}

// unchanged is a transition to a state that leaves the rest as it is.
func (m *TransactionMetadata) unchanged(to State) TxnTransitMetadata {
	return TxnTransitMetadata{ProducerID: m.ProducerID, NextProducerID: record.NoProducerID, ProducerEpoch: m.ProducerEpoch,
		LastProducerEpoch: m.LastProducerEpoch, TimeoutMs: m.TimeoutMs, State: to, Partitions: m.Partitions, StartMs: m.StartMs,
		LastUpdateMs: m.LastUpdateMs, ClientVersion: m.ClientVersion}
}

// prepareTransitionTo notes that the transition is being written. A transition that can not be is
// protocol.IllegalState: in Kafka an exception, which whoever asked is told as UNKNOWN_SERVER_ERROR.
func (m *TransactionMetadata) prepareTransitionTo(t TxnTransitMetadata) (TxnTransitMetadata, protocol.Error) {
	v2 := t.ClientVersion >= V2
	if m.PendingTransition() || t.ProducerID < 0 || t.State != Dead && t.ProducerEpoch < 0 ||
		!slices.Contains(t.State.ValidPreviousStates(v2), m.State) {
		return t, protocol.IllegalState
	}
	t.PreviousProducerID = m.ProducerID
	m.PendingState = t.State
	return t, protocol.None
}

// PrepareFenceProducerEpoch raises the epoch, so that whoever has the one in force is shut out. That epoch is
// never given to a producer. Above the last epoch there is none: up to 4.2 an exception, in every try.
//
// Kafka: TransactionMetadata.prepareFenceProducerEpoch.
func (m *TransactionMetadata) PrepareFenceProducerEpoch(rules *release.Rules) (TxnTransitMetadata, protocol.Error) {
	last := m.ProducerEpoch == math.MaxInt16
	if last && !rules.EpochMaximumRecovers {
		return TxnTransitMetadata{}, protocol.IllegalState
	}
	t := m.unchanged(PrepareEpochFence)
	if !m.FailedEpochFence && !last {
		t.ProducerEpoch++
	}
	t.LastProducerEpoch = record.NoProducerEpoch
	return m.prepareTransitionTo(t)
}

// PrepareIncrementProducerEpoch raises the epoch for a producer that begins. expected is the epoch that it
// says it has, -1 of a new process. With the one in force it goes on after an error; with the one before, it
// did not get the answer to that, and is told the same again; with any other it was shut out: PRODUCER_FENCED.
//
// Kafka: TransactionMetadata.prepareIncrementProducerEpoch.
func (m *TransactionMetadata) PrepareIncrementProducerEpoch(timeoutMs int64, expected int16, now int64) (TxnTransitMetadata, protocol.Error) {
	if IsEpochExhausted(m.ProducerEpoch) {
		return TxnTransitMetadata{}, protocol.IllegalState
	}
	t := m.unchanged(Empty)
	switch {
	case expected == record.NoProducerEpoch:
		t.ProducerEpoch, t.LastProducerEpoch = m.ProducerEpoch+1, record.NoProducerEpoch
	case m.ProducerEpoch == record.NoProducerEpoch || expected == m.ProducerEpoch:
		t.ProducerEpoch, t.LastProducerEpoch = m.ProducerEpoch+1, m.ProducerEpoch
	case expected == m.LastProducerEpoch:
	default:
		return t, protocol.ProducerFenced
	}
	t.TimeoutMs, t.Partitions, t.StartMs, t.LastUpdateMs = timeoutMs, nil, -1, now
	return m.prepareTransitionTo(t)
}

// PrepareProducerIDRotation gives the transactional.id another producer id, with epoch 0, since the epochs of
// the one it has are used up. identified says that the producer named the id and the epoch it has.
//
// Kafka: TransactionMetadata.prepareProducerIdRotation.
func (m *TransactionMetadata) PrepareProducerIDRotation(producerID, timeoutMs, now int64, identified bool) (TxnTransitMetadata, protocol.Error) {
	t := m.unchanged(Empty)
	t.LastProducerEpoch = record.NoProducerEpoch
	if identified {
		t.LastProducerEpoch = m.ProducerEpoch
	}
	t.ProducerID, t.ProducerEpoch = producerID, 0
	t.TimeoutMs, t.Partitions, t.StartMs, t.LastUpdateMs = timeoutMs, nil, -1, now
	return m.prepareTransitionTo(t)
}

// PrepareAddPartitions adds partitions to the transaction, the first of which begins it.
//
// Kafka: TransactionMetadata.prepareAddPartitions.
func (m *TransactionMetadata) PrepareAddPartitions(tps []protocol.TopicPartition, clientVersion int, now int64) (TxnTransitMetadata, protocol.Error) {
	t := m.unchanged(Ongoing)
	t.Partitions = append(slices.Clone(m.Partitions), tps...)
	slices.SortFunc(t.Partitions, protocol.TopicPartition.Compare)
	t.Partitions = slices.Compact(t.Partitions)
	if m.State != Ongoing {
		t.StartMs = now
	}
	t.LastUpdateMs, t.ClientVersion = now, clientVersion
	return m.prepareTransitionTo(t)
}

// PrepareAbortOrCommit ends the transaction. With transactions v2 the epoch is raised: the markers bear the
// new one, and what the producer has sent with the old one and arrives later is refused.
//
// nextProducerID takes over once the markers are written, if the epochs are used up; -1 none.
// noPartitionAdded says that there is nothing to abort.
//
// The last epoch there is can not be raised: an abort leaves it as it is from 4.3 on (KAFKA-20090), before it fails.
//
// Kafka: TransactionMetadata.prepareAbortOrCommit.
func (m *TransactionMetadata) PrepareAbortOrCommit(to State, clientVersion int, nextProducerID, now int64, noPartitionAdded bool, rules *release.Rules) (TxnTransitMetadata, protocol.Error) {
	t := m.unchanged(to)
	if clientVersion >= V2 {
		if last := m.ProducerEpoch == math.MaxInt16; last && !(rules.EpochMaximumRecovers && to == PrepareAbort) {
			return t, protocol.IllegalState
		} else if !last {
			t.ProducerEpoch++
		}
		t.LastProducerEpoch = m.ProducerEpoch
	}
	if noPartitionAdded {
		t.StartMs = now
	}
	t.NextProducerID, t.LastUpdateMs, t.ClientVersion = nextProducerID, now, clientVersion
	return m.prepareTransitionTo(t)
}

// PrepareComplete says that all markers are about to be written.
//
// Kafka: TransactionMetadata.prepareComplete.
func (m *TransactionMetadata) PrepareComplete(now int64) (TxnTransitMetadata, protocol.Error) {
	m.FailedEpochFence = false // the end of the transaction was written, and the epoch with it
	t := m.unchanged(CompleteAbort)
	if m.State == PrepareCommit {
		t.State = CompleteCommit
	}
	if m.ClientVersion >= V2 && m.NextProducerID != record.NoProducerID {
		t.ProducerID, t.ProducerEpoch = m.NextProducerID, 0
	}
	t.Partitions, t.LastUpdateMs = nil, now
	return m.prepareTransitionTo(t)
}

// PrepareDead says that the transactional.id is about to be forgotten.
func (m *TransactionMetadata) PrepareDead() (TxnTransitMetadata, protocol.Error) {
	t := m.unchanged(Dead)
	t.Partitions = nil
	return m.prepareTransitionTo(t)
}

// CompleteTransitionTo takes over a transition that is written. IllegalState if it does not follow from what
// is known, which in Kafka is an exception.
//
// Kafka: TransactionMetadata.completeTransitionTo.
func (m *TransactionMetadata) CompleteTransitionTo(t TxnTransitMetadata, rules *release.Rules) protocol.Error {
	if m.PendingState != t.State || !m.validTransition(&t, rules) {
		return protocol.IllegalState
	}
	m.assertTransition(&t)
	// Only a new producer (Empty), or the end of a transaction v2, changes the identity; before KIP-360 there
	// was no identity to remember.
	if t.State == Empty || t.ClientVersion >= V2 {
		m.ProducerEpoch, m.LastProducerEpoch = t.ProducerEpoch, t.LastProducerEpoch
		m.ProducerID, m.NextProducerID = t.ProducerID, t.NextProducerID
		if t.State != PrepareCommit && t.State != PrepareAbort && t.State != Ongoing {
			m.PreviousProducerID = t.PreviousProducerID
		}
	}
	if !rules.EpochBump {
		m.PreviousProducerID, m.LastProducerEpoch = record.NoProducerID, record.NoProducerEpoch
	}
	m.TimeoutMs, m.Partitions = t.TimeoutMs, t.Partitions
	if t.State != Empty || rules.StartMayGoBack { // a new producer does not make the last start forgotten
		m.StartMs = t.StartMs
	}
	m.LastUpdateMs, m.ClientVersion = t.LastUpdateMs, t.ClientVersion
	m.State, m.PendingState = t.State, NoState
	return protocol.None
}

// validTransition: up to 2.4 no transaction may begin before the last one has begun. If the coordinator's clock was put back
// since, or another broker, whose clock is behind, has become the coordinator, the transition is an exception.
func (m *TransactionMetadata) validTransition(t *TxnTransitMetadata, rules *release.Rules) bool {
	sameTimeout := m.TimeoutMs == t.TimeoutMs
	switch t.State {
	case Empty:
		return (m.ProducerEpoch == t.ProducerEpoch || m.validProducerEpochBump(t)) && len(t.Partitions) == 0 && t.StartMs == -1
	case Ongoing:
		return (rules.StartMayGoBack || m.StartMs <= t.StartMs) && m.validProducerEpoch(t) && sameTimeout && (&TransactionMetadata{Partitions: t.Partitions}).containsAll(m.Partitions)
	case PrepareCommit, PrepareAbort:
		begun := m.StartMs == t.StartMs || t.State == PrepareAbort && t.ClientVersion >= V2 && m.State != Ongoing
		return m.validProducerEpoch(t) && sameTimeout && begun && slices.Equal(m.Partitions, t.Partitions)
	case CompleteCommit, CompleteAbort:
		return m.validProducerEpoch(t) && sameTimeout && t.StartMs != -1
	}
	return false // PrepareEpochFence and Dead are never completed
}

func (m *TransactionMetadata) validProducerEpoch(t *TxnTransitMetadata) bool {
	if t.ClientVersion >= V2 {
		switch t.State {
		case CompleteCommit, CompleteAbort:
			if t.ProducerEpoch == 0 { // another producer id takes over
				return t.LastProducerEpoch == m.LastProducerEpoch && t.PreviousProducerID == m.ProducerID
			}
		case PrepareCommit, PrepareAbort:
			return t.LastProducerEpoch == m.ProducerEpoch && t.ProducerID == m.ProducerID
		}
	}
	return t.ProducerEpoch == m.ProducerEpoch && t.ProducerID == m.ProducerID
}

func (m *TransactionMetadata) validProducerEpochBump(t *TxnTransitMetadata) bool {
	return t.ProducerEpoch == m.ProducerEpoch+1 || t.ProducerEpoch == 0 && t.ProducerID != m.ProducerID
}
