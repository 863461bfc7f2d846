package partition

import (
	"testing"

	"kafkatrial/model/protocol"
)

// reElected is what a leader of epoch 1, that has heard from replica 2 that it has m1 and m2, and from replica 3 that it has m1, has
// for its high watermark when the next it hears is that it leads in a later epoch, with replica 2 in the ISR. What replica 2 has
// now it has not heard.
func reElected(t *testing.T, rule string, epoch int) *Partition {
	rules := rulesOf("4.3")
	if rule != "" {
		rules = with("4.3", rule, true)
	}
	p := setup{rules: rules, min: 2}.leader(1, 2, 3)
	write(t, p, 0, "m1", "m2")
	fetch(t, p, 2, 2, 0)
	fetch(t, p, 3, 1, 0)
	expectHW(t, p, 1, "replica 3 has m1 alone")
	p.MakeLeader(LeaderAndISR{Leader: 1, LeaderEpoch: epoch, PartitionEpoch: 9 + epoch, ISR: []int{1, 2}, Replicas: []int{1, 2, 3}}, 1)
	return p
}

// docs/findings.md: the high watermark rises by what replica 2 had two epochs ago. Each mending closes it; the first only where an
// epoch was missed, for which replica 2 may have followed another leader.
func TestMissedEpoch(t *testing.T) {
	for _, c := range []struct {
		rule       string
		next, skip int64 // the high watermark in epoch 2, and in epoch 3
	}{{"", 2, 2}, {"forget-on-skipped-epoch", 2, 1}, {"forget-on-every-epoch", 1, 1}, {"epoch-with-log-end", 1, 1}} {
		expectHW(t, reElected(t, c.rule, 2), c.next, c.rule+", in the next epoch")
		p := reElected(t, c.rule, 3)
		expectHW(t, p, c.skip, c.rule+", an epoch later")
		fetch(t, p, 2, 2, 2)
		expectHW(t, p, 2, c.rule+", once replica 2 has said so in the present epoch")
	}
}

// A fetch is checked and served in one section of the partition's lock, and noted in another. What was read in epoch 1 and is noted
// in epoch 3 opens the finding again for a leader that has forgotten; only the epoch beside the log end closes both.
func TestFetchOfAnEarlierEpochIsNoted(t *testing.T) {
	for rule, want := range map[string]int64{"": 2, "forget-on-skipped-epoch": 2, "forget-on-every-epoch": 2, "epoch-with-log-end": 1} {
		rules := rulesOf("4.3")
		if rule != "" {
			rules = with("4.3", rule, true)
		}
		p := setup{rules: rules, min: 2}.leader(1, 2, 3)
		write(t, p, 0, "m1", "m2")
		fetch(t, p, 2, 1, 0)
		fetch(t, p, 3, 1, 0)
		last := FetchParams{ReplicaID: 2, ReplicaEpoch: 7, CurrentLeaderEpoch: 1, LastFetchedEpoch: NoEpoch, FetchOffset: 2}
		read, err := p.ReadRecords(last)
		if err != protocol.None {
			t.Fatal(err)
		}
		p.MakeLeader(LeaderAndISR{Leader: 1, LeaderEpoch: 3, PartitionEpoch: 12, ISR: []int{1, 2}, Replicas: []int{1, 2, 3}}, 1)
		if _, err := p.UpdateFollowerFetchState(last, read, 1); err != protocol.None {
			t.Fatal(err)
		}
		expectHW(t, p, want, rule)
	}
}
