package story

import (
	"slices"
	"strings"
	"testing"

	"kafkatrial/checker"
	"kafkatrial/model/event"
	"kafkatrial/scenarios"
	"kafkatrial/sim"
)

// What nothing led to is the start of a process, an act of the script or of an operator, a fault, or a clock that went by
// itself: nothing else, in no step of any scenario.
func TestEveryStepHasACause(t *testing.T) {
	for _, name := range scenarios.Names() {
		r := open(t, name, scenarios.Options{})
		r.Finish()
		for _, s := range []*Story{New(r, Options{}), New(r, Options{Internal: true})} {
			steps := r.World.Trace().Steps
			for _, v := range r.Report().Verdicts { // and w at the step that proves a violation goes further back
				for _, step := range v.Evidence.Steps {
					if step > len(steps) { // judged at rest
						continue
					}
					if k := steps[step-1].Kind; v.Ruling == checker.Violated && k == sim.StepDeliver && len(s.Why(step-1)) == 1 {
						t.Errorf("%s: nothing led to step %d, which proves that %s is violated: %s", name, step, v.Claim, s.Sentence(step-1))
					}
				}
			}
			for i := range s.Entries() {
				if s.Entries()[i].Kind != Event || len(s.Why(i)) > 1 {
					continue
				}
				switch steps[i].Kind {
				case sim.StepStart, sim.StepScript, sim.StepFault:
				case sim.StepTimer:
					if kinds := followData(r.World.Trace().EventsOf(i)); len(kinds) > 0 {
						t.Errorf("%s: nothing led to step %d (%s), which follows from data", name, i+1, s.Sentence(i))
					}
				default:
					t.Errorf("%s: nothing led to step %d: %s", name, i+1, s.Sentence(i))
				}
			}
		}
	}
}

// followData gives those of the events that no clock alone can bring about.
func followData(events []sim.Recorded) (found []string) {
	for _, f := range events {
		switch f.Event.(type) {
		case *event.Processed, *event.Polled, *event.CommitSent, *event.LeaderElected, *event.PartitionOffline, *event.BatchAcked, *event.RecordsBatched,
			*event.BatchRetried, *event.BatchFailed, *event.HighWatermark, *event.Truncated, *event.BrokerFenced, *event.BrokerGone, *event.RowInserted:
			found = append(found, event.KindOf(f.Event).ID)
		}
	}
	return found
}

// Why is the record lost that three brokers had confirmed? The chain names the crash, the election and the truncation; and why is
// a record processed twice? It names the first copy's way, from send() on.
func TestCausesFollowData(t *testing.T) {
	for _, c := range []struct {
		scenario, step string
		because        []string
	}{
		{"kip-101-truncation", "follows b2 in epoch 1; truncates its log to 1", []string{"b1 crashes", "zk ends the session of b1", "k1 elects b2 leader"}},
		{"kip-101-truncation", "processes m1", []string{"p calls send(m1)", "p sends m1 to b1", "b2 copies m1", "b3 copies m1", "HW 0 → 1", "c gets m1 from poll()"}},
		{"retry-duplicates", "processes m1", []string{"p sends m1 to b1", "c gets m1"}},
	} {
		r := open(t, c.scenario, scenarios.Options{})
		r.Finish()
		s := New(r, Options{})
		i := slices.IndexFunc(s.Entries(), func(e Entry) bool { return strings.Contains(strings.Join(e.What, "; "), c.step) })
		if i < 0 {
			t.Fatalf("%s: no step %q", c.scenario, c.step)
		}
		var chain []string
		for _, x := range s.Why(i) {
			chain = append(chain, x.Text)
		}
		at := 0
		for _, want := range c.because {
			k := slices.IndexFunc(chain[at:], func(text string) bool { return strings.Contains(text, want) })
			if k < 0 {
				t.Errorf("%s: %q is no cause of %q, or stands too late in\n%s", c.scenario, want, c.step, strings.Join(chain, "\n"))
				break
			}
			at += k
		}
	}
}
