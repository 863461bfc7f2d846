// Package partition holds what one broker knows of one partition: whether it leads, in which epoch, who is
// in sync, and how far each follower has come. It is a state machine without messages: a broker calls it
// and sends what it returns.
package partition

import (
	"kafkatrial/model/log"
	"kafkatrial/model/planted"
	"kafkatrial/model/release"
	"kafkatrial/sim"
)

// Values that stand for "none".
const (
	NoLeader            = -1
	NoEpoch             = -1 // a request that names no leader epoch
	ConsumerID          = -1 // the replica id in a consumer's fetch
	NoBrokerEpoch int64 = -1
	NoOffset      int64 = -1
)

// Config holds the settings a partition needs, with Kafka's keys.
type Config struct {
	MinInsyncReplicas     int      // min.insync.replicas, at least 1
	ReplicaLagTimeMax     sim.Time // replica.lag.time.max.ms
	ReplicaLagMaxMessages int64    // replica.lag.max.messages; read only without release.Rules.NoMessageLag

	Planted planted.Set // guards switched off, in tests only
}

// MetadataCache is what a partition asks of its broker's view of the cluster.
type MetadataCache interface {
	IsBrokerFenced(id int) bool
	IsBrokerShuttingDown(id int) bool
	// AliveBrokerEpoch is the epoch of a registered broker that is not fenced; ok is false otherwise.
	AliveBrokerEpoch(id int) (epoch int64, ok bool)
	// HasAliveBroker is what a broker knows in ZooKeeper mode.
	HasAliveBroker(id int) bool
}

// LeaderAndISR is a state of the partition as the controller decides it (LeaderAndIsrPartitionState, or
// PartitionRegistration in KRaft). The slices belong to the partition from then on.
type LeaderAndISR struct {
	Leader          int // NoLeader if there is none
	LeaderEpoch     int
	ISR             []int
	PartitionEpoch  int // the version of the ZooKeeper node in ZooKeeper mode
	Replicas        []int
	ControllerEpoch int // epoch of the controller that decided it; ZooKeeper mode
}

// BrokerState is a proposed member of the ISR, with the epoch of the life in which it fetched (KIP-903).
type BrokerState struct {
	ID    int
	Epoch int64 // NoBrokerEpoch: not to be checked
}

// AlterPartition is a change of the ISR that the leader proposes: a request to the controller (KIP-497),
// or before that a conditional write to ZooKeeper. It is never changed.
type AlterPartition struct {
	Leader          int
	LeaderEpoch     int
	PartitionEpoch  int // compare-and-set on this: the partition epoch, or the node's version
	ISR             []BrokerState
	ControllerEpoch int
}

// HWChange is a move of the high watermark. The zero value is no move.
type HWChange struct{ From, To int64 }

// Raised says that the high watermark went up.
func (c HWChange) Raised() bool { return c.To > c.From }

// Effects is what a call changed, for the broker to act on and to record.
type Effects struct {
	HW  HWChange        // the leader's high watermark: complete what waits for it
	ISR *AlterPartition // an ISR change to send; nil if none
}

// Partition is one broker's replica of a partition, and, while it leads, all it knows of the others.
type Partition struct {
	name     string
	brokerID int
	epoch    int64 // this broker's own broker epoch
	rules    *release.Rules
	cfg      Config
	meta     MetadataCache
	log      *log.UnifiedLog

	leader           int
	leaderEpoch      int
	leaderEpochStart int64 // log end when this broker became leader of leaderEpoch; NoOffset for a follower
	partitionEpoch   int
	controllerEpoch  int
	replicas         []int // the assignment
	remote           []Replica
	isr              isrState
}

// New makes a partition in no state: it neither leads nor follows. brokerEpoch is the epoch under which
// this life of the broker is registered (NoBrokerEpoch in ZooKeeper mode).
func New(name string, brokerID int, brokerEpoch int64, rules *release.Rules, cfg Config, meta MetadataCache, l *log.UnifiedLog) *Partition {
	return &Partition{
		name: name, brokerID: brokerID, epoch: brokerEpoch, rules: rules, cfg: cfg, meta: meta, log: l,
		leader: NoLeader, leaderEpoch: -1, leaderEpochStart: NoOffset, partitionEpoch: -1,
	}
}

// Name is the partition's name, such as "orders-0".
func (p *Partition) Name() string { return p.name }

// Log is this broker's log of the partition.
func (p *Partition) Log() *log.UnifiedLog { return p.log }

// IsLeader says that this broker believes to lead.
func (p *Partition) IsLeader() bool { return p.leader == p.brokerID }

// Leader is the leader this broker knows of, NoLeader if none.
func (p *Partition) Leader() int { return p.leader }

// LeaderEpoch is the epoch of the last state this broker has taken over, -1 before the first.
func (p *Partition) LeaderEpoch() int { return p.leaderEpoch }

// LeaderEpochStart is the log end offset at which this broker's term began, NoOffset unless it leads.
func (p *Partition) LeaderEpochStart() int64 { return p.leaderEpochStart }

// PartitionEpoch is the version of the state (zkVersion in ZooKeeper mode).
func (p *Partition) PartitionEpoch() int { return p.partitionEpoch }

// Replicas is the assignment. The caller must not change it.
func (p *Partition) Replicas() []int { return p.replicas }

// ISR is the committed in-sync set, sorted; empty unless this broker leads. The caller must not change it.
func (p *Partition) ISR() []int { return p.isr.committed }

// MaximalISR is the committed ISR and whoever is about to join it, sorted (KIP-497).
func (p *Partition) MaximalISR() []int { return p.isr.maximal }

// Pending is the ISR change under way, nil if none.
func (p *Partition) Pending() *AlterPartition { return p.isr.sent }

// SetConfig replaces the settings, as a change of a topic's configuration does.
func (p *Partition) SetConfig(cfg Config) { p.cfg = cfg }

// SetBrokerEpoch tells the epoch under which this broker has registered.
func (p *Partition) SetBrokerEpoch(epoch int64) { p.epoch = epoch }
