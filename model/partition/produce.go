package partition

import (
	"kafkatrial/model/log"
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// AppendRecordsToLeader appends a producer's batch. acks is 0, 1 or -1 (all).
// NOT_LEADER_OR_FOLLOWER, or with acks=-1 NOT_ENOUGH_REPLICAS while the ISR is below
// min.insync.replicas. With acks=-1 the request waits until CheckEnoughReplicasReachOffset is done with
// info.LastOffset+1.
//
// Kafka: Partition.appendRecordsToLeader.
func (p *Partition) AppendRecordsToLeader(b *record.RecordBatch, acks int, now sim.Time) (info log.AppendInfo, hw HWChange, err protocol.Error) {
	return p.AppendRecordsToLeaderWith(b, acks, now, log.AppendOptions{})
}

// AppendRecordsToLeaderWith is AppendRecordsToLeader of what a client or a coordinator of this broker writes.
// INVALID_TXN_STATE if the batch is the first of a transaction here, and the coordinator was not asked about it.
func (p *Partition) AppendRecordsToLeaderWith(b *record.RecordBatch, acks int, now sim.Time, o log.AppendOptions) (info log.AppendInfo, hw HWChange, err protocol.Error) {
	if !p.IsLeader() {
		return info, hw, protocol.NotLeaderOrFollower
	}
	if acks == -1 && p.lacksReplicasForAppend() {
		return info, hw, protocol.NotEnoughReplicas
	}
	if info, err = p.log.AppendAsLeaderWith(b, p.leaderEpoch, now, o); err != protocol.None {
		return info, hw, err
	}
	return info, p.maybeIncrementLeaderHW(now), protocol.None // the ISR may be this broker alone
}

// lacksReplicasForAppend refuses a write that too few replicas would hold. It looks at the committed ISR:
// a replica that is only about to join is no safety yet.
func (p *Partition) lacksReplicasForAppend() bool {
	return p.cfg.Planted.On(planted.MinISRBeforeAppend) && len(p.isr.committed) < p.EffectiveMinISR()
}

// CheckEnoughReplicasReachOffset says whether a write with acks=all whose last offset is required-1 is
// done, and how: NONE, or NOT_ENOUGH_REPLICAS_AFTER_APPEND if it is committed but the ISR has shrunk below
// min.insync.replicas since. done false with NOT_LEADER_OR_FOLLOWER ends the wait as well; done false with
// NONE means to wait on.
//
// Kafka: Partition.checkEnoughReplicasReachOffset, DelayedProduce.tryComplete.
func (p *Partition) CheckEnoughReplicasReachOffset(required int64) (done bool, err protocol.Error) {
	if !p.IsLeader() {
		return false, protocol.NotLeaderOrFollower
	}
	if p.log.HighWatermark() < required && p.cfg.Planted.On(planted.AcksAllWaitsForHW) {
		return false, protocol.None
	}
	if len(p.isr.maximal) < p.EffectiveMinISR() && p.cfg.Planted.On(planted.MinISRAfterAppend) {
		return true, protocol.NotEnoughReplicasAfterAppend
	}
	return true, protocol.None
}

// ProduceAnswer is how a broker ends a produce request.
type ProduceAnswer struct {
	Respond         bool
	CloseConnection bool
}

// AnswerToProduce says how a producer is told the outcome. With acks=0 it awaits no response, so an error
// can only be told by closing the connection, upon which the producer refreshes its metadata.
//
// Kafka: KafkaApis.handleProduceRequest.
func AnswerToProduce(acks int, err protocol.Error) ProduceAnswer {
	if acks != 0 {
		return ProduceAnswer{Respond: true}
	}
	return ProduceAnswer{CloseConnection: err != protocol.None}
}
