package scenarios

import (
	"strings"
	"testing"

	"kafkatrial/scenarios/format"
)

// TestAStepThatTimesOutSaysWhatItWaitedFor: with the whole condition, as the file has it, and with the time as the file spells it.
func TestAStepThatTimesOutSaysWhatItWaitedFor(t *testing.T) {
	for step, want := range map[string]string{
		"wait: {reaches: {consumer: c, verb: process}, for: 50ms}": "step 1 (line 9) timed out after 50ms waiting for reaches: {consumer: c, verb: process}",
		"when: {append: {broker: 1, record: m1}}\n    say: Now.":   "step 1 (line 9) timed out after 10m waiting for append: {broker: b1, record: m1}",
		"wait: {acked: m1, processed: {record: m1, consumer: c}}":  "step 1 (line 9) timed out after 10m waiting for acked: m1 and processed: {record: m1, consumer: c}",
	} {
		f, problems := format.Load("f.yaml", []byte(`name: f
title: Nothing is sent
kafka: "3.9"
cluster: {brokers: 1}
topics: {orders: {}}
producers: {p: {}}
consumers: {c: {topics: [orders]}}
script:
  - `+step+`
  - send: {records: [m1]}
`), Vocabulary)
		if f == nil {
			t.Fatal(Problems(problems))
		}
		r, err := New(f, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r.Finish()
		if got := r.Stopped(); !strings.HasPrefix(got, want) {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
