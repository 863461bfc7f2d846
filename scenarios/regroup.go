package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"kafkatrial/model/broker"
	"kafkatrial/model/consumer"
	"kafkatrial/model/event"
	"kafkatrial/model/groupcoordinator"
	"kafkatrial/model/protocol"
	"kafkatrial/scenarios/format"
	"kafkatrial/sim"
)

// regroup stands in, once the script is over, for what makes a group rebalance in Kafka: a new process joins, or a
// session ends. If a partition that the script has given out belongs to no member that runs, a round begins. All who
// run are in it and have what the script gave them last; what it gave to those that do not run goes to the others, in
// turn. A member that would get nothing is left waiting, which changes nothing for the others.
//
// It reports whether it did anything. Which plan is the last follows from how far the script has come, so that a run
// keeps nothing for this.
//
// Kafka: GroupCoordinator.doNewMemberJoinGroup, onExpireHeartbeat, maybePrepareRebalance.
func (r *Run) regroup() bool {
	for _, a := range r.lastRebalances() {
		b := r.coordinator(a.Group.Text)
		if b == nil || r.World.State(r.Cluster.Directory.Node(b.ID())) != sim.Up {
			continue
		}
		orphan, any := r.orphan(b.Coordinator(), a)
		if !any {
			continue
		}
		if r.revive() {
			return true
		}
		members := r.membersThatRun(a)
		if len(members) == 0 {
			continue
		}
		r.World.Note(&event.Arranged{Text: fmt.Sprintf("%v belongs to no member of group %s that runs, so the group begins a round, as it would when a process joins or a session ends",
			orphan, a.Group.Text)})
		r.World.Command(r.Cluster.Directory.Node(b.ID()), &protocol.Command{Rebalance: &protocol.RebalanceCommand{Group: a.Group.Text, Members: members}})
		return true
	}
	return false
}

// lastRebalances gives the last rebalance of each group that the script has come to; the first one, of a group whose
// rebalance it has not come to. They are in the order of the groups' first ones.
func (r *Run) lastRebalances() []*format.Rebalance {
	var all []*format.Rebalance
	for i := range r.File.Script {
		a, ok := r.File.Script[i].Do.(*format.Rebalance)
		if !ok {
			continue
		}
		k := slices.IndexFunc(all, func(b *format.Rebalance) bool { return b.Group.Text == a.Group.Text })
		switch {
		case k < 0:
			all = append(all, a)
		case i < r.director.at:
			all[k] = a
		}
	}
	return all
}

// coordinator gives the broker that can speak for a group now, nil if none can.
func (r *Run) coordinator(group string) *broker.Broker {
	b := r.Cluster.CoordinatorOf(group)
	if b == nil || b.Coordinator().State(b.Coordinator().PartitionFor(group).Partition) != groupcoordinator.Active {
		return nil
	}
	return b
}

// orphan finds a partition of a plan that belongs to no running member. While a round is under way whose end can come
// there is none: it is not yet said whose they are.
func (r *Run) orphan(g *groupcoordinator.GroupCoordinator, a *format.Rebalance) (protocol.TopicPartition, bool) {
	var group *groupcoordinator.Group
	groups := g.Groups(g.PartitionFor(a.Group.Text).Partition)
	if i := slices.IndexFunc(groups, func(g groupcoordinator.Group) bool { return g.Name == a.Group.Text }); i >= 0 {
		group = &groups[i]
	}
	if group != nil {
		stuck := slices.ContainsFunc(group.Awaited(), func(client string) bool { return r.running(client) == nil })
		if !stuck && (group.State == groupcoordinator.PreparingRebalance || group.State == groupcoordinator.CompletingRebalance) {
			return protocol.TopicPartition{}, false
		}
	}
	for _, s := range a.Assign {
		for _, p := range s.Partitions {
			if tp := topicPartition(p); group == nil || !slices.ContainsFunc(group.Members, func(m groupcoordinator.Member) bool {
				return slices.Contains(m.Assignment, tp) && r.isMember(m)
			}) {
				return tp, true
			}
		}
	}
	return protocol.TopicPartition{}, false
}

// isMember says that the process which a coordinator takes for a member runs and takes itself for it too: one that was
// started again is another.
func (r *Run) isMember(m groupcoordinator.Member) bool {
	k := r.running(m.ClientID)
	if k == nil {
		return false
	}
	_, id, _ := k.Membership()
	return id == m.ID
}

// running gives the consumer of that name if it runs and its application has not ended, else nil.
func (r *Run) running(name string) *consumer.Consumer {
	n, ok := r.World.Lookup(name)
	if !ok || r.World.State(n) != sim.Up {
		return nil
	}
	k := r.Cluster.Consumer(n)
	if k == nil || k.State() == consumer.Ended {
		return nil
	}
	return k
}

// membersThatRun gives all of a group that run, by name, each with what a plan gives it, and the partitions of the
// others in turn. It is empty if nobody runs.
func (r *Run) membersThatRun(a *format.Rebalance) []protocol.GroupMember {
	var members []protocol.GroupMember
	for _, n := range r.Cluster.Consumers() {
		if k := r.running(r.World.Name(n)); k != nil && k.Group() == a.Group.Text {
			members = append(members, protocol.GroupMember{ClientID: r.World.Name(n)})
		}
	}
	if len(members) == 0 {
		return nil
	}
	slices.SortFunc(members, func(a, b protocol.GroupMember) int { return strings.Compare(a.ClientID, b.ClientID) })
	turn := 0
	for _, s := range a.Assign {
		own := slices.IndexFunc(members, func(m protocol.GroupMember) bool { return m.ClientID == s.Name.Text })
		for _, p := range s.Partitions {
			i := own
			if i < 0 {
				i, turn = turn%len(members), turn+1
			}
			members[i].Assignment = append(members[i].Assignment, topicPartition(p))
		}
	}
	return members
}
