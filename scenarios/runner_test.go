package scenarios

import (
	"strings"
	"testing"

	"kafkatrial/scenarios/format"
	"kafkatrial/sim"
)

// small is a scenario in which there is something for every action and every condition to work on. STEPS
// stands for what is tried.
const small = `name: small
title: Small
kafka: "3.9"
cluster: {brokers: 2}
topics: {orders: {replicas: [[1, 2]]}}
producers: {p: {}}
consumers: {c: {topics: [orders], group: g, config: {auto.offset.reset: earliest, enable.auto.commit: false}}}
script:
  - send: {producer: p, records: [m1]}
  - wait: {acked: m1}
STEPS
databases: {db: {}}
claims: {at-least-once: holds}
`

func tried(t *testing.T, steps ...string) *Run {
	t.Helper()
	src := strings.Replace(small, "STEPS", "  - "+strings.Join(steps, "\n  - "), 1)
	f, problems := format.Load("small.yaml", []byte(src), Vocabulary)
	if len(problems) > 0 {
		t.Fatalf("%v\n%s", Problems(problems), src)
	}
	r, err := New(f, Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.Finish()
	return r
}

// TestEveryActionIsCarriedOut runs each action of the format once: one that the runner does not know would
// stop the run with a panic.
func TestEveryActionIsCarriedOut(t *testing.T) {
	steps := map[string][]string{
		"send": {"send: {producer: p, records: [x]}"}, "flush-producer": {"flush-producer: p"}, "close-producer": {"close-producer: p"},
		"init-transactions": {"init-transactions: p"}, "begin-transaction": {"begin-transaction: p"}, "commit-transaction": {"commit-transaction: p"},
		"abort-transaction": {"abort-transaction: p"}, "send-offsets": {"send-offsets: {producer: p, group: g, partition: orders-0, offset: 1}"},
		"wait": {"wait: {acked: m1}"}, "predict": {"predict: {ask: What?, about: {record: m1}}"}, "crash": {"crash: 1"},
		"power-loss": {"power-loss: {node: 1, keeps: 1}"}, "lose-disk": {"lose-disk: 2"}, "pause": {"pause: c"}, "resume": {"pause: c", "resume: c"},
		"restart": {"restart: 2"}, "start": {"crash: c", "start: c"}, "shutdown": {"shutdown: leader of orders-0"},
		"cut": {"cut: {between: [1, p]}"}, "heal": {"cut: {from: 1, to: p}", "heal: {from: 1, to: p}"}, "disconnect": {"disconnect: {between: [p, leader of orders-0]}"},
		"hold": {"hold: {from: 1, to: 2}"}, "release": {"hold: {from: 1, to: 2}", "release: all"}, "drop": {"drop: {kind: FetchResponse}"},
		"duplicate": {"duplicate: {to: p}"}, "delay": {"delay: {to: 1, by: 5ms, count: 3}"}, "elect": {"elect: {partition: orders-0}"},
		"alter-config":   {"alter-config: {topic: orders, config: {min.insync.replicas: 2}}"},
		"add-partitions": {"add-partitions: {topic: orders, count: 2}"}, "delete-records": {"delete-records: {partition: orders-0, before: 1}"},
		"insert-rows": {"insert-rows: {table: t, rows: [r1, r2]}"}, "throw": {"throw: c"}, "rebalance": {"rebalance: {group: g, assign: {c: [orders-0]}}"}, "seek": {"seek: {consumer: c, partition: orders-0, offset: 0}"}, "flush": {"flush: controller", "flush: 1"}, "clock": {"clock: {node: p, by: -5s}"},
	}
	for _, name := range format.ActionNames() {
		t.Run(name, func(t *testing.T) {
			if steps[name] == nil {
				t.Fatal("nobody has tried this action")
			}
			if r := tried(t, steps[name]...); r.Stopped() != "" {
				t.Error(r.Stopped())
			}
		})
	}
}

// TestEveryConditionCanComeTrue waits for each predicate of the format where it does come true.
func TestEveryConditionCanComeTrue(t *testing.T) {
	send := "send: {producer: p, records: [m2]}"
	steps := map[string][]string{
		"acked": {"wait: {acked: m1}"}, "processed": {"wait: {processed: {record: m1, consumer: c}}"},
		"failed":         {"alter-config: {topic: orders, config: {min.insync.replicas: 2}}", "crash: 2", "cut: {node: p}", send, "wait: {failed: m2}"},
		"in-log":         {"wait: {in-log: {broker: 2, record: m1}}"},
		"high-watermark": {"wait: {high-watermark: {partition: orders-0, broker: 2, at-least: 1}}"}, "log-end": {"wait: {log-end: {partition: orders-0, at-least: 1}}"},
		"leader": {"crash: 1", "wait: {leader: {partition: orders-0, is: 2}}"}, "isr": {"crash: 2", "wait: {isr: {partition: orders-0, is: [1]}}"},
		"committed": {"wait: {committed: {group: g, partition: orders-0, at-least: 1}}"}, "assigned": {"wait: {assigned: {consumer: c, partition: orders-0}}"},
		"held": {"hold: {from: 1, to: p}", send, "wait: {held: {to: p, kind: ProduceResponse}}"}, "quiet": {"wait: {quiet: true}"},
		"append": {send, "wait: {append: {broker: 2, record: m2}}"}, "fetch": {send, "wait: {fetch: {by: 2, partition: orders-0, offset: 2}}"},
		"truncate": {"drop: {from: 1, to: 2, kind: FetchResponse, count: all}", send, "wait: {in-log: {broker: 1, record: m2}}", "crash: 1",
			"wait: {leader: {partition: orders-0, is: 2}}", "start: 1", "wait: {truncate: {broker: 1, to: 1}}"},
		"elected": {"crash: 1", "wait: {elected: 2}"}, "sent": {send, "wait: {sent: {from: p, kind: ProduceRequest}}"},
		"delivered": {send, "wait: {delivered: {to: p, record: m2}}"}, "timeout": {"cut: {between: [1, p]}", send, "wait: {timeout: p}"},
		"error": {"alter-config: {topic: orders, config: {min.insync.replicas: 2}}", "crash: 2", "wait: {isr: {partition: orders-0, is: [1]}}", send,
			"wait: {error: {node: p, code: NOT_ENOUGH_REPLICAS}}"},
		"reaches": {send, "wait: {reaches: {consumer: c, verb: process}}"},
		"probe": {"alter-config: {topic: orders, config: {min.insync.replicas: 2}}", "crash: 2", "wait: {isr: {partition: orders-0, is: [1]}}", send,
			"wait: {probe: acks=all refused below min.insync.replicas}"},
	}
	for _, name := range format.FactNames() {
		t.Run(name, func(t *testing.T) {
			if steps[name] == nil {
				t.Fatal("nobody has tried this condition")
			}
			if r := tried(t, steps[name]...); r.Stopped() != "" {
				t.Error(r.Stopped())
			}
		})
	}
}

// TestARoleThatNobodyHas ends the script instead of doing something else in silence.
func TestARoleThatNobodyHas(t *testing.T) {
	r := tried(t, "crash: [1, 2]", "hold: {from: leader of orders-0, to: p}", "send: {producer: p, records: [m2]}")
	if want := "step 4 (line 12) names the leader of orders-0, and there is none"; r.Stopped() != want {
		t.Errorf("stopped: %q, want %q", r.Stopped(), want)
	}
	r = tried(t, "crash: p", "send: {producer: p, records: [m2, m3], every: 1s}")
	if want := "step 4 (line 12) names p, which is not running"; r.Stopped() != want {
		t.Errorf("stopped: %q, want %q", r.Stopped(), want)
	}
	f := r.File
	r, err := New(f, Options{FaultModel: sim.FaultModel{Lose: true, Budget: 1}, Source: sim.Calm{}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Finish(); r.Stopped() != "" {
		t.Errorf("stopped where faults are drawn: %q", r.Stopped())
	}
	if r = tried(t, "crash: p", "start: p", "send: {producer: p, records: [m2]}", "wait: {acked: m2}"); r.Stopped() != "" {
		t.Errorf("stopped after a start: %q", r.Stopped())
	}
}
