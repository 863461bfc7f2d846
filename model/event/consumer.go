package event

import (
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
)

// Assigned: the application reads this partition from Offset on.
type Assigned struct {
	TP     protocol.TopicPartition
	Offset int64
	Source PositionSource
}

// Fetched: records came from a broker.
type Fetched struct {
	TP          protocol.TopicPartition
	FirstOffset int64
	NextOffset  int64
	Broker      protocol.BrokerID
	Records     []record.Record
}

// Polled: poll() returned records.
type Polled struct {
	TP          protocol.TopicPartition
	FirstOffset int64
	NextOffset  int64
	Records     []Consumed
}

// Processed: the effect of a record took place.
type Processed struct {
	TP         protocol.TopicPartition
	Offset     int64
	Submission int32
	Record     *record.Record
}

// CommitSent: a commit was sent.
type CommitSent struct {
	TP     protocol.TopicPartition
	Offset int64
}

// Committed: a commit was answered.
type Committed struct {
	TP     protocol.TopicPartition
	Offset int64
}

// CommitFailed: a commit failed; the position may be committed nevertheless.
type CommitFailed struct {
	TP     protocol.TopicPartition
	Offset int64
	Err    protocol.Error
}

// PositionReset: the consumer goes on elsewhere.
type PositionReset struct {
	TP     protocol.TopicPartition
	From   int64 // -1: it had no position
	To     int64
	Source PositionSource
}

// TruncationSeen: a consumer found that its position is not on the leader's log.
type TruncationSeen struct {
	TP        protocol.TopicPartition
	Position  int64
	EndOffset int64 // where the leader's epoch ends; -1: it does not know the epoch
}

// EndOffset: a consumer was told the end of a partition.
type EndOffset struct {
	TP          protocol.TopicPartition
	Offset      int64
	LeaderEpoch int32
	Broker      protocol.BrokerID
}

// ConsumerFailed: the application got an exception, and it leaves the loop.
type ConsumerFailed struct {
	TP       protocol.TopicPartition
	Position int64          // -1 none
	Err      protocol.Error // None and no TP: its own code threw
	From     Thrower        // whose call threw
}

// GroupJoined: a consumer is a member.
type GroupJoined struct {
	Generation int32
	Partitions int64 // how many it is given
	Member     string
}

// AssignmentTaken: the partition is given to this member.
type AssignmentTaken struct {
	TP         protocol.TopicPartition
	Generation int32
	Member     string
}

// GroupTold: a heartbeat or a commit was answered with an error.
type GroupTold struct {
	Err        protocol.Error
	Generation int32 // the one it named
	Group      string
}

// PartitionRevoked: a consumer gives the partition up.
type PartitionRevoked struct {
	TP         protocol.TopicPartition
	Generation int32 // in which it had it
	Lost       bool  // it had lost it already: it is no member any more
}

// VerbBegan: the application's program counter moved.
type VerbBegan struct {
	PC   int64 // index of the verb
	Verb string
}

// ProcessFailed: the application's code threw while it processed a record.
type ProcessFailed struct {
	TP     protocol.TopicPartition
	Offset int64
	Record string
}

// CallRepeated: after a time-out the application makes the same call again.
type CallRepeated struct {
	Call string
}

// BatchGivenUp: after an abort the application goes on behind what it aborted.
type BatchGivenUp struct {
	Records int64 // how many
}

// CommitRedone: the application takes a commit whose result is open for failed, and begins with the same records again.
type CommitRedone struct {
	Records int64 // how many
}

// StoreUpdated: a record changed what the application keeps in memory.
type StoreUpdated struct {
	TP     protocol.TopicPartition
	Offset int64 // of the record
	Count  int64 // of the key now
	Key    string
}

// StoreRestored: a partition of the changelog was read back.
type StoreRestored struct {
	TP   protocol.TopicPartition
	Keys int64 // how many
	End  int64 // up to here
}

// SourcePositionRead: a source read back how far it had come.
type SourcePositionRead struct {
	TP    protocol.TopicPartition
	Row   int64 // the last row that was passed on
	Table string
}
