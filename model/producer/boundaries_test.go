package producer

import (
	"strings"
	"testing"

	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// Where a rule says "more than", "at" or "not yet", what lies on the bound decides, and each condition of a rule decides
// alone. Each of these was found by mutating the rule.

// A batch is full at its bound, and one without a record never is.
func TestWhenABatchIsFull(t *testing.T) {
	one := []record.Record{{ID: "m1"}}
	for _, c := range []struct {
		b    ProducerBatch
		want bool
	}{
		{ProducerBatch{Records: one, size: 99, fullAt: 100}, false}, {ProducerBatch{Records: one, size: 100, fullAt: 100}, true},
		{ProducerBatch{size: 100, fullAt: 100}, false}, {ProducerBatch{closed: true, fullAt: 100}, true},
	} {
		if got := c.b.isFull(); got != c.want {
			t.Errorf("%d records, %d of %d bytes, closed %v: full %v", len(c.b.Records), c.b.size, c.b.fullAt, c.b.closed, got)
		}
	}
}

// A record takes as many bytes as its distance in time from the first one needs, not its timestamp.
func TestTheRoomOfALaterRecord(t *testing.T) {
	r := record.Record{ID: "m", Value: "m", Timestamp: 1 << 40}
	for room, want := range map[int]bool{0: true, -1: false} {
		b := ProducerBatch{fullAt: 1 << 20}
		b.limit = firstRecordSize(2, &r) + recordSize(2, 1, 0, &r) + room
		b.tryAppend(2, &r, 0)
		if _, ok := b.tryAppend(2, &r, 0); ok != want {
			t.Errorf("with %d bytes more than it takes: %v", room, ok)
		}
	}
}

// A new leader spares the wait before an attempt that is sent again, and there is none before the first.
func TestANewLeaderBeforeTheFirstAttempt(t *testing.T) {
	for attempts, want := range map[int]bool{0: false, 1: true} {
		b := ProducerBatch{Attempts: attempts, leaderEpoch: 1}
		if b.maybeUpdateLeaderEpoch(2); b.hasNewLeader() != want {
			t.Errorf("after %d attempts: %v", attempts, b.hasNewLeader())
		}
	}
}

// Two batches that have max.request.size bytes together go in one request, and with one byte less in two.
func TestARequestOfMaxRequestSize(t *testing.T) {
	h := newHarness(t, setup{version: "4.0", partitions: 2, config: "linger.ms=10000"})
	h.sendTo(0, "m1")
	h.until(sim.Second)
	size := h.producer().Queues()[0].Batches[0].size
	for less, want := range map[int]int{0: 1, 1: 2} {
		h := newHarness(t, setup{version: "4.0", partitions: 2, config: "linger.ms=1"})
		h.producer().cfg.MaxRequestSize = 2*size - less
		h.producer().accumulator.cfg.MaxRequestSize = 2*size - less
		h.sendTo(0, "m1")
		h.sendTo(1, "m2")
		if h.rest(); h.seen[1] != want {
			t.Errorf("%d bytes less: %d requests, want %d", less, h.seen[1], want)
		}
	}
}

// A record may be max.request.size large.
func TestARecordOfMaxRequestSize(t *testing.T) {
	p := newHarness(t, setup{version: "4.0"}).producer()
	r := record.Record{ID: "m", Value: "m"}
	for less, want := range map[int]bool{0: false, 1: true} {
		p.cfg.MaxRequestSize = sizeUpperBound(p.cfg.Magic, &r) - less
		if got := p.tooLarge(&r); got != want {
			t.Errorf("%d bytes less than the record: too large %v", less, got)
		}
	}
}

// A request that is full ends at a partition, and the next one begins there: what comes to the first partition meanwhile waits
// for its turn.
func TestTheNextRequestBeginsWhereTheLastEnded(t *testing.T) {
	h := newHarness(t, setup{version: "4.0", partitions: 3, config: "linger.ms=1 max.request.size=100 max.in.flight.requests.per.connection=1"})
	h.answers[1] = []answer{{append: true, late: 10 * ms}}
	for i, name := range []string{"m1", "m2", "m3"} {
		h.sendTo(int32(i), name)
	}
	h.until(15 * ms)
	h.sendTo(0, "m4")
	h.rest()
	var order []string
	for _, a := range h.arrived {
		order = append(order, strings.Fields(a)[1])
	}
	h.want("order", strings.Join(order, " "), "m1 m2 m3 m4")
}

// A record that send() refuses is counted as refused.
func TestARefusedRecordIsCounted(t *testing.T) {
	h := newHarness(t, setup{version: "4.0", config: "max.request.size=100"})
	h.command(&protocol.Command{Send: &protocol.SendCommand{Topic: "orders", Partition: 0, Records: []record.Record{{ID: "m1", Value: strings.Repeat(".", 200)}}}})
	h.rest()
	if acked, failed, rejected := h.producer().Counts(); acked != 0 || failed != 0 || rejected != 1 || h.events(new(event.RecordRejected)) == "" {
		t.Errorf("%d acked, %d failed, %d refused; %s", acked, failed, rejected, h.events(new(event.RecordRejected)))
	}
}

// What the group's coordinator refuses for its member, and what it says can be aborted, costs the transaction; what nobody
// foresaw costs the producer, but for AddPartitionsToTxn, after which it can abort.
//
// Kafka: TransactionManager.TxnOffsetCommitHandler, EndTxnHandler, AddPartitionsToTxnHandler (3.9, 4.0).
func TestErrorsThatCostTheTransaction(t *testing.T) {
	for _, c := range []struct {
		version, kind string
		err           protocol.Error
		abortable     bool
	}{
		{"3.9", "OffsetCommit", protocol.UnknownMemberID, true},
		{"3.9", "OffsetCommit", protocol.IllegalGeneration, true},
		{"4.0", "OffsetCommit", protocol.TransactionAbortable, true},
		{"3.9", "OffsetCommit", protocol.UnknownServerError, false},
		{"3.9", "End", protocol.UnknownServerError, false},
		{"3.9", "AddPartitions", protocol.UnknownServerError, true},
	} {
		calls := []protocol.Command{initCall, beginCall, sendCall, offsetCall, commitCall, abortCall}
		_, told := transact(t, c.version, map[string][]protocol.Error{c.kind: {c.err}}, calls...)
		want := "fatal"
		if c.abortable {
			want = "abortable"
		}
		if !strings.HasPrefix(told, want) || strings.HasSuffix(told, "aborted") != c.abortable {
			t.Errorf("%s, %s %v: told %s, want it %s", c.version, c.kind, c.err, told, want)
		}
	}
}
