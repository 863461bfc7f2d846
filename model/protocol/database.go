package protocol

import (
	"strconv"

	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// DatabaseOp is what a client asks a database for: the statements of SQL that matter here, by what they do.
type DatabaseOp uint8

// The operations.
const (
	DbInsert           DatabaseOp = iota // INSERT: every row is a new one
	DbUpsert                             // INSERT … ON CONFLICT DO NOTHING: a row with the key of one that is there changes nothing
	DbStorePositions                     // writes positions into the table of positions
	DbReadPositions                      // reads a group's positions; with Own it also takes them over
	DbCommit                             // COMMIT
	DbRollback                           // ROLLBACK
	DbPrepare                            // PREPARE TRANSACTION: the transaction leaves its session and survives everything
	DbCommitPrepared                     // COMMIT PREPARED
	DbRollbackPrepared                   // ROLLBACK PREPARED
	DbListPrepared                       // the prepared transactions of a group (pg_prepared_xacts)
	DbRead                               // SELECT: the rows of a table after one, that are not marked
	DbMark                               // UPDATE: marks rows, so that DbRead passes over them
)

var databaseOpNames = [...]string{"INSERT", "UPSERT", "store positions", "read positions", "COMMIT", "ROLLBACK", "PREPARE TRANSACTION",
	"COMMIT PREPARED", "ROLLBACK PREPARED", "list prepared transactions", "SELECT", "mark rows"}

func (o DatabaseOp) String() string { return databaseOpNames[o] }

// Writes says that the operation, outside a transaction, changes what is committed.
func (o DatabaseOp) Writes() bool {
	return o != DbReadPositions && o != DbListPrepared && o != DbRead
}

// DatabaseError is why a database refuses.
type DatabaseError uint8

// The refusals.
const (
	DbOK             DatabaseError = iota
	DbSerialization                // 40001: another transaction has changed meanwhile what this one wrote
	DbFenced                       // the positions have a newer owner
	DbNoTransaction                // there is no transaction to commit, to roll back or to prepare
	DbNotPrepared                  // no transaction of this name is prepared
	DbConnectionLost               // the client's own: the connection is gone, and with it the answer
)

var databaseErrorNames = [...]string{"ok", "could not serialize access due to concurrent update", "the positions have a newer owner",
	"there is no transaction in progress", "no such prepared transaction", "the connection to the database is lost"}

func (e DatabaseError) String() string { return databaseErrorNames[e] }

// Row is a row of a table. It is never changed: an update makes a new one.
type Row struct {
	Table  string
	ID     int64          // given by the database when the row is inserted, from 1 in every table; gaps where a transaction was rolled back
	Key    string         // of DbUpsert: at most one row of the table has it; empty with DbInsert
	Record *record.Record // what the row was made from
	Client sim.NodeID     // who wrote it
	Marked bool
}

// StoredPosition is a group's position in a partition, kept in a database.
type StoredPosition struct {
	Group  string
	Staged bool // in the staging place, which is a table of its own
	TP     TopicPartition
	Offset int64
	Owner  int64 // how often the group's position in this partition has been taken over when this was written; 0 nobody looks at it
}

// DatabaseRequest is one request of a session, which is a connection. A session has one under way at a time.
type DatabaseRequest struct {
	Correlation int32
	Op          DatabaseOp
	// InTransaction makes a writing operation part of the session's transaction, and begins one if there is none. Otherwise
	// the operation is a transaction of its own (autocommit).
	InTransaction bool
	Table         string
	Rows          []Row   // of DbInsert and DbUpsert: Key and Record
	IDs           []int64 // of DbMark
	Group         string
	Staged        bool
	Partitions    []TopicPartition // of DbReadPositions
	Own           bool             // of DbReadPositions: take these positions over from whoever had them
	Positions     []StoredPosition // of DbStorePositions; of DbPrepare: what the transaction stands for
	Transaction   string           // of DbPrepare and what follows it: its name
	After         int64            // of DbRead: the row to go on after
	Limit         int              // of DbRead
}

// PreparedTransaction is one that only waits to be committed or rolled back.
type PreparedTransaction struct {
	Name      string
	Group     string
	Positions []StoredPosition // as the client gave them
}

// DatabaseResponse answers it.
type DatabaseResponse struct {
	Correlation int32
	Op          DatabaseOp
	Err         DatabaseError
	Rows        []*Row           // of DbRead
	Positions   []StoredPosition // of DbReadPositions, one for each partition: Offset -1 if none is stored, and with Own the new Owner
	Prepared    []PreparedTransaction
}

// TransactionName names the transaction that a group prepares for the records before positions: app/in-0@2.
func TransactionName(group string, positions []StoredPosition) string {
	name := group
	for i := range positions {
		name += "/" + positions[i].TP.String() + "@" + strconv.FormatInt(positions[i].Offset, 10)
	}
	return name
}

// Type is TDatabase.
func (*DatabaseRequest) Type() sim.MsgType { return TDatabase }

// Routine: a look for new rows asks for nothing new.
func (r *DatabaseRequest) Routine() bool { return r.Op == DbRead }

// Type is TDatabaseResponse.
func (*DatabaseResponse) Type() sim.MsgType { return TDatabaseResponse }

// Routine: there was nothing new.
func (r *DatabaseResponse) Routine() bool { return r.Op == DbRead && len(r.Rows) == 0 }

// InsertRowsCommand has another program, which is not shown, commit rows to a table, in one transaction.
type InsertRowsCommand struct {
	Table   string
	Records []record.Record
}
