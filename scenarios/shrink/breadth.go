package shrink

import (
	"context"

	"kafkatrial/checker"
	"kafkatrial/scenarios"
	"kafkatrial/scenarios/explore"
	"kafkatrial/sim"
)

// smallEnough is up to how many decisions a case may have for every shorter run to be looked at, and most how
// many steps that may take.
const (
	smallEnough = 3
	mostSteps   = 150_000
)

// breadthFirst looks at every run with fewer decisions than c, wherever something has just changed, and those
// with the fewest first: if one of them fails in the same way, it is the shortest there is. It does so only for
// the three famous claims, and where the rest is small enough; a bound on the steps keeps it to a moment.
func (s *Shrinker) breadthFirst(c *Case) *Case {
	famous := false
	for _, claim := range checker.Famous() {
		famous = famous || claim == c.Failure.Claim
	}
	if n := c.Length(); n < 2 || n > smallEnough || !famous || c.Allow != nil || c.Also != nil || s.spent() {
		return c
	}
	o := explore.Options{Base: c.Options, Faults: c.Options.FaultModel, Deviations: c.Length() - 1, AtNews: true, MaxTransitions: mostSteps}
	o.Faults.Budget = c.Length() - 1
	if o.Faults.After == 0 {
		o.Faults.After = -1 // as in the case: no longer than the script
	}
	r, err := explore.Run(context.Background(), &scenarios.Opened{File: c.File}, o)
	if err != nil {
		return c
	}
	for _, out := range r.Outcomes {
		for _, v := range out.Verdicts {
			if v.Ruling != checker.Violated || v.Claim != c.Failure.Claim || v.Level != c.Failure.Level || !c.Failure.about(v) {
				continue
			}
			if next := s.run(c, &sim.Replay{Answers: out.Answers, Lenient: true}); next != nil && next.Length() < c.Length() {
				return next
			}
		}
	}
	return c
}
