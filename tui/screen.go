package tui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	"github.com/charmbracelet/bubbles/viewport"
	tea "github.com/charmbracelet/bubbletea"

	"kafkatrial/tui/view"
)

// screen is one level of what is shown: the list of scenarios, a run, what is opened over it. The one on top gets the keys and is drawn.
type screen interface {
	key(m *model, p press) want
	view(m *model) string
	help(m *model) []key.Binding // the keys that matter here: for the footer, and first in the help
}

// press is a key that was pressed.
type press struct{ tea.KeyMsg }

// is says that the key is one of a binding.
func (p press) is(b key.Binding) bool { return key.Matches(p.KeyMsg, b) }

// pressed makes the press of a key by its name, as Bubble Tea names it.
func pressed(name string) tea.KeyMsg {
	if name == " " {
		return tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}}
	}
	for t := tea.KeyType(-200); t < 200; t++ {
		if m := (tea.KeyMsg{Type: t}); t != tea.KeyRunes && m.String() == name && name != "" {
			return m
		}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}
}

// push opens a screen over what is shown.
func (m *model) push(s screen) { m.stack = append(m.stack, s) }

// pop closes the screen on top.
func (m *model) pop() { m.stack = m.stack[:len(m.stack)-1] }

// clear closes what is open over the run on top.
func (m *model) clear() {
	for len(m.stack) > 0 {
		if _, ok := m.stack[len(m.stack)-1].(*stepper); ok {
			return
		}
		m.pop()
	}
}

// topmost is the screen of a kind that lies highest, nil if there is none.
func topmost[S screen](m *model) (found S) {
	for _, s := range slices.Backward(m.stack) {
		if x, ok := s.(S); ok {
			return x
		}
	}
	return found
}

// runs lists the runs on the stack: the one looked at is the last, under it lies the one that it is compared with.
func (m *model) runs() (all []*stepper) {
	for _, s := range m.stack {
		if v, ok := s.(*stepper); ok {
			all = append(all, v)
		}
	}
	return all
}

// top is the run that is looked at, nil if there is none.
func (m *model) top() *stepper { return topmost[*stepper](m) }

// show puts a run in the place of all others, and of what is open over them.
func (m *model) show(v *stepper) {
	p := topmost[*picker](m)
	if m.stack = []screen{v}; p != nil {
		m.stack = []screen{p, v}
	}
}

// line is a text that is being typed.
type line struct{ textinput.Model }

func newLine(text string) line {
	in := textinput.New()
	in.KeyMap.Paste.SetEnabled(false) // the terminal pastes
	in.SetValue(text)
	in.CursorEnd()
	in.Focus()
	return line{in}
}

// type takes a key of typing.
func (l *line) take(p press) { l.Model, _ = l.Update(p.KeyMsg) }

// typed is the text with a mark where the next character goes.
func (l *line) typed() string {
	text := []rune(l.Value())
	at := min(l.Position(), len(text))
	return string(text[:at]) + "_" + string(text[at:])
}

// cursor is a place in a list.
type cursor struct{ at int }

// key moves in a list of n. It reports whether the key was one of those.
func (c *cursor) key(p press, k *view.KeyMap, n int) bool {
	switch {
	case p.is(k.Down):
		c.at++
	case p.is(k.Up):
		c.at--
	case p.is(k.PageDown):
		c.at += 10
	case p.is(k.PageUp):
		c.at -= 10
	case p.is(k.First):
		c.at = 0
	case p.is(k.Last):
		c.at = n - 1
	default:
		return false
	}
	c.keep(n)
	return true
}

// keep stays within a list of n.
func (c *cursor) keep(n int) { c.at = max(0, min(c.at, n-1)) }

// pager is a text that fills the screen.
type pager struct {
	viewport.Model
	title string
	lines func(c *view.Context) []string
	leave key.Binding // besides esc and q
}

func newPager(title string, leave key.Binding, lines func(c *view.Context) []string) *pager {
	return &pager{Model: viewport.New(0, 0), title: title, lines: lines, leave: leave}
}

// lay fits the text to the size of the terminal.
func (s *pager) lay(c *view.Context) {
	s.Width, s.Height = c.Width, c.Height-2
	s.SetContent(strings.Join(s.lines(c), "\n"))
	s.SetYOffset(s.YOffset)
}

func (s *pager) key(m *model, p press) want {
	s.lay(m.c)
	switch k := m.c.Keys; {
	case p.is(k.PageDown):
		s.ScrollDown(max(1, s.Height-1)) // the last line stays in sight
	case p.is(k.PageUp):
		s.ScrollUp(max(1, s.Height-1))
	case p.is(k.First):
		s.GotoTop()
	case p.is(k.Last):
		s.GotoBottom()
	case p.is(k.Down), p.is(k.Forward):
		s.ScrollDown(1)
	case p.is(k.Up), p.is(k.Back):
		s.ScrollUp(1)
	case p.is(k.Escape), p.is(k.Quit), p.is(s.leave):
		m.pop()
	}
	return nothing
}

func (s *pager) view(m *model) string {
	s.lay(m.c)
	return m.c.Page(s.title, strings.Split(s.View(), "\n"), s.TotalLineCount() > s.Height)
}

func (s *pager) help(m *model) []key.Binding { return m.c.Keys.ForPages(true) }

// openHelp lists every key and every sign, first those that matter on the screen on top.
func (m *model) openHelp() {
	here := m.stack[len(m.stack)-1].help(m)
	m.push(newPager("keys and signs", m.c.Keys.Help, func(c *view.Context) []string { return c.HelpLines(here) }))
}
