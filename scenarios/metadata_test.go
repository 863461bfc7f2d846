package scenarios

import (
	"strings"
	"testing"

	"kafkatrial/model/protocol"
	"kafkatrial/scenarios/format"
)

// A topic grows and its settings change, whoever keeps the metadata.
func TestMetadataCommands(t *testing.T) {
	for _, kafka := range []string{"0.9", "2.8", "3.9"} {
		steps := "- add-partitions: {topic: orders, count: 2}\n  - wait: {leader: {partition: orders-1, is: 2}, for: 1m}\n" +
			"  - alter-config: {topic: orders, config: {min.insync.replicas: 2}}\n  - crash: 2\n  - wait: {isr: {partition: orders-0, is: [1]}}\n" +
			"  - send: {partition: 0, records: [m2]}\n  - wait: {failed: m2, for: 1m}\n"
		src := strings.Replace(strings.Replace(small, "STEPS", "  "+steps, 1), `"3.9"`, `"`+kafka+`"`, 1)
		src = strings.Replace(src, "p: {}", "p: {config: {acks: all, retries: 0}}", 1)
		if kafka == "3.9" {
			src = strings.Replace(src, "retries: 0", "retries: 0, enable.idempotence: false", 1)
		}
		f, problems := format.Load("small.yaml", []byte(src), Vocabulary)
		if len(problems) > 0 {
			t.Fatal(Problems(problems))
		}
		r, err := New(f, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r.Finish()
		if r.Stopped() != "" {
			t.Errorf("%s: %s", kafka, r.Stopped())
		}
		if s, _ := r.Cluster.State(protocol.TopicPartition{Topic: "orders", Partition: 1}); len(s.Replicas) != 2 {
			t.Errorf("%s: orders-1 has replicas %v", kafka, s.Replicas)
		}
	}
}
