package replicationspec

// Where a new follower truncates its log to.

// ownHighWatermark: what is above it is not known to be committed, so it is taken to be lost. But a follower's high watermark
// lags behind the leader's, so what it cuts off may well be committed.
//
// Kafka 0.10.2: ReplicaManager.makeFollowers.
func ownHighWatermark(s *state, f, l int) int { return s.replicas[f].hw }

// endOfLastEpoch: f asks l where the epoch of f's last record ends in l's log.
//
//   - If this is the epoch of l's own last record, it ends at l's log end offset.
//   - Otherwise it ends where the first later epoch begins.
//   - If l has no later epoch, or no records at all, then l does not know; f falls back to its own high watermark.
//
// The answer does not say whether l has the epoch at all. After several quick elections it may not have it; then the offset at
// which a later epoch begins in l's log says nothing about which records the two logs share. That is the hole that KIP-279 closes.
//
// Two details are the model's: where the answer is beyond the end of f's log, Kafka keeps the whole log, while here f does not
// become a follower; and Kafka does not know an epoch either if it is older than the oldest in l's log.
//
// Kafka 0.11: LeaderEpochFileCache.endOffsetFor, ReplicaFetcherThread.maybeTruncate (KIP-101).
func endOfLastEpoch(s *state, f, l int) int {
	follower, leader := &s.replicas[f], &s.replicas[l]
	if follower.leo() == 0 {
		return 0
	}
	if leader.leo() == 0 {
		return follower.hw
	}
	last := follower.log[follower.leo()-1].epoch
	if leader.log[leader.leo()-1].epoch == last {
		return leader.leo()
	}
	for o := range leader.leo() {
		if leader.log[o].epoch > last {
			return o
		}
	}
	return follower.hw
}

// lastCommonRecord: f keeps its log up to and including the last record that l has too.
//
// Kafka 2.0 finds it by comparing epochs, in one or more rounds of OffsetsForLeaderEpoch (AbstractFetcherThread.
// getOffsetTruncationState, KIP-279); the model compares the records themselves, which is what these rounds are meant to come to.
func lastCommonRecord(s *state, f, l int) int { return s.tailMatchPoint(l, f) }

// Who answers a new follower. Before KIP-320 any replica does, whatever it takes itself to be; the field mayFollow is nil there.

// leaderInEpoch: l answers only if it leads in the very epoch in which f wants to follow it. In Kafka it otherwise answers
// FENCED_LEADER_EPOCH or UNKNOWN_LEADER_EPOCH, and f tries again (Partition.checkCurrentLeaderEpoch, 2.1; KIP-320).
func leaderInEpoch(s *state, l int, epoch int) bool {
	return s.presumesLeadership(l) && s.replicas[l].epoch == epoch
}

// How often TLC counts that a replica becomes a follower. It makes no difference to what can be reached, only to the number of
// generated states: where the formula of a rule is an "or" of two cases, and both hold, TLC generates the same state twice.

func oneWay(*state, int) int { return 1 }

// twoWaysIfEmpty: the formula of KIP-279 has a case for an empty log, and another for any log; both truncate an empty log to 0.
func twoWaysIfEmpty(s *state, f int) int {
	if s.replicas[f].leo() == 0 {
		return 2
	}
	return 1
}
