package groupcoordinator

import (
	"slices"

	"kafkatrial/sim"
)

// assertOneOwner is called with a new generation: each partition has one owner in it.
func (g *Group) assertOneOwner() {
	for i, m := range g.Members {
		for _, tp := range m.Assignment {
			for _, other := range g.Members[:i] {
				if slices.Contains(other.Assignment, tp) {
					sim.Broken("a partition has one owner in a generation", "in generation %d of group %s both %s and %s have %s", g.Generation, g.Name, other.ID, m.ID, tp)
				}
			}
		}
	}
}
