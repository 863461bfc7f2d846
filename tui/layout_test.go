package tui

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"kafkatrial/checker/columns"
	"kafkatrial/tui/view"
)

// seen is what a frame shows.
type seen struct {
	columns  bool     // panes stand beside the time line
	nodes    []string // that have a column
	rows     int      // of the time line
	sentence int      // places that it has for a sentence
	words    map[string]bool
	hidden   int // lines of what has just happened that are not in sight
	text     string
}

var (
	cells   = strings.NewReplacer("│", " ", "┊", " ", "[", " ", "]", " ", "/", " ", "<", " <", ">", "> ")
	folded  = regexp.MustCompile(`… \d+ more( \S+)*|, \d+ more|and \d+ more:|\d+, last`)
	scrolls = regexp.MustCompile(`\((\d+) more lines?: tab, ↓\)`)
)

// reading reads the frame of a stepper.
func reading(s *desk) seen {
	text := s.text()
	lines := strings.Split(text, "\n")
	f := seen{words: map[string]bool{}, text: text}
	left := s.m.c.Columns(&s.m.top().Stepper)
	body := lines[1 : len(lines)-1]
	if f.columns = left > 0; f.columns {
		var a, b []string
		for _, l := range body {
			a = append(a, ansi.Cut(l, 0, left))
			b = append(b, ansi.Cut(l, left+2, s.m.c.Width))
		}
		body = append(a, b...)
	}
	inTime, inNow := false, false
	for _, l := range body {
		heading := strings.HasPrefix(l, "─ ") || strings.HasPrefix(l, "▌ ")
		if name, ok := strings.CutPrefix(strings.TrimLeft(l, "─▌ "), "time "); heading && ok {
			inTime = true
			f.nodes = strings.Fields(strings.Trim(name, "─ "))
			width := s.m.c.Width
			if f.columns {
				width -= left + 2
			}
			f.sentence = width - 1 - 10 - 4*len(f.nodes) - 2
			continue
		}
		if heading {
			inTime, inNow = false, inTime
		}
		if inTime {
			f.rows++
			continue
		}
		if m := scrolls.FindStringSubmatch(l); m != nil {
			f.hidden, _ = strconv.Atoi(m[1])
		}
		if inNow {
			continue // it is whole, or says how much is hidden
		}
		for _, w := range strings.Fields(folded.ReplaceAllString(scrolls.ReplaceAllString(cells.Replace(l), ""), "")) {
			w = strings.TrimRight(w, ",;.:")
			if !strings.Contains(w, "…") && strings.IndexFunc(w, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) >= 0 {
				f.words[w] = true
			}
		}
	}
	return f
}

// shorter lists words that stand for longer ones where there is little room.
var shorter = map[string]string{"<C>": "<COMMIT>", "<A>": "<ABORT>", "e0": "epoch", "e1": "epoch", "e2": "epoch", "e3": "epoch"}

// less says what a frame with more columns shows less of, "" if nothing.
func less(narrow, wide seen) string {
	switch {
	case len(wide.nodes) < len(narrow.nodes):
		return fmt.Sprintf("columns of %v, before of %v", wide.nodes, narrow.nodes)
	case wide.sentence < narrow.sentence && !(len(wide.nodes) > len(narrow.nodes) && wide.sentence >= 33) && !(wide.columns && wide.sentence >= 70):
		return fmt.Sprintf("%d places for a sentence, before %d", wide.sentence, narrow.sentence)
	case wide.rows < narrow.rows:
		return fmt.Sprintf("%d rows of the time line, before %d", wide.rows, narrow.rows)
	case wide.hidden > narrow.hidden:
		return fmt.Sprintf("%d lines of what has just happened are hidden, before %d", wide.hidden, narrow.hidden)
	}
	var gone []string
	for w := range narrow.words {
		if !wide.words[w] && !wide.words[shorter[w]] {
			gone = append(gone, w)
		}
	}
	if len(gone) > 0 {
		slices.Sort(gone)
		return fmt.Sprintf("the words %q are gone", gone)
	}
	return ""
}

// moments are screens of runs of all kinds, at places where much is to be shown.
func moments(t *testing.T, visit func(name string, s *desk)) {
	for _, name := range []string{"kip-101-truncation", "hanging-transaction", "many", "read-process-write"} {
		var s *desk
		if name == "many" {
			s = stepping(t, name, noColor, 80, 24)
		} else {
			s = embedded(t, name, noColor, 80, 24)
		}
		for _, keys := range [][]string{{"p", "f"}, {"v", "w"}, {"z", "G"}} {
			s.press(keys...)
			visit(fmt.Sprintf("%s, step %d, after %v", name, s.at(), keys), s)
		}
	}
}

// More columns never show less: not fewer node columns, rows or words. Only the room
// for a sentence of the time line may shrink: where a node's column is added, and to no less than 70 places where other panes come to
// stand beside it.
func TestMoreColumnsNeverShowLess(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 8
	}
	moments(t, func(name string, s *desk) {
		for _, height := range []int{18, 24, 40} {
			var before seen
			for width := view.MinWidth; width <= 220; width += step {
				s.m.c.Width, s.m.c.Height = width, height
				now := reading(s)
				if what := less(before, now); width > view.MinWidth && what != "" {
					t.Errorf("%s: at %dx%d, where a column less shows more: %s\n%s\n--- before\n%s", name, width, height, what, now.text, before.text)
					return
				}
				before = now
			}
		}
	})
}

// What each size keeps, at every place of the runs.
func TestLayoutKeepsWhatMatters(t *testing.T) {
	moments(t, func(name string, s *desk) {
		v := s.m.top()
		for _, size := range [][2]int{{60, 18}, {80, 24}, {100, 30}, {110, 30}, {120, 40}, {200, 55}} {
			s.m.c.Width, s.m.c.Height = size[0], size[1]
			f := reading(s)
			fail := func(format string, args ...any) {
				t.Errorf("%s: at %dx%d %s\n%s", name, size[0], size[1], fmt.Sprintf(format, args...), f.text)
			}
			past := v.S.RowsUpTo(v.S.At())
			if f.rows < min(6, past) {
				fail("the time line has %d rows", f.rows)
			}
			if f.hidden > 0 && f.rows > min(6, past) {
				fail("the time line has %d rows, while %d lines of what has just happened are hidden", f.rows, f.hidden)
			}
			if f.hidden > 0 && size[1] >= 40 {
				fail("%d lines of what has just happened are hidden", f.hidden)
			}
			if f.columns && f.sentence < 70 {
				fail("panes stand beside a time line with %d places for a sentence", f.sentence)
			}
			if all := len(v.S.State().Nodes); f.columns && !v.S.Unfolded() && len(f.nodes) < all-1 {
				fail("panes stand beside a time line with columns of %v alone", f.nodes)
			}
			if hold := "hold so far: at-most-once, at-least-once, exactly-once"; !strings.Contains(f.text, hold) && !strings.Contains(f.text, "claims so far") &&
				!v.S.AtEnd() && !strings.Contains(f.text, "at risk") && !strings.Contains(f.text, "violated") {
				fail("the claims do not stand in one line")
			}
		}
	})
}

// Panes stand beside the time line where there is room, and nowhere else.
func TestColumnsNeedRoom(t *testing.T) {
	s := embedded(t, "calm", noColor, 80, 24).press("p", "f")
	for _, x := range []struct {
		width, height int
		columns       bool
	}{{110, 30, false}, {120, 40, false}, {180, 40, false}, {181, 40, true}, {200, 55, true}, {200, 29, false}} {
		s.m.c.Width, s.m.c.Height = x.width, x.height
		if f := reading(s); f.columns != x.columns {
			t.Errorf("at %dx%d columns: %v", x.width, x.height, f.columns)
		}
	}
}

// What the narrator says is whole and plain, also where it was said some steps ago.
func TestTheNarratorIsPlain(t *testing.T) {
	for _, palette := range []view.Palette{view.Full, view.Basic} {
		s := embedded(t, "kip-101-truncation", Options{}, 100, 30).press("p", "v", "right")
		s.m.looks = []look{{palette, view.Dark, false, ""}}
		s.m.setLook(0)
		said, ok := s.m.top().S.Said()
		if !ok || s.m.top().S.SaidHere() {
			t.Fatal("expected a place at which the narrator has spoken before")
		}
		if first := view.Wrap(said, 96)[0]; !strings.Contains(s.text(), " "+s.m.c.Theme.G.Narrator+" "+first) {
			t.Errorf("%q does not stand plain in\n%q", first, s.text())
		}
		said = s.m.c.Theme.G.Narrator
		if faint, _, _ := strings.Cut(s.m.c.Theme.Faint.Render(said), said); faint == "" || strings.Contains(s.text(), faint+said) {
			t.Errorf("the narrator is faint in the time line:\n%q", s.text())
		}
	}
}

// An empty pane gives its rows away, its heading too.
func TestNothingInFlightTakesNoRow(t *testing.T) {
	s := embedded(t, "calm", noColor, 80, 24).press("p", "g")
	flights := 0
	for !s.m.top().S.AtEnd() {
		busy := false
		for _, f := range s.m.top().S.State().Flights {
			busy = busy || !f.Routine || (f.Held || f.Cut) && !f.Lost
		}
		if busy {
			flights++
		}
		if got := strings.Contains(s.text(), "in flight"); got != busy {
			t.Fatalf("step %d: something is in flight: %v; the pane is there: %v", s.at(), busy, got)
		}
		s.press("right")
	}
	if flights == 0 {
		t.Error("nothing is ever in flight")
	}
}

// The list gives the free width to titles: more columns never cut one that was whole, and where there is room all are whole.
func TestThePickerShowsTitles(t *testing.T) {
	s := start(t, noColor, 80, 24)
	s.m.push(newPicker(""))
	whole := map[string]bool{}
	for width := view.MinWidth; width <= 220; width++ {
		s.m.c.Width, s.m.c.Height = width, 400
		text := s.text()
		names := 0
		for _, it := range topmost[*picker](s.m).all {
			names = max(names, columns.Width(it.Name))
		}
		for _, it := range topmost[*picker](s.m).all {
			shown := strings.Contains(text, "  "+it.Title)
			if whole[it.Name] && !shown {
				t.Fatalf("at %d columns the title %q is cut, at %d it is whole", width, it.Title, width-1)
			}
			if room := width - names - 5; !shown && room >= columns.Width(it.Title) && names <= width*9/20 {
				t.Errorf("at %d columns %d are free, and the title %q is cut", width, room, it.Title)
			}
			whole[it.Name] = shown
		}
	}
}
