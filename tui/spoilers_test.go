package tui

import (
	"strings"
	"testing"

	"kafkatrial/tui/view"
)

// While a prediction waits nothing tells of later steps: v goes to the question, and no sentence speaks in the light of
// the whole run.
func TestNothingIsToldBeforeAPrediction(t *testing.T) {
	for _, name := range []string{"kip-101-truncation", "retry-duplicates", "late-commit-ends-the-next-transaction", "zombie-leader"} {
		s := embedded(t, name, noColor, 80, 24)
		v := s.m.top()
		q := v.waiting()
		if q == nil || len(v.S.Troubles()) == 0 {
			t.Fatalf("%s asks nothing, or violates nothing", name)
		}
		for _, where := range v.S.Troubles() {
			if where.Step > v.S.Moment(q.Asked).Steps {
				continue
			}
			v.goTo(v.S.OfStep(where.Step))
			if v.Trouble != "" && strings.Contains(v.Trouble, where.Sentence) {
				t.Errorf("%s: step %d tells: %s", name, where.Step, v.Trouble)
			}
		}
		s.press("g", "v")
		if v.Lower != view.ShowAsk || v.S.At() > q.Asked {
			t.Errorf("%s: v leads to step %d, the question is asked at %d", name, s.at(), v.S.Moment(q.Asked).Steps)
		}
		if s.press("v"); v.S.At() > q.Asked {
			t.Errorf("%s: v again leads past the question", name)
		}

		// Answered, all is told.
		for v.waiting() != nil {
			v.question(v.waiting())
			s.press("1")
		}
		s.press("g", "v")
		if v.Trouble == "" || v.Trouble != "by the end, "+string(v.S.Troubles()[0].Claim)+" is violated: "+v.S.Troubles()[0].Sentence {
			t.Errorf("%s: after the answer v tells %q", name, v.Trouble)
		}
	}
}

// Whoever has seen the end, or asks for no predictions, is told everything.
func TestTheEndMayBeToldOnceItWasSeen(t *testing.T) {
	for _, keys := range [][]string{{"G", "g"}, {"p", "g"}} {
		s := stepping(t, "lost", noColor, 80, 24).press(keys...)
		if !s.m.top().told() {
			t.Errorf("after %v something is held back", keys)
		}
		if s.press("v"); s.m.top().Trouble == "" {
			t.Errorf("after %v v tells nothing", keys)
		}
	}
	if stepping(t, "lost", noColor, 80, 24).m.top().told() {
		t.Error("at the beginning everything is told")
	}
}

// What is known by a step is told at that step, also while a prediction waits.
func TestWhatIsKnownSoFarIsTold(t *testing.T) {
	s := embedded(t, "late-commit-ends-the-next-transaction", noColor, 80, 24)
	for _, x := range s.m.top().S.TroublesSoFar() {
		for _, words := range []string{"at the end", "never"} {
			if strings.Contains(x.Sentence, words) {
				t.Errorf("step %d tells of the end: %s", x.Step, x.Sentence)
			}
		}
	}
	s = embedded(t, "process-then-commit", noColor, 80, 24)
	far := s.m.top().S.TroublesSoFar()
	if len(far) == 0 {
		t.Fatal("a record is processed twice, and no step says so")
	}
	s.m.top().goTo(s.m.top().S.OfStep(far[0].Step))
	if !strings.Contains(s.m.top().Trouble, far[0].Sentence) || strings.Contains(far[0].Sentence, string(far[0].Claim)) {
		t.Errorf("at step %d the screen tells %q, known is %q", far[0].Step, s.m.top().Trouble, far[0].Sentence)
	}
}

// The list of scenarios gives no verdict away until it is asked for.
func TestTheListKeepsVerdictsBack(t *testing.T) {
	s := picking(t, noColor, 80, 24)
	if strings.Contains(s.text(), "violated") || strings.Contains(s.text(), "holds") {
		t.Errorf("the list tells verdicts:\n%s", s.text())
	}
	if s.press("v"); !strings.Contains(s.text(), "violated") {
		t.Error("v does not show them")
	}
	if s.press("v"); strings.Contains(s.text(), "violated") {
		t.Error("v again does not hide them")
	}
}
