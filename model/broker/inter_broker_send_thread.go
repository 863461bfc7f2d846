package broker

import (
	"slices"

	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// interBrokerSendThread sends a broker's own requests to other brokers, and to itself: one at a time to each,
// given up after request.timeout.ms. A broker that could not be reached is left alone for a while.
//
// Kafka: InterBrokerSendThread over a NetworkClient with one request in flight and reconnect.backoff.ms=50.
type interBrokerSendThread struct {
	kind     uint8 // of its timers
	channels []interBrokerChannel
}

type interBrokerChannel struct {
	to         protocol.BrokerID
	conn       sim.ConnID
	inFlight   bool
	backingOff bool
	timer      sim.TimerID
}

const interBrokerBackoff = 50 * sim.Millisecond

func (s *interBrokerSendThread) channel(to protocol.BrokerID) *interBrokerChannel {
	i, found := slices.BinarySearchFunc(s.channels, to, func(c interBrokerChannel, to protocol.BrokerID) int { return c.to - to })
	if !found {
		s.channels = slices.Insert(s.channels, i, interBrokerChannel{to: to, conn: sim.NoConn, timer: sim.NoTimer})
	}
	return &s.channels[i]
}

// ready says that a request may be sent to a broker now.
func (s *interBrokerSendThread) ready(to protocol.BrokerID) bool {
	c := s.channel(to)
	return !c.inFlight && !c.backingOff
}

func (s *interBrokerSendThread) send(b *Broker, to protocol.BrokerID, m sim.Message) {
	c := s.channel(to)
	if c.conn == sim.NoConn {
		c.conn = b.env.Connect(b.cfg.Directory.Node(to))
	}
	c.inFlight = true
	c.timer = b.env.SetTimer(b.requestTimeout(), s.kind, int64(to), false)
	b.env.Send(c.conn, m)
}

// requestTimeout is request.timeout.ms, the broker's.
func (b *Broker) requestTimeout() sim.Time { return b.cfg.Values.Ms("request.timeout.ms") }

// answered notes that the request on a connection has its answer, and tells from whom.
func (s *interBrokerSendThread) answered(b *Broker, conn sim.ConnID) (from protocol.BrokerID, ok bool) {
	for i := range s.channels {
		if c := &s.channels[i]; c.conn == conn && c.inFlight {
			c.inFlight = false
			b.env.CancelTimer(c.timer)
			return c.to, true
		}
	}
	return protocol.NoBroker, false
}

// disconnected notes that a connection is gone, and tells whose request is lost with it.
func (s *interBrokerSendThread) disconnected(b *Broker, conn sim.ConnID) (lost protocol.BrokerID, ok bool) {
	for i := range s.channels {
		c := &s.channels[i]
		if c.conn != conn {
			continue
		}
		c.conn = sim.NoConn
		if c.inFlight {
			return c.to, s.backOff(b, c)
		}
	}
	return protocol.NoBroker, false
}

func (s *interBrokerSendThread) backOff(b *Broker, c *interBrokerChannel) bool {
	b.env.CancelTimer(c.timer)
	c.inFlight, c.backingOff = false, true
	c.timer = b.env.SetTimer(interBrokerBackoff, s.kind, int64(c.to), false)
	return true
}

// timer ends a wait: of a broker that may be asked again, or of a request that got no answer, which it tells.
func (s *interBrokerSendThread) timer(b *Broker, to protocol.BrokerID) (lost bool) {
	c := s.channel(to)
	if c.backingOff {
		c.backingOff = false
		return false
	}
	if !c.inFlight {
		return false
	}
	b.env.Close(c.conn)
	c.conn = sim.NoConn
	return s.backOff(b, c)
}
