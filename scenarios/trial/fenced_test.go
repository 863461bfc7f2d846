package trial

import (
	"testing"

	"kafkatrial/checker"
	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
)

func fenced(kafka ...string) Property {
	p := transactions("zombies are shut out", "What a producer writes takes no effect once another has been given its transactional.id, nor what a broker writes once another leads.",
		checker.Fenced, kafka...)
	p.Shape.Transactions.Shared = []bool{true}
	p.Shape.Producers = []int{2, 3}
	p.Shape.Faults.Node = processes
	return p
}

// In every release with transactions: the epoch that a producer is given shuts out the one before.
func TestZombiesAreShutOut(t *testing.T) {
	if testing.Short() {
		t.Skip("carries out hundreds of generated runs")
	}
	p := fenced("4.2", "4.0", "3.9", "3.5", "3.3")
	p.Reaches = []string{"a coordinator shut out a producer"}
	Check(t, p)
}

func TestZombiesAreShutOutWithZooKeeper(t *testing.T) {
	p := fenced("2.8", "2.5", "1.1", "0.11")
	p.Name += " with ZooKeeper"
	p.MayNotRest, p.Shape.Within = true, "1m"
	Check(t, p)
}

// Between its election and the moment in which a leader hears of it, it still follows the old one, and begins with what
// that one appends. The old leader is a zombie by then, but shut out of nothing yet.
func TestALeaderIsInOfficeFromWhenItHearsOfIt(t *testing.T) {
	const text = `
name: hears-late
title: A new leader hears late of its election
kafka: 4.0
cluster: {brokers: 3}
topics: {orders: {replicas: [[2, 3, 1]]}}
producers: {p: {config: {acks: all}}}
consumers: {c: {topics: [orders], config: {auto.offset.reset: earliest}}}
script:
  - hold: {from: k1, to: 3, kind: MetadataFetchResponse}
  - cut: {from: 2, to: k1}
  - when: {elected: {leader: 3, partition: orders-0}}
    send: {records: [m1]}
  - wait: {in-log: {broker: 3, record: m1}}
  - release: all
  - wait: {acked: m1}
claims: {fenced: holds}
`
	f, problems := format.Load("hears-late.yaml", []byte(text), scenarios.Vocabulary)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	r, err := scenarios.New(f, scenarios.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.Finish()
	if r.Stopped() != "" {
		t.Fatal(r.Stopped())
	}
	old := false
	for _, a := range r.History().Appends {
		old = old || a.AsLeader && a.Broker == 2 && a.Epoch == 0 && a.Record == "m1"
	}
	if !old {
		t.Error("the old leader has not appended m1")
	}
	for _, v := range checker.Judge(r.History(), checker.Options{Claims: []checker.Claim{checker.Fenced}}).Verdicts {
		if v.Ruling != checker.Holds {
			t.Errorf("%s at the %s is %s: %s", v.Claim, v.Level, v.Ruling, v.Evidence.Sentence)
		}
	}
}
