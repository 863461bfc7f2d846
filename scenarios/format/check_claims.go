package format

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	registry "kafkatrial/checker"
)

// MetadataIn returns who keeps the metadata under a release: what the file says, or else ZooKeeper before Kafka 3.3, the first
// release in which KRaft was ready for production, and KRaft from then on.
func (c Cluster) MetadataIn(kafka Version) Metadata {
	switch {
	case c.Metadata != "":
		return c.Metadata
	case kafka.AtLeast("3.3"):
		return KRaft
	}
	return ZooKeeper
}

// NotIn says why a release can not have its metadata kept so, and what would do; both are empty if it can. KRaft came with 2.8,
// and ZooKeeper went with 4.0.
func (m Metadata) NotIn(kafka Version) (why, expected string) {
	switch {
	case m == KRaft && !kafka.AtLeast("2.8"):
		return fmt.Sprintf("Kafka %s has no KRaft", kafka), "2.8 or later, or metadata: zookeeper"
	case m == ZooKeeper && kafka.AtLeast("4.0"):
		return fmt.Sprintf("Kafka %s has no ZooKeeper", kafka), "a release before 4.0, or metadata: kraft"
	}
	return "", ""
}

// checkMetadata checks the keeper of metadata against every release that the file runs under, and the nodes zk and k2, which
// exist only with ZooKeeper, against all of them.
func (c *checker) checkMetadata() {
	c.misplaced = map[Pos]bool{}
	c.checkKeeper(c.file.Kafka, c.file.Cluster)
	if c.file.Kafka.Text != "" && c.file.Cluster.MetadataIn(c.file.Kafka) == KRaft && c.file.Cluster.Controllers > 1 {
		c.rule(c.file.Cluster.Pos, fmt.Sprintf("cluster has %d controllers with KRaft", c.file.Cluster.Controllers), "1: the quorum is one node here")
	}
	for i := range c.file.Compare {
		with := c.file.With(c.file.Compare[i])
		if with.Kafka.Text != c.file.Kafka.Text || with.Cluster.Metadata != c.file.Cluster.Metadata {
			c.checkKeeper(with.Kafka, with.Cluster)
		}
	}
}

func (c *checker) checkKeeper(kafka Version, cluster Cluster) {
	if kafka.Text == "" {
		return
	}
	keeper := cluster.MetadataIn(kafka)
	if why, expected := keeper.NotIn(kafka); why != "" {
		c.problem(kafka.Pos, why, expected, "")
	}
	walk(reflect.ValueOf(c.file).Elem(), "", func(v any, _ reflect.StructTag) {
		n, ok := v.(*Node)
		if !ok || c.misplaced[n.Pos] {
			return
		}
		switch {
		case n.Kind == Controller && n.ID > 1 && n.ID <= cluster.Controllers && keeper == KRaft:
			c.misplaced[n.Pos] = true
			c.problem(n.Pos, fmt.Sprintf("there is no %s under Kafka %s with KRaft, whose quorum is one node here", n, kafka), "k1", "")
		case n.Kind == ZooKeeperNode && keeper == KRaft:
			c.misplaced[n.Pos] = true
			c.problem(n.Pos, fmt.Sprintf("there is no zk under Kafka %s with KRaft", kafka), "a controller such as k1", "")
		}
	})
}

// checkClaims refuses verdicts that contradict each other: exactly-once is at-most-once and at-least-once together.
func (c *checker) checkClaims(claims Claims) {
	for _, row := range registry.Rows() {
		if row.Sum != nil {
			c.checkSum(claims, row)
		}
	}
}

// checkSum holds the verdict on a claim that says no more than others together against the verdicts on these.
func (c *checker) checkSum(claims Claims, row registry.Row) {
	name := string(row.Name)
	for _, level := range []Level{AtLog, AtApp} {
		sum, known := claims.Verdict(name, level)
		want := Holds
		var others []string
		for _, part := range row.Sum {
			v, ok := claims.Verdict(string(part), level)
			known = known && ok && v != ""
			if v == Violated || v == Undecided && want == Holds {
				want = v
			}
			others = append(others, fmt.Sprintf("%s is %s", part, v))
		}
		if known && sum != "" && sum != want {
			c.problem(c.placeOf(claims, name), fmt.Sprintf("%s is stated as %s at the level %s, where %s", name, sum, level, strings.Join(others, " and ")),
				string(want)+", which follows from the other two", "")
			return // one word may stand for both levels, and one message is enough
		}
	}
}

func (c *checker) placeOf(claims Claims, name string) Pos {
	for _, claim := range claims {
		if claim.Name.Text == name {
			return claim.Pos
		}
	}
	return c.file.Pos
}

func (c *checker) checkCompare() {
	for i := range c.file.Compare {
		v := &c.file.Compare[i]
		c.checkClaims(v.Claims)
		if (v.Claims == nil) == (v.Refused == nil) && !c.spoilt[v.Pos] {
			c.rule(v.Pos, "the comparison has "+oneOrNone(v.Refused != nil, "both claims and refused", "neither claims nor refused"), "one of them")
		}
		c.checkRefused(v.Refused)
		c.checkInSomeRuns(v)
		if v.Loop != nil {
			c.checkLoop(v.Loop, c.loopAt(v.LoopPos, v.Pos))
		}
		for _, l := range v.Loops {
			c.checkLoop(l.Loop, l.Pos)
		}
		for _, consumer := range c.file.Consumers {
			if loop := c.file.loopIn(*v, consumer); loop != nil {
				at := c.loopAt(v.LoopPos, v.Pos)
				c.checkDatabaseVerbs(consumer, loop, at)
				for _, s := range v.Set {
					if consumer.Produces() && slices.Contains(s.Sections, ProducerConfig) {
						consumer.Producer = consumer.Producer.with(s)
					}
				}
				c.checkVerbs(consumer, loop, at)
				c.checkStoreVerbs(consumer, loop, at)
			}
		}
		if v.Kafka.Text == "" && v.Metadata == "" && v.Features == nil && v.Set == nil && v.Loop == nil && v.Loops == nil && v.HandOff == nil && v.OnError == "" && v.OnAbort == "" && v.OnUnknown == "" && v.GroupMetadata == nil && v.OrderBy == "" && v.Seed == nil && v.InSomeRuns == nil && v.Resume == "" && v.Fence == nil {
			c.rule(v.Pos, "the comparison changes nothing", "at least one of kafka, metadata, features, set, loop, loops, hand-off, on-error, on-abort, on-unknown, group-metadata, order-by, seed, in-some-runs, resume, fence")
		}
	}
}

// checkRefused resolves who is to refuse.
func (c *checker) checkRefused(r *Refused) {
	if r == nil || r.By.IsZero() {
		return
	}
	names := append(slices.Concat(c.declared("producer"), c.declared("consumer"), c.declared("topic")), "broker")
	if !slices.Contains(names, r.By.Text) {
		c.problem(r.By.Pos, fmt.Sprintf("nobody is called %q who could refuse to start", shorten(r.By.Text)), "one of "+listKeys(names), Nearest(r.By.Text, names))
	}
}
