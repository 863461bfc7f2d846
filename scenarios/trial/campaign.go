package trial

import (
	"testing"

	"kafkatrial/sim"
)

// Seek draws worlds and runs from the seeds 1 to seeds until one violates the property, and fails t if none
// does: for statements that say that something can happen. It gives the run back, thinned out to the
// decisions that matter. The same seeds give the same runs on every machine.
func Seek(t *testing.T, p Property, seeds int) *Trial {
	t.Helper()
	found, seed := p.Hunt(seeds)
	if found == nil {
		t.Fatalf("none of %d runs is a witness that this is wrong: %s", seeds, p.Says)
	}
	t.Logf("seed %d is a witness:\n%s", seed, found.tell())
	return found
}

// Hunt is Seek without a test: the first run among the seeds that violates the property, thinned out, and
// its seed; nil if none does.
func (p Property) Hunt(seeds int) (found *Trial, seed int) {
	for seed := 1; seed <= seeds; seed++ {
		if t := p.Run(seed); len(t.Findings) > 0 {
			return p.shrunk(t, quick), seed
		}
	}
	return nil, 0
}

// Run draws a world and a run from a seed.
func (p Property) Run(seed int) *Trial {
	w := p.draw(&seedDice{uint64(seed) * 0x9E3779B97F4A7C15})
	weights := p.Weights
	if weights == (sim.Weights{}) {
		weights = sim.DefaultWeights
	}
	return p.try(w, &sim.Seeded{Seed: uint64(seed), Weights: weights})
}
