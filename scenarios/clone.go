package scenarios

import (
	"maps"
	"slices"

	"kafkatrial/sim"
)

// Clone copies a run between two decisions, so that both can go on independently. The copy is driven by
// Pending and Resolve; a source of choice with a state of its own is shared, so only one of the two may be
// driven by Step. Nobody looks at the copy's invariants.
func (r *Run) Clone() *Run {
	r.director.ledger.shared, r.truth.shared = true, true
	return r.copyInto(&Run{}, r.World.Clone())
}

// From has a run go on by another source than the one it was begun with, as a copy must whose source has a state of its
// own. The answers it gives are added to those that the run has.
func (r *Run) From(src sim.Source) { r.source, r.record.Inner = src, src }

// Branch copies a run as Clone does, for search: see sim.World.Branch. The original must not go on while the
// branch does. The run given, a branch that is no longer needed, is written over; nil makes a new one. The
// branch has no past: Trace, History and Report say nothing of what was before.
func (r *Run) Branch(into *Run) *Run {
	if into == nil {
		into = &Run{}
	}
	return r.copyInto(into, r.World.Branch(into.World))
}

func (r *Run) copyInto(c *Run, w *sim.World) *Run {
	watch, sent := c.director.watch, c.director.sent
	*c = *r
	c.World, c.Cluster = w, r.Cluster.Clone(w)
	c.record.List = slices.Clip(r.record.List)
	c.watch, c.broken = nil, nil
	c.moving = slices.Clip(r.moving)
	d := &c.director
	if g := r.director.going; g != nil {
		copied := *g
		d.going = &copied
	}
	d.asks = slices.Clone(r.director.asks)
	d.watch = append(watch[:0:0], r.director.watch...)
	d.sent = append(sent[:0:0], r.director.sent...)
	if base := w.Trace().Base; base != r.World.Trace().Base { // a branch has no past
		d.seen -= base - r.World.Trace().Base
		d.events -= len(r.World.Trace().Events)
	}
	d.ledger.shared, c.truth.shared = true, true
	d.listen(c)
	return c
}

// Forget drops the past of a run, for search: see sim.World.Forget. What History and Report say is worth
// nothing after it.
func (r *Run) Forget() {
	d := &r.director
	d.observe(r)
	r.World.Forget()
	d.seen, d.events = 0, 0
}

// own makes the ledger's maps its own, if a copy of the run has them too.
func (l *ledger) own() {
	if !l.shared {
		return
	}
	*l = ledger{acked: maps.Clone(l.acked), failed: clipped(l.failed), processed: clipped(l.processed), committed: maps.Clone(l.committed), carried: maps.Clone(l.carried)}
}

func clipped[K comparable, V any](m map[K][]V) map[K][]V {
	c := make(map[K][]V, len(m))
	for k, v := range m {
		c[k] = slices.Clip(v)
	}
	return c
}
