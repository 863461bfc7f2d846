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
func (c *clause) ofDatabase(f *sim.Recorded) string {
	who := func(client sim.NodeID) string {
		if client == sim.Nobody {
			return "another program"
		}
		return c.s.name(client)
	}
	switch e := f.Event.(type) {
	case *event.RowInserted:
		r := e.Row
		if e.Number == 0 {
			return fmt.Sprintf("inserts %s into table %s for %s (row %d), committed at once", e.Record, r.Table, who(e.Client), e.ID)
		}
		return fmt.Sprintf("inserts %s into table %s (row %d) in transaction %d of %s", e.Record, r.Table, e.ID, e.Number, who(e.Client))
	case *event.RowUnchanged:
		return fmt.Sprintf("has %s in table %s already (row %d): the upsert of %s changes nothing", e.Record, e.Row.Table, e.ID, who(e.Client))
	case *event.RowsRead:
		var ids []string
		for _, k := range e.Records {
			ids = append(ids, k.Record.ID)
		}
		return fmt.Sprintf("gets %s from table %s", few(ids), e.Table)
	case *event.RowMarked:
		return fmt.Sprintf("marks %s in table %s (row %d) as passed on", e.Record, e.Row.Table, e.ID)
	case *event.PositionStored:
		text := fmt.Sprintf("stores position %d%s for group %s", e.Offset, c.s.of(f), storedFor(e))
		if e.Number > 0 {
			return text + fmt.Sprintf(" in transaction %d", e.Number)
		}
		return text + ", committed at once"
	case *event.PositionTakenOver:
		return fmt.Sprintf("gives the position%s of group %s to a new owner, number %d: an earlier one can not store it any more", c.s.inIt(f), e.Group, e.Owner)
	case *event.DatabaseCommitted:
		rows := ""
		if names := rowNames(e.Rows); len(names) > 0 {
			rows = ": " + strings.Join(names, ", ") + " " + isAre(names) + " there"
		}
		if e.Name != "" {
			return fmt.Sprintf("commits the prepared transaction %s%s", e.Name, rows)
		}
		return fmt.Sprintf("commits transaction %d of %s%s", e.Number, who(e.Client), rows)
	case *event.DatabaseRolledBack:
		return fmt.Sprintf("rolls back transaction %d of %s, %s", e.Number, who(e.Client), rolledBack(e))
	case *event.DatabasePrepared:
		return fmt.Sprintf("prepares transaction %d of %s as %s: it can no longer fail, and is not committed yet", e.Number, who(e.Client), e.Name)
	case *event.DatabaseRefused:
		return fmt.Sprintf("refuses %s of %s: %s", e.Op, who(e.Client), e.Err)
	case *event.DatabaseRecovered:
		text := fmt.Sprintf("reads back from its disk what was committed: %s", counted(e.Rows, "row"))
		if e.Prepared > 0 {
			text += ", and " + counted(e.Prepared, "prepared transaction")
		}
		return text
	case *event.DatabaseRetried:
		if e.MayBeDone {
			return fmt.Sprintf("will ask again for %s: the answer is lost, and the database may have done it already", e.Op)
		}
		return fmt.Sprintf("will ask again for %s", e.Op)
	case *event.DatabaseFailed:
		text := fmt.Sprintf("gets an exception from %s: %s", e.Op, e.Err)
		if e.MayBeDone {
			text += "; it may have been done nevertheless"
		}
		return text
	}
	return ""
}

// rolledBack says why a transaction was rolled back.
func rolledBack(e *event.DatabaseRolledBack) string {
	switch {
	case e.Why == event.SessionGone:
		return "its session is gone"
	case e.Why == event.Refused:
		return e.Err.String()
	case e.Prepared != "":
		return "as asked (" + e.Prepared + " was prepared)"
	}
	return "as asked"
}

// storedFor names the group of a position, and the staging place if it is there.
func storedFor(e *event.PositionStored) string {
	if e.Staged {
		return e.Group + " (staged)"
	}
	return e.Group
}

// rowNames lists the records of the rows that a transaction has added, with their table where there are several.
func rowNames(rows []*protocol.Row) []string {
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
func databaseSign(f *sim.Recorded) string {
	switch e := f.Event.(type) {
	case *event.RowInserted:
		if e.Number == 0 {
			return "insert and commit " + e.Record
		}
		return "insert " + e.Record
	case *event.RowUnchanged:
		return "unchanged " + e.Record
	case *event.PositionStored:
		return fmt.Sprint("position ", storedFor(e), " ", e.Offset)
	case *event.DatabaseCommitted:
		return "commit " + few(rowNames(e.Rows))
	case *event.DatabaseRolledBack:
		return fmt.Sprint("roll back ", e.RowsGivenUp)
	case *event.DatabasePrepared:
		return "prepare " + e.Name
	case *event.DatabaseRefused:
		return fmt.Sprint("refuse ", e.Err)
	}
	return ""
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
func storeEntry(e *event.StoreUpdated) string {
	if e.Key == "" {
		return fmt.Sprintf("the store holds %d", e.Count)
	}
	return fmt.Sprintf("the store holds %s = %d", e.Key, e.Count)
}
