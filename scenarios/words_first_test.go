package scenarios

import (
	"testing"

	"kafkatrial/model/event"
	"kafkatrial/scenarios/format"
	"kafkatrial/sim"
)

// The narrator speaks before anything of the step happens, and a person can stop there.
func TestWordsComeBeforeTheAction(t *testing.T) {
	f, problems := format.Load("t.yaml", []byte(`
name: t
title: Words first.
kafka: "3.9"
cluster: {brokers: 1}
topics: {orders: {}}
producers: {p: {}}
script:
  - say: Now broker 1 dies.
    crash: 1
  - say: And that is all.
claims: {at-most-once: holds, at-least-once: holds, exactly-once: holds}
`), Vocabulary)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	r, err := New(f, Options{})
	if err != nil {
		t.Fatal(err)
	}
	b1, _ := r.World.Lookup("b1")
	for said := 0; r.Step(); {
		events := r.World.Trace().Events
		n := 0
		for i := range events {
			if _, said := events[i].Event.(*event.Said); said {
				n++
			}
		}
		if n == said {
			continue
		}
		said = n
		want := sim.Up
		if n == 2 {
			want = sim.Down
		}
		if got := r.World.State(b1); got != want {
			t.Errorf("when the narrator has spoken for the %d. time, b1 is %v, want %v", n, got, want)
		}
		if next, of := r.Progress(); next != n || of != 2 {
			t.Errorf("when the narrator has spoken for the %d. time, the script is at %d of %d", n, next, of)
		}
	}
	if next, _ := r.Progress(); next != 3 {
		t.Errorf("after the script, the next step is %d, want 3", next)
	}
}
