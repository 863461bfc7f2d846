// Package log holds one replica's log: the batches on its disk, the offsets that bound what may be read,
// and the cache of leader epochs. It knows nothing of other replicas.
package log

import (
	"kafkatrial/model/planted"
	"kafkatrial/model/record"
	"kafkatrial/model/release"
	"kafkatrial/sim"
)

// Config holds the settings that a log needs, with Kafka's keys.
type Config struct {
	// FlushMessages is flush.messages (log.flush.interval.messages of the broker): so many records are
	// appended before an fsync. 0 leaves it to the operating system, as Kafka's default of 2⁶³−1 does.
	FlushMessages int64
	LogAppendTime bool                       // message.timestamp.type=LogAppendTime
	Producers     ProducerStateManagerConfig // read when the log is opened

	Planted planted.Set // guards switched off, in tests only
}

// Isolation says how far a reader may read (FetchIsolation).
type Isolation uint8

// The isolations of a fetch.
const (
	FetchLogEnd        Isolation = iota // a follower reads to the log end offset
	FetchHighWatermark                  // a consumer with isolation.level=read_uncommitted
	FetchTxnCommitted                   // a consumer with isolation.level=read_committed: to the last stable offset
)

// AppendInfo tells what an append did (LogAppendInfo). With nothing appended, LastOffset is
// FirstOffset-1.
type AppendInfo struct {
	FirstOffset, LastOffset int64
	LastLeaderEpoch         int  // record.NoLeaderEpoch if nothing was appended
	EpochChanged            bool // the leader epoch cache got an entry
	// Duplicate: the log had the batch already. Nothing was appended; the offsets are those it has.
	Duplicate bool
	// LastSequence is, of a batch refused for its sequence, the last one appended of its producer;
	// record.NoSequence if none is known.
	LastSequence int32
	Flushed      bool
	// Completed is the transaction that a marker has ended; its FirstOffset is NoTransaction if none was open.
	Completed CompletedTxn
}

// UnifiedLog is one replica's log. Opening it is recovery: everything it knows comes from the disk.
//
//	LogStartOffset ≤ HighWatermark ≤ LogEndOffset
//
// Appending is amortised O(1), finding an offset is O(log n) in the number of batches.
//
// Simplified: there are no segments. Retention may delete any whole batch from the front, where Kafka
// deletes whole segments.
type UnifiedLog struct {
	dir    string
	disk   *sim.Disk
	file   *sim.File
	cfg    Config
	rules  *release.Rules
	epochs *LeaderEpochFileCache

	producers *ProducerStateManager
	aborted   *TransactionIndex
	load      ProducerStateLoad
	evicted   []int64 // producers forgotten since EvictedProducers was last asked

	// batches is what file holds, typed. Readers and messages under way share it, so what lies below
	// its length is never written again: a cut also cuts its capacity.
	batches []*record.RecordBatch

	baseOffset     int64 // the name of the first segment: where the log begins if it is empty
	logStartOffset int64
	logEndOffset   int64
	highWatermark  int64
	recoveryPoint  int64
}

// Dir is the name of the log's directory, such as "orders-0".
func (l *UnifiedLog) Dir() string { return l.dir }

// LogEndOffset is the offset of the next record.
func (l *UnifiedLog) LogEndOffset() int64 { return l.logEndOffset }

// LogStartOffset is the first offset that may be read.
func (l *UnifiedLog) LogStartOffset() int64 { return l.logStartOffset }

// HighWatermark is the offset below which everything is known to be committed.
func (l *UnifiedLog) HighWatermark() int64 { return l.highWatermark }

// RecoveryPoint is the offset below which everything survives a power loss.
func (l *UnifiedLog) RecoveryPoint() int64 { return l.recoveryPoint }

// Epochs is the leader epoch cache.
func (l *UnifiedLog) Epochs() *LeaderEpochFileCache { return l.epochs }

// Aborted is the index of aborted transactions.
func (l *UnifiedLog) Aborted() *TransactionIndex { return l.aborted }

// LatestEpoch is the latest epoch of the cache: that of the last batch, or that of this broker's own
// term if it leads and has not written yet. ok is false if there is none, as before KIP-101.
func (l *UnifiedLog) LatestEpoch() (epoch int, ok bool) { return l.epochs.LatestEpoch() }

// Batches gives the whole content, oldest first, for checks and views. The caller must not change it.
func (l *UnifiedLog) Batches() []*record.RecordBatch { return l.batches }

// SetConfig replaces the settings, as a change of a topic's configuration does.
func (l *UnifiedLog) SetConfig(cfg Config) { l.cfg = cfg }
