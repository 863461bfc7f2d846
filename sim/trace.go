package sim

// EventKind numbers what a model can report; the model names and explains them.
type EventKind uint8

// Event is one thing that a step changed, told by the model: a record appended, a high watermark raised.
// Events are the only record of a run: transcripts, screens and verdicts are views of them.
type Event struct {
	Kind    EventKind
	Node    NodeID
	Part    int32 // with Subject: what it is about, e.g. a topic and a partition
	Subject string
	A, B, C int64
	Text    string
	Ref     any // immutable; nil or what the event speaks of, e.g. the batch
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
	Events []Event
	Hash   uint64 // running hash over time, choices, events and events
	// Base is how many steps at the beginning have been forgotten; Steps and Events hold what came after.
	Base int
}

// EventsOf gives the events of step i. The caller must not change them.
func (t *Trace) EventsOf(i int) []Event {
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

func (t *Trace) mix(x uint64) {
	// A multiply-and-fold step: cheap, and every bit of x reaches every bit of the hash.
	h := t.Hash ^ x*0x9E3779B97F4A7C15
	h ^= h >> 32
	h *= 0xD6E8FEB86659FD93
	t.Hash = h ^ h>>29
}

func (t *Trace) mixString(s string) {
	t.mix(hashString(s))
}

// hashString is FNV-1a with 64 bits.
func hashString(s string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return h
}
