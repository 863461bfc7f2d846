package sim

// nodeState is a node's place in the world: the machine, its disk, and the process if one runs.
type nodeState struct {
	node        Node // nil while no process runs
	env         Env
	disk        *Disk
	incarnation int32
	starting    bool // a start is scheduled
	off         bool // the machine has no power
	paused      bool
	skew        Time
	timerCount  uint32
	backlog     []scheduled // what came in while the process was paused
	borrowed    bool        // node and disk belong to the world that this one is a branch of
	memo        memo        // of the key of node and disk
}

// State says how a node is.
type State uint8

// The states of a node.
const (
	Down State = iota // no process runs
	Off               // the machine has no power
	Up
	Paused
)

var stateNames = [...]string{Down: "down", Off: "off", Up: "up", Paused: "paused"}

func (s State) String() string { return stateNames[s] }

// State tells how n is.
func (w *World) State(n NodeID) State {
	s := &w.nodes[n]
	switch {
	case s.node == nil && s.off:
		return Off
	case s.node == nil:
		return Down
	case s.paused:
		return Paused
	}
	return Up
}

// Incarnation counts the processes that have run on n; 1 is the first.
func (w *World) Incarnation(n NodeID) int { return int(w.nodes[n].incarnation) }

func (w *World) start(e scheduled) {
	s := w.own(e.node)
	s.starting = false
	if s.node != nil {
		return
	}
	s.incarnation++
	s.off, s.paused = false, false
	s.node = w.cfg.Nodes[e.node].New()
	w.stale = true
	w.begin(Step{Kind: StepStart, Node: e.node, Peer: Nobody, Conn: NoConn, Cause: e.cause, Arg: int64(s.incarnation)})
	s.node.Start(&s.env)
}

// stop ends the process of n. Its memory is gone, its timers and what had come in but was not handled too.
// What it had sent is on its way and stays so. With notify the operating system closes its connections,
// as it does when a process dies; without, the machine itself is gone and peers notice nothing.
func (w *World) stop(n NodeID, notify bool) {
	s := &w.nodes[n]
	s.node, s.paused = nil, false
	s.memo = memo{}
	s.backlog = nil
	for i := range w.queue.keys {
		if e := &w.queue.pool[w.queue.keys[i].idx]; e.kind == evTimer && e.node == n && w.timers.live(e.slot) {
			w.discount(e.slot)
		}
	}
	w.stale = true
	for i := range w.conns {
		c := &w.conns[i]
		if (c.client == n || c.server == n) && !c.closed[c.side(n)] {
			w.closeConn(ConnID(i), n, notify)
		}
	}
}

// TimerID names a timer that is set: a slot and how often the slot has been used before.
type TimerID int64

// NoTimer is no timer; cancelling it does nothing.
const NoTimer TimerID = -1

// timers hands out slots; a slot is used again once its timer has fired or was dropped.
type timers struct {
	uses    []int32 // per slot: odd while a timer lives in it
	counted []bool  // per slot: its event counts as work to do
	free    []int32
}

func (t *timers) alloc() TimerID {
	if n := len(t.free); n > 0 {
		slot := t.free[n-1]
		t.free = t.free[:n-1]
		t.uses[slot]++
		return TimerID(slot) | TimerID(t.uses[slot])<<32
	}
	t.uses = append(t.uses, 1)
	t.counted = append(t.counted, false)
	return TimerID(len(t.uses)-1) | 1<<32
}

func (t *timers) live(id TimerID) bool { return t.uses[int32(id)] == int32(id>>32) }

// cancel ends the timer's life; its event stays queued and gives the slot back when it comes up.
func (t *timers) cancel(id TimerID) {
	if id >= 0 && t.live(id) {
		t.uses[int32(id)]++
	}
}

func (t *timers) release(id TimerID) {
	t.cancel(id)
	t.free = append(t.free, int32(id))
}

func (w *World) timerAlive(e *scheduled) bool {
	s := &w.nodes[e.node]
	return s.node != nil && s.incarnation == e.incarnation && w.timers.live(e.slot)
}

// Env is how a node acts on its world.
type Env struct {
	world *World
	node  NodeID
}

// Self is the node this Env belongs to.
func (e *Env) Self() NodeID { return e.node }

// Name spells a node.
func (e *Env) Name(n NodeID) string { return e.world.Name(n) }

// Now is the true simulated time; timers and time-outs measure with it, as a monotonic clock would.
func (e *Env) Now() Time { return e.world.now }

// Clock is the time of day as this node believes it: Now plus its skew. Timestamps are taken from it.
func (e *Env) Clock() Time { return e.world.now + e.world.nodes[e.node].skew }

// Disk is the node's disk.
func (e *Env) Disk() *Disk { return e.world.nodes[e.node].disk }

// Incarnation counts the processes that have run on this node; 1 is the first.
func (e *Env) Incarnation() int { return int(e.world.nodes[e.node].incarnation) }

// Record adds an event to the step under way.
func (e *Env) Record(what Event) { e.world.record(e.node, what) }

// Probe names a rare situation that was just met; campaigns count them.
func (e *Env) Probe(name string) {
	e.world.ownProbes()
	e.world.probes[name]++
}

// SetTimer gives the node a Timer back after the given time, unless it is cancelled or the process ends.
// A routine timer does not keep a world from being quiescent.
func (e *Env) SetTimer(after Time, kind uint8, arg int64, routine bool) TimerID {
	w := e.world
	s := &w.nodes[e.node]
	id := w.timers.alloc()
	s.timerCount++
	w.push(w.now+max(after, 0), scheduled{kind: evTimer, node: e.node, peer: Nobody, conn: NoConn, timer: kind, arg: arg,
		cause: w.step, n: s.timerCount, incarnation: s.incarnation, slot: id, routine: routine})
	return id
}

// CancelTimer stops a timer; one that has fired, and NoTimer, are ignored.
func (e *Env) CancelTimer(id TimerID) {
	if id >= 0 && e.world.timers.live(id) {
		e.world.timers.cancel(id)
		e.world.discount(id)
	}
}

// discount takes a timer out of the count of what is to be done.
func (w *World) discount(id TimerID) {
	if slot := int32(id); w.timers.counted[slot] {
		w.timers.counted[slot] = false
		w.busy--
	}
}

// Connect opens a connection to another node. It takes no time: the first message on it fails, and
// Disconnected is called, if nobody listens.
func (e *Env) Connect(to NodeID) ConnID { return e.world.connect(e.node, to) }

// Close ends a connection from this side. What was sent on it before still arrives, then the other side
// is told; what comes back is dropped.
func (e *Env) Close(c ConnID) {
	if c != NoConn && !e.world.conns[c].closed[e.world.conns[c].side(e.node)] {
		e.world.closeConn(c, e.node, true)
	}
}

// Send puts a message on a connection. Messages of one connection keep their order.
func (e *Env) Send(c ConnID, m Message) { e.world.send(e.node, c, m) }

// Exit ends the node's own process, as a broker that halts itself does.
func (e *Env) Exit() { e.world.stop(e.node, true) }

// Command hands a message to a node from outside the system: a person or a script tells an application
// what to do. It is a step of its own. It reports false if no process runs there.
func (w *World) Command(n NodeID, m Message) bool {
	s := &w.nodes[n]
	if s.node == nil {
		return false
	}
	w.own(n)
	if s.paused {
		s.backlog = append(s.backlog, scheduled{kind: evMessage, node: n, peer: Nobody, conn: NoConn, msg: m, cause: w.step})
		return true
	}
	w.begin(Step{Kind: StepScript, Node: n, Peer: Nobody, Conn: NoConn, Msg: m, Cause: -1})
	s.node.Receive(&s.env, Delivery{Conn: NoConn, From: Nobody, Msg: m})
	return true
}

// Note records an event of the script itself, such as a narration, as a step of its own.
func (w *World) Note(e Event) {
	w.begin(Step{Kind: StepScript, Node: Nobody, Peer: Nobody, Conn: NoConn, Cause: -1})
	w.record(Nobody, e)
}
