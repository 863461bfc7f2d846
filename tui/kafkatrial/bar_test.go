package main

import (
	"testing"
	"time"

	"kafkatrial/scenarios/hunt"
)

func TestTheProgressBar(t *testing.T) {
	p := hunt.Progress{Done: 250, Runs: 1000, Violations: []hunt.Count{{Name: "at-least-once", Count: 3}}, Probes: 7, AllProbes: 20}
	want := "orders [#####...............] 250/1000 runs, 500 runs/s, at-least-once 3, probes 7/20, 2s left"
	if got := barLine("orders", p, 500*time.Millisecond); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	p.Done = 1000
	if got, want := barLine("orders", p, 2*time.Second), "orders [####################] 1000/1000 runs, 500 runs/s, at-least-once 3, probes 7/20"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
