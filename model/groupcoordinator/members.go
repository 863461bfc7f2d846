package groupcoordinator

import (
	"slices"
	"strconv"

	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// GroupState says where a group stands between two generations.
//
// Kafka: GroupState (ClassicGroupState from 4.0).
type GroupState uint8

// The states. Dead is left out: the model forgets no group.
const (
	Empty               GroupState = iota // no members; anybody may commit positions
	PreparingRebalance                    // it waits until those who are to be in the next generation have joined
	CompletingRebalance                   // the next generation is being written (AwaitingSync before 1.1)
	Stable                                // every member knows what it has, or can ask
)

var groupStateNames = [...]string{Empty: "Empty", PreparingRebalance: "PreparingRebalance", CompletingRebalance: "CompletingRebalance", Stable: "Stable"}

func (s GroupState) String() string { return groupStateNames[s] }

// Member is a process that belongs to a group's generation.
type Member struct {
	ID         string // the member id, given by the coordinator
	ClientID   string
	Assignment []protocol.TopicPartition
}

// pendingJoin is a JoinGroup that waits for the end of the round.
type pendingJoin struct {
	conn sim.ConnID
	req  *protocol.JoinGroup
}

// Rebalance begins a round: see protocol.RebalanceCommand for what it stands in for. From now on a member
// that is not named is none. The members of the next generation have until then the rights of the present one.
//
// Kafka: GroupCoordinator.removeMemberAndUpdateGroup, maybePrepareRebalance, prepareRebalance.
func (g *GroupCoordinator) Rebalance(clock sim.Time, c *protocol.RebalanceCommand) Outcome {
	if g.validateGroupStatus(c.Group) != protocol.None {
		return Outcome{}
	}
	group := g.partitions[g.PartitionFor(c.Group).Partition].getOrCreateGroup(c.Group)
	group.Members = slices.DeleteFunc(group.Members, func(m Member) bool { return !names(c.Members, m.ClientID) })
	group.State, group.plan, group.writing = PreparingRebalance, c.Members, 0
	begun := &event.GroupRebalancing{Generation: int32(group.Generation), Group: c.Group, Members: c.Members}
	out := g.maybeCompleteJoin(clock, group)
	out.Event = begun
	return out
}

func names(plan []protocol.GroupMember, client string) bool {
	return slices.ContainsFunc(plan, func(m protocol.GroupMember) bool { return m.ClientID == client })
}

// HandleJoinGroup takes the request of a process that wants a place in the next generation. It is answered
// when the round is over; a member that knows its id gets the present generation's answer at once if no round
// is under way.
//
// Kafka: GroupCoordinator.handleJoinGroup, doNewMemberJoinGroup, doCurrentMemberJoinGroup. There a process
// without a member id begins a round; here only Rebalance does. The detour by MEMBER_ID_REQUIRED (KIP-394) is
// left out.
func (g *GroupCoordinator) HandleJoinGroup(clock sim.Time, conn sim.ConnID, req *protocol.JoinGroup) Outcome {
	if err := g.validateGroupStatus(req.Group); err != protocol.None {
		return Outcome{Answers: []Answer{joinFailure(conn, req, err)}}
	}
	p := &g.partitions[g.PartitionFor(req.Group).Partition]
	if known := p.group(req.Group); req.Member != "" && (known == nil || known.member(req.Member) == nil) {
		return Outcome{Answers: []Answer{joinFailure(conn, req, protocol.UnknownMemberID)}}
	}
	group := p.getOrCreateGroup(req.Group)
	if req.Member != "" && group.State == Stable {
		return Outcome{Answers: []Answer{group.joined(pendingJoin{conn, req})}}
	}
	group.joins = slices.DeleteFunc(group.joins, func(j pendingJoin) bool { return j.req.ClientID == req.ClientID })
	group.joins = append(group.joins, pendingJoin{conn, req})
	return g.maybeCompleteJoin(clock, group)
}

// OnDisconnected forgets the requests of a connection that is gone: who sent them joins again, if it is alive.
// Kafka drops such a member after session.timeout.ms.
func (g *GroupCoordinator) OnDisconnected(conn sim.ConnID) {
	for i := range g.partitions {
		for j := range g.partitions[i].groups {
			group := &g.partitions[i].groups[j]
			group.joins = slices.DeleteFunc(group.joins, func(j pendingJoin) bool { return j.conn == conn })
		}
	}
}

// maybeCompleteJoin begins the next generation once all who are to be in it have joined, and writes it.
//
// Kafka: GroupCoordinator.onCompleteJoin, GroupMetadata.initNextGeneration, GroupMetadataManager.storeGroup.
func (g *GroupCoordinator) maybeCompleteJoin(clock sim.Time, group *Group) Outcome {
	if group.State != PreparingRebalance || slices.ContainsFunc(group.plan, func(m protocol.GroupMember) bool { return group.join(m.ClientID) < 0 }) {
		return Outcome{}
	}
	group.Generation++
	group.Members = nil
	for _, m := range group.plan {
		id := group.joins[group.join(m.ClientID)].req.Member
		if id == "" {
			id = m.ClientID + "-" + strconv.Itoa(int(group.Generation)) // Kafka: client.id and a random UUID
		}
		group.Members = append(group.Members, Member{ID: id, ClientID: m.ClientID, Assignment: m.Assignment})
	}
	group.assertOneOwner()
	group.State = CompletingRebalance
	g.lastID++
	group.writing = g.lastID
	tp := g.PartitionFor(group.Name)
	g.pending = append(g.pending, pendingWrite{id: g.lastID, partition: tp.Partition, base: -1, group: group.Name, records: 1})
	batch := record.NewBatch([]record.Record{groupRecord(group, int64(clock/sim.Millisecond))})
	return Outcome{Write: Append{ID: g.lastID, TP: tp, Batch: batch, Acks: g.requiredAcks(), Timeout: g.cfg.CommitTimeout}}
}

// groupWritten ends the round: those who have joined learn their generation and what they are given.
//
// Kafka: the callback of storeGroup in GroupCoordinator.doSyncGroup, setAndPropagateAssignment.
func (g *GroupCoordinator) groupWritten(w *pendingWrite) []Answer {
	group := g.partitions[w.partition].group(w.group)
	if group == nil || group.writing != w.id {
		return []Answer{{ID: w.id}} // another round has begun meanwhile
	}
	group.writing, group.plan, group.State = 0, nil, Stable
	if len(group.Members) == 0 {
		group.State = Empty
	}
	done := Answer{ID: w.id, Event: &event.GroupRebalanced{Generation: int32(group.Generation), Group: group.Name, Members: group.assigned()}}
	out := []Answer{done}
	group.joins = slices.DeleteFunc(group.joins, func(j pendingJoin) bool {
		if group.byClient(j.req.ClientID) == nil {
			return false
		}
		out = append(out, group.joined(j))
		return true
	})
	return out
}

// groupWriteFailed: those who have joined are told, and join again for another generation.
//
// Kafka: resetAndPropagateAssignmentError, prepareRebalance; GroupMetadataManager.storeGroup translates the error.
func (g *GroupCoordinator) groupWriteFailed(w *pendingWrite, err protocol.Error) []Answer {
	out := []Answer{{ID: w.id}}
	group := g.partitions[w.partition].group(w.group)
	if group == nil || group.writing != w.id {
		return out
	}
	if err == protocol.RequestTimedOut {
		err = protocol.RebalanceInProgress
	} else {
		err = g.commitError(err)
	}
	group.writing, group.State = 0, PreparingRebalance
	return append(out, group.failJoins(err)...)
}

// failJoins answers all who wait for the end of the round.
func (g *Group) failJoins(err protocol.Error) []Answer {
	var out []Answer
	for _, j := range g.joins {
		out = append(out, joinFailure(j.conn, j.req, err))
	}
	g.joins = nil
	return out
}

// HandleHeartbeat answers whether a member still is one, and of the present generation. While the next generation is
// being written Kafka up to 2.5 tells REBALANCE_IN_PROGRESS; here nobody knows its number by then.
//
// Kafka: GroupCoordinator.handleHeartbeat.
func (g *GroupCoordinator) HandleHeartbeat(conn sim.ConnID, req *protocol.Heartbeat) Answer {
	err := g.validateGroupStatus(req.Group)
	if err == protocol.None {
		group := g.partitions[g.PartitionFor(req.Group).Partition].group(req.Group)
		switch {
		case group == nil, group.member(req.Member) == nil:
			err = protocol.UnknownMemberID
		case req.Generation != group.Generation:
			err = protocol.IllegalGeneration
		case group.State == PreparingRebalance:
			err = protocol.RebalanceInProgress
		}
	}
	return Answer{Conn: conn, Msg: &protocol.HeartbeatResponse{Correlation: req.Correlation, Err: err}}
}

func joinFailure(conn sim.ConnID, req *protocol.JoinGroup, err protocol.Error) Answer {
	return Answer{Conn: conn, Msg: &protocol.JoinGroupResponse{Correlation: req.Correlation, Err: err, Generation: -1}}
}

// joined answers a member's JoinGroup with the present generation.
func (g *Group) joined(j pendingJoin) Answer {
	m := g.byClient(j.req.ClientID)
	return Answer{Conn: j.conn, Msg: &protocol.JoinGroupResponse{Correlation: j.req.Correlation, Generation: g.Generation, Member: m.ID, Assignment: m.Assignment}}
}

// member finds a member of the group by its id, nil if there is none (GroupMetadata.has).
func (g *Group) member(id string) *Member {
	for i := range g.Members {
		if g.Members[i].ID == id {
			return &g.Members[i]
		}
	}
	return nil
}

func (g *Group) byClient(client string) *Member {
	for i := range g.Members {
		if g.Members[i].ClientID == client {
			return &g.Members[i]
		}
	}
	return nil
}

func (g *Group) join(client string) int {
	return slices.IndexFunc(g.joins, func(j pendingJoin) bool { return j.req.ClientID == client })
}

func (g *Group) assigned() []protocol.GroupMember {
	all := make([]protocol.GroupMember, len(g.Members))
	for i, m := range g.Members {
		all[i] = protocol.GroupMember{ClientID: m.ClientID, Assignment: m.Assignment}
	}
	return all
}

// Awaited lists the clients that a round waits for, for views: nil if none is under way.
func (g *Group) Awaited() []string {
	var all []string
	if g.State == PreparingRebalance {
		for _, m := range g.plan {
			if g.join(m.ClientID) < 0 {
				all = append(all, m.ClientID)
			}
		}
	}
	return all
}
