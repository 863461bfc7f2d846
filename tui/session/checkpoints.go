package session

import (
	"fmt"

	"kafkatrial/scenarios"
	"kafkatrial/sim"
)

// A jump carries the run out again from the last checkpoint before its target: a copy of the run that was kept while it
// was carried out the first time. They are bounded in number. While a run is short there is none; when there are too
// many, every other one is dropped, and from then on they are twice as far apart. So a jump carries out at most one part
// in mostCheckpoints/2 of a run, or minApart steps.
const (
	mostCheckpoints = 64
	minApart        = 4096 // steps; that many take some ten milliseconds
)

// checkpoint is a copy of the run between two decisions. It is never carried on itself: each use copies it.
type checkpoint struct {
	at  Moment
	run *scenarios.Run
}

// checkpoints are those of one run, in its order.
type checkpoints struct {
	all   []checkpoint
	apart int // steps from one to the next
	most  int
}

func newCheckpoints() checkpoints { return checkpoints{apart: minApart, most: mostCheckpoints} }

// pass keeps a copy of the run if the last one is far enough behind.
func (c *checkpoints) pass(r *scenarios.Run, calls int) {
	steps := r.World.Steps()
	last := 0
	if n := len(c.all); n > 0 {
		last = c.all[n-1].at.Steps
	}
	if steps-last < c.apart {
		return
	}
	if len(c.all) == c.most {
		kept := c.all[:0]
		for i := 1; i < len(c.all); i += 2 {
			kept = append(kept, c.all[i])
		}
		clear(c.all[len(kept):])
		c.all, c.apart = kept, 2*c.apart
		if n := len(kept); steps-kept[n-1].at.Steps < c.apart {
			return
		}
	}
	c.all = append(c.all, checkpoint{Moment{Steps: steps, Now: r.World.Now(), calls: calls}, r.Clone()})
}

// before gives the last one that is not behind a moment, nil if there is none.
func (c *checkpoints) before(m Moment) *checkpoint {
	for i := len(c.all) - 1; i >= 0; i-- {
		if c.all[i].at.calls <= m.calls {
			return &c.all[i]
		}
	}
	return nil
}

// resume begins the run anew from a checkpoint, or from its beginning if that is nil.
func (s *Session) resume(c *checkpoint) {
	if c == nil {
		s.run, s.runAt = s.fresh(), Moment{}
		return
	}
	r := c.run.Clone()
	r.From(&sim.Replay{Answers: s.answers[len(r.Answers()):]})
	s.run, s.runAt = r, c.at
}

// stand takes the run to a moment: on from where it is, or from a checkpoint if that is nearer. Where it comes to must be
// where the run was the first time.
func (s *Session) stand(i int) {
	m := s.moments[i]
	c := s.kept.before(m)
	past := s.run == nil || s.runAt.calls > m.calls || s.runAt.calls == m.calls && s.runAt.after && !m.after
	if past || c != nil && c.at.calls > s.runAt.calls {
		s.resume(c)
	}
	for s.runAt.calls < m.calls {
		s.run.Step()
		s.runAt.calls, s.runAt.after = s.runAt.calls+1, false
	}
	if m.after && !s.runAt.after {
		s.run.Pending()
		s.runAt.after = true
	}
	if got := s.run.World.Steps(); got != m.Steps {
		panic(fmt.Sprintf("session: the run is not the same the second time: %d steps where there were %d", got, m.Steps))
	}
	if got := s.run.World.Hash(); got != m.hash {
		panic(fmt.Sprintf("session: the run is not the same the second time: after %d steps its hash is %016x, and was %016x", m.Steps, got, m.hash))
	}
}
