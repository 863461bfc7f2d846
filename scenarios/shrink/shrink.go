package shrink

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
	"kafkatrial/sim"
)

// Case is a failing run: what it is a run of, and the decisions that lead to the failure.
type Case struct {
	File    *format.File
	Source  []byte            // text of the scenario, if it is no longer the one that the run was found with
	Options scenarios.Options // Source is not used
	Failure Failure
	// Allow bounds what may be chosen; nil allows everything.
	Allow func(*scenarios.Run, sim.Option) bool
	// Also is a further condition that a run must meet to count; nil: none.
	Also func(*scenarios.Run) bool

	Decisions []Decision
	Run       *scenarios.Run // the run itself, ended
	Evidence  Evidence
}

// Limits bound the work of shrinking. They count and measure no time, so that a case always becomes the same; only
// Stop can end it earlier.
type Limits struct {
	Replays int // how many runs may be made; 0 means DefaultReplays
	Search  int // how many more to look for a run with fewer decisions; 0 means DefaultSearch, less than 0 none
	// Steps is how many steps all these runs may take, and as many again for the search: it keeps the work on long
	// runs within bounds. 0 means DefaultSteps.
	Steps int64
	// Configuration may be shrunk too: the scenario then becomes another one.
	Configuration bool
	// Stop says that somebody wants what there is so far; nil: nobody does. It is asked before every run, or batch of
	// runs, and not again once it has said so.
	Stop func() bool
}

// Enough for runs of a few hundred steps with some dozen decisions.
const (
	DefaultReplays = 1500
	DefaultSearch  = 5000
	DefaultSteps   = 2_500_000
)

// Shrinker makes one case small.
type Shrinker struct {
	limits Limits
	runs   int
	steps  int64 // that these runs have taken
	// What may be spent, of both: the limits, and for the search so much more.
	mostRuns  int
	mostSteps int64
	stopped   bool // Limits.Stop has said so; it is not asked again
}

// spent says that no more runs may be made.
func (s *Shrinker) spent() bool {
	if !s.stopped && s.limits.Stop != nil {
		s.stopped = s.limits.Stop()
	}
	return s.stopped || s.runs >= s.mostRuns || s.steps >= s.mostSteps
}

// allow lets so many more runs be made.
func (s *Shrinker) allow(runs int) {
	s.mostRuns, s.mostSteps = s.runs+runs, s.steps+s.limits.Steps
}

// run makes one run of a case with a source; nil if it does not fail in the same way.
func (s *Shrinker) run(c *Case, src sim.Source) *Case {
	s.runs++
	next, steps, ok := c.replay(src)
	s.steps += int64(steps)
	if !ok {
		return nil
	}
	return next
}

// runAll makes several runs of a case, on as many processors as there are: those that fail in the same way, in the
// order of their sources, nil for the others.
func (s *Shrinker) runAll(c *Case, sources []sim.Source) []*Case {
	all, steps := make([]*Case, len(sources)), make([]int, len(sources))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(len(sources), runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(sources); i = int(next.Add(1)) - 1 {
				if found, n, ok := c.replay(sources[i]); ok {
					all[i], steps[i] = found, n
				} else {
					steps[i] = n
				}
			}
		})
	}
	workers.Wait()
	s.runs += len(sources)
	for _, n := range steps {
		s.steps += int64(n)
	}
	return all
}

// New makes a case of a run and the answers that lead to its failure. It reports false if the answers do not
// lead there.
func New(f *format.File, o scenarios.Options, answers []sim.Answer, failure Failure) (*Case, bool) {
	c := &Case{File: f, Options: o, Failure: failure}
	c.Options.Invariants = failure.Invariants()
	c, _, ok := c.replay(&sim.Replay{Answers: answers, Lenient: true})
	return c, ok
}

// replay makes the run with a source, and says how many steps it took; it reports false if the run does not fail in
// the same way.
func (c *Case) replay(src sim.Source) (small *Case, steps int, ok bool) {
	o := c.Options
	rec := &recorder{inner: src}
	o.Source = rec
	r, err := scenarios.New(c.File, o)
	if err != nil {
		return nil, 0, false
	}
	if g, ok := src.(*guide); ok {
		g.allow, g.run = c.Allow, r
	}
	whole := c.finish(r)
	steps = r.World.Steps()
	if !whole || r.Err() != nil {
		return nil, steps, false
	}
	e, shown := c.Failure.In(r)
	if !shown || c.Also != nil && !c.Also(r) || c.Run != nil && c.rarer(r) {
		return nil, steps, false
	}
	next := *c
	next.Decisions, next.Run, next.Evidence = rec.list, r, e
	return &next, steps, true
}

// finish makes a run to its end. It gives up one that takes much longer than the case's own: it is no smaller, and a
// search that meets many which never come to rest would take minutes.
func (c *Case) finish(r *scenarios.Run) bool {
	if c.Run == nil {
		r.Finish()
		return true
	}
	most := max(4*c.Run.World.Steps(), 5000)
	for r.Step() {
		if r.World.Steps() > most {
			return false
		}
	}
	return true
}

// unclean is the mark of an election that loses records by design.
const unclean = "unclean leader election"

// rarer says that a run has had an unclean election, and the case's own run has not: the smaller run then fails
// in another way, that only looks the same.
func (c *Case) rarer(r *scenarios.Run) bool {
	had := func(r *scenarios.Run) bool {
		return slices.ContainsFunc(r.World.Probes(), func(m sim.ProbeCount) bool { return m.Name == unclean })
	}
	return had(r) && !had(c.Run)
}

// try looks whether a case, changed, still fails with these decisions, by their names or else at their times.
func (s *Shrinker) try(c *Case, list []Decision) *Case {
	for _, byTime := range [...]bool{false, true} {
		if s.spent() {
			return nil
		}
		if next := s.run(c, newGuide(list, byTime)); next != nil {
			return next
		}
		if len(list) == 0 {
			return nil
		}
	}
	return nil
}

// Length is the number of decisions that are not calm: what a person must be told of a run. What a power loss
// takes counts with the power loss.
func (c *Case) Length() int {
	n := 0
	for _, d := range c.Decisions {
		if d.Kind != sim.Tear {
			n++
		}
	}
	return n
}

// noLonger says that a run has not grown by what was taken away, a few steps of routine aside.
func (c *Case) noLonger(than *Case) bool {
	before := than.Run.World.Steps()
	return c.Run.World.Steps() <= before+before/10
}

// Shrink makes a case as small as it finds it.
func Shrink(c *Case, l Limits) *Case {
	if l.Replays == 0 {
		l.Replays = DefaultReplays
	}
	if l.Search == 0 {
		l.Search = DefaultSearch
	}
	if l.Steps == 0 {
		l.Steps = DefaultSteps
	}
	s := &Shrinker{limits: l}
	s.allow(l.Replays)
	c = s.fewer(c)
	if l.Configuration {
		c = s.fewer(s.configuration(c))
	}
	c = s.milder(c)
	if l.Search > 0 && !s.spent() {
		s.allow(l.Search)
		c = s.shorter(s.widened(c))
		s.allow(l.Replays)
		c = s.breadthFirst(s.plain(c))
	}
	return s.plain(c)
}

// widened lets nodes pause where anything else may befall them: the search for a shorter run tries it.
func (s *Shrinker) widened(c *Case) *Case {
	if c.Options.FaultModel.Node == 0 || c.Allow != nil || s.spent() {
		return c
	}
	wide := *c
	wide.Options.FaultModel.Node |= sim.CanPause
	if next := s.run(&wide, newGuide(c.Decisions, false)); next != nil && len(next.Decisions) <= len(c.Decisions) {
		return next
	}
	return c
}

// fewer takes decisions away, all at once, many at once and then one by one, as long as the failure stays.
func (s *Shrinker) fewer(c *Case) *Case {
	for again := true; again; {
		again = false
		for size := len(c.Decisions); size > 0; size /= 2 {
			for at := len(c.Decisions) - size; at >= 0; {
				less := slices.Concat(c.Decisions[:at], c.Decisions[min(at+size, len(c.Decisions)):])
				if next := s.try(c, less); next != nil && len(next.Decisions) < len(c.Decisions) {
					c, again = next, true
					at = min(at, len(c.Decisions)) - size
					continue
				}
				at -= size
			}
		}
		if len(c.Decisions) <= 1 {
			break
		}
	}
	return c
}
