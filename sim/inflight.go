package sim

import "slices"

// flying lists what can be done to the messages on their way, for FaultModel.InFlight: first those that wait,
// in the order in which they came to a stop, then the others in the order in which they arrive. Of each, in
// this order: let it go (if it is held), lose it, double it, hold it back, delay it by each of
// FaultModel.Delays. Only the first message of each direction of a connection is offered: what is behind it
// shares its fate, and has its own turn when the first has arrived. What can not arrive any more is left out.
func (w *World) flying(opts []Option) []Option {
	a := &w.faultModel
	offered := func(e *scheduled) bool {
		return e.kind == evMessage && !w.doomed(e) && a.strikes(w.Name(e.peer)) && a.strikes(w.Name(e.node))
	}
	add := func(e *scheduled, op Op, class Class, n Time) {
		opts = append(opts, Option{Op: op, Class: class, IsMsg: true, Type: e.msg.Type(), Node: e.peer, Peer: e.node, Seq: e.n, N: int64(n)})
	}
	for i := range w.waiting {
		f := &w.waiting[i]
		if !offered(&f.scheduled) || slices.ContainsFunc(w.waiting[:i], func(g flight) bool { return g.sameWay(&f.scheduled) }) {
			continue
		}
		if f.held != nil {
			add(&f.scheduled, OpRelease, Repair, 0)
		}
		if a.Budget > 0 {
			add(&f.scheduled, OpLose, Fault, 0)
		}
	}
	w.sorted = append(w.sorted[:0], w.queue.keys...)
	sortKeys(w.sorted)
	for i, k := range w.sorted {
		e := &w.queue.pool[k.idx]
		if !offered(e) || w.blocked(e) || slices.ContainsFunc(w.sorted[:i], func(l key) bool { return w.queue.pool[l.idx].sameWay(e) }) {
			continue
		}
		if a.Budget > 0 {
			add(e, OpLose, Fault, 0)
			add(e, OpDuplicate, Fault, 0)
			add(e, OpHold, Fault, 0)
		}
		for _, t := range a.Delays {
			add(e, OpLate, Progress, t)
		}
	}
	return opts
}

// sameWay says that two messages go the same way on the same connection.
func (e *scheduled) sameWay(f *scheduled) bool {
	return e.kind == evMessage && e.conn == f.conn && e.toServer == f.toServer
}

// names says that an option is about the message of an event.
func (o *Option) names(e *scheduled) bool {
	return o.IsMsg && e.kind == evMessage && e.peer == o.Node && e.node == o.Peer && e.n == o.Seq && e.msg.Type() == o.Type
}

// divert does to a message on its way what a source has chosen.
func (w *World) divert(o Option) {
	for i := range w.waiting {
		if f := &w.waiting[i]; o.names(&f.scheduled) && !w.doomed(&f.scheduled) {
			w.divertWaiting(i, o)
			return
		}
	}
	var first key
	at := -1
	for i, k := range w.queue.keys {
		if e := &w.queue.pool[k.idx]; o.names(e) && !w.doomed(e) && (at < 0 || k.before(first)) {
			first, at = k, i
		}
	}
	if at < 0 {
		return
	}
	e := w.queue.pool[first.idx]
	if o.Op != OpLose {
		w.begin(Step{Kind: StepFault, Op: o.Op, Node: e.node, Peer: e.peer, Conn: e.conn, Cause: -1, Arg: o.N, Msg: e.msg, N: e.n})
	}
	switch o.Op {
	case OpLose:
		w.takeOut(at)
		w.loseForGood(e)
	case OpDuplicate:
		// The copy comes as if something on the way had sent the message again, and nothing waits for it.
		twin := e
		twin.exempt = true
		twin.comes++
		w.push(max(first.at, w.now)+w.link(e.peer, e.node).latency, twin)
	case OpHold:
		for i, l := range w.behind(first, Never) {
			f := flight{scheduled: w.takeOut(w.placeOf(l))}
			if i == 0 {
				f.held = byChoice
			}
			w.waiting = append(w.waiting, f)
		}
	case OpLate:
		w.postpone(first, Time(o.N))
	}
}

// byChoice stands for the rule by which a message is held that a source chose to hold. It matches nothing.
var byChoice = &LinkRule{Act: Hold, Count: 1, used: 1}

func (w *World) divertWaiting(i int, o Option) {
	f := &w.waiting[i]
	if o.Op == OpLose {
		e := f.scheduled
		w.waiting = append(w.waiting[:i:i], w.waiting[i+1:]...)
		w.loseForGood(e)
		w.flush() // what waited behind it is lost as well when it comes up
		return
	}
	w.begin(Step{Kind: StepFault, Op: o.Op, Node: f.node, Peer: f.peer, Conn: f.conn, Cause: -1, Msg: f.msg, N: f.n})
	f.held, f.exempt = nil, true
	w.flush()
}

// loseForGood loses a message, and with it what is behind it on its connection. The step says that it was
// chosen, so that a view tells of it whatever the message was.
func (w *World) loseForGood(e scheduled) {
	w.conns[e.conn].dead[e.direction()] = true
	w.begin(Step{Kind: StepLost, Op: OpLose, Node: e.node, Peer: e.peer, Conn: e.conn, Cause: e.cause, Msg: e.msg, N: e.n})
}

// takeOut removes the event at place i of the heap.
func (w *World) takeOut(i int) scheduled {
	w.queue.moveToFront(i)
	now := w.now
	e := w.pop()
	w.now = now
	return e
}

// behind lists the keys of a message and of what is behind it on its connection, in order, up to a time.
func (w *World) behind(k key, until Time) []key {
	e := &w.queue.pool[k.idx]
	var all []key
	for _, l := range w.queue.keys {
		f := &w.queue.pool[l.idx]
		if (f.kind == evMessage || f.kind == evDisconnect) && f.conn == e.conn && f.toServer == e.toServer && !l.before(k) && l.at <= until {
			all = append(all, l)
		}
	}
	sortKeys(all)
	return all
}

// placeOf finds a key in the heap.
func (w *World) placeOf(k key) int {
	return slices.IndexFunc(w.queue.keys, func(l key) bool { return l.idx == k.idx })
}

// postpone lets the message of a key arrive later, and what is behind it on its connection no earlier than it.
func (w *World) postpone(k key, by Time) {
	e := w.queue.pool[k.idx]
	at := max(k.at, w.now) + by
	for i, l := range w.behind(k, at) {
		w.queue.moveToFront(w.placeOf(l))
		_, f := w.queue.pop()
		if i == 0 {
			f.comes++ // it may have come up already: another decision about it has another name
		}
		w.queue.push(at, f)
	}
	last := &w.conns[e.conn].last[e.direction()]
	*last = max(*last, at)
}
