package scenarios

import (
	"slices"

	"kafkatrial/model"
	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// committedRows gives the rows that an event makes committed: a row is an effect of the application that wrote it from then on.
func committedRows(e sim.Event) []*protocol.Row {
	switch e := e.(type) {
	case *event.RowInserted:
		if e.Number == 0 {
			return []*protocol.Row{e.Row}
		}
	case *event.DatabaseCommitted:
		return e.Rows
	}
	return nil
}

// writesRows says that an application takes effect by rows, and not by what it has processed.
func (r *Run) writesRows(n sim.NodeID) bool {
	for i, node := range r.Cluster.Consumers() {
		if node == n {
			return r.Cluster.Spec.Consumers[i].App.WritesRows()
		}
	}
	return false
}

// effectRows gives those of them that are effects: not the rows of a table that another application reads, and not those of
// an outbox, whoever reads it.
func (r *Run) effectRows(told *sim.Recorded) (rows []*protocol.Row) {
	for _, row := range committedRows(told.Event) {
		passedOn := slices.ContainsFunc(r.Cluster.Spec.Consumers, func(k model.ConsumerSpec) bool {
			return k.App.Source != nil && k.App.Source.Table == row.Table && k.App.Source.Name == r.World.Name(told.Node)
		})
		if !passedOn && !r.inOutbox(row) {
			rows = append(rows, row)
		}
	}
	return rows
}

// inOutbox says that a row lies in the outbox of the application that wrote it.
func (r *Run) inOutbox(row *protocol.Row) bool {
	for i, node := range r.Cluster.Consumers() {
		if u := r.Cluster.Spec.Consumers[i].App.Database; node == row.Client && u != nil {
			return u.Outbox == row.Table
		}
	}
	return false
}
