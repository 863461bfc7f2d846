package broker_test

import (
	"fmt"
	"strings"
	"testing"

	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// A leader writes n1 that nobody copies, and dies. The next leader writes n2 at its offset. When the first
// one is back it cuts n1, by the rule of its release, and the logs agree.
func TestAReturningLeaderCutsWhatNobodyCopied(t *testing.T) {
	for _, c := range []struct{ version, want string }{
		{"0.8.2", "2 to 1, to-high-watermark"},
		{"0.10", "2 to 1, to-high-watermark"},
		{"0.11", "2 to 1, to-epoch-end"},
		{"1.1", "2 to 1, to-epoch-end"},
		{"2.0", "2 to 1, to-epoch-end-kip-279"},
		{"2.7", "2 to 1, to-epoch-end-kip-279"},
		{"2.8", "2 to 1, to-divergence"},
		{"4.0", "2 to 1, to-divergence"},
	} {
		t.Run(c.version, func(t *testing.T) {
			tr := cluster(t, c.version, 2, [][]int{{1, 2}}, "unclean.leader.election.enable=false")
			tr.send(0, "m")
			tr.until("m on both", func() bool { return tr.log(2, orders) == "m" && tr.hw(2) == 1 })
			tr.pass(6 * sim.Second) // the high watermarks are checkpointed
			tr.hold("b1", "b2", "")
			tr.send(0, "n1")
			tr.until("n1 on broker 1", func() bool { return tr.log(1, orders) == "m n1" })
			tr.w.Kill(tr.node("b1"))
			tr.w.Disconnect(tr.node("b1"), tr.node("b2")) // and what was on the wire is lost
			tr.until("broker 2 leads", tr.leads(2))
			tr.release(0)
			tr.until("p knows", func() bool { tr.send(0, "n2"); tr.pass(sim.Second); return tr.log(2, orders) != "m" })
			written := tr.log(2, orders)
			tr.w.Restart(tr.node("b1"))
			tr.until("both agree", func() bool { return tr.log(1, orders) == written && tr.isr(orders) == "1 2" })
			got := tr.told(1, new(event.Truncated), func(f *sim.Recorded) string {
				e := f.Event.(*event.Truncated)
				return fmt.Sprintf("%d to %d, %s", e.OldEnd, e.NewEnd, e.Rule)
			})
			if got != c.want {
				t.Errorf("broker 1 cut %q, want %q", got, c.want)
			}
		})
	}
}

// A leader that a power failure has set back ends before the high watermark of the replica that returns. Cutting to the
// high watermark leaves that one ahead of its leader, and then it stopped its whole process, unless unclean elections were
// allowed. With leader epochs it learns where to cut.
func TestAFollowerThatIsAheadOfItsLeader(t *testing.T) {
	for _, c := range []struct {
		version string
		allowed bool
		want    string
	}{
		{"0.10", false, "down"}, {"0.10", true, "m"}, {"0.11", false, "m"}, {"1.1", false, "m"}, {"2.8", false, "m"}, {"3.9", false, "m"},
	} {
		t.Run(fmt.Sprint(c.version, c.allowed), func(t *testing.T) {
			tr := cluster(t, c.version, 2, [][]int{{1, 2}}, fmt.Sprint("unclean.leader.election.enable=", c.allowed))
			tr.send(0, "m")
			tr.until("m committed", func() bool { return tr.hw(2) == 1 })
			for _, b := range []int{1, 2} {
				tr.Broker(b).Replica(orders).Log().Flush()
			}
			tr.send(0, "n")
			tr.until("n committed", func() bool { return tr.hw(1) == 2 && tr.hw(2) == 2 })
			tr.Broker(1).Replica(orders).Log().Flush()
			tr.pass(6 * sim.Second) // the high watermarks are checkpointed
			lost := func(string, int) int { return 0 }
			tr.w.PowerLoss(tr.node("b1"), lost) // broker 2 is the last of the ISR, and comes back without n
			tr.until("broker 2 leads", tr.leads(2))
			tr.w.PowerLoss(tr.node("b2"), lost)
			tr.w.Restart(tr.node("b2"))
			tr.pass(20 * sim.Second)
			tr.until("broker 2 leads again", tr.leads(2))
			tr.w.Restart(tr.node("b1"))
			if c.want == "down" {
				tr.until("broker 1 stops itself", func() bool { return tr.w.State(tr.node("b1")) == sim.Down })
				return
			}
			tr.until("broker 1 cuts n", func() bool { return tr.log(1, orders) == c.want && tr.isr(orders) == "1 2" })
		})
	}
}

// Leadership goes from broker 1 to broker 3 and back, and broker 2 does not hear of it. Since KIP-320 its fetch, in the
// epoch that it knows, is refused and does not move the high watermark.
func TestAFetchInAnOldEpochIsFenced(t *testing.T) {
	for _, c := range []struct {
		version string
		hw      int64
		refused bool
	}{{"0.10", 2, false}, {"1.1", 2, false}, {"2.0", 2, false}, {"2.1", 1, true}, {"2.6", 1, true}} {
		t.Run(c.version, func(t *testing.T) {
			tr := cluster(t, c.version, 3, [][]int{{1, 3, 2}}, "unclean.leader.election.enable=false", "auto.leader.rebalance.enable=false")
			tr.send(0, "m")
			tr.until("m everywhere", func() bool { return tr.hw(1) == 1 && tr.hw(2) == 1 && tr.hw(3) == 1 })
			tr.hold("k1", "b2", "")
			tr.w.CutBoth(tr.node("b1"), tr.node("zk"))
			tr.until("broker 3 leads", tr.leads(3))
			tr.w.HealLinks()
			tr.until("broker 1 is back in the ISR", func() bool { return tr.isr(orders) == "1 2 3" })
			tr.w.Command(tr.node("k1"), &protocol.Command{Elect: &protocol.ElectCommand{TP: orders}})
			tr.until("broker 1 leads again", tr.leads(1))
			tr.send(0, "n")
			tr.until("n on broker 3", func() bool { return tr.log(3, orders) == "m n" })
			tr.pass(2 * sim.Second)
			if tr.isr(orders) != "1 2 3" {
				t.Fatalf("the ISR is %s", tr.isr(orders))
			}
			if got := tr.hw(1); got != c.hw {
				t.Errorf("the high watermark is %d, want %d", got, c.hw)
			}
			fenced := tr.told(1, new(event.FetchRefused), func(f *sim.Recorded) string {
				if e := f.Event.(*event.FetchRefused); e.Replica != 2 || e.Err != protocol.FencedLeaderEpoch {
					return ""
				}
				return "fenced"
			})
			if got := strings.Contains(fenced, "fenced"); got != c.refused {
				t.Errorf("fenced: %v, want %v", got, c.refused)
			}
			tr.release(0)
			tr.until("broker 2 follows in the new epoch, and n is committed", func() bool {
				return tr.log(2, orders) == "m n" && tr.hw(1) == 2 && len(tr.Moving()) == 0
			})
		})
	}
}

// The answer to a fetch is under way when the leader, which stays the same, gets a new epoch. Since KAFKA-18723 it is passed over;
// before, the follower took it, for it had asked for that offset. In 3.5 a shrink of the ISR is such a new epoch.
func TestAFetchAnswerOfAnEarlierEpoch(t *testing.T) {
	for _, c := range []struct {
		partitions int
		rule, want string
	}{{1, "off", "m n"}, {1, "on", "m"}, {2, "off", "m n"}, {2, "on", "m"}} {
		tr := cluster(t, "3.5", 3, [][]int{{1, 2, 3}, {1, 2, 3}}[:c.partitions], "kafka-18723="+c.rule)
		tr.send(0, "m")
		tr.until("m on broker 2", func() bool { return tr.log(2, orders) == "m" })
		tr.hold("b1", "b2", "FetchResponse")
		tr.send(0, "n")
		epoch := func() int { return tr.Broker(2).Replica(orders).LeaderEpoch() }
		before := epoch()
		tr.w.Kill(tr.node("b3"))
		tr.until("a new epoch of the same leader", func() bool { return epoch() > before && tr.ledBy(1) })
		tr.release(1)
		tr.pass(100 * sim.Millisecond)
		if got := tr.log(2, orders); got != c.want {
			t.Errorf("kafka-18723 %s, %d partitions: broker 2 has %q, want %q", c.rule, c.partitions, got, c.want)
		}
		tr.until("both agree", func() bool { tr.release(0); return tr.log(2, orders) == "m n" })
	}
}
