package client

import (
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// drawBroker is the site of the choice of a broker to ask.
const drawBroker = 1

// updateDue says that a metadata request should go out now, before anything else.
//
// Kafka: DefaultMetadataUpdater.isUpdateDue.
func (c *NetworkClient) updateDue(env *sim.Env) bool {
	return !c.metadataInFlight && c.meta.timeToNextUpdate(env.Now()) == 0
}

// maybeUpdate asks the least loaded broker for metadata if that is due; if it is not, it sees to it that
// the node is called when it is. While a connection is being made it waits for that one.
//
// Kafka: DefaultMetadataUpdater.maybeUpdate.
func (c *NetworkClient) maybeUpdate(env *sim.Env) {
	if c.metadataInFlight {
		return
	}
	if wait := c.meta.timeToNextUpdate(env.Now()); wait > 0 {
		c.callAt(env, wait)
		return
	}
	b, ok := c.LeastLoaded(env)
	if !ok && c.cfg.Rebootstrap {
		c.meta.brokers = c.meta.bootstrap // KIP-899: nobody we know answers, so begin anew
		b, ok = c.LeastLoaded(env)
	}
	if !ok {
		c.callAt(env, c.cfg.ReconnectBackoff)
		return
	}
	conn := c.conn(Destination(b))
	switch {
	case c.canSend(conn):
		id := c.NextCorrelation()
		c.metadataInFlight = true
		c.put(env, conn, id, &protocol.Metadata{Correlation: id}, c.cfg.RequestTimeout)
	case c.anyConnecting():
	case conn.canConnect(env.Now()):
		c.connect(env, conn)
	}
}

// callAt sees to it that the node is called after wait. An earlier call that was asked for is kept.
func (c *NetworkClient) callAt(env *sim.Env, wait sim.Time) {
	if wait >= sim.Never-env.Now() {
		return
	}
	at := env.Now() + wait
	if c.metadataTimer != sim.NoTimer {
		if c.metadataAt == at {
			return
		}
		env.CancelTimer(c.metadataTimer)
	}
	c.metadataAt = at
	c.metadataTimer = env.SetTimer(wait, protocol.TimerMetadataAge, c.number<<ofClient, true)
}

func (c *NetworkClient) anyConnecting() bool {
	for _, b := range c.meta.brokers {
		if c.conn(Destination(b)).state == connecting {
			return true
		}
	}
	return false
}

// LeastLoaded gives the broker to ask when any will do; ok is false if none can be reached now: first one
// with a connection and nothing in flight, then the one with least in flight, then one that is being
// connected, then the one that was tried longest ago. Kafka begins to look at a random broker, the model
// at one drawn by Draw.
//
// Kafka: NetworkClient.leastLoadedNode.
func (c *NetworkClient) LeastLoaded(env *sim.Env) (b protocol.BrokerID, ok bool) {
	brokers := c.meta.brokers
	if len(brokers) == 0 {
		return protocol.NoBroker, false
	}
	start := Draw(env.Self(), drawBroker, c.draws, len(brokers))
	c.draws++
	var found, coming, possible *connection
	for i := range brokers {
		conn := c.conn(Destination(brokers[(start+i)%len(brokers)]))
		switch {
		case c.canSend(conn):
			if len(conn.inFlight) == 0 {
				return conn.to.Broker(), true
			}
			if found == nil || len(conn.inFlight) < len(found.inFlight) {
				found = conn
			}
		case conn.state == connecting:
			coming = conn
		case conn.canConnect(env.Now()):
			if possible == nil || conn.lastAttempt < possible.lastAttempt {
				possible = conn
			}
		}
	}
	for _, conn := range [...]*connection{found, coming, possible} {
		if conn != nil {
			return conn.to.Broker(), true
		}
	}
	return protocol.NoBroker, false
}
