package tui

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"kafkatrial/scenarios"
	"kafkatrial/tui/session"
	"kafkatrial/tui/view"
)

var update = flag.Bool("update", false, "rewrite the golden frames")

// desk is a program under test: messages in, text out.
type desk struct {
	t *testing.T
	m *model
}

func load(t *testing.T, name string) *scenarios.Opened {
	t.Helper()
	o, err := scenarios.Open(filepath.Join("testdata", name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func start(t *testing.T, o Options, width, height int) *desk {
	t.Helper()
	m := newModel(o)
	s := &desk{t, m}
	m.Update(tea.WindowSizeMsg{Width: width, Height: height})
	return s
}

// stepping opens the stepper on a file of testdata.
func stepping(t *testing.T, file string, o Options, width, height int) *desk {
	t.Helper()
	s := start(t, o, width, height)
	run, err := session.Open(load(t, file), o.Run, o.Lang)
	if err != nil {
		t.Fatal(err)
	}
	s.m.open(run)
	return s
}

// picking shows the list of the files of testdata that load.
func picking(t *testing.T, o Options, width, height int) *desk {
	t.Helper()
	s := start(t, o, width, height)
	var items []view.Item
	for _, name := range []string{"lost", "many"} {
		items = append(items, itemOf(load(t, name).File, o.Lang))
	}
	s.m.push(pickerOf(items))
	return s
}

func (s *desk) press(keys ...string) *desk {
	for _, k := range keys {
		s.m.Update(pressed(k))
	}
	return s
}

func (s *desk) text() string { return s.m.View() }

var noColor = Options{NoColor: true}

// frames are the golden screens. They are read by people: each shows one thing that a screen must show.
func frames(t *testing.T) map[string]*desk {
	ascii := Options{NoColor: true, ASCII: true}
	zh := Options{NoColor: true, Lang: "zh"}
	const w, h = 80, 24
	return map[string]*desk{
		"picker-80x24":          picking(t, noColor, w, h),
		"picker-120x40":         picking(t, noColor, 120, 40).press("down"),
		"picker-60x18":          picking(t, noColor, 60, 18).press("/", "m", "a", "n"),
		"picker-ascii":          picking(t, ascii, w, h),
		"begin-80x24":           stepping(t, "lost", noColor, w, h),
		"act-80x24":             stepping(t, "lost", noColor, w, h).press("right"),
		"predict-80x24":         asked(t, w, h),
		"crash-80x24":           stepping(t, "lost", noColor, w, h).press("f"),
		"crash-120x40":          stepping(t, "lost", noColor, 120, 40).press("f"),
		"crash-60x18":           stepping(t, "lost", noColor, 60, 18).press("f"),
		"crash-ascii":           stepping(t, "lost", ascii, w, h).press("f"),
		"crash-zh":              stepping(t, "lost", zh, w, h).press("f"),
		"violation-80x24":       stepping(t, "lost", noColor, w, h).press("p", "v", "v"),
		"violation-waits-80x24": stepping(t, "lost", noColor, w, h).press("v"),
		"picker-verdicts-80x24": picking(t, noColor, w, h).press("v"),
		"why-80x24":             stepping(t, "lost", noColor, w, h).press("p", "v", "w"),
		"selected-80x24":        stepping(t, "lost", noColor, w, h).press("p", "v", "up", "up"),
		"notes-80x24":           stepping(t, "lost", noColor, w, h).press("p", "v", "s"),
		"end-80x24":             stepping(t, "lost", noColor, w, h).press("G"),
		"end-120x40":            stepping(t, "lost", noColor, 120, 40).press("G"),
		"end-60x18":             stepping(t, "lost", noColor, 60, 18).press("G"),
		"compare-80x24":         stepping(t, "lost", noColor, w, h).press("C"),
		"variant-80x24":         stepping(t, "lost", noColor, w, h).press("C", "enter"),
		"help-80x24":            stepping(t, "lost", noColor, w, h).press("?"),
		"goto-80x24":            stepping(t, "lost", noColor, w, h).press(":", "1", "2"),
		"many-80x24":            stepping(t, "many", noColor, w, h).press("f", "f", "f"),
		"many-120x40":           stepping(t, "many", noColor, 120, 40).press("f", "f", "f"),
		"many-portrait":         stepping(t, "many", noColor, 66, 60).press("f", "f", "f"),
		"too-small":             stepping(t, "lost", noColor, 50, 12),
		"broken-80x24":          broken(t, w, h),
		"unfolded-80x24":        stepping(t, "lost", noColor, w, h).press("f", "z"),
		"variant-end-60x18":     stepping(t, "lost", noColor, 60, 18).press("C", "enter", "G"),
		"predicted-80x24":       predicted(t, w, h),
		"choose-80x24":          chosen(t, noColor, w, h),
		"choose-120x40":         chosen(t, noColor, 120, 40).press("tab", "tab", "down"),
		"choose-60x18":          chosen(t, noColor, 60, 18).press("tab"),
		"choose-filter":         chosen(t, noColor, w, h).press("/", "h", "o", "l", "d"),
		"choose-ascii":          chosen(t, ascii, w, h),
		"branch-80x24":          decided(t, w, h, noColor),
		"branch-end-80x24":      decided(t, w, h, noColor).press("G"),
		"branches-80x24":        decided(t, w, h, noColor).press("B"),
		"branches-120x40":       decided(t, 120, 40, noColor).press("-", "B", "down"),
		"branches-60x18":        decided(t, 60, 18, noColor).press("B"),
		"beside-80x24":          decided(t, w, h, noColor).press("D"),
		"beside-120x40":         decided(t, 120, 40, noColor).press("D"),
		"beside-60x18":          decided(t, 60, 18, noColor).press("D"),
		"beside-compare":        stepping(t, "lost", noColor, w, h).press("C", "D"),
		"fork-80x24":            decided(t, w, h, noColor).press("F"),
		"survives-80x24":        stepping(t, "lost", noColor, w, h).press("p").find("b1 appends m1").choose("power-loss b1"),
		"chosen-other-80x24":    stepping(t, "many", noColor, w, h).press("f", "tab", "down", "down"),

		"hanging-80x24":        embedded(t, "hanging-transaction", noColor, w, h).find("appends m1 at").press("esc"),
		"hanging-120x40":       embedded(t, "hanging-transaction", noColor, 120, 40).find("appends m1 at").press("esc"),
		"hanging-60x18":        embedded(t, "hanging-transaction", noColor, 60, 18).find("appends m1 at").press("esc"),
		"hanging-ascii":        embedded(t, "hanging-transaction", ascii, w, h).find("appends m1 at").press("esc"),
		"hanging-x-80x24":      embedded(t, "hanging-transaction", noColor, w, h).find("appends m1 at").press("esc").press("x"),
		"hanging-x-120x40":     embedded(t, "hanging-transaction", noColor, 120, 40).find("appends m1 at").press("esc").press("x"),
		"hanging-x-60x18":      embedded(t, "hanging-transaction", noColor, 60, 18).find("appends m1 at").press("esc").press("x", "down", "down"),
		"hanging-x-ascii":      embedded(t, "hanging-transaction", ascii, w, h).find("appends m1 at").press("esc").press("x"),
		"late-commit-80x24":    embedded(t, "late-commit-ends-the-next-transaction", noColor, w, h).find("held back goes on").press("esc"),
		"late-commit-120x40":   embedded(t, "late-commit-ends-the-next-transaction", noColor, 120, 40).find("held back goes on").press("esc"),
		"late-commit-60x18":    embedded(t, "late-commit-ends-the-next-transaction", noColor, 60, 18).find("held back goes on").press("esc"),
		"late-commit-ascii":    embedded(t, "late-commit-ends-the-next-transaction", ascii, w, h).find("held back goes on").press("esc"),
		"late-commit-x-80x24":  embedded(t, "late-commit-ends-the-next-transaction", noColor, w, h).find("held back goes on").press("esc").press("right", "x"),
		"late-commit-x-60x18":  embedded(t, "late-commit-ends-the-next-transaction", noColor, 60, 18).find("held back goes on").press("esc").press("right", "x"),
		"alike-80x24":          embedded(t, "streams-v2-zombie", noColor, w, h).find("app1 is paused").press("esc"),
		"zombie-80x24":         embedded(t, "zombie-producer-is-fenced", noColor, w, h).find("decided to abort").press("esc"),
		"zombie-120x40":        embedded(t, "zombie-producer-is-fenced", noColor, 120, 40).find("decided to abort").press("esc"),
		"zombie-60x18":         embedded(t, "zombie-producer-is-fenced", noColor, 60, 18).find("decided to abort").press("esc"),
		"zombie-ascii":         embedded(t, "zombie-producer-is-fenced", ascii, w, h).find("p1 can send nothing").press("esc"),
		"zombie-ascii-60x18":   embedded(t, "zombie-producer-is-fenced", ascii, 60, 18).find("p1 can send nothing").press("esc"),
		"zombie-x-80x24":       embedded(t, "zombie-producer-is-fenced", noColor, w, h).find("p1 can send nothing").press("esc").press("x"),
		"zombie-x-120x40":      embedded(t, "zombie-producer-is-fenced", noColor, 120, 40).find("decided to abort").press("esc").press("x"),
		"application-80x24":    embedded(t, "read-process-write", noColor, w, h).find("app calls commitTransaction").press("esc"),
		"application-x-80x24":  embedded(t, "read-process-write", noColor, w, h).find("app calls commitTransaction").press("esc", "x"),
		"replicas-x-80x24":     embedded(t, "new-leader-knows-the-producer", noColor, w, h).find("copies m1").press("x"),
		"help-signs-80x24":     embedded(t, "calm", noColor, w, h).press("?").times(99, "down"),
		"five-batches-x-80x24": embedded(t, "five-batches-are-remembered", noColor, w, h).press("G", "x"),
	}
}

// embedded opens the stepper on a scenario of the program.
func embedded(t *testing.T, name string, o Options, width, height int) *desk {
	t.Helper()
	opened, err := scenarios.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, o, width, height)
	run, err := session.Open(opened, o.Run, o.Lang)
	if err != nil {
		t.Fatal(err)
	}
	s.m.open(run)
	return s
}

func (s *desk) times(n int, key string) *desk {
	for range n {
		s.press(key)
	}
	return s
}

// chosen opens the list of what can happen next where m1 has just been appended.
func chosen(t *testing.T, o Options, w, h int) *desk {
	return stepping(t, "lost", o, w, h).press("p").find("b1 appends m1").press("c")
}

// broken chooses a file that does not load.
func broken(t *testing.T, w, h int) *desk {
	s := picking(t, noColor, w, h)
	s.m.choose(filepath.Join("testdata", "broken.yaml"))
	return s
}

// predicted answers a prediction and goes to where the run answers it.
func predicted(t *testing.T, w, h int) *desk {
	return asked(t, w, h).press("1", "G")
}

// asked goes to where a prediction is asked for.
func asked(t *testing.T, w, h int) *desk {
	t.Helper()
	s := stepping(t, "lost", noColor, w, h)
	for s.m.top().Lower != view.ShowAsk {
		if s.m.top().S.AtEnd() {
			t.Fatal("the run has ended and no prediction was asked for")
		}
		s.press("right")
	}
	return s
}

func TestFrames(t *testing.T) {
	for name, s := range frames(t) {
		t.Run(name, func(t *testing.T) {
			got := s.text() + "\n"
			file := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatalf("%v; go test ./tui -update writes it", err)
			}
			if string(want) != got {
				t.Errorf("the frame differs from %s (go test ./tui -update rewrites it)\n--- want\n%s\n--- got\n%s", file, want, got)
			}
		})
	}
}

// Every frame, of whatever size, fills the terminal exactly: nothing is wider, nothing is missing.
func TestFramesFitTheTerminal(t *testing.T) {
	sizes := [][2]int{{60, 18}, {61, 19}, {64, 20}, {79, 23}, {80, 24}, {100, 30}, {109, 29}, {181, 30}, {110, 30}, {120, 40}, {200, 60}, {60, 60}, {250, 18}}
	for _, file := range []string{"lost", "many", "wide", "zombie-producer-is-fenced"} {
		var s *desk
		if strings.Contains(file, "-") {
			s = embedded(t, file, noColor, 80, 24)
		} else {
			s = stepping(t, file, noColor, 80, 24)
		}
		for _, keys := range [][]string{nil, {"f"}, {"w"}, {"esc", "v"}, {"s"}, {"esc", "z"}, {"z", "tab", "down"}, {"?"}, {"esc", "C"}, {"esc", "G"}, {"g", "c"},
			{"tab"}, {"g", "f", "f", "x"}, {"down", "down", "right"}, {"x"}, {"/", "z"}, {"esc", "esc", "f", "b", "c", "tab", "enter"}, {"B"}, {"D"}, {"esc", "esc", "F"}, {"esc", "S"}, {"esc", "G"}} {
			s.press(keys...)
			for _, size := range sizes {
				s.m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
				lines := strings.Split(s.text(), "\n")
				if len(lines) != size[1] {
					t.Errorf("%s after %v at %dx%d: %d lines", file, keys, size[0], size[1], len(lines))
				}
				for _, l := range lines {
					if w := ansi.StringWidth(l); w > size[0] {
						t.Errorf("%s after %v at %dx%d: a line is %d wide: %q", file, keys, size[0], size[1], w, l)
					}
				}
			}
		}
	}
}

func TestASCIIFramesAreASCII(t *testing.T) {
	ascii := Options{NoColor: true, ASCII: true}
	asciiThroughout(t, stepping(t, "lost", ascii, 80, 24))
	asciiThroughout(t, embedded(t, "zombie-producer-is-fenced", ascii, 120, 40))
}

func asciiThroughout(t *testing.T, s *desk) {
	t.Helper()
	check := func(where string) {
		for i, r := range s.text() {
			if r > 126 || r < 32 && r != '\n' {
				t.Errorf("%s: character %q at %d:\n%s", where, r, i, s.text())
				return
			}
		}
	}
	check("begin")
	for _, k := range []string{"f", "w", "esc", "v", "s", "esc", "z", "z", "G", "C", "enter", "esc", "?"} {
		s.press(k)
		check("after " + k)
	}
	for s.press("esc", "g"); !s.m.top().S.AtEnd(); s.press("right") {
		check("step " + s.m.top().S.Here().Now.String())
		s.press("esc", "x")
		check("x at " + s.m.top().S.Here().Now.String())
		s.press("esc")
	}
}

func TestColoursAreOnlyExtra(t *testing.T) {
	colour := stepping(t, "lost", Options{}, 80, 24)
	colour.m.looks = []look{{view.Full, view.Dark, false, ""}, {view.Basic, view.Light, false, ""}}
	plain := stepping(t, "lost", noColor, 80, 24)
	for _, keys := range [][]string{{"f"}, {"v"}, {"w"}, {"esc", "G"}, {"?"}} {
		plain.press(keys...)
		colour.press(keys...)
		if strings.Contains(plain.text(), "\x1b") {
			t.Errorf("after %v: an escape sequence without colours", keys)
		}
		for look := range colour.m.looks {
			colour.m.setLook(look)
			text := colour.text()
			if !strings.Contains(text, "\x1b") {
				t.Errorf("after %v: no colour in look %d", keys, look)
			}
			if got, want := trimRight(ansi.Strip(text)), trimRight(plain.text()); got != want {
				t.Errorf("after %v: with colours the text is another:\n%s\n--- without\n%s", keys, got, want)
			}
		}
	}
}

func trimRight(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

func TestEveryEmbeddedScenarioOpens(t *testing.T) {
	m := newModel(noColor)
	m.push(newPicker(""))
	all := topmost[*picker](m).all
	if len(all) != len(scenarios.Names()) {
		t.Errorf("the list has %d scenarios, %d are embedded", len(all), len(scenarios.Names()))
	}
	for _, it := range all {
		m.stack = m.stack[:1]
		m.choose(it.Name)
		if p := topmost[*pager](m); p != nil {
			t.Errorf("%s: %s", it.Name, strings.Join(p.lines(m.c), "\n"))
		}
	}
}
