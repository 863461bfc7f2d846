package story

import (
	"strings"
	"testing"

	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/scenarios"
	"kafkatrial/sim"
)

// silent are the events of which nothing is said on purpose.
var silent = map[sim.EventKind]string{
	event.VerbBegan: "the program counter shows in the stepper",
}

// Every kind of event has its sentence: a new kind does not pass unnoticed.
func TestEveryFactIsTold(t *testing.T) {
	r := open(t, "calm", scenarios.Options{})
	r.Finish()
	s := New(r, Options{})
	batch := record.NewBatch([]record.Record{{ID: "m1"}}).WithOffset(1, 0)
	for kind := event.None + 1; kind < event.NumKinds; kind++ {
		f := event.About(kind, s.only, 1, 2, 0)
		f.Text, f.Ref = "1,2", batch
		switch kind {
		case event.RecordSent:
			f.Ref = &batch.Records[0]
		case event.RowInserted, event.RowUnchanged, event.RowMarked:
			f.Ref = &protocol.Row{Table: "orders"}
		case event.Polled, event.RowsRead:
			f.Ref = []event.Consumed{{TP: s.only, Record: &batch.Records[0]}}
		}
		st := sim.Step{Kind: sim.StepTimer, Node: 0, Peer: sim.Nobody}
		c := clause{s: s, st: &st, events: []sim.Event{f}}
		text := c.of(0)
		if _, quiet := silent[kind]; quiet != (text == "") {
			t.Errorf("event %d is told as %q", kind, text)
		}
		if strings.Contains(text, "%!") || strings.HasSuffix(text, ".") || strings.Contains(text, "  ") {
			t.Errorf("event %d: %q", kind, text)
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
	with := func(f sim.Event, text string, ref any) sim.Event {
		f.Text, f.Ref = text, ref
		return f
	}
	fetch := sim.Step{Kind: sim.StepDeliver, Node: 0, Peer: 1, Msg: &protocol.Fetch{Replica: 2, Data: []protocol.FetchData{{TP: s.only, Offset: 2}}}}
	alone := sim.Step{Kind: sim.StepTimer, Node: 0, Peer: sim.Nobody}
	for _, c := range []struct {
		step  *sim.Step
		event sim.Event
		want  string
	}{
		{&alone, with(event.About(event.LeaderAppended, s.only, 0, 2, 1), "", m("m1", "m2")), "appends m1 m2 at offsets 0–1"},
		{&alone, with(event.About(event.LeaderAppended, other, 0, 1, 1), "", m("m1")), "appends m1 at offset 0 of orders-1"},
		{&fetch, event.About(event.HighWatermark, s.only, 1, 2, 1), "sees that b2 has all below 2: HW 1 → 2"},
		{&alone, event.About(event.HighWatermark, s.only, 1, 2, 1), "raises HW 1 → 2"},
		{&alone, event.About(event.HighWatermark, s.only, 2, 1, 0), "lowers its HW 2 → 1"},
		{&alone, with(event.About(event.Truncated, s.only, 0, 2, 0), "to its own high watermark", []*record.RecordBatch{m("m1", "m2")}), "truncates its log to 0, to its own high watermark: m1 m2 cut"},
		{&alone, with(event.About(event.LeaderElected, s.only, 2, 3, 1), "2", nil), "elects b2 leader, epoch 3, UNCLEANLY: it was not in the ISR, which is now {b2}"},
		{&alone, with(event.About(event.LeaderElected, s.only, 2, 3, 0), "2,3", nil), "elects b2 leader, epoch 3; ISR {b2 b3}"},
		{&alone, event.About(event.BecameFollower, s.only, 3, -1, 0), "learns that the partition has no leader (epoch 3)"},
		{&alone, with(event.About(event.BatchFailed, s.only, int64(protocol.RequestTimedOut), 0, 0), "", m("m1")), "gives up m1: REQUEST_TIMED_OUT; it may have been written"},
		{&alone, with(event.About(event.BatchAcked, s.only, 0, -1, 0), "", m("a", "b", "c", "d", "e", "f", "g")), "learns that a b … g (7 records) are acknowledged"},
	} {
		got := (&clause{s: s, st: c.step, events: []sim.Event{c.event}}).of(0)
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
	sent := event.About(event.RecordSent, s.only, 1, 0, 0)
	sent.Text, sent.Ref = "m1", rec
	batched := event.About(event.RecordsBatched, s.only, 1, 1, 0)
	batched.Ref = record.NewBatch([]record.Record{*rec})
	st := sim.Step{Kind: sim.StepTimer}
	both := clause{s: s, st: &st, events: []sim.Event{sent, batched}}
	if got := both.of(0) + "|" + both.of(1); !strings.HasPrefix(got, "|sends m1") {
		t.Errorf("send and batch in one step: %q", got)
	}
	only := clause{s: s, st: &st, events: []sim.Event{sent}}
	if got := only.of(0); got != "calls send(m1)" {
		t.Errorf("send alone: %q", got)
	}
	fetched, polled := event.About(event.Fetched, s.only, 0, 1, 1), event.About(event.Polled, s.only, 0, 1, 0)
	polled.Ref = []event.Consumed{{TP: s.only, Offset: 0, Record: rec}}
	read := clause{s: s, st: &st, events: []sim.Event{fetched, polled}}
	if got := read.of(0) + "|" + read.of(1); got != "|gets m1 from poll()" {
		t.Errorf("fetch and poll in one step: %q", got)
	}
}
