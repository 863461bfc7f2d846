package tui

import (
	"strings"
	"testing"
)

// A page down in the help shows what stands below, and a page up leads back, also from the end.
func TestHelpScrollsByPages(t *testing.T) {
	s := stepping(t, "lost", noColor, 80, 24).press("?")
	top := s.text()
	last := func() string { l := strings.Split(s.text(), "\n"); return l[len(l)-2] }
	end := strings.TrimSpace(last())
	if s.press("pgdown"); !strings.Contains(s.text(), end) || strings.Split(s.text(), "\n")[1] == strings.Split(top, "\n")[2] {
		t.Errorf("a page down does not continue after %q:\n%s", end, s.text())
	}
	for range 20 {
		s.press("pgdown")
	}
	bottom := s.text()
	if s.press("pgup"); s.text() == bottom {
		t.Error("a page up from the end shows nothing new")
	}
	for range 20 {
		s.press("pgup")
	}
	if s.text() != top {
		t.Error("pages up do not lead back to the top")
	}
}

// End leads to the last line of the help, home to the first; and one screen's keys stand first.
func TestHelpHasAnEnd(t *testing.T) {
	s := stepping(t, "lost", noColor, 80, 24).press("?")
	top := s.text()
	s.says("Here:", "f fault")
	if s.press("end"); !strings.Contains(s.text(), "others too.") {
		t.Errorf("end does not lead to the end:\n%s", s.text())
	}
	if s.press("home"); s.text() != top {
		t.Error("home does not lead to the top")
	}
	s.press("esc", "c", "?").says("Here:", "next group")
}

// The footer names the keys of the pane that has the focus.
func TestTheFooterFollowsTheFocus(t *testing.T) {
	s := stepping(t, "lost", noColor, 80, 24).press("p", "f")
	for _, want := range []string{"↑/↓ partition", "↑/↓ scroll", "space play"} {
		s.press("tab")
		s.says(want)
	}
}

// At 80 columns the keys that change the run are named beside the one for transactions.
func TestFooterNamesTheKeysThatChangeTheRun(t *testing.T) {
	for _, name := range []string{"hanging-transaction", "calm"} {
		s := embedded(t, name, noColor, 80, 24)
		s.press("G", "left")
		lines := strings.Split(strings.TrimRight(s.text(), "\n"), "\n")
		foot := lines[len(lines)-1]
		for _, want := range []string{"c choose", "/ find", "v violation"} {
			if !strings.Contains(foot, want) {
				t.Errorf("%s: no %q in %q", name, want, foot)
			}
		}
	}
}
