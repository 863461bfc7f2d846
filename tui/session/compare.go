package session

import "kafkatrial/sim"

// Answers are the answers that the run was decided by, as far as they were not calm.
func (s *Session) Answers() []sim.Answer { return s.answers }

// SameUpTo is the last step up to which two runs of the same scenario are the same in everything.
func (s *Session) SameUpTo(other *Session) int {
	a, b := s.Trace(), other.Trace()
	n := 0
	for n < min(len(a.Steps), len(b.Steps)) {
		x, y := a.Steps[n], b.Steps[n]
		if x.At != y.At || x.Kind != y.Kind || x.Op != y.Op || x.Node != y.Node || x.Peer != y.Peer || x.N != y.N || x.Timer != y.Timer || x.Arg != y.Arg {
			break
		}
		n++
	}
	return n
}

// Strayed says that the run was decided otherwise than its file has it: faults were chosen or drawn beside the
// script, so that what the file states and explains is about another run.
func (s *Session) Strayed() bool { return s.final.FaultModel().Budget > 0 && len(s.answers) > 0 }

// Lenient gives a source that follows this run's answers as far as they apply to another run; nil if there
// are none.
func (s *Session) Lenient() sim.Source {
	if len(s.answers) == 0 {
		return nil
	}
	return &sim.Replay{Answers: s.answers, Lenient: true}
}

// PartsFrom is the moment of this run at which it first tells something that the other does not.
func (s *Session) PartsFrom(other *Session) int {
	step := s.Story().PartsFrom(other.Story())
	if step == 0 {
		return s.Begin()
	}
	return s.OfStep(step)
}
