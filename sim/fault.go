package sim

import (
	"slices"
)

func sortKeys(keys []key) {
	slices.SortFunc(keys, func(a, b key) int {
		if a.before(b) {
			return -1
		}
		return 1
	})
}

// FaultModel says which decisions a run has beyond the oldest event, and how many faults are left. The zero
// value has none: such a run is decided by its script alone.
type FaultModel struct {
	Late      []Time // by how much a message may be late; empty: every message is on time
	Lose      bool
	Duplicate bool
	Cut       bool // links may be cut, one way or both, and healed
	Node      NodeFaults
	// Reorder offers, beside the oldest event, up to so many messages of other connections, which may then
	// overtake it; 0: events come in the order of time.
	Reorder int
	// InFlight offers, for every message on its way, to lose, to double or to hold it, to let go of one that is
	// held, and to delay it by one of Delays. The calm answer leaves all as it is.
	InFlight bool
	Delays   []Time
	Orders   bool // Config.Orders may be given; each counts as a fault
	Budget   int  // faults left to strike; late messages are free
	MaxDown  int  // how many nodes may be down or paused at once; 0 means no bound
	// Among names the nodes that faults may strike, and between which links may be cut; empty: all.
	Among []string
	// Pauses are how long a pause may last, by the will of whoever answers: the world only hands this on. Empty: until it is
	// mended as anything else is.
	Pauses []Time
	// Of names the kinds of message that may be late, lost or doubled, as Config.MessageNames has them; empty: all. It binds who
	// answers, too.
	Of []string
	// After is for how much longer than a script, in simulated time, faults may strike, as long as something is under
	// way; 0: they end with it. The world does not know of scripts: it only hands this on.
	After Time
	Quiet bool // no more decisions: the healing phase
}

// strikes says that faults may strike a node of this name.
func (a *FaultModel) strikes(name string) bool {
	return len(a.Among) == 0 || slices.Contains(a.Among, name)
}

func (a *FaultModel) decidesFate() bool {
	return !a.Quiet && (len(a.Late) > 0 || a.Budget > 0 && (a.Lose || a.Duplicate))
}

// spend takes a fault from the budget. When it was the last one, what is on offer changes, also if it struck a message and
// no node.
func (w *World) spend(o Option) {
	if o.Class == Fault {
		w.faultModel.Budget--
		w.stale = true
	}
}

// SetFaultModel changes which decisions there are from now on.
func (w *World) SetFaultModel(a FaultModel) {
	w.faultModel = a
	w.stale = true
	if !a.decidesFate() {
		for _, f := range w.outbox {
			w.schedule(f)
		}
		w.outbox = w.outbox[:0]
	}
}

// FaultModel gives the decisions in force, with what is left of the budget.
func (w *World) FaultModel() FaultModel { return w.faultModel }

// rebuildFaults lists the faults and repairs possible now: nodes in their order, then links.
func (w *World) rebuildFaults() {
	w.stale = false
	w.options = w.options[:1]
	a := &w.faultModel
	if a.Quiet {
		return
	}
	down := 0
	for i := range w.nodes {
		if s := &w.nodes[i]; (s.node == nil && !w.cfg.Nodes[i].Idle) || s.paused {
			down++
		}
	}
	for i := range w.nodes {
		n, s, can := NodeID(i), &w.nodes[i], w.cfg.Nodes[i].Faults&a.Node
		if can == 0 || s.starting || !a.strikes(w.cfg.Nodes[i].Name) {
			continue
		}
		add := func(op Op, class Class) {
			w.options = append(w.options, Option{Op: op, Class: class, Node: n, Peer: Nobody})
		}
		switch {
		case s.node == nil:
			add(OpRestart, Repair)
		case s.paused:
			add(OpResume, Repair)
		case a.Budget > 0 && (a.MaxDown == 0 || down < a.MaxDown):
			for _, f := range [...]struct {
				can NodeFaults
				op  Op
			}{{CanKill, OpKill}, {CanPause, OpPause}, {CanLosePower, OpPowerLoss}, {CanLoseDisk, OpDiskLoss}, {CanShutDown, OpShutdown}} {
				if can&f.can != 0 {
					add(f.op, Fault)
				}
			}
		}
	}
	if a.Orders && a.Budget > 0 {
		for i := range w.cfg.Orders {
			w.options = append(w.options, Option{Op: OpOrder, Class: Fault, Node: Nobody, Peer: Nobody, N: int64(i)})
		}
	}
	if !a.Cut {
		return
	}
	for i := range w.nodes {
		for j := i + 1; j < len(w.nodes); j++ {
			x, y := NodeID(i), NodeID(j)
			if !a.strikes(w.Name(x)) || !a.strikes(w.Name(y)) {
				continue
			}
			add := func(op Op, from, to NodeID, class Class) {
				w.options = append(w.options, Option{Op: op, Class: class, Node: from, Peer: to})
			}
			if w.IsCut(x, y) || w.IsCut(y, x) {
				add(OpHeal, x, y, Repair)
			} else if a.Budget > 0 {
				add(OpCutBoth, x, y, Fault)
				add(OpCut, x, y, Fault)
				add(OpCut, y, x, Fault)
			}
		}
	}
}

// others lists, after the oldest event, the first message of every other direction of a connection, oldest
// first, at most Reorder of them.
func (w *World) others(opts []Option) []Option {
	head := &w.queue.pool[w.queue.keys[0].idx]
	keys := w.sorted[:0]
	for _, k := range w.queue.keys[1:] {
		if w.queue.pool[k.idx].kind != evTimer {
			keys = append(keys, k)
		}
	}
	sortKeys(keys)
	w.sorted = keys
	offered := 0
	for i := 0; i < len(keys) && offered < w.faultModel.Reorder; i++ {
		e := &w.queue.pool[keys[i].idx]
		if e.kind != evMessage || head.kind != evTimer && e.conn == head.conn && e.toServer == head.toServer {
			continue
		}
		first := true
		for _, k := range keys[:i] {
			if f := &w.queue.pool[k.idx]; f.conn == e.conn && f.toServer == e.toServer {
				first = false
				break
			}
		}
		if first {
			opts = append(opts, Option{Op: OpDeliver, Class: Progress, IsMsg: true, Type: e.msg.Type(), Node: e.peer, Peer: e.node, Seq: e.n})
			offered++
		}
	}
	return opts
}

// takeAhead executes a message before its time.
func (w *World) takeAhead(o Option) {
	for i, k := range w.queue.keys {
		e := &w.queue.pool[k.idx]
		if e.kind == evMessage && e.peer == o.Node && e.node == o.Peer && e.n == o.Seq && e.msg.Type() == o.Type {
			w.execute(w.takeOut(i))
			return
		}
	}
}

// strike carries out a fault or repair that a source has chosen.
func (w *World) strike(o Option) {
	switch o.Op {
	case OpDeliver:
		w.takeAhead(o)
	case OpLose, OpDuplicate, OpHold, OpRelease, OpLate:
		w.divert(o)
	case OpOrder:
		w.cfg.Orders[o.N].Give(w)
	case OpKill:
		w.Kill(o.Node)
	case OpShutdown:
		w.cfg.Nodes[o.Node].ShutDown(w, o.Node)
	case OpPause:
		w.Pause(o.Node)
	case OpResume:
		w.Resume(o.Node)
	case OpPowerLoss:
		w.cutPower(o.Node)
		disk := w.own(o.Node).disk
		for i, f := range disk.files {
			if f.Len() > f.flushed {
				w.tears = append(w.tears, tear{o.Node, int32(i)})
			}
		}
	case OpDiskLoss:
		w.LoseDisk(o.Node)
	case OpRestart:
		w.Restart(o.Node)
	case OpCut:
		w.Cut(o.Node, o.Peer)
	case OpCutBoth:
		w.CutBoth(o.Node, o.Peer)
	case OpHeal:
		w.Heal(o.Node, o.Peer)
	}
}

// CutBoth stops everything between two nodes.
func (w *World) CutBoth(a, b NodeID) {
	w.fault(OpCutBoth, a, b, 0)
	w.link(a, b).cut, w.link(b, a).cut = true, true
	w.stale = true
}

// fault records a step of kind StepFault.
func (w *World) fault(op Op, n, peer NodeID, arg int64) {
	w.begin(Step{Kind: StepFault, Op: op, Node: n, Peer: peer, Conn: NoConn, Cause: -1, Arg: arg})
}

// Kill ends n's process without warning. The page cache survives; the machine closes the connections.
func (w *World) Kill(n NodeID) {
	if w.nodes[n].node == nil {
		return
	}
	w.fault(OpKill, n, Nobody, 0)
	w.stop(n, true)
}

// cutPower stops n's machine. Peers notice nothing until they give up waiting.
func (w *World) cutPower(n NodeID) {
	w.fault(OpPowerLoss, n, Nobody, 0)
	w.nodes[n].off = true
	w.stop(n, false)
}

// PowerLoss stops n's machine; of every file, keep tells how many unflushed blocks survive (at most as
// many as there are; nil keeps none).
func (w *World) PowerLoss(n NodeID, keep func(file string, unflushed int) int) {
	w.cutPower(n)
	disk := w.own(n).disk
	for i, f := range disk.files {
		survivors := 0
		if keep != nil {
			survivors = max(0, min(keep(disk.names[i], f.Len()-f.flushed), f.Len()-f.flushed))
		}
		f.Truncate(f.flushed + survivors)
		f.Flush()
	}
}

// LoseDisk ends n's process and puts an empty disk in place of its own.
func (w *World) LoseDisk(n NodeID) {
	w.fault(OpDiskLoss, n, Nobody, 0)
	if w.nodes[n].node != nil {
		w.stop(n, true)
	}
	w.own(n).disk = newDisk(w.nodes[n].disk.id + 1)
}

// Pause stops n's process in its tracks: it keeps its memory and its connections, and handles what has
// come in meanwhile when it resumes.
func (w *World) Pause(n NodeID) {
	if s := &w.nodes[n]; s.node == nil || s.paused {
		return
	}
	w.fault(OpPause, n, Nobody, 0)
	w.nodes[n].paused = true
	w.stale = true
}

// Resume lets a paused process run on.
func (w *World) Resume(n NodeID) {
	s := &w.nodes[n]
	if !s.paused {
		return
	}
	w.fault(OpResume, n, Nobody, 0)
	s.paused = false
	w.stale = true
	backlog := s.backlog
	s.backlog = nil
	for _, e := range backlog {
		if e.kind == evMessage && e.conn == NoConn {
			e.kind = evCommand
		}
		e.comes++
		w.push(w.now, e)
	}
}

// Restart starts a new process on n, on the disk as it is.
func (w *World) Restart(n NodeID) {
	s := &w.nodes[n]
	if s.node != nil || s.starting {
		return
	}
	w.fault(OpRestart, n, Nobody, 0)
	s.starting = true
	w.stale = true
	w.push(w.now, scheduled{kind: evStart, node: n, peer: Nobody, conn: NoConn, cause: w.step})
	for i := range w.conns { // a machine that comes back knows nothing of its old connections
		c := &w.conns[i]
		if side := c.side(n); s.off && (c.client == n || c.server == n) && c.closed[side] && !c.closed[1-side] && !c.reset {
			w.tellClosed(ConnID(i), n)
		}
	}
}

// SetSkew puts n's time of day off by d.
func (w *World) SetSkew(n NodeID, d Time) {
	w.fault(OpSkew, n, Nobody, int64(d))
	w.nodes[n].skew = d
}

// tear is a file whose unflushed end a power loss has put at risk.
type tear struct {
	node NodeID
	file int32
}

// tearOptions offers to keep everything, then ever less, down to what was flushed.
func (w *World) tearOptions() []Option {
	t := w.tears[0]
	f := w.nodes[t.node].disk.files[t.file]
	opts := w.opts[:0]
	for n := 0; n <= f.Len()-f.flushed; n++ {
		class := Fault
		if n == 0 {
			class = Progress
		}
		opts = append(opts, Option{Op: OpKeep, Class: class, Node: t.node, Peer: Nobody, File: t.file, N: int64(n),
			Seq: uint32(w.nodes[t.node].incarnation)})
	}
	return opts
}

func (w *World) resolveTear(o Option) {
	f := w.own(o.Node).disk.files[o.File]
	f.Truncate(f.Len() - int(o.N))
	f.Flush()
	w.tears = w.tears[1:]
}

// fateOptions lists what may become of a message that leaves. The news that a connection is closed has no fate of
// its own: it comes behind what was sent.
func (w *World) fateOptions(f *flight) []Option {
	a := &w.faultModel
	if f.kind == evDisconnect {
		return append(w.opts[:0], Option{Op: OpOnTime, Class: Progress, Node: f.peer, Peer: f.node})
	}
	base := Option{IsMsg: true, Type: f.msg.Type(), Node: f.peer, Peer: f.node, Seq: f.n}
	with := func(op Op, class Class, n Time) Option {
		o := base
		o.Op, o.Class, o.N = op, class, int64(n)
		return o
	}
	opts := append(w.opts[:0], with(OpOnTime, Progress, 0))
	for _, t := range a.Late {
		opts = append(opts, with(OpLate, Progress, t))
	}
	if a.Budget > 0 && a.Lose {
		opts = append(opts, with(OpLose, Fault, 0))
	}
	if a.Budget > 0 && a.Duplicate {
		opts = append(opts, with(OpDuplicate, Fault, 0))
	}
	return opts
}

func (w *World) resolveFate(o Option) {
	f := w.outbox[0]
	w.outbox = w.outbox[1:]
	if len(w.outbox) == 0 {
		w.outbox = nil
	}
	w.spend(o)
	switch o.Op {
	case OpLate:
		f.extra += Time(o.N)
	case OpLose:
		w.conns[f.conn].dead[f.direction()] = true
		w.lose(f.scheduled)
		return
	case OpDuplicate:
		w.schedule(f)
		f.exempt = true
		f.comes++
	}
	w.schedule(f)
}
