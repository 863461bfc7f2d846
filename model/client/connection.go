package client

import "kafkatrial/sim"

type connState uint8

const (
	disconnected connState = iota
	connecting             // ApiVersions was sent (CONNECTING, CHECKING_API_VERSIONS)
	ready
)

// connection is the state of one connection (NodeConnectionState, with its InFlightRequests).
type connection struct {
	to          Destination
	id          sim.ConnID
	state       connState
	lastAttempt sim.Time
	backoff     sim.Time
	failures    int // since it was last ready
	inFlight    []Request
}
