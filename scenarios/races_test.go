package scenarios

import (
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"kafkatrial/scenarios/format"
)

// TestNoVerdictRestsOnARaceOfTimers plays every scenario and every comparison with late messages, and lists the verdicts
// that a run without them states and some of these runs do not come to, unless their file states the other outcome as well (in-some-runs): such a verdict rests on which of two things
// happens first. RACES=200 says with how many seeds, RACES_JITTER=3ms by how much a message may be late (2 ms when it is
// not set, twice the way from one node to another), RACES_OF=kip-101 which scenarios. It takes minutes, so it runs only
// if it is asked for; docs/races.md has what came of it.
func TestNoVerdictRestsOnARaceOfTimers(t *testing.T) {
	seeds, _ := strconv.Atoi(os.Getenv("RACES"))
	if seeds == 0 {
		t.Skip("RACES=200 go test ./scenarios -run TestNoVerdictRestsOnARaceOfTimers -timeout 0")
	}
	jitter := 2 * time.Millisecond
	if s := os.Getenv("RACES_JITTER"); s != "" {
		d, err := time.ParseDuration(s)
		if err != nil {
			t.Fatal(err)
		}
		jitter = d
	}
	for _, name := range Names() {
		if !strings.Contains(name, os.Getenv("RACES_OF")) {
			continue
		}
		o, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range append([]*format.File{o.File}, Variants(o.File)...) {
			var of *format.Variant
			if i > 0 {
				of = &o.File.Compare[i-1]
			}
			if of != nil && of.InSomeRuns != nil {
				continue // the other outcome of a run that is played anyhow
			}
			f.Cluster.Network.Jitter = format.Duration{Duration: jitter, Text: jitter.String()}
			seen := deviations(t, f, o.File.OtherOutcomes(of), seeds)
			for _, what := range slices.Sorted(maps.Keys(seen)) {
				t.Errorf("%s/%s: %d of %d seeds, first %d: %s", name, variantName(i, f), seen[what].count, seeds, seen[what].first, what)
			}
		}
	}
}

type deviation struct{ count, first int }

// deviations counts how often a stated verdict was another, and how often a run came to none. A run that comes to one of the
// other outcomes that its file states is none.
func deviations(t *testing.T, f *format.File, others []format.Claims, seeds int) map[string]deviation {
	t.Helper()
	seen := map[string]deviation{}
	for seed := 1; seed <= seeds; seed++ {
		r, err := New(f, Options{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		r.Finish()
		res := r.Result()
		all := res.Differs
		for _, other := range others {
			stated := *f
			stated.Claims = other
			r.File = &stated
			if also := r.Result(); also.AsStated() {
				all = nil
			}
		}
		if res.Undecided != "" {
			all = []string{"undecided: " + res.Undecided}
		}
		for _, what := range all {
			n := seen[what]
			if n.count++; n.first == 0 {
				n.first = seed
			}
			seen[what] = n
		}
	}
	return seen
}
