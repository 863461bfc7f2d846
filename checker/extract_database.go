package checker

import (
	"strconv"

	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// RowWrite is a row that an application wrote to a database, whatever became of it.
type RowWrite struct {
	Record   RecordID
	Consumer string
	Table    string
	Row      int64
	Step     int
	// RolledBack is the step in which its transaction was given up, 0 if it was not.
	RolledBack int

	db     sim.NodeID
	number int64 // of its transaction: each database counts its own
}

// databaseEvent takes what a database says. A row takes effect when it is committed; one whose transaction is rolled back
// never does.
func (x *extractor) databaseEvent(r *sim.Recorded, step int) {
	switch e := r.Event.(type) {
	case *event.RowInserted:
		_, name := x.writer(e.Row.Client)
		x.h.RowWrites = append(x.h.RowWrites, RowWrite{Record: RecordID(e.Record), Consumer: name, Table: e.Row.Table, Row: e.Row.ID, Step: step, db: r.Node, number: e.Number})
		if e.Number == 0 {
			x.row(e.Row, r.Node, step)
		}
	case *event.DatabaseCommitted:
		for _, row := range e.Rows {
			x.row(row, r.Node, step)
		}
	case *event.DatabaseRolledBack:
		for i := range x.h.RowWrites {
			if w := &x.h.RowWrites[i]; w.db == r.Node && w.number == e.Number && w.RolledBack == 0 {
				w.RolledBack = step
			}
		}
	}
}

// row takes a row that is committed: an effect of the application that wrote it, or, in a table that another application
// reads, a record that is owed to it, and to Kafka if it passes rows on.
func (x *extractor) row(r *protocol.Row, db sim.NodeID, step int) {
	if r.Record == nil {
		return
	}
	app, name := x.writer(r.Client)
	if source, sent := x.isSource(db, r.Table); source {
		tp := TopicPartition{Topic: r.Table}
		id := SubmissionID(r.Table + "#" + strconv.FormatInt(r.ID, 10))
		x.h.Submissions = append(x.h.Submissions, Submission{ID: id, Record: RecordID(r.Record.ID), Key: r.Record.Key, Producer: name, TP: tp, SendStep: step,
			Outcome: Outcome{Kind: Acked, Offset: r.ID, Step: step}, InTable: true, Kept: !sent})
		x.log(tp).Table = true
		return
	}
	if app == "" || x.isOutbox(r) {
		return // another program's affair, or meant for a program that is not there
	}
	e := Effect{Application: app, Consumer: name, Record: RecordID(r.Record.ID), Step: step, Sink: "table " + r.Table,
		Output: "row " + strconv.FormatInt(r.ID, 10), Place: "table " + r.Table}
	for i, node := range x.c.Consumers() {
		if s := x.c.Spec.Consumers[i].App.Source; node == r.Client && s != nil {
			e.TP = TopicPartition{Topic: s.Table}
		}
	}
	x.madeOf(&e, step)
	x.h.Effects = append(x.h.Effects, e)
}

// writer names the application and the process that wrote a row: the empty application if the script had another program do it.
func (x *extractor) writer(n sim.NodeID) (app, name string) {
	if n == sim.Nobody {
		return "", "another program"
	}
	return x.application(n)
}

// isOutbox says that a row lies in the outbox of the application that wrote it: it tells of an effect to whoever passes it
// on, and is none.
func (x *extractor) isOutbox(r *protocol.Row) bool {
	for i, node := range x.c.Consumers() {
		if u := x.c.Spec.Consumers[i].App.Database; node == r.Client && u != nil {
			return u.Outbox == r.Table
		}
	}
	return false
}

// isSource says that an application reads a table in place of topics, and that one which does sends the rows to Kafka.
func (x *extractor) isSource(db sim.NodeID, table string) (source, sent bool) {
	for _, k := range x.c.Spec.Consumers {
		if s := k.App.Source; s != nil && s.Table == table && s.Name == x.c.World.Name(db) {
			source, sent = true, sent || k.App.Sends.Topic != ""
		}
	}
	return source, sent
}
