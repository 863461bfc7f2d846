package consumer

import (
	"slices"
	"strings"
	"testing"

	"kafkatrial/model/client"
	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// A consumer follows the leader. Its position is good at the new one, and it says nothing about it.
func TestLeaderMoves(t *testing.T) {
	for _, version := range []string{"0.9", "0.10", "2.2", "2.3", "3.9", "4.0"} {
		t.Run(version, func(t *testing.T) {
			c := start(t, setup{app: Application{Loop: []Verb{Poll, Process, Commit}}, version: version, brokers: 2, set: manual})
			c.write(orders0, "m0")
			c.until(new(event.Committed), 1)
			c.calls = nil
			c.move(orders0, 2)
			c.write(orders0, "m1")
			c.to(c.world.Now() + 5*sim.Second)
			c.quiet()
			c.expect("assigned orders-0 0 earliest",
				"polled orders-0 0–1", "processed m0", "commit sent orders-0 1", "committed orders-0 1",
				"polled orders-0 1–2", "processed m1", "commit sent orders-0 2", "committed orders-0 2")
			asked := slices.Contains(c.calls, "OffsetForLeaderEpoch b2")
			if want := version != "0.9" && version != "0.10" && version != "2.2"; asked != want {
				t.Errorf("asked the new leader for the end of the epoch: %v, want %v", asked, want)
			}
		})
	}
}

// While a leader refuses, the consumer does not ask more often than every retry.backoff.ms.
func TestRefusedFetchesArePaced(t *testing.T) {
	c := start(t, setup{app: Application{Loop: []Verb{Poll, Process}}, set: manual})
	c.write(orders0, "m0")
	c.until(new(event.Processed), 1)
	c.log(orders0).fetchErr = protocol.UnknownLeaderEpoch
	c.to(c.world.Now() + sim.Second)
	before := fetches(c)
	c.to(c.world.Now() + 2*sim.Second)
	if n := fetches(c) - before; n < 10 || n > 20 {
		t.Errorf("%d fetches in 2 s with retry.backoff.ms=100, want about 19", n)
	}
	if c.world.Busy() == 0 {
		t.Error("a consumer that can not fetch is not at rest")
	}
}

func fetches(c *cluster) int {
	n := 0
	for _, s := range c.world.Trace().Steps {
		if s.Kind == sim.StepDeliver && s.Peer == c.consumer && s.Msg.Type() == protocol.TFetch {
			n++
		}
	}
	return n
}

// Two partitions, two leaders: one fetch to each at a time, and records in the order of their arrival.
func TestOneFetchPerBroker(t *testing.T) {
	c := start(t, setup{app: Application{Loop: []Verb{Poll, Process}, Partitions: []protocol.TopicPartition{orders0, orders1}}, brokers: 2, set: manual})
	c.logs = append(c.logs, &topicLog{tp: orders1, leader: 2, epoch: 1})
	most := [2]int{}
	for i := 0; i < 40; i++ {
		c.to(c.world.Now() + 25*sim.Millisecond)
		if i == 10 {
			c.write(orders0, "m0")
			c.write(orders1, "n0")
		}
		for b := range most {
			n := 0
			for _, r := range c.node().kafka.net.InFlight(client.Destination(b + 1)) {
				if _, ok := r.Msg.(*protocol.Fetch); ok {
					n++
				}
			}
			most[b] = max(most[b], n)
		}
	}
	if most != [2]int{1, 1} || c.processed() != "m0 n0" {
		t.Errorf("at most %v fetches to each broker, processed %q", most, c.processed())
	}
}

// What is in the buffer is returned before the partition is fetched again.
func TestBufferedPartitionIsNotFetched(t *testing.T) {
	c := start(t, setup{app: Application{Loop: []Verb{Poll, Process}}, set: append(manual, "max.poll.records", "1")})
	c.write(orders0, "m0", "m1", "m2")
	c.until(new(event.Polled), 1)
	before := fetches(c)
	if c.node().Buffered() != 2 {
		t.Errorf("%d records in the buffer, want 2", c.node().Buffered())
	}
	c.until(new(event.Polled), 3)
	if n := fetches(c) - before; n != 0 {
		t.Errorf("%d fetches while there were records in the buffer", n)
	}
}

// An epoch that the new leader knows nothing of is a case for auto.offset.reset.
func TestUnknownEpochIsATruncation(t *testing.T) {
	for _, tc := range []struct{ policy, want string }{
		{"earliest", "truncation seen orders-0 2, ends at -1; reset orders-0 2→0 earliest; processed n0"},
		{"none", "truncation seen orders-0 2, ends at -1; failed orders-0 LogTruncationException"},
	} {
		c := start(t, setup{app: Application{Loop: []Verb{Poll, Process}}, brokers: 2, set: []string{"enable.auto.commit", "false", "auto.offset.reset", tc.policy}})
		c.to(sim.Millisecond / 2)
		c.world.Command(c.consumer, &protocol.Command{Seek: &protocol.SeekCommand{TP: orders0, Offset: 0}})
		c.write(orders0, "m0", "m1")
		c.until(new(event.Processed), 2)
		c.truncate(orders0, 0)
		c.log(orders0).epoch = 4
		c.move(orders0, 2)
		c.write(orders0, "n0")
		c.to(c.world.Now() + 5*sim.Second)
		got := strings.Join(without(c.story(), "polled", "reset orders-0 -1", "assigned", "processed m"), "; ")
		if got != tc.want {
			t.Errorf("%s: %s\nwant %s", tc.policy, got, tc.want)
		}
	}
}

// A committed position bears the epoch of the record before it, so that a restart notices a truncation too.
func TestCommittedPositionIsChecked(t *testing.T) {
	c := start(t, setup{app: Application{Loop: []Verb{Poll, Process, Commit}}, brokers: 2, set: manual})
	c.write(orders0, "m0")
	c.write(orders0, "m1")
	c.until(new(event.Committed), 1)
	c.world.Kill(c.consumer)
	c.truncate(orders0, 1)
	c.move(orders0, 2)
	c.write(orders0, "n1", "n2")
	c.world.Restart(c.consumer)
	c.to(c.world.Now() + 2*sim.Second)
	got := without(c.story(), "polled", "commit", "processed m")
	want := []string{"assigned orders-0 0 earliest", "kill", "assigned orders-0 2 committed",
		"truncation seen orders-0 2, ends at 1", "reset orders-0 2→1 truncation", "processed n1", "processed n2"}
	if !slices.Equal(got, want) {
		t.Errorf("story %q, want %q", got, want)
	}
}

// A crash leaves a commit under way. From 2.5 the next process waits for its outcome (KIP-447); before, it
// starts from the position that was committed before.
func TestRestartWhileACommitIsUnderWay(t *testing.T) {
	for _, tc := range []struct{ version, want string }{{"2.4", "m0 m0"}, {"2.5", "m0"}, {"3.9", "m0"}, {"4.0", "m0"}} {
		t.Run(tc.version, func(t *testing.T) {
			c := start(t, setup{app: Application{Loop: []Verb{Poll, Process, Commit}}, version: tc.version, set: manual})
			c.replicaDelay = 2 * sim.Second
			c.write(orders0, "m0")
			c.until(new(event.CommitSent), 1)
			c.to(c.world.Now() + 10*sim.Millisecond)
			c.world.Kill(c.consumer)
			c.world.Restart(c.consumer)
			c.to(c.world.Now() + 10*sim.Second)
			if got := c.processed(); got != tc.want {
				t.Errorf("processed %q, want %q\n%s", got, tc.want, strings.Join(c.story(), "\n"))
			}
		})
	}
}

// What a fetch holds besides the application's records: those before the position, control records, and
// the gaps of compaction.
func TestNextRecord(t *testing.T) {
	batch := func(base int64, epoch int, ids ...string) *record.RecordBatch {
		var rs []record.Record
		for _, id := range ids {
			rs = append(rs, record.Record{ID: id})
		}
		return record.NewBatch(rs).WithOffset(base, epoch)
	}
	marker := *batch(6, 2, "commit")
	marker.IsControl = true
	compacted := batch(3, 1, "m3", "m4", "m5").Retain(func(i int) bool { return i == 0 })
	f := completedFetch{nextOffset: 1, lastEpoch: -1, result: &protocol.FetchResult{Batches: []*record.RecordBatch{
		batch(0, 1, "m0", "m1", "m2"), compacted, &marker}}}
	var got []string
	for {
		r, offset, ok := f.nextRecord()
		if !ok {
			break
		}
		if f.nextOffset != offset+1 {
			t.Errorf("after offset %d comes %d", offset, f.nextOffset)
		}
		got = append(got, r.ID)
	}
	if strings.Join(got, " ") != "m1 m2 m3" || f.nextOffset != 7 || f.lastEpoch != 2 || !f.consumed {
		t.Errorf("records %v, next offset %d, last epoch %d", got, f.nextOffset, f.lastEpoch)
	}
	end := completedFetch{nextOffset: 3, lastEpoch: -1, result: &protocol.FetchResult{Batches: []*record.RecordBatch{compacted}}}
	end.nextRecord()
	if _, _, ok := end.nextRecord(); ok || end.nextOffset != 6 {
		t.Errorf("behind a batch whose end was compacted away: %d, want 6", end.nextOffset)
	}
}
