package hunt

import (
	"context"
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
	fix       string // the rule that mends it, "" for one that is no rule of the model's but a setting
	set       string // the setting that mends it
	shortest  int    // decisions of the shortest failing run that is known
	// tries are seeds with the first run from which to look. They are chosen: hunts in which something is found
	// soon and shrinks to within 1.5 times the shortest. They guard what works against getting worse, and are no
	// sample: of 20 seeds the divergence of KIP-101 misses that bound in 11, KIP-279 in 2. docs/track-record.md
	// has the medians over all 20.
	tries [][2]int
}

func historicals() []historical {
	return []historical{
		{name: "KIP-101: a record cut at the high watermark", file: "bare-truncation", faults: "kill pause cut late=20ms,200ms,2000ms", claim: checker.AtLeastOnce, fix: "kip-101", shortest: 2, tries: [][2]int{{5, 90}, {10, 20}, {12, 70}}},
		{name: "KIP-101: replicas part after a power loss", file: "bare-divergence", faults: "kill pause power-loss", invariant: checker.LogMatching, fix: "kip-101", shortest: 2, tries: [][2]int{{5, 180}, {11, 230}, {12, 530}}},
		{name: "KIP-279: a fast fail-over", file: "bare-fail-over", faults: "kill cut orders", invariant: checker.LogMatching, fix: "kip-279", shortest: 2, tries: [][2]int{{6, 10}, {8, 130}, {9, 460}}},
		{name: "KIP-98: a retry writes a record twice", file: "bare-retry", faults: Everything.String(), claim: checker.AtMostOnce, set: "enable.idempotence=true", shortest: 1, tries: [][2]int{{1, 0}, {2, 0}, {3, 0}}},
	}
}

func (h historical) options(t testing.TB, seed uint64, runs int) Options {
	t.Helper()
	a, err := sim.ParseAlphabet(h.faults)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Runs: runs, Seed: seed, Jobs: 2, Until: true, Faults: a, Claims: []checker.Claim{checker.Atomic}}
	if h.claim != "" {
		o.Claims = []checker.Claim{h.claim}
	} else {
		o.Invariants = []string{h.invariant}
	}
	if h.fix != "" {
		o.Unless = []string{h.fix}
	}
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

// found hunts until something is found.
func (h historical) found(t testing.TB, try [2]int) *Violation {
	t.Helper()
	seed := uint64(try[0])
	o := h.options(t, seed, 20_000)
	o.First = try[1]
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
func (h historical) mended(c *shrink.Case, a sim.Alphabet) bool {
	if h.fix != "" {
		return mended(c.Run, c.Failure, []string{h.fix}, a)
	}
	o := c.Options
	o.Set = append(o.Set, scenarios.Setting{Key: "enable.idempotence", Value: "true"})
	_, still := shrink.New(c.File, o, c.Run.Answers(), c.Failure)
	return !still
}

// TestHistoricalFaultsAreFoundAndShrunk: from its chosen seeds a hunt finds each from a scenario that only sends, the shrinker comes
// close to the shortest run that is known, the rule that mends the fault mends the run, and the run can be
// written as a scenario.
func TestHistoricalFaultsAreFoundAndShrunk(t *testing.T) {
	for _, h := range historicals() {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			scripts := 0
			for _, try := range h.tries {
				v := h.found(t, try)
				seed := try[0]
				c, ok := v.Case()
				if !ok {
					t.Fatal("the answers do not lead to the run")
				}
				c = shrink.Shrink(c, shrink.Limits{})
				if 2*c.Length() > 3*h.shortest {
					t.Errorf("seed %d, run %d: %d decisions are left, the shortest known run has %d: %v", seed, v.Run, c.Length(), h.shortest, c.Decisions)
				}
				if !h.mended(c, v.options.Alphabet) {
					t.Errorf("seed %d, run %d: fails with the fault mended too", seed, v.Run)
				}
				src, err := c.Scenario("found")
				if err != nil {
					t.Logf("seed %d, run %d: %v", seed, v.Run, err)
					continue
				}
				scripts++
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
				if advice := format.Lint(f); len(advice) > 0 {
					t.Errorf("lint: %v\n%s", advice, src)
				}
			}
			if scripts == 0 {
				t.Errorf("none of %d runs can be written as a scenario", len(h.tries))
			}
		})
	}
}

// TestShrinkingMakesAnotherScenario: with the configuration shrunk too, the run still fails in the same way.
func TestShrinkingMakesAnotherScenario(t *testing.T) {
	h := historicals()[0]
	c, _ := h.found(t, h.tries[0]).Case()
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
			c, _ := h.found(b, h.tries[0]).Case()
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
