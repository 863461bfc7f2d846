package client

import "kafkatrial/sim"

type connState uint8

const (
	disconnected connState = iota
	connecting             // ApiVersions was sent (CONNECTING, CHECKING_API_VERSIONS)
	ready
)

var connStateNames = [...]string{disconnected: "disconnected", connecting: "connecting", ready: "ready"}

// The lanes of a connection: a time-out of routine requests must not keep a world from being quiescent,
// one of real work must.
const (
	routineLane = iota
	workLane
)

// lane is the request time-out of one kind of requests of a connection.
type lane struct {
	timer sim.TimerID
	at    sim.Time
}

// connection is the state of one connection (NodeConnectionState, with its InFlightRequests).
type connection struct {
	to             Destination
	id             sim.ConnID
	state          connState
	lastAttempt    sim.Time
	backoff        sim.Time
	failures       int // disconnects since it was last ready
	failedConnects int // attempts in a row that did not get as far as ready
	inFlight       []Request
	lanes          [2]lane
	reconnect      sim.TimerID
}

func laneOf(m sim.Message) int {
	if m.Routine() {
		return routineLane
	}
	return workLane
}

// deadline is when the first request of a lane expires; ok is false if none is in flight.
func (c *connection) deadline(l int) (at sim.Time, ok bool) {
	for i := range c.inFlight {
		if r := &c.inFlight[i]; laneOf(r.Msg) == l && (!ok || r.Deadline < at) {
			at, ok = r.Deadline, true
		}
	}
	return at, ok
}

// take removes the request with a correlation id from those in flight.
func (c *connection) take(correlation int32) (r Request, ok bool) {
	for i := range c.inFlight {
		if c.inFlight[i].Correlation == correlation {
			r = c.inFlight[i]
			n := copy(c.inFlight[i:], c.inFlight[i+1:]) + i
			c.inFlight[n] = Request{}
			c.inFlight = c.inFlight[:n]
			return r, true
		}
	}
	return Request{}, false
}

// canConnect says whether an attempt is allowed: ClusterConnectionStates.canConnect.
func (c *connection) canConnect(now sim.Time) bool {
	return c.state == disconnected && now-c.lastAttempt >= c.backoff
}
