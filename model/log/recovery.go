package log

import (
	"kafkatrial/model/planted"
	"kafkatrial/model/record"
	"kafkatrial/model/release"
	"kafkatrial/sim"
)

// Open loads the log in dir (such as "orders-0") from the disk, after an orderly shutdown or a crash.
// checkpointedHW is the value of the high-watermark checkpoint, 0 if there is none.
//
// What survived on the file decides the log end; nothing else can. Leader epochs that begin there or
// later are dropped, those that the checkpoint lacks are taken from the batches, the producers' state comes
// from a snapshot and the batches after it, and the high watermark is brought into the bounds of the log.
// The caller has producers that have expired meanwhile forgotten with RemoveExpiredProducers.
//
// Kafka: LogLoader.load, LogSegment.recover, Partition.createLog. Kafka reads the batches again only after
// an unclean shutdown, and only from the recovery point on; the outcome is the same.
func Open(disk *sim.Disk, dir string, cfg Config, rules *release.Rules, checkpointedHW int64) *UnifiedLog {
	l := &UnifiedLog{dir: dir, disk: disk, file: disk.File(dir), cfg: cfg, rules: rules}
	l.epochs = OpenLeaderEpochFileCache(disk, dir, rules, cfg.Planted)
	l.producers = NewProducerStateManager(disk, dir, cfg.Producers, rules, cfg.Planted)
	l.aborted = OpenTransactionIndex(disk, dir)
	l.baseOffset = l.stored(baseOffsetFile)
	l.logStartOffset = max(l.baseOffset, l.stored(LogStartOffsetFile))
	l.logEndOffset = l.baseOffset
	l.recoveryPoint = l.baseOffset

	blocks := l.file.Blocks()
	l.batches = make([]*record.RecordBatch, len(blocks))
	for i, b := range blocks {
		l.batches[i] = b.(*record.RecordBatch)
		l.logEndOffset = l.batches[i].NextOffset()
		if i < l.file.Flushed() {
			l.recoveryPoint = l.logEndOffset
		}
	}
	if l.logStartOffset > l.logEndOffset { // DeleteRecords went further than what a power loss left
		l.TruncateFullyAndStartAt(l.logStartOffset)
	}
	l.recoverEpochs()
	l.aborted.TruncateTo(l.logEndOffset)
	l.rebuildProducerState(l.logEndOffset)
	l.UpdateHighWatermark(checkpointedHW)
	return l
}

func (l *UnifiedLog) recoverEpochs() {
	if l.rules.LeaderEpochTruncation {
		for _, b := range l.batches {
			if latest, ok := l.epochs.LatestEpoch(); b.PartitionLeaderEpoch >= 0 && (!ok || b.PartitionLeaderEpoch > latest) {
				_, _ = l.epochs.Assign(b.PartitionLeaderEpoch, b.BaseOffset)
			}
		}
	}
	if l.cfg.Planted.On(planted.RecoverEpochs) {
		l.epochs.TruncateFromEnd(l.logEndOffset)
	}
	l.epochs.TruncateFromStart(l.logStartOffset)
}

// Small values that Kafka keeps in file names and in the broker's checkpoint files.
//
// Simplified: the log start offset is durable at once. Kafka writes it every
// log.flush.start.offset.checkpoint.interval.ms, so that a crash may bring deleted records back.
const baseOffsetFile = "base-offset"

func (l *UnifiedLog) stored(name string) int64 {
	v, _ := l.disk.Get(l.dir + "/" + name)
	n, _ := v.(int64)
	return n
}

func (l *UnifiedLog) setLogStartOffset(offset int64) {
	if offset != l.logStartOffset {
		l.logStartOffset = offset
		l.disk.Put(l.dir+"/"+LogStartOffsetFile, offset)
	}
}

func (l *UnifiedLog) setBaseOffset(offset int64) {
	if offset != l.baseOffset {
		l.baseOffset = offset
		l.disk.Put(l.dir+"/"+baseOffsetFile, offset)
	}
}
