package partition

import (
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// isrState is CommittedPartitionState while sent is nil, else PendingExpandIsr or PendingShrinkIsr.
type isrState struct {
	committed []int // sorted
	maximal   []int // committed, and who is about to join
	sent      *AlterPartition
}

// MaybeShrinkISR checks, as the broker's periodic isr-expiration task does (every
// replica.lag.time.max.ms / 2), which followers are no longer caught up, and gives the change to send, nil if none.
//
// Kafka: Partition.maybeShrinkIsr.
func (p *Partition) MaybeShrinkISR(now sim.Time) *AlterPartition { panic("not yet") }

// MaybeExpandISR gives the change that brings a follower into the ISR, nil if it is there, is not in sync
// or not eligible, or if a change is under way. UpdateFollowerFetchState calls it; it is exported for tests.
//
// Kafka: Partition.maybeExpandIsr.
func (p *Partition) MaybeExpandISR(replica int) *AlterPartition { panic("not yet") }

// AlterOutcome is what the leader does with the answer to an ISR change.
type AlterOutcome struct {
	Accepted bool            // the answer is now the committed state
	Ignored  bool            // it belonged to an earlier state
	Retry    *AlterPartition // send this again; nil if not
	HW       HWChange
}

// HandleAlterPartitionResponse takes the controller's answer to a change this partition has sent. With
// protocol.None, answer holds the new state; otherwise it is not read.
//
// In ZooKeeper mode (generation.Rules.AlterPartition off) the caller does the conditional write and calls
// this with its outcome: None, or InvalidUpdateVersion if the node's version was another.
//
// Kafka: Partition.submitAlterPartition, handleAlterPartitionUpdate, handleAlterPartitionError; 2.6: maybeUpdateIsrAndVersion.
func (p *Partition) HandleAlterPartitionResponse(sent *AlterPartition, err protocol.Error, answer LeaderAndISR, now sim.Time) AlterOutcome {
	panic("not yet")
}
