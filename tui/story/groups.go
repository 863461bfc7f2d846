package story

import (
	"fmt"
	"strings"

	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// groupRebalancing and groupRebalanced tell what a coordinator does with a group's members.
func groupRebalancing(e *event.GroupRebalancing) string {
	return fmt.Sprintf("begins a rebalance of group %s, which is in generation %d: %s", e.Group, e.Generation, whoGets(e.Members, "is to have"))
}

func groupRebalanced(e *event.GroupRebalanced) string {
	return fmt.Sprintf("begins generation %d of group %s: %s", e.Generation, e.Group, whoGets(e.Members, "has"))
}

func whoGets(members []protocol.GroupMember, has string) string {
	var all []string
	for _, m := range members {
		what := "nothing"
		if len(m.Assignment) > 0 {
			var tps []string
			for _, tp := range m.Assignment {
				tps = append(tps, tp.String())
			}
			what = strings.Join(tps, " ")
		}
		all = append(all, m.ClientID+" "+has+" "+what)
	}
	if all == nil {
		return "it has no members"
	}
	return strings.Join(all, ", ")
}

// ofMember tells what a member learns of its group.
func ofMember(f *sim.Recorded) string {
	switch e := f.Event.(type) {
	case *event.GroupJoined:
		if e.Partitions == 0 {
			return fmt.Sprintf("is a member of generation %d as %s, and has no partition", e.Generation, e.Member)
		}
		return fmt.Sprintf("is a member of generation %d as %s", e.Generation, e.Member)
	case *event.AssignmentTaken:
		return fmt.Sprintf("is given %s", e.TP)
	case *event.PartitionRevoked:
		if e.Lost {
			return fmt.Sprintf("drops %s, which is not its own any more", e.TP)
		}
		return fmt.Sprintf("gives %s up", e.TP)
	case *event.GroupTold:
		return groupTold(e)
	}
	return ""
}

func groupTold(e *event.GroupTold) string {
	switch e.Err {
	case protocol.RebalanceInProgress:
		return fmt.Sprintf("learns that group %s rebalances: it is to join again", e.Group)
	case protocol.UnknownMemberID:
		return fmt.Sprintf("learns that it is no member of group %s any more", e.Group)
	}
	return fmt.Sprintf("learns that generation %d of group %s is over: %s", e.Generation, e.Group, e.Err)
}
