package client

import (
	"kafkatrial/model/generation"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// Destination names a connection of a client: a broker's id, or Coordinator of it.
type Destination int

// Coordinator is a second connection to broker b, which a consumer keeps for its group so that a fetch
// that waits at the broker does not hold up its commits.
//
// Kafka: AbstractCoordinator, Integer.MAX_VALUE − id.
func Coordinator(b protocol.BrokerID) Destination { return Destination(-b) }

// Broker gives the broker at the other end.
func (d Destination) Broker() protocol.BrokerID {
	if d < 0 {
		return protocol.BrokerID(-d)
	}
	return protocol.BrokerID(d)
}

// Request is a request in flight.
type Request struct {
	Correlation int32
	To          Destination
	Msg         sim.Message
	SentAt      sim.Time
	Deadline    sim.Time // when the client gives it up and closes the connection
}

// Response tells what became of a request.
type Response struct {
	Request
	// Answer is nil if none came: the connection went away, and the broker may have handled the request or not.
	Answer   sim.Message
	TimedOut bool // with a nil Answer: the client closed the connection itself, after request.timeout.ms
}

// NetworkClient keeps a client's connections, its requests in flight and its Metadata.
//
// Kafka: org.apache.kafka.clients.NetworkClient, ClusterConnectionStates, InFlightRequests.
type NetworkClient struct {
	cfg   Config
	dir   *protocol.Directory
	rules *generation.Rules
	meta  Metadata

	conns       []connection
	correlation int32
	draws       uint64
	done        []Response // reused by every call that returns completed requests
}

// NewNetworkClient makes a client that knows all brokers of the directory as bootstrap.servers.
func NewNetworkClient(cfg Config, dir *protocol.Directory, rules *generation.Rules) *NetworkClient {
	panic("not yet")
}

// Start asks for the first metadata. Call it in Node.Start.
func (c *NetworkClient) Start(env *sim.Env) {}

// Metadata is what the client believes about the cluster.
func (c *NetworkClient) Metadata() *Metadata { return &c.meta }

// NextCorrelation gives a new correlation id, from 1.
func (c *NetworkClient) NextCorrelation() int32 {
	c.correlation++
	return c.correlation
}

// Ready says whether a request can be sent to this destination now: the connection is up, fewer than
// Config.MaxInFlight requests are in flight on it, and no metadata update is due (which goes first). If
// there is no connection and the backoff is over it begins one; if not, the node gets a timer at its end.
//
// Kafka: NetworkClient.ready, isReady.
func (c *NetworkClient) Ready(env *sim.Env, to Destination) bool { panic("not yet") }

// Send sends a request that bears the given correlation id; Ready must have said yes. Without
// expectResponse (acks=0) it is complete at once and never heard of again.
func (c *NetworkClient) Send(env *sim.Env, to Destination, correlation int32, m sim.Message, expectResponse bool) {
}

// Poll asks for metadata if that is due, and sets the timer for the next time. Call it at the end of
// every callback of the node.
//
// Kafka: NetworkClient.poll, DefaultMetadataUpdater.maybeUpdate.
func (c *NetworkClient) Poll(env *sim.Env) {}

// Receive takes a message from a broker. ok is false if it completed no request of the node's own
// (metadata, a connection that has come up, an answer to a request given up): run anyway.
func (c *NetworkClient) Receive(env *sim.Env, d sim.Delivery) (r Response, ok bool) { panic("not yet") }

// Timer takes a timer. mine is false if it is not the client's. The slice is valid until the next call.
func (c *NetworkClient) Timer(env *sim.Env, t sim.Timer) (done []Response, mine bool) {
	panic("not yet")
}

// Disconnected takes the news that a connection is gone: every request in flight on it is completed
// without an answer, in the order of sending, and metadata are asked for. The slice is valid until the
// next call.
//
// Kafka: NetworkClient.processDisconnection.
func (c *NetworkClient) Disconnected(env *sim.Env, conn sim.ConnID) []Response { panic("not yet") }

// LeastLoaded gives the broker to ask when any will do; ok is false if none can be reached now.
//
// Kafka: NetworkClient.leastLoadedNode.
func (c *NetworkClient) LeastLoaded(env *sim.Env) (b protocol.BrokerID, ok bool) { panic("not yet") }

// Disconnect closes a connection from this side (NetworkClient.disconnect), as a consumer does with its
// coordinator's. The slice is valid until the next call.
func (c *NetworkClient) Disconnect(env *sim.Env, to Destination) []Response { panic("not yet") }

// Close closes all connections and stops all timers; requests in flight are forgotten.
func (c *NetworkClient) Close(env *sim.Env) {}

// InFlight lists the requests in flight to a destination, oldest first. The caller must not change it.
func (c *NetworkClient) InFlight(to Destination) []Request { panic("not yet") }

// InFlightCount counts the requests in flight on all connections, metadata apart.
func (c *NetworkClient) InFlightCount() int { panic("not yet") }

// State tells how the connection is: "disconnected", "connecting", "ready".
func (c *NetworkClient) State(to Destination) string { panic("not yet") }
