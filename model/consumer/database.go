package consumer

import (
	"slices"

	"kafkatrial/model/client"
	"kafkatrial/model/database"
	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// An application that keeps what it does in a database beside Kafka: it has one session with it, in the thread of its
// loop, and catches nothing. An exception of the database leaves the loop and closes everything: the database rolls back
// what is open, and the producer aborts its transaction.

// DatabaseUse says how an application uses a database.
type DatabaseUse struct {
	Name   string
	Node   sim.NodeID
	Table  string // Insert and Upsert write one row for each record
	Outbox string // and one here in the same transaction, empty: none
	// Fence: the application takes over the positions of the partitions it gets, so that what an earlier owner still
	// stores is refused.
	Fence bool
}

// SourceTable is what an application reads in place of topics.
type SourceTable struct {
	Name  string
	Node  sim.NodeID
	Table string
}

// At gives the use with the node that the name stands for.
func (u *DatabaseUse) At(node func(string) sim.NodeID) *DatabaseUse {
	if u == nil {
		return nil
	}
	found := *u
	found.Node = node(u.Name)
	return &found
}

// At gives the source with the node that the name stands for.
func (s *SourceTable) At(node func(string) sim.NodeID) *SourceTable {
	if s == nil {
		return nil
	}
	found := *s
	found.Node = node(s.Name)
	return &found
}

// ResumeFrom says where an application takes its positions from when it gets a partition.
type ResumeFrom uint8

// The places.
const (
	FromCommitted ResumeFrom = iota // those committed in Kafka
	FromDatabase                    // those that StorePositions has written; of a partition without one, as FromCommitted
	FromStaged                      // those that StagePositions has written; the same
)

// why the application's thread is in a request of its database.
type errand uint8

const (
	forStatement errand = iota // the verb at pc
	forPrepared                // what a process before this one has prepared, when the application begins
	forResolved                // one of it is committed or rolled back
	forPositions               // in poll: those stored for partitions that it has got
	forRollback                // after abortTransaction: what was written in the same round
)

// databaseClient is the application's side of its database.
type databaseClient struct {
	session  database.Session
	errand   errand
	done     int                            // records of the last poll that are written
	prepared []protocol.PreparedTransaction // to be resolved
	asked    int32                          // correlation id of the look-up of committed positions for it, 0 none
	retryAt  sim.Time                       // no look-up before
	covered  []protocol.CommitData          // its answer
	name     string                         // of the transaction that Prepare has prepared
	after    int64                          // of a source: the last row that poll has returned
	pollAt   sim.Time                       // of a source: no look for rows before
}

// tablePoll is how long an application that reads a table waits after it has found nothing new.
const tablePoll = 100 * sim.Millisecond

// tablePollTimer is the argument of its timer, which tells it from the session's.
const tablePollTimer = 1

func (c *Consumer) databaseNode() sim.NodeID {
	switch {
	case c.app.Database != nil:
		return c.app.Database.Node
	case c.app.Source != nil:
		return c.app.Source.Node
	}
	return sim.Nobody
}

// begin comes to the first verb with clients that are new. An application that prepares transactions first sees to those
// that a process before it has left prepared.
func (c *Consumer) begin(env *sim.Env) {
	if c.databaseNode() != sim.Nobody {
		c.db = databaseClient{session: database.NewSession(c.databaseNode())}
	}
	if slices.Contains(c.app.Loop, PrepareDatabase) {
		c.ask(env, forPrepared, protocol.DatabaseRequest{Op: protocol.DbListPrepared, Group: c.app.Group})
		return
	}
	c.enter(env, 0)
}

// ask begins a request of the database.
func (c *Consumer) ask(env *sim.Env, why errand, r protocol.DatabaseRequest) {
	c.loop.state, c.db.errand = Asking, why
	if o, done := c.db.session.Call(env, r); done {
		c.answered(env, o)
	}
}

// answered goes on after a request has ended.
func (c *Consumer) answered(env *sim.Env, o database.Outcome) {
	if c.loop.state != Asking {
		return // the application has left its loop meanwhile
	}
	if o.Err != protocol.DbOK {
		c.leave(env, &event.ConsumerFailed{Position: -1, From: event.ByDatabase})
		return
	}
	switch c.db.errand {
	case forPrepared:
		c.db.prepared = o.Response.Prepared
		c.recover(env)
	case forResolved:
		c.db.prepared = c.db.prepared[1:]
		c.recover(env)
	case forPositions:
		c.seekToStored(env, o.Response.Positions)
		c.loop.state = Polling
		if c.loop.stop {
			c.stopNow(env)
		}
	case forRollback:
		c.aborted(env)
	default:
		c.stated(env, o)
	}
}

// transactional says that what the loop writes belongs to one transaction of the database.
func (c *Consumer) transactional() bool { return slices.Contains(c.app.Loop, CommitDatabase) }

// callDatabase carries out a verb that is a request of the database, or several.
func (c *Consumer) callDatabase(env *sim.Env, verb Verb) {
	if len(c.loop.batch) == 0 {
		c.endVerb(env)
		return
	}
	r := protocol.DatabaseRequest{Group: c.app.Group}
	switch verb {
	case Insert, Upsert:
		c.db.done = 0
		c.writeRow(env)
		return
	case StorePositions:
		r.Op, r.InTransaction, r.Positions = protocol.DbStorePositions, c.transactional(), c.storedPositions()
	case StagePositions:
		r.Op, r.Positions = protocol.DbStorePositions, c.storedPositions()
		for i := range r.Positions {
			r.Positions[i].Staged = true
		}
	case PrepareDatabase:
		r.Op, r.Positions = protocol.DbPrepare, c.storedPositions()
		r.Transaction = protocol.TransactionName(c.app.Group, r.Positions)
		c.db.name = r.Transaction
	case CommitDatabase:
		r.Op = protocol.DbCommit
		if slices.Contains(c.app.Loop, PrepareDatabase) {
			r.Op, r.Transaction = protocol.DbCommitPrepared, c.db.name
		}
	case Mark:
		r.Op, r.Table = protocol.DbMark, c.app.Source.Table
		for i := range c.loop.batch {
			r.IDs = append(r.IDs, c.loop.batch[i].Offset)
		}
	}
	c.ask(env, forStatement, r)
}

// writeRow writes the rows of the next record in hand: one request for each record.
func (c *Consumer) writeRow(env *sim.Env) {
	in := c.loop.batch[c.db.done].Record
	r := protocol.DatabaseRequest{Op: protocol.DbInsert, InTransaction: c.transactional(), Table: c.app.Database.Table,
		Rows: []protocol.Row{{Table: c.app.Database.Table, Record: in}}}
	if out := c.app.Database.Outbox; out != "" {
		event := *in
		event.ID, event.From = OutputID(in.ID, out), in.ID
		r.Rows = append(r.Rows, protocol.Row{Table: out, Record: &event})
	}
	if c.app.Loop[c.loop.pc] == Upsert {
		r.Op = protocol.DbUpsert
		for i := range r.Rows {
			r.Rows[i].Key = r.Rows[i].Record.ID
		}
	}
	c.ask(env, forStatement, r)
}

// stated goes on after a request of a verb.
func (c *Consumer) stated(env *sim.Env, o database.Outcome) {
	switch c.app.Loop[c.loop.pc] {
	case Poll:
		c.tableRead(env, o.Response.Rows)
		return
	case Insert, Upsert:
		if c.db.done++; c.db.done < len(c.loop.batch) {
			c.writeRow(env)
			return
		}
	}
	c.endVerb(env)
}

// storedPositions are those after the last poll, with the owner that the application has become.
func (c *Consumer) storedPositions() []protocol.StoredPosition {
	var all []protocol.StoredPosition
	for _, d := range c.kafka.subs.allConsumed() {
		all = append(all, protocol.StoredPosition{Group: c.app.Group, TP: d.TP, Offset: d.Offset, Owner: c.kafka.subs.find(d.TP).owner})
	}
	return all
}

// consultDatabase asks the database for the positions of partitions that have none, as an application does in
// ConsumerRebalanceListener.onPartitionsAssigned to seek there. It reports whether a request is under way, for which poll
// waits.
func (c *Consumer) consultDatabase(env *sim.Env) bool {
	if c.app.Database == nil || c.app.Resume == FromCommitted && !c.app.Database.Fence {
		return false
	}
	r := protocol.DatabaseRequest{Op: protocol.DbReadPositions, Group: c.app.Group, Own: c.app.Database.Fence, Staged: c.app.Resume == FromStaged}
	for i := range c.kafka.subs.partitions {
		if p := &c.kafka.subs.partitions[i]; p.State == Initializing && !p.consulted {
			r.Partitions = append(r.Partitions, p.TP)
		}
	}
	if r.Partitions == nil {
		return false
	}
	c.ask(env, forPositions, r)
	return c.loop.state != Polling
}

// seekToStored takes what the database has stored.
func (c *Consumer) seekToStored(env *sim.Env, stored []protocol.StoredPosition) {
	for i := range stored {
		s := &stored[i]
		p := c.kafka.subs.find(s.TP)
		if p == nil || p.State != Initializing {
			continue
		}
		p.consulted, p.owner = true, s.Owner
		if s.Offset < 0 || c.app.Resume == FromCommitted {
			continue
		}
		from, why := p.from, event.FromStored
		if s.Staged {
			why = event.FromStaged
		}
		p.rewinds, p.from = false, -1
		p.seekValidated(c.positionAt(p.TP, s.Offset, -1))
		c.recordPosition(env, p, from, why)
	}
}

// recover resolves what is prepared, one transaction after the other: where the positions that it stands for are
// committed in Kafka it is committed, and else rolled back, for then its records come again.
func (c *Consumer) recover(env *sim.Env) {
	if len(c.db.prepared) == 0 {
		c.enter(env, 0)
		return
	}
	c.loop.state = Recovering
	c.db.covered = nil
	c.recovering(env)
}

// recovering looks the committed positions up (KafkaConsumer.committed), and decides.
func (c *Consumer) recovering(env *sim.Env) {
	c.lookAtInbox(env)
	t := &c.db.prepared[0]
	if c.db.covered == nil {
		if c.db.asked != 0 || c.db.retryAt > env.Now() || !c.coordinatorReady(env) {
			return
		}
		req := &protocol.OffsetFetch{Correlation: c.kafka.net.NextCorrelation(), Group: c.app.Group}
		for i := range t.Positions {
			req.Partitions = append(req.Partitions, t.Positions[i].TP)
		}
		c.db.asked = req.Correlation
		c.kafka.net.Send(env, client.Coordinator(c.kafka.coord.known), req.Correlation, req, true)
		return
	}
	end := protocol.DbCommitPrepared
	for i := range t.Positions {
		p := &t.Positions[i]
		if !slices.ContainsFunc(c.db.covered, func(d protocol.CommitData) bool { return d.TP == p.TP && d.Offset >= p.Offset }) {
			end = protocol.DbRollbackPrepared
		}
	}
	c.ask(env, forResolved, protocol.DatabaseRequest{Op: end, Group: c.app.Group, Transaction: t.Name})
}

// handleCommitted takes the committed positions that recovering has asked for; mine is false if it has not.
func (c *Consumer) handleCommitted(env *sim.Env, r *client.Response) (mine bool) {
	if c.db.asked == 0 || c.db.asked != r.Correlation {
		return false
	}
	c.db.asked = 0
	a, ok := r.Answer.(*protocol.OffsetFetchResponse)
	if !ok || a.Err != protocol.None {
		if !ok || a.Err == protocol.NotCoordinator || a.Err == protocol.CoordinatorNotAvailable {
			c.markCoordinatorUnknown()
		}
		c.db.retryAt = env.Now() + c.cfg.client.RetryBackoff
		return true
	}
	c.db.covered = a.Data
	return true
}

// pollTable goes on with a poll of the source: it reads rows until there are some.
func (c *Consumer) pollTable(env *sim.Env) {
	if c.db.pollAt > env.Now() || c.readsPositionBack(env) {
		return
	}
	c.ask(env, forStatement, protocol.DatabaseRequest{Op: protocol.DbRead, Table: c.app.Source.Table, After: c.db.after, Limit: c.cfg.maxPollRecords})
}

// tableRead takes rows.
func (c *Consumer) tableRead(env *sim.Env, rows []*protocol.Row) {
	if len(rows) == 0 {
		c.loop.state = Polling
		if c.loop.stop {
			c.stopNow(env)
			return
		}
		c.db.pollAt = env.Now() + tablePoll
		env.SetTimer(tablePoll, protocol.TimerDatabase, tablePollTimer, true)
		return
	}
	var batch []event.Consumed
	for _, r := range rows {
		batch = append(batch, event.Consumed{TP: protocol.TopicPartition{Topic: r.Table}, Offset: r.ID, Record: r.Record})
		c.db.after = r.ID
	}
	env.Record(&event.RowsRead{First: rows[0].ID, Last: c.db.after, Table: c.app.Source.Table, Records: batch})
	c.polled(env, batch)
}

// rollBack ends what is open in the database, before the application goes on after an abort of Kafka's transaction; it
// reports whether it has to wait for that.
func (c *Consumer) rollBack(env *sim.Env) bool {
	if !c.db.session.InTransaction() {
		return false
	}
	c.ask(env, forRollback, protocol.DatabaseRequest{Op: protocol.DbRollback})
	return true
}

// rewindSource has the next poll of a source begin with the rows in hand again.
func (c *Consumer) rewindSource() {
	if c.app.Source != nil && len(c.loop.batch) > 0 {
		c.db.after = c.loop.batch[0].Offset - 1
	}
}

// closeDatabase ends the session.
func (c *Consumer) closeDatabase(env *sim.Env) {
	if c.databaseNode() != sim.Nobody {
		c.db.session.Close(env)
	}
}

// Database is the application's session, nil if it has none.
func (c *Consumer) Database() *database.Session {
	if c.databaseNode() == sim.Nobody {
		return nil
	}
	return &c.db.session
}

// Reads is the table that the application reads and the number of the last row that it has got, "" if it reads none.
func (c *Consumer) Reads() (table string, after int64) {
	if c.app.Source == nil {
		return "", 0
	}
	return c.app.Source.Table, c.db.after
}

// WritesRows says that the application takes effect by rows that it writes.
func (a *Application) WritesRows() bool {
	return a.Database != nil && (slices.Contains(a.Loop, Insert) || slices.Contains(a.Loop, Upsert))
}
