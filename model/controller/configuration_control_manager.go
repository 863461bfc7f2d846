package controller

import (
	"strconv"

	"kafkatrial/model/config"
	"kafkatrial/model/protocol"
)

// Keys the controllers heed.
const (
	keyMinISR  = "min.insync.replicas"
	keyUnclean = "unclean.leader.election.enable"
)

// configuration holds what was changed against the settings the cluster was started with: a topic's own
// value goes before the cluster's, and both before the start (ConfigurationControlManager, dynamic
// configuration in ZooKeeper).
type configuration struct {
	static    *config.Values
	overrides []protocol.ConfigRecord // in the order in which they were first set
}

// set keeps a value; an empty one takes the override away.
func (c *configuration) set(rec protocol.ConfigRecord) {
	for i := range c.overrides {
		if o := &c.overrides[i]; o.Topic == rec.Topic && o.Key == rec.Key {
			o.Value = rec.Value
			return
		}
	}
	c.overrides = append(c.overrides, rec)
}

func (c *configuration) lookup(topic, key string) string {
	cluster := ""
	for i := range c.overrides {
		switch o := &c.overrides[i]; {
		case o.Key != key || o.Value == "":
		case o.Topic == topic:
			return o.Value
		case o.Topic == "":
			cluster = o.Value
		}
	}
	if cluster != "" {
		return cluster
	}
	return c.static.Text(key)
}

// minISR is the topic's min.insync.replicas, at least 1.
func (c *configuration) minISR(topic string) int {
	n, err := strconv.Atoi(c.lookup(topic, keyMinISR))
	if err != nil {
		return 1
	}
	return max(n, 1)
}

// unclean is the topic's unclean.leader.election.enable.
func (c *configuration) unclean(topic string) bool { return c.lookup(topic, keyUnclean) == "true" }
