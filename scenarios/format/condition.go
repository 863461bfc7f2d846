package format

// Condition is a set of predicates that must all be true. The same predicates serve wait steps and the when of a step.
//
// Some predicates are states: they are true for as long as they are so, and count at once if they are so already. The others are
// events: they must happen after the action of the step before.
type Condition struct {
	Predicates []Predicate `yaml:",someof"`
}

// When is the condition of a step.
type When struct {
	Placed
	Condition `yaml:",inline"`
}

// Predicate is one predicate: one of the types below, always as a pointer.
type Predicate interface {
	Position() Pos
	predicate()
}

// state marks predicates that are true for a time, happening those that come true at a moment.
type (
	state     struct{ Placed }
	happening struct{ Placed }
)

func (state) predicate()     {}
func (happening) predicate() {}

// IsEvent reports whether a predicate is an event and not a state.
func IsEvent(f Predicate) bool {
	e, ok := f.(interface{ event() bool })
	return ok && e.event()
}

func (happening) event() bool { return true }

// Acked is the state that the producer has been told that the records are written.
type Acked struct {
	state   `short:"Records"`
	Records []Name `yaml:"record" required:"true" min:"1" ref:"record" doc:"The record, or several."`
}

// Failed is the state that the producer has given up on the records.
type Failed struct {
	state   `short:"Records"`
	Records []Name `yaml:"record" required:"true" min:"1" ref:"record" doc:"The record, or several."`
	Error   Name   `yaml:"error" section:"error" doc:"Only with this error."`
}

// Processed is the state that an application has processed the records.
type Processed struct {
	state    `short:"Records"`
	Records  []Name `yaml:"record" required:"true" min:"1" ref:"record" doc:"The record, or several."`
	Consumer Name   `yaml:"consumer" ref:"consumer" doc:"By this consumer; when left out, by any."`
	Times    int    `yaml:"times" default:"1" min:"1" max:"1000" doc:"At least this often."`
}

// InLog is the state that the log of a broker holds the records.
type InLog struct {
	state
	Broker  Node   `yaml:"broker" required:"true" node:"broker,roles" doc:"The broker."`
	Records []Name `yaml:"record" required:"true" min:"1" ref:"record" doc:"The record, or several."`
}

// HighWatermark is the state that a replica's high watermark has come to an offset.
type HighWatermark struct {
	state
	Partition Partition `yaml:"partition" required:"true" doc:"The partition."`
	Broker    Node      `yaml:"broker" node:"broker,roles" doc:"The replica; the leader when left out."`
	AtLeast   int       `yaml:"at-least" required:"true" min:"0" max:"1000000" doc:"The offset."`
}

// LogEnd is the state that a replica's log end offset has come to an offset.
type LogEnd struct {
	state
	Partition Partition `yaml:"partition" required:"true" doc:"The partition."`
	Broker    Node      `yaml:"broker" node:"broker,roles" doc:"The replica; the leader when left out."`
	AtLeast   int       `yaml:"at-least" required:"true" min:"0" max:"1000000" doc:"The offset."`
}

// Leader is the state that a broker leads a partition and knows it.
type Leader struct {
	state
	Partition Partition `yaml:"partition" required:"true" doc:"The partition."`
	Is        Node      `yaml:"is" required:"true" node:"broker,none" doc:"The broker, or none."`
}

// ISR is the state that the committed set of in-sync replicas is exactly this one.
type ISR struct {
	state
	Partition Partition `yaml:"partition" required:"true" doc:"The partition."`
	Is        []Node    `yaml:"is" required:"true" min:"1" node:"broker" doc:"The replicas, in any order."`
}

// Committed is the state that a group's committed offset has come to an offset.
type Committed struct {
	state
	Group     Name      `yaml:"group" required:"true" ref:"group" doc:"The group."`
	Partition Partition `yaml:"partition" required:"true" doc:"The partition."`
	AtLeast   int       `yaml:"at-least" required:"true" min:"0" max:"1000000" doc:"The offset."`
}

// Assigned is the state that a consumer owns exactly these partitions.
type Assigned struct {
	state
	Consumer   Name        `yaml:"consumer" required:"true" ref:"consumer" doc:"The consumer."`
	Partitions []Partition `yaml:"partition" required:"true" doc:"The partition, or several; [] for none."`
}

// Held is the state that a hold keeps messages back.
type Held struct {
	state
	Messages `yaml:",inline"`
	Count    int `yaml:"count" default:"1" min:"1" max:"1000" doc:"At least this many."`
}

// Quiet is the state that nothing but routine traffic is left.
type Quiet struct {
	state `short:"Is"`
	Is    bool `yaml:"-" doc:"true."`
}

// Append is the event that a broker appends a record to its log, as leader or as follower.
type Append struct {
	happening
	Broker Node `yaml:"broker" required:"true" node:"broker,roles" doc:"The broker."`
	Record Name `yaml:"record" required:"true" ref:"record" doc:"The record."`
}

// Fetch is the event that the leader handles a fetch.
type Fetch struct {
	happening
	By        Node      `yaml:"by" required:"true" node:"broker,consumer" doc:"The follower or consumer that asks."`
	Partition Partition `yaml:"partition" required:"true" doc:"The partition."`
	Offset    *int      `yaml:"offset" min:"0" max:"1000000" doc:"Only a fetch from this offset."`
}

// Truncate is the event that a broker cuts its log.
type Truncate struct {
	happening
	Broker    Node      `yaml:"broker" required:"true" node:"broker" doc:"The broker."`
	Partition Partition `yaml:"partition" doc:"The partition; any when left out."`
	To        *int      `yaml:"to" min:"0" max:"1000000" doc:"Only a cut to this offset."`
}

// Elected is the event that the controller makes a broker the leader.
type Elected struct {
	happening `short:"Leader"`
	Leader    Node      `yaml:"leader" required:"true" node:"broker" doc:"The broker."`
	Partition Partition `yaml:"partition" doc:"The partition; any when left out."`
}

// Sent is the event that a message leaves its sender.
type Sent struct {
	happening
	Messages `yaml:",inline"`
}

// Delivered is the event that a message reaches its receiver.
type Delivered struct {
	happening
	Messages `yaml:",inline"`
}

// Timeout is the event that a request of a node is not answered in time.
type Timeout struct {
	happening `short:"Node"`
	Node      Node `yaml:"node" required:"true" node:"broker,controller,producer,consumer,roles" doc:"The node that gives up."`
	Kind      Name `yaml:"kind" section:"message" doc:"Only a request of this kind, by Kafka's name."`
}

// ErrorAt is the event that a node receives an error code.
type ErrorAt struct {
	happening
	Node Node `yaml:"node" required:"true" node:"broker,controller,producer,consumer,roles" doc:"The node."`
	Code Name `yaml:"code" required:"true" section:"error" doc:"The error by Kafka's name, such as NOT_ENOUGH_REPLICAS."`
}

// Reaches is the event that a consumer's loop comes to a verb, before it carries it out.
type Reaches struct {
	happening
	Consumer Name `yaml:"consumer" required:"true" ref:"consumer" doc:"The consumer."`
	Verb     Verb `yaml:"verb" required:"true" doc:"The verb of its loop."`
}

// Probe is the event that the model records a rare situation.
type Probe struct {
	happening `short:"Text"`
	Text      Name `yaml:"text" required:"true" doc:"The probe, word for word."`
}
