package groupcoordinator

import (
	"testing"

	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

func TestAPartitionHasOneOwnerInAGeneration(t *testing.T) {
	for _, c := range []struct {
		want    string
		members []protocol.GroupMember
	}{
		{"", []protocol.GroupMember{to("a", orders0), to("b")}},
		{"a partition has one owner in a generation", []protocol.GroupMember{to("a", orders0), to("b", orders0)}},
	} {
		g := Group{Name: "g", Generation: 1}
		for _, m := range c.members {
			g.Members = append(g.Members, Member{ID: m.ClientID + "-1", ClientID: m.ClientID, Assignment: m.Assignment})
		}
		got := func() (assertion string) {
			defer func() {
				if d, ok := recover().(*sim.Defect); ok {
					assertion = d.Assertion
				}
			}()
			g.assertOneOwner()
			return ""
		}()
		if got != c.want {
			t.Errorf("broken: %q, want %q", got, c.want)
		}
	}
}
