package explore

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// tangle is a model with a pseudo-random graph of n states: enough edges to meet a state often, and few enough to have depth.
type tangle struct {
	n, edges int
	bad      map[int]string
	starts   []int
}

func (m tangle) Initial() []int { return m.starts }

func (m tangle) AppendNext(steps []Step[int, string], s *int) []Step[int, string] {
	for e := range m.edges {
		to := int(Fingerprint([]uint64{uint64(*s), uint64(e)}) % uint64(m.n))
		if e == 0 {
			to = min(*s+1, m.n-1) // a long way besides the short ones
		}
		steps = append(steps, Step[int, string]{Action: fmt.Sprintf("edge %d", e), State: to})
	}
	return steps
}

func (m tangle) AppendKey(key []uint64, s *int) []uint64 { return append(key, uint64(*s)) }

func (m tangle) Check(s *int) string { return m.bad[*s] }

// depths is a plain breadth-first search: the depth of every state, and the number of generated states.
func (m tangle) depths() (depth map[int]int, generated int) {
	depth = map[int]int{}
	var queue []int
	meet := func(s, d int) {
		generated++
		if depth[s] == 0 {
			depth[s] = d
			queue = append(queue, s)
		}
	}
	for _, s := range m.starts {
		meet(s, 1)
	}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		for _, step := range m.AppendNext(nil, &s) {
			meet(step.State, depth[s]+1)
		}
	}
	return depth, generated
}

func run[S comparable, A any](t *testing.T, m Model[S, A], o Options) Result[S, A] {
	t.Helper()
	r, err := Run(m, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestCountsOfAPlainSearch(t *testing.T) {
	for _, m := range []tangle{
		{n: 1, edges: 1, starts: []int{0}},
		{n: 100, edges: 1, starts: []int{0}},
		{n: 1000, edges: 2, starts: []int{7, 7, 9}},
		{n: 100_000, edges: 3, starts: []int{0}},
	} {
		depth, generated := m.depths()
		deepest := 0
		for _, d := range depth {
			deepest = max(deepest, d)
		}
		r := run(t, m, Options{})
		if r.Distinct != len(depth) || r.Generated != generated || r.Depth != deepest || !r.Complete || r.Stopped != "" {
			t.Errorf("%d states: %+v; want %d distinct, %d generated, depth %d", m.n, r, len(depth), generated, deepest)
		}
	}
}

func TestShortestTrace(t *testing.T) {
	m := tangle{n: 50_000, edges: 2, starts: []int{3, 4}}
	depth, _ := m.depths()
	for _, bad := range []int{3, 4, 5, 77, 4711, 31_415, 49_999} {
		m.bad = map[int]string{bad: "badness"}
		r := run(t, m, Options{})
		if depth[bad] == 0 {
			if !r.Complete {
				t.Errorf("%d cannot be reached: %+v", bad, r)
			}
			continue
		}
		if r.Violated != "badness" || r.Complete || len(r.Trace) != depth[bad] || r.Depth != depth[bad] {
			t.Fatalf("%d: violated %q, complete %v, depth %d, a trace of %d; want %d", bad, r.Violated, r.Complete, r.Depth, len(r.Trace), depth[bad])
		}
		if first := r.Trace[0]; !slices.Contains(m.starts, first.State) || first.Action != "" {
			t.Fatalf("%d: the trace starts with %+v", bad, first)
		}
		for i, step := range r.Trace[1:] {
			if !slices.Contains(m.AppendNext(nil, &r.Trace[i].State), step) {
				t.Fatalf("%d: no step leads from %+v to %+v", bad, r.Trace[i], step)
			}
		}
		if last := r.Trace[len(r.Trace)-1].State; last != bad {
			t.Fatalf("%d: the trace ends in %d", bad, last)
		}
	}
}

func TestWorkersChangeNothing(t *testing.T) {
	models := []tangle{
		{n: 40_000, edges: 3, starts: []int{0}},
		{n: 40_000, edges: 3, starts: []int{0}, bad: map[int]string{30_000: "a", 30_001: "b", 3: "", 39_998: "c"}},
	}
	for bad := range 12 { // in so small a graph there are several shortest ways to most states
		models = append(models, tangle{n: 5000, edges: 20, starts: []int{0}, bad: map[int]string{bad + 1000: "a"}})
	}
	for _, m := range models {
		for _, o := range []Options{{}, {MaxStates: 10_000}, {MaxDepth: 6}} {
			one := run(t, m, o)
			for _, o.Workers = range []int{1, 2, 3, 40} {
				if many := run(t, m, o); !reflect.DeepEqual(one, many) {
					t.Errorf("%+v:\n%+v, with one worker\n%+v", o, many, one)
				}
			}
		}
	}
}

func TestBounds(t *testing.T) {
	m := tangle{n: 100_000, edges: 3, starts: []int{0}}
	depth, _ := m.depths()
	within := func(d int) (n int) {
		for _, x := range depth {
			if x <= d {
				n++
			}
		}
		return n
	}
	r := run(t, m, Options{MaxDepth: 7})
	if r.Complete || r.Depth != 7 || r.Distinct != within(7) || !strings.Contains(r.Stopped, "stopped at depth 7, its bound") {
		t.Errorf("depth 7: %+v; want %d states", r, within(7))
	}
	r = run(t, m, Options{MaxStates: 20_000})
	if r.Complete || r.Distinct < 20_000 || r.Distinct > 20_000+3*8192 || !strings.Contains(r.Stopped, "its bound is 20000 states") {
		t.Errorf("20,000 states: %+v", r)
	}
	for i := range 40_000 {
		m.starts = append(m.starts, i)
	}
	r = run(t, m, Options{MaxStates: 45_000}) // a level of several rounds is left in the middle
	if r.Complete || r.Distinct < 45_000 || r.Distinct > 45_000+3*8192 {
		t.Errorf("45,000 states: %d distinct, complete %v", r.Distinct, r.Complete)
	}
	m.starts = m.starts[:1]
	if r = run(t, m, Options{MaxStates: 1}); r.Distinct != 1 || r.Complete {
		t.Errorf("1 state: %+v", r)
	}
	r = run(t, m, Options{MaxStates: 100_001, MaxDepth: 1000})
	if !r.Complete || r.Stopped != "" {
		t.Errorf("bounds that are not hit: %+v", r)
	}
}

// A search that has seen everything is complete, even if it has just come to its bounds.
func TestBoundsThatAreJustEnough(t *testing.T) {
	m := tangle{n: 1000, edges: 2, starts: []int{0}}
	all := run(t, m, Options{})
	if r := run(t, m, Options{MaxDepth: all.Depth + 1}); !r.Complete {
		t.Errorf("depth %d: %+v", all.Depth+1, r)
	}
	m = tangle{n: 1, edges: 0, starts: []int{0}}
	if r := run(t, m, Options{MaxStates: 2}); !r.Complete {
		t.Errorf("one state of two: %+v", r)
	}
}

func TestOptionsAreRefused(t *testing.T) {
	m := tangle{n: 10, edges: 1, starts: []int{0}}
	for _, o := range []Options{{Workers: -1}, {MaxStates: -1}, {MaxDepth: -1}} {
		if _, err := Run(m, o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
	if _, err := Run(tangle{n: 10, edges: 1}, Options{}); err == nil || !strings.Contains(err.Error(), "no initial state") {
		t.Errorf("without an initial state: %v", err)
	}
}

// necklace is a ring of beads, one of which is turned in each step. With symmetry only the number of beads of a colour counts.
type necklace struct{ symmetric bool }

type beads [4]uint8

func (m necklace) Initial() []beads { return []beads{{}} }

func (m necklace) AppendNext(steps []Step[beads, int], s *beads) []Step[beads, int] {
	for i := range s {
		next := *s
		next[i] = (next[i] + 1) % 3
		steps = append(steps, Step[beads, int]{Action: i, State: next})
	}
	return steps
}

func (m necklace) AppendKey(key []uint64, s *beads) []uint64 {
	orders := [][]int{{0, 1, 2, 3}}
	if m.symmetric {
		orders = Permutations(4)
	}
	var smallest []uint64
	for _, order := range orders {
		var k []uint64
		for _, i := range order {
			k = append(k, uint64(s[i]))
		}
		if smallest == nil || slices.Compare(k, smallest) < 0 {
			smallest = k
		}
	}
	return append(key, smallest...)
}

func (m necklace) Check(s *beads) string {
	if *s == (beads{2, 2, 2, 2}) {
		return "all turned twice"
	}
	return ""
}

func TestSymmetry(t *testing.T) {
	// 3⁴ states, 15 up to order; the trace is one of real states in either case.
	for _, m := range []necklace{{false}, {true}} {
		r := run(t, m, Options{})
		if len(r.Trace) != 9 {
			t.Fatalf("symmetric %v: a trace of %d states, want 9", m.symmetric, len(r.Trace))
		}
		for i, step := range r.Trace[1:] {
			if !slices.Contains(m.AppendNext(nil, &r.Trace[i].State), step) {
				t.Errorf("symmetric %v: no step leads from %v to %v", m.symmetric, r.Trace[i].State, step.State)
			}
		}
	}
	if r := run(t, Model[beads, int](unchecked{necklace{true}}), Options{}); r.Distinct != 15 || r.Generated != 1+15*4 {
		t.Errorf("%d distinct, %d generated; want 15, 61", r.Distinct, r.Generated)
	}
	if r := run(t, Model[beads, int](unchecked{necklace{false}}), Options{}); r.Distinct != 81 || r.Generated != 1+81*4 {
		t.Errorf("%d distinct, %d generated; want 81, 325", r.Distinct, r.Generated)
	}
}

type unchecked struct{ necklace }

func (unchecked) Check(*beads) string { return "" }

func TestPermutations(t *testing.T) {
	if got := fmt.Sprint(Permutations(3)); got != "[[0 1 2] [0 2 1] [1 0 2] [1 2 0] [2 0 1] [2 1 0]]" {
		t.Error(got)
	}
	if n := len(Permutations(5)); n != 120 {
		t.Errorf("5 things have %d orders", n)
	}
	if got := fmt.Sprint(Permutations(0)); got != "[[]]" {
		t.Error(got)
	}
}

func TestTableIsASet(t *testing.T) {
	var tab table
	seen := map[uint64]bool{}
	random := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		f := random.Uint64N(10_000) << 4 // zero is among them, and many have the same place
		if isNew := tab.insert(f); isNew == seen[f] {
			t.Fatalf("%x: new %v", f, isNew)
		}
		seen[f] = true
	}
}

// The fingerprint is part of what makes a search the same on every machine, so it must not change unnoticed.
func TestFingerprintIsFixed(t *testing.T) {
	got := []uint64{Fingerprint(nil), Fingerprint([]uint64{0}), Fingerprint([]uint64{1}), Fingerprint([]uint64{1, 2}), Fingerprint([]uint64{2, 1})}
	want := []uint64{0x6b61666b61000001, 0x8a9d971d9c7d9d08, 0xcf5fb4537d567267, 0x8a8f9e0fc6e6d6d1, 0x2e19aadb4d5d0e22}
	if !slices.Equal(got, want) {
		t.Errorf("%#x, want %#x", got, want)
	}
}
