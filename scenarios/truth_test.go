package scenarios

import (
	"testing"

	"kafkatrial/model/event"
	"kafkatrial/scenarios/format"
	"kafkatrial/sim"
)

// TestTheTruthTellsTransactionsApart: what a transaction's application asked for and was told decides what is owed, so no
// two of these pasts may have one key.
func TestTheTruthTellsTransactionsApart(t *testing.T) {
	o, err := Open("hanging-transaction")
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(o.File, Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, _ := r.World.Lookup("p")
	seen := map[uint64]int{}
	began, asked := &event.TxnBegan{Number: 1}, &event.TxnCommitAsked{Number: 1}
	for i, past := range [][]sim.Event{
		{}, {began}, {began, asked}, {began, asked, &event.TxnCommitted{Number: 1}},
		{began, asked, &event.TxnFailed{Number: 1}}, {began, &event.TxnAborted{Number: 1}}, {began, &event.TxnBegan{Number: 2}},
	} {
		var lived truth
		for _, e := range past {
			lived.take(r, &sim.Recorded{Node: p, Event: e})
		}
		var k sim.Keyer
		k.Begin()
		lived.addTo(&k)
		if j, met := seen[k.Sum()]; met {
			t.Errorf("past %d has the key of past %d", i, j)
		}
		seen[k.Sum()] = i
	}
}

// TestAnswersThatWaitForAPausedProducerAreTold: a rule to come may ask which records an answer is about, also of one that
// has come in for a producer which stands still.
func TestAnswersThatWaitForAPausedProducerAreTold(t *testing.T) {
	f, problems := format.Load("paused.yaml", []byte(`name: paused
title: An answer waits for a producer that stands still
kafka: "4.0"
cluster: {brokers: 1}
topics: {orders: {}}
producers: {p: {}}
script:
  - send: {records: [m1]}
  - wait: {in-log: {broker: 1, record: m1}}
  - pause: p
  - after: 1s
    hold: {from: 1, to: p, kind: ProduceResponse, record: m1}
`), Vocabulary)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	r, err := New(f, Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, _ := r.World.Lookup("p")
	for len(r.World.Backlog(p)) == 0 && r.Step() {
	}
	var k sim.Keyer
	before := r.Key(&k)
	for of := range r.director.ledger.carried {
		r.director.ledger.carried[of] = []string{"m2"}
	}
	if len(r.World.Backlog(p)) == 0 || r.Key(&k) == before {
		t.Error("an answer about m1 and one about m2 have one key")
	}
}
