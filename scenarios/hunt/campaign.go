// Package hunt looks for failures: campaigns of seeded runs in which faults strike at random, and the
// shrinking of what they find. A run is found by its seed alone; which runs are made, and what is reported
// of them, does not depend on how many workers make them.
package hunt

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"kafkatrial/checker"
	"kafkatrial/model/probe"
	"kafkatrial/model/protocol"
	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
	"kafkatrial/sim"
)

// Options bound a campaign.
type Options struct {
	Runs  int    // how many runs, over all shards; at least 1
	Seed  uint64 // of the campaign; run i has its own seed, made of both
	First int    // number of the first run
	// Budget is the most faults that may strike in one run; which of them and how many is drawn per run. Late
	// messages are free.
	Budget int
	Claims []checker.Claim // what counts as a violation; empty: Looked, and the claims of transactions where there are any
	// Invariants that no step may break, by the checker's names; a run is watched only if there are any.
	Invariants []string
	// Unless names rules (features of a scenario file): what is broken with them in force too does not count, so that
	// only failures are found that these rules mend.
	Unless []string
	Until  bool // stop at the first violation (that of the lowest run)
	Jobs   int  // workers; 0 means 1
	Shard  int  // this shard, from 1, of Shards; 0 and 0: all
	Shards int
	Base   scenarios.Options // release and settings
	// Faults are the classes that may be drawn; the zero value means Everything, or what suits transactions.
	Faults sim.FaultModel
	stuck  sim.Time // see source
	// Progress is called after each run, from one goroutine at a time, in the order in which runs end.
	Progress func(Progress)
}

// Everything is the fault model of a campaign that names none.
var Everything = sim.FaultModel{
	Late: []sim.Time{2 * sim.Millisecond, 20 * sim.Millisecond, 200 * sim.Millisecond, 2 * sim.Second},
	Lose: true, Duplicate: true, Cut: true, Orders: true, Node: sim.CanKill | sim.CanPause | sim.CanShutDown | sim.CanLosePower,
}

// Looked lists the claims that a campaign looks for if it is not told which: the three famous ones, and that records keep
// their order within a session.
func Looked() []checker.Claim { return lookedFor(checker.Always) }

func lookedFor(when checker.Looked) []checker.Claim {
	return checker.Which(func(r checker.Row) bool { return r.Looked == when })
}

// DefaultBudget is how many faults may strike in a run.
const DefaultBudget = 4

// Progress says how far a campaign has come.
type Progress struct {
	Done, Runs int
	Steps      int64
	Violations []Count // by claim, in the order of checker.Claims
	Probes     int     // how many of AllProbes rare situations were met
	AllProbes  int
}

// outcome is what one run came to.
type outcome struct {
	run       int
	steps     int64
	undecided bool
	differed  bool           // some decision was not calm
	struck    map[string]int // by the words of a fault model
	found     []Violation
	probes    []string
	err       error
}

// seedOf makes the seed of run i of a campaign.
func seedOf(campaign uint64, i int) uint64 { return mix(campaign*0x9E3779B97F4A7C15 + uint64(i) + 1) }

// Campaign makes the runs. It ends early when ctx is done, and reports what it has; the error says that the
// scenario can not be run at all.
func Campaign(ctx context.Context, opened *scenarios.Opened, o Options) (*Report, error) {
	r, err := scenarios.New(ruled(opened.File, o.Unless), o.Base)
	if err != nil {
		return nil, err
	}
	for _, kind := range o.Faults.Of {
		if !slices.Contains(protocol.MessageNames, kind) {
			return nil, fmt.Errorf("faults: of=%s: no message is called that; did you mean %s?", kind, format.Nearest(kind, protocol.MessageNames))
		}
	}
	o = o.suited(&r.Cluster.Spec).withDefaults()
	o.Faults = scenarios.UntilDone(opened.File, o.Faults)
	pace, end, err := paceOf(opened.File, o.Base, o.Faults.After)
	if err == nil && o.Faults.After == 0 && end.busy {
		o.Faults.After = scenarios.Work
		pace, end, err = paceOf(opened.File, o.Base, o.Faults.After)
	}
	if err != nil {
		return nil, err
	}
	numbers := o.numbers()
	_, transactions := patience(&r.Cluster.Spec)
	c := &collector{report: o.report(opened.File, len(numbers)), o: o, stopAt: -1, failed: map[string]int{}, probes: map[string]bool{}, possible: probe.Possible(r.Cluster.Rules(), transactions)}
	c.report.EndsBefore, c.report.NotLookedFor = end.unanswered, unlooked(o.Claims, transactions)
	var wg sync.WaitGroup
	for range o.Jobs {
		wg.Go(func() {
			for {
				at, more := c.take(ctx, len(numbers))
				if !more {
					return
				}
				if out, whole := one(ctx, opened, o, pace, numbers[at]); whole {
					c.put(at, out)
				}
			}
		})
	}
	wg.Wait()
	c.report.Interrupted = ctx.Err() != nil
	return c.finish()
}

func (o Options) withDefaults() Options {
	if o.Jobs < 1 {
		o.Jobs = 1
	}
	if o.Budget == 0 {
		o.Budget = DefaultBudget
	}
	if f := o.Faults; len(f.Late) == 0 && !f.Lose && !f.Duplicate && !f.Cut && !f.Orders && f.Node == 0 {
		o.Faults = Everything
	}
	if len(o.Claims) == 0 {
		o.Claims = Looked()
	}
	return o
}

// numbers lists the runs of this shard.
func (o Options) numbers() []int {
	var all []int
	for i := o.First; i < o.First+o.Runs; i++ {
		if o.Shards < 2 || i%o.Shards == o.Shard-1 {
			all = append(all, i)
		}
	}
	return all
}

// source makes the source of one run, and says which faults exist in it.
func (o Options) source(seed uint64) (sim.FaultModel, *source) {
	a := o.Faults
	a.Budget = o.Budget
	if a.MaxDown == 0 {
		a.MaxDown = 2
	}
	a, rates := swarm(seed, a)
	return a, &source{seed: seed, rates: rates, stuck: o.stuck, pauses: a.Pauses, of: a.Of}
}

// one makes one run and rules on it. It reports false if ctx was done before the run came to its end.
func one(ctx context.Context, opened *scenarios.Opened, o Options, pace pace, number int) (out outcome, whole bool) {
	out.run = number
	seed := seedOf(o.Seed, number)
	opts := o.Base
	faultModel, src := o.source(seed)
	opts.FaultModel, opts.Source, opts.Invariants = faultModel, src, len(o.Invariants) > 0
	r, err := scenarios.New(opened.File, opts)
	if err != nil {
		out.err = err
		return out, true
	}
	src.run, src.pace = r, pace
	for r.Step() {
		if r.World.Steps()%glance == 0 && ctx.Err() != nil {
			return out, false
		}
	}
	out.steps = int64(r.World.Steps())
	rested, _ := r.Rested()
	out.undecided = !rested || r.Stopped() != ""
	out.differed, out.struck = len(r.Answers()) > 0, struckIn(r)
	for _, m := range r.World.Probes() {
		out.probes = append(out.probes, m.Name)
	}
	for _, b := range r.Broken() {
		if (b.Assertion || slices.Contains(o.Invariants, b.Invariant)) && !slices.ContainsFunc(out.found, func(v Violation) bool { return v.Invariant == b.Invariant }) {
			out.found = append(out.found, breachOf(b, number, seed, r, opened, opts))
		}
	}
	for _, v := range r.Hunted(o.Claims...).Verdicts {
		if v.Ruling == checker.Violated && !v.NotObserved {
			out.found = append(out.found, violationOf(v, number, seed, r, opened, opts))
		}
	}
	if len(o.Unless) > 0 {
		out.found = slices.DeleteFunc(out.found, func(v Violation) bool { return !mended(r, v.Failure(), o.Unless) })
		for i := range out.found {
			out.found[i].unless = o.Unless
		}
	}
	for i := range out.found {
		v := &out.found[i]
		first := slices.IndexFunc(out.found, func(o Violation) bool { return o.Invariant == v.Invariant && o.Subject == v.Subject })
		v.lead = out.found[first].Failure()
	}
	return out, true
}

// glance is after how many steps a run looks whether it is still wanted: most are shorter.
const glance = 1 << 14

// collector hands out runs and puts outcomes together in the order of the runs.
type collector struct {
	mu     sync.Mutex
	next   int
	done   []outcome
	stopAt int // with Until: the lowest place that has a violation; -1 none yet
	steps  int64
	failed map[string]int
	probes map[string]bool
	// possible are the probes that the scenario can meet.
	possible []probe.Probe
	report   Report
	o        Options
	failure  error
}

func (c *collector) take(ctx context.Context, n int) (int, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next >= n || ctx.Err() != nil || c.failure != nil || c.o.Until && c.stopAt >= 0 && c.next > c.stopAt {
		return 0, false
	}
	c.next++
	return c.next - 1, true
}

func (c *collector) put(at int, out outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if out.err != nil {
		c.failure = out.err
		return
	}
	c.done = append(c.done, out)
	c.steps += out.steps
	if len(out.found) > 0 && (c.stopAt < 0 || at < c.stopAt) {
		c.stopAt = at
	}
	for _, what := range broken(out.found) {
		c.failed[what]++
	}
	for _, m := range out.probes {
		c.probes[m] = true
	}
	if c.o.Progress != nil {
		c.o.Progress(Progress{Done: len(c.done), Runs: c.report.Planned, Steps: c.steps, Violations: counts(c.failed), Probes: len(c.probes), AllProbes: len(c.possible)})
	}
}

// broken lists what a run broke, each once: claims and invariants by name.
func broken(found []Violation) []string {
	var all []string
	for _, v := range found {
		if !slices.Contains(all, v.what()) {
			all = append(all, v.what())
		}
	}
	return all
}

// counts puts what was broken in order: claims as every report has them, then invariants by name.
func counts(n map[string]int) []Count {
	all := []Count{}
	for _, claim := range checker.Claims() {
		if n[string(claim)] > 0 {
			all = append(all, Count{string(claim), n[string(claim)]})
		}
	}
	var others []string
	for name := range n {
		if !slices.Contains(checker.Claims(), checker.Claim(name)) {
			others = append(others, name)
		}
	}
	slices.Sort(others)
	for _, name := range others {
		all = append(all, Count{name, n[name]})
	}
	return all
}

// finish adds the outcomes up, in the order of the runs. With Until, runs beyond the first violation that
// happened to be made do not count.
func (c *collector) finish() (*Report, error) {
	if c.failure != nil {
		return nil, c.failure
	}
	slices.SortFunc(c.done, func(a, b outcome) int { return a.run - b.run })
	failed := map[string]int{}
	probes, struck, undecided := map[string]int{}, map[string]int{}, map[string]int{}
	r := &c.report
	r.Found = []Violation{}
	for _, out := range c.done {
		r.Runs++
		r.Steps += out.steps
		if out.undecided {
			r.Undecided++
		}
		if out.differed {
			r.Differed++
		}
		for class, n := range out.struck {
			struck[class] += n
		}
		for _, what := range broken(out.found) {
			failed[what]++
			if out.undecided {
				undecided[what]++
			}
		}
		for _, m := range out.probes {
			probes[m]++
		}
		r.Found = keepLowest(r.Found, out.found)
		if c.o.Until && len(out.found) > 0 {
			break
		}
	}
	r.Violations, r.OfUndecided = counts(failed), counts(undecided)
	if err := r.setStruck(struck); err != nil {
		return nil, err
	}
	r.setProbes(probes, func(name string) bool {
		return slices.ContainsFunc(c.possible, func(m probe.Probe) bool { return m.Name == name })
	})
	return r, nil
}
