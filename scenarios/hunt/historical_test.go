package hunt

import (
	"context"
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"kafkatrial/checker"
	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
	"kafkatrial/scenarios/shrink"
	"kafkatrial/sim"
)

// historical is a fault that Kafka once had. Its scenario only sends; the faults are left to the hunt.
type historical struct {
	name      string
	file      string // in testdata
	faults    string
	claim     checker.Claim
	invariant string
	fix       []string // the rules that mend it, none for one that is no rule of the model's but a setting
	set       string   // the setting that mends it
	shortest  int      // decisions of the shortest failing run that is known
	// first is, for each seed from 1 on, the first run from which to look: the one that its hunt found when the list
	// was made. It saves the runs before, which find nothing.
	first [seeds]int
	// longer is for how many of the seeds what is left after shrinking is more than 1.5 times the shortest. It is to
	// become less, and not more.
	longer int
}

// KIP-101 as 0.11 has it does not mend all that it was made for: a new leader noted no start of its epoch before it wrote, and
// told of no end of an epoch that was older than all it knew of, which a power loss leads to. KAFKA-7415 (2.0.1) mended that.
// The fault of KIP-279 has become rarer in a cluster of 1.1 for the same reason, and that of KIP-101 in one of 0.10 since a
// fetcher's end holds up the controller's orders there (KAFKA-6051): with these rules in force in the scenario itself, the runs that
// were known before fail as before.
func historicals() []historical {
	return []historical{
		{name: "KIP-101: a record cut at the high watermark", file: "bare-truncation", faults: "kill pause cut late=20ms,200ms,2000ms", claim: checker.AtLeastOnce, fix: []string{"kip-101"}, shortest: 2,
			first: [seeds]int{421, 585, 238, 325, 3313, 1783, 442, 1790, 1033, 3201, 1313, 2369, 382, 466, 752, 2556, 135, 2720, 154, 872}},
		{name: "KIP-101: replicas part after a power loss", file: "bare-divergence", faults: "kill pause power-loss", invariant: checker.LogMatching, fix: []string{"kip-101", "kafka-7415"}, shortest: 3, longer: 2,
			first: [seeds]int{1372, 2753, 4079, 860, 187, 1418, 1460, 1508, 322, 880, 234, 4528, 314, 2638, 2290, 140, 2018, 720, 2731, 1945}},
		{name: "KIP-279: a fast fail-over", file: "bare-fail-over", faults: "kill cut orders", invariant: checker.LogMatching, fix: []string{"kip-279", "kafka-7415"}, shortest: 2,
			first: [seeds]int{15425, 277, 1547, 7483, 569, 16495, 801, 13128, 5639, 5856, 2311, 4267, 21647, 34314, 24249, 5724, 47954, 5218, 15556, 20016}},
		{name: "KIP-98: a retry writes a record twice", file: "bare-retry", faults: Everything.String(), claim: checker.AtMostOnce, set: "enable.idempotence=true", shortest: 1},
		{name: "KIP-890: a transaction that hangs", file: "bare-transaction", faults: "lose late=2000ms", claim: checker.AtLeastOnce, fix: []string{"kip-890-1"}, shortest: 1},
	}
}

func (h historical) options(t testing.TB, seed uint64, runs int) Options {
	t.Helper()
	a, err := sim.ParseFaultModel(h.faults)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Runs: runs, Seed: seed, Jobs: 2, Until: true, Faults: a, Claims: []checker.Claim{checker.Atomic}}
	if h.claim != "" {
		o.Claims = []checker.Claim{h.claim}
	} else {
		o.Invariants = []string{h.invariant}
	}
	o.Unless = h.fix
	return o
}

func open(t testing.TB, file string) *scenarios.Opened {
	t.Helper()
	o, err := scenarios.Open("testdata/" + file + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// found hunts with a seed until something is found.
func (h historical) found(t testing.TB, seed int) *Violation {
	t.Helper()
	o := h.options(t, uint64(seed), 20_000)
	o.First = h.first[seed-1]
	r, err := Campaign(context.Background(), open(t, h.file), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Found) == 0 {
		t.Fatalf("%s: seed %d finds nothing in %d runs", h.name, seed, r.Runs)
	}
	return &r.Found[0]
}

// mended says that the same decisions do no harm once the fault is mended.
func (h historical) mended(c *shrink.Case) bool {
	if len(h.fix) > 0 {
		return mended(c.Run, c.Failure, h.fix)
	}
	o := c.Options
	o.Set = append(o.Set, scenarios.Setting{Key: "enable.idempotence", Value: "true"})
	_, still := shrink.New(c.File, o, c.Run.Answers(), c.Failure)
	return !still
}

// TestHistoricalFaultsAreFoundAndShrunk: from each of 20 seeds a hunt finds each from a scenario that only sends, the
// shrinker comes close to the shortest run that is known, the rule that mends the fault mends the run, and most of the
// runs can be written as scenarios. The first six seeds stand for all; HUNT_SEEDS=20 takes every one, and some minutes.
func TestHistoricalFaultsAreFoundAndShrunk(t *testing.T) {
	if testing.Short() {
		t.Skip("campaigns until each fault of an old release is found, and shrunk")
	}
	last := 6
	if n, err := strconv.Atoi(os.Getenv("HUNT_SEEDS")); err == nil {
		last = min(n, seeds)
	}
	for _, h := range historicals() {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			scripts, longer := 0, 0
			for seed := 1; seed <= last; seed++ {
				v := h.found(t, seed)
				c, ok := v.Case()
				if !ok {
					t.Fatal("the answers do not lead to the run")
				}
				c = shrink.Shrink(c, shrink.Limits{})
				if 2*c.Length() > 3*h.shortest {
					longer++
					t.Logf("seed %d, run %d: %d decisions are left, the shortest known run has %d: %v", seed, v.Run, c.Length(), h.shortest, c.Decisions)
				}
				if c.Length() < h.shortest {
					t.Errorf("seed %d, run %d: %d decisions are shorter than the shortest known run: %v", seed, v.Run, c.Length(), c.Decisions)
				}
				if !h.mended(c) {
					t.Errorf("seed %d, run %d: fails with the fault mended too", seed, v.Run)
				}
				if mended(c.Run, c.Failure, nil) {
					t.Errorf("seed %d, run %d: is mended by no rule at all: its decisions are not taken again", seed, v.Run)
				}
				if h.written(t, c) {
					scripts++
				}
			}
			if longer > h.longer {
				t.Errorf("%d of %d runs are longer than 1.5 times the shortest, %d used to be", longer, last, h.longer)
			}
			if last >= 6 && 2*scripts < last { // three say nothing about how many can
				t.Errorf("%d of %d runs can be written as a scenario", scripts, last)
			}
		})
	}
}

// written says whether a run can be written as a scenario, which then does what it says.
func (h historical) written(t *testing.T, c *shrink.Case) bool {
	src, err := c.Scenario("found")
	if err != nil {
		t.Logf("%v: %v", c.Decisions, err)
		return false
	}
	f, problems := format.Load("found.yaml", src, scenarios.Vocabulary)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	r, err := scenarios.New(f, scenarios.Options{Invariants: h.invariant != ""})
	if err != nil {
		t.Fatal(err)
	}
	r.Finish()
	if _, same := c.Failure.In(r); !same {
		t.Errorf("the scenario does not fail in the same way\n%s", src)
	}
	if res := r.Result(); !res.AsStated() {
		t.Errorf("the scenario is not as stated: %v\n%s", res.Differs, src)
	}
	if advice := format.Lint(f, false); len(advice) > 0 {
		t.Errorf("lint: %v\n%s", advice, src)
	}
	return true
}

// TestShrinkingIsTheSameEverywhere: how many processors there are makes no difference, nor does a second try.
func TestShrinkingIsTheSameEverywhere(t *testing.T) {
	c, _ := historicals()[1].found(t, 13).Case()
	on := func(processors int) *shrink.Case {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		return shrink.Shrink(c, shrink.Limits{Search: 300})
	}
	one, many := on(1), on(4)
	if !slices.EqualFunc(one.Decisions, many.Decisions, func(a, b shrink.Decision) bool { return a.String() == b.String() }) || one.Run.World.Hash() != many.Run.World.Hash() {
		t.Errorf("on one processor %v is left, on four %v", one.Decisions, many.Decisions)
	}
	if one.Length() >= c.Length() {
		t.Errorf("%d decisions are left of %d", one.Length(), c.Length())
	}
}

// TestShrinkingMakesAnotherScenario: with the configuration shrunk too, the run still fails in the same way.
func TestShrinkingMakesAnotherScenario(t *testing.T) {
	h := historicals()[0]
	c, _ := h.found(t, 5).Case()
	small := shrink.Shrink(c, shrink.Limits{Configuration: true})
	if small.Source == nil || small.Failure != c.Failure {
		t.Fatalf("%v became %v", c.Failure, small.Failure)
	}
	f, problems := format.Load("small.yaml", small.Source, scenarios.Vocabulary)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	again, ok := shrink.New(f, small.Options, small.Run.Answers(), small.Failure)
	if !ok || again.Run.World.Hash() != small.Run.World.Hash() {
		t.Error("the answers do not lead to the same run of the smaller scenario")
	}
	if acks, _ := f.Producers[0].Config.Get("acks"); acks != "all" {
		t.Errorf("acks is %q: the failure is no longer one", acks)
	}
}

func BenchmarkShrink(b *testing.B) {
	for _, h := range historicals() {
		b.Run(h.file, func(b *testing.B) {
			c, _ := h.found(b, 5).Case()
			before := c.Length()
			for b.Loop() {
				c2 := shrink.Shrink(c, shrink.Limits{})
				b.ReportMetric(float64(c2.Length()), "decisions")
			}
			b.ReportMetric(float64(before), "before")
		})
	}
}

// BenchmarkCampaign is a hunt in a cluster of three brokers, checker included; with two jobs it should go at least
// 1.8 times as fast as with one.
func BenchmarkCampaign(b *testing.B) {
	for _, jobs := range []int{1, 2} {
		b.Run(map[int]string{1: "jobs=1", 2: "jobs=2"}[jobs], func(b *testing.B) {
			o := open(b, "bare-truncation")
			steps, runs := int64(0), 0
			for b.Loop() {
				r, err := Campaign(context.Background(), o, Options{Runs: 1000, Seed: 1, Jobs: jobs})
				if err != nil {
					b.Fatal(err)
				}
				steps, runs = steps+r.Steps, runs+r.Runs
			}
			b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "events/s")
			b.ReportMetric(float64(runs)/b.Elapsed().Seconds(), "runs/s")
		})
	}
}
