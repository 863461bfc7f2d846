package protocol

import "kafkatrial/sim"

// CoordinatorType says whose coordinator FindCoordinator asks for (FindCoordinatorRequest.CoordinatorType).
type CoordinatorType int8

// The types of coordinator.
const (
	GroupCoordinator       CoordinatorType = iota // of the consumer group named
	TransactionCoordinator                        // of the transactional.id named
)

// AddPartitionsToTxn asks the transaction coordinator to count partitions as part of a transaction, or
// (VerifyOnly) whether they are. A producer asks for one transaction at a time; a partition's leader asks on
// behalf of the producers that write to it, for several at once (version 4, KIP-890).
type AddPartitionsToTxn struct {
	Correlation  int32
	FromBroker   bool // version 4 and above: sent by a partition's leader
	Transactions []AddPartitionsToTxnTransaction
}

// AddPartitionsToTxnTransaction is one transaction of it.
type AddPartitionsToTxnTransaction struct {
	TransactionalID string
	ProducerID      int64
	ProducerEpoch   int16
	VerifyOnly      bool
	Partitions      []TopicPartition
}

// AddPartitionsToTxnResponse answers it, transaction by transaction in the order of the request.
type AddPartitionsToTxnResponse struct {
	Correlation int32
	Results     []AddPartitionsToTxnResult
}

// AddPartitionsToTxnResult is one transaction's outcome, partition by partition.
type AddPartitionsToTxnResult struct {
	TransactionalID string
	Data            []CommitResult
}

// AddOffsetsToTxn asks the transaction coordinator to count a group's partition of __consumer_offsets as
// part of the transaction.
type AddOffsetsToTxn struct {
	Correlation     int32
	TransactionalID string
	ProducerID      int64
	ProducerEpoch   int16
	Group           string
}

// AddOffsetsToTxnResponse answers it.
type AddOffsetsToTxnResponse struct {
	Correlation int32
	Err         Error
}

// TxnOffsetCommit gives a group's coordinator positions that count once the transaction commits. Generation
// is -1 and Member empty of a producer that does not know the group's members (before KIP-447).
type TxnOffsetCommit struct {
	Correlation     int32
	TransactionalID string
	Group           string
	ProducerID      int64
	ProducerEpoch   int16
	Generation      int32
	Member          string
	TransactionV2   bool // version 5 and above: the group's coordinator adds its partition to the transaction itself
	Data            []CommitData
}

// TxnOffsetCommitResponse answers it.
type TxnOffsetCommitResponse struct {
	Correlation int32
	Data        []CommitResult
}

// EndTxn asks the transaction coordinator to commit or to abort.
type EndTxn struct {
	Correlation     int32
	TransactionalID string
	ProducerID      int64
	ProducerEpoch   int16
	Committed       bool // otherwise abort
	TransactionV2   bool // version 5 and above: the epoch is raised with every transaction (KIP-890)
}

// EndTxnResponse answers it. ProducerID and ProducerEpoch are those of the producer's next transaction;
// -1 with an error, and without transactions v2.
type EndTxnResponse struct {
	Correlation   int32
	Err           Error
	ProducerID    int64
	ProducerEpoch int16
}

// WriteTxnMarkers is the transaction coordinator's order to the leaders of a transaction's partitions: write
// that it has ended.
type WriteTxnMarkers struct {
	Correlation int32
	Markers     []TxnMarker
}

// TxnMarker is one transaction's order to one broker.
type TxnMarker struct {
	ProducerID       int64
	ProducerEpoch    int16
	Committed        bool // otherwise abort
	CoordinatorEpoch int
	// TransactionVersion of the transaction that ends (KIP-1228). From 2 on the leader takes only an epoch
	// above the one that wrote the records; 0 before 4.2, whatever the transaction is.
	TransactionVersion int
	Partitions         []TopicPartition
}

// WriteTxnMarkersResponse answers it, marker by marker in the order of the request.
type WriteTxnMarkersResponse struct {
	Correlation int32
	Results     []TxnMarkerResult
}

// AnyFailed says that a marker could not be written in a partition.
func (r *WriteTxnMarkersResponse) AnyFailed() bool {
	for i := range r.Results {
		for _, d := range r.Results[i].Data {
			if d.Err != None {
				return true
			}
		}
	}
	return false
}

// TxnMarkerResult is one marker's outcome, partition by partition.
type TxnMarkerResult struct {
	ProducerID int64
	Data       []CommitResult
}

func (*AddPartitionsToTxn) Type() sim.MsgType         { return TAddPartitionsToTxn }
func (*AddPartitionsToTxnResponse) Type() sim.MsgType { return TAddPartitionsToTxnResponse }
func (*AddOffsetsToTxn) Type() sim.MsgType            { return TAddOffsetsToTxn }
func (*AddOffsetsToTxnResponse) Type() sim.MsgType    { return TAddOffsetsToTxnResponse }
func (*TxnOffsetCommit) Type() sim.MsgType            { return TTxnOffsetCommit }
func (*TxnOffsetCommitResponse) Type() sim.MsgType    { return TTxnOffsetCommitResponse }
func (*EndTxn) Type() sim.MsgType                     { return TEndTxn }
func (*EndTxnResponse) Type() sim.MsgType             { return TEndTxnResponse }
func (*WriteTxnMarkers) Type() sim.MsgType            { return TWriteTxnMarkers }
func (*WriteTxnMarkersResponse) Type() sim.MsgType    { return TWriteTxnMarkersResponse }

func (*AddPartitionsToTxn) Routine() bool         { return false }
func (*AddPartitionsToTxnResponse) Routine() bool { return false }
func (*AddOffsetsToTxn) Routine() bool            { return false }
func (*AddOffsetsToTxnResponse) Routine() bool    { return false }
func (*TxnOffsetCommit) Routine() bool            { return false }
func (*TxnOffsetCommitResponse) Routine() bool    { return false }
func (*EndTxn) Routine() bool                     { return false }
func (*EndTxnResponse) Routine() bool             { return false }
func (*WriteTxnMarkers) Routine() bool            { return false }
func (*WriteTxnMarkersResponse) Routine() bool    { return false }
