package explore

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"kafkatrial/checker"
	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
	"kafkatrial/sim"
)

// onlySends is a script that does nothing but send: what goes wrong is for the explorer to find. It goes on
// for a while, so that faults can strike after the last acknowledgement.
const onlySends = `
name: only-sends
title: Two records
kafka: "0.10"
cluster: {brokers: 3}
topics:
  orders: {replicas: [[1, 2, 3]], config: {min.insync.replicas: 2, unclean.leader.election.enable: false}}
producers:
  p: {config: {acks: all}}
script:
  - send: {records: [m1]}
  - wait: {acked: m1, for: 30s}
  - send: {records: [m2]}
  - wait: {acked: m2, for: 30s}
  - after: 20s
    say: That was all.
claims: {at-most-once: holds, at-least-once: holds, exactly-once: holds}
`

// oneRecord is as small as a scenario with a consumer can be.
const oneRecord = `
name: one-record
title: One record
kafka: "0.10"
cluster: {brokers: 2}
topics:
  orders: {replicas: [[1, 2]]}
producers:
  p: {config: {acks: 1, retries: 1}}
consumers:
  c: {topics: [orders], config: {auto.offset.reset: earliest}}
script:
  - send: {records: [m1]}
  - wait: {acked: m1, for: 300ms}
claims: {at-most-once: holds, at-least-once: holds, exactly-once: holds}
`

func open(t testing.TB, text string) *scenarios.Opened {
	t.Helper()
	f, problems := format.Load("test.yaml", []byte(text), scenarios.Vocabulary)
	if f == nil || len(problems) > 0 {
		t.Fatal(scenarios.Problems(problems))
	}
	return &scenarios.Opened{File: f, Path: "test.yaml", Source: []byte(text)}
}

func run(t testing.TB, opened *scenarios.Opened, o Options) *Report {
	t.Helper()
	r, err := Run(context.Background(), opened, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var killBrokers = sim.FaultModel{Node: sim.CanKill, Budget: 2, Among: []string{"b1", "b2"}}

// Nobody tells the explorer of KIP-101: a script that only sends, and brokers that may die twice.
func TestFindsTheLossOfKIP101(t *testing.T) {
	o := Options{Deviations: 2, AtNews: true, Faults: killBrokers}
	old := run(t, open(t, onlySends), o)
	if old.Lost == 0 {
		t.Errorf("no acknowledged record is lost under 0.10:\n%s", old.Text(100))
	}
	o.Base.Kafka = "0.11"
	if fixed := run(t, open(t, onlySends), o); fixed.Lost > 0 {
		t.Errorf("an acknowledged record is lost under 0.11:\n%s", fixed.Text(100))
	}
	t.Log(old.Text(100))
}

// A witness is a run like any other: its answers file leads to it, strictly, and to the same rulings.
func TestWitnessesReplay(t *testing.T) {
	opened := open(t, onlySends)
	r := run(t, opened, Options{Deviations: 2, AtNews: true, Faults: killBrokers})
	if len(r.Outcomes) < 2 {
		t.Fatalf("%d outcomes are too few to try", len(r.Outcomes))
	}
	for _, o := range r.Outcomes {
		a, err := sim.ParseAnswers("witness", []byte(o.Identity("only-sends").Text()))
		if err != nil {
			t.Fatal(err)
		}
		var options scenarios.Options
		if err := options.Follow(opened.File, a); err != nil {
			t.Fatal(err)
		}
		replay := &sim.Replay{Answers: a.List}
		options.Source = replay
		again, err := scenarios.New(opened.File, options)
		if err != nil {
			t.Fatal(err)
		}
		again.Finish()
		if err := again.Err(); err != nil || len(replay.Unused()) > 0 {
			t.Fatalf("%s: %v, unused %v", o.words(), err, replay.Unused())
		}
		if again.World.Hash() != a.Hash || again.World.Steps() != o.Steps {
			t.Errorf("%s: the replay is another run", o.words())
		}
		if got := outcomeOf(again); !o.same(got) {
			t.Errorf("the witness of %q comes to %q", o.words(), got.words())
		}
	}
}

// What is cut because it is known must not hide an outcome: every run within the bounds is made from its
// beginning, without copies and keys, and comes to an outcome of the report; and each of these is come to.
func TestFindsWhatRunningEverythingFinds(t *testing.T) {
	opened := open(t, oneRecord)
	faultModels := map[string]sim.FaultModel{
		"kills":      {Node: sim.CanKill, Budget: 1, Among: []string{"b1", "b2"}},
		"losses":     {Lose: true, Budget: 1},
		"late":       {Late: []sim.Time{5 * sim.Millisecond}},
		"reordering": {Reorder: 4},
	}
	missed := false
	for name, faults := range faultModels {
		o := Options{Deviations: 1, Faults: faults, Recent: true}
		report := run(t, opened, o)
		missed = missed || report.Missed > 0
		found := make([]bool, len(report.Outcomes))
		dfs := &after{DFS: sim.DFS{Deviations: 1}}
		runs := 0
		for ; dfs.Begin(); runs++ {
			r, err := scenarios.New(opened.File, scenarios.Options{FaultModel: faults, Source: dfs, Recent: true})
			if err != nil {
				t.Fatal(err)
			}
			dfs.run = r
			r.Finish()
			got := outcomeOf(r)
			i := slices.IndexFunc(report.Outcomes, got.same)
			if i < 0 {
				t.Fatalf("%s: the report has no outcome %q", name, got.words())
			}
			found[i] = true
		}
		for i, ok := range found {
			if !ok {
				t.Errorf("%s: no run comes to %q", name, report.Outcomes[i].words())
			}
		}
		t.Logf("%s: %d runs, %d outcomes, %d ends", name, runs, len(found), report.Ends)
	}
	if !missed {
		t.Error("no reader ever misses a record that was acknowledged before it asked")
	}
}

// after is a search that leaves a cluster in peace until it has come up.
type after struct {
	sim.DFS
	run *scenarios.Run
}

func (s *after) Choose(p sim.Point) (int, error) {
	if !s.run.Ready() {
		return 0, nil
	}
	return s.DFS.Choose(p)
}

func TestSaysWhetherItIsComplete(t *testing.T) {
	if testing.Short() {
		t.Skip("whole explorations, several times")
	}
	opened := open(t, oneRecord)
	kill := sim.FaultModel{Node: sim.CanKill, Budget: 1, Among: []string{"b1"}}
	whole := run(t, opened, Options{Deviations: -1, Faults: kill})
	if !whole.Complete || len(whole.Bounds) > 0 {
		t.Errorf("an exploration without bounds is not complete: %v", whole.Bounds)
	}
	for what, o := range map[string]Options{
		"more than one answer": {Deviations: 1, Faults: sim.FaultModel{Node: sim.CanKill, Budget: 2, Among: []string{"b1"}}},
		"right after steps":    {Deviations: -1, AtNews: true, Faults: kill},
		"transitions":          {Deviations: -1, MaxTransitions: 5000, Faults: kill},
		"states":               {Deviations: -1, MaxStates: 20, Faults: kill},
	} {
		r := run(t, opened, o)
		if r.Complete || !strings.Contains(strings.Join(r.Bounds, " "), what) {
			t.Errorf("an exploration that is bounded by %q says: complete %v, %v", what, r.Complete, r.Bounds)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if r, err := Run(ctx, opened, Options{Deviations: -1, Faults: kill}); err != nil || r.Complete {
		t.Errorf("an exploration that was stopped is complete, or fails: %v", err)
	}
}

func TestTheSameTwice(t *testing.T) {
	o := Options{Deviations: 2, AtNews: true, Faults: sim.FaultModel{Node: sim.CanKill | sim.CanPause, Cut: true, Budget: 2}, MaxTransitions: 300_000}
	var texts [2]string
	for i := range texts {
		r := run(t, open(t, oneRecord), o)
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = r.Text(80) + string(data)
	}
	if texts[0] != texts[1] {
		t.Errorf("two explorations differ:\n%s\n%s", texts[0], texts[1])
	}
}

func TestOutcomesAreDistinct(t *testing.T) {
	r := run(t, open(t, oneRecord), Options{Deviations: 2, AtNews: true, Faults: sim.FaultModel{Node: sim.CanKill, Budget: 2}})
	for i, o := range r.Outcomes {
		for _, p := range r.Outcomes[:i] {
			if o.same(p) {
				t.Errorf("%q is listed twice", o.words())
			}
		}
		if o.Deviations != len(o.Answers) || o.Ends == 0 {
			t.Errorf("%q: %d deviations, %d answers, %d ends", o.words(), o.Deviations, len(o.Answers), o.Ends)
		}
		if v := o.Verdicts; len(v) != 6 || v[0].Claim != checker.AtMostOnce {
			t.Errorf("%q has %d verdicts", o.words(), len(v))
		}
	}
}

// TestAnAbortedRecordInEffectIsNeitherLostNorDoubled: m2 is there once, and should not be.
func TestAnAbortedRecordInEffectIsNeitherLostNorDoubled(t *testing.T) {
	opened, err := scenarios.Open("late-commit-ends-the-next-transaction")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(context.Background(), opened, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Unwanted != 1 || r.Lost+r.Doubled != 0 || r.Outcomes[0].words() != "m2 in effect though taken back" {
		t.Errorf("%d unwanted, %d lost, %d doubled; %s", r.Unwanted, r.Lost, r.Doubled, r.Outcomes[0].words())
	}
}

// TestFaultsStrikeApplicationsAtTheirWork: the script is over when the record is acknowledged, and the application has yet
// to commit to the database.
func TestFaultsStrikeApplicationsAtTheirWork(t *testing.T) {
	opened, err := scenarios.Open("../hunt/testdata/bare-application.yaml")
	if err != nil {
		t.Fatal(err)
	}
	r := run(t, opened, Options{Faults: sim.FaultModel{Node: sim.CanKill, Budget: 1, Among: []string{"db"}}, Deviations: 1})
	if !slices.ContainsFunc(r.Outcomes, func(o *Outcome) bool { return slices.Equal(o.Lost, []string{"m1 at the application"}) }) {
		t.Errorf("no outcome has the record without its row:\n%s", r.Text(100))
	}
}
