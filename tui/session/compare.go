package session

import "kafkatrial/sim"

// Answers are the answers that the run was decided by, as far as they were not calm.
func (s *Session) Answers() []sim.Answer { return s.answers }

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
