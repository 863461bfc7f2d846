package format

import (
	"reflect"
	"slices"
	"strings"

	registry "kafkatrial/checker"
)

// variant is one row of a table of alternatives: the key in the file and the type it is read into.
type variant struct {
	key string
	typ reflect.Type
	doc string
}

func row[T any](key, doc string) variant { return variant{key, reflect.TypeFor[T](), doc} }

// actions is the vocabulary of steps.
var actions = []variant{
	row[Send]("send", "A producer sends records; the script does not wait for the answers."),
	row[FlushProducer]("flush-producer", "The application waits until all its sends are answered."),
	row[InitTransactions]("init-transactions", "The application registers its producer's transactional.id."),
	row[BeginTransaction]("begin-transaction", "The application begins a transaction."),
	row[SendOffsets]("send-offsets", "The application makes a group's position part of the transaction."),
	row[CommitTransaction]("commit-transaction", "The application commits the transaction."),
	row[AbortTransaction]("abort-transaction", "The application aborts the transaction."),
	row[CloseProducer]("close-producer", "The application closes its producer."),
	row[Wait]("wait", "The script waits until conditions are true."),
	row[Predict]("predict", "The audience is asked; the run answers."),
	row[Crash]("crash", "Processes are killed; their disks stay as they are."),
	row[PowerLoss]("power-loss", "Servers lose power, and their disks what was not flushed."),
	row[LoseDisk]("lose-disk", "Servers stop and their disks are emptied."),
	row[Pause]("pause", "Processes freeze and do not know it."),
	row[Resume]("resume", "Frozen processes go on."),
	row[Restart]("restart", "Nodes are shut down cleanly and started again."),
	row[Start]("start", "Nodes that are down are started."),
	row[Shutdown]("shutdown", "Nodes are stopped in good order."),
	row[Cut]("cut", "Connections are broken: nothing passes until heal."),
	row[Heal]("heal", "Broken connections are mended."),
	row[Disconnect]("disconnect", "A connection is reset once."),
	row[Hold]("hold", "Messages are kept back until release."),
	row[Release]("release", "Messages that are held go on."),
	row[Drop]("drop", "Messages are lost."),
	row[Duplicate]("duplicate", "Messages are delivered twice."),
	row[Delay]("delay", "Messages take longer."),
	row[Elect]("elect", "The controller is asked for an election."),
	row[AlterConfig]("alter-config", "Settings of the running cluster are changed."),
	row[AddPartitions]("add-partitions", "A topic gets more partitions."),
	row[Rebalance]("rebalance", "The coordinator of a group begins its next generation."),
	row[Seek]("seek", "A consuming application goes to an offset before its next poll."),
	row[Throw]("throw", "A consuming application fails with an exception of its own and closes its consumer."),
	row[InsertRowsStep]("insert-rows", "Another program commits rows to a table of a database."),
	row[DeleteRecords]("delete-records", "The start of a partition is moved forward."),
	row[Flush]("flush", "Servers force their logs to disk."),
	row[Clock]("clock", "Wall clocks are put forward or back."),
}

// predicates is the vocabulary of conditions.
var predicates = []variant{
	row[Acked]("acked", "State: records are acknowledged."),
	row[Failed]("failed", "State: records have failed for good."),
	row[Processed]("processed", "State: an application has processed records."),
	row[InLog]("in-log", "State: the log of a broker holds records."),
	row[HighWatermark]("high-watermark", "State: a high watermark has come to an offset."),
	row[LogEnd]("log-end", "State: a log end offset has come to an offset."),
	row[Leader]("leader", "State: a broker leads a partition."),
	row[ISR]("isr", "State: the in-sync replicas are exactly these."),
	row[Committed]("committed", "State: a committed offset has come to an offset."),
	row[Assigned]("assigned", "State: a consumer owns exactly these partitions."),
	row[Held]("held", "State: messages are being held."),
	row[Quiet]("quiet", "State: nothing but routine traffic is left."),
	row[Append]("append", "Event: a broker appends a record."),
	row[Fetch]("fetch", "Event: a leader handles a fetch."),
	row[Truncate]("truncate", "Event: a broker cuts its log."),
	row[Elected]("elected", "Event: a broker is made leader."),
	row[Sent]("sent", "Event: a message is sent."),
	row[Delivered]("delivered", "Event: a message is delivered."),
	row[Timeout]("timeout", "Event: a request times out."),
	row[ErrorAt]("error", "Event: a node receives an error code."),
	row[Reaches]("reaches", "Event: a consumer's loop comes to a verb."),
	row[Probe]("probe", "Event: the model records a rare situation."),
}

// variantsOf returns the table that an interface's values come from.
func variantsOf(t reflect.Type) []variant {
	if t == reflect.TypeFor[Action]() {
		return actions
	}
	return predicates
}

// ActionName returns the key that an action has in a file, such as "power-loss".
func ActionName(a Action) string { return nameIn(actions, a) }

// FactName returns the key that a predicate has in a file, such as "high-watermark".
func FactName(f Predicate) string { return nameIn(predicates, f) }

// ActionNames lists the keys of all actions, in the order of the reference.
func ActionNames() []string { return keys(actions) }

// FactNames lists the keys of all predicates, in the order of the reference.
func FactNames() []string { return keys(predicates) }

func keys(table []variant) []string {
	names := make([]string, len(table))
	for i, row := range table {
		names[i] = row.key
	}
	return names
}

func nameIn(table []variant, v any) string {
	t := reflect.TypeOf(v)
	for _, row := range table {
		if t == reflect.PointerTo(row.typ) {
			return row.key
		}
	}
	return ""
}

// Verb is one step of a consumer's loop.
type Verb string

// The verbs.
const (
	Poll    Verb = "poll"    // fetch what is there, and take part in the group
	Process Verb = "process" // let each record take effect
	Commit  Verb = "commit"  // commit the position after the records of the last poll, and wait for the answer

	// Of an application with a producer.
	Begin             Verb = "begin"
	SendOutput        Verb = "send"
	FlushOutput       Verb = "flush"
	SendPositions     Verb = "send-offsets"
	CommitTransacting Verb = "commit-transaction"
)

// verbs is the vocabulary of loops; a new verb is a new row.
var verbs = []struct {
	verb Verb
	doc  string
}{
	{Poll, "Fetches records; every loop begins with it."},
	{Process, "Processes the records, one after the other."},
	{Commit, "Commits the offsets after the records of the last poll."},
	{InsertRows, "Inserts a row into the database for each record, each in a transaction of its own unless the loop commits the database's transaction."},
	{UpsertRows, "The same, keyed by the record: where the row is there already, nothing changes."},
	{StorePositions, "Writes the offsets after the records of the last poll into the database."},
	{StagePositions, "Writes them into a staging place in the database, in a transaction of its own."},
	{PrepareDatabase, "Prepares the database's transaction: it can no longer fail, and waits to be committed."},
	{CommitDatabase, "Commits the database's transaction, or what was prepared."},
	{MarkRows, "Marks the rows of the last poll as passed on."},
	{Begin, "Begins a transaction."},
	{SendOutput, "Sends a record for each record of the last poll."},
	{UpdateStore, "Counts each record by its key, and sends the count to the changelog."},
	{StorePosition, "Sends the position in the source to its topic."},
	{FlushOutput, "Waits until everything sent is answered."},
	{SendPositions, "Makes the offsets after the records of the last poll part of the transaction."},
	{CommitTransacting, "Commits the transaction."},
}

func (Verb) words() []string {
	words := make([]string, len(verbs))
	for i, v := range verbs {
		words[i] = string(v.verb)
	}
	return words
}

// Loop is what a consuming application does, over and over.
type Loop []Verb

// String lists the verbs.
func (l Loop) String() string {
	verbs := make([]string, len(l))
	for i, v := range l {
		verbs[i] = string(v)
	}
	return strings.Join(verbs, ", ")
}

// claimRows lists the claims as files and documentation have them: those of which a file states a verdict for each level come
// first, and else the order is that of every report.
func claimRows() []registry.Row {
	rows := registry.Rows()
	slices.SortStableFunc(rows, func(a, b registry.Row) int { return rank(a.Stated) - rank(b.Stated) })
	return rows
}

func rank(s registry.Stating) int {
	if s == registry.StatedByLevel {
		return 0
	}
	return 1
}

// ClaimNames returns the names of all claims in their usual order.
func ClaimNames() []string {
	var names []string
	for _, r := range claimRows() {
		names = append(names, string(r.Name))
	}
	return names
}

// StatedOnce says that a file states one verdict on a claim: the verdict over both levels, of which it knows no other.
func StatedOnce(claim string) bool { return statingOf(claim) == registry.StatedOnce }

func statingOf(claim string) registry.Stating {
	row, _ := registry.RowOf(registry.Claim(claim))
	return row.Stated
}

// Claims are the verdicts that a file states, in its order.
type Claims []Claim

// Claim is what a file states of one claim: one verdict for each level that is judged.
type Claim struct {
	Placed
	Name   Name
	Stated []Stated
}

// Stated is one stated verdict.
type Stated struct {
	Level   Level // "" for one verdict over whatever levels the claim has
	Verdict Verdict
	Pos     Pos
}

// Asks says that a file wants a ruling on a claim that is judged only where somebody asks: it states a verdict on it, also in a
// comparison, or has a question about it.
func (f *File) Asks(claim string) bool {
	named := func(c Claim) bool { return c.Name.Text == claim }
	for _, v := range f.Compare {
		if slices.ContainsFunc(v.Claims, named) {
			return true
		}
	}
	return slices.ContainsFunc(f.Claims, named) || slices.ContainsFunc(f.Script, func(s Step) bool {
		p, ok := s.Do.(*Predict)
		return ok && p.About.Claim.Text == claim
	})
}

// Verdict returns what is stated of a claim at a level; found is false if the file says nothing of it.
func (c Claims) Verdict(name string, level Level) (verdict Verdict, found bool) {
	for _, claim := range c {
		if claim.Name.Text != name {
			continue
		}
		for _, s := range claim.Stated {
			if s.Level == level {
				return s.Verdict, true
			}
		}
	}
	return "", false
}
