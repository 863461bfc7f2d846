// Package scenarios runs scenario files: it builds the cluster a file describes, carries out its script,
// mends everything, lets the run come to rest, and has the checker rule on what happened.
package scenarios

import (
	"fmt"
	"slices"

	"kafkatrial/checker"
	"kafkatrial/model"
	"kafkatrial/model/event"
	"kafkatrial/model/planted"
	"kafkatrial/scenarios/format"
	"kafkatrial/sim"
)

// Options change a run against its file. The zero value changes nothing.
type Options struct {
	Kafka string    // another release
	Set   []Setting // settings, given wherever the key exists
	Seed  int       // another seed; 0: the file's
	// Source decides what the script leaves open; nil: the calm source, or one seeded with the seed if the
	// file's network has jitter.
	Source sim.Source
	// FaultModel opens decisions that the file leaves closed: a campaign's faults.
	FaultModel sim.FaultModel
	// Recent has the claim recent ruled on although the file does not name it.
	Recent bool
	// Invariants has them checked after every step.
	Invariants bool
	// Planted guards are off: for tests of the checker only.
	Planted planted.Set
}

// Setting is one --set KEY=VALUE.
type Setting struct{ Key, Value string }

// Phase says how far a run has come.
type Phase uint8

// The phases of a run.
const (
	Scripted Phase = iota // the script is being carried out
	Healing               // everything is mended; the run comes to rest
	Ended
)

// Run is one run of one scenario. It is driven as a World is: Pending tells the next decision, Resolve
// answers it.
type Run struct {
	File    *format.File
	Seed    int
	Cluster *model.Cluster
	World   *sim.World

	opened   sim.FaultModel // as asked for
	source   sim.Source
	record   sim.Record
	director director
	phase    Phase
	deadline sim.Time // of the healing phase
	lives    []int    // how many processes each node had had when it began; never changed afterwards
	acting   bool     // the pending decision is the script's next step
	rested   bool
	timeUp   bool // it did not come to rest in the time that its file gives it
	moving   []string
	stopped  string // why the script, or the whole run, ended early; empty if it did not
	failure  error  // the source's
	vacant   string // a role that the present step names and nobody has
	recent   bool   // as asked for
	drawn    bool   // faults are drawn beside the script
	point    sim.Point
	defect   *Defect // an assertion of the model that did not hold, and ended the run
	truth    truth
	watch    *checker.Watch // nil: nobody looks at the invariants
	broken   []checker.Breach
}

// New prepares a run of a loaded file. The error says which setting or release is not possible.
func New(f *format.File, o Options) (*Run, error) {
	f, err := varied(f, o)
	if err != nil {
		return nil, err
	}
	spec, err := clusterSpec(f, o)
	if err != nil {
		return nil, err
	}
	r := &Run{File: f, Seed: f.Seed}
	if o.Seed != 0 {
		r.Seed = o.Seed
	}
	r.Cluster = model.New(spec)
	r.World = r.Cluster.World
	faultModel := o.FaultModel
	r.opened = faultModel
	r.drawn = faultModel.Budget > 0
	jitter := sim.Time(f.Cluster.Network.Jitter.Duration.Microseconds())
	if jitter > 0 && len(faultModel.Late) == 0 {
		faultModel.Late = []sim.Time{jitter / 3, 2 * jitter / 3, jitter}
	}
	r.World.SetFaultModel(faultModel)
	r.source = o.Source
	if r.source == nil {
		r.source = sim.Calm{}
		if jitter > 0 {
			r.source = &sim.Seeded{Seed: uint64(r.Seed), Weights: sim.Weights{Late: 700_000}}
		}
	}
	r.record.Inner = r.source
	r.recent = o.Recent
	if o.Invariants {
		r.watch = checker.NewWatch(r.Cluster)
	}
	r.director.start(r)
	return r, nil
}

// Phase tells how far the run has come.
func (r *Run) Phase() Phase { return r.phase }

// Answers gives the answers so far that were not calm: with the scenario, they are the run.
func (r *Run) Answers() []sim.Answer { return r.record.List }

// FaultModel gives the decisions that were opened beside the file's own: only with them do the answers fit.
func (r *Run) FaultModel() sim.FaultModel { return r.opened }

// Rested says whether the run came to rest after healing; if not, what was still moving.
func (r *Run) Rested() (bool, []string) { return r.rested, r.moving }

// Stopped says why the script ended before its last step, or the run before it could come to rest, "" if neither did.
func (r *Run) Stopped() string { return r.stopped }

// Err is the error with which the source of choice ended the run, nil if it did not.
func (r *Run) Err() error { return r.failure }

// Pending gives the next decision; false when the run has ended. The script's next step, when it is due,
// comes before anything else, as a decision with one option.
func (r *Run) Pending() (next sim.Point, more bool) {
	defer func() {
		if found := recover(); found != nil {
			r.broke(found)
			next, more = sim.Point{}, false
		}
	}()
	return r.pending()
}

func (r *Run) pending() (sim.Point, bool) {
	for {
		if r.phase != Ended && r.World.Steps() >= maxSteps {
			why := fmt.Sprintf("the run has taken %d steps, and no run may take more", maxSteps)
			if r.phase == Scripted {
				r.director.giveUp(r, why)
			} else if r.stopped == "" {
				r.stopped = why
			}
			r.phase = Ended
		}
		switch r.phase {
		case Scripted:
			switch r.director.next(r) {
			case actNow:
				r.acting = true
				r.point = sim.Point{Step: r.World.Steps(), Now: r.World.Now(), Site: "script", Options: make([]sim.Option, 1)}
				return r.point, true
			case done:
				if !r.atWork() {
					r.heal()
					continue
				}
			}
		case Healing:
			r.startStopped(r.Cluster.Directory.Brokers)
			if r.settled() && r.World.NextAt() <= r.deadline && r.regroup() {
				continue
			}
			if r.atRest() {
				if r.revive() {
					continue
				}
				r.rested = true
				r.phase = Ended
				continue
			}
			if r.World.NextAt() > r.deadline {
				r.timeUp = true
				r.moving = r.Cluster.Moving()
				if len(r.moving) == 0 {
					r.moving = []string{fmt.Sprintf("%d messages or timers", r.World.Busy())}
				}
				r.phase = Ended
				continue
			}
		case Ended:
			r.director.answer(r, true)
			return sim.Point{}, false
		}
		r.acting = false
		p, more := r.World.Pending()
		if !more {
			if r.phase == Scripted {
				r.director.giveUp(r, "nothing is left that could happen")
				continue
			}
			r.rested = r.World.Busy() == 0
			r.phase = Ended
			continue
		}
		r.point = p
		return p, true
	}
}

// Resolve answers the pending decision.
func (r *Run) Resolve(i int) {
	defer func() {
		if found := recover(); found != nil {
			r.broke(found)
		}
	}()
	if r.acting {
		r.acting = false
		r.director.act(r)
	} else {
		r.World.Resolve(i)
		r.director.observe(r)
	}
	if r.watch != nil {
		r.broken = append(r.broken, r.watch.Look()...)
	}
}

// Broken lists the invariants that did not hold after a step, in the order of the run: with
// Options.Invariants only.
func (r *Run) Broken() []checker.Breach { return r.broken }

// maxSteps bounds a run, whose every step is kept. A script that lets days pass, or a client that tries again without
// a pause, would otherwise use up the memory of the machine instead of ending. It is a variable for tests only.
var maxSteps = 1_000_000

// Step answers one decision by the run's own source. It reports false when the run has ended.
func (r *Run) Step() bool {
	p, more := r.Pending()
	if !more {
		return false
	}
	i := 0
	if len(p.Options) > 1 {
		var err error
		if i, err = r.record.Choose(p); err != nil {
			r.failure = err
			r.phase = Ended
			return false
		}
	}
	r.Resolve(i)
	return true
}

// Finish runs to the end.
func (r *Run) Finish() {
	for r.Step() {
	}
}

// heal ends the phase of faults: links carry again, what was held is let go, paused nodes run on, stopped
// ones are started, as the file's end says. No more faults are drawn.
func (r *Run) heal() {
	r.phase = Healing
	r.lives = make([]int, len(r.Cluster.Nodes()))
	for _, n := range r.Cluster.Nodes() {
		r.lives[n] = r.World.Incarnation(n)
	}
	end := &r.File.End
	faultModel := r.World.FaultModel()
	faultModel.Quiet = true
	r.World.SetFaultModel(faultModel)
	r.World.Note(&event.Healed{})
	if end.Heal {
		r.World.HealAll()
		for _, n := range r.Cluster.Nodes() {
			r.World.Resume(n)
		}
	}
	for _, n := range r.Cluster.Nodes() {
		if s := r.World.State(n); (s == sim.Down || s == sim.Off) && r.restartsAtEnd(n) {
			r.World.Restart(n)
		}
	}
	r.deadline = r.World.Now() + duration(end.Within)
}

// revive starts the applications that outlived the script and died of it later, as of an exception that a
// call threw which had waited since before the mending: whoever restarts what is down would restart them too.
// Each is started once; it reports whether one was.
func (r *Run) revive() (any bool) {
	return r.startStopped(append(slices.Clone(r.Cluster.Producers()), r.Cluster.Consumers()...))
}

// startStopped starts those among the nodes that have stopped since everything was mended, each once: brokers that were
// shutting down in order, beside the applications of revive.
func (r *Run) startStopped(nodes []sim.NodeID) (any bool) {
	for _, n := range nodes {
		if r.World.State(n) == sim.Down && r.restartsAtEnd(n) && r.World.Incarnation(n) == r.lives[n] {
			r.World.Restart(n)
			any = true
		}
	}
	return any
}

func (r *Run) restartsAtEnd(n sim.NodeID) bool {
	end := &r.File.End.Restart
	switch {
	case end.None:
		return false
	case end.All:
		return !r.Cluster.NeverStarted(n)
	}
	for _, listed := range end.List {
		if listed.Name == r.World.Name(n) {
			return true
		}
	}
	return false
}

// settle is how long nothing must have happened before a run counts as at rest.
const settle = 100 * sim.Millisecond

// atRest says that nothing but routine traffic is left and that nothing is about to follow from it.
func (r *Run) atRest() bool { return r.settled() && len(r.Cluster.Moving()) == 0 }

// settled says that nothing but routine traffic is left, and has been for a while.
func (r *Run) settled() bool {
	w := r.World
	return w.Busy() == 0 && w.NextAt()-w.LastNews() >= settle
}

// atWork says that the script is over and faults may still strike, since what it began is not at its end.
func (r *Run) atWork() bool {
	return r.stopped == "" && r.World.NextAt() <= r.director.since+r.opened.After && r.opened.After > 0 && !r.atRest()
}

// Work is for how long after the script the faults of a campaign may strike the applications of a file that write: more
// than a round of their loop takes, and than messages are late as a rule.
const Work = 10 * sim.Second

// UntilDone opens a fault model that does not say for how long after the script faults may strike to what is left to do
// then: where applications write, what they make of the last records that the script sends.
func UntilDone(f *format.File, a sim.FaultModel) sim.FaultModel {
	if a.After == 0 && slices.ContainsFunc(f.Consumers, format.Consumer.Writes) {
		a.After = Work
	}
	return a
}

func duration(d format.Duration) sim.Time { return sim.Time(d.Microseconds()) }

// History is what happened so far, in the form the checker rules on.
func (r *Run) History() checker.History {
	return checker.Extract(r.Cluster, checker.Ending{Rested: r.rested, Moving: r.moving, TimeUp: r.timeUp, Ended: r.phase == Ended})
}
