package shrink

import (
	"slices"

	"kafkatrial/sim"
)

// milder puts a lesser fault in the place of a graver one: a process dies and not the machine, one direction is
// cut and not both, a message is late and not lost, a power loss takes less.
func (s *Shrinker) milder(c *Case) *Case {
	for i := 0; i < len(c.Decisions); i++ {
		for _, op := range lesser[c.Decisions[i].Chosen.Op] {
			list := slices.Clone(c.Decisions)
			list[i].Chosen.Op = op
			if next := s.tryOp(c, list, i); next != nil && len(next.Decisions) <= len(c.Decisions) && next.noLonger(c) {
				c = next
				break
			}
		}
	}
	return c
}

var lesser = map[sim.Op][]sim.Op{
	sim.OpPowerLoss: {sim.OpPause, sim.OpKill},
	sim.OpDiskLoss:  {sim.OpPause, sim.OpKill, sim.OpPowerLoss},
	sim.OpKill:      {sim.OpPause},
	sim.OpCutBoth:   {sim.OpCut},
}

// tryOp replays with the operation of one decision changed.
func (s *Shrinker) tryOp(c *Case, list []Decision, changed int) *Case {
	if s.spent() {
		return nil
	}
	return s.run(c, &swapped{newGuide(list, false), changed})
}

// swapped is a guide in which one decision is known by its place and its nodes, not by the name of what was
// chosen there.
type swapped struct {
	*guide
	changed int
}

// Choose implements sim.Source.
func (g *swapped) Choose(p sim.Point) (int, error) {
	d := &g.list[g.changed]
	if !g.used[g.changed] && d.Kind == p.Kind && d.calm.Seq == p.Options[0].Seq && d.Before == p.ID(0) {
		for o := 1; o < len(p.Options); o++ {
			if c := p.Options[o]; c.Op == d.Chosen.Op && c.Node == d.Chosen.Node && c.Peer == d.Chosen.Peer {
				g.used[g.changed] = true
				g.left--
				return o, nil
			}
		}
	}
	return g.guide.Choose(p)
}
