package config

import (
	"fmt"
	"slices"
	"sort"
)

// Section says whose setting it is: acks is the producer's, min.insync.replicas a broker's and a topic's.
type Section uint8

// The sections, named after Kafka's config classes ProducerConfig, ConsumerConfig, KafkaConfig (the
// broker's and, in KRaft, the controller's) and LogConfig (a topic's).
const (
	Producer Section = iota
	Consumer
	Broker
	Topic
	sections
)

// String gives the section as it stands in a sentence: "producer".
func (s Section) String() string {
	switch s {
	case Producer:
		return "producer"
	case Consumer:
		return "consumer"
	case Broker:
		return "broker"
	case Topic:
		return "topic"
	}
	return fmt.Sprintf("Section(%d)", uint8(s))
}

// tables holds the settings of each section, sorted by key.
var tables = [sections][]Def{
	Producer: sorted(Producer, producerDefs),
	Consumer: sorted(Consumer, consumerDefs),
	Broker:   sorted(Broker, brokerDefs),
	Topic:    sorted(Topic, topicDefs),
}

func sorted(s Section, rows []Def) []Def {
	defs := append([]Def(nil), rows...)
	for i := range defs {
		defs[i].Section = s
		if why, nobody := unread[defs[i].Key]; nobody && defs[i].Unmodelled == "" {
			defs[i].Unmodelled = why
		}
		defs[i].Harmless = slices.Contains(harmless, defs[i].Key)
	}
	sort.Slice(defs, func(i, j int) bool { return defs[i].Key < defs[j].Key })
	return defs
}

// Keys lists the keys of a section in alphabetical order, those of all versions. The slice is the caller's.
func Keys(s Section) []string {
	keys := make([]string, len(tables[s]))
	for i := range tables[s] {
		keys[i] = tables[s][i].Key
	}
	return keys
}

// Known says whether Kafka has a key in a section in any version, and if not, which key is spelt nearest.
func Known(s Section, key string) (known bool, nearest string) {
	if _, left := outside(s, key); left || index(s, key) >= 0 {
		return true, key
	}
	best := -1
	for _, other := range append(Keys(s), outsideKeys(s)...) {
		if d := distance(key, other); best < 0 || d < best {
			best, nearest = d, other
		}
	}
	return false, nearest
}

// index is the place of a key in its section's table, or -1.
func index(s Section, key string) int {
	t := tables[s]
	i := sort.Search(len(t), func(i int) bool { return t[i].Key >= key })
	if i < len(t) && t[i].Key == key {
		return i
	}
	return -1
}

// distance counts the letters to insert, delete or replace to get from a to b (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
