package hunt

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"kafkatrial/checker"
	"kafkatrial/model/probe"
	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
	"kafkatrial/scenarios/shrink"
	"kafkatrial/sim"
)

// Report is what a campaign, or one shard of it, came to.
type Report struct {
	// What campaign it was: equal in all its shards.
	Scenario   string   `json:"scenario"`
	Kafka      string   `json:"kafka"`
	Set        []string `json:"set,omitempty"`
	Seed       uint64   `json:"seed"`
	First      int      `json:"first"`
	Total      int      `json:"total"` // runs over all shards
	Budget     int      `json:"budget"`
	Faults     string   `json:"faults"`
	Claims     []string `json:"claims"`
	Invariants []string `json:"invariants,omitempty"`
	Unless     []string `json:"unless,omitempty"`
	// EndsBefore lists the records that had no answer yet when the script of the calm run was over: faults end soon after it.
	EndsBefore   []string `json:"endsBefore,omitempty"`
	NotLookedFor []string `json:"notLookedFor"` // claims that could be broken and are not among Claims

	Shard       string      `json:"shard,omitempty"` // "2/8", or, put together from some, "2+3/8"; empty for a whole campaign
	Planned     int         `json:"planned"`         // runs of this shard
	Runs        int         `json:"runs"`            // that were made
	Steps       int64       `json:"steps"`
	Differed    int         `json:"differed"`    // runs in which some decision was another than in the calm one
	Struck      []Count     `json:"struck"`      // how often each class of fault struck, over all runs
	NeverStruck []string    `json:"neverStruck"` // classes of faults that struck in no run
	Undecided   int         `json:"undecided"`   // runs that did not come to rest, or whose script could not go on
	OfUndecided []Count     `json:"ofUndecided"` // how many of Violations are of undecided runs, in which no more rest would mend it
	Violations  []Count     `json:"violations"`  // runs by claim
	Found       []Violation `json:"found"`       // the lowest run of each claim and level
	Probes      []Count     `json:"probes"`      // rare situations that were met, by how many runs met them
	NeverHit    []string    `json:"neverHit"`    // probes that no run met, and one could
	Interrupted bool        `json:"interrupted"` // the campaign was stopped from outside
}

// Violation is a run that broke a claim, or an invariant.
type Violation struct {
	Run       int           `json:"run"`
	Seed      uint64        `json:"seed"`
	Claim     checker.Claim `json:"claim,omitempty"`
	Level     checker.Level `json:"level,omitempty"`
	Invariant string        `json:"invariant,omitempty"` // in place of a claim
	Subject   string        `json:"subject,omitempty"`   // the record or partition that it is about
	Sentence  string        `json:"evidence"`
	Steps     int           `json:"steps"`
	Decisions []string      `json:"decisions"`      // that are not calm, in words
	Answers   string        `json:"answers"`        // the answers file
	File      string        `json:"file,omitempty"` // where it was saved
	// Unshrunk says that there was no time to take away what the failure does not need.
	Unshrunk bool `json:"unshrunk,omitempty"`

	answers []sim.Answer
	options scenarios.Options
	opened  *scenarios.Opened
	unless  []string
	small   *shrink.Case
	lead    shrink.Failure // the first thing that the run broke about the same record: what it is shrunk for
}

func violationOf(v checker.Verdict, number int, seed uint64, r *scenarios.Run, opened *scenarios.Opened, o scenarios.Options) Violation {
	o.Source = nil
	return Violation{Run: number, Seed: seed, Claim: v.Claim, Level: v.Level, Subject: shrink.Subject(v), Sentence: v.Evidence.Sentence,
		Steps: r.World.Steps(), answers: slices.Clone(r.Answers()), options: o, opened: opened}
}

func breachOf(b checker.Breach, number int, seed uint64, r *scenarios.Run, opened *scenarios.Opened, o scenarios.Options) Violation {
	o.Source = nil
	return Violation{Run: number, Seed: seed, Invariant: b.Invariant, Sentence: b.Sentence, Steps: r.World.Steps(), answers: slices.Clone(r.Answers()),
		options: o, opened: opened}
}

// Failure says in which way the run fails.
func (v *Violation) Failure() shrink.Failure {
	return shrink.Failure{Claim: v.Claim, Level: v.Level, Subject: v.Subject, Invariant: v.Invariant, Hunted: v.Invariant == ""}
}

// Title says what was broken, and where.
func (v *Violation) Title() string {
	if v.Invariant != "" {
		return v.Invariant
	}
	return fmt.Sprintf("%s at the %s", v.Claim, v.Level)
}

// TellsTheSame says that two violations are of one run and one record at one level, and are told in the same words: what breaks
// at-least-once breaks exactly-once too.
func (v *Violation) TellsTheSame(other Violation) bool {
	return v.Run == other.Run && v.Level == other.Level && v.Invariant == "" && other.Invariant == "" && v.Sentence == other.Sentence && slices.Equal(v.Decisions, other.Decisions)
}

// Slug is Title as part of a file's name.
func (v *Violation) Slug() string {
	if v.Invariant == "" {
		return string(v.Claim) + "-" + string(v.Level)
	}
	return strings.Trim(notSlug.ReplaceAllString(strings.ToLower(v.Invariant), "-"), "-")
}

var notSlug = regexp.MustCompile("[^a-z0-9]+")

// what names the claim or the invariant.
func (v *Violation) what() string {
	if v.Invariant != "" {
		return v.Invariant
	}
	return string(v.Claim)
}

// Case is the run as it was found, for a shrinker.
func (v *Violation) Case() (*shrink.Case, bool) {
	c, ok := shrink.New(v.opened.File, v.options, v.answers, v.Failure())
	if ok && v.unless != nil {
		c.Also = func(r *scenarios.Run) bool { return mended(r, v.Failure(), v.unless) }
	}
	return c, ok
}

// Shrink makes every violation of a report short: the decisions that it does not need are taken away; the scenario
// stays. What a run broke about one record is shrunk once, for the first claim of these, and only what the short run does
// not show is shrunk for itself. When ctx is done it ends at once: what has not become short by then stays as it is, and
// says so. It does nothing to a violation that was read from a report.
func (r *Report) Shrink(ctx context.Context) {
	type key struct {
		run  int
		lead shrink.Failure
	}
	done := map[key]*shrink.Case{}
	for i := range r.Found {
		v := &r.Found[i]
		if v.opened == nil || v.small != nil {
			continue
		}
		lead := *v
		lead.Claim, lead.Level = v.lead.Claim, v.lead.Level
		k := key{v.Run, lead.Failure()}
		small := done[k]
		if small == nil {
			small = lead.shrunk(ctx)
			done[k] = small
		}
		c := *small
		c.Failure = v.Failure()
		if c.Evidence, v.Unshrunk = shownIn(small.Run, v), ctx.Err() != nil; c.Evidence.Sentence == "" {
			c = *v.shrunk(ctx)
			v.Unshrunk = ctx.Err() != nil
		}
		v.take(&c)
	}
}

// shownIn is how a violation shows in a run; nothing if it does not, or if it would not count there.
func shownIn(r *scenarios.Run, v *Violation) shrink.Evidence {
	e, shown := v.Failure().In(r)
	if !shown || v.unless != nil && !mended(r, v.Failure(), v.unless) {
		return shrink.Evidence{}
	}
	return e
}

func (v *Violation) shrunk(ctx context.Context) *shrink.Case {
	c, ok := v.Case()
	if !ok {
		panic("hunt: the answers of a run do not lead to that run")
	}
	return shrink.Shrink(c, shrink.Limits{Stop: func() bool { return ctx.Err() != nil }})
}

func (v *Violation) take(c *shrink.Case) {
	v.small = c
	v.Sentence, v.Steps = c.Evidence.Sentence, c.Run.World.Steps()
	v.Decisions = []string{}
	for _, d := range c.Decisions {
		v.Decisions = append(v.Decisions, d.String())
	}
}

// Identity is the answers file of the run, as Report.Shrink has left it; scenario is how its header names the scenario.
func (v *Violation) Identity(scenario string) *sim.Answers {
	if v.small == nil {
		v.take(v.shrunk(context.Background()))
	}
	return v.small.Run.AnswersOf(scenario, v.opened.Source, v.small.Options)
}

// Count is a number of something.
type Count struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// report begins the report of a campaign.
func (o Options) report(f *format.File, planned int) Report {
	r := Report{Scenario: f.Name.Text, Kafka: scenarios.Release(f.Kafka.Text), Seed: o.Seed, First: o.First, Total: o.Runs, Budget: o.Budget, Faults: o.Faults.String(), Planned: planned}
	if o.Base.Kafka != "" {
		r.Kafka = scenarios.Release(o.Base.Kafka)
	}
	for _, s := range o.Base.Set {
		r.Set = append(r.Set, s.Key+"="+s.Value)
	}
	for _, c := range o.Claims {
		r.Claims = append(r.Claims, string(c))
	}
	r.Invariants, r.Unless = o.Invariants, o.Unless
	if o.Shards > 1 {
		r.Shard = shardName([]int{o.Shard}, o.Shards)
	}
	return r
}

// keepLowest adds what a later run broke, unless an earlier one has broken it already.
func keepLowest(found, more []Violation) []Violation {
	for _, v := range more {
		if !slices.ContainsFunc(found, func(o Violation) bool { return o.Claim == v.Claim && o.Level == v.Level && o.Invariant == v.Invariant }) {
			found = append(found, v)
		}
	}
	return found
}

// setProbes lists the probes that were hit, in the order of the table, and those that were not and could have been.
func (r *Report) setProbes(hit map[string]int, possible func(name string) bool) {
	r.Probes, r.NeverHit = []Count{}, []string{}
	for _, m := range probe.All() {
		if n := hit[m.Name]; n > 0 {
			r.Probes = append(r.Probes, Count{m.Name, n})
		} else if possible(m.Name) {
			r.NeverHit = append(r.NeverHit, m.Name)
		}
	}
}

// InvariantNames lists the invariants that a campaign can watch.
func InvariantNames() []string {
	return checker.InvariantNames()
}
