package format

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Placed is embedded by everything that a file spells out as a mapping, and says where it stands.
type Placed struct{ Pos Pos }

// Position returns the place of the mapping's first key.
func (p Placed) Position() Pos { return p.Pos }

// Name is a word of the file: a name that it gives, or a reference to one. Whether it is one or the other, and to what,
// says the field that holds it.
type Name struct {
	Text string
	Pos  Pos
}

func (n Name) String() string { return n.Text }

// IsZero reports whether the file left the name out.
func (n Name) IsZero() bool { return n.Text == "" }

// Value is a value of a setting, a key or a value of a record: raw text, as the file has it.
type Value struct {
	Text string
	Null bool // the file says null: a record without a value, a tombstone
	Pos  Pos
}

func (v Value) String() string { return v.Text }

// Given reports whether the file holds the value.
func (v Value) Given() bool { return v.Pos.Line > 0 }

// Nodes is a list of nodes, or the word all or none where the file may say so.
type Nodes struct {
	All, None bool
	List      []Node
	Pos       Pos
}

// Count is a number from 1, or all.
type Count struct {
	N   int // 0 if All
	All bool
}

// Keeps says what of a log survives a power loss: what had been flushed, everything, or what had been flushed and the next
// Records records of every partition.
type Keeps struct {
	Flushed, All bool
	Records      int
}

// AllWord is the word all in place of a mapping.
type AllWord bool

// Switch is on or off.
type Switch bool

// Verdict is what a scenario states of a claim.
type Verdict string

// The verdicts.
const (
	Holds     Verdict = "holds"
	Violated  Verdict = "violated"
	Undecided Verdict = "undecided"
)

func (Verdict) words() []string { return []string{"holds", "violated", "undecided"} }

// Level says where a claim is judged: in the log, at the application, or, for claims that have no levels, "".
type Level string

// The levels.
const (
	AtLog Level = "log" // what is persisted
	AtApp Level = "app" // what the consuming applications have processed
)

func (Level) words() []string { return []string{"log", "app"} }

// Moment says when a prediction is resolved.
type Moment string

// The moments.
const (
	AtEnd Moment = "end" // after healing and quiescence
	AtNow Moment = "now" // just before the next step
)

func (Moment) words() []string { return []string{"end", "now"} }

// Metadata says who keeps the cluster's metadata.
type Metadata string

// The keepers of metadata.
const (
	ZooKeeper Metadata = "zookeeper"
	KRaft     Metadata = "kraft"
)

func (Metadata) words() []string { return []string{"zookeeper", "kraft"} }

// OnError is what a producing application does when a send has failed for good.
type OnError string

// The policies.
const (
	DropRecord   OnError = "drop"   // it forgets the record
	ResendRecord OnError = "resend" // it submits the same record again, as a new send
	StopSending  OnError = "stop"   // it sends nothing more
	// AbortOnError is for a transactional producer: the application does what KafkaProducer's documentation asks of it.
	AbortOnError OnError = "abort"
)

func (OnError) words() []string { return []string{"drop", "resend", "stop", "abort"} }

// OrderBy says whose order the claim ordered is about.
type OrderBy string

// The orders.
const (
	OrderByPartition OrderBy = "partition" // a producer's records within a partition, which is what Kafka promises
	OrderByKey       OrderBy = "key"       // the records of a key, whatever partitions they went through
	OrderByTopic     OrderBy = "topic"     // a producer's records within a topic
)

func (OrderBy) words() []string { return []string{"partition", "key", "topic"} }

// ElectionType is the kind of election that an operator asks for.
type ElectionType string

// The kinds of election.
const (
	Preferred ElectionType = "preferred" // the first of the replica list, if it is in sync
	Unclean   ElectionType = "unclean"   // any live replica, if no in-sync replica is alive
)

func (ElectionType) words() []string { return []string{"preferred", "unclean"} }

// enum is implemented by the string types that allow a few words only.
type enum interface{ words() []string }

// Version is a Kafka release as the file writes it: N.N.N, below 1.0 also N.N.N.N, or N.N for the last release of a line.
type Version struct {
	Text string
	Pos  Pos
}

func (v Version) String() string { return v.Text }

// Compare orders releases by their numbers; a missing number counts as 0.
func (v Version) Compare(other string) int {
	return slices.Compare(versionNumbers(v.Text), versionNumbers(other))
}

// AtLeast reports whether the release is the other one or a later one.
func (v Version) AtLeast(other string) bool { return v.Compare(other) >= 0 }

func versionNumbers(text string) []int {
	numbers := make([]int, 4)
	for i, part := range strings.SplitN(text, ".", 4) {
		numbers[i], _ = strconv.Atoi(part)
	}
	return numbers
}

// Duration is a span of virtual time. Files write a number and a unit, or several: 120ms, 1.5s, 2m30s, 7d.
type Duration struct {
	time.Duration
	Text string
	Pos  Pos
}

func (d Duration) String() string { return d.Text }

// Given reports whether the file, or a default, holds the duration.
func (d Duration) Given() bool { return d.Text != "" }

var durationUnits = []struct {
	name string
	unit time.Duration
}{ // "ms" before "m": the first that fits is taken
	{"us", time.Microsecond}, {"µs", time.Microsecond}, {"ms", time.Millisecond},
	{"s", time.Second}, {"m", time.Minute}, {"h", time.Hour}, {"d", 24 * time.Hour},
}

// parseDuration reads an optional sign and one or more of number-and-unit, without floating point.
func parseDuration(text string) (time.Duration, error) {
	const form = "a duration with a unit, such as 120ms, 30s, 2m or 7d"
	rest, negative := strings.CutPrefix(text, "-")
	if !negative {
		rest = strings.TrimPrefix(rest, "+")
	}
	if rest == "0" {
		return 0, nil
	}
	if rest == "" {
		return 0, fmt.Errorf("%s", form)
	}
	var total time.Duration
	for rest != "" {
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		whole, after := rest[:digits], rest[digits:]
		fraction := ""
		if strings.HasPrefix(after, ".") {
			fractionDigits := len(after[1:]) - len(strings.TrimLeft(after[1:], "0123456789"))
			fraction, after = after[1:1+fractionDigits], after[1+fractionDigits:]
			if fraction == "" {
				return 0, fmt.Errorf("%s", form)
			}
		}
		unit, unitLength := time.Duration(0), 0
		for _, u := range durationUnits {
			if strings.HasPrefix(after, u.name) {
				unit, unitLength = u.unit, len(u.name)
				break
			}
		}
		if whole == "" || unit == 0 || len(whole) > 15 || len(fraction) > 9 {
			return 0, fmt.Errorf("%s", form)
		}
		n, _ := strconv.ParseInt(whole, 10, 64)
		if n > int64(MaxDuration/unit) {
			return 0, fmt.Errorf("at most 365d")
		}
		total += time.Duration(n) * unit
		for scale := unit / 10; fraction != "" && scale > 0; scale /= 10 {
			total += time.Duration(fraction[0]-'0') * scale
			fraction = fraction[1:]
		}
		if total > MaxDuration {
			return 0, fmt.Errorf("at most 365d")
		}
		rest = after[unitLength:]
	}
	if negative {
		total = -total
	}
	return total, nil
}

// Text is written for people: one string, or one for each language.
type Text struct {
	Parts []TextPart
	Pos   Pos
}

// TextPart is the text in one language; Lang is "" where the file does not say.
type TextPart struct{ Lang, Text string }

// IsZero reports whether the file left the text out.
func (t Text) IsZero() bool { return len(t.Parts) == 0 }

// In returns the text in a language such as "en" or "zh-CN". Where there is none it takes the base language ("zh"), then
// the text without a language, then English, then the first.
func (t Text) In(lang string) string {
	base, _, _ := strings.Cut(lang, "-")
	for _, want := range []string{lang, base, "", "en"} {
		for _, part := range t.Parts {
			if part.Lang == want {
				return part.Text
			}
		}
	}
	if len(t.Parts) > 0 {
		return t.Parts[0].Text
	}
	return ""
}

// Statement is the number of a statement of the topics list, such as 5.6.
type Statement struct {
	ID  string
	Pos Pos
}

// Misconception is a number of the list of misconceptions, from 1.
type Misconception struct {
	Number int
	Pos    Pos
}

// TopicSlug is one of the fifteen subjects that the scenarios teach; not to be mixed up with a topic of Kafka.
type TopicSlug string

func (TopicSlug) words() []string {
	slugs := make([]string, len(subjects))
	for i, s := range subjects {
		slugs[i] = s.slug
	}
	return slugs
}
