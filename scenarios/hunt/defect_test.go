package hunt

import (
	"context"
	"slices"
	"strings"
	"testing"

	"kafkatrial/checker"
	"kafkatrial/model/planted"
	"kafkatrial/scenarios"
)

// TestAHuntFindsADefectOfTheModel: nobody has asked for it, and it is found, shrunk, and written down as anything else is.
func TestAHuntFindsADefectOfTheModel(t *testing.T) {
	opened, err := scenarios.Open("kip-101-divergence")
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Runs: 2, Seed: 1, Claims: []checker.Claim{checker.AtLeastOnce}, Base: scenarios.Options{Planted: planted.Off(planted.HWBelowLEO).Asserting()}}
	r, err := Campaign(context.Background(), opened, o)
	if err != nil {
		t.Fatal(err)
	}
	const assertion = "log start <= HW <= LEO, recovery point <= LEO"
	at := slices.IndexFunc(r.Found, func(v Violation) bool { return v.Invariant == assertion })
	if at < 0 || !slices.ContainsFunc(r.Violations, func(c Count) bool { return c.Name == assertion }) {
		t.Fatalf("broken in the campaign: %+v", r.Violations)
	}
	r.Shrink(context.Background())
	if v := r.Found[at]; v.Unshrunk || len(v.Decisions) != 0 || !strings.Contains(v.Sentence, "LEO") { // the script alone leads there
		t.Errorf("shrunk to %q: %q", v.Decisions, v.Sentence)
	}
}
