package event

import (
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// LeaderAppended: a leader appended a batch.
type LeaderAppended struct {
	TP           protocol.TopicPartition
	BaseOffset   int64 // the batch's first offset
	LogEndOffset int64 // log end after it
	LeaderEpoch  int32
	Batch        *record.RecordBatch // as appended
}

// FollowerAppended: a follower appended a batch that it fetched.
type FollowerAppended struct {
	TP           protocol.TopicPartition
	BaseOffset   int64               // the batch's first offset
	LogEndOffset int64               // log end after it
	LeaderEpoch  int32               // of the batch
	Batch        *record.RecordBatch // as appended
}

// Truncated: a replica cut its log.
type Truncated struct {
	TP     protocol.TopicPartition
	NewEnd int64                 // log end after it
	OldEnd int64                 // log end before it
	Rule   TruncationRule        // the rule that said so
	Cut    []*record.RecordBatch // the batches that are gone
}

// HighWatermark: a replica's high watermark moved.
type HighWatermark struct {
	TP     protocol.TopicPartition
	From   int64
	To     int64
	Leader bool // by the leader; else by a follower
}

// LogStart: the start of a log moved: what is before To is deleted.
type LogStart struct {
	TP   protocol.TopicPartition
	From int64
	To   int64
}

// BecameLeader: a broker leads.
type BecameLeader struct {
	TP            protocol.TopicPartition
	LeaderEpoch   int32
	LogEndOffset  int64
	HighWatermark int64
}

// BecameFollower: a broker follows.
type BecameFollower struct {
	TP            protocol.TopicPartition
	LeaderEpoch   int32
	Leader        protocol.BrokerID // whom it follows; NoBroker: nobody leads
	HighWatermark int64
}

// Recovered: a log as it was found on disk at the start.
type Recovered struct {
	TP            protocol.TopicPartition
	LogEndOffset  int64
	HighWatermark int64
	Orderly       bool // the process before ended in order
}

// Flushed: a log is durable up to an offset.
type Flushed struct {
	TP     protocol.TopicPartition
	Offset int64
}

// ISRProposed: a leader asked for another ISR.
type ISRProposed struct {
	TP             protocol.TopicPartition
	PartitionEpoch int32               // the one it builds on
	Expands        bool                // the ISR grows; else it shrinks
	ISR            []protocol.BrokerID // as proposed
}

// ISRCommitted: a leader learned that its ISR change is made.
type ISRCommitted struct {
	TP             protocol.TopicPartition
	PartitionEpoch int32
	ISR            []protocol.BrokerID // as it is now
}

// ISRRefused: a leader learned that its ISR change is not made.
type ISRRefused struct {
	TP  protocol.TopicPartition
	Err protocol.Error
	ISR []protocol.BrokerID // as proposed
}

// ProduceRefused: a leader refused a batch, or failed it after the append.
type ProduceRefused struct {
	TP           protocol.TopicPartition
	Err          protocol.Error
	LastSequence int64               // of a batch that is not in sequence: the last sequence number appended, -1 none
	AfterAppend  bool                // it had been appended
	Batch        *record.RecordBatch // as sent
}

// ProduceAnswered: a leader answered a produce request: the batch is acknowledged.
type ProduceAnswered struct {
	TP         protocol.TopicPartition
	BaseOffset int64
	Acks       protocol.Acks
	Client     sim.NodeID
	Batch      *record.RecordBatch // as appended
}

// FetchRefused: a broker refused a fetch.
type FetchRefused struct {
	TP      protocol.TopicPartition
	Err     protocol.Error
	Replica protocol.BrokerID // who asked; ConsumerReplicaID: a consumer
	Offset  int64             // asked for
}

// EpochAnswered: a leader answered OffsetForLeaderEpoch.
type EpochAnswered struct {
	TP        protocol.TopicPartition
	Asked     int32 // epoch asked for
	EndOffset int64 // as told
	Epoch     int32 // as told
}

// OffsetsCommitted: a coordinator took over a position.
type OffsetsCommitted struct {
	TP     protocol.TopicPartition
	Offset int64
	Group  string
}

// ShutdownBegan: a broker began a controlled shutdown, or halts itself.
type ShutdownBegan struct {
	TP           protocol.TopicPartition
	Offset       int64 // of a halt: the leader's log end
	LogEndOffset int64 // of a halt: its own
	Halts        bool  // it stops at once, since its log is longer than its leader's (TP says which)
}

// ShutdownDone: the clean-shutdown mark is on disk.
type ShutdownDone struct{}

// BrokerRegistered: a broker learned its epoch.
type BrokerRegistered struct {
	Epoch int64 // broker epoch; -1 before KIP-380
}

// DuplicateRecognised: a leader had the batch already, and appends nothing.
type DuplicateRecognised struct {
	TP           protocol.TopicPartition
	BaseOffset   int64 // that it has there
	LogEndOffset int64
	Batch        *record.RecordBatch // as sent
}

// ProducerStateForgotten: a log forgot what it knew of a producer.
type ProducerStateForgotten struct {
	TP         protocol.TopicPartition
	ProducerID int64
	Why        ForgottenBecause
}

// ProducerStateLoaded: the producers that a log knows at the start.
type ProducerStateLoaded struct {
	TP        protocol.TopicPartition
	Producers int64 // how many
	Snapshot  int64 // the snapshot's offset; -1 none
	ReadFrom  int64 // the log was read from here on
}

// DivergenceFound: a leader told a follower in a fetch where their logs part.
type DivergenceFound struct {
	TP        protocol.TopicPartition
	Epoch     int32
	EndOffset int64
	Follower  protocol.BrokerID
}
