package client

import (
	"sort"

	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// longAgo is before every moment of a run.
const longAgo = -1 << 50

// PartitionMetadata is what a client believes about a partition.
type PartitionMetadata struct {
	TP     protocol.TopicPartition
	Leader protocol.BrokerID // protocol.NoBroker if it has none
	Epoch  int               // leader epoch
}

// Metadata is what a client believes about the cluster, and when it will ask again.
//
// Kafka: org.apache.kafka.clients.Metadata.
type Metadata struct {
	cfg        Config
	keepEpochs bool // KAFKA-7738

	brokers    []protocol.BrokerID // believed alive; at bootstrap those of the configuration
	partitions []PartitionMetadata // by topic and number
	// lastSeen holds the newest leader epoch heard of, in the order of partitions; -1 none.
	lastSeen []int

	needUpdate      bool
	version         int
	lastRefresh     sim.Time // the last answer or failure
	lastSuccess     sim.Time
	failures        int
	equivalent      int // answers in a row that brought nothing new
	bootstrapped    bool
	bootstrapBroker []protocol.BrokerID
}

// Version counts the answers taken over; it rises whenever something may have changed.
func (m *Metadata) Version() int { return m.version }

// Leader gives the broker that leads tp as far as the client knows, and its epoch. ok is false if the
// partition or its leader is not known, or if a newer epoch was heard of than the metadata are about.
//
// Kafka: Metadata.currentLeader.
func (m *Metadata) Leader(tp protocol.TopicPartition) (leader protocol.BrokerID, epoch int, ok bool) {
	i, found := m.find(tp)
	if !found {
		return protocol.NoBroker, -1, false
	}
	p := &m.partitions[i]
	if m.lastSeen[i] > p.Epoch || p.Leader == protocol.NoBroker || !m.alive(p.Leader) {
		return protocol.NoBroker, m.lastSeen[i], false
	}
	return p.Leader, p.Epoch, true
}

// LastSeenEpoch is the newest leader epoch of tp that the client has heard of, -1 if none.
func (m *Metadata) LastSeenEpoch(tp protocol.TopicPartition) int {
	if i, ok := m.find(tp); ok {
		return m.lastSeen[i]
	}
	return -1
}

// UpdateLastSeenEpochIfNewer notes an epoch that another answer named (a fetch, an epoch look-up). A newer
// one makes the metadata out of date: they are asked for again.
//
// Kafka: Metadata.updateLastSeenEpochIfNewer (2.2).
func (m *Metadata) UpdateLastSeenEpochIfNewer(tp protocol.TopicPartition, epoch int) bool {
	i, ok := m.find(tp)
	if !ok || !m.keepEpochs || epoch <= m.lastSeen[i] {
		return false
	}
	m.lastSeen[i] = epoch
	m.needUpdate = true
	return true
}

// PartitionCount is the number of partitions of a topic, 0 if the topic is not known.
func (m *Metadata) PartitionCount(topic string) int {
	i, _ := m.find(protocol.TopicPartition{Topic: topic})
	n := 0
	for ; i < len(m.partitions) && m.partitions[i].TP.Topic == topic; i++ {
		n++
	}
	return n
}

// Partitions lists what is known, by topic and number. The caller must not change it.
func (m *Metadata) Partitions() []PartitionMetadata { return m.partitions }

// Brokers lists the brokers believed alive. The caller must not change it.
func (m *Metadata) Brokers() []protocol.BrokerID { return m.brokers }

// RequestUpdate asks for an update as soon as the backoff allows (InvalidMetadataException, an unknown leader).
func (m *Metadata) RequestUpdate() { m.needUpdate = true }

// RequestUpdateForNewTopics asks for an update without waiting for the backoff.
//
// Kafka: Metadata.requestUpdateForNewTopics.
func (m *Metadata) RequestUpdateForNewTopics() {
	m.needUpdate = true
	m.lastRefresh = longAgo
	m.equivalent = 0
}

// UpdateRequested says that an update was asked for and has not come.
func (m *Metadata) UpdateRequested() bool { return m.needUpdate }

// timeToNextUpdate is how long to wait before the next request, 0 if one is due.
//
// Kafka: Metadata.timeToNextUpdate, timeToAllowUpdate.
func (m *Metadata) timeToNextUpdate(now sim.Time) sim.Time {
	expire := sim.Time(0)
	if !m.needUpdate {
		expire = max(m.lastSuccess+m.cfg.MetadataMaxAge-now, 0)
	}
	allow := m.lastRefresh + Backoff(m.cfg.RetryBackoff, m.cfg.RetryBackoffMax, max(m.failures, m.equivalent)-1) - now
	return max(expire, allow, 0)
}

func (m *Metadata) find(tp protocol.TopicPartition) (int, bool) {
	i := sort.Search(len(m.partitions), func(i int) bool { return m.partitions[i].TP.Compare(tp) >= 0 })
	return i, i < len(m.partitions) && m.partitions[i].TP == tp
}

func (m *Metadata) alive(b protocol.BrokerID) bool {
	for _, x := range m.brokers {
		if x == b {
			return true
		}
	}
	return false
}
