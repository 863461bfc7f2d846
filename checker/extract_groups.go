package checker

import (
	"cmp"
	"slices"

	"kafkatrial/model/event"
	"kafkatrial/model/groupcoordinator"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// memberships is what the extractor knows of groups with members.
type memberships struct {
	owners map[ownedPartition]owner // who has a partition, as the coordinator's log says
	held   map[replicaKey]int       // the last generation in which a process was given a partition
	// Steps in which coordinators wrote a position, by the name of its record: when a commit was accepted.
	written map[string][]int
	asked   []askedCommit // commits that a coordinator has written and that nobody has been told of
}

type ownedPartition struct {
	group string
	tp    TopicPartition
}

// owner is one process that has a partition; grant is its place in History.Grants.
type owner struct {
	name        string
	incarnation int
	grant       int
}

// askedCommit is a position on its way through the coordinator.
type askedCommit struct {
	OffsetCommit
	node sim.NodeID
}

func newMemberships() memberships {
	return memberships{owners: map[ownedPartition]owner{}, held: map[replicaKey]int{}, written: map[string][]int{}}
}

func (x *extractor) groupEvent(r *sim.Recorded, step int) {
	e, ok := r.Event.(*event.GroupRebalanced)
	if !ok {
		return
	}
	for _, m := range e.Members {
		n := x.clientNode(m.ClientID)
		for _, tp := range m.Assignment {
			x.given(e.Group, toTP(tp), owner{name: m.ClientID, incarnation: x.lives[n]}, int(e.Generation), step)
		}
	}
}

// taken notes that a member knows what it was given.
func (x *extractor) taken(n sim.NodeID, e *event.AssignmentTaken, step int) {
	tp := toTP(e.TP)
	x.groups.held[replicaKey{n, tp}] = int(e.Generation)
	group, _ := x.application(n)
	if o, ok := x.groups.owners[ownedPartition{group, tp}]; ok && o.name == x.c.World.Name(n) && x.h.Grants[o.grant].Step == 0 {
		x.h.Grants[o.grant].Step = step
	}
}

// given notes that a coordinator gives a partition to a member. To go on with what one has is no grant; a process that
// was started again goes on with nothing.
func (x *extractor) given(group string, tp TopicPartition, to owner, generation, step int) {
	key := ownedPartition{group, tp}
	if has, ok := x.groups.owners[key]; ok && has.name == to.name && has.incarnation == to.incarnation {
		return
	}
	to.grant = len(x.h.Grants)
	x.groups.owners[key] = to
	x.h.Grants = append(x.h.Grants, Grant{Office: OwnerOffice, Name: group, TP: tp, Epoch: generation, Holder: to.name, Incarnation: to.incarnation, Call: step})
}

func (x *extractor) clientNode(name string) sim.NodeID {
	for _, n := range x.c.Consumers() {
		if x.c.World.Name(n) == name {
			return n
		}
	}
	return sim.Nobody
}

// positionsWritten notes the positions that a coordinator appends to its log, and for whom.
func (x *extractor) positionsWritten(b *record.RecordBatch, i int) {
	for k := range b.Records {
		x.groups.written[b.Records[k].ID] = append(x.groups.written[b.Records[k].ID], i+1)
	}
	s := &x.trace.Steps[i]
	req, ok := s.Msg.(*protocol.OffsetCommit)
	if !ok || s.Kind != sim.StepDeliver || !slices.Contains(x.c.Consumers(), s.Peer) {
		return
	}
	app, name := x.application(s.Peer)
	for k := range req.Data {
		d := &req.Data[k]
		if !slices.ContainsFunc(b.Records, func(r record.Record) bool { return r.ID == groupcoordinator.PositionID(req.Group, d.TP, d.Offset) }) {
			continue
		}
		x.groups.asked = append(x.groups.asked, askedCommit{node: s.Peer, OffsetCommit: OffsetCommit{Group: app, Consumer: name, Incarnation: x.lifeAt(s.Peer, int(s.Cause)),
			Generation: max(int(req.Generation), 0), TP: toTP(d.TP), Offset: d.Offset, Call: int(s.Cause) + 1, Written: i + 1}})
	}
}

// lifeAt is the process that a node had in a step, counted from 0: the one that sent what has arrived since.
func (x *extractor) lifeAt(n sim.NodeID, step int) int {
	starts := x.starts[n]
	i := len(starts)
	for i > 0 && starts[i-1] > step {
		i--
	}
	return i
}

// positionApplied notes that a position which a coordinator has written is the group's now.
func (x *extractor) positionApplied(e *event.OffsetsCommitted, step int) {
	for i := range x.groups.asked {
		if a := &x.groups.asked[i]; a.Applied == 0 && a.Group == e.Group && a.TP == toTP(e.TP) && a.Offset == e.Offset {
			a.Applied = step
			return
		}
	}
}

// committed takes a commit that a consumer was told of.
func (x *extractor) committed(n sim.NodeID, e *event.Committed, step int) {
	tp := toTP(e.TP)
	app, name := x.application(n)
	c := OffsetCommit{Group: app, Consumer: name, Incarnation: x.lives[n], Generation: x.generation(n, tp), TP: tp, Offset: e.Offset,
		Call: x.commitSent[readKey{n, tp, e.Offset}]}
	c.Written, c.Step = x.acceptedAt(app, tp, e.Offset, c.Call, step), step
	x.groups.asked = slices.DeleteFunc(x.groups.asked, func(a askedCommit) bool {
		mine := a.node == n && a.TP == tp && a.Offset == e.Offset && a.Incarnation == c.Incarnation
		if mine && a.Written == c.Written {
			c.Applied = a.Applied
		}
		return mine
	})
	x.h.OffsetCommits = append(x.h.OffsetCommits, c)
}

// untold adds the commits that took effect and that no consumer was ever told of.
func (x *extractor) untold() {
	for _, a := range x.groups.asked {
		if a.Applied > 0 {
			x.h.OffsetCommits = append(x.h.OffsetCommits, a.OffsetCommit)
		}
	}
	slices.SortStableFunc(x.h.OffsetCommits, func(a, b OffsetCommit) int { return cmp.Or(a.Step, a.Applied) - cmp.Or(b.Step, b.Applied) })
}

// newLife forgets what an earlier process was given.
func (x *extractor) newLife(n sim.NodeID) {
	for key := range x.groups.held {
		if key.node == n {
			delete(x.groups.held, key)
		}
	}
}

// generation is that in which a process has, or last had, a partition; 0 if its group has no members. A record that it
// holds still is of that generation, though the partition is another's by now.
func (x *extractor) generation(n sim.NodeID, tp TopicPartition) int {
	return x.groups.held[replicaKey{n, tp}]
}

// acceptedAt is the step in which the coordinator wrote a position that was asked for in call (0: not known) and answered
// in step: the last one that fits. It is 0 if there is none.
func (x *extractor) acceptedAt(group string, tp TopicPartition, offset int64, call, step int) int {
	id := groupcoordinator.PositionID(group, protocol.TopicPartition{Topic: tp.Topic, Partition: int32(tp.Partition)}, offset)
	all := x.groups.written[id]
	for _, at := range slices.Backward(all) {
		if at <= step && at >= call {
			return at
		}
	}
	return 0
}
