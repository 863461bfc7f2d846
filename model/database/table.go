package database

import (
	"cmp"
	"slices"

	"kafkatrial/model/protocol"
)

// Table is a table: what is committed of it.
type Table struct {
	Name string
	Rows []*protocol.Row // by id
	next int64           // the id that was given last; what a transaction that is rolled back took stays taken
}

// place is a row of the table of positions.
type place struct {
	protocol.StoredPosition
	version int64 // which commit wrote it
}

// owner says how often a group's position in a partition has been taken over.
type owner struct {
	group string
	tp    protocol.TopicPartition
	epoch int64
}

func (d *Database) table(name string) *Table {
	i := slices.IndexFunc(d.tables, func(t Table) bool { return t.Name == name })
	if i < 0 {
		return nil
	}
	return &d.tables[i]
}

// mustTable gives a table, which is made when it is first written to.
func (d *Database) mustTable(name string) *Table {
	if t := d.table(name); t != nil {
		return t
	}
	i, _ := slices.BinarySearchFunc(d.tables, name, func(t Table, n string) int { return cmp.Compare(t.Name, n) })
	d.tables = slices.Insert(d.tables, i, Table{Name: name})
	return &d.tables[i]
}

// keyed finds the row of a key.
func keyed(rows []*protocol.Row, table, key string) *protocol.Row {
	for _, r := range rows {
		if r.Key == key && r.Table == table && key != "" {
			return r
		}
	}
	return nil
}

// put adds a row, or puts its new version in place of the old one.
func (t *Table) put(r *protocol.Row) {
	i, there := slices.BinarySearchFunc(t.Rows, r.ID, func(have *protocol.Row, id int64) int { return cmp.Compare(have.ID, id) })
	if there {
		t.Rows[i] = r
	} else {
		t.Rows = slices.Insert(t.Rows, i, r)
	}
	t.next = max(t.next, r.ID)
}

func sameplace(a, b *protocol.StoredPosition) bool {
	return a.Group == b.Group && a.Staged == b.Staged && a.TP == b.TP
}

func (d *Database) place(p *protocol.StoredPosition) *place {
	for i := range d.places {
		if sameplace(&d.places[i].StoredPosition, p) {
			return &d.places[i]
		}
	}
	return nil
}

// version is which commit has written a position last, 0 none.
func (d *Database) version(p *protocol.StoredPosition) int64 {
	if have := d.place(p); have != nil {
		return have.version
	}
	return 0
}

func (d *Database) ownerOf(group string, tp protocol.TopicPartition) int64 {
	for i := range d.owners {
		if o := &d.owners[i]; o.group == group && o.tp == tp {
			return o.epoch
		}
	}
	return 0
}
