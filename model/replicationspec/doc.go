// Package replicationspec is one replicated partition as a small bounded model, in which every reachable state can be visited.
//
// It follows the public TLA+ specifications of Kafka's replication protocol by Jason Gustafson (hachikuji/kafka-specification on
// GitHub), in five generations: truncation to the high watermark as before KIP-101, then KIP-101, KIP-279, a first try of KIP-320,
// and KIP-320; and, as a sixth, KIP-320 with one guard taken out. The model has the same states and steps as TLC finds there.
//
// It is no part of the simulator. The simulator has clocks, messages, disks and clients, and is run; this model has none of
// them, and is searched to the end. Where the simulator shows how a guarantee fails, this model shows that, within its bounds, it
// cannot fail, or what the shortest way to fail is.
//
// To read it: state.go is what there is, vocabulary.go the words for it; controller.go, leader.go and follower.go are the actions
// that can happen, each one function; generations.go says which rules each generation has, and truncation.go and fencing.go are
// these rules; invariants.go is what should hold. docs/replication-spec.md explains how all this corresponds to Kafka.
package replicationspec
