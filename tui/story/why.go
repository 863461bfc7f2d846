package story

import (
	"fmt"
	"slices"
	"strings"

	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// Cause is one link of the chain that led to a step.
type Cause struct {
	Step int // from 1
	At   sim.Time
	Text string // a sentence
}

// longestChain bounds what Why tells: the nearest causes.
const longestChain = 12

// Why tells what led to step i (an index), the first cause first, the step itself last. A step rests on data where it has
// any (causes), and else on what carried it: a message on the step that sent it, a timer on the step that set it. The chain begins where
// the script acted, a fault struck or a process began, or at a clock that goes by itself.
func (s *Story) Why(i int) []Cause {
	if i < 0 || i >= len(s.entries) {
		return nil
	}
	found := []int{i}
	todo := s.reasons(i)
	for len(todo) > 0 && len(found) < longestChain {
		slices.Sort(todo)
		n := todo[len(todo)-1]
		todo = slices.DeleteFunc(todo, func(k int) bool { return k == n })
		if s.entries[n].Kind != Routine || !s.hasEvents(n) { // what is not told, as of an internal topic, is passed over
			found = append(found, n)
		}
		todo = append(todo, s.reasons(n)...)
	}
	slices.Sort(found)
	causes := make([]Cause, len(found))
	for k, n := range found {
		causes[k] = Cause{s.entries[n].Step, s.entries[n].At, s.causeText(n)}
	}
	return causes
}

// reasons lists the steps that step i rests on directly.
func (s *Story) reasons(i int) []int {
	t := s.Run.World.Trace()
	switch t.Steps[i].Kind {
	case sim.StepScript, sim.StepFault:
		return nil
	}
	var all []int
	for _, n := range s.causes.data[i] {
		all = append(all, int(n))
	}
	if c := s.carrier(i, len(all) > 0); c >= 0 && !slices.Contains(all, c) {
		all = append(all, c)
	}
	return all
}

func (s *Story) hasEvents(i int) bool { return len(s.Run.World.Trace().EventsOf(i)) > 0 }

// carrier is the step that carried something to step i, -1 if there is none to tell of. Routine steps are no answer: where the
// data give one they are passed over, and elsewhere messages are followed through them to where somebody did something.
func (s *Story) carrier(i int, answered bool) int {
	t := s.Run.World.Trace()
	for {
		st := &t.Steps[i]
		if i = int(st.Cause); i < 0 {
			return -1
		}
		if s.entries[i].Kind != Routine {
			return i
		}
		if answered || st.Kind == sim.StepTimer {
			return -1
		}
		switch t.Steps[i].Kind {
		case sim.StepStart, sim.StepScript, sim.StepFault, sim.StepTimer:
			return i // somebody acts, or a clock
		}
	}
}

// causeText says what a step was, also one that is told nowhere else.
func (s *Story) causeText(i int) string {
	e := &s.entries[i]
	if len(e.What) > 0 {
		return s.Sentence(i)
	}
	st := &s.Run.World.Trace().Steps[i]
	w := s.Run.World
	node := s.name(st.Node)
	switch st.Kind {
	case sim.StepDeliver:
		return fmt.Sprintf("%s receives %s from %s", node, article(messageName(w.MessageName(st.Msg.Type()))), s.name(st.Peer))
	case sim.StepLost:
		return fmt.Sprintf("%s from %s to %s is lost", article(messageName(w.MessageName(st.Msg.Type()))), s.name(st.Peer), node)
	case sim.StepDisconnect:
		return fmt.Sprintf("%s loses its connection to %s", node, s.name(st.Peer))
	case sim.StepTimer:
		return fmt.Sprintf("on %s the timer %s runs out", node, w.TimerName(st.Timer))
	case sim.StepStart:
		return node + " starts"
	case sim.StepScript:
		return s.toldBy(st)
	}
	return st.Op.String()
}

// transactionCalls are the calls of the transactional API, as the script orders them.
var transactionCalls = [...]string{
	protocol.InitTransactions:  "initTransactions",
	protocol.BeginTransaction:  "beginTransaction",
	protocol.CommitTransaction: "commitTransaction",
	protocol.AbortTransaction:  "abortTransaction",
}

// toldBy says what the script made a node do, where nothing that is told says so.
func (s *Story) toldBy(st *sim.Step) string {
	m, ok := st.Msg.(*protocol.Command)
	switch {
	case ok && m.Transaction != protocol.NoTransaction:
		return s.name(st.Node) + " calls " + transactionCalls[m.Transaction] + "()"
	case ok && m.SendOffsets != nil:
		return s.name(st.Node) + " calls sendOffsetsToTransaction()"
	case st.Node != sim.Nobody:
		return s.name(st.Node) + " is told by the script what to do"
	}
	return "the script acts"
}

// Sentence tells step i in one sentence with its subject, without a full stop.
func (s *Story) Sentence(i int) string {
	e := &s.entries[i]
	text := strings.Join(e.What, "; ")
	if e.Who == "" || e.Who == net {
		return text
	}
	return e.Who + " " + text
}

// article puts a or an before a word.
func article(word string) string {
	if word != "" && strings.ContainsRune("AEIOaeio", rune(word[0])) {
		return "an " + word
	}
	return "a " + word
}
