package story

import (
	"fmt"
	"strings"

	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
	"kafkatrial/sim"
)

// ofDatabase tells what a database does, and what its clients learn of it.
func (c *clause) ofDatabase(f *sim.Event) string {
	who := func() string {
		if f.B == int64(sim.Nobody) {
			return "another program"
		}
		return c.s.name(sim.NodeID(f.B))
	}
	switch f.Kind {
	case event.RowInserted:
		r := f.Ref.(*protocol.Row)
		if f.C == 0 {
			return fmt.Sprintf("inserts %s into table %s for %s (row %d), committed at once", f.Text, r.Table, who(), f.A)
		}
		return fmt.Sprintf("inserts %s into table %s (row %d) in transaction %d of %s", f.Text, r.Table, f.A, f.C, who())
	case event.RowUnchanged:
		return fmt.Sprintf("has %s in table %s already (row %d): the upsert of %s changes nothing", f.Text, f.Ref.(*protocol.Row).Table, f.A, who())
	case event.RowsRead:
		var ids []string
		if cs, ok := f.Ref.([]event.Consumed); ok {
			for _, k := range cs {
				ids = append(ids, k.Record.ID)
			}
		}
		return fmt.Sprintf("gets %s from table %s", few(ids), f.Text)
	case event.RowMarked:
		return fmt.Sprintf("marks %s in table %s (row %d) as passed on", f.Text, f.Ref.(*protocol.Row).Table, f.A)
	case event.PositionStored:
		text := fmt.Sprintf("stores position %d%s for group %s", f.A, c.s.of(f), f.Text)
		if f.B > 0 {
			return text + fmt.Sprintf(" in transaction %d", f.B)
		}
		return text + ", committed at once"
	case event.PositionTakenOver:
		return fmt.Sprintf("gives the position%s of group %s to a new owner, number %d: an earlier one can not store it any more", c.s.inIt(f), f.Text, f.A)
	case event.DatabaseCommitted:
		rows := ""
		if names := rowNames(f); len(names) > 0 {
			rows = ": " + strings.Join(names, ", ") + " " + isAre(names) + " there"
		}
		if f.Text != "" {
			return fmt.Sprintf("commits the prepared transaction %s%s", f.Text, rows)
		}
		return fmt.Sprintf("commits transaction %d of %s%s", f.A, who(), rows)
	case event.DatabaseRolledBack:
		return fmt.Sprintf("rolls back transaction %d of %s, %s", f.A, who(), f.Text)
	case event.DatabasePrepared:
		return fmt.Sprintf("prepares transaction %d of %s as %s: it can no longer fail, and is not committed yet", f.A, who(), f.Text)
	case event.DatabaseRefused:
		return fmt.Sprintf("refuses %s of %s: %s", f.Text, who(), protocol.DatabaseError(f.A))
	case event.DatabaseRecovered:
		text := fmt.Sprintf("reads back from its disk what was committed: %s", counted(f.A, "row"))
		if f.B > 0 {
			text += ", and " + counted(f.B, "prepared transaction")
		}
		return text
	case event.DatabaseRetried:
		if f.C == 1 {
			return fmt.Sprintf("will ask again for %s: the answer is lost, and the database may have done it already", f.Text)
		}
		return fmt.Sprintf("will ask again for %s", f.Text)
	case event.DatabaseFailed:
		text := fmt.Sprintf("gets an exception from %s: %s", f.Text, protocol.DatabaseError(f.A))
		if f.C == 1 {
			text += "; it may have been done nevertheless"
		}
		return text
	}
	return ""
}

// rowNames lists the records of the rows that a transaction has added, with their table where there are several.
func rowNames(f *sim.Event) []string {
	rows, _ := f.Ref.([]*protocol.Row)
	several := false
	for _, r := range rows {
		several = several || r.Table != rows[0].Table
	}
	var names []string
	for _, r := range rows {
		if r.Record == nil {
			continue
		}
		name := r.Record.ID
		if several {
			name += " in " + r.Table
		}
		names = append(names, name)
	}
	return names
}

// databaseSign is what a database did, for telling one run from another.
func databaseSign(f *sim.Event) string {
	switch f.Kind {
	case event.RowInserted:
		if f.C == 0 {
			return "insert and commit " + f.Text
		}
		return "insert " + f.Text
	case event.RowUnchanged:
		return "unchanged " + f.Text
	case event.PositionStored:
		return fmt.Sprint("position ", f.Text, " ", f.A)
	case event.DatabaseCommitted:
		return "commit " + few(rowNames(f))
	case event.DatabaseRolledBack:
		return fmt.Sprint("roll back ", f.C)
	case event.DatabasePrepared:
		return "prepare " + f.Text
	}
	return fmt.Sprint("refuse ", f.A)
}

// databaseSettings says how an application uses a database.
func databaseSettings(c *format.Consumer) (with []string) {
	if s := c.Source; s != nil {
		with = append(with, fmt.Sprintf("reads table %s of %s", s.Table, s.Database))
	}
	if u := c.Database; u != nil {
		text := fmt.Sprintf("writes to table %s of %s", u.Table, u.Database)
		if !u.Outbox.IsZero() {
			text += " and to table " + u.Outbox.Text
		}
		with = append(with, text)
		if u.Fence {
			with = append(with, "owns its positions there")
		}
	}
	if c.Resume != format.ResumeCommitted && c.Resume != "" {
		with = append(with, "resumes from "+scenarios.ResumeWords[c.Resume])
	}
	return with
}

// storeEntry is a key of a store and its count.
func storeEntry(f *sim.Event) string {
	if f.Text == "" {
		return fmt.Sprintf("the store holds %d", f.B)
	}
	return fmt.Sprintf("the store holds %s = %d", f.Text, f.B)
}
