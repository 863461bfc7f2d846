package replicationspec

import (
	"fmt"
	"testing"
)

func bounds(g Generation, replicas, logSize, records, epochs int) Config {
	return Config{Generation: g, Replicas: replicas, LogSize: logSize, Records: records, Epochs: epochs}
}

func symmetric(c Config) Config {
	c.Symmetry = true
	return c
}

func split(c Config) Config {
	c.SplitFetch = true
	return c
}

func checking(c Config, invariants ...string) Config {
	c.Invariants = invariants
	return c
}

// tlcCount is what TLC prints for the public specification within these bounds.
type tlcCount struct {
	config                     Config
	distinct, generated, depth int
}

var counts = []tlcCount{
	{bounds(TruncateToHW, 2, 2, 2, 1), 1251, 2691, 16},
	{bounds(KIP101, 2, 2, 2, 1), 1177, 2483, 15},
	{bounds(KIP279, 2, 2, 2, 1), 1177, 2753, 15},
	{bounds(KIP320FirstTry, 2, 2, 2, 1), 1165, 2399, 15},
	{bounds(KIP320, 2, 2, 2, 1), 957, 1819, 15},
	{bounds(TruncateToHW, 3, 2, 2, 1), 67807, 222712, 21},
	{bounds(KIP320, 3, 2, 2, 1), 39619, 104488, 22},
	{symmetric(bounds(KIP101, 3, 2, 2, 1)), 10111, 31875, 22},
	{symmetric(bounds(KIP320, 3, 2, 2, 1)), 6713, 17753, 22},
	{symmetric(bounds(KIP279, 3, 2, 2, 2)), 270050, 1122953, 26},
	{bounds(KIP320, 3, 2, 2, 2), 737794, 1967560, 26},
}

// large says whether a count is left out of a short run.
func (c tlcCount) large() bool { return c.distinct > 100_000 }

func testName(c Config) string {
	name := c.String()
	if c.Symmetry {
		name += " symmetry"
	}
	for _, inv := range c.Invariants {
		name += " " + inv
	}
	return name
}

func check(t *testing.T, c Config) Result {
	t.Helper()
	r, err := Check(c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The model has exactly as many states, steps and levels as TLC finds in the specification that it follows.
func TestCountsEqualTLC(t *testing.T) {
	for _, want := range counts {
		t.Run(testName(want.config), func(t *testing.T) {
			if want.large() && testing.Short() {
				t.Skip("large")
			}
			r := check(t, want.config)
			if r.Distinct != want.distinct || r.Generated != want.generated || r.Depth != want.depth {
				t.Errorf("%d distinct, %d generated, depth %d; TLC has %d, %d, %d",
					r.Distinct, r.Generated, r.Depth, want.distinct, want.generated, want.depth)
			}
			if !r.Complete || r.Stopped != "" || r.Violation != nil {
				t.Errorf("complete %v, stopped %q, violation %v; want a complete search", r.Complete, r.Stopped, r.Violation)
			}
		})
	}
}

// shortest is the length, in states, of TLC's counterexample. For KIP320Unfenced there is no count of TLC; the length is what
// this model gives.
var shortest = []struct {
	config Config
	states int
}{
	{checking(bounds(TruncateToHW, 2, 2, 2, 1), WeakIsr), 9},
	{checking(bounds(TruncateToHW, 2, 2, 2, 1), StrongIsr), 10},
	{checking(bounds(KIP101, 3, 2, 2, 1), StrongIsr), 12},
	{checking(bounds(KIP279, 3, 2, 2, 2), StrongIsr), 11},
	{checking(bounds(KIP320FirstTry, 3, 2, 2, 2), WeakIsr), 12},
	{checking(bounds(KIP320FirstTry, 3, 2, 2, 2), StrongIsr), 13},
	{checking(bounds(KIP320Unfenced, 3, 2, 2, 2), StrongIsr), 14},
}

func TestShortestCounterexamples(t *testing.T) {
	for _, want := range shortest {
		for _, c := range []Config{want.config, symmetric(want.config)} {
			t.Run(testName(c), func(t *testing.T) {
				r := check(t, c)
				if r.Violation == nil {
					t.Fatal("no counterexample")
				}
				if n := len(r.Violation.Steps); n != want.states || r.Depth != n || r.Complete || r.Violation.Invariant != c.Invariants[0] {
					t.Errorf("%d states, depth %d, complete %v, of %s; want %d", n, r.Depth, r.Complete, r.Violation.Invariant, want.states)
				}
				replay(t, c, r.Violation)
			})
		}
	}
}

// remembered are the generations in which a leader remembers its followers, over all states: within these bounds each is searched to
// the end, or to the shortest counterexample (states, of StrongIsr). There is no count of TLC for them; TestRememberedAgainstASecondWriting
// compares smaller bounds with a second writing of the rules.
var remembered = []struct {
	config                     Config
	distinct, generated, depth int
	states                     int
}{
	{bounds(Remembered, 3, 1, 1, 2), 0, 0, 0, 14},
	{bounds(ForgetOnSkippedEpoch, 3, 1, 1, 2), 45547, 139358, 24, 0},
	{bounds(ForgetOnEveryEpoch, 3, 1, 1, 2), 43759, 135618, 24, 0},
	{bounds(EpochWithLogEnd, 3, 1, 1, 2), 43759, 135618, 24, 0},
	{split(bounds(Remembered, 3, 1, 1, 2)), 0, 0, 0, 16},
	{split(bounds(ForgetOnSkippedEpoch, 3, 1, 1, 2)), 0, 0, 0, 16},
	{split(bounds(ForgetOnEveryEpoch, 3, 1, 1, 2)), 0, 0, 0, 16},
	{split(bounds(EpochWithLogEnd, 3, 1, 1, 2)), 91305, 264754, 31, 0},
}

// A leader that remembers its followers over an epoch that it has missed loses a committed record; each mending closes that, and once a
// fetch is served in one step and noted in another, only the last one does.
func TestRememberedFollowers(t *testing.T) {
	for _, want := range remembered {
		c := symmetric(checking(want.config, StrongIsr))
		t.Run(testName(c), func(t *testing.T) {
			r := check(t, c)
			if want.states > 0 {
				if r.Violation == nil || len(r.Violation.Steps) != want.states {
					t.Fatalf("violation %v, want one of %d states", r.Violation, want.states)
				}
				replay(t, c, r.Violation)
				return
			}
			if r.Violation != nil || !r.Complete || r.Distinct != want.distinct || r.Generated != want.generated || r.Depth != want.depth {
				t.Errorf("violation %v, complete %v, %d distinct, %d generated, depth %d; want %d, %d, %d",
					r.Violation != nil, r.Complete, r.Distinct, r.Generated, r.Depth, want.distinct, want.generated, want.depth)
			}
		})
	}
}

// replay takes the steps of a trace again by the names of their actions, and sees whether each is allowed, leads to the state
// that the trace shows, and whether only the last state is bad.
func replay(t *testing.T, c Config, trace *Trace) {
	t.Helper()
	m, err := newModel(c)
	if err != nil {
		t.Fatal(err)
	}
	s := initial(c.Replicas)
	for i, want := range trace.Steps {
		if i > 0 {
			next, ok := take(m, &s, want.Action)
			if !ok {
				t.Fatalf("step %d, %q, is not enabled", want.Number, want.Action)
			}
			s = next
		}
		if got := fmt.Sprint(m.view(&s)); got != fmt.Sprint(want.State) || want.Number != i+1 {
			t.Fatalf("step %d leads to %s, not to %v", want.Number, got, want.State)
		}
		if isLast, isBad := i == len(trace.Steps)-1, m.violated(&s) != ""; isLast != isBad {
			t.Fatalf("step %d of %d: the invariant is violated: %v", want.Number, len(trace.Steps), isBad)
		}
	}
}

func take(m *model, s *state, name string) (state, bool) {
	for _, next := range m.next(nil, s) {
		if next.action.name() == name {
			return next.state, true
		}
	}
	return state{}, false
}

// KIP-320 keeps all invariants wherever the older generations were seen to lose one.
func TestKIP320Holds(t *testing.T) {
	for _, c := range []Config{bounds(KIP320, 2, 2, 2, 1), bounds(KIP320, 3, 2, 2, 1), symmetric(bounds(KIP320, 3, 2, 2, 2))} {
		t.Run(testName(c), func(t *testing.T) {
			if r := check(t, checking(c, InvariantNames()...)); !r.Complete || r.Violation != nil {
				t.Errorf("complete %v: %v", r.Complete, r.Violation)
			}
		})
	}
}

// The true leader stays in the ISR in every generation, those included that lose records.
func TestLeaderInIsrOrNoneHolds(t *testing.T) {
	for _, g := range Generations() {
		if r := check(t, checking(symmetric(bounds(g, 3, 2, 2, 1)), LeaderInIsrOrNone)); !r.Complete {
			t.Errorf("%s: complete %v: %v", g, r.Complete, r.Violation)
		}
	}
}
