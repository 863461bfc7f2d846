package partition

import (
	"slices"
	"strconv"
	"testing"

	"kafkatrial/model/log"
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/model/release"
	"kafkatrial/sim"
)

// cluster is a MetadataCache in which every broker lives in epoch 7 unless a test says otherwise.
type cluster struct {
	fenced, shuttingDown []int
	epochs               map[int]int64
}

func (c *cluster) IsBrokerFenced(id int) bool       { return slices.Contains(c.fenced, id) }
func (c *cluster) IsBrokerShuttingDown(id int) bool { return slices.Contains(c.shuttingDown, id) }
func (c *cluster) HasAliveBroker(id int) bool       { return !c.IsBrokerFenced(id) }
func (c *cluster) AliveBrokerEpoch(id int) (int64, bool) {
	if e, ok := c.epochs[id]; ok {
		return e, true
	}
	return 7, !c.IsBrokerFenced(id)
}

func rulesOf(version string) *release.Rules {
	v, err := release.Parse(version)
	if err != nil {
		panic(err)
	}
	r := release.Of(v)
	return &r
}

func with(version, rule string, on bool) *release.Rules {
	r := rulesOf(version)
	if err := r.Set(rule, on); err != nil {
		panic(err)
	}
	return r
}

type setup struct {
	id    int
	rules *release.Rules
	min   int
	off   planted.Set
	meta  *cluster
}

// replica makes a partition in no state on an empty log, broker 1 under Kafka 4.0 unless set otherwise.
func (s setup) replica() *Partition {
	if s.id == 0 {
		s.id = 1
	}
	if s.rules == nil {
		s.rules = rulesOf("4.0")
	}
	if s.meta == nil {
		s.meta = &cluster{}
	}
	disk := sim.New(sim.Config{Nodes: []sim.NodeSpec{{Name: "b", Idle: true}}}).Disk(0)
	l := log.Open(disk, "orders-0", log.Config{Planted: s.off}, s.rules, 0)
	cfg := Config{MinInsyncReplicas: max(s.min, 1), ReplicaLagTimeMax: 30 * sim.Second, ReplicaLagMaxMessages: 4000, Planted: s.off}
	return New("orders-0", s.id, 7, s.rules, cfg, s.meta, l)
}

// leader makes a partition that leads replicas 1, 2, 3 in epoch 1.
func (s setup) leader(isr ...int) *Partition {
	p := s.replica()
	p.MakeLeader(LeaderAndISR{Leader: 1, LeaderEpoch: 1, PartitionEpoch: 10, ISR: isr, Replicas: []int{1, 2, 3}}, 0)
	return p
}

func batch(ids ...string) *record.RecordBatch {
	rs := make([]record.Record, len(ids))
	for i, id := range ids {
		rs[i].ID = id
	}
	return record.NewBatch(rs)
}

// write appends one record a batch as leader with acks=1.
func write(t *testing.T, p *Partition, now sim.Time, ids ...string) {
	t.Helper()
	for _, id := range ids {
		if _, _, err := p.AppendRecordsToLeader(batch(id), 1, now); err != protocol.None {
			t.Fatalf("append %s: %v", id, err)
		}
	}
}

// fetch lets a follower fetch from p in p's own epoch.
func fetch(t *testing.T, p *Partition, replica int, offset int64, now sim.Time) Effects {
	t.Helper()
	_, effects, err := p.FetchRecords(FetchParams{ReplicaID: replica, ReplicaEpoch: 7, CurrentLeaderEpoch: p.leaderEpoch,
		LastFetchedEpoch: NoEpoch, FetchOffset: offset}, now)
	if err != protocol.None {
		t.Fatalf("fetch of replica %d at %d: %v", replica, offset, err)
	}
	return effects
}

// replicate copies from the leader to the follower's log all that it lacks, and the leader's high watermark.
func replicate(t *testing.T, from, to *Partition) {
	t.Helper()
	bs, err := from.log.Read(to.log.LogEndOffset(), log.FetchLogEnd, 0)
	if err != protocol.None {
		t.Fatal(err)
	}
	if _, err := to.AppendRecordsToFollower(bs); err != protocol.None {
		t.Fatal(err)
	}
}

// content spells a log as record ids.
func content(p *Partition) string {
	s := ""
	for _, b := range p.log.Batches() {
		for i := range b.Records {
			s += b.Records[i].ID + " "
		}
	}
	return s
}

func memberIDs(a *AlterPartition) []int {
	if a == nil {
		return nil
	}
	var out []int
	for _, b := range a.ISR {
		out = append(out, b.ID)
	}
	return out
}

func accept(p *Partition, a *AlterPartition, now sim.Time) AlterOutcome {
	return p.HandleAlterPartitionResponse(a, protocol.None, LeaderAndISR{Leader: a.Leader, LeaderEpoch: a.LeaderEpoch,
		ISR: memberIDs(a), PartitionEpoch: a.PartitionEpoch + 1}, now)
}

func expectHW(t *testing.T, p *Partition, want int64, why string) {
	t.Helper()
	if got := p.log.HighWatermark(); got != want {
		t.Errorf("high watermark %d, want %d: %s", got, want, why)
	}
}

// pair runs a test with a guard on and off. It fails if the guard makes no difference.
func pair[T comparable](t *testing.T, g planted.Guard, on, off T, run func(off planted.Set) T) {
	t.Helper()
	t.Run(g.String(), func(t *testing.T) {
		if got := run(planted.Set{}); got != on {
			t.Errorf("with the guard: %v, want %v", got, on)
		}
		if got := run(planted.Off(g)); got != off {
			t.Errorf("without the guard: %v, want %v", got, off)
		}
	})
}

// A fetch that moves nothing, and a check that finds nothing, must not allocate: they are the routine.
func TestRoutineDoesNotAllocate(t *testing.T) {
	p := setup{}.leader(1, 2, 3)
	write(t, p, 0, "m1", "m2")
	fetch(t, p, 2, 2, 0)
	fetch(t, p, 3, 2, 0)
	f := FetchParams{ReplicaID: 2, ReplicaEpoch: 7, CurrentLeaderEpoch: 1, LastFetchedEpoch: 1, FetchOffset: 2}
	if n := testing.AllocsPerRun(100, func() {
		p.FetchRecords(f, 1)
		p.ReadRecords(FetchParams{ReplicaID: ConsumerID, CurrentLeaderEpoch: NoEpoch, LastFetchedEpoch: NoEpoch, Isolation: log.FetchHighWatermark})
		p.MaybeShrinkISR(1)
		p.CheckEnoughReplicasReachOffset(2)
	}); n != 0 {
		t.Errorf("%v allocations a round, want none", n)
	}
}

func BenchmarkAppendFetchAdvance(b *testing.B) {
	p := setup{min: 2}.leader(1, 2, 3)
	m := batch("m")
	b.ReportAllocs()
	for b.Loop() {
		info, _, _ := p.AppendRecordsToLeader(m, -1, 0)
		for _, replica := range []int{2, 3} {
			p.FetchRecords(FetchParams{ReplicaID: replica, ReplicaEpoch: 7, CurrentLeaderEpoch: 1, LastFetchedEpoch: 1, FetchOffset: info.LastOffset + 1}, 0)
		}
		if done, _ := p.CheckEnoughReplicasReachOffset(info.LastOffset + 1); !done {
			b.Fatal("not acknowledged")
		}
	}
}

func BenchmarkEmptyFetch(b *testing.B) {
	p := setup{}.leader(1, 2, 3)
	for i := range 1000 {
		p.AppendRecordsToLeader(batch("m"+strconv.Itoa(i)), 1, 0)
	}
	f := FetchParams{ReplicaID: 2, ReplicaEpoch: 7, CurrentLeaderEpoch: 1, LastFetchedEpoch: 1, FetchOffset: 1000}
	b.ReportAllocs()
	for b.Loop() {
		p.FetchRecords(f, 0)
	}
}
