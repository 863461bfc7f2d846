package controller

import (
	"kafkatrial/sim"
)

// KafkaController is a controller of ZooKeeper's time.
type KafkaController struct {
	s Settings
}

// NewKafkaController makes a controller that stands for election in ZooKeeper.
func NewKafkaController(s Settings) *KafkaController { return &KafkaController{s: s} }

// Start begins a ZooKeeper session.
func (c *KafkaController) Start(env *sim.Env) {}

// Receive handles an answer or an order.
func (c *KafkaController) Receive(env *sim.Env, d sim.Delivery) {}

// Timer does periodic work.
func (c *KafkaController) Timer(env *sim.Env, t sim.Timer) {}

// Disconnected notices that a connection is gone.
func (c *KafkaController) Disconnected(env *sim.Env, id sim.ConnID) {}
