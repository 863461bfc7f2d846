package session

import "kafkatrial/model/protocol"

// Database is a database beside Kafka.
type Database struct {
	Node
	Tables    []Table
	Positions []protocol.StoredPosition
	Open      []OpenTransaction
}

// Table is what is committed of a table.
type Table struct {
	Name   string
	Rows   []string // records
	Marked int      // how many of them are marked as passed on
}

// OpenTransaction is what is written and not committed.
type OpenTransaction struct {
	Number   int64
	Client   string
	Rows     []string
	Prepared string // its name, "" while it is not prepared
}

func recordsOf(rows []*protocol.Row) (ids []string) {
	for _, r := range rows {
		if r.Record != nil {
			ids = append(ids, r.Record.ID)
		}
	}
	return ids
}

func (s *Session) database(n Node) Database {
	out := Database{Node: n}
	d := s.run.Cluster.Database(n.ID)
	if d == nil {
		return out
	}
	for _, t := range d.Tables() {
		table := Table{Name: t.Name, Rows: recordsOf(t.Rows)}
		for _, r := range t.Rows {
			if r.Marked {
				table.Marked++
			}
		}
		out.Tables = append(out.Tables, table)
	}
	out.Positions = d.Positions()
	for _, o := range d.Open() {
		out.Open = append(out.Open, OpenTransaction{Number: o.Number, Client: s.run.World.Name(o.Client), Rows: recordsOf(o.Rows), Prepared: o.Prepared})
	}
	return out
}

// askedRows lists the records of the rows that a request wants written.
func askedRows(m *protocol.DatabaseRequest) (ids []string) {
	for i := range m.Rows {
		if m.Rows[i].Record != nil {
			ids = append(ids, m.Rows[i].Record.ID)
		}
	}
	return ids
}
