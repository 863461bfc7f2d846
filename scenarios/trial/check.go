package trial

import (
	"flag"
	"strconv"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// Check draws worlds and runs and fails t if the property does not hold in one of them: first so many as rapid's
// -rapid.checks says from seeds, which are the first runs of Seek (with -test.short a tenth of that), then so many drawn by
// rapid. The two place their faults differently, and each finds what the other misses. What rapid has drawn it shrinks, the
// world too; either way what is left of the answers is then thinned out, and the run is saved.
//
// The runs are the same every time: rapid draws from the seed 1, unless -rapid.seed or RAPID_SEED says another. That Check
// passes says that none of these runs breaks the property, and no more than that.
func Check(t *testing.T, p Property) {
	t.Helper()
	seeds := fixed()
	if testing.Short() {
		seeds = max(1, seeds/10)
	}
	met := met{}
	for seed := 1; seed <= seeds; seed++ {
		trial := p.Run(seed)
		met.note(trial)
		if len(trial.Findings) > 0 {
			t.Logf("seed %d breaks it", seed)
			report(t, p, trial)
			return
		}
	}
	p.checkDrawn(t, met)
	if testing.Short() {
		return // fewer runs need not meet what is rare
	}
	if missed := met.missed(p.Reaches); len(missed) > 0 && !t.Failed() {
		t.Errorf("%s: no run has met what they are meant to: %q", p.Name, missed)
	}
}

// checkDrawn is the part of Check that rapid draws.
func (p Property) checkDrawn(t *testing.T, met met) {
	t.Helper()
	var last *Trial
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
}

// fixed gives rapid a seed, once, unless somebody has given it one, and says how many worlds it is to draw. A test that fails
// on some days only is none.
var fixed = sync.OnceValue(func() int {
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.seed" })
	if f := flag.Lookup("rapid.seed"); !given && f.Value.String() == "0" { // RAPID_SEED shows in the value
		f.Value.Set("1")
	}
	checks, _ := strconv.Atoi(flag.Lookup("rapid.checks").Value.String())
	return checks
})
