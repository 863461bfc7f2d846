package explore

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"kafkatrial/checker"
	"kafkatrial/scenarios"
	"kafkatrial/sim"
)

// Report is what an exploration came to.
type Report struct {
	Scenario string `json:"scenario"`
	Kafka    string `json:"kafka"`
	Faults   string `json:"faults"` // as sim.ParseFaultModel reads it
	// EndsBefore lists the records without an answer when the script of the calm run is over. Where faults end with the script,
	// little of what becomes of them has been tried.
	EndsBefore []string `json:"endsBefore,omitempty"`
	Deviations int      `json:"deviations"` // the bound; -1: none
	Level      int      `json:"level"`      // the most answers that were not calm in the runs tried last

	// States counts the distinct states at which there was something to choose, and those at which a run
	// without a choice was looked at; Transitions all steps taken, those to known states included; Ends the
	// distinct states in which runs ended.
	States      int   `json:"states"`
	Transitions int64 `json:"transitions"`
	Ends        int   `json:"ends"`

	// Complete says that every run there is was covered. Otherwise Bounds tells, in sentences, what was not.
	Complete bool     `json:"complete"`
	Bounds   []string `json:"bounds,omitempty"`

	// Outcomes are distinct: no two have the same rulings about the same records. Those with fewer deviations
	// come first.
	Outcomes []*Outcome `json:"outcomes"`
	// Lost, Doubled, Unwanted and Undecided count outcomes, not runs.
	Lost      int `json:"lost"`
	Doubled   int `json:"doubled"`
	Unwanted  int `json:"unwanted"`
	Undecided int `json:"undecided"`
	// Missed counts outcomes in which a reader that asked after an acknowledgement was told that the record is not
	// there: where the claim recent is asked for.
	Missed int `json:"missed,omitempty"`
}

// Outcome is one way in which runs end: the rulings on the three famous claims, and on recent where it is asked for,
// and the records they are about.
type Outcome struct {
	Verdicts  []checker.Verdict `json:"verdicts"`           // of the witness
	Lost      []string          `json:"lost,omitempty"`     // acknowledged, and not in the log, or not processed
	Doubled   []string          `json:"doubled,omitempty"`  // in effect twice
	Unwanted  []string          `json:"unwanted,omitempty"` // in effect, though every send of it was aborted or failed for certain
	Missed    []string          `json:"missed,omitempty"`   // acknowledged, and not there for a reader that asked afterwards
	Undecided string            `json:"undecided,omitempty"`
	Ends      int               `json:"ends"` // distinct states in which such runs end

	// The witness: a run with the fewest answers that are not calm, of those the shortest that was met.
	Deviations int          `json:"deviations"`
	Steps      int          `json:"steps"`
	Decisions  []string     `json:"decisions"` // in words, in order: at which step what was chosen
	Answers    []sim.Answer `json:"-"`

	witness *witness
	run     *scenarios.Run
	source  []byte
	base    scenarios.Options
}

// Identity is the answers file of the witness; scenario is how its header names the scenario.
func (o *Outcome) Identity(scenario string) *sim.Answers {
	return o.run.AnswersOf(scenario, o.source, o.base)
}

type witness struct {
	answers []sim.Answer
	steps   int
}

// outcomeOf rules on a run that has ended.
func outcomeOf(r *scenarios.Run) *Outcome {
	o := &Outcome{}
	for _, v := range r.Report().Verdicts {
		if row, _ := checker.RowOf(v.Claim); row.Explored == "" {
			continue
		}
		o.Verdicts = append(o.Verdicts, v)
		if v.Ruling != checker.Violated {
			continue
		}
		switch v.Claim {
		case checker.AtLeastOnce:
			o.Lost = add(o.Lost, v)
		case checker.AtMostOnce:
			o.Doubled = add(o.Doubled, v)
		case checker.Recent:
			for _, id := range v.Evidence.Records {
				o.Missed = append(o.Missed, string(id))
			}
		}
	}
	o.tellUnwanted()
	if rested, moving := r.Rested(); !rested {
		o.Undecided = "it did not come to rest: " + strings.Join(moving, ", ")
	}
	if r.Defect() != nil {
		o.Undecided = r.Stopped()
	} else if why := r.Stopped(); why != "" {
		o.Undecided = "its script ended early: " + why
	}
	return o
}

// tellUnwanted tells what both claims speak of from what only one does: a record that is missing is not there twice, so
// that it is one which must not be there at all.
func (o *Outcome) tellUnwanted() {
	both := func(name string) bool { return slices.Contains(o.Lost, name) && slices.Contains(o.Doubled, name) }
	for _, name := range o.Lost {
		if both(name) {
			o.Unwanted = append(o.Unwanted, name)
		}
	}
	unwanted := func(name string) bool { return slices.Contains(o.Unwanted, name) }
	o.Lost, o.Doubled = slices.DeleteFunc(o.Lost, unwanted), slices.DeleteFunc(o.Doubled, unwanted)
}

// add lists the records that a verdict is about: "m1", or "m1 processed" for one that the log has as it should.
func add(list []string, v checker.Verdict) []string {
	for _, id := range v.Evidence.Records {
		name := string(id)
		if v.Level == checker.AtApplication {
			if slices.Contains(list, name) {
				continue
			}
			name += " at the application"
		}
		list = append(list, name)
	}
	return list
}

// same says that two runs ended alike.
func (o *Outcome) same(p *Outcome) bool {
	if len(o.Verdicts) != len(p.Verdicts) || !slices.Equal(o.Lost, p.Lost) || !slices.Equal(o.Doubled, p.Doubled) || !slices.Equal(o.Unwanted, p.Unwanted) || !slices.Equal(o.Missed, p.Missed) || (o.Undecided == "") != (p.Undecided == "") {
		return false
	}
	for i := range o.Verdicts {
		a, b := &o.Verdicts[i], &p.Verdicts[i]
		if a.Claim != b.Claim || a.Level != b.Level || a.Ruling != b.Ruling || !slices.Equal(a.Evidence.Records, b.Evidence.Records) {
			return false
		}
	}
	return true
}

// report puts together what was found. Every witness is run again, and must come to its outcome.
func (e *explorer) report(root *scenarios.Run) (*Report, error) {
	r := &Report{Scenario: root.File.Name.Text, Kafka: scenarios.Release(root.File.Kafka.Text), Faults: e.o.Faults.String(), Deviations: max(e.o.Deviations, -1),
		EndsBefore: e.early, Level: e.bound, States: len(e.seen), Transitions: e.transitions, Ends: len(e.ends), Outcomes: e.outcomes}
	if e.stopped != "" {
		r.Bounds = append(r.Bounds, fmt.Sprintf("The exploration ended before it was through: %s.", e.stopped))
	} else if e.cut {
		r.Bounds = append(r.Bounds, fmt.Sprintf("Runs with more than %s were not tried.", answers(e.bound)))
	}
	if e.skipped {
		r.Bounds = append(r.Bounds, "Faults were tried right after steps that changed something, and not at the moments between.")
	}
	r.Complete = len(r.Bounds) == 0
	for _, o := range r.Outcomes {
		again, err := e.again(o.witness.answers)
		if err != nil {
			return nil, err
		}
		found := outcomeOf(again)
		if !o.same(found) {
			return nil, fmt.Errorf("two runs that the exploration took for alike end differently: %s, and %s", o.words(), found.words())
		}
		o.Verdicts, o.Undecided = found.Verdicts, found.Undecided
		o.Answers, o.Deviations, o.Steps = o.witness.answers, len(o.witness.answers), again.World.Steps()
		o.run, o.source, o.base = again, e.opened.Source, e.base
		o.Decisions = []string{}
		for _, a := range o.Answers {
			o.Decisions = append(o.Decisions, fmt.Sprintf("step %d: %s", a.Step+1, a.ID))
		}
		if len(o.Lost) > 0 {
			r.Lost++
		}
		if len(o.Doubled) > 0 {
			r.Doubled++
		}
		if len(o.Unwanted) > 0 {
			r.Unwanted++
		}
		if len(o.Missed) > 0 {
			r.Missed++
		}
		if o.Undecided != "" {
			r.Undecided++
		}
	}
	slices.SortStableFunc(r.Outcomes, func(a, b *Outcome) int { return cmp.Or(a.Deviations-b.Deviations, a.Steps-b.Steps) })
	return r, nil
}

// answers counts answers that are not calm.
func answers(n int) string {
	switch n {
	case 0:
		return "no answer that is not calm"
	case 1:
		return "one answer that is not calm"
	}
	return fmt.Sprintf("%d answers that are not calm", n)
}

// words tells an outcome in one line.
func (o *Outcome) words() string {
	var parts []string
	if len(o.Lost) > 0 {
		parts = append(parts, strings.Join(o.Lost, ", ")+" lost")
	}
	if len(o.Doubled) > 0 {
		parts = append(parts, strings.Join(o.Doubled, ", ")+" twice")
	}
	if len(o.Unwanted) > 0 {
		parts = append(parts, strings.Join(o.Unwanted, ", ")+" in effect though taken back")
	}
	if len(o.Missed) > 0 {
		parts = append(parts, strings.Join(o.Missed, ", ")+" missed by a reader after the acknowledgement")
	}
	if o.Undecided != "" {
		parts = append(parts, "undecided")
	}
	for _, v := range o.Verdicts {
		if v.Ruling == checker.Undecided && !v.NotObserved && o.Undecided == "" {
			parts = append(parts, fmt.Sprintf("%s undecided", v.Claim))
		}
	}
	if len(parts) == 0 {
		return "every acknowledged record once"
	}
	return strings.Join(parts, "; ")
}
