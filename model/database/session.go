package database

import (
	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// Session is a client's side of a connection to a database, as a driver gives it to an application: one request at a
// time, answered in order. It belongs to a process, and ends with it.
//
// A connection that is lost leaves open what became of the request under way. The session asks again where that is
// safe, and also where an application without more thought does so: a statement that commits by itself, of which
// nobody knows whether it has. It does not where it would be a lie: what was written in a transaction is gone with the
// connection, and whether a COMMIT was carried out can not be asked twice.
type Session struct {
	db          sim.NodeID
	conn        sim.ConnID
	correlation int32
	request     *protocol.DatabaseRequest // under way, or to be sent again; nil none
	again       bool                      // it has been sent before
	open        bool                      // a transaction is open on this connection
	gone        bool                      // it was, and the connection is lost
	timer       sim.TimerID               // of the request: its time-out, or the pause before it is sent again
}

// Outcome is how a call ended.
type Outcome struct {
	Request *protocol.DatabaseRequest
	// Response is the answer; nil if there was none.
	Response *protocol.DatabaseResponse
	// Err is the exception that the application gets; DbOK none.
	Err protocol.DatabaseError
	// Unknown: the database may have done nevertheless what it was asked for.
	Unknown bool
	// Again: the request was sent more than once, so that its effect may be there more than once.
	Again bool
}

const (
	// socketTimeout is how long a session waits for an answer before it gives the connection up. Drivers wait for ever
	// unless they are told (PostgreSQL's socketTimeout, MySQL's too); thirty seconds is what people tell them.
	socketTimeout = 30 * sim.Second
	// reconnectPause lies before a request is sent again on a new connection.
	reconnectPause = 100 * sim.Millisecond
)

// NewSession makes a session with a database, and no connection yet.
func NewSession(db sim.NodeID) Session {
	return Session{db: db, conn: sim.NoConn, timer: sim.NoTimer}
}

// Owns says that a connection is the session's.
func (s *Session) Owns(c sim.ConnID) bool { return c != sim.NoConn && c == s.conn }

// InTransaction says that a transaction is open.
func (s *Session) InTransaction() bool { return s.open }

// Request is the request under way, nil if there is none.
func (s *Session) Request() *protocol.DatabaseRequest { return s.request }

// Call begins a request; there must be none under way. If done is true it has failed already: the transaction that it
// belongs to is gone.
func (s *Session) Call(env *sim.Env, r protocol.DatabaseRequest) (o Outcome, done bool) {
	if s.request != nil {
		panic("database: a session has one request at a time")
	}
	s.correlation++
	r.Correlation = s.correlation
	s.request, s.again = &r, false
	if s.gone && (r.InTransaction || r.Op == protocol.DbCommit || r.Op == protocol.DbPrepare) {
		return s.fail(env, protocol.DbConnectionLost, false), true
	}
	s.gone = false
	s.send(env)
	return Outcome{}, false
}

func (s *Session) send(env *sim.Env) {
	if s.conn == sim.NoConn {
		s.conn = env.Connect(s.db)
	}
	s.open = s.open || s.request.InTransaction
	env.Send(s.conn, s.request)
	s.timer = env.SetTimer(socketTimeout, protocol.TimerDatabase, 0, s.request.Routine())
}

func (s *Session) stopTimer(env *sim.Env) {
	env.CancelTimer(s.timer)
	s.timer = sim.NoTimer
}

// Receive takes an answer. ok is false if the message is none to the request under way.
func (s *Session) Receive(env *sim.Env, d sim.Delivery) (o Outcome, ok bool) {
	a, is := d.Msg.(*protocol.DatabaseResponse)
	if !is || d.Conn != s.conn || s.request == nil || a.Correlation != s.request.Correlation {
		return Outcome{}, false
	}
	s.stopTimer(env)
	if r := s.request; r.Op == protocol.DbCommit || r.Op == protocol.DbRollback || r.Op == protocol.DbPrepare || a.Err != protocol.DbOK {
		s.open = false
	}
	err := a.Err
	if err == protocol.DbNotPrepared && s.again { // it was carried out the first time
		err = protocol.DbOK
	}
	if err != protocol.DbOK {
		o = s.fail(env, err, false)
		o.Response = a
		return o, true
	}
	o = Outcome{Request: s.request, Response: a, Again: s.again}
	s.request = nil
	return o, true
}

// Disconnected takes the news that a connection is gone; ok says that a call has ended by it.
func (s *Session) Disconnected(env *sim.Env, c sim.ConnID) (o Outcome, ok bool) {
	if c != s.conn || c == sim.NoConn {
		return Outcome{}, false
	}
	return s.lost(env)
}

// Timer takes a timer of kind TimerDatabase; ok says that a call has ended by it.
func (s *Session) Timer(env *sim.Env) (o Outcome, ok bool) {
	s.timer = sim.NoTimer
	switch {
	case s.request == nil:
		return Outcome{}, false
	case s.conn == sim.NoConn:
		s.again = true
		s.send(env)
		return Outcome{}, false
	}
	env.Close(s.conn)
	return s.lost(env)
}

// lost ends the connection. What is under way is asked again later, or fails.
func (s *Session) lost(env *sim.Env) (o Outcome, ok bool) {
	env.Record(&event.ConnectionLost{Peer: s.db})
	open := s.open
	s.conn, s.open = sim.NoConn, false
	s.stopTimer(env)
	switch r := s.request; {
	case r == nil:
		s.gone = open
		return Outcome{}, false
	case open:
		return s.fail(env, protocol.DbConnectionLost, r.Op == protocol.DbCommit || r.Op == protocol.DbPrepare), true
	default:
		if !r.Routine() {
			env.Record(&event.DatabaseRetried{MayBeDone: r.Op.Writes(), Op: r.Op})
		}
		s.timer = env.SetTimer(reconnectPause, protocol.TimerDatabase, 0, r.Routine())
		return Outcome{}, false
	}
}

// fail is an exception for the application.
func (s *Session) fail(env *sim.Env, err protocol.DatabaseError, unknown bool) Outcome {
	o := Outcome{Request: s.request, Err: err, Unknown: unknown, Again: s.again}
	env.Record(&event.DatabaseFailed{Err: err, MayBeDone: unknown, Op: s.request.Op})
	s.request, s.gone = nil, false
	return o
}

// Close ends the session: the database rolls back what is open.
func (s *Session) Close(env *sim.Env) {
	s.stopTimer(env)
	env.Close(s.conn)
	*s = Session{db: s.db, conn: sim.NoConn, correlation: s.correlation, timer: sim.NoTimer}
}
