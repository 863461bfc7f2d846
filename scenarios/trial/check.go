package trial

import (
	"testing"

	"pgregory.net/rapid"
)

// Check draws worlds and runs with rapid and fails t if the property does not hold in one of them. rapid
// shrinks the world and the faults; what is left of the answers is then thinned out, and the run is saved.
// The number of worlds is rapid's -rapid.checks.
func Check(t *testing.T, p Property) {
	t.Helper()
	var last *Trial
	met := met{}
	t.Cleanup(func() {
		if last != nil && t.Failed() {
			report(t, p, last)
		}
	})
	rapid.Check(t, func(rt *rapid.T) {
		w := p.draw(rapidDice{rt})
		trial := p.try(w, Rapid(rt))
		met.note(trial)
		if len(trial.Findings) > 0 {
			last = trial
			rt.Fatalf("%s", trial.Findings[0].What)
		}
	})
	if testing.Short() {
		return // fewer runs need not meet what is rare
	}
	if missed := met.missed(p.Reaches); len(missed) > 0 && !t.Failed() {
		t.Errorf("%s: no run has met what they are meant to: %q", p.Name, missed)
	}
}
