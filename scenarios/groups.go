package scenarios

import (
	"slices"
	"strings"

	"kafkatrial/model/protocol"
	"kafkatrial/scenarios/format"
)

// rebalanced says that the script rebalances a group: its consumers then have what it gives them.
func rebalanced(f *format.File, group string) bool {
	return slices.ContainsFunc(f.Script, func(st format.Step) bool {
		do, ok := st.Do.(*format.Rebalance)
		return ok && do.Group.Text == group
	})
}

// rebalance has the coordinator of a group begin its next generation.
func (r *Run) rebalance(a *format.Rebalance) {
	b := r.coordinator(a.Group.Text)
	if b == nil {
		r.vacant = "the coordinator of " + a.Group.Text + ", and there is none"
		return
	}
	c := &protocol.RebalanceCommand{Group: a.Group.Text}
	for _, s := range a.Assign {
		m := protocol.GroupMember{ClientID: s.Name.Text}
		for _, p := range s.Partitions {
			m.Assignment = append(m.Assignment, topicPartition(p))
		}
		c.Members = append(c.Members, m)
	}
	slices.SortFunc(c.Members, func(a, b protocol.GroupMember) int { return strings.Compare(a.ClientID, b.ClientID) })
	r.World.Command(r.Cluster.Directory.Node(b.ID()), &protocol.Command{Rebalance: c})
}

// sendOffsets has a producer call sendOffsetsToTransaction, for a consumer if the step names one.
func (d *director) sendOffsets(r *Run, a *format.SendOffsets) {
	c := &protocol.SendOffsetsCommand{Group: a.Group.Text, Generation: -1,
		Data: []protocol.CommitData{{TP: topicPartition(a.Partition), Offset: int64(a.Offset), LeaderEpoch: -1}}}
	if !a.Consumer.IsZero() && (a.GroupMetadata == nil || *a.GroupMetadata) {
		n, _ := r.World.Lookup(a.Consumer.Text)
		k := r.Cluster.Consumer(n)
		if k == nil {
			r.vacant = a.Consumer.Text + ", which is not running"
			return
		}
		c.Generation, c.Member = k.GroupMetadata()
	}
	d.command(r, a.Producer.Text, &protocol.Command{SendOffsets: c})
}
