// Package database is what stands at the other end of an application beside Kafka: a small database with
// tables, transactions, and a table of positions, one node, which keeps what it has committed.
//
// It is a correct one: a transaction is all or nothing, what is committed is on disk before the client hears
// of it, and no two transactions that write the same thing both commit. It has no faults of its own. What goes wrong
// between it and Kafka goes wrong because a commit here and a commit there are two commits.
//
// It is optimistic: it has no locks, and a transaction never waits for another. One that wants to commit is refused
// if another has changed meanwhile what it wrote (first committer wins, as with PostgreSQL's SERIALIZABLE); one that
// is prepared can no longer be refused, and keeps others off what it has written until it is resolved.
package database
