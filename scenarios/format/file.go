package format

// File is one scenario, parsed and checked. Every reference in it resolves, every default is filled in.
type File struct {
	Placed
	Name           Name            `yaml:"name" required:"true" doc:"Short name of the scenario, as the command line takes it: lower-case letters, digits and hyphens."`
	Title          Text            `yaml:"title" required:"true" doc:"One sentence that says what happens."`
	Notes          Text            `yaml:"notes" doc:"Notes for the lecturer about the scenario as a whole."`
	Explain        Text            `yaml:"explain" doc:"One paragraph that says why the verdict is what it is."`
	Subject        TopicSlug       `yaml:"topic" doc:"Which of the fifteen topics of the lectures the scenario belongs to."`
	Statements     []Statement     `yaml:"statements" doc:"Numbers of the statements that the scenario puts on trial, such as 5.6."`
	Misconceptions []Misconception `yaml:"misconceptions" doc:"Numbers of the misconceptions that the scenario proves or refutes."`
	Source         Text            `yaml:"source" doc:"Where the mechanism is described: a KIP, a ticket, a report."`
	Kafka          Version         `yaml:"kafka" required:"true" section:"kafka" doc:"Release of Kafka whose rules and defaults hold, such as 0.10 or 3.9."`
	Features       []Feature       `yaml:"features,named" doc:"Single rules switched on or off against the release, by KIP or by name."`
	Seed           int             `yaml:"seed" default:"1" min:"0" max:"2147483647" doc:"Seed of everything that the script leaves open."`
	Cluster        Cluster         `yaml:"cluster" doc:"The brokers, the keepers of metadata and the network between them."`
	Topics         []Topic         `yaml:"topics,named" required:"true" min:"1" max:"20" doc:"The topics, by name."`
	Producers      []Producer      `yaml:"producers,named" max:"20" doc:"The producing applications, by name."`
	Consumers      []Consumer      `yaml:"consumers,named" max:"20" doc:"The consuming applications, by name."`
	Databases      []Database      `yaml:"databases,named" max:"5" doc:"The databases beside Kafka, by name."`
	Script         []Step          `yaml:"script" required:"true" min:"1" max:"1000" doc:"What happens, step by step."`
	End            End             `yaml:"end" doc:"What happens after the script and before the verdict."`
	OrderBy        OrderBy         `yaml:"order-by" default:"partition" doc:"Whose order the claim ordered is about: a producer's records within a partition, which is what Kafka promises; the records of a key; or a producer's records within a topic."`
	Claims         Claims          `yaml:"claims" doc:"The verdicts that the run must come to. Without it the run is told and ruled on, and held against nothing."`
	Refused        *Refused        `yaml:"refused" doc:"In place of claims: who refuses to start with these settings, so that there is no run. A producer or a consumer by its name, a topic, or broker."`
	Compare        []Variant       `yaml:"compare" max:"20" doc:"The same script under other releases or settings, with their verdicts."`
}

// Feature switches one rule of the model.
type Feature struct {
	Placed `short:"On"`
	Name   Name   `yaml:"-" section:"feature"`
	On     Switch `yaml:"-" doc:"on or off."`
}

// Cluster describes the servers.
type Cluster struct {
	Placed
	Brokers     int      `yaml:"brokers" default:"3" min:"1" max:"9" doc:"How many brokers there are; they are named b1, b2 and so on."`
	Controllers int      `yaml:"controllers" default:"1" min:"1" max:"5" doc:"How many controllers there are, named k1, k2 and so on: nodes of their own, also with ZooKeeper. KRaft has one."`
	Metadata    Metadata `yaml:"metadata" doc:"Who keeps the metadata. When left out: ZooKeeper before Kafka 3.3, KRaft from then on."`
	Config      Config   `yaml:"config" section:"broker" doc:"Configuration of all brokers, with Kafka's keys."`
	Network     Network  `yaml:"network" doc:"The network between all nodes."`
}

// Network describes the links.
type Network struct {
	Placed
	Latency Duration `yaml:"latency" default:"1ms" min:"0" doc:"Time from one node to another when nothing interferes."`
	Jitter  Duration `yaml:"jitter" default:"0" min:"0" doc:"By how much a message may be late, drawn with the seed; 0 leaves nothing to chance."`
}

// Topic is a topic of the cluster. After loading, Replicas lists the replicas of every partition, whichever way the file put it.
type Topic struct {
	Placed
	Name              Name     `yaml:"-"`
	Partitions        int      `yaml:"partitions" min:"1" max:"100" doc:"How many partitions the topic has: 1, or as many as replicas lists."`
	Replicas          [][]Node `yaml:"replicas" node:"broker" max:"100" doc:"For each partition its replicas, the preferred leader first."`
	ReplicationFactor int      `yaml:"replication-factor" min:"1" max:"9" doc:"How many replicas each partition has, in place of replicas: 3, or as many as there are brokers."`
	Config            Config   `yaml:"config" section:"topic" doc:"Configuration of the topic, with Kafka's keys."`
}

// Producer is an application that sends what send steps hand to it.
type Producer struct {
	Placed
	Name    Name    `yaml:"-"`
	Config  Config  `yaml:"config" section:"producer" doc:"Configuration of the producer, with Kafka's keys."`
	OnError OnError `yaml:"on-error" default:"drop" doc:"What the application does when a send has failed for good: drop the record, resend it as a new send, or stop; or abort, for a transactional producer: what the documentation of KafkaProducer asks for."`
	Started bool    `yaml:"started" default:"true" doc:"false keeps the application down until a start step."`
}

// Consumer is an application that reads. It subscribes to Topics as a member of Group, or takes Partitions for itself.
type Consumer struct {
	Placed
	Name       Name        `yaml:"-"`
	Topics     []Name      `yaml:"topics" ref:"topic" max:"20" doc:"Topics that it subscribes to. It reads all their partitions, unless the script has a rebalance of its group: then it reads what that gives it."`
	Partitions []Partition `yaml:"partitions" max:"100" doc:"Partitions that it takes without a subscription, in place of topics."`
	Source     *Source     `yaml:"source" doc:"A table of a database that it reads in place of topics: poll gets its rows."`
	Group      Name        `yaml:"group" doc:"Its consumer group; its own name when left out."`
	Config     Config      `yaml:"config" section:"consumer" doc:"Configuration of the consumer, with Kafka's keys."`
	Loop       Loop        `yaml:"loop" default:"[poll, process, commit]" doc:"What the application does, over and over. The order decides what a crash costs. Left out where the file sets enable.auto.commit to true, it is [poll, process]: poll commits then."`
	HandOff    bool        `yaml:"hand-off" default:"false" doc:"true hands records to another thread, so that the loop goes on before they are processed."`
	Takes      Duration    `yaml:"takes" default:"0" min:"0" doc:"How long it takes to process one record."`
	Slow       []Slow      `yaml:"slow,named" doc:"Records that take longer, with the time each of them takes."`
	Database   *Using      `yaml:"database" doc:"A database that it writes to, by name, or with the tables."`
	Resume     ResumeFrom  `yaml:"resume" default:"committed" doc:"Where it takes its positions from when it begins: those committed in Kafka, those stored in its database, or those in the staging place there."`
	Fails      []Fail      `yaml:"fails,named" doc:"Records at which its own code throws an exception, with the number of times in the run. In a transaction it then aborts; otherwise it closes and ends."`

	Producer      Config    `yaml:"producer" section:"producer" doc:"Configuration of a producer that it has in the same process, with Kafka's keys."`
	Sends         *Sends    `yaml:"sends" doc:"What send makes of a record: one record to this topic."`
	Store         *Store    `yaml:"store" doc:"A topic to which it writes down what it keeps in memory: counts by key (update), or its position in a source (store-position). It reads that back before its first record, and after every abort."`
	OnAbort       OnAbort   `yaml:"on-abort" default:"rewind" doc:"How it goes on after it has aborted a transaction: it seeks to the committed positions, or goes on behind what it aborted."`
	OnUnknown     OnUnknown `yaml:"on-unknown" default:"retry" doc:"What it does when the result of a commit is open: call commitTransaction again, or take it for failed and do the same records again with another producer."`
	GroupMetadata bool      `yaml:"group-metadata" default:"true" doc:"Whether send-offsets names the consumer's generation and member too, and not the group alone (KIP-447)."`
	RestartAfter  Duration  `yaml:"restart-after" min:"0" doc:"How long after an exception that left its loop it begins anew; without it the process ends."`

	Started bool `yaml:"started" default:"true" doc:"false keeps the application down until a start step."`

	LoopPos Pos // where its loop is spelt out
}

// Slow is a record that takes its own time to process.
type Slow struct {
	Placed `short:"Takes"`
	Name   Name     `yaml:"-" ref:"record"`
	Takes  Duration `yaml:"-" min:"0" doc:"How long it takes to process this record."`
}

// End says how a run ends once the script is through.
type End struct {
	Placed
	Heal    bool     `yaml:"heal" default:"true" doc:"Whether cuts, holds and delays are lifted and paused nodes resumed."`
	Restart Nodes    `yaml:"restart" default:"all" words:"all,none" node:"broker,controller,zk,producer,consumer,database" doc:"Which stopped nodes are started again: all, none, or a list."`
	Within  Duration `yaml:"within" default:"10m" min:"0" doc:"How much virtual time the run then has to become quiet; a run that does not is undecided."`
}

// Variant is the same scenario under another release or other settings. What it leaves out stays as in the file.
type Variant struct {
	Placed
	Title         Text        `yaml:"title" doc:"One sentence that says what is different."`
	Kafka         Version     `yaml:"kafka" section:"kafka" doc:"Another release."`
	Metadata      Metadata    `yaml:"metadata" doc:"Another keeper of metadata."`
	Features      []Feature   `yaml:"features,named" doc:"Rules switched on or off, on top of those of the file."`
	Set           Config      `yaml:"set" section:"any" doc:"Settings by Kafka's key, given to every producer, consumer and topic and to the brokers, wherever the key exists."`
	Loop          Loop        `yaml:"loop" doc:"Another loop for every consumer, or, if there are applications that write, for those alone."`
	Loops         []LoopOf    `yaml:"loops,named" doc:"Another loop for each of these consumers, in place of loop."`
	HandOff       *bool       `yaml:"hand-off" doc:"Another hand-off for every consumer."`
	OnError       OnError     `yaml:"on-error" doc:"Another on-error for every producer."`
	OnAbort       OnAbort     `yaml:"on-abort" doc:"Another on-abort for every consumer."`
	OnUnknown     OnUnknown   `yaml:"on-unknown" doc:"Another on-unknown for every consumer."`
	GroupMetadata *bool       `yaml:"group-metadata" doc:"Another group-metadata for every consumer."`
	OrderBy       OrderBy     `yaml:"order-by" doc:"Another order for the claim ordered."`
	Seed          *int        `yaml:"seed" min:"0" max:"2147483647" doc:"Another seed."`
	InSomeRuns    *InSomeRuns `yaml:"in-some-runs" doc:"The other outcome of a race: messages are late in this run, by what the seed draws, and it comes to other verdicts than the run without."`
	Resume        ResumeFrom  `yaml:"resume" doc:"Another resume for every consumer with a database."`
	Fence         *bool       `yaml:"fence" doc:"Another fence for every consumer with a database."`
	Claims        Claims      `yaml:"claims" doc:"The verdicts that this run must come to. Needed, unless it has refused."`
	Refused       *Refused    `yaml:"refused" doc:"In place of claims: who refuses to start then."`
	Explain       Text        `yaml:"explain" doc:"Why the verdicts differ, or why they do not."`

	LoopPos Pos // where its loop is spelt out
}

// Refused is the outcome that there is no run: Kafka's own code refuses the settings of a client, of the brokers or of a topic.
type Refused struct {
	Placed `short:"By"`
	By     Name `yaml:"by" required:"true" doc:"A producer, a consumer or a topic by its name, or broker."`
}

// InSomeRuns names one of the runs in which a race goes the other way: how late messages may be, and the seed that draws how late
// each of them is.
type InSomeRuns struct {
	Placed
	Jitter Duration `yaml:"jitter" required:"true" min:"0" doc:"By how much a message may be late; more than 0."`
	Seed   int      `yaml:"seed" required:"true" min:"1" max:"2147483647" doc:"The seed of the run."`
}

// LoopOf is what one consumer does in a variant.
type LoopOf struct {
	Placed `short:"Loop"`
	Name   Name `yaml:"-" ref:"consumer"`
	Loop   Loop `yaml:"-" doc:"Its loop."`
}

// Config is a list of settings in the order of the file.
type Config []Setting

// Setting is one line of a configuration. Sections names the configurations that know the key; it holds one section, except
// in Variant.Set, where it lists every one that Keys knows the key in, in the order broker, topic, producer, consumer.
type Setting struct {
	Key      Name
	Value    Value
	Sections []Section
}

// Get returns the value of a key.
func (c Config) Get(key string) (value string, found bool) {
	for _, s := range c {
		if s.Key.Text == key {
			return s.Value.Text, true
		}
	}
	return "", false
}

// with returns a copy with the setting put in, in place of an older one.
func (c Config) with(s Setting) Config {
	out := append(Config{}, c...)
	for i := range out {
		if out[i].Key.Text == s.Key.Text {
			out[i] = s
			return out
		}
	}
	return append(out, s)
}
