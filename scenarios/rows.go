package scenarios

import (
	"kafkatrial/model/fact"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// committedRows gives the rows that a fact makes committed: a row is an effect of the application that wrote it from then on.
func committedRows(f *sim.Fact) []*protocol.Row {
	switch f.Kind {
	case fact.RowInserted:
		if f.C == 0 {
			return []*protocol.Row{f.Ref.(*protocol.Row)}
		}
	case fact.DatabaseCommitted:
		return f.Ref.([]*protocol.Row)
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
