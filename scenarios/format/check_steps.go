package format

import (
	"fmt"
	"slices"
	"strings"
)

// checkSteps checks what belongs to single actions and conditions.
func (c *checker) checkSteps() {
	for i := range c.file.Script {
		s := &c.file.Script[i]
		if s.When != nil {
			c.checkCondition(s.When.Condition)
		}
		switch do := s.Do.(type) {
		case *Send:
			if count, known := c.partitions[do.Topic.Text]; known && do.Partition != nil && *do.Partition >= count {
				c.rule(do.Pos, fmt.Sprintf("there is no partition %s-%d", do.Topic, *do.Partition), fmt.Sprintf("partitions 0 to %d", count-1))
			}
		case *SendOffsets:
			c.checkSendOffsets(do)
		case *Rebalance:
			c.checkRebalance(do)
		case *Wait:
			c.checkCondition(do.Condition)
		case *Predict:
			c.checkAbout(do.About)
		case *Cut:
			c.checkLink(do.Link, do.Pos, "cut")
		case *Heal:
			if !do.All {
				c.checkLink(do.Link, do.Pos, "heal")
			}
		case *Hold:
			c.checkMessages(do.Messages, do.Pos, "hold", "")
		case *Release:
			if !do.All {
				c.checkMessages(do.Messages, do.Pos, "release", ", or the word all")
			}
		case *Drop:
			c.checkMessages(do.Messages, do.Pos, "drop", "")
		case *Duplicate:
			c.checkMessages(do.Messages, do.Pos, "duplicate", "")
		case *Delay:
			c.checkMessages(do.Messages, do.Pos, "delay", "")
		case *AddPartitions:
			c.checkGrowth(do)
		case *AlterConfig:
			c.checkAlterConfig(do)
		}
		nodes, what := nodesOf(s.Do)
		c.distinct(nodes, what)
	}
}

// nodesOf gives the nodes that an action strikes one by one, and its key; nil if it is about something else.
func nodesOf(do Action) ([]Node, string) {
	switch do := do.(type) {
	case *Crash:
		return do.Nodes, "crash"
	case *PowerLoss:
		return do.Nodes, "power-loss"
	case *LoseDisk:
		return do.Nodes, "lose-disk"
	case *Pause:
		return do.Nodes, "pause"
	case *Resume:
		return do.Nodes, "resume"
	case *Restart:
		return do.Nodes, "restart"
	case *Start:
		return do.Nodes, "start"
	case *Shutdown:
		return do.Nodes, "shutdown"
	case *Flush:
		return do.Nodes, "flush"
	case *Clock:
		return do.Nodes, "clock"
	case *Disconnect:
		return do.Between, "disconnect"
	}
	return nil, ""
}

func (c *checker) checkCondition(condition Condition) {
	for _, f := range condition.Predicates {
		switch f := f.(type) {
		case *Quiet:
			if !f.Is {
				c.problem(f.Pos, "quiet is false", "quiet: true", "")
			}
		case *ISR:
			c.distinct(f.Is, "isr")
		case *Held:
			c.checkMessages(f.Messages, f.Pos, "held", "")
		case *Sent:
			c.checkMessages(f.Messages, f.Pos, "sent", "")
		case *Delivered:
			c.checkMessages(f.Messages, f.Pos, "delivered", "")
		}
	}
}

func (c *checker) checkAbout(a About) {
	if count := len(a.subjects()); count != 1 {
		c.rule(a.Pos, fmt.Sprintf("about names %d things", count),
			"exactly one of record, copies, acked, order, leader, isr, high-watermark, log-end, claim")
	}
}

// checkLink wants exactly one of the four forms.
func (c *checker) checkLink(l Link, at Pos, what string) {
	var forms []string
	for _, form := range []struct {
		name  string
		given bool
	}{
		{"between", l.Between != nil}, {"from with to", l.From != nil || l.To != nil}, {"node", l.Node != nil}, {"groups", l.Groups != nil},
	} {
		if form.given {
			forms = append(forms, form.name)
		}
	}
	switch {
	case len(forms) == 0:
		expected := "one of between, from with to, node, groups"
		if what == "heal" {
			expected += ", or the word all"
		}
		c.rule(at, what+" does not say which connections", expected)
	case len(forms) > 1:
		c.rule(at, what+" has "+strings.Join(forms, " and "), "one of them")
	case (l.From == nil) != (l.To == nil):
		c.rule(at, what+" has only one of from and to", "both of them")
	}
	c.distinct(l.Between, "between")
	c.distinct(l.From, "from")
	c.distinct(l.To, "to")
	c.distinct(l.Node, "node")
	if len(l.From) == 1 && len(l.To) == 1 && l.From[0].Name == l.To[0].Name && !l.From[0].IsZero() {
		c.problem(l.To[0].Pos, fmt.Sprintf("%s is between %s and itself", what, l.To[0]), "another node", "")
	}
	var all []Node
	for _, group := range l.Groups {
		all = append(all, group...)
	}
	c.distinct(all, "groups")
}

func (c *checker) checkMessages(m Messages, at Pos, what, orElse string) {
	if m.From.IsZero() && m.To.IsZero() && m.Kind.IsZero() && m.Record.IsZero() {
		c.rule(at, what+" does not say which messages", "at least one of from, to, kind, record"+orElse)
	}
}

// checkGrowth follows the number of partitions through the script.
func (c *checker) checkGrowth(do *AddPartitions) {
	count, known := c.partitions[do.Topic.Text]
	switch {
	case !known || do.Count == 0:
	case do.Count <= count:
		c.rule(do.Pos, fmt.Sprintf("%s has %d partitions already", do.Topic, count), fmt.Sprintf("a count of at least %d", count+1))
	default:
		c.partitions[do.Topic.Text] = do.Count
	}
}

func (c *checker) checkAlterConfig(do *AlterConfig) {
	forBrokers := do.Broker.Pos.Line > 0
	if do.Topic.IsZero() != forBrokers {
		c.rule(do.Pos, "alter-config has "+oneOrNone(forBrokers, "both topic and broker", "neither topic nor broker"), "one of them")
		return
	}
	if forBrokers && !do.Broker.All {
		c.rule(do.Broker.Pos, "alter-config names single brokers", "all, the default of the whole cluster")
		return
	}
	section := TopicConfig
	if forBrokers {
		section = BrokerConfig
	}
	for i := range do.Config {
		c.settingKnown(&do.Config[i], []Section{section})
	}
}

// checkSendOffsets completes the group, which may be that of the consumer.
func (c *checker) checkSendOffsets(do *SendOffsets) {
	group := c.groupOf(do.Consumer)
	switch {
	case do.Consumer.IsZero() && do.Group.IsZero():
		c.rule(do.Pos, `send-offsets has no "group"`, "the name of a group, or a consumer")
	case do.Consumer.IsZero() && do.GroupMetadata != nil && *do.GroupMetadata:
		c.rule(do.Pos, "send-offsets has group-metadata but no consumer", "the consumer whose groupMetadata it is")
	case !do.Consumer.IsZero() && do.Group.IsZero():
		do.Group = Name{group, do.Pos}
	case !do.Consumer.IsZero() && group != "" && group != do.Group.Text:
		c.problem(do.Group.Pos, fmt.Sprintf("%s is a consumer of group %s", do.Consumer, group), group, "")
	}
}

// groupOf is a consumer's group, "" if there is no such consumer.
func (c *checker) groupOf(consumer Name) string {
	for i := range c.file.Consumers {
		if k := &c.file.Consumers[i]; k.Name.Text == consumer.Text {
			return k.Group.Text
		}
	}
	return ""
}

// checkRebalance wants members of the group that subscribe, and every partition with one of them at most.
func (c *checker) checkRebalance(do *Rebalance) {
	owner := map[string]string{}
	for _, s := range do.Assign {
		for i := range c.file.Consumers {
			k := &c.file.Consumers[i]
			switch {
			case k.Name.Text != s.Name.Text:
				continue
			case k.Group.Text != do.Group.Text:
				c.problem(s.Name.Pos, fmt.Sprintf("%s is a consumer of group %s", s.Name, k.Group), "a consumer of group "+do.Group.Text, "")
			case len(k.Partitions) > 0:
				c.problem(s.Name.Pos, fmt.Sprintf("%s takes its partitions without a subscription", s.Name), "a consumer with topics", "")
			}
			for _, p := range s.Partitions {
				if len(k.Topics) > 0 && !p.IsZero() && !slices.ContainsFunc(k.Topics, func(t Name) bool { return t.Text == p.Topic.Text }) {
					c.problem(p.Pos, fmt.Sprintf("%s does not subscribe to %s", s.Name, p.Topic), "a partition of a topic that it subscribes to", "")
				}
			}
		}
		for _, p := range s.Partitions {
			if first, taken := owner[p.String()]; taken {
				c.problem(p.Pos, fmt.Sprintf("%s is given to %s and to %s", p, first, s.Name), "every partition with one member", "")
			}
			owner[p.String()] = s.Name.Text
		}
	}
}
