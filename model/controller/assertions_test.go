package controller

import (
	"testing"

	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

func TestAssertionsOfAState(t *testing.T) {
	for _, c := range []struct {
		want string
		p    protocol.PartitionState
	}{
		{"", protocol.PartitionState{Replicas: []protocol.BrokerID{1, 2, 3}, ISR: []protocol.BrokerID{1, 2}, Leader: 2}},
		{"", protocol.PartitionState{Replicas: []protocol.BrokerID{1, 2, 3}, ISR: []protocol.BrokerID{1}, Leader: protocol.NoBroker}},
		{"the ISR is within the replicas", protocol.PartitionState{Replicas: []protocol.BrokerID{1, 2}, ISR: []protocol.BrokerID{1, 9}, Leader: 1}},
		{"the leader is in the ISR", protocol.PartitionState{Replicas: []protocol.BrokerID{1, 2}, ISR: []protocol.BrokerID{1}, Leader: 2}},
	} {
		got := func() (assertion string) {
			defer func() {
				if d, ok := recover().(*sim.Defect); ok {
					assertion = d.Assertion
				}
			}()
			var unchanged PartitionChange
			unchanged.Apply(c.p)
			return ""
		}()
		if got != c.want {
			t.Errorf("%+v: broken: %q, want %q", c.p, got, c.want)
		}
	}
}
