package controller

import (
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
)

// brokerRegistration is what the metadata log says of a broker (BrokerRegistration).
type brokerRegistration struct {
	protocol.RegistrationRecord
	known    bool
	recordAt int64 // where its RegisterBrokerRecord is: a broker that has applied it knows the cluster
}

// clusterControlManager holds the registrations, by broker id - 1 (ClusterControlManager).
type clusterControlManager struct {
	brokers []brokerRegistration
}

func (m *clusterControlManager) registration(b protocol.BrokerID) *brokerRegistration {
	if b < 1 || b > len(m.brokers) || !m.brokers[b-1].known {
		return nil
	}
	return &m.brokers[b-1]
}

// isActive: only a broker that is registered, not fenced and not shutting down may lead.
func (m *clusterControlManager) isActive(b protocol.BrokerID) bool {
	r := m.registration(b)
	return r != nil && !r.Fenced && !r.ShuttingDown
}

func (m *clusterControlManager) replay(rec *protocol.RegistrationRecord, offset int64) {
	r := &m.brokers[rec.Broker-1]
	if !r.known || r.Epoch != rec.Epoch || r.Incarnation != rec.Incarnation {
		r.recordAt = offset
	}
	r.RegistrationRecord, r.known = *rec, true
}

// checkBrokerEpoch refuses what an earlier life of a broker asks for
// (ClusterControlManager.checkBrokerEpoch).
func (c *QuorumController) checkBrokerEpoch(b protocol.BrokerID, epoch int64) protocol.Error {
	r := c.cluster.registration(b)
	if r == nil || r.Epoch != epoch && c.s.Planted.On(planted.StaleBrokerEpoch) {
		return protocol.StaleBrokerEpoch
	}
	return protocol.None
}

// registerBroker takes a new process of a broker into the cluster, fenced until it has caught up with the
// metadata. While an earlier process still has a session it is refused, and asks again.
//
// The broker epoch is the offset in the metadata log at which the registration is written, so that a later
// registration has a larger one. With ELR (KIP-966), a broker that can not name the epoch it last had has
// not been shut down in order: it may have lost the end of its logs, and leaves ISR and ELR.
//
// The first registration of a broker that was running when the run began takes over that running
// registration: it keeps epoch and state, as Kafka does for a second registration of one incarnation.
//
// Kafka: ClusterControlManager.registerBroker, ReplicationControlManager.handleBrokerShutdown (4.0.0 to 4.3.1).
func (c *QuorumController) registerBroker(q *protocol.BrokerRegistration) (out []change, r protocol.BrokerRegistrationResponse) {
	if q.Broker < 1 || q.Broker > len(c.cluster.brokers) {
		return nil, protocol.BrokerRegistrationResponse{Err: protocol.InvalidRequest, Epoch: -1}
	}
	old := c.cluster.registration(q.Broker)
	rec := &protocol.RegistrationRecord{Broker: q.Broker, Epoch: c.endOffset(), Incarnation: q.Incarnation, Fenced: true}
	switch {
	case old == nil:
	case old.Incarnation == q.Incarnation, old.Incarnation == runningAtStart && !old.Fenced:
		rec.Epoch, rec.Fenced, rec.ShuttingDown = old.Epoch, old.Fenced, old.ShuttingDown
		return []change{{registration: rec}}, protocol.BrokerRegistrationResponse{Epoch: rec.Epoch}
	case c.heartbeats.hasValidSession(q.Broker, c.env.Now()):
		c.env.Probe("broker id still has a session")
		return nil, protocol.BrokerRegistrationResponse{Err: protocol.DuplicateBrokerRegistration, Epoch: -1}
	}
	unclean := old != nil && old.Incarnation != runningAtStart && q.PreviousEpoch != old.Epoch
	if unclean && c.s.Rules.ELR {
		out = c.handleBrokerUncleanShutdown(q.Broker)
	}
	c.heartbeats.remove(q.Broker)
	out = append(out, change{registration: rec, unclean: unclean})
	return out, protocol.BrokerRegistrationResponse{Epoch: rec.Epoch}
}

// runningAtStart is the incarnation of a broker that the run found running.
const runningAtStart = 0
