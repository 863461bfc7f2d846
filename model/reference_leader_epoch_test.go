package model_test

import (
	"strconv"
	"testing"

	"kafkatrial/model/log"
	"kafkatrial/model/partition"
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/model/referencecase"
	"kafkatrial/model/release"
	"kafkatrial/sim"
)

// trunk is the version of which the cases speak.
var trunk = release.Of(release.Version{Major: 4})

func newDisk() *sim.Disk {
	return sim.New(sim.Config{Nodes: []sim.NodeSpec{{Name: "b1", Idle: true}}}).Disk(0)
}

func records(n int) *record.RecordBatch {
	rs := make([]record.Record, n)
	for i := range rs {
		rs[i].ID = "m" + strconv.Itoa(i+1)
	}
	return record.NewBatch(rs)
}

// logWith makes a log from the first entry's start to the log end, one record a batch, whose epochs are
// those of the entries. An entry at the log end is an epoch in which nothing was written.
func logWith(t *testing.T, entries []log.EpochEntry, logEnd int64) *log.UnifiedLog {
	t.Helper()
	l := log.Open(newDisk(), "orders-0", log.Config{}, &trunk, 0)
	for i, e := range entries {
		if i == 0 && e.StartOffset > 0 {
			l.TruncateFullyAndStartAt(e.StartOffset)
		}
		end := logEnd
		if i+1 < len(entries) {
			end = entries[i+1].StartOffset
		}
		if end == l.LogEndOffset() {
			l.AssignEpochStartOffset(e.Epoch)
		}
		for l.LogEndOffset() < end {
			if _, err := l.AppendAsFollower([]*record.RecordBatch{records(1).WithOffset(l.LogEndOffset(), e.Epoch)}); err != protocol.None {
				t.Fatal(err)
			}
		}
	}
	if l.LogEndOffset() != logEnd {
		t.Fatalf("entries %v and log end %d do not fit", entries, logEnd)
	}
	return l
}

func entries(t *testing.T, f *referencecase.Fields, key string) []log.EpochEntry {
	t.Helper()
	var out []log.EpochEntry
	for _, v := range f.List(key) {
		pair, _ := referencecase.Plain(v).([]any)
		if len(pair) != 2 {
			t.Fatalf("%s.%s holds %v, want [epoch, start offset]", f.Path(), key, v)
		}
		out = append(out, log.EpochEntry{Epoch: int(pair[0].(int64)), StartOffset: pair[1].(int64)})
	}
	return out
}

func pairs(entries []log.EpochEntry) [][2]int64 {
	out := make([][2]int64, len(entries))
	for i, e := range entries {
		out[i] = [2]int64{int64(e.Epoch), e.StartOffset}
	}
	return out
}

func epochOrNull(epoch int, ok bool) map[string]any {
	if !ok {
		return map[string]any{"epoch": nil}
	}
	return map[string]any{"epoch": epoch}
}

func runEpochCacheCase(t *testing.T, given, expect *referencecase.Fields) {
	disk := newDisk()
	c := log.OpenLeaderEpochFileCache(disk, "orders-0", &trunk, planted.Set{})
	referencecase.EachStep(t, given, expect, "results", func(op *referencecase.Fields) map[string]any {
		switch name := op.Text("op", ""); name {
		case "assign":
			c.Assign(int(op.Must("epoch")), op.Must("start_offset"))
		case "truncate_from_end":
			c.TruncateFromEnd(op.Must("offset"))
		case "truncate_from_start":
			c.TruncateFromStart(op.Must("offset"))
		case "clear":
			c.Clear()
		case "end_offset_for":
			epoch, end := c.EndOffsetFor(int(op.Must("epoch")), op.Must("log_end_offset"))
			return map[string]any{"epoch": epoch, "end_offset": end}
		case "epoch_for_offset":
			return epochOrNull(c.EpochForOffset(op.Must("offset")))
		case "latest_epoch":
			return epochOrNull(c.LatestEpoch())
		case "previous_epoch":
			latest, ok := c.LatestEpoch()
			if !op.Has("epoch") && !ok {
				return epochOrNull(0, false)
			}
			return epochOrNull(c.PreviousEpoch(int(op.Num("epoch", int64(latest)))))
		case "next_epoch":
			return epochOrNull(c.NextEpoch(int(op.Must("epoch"))))
		case "entries_in_range":
			return map[string]any{"entries": pairs(c.EntriesInRange(op.Must("start"), op.Must("end")))}
		default:
			op.Unknown("operation", name)
		}
		// What is on the disk must be what is in memory.
		reread := log.OpenLeaderEpochFileCache(disk, "orders-0", &trunk, planted.Set{})
		return map[string]any{"entries": pairs(reread.Entries())}
	})
}

func runFollowerTruncationCase(t *testing.T, given, expect *referencecase.Fields) {
	l := logWith(t, entries(t, given, "replica_entries"), given.Must("replica_log_end_offset"))
	answer := given.Sub("leader_answer")
	got := partition.GetOffsetTruncationState(l, &trunk, given.Must("replica_fetch_offset"), int(answer.Must("epoch")), answer.Must("end_offset"))
	answer.Done()
	given.Done()
	expect.Compare(map[string]any{"truncate_to": got.Offset, "completed": got.Completed})
}

// leading makes broker 1 the leader of l in epoch, with follower 2 in the ISR.
func leading(t *testing.T, l *log.UnifiedLog, epoch int) *partition.Partition {
	t.Helper()
	p := partition.New("orders-0", 1, 1, &trunk, partition.Config{MinInsyncReplicas: 1, ReplicaLagTimeMax: 30 * sim.Second}, &metadata{}, l)
	if applied, _, _ := p.MakeLeader(partition.LeaderAndISR{Leader: 1, LeaderEpoch: epoch, ISR: []int{1, 2}, Replicas: []int{1, 2}}, 0); !applied {
		t.Fatal("the leader's state was not applied")
	}
	return p
}

func runFetchDivergenceCase(t *testing.T, given, expect *referencecase.Fields) {
	entries := entries(t, given, "leader_entries")
	l := logWith(t, entries, given.Must("leader_log_end_offset"))
	l.UpdateHighWatermark(l.LogEndOffset())
	l.MaybeIncrementLogStartOffset(given.Num("log_start_offset", 0))
	p := leading(t, l, entries[len(entries)-1].Epoch)
	last := partition.NoEpoch
	if given.Has("last_fetched_epoch") {
		last = int(given.Must("last_fetched_epoch"))
	}
	info, effects, err := p.FetchRecords(partition.FetchParams{ReplicaID: 2, ReplicaEpoch: 1, FetchOffset: given.Must("fetch_offset"),
		CurrentLeaderEpoch: int(given.Num("current_leader_epoch", int64(p.LeaderEpoch()))), LastFetchedEpoch: last}, 0)
	given.Done()
	var diverging any
	if info.Diverging.Present {
		diverging = map[string]any{"epoch": info.Diverging.Epoch, "end_offset": info.Diverging.EndOffset}
		if p.Replica(2).LogEndOffset != partition.NoOffset || effects != (partition.Effects{}) {
			t.Error("a fetch that diverges must not count as progress of the follower")
		}
	}
	expect.Compare(map[string]any{"error": err.String(), "diverging": diverging,
		"high_watermark": info.HighWatermark, "log_end_offset": info.LogEndOffset, "log_start_offset": info.LogStartOffset})
}

func runOffsetForLeaderEpochCase(t *testing.T, given, expect *referencecase.Fields) {
	answer := given.Sub("cached_answer")
	asked, end := int(answer.Num("epoch", 5)), answer.Num("end_offset", 0)
	answer.Done()
	p := leading(t, logWith(t, []log.EpochEntry{{Epoch: asked, StartOffset: 0}}, end), int(given.Num("leader_epoch", int64(asked))))
	switch where := given.Text("local_replica", "leader"); where {
	case "leader":
	case "follower":
		p = partition.New("orders-0", 3, 1, &trunk, partition.Config{MinInsyncReplicas: 1}, &metadata{}, p.Log())
		p.MakeFollower(partition.LeaderAndISR{Leader: 1, LeaderEpoch: int(given.Num("leader_epoch", int64(asked))), Replicas: []int{1, 2, 3}})
	case "none":
		p = nil
	default:
		given.Unknown("local_replica", where)
	}
	current := int(given.Num("request_current_leader_epoch", partition.NoEpoch))
	found, foundEnd, err := p.LastOffsetForLeaderEpoch(current, int(given.Num("requested_epoch", int64(asked))), given.Flag("fetch_only_from_leader", true))
	given.Done()
	expect.Compare(map[string]any{"error": err.String(), "epoch": found, "end_offset": foundEnd})
}
