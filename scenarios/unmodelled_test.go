package scenarios

import (
	"strings"
	"testing"

	"kafkatrial/scenarios/format"
)

func TestSettingsWithoutEffectAreRefused(t *testing.T) {
	for _, tc := range []struct{ replace, by, refused string }{
		{"", "", ""},
		{"p: {}", "p: {config: {enable.idempotence: false}}", ""},
		{"p: {}", "p: {config: {enable.idempotence: true}}", ""},
		{"p: {}", "p: {config: {compression.type: lz4, security.protocol: SSL}}", ""},
		{"p: {}", "p: {config: {partitioner.class: RoundRobinPartitioner}}", "small.yaml:6:26: partitioner.class=RoundRobinPartitioner would have no effect: "},
		{"p: {}", "p: {config: {interceptor.classes: C}}", "small.yaml:6:26: interceptor.classes is a producer setting of Kafka that the model does not follow, and a verdict could depend on it: "},
		{"p: {}", "p: {config: {transactional.id: t}}", ""},
		{`"3.9"`, `"2.8"`, ""},
		{"config: {auto.offset.reset", "config: {isolation.level: read_uncommitted, auto.offset.reset", ""},
		{"config: {auto.offset.reset", "config: {isolation.level: read_committed, auto.offset.reset", ""},
		{"consumers: {", "consumers: {d: {topics: [orders], group: g}, ", "c are both in group g and subscribe to orders"},
		{"consumers: {", "consumers: {d: {topics: [orders], config: {group.id: g}}, ", "c are both in group g and subscribe to orders"},
		{"consumers: {", "consumers: {d: {topics: [orders]}, ", ""},
		{"enable.auto.commit: false", "enable.auto.commit: true", ""},
	} {
		src := strings.Replace(strings.Replace(small, "STEPS\n", "", 1), tc.replace, tc.by, 1)
		f, problems := format.Load("small.yaml", []byte(src), Vocabulary)
		if len(problems) > 0 {
			t.Fatal(Problems(problems))
		}
		_, err := New(f, Options{})
		switch {
		case err != nil && (tc.refused == "" || !strings.Contains(err.Error(), tc.refused)):
			t.Errorf("%s: %v", tc.by, err)
		case err == nil && tc.refused != "":
			t.Errorf("%s: not refused", tc.by)
		}
	}
}

// TestSettingsThatTheScriptChangesAreFollowed: or they are refused, as those of the start are. What brokers hear of while they
// run is less than what they are started with.
func TestSettingsThatTheScriptChangesAreFollowed(t *testing.T) {
	for step, want := range map[string]string{
		"topic: orders, config: {min.insync.replicas: 2, compression.type: lz4}":                  "",
		"broker: all, config: {min.insync.replicas: 2, num.io.threads: 3, ssl.client.auth: none}": "",
		"topic: orders, config: {retention.ms: 1000}":                                             "small.yaml:11:44: retention.ms=1000 would have no effect: ",
		"broker: all, config: {replica.lag.time.max.ms: 1000}":                                    "small.yaml:11:42: replica.lag.time.max.ms of the brokers would change nothing while they run: ",
		"topic: orders, config: {message.format.version: 2.0}":                                    "small.yaml:11:44: message.format.version is a topic setting of Kafka that the model does not follow",
		"broker: all, config: {quota.producer.default: 1000}":                                     "small.yaml:11:42: quota.producer.default is a broker setting of Kafka that the model does not follow",
	} {
		f, problems := format.Load("small.yaml", []byte(strings.Replace(small, "STEPS\n", "  - alter-config: {"+step+"}\n", 1)), Vocabulary)
		if len(problems) > 0 {
			t.Fatal(Problems(problems))
		}
		_, err := New(f, Options{})
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%s:\n got %v\nwant %s", step, err, want)
		}
	}
}

// TestLintLooksAtEveryComparison: as run does, and names the one that can not be run.
func TestLintLooksAtEveryComparison(t *testing.T) {
	f, problems := format.Load("small.yaml", []byte(strings.Replace(small, "STEPS\n", "", 1)+`compare:
  - set: {compression.type: lz4}
    claims: {at-least-once: holds}
  - title: Another way to choose
    set: {partitioner.class: RoundRobinPartitioner}
    claims: {at-least-once: holds}
`), Vocabulary)
	if len(problems) > 0 {
		t.Fatal(Problems(problems))
	}
	err := Prepare(f)
	if err == nil || !strings.Contains(err.Error(), "the comparison with partitioner.class=RoundRobinPartitioner (Another way to choose) can not be run: small.yaml:") {
		t.Error(err)
	}
	var advice []string
	for _, p := range Lint(f, false) {
		advice = append(advice, p.Error())
	}
	if all := strings.Join(advice, "\n"); !strings.Contains(all, "advice: compression.type changes no verdict: ") || strings.Contains(all, "partitioner.class") {
		t.Error(all)
	}
}

// A value that only an old release knows is for the run to judge, not for the loader.
func TestValuesOfOldReleases(t *testing.T) {
	for value, refused := range map[string]bool{"earliest": false, "smallest": false, "first": true} {
		if got := Vocabulary.(vocabulary).CheckValue(format.ConsumerConfig, "auto.offset.reset", value); (got != "") != refused {
			t.Errorf("auto.offset.reset=%s: %q", value, got)
		}
	}
}
