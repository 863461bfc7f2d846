package protocol

// Error is one of Kafka's error codes, or none. Names and classes are those of
// org.apache.kafka.common.protocol.Errors and its exceptions.
type Error uint8

// The errors the model uses.
const (
	None Error = iota
	OffsetOutOfRange
	UnknownTopicOrPartition
	LeaderNotAvailable
	NotLeaderOrFollower // NOT_LEADER_FOR_PARTITION before 2.6
	RequestTimedOut
	ReplicaNotAvailable
	MessageTooLarge
	NetworkException
	CoordinatorLoadInProgress
	CoordinatorNotAvailable
	NotCoordinator
	NotEnoughReplicas
	NotEnoughReplicasAfterAppend
	InvalidRequiredAcks
	IllegalGeneration
	UnknownMemberID
	NotController
	InvalidRequest
	FencedLeaderEpoch
	UnknownLeaderEpoch
	OffsetNotAvailable
	PreferredLeaderNotAvailable
	EligibleLeadersNotAvailable
	ElectionNotNeeded
	UnstableOffsetCommit
	InvalidUpdateVersion
	StaleBrokerEpoch
	StaleControllerEpoch
	IneligibleReplica
	NewLeaderElected
	BrokerIDNotRegistered
	InvalidPartitions
	KafkaStorageError
	UnknownServerError
	DuplicateBrokerRegistration
	BrokerNotAvailable
	OutOfOrderSequenceNumber
	DuplicateSequenceNumber
	InvalidProducerEpoch
	InvalidTxnState
	TransactionCoordinatorFenced
	UnknownProducerID
	ConcurrentTransactions
	InvalidProducerIDMapping
	InvalidTransactionTimeout
	OperationNotAttempted
	ProducerFenced
	TransactionAbortable
	RecordListTooLarge
	RebalanceInProgress
	GroupIDNotFound
	// Client-side exceptions without a code on the wire.
	TimeoutException
	BufferExhausted
	LogTruncation
	NoOffsetForPartition
	TransactionAborted // the application aborted the transaction before the record was sent
	CommitFailed       // the consumer is no member of its group any more, or not of its present generation
	IllegalState       // the producer was closed, or the call is out of place
	KafkaException     // of no kind of its own: what went wrong is in its words

	numErrors
)

type errorInfo struct {
	name      string
	retriable bool // a client may simply try again
	refresh   bool // InvalidMetadataException: a client refreshes its metadata as well
}

var errorTable = [numErrors]errorInfo{
	None:                         {"NONE", false, false},
	OffsetOutOfRange:             {"OFFSET_OUT_OF_RANGE", false, false},
	UnknownTopicOrPartition:      {"UNKNOWN_TOPIC_OR_PARTITION", true, true},
	LeaderNotAvailable:           {"LEADER_NOT_AVAILABLE", true, true},
	NotLeaderOrFollower:          {"NOT_LEADER_OR_FOLLOWER", true, true},
	RequestTimedOut:              {"REQUEST_TIMED_OUT", true, false},
	ReplicaNotAvailable:          {"REPLICA_NOT_AVAILABLE", true, true},
	MessageTooLarge:              {"MESSAGE_TOO_LARGE", false, false},
	NetworkException:             {"NETWORK_EXCEPTION", true, true},
	CoordinatorLoadInProgress:    {"COORDINATOR_LOAD_IN_PROGRESS", true, false},
	CoordinatorNotAvailable:      {"COORDINATOR_NOT_AVAILABLE", true, false},
	NotCoordinator:               {"NOT_COORDINATOR", true, false},
	NotEnoughReplicas:            {"NOT_ENOUGH_REPLICAS", true, false},
	NotEnoughReplicasAfterAppend: {"NOT_ENOUGH_REPLICAS_AFTER_APPEND", true, false},
	InvalidRequiredAcks:          {"INVALID_REQUIRED_ACKS", false, false},
	IllegalGeneration:            {"ILLEGAL_GENERATION", false, false},
	UnknownMemberID:              {"UNKNOWN_MEMBER_ID", false, false},
	NotController:                {"NOT_CONTROLLER", true, false},
	InvalidRequest:               {"INVALID_REQUEST", false, false},
	FencedLeaderEpoch:            {"FENCED_LEADER_EPOCH", true, true},
	UnknownLeaderEpoch:           {"UNKNOWN_LEADER_EPOCH", true, true},
	OffsetNotAvailable:           {"OFFSET_NOT_AVAILABLE", true, false},
	PreferredLeaderNotAvailable:  {"PREFERRED_LEADER_NOT_AVAILABLE", true, true},
	EligibleLeadersNotAvailable:  {"ELIGIBLE_LEADERS_NOT_AVAILABLE", true, true},
	ElectionNotNeeded:            {"ELECTION_NOT_NEEDED", true, true},
	UnstableOffsetCommit:         {"UNSTABLE_OFFSET_COMMIT", true, false},
	InvalidUpdateVersion:         {"INVALID_UPDATE_VERSION", false, false},
	StaleBrokerEpoch:             {"STALE_BROKER_EPOCH", false, false},
	StaleControllerEpoch:         {"STALE_CONTROLLER_EPOCH", false, false},
	IneligibleReplica:            {"INELIGIBLE_REPLICA", false, false},
	NewLeaderElected:             {"NEW_LEADER_ELECTED", false, false},
	BrokerIDNotRegistered:        {"BROKER_ID_NOT_REGISTERED", false, false},
	InvalidPartitions:            {"INVALID_PARTITIONS", false, false},
	KafkaStorageError:            {"KAFKA_STORAGE_ERROR", true, true},
	UnknownServerError:           {"UNKNOWN_SERVER_ERROR", false, false},
	DuplicateBrokerRegistration:  {"DUPLICATE_BROKER_REGISTRATION", false, false},
	BrokerNotAvailable:           {"BROKER_NOT_AVAILABLE", false, false},
	OutOfOrderSequenceNumber:     {"OUT_OF_ORDER_SEQUENCE_NUMBER", false, false},
	DuplicateSequenceNumber:      {"DUPLICATE_SEQUENCE_NUMBER", false, false},
	InvalidProducerEpoch:         {"INVALID_PRODUCER_EPOCH", false, false},
	InvalidTxnState:              {"INVALID_TXN_STATE", false, false},
	TransactionCoordinatorFenced: {"TRANSACTION_COORDINATOR_FENCED", false, false},
	UnknownProducerID:            {"UNKNOWN_PRODUCER_ID", false, false},
	ConcurrentTransactions:       {"CONCURRENT_TRANSACTIONS", true, false},
	InvalidProducerIDMapping:     {"INVALID_PRODUCER_ID_MAPPING", false, false},
	InvalidTransactionTimeout:    {"INVALID_TRANSACTION_TIMEOUT", false, false},
	OperationNotAttempted:        {"OPERATION_NOT_ATTEMPTED", false, false},
	ProducerFenced:               {"PRODUCER_FENCED", false, false},
	TransactionAbortable:         {"TRANSACTION_ABORTABLE", false, false},
	RecordListTooLarge:           {"RECORD_LIST_TOO_LARGE", false, false},
	RebalanceInProgress:          {"REBALANCE_IN_PROGRESS", false, false},
	GroupIDNotFound:              {"GROUP_ID_NOT_FOUND", false, false},
	TimeoutException:             {"TimeoutException", true, false},
	BufferExhausted:              {"BufferExhaustedException", true, false},
	LogTruncation:                {"LogTruncationException", false, false},
	NoOffsetForPartition:         {"NoOffsetForPartitionException", false, false},
	TransactionAborted:           {"TransactionAbortedException", false, false},
	CommitFailed:                 {"CommitFailedException", false, false},
	IllegalState:                 {"IllegalStateException", false, false},
	KafkaException:               {"KafkaException", false, false},
}

// String gives Kafka's name of the error.
func (e Error) String() string { return errorTable[e].name }

// Retriable says that a client may send the same request again (RetriableException).
func (e Error) Retriable() bool { return errorTable[e].retriable }

// InvalidMetadata says that a client must also refresh its metadata (InvalidMetadataException).
func (e Error) InvalidMetadata() bool { return errorTable[e].refresh }

// ErrorNames lists the names of all errors.
func ErrorNames() []string {
	names := make([]string, numErrors)
	for i := range names {
		names[i] = errorTable[i].name
	}
	return names
}
