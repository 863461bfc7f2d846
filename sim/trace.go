package sim

// Event is one thing that a step changed, told by the model: a record appended, a high watermark raised. The model has
// a Go type for each kind (package model/event). Events are the only record of a run: transcripts, screens and verdicts
// are views of them. An event is not changed once it is recorded.
type Event interface {
	// Hash mixes in what tells one run from another: a stable number of the kind, and fields. No order of declaration
	// and no wording has a part in it.
	Hash(h *Hash)
}

// Recorded is an event in the trace, with the node that told it; Nobody is the script.
type Recorded struct {
	Node  NodeID
	Event Event
}

// StepKind says what sort of event a step was.
type StepKind uint8

// The kinds of step.
const (
	StepDeliver StepKind = iota // a message reached its receiver
	StepLost                    // a message did not, and will not
	StepDisconnect
	StepTimer
	StepStart // a process began
	StepFault // a choice of the source or of the script struck
	StepScript
)

var stepNames = [...]string{StepDeliver: "deliver", StepLost: "lost", StepDisconnect: "disconnect", StepTimer: "timer", StepStart: "start", StepFault: "fault", StepScript: "script"}

// Step is one event of a run. Sizes matter here: a long run has a hundred thousand of them.
type Step struct {
	At    Time
	Msg   Message // of a delivery or a loss
	Arg   int64   // a timer's argument, a fault's detail
	Cause int32   // the step that sent the message, set the timer, struck the fault; -1 none
	Event int32   // index of the step's first event in Trace.Events
	Conn  ConnID
	N     uint32 // which message of its type on its link, from 1
	Node  NodeID // where it happened
	Peer  NodeID // the sender, the other side
	Kind  StepKind
	Op    Op    // of StepFault: which; of StepLost: OpLose if it was chosen while the message was on its way
	Timer uint8 // of StepTimer: which
}

// Trace is everything that happened, in order.
type Trace struct {
	Steps  []Step
	Events []Recorded
	hash   Hash // running hash over time, choices, steps and events
	// Base is how many steps at the beginning have been forgotten; Steps and Events hold what came after.
	Base int
}

// EventsOf gives the events of step i. The caller must not change them.
func (t *Trace) EventsOf(i int) []Recorded {
	from := int(t.Steps[i].Event)
	to := len(t.Events)
	if i+1 < len(t.Steps) {
		to = int(t.Steps[i+1].Event)
	}
	return t.Events[from:to:to]
}

// Routine says that step i changed nothing a person would look at: it recorded no event and its message,
// if it has one, is routine.
func (t *Trace) Routine(i int) bool {
	s := &t.Steps[i]
	switch s.Kind {
	case StepDeliver, StepLost:
		return len(t.EventsOf(i)) == 0 && s.Msg.Routine() && s.Op != OpLose
	case StepTimer:
		return len(t.EventsOf(i)) == 0
	}
	return false
}

// Why gives the chain of causes that leads to step i, the first cause first, i last.
func (t *Trace) Why(i int) []int {
	var chain []int
	for i >= 0 && i < len(t.Steps) {
		chain = append(chain, i)
		i = int(t.Steps[i].Cause)
	}
	for l, r := 0, len(chain)-1; l < r; l, r = l+1, r-1 {
		chain[l], chain[r] = chain[r], chain[l]
	}
	return chain
}
