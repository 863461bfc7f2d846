package trial

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"kafkatrial/model/config"
	"kafkatrial/model/release"
	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
)

// World is a drawn world as a scenario file.
type World struct {
	Source []byte
	File   *format.File
}

// Worlds generates the worlds of a property, for a rapid property of one's own.
func Worlds(p Property) *rapid.Generator[World] {
	return rapid.Custom(func(t *rapid.T) World { return p.draw(rapidDice{t}) })
}

// draw rolls a world of the property's shape. A shape that gives a file that does not load is a mistake in
// the property, and panics.
func (p Property) draw(d dice) World {
	w := writer{d: d, s: &p.Shape}
	src := []byte(w.file(p))
	f, problems := format.Load(p.slug()+".yaml", src, scenarios.Vocabulary)
	if len(problems) > 0 {
		panic(fmt.Sprintf("trial: the shape of %q gives a file that does not load:\n%v\n%s", p.Name, scenarios.Problems(problems), src))
	}
	return World{src, f}
}

// slug is the property's name as files and scenarios are called.
func (p Property) slug() string {
	var b strings.Builder
	for _, r := range strings.ToLower(p.Name) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		} else if s := b.String(); s != "" && s[len(s)-1] != '-' {
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-")
}

// writer writes a scenario file while it draws it.
type writer struct {
	d       dice
	s       *Shape
	b       strings.Builder
	version release.Version

	partitions int
	shared     bool // one transactional.id for all producers
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(&w.b, format+"\n", args...) }

func (w *writer) file(p Property) string {
	s := w.s
	w.line("name: %s", p.slug())
	w.line("title: %q", p.Says)
	kafka := pick(w.d, "kafka", s.Kafka)
	w.version, _ = release.Parse(kafka) // loading the file tells if it is none
	w.line("kafka: %q", kafka)
	if len(s.Features) > 0 {
		w.line("features: {%s}", strings.ReplaceAll(strings.Join(s.Features, ", "), "=", ": "))
	}
	brokers := or(pick(w.d, "brokers", s.Brokers), 3)
	w.line("cluster:")
	w.line("  brokers: %d", brokers)
	if n := pick(w.d, "controllers", s.Controllers); n > 0 {
		w.line("  controllers: %d", n)
	}
	if m := pick(w.d, "metadata", s.Metadata); m != "" {
		w.line("  metadata: %s", m)
	}
	w.settings("  config", config.Broker, s.Broker)
	w.topic(brokers)
	if s.Transactions != nil {
		w.shared = pick(w.d, "shared", s.Transactions.Shared)
	}
	producers := w.clients("producers", "p", max(1, pick(w.d, "producers", s.Producers)), w.producer)
	w.clients("consumers", "c", pick(w.d, "consumers", s.Consumers), w.consumer)
	if s.Transactions != nil {
		w.transactions(producers)
	} else {
		w.script(producers)
	}
	w.claims(p)
	return w.b.String()
}

func or(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}

// settings writes a mapping of one value for each key. Keys that the release does not have are left out, so
// that one shape serves many releases.
func (w *writer) settings(key string, section config.Section, all []Setting) {
	var words []string
	for _, s := range all {
		v := pick(w.d, s.Key, s.Values)
		if def, known := config.Lookup(section, s.Key); v != "" && (!known || def.Exists(w.version)) {
			words = append(words, s.Key+": "+v)
		}
	}
	if len(words) > 0 {
		w.line("%s: {%s}", key, strings.Join(words, ", "))
	}
}

// topic places each partition's replicas one broker further on than those of the partition before.
func (w *writer) topic(brokers int) {
	copies := min(brokers, or(pick(w.d, "replicas", w.s.Replicas), 3))
	w.line("topics:\n  orders:\n    replicas:")
	w.partitions = max(1, pick(w.d, "partitions", w.s.Partitions))
	for p := range w.partitions {
		var ids []string
		for i := range copies {
			ids = append(ids, fmt.Sprint((p+i)%brokers+1))
		}
		w.line("      - [%s]", strings.Join(ids, ", "))
	}
	w.settings("    config", config.Topic, w.s.Topic)
}

func (w *writer) clients(section, prefix string, n int, body func(name string)) (names []string) {
	if n > 0 {
		w.line("%s:", section)
	}
	for i := range n {
		names = append(names, fmt.Sprintf("%s%d", prefix, i+1))
		w.line("  %s:", names[i])
		body(names[i])
	}
	return names
}

func (w *writer) producer(name string) {
	calm, all := "drop", w.s.Producer
	if w.s.Transactions != nil {
		calm, all = "abort", append(w.transactional(name), all...)
	}
	w.line("    on-error: %s", orWord(pick(w.d, "on-error", w.s.OnError), calm))
	w.settings("    config", config.Producer, all)
}

func (w *writer) consumer(string) {
	w.line("    topics: [orders]")
	if l := pick(w.d, "loop", w.s.Loop); l != "" {
		w.line("    loop: [%s]", l)
	}
	if t := pick(w.d, "takes", w.s.Takes); t != "" {
		w.line("    takes: %s", t)
	}
	w.settings("    config", config.Consumer, w.s.Consumer)
}

func orWord(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func (w *writer) script(producers []string) {
	w.line("script:")
	record := 0
	for i := range max(1, pick(w.d, "sends", w.s.Sends)) {
		var names []string
		for range max(1, pick(w.d, "records", w.s.Records)) {
			record++
			names = append(names, fmt.Sprintf("m%d", record))
		}
		who := pick(w.d, "who", producers)
		gap := pick(w.d, "after", w.s.After)
		send := fmt.Sprintf("send: {producer: %s, records: [%s]", who, strings.Join(names, ", "))
		if i > 0 && gap != "" && gap != "0" {
			w.line("  - after: %s\n    %s}", gap, send)
		} else {
			w.line("  - %s}", send)
		}
		if pick(w.d, "restart", w.s.Restarts) {
			w.line("  - after: %s\n    crash: %s\n  - start: %s\n  - %s, again: true}", orWord(gap, "0"), who, who, send)
		}
	}
	w.line("  - after: %s", orWord(w.s.Quiet, "5s"))
	if w.s.Within != "" {
		w.line("end: {within: %s}", w.s.Within)
	}
}

// claims states what the property says, so that the file says what is wrong with it.
func (w *writer) claims(p Property) {
	w.line("claims:")
	done := map[string]bool{}
	for _, c := range p.Claims {
		name := string(c.Claim)
		if done[name] {
			continue
		}
		done[name] = true
		switch log, app := p.speaksOf(c.Claim); {
		case log && app || c.Level == "" || format.StatedOnce(name):
			w.line("  %s: holds", name)
		case log:
			w.line("  %s: {log: holds}", name)
		default:
			w.line("  %s: {app: holds}", name)
		}
	}
	if len(done) == 0 {
		w.line("  available: holds")
	}
}
