// Package shrink makes a failing run small, whatever found it: a campaign, a property test, a person. It takes
// away what the failure does not need, decisions first and then the cluster around them, and keeps a run only
// if it still fails in the same way. What is left is a short run that can be replayed, told in a paragraph, and
// written as a scenario that a person can edit.
package shrink

import (
	"fmt"
	"slices"

	"kafkatrial/checker"
	"kafkatrial/scenarios"
)

// Failure says in which way a run fails, so that a smaller run can be told to fail in the same way: by claim,
// level and subject, or by an invariant that does not hold after some step.
type Failure struct {
	Claim     checker.Claim `json:"claim,omitempty"`
	Level     checker.Level `json:"level,omitempty"`
	Subject   string        `json:"subject,omitempty"` // the record, or the partition, that it is about; "" fits any
	Invariant string        `json:"invariant,omitempty"`
	// Hunted: the run was ruled on as a search does (scenarios.Run.Hunted).
	Hunted bool `json:"hunted,omitempty"`
	// Restless: the run does not come to rest.
	Restless bool `json:"restless,omitempty"`
}

func (f Failure) String() string {
	switch {
	case f.Restless:
		return "the run does not come to rest"
	case f.Invariant != "":
		return f.Invariant + " is broken"
	case f.Subject != "":
		return fmt.Sprintf("%s at the %s is violated for %s", f.Claim, f.Level, f.Subject)
	}
	return fmt.Sprintf("%s at the %s is violated", f.Claim, f.Level)
}

// Invariants says that the failure shows only in a run whose invariants are watched.
func (f Failure) Invariants() bool { return f.Invariant != "" }

// Evidence is how a failure shows in one run.
type Evidence struct {
	Sentence string
	Steps    []int // that decide, as a transcript numbers them
}

// In says whether a run that has ended fails in this way, and how it shows.
func (f Failure) In(r *scenarios.Run) (Evidence, bool) {
	switch {
	case f.Restless:
		rested, moving := r.Rested()
		return Evidence{Sentence: fmt.Sprintf("still moving: %q", moving)}, !rested && r.Err() == nil
	case f.Invariant != "":
		for _, b := range r.Broken() {
			if b.Invariant == f.Invariant {
				return Evidence{b.Sentence, []int{b.Step}}, true
			}
		}
		return Evidence{}, false
	}
	report := checker.Report{}
	if f.Hunted {
		report = r.Hunted(f.Claim)
	} else {
		report = checker.Judge(r.History(), checker.Options{Claims: []checker.Claim{f.Claim}})
	}
	for _, v := range report.Verdicts {
		if v.Ruling == checker.Violated && !v.NotObserved && v.Level == f.Level && f.about(v) {
			return Evidence{v.Evidence.Sentence, v.Evidence.Steps}, true
		}
	}
	return Evidence{}, false
}

func (f Failure) about(v checker.Verdict) bool {
	return f.Subject == "" || slices.Contains(v.Evidence.Records, checker.RecordID(f.Subject)) || f.Subject == v.Evidence.Partition
}

// Of makes the failure of a violated verdict.
func Of(v checker.Verdict) Failure {
	return Failure{Claim: v.Claim, Level: v.Level, Subject: Subject(v)}
}

// Subject says what a violation is about: its first record, or its partition.
func Subject(v checker.Verdict) string {
	if len(v.Evidence.Records) > 0 {
		return string(v.Evidence.Records[0])
	}
	return v.Evidence.Partition
}

// First finds the first way in which a run that has ended fails: an invariant, if they were watched, else the
// first claim that is violated among those asked for; none asked for stands for the three famous ones.
func First(r *scenarios.Run, claims ...checker.Claim) (Failure, bool) {
	if b := r.Broken(); len(b) > 0 {
		return Failure{Invariant: b[0].Invariant}, true
	}
	if len(claims) == 0 {
		claims = checker.Famous()
	}
	for _, v := range checker.Judge(r.History(), checker.Options{Claims: claims}).Verdicts {
		if v.Ruling == checker.Violated && !v.NotObserved {
			return Of(v), true
		}
	}
	return Failure{}, false
}
