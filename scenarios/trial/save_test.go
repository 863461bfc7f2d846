package trial

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kafkatrial/scenarios"
	"kafkatrial/sim"
)

// TestASavedRunOpens: what a failure leaves behind is opened as a person would open it, and is the same run.
func TestASavedRunOpens(t *testing.T) {
	p := retrying()
	found, _ := p.Hunt(1000)
	if found == nil {
		t.Fatal("no run to save")
	}
	dir := t.TempDir()
	path, err := found.Save(dir, p)
	if err != nil {
		t.Fatal(err)
	}
	o, err := scenarios.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	options := scenarios.Options{Source: &sim.Replay{Answers: o.Answers.List}}
	if err := options.Follow(o.File, o.Answers); err != nil {
		t.Fatal(err)
	}
	r, err := scenarios.New(o.File, options)
	if err != nil {
		t.Fatal(err)
	}
	r.Finish()
	if r.Err() != nil || r.World.Hash() != found.Run.World.Hash() {
		t.Errorf("opened, the run has hash %016x, saved it had %016x (%v)", r.World.Hash(), found.Run.World.Hash(), r.Err())
	}
	if res := r.Result(); res.AsStated() || res.Stated == 0 {
		t.Error("the saved scenario does not state what the run breaks")
	}
	if _, err := found.Save(filepath.Join(path, "below"), p); err == nil {
		t.Error("a file is taken for a directory")
	}
}

// TestAFailureIsThinnedOut: what is left of the answers is needed, each of them.
func TestAFailureIsThinnedOut(t *testing.T) {
	p := acks("0")
	found, seed := p.Hunt(500)
	if found == nil {
		t.Fatal("no run to thin out")
	}
	before := len(p.Run(seed).Run.Answers())
	answers := found.Run.Answers()
	if len(answers) == 0 || len(answers) >= before {
		t.Fatalf("%d answers of %d are left", len(answers), before)
	}
	for i := range answers {
		less := append(append([]sim.Answer(nil), answers[:i]...), answers[i+1:]...)
		again := p.try(found.World, &sim.Replay{Answers: less, Lenient: true})
		if slices.ContainsFunc(again.Findings, func(f Finding) bool { return f.failure == found.Findings[0].failure }) {
			t.Errorf("%v is there without %q too", found.Findings[0].failure, answers[i].ID)
		}
	}
}

// TestAFailingPropertyTellsHowToLookAtIt runs a property that is wrong in a test of its own.
func TestAFailingPropertyTellsHowToLookAtIt(t *testing.T) {
	p := retrying()
	found, _ := p.Hunt(1000)
	if found == nil {
		t.Fatal("no failure")
	}
	t.Chdir(t.TempDir())
	text := explain(p, found, filepath.Join("testdata", "trial"), func() string { t.Error("there was a place to save it"); return "" })
	for _, want := range []string{p.Says, "at-most-once at the log is violated", "at step ", "kafkatrial step ", ".answers --at "} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
	if at, _ := os.Getwd(); !strings.Contains(text, "kafkatrial step "+filepath.Join(at, "testdata", "trial")) {
		t.Errorf("the command is of use in one directory only:\n%s", text)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if text := explain(p, found, file, t.TempDir); !strings.Contains(text, "kafkatrial step ") {
		t.Errorf("where nothing can be written it is saved nowhere:\n%s", text)
	}
}
