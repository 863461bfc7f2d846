package trial

import (
	"fmt"
	"slices"

	"kafkatrial/checker"
	"kafkatrial/model/planted"
	"kafkatrial/scenarios"
	"kafkatrial/scenarios/shrink"
	"kafkatrial/sim"
)

// Property is a statement about all runs of all worlds of a shape.
type Property struct {
	Name  string // of the test, and of the files of a failure
	Says  string // the statement, one sentence
	Shape Shape

	// Claims that must not be violated. A claim that is undecided because the run did not come to rest is a
	// failure too, unless MayNotRest.
	Claims []Clause
	// Invariants that no step may break, by the checker's names.
	Invariants []string
	MayNotRest bool
	// When narrows what counts: only runs of which it is true are a finding. nil counts all. It makes a search look for
	// one way in which a claim can be violated among several.
	When func(*scenarios.Run) bool
	// Reaches names rare situations (the probes of the model) that the runs are meant to meet, each in one of them
	// at least: a property that never comes near what it speaks of has not been tried.
	Reaches []string

	// Allow bounds the faults beyond what the fault model says; nil allows all. It is asked about every option
	// that is not calm, and sees the run as it stands.
	Allow func(r *scenarios.Run, o sim.Option) bool
	// Weights of the faults that Seek draws; zero means sim.DefaultWeights.
	Weights sim.Weights
	// Planted guards are off. For tests of the checker only.
	Planted planted.Set
}

// Clause is a claim at a level; no level means all levels.
type Clause struct {
	Claim checker.Claim
	Level checker.Level
}

// AtLog and AtApplication make clauses.
func AtLog(claims ...checker.Claim) []Clause { return clauses(checker.AtLog, claims) }

// AtApplication makes clauses about what the consuming applications saw.
func AtApplication(claims ...checker.Claim) []Clause { return clauses(checker.AtApplication, claims) }

func clauses(l checker.Level, claims []checker.Claim) []Clause {
	var all []Clause
	for _, c := range claims {
		all = append(all, Clause{c, l})
	}
	return all
}

func (p Property) speaksOf(c checker.Claim) (log, app bool) {
	for _, one := range p.Claims {
		if one.Claim == c {
			log = log || one.Level != checker.AtApplication
			app = app || one.Level != checker.AtLog
		}
	}
	return log, app
}

// Finding is one way in which a run does not keep a property.
type Finding struct {
	What string // the claim with its level, or the invariant: what a shrunken run must still show
	// Sentence says it of this run, in words.
	Sentence string
	Steps    []int // that decide, as a transcript numbers them
	failure  shrink.Failure
}

func (f Finding) String() string {
	if len(f.Steps) == 0 {
		return f.What + ": " + f.Sentence
	}
	return fmt.Sprintf("%s: %s (steps %v)", f.What, f.Sentence, f.Steps)
}

// notAtRest is what a Finding calls a run that goes on for ever.
const notAtRest = "the run does not come to rest"

// Trial is one run of one world.
type Trial struct {
	World    World
	Run      *scenarios.Run
	Findings []Finding
	options  scenarios.Options
}

// try carries out one run. The source decides what the fault model leaves open.
func (p Property) try(w World, src sim.Source) *Trial {
	t := &Trial{World: w, options: scenarios.Options{FaultModel: p.Shape.Faults, Planted: p.Planted, Invariants: true}}
	o := t.options
	mask := &masked{inner: src, allow: p.Allow}
	o.Source = mask
	r, err := scenarios.New(w.File, o)
	if err != nil {
		panic(fmt.Sprintf("trial: the shape of %q gives a world that can not run: %v\n%s", p.Name, err, w.Source))
	}
	mask.run = r
	t.Run = r
	r.Finish()
	t.Findings = p.judge(r)
	return t
}

func (p Property) judge(r *scenarios.Run) []Finding {
	var all []Finding
	for _, b := range r.Broken() {
		// Those that the property names may not break at all, any other only under a circumstance that gives it up. With a guard
		// off only the former count, and what the model itself asserts: the property is then to catch a fault of the model by what it says itself.
		if b.Assertion || slices.Contains(p.Invariants, b.Invariant) || b.GivenUp == "" && p.Planted.Len() == 0 {
			all = append(all, Finding{b.Invariant, b.Sentence, []int{b.Step}, shrink.Failure{Invariant: b.Invariant}})
		}
	}
	if err := r.Err(); err != nil {
		return append(all, Finding{What: "the source ended the run", Sentence: err.Error()})
	}
	if rested, moving := r.Rested(); !rested && !p.MayNotRest {
		all = append(all, Finding{What: notAtRest, Sentence: fmt.Sprintf("still moving: %q", moving), failure: shrink.Failure{Restless: true}})
	}
	var claims []checker.Claim
	for _, c := range p.Claims {
		if !slices.Contains(claims, c.Claim) {
			claims = append(claims, c.Claim)
		}
	}
	if len(claims) == 0 {
		return all
	}
	for _, v := range checker.Judge(r.History(), checker.Options{Claims: claims}).Verdicts {
		if v.Ruling == checker.Violated && slices.ContainsFunc(p.Claims, func(c Clause) bool {
			return c.Claim == v.Claim && (c.Level == "" || c.Level == v.Level)
		}) {
			all = append(all, Finding{fmt.Sprintf("%s at the %s is violated", v.Claim, v.Level), v.Evidence.Sentence, v.Evidence.Steps, shrink.Of(v)})
		}
	}
	if len(all) > 0 && p.When != nil && !p.When(r) {
		return nil
	}
	return all
}
