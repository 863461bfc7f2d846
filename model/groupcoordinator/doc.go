// Package groupcoordinator keeps the positions of consumer groups, as the broker that leads a group's
// partition of __consumer_offsets does. It is a pure state machine: the broker hands it requests and
// tells it what became of the batches it asked to be appended; it gives back batches and answers.
//
// A position is committed by writing it as a record into __consumer_offsets and replicating it like any
// other: the coordinator keeps nothing that is not in that log. What a broker must do:
//
//	OffsetCommit arrives      HandleOffsetCommit: send the answer, or append the batch and call OnAppended
//	the append was refused    OnAppendFailed
//	the append is replicated  OnCommitted, or OnAppendFailed with what the replication came to
//	the high watermark rose   OnHighWatermark
//	OffsetFetch arrives       HandleOffsetFetch: send the answer, or wait
//	TxnOffsetCommit arrives   HandleTxnOffsetCommit, as OffsetCommit
//	a marker is written       OnTransactionCompleted
//	JoinGroup, Heartbeat      HandleJoinGroup, HandleHeartbeat
//	an order arrives          Rebalance
//	the broker leads          OnElection, and OnLoaded when it has read the log
//	it leads no more          OnResignation
//	FindCoordinator arrives   FindCoordinator, with what the broker's metadata say
//
// A group may have members: then a commit must come from one of them, and of the group's present generation.
// When members join and leave is not worked out from heartbeats and subscriptions but ordered from outside
// (Rebalance); what follows from it goes the way it goes in Kafka: the members are told to join again, the
// next generation is written into __consumer_offsets, and each learns what it has.
//
// Left out: expiry of positions (offsets.retention.minutes, KIP-211), metadata strings of a commit, expiry of
// members (session.timeout.ms, rebalance.timeout.ms), LeaveGroup, static members, and the protocol of KIP-848.
// The door for them is Rebalance: what would call it is missing, not what it does.
//
// Kafka: GroupCoordinator, GroupMetadataManager (to 3.9); GroupCoordinatorService, OffsetMetadataManager,
// CoordinatorRuntime (from 4.0).
package groupcoordinator
