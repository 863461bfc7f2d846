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

	Loop    []Verb
	HandOff bool // process hands the records to a worker thread and the loop goes on

	ProcessTime sim.Time     // for each record
	Slow        []SlowRecord // records that take their own time

	// RestartAfter is how long after an exception the application begins anew, in the same process: 0 ends
	// the process, and what comes then is the script's or the operator's affair.
	RestartAfter sim.Time

	Planted planted.Set // guards switched off, in tests only
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
		closeTimeout:       30 * sim.Second,
	}
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
