package replicationspec

import (
	"fmt"
	"testing"
)

// BenchmarkCheck visits whole models. Beside the time it reports how many steps are generated, and how many states are found, in
// a second.
func BenchmarkCheck(b *testing.B) {
	for _, c := range []Config{
		bounds(KIP320, 3, 2, 2, 1),
		bounds(KIP320, 3, 2, 2, 2),
		symmetric(bounds(KIP320, 3, 2, 2, 2)),
		symmetric(bounds(KIP320, 3, 3, 3, 2)),
	} {
		name := testName(c)
		c = checking(c, InvariantNames()...)
		for c.Workers = 1; c.Workers <= 2; c.Workers++ {
			b.Run(fmt.Sprintf("%s/workers=%d", name, c.Workers), func(b *testing.B) {
				b.ReportAllocs()
				states, generated := 0, 0
				for b.Loop() {
					r, err := Check(c)
					if err != nil || !r.Complete {
						b.Fatal(err, r.Violation)
					}
					states += r.Distinct
					generated += r.Generated
				}
				b.ReportMetric(float64(states)/b.Elapsed().Seconds(), "states/s")
				b.ReportMetric(float64(generated)/b.Elapsed().Seconds(), "steps/s")
			})
		}
	}
}

// BenchmarkShortestCounterexample looks for the counterexamples of the broken generations.
func BenchmarkShortestCounterexample(b *testing.B) {
	for _, s := range shortest {
		b.Run(testName(s.config), func(b *testing.B) {
			for b.Loop() {
				if r, err := Check(s.config); err != nil || r.Violation == nil {
					b.Fatal(err, r)
				}
			}
		})
	}
}
