// Package event holds everything that the model tells of a run: one Go type a kind of event, with named fields.
// Events are the one record of a run; transcripts, screens and verdicts are views of them. An event is
// recorded where the state changes, by the node whose state it is, and is never changed afterwards.
//
// Catalogue has a row for each kind; methods.go follows from the types and the catalogue (go test ./model/event/methods -update), so
// that a kind without a row, or a field of a type that nobody knows how to hash, fails a test.
//
// Offsets, log ends and high watermarks are offsets of records; times are milliseconds where a name ends in Ms. A partition's
// events have the partition in TP.
package event

import (
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// Event is what every type of this package is, as a pointer.
type Event interface {
	sim.Event
	// Kind is the row of the catalogue.
	Kind() *Kind
}

// KindOf gives the row of the catalogue of an event of the model; nil of no event.
func KindOf(e sim.Event) *Kind {
	if e, ok := e.(Event); ok {
		return e.Kind()
	}
	return nil
}

// Partition gives the partition that an event is about; the zero value if it is about none.
func Partition(e sim.Event) protocol.TopicPartition {
	if e, ok := e.(interface {
		Partition() protocol.TopicPartition
	}); ok {
		return e.Partition()
	}
	return protocol.TopicPartition{}
}

// Batch gives the batch that an event speaks of, nil if it speaks of none.
func Batch(e sim.Event) *record.RecordBatch {
	if e, ok := e.(interface{ batch() *record.RecordBatch }); ok {
		return e.batch()
	}
	return nil
}

// Consumed is a record as an application got it.
type Consumed struct {
	TP     protocol.TopicPartition
	Offset int64
	Record *record.Record
}

// TruncationRule says why a log was cut where it was.
type TruncationRule string

// The rules of truncation.
const (
	ToHighWatermark   TruncationRule = "to-high-watermark"    // to the follower's own, before KIP-101
	ToEpochEnd        TruncationRule = "to-epoch-end"         // OffsetForLeaderEpoch: KIP-101
	ToEpochEndOfEpoch TruncationRule = "to-epoch-end-kip-279" // with the epoch in the answer: KIP-279
	ToDivergence      TruncationRule = "to-divergence"        // as the fetch says: KIP-595
	ToLeaderLogEnd    TruncationRule = "to-leader-log-end"    // out of range: the leader's log ends before its own
	FullyToLogStart   TruncationRule = "fully-to-log-start"   // out of range: its log ends before the leader's begins
)

// TruncationRules lists them.
var TruncationRules = []TruncationRule{ToHighWatermark, ToEpochEnd, ToEpochEndOfEpoch, ToDivergence, ToLeaderLogEnd, FullyToLogStart}

// ForgottenBecause says why a log forgot a producer.
type ForgottenBecause string

// Why a producer is forgotten.
const (
	Expired ForgottenBecause = "expired" // idle for too long
	Deleted ForgottenBecause = "deleted" // with its last record
)

// DroppedBecause says why a producer gave its id up.
type DroppedBecause string

// Why an id is given up.
const (
	BatchesExpired DroppedBecause = "batches-expired" // several that may have been written
	BatchExpired   DroppedBecause = "batch-expired"   // one that may have been written
	BatchRefused   DroppedBecause = "batch-refused"   // Err says how
)

// PositionSource says where a consumer's position came from.
type PositionSource string

// The sources of positions.
const (
	FromCommitted  PositionSource = "committed"  // by the group
	FromEarliest   PositionSource = "earliest"   // auto.offset.reset
	FromLatest     PositionSource = "latest"     // auto.offset.reset
	FromTruncation PositionSource = "truncation" // KIP-320
	FromSeek       PositionSource = "seek"       // by the application
	FromRewind     PositionSource = "rewind"     // to what was committed last
	FromStored     PositionSource = "stored"     // in a database
	FromStaged     PositionSource = "staged"     // in a database, in its staging place
)

// Thrower says whose call threw the exception that leaves the loop.
type Thrower string

// Who throws.
const (
	ByConsumer Thrower = "consumer" // the KafkaConsumer, or the application's own code
	ByProducer Thrower = "producer" // its producer
	ByDatabase Thrower = "database" // DatabaseFailed says why
)

// RolledBackBecause says why a database rolled a transaction back.
type RolledBackBecause string

// Why a transaction is rolled back.
const (
	AsAsked     RolledBackBecause = "asked"
	SessionGone RolledBackBecause = "session-gone"
	Refused     RolledBackBecause = "refused" // Err says how
)

// Marker is what a transaction marker says.
type Marker string

// The markers.
const (
	Commit Marker = "COMMIT"
	Abort  Marker = "ABORT"
)

// Topic gives the topic that an event is about, with or without a partition; empty if it is about none.
func Topic(e sim.Event) string {
	switch e := e.(type) {
	case *TopicChanged:
		return e.Topic
	case *ConfigChanged:
		return e.Topic
	}
	return Partition(e).Topic
}
