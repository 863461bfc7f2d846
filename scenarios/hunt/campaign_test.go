package hunt

import (
	"context"
	"testing"

	"kafkatrial/checker"
	"kafkatrial/scenarios"
)

func TestAnInterruptKeepsWhatWasFound(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	done := 0
	r, err := Campaign(ctx, open(t, "bare-retry"), Options{Runs: 100_000, Seed: 1, Jobs: 2, Claims: []checker.Claim{checker.AtMostOnce}, Progress: func(p Progress) {
		if p.Done != done+1 || p.Runs != 100_000 || p.Marks > p.AllMarks {
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
