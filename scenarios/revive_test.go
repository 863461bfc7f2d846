package scenarios

import (
	"testing"

	"kafkatrial/checker"
	"kafkatrial/scenarios/format"
)

// An application that throws after everything was mended, for what had happened before, is started again:
// what it has not processed is not lost for that.
func TestApplicationsThatDieWhileTheRunComesToRestAreStartedAgain(t *testing.T) {
	f, problems := format.Load("x.yaml", []byte(`name: x
title: A commit whose answer is held back outlives the script
kafka: "2.8"
cluster: {brokers: 1}
topics: {orders: {}}
producers: {p: {}}
consumers: {c: {topics: [orders], config: {auto.offset.reset: earliest}}}
script:
  - hold: {to: c, kind: OffsetCommitResponse}
  - send: {records: [m1]}
  - when: {sent: {from: c, kind: OffsetCommit}}
    pause: c
  - send: {records: [m2]}
  - after: 10m
    say: The consumer has slept through every time-out.
claims: {at-least-once: holds, exactly-once: holds, at-most-once: holds}
`), Vocabulary)
	if f == nil {
		t.Fatal(problems)
	}
	r, err := New(f, Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.Finish()
	if rested, moving := r.Rested(); !rested {
		t.Fatalf("the run did not come to rest: %v", moving)
	}
	if v, _ := r.Report().Overall(checker.AtLeastOnce); v != checker.Holds {
		t.Errorf("at-least-once %s; the application was left dead:\n%s", v, r.Report().Table())
	}
}
