package format

import (
	"slices"
	"strings"
)

// OnAbort is how an application goes on after it has aborted a transaction.
type OnAbort string

// The ways to go on.
const (
	Rewind OnAbort = "rewind" // it seeks to the committed positions and polls again
	GoOn   OnAbort = "go-on"  // it polls: its position stays behind the records whose transaction was aborted
)

func (OnAbort) words() []string { return []string{"rewind", "go-on"} }

// OnUnknown is what an application does when it does not know whether its transaction is committed.
type OnUnknown string

// The policies.
const (
	RetryCommit OnUnknown = "retry" // it calls commitTransaction again
	RedoBatch   OnUnknown = "redo"  // it takes the commit for failed, opens another producer, and begins with the same records again
)

func (OnUnknown) words() []string { return []string{"retry", "redo"} }

// Sends says what the verb send makes of a record in hand: one record, named after its input and the topic (m1.out for m1 and
// the topic out), with the same key.
type Sends struct {
	Placed    `short:"Topic"`
	Topic     Name `yaml:"topic" required:"true" ref:"topic" doc:"The topic that it writes to."`
	Partition *int `yaml:"partition" min:"0" max:"99" doc:"The partition; when left out, the partitioner chooses."`
}

// Fail is a record at which the application's own code throws.
type Fail struct {
	Placed `short:"Times"`
	Name   Name `yaml:"-" ref:"record"`
	Times  int  `yaml:"-" min:"1" max:"1000" doc:"How many times in the run, however often it is started anew, the application's code throws an exception while it processes this record."`
}

// Produces says that the application has a producer of its own.
func (c Consumer) Produces() bool { return c.Producer != nil || c.Sends != nil || c.Store != nil }

// Writes says that the application takes effect by what it writes.
func (c Consumer) Writes() bool { return c.Produces() || c.Database != nil }

// commitsByItself says that the file asks for commits by the clock, in so many words. Below 0.9 the key has another name.
func (c Consumer) commitsByItself() bool {
	for _, key := range []string{"enable.auto.commit", "auto.commit.enable"} {
		if on, given := c.Config.Get(key); given {
			return strings.EqualFold(on, "true")
		}
	}
	return false
}

// followSetting gives a consumer whose loop nobody spells out the one that goes with its settings: where poll commits, the
// application does not.
func (c *Consumer) followSetting() {
	switch {
	case c.Pos.Line == 0 || c.LoopPos.Line > 0 || len(c.Loop) == 0: // made by a program, spelt out, or in error
	case c.commitsByItself():
		c.Loop = Loop{Poll, Process}
	default:
		c.Loop = Loop{Poll, Process, Commit}
	}
}

// loopIn is what a variant has a consumer do, nil: what the file says. The variant's loop is for all consumers; if there are
// applications that write, it is for those alone.
func (f *File) loopIn(v Variant, c Consumer) Loop {
	for _, l := range v.Loops {
		if l.Name.Text == c.Name.Text {
			return l.Loop
		}
	}
	if c.Writes() || !slices.ContainsFunc(f.Consumers, Consumer.Writes) {
		return v.Loop
	}
	return nil
}

// OutputOf names the record that an application makes of an input record for a topic or for the table of an outbox, as the
// model does (consumer.OutputID): this package knows nothing of the model.
func OutputOf(input, place string) string { return input + "." + place }
