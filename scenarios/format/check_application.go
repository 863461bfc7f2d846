package format

import (
	"fmt"
	"slices"
	"strings"
)

// checkVerbs checks a loop against what the application has.
func (c *checker) checkVerbs(consumer Consumer, loop Loop, at Pos) {
	begin, end := slices.Index(loop, Begin), slices.Index(loop, CommitTransacting)
	within := func(v Verb) bool { i := slices.Index(loop, v); return i < 0 || begin >= 0 && begin < i && i < end }
	switch {
	case slices.Contains(loop, SendOutput) && consumer.Sends == nil:
		c.rule(at, fmt.Sprintf("the loop holds send, and consumer %s has no sends", consumer.Name), "what it sends, as in sends: {topic: out}")
	case slices.Contains(loop, FlushOutput) && !consumer.Produces():
		c.rule(at, fmt.Sprintf("the loop holds flush, and consumer %s has no producer", consumer.Name), "a producer")
	case (begin < 0) != (end < 0) || begin > end:
		c.rule(at, "the loop does not hold begin and, after it, commit-transaction", "both, or neither")
	case !within(SendPositions) || begin >= 0 && !within(SendOutput):
		c.rule(at, "the loop sends outside of its transaction", "send and send-offsets between begin and commit-transaction")
	case begin >= 0 && !consumer.transactional():
		c.rule(at, fmt.Sprintf("the loop holds begin, and the producer of consumer %s has no transactional.id", consumer.Name), "a producer with a transactional.id")
	case begin < 0 && slices.Contains(loop, SendOutput) && consumer.transactional():
		c.rule(at, fmt.Sprintf("the producer of consumer %s has a transactional.id, and the loop does not hold begin", consumer.Name),
			"begin and commit-transaction, or no transactional.id, which in a comparison is transactional.id: \"null\"")
	case loop != nil && consumer.HandOff && consumer.Produces():
		c.rule(at, fmt.Sprintf("consumer %s has a hand-off and a producer", consumer.Name), "one of them")
	}
}

func (c Consumer) transactional() bool {
	id, given := c.Producer.Get("transactional.id")
	return given && id != "null"
}

func (c *checker) checkApplication(consumer *Consumer) {
	c.checkChangelog(consumer)
	c.checkPlaces(consumer)
	if s := consumer.Sends; s != nil && s.Partition != nil {
		if count, known := c.partitions[s.Topic.Text]; known && *s.Partition >= count {
			c.rule(s.Pos, fmt.Sprintf("there is no partition %s-%d", s.Topic, *s.Partition), fmt.Sprintf("partitions 0 to %d", count-1))
		}
	}
}

// checkPlaces: the consumers of a group are one application, which owes each record the same effects, whoever reads it.
func (c *checker) checkPlaces(consumer *Consumer) {
	for i := range c.file.Consumers {
		first := &c.file.Consumers[i]
		if first == consumer {
			return
		}
		if first.Source != nil || consumer.Source != nil {
			continue
		}
		if first.Group.Text != consumer.Group.Text || first.Group.Text == "" {
			c.checkNames(first, consumer)
			continue
		}
		if a, b := first.places(), consumer.places(); a != b {
			c.rule(consumer.Pos, fmt.Sprintf("consumer %s writes to %s, and consumer %s of the same group to %s", consumer.Name, b, first.Name, a),
				"the same places for all consumers of a group, or a group of its own")
		}
	}
}

// checkNames: what two applications make of one record must not bear one name, or it would be taken for one record that
// was written twice.
func (c *checker) checkNames(first, consumer *Consumer) {
	for _, t := range c.file.Topics {
		if !first.reads(t.Name.Text) || !consumer.reads(t.Name.Text) {
			continue
		}
		for _, o := range first.outputs("m1") {
			if slices.Contains(consumer.outputs("m1"), o) {
				c.rule(consumer.Pos, fmt.Sprintf("consumers %s and %s are of two groups, and both would write %s", first.Name, consumer.Name, o.name),
					"one group, or two topics to write to")
				return
			}
		}
	}
}

// places names what an application writes to.
func (c *Consumer) places() string {
	var all []string
	if c.Sends != nil {
		all = append(all, "topic "+c.Sends.Topic.Text)
	}
	if c.Store != nil {
		all = append(all, "store "+c.Store.Topic.Text)
	}
	if c.Database != nil {
		all = append(all, tableOf(c.Database.Table)+" of "+c.Database.Database.Text)
	}
	if all == nil {
		return "nothing"
	}
	return strings.Join(all, ", ")
}

// ownsProducer says that a consumer of this name has a producer.
func (c *checker) ownsProducer(name string) bool {
	return slices.ContainsFunc(c.file.Consumers, func(k Consumer) bool { return k.Name.Text == name && k.Produces() })
}

// reads says that an application reads a topic.
func (c Consumer) reads(topic string) bool {
	return c.Source != nil && tableOf(c.Source.Table) == topic ||
		slices.ContainsFunc(c.Topics, func(n Name) bool { return n.Text == topic }) ||
		slices.ContainsFunc(c.Partitions, func(p Partition) bool { return p.Topic.Text == topic })
}

// collectOutputs learns the records that applications write: of each record of a topic that one reads, also of those that
// another has written there.
func (c *checker) collectOutputs() {
	var all []written
	for i := range c.file.Script {
		switch do := c.file.Script[i].Do.(type) {
		case *Send:
			for _, r := range do.Records {
				all = append(all, written{r.Name.Text, do.Topic.Text})
			}
		case *InsertRowsStep:
			for _, r := range do.Rows {
				all = append(all, written{r.Text, tableOf(do.Table)})
			}
		}
	}
	for range c.file.Consumers { // a chain of applications is at most that long
		for _, k := range c.file.Consumers {
			for _, w := range all {
				for _, o := range k.outputs(w.name) {
					if slices.Contains(all, o) || !k.reads(w.topic) || len(all) >= MaxRecords {
						continue
					}
					all = append(all, o)
					if _, known := c.records[o.name]; !known {
						c.records[o.name] = k.Pos
						c.recordList = append(c.recordList, o.name)
					}
				}
			}
		}
	}
}
