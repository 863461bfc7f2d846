package model_test

import (
	"testing"

	"kafkatrial/model"
	"kafkatrial/model/config"
	"kafkatrial/model/generation"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// How often a leader looks for lagging followers: once in replica.lag.time.max.ms (10 s) up to 0.10.1, twice
// since 0.10.2 (KAFKA-4485, ReplicaManager.startup).
func TestISRIsLookedAtTwiceSince0102(t *testing.T) {
	for version, want := range map[string]int{"0.9": 3, "0.10.1": 3, "0.10.2": 6, "2.4": 6} {
		v, err := generation.Parse(version)
		if err != nil {
			t.Fatal(err)
		}
		c := model.New(model.Spec{Version: v, Rules: generation.Of(v), Brokers: 1, Controllers: 1, Latency: sim.Millisecond,
			Config: config.New(config.Broker, v)})
		source := sim.Calm{}
		for c.World.NextAt() <= 31*sim.Second {
			p, more := c.World.Pending()
			if !more {
				break
			}
			i, _ := source.Choose(p)
			c.World.Resolve(i)
		}
		looks := 0
		for i := range c.World.Trace().Steps {
			if s := &c.World.Trace().Steps[i]; s.Kind == sim.StepTimer && s.Timer == protocol.TimerISRShrink {
				looks++
			}
		}
		if looks != want {
			t.Errorf("Kafka %s: %d looks in 31 s, want %d", version, looks, want)
		}
	}
}
