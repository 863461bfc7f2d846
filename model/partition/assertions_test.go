package partition

import (
	"testing"

	"kafkatrial/sim"
)

// Each case breaks what a leader knows by hand; the next thing that it does finds it.
func TestAssertionsOfAPartition(t *testing.T) {
	for _, c := range []struct {
		want   string
		breaks func(p *Partition)
		next   func(p *Partition)
	}{
		{"a replica's leader epoch does not go back", func(p *Partition) { p.partitionEpoch = 0 }, func(p *Partition) {
			p.MakeFollower(LeaderAndISR{Leader: 2, LeaderEpoch: 0, PartitionEpoch: 11, Replicas: []int{1, 2, 3}})
		}},
		{"a replica's leader epoch does not go back", func(p *Partition) { p.partitionEpoch = 0 }, func(p *Partition) {
			p.MakeLeader(LeaderAndISR{Leader: 1, LeaderEpoch: 0, PartitionEpoch: 11, ISR: []int{1}, Replicas: []int{1, 2, 3}}, 0)
		}},
		{"who joins the ISR is a replica", func(p *Partition) { p.replicas = []int{1, 2} }, func(p *Partition) { fetch(t, p, 3, 1, 0) }},
		{"the maximal ISR has the ISR in it", func(p *Partition) {}, func(p *Partition) { p.propose([]int{1}, []int{1}) }},
	} {
		p := setup{}.leader(1, 2)
		write(t, p, 0, "m1")
		fetch(t, p, 2, 1, 0)
		c.breaks(p)
		got := func() (assertion string) {
			defer func() {
				if d, ok := recover().(*sim.Defect); ok {
					assertion = d.Assertion
				}
			}()
			c.next(p)
			return ""
		}()
		if got != c.want {
			t.Errorf("broken: %q, want %q", got, c.want)
		}
	}
}
