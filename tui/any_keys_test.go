package tui

import (
	"math/rand/v2"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"kafkatrial/checker/columns"
)

// Whatever keys are pressed, in whatever order and size, there is a screen that fills the terminal, and esc leads back to the run. Nothing is
// saved: S asks for a name, and enter is pressed only where nothing is typed.
func TestAnyKeys(t *testing.T) {
	sizes := [][2]int{{60, 18}, {80, 24}, {110, 30}, {200, 55}, {40, 10}}
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := stepping(t, []string{"lost", "wide"}[seed%2], noColor, 80, 24)
		var keys []string
		for _, b := range bindings(s.m) {
			for _, k := range b.Keys() {
				if k != "ctrl+c" && k != "enter" {
					keys = append(keys, k)
				}
			}
		}
		keys = append(keys, "ü", "条", "ctrl+u", "ctrl+w", "delete")
		var past []string
		for range 150 {
			k := keys[r.IntN(len(keys))]
			if r.IntN(6) == 0 {
				switch s.m.stack[len(s.m.stack)-1].(type) {
				case *prompt, *choosing:
					k = "esc"
				default:
					k = "enter"
				}
			}
			past = append(past, k)
			size := sizes[r.IntN(len(sizes))]
			s.m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			s.press(k)
			lines := strings.Split(s.text(), "\n")
			if len(s.m.stack) == 0 || len(lines) != size[1] && size[1] >= 18 {
				t.Fatalf("seed %d, after %v at %v: %d lines", seed, past, size, len(lines))
			}
			for _, l := range lines {
				if columns.Width(l) > size[0] {
					t.Fatalf("seed %d, after %v at %v: a line of %d places: %s", seed, past, size, columns.Width(l), l)
				}
			}
		}
		for range 20 {
			s.press("esc")
		}
		if _, ok := s.m.stack[len(s.m.stack)-1].(*stepper); !ok || len(s.m.stack) != 1 {
			t.Errorf("seed %d, after %v: esc does not lead back to the run; %d screens are open", seed, past, len(s.m.stack))
		}
	}
}
