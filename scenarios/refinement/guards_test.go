package refinement_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"kafkatrial/model/planted"
	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
	"kafkatrial/scenarios/refinement"
)

// The refinement can fail: with a guard of replication taken out of the cluster, a run is no run of the bounded model any more, and the
// objection says at what.
func TestABrokenClusterIsNoBoundedModel(t *testing.T) {
	for _, c := range []struct {
		guard    planted.Guard
		scenario string
		run      int // 0 the scenario itself, n its n-th comparison
		what     string
	}{
		{planted.HWOverMaximalISR, "pending-isr-shrink", 0, "commits offset 0"},
		{planted.EpochStartJoin, "last-replica-standing", 2, "without a right to by what it knew"},
		{planted.FetchEpochFencing, "consumer-ahead-of-the-log", 0, "b2 appends record 1 at 1, as b3 has answered"},
		{planted.DivergenceInFetch, "acks-one-fail-over", 0, "b1 follows b2 with its log cut to 1; what they have in common ends at 0"},
		{planted.HWBelowLEO, "last-replica-standing", 0, "its leader has not told it so"},
		{planted.TruncateToEpochEnd, "consumer-ahead-of-the-log", 0, "b1 follows b2 with its log cut to 3; what they have in common ends at 1"},
		// With the start of an epoch noted at the election: without it the follower cuts to its high watermark either way.
		{planted.ResetReplicasOnElection, "kip-279-fast-fail-over", 0, "b1 follows b2 with its log cut to 3; what they have in common ends at 1"},
	} {
		t.Run(c.guard.String()+"/"+c.scenario+"/"+strconv.Itoa(c.run), func(t *testing.T) {
			o, err := scenarios.Open(c.scenario)
			if err != nil {
				t.Fatal(err)
			}
			f := append([]*format.File{o.File}, scenarios.Variants(o.File)...)[c.run]
			if c.guard == planted.ResetReplicasOnElection {
				f.Features = append(f.Features, format.Feature{Name: format.Name{Text: "kafka-7415"}, On: true})
			}
			if _, err := cross(t, f, scenarios.Options{}); err != nil {
				t.Fatalf("with the guard: %v", err)
			}
			_, err = cross(t, f, scenarios.Options{Planted: planted.Off(c.guard)})
			var objection *refinement.Objection
			if !errors.As(err, &objection) {
				t.Fatalf("without the guard: %v, want an objection", err)
			}
			if !strings.Contains(objection.What, c.what) || objection.Before == "" || objection.After == "" {
				t.Errorf("without the guard:\n%v\nwant %q", err, c.what)
			}
		})
	}
}
