package format

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func load(t *testing.T, src string) *File {
	t.Helper()
	f, problems := Load("f.yaml", []byte(src), model)
	if f == nil {
		t.Fatalf("problems:\n%s", messages(problems))
	}
	return f
}

// changed loads base with one thing replaced.
func changed(t *testing.T, old, new string) *File {
	t.Helper()
	if !strings.Contains(base, old) {
		t.Fatalf("base does not hold %q", old)
	}
	return load(t, strings.Replace(base, old, new, 1))
}

// TestDefaultsAreExplicit: whoever runs a file finds no gaps in it.
func TestDefaultsAreExplicit(t *testing.T) {
	f := load(t, `name: small
title: Small
kafka: 0.10
topics: {orders: {partitions: 4}}
producers: {p: }
consumers: {c: {topics: orders}}
script: [{send: {records: m1}}, {wait: {acked: m1}}]
claims: {at-least-once: holds}
`)
	var replicas []string
	for _, r := range f.Topics[0].Replicas {
		replicas = append(replicas, fmt.Sprint(r))
	}
	send := f.Script[0].Do.(*Send)
	got := []string{
		line(f.Seed, f.Kafka, f.Cluster.Brokers, f.Cluster.Controllers, f.Cluster.MetadataIn(f.Kafka), f.Cluster.Network.Latency.Duration),
		line(f.Topics[0].ReplicationFactor, strings.Join(replicas, " ")),
		line(f.Producers[0].OnError, f.Producers[0].Started),
		line(f.Consumers[0].Group, f.Consumers[0].Loop, f.Consumers[0].HandOff, f.Consumers[0].Takes.Duration, f.Consumers[0].Started),
		line(send.Producer, send.Topic, send.Records[0].Name, f.Script[1].Do.(*Wait).For.Duration, f.Script[1].Number),
		line(f.End.Heal, f.End.Restart.All, f.End.Within.Duration),
		line(f.Claims[0].Stated[0].Level, f.Claims[0].Stated[1].Level, len(f.Claims[0].Stated)),
	}
	want := []string{
		"1 0.10 3 1 zookeeper 1ms",
		"3 [b1 b2 b3] [b2 b3 b1] [b3 b1 b2] [b1 b2 b3]",
		"drop true",
		"c poll, process, commit false 0s true",
		"p orders m1 10m0s 2",
		"true true 10m0s",
		"log app 2",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestReleaseStaysAsWritten: the YAML number 0.10 is not Kafka 0.1.
func TestReleaseStaysAsWritten(t *testing.T) {
	for _, written := range []string{`0.10`, `"0.10"`, `'0.10'`} {
		f := changed(t, `"3.9"`, written)
		if f.Kafka.Text != "0.10" || f.Kafka.AtLeast("0.11") || !f.Kafka.AtLeast("0.9.1") {
			t.Errorf("%s became %q", written, f.Kafka)
		}
	}
}

func TestNodesAreOneThingHoweverWritten(t *testing.T) {
	for _, written := range []string{`1`, `"1"`, `b1`, `[b1]`, `{node: 1}`, `{node: [1]}`} {
		nodes := changed(t, "crash: 1", "crash: "+written).Script[2].Do.(*Crash).Nodes
		if len(nodes) != 1 || nodes[0].Kind != Broker || nodes[0].ID != 1 || nodes[0].Name != "b1" {
			t.Errorf("%s became %v", written, nodes)
		}
	}
	nodes := changed(t, "crash: 1", "crash: [zk, p, c, controller, leader of orders-0, coordinator of g]").Script[2].Do.(*Crash).Nodes
	var kinds []NodeKind
	for _, n := range nodes {
		kinds = append(kinds, n.Kind)
	}
	if want := []NodeKind{ZooKeeperNode, ProducerNode, ConsumerNode, ActiveController, LeaderOf, CoordinatorOf}; !slices.Equal(kinds, want) {
		t.Errorf("kinds %v, want %v", kinds, want)
	}
}

func TestPositions(t *testing.T) {
	f := load(t, base)
	wait := f.Script[1].Do.(*Wait)
	got := line(f.Position(), f.Name.Pos, f.Consumers[0].Position(), f.Script[1].Position(), wait.Position(), wait.Predicates[0].Position(),
		wait.Predicates[0].(*Acked).Records[0].Pos, f.Claims[2].Position())
	want := "f.yaml:1:1 f.yaml:1:7 f.yaml:10:3 f.yaml:13:5 f.yaml:13:5 f.yaml:13:12 f.yaml:13:19 f.yaml:16:53"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestRecords(t *testing.T) {
	f := changed(t, "records: [m1, m2]", `key: k, records: [m1, {name: m2, key: 7, value: null, timestamp: -30d}], every: 10ms`)
	send := f.Script[0].Do.(*Send)
	second := send.Records[1]
	if send.Records[0].Key.Text != "k" || second.Key.Text != "7" || !second.Value.Null || second.Timestamp.Duration != -30*24*time.Hour {
		t.Errorf("records %+v", send.Records)
	}
	if send.Every.Duration != 10*time.Millisecond {
		t.Errorf("every %v", send.Every)
	}
	made := changed(t, "  - wait: {acked: m1}", "  - send: {count: 3, prefix: x}\n  - wait: {acked: [m1, x3]}").Script[1].Do.(*Send)
	if got := line(made.Records[0].Name, made.Records[2].Name, len(made.Records)); got != "x1 x3 3" {
		t.Errorf("made-up records: %s", got)
	}
}

func TestWith(t *testing.T) {
	f := load(t, base+`features: {kip-101: off}
compare:
  - {kafka: "2.8", features: {kip-101: on, eligible-leader-replicas: off}, set: {acks: 1, min.insync.replicas: 2}, claims: {fenced: holds}}
  - {loop: [poll, commit, process], hand-off: true, on-error: resend, order-by: key, seed: 0, title: Other, claims: {fenced: undecided}}
  - {loop: [poll, commit], loops: {c: [poll, process]}, claims: {fenced: holds}}
`)
	first, second := f.With(f.Compare[0]), f.With(f.Compare[1])
	acks, _ := first.Producers[0].Config.Get("acks")
	minTopic, _ := first.Topics[0].Config.Get("min.insync.replicas")
	minBroker, _ := first.Cluster.Config.Get("min.insync.replicas")
	got := line(first.Kafka, acks, minTopic, minBroker, first.Features[0].On, len(first.Features), first.OrderBy, first.Seed, first.Title.In("en"))
	if want := "2.8 1 2 2 true 2 partition 1 A base to break"; got != want {
		t.Errorf("first: got %s, want %s", got, want)
	}
	got = line(second.Kafka, second.Consumers[0].Loop, second.Consumers[0].HandOff, second.Producers[0].OnError, second.OrderBy, second.Seed, second.Title.In("en"), second.Claims[0].Stated[0].Verdict)
	if want := "3.9 poll, commit, process true resend key 0 Other undecided"; got != want {
		t.Errorf("second: got %s, want %s", got, want)
	}
	if third := f.With(f.Compare[2]); third.Consumers[0].Loop.String() != "poll, process" {
		t.Errorf("third: the loop is %v", third.Consumers[0].Loop)
	}
	acks, _ = f.Producers[0].Config.Get("acks")
	if _, found := f.Cluster.Config.Get("min.insync.replicas"); found || acks != "all" || bool(f.Features[0].On) || f.Consumers[0].HandOff {
		t.Error("the file itself has changed")
	}
}

func TestTextIn(t *testing.T) {
	f := changed(t, "title: A base to break", "title: {zh: 中文, en: English}\nnotes: One")
	for _, tc := range []struct{ lang, title, notes string }{
		{"zh", "中文", "One"}, {"zh-CN", "中文", "One"}, {"en", "English", "One"}, {"fr", "English", "One"}, {"", "English", "One"},
	} {
		if f.Title.In(tc.lang) != tc.title || f.Notes.In(tc.lang) != tc.notes {
			t.Errorf("%q: %s, %s", tc.lang, f.Title.In(tc.lang), f.Notes.In(tc.lang))
		}
	}
	if (Text{}).In("en") != "" {
		t.Error("a text that is not there says something")
	}
}

func TestDurations(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"120ms": 120 * time.Millisecond, "30s": 30 * time.Second, "1.5s": 1500 * time.Millisecond, "2m30s": 150 * time.Second,
		"+5s": 5 * time.Second, "-1h": -time.Hour, "7d": 168 * time.Hour, "0": 0, "10us": 10 * time.Microsecond, "365d": MaxDuration,
	} {
		if got, err := parseDuration(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "5", "s", "5 s", "5x", "1.s", ".5s", "--5s", "366d", "999999999999999d", "365d1ms", "1e3s", "5s5"} {
		if got, err := parseDuration(text); err == nil {
			t.Errorf("%q gives %v", text, got)
		}
	}
}

func TestExcerpt(t *testing.T) {
	src := []byte("name: x\r\nbrokrs: 2\r\n")
	got := Problem{File: "f", Line: 2, Col: 1, Msg: "unknown key", Nearest: "brokers"}.Excerpt(src)
	want := "f:2:1: unknown key; did you mean \"brokers\"?\n   2 | brokrs: 2\n     | ^\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	long := Problem{File: "f", Line: 1, Col: 301, Msg: "x"}.Excerpt([]byte(strings.Repeat("a", 300) + "b" + strings.Repeat("a", 300)))
	lines := strings.Split(long, "\n")
	if len(lines[1]) > 110 || lines[1][strings.Index(lines[2], "^")] != 'b' {
		t.Errorf("the caret of a long line:\n%s", long)
	}
	wide := Problem{File: "f", Line: 1, Col: 5, Msg: "x"}.Excerpt([]byte("第四条 x"))
	if want := "f:1:5: x\n   1 | 第四条 x\n     |        ^\n"; wide != want {
		t.Errorf("the caret behind wide characters:\n%s--- want\n%s", wide, want)
	}
}

func TestNearest(t *testing.T) {
	known := []string{"min.insync.replicas", "acks", "linger.ms", "commit", "commit-transaction", "commit-database"}
	for word, want := range map[string]string{
		"min.insync.replica": "min.insync.replicas", "ACKS": "acks", "akcs": "acks", "lingerms": "linger.ms", "x": "", "something": "", "ack": "acks",
		"commit-db": "commit-database", "commit-tx": "commit", "commit-tn": "commit-transaction", "comit": "commit", "-": "",
	} {
		if got := Nearest(word, known); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}

func TestStatements(t *testing.T) {
	if ids := Statements(); len(ids) != 88 || SubjectOf("5.6") != "replication" || SubjectOf("15.2") != "transactions-in-use" || SubjectOf("15.3") != "" {
		t.Errorf("%d statements", len(ids))
	}
}

type strict struct{ Table }

func (strict) CheckValue(section Section, key, value string) string {
	if section == ProducerConfig && key == "acks" && value != "all" {
		return "all"
	}
	return ""
}

func TestValuesAreJudgedByTheModel(t *testing.T) {
	_, problems := Load("f", []byte(strings.Replace(base, "acks: all", "acks: al", 1)), strict{model})
	if got, want := messages(problems), `f:8:22: acks is "al"; expected all`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestLint(t *testing.T) {
	quiet := "statements: [1.1]\nsource: x\nexplain: y\n"
	good := strings.Replace(strings.Replace(base, "name: base\n", "name: f\n"+quiet, 1), "group: g}", "group: g, config: {auto.offset.reset: earliest}}", 1)
	if advice := Lint(load(t, good), true); advice != nil {
		t.Errorf("advice on a good file:\n%s", messages(advice))
	}
	for _, tc := range []struct{ name, old, new, want string }{
		{"names differ", "name: f", "name: g", `f.yaml:1:7: advice: the file is called f and the scenario g; expected the same name for both`},
		{"no explanation", "explain: y\n", "", `f.yaml:1:1: advice: a scenario of the library has explain (a paragraph that says why the verdict is so)`},
		{"no source", "source: x\n", "", `f.yaml:1:1: advice: a scenario of the library has source (a KIP, a ticket or a report)`},
		{"no statement", "statements: [1.1]\n", "", `f.yaml:1:1: advice: a scenario of the library has statements or misconceptions`},
		{"one level", "at-least-once: holds", "at-least-once: {log: holds}", `f.yaml:1:1: advice: claims says nothing of at-least-once at the application; expected a verdict`},
		{"idle producer", "p: {config: {acks: all}}", "q: {config: {acks: all}}\n  p: {config: {acks: all}}", `f.yaml:11:3: advice: producer q sends nothing; expected a send step, or no such producer`},
		{"idle topic", "  c: {", "  d: {topics: [kept], config: {auto.offset.reset: latest}}\n  c: {", `f.yaml:9:3: advice: nothing is sent to topic kept; expected a send step, or no such topic`},
		{"topics of an application", "group: g,", "group: g, sends: out, store: kept, loop: [poll, update, send],", ""},
		{"transaction without positions", "group: g,", "group: g, producer: {transactional.id: a}, sends: out, loop: [poll, begin, send, commit-transaction],",
			`f.yaml:14:3: advice: the transactions of consumer c do not hold its positions, so that what is committed can be done again; expected send-offsets before commit-transaction`},
		{"positions in it", "group: g,", "group: g, producer: {transactional.id: a}, sends: out, loop: [poll, begin, send, send-offsets, commit-transaction],", ""},
		{"no reset", "config: {auto.offset.reset: earliest}", "takes: 1s",
			`f.yaml:13:3: advice: consumer c does not set auto.offset.reset: by default it begins at the end of a partition of which it has no position, and misses what is there; expected auto.offset.reset: earliest, or latest in so many words`},
		{"stored and not resumed", "group: g,", "group: g, database: db, loop: [poll, insert, store-offsets, commit-database],",
			`f.yaml:14:3: advice: consumer c stores its positions in the database, and does not begin there; expected resume: database`},
		{"stored and resumed", "group: g,", "group: g, database: db, loop: [poll, insert, store-offsets, commit-database], resume: database,", ""},
		{"a verb that is not in the loop", "start: 1", "wait: {reaches: {consumer: c, verb: insert}}",
			`f.yaml:18:12: advice: the loop of consumer c does not hold insert, and never reaches it; expected one of poll, process, commit`},
		{"a verb of the loop", "start: 1", "wait: {reaches: {consumer: c, verb: process}}", ""},
		{"start of what runs", "start: 1", "start: 2", `f.yaml:18:12: advice: start b2, which is not down; expected a step before it that makes it so`},
		{"resume of what runs", "start: 1", "resume: 2", `f.yaml:18:13: advice: resume b2, which is not paused; expected a step before it that makes it so`},
		{"start after an exception", "start: 1", "throw: c\n  - start: c", ""},
		{"heal of nothing", "start: 1", "heal: all", `f.yaml:18:5: advice: heal, but nothing is cut; expected a cut step before it`},
		{"release of nothing", "start: 1", "release: all", `f.yaml:18:5: advice: release, but nothing is held; expected a hold step before it`},
		{"question too late", "start: 1", "predict: {ask: What?, about: {acked: m1, at: now}}", `f.yaml:18:5: advice: predict about now is the last step; expected a question about the end, or steps that follow`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			src := strings.Replace(good, tc.old, tc.new, 1)
			src = strings.Replace(src, "send: {records", "send: {producer: p, records", 1)
			if strings.Contains(src, "kept") {
				src = strings.Replace(src, "topics:\n", "topics:\n  kept: {replicas: [[1, 2]]}\n", 1)
			}
			if strings.Contains(src, "database: db") {
				src = strings.Replace(src, "consumers:\n", "databases: {db: {}}\nconsumers:\n", 1)
			}
			if strings.Contains(src, "sends: out") {
				src = strings.Replace(src, "topics:\n", "topics:\n  out: {replicas: [[1, 2]]}\n", 1)
			}
			src = strings.ReplaceAll(src, "records: [m1, m2]", "topic: orders, records: [m1, m2]")
			if got := messages(Lint(load(t, src), true)); got != tc.want {
				t.Errorf("got\n%s\nwant\n%s", got, tc.want)
			}
		})
	}
}

// TestLintLeavesTheHouseRulesToTheLibrary: somebody's own file is told what is wrong with it, and need not explain itself.
func TestLintLeavesTheHouseRulesToTheLibrary(t *testing.T) {
	bare := strings.Replace(base, "group: g}", "group: g, config: {auto.offset.reset: earliest}}", 1)
	bare = strings.Replace(bare, "name: base\n", "name: f\n", 1)
	bare = bare[:strings.Index(bare, "claims:")] + "claims: {at-least-once: {log: holds}}\n"
	const want = "f.yaml:1:1: advice: claims says nothing of at-most-once, at-least-once at the application, exactly-once; expected a verdict"
	if got := messages(Lint(load(t, bare), false)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := messages(Lint(load(t, bare[:strings.Index(bare, "claims:")]), false)); got != "" {
		t.Errorf("a file without claims:\n%s", got)
	}
}

// TestLevelsOfAClaim: one word stands for both levels of a flow claim, and for the sum of any other.
func TestLevelsOfAClaim(t *testing.T) {
	const as = "claims: {at-least-once: holds, available: violated, monotonic-read: {app: violated, log: holds}}"
	claims := load(t, base[:strings.Index(base, "claims:")]+as+"\n").Claims
	var got []string
	for _, c := range claims {
		for _, s := range c.Stated {
			got = append(got, line(c.Name, s.Level, s.Verdict))
		}
	}
	want := []string{"at-least-once log holds", "at-least-once app holds", "available  violated", "monotonic-read log holds", "monotonic-read app violated"}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestEveryActionAndFactCanBeWritten writes each of them once, so that no row of the tables is there without being read.
func TestEveryActionAndFactCanBeWritten(t *testing.T) {
	doing := map[string]string{
		"send": "{records: [x]}", "flush-producer": "p", "close-producer": "{producer: p}", "init-transactions": "p", "begin-transaction": "p",
		"commit-transaction": "p", "abort-transaction": "p", "send-offsets": "{producer: p, group: g, partition: orders-0, offset: 1}", "wait": "{acked: m1}",
		"predict": "{ask: What?, about: {order: [m1, m2], in: app}}", "crash": "1", "power-loss": "{node: [1, 2], keeps: 3}", "lose-disk": "1",
		"pause": "c", "resume": "c", "restart": "p", "start": "1", "shutdown": "c", "cut": "{from: 1, to: [2, p]}", "heal": "{groups: [[1, p], [2, c]]}",
		"disconnect": "{between: [p, 1]}", "hold": "{from: 1, to: 2, kind: FetchResponse, record: m1}", "release": "{from: 1, count: 1}",
		"drop": "{kind: ProduceResponse, count: all}", "duplicate": "{record: m1}", "delay": "{to: 1, by: 5s}", "elect": "{partition: orders-0, type: unclean}",
		"alter-config":   "{broker: all, config: {min.insync.replicas: 2}}",
		"add-partitions": "{topic: orders, count: 3}", "throw": "c", "insert-rows": "{database: db, table: t, rows: [r1]}", "rebalance": "{group: g, assign: {c: [orders-0]}}", "seek": "{consumer: c, partition: orders-0, offset: 0}", "delete-records": "{partition: orders-0, before: 1}", "flush": "leader of orders-0", "clock": "{node: p, by: -5s}",
	}
	conditions := map[string]string{
		"acked": "[m1, m2]", "failed": "{record: m1, error: NOT_ENOUGH_REPLICAS}", "processed": "{record: m1, consumer: c, times: 2}", "in-log": "{broker: 2, record: m1}",
		"high-watermark": "{partition: orders-0, broker: 2, at-least: 1}", "log-end": "{partition: orders-0, at-least: 1}", "leader": "{partition: orders-0, is: none}",
		"isr": "{partition: orders-0, is: [1]}", "committed": "{group: g, partition: __consumer_offsets-49, at-least: 1}", "assigned": "{consumer: c, partition: []}",
		"held": "{from: 1, count: 2}", "quiet": "true", "append": "{broker: 2, record: m1}", "fetch": "{by: 2, partition: orders-0, offset: 1}",
		"truncate": "{broker: 2, to: 0}", "elected": "2", "sent": "{from: p}", "delivered": "{to: p, kind: ProduceResponse}", "timeout": "p",
		"error": "{node: p, code: NOT_ENOUGH_REPLICAS}", "reaches": "{consumer: c, verb: process}", "probe": "isr shrank",
	}
	schema := compiled(t)
	try := func(key, step string) *File {
		src := strings.Replace(base, "- crash: 1", "- "+step, 1)
		src = strings.Replace(src, "producers:", "databases: {db: {}}\nproducers:", 1)
		if err := schema.Validate(instance(t, []byte(src))); err != nil {
			t.Errorf("%s: the schema says %v", key, err)
		}
		return load(t, src)
	}
	for _, row := range actions {
		f := try(row.key, row.key+": "+doing[row.key])
		if got := ActionName(f.Script[2].Do); got != row.key {
			t.Errorf("%s is read as %s", row.key, got)
		}
	}
	for _, row := range predicates {
		f := try(row.key, "when: {"+row.key+": "+conditions[row.key]+"}")
		predicate := f.Script[2].When.Predicates[0]
		if got := FactName(predicate); got != row.key || IsEvent(predicate) != strings.HasPrefix(row.doc, "Event: ") {
			t.Errorf("%s is read as %s, event %v", row.key, got, IsEvent(predicate))
		}
	}
}

// line puts values into one line, with one space between any two.
func line(values ...any) string { return strings.TrimSuffix(fmt.Sprintln(values...), "\n") }
