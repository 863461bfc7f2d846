package log

import (
	"kafkatrial/model/planted"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// Assertions: what holds in every release, whatever has struck (sim.Defect). Where a guard that a test takes away keeps one of
// them, the assertion goes with the guard: the checker is to notice then.

// assertBounds is called wherever one of the four offsets has moved. The high watermark is within the log after a power loss too:
// Open brings the checkpoint into what is left.
//
// Kafka: UnifiedLog.updateHighWatermarkMetadata, LocalLog.checkLogOffset, UnifiedLog.fetchLastStableOffsetMetadata.
func (l *UnifiedLog) assertBounds() {
	if hw := l.highWatermark; l.logStartOffset > hw || hw > l.logEndOffset && l.cfg.Planted.Asserts(planted.HWBelowLEO) || l.recoveryPoint > max(hw, l.logEndOffset) {
		sim.Broken("log start <= HW <= LEO, recovery point <= LEO", "%s has log start %d, HW %d, LEO %d, recovery point %d",
			l.dir, l.logStartOffset, l.highWatermark, l.logEndOffset, l.recoveryPoint)
	}
}

// assertStable is called with each last stable offset that is told.
func (l *UnifiedLog) assertStable(lso int64) int64 {
	if lso > l.highWatermark || lso < l.logStartOffset {
		sim.Broken("log start <= LSO <= HW", "%s has log start %d, LSO %d, HW %d", l.dir, l.logStartOffset, lso, l.highWatermark)
	}
	return lso
}

// assertNext is called before a batch is appended: offsets ascend.
func (l *UnifiedLog) assertNext(b *record.RecordBatch) {
	if (b.BaseOffset < l.logEndOffset || b.LastOffsetDelta < 0) && l.cfg.Planted.Asserts(planted.ContiguousAppend) {
		sim.Broken("offsets ascend in a log", "%s ends at %d, and a batch from %d to %d is appended", l.dir, l.logEndOffset, b.BaseOffset, b.LastOffset())
	}
}

// assertAscending is called with what the cache is to hold: epochs ascend, and their starts do not go back.
// Up to 2.0.0 an epoch in which nothing was written shares its start with the next.
func (c *LeaderEpochFileCache) assertAscending(entries []EpochEntry) {
	for i := 1; i < len(entries); i++ {
		if a, b := entries[i-1], entries[i]; a.Epoch >= b.Epoch || a.StartOffset > b.StartOffset || a.StartOffset == b.StartOffset && c.rules.EpochStartNoted {
			sim.Broken("epochs and their starts ascend in the leader epoch cache", "%s has epoch %d from %d before epoch %d from %d", c.name, a.Epoch, a.StartOffset, b.Epoch, b.StartOffset)
		}
	}
}

// assertForward is called with what an append is about to make known of a producer: a leader takes nothing of an older epoch.
// A follower takes what its leader has.
func (m *ProducerStateManager) assertForward(info *ProducerAppendInfo) {
	if was, is := info.current.ProducerEpoch, info.updated.ProducerEpoch; is < was && info.origin != OriginReplication && m.planted.Asserts(planted.ProducerEpoch) {
		sim.Broken("a producer's epoch does not go back at a leader", "%s has epoch %d of producer %d, and takes epoch %d", m.file, was, info.updated.ProducerID, is)
	}
}

// assertRemembered is called with a producer that has just got a batch: the batches that are remembered lie one behind the other.
func (m *ProducerStateManager) assertRemembered(e *ProducerStateEntry) {
	if n := e.n; n > 1 && e.retained[n-2].LastOffset >= e.retained[n-1].FirstOffset() && m.planted.Asserts(planted.ContiguousAppend) {
		sim.Broken("the batches that are remembered of a producer ascend", "%s has a batch of producer %d that ends at %d before one that begins at %d",
			m.file, e.ProducerID, e.retained[n-2].LastOffset, e.retained[n-1].FirstOffset())
	}
}

// assertEnded is called with a transaction that has ended: its marker is behind its first record.
func (m *ProducerStateManager) assertEnded(t CompletedTxn) {
	if t.FirstOffset >= t.LastOffset {
		sim.Broken("a marker is behind the transaction that it ends", "%s has a marker of producer %d at %d for a transaction that begins at %d", m.file, t.ProducerID, t.LastOffset, t.FirstOffset)
	}
}
