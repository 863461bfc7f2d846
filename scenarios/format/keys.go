package format

import "slices"

// Section names one of the vocabularies that belong to the model of Kafka and not to the file format.
type Section string

// The sections of Keys.
const (
	BrokerConfig   Section = "broker"   // keys of a broker's configuration
	TopicConfig    Section = "topic"    // keys of a topic's configuration
	ProducerConfig Section = "producer" // keys of a producer's configuration
	ConsumerConfig Section = "consumer" // keys of a consumer's configuration
	KafkaVersion   Section = "kafka"    // releases, as a file writes them: "0.10", "3.9"
	FeatureName    Section = "feature"  // rules that can be switched: "kip-101"
	MessageKind    Section = "message"  // messages between nodes: "FetchResponse"
	ErrorName      Section = "error"    // error codes: "NOT_ENOUGH_REPLICAS"
)

// Keys tells the loader which names the model knows. A nil Keys knows everything.
type Keys interface {
	// Known reports whether the section holds the key, and if it does not, the key that is spelt most alike or "".
	Known(section Section, key string) (ok bool, nearest string)
}

// Expecter may be implemented by a Keys that can say what a section holds better than that the model knows it.
type Expecter interface {
	// Expected says what is expected of a name of the section; "" leaves it to the loader.
	Expected(section Section) string
}

// ValueChecker may be implemented by a Keys that also judges the values of settings.
type ValueChecker interface {
	// CheckValue returns "" if the key may have the value, and otherwise what is expected of it, such as "all, -1, 0 or 1".
	CheckValue(section Section, key, value string) (expected string)
}

// Table is a Keys made of plain lists. A section that is absent knows everything.
type Table map[Section][]string

// Known implements Keys.
func (t Table) Known(section Section, key string) (ok bool, nearest string) {
	known, present := t[section]
	if !present || slices.Contains(known, key) {
		return true, ""
	}
	return false, Nearest(key, known)
}
