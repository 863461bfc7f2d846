// Package client holds what producer and consumer share: connections to brokers, requests in flight and
// their time-outs (NetworkClient), and what a client believes about the cluster (Metadata).
//
// A node owns one NetworkClient and hands it what the world brings. Nothing here calls back: each call
// returns the requests that it completed, and the node then looks for something to do, as Kafka's Sender
// and ConsumerNetworkClient do after every poll:
//
//	func (n *Node) Start(env *sim.Env)                 { n.net.Start(env); n.run(env) }
//	func (n *Node) Receive(env *sim.Env, d sim.Delivery) {
//		if r, ok := n.net.Receive(env, d); ok { n.handle(env, r) }
//		n.run(env)
//	}
//	func (n *Node) Timer(env *sim.Env, t sim.Timer) {
//		if done, mine := n.net.Timer(env, t); mine { for _, r := range done { n.handle(env, r) } } else { … }
//		n.run(env)
//	}
//	func (n *Node) Disconnected(env *sim.Env, c sim.ConnID) {
//		for _, r := range n.net.Disconnected(env, c) { n.handle(env, r) }
//		n.run(env)
//	}
//
// where run sends what it can and ends with n.net.Poll(env):
//
//	if n.net.Ready(env, broker) {
//		c := n.net.NextCorrelation()
//		n.net.Send(env, broker, c, &protocol.Fetch{Correlation: c, …}, true)
//	}
//	n.net.Poll(env)
//
// A Ready that says no has seen to it that the node is called again when the answer may be yes.
//
// Simplified: a connection is up once the broker has answered ApiVersions (KIP-35). Before 0.10.2, when
// clients did not ask, the exchange stands for TCP's own handshake. Backoffs have no jitter. A client asks
// for the metadata of all topics, always.
package client
