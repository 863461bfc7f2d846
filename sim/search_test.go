package sim

import (
	"fmt"
	"testing"
)

// race is a world in which two nodes each send one note to a third: which comes first is free.
func race(reorder int) *World {
	w := New(Config{MessageNames: []string{"Note"}, Nodes: []NodeSpec{
		{Name: "a", New: func() Node { return &echo{} }}, {Name: "b", New: func() Node { return &echo{} }}, {Name: "c", New: func() Node { return &echo{} }}}})
	for w.Steps() < 3 {
		w.Pending()
		w.Resolve(0)
	}
	w.SetFaultModel(FaultModel{Reorder: reorder})
	for n := NodeID(0); n < 2; n++ {
		c := w.connect(n, 2)
		w.step = 0
		w.send(n, c, &note{n: int(n) + 1})
		w.send(n, c, &note{n: int(n) + 11})
	}
	return w
}

func TestReorderingKeepsTheOrderOfAConnection(t *testing.T) {
	seen := map[string]int{}
	dfs := &DFS{Deviations: -1}
	runs := 0
	for dfs.Begin() {
		w := race(8)
		if err := Run(w, dfs); err != nil {
			t.Fatal(err)
		}
		seen[story(w, 2)]++
		runs++
	}
	// Two sequences of two, each in order: 4 choose 2 ways to merge them.
	if len(seen) != 6 || runs != 6 {
		t.Errorf("%d runs gave %d orders, want 6 of each: %v", runs, len(seen), seen)
	}
	for order := range seen {
		if order == "" {
			t.Error("a run lost its messages")
		}
	}
}

func TestDFSBoundsDeviations(t *testing.T) {
	for deviations, want := range map[int]int{0: 1, 1: 3, -1: 6} {
		dfs := &DFS{Deviations: deviations}
		runs := 0
		for dfs.Begin() {
			if err := Run(race(8), dfs); err != nil {
				t.Fatal(err)
			}
			runs++
		}
		if runs != want {
			t.Errorf("at most %d deviations: %d runs, want %d", deviations, runs, want)
		}
		if dfs.Bounded() != (deviations >= 0) {
			t.Errorf("at most %d deviations: bounded %v", deviations, dfs.Bounded())
		}
	}
}

func TestPCTFindsEveryOrderOfDepthOne(t *testing.T) {
	first := map[string]bool{}
	for seed := uint64(0); seed < 50; seed++ {
		w := race(8)
		if err := Run(w, &PCT{Seed: seed, Depth: 2, Steps: 4}); err != nil {
			t.Fatal(err)
		}
		first[story(w, 2)] = true
	}
	if len(first) < 4 {
		t.Errorf("50 seeds gave only %d of 6 orders: %v", len(first), first)
	}
}

func TestSwarmMasksClassesAndKeepsTheRest(t *testing.T) {
	kinds := map[string]bool{}
	for seed := uint64(0); seed < 200; seed++ {
		a := Swarm(seed, faulty)
		if a.Budget < 1 || a.Budget > faulty.Budget || a.Node&^faulty.Node != 0 {
			t.Fatalf("seed %d: %+v is no part of the fault model", seed, a)
		}
		kinds[fmt.Sprint(a.Lose, a.Duplicate, a.Cut, a.Node, len(a.Late) > 0)] = true
	}
	if len(kinds) < 50 {
		t.Errorf("200 seeds gave only %d fault models", len(kinds))
	}
}

func TestCloneGoesOnAlikeAndAlone(t *testing.T) {
	for seed := uint64(0); seed < 30; seed++ {
		w, _ := wild(t, &Seeded{Seed: seed, Weights: wildWeights})
		before, steps := w.Hash(), w.Steps()
		c := w.Clone()
		src := func() Source { return &Seeded{Seed: seed + 1000, Weights: wildWeights} }
		goOn := func(w *World) {
			if w.Node(0) != nil {
				w.Command(0, &note{n: 3})
			}
			w.Disk(1).File("log").Append("later")
			for i, s := 0, src(); i < 60; i++ {
				p, more := w.Pending()
				if !more {
					return
				}
				n, _ := answer(p, s)
				w.Resolve(n)
			}
		}
		goOn(c)
		if w.Hash() != before || w.Steps() != steps {
			t.Fatalf("seed %d: the copy's run changed the original", seed)
		}
		goOn(w)
		if w.Hash() != c.Hash() || w.Steps() != c.Steps() {
			t.Fatalf("seed %d: original and copy, run alike, differ", seed)
		}
	}
}
