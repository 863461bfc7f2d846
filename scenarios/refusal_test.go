package scenarios

import (
	"strings"
	"testing"

	"kafkatrial/scenarios/format"
)

// TestWhatKafkaRefusesIsAnOutcome: it is held against who is stated to refuse. What the model alone refuses is no outcome, and
// what starts differs from what is stated.
func TestWhatKafkaRefusesIsAnOutcome(t *testing.T) {
	for _, c := range []struct{ producer, refused, says, differs, err string }{
		{"enable.idempotence: true, acks: 1", "p", "p refuses to start: acks must be all with an idempotent producer, not 1", "", ""},
		{"enable.idempotence: true, acks: 1", "c", "p refuses to start: acks must be all", "c is stated to refuse to start; p does", ""},
		{"enable.idempotence: true, acks: 1, partitioner.class: RoundRobinPartitioner", "p", "", "", "partitioner.class=RoundRobinPartitioner would have no effect"},
		{"linger.ms: 5", "p", "", "p is stated to refuse to start; it starts", ""},
	} {
		src := "name: x\ntitle: Settings\nkafka: 3.9\ntopics: {orders: {}}\nproducers: {p: {config: {" + c.producer + "}}}\nconsumers: {c: {topics: [orders]}}\nscript:\n  - send: {records: [m1]}\nrefused: " + c.refused + "\n"
		f, problems := format.Load("x.yaml", []byte(src), Vocabulary)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		r, err := New(f, Options{})
		refusal, differs := RefusedAs(f.Refused, err)
		switch {
		case c.err != "":
			if refusal != nil || err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, refused %v", c.producer, err, refusal)
			}
		case c.says == "":
			if err != nil {
				t.Fatal(err)
			}
			r.Finish()
			if res := r.Result(); strings.Join(res.Differs, "") != c.differs || res.AsStated() {
				t.Errorf("%s: %v", c.producer, res.Differs)
			}
		case refusal == nil || !strings.HasPrefix(refusal.Sentence(), c.says) || strings.Join(differs, "") != c.differs:
			t.Errorf("%s: %v, %v", c.producer, refusal, differs)
		}
	}
}

// TestRefusedStandsForVerdicts: beside them, or in the place of nothing, it is refused.
func TestRefusedStandsForVerdicts(t *testing.T) {
	head := "name: x\ntitle: Settings\nkafka: 3.9\ntopics: {orders: {}}\nproducers: {p: {}}\nscript:\n  - send: {records: [m1]}\n"
	for src, want := range map[string]string{
		"refused: p\nclaims: {at-least-once: holds}\n":                                       "the file has refused beside claims or compare",
		"compare:\n  - set: {acks: 1}\n":                                                     "the comparison has neither claims nor refused",
		"compare:\n  - set: {acks: 1}\n    refused: p\n    claims: {at-least-once: holds}\n": "the comparison has both claims and refused",
		"refused: orderz\n": `did you mean "orders"?`,
		"compare:\n  - set: {acks: 1}\n    refused: {by: p, setting: acks}\n": `unknown key "setting"`,
	} {
		_, problems := format.Load("x.yaml", []byte(head+src), Vocabulary)
		if len(problems) == 0 || !strings.Contains(Problems(problems).Error(), want) {
			t.Errorf("%s: %v", src, problems)
		}
	}
}

// A release that is asked for on the command line is held against who keeps the metadata, as one in the file is.
func TestAnotherReleaseNeedsTheKeeperOfTheFile(t *testing.T) {
	for keeper, c := range map[string]struct{ kafka, want string }{
		"kraft":     {"0.10", "Kafka 0.10 has no KRaft; expected 2.8 or later, or metadata: zookeeper"},
		"zookeeper": {"4.0", "Kafka 4.0 has no ZooKeeper; expected a release before 4.0, or metadata: kraft"},
	} {
		f, problems := format.Load("f.yaml", []byte("name: f\ntitle: F\nkafka: \"3.5\"\ncluster: {brokers: 1, metadata: "+keeper+
			"}\ntopics: {orders: {}}\nproducers: {p: {}}\nscript:\n  - send: {records: [m1]}\n"), Vocabulary)
		if f == nil {
			t.Fatal(Problems(problems))
		}
		if _, err := New(f, Options{Kafka: c.kafka}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", keeper, err, c.want)
		}
	}
}
