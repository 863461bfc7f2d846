package story

import (
	"strings"
	"testing"

	"kafkatrial/scenarios"
)

// Two runs are said to part at a step that says something about their difference: not at a fault of the script, which is
// the same in both, nor at the end of the run where only the other one goes on.
func TestRunsPartAtAStepOfWeight(t *testing.T) {
	for _, c := range []struct {
		scenario, label, words string
	}{
		{"new-leader-knows-the-producer", "with enable.idempotence=false", "takes m1 for the batch that it has"},
		{"kip-101-truncation", "under Kafka 0.11.0.3", "truncates its log to 1"},
		{"hanging-transaction", "under Kafka 3.6.2", "appends m1 at offset 1"},
		{"last-replica-standing", "under Kafka 2.8.2", "notices that the log was truncated"},
		{"fire-and-forget", "under Kafka 3.9.2", "sends m1"},
	} {
		r := open(t, c.scenario, scenarios.Options{})
		r.Finish()
		s := New(r, Options{})
		all, err := s.Compare(nil)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, x := range all {
			if x.Label != c.label {
				continue
			}
			found = true
			if x.PartsAt == 0 || !strings.Contains(s.Sentence(x.PartsAt-1), c.words) {
				t.Errorf("%s %s: parts at step %d, want where it says %q", c.scenario, c.label, x.PartsAt, c.words)
			}
		}
		if !found {
			t.Errorf("%s has no comparison %q", c.scenario, c.label)
		}
	}
}

func TestSettingsAreWhatTheFileSets(t *testing.T) {
	for name, want := range map[string]string{
		"hanging-transaction": "1 broker; p: acks=all, transactional.id=shop, delivery.timeout.ms=30000, request.timeout.ms=30000, linger.ms=0; q: acks=all; " +
			"c: auto.offset.reset=earliest, enable.auto.commit=false, isolation.level=read_committed",
		"zombie-producer-is-fenced": "1 broker; p1, p2: acks=all, transactional.id=shop; c: auto.offset.reset=earliest, enable.auto.commit=false, isolation.level=read_committed",
	} {
		r := open(t, name, scenarios.Options{})
		if got := Settings(r.File); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, want)
		}
	}
	r := open(t, "hanging-transaction", scenarios.Options{Set: []scenarios.Setting{{Key: "request.timeout.ms", Value: "20000"}}})
	if got := Settings(r.File); !strings.Contains(got, "request.timeout.ms=20000") || strings.Contains(got, "request.timeout.ms=30000") {
		t.Errorf("with another setting: %s", got)
	}
}
