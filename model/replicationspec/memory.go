package replicationspec

// What a leader remembers of its followers. Up to KIP-320 the model lets a leader see what its followers have; a broker knows only
// what their fetches have told it, and when it learns of its election it has to decide what of that still holds. docs/findings.md.

// note takes over what a fetch told: the follower has everything below end.
func (r *replica) note(f, end int) { r.noted[f] = uint8(end + 1) }

// notedEnd is the log end offset that a follower's last fetch told, or none.
func (r *replica) notedEnd(f int) int { return int(r.noted[f]) - 1 }

// beginTerm: x is about to apply a request that names it the leader. If it does not lead it knows nothing of the followers. If it
// does, it is one leader for longer, as far as it knows; what it makes of the epochs in between is a rule of the generation.
//
// Kafka: Partition.makeLeader (isNewLeader), Replica.resetReplicaState.
func (m *model) beginTerm(s *state, x, epoch int) {
	r := &s.replicas[x]
	if !s.presumesLeadership(x) || m.forgets != nil && m.forgets(r.epoch, epoch) {
		r.noted = [MaxReplicas]uint8{}
	}
	if m.checksAtNoting && s.served.leader == x {
		s.served = noFetch
	}
}

// endTerm: who becomes a follower forgets its followers, and notes no fetch that it has served.
//
// Kafka: Partition.makeFollower, which clears the remote replicas.
func (s *state) endTerm(x int) {
	s.replicas[x].noted = [MaxReplicas]uint8{}
	if s.served.leader == x {
		s.served = noFetch
	}
}

// fetchAtOnce: f fetches from its leader at the end of its log. The leader notes that f has all below; f gets the next record, if
// there is one, and the high watermark.
//
// Kafka: ReplicaManager.fetchMessages, Partition.fetchRecords at the leader; ReplicaFetcherThread.processPartitionData at the follower.
func (m *model) fetchAtOnce(out steps, s *state, f, l int) steps {
	if !m.mayFetch(s, f, l) {
		return out
	}
	next := *s
	next.replicas[l].note(f, s.replicas[f].leo())
	next.answerFetch(f, l)
	if next.replicas[f].equal(&s.replicas[f]) && next.replicas[l].noted == s.replicas[l].noted {
		return out
	}
	return append(out, step{action{kind: fetch, replica: f, leader: l}, next})
}

// answerFetch: f copies the next record, if its leader has one, and takes over the leader's high watermark.
func (s *state) answerFetch(f, l int) {
	from, to := &s.replicas[l], &s.replicas[f]
	if to.leo() < from.leo() {
		to.append(from.log[to.leo()])
	}
	to.hw = min(from.hw, to.leo())
}

// serveFetch is the first step of a fetch, with Config.SplitFetch: the leader compares epochs and reads. A fetch that would tell and
// bring nothing new is left out.
//
// Kafka: Partition.fetchRecords, its first section under the lock.
func (m *model) serveFetch(out steps, s *state, f, l int) steps {
	if s.served != noFetch || !m.mayFetch(s, f, l) {
		return out
	}
	if len(m.fetchAtOnce(nil, s, f, l)) == 0 && !m.mayJoin(s, f, l, s.replicas[f].leo()) {
		return out
	}
	next := *s
	next.served = servedFetch{follower: f, leader: l, end: s.replicas[f].leo()}
	return append(out, step{action{kind: fetchServed, replica: f, leader: l}, next})
}

// noteFetch is its second step: the leader notes what the fetch told, in whatever epoch it is now, and the answer reaches the follower
// if it is still the one to that fetch. The follower may join the ISR by it.
//
// Kafka: Partition.updateFollowerFetchState, in a section of its own.
func (m *model) noteFetch(out steps, s *state) steps {
	f, l, end := s.served.follower, s.served.leader, s.served.end
	if s.served == noFetch {
		return out
	}
	next := *s
	next.served = noFetch
	next.replicas[l].note(f, end)
	if s.followsEpoch(f, l) && s.replicas[f].leo() == end {
		next.answerFetch(f, l)
	}
	out = append(out, step{action{kind: fetchNoted, replica: f, leader: l}, next})
	if m.mayJoin(s, f, l, end) {
		next.writeISR(l, s.replicas[l].isr.with(f))
		out = append(out, step{action{kind: fetchNotedAndExpands, replica: f, leader: l}, next})
	}
	return out
}

// mayJoin: the true leader takes in a follower whose fetch was at its high watermark or beyond, once that is no stale one.
//
// Kafka: Partition.maybeExpandIsr.
func (m *model) mayJoin(s *state, f, l, end int) bool {
	r := &s.replicas[l]
	return s.trueLeader(l) && !r.isr.has(f) && end >= r.hw && s.hwReachedEpoch(l)
}
