package controller

import (
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// heartbeatState is what the active controller keeps in memory about a broker's session; after a restart
// of the controller every session begins anew.
type heartbeatState struct {
	tracked                  bool
	fenced                   bool
	overdue                  bool // silent for longer than is usual, or its connection is gone
	lastContact              sim.Time
	metadataOffset           int64
	controlledShutdownOffset int64 // -1: not shutting down
	conn                     sim.ConnID
	// adopted: its process has taken over a registration that the run began with, and is still loading.
	adopted bool
}

// brokerHeartbeatManager watches the sessions of unfenced brokers (BrokerHeartbeatManager, 3.9).
type brokerHeartbeatManager struct {
	brokers        []heartbeatState // by broker id - 1
	sessionTimeout sim.Time         // broker.session.timeout.ms
	usualSilence   sim.Time         // longer than the heartbeat interval

	timer   sim.TimerID
	timerAt sim.Time // sim.Never: none is set
	routine bool     // of the timer
}

func (m *brokerHeartbeatManager) init(n int, timeout, interval sim.Time) {
	m.brokers = make([]heartbeatState, n)
	m.sessionTimeout = timeout
	m.usualSilence = min(interval+interval/2, timeout)
	m.timer, m.timerAt = sim.NoTimer, sim.Never
}

func (m *brokerHeartbeatManager) hasValidSession(b protocol.BrokerID, now sim.Time) bool {
	s := &m.brokers[b-1]
	return s.tracked && !s.fenced && s.lastContact+m.sessionTimeout >= now
}

func (m *brokerHeartbeatManager) remove(b protocol.BrokerID) {
	m.brokers[b-1] = heartbeatState{metadataOffset: -1, controlledShutdownOffset: -1, conn: sim.NoConn}
}

// register begins to watch a broker, if it is not watched yet, and sets its fencing right.
func (m *brokerHeartbeatManager) register(b protocol.BrokerID, fenced bool, now sim.Time) {
	s := &m.brokers[b-1]
	offset := int64(-1)
	if !s.tracked {
		*s = heartbeatState{tracked: true, controlledShutdownOffset: -1, conn: sim.NoConn}
	} else if s.fenced != fenced {
		offset = s.metadataOffset
	}
	m.touch(b, fenced, offset, now)
}

// touch notes a sign of life. A broker that is fenced leaves controlled shutdown.
func (m *brokerHeartbeatManager) touch(b protocol.BrokerID, fenced bool, offset int64, now sim.Time) {
	s := &m.brokers[b-1]
	s.fenced, s.lastContact, s.metadataOffset, s.overdue = fenced, now, offset, false
	if fenced {
		s.controlledShutdownOffset = -1
	}
}

// lowestActiveOffset is how far the slowest active broker has applied the metadata log.
func (m *brokerHeartbeatManager) lowestActiveOffset() int64 {
	lowest := int64(1<<63 - 1)
	for i := range m.brokers {
		if s := &m.brokers[i]; s.tracked && !s.fenced && s.controlledShutdownOffset < 0 {
			lowest = min(lowest, s.metadataOffset)
		}
	}
	return lowest
}

// findOneStaleBroker gives the broker whose session ended longest ago, NoBroker if none has.
func (m *brokerHeartbeatManager) findOneStaleBroker(now sim.Time) protocol.BrokerID {
	stale := protocol.NoBroker
	for i := range m.brokers {
		s := &m.brokers[i]
		if s.tracked && !s.fenced && s.lastContact+m.sessionTimeout < now && (stale == protocol.NoBroker || s.lastContact < m.brokers[stale-1].lastContact) {
			stale = i + 1
		}
	}
	return stale
}

// disconnected notes that a broker's connection is gone. Its session lives on: Kafka waits for the time-out.
func (m *brokerHeartbeatManager) disconnected(conn sim.ConnID) {
	for i := range m.brokers {
		if s := &m.brokers[i]; s.tracked && s.conn == conn {
			s.overdue = true
			s.conn = sim.NoConn
		}
	}
}

// arm sets the timer for the next session that may end. A broker that is on time keeps no world busy; one
// that is overdue does, because its fencing is still to come.
func (m *brokerHeartbeatManager) arm(env *sim.Env) {
	at, routine := sim.Never, true
	now := env.Now()
	for i := range m.brokers {
		s := &m.brokers[i]
		if !s.tracked || s.fenced {
			continue
		}
		if now >= s.lastContact+m.usualSilence {
			s.overdue = true
		}
		end := s.lastContact + m.sessionTimeout + sim.Microsecond
		if s.overdue {
			routine = false
		} else {
			end = s.lastContact + m.usualSilence
		}
		at = min(at, end)
	}
	if m.timerAt != sim.Never && m.timerAt > now && m.timerAt <= at && m.routine == routine {
		return
	}
	env.CancelTimer(m.timer)
	m.timer, m.timerAt, m.routine = sim.NoTimer, at, routine
	if at != sim.Never {
		m.timer = env.SetTimer(at-now, protocol.TimerSession, 0, routine)
	}
}

// brokerControlState is a broker's place between fenced and gone (BrokerControlState).
type brokerControlState uint8

const (
	fenced brokerControlState = iota
	unfenced
	controlledShutdown
	shutdownNow
)

func (m *brokerHeartbeatManager) current(b protocol.BrokerID) brokerControlState {
	switch s := &m.brokers[b-1]; {
	case s.controlledShutdownOffset >= 0:
		return controlledShutdown
	case s.fenced:
		return fenced
	}
	return unfenced
}

// next decides what a heartbeat leads to. A fenced broker is let in once it has applied its own
// registration; one that leads partitions stops only after its leaderships have moved and every other
// broker has heard of it.
//
// Kafka: BrokerHeartbeatManager.calculateNextBrokerState (3.9).
//
// A process that has taken over a running registration asks to stay fenced while it loads, as every process
// does; it is let be, because the run begins in the middle of the cluster's life.
func (m *brokerHeartbeatManager) next(h *protocol.BrokerHeartbeat, registeredAt int64, leads bool) (now, next brokerControlState) {
	now = m.current(h.Broker)
	if s := &m.brokers[h.Broker-1]; s.adopted {
		if h.WantFence && !h.WantShutDown && now == unfenced {
			return now, now
		}
		s.adopted = false
	}
	switch now {
	case fenced:
		switch {
		case h.WantShutDown:
			return now, shutdownNow
		case !h.WantFence && h.MetadataOffset >= registeredAt:
			return now, unfenced
		}
		return now, fenced
	case unfenced:
		switch {
		case h.WantFence && h.WantShutDown:
			return now, shutdownNow
		case h.WantFence:
			return now, fenced
		case h.WantShutDown && leads:
			return now, controlledShutdown
		case h.WantShutDown:
			return now, shutdownNow
		}
		return now, unfenced
	}
	if leads || m.brokers[h.Broker-1].controlledShutdownOffset > m.lowestActiveOffset() {
		return now, controlledShutdown
	}
	return now, shutdownNow
}
