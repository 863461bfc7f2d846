package hunt

import (
	"context"
	"slices"
	"strings"
	"testing"

	"kafkatrial/checker"
	"kafkatrial/scenarios"
)

// A scenario with transactions is hunted for what they promise too, and what a client sends can be late for longer
// than it waits; others are hunted as ever.
func TestWhatAHuntOfTransactionsDraws(t *testing.T) {
	hunted := func(file string, o Options) *Report {
		opened, err := scenarios.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		o.Runs, o.Seed = 1, 1
		r, err := Campaign(context.Background(), opened, o)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := hunted("transactions-calm", Options{})
	if !strings.Contains(r.Faults, "45000ms") || strings.Contains(r.Faults, "duplicate") || !slices.Contains(r.Claims, string(checker.Atomic)) {
		t.Errorf("transactions: faults %q, claims %q", r.Faults, r.Claims)
	}
	r = hunted("transactions-calm", Options{Base: scenarios.Options{Set: []scenarios.Setting{{Key: "request.timeout.ms", Value: "1000"}}}})
	if !strings.Contains(r.Faults, "1500ms") {
		t.Errorf("with a short request.timeout.ms: faults %q", r.Faults)
	}
	r = hunted("calm", Options{})
	if r.Faults != Everything.String()+" after=10000ms" || slices.Contains(r.Claims, string(checker.Atomic)) {
		t.Errorf("no transactions: faults %q, claims %q", r.Faults, r.Claims)
	}
	r = hunted("transactions-calm", Options{Faults: strikes(), Claims: []checker.Claim{checker.AtMostOnce}})
	if r.Faults != strikes().String()+" after=10000ms" || len(r.Claims) != 1 {
		t.Errorf("as asked for: faults %q, claims %q", r.Faults, r.Claims)
	}
}

// Between brokers nothing is late for that long: every run would be about brokers that are missed.
func TestOnlyClientsAreLateForThatLong(t *testing.T) {
	opened, err := scenarios.Open("transactions-calm")
	if err != nil {
		t.Fatal(err)
	}
	r, err := scenarios.New(opened.File, scenarios.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{}.suited(&r.Cluster.Spec).withDefaults()
	pace, _, err := paceOf(opened.File, o.Base, 0)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for i := range 60 {
		opts := o.Base
		faultModel, src := o.source(seedOf(1, i))
		opts.FaultModel, opts.Source = faultModel, src
		r, err := scenarios.New(opened.File, opts)
		if err != nil {
			t.Fatal(err)
		}
		src.run, src.pace = r, pace
		r.Finish()
		for _, a := range r.Answers() {
			if strings.HasPrefix(a.ID, "late ") && strings.HasSuffix(a.ID, " by 45000ms") {
				if seen++; !strings.HasPrefix(a.ID, "late p>") && !strings.HasPrefix(a.ID, "late c>") {
					t.Errorf("run %d: %s", i, a.ID)
				}
			}
		}
	}
	if seen == 0 {
		t.Error("nothing is late for that long")
	}
}
