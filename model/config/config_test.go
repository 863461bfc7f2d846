package config

import (
	"os"
	"slices"
	"strings"
	"testing"

	"kafkatrial/model/release"
	"kafkatrial/sim"
)

// branches are Kafka's release branches, in the order of testdata/defaults.tsv.
var branches = []string{"0.8", "0.8.1", "0.8.2", "0.9.0", "0.10.0", "0.10.1", "0.10.2", "0.11.0", "1.0", "1.1", "2.0", "2.1",
	"2.2", "2.3", "2.4", "2.5", "2.6", "2.7", "2.8", "3.0", "3.1", "3.2", "3.3", "3.4", "3.5", "3.6", "3.7", "3.8", "3.9", "4.0", "4.1", "4.2", "4.3", "4.4"}

func branchVersion(t *testing.T, b string) release.Version {
	t.Helper()
	switch b {
	case "0.8":
		return release.Version{Minor: 8}
	case "0.9.0", "0.11.0":
		b = strings.TrimSuffix(b, ".0")
	}
	return version(t, b)
}

func version(t *testing.T, s string) release.Version {
	t.Helper()
	v, err := release.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func sectionOf(t *testing.T, name string) Section {
	t.Helper()
	for s := Section(0); s < sections; s++ {
		if s.String() == name {
			return s
		}
	}
	t.Fatalf("no section %q", name)
	return 0
}

// TestDefaultsOfEveryBranch compares existence and default of every setting with the release branches.
func TestDefaultsOfEveryBranch(t *testing.T) {
	data, err := os.ReadFile("testdata/defaults.tsv")
	if err != nil {
		t.Fatal(err)
	}
	seen := [sections]int{}
	for _, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, "\t")
		s, key, runs := sectionOf(t, f[0]), f[1], f[2:]
		seen[s]++
		d, ok := Lookup(s, key)
		if !ok {
			t.Errorf("%s %s is not declared", s, key)
			continue
		}
		want, begun := "-", false
		for _, b := range branches {
			for _, r := range runs {
				if branch, value, _ := strings.Cut(r, "="); branch == b {
					want, begun = value, true
				}
			}
			v := branchVersion(t, b)
			// Below 0.9 only the broker's and the old consumer's classes list their settings with defaults.
			if !begun && v.Less(ver("0.9")) && (s == Topic || s == Producer || strings.HasPrefix(key, "zookeeper.")) {
				continue
			}
			// The Scala producer and the unreleased first form of the Java one had other settings.
			if s == Producer && v.Less(ver("0.8.2")) {
				continue
			}
			got := "-"
			if d.Exists(v) {
				got = d.Default(v)
			}
			if got != want {
				t.Errorf("%s %s in %s: %q, but the branch has %q", s, key, b, got, want)
			}
		}
	}
	for s, n := range seen {
		if most := len(tables[s]); n < most-3 {
			t.Errorf("only %d of %d settings of the %s are compared", n, most, Section(s))
		}
	}
}

func TestWhatChangedFor40(t *testing.T) {
	for _, c := range []struct {
		s           Section
		key         string
		before, now string
	}{
		{Producer, "linger.ms", "0", "5"},
		{Producer, "metadata.recovery.strategy", "none", "rebootstrap"},
		{Consumer, "metadata.recovery.strategy", "none", "rebootstrap"},
		{Broker, "num.recovery.threads.per.data.dir", "1", "2"},
		{Broker, "log.message.timestamp.after.max.ms", maxLong, "3600000"},
		{Topic, "message.timestamp.after.max.ms", maxLong, "3600000"},
	} {
		if got := New(c.s, version(t, "3.9")).Text(c.key); got != c.before {
			t.Errorf("%s in 3.9: %s, want %s", c.key, got, c.before)
		}
		if got := New(c.s, version(t, "4.0")).Text(c.key); got != c.now {
			t.Errorf("%s in 4.0: %s, want %s", c.key, got, c.now)
		}
	}
	for _, key := range []string{"zookeeper.session.timeout.ms", "log.message.timestamp.difference.max.ms"} {
		if New(Broker, version(t, "4.0")).Has(key) || !New(Broker, version(t, "3.9")).Has(key) {
			t.Errorf("%s should be there in 3.9 and gone in 4.0", key)
		}
	}
}

func TestEveryRowIsComplete(t *testing.T) {
	for s := Section(0); s < sections; s++ {
		for i := range tables[s] {
			d := &tables[s][i]
			if i > 0 && tables[s][i-1].Key == d.Key {
				t.Errorf("%s %s is declared twice", s, d.Key)
			}
			if d.Meaning == "" || d.Source == "" || len(d.Eras) == 0 {
				t.Errorf("%s %s: meaning, source or default is missing", s, d.Key)
			}
			if _, ok := outside(s, d.Key); ok {
				t.Errorf("%s %s is declared and left out", s, d.Key)
			}
			if d.Harmless && d.Unmodelled == "" {
				t.Errorf("%s %s has an effect, and is to be harmless", s, d.Key)
			}
			for _, k := range append(slices.Clone(d.Fallback), d.Formerly) {
				if k == "" {
					continue
				}
				from, ok := Lookup(s, k)
				if !ok {
					t.Errorf("%s %s names %s, which is not declared", s, d.Key, k)
				} else if from.Unit != d.Unit && (d.Unit == Plain || from.Unit < d.Unit) {
					t.Errorf("%s %s is read from %s, whose unit is finer or none", s, d.Key, k)
				}
			}
			if d.Synonym != "" {
				if j := index(Broker, d.Synonym); j < 0 {
					t.Errorf("%s has the synonym %s, which is not declared", d.Key, d.Synonym)
				} else if b := &tables[Broker][j]; b.Kind != d.Kind || b.Unit != d.Unit {
					t.Errorf("%s is a %s in %q, its synonym %s a %s in %q", d.Key, d.Kind, d.Unit, b.Key, b.Kind, b.Unit)
				}
			}
		}
		for _, w := range leftOut {
			if !slices.IsSorted(w.of[s]) || !slices.IsSorted(w.nodes) {
				t.Errorf("the list of what the %s leaves out (%s) is not sorted", s, w.why)
			}
		}
	}
}

// TestEverySettingCanBeReadInEveryVersion: what is modelled can be read without asking for the version,
// except what belongs to ZooKeeper or to KRaft.
func TestEverySettingCanBeReadInEveryVersion(t *testing.T) {
	for s := Section(0); s < sections; s++ {
		for _, b := range branches {
			v := New(s, branchVersion(t, b))
			for _, key := range Keys(s) {
				d, _ := Lookup(s, key)
				if !d.Exists(v.Version()) && d.Unmodelled == "" && (d.Source == "ZkConfigs" || d.Source == "KRaftConfigs") {
					continue
				}
				if !d.Exists(v.Version()) && (d.Unmodelled != "" || d.Gone != "") {
					continue
				}
				if text := v.Text(key); text == "" && (d.Kind == Int || d.Kind == Long) {
					t.Errorf("%s %s in %s reads as nothing", s, key, b)
				}
			}
		}
	}
}

func TestSetRefuses(t *testing.T) {
	for _, c := range []struct {
		s                Section
		kafka, key, text string
		want             string
	}{
		{Producer, "4.0", "retrys", "1", `there is no producer setting "retrys"; the nearest is retries`},
		{Broker, "4.0", "min.insync.replica", "1", `there is no broker setting "min.insync.replica"; the nearest is min.insync.replicas`},
		{Broker, "4.0", "acks", "all", "acks is a producer setting, not a broker setting"},
		{Broker, "4.0", "replica.selector.class", "C", "replica.selector.class is a broker setting of Kafka that the model does not follow, and a verdict could depend on it: it is code of one's own, which the model does not run"},
		{Broker, "4.0", "listener.name.ext.max.connections", "5", "listener.name.ext.max.connections is a broker setting of Kafka that the model does not follow, and a verdict could depend on it: the model's connections have no bound, and are not closed for being idle"},
		{Producer, "4.0", "ssl.protocl", "TLS", `there is no producer setting "ssl.protocl"; the nearest is ssl.protocol`},
		{Broker, "4.0", "eligible.leader.replicas.version", "1", "eligible.leader.replicas.version is a feature level and not a setting: switch the rule kip-966"},
		{Producer, "0.10", "delivery.timeout.ms", "1", "delivery.timeout.ms exists since 2.1.0; this is Kafka 0.10.2.2"},
		{Producer, "3.6", "retry.backoff.max.ms", "1", "retry.backoff.max.ms exists since 3.7.0; this is Kafka 3.6.2"},
		{Producer, "0.11", "block.on.buffer.full", "true", "block.on.buffer.full is gone since 0.11.0.0; this is Kafka 0.11.0.3"},
		{Broker, "0.9", "replica.lag.max.messages", "1", "replica.lag.max.messages does not exist in Kafka 0.9.0.1: from 0.9 on a follower lags by time only (KIP-16)"},
		{Broker, "4.1", "zookeeper.session.timeout.ms", "1", "zookeeper.session.timeout.ms does not exist in Kafka 4.1.2: ZooKeeper is gone from 4.0 on (KIP-500)"},
		{Producer, "4.0", "acks", "2", `acks: want all, -1, 0 or 1, not "2"`},
		{Producer, "4.0", "acks", "ALL", `acks: want all, -1, 0 or 1, not "ALL"`},
		{Producer, "4.0", "retries", "-1", `retries: want a whole number from 0 to 2147483647, not "-1"`},
		{Producer, "4.0", "retries", "2147483648", `retries: want a whole number from 0 to 2147483647, not "2147483648"`},
		{Producer, "4.0", "linger.ms", "5ms", `linger.ms: want a whole number of milliseconds of at least 0, not "5ms"`},
		{Producer, "4.0", "max.in.flight.requests.per.connection", "0", `max.in.flight.requests.per.connection: want a whole number from 1 to 2147483647, not "0"`},
		{Producer, "4.0", "enable.idempotence", "yes", `enable.idempotence: want true or false, not "yes"`},
		{Consumer, "4.0", "auto.offset.reset", "largest", `auto.offset.reset: want latest, earliest or none, not "largest"`},
		{Consumer, "0.8", "auto.offset.reset", "latest", `auto.offset.reset: want smallest or largest, not "latest"`},
		{Topic, "4.0", "cleanup.policy", "delete,compress", `cleanup.policy: want a list (commas between the words) out of delete, compact, not "delete,compress"`},
		{Topic, "4.0", "min.cleanable.dirty.ratio", "1.5", `min.cleanable.dirty.ratio: want a decimal fraction from 0 to 1, not "1.5"`},
		{Topic, "4.0", "segment.bytes", "1024", `segment.bytes: want a whole number from 1048576 to 2147483647, not "1024"`},
		{Broker, "4.0", "offsets.topic.replication.factor", "40000", `offsets.topic.replication.factor: want a whole number from 1 to 32767, not "40000"`},
		{Broker, "0.8.2", "log.retention.ms", "-1", `log.retention.ms: want a whole number of milliseconds of at least 1, not "-1"`},
	} {
		v := New(c.s, version(t, c.kafka))
		err := v.Set(c.key, c.text)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s %s=%s:\n got %v\nwant %s", c.kafka, c.key, c.text, err, c.want)
		}
		if index(c.s, c.key) >= 0 && v.IsSet(c.key) {
			t.Errorf("%s=%s was refused and yet set", c.key, c.text)
		}
	}
}

func TestSetAccepts(t *testing.T) {
	for _, c := range []struct {
		s                    Section
		kafka, key, in, text string
	}{
		{Producer, "4.0", "acks", "-1", "all"},
		{Producer, "4.0", "acks", " all ", "all"},
		{Producer, "4.0", "acks", "1", "1"},
		{Producer, "4.0", "enable.idempotence", "FALSE", "false"},
		{Producer, "4.0", "retries", "+3", "3"},
		{Consumer, "0.8", "auto.offset.reset", "smallest", "earliest"},
		{Consumer, "4.0", "auto.offset.reset", "none", "none"},
		{Consumer, "4.0", "partition.assignment.strategy", "org.apache.kafka.clients.consumer.StickyAssignor, RangeAssignor", "StickyAssignor,RangeAssignor"},
		{Topic, "3.9", "segment.bytes", "1024", "1024"},
		{Topic, "4.0", "cleanup.policy", "compact, delete", "compact,delete"},
		{Topic, "4.0", "retention.ms", "-1", "-1"},
	} {
		v := New(c.s, version(t, c.kafka))
		if err := v.Set(c.key, c.in); err != nil {
			t.Errorf("%s=%q: %v", c.key, c.in, err)
			continue
		}
		if got := v.Text(c.key); got != c.text || !v.IsSet(c.key) {
			t.Errorf("%s=%q reads as %q, want %q", c.key, c.in, got, c.text)
		}
	}
}

func TestTypedReads(t *testing.T) {
	p := New(Producer, version(t, "4.0"))
	if got := p.Ms("linger.ms"); got != 5*sim.Millisecond {
		t.Errorf("linger.ms = %v", got)
	}
	if got := p.Int("acks"); got != -1 {
		t.Errorf("acks = %d", got)
	}
	b := New(Broker, version(t, "3.9"))
	if got := b.Ms("leader.imbalance.check.interval.seconds"); got != 5*sim.Minute {
		t.Errorf("seconds read as %v", got)
	}
	if got := b.Ms("log.flush.interval.ms"); got != sim.Never {
		t.Errorf("no flush interval reads as %v", got)
	}
	if got := b.Millionths("log.cleaner.min.cleanable.ratio"); got != 500000 {
		t.Errorf("0.5 = %d millionths", got)
	}
	c := New(Consumer, version(t, "3.9"))
	if got := c.Words("partition.assignment.strategy"); !slices.Equal(got, []string{"RangeAssignor", "CooperativeStickyAssignor"}) {
		t.Errorf("assignors %v", got)
	}
	if got := New(Producer, version(t, "2.0")).Ms("delivery.timeout.ms"); got != 2147483647*sim.Millisecond {
		t.Errorf("without delivery.timeout.ms a record lives %v", got)
	}
}

func TestAMistakeOfTheProgramPanics(t *testing.T) {
	b := New(Broker, version(t, "4.0"))
	for name, read := range map[string]func(){
		"undeclared":            func() { b.Int("min.insync.replica") },
		"not in this version":   func() { b.Ms("zookeeper.session.timeout.ms") },
		"a boolean as a number": func() { b.Int("unclean.leader.election.enable") },
		"a number as a boolean": func() { b.Bool("min.insync.replicas") },
		"a count as a time":     func() { b.Ms("min.insync.replicas") },
		"undeclared, asked for": func() { b.Has("nothing") },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			read()
		}()
	}
}

func TestRetentionFallsBackByUnit(t *testing.T) {
	b := New(Broker, version(t, "3.9"))
	topic := ForTopic(b, nil)
	check := func(what string, want sim.Time) {
		t.Helper()
		if got := b.Ms("log.retention.ms"); got != want {
			t.Errorf("%s: broker %v, want %v", what, got, want)
		}
		if got := topic.Ms("retention.ms"); got != want {
			t.Errorf("%s: topic %v, want %v", what, got, want)
		}
	}
	check("default", 7*24*60*sim.Minute)
	set(t, b, "log.retention.hours", "2")
	check("hours", 120*sim.Minute)
	set(t, b, "log.retention.minutes", "3")
	check("minutes win over hours", 3*sim.Minute)
	set(t, b, "log.retention.ms", "4")
	check("ms win over minutes", 4*sim.Millisecond)
	set(t, b, "log.retention.ms", "-1")
	check("no bound", sim.Never)
	set(t, topic, "retention.ms", "5")
	if got := topic.Ms("retention.ms"); got != 5*sim.Millisecond {
		t.Errorf("the topic's own value: %v", got)
	}
}

func set(t *testing.T, v *Values, key, text string) {
	t.Helper()
	if err := v.Set(key, text); err != nil {
		t.Fatal(err)
	}
}

func TestATopicTakesOverTheBrokersSynonym(t *testing.T) {
	b := New(Broker, version(t, "3.9"))
	set(t, b, "min.insync.replicas", "2")
	set(t, b, "log.flush.interval.messages", "1")
	set(t, b, "log.flush.scheduler.interval.ms", "7")
	set(t, b, "log.message.timestamp.type", "LogAppendTime")
	set(t, b, "unclean.leader.election.enable", "true")
	set(t, b, "log.roll.hours", "1")
	own := New(Topic, version(t, "3.9"))
	set(t, own, "unclean.leader.election.enable", "false")
	topic := ForTopic(b, own)
	for _, c := range []struct{ key, want string }{
		{"min.insync.replicas", "2"}, {"flush.messages", "1"}, {"flush.ms", "7"}, {"message.timestamp.type", "LogAppendTime"},
		{"unclean.leader.election.enable", "false"}, {"segment.ms", "3600000"}, {"max.message.bytes", "1048588"},
	} {
		if got := topic.Text(c.key); got != c.want {
			t.Errorf("%s = %s, want %s", c.key, got, c.want)
		}
	}
	set(t, topic, "min.insync.replicas", "3")
	if own.IsSet("min.insync.replicas") || own.Int("min.insync.replicas") != 1 {
		t.Error("the overrides were changed with the topic")
	}
	if topic.IsSet("flush.messages") {
		t.Error("what comes from the broker counts as set by the topic")
	}
	old := ForTopic(New(Broker, release.Version{Minor: 8}), nil)
	if got := old.Int("flush.messages"); got != 10000 {
		t.Errorf("a topic of 0.8.0 flushes after %d records, want its broker's 10000", got)
	}
}

func TestTheOlderTimestampBoundStandsForTheNewer(t *testing.T) {
	b := New(Broker, version(t, "3.6"))
	set(t, b, "log.message.timestamp.difference.max.ms", "9")
	topic := ForTopic(b, nil)
	if got := topic.Ms("message.timestamp.after.max.ms"); got != 9*sim.Millisecond {
		t.Errorf("from the broker's difference: %v", got)
	}
	set(t, topic, "message.timestamp.after.max.ms", "8")
	if got := topic.Ms("message.timestamp.after.max.ms"); got != 8*sim.Millisecond {
		t.Errorf("set: %v", got)
	}
	if got := ForTopic(New(Broker, version(t, "2.0")), nil).Ms("message.timestamp.before.max.ms"); got != sim.Never {
		t.Errorf("2.0 has no bound, but %v", got)
	}
}

func TestSettingsUnderTheirFormerName(t *testing.T) {
	c := New(Consumer, version(t, "0.8.2"))
	set(t, c, "auto.commit.enable", "false")
	set(t, c, "fetch.wait.max.ms", "20")
	if c.Bool("enable.auto.commit") || c.Ms("fetch.max.wait.ms") != 20*sim.Millisecond {
		t.Error("the old consumer's settings are not read under the new names")
	}
	if c.Text("auto.offset.reset") != "latest" || c.Default("auto.offset.reset") != "largest" {
		t.Error("largest is not read as latest")
	}
	set(t, c, "offsets.storage", "kafka")
	if !c.Bool("dual.commit.enabled") {
		t.Error("with offsets.storage=kafka positions go to ZooKeeper too")
	}
	b := New(Broker, release.Version{Minor: 8})
	if got := b.Ms("log.retention.check.interval.ms"); got != 10*sim.Minute {
		t.Errorf("0.8.0 looks for old records every %v", got)
	}
	p := New(Producer, version(t, "3.6"))
	set(t, p, "retry.backoff.ms", "30")
	if got := p.Ms("retry.backoff.max.ms"); got != 30*sim.Millisecond {
		t.Errorf("before KIP-580 the wait grows to %v", got)
	}
}

func TestDescribe(t *testing.T) {
	text := Describe(Producer, version(t, "0.10"))
	for _, want := range []string{"acks ", "block.on.buffer.full ", "all, -1, 0 or 1"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	if strings.Contains(text, "delivery.timeout.ms") {
		t.Error("0.10 has no delivery.timeout.ms")
	}
	if why, _ := Harmless(Producer, "compression.type"); !strings.Contains(Describe(Producer, version(t, "2.1")), why) {
		t.Error("what has no effect does not say so")
	}
}

// A default that is not in force while nothing is set is told as such, with the value that is and the reason, and in those releases only.
func TestDefaultsNotInForce(t *testing.T) {
	for _, line := range release.Lines() {
		for _, v := range line {
			r := v.String()
			checkNote(t, Producer, v, "enable.idempotence", r == "3.0.0" || r == "3.1.0", "KAFKA-13598")
			checkNote(t, Consumer, v, "enable.auto.commit", v.AtLeast(version(t, "2.2.0")), "KIP-289")
			for s := range tables {
				for _, d := range Settings(Section(s), v) {
					if strings.Contains(d.Meaning, "in force: ]") {
						t.Errorf("%v %v: %s has another value in force, and nobody says why", v, Section(s), d.Key)
					}
				}
			}
		}
	}
}

// checkNote looks for the note that false is in force, and why, in a setting's description.
func checkNote(t *testing.T, s Section, v release.Version, key string, want bool, why string) {
	t.Helper()
	for _, d := range Settings(s, v) {
		said := strings.Contains(d.Meaning, "[while nothing is set false is in force: ") && strings.Contains(d.Meaning, why)
		if d.Key == key && said != want {
			t.Errorf("%v: %s: said that the default is not in force: %v, want %v", v, key, said, want)
		}
	}
}

// TestEverySettingOfKafkaIsKnown: testdata/keys.tsv has what the config classes of the release branches 0.8 to 3.9 and of 4.3
// define. A key that is none of ours would pass for a misspelt one.
func TestEverySettingOfKafkaIsKnown(t *testing.T) {
	b, err := os.ReadFile("testdata/keys.tsv")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(b)) {
		section, key, row := strings.Cut(strings.TrimSpace(line), "\t")
		if !row {
			continue
		}
		for s := range sections {
			if s.String() != section {
				continue
			}
			n++
			if ok, nearest := Known(s, key); !ok {
				t.Errorf("%s %s is not known; the nearest is %s", section, key, nearest)
			}
		}
	}
	if n < 500 {
		t.Errorf("only %d keys were looked at", n)
	}
}

// TestWhatCanNotChangeAVerdictIsTaken: whatever its value; what could change one, and is not modelled, is told apart.
func TestWhatCanNotChangeAVerdictIsTaken(t *testing.T) {
	for _, c := range []struct {
		s    Section
		key  string
		text string
	}{
		{Producer, "compression.type", "lz4"}, {Producer, "key.serializer", "org.example.Mine"}, {Consumer, "ssl.protocol", "TLS"},
		{Broker, "sasl.enabled.mechanisms", "PLAIN"}, {Broker, "listener.name.ext.ssl.keystore.location", "/k"}, {Topic, "preallocate", "true"},
	} {
		v := New(c.s, version(t, "4.0"))
		if why, yes := Harmless(c.s, c.key); !yes || why == "" {
			t.Errorf("%s %s could change a verdict: %q", c.s, c.key, why)
		}
		if err := v.Set(c.key, c.text); err != nil {
			t.Error(err)
		}
		if why, yes := v.Unmodelled(c.key); yes {
			t.Errorf("%s: %s", c.key, why)
		}
	}
	p := New(Producer, version(t, "4.0"))
	if err := p.Set("compression.type", "zip"); err == nil {
		t.Error("a value that Kafka refuses is taken")
	}
	if why, yes := p.Unmodelled("partitioner.class"); !yes || why == "" {
		t.Error("partitioner.class is followed")
	}
	if _, yes := p.Unmodelled("linger.ms"); yes {
		t.Error("linger.ms has no effect")
	}
	if _, yes := Harmless(Producer, "acks"); yes {
		t.Error("acks can change a verdict")
	}
	if _, yes := Harmless(Topic, "ssl.protocol"); yes {
		t.Error("a topic has no ssl.protocol")
	}
}

func TestACloneIsItsOwn(t *testing.T) {
	a := New(Topic, version(t, "4.0"))
	b := a.Clone()
	set(t, b, "min.insync.replicas", "2")
	if a.IsSet("min.insync.replicas") {
		t.Error("setting the clone set the original")
	}
}
