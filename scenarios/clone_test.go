package scenarios

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"kafkatrial/sim"
)

// everything opens every kind of decision, so that copies are made in the midst of faults.
var everything = sim.FaultModel{Late: []sim.Time{3 * sim.Millisecond}, Lose: true, Duplicate: true, Cut: true,
	Node: sim.CanKill | sim.CanPause | sim.CanLosePower | sim.CanLoseDisk, Budget: 4, MaxDown: 2, Reorder: 3}

// wildRun is a run of a scenario with seeded faults, stopped after some steps; nil if the release does not have it.
func wildRun(t *testing.T, name, kafka string, seed uint64, steps int) *Run {
	o, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(o.File, Options{Kafka: kafka, FaultModel: everything})
	if err != nil {
		return nil
	}
	r.KeepTruth()
	drive(r, seed, steps)
	return r
}

// drive takes so many decisions, or with 0 all that are left.
func drive(r *Run, seed uint64, steps int) {
	src := &sim.Seeded{Seed: seed, Weights: sim.Weights{Fault: 20_000, Repair: 20_000, Late: 50_000, Lost: 3_000, Torn: 500_000}}
	for i := 0; steps == 0 || i < steps; i++ {
		p, more := r.Pending()
		if !more {
			return
		}
		n := 0
		if len(p.Options) > 1 {
			n, _ = src.Choose(p)
		}
		r.Resolve(n)
	}
}

// look is what a person could see of a run.
func look(r *Run) string {
	s := fmt.Sprintf("%v %d %x %v %v ", r.World.Now(), r.World.Steps(), r.World.Hash(), r.Phase(), r.Cluster.Moving())
	for _, n := range r.Cluster.Nodes() {
		s += r.World.State(n).String() + " "
	}
	for _, tp := range r.Cluster.Partitions() {
		for id := range r.Cluster.Directory.Brokers {
			if b := r.Cluster.Broker(id + 1); b != nil && b.Replica(tp) != nil {
				log := b.Replica(tp).Log()
				s += fmt.Sprint(tp, id+1, log.LogEndOffset(), log.HighWatermark(), log.Batches(), b.Replica(tp).ISR(), " ")
			}
		}
	}
	return s
}

// copiesPerScenario is how many moments of a scenario are looked at, under each release.
func copiesPerScenario() int {
	if testing.Short() {
		return 1
	}
	return 3
}

func TestACopyGoesOnAlikeAndAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("every scenario is copied at several moments, under several releases")
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, name := range Names() {
		for _, kafka := range []string{"0.10", "4.0"} {
			for range copiesPerScenario() {
				seed, steps := rnd.Uint64(), 1+rnd.IntN(600)
				r := wildRun(t, name, kafka, seed, steps)
				if r == nil {
					continue
				}
				about := fmt.Sprintf("%s under %s, seed %d, after %d decisions", name, kafka, seed, steps)
				checkCopies(t, about, r, rnd.Uint64())
			}
		}
	}
}

func checkCopies(t *testing.T, about string, r *Run, seed uint64) {
	t.Helper()
	var k sim.Keyer
	before, key := look(r), r.Key(&k)
	c := r.Clone()
	if got := c.Key(&k); got != key {
		t.Errorf("%s: the copy has another key", about)
	}
	if got := look(c); got != before {
		t.Errorf("%s: the copy is another:\n%s\n%s", about, got, before)
	}
	drive(c, seed, 0)
	if got := look(r); got != before {
		t.Fatalf("%s: the copy's run changed the original:\n%s\n%s", about, got, before)
	}
	if got := r.Key(new(sim.Keyer)); got != key {
		t.Fatalf("%s: the copy's run changed the original's key from %x to %x", about, key, got)
	}
	var b *Run
	for i := range uint64(2) {
		b = r.Branch(b)
		drive(b, seed+i, 0)
		if look(r) != before {
			t.Fatalf("%s: a branch changed the original", about)
		}
		if i == 0 && (b.Key(&k) != c.Key(&k) || b.World.Steps() != c.World.Steps()) {
			t.Errorf("%s: a branch and a copy, run alike, differ", about)
		}
	}
	end := look(c)
	drive(r, seed, 0)
	if look(c) != end {
		t.Fatalf("%s: the original's run changed the copy", about)
	}
	if look(r) != end {
		t.Errorf("%s: original and copy, run alike, differ", about)
	}
	if r.Key(&k) != c.Key(&k) {
		t.Errorf("%s: original and copy, run alike, have different keys", about)
	}
}
