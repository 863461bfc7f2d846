package consumer

import (
	"kafkatrial/model/client"
	"kafkatrial/model/config"
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// Application says what the application reads and does.
type Application struct {
	Group      string                    // group.id, in place of the setting; a consumer without a group has no committed positions
	Partitions []protocol.TopicPartition // KafkaConsumer.assign
	Topics     []string                  // or all partitions of these, new ones as soon as the metadata tell of them
	// Subscribes says that the group shares the partitions of Topics out (KafkaConsumer.subscribe): the consumer has none
	// until the coordinator gives it some. ClientID is client.id, by which the coordinator tells its members apart.
	Subscribes bool
	ClientID   string

	Loop    []Verb
	HandOff bool // process hands the records to a worker thread and the loop goes on

	ProcessTime sim.Time     // for each record
	Slow        []SlowRecord // records that take their own time

	// RestartAfter is how long after an exception the application begins anew, in the same process: 0 ends
	// the process, and what comes then is the script's or the operator's affair.
	RestartAfter sim.Time

	// Producer is the configuration (section config.Producer) of a producer that the process has beside its consumer, nil:
	// it has none. Sends says what Send makes of a record.
	Producer *config.Values
	Sends    Sends
	// OnAbort and OnUnknown say what the application does after it has aborted a transaction, and when it does not know
	// whether one is committed.
	OnAbort   OnAbort
	OnUnknown OnUnknown
	// GroupOnly: SendOffsets names the group alone, as before KIP-447 (2.5), and not the generation and the member.
	GroupOnly bool
	Fails     []FailingRecord

	// Database is what Insert and its like write to, nil: nothing. Source is what the application reads in place of
	// topics, nil: topics.
	Database *DatabaseUse
	Source   *SourceTable
	Resume   ResumeFrom

	// Store is where Update and StorePosition write to, nil: the application keeps nothing in memory.
	Store *StateStore

	Planted planted.Set // guards switched off, in tests only
}

// Sends says what an application writes for a record: one record to Topic, with the same key and value.
type Sends struct {
	Topic     string
	Partition int32 // -1: the partitioner chooses
}

// OnAbort says how an application goes on after it has aborted a transaction.
type OnAbort uint8

// The ways.
const (
	Rewind OnAbort = iota // it seeks to the committed positions, or, where there are none, to where the records in hand begin
	GoOn                  // it polls: the position stays behind the records whose transaction was aborted
)

// OnUnknown says what an application does when commitTransaction has thrown a TimeoutException: the result is open.
type OnUnknown uint8

// The ways.
const (
	Retry OnUnknown = iota // it calls commitTransaction again
	Redo                   // it takes the commit for failed: it closes the producer, makes another, and begins with the same records again
)

// FailingRecord is a record at which the application's own code throws an exception, the first Times times in a run,
// whatever its process is started anew by.
type FailingRecord struct {
	Record string // record.Record.ID
	Times  int
}

// SlowRecord is a record that takes Time to process.
type SlowRecord struct {
	Record string // record.Record.ID
	Time   sim.Time
}

// DefaultProcessTime is how long a record takes if nobody says otherwise.
const DefaultProcessTime = sim.Millisecond

// ResetPolicy is auto.offset.reset.
type ResetPolicy uint8

// The policies.
const (
	ResetNone ResetPolicy = iota
	ResetEarliest
	ResetLatest
)

var policyNames = [...]string{ResetNone: "none", ResetEarliest: "earliest", ResetLatest: "latest"}

func (p ResetPolicy) String() string { return policyNames[p] }

// timestamp is how ListOffsets asks for it.
func (p ResetPolicy) timestamp() int64 {
	if p == ResetEarliest {
		return protocol.EarliestTimestamp
	}
	return protocol.LatestTimestamp
}

// settings are the consumer's configuration, read once.
type settings struct {
	client             client.Config
	enableAutoCommit   bool                    // enable.auto.commit
	autoCommitInterval sim.Time                // auto.commit.interval.ms
	reset              ResetPolicy             // auto.offset.reset
	maxPollRecords     int                     // max.poll.records
	isolation          protocol.IsolationLevel // isolation.level
	fetchMinBytes      int32                   // fetch.min.bytes
	fetchMaxWait       sim.Time                // fetch.max.wait.ms
	apiTimeout         sim.Time                // default.api.timeout.ms: how long commitSync goes on trying
	heartbeatInterval  sim.Time                // heartbeat.interval.ms
	rebalanceTimeout   sim.Time                // max.poll.interval.ms, also where there is none yet: how long the commit before a JoinGroup goes on trying
	joinTimeout        sim.Time                // how long a JoinGroup waits: that and 5 s, at least request.timeout.ms (AbstractCoordinator.sendJoinGroupRequest)
	closeTimeout       sim.Time                // KafkaConsumer.close, ConsumerUtils.DEFAULT_CLOSE_TIMEOUT_MS
}

// maxInFlight is the consumer's bound on requests of one connection (ConsumerUtils.CONSUMER_MAX_INFLIGHT_REQUESTS_PER_CONNECTION).
const maxInFlight = 100

func settingsOf(v *config.Values) settings {
	s := settings{
		client:             client.ConfigOf(v, maxInFlight),
		enableAutoCommit:   v.Bool("enable.auto.commit"),
		autoCommitInterval: v.Ms("auto.commit.interval.ms"),
		maxPollRecords:     int(v.Int("max.poll.records")),
		fetchMinBytes:      int32(v.Int("fetch.min.bytes")),
		fetchMaxWait:       v.Ms("fetch.max.wait.ms"),
		apiTimeout:         v.Ms("default.api.timeout.ms"),
		heartbeatInterval:  3 * sim.Second,
		rebalanceTimeout:   300 * sim.Second,
		closeTimeout:       30 * sim.Second,
	}
	if v.Has("heartbeat.interval.ms") {
		s.heartbeatInterval = v.Ms("heartbeat.interval.ms")
	}
	if v.Has("max.poll.interval.ms") {
		s.rebalanceTimeout = v.Ms("max.poll.interval.ms")
	}
	s.joinTimeout = max(s.rebalanceTimeout+5*sim.Second, s.client.RequestTimeout)
	if !v.Has("default.api.timeout.ms") {
		s.apiTimeout = sim.Never // before 2.0 (KIP-266) commitSync tried for ever
	}
	if v.Has("isolation.level") && v.Text("isolation.level") == protocol.ReadCommitted.String() {
		s.isolation = protocol.ReadCommitted
	}
	switch v.Text("auto.offset.reset") {
	case "earliest":
		s.reset = ResetEarliest
	case "latest":
		s.reset = ResetLatest
	}
	return s
}
