package producer

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kafkatrial/model/client"
	"kafkatrial/model/config"
	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/model/referencecase"
	"kafkatrial/model/release"
	"kafkatrial/sim"
)

func TestReferenceCasesProducer(t *testing.T) {
	referencecase.Run(t, filepath.Join("..", "testdata", "kafka-cases"), map[string]referencecase.Runner{
		"accumulator":      runAccumulatorCase,
		"partitioner_rule": runPartitionerCase,
		"producer_rule":    runProducerRuleCase,
	})
}

// accumulatorCase drives a RecordAccumulator alone, with the metadata of a producer that does nothing.
type accumulatorCase struct {
	t       *testing.T
	h       *harness
	a       RecordAccumulator
	txn     TransactionManager
	now     sim.Time
	named   map[string]*ProducerBatch // what was drained, as the case calls it
	results []any                     // the expected ones, of the operations left
}

func runAccumulatorCase(t *testing.T, given, expect *referencecase.Fields) {
	f := given.Sub("config")
	leaders := f.List("leaders")
	c := &accumulatorCase{t: t, h: newHarness(t, setup{version: "4.0", brokers: 9, partitions: len(leaders)}), named: map[string]*ProducerBatch{},
		results: slices.Clone(expect.List("results"))}
	for i, v := range leaders {
		leader := int64(protocol.NoBroker)
		if v != nil {
			leader, _ = referencecase.Number(v)
		}
		c.lead(int32(i), protocol.BrokerID(leader), 0)
	}
	f.Has("node_partition_order") // what is drained is compared as a set
	cfg := &Config{Magic: 2, BatchSize: int(f.Must("batch_size")), BufferMemory: f.Must("buffer_memory"), Linger: sim.Time(f.Must("linger_ms")) * sim.Millisecond,
		DeliveryTimeout: sim.Time(f.Must("delivery_timeout_ms")) * sim.Millisecond, MaxRequestSize: 1 << 20}
	cfg.Net.RetryBackoff = sim.Time(f.Must("retry_backoff_ms")) * sim.Millisecond
	cfg.Net.RetryBackoffMax = sim.Time(f.Must("retry_backoff_max_ms")) * sim.Millisecond
	f.Done()
	rules := release.Of(release.Version{Major: 4})
	c.a, c.txn = newRecordAccumulator(cfg, &rules, 9), newTransactionManager(cfg, &rules)
	referencecase.EachStep(t, given, expect, "results", c.step)
}

// lead changes who leads a partition, and lets the producer hear of it.
func (c *accumulatorCase) lead(partition int32, leader protocol.BrokerID, epoch int) {
	s := c.h.state(protocol.TopicPartition{Topic: "orders", Partition: partition})
	s.Leader, s.LeaderEpoch = leader, epoch
	p := c.h.producer()
	for before := p.net.Metadata().Version(); p.net.Metadata().Version() == before; {
		p.net.Metadata().RequestUpdate()
		c.h.until(c.h.w.Now() + sim.Minute)
	}
}

func (c *accumulatorCase) step(op *referencecase.Fields) map[string]any {
	want, _ := c.results[0].(map[string]any)
	c.results = c.results[1:]
	a, got := &c.a, map[string]any{}
	queue := func() *PartitionQueue {
		return a.queue(protocol.TopicPartition{Topic: "orders", Partition: int32(op.Must("partition"))})
	}
	switch name := op.Text("op", ""); name {
	case "append":
		c.append(queue(), op, got)
	case "ready":
		c.ready(want, got)
	case "drain":
		c.drain(op, want, got)
	case "sleep":
		c.now += sim.Time(op.Must("ms")) * sim.Millisecond
	case "mute":
		queue().Muted = true
	case "unmute":
		queue().Muted = false
	case "reenqueue":
		b := c.batch(op)
		a.reenqueue(a.queue(b.TP), b, c.now)
		got["attempts"] = b.Attempts
	case "complete":
		a.complete(c.batch(op))
		a.deallocate(c.batch(op))
		got["buffer_available"] = a.free.available
	case "expired":
		expired := []any{}
		for _, b := range a.takeExpired(c.now, nil) {
			expired = append(expired, map[string]any{"partition": b.TP.Partition, "records": len(b.Records)})
		}
		got["expired"] = expired
	case "flush":
		a.flushUpTo = a.created
	case "close":
		a.closed = true
	case "queue":
		counts := []int{}
		for _, b := range queue().Batches {
			counts = append(counts, len(b.Records))
		}
		got["queue"] = counts
	case "leader":
		c.lead(int32(op.Must("partition")), protocol.BrokerID(op.Must("leader")), int(op.Must("leader_epoch")))
	default: // among them split: no batch is too large for a broker
		op.Unknown("operation", name)
	}
	return got
}

// append puts count records without a key into a partition's queue, as RecordAccumulator.append does.
func (c *accumulatorCase) append(q *PartitionQueue, op *referencecase.Fields, got map[string]any) {
	created, full := 0, 0
	r := record.Record{Value: strings.Repeat("v", int(op.Must("value_bytes")))}
	for range op.Must("count") {
		if _, ok := c.a.tryAppend(q, &r, c.now); !ok {
			if _, ok = c.a.appendNewBatch(q, &r, c.now); !ok {
				got["error"] = protocol.BufferExhausted.String()
				break
			}
			created++
		}
		if len(q.Batches) > 1 || q.last().isFull() {
			full++
		}
	}
	got["new_batches"], got["batch_full_flags"], got["queued_batches"], got["buffer_available"] = created, full, len(q.Batches), c.a.free.available
}

func (c *accumulatorCase) ready(want, got map[string]any) {
	var r readyCheck
	c.a.ready(c.h.producer().net.Metadata(), false, c.now, &r)
	got["ready_nodes"], got["unknown_leader"], got["next_check_ms"] = r.brokers, r.unknownLeader, nil
	next := min(r.lingerAt, r.backoffAt)
	if next == sim.Never {
		return
	}
	got["next_check_ms"] = (next - c.now).Ms()
	if bounds, ok := want["next_check_ms"].(map[string]any); ok && within((next-c.now).Ms(), bounds["between"]) {
		got["next_check_ms"] = bounds // the model's backoffs have no jitter
	}
}

// within says that n lies between the two bounds of a list.
func within(n int64, bounds any) bool {
	pair, _ := referencecase.Plain(bounds).([]any)
	if len(pair) != 2 {
		return false
	}
	low, _ := pair[0].(int64)
	high, _ := pair[1].(int64)
	return low <= n && n <= high
}

// drain names what is drained as the case does, by the partition: a drain takes one batch of each at most.
func (c *accumulatorCase) drain(op *referencecase.Fields, want, got map[string]any) {
	c.a.cfg.MaxRequestSize = int(op.Num("max_size", 1<<20))
	expected, _ := want["drained"].(map[string]any)
	drained := map[string]any{}
	for _, node := range op.Ints("nodes") {
		name := protocol.BrokerName(node)[1:]
		var have []any
		taken := c.a.drain(c.h.producer().net.Metadata(), &c.txn, protocol.BrokerID(node), c.now)
		list, _ := expected[name].([]any)
		for _, v := range list {
			m, _ := referencecase.Plain(v).(map[string]any)
			if i := slices.IndexFunc(taken, func(b *ProducerBatch) bool { return int64(b.TP.Partition) == m["partition"] }); i >= 0 {
				b := taken[i]
				taken = slices.Delete(taken, i, i+1)
				c.a.queue(b.TP).InFlight = nil // they are the Sender's
				batch, _ := m["batch"].(string)
				c.named[batch] = b
				have = append(have, map[string]any{"batch": batch, "partition": b.TP.Partition, "records": len(b.Records)})
			}
		}
		for _, b := range taken {
			have = append(have, map[string]any{"partition": b.TP.Partition, "records": len(b.Records)})
		}
		drained[name] = have
	}
	got["drained"] = drained
}

func (c *accumulatorCase) batch(op *referencecase.Fields) *ProducerBatch {
	b := c.named[op.Text("batch", "")]
	if b == nil {
		c.t.Fatalf("%s: no batch %v was drained", op.Path(), op.Raw("batch"))
	}
	return b
}

// partitionerCase makes a topic, some partitions of which have no leader.
func partitionerCase(t *testing.T, given *referencecase.Fields) (*client.Metadata, *partitioner, *topicPartitioner) {
	h := newHarness(t, setup{version: "4.0", brokers: 3, partitions: int(given.Num("partitions", 3))})
	for _, p := range given.Ints("leaderless_partitions") {
		h.state(protocol.TopicPartition{Topic: "orders", Partition: int32(p)}).Leader = protocol.NoBroker
	}
	h.producer().net.Metadata().RequestUpdate()
	h.until(sim.Minute)
	p := &partitioner{}
	return h.producer().net.Metadata(), p, p.topic("orders")
}

func runPartitionerCase(t *testing.T, given, expect *referencecase.Fields) {
	m, p, topic := partitionerCase(t, given)
	got := map[string]any{}
	switch {
	case given.Has("queue_sizes"):
		t.Skip("adaptive partitioning does not look at queues")
	case given.Has("key_hex"):
		r := record.Record{HasKey: true, Key: given.Text("key_hex", "")}
		got["same_partition_with_and_without_leader"] = byKey(&r, m.PartitionCount("orders")) == int32(record.PartitionForKey(r.Key, int(given.Num("partitions", 3))))
	case given.Has("append_bytes"): // every append may switch; which partition comes next is the model's own draw
		given.Has("random_sequence")
		var per, want []int64
		for _, v := range expect.List("partition_per_append") {
			n, _ := referencecase.Number(v)
			want = append(want, n)
		}
		at := 0
		for _, bytes := range given.Ints("append_bytes") {
			per = append(per, want[min(at, len(want)-1)])
			p.appended(topic, m, bytes, int(given.Must("sticky_batch_size")), true)
			if topic.bytes == 0 {
				at = len(per)
			}
		}
		got["partition_per_append"] = per
	case given.Has("sticky_batch_size"):
		runStickyCase(given, m, p, topic, got)
	default:
		t.Skipf("no test for a rule about %v", given.Keys())
	}
	given.Done()
	expect.Compare(got)
}

// runStickyCase appends to whatever partition records without a key stick to.
func runStickyCase(given *referencecase.Fields, m *client.Metadata, p *partitioner, topic *topicPartitioner, got map[string]any) {
	size := int(given.Must("sticky_batch_size"))
	if n, ok := referencecase.Number(given.Raw("appends")); ok {
		given.Has("appends")
		chosen, never := []int32{}, []int32{}
		for range n {
			if c := p.stick(topic, m); !slices.Contains(chosen, c) {
				chosen = append(chosen, c)
			}
			p.appended(topic, m, size, size, true)
		}
		slices.Sort(chosen)
		for i := range int32(m.PartitionCount("orders")) {
			if !slices.Contains(chosen, i) {
				never = append(never, i)
			}
		}
		got["chosen_set"], got["never_chosen"] = chosen, never
		return
	}
	switched := []bool{}
	for _, v := range given.List("appends") { // bytes, and whether a switch is enabled
		pair, _ := referencecase.Plain(v).([]any)
		bytes, _ := pair[0].(int64)
		enabled, _ := pair[1].(bool)
		p.appended(topic, m, int(bytes), size, enabled)
		switched = append(switched, topic.bytes == 0)
	}
	got["switched_after_append"] = switched
}

// runProducerRuleCase holds single rules against the part of the producer that has them.
func runProducerRuleCase(t *testing.T, given, expect *referencecase.Fields) {
	got := map[string]any{}
	switch {
	case given.Has("attempt"):
		backoff := client.Backoff(sim.Time(given.Must("retry_backoff_ms"))*sim.Millisecond, sim.Time(given.Must("retry_backoff_max_ms"))*sim.Millisecond,
			int(given.Must("attempt"))-1).Ms()
		if bounds := expect.Raw("backoff_ms_between"); within(backoff, bounds) {
			got["backoff_ms_between"] = bounds
		} else {
			got["backoff_ms_between"] = backoff
		}
	case given.Has("queue_base_sequences"):
		got["queue_base_sequences"] = reenqueued(given.Ints("queue_base_sequences"), int32(given.Must("reenqueue_base_sequence")))
		given.Flag("idempotent", true)
	case given.Has("producer_id_valid"):
		h := newHarness(t, setup{version: "4.0", config: "enable.idempotence=true"})
		if !given.Flag("producer_id_valid", false) {
			h.producer().txn.id = noProducerID
			h.initErrors = []protocol.Error{protocol.CoordinatorLoadInProgress}
		}
		h.send("m1")
		h.until(50 * sim.Millisecond)
		got["drains"] = len(h.arrived) > 0
		given.Flag("idempotent", true)
	case given.Has("transaction_completing"):
		got["ready"] = readyWhile(t, given.Flag("transaction_completing", false), given.Must("linger_ms"), given.Must("waited_ms"))
		given.Flag("transactional", true)
	case given.Has("max_in_flight_requests_per_connection"):
		h := newHarness(t, setup{version: "4.0", config: "max.in.flight.requests.per.connection=" + string(rune('0'+given.Must("max_in_flight_requests_per_connection")))})
		h.answers[1] = []answer{{append: true, late: sim.Second}}
		before := h.producer().accumulator.queue(orders).Muted
		h.send("m1")
		h.until(100 * sim.Millisecond)
		during := h.producer().accumulator.queue(orders).Muted
		h.until(2 * sim.Second)
		got["partition_muted_between"] = nil
		if !before && during && !h.producer().accumulator.queue(orders).Muted {
			got["partition_muted_between"] = "drain and response"
		}
	case given.Has("delivery_timeout_ms"):
		got["error"] = deliveryTimeoutError(t, given)
	case given.Has("serialized_size_upper_bound"):
		h := newHarness(t, setup{version: "4.0", config: fmt.Sprintf("max.request.size=%d", given.Must("max_request_size"))})
		overhead := sizeUpperBound(2, &record.Record{})
		got["error"] = nil
		if h.producer().tooLarge(&record.Record{Value: strings.Repeat("v", int(given.Must("serialized_size_upper_bound"))-overhead)}) {
			got["error"] = "RecordTooLargeException"
		}
	case given.Text("error", "") == "DUPLICATE_SEQUENCE_NUMBER":
		h := newHarness(t, setup{version: "4.0", config: "enable.idempotence=true"})
		h.answers[1] = []answer{{err: protocol.DuplicateSequenceNumber}}
		h.send("m1")
		h.rest()
		if events := h.events(new(event.BatchAcked), new(event.BatchFailed)); events == "m1 acked at -1" {
			got["action"] = "complete as success with unknown offset -1"
		} else {
			got["action"] = events
		}
	default:
		t.Skipf("no test for a rule about %v", given.Keys())
	}
	given.Done()
	expect.Compare(got)
}

// deliveryTimeoutError says whether the producer refuses its settings.
func deliveryTimeoutError(t *testing.T, given *referencecase.Fields) any {
	v := config.New(config.Producer, release.Version{Major: 4})
	set := map[string]int64{"linger.ms": given.Must("linger_ms"), "request.timeout.ms": given.Must("request_timeout_ms")}
	if timeout := given.Must("delivery_timeout_ms"); given.Flag("delivery_timeout_set_by_user", true) {
		set["delivery.timeout.ms"] = timeout
	}
	for key, n := range set {
		if err := v.Set(key, fmt.Sprint(n)); err != nil {
			t.Fatal(err)
		}
	}
	if v.Check() != nil {
		return "ConfigException"
	}
	return nil
}

// reenqueued gives the order of a queue, by sequence numbers, after a batch has come back.
func reenqueued(queue []int, back int32) []int32 {
	rules := release.Of(release.Version{Major: 4})
	a := newRecordAccumulator(&Config{BufferMemory: 1 << 20}, &rules, 1)
	numbered := func(sequence int32) *ProducerBatch {
		b := &ProducerBatch{TP: orders, Records: make([]record.Record, 1)}
		b.close()
		b.setProducerState(ProducerIDAndEpoch{1, 0}, sequence)
		return b
	}
	q := a.queue(orders)
	for _, sequence := range queue {
		q.Batches = append(q.Batches, numbered(int32(sequence)))
	}
	a.reenqueue(q, numbered(back), 0)
	out := []int32{}
	for _, b := range q.Batches {
		out = append(out, b.baseSequence())
	}
	return out
}

// readyWhile says whether a batch is due that has waited for some of its linger.ms, while a transaction completes or
// not.
func readyWhile(t *testing.T, completing bool, linger, waited int64) bool {
	h := newHarness(t, setup{version: "4.0"})
	rules := release.Of(release.Version{Major: 4})
	a := newRecordAccumulator(&Config{Magic: 2, BatchSize: 1 << 14, BufferMemory: 1 << 20, Linger: sim.Time(linger) * sim.Millisecond}, &rules, 1)
	q := a.queue(orders)
	a.appendNewBatch(q, &record.Record{Value: "v"}, 0)
	var r readyCheck
	a.ready(h.producer().net.Metadata(), completing, sim.Time(waited)*sim.Millisecond, &r)
	return len(r.brokers) > 0
}
