package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"kafkatrial/model/replicationspec"
)

// counterexample is the shortest way in which truncation to the high watermark loses a record.
func counterexample(t *testing.T) *replicationspec.Trace {
	t.Helper()
	r, err := replicationspec.Check(replicationspec.Config{Generation: replicationspec.TruncateToHW, Replicas: 2, LogSize: 2, Records: 2,
		Epochs: 1, Invariants: []string{replicationspec.StrongIsr}})
	if err != nil {
		t.Fatal(err)
	}
	return r.Violation
}

func steppingSpec(t *testing.T, o Options, width, height int, keys ...string) *spec {
	s := newSpec(counterexample(t), o)
	s.Update(tea.WindowSizeMsg{Width: width, Height: height})
	for _, k := range keys {
		s.Update(pressed(k))
	}
	return s
}

func TestSpecFrames(t *testing.T) {
	for name, s := range map[string]*spec{
		"spec-begin-80x24": steppingSpec(t, noColor, 80, 24),
		"spec-write-80x24": steppingSpec(t, noColor, 80, 24, "G", "g", "right", "right", "right", "right"),
		"spec-end-80x24":   steppingSpec(t, noColor, 80, 24, "G", "right"),
		"spec-end-120x40":  steppingSpec(t, noColor, 120, 40, "G"),
		"spec-end-60x18":   steppingSpec(t, noColor, 60, 18, "G"),
		"spec-ascii":       steppingSpec(t, Options{NoColor: true, ASCII: true}, 80, 24, "G", "left"),
		"spec-help-80x24":  steppingSpec(t, noColor, 80, 24, "?"),
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join("testdata", name+".golden")
			text := s.View() + "\n"
			if *update {
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if text != string(want) {
				t.Errorf("%s:\n%s\n--- want\n%s", file, text, want)
			}
		})
	}
}

func TestSpecFramesFitTheTerminal(t *testing.T) {
	for _, size := range [][2]int{{60, 18}, {80, 24}, {110, 30}, {200, 60}, {250, 18}} {
		s := steppingSpec(t, noColor, size[0], size[1])
		for range s.trace.Steps {
			lines := strings.Split(s.View(), "\n")
			if len(lines) != size[1] {
				t.Errorf("%v: %d lines", size, len(lines))
			}
			for _, l := range lines {
				if ansi.StringWidth(l) > size[0] {
					t.Errorf("%v: %q is too wide", size, l)
				}
			}
			s.Update(pressed("right"))
		}
	}
	if s := steppingSpec(t, noColor, 40, 10); !strings.Contains(s.View(), "too small") {
		t.Error(s.View())
	}
}

func TestSpecKeys(t *testing.T) {
	s := steppingSpec(t, noColor, 80, 24)
	for _, k := range []struct {
		key  string
		at   int
		help bool
		quit bool
	}{
		{"left", 0, false, false}, {"right", 1, false, false}, {"down", 2, false, false}, {"G", 9, false, false}, {"right", 9, false, false},
		{"up", 8, false, false}, {"g", 0, false, false}, {"?", 0, true, false}, {"q", 0, false, false}, {"?", 0, true, false},
		{"esc", 0, false, false}, {"esc", 0, false, false}, {"q", 0, false, true}, {"ctrl+c", 0, false, true},
	} {
		_, cmd := s.Update(pressed(k.key))
		if s.at != k.at || s.help != k.help || (cmd != nil) != k.quit {
			t.Errorf("after %s: at %d, help %v, quit %v", k.key, s.at, s.help, cmd != nil)
		}
	}
}
