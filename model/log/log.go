// Package log holds one replica's log: the batches on its disk, the offsets that bound what may be read,
// and the cache of leader epochs. It knows nothing of other replicas.
package log

import (
	"kafkatrial/model/generation"
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// Disk is what a log needs of a node's disk (sim.Disk).
type Disk interface {
	File(name string) *sim.File
	Remove(name string)
	Put(name string, value any)
	Get(name string) (any, bool)
	Delete(name string)
}

// Config holds the settings that a log needs, with Kafka's keys.
type Config struct {
	FlushMessages int64 // flush.messages: records appended before an fsync; 0 leaves it to the operating system (Kafka's default, 2⁶³−1)
	LogAppendTime bool  // message.timestamp.type=LogAppendTime

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
	Flushed                 bool
}

// UnifiedLog is one replica's log. Opening it is recovery: everything it knows comes from the disk.
//
//	LogStartOffset ≤ HighWatermark ≤ LogEndOffset
//
// Appending is amortised O(1), finding an offset O(log batches).
type UnifiedLog struct {
	dir    string
	disk   Disk
	file   *sim.File
	cfg    Config
	rules  *generation.Rules
	epochs *LeaderEpochFileCache

	batches []*record.Batch // what is in file, typed; never written in place below its length

	logStartOffset int64
	logEndOffset   int64
	highWatermark  int64
	recoveryPoint  int64 // everything before it is flushed
}

// Dir is the name of the log's directory, such as "orders-0".
func (l *UnifiedLog) Dir() string { return l.dir }

// LogEndOffset is the offset of the next record.
func (l *UnifiedLog) LogEndOffset() int64 { return l.logEndOffset }

// LogStartOffset is the first offset that may be read.
func (l *UnifiedLog) LogStartOffset() int64 { return l.logStartOffset }

// HighWatermark is the offset below which everything is known to be committed.
func (l *UnifiedLog) HighWatermark() int64 { return l.highWatermark }

// RecoveryPoint is the offset below which everything is on the platter.
func (l *UnifiedLog) RecoveryPoint() int64 { return l.recoveryPoint }

// Epochs is the leader epoch cache.
func (l *UnifiedLog) Epochs() *LeaderEpochFileCache { return l.epochs }

// Batches gives the whole content, oldest first, for checks and views. The caller must not change it.
func (l *UnifiedLog) Batches() []*record.Batch { return l.batches }

// LastStableOffset bounds what a read_committed consumer may read. Without open transactions it is the
// high watermark.
func (l *UnifiedLog) LastStableOffset() int64 { return l.highWatermark }

// Open is below in recovery.go; the rest of the type is in append.go, read.go and truncate.go.
var _ = protocol.None
