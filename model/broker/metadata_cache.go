package broker

import (
	"slices"
	"sort"

	"kafkatrial/model/config"
	"kafkatrial/model/protocol"
)

// metadataCache is what this broker knows of the cluster: a replay of the metadata log, or what
// ZooKeeper's controller told it. It may be old.
//
// Kafka: MetadataCache, KRaftMetadataCache, ZkMetadataCache.
type metadataCache struct {
	kraft      bool
	brokers    []protocol.RegistrationRecord // KRaft: by broker id
	live       []protocol.BrokerID           // ZooKeeper mode
	partitions []protocol.PartitionState     // in order
	topics     []TopicConfig
	offset     int64 // KRaft: the metadata log is applied up to here
}

func (m *metadataCache) init(b *Broker) {
	m.kraft = b.rules.KRaft
	m.topics = slices.Clone(b.cfg.Topics)
}

// put takes over a partition's state unless it is older than the known one.
func (m *metadataCache) put(s protocol.PartitionState) {
	i, found := m.find(s.TP)
	if !found {
		m.partitions = slices.Insert(m.partitions, i, s)
		return
	}
	m.partitions[i] = s
}

func (m *metadataCache) find(tp protocol.TopicPartition) (int, bool) {
	return sort.Find(len(m.partitions), func(i int) int { return tp.Compare(m.partitions[i].TP) })
}

func (m *metadataCache) partition(tp protocol.TopicPartition) (protocol.PartitionState, bool) {
	i, found := m.find(tp)
	if !found {
		return protocol.PartitionState{}, false
	}
	return m.partitions[i], true
}

func (m *metadataCache) registration(id int) *protocol.RegistrationRecord {
	for i := range m.brokers {
		if m.brokers[i].Broker == id {
			return &m.brokers[i]
		}
	}
	return nil
}

func (m *metadataCache) register(r protocol.RegistrationRecord) {
	if known := m.registration(r.Broker); known != nil {
		*known = r
		return
	}
	m.brokers = append(m.brokers, r)
	slices.SortFunc(m.brokers, func(a, c protocol.RegistrationRecord) int { return a.Broker - c.Broker })
}

// IsBrokerFenced is part of partition.MetadataCache.
func (m *metadataCache) IsBrokerFenced(id int) bool {
	r := m.registration(id)
	return r != nil && r.Fenced
}

// IsBrokerShuttingDown is part of partition.MetadataCache.
func (m *metadataCache) IsBrokerShuttingDown(id int) bool {
	r := m.registration(id)
	return r != nil && r.ShuttingDown
}

// AliveBrokerEpoch is part of partition.MetadataCache.
func (m *metadataCache) AliveBrokerEpoch(id int) (int64, bool) {
	r := m.registration(id)
	if r == nil || r.Fenced {
		return 0, false
	}
	return r.Epoch, true
}

// HasAliveBroker is part of partition.MetadataCache.
func (m *metadataCache) HasAliveBroker(id int) bool {
	if m.kraft {
		r := m.registration(id)
		return r != nil && !r.Fenced
	}
	return slices.Contains(m.live, id)
}

// canBeFetchedFrom says that a follower that is told of this leader begins to fetch. With KRaft it begins also if the leader is still
// fenced: 4.0 elects the last known leader as it registers (KAFKA-19522), and when it is unfenced later nothing more is said about the partition.
//
// Kafka: ReplicaManager.makeFollowers (ZooKeeper), ReplicaManager.applyLocalFollowersDelta, ClusterImage.broker (3.3.2, 4.0.2).
func (m *metadataCache) canBeFetchedFrom(leader protocol.BrokerID) bool {
	if m.kraft {
		return m.registration(leader) != nil
	}
	return m.HasAliveBroker(leader)
}

// liveBrokers lists the brokers a client may talk to. The slice is not shared.
func (m *metadataCache) liveBrokers() []protocol.BrokerID {
	if !m.kraft {
		return slices.Clone(m.live)
	}
	var live []protocol.BrokerID
	for i := range m.brokers {
		if !m.brokers[i].Fenced {
			live = append(live, m.brokers[i].Broker)
		}
	}
	return live
}

// topic gives a topic's settings; a topic without its own has the broker's.
func (m *metadataCache) topic(b *Broker, name string) *config.Values {
	for i := range m.topics {
		if m.topics[i].Topic == name {
			return m.topics[i].Values
		}
	}
	v := config.ForTopic(b.cfg.Values, nil)
	m.topics = append(m.topics, TopicConfig{name, v})
	return v
}

// setConfig takes over a changed setting. The controller has checked it.
func (m *metadataCache) setConfig(b *Broker, c *protocol.ConfigRecord) {
	for i := range m.topics {
		if c.Topic == "" || m.topics[i].Topic == c.Topic {
			changed := m.topics[i].Values.Clone()
			_ = changed.Set(c.Key, c.Value)
			m.topics[i].Values = changed
		}
	}
}
