package shrink

import (
	"slices"

	"kafkatrial/sim"
)

// drift looks for a shorter run by a walk among runs that fail in the same way and are no longer. A step of the walk
// puts one decision in the place of one, or of two; where two went, the run is shorter. Where only one went, it is as
// long as before, but another one: what it needed the others for may be gone, so each is tried whether it can be left
// out. A walk that has found nothing for a while begins again at the shortest run so far.
//
// What is put in is drawn, kind first and then place, mostly near the one that it replaces. The draws have a fixed
// seed, so that the same case always becomes the same.
func (s *Shrinker) drift(c *Case) *Case {
	const patience = 30
	w := walk{s: s, draws: 1}
	best, began := c, s.runs
	w.stand(c)
	for idle := 0; !s.spent() && s.runs-began < worth(best.Length()); idle++ {
		if idle == patience {
			w.stand(best)
			idle = 0
		}
		next := w.step()
		if next == nil {
			continue
		}
		next = w.without(next)
		w.stand(next)
		if next.Length() < best.Length() {
			best, idle = next, 0
		}
	}
	return best
}

// worth is how many runs may be made to shorten one of so many decisions. A long one is worth more: it is likelier that
// there is a shorter one, and nobody wants to read it. Whether there is one with a single decision is known by then.
func worth(length int) int { return 400 * (length - 2) * max(length-2, 0) }

// walk is where a drift stands.
type walk struct {
	s     *Shrinker
	draws uint64
	at    *Case
	known map[[2]int][]Decision // what can be put in the place of one decision or of two
}

func (w *walk) stand(c *Case) {
	w.at, w.known = c, map[[2]int][]Decision{}
}

// draw gives a number below n, by the generator SplitMix64.
func (w *walk) draw(n int) int {
	w.draws += 0x9E3779B97F4A7C15
	x := w.draws
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return int((x ^ x>>31) % uint64(n))
}

// atOnce is how many exchanges are tried at the same time. It is fixed, so that how many processors there are makes no
// difference to what is found.
const atOnce = 4

// step tries some exchanges and takes the first with which the run still fails and has not become longer; nil if there
// is none.
func (w *walk) step() *Case {
	var tries []sim.Source
	for range atOnce {
		if g := w.exchange(); g != nil {
			tries = append(tries, g)
		}
	}
	for _, next := range w.s.runAll(w.at, tries) {
		if next != nil && next.Length() <= w.at.Length() {
			return next
		}
	}
	return nil
}

// exchange draws one; nil if nothing can be put where it was to be put.
func (w *walk) exchange() *guide {
	list := w.at.Decisions
	i := w.draw(len(list))
	j := i
	if len(list) > 2 && w.draw(2) == 0 {
		j = w.draw(len(list))
	}
	old := list[i]
	i, j = min(i, j), max(i, j)
	kept := slices.Delete(slices.Clone(list), j, j+1)
	if i < j {
		kept = slices.Delete(kept, i, i+1)
	}
	all, ok := w.known[[2]int{i, j}]
	if !ok {
		all = slices.DeleteFunc(w.s.occasions(w.at, kept), func(d Decision) bool { return d.Kind == sim.Tear })
		w.known[[2]int{i, j}] = all
	}
	if len(all) == 0 {
		w.s.runs++ // or a case in which nothing can be put anywhere would have no end
		return nil
	}
	g := added(kept, w.pick(all, old))
	g.tear = g.tear || w.draw(2) == 0 // power losses that lost nothing so far may lose something
	return g
}

// pick draws what to put in: half of the time the same as the one that is replaced, else any operation; and a place
// that is near, or any.
func (w *walk) pick(all []Decision, old Decision) Decision {
	var ops []sim.Op
	for _, d := range all {
		if !slices.Contains(ops, d.Chosen.Op) {
			ops = append(ops, d.Chosen.Op)
		}
	}
	op := ops[w.draw(len(ops))]
	some := slices.DeleteFunc(slices.Clone(all), func(d Decision) bool { return d.Chosen.Op != op })
	if w.draw(2) == 0 {
		same := slices.DeleteFunc(slices.Clone(all), func(d Decision) bool { return d.ID != old.ID })
		if len(same) > 0 {
			some = same
		}
	}
	if w.draw(3) == 0 {
		return some[w.draw(len(some))]
	}
	at, _ := slices.BinarySearchFunc(some, old.Step, func(d Decision, step int) int { return d.Step - step })
	far := 1 + w.draw(1+w.draw(len(some)))
	return some[max(0, min(len(some)-1, at-far+w.draw(2*far)))]
}

// without leaves decisions out, one by one, the last first, as long as the run fails.
func (w *walk) without(c *Case) *Case {
	for i := len(c.Decisions) - 1; i >= 0 && !w.s.spent(); i-- {
		i = min(i, len(c.Decisions)-1)
		if next := w.s.run(c, newGuide(slices.Delete(slices.Clone(c.Decisions), i, i+1), false)); next != nil && len(next.Decisions) < len(c.Decisions) {
			c = next
		}
	}
	return c
}
