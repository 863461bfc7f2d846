package sim

import "maps"

// Clone copies a world between two decisions, so that both can go on independently. What is never changed
// once written (messages, blocks of files, the past of the trace) is shared. Observers do not follow, and
// what SetAbout was given does not either.
func (w *World) Clone() *World {
	c := w.copyInto(&World{})
	// The copy has no room behind its past: what it appends goes elsewhere. The original goes on where it is.
	c.trace = w.trace
	t := &c.trace
	t.Steps, t.Events = t.Steps[:len(t.Steps):len(t.Steps)], t.Events[:len(t.Events):len(t.Events)]
	for i := range c.nodes {
		memo := c.nodes[i].memo
		c.own(NodeID(i))
		c.nodes[i].memo = memo
	}
	return c
}

// Branch copies a world as Clone does, for search: a copy in which little happens costs little. The copy
// borrows the memory and the disk of every node until something happens there; the original must therefore
// not go on while the branch does. The past of the trace is not copied. The world given, a branch that is no
// longer needed, is written over; nil makes a new one.
func (w *World) Branch(into *World) *World {
	if into == nil {
		into = &World{}
	}
	steps, events := into.trace.Steps[:0], into.trace.Events[:0]
	c := w.copyInto(into)
	c.trace = Trace{Steps: steps, Events: events, hash: w.trace.hash, Base: w.Steps()}
	return c
}

func (w *World) copyInto(c *World) *World {
	old := *c
	*c = *w
	c.queue.keys = append(old.queue.keys[:0], w.queue.keys...)
	c.queue.pool = append(old.queue.pool[:0], w.queue.pool...)
	c.queue.free = append(old.queue.free[:0], w.queue.free...)
	c.conns = append(old.conns[:0], w.conns...)
	c.waiting = append(old.waiting[:0:0], w.waiting...)
	c.outbox = append(old.outbox[:0:0], w.outbox...)
	c.tears = append(old.tears[:0:0], w.tears...)
	c.options = append(old.options[:0], w.options...)
	c.timers.uses = append(old.timers.uses[:0], w.timers.uses...)
	c.timers.counted = append(old.timers.counted[:0], w.timers.counted...)
	c.timers.free = append(old.timers.free[:0], w.timers.free...)
	c.reordered, c.sorted = old.reordered[:0], old.sorted[:0]
	c.links = append(old.links[:0], w.links...)
	c.counts = append(old.counts[:0], w.counts...)
	w.probesShared, c.probesShared = true, true
	c.observers, c.about = nil, nil
	c.copyRules(w)
	c.nodes = append(old.nodes[:0], w.nodes...)
	for i := range c.nodes {
		s := &c.nodes[i]
		s.env = Env{world: c, node: NodeID(i)}
		s.backlog = append([]scheduled(nil), s.backlog...)
		s.borrowed = true
	}
	c.point = Point{world: c}
	return c
}

// copyRules gives c rules of its own, which count for themselves.
func (c *World) copyRules(w *World) {
	c.rules = nil
	if len(w.rules) == 0 {
		return
	}
	renewed := map[*LinkRule]*LinkRule{}
	for _, r := range w.rules {
		copied := *r
		renewed[r] = &copied
		c.rules = append(c.rules, &copied)
	}
	for i := range c.waiting {
		if r := renewed[c.waiting[i].held]; r != nil {
			c.waiting[i].held = r
		}
	}
}

// own says that something is about to happen at a node: what is borrowed of it is copied now, and what was
// remembered of its key no longer holds.
func (w *World) own(n NodeID) *nodeState {
	s := &w.nodes[n]
	s.memo = memo{}
	if !s.borrowed {
		return s
	}
	s.borrowed = false
	disk := s.disk
	s.disk = disk.clone()
	if s.node != nil {
		s.node = w.cfg.Memory.copyNode(s.node, &s.env, disk, s.disk)
	}
	return s
}

// Forget drops the steps and events of the trace so far; Steps goes on counting and Hash stays. Why no longer
// finds what was before. It is for searches, which look at every step as it comes and keep nothing.
func (w *World) Forget() {
	t := &w.trace
	t.Base += len(t.Steps)
	t.Steps, t.Events = t.Steps[:0], t.Events[:0]
}

// ownProbes makes the counts of probes the world's own.
func (w *World) ownProbes() {
	if w.probesShared {
		w.probes, w.probesShared = maps.Clone(w.probes), false
	}
}

// clone copies a disk; files share the blocks they have, and go their own ways from there.
func (d *Disk) clone() *Disk {
	c := &Disk{id: d.id, names: append([]string(nil), d.names...), files: make([]*File, len(d.files)), values: append([]diskValue(nil), d.values...)}
	for i, f := range d.files {
		c.files[i] = f.clone()
	}
	return c
}

func (f *File) clone() *File {
	f.blocks = f.blocks[:len(f.blocks):len(f.blocks)]
	copied := *f
	return &copied
}
