package log

import "slices"

// TakeSnapshot writes the state to the disk, if the log has grown since the last time. Of each producer it holds the last
// batch alone: after it is read, a duplicate of an earlier one is not known any more.
//
// Kafka: ProducerStateManager.takeSnapshot, writeSnapshot. It is called when a segment is rolled, when a log is closed in order, and
// at the end of every load. Simplified: there are no segments here, so only the last two.
func (m *ProducerStateManager) TakeSnapshot() {
	if m.lastMapOffset <= m.lastSnapOffset {
		return
	}
	keep := m.snapshots
	if len(keep) >= snapshotsKept {
		keep = keep[len(keep)-snapshotsKept+1:]
	}
	producers := slices.Clone(m.producers)
	for i := range producers {
		producers[i].keepLast(1)
	}
	m.write(append(slices.Clone(keep), producerSnapshot{m.lastMapOffset, producers}))
	m.lastSnapOffset = m.lastMapOffset
}

func (m *ProducerStateManager) write(s []producerSnapshot) {
	m.snapshots = s
	m.disk.Put(m.file, s)
}

func (m *ProducerStateManager) deleteSnapshots(gone func(offset int64) bool) {
	if slices.ContainsFunc(m.snapshots, func(s producerSnapshot) bool { return gone(s.Offset) }) {
		m.write(slices.DeleteFunc(slices.Clone(m.snapshots), func(s producerSnapshot) bool { return gone(s.Offset) }))
	}
}

// TruncateAndReload brings the state to the log between two offsets, after it was cut or opened, as far as
// the snapshots reach: the caller then takes in what the log holds from MapEndOffset on. What has expired at
// now (milliseconds) is not read from a snapshot.
//
// Snapshots at or below the log's start go, and with them what they alone knew: a producer whose records are all
// deleted is known from memory only (KAFKA-7190).
//
// Kafka: ProducerStateManager.truncateAndReload.
func (m *ProducerStateManager) TruncateAndReload(logStart, logEnd, now int64) {
	m.deleteSnapshots(func(at int64) bool { return at > logEnd || at <= logStart })
	if logEnd == m.lastMapOffset {
		m.OnLogStartOffsetIncremented(logStart)
		return
	}
	m.producers, m.ongoing, m.unreplicated = m.producers[:0], m.ongoing[:0], m.unreplicated[:0]
	m.loadFromSnapshot(logStart, now)
	m.updateOldestTxnTimestamp()
}

// loadFromSnapshot reads the newest snapshot.
//
// Kafka: ProducerStateManager.loadFromSnapshot.
func (m *ProducerStateManager) loadFromSnapshot(logStart, now int64) {
	m.lastSnapOffset, m.lastMapOffset = logStart, logStart
	if len(m.snapshots) == 0 {
		return
	}
	newest := &m.snapshots[len(m.snapshots)-1]
	m.lastSnapOffset, m.lastMapOffset = newest.Offset, newest.Offset
	for i := range newest.Producers {
		e := newest.Producers[i]
		if m.isExpired(now, &e) {
			continue
		}
		if !m.rules.ProducerStateKept {
			if e.removeBatchesOlderThan(logStart); e.LastDataOffset() < logStart {
				continue
			}
		}
		m.producers = append(m.producers, e)
		if e.CurrentTxnFirstOffset != NoTransaction {
			m.ongoing = putTxn(m.ongoing, txnMetadata{e.ProducerID, e.CurrentTxnFirstOffset, NoTransaction})
		}
	}
}

// TruncateFullyAndStartAt forgets everything, snapshots too.
func (m *ProducerStateManager) TruncateFullyAndStartAt(offset int64) {
	m.producers, m.ongoing, m.unreplicated = m.producers[:0], m.ongoing[:0], m.unreplicated[:0]
	m.deleteSnapshots(func(int64) bool { return true })
	m.lastSnapOffset, m.lastMapOffset = 0, offset
	m.oldestTxn = -1
}

func (m *ProducerStateManager) isEmpty() bool {
	return len(m.producers) == 0 && len(m.unreplicated) == 0
}
