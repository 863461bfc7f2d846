package story

import (
	"fmt"

	"kafkatrial/checker"
	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
)

// RunJSON is the output of run --format json. docs/output.md explains it; keys are only ever added.
type RunJSON struct {
	Scenario    string               `json:"scenario"`
	Title       string               `json:"title"`
	Kafka       string               `json:"kafka"`
	Settings    string               `json:"settings"`
	Seed        int                  `json:"seed"`
	Steps       int                  `json:"steps"`
	Hash        string               `json:"hash"`
	Claims      map[string]ClaimJSON `json:"claims"`
	AsStated    bool                 `json:"asStated"`
	Differs     []string             `json:"differs"`
	Undecided   string               `json:"undecided,omitempty"`
	Predictions []PredictionJSON     `json:"predictions"`
	Comparisons []ComparisonJSON     `json:"comparisons"`
	Refused     string               `json:"refused,omitempty"`
	Open        string               `json:"open"`
}

// ClaimJSON is the verdict on a claim: the graver of its levels on top, all levels below.
type ClaimJSON struct {
	Verdict  checker.Ruling       `json:"verdict"`
	Level    checker.Level        `json:"level"`
	Evidence checker.Evidence     `json:"evidence"`
	Levels   map[string]LevelJSON `json:"levels"`
}

// LevelJSON is the verdict at one level.
type LevelJSON struct {
	Verdict     checker.Ruling   `json:"verdict"`
	NotObserved bool             `json:"notObserved,omitempty"`
	Evidence    checker.Evidence `json:"evidence"`
}

// PredictionJSON is a question with the run's answer.
type PredictionJSON struct {
	Step    int      `json:"step"`
	Ask     string   `json:"ask"`
	Choices []string `json:"choices"`
	Answer  string   `json:"answer"`
}

// ComparisonJSON is a comparison that was run.
type ComparisonJSON struct {
	Label  string                    `json:"label"`
	Title  string                    `json:"title"`
	Kafka  string                    `json:"kafka"`
	Claims map[string]checker.Ruling `json:"claims"`
	// Levels has the verdicts of a claim at each level that somebody observes.
	Levels   map[string]map[checker.Level]checker.Ruling `json:"levels"`
	AsStated bool                                        `json:"asStated"`
	Differs  []string                                    `json:"differs"`
	PartsAt  int                                         `json:"partsAt"`
	// InSomeRuns is there where the comparison is the other outcome of a race, in a run with late messages.
	InSomeRuns *InSomeRunsJSON `json:"inSomeRuns,omitempty"`

	Undecided string `json:"undecided,omitempty"`
	Refused   string `json:"refused,omitempty"`
}

// InSomeRunsJSON names the run in which a race goes the other way.
type InSomeRunsJSON struct {
	Jitter string `json:"jitter"`
	Seed   int    `json:"seed"`
}

// JSON gives the ending for machines.
func (e *Ending) JSON() RunJSON {
	r := &e.Result
	out := RunJSON{Scenario: r.Scenario, Title: e.Story.Run.File.Title.In(e.Story.opts.Lang), Kafka: r.Kafka, Settings: Settings(e.Story.Run.File), Seed: r.Seed, Steps: r.Steps,
		Hash: fmt.Sprintf("%016x", r.Hash), Claims: map[string]ClaimJSON{}, AsStated: e.AsStated(), Differs: list(r.Differs),
		Undecided: r.Undecided, Predictions: []PredictionJSON{}, Comparisons: []ComparisonJSON{}, Open: e.Open}
	for _, c := range checker.Claims() {
		if claim, ok := claimJSON(r, c); ok {
			out.Claims[string(c)] = claim
		}
	}
	for _, p := range e.Predictions {
		out.Predictions = append(out.Predictions, PredictionJSON{Step: p.Step + 1, Ask: p.Ask, Choices: list(p.Choices), Answer: p.Answer})
	}
	for i := range e.Comparisons {
		c := &e.Comparisons[i]
		j := ComparisonJSON{Label: c.Label, Title: c.Title, Kafka: c.Kafka, Claims: map[string]checker.Ruling{}, Levels: map[string]map[checker.Level]checker.Ruling{}, AsStated: c.Result.AsStated(),
			Differs: list(c.Result.Differs), PartsAt: c.PartsAt, Undecided: c.Result.Undecided, Refused: c.Refused}
		for _, claim := range checker.Claims() {
			if v, ok := c.Result.Report.Overall(claim); ok {
				j.Claims[string(claim)], j.Levels[string(claim)] = v, levels(&c.Result.Report, claim)
			}
		}
		if c.InSomeRuns != nil {
			j.InSomeRuns = &InSomeRunsJSON{Jitter: c.InSomeRuns.Jitter.Text, Seed: c.InSomeRuns.Seed}
		}
		out.Comparisons = append(out.Comparisons, j)
	}
	return out
}

// RefusedJSON is the output for a scenario that somebody refuses to start, as the file states or not.
func RefusedJSON(f *format.File, lang, refused string, differs []string) RunJSON {
	return RunJSON{Scenario: f.Name.Text, Title: f.Title.In(lang), Kafka: f.Kafka.Text, Settings: Settings(f), Seed: f.Seed, Claims: map[string]ClaimJSON{},
		AsStated: len(differs) == 0, Differs: list(differs), Predictions: []PredictionJSON{}, Comparisons: []ComparisonJSON{}, Refused: refused}
}

func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// claimJSON puts the levels of a claim together. The level on top is the first with the graver verdict;
// a level that nobody observed is on top only if there is no other.
func claimJSON(r *scenarios.Result, c checker.Claim) (ClaimJSON, bool) {
	out := ClaimJSON{Levels: map[string]LevelJSON{}}
	overall, judged := r.Report.Overall(c)
	found := false
	for _, l := range []checker.Level{checker.AtLog, checker.AtApplication} {
		v, ok := r.Report.Find(c, l)
		if !ok {
			continue
		}
		out.Levels[string(l)] = LevelJSON{v.Ruling, v.NotObserved, v.Evidence}
		if !found && (!judged || v.Ruling == overall && !v.NotObserved) {
			found = true
			out.Verdict, out.Level, out.Evidence = v.Ruling, l, v.Evidence
		}
	}
	return out, found
}
