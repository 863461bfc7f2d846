package format

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// check looks at what no single value shows: names, references, and keys that need or exclude each other. It also fills in
// the defaults that depend on the rest of the file.
func (d *decoder) check(f *File) {
	c := &checker{decoder: d, file: f}
	c.checkName()
	c.checkTopics()
	c.checkClients()
	c.checkScriptShape()
	c.collectRecords()
	c.checkSteps()
	c.checkReferences()
	c.checkMetadata()
	c.checkClaims(f.Claims)
	c.checkRefused(f.Refused)
	if f.Refused != nil && (f.Claims != nil || f.Compare != nil) {
		c.rule(f.Refused.Pos, "the file has refused beside claims or compare", "refused alone: of what does not start there is no run")
	}
	c.checkCompare()
	c.checkCircles()
}

// checker holds what the file declares.
type checker struct {
	*decoder
	file        *File
	partitions  map[string]int // the most that each topic ever has
	records     map[string]Pos // where each record is first sent
	recordList  []string
	sendsSpoilt bool         // a send step has problems, so the records are not all known
	misplaced   map[Pos]bool // nodes reported as absent under a keeper of metadata
}

var scenarioForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func (c *checker) checkName() {
	if n := c.file.Name; !n.IsZero() && !scenarioForm.MatchString(n.Text) {
		c.problem(n.Pos, fmt.Sprintf("name is %q", shorten(n.Text)), "lower-case letters, digits and single hyphens", "")
	}
}

// checkTopics completes Partitions, Replicas and ReplicationFactor, of which a file gives what it likes.
func (c *checker) checkTopics() {
	c.partitions = map[string]int{}
	brokers := c.file.Cluster.Brokers
	for i := range c.file.Topics {
		t := &c.file.Topics[i]
		if !t.Name.IsZero() && (!topicForm.MatchString(t.Name.Text) || t.Name.Text == "." || t.Name.Text == "..") {
			c.problem(t.Name.Pos, fmt.Sprintf("a topic is named %q", shorten(t.Name.Text)), "letters, digits, and the characters . _ -", "")
		}
		switch {
		case t.Replicas != nil && len(t.Replicas) == 0:
			c.rule(t.Pos, fmt.Sprintf("topic %s has no partitions", t.Name), "the replicas of at least one partition, as in replicas: [[1, 2]]")
		case t.Replicas != nil && t.ReplicationFactor > 0:
			c.rule(t.Pos, fmt.Sprintf("topic %s has both replicas and replication-factor", t.Name), "one of them")
		case t.Replicas != nil && t.Partitions > 0 && t.Partitions != len(t.Replicas):
			c.rule(t.Pos, fmt.Sprintf("topic %s has %d partitions but replicas for %d", t.Name, t.Partitions, len(t.Replicas)),
				"one list of replicas for each partition")
		case t.Replicas != nil:
			t.Partitions = len(t.Replicas)
			t.ReplicationFactor = len(slices.MaxFunc(append(t.Replicas, nil), func(a, b []Node) int { return len(a) - len(b) }))
		case t.ReplicationFactor > brokers && brokers > 0:
			c.rule(t.Pos, fmt.Sprintf("topic %s has replication-factor %d", t.Name, t.ReplicationFactor),
				fmt.Sprintf("at most the number of brokers, %d", brokers))
		default:
			t.Partitions = max(t.Partitions, 1)
			if t.ReplicationFactor == 0 {
				t.ReplicationFactor = min(3, brokers)
			}
			t.Replicas = spread(t.Partitions, t.ReplicationFactor, brokers, t.Pos)
		}
		for _, replicas := range t.Replicas {
			c.distinct(replicas, "the replicas of one partition")
			if replicas != nil && len(replicas) == 0 {
				c.rule(t.Pos, fmt.Sprintf("a partition of topic %s has no replicas", t.Name), "at least one broker")
			}
		}
		c.partitions[t.Name.Text] = t.Partitions
	}
}

// spread deals replicas in turn: partition 0 on b1 b2 b3, partition 1 on b2 b3 b1, and so on.
func spread(partitions, factor, brokers int, pos Pos) [][]Node {
	if brokers < 1 {
		return nil
	}
	all := make([][]Node, partitions)
	for p := range all {
		for r := range factor {
			id := (p+r)%brokers + 1
			all[p] = append(all[p], Node{Kind: Broker, Name: fmt.Sprintf("b%d", id), ID: id, Pos: pos})
		}
	}
	return all
}

func (c *checker) distinct(nodes []Node, what string) {
	for i, n := range nodes {
		if !n.IsZero() && slices.ContainsFunc(nodes[:i], func(m Node) bool { return m.Name == n.Name }) {
			c.problem(n.Pos, fmt.Sprintf("%s stands twice in %s", n, what), "every node once", "")
		}
	}
}

func (c *checker) checkClients() {
	taken := map[string]Pos{}
	claim := func(n Name, what string) {
		switch first, twice := taken[n.Text]; {
		case n.IsZero():
			return
		case twice:
			c.problem(n.Pos, fmt.Sprintf("%s is named %s like another client", what, n), fmt.Sprintf("another name; the first is in line %d", first.Line), "")
		case reserved(n.Text):
			c.problem(n.Pos, fmt.Sprintf("%s is named %q, which means something else in a script", what, n), "another name, such as p or c", "")
		case !clientForm.MatchString(n.Text):
			c.problem(n.Pos, fmt.Sprintf("%s is named %q", what, shorten(n.Text)), "a letter, then letters, digits, and the characters . _ -", "")
		}
		taken[n.Text] = n.Pos
	}
	for i := range c.file.Producers {
		claim(c.file.Producers[i].Name, "a producer")
	}
	for i := range c.file.Databases {
		claim(c.file.Databases[i].Name, "a database")
	}
	for i := range c.file.Consumers {
		consumer := &c.file.Consumers[i]
		claim(consumer.Name, "a consumer")
		c.checkReads(consumer)
		c.checkDatabase(consumer)
		if consumer.Group.IsZero() {
			consumer.Group = Name{consumer.Name.Text, consumer.Pos}
		}
		consumer.followSetting()
		at := c.loopAt(consumer.LoopPos, consumer.Pos)
		c.checkLoop(consumer.Loop, at)
		c.checkVerbs(*consumer, consumer.Loop, at)
		c.checkStoreVerbs(*consumer, consumer.Loop, at)
		c.checkApplication(consumer)
	}
}

func oneOrNone(both bool, ifBoth, ifNone string) string {
	if both {
		return ifBoth
	}
	return ifNone
}

// loopAt is where a rule about a loop is reported: at the loop, or, of one that is left out, at what has it. What is spoilt
// keeps its own place, and so its silence.
func (c *checker) loopAt(loop, owner Pos) Pos {
	if loop.Line == 0 || c.spoilt[owner] {
		return owner
	}
	return loop
}

func (c *checker) checkLoop(loop Loop, at Pos) {
	if loop != nil && (len(loop) == 0 || loop[0] != Poll && loop[0] != "") {
		c.rule(at, "the loop does not begin with poll", "a loop such as [poll, process, commit]")
	}
	for i, verb := range loop {
		if verb != "" && slices.Contains(loop[:i], verb) {
			c.rule(at, fmt.Sprintf("the loop holds %s twice", verb), "each verb once")
		}
	}
}

// checkScriptShape numbers the steps and checks what surrounds their actions.
func (c *checker) checkScriptShape() {
	var last Duration
	for i := range c.file.Script {
		s := &c.file.Script[i]
		s.Number = i + 1
		if s.At.Given() && s.After.Given() {
			c.rule(s.Pos, "the step has both at and after", "one of them")
		}
		if s.At.Given() {
			if s.At.Duration < last.Duration {
				c.problem(s.At.Pos, fmt.Sprintf("at is %s, before an earlier step's %s", s.At, last), "times that do not go back", "")
			}
			last = s.At
		}
		if s.Do == nil && s.Say.IsZero() && s.Act.IsZero() && s.Notes.IsZero() && !s.After.Given() && !s.At.Given() && s.When == nil {
			c.rule(s.Pos, "the step does nothing", "an action, or one of act, say, at, after, when")
		}
	}
}

// collectRecords completes the send steps and learns which records there are.
func (c *checker) collectRecords() {
	c.records = map[string]Pos{}
	total := 0
	for i := range c.file.Script {
		if insert, ok := c.file.Script[i].Do.(*InsertRowsStep); ok {
			c.noteRows(insert)
		}
		send, ok := c.file.Script[i].Do.(*Send)
		if !ok {
			continue
		}
		c.sendsSpoilt = c.sendsSpoilt || c.spoilt[send.Pos]
		c.completeSend(send)
		if total += len(send.Records); total > MaxRecords {
			c.rule(send.Pos, fmt.Sprintf("the script sends more than %d records", MaxRecords), fmt.Sprintf("at most %d", MaxRecords))
			return
		}
		for _, r := range send.Records {
			c.noteRecord(send, r.Name)
		}
	}
	c.collectOutputs()
}

func (c *checker) completeSend(send *Send) {
	if send.Producer.IsZero() && len(c.file.Producers) == 1 {
		send.Producer = Name{c.file.Producers[0].Name.Text, send.Pos}
	}
	if send.Topic.IsZero() && len(c.file.Topics) == 1 {
		send.Topic = Name{c.file.Topics[0].Name.Text, send.Pos}
	}
	if send.Producer.IsZero() {
		c.rule(send.Pos, `send has no "producer"`, c.oneOf("producer", c.declared("producer")))
	}
	if send.Topic.IsZero() {
		c.rule(send.Pos, `send has no "topic"`, c.oneOf("topic", c.declared("topic")))
	}
	if (send.Records != nil) == (send.Count > 0) {
		c.rule(send.Pos, "send has "+oneOrNone(send.Count > 0, "both records and count", "neither records nor count"), "one of them")
		return
	}
	if !send.Prefix.IsZero() && send.Count == 0 {
		c.problem(send.Prefix.Pos, "send has a prefix but no count", "records, or count with prefix", "")
	}
	prefix := send.Prefix.Text
	if prefix == "" {
		prefix = "m"
	}
	for n := 1; n <= send.Count; n++ {
		send.Records = append(send.Records, Record{Placed: Placed{send.Pos}, Name: Name{fmt.Sprintf("%s%d", prefix, n), send.Pos}})
	}
	for i := range send.Records {
		if r := &send.Records[i]; !r.Key.Given() {
			r.Key = send.Key
		}
	}
}

// noteRecord keeps a slip from passing for a second submission of the same record.
func (c *checker) noteRecord(send *Send, name Name) {
	if name.IsZero() {
		return
	}
	if !recordForm.MatchString(name.Text) {
		c.problem(name.Pos, fmt.Sprintf("a record is named %q", shorten(name.Text)), "letters, digits, and the characters _ . - '", "")
		return
	}
	first, known := c.records[name.Text]
	switch {
	case !known && send.Again:
		c.problem(name.Pos, fmt.Sprintf("record %s is sent again, but no earlier step sends it", name), "a record of an earlier step",
			Nearest(name.Text, c.recordList))
	case known && !send.Again:
		c.problem(name.Pos, fmt.Sprintf("record %s is sent a second time", name),
			fmt.Sprintf("another name, or again: true if the application sends it once more; the first is in line %d", first.Line), "")
	}
	if !known {
		c.records[name.Text] = name.Pos
		c.recordList = append(c.recordList, name.Text)
	}
}

// checkReferences walks over everything that was read and resolves names, nodes and partitions by the tags of their fields.
func (c *checker) checkReferences() {
	walk(reflect.ValueOf(c.file).Elem(), "", func(v any, tag reflect.StructTag) {
		switch v := v.(type) {
		case *Name:
			c.checkRef(v, tag.Get("ref"))
		case *Node:
			c.checkNode(v, tag.Get("node"))
		case *Partition:
			c.checkPartition(*v)
		}
	})
}

// walk visits every Name, Node and Partition under a value, with the tag of the field that holds it.
func walk(v reflect.Value, tag reflect.StructTag, visit func(any, reflect.StructTag)) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			walk(v.Elem(), tag, visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			walk(v.Index(i), tag, visit)
		}
	case reflect.Struct:
		if v.CanAddr() && v.CanInterface() {
			switch leaf := v.Addr().Interface().(type) {
			case *Name, *Node, *Partition:
				visit(leaf, tag)
				return
			case *Nodes:
				walk(reflect.ValueOf(&leaf.List).Elem(), tag, visit)
				return
			case *Text, *Value, *Duration, *Version, *Setting, *Claim:
				return
			}
		}
		for i := range v.NumField() {
			if sf := v.Type().Field(i); sf.IsExported() || sf.Anonymous {
				walk(v.Field(i), sf.Tag, visit)
			}
		}
	}
}

func (c *checker) declared(kind string) []string {
	var names []string
	switch kind {
	case "topic":
		for _, t := range c.file.Topics {
			names = append(names, t.Name.Text)
		}
	case "producer":
		for _, p := range c.file.Producers {
			names = append(names, p.Name.Text)
		}
	case "consumer":
		for _, p := range c.file.Consumers {
			names = append(names, p.Name.Text)
		}
	case "group":
		for _, p := range c.file.Consumers {
			if !slices.Contains(names, p.Group.Text) {
				names = append(names, p.Group.Text)
			}
		}
	case "database":
		for _, p := range c.file.Databases {
			names = append(names, p.Name.Text)
		}
	case "record":
		names = c.recordList
	case "claim":
		names = ClaimNames()
	}
	return names
}

// checkRef resolves one reference.
func (c *checker) checkRef(n *Name, kind string) {
	if kind == "" || n.IsZero() {
		return
	}
	if kind == "record" {
		if c.sendsSpoilt {
			return // a record may well be in the send step that could not be read
		}
		if _, sent := c.records[n.Text]; !sent {
			c.problem(n.Pos, fmt.Sprintf("no step sends a record %q", shorten(n.Text)), c.oneOf("record", c.recordList), Nearest(n.Text, c.recordList))
		}
		return
	}
	names := c.declared(kind)
	if kind == "producer" && c.ownsProducer(n.Text) {
		c.problem(n.Pos, fmt.Sprintf("%s is a consumer, and its loop makes the calls of its producer", n), c.oneOf(kind, names), "")
		return
	}
	if !slices.Contains(names, n.Text) {
		c.problem(n.Pos, fmt.Sprintf("there is no %s %q", kind, shorten(n.Text)), c.oneOf(kind, names), Nearest(n.Text, names))
	}
}

func (c *checker) oneOf(kind string, names []string) string {
	switch {
	case len(names) == 0:
		return fmt.Sprintf("the file to declare a %s first", kind)
	case len(names) == 1:
		return names[0]
	}
	return "one of " + listKeys(names)
}

// internalTopics are there without being declared; their partitions are as many as Kafka gives them.
var internalTopics = map[string]int{"__consumer_offsets": 50, "__transaction_state": 50}

func (c *checker) checkPartition(p Partition) {
	if p.IsZero() {
		return
	}
	count, declared := c.partitions[p.Topic.Text]
	if !declared {
		count, declared = internalTopics[p.Topic.Text]
	}
	switch names := c.declared("topic"); {
	case !declared:
		c.problem(p.Pos, fmt.Sprintf("there is no topic %q", shorten(p.Topic.Text)), c.oneOf("topic", names), Nearest(p.Topic.Text, names))
	case p.Index >= count:
		c.problem(p.Pos, fmt.Sprintf("there is no partition %s", p), fmt.Sprintf("partitions 0 to %d", count-1), "")
	}
}

// checkNode resolves a client's name and checks that the node is there and of a kind that the place allows.
func (c *checker) checkNode(n *Node, kinds string) {
	if n.IsZero() || kinds == "" {
		return
	}
	if n.Kind == "" && !c.resolveClient(n, kinds) {
		return
	}
	switch n.Kind {
	case Broker:
		if count := c.file.Cluster.Brokers; n.ID > count && count > 0 {
			c.problem(n.Pos, fmt.Sprintf("there is no broker %s", n), fmt.Sprintf("one of b1 to b%d", count), "")
			return
		}
	case Controller:
		if count := c.file.Cluster.Controllers; n.ID > count && count > 0 {
			c.problem(n.Pos, fmt.Sprintf("there is no controller %s", n), fmt.Sprintf("one of k1 to k%d", count), "")
			return
		}
	case LeaderOf:
		c.checkPartition(n.Partition)
	case CoordinatorOf:
		c.checkRef(&n.Group, "group")
	}
	if !allowed(n.Kind, kinds) {
		c.problem(n.Pos, fmt.Sprintf("%s is a %s, which cannot stand here", n, n.Kind), "a node such as "+exampleNodes(kinds), "")
	}
}

func (c *checker) resolveClient(n *Node, kinds string) bool {
	producers, consumers, databases := c.declared("producer"), c.declared("consumer"), c.declared("database")
	switch {
	case slices.Contains(databases, n.Name):
		n.Kind = DatabaseNode
	case slices.Contains(producers, n.Name):
		n.Kind = ProducerNode
	case slices.Contains(consumers, n.Name):
		n.Kind = ConsumerNode
	default:
		known := slices.Concat(producers, consumers, databases)
		for i := range c.file.Cluster.Brokers {
			known = append(known, fmt.Sprintf("b%d", i+1))
		}
		known = append(known, "controller", "zk")
		c.problem(n.Pos, fmt.Sprintf("there is no node %q", shorten(n.Name)), "a node such as "+exampleNodes(kinds), Nearest(n.Name, known))
		return false
	}
	return true
}

// allowed reads a node tag: kinds by name, "roles" for the three roles, "any" for everything but none.
func allowed(kind NodeKind, kinds string) bool {
	if kinds == "any" {
		return kind != NoNode
	}
	list := strings.Split(kinds, ",")
	if kind == ActiveController || kind == LeaderOf || kind == CoordinatorOf {
		return slices.Contains(list, "roles")
	}
	return slices.Contains(list, string(kind))
}

// exampleNodes puts a node tag into words.
func exampleNodes(kinds string) string {
	if kinds == "any" {
		kinds = "broker,controller,zk,producer,roles"
	}
	words := map[string]string{"broker": "b1", "controller": "k1", "zk": "zk", "producer": "a producer", "consumer": "a consumer", "database": "a database",
		"roles": "controller, leader of orders-0", "none": "none"}
	var out []string
	for _, kind := range strings.Split(kinds, ",") {
		if word := words[kind]; word != "" {
			out = append(out, word)
		}
	}
	return strings.Join(out, ", ")
}
