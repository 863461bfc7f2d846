package groupcoordinator

import (
	"slices"

	"kafkatrial/model/event"
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/model/release"
	"kafkatrial/sim"
)

// TopicName is the internal topic that holds the positions (Topic.GROUP_METADATA_TOPIC_NAME).
const TopicName = "__consumer_offsets"

// Config holds the broker's settings that a coordinator needs.
type Config struct {
	Partitions         int32         // offsets.topic.num.partitions: of TopicName
	CommitTimeout      sim.Time      // offsets.commit.timeout.ms
	CommitRequiredAcks protocol.Acks // offsets.commit.required.acks: -1 (all) or 1; gone in 4.0

	Planted planted.Set // guards switched off, in tests only
}

// DefaultConfig is Kafka's, with one partition of __consumer_offsets in place of 50.
var DefaultConfig = Config{Partitions: 1, CommitTimeout: 5 * sim.Second, CommitRequiredAcks: protocol.AcksAll}

// GroupCoordinator holds the groups of those partitions of __consumer_offsets that this broker leads.
type GroupCoordinator struct {
	rules      *release.Rules
	cfg        Config
	partitions []offsetsPartition
	pending    []pendingWrite // in order of arrival
	reads      []pendingRead  // in order of arrival; from 4.0
	lastID     int64
}

// offsetsPartition is what the coordinator knows of one partition of __consumer_offsets.
type offsetsPartition struct {
	state       State
	epoch       int   // leader epoch of the last election or resignation, -1 before the first
	lastWritten int64 // offset after the last record this coordinator has read or appended
	hw          int64
	groups      []Group // by name
}

// State says what the coordinator is to the groups of a partition.
type State uint8

// The states of a partition.
const (
	NotCoordinator State = iota
	Loading
	Active
)

var stateNames = [...]string{NotCoordinator: "not coordinator", Loading: "loading", Active: "active"}

func (s State) String() string { return stateNames[s] }

// Group is a group: its positions, ordered by partition, and its members, if it has any.
type Group struct {
	Name         string
	Positions    []Position
	transactions []txnOffsets // by producer id

	State      GroupState
	Generation int32 // raised by every round; 0 before the first
	Members    []Member
	joins      []pendingJoin          // in order of arrival
	plan       []protocol.GroupMember // who is to be in the next generation; nil if no round is under way
	writing    int64                  // the write of the generation, in CompletingRebalance; else 0
}

// Position is what a group has committed for a partition.
type Position struct {
	TP          protocol.TopicPartition
	Offset      int64 // of the next record to read; -1: none is committed yet
	LeaderEpoch int   // of the last record read, -1 not told
	LogOffset   int64 // where in the log of __consumer_offsets it stands; -1: nowhere
	staged      int64 // the write that is under way for this partition; 0 none
}

// pendingWrite is an OffsetCommit, or a group's generation, whose batch waits for its append or its replication.
type pendingWrite struct {
	id        int64
	conn      sim.ConnID
	partition int32
	req       *protocol.OffsetCommit
	base      int64  // offset of the batch; -1 before the append
	records   int    // how many it has
	group     string // whose generation it is; then there is no req

	txn        bool // it belongs to a transaction
	producerID int64
}

// pendingRead is an OffsetFetch that waits until everything written before it is committed.
type pendingRead struct {
	id        int64
	conn      sim.ConnID
	partition int32
	req       *protocol.OffsetFetch
	upTo      int64 // the high watermark it waits for
}

// Append asks the broker to append a batch to its log of a partition of __consumer_offsets.
type Append struct {
	ID    int64 // names it in OnAppended, OnCommitted, OnAppendFailed
	TP    protocol.TopicPartition
	Batch *record.RecordBatch
	// Acks is what the append and its replication are held to. AcksAll: as for a producer's request, with
	// OnCommitted or OnAppendFailed when the wait is over. Otherwise the append alone: the coordinator
	// does the rest by itself.
	Acks    protocol.Acks
	Timeout sim.Time // after that OnAppendFailed with REQUEST_TIMED_OUT, whatever Acks says
}

// Wait says that an OffsetFetch is answered later: by OnHighWatermark, or by OnFetchTimeout after Timeout.
type Wait struct {
	ID      int64
	Timeout sim.Time
}

// Answer is a response to send.
type Answer struct {
	Conn      sim.ConnID
	Msg       sim.Message           // nil: nobody waits for one
	ID        int64                 // of the Append or the Wait that is done, 0 if there was none: cancel its timer
	Group     string                // the group whose positions are now committed, with
	Committed []protocol.CommitData // them; nil if none
	Event     sim.Event             // what else is to be told; nil: nothing
}

// Outcome is what becomes of something that concerns a group's members.
type Outcome struct {
	Event   sim.Event // to be told first; nil: nothing
	Answers []Answer  // to be sent
	Write   Append    // to be appended; its ID is 0 if there is nothing
}

// Send records the positions that are now committed and sends the response.
func (a Answer) Send(env *sim.Env) {
	for _, c := range a.Committed {
		env.Record(&event.OffsetsCommitted{TP: c.TP, Offset: c.Offset, Group: a.Group})
	}
	if a.Event != nil {
		env.Record(a.Event)
	}
	if a.Msg != nil {
		env.Send(a.Conn, a.Msg)
	}
}

// New makes a coordinator that coordinates nothing yet.
func New(cfg Config, rules *release.Rules) *GroupCoordinator {
	g := &GroupCoordinator{rules: rules, cfg: cfg, partitions: make([]offsetsPartition, cfg.Partitions)}
	for i := range g.partitions {
		g.partitions[i].epoch = -1
	}
	return g
}

// PartitionFor gives the partition of __consumer_offsets that a group belongs to: the hash of its name,
// as Java has it, modulo the number of partitions.
//
// Kafka: GroupMetadataManager.partitionFor.
func PartitionFor(group string, partitions int32) int32 {
	var h int32
	for _, c := range utf16Of(group) {
		h = 31*h + int32(c)
	}
	return h & 0x7fffffff % partitions
}

// PartitionFor is PartitionFor with this coordinator's number of partitions.
func (g *GroupCoordinator) PartitionFor(group string) protocol.TopicPartition {
	return protocol.TopicPartition{Topic: TopicName, Partition: PartitionFor(group, g.cfg.Partitions)}
}

// State tells what this broker is to the groups of a partition.
func (g *GroupCoordinator) State(partition int32) State { return g.partitions[partition].state }

// Groups gives the groups of a partition, ordered by name, for views. The caller must not change it.
func (g *GroupCoordinator) Groups(partition int32) []Group { return g.partitions[partition].groups }

// Pending is the number of commits that wait for their replication, for views.
func (g *GroupCoordinator) Pending() int { return len(g.pending) }

// validateGroupStatus says whether this broker may speak for a group.
//
// Kafka: GroupCoordinator.validateGroupStatus.
func (g *GroupCoordinator) validateGroupStatus(group string) protocol.Error {
	switch g.partitions[g.PartitionFor(group).Partition].state {
	case Loading:
		if !g.cfg.Planted.On(planted.CoordinatorLoading) {
			return protocol.None
		}
		return protocol.CoordinatorLoadInProgress
	case Active:
		return protocol.None
	}
	return protocol.NotCoordinator
}

func (p *offsetsPartition) group(name string) *Group {
	if i, ok := p.find(name); ok {
		return &p.groups[i]
	}
	return nil
}

func (p *offsetsPartition) getOrCreateGroup(name string) *Group {
	i, ok := p.find(name)
	if !ok {
		p.groups = slices.Insert(p.groups, i, Group{Name: name})
	}
	return &p.groups[i]
}

func (p *offsetsPartition) find(name string) (int, bool) {
	return slices.BinarySearchFunc(p.groups, name, func(g Group, name string) int {
		switch {
		case g.Name < name:
			return -1
		case g.Name > name:
			return 1
		}
		return 0
	})
}

func (g *Group) find(tp protocol.TopicPartition) (int, bool) {
	return findPosition(g.Positions, tp)
}

// position finds or makes the entry of a partition.
func (g *Group) position(tp protocol.TopicPartition) *Position {
	i, ok := g.find(tp)
	if !ok {
		g.Positions = slices.Insert(g.Positions, i, Position{TP: tp, Offset: -1, LeaderEpoch: -1, LogOffset: -1})
	}
	return &g.Positions[i]
}
