package producer

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// idempotence is what a test sees of the TransactionManager, beside the outcomes.
var idempotence = []event.Event{new(event.ProducerIDGiven), new(event.ProducerIDDropped), new(event.EpochBumped), new(event.SequencesReset), new(event.ProducerFailed),
	new(event.BatchAcked), new(event.BatchFailed), new(event.BatchRetried), new(event.RecordRejected)}

func idempotent(version, config string) setup {
	return setup{version: version, config: "enable.idempotence=true batch.size=1 linger.ms=0 " + config}
}

// sequences spells what the log holds: the batches with their epoch and first sequence number.
func (h *harness) sequences(tp protocol.TopicPartition) string {
	var out []string
	for _, b := range h.log(tp).Batches() {
		out = append(out, fmt.Sprintf("%s %d/%d", ids(b.Records), b.ProducerEpoch, b.BaseSequence))
	}
	return strings.Join(out, ", ")
}

// A producer asks for its id before it sends anything, in every release; it asks again after an error that can be
// retried.
func TestProducerIDBeforeTheFirstBatch(t *testing.T) {
	for _, version := range []string{"0.11", "2.4", "2.5", "4.0"} {
		h := newHarness(t, idempotent(version, ""))
		h.want(version+": before any record", h.events(idempotence...), "id 0 epoch 0")
		h.send("m1", "m2")
		h.rest()
		h.want(version, h.sequences(orders), "m1 0/0, m2 0/1")
	}
	h := newHarness(t, setup{version: "4.0"})
	h.want("without idempotence", h.events(new(event.ProducerIDGiven)), "")
}

func TestProducerIDRetried(t *testing.T) {
	h := newHarness(t, idempotent("4.0", ""))
	h.initErrors = []protocol.Error{protocol.CoordinatorLoadInProgress, protocol.CoordinatorLoadInProgress}
	h.restart()
	h.send("m1")
	h.until(h.w.Now() + 150*ms)
	h.want("after one backoff", strings.Join(h.arrived, ", "), "")
	h.until(h.w.Now() + sim.Second)
	h.want("after two errors", h.events(new(event.ProducerIDGiven), new(event.BatchAcked)), "id 0 epoch 0, id 1 epoch 0, m1 acked at 0")

	h = newHarness(t, idempotent("4.0", ""))
	h.send("m1")
	h.rest()
	h.initErrors = []protocol.Error{protocol.UnknownServerError}
	h.restart()
	h.send("m2")
	h.rest()
	h.want("an error that can not be retried", h.events(idempotence...),
		"id 0 epoch 0, m1 acked at 0, failed for good: KafkaException, m2 rejected KafkaException")
}

// A retry whose first attempt was written is answered with the offset it got then.
func TestRetryIsRecognised(t *testing.T) {
	for _, version := range []string{"0.11", "1.0", "2.4", "2.5", "4.0"} {
		h := newHarness(t, idempotent(version, ""))
		h.answers[1] = []answer{good, {append: true, hangUp: true}}
		h.send("m0", "m1", "m2")
		h.rest()
		h.want(version, h.sequences(orders), "m0 0/0, m1 0/1, m2 0/2")
		if got := h.events(new(event.BatchAcked)); got != "m0 acked at 0, m1 acked at 1, m2 acked at 2" {
			t.Errorf("%s: %s", version, got)
		}
	}
}

// Five requests are in flight and the first fails: the others are refused as out of order, and all are sent again in the
// order of their numbers, one at a time until the first of them is through.
func TestOrderIsKeptWithFiveInFlight(t *testing.T) {
	for _, version := range []string{"1.0", "2.4", "2.5", "4.0"} {
		h := newHarness(t, idempotent(version, ""))
		h.send("m0")
		h.rest()
		h.answers[1] = []answer{good, {err: protocol.NotEnoughReplicas}}
		h.send("m1", "m2", "m3", "m4", "m5", "m6")
		h.rest()
		h.want(version, h.sequences(orders), "m0 0/0, m1 0/1, m2 0/2, m3 0/3, m4 0/4, m5 0/5, m6 0/6")
		h.want(version, strings.Join(h.arrived[1:9], ", "),
			"b1 m1 @13ms, b1 m2 @13ms, b1 m3 @13ms, b1 m4 @13ms, b1 m5 @13ms, b1 m1 @115ms, b1 m2 @117ms, b1 m3 @119ms")
		if got := h.events(new(event.BatchFailed), new(event.EpochBumped), new(event.ProducerIDDropped)); got != "" {
			t.Errorf("%s: %s", version, got)
		}
	}
}

// A partition that does not know the producer takes a batch with any sequence number from 2.5 on (KIP-360). If the very
// first batch fails while the second is under way, the second is let in and the first is out of order for ever (KAFKA-14359).
// Up to 2.4 the second was refused, and all were numbered anew.
func TestFirstBatchLockedOut(t *testing.T) {
	for version, want := range map[string]string{
		"1.0": "m1 0/0, m2 0/1 / ", "2.4": "m1 0/0, m2 0/1 / ",
		"2.5": "m2 0/1 / m1 failed TimeoutException (not written)", "4.0": "m2 0/1 / m1 failed TimeoutException (not written)",
	} {
		h := newHarness(t, idempotent(version, ""))
		h.answers[1] = []answer{{err: protocol.NotEnoughReplicas}}
		h.send("m1", "m2")
		h.rest()
		h.want(version, h.sequences(orders)+" / "+h.events(new(event.BatchFailed)), want)
	}
}

// 0.11 has one request in flight.
func TestOneInFlightIn0_11(t *testing.T) {
	h := newHarness(t, idempotent("0.11", ""))
	h.send("m1", "m2")
	h.rest()
	h.want("arrivals", strings.Join(h.arrived, ", "), "b1 m1 @11ms, b1 m2 @13ms")
}

// Batches that failed come back in any order, and go to their place in the queue.
func TestReenqueueInSequenceOrder(t *testing.T) {
	h := newHarness(t, idempotent("4.0", ""))
	h.send("m0")
	h.rest()
	h.answers[1] = []answer{good, {err: protocol.NotEnoughReplicas, late: 8 * ms}, {err: protocol.NotEnoughReplicas, late: 4 * ms}, {err: protocol.NotEnoughReplicas}}
	h.send("m1", "m2", "m3", "m4")
	h.rest()
	h.want("log", h.sequences(orders), "m0 0/0, m1 0/1, m2 0/2, m3 0/3, m4 0/4")
}

// A batch that certainly was not written leaves a gap: up to 2.4 the ones behind it are numbered anew, from 2.5 on with
// another epoch.
func TestAFailedBatchLeavesNoGap(t *testing.T) {
	for version, want := range map[string]string{
		"0.11": "m0 0/0, m2 0/1, m3 0/2", "1.0": "m0 0/0, m2 0/1, m3 0/2", "2.4": "m0 0/0, m2 0/1, m3 0/2",
		"2.5": "m0 0/0, m2 1/0, m3 1/1", "4.0": "m0 0/0, m2 1/0, m3 1/1",
	} {
		h := newHarness(t, idempotent(version, ""))
		h.send("m0")
		h.rest()
		h.answers[1] = []answer{good, {err: protocol.MessageTooLarge}}
		h.send("m1", "m2", "m3")
		h.rest()
		h.want(version, h.sequences(orders), want)
		if got := h.events(new(event.BatchFailed)); got != "m1 failed MESSAGE_TOO_LARGE (not written)" {
			t.Errorf("%s: %s", version, got)
		}
	}
}

// A batch is out of sequence and next in line: the broker has lost records. Up to 2.4 it fails and the producer gives
// its id up; from 2.5 on the epoch is raised and the batch goes through.
func TestOutOfOrderNextInLine(t *testing.T) {
	for version, want := range map[string]string{
		"0.11": "id 0 epoch 0, m1 acked at 0, id 0 dropped: batch-refused OUT_OF_ORDER_SEQUENCE_NUMBER, m2 failed OUT_OF_ORDER_SEQUENCE_NUMBER (not written), id 1 epoch 0, m3 acked at 1",
		"1.0":  "id 0 epoch 0, m1 acked at 0, id 0 dropped: batch-refused OUT_OF_ORDER_SEQUENCE_NUMBER, m2 failed OUT_OF_ORDER_SEQUENCE_NUMBER (not written), id 1 epoch 0, m3 acked at 1",
		"2.4":  "id 0 epoch 0, m1 acked at 0, id 0 dropped: batch-refused OUT_OF_ORDER_SEQUENCE_NUMBER, m2 failed OUT_OF_ORDER_SEQUENCE_NUMBER (not written), id 1 epoch 0, m3 acked at 1",
		"2.5":  "id 0 epoch 0, m1 acked at 0, m2 retried OUT_OF_ORDER_SEQUENCE_NUMBER (-1 left), id 0 bumped to epoch 1, 1 renumbered, m2 acked at 1, m3 acked at 2",
		"4.0":  "id 0 epoch 0, m1 acked at 0, m2 retried OUT_OF_ORDER_SEQUENCE_NUMBER (-1 left), id 0 bumped to epoch 1, 1 renumbered, m2 acked at 1, m3 acked at 2",
	} {
		h := newHarness(t, idempotent(version, ""))
		h.answers[1] = []answer{good, {err: protocol.OutOfOrderSequenceNumber}}
		for _, m := range []string{"m1", "m2", "m3"} {
			h.send(m)
			h.rest()
		}
		got := strings.ReplaceAll(h.events(idempotence...), "(2147483646 left)", "(-1 left)")
		h.want(version, got, want)
	}
}

// Retention has deleted all of a producer's records (KAFKA-5793, KAFKA-7190, KIP-360). In 0.11 the next batch fails; from
// 1.0 on the producer sees that nothing of its own is missing but what was deleted, and begins at 0 again; from 2.4 on the
// broker still knows it.
func TestUnknownProducerAfterRetention(t *testing.T) {
	for version, want := range map[string]string{
		"0.11": "m1 acked at 0, m2 failed OUT_OF_ORDER_SEQUENCE_NUMBER (not written)",
		"1.0":  "m1 acked at 0, m2 retried UNKNOWN_PRODUCER_ID (2147483647 left), m2 acked at 1",
		"2.3":  "m1 acked at 0, m2 retried UNKNOWN_PRODUCER_ID (-1 left), m2 acked at 1",
		"2.4":  "m1 acked at 0, m2 acked at 1",
		"4.0":  "m1 acked at 0, m2 acked at 1",
	} {
		h := newHarness(t, idempotent(version, ""))
		h.send("m1")
		h.rest()
		h.log(orders).MaybeIncrementLogStartOffset(1)
		h.send("m2")
		h.rest()
		got := strings.ReplaceAll(h.events(outcomes...), "(-1 left)", "(2147483647 left)")
		h.want(version, got, strings.ReplaceAll(want, "(-1 left)", "(2147483647 left)"))
	}
}

// The broker does not know the producer although records of it that were acknowledged are not deleted: they may be lost. Up
// to 2.4 the batch fails.
func TestUnknownProducerWithRecordsMissing(t *testing.T) {
	for version, want := range map[string]string{
		"1.0": "m1 acked at 0, m2 failed UNKNOWN_PRODUCER_ID (not written)",
		"2.4": "m1 acked at 0, m2 failed UNKNOWN_PRODUCER_ID (not written)",
		"2.5": "m1 acked at 0, m2 acked at 0",
	} {
		h := newHarness(t, idempotent(version, ""))
		h.send("m1")
		h.rest()
		h.log(orders).TruncateFullyAndStartAt(0)
		h.send("m2")
		h.rest()
		h.want(version, h.events(outcomes...), want)
	}
}

// A batch that was sent and expires leaves it open what the broker has. 0.11 gives the id up at once, 1.0 to 2.4 once
// nothing is out any more, and from 2.5 on the epoch is raised. What comes then begins at 0.
func TestABatchThatExpiresInARetry(t *testing.T) {
	for version, want := range map[string]string{
		"0.11": "id 0 epoch 0, m1 retried NETWORK_EXCEPTION, m1 failed TimeoutException (unknown), id 0 dropped: batch-expired NONE, id 1 epoch 0, m2 acked at 0",
		"2.1":  "id 0 epoch 0, m1 retried NETWORK_EXCEPTION, m1 failed TimeoutException (unknown), id 0 dropped: batches-expired NONE, id 1 epoch 0, m2 acked at 0",
		"2.5":  "id 0 epoch 0, m1 retried NETWORK_EXCEPTION, m1 failed TimeoutException (unknown), id 0 bumped to epoch 1, 0 renumbered, m2 acked at 0",
		"4.0":  "id 0 epoch 0, m1 retried NETWORK_EXCEPTION, m1 failed TimeoutException (unknown), id 0 bumped to epoch 1, 0 renumbered, m2 acked at 0",
	} {
		config := "request.timeout.ms=1000 retry.backoff.ms=100 "
		if version != "0.11" {
			config += "delivery.timeout.ms=1500"
		}
		h := newHarness(t, idempotent(version, config))
		h.answers[1] = []answer{{hangUp: true}}
		h.send("m1")
		h.until(20 * ms)
		h.lead(2, 1) // nobody that lives
		h.until(60 * sim.Second)
		h.lead(1, 2)
		h.until(70 * sim.Second)
		h.send("m2")
		h.until(300 * sim.Second)
		got := h.events(idempotence...)
		for _, left := range []string{" (-1 left)", " (2147483646 left)", " (2147483647 left)"} {
			got = strings.ReplaceAll(got, left, "")
		}
		h.want(version, got, want)
	}
}

// 0.11 counts only what is acknowledged: a batch that was written, and fails because its retries are used up, leaves its
// number to the next one, which the broker takes for it. The next record is acknowledged and lost.
func TestIn0_11ABatchOutOfRetriesLendsItsNumber(t *testing.T) {
	h := newHarness(t, idempotent("0.11", "retries=1"))
	h.answers[1] = []answer{{append: true, hangUp: true}, {append: true, hangUp: true}}
	h.send("m1")
	h.rest()
	h.send("m2")
	h.rest()
	h.want("outcomes", h.events(new(event.BatchFailed), new(event.BatchAcked)), "m1 failed NETWORK_EXCEPTION (unknown), m2 acked at 0")
	h.want("log", h.sequences(orders), "m1 0/0")
}

// From 1.0 on the number of such a batch is not given again. The next one goes through if it was written, and if it was
// not it is refused until it expires.
func TestABatchOutOfRetriesKeepsItsNumber(t *testing.T) {
	for _, version := range []string{"2.4", "4.0"} {
		h := newHarness(t, idempotent(version, "retries=1"))
		h.answers[1] = []answer{{append: true, hangUp: true}, {append: true, hangUp: true}}
		h.send("m1")
		h.rest()
		h.send("m2")
		h.rest()
		h.want(version, h.events(new(event.BatchFailed), new(event.BatchAcked)), "m1 failed NETWORK_EXCEPTION (unknown), m2 acked at 1")
		h.want(version, h.sequences(orders), "m1 0/0, m2 0/1")
	}
}

// After a bump for one partition the others begin at 0 as well once nothing of them is out (KAFKA-12152); before 2.7.1
// they went on counting, were refused, and had to bump once more.
func TestABumpConcernsEveryPartition(t *testing.T) {
	for version, want := range map[string]string{
		"2.6": "a 0/0, b 2/0", "2.7.0": "a 0/0, b 2/0", "2.7.1": "a 0/0, b 1/0", "4.0": "a 0/0, b 1/0",
	} {
		s := idempotent(version, "")
		s.partitions = 2
		h := newHarness(t, s)
		h.sendTo(1, "a")
		h.rest()
		h.answers[1] = []answer{good, {err: protocol.MessageTooLarge}}
		h.sendTo(0, "x")
		h.rest()
		h.sendTo(1, "b")
		h.rest()
		h.want(version, h.sequences(protocol.TopicPartition{Topic: "orders", Partition: 1}), want)
	}
}

// A batch expires after it was sent twice, and the one behind it goes through: so the broker has both, and nothing
// has to be given up. Until that is known no new batch leaves.
func TestUnresolvedSequencesResolve(t *testing.T) {
	for _, version := range []string{"2.1", "4.0"} {
		h := newHarness(t, idempotent(version, "request.timeout.ms=1000 delivery.timeout.ms=1500 retry.backoff.ms=200"))
		h.answers[1] = []answer{{append: true, silent: true}, {append: true, hangUp: true}, {append: true, silent: true}, {append: true, late: 200 * ms}}
		h.send("m1")
		h.until(300 * ms)
		h.send("m2")
		h.until(1550 * ms)
		h.send("m3")
		h.rest()
		h.want(version, h.events(new(event.EpochBumped), new(event.ProducerIDDropped), new(event.BatchFailed), new(event.BatchAcked)),
			"m1 failed TimeoutException (unknown), m2 acked at 1, m3 acked at 2")
		h.want(version, h.sequences(orders), "m1 0/0, m2 0/1, m3 0/2")
		if last := h.arrived[len(h.arrived)-1]; last < "b1 m3 @17" {
			t.Errorf("%s: %s while m2 had no answer", version, last)
		}
	}
}

// The answer to a batch that has expired comes late, and still tells which number the broker has next: a batch that
// is then out of order is the next in line.
func TestALateAnswerCounts(t *testing.T) {
	h := newHarness(t, idempotent("4.0", "request.timeout.ms=1000 delivery.timeout.ms=1000 max.in.flight.requests.per.connection=1"))
	h.answers[1] = []answer{{append: true, late: 500 * ms}, {append: true, late: 780 * ms}, {err: protocol.OutOfOrderSequenceNumber}}
	h.send("m0", "m1")
	h.until(2 * sim.Second)
	h.send("m2")
	h.rest()
	h.want("outcomes", h.events(new(event.EpochBumped), new(event.BatchFailed), new(event.BatchAcked)),
		"m0 acked at 0, m1 failed TimeoutException (unknown), id 0 bumped to epoch 1, m2 acked at 2")
}

// The epoch is raised because of one partition while a batch of another is out: what comes behind that waits for its
// outcome, and then begins at 0.
func TestABatchOfTheOldEpochIsAwaited(t *testing.T) {
	s := idempotent("4.0", "")
	s.partitions, s.brokers = 2, 2
	h := newHarness(t, s)
	h.answers[2] = []answer{good, {append: true, late: 500 * ms}}
	h.answers[1] = []answer{{err: protocol.MessageTooLarge}}
	h.sendTo(1, "a")
	h.until(100 * ms)
	h.sendTo(1, "b")
	h.until(110 * ms)
	h.sendTo(0, "x")
	h.until(200 * ms)
	h.sendTo(1, "c")
	h.rest()
	h.want("log", h.sequences(protocol.TopicPartition{Topic: "orders", Partition: 1}), "a 0/0, b 0/1, c 1/0")
	h.want("retries", h.events(new(event.BatchRetried)), "")
}

// Up to 2.4 a producer that has given its id up does not send a batch again that bears the old one.
func TestABatchOfTheOldIDIsNotSentAgain(t *testing.T) {
	s := idempotent("2.4", "")
	s.partitions, s.brokers = 2, 2
	h := newHarness(t, s)
	h.answers[2] = []answer{{err: protocol.NotEnoughReplicas, late: 500 * ms}}
	h.answers[1] = []answer{good, {err: protocol.OutOfOrderSequenceNumber}}
	h.sendTo(0, "x")
	h.until(100 * ms)
	h.sendTo(1, "b")
	h.sendTo(0, "y")
	h.rest()
	h.want("failures", h.events(new(event.BatchFailed)), "y failed OUT_OF_ORDER_SEQUENCE_NUMBER (not written), b failed OUT_OF_ORDER_SEQUENCE_NUMBER (not written)")
	if n := len(h.log(protocol.TopicPartition{Topic: "orders", Partition: 1}).Batches()); n != 0 {
		t.Error("b was sent again")
	}
}

// INVALID_PRODUCER_EPOCH ends an idempotent producer up to 2.6; from 2.7 on it fails the batch.
func TestInvalidProducerEpoch(t *testing.T) {
	for version, want := range map[string]string{
		"2.4": "failed for good: INVALID_PRODUCER_EPOCH, m1 failed INVALID_PRODUCER_EPOCH (not written), m2 rejected INVALID_PRODUCER_EPOCH",
		"2.6": "failed for good: INVALID_PRODUCER_EPOCH, m1 failed INVALID_PRODUCER_EPOCH (not written), m2 rejected INVALID_PRODUCER_EPOCH",
		"2.7": "m1 failed INVALID_PRODUCER_EPOCH (not written), id 0 bumped to epoch 1, 0 renumbered, m2 acked at 0",
	} {
		h := newHarness(t, idempotent(version, ""))
		h.answers[1] = []answer{{err: protocol.InvalidProducerEpoch}}
		h.send("m1")
		h.rest()
		h.send("m2")
		h.rest()
		h.want(version, strings.TrimPrefix(h.events(idempotence...), "id 0 epoch 0, "), want)
	}
}

// DUPLICATE_SEQUENCE_NUMBER is success without an offset.
func TestDuplicateSequenceNumberIsSuccess(t *testing.T) {
	h := newHarness(t, idempotent("4.0", ""))
	h.answers[1] = []answer{{err: protocol.DuplicateSequenceNumber}}
	h.send("m1")
	h.rest()
	h.want("outcome", h.events(outcomes...), "m1 acked at -1")
}

// Sequence numbers go back to 0 after 2³¹−1.
func TestSequenceNumbersWrap(t *testing.T) {
	h := newHarness(t, idempotent("4.0", ""))
	h.send("m1")
	h.rest()
	q := h.producer().accumulator.queue(orders)
	q.Txn.NextSequence, q.Txn.LastAckedSequence = math.MaxInt32, math.MaxInt32-1
	h.log(orders).TruncateFullyAndStartAt(1) // a partition that does not know the producer takes any number
	h.send("m2", "m3")
	h.rest()
	h.want("log", h.sequences(orders), fmt.Sprintf("m2 0/%d, m3 0/0", math.MaxInt32))
}

// TestABatchThatNobodyTracks: m1 expires while its request is out, and m2 is the first batch of the next epoch, on the same
// connection, when that is given up. Both have sequence number 0.
func TestABatchThatNobodyTracks(t *testing.T) {
	const again, never = "m2 batched for b1, attempt 2", "m2 failed TimeoutException (unknown)"
	for version, want := range map[string]struct {
		outcome string
		epoch   int16 // in the end
	}{
		"2.4.1": {again, 0}, // another producer id
		"2.5.1": {never, 2}, // KAFKA-13794; the second raise because m2 has expired
		"2.8.2": {never, 2}, // KAFKA-14831: the second raise because of the error for m1
		"3.0.1": {never, 2}, "3.0.2": {again, 2}, "3.1.0": {never, 2}, "3.1.1": {again, 2}, "3.2.0": {again, 2}, "3.5.2": {again, 2},
		"3.6.0": {again, 1}, "4.0.0": {again, 1},
	} {
		h := newHarness(t, setup{version: version, config: "acks=all enable.idempotence=true linger.ms=0 request.timeout.ms=600 delivery.timeout.ms=1000 retry.backoff.ms=100"})
		h.answers[1] = []answer{{silent: true}, {silent: true}, {silent: true}}
		h.send("m1")
		h.until(1100 * sim.Millisecond)
		h.send("m2")
		h.until(4 * sim.Second)
		if got := h.events(new(event.RecordsBatched), new(event.BatchFailed)); !strings.Contains(got, want.outcome) {
			t.Errorf("%s: %s\nwant %s", version, got, want.outcome)
		}
		if got := h.producer().txn.id.Epoch; got != want.epoch {
			t.Errorf("%s: in epoch %d, want %d", version, got, want.epoch)
		}
	}
}
