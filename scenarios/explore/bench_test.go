package explore

import (
	"context"
	"runtime"
	"testing"

	"kafkatrial/scenarios"
	"kafkatrial/sim"
)

// twoBrokers is the scenario of the benchmarks: two brokers, a producer and a consumer.
const twoBrokers = `
name: two-brokers
title: Two brokers
kafka: "4.0"
cluster: {brokers: 2}
topics:
  orders: {replicas: [[1, 2]]}
producers:
  p: {config: {acks: all}}
consumers:
  c: {topics: [orders], config: {auto.offset.reset: earliest}}
script:
  - send: {records: [m1, m2]}
  - wait: {acked: [m1, m2], for: 30s}
  - after: 5s
    say: That was all.
claims: {at-most-once: holds, at-least-once: holds, exactly-once: holds}
`

// BenchmarkExplore reports how many transitions and states a second one core explores, and what is kept of a state.
func BenchmarkExplore(b *testing.B) {
	kills := sim.FaultModel{Node: sim.CanKill, Budget: 2, Among: []string{"b1", "b2"}}
	for _, bench := range []struct {
		name string
		o    Options
	}{
		{"news", Options{Deviations: 2, AtNews: true, Faults: kills}},
		{"every-moment", Options{Deviations: 2, MaxTransitions: 1_000_000, Faults: kills}},
		{"reorder", Options{Deviations: 3, MaxTransitions: 1_000_000, Faults: sim.FaultModel{Reorder: 3}}},
		{"old", Options{Base: scenarios.Options{Kafka: "0.10"}, Deviations: 2, MaxTransitions: 1_000_000, Faults: kills}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			opened := open(b, twoBrokers)
			var transitions, states int64
			var before, after runtime.MemStats
			for b.Loop() {
				runtime.ReadMemStats(&before)
				r, err := Run(context.Background(), opened, bench.o)
				if err != nil {
					b.Fatal(err)
				}
				runtime.ReadMemStats(&after)
				transitions += r.Transitions
				states += int64(r.States)
			}
			b.ReportMetric(float64(transitions)/b.Elapsed().Seconds(), "transitions/s")
			b.ReportMetric(float64(states)/float64(transitions)*100, "states/100transitions")
			b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(transitions)*float64(b.N), "B/transition")
		})
	}
}

// BenchmarkCopy is what one copy of a run costs, and what its key does.
func BenchmarkCopy(b *testing.B) {
	r, err := scenarios.New(open(b, twoBrokers).File, scenarios.Options{})
	if err != nil {
		b.Fatal(err)
	}
	r.KeepTruth()
	for range 120 {
		if _, more := r.Pending(); !more {
			b.Fatal("the run is over too soon")
		}
		r.Resolve(0)
	}
	b.Run("clone", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r.Clone()
		}
	})
	r.Forget()
	b.Run("branch", func(b *testing.B) {
		b.ReportAllocs()
		c := r.Branch(nil)
		for b.Loop() {
			c = r.Branch(c)
		}
	})
	b.Run("branch and a step", func(b *testing.B) {
		b.ReportAllocs()
		c := r.Branch(nil)
		for b.Loop() {
			c = r.Branch(c)
			c.Pending()
			c.Resolve(0)
		}
	})
	b.Run("key after a step", func(b *testing.B) {
		b.ReportAllocs()
		var k sim.Keyer
		for b.Loop() {
			c := r.Branch(nil)
			c.Pending()
			c.Resolve(0)
			c.Key(&k)
		}
	})
	b.Run("key", func(b *testing.B) {
		b.ReportAllocs()
		var k sim.Keyer
		for b.Loop() {
			r.Key(&k)
		}
	})
}
