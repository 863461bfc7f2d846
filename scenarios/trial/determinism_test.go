package trial

import (
	"fmt"
	"runtime"
	"testing"

	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
	"kafkatrial/sim"
)

// TestSameFileSameRun runs every embedded scenario and its comparisons twice, the second time with one
// processor, and compares the hashes.
func TestSameFileSameRun(t *testing.T) {
	if testing.Short() {
		t.Skip("generated runs are made again from their files")
	}
	first := map[string]uint64{}
	for name, f := range library(t) {
		first[name] = finished(t, f)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for name, f := range library(t) {
		if again := finished(t, f); again != first[name] {
			t.Errorf("%s: hash %016x, and %016x the second time", name, first[name], again)
		}
	}
}

// library loads every embedded scenario anew, its comparisons as files of their own.
func library(t *testing.T) map[string]*format.File {
	t.Helper()
	all := map[string]*format.File{}
	for _, name := range scenarios.Names() {
		o, err := scenarios.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = o.File
		for i, v := range scenarios.Variants(o.File) {
			all[fmt.Sprintf("%s, comparison %d", name, i+1)] = v
		}
	}
	return all
}

func finished(t *testing.T, f *format.File) uint64 {
	t.Helper()
	r, err := scenarios.New(f, scenarios.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.Finish()
	return r.World.Hash()
}

// TestSameSeedSameRun draws worlds and faults of every kind from seeds, twice; the answers of the first run,
// written to a file and read again, lead through it a third time. No two seeds give the same run.
func TestSameSeedSameRun(t *testing.T) {
	seeds := 40
	if testing.Short() {
		seeds = 12
	}
	hashes := map[uint64]string{}
	for _, kafka := range []string{"4.1", "2.8", "0.10"} {
		p := Property{Name: "determinism", Says: "The same seed gives the same run.", Shape: wild(kafka, kafka != "4.1"), MayNotRest: true}
		for seed := 1; seed <= seeds; seed++ {
			a, b := p.Run(seed), p.Run(seed)
			hash := a.Run.World.Hash()
			if hash != b.Run.World.Hash() {
				t.Fatalf("Kafka %s, seed %d: hash %016x, and %016x the second time", kafka, seed, hash, b.Run.World.Hash())
			}
			text := a.Run.AnswersOf("x", a.World.Source, a.options).Text()
			read, err := sim.ParseAnswers("x", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			c := p.try(a.World, &sim.Replay{Answers: read.List})
			if c.Run.Err() != nil || c.Run.World.Hash() != hash {
				t.Fatalf("Kafka %s, seed %d: the replay has hash %016x, the run %016x (%v)", kafka, seed, c.Run.World.Hash(), hash, c.Run.Err())
			}
			name := fmt.Sprintf("Kafka %s, seed %d", kafka, seed)
			if other, seen := hashes[hash]; seen {
				t.Errorf("%s and %s give the same run", other, name)
			}
			hashes[hash] = name
		}
	}
}
