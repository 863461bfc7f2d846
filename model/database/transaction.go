package database

import (
	"slices"

	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// transaction is what has been written and is not committed.
type transaction struct {
	number    int64
	client    sim.NodeID
	rows      []*protocol.Row // new rows, and new versions of old ones
	fresh     []bool          // by rows: it is a new one
	positions []place         // version: which commit had written the position when it was written here

	// Once it is prepared:
	name, group string
	covers      []protocol.StoredPosition
}

// write carries out INSERT, UPSERT, an update of positions, or the marking of rows: as part of the session's
// transaction, which it begins if need be, or as a transaction of its own.
func (d *Database) write(env *sim.Env, s *session, r *protocol.DatabaseRequest) protocol.DatabaseError {
	if r.InTransaction {
		if !s.open {
			d.begun++
			s.open, s.txn = true, transaction{number: d.begun, client: s.client}
		}
		told, err := d.add(&s.txn, r, s.txn.number)
		if err != protocol.DbOK {
			d.rolledBack(env, s, event.Refused, err)
			return err
		}
		recordAll(env, told)
		return protocol.DbOK
	}
	d.begun++
	t := transaction{number: d.begun, client: s.client}
	told, err := d.add(&t, r, 0)
	if err == protocol.DbOK {
		err = d.conflict(&t)
	}
	if err != protocol.DbOK {
		return err
	}
	recordAll(env, told)
	d.log(entry{kind: entryCommit, number: t.number, rows: t.rows, positions: t.stored()})
	return protocol.DbOK
}

func recordAll(env *sim.Env, told []sim.Event) {
	for _, f := range told {
		env.Record(f)
	}
}

// add puts what a request writes into a transaction, and gives the events to be told of it under the number given: 0
// where the statement commits at once.
func (d *Database) add(t *transaction, r *protocol.DatabaseRequest, number int64) (told []sim.Event, err protocol.DatabaseError) {
	switch r.Op {
	case protocol.DbInsert, protocol.DbUpsert:
		for i := range r.Rows {
			told = append(told, d.addRow(t, r, &r.Rows[i], number))
		}
	case protocol.DbMark:
		if table := d.table(r.Table); table != nil {
			for _, row := range table.Rows {
				if slices.Contains(r.IDs, row.ID) && !row.Marked {
					marked := *row
					marked.Marked = true
					t.rows, t.fresh = append(t.rows, &marked), append(t.fresh, false)
					told = append(told, (*event.RowMarked)(insertedRow(&marked, t.client, number)))
				}
			}
		}
	case protocol.DbStorePositions:
		for _, p := range r.Positions {
			if p.Owner > 0 && p.Owner < d.ownerOf(p.Group, p.TP) {
				return nil, protocol.DbFenced
			}
			at := place{p, d.version(&p)}
			if i := slices.IndexFunc(t.positions, func(have place) bool { return sameplace(&have.StoredPosition, &p) }); i >= 0 {
				at.version = t.positions[i].version
				t.positions[i] = at
			} else {
				t.positions = append(t.positions, at)
			}
			told = append(told, &event.PositionStored{TP: p.TP, Offset: p.Offset, Number: number, Owner: p.Owner, Group: p.Group, Staged: p.Staged})
		}
	}
	return told, protocol.DbOK
}

// addRow inserts a row. An upsert finds the row of its key in what is committed and in what its own transaction has
// written.
func (d *Database) addRow(t *transaction, r *protocol.DatabaseRequest, in *protocol.Row, number int64) sim.Event {
	name := in.Table
	if name == "" {
		name = r.Table
	}
	table := d.mustTable(name)
	if r.Op == protocol.DbUpsert && in.Key != "" {
		have := keyed(table.Rows, name, in.Key)
		if have == nil {
			have = keyed(t.rows, name, in.Key)
		}
		if have != nil {
			return (*event.RowUnchanged)(insertedRow(have, t.client, number))
		}
	}
	row := *in
	table.next++
	row.Table, row.ID, row.Client = name, table.next, t.client
	t.rows, t.fresh = append(t.rows, &row), append(t.fresh, true)
	return insertedRow(&row, t.client, number)
}

// insertedRow is what is told of a row. That it was marked, or found, is told in the same words.
func insertedRow(r *protocol.Row, client sim.NodeID, number int64) *event.RowInserted {
	e := &event.RowInserted{ID: r.ID, Client: client, Number: number, Row: r}
	if r.Record != nil {
		e.Record = r.Record.ID
	}
	return e
}

// conflict looks whether a transaction may commit: nobody else has committed, or prepared, a row with a key of its
// new rows or a position that it has written, since it wrote it; and nobody has taken its positions over.
func (d *Database) conflict(t *transaction) protocol.DatabaseError {
	for i, r := range t.rows {
		if t.fresh[i] && keyed(d.mustTable(r.Table).Rows, r.Table, r.Key) != nil {
			return protocol.DbSerialization
		}
	}
	for i := range t.positions {
		p := &t.positions[i]
		if p.Owner > 0 && p.Owner < d.ownerOf(p.Group, p.TP) {
			return protocol.DbFenced
		}
		if d.version(&p.StoredPosition) != p.version {
			return protocol.DbSerialization
		}
	}
	for i := range d.prepared {
		if t.crosses(&d.prepared[i]) {
			return protocol.DbSerialization
		}
	}
	return protocol.DbOK
}

// crosses says that two transactions have written the same key or the same position.
func (t *transaction) crosses(o *transaction) bool {
	for _, r := range t.rows {
		if keyed(o.rows, r.Table, r.Key) != nil {
			return true
		}
	}
	return slices.ContainsFunc(t.positions, func(p place) bool {
		return slices.ContainsFunc(o.positions, func(q place) bool { return sameplace(&p.StoredPosition, &q.StoredPosition) })
	})
}

// stored lists the positions to write down.
func (t *transaction) stored() []protocol.StoredPosition {
	var all []protocol.StoredPosition
	for i := range t.positions {
		all = append(all, t.positions[i].StoredPosition)
	}
	return all
}

// inserted lists the rows that the transaction adds.
func (t *transaction) inserted() []*protocol.Row {
	var all []*protocol.Row
	for i, r := range t.rows {
		if t.fresh[i] {
			all = append(all, r)
		}
	}
	return all
}

// commit is COMMIT: on disk, and seen by everybody, before it is answered.
func (d *Database) commit(env *sim.Env, s *session) protocol.DatabaseError {
	if !s.open {
		return protocol.DbNoTransaction
	}
	if err := d.conflict(&s.txn); err != protocol.DbOK {
		d.rolledBack(env, s, event.Refused, err)
		return err
	}
	d.committed(env, &s.txn)
	d.log(entry{kind: entryCommit, number: s.txn.number, rows: s.txn.rows, positions: s.txn.stored()})
	s.open, s.txn = false, transaction{}
	return protocol.DbOK
}

func (d *Database) committed(env *sim.Env, t *transaction) {
	rows := t.inserted()
	env.Record(&event.DatabaseCommitted{Number: t.number, Client: t.client, RowsAdded: int64(len(rows)), Name: t.name, Rows: rows})
}

func (d *Database) rolledBack(env *sim.Env, s *session, why event.RolledBackBecause, err protocol.DatabaseError) {
	env.Record(&event.DatabaseRolledBack{Number: s.txn.number, Client: s.client, RowsGivenUp: int64(len(s.txn.inserted())), Why: why, Err: err})
	s.open, s.txn = false, transaction{}
}

// prepare is PREPARE TRANSACTION: from here on the transaction can not fail, and belongs to no session. It waits for
// COMMIT PREPARED or ROLLBACK PREPARED, however long, and whatever becomes of its client and of the database's process.
func (d *Database) prepare(env *sim.Env, s *session, r *protocol.DatabaseRequest) protocol.DatabaseError {
	if !s.open {
		return protocol.DbNoTransaction
	}
	err := d.conflict(&s.txn)
	if slices.ContainsFunc(d.prepared, func(t transaction) bool { return t.name == r.Transaction }) {
		err = protocol.DbSerialization
	}
	if err != protocol.DbOK {
		d.rolledBack(env, s, event.Refused, err)
		return err
	}
	t := s.txn
	t.name, t.group, t.covers = r.Transaction, r.Group, r.Positions
	env.Record(&event.DatabasePrepared{Number: t.number, Client: t.client, Rows: int64(len(t.inserted())), Name: t.name})
	d.log(entry{kind: entryPrepare, number: t.number, prepared: t})
	s.open, s.txn = false, transaction{}
	return protocol.DbOK
}

// resolve is COMMIT PREPARED and ROLLBACK PREPARED.
func (d *Database) resolve(env *sim.Env, r *protocol.DatabaseRequest) protocol.DatabaseError {
	i := slices.IndexFunc(d.prepared, func(t transaction) bool { return t.name == r.Transaction })
	if i < 0 {
		return protocol.DbNotPrepared
	}
	t := d.prepared[i]
	if r.Op == protocol.DbCommitPrepared {
		d.committed(env, &t)
		d.log(entry{kind: entryCommitPrepared, number: t.number, prepared: t})
		return protocol.DbOK
	}
	env.Record(&event.DatabaseRolledBack{Number: t.number, Client: t.client, RowsGivenUp: int64(len(t.inserted())), Why: event.AsAsked, Prepared: t.name})
	d.log(entry{kind: entryRollbackPrepared, number: t.number, prepared: t})
	return protocol.DbOK
}

// readPositions reads a group's positions. With Own it also raises the owner of each: whoever writes one under a lower
// owner is refused from now on. In SQL that is UPDATE positions SET owner = owner + 1, and a condition on every update of
// an offset.
func (d *Database) readPositions(env *sim.Env, r *protocol.DatabaseRequest, a *protocol.DatabaseResponse) {
	for _, tp := range r.Partitions {
		p := protocol.StoredPosition{Group: r.Group, Staged: r.Staged, TP: tp, Offset: -1}
		if have := d.place(&p); have != nil {
			p.Offset = have.Offset
		}
		if r.Own {
			p.Owner = d.ownerOf(r.Group, tp) + 1
			d.begun++
			d.log(entry{kind: entryOwner, number: d.begun, owner: owner{r.Group, tp, p.Owner}})
			env.Record(&event.PositionTakenOver{TP: tp, Owner: p.Owner, Group: r.Group})
		}
		a.Positions = append(a.Positions, p)
	}
}
