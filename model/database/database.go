package database

import (
	"slices"

	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// Database is the node.
type Database struct {
	wal      *sim.File
	tables   []Table
	places   []place
	owners   []owner
	prepared []transaction
	sessions []session
	commits  int64 // how many transactions have committed, in the whole life of the database
	begun    int64 // the number of the transaction that began last
}

// session is a connection and the transaction that is open on it. Nothing of it survives the connection.
type session struct {
	conn   sim.ConnID
	client sim.NodeID
	open   bool
	txn    transaction
	heard  int32 // correlation id of the last request
}

// New makes the process of a database.
func New() *Database { return &Database{} }

// Start reads back what was committed and what was prepared.
func (d *Database) Start(env *sim.Env) {
	d.wal = env.Disk().File(walName)
	for _, b := range d.wal.Blocks() {
		d.replay(b.(entry))
	}
	if env.Incarnation() > 1 {
		rows := 0
		for i := range d.tables {
			rows += len(d.tables[i].Rows)
		}
		env.Record(&event.DatabaseRecovered{Rows: int64(rows), Prepared: int64(len(d.prepared))})
	}
}

// Timer has nothing to do: the database never waits.
func (d *Database) Timer(*sim.Env, sim.Timer) {}

// Disconnected ends a session. Its transaction is rolled back; one that was prepared is no longer the session's.
func (d *Database) Disconnected(env *sim.Env, c sim.ConnID) {
	i := slices.IndexFunc(d.sessions, func(s session) bool { return s.conn == c })
	if i < 0 {
		return
	}
	if s := &d.sessions[i]; s.open {
		d.rolledBack(env, s, event.SessionGone, protocol.DbOK)
	}
	d.sessions = slices.Delete(d.sessions, i, i+1)
}

func (d *Database) session(conn sim.ConnID, client sim.NodeID) *session {
	i := slices.IndexFunc(d.sessions, func(s session) bool { return s.conn == conn })
	if i < 0 {
		i = len(d.sessions)
		d.sessions = append(d.sessions, session{conn: conn, client: client})
	}
	return &d.sessions[i]
}

// Receive carries out a request and answers it at once.
func (d *Database) Receive(env *sim.Env, in sim.Delivery) {
	r, ok := in.Msg.(*protocol.DatabaseRequest)
	if cmd, told := in.Msg.(*protocol.Command); told && cmd.InsertRows != nil {
		d.insert(env, cmd.InsertRows)
	}
	if !ok {
		return
	}
	a := &protocol.DatabaseResponse{Correlation: r.Correlation, Op: r.Op}
	s := d.session(in.Conn, in.From)
	if r.Correlation <= s.heard {
		return // the network has doubled it, and TCP delivers once
	}
	s.heard = r.Correlation
	switch r.Op {
	case protocol.DbReadPositions:
		d.readPositions(env, r, a)
	case protocol.DbListPrepared:
		for i := range d.prepared {
			if t := &d.prepared[i]; t.group == r.Group {
				a.Prepared = append(a.Prepared, protocol.PreparedTransaction{Name: t.name, Group: t.group, Positions: t.covers})
			}
		}
	case protocol.DbRead:
		d.read(r, a)
	case protocol.DbCommit:
		a.Err = d.commit(env, s)
	case protocol.DbRollback:
		if a.Err = protocol.DbNoTransaction; s.open {
			d.rolledBack(env, s, event.AsAsked, protocol.DbOK)
			a.Err = protocol.DbOK
		}
	case protocol.DbPrepare:
		a.Err = d.prepare(env, s, r)
	case protocol.DbCommitPrepared, protocol.DbRollbackPrepared:
		a.Err = d.resolve(env, r)
	default:
		a.Err = d.write(env, s, r)
	}
	if a.Err != protocol.DbOK {
		env.Record(&event.DatabaseRefused{Err: a.Err, Client: in.From, Op: r.Op})
	}
	env.Send(in.Conn, a)
}

// read gives rows as they are committed: a reader sees nothing of open transactions, prepared ones included.
func (d *Database) read(r *protocol.DatabaseRequest, a *protocol.DatabaseResponse) {
	t := d.table(r.Table)
	if t == nil {
		return
	}
	for _, row := range t.Rows {
		if row.ID > r.After && !row.Marked && (r.Limit == 0 || len(a.Rows) < r.Limit) {
			a.Rows = append(a.Rows, row)
		}
	}
}

// insert commits the rows of another program.
func (d *Database) insert(env *sim.Env, in *protocol.InsertRowsCommand) {
	r := protocol.DatabaseRequest{Op: protocol.DbInsert, Table: in.Table}
	for i := range in.Records {
		r.Rows = append(r.Rows, protocol.Row{Record: &in.Records[i]})
	}
	d.write(env, &session{client: sim.Nobody}, &r)
}
