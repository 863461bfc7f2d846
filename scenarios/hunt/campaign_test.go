package hunt

import (
	"context"
	"strings"
	"testing"

	"kafkatrial/checker"
	"kafkatrial/scenarios"
	"kafkatrial/scenarios/shrink"
	"kafkatrial/sim"
)

func TestAnInterruptKeepsWhatWasFound(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	done := 0
	r, err := Campaign(ctx, open(t, "bare-retry"), Options{Runs: 100_000, Seed: 1, Jobs: 2, Claims: []checker.Claim{checker.AtMostOnce}, Progress: func(p Progress) {
		if p.Done != done+1 || p.Runs != 100_000 || p.Probes > p.AllProbes {
			t.Errorf("after %d runs: %+v", done, p)
		}
		done = p.Done
		if len(p.Violations) > 0 && p.Done >= 50 {
			stop()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Interrupted || r.Runs < 50 || r.Runs > 60 || len(r.Found) == 0 || r.Violations[0].Count == 0 {
		t.Errorf("interrupted %v after %d runs, found %d", r.Interrupted, r.Runs, len(r.Found))
	}
}

// TestAnInterruptEndsShrinking: what has not been shrunk by then is kept as it was found, and can be shrunk later.
func TestAnInterruptEndsShrinking(t *testing.T) {
	o := open(t, "bare-retry")
	found := func() *Report {
		r, err := Campaign(context.Background(), o, Options{Runs: 200, Seed: 13})
		if err != nil || len(r.Found) < 2 {
			t.Fatal(r, err)
		}
		return r
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	cut, whole := found(), found()
	cut.Shrink(ctx)
	whole.Shrink(context.Background())
	for i := range cut.Found {
		a, b := &cut.Found[i], &whole.Found[i]
		if !a.Unshrunk || b.Unshrunk || len(a.Decisions) != len(a.answers) || len(b.Decisions) > len(a.Decisions) {
			t.Errorf("%s: interrupted %v, %d of %d decisions; not interrupted %v, %d", a.Title(), a.Unshrunk, len(a.Decisions), len(a.answers), b.Unshrunk, len(b.Decisions))
		}
		c, ok := shrink.New(o.File, a.options, a.Identity("bare-retry").List, a.Failure())
		if !ok || shrink.Shrink(c, shrink.Limits{}).Length() != b.small.Length() {
			t.Errorf("%s: what was kept does not become as short as what was shrunk at once", a.Title())
		}
	}
}

// TestOneRunIsShrunkOnce: what a run broke about one record is shown by one short run.
func TestOneRunIsShrunkOnce(t *testing.T) {
	r, err := Campaign(context.Background(), open(t, "bare-retry"), Options{Runs: 50, Seed: 1, Until: true, Claims: []checker.Claim{checker.AtMostOnce, checker.ExactlyOnce}})
	if err != nil || len(r.Found) < 2 {
		t.Fatal(r, err)
	}
	r.Shrink(context.Background())
	first := &r.Found[0]
	for i := range r.Found {
		v := &r.Found[i]
		if v.small.Run != first.small.Run {
			t.Errorf("%s of run %d was shrunk again", v.Title(), v.Run)
		}
		if _, shown := v.Failure().In(v.small.Run); !shown || v.Sentence == "" {
			t.Errorf("%s does not show in the short run", v.Title())
		}
	}
}

// TestUntilReportsTheLowestRun: whichever job comes first, what is reported is what one job would find.
func TestUntilReportsTheLowestRun(t *testing.T) {
	hunt := func(jobs int) *Report {
		r, err := Campaign(context.Background(), open(t, "bare-retry"), Options{Runs: 500, Seed: 3, Jobs: jobs, Until: true, Claims: []checker.Claim{checker.AtMostOnce}})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	one, many := hunt(1), hunt(4)
	if len(one.Found) == 0 || one.Found[0].Run != many.Found[0].Run || one.Runs != many.Runs || one.Steps != many.Steps {
		t.Errorf("one job: %d runs, %d steps; four jobs: %d runs, %d steps", one.Runs, one.Steps, many.Runs, many.Steps)
	}
	if one.Runs != one.Found[0].Run+1 {
		t.Errorf("%d runs count, and the first violation is in run %d", one.Runs, one.Found[0].Run)
	}
}

// TestARunIsFoundAgainByItsNumber: a run depends on the seed and its number, and on nothing else.
func TestARunIsFoundAgainByItsNumber(t *testing.T) {
	o := Options{Runs: 200, Seed: 5, Until: true, Claims: []checker.Claim{checker.AtMostOnce}}
	all, err := Campaign(context.Background(), open(t, "bare-retry"), o)
	if err != nil {
		t.Fatal(err)
	}
	o.First, o.Runs = all.Found[0].Run, 1
	one, err := Campaign(context.Background(), open(t, "bare-retry"), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(one.Found) != 1 || one.Found[0].Steps != all.Found[0].Steps || one.Found[0].Sentence != all.Found[0].Sentence {
		t.Errorf("run %d alone finds %+v", o.First, one.Found)
	}
}

func TestWhatCanNotBeHunted(t *testing.T) {
	for _, o := range []Options{
		{Runs: 1, Base: scenarios.Options{Kafka: "9.9"}},
		{Runs: 1, Base: scenarios.Options{Set: []scenarios.Setting{{Key: "acks", Value: "most"}}}},
		{Runs: 1, Unless: []string{"kip-0"}},
	} {
		if _, err := Campaign(context.Background(), open(t, "bare-retry"), o); err == nil {
			t.Errorf("%+v is hunted", o)
		}
	}
}

// TestFaultsStrikeApplicationsAtTheirWork: a script that has sent its records is over before an application has made
// anything of them, and what is done after it is tried all the same. Where no application writes, faults end with the script.
func TestFaultsStrikeApplicationsAtTheirWork(t *testing.T) {
	r, err := Campaign(context.Background(), open(t, "bare-application"), Options{Runs: 50, Seed: 1, Until: true, Claims: []checker.Claim{checker.AtLeastOnce}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Found) != 1 || r.Found[0].Level != checker.AtApplication {
		t.Fatalf("%d runs found %+v; want a record without its row", r.Runs, r.Found)
	}
	again, err := scenarios.New(r.Found[0].opened.File, scenarios.Options{FaultModel: r.Found[0].options.FaultModel, Source: &sim.Replay{Answers: r.Found[0].answers}})
	if err != nil {
		t.Fatal(err)
	}
	if again.Finish(); again.Err() != nil {
		t.Error(again.Err())
	}
	if r, err = Campaign(context.Background(), open(t, "bare-retry"), Options{Runs: 1, Seed: 1}); err != nil || strings.Contains(r.Faults, "after=") {
		t.Errorf("without applications that write: %s, %v", r.Faults, err)
	}
}
