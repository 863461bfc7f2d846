package story

import (
	"reflect"
	"strings"
	"testing"

	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/scenarios"
	"kafkatrial/sim"
)

// fill puts something into every field of an event.
func fill(e event.Event, tp protocol.TopicPartition, batch *record.RecordBatch) {
	v := reflect.ValueOf(e).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Interface().(type) {
		case protocol.TopicPartition:
			f.Set(reflect.ValueOf(tp))
		case *record.RecordBatch:
			f.Set(reflect.ValueOf(batch))
		case []*record.RecordBatch:
			f.Set(reflect.ValueOf([]*record.RecordBatch{batch}))
		case *record.Record:
			f.Set(reflect.ValueOf(&batch.Records[0]))
		case []event.Consumed:
			f.Set(reflect.ValueOf([]event.Consumed{{TP: tp, Record: &batch.Records[0]}}))
		case *protocol.Row:
			f.Set(reflect.ValueOf(&protocol.Row{Table: "orders"}))
		case []protocol.BrokerID:
			f.Set(reflect.ValueOf([]protocol.BrokerID{1, 2}))
		default:
			switch {
			case f.Kind() == reflect.String:
				f.SetString("x")
			case f.CanInt():
				f.SetInt(1)
			case f.CanUint():
				f.SetUint(1)
			}
		}
	}
}

// Every kind of event has its sentence, but for those that the catalogue calls routine: a new kind does not pass unnoticed.
func TestEveryEventIsTold(t *testing.T) {
	r := open(t, "calm", scenarios.Options{})
	r.Finish()
	s := New(r, Options{})
	batch := record.NewBatch([]record.Record{{ID: "m1"}}).WithOffset(1, 0)
	for _, e := range event.Empty() {
		fill(e, s.only, batch)
		st := sim.Step{Kind: sim.StepTimer, Node: 0, Peer: sim.Nobody}
		c := clause{s: s, st: &st, events: []sim.Recorded{{Event: e}}}
		text := c.of(0)
		if e.Kind().Routine != (text == "") {
			t.Errorf("%s is told as %q", e.Kind().ID, text)
		}
		if strings.Contains(text, "%!") || strings.HasSuffix(text, ".") || strings.Contains(text, "  ") {
			t.Errorf("%s: %q", e.Kind().ID, text)
		}
	}
}

// TestEveryRuleOfTruncationIsTold: a rule without words would be passed over.
func TestEveryRuleOfTruncationIsTold(t *testing.T) {
	for _, rule := range event.TruncationRules {
		if truncationRules[rule] == "" {
			t.Errorf("nobody says what %q means", rule)
		}
	}
}

func TestClauses(t *testing.T) {
	r := open(t, "calm", scenarios.Options{})
	r.Finish()
	s := New(r, Options{})
	m := func(ids ...string) *record.RecordBatch {
		var rs []record.Record
		for _, id := range ids {
			rs = append(rs, record.Record{ID: id})
		}
		return record.NewBatch(rs).WithOffset(0, 0)
	}
	other := protocol.TopicPartition{Topic: "orders", Partition: 1}
	fetch := sim.Step{Kind: sim.StepDeliver, Node: 0, Peer: 1, Msg: &protocol.Fetch{Replica: 2, Data: []protocol.FetchData{{TP: s.only, Offset: 2}}}}
	alone := sim.Step{Kind: sim.StepTimer, Node: 0, Peer: sim.Nobody}
	for _, c := range []struct {
		step  *sim.Step
		event sim.Event
		want  string
	}{
		{&alone, &event.LeaderAppended{TP: s.only, LogEndOffset: 2, Batch: m("m1", "m2")}, "appends m1 m2 at offsets 0–1"},
		{&alone, &event.LeaderAppended{TP: other, LogEndOffset: 1, Batch: m("m1")}, "appends m1 at offset 0 of orders-1"},
		{&fetch, &event.HighWatermark{TP: s.only, From: 1, To: 2, Leader: true}, "sees that b2 has all below 2: HW 1 → 2"},
		{&alone, &event.HighWatermark{TP: s.only, From: 1, To: 2, Leader: true}, "raises HW 1 → 2"},
		{&alone, &event.HighWatermark{TP: s.only, From: 2, To: 1}, "lowers its HW 2 → 1"},
		{&alone, &event.Truncated{TP: s.only, OldEnd: 2, Rule: event.ToHighWatermark, Cut: []*record.RecordBatch{m("m1", "m2")}}, "truncates its log to 0, to its own high watermark: m1 m2 cut"},
		{&alone, &event.LeaderElected{TP: s.only, Leader: 2, LeaderEpoch: 3, Unclean: true, ISR: []protocol.BrokerID{2}}, "elects b2 leader, epoch 3, UNCLEANLY: it was not in the ISR, which is now {b2}"},
		{&alone, &event.LeaderElected{TP: s.only, Leader: 2, LeaderEpoch: 3, ISR: []protocol.BrokerID{2, 3}}, "elects b2 leader, epoch 3; ISR {b2 b3}"},
		{&alone, &event.BecameFollower{TP: s.only, LeaderEpoch: 3, Leader: protocol.NoBroker}, "learns that the partition has no leader (epoch 3)"},
		{&alone, &event.BatchFailed{TP: s.only, Err: protocol.RequestTimedOut, Batch: m("m1")}, "gives up m1: REQUEST_TIMED_OUT; it may have been written"},
		{&alone, &event.ProducerStateForgotten{TP: s.only, ProducerID: 7, Why: event.Expired}, "forgets the sequence numbers of producer id 7, which has been idle for producer.id.expiration.ms"},
		{&alone, &event.ProducerStateForgotten{TP: s.only, ProducerID: 7, Why: event.Deleted}, "forgets the sequence numbers of producer id 7 with the last of its records"},
		{&alone, &event.ProducerIDDropped{TP: s.only, ProducerID: 7, Why: event.BatchesExpired}, "gives up producer id 7, to ask for another: batches expired that may have been written"},
		{&alone, &event.ProducerIDDropped{TP: s.only, ProducerID: 7, Why: event.BatchExpired}, "gives up producer id 7, to ask for another: a batch expired that may have been written"},
		{&alone, &event.ProducerIDDropped{TP: s.only, ProducerID: 7, Why: event.BatchRefused, Err: protocol.UnknownProducerID}, "gives up producer id 7, to ask for another: UNKNOWN_PRODUCER_ID"},
		{&alone, &event.DatabaseRolledBack{Number: 3, Client: sim.Nobody, Why: event.AsAsked}, "rolls back transaction 3 of another program, as asked"},
		{&alone, &event.DatabaseRolledBack{Number: 3, Client: sim.Nobody, Why: event.AsAsked, Prepared: "t1"}, "rolls back transaction 3 of another program, as asked (t1 was prepared)"},
		{&alone, &event.DatabaseRolledBack{Number: 3, Client: sim.Nobody, Why: event.SessionGone}, "rolls back transaction 3 of another program, its session is gone"},
		{&alone, &event.DatabaseRolledBack{Number: 3, Client: sim.Nobody, Why: event.Refused, Err: protocol.DbSerialization}, "rolls back transaction 3 of another program, could not serialize access due to concurrent update"},
		{&alone, &event.BatchAcked{TP: s.only, Acks: protocol.AcksAll, Batch: m("a", "b", "c", "d", "e", "f", "g")}, "learns that a b … g (7 records) are acknowledged"},
	} {
		got := (&clause{s: s, st: c.step, events: []sim.Recorded{{Event: c.event}}}).of(0)
		if got != c.want {
			t.Errorf("\ngot:  %s\nwant: %s", got, c.want)
		}
	}
}

// What a step says twice is told once.
func TestClausesOfOneStep(t *testing.T) {
	r := open(t, "calm", scenarios.Options{})
	r.Finish()
	s := New(r, Options{})
	rec := &record.Record{ID: "m1", Producer: 5, Submission: 1}
	sent := sim.Recorded{Event: &event.RecordSent{TP: s.only, Submission: 1, Record: rec}}
	batched := sim.Recorded{Event: &event.RecordsBatched{TP: s.only, Attempt: 1, Broker: 1, Batch: record.NewBatch([]record.Record{*rec})}}
	st := sim.Step{Kind: sim.StepTimer}
	both := clause{s: s, st: &st, events: []sim.Recorded{sent, batched}}
	if got := both.of(0) + "|" + both.of(1); !strings.HasPrefix(got, "|sends m1") {
		t.Errorf("send and batch in one step: %q", got)
	}
	only := clause{s: s, st: &st, events: []sim.Recorded{sent}}
	if got := only.of(0); got != "calls send(m1)" {
		t.Errorf("send alone: %q", got)
	}
	fetched := sim.Recorded{Event: &event.Fetched{TP: s.only, NextOffset: 1, Broker: 1}}
	polled := sim.Recorded{Event: &event.Polled{TP: s.only, NextOffset: 1, Records: []event.Consumed{{TP: s.only, Record: rec}}}}
	read := clause{s: s, st: &st, events: []sim.Recorded{fetched, polled}}
	if got := read.of(0) + "|" + read.of(1); got != "|gets m1 from poll()" {
		t.Errorf("fetch and poll in one step: %q", got)
	}
}
