package replicationspec

import (
	"math"
	"sync"

	"kafkatrial/sim/explore"
)

// model is one generation of the protocol within the bounds of one configuration. It is an explore.Model, which keeps its states
// packed.
type model struct {
	rules
	split      bool // see Config.SplitFetch
	replicas   int
	logSize    int
	records    int
	epochs     int // the largest leader epoch
	invariants []invariant
	renamings  []renaming // all but the identity; empty without symmetry

	workspaces sync.Pool // of *workspace
}

// noBound stands for a bound that a model does not have.
const noBound = math.MaxInt

// workspace is where a state is unpacked and expanded.
type workspace struct {
	state unpacked
	steps steps
}

func (m *model) workspace() *workspace {
	if w, ok := m.workspaces.Get().(*workspace); ok {
		return w
	}
	return &workspace{}
}

// Initial implements explore.Model.
func (m *model) Initial() []packed {
	s := initial(m.replicas)
	return []packed{m.pack(&s)}
}

// AppendNext implements explore.Model.
func (m *model) AppendNext(out []explore.Step[packed, action], p *packed) []explore.Step[packed, action] {
	w := m.workspace()
	w.steps = m.next(w.steps[:0], m.unpack(&w.state, p))
	for i := range w.steps {
		out = append(out, explore.Step[packed, action]{Action: w.steps[i].action, State: m.pack(&w.steps[i].state)})
	}
	m.workspaces.Put(w)
	return out
}

// next lists what can happen in s: every action with every choice that its guard allows.
func (m *model) next(out steps, s *state) steps {
	for r := range m.replicas {
		out = m.controllerElects(out, s, r)
		out = m.controllerShrinks(out, s, r)
		out = m.leaderWrites(out, s, r)
		out = m.advanceHW(out, s, r)
		for epoch := s.replicas[r].epoch + 1; epoch < s.nextEpoch(); epoch++ {
			out = m.becomeLeader(out, s, r, epoch)
			out = m.becomeFollower(out, s, r, epoch)
		}
	}
	if m.split {
		out = m.noteFetch(out, s)
	}
	for l := range m.replicas {
		if !s.presumesLeadership(l) {
			continue // each of the following actions needs a leader, if only one by its own belief
		}
		for f := range m.replicas {
			if f == l {
				continue
			}
			if m.split {
				out = m.serveFetch(out, s, f, l)
				out = m.leaderShrinksISR(out, s, f, l)
				continue
			}
			out = m.fetch(out, s, f, l)
			out = m.truncateOnFetchError(out, s, f, l)
			out = m.leaderShrinksISR(out, s, f, l)
			out = m.leaderExpandsISR(out, s, f, l)
		}
	}
	return out
}
