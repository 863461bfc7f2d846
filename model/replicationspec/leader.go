package replicationspec

// Become leader: replica x applies a request that names it the leader, if the request's epoch is newer than its own. Its
// log and its high watermark stay as they are.
//
// Kafka: Partition.makeLeader (2.1).
func (m *model) becomeLeader(out steps, s *state, x int, epoch int) steps {
	q := s.requests[epoch]
	if q.leader != x {
		return out
	}
	next := *s
	if m.remembers {
		m.beginTerm(&next, x, epoch)
	}
	next.replicas[x].apply(q, epoch)
	return append(out, step{action{kind: becomeLeader, replica: x, epoch: epoch}, next})
}

// apply takes over leader, epoch and ISR from a request.
func (r *replica) apply(q request, epoch int) {
	r.epoch, r.leader, r.isr = epoch, q.leader, q.isr
}

// Write: a replica that believes it leads appends a new record, marked with the leader epoch it believes in. A deposed leader
// may do so too, until it hears of its successor.
//
// Kafka: Partition.appendRecordsToLeader (0.11 and later).
func (m *model) leaderWrites(out steps, s *state, x int) steps {
	r := &s.replicas[x]
	if !s.presumesLeadership(x) || s.nextRecord == m.records || r.leo() == m.logSize {
		return out
	}
	next := *s
	next.replicas[x].append(record{s.nextRecord, r.epoch})
	next.nextRecord++
	return append(out, step{action{kind: leaderWrites, replica: x}, next})
}

// Advance the high watermark: the leader counts one more record as committed, because every member of the ISR that it knows
// has the record. How it makes sure of that is a rule of the generation. Only the leader's own copy of the ISR is asked.
//
// Kafka: Partition.maybeIncrementLeaderHW (2.1). It also waits for followers outside the ISR that have caught up lately, and it
// may advance over several records at once, which here is several steps.
func (m *model) advanceHW(out steps, s *state, l int) steps {
	r := &s.replicas[l]
	if r.hw == m.logSize || !m.mayAdvanceHW(s, l) {
		return out
	}
	for f := range m.replicas {
		if r.isr.has(f) && !m.acknowledges(s, f, l, r.hw) {
			return out
		}
	}
	next := *s
	next.replicas[l].hw++
	return append(out, step{action{kind: advanceHW, replica: l}, next})
}

// Leader shrinks the ISR: the true leader takes out a member that has fallen behind. It writes to the quorum; nobody else
// hears of it, and the leader epoch stays. Time is not modelled: to be behind at all is enough.
//
// Kafka: Partition.maybeShrinkIsr, Partition.getOutOfSyncReplicas (2.1).
func (m *model) leaderShrinksISR(out steps, s *state, f, l int) steps {
	r := &s.replicas[l]
	if !s.trueLeader(l) || !r.isr.has(f) {
		return out
	}
	for range m.reasonsToShrink(s, f, l, r.leo()) {
		next := *s
		next.writeISR(l, r.isr.without(f))
		out = append(out, step{action{kind: leaderShrinks, replica: f, leader: l}, next})
	}
	return out
}

// Leader expands the ISR: the true leader takes in a follower that has caught up with the high watermark.
//
// Kafka: Partition.maybeExpandIsr (2.1).
func (m *model) leaderExpandsISR(out steps, s *state, f, l int) steps {
	if !s.trueLeader(l) || s.replicas[l].isr.has(f) || !m.mayExpand(s, f, l, s.replicas[l].hw) {
		return out
	}
	next := *s
	next.writeISR(l, s.replicas[l].isr.with(f))
	if m.remembers { // it is a fetch that lets the follower in
		next.replicas[l].note(f, s.replicas[f].leo())
	}
	return append(out, step{action{kind: leaderExpands, replica: f, leader: l}, next})
}

// writeISR writes a new ISR to the quorum and to the leader's own state. The write is conditional on the quorum's state being
// the one the leader knows, which is why only the true leader succeeds.
func (s *state) writeISR(l int, isr set) {
	s.isr = isr
	s.replicas[l].isr = isr
}
