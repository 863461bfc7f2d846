package scenarios

import (
	"testing"

	"kafkatrial/checker"
	"kafkatrial/model/planted"
	"kafkatrial/scenarios/format"
)

// TestPlantedFaults takes the model's guards away one at a time. A scenario that comes to its stated verdict with
// the guard must come to another without it: so the checker sees the fault, and the guard is what the scenario
// rests on. A run is 0 for the scenario itself and n for its n-th comparison.
func TestPlantedFaults(t *testing.T) {
	const atLog, atApp = checker.AtLog, checker.AtApplication
	for _, c := range []struct {
		guard    planted.Guard
		scenario string
		run      int
		claim    checker.Claim
		level    checker.Level
	}{
		{planted.HWOverMaximalISR, "pending-isr-shrink", 0, checker.AtLeastOnce, atLog},
		{planted.HWNeedsMinISR, "acks-one-below-min-insync", 1, checker.MonotonicRead, atLog},
		{planted.EpochStartJoin, "kafka-7128-joins-too-early", 1, checker.AtLeastOnce, atLog},
		{planted.EligibleForISR, "commit-returns-before-the-markers", 0, checker.Available, atLog},
		{planted.CaughtUpShrink, "follower-lag-window", 0, checker.Available, atLog},
		{planted.MinISRBeforeAppend, "min-insync-one", 1, checker.AtMostOnce, atApp},
		{planted.MinISRAfterAppend, "min-insync-one", 1, checker.AtLeastOnce, atLog},
		{planted.AcksAllWaitsForHW, "zombie-leader", 1, checker.AtLeastOnce, atLog},
		{planted.ReadBelowHW, "pending-isr-shrink", 0, checker.AtMostOnce, atApp},
		{planted.FetchEpochFencing, "kip-320-stale-fetch", 3, checker.AtLeastOnce, atLog},
		{planted.DivergenceInFetch, "acks-one-fail-over", 0, checker.MonotonicRead, atLog},
		{planted.OffsetNotAvailable, "kip-207-end-offset-goes-back", 1, checker.MonotonicRead, atApp},
		{planted.CleanElection, "last-replica-standing", 1, checker.AtLeastOnce, atLog},
		{planted.CleanElection, "two-controllers", 3, checker.AtLeastOnce, atLog}, // ZooKeeper's
		{planted.LastISRMemberKept, "no-leader-without-isr", 0, checker.AtLeastOnce, atLog},
		{planted.LastISRMemberKept, "lost-high-watermark-checkpoint", 1, checker.AtLeastOnce, atLog}, // ZooKeeper's
		{planted.UncleanShutdownLeavesELR, "last-replica-standing", 1, checker.AtLeastOnce, atLog},
		{planted.ControllerEpochCAS, "two-controllers", 1, checker.AtLeastOnce, atLog},
		{planted.DuplicateBatches, "restart-keeps-sequence-numbers", 0, checker.AtMostOnce, atLog},
		{planted.SequenceInOrder, "broker-parks-no-batch", 0, checker.Ordered, atLog},
		{planted.ProducerEpoch, "late-request-is-fenced", 1, checker.AtMostOnce, atLog},
		{planted.ProducerStateRebuilt, "new-leader-knows-the-producer", 0, checker.AtMostOnce, atLog},  // as a follower
		{planted.ProducerStateRebuilt, "restart-keeps-sequence-numbers", 0, checker.AtMostOnce, atLog}, // from the log
		{planted.FiveBatches, "five-batches-are-remembered", 0, checker.AtMostOnce, atLog},
		{planted.PositionValidation, "truncation-nobody-notices", 1, checker.AtLeastOnce, atApp},
		{planted.CommitGeneration, "zombie-commit-is-refused", 0, checker.Fenced, atLog},
		{planted.TxnCommitGeneration, "zombie-commits-offsets-in-a-transaction", 1, checker.AtMostOnce, atLog},
		{planted.StableOffsetFetch, "offset-fetched-while-a-transaction-ends", 1, checker.AtMostOnce, atLog},
	} {
		t.Run(c.guard.String()+"/"+c.scenario, func(t *testing.T) {
			t.Parallel()
			o, err := Open(c.scenario)
			if err != nil {
				t.Fatal(err)
			}
			f := append([]*format.File{o.File}, Variants(o.File)...)[c.run]
			with, without := ruled(t, f, planted.Set{}, c.claim, c.level), ruled(t, f, planted.Off(c.guard), c.claim, c.level)
			if with != checker.Holds || without != checker.Violated {
				t.Errorf("%s at the %s: %s with the guard and %s without it; want holds and violated", c.claim, c.level, with, without)
			}
		})
	}
}

func ruled(t *testing.T, f *format.File, off planted.Set, c checker.Claim, l checker.Level) checker.Ruling {
	r, err := New(f, Options{Planted: off})
	if err != nil {
		t.Fatal(err)
	}
	r.Finish()
	v, _ := r.Report().Find(c, l)
	return v.Ruling
}
