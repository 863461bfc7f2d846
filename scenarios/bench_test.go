package scenarios

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"kafkatrial/checker"
	"kafkatrial/scenarios/format"
	"kafkatrial/sim"
)

// busyCluster is a scenario of three brokers, three partitions and a stream of records.
func busyCluster(tb testing.TB, kafka string, records int) *format.File {
	src := fmt.Sprintf(`name: busy
title: A stream of records through a cluster of three brokers
kafka: %q
cluster: {brokers: 3}
topics: {orders: {partitions: 3}}
producers: {p: {config: {acks: all, linger.ms: 0}}}
consumers: {c: {topics: [orders], config: {auto.offset.reset: earliest}}}
script:
  - send: {count: %d, every: 3ms}
claims: {at-least-once: holds}
`, kafka, records)
	f, problems := format.Load("busy.yaml", []byte(src), Vocabulary)
	if f == nil {
		tb.Fatal(problems)
	}
	return f
}

// strikes is the fault model of the benchmarks with faults.
var strikes = sim.FaultModel{Late: []sim.Time{5 * sim.Millisecond, 20 * sim.Millisecond}, Lose: true, Cut: true, Node: sim.CanKill | sim.CanPause, Budget: 10, MaxDown: 1}

// BenchmarkCluster is the full model: events a second, with the hash, the trace and the script's conditions on.
func BenchmarkCluster(b *testing.B) {
	for _, kafka := range []string{"4.0", "0.10"} {
		for _, faults := range []bool{false, true} {
			b.Run(fmt.Sprintf("kafka=%s/faults=%v", kafka, faults), func(b *testing.B) {
				f := busyCluster(b, kafka, 5000)
				b.ReportAllocs()
				steps := 0
				for i := 0; i < b.N; i++ {
					o := Options{}
					if faults {
						o.FaultModel, o.Source = strikes, &sim.Seeded{Seed: uint64(i), Weights: sim.DefaultWeights}
					}
					r, err := New(f, o)
					if err != nil {
						b.Fatal(err)
					}
					r.Finish()
					steps += r.World.Steps()
				}
				b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "events/s")
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(steps), "ns/event")
			})
		}
	}
}

// BenchmarkInvariants is BenchmarkCluster with every step looked at.
func BenchmarkInvariants(b *testing.B) {
	for _, faults := range []bool{false, true} {
		b.Run(fmt.Sprintf("faults=%v", faults), func(b *testing.B) {
			f := busyCluster(b, "4.0", 2000)
			steps := 0
			for i := 0; i < b.N; i++ {
				o := Options{Invariants: true}
				if faults {
					o.FaultModel, o.Source = strikes, &sim.Seeded{Seed: uint64(i), Weights: sim.DefaultWeights}
				}
				r, err := New(f, o)
				if err != nil {
					b.Fatal(err)
				}
				r.Finish()
				steps += r.World.Steps()
			}
			b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// mostTrace is how many bytes a step of a run may take in the trace, its events included, beside the messages and the
// batches that they refer to.
const mostTrace = 200

// traceSize is what the trace of a run takes for a step: a step, and its share of the events.
func traceSize(t *sim.Trace) float64 {
	size := len(t.Steps)*int(unsafe.Sizeof(sim.Step{})) + len(t.Events)*int(unsafe.Sizeof(sim.Recorded{}))
	for _, told := range t.Events {
		size += allocated(int(reflect.TypeOf(told.Event).Elem().Size()))
	}
	return float64(size) / float64(len(t.Steps))
}

// allocated is what Go's allocator gives for so many bytes: small sizes are multiples of 16.
func allocated(size int) int { return (size + 15) / 16 * 16 }

// TestTraceIsSmall: long runs are kept as a whole.
func TestTraceIsSmall(t *testing.T) {
	for _, kafka := range []string{"4.0", "0.10"} {
		for _, o := range []Options{{}, {FaultModel: strikes, Source: &sim.Seeded{Seed: 1, Weights: sim.DefaultWeights}}} {
			r, err := New(busyCluster(t, kafka, 1000), o)
			if err != nil {
				t.Fatal(err)
			}
			r.Finish()
			if size := traceSize(r.World.Trace()); size > mostTrace {
				t.Errorf("Kafka %s: the trace takes %.0f bytes a step, at most %d are wanted", kafka, size, mostTrace)
			}
		}
	}
}

// BenchmarkTrace is what a run leaves behind: its trace alone, and all that the trace keeps alive.
func BenchmarkTrace(b *testing.B) {
	f := busyCluster(b, "4.0", 5000)
	var kept []sim.Trace
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	steps := 0
	size := 0.0
	for b.Loop() {
		r, err := New(f, Options{})
		if err != nil {
			b.Fatal(err)
		}
		r.Finish()
		t := *r.World.Trace()
		t.Steps, t.Events = slices.Clone(t.Steps), slices.Clone(t.Events)
		kept = append(kept, t)
		steps += len(t.Steps)
		size = traceSize(&t)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(size, "trace-B/step")
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(steps), "live-B/step")
	runtime.KeepAlive(kept)
}

// BenchmarkStepBack is the way to the middle of a run of about 5,000 steps, by re-execution.
func BenchmarkStepBack(b *testing.B) {
	f := busyCluster(b, "4.0", 450)
	whole, err := New(f, Options{})
	if err != nil {
		b.Fatal(err)
	}
	whole.Finish()
	b.ReportMetric(float64(whole.World.Steps()), "steps")
	for b.Loop() {
		r, err := New(f, Options{})
		if err != nil {
			b.Fatal(err)
		}
		for r.World.Steps() < whole.World.Steps()/2 && r.Step() {
		}
	}
}

// BenchmarkVerdict is the ruling on a run of 1,000 records, extraction included.
func BenchmarkVerdict(b *testing.B) {
	r, err := New(busyCluster(b, "4.0", 1000), Options{})
	if err != nil {
		b.Fatal(err)
	}
	r.Finish()
	for b.Loop() {
		if v, _ := r.Report().Overall(checker.AtLeastOnce); v != checker.Holds {
			b.Fatal(v)
		}
	}
}
