package sim

// Observer is told what happens in a world, as it happens. It learns of everything and decides nothing: what it is given
// to look with has no method that changes a run, so that a run is the same, to the bit, however many look on.
// What it keeps is its own; what it is shown, messages and events, it must not change.
//
// Within a step the calls come in the order in which things happen: Step first, then events and messages as the
// step tells and sends them. A message whose connection is gone is not sent.
type Observer interface {
	Step(v View, s Step)
	Event(v View, r Recorded)
	Sent(v View, from, to NodeID, m Message)
}

// Observe has an observer told of what happens from now on. Observers are told in the order in which they came, and do not
// follow a copy (Clone, Branch): who wants to be told of the copy says so to the copy.
func (w *World) Observe(o Observer) { w.observers = append(w.observers, o) }

// View is a world as an observer sees it, as it is whenever it is asked: nothing can be done with it. Processes and disks are not in it, since they
// could be changed through it; what they hold, events tell.
type View struct{ w *World }

// Now is the simulated time.
func (v View) Now() Time { return v.w.now }

// Steps is the number of steps taken, the one under way included.
func (v View) Steps() int { return v.w.Steps() }

// Hash is the running hash so far.
func (v View) Hash() uint64 { return v.w.Hash() }

// Busy is the number of things under way that are not routine.
func (v View) Busy() int { return v.w.Busy() }

// LastNews is the time of the last event.
func (v View) LastNews() Time { return v.w.lastNew }

// Nodes is how many nodes there are: 0 to Nodes()-1.
func (v View) Nodes() int { return len(v.w.nodes) }

// Name spells a node; Nobody is "script".
func (v View) Name(n NodeID) string { return v.w.Name(n) }

// State tells how a node is.
func (v View) State(n NodeID) State { return v.w.State(n) }

// Incarnation counts the processes that have run on a node.
func (v View) Incarnation(n NodeID) int { return v.w.Incarnation(n) }

// Unflushed is the number of blocks on a node's disk that a power loss could take.
func (v View) Unflushed(n NodeID) int { return v.w.nodes[n].disk.Unflushed() }

// Probes lists the rare situations that were met, by name, with how often.
func (v View) Probes() []ProbeCount { return v.w.Probes() }

// MessageName spells a message type, TimerName a kind of timer.
func (v View) MessageName(t MsgType) string { return v.w.MessageName(t) }

// TimerName spells a kind of timer.
func (v View) TimerName(k uint8) string { return v.w.TimerName(k) }
