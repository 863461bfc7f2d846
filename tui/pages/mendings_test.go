package pages

import (
	"testing"

	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
	"kafkatrial/sim"
)

// What the missed epoch loses is acknowledged at once, before any fetch; with each mending it waits for a fetch of broker 2, which has
// just been refused one and backs off for a second.
func TestEachMendingWaitsForAFetch(t *testing.T) {
	o, err := scenarios.Open("re-elected-leader-skips-an-epoch")
	if err != nil {
		t.Fatal(err)
	}
	mended := 0
	for _, f := range append([]*format.File{o.File}, scenarios.Variants(o.File)...) {
		r, err := scenarios.New(f, scenarios.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r.Finish()
		wait, ok := acknowledgedAfterElection(r, "m2")
		switch {
		case !ok:
			t.Errorf("%v: m2 is not acknowledged", f.Features)
		case len(f.Features) == 0 && wait >= 100*sim.Millisecond:
			t.Errorf("without a mending m2 waits for %v", wait)
		case len(f.Features) > 0:
			mended++
			if wait < 500*sim.Millisecond || wait >= 1100*sim.Millisecond {
				t.Errorf("%v: m2 waits for %v, which is not what is left of replica.fetch.backoff.ms, and a fetch", f.Features, wait)
			}
		}
	}
	if mended != 3 {
		t.Errorf("%d mendings were tried", mended)
	}
}
