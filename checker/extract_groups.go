package checker

import (
	"slices"

	"kafkatrial/model/fact"
	"kafkatrial/model/groupcoordinator"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// memberships is what the extractor knows of groups with members.
type memberships struct {
	owners map[ownedPartition]string // the consumer that has a partition, as the coordinator's log says
	held   map[replicaKey]int        // the last generation in which a process was given a partition
	// Steps in which coordinators wrote a position, by the name of its record: when a commit was accepted.
	written map[string][]int
}

type ownedPartition struct {
	group string
	tp    TopicPartition
}

func newMemberships() memberships {
	return memberships{map[ownedPartition]string{}, map[replicaKey]int{}, map[string][]int{}}
}

func (x *extractor) groupFact(f *sim.Fact, step int) {
	switch f.Kind {
	case fact.GroupRebalanced:
		members, _ := f.Ref.([]protocol.GroupMember)
		for _, m := range members {
			for _, tp := range m.Assignment {
				key := ownedPartition{f.Text, toTP(tp)}
				if x.groups.owners[key] != m.ClientID {
					x.groups.owners[key] = m.ClientID
					x.h.Grants = append(x.h.Grants, Grant{Office: OwnerOffice, Name: f.Text, TP: key.tp, Epoch: int(f.A), Holder: m.ClientID, Step: step})
				}
			}
		}
	case fact.AssignmentTaken:
		x.groups.held[replicaKey{f.Node, TopicPartition{f.Subject, int(f.Part)}}] = int(f.A)
	case fact.LeaderAppended:
		b := fact.Batch(f)
		for i := range b.Records {
			x.groups.written[b.Records[i].ID] = append(x.groups.written[b.Records[i].ID], step)
		}
	}
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
