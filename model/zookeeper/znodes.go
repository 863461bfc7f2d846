package zookeeper

import (
	"strconv"
	"strings"

	"kafkatrial/model/protocol"
)

// The paths Kafka uses (kafka.zk.ZkData), and what each holds. Data are immutable values of the types below.
const (
	ControllerPath        = "/controller"                       // ephemeral: ControllerZNode
	ControllerEpochPath   = "/controller_epoch"                 // ControllerEpochZNode
	BrokerIDsPath         = "/brokers/ids"                      // children /brokers/ids/N, ephemeral: BrokerZNode
	TopicsPath            = "/brokers/topics"                   // children are topics: TopicZNode
	ISRChangePath         = "/isr_change_notification"          // children isr_change_N, sequential: ISRChangeZNode
	PreferredElectionPath = "/admin/preferred_replica_election" // PreferredElectionZNode
	ConfigTopicsPath      = "/config/topics"                    // children are topics: ConfigZNode
	ConfigBrokersPath     = "/config/brokers/<default>"         // ConfigZNode: values of the whole cluster
	ConfigChangesPath     = "/config/changes"                   // children config_change_N, sequential: the path that changed
	ProducerIDBlockPath   = "/latest_producer_id_block"         // ProducerIDBlockZNode
	isrChangePrefix       = "isr_change_"
	configChangePrefix    = "config_change_"
	partitionsOfTopic     = "/partitions/"
	stateOfPartition      = "/state"
)

// BrokerPath is where broker b registers: an ephemeral node. Its czxid is the broker epoch.
func BrokerPath(b protocol.BrokerID) string { return BrokerIDsPath + "/" + strconv.Itoa(b) }

// TopicPath is where a topic's assignment is kept.
func TopicPath(topic string) string { return TopicsPath + "/" + topic }

// PartitionStatePath is where a partition's leader and ISR are kept; the node's version is the zkVersion
// that the leader and the controller compare and set.
func PartitionStatePath(tp protocol.TopicPartition) string {
	return TopicsPath + "/" + tp.Topic + partitionsOfTopic + strconv.Itoa(int(tp.Partition)) + stateOfPartition
}

// TopicConfigPath is where a topic's overrides are kept.
func TopicConfigPath(topic string) string { return ConfigTopicsPath + "/" + topic }

// partitionOf reads a path that PartitionStatePath wrote.
func partitionOf(path string) (tp protocol.TopicPartition, ok bool) {
	rest, ok := strings.CutPrefix(path, TopicsPath+"/")
	rest, ok2 := strings.CutSuffix(rest, stateOfPartition)
	topic, number, ok3 := strings.Cut(rest, partitionsOfTopic)
	n, err := strconv.Atoi(number)
	return protocol.TopicPartition{Topic: topic, Partition: int32(n)}, ok && ok2 && ok3 && err == nil
}

// ISRChangePrefix is the path to create, with Sequential, so that the controller hears of an ISR change
// (before KIP-497).
const ISRChangePrefix = ISRChangePath + "/" + isrChangePrefix

// ConfigChangePrefix is the path to create, with Sequential, so that brokers hear of a configuration change.
const ConfigChangePrefix = ConfigChangesPath + "/" + configChangePrefix

// ControllerZNode names the active controller: its place in protocol.Directory.Controllers, from 1.
type ControllerZNode struct{ Controller protocol.BrokerID }

// ControllerEpochZNode is the controller epoch.
type ControllerEpochZNode struct{ Epoch int }

// BrokerZNode is a live broker.
type BrokerZNode struct{ Broker protocol.BrokerID }

// TopicZNode is a topic's assignment, by partition.
type TopicZNode struct{ Replicas [][]protocol.BrokerID }

// PartitionZNode is a partition's leader and ISR (LeaderAndIsr), with the epoch of the controller that
// decided it last. The node's version is the partition epoch.
type PartitionZNode struct {
	Leader          protocol.BrokerID
	LeaderEpoch     int
	ISR             []protocol.BrokerID
	ControllerEpoch int
}

// ProducerIDBlockZNode is the block of producer ids that was given out last, and to whom. The next one
// begins after End.
type ProducerIDBlockZNode struct {
	Broker     protocol.BrokerID
	Start, End int64
}

// ISRChangeZNode tells the controller which partitions' ISR a leader has changed.
type ISRChangeZNode struct{ Partitions []protocol.TopicPartition }

// PreferredElectionZNode asks for elections of the preferred replica.
type PreferredElectionZNode struct{ Partitions []protocol.TopicPartition }

// ConfigZNode holds overrides, ordered by key.
type ConfigZNode struct{ Values []protocol.ConfigRecord }
