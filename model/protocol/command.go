package protocol

import (
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// Command is an order that a person or a script gives to a node from outside the cluster: an
// application's call, an operator's tool. Exactly one field is set.
type Command struct {
	Send          *SendCommand
	Transaction   TransactionCommand  // producer: a call of the transactional API
	SendOffsets   *SendOffsetsCommand // producer: sendOffsetsToTransaction
	Flush         bool                // producer: KafkaProducer.flush, do not wait for linger.ms; broker: fsync all logs
	Close         bool                // producer: KafkaProducer.close: send what is buffered, then end; consumer: KafkaConsumer.close: commit with enable.auto.commit, then end
	ShutDown      bool                // broker: stop in order (controlled shutdown); producer: KafkaProducer.close, then the process ends
	Elect         *ElectCommand
	AlterConfig   *ConfigRecord
	AddPartitions *AddPartitionsCommand
	DeleteRecords *DeleteRecordsCommand
	// DeleteController is for ZooKeeper: an operator removes /controller, so that another one is elected.
	DeleteController bool
	Seek             *SeekCommand
	ProcessTime      *ProcessTimeCommand
	Rebalance        *RebalanceCommand  // the coordinator of the group
	InsertRows       *InsertRowsCommand // database: another program commits rows
	Throw            bool               // consumer: the application's own code throws an exception where it stands, closes the consumer and ends
}

// SendCommand makes a producer's application call send() for each record, in order.
type SendCommand struct {
	Topic     string
	Partition int32 // -1: the partitioner chooses
	Records   []record.Record
}

// TransactionCommand is a call of the transactional API of KafkaProducer.
type TransactionCommand uint8

// The calls.
const (
	NoTransaction TransactionCommand = iota
	InitTransactions
	BeginTransaction
	CommitTransaction
	AbortTransaction
)

// SendOffsetsCommand makes a producer's application call sendOffsetsToTransaction. Generation and Member are the
// group's metadata (KIP-447): -1 and empty of a consumer that assigns its partitions itself.
type SendOffsetsCommand struct {
	Group      string
	Generation int32
	Member     string
	Data       []CommitData
}

// ElectCommand is the operator's kafka-leader-election.sh.
type ElectCommand struct {
	TP      TopicPartition
	Unclean bool // otherwise the preferred replica
}

// AddPartitionsCommand grows a topic to Count partitions.
type AddPartitionsCommand struct {
	Topic    string
	Count    int32
	Replicas [][]BrokerID // of the new partitions; nil: as the controller spreads them
}

// DeleteRecordsCommand removes what lies below an offset, as retention or kafka-delete-records.sh does.
type DeleteRecordsCommand struct {
	TP     TopicPartition
	Before int64
}

// SeekCommand makes a consumer's application call KafkaConsumer.seek before its next poll.
type SeekCommand struct {
	TP     TopicPartition
	Offset int64
}

// ProcessTimeCommand makes an application take this long for each record it begins from now on.
type ProcessTimeCommand struct {
	Time sim.Time
}

// Type is TCommand.
func (*Command) Type() sim.MsgType { return TCommand }

// Routine is false: somebody wanted it.
func (*Command) Routine() bool { return false }
