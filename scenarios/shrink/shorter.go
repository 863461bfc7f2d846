package shrink

import (
	"slices"

	"kafkatrial/scenarios"
	"kafkatrial/sim"
)

// shorter looks for a run that fails in the same way with fewer decisions than c. Of two or three decisions it tries
// every run with one, at every place before which something has changed since the last: in between they do the same.
// Of more, and where that finds nothing, it drifts. It ends with the replays that are allowed for it.
func (s *Shrinker) shorter(c *Case) *Case {
	if c.Length() > 3 {
		c = s.drift(c)
	}
	if n := c.Length(); n == 2 || n == 3 {
		if found := s.oneInstead(c, nil); found != nil {
			return found
		}
	}
	return s.drift(c)
}

// oneInstead tries every run with the decisions that are kept and one more.
func (s *Shrinker) oneInstead(c *Case, kept []Decision) *Case {
	var tries []sim.Source
	for _, next := range s.occasions(c, kept) {
		tries = append(tries, added(kept, next))
	}
	for len(tries) > 0 && !s.spent() {
		some := tries[:min(len(tries), 4*atOnce)]
		tries = tries[len(some):]
		for _, found := range s.runAll(c, some) {
			if found != nil && found.Length() < c.Length() {
				return found
			}
		}
	}
	return nil
}

// added guides a run by the decisions that are kept and one more.
func added(kept []Decision, next Decision) *guide {
	at := len(kept)
	for at > 0 && kept[at-1].Step > next.Step {
		at--
	}
	g := newGuide(slices.Insert(slices.Clone(kept), at, next), true)
	g.tear = next.Chosen.Op == sim.OpPowerLoss
	return g
}

// occasions lists the decisions that may be added to some, in the order of the run.
func (s *Shrinker) occasions(c *Case, kept []Decision) []Decision {
	all, steps := c.occasions(kept)
	s.runs++
	s.steps += int64(steps)
	return all
}

func (c *Case) occasions(kept []Decision) (all []Decision, steps int) {
	o := c.Options
	e := &explorer{guide: newGuide(kept, true), like: c.Decisions}
	o.Source = e
	r, err := scenarios.New(c.File, o)
	if err != nil {
		return nil, 0
	}
	e.run, e.guide.run, e.guide.allow = r, r, c.Allow
	c.finish(r)
	return e.found, r.World.Steps()
}

// explorer follows a guide and notes what else could be decided.
type explorer struct {
	guide  *guide
	like   []Decision
	run    *scenarios.Run
	events int
	found  []Decision
}

// Choose implements sim.Source.
func (e *explorer) Choose(p sim.Point) (int, error) {
	if i, _ := e.guide.Choose(p); i > 0 {
		return i, nil
	}
	if p.Kind == sim.Next {
		n := len(e.run.World.Trace().Events)
		if n == e.events {
			return 0, nil
		}
		e.events = n
	}
	before := ""
	for i := 1; i < len(p.Options); i++ {
		o := p.Options[i]
		if (o.Class == sim.Repair || e.known(p.Kind, o)) && (e.guide.allow == nil || e.guide.allow(e.run, o)) {
			if before == "" {
				before = p.ID(0)
			}
			e.found = append(e.found, Decision{sim.Answer{Step: p.Step, Kind: p.Kind, ID: p.ID(i), Before: before, Index: i, Of: len(p.Options)},
				p.Now, o, p.Options[0]})
		}
	}
	return 0, nil
}

// known says that the case has a decision of that kind: the same operation on one of its nodes, or of a message
// of the same type. A pause of a node is always worth a try, since it stands for most of what can befall one, and so
// is a kill where a process ends in another way: what takes an orderly shutdown and another fault besides may take one kill.
func (e *explorer) known(k sim.Kind, o sim.Option) bool {
	if o.Op == sim.OpPause {
		return true
	}
	return slices.ContainsFunc(e.like, func(d Decision) bool {
		if o.Op == sim.OpKill && ends(d.Chosen.Op) && d.Chosen.Node == o.Node {
			return true
		}
		return d.Kind == k && d.Chosen.Op == o.Op && d.Chosen.Type == o.Type && d.Chosen.N == o.N &&
			(o.IsMsg || slices.ContainsFunc(e.like, func(d Decision) bool { return d.Chosen.Node == o.Node }))
	})
}

// ends says that an operation ends a node's process.
func ends(op sim.Op) bool {
	return op == sim.OpKill || op == sim.OpShutdown || op == sim.OpPowerLoss || op == sim.OpDiskLoss
}

// plain narrows the faults that could strike to those that do, so that the run has no decision that is of no
// account.
func (s *Shrinker) plain(c *Case) *Case {
	a := sim.FaultModel{MaxDown: c.Options.FaultModel.MaxDown, Reorder: c.Options.FaultModel.Reorder, After: c.Options.FaultModel.After}
	for _, d := range c.Decisions {
		if d.Chosen.Class == sim.Fault && d.Kind != sim.Tear {
			a.Budget++
		}
		switch d.Chosen.Op {
		case sim.OpLate:
			if !slices.Contains(a.Late, sim.Time(d.Chosen.N)) {
				a.Late = append(a.Late, sim.Time(d.Chosen.N))
			}
		case sim.OpLose:
			a.Lose = true
		case sim.OpDuplicate:
			a.Duplicate = true
		case sim.OpOrder:
			a.Orders = true
		case sim.OpCut, sim.OpCutBoth:
			a.Cut = true
		case sim.OpKill:
			a.Node |= sim.CanKill
		case sim.OpPause:
			a.Node |= sim.CanPause
		case sim.OpShutdown:
			a.Node |= sim.CanShutDown
		case sim.OpPowerLoss:
			a.Node |= sim.CanLosePower
		case sim.OpDiskLoss:
			a.Node |= sim.CanLoseDisk
		}
	}
	slices.Sort(a.Late)
	narrow := *c
	narrow.Options.FaultModel = a
	if next := s.try(&narrow, c.Decisions); next != nil && len(next.Decisions) <= len(c.Decisions) {
		return next
	}
	return c
}
