package format

// Step is one entry of a script: at most one action, and what surrounds it. The order within a step: it waits for At, After
// and When (all that are given), shows Act and Say, and then does Do.
type Step struct {
	Placed
	Number int      `yaml:"-"` // from 1
	Act    Text     `yaml:"act" doc:"Title of a chapter that begins here; lectures show it as a card."`
	Say    Text     `yaml:"say" doc:"What the narrator says before the action."`
	Notes  Text     `yaml:"notes" doc:"Notes for the lecturer at this step."`
	At     Duration `yaml:"at" min:"0" doc:"The virtual time at which the step happens, counted from the start of the run."`
	After  Duration `yaml:"after" min:"0" doc:"How long after the step before it happens."`
	When   *When    `yaml:"when" doc:"What must be or become true first; the step then follows before anything else can happen."`
	Do     Action   `yaml:",oneof"` // nil for a step that only speaks or lets time pass
}

// Action is what a step does: one of the types below, always as a pointer.
type Action interface {
	Position() Pos
	action()
}

type doing struct{ Placed }

func (doing) action() {}

// Send hands records to a producer and does not wait. After loading, Records holds every record, those made by Count too.
type Send struct {
	doing
	Producer  Name     `yaml:"producer" ref:"producer" doc:"The producer; may be left out if there is only one."`
	Topic     Name     `yaml:"topic" ref:"topic" doc:"The topic; may be left out if there is only one."`
	Partition *int     `yaml:"partition" min:"0" max:"99" doc:"The partition; when left out, the partitioner chooses."`
	Key       Value    `yaml:"key" doc:"Key of all records of this step that have none of their own."`
	Records   []Record `yaml:"records" min:"1" max:"10000" doc:"The records: names, or mappings with name, key, value and timestamp."`
	Count     int      `yaml:"count" min:"1" max:"10000" doc:"How many records to make up in place of records, named m1, m2 and so on."`
	Prefix    Name     `yaml:"prefix" doc:"What the made-up names begin with: m."`
	Every     Duration `yaml:"every" min:"0" doc:"Time between two records; when left out they are handed over at once."`
	Again     bool     `yaml:"again" default:"false" doc:"true if the application sends records once more that an earlier step has sent."`
}

// Record is one record of a Send.
type Record struct {
	Placed    `short:"Name"`
	Name      Name     `yaml:"name" required:"true" doc:"Name of the record, by which the rest of the file knows it."`
	Key       Value    `yaml:"key" doc:"Its key; without one the partitioner is free."`
	Value     Value    `yaml:"value" null:"true" doc:"Its value: the name when left out, null for a tombstone."`
	Timestamp Duration `yaml:"timestamp" doc:"Its CreateTime, relative to the producer's clock when it is sent: -30d is thirty days ago."`
}

// FlushProducer waits in the application until everything handed over has been answered or has failed, as KafkaProducer.flush does.
type FlushProducer struct {
	doing    `short:"Producer"`
	Producer Name `yaml:"producer" required:"true" ref:"producer" doc:"The producer."`
}

// InitTransactions calls KafkaProducer.initTransactions: the coordinator ends what an earlier producer of this transactional.id has
// left open, and shuts that producer out.
type InitTransactions struct {
	doing    `short:"Producer"`
	Producer Name `yaml:"producer" required:"true" ref:"producer" doc:"The producer; it has a transactional.id."`
}

// BeginTransaction calls KafkaProducer.beginTransaction; what is sent from then on belongs to the transaction.
type BeginTransaction struct {
	doing    `short:"Producer"`
	Producer Name `yaml:"producer" required:"true" ref:"producer" doc:"The producer."`
}

// CommitTransaction calls KafkaProducer.commitTransaction.
type CommitTransaction struct {
	doing    `short:"Producer"`
	Producer Name `yaml:"producer" required:"true" ref:"producer" doc:"The producer."`
}

// AbortTransaction calls KafkaProducer.abortTransaction.
type AbortTransaction struct {
	doing    `short:"Producer"`
	Producer Name `yaml:"producer" required:"true" ref:"producer" doc:"The producer."`
}

// SendOffsets calls KafkaProducer.sendOffsetsToTransaction: a group's position moves if, and only if, the transaction commits.
type SendOffsets struct {
	doing
	Producer  Name      `yaml:"producer" required:"true" ref:"producer" doc:"The producer."`
	Consumer  Name      `yaml:"consumer" ref:"consumer" doc:"The consumer that the producer acts for; none when left out."`
	Group     Name      `yaml:"group" ref:"group" doc:"The group; that of the consumer when left out."`
	Partition Partition `yaml:"partition" required:"true" doc:"The partition."`
	Offset    int       `yaml:"offset" required:"true" min:"0" max:"1000000" doc:"The offset of the next record to read."`
	// GroupMetadata is nil where the file leaves it to the release.
	GroupMetadata *bool `yaml:"group-metadata" doc:"Whether the consumer's groupMetadata is handed over, its generation and its member id, or the group's name alone; when left out, it is from 2.5 on (KIP-447) if there is a consumer."`
}

// CloseProducer ends a producer as KafkaProducer.close does.
type CloseProducer struct {
	doing    `short:"Producer"`
	Producer Name `yaml:"producer" required:"true" ref:"producer" doc:"The producer."`
}

// Wait lets the run go on until the condition is true. If For passes first, or the condition can no longer come true, the script
// ends there and the run is undecided; one that may fail lets the script go on.
type Wait struct {
	doing
	Condition `yaml:",inline"`
	For       Duration `yaml:"for" default:"10m" min:"0" doc:"How much virtual time may pass."`
	MayFail   bool     `yaml:"may-fail" default:"false" doc:"true lets the script go on when the time has passed, or the condition can no longer come true: for a script whose comparisons come to the condition, or do not."`
}

// Predict stops a lecture and asks. The answer comes from the run, never from the file.
type Predict struct {
	doing
	Ask     Text   `yaml:"ask" required:"true" doc:"The question."`
	About   About  `yaml:"about" required:"true" doc:"What of the run answers it."`
	Choices []Text `yaml:"choices" min:"2" max:"9" doc:"Answers to offer, if they are to be other than those that follow from about."`
}

// About says which predicate of the run answers a prediction: exactly one of the fields before In.
type About struct {
	Placed
	Record        Name      `yaml:"record" ref:"record" doc:"Is this record there?"`
	Copies        Name      `yaml:"copies" ref:"record" doc:"How many times is this record there?"`
	Acked         Name      `yaml:"acked" ref:"record" doc:"Is this record acknowledged?"`
	Order         []Name    `yaml:"order" ref:"record" min:"2" doc:"Do these records stand in this order, or are they processed in it?"`
	Leader        Partition `yaml:"leader" doc:"Who leads this partition?"`
	ISR           Partition `yaml:"isr" doc:"Which replicas of this partition are in sync?"`
	HighWatermark Partition `yaml:"high-watermark" doc:"What is the high watermark of this partition at its leader?"`
	LogEnd        Partition `yaml:"log-end" doc:"What is the log end offset of this partition at its leader?"`
	Claim         Name      `yaml:"claim" ref:"claim" doc:"Does this claim hold?"`
	In            Level     `yaml:"in" default:"log" doc:"For record, copies, order and claim: in the log of the leader, or among what the applications have processed."`
	At            Moment    `yaml:"at" default:"end" doc:"At the end of the run, or now, before the next step."`
}

// What returns which field of About is set, by its key in the file.
func (a About) What() string {
	if keys := a.subjects(); len(keys) > 0 {
		return keys[0]
	}
	return ""
}

// subjects returns the keys of the fields before In that are set; in a file that loads there is exactly one.
func (a About) subjects() []string {
	var keys []string
	for _, of := range []struct {
		key   string
		given bool
	}{
		{"record", !a.Record.IsZero()}, {"copies", !a.Copies.IsZero()}, {"acked", !a.Acked.IsZero()}, {"order", a.Order != nil},
		{"leader", !a.Leader.IsZero()}, {"isr", !a.ISR.IsZero()}, {"high-watermark", !a.HighWatermark.IsZero()},
		{"log-end", !a.LogEnd.IsZero()}, {"claim", !a.Claim.IsZero()},
	} {
		if of.given {
			keys = append(keys, of.key)
		}
	}
	return keys
}

// Crash kills processes: nothing more is sent, memory is gone, and what was written to files stays, flushed or not.
type Crash struct {
	doing `short:"Nodes"`
	Nodes []Node `yaml:"node" required:"true" min:"1" node:"broker,controller,zk,producer,consumer,database,roles" doc:"The node, or several at the same moment."`
}

// PowerLoss kills servers and takes from their disks what had not been flushed.
type PowerLoss struct {
	doing `short:"Nodes"`
	Nodes []Node `yaml:"node" required:"true" min:"1" node:"broker,controller,database,roles" doc:"The node, or several at the same moment."`
	Keeps Keeps  `yaml:"keeps" default:"flushed" doc:"What survives of the log: flushed, all, or the number of records after the flushed part that were lucky."`
}

// LoseDisk stops servers and empties their disks.
type LoseDisk struct {
	doing `short:"Nodes"`
	Nodes []Node `yaml:"node" required:"true" min:"1" node:"broker,controller,roles" doc:"The node, or several at the same moment."`
}

// Pause freezes processes, as a long garbage collection does: they send and answer nothing, and know nothing of it.
type Pause struct {
	doing `short:"Nodes"`
	Nodes []Node `yaml:"node" required:"true" min:"1" node:"broker,controller,zk,producer,consumer,database,roles" doc:"The node, or several."`
}

// Resume lets paused processes go on.
type Resume struct {
	doing `short:"Nodes"`
	Nodes []Node `yaml:"node" required:"true" min:"1" node:"broker,controller,zk,producer,consumer,database,roles" doc:"The node, or several."`
}

// Restart shuts a running node down cleanly and starts it again. A client comes back as a new session.
type Restart struct {
	doing `short:"Nodes"`
	Nodes []Node `yaml:"node" required:"true" min:"1" node:"broker,controller,zk,producer,consumer,database,roles" doc:"The node, or several."`
}

// Start starts nodes that are down.
type Start struct {
	doing `short:"Nodes"`
	Nodes []Node `yaml:"node" required:"true" min:"1" node:"broker,controller,zk,producer,consumer,database,roles" doc:"The node, or several."`
}

// Shutdown stops nodes in good order: a broker hands over its leaderships, a consumer leaves its group.
type Shutdown struct {
	doing `short:"Nodes"`
	Nodes []Node `yaml:"node" required:"true" min:"1" node:"broker,controller,zk,consumer,roles" doc:"The node, or several. A producer has close-producer."`
}

// Link says which connections an action is about: exactly one of Between, From with To, Node, Groups.
type Link struct {
	Between []Node   `yaml:"between" node:"any" min:"2" max:"2" doc:"Two nodes, both directions."`
	From    []Node   `yaml:"from" node:"any" doc:"One direction only: from these nodes."`
	To      []Node   `yaml:"to" node:"any" doc:"One direction only: to these nodes."`
	Node    []Node   `yaml:"node" node:"any" doc:"These nodes, each against everyone else."`
	Groups  [][]Node `yaml:"groups" node:"any" min:"2" doc:"Groups of nodes that no longer reach each other. A node in no group reaches everyone."`
}

// Cut breaks connections: nothing passes until heal.
type Cut struct {
	doing
	Link `yaml:",inline"`
}

// Heal mends what Cut has broken.
type Heal struct {
	doing `short:"All"`
	Link  `yaml:",inline"`
	All   AllWord `yaml:"-" doc:"The word all: every cut."`
}

// Disconnect resets connections once: what is under way on them is lost, and both ends learn of it.
type Disconnect struct {
	doing
	Between []Node `yaml:"between" required:"true" node:"any" min:"2" max:"2" doc:"The two nodes."`
}

// Messages picks messages between nodes. What is left out fits everything.
type Messages struct {
	From   Node `yaml:"from" node:"any" doc:"The sender."`
	To     Node `yaml:"to" node:"any" doc:"The receiver."`
	Kind   Name `yaml:"kind" section:"message" doc:"The kind of message by Kafka's name, such as ProduceRequest or FetchResponse."`
	Record Name `yaml:"record" ref:"record" doc:"Only messages that carry this record, or answer a request that did."`
}

// Hold keeps messages back until release: those under way, oldest first, and those sent from now on.
type Hold struct {
	doing
	Messages `yaml:",inline"`
	Count    Count `yaml:"count" default:"all" doc:"How many messages: a number, or all."`
}

// Release lets held messages go, oldest first.
type Release struct {
	doing    `short:"All"`
	Messages `yaml:",inline"`
	Count    Count   `yaml:"count" default:"all" doc:"How many messages: a number, or all, which also ends the hold."`
	All      AllWord `yaml:"-" doc:"The word all: every held message, and every hold ends."`
}

// Drop loses messages.
type Drop struct {
	doing
	Messages `yaml:",inline"`
	Count    Count `yaml:"count" default:"1" doc:"How many messages: a number, or all."`
}

// Duplicate delivers messages twice.
type Duplicate struct {
	doing
	Messages `yaml:",inline"`
	Count    Count `yaml:"count" default:"1" doc:"How many messages: a number, or all."`
}

// Delay makes messages slow.
type Delay struct {
	doing
	Messages `yaml:",inline"`
	By       Duration `yaml:"by" required:"true" min:"0" doc:"How much longer they take."`
	Count    Count    `yaml:"count" default:"all" doc:"How many messages: a number, or all."`
}

// Elect asks the controller for an election, as kafka-leader-election does.
type Elect struct {
	doing
	Partition Partition    `yaml:"partition" required:"true" doc:"The partition."`
	Type      ElectionType `yaml:"type" default:"preferred" doc:"preferred, or unclean to accept a replica that is not in sync."`
}

// AlterConfig changes settings of a running cluster, as kafka-configs does.
type AlterConfig struct {
	doing
	Topic  Name   `yaml:"topic" ref:"topic" doc:"The topic whose settings change."`
	Broker Nodes  `yaml:"broker" node:"broker" words:"all" doc:"The word all, in place of topic: the cluster-wide default of all brokers."`
	Config Config `yaml:"config" required:"true" section:"alter" doc:"The settings."`
}

// AddPartitions lets a topic grow.
type AddPartitions struct {
	doing
	Topic Name `yaml:"topic" required:"true" ref:"topic" doc:"The topic."`
	Count int  `yaml:"count" required:"true" min:"2" max:"100" doc:"How many partitions it has afterwards."`
}

// Seek lets a consuming application call KafkaConsumer.seek before its next poll.
type Seek struct {
	doing
	Consumer  Name      `yaml:"consumer" required:"true" ref:"consumer" doc:"The consumer; it must have the partition by then, which one that names its partitions has from its start on."`
	Partition Partition `yaml:"partition" required:"true" doc:"The partition."`
	Offset    int       `yaml:"offset" required:"true" min:"0" max:"1000000" doc:"The offset of the record to read next."`
}

// Rebalance begins a rebalance of a group, in place of what makes one begin and of the assignor: it names the members of the
// next generation, and what each gets. A consumer that it does not name is out of the group at once, as after
// session.timeout.ms, and finds out as Kafka's does. The others learn of the rebalance with their next heartbeat, give up what
// they have, and join; once all have joined, each gets what is said here. A consumer whose group the script rebalances has no
// partitions before.
type Rebalance struct {
	doing
	Group  Name    `yaml:"group" ref:"group" required:"true" doc:"The group."`
	Assign []Share `yaml:"assign,named" required:"true" max:"20" doc:"The members of the next generation, each with a list of the partitions that it gets."`
}

// Share is what a member of a group gets.
type Share struct {
	Placed     `short:"Partitions"`
	Name       Name        `yaml:"-" ref:"consumer"`
	Partitions []Partition `yaml:"-" max:"100" doc:"The partitions that this member gets."`
}

// Throw lets an exception leave a consuming application's loop where it stands. The application closes its consumer, as a
// program does that holds it in a try-with-resources, and ends.
type Throw struct {
	doing    `short:"Consumer"`
	Consumer Name `yaml:"consumer" required:"true" ref:"consumer" doc:"The consumer. A start step starts the application again."`
}

// DeleteRecords moves the start of a partition's log forward, as kafka-delete-records does.
type DeleteRecords struct {
	doing
	Partition Partition `yaml:"partition" required:"true" doc:"The partition."`
	Before    int       `yaml:"before" required:"true" min:"0" max:"1000000" doc:"The first offset that stays."`
}

// Flush forces the logs of servers to disk.
type Flush struct {
	doing `short:"Nodes"`
	Nodes []Node `yaml:"node" required:"true" min:"1" node:"broker,controller,roles" doc:"The node, or several."`
}

// Clock puts the wall clock of nodes forward or back. Timeouts do not follow it; timestamps of records do.
type Clock struct {
	doing
	Nodes []Node   `yaml:"node" required:"true" min:"1" node:"broker,controller,producer,consumer,roles" doc:"The node, or several."`
	By    Duration `yaml:"by" required:"true" doc:"By how much: +5s, -2m."`
}
