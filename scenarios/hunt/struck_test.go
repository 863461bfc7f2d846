package hunt

import (
	"context"
	"slices"
	"testing"
	"time"

	"kafkatrial/checker"
	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
	"kafkatrial/sim"
)

func loaded(t *testing.T, src string) *scenarios.Opened {
	t.Helper()
	f, problems := format.Load("f.yaml", []byte(src), scenarios.Vocabulary)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return &scenarios.Opened{File: f, Path: "f.yaml", Source: []byte(src)}
}

const hasty = `name: hasty
title: Three sends and no wait
kafka: "3.9"
topics: {orders: {}}
producers: {p: {}}
script:
  - send: {records: [m1]}
  - send: {records: [m2]}
`

// TestAReportSaysWhatWasTried: what struck, in how many runs, and what never did; the calm run is no run in which something
// was tried.
func TestAReportSaysWhatWasTried(t *testing.T) {
	opened := loaded(t, hasty)
	faults, err := sim.ParseFaultModel("kill lose") // so few that some runs are the calm one
	if err != nil {
		t.Fatal(err)
	}
	r, err := Campaign(context.Background(), opened, Options{Runs: 60, Seed: 1, Jobs: 1, Budget: 1, Faults: faults})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(r.EndsBefore, []string{"m1", "m2"}) {
		t.Errorf("ends before %v", r.EndsBefore)
	}
	if !slices.Contains(r.NotLookedFor, string(checker.Available)) || slices.Contains(r.NotLookedFor, string(checker.Ordered)) || slices.Contains(r.NotLookedFor, string(checker.Atomic)) {
		t.Errorf("not looked for: %v", r.NotLookedFor)
	}
	differed, kills := 0, 0
	for i := range 60 {
		o := Options{Seed: 1, Claims: Looked(), Faults: r.faults(t), Budget: 1}
		pace, _, err := paceOf(opened.File, o.Base, o.Faults.After)
		if err != nil {
			t.Fatal(err)
		}
		out, _ := one(context.Background(), opened, o, pace, i)
		if out.differed {
			differed++
		}
		kills += out.struck["kill"]
	}
	if r.Differed != differed || differed == 0 || differed == 60 {
		t.Errorf("%d runs differed, want %d", r.Differed, differed)
	}
	if i := slices.IndexFunc(r.Struck, func(c Count) bool { return c.Name == "kill" }); i < 0 || r.Struck[i].Count != kills {
		t.Errorf("struck %v, want %d kills", r.Struck, kills)
	}
	if len(r.Struck)+len(r.NeverStruck) != len(r.faults(t).Classes()) {
		t.Errorf("struck %v, never %v, of %v", r.Struck, r.NeverStruck, r.faults(t).Classes())
	}
}

func (r *Report) faults(t *testing.T) sim.FaultModel {
	t.Helper()
	a, err := sim.ParseFaultModel(r.Faults)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestWhatACutOffRunBreaksNoRestMends: a run is cut off before it has come to rest. What it is said to have broken is broken
// however long it rests.
func TestWhatACutOffRunBreaksNoRestMends(t *testing.T) {
	cutOff, broke := 0, 0
	for _, name := range []string{"kip-101-truncation", "min-insync-one", "transactions-calm"} {
		opened, err := scenarios.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		f := *opened.File
		f.End.Within = format.Duration{Duration: 200 * time.Millisecond, Text: "200ms"}
		short := &scenarios.Opened{File: &f, Path: opened.Path, Source: opened.Source}
		o := Options{Seed: 1, Claims: checker.Claims(), Faults: Everything, Budget: DefaultBudget}
		o.Faults.After = scenarios.Work
		pace, _, err := paceOf(&f, o.Base, o.Faults.After)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 20 {
			out, _ := one(context.Background(), short, o, pace, i)
			if out.err != nil {
				t.Fatal(out.err)
			}
			if out.undecided {
				cutOff++
			}
			for _, v := range out.found {
				if !out.undecided {
					continue
				}
				broke++
				with := v.options
				with.Source = &sim.Replay{Answers: v.answers}
				again, err := scenarios.New(opened.File, with)
				if err != nil {
					t.Fatal(err)
				}
				again.Finish()
				if _, still := v.Failure().In(again); !still || again.Err() != nil {
					t.Errorf("%s, run %d: %s (%s) is mended by rest (%v)", name, i, v.Title(), v.Sentence, again.Err())
				}
			}
		}
	}
	if cutOff == 0 || broke == 0 {
		t.Errorf("%d runs were cut off, and %d claims broken in them: nothing was tried", cutOff, broke)
	}
}
