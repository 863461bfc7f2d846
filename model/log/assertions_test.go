package log

import (
	"testing"

	"kafkatrial/model/planted"
	"kafkatrial/sim"
)

// broken gives the assertion that f finds broken, "" if none.
func broken(t *testing.T, f func()) (assertion string) {
	t.Helper()
	defer func() {
		if d, ok := recover().(*sim.Defect); ok {
			assertion = d.Assertion
		}
	}()
	f()
	return ""
}

// Each case breaks the state of a log by hand; the next thing that the log does finds it. Left as it is, it finds nothing.
func TestAssertionsOfALog(t *testing.T) {
	const bounds = "log start <= HW <= LEO, recovery point <= LEO"
	raise := func(l *UnifiedLog) { l.UpdateHighWatermark(3) }
	for _, c := range []struct {
		name, want string
		breaks     func(l *UnifiedLog)
		next       func(l *UnifiedLog)
	}{
		{"log start above HW", bounds, func(l *UnifiedLog) { l.highWatermark, l.logStartOffset = 2, 3 }, func(l *UnifiedLog) { fill(l, 2, 1) }},
		{"HW above LEO", bounds, func(l *UnifiedLog) { l.highWatermark = 9 }, func(l *UnifiedLog) { fill(l, 2, 1) }},
		{"recovery point above LEO", bounds, func(l *UnifiedLog) { l.recoveryPoint = 9 }, raise},
		{"LSO below log start", "log start <= LSO <= HW", func(l *UnifiedLog) {
			l.producers.ongoing = []txnMetadata{{1, 2, NoTransaction}}
			l.logStartOffset, l.highWatermark = 4, 3
		}, func(l *UnifiedLog) { l.LastStableOffset() }},
		{"offsets go back", "offsets ascend in a log", func(l *UnifiedLog) {}, func(l *UnifiedLog) {
			var info AppendInfo
			l.append(batch(1).WithOffset(2, 1), &info)
		}},
		{"epochs go back", "epochs and their starts ascend in the leader epoch cache", func(l *UnifiedLog) { l.epochs.entries = []EpochEntry{{2, 0}, {1, 2}} }, func(l *UnifiedLog) { fill(l, 3, 1) }},
		{"starts of epochs go back", "epochs and their starts ascend in the leader epoch cache", func(l *UnifiedLog) { l.epochs.entries = []EpochEntry{{0, 3}, {1, 2}} }, func(l *UnifiedLog) { fill(l, 3, 1) }},
		{"an older producer epoch", "a producer's epoch does not go back at a leader", func(l *UnifiedLog) {}, func(l *UnifiedLog) {
			info := l.producers.PrepareUpdate(7, OriginClient)
			info.current.ProducerEpoch, info.updated.ProducerEpoch = 3, 2
			l.producers.Update(&info)
		}},
		{"remembered batches go back", "the batches that are remembered of a producer ascend", func(l *UnifiedLog) {
			l.AppendAsLeader(batch(1).WithProducerState(7, 0, 0), 1, 0)
			l.producers.producers[0].retained[0].LastOffset = 99
		}, func(l *UnifiedLog) { l.AppendAsLeader(batch(1).WithProducerState(7, 0, 1), 1, 0) }},
		{"a marker before its transaction", "a marker is behind the transaction that it ends", func(l *UnifiedLog) {}, func(l *UnifiedLog) {
			l.producers.CompleteTxn(CompletedTxn{ProducerID: 7, FirstOffset: 4, LastOffset: 3})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := Open(newDisk(), "orders-0", Config{}, &trunk, 0)
			fill(l, 1, 2, 3)
			if got := broken(t, func() { raise(l); fill(l, 1, 1); l.LastStableOffset() }); got != "" {
				t.Fatalf("%q is broken before anything is", got)
			}
			c.breaks(l)
			if got := broken(t, func() { c.next(l) }); got != c.want {
				t.Errorf("broken: %q, want %q", got, c.want)
			}
		})
	}
}

// A guard that a test takes away takes its assertion with it, so that the checker is put to the test; the test may leave it on.
func TestAPlantedFaultIsTheCheckersToFind(t *testing.T) {
	for off, want := range map[planted.Set]string{
		planted.Off(planted.HWBelowLEO):             "",
		planted.Off(planted.HWBelowLEO).Asserting(): "log start <= HW <= LEO, recovery point <= LEO",
	} {
		l := Open(newDisk(), "orders-0", Config{Planted: off}, &trunk, 0)
		if got := broken(t, func() { l.UpdateHighWatermark(5) }); got != want {
			t.Errorf("broken: %q, want %q", got, want)
		}
	}
}
