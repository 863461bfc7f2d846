package model_test

import (
	"testing"

	"kafkatrial/model"
	"kafkatrial/model/config"
	"kafkatrial/model/log"
	"kafkatrial/model/protocol"
	"kafkatrial/model/release"
	"kafkatrial/sim"
)

// How often a leader looks for lagging followers: once in replica.lag.time.max.ms (10 s) up to 0.10.1, twice
// since 0.10.2 (KAFKA-4485, ReplicaManager.startup).
func TestISRIsLookedAtTwiceSince0102(t *testing.T) {
	for version, want := range map[string]int{"0.9": 3, "0.10.1": 3, "0.10.2": 6, "2.4": 6} {
		v, err := release.Parse(version)
		if err != nil {
			t.Fatal(err)
		}
		c := model.New(model.Spec{Version: v, Rules: release.Of(v), Brokers: 1, Controllers: 1, Latency: sim.Millisecond,
			Config: config.New(config.Broker, v)})
		calm(c, 31*sim.Second)
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

// calm lets a cluster run up to a time, with nothing going wrong.
func calm(c *model.Cluster, until sim.Time) {
	for c.World.NextAt() <= until {
		p, more := c.World.Pending()
		if !more {
			return
		}
		i, _ := sim.Calm{}.Choose(p)
		c.World.Resolve(i)
	}
}

// A broker that no controller has told anything writes no high watermarks down: it would write none, and forget
// those of its earlier life.
func TestNoHighWatermarksAreWrittenBeforeTheFirstOrder(t *testing.T) {
	v, _ := release.Parse("0.8.1")
	c := model.New(model.Spec{Version: v, Rules: release.Of(v), Brokers: 2, Controllers: 1, Latency: sim.Millisecond,
		Config: config.New(config.Broker, v),
		Topics: []model.TopicSpec{{Name: "orders", Replicas: [][]protocol.BrokerID{{1, 2}}, Config: config.New(config.Topic, v)}}})
	known := func() bool {
		_, known := log.HighWatermarkCheckpoint(c.World.Disk(c.Directory.Node(2))).Fetch("orders-0")
		return known
	}
	calm(c, 6*sim.Second)
	if !known() {
		t.Fatal("broker 2 has not written its high watermark down")
	}
	c.World.Kill(c.Directory.Node(2))
	c.World.Kill(c.Directory.Controllers[0])
	c.World.Restart(c.Directory.Node(2))
	calm(c, 20*sim.Second)
	if !known() {
		t.Error("broker 2 forgot its high watermark, though nobody has told it what it follows")
	}
}
