package format

import (
	"fmt"
	"slices"
)

// Store is a topic to which an application writes down what it keeps in memory, and from which it reads that back.
type Store struct {
	Placed `short:"Topic"`
	Topic  Name `yaml:"topic" required:"true" ref:"topic" doc:"The topic: the changelog of what update counts, or, with a source, where store-position writes to."`
}

// The verbs of an application with a store.
const (
	UpdateStore   Verb = "update"
	StorePosition Verb = "store-position"
)

// checkStoreVerbs checks a loop against the store that an application has, or has not.
func (c *checker) checkStoreVerbs(k Consumer, loop Loop, at Pos) {
	update, position := slices.Index(loop, UpdateStore), slices.Index(loop, StorePosition)
	begin, end, send := slices.Index(loop, Begin), slices.Index(loop, CommitTransacting), slices.Index(loop, SendOutput)
	writes := max(update, position)
	switch {
	case writes < 0:
	case update >= 0 && position >= 0:
		c.rule(at, "the loop holds update and store-position", "update of an application that reads topics, or store-position of one that reads a source")
	case k.Store == nil:
		c.rule(at, fmt.Sprintf("the loop holds %s, and consumer %s has no store", loop[writes], k.Name), "a topic to write to, as in store: counts")
	case update >= 0 && k.Source != nil:
		c.rule(at, fmt.Sprintf("the loop holds update, and consumer %s reads a source", k.Name), "store-position")
	case position >= 0 && k.Source == nil:
		c.rule(at, fmt.Sprintf("the loop holds store-position, and consumer %s has no source", k.Name), "a source, as in source: {database: db, table: events}")
	case update >= 0 && send >= 0 && send < update:
		c.rule(at, "the loop sends before it updates", "update before send, which sends the count")
	case k.Sends != nil && k.Sends.Topic.Text == k.Store.Topic.Text:
		c.rule(at, fmt.Sprintf("consumer %s sends to its store %s", k.Name, k.Store.Topic), "another topic for one of them: the records would have the same names")
	case begin >= 0 && (writes < begin || writes > end):
		c.rule(at, fmt.Sprintf("the loop holds %s outside of its transaction", loop[writes]), "it between begin and commit-transaction")
	case begin < 0 && k.transactional():
		c.rule(at, fmt.Sprintf("the producer of consumer %s has a transactional.id, and the loop does not hold begin", k.Name), "begin and commit-transaction, or no transactional.id")
	}
}

// checkChangelog wants a partition of the changelog for every one of the input.
func (c *checker) checkChangelog(k *Consumer) {
	if k.Store == nil || k.Source != nil {
		return
	}
	has, known := c.partitions[k.Store.Topic.Text]
	for _, t := range k.Topics {
		if reads, read := c.partitions[t.Text]; known && read && reads > has {
			c.rule(k.Store.Pos, fmt.Sprintf("topic %s has %d partitions, and the changelog %s has %d", t, reads, k.Store.Topic, has), "as many: each task has its own")
		}
	}
}
