package session

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"kafkatrial/scenarios"
	"kafkatrial/sim"
)

// keep has the run of a session carried out once more, with checkpoints of another number and distance.
func keep(s *Session, apart, most int) {
	s.kept = checkpoints{apart: apart, most: most}
	r := s.fresh()
	for calls := 1; ; calls++ {
		if _, more := r.Pending(); !more || !r.Step() {
			return
		}
		s.kept.pass(r, calls)
	}
}

// From a checkpoint one comes to the same state, with the same hash, as from the beginning of the run.
func TestACheckpointLeadsWhereTheBeginningDoes(t *testing.T) {
	decided := func() scenarios.Options {
		return scenarios.Options{Source: &sim.Seeded{Seed: 7, Weights: sim.Weights{Late: 300_000, Fault: 5000, Repair: 50_000, Torn: 700_000}},
			FaultModel: sim.FaultModel{Late: []sim.Time{3 * sim.Millisecond}, Node: sim.CanKill | sim.CanLosePower | sim.CanPause, Cut: true, Budget: 4}}
	}
	for name, o := range map[string]func() scenarios.Options{"calm": func() scenarios.Options { return scenarios.Options{} }, "decided": decided} {
		t.Run(name, func(t *testing.T) {
			far, near := open(t, o()), open(t, o())
			if far.Total() != near.Total() || len(far.kept.all) > 0 {
				t.Fatalf("%d and %d steps, %d checkpoints", far.Total(), near.Total(), len(far.kept.all))
			}
			keep(near, 20, 1000)
			if n := len(near.kept.all); n < far.Total()/40 {
				t.Fatalf("%d checkpoints in %d steps", n, far.Total())
			}
			r := rand.New(rand.NewPCG(3, 4))
			for range 150 {
				i := r.IntN(far.Len())
				if i == far.At() {
					continue
				}
				near.GoTo(i)
				far.run = nil // from the beginning
				far.GoTo(i)
				if a, b := near.run.World.Hash(), far.run.World.Hash(); a != b {
					t.Fatalf("moment %d: hash %016x from a checkpoint, %016x from the beginning", i, a, b)
				}
				if !reflect.DeepEqual(near.State(), far.State()) || !reflect.DeepEqual(near.Before(), far.Before()) {
					t.Fatalf("moment %d differs from a checkpoint:\n%+v\n%+v", i, near.State(), far.State())
				}
			}
			near.GoTo(near.Len() - 1)
			if got := near.run.World.Hash(); got != near.Result.Hash {
				t.Errorf("at its end the run has hash %016x, the first time it had %016x", got, near.Result.Hash)
			}
		})
	}
}

// However long a run is, there are not many checkpoints, and none of its moments is far behind one.
func TestCheckpointsAreFewAndNear(t *testing.T) {
	s := long(t, 5_000)
	for _, most := range []int{4, 16, 64} {
		keep(s, 10, most)
		if n := len(s.kept.all); n > most || n < most/4 {
			t.Errorf("%d checkpoints are kept, at most %d should be", n, most)
		}
		for i := range s.moments {
			m := s.moments[i]
			from := 0
			if c := s.kept.before(m); c != nil {
				from = c.at.Steps
			}
			if bound := 2*s.Total()/most + 100; m.Steps-from > bound {
				t.Fatalf("with at most %d checkpoints moment %d is %d steps behind one, the bound is %d", most, i, m.Steps-from, bound)
			}
		}
	}
}
