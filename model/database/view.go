package database

import (
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// Tables lists the tables by name, with what is committed of them. The caller must not change them.
func (d *Database) Tables() []Table { return d.tables }

// Positions lists the committed positions in the order in which they were first stored, staged ones among them.
func (d *Database) Positions() []protocol.StoredPosition {
	var all []protocol.StoredPosition
	for i := range d.places {
		all = append(all, d.places[i].StoredPosition)
	}
	return all
}

// Open is a transaction that is neither committed nor rolled back.
type Open struct {
	Number   int64
	Client   sim.NodeID
	Rows     []*protocol.Row // written by it. The caller must not change them
	Prepared string          // its name, once it is prepared
}

// Open lists the transactions under way: those of sessions, then those that are prepared.
func (d *Database) Open() []Open {
	var all []Open
	for i := range d.sessions {
		if s := &d.sessions[i]; s.open {
			all = append(all, Open{Number: s.txn.number, Client: s.client, Rows: s.txn.rows})
		}
	}
	for i := range d.prepared {
		t := &d.prepared[i]
		all = append(all, Open{Number: t.number, Client: t.client, Rows: t.rows, Prepared: t.name})
	}
	return all
}

// Unread counts the rows of a table after one that no reader has marked: what a reader there has still to get.
func (d *Database) Unread(table string, after int64) int {
	n := 0
	if t := d.table(table); t != nil {
		for _, r := range t.Rows {
			if r.ID > after && !r.Marked {
				n++
			}
		}
	}
	return n
}
