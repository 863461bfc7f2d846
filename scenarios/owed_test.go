package scenarios

import (
	"strings"
	"testing"

	"kafkatrial/checker"
	"kafkatrial/scenarios/format"
)

// TestWhatAnApplicationOwes: what nobody reads is owed to nobody, rows are the effect of an application that makes rows of
// rows, and what one process of a group has done is done, whatever a second one tries in vain.
func TestWhatAnApplicationOwes(t *testing.T) {
	const head = "name: small\ntitle: Small\nkafka: '3.9'\ncluster: {brokers: 1}\ntopics: {in: {}, out: {}}\nproducers: {p: {config: {acks: all}}}\ndatabases: {db: {}}\n"
	const reads = "config: {auto.offset.reset: earliest, enable.auto.commit: false, isolation.level: read_committed}"
	const inTransactions = "sends: out, loop: [poll, begin, process, send, send-offsets, commit-transaction]}\n"
	const fromRows = head + "consumers:\n  app: {source: {database: db, table: a}, database: {name: db, table: c}, "
	for _, test := range []struct {
		name, src  string
		log, app   checker.Ruling // of at-least-once
		twice, had checker.Ruling // of at-most-once at the application, and of available at the log
	}{
		{"an outbox that nobody reads", head + "consumers:\n  app: {topics: [in], " + reads + ", database: {name: db, table: orders, outbox: outbox}, " +
			"resume: database, loop: [poll, insert, store-offsets, commit-database]}\nscript:\n  - send: {topic: in, records: [m1]}\n",
			checker.Holds, checker.Holds, checker.Holds, checker.Holds},
		{"rows are made of rows", fromRows + "loop: [poll, insert, mark]}\nscript:\n  - insert-rows: {table: a, rows: [m1, m2]}\n",
			checker.Holds, checker.Holds, checker.Holds, checker.Holds},
		{"rows are marked first", fromRows + "loop: [poll, mark, insert]}\nscript:\n  - insert-rows: {table: a, rows: [m1]}\n  - wait: {reaches: {consumer: app, verb: insert}}\n" +
			"  - crash: app\n  - start: app\n",
			checker.Holds, checker.Violated, checker.Holds, checker.Holds},
		{"rows are marked too late", fromRows + "loop: [poll, insert, mark]}\nscript:\n  - insert-rows: {table: a, rows: [m1]}\n" +
			"  - wait: {reaches: {consumer: app, verb: mark}}\n  - crash: app\n  - start: app\n",
			checker.Holds, checker.Holds, checker.Violated, checker.Holds},
		{"rows are made of rows that are passed on", fromRows + "sends: out, loop: [poll, insert, send, flush, mark]}\nscript:\n  - insert-rows: {table: a, rows: [m1]}\n",
			checker.Holds, checker.Holds, checker.Holds, checker.Holds},
		{"rows are passed on first", fromRows + "sends: out, loop: [poll, send, flush, mark, insert]}\nscript:\n  - insert-rows: {table: a, rows: [m1]}\n" +
			"  - wait: {reaches: {consumer: app, verb: insert}}\n  - crash: app\n  - start: app\n",
			checker.Holds, checker.Violated, checker.Holds, checker.Holds},
		{"a second process is refused", head + "consumers:\n  app1: {topics: [in], group: g, " + reads + ", producer: {transactional.id: a1}, " + inTransactions +
			"  app2: {topics: [in], group: g, " + reads + ", producer: {transactional.id: a2}, " + inTransactions + `script:
  - rebalance: {group: g, assign: {app1: [in-0]}}
  - wait: {assigned: {consumer: app1, partition: in-0}}
  - send: {producer: p, topic: in, records: [m1]}
  - when: {reaches: {consumer: app1, verb: send}}
    pause: app1
  - rebalance: {group: g, assign: {app2: [in-0]}}
  - wait: {committed: {group: g, partition: in-0, at-least: 1}}
  - resume: app1
`, checker.Holds, checker.Holds, checker.Holds, checker.Holds},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, problems := format.Load("small.yaml", []byte(test.src), Vocabulary)
			if len(problems) > 0 {
				t.Fatalf("%v\n%s", Problems(problems), test.src)
			}
			r, err := New(f, Options{})
			if err != nil {
				t.Fatal(err)
			}
			r.Finish()
			if r.Stopped() != "" {
				t.Fatal(r.Stopped())
			}
			if got := strings.Join(r.sequence(format.AtApp), " "); strings.Contains(got, "outbox") {
				t.Errorf("in effect at the application: %s", got)
			}
			for _, v := range r.Report().Verdicts {
				want := v.Ruling
				switch {
				case v.Claim == checker.AtLeastOnce && v.Level == checker.AtLog:
					want = test.log
				case v.Claim == checker.AtLeastOnce:
					want = test.app
				case v.Claim == checker.AtMostOnce && v.Level == checker.AtApplication:
					want = test.twice
				case v.Claim == checker.Available && v.Level == checker.AtLog:
					want = test.had
				}
				if v.Ruling != want {
					t.Errorf("%s at the %s: %s, want %s: %s", v.Claim, v.Level, v.Ruling, want, v.Evidence.Sentence)
				}
				if v.Ruling == checker.Violated {
					t.Log(v.Evidence.Sentence)
				}
			}
		})
	}
}
