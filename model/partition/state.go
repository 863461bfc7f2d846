package partition

import "kafkatrial/sim"

// MakeLeader takes over a state in which this broker leads. applied is false for a state older than what
// is known. newLeader says that the broker did not lead before.
//
// Kafka: Partition.makeLeader.
func (p *Partition) MakeLeader(s LeaderAndISR, now sim.Time) (applied, newLeader bool, hw HWChange) {
	panic("not yet")
}

// MakeFollower takes over a state in which another broker leads, or none. restart says that the fetcher
// must begin anew: the leader epoch changed.
//
// Kafka: Partition.makeFollower.
func (p *Partition) MakeFollower(s LeaderAndISR) (applied, restart bool) { panic("not yet") }
