package sim

import (
	"fmt"
	"testing"
)

// A seed or an answers file that somebody has noted leads to the same run in the next version of this program, unless a rule of the
// kernel has changed: then, and only then, are the numbers here to be changed, and every noted seed is another run.
func TestSeedsLeadWhereTheyLed(t *testing.T) {
	for _, c := range []struct {
		name string
		want uint64
		of   func(d *digest)
	}{
		{"faults by chance", 0x8285142348ac95cf, func(d *digest) {
			for seed := range uint64(40) {
				w, list := wild(t, &Seeded{Seed: seed, Weights: wildWeights})
				d.run(w, list)
			}
		}},
		{"messages in flight", 0xb363138365ab1fa5, func(d *digest) {
			for every := 2; every < 12; every++ {
				w, list := chat(t, open, &reckless{every: every})
				d.run(w, list)
			}
			for seed := range uint64(20) {
				w, list := chat(t, open, &Seeded{Seed: seed, Weights: wildWeights})
				d.run(w, list)
			}
		}},
		{"priorities", 0x8991f22baa37f47, func(d *digest) {
			for seed := range uint64(40) {
				for depth := 1; depth < 5; depth++ {
					w := race(8)
					if err := Run(w, &PCT{Seed: seed, Depth: depth, Steps: 5}); err != nil {
						t.Fatal(err)
					}
					d.add(w.Hash(), story(w, 2))
				}
			}
		}},
		{"classes of fault", 0xd60b416f10272b18, func(d *digest) {
			for seed := range uint64(60) {
				d.add(Swarm(seed, faulty), Swarm(seed, FaultModel{Late: []Time{1}, Orders: true, Node: CanShutDown}))
			}
		}},
	} {
		d := digest{}
		c.of(&d)
		if d.h != c.want {
			t.Errorf("%s: %#x, and it was %#x", c.name, d.h, c.want)
		}
	}
}

// digest puts together whatever it is given.
type digest struct{ h uint64 }

func (d *digest) add(all ...any) { d.h = scramble(d.h ^ hashString(fmt.Sprintln(all...))) }

// run adds all that a run's trace and answers say, and what is left to do.
func (d *digest) run(w *World, list []Answer) {
	for i := range w.trace.Steps {
		s := &w.trace.Steps[i]
		d.add(s.Kind, s.Op, s.Node, s.Peer, s.Conn, s.At, s.Cause, s.Timer, s.Arg, s.N, w.trace.Why(i), w.trace.Routine(i))
	}
	for i := range w.trace.Events {
		d.add(w.trace.Events[i].Node, w.trace.Events[i].Event)
	}
	for _, a := range list {
		d.add(a.Step, a.Kind, a.ID, a.Before, a.Index, a.Of)
	}
	d.add(w.Hash(), w.Busy(), w.NextAt(), w.Now())
}
