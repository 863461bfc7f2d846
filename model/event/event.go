// Package event names everything the model reports about a run. Events are the one record: transcripts,
// screens and verdicts are views of them. An event is recorded where the state changes, by the node whose
// state it is.
package event

import (
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// The kinds of event. The comment gives what A, B, C, Text and Ref hold; Subject and Part are the topic
// and partition unless said.
const (
	None sim.EventKind = iota

	// Logs and replicas, by the broker.
	LeaderAppended         // A base offset, B log end after, C leader epoch; Ref *record.RecordBatch
	FollowerAppended       // the same
	Truncated              // A new log end, B old log end; Text the rule that said so; Ref []*record.RecordBatch cut
	HighWatermark          // A from, B to; C 1 on the leader, 0 on a follower
	LogStart               // A from, B to
	BecameLeader           // A leader epoch, B log end, C high watermark
	BecameFollower         // A leader epoch, B leader, C high watermark
	Recovered              // the log as found on disk at start: A log end, B high watermark, C 1 after an orderly shutdown
	Flushed                // A offset up to which it is durable
	ISRProposed            // Text "1,2" the proposed set, A partition epoch, C 1 expand 0 shrink
	ISRCommitted           // Text the set, A partition epoch: the leader learned it
	ISRRefused             // Text the set proposed; A protocol.Error
	ProduceRefused         // A protocol.Error; Ref *record.RecordBatch; B of a batch that is not in sequence: the last sequence number appended, -1 none; C 1 if it had been appended
	ProduceAnswered        // A base offset, B acks, C client node; Ref *record.RecordBatch as appended
	FetchRefused           // A protocol.Error, B who asked (broker id, -1 consumer), C offset asked for
	EpochAnswered          // OffsetForLeaderEpoch: A epoch asked, B end offset told, C epoch told
	OffsetsCommitted       // Subject, Part of the position; A offset; Text group
	ShutdownBegan          // no subject
	ShutdownDone           // no subject: the clean-shutdown mark is on disk
	BrokerRegistered       // no subject; A broker epoch (what the broker learned), -1 before KIP-380
	DuplicateRecognised    // a leader had the batch already and appends nothing: A base offset it has, B log end; Ref *record.RecordBatch as sent
	ProducerStateForgotten // A producer id; Text why: expired, deleted (its last record)
	ProducerStateLoaded    // the producers a broker knows at start: A how many, B snapshot's offset (-1 none), C the log was read from here on
	DivergenceFound        // fetch divergence told to a follower: A epoch, B end offset, C follower
	// Transactions. Text is the transactional.id unless said.
	TransactionState          // A state before, B state now (transactioncoordinator.State), C producer epoch; no subject
	TransactionPartition      // the partition is part of the transaction: A producer id, B epoch
	TransactionProducerFenced // the coordinator refused a request: A producer id, B its epoch, C the epoch in force; no subject
	TransactionTimedOut       // A producer id, B epoch, C transaction.timeout.ms; no subject
	TransactionalIDExpired    // A producer id, B epoch; no subject
	MarkerSent                // A producer id, B epoch, C the leader; Text COMMIT or ABORT
	MarkerWritten             // by the leader: A its offset, B first offset of the transaction it ends (-1: none was open), C coordinator epoch; Ref *record.RecordBatch
	TransactionVerified       // the coordinator told a leader that the partition is part of the transaction: A producer id, B epoch
	TransactionNotVerified    // it told that it is not: A producer id, B epoch, C protocol.Error
	// Groups with members, by the coordinator. No subject; Text the group.
	GroupRebalancing // a round begins: A the generation so far; Ref []protocol.GroupMember whom it waits for, and what each is to get
	GroupRebalanced  // the next generation is written: A its number; Ref []protocol.GroupMember

	// Controller and ZooKeeper. No subject where it is about a broker.
	BrokerFenced      // A broker, B 1 if it asked to be (it shuts down), else it was silent for too long
	BrokerUnfenced    // A broker, B epoch
	BrokerJoined      // A broker, B epoch (-1 before KIP-380), C 1 if it came back after an unclean stop
	BrokerGone        // A broker: ZooKeeper session over
	LeaderElected     // A leader, B leader epoch, C 1 unclean; Text the ISR
	PartitionOffline  // A leader epoch; Text the ISR
	ISRChanged        // A partition epoch; Text the ISR; C leader
	ELRChanged        // Text the ELR
	ISRChangeRefused  // A protocol.Error, B the broker that asked; Text the set asked for
	ElectionRefused   // an operator asked for it: A protocol.Error
	OrderRefused      // ZooKeeper refused a controller's write: A controller epoch, B protocol.Error; Text what it wanted
	ControllerElected // A controller epoch
	ControllerResigned
	TopicChanged   // A number of partitions; Subject the topic
	ConfigChanged  // Subject the topic, empty: the cluster; Text "key=value"
	SessionExpired // by ZooKeeper: A broker, or B place of the controller; the other is 0

	// Producers.
	RecordSent        // send() was called: A submission, Text record; Ref *record.Record
	RecordsBatched    // a batch was closed and handed to the network: A attempt from 1, B broker; Ref *record.RecordBatch
	BatchAcked        // A base offset (-1 unknown, acks=0), B acks; Ref *record.RecordBatch
	BatchFailed       // A protocol.Error, B 1 if it can not have been written; Ref *record.RecordBatch
	BatchRetried      // A protocol.Error, B attempts left (-1 no bound); Ref *record.RecordBatch
	ProducerIDGiven   // no subject: A producer id, B epoch
	ProducerIDDropped // no subject: A producer id that the producer gives up, to ask for a new one; Text why
	EpochBumped       // no subject: A producer id, B the new epoch
	SequencesReset    // A producer id, B epoch, C batches under way that are numbered anew from 0
	// Transactions as the application sees them. The number counts those of this process, from 1. No subject unless said.
	TxnInitialized // initTransactions returned: A number so far, B producer id, C epoch; Text transactional.id
	TxnBegan       // A number, B producer id, C epoch; Text transactional.id
	TxnCommitAsked // commitTransaction was called: the same
	TxnAbortAsked  // abortTransaction was called: the same
	TxnCommitted   // commitTransaction returned: the same
	TxnAborted     // abortTransaction returned: the same
	TxnOffsetsSent // sendOffsetsToTransaction returned, about the partition: A offset, B number; Text group
	TxnFailed      // a call failed: A protocol.Error, B number, C 1 if what it asked for may still happen; Text the call
	TxnAbortable   // the transaction can only be aborted: A protocol.Error, B number; Text transactional.id
	ProducerFailed // no subject: A protocol.Error after which the producer sends nothing more, B protocol.Error that it came from, if another
	RecordRejected // send() failed without a batch: A protocol.Error, B submission; Text record
	ClientMetadata // the client learned another leader: A leader, B epoch
	ConnectionLost // A node at the other end
	RequestGivenUp // no answer within request.timeout.ms: A type of the request, B node asked

	// Consumers and their applications.
	Assigned         // the application reads this partition from A on; Text why: committed, earliest, latest, stored or staged in a database
	Fetched          // A first offset, B next offset, C broker; Ref []record.Record
	Polled           // A first offset, B next offset; Ref []Consumed
	Processed        // A offset, B submission; Text record: the effect took place
	CommitSent       // A offset
	Committed        // A offset
	CommitFailed     // A offset, B protocol.Error; the position may be committed nevertheless
	PositionReset    // A from (-1: it had none), B to; Text why: earliest, latest, truncation, seek, rewind, stored, staged
	TruncationSeen   // consumer: A own position, B where the leader's epoch ends (-1: it does not know the epoch)
	EndOffset        // consumer was told the end: A offset, B leader epoch, C broker
	ConsumerFailed   // A position (-1 none), B protocol.Error: the application got an exception; no subject and None: its own code threw; C 1: a call of its producer threw, 2: a request of its database (DatabaseFailed says why), and the exception leaves the loop
	GroupJoined      // no subject: A generation, B how many partitions it is given; Text the member id
	AssignmentTaken  // the partition is given to this member: A generation; Text the member id
	GroupTold        // no subject: in answer to a heartbeat or a commit: A protocol.Error, B the generation it named; Text the group
	PartitionRevoked // it gives the partition up: A the generation in which it had it, B 1 if it had lost it already: it is no member any more
	VerbBegan        // program counter: A index of the verb; Text the verb
	// Applications that write. No subject unless said.
	ProcessFailed // the application's code threw an exception while it processed a record, about the partition: A offset; Text record
	CallRepeated  // after a time-out the application makes the same call again; Text the call
	BatchGivenUp  // after an abort the application goes on behind what it aborted: A how many records
	CommitRedone  // the application takes a commit whose result is open for failed, and begins with the same records again: A how many
	// Applications that keep a state in memory, and write it down in a topic.
	StoreUpdated       // about the partition of the input: A its offset, B the count now; Text key
	StoreRestored      // about a partition of the changelog: A how many keys were read back, B the offset up to which
	SourcePositionRead // about a partition of the topic for positions: A the last row that was passed on; Text table

	// Databases beside Kafka, by the database unless said. No subject unless said. A row's Ref is *protocol.Row.
	RowInserted        // A row id, B client node, C number of its transaction (0: the statement committed at once); Text record
	RowUnchanged       // an upsert found a row with its key, and changes nothing: the same
	RowsRead           // by the client, poll of a table: A first row, B last; Text table; Ref []Consumed
	RowMarked          // a row was marked as passed on: as RowInserted
	PositionStored     // Subject, Part of the position; A offset, B number of its transaction (0: committed at once), C owner; Text group, or "group (staged)"
	PositionTakenOver  // Subject, Part of the position; A the new owner; Text group: what is stored under a lower owner is refused from here on
	DatabaseCommitted  // A number, B client node, C rows added; Text its name if it was prepared; Ref []*protocol.Row added
	DatabaseRolledBack // A number, B client node, C rows given up; Text why
	DatabasePrepared   // A number, B client node, C rows; Text its name
	DatabaseRefused    // A protocol.DatabaseError, B client node; Text what was asked
	DatabaseRecovered  // a new process has read back what was committed: A rows, B prepared transactions
	DatabaseRetried    // by the client, whose connection is gone: it asks again. C 1 if the database may have done it already; Text what
	DatabaseFailed     // by the client, which gets an exception: A protocol.DatabaseError, C 1 if the database may have done it; Text what

	// The script.
	Said      // Text
	Act       // Text: the title of a card
	Asked     // a prediction: Text
	Answered  // what the run answered: Text
	Healed    // everything is mended, the run goes on to quiescence
	ScriptEnd // Text: why, if it ended before its last step
	Arranged  // Text: what the script does to messages on their way, which no message shows yet, or why a group begins a round after the script; A number of the script's step, 0 after it

	NumKinds
)

// Consumed is a record as an application got it.
type Consumed struct {
	TP     protocol.TopicPartition
	Offset int64
	Record *record.Record
}

// About makes an event about a partition.
func About(kind sim.EventKind, tp protocol.TopicPartition, a, b, c int64) sim.Event {
	return sim.Event{Kind: kind, Subject: tp.Topic, Part: tp.Partition, A: a, B: b, C: c}
}

// TP gives the partition an event is about.
func TP(f *sim.Event) protocol.TopicPartition {
	return protocol.TopicPartition{Topic: f.Subject, Partition: f.Part}
}

// Batch gives the batch an event speaks of, nil if it speaks of none.
func Batch(f *sim.Event) *record.RecordBatch {
	b, _ := f.Ref.(*record.RecordBatch)
	return b
}
