package format

import (
	"fmt"
	"strings"
	"testing"
)

// model stands in for the model's own tables.
var model = Table{
	BrokerConfig:   {"min.insync.replicas", "replica.lag.time.max.ms", "unclean.leader.election.enable"},
	TopicConfig:    {"min.insync.replicas", "retention.ms", "unclean.leader.election.enable"},
	ProducerConfig: {"acks", "enable.idempotence", "linger.ms", "transactional.id"},
	ConsumerConfig: {"auto.offset.reset", "enable.auto.commit"},
	KafkaVersion:   {"0.10", "0.11", "2.8", "3.9", "4.0"},
	FeatureName:    {"kip-101", "eligible-leader-replicas"},
	MessageKind:    {"ProduceRequest", "ProduceResponse", "FetchRequest", "FetchResponse"},
	ErrorName:      {"NOT_ENOUGH_REPLICAS", "NOT_LEADER_FOR_PARTITION"},
}

// base is correct; each bad case changes one thing in it.
const base = `name: base
title: A base to break
kafka: "3.9"
cluster: {brokers: 2, metadata: zookeeper}
topics:
  orders: {replicas: [[1, 2]]}
producers:
  p: {config: {acks: all}}
consumers:
  c: {topics: [orders], group: g}
script:
  - send: {records: [m1, m2]}
  - wait: {acked: m1}
  - crash: 1
  - start: 1
claims: {at-most-once: holds, at-least-once: holds, exactly-once: holds}
`

func TestBaseIsGood(t *testing.T) {
	if _, problems := Load("base.yaml", []byte(base), model); problems != nil {
		t.Fatal(problems)
	}
}

// TestBadFiles shows the message for each kind of mistake. schema says that the JSON schema refuses the file too; a reference
// or a rule between two places is beyond a schema.
func TestBadFiles(t *testing.T) {
	const yes, no = true, false
	cases := []struct {
		name, old, new string
		schema         bool
		want           []string
	}{
		{"unknown key", "brokers: 2", "brokrs: 2", yes, []string{
			`f:4:11: unknown key "brokrs" in cluster; expected one of brokers, controllers, metadata, config, network; did you mean "brokers"?`}},
		{"unknown action", "crash: 1", "crsh: 1", yes, []string{
			`f:14:5: unknown key "crsh" in step 3; did you mean "crash"?`}},
		{"unknown condition", "acked: m1", "aked: m1", yes, []string{
			`f:13:12: unknown key "aked" in wait; did you mean "acked"?`}},
		{"no condition", "{acked: m1}", "{for: 1s}", yes, []string{
			`f:13:11: wait names no condition; expected one of acked, failed, processed, in-log, high-watermark, log-end, leader, isr, committed, assigned, held, quiet, append, fetch, truncate, elected, sent, delivered, timeout, error, reaches, probe`}},
		{"all mistakes at once", "cluster: {brokers: 2,", "seed: x\ncluster: {brokers: 20,", yes, []string{
			`f:4:7: seed is "x"; expected a whole number 0 to 2147483647`,
			`f:5:20: brokers is "20"; expected a whole number 1 to 9`}},
		{"duplicate key", "brokers: 2,", "brokers: 2, brokers: 3,", no, []string{
			`f:4:23: the key "brokers" stands twice in cluster; expected it once; the first is in line 4`}},
		{"duplicate name", "  p: {config: {acks: all}}", "  p: {config: {acks: all}}\n  p: {}", no, []string{
			`f:9:3: the name "p" stands twice in producers; expected it once; the first is in line 8`}},
		{"wrong type", "[[1, 2]]", "[1, 2]", yes, []string{
			`f:6:23: an entry of replicas is "1"; expected a list, as in replicas: [[1, 2]]`,
			`f:6:26: an entry of replicas is "2"; expected a list, as in replicas: [[1, 2]]`}},
		{"mapping for a word", "group: g", "group: {g: 1}", yes, []string{
			`f:10:32: group is a mapping; expected a name`}},
		{"empty value", "brokers: 2,", "brokers: ,", yes, []string{
			`f:4:11: brokers is empty; expected a whole number 1 to 9`}},
		{"missing key", "title: A base to break\n", "", yes, []string{
			`f:1:1: the scenario has no "title"; expected one sentence that says what happens`}},
		{"missing key of an action", "crash: 1", "clock: {node: 1}", yes, []string{
			`f:14:12: clock has no "by"; expected by how much: +5s, -2m`}},
		{"wrong word", "metadata: zookeeper", "metadata: zookeper", yes, []string{
			`f:4:33: metadata is "zookeper"; expected one of zookeeper, kraft; did you mean "zookeeper"?`}},
		{"no such broker", "crash: 1", "crash: 3", no, []string{`f:14:12: there is no broker b3; expected one of b1 to b2`}},
		{"no such replica", "[[1, 2]]", "[[1, 4]]", no, []string{`f:6:27: there is no broker b4; expected one of b1 to b2`}},
		{"replica twice", "[[1, 2]]", "[[1, b1]]", no, []string{
			`f:6:27: b1 stands twice in the replicas of one partition; expected every node once`}},
		{"no such node", "crash: 1", "crash: producer", no, []string{
			`f:14:12: there is no node "producer"; expected a node such as b1, k1, zk, a producer, a consumer, a database, controller, leader of orders-0`}},
		{"wrong kind of node", "crash: 1", "power-loss: p", no, []string{
			`f:14:17: p is a producer, which cannot stand here; expected a node such as b1, k1, a database, controller, leader of orders-0`}},
		{"no such topic", "topics: [orders]", "topics: [order]", no, []string{
			`f:10:16: there is no topic "order"; expected orders; did you mean "orders"?`}},
		{"no such partition", "crash: 1", "elect: {partition: orders-1}", no, []string{
			`f:14:24: there is no partition orders-1; expected partitions 0 to 0`}},
		{"no partition at all", "crash: 1", "elect: {partition: orders}", no, []string{
			`f:14:24: partition is "orders"; expected a topic and the number of a partition, as in orders-0`}},
		{"no such producer", "send: {", "send: {producer: q, ", no, []string{
			`f:12:22: there is no producer "q"; expected p`}},
		{"unreachable wait", "acked: m1", "acked: m3", no, []string{
			`f:13:19: no step sends a record "m3"; expected one of m1, m2; did you mean "m1"?`}},
		{"record twice", "[m1, m2]", "[m1, m1]", no, []string{
			`f:12:26: record m1 is sent a second time; expected another name, or again: true if the application sends it once more; the first is in line 12`}},
		{"record again, never before", "records: [m1, m2]", "records: [m1], again: true", no, []string{
			`f:12:22: record m1 is sent again, but no earlier step sends it; expected a record of an earlier step`}},
		{"unknown setting", "acks: all", "ack: all", no, []string{
			`f:8:16: "ack" is not a setting of a producer; expected a key that the model knows, spelt as Kafka spells it; did you mean "acks"?`}},
		{"unknown release", `kafka: "3.9"`, "kafka: 3.10", no, []string{`f:3:8: kafka is "3.10"; expected a release that the model knows; did you mean "0.10"?`}},
		{"no release", `kafka: "3.9"`, "kafka: latest", yes, []string{`f:3:8: kafka is "latest"; expected a release such as 0.10, 2.0 or 3.9`}},
		{"unknown feature", `kafka: "3.9"`, "kafka: 3.9\nfeatures: {kip-11: off}", no, []string{
			`f:4:12: a name in features is "kip-11"; expected a feature that the model knows; did you mean "kip-101"?`}},
		{"unknown message", "crash: 1", "hold: {kind: FetchRespons}", no, []string{
			`f:14:18: kind is "FetchRespons"; expected a kind of message that the model knows; did you mean "FetchResponse"?`}},
		{"unknown error code", "acked: m1", "error: {node: p, code: NOT_ENOUGH_REPLICA}", no, []string{
			`f:13:35: code is "NOT_ENOUGH_REPLICA"; expected an error code that the model knows; did you mean "NOT_ENOUGH_REPLICAS"?`}},
		{"unknown statement", "title: A", "statements: [5.6, 5.12]\ntitle: A", no, []string{
			`f:2:19: an entry of statements is "5.12"; expected the number of a statement, 1.1 to 15.2; did you mean "5.1"?`}},
		{"unknown claim", "{at-most-once: holds", "{at-most-onc: holds", yes, []string{
			`f:16:10: unknown claim "at-most-onc"; expected one of at-most-once, at-least-once, exactly-once, ordered, linearizable, atomic, no-aborted-read, monotonic-read, fenced, available, recent; did you mean "at-most-once"?`}},
		{"unknown verdict", "exactly-once: holds", "exactly-once: hold", yes, []string{
			`f:16:67: exactly-once is "hold"; expected one of holds, violated, undecided; did you mean "holds"?`}},
		{"contradicting verdicts", "exactly-once: holds", "exactly-once: violated", no, []string{
			`f:16:53: exactly-once is stated as violated at the level log, where at-most-once is holds and at-least-once is holds; expected holds, which follows from the other two`}},
		{"levels of a claim without levels", "exactly-once: holds", "fenced: {log: holds}", yes, []string{
			`f:16:61: fenced is a mapping; expected one of holds, violated, undecided`}},
		{"two actions", "- crash: 1", "- crash: 1\n    pause: 2", yes, []string{
			`f:15:5: a second action, pause, in one step; expected a step of its own for each action`}},
		{"no action", "- crash: 1", "- {}", no, []string{
			`f:14:5: the step does nothing; expected an action, or one of act, say, at, after, when`}},
		{"a number without a unit", "- crash: 1", "- after: 30\n    crash: 1", yes, []string{
			`f:14:12: after is "30"; expected a duration with a unit, such as 120ms, 30s, 2m or 7d`}},
		{"a duration without end", "- crash: 1", "- after: 366d\n    crash: 1", no, []string{`f:14:12: after is "366d"; expected at most 365d`}},
		{"a negative duration", "- crash: 1", "- after: -1s\n    crash: 1", no, []string{
			`f:14:12: after is "-1s"; expected a duration that is not negative`}},
		{"time goes back", "- crash: 1\n  - start: 1", "- at: 2s\n    crash: 1\n  - at: 1s\n    start: 1", no, []string{
			`f:16:9: at is 1s, before an earlier step's 2s; expected times that do not go back`}},
		{"at and after", "- crash: 1", "- {at: 1s, after: 1s, crash: 1}", no, []string{`f:14:5: the step has both at and after; expected one of them`}},
		{"a node crashed twice", "crash: 1", "crash: [1, 2, 1]", no, []string{`f:14:19: b1 stands twice in crash; expected every node once`}},
		{"a clock put forward twice", "crash: 1", "clock: {node: [p, p], by: 1s}", no, []string{`f:14:23: p stands twice in clock; expected every node once`}},
		{"a connection of a node to itself", "crash: 1", "disconnect: {between: [1, 1]}", no, []string{
			`f:14:31: b1 stands twice in disconnect; expected every node once`}},
		{"a cut between a node and itself", "crash: 1", "cut: {from: 1, to: 1}", no, []string{`f:14:24: cut is between b1 and itself; expected another node`}},
		{"a heal between a node and itself", "crash: 1", "heal: {from: 1, to: b1}", no, []string{`f:14:25: heal is between b1 and itself; expected another node`}},
		{"a node cut off twice", "crash: 1", "cut: {node: [1, 1]}", no, []string{`f:14:21: b1 stands twice in node; expected every node once`}},
		{"two forms of a cut", "crash: 1", "cut: {between: [1, 2], node: 1}", no, []string{`f:14:5: cut has between and node; expected one of them`}},
		{"half a cut", "crash: 1", "cut: {from: 1}", no, []string{`f:14:5: cut has only one of from and to; expected both of them`}},
		{"a cut of nothing", "crash: 1", "cut: {}", no, []string{
			`f:14:5: cut does not say which connections; expected one of between, from with to, node, groups`}},
		{"a heal of some", "crash: 1", "heal: some", yes, []string{`f:14:11: heal is "some"; expected the word all or a mapping`}},
		{"drops everything", "crash: 1", "drop: {count: 2}", no, []string{
			`f:14:5: drop does not say which messages; expected at least one of from, to, kind, record`}},
		{"a question about nothing", "crash: 1", "predict: {ask: What?, about: {in: log}}", no, []string{
			`f:14:34: about names 0 things; expected exactly one of record, copies, acked, order, leader, isr, high-watermark, log-end, claim`}},
		{"records and count", "records: [m1, m2]", "records: [m1], count: 3", no, []string{
			`f:12:5: send has both records and count; expected one of them`}},
		{"too many records", "records: [m1, m2]", "count: 10001", yes, []string{
			`f:12:19: count is "10001"; expected a whole number 1 to 10000`}},
		{"too many records together", "  - wait: {acked: m1}", "  - send: {count: 6000, prefix: a}\n  - send: {count: 6000, prefix: b}\n  - wait: {acked: m1}", no, []string{
			`f:14:5: the script sends more than 10000 records; expected at most 10000`}},
		{"more replicas than brokers", "replicas: [[1, 2]]", "replication-factor: 3", no, []string{
			`f:6:3: topic orders has replication-factor 3; expected at most the number of brokers, 2`}},
		{"no partitions", "replicas: [[1, 2]]", "replicas: []", no, []string{
			`f:6:3: topic orders has no partitions; expected the replicas of at least one partition, as in replicas: [[1, 2]]`}},
		{"replicas and factor", "replicas: [[1, 2]]", "replicas: [[1, 2]], replication-factor: 2", no, []string{
			`f:6:3: topic orders has both replicas and replication-factor; expected one of them`}},
		{"topics and partitions", "topics: [orders], group", "topics: [orders], partitions: [orders-0], group", no, []string{
			`f:10:3: consumer c has topics and partitions; expected one of them: topics to subscribe to, or partitions to take`}},
		{"reads nothing", "topics: [orders], group", "group", no, []string{
			`f:10:3: consumer c has neither topics nor partitions; expected one of them: topics to subscribe to, or partitions to take`}},
		{"unknown verb", "group: g", "loop: [poll, proces]", yes, []string{
			`f:10:38: an entry of loop is "proces"; expected one of poll, process, commit, insert, upsert, store-offsets, stage-offsets, prepare-database, commit-database, mark, begin, send, update, store-position, flush, send-offsets, commit-transaction; did you mean "process"?`}},
		{"a loop without poll", "group: g", "loop: [process, poll]", no, []string{
			`f:10:31: the loop does not begin with poll; expected a loop such as [poll, process, commit]`}},
		{"a verb that sends nothing", "group: g", "loop: [poll, process, send]", no, []string{
			`f:10:31: the loop holds send, and consumer c has no sends; expected what it sends, as in sends: {topic: out}`}},
		{"a loop of a comparison for one consumer", "claims: {at", "compare: [{loops: {c: [poll, send]}, claims: {fenced: holds}}]\nclaims: {at", no, []string{
			`f:16:11: the loop holds send, and consumer c has no sends; expected what it sends, as in sends: {topic: out}`}},
		{"a loop of a comparison for nobody", "claims: {at", "compare: [{loops: {d: [poll, process]}, claims: {fenced: holds}}]\nclaims: {at", no, []string{
			`f:16:20: there is no consumer "d"; expected c`}},
		{"update without a store", "group: g", "loop: [poll, update]", no, []string{
			`f:10:31: the loop holds update, and consumer c has no store; expected a topic to write to, as in store: counts`}},
		{"store-position without a source", "group: g", "store: orders, loop: [poll, store-position]", no, []string{
			`f:10:46: the loop holds store-position, and consumer c has no source; expected a source, as in source: {database: db, table: events}`}},
		{"update after send", "group: g", "store: orders, sends: orders, loop: [poll, send, update]", no, []string{
			`f:10:61: the loop sends before it updates; expected update before send, which sends the count`}},
		{"a changelog with too few partitions", "  orders: {replicas: [[1, 2]]}\nproducers:\n  p: {config: {acks: all}}\nconsumers:\n  c: {topics: [orders], group: g}",
			"  orders: {replicas: [[1, 2], [1, 2]]}\n  counts: {replicas: [[1, 2]]}\nproducers:\n  p: {config: {acks: all}}\nconsumers:\n  c: {topics: [orders], store: counts, loop: [poll, update]}", no, []string{
				`f:11:32: topic orders has 2 partitions, and the changelog counts has 1; expected as many: each task has its own`,
				`f:13:5: send has no "topic"; expected one of orders, counts`}},
		{"a source and a database of two names", "  c: {topics: [orders], group: g}", "  c: {source: {database: db, table: a}, database: {name: far, table: b}, loop: [poll, insert, mark]}\ndatabases: {db: {}, far: {}}", no, []string{
			`f:10:51: consumer c reads from database db and writes to database far; expected one database: an application has one session here`}},
		{"a changelog that is the output", "group: g", "store: orders, sends: orders, loop: [poll, update, send]", no, []string{
			`f:10:61: consumer c sends to its store orders; expected another topic for one of them: the records would have the same names`}},
		{"an outbox called like the topic of sends", "c: {topics: [orders], group: g}", "c: {topics: [orders], sends: orders, database: {name: db, outbox: orders}, loop: [poll, send, flush, insert, commit]}\ndatabases: {db: {}}", no, []string{
			`f:10:50: the outbox of consumer c has the name of topic orders, which it writes to; expected another name: the records would have the same names`}},
		{"an outbox called like the store", "c: {topics: [orders], group: g}", "c: {topics: [orders], store: orders, database: {name: db, outbox: orders}, loop: [poll, update, insert, commit]}\ndatabases: {db: {}}", no, []string{
			`f:10:50: the outbox of consumer c has the name of topic orders, which it writes to; expected another name: the records would have the same names`}},
		{"update outside of the transaction", "group: g", "store: orders, producer: {transactional.id: a}, loop: [poll, update, begin, commit-transaction]", no, []string{
			`f:10:79: the loop holds update outside of its transaction; expected it between begin and commit-transaction`}},
		{"update and store-position", "group: g", "store: orders, loop: [poll, update, store-position]", no, []string{
			`f:10:46: the loop holds update and store-position; expected update of an application that reads topics, or store-position of one that reads a source`}},
		{"a store with a name for transactions and none", "group: g", "store: orders, producer: {transactional.id: a}, loop: [poll, update, commit]", no, []string{
			`f:10:79: the producer of consumer c has a transactional.id, and the loop does not hold begin; expected begin and commit-transaction, or no transactional.id`}},
		{"flush without a producer", "group: g", "loop: [poll, process, flush]", no, []string{
			`f:10:31: the loop holds flush, and consumer c has no producer; expected a producer`}},
		{"one name for what two groups write", "c: {topics: [orders], group: g}", "c: {topics: [orders], group: g, producer: {}, sends: orders, loop: [poll, send, flush, commit]}\n  d: {topics: [orders], group: h, producer: {}, sends: orders, loop: [poll, send, flush, commit]}", no, []string{
			`f:11:3: consumers c and d are of two groups, and both would write m1.orders; expected one group, or two topics to write to`}},
		{"two places for one group", "c: {topics: [orders], group: g}", "c: {topics: [orders], group: g}\n  d: {topics: [orders], group: g, producer: {}, sends: orders, loop: [poll, send, flush, commit]}", no, []string{
			`f:11:3: consumer d writes to topic orders, and consumer c of the same group to nothing; expected the same places for all consumers of a group, or a group of its own`}},
		{"a transaction without an end", "group: g", "sends: orders, producer: {transactional.id: a}, loop: [poll, begin, send]", no, []string{
			`f:10:79: the loop does not hold begin and, after it, commit-transaction; expected both, or neither`}},
		{"a send outside of the transaction", "group: g", "sends: orders, producer: {transactional.id: a}, loop: [poll, send, begin, commit-transaction]", no, []string{
			`f:10:79: the loop sends outside of its transaction; expected send and send-offsets between begin and commit-transaction`}},
		{"a transaction without a name", "group: g", "sends: orders, loop: [poll, begin, send, commit-transaction]", no, []string{
			`f:10:46: the loop holds begin, and the producer of consumer c has no transactional.id; expected a producer with a transactional.id`}},
		{"a name without a transaction", "group: g", "sends: orders, producer: {transactional.id: a}, loop: [poll, send, commit]", no, []string{
			`f:10:79: the producer of consumer c has a transactional.id, and the loop does not hold begin; expected begin and commit-transaction, or no transactional.id, which in a comparison is transactional.id: "null"`}},
		{"a hand-off and a producer", "group: g", "sends: orders, hand-off: true", no, []string{
			`f:10:3: consumer c has a hand-off and a producer; expected one of them`}},
		{"a partition to write to", "group: g", "sends: {topic: orders, partition: 1}", no, []string{
			`f:10:32: there is no partition orders-1; expected partitions 0 to 0`}},
		{"a topic to write to", "group: g", "sends: order", no, []string{
			`f:10:32: there is no topic "order"; expected orders; did you mean "orders"?`}},
		{"a producer that a loop drives", "group: g}\nscript:", "sends: orders}\nscript:\n  - flush-producer: c", no, []string{
			`f:12:21: c is a consumer, and its loop makes the calls of its producer; expected p`}},
		{"a loop of a comparison that sends nothing", "claims: {at", "compare: [{loop: [poll, send], claims: {fenced: holds}}]\nclaims: {at", no, []string{
			`f:16:18: the loop holds send, and consumer c has no sends; expected what it sends, as in sends: {topic: out}`}},
		{"a client called like a broker", "  p: {config", "  b1: {config", no, []string{
			`f:8:3: a producer is named "b1", which means something else in a script; expected another name, such as p or c`}},
		{"a client called like another", "  c: {topics", "  p: {topics", no, []string{
			`f:10:3: a consumer is named p like another client; expected another name; the first is in line 8`}},
		{"controllers under KRaft", "metadata: zookeeper", "metadata: kraft, controllers: 2", no, []string{
			`f:4:10: cluster has 2 controllers with KRaft; expected 1: the quorum is one node here`}},
		{"nodes that a comparison lacks", "  - crash: 1\n  - start: 1\nclaims", "  - crash: [zk, k1, k2]\ncompare: [{metadata: kraft, claims: {fenced: holds}}]\nclaims", no, []string{
			`f:14:13: there is no zk under Kafka 3.9 with KRaft; expected a controller such as k1`,
			`f:14:21: there is no controller k2; expected one of k1 to k1`}},
		{"ZooKeeper under 4.0", `kafka: "3.9"`, `kafka: 4.0`, no, []string{
			`f:3:8: Kafka 4.0 has no ZooKeeper; expected a release before 4.0, or metadata: kraft`}},
		{"KRaft before its time", `kafka: "3.9"` + "\ncluster: {brokers: 2, metadata: zookeeper}", "kafka: 0.11\ncluster: {brokers: 2, metadata: kraft}", no, []string{
			`f:3:8: Kafka 0.11 has no KRaft; expected 2.8 or later, or metadata: zookeeper`}},
		{"a comparison with itself", "claims: {at", "compare: [{claims: {fenced: holds}}]\nclaims: {at", no, []string{
			`f:16:11: the comparison changes nothing; expected at least one of kafka, metadata, features, set, loop, loops, hand-off, on-error, on-abort, on-unknown, group-metadata, order-by, seed, in-some-runs, resume, fence`}},
		{"another outcome of nothing", "claims: {at", "compare: [{in-some-runs: {jitter: 2ms, seed: 7}, kafka: 2.8, claims: {at-least-once: holds}}]\nclaims: {at", no, []string{
			`f:16:26: no comparison makes the same changes without in-some-runs; expected one, which states what the run without late messages comes to`}},
		{"another outcome that is the same", "claims: {at", "compare: [{in-some-runs: {jitter: 2ms, seed: 7}, claims: {at-least-once: holds}}]\nclaims: {at", no, []string{
			`f:16:26: in-some-runs states no verdict that is another than in the run without late messages; expected one that is`}},
		{"another outcome of the same run", "claims: {at", "compare: [{in-some-runs: {jitter: 0, seed: 7}, seed: 8, claims: {at-least-once: violated}}]\nclaims: {at", no, []string{
			`f:16:26: in-some-runs has a jitter of 0, so no message is late; expected a jitter above 0`,
			`f:16:26: the comparison has both seed and in-some-runs; expected one of them; in-some-runs has a seed`,
			`f:16:26: no comparison makes the same changes without in-some-runs; expected one, which states what the run without late messages comes to`}},
		{"another outcome without a seed", "claims: {at", "compare: [{in-some-runs: {jitter: 2ms}, claims: {at-least-once: violated}}]\nclaims: {at", no, []string{
			`f:16:26: in-some-runs has no "seed"; expected the seed of the run`}},
		{"a setting of nothing", "claims: {at", "compare: [{set: {akcs: 1}, claims: {fenced: holds}}]\nclaims: {at", no, []string{
			`f:16:18: "akcs" is not a setting of a broker, topic, producer, consumer; expected a key that the model knows, spelt as Kafka spells it; did you mean "acks"?`}},
		{"settings of neither", "crash: 1", "alter-config: {config: {acks: 1}}", no, []string{
			`f:14:5: alter-config has neither topic nor broker; expected one of them`}},
		{"settings of one broker", "crash: 1", "alter-config: {broker: 1, config: {min.insync.replicas: 2}}", no, []string{
			`f:14:28: alter-config names single brokers; expected all, the default of the whole cluster`}},
		{"settings of a topic", "crash: 1", "alter-config: {topic: orders, config: {acks: 1}}", no, []string{
			`f:14:44: "acks" is not a setting of a topic; expected a key that the model knows, spelt as Kafka spells it`}},
		{"a topic that does not grow", "crash: 1", "add-partitions: {topic: orders, count: 2}\n  - add-partitions: {topic: orders, count: 2}", no, []string{
			`f:15:5: orders has 2 partitions already; expected a count of at least 3`}},
		{"a text with a colon", "title: A base", "title: A base: to", no, []string{
			`f:2:8: this is not YAML: mapping value is not allowed in this context; expected quotes around a text that holds ": ", and keys of one mapping in one column`}},
		{"a line without a key", "title: A base to break", "title: A base\nto break", no, []string{
			`f:3:1: this is not YAML: a line without a key stands among keys; expected key: value, or more indentation if the line continues the text above`}},
		{"a language", "title: A base to break", "title: {english: A base}", yes, []string{
			`f:2:9: unknown key "english" in title; expected a language such as en, zh or pt-BR, or quotes around a text that holds ": "`}},
		{"an anchor", "title: A base to break", "title: &t A base\nnotes: *t", no, []string{
			`f:2:8: anchors and aliases are not part of the scenario format; expected the value itself, written out`,
			`f:3:8: anchors and aliases are not part of the scenario format; expected the value itself, written out`}},
		{"a tag", "title: A", "title: !!str A", no, []string{`f:2:8: tags are not part of the scenario format; expected a plain value`}},
		{"a merge key", "  p: {config: {acks: all}}", "  p:\n    <<: {config: {}}", no, []string{
			`f:9:5: merge keys are not part of the scenario format; expected the keys themselves, written out`}},
		{"a second document", "title: A base to break", "title: A\n---\nname: b", no, []string{`f:3:1: a second YAML document begins here; expected one document per file`}},
		{"nesting", "title: A base to break", "title: " + strings.Repeat("[", 30) + strings.Repeat("]", 30), no, []string{
			`f:2:31: mappings and lists are nested too deeply; expected at most 24 levels`}},
		{"nesting without brackets", "title: A base to break", "title:\n  " + strings.Repeat("- ", 30) + "a", no, []string{
			`f:3:49: mappings and lists are nested too deeply; expected at most 24 levels`}},
		{"not UTF-8", "A base", "A b\xe4se", no, []string{`f:2:11: the file is not plain UTF-8 text here; expected UTF-8 without control characters`}},
		{"an escape that steers a terminal", "title: A base", `title: "A\e[2J base" #`, no, []string{
			`f:2:8: the escape for the control character U+001B is not part of the scenario format; expected a text without control characters but line end and tab`}},
		{"a control character of two bytes", "A base", "A b\u009base", no, []string{`f:2:11: the file is not plain UTF-8 text here; expected UTF-8 without control characters`}},
		{"a tab", "  orders:", "\torders:", no, []string{`f:6:1: this is not YAML: a tab stands where a line is indented; expected spaces`}},
	}
	schema := compiled(t)
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			if strings.Count(base, tc.old) == 0 {
				t.Fatalf("base does not hold %q", tc.old)
			}
			src := strings.Replace(base, tc.old, tc.new, 1)
			f, problems := Load("f", []byte(src), model)
			if f != nil {
				t.Error("a file came back in spite of the problems")
			}
			got := messages(problems)
			if want := strings.Join(tc.want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if tc.schema {
				if err := schema.Validate(instance(t, []byte(src))); err == nil {
					t.Error("the schema accepts the file")
				}
			}
		})
	}
}

func messages(problems []Problem) string {
	var lines []string
	for _, p := range problems {
		lines = append(lines, p.Error())
	}
	return strings.Join(lines, "\n")
}

func TestWholeFilesThatAreNoScenario(t *testing.T) {
	cases := []struct{ name, src, want string }{
		{"empty", "", "f:1:1: the file is empty; expected a mapping with the keys of a scenario"},
		{"only a comment", "# nothing\n", "f:1:1: the file is empty; expected a mapping with the keys of a scenario"},
		{"only dashes", "---\n", "f:1:1: the file is empty; expected a mapping with the keys of a scenario"},
		{"a list", "- a\n", "f:1:1: the file is a list; expected a mapping with the keys of a scenario"},
		{"a word", "hello\n", `f:1:1: the file is "hello"; expected a mapping with the keys of a scenario`},
		{"zeros", "\x00\x00", "f:1:1: the file is not plain UTF-8 text here; expected UTF-8 without control characters"},
		{"too large", strings.Repeat("#", MaxFileBytes+1), fmt.Sprintf("f:1:1: the file has %d bytes; expected at most %d", MaxFileBytes+1, MaxFileBytes)},
		{"too many tokens", strings.Repeat("a: 1\n", MaxTokens/3+1), fmt.Sprintf("f:20001:1: the file is too long; expected at most %d YAML tokens", MaxTokens)},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			if _, problems := Load("f", []byte(tc.src), nil); messages(problems) != tc.want {
				t.Errorf("got\n%s\nwant\n%s", messages(problems), tc.want)
			}
		})
	}
}

func TestScriptLength(t *testing.T) {
	src := strings.Replace(base, "  - start: 1\n", strings.Repeat("  - flush: 1\n", MaxSteps), 1)
	_, problems := Load("f", []byte(src), nil)
	if want := "f:12:3: script has 1003 entries; expected 1 to 1000"; !strings.HasPrefix(messages(problems), want) {
		t.Errorf("got\n%s\nwant\n%s", messages(problems), want)
	}
}

// TestProblemsAreBounded: a file with a mistake in every line must not drown the reader.
func TestProblemsAreBounded(t *testing.T) {
	_, problems := Load("f", []byte(base+strings.Repeat("x: 1\n", 500)), nil)
	if len(problems) != MaxProblems+1 {
		t.Errorf("%d problems, want %d and what says how many more", len(problems), MaxProblems)
	}
	if got, want := problems[MaxProblems].Error(), "f:117:1: and 400 more problems from here on"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	_, problems = Load("f", []byte(base+strings.Repeat("x: 1\n", MaxProblems+1)), nil)
	if got := messages(problems); !strings.HasSuffix(got, "f:117:1: and 1 more problem here") {
		t.Error(got)
	}
	_, problems = Load("f", []byte(base+strings.Repeat("x: 1\n", MaxProblems)), nil)
	if len(problems) != MaxProblems {
		t.Errorf("%d problems, want %d", len(problems), MaxProblems)
	}
}

// TestSecondControllerInComparison: a script that works on k2 has no meaning for a comparison that has no k2.
func TestSecondControllerInComparison(t *testing.T) {
	src := strings.Replace(base, "metadata: zookeeper", "metadata: zookeeper, controllers: 2", 1)
	src = strings.Replace(src, "crash: 1", "pause: k2", 1) + "compare: [{metadata: kraft, claims: {fenced: holds}}]\n"
	_, problems := Load("f", []byte(src), model)
	want := "f:14:12: there is no k2 under Kafka 3.9 with KRaft, whose quorum is one node here; expected k1"
	if got := messages(problems); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
