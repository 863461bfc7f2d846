package event

import (
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// RowInserted: a row was inserted.
type RowInserted struct {
	ID     int64
	Client sim.NodeID
	Number int64 // of its transaction; 0: the statement committed at once
	Record string
	Row    *protocol.Row
}

// RowUnchanged: an upsert found a row with its key, and changes nothing.
type RowUnchanged struct {
	ID     int64
	Client sim.NodeID
	Number int64 // of its transaction; 0: the statement committed at once
	Record string
	Row    *protocol.Row
}

// RowsRead: a poll of a table returned rows.
type RowsRead struct {
	First   int64
	Last    int64
	Table   string
	Records []Consumed
}

// RowMarked: a row was marked as passed on.
type RowMarked struct {
	ID     int64
	Client sim.NodeID
	Number int64 // of its transaction; 0: the statement committed at once
	Record string
	Row    *protocol.Row
}

// PositionStored: a position was written.
type PositionStored struct {
	TP     protocol.TopicPartition
	Offset int64
	Number int64 // of its transaction; 0: committed at once
	Owner  int64
	Group  string
	Staged bool // in the staging place
}

// PositionTakenOver: what is stored under a lower owner is refused from here on.
type PositionTakenOver struct {
	TP    protocol.TopicPartition
	Owner int64 // the new one
	Group string
}

// DatabaseCommitted: a transaction committed.
type DatabaseCommitted struct {
	Number    int64
	Client    sim.NodeID
	RowsAdded int64
	Name      string          // if it was prepared
	Rows      []*protocol.Row // added
}

// DatabaseRolledBack: a transaction was rolled back.
type DatabaseRolledBack struct {
	Number      int64
	Client      sim.NodeID
	RowsGivenUp int64
	Why         RolledBackBecause
	Err         protocol.DatabaseError // of Why Refused
	Prepared    string                 // its name, if it was prepared
}

// DatabasePrepared: a transaction was prepared.
type DatabasePrepared struct {
	Number int64
	Client sim.NodeID
	Rows   int64
	Name   string
}

// DatabaseRefused: a statement was refused.
type DatabaseRefused struct {
	Err    protocol.DatabaseError
	Client sim.NodeID
	Op     protocol.DatabaseOp // what was asked
}

// DatabaseRecovered: a new process has read back what was committed.
type DatabaseRecovered struct {
	Rows     int64
	Prepared int64 // transactions
}

// DatabaseRetried: the connection to the database is gone, and the client asks again.
type DatabaseRetried struct {
	MayBeDone bool // the database may have done it already
	Op        protocol.DatabaseOp
}

// DatabaseFailed: the client of a database gets an exception.
type DatabaseFailed struct {
	Err       protocol.DatabaseError
	MayBeDone bool // the database may have done it
	Op        protocol.DatabaseOp
}
