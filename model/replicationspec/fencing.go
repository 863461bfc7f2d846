package replicationspec

// What a leader makes sure of before it hands out a record, commits one, or changes the ISR.

// Fetch.

func always(*state, int, int) bool { return true }

// lastEpochAgrees: the last record of f's log is of the same epoch as l's record at that offset (first try of KIP-320).
func lastEpochAgrees(s *state, f, l int) bool {
	end := s.replicas[f].leo()
	return end == 0 || s.sameEpoch(f, l, end-1)
}

// Advance the high watermark: what the leader asks of itself, and what of every member of the ISR it knows.

func presumingLeader(s *state, l int) bool { return s.presumesLeadership(l) }

func presumingLeaderWithRecord(s *state, l int) bool {
	return s.presumesLeadership(l) && hasRecordAtHW(s, l)
}

func hasRecordAtHW(s *state, l int) bool { return s.replicas[l].has(s.replicas[l].hw) }

// acknowledgedByOffset: f follows l and has the offset. In which epoch it follows, and whether the record is the same, nobody asks.
func acknowledgedByOffset(s *state, f, l int, o int) bool {
	return s.follows(f, l) && s.replicas[f].has(o)
}

// acknowledgedByRecordEpoch: besides, the records at the offset are of the same epoch (first try of KIP-320).
func acknowledgedByRecordEpoch(s *state, f, l int, o int) bool { return s.epochCaughtUp(f, l, o+1) }

// acknowledgedInEpoch: f follows l in l's own epoch, and has the offset (KIP-320). That the record is the same need not be asked:
// f has truncated its log to what l has when it came into this epoch.
func acknowledgedInEpoch(s *state, f, l int, o int) bool {
	return s.followsEpoch(f, l) && s.replicas[f].has(o)
}

// acknowledgedByNote: l leads, and the last fetch of f that it has noted was beyond the offset. In which epoch that was, it does not
// ask. Its own log it knows.
func acknowledgedByNote(s *state, f, l int, o int) bool {
	if f == l {
		return s.presumesLeadership(l) && s.replicas[l].has(o)
	}
	return s.presumesLeadership(l) && s.replicas[l].notedEnd(f) > o
}

// notedBehind: l has noted of f less than its own log.
func notedBehind(s *state, f, l int, end int) int { return count(s.replicas[l].notedEnd(f) < end) }

// Shrink the ISR. With two reasons at once TLC generates the same state twice; see twoWaysIfEmpty.

func notCaughtUp(s *state, f, l int, end int) int { return count(!s.caughtUp(f, l, end)) }

func notEpochCaughtUp(s *state, f, l int, end int) int { return count(!s.epochCaughtUp(f, l, end)) }

// notInEpochOrBehind: f does not follow l in l's epoch, or its log is shorter than l's; this may be two reasons (KIP-320).
func notInEpochOrBehind(s *state, f, l int, end int) int {
	return count(!s.followsEpoch(f, l)) + count(s.replicas[f].leo() < end)
}

func count(reason bool) int {
	if reason {
		return 1
	}
	return 0
}

// Expand the ISR.

func epochCaughtUpAndHWReachedEpoch(s *state, f, l int, hw int) bool {
	return s.epochCaughtUp(f, l, hw) && s.hwReachedEpoch(l)
}

// inEpochAndHWReachedEpoch: f follows l in l's epoch and has everything below l's high watermark, and this high watermark is
// not a stale one from before the election (KIP-320, and KAFKA-7128 for the latter).
func inEpochAndHWReachedEpoch(s *state, f, l int, hw int) bool {
	return s.followsEpoch(f, l) && (hw == 0 || s.replicas[f].has(hw-1)) && s.hwReachedEpoch(l)
}
