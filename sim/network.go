package sim

import "slices"

// link is one direction between two nodes.
type link struct {
	cut     bool
	latency Time
}

// sent gives the count of messages of a type from one node to another: it gives each message its name.
func (w *World) sent(from, to NodeID, t MsgType) *uint32 {
	return &w.counts[(int(from)*len(w.nodes)+int(to))*len(w.cfg.MessageNames)+int(t)]
}

// connection is what TCP gives: two directions, each in order, that break together.
type connection struct {
	client, server NodeID
	closed         [2]bool  // by the client, by the server
	reset          bool     // broken: nothing in flight arrives, in either direction
	dead           [2]bool  // a message was lost: nothing behind it in that direction ever arrives
	last           [2]Time  // when the newest message of the direction arrives
	told           [2]uint8 // how often the news that it is gone was sent to each side: several things can tell of it
}

const (
	clientSide = 0
	serverSide = 1
)

func (c *connection) side(n NodeID) int {
	if n == c.client {
		return clientSide
	}
	return serverSide
}

// flight is a message on its way.
type flight struct {
	scheduled
	held  *LinkRule // the rule that holds it, nil if it only waits behind another or for a cut to heal
	extra Time      // added to the link's latency
}

func (w *World) link(from, to NodeID) *link { return &w.links[int(from)*len(w.nodes)+int(to)] }

// SetLatency sets how long a message takes from one node to another.
func (w *World) SetLatency(from, to NodeID, t Time) { w.link(from, to).latency = t }

// Peer gives the node at the other end of c.
func (e *Env) Peer(c ConnID) NodeID {
	conn := &e.world.conns[c]
	if conn.client == e.node {
		return conn.server
	}
	return conn.client
}

func (w *World) connect(client, server NodeID) ConnID {
	w.conns = append(w.conns, connection{client: client, server: server})
	return ConnID(len(w.conns) - 1)
}

func (w *World) send(from NodeID, id ConnID, m Message) {
	c := &w.conns[id]
	to := c.server
	if from == c.server {
		to = c.client
	}
	n := w.sent(from, to, m.Type())
	*n++
	if c.reset || c.closed[c.side(from)] {
		return
	}
	f := flight{scheduled: scheduled{kind: evMessage, msg: m, conn: id, node: to, peer: from, cause: w.step, n: *n,
		toServer: to == c.server && from == c.client, routine: m.Routine()}}
	if len(w.rules) > 0 {
		f.extra = w.delayFor(&f.scheduled)
	}
	for _, o := range w.observers {
		o.Sent(View{w}, from, to, m)
	}
	if w.faultModel.decidesFate() {
		w.outbox = append(w.outbox, f)
		return
	}
	w.schedule(f)
}

// schedule queues the arrival of f: no earlier than what was sent before it on the same direction.
func (w *World) schedule(f flight) {
	c := &w.conns[f.conn]
	d := f.direction()
	at := max(w.now+w.link(f.peer, f.node).latency+f.extra, c.last[d])
	c.last[d] = at
	w.push(at, f.scheduled)
}

func (e *scheduled) direction() int {
	if e.toServer {
		return clientSide // the client speaks
	}
	return serverSide
}

// closeConn ends side n of a connection. What n has sent still arrives, except behind a cut: there the
// system that would send it again is gone.
func (w *World) closeConn(id ConnID, n NodeID, notify bool) {
	c := &w.conns[id]
	side := c.side(n)
	c.closed[side] = true
	w.dropUnsent(id, side)
	if c.closed[1-side] || c.reset || !notify {
		return
	}
	w.tellClosed(id, n)
}

// tellClosed sends the peer of n the news that n's end of a connection is gone: a segment like any other, behind
// what n has sent on it. While the fate of one of those messages is not decided, the news waits in the outbox
// with them.
func (w *World) tellClosed(id ConnID, n NodeID) {
	c := &w.conns[id]
	side, peer := c.side(n), c.server
	if side == serverSide {
		peer = c.client
	}
	news := flight{scheduled: scheduled{kind: evDisconnect, conn: id, node: peer, peer: n, cause: w.step, toServer: side == clientSide}}
	if slices.ContainsFunc(w.outbox, func(f flight) bool { return f.conn == id && f.direction() == side }) {
		w.outbox = append(w.outbox, news)
		return
	}
	w.schedule(news)
}

// dropUnsent forgets what waits for a cut to heal in one direction of a connection, unless a rule holds
// part of it: that part is in the network already, and what is behind it too.
func (w *World) dropUnsent(id ConnID, side int) {
	for i := range w.waiting {
		if f := &w.waiting[i]; f.conn == id && f.direction() == side && f.held != nil {
			return
		}
	}
	kept := w.waiting[:0]
	for _, f := range w.waiting {
		if f.conn != id || f.direction() != side {
			kept = append(kept, f)
		}
	}
	w.waiting = kept
}

// arrive brings a message, or the news that the other side is gone, to its receiver, unless something on
// the way stops it.
func (w *World) arrive(e scheduled) {
	c := &w.conns[e.conn]
	receiver := serverSide
	if !e.toServer {
		receiver = clientSide
	}
	if e.kind == evDisconnect && (c.closed[receiver] || c.reset && e.arg != wasReset) {
		return // the receiver knows, or is gone
	}
	if e.kind == evMessage && w.doomed(&e) {
		w.lose(e)
		return
	}
	held := w.ruleFor(&e)
	if held != nil && held.Act == Drop {
		c.dead[e.direction()] = true
		w.lose(e)
		return
	}
	if held != nil && held.Act == Duplicate {
		held = nil
		twin := e
		twin.exempt = true
		twin.comes++
		w.push(w.now+w.link(e.peer, e.node).latency, twin)
	}
	if held != nil || w.link(e.peer, e.node).cut || w.blocked(&e) {
		w.waiting = append(w.waiting, flight{scheduled: e, held: held})
		return
	}
	s := &w.nodes[e.node]
	if s.node == nil {
		w.refused(e)
		return
	}
	if s.paused {
		s.backlog = append(s.backlog, e)
		return
	}
	w.deliver(e)
}

// doomed says that a message can not arrive any more: its connection is reset, its receiver has closed it,
// or a message before it in the same direction was lost.
func (w *World) doomed(e *scheduled) bool {
	c := &w.conns[e.conn]
	d := e.direction()
	return c.reset || c.closed[1-d] || c.dead[d]
}

func (w *World) deliver(e scheduled) {
	s := w.own(e.node)
	if e.kind == evDisconnect {
		w.conns[e.conn].reset = true
		w.begin(Step{Kind: StepDisconnect, Node: e.node, Peer: e.peer, Conn: e.conn, Cause: e.cause})
		s.node.Disconnected(&s.env, e.conn)
		return
	}
	w.begin(Step{Kind: StepDeliver, Node: e.node, Peer: e.peer, Conn: e.conn, Cause: e.cause, Msg: e.msg, N: e.n})
	s.node.Receive(&s.env, Delivery{Conn: e.conn, From: e.peer, Msg: e.msg})
}

// blocked says that an earlier message of the same direction is still waiting.
func (w *World) blocked(e *scheduled) bool {
	for i := range w.waiting {
		if f := &w.waiting[i]; f.conn == e.conn && f.toServer == e.toServer {
			return true
		}
	}
	return false
}

// refused handles a message to a node where no process listens. A machine that runs answers with a reset;
// one without power does not answer at all.
func (w *World) refused(e scheduled) {
	c := &w.conns[e.conn]
	if e.kind == evMessage {
		w.lose(e)
	}
	if w.nodes[e.node].off || c.reset || c.closed[c.side(e.peer)] {
		return
	}
	w.push(w.now+w.link(e.node, e.peer).latency,
		scheduled{kind: evDisconnect, conn: e.conn, node: e.peer, peer: e.node, cause: w.step, toServer: !e.toServer})
}

func (w *World) lose(e scheduled) {
	w.begin(Step{Kind: StepLost, Node: e.node, Peer: e.peer, Conn: e.conn, Cause: e.cause, Msg: e.msg, N: e.n})
}

// Cut stops everything from one node to another; connections stay open, and what is sent waits, as TCP
// keeps trying, until the link is healed or the connection is given up.
func (w *World) Cut(from, to NodeID) {
	w.fault(OpCut, from, to, 0)
	w.link(from, to).cut = true
	w.stale = true
}

// Heal lets both directions between two nodes carry again.
func (w *World) Heal(a, b NodeID) {
	w.fault(OpHeal, a, b, 0)
	w.heal(a, b)
}

// HealOneWay lets one direction carry again.
func (w *World) HealOneWay(from, to NodeID) {
	w.fault(OpHeal, from, to, oneWay)
	w.link(from, to).cut = false
	w.stale = true
	w.flush()
}

// oneWay is the detail of a heal that mends one direction only.
const oneWay = 1

// HealLinks mends every cut; what rules hold back stays held.
func (w *World) HealLinks() {
	w.fault(OpHeal, Nobody, Nobody, 0)
	for i := range w.links {
		w.links[i].cut = false
	}
	w.stale = true
	w.flush()
}

func (w *World) heal(a, b NodeID) {
	w.link(a, b).cut, w.link(b, a).cut = false, false
	w.stale = true
	w.flush()
}

// HealAll mends every link, lifts every rule and lets go of what was held.
func (w *World) HealAll() {
	w.fault(OpHeal, Nobody, Nobody, 0)
	for i := range w.links {
		w.links[i].cut = false
	}
	w.rules = nil
	for i := range w.waiting {
		w.waiting[i].held = nil
	}
	w.stale = true
	w.flush()
}

// IsCut tells whether the direction carries nothing.
func (w *World) IsCut(from, to NodeID) bool { return w.link(from, to).cut }

// flush sends on what no longer has a reason to wait, in the order in which it stopped.
func (w *World) flush() {
	old := w.waiting
	w.waiting = nil
	for _, f := range old {
		if f.held != nil || w.link(f.peer, f.node).cut || w.blocked(&f.scheduled) {
			w.waiting = append(w.waiting, f)
			continue
		}
		f.comes++
		w.schedule(f)
	}
}

// Disconnect resets every connection between two nodes: what is in flight is lost and both sides notice.
func (w *World) Disconnect(a, b NodeID) {
	w.fault(OpDisconnect, a, b, 0)
	w.disconnect(a, b)
}

func (w *World) disconnect(a, b NodeID) {
	for i := range w.conns {
		c := &w.conns[i]
		if c.reset || !(c.client == a && c.server == b || c.client == b && c.server == a) {
			continue
		}
		id := ConnID(i)
		var tell [2]bool
		tell[clientSide], tell[serverSide] = !c.closed[clientSide], !c.closed[serverSide]
		c.reset = true
		kept := w.waiting[:0]
		for _, f := range w.waiting {
			if f.conn != id {
				kept = append(kept, f)
			}
		}
		w.waiting = kept
		for side, n := range [2]NodeID{c.client, c.server} {
			if tell[side] {
				w.tellReset(id, n)
			}
		}
	}
}

// tellReset makes n notice, at once, that its connection is gone.
func (w *World) tellReset(id ConnID, n NodeID) {
	c := &w.conns[id]
	peer := c.server
	if n == c.server {
		peer = c.client
	}
	w.push(w.now, scheduled{kind: evDisconnect, conn: id, node: n, peer: peer, cause: w.step, toServer: n == c.server, arg: wasReset})
}

// wasReset marks the news of a reset, which must get through although the connection is reset already.
const wasReset = 1

// RuleAct says what a LinkRule does to the messages it matches.
type RuleAct uint8

// What can be done to a message on its way.
const (
	Hold      RuleAct = iota // it waits, and all behind it on its connection, until released
	Drop                     // it is lost, and all behind it on its connection
	Duplicate                // it arrives twice, as if something on the way had sent it again
	Delay                    // it takes longer, and so does all behind it on its connection; for messages yet to be sent
)

// Pattern picks messages: those from one node to another (Nobody fits any), of one type or of all. About,
// if not empty, narrows it further to what SetAbout says is about it.
type Pattern struct {
	From, To NodeID
	Type     MsgType
	AnyType  bool
	About    string
}

// SetAbout says when a message is about what a Pattern says: for a pattern with About. It is no observer but a part of the
// script's rules, and there is one: its answer must depend on nothing but the run so far.
func (w *World) SetAbout(f func(about string, from, to NodeID, m Message) bool) { w.about = f }

// Fits says whether a pattern picks a message from one node to another.
func (w *World) Fits(p *Pattern, from, to NodeID, m Message) bool {
	return (p.From == Nobody || p.From == from) && (p.To == Nobody || p.To == to) && (p.AnyType || p.Type == m.Type()) &&
		(p.About == "" || w.about != nil && w.about(p.About, from, to, m))
}

func (w *World) fits(p *Pattern, e *scheduled) bool {
	return e.kind == evMessage && w.Fits(p, e.peer, e.node, e.msg)
}

// covers says that whatever q picks by nodes and type, p picks too.
func (p *Pattern) covers(q *Pattern) bool {
	return (p.From == Nobody || p.From == q.From) && (p.To == Nobody || p.To == q.To) && (p.AnyType || !q.AnyType && p.Type == q.Type)
}

// LinkRule does something to the messages its pattern picks: to Count of them, or, with 0, to all until it
// is lifted.
type LinkRule struct {
	Pattern
	Act   RuleAct
	Count int
	By    Time // of Delay
	used  int
}

// AddRule puts a rule into force.
func (w *World) AddRule(r *LinkRule) { w.rules = append(w.rules, r) }

// Release lets go of held messages that the pattern picks, the oldest first: count of them, or with 0 all,
// and then it also lifts the rules that would hold more of them. It reports how many it let go.
func (w *World) Release(p Pattern, count int) int {
	if count == 0 {
		kept := w.rules[:0]
		for _, r := range w.rules {
			if r.Act != Hold || !p.covers(&r.Pattern) {
				kept = append(kept, r)
			}
		}
		w.rules = kept
	}
	released := 0
	for i := range w.waiting {
		f := &w.waiting[i]
		if f.held != nil && w.fits(&p, &f.scheduled) && (count == 0 || released < count) {
			f.held, f.exempt = nil, true
			released++
		}
	}
	w.flush()
	return released
}

// Held counts the messages that rules hold back and the pattern picks.
func (w *World) Held(p Pattern) int {
	n := 0
	for i := range w.waiting {
		if f := &w.waiting[i]; f.held != nil && w.fits(&p, &f.scheduled) {
			n++
		}
	}
	return n
}

// ruleFor gives the first rule for a message that is about to arrive, and counts it.
func (w *World) ruleFor(e *scheduled) *LinkRule {
	if len(w.rules) == 0 || e.exempt {
		return nil
	}
	for _, r := range w.rules {
		if r.Act != Delay && (r.Count == 0 || r.used < r.Count) && w.fits(&r.Pattern, e) {
			r.used++
			return r
		}
	}
	return nil
}

func (w *World) delayFor(e *scheduled) Time {
	for _, r := range w.rules {
		if r.Act == Delay && (r.Count == 0 || r.used < r.Count) && w.fits(&r.Pattern, e) {
			r.used++
			return r.By
		}
	}
	return 0
}

// InFlight is a message that was sent and has not arrived.
type InFlight struct {
	From, To NodeID
	Msg      Message
	N        uint32
	At       Time // when it will arrive; Never while it waits
	Held     bool
	Cut      bool
	Lost     bool // it will not arrive: its connection is gone, or what was before it on it was lost
}

// InFlight lists the messages on their way, oldest first, for views.
func (w *World) InFlight() []InFlight {
	var all []InFlight
	keys := append([]key(nil), w.queue.keys...)
	sortKeys(keys)
	for _, f := range w.waiting {
		if f.kind == evMessage {
			all = append(all, InFlight{f.peer, f.node, f.msg, f.n, Never, f.held != nil, w.link(f.peer, f.node).cut, w.doomed(&f.scheduled)})
		}
	}
	for _, k := range keys {
		if e := &w.queue.pool[k.idx]; e.kind == evMessage {
			all = append(all, InFlight{From: e.peer, To: e.node, Msg: e.msg, N: e.n, At: k.at, Lost: w.doomed(e)})
		}
	}
	return all
}

// Backlog lists the messages that have come in for a node which is paused, in order.
func (w *World) Backlog(n NodeID) []InFlight {
	var all []InFlight
	for i := range w.nodes[n].backlog {
		if e := &w.nodes[n].backlog[i]; e.kind == evMessage {
			all = append(all, InFlight{From: e.peer, To: e.node, Msg: e.msg, N: e.n, At: w.now})
		}
	}
	return all
}
