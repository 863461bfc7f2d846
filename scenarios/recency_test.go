package scenarios

import "testing"

// TestReadersAskBeforeTheyAreTold: a look-up lasts from its request to its answer, and at least two messages lie between. A
// reader whose look-up had no length would be held to what was written while its answer was on its way.
func TestReadersAskBeforeTheyAreTold(t *testing.T) {
	ends, positions, nothing, reads := 0, 0, 0, 0
	for _, name := range []string{"kip-207-end-offset-goes-back", "acknowledged-not-yet-readable", "zombie-commit-is-refused"} {
		o, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := New(o.File, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r.Finish()
		h := r.History()
		lasts := func(what string, call, step int, n *int) {
			if *n++; call < 1 || step < call+2 {
				t.Errorf("%s: %s asked for in step %d and answered in step %d", name, what, call, step)
			}
		}
		for _, e := range h.EndOffsets {
			lasts("an end", e.Call, e.Step, &ends)
		}
		for _, f := range h.OffsetFetches {
			lasts("a position", f.Call, f.Step, &positions)
		}
		for _, e := range h.EmptyReads {
			lasts("nothing", e.Call, e.Step, &nothing)
		}
		for _, e := range h.Reads {
			lasts("a record", e.Call, e.Step, &reads)
		}
	}
	if ends == 0 || positions == 0 || nothing == 0 || reads == 0 {
		t.Errorf("%d ends, %d positions, %d answers that there is nothing and %d reads: the runs show too little", ends, positions, nothing, reads)
	}
}
