package story

import (
	"fmt"
	"strings"

	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// ofGroup tells what a coordinator does with a group's members.
func ofGroup(f *sim.Event) string {
	if f.Kind == event.GroupRebalancing {
		return fmt.Sprintf("begins a rebalance of group %s, which is in generation %d: %s", f.Text, f.A, whoGets(f, "is to have"))
	}
	return fmt.Sprintf("begins generation %d of group %s: %s", f.A, f.Text, whoGets(f, "has"))
}

func whoGets(f *sim.Event, has string) string {
	members, _ := f.Ref.([]protocol.GroupMember)
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
func ofMember(f *sim.Event) string {
	switch f.Kind {
	case event.GroupJoined:
		if f.B == 0 {
			return fmt.Sprintf("is a member of generation %d as %s, and has no partition", f.A, f.Text)
		}
		return fmt.Sprintf("is a member of generation %d as %s", f.A, f.Text)
	case event.AssignmentTaken:
		return fmt.Sprintf("is given %s", event.TP(f))
	case event.PartitionRevoked:
		if f.B == 1 {
			return fmt.Sprintf("drops %s, which is not its own any more", event.TP(f))
		}
		return fmt.Sprintf("gives %s up", event.TP(f))
	}
	switch protocol.Error(f.A) {
	case protocol.RebalanceInProgress:
		return fmt.Sprintf("learns that group %s rebalances: it is to join again", f.Text)
	case protocol.UnknownMemberID:
		return fmt.Sprintf("learns that it is no member of group %s any more", f.Text)
	}
	return fmt.Sprintf("learns that generation %d of group %s is over: %s", f.B, f.Text, protocol.Error(f.A))
}
