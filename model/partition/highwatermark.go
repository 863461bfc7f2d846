package partition

import (
	"slices"

	"kafkatrial/model/planted"
	"kafkatrial/sim"
)

// maybeIncrementLeaderHW raises the high watermark to the smallest log end offset of the maximal ISR and
// of every replica that is caught up and about to join. Counting fewer would commit a record that the
// next leader need not have; not waiting for who is about to join would run away from it for ever.
// Since 3.7 it stays where it is while the committed ISR is below min.insync.replicas.
//
// In ZooKeeper mode it waits while the ISR is being written: Kafka holds the partition's lock meanwhile.
//
// Kafka: Partition.maybeIncrementLeaderHW; KIP-497, KAFKA-15583.
func (p *Partition) maybeIncrementLeaderHW(now sim.Time) HWChange {
	if !p.IsLeader() || p.isFrozenUnderMinISR() || p.isWritingISR() {
		return HWChange{}
	}
	hw := p.log.LogEndOffset()
	for i := range p.remote {
		if r := &p.remote[i]; p.logEndOf(r) < hw && p.holdsHW(r, now) {
			hw = p.logEndOf(r)
		}
	}
	if old, raised := p.log.MaybeIncrementHighWatermark(hw); raised {
		return HWChange{From: old, To: hw}
	}
	return HWChange{}
}

// holdsHW says that the high watermark waits for this replica.
func (p *Partition) holdsHW(r *Replica, now sim.Time) bool {
	return slices.Contains(p.isrForHW(), r.ID) || p.isAboutToJoin(r, now)
}

// isrForHW is the set that holds the high watermark: the committed ISR before KIP-497, the maximal ISR
// since; they differ only while a change is under way.
func (p *Partition) isrForHW() []int {
	if p.isr.sent != nil && !p.cfg.Planted.On(planted.HWOverMaximalISR) {
		return p.isr.proposed
	}
	return p.isr.maximal
}

// isAboutToJoin says that the leader waits for a replica outside the ISR: it is caught up, and may join.
//
// Kafka: Partition.maybeIncrementLeaderHW, shouldWaitForReplicaToJoinIsr; since 0.10.2 (KAFKA-4485).
// Before, the ISR alone counted.
func (p *Partition) isAboutToJoin(r *Replica, now sim.Time) bool {
	return p.rules.CaughtUpAtLastFetch && p.cfg.Planted.On(planted.HWWaitsForCaughtUp) &&
		p.isCaughtUp(r, now) && p.isEligibleForISR(r)
}

// isFrozenUnderMinISR says that the high watermark may not move because the ISR is too small.
//
// Kafka: Partition.maybeIncrementLeaderHW since 3.7 (KAFKA-15583, KIP-966).
func (p *Partition) isFrozenUnderMinISR() bool {
	return p.rules.HWNeedsMinISR && p.cfg.Planted.On(planted.HWNeedsMinISR) && p.IsUnderMinISR()
}

func (p *Partition) isWritingISR() bool { return !p.rules.AlterPartition && p.isr.sent != nil }

// EffectiveMinISR is min.insync.replicas, but not more than there are replicas: a topic with one replica
// can be written to. Before 3.7 the setting counts as it is.
//
// Kafka: Partition.effectiveMinIsr.
func (p *Partition) EffectiveMinISR() int {
	if p.rules.HWNeedsMinISR {
		return min(p.cfg.MinInsyncReplicas, len(p.remote)+1)
	}
	return p.cfg.MinInsyncReplicas
}

// IsUnderMinISR says that the committed ISR of a leader is smaller than EffectiveMinISR.
//
// Kafka: Partition.isUnderMinIsr.
func (p *Partition) IsUnderMinISR() bool {
	return p.IsLeader() && len(p.isr.committed) < p.EffectiveMinISR()
}

// IsAtMinISR says that the committed ISR of a leader is as small as it may be.
//
// Kafka: Partition.isAtMinIsr.
func (p *Partition) IsAtMinISR() bool {
	return p.IsLeader() && len(p.isr.committed) == p.EffectiveMinISR()
}
