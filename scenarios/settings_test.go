package scenarios

import (
	"strings"
	"testing"

	"kafkatrial/scenarios/format"
)

// Settings that Kafka refuses together are told where the file sets the first of them, else where its section is.
func TestSettingsRefusedTogetherHaveALine(t *testing.T) {
	for _, c := range []struct{ producer, topic, set, want string }{
		{"p: {config: {linger.ms: 5, enable.idempotence: true, acks: 1}}", "orders: {}", "", "x.yaml:7:56: acks must be all with an idempotent producer"},
		{"p: {config: {enable.idempotence: true}}", "orders: {}", "acks", "x.yaml:7:3: acks must be all with an idempotent producer"},
		{"p: {}", "orders: {config: {min.compaction.lag.ms: 9000, max.compaction.lag.ms: 8000}}", "", "x.yaml:5:21: "},
	} {
		src := "name: x\ntitle: Two settings\nkafka: 3.9\ntopics:\n  " + c.topic + "\nproducers:\n  " + c.producer + "\nscript:\n  - send: {records: [m1]}\n"
		f, problems := format.Load("x.yaml", []byte(src), Vocabulary)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		var o Options
		if c.set != "" {
			o.Set = []Setting{{Key: c.set, Value: "1"}}
		}
		_, err := New(f, o)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.producer, err, c.want)
		}
	}
}
