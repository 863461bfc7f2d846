package shrink

import (
	"kafkatrial/scenarios"
	"kafkatrial/sim"
)

// Decision is an answer that was not calm, with the moment at which it was given.
type Decision struct {
	sim.Answer
	At     sim.Time
	Chosen sim.Option
	calm   sim.Option
}

// recorder passes decisions on and keeps those that are not calm.
type recorder struct {
	inner sim.Source
	list  []Decision
}

func (r *recorder) Choose(p sim.Point) (int, error) {
	i, err := r.inner.Choose(p)
	if err == nil && i != 0 {
		r.list = append(r.list, Decision{sim.Answer{Step: p.Step, Kind: p.Kind, ID: p.ID(i), Before: p.ID(0), Index: i, Of: len(p.Options)},
			p.Now, p.Options[i], p.Options[0]})
	}
	return i, err
}

// guide gives decisions again in a run that has changed: each where its name stands, the option chosen and the
// calm one that it replaced. With byTime a decision whose place has not come by its time is taken at the first
// occasion after.
type guide struct {
	list   []Decision
	byTime bool
	tear   bool // a power loss that nothing is recorded of takes all it can
	used   []bool
	left   int
	allow  func(*scenarios.Run, sim.Option) bool
	run    *scenarios.Run
}

func newGuide(list []Decision, byTime bool) *guide {
	return &guide{list: list, byTime: byTime, used: make([]bool, len(list)), left: len(list)}
}

// Choose implements sim.Source.
func (g *guide) Choose(p sim.Point) (int, error) {
	if g.left == 0 && !g.tear {
		return 0, nil
	}
	calm := p.Options[0]
	for i := range g.list {
		d := &g.list[i]
		if g.used[i] || d.Kind != p.Kind {
			continue
		}
		named := d.calm.Op == calm.Op && d.calm.Seq == calm.Seq && d.calm.Type == calm.Type && d.Before == p.ID(0)
		late := g.byTime && p.Now >= d.At && (p.Kind == sim.Next || d.calm.Type == calm.Type)
		if !named && !late {
			continue
		}
		if o := g.find(p, d, named); o > 0 {
			g.used[i] = true
			g.left--
			return o, nil
		}
	}
	if g.tear && p.Kind == sim.Tear {
		return len(p.Options) - 1, nil
	}
	return 0, nil
}

// find looks for the option that a decision chose. Of a message that is not the one it was about, it takes the
// same fate.
func (g *guide) find(p sim.Point, d *Decision, named bool) int {
	for o := 1; o < len(p.Options); o++ {
		c := p.Options[o]
		if c.Op != d.Chosen.Op || c.N != d.Chosen.N {
			continue
		}
		if g.allow != nil && !g.allow(g.run, c) {
			continue
		}
		if p.ID(o) == d.ID || !named && p.Kind == sim.Fate && sameLink(c, d.Chosen) {
			return o
		}
	}
	return 0
}

func sameLink(a, b sim.Option) bool { return a.Node == b.Node && a.Peer == b.Peer && a.Type == b.Type }

// String tells a decision with its time: "at 10019ms: kill b1".
func (d Decision) String() string { return "at " + d.At.String() + ": " + d.ID }
