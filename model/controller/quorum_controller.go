package controller

import (
	"kafkatrial/sim"
)

// QuorumController is the controller of KRaft, a quorum of one.
type QuorumController struct {
	s Settings
}

// NewQuorumController makes a KRaft controller.
func NewQuorumController(s Settings) *QuorumController { return &QuorumController{s: s} }

// Start replays the metadata log.
func (c *QuorumController) Start(env *sim.Env) {}

// Receive handles a request or an order.
func (c *QuorumController) Receive(env *sim.Env, d sim.Delivery) {}

// Timer does periodic work.
func (c *QuorumController) Timer(env *sim.Env, t sim.Timer) {}

// Disconnected forgets what waits on the connection.
func (c *QuorumController) Disconnected(env *sim.Env, id sim.ConnID) {}
