package protocol

import (
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// The kinds of message.
const (
	TProduce sim.MsgType = iota
	TProduceResponse
	TFetch
	TFetchResponse
	TOffsetForLeaderEpoch
	TOffsetForLeaderEpochResponse
	TListOffsets
	TListOffsetsResponse
	TMetadata
	TMetadataResponse
	TFindCoordinator
	TFindCoordinatorResponse
	TOffsetCommit
	TOffsetCommitResponse
	TOffsetFetch
	TOffsetFetchResponse
	TApiVersions
	TApiVersionsResponse
	TInitProducerId
	TInitProducerIdResponse
	// KRaft.
	TBrokerRegistration
	TBrokerRegistrationResponse
	TBrokerHeartbeat
	TBrokerHeartbeatResponse
	TMetadataFetch // Fetch of __cluster_metadata
	TMetadataFetchResponse
	TAlterPartition
	TAlterPartitionResponse
	TAllocateProducerIds
	TAllocateProducerIdsResponse
	// ZooKeeper and its controller.
	TLeaderAndIsr
	TLeaderAndIsrResponse
	TUpdateMetadata
	TUpdateMetadataResponse
	TStopReplica
	TStopReplicaResponse
	TControlledShutdown
	TControlledShutdownResponse
	TZkRequest
	TZkResponse
	TZkEvent
	// Orders from outside.
	TCommand
	// Transactions.
	TAddPartitionsToTxn
	TAddPartitionsToTxnResponse
	TAddOffsetsToTxn
	TAddOffsetsToTxnResponse
	TTxnOffsetCommit
	TTxnOffsetCommitResponse
	TEndTxn
	TEndTxnResponse
	TWriteTxnMarkers
	TWriteTxnMarkersResponse
	// A database beside Kafka.
	TDatabase
	TDatabaseResponse
	// Members of a group.
	TJoinGroup
	TJoinGroupResponse
	THeartbeat
	THeartbeatResponse

	NumTypes
)

// MessageNames spells the kinds of message, by sim.MsgType.
var MessageNames = []string{
	TProduce: "Produce", TProduceResponse: "ProduceResponse", TFetch: "Fetch", TFetchResponse: "FetchResponse",
	TOffsetForLeaderEpoch: "OffsetForLeaderEpoch", TOffsetForLeaderEpochResponse: "OffsetForLeaderEpochResponse",
	TListOffsets: "ListOffsets", TListOffsetsResponse: "ListOffsetsResponse", TMetadata: "Metadata", TMetadataResponse: "MetadataResponse",
	TFindCoordinator: "FindCoordinator", TFindCoordinatorResponse: "FindCoordinatorResponse", TOffsetCommit: "OffsetCommit",
	TOffsetCommitResponse: "OffsetCommitResponse", TOffsetFetch: "OffsetFetch", TOffsetFetchResponse: "OffsetFetchResponse",
	TApiVersions: "ApiVersions", TApiVersionsResponse: "ApiVersionsResponse",
	TInitProducerId: "InitProducerId", TInitProducerIdResponse: "InitProducerIdResponse",
	TAllocateProducerIds: "AllocateProducerIds", TAllocateProducerIdsResponse: "AllocateProducerIdsResponse",
	TBrokerRegistration: "BrokerRegistration", TBrokerRegistrationResponse: "BrokerRegistrationResponse",
	TBrokerHeartbeat: "BrokerHeartbeat", TBrokerHeartbeatResponse: "BrokerHeartbeatResponse", TMetadataFetch: "MetadataFetch",
	TMetadataFetchResponse: "MetadataFetchResponse", TAlterPartition: "AlterPartition", TAlterPartitionResponse: "AlterPartitionResponse",
	TLeaderAndIsr: "LeaderAndIsr", TLeaderAndIsrResponse: "LeaderAndIsrResponse", TUpdateMetadata: "UpdateMetadata",
	TStopReplica: "StopReplica", TStopReplicaResponse: "StopReplicaResponse", TUpdateMetadataResponse: "UpdateMetadataResponse", TControlledShutdown: "ControlledShutdown",
	TControlledShutdownResponse: "ControlledShutdownResponse", TZkRequest: "ZkRequest", TZkResponse: "ZkResponse", TZkEvent: "ZkEvent",
	TCommand:            "Command",
	TAddPartitionsToTxn: "AddPartitionsToTxn", TAddPartitionsToTxnResponse: "AddPartitionsToTxnResponse",
	TAddOffsetsToTxn: "AddOffsetsToTxn", TAddOffsetsToTxnResponse: "AddOffsetsToTxnResponse",
	TTxnOffsetCommit: "TxnOffsetCommit", TTxnOffsetCommitResponse: "TxnOffsetCommitResponse",
	TEndTxn: "EndTxn", TEndTxnResponse: "EndTxnResponse",
	TWriteTxnMarkers: "WriteTxnMarkers", TWriteTxnMarkersResponse: "WriteTxnMarkersResponse",
	TDatabase: "Database", TDatabaseResponse: "DatabaseResponse",
	TJoinGroup: "JoinGroup", TJoinGroupResponse: "JoinGroupResponse", THeartbeat: "Heartbeat", THeartbeatResponse: "HeartbeatResponse",
}

// Acks is a producer's acks setting: 0, 1 or AcksAll.
type Acks int16

// AcksAll asks for the acknowledgement of all in-sync replicas.
const AcksAll Acks = -1

// String writes it as the setting is written.
func (a Acks) String() string {
	switch a {
	case AcksAll:
		return "all"
	case 0:
		return "0"
	}
	return "1"
}

// Produce carries at most one batch a partition. With Acks 0 no response comes.
type Produce struct {
	Correlation int32
	Acks        Acks
	Timeout     sim.Time // how long the broker may wait for acks=all: request.timeout.ms
	// TransactionalID is that of the producer whose transactional batches these are; empty none.
	TransactionalID string
	TransactionV2   bool // version 12 and above: the leader adds its partition to the transaction itself (KIP-890)
	Data            []ProduceData
}

// ProduceData is one partition's batch; its offsets are those of the producer (from 0).
type ProduceData struct {
	TP    TopicPartition
	Batch *record.RecordBatch
}

// ProduceResponse answers a Produce.
type ProduceResponse struct {
	Correlation int32
	Data        []ProduceResult
}

// ProduceResult is one partition's outcome. BaseOffset is -1 with an error; of a batch that the leader had
// already it is the offset it has.
type ProduceResult struct {
	TP             TopicPartition
	Err            Error
	BaseOffset     int64
	LogStartOffset int64 // from 1.0 on (KAFKA-5793); -1 not told
}

// Fetch asks for records. A follower names itself; a consumer is ConsumerReplicaID.
type Fetch struct {
	Correlation  int32
	Replica      BrokerID
	ReplicaEpoch int64 // the follower's broker epoch (KIP-903); -1 none
	MaxWait      sim.Time
	MinBytes     int32          // 0 answers at once
	Isolation    IsolationLevel // a consumer's isolation.level
	Data         []FetchData
}

// IsolationLevel is isolation.level, as Fetch and ListOffsets bear it (IsolationLevel.id).
type IsolationLevel int8

// The isolation levels.
const (
	ReadUncommitted IsolationLevel = iota
	ReadCommitted
)

var isolationNames = [...]string{ReadUncommitted: "read_uncommitted", ReadCommitted: "read_committed"}

func (l IsolationLevel) String() string { return isolationNames[l] }

// FetchData is one partition of a Fetch.
type FetchData struct {
	TP                 TopicPartition
	Offset             int64
	CurrentLeaderEpoch int   // -1: not told (before KIP-320)
	LastFetchedEpoch   int   // -1: not told (before KIP-595)
	LogStartOffset     int64 // the follower's
	MaxRecords         int32 // 0 no bound
}

// FetchResponse answers a Fetch.
type FetchResponse struct {
	Correlation int32
	Data        []FetchResult
}

// FetchResult is one partition's part of the answer.
type FetchResult struct {
	TP            TopicPartition
	Err           Error
	HighWatermark int64
	// LastStableOffset bounds what a reader in isolation read_committed is given (0.11).
	LastStableOffset int64
	LogStartOffset   int64
	Diverging        *EpochEndOffset // KIP-595: where the logs part
	Batches          []*record.RecordBatch
	// Aborted lists, for such a reader, the aborted transactions that have records in Batches, by the offsets
	// of their markers.
	Aborted []AbortedTransaction
}

// AbortedTransaction is one that was aborted: the transactional batches of the producer from FirstOffset up to its next
// abort marker count for nothing.
type AbortedTransaction struct {
	ProducerID  int64
	FirstOffset int64
}

// EpochEndOffset says where a leader epoch ends.
type EpochEndOffset struct {
	Epoch     int
	EndOffset int64
}

// OffsetForLeaderEpoch asks where an epoch ends on the leader.
type OffsetForLeaderEpoch struct {
	Correlation int32
	Replica     BrokerID
	Data        []EpochQuery
}

// EpochQuery is one partition of it.
type EpochQuery struct {
	TP                 TopicPartition
	CurrentLeaderEpoch int // -1: not told (before KIP-320)
	LeaderEpoch        int
}

// OffsetForLeaderEpochResponse answers it.
type OffsetForLeaderEpochResponse struct {
	Correlation int32
	Data        []EpochAnswer
}

// EpochAnswer is one partition's answer. Epoch is -1 if undefined or not told (before KIP-279).
type EpochAnswer struct {
	TP        TopicPartition
	Err       Error
	Epoch     int
	EndOffset int64 // -1 undefined
}

// Timestamps that ListOffsets treats specially.
const (
	LatestTimestamp   int64 = -1
	EarliestTimestamp int64 = -2
)

// ListOffsets asks for the end or the start of a partition.
type ListOffsets struct {
	Correlation int32
	Replica     BrokerID
	Isolation   IsolationLevel // read_committed: the end is the last stable offset
	Data        []OffsetQuery
}

// OffsetQuery is one partition of it.
type OffsetQuery struct {
	TP                 TopicPartition
	CurrentLeaderEpoch int
	Timestamp          int64 // LatestTimestamp or EarliestTimestamp
}

// ListOffsetsResponse answers it.
type ListOffsetsResponse struct {
	Correlation int32
	Data        []OffsetAnswer
}

// OffsetAnswer is one partition's answer.
type OffsetAnswer struct {
	TP          TopicPartition
	Err         Error
	Offset      int64
	LeaderEpoch int
}

// Metadata asks a broker what it knows of all topics.
type Metadata struct {
	Correlation int32
}

// MetadataResponse answers it. States are ordered by topic and partition; they are the broker's view,
// which may be old.
type MetadataResponse struct {
	Correlation int32
	Live        []BrokerID
	Partitions  []PartitionState
}

// FindCoordinator asks who coordinates a group, or a transactional.id.
type FindCoordinator struct {
	Correlation int32
	Key         string // the group, or the transactional.id
	KeyType     CoordinatorType
}

// FindCoordinatorResponse answers it.
type FindCoordinatorResponse struct {
	Correlation int32
	Err         Error
	Coordinator BrokerID
}

// OffsetCommit stores positions of a group. Generation is -1 and Member empty for a consumer that
// assigns its partitions itself.
type OffsetCommit struct {
	Correlation int32
	Group       string
	Generation  int32
	Member      string
	Data        []CommitData
}

// CommitData is one partition's position: the offset of the next record to read.
type CommitData struct {
	TP          TopicPartition
	Offset      int64
	LeaderEpoch int // of the last record read; -1 not told
}

// OffsetCommitResponse answers it.
type OffsetCommitResponse struct {
	Correlation int32
	Data        []CommitResult
}

// CommitResult is one partition's outcome.
type CommitResult struct {
	TP  TopicPartition
	Err Error
}

// OffsetFetch asks for committed positions.
type OffsetFetch struct {
	Correlation int32
	Group       string
	Partitions  []TopicPartition
}

// OffsetFetchResponse answers it; Offset -1 means that none is committed.
type OffsetFetchResponse struct {
	Correlation int32
	Err         Error
	Data        []CommitData
}

// ApiVersions is a client's first request on every connection (KIP-35); a broker answers it at once, on
// the connection on which it came. Before 0.10.2, when clients did not ask, it stands for TCP's handshake:
// a client learns whether anybody is there before it sends what must not be lost.
type ApiVersions struct {
	Correlation int32
}

// ApiVersionsResponse answers it: the connection is up.
type ApiVersionsResponse struct {
	Correlation int32
	// TransactionVersion is the level of the feature transaction.version that is in force on the cluster: 2 for
	// transactions v2 (KIP-890), else 0.
	TransactionVersion int
}

// Types and routine marks. A fetch is routine whatever comes of it: what it brings shows in the answer.

func (*Produce) Type() sim.MsgType                      { return TProduce }
func (*ProduceResponse) Type() sim.MsgType              { return TProduceResponse }
func (*Fetch) Type() sim.MsgType                        { return TFetch }
func (*FetchResponse) Type() sim.MsgType                { return TFetchResponse }
func (*OffsetForLeaderEpoch) Type() sim.MsgType         { return TOffsetForLeaderEpoch }
func (*OffsetForLeaderEpochResponse) Type() sim.MsgType { return TOffsetForLeaderEpochResponse }
func (*ListOffsets) Type() sim.MsgType                  { return TListOffsets }
func (*ListOffsetsResponse) Type() sim.MsgType          { return TListOffsetsResponse }
func (*Metadata) Type() sim.MsgType                     { return TMetadata }
func (*MetadataResponse) Type() sim.MsgType             { return TMetadataResponse }
func (*FindCoordinator) Type() sim.MsgType              { return TFindCoordinator }
func (*FindCoordinatorResponse) Type() sim.MsgType      { return TFindCoordinatorResponse }
func (*OffsetCommit) Type() sim.MsgType                 { return TOffsetCommit }
func (*OffsetCommitResponse) Type() sim.MsgType         { return TOffsetCommitResponse }
func (*OffsetFetch) Type() sim.MsgType                  { return TOffsetFetch }
func (*OffsetFetchResponse) Type() sim.MsgType          { return TOffsetFetchResponse }
func (*ApiVersions) Type() sim.MsgType                  { return TApiVersions }
func (*ApiVersionsResponse) Type() sim.MsgType          { return TApiVersionsResponse }

func (*Produce) Routine() bool         { return false }
func (*ProduceResponse) Routine() bool { return false }
func (*Fetch) Routine() bool           { return true }

// Routine is true of an answer that brings neither records nor an error.
func (r *FetchResponse) Routine() bool {
	for i := range r.Data {
		if d := &r.Data[i]; d.Err != None || len(d.Batches) > 0 || d.Diverging != nil {
			return false
		}
	}
	return true
}
func (*OffsetForLeaderEpoch) Routine() bool         { return false }
func (*OffsetForLeaderEpochResponse) Routine() bool { return false }
func (*ListOffsets) Routine() bool                  { return false }
func (*ListOffsetsResponse) Routine() bool          { return false }
func (*Metadata) Routine() bool                     { return true }
func (*MetadataResponse) Routine() bool             { return true }
func (*FindCoordinator) Routine() bool              { return true }
func (*FindCoordinatorResponse) Routine() bool      { return true }
func (*OffsetCommit) Routine() bool                 { return false }
func (*OffsetCommitResponse) Routine() bool         { return false }
func (*OffsetFetch) Routine() bool                  { return false }
func (*OffsetFetchResponse) Routine() bool          { return false }
func (*ApiVersions) Routine() bool                  { return true }
func (*ApiVersionsResponse) Routine() bool          { return true }
