package groupcoordinator

import (
	"slices"
	"testing"

	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/model/release"
	"kafkatrial/sim"
)

var (
	orders0 = protocol.TopicPartition{Topic: "orders", Partition: 0}
	orders1 = protocol.TopicPartition{Topic: "orders", Partition: 1}
)

// replica is the leader's log of __consumer_offsets as a broker would keep it.
type replica struct {
	t       *testing.T
	g       *GroupCoordinator
	batches []*record.RecordBatch
	conn    sim.ConnID
}

func newCoordinator(t *testing.T, version string, off ...planted.Guard) *replica {
	t.Helper()
	v, err := release.Parse(version)
	if err != nil {
		t.Fatal(err)
	}
	rules := release.Of(v)
	cfg := DefaultConfig
	cfg.Planted = planted.Off(off...)
	return &replica{t: t, g: New(cfg, &rules)}
}

func (r *replica) end() int64 {
	if n := len(r.batches); n > 0 {
		return r.batches[n-1].NextOffset()
	}
	return 0
}

func (r *replica) elect(epoch int, hw int64) {
	r.t.Helper()
	if !r.g.OnElection(0, epoch) {
		r.t.Fatalf("epoch %d is old news", epoch)
	}
	r.g.OnLoaded(0, epoch, r.batches, 0, hw, r.end())
}

// commit hands in a commit and appends it; it gives the write and what was answered so far.
func (r *replica) commit(data ...protocol.CommitData) (Append, []Answer) {
	r.t.Helper()
	r.conn++
	a, ok, w := r.g.HandleOffsetCommit(7*sim.Millisecond, r.conn, &protocol.OffsetCommit{Correlation: int32(r.conn), Group: "g", Generation: -1, Data: data})
	if ok {
		return w, []Answer{a}
	}
	base := r.end()
	r.batches = append(r.batches, w.Batch.WithOffset(base, 1))
	return w, r.g.OnAppended(w.ID, base, r.end())
}

// done brings a write's replication to an end as acks=all or the high watermark would.
func (r *replica) done(w Append) []Answer {
	if w.Acks == protocol.AcksAll {
		return r.g.OnCommitted(w.ID)
	}
	return r.g.OnHighWatermark(0, r.end())
}

// position reads a committed position: the offset, or an error, or that the answer waits.
func (r *replica) position(tp protocol.TopicPartition) (offset int64, err protocol.Error, waits bool) {
	a, ok, _ := r.g.HandleOffsetFetch(99, &protocol.OffsetFetch{Group: "g", Partitions: []protocol.TopicPartition{tp}})
	if !ok {
		return 0, protocol.None, true
	}
	m := a.Msg.(*protocol.OffsetFetchResponse)
	if m.Err != protocol.None {
		return 0, m.Err, false
	}
	return m.Data[0].Offset, protocol.None, false
}

func at(tp protocol.TopicPartition, offset int64) protocol.CommitData {
	return protocol.CommitData{TP: tp, Offset: offset, LeaderEpoch: -1}
}

// outcome is the error of a commit's answer; all partitions must agree.
func outcome(t *testing.T, a Answer) protocol.Error {
	t.Helper()
	data := a.Msg.(*protocol.OffsetCommitResponse).Data
	for _, d := range data {
		if d.Err != data[0].Err {
			t.Errorf("partitions differ: %v", data)
		}
	}
	return data[0].Err
}

// A position is seen, and the consumer answered, once it is replicated. What a reader gets meanwhile
// depends on the version (KIP-447, KIP-848).
func TestCommitIsSeenOnceReplicated(t *testing.T) {
	for _, tc := range []struct {
		version   string
		acks      protocol.Acks
		meanwhile protocol.Error
		old       int64
		waits     bool
	}{
		{"0.10", protocol.AcksAll, protocol.None, 3, false},
		{"2.4", protocol.AcksAll, protocol.None, 3, false},
		{"2.5", protocol.AcksAll, protocol.UnstableOffsetCommit, 0, false},
		{"3.9", protocol.AcksAll, protocol.UnstableOffsetCommit, 0, false},
		{"4.0", 1, protocol.None, 0, true},
	} {
		t.Run(tc.version, func(t *testing.T) {
			r := newCoordinator(t, tc.version)
			r.elect(1, 0)
			w, _ := r.commit(at(orders0, 3))
			r.done(w)
			w, early := r.commit(at(orders0, 5))
			if len(early) != 0 || w.Acks != tc.acks || w.Timeout != 5*sim.Second {
				t.Fatalf("after the append: answers %v, acks %v, timeout %v", early, w.Acks, w.Timeout)
			}
			if offset, err, waits := r.position(orders0); offset != tc.old || err != tc.meanwhile || waits != tc.waits {
				t.Errorf("meanwhile: %d %v, waits %v", offset, err, waits)
			}
			answers := r.done(w)
			if outcome(t, answers[0]) != protocol.None || answers[0].Conn != 2 || answers[0].ID != w.ID ||
				answers[0].Group != "g" || !slices.Equal(answers[0].Committed, []protocol.CommitData{at(orders0, 5)}) {
				t.Errorf("answer %+v", answers[0])
			}
			if tc.waits {
				if len(answers) != 2 || answers[1].Msg.(*protocol.OffsetFetchResponse).Data[0].Offset != 5 {
					t.Errorf("the reader that waited: %+v", answers[1:])
				}
			}
			if offset, _, _ := r.position(orders0); offset != 5 {
				t.Errorf("afterwards: %d, want 5", offset)
			}
			if offset, _, _ := r.position(orders1); offset != -1 {
				t.Errorf("another partition: %d, want -1", offset)
			}
		})
	}
}

func TestCommitIsAnsweredAtOnceWithoutTheGuard(t *testing.T) {
	for _, version := range []string{"3.9", "4.0"} {
		r := newCoordinator(t, version, planted.CommitReplicated)
		r.elect(1, 0)
		if _, early := r.commit(at(orders0, 3)); len(early) != 1 || outcome(t, early[0]) != protocol.None {
			t.Errorf("%s: answers %v", version, early)
		}
	}
}

// GroupMetadataManager.maybeConvertOffsetCommitError and its forerunners.
func TestAppendErrorsAsTold(t *testing.T) {
	for _, tc := range []struct {
		version   string
		err, told protocol.Error
	}{
		{"3.9", protocol.UnknownTopicOrPartition, protocol.CoordinatorNotAvailable},
		{"3.9", protocol.NotEnoughReplicas, protocol.CoordinatorNotAvailable},
		{"3.9", protocol.NotEnoughReplicasAfterAppend, protocol.CoordinatorNotAvailable},
		{"3.9", protocol.NotLeaderOrFollower, protocol.NotCoordinator},
		{"3.9", protocol.KafkaStorageError, protocol.NotCoordinator},
		{"3.9", protocol.RequestTimedOut, protocol.RequestTimedOut},
		{"3.9", protocol.UnknownServerError, protocol.UnknownServerError},
		{"4.0", protocol.RequestTimedOut, protocol.CoordinatorNotAvailable},
		{"0.10.1", protocol.NotEnoughReplicas, protocol.CoordinatorNotAvailable},
		{"0.10.0", protocol.NotEnoughReplicas, protocol.NotEnoughReplicas},
	} {
		r := newCoordinator(t, tc.version)
		r.elect(1, 0)
		w, _ := r.commit(at(orders0, 3), at(orders1, 4))
		answers := r.g.OnAppendFailed(w.ID, tc.err)
		if len(answers) != 1 || outcome(t, answers[0]) != tc.told || answers[0].Committed != nil {
			t.Errorf("%s %v: %+v, want %v", tc.version, tc.err, answers, tc.told)
		}
		if again := r.g.OnCommitted(w.ID); again != nil {
			t.Errorf("%s: answered twice: %v", tc.version, again)
		}
	}
}

// A commit that was answered with a time-out may be committed: the next coordinator finds it in the log.
func TestTimedOutCommitMayBeCommitted(t *testing.T) {
	r := newCoordinator(t, "3.9")
	r.elect(1, 0)
	w, _ := r.commit(at(orders0, 3))
	r.g.OnAppendFailed(w.ID, protocol.RequestTimedOut)
	if offset, err, _ := r.position(orders0); offset != -1 || err != protocol.None {
		t.Errorf("at this coordinator: %d %v, want -1", offset, err)
	}
	r.g.OnResignation(0, 2)
	r.elect(3, r.end())
	if offset, _, _ := r.position(orders0); offset != 3 {
		t.Errorf("at the next: %d, want 3", offset)
	}
}

// Two commits of a partition whose answers come in another order do not turn the position back. If the
// later one fails first, the earlier one is acknowledged and yet not seen until the log is loaded again.
func TestTwoCommitsUnderWay(t *testing.T) {
	r := newCoordinator(t, "3.9")
	r.elect(1, 0)
	first, _ := r.commit(at(orders0, 3))
	second, _ := r.commit(at(orders0, 5))
	r.g.OnCommitted(second.ID)
	r.g.OnCommitted(first.ID)
	if offset, err, _ := r.position(orders0); offset != 5 || err != protocol.None {
		t.Errorf("second, then first: %d %v, want 5", offset, err)
	}
	first, _ = r.commit(at(orders0, 4))
	second, _ = r.commit(at(orders0, 5))
	third, _ := r.commit(at(orders0, 6))
	r.g.OnCommitted(second.ID)
	r.g.OnCommitted(first.ID)
	if got := r.g.Groups(0)[0].Positions[0].Offset; got != 5 {
		t.Errorf("second, then first, a third under way: %d, want 5", got)
	}
	r.g.OnAppendFailed(third.ID, protocol.RequestTimedOut)
	first, _ = r.commit(at(orders0, 7))
	second, _ = r.commit(at(orders0, 9))
	r.g.OnAppendFailed(second.ID, protocol.RequestTimedOut)
	if a := r.g.OnCommitted(first.ID); outcome(t, a[0]) != protocol.None {
		t.Errorf("first: %+v", a)
	}
	if offset, err, _ := r.position(orders0); offset != 5 || err != protocol.None {
		t.Errorf("second failed, first done: %d %v, want 5", offset, err)
	}
}

func TestLoading(t *testing.T) {
	fill := func(r *replica) {
		r.elect(1, 0)
		for _, n := range []int64{3, 5} {
			w, _ := r.commit(at(orders0, n), protocol.CommitData{TP: orders1, Offset: n + 1, LeaderEpoch: 4})
			r.done(w)
		}
		r.batches = append(r.batches, record.NewBatch([]record.Record{{Key: "g/orders-1", HasKey: true, Tombstone: true}}).WithOffset(r.end(), 1))
		r.batches = append(r.batches, record.NewBatch([]record.Record{{Key: "no position", HasKey: true, Value: "x"}}).WithOffset(r.end(), 1))
		r.g.OnResignation(0, 2)
	}
	for _, tc := range []struct {
		version string
		hw      int64
		want    int64
		waits   bool
	}{
		{"0.10.2", 0, -1, false}, // KAFKA-5059: a high watermark that has not moved yet hides everything
		{"0.10.2", 1, 5, false},
		{"0.11", 0, 5, false},
		{"3.9", 0, 5, false},
		{"4.0", 6, 5, false},
		{"4.0", 0, 5, true},
	} {
		r := newCoordinator(t, tc.version)
		fill(r)
		if _, err, _ := r.position(orders0); err != protocol.NotCoordinator {
			t.Errorf("%s: resigned: %v", tc.version, err)
		}
		if !r.g.OnElection(0, 3) || r.g.OnElection(0, 3) || r.g.OnElection(0, 2) {
			t.Errorf("%s: an election counts once, and only with a newer epoch", tc.version)
		}
		if _, err, _ := r.position(orders0); err != protocol.CoordinatorLoadInProgress {
			t.Errorf("%s: loading: %v", tc.version, err)
		}
		if a, ok, _ := r.g.HandleOffsetCommit(0, 1, &protocol.OffsetCommit{Group: "g", Generation: -1, Data: []protocol.CommitData{at(orders0, 9)}}); !ok || outcome(t, a) != protocol.CoordinatorLoadInProgress {
			t.Errorf("%s: a commit while loading: %+v", tc.version, a)
		}
		r.g.OnLoaded(0, 2, nil, 0, 0, 0) // a load that was begun in an earlier term
		if r.g.State(0) != Loading {
			t.Errorf("%s: the load of another term ended this one's", tc.version)
		}
		r.g.OnLoaded(0, 3, r.batches, 0, min(tc.hw, r.end()), r.end())
		offset, err, waits := r.position(orders0)
		if tc.waits {
			if a := r.g.OnHighWatermark(0, r.end()-1); a != nil {
				t.Errorf("%s: answered before the high watermark has reached the end: %+v", tc.version, a)
			}
			a := r.g.OnHighWatermark(0, r.end())
			if len(a) != 1 || a[0].Msg.(*protocol.OffsetFetchResponse).Data[0].Offset != tc.want {
				t.Errorf("%s: the reader that waited: %+v", tc.version, a)
			}
			if !waits {
				t.Errorf("%s: does not wait", tc.version)
			}
			continue
		}
		if offset != tc.want || err != protocol.None || waits != tc.waits {
			t.Errorf("%s, high watermark %d: %d %v, want %d", tc.version, tc.hw, offset, err, tc.want)
		}
		if tc.want < 0 {
			continue
		}
		if offset, _, _ := r.position(orders1); offset != -1 {
			t.Errorf("%s: a null value removes the position, have %d", tc.version, offset)
		}
	}
}

func TestLoadingUnguarded(t *testing.T) {
	r := newCoordinator(t, "3.9", planted.CoordinatorLoading)
	r.g.OnElection(0, 1)
	if offset, err, _ := r.position(orders0); offset != -1 || err != protocol.None {
		t.Errorf("without the guard: %d %v, want -1", offset, err)
	}
}

// A coordinator that resigns answers what is under way, and forgets.
func TestResignation(t *testing.T) {
	for _, version := range []string{"3.9", "4.0"} {
		r := newCoordinator(t, version)
		r.elect(1, 0)
		w, _ := r.commit(at(orders0, 3))
		r.position(orders0) // from 4.0 this one waits
		if got := r.g.OnResignation(0, 0); got != nil {
			t.Errorf("%s: old news: %v", version, got)
		}
		answers := r.g.OnResignation(0, 2)
		if outcome(t, answers[0]) != protocol.NotCoordinator || answers[0].ID != w.ID {
			t.Errorf("%s: the commit: %+v", version, answers[0])
		}
		if version == "4.0" && (len(answers) != 2 || answers[1].Msg.(*protocol.OffsetFetchResponse).Err != protocol.NotCoordinator) {
			t.Errorf("%s: the reader: %+v", version, answers)
		}
		if r.g.Pending() != 0 || len(r.g.Groups(0)) != 0 || r.g.OnHighWatermark(0, 9) != nil {
			t.Errorf("%s: something is left", version)
		}
	}
}

func TestReaderGivesUp(t *testing.T) {
	r := newCoordinator(t, "4.0")
	r.elect(1, 0)
	r.commit(at(orders0, 3))
	_, ok, w := r.g.HandleOffsetFetch(99, &protocol.OffsetFetch{Group: "g", Partitions: []protocol.TopicPartition{orders0}})
	if ok || w.Timeout != 5*sim.Second {
		t.Fatalf("answered %v, wait %+v", ok, w)
	}
	a := r.g.OnFetchTimeout(w.ID)
	if len(a) != 1 || a[0].Msg.(*protocol.OffsetFetchResponse).Err != protocol.CoordinatorNotAvailable || r.g.OnFetchTimeout(w.ID) != nil {
		t.Errorf("%+v", a)
	}
}

func TestRecordsOfPositions(t *testing.T) {
	r := offsetRecord("g", &protocol.CommitData{TP: orders0, Offset: 3, LeaderEpoch: -1}, 7)
	if r.ID != "g:orders-0=3" || r.Key != "g/orders-0" || r.Value != "3" || !r.HasKey || r.Timestamp != 7 {
		t.Errorf("%+v", r)
	}
	for _, group := range []string{"g", "a/b-1", ""} {
		for _, c := range []protocol.CommitData{
			{TP: orders1, Offset: 0, LeaderEpoch: -1},
			{TP: protocol.TopicPartition{Topic: "a-b-2", Partition: 12}, Offset: 1 << 40, LeaderEpoch: 7},
		} {
			r := offsetRecord(group, &c, 0)
			g, got, ok := readOffsetRecord(&r)
			if !ok || g != group || got != c {
				t.Errorf("%q %v: read back as %q %v %v", group, c, g, got, ok)
			}
		}
	}
}

// Java: "hello".hashCode() is 99162322, "polygenelubricants".hashCode() is −2³¹.
func TestPartitionFor(t *testing.T) {
	for _, tc := range []struct {
		group      string
		partitions int32
		want       int32
	}{{"hello", 50, 22}, {"polygenelubricants", 50, 0}, {"g", 50, 3}, {"g", 1, 0}, {"", 50, 0}} {
		if got := PartitionFor(tc.group, tc.partitions); got != tc.want {
			t.Errorf("%q of %d: %d, want %d", tc.group, tc.partitions, got, tc.want)
		}
	}
}

func TestFindCoordinator(t *testing.T) {
	for _, tc := range []struct {
		leader protocol.BrokerID
		alive  bool
		want   protocol.Error
	}{{2, true, protocol.None}, {2, false, protocol.CoordinatorNotAvailable}, {protocol.NoBroker, false, protocol.CoordinatorNotAvailable}} {
		r := FindCoordinator(&protocol.FindCoordinator{Correlation: 5, Key: "g"}, tc.leader, tc.alive)
		if r.Err != tc.want || r.Correlation != 5 || r.Err == protocol.None && r.Coordinator != 2 {
			t.Errorf("%+v: %+v", tc, r)
		}
	}
}
