package scenarios

import (
	"strings"
	"testing"

	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/scenarios/format"
)

const forAConsumer = `
name: for-a-consumer
title: A producer acts for a consumer that has lost its partition
kafka: VERSION
cluster: {brokers: 1}
topics: {in: {}}
producers: {p: {config: {acks: all, transactional.id: x}}}
consumers:
  c1: {topics: [in], group: g}
  c2: {topics: [in], group: g}
script:
  - rebalance: {group: g, assign: {c1: [in-0], c2: []}}
  - wait: {assigned: {consumer: c1, partition: in-0}}
  - init-transactions: p
  - begin-transaction: p
  - send-offsets: {producer: p, consumer: c1, partition: in-0, offset: 1}
  - after: 1s
    pause: c1
  - rebalance: {group: g, assign: {c2: [in-0]}}
  - after: 10s
    send-offsets: {producer: p, consumer: c1, partition: in-0, offset: 2METADATA}
  - after: 1s
    say: That is all.
claims: {available: holds}
`

// What a script's producer sends for a consumer bears that consumer's groupMetadata from 2.5 on, unless the file says
// otherwise; and the coordinator's answer follows from it.
func TestSendOffsetsForAConsumer(t *testing.T) {
	for _, tc := range []struct {
		version, metadata string
		want              protocol.Error
	}{
		{"2.4", "", protocol.None},
		{"2.4", ", group-metadata: true", protocol.None},
		{"2.5", "", protocol.UnknownMemberID},
		{"3.9", ", group-metadata: true", protocol.UnknownMemberID},
		{"3.9", ", group-metadata: false", protocol.None},
		{"4.0", "", protocol.UnknownMemberID},
	} {
		src := strings.NewReplacer("VERSION", tc.version, "METADATA", tc.metadata).Replace(forAConsumer)
		f, problems := format.Load("f", []byte(src), Vocabulary)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		r, err := New(f, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r.Finish()
		var sent []int64
		told := protocol.None
		for i := range r.World.Trace().Events {
			switch e := r.World.Trace().Events[i].Event.(type) {
			case *event.TxnOffsetsSent:
				sent = append(sent, e.Offset)
			case *event.TxnAbortable:
				told = e.Err
			}
		}
		want := 2
		if tc.want != protocol.None {
			want = 1
		}
		if len(sent) != want || told != tc.want {
			t.Errorf("%s%s: sent %v, told %v; want %v", tc.version, tc.metadata, sent, told, tc.want)
		}
	}
}

// A script that rebalances a group whose coordinator is away ends there, and says so.
func TestRebalanceWithoutACoordinator(t *testing.T) {
	src := strings.NewReplacer("VERSION", "3.9", "METADATA", "").Replace(forAConsumer)
	src = strings.Replace(src, "    pause: c1\n", "    crash: 1\n", 1)
	f, problems := format.Load("f", []byte(src), Vocabulary)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	r, err := New(f, Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.Finish()
	if !strings.Contains(r.stopped, "the coordinator of g, and there is none") {
		t.Errorf("stopped: %q", r.stopped)
	}
}
