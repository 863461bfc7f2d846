package partition

import (
	"fmt"
	"slices"
	"testing"

	"kafkatrial/model/log"
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// Followers 2 and 3 leave and 3 comes back: the high watermark rests on the maximal ISR throughout.
func TestHighWatermarkOverTheMaximalISR(t *testing.T) {
	pair(t, planted.HWOverMaximalISR, 0, 2, func(off planted.Set) int64 {
		p := setup{off: off}.leader(1, 2)
		write(t, p, 0, "m1", "m2")
		now := 31 * sim.Second
		if a := p.MaybeShrinkISR(now); !slices.Equal(memberIDs(a), []int{1}) {
			t.Fatalf("proposed %v, want the leader alone", memberIDs(a))
		}
		p.Replica(2).LastCaughtUpTime = neverCaughtUp
		p.maybeIncrementLeaderHW(now)
		return p.log.HighWatermark()
	})
}

func TestExpansionCountsAtOnce(t *testing.T) {
	p := setup{}.leader(1, 2)
	write(t, p, 0, "m1")
	fetch(t, p, 2, 1, 0)
	expectHW(t, p, 1, "the ISR has m1")
	a := fetch(t, p, 3, 1, 0).ISR
	if !slices.Equal(memberIDs(a), []int{1, 2, 3}) || a.PartitionEpoch != 10 || a.LeaderEpoch != 1 || a.ISR[0] != (BrokerState{1, 7}) {
		t.Fatalf("proposed %+v", a)
	}
	write(t, p, 0, "m2")
	p.Replica(3).LastCaughtUpTime = neverCaughtUp // so that only the pending change can hold it
	fetch(t, p, 2, 2, 0)
	expectHW(t, p, 1, "3 is about to join and lacks m2")
	if e := fetch(t, p, 3, 1, 0); e.ISR != nil {
		t.Errorf("a second change %v while one is under way", memberIDs(e.ISR))
	}
	if o := accept(p, a, 0); !o.Accepted || p.PartitionEpoch() != 11 || !slices.Equal(p.ISR(), []int{1, 2, 3}) || p.Pending() != nil {
		t.Errorf("accepted: %+v, ISR %v, partition epoch %d", o, p.ISR(), p.PartitionEpoch())
	}
	fetch(t, p, 3, 2, 0)
	expectHW(t, p, 2, "all have m2")
}

func TestHighWatermarkWaitsForWhoIsAboutToJoin(t *testing.T) {
	run := func(s setup) int64 {
		p := s.leader(1)
		write(t, p, 0, "m1")
		p.maybeIncrementLeaderHW(0)
		p.Replica(2).updateFetchState(1, 0, 0, 1, 7, true) // caught up now, but the controller has not put it in
		write(t, p, 0, "m2")
		return p.log.HighWatermark()
	}
	pair(t, planted.HWWaitsForCaughtUp, 1, 2, func(off planted.Set) int64 { return run(setup{off: off}) })
	for version, want := range map[string]int64{"0.8": 2, "0.10.1": 2, "0.10.2": 1} {
		if hw := run(setup{rules: rulesOf(version)}); hw != want {
			t.Errorf("Kafka %s: high watermark %d, want %d; before KAFKA-4485 it waits for the ISR alone", version, hw, want)
		}
	}
	if hw := run(setup{meta: &cluster{fenced: []int{2}}}); hw != 2 {
		t.Errorf("a fenced broker holds the high watermark at %d, want 2", hw)
	}
}

func TestHighWatermarkFrozenUnderMinISR(t *testing.T) {
	run := func(s setup) int64 {
		s.min = 2
		p := s.leader(1)
		write(t, p, 0, "m1")
		return p.log.HighWatermark()
	}
	pair(t, planted.HWNeedsMinISR, 0, 1, func(off planted.Set) int64 { return run(setup{off: off}) })
	for _, c := range []struct {
		version string
		want    int64
	}{{"0.9", 1}, {"2.8", 1}, {"3.6", 1}, {"3.7", 0}, {"4.0", 0}} {
		if hw := run(setup{rules: rulesOf(c.version)}); hw != c.want {
			t.Errorf("Kafka %s: high watermark %d with too small an ISR, want %d", c.version, hw, c.want)
		}
	}
}

// A new leader's high watermark lags, and a follower without the last committed record would join.
func TestFollowerJoinsPastTheEpochStart(t *testing.T) {
	run := func(s setup) bool {
		p := s.replica()
		p.log.AppendAsLeader(batch("m1"), 1, 0)
		p.log.AppendAsLeader(batch("m2"), 1, 0)
		p.log.UpdateHighWatermark(1)
		p.MakeLeader(LeaderAndISR{Leader: 1, LeaderEpoch: 2, PartitionEpoch: 1, ISR: []int{1, 2}, Replicas: []int{1, 2, 3}}, 0)
		return fetch(t, p, 3, 1, 0).ISR != nil
	}
	pair(t, planted.EpochStartJoin, false, true, func(off planted.Set) bool { return run(setup{off: off}) })
	// It was fixed on the branches of 1.1, 2.0 and 2.1 in August 2018; 1.1.2 was never released.
	if !run(setup{rules: rulesOf("1.1")}) || !run(setup{rules: rulesOf("2.0.0")}) || run(setup{rules: rulesOf("2.0.1")}) ||
		!run(setup{rules: with("4.0", "kafka-7128", false)}) {
		t.Error("the rule of KAFKA-7128 is in force from 2.0.1 on")
	}
}

func TestEligibility(t *testing.T) {
	run := func(s setup) bool {
		p := s.leader(1, 2)
		return fetch(t, p, 3, 0, 0).ISR != nil
	}
	pair(t, planted.EligibleForISR, false, true, func(off planted.Set) bool {
		return run(setup{off: off, meta: &cluster{fenced: []int{3}}})
	})
	for _, c := range []struct {
		name    string
		version string
		meta    cluster
		want    bool
	}{
		{"alive", "4.0", cluster{}, true},
		{"fenced", "4.0", cluster{fenced: []int{3}}, false},
		{"shutting down", "4.0", cluster{shuttingDown: []int{3}}, false},
		{"registered again since", "4.0", cluster{epochs: map[int]int64{3: 6}}, false},
		{"registered again since, before KIP-903", "3.4", cluster{epochs: map[int]int64{3: 6}}, true},
		{"fenced, before KIP-841", "2.8", cluster{fenced: []int{3}}, true},
	} {
		if got := run(setup{rules: rulesOf(c.version), meta: &c.meta}); got != c.want {
			t.Errorf("%s (Kafka %s): proposed %v, want %v", c.name, c.version, got, c.want)
		}
	}
}

// A follower that restarted must not be taken for what it was.
func TestFetchFromAnEarlierLife(t *testing.T) {
	run := func(s setup) protocol.Error {
		s.meta = &cluster{epochs: map[int]int64{2: 8}}
		p := s.leader(1, 2, 3)
		_, _, err := p.FetchRecords(FetchParams{ReplicaID: 2, ReplicaEpoch: 7, CurrentLeaderEpoch: 1, LastFetchedEpoch: NoEpoch}, 0)
		return err
	}
	pair(t, planted.FetchBrokerEpoch, protocol.NotLeaderOrFollower, protocol.None, func(off planted.Set) protocol.Error {
		return run(setup{off: off})
	})
	if err := run(setup{rules: rulesOf("3.4")}); err != protocol.None {
		t.Errorf("before KIP-903: %v, want none", err)
	}
}

func TestShrinkNeedsMoreThanTheLag(t *testing.T) {
	pair(t, planted.CaughtUpShrink, "after", "never", func(off planted.Set) string {
		p := setup{off: off}.leader(1, 2, 3)
		write(t, p, 0, "m1")
		fetch(t, p, 2, 1, sim.Second) // at the log end, however long ago
		if p.MaybeShrinkISR(30*sim.Second) != nil {
			return "at"
		}
		switch a := p.MaybeShrinkISR(99 * sim.Second); {
		case a == nil:
			return "never"
		case slices.Equal(memberIDs(a), []int{1, 2}):
			return "after"
		default:
			return fmt.Sprint(memberIDs(a))
		}
	})
	p := setup{}.leader(1, 2)
	write(t, p, 0, "m1")
	if p.MaybeShrinkISR(30*sim.Second) != nil || p.MaybeShrinkISR(30*sim.Second+1) == nil {
		t.Error("a follower leaves after more than replica.lag.time.max.ms, not before")
	}
}

// Before KAFKA-7152 a follower that had everything and was then cut off left the ISR of an idle partition.
func TestShrinkOfAnIdlePartition(t *testing.T) {
	for _, c := range []struct {
		version string
		shrinks bool
	}{{"0.9", true}, {"2.0", true}, {"2.1", false}, {"4.0", false}} {
		p := setup{rules: rulesOf(c.version)}.leader(1, 2)
		write(t, p, 0, "m1")
		fetch(t, p, 2, 1, sim.Second)
		if p.MaybeShrinkISR(31*sim.Second) != nil {
			t.Errorf("Kafka %s: it leaves too early", c.version)
		}
		if got := p.MaybeShrinkISR(31*sim.Second+1) != nil; got != c.shrinks {
			t.Errorf("Kafka %s: shrinks %v, want %v", c.version, got, c.shrinks)
		}
	}
}

// An order of ZooKeeper's controller that comes twice does not end the ISR change that was proposed in between: the
// leader would not take the answer for its own any more. KRaft's metadata of the same term do end it.
func TestTheSameOrderTwice(t *testing.T) {
	for _, c := range []struct {
		version string
		applied bool
	}{{"2.6", false}, {"2.7", false}, {"3.2", false}, {"3.3", true}, {"4.0", true}} {
		p := setup{rules: rulesOf(c.version)}.leader(1, 2)
		write(t, p, 0, "m1")
		a := p.MaybeShrinkISR(99 * sim.Second)
		again := LeaderAndISR{Leader: 1, LeaderEpoch: p.LeaderEpoch(), PartitionEpoch: p.PartitionEpoch(), ISR: []int{1, 2}, Replicas: p.Replicas()}
		applied, _, _ := p.MakeLeader(again, 0)
		if applied != c.applied || (p.Pending() == a) == c.applied {
			t.Errorf("Kafka %s: applied %v, pending %v", c.version, applied, p.Pending())
		}
	}
}

func TestUpdateFetchState(t *testing.T) {
	for _, c := range []struct {
		why               string
		offset, leaderEnd int64
		want              sim.Time
	}{
		{"at the log end: caught up now", 9, 9, 50},
		{"where the log ended at the fetch before: caught up then", 5, 9, 40},
		{"beyond that", 6, 9, 40},
		{"short of it: no news", 4, 9, 20},
	} {
		before := Replica{LastFetchLeaderLogEndOffset: 5, LastFetchTime: 40, LastCaughtUpTime: 20}
		if before.updateFetchState(c.offset, 1, 50, c.leaderEnd, 7, false); c.offset < c.leaderEnd && before.LastCaughtUpTime != 20 {
			t.Errorf("%s: before KAFKA-4485 only the log end counts: %+v", c.why, before)
		}
		r := Replica{LogEndOffset: 3, LastFetchLeaderLogEndOffset: 5, LastFetchTime: 40, LastCaughtUpTime: 20}
		r.updateFetchState(c.offset, 1, 50, c.leaderEnd, 7, true)
		want := Replica{LogEndOffset: c.offset, LogStartOffset: 1, LastFetchLeaderLogEndOffset: 9, LastFetchTime: 50,
			LastCaughtUpTime: c.want, BrokerEpoch: 7, Fetched: true}
		if r != want {
			t.Errorf("%s: %+v, want %+v", c.why, r, want)
		}
	}
	late := Replica{LastFetchLeaderLogEndOffset: 9, LastFetchTime: 40, LastCaughtUpTime: 60}
	late.updateFetchState(9, 0, 50, 8, 7, true)
	if late.LastCaughtUpTime != 60 || late.LastFetchLeaderLogEndOffset != 9 {
		t.Errorf("a late fetch takes nothing back: %+v", late)
	}
}

func TestFollowerBelowTheHighWatermarkDoesNotJoin(t *testing.T) {
	p := setup{}.leader(1)
	write(t, p, 0, "m1", "m2")
	expectHW(t, p, 2, "the leader is alone")
	if e := fetch(t, p, 2, 1, 0); e.ISR != nil {
		t.Errorf("at offset 1 it joined %v", memberIDs(e.ISR))
	}
	if e := fetch(t, p, 2, 2, 0); e.ISR == nil {
		t.Error("at the high watermark it must join")
	}
}

// Before KIP-16 one burst of records throws a healthy follower out.
func TestMessageLag(t *testing.T) {
	for _, c := range []struct {
		version string
		shrinks bool
	}{{"0.8", true}, {"0.9", false}, {"4.0", false}} {
		p := setup{rules: rulesOf(c.version)}.leader(1, 2)
		fetch(t, p, 2, 0, 0)
		for range 4001 {
			write(t, p, 0, "m")
		}
		if got := p.MaybeShrinkISR(1) != nil; got != c.shrinks {
			t.Errorf("Kafka %s: shrinks %v, want %v", c.version, got, c.shrinks)
		}
	}
	p := setup{rules: rulesOf("0.8")}.leader(1, 2)
	fetch(t, p, 2, 0, sim.Second)
	if p.MaybeShrinkISR(31*sim.Second) != nil || p.MaybeShrinkISR(31*sim.Second+1) == nil {
		t.Error("a follower that has not fetched for longer than replica.lag.time.max.ms is stuck")
	}
}

func TestMinISRBeforeAppend(t *testing.T) {
	pair(t, planted.MinISRBeforeAppend, protocol.NotEnoughReplicas, protocol.None, func(off planted.Set) protocol.Error {
		p := setup{off: off, min: 2}.leader(1)
		_, _, err := p.AppendRecordsToLeader(batch("m1"), -1, 0)
		return err
	})
	for _, acks := range []int{0, 1} {
		if _, _, err := (setup{min: 2}).leader(1).AppendRecordsToLeader(batch("m1"), acks, 0); err != protocol.None {
			t.Errorf("acks=%d below the minimum: %v, want none", acks, err)
		}
	}
	// Before 3.7 a topic with fewer replicas than min.insync.replicas can not be written to.
	for version, want := range map[string]protocol.Error{"3.6": protocol.NotEnoughReplicas, "3.7": protocol.None} {
		p := setup{rules: rulesOf(version), min: 2}.replica()
		p.MakeLeader(LeaderAndISR{Leader: 1, LeaderEpoch: 1, ISR: []int{1}, Replicas: []int{1}}, 0)
		if _, _, err := p.AppendRecordsToLeader(batch("m1"), -1, 0); err != want {
			t.Errorf("Kafka %s, one replica, min.insync.replicas=2: %v, want %v", version, err, want)
		}
	}
}

func TestMinISRAfterAppend(t *testing.T) {
	pair(t, planted.MinISRAfterAppend, protocol.NotEnoughReplicasAfterAppend, protocol.None, func(off planted.Set) protocol.Error {
		p := setup{off: off, rules: rulesOf("3.6"), min: 2}.leader(1, 2) // before 3.7 the high watermark moves below the minimum
		p.AppendRecordsToLeader(batch("m1"), -1, 0)
		now := 31 * sim.Second
		if hw := accept(p, p.MaybeShrinkISR(now), now).HW; hw != (HWChange{0, 1}) {
			t.Errorf("after the shrink the high watermark moved %+v, want 0 → 1", hw)
		}
		done, err := p.CheckEnoughReplicasReachOffset(1)
		if !done {
			t.Error("not done")
		}
		return err
	})
}

func TestAcksAllWaitsForHighWatermark(t *testing.T) {
	pair(t, planted.AcksAllWaitsForHW, false, true, func(off planted.Set) bool {
		p := setup{off: off}.leader(1, 2)
		info, _, _ := p.AppendRecordsToLeader(batch("m1"), -1, 0)
		done, _ := p.CheckEnoughReplicasReachOffset(info.LastOffset + 1)
		return done
	})
	// Who is about to join counts for the minimum, as for the high watermark.
	p := setup{rules: rulesOf("3.6"), min: 2}.leader(1)
	p.AppendRecordsToLeader(batch("m1"), 1, 0)
	if fetch(t, p, 2, 1, 0).ISR == nil {
		t.Fatal("2 must join")
	}
	if done, err := p.CheckEnoughReplicasReachOffset(1); !done || err != protocol.None {
		t.Errorf("with maximal ISR %v: %v, %v", p.MaximalISR(), done, err)
	}
	p = setup{}.leader(1)
	p.MakeFollower(LeaderAndISR{Leader: 2, LeaderEpoch: 2, PartitionEpoch: 11})
	if done, err := p.CheckEnoughReplicasReachOffset(0); done || err != protocol.NotLeaderOrFollower {
		t.Errorf("no longer leader: %v, %v", done, err)
	}
	if _, _, err := p.AppendRecordsToLeader(batch("m1"), 1, 0); err != protocol.NotLeaderOrFollower {
		t.Errorf("append to a follower: %v", err)
	}
}

func TestAnswerToProduce(t *testing.T) {
	for _, c := range []struct {
		acks int
		err  protocol.Error
		want ProduceAnswer
	}{
		{0, protocol.None, ProduceAnswer{}},
		{0, protocol.NotLeaderOrFollower, ProduceAnswer{CloseConnection: true}},
		{1, protocol.NotLeaderOrFollower, ProduceAnswer{Respond: true}},
		{-1, protocol.None, ProduceAnswer{Respond: true}},
	} {
		if got := AnswerToProduce(c.acks, c.err); got != c.want {
			t.Errorf("acks=%d, %v: %+v, want %+v", c.acks, c.err, got, c.want)
		}
	}
}

func TestConsumerReadsBelowHighWatermark(t *testing.T) {
	pair(t, planted.ReadBelowHW, 0, 1, func(off planted.Set) int {
		p := setup{off: off}.leader(1, 2)
		write(t, p, 0, "m1")
		info, _, err := p.FetchRecords(FetchParams{ReplicaID: ConsumerID, CurrentLeaderEpoch: NoEpoch, LastFetchedEpoch: NoEpoch,
			Isolation: log.FetchHighWatermark, FetchOnlyLeader: true}, 0)
		if err != protocol.None {
			t.Fatal(err)
		}
		return len(info.Batches)
	})
}

func TestFetchFencing(t *testing.T) {
	run := func(s setup, epoch int) protocol.Error {
		p := s.leader(1, 2, 3)
		_, _, err := p.FetchRecords(FetchParams{ReplicaID: 2, ReplicaEpoch: 7, CurrentLeaderEpoch: epoch, LastFetchedEpoch: NoEpoch}, 0)
		_, _, asked := p.LastOffsetForLeaderEpoch(epoch, 0, true)
		_, listed := p.EndOffset(log.FetchLogEnd, epoch, true)
		if asked != err || listed != err {
			t.Errorf("epoch %d: Fetch %v, OffsetsForLeaderEpoch %v, ListOffsets %v", epoch, err, asked, listed)
		}
		return err
	}
	pair(t, planted.FetchEpochFencing, protocol.FencedLeaderEpoch, protocol.None, func(off planted.Set) protocol.Error {
		return run(setup{off: off}, 0)
	})
	for _, c := range []struct {
		version string
		epoch   int
		want    protocol.Error
	}{
		{"4.0", 1, protocol.None}, {"4.0", 2, protocol.UnknownLeaderEpoch}, {"4.0", NoEpoch, protocol.None},
		{"2.1", 0, protocol.FencedLeaderEpoch}, {"2.0", 0, protocol.None}, {"2.0", 2, protocol.None},
	} {
		if got := run(setup{rules: rulesOf(c.version)}, c.epoch); got != c.want {
			t.Errorf("Kafka %s, epoch %d: %v, want %v", c.version, c.epoch, got, c.want)
		}
	}
}

func TestWhoMayFetch(t *testing.T) {
	p := setup{}.leader(1, 2)
	f := FetchParams{ReplicaID: 9, CurrentLeaderEpoch: 1, LastFetchedEpoch: NoEpoch}
	if _, _, err := p.FetchRecords(f, 0); err != protocol.UnknownLeaderEpoch {
		t.Errorf("a replica that is not assigned: %v, want UNKNOWN_LEADER_EPOCH", err)
	}
	f.CurrentLeaderEpoch = NoEpoch
	if _, _, err := p.FetchRecords(f, 0); err != protocol.NotLeaderOrFollower {
		t.Errorf("the same without an epoch: %v, want NOT_LEADER_OR_FOLLOWER", err)
	}
	f = FetchParams{ReplicaID: 2, CurrentLeaderEpoch: 1, LastFetchedEpoch: NoEpoch, FetchOffset: 5}
	if _, e, err := p.FetchRecords(f, 0); err != protocol.OffsetOutOfRange || e != (Effects{}) || p.Replica(2).LogEndOffset != NoOffset {
		t.Errorf("beyond the log end: %v, want OFFSET_OUT_OF_RANGE and nothing noted", err)
	}
	p.MakeFollower(LeaderAndISR{Leader: 2, LeaderEpoch: 2, PartitionEpoch: 11, Replicas: []int{1, 2, 3}})
	consumer := FetchParams{ReplicaID: ConsumerID, CurrentLeaderEpoch: NoEpoch, LastFetchedEpoch: NoEpoch, FetchOnlyLeader: true}
	if _, _, err := p.FetchRecords(consumer, 0); err != protocol.NotLeaderOrFollower {
		t.Errorf("a consumer at a follower: %v, want NOT_LEADER_OR_FOLLOWER", err)
	}
	consumer.FetchOnlyLeader = false
	if _, _, err := p.FetchRecords(consumer, 0); err != protocol.None {
		t.Errorf("a consumer that may read from a follower: %v, want none", err)
	}
}

func TestElectionForgetsTheFollowers(t *testing.T) {
	pair(t, planted.ResetReplicasOnElection, 1, 2, func(off planted.Set) int64 {
		p := setup{off: off}.leader(1, 2)
		write(t, p, 0, "m1", "m2")
		fetch(t, p, 2, 2, 0)
		p.MakeFollower(LeaderAndISR{Leader: 2, LeaderEpoch: 2, PartitionEpoch: 11, Replicas: []int{1, 2}})
		p.Truncate(Truncation{1, true}) // broker 2 had lost m2
		p.AppendRecordsToFollower([]*record.RecordBatch{batch("x2").WithOffset(1, 2)})
		p.MakeLeader(LeaderAndISR{Leader: 1, LeaderEpoch: 3, PartitionEpoch: 12, ISR: []int{1, 2}, Replicas: []int{1, 2}}, 0)
		return p.log.HighWatermark()
	})
}

// A leader that is elected again keeps what it knows of the followers' logs.
func TestReElectionKeepsTheFollowersLogEnds(t *testing.T) {
	p := setup{}.leader(1, 2)
	write(t, p, 0, "m1")
	fetch(t, p, 2, 1, 0)
	now := 100 * sim.Second
	if _, newLeader, _ := p.MakeLeader(LeaderAndISR{Leader: 1, LeaderEpoch: 2, PartitionEpoch: 11, ISR: []int{1, 2}, Replicas: []int{1, 2, 3}}, now); newLeader {
		t.Error("it led before")
	}
	if r := p.Replica(2); r.LogEndOffset != 1 || r.LastCaughtUpTime != now || r.LastFetchTime != now || r.LastFetchLeaderLogEndOffset != 1 {
		t.Errorf("follower 2 became %+v", *r)
	}
	if r := p.Replica(3); r.LogEndOffset != NoOffset || r.LastCaughtUpTime != neverCaughtUp {
		t.Errorf("follower 3 became %+v", *r)
	}
	if p.LeaderEpochStart() != 1 {
		t.Errorf("the epoch starts at %d, want 1", p.LeaderEpochStart())
	}
}

func TestEpochAtElection(t *testing.T) {
	pair(t, planted.EpochAtElection, 1, log.UndefinedEpoch, func(off planted.Set) int {
		epoch, _ := setup{off: off}.leader(1, 2).log.LatestEpoch()
		return epoch
	})
}

// testMakeLeaderUpdatesEpochCache: up to 2.0.0 the entry came with the first record (KAFKA-7415).
func TestMakeLeaderUpdatesEpochCache(t *testing.T) {
	for version, want := range map[string]int{"0.11": log.UndefinedEpoch, "2.0.0": log.UndefinedEpoch, "2.0.1": 1, "4.0": 1} {
		p := setup{rules: rulesOf(version)}.leader(1, 2)
		if epoch, _ := p.log.LatestEpoch(); epoch != want {
			t.Errorf("%s: the latest epoch of a new leader is %d, want %d", version, epoch, want)
		}
		write(t, p, 0, "m1")
		if epoch, _ := p.log.LatestEpoch(); epoch != 1 {
			t.Errorf("%s: after its first record it is %d", version, epoch)
		}
	}
}

// testFetchOffsetIsNotUpdatedWhenDiverging, as one would call it: 2.8.0 counted a follower for all below the offset of a
// fetch whose answer tells it to cut its log (KAFKA-13141).
func TestADivergingFetchDoesNotCount(t *testing.T) {
	for version, want := range map[string]struct {
		end, hw int64
	}{"2.8.0": {2, 2}, "2.8.1": {NoOffset, 0}, "3.0": {NoOffset, 0}, "4.0": {NoOffset, 0}} {
		p := setup{rules: rulesOf(version)}.replica()
		p.log.AppendAsLeader(batch("m1"), 1, 0)
		p.MakeLeader(LeaderAndISR{Leader: 1, LeaderEpoch: 3, PartitionEpoch: 10, ISR: []int{1, 2}, Replicas: []int{1, 2}}, 0)
		write(t, p, 0, "m2")
		info, effects, err := p.FetchRecords(FetchParams{ReplicaID: 2, ReplicaEpoch: 7, CurrentLeaderEpoch: 3, LastFetchedEpoch: 2, FetchOffset: 2}, 0)
		if err != protocol.None || info.Diverging != (DivergingEpoch{Epoch: 1, EndOffset: 1, Present: true}) || len(info.Batches) > 0 {
			t.Fatalf("%s: %v, answer %+v", version, err, info)
		}
		if got := p.Replica(2).LogEndOffset; got != want.end {
			t.Errorf("%s: the follower counts up to %d, want %d", version, got, want.end)
		}
		if expectHW(t, p, want.hw, version); effects.HW.To != want.hw {
			t.Errorf("%s: the high watermark moved to %d, want %d", version, effects.HW.To, want.hw)
		}
	}
}

func TestStaleStatesAreIgnored(t *testing.T) {
	pair(t, planted.StaleMetadata, 1, 0, func(off planted.Set) int {
		p := setup{off: off}.leader(1, 2)
		p.MakeFollower(LeaderAndISR{Leader: 2, LeaderEpoch: 0, PartitionEpoch: 9, Replicas: []int{1, 2}})
		return p.LeaderEpoch()
	})
	p := setup{rules: rulesOf("2.6")}.leader(1, 2)
	if applied, _, _ := p.MakeLeader(LeaderAndISR{Leader: 1, LeaderEpoch: 1, PartitionEpoch: 12, ISR: []int{1}, Replicas: []int{1, 2}}, 0); applied {
		t.Error("in ZooKeeper mode a state needs a larger leader epoch")
	}
	p = setup{}.leader(1, 2)
	if applied, _, _ := p.MakeLeader(LeaderAndISR{Leader: 1, LeaderEpoch: 1, PartitionEpoch: 12, ISR: []int{1}, Replicas: []int{1, 2}}, 0); !applied {
		t.Error("with KRaft a larger partition epoch is news")
	}
}

func TestFetcherRestarts(t *testing.T) {
	for _, c := range []struct {
		version       string
		leader, epoch int
		want          bool
	}{
		{"4.0", 2, 2, true}, {"2.1", 2, 2, true},
		{"2.0.1", 2, 2, false}, {"2.0.1", 2, 3, true}, {"2.0.1", 3, 2, true}, // a gap in the epochs (KAFKA-7164)
		{"0.11", 2, 3, false}, {"2.0.0", 2, 3, false}, {"2.0.0", 3, 2, true},
		{"0.10", 2, 3, false}, {"0.10", 3, 2, true},
	} {
		p := setup{rules: rulesOf(c.version)}.replica()
		p.MakeFollower(LeaderAndISR{Leader: 2, LeaderEpoch: 1, PartitionEpoch: 1})
		if _, got := p.MakeFollower(LeaderAndISR{Leader: c.leader, LeaderEpoch: c.epoch, PartitionEpoch: 2}); got != c.want {
			t.Errorf("Kafka %s, leader 2 in epoch 1 to leader %d in epoch %d: restart %v, want %v", c.version, c.leader, c.epoch, got, c.want)
		}
	}
}

// A new leader does not know yet how far the old one had come.
func TestEndOffsetOfANewLeader(t *testing.T) {
	run := func(s setup) protocol.Error {
		p := s.replica()
		p.log.AppendAsLeader(batch("m1"), 0, 0)
		p.MakeLeader(LeaderAndISR{Leader: 1, LeaderEpoch: 1, ISR: []int{1, 2}, Replicas: []int{1, 2}}, 0)
		if end, err := p.EndOffset(log.FetchLogEnd, NoEpoch, true); end != 1 || err != protocol.None {
			t.Errorf("a follower asks: %d, %v", end, err)
		}
		_, err := p.EndOffset(log.FetchHighWatermark, NoEpoch, true)
		fetch(t, p, 2, 1, 0)
		if end, err := p.EndOffset(log.FetchHighWatermark, NoEpoch, true); end != 1 || err != protocol.None {
			t.Errorf("once the high watermark has passed the start: %d, %v", end, err)
		}
		return err
	}
	pair(t, planted.OffsetNotAvailable, protocol.OffsetNotAvailable, protocol.None, func(off planted.Set) protocol.Error {
		return run(setup{off: off})
	})
	if err := run(setup{rules: rulesOf("2.1")}); err != protocol.None {
		t.Errorf("before KIP-207: %v, want none", err)
	}
}

func TestDeleteRecords(t *testing.T) {
	p := setup{}.leader(1, 2)
	write(t, p, 0, "m1", "m2", "m3")
	fetch(t, p, 2, 2, 0)
	if _, err := p.DeleteRecords(3); err != protocol.OffsetOutOfRange {
		t.Errorf("above the high watermark: %v", err)
	}
	p.Replica(3).LogStartOffset = 1
	if low, err := p.DeleteRecords(-1); low != 0 || err != protocol.None || p.log.LogStartOffset() != 2 {
		t.Errorf("low watermark %d, %v, log start %d; want 0 (follower 2), none, 2", low, err, p.log.LogStartOffset())
	}
	p.Replica(2).LogStartOffset = 2
	if low := p.LowWatermark(); low != 1 {
		t.Errorf("low watermark %d, want 1 (follower 3)", low)
	}
	if start, _ := p.StartOffset(1, true); start != 2 {
		t.Errorf("earliest offset %d, want 2", start)
	}
}

func TestAlterPartitionErrors(t *testing.T) {
	for _, c := range []struct {
		err     protocol.Error
		pending bool // the change stays pending
		retry   bool
	}{
		{protocol.IneligibleReplica, false, false},
		{protocol.UnknownTopicOrPartition, true, false},
		{protocol.FencedLeaderEpoch, true, false},
		{protocol.InvalidUpdateVersion, true, false},
		{protocol.InvalidRequest, true, false},
		{protocol.NewLeaderElected, true, false},
		{protocol.NotController, true, true},
		{protocol.UnknownServerError, true, true},
		{protocol.StaleBrokerEpoch, true, true},
	} {
		p := setup{}.leader(1, 2)
		a := fetch(t, p, 3, 0, 0).ISR
		o := p.HandleAlterPartitionResponse(a, c.err, LeaderAndISR{}, 0)
		if (p.Pending() != nil) != c.pending || (o.Retry == a) != c.retry || o.Accepted || o.Ignored {
			t.Errorf("%v: %+v, pending %v; want pending %v, retry %v", c.err, o, p.Pending() != nil, c.pending, c.retry)
		}
		if want := []int{1, 2}; !slices.Equal(p.ISR(), want) || p.PartitionEpoch() != 10 {
			t.Errorf("%v: ISR %v, partition epoch %d", c.err, p.ISR(), p.PartitionEpoch())
		}
	}
}

func TestStaleAlterPartitionAnswers(t *testing.T) {
	pair(t, planted.StaleAlterPartitionAnswer, 2, 3, func(off planted.Set) int {
		p := setup{off: off}.leader(1, 2)
		a := fetch(t, p, 3, 0, 0).ISR
		p.MakeLeader(LeaderAndISR{Leader: 1, LeaderEpoch: 2, PartitionEpoch: 12, ISR: []int{1, 2}, Replicas: []int{1, 2, 3}}, 0)
		fetch(t, p, 3, 0, 0) // proposes again, in the new state
		accept(p, a, 0)
		return len(p.ISR())
	})
	p := setup{}.leader(1, 2)
	a := fetch(t, p, 3, 0, 0).ISR
	if o := p.HandleAlterPartitionResponse(a, protocol.None, LeaderAndISR{LeaderEpoch: 1, PartitionEpoch: 9, ISR: []int{1}}, 0); !o.Ignored || p.Pending() == nil {
		t.Errorf("an answer with an older partition epoch: %+v", o)
	}
	if o := p.HandleAlterPartitionResponse(a, protocol.None, LeaderAndISR{LeaderEpoch: 1, PartitionEpoch: 10, ISR: []int{1, 2, 3}}, 0); !o.Accepted {
		t.Errorf("the same partition epoch means that nothing had to change: %+v", o)
	}
	if o := accept(p, a, 0); !o.Ignored {
		t.Errorf("the answer twice: %+v", o)
	}
}

// In ZooKeeper mode the leader writes the ISR itself, conditional on the version it knows, and nothing
// moves meanwhile.
func TestISRInZooKeeper(t *testing.T) {
	rules := rulesOf("2.6")
	p := setup{rules: rules}.leader(1, 2)
	write(t, p, 0, "m1")
	now := 31 * sim.Second
	a := p.MaybeShrinkISR(now)
	if !slices.Equal(memberIDs(a), []int{1}) || a.ISR[0].Epoch != NoBrokerEpoch || a.PartitionEpoch != 10 {
		t.Fatalf("proposed %+v", a)
	}
	if o := p.HandleAlterPartitionResponse(a, protocol.InvalidUpdateVersion, LeaderAndISR{}, now); o.Accepted || o.Retry != nil {
		t.Errorf("the version was another: %+v", o)
	}
	if !slices.Equal(p.ISR(), []int{1, 2}) || p.Pending() != nil || p.PartitionEpoch() != 10 {
		t.Errorf("skip updating the ISR: %v, version %d", p.ISR(), p.PartitionEpoch())
	}
	expectHW(t, p, 0, "the ISR is what it was")
	a = p.MaybeShrinkISR(now)
	if a == nil {
		t.Fatal("it must try again")
	}
	if o := accept(p, a, now); o.HW != (HWChange{0, 1}) || !slices.Equal(p.ISR(), []int{1}) || p.PartitionEpoch() != 11 {
		t.Errorf("written: %+v, ISR %v, version %d", o, p.ISR(), p.PartitionEpoch())
	}
	if e := fetch(t, p, 2, 1, now); !slices.Equal(memberIDs(e.ISR), []int{1, 2}) || !slices.Equal(p.MaximalISR(), []int{1}) {
		t.Errorf("expansion: %v, maximal ISR %v; want the committed one", memberIDs(e.ISR), p.MaximalISR())
	}
	p.Replica(2).LastCaughtUpTime = neverCaughtUp // so that nothing else holds the high watermark
	write(t, p, now, "m2")
	expectHW(t, p, 1, "the partition is locked while ZooKeeper is written")
}

func TestRemovedFollowerLeavesTheISR(t *testing.T) {
	p := setup{}.leader(1, 2, 9)
	if a := p.MaybeShrinkISR(0); !slices.Equal(memberIDs(a), []int{1, 2}) {
		t.Errorf("proposed %v, want [1 2]: 9 is not assigned", memberIDs(a))
	}
}

// Newer metadata of the same term bring the ISR, and leave the term and what is known of followers alone.
func TestNewStateOfTheSameEpoch(t *testing.T) {
	p := setup{}.leader(1, 2)
	write(t, p, 0, "m1", "m2")
	fetch(t, p, 2, 1, 5)
	before := *p.Replica(2)
	a := fetch(t, p, 3, 2, 5).ISR
	p.MakeLeader(LeaderAndISR{Leader: 1, LeaderEpoch: 1, PartitionEpoch: 11, ISR: []int{1, 2}, Replicas: []int{1, 2, 3}}, 9)
	if p.LeaderEpochStart() != 0 || *p.Replica(2) != before {
		t.Errorf("the epoch starts at %d, follower 2 is %+v; want 0 and %+v", p.LeaderEpochStart(), *p.Replica(2), before)
	}
	if o := accept(p, a, 9); !o.Ignored || p.Pending() != nil {
		t.Errorf("the answer to a change that newer metadata ended: %+v", o)
	}
}

func TestFollowerKeepsNothingOfItsTerm(t *testing.T) {
	p := setup{}.leader(1, 2)
	write(t, p, 0, "m1")
	p.MakeLeader(LeaderAndISR{Leader: 1, LeaderEpoch: 2, PartitionEpoch: 11, ISR: []int{1, 2}, Replicas: []int{1, 2, 3}}, 0)
	a := fetch(t, p, 3, 1, 0).ISR
	p.MakeFollower(LeaderAndISR{Leader: 2, LeaderEpoch: 3, PartitionEpoch: 12, Replicas: []int{1, 2, 3}})
	if o := accept(p, a, 0); !o.Ignored {
		t.Errorf("a follower took an answer for a leader: %+v", o)
	}
	if len(p.ISR()) != 0 || len(p.Remote()) != 0 || p.IsUnderMinISR() || p.LeaderEpochStart() != NoOffset {
		t.Errorf("left are ISR %v, followers %v, epoch start %d", p.ISR(), p.Remote(), p.LeaderEpochStart())
	}
	if _, err := p.EndOffset(log.FetchHighWatermark, NoEpoch, false); err != protocol.None {
		t.Errorf("a follower answers a consumer that may read from it: %v", err)
	}
}
