package protocol

import "kafkatrial/sim"

// JoinGroup asks the coordinator for a place in the group's next generation. The answer comes once the round
// is over, and brings what SyncGroup brings in Kafka: the model's coordinator knows the assignment, and the
// two requests are one.
type JoinGroup struct {
	Correlation int32
	Group       string
	ClientID    string // client.id
	Member      string // as the coordinator has named it; empty of a process that was no member yet
}

// JoinGroupResponse answers it. Generation is -1 and Member empty with an error.
type JoinGroupResponse struct {
	Correlation int32
	Err         Error
	Generation  int32
	Member      string
	Assignment  []TopicPartition
}

// Heartbeat tells the coordinator that a member is alive, and asks whether its generation is still the
// group's.
type Heartbeat struct {
	Correlation int32
	Group       string
	Generation  int32
	Member      string
}

// HeartbeatResponse answers it.
type HeartbeatResponse struct {
	Correlation int32
	Err         Error
}

// RebalanceCommand stands in for what makes a group rebalance and for the assignor: it says who are the
// members of the next generation and what each of them is given. A member that it does not name is out of
// the group at once, as after session.timeout.ms without a heartbeat; the round is over when all that it names
// have joined.
type RebalanceCommand struct {
	Group   string
	Members []GroupMember // by name
}

// GroupMember is a consumer by its client.id, and the partitions that it is given.
type GroupMember struct {
	ClientID   string
	Assignment []TopicPartition
}

func (*JoinGroup) Type() sim.MsgType         { return TJoinGroup }
func (*JoinGroupResponse) Type() sim.MsgType { return TJoinGroupResponse }
func (*Heartbeat) Type() sim.MsgType         { return THeartbeat }
func (*HeartbeatResponse) Type() sim.MsgType { return THeartbeatResponse }

// Routine is true: a member that waits for the others to join is at rest.
func (*JoinGroup) Routine() bool         { return true }
func (*JoinGroupResponse) Routine() bool { return false }
func (*Heartbeat) Routine() bool         { return true }

// Routine is true of an answer that tells nothing new.
func (r *HeartbeatResponse) Routine() bool { return r.Err == None }
