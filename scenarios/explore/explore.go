// Package explore runs a scenario in every way there is within bounds: every choice of fault, of moment and
// of message order, each tried once. It is what a campaign of random runs can not be: when it has covered
// the space, what it has not found is not there.
//
// The script's own steps are part of every run. At each state with something to choose it takes a copy for
// each answer that is not the calm one, and follows the calm one in place. A state that was met before, by
// whatever way, is not followed again: see scenarios.Run.Key for what makes two states the same. It goes by
// levels: first the run in which every answer is calm, then all runs with one answer that is not, and so on,
// so that the first way that is found to an outcome is one with the fewest such answers.
package explore

import (
	"context"
	"fmt"
	"slices"

	"kafkatrial/scenarios"
	"kafkatrial/sim"
)

// Options bound an exploration.
type Options struct {
	// Base is the release and the settings; its source and its fault model are not used.
	Base scenarios.Options
	// Faults says what there is to choose: which faults, at which nodes (Among), how many of them (Budget),
	// and how far messages may overtake each other (Reorder).
	Faults sim.FaultModel
	// Deviations bounds how many answers of a run are not the calm one: faults, repairs before the end, late
	// and reordered messages each count. 0 means DefaultDeviations; negative: no bound.
	Deviations int
	// AtNews lets a fault strike, or a message overtake, only right after a step that changed something, as
	// the model tells it: much fewer moments, and nearly as much to be found.
	AtNews bool
	// Recent rules on the claim recent as well, although the file does not name it. What readers asked and were told then
	// tells states apart that are one without it.
	Recent bool
	// MaxStates and MaxTransitions end the exploration; 0 means no bound.
	MaxStates      int
	MaxTransitions int64
	// Progress is called now and then.
	Progress func(Progress)
}

// DefaultDeviations is how many answers may differ from calm if the options do not say.
const DefaultDeviations = 2

// Progress says how far an exploration has come.
type Progress struct {
	Level       int // answers that are not calm, in the runs being tried
	States      int
	Transitions int64
	Outcomes    int
}

// Run explores a scenario. It ends early when ctx is done, and then reports what it has. The error says that
// the scenario can not be run with these options.
func Run(ctx context.Context, opened *scenarios.Opened, o Options) (*Report, error) {
	if o.Deviations == 0 {
		o.Deviations = DefaultDeviations
	}
	e := &explorer{ctx: ctx, opened: opened, o: o, base: o.Base, seen: map[uint64]visit{}, rulings: map[uint64]int{}, ends: map[uint64]struct{}{}}
	o.Faults = scenarios.UntilDone(opened.File, o.Faults)
	e.o.Faults = o.Faults
	e.base.Source, e.base.FaultModel, e.base.Invariants = nil, o.Faults, false
	e.base.Recent = o.Recent
	root, err := scenarios.New(opened.File, e.base)
	if err != nil {
		return nil, err
	}
	calm, err := scenarios.New(opened.File, e.base)
	if err != nil {
		return nil, err
	}
	for over := false; !over && calm.Step(); {
		if at, of := calm.Progress(); at > of {
			over, e.early = true, calm.Unanswered()
		}
	}
	root.KeepTruth()
	for { // nothing is chosen before the cluster has come up
		if _, more := root.Pending(); !more || root.Ready() {
			break
		}
		root.Resolve(0)
	}
	root.Forget()
	e.levels(root)
	if e.err != nil {
		return nil, e.err
	}
	return e.report(root)
}

// visit remembers how a state was reached.
type visit struct {
	deviations int16 // the fewest answers that were not calm on a way to it
	level      int16 // the level on which it was followed last
}

type explorer struct {
	ctx    context.Context
	opened *scenarios.Opened
	o      Options
	base   scenarios.Options

	keyer       sim.Keyer
	seen        map[uint64]visit
	ends        map[uint64]struct{}
	rulings     map[uint64]int // outcome by digest
	outcomes    []*Outcome
	transitions int64
	branches    int64

	level   int // number of the pass
	bound   int // on deviations, of this pass
	path    []sim.Answer
	spare   []*scenarios.Run
	cut     bool // the bound on deviations kept something from being tried
	skipped bool // AtNews did
	stopped string
	early   []string // records without an answer when the calm run's script is over
	err     error
}

// levels explores with ever more deviations. A pass goes again through what the passes before have met, for
// it is on the way; that costs little, as the last level is by far the largest.
func (e *explorer) levels(root *scenarios.Run) {
	for e.bound = 0; ; e.bound = e.deeper() {
		e.level++
		e.cut, e.skipped = false, false
		r := e.branch(root)
		e.follow(r, 0)
		e.release(r)
		if e.done() || !e.cut || e.bound == e.o.Deviations {
			return
		}
	}
}

// deeper gives the next bound: one more, and when that makes many passes, half as much again.
func (e *explorer) deeper() int {
	next := e.bound + max(1, e.bound/3)
	if e.o.Deviations >= 0 {
		next = min(next, e.o.Deviations)
	}
	return next
}

func (e *explorer) done() bool { return e.stopped != "" || e.err != nil }

// glance is how often, in simulated time, a run in which nothing is left to choose is looked at for whether
// it has become one that is known.
const glance = 50 * sim.Millisecond

// follow takes a run to its end by calm answers, and tries the others on the way.
func (e *explorer) follow(r *scenarios.Run, deviations int) {
	news := true // something has just been chosen
	looked := r.World.Now() / glance
	for {
		p, more := r.Pending()
		if !more {
			e.end(r, deviations)
			return
		}
		switch choose := len(p.Options) > 1; {
		case choose && e.o.AtNews && p.Kind == sim.Next && !news:
			e.skipped = true
		case choose && deviations < e.bound:
			if !e.enter(r, deviations) {
				return
			}
			e.others(r, p, deviations)
		default:
			e.cut = e.cut || choose
			if at := r.World.Now() / glance; at != looked || news {
				looked = at
				if !e.enter(r, deviations) {
					return
				}
			}
		}
		if e.done() {
			return
		}
		news = e.take(r, 0)
	}
}

// others tries every answer to a decision but the calm one.
func (e *explorer) others(r *scenarios.Run, p sim.Point, deviations int) {
	for i := 1; i < len(p.Options) && !e.done(); i++ {
		e.path = append(e.path, sim.Answer{Step: p.Step, Kind: p.Kind, ID: p.ID(i), Before: p.ID(0), Index: i, Of: len(p.Options)})
		b := e.branch(r)
		if q, _ := b.Pending(); len(q.Options) != len(p.Options) {
			panic(fmt.Sprintf("explore: a copy has %d options where the original has %d", len(q.Options), len(p.Options)))
		}
		e.take(b, i)
		e.follow(b, deviations+1)
		e.release(b)
		e.path = e.path[:len(e.path)-1]
	}
}

// take answers the pending decision, and says whether the step changed something.
func (e *explorer) take(r *scenarios.Run, i int) bool {
	r.Resolve(i)
	news := len(r.World.Trace().Events) > 0 || i > 0
	r.Forget()
	e.transitions++
	if e.transitions%4096 == 0 {
		e.look()
	}
	return news
}

// look ends the exploration when a bound is met or somebody asks for it.
func (e *explorer) look() {
	switch {
	case e.ctx.Err() != nil:
		e.stopped = "it was stopped from outside"
	case e.o.MaxTransitions > 0 && e.transitions >= e.o.MaxTransitions:
		e.stopped = fmt.Sprintf("its bound of %d transitions was met", e.o.MaxTransitions)
	case e.o.MaxStates > 0 && len(e.seen) >= e.o.MaxStates:
		e.stopped = fmt.Sprintf("its bound of %d states was met", e.o.MaxStates)
	}
	if e.o.Progress != nil && e.transitions%(1<<18) == 0 {
		e.o.Progress(Progress{e.bound, len(e.seen), e.transitions, len(e.outcomes)})
	}
}

// enter says whether a state is to be followed from here: not if it has been on this level, nor if there is
// a way to it with fewer deviations.
func (e *explorer) enter(r *scenarios.Run, deviations int) bool {
	key := r.Key(&e.keyer)
	was, known := e.seen[key]
	if known && (deviations > int(was.deviations) || deviations == int(was.deviations) && int(was.level) == e.level) {
		return false
	}
	e.seen[key] = visit{int16(deviations), int16(e.level)}
	return true
}

// branch copies a run, into one that is no longer needed if there is one.
func (e *explorer) branch(r *scenarios.Run) *scenarios.Run {
	e.branches++
	n := len(e.spare)
	if n == 0 {
		return r.Branch(nil)
	}
	old := e.spare[n-1]
	e.spare = e.spare[:n-1]
	return r.Branch(old)
}

func (e *explorer) release(r *scenarios.Run) { e.spare = append(e.spare, r) }

// end counts a run that has ended under its outcome.
func (e *explorer) end(r *scenarios.Run, deviations int) {
	digest := r.Digest(&e.keyer)
	i, known := e.rulings[digest]
	if !known {
		if i = e.judge(); e.err != nil {
			return
		}
		e.rulings[digest] = i
	}
	o := e.outcomes[i]
	if key := r.Key(&e.keyer); !has(e.ends, key) {
		e.ends[key] = struct{}{}
		o.Ends++
	}
	if o.witness == nil || deviations < len(o.witness.answers) || deviations == len(o.witness.answers) && r.World.Steps() < o.witness.steps {
		o.witness = &witness{slices.Clone(e.path), r.World.Steps()}
	}
}

func has(set map[uint64]struct{}, key uint64) bool {
	_, ok := set[key]
	return ok
}

// again runs the scenario with the answers given, with all its past.
func (e *explorer) again(answers []sim.Answer) (*scenarios.Run, error) {
	o := e.base
	o.Source = &sim.Replay{Answers: answers}
	r, err := scenarios.New(e.opened.File, o)
	if err != nil {
		return nil, err
	}
	r.Finish()
	return r, r.Err()
}

// judge finds the outcome of the run at the end of the path: it is run again, and ruled on.
func (e *explorer) judge() int {
	r, err := e.again(e.path)
	if err != nil {
		e.err = fmt.Errorf("a run that was explored can not be run again: %w", err)
		return 0
	}
	found := outcomeOf(r)
	for i, o := range e.outcomes {
		if o.same(found) {
			return i
		}
	}
	e.outcomes = append(e.outcomes, found)
	return len(e.outcomes) - 1
}
