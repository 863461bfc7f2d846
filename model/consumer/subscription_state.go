package consumer

import (
	"slices"

	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// FetchState says what a partition waits for.
//
// Kafka: SubscriptionState.FetchStates.
type FetchState uint8

// The states.
const (
	Initializing    FetchState = iota // it has no position yet
	Fetching                          // its position is valid
	AwaitReset                        // it has no position and asks for the start or the end of the partition
	AwaitValidation                   // the leader has changed: does it know the position's epoch?
)

var fetchStateNames = [...]string{Initializing: "initializing", Fetching: "fetching", AwaitReset: "awaiting reset", AwaitValidation: "awaiting validation"}

func (s FetchState) String() string { return fetchStateNames[s] }

// Position is where a consumer stands in a partition.
//
// Kafka: SubscriptionState.FetchPosition.
type Position struct {
	Offset       int64             // of the next record to read
	OffsetEpoch  int               // leader epoch of the last record read, -1 unknown
	Leader       protocol.BrokerID // the leader as of which the position is believed, NoBroker if none is known
	CurrentEpoch int               // its epoch, -1 unknown
}

// PartitionState is what the consumer knows of a partition it reads.
//
// Kafka: SubscriptionState.TopicPartitionState.
type PartitionState struct {
	TP            protocol.TopicPartition
	State         FetchState
	Position      Position // meaningful in Fetching and AwaitValidation
	Committed     int64    // the position as last read or written by this consumer at the coordinator; -1 none
	HighWatermark int64    // of the last fetch; -1 before the first

	policy    ResetPolicy // in AwaitReset
	from      int64       // in AwaitReset: the position given up, -1 if there was none
	assigned  bool        // it has had a position
	rewinds   bool        // in Initializing: the application goes back, from the position given up to the committed one
	back      int64       // with it: where the records in hand begin, for when nothing is committed
	consulted bool        // in Initializing: the database that positions are stored in was asked for one
	owner     int64       // how often the position has been taken over in the database, when this consumer did; 0 it has not
	restored  bool        // the store was read back from its changelog since the application got the partition
	asked     int32       // correlation id of the look-up under way, 0 none
	asking    Position    // of an epoch look-up: for this position
	retryAt   sim.Time    // no look-up before
	fetchAt   sim.Time    // no fetch before, unless the metadata change
}

// subscriptionState is the list of partitions the application reads, in the order of their assignment.
type subscriptionState struct {
	partitions      []PartitionState
	metadataVersion int // the metadata as of which positions were last compared to the leaders
}

func (s *subscriptionState) assign(tp protocol.TopicPartition) {
	if s.find(tp) == nil {
		s.partitions = append(s.partitions, PartitionState{TP: tp, Committed: -1, HighWatermark: -1, from: -1})
	}
}

func (s *subscriptionState) find(tp protocol.TopicPartition) *PartitionState {
	i := slices.IndexFunc(s.partitions, func(p PartitionState) bool { return p.TP == tp })
	if i < 0 {
		return nil
	}
	return &s.partitions[i]
}

// hasAllFetchPositions says that every partition has a valid position.
func (s *subscriptionState) hasAllFetchPositions() bool {
	return !slices.ContainsFunc(s.partitions, func(p PartitionState) bool { return !p.hasValidPosition() })
}

// allConsumed lists the positions to commit: of partitions whose position is valid. One that awaits a
// reset or a validation is left out.
//
// Kafka: SubscriptionState.allConsumed.
func (s *subscriptionState) allConsumed() []protocol.CommitData {
	var all []protocol.CommitData
	for i := range s.partitions {
		if p := &s.partitions[i]; p.hasValidPosition() {
			all = append(all, protocol.CommitData{TP: p.TP, Offset: p.Position.Offset, LeaderEpoch: p.Position.OffsetEpoch})
		}
	}
	return all
}

func (p *PartitionState) hasPosition() bool { return p.State == Fetching || p.State == AwaitValidation }

func (p *PartitionState) hasValidPosition() bool { return p.State == Fetching }

// seekValidated takes a position that needs no check.
func (p *PartitionState) seekValidated(pos Position) {
	p.State, p.Position, p.retryAt, p.asked = Fetching, pos, 0, 0
}

// seekUnvalidated takes a position that the leader may not know.
func (p *PartitionState) seekUnvalidated(pos Position, check bool) {
	p.seekValidated(pos)
	if check {
		p.validatePosition(pos)
	}
}

// validatePosition has a position checked if its epoch and the leader's are known.
func (p *PartitionState) validatePosition(pos Position) {
	p.Position, p.retryAt, p.asked = pos, 0, 0
	p.State = Fetching
	if pos.OffsetEpoch >= 0 && pos.CurrentEpoch >= 0 {
		p.State = AwaitValidation
	}
}

// maybeValidatePosition compares the position to the leader that the metadata name now. With another
// leader or another epoch the position is checked before the next fetch. Before 2.3, without check, it is
// only fetched from there.
//
// Kafka: SubscriptionState.maybeValidatePositionForCurrentLeader.
func (p *PartitionState) maybeValidatePosition(leader protocol.BrokerID, epoch int, check bool) {
	if !p.hasPosition() || leader == protocol.NoBroker || p.Position.Leader == leader && p.Position.CurrentEpoch == epoch {
		return
	}
	pos := p.Position
	pos.Leader, pos.CurrentEpoch = leader, epoch
	if check {
		p.validatePosition(pos)
	} else {
		p.Position, p.State = pos, Fetching
	}
}

// requestReset gives up the position: the next poll asks for another one.
func (p *PartitionState) requestReset(policy ResetPolicy) {
	p.from = -1
	if p.hasPosition() {
		p.from = p.Position.Offset
	}
	p.State, p.policy, p.retryAt, p.asked = AwaitReset, policy, 0, 0
}
