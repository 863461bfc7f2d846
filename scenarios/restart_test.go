package scenarios

import "testing"

// A producer that restarts sends what it has buffered, ends, and comes back as another process.
func TestRestartOfClients(t *testing.T) {
	r := tried(t, "send: {producer: p, records: [m2]}", "restart: p", "restart: c", "send: {producer: p, records: [m3]}", "wait: {acked: [m2, m3], for: 1m}")
	if r.Stopped() != "" {
		t.Fatal(r.Stopped())
	}
	for _, name := range []string{"p", "c"} {
		if n, _ := r.World.Lookup(name); r.World.Incarnation(n) != 2 {
			t.Errorf("%s has had %d lives", name, r.World.Incarnation(n))
		}
	}
}

// Two nodes may restart at once, and a restart that does not come to its end is given up.
func TestRestartOfSeveral(t *testing.T) {
	if r := tried(t, "restart: [c, p, 2]", "wait: {isr: {partition: orders-0, is: [1, 2]}}"); r.Stopped() != "" {
		t.Error(r.Stopped())
	}
	r := tried(t, "pause: p", "restart: p")
	if want := "step 4 (line 12) timed out after 10m waiting for a node to stop that it restarts"; r.Stopped() != want {
		t.Errorf("stopped: %q, want %q", r.Stopped(), want)
	}
}
