package client

import (
	"sort"

	"kafkatrial/model/event"
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

	brokers    []protocol.BrokerID // believed alive; at first those of bootstrap.servers
	bootstrap  []protocol.BrokerID
	partitions []PartitionMetadata // by topic and number
	lastSeen   []int               // the newest leader epoch heard of, in the order of partitions

	needUpdate  bool
	version     int
	lastRefresh sim.Time // of the last answer or failure
	lastSuccess sim.Time
	failures    int // in a row
	equivalent  int // answers in a row that brought no newer epoch (KIP-580)
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

// failedUpdate notes that a request for metadata came to nothing.
func (m *Metadata) failedUpdate(now sim.Time) {
	m.lastRefresh = now
	m.failures++
	m.equivalent = 0
}

// update takes over an answer and records every partition that was known with another leader or epoch.
// An answer without brokers comes from a broker that is still starting, and counts as a failure.
//
// Kafka: Metadata.update, handleMetadataResponse. There, a partition without a leader makes the client ask
// again whether it needs it or not; here, whoever needs it asks.
func (m *Metadata) update(env *sim.Env, r *protocol.MetadataResponse) {
	now := env.Now()
	if len(r.Live) == 0 {
		m.failedUpdate(now)
		return
	}
	m.needUpdate = false
	m.version++
	m.lastRefresh, m.lastSuccess = now, now
	m.failures = 0
	m.equivalent++
	m.brokers = r.Live
	partitions := make([]PartitionMetadata, 0, len(r.Partitions))
	lastSeen := make([]int, 0, len(r.Partitions))
	for i := range r.Partitions {
		p, seen := m.updateLatest(&r.Partitions[i])
		if old, ok := m.find(p.TP); ok && m.partitions[old] != p {
			env.Record(&event.ClientMetadata{TP: p.TP, Leader: p.Leader, LeaderEpoch: int32(p.Epoch)})
		}
		partitions, lastSeen = append(partitions, p), append(lastSeen, seen)
	}
	m.partitions, m.lastSeen = partitions, lastSeen
}

// updateLatest decides between what an answer says of a partition and what the client knew: an older
// leader epoch is not taken over, since the broker that answers may not have heard of the newest election
// yet, and the client would go back to a leader that is none.
//
// Kafka: Metadata.updateLatestMetadata (KAFKA-7738, from 2.2); before, the last answer always won.
func (m *Metadata) updateLatest(s *protocol.PartitionState) (p PartitionMetadata, seen int) {
	p = PartitionMetadata{s.TP, s.Leader, s.LeaderEpoch}
	i, known := m.find(s.TP)
	switch {
	case !known || !m.keepEpochs:
		m.equivalent = 0
		return p, s.LeaderEpoch
	case s.LeaderEpoch < m.lastSeen[i]:
		return m.partitions[i], m.lastSeen[i]
	case s.LeaderEpoch > m.lastSeen[i]:
		m.equivalent = 0
	}
	return p, s.LeaderEpoch
}
