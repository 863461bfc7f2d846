package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"kafkatrial/tui/view"
)

func bindings(m *model) []key.Binding {
	var all []key.Binding
	for _, g := range m.c.Keys.Groups() {
		all = append(all, g.Keys...)
	}
	return all
}

func TestNoKeyMeansTwoThings(t *testing.T) {
	seen := map[string]string{}
	for _, b := range bindings(newModel(noColor)) {
		for _, k := range b.Keys() {
			if other, ok := seen[k]; ok {
				t.Errorf("%q means %q and %q", k, other, b.Help().Desc)
			}
			seen[k] = b.Help().Desc
		}
	}
	for key, use := range map[string]string{"c": "choose", "F": "fork", "-": "branch before", "B": "branches", "S": "save"} {
		if !strings.Contains(seen[key], use) {
			t.Errorf("%q means %q, want something about %q", key, seen[key], use)
		}
	}
}

func TestHelpNamesEveryKey(t *testing.T) {
	s := stepping(t, "lost", noColor, 200, 80).press("?")
	for _, b := range bindings(s.m) {
		if !strings.Contains(s.text(), b.Help().Desc) {
			t.Errorf("the help does not say: %s", b.Help().Desc)
		}
	}
}

// at is where the stepper on top stands.
func (s *desk) at() int { return s.m.top().S.Here().Steps }

func TestKeysGoWhereTheySay(t *testing.T) {
	s := stepping(t, "lost", noColor, 80, 24)
	s.press("p") // no questions
	run := s.m.top().S
	begin := s.at()
	total := run.Total()
	type place struct {
		keys []string
		want func() bool
	}
	steps := func(n int) func() bool { return func() bool { return s.at() == n } }
	for _, p := range []place{
		{[]string{"g"}, steps(0)},
		{[]string{"left"}, steps(0)},
		{[]string{"G"}, steps(total)},
		{[]string{"right"}, steps(total)},
		{[]string{"home"}, steps(0)},
		{[]string{"end"}, steps(total)},
		{[]string{":", "6", "0", "enter"}, steps(60)},
		{[]string{":", "1", "2", "3", "m", "s", "enter"}, func() bool { return run.Here().Now.Ms() <= 123 && run.Moment(run.At()+1).Now.Ms() >= 123 }},
		{[]string{":", "a", "c", "t", " ", "2", "enter"}, func() bool { return run.ActHere() == "The crash" }},
		{[]string{"f"}, func() bool { return s.fault() == "kill b1" }},
		{[]string{"f"}, func() bool { return s.fault() != "kill b1" }},
		{[]string{"b"}, func() bool { return s.fault() == "kill b1" }},
		{[]string{"g", "/", "m", "1", "enter"}, func() bool { return strings.Contains(s.text(), "m1") }},
		{[]string{"g", "v"}, func() bool { return s.m.top().Trouble != "" }},
		{[]string{":", "b", "e", "g", "i", "n", "enter"}, steps(begin)},
	} {
		s.press(p.keys...)
		if !p.want() {
			t.Errorf("after %v the run stands at step %d, %v:\n%s", p.keys, s.at(), run.Here().Now, s.text())
		}
	}
}

// fault names the fault of the step the run stands at.
func (s *desk) fault() string {
	run := s.m.top().S
	st := run.Trace().Steps[s.at()-1]
	return st.Op.String() + " " + run.World().Name(st.Node)
}

func TestForwardAndBackAreInverse(t *testing.T) {
	s := stepping(t, "lost", noColor, 80, 24).press("p")
	var there []int
	for !s.m.top().S.AtEnd() {
		there = append(there, s.at())
		s.press("l")
	}
	slices.Reverse(there)
	for _, want := range there {
		s.press("h")
		if s.at() != want {
			t.Fatalf("back to step %d, want %d", s.at(), want)
		}
	}
}

// quits tells whether a key ends the program.
func quits(s *desk, k string) bool {
	_, cmd := s.m.Update(pressed(k))
	if cmd == nil {
		return false
	}
	_, quit := cmd().(tea.QuitMsg)
	return quit
}

func TestLeaving(t *testing.T) {
	s := stepping(t, "lost", noColor, 80, 24)
	for range 5 {
		if quits(s, "esc") {
			t.Fatal("esc quits")
		}
	}
	for _, open := range []string{"?", "C", "w", "s"} {
		s.press("f", open)
		if quits(s, "q") {
			t.Errorf("q quits while %s is open", open)
		}
	}
	if !quits(s, "q") {
		t.Error("q does not quit at the top")
	}
	for _, open := range []string{"g", "?", "C", "/", ":"} {
		s := stepping(t, "lost", noColor, 80, 24).press(open)
		if !quits(s, "ctrl+c") {
			t.Errorf("ctrl+c does not quit after %s", open)
		}
	}
	s = picking(t, noColor, 80, 24)
	s.m.choose("testdata/lost.yaml")
	if quits(s, "q") || s.m.top() != nil {
		t.Error("q in a run that was chosen from the list does not go back to the list")
	}
	if !quits(s, "q") {
		t.Error("q does not quit the list")
	}
}

func TestPlayStopsAtAQuestion(t *testing.T) {
	for _, reduced := range []bool{false, true} {
		s := stepping(t, "lost", Options{NoColor: true, ReducedMotion: reduced}, 80, 24)
		acts := 0
		for range 500 {
			top := s.m.top()
			if top.Lower == view.ShowAsk {
				break
			}
			if !top.Playing {
				acts++
				s.press(" ")
				continue
			}
			s.m.Update(tick(s.m.plays))
		}
		if s.m.top().Lower != view.ShowAsk {
			t.Fatalf("reduced motion %v: play does not stop at the question", reduced)
		}
		if acts != 2 {
			t.Errorf("reduced motion %v: play was started %d times before the question, want 2: once, and once after the act", reduced, acts)
		}
		s.press("right")
		if s.m.top().Lower != view.ShowAsk {
			t.Errorf("reduced motion %v: a step forward passes the question over", reduced)
		}
		s.press("2")
		if got := s.m.top().answers[1]; got != "no" {
			t.Errorf("reduced motion %v: the answer is %q, want no", reduced, got)
		}
		s.press("G")
		if got := s.m.top().Score; got != "predictions right: 1 of 1" {
			t.Errorf("reduced motion %v: score %q", reduced, got)
		}
		s.press("left")
		if got := s.m.top().Score; got != "" {
			t.Errorf("reduced motion %v: the score %q is told before the run has answered", reduced, got)
		}
	}
}

// A tick of a play that was stopped moves nothing.
func TestOldTickDoesNothing(t *testing.T) {
	s := stepping(t, "lost", noColor, 80, 24).press("p", " ")
	old := s.m.plays
	s.press(" ", " ", " ")
	at := s.at()
	if s.m.Update(tick(old)); s.at() != at {
		t.Error("a tick of a play that was stopped takes a step")
	}
	if s.m.Update(tick(s.m.plays)); s.at() == at {
		t.Error("a tick of the play that is on takes no step")
	}
}

func TestSpeed(t *testing.T) {
	s := stepping(t, "lost", Options{NoColor: true, Speed: time.Second}, 80, 24).press("+")
	if s.m.speed != time.Second/2 {
		t.Errorf("faster: %v a step", s.m.speed)
	}
	for range 10 {
		s.press("+")
	}
	if s.m.speed != 50*time.Millisecond {
		t.Errorf("fastest: %v a step", s.m.speed)
	}
}

func TestCopyTakesTheSentence(t *testing.T) {
	s := stepping(t, "lost", noColor, 80, 24).press("f", "y")
	if !strings.Contains(s.m.copied, "lost, Kafka 2.8.2, step") || !strings.Contains(s.m.copied, "b1 crashes") {
		t.Errorf("copied %q", s.m.copied)
	}
}

// What is copied may have two lines; the screen says so in one.
func TestCopyingKeepsTheScreen(t *testing.T) {
	s := stepping(t, "lost", noColor, 80, 24).press("p", "v", "y")
	if !strings.Contains(s.m.copied, "\n") {
		t.Fatalf("one line is copied: %q", s.m.copied)
	}
	if n := len(strings.Split(s.text(), "\n")); n != 24 {
		t.Errorf("the screen has %d lines:\n%s", n, s.text())
	}
}

func TestWhyLeadsToACause(t *testing.T) {
	s := stepping(t, "lost", noColor, 80, 24).press("p", "v")
	from := s.at()
	s.press("w", "up", "enter")
	if s.at() >= from || s.m.top().Lower != view.ShowNow {
		t.Errorf("enter in the chain of causes of step %d leads to step %d", from, s.at())
	}
}

func TestComparisonAndBack(t *testing.T) {
	s := stepping(t, "lost", noColor, 80, 24).press("f")
	at := s.at()
	s.press("C", "enter")
	if len(s.m.runs()) != 2 || s.m.top().Variant != "with acks=all" {
		t.Fatalf("enter opens %q", s.m.top().Variant)
	}
	s.press("esc", "esc")
	if len(s.m.runs()) != 1 || s.at() != at {
		t.Errorf("esc leads to step %d of %d runs, want step %d of the first", s.at(), len(s.m.runs()), at)
	}
}

func TestFilter(t *testing.T) {
	p := topmost[*picker](picking(t, noColor, 80, 24).press("/", "n", "i", "n", "e", "enter").m)
	if len(p.shown) != 1 || p.choice() != "many" {
		t.Errorf("the filter nine shows %d scenarios, the first %q", len(p.shown), p.choice())
	}
}

// The list is filtered by claims too: recent, which the titles do not name.
func TestFilterByClaim(t *testing.T) {
	s := start(t, noColor, 80, 24)
	s.m.push(newPicker(""))
	all := len(topmost[*picker](s.m).all)
	s.press("/", "r", "e", "c", "e", "n", "t", "enter")
	if n := len(topmost[*picker](s.m).shown); n == 0 || n == all {
		t.Errorf("the filter recent shows %d of %d scenarios", n, all)
	}
	for _, it := range topmost[*picker](s.m).shown {
		if !strings.Contains(strings.Join(append(claims(it), it.Name, it.Title, it.Source), " "), "recent") {
			t.Errorf("%s is shown", it.Name)
		}
	}
}
