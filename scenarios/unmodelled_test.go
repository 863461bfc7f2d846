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
		{"p: {}", "p: {config: {compression.type: lz4}}", "small.yaml:6:26: compression.type=lz4 would have no effect: "},
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

// A value that only an old release knows is for the run to judge, not for the loader.
func TestValuesOfOldReleases(t *testing.T) {
	for value, refused := range map[string]bool{"earliest": false, "smallest": false, "first": true} {
		if got := Vocabulary.(vocabulary).CheckValue(format.ConsumerConfig, "auto.offset.reset", value); (got != "") != refused {
			t.Errorf("auto.offset.reset=%s: %q", value, got)
		}
	}
}
