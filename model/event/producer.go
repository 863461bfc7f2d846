package event

import (
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// RecordSent: send() was called.
type RecordSent struct {
	TP         protocol.TopicPartition
	Submission int32
	Record     *record.Record
}

// RecordsBatched: a batch was closed and handed to the network.
type RecordsBatched struct {
	TP      protocol.TopicPartition
	Attempt int64 // from 1
	Broker  protocol.BrokerID
	Batch   *record.RecordBatch
}

// BatchAcked: a batch was acknowledged.
type BatchAcked struct {
	TP         protocol.TopicPartition
	BaseOffset int64 // -1 unknown (acks=0)
	Acks       protocol.Acks
	Batch      *record.RecordBatch
}

// BatchFailed: a batch was given up.
type BatchFailed struct {
	TP         protocol.TopicPartition
	Err        protocol.Error
	NotWritten bool // it can not have been written
	Batch      *record.RecordBatch
}

// BatchRetried: a batch is to be sent again.
type BatchRetried struct {
	TP           protocol.TopicPartition
	Err          protocol.Error
	AttemptsLeft int64 // -1 no bound
	Batch        *record.RecordBatch
}

// ProducerIDGiven: a producer got its id.
type ProducerIDGiven struct {
	ProducerID      int64
	ProducerEpoch   int16
	TransactionalID string // empty: none
}

// ProducerIDDropped: a producer gives up its id, to ask for a new one.
type ProducerIDDropped struct {
	TP         protocol.TopicPartition
	ProducerID int64
	Why        DroppedBecause
	Err        protocol.Error // of BatchRefused
}

// EpochBumped: a producer goes on under a new epoch.
type EpochBumped struct {
	ProducerID      int64
	ProducerEpoch   int16  // the new one
	TransactionalID string // empty: none
}

// SequencesReset: sequence numbers begin at 0 again.
type SequencesReset struct {
	TP            protocol.TopicPartition
	ProducerID    int64
	ProducerEpoch int16
	Batches       int64 // under way that are numbered anew
}

// TxnInitialized: initTransactions returned.
type TxnInitialized struct {
	Number          int64 // transactions of this process so far
	ProducerID      int64
	ProducerEpoch   int16
	TransactionalID string
}

// TxnBegan: beginTransaction was called.
type TxnBegan struct {
	Number          int64 // of this process, from 1
	ProducerID      int64
	ProducerEpoch   int16
	TransactionalID string
}

// TxnCommitAsked: commitTransaction was called.
type TxnCommitAsked struct {
	Number          int64 // of this process, from 1
	ProducerID      int64
	ProducerEpoch   int16
	TransactionalID string
}

// TxnAbortAsked: abortTransaction was called.
type TxnAbortAsked struct {
	Number          int64 // of this process, from 1
	ProducerID      int64
	ProducerEpoch   int16
	TransactionalID string
}

// TxnCommitted: commitTransaction returned.
type TxnCommitted struct {
	Number          int64 // of this process, from 1
	ProducerID      int64
	ProducerEpoch   int16
	TransactionalID string
}

// TxnAborted: abortTransaction returned.
type TxnAborted struct {
	Number          int64 // of this process, from 1
	ProducerID      int64
	ProducerEpoch   int16
	TransactionalID string
}

// TxnOffsetsSent: sendOffsetsToTransaction returned.
type TxnOffsetsSent struct {
	TP     protocol.TopicPartition
	Offset int64
	Number int64 // of the transaction
	Group  string
}

// TxnFailed: a transactional call failed.
type TxnFailed struct {
	Err    protocol.Error
	Number int64
	Open   bool   // what it asked for may still happen
	Call   string // the method
}

// TxnAbortable: the transaction can only be aborted.
type TxnAbortable struct {
	Err             protocol.Error
	Number          int64
	TransactionalID string
}

// ProducerFailed: a producer sends nothing more.
type ProducerFailed struct {
	Err   protocol.Error
	Cause protocol.Error // the error that it came from, if another
}

// RecordRejected: send() failed without a batch.
type RecordRejected struct {
	TP         protocol.TopicPartition
	Err        protocol.Error
	Submission int32
	Record     string
}

// ClientMetadata: a client learned another leader.
type ClientMetadata struct {
	TP          protocol.TopicPartition
	Leader      protocol.BrokerID
	LeaderEpoch int32
}

// ConnectionLost: a client's connection is gone.
type ConnectionLost struct {
	Peer sim.NodeID
}

// RequestGivenUp: no answer came within request.timeout.ms.
type RequestGivenUp struct {
	Request sim.MsgType
	Peer    sim.NodeID
}
