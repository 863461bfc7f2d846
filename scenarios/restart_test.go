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
