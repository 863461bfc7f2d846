package refinement_test

import (
	"strconv"
	"strings"
	"testing"

	"kafkatrial/model/planted"
	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
	"kafkatrial/scenarios/refinement"
)

// cross runs a scenario under the eyes of a refinement.
func cross(t *testing.T, f *format.File, o scenarios.Options) (*refinement.Refinement, error) {
	t.Helper()
	r, err := scenarios.New(f, o)
	if err != nil {
		t.Fatal(err)
	}
	b, err := refinement.New(r.Cluster)
	if err != nil {
		t.Fatal(err)
	}
	for r.Step() {
		if err := b.Look(); err != nil {
			return b, err
		}
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return b, b.Look()
}

func tally(t *testing.T, b *refinement.Refinement) {
	for _, e := range refinement.Exceptions() {
		if n := b.Exceptions[e]; n > 0 {
			t.Logf("%4d %s", n, e)
		}
	}
	t.Logf("%4d actions in %d steps", b.Actions, b.Steps)
}

// different are the runs in which Kafka does what the bounded model forbids, with what the refinement says of them: run 0 is the
// scenario itself, run n its n-th comparison.
var different = map[string]string{
	"diverging-fetch-is-counted/0":           "b1 commits offset 1", // 2.8.0
	"re-elected-leader-skips-an-epoch/0":     skipped,
	"re-elected-leader-skips-an-epoch/1":     skipped,
	"paused-leader-skips-an-epoch/0":         skipped,
	"paused-leader-skips-an-epoch/1":         skipped,
	"no-crash-and-a-record-is-lost/0":        skipped,
	"no-crash-and-a-record-is-lost/1":        skipped,
	"six-producers-and-two-pauses/0":         skipped,
	"suspected-coordinator-acts-too-early/0": skipped,
	"suspected-coordinator-acts-too-early/2": skipped,
}

const skipped = "because b2 had it in an earlier epoch, and b2 has cut it since"

func TestScenariosAreRunsOfTheBoundedModel(t *testing.T) {
	for _, name := range scenarios.Names() {
		o, err := scenarios.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range append([]*format.File{o.File}, scenarios.Variants(o.File)...) {
			t.Run(name+"/"+strconv.Itoa(i)+"-kafka-"+f.Kafka.Text, func(t *testing.T) {
				t.Parallel()
				b, err := cross(t, f, scenarios.Options{Planted: planted.Set{}})
				if want, ok := different[name+"/"+strconv.Itoa(i)]; ok {
					if err == nil || !strings.Contains(err.Error(), want) {
						t.Errorf("the refinement says %v, want %q", err, want)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				tally(t, b)
			})
		}
	}
}
