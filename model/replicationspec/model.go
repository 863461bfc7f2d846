package replicationspec

// model is one generation of the protocol within the bounds of one configuration. It is an explore.Model.
type model struct {
	rules
	replicas   int
	logSize    int8
	records    int8
	epochs     int8 // the largest leader epoch
	invariants []invariant
	renamings  []renaming // all but the identity; empty without symmetry
}

func (m *model) Initial() []state { return []state{initial(m.replicas)} }

// AppendNext lists what can happen in s: every action with every choice that its guard allows.
func (m *model) AppendNext(out steps, s *state) steps {
	for r := range m.replicas {
		out = m.controllerElects(out, s, r)
		out = m.controllerShrinks(out, s, r)
		out = m.leaderWrites(out, s, r)
		out = m.advanceHW(out, s, r)
		for epoch := s.replicas[r].epoch + 1; epoch < s.nextEpoch; epoch++ {
			out = m.becomeLeader(out, s, r, epoch)
			out = m.becomeFollower(out, s, r, epoch)
		}
	}
	for l := range m.replicas {
		if !s.presumesLeadership(l) {
			continue // each of the following actions needs a leader, if only one by its own belief
		}
		for f := range m.replicas {
			if f == l {
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
