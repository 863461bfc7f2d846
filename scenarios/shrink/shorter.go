package shrink

import (
	"slices"

	"kafkatrial/scenarios"
	"kafkatrial/sim"
)

// shorter looks for a run that fails in the same way with fewer decisions than c, in the order of their number:
// none of one decision before none of two. It tries the kinds of decision that c has, wherever something has
// changed since the last place; in between they do the same. It ends with the replays that are allowed.
func (s *Shrinker) shorter(c *Case) *Case {
	most := s.runs + s.limits.Search
	for depth := 1; depth < len(c.Decisions); depth++ {
		if found := s.search(c, nil, depth, most); found != nil {
			return found
		}
		if s.runs >= most {
			break
		}
	}
	return c
}

// search tries every run that goes on from a prefix with depth more decisions.
func (s *Shrinker) search(c *Case, prefix []Decision, depth, most int) *Case {
	for _, next := range c.occasions(prefix) {
		if s.runs >= most {
			return nil
		}
		list := append(slices.Clone(prefix), next)
		if depth == 1 {
			s.runs++
			if found, ok := c.replay(newGuide(list, false)); ok {
				return found
			}
			continue
		}
		if found := s.search(c, list, depth-1, most); found != nil {
			return found
		}
	}
	return nil
}

// occasions lists the decisions that may follow a prefix, in the order of the run.
func (c *Case) occasions(prefix []Decision) []Decision {
	o := c.Options
	e := &explorer{guide: newGuide(prefix, false), like: c.Decisions}
	o.Source = e
	r, err := scenarios.New(c.File, o)
	if err != nil {
		return nil
	}
	e.run, e.guide.run, e.guide.allow = r, r, c.Allow
	r.Finish()
	return e.found
}

// explorer follows a guide and then notes what else could be decided.
type explorer struct {
	guide *guide
	like  []Decision
	run   *scenarios.Run
	facts int
	found []Decision
}

// Choose implements sim.Source.
func (e *explorer) Choose(p sim.Point) (int, error) {
	if e.guide.left > 0 {
		return e.guide.Choose(p)
	}
	if p.Kind == sim.Next {
		n := len(e.run.World.Trace().Facts)
		if n == e.facts {
			return 0, nil
		}
		e.facts = n
	}
	for i := 1; i < len(p.Options); i++ {
		o := p.Options[i]
		if (o.Class == sim.Repair || e.known(p.Kind, o)) && (e.guide.allow == nil || e.guide.allow(e.run, o)) {
			e.found = append(e.found, Decision{sim.Answer{Step: p.Step, Kind: p.Kind, ID: p.ID(i), Before: p.ID(0), Index: i, Of: len(p.Options)},
				p.Now, o, p.Options[0]})
		}
	}
	return 0, nil
}

// known says that the case has a decision of that kind: the same operation, of a message the same type.
func (e *explorer) known(k sim.Kind, o sim.Option) bool {
	return slices.ContainsFunc(e.like, func(d Decision) bool {
		return d.Kind == k && d.Chosen.Op == o.Op && d.Chosen.Type == o.Type && d.Chosen.N == o.N
	})
}

// plain narrows the faults that could strike to those that do, so that the run has no decision that is of no
// account.
func (s *Shrinker) plain(c *Case) *Case {
	a := sim.Alphabet{MaxDown: c.Options.Alphabet.MaxDown, Reorder: c.Options.Alphabet.Reorder}
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
		case sim.OpCut, sim.OpCutBoth:
			a.Cut = true
		case sim.OpKill:
			a.Node |= sim.CanKill
		case sim.OpPause:
			a.Node |= sim.CanPause
		case sim.OpPowerLoss:
			a.Node |= sim.CanLosePower
		case sim.OpDiskLoss:
			a.Node |= sim.CanLoseDisk
		}
	}
	slices.Sort(a.Late)
	narrow := *c
	narrow.Options.Alphabet = a
	if next := s.try(&narrow, c.Decisions); next != nil && len(next.Decisions) <= len(c.Decisions) {
		return next
	}
	return c
}
