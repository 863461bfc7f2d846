package tui

import (
	"strings"
	"testing"

	"kafkatrial/tui/view"
)

// v puts the question first and goes on when it is answered. In a run that violates nothing it goes to where the run
// answers, and says that nothing is violated no earlier.
func TestViolationGoesOnAfterThePrediction(t *testing.T) {
	s := embedded(t, "kip-101-truncation", noColor, 80, 24).press("g", "v")
	v := s.m.top()
	if v.Lower != view.ShowAsk {
		t.Fatal("v does not ask first")
	}
	at := v.S.At()
	for range v.questions {
		if v.Lower == view.ShowAsk {
			s.press("1")
		}
	}
	if v.S.At() <= at || v.Trouble == "" {
		t.Errorf("after the answer v stays at %d, and tells %q", v.S.At(), v.Trouble)
	}

	s = embedded(t, "restarted-in-a-transaction", noColor, 80, 24).press("g")
	v = s.m.top()
	if len(v.S.Troubles()) > 0 || len(v.questions) == 0 {
		t.Fatal("expected a run that violates nothing and asks something")
	}
	last := 0
	for i := range v.questions {
		last = max(last, v.questions[i].Known)
	}
	for range 20 {
		s.press("v")
		if v.Lower == view.ShowAsk {
			s.press("1")
		}
		if strings.Contains(v.Message, "No claim is violated") {
			break
		}
	}
	if v.S.At() < last || !strings.Contains(v.Message, "No claim is violated") {
		t.Errorf("at moment %d v says %q; the run answers at %d", v.S.At(), v.Message, last)
	}
}

// Whatever is looked at while a question waits, the question is there again afterwards.
func TestAQuestionIsNotLost(t *testing.T) {
	for _, keys := range [][]string{{"w", "esc"}, {"w", "q"}, {"s", "s"}, {"s", "esc"}, {"w", "s", "esc"}, {"z"}, {"z", "z"}, {"?", "esc"}, {"C", "esc"}, {"t"}} {
		s := asked(t, 80, 24)
		at := s.at()
		s.press(keys...)
		if s.m.top().Lower != view.ShowAsk || s.at() != at {
			t.Errorf("after %v the question is gone:\n%s", keys, s.text())
			continue
		}
		if s.press("2"); s.m.top().answers[1] != "no" || s.m.top().Lower != view.ShowNow {
			t.Errorf("after %v the question takes no answer", keys)
		}
	}
	s := embedded(t, "read-process-write", noColor, 80, 24).press("g")
	for s.m.top().Lower != view.ShowAsk && !s.m.top().S.AtEnd() {
		s.press("right")
	}
	at := s.at()
	if s.press("x", "x"); s.m.top().Lower != view.ShowAsk {
		t.Errorf("after x the question is gone:\n%s", s.text())
	}
	if s.press("x", "right"); s.m.top().Lower != view.ShowAsk || s.at() != at || len(s.m.stack) != 1 {
		t.Errorf("a step forward on the screen of x passes the question over:\n%s", s.text())
	}
}
