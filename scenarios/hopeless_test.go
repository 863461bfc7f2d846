package scenarios

import (
	"strings"
	"testing"

	"kafkatrial/model/event"
	"kafkatrial/scenarios/format"
	"kafkatrial/sim"
)

const waiting = `name: f
title: Waits
kafka: "3.9"
cluster: {brokers: 2}
topics: {orders: {}}
producers: {p: {config: {max.request.size: 100}}, idle: {started: false}}
consumers: {c: {topics: [orders], config: {auto.offset.reset: earliest, enable.auto.commit: false}}}
script:
STEPS
`

func waits(t *testing.T, steps string) *Run {
	t.Helper()
	f, problems := format.Load("f.yaml", []byte(strings.Replace(waiting, "STEPS", steps, 1)), Vocabulary)
	if len(problems) > 0 {
		t.Fatal(Problems(problems))
	}
	r, err := New(f, Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.Finish()
	return r
}

// TestAWaitForWhatCanNotComeEndsAtOnce: and says why.
func TestAWaitForWhatCanNotComeEndsAtOnce(t *testing.T) {
	send := "  - send: {producer: p, records: [m1]}\n"
	large := "  - send: {producer: p, records: [{name: m1, value: " + strings.Repeat("x", 90) + "}]}\n"
	for steps, want := range map[string]string{
		large + "  - wait: {acked: m1}": "step 2 (line 10) can not get past its wait for acked: m1: m1 has failed for good, with MESSAGE_TOO_LARGE",
		"  - crash: 2\n  - wait: {log-end: {partition: orders-0, broker: 2, at-least: 5}}": "step 2 (line 10) can not get past its wait for log-end: {partition: orders-0, broker: b2, at-least: 5}: b2 is down, and nothing starts it",
		"  - crash: c\n" + send + "  - wait: {processed: {record: m1, consumer: c}}":       "step 3 (line 11) can not get past its wait for processed: {record: m1, consumer: c}: c is down, and nothing starts it",
		"  - cut: {node: p}\n" + send + "  - crash: p\n  - wait: {acked: m1}":              "step 4 (line 12) can not get past its wait for acked: m1: m1 is not acknowledged, and p is down, and nothing starts it",
		"  - wait: {sent: {from: idle}}\n" + send:                                          "step 1 (line 9) can not get past its wait for sent: {from: idle}: idle is down, and nothing starts it",
		"  - crash: 2\n  - when: {append: {broker: 2, record: m1}}\n    say: Now\n" + send: "step 2 (line 10) can not get past its wait for append: {broker: b2, record: m1}: b2 is down, and nothing starts it",
	} {
		r := waits(t, steps)
		if got := r.Stopped(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if now := r.World.Now(); now > 30*sim.Second {
			t.Errorf("%s: the run goes on to %v", want, now)
		}
	}
}

// TestAWaitThatMayFailLetsTheScriptGoOn: and the run is judged.
func TestAWaitThatMayFailLetsTheScriptGoOn(t *testing.T) {
	for _, wait := range []string{"acked: m1", "processed: {record: m1, consumer: c}, for: 50ms"} {
		r := waits(t, "  - crash: c\n  - send: {producer: p, records: [{name: m1, value: "+strings.Repeat("x", 90)+"}]}\n  - wait: {"+wait+", may-fail: true}\n  - start: c\n  - send: {producer: p, records: [m2]}")
		res := r.Result()
		if res.Undecided != "" || res.Report.Verdicts == nil {
			t.Errorf("%s: %s", wait, res.Undecided)
		}
		if v, _ := res.Report.Find("available", "log"); v.Ruling != "violated" {
			t.Errorf("%s: %v", wait, v)
		}
		if got := r.director.ledger.processed["m2"]; len(got) != 1 {
			t.Errorf("%s: m2 is processed %d times", wait, len(got))
		}
	}
}

// TestExceptionsCountOverEveryRestart: what the application stumbles over, it stumbles over so often, whichever way it is started
// anew.
func TestExceptionsCountOverEveryRestart(t *testing.T) {
	for name, c := range map[string]struct{ consumer, steps string }{
		"by itself":     {"restart-after: 1s, ", "  - after: 20s"},
		"by the script": {"", "  - after: 2s\n  - start: c\n  - after: 20s"},
		"at the end":    {"", "  - after: 2s"},
		"after a crash": {"restart-after: 5s, ", "  - after: 2s\n  - crash: c\n  - start: c\n  - after: 20s"},
	} {
		src := strings.Replace(waiting, "consumers: {c: {", "consumers: {c: {fails: {m1: 1}, "+c.consumer, 1)
		f, problems := format.Load("f.yaml", []byte(strings.Replace(src, "STEPS", "  - send: {producer: p, records: [m1]}\n"+c.steps, 1)), Vocabulary)
		if len(problems) > 0 {
			t.Fatal(Problems(problems))
		}
		r, err := New(f, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r.Finish()
		failed := 0
		for _, f := range r.World.Trace().Events {
			if _, threw := f.Event.(*event.ProcessFailed); threw {
				failed++
			}
		}
		if processed := len(r.director.ledger.processed["m1"]); failed != 1 || processed != 1 {
			t.Errorf("%s: %d exceptions, processed %d times", name, failed, processed)
		}
	}
}
