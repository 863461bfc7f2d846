package sim

import (
	"fmt"
	"sort"
)

// Config describes a world: its nodes and the vocabulary of its model.
type Config struct {
	Nodes        []NodeSpec
	MessageNames []string // by MsgType
	TimerNames   []string // by Timer.Kind; a missing name is written as a number
	Latency      Time     // of every link unless set otherwise; 0 means one millisecond
	Horizon      Time     // nothing later than this happens; 0 means no bound
	MaxSteps     int      // nothing after so many steps; 0 means no bound
	Orders       []Order  // what an operator may do, for FaultModel.Orders
	Memory       *Memory  // how nodes are copied; nil: their types say all
}

// Order is something that an operator does to a healthy system, and that it must stand at any time: an election
// asked for, a setting changed. Give acts on the world it is given alone.
type Order struct {
	Name string // stable, as an answers file has it: "elect orders-0"
	Give func(*World)
}

func (c *Config) timerName(kind uint8) string {
	if int(kind) < len(c.TimerNames) {
		return c.TimerNames[kind]
	}
	return fmt.Sprintf("timer%d", kind)
}

// World is one run of a simulated system. It is advanced by two calls: Pending tells the next decision,
// Resolve answers it. It is not safe for concurrent use; several worlds are.
type World struct {
	cfg     Config
	names   *names // of the vocabulary, for the running hash
	now     Time
	queue   queue
	nodes   []nodeState
	links   []link   // [from*len(nodes)+to]
	counts  []uint32 // [(from*len(nodes)+to)*len(MessageNames)+type]
	conns   []connection
	timers  timers
	waiting []flight // messages held back or stopped by a cut, in the order they came to a stop
	rules   []*LinkRule
	trace   Trace
	probes  map[string]int
	// probesShared says that a copy of this world has the same map.
	probesShared bool
	step         int32 // the step being executed, or the last one
	busy         int   // queued events that are not routine
	lastNew      Time  // when the last event was recorded

	faultModel FaultModel
	options    []Option // the options of the next Next point; [1:] are the faults, rebuilt when stale
	stale      bool
	// reordered and sorted are reused by Next points with FaultModel.Reorder or FaultModel.InFlight.
	reordered []Option
	sorted    []key
	outbox    []flight // messages whose fate is not decided yet
	tears     []tear   // files whose loss is not decided yet
	opts      [8]Option
	point     Point
	observers []Observer
	about     func(about string, from, to NodeID, m Message) bool // see SetAbout
}

// New makes a world and schedules the start of every node at time 0, in node order.
func New(cfg Config) *World {
	if cfg.Latency == 0 {
		cfg.Latency = Millisecond
	}
	if cfg.Memory == nil {
		cfg.Memory = &Memory{}
	}
	w := &World{cfg: cfg, probes: map[string]int{}, step: -1, stale: true, options: make([]Option, 1, 16)}
	w.trace.hash.sum = 0x51_7c_c1_b7_27_22_0a_95
	w.names = vocabulary(&w.cfg)
	n := len(cfg.Nodes)
	w.nodes = make([]nodeState, n)
	w.links = make([]link, n*n)
	w.counts = make([]uint32, n*n*len(cfg.MessageNames))
	for i := range w.links {
		w.links[i].latency = cfg.Latency
	}
	for i := range w.nodes {
		s := &w.nodes[i]
		s.env = Env{world: w, node: NodeID(i)}
		s.disk = newDisk(0)
		if !cfg.Nodes[i].Idle {
			s.starting = true
			w.push(0, scheduled{kind: evStart, node: NodeID(i), peer: Nobody, conn: NoConn, cause: -1})
		}
	}
	return w
}

// Now is the simulated time of the last step.
func (w *World) Now() Time { return w.now }

// Steps is the number of steps taken.
func (w *World) Steps() int { return w.trace.Base + len(w.trace.Steps) }

// Trace is the record of the run so far. The caller must not change it.
func (w *World) Trace() *Trace { return &w.trace }

// Hash is the running hash over time, choices, steps and events: equal runs have equal hashes.
func (w *World) Hash() uint64 { return w.trace.hash.Sum() }

// Name spells a node; Nobody is "script".
func (w *World) Name(n NodeID) string {
	if n < 0 {
		return "script"
	}
	return w.cfg.Nodes[n].Name
}

// Lookup finds a node by name.
func (w *World) Lookup(name string) (NodeID, bool) {
	for i := range w.cfg.Nodes {
		if w.cfg.Nodes[i].Name == name {
			return NodeID(i), true
		}
	}
	return Nobody, false
}

// Node gives the running process of n for views and checks, nil if it is down. It must not be changed.
func (w *World) Node(n NodeID) Node { return w.nodes[n].node }

// Disk gives n's disk, for views and for faults that an operator commits on files.
func (w *World) Disk(n NodeID) *Disk { return w.own(n).disk }

// MessageName spells a message type; TimerName a timer.
func (w *World) MessageName(t MsgType) string { return w.cfg.MessageNames[t] }

// TimerName spells a kind of timer.
func (w *World) TimerName(k uint8) string { return w.cfg.timerName(k) }

// Probes lists the rare situations that were met, by name, with how often.
func (w *World) Probes() []ProbeCount {
	var all []ProbeCount
	// order does not matter: the list is sorted
	for name, n := range w.probes {
		all = append(all, ProbeCount{name, n})
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all
}

// ProbeCount says how often a probe was hit.
type ProbeCount struct {
	Name  string
	Count int
}

// Busy is the number of things under way that are not routine: messages, timers, held messages.
func (w *World) Busy() int {
	n := w.busy + len(w.outbox) + len(w.tears)
	for i := range w.waiting {
		if !w.waiting[i].routine {
			n++
		}
	}
	return n
}

// LastNews is the time of the last event.
func (w *World) LastNews() Time { return w.lastNew }

// NextAt is the time of the next event, Never if there is none. What is not decided yet is decided now: the clock
// does not pass the moment at which a message leaves, or a disk loses what it loses.
func (w *World) NextAt() Time {
	if len(w.outbox) > 0 || len(w.tears) > 0 {
		return w.now
	}
	w.skipDead()
	if w.queue.len() == 0 {
		return Never
	}
	at, _ := w.queue.head()
	return max(at, w.now)
}

// AdvanceTo moves the clock to t without an event; t must not be before now nor after the next event.
func (w *World) AdvanceTo(t Time) {
	if t < w.now || t > w.NextAt() {
		panic(fmt.Sprintf("sim: advance from %v to %v past the next event at %v", w.now, t, w.NextAt()))
	}
	w.now = t
}

func (w *World) push(at Time, e scheduled) {
	if at < w.now {
		Broken("nothing is set down for the past", "something for node %s is to happen at %v, and it is %v", w.Name(e.node), at, w.now)
	}
	if e.kind == evDisconnect {
		told := &w.conns[e.conn].told[w.conns[e.conn].side(e.node)]
		e.comes = *told
		*told++
	}
	if !e.routine {
		w.busy++
		if e.kind == evTimer {
			w.timers.counted[int32(e.slot)] = true
		}
	}
	w.queue.push(at, e)
}

func (w *World) pop() scheduled {
	at, e := w.queue.pop()
	w.settle(&e)
	w.now = max(w.now, at)
	return e
}

// settle takes an event that has left the queue out of the count of what is to be done.
func (w *World) settle(e *scheduled) {
	switch {
	case e.kind == evTimer:
		w.discount(e.slot)
	case !e.routine:
		w.busy--
	}
	if w.busy < 0 {
		Broken("what is under way is counted once", "%d things are under way", w.busy)
	}
}

// skipDead drops timers that were cancelled or whose process is gone.
func (w *World) skipDead() {
	for w.queue.len() > 0 {
		_, e := w.queue.head()
		if e.kind != evTimer || w.timerAlive(e) {
			return
		}
		_, dead := w.queue.pop()
		w.settle(&dead)
		w.timers.release(dead.slot)
	}
}

// Pending gives the next decision. The bool is false when nothing is left that could happen, or a bound
// of the configuration was met. A Point with one option is resolved with 0 without asking anyone.
func (w *World) Pending() (Point, bool) {
	p := &w.point
	p.Step, p.Now, p.world = w.Steps(), w.now, w
	for {
		if len(w.tears) > 0 {
			p.Kind, p.Site, p.Options = Tear, "power-loss", w.tearOptions()
			return *p, true
		}
		if len(w.outbox) == 0 {
			break
		}
		p.Kind, p.Site, p.Options = Fate, "send", w.fateOptions(&w.outbox[0])
		if len(p.Options) > 1 {
			return *p, true
		}
		w.resolveFate(p.Options[0])
	}
	w.skipDead()
	p.Kind, p.Site = Next, "next"
	over := w.cfg.MaxSteps > 0 && w.Steps() >= w.cfg.MaxSteps
	if w.queue.len() == 0 || over {
		return *p, false
	}
	at, e := w.queue.head()
	if w.cfg.Horizon > 0 && at > w.cfg.Horizon {
		return *p, false
	}
	if w.stale {
		w.rebuildFaults()
	}
	o := &w.options[0]
	*o = Option{Op: OpStep, Node: e.node, Peer: e.peer, Seq: e.n, N: int64(e.comes), ev: e.kind}
	switch e.kind {
	case evDisconnect:
		o.Seq = uint32(e.conn)
	case evStart:
		o.Seq = uint32(w.nodes[e.node].incarnation + 1)
	case evMessage:
		o.IsMsg, o.Type = true, e.msg.Type()
		o.Node, o.Peer = e.peer, e.node
	case evTimer:
		o.Type = MsgType(e.timer)
	}
	p.Options = w.options
	if a := &w.faultModel; !a.Quiet && (a.Reorder > 0 || a.InFlight) {
		w.reordered = append(w.reordered[:0], w.options...)
		if a.Reorder > 0 {
			w.reordered = w.others(w.reordered)
		}
		if a.InFlight {
			w.reordered = w.flying(w.reordered)
		}
		p.Options = w.reordered
	}
	return *p, true
}

// Resolve answers the decision that Pending gave last.
func (w *World) Resolve(i int) {
	o := w.point.Options[i]
	if i != 0 {
		w.trace.hash.Word(uint64(i))
		w.trace.hash.Text(w.optionID(o))
	}
	switch w.point.Kind {
	case Tear:
		w.resolveTear(o)
	case Fate:
		w.resolveFate(o)
	case Next:
		if i == 0 {
			w.execute(w.pop())
			return
		}
		w.spend(o)
		w.strike(o)
	}
}

func (w *World) execute(e scheduled) {
	switch e.kind {
	case evMessage, evDisconnect:
		w.arrive(e)
	case evTimer:
		s := &w.nodes[e.node]
		if s.paused {
			s.backlog = append(s.backlog, e)
			return
		}
		w.timers.release(e.slot)
		w.own(e.node)
		w.begin(Step{Kind: StepTimer, Node: e.node, Peer: Nobody, Conn: NoConn, Cause: e.cause, Timer: e.timer, Arg: e.arg, N: e.n})
		s.node.Timer(&s.env, Timer{Kind: e.timer, Arg: e.arg})
	case evStart:
		w.start(e)
	case evCommand:
		w.Command(e.node, e.msg)
	}
}

// begin records a step; what follows until the next begin belongs to it.
func (w *World) begin(s Step) {
	s.At = w.now
	s.Event = int32(len(w.trace.Events))
	w.step = int32(w.Steps())
	w.trace.Steps = append(w.trace.Steps, s)
	h := &w.trace.hash
	h.Word(uint64(s.At))
	h.Word(stepIDs[s.Kind] ^ opIDs[s.Op] ^ uint64(uint16(s.Node))<<16 ^ uint64(uint16(s.Peer)))
	switch {
	case s.Msg != nil:
		h.Word(w.names.messages[s.Msg.Type()] + uint64(s.N))
	case s.Kind == StepTimer:
		h.Word(w.names.timer(s.Timer))
	}
	for _, o := range w.observers {
		o.Step(View{w}, s)
	}
}

func (w *World) record(n NodeID, e Event) {
	w.trace.Events = append(w.trace.Events, Recorded{n, e})
	w.lastNew = w.now
	w.trace.hash.Word(uint64(uint16(n)))
	e.Hash(&w.trace.hash)
	for _, o := range w.observers {
		o.Event(View{w}, Recorded{n, e})
	}
}
