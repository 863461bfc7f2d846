package tui

import (
	"bytes"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"kafkatrial/checker/columns"
	"kafkatrial/tui/story"
)

// gapAt says that nothing stands in one place of a line, or that the line ends before it.
func gapAt(line string, place int) bool {
	return strings.TrimSpace(ansi.Cut(line, place, place+1)) == "" && columns.Width(ansi.Cut(line, 0, place)) == min(place, columns.Width(line))
}

// Records with Chinese names keep the columns of the transcript, of the verdicts and of the screens. Names of topics and of nodes are ASCII,
// as Kafka has it.
func TestWideNamesKeepTheColumns(t *testing.T) {
	s := stepping(t, "wide", noColor, 80, 24)
	run := s.m.top().S

	var b bytes.Buffer
	if err := run.Story().Transcript(&b, story.Look{Width: 80}); err != nil {
		t.Fatal(err)
	}
	logs := 0
	column := -1
	for _, l := range strings.Split(b.String(), "\n") {
		if at := strings.Index(l, "orders-0"); column < 0 && at >= 0 {
			column = columns.Width(l[:at])
		}
		if columns.Width(l) > 80 {
			t.Errorf("the transcript has a line of %d places: %s", columns.Width(l), l)
		}
		for _, replica := range []string{"b1 [", "b2 ["} {
			if at := strings.Index(l, replica); at >= 0 {
				if logs++; columns.Width(l[:at]) != column {
					t.Errorf("a log stands at %d, not at %d: %s", columns.Width(l[:at]), column, l)
				}
			}
		}
	}
	if logs < 5 || !strings.Contains(b.String(), "第四条") {
		t.Errorf("the transcript shows %d logs:\n%s", logs, b.String())
	}

	table := run.Result.Report.Table()
	if !strings.Contains(table, "第四条") {
		t.Errorf("no verdict names a record:\n%s", table)
	}
	for _, l := range strings.Split(table, "\n") {
		if !gapAt(l, 15) || !gapAt(l, 49) || columns.Width(l) > 80 {
			t.Errorf("the columns of the verdicts do not begin at 16 and 50: %s\n%s", l, table)
		}
	}

	for _, keys := range [][]string{{"p", "f"}, {"v"}, {"G"}} {
		s.press(keys...)
		for _, size := range [][2]int{{60, 18}, {80, 24}, {120, 40}, {200, 55}} {
			s.m.c.Width, s.m.c.Height = size[0], size[1]
			left := s.m.c.Columns(&s.m.top().Stepper)
			if left == 0 {
				left = min(size[0]*4/7, 72)
				if size[0] < 64 {
					left = size[0] * 9 / 16
				}
			}
			for i, l := range strings.Split(s.text(), "\n") {
				if columns.Width(l) > size[0] {
					t.Errorf("after %v at %v: %d places: %s", keys, size, columns.Width(l), l)
				}
				if i >= 2 && i < 4 && !gapAt(l, left) {
					t.Errorf("after %v at %v: what stands beside the logs does not begin at %d: %s", keys, size, left+1, l)
				}
			}
		}
	}
}
