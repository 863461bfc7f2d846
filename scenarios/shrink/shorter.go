package shrink

import (
	"slices"

	"kafkatrial/scenarios"
	"kafkatrial/sim"
)

// shorter looks for a run that fails in the same way with fewer decisions than c. It first tries every run with
// one decision, as a breadth-first search would, and with one of c's, or one near it, and one other; then, until nothing is gained,
// it takes two decisions away and puts one in their place. It tries the kinds of decision that c has, at every place before which something has
// changed since the last: in between they do the same. It ends with the replays that are allowed for it.
func (s *Shrinker) shorter(c *Case) *Case {
	most := s.runs + min(s.limits.Search, max(300, searchSteps/c.Run.World.Steps()))
	if c.Length() == 3 {
		if found := s.oneInstead(c, nil, most); found != nil {
			return found
		}
	}
	for near := 0; near < 3 && c.Length() > 3; near++ {
		for _, d := range c.Decisions {
			all := c.around(d)
			if near >= len(all) {
				continue
			}
			if found := s.oneInstead(c, all[near:near+1], most); found != nil {
				return found
			}
		}
	}
	for again := true; again && s.runs < most; {
		again = false
		for i := len(c.Decisions) - 1; i > 0 && !again; i-- {
			for j := i - 1; j >= 0 && !again; j-- {
				kept := slices.Concat(c.Decisions[:j], c.Decisions[j+1:i], c.Decisions[i+1:])
				if found := s.oneInstead(c, kept, most); found != nil {
					c, again = found, true
				}
			}
		}
	}
	return c
}

// around lists a decision and the same at other places, the nearest first.
func (c *Case) around(d Decision) []Decision {
	all := []Decision{d}
	for _, o := range c.occasions(nil) {
		if o.ID == d.ID && o.Step != d.Step {
			all = append(all, o)
		}
	}
	distance := func(o Decision) int { return max(o.Step-d.Step, d.Step-o.Step) }
	slices.SortStableFunc(all, func(a, b Decision) int { return distance(a) - distance(b) })
	return all
}

// oneInstead tries every run with the decisions that are kept and one more.
func (s *Shrinker) oneInstead(c *Case, kept []Decision, most int) *Case {
	for _, next := range c.occasions(kept) {
		if s.runs >= most {
			return nil
		}
		s.runs++
		at := len(kept)
		for at > 0 && kept[at-1].Step > next.Step {
			at--
		}
		g := newGuide(slices.Insert(slices.Clone(kept), at, next), true)
		g.tear = next.Chosen.Op == sim.OpPowerLoss
		if found, ok := c.replay(g); ok && found.Length() < c.Length() {
			return found
		}
	}
	return nil
}

// occasions lists the decisions that may be added to some, in the order of the run.
func (c *Case) occasions(kept []Decision) []Decision {
	o := c.Options
	e := &explorer{guide: newGuide(kept, true), like: c.Decisions}
	o.Source = e
	r, err := scenarios.New(c.File, o)
	if err != nil {
		return nil
	}
	e.run, e.guide.run, e.guide.allow = r, r, c.Allow
	r.Finish()
	return e.found
}

// explorer follows a guide and notes what else could be decided.
type explorer struct {
	guide *guide
	like  []Decision
	run   *scenarios.Run
	facts int
	found []Decision
}

// Choose implements sim.Source.
func (e *explorer) Choose(p sim.Point) (int, error) {
	if i, _ := e.guide.Choose(p); i > 0 {
		return i, nil
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

// known says that the case has a decision of that kind: the same operation on one of its nodes, or of a message
// of the same type. A pause of a node is always worth a try, since it stands for most of what can befall one.
func (e *explorer) known(k sim.Kind, o sim.Option) bool {
	if o.Op == sim.OpPause {
		return true
	}
	return slices.ContainsFunc(e.like, func(d Decision) bool {
		return d.Kind == k && d.Chosen.Op == o.Op && d.Chosen.Type == o.Type && d.Chosen.N == o.N &&
			(o.IsMsg || slices.ContainsFunc(e.like, func(d Decision) bool { return d.Chosen.Node == o.Node }))
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
		case sim.OpOrder:
			a.Orders = true
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
