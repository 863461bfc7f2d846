package checker

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

func TestLiveLineOfKIP101(t *testing.T) {
	h := kip101()
	live := NewLive(&h)
	const waiting = "at-least-once: at risk m1 m2 (acknowledged, not yet processed)"
	want := map[int]string{
		1:  "at-least-once: holds so far",
		8:  "at-least-once: holds so far",
		9:  waiting,
		10: waiting,
		11: "at-least-once: at risk m1 m2 (acknowledged, on b1 only)",
		23: "at-least-once: at risk m1 m2 (acknowledged, on b1 only)",
		24: "at-least-once: at risk m1 m2 (acknowledged, in no log)",
	}
	for _, step := range []int{1, 8, 9, 10, 11, 23, 24, 10, 24, 1} { // also backwards
		s := live.At(step)
		if got := s[1].String(); got != want[step] {
			t.Errorf("step %d: %q, expected %q", step, got, want[step])
		}
		if got := s[0].String(); got != "at-most-once: holds so far" {
			t.Errorf("step %d: %q", step, got)
		}
		if s[2].State != s[1].State {
			t.Errorf("step %d: exactly-once is %q, at-least-once %q", step, s[2].State, s[1].State)
		}
		if fresh := SoFar(h, step); !reflect.DeepEqual(s, fresh) {
			t.Errorf("step %d: following gives %v, beginning anew %v", step, s, fresh)
		}
	}
}

func TestLiveLineOfDoubles(t *testing.T) {
	h := smooth()
	h.Appends = append(h.Appends, written(1, "m1", 2, 10))
	h.Effects = append(h.Effects, effect("m1", 2, 25))
	for step, want := range map[int]string{
		9:  "at-most-once: holds so far",
		10: "at-most-once: at risk m1 (in the log twice)",
		25: "at-most-once: violated m1 (processed twice, in steps 21 and 25)",
	} {
		if got := SoFar(h, step)[0].String(); got != want {
			t.Errorf("step %d: %q, expected %q", step, got, want)
		}
	}
	if got := SoFar(h, 22)[1].String(); got != "at-least-once: holds so far" {
		t.Errorf("everything processed: %q", got)
	}
}

// An application that writes may have processed a record: what it lacks is its result. Of several applications the one that
// lacks the record is named, so that no pane says "processed m1" beside "not yet processed".
func TestSoFarSaysWhatIsMissing(t *testing.T) {
	owed := func(apps ...Application) *History {
		h := &History{Applications: apps}
		h.Submissions = []Submission{{Record: "m1", TP: TopicPartition{Topic: "in"}, SendStep: 1, Outcome: Outcome{Kind: Acked, Step: 2}}}
		return h
	}
	for _, c := range []struct {
		apps []Application
		want string
	}{
		{[]Application{{Name: "c", Topics: []string{"in"}}}, "not yet processed"},
		{[]Application{{Name: "app", Topics: []string{"in"}, Writes: true}}, "its result not yet committed"},
		{[]Application{{Name: "app", Topics: []string{"in"}, Writes: true, Sinks: []string{"out", "orders"}}}, "its result not yet committed in out"},
		{[]Application{{Name: "c1", Topics: []string{"in"}}, {Name: "c2", Topics: []string{"in"}}}, "not yet processed by c1"},
	} {
		if got, want := SoFar(*owed(c.apps...), 10)[1].String(), "at-least-once: at risk m1 (acknowledged, "+c.want+")"; got != want {
			t.Errorf("%+v: %q, want %q", c.apps, got, want)
		}
	}
}

// After the last step the live line says what the judge does, of every kind of history, cut off or not.
func TestLiveLineEndsWithTheVerdict(t *testing.T) {
	agrees := func(t *testing.T, name string, h History) {
		live, report := NewLive(&h), Judge(h, Options{})
		was := map[Claim]State{}
		for step := 0; step <= h.End; step++ {
			for _, s := range live.At(step) {
				if was[s.Claim] == ViolatedSoFar && s.State != ViolatedSoFar {
					t.Errorf("%s: %s was violated before step %d and is now %q", name, s.Claim, step, s.State)
				}
				was[s.Claim] = s.State
			}
		}
		for c, state := range was {
			sum, judged := report.Overall(c)
			if (state == ViolatedSoFar) != (sum == Violated) || judged && sum == Holds && state != HoldsSoFar {
				t.Errorf("%s: %s is %q after the last step, and %s at the end", name, c, state, sum)
			}
		}
	}
	for _, trial := range trials {
		agrees(t, trial.name, trial.h)
		agrees(t, trial.name+", cut off", edit(trial.h, func(h *History) { h.Quiescence = Quiescence{} }))
	}
	rapid.Check(t, func(rt *rapid.T) {
		h := drawDeliveries(rt)
		h.Quiescence.Reached = rapid.Bool().Draw(rt, "rests")
		agrees(t, "drawn", h)
	})
}

// What was processed though it failed for certain is a warning: it may be sent again, and is then no stranger.
func TestLiveLineWarnsOfWhatFailed(t *testing.T) {
	h := smooth()
	h.Submissions[0].Outcome = Outcome{Kind: FailedForCertain, Offset: -1, Step: 3}
	if s := SoFar(h, 23)[0]; s.State != AtRisk || s.Why != "processed, though it failed for certain" {
		t.Errorf("%v", s)
	}
	h.Submissions = append(h.Submissions, sub("m1", 24, 5, 25).again("2"))
	if s := SoFar(h, 24)[0]; s.State != HoldsSoFar {
		t.Errorf("sent again: %v", s)
	}
}
