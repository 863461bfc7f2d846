package model_test

import (
	"testing"

	"kafkatrial/model"
	"kafkatrial/model/config"
	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/model/release"
	"kafkatrial/sim"
)

// idempotentCluster is a small cluster of a release with two idempotent producers.
func idempotentCluster(t *testing.T, version string) *model.Cluster {
	t.Helper()
	v, err := release.Parse(version)
	if err != nil {
		t.Fatal(err)
	}
	spec := model.Spec{Version: v, Rules: release.Of(v), Brokers: 2, Controllers: 1, Config: config.New(config.Broker, v),
		Topics: []model.TopicSpec{{Name: "orders", Replicas: [][]protocol.BrokerID{{1, 2}}}}}
	if !spec.Rules.KRaft {
		spec.Controllers = 2
	}
	for _, name := range []string{"p", "q"} {
		values := config.New(config.Producer, v)
		if err := values.Set("enable.idempotence", "true"); err != nil {
			t.Fatal(err)
		}
		spec.Producers = append(spec.Producers, model.ProducerSpec{Name: name, Config: values})
	}
	return model.New(spec)
}

func runFor(w *sim.World, d sim.Time) {
	until := w.Now() + d
	for w.NextAt() <= until {
		if _, more := w.Pending(); !more {
			break
		}
		w.Resolve(0)
	}
	w.AdvanceTo(until)
}

// No producer id is given twice, whatever is restarted: brokers, the controller, ZooKeeper, producers.
func TestNoProducerIDIsGivenTwice(t *testing.T) {
	for _, version := range []string{"0.11", "2.8", "3.0", "4.0"} {
		c := idempotentCluster(t, version)
		w := c.World
		restart := func(nodes ...sim.NodeID) {
			for _, n := range nodes {
				w.Kill(n)
				w.Restart(n)
			}
			runFor(w, 40*sim.Second)
		}
		restart(c.Producers()...)
		restart(c.Directory.Brokers...)
		restart(c.Producers()...)
		restart(c.Directory.Controllers...)
		if c.Directory.ZooKeeper != sim.Nobody {
			restart(c.Directory.ZooKeeper)
		}
		restart(c.Directory.Brokers...)
		restart(c.Producers()...)
		seen := map[int64]bool{}
		for i := range w.Trace().Steps {
			for _, f := range w.Trace().EventsOf(i) {
				e, ok := f.Event.(*event.ProducerIDGiven)
				if !ok {
					continue
				}
				if seen[e.ProducerID] {
					t.Errorf("%s: producer id %d was given twice", version, e.ProducerID)
				}
				seen[e.ProducerID] = true
			}
		}
		if len(seen) < 6 {
			t.Errorf("%s: only %d producer ids were given", version, len(seen))
		}
		for _, n := range c.Producers() {
			if _, ok := c.Producer(n).ProducerID(); !ok {
				t.Errorf("%s: %s has no producer id", version, w.Name(n))
			}
		}
	}
}
