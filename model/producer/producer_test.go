package producer

import (
	"strings"
	"testing"

	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

const ms = sim.Millisecond

// What one command sends at one instant goes into one batch, also with linger.ms=0; batch.size=1 makes it one
// batch a record.
func TestBatching(t *testing.T) {
	for _, c := range []struct{ config, arrived string }{
		{"linger.ms=0", "b1 m1 m2 m3 @11ms"},
		{"linger.ms=5", "b1 m1 m2 m3 @16ms"},
		{"linger.ms=0 batch.size=1", "b1 m1 @11ms, b1 m2 @11ms, b1 m3 @11ms"},
		{"linger.ms=1000 batch.size=1", "b1 m1 @11ms, b1 m2 @11ms, b1 m3 @1011ms"}, // a batch is full when another is behind it
		{"linger.ms=0 batch.size=80", "b1 m1 m2 @11ms, b1 m3 @11ms"},
	} {
		h := newHarness(t, setup{version: "4.0", config: c.config})
		h.send("m1", "m2", "m3")
		h.rest()
		h.want(c.config, strings.Join(h.arrived, ", "), c.arrived)
	}
}

func TestAcknowledged(t *testing.T) {
	h := newHarness(t, setup{version: "4.0"})
	h.send("m1", "m2")
	h.send("m3")
	h.rest()
	h.want("events", h.events(new(event.RecordSent), new(event.RecordsBatched), new(event.BatchAcked)),
		"m1 sent #1 to 0, m2 sent #2 to 0, m3 sent #3 to 0, m1 m2 m3 batched for b1, attempt 1, m1 m2 m3 acked at 0")
	for i, r := range h.logs[orders] {
		if r.Producer != int32(h.p) || r.Submission != int32(i+1) || r.Timestamp != 10 {
			t.Errorf("record %d bears %d %d %d", i, r.Producer, r.Submission, r.Timestamp)
		}
	}
	if free, total := h.producer().Memory(); free != total {
		t.Errorf("%d of %d bytes are free at rest", free, total)
	}
	if a, f, r := h.producer().Counts(); a != 3 || f+r != 0 || h.producer().State() != "idle" {
		t.Error(a, f, r, h.producer().State())
	}
}

// The answer is lost, the producer sends again, and the record is in the log twice.
func TestRetryDuplicates(t *testing.T) {
	h := newHarness(t, setup{version: "4.0"})
	h.answers[1] = []answer{{append: true, hangUp: true}}
	h.send("m1")
	h.rest()
	h.want("log", ids(h.logs[orders]), "m1 m1")
	if l := h.logs[orders]; l[0].Submission != l[1].Submission {
		t.Error("a retry of the producer is the same submission")
	}
	h.want("outcomes", h.events(outcomes...), "m1 retried NETWORK_EXCEPTION (-1 left), m1 acked at 1")
}

// A batch that is sent again lands behind the one that was sent after it, unless only one is out at a time.
func TestRetryReorders(t *testing.T) {
	for _, c := range []struct{ inFlight, log string }{{"5", "m2 m1"}, {"1", "m1 m2"}} {
		h := newHarness(t, setup{version: "2.8", config: "batch.size=1 max.in.flight.requests.per.connection=" + c.inFlight})
		h.answers[1] = []answer{{err: protocol.NotEnoughReplicas}}
		h.send("m1", "m2")
		h.rest()
		h.want("log with "+c.inFlight+" in flight", ids(h.logs[orders]), c.log)
	}
}

// Two batches fail and come back to the front one after the other: the last one is first.
func TestReenqueueAtFront(t *testing.T) {
	h := newHarness(t, setup{version: "2.8", config: "batch.size=1"})
	h.answers[1] = []answer{{err: protocol.NotEnoughReplicas}, {err: protocol.NotEnoughReplicas}}
	h.send("m1", "m2", "m3")
	h.rest()
	h.want("log", ids(h.logs[orders]), "m3 m2 m1")
}

// With one request in flight, but on two connections, m2 goes to the new leader while m1 is out to the old
// one. From 0.10 the partition is muted meanwhile.
func TestMutePartition(t *testing.T) {
	for _, c := range []struct {
		version string
		rules   map[string]bool
		log     string
	}{
		{"0.9", nil, "m2 m1"},
		{"0.10", nil, "m1 m2"},
		{"4.0", map[string]bool{"kafka-3197": false}, "m2 m1"},
		{"0.9", map[string]bool{"kafka-3197": true}, "m1 m2"},
	} {
		h := newHarness(t, setup{version: c.version, rules: c.rules, brokers: 2,
			config: "batch.size=1 retries=10 max.in.flight.requests.per.connection=1 metadata.max.age.ms=200"})
		h.answers[1] = []answer{{err: protocol.NotLeaderOrFollower, late: sim.Second}}
		h.send("m1")
		h.until(20 * ms)
		h.lead(2, 1)
		h.until(500 * ms)
		h.send("m2")
		h.until(600 * ms)
		if q := h.producer().Queues()[0]; q.Muted != (c.log == "m1 m2") {
			t.Errorf("%s %v: muted %v", c.version, c.rules, q.Muted)
		}
		h.rest()
		h.want(c.version, ids(h.logs[orders]), c.log)
	}
}

// What can be said of a failed batch depends on every attempt it has had.
func TestCertainty(t *testing.T) {
	no := answer{err: protocol.NotEnoughReplicas}
	for _, c := range []struct {
		name, version, config string
		down                  bool
		answers               []answer
		want                  string
	}{
		{"never sent", "4.0", "delivery.timeout.ms=31000", true, nil, "m1 failed TimeoutException (not written)"},
		{"in flight", "4.0", "request.timeout.ms=70000 linger.ms=0", false, []answer{{err: protocol.NotEnoughReplicas, late: sim.Minute}, {silent: true}},
			"m1 retried NOT_ENOUGH_REPLICAS (-1 left), m1 failed TimeoutException (unknown)"},
		{"refused each time", "3.0", "retries=1", false, []answer{no, no},
			"m1 retried NOT_ENOUGH_REPLICAS (0 left), m1 failed NOT_ENOUGH_REPLICAS (not written)"},
		{"refused, then too late", "4.0", "delivery.timeout.ms=30000 request.timeout.ms=30000 linger.ms=0 retry.backoff.ms=40000 retry.backoff.max.ms=40000", false, []answer{no},
			"m1 retried NOT_ENOUGH_REPLICAS (-1 left), m1 failed TimeoutException (not written)"},
		{"no answer, then refused", "3.0", "retries=1", false, []answer{{hangUp: true}, no},
			"m1 retried NETWORK_EXCEPTION (0 left), m1 failed NOT_ENOUGH_REPLICAS (unknown)"},
		{"timed out, then refused", "3.5", "retries=1 request.timeout.ms=1000", false, []answer{{silent: true}, no},
			"m1 retried REQUEST_TIMED_OUT (0 left), m1 failed NOT_ENOUGH_REPLICAS (unknown)"},
		{"timed out before 3.5", "2.0", "request.timeout.ms=1000", false, []answer{{silent: true}}, "m1 failed NETWORK_EXCEPTION (unknown)"},
		{"after append", "2.0", "acks=all", false, []answer{{append: true, err: protocol.NotEnoughReplicasAfterAppend}},
			"m1 failed NOT_ENOUGH_REPLICAS_AFTER_APPEND (unknown)"},
		{"acks=all time-out at the broker", "2.0", "acks=all", false, []answer{{append: true, err: protocol.RequestTimedOut}},
			"m1 failed REQUEST_TIMED_OUT (unknown)"},
		{"not leader, acks=all", "2.0", "acks=all", false, []answer{{append: true, err: protocol.NotLeaderOrFollower}},
			"m1 failed NOT_LEADER_OR_FOLLOWER (unknown)"},
		{"not leader, acks=1", "2.0", "acks=1", false, []answer{{err: protocol.NotLeaderOrFollower}},
			"m1 failed NOT_LEADER_OR_FOLLOWER (not written)"},
		{"fatal", "4.0", "", false, []answer{{err: protocol.MessageTooLarge}}, "m1 failed MESSAGE_TOO_LARGE (not written)"},
		{"unknown server error", "4.0", "", false, []answer{{err: protocol.UnknownServerError}}, "m1 failed UNKNOWN_SERVER_ERROR (unknown)"},
		{"storage error", "2.0", "", false, []answer{{err: protocol.KafkaStorageError}}, "m1 failed KAFKA_STORAGE_ERROR (unknown)"},
	} {
		h := newHarness(t, setup{version: c.version, config: c.config})
		h.answers[1] = c.answers
		if c.down {
			h.w.Kill(0)
			h.until(20 * ms)
		}
		h.send("m1")
		h.rest()
		h.want(c.name, h.events(outcomes...), c.want)
		if free, total := h.producer().Memory(); free != total || h.producer().Incomplete() != 0 {
			t.Errorf("%s: memory is not given back", c.name)
		}
	}
}

// A broker that refuses connections gets no batch: nothing is tried, no retry is used up. When it is back the
// batch goes out.
func TestConnectionRefused(t *testing.T) {
	h := newHarness(t, setup{version: "2.0"})
	h.w.Kill(0)
	h.until(20 * ms)
	h.send("m1")
	h.until(sim.Second)
	h.want("sent while down", h.events(new(event.RecordsBatched)), "")
	h.want("lost once", h.events(new(event.ConnectionLost)), "connection to node 0 lost")
	h.w.Restart(0)
	h.rest()
	h.want("outcomes", h.events(outcomes...), "m1 acked at 0")
}

// delivery.timeout.ms counts from the creation of the batch; before KIP-91 only waiting in the accumulator was
// bounded, by request.timeout.ms, and before 0.9 nothing was.
func TestExpiry(t *testing.T) {
	for _, c := range []struct {
		version, config string
		at              sim.Time // when it fails, after send(); 0: never
	}{
		{"4.0", "", 120 * sim.Second},
		{"2.1", "", 120 * sim.Second},
		{"2.0", "", 30 * sim.Second},
		{"0.10", "request.timeout.ms=2000 linger.ms=300", 2300 * ms},
		{"0.8.2", "", 0},
	} {
		h := newHarness(t, setup{version: c.version, config: c.config})
		h.w.Kill(0)
		h.until(20 * ms)
		h.send("m1")
		if c.at == 0 {
			h.until(10 * sim.Minute)
			h.want(c.version, h.events(outcomes...), "")
			continue
		}
		h.until(20*ms + c.at - 1)
		h.want(c.version+" just before", h.events(outcomes...), "")
		h.until(20*ms + c.at)
		h.want(c.version, h.events(outcomes...), "m1 failed TimeoutException (not written)")
	}
}

// Before KIP-91 a full batch expires request.timeout.ms after its last record, without regard to linger.ms.
func TestFullBatchExpires(t *testing.T) {
	h := newHarness(t, setup{version: "2.0", config: "batch.size=1 linger.ms=5000 request.timeout.ms=2000"})
	h.w.Kill(0)
	h.until(20 * ms)
	h.send("m1", "m2")
	h.until(2020 * ms)
	h.want("outcomes", h.events(outcomes...), "m1 failed TimeoutException (not written)")
	h.until(7020 * ms)
	h.want("outcomes", h.events(outcomes...), "m1 failed TimeoutException (not written), m2 failed TimeoutException (not written)")
}

// Reported as expired, yet written. The late answer changes nothing.
func TestExpiredInFlight(t *testing.T) {
	h := newHarness(t, setup{version: "4.0", config: "delivery.timeout.ms=1000 request.timeout.ms=800 linger.ms=0 max.in.flight.requests.per.connection=1"})
	h.answers[1] = []answer{{silent: true}, {append: true, late: 500 * ms}}
	h.send("m1")
	h.rest()
	h.want("outcomes", h.events(outcomes...), "m1 retried REQUEST_TIMED_OUT (-1 left), m1 failed TimeoutException (unknown)")
	h.want("log", ids(h.logs[orders]), "m1")
	h.send("m2")
	h.rest()
	h.want("the partition is not muted any more", ids(h.logs[orders]), "m1 m2")
}

// With delivery.timeout.ms equal to request.timeout.ms a batch expires while its request is still in flight: a
// request is given up only once more than its timeout has passed.
func TestExpiryComesBeforeTheRequestTimeout(t *testing.T) {
	h := newHarness(t, setup{version: "2.8", config: "delivery.timeout.ms=1000 request.timeout.ms=1000"})
	h.until(20 * ms)
	h.answers[1] = []answer{{append: true, late: 2000 * ms}}
	h.send("m1")
	h.until(5 * sim.Second)
	h.want("outcomes", h.events(outcomes...), "m1 failed TimeoutException (unknown)")
}

// With acks=all the broker's clock for a request runs as long as its client's, and starts one way later; the answer needs the way
// back. The client gives a request up when more than its time-out has passed, by a clock of milliseconds, so it is the client that is
// first wherever a message and its answer are longer than that on their way.
//
// Kafka: DelayedProduce (delayMs is the request's timeout), InFlightRequests.hasExpiredRequest.
func TestTheClientGivesUpBeforeTheAnswerOfATimeOutComes(t *testing.T) {
	for _, c := range []struct {
		way  sim.Time // of a message, one way
		want string
	}{
		{sim.Millisecond * 4 / 10, "REQUEST_TIMED_OUT"},
		{sim.Millisecond * 6 / 10, "NETWORK_EXCEPTION"},
		{sim.Millisecond, "NETWORK_EXCEPTION"},
		{50 * sim.Millisecond, "NETWORK_EXCEPTION"},
	} {
		h := newHarness(t, setup{version: "2.8", config: "acks=all retries=1 delivery.timeout.ms=5000 request.timeout.ms=1000"})
		h.until(20 * ms)
		h.w.SetLatency(0, 1, c.way)
		h.w.SetLatency(1, 0, c.way)
		h.answers[1] = []answer{{append: true, err: protocol.RequestTimedOut, late: 1000 * ms}}
		h.send("m1")
		h.rest()
		if got := h.events(outcomes...); !strings.HasPrefix(got, "m1 retried "+c.want) {
			t.Errorf("%v one way: %s, want m1 retried %s", c.way, got, c.want)
		}
	}
}

// A full buffer blocks send(), then fails it.
func TestBufferExhaustion(t *testing.T) {
	const small = "batch.size=100 buffer.memory=230 linger.ms=0 "
	sendBig := func(h *harness, names ...string) {
		var rs []record.Record
		for _, n := range names {
			rs = append(rs, record.Record{ID: n, Value: strings.Repeat("x", 30)})
		}
		h.command(&protocol.Command{Send: &protocol.SendCommand{Topic: "orders", Partition: -1, Records: rs}})
	}
	for _, c := range []struct{ version, want string }{
		{"4.0", "m3 rejected BufferExhaustedException"},
		{"2.5", "m3 rejected TimeoutException"},
		{"0.9", "m3 rejected TimeoutException"},
	} {
		h := newHarness(t, setup{version: c.version, config: small + "max.block.ms=500"})
		h.answers[1] = []answer{{append: true, late: 400 * ms}, {append: true, late: 2 * sim.Second}, {append: true, late: 2 * sim.Second}}
		sendBig(h, "m1", "m2", "m3", "m4") // m1 m2 fill the memory
		if r, since := h.producer().Blocked(); r == nil || r.ID != "m3" || since != 10*ms || h.producer().Pending() != 1 {
			t.Errorf("%s: blocked %v since %v, %d pending", c.version, r, since, h.producer().Pending())
		}
		h.until(300 * ms)
		h.want("nothing yet", h.events(new(event.RecordRejected)), "")
		h.until(600 * ms)
		h.want("m3 got m1's memory", h.events(new(event.RecordRejected)), "")
		h.rest()
		if !strings.Contains(h.events(outcomes...), "m3 acked") {
			t.Errorf("%s: %s", c.version, h.events(outcomes...))
		}

		h = newHarness(t, setup{version: c.version, config: small + "max.block.ms=500"})
		h.answers[1] = []answer{{append: true, late: sim.Second}, {append: true, late: sim.Second}}
		sendBig(h, "m1", "m2", "m3")
		h.until(509 * ms)
		h.want("nothing yet", h.events(new(event.RecordRejected)), "")
		h.until(510 * ms)
		h.want(c.version, h.events(new(event.RecordRejected)), c.want)
		h.rest()
		if free, total := h.producer().Memory(); free != total {
			t.Error("memory is lost")
		}
	}
}

// A send() that waits for memory makes all that is there due, whatever linger.ms says.
func TestExhaustedDoesNotLinger(t *testing.T) {
	h := newHarness(t, setup{version: "4.0", partitions: 3, config: "batch.size=100 buffer.memory=230 linger.ms=10000"})
	h.sendTo(0, "m1")
	h.sendTo(1, "m2")
	h.until(sim.Second)
	h.want("lingers", h.events(outcomes...), "")
	h.sendTo(2, "m3")
	h.until(2 * sim.Second)
	h.want("m3 wants memory", h.events(outcomes...), "m1 acked at 0, m2 acked at 0")
}

// A request holds at most max.request.size bytes of batches.
func TestMaxRequestSize(t *testing.T) {
	for config, want := range map[string]int{"linger.ms=1": 1, "linger.ms=1 max.request.size=130": 2} {
		h := newHarness(t, setup{version: "4.0", partitions: 2, config: config})
		h.sendTo(0, "m1")
		h.sendTo(1, "m2")
		h.rest()
		if h.seen[1] != want {
			t.Errorf("%s: %d requests", config, h.seen[1])
		}
	}
}

// A partition without a leader makes the producer ask until it has one.
func TestUnknownLeader(t *testing.T) {
	h := newHarness(t, setup{version: "4.0", config: "metadata.max.age.ms=100000"})
	h.lead(protocol.NoBroker, 1)
	h.until(101 * sim.Second)
	h.send("m1")
	h.until(105 * sim.Second)
	h.lead(1, 2)
	h.until(107 * sim.Second)
	h.want("outcomes", h.events(outcomes...), "m1 acked at 0")
}

// Before KIP-91 nothing expires behind a batch that is out, if only one may be.
func TestMutedDoesNotExpire(t *testing.T) {
	h := newHarness(t, setup{version: "2.0", config: "batch.size=1 retries=1 max.in.flight.requests.per.connection=1 request.timeout.ms=1000"})
	h.answers[1] = []answer{{err: protocol.NotEnoughReplicas, late: 900 * ms}, {append: true, late: 900 * ms}}
	h.send("m1", "m2")
	h.rest()
	h.want("outcomes", h.events(outcomes...), "m1 retried NOT_ENOUGH_REPLICAS (0 left), m1 acked at 0, m2 acked at 1")
}

// In 0.8.2 send() waits for memory for ever, or not at all.
func TestBlockOnBufferFull(t *testing.T) {
	for _, c := range []struct{ block, want string }{
		{"true", "m1 acked at 0, m2 acked at 1"},
		{"false", "m2 rejected BufferExhaustedException, m1 acked at 0"},
	} {
		h := newHarness(t, setup{version: "0.8.2", config: "batch.size=100 buffer.memory=100 block.on.buffer.full=" + c.block})
		h.answers[1] = []answer{{append: true, late: 10 * sim.Minute}}
		h.sendTo(0, "m1")
		h.until(20 * ms)
		h.sendTo(0, "m2")
		h.rest()
		h.want(c.block, h.events(outcomes...), c.want)
	}
}

// A topic that nobody knows makes send() wait for metadata, and those behind it wait too.
func TestWaitOnMetadata(t *testing.T) {
	h := newHarness(t, setup{version: "4.0", config: "max.block.ms=1000 linger.ms=0"})
	h.command(&protocol.Command{Send: &protocol.SendCommand{Topic: "absent", Partition: -1, Records: []record.Record{{ID: "a1"}}}})
	h.send("m1")
	h.until(sim.Second)
	h.want("m1 has to wait", h.events(new(event.RecordSent)), "a1 sent #1 to -1")
	h.rest()
	h.want("outcomes", h.events(outcomes...), "a1 rejected TimeoutException, m1 acked at 0")

	h = newHarness(t, setup{version: "4.0", config: "linger.ms=0"})
	h.sendTo(1, "m1") // a partition that is not there yet
	h.until(500 * ms)
	h.states = append(h.states, protocol.PartitionState{TP: protocol.TopicPartition{Topic: "orders", Partition: 1}, Leader: 1})
	h.rest()
	h.want("after the topic has grown", h.events(outcomes...), "m1 acked at 0")
}

// With acks=0 a batch is done when it is sent, whatever becomes of it.
func TestAcksZero(t *testing.T) {
	h := newHarness(t, setup{version: "4.0", config: "acks=0 enable.idempotence=false linger.ms=0"})
	h.send("m1")
	h.want("at once", h.events(outcomes...), "m1 acked at -1")
	h.rest()
	h.want("log", ids(h.logs[orders]), "m1")
	h.w.Kill(0)
	h.send("m2")
	h.rest()
	h.want("m2 went to a dead broker", h.events(outcomes...), "m1 acked at -1, m2 acked at -1")
	h.until(h.w.Now() + 10*ms)
	h.want("all it can know", h.events(new(event.ConnectionLost)), "connection to node 0 lost")
}

// NOT_LEADER_OR_FOLLOWER makes the producer ask for metadata and go to the new leader.
func TestNotLeader(t *testing.T) {
	h := newHarness(t, setup{version: "2.8", brokers: 2})
	h.lead(2, 1)
	h.send("m1")
	h.rest()
	h.want("events", h.events(new(event.RecordsBatched), new(event.BatchRetried), new(event.ClientMetadata), new(event.BatchAcked)),
		"m1 batched for b1, attempt 1, m1 retried NOT_LEADER_OR_FOLLOWER (-1 left), leader b2 epoch 1, m1 batched for b2, attempt 2, m1 acked at 0")
}

// From 3.6.1 a batch does not wait for retry.backoff.ms once a new leader is known.
func TestSkipBackoffOnNewLeader(t *testing.T) {
	for _, c := range []struct{ version, want string }{{"3.5", "b1 m1 @343ms, b2 m1 @665ms"}, {"3.7", "b1 m1 @343ms, b2 m1 @365ms"}} {
		h := newHarness(t, setup{version: c.version, brokers: 2, config: "retry.backoff.ms=300 metadata.max.age.ms=350"})
		h.answers[1] = []answer{{late: 20 * ms}}
		h.until(340 * ms)
		h.lead(2, 1)
		h.send("m1")
		h.rest()
		h.want(c.version, strings.Join(h.arrived, ", "), c.want)
	}
}

// The waits between the attempts: constant before 3.7, doubled from there on.
func TestRetryBackoff(t *testing.T) {
	no := answer{err: protocol.NotEnoughReplicas}
	for _, c := range []struct{ version, want string }{
		{"3.6", "11ms 113ms 215ms 317ms 419ms"},
		{"3.7", "11ms 113ms 315ms 717ms 1519ms"},
	} {
		h := newHarness(t, setup{version: c.version})
		h.answers[1] = []answer{no, no, no, no}
		h.send("m1")
		h.rest()
		var at []string
		for _, a := range h.arrived {
			at = append(at, a[strings.Index(a, "@")+1:])
		}
		h.want(c.version, strings.Join(at, " "), c.want)
	}
}

// What waits in the accumulator is gone with the process; the application has been told nothing.
func TestKillLosesAccumulator(t *testing.T) {
	h := newHarness(t, setup{version: "4.0", config: "linger.ms=5000"})
	h.send("m1", "m2")
	h.until(sim.Second)
	if q := h.producer().Queues()[0]; len(q.Batches) != 1 || ids(q.Batches[0].Records) != "m1 m2" || h.producer().State() != "buffering" {
		t.Errorf("accumulator %+v, %s", q, h.producer().State())
	}
	h.w.Kill(h.p)
	h.rest()
	h.w.Restart(h.p)
	h.until(2 * sim.Second)
	h.send("m3")
	h.rest()
	h.want("log", ids(h.logs[orders]), "m3")
	h.want("outcomes", h.events(outcomes...), "m3 acked at 0")
	h.want("submissions", h.events(new(event.RecordSent)), "m1 sent #1 to 0, m2 sent #2 to 0, m3 sent #1048577 to 0")
}

func TestFlushAndClose(t *testing.T) {
	h := newHarness(t, setup{version: "4.0", config: "linger.ms=5000"})
	h.send("m1")
	h.command(&protocol.Command{Flush: true})
	h.send("m2")
	h.want("m2 waits until flush() returns", h.events(new(event.RecordSent)), "m1 sent #1 to 0")
	h.until(20 * ms)
	h.want("flush does not linger", h.events(outcomes...), "m1 acked at 0")
	h.command(&protocol.Command{Close: true})
	h.want("close waits", h.producer().State(), "close() waits")
	h.rest()
	h.want("close does not linger", h.events(outcomes...), "m1 acked at 0, m2 acked at 1")
	if now := h.w.Now(); now > 30*ms {
		t.Errorf("closed at %v", now)
	}
	h.want("state", h.producer().State(), "closed")
	h.send("m3")
	h.want("after close", h.events(new(event.RecordRejected)), "m3 rejected IllegalStateException")
	if h.w.NextAt() != sim.Never {
		h.rest()
		h.until(h.w.Now() + sim.Minute)
		if h.w.NextAt() != sim.Never {
			t.Error("a closed producer still has timers")
		}
	}
}

func TestApplicationPolicies(t *testing.T) {
	no := answer{err: protocol.NotEnoughReplicas}
	for _, c := range []struct {
		policy    OnError
		log, sent string
		state     string
	}{
		{Drop, "m2 m3", "m1 sent #1 to 0, m2 sent #2 to 0, m3 sent #3 to 0", "idle"},
		{Resend, "m2 m1 m3", "m1 sent #1 to 0, m2 sent #2 to 0, m1 sent #3 to 0, m3 sent #4 to 0", "idle"},
		{Stop, "m2", "m1 sent #1 to 0, m2 sent #2 to 0", "closed"},
	} {
		h := newHarness(t, setup{version: "2.0", config: "batch.size=1", app: Application{OnError: c.policy}})
		h.answers[1] = []answer{no}
		h.send("m1", "m2")
		h.rest()
		h.send("m3")
		h.rest()
		h.want(c.policy.String()+": log", ids(h.logs[orders]), c.log)
		h.want(c.policy.String()+": calls", h.events(new(event.RecordSent)), c.sent)
		h.want(c.policy.String()+": state", h.producer().State(), c.state)
	}
}

// An error that can not be retried is not sent again, and an application that tries again at once does not
// keep the Sender from its turn.
func TestResendEnds(t *testing.T) {
	h := newHarness(t, setup{version: "4.0", config: "linger.ms=0", app: Application{OnError: Resend}})
	h.answers[1] = []answer{{err: protocol.MessageTooLarge}}
	h.send("m1")
	h.rest()
	h.want("outcomes", h.events(outcomes...), "m1 failed MESSAGE_TOO_LARGE (not written)")

	h = newHarness(t, setup{version: "4.0", config: "linger.ms=0 batch.size=100 buffer.memory=100 max.block.ms=0", app: Application{OnError: Resend}})
	h.sendTo(0, "m1")
	h.send("m2")
	h.rest()
	h.want("log", ids(h.logs[orders]), "m1 m2")
}

func TestPartitions(t *testing.T) {
	// The partitions are those of Kafka's murmur2 over ten partitions.
	h := newHarness(t, setup{version: "4.0", partitions: 10, config: "linger.ms=0"})
	for _, k := range []string{"21", "foobar", "a-little-bit-long-string", "a-little-bit-longer-string", "abc"} {
		h.command(&protocol.Command{Send: &protocol.SendCommand{Topic: "orders", Partition: -1,
			Records: []record.Record{{ID: k, Key: k, HasKey: true, Value: "v"}}}})
		h.rest()
		want := record.PartitionForKey(k, 10)
		if l := h.logs[protocol.TopicPartition{Topic: "orders", Partition: int32(want)}]; len(l) == 0 || l[len(l)-1].ID != k {
			t.Errorf("key %s is not in partition %d", k, want)
		}
	}
}

// Records without a key: one by one in turn before 2.4, a batch to a partition then, from 3.3 at least
// batch.size bytes (two batches of 70 here). Which partition comes next is drawn.
func TestKeylessPartitions(t *testing.T) {
	for _, c := range []struct {
		version, config string
		together        bool
		want            string
	}{
		{"2.3", "", true, "1 2 0 1 2 0 1 2 0 1"},
		{"2.4", "", true, "2 2 2 2 2 2 2 2 2 2"},
		{"2.4", "", false, "2 0 2 1 2 1 2 1 2 1"}, // never twice the same
		{"3.3", "", true, "0 0 0 0 0 0 0 0 0 0"},
		{"3.3", "batch.size=100", false, "0 0 2 2 0 0 2 2 2 2"},
	} {
		h := newHarness(t, setup{version: c.version, partitions: 3, config: c.config})
		names := []string{"m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "m9", "m10"}
		if c.together {
			h.send(names...)
		}
		for i := range names {
			if !c.together {
				h.send(names[i])
			}
			h.rest()
		}
		var got []string
		for _, s := range strings.Split(h.events(new(event.RecordSent)), ", ") {
			got = append(got, s[len(s)-1:])
		}
		h.want(c.version+" "+c.config, strings.Join(got, " "), c.want)
	}
}

// A retry in one run and the same run again give the same bytes.
func TestDeterministic(t *testing.T) {
	run := func(name string) uint64 {
		h := newHarness(t, setup{version: "4.0", brokers: 3, partitions: 3, config: "batch.size=200"})
		h.answers[1] = []answer{{hangUp: true}, {silent: true}}
		h.send("m1", "m2", "m3", "m4", name)
		h.rest()
		h.w.Kill(1)
		h.send("m6", "m7", "m8")
		h.until(h.w.Now() + sim.Second)
		h.w.Restart(1)
		h.rest()
		return h.w.Hash()
	}
	if first, second := run("m5"), run("m5"); first != second {
		t.Error("two runs differ")
	}
	if run("m5") == run("m55") {
		t.Error("other records, same hash")
	}
}

// ShutDown sends what is buffered, closes the producer and ends the process, also one whose application has
// stopped by itself.
func TestShutDown(t *testing.T) {
	h := newHarness(t, setup{version: "2.8", config: "linger.ms=60000"})
	h.send("m1")
	h.command(&protocol.Command{ShutDown: true})
	h.until(sim.Second)
	h.want("log", ids(h.logs[orders]), "m1")
	if s := h.w.State(h.p); s != sim.Down {
		t.Errorf("the process is %v", s)
	}
	h = newHarness(t, setup{version: "2.8", config: "retries=0", app: Application{OnError: Stop}})
	h.answers[1] = []answer{{err: protocol.NotEnoughReplicas}}
	h.send("m1")
	h.rest()
	h.command(&protocol.Command{ShutDown: true})
	h.until(h.w.Now() + sim.Second)
	if s := h.w.State(h.p); s != sim.Down {
		t.Errorf("after the application stopped, the process is %v", s)
	}
}

// A batch expires while its second attempt is out. Its memory comes back at once, or when that is over (KAFKA-19012).
func TestMemoryOfABatchThatExpiresInFlight(t *testing.T) {
	for version, kept := range map[string]bool{"2.8": false, "3.9.1": false, "3.9.2": true, "4.0.1": false, "4.0.2": true, "4.1.1": false, "4.1.2": true, "4.2.0": true} {
		h := newHarness(t, setup{version: version, config: "linger.ms=0 request.timeout.ms=600 delivery.timeout.ms=1000 retry.backoff.ms=100"})
		h.answers[1] = []answer{{silent: true}, {silent: true}}
		pool := &h.producer().accumulator.free
		h.send("m1")
		h.until(1100 * sim.Millisecond)
		if h.events(new(event.BatchFailed)) == "" || (pool.available < pool.total) != kept {
			t.Errorf("%s: %d of %d bytes are free while the request is out; %s", version, pool.available, pool.total, h.events(new(event.BatchFailed)))
		}
		if h.until(2 * sim.Second); pool.available != pool.total {
			t.Errorf("%s: %d of %d bytes are free in the end", version, pool.available, pool.total)
		}
	}
}
