package partition

import (
	"kafkatrial/model/log"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// AppendRecordsToLeader appends a producer's batch. acks is 0, 1 or -1 (all).
// NOT_LEADER_OR_FOLLOWER, or with acks=-1 NOT_ENOUGH_REPLICAS while the ISR is below
// min.insync.replicas. With acks=-1 the request is done when CheckEnoughReplicasReachOffset says so for
// info.LastOffset+1.
//
// Kafka: Partition.appendRecordsToLeader.
func (p *Partition) AppendRecordsToLeader(b *record.Batch, acks int, now sim.Time) (info log.AppendInfo, hw HWChange, err protocol.Error) {
	panic("not yet")
}

// CheckEnoughReplicasReachOffset says whether a write with acks=all that ends before required is done,
// and how: NONE, NOT_ENOUGH_REPLICAS_AFTER_APPEND, or (with done false) NOT_LEADER_OR_FOLLOWER, upon
// which the request ends too.
//
// Kafka: Partition.checkEnoughReplicasReachOffset; DelayedProduce.tryComplete.
func (p *Partition) CheckEnoughReplicasReachOffset(required int64) (done bool, err protocol.Error) {
	panic("not yet")
}
