package client

import (
	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/model/release"
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
	cfg  Config
	dir  *protocol.Directory
	meta Metadata

	number      int64        // of the clients of one node, see Numbered
	conns       []connection // to each broker, then to each as coordinator
	correlation int32
	draws       uint64
	done        []Response // reused by every call that returns completed requests

	metadataInFlight bool
	metadataTimer    sim.TimerID
	metadataAt       sim.Time
}

// NewNetworkClient makes a client that knows all brokers of the directory as bootstrap.servers.
func NewNetworkClient(cfg Config, dir *protocol.Directory, rules *release.Rules) *NetworkClient {
	n := len(dir.Brokers)
	c := &NetworkClient{cfg: cfg, dir: dir, conns: make([]connection, 2*n), metadataTimer: sim.NoTimer}
	for i := range c.conns {
		to := Destination(i + 1)
		if i >= n {
			to = Destination(-(i - n + 1))
		}
		c.conns[i] = connection{to: to, id: sim.NoConn, lastAttempt: longAgo, reconnect: sim.NoTimer}
		c.conns[i].lanes[routineLane].timer = sim.NoTimer
		c.conns[i].lanes[workLane].timer = sim.NoTimer
	}
	c.meta = Metadata{cfg: cfg, keepEpochs: rules.MetadataEpochs, lastRefresh: longAgo, lastSuccess: longAgo, needUpdate: true}
	for b := 1; b <= n; b++ {
		c.meta.bootstrap = append(c.meta.bootstrap, b)
	}
	c.meta.brokers = c.meta.bootstrap
	return c
}

// Numbered tells the client apart from others in the same process, whose number is 0 or another one: each knows
// its own timers, and no two requests of a node bear the same correlation id. n is below 100. Call it first.
func (c *NetworkClient) Numbered(n int) {
	c.number = int64(n)
	c.correlation = int32(n) << 24
}

// ofClient is where the number stands in the argument of a timer.
const ofClient = 32

// Owns says that a connection is one of the client's and open.
func (c *NetworkClient) Owns(id sim.ConnID) bool { return c.byID(id) != nil }

// Start asks for the first metadata. Call it in Node.Start.
func (c *NetworkClient) Start(env *sim.Env) { c.Poll(env) }

// Metadata is what the client believes about the cluster.
func (c *NetworkClient) Metadata() *Metadata { return &c.meta }

// NextCorrelation gives a new correlation id, from 1 or from what Numbered says.
func (c *NetworkClient) NextCorrelation() int32 {
	c.correlation++
	return c.correlation
}

func (c *NetworkClient) conn(to Destination) *connection {
	if to < 0 {
		return &c.conns[len(c.dir.Brokers)+int(-to)-1]
	}
	return &c.conns[to-1]
}

// byID finds a connection that is open, nil if it is none of ours or was given up.
func (c *NetworkClient) byID(id sim.ConnID) *connection {
	for i := range c.conns {
		if c.conns[i].id == id && c.conns[i].state != disconnected {
			return &c.conns[i]
		}
	}
	return nil
}

// Ready says whether a request can be sent to this destination now: the connection is up, fewer than
// Config.MaxInFlight requests are in flight on it, and no metadata update is due (which goes first). If
// there is no connection and the backoff is over it begins one; if not, the node gets a timer at its end.
//
// Kafka: NetworkClient.ready, isReady.
func (c *NetworkClient) Ready(env *sim.Env, to Destination) bool {
	if c.updateDue(env) {
		c.maybeUpdate(env)
	}
	conn := c.conn(to)
	if c.canSend(conn) {
		return !c.updateDue(env)
	}
	if conn.state != disconnected {
		return false
	}
	if conn.canConnect(env.Now()) {
		c.connect(env, conn)
	} else if conn.reconnect == sim.NoTimer {
		conn.reconnect = env.SetTimer(conn.lastAttempt+conn.backoff-env.Now(), protocol.TimerReconnect, c.number<<ofClient|c.index(conn), true)
	}
	return false
}

func (c *NetworkClient) canSend(conn *connection) bool {
	return conn.state == ready && len(conn.inFlight) < c.cfg.MaxInFlight
}

func (c *NetworkClient) index(conn *connection) int64 {
	if conn.to < 0 {
		return int64(len(c.dir.Brokers)) + int64(-conn.to) - 1
	}
	return int64(conn.to) - 1
}

// connect begins a connection: whether anybody is there shows when ApiVersions is answered, or is not.
//
// Kafka: NetworkClient.initiateConnect, handleInitiateApiVersionRequests.
func (c *NetworkClient) connect(env *sim.Env, conn *connection) {
	conn.state = connecting
	conn.lastAttempt = env.Now()
	conn.id = env.Connect(c.dir.Node(conn.to.Broker()))
	id := c.NextCorrelation()
	c.put(env, conn, id, &protocol.ApiVersions{Correlation: id}, Backoff(c.cfg.ConnectionTimeout, c.cfg.ConnectionTimeoutMax, conn.failedConnects))
}

// tick is the clock of Kafka's clients. They give a request up once more than its timeout has passed: one
// millisecond later than the timeout, so that at the same moment delivery.timeout.ms, which wants no more
// than its time, comes first.
//
// Kafka: InFlightRequests.hasExpiredRequest, ClusterConnectionStates.isConnectionSetupTimeout;
// ProducerBatch.hasReachedDeliveryTimeout.
const tick = sim.Millisecond

// put sends a request and keeps it in flight for at most timeout.
func (c *NetworkClient) put(env *sim.Env, conn *connection, correlation int32, m sim.Message, timeout sim.Time) {
	now := env.Now()
	deadline := sim.Never
	if timeout < sim.Never-now-tick {
		deadline = now + timeout + tick
	}
	conn.inFlight = append(conn.inFlight, Request{correlation, conn.to, m, now, deadline})
	env.Send(conn.id, m)
	c.arm(env, conn, laneOf(m))
}

// Send sends a request that bears the given correlation id; Ready must have said yes. Without
// expectResponse (acks=0) it is complete at once and never heard of again.
func (c *NetworkClient) Send(env *sim.Env, to Destination, correlation int32, m sim.Message, expectResponse bool) {
	conn := c.conn(to)
	if !expectResponse {
		env.Send(conn.id, m)
		return
	}
	c.put(env, conn, correlation, m, c.cfg.RequestTimeout)
}

// SendWithin is Send with a time-out of the request's own, in place of request.timeout.ms.
func (c *NetworkClient) SendWithin(env *sim.Env, to Destination, correlation int32, m sim.Message, timeout sim.Time) {
	c.put(env, c.conn(to), correlation, m, timeout)
}

// arm sets the timer of a lane to its first deadline. A routine timer that is early is left: it finds
// nothing and is set anew. One of real work is stopped when it is moot.
func (c *NetworkClient) arm(env *sim.Env, conn *connection, l int) {
	ln := &conn.lanes[l]
	at, any := conn.deadline(l)
	if any && at != sim.Never {
		if ln.timer != sim.NoTimer && ln.at <= at {
			return
		}
		env.CancelTimer(ln.timer)
		ln.at = at
		ln.timer = env.SetTimer(at-env.Now(), protocol.TimerRequestTimeout, c.number<<ofClient|c.index(conn)<<1|int64(l), l == routineLane)
		return
	}
	if l == workLane {
		env.CancelTimer(ln.timer)
		ln.timer = sim.NoTimer
	}
}

// Poll asks for metadata if that is due, and sets the timer for the next time. Call it at the end of
// every callback of the node.
//
// Kafka: NetworkClient.poll, DefaultMetadataUpdater.maybeUpdate.
func (c *NetworkClient) Poll(env *sim.Env) { c.maybeUpdate(env) }

// Receive takes a message from a broker. ok is false if it completed no request of the node's own
// (metadata, a connection that has come up, an answer to a request given up): run anyway.
//
// Kafka: NetworkClient.handleCompletedReceives.
func (c *NetworkClient) Receive(env *sim.Env, d sim.Delivery) (r Response, ok bool) {
	conn := c.byID(d.Conn)
	if conn == nil {
		return Response{}, false
	}
	req, ok := conn.take(correlationOf(d.Msg))
	if !ok {
		return Response{}, false
	}
	if l := laneOf(req.Msg); l == workLane {
		c.arm(env, conn, l)
	}
	switch m := d.Msg.(type) {
	case *protocol.ApiVersionsResponse:
		conn.state = ready
		conn.failures, conn.failedConnects = 0, 0
		return Response{}, false
	case *protocol.MetadataResponse:
		c.metadataInFlight = false
		c.meta.update(env, m)
		return Response{}, false
	}
	return Response{Request: req, Answer: d.Msg}, true
}

// Timer takes a timer. mine is false if it is not the client's. The slice is valid until the next call.
func (c *NetworkClient) Timer(env *sim.Env, t sim.Timer) (done []Response, mine bool) {
	if t.Arg>>ofClient != c.number {
		return nil, false
	}
	arg := t.Arg & (1<<ofClient - 1)
	switch t.Kind {
	case protocol.TimerRequestTimeout:
		conn, l := &c.conns[arg>>1], int(arg&1)
		conn.lanes[l].timer = sim.NoTimer
		if at, any := conn.deadline(l); any && at <= env.Now() {
			return c.giveUp(env, conn, true), true
		}
		c.arm(env, conn, l)
	case protocol.TimerReconnect:
		c.conns[arg].reconnect = sim.NoTimer
	case protocol.TimerMetadataAge:
		c.metadataTimer = sim.NoTimer
	default:
		return nil, false
	}
	return nil, true
}

// giveUp closes a connection from this side.
//
// Kafka: NetworkClient.handleTimedOutRequests, disconnect.
func (c *NetworkClient) giveUp(env *sim.Env, conn *connection, timedOut bool) []Response {
	env.Close(conn.id)
	return c.lost(env, conn, timedOut)
}

// Disconnected takes the news that a connection is gone: every request in flight on it is completed
// without an answer, in the order of sending, and metadata are asked for. The slice is valid until the
// next call.
//
// Kafka: NetworkClient.handleDisconnections.
func (c *NetworkClient) Disconnected(env *sim.Env, id sim.ConnID) []Response {
	conn := c.byID(id)
	if conn == nil {
		return nil
	}
	return c.lost(env, conn, false)
}

// lost completes what was in flight on a connection that is gone, and begins its backoff.
//
// Kafka: NetworkClient.processDisconnection, cancelInFlightRequests; ClusterConnectionStates.disconnected.
func (c *NetworkClient) lost(env *sim.Env, conn *connection, timedOut bool) []Response {
	now := env.Now()
	if conn.state == ready {
		env.Record(&event.ConnectionLost{Peer: c.dir.Node(conn.to.Broker())})
	} else {
		conn.failedConnects++
	}
	conn.state, conn.id = disconnected, sim.NoConn
	conn.lastAttempt = now
	conn.backoff = Backoff(c.cfg.ReconnectBackoff, c.cfg.ReconnectBackoffMax, conn.failures)
	conn.failures++
	c.done = c.done[:0]
	for i := range conn.inFlight {
		switch r := conn.inFlight[i]; r.Msg.(type) {
		case *protocol.ApiVersions:
		case *protocol.Metadata:
			c.metadataInFlight = false
		default:
			if timedOut {
				env.Record(&event.RequestGivenUp{Request: r.Msg.Type(), Peer: c.dir.Node(conn.to.Broker())})
			}
			c.done = append(c.done, Response{Request: r, TimedOut: timedOut})
		}
		conn.inFlight[i] = Request{}
	}
	conn.inFlight = conn.inFlight[:0]
	c.stop(env, conn)
	if c.updateDue(env) { // it was in flight here, or waited for this connection
		c.meta.failedUpdate(now)
	}
	c.meta.RequestUpdate()
	return c.done
}

// stop cancels a connection's timers.
func (c *NetworkClient) stop(env *sim.Env, conn *connection) {
	for l := range conn.lanes {
		env.CancelTimer(conn.lanes[l].timer)
		conn.lanes[l].timer = sim.NoTimer
	}
	env.CancelTimer(conn.reconnect)
	conn.reconnect = sim.NoTimer
}

// Disconnect closes a connection from this side (NetworkClient.disconnect), as a consumer does with its
// coordinator's. The slice is valid until the next call.
func (c *NetworkClient) Disconnect(env *sim.Env, to Destination) []Response {
	conn := c.conn(to)
	if conn.state == disconnected {
		return nil
	}
	return c.giveUp(env, conn, false)
}

// Close closes all connections and stops all timers; requests in flight are forgotten.
func (c *NetworkClient) Close(env *sim.Env) {
	for i := range c.conns {
		conn := &c.conns[i]
		env.Close(conn.id)
		conn.state, conn.id, conn.inFlight = disconnected, sim.NoConn, nil
		c.stop(env, conn)
	}
	env.CancelTimer(c.metadataTimer)
	c.metadataTimer = sim.NoTimer
}

// ConnectionFailed says that the connection is down and can not be begun again yet; asked after Ready.
//
// Kafka: NetworkClient.connectionFailed.
func (c *NetworkClient) ConnectionFailed(to Destination) bool {
	return c.conn(to).state == disconnected
}

// InFlight lists the requests in flight to a destination, oldest first. The caller must not change it.
func (c *NetworkClient) InFlight(to Destination) []Request { return c.conn(to).inFlight }

// InFlightCount counts the requests in flight on all connections.
//
// Kafka: NetworkClient.inFlightRequestCount; a metadata request counts there and here.
func (c *NetworkClient) InFlightCount() int {
	n := 0
	for i := range c.conns {
		n += len(c.conns[i].inFlight)
	}
	return n
}

// State tells how the connection is: "disconnected", "connecting", "ready".
func (c *NetworkClient) State(to Destination) string { return connStateNames[c.conn(to).state] }

// correlationOf reads the correlation id of an answer; 0 belongs to no request.
func correlationOf(m sim.Message) int32 {
	switch r := m.(type) {
	case *protocol.ProduceResponse:
		return r.Correlation
	case *protocol.FetchResponse:
		return r.Correlation
	case *protocol.MetadataResponse:
		return r.Correlation
	case *protocol.ApiVersionsResponse:
		return r.Correlation
	case *protocol.ListOffsetsResponse:
		return r.Correlation
	case *protocol.OffsetForLeaderEpochResponse:
		return r.Correlation
	case *protocol.FindCoordinatorResponse:
		return r.Correlation
	case *protocol.OffsetCommitResponse:
		return r.Correlation
	case *protocol.OffsetFetchResponse:
		return r.Correlation
	case *protocol.JoinGroupResponse:
		return r.Correlation
	case *protocol.HeartbeatResponse:
		return r.Correlation
	case *protocol.InitProducerIdResponse:
		return r.Correlation
	case *protocol.AddPartitionsToTxnResponse:
		return r.Correlation
	case *protocol.AddOffsetsToTxnResponse:
		return r.Correlation
	case *protocol.TxnOffsetCommitResponse:
		return r.Correlation
	case *protocol.EndTxnResponse:
		return r.Correlation
	}
	return 0
}
