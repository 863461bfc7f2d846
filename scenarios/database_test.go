package scenarios

import (
	"strings"
	"testing"

	"kafkatrial/checker"
	"kafkatrial/scenarios/format"
	"kafkatrial/sim"
)

// withDatabase is an application with a database. APP is what it is and does, STEPS what happens to it.
const withDatabase = `name: small
title: Small
kafka: "3.9"
cluster: {brokers: 1}
topics: {in: {}, out: {}}
producers: {p: {}}
databases: {db: {}, far: {}}
consumers:
  app:
    topics: [in]
    config: {auto.offset.reset: earliest, enable.auto.commit: false, isolation.level: read_committed}
    database: {name: db, table: orders, outbox: outbox}
    APP
  relay: {source: {database: db, table: outbox}, producer: {}, sends: out, RELAY}
  sink:
    topics: [out]
    config: {auto.offset.reset: earliest, enable.auto.commit: false}
    database: {name: far}
    loop: [poll, upsert, commit]
script:
  - send: {producer: p, topic: in, records: [m1]}
STEPS
  - wait: {quiet: true}
claims: {exactly-once: holds}
`

// TestApplicationsWithADatabase: what a database and an application do when something between them fails, as the verdicts
// have it. twice and lost name the levels at which a record has two effects, or none.
func TestApplicationsWithADatabase(t *testing.T) {
	const stored = "loop: [poll, insert, store-offsets, commit-database]; resume: database; restart-after: 1s"
	const prepared = "loop: [poll, insert, prepare-database, commit, commit-database]; restart-after: 1s"
	const passesOn = "loop: [poll, send, flush, mark]"
	// The answer to the first request of app from here on is lost with the connection.
	lost := []string{"hold: {from: db, to: app, kind: DatabaseResponse}", "wait: {held: {from: db, to: app, kind: DatabaseResponse}}",
		"disconnect: {between: [app, db]}", "release: all"}
	at := func(verb string, steps ...string) []string {
		return append([]string{"wait: {reaches: {consumer: app, verb: " + verb + "}}"}, steps...)
	}
	tests := []struct {
		name        string
		app, relay  string
		steps       []string
		twice, lost checker.Level
	}{
		{"nothing fails", stored, passesOn, nil, "", ""},
		{"the answer to a commit is lost, and the position is asked for", stored, passesOn, at("commit-database", lost...), "", ""},
		{"the answer to a commit is lost, and the position is not asked for", strings.Replace(stored, "resume: database", "resume: committed", 1), passesOn,
			at("commit-database", lost...), "both", ""},
		{"the connection breaks within a transaction", stored, passesOn, at("store-offsets", "disconnect: {between: [app, db]}"), "", ""},
		{"the database dies within a transaction", stored, passesOn, at("store-offsets", "crash: db", "after: 1s\n    start: db"), "", ""},
		{"the database loses power after the commit", stored, passesOn, []string{"wait: {processed: m1}", "power-loss: db", "after: 1s\n    start: db"}, "", ""},
		{"an answer is lost outside of a transaction", "loop: [poll, insert, commit]", passesOn, at("insert", lost...), "both", ""},
		{"an upsert is made again", "loop: [poll, upsert, commit]", passesOn, at("upsert", lost...), "", ""},
		{"a prepared transaction is covered", prepared, passesOn,
			at("commit-database", "throw: app"), "", ""},
		{"a prepared transaction is not covered", prepared, passesOn,
			at("commit", "throw: app"), "", ""},
		{"the answer to a prepare is lost", prepared, passesOn,
			at("prepare-database", lost...), "", ""},
		{"the answer to the commit of what is prepared is lost", prepared, passesOn,
			at("commit-database", lost...), "", ""},
		{"an abort in Kafka takes the row along", "producer: {transactional.id: a}; sends: out; fails: {m1: 1}; loop: [poll, begin, insert, process, send, send-offsets, commit-database, commit-transaction]",
			passesOn, nil, "", ""},
		{"rows of another program are passed on", stored, passesOn, []string{"insert-rows: {database: db, table: outbox, rows: [r1, r2]}",
			"wait: {processed: {record: r2, consumer: sink}}"}, "", ""},
		{"rows of another program are marked and not passed on", stored, "loop: [poll, mark, send, flush]", []string{"wait: {quiet: true}",
			"insert-rows: {database: db, table: outbox, rows: [r1]}", "wait: {reaches: {consumer: relay, verb: send}}", "crash: relay", "start: relay"}, "", "log"},
		{"the relay marks first", stored, "loop: [poll, mark, send, flush]",
			[]string{"wait: {reaches: {consumer: relay, verb: send}}", "crash: relay", "start: relay"}, "", "log"},
		{"the relay marks last", stored, passesOn, []string{"wait: {reaches: {consumer: relay, verb: mark}}", "crash: relay", "start: relay"}, "log", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			app := strings.ReplaceAll(test.app, "; ", "\n    ")
			src := strings.Replace(strings.Replace(withDatabase, "APP", app, 1), "RELAY", test.relay, 1)
			steps := ""
			for _, s := range test.steps {
				steps += "  - " + s + "\n"
			}
			src = strings.Replace(src, "STEPS\n", steps, 1)
			f, problems := format.Load("small.yaml", []byte(src), Vocabulary)
			if len(problems) > 0 {
				t.Fatalf("%v\n%s", Problems(problems), src)
			}
			r, err := New(f, Options{})
			if err != nil {
				t.Fatal(err)
			}
			r.Finish()
			if r.Stopped() != "" {
				t.Fatal(r.Stopped())
			}
			for _, v := range r.Report().Verdicts {
				want := checker.Holds
				at := func(l checker.Level) bool { return l == "both" || l == v.Level }
				switch v.Claim {
				case checker.AtMostOnce:
					if at(test.twice) {
						want = checker.Violated
					}
				case checker.AtLeastOnce:
					if at(test.lost) {
						want = checker.Violated
					}
				default:
					continue
				}
				if v.Ruling != want {
					t.Errorf("%s at the %s: %s, want %s: %s", v.Claim, v.Level, v.Ruling, want, v.Evidence.Sentence)
				}
			}
		})
	}
}

// TestExactlyOnceWithADatabaseUnderFaults draws faults against the application, the database and what is between them.
// The loops that keep one commit, or make the second one repeatable, hold under all of them; those that do not are
// caught, so that the faults are seen to matter.
func TestExactlyOnceWithADatabaseUnderFaults(t *testing.T) {
	const file = `name: small
title: Small
kafka: "3.9"
cluster: {brokers: 1}
topics: {in: {}}
producers: {p: {}}
databases: {db: {}}
consumers:
  app:
    topics: [in]
    config: {auto.offset.reset: earliest, enable.auto.commit: false}
    database: db
    restart-after: 1s
    APP
script:
  - send: {producer: p, records: [m1, m2, m3, m4], every: 40ms}
  - {say: The end., after: 3s}
claims: {exactly-once: holds}
`
	tests := []struct {
		name, app   string
		twice, lost bool // may happen, and does
	}{
		{"offsets with the effect", "loop: [poll, insert, store-offsets, commit-database]; resume: database", false, false},
		{"two phases", "loop: [poll, insert, prepare-database, commit, commit-database]", false, false},
		{"an upsert", "loop: [poll, upsert, commit]", false, false},
		{"the effect first", "loop: [poll, insert, commit]", true, false},
		{"the position first", "loop: [poll, commit, upsert]", false, true},
		{"staged positions", "loop: [poll, stage-offsets, upsert, commit]; resume: staged", false, true},
	}
	const runs = 150
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			src := strings.Replace(file, "APP", strings.ReplaceAll(test.app, "; ", "\n    "), 1)
			f, problems := format.Load("small.yaml", []byte(src), Vocabulary)
			if len(problems) > 0 {
				t.Fatalf("%v\n%s", Problems(problems), src)
			}
			twice, lost, undecided := 0, 0, 0
			for seed := range uint64(runs) {
				a := sim.FaultModel{Node: sim.CanKill | sim.CanPause | sim.CanLosePower, Cut: true, Lose: true, Late: []sim.Time{3 * sim.Millisecond},
					Budget: 6, Among: []string{"app", "db"}}
				r, err := New(f, Options{FaultModel: a, Source: &sim.Seeded{Seed: seed, Weights: sim.Weights{Fault: 25_000, Repair: 40_000, Late: 30_000, Lost: 10_000, Torn: 500_000}}})
				if err != nil {
					t.Fatal(err)
				}
				r.Finish()
				if rested, _ := r.Rested(); !rested {
					undecided++
					continue
				}
				for _, v := range r.Report().Verdicts {
					if v.Level != checker.AtApplication || v.Ruling != checker.Violated {
						continue
					}
					switch v.Claim {
					case checker.AtMostOnce:
						if twice++; !test.twice {
							t.Errorf("seed %d: %s", seed, v.Evidence.Sentence)
						}
					case checker.AtLeastOnce:
						if lost++; !test.lost {
							t.Errorf("seed %d: %s", seed, v.Evidence.Sentence)
						}
					}
				}
			}
			if test.twice && twice == 0 || test.lost && lost == 0 || undecided > runs/10 {
				t.Errorf("of %d runs %d did something twice, %d lost something, and %d did not come to rest", runs, twice, lost, undecided)
			}
			t.Logf("of %d runs %d did something twice, %d lost something, and %d did not come to rest", runs, twice, lost, undecided)
		})
	}
}
