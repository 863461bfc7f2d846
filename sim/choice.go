package sim

import (
	"errors"
	"strconv"
)

// Kind says what sort of decision a Point is.
type Kind uint8

// The kinds of decision.
const (
	Next Kind = iota // which thing happens next: the oldest event, or a fault
	Fate             // what becomes of a message just sent: on time, late, lost, doubled
	Tear             // how much of a file's unflushed end a power loss takes
	Skew             // by how much a node's clock is off
)

var kindNames = [...]string{Next: "next", Fate: "fate", Tear: "tear", Skew: "skew"}

func (k Kind) String() string { return kindNames[k] }

// Class groups options for weights, budgets and colours.
type Class uint8

// The classes of option.
const (
	Progress Class = iota // what a healthy system does by itself
	Client                // an act of an application
	Fault                 // something breaks; counts against the budget
	Repair                // something is mended; always free
)

// Op is what answering an option does.
type Op uint8

// The operations a source can choose, also those a script can order.
const (
	OpStep      Op = iota // take the oldest event
	OpKill                // the process dies; its page cache survives
	OpPowerLoss           // the machine stops; what was not flushed is at risk
	OpDiskLoss            // the process dies and its disk is replaced by an empty one
	OpPause               // the process stops running but keeps its memory and connections
	OpResume
	OpRestart // a new process on the same disk
	OpCut     // the link carries nothing in one direction
	OpCutBoth
	OpHeal // both directions carry again
	OpOnTime
	OpLate
	OpLose
	OpDuplicate
	OpKeep       // a power loss keeps all but N blocks of the file
	OpSkew       // the node's clock is off by N
	OpDisconnect // a connection is reset: what was in flight is lost, both sides notice
	OpDeliver    // a message is delivered ahead of its time
	OpShutdown   // the process is asked to stop in order
	OpHold       // a message on its way is kept back, and all behind it on its connection, until it is let go
	OpRelease    // a message that was kept back goes on
	OpOrder      // an operator gives order N of Config.Orders
)

var opNames = [...]string{
	OpStep: "step", OpKill: "kill", OpPowerLoss: "power-loss", OpDiskLoss: "disk-loss", OpPause: "pause", OpResume: "resume",
	OpRestart: "restart", OpCut: "cut", OpCutBoth: "cut-both", OpHeal: "heal", OpOnTime: "on-time", OpLate: "late", OpLose: "lose",
	OpDuplicate: "duplicate", OpKeep: "tear", OpSkew: "skew", OpDisconnect: "disconnect", OpDeliver: "deliver", OpShutdown: "shutdown",
	OpHold: "hold", OpRelease: "release", OpOrder: "order",
}

func (o Op) String() string { return opNames[o] }

// Option is one answer to a Point. Its fields name the thing chosen, never its place in a slice: a
// message by its link, its type and its number on that link; a node by its name.
type Option struct {
	Op    Op
	Class Class
	Type  MsgType
	IsMsg bool // Type and Seq name a message
	Node  NodeID
	Peer  NodeID
	// Seq is which message of its type from Node to Peer, from 1; which timer of its node; which connection
	// of the run is gone; which process of its node.
	Seq  uint32
	File int32 // of a tear: which file of the node's disk, in name order
	N    int64 // microseconds of delay or skew; blocks torn off; how often the event has come up before
	ev   eventKind
}

// Point is a decision to be made. Options[0] is the calm one. A Point with a single option is no
// decision: it is resolved with 0 and not recorded.
type Point struct {
	Step    int // number of steps taken before it
	Now     Time
	Kind    Kind
	Site    string // where it is asked, for reports: "next", "send", "power-loss"
	Options []Option
	world   *World
}

// ID spells option i's stable name, e.g. "lose b1>b2 FetchResponse #3" or "kill b1".
func (p Point) ID(i int) string { return p.world.optionID(p.Options[i]) }

// Event says in a word what the oldest event is that a Next point's calm option takes: "message",
// "disconnected", "start", "command", or the name of a timer.
func (p Point) Event() string { return p.world.eventName(p.Options[0]) }

func (w *World) eventName(o Option) string {
	switch o.ev {
	case evTimer:
		return w.cfg.timerName(uint8(o.Type))
	case evDisconnect:
		return "disconnected"
	case evStart:
		return "start"
	case evCommand:
		return "command"
	}
	return "message"
}

func (w *World) optionID(o Option) string {
	s := o.Op.String()
	if o.Op == OpStep && o.N > 0 { // the same event for the second time: it has been kept back, or is a twin
		s += " again-" + strconv.FormatInt(o.N, 10)
	}
	switch {
	case o.Op == OpOrder:
		return w.cfg.Orders[o.N].Name
	case o.Op == OpStep && !o.IsMsg:
		return s + " " + w.Name(o.Node) + " " + w.eventName(o) + " #" + strconv.FormatUint(uint64(o.Seq), 10)
	case o.IsMsg:
		s += " " + w.messageID(o.Node, o.Peer, o.Type, o.Seq)
	case o.Op == OpCut:
		s += " " + w.Name(o.Node) + ">" + w.Name(o.Peer)
	case o.Op == OpCutBoth, o.Op == OpHeal, o.Op == OpDisconnect:
		s += " " + w.Name(o.Node) + "-" + w.Name(o.Peer)
	case o.Node != Nobody:
		s += " " + w.Name(o.Node)
	}
	switch o.Op {
	case OpLate, OpSkew:
		s += " by " + Time(o.N).String()
	case OpKeep:
		disk := w.nodes[o.Node].disk
		s += " " + disk.names[o.File] + " -" + strconv.FormatInt(o.N, 10) + " #" + strconv.FormatUint(uint64(o.Seq), 10)
	}
	return s
}

func (w *World) messageID(from, to NodeID, t MsgType, n uint32) string {
	return w.Name(from) + ">" + w.Name(to) + " " + w.cfg.MessageNames[t] + " #" + strconv.FormatUint(uint64(n), 10)
}

// Source answers decisions. It looks at nothing but the Point and its own state.
type Source interface {
	// Choose gives the index of an option of p. ErrStop ends the run.
	Choose(p Point) (int, error)
}

// ErrStop is a source's answer when it wants the run to end.
var ErrStop = errors.New("the source of choice ended the run")

// Calm always answers 0: the textbook run.
type Calm struct{}

// Choose answers 0.
func (Calm) Choose(Point) (int, error) { return 0, nil }

// Run drives a world with a source until nothing is left, the world's limits are met, or the source ends it.
func Run(w *World, src Source) error {
	for {
		p, more := w.Pending()
		if !more {
			return nil
		}
		i, err := answer(p, src)
		if err != nil {
			return err
		}
		w.Resolve(i)
	}
}

func answer(p Point, src Source) (int, error) {
	if len(p.Options) == 1 {
		return 0, nil
	}
	return src.Choose(p)
}
