package format

import (
	"fmt"
	"slices"
	"strings"
)

// output is a place that an application writes to: a topic, one partition of it, or a table of a database.
type output struct {
	topic     string
	partition int // -1: any
	database  string
	table     string
	pos       Pos
}

func (o output) String() string {
	if o.table != "" {
		return "table " + o.table + " of " + o.database
	}
	return "topic " + o.topic
}

// writesTo lists the places that an application writes records to.
func (c *Consumer) writesTo() (all []output) {
	if s := c.Sends; s != nil {
		o := output{topic: s.Topic.Text, partition: -1, pos: s.Pos}
		if s.Partition != nil {
			o.partition = *s.Partition
		}
		all = append(all, o)
	}
	if s := c.Store; s != nil {
		all = append(all, output{topic: s.Topic.Text, partition: -1, pos: s.Pos})
	}
	if u := c.Database; u != nil {
		for _, table := range []Name{u.Table, u.Outbox} {
			if !table.IsZero() {
				all = append(all, output{database: u.Database.Text, table: table.Text, pos: u.Pos})
			}
		}
	}
	return all
}

// readsFrom says that an application reads what is written to a place.
func (c *Consumer) readsFrom(o output) bool {
	if o.table != "" {
		return c.Source != nil && c.Source.Database.Text == o.database && c.Source.Table.Text == o.table
	}
	return slices.ContainsFunc(c.Topics, func(n Name) bool { return n.Text == o.topic }) ||
		slices.ContainsFunc(c.Partitions, func(p Partition) bool {
			return p.Topic.Text == o.topic && (o.partition < 0 || o.partition == p.Index)
		})
}

// checkCircles refuses applications that feed themselves, or each other: every record makes another one, and the run never
// comes to an end. In a file with other problems the places may be others than are meant, so those are told first.
func (c *checker) checkCircles() {
	if len(c.problems) > 0 {
		return
	}
	for i := range c.file.Consumers {
		k := &c.file.Consumers[i]
		for _, first := range k.writesTo() {
			if way := c.wayBack(k, []output{first}, map[output]bool{}); way != nil {
				var names []string
				for _, o := range way {
					names = append(names, o.String())
				}
				c.rule(first.pos, fmt.Sprintf("what consumer %s writes comes back to it by way of %s, and never ends", k.Name, strings.Join(names, ", ")),
					"a place to write to that does not lead back to what it reads")
				return // the others of the circle are in it too
			}
		}
	}
}

// wayBack continues a way of places that records take, from application to application, until one that k reads: nil if
// there is none. It comes to no place twice.
func (c *checker) wayBack(k *Consumer, way []output, seen map[output]bool) []output {
	last := way[len(way)-1]
	if k.readsFrom(last) {
		return way
	}
	for i := range c.file.Consumers {
		next := &c.file.Consumers[i]
		if !next.readsFrom(last) {
			continue
		}
		for _, o := range next.writesTo() {
			place := o
			place.pos = Pos{}
			if seen[place] {
				continue
			}
			seen[place] = true
			if back := c.wayBack(k, append(slices.Clip(way), o), seen); back != nil {
				return back
			}
		}
	}
	return nil
}
