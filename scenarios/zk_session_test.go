package scenarios

import (
	"testing"
	"time"

	"kafkatrial/scenarios/format"
)

// TestAnEarlyProducerCostsNoSession starts an idempotent producer whose InitProducerId may come before the broker has a session
// with ZooKeeper. The broker then waits for the session before it asks for a block of ids; a request without one would be
// answered as of a session that has expired, and the broker would be taken for dead 18 s later, with nothing wrong.
func TestAnEarlyProducerCostsNoSession(t *testing.T) {
	o, err := Open("follower-lag-window")
	if err != nil {
		t.Fatal(err)
	}
	f := Variants(o.File)[2]
	if idempotent, _ := f.Producers[0].Config.Get("enable.idempotence"); idempotent != "true" || f.Cluster.MetadataIn(f.Kafka) != format.ZooKeeper {
		t.Fatal("the comparison has another producer, or no ZooKeeper")
	}
	f.Cluster.Network.Jitter = format.Duration{Duration: 2 * time.Millisecond, Text: "2ms"}
	for seed := 1; seed <= 8; seed++ {
		r, err := New(f, Options{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		r.Finish()
		if res := r.Result(); !res.AsStated() {
			t.Errorf("seed %d: %s %q", seed, res.Undecided, res.Differs)
		}
	}
}
