package format

import "testing"

// What an application writes must not come back to it: the run would never end.
func TestCircles(t *testing.T) {
	const head = "name: f\ntitle: F\nkafka: '3.9'\ncluster: {brokers: 1}\ntopics: {in: {partitions: 2}, out: {partitions: 2}}\n" +
		"producers: {p: {}}\ndatabases: {db: {}, far: {}}\nconsumers:\n"
	const loop, end = "loop: [poll, send, flush, commit]}", "\nscript:\n  - send: {topic: in, records: [m1]}\n"
	never := func(at, who, way string) string {
		return "f:" + at + ": what consumer " + who + " writes comes back to it by way of " + way +
			", and never ends; expected a place to write to that does not lead back to what it reads"
	}
	for _, tc := range []struct{ name, consumers, want string }{
		{"to itself", "  a: {topics: [in], sends: in, " + loop, never("9:28", "a", "topic in")},
		{"a changelog that is read", "  a: {topics: [in], store: in, loop: [poll, update, commit]}", never("9:28", "a", "topic in")},
		{"in a circle", "  x: {topics: [in]}\n  a: {topics: [in], sends: out, " + loop + "\n  b: {topics: [out], sends: in, " + loop, never("10:28", "a", "topic out, topic in")},
		{"into a circle of others", "  x: {partitions: [in-1], sends: {topic: out, partition: 0}, " + loop + "\n  b: {partitions: [out-0], sends: {topic: out, partition: 0}, " + loop,
			never("10:35", "b", "topic out")},
		{"a table", "  a: {source: {database: db, table: t}, database: {name: db, table: t}, loop: [poll, insert, mark]}", never("9:51", "a", "table t of db")},
		{"an outbox", "  a: {topics: [in], database: {name: db, table: t, outbox: o}, loop: [poll, insert, commit]}\n  b: {source: {database: db, table: o}, sends: in, loop: [poll, send, flush, mark]}",
			never("9:31", "a", "table o of db, topic in")},
		{"a chain", "  a: {topics: [in], sends: out, " + loop + "\n  b: {topics: [out], database: {name: db, table: in, outbox: out}, loop: [poll, insert, commit]}", ""},
		{"another partition", "  a: {partitions: [in-0], sends: {topic: in, partition: 1}, " + loop, ""},
		{"a table of the same name in another database", "  a: {source: {database: db, table: t}, sends: out, loop: [poll, send, flush, mark]}\n  b: {topics: [out], database: {name: far, table: t}, loop: [poll, insert, commit]}", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, problems := Load("f", []byte(head+tc.consumers+end), nil)
			if got := messages(problems); got != tc.want {
				t.Errorf("got\n%s\nwant\n%s", got, tc.want)
			}
		})
	}
}
