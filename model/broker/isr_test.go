package broker_test

import "testing"

// A follower that is cut off leaves the ISR of two partitions at one look: both changes are written to
// ZooKeeper, one after the other, or sent to the controller together. When it is back it joins both again.
func TestOneLookBringsTwoISRChanges(t *testing.T) {
	for _, version := range []string{"0.10", "2.6", "2.7", "3.9"} {
		t.Run(version, func(t *testing.T) {
			tr := cluster(t, version, 2, [][]int{{1, 2}, {1, 2}})
			other := orders
			other.Partition = 1
			tr.w.CutBoth(tr.node("b1"), tr.node("b2"))
			tr.send(0, "m")
			tr.send(1, "n")
			tr.until("broker 2 is out of both", func() bool { return tr.isr(orders) == "1" && tr.isr(other) == "1" })
			tr.w.HealLinks()
			tr.until("broker 2 is in both again", func() bool {
				return tr.isr(orders) == "1 2" && tr.isr(other) == "1 2" && len(tr.Moving()) == 0
			})
		})
	}
}
