package replicationspec

// The invariants, by name.
const (
	// WeakIsr: whoever believes that it leads shares every record below its high watermark with every member of the ISR that it
	// knows itself.
	WeakIsr = "WeakIsr"
	// StrongIsr: the same with the members of the quorum's ISR, which are those that can be elected. If it does not hold, then
	// the next clean election can lose a committed record.
	StrongIsr = "StrongIsr"
	// LeaderInIsrOrNone: the quorum's leader, if there is one, is in the quorum's ISR.
	LeaderInIsrOrNone = "LeaderInIsrOrNone"
)

// InvariantNames lists all invariants.
func InvariantNames() []string { return []string{WeakIsr, StrongIsr, LeaderInIsrOrNone} }

// invariant is a statement that must hold in every state. If it does not, then broken names whom it fails for.
type invariant struct {
	name  string
	check func(s *state, n int) (broken, bool)
}

// broken is the reason why an invariant does not hold: replica leader believes that it leads, and member does not share its
// record at offset. For LeaderInIsrOrNone it is leader alone.
type broken struct {
	leader, member int
	offset         int
}

func invariants() []invariant {
	return []invariant{
		{WeakIsr, func(s *state, n int) (broken, bool) {
			return committedRecordsShared(s, n, func(leader int) set { return s.replicas[leader].isr })
		}},
		{StrongIsr, func(s *state, n int) (broken, bool) {
			return committedRecordsShared(s, n, func(int) set { return s.isr })
		}},
		{LeaderInIsrOrNone, func(s *state, n int) (broken, bool) {
			l := s.quorumLeader()
			return broken{leader: l, member: none}, l == none || s.isr.has(l)
		}},
	}
}

// committedRecordsShared: every replica that believes it leads has the same record as every member of the ISR given, at every
// offset below its own high watermark. The second result is false, and the first says where, if this does not hold.
func committedRecordsShared(s *state, n int, isr func(leader int) set) (broken, bool) {
	for l := range n {
		if !s.presumesLeadership(l) {
			continue
		}
		for m := range n {
			if !isr(l).has(m) {
				continue
			}
			for o := range s.replicas[l].hw {
				if !s.sameRecord(l, m, o) {
					return broken{leader: l, member: m, offset: o}, false
				}
			}
		}
	}
	return broken{}, true
}

// Check implements explore.Model: the first invariant that does not hold.
func (m *model) Check(p *packed) string {
	if len(m.invariants) == 0 {
		return ""
	}
	w := m.workspace()
	defer m.workspaces.Put(w)
	return m.violated(m.unpack(&w.state, p))
}

// violated returns the name of the first invariant that does not hold in s, or "".
func (m *model) violated(s *state) string {
	for _, inv := range m.invariants {
		if _, ok := inv.check(s, m.replicas); !ok {
			return inv.name
		}
	}
	return ""
}
