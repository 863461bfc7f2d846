package scenarios

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"kafkatrial/scenarios/format"
	"kafkatrial/sim"
)

var updateHashes = flag.Bool("update", false, "write testdata/hashes.txt and testdata/pinned.answers anew: raise ModelVersion with them")

// pinned are scenarios of many releases, clients and faults.
var pinned = []string{"calm", "kip-101-truncation", "kip-279-fast-fail-over", "commit-then-process", "hanging-transaction", "half-of-a-transaction-is-read",
	"database-two-phase-commit", "connect-sink", "re-elected-leader-skips-an-epoch", "buffer-full"}

// TestHashesArePinned: an answers file names the hash that its run must come to, and says under which version of the model it
// was made. A hash that moves without ModelVersion makes every answers file that people have kept look broken.
func TestHashesArePinned(t *testing.T) {
	var b strings.Builder
	fmt.Fprintf(&b, "model %s\n", ModelVersion)
	for _, name := range pinned {
		r := pinnedRun(t, name, Options{})
		fmt.Fprintf(&b, "%s %d steps, hash %016x\n", name, r.World.Steps(), r.World.Hash())
	}
	held(t, "testdata/hashes.txt", b.String())
}

// TestAnAnswersFileIsPinned replays a kept answers file, step by step and hash included.
func TestAnAnswersFileIsPinned(t *testing.T) {
	const path = "testdata/pinned.answers"
	o, err := Open("calm")
	if err != nil {
		t.Fatal(err)
	}
	if *updateHashes {
		opts := Options{FaultModel: sim.FaultModel{Lose: true, Late: []sim.Time{20 * sim.Millisecond}, Budget: 4}}
		var r *Run
		for r == nil || len(r.Answers()) < 3 {
			opts.Seed++
			opts.Source = &sim.Seeded{Seed: uint64(opts.Seed), Weights: sim.Weights{Late: 20_000, Lost: 10_000}}
			if r, err = New(o.File, opts); err != nil {
				t.Fatal(err)
			}
			r.Finish()
		}
		if err := os.WriteFile(path, []byte(o.Record(path, r, opts).Text()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	a, err := ParseAnswers(path, src)
	if err != nil {
		t.Fatal(err)
	}
	if a.Get(HeaderModel) != ModelVersion || len(a.List) == 0 {
		t.Fatalf("the answers file is of version %s of the model and has %d answers", a.Get(HeaderModel), len(a.List))
	}
	var opts Options
	if err := opts.Follow(o.File, a); err != nil {
		t.Fatal(err)
	}
	opts.Source = &sim.Replay{Answers: a.List}
	r, err := New(o.File, opts)
	if err != nil {
		t.Fatal(err)
	}
	r.Finish()
	if r.World.Hash() != a.Hash || r.World.Steps() != a.Steps {
		t.Errorf("%d steps, hash %016x; the file says %d steps, hash %016x. If the model has changed, raise ModelVersion", r.World.Steps(), r.World.Hash(), a.Steps, a.Hash)
	}
}

// TestWordsLeaveTheHash: what a narrator says, and asks, does not tell one run from another.
func TestWordsLeaveTheHash(t *testing.T) {
	for _, name := range pinned {
		o, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		was, changed := pinnedRun(t, name, Options{}).World.Hash(), 0
		f := *o.File
		f.Script = slices.Clone(f.Script)
		for i := range f.Script {
			for _, text := range []*format.Text{&f.Script[i].Say, &f.Script[i].Act} {
				if !text.IsZero() {
					text.Parts = []format.TextPart{{Text: "Other words."}}
					changed++
				}
			}
		}
		r, err := New(&f, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r.Finish()
		if r.World.Hash() != was || changed == 0 {
			t.Errorf("%s: %d texts were changed, and the hash with them: %t", name, changed, r.World.Hash() != was)
		}
	}
}

func pinnedRun(t *testing.T, name string, opts Options) *Run {
	t.Helper()
	o, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(o.File, opts)
	if err != nil {
		t.Fatal(err)
	}
	r.Finish()
	return r
}

func held(t *testing.T, path, want string) {
	t.Helper()
	if *updateHashes {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, _ := os.ReadFile(path); !bytes.Equal(have, []byte(want)) {
		t.Errorf("%s has\n%s\nand the runs have\n%s\nIf the model has changed on purpose, raise ModelVersion: go test ./scenarios -run Pinned -update", path, have, want)
	}
}
