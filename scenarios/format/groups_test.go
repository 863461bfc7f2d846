package format

import (
	"strings"
	"testing"
)

// Who is in a group, and who has what in it, must make sense before anything runs.
func TestRebalanceAndSendOffsets(t *testing.T) {
	file := strings.Replace(base, "  c: {topics: [orders], group: g}\n",
		"  c: {topics: [orders], group: g}\n  d: {topics: [orders], group: g}\n  e: {topics: [orders]}\n  f: {partitions: [orders-0], group: g}\n", 1)
	for _, tc := range []struct{ step, want string }{
		{"rebalance: {group: g, assign: {c: [orders-0], d: []}}", ""},
		{"rebalance: {group: g, assign: {}}", ""},
		{"rebalance: {group: h, assign: {}}", `f:17:24: there is no group "h"; expected one of g, e`},
		{"rebalance: {group: g, assign: {x: []}}", `f:17:36: there is no consumer "x"; expected one of c, d, e, f`},
		{"rebalance: {group: g, assign: {e: []}}", "f:17:36: e is a consumer of group e; expected a consumer of group g"},
		{"rebalance: {group: g, assign: {f: []}}", "f:17:36: f takes its partitions without a subscription; expected a consumer with topics"},
		{"rebalance: {group: g, assign: {c: orders-0, d: orders-0}}", "f:17:52: orders-0 is given to c and to d; expected every partition with one member"},
		{"rebalance: {group: g, assign: {c: [other-0]}}", "f:17:40: c does not subscribe to other; expected a partition of a topic that it subscribes to"},
		{"send-offsets: {producer: p, partition: orders-0, offset: 1, consumer: c}", ""},
		{"send-offsets: {producer: p, partition: orders-0, offset: 1}", `f:17:5: send-offsets has no "group"; expected the name of a group, or a consumer`},
		{"send-offsets: {producer: p, partition: orders-0, offset: 1, group: g, group-metadata: true}", "f:17:5: send-offsets has group-metadata but no consumer; expected the consumer whose groupMetadata it is"},
		{"send-offsets: {producer: p, partition: orders-0, offset: 1, group: g, consumer: e}", "f:17:72: e is a consumer of group e; expected e"},
	} {
		_, problems := Load("f", []byte(strings.Replace(file, "- crash: 1", "- "+tc.step, 1)), nil)
		var first string
		if len(problems) > 0 {
			first = problems[0].Error()
		}
		if first != tc.want {
			t.Errorf("%s\n got %s\nwant %s", tc.step, first, tc.want)
		}
	}
}
