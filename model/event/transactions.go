package event

import (
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
)

// TransactionState: a transactional.id went into another state.
type TransactionState struct {
	From            protocol.TransactionState
	To              protocol.TransactionState
	ProducerEpoch   int16
	TransactionalID string
}

// TransactionPartition: the partition is part of the transaction.
type TransactionPartition struct {
	TP              protocol.TopicPartition
	ProducerID      int64
	ProducerEpoch   int16
	TransactionalID string
}

// TransactionProducerFenced: the coordinator refused a request under an old epoch.
type TransactionProducerFenced struct {
	ProducerID      int64
	ProducerEpoch   int16 // of the request
	Current         int16 // the epoch in force
	TransactionalID string
}

// TransactionTimedOut: the coordinator gives a transaction up.
type TransactionTimedOut struct {
	ProducerID      int64
	ProducerEpoch   int16
	TimeoutMs       int64 // transaction.timeout.ms
	TransactionalID string
}

// TransactionalIDExpired: a transactional.id is forgotten.
type TransactionalIDExpired struct {
	ProducerID      int64
	ProducerEpoch   int16
	TransactionalID string
}

// MarkerSent: the coordinator sent a marker to a leader.
type MarkerSent struct {
	TP            protocol.TopicPartition
	ProducerID    int64
	ProducerEpoch int16
	Leader        protocol.BrokerID
	Marker        Marker
}

// MarkerWritten: a leader appended a marker.
type MarkerWritten struct {
	TP               protocol.TopicPartition
	Offset           int64 // the marker's
	FirstOffset      int64 // of the transaction that it ends; -1: none was open
	CoordinatorEpoch int32
	Batch            *record.RecordBatch
}

// TransactionVerified: the coordinator told a leader that the partition is part of the transaction.
type TransactionVerified struct {
	TP              protocol.TopicPartition
	ProducerID      int64
	ProducerEpoch   int16
	TransactionalID string
}

// TransactionNotVerified: the coordinator told a leader that the partition is not part of the transaction.
type TransactionNotVerified struct {
	TP              protocol.TopicPartition
	ProducerID      int64
	ProducerEpoch   int16
	Err             protocol.Error
	TransactionalID string
}
