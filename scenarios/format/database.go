package format

import (
	"fmt"
	"slices"
	"strings"
)

// Database is a database beside Kafka, a node of its own. Its tables are made when they are first written to.
type Database struct {
	Placed
	Name    Name `yaml:"-"`
	Started bool `yaml:"started" default:"true" doc:"false keeps the database down until a start step."`
}

// Using says how an application uses a database.
type Using struct {
	Placed   `short:"Database"`
	Database Name `yaml:"name" required:"true" ref:"database" doc:"The database."`
	Table    Name `yaml:"table" doc:"The table that insert and upsert write one row to for each record; named rows when left out."`
	Outbox   Name `yaml:"outbox" doc:"A second table: what writes a row writes there, in the same transaction, a row for another application to pass on. The record of that row is named after the record and the table, as in m1.outbox."`
	Fence    bool `yaml:"fence" default:"false" doc:"true has the application take its group's positions in the database over when it begins: what an earlier owner still writes is then refused."`
}

// Source is what an application reads in place of topics.
type Source struct {
	Placed
	Database Name `yaml:"database" required:"true" ref:"database" doc:"The database."`
	Table    Name `yaml:"table" required:"true" doc:"The table, whose rows it reads in the order of their numbers, passing over those that are marked."`
}

// ResumeFrom says where an application begins to read.
type ResumeFrom string

// The places.
const (
	ResumeCommitted ResumeFrom = "committed" // the positions that are committed in Kafka
	ResumeDatabase  ResumeFrom = "database"  // those that store-offsets has written, by seek
	ResumeStaged    ResumeFrom = "staged"    // those that stage-offsets has written, by seek
)

func (ResumeFrom) words() []string { return []string{"committed", "database", "staged"} }

// The verbs of an application with a database.
const (
	InsertRows      Verb = "insert"
	UpsertRows      Verb = "upsert"
	StorePositions  Verb = "store-offsets"
	StagePositions  Verb = "stage-offsets"
	CommitDatabase  Verb = "commit-database"
	PrepareDatabase Verb = "prepare-database"
	MarkRows        Verb = "mark"
)

// DefaultTable is where an application writes rows to if the file does not say.
const DefaultTable = "rows"

// checkDatabase completes what an application says of its database, and checks it.
func (c *checker) checkDatabase(k *Consumer) {
	if u := k.Database; u != nil && u.Table.IsZero() {
		u.Table = Name{DefaultTable, u.Pos}
	}
	if u := k.Database; u != nil && u.Outbox.Text == u.Table.Text {
		c.rule(u.Pos, fmt.Sprintf("table and outbox of consumer %s are the same", k.Name), "two tables")
	}
	if u := k.Database; u != nil && !u.Outbox.IsZero() && (k.Sends != nil && k.Sends.Topic.Text == u.Outbox.Text || k.Store != nil && k.Store.Topic.Text == u.Outbox.Text) {
		c.rule(u.Pos, fmt.Sprintf("the outbox of consumer %s has the name of topic %s, which it writes to", k.Name, u.Outbox), "another name: the records would have the same names")
	}
	if u, s := k.Database, k.Source; u != nil && s != nil && !u.Database.IsZero() && !s.Database.IsZero() && u.Database.Text != s.Database.Text {
		c.rule(u.Pos, fmt.Sprintf("consumer %s reads from database %s and writes to database %s", k.Name, s.Database, u.Database), "one database: an application has one session here")
	}
	if k.Resume != ResumeCommitted && k.Resume != "" && k.Database == nil {
		c.rule(k.Pos, fmt.Sprintf("consumer %s resumes from positions in a database, and has none", k.Name), "a database")
	}
	c.checkDatabaseVerbs(*k, k.Loop, c.loopAt(k.LoopPos, k.Pos))
}

// checkDatabaseVerbs checks a loop against the database that an application has, or has not.
func (c *checker) checkDatabaseVerbs(k Consumer, loop Loop, at Pos) {
	place := func(v Verb) int { return slices.Index(loop, v) }
	has := func(v Verb) bool { return place(v) >= 0 }
	for _, v := range []Verb{InsertRows, UpsertRows, StorePositions, StagePositions, CommitDatabase, PrepareDatabase} {
		if has(v) && k.Database == nil {
			c.rule(at, fmt.Sprintf("the loop holds %s, and consumer %s has no database", v, k.Name), "a database, as in database: db")
			return
		}
	}
	writes := func(before int) bool {
		return slices.ContainsFunc([]Verb{InsertRows, UpsertRows, StorePositions}, func(v Verb) bool { return has(v) && place(v) < before })
	}
	switch {
	case has(MarkRows) && k.Source == nil:
		c.rule(at, fmt.Sprintf("the loop holds mark, and consumer %s has no source", k.Name), "a source, as in source: {database: db, table: outbox}")
	case (has(Commit) || has(SendPositions) || has(StorePositions) || has(StagePositions)) && k.Source != nil:
		c.rule(at, fmt.Sprintf("the loop commits offsets, and consumer %s reads a table", k.Name), "mark, which marks the rows as passed on, or store-position")
	case has(CommitDatabase) && !writes(place(CommitDatabase)):
		c.rule(at, "the loop commits a transaction of the database in which nothing is written", "insert, upsert or store-offsets before it")
	case has(PrepareDatabase) && (place(CommitDatabase) < place(PrepareDatabase) || !writes(place(PrepareDatabase))):
		c.rule(at, "the loop prepares a transaction that it does not write before and commit after", "insert, prepare-database, and commit-database after it")
	case has(CommitDatabase) && slices.ContainsFunc([]Verb{InsertRows, UpsertRows, StorePositions}, func(v Verb) bool { return place(v) > place(CommitDatabase) }),
		has(PrepareDatabase) && slices.ContainsFunc([]Verb{InsertRows, UpsertRows, StorePositions}, func(v Verb) bool { return place(v) > place(PrepareDatabase) }):
		c.rule(at, "the loop writes to the database after it has committed or prepared", "insert, upsert and store-offsets before commit-database and prepare-database")
	}
}

// checkReads wants one of the three things that an application can read.
func (c *checker) checkReads(k *Consumer) {
	var reads []string
	for _, of := range []struct {
		name  string
		given bool
	}{{"topics", len(k.Topics) > 0}, {"partitions", len(k.Partitions) > 0}, {"a source", k.Source != nil}} {
		if of.given {
			reads = append(reads, of.name)
		}
	}
	const expected = "one of them: topics to subscribe to, or partitions to take"
	switch {
	case len(reads) == 0:
		c.rule(k.Pos, fmt.Sprintf("consumer %s has neither topics nor partitions", k.Name), expected)
	case len(reads) > 1:
		c.rule(k.Pos, fmt.Sprintf("consumer %s has %s", k.Name, strings.Join(reads, " and ")), expected)
	}
}

// varyDatabase gives an application what a variant says of its database.
func (k *Consumer) varyDatabase(v Variant) {
	if k.Database == nil {
		return
	}
	if v.Resume != "" {
		k.Resume = v.Resume
	}
	if v.Fence != nil {
		u := *k.Database
		u.Fence = *v.Fence
		k.Database = &u
	}
}

// written is a record that an application makes, and where it is: a topic, or tableOf a table.
type written struct{ name, topic string }

// tableOf names a table where topics are named too.
func tableOf(table Name) string { return "table " + table.Text }

// outputs are the records that an application makes of one, if it reads it.
func (c Consumer) outputs(record string) (all []written) {
	switch {
	case c.Sends != nil && c.Source != nil: // it passes the record on
		all = append(all, written{record, c.Sends.Topic.Text})
	case c.Sends != nil:
		all = append(all, written{OutputOf(record, c.Sends.Topic.Text), c.Sends.Topic.Text})
	}
	if c.Store != nil && c.Source == nil {
		all = append(all, written{OutputOf(record, c.Store.Topic.Text), c.Store.Topic.Text})
	}
	if u := c.Database; u != nil && !u.Outbox.IsZero() {
		all = append(all, written{OutputOf(record, u.Outbox.Text), tableOf(u.Outbox)})
	}
	return all
}

// InsertRowsStep lets another program, which the scenario does not show, commit rows to a table.
type InsertRowsStep struct {
	doing
	Database Name   `yaml:"database" ref:"database" doc:"The database; may be left out if there is only one."`
	Table    Name   `yaml:"table" required:"true" doc:"The table."`
	Rows     []Name `yaml:"rows" required:"true" min:"1" max:"1000" doc:"The rows, each by the name of the record that it holds, in one transaction."`
}

// noteRows completes an insert-rows step and learns its records.
func (c *checker) noteRows(insert *InsertRowsStep) {
	if insert.Database.IsZero() && len(c.file.Databases) == 1 {
		insert.Database = Name{c.file.Databases[0].Name.Text, insert.Pos}
	}
	if insert.Database.IsZero() {
		c.rule(insert.Pos, `insert-rows has no "database"`, "the name of a database")
	}
	for _, name := range insert.Rows {
		c.noteRecord(&Send{doing: insert.doing}, name)
	}
}
