package hunt

import (
	"testing"

	"kafkatrial/checker"
)

// reElection is a fault that Kafka has (docs/findings.md): a leader that is elected again after an epoch that it has missed counts a
// follower for what it had before. Its scenario restarts a broker and gives it its leadership back; pauses and late messages are
// left to the hunt.
func reElection() historical {
	return historical{name: "A leader skips an epoch", file: "bare-rolling-restart", invariant: checker.CommittedOnISR, fix: []string{"forget-on-skipped-epoch"}, shortest: 2,
		faults: "pause pauses=600ms,1500ms,4000ms late=20ms,600ms among=b1,b2,b3 of=MetadataFetch,MetadataFetchResponse,Fetch,FetchResponse",
		first:  [seeds]int{238, 383, 96, 2, 239, 82, 27, 88, 3, 164, 341, 123, 889, 38, 723, 897, 74, 162, 208, 325}}
}

// A hunt that is told nothing finds it, and each mending mends the run.
func TestAHuntFindsTheMissedEpoch(t *testing.T) {
	if testing.Short() {
		t.Skip("a campaign until the missed epoch is found")
	}
	for seed := 1; seed <= 3; seed++ {
		v := reElection().found(t, seed)
		c, ok := v.Case()
		if !ok {
			t.Fatal("the answers do not lead to the run")
		}
		for _, rule := range []string{"forget-on-skipped-epoch", "forget-on-every-epoch", "epoch-with-log-end"} {
			if !mended(c.Run, c.Failure, []string{rule}) {
				t.Errorf("seed %d, run %d: fails with %s too", seed, v.Run, rule)
			}
		}
		if mended(c.Run, c.Failure, nil) {
			t.Errorf("seed %d, run %d: is mended by no rule at all: its decisions are not taken again", seed, v.Run)
		}
	}
}
