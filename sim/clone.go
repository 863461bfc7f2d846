package sim

import "maps"

// Cloner is a Node that can be copied: the copy shares nothing that either of the two may change. env is
// the copy's own.
type Cloner interface {
	Node
	Clone(env *Env) Node
}

// Clone copies a world between two decisions, so that both can go on independently: how exhaustive search
// tries one choice after another. What is never changed once written (messages, blocks of files, the past of
// the trace) is shared. Listeners (OnFact, OnSend) are not copied, and link rules with a Match are not
// allowed, since they look at the run of the original. Every running node must be a Cloner.
func (w *World) Clone() *World {
	c := *w
	c.queue.keys = append([]key(nil), w.queue.keys...)
	c.queue.pool = append([]event(nil), w.queue.pool...)
	c.queue.free = append([]int32(nil), w.queue.free...)
	c.conns = append([]connection(nil), w.conns...)
	c.waiting = append([]flight(nil), w.waiting...)
	c.outbox = append([]flight(nil), w.outbox...)
	c.tears = append([]tear(nil), w.tears...)
	c.options = append([]Option(nil), w.options...)
	c.timers.uses = append([]int32(nil), w.timers.uses...)
	c.timers.counted = append([]bool(nil), w.timers.counted...)
	c.timers.free = append([]int32(nil), w.timers.free...)
	c.reordered, c.sorted = nil, nil
	c.marks = maps.Clone(w.marks)
	c.onFact, c.onSend = nil, nil
	c.links = append([]link(nil), w.links...)
	for i := range c.links {
		c.links[i].count = append([]uint32(nil), w.links[i].count...)
	}
	c.rules = nil
	renewed := map[*LinkRule]*LinkRule{}
	for _, r := range w.rules {
		if r.Match != nil {
			panic("sim: a world with a link rule that has a Match can not be copied")
		}
		copied := *r
		renewed[r] = &copied
		c.rules = append(c.rules, &copied)
	}
	for i := range c.waiting {
		if r := c.waiting[i].held; r != nil && renewed[r] != nil {
			c.waiting[i].held = renewed[r]
		}
	}
	// The past is shared: an append by either of the two moves its own copy elsewhere.
	t := &c.trace
	t.Steps = t.Steps[:len(t.Steps):len(t.Steps)]
	t.Facts = t.Facts[:len(t.Facts):len(t.Facts)]
	w.trace.Steps = w.trace.Steps[:len(w.trace.Steps):len(w.trace.Steps)]
	w.trace.Facts = w.trace.Facts[:len(w.trace.Facts):len(w.trace.Facts)]
	c.nodes = append([]nodeState(nil), w.nodes...)
	for i := range c.nodes {
		s := &c.nodes[i]
		s.env = Env{world: &c, node: NodeID(i)}
		s.disk = s.disk.clone()
		s.backlog = append([]event(nil), s.backlog...)
	}
	for i := range c.nodes {
		if n := c.nodes[i].node; n != nil {
			c.nodes[i].node = n.(Cloner).Clone(&c.nodes[i].env)
		}
	}
	c.point.world = &c
	return &c
}

// clone copies a disk; files share the blocks they have, and go their own ways from there.
func (d *Disk) clone() *Disk {
	c := &Disk{id: d.id, names: append([]string(nil), d.names...), files: make([]*File, len(d.files)), values: maps.Clone(d.values)}
	for i, f := range d.files {
		f.blocks = f.blocks[:len(f.blocks):len(f.blocks)]
		copied := *f
		c.files[i] = &copied
	}
	return c
}
