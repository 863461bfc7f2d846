package model_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"kafkatrial/model/log"
	"kafkatrial/model/partition"
	"kafkatrial/model/protocol"
	"kafkatrial/model/referencecase"
	"kafkatrial/sim"
)

// metadata is a broker's view of the cluster, as a case states it.
type metadata struct {
	ineligible []int // fenced
	epoch      int64 // of every other broker
}

func (m *metadata) IsBrokerFenced(id int) bool            { return slices.Contains(m.ineligible, id) }
func (m *metadata) IsBrokerShuttingDown(id int) bool      { return false }
func (m *metadata) AliveBrokerEpoch(id int) (int64, bool) { return m.epoch, !m.IsBrokerFenced(id) }
func (m *metadata) HasAliveBroker(id int) bool            { return !m.IsBrokerFenced(id) }

// leaderCase drives a leader through the operations of a case.
type leaderCase struct {
	t       *testing.T
	p       *partition.Partition
	now     sim.Time
	sent    *partition.AlterPartition
	waiting []waitingWrite // every accepted write with acks=all, in order
}

type waitingWrite struct {
	required int64
	outcome  string
}

// newLeaderCase makes the leader of given.partition: it wrote up to the start of its epoch as a
// follower, and from there to the log end as leader.
func newLeaderCase(t *testing.T, f *referencecase.Fields) *leaderCase {
	id := int(f.Num("leader", 1))
	c := &leaderCase{t: t, now: sim.Time(f.Num("now", 0)) * sim.Millisecond}
	logEnd, start := f.Num("log_end", 0), f.Num("epoch_start_offset", 0)
	l := logWith(t, []log.EpochEntry{{Epoch: 0}}, start)
	cfg := partition.Config{MinInsyncReplicas: int(f.Num("min_insync_replicas", 1)),
		ReplicaLagTimeMax: sim.Time(f.Num("replica_lag_time_max_ms", 30000)) * sim.Millisecond}
	c.p = partition.New("orders-0", id, 1, &trunk, cfg, &metadata{ineligible: f.Ints("ineligible"), epoch: 1}, l)
	c.p.MakeLeader(partition.LeaderAndISR{Leader: id, LeaderEpoch: 1, ISR: f.Ints("isr"), Replicas: f.Ints("replicas")}, c.now)
	for l.LogEndOffset() < logEnd {
		l.AppendAsLeader(records(1), 1, c.now)
	}
	l.UpdateHighWatermark(f.Num("high_watermark", 0))
	followers := f.Sub("follower_state")
	for _, key := range followers.Keys() {
		replica, _ := strconv.Atoi(key)
		r, state := c.p.Replica(replica), followers.Sub(key)
		if r == nil {
			t.Fatalf("%s: %s is no follower", followers.Path(), key)
		}
		r.LogEndOffset, r.Fetched = state.Must("log_end"), true
		if state.Has("last_caught_up_time") {
			r.LastCaughtUpTime = sim.Time(state.Must("last_caught_up_time")) * sim.Millisecond
		}
		state.Done()
	}
	f.Done()
	return c
}

func runISRCase(t *testing.T, given, expect *referencecase.Fields) {
	c := newLeaderCase(t, given.Sub("partition"))
	referencecase.EachStep(t, given, expect, "after", c.step)
}

func (c *leaderCase) step(op *referencecase.Fields) map[string]any {
	got := map[string]any{}
	var sent *partition.AlterPartition
	switch name := op.Text("op", ""); name {
	case "append":
		acks := int(op.Must("acks"))
		info, _, err := c.p.AppendRecordsToLeader(records(int(op.Num("records", 1))), acks, c.now)
		got["result"] = err.String()
		if err == protocol.None && acks == -1 {
			got["result"] = fmt.Sprintf("APPENDED, waits for high watermark %d", info.LastOffset+1)
			c.waiting = append(c.waiting, waitingWrite{info.LastOffset + 1, "PENDING"})
		}
	case "fetch":
		_, effects, err := c.p.FetchRecords(partition.FetchParams{ReplicaID: int(op.Must("replica")), ReplicaEpoch: partition.NoBrokerEpoch,
			CurrentLeaderEpoch: 1, LastFetchedEpoch: partition.NoEpoch, FetchOffset: op.Must("offset")}, c.now)
		got["result"], sent = err.String(), effects.ISR
	case "advance":
		c.now += sim.Time(op.Must("ms")) * sim.Millisecond
	case "shrink_check":
		sent = c.p.MaybeShrinkISR(c.now)
	case "isr_accepted":
		c.answer(op, protocol.None)
	case "isr_rejected":
		c.answer(op, errorNamed(c.t, op.Text("error", "INELIGIBLE_REPLICA")))
	default:
		op.Unknown("operation", name)
	}
	if sent != nil {
		c.sent = sent
		got["isr_request"] = members(sent)
	} else {
		got["isr_request"] = nil
	}
	got["high_watermark"], got["log_end"] = c.p.Log().HighWatermark(), c.p.Log().LogEndOffset()
	got["isr"], got["maximal_isr"] = c.p.ISR(), c.p.MaximalISR()
	got["acks_all"] = c.waitingWrites()
	return got
}

func (c *leaderCase) answer(op *referencecase.Fields, err protocol.Error) {
	if c.sent == nil {
		c.t.Fatalf("%s: no ISR change is under way", op.Path())
	}
	c.p.HandleAlterPartitionResponse(c.sent, err, partition.LeaderAndISR{Leader: c.sent.Leader, LeaderEpoch: c.sent.LeaderEpoch,
		ISR: members(c.sent), PartitionEpoch: c.sent.PartitionEpoch + 1}, c.now)
	c.sent = nil
}

// waitingWrites completes what can be completed, as the produce purgatory does after every step.
func (c *leaderCase) waitingWrites() [][2]any {
	out := [][2]any{}
	for i := range c.waiting {
		w := &c.waiting[i]
		if w.outcome == "PENDING" {
			if done, err := c.p.CheckEnoughReplicasReachOffset(w.required); done || err != protocol.None {
				w.outcome = err.String()
			}
		}
		out = append(out, [2]any{w.required, w.outcome})
	}
	return out
}

func members(a *partition.AlterPartition) []int {
	out := make([]int, len(a.ISR))
	for i, b := range a.ISR {
		out[i] = b.ID
	}
	return out
}

// runAckCheckCase asks whether a write is done: with acks=all by the leader's state, with an error by
// how a producer is told.
func runAckCheckCase(t *testing.T, given, expect *referencecase.Fields) {
	if given.Has("append_error") {
		a := partition.AnswerToProduce(int(given.Num("acks", -1)), errorNamed(t, given.Text("append_error", "")))
		given.Done()
		got := map[string]any{"connection": "open", "response": given.Text("append_error", "")}
		if a.CloseConnection {
			got["connection"] = "closed"
		}
		if !a.Respond {
			got["response"] = nil
		}
		expect.Compare(got)
		return
	}
	isLeader, required := given.Flag("is_leader", true), given.Num("required_offset", 1)
	given.Num("acks", -1)
	m := map[string]any{"log_end": max(required, given.Num("high_watermark", 0))}
	for _, key := range []string{"leader", "log_end", "high_watermark", "min_insync_replicas"} {
		if given.Has(key) {
			m[key] = given.Raw(key)
		}
	}
	all := asMembers(given, "replicas", asMembers(given, "replica_count", []any{1, 2, 3}))
	maximal := asMembers(given, "maximal_isr", asMembers(given, "maximal_isr_size", nil))
	m["replicas"], m["isr"] = all, all
	if maximal != nil {
		m["isr"] = maximal
	}
	m["isr"] = asMembers(given, "isr", asMembers(given, "isr_size", m["isr"].([]any)))
	given.Done()
	c := newLeaderCase(t, given.New("given", m))
	for _, v := range maximal {
		n, _ := referencecase.Number(v)
		id := int(n)
		if r := c.p.Replica(id); r != nil && !slices.Contains(c.p.ISR(), id) {
			r.LogEndOffset, r.Fetched = c.p.Log().LogEndOffset(), true
			if c.p.MaybeExpandISR(id) == nil {
				t.Fatalf("replica %d did not join the maximal ISR", id)
			}
		}
	}
	if !isLeader {
		c.p.MakeFollower(partition.LeaderAndISR{Leader: 2, LeaderEpoch: 2, PartitionEpoch: 1, ISR: []int{2}, Replicas: []int{1, 2, 3}})
	}
	done, err := c.p.CheckEnoughReplicasReachOffset(required)
	expect.Compare(map[string]any{"complete": done, "error": err.String()})
}

func errorNamed(t *testing.T, name string) protocol.Error {
	for e := protocol.None; e <= protocol.NoOffsetForPartition; e++ {
		if e.String() == name {
			return e
		}
	}
	t.Fatalf("there is no error %q", name)
	return protocol.None
}

func runFollowerHWCase(t *testing.T, given, expect *referencecase.Fields) {
	l := logWith(t, []log.EpochEntry{{Epoch: 0}}, given.Must("own_log_end"))
	l.UpdateHighWatermark(given.Num("own_high_watermark", 0))
	p := partition.New("orders-0", 2, 1, &trunk, partition.Config{MinInsyncReplicas: 1}, &metadata{}, l)
	p.MakeFollower(partition.LeaderAndISR{Leader: 1, LeaderEpoch: 1, Replicas: []int{1, 2}})
	hw := p.UpdateFollowerHighWatermark(given.Must("leader_high_watermark"), given.Num("leader_log_start", 0))
	given.Done()
	expect.Compare(map[string]any{"high_watermark": hw.To})
}

// runFetchStateCase says what a leader knows of a follower before a fetch, and what after. Times are ms.
func runFetchStateCase(t *testing.T, given, expect *referencecase.Fields) {
	end := given.Num("leader_end_offset", given.Num("log_end", 0))
	now := given.Num("now", given.Num("fetch_time", 100000))
	l := logWith(t, []log.EpochEntry{{Epoch: 0}}, end)
	known := given.Num("known_broker_epoch", 1)
	p := partition.New("orders-0", 1, 1, &trunk, partition.Config{MinInsyncReplicas: 1, ReplicaLagTimeMax: 30 * sim.Second}, &metadata{epoch: known}, l)
	p.MakeLeader(partition.LeaderAndISR{Leader: 1, LeaderEpoch: 1, ISR: []int{1, 2}, Replicas: []int{1, 2}}, 0)
	r := p.Replica(2)
	before := given.Sub("state")
	if before.Has("log_end") {
		r.LogEndOffset = before.Must("log_end")
	}
	if before.Has("last_fetch_leader_log_end") {
		r.LastFetchLeaderLogEndOffset = before.Must("last_fetch_leader_log_end")
	}
	if before.Has("last_fetch_time") {
		r.LastFetchTime = sim.Time(before.Must("last_fetch_time")) * sim.Millisecond
	}
	if before.Has("last_caught_up_time") {
		r.LastCaughtUpTime = sim.Time(before.Must("last_caught_up_time")) * sim.Millisecond
	}
	before.Done()
	_, effects, err := p.FetchRecords(partition.FetchParams{ReplicaID: 2, ReplicaEpoch: given.Num("broker_epoch_in_fetch", partition.NoBrokerEpoch),
		CurrentLeaderEpoch: 1, LastFetchedEpoch: partition.NoEpoch, FetchOffset: given.Num("fetch_offset", 0)}, sim.Time(now)*sim.Millisecond)
	given.Done()
	if err != protocol.None && (r.Fetched || effects != (partition.Effects{})) {
		t.Error("a refused fetch must leave no trace")
	}
	expect.Compare(map[string]any{"error": err.String(), "log_end": r.LogEndOffset, "last_fetch_leader_log_end": r.LastFetchLeaderLogEndOffset,
		"last_fetch_time": r.LastFetchTime.Ms(), "last_caught_up_time": r.LastCaughtUpTime.Ms(), "broker_epoch": r.BrokerEpoch})
}

func runMinISRCase(t *testing.T, given, expect *referencecase.Fields) {
	m := map[string]any{"replicas": asMembers(given, "replicas", asMembers(given, "replica_count", []any{1, 2, 3}))}
	m["isr"] = asMembers(given, "isr", asMembers(given, "isr_size", m["replicas"].([]any)))
	m["min_insync_replicas"] = given.Must("min_insync_replicas")
	acks := int(given.Num("acks", -1))
	given.Done()
	c := newLeaderCase(t, given.New("given", m))
	got := map[string]any{"effective_min_isr": c.p.EffectiveMinISR(), "effective": c.p.EffectiveMinISR(),
		"under_min_isr": c.p.IsUnderMinISR(), "at_min_isr": c.p.IsAtMinISR()}
	_, _, err := c.p.AppendRecordsToLeader(records(1), acks, c.now)
	got["error"], got["result"] = err.String(), err.String()
	expect.Compare(got)
}

// asMembers reads a list of replicas, or their number.
func asMembers(f *referencecase.Fields, key string, otherwise []any) []any {
	if !f.Has(key) {
		return otherwise
	}
	n, ok := referencecase.Number(f.Raw(key))
	if !ok {
		return f.List(key)
	}
	var out []any
	for id := int64(1); id <= n; id++ {
		out = append(out, id)
	}
	return out
}
