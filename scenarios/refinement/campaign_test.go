package refinement_test

import (
	"fmt"
	"strings"
	"testing"

	"kafkatrial/model/planted"
	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
	"kafkatrial/scenarios/refinement"
	"kafkatrial/sim"
)

// world is a cluster under load for a minute: one partition on three brokers, written to with and without the wait for
// acknowledgements, and a consumer.
func world(t *testing.T, kafka string) *format.File {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, `name: refinement
title: "A cluster in trouble"
kafka: %q
cluster:
  brokers: 3
  config: {replica.lag.time.max.ms: 3000}
topics:
  orders:
    replicas: [[1, 2, 3]]
    config: {min.insync.replicas: 1, unclean.leader.election.enable: false}
producers:
  p: {on-error: drop, config: {acks: all, linger.ms: 5}}
  q: {on-error: drop, config: {acks: 1}}
consumers:
  c: {topics: [orders]}
script:
`, kafka)
	n := 0
	record := func() string { n++; return fmt.Sprintf("m%d", n) }
	for i := range 40 {
		fmt.Fprintf(&b, "  - after: %dms\n    send: {producer: p, records: [%s, %s, %s]}\n", []int{50, 700, 2500}[i%3], record(), record(), record())
		fmt.Fprintf(&b, "  - send: {producer: q, records: [%s]}\n", record())
	}
	b.WriteString("  - after: 5s\nclaims: {at-least-once: undecided}\n")
	f, problems := format.Load("refinement.yaml", []byte(b.String()), scenarios.Vocabulary)
	if len(problems) > 0 {
		t.Fatal(scenarios.Problems(problems), b.String())
	}
	return f
}

// trouble is what may strike in such a world: processes that stop, and messages that are late, lost or overtaken; every second seed
// has links that are cut, too.
func trouble(seed int) sim.FaultModel {
	return sim.FaultModel{
		Late: []sim.Time{20 * sim.Millisecond, 700 * sim.Millisecond, 4 * sim.Second}, Lose: true, Duplicate: true, Cut: seed%2 == 0,
		Node: sim.CanKill | sim.CanPause, Reorder: 2, Budget: 14, MaxDown: 2,
	}
}

var weights = sim.Weights{Fault: 4_000, Repair: 3_000, Late: 30_000, Lost: 1_000}

// Random runs of each generation are runs of the bounded model.
func TestRandomRunsAreRunsOfTheBoundedModel(t *testing.T) {
	seeds := 12
	if testing.Short() {
		seeds = 3
	}
	for _, kafka := range []string{"0.10", "1.1", "2.0", "2.6", "2.8", "3.9", "4.0"} {
		t.Run(kafka, func(t *testing.T) {
			t.Parallel()
			f := world(t, kafka)
			var sum refinement.Refinement
			for seed := 1; seed <= seeds; seed++ {
				b, err := cross(t, f, campaign(seed, planted.Set{}))
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				sum.Steps += b.Steps
				sum.Actions += b.Actions
				for e := range b.Exceptions {
					sum.Exceptions[e] += b.Exceptions[e]
				}
			}
			tally(t, &sum)
		})
	}
}

func campaign(seed int, off planted.Set) scenarios.Options {
	return scenarios.Options{FaultModel: trouble(seed), Planted: off, Source: &sim.Seeded{Seed: uint64(seed), Weights: weights}}
}
