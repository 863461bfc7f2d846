package database

import (
	"slices"

	"kafkatrial/model/protocol"
)

// walName is the file of the write-ahead log: everything that is committed or prepared, in order. An entry is flushed
// before anybody hears of it, so that neither a crash nor a loss of power takes back what was answered. There are no
// checkpoints: it is read from its beginning.
const walName = "wal"

type entryKind uint8

const (
	entryCommit entryKind = iota
	entryPrepare
	entryCommitPrepared
	entryRollbackPrepared
	entryOwner
)

// entry is a block of the write-ahead log.
type entry struct {
	kind      entryKind
	number    int64
	rows      []*protocol.Row
	positions []protocol.StoredPosition
	prepared  transaction
	owner     owner
}

// log writes an entry down and makes it so.
func (d *Database) log(e entry) {
	d.wal.Append(e)
	d.wal.Flush()
	d.replay(e)
}

// replay makes an entry so: when it is written, and when the log is read back.
func (d *Database) replay(e entry) {
	d.begun = max(d.begun, e.number)
	switch e.kind {
	case entryCommit:
		d.apply(e.rows, e.positions)
	case entryPrepare:
		d.prepared = append(d.prepared, e.prepared)
		for _, r := range e.prepared.rows { // their ids are taken
			t := d.mustTable(r.Table)
			t.next = max(t.next, r.ID)
		}
	case entryCommitPrepared, entryRollbackPrepared:
		d.prepared = slices.DeleteFunc(d.prepared, func(t transaction) bool { return t.name == e.prepared.name })
		if e.kind == entryCommitPrepared {
			d.apply(e.prepared.rows, e.prepared.stored())
		}
	case entryOwner:
		if i := slices.IndexFunc(d.owners, func(o owner) bool { return o.group == e.owner.group && o.tp == e.owner.tp }); i >= 0 {
			d.owners[i] = e.owner
		} else {
			d.owners = append(d.owners, e.owner)
		}
	}
}

// apply makes rows and positions the committed ones.
func (d *Database) apply(rows []*protocol.Row, positions []protocol.StoredPosition) {
	d.commits++
	for _, r := range rows {
		d.mustTable(r.Table).put(r)
	}
	for _, p := range positions {
		if have := d.place(&p); have != nil {
			*have = place{p, d.commits}
		} else {
			d.places = append(d.places, place{p, d.commits})
		}
	}
}
