package checker

import (
	"slices"
	"strconv"
)

// RecordID names a business record, for instance "m1". A resend by the application is a new Submission of the same
// record; a retry inside the producer is the same Submission.
type RecordID string

// SubmissionID names one call of send; unique in a History.
type SubmissionID string

// TxnID names one transaction as the application means it, from begin to commit or abort. It is not Kafka's
// transactional.id, under which many transactions follow each other. Empty means: not in a transaction.
type TxnID string

// TopicPartition names a partition.
type TopicPartition struct {
	Topic     string
	Partition int
}

// String writes the partition as Kafka names its directory: orders-0.
func (tp TopicPartition) String() string { return tp.Topic + "-" + strconv.Itoa(tp.Partition) }

// History is what a run leaves behind for the judge. It is plain data: the same History gives the same verdicts.
// Steps count from 1; a step of 0 means that the thing did not happen. Every slice is in the order of the run.
type History struct {
	Submissions   []Submission
	Txns          []Txn
	Appends       []Append
	Commits       []Commit
	Cuts          []Cut
	Logs          []Log
	Reads         []Read
	EmptyReads    []EmptyRead
	EndOffsets    []EndOffset
	OffsetCommits []OffsetCommit
	OffsetFetches []OffsetFetch
	Applications  []Application
	Effects       []Effect
	RowWrites     []RowWrite
	Deaths        []Death
	Grants        []Grant
	Quiescence    Quiescence
	// End is the last step of the run. No step in the history is larger.
	End int
}

// OutcomeKind says what the submitter knows about a submission.
type OutcomeKind uint8

const (
	// Unknown: no answer, or an error after which the record may still be in the log (TimeoutException).
	Unknown OutcomeKind = iota
	// Acked: the producer reported success, under the acks it was configured with.
	Acked
	// FailedForCertain: an error after which the record can never take effect: it was too large, it never left the
	// accumulator, or every attempt was refused before the append. Only the simulator can know this for all attempts.
	FailedForCertain
)

// Outcome is the answer to a submission.
type Outcome struct {
	Kind OutcomeKind
	// Offset is the offset in a success; -1 where Kafka gives none (acks=0, or a recognised duplicate).
	Offset int64
	// Error is Kafka's name of the error, empty if there was none.
	Error string
	// Step of the answer; 0 if there was none.
	Step int
}

// Submission is one call of send by an application. Submissions of one producer are listed in the order of its calls.
type Submission struct {
	ID     SubmissionID
	Record RecordID
	// From is the record that an application made this one of, empty if it was not made of another.
	From     RecordID
	Key      string
	Producer string
	// Incarnation counts the processes of the producer's node, from 1: a name may have had several. 0: not known.
	Incarnation int
	TP          TopicPartition
	SendStep    int
	Outcome     Outcome

	// Txn is the transaction the send belongs to. Its outcome, not that of the send, then decides what is owed.
	Txn TxnID
	// TransactionalID, ProducerID and ProducerEpoch serve the claim fenced; empty and 0 without a transactional.id.
	TransactionalID string
	ProducerID      int64
	ProducerEpoch   int

	// InTable: it is no call of send but a row that was committed to a table from which an application passes it on to
	// Kafka: it is owed there.
	InTable bool
	// Kept: it is InTable, and none of the applications that read the table sends it on: nothing is owed to Kafka.
	Kept bool
}

// TxnOutcome is what the application was told about its transaction.
type TxnOutcome uint8

const (
	// TxnOpen: the application was told nothing.
	TxnOpen TxnOutcome = iota
	TxnCommitted
	TxnAborted
	// TxnUnknown: commit or abort was asked for, and ended in a timeout or an error that leaves the result open.
	TxnUnknown
)

// Txn is one transaction.
type Txn struct {
	ID       TxnID
	Producer string
	Begin    int
	// CommitAsked and AbortAsked are the steps in which the application called commitTransaction and abortTransaction.
	CommitAsked, AbortAsked int
	Outcome                 TxnOutcome
	OutcomeStep             int
	// Abandoned is the step in which the process that began the transaction ended, or began another, before it was told of the
	// end of this one; 0 if it did not. Nobody asks for anything after that.
	Abandoned int
	// Decided is the truth of the coordinator's log, TxnOpen if nothing was decided.
	Decided     TxnOutcome
	DecidedStep int
	Offsets     []TxnOffset
}

// TxnOffset is a consumer offset that was sent to a transaction.
type TxnOffset struct {
	Group string
	// Consumer, its process and Generation say for whom it was sent, empty and 0 if that is not known.
	Consumer    string
	Incarnation int
	Generation  int
	TP          TopicPartition
	Offset      int64
	// Applied says that the coordinator's log made it effective.
	Applied bool
	// Written is the step in which the coordinator wrote it, 0 if that is not known; Step that in which the producer
	// was told. Effective is that in which the coordinator made it effective, 0 if that is not known: then it counts as
	// effective when the commit was decided.
	Written, Step, Effective int
}

// Append is one record written to one broker's log, as leader or as a copy.
type Append struct {
	TP         TopicPartition
	Broker     int
	AsLeader   bool
	Epoch      int // the leader epoch stored with the record
	Offset     int64
	Submission SubmissionID
	Record     RecordID
	Step       int
}

// Commit says that a leader's high watermark moved: every record below HighWatermark in its log is committed.
type Commit struct {
	TP            TopicPartition
	Broker        int
	Epoch         int
	HighWatermark int64
	Step          int
}

// CutCause says why records left a broker's log against the topic's configuration.
type CutCause uint8

const (
	Truncation CutCause = iota
	PowerLoss           // the page cache was lost before it was flushed
	DiskLoss            // the disk, or the partition's directory, is gone
)

// Cut says that a broker's log lost the offsets From (inclusive) to To (exclusive).
type Cut struct {
	TP       TopicPartition
	Broker   int
	From, To int64
	Cause    CutCause
	Step     int
}

// Fate says what became of an entry's transaction, as the log has it.
type Fate uint8

const (
	// Plain: not in a transaction.
	Plain Fate = iota
	MarkedCommitted
	MarkedAborted
	// Unmarked: in a transaction without a marker; the last stable offset cannot pass it.
	Unmarked
)

// Entry is one record of a log.
type Entry struct {
	Offset     int64
	Epoch      int
	Submission SubmissionID
	Record     RecordID
	Fate       Fate
	// Control marks a transaction marker, which takes an offset and is nobody's record.
	Control bool
	// Step of the leader's append.
	Step int
}

// inEffect says that the entry counts as persisted.
func (e Entry) inEffect() bool { return !e.Control && (e.Fate == Plain || e.Fate == MarkedCommitted) }

// ExpiryCause says which policy of the topic removed an entry.
type ExpiryCause uint8

const (
	Retention ExpiryCause = iota
	Compaction
	DeleteRecords
)

// Expiry is a committed entry that the topic's own policy removed. At the log it has taken effect, since the log did
// what it was configured to do; whether an application got to see it is the application's verdict.
type Expiry struct {
	Entry
	Cause ExpiryCause
	Step  int
}

// Log is the committed log of a partition after faults were healed and the run came to rest.
type Log struct {
	TP TopicPartition
	// Leader is the leader's id, 0 if the partition has none.
	Leader int
	// Table: it is no partition but a table of a database, from which an application passes the rows on to others. It has
	// no entries: a row is not in a log.
	Table bool
	// Start is the log start offset; everything below has expired.
	Start   int64
	Entries []Entry  // in offset order
	Expired []Expiry // in offset order
}

// Isolation is the consumer's isolation.level.
type Isolation uint8

const (
	ReadUncommitted Isolation = iota
	ReadCommitted
)

// String gives Kafka's spelling.
func (i Isolation) String() string {
	if i == ReadCommitted {
		return "read_committed"
	}
	return "read_uncommitted"
}

// Read is one record handed to a consumer by poll.
type Read struct {
	Application  string
	Consumer     string
	Incarnation  int
	TP           TopicPartition
	Offset       int64
	Record       RecordID
	Isolation    Isolation
	FromFollower bool
	// Generation is that in which the consumer has the partition, 0 if its group has no members.
	Generation int
	// Call is the step of the fetch request (0: the same as Step), Step that of its answer.
	Call, Step int
}

// EmptyRead is an answer to a fetch: there was nothing to read from Offset on.
type EmptyRead struct {
	Application string
	Consumer    string
	Broker      int // who said so
	TP          TopicPartition
	Offset      int64
	Isolation   Isolation
	// Call is the step in which the request was sent (0: the same as Step), Step that in which it was answered.
	Call, Step int
}

// EndOffset is an answer to ListOffsets(latest): the high watermark, or the last stable offset under read_committed. Call is
// the step in which the request was sent (0: the same as Step), Step that in which it was answered.
type EndOffset struct {
	Consumer     string
	TP           TopicPartition
	Offset       int64
	Isolation    Isolation
	FromFollower bool
	Call, Step   int
}

// OffsetCommit is an offset commit that the coordinator accepted, whether or not the consumer ever heard of it.
type OffsetCommit struct {
	Group    string
	Consumer string
	// Incarnation is the process of the consumer that asked, 0 if it is not known.
	Incarnation int
	Generation  int
	TP          TopicPartition
	Offset      int64
	// Call is the step of the request, Written that in which the coordinator wrote the offset, Applied that in which it
	// became the group's position (each 0: not known), Step that of the answer (0: it never came, and the position is
	// committed all the same). It takes place in the first of Applied, Written and Step that is known; commits
	// of one step, in the order in which they are listed.
	Call, Written, Applied, Step int
}

// OffsetFetch is the coordinator's answer to the question for a committed offset; -1 if it knows none. Call is the step in
// which the consumer asked, Step that in which it was told.
type OffsetFetch struct {
	Group      string
	Consumer   string
	TP         TopicPartition
	Offset     int64
	Call, Step int
}

// Application is a consuming application, one group of consumers with one purpose. Each application owes every
// record of its topics one flow of its own.
type Application struct {
	Name   string // the group id
	Topics []string
	// Table: it reads a table of a database in place of topics, and Topics names that.
	Table bool
	// Writes: it takes effect by what it writes. Its Effects are that, and not what it has processed.
	Writes bool
	// Sinks are the places that it writes to. If there are several, each record is to take effect in each.
	Sinks []string
	// ReadCommitted: all its consumers read in read_committed.
	ReadCommitted bool
}

// writesFor says that an application takes effect by what it writes.
func (h *History) writesFor(app string) bool {
	return slices.ContainsFunc(h.Applications, func(a Application) bool { return a.Name == app && a.Writes })
}

// at is the key of what an application did at one of its places.
func (a *Application) at(sink string) string {
	if sink == "" {
		return a.Name
	}
	return a.Name + " " + sink
}

// sinks lists what is to be judged by itself: each place of several, else "" for all there is.
func (a *Application) sinks() []string {
	if len(a.Sinks) > 1 {
		return a.Sinks
	}
	return []string{""}
}

// Effect is one record processed by an application.
type Effect struct {
	Application string
	Consumer    string
	Incarnation int
	Generation  int
	TP          TopicPartition
	Offset      int64
	Record      RecordID
	// Txn is set if the effect is part of a transaction (read-process-write); it then counts only if the
	// coordinator decided to commit.
	Txn TxnID
	// Output is what an application that writes has made of the record, and Place where that stands, in words: m1.out,
	// "out-0 at offset 0". Both are empty if the effect is that the record was processed.
	Output, Place string
	// Sink is the place by name, without where in it: a topic, or a table.
	Sink string
	// Begun is the step in which the consumer was handed the record (0: the same as Step), Step that in which the effect
	// is there: it takes place in between.
	Begun, Step int
	// Asked is the step in which a commit was asked for that made it an effect, 0 if it needed none.
	Asked int
}

// Office is a kind of office that only one may hold at a time.
type Office uint8

const (
	// ProducerOffice: a transactional.id; its epoch is the producer epoch.
	ProducerOffice Office = iota
	// OwnerOffice: a partition within a group; its epoch is the generation. It is granted only if the owner changes.
	OwnerOffice
	// LeaderOffice: the leadership of a partition; its epoch is the leader epoch.
	LeaderOffice
)

// Grant says that an office passed to a holder. An earlier one is a zombie from then on.
type Grant struct {
	Office Office
	// Name is the transactional.id or the group, empty for LeaderOffice.
	Name  string
	TP    TopicPartition // zero for ProducerOffice
	Epoch int
	// ProducerID is that of a ProducerOffice: a transactional.id that was forgotten, or whose epochs are used up, gets
	// another one, and begins with epoch 0.
	ProducerID int64
	Holder     string
	// Incarnation is the process of the holder: one that is started again under the same name is another holder. 0 if it
	// is not known, or makes no difference: what a broker appends, it does in one step.
	Incarnation int
	// Call is the step in which the office was given away, by the coordinator or the controller (0: the same as Step); Step
	// is that in which the holder hears of it (0: it never does). The office passes in between.
	Call, Step int
}

// Motion is something that had not come to rest when the run ended.
type Motion struct {
	// What says it in words that can follow "still moving:".
	What string
	// Records that may still take effect; empty if it may concern any.
	Records []RecordID
}

// Quiescence says whether the run came to rest after its faults were healed.
type Quiescence struct {
	Reached bool
	Moving  []Motion
	// TimeUp: it was not cut off before its time to come to rest was up. What is not done by then is not done in time.
	TimeUp bool
}
