package story

import (
	"fmt"
	"slices"
	"strings"

	"kafkatrial/sim"
)

// Cause is one link of the chain that led to a step.
type Cause struct {
	Step int // from 1
	At   sim.Time
	Text string // a sentence
}

// longestChain bounds a chain of causes that never comes to an act of the script: a loop of fetches goes back
// to the beginning of the run.
const longestChain = 12

// Why tells what led to step i (an index), the first cause first, the step itself last. A message is caused
// by the step that sent it, a timer by the step that set it. The chain begins where the script or a fault
// acted, or where it comes to what is routine.
func (s *Story) Why(i int) []Cause {
	t := s.Run.World.Trace()
	if i < 0 || i >= len(s.entries) {
		return nil
	}
	chain := t.Why(i)
	var causes []Cause
	for k := len(chain) - 1; k >= 0 && len(causes) < longestChain; k-- {
		n := chain[k]
		e := &s.entries[n]
		st := &t.Steps[n]
		if n != i && e.Kind == StartUp {
			break
		}
		if n != i && e.Kind == Routine && t.Routine(n) {
			break // what goes on by itself needs no reason
		}
		causes = append(causes, Cause{e.Step, e.At, s.causeText(n)})
		if st.Kind == sim.StepScript || st.Kind == sim.StepFault {
			break
		}
	}
	slices.Reverse(causes)
	return causes
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
		return "the script acts"
	}
	return st.Op.String()
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
