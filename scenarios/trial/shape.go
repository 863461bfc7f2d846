package trial

import "kafkatrial/sim"

// Shape says which worlds may be drawn. Of every list one value is drawn; the first is the calmest, and what
// a failing world is shrunk towards. An empty list stands for the default of the scenario file.
type Shape struct {
	Kafka    []string // releases, as a scenario file has them; needed
	Metadata []string // "zookeeper", "kraft", or "" for what the release has
	Features []string // rules switched against the release: "kip-101=off"; all of them, nothing is drawn

	Brokers     []int
	Controllers []int
	Replicas    []int // of each partition; at most as many as there are brokers
	Partitions  []int

	// Settings by Kafka's key: of the brokers, the topic, every producer and every consumer.
	Broker, Topic, Producer, Consumer []Setting

	Producers []int
	Consumers []int    // each is a group of its own
	OnError   []string // drop, resend or stop; "" is drop, or abort if there are Transactions
	Loop      []string // "poll, process, commit"
	Takes     []string // how long a consumer takes for a record

	Sends    []int    // how many times records are sent
	Records  []int    // how many each time
	After    []string // the time before each send
	Restarts []bool   // whether the producer's process ends after a send, and the next one sends the same records again
	Quiet    string   // the time after the last send in which faults may still strike
	Within   string   // how long a run may take to come to rest once all is mended; "" is the file's 10 minutes

	// Transactions, if they are not nil, take the place of Sends.
	Transactions *Transactions

	Faults sim.FaultModel // what may strike, and how often
}

// Setting is a key of Kafka's and the values it may have.
type Setting struct {
	Key    string
	Values []string
}

// Set makes a Setting.
func Set(key string, values ...string) Setting { return Setting{key, values} }

// With gives the shape with a change to it.
func (s Shape) With(change func(*Shape)) Shape {
	change(&s)
	return s
}

// Brisk is how long things take in worlds that are drawn by the thousand: brokers are missed after three
// seconds, and a follower lags after three.
//
// Kafka's defaults are 9 s and 30 s (KRaft, from 2.5). The order of the time-outs is the same.
var Brisk = []Setting{
	Set("replica.lag.time.max.ms", "3000"),
}
