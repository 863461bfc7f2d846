package replicationspec

// Become follower: replica f applies a request that names another replica l the leader, if the request's epoch is newer
// than its own. First it truncates its log to an offset at which it can follow l; how it finds this offset is the rule that
// the generations differ in most. It asks l directly, at this instant. If the offset is beyond the end of its log, then f
// cannot truncate to it and does not become a follower.
//
// Kafka: Partition.makeFollower (2.1), and the truncating phase of AbstractFetcherThread (0.11 and later).
func (m *model) becomeFollower(out steps, s *state, f int, epoch int) steps {
	q := s.requests[epoch]
	l := q.leader
	if l == none || l == f || m.mayFollow != nil && !m.mayFollow(s, l, epoch) {
		return out
	}
	to := s.replicas[f].leo()
	if m.truncationPoint != nil {
		to = m.truncationPoint(s, f, l)
	}
	if to > s.replicas[f].leo() {
		return out
	}
	for range m.waysToFollow(s, f) {
		next := *s
		next.replicas[f].truncate(to)
		next.replicas[f].apply(q, epoch)
		if m.remembers {
			next.endTerm(f)
		}
		out = append(out, step{action{kind: becomeFollower, replica: f, leader: q.leader, epoch: epoch}, next})
	}
	return out
}

// Fetch: f copies the next record from the leader it follows, and takes over the leader's high watermark as far as its own log
// reaches. So a follower's high watermark may go down.
//
// Kafka: ReplicaManager.fetchMessages at the leader, ReplicaFetcherThread.processPartitionData at the follower (2.1).
func (m *model) fetch(out steps, s *state, f, l int) steps {
	if m.remembers {
		return m.fetchAtOnce(out, s, f, l)
	}
	from, to := &s.replicas[l], &s.replicas[f]
	if !s.presumesLeadership(l) || !s.follows(f, l) || to.leo() >= from.leo() || !m.mayFetch(s, f, l) {
		return out
	}
	next := *s
	r := &next.replicas[f]
	r.append(from.log[to.leo()])
	r.hw = min(from.hw, r.leo())
	return append(out, step{action{kind: fetch, replica: f, leader: l}, next})
}

// Truncate on a fetch error: only in the first try of KIP-320. The leader finds that the epoch of the follower's last record is
// not the one it has there, or that the follower's log is longer than its own; thereupon the follower truncates.
//
// Kafka came back to this in 2.8 (AbstractFetcherThread.truncateOnFetchResponse), but with the fencing of KIP-320 in each fetch.
func (m *model) truncateOnFetchError(out steps, s *state, f, l int) steps {
	if !m.truncatesOnFetchError || !s.presumesLeadership(l) || !s.follows(f, l) {
		return out
	}
	end := s.replicas[f].leo()
	diverges := end > 0 && s.replicas[l].has(end-1) && !s.sameEpoch(f, l, end-1)
	if end <= s.replicas[l].leo() && !diverges {
		return out
	}
	next := *s
	next.replicas[f].truncate(s.tailMatchPoint(l, f))
	return append(out, step{action{kind: truncateOnFetchError, replica: f, leader: l}, next})
}
