package log

import (
	"slices"
	"sort"

	"kafkatrial/model/planted"
	"kafkatrial/model/record"
	"kafkatrial/model/release"
	"kafkatrial/sim"
)

// ProducerStateManagerConfig holds the settings of a ProducerStateManager, in milliseconds.
type ProducerStateManagerConfig struct {
	// ProducerIDExpiration is producer.id.expiration.ms (transactional.id.expiration.ms before 3.4); 0: never.
	ProducerIDExpiration int64
	// MaxTransactionTimeout is transaction.max.timeout.ms.
	MaxTransactionTimeout int64
	// TransactionVerification is transaction.partition.verification.enable (from 3.6): the coordinator must have
	// confirmed a transaction before its first batch is appended.
	TransactionVerification bool
}

// lateTransactionBuffer is how long after the largest transaction.timeout.ms an open transaction counts as
// late, in milliseconds (ProducerStateManager.LATE_TRANSACTION_BUFFER_MS).
const lateTransactionBuffer = 5 * 60 * 1000

// ProducerStateManager is what one replica knows of the producers that write to it: by it a leader knows
// again what it has appended before, sees what does not come next, and fences older epochs. It is made from
// the log, and every replica makes its own; a new leader therefore knows what its log knows.
//
// Producers are kept in order of their id, so that nothing depends on a map. Finding one is O(log n).
//
// Kafka: ProducerStateManager.
type ProducerStateManager struct {
	disk    *sim.Disk
	file    string
	cfg     ProducerStateManagerConfig
	rules   *release.Rules
	planted planted.Set

	producers    []ProducerStateEntry     // by id
	verification []VerificationStateEntry // by id
	lastGuard    VerificationGuard
	ongoing      []txnMetadata // by first offset
	unreplicated []txnMetadata // ended, with the marker above the high watermark; by first offset
	oldestTxn    int64         // timestamp of the producer of the oldest open transaction, -1 none

	snapshots      []producerSnapshot // by offset; never written in place once on the disk
	lastMapOffset  int64              // the state is that of the log up to here
	lastSnapOffset int64
}

type txnMetadata struct {
	producerID              int64
	firstOffset, lastOffset int64 // lastOffset is NoTransaction while it is open
}

// producerSnapshot is the file NNN.snapshot: the state of the log up to Offset.
type producerSnapshot struct {
	Offset    int64
	Producers []ProducerStateEntry
}

// snapshotsKept is how many snapshots a log has at most. Kafka keeps one a segment.
const snapshotsKept = 2

// ProducerSnapshotFile is where, in a log's directory, the snapshots are.
const ProducerSnapshotFile = "producer-snapshots"

// NewProducerStateManager makes the state of an empty log in dir (such as "orders-0"), and finds its snapshots.
// TruncateAndReload reads them.
func NewProducerStateManager(disk *sim.Disk, dir string, cfg ProducerStateManagerConfig, rules *release.Rules, off planted.Set) *ProducerStateManager {
	m := &ProducerStateManager{disk: disk, file: dir + "/" + ProducerSnapshotFile, cfg: cfg, rules: rules, planted: off, oldestTxn: -1}
	if v, ok := disk.Get(m.file); ok {
		m.snapshots = v.([]producerSnapshot)
	}
	return m
}

// retain is how many batches of a producer are remembered.
func (m *ProducerStateManager) retain() int {
	if !m.rules.FiveBatches || !m.planted.On(planted.FiveBatches) {
		return 1
	}
	return numBatchesToRetain
}

func (m *ProducerStateManager) find(id int64) (int, bool) {
	return sort.Find(len(m.producers), func(i int) int {
		switch at := m.producers[i].ProducerID; {
		case id < at:
			return -1
		case id > at:
			return 1
		}
		return 0
	})
}

// LastEntry is what is known of a producer, nil if nothing is. The caller must not change it, and it is
// valid until the next call that changes the state.
func (m *ProducerStateManager) LastEntry(id int64) *ProducerStateEntry {
	if i, ok := m.find(id); ok {
		return &m.producers[i]
	}
	return nil
}

// ActiveProducers gives all that is known, by producer id. The caller must not change it.
func (m *ProducerStateManager) ActiveProducers() []ProducerStateEntry { return m.producers }

// MapEndOffset is the offset up to which the log is in the state.
func (m *ProducerStateManager) MapEndOffset() int64 { return m.lastMapOffset }

// LatestSnapshotOffset is the offset of the newest snapshot; ok is false if there is none.
func (m *ProducerStateManager) LatestSnapshotOffset() (offset int64, ok bool) {
	if n := len(m.snapshots); n > 0 {
		return m.snapshots[n-1].Offset, true
	}
	return 0, false
}

// FindDuplicateBatch finds a batch that this log has already, among the last ones of its producer.
//
// Kafka: UnifiedLog.analyzeAndValidateProducerState.
func (m *ProducerStateManager) FindDuplicateBatch(b *record.RecordBatch) (BatchMetadata, bool) {
	if e := m.LastEntry(b.ProducerID); e != nil && m.planted.On(planted.DuplicateBatches) {
		return e.findDuplicateBatch(b)
	}
	return BatchMetadata{}, false
}

// PrepareUpdate begins an append of one producer.
func (m *ProducerStateManager) PrepareUpdate(id int64, origin AppendOrigin) ProducerAppendInfo {
	current := emptyProducerState(id)
	if e := m.LastEntry(id); e != nil {
		current = *e
	}
	updated := current
	updated.n = 0
	return ProducerAppendInfo{manager: m, origin: origin, current: current, updated: updated, started: NoTransaction}
}

// Update takes over an append that was written. A transaction that it has ended is to be given to
// CompleteTxn.
func (m *ProducerStateManager) Update(info *ProducerAppendInfo) {
	m.assertForward(info)
	i, known := m.find(info.updated.ProducerID)
	if known {
		m.producers[i].update(&info.updated, m.retain())
	} else {
		m.producers = slices.Insert(m.producers, i, info.updated)
	}
	m.assertRemembered(&m.producers[i])
	if info.started != NoTransaction {
		m.ongoing = putTxn(m.ongoing, txnMetadata{info.updated.ProducerID, info.started, NoTransaction})
	}
	m.updateOldestTxnTimestamp()
}

func putTxn(s []txnMetadata, t txnMetadata) []txnMetadata {
	i := sort.Search(len(s), func(i int) bool { return s[i].firstOffset >= t.firstOffset })
	if i < len(s) && s[i].firstOffset == t.firstOffset {
		s[i] = t
		return s
	}
	return slices.Insert(s, i, t)
}

// UpdateMapEndOffset says up to where the log has been taken in.
func (m *ProducerStateManager) UpdateMapEndOffset(offset int64) { m.lastMapOffset = offset }

// LastStableOffset is what the last stable offset will be once a transaction has ended, apart from the high
// watermark: the first offset of the oldest other open transaction, or the one after the marker.
func (m *ProducerStateManager) LastStableOffset(t CompletedTxn) int64 {
	for _, o := range m.ongoing {
		if o.producerID != t.ProducerID {
			return o.firstOffset
		}
	}
	return t.LastOffset + 1
}

// CompleteTxn notes that a transaction has ended. Its records stay unstable until the high watermark has
// passed the marker.
func (m *ProducerStateManager) CompleteTxn(t CompletedTxn) {
	m.assertEnded(t)
	m.ongoing = slices.DeleteFunc(m.ongoing, func(o txnMetadata) bool { return o.firstOffset == t.FirstOffset })
	m.unreplicated = putTxn(m.unreplicated, txnMetadata{t.ProducerID, t.FirstOffset, t.LastOffset})
	m.updateOldestTxnTimestamp()
}

// FirstUnstableOffset is the first offset of which it is not settled, or not yet replicated, whether it was
// committed; ok is false if there is none.
func (m *ProducerStateManager) FirstUnstableOffset() (offset int64, ok bool) {
	switch {
	case len(m.ongoing) == 0 && len(m.unreplicated) == 0:
		return 0, false
	case len(m.ongoing) == 0:
		return m.unreplicated[0].firstOffset, true
	case len(m.unreplicated) == 0:
		return m.ongoing[0].firstOffset, true
	}
	return min(m.ongoing[0].firstOffset, m.unreplicated[0].firstOffset), true
}

// OnHighWatermarkUpdated settles the transactions whose marker is below the high watermark.
func (m *ProducerStateManager) OnHighWatermarkUpdated(highWatermark int64) {
	m.removeUnreplicatedTransactions(highWatermark)
}

func (m *ProducerStateManager) removeUnreplicatedTransactions(offset int64) {
	if len(m.unreplicated) > 0 {
		m.unreplicated = slices.DeleteFunc(m.unreplicated, func(t txnMetadata) bool { return t.lastOffset < offset })
	}
}

// HasLateTransaction says that an open transaction is older than any time-out allows: it hangs. now is in
// milliseconds. It looks at the timestamp of the last batch, so it notices late.
func (m *ProducerStateManager) HasLateTransaction(now int64) bool {
	return m.oldestTxn > 0 && now-m.oldestTxn > m.cfg.MaxTransactionTimeout+lateTransactionBuffer
}

func (m *ProducerStateManager) updateOldestTxnTimestamp() {
	m.oldestTxn = -1
	if len(m.ongoing) > 0 {
		if e := m.LastEntry(m.ongoing[0].producerID); e != nil {
			m.oldestTxn = e.LastTimestamp
		}
	}
}

// OnLogStartOffsetIncremented takes note that what lies below offset has been deleted. From 2.4 on the
// producers stay known until they expire (KAFKA-7190). Up to 2.3 a producer is forgotten with its last
// record; the ids of those that went are returned.
//
// Kafka: ProducerStateManager.onLogStartOffsetIncremented, truncateHead up to 2.7.
func (m *ProducerStateManager) OnLogStartOffsetIncremented(offset int64) (evicted []int64) {
	if !m.rules.ProducerStateKept {
		evicted = m.evictBelow(offset)
	}
	m.removeUnreplicatedTransactions(offset)
	m.lastMapOffset = max(m.lastMapOffset, offset)
	m.deleteSnapshots(func(at int64) bool { return at < offset })
	m.lastSnapOffset = offset
	if at, ok := m.LatestSnapshotOffset(); ok {
		m.lastSnapOffset = at
	}
	return evicted
}

func (m *ProducerStateManager) evictBelow(offset int64) (evicted []int64) {
	kept := m.producers[:0]
	for i := range m.producers {
		e := &m.producers[i]
		if e.removeBatchesOlderThan(offset); e.LastDataOffset() >= offset {
			kept = append(kept, *e)
			continue
		}
		id := e.ProducerID
		evicted = append(evicted, id)
		m.ongoing = slices.DeleteFunc(m.ongoing, func(t txnMetadata) bool { return t.producerID == id })
	}
	m.producers = kept
	return evicted
}

// RemoveExpiredProducers forgets the producers that have written nothing for producer.id.expiration.ms, and
// gives their ids. A producer with an open transaction stays. now is in milliseconds, and is compared with the
// timestamps that the batches bear.
func (m *ProducerStateManager) RemoveExpiredProducers(now int64) (expired []int64) {
	kept := m.producers[:0]
	for i := range m.producers {
		if e := &m.producers[i]; m.isExpired(now, e) {
			expired = append(expired, e.ProducerID)
		} else {
			kept = append(kept, *e)
		}
	}
	m.producers = kept
	m.verification = slices.DeleteFunc(m.verification, func(v VerificationStateEntry) bool {
		return m.cfg.ProducerIDExpiration > 0 && now-v.Timestamp >= m.cfg.ProducerIDExpiration
	})
	return expired
}

// isExpired: a producer without any timestamp is older than every bound, since simulated clocks begin where NoTimestamp
// lies.
func (m *ProducerStateManager) isExpired(now int64, e *ProducerStateEntry) bool {
	return m.cfg.ProducerIDExpiration > 0 && e.CurrentTxnFirstOffset == NoTransaction &&
		(e.LastTimestamp == record.NoTimestamp || now-e.LastTimestamp >= m.cfg.ProducerIDExpiration)
}
