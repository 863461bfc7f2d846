package tui

import (
	"github.com/charmbracelet/bubbles/key"

	"kafkatrial/tui/session"
	"kafkatrial/tui/view"
)

// sideBySide is the screen on which two runs are compared.
type sideBySide struct {
	view.Beside
	open func() // goes to the second run, where it parts
}

func side(s, other *session.Session, name string) view.Side {
	return view.Side{S: s, Name: name, Step: s.Story().PartsFrom(other.Story()), Claims: famous(s)}
}

func (m *model) besideRuns(one, other *session.Session, nameOne, nameOther string, open func()) {
	m.push(&sideBySide{Beside: view.Beside{One: side(one, other, nameOne), Other: side(other, one, nameOther)}, open: open})
}

// besideBranches compares two branches.
func (m *model) besideBranches(one, other int) {
	a, b := m.tree.All[one], m.tree.All[other]
	m.besideRuns(a.S, b.S, a.Name, b.Name, func() {
		m.visit(other)
		m.top().goTo(b.S.PartsFrom(a.S))
	})
	topmost[*sideBySide](m).Same = b.S.SameUpTo(a.S)
}

// openBeside compares what is looked at with what it comes from: a comparison with the run below it, a branch
// with its parent, the run that was opened with the branch that was looked at before.
func (m *model) openBeside(v *stepper) {
	at, runs := m.tree.At(), m.runs()
	switch {
	case len(runs) > 1:
		below := runs[len(runs)-2]
		m.besideRuns(below.S, v.S, m.tree.Here().Name, v.Variant, func() { v.goTo(v.S.PartsFrom(below.S)) })
	case at > 0:
		m.besideBranches(m.tree.All[at].Parent, at)
	case len(m.tree.All) > 1:
		m.besideBranches(0, m.tree.Before())
	default:
		v.Message = "There is only one run yet: c or F begins a branch, C lists comparisons."
	}
}

func (b *sideBySide) key(m *model, p press) want {
	k := m.c.Keys
	switch {
	case p.is(k.Down):
		b.Scroll++
	case p.is(k.Up):
		b.Scroll--
	case p.is(k.Enter), p.is(k.Forward):
		m.pop()
		b.open()
	case p.is(k.Help):
		m.openHelp()
	case p.is(k.Escape), p.is(k.Quit), p.is(k.Beside):
		m.pop()
	}
	return nothing
}

func (b *sideBySide) view(m *model) string { return m.c.Beside(&b.Beside) }

func (b *sideBySide) help(m *model) []key.Binding { return m.c.Keys.ForBeside() }
