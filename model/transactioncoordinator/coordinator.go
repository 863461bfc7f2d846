package transactioncoordinator

import (
	"kafkatrial/model/event"
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/model/release"
	"kafkatrial/sim"
)

// TopicName is the internal topic that holds the transactions (Topic.TRANSACTION_STATE_TOPIC_NAME).
const TopicName = "__transaction_state"

// Config holds the broker's settings that a coordinator needs. Lengths of time are in milliseconds.
type Config struct {
	Partitions             int32 // transaction.state.log.num.partitions
	MaxTimeoutMs           int64 // transaction.max.timeout.ms
	IDExpirationMs         int64 // transactional.id.expiration.ms
	RequestTimeout         sim.Time
	OffsetsTopicPartitions int32 // of __consumer_offsets, for AddOffsetsToTxn

	Planted planted.Set // guards switched off, in tests only
}

// DefaultConfig is Kafka's, with one partition of __transaction_state in place of 50.
var DefaultConfig = Config{Partitions: 1, MaxTimeoutMs: 900000, IDExpirationMs: 604800000, RequestTimeout: 30 * sim.Second, OffsetsTopicPartitions: 1}

// TransactionCoordinator holds the transactional.ids of those partitions of __transaction_state that this
// broker leads.
type TransactionCoordinator struct {
	rules   *release.Rules
	cfg     Config
	state   stateManager
	markers markerChannelManager
	writes  []pendingWrite // in order of arrival
	adds    []pendingAdd   // requests whose transactions are not all answered
	lastID  int64
	out     Effects // what the call under way has come to
}

// Effects is what a broker has to do, list by list in this order.
type Effects struct {
	Events   []sim.Event
	Appends  []Append
	Answers  []Answer
	Requests []MarkerRequest // by broker
	// Wakeup says that the sender of markers may have something to send: call GenerateRequests.
	Wakeup bool
}

// Append asks the broker to append a batch to its log of a partition of __transaction_state with acks=all,
// and to tell OnCommitted or OnAppendFailed. After Timeout that is REQUEST_TIMED_OUT.
type Append struct {
	ID      int64
	TP      protocol.TopicPartition
	Batch   *record.RecordBatch
	Timeout sim.Time
}

// Answer is a response to send.
type Answer struct {
	Conn sim.ConnID
	Msg  sim.Message
}

// ProducerIDManager gives out producer ids. An error other than NONE says that there is none just now:
// COORDINATOR_LOAD_IN_PROGRESS.
type ProducerIDManager interface {
	GenerateProducerID() (int64, protocol.Error)
}

// Metadata is what the broker knows of the cluster.
type Metadata interface {
	// Leader gives the leader of a partition, NoBroker if there is none or it is not alive. known is false of a
	// partition that does not exist.
	Leader(tp protocol.TopicPartition) (leader protocol.BrokerID, known bool)
}

func exists(meta Metadata, tp protocol.TopicPartition) bool {
	_, known := meta.Leader(tp)
	return known
}

// New makes a coordinator that coordinates nothing yet.
func New(cfg Config, rules *release.Rules) *TransactionCoordinator {
	return &TransactionCoordinator{rules: rules, cfg: cfg, state: newStateManager(cfg.Partitions)}
}

// serverVersion is the version of transactions in force on the cluster (TransactionStateManager.transactionVersionLevel).
func (c *TransactionCoordinator) serverVersion() int {
	if c.rules.TransactionV2 {
		return V2
	}
	return V0
}

// clientVersion is the version that a request was made in.
func (c *TransactionCoordinator) clientVersion(v2 bool) int {
	if v2 && c.rules.TransactionV2 {
		return V2
	}
	return V0
}

// take gives what the call has come to.
func (c *TransactionCoordinator) take() Effects {
	e := c.out
	c.out = Effects{}
	return e
}

func (c *TransactionCoordinator) answer(conn sim.ConnID, m sim.Message) {
	c.out.Answers = append(c.out.Answers, Answer{conn, m})
}

// toClient gives the error as the client of this generation knows it: PRODUCER_FENCED came with 2.7
// (KIP-588), before it was INVALID_PRODUCER_EPOCH; an exception is UNKNOWN_SERVER_ERROR.
func (c *TransactionCoordinator) toClient(err protocol.Error) protocol.Error {
	switch {
	case err == protocol.ProducerFenced && !c.rules.EpochErrorNotFatal:
		return protocol.InvalidProducerEpoch
	case err == protocol.IllegalState:
		return protocol.UnknownServerError
	}
	return err
}

// fenced records that a request with an epoch that is not in force was refused.
func (c *TransactionCoordinator) fenced(m *TransactionMetadata, producerID int64, epoch int16) {
	c.out.Events = append(c.out.Events, &event.TransactionProducerFenced{ProducerID: producerID, ProducerEpoch: epoch, Current: m.ProducerEpoch, TransactionalID: m.TransactionalID})
}

// PartitionFor gives the partition of __transaction_state that a transactional.id belongs to.
func (c *TransactionCoordinator) PartitionFor(id string) protocol.TopicPartition {
	return protocol.TopicPartition{Topic: TopicName, Partition: PartitionFor(id, c.cfg.Partitions)}
}

// Transactions gives what is known of the transactional.ids of a partition, ordered by id, for views; nil if
// this broker does not coordinate them. The caller must not change it.
func (c *TransactionCoordinator) Transactions(partition int32) []TransactionMetadata {
	return c.state.partitions[partition].transactions
}

// Coordinates says that this broker coordinates a partition's transactions and has loaded them.
func (c *TransactionCoordinator) Coordinates(partition int32) bool {
	return c.state.partitions[partition].status == active
}

// Busy says that a transaction is about to change state by itself: a write or a marker is under way.
func (c *TransactionCoordinator) Busy() bool {
	return len(c.writes) > 0 || c.markers.busy()
}
