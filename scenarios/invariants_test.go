package scenarios

import (
	"strings"
	"testing"

	"kafkatrial/checker"
	"kafkatrial/scenarios/format"
)

// TestInvariantsOfTheLibrary: no scenario and no comparison breaks an invariant without a circumstance that gives it up. Each
// circumstance is shown by some run, so that none of them excuses what no run shows.
func TestInvariantsOfTheLibrary(t *testing.T) {
	shown := map[checker.Circumstance]bool{
		checker.ForgottenChange: true, checker.BeforeKIP1228: true, // see package trial
	}
	for _, name := range Names() {
		o, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range append([]*format.File{o.File}, Variants(o.File)...) {
			r, err := New(f, Options{Invariants: true})
			if err != nil {
				t.Fatal(err)
			}
			r.Finish()
			for _, b := range r.Broken() {
				for _, c := range checker.Circumstances() {
					shown[c] = shown[c] || strings.Contains(b.GivenUp, c.String())
				}
				if b.GivenUp == "" {
					t.Errorf("%s %d: step %d: %s: %s", name, i, b.Step, b.Invariant, b.Sentence)
				}
			}
		}
	}
	for _, c := range checker.Circumstances() {
		if !shown[c] {
			t.Errorf("no run shows what is given up because %s", c)
		}
	}
}
