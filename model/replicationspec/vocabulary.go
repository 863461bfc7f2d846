package replicationspec

// The words in which the rules are written. Each is a question about a state; none changes it.

// presumesLeadership: l believes that it leads. Only becoming a follower ends this belief, so a deposed leader keeps it until it
// hears of its successor.
func (s *state) presumesLeadership(l int) bool { return s.replicas[l].leader == l }

// follows: f's leader is l, in whatever epoch.
func (s *state) follows(f, l int) bool { return s.replicas[f].leader == l }

// followsEpoch: f's leader is l, l believes so too, and both are in the same leader epoch. This is what a broker finds out
// since KIP-320, for a fetch carries the leader epoch that the follower believes in.
func (s *state) followsEpoch(f, l int) bool {
	return s.presumesLeadership(l) && s.follows(f, l) && s.replicas[f].epoch == s.replicas[l].epoch
}

// trueLeader: l is the leader that the quorum has, and l knows it.
func (s *state) trueLeader(l int) bool {
	return s.quorumLeader() == l && s.presumesLeadership(l) && s.replicas[l].epoch == s.quorumEpoch()
}

// sameRecord: both logs hold the same record, of the same epoch, at offset o.
func (s *state) sameRecord(a, b int, o int) bool {
	ra, rb := &s.replicas[a], &s.replicas[b]
	return ra.has(o) && rb.has(o) && ra.log[o] == rb.log[o]
}

// sameEpoch: both logs hold a record at offset o, and their epochs are equal. The records may differ; a broker sees only epochs.
func (s *state) sameEpoch(a, b int, o int) bool {
	ra, rb := &s.replicas[a], &s.replicas[b]
	return ra.has(o) && rb.has(o) && ra.log[o].epoch == rb.log[o].epoch
}

// tailMatchPoint is the offset up to which f may keep its log under leader l: one more than the largest offset at which
// both hold the same record, or 0 if there is none.
func (s *state) tailMatchPoint(l, f int) int {
	for o := min(s.replicas[l].leo(), s.replicas[f].leo()); o > 0; o-- {
		if s.sameRecord(l, f, o-1) {
			return o
		}
	}
	return 0
}

// caughtUp: f follows l, and both have every offset below x.
func (s *state) caughtUp(f, l int, x int) bool {
	return s.follows(f, l) && (x == 0 || s.replicas[f].has(x-1) && s.replicas[l].has(x-1))
}

// epochCaughtUp: f follows l, l believes that it leads, and the records before offset x, if any, are of the same epoch in both.
func (s *state) epochCaughtUp(f, l int, x int) bool {
	return s.presumesLeadership(l) && s.follows(f, l) && (x == 0 || s.sameEpoch(f, l, x-1))
}

// hwReachedEpoch: l's high watermark has come to the part of the log that l itself wrote in its epoch, or to the end of the
// log. Before that, l does not know yet how far its predecessor had committed (KAFKA-7128).
func (s *state) hwReachedEpoch(l int) bool {
	r := &s.replicas[l]
	return r.hw == r.leo() || r.has(r.hw) && r.log[r.hw].epoch == r.epoch
}
