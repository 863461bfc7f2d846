package trial

import (
	"pgregory.net/rapid"

	"kafkatrial/scenarios"
	"kafkatrial/sim"
)

// masked hides the options that a property does not allow.
type masked struct {
	inner sim.Source
	allow func(*scenarios.Run, sim.Option) bool
	run   *scenarios.Run
	kept  []sim.Option
	index []int
}

// Choose implements sim.Source.
func (m *masked) Choose(p sim.Point) (int, error) {
	if m.allow == nil {
		return m.inner.Choose(p)
	}
	m.kept, m.index = append(m.kept[:0], p.Options[0]), append(m.index[:0], 0)
	for i := 1; i < len(p.Options); i++ {
		if m.allow(m.run, p.Options[i]) {
			m.kept, m.index = append(m.kept, p.Options[i]), append(m.index, i)
		}
	}
	if len(m.kept) == 1 {
		return 0, nil
	}
	p.Options = m.kept
	i, err := m.inner.Choose(p)
	return m.index[i], err
}

// Rapid is a source of choice that draws from rapid, for tests. It first draws at which decisions something
// is to happen that is not calm, and at each of these what. Drawing for every decision would spend all
// faults at the beginning, since a run has thousands of decisions and few faults. Shrinking takes decisions
// away, moves them towards the beginning, and each towards its first option.
func Rapid(t *rapid.T) sim.Source {
	s := &rapidSource{t: t}
	s.strikes = s.plan("strikes", 6)
	s.fates = s.plan("fates", 10)
	return s
}

type rapidSource struct {
	t              *rapid.T
	strikes, fates []int // decisions at which to strike, in order
	next, fate     int   // decisions of each kind so far
}

// plan draws up to n decisions out of the first few thousand. Two draws make one place: of a single wide
// range rapid draws mostly the beginning.
func (s *rapidSource) plan(label string, n int) []int {
	place := rapid.Custom(func(t *rapid.T) int {
		return 128*rapid.IntRange(0, 31).Draw(t, "") + rapid.IntRange(0, 127).Draw(t, "")
	})
	return rapid.SliceOfN(place, 0, n).Draw(s.t, label)
}

func due(plan []int, at int) bool {
	for _, p := range plan {
		if p == at {
			return true
		}
	}
	return false
}

// Choose implements sim.Source.
func (s *rapidSource) Choose(p sim.Point) (int, error) {
	switch p.Kind {
	case sim.Next:
		s.next++
		if !due(s.strikes, s.next-1) {
			return 0, nil
		}
		return s.strike(p), nil
	case sim.Fate:
		s.fate++
		if !due(s.fates, s.fate-1) {
			return 0, nil
		}
		return 1 + s.roll("fate", len(p.Options)-1), nil
	}
	return s.roll(p.Site, len(p.Options)), nil
}

// strike draws what happens: to mend or to break, then in which way, then where. Drawn in one go, the many
// links that can be cut would hide the few brokers that can be killed.
func (s *rapidSource) strike(p sim.Point) int {
	byOp := func(class sim.Class) (ops []sim.Op) {
		for _, o := range p.Options[1:] {
			if o.Class == class && (len(ops) == 0 || ops[len(ops)-1] != o.Op) && !hasOp(ops, o.Op) {
				ops = append(ops, o.Op)
			}
		}
		return ops
	}
	faults, repairs := byOp(sim.Fault), byOp(sim.Repair)
	ops := faults
	if len(faults) == 0 || len(repairs) > 0 && s.roll("mend", 2) == 0 {
		ops = repairs
	}
	op := ops[s.roll("how", len(ops))]
	var where []int
	for i := 1; i < len(p.Options); i++ {
		if p.Options[i].Op == op {
			where = append(where, i)
		}
	}
	return where[s.roll("where", len(where))]
}

func hasOp(ops []sim.Op, op sim.Op) bool {
	for _, o := range ops {
		if o == op {
			return true
		}
	}
	return false
}

func (s *rapidSource) roll(label string, n int) int { return rapidDice{s.t}.roll(label, n) }
