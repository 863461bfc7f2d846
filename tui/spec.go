package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"kafkatrial/model/replicationspec"
	"kafkatrial/tui/view"

	"github.com/charmbracelet/bubbles/key"
)

// StepSpec opens a counterexample of the bounded model, in which one can go forward and back.
func StepSpec(trace *replicationspec.Trace, o Options) error { return program(newSpec(trace, o), o) }

// spec is the screen of a counterexample.
type spec struct {
	c     *view.Context
	trace *replicationspec.Trace
	at    int
	help  bool
}

func newSpec(trace *replicationspec.Trace, o Options) *spec {
	theme := view.NewTheme(palette(o), ground(o), o.ASCII)
	return &spec{c: &view.Context{Width: 80, Height: 24, Theme: theme, Keys: view.NewKeyMap(theme.G)}, trace: trace}
}

// Init implements tea.Model.
func (s *spec) Init() tea.Cmd { return nil }

// Update implements tea.Model.
func (s *spec) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.c.Width, s.c.Height = msg.Width, msg.Height
	case tea.KeyMsg:
		if s.key(msg) {
			return s, tea.Quit
		}
	}
	return s, nil
}

// key does what a key says, and reports whether it ends the screen.
func (s *spec) key(msg tea.KeyMsg) (quit bool) {
	k, last := s.c.Keys, len(s.trace.Steps)-1
	switch {
	case key.Matches(msg, k.Die):
		return true
	case key.Matches(msg, k.Help):
		s.help = !s.help
	case key.Matches(msg, k.Quit, k.Escape):
		if !s.help {
			return key.Matches(msg, k.Quit)
		}
		s.help = false
	case key.Matches(msg, k.Forward, k.Down, k.PageDown):
		s.at = min(s.at+1, last)
	case key.Matches(msg, k.Back, k.Up, k.PageUp):
		s.at = max(s.at-1, 0)
	case key.Matches(msg, k.First):
		s.at = 0
	case key.Matches(msg, k.Last):
		s.at = last
	}
	return false
}

// View implements tea.Model.
func (s *spec) View() string {
	switch {
	case s.c.Width < view.MinWidth || s.c.Height < view.MinHeight:
		return s.c.TooSmall()
	case s.help:
		return s.c.SpecHelp()
	}
	return s.c.Spec(s.trace, s.at)
}
