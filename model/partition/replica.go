package partition

import "kafkatrial/sim"

// Replica is what the leader knows of a follower (Replica, ReplicaState).
type Replica struct {
	ID             int
	LogEndOffset   int64 // where it fetched from last: it has everything below. NoOffset: not heard of in this term
	LogStartOffset int64
	// LastFetchLeaderLogEndOffset and LastFetchTime are the leader's log end and clock at the last fetch.
	LastFetchLeaderLogEndOffset int64
	LastFetchTime               sim.Time
	// LastCaughtUpTime is the latest time at which the follower is known to have had all that the leader
	// had; neverCaughtUp before.
	LastCaughtUpTime sim.Time
	BrokerEpoch      int64 // of the life that fetched; NoBrokerEpoch: not told
	HasBrokerEpoch   bool
}
