package replicationspec

import "testing"

func TestCountsEqualTLC(t *testing.T) {
	for _, g := range golden {
		t.Run(g.config.String(), func(t *testing.T) {
			r, err := Check(g.config)
			if err != nil {
				t.Fatal(err)
			}
			if !r.Complete || r.Distinct != g.distinct || r.Generated != g.generated || r.Depth != g.depth {
				t.Errorf("got %d distinct, %d generated, depth %d, complete %v; TLC has %d, %d, %d",
					r.Distinct, r.Generated, r.Depth, r.Complete, g.distinct, g.generated, g.depth)
			}
		})
	}
}

type goldenCount struct {
	config                     Config
	distinct, generated, depth int
}

func bounds(g Generation, replicas, logSize, records, epochs int, symmetry bool) Config {
	return Config{Generation: g, Replicas: replicas, LogSize: logSize, Records: records, Epochs: epochs, Symmetry: symmetry}
}

// golden is TLC's own output for the public specification.
var golden = []goldenCount{
	{bounds(TruncateToHW, 2, 2, 2, 1, false), 1251, 2691, 16},
	{bounds(KIP101, 2, 2, 2, 1, false), 1177, 2483, 15},
	{bounds(KIP279, 2, 2, 2, 1, false), 1177, 2753, 15},
	{bounds(KIP320FirstTry, 2, 2, 2, 1, false), 1165, 2399, 15},
	{bounds(KIP320, 2, 2, 2, 1, false), 957, 1819, 15},
	{bounds(TruncateToHW, 3, 2, 2, 1, false), 67807, 222712, 21},
	{bounds(KIP320, 3, 2, 2, 1, false), 39619, 104488, 22},
	{bounds(KIP101, 3, 2, 2, 1, true), 10111, 31875, 22},
	{bounds(KIP320, 3, 2, 2, 1, true), 6713, 17753, 22},
	{bounds(KIP279, 3, 2, 2, 2, true), 270050, 1122953, 26},
	{bounds(KIP320, 3, 2, 2, 2, false), 737794, 1967560, 26},
}

func TestShortest(t *testing.T) {
	for _, g := range []struct {
		c   Config
		inv string
		len int
	}{
		{bounds(TruncateToHW, 2, 2, 2, 1, false), WeakIsr, 9},
		{bounds(TruncateToHW, 2, 2, 2, 1, false), StrongIsr, 10},
		{bounds(KIP101, 3, 2, 2, 1, false), StrongIsr, 12},
		{bounds(KIP279, 3, 2, 2, 2, false), StrongIsr, 11},
		{bounds(KIP320FirstTry, 3, 2, 2, 2, false), WeakIsr, 12},
		{bounds(KIP320FirstTry, 3, 2, 2, 2, false), StrongIsr, 13},
		{bounds(KIP320Unfenced, 3, 2, 2, 2, false), StrongIsr, 0},
		{bounds(KIP320Unfenced, 3, 2, 2, 2, false), WeakIsr, 0},
	} {
		for _, w := range []int{1, 2} {
			g.c.Invariants = []string{g.inv}
			g.c.Workers = w
			r, err := Check(g.c)
			if err != nil {
				t.Fatal(err)
			}
			if r.Violation == nil {
				t.Error(g.c, g.inv, "none")
				continue
			}
			if g.inv == "StrongIsr" && w == 1 {
				t.Log(r.Violation)
			}
			t.Log(g.c, g.inv, len(r.Violation.Steps), g.len, r.Distinct, r.Generated)
		}
	}
}
