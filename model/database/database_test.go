package database

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// client is an application that a test drives: it calls what it is told and keeps how the calls end.
type client struct {
	env     *sim.Env
	session Session
	ended   []Outcome
}

func (c *client) Start(env *sim.Env) { c.env, c.session = env, NewSession(0) }

func (c *client) Receive(env *sim.Env, d sim.Delivery) {
	c.take(c.session.Receive(env, d))
}

func (c *client) Timer(env *sim.Env, t sim.Timer) { c.take(c.session.Timer(env)) }

func (c *client) Disconnected(env *sim.Env, id sim.ConnID) { c.take(c.session.Disconnected(env, id)) }

func (c *client) take(o Outcome, ok bool) {
	if ok {
		c.ended = append(c.ended, o)
	}
}

// harness is a database and two clients.
type harness struct {
	t *testing.T
	w *sim.World
}

func newHarness(t *testing.T) *harness {
	cfg := sim.Config{MessageNames: protocol.MessageNames, TimerNames: protocol.TimerNames, MaxSteps: 10000,
		Nodes: []sim.NodeSpec{{Name: "db", New: func() sim.Node { return New() }}}}
	for _, n := range []string{"c1", "c2"} {
		cfg.Nodes = append(cfg.Nodes, sim.NodeSpec{Name: n, New: func() sim.Node { return &client{} }})
	}
	h := &harness{t, sim.New(cfg)}
	h.run(0)
	return h
}

func (h *harness) run(d sim.Time) {
	end := h.w.Now() + d
	for h.w.NextAt() <= end {
		if _, ok := h.w.Pending(); !ok {
			break
		}
		h.w.Resolve(0)
	}
	h.w.AdvanceTo(end)
}

func (h *harness) db() *Database        { return h.w.Node(0).(*Database) }
func (h *harness) client(n int) *client { return h.w.Node(sim.NodeID(n)).(*client) }

// call begins a call; do waits for its end too.
func (h *harness) call(n int, r protocol.DatabaseRequest) {
	c := h.client(n)
	c.take(c.session.Call(c.env, r))
}

func (h *harness) do(n int, r protocol.DatabaseRequest) Outcome {
	h.t.Helper()
	c := h.client(n)
	before := len(c.ended)
	h.call(n, r)
	h.run(5 * sim.Millisecond)
	if len(c.ended) != before+1 {
		h.t.Fatalf("%v has not ended", r.Op)
	}
	return c.ended[before]
}

func (h *harness) want(o Outcome, err protocol.DatabaseError) {
	h.t.Helper()
	if o.Err != err {
		h.t.Errorf("%v ends with %q, want %q", o.Request.Op, o.Err, err)
	}
}

// rows writes the committed rows of a table: "1:m1 2:m2".
func (h *harness) rows() string {
	var all []string
	for _, t := range h.db().Tables() {
		for _, r := range t.Rows {
			all = append(all, fmt.Sprintf("%d:%s", r.ID, r.Record.ID))
		}
	}
	return strings.Join(all, " ")
}

func (h *harness) wantRows(want string) {
	h.t.Helper()
	if got := h.rows(); got != want {
		h.t.Errorf("rows %q, want %q", got, want)
	}
}

// told lists the events of a type.
func told[E sim.Event](h *harness) (all []E) {
	for _, f := range h.w.Trace().Events {
		if e, ok := f.Event.(E); ok {
			all = append(all, e)
		}
	}
	return all
}

func row(id string) protocol.Row { return protocol.Row{Key: id, Record: &record.Record{ID: id}} }

func statement(op protocol.DatabaseOp, open bool, ids ...string) protocol.DatabaseRequest {
	r := protocol.DatabaseRequest{Op: op, Table: "t", InTransaction: open}
	for _, id := range ids {
		in := row(id)
		if op == protocol.DbInsert {
			in.Key = ""
		}
		r.Rows = append(r.Rows, in)
	}
	return r
}

func insert(ids ...string) protocol.DatabaseRequest {
	return statement(protocol.DbInsert, false, ids...)
}

var in0 = protocol.TopicPartition{Topic: "in"}

func reading(own bool) protocol.DatabaseRequest {
	return protocol.DatabaseRequest{Op: protocol.DbReadPositions, Group: "g", Own: own, Partitions: []protocol.TopicPartition{in0}}
}

func position(offset, owner int64, open bool) protocol.DatabaseRequest {
	p := protocol.StoredPosition{Group: "g", TP: in0, Offset: offset, Owner: owner}
	return protocol.DatabaseRequest{Op: protocol.DbStorePositions, InTransaction: open, Positions: []protocol.StoredPosition{p}}
}

func op(o protocol.DatabaseOp) protocol.DatabaseRequest {
	return protocol.DatabaseRequest{Op: o, Group: "g"}
}

func named(o protocol.DatabaseOp, name string) protocol.DatabaseRequest {
	return protocol.DatabaseRequest{Op: o, Group: "g", Transaction: name}
}

func TestEveryInsertIsANewRowAndAnUpsertIsNot(t *testing.T) {
	h := newHarness(t)
	h.do(1, insert("m1"))
	h.do(1, insert("m1"))
	h.wantRows("1:m1 2:m1")
	h.do(1, statement(protocol.DbUpsert, false, "m2"))
	h.do(2, statement(protocol.DbUpsert, false, "m2"))
	h.wantRows("1:m1 2:m1 3:m2")
	if got := told[*event.RowUnchanged](h); len(got) != 1 || got[0].Record != "m2" || got[0].Client != 2 {
		t.Errorf("told %+v", got)
	}
}

func TestATransactionIsSeenWhenItCommitsAndNotBefore(t *testing.T) {
	h := newHarness(t)
	h.do(1, statement(protocol.DbInsert, true, "m1"))
	h.do(1, position(1, 0, true))
	h.wantRows("")
	if got := h.do(2, reading(false)).Response.Positions; got[0].Offset >= 0 {
		t.Errorf("a position of an open transaction is seen: %v", got)
	}
	h.want(h.do(1, op(protocol.DbCommit)), protocol.DbOK)
	h.wantRows("1:m1")
	if got := h.db().Positions(); len(got) != 1 || got[0].Offset != 1 {
		t.Errorf("positions %v", got)
	}
	h.want(h.do(1, op(protocol.DbCommit)), protocol.DbNoTransaction)
}

func TestTheEndOfASessionRollsItsTransactionBack(t *testing.T) {
	for name, end := range map[string]func(*harness){
		"rollback": func(h *harness) { h.do(1, op(protocol.DbRollback)) },
		"close":    func(h *harness) { c := h.client(1); c.session.Close(c.env) },
		"crash":    func(h *harness) { h.w.Kill(1) },
		"reset":    func(h *harness) { h.w.Disconnect(0, 1) },
	} {
		h := newHarness(t)
		h.do(1, statement(protocol.DbInsert, true, "m1"))
		end(h)
		h.run(5 * sim.Millisecond)
		h.wantRows("")
		if len(h.db().Open()) != 0 || len(told[*event.DatabaseRolledBack](h)) != 1 {
			t.Errorf("%s: open %v", name, h.db().Open())
		}
		h.do(2, insert("m2"))
		h.wantRows("2:m2") // the number of a row that was given up is not given again
	}
}

func TestAPausedClientKeepsItsSession(t *testing.T) {
	h := newHarness(t)
	h.do(1, statement(protocol.DbInsert, true, "m1"))
	h.w.Pause(1)
	h.run(10 * sim.Minute)
	h.w.Resume(1)
	h.run(0)
	h.want(h.do(1, op(protocol.DbCommit)), protocol.DbOK)
	h.wantRows("1:m1")
}

func TestTheFirstToCommitWins(t *testing.T) {
	h := newHarness(t)
	h.do(1, statement(protocol.DbUpsert, true, "m1"))
	h.do(2, statement(protocol.DbUpsert, true, "m1"))
	h.want(h.do(2, op(protocol.DbCommit)), protocol.DbOK)
	h.want(h.do(1, op(protocol.DbCommit)), protocol.DbSerialization)
	h.wantRows("2:m1")

	h.do(1, position(1, 0, true))
	h.do(2, position(1, 0, false))
	h.want(h.do(1, op(protocol.DbCommit)), protocol.DbSerialization)

	h.do(1, position(2, 0, true)) // what was committed before it wrote is no conflict
	h.want(h.do(1, op(protocol.DbCommit)), protocol.DbOK)
}

func TestANewOwnerOfPositionsFencesTheOldOne(t *testing.T) {
	h := newHarness(t)
	first := h.do(1, reading(true)).Response.Positions[0].Owner
	h.want(h.do(1, position(1, first, false)), protocol.DbOK)
	h.do(1, statement(protocol.DbInsert, true, "m1"))
	h.do(1, position(2, first, true))
	second := h.do(2, reading(true)).Response.Positions[0]
	if second.Owner != first+1 || second.Offset != 1 {
		t.Errorf("the second owner is told %+v", second)
	}
	h.want(h.do(1, op(protocol.DbCommit)), protocol.DbFenced)
	h.wantRows("")
	h.want(h.do(1, position(2, first, false)), protocol.DbFenced)
	h.want(h.do(1, position(2, first, true)), protocol.DbFenced) // at once, and not only when it commits
	h.want(h.do(2, position(2, second.Owner, false)), protocol.DbOK)
	h.want(h.do(1, position(7, 0, false)), protocol.DbOK) // who does not say whom it is is not looked at
}

func TestAPreparedTransactionOutlivesItsClientAndTheDatabase(t *testing.T) {
	for _, commit := range []bool{true, false} {
		h := newHarness(t)
		h.do(1, statement(protocol.DbInsert, true, "m1"))
		covers := []protocol.StoredPosition{{Group: "g", TP: in0, Offset: 1}}
		name := protocol.TransactionName("g", covers)
		if name != "g/in-0@1" {
			t.Errorf("name %q", name)
		}
		r := named(protocol.DbPrepare, name)
		r.Positions = covers
		h.want(h.do(1, r), protocol.DbOK)
		h.w.Kill(1)
		h.w.PowerLoss(0, nil)
		h.w.Restart(0)
		h.run(sim.Millisecond)
		h.wantRows("")
		got := h.do(2, op(protocol.DbListPrepared)).Response.Prepared
		if len(got) != 1 || got[0].Name != name || !slices.Equal(got[0].Positions, covers) {
			t.Fatalf("prepared: %+v", got)
		}
		end, rows := protocol.DbRollbackPrepared, ""
		if commit {
			end, rows = protocol.DbCommitPrepared, "1:m1"
		}
		h.want(h.do(2, named(end, name)), protocol.DbOK)
		h.wantRows(rows)
		h.want(h.do(2, named(end, name)), protocol.DbNotPrepared)
	}
}

func TestAPreparedTransactionCanNoLongerFail(t *testing.T) {
	h := newHarness(t)
	h.do(1, statement(protocol.DbUpsert, true, "m1"))
	h.do(1, position(1, 0, true))
	h.want(h.do(1, named(protocol.DbPrepare, "x")), protocol.DbOK)
	h.want(h.do(2, position(5, 0, false)), protocol.DbSerialization)
	h.want(h.do(2, statement(protocol.DbUpsert, false, "m1")), protocol.DbSerialization)
	if n := len(told[*event.RowInserted](h)); n != 1 {
		t.Errorf("%d rows are told of, and one was written", n)
	}
	h.want(h.do(2, named(protocol.DbCommitPrepared, "x")), protocol.DbOK)
	h.wantRows("1:m1")
}

func TestWhatIsCommittedIsDurable(t *testing.T) {
	h := newHarness(t)
	h.do(1, insert("m1"))
	h.do(1, statement(protocol.DbInsert, true, "m2"))
	h.do(1, position(2, 0, true))
	h.do(1, op(protocol.DbCommit))
	h.do(1, reading(true))
	h.do(1, protocol.DatabaseRequest{Op: protocol.DbMark, Table: "t", IDs: []int64{1}})
	h.do(1, statement(protocol.DbInsert, true, "m3"))
	h.w.PowerLoss(0, nil)
	h.w.Restart(0)
	h.run(sim.Second)
	h.wantRows("1:m1 2:m2")
	if h.db().Unread("t", 0) != 1 || h.db().ownerOf("g", in0) != 1 {
		t.Errorf("unread %d, owner %d", h.db().Unread("t", 0), h.db().ownerOf("g", in0))
	}
	if got := h.db().Positions(); len(got) != 1 || got[0].Offset != 2 {
		t.Errorf("positions %v", got)
	}
}

func TestReadPassesOverMarkedRowsAndWhatIsNotCommitted(t *testing.T) {
	h := newHarness(t)
	h.do(1, insert("m1", "m2", "m3"))
	h.do(1, statement(protocol.DbInsert, true, "m4"))
	h.do(2, protocol.DatabaseRequest{Op: protocol.DbMark, Table: "t", IDs: []int64{2}})
	got := h.do(2, protocol.DatabaseRequest{Op: protocol.DbRead, Table: "t", After: 1}).Response
	if len(got.Rows) != 1 || got.Rows[0].Record.ID != "m3" || got.Routine() {
		t.Errorf("read %+v", got.Rows)
	}
	if none := h.do(2, protocol.DatabaseRequest{Op: protocol.DbRead, Table: "t", After: 3}).Response; len(none.Rows) != 0 || !none.Routine() {
		t.Errorf("read %+v", none.Rows)
	}
}

// The answer to an autocommit insert is lost with the connection: the session asks again, and the row is there twice.
func TestALostAnswerToAnInsertLeavesItOpen(t *testing.T) {
	h := newHarness(t)
	h.w.Cut(0, 1)
	h.call(1, insert("m1"))
	h.run(5 * sim.Millisecond)
	h.w.Disconnect(0, 1)
	h.w.HealLinks()
	h.run(sim.Second)
	h.wantRows("1:m1 2:m1")
	got := h.client(1).ended
	if len(got) != 1 || got[0].Err != protocol.DbOK || !got[0].Again {
		t.Errorf("ended %+v", got)
	}
	if got := told[*event.DatabaseRetried](h); len(got) != 1 || !got[0].MayBeDone {
		t.Errorf("told %+v", got)
	}
}

func TestALostAnswerToACommitIsAnException(t *testing.T) {
	h := newHarness(t)
	h.do(1, statement(protocol.DbInsert, true, "m1"))
	h.w.Cut(0, 1)
	h.call(1, op(protocol.DbCommit))
	h.run(5 * sim.Millisecond)
	h.w.Disconnect(0, 1)
	h.w.HealLinks()
	h.run(5 * sim.Millisecond)
	got := h.client(1).ended
	if len(got) != 2 || got[1].Err != protocol.DbConnectionLost || !got[1].Unknown {
		t.Errorf("ended %+v", got)
	}
	h.wantRows("1:m1")
}

func TestAStatementOfATransactionThatIsGoneFails(t *testing.T) {
	h := newHarness(t)
	h.do(1, statement(protocol.DbInsert, true, "m1"))
	h.w.Disconnect(0, 1)
	h.run(5 * sim.Millisecond)
	o := h.do(1, statement(protocol.DbInsert, true, "m2"))
	if h.want(o, protocol.DbConnectionLost); o.Unknown {
		t.Error("nothing of it can have happened")
	}
	h.want(h.do(1, statement(protocol.DbInsert, true, "m2")), protocol.DbOK)
	h.want(h.do(1, op(protocol.DbCommit)), protocol.DbOK)
	h.wantRows("2:m2")
}

// A database that is paused for longer than the client waits carries the insert out all the same when it runs on.
func TestATimeOutDoesNotTakeTheRequestBack(t *testing.T) {
	h := newHarness(t)
	h.w.Pause(0)
	h.call(1, insert("m1"))
	h.run(socketTimeout + sim.Second)
	h.w.Resume(0)
	h.run(sim.Second)
	h.wantRows("1:m1 2:m1")
}

func TestADatabaseThatIsDownIsAskedUntilItIsBack(t *testing.T) {
	h := newHarness(t)
	h.w.Kill(0)
	h.call(1, insert("m1"))
	h.run(5 * sim.Second)
	h.w.Restart(0)
	h.run(sim.Second)
	h.wantRows("1:m1")
	h.call(1, named(protocol.DbCommitPrepared, "x"))
	h.w.Kill(0)
	h.run(sim.Second)
	h.w.Restart(0)
	h.run(sim.Second)
	if o := h.client(1).ended; len(o) != 2 || o[1].Err != protocol.DbOK { // it asked again, and there is none: it was done
		t.Errorf("ended %+v", o)
	}
}

func TestAnotherProgramCommitsRows(t *testing.T) {
	h := newHarness(t)
	h.w.Command(0, &protocol.Command{InsertRows: &protocol.InsertRowsCommand{Table: "t", Records: []record.Record{{ID: "r1"}, {ID: "r2"}}}})
	h.wantRows("1:r1 2:r2")
	if got := told[*event.RowInserted](h); len(got) != 2 || got[1].Client != sim.Nobody || got[1].Number != 0 {
		t.Errorf("told %+v", got)
	}
}

// A request that the network doubles is carried out once; one that is asked again on another connection is another.
func TestADoubledRequestIsCarriedOutOnce(t *testing.T) {
	h := newHarness(t)
	h.w.AddRule(&sim.LinkRule{Pattern: sim.Pattern{From: 1, To: 0, AnyType: true}, Act: sim.Duplicate, Count: 1})
	h.do(1, insert("m1"))
	h.run(10 * sim.Millisecond)
	h.wantRows("1:m1")
}
