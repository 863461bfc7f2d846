package scenarios

import (
	"testing"

	"kafkatrial/checker"
	"kafkatrial/scenarios/format"
)

// TestARunIsNotAtRestBeforeTheHighWatermarkHasComeUp: a leader that has just returned knows only what its
// checkpoint says. Its follower has everything and asks again a second later; a run that ends before would take
// an acknowledged record for lost.
func TestARunIsNotAtRestBeforeTheHighWatermarkHasComeUp(t *testing.T) {
	f, problems := format.Load("returns.yaml", []byte(`name: returns
title: A leader dies after an acknowledgement, and nobody else can be elected
kafka: "1.1"
cluster: {brokers: 2}
topics: {orders: {replicas: [[1, 2]]}}
producers: {p: {config: {acks: all}}}
script:
  - send: {records: [m1]}
  - when: {in-log: {broker: 2, record: m1}}
    pause: k1
  - when: {acked: m1}
    crash: 1
  - after: 20s
claims: {at-least-once: {log: holds}}
`), Vocabulary)
	if f == nil {
		t.Fatal(problems)
	}
	r, err := New(f, Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.Finish()
	if v, _ := r.Report().Find(checker.AtLeastOnce, checker.AtLog); v.Ruling != checker.Holds {
		t.Errorf("%s: %s", v.Ruling, v.Evidence.Sentence)
	}
}

// TestARunThatGoesOnForEverIsUndecided: it must end, and say why, whether its script waits or it comes to no rest.
func TestARunThatGoesOnForEverIsUndecided(t *testing.T) {
	defer func(n int) { maxSteps = n }(maxSteps)
	maxSteps = 1000
	for _, rest := range []string{
		"script: [{after: 365d}]\n",
		"producers: {p: {config: {delivery.timeout.ms: 2000000000}}}\nscript:\n  - send: {records: [m1]}\n  - crash: 1\nend: {restart: none, within: 365d}\n",
	} {
		f, problems := format.Load("waits.yaml", []byte("name: waits\ntitle: Nothing happens for a year\nkafka: '2.8'\n"+
			"cluster: {brokers: 1}\ntopics: {orders: {}}\nclaims: {at-least-once: holds}\n"+rest), Vocabulary)
		if f == nil {
			t.Fatal(problems)
		}
		r, err := New(f, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r.Finish()
		if want := "the run has taken 1000 steps, and no run may take more"; r.Result().Undecided != want || r.World.Steps() > 1001 {
			t.Errorf("%d steps: %q, want %q", r.World.Steps(), r.Result().Undecided, want)
		}
	}
}
