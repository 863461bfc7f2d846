// Package zookeeper is the part of ZooKeeper that Kafka leans on: one server with sessions, ephemeral and
// sequential nodes, versions to compare and set, and watches that fire once.
package zookeeper

import (
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// Settings is what a server is made from.
type Settings struct {
	Directory *protocol.Directory
	Topics    []protocol.TopicSpec // the initial tree
	// Down lists brokers that do not run when the run begins: they have no session then.
	Down []protocol.BrokerID
	// SessionTimeout is zookeeper.session.timeout.ms, of the sessions that are open when the run begins.
	SessionTimeout sim.Time
}

// Server is the ZooKeeper node.
type Server struct {
	s Settings
}

// NewServer makes a ZooKeeper that keeps its tree on disk.
func NewServer(s Settings) *Server { return &Server{s: s} }

// Start opens the tree.
func (z *Server) Start(env *sim.Env) {}

// Receive handles a request.
func (z *Server) Receive(env *sim.Env, d sim.Delivery) {}

// Timer looks for sessions that have expired.
func (z *Server) Timer(env *sim.Env, t sim.Timer) {}

// Disconnected forgets a connection; the session lives on until it times out.
func (z *Server) Disconnected(env *sim.Env, c sim.ConnID) {}
