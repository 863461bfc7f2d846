package partition

import (
	"testing"

	"kafkatrial/model/log"
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/model/release"
)

func TestTruncationRuleOf(t *testing.T) {
	for _, c := range []struct {
		version string
		known   bool
		want    TruncationRule
	}{
		{"0.8", true, TruncateToHighWatermark}, {"0.10", true, TruncateToHighWatermark},
		{"0.11", true, AskLeaderEpochEnd}, {"1.1", true, AskLeaderEpochEnd}, {"2.6", true, AskLeaderEpochEnd},
		{"2.7", true, AskLeaderEpochEnd}, {"2.8", true, TruncateOnFetch}, {"4.0", true, TruncateOnFetch},
		{"0.11", false, TruncateToHighWatermark}, {"4.0", false, TruncateToHighWatermark},
	} {
		if got := TruncationRuleOf(rulesOf(c.version), c.known); got != c.want {
			t.Errorf("Kafka %s, epoch known %v: rule %d, want %d", c.version, c.known, got, c.want)
		}
	}
}

// follow makes f a follower of l in l's term, and lets it cut its log as its generation does. It gives
// the number of questions it had to ask.
func follow(t *testing.T, f, l *Partition) (asked int) {
	t.Helper()
	f.MakeFollower(LeaderAndISR{Leader: l.brokerID, LeaderEpoch: l.leaderEpoch, PartitionEpoch: l.partitionEpoch, Replicas: l.replicas})
	_, known := f.log.LatestEpoch()
	switch TruncationRuleOf(f.rules, known) {
	case TruncateToHighWatermark:
		f.Truncate(Truncation{f.log.HighWatermark(), true})
	case AskLeaderEpochEnd:
		hw := f.log.HighWatermark()
		for done := false; !done; asked++ {
			if asked > 9 {
				t.Fatal("the follower keeps asking")
			}
			epoch, _ := f.log.LatestEpoch()
			e, end, err := l.LastOffsetForLeaderEpoch(f.leaderEpoch, epoch, true)
			if err != protocol.None {
				t.Fatal(err)
			}
			cut := GetOffsetTruncationState(f.log, f.rules, hw, e, end)
			f.Truncate(cut)
			done = cut.Completed
		}
	case TruncateOnFetch:
		for ; ; asked++ {
			if asked > 9 {
				t.Fatal("the follower keeps asking")
			}
			epoch, _ := f.log.LatestEpoch()
			info, _, err := l.FetchRecords(FetchParams{ReplicaID: f.brokerID, ReplicaEpoch: 7, CurrentLeaderEpoch: f.leaderEpoch,
				LastFetchedEpoch: epoch, FetchOffset: f.log.LogEndOffset()}, 0)
			if err != protocol.None {
				t.Fatal(err)
			}
			if !info.Diverging.Present {
				break
			}
			f.Truncate(GetOffsetTruncationState(f.log, f.rules, f.log.HighWatermark(), info.Diverging.Epoch, info.Diverging.EndOffset))
		}
	}
	return asked
}

// lead makes p the leader of replicas 1 and 2 in an epoch.
func lead(p *Partition, epoch int, isr ...int) {
	p.MakeLeader(LeaderAndISR{Leader: p.brokerID, LeaderEpoch: epoch, PartitionEpoch: 10 * epoch, ISR: isr, Replicas: []int{1, 2}}, 0)
}

func twoBrokers(rules *release.Rules) (b1, b2 *Partition) {
	return setup{id: 1, rules: rules}.replica(), setup{id: 2, rules: rules}.replica()
}

// Both brokers hold m1 and m2, but only the leader knows that m2 is committed. The follower restarts.
func TestR01FollowerThatLagsInHighWatermarkOnly(t *testing.T) {
	for _, c := range []struct{ version, want string }{
		{"0.9", "m1 "}, {"0.10", "m1 "}, {"0.11", "m1 m2 "}, {"1.1", "m1 m2 "}, {"2.0", "m1 m2 "}, {"4.0", "m1 m2 "},
	} {
		b1, b2 := twoBrokers(rulesOf(c.version))
		lead(b1, 1, 1, 2)
		write(t, b1, 0, "m1", "m2")
		replicate(t, b1, b2)
		fetch(t, b1, 2, 2, 0)
		expectHW(t, b1, 2, "both have m2")
		b2.UpdateFollowerHighWatermark(1, 0)
		follow(t, b2, b1)
		if got := content(b2); got != c.want {
			t.Errorf("Kafka %s: the follower holds %q, want %q", c.version, got, c.want)
		}
	}
}

// After a shared power loss the follower leads with another record at offset 1.
func TestR02DivergenceAfterPowerLoss(t *testing.T) {
	for _, c := range []struct{ version, want string }{
		{"0.10", "m1 m2 "}, {"0.11", "m1 "}, {"2.0", "m1 "}, {"4.0", "m1 "},
	} {
		b1, b2 := twoBrokers(rulesOf(c.version))
		lead(b1, 1, 1, 2)
		write(t, b1, 0, "m1", "m2")
		replicate(t, b1, b2)
		fetch(t, b1, 2, 2, 0)
		b2.log.TruncateTo(1) // what the power loss left of its page cache
		lead(b2, 2, 1, 2)
		write(t, b2, 0, "m3")
		follow(t, b1, b2)
		if got := content(b1); got != c.want {
			t.Errorf("Kafka %s: the old leader holds %q, want %q", c.version, got, c.want)
		}
	}
}

// Two fast fail-overs. b1 never learns of epoch 2, in which b2 wrote x1 and x2.
func TestR03FastFailOvers(t *testing.T) {
	for _, c := range []struct {
		name  string
		rules *release.Rules
		want  string
	}{
		{"0.11", rulesOf("0.11"), "m0 x1 x2 "},
		{"1.1", rulesOf("1.1"), "m0 x1 x2 "},
		{"4.0 without kip-279, kip-595-fetch", with2("kip-279", "kip-595-fetch"), "m0 x1 x2 "},
		{"2.0", rulesOf("2.0"), "m0 "},
		{"2.6", rulesOf("2.6"), "m0 "},
		{"4.0", rulesOf("4.0"), "m0 "},
	} {
		b1, b2 := twoBrokers(c.rules)
		lead(b1, 1, 1, 2)
		write(t, b1, 0, "m0")
		replicate(t, b1, b2)
		write(t, b1, 0, "y1", "y2")
		lead(b2, 2, 1, 2)
		write(t, b2, 0, "x1", "x2")
		lead(b1, 3, 1, 2)
		write(t, b1, 0, "z")
		b2.leaderEpoch = -1 // it restarts
		follow(t, b2, b1)
		if got := content(b2); got != c.want {
			t.Errorf("Kafka %s: the follower holds %q, want %q", c.name, got, c.want)
		}
	}
}

func with2(off ...string) *release.Rules {
	r := rulesOf("4.0")
	for _, key := range off {
		if err := r.Set(key, false); err != nil {
			panic(err)
		}
	}
	return r
}

// The logs share epochs 1 and 4 only: the follower needs a second question to find the end of 1.
func TestFollowerAsksAgain(t *testing.T) {
	for _, version := range []string{"2.0", "4.0"} {
		b1, b2 := twoBrokers(rulesOf(version))
		lead(b1, 1, 1, 2)
		write(t, b1, 0, "m0")
		replicate(t, b1, b2)
		lead(b2, 2, 1, 2)
		write(t, b2, 0, "x1")
		lead(b1, 3, 1, 2)
		write(t, b1, 0, "y1", "y2")
		lead(b2, 4, 1, 2)
		write(t, b2, 0, "x2", "x3")
		lead(b1, 5, 1, 2)
		if asked := follow(t, b2, b1); asked != 2 || content(b2) != "m0 " {
			t.Errorf("Kafka %s: after %d questions the follower holds %q, want m0 after 2", version, asked, content(b2))
		}
	}
}

// The four answers, and the generation that does not read the epoch in them.
func TestGetOffsetTruncationState(t *testing.T) {
	l := setup{}.replica().log // epochs 1 from 0, 3 from 2, log end 5
	for _, e := range []int{1, 1, 3, 3, 3} {
		l.AppendAsLeader(batch("m"), e, 0)
	}
	for _, c := range []struct {
		version string
		epoch   int
		end     int64
		want    Truncation
	}{
		{"4.0", log.UndefinedEpoch, log.UndefinedEpochOffset, Truncation{4, true}},
		{"4.0", log.UndefinedEpoch, 3, Truncation{3, true}},
		{"4.0", log.UndefinedEpoch, 9, Truncation{5, true}},
		{"4.0", 3, 4, Truncation{4, true}},
		{"4.0", 3, 9, Truncation{5, true}},
		{"4.0", 2, 9, Truncation{2, false}}, // it never had epoch 2: cut where 1 ends, and ask about 1
		{"4.0", 1, 1, Truncation{1, true}},
		{"4.0", 1, 9, Truncation{2, true}},
		{"4.0", 4, 3, Truncation{3, true}}, // above all it has
		{"1.1", 2, 4, Truncation{4, true}},
	} {
		if got := GetOffsetTruncationState(l, rulesOf(c.version), 4, c.epoch, c.end); got != c.want {
			t.Errorf("Kafka %s, answer (%d, %d): %+v, want %+v", c.version, c.epoch, c.end, got, c.want)
		}
	}
}

func TestTruncateGuard(t *testing.T) {
	pair(t, planted.TruncateToEpochEnd, 1, 0, func(off planted.Set) int {
		p := setup{off: off}.leader(1)
		write(t, p, 0, "m1", "m2")
		return p.Truncate(Truncation{1, true})
	})
}

func TestDivergenceGuard(t *testing.T) {
	pair(t, planted.DivergenceInFetch, true, false, func(off planted.Set) bool {
		p := setup{off: off}.leader(1, 2, 3)
		write(t, p, 0, "m1", "m2")
		p.MakeLeader(LeaderAndISR{Leader: 1, LeaderEpoch: 3, PartitionEpoch: 11, ISR: []int{1, 2, 3}, Replicas: []int{1, 2, 3}}, 0)
		info, _, _ := p.FetchRecords(FetchParams{ReplicaID: 2, ReplicaEpoch: 7, CurrentLeaderEpoch: 3, LastFetchedEpoch: 2, FetchOffset: 2}, 0)
		if noted := p.Replica(2).LogEndOffset != NoOffset; noted == info.Diverging.Present {
			t.Errorf("diverging %v, but counted as progress %v", info.Diverging.Present, noted)
		}
		return info.Diverging.Present
	})
}

// Where the leader has deleted what the follower asks about, the follower must begin anew.
func TestDivergenceBelowTheLogStart(t *testing.T) {
	p := setup{}.leader(1)
	write(t, p, 0, "m1", "m2", "m3")
	p.DeleteRecords(2)
	p.MakeLeader(LeaderAndISR{Leader: 1, LeaderEpoch: 3, PartitionEpoch: 11, ISR: []int{1}, Replicas: []int{1, 2, 3}}, 0)
	for _, epoch := range []int{0, 1, 2, 3, 4} { // 2 diverges, 4 is unknown
		info, err := p.ReadRecords(FetchParams{ReplicaID: 2, CurrentLeaderEpoch: 3, LastFetchedEpoch: epoch, FetchOffset: 1})
		if err != protocol.OffsetOutOfRange || info.Diverging.Present {
			t.Errorf("last epoch %d: %v, diverging %v; want OFFSET_OUT_OF_RANGE", epoch, err, info.Diverging)
		}
	}
	if info, err := p.ReadRecords(FetchParams{ReplicaID: 2, CurrentLeaderEpoch: 3, LastFetchedEpoch: 0, FetchOffset: 3}); err != protocol.None ||
		info.Diverging != (DivergingEpoch{Epoch: 0, EndOffset: 2, Present: true}) {
		t.Errorf("an epoch below all that is left: %v, %+v; want a divergence at the log start", err, info.Diverging)
	}
}

// The leader's log start lies within a batch: an empty follower must take the whole batch.
func TestFollowerWithoutRecordsTakesABatchFromItsMiddle(t *testing.T) {
	b1, b2 := twoBrokers(rulesOf("4.0"))
	lead(b1, 1, 1)
	b1.AppendRecordsToLeader(batch("m0", "m1", "m2"), -1, 0)
	if _, err := b1.DeleteRecords(2); err != protocol.None {
		t.Fatal(err)
	}
	b2.log.TruncateFullyAndStartAt(2)
	replicate(t, b1, b2)
	if got := content(b2); got != "m0 m1 m2 " || b2.log.LogEndOffset() != 3 {
		t.Errorf("the follower holds %q up to %d", got, b2.log.LogEndOffset())
	}
	if _, err := b2.AppendRecordsToFollower(b1.log.Batches()); err != protocol.OffsetOutOfRange {
		t.Errorf("the same batch again: %v, want OFFSET_OUT_OF_RANGE", err)
	}
}

func TestFollowerHighWatermark(t *testing.T) {
	pair(t, planted.HWBelowLEO, 2, 9, func(off planted.Set) int64 {
		p := setup{off: off}.leader(1, 2, 3)
		write(t, p, 0, "m1", "m2")
		p.MakeFollower(LeaderAndISR{Leader: 2, LeaderEpoch: 2, PartitionEpoch: 11, Replicas: []int{1, 2, 3}})
		return p.UpdateFollowerHighWatermark(9, 0).To
	})
	p := setup{}.replica()
	p.log.AppendAsLeader(batch("m1", "m2", "m3"), 1, 0)
	if got := p.UpdateFollowerHighWatermark(2, 1); got != (HWChange{0, 2}) || p.log.LogStartOffset() != 1 {
		t.Errorf("%+v with log start %d; want 0 → 2 with log start 1", got, p.log.LogStartOffset())
	}
}
