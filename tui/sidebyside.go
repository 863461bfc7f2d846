package tui

import (
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
	m.beside = &sideBySide{Beside: view.Beside{One: side(one, other, nameOne), Other: side(other, one, nameOther)}, open: open}
}

// besideBranches compares two branches.
func (m *model) besideBranches(one, other int) {
	a, b := m.tree.All[one], m.tree.All[other]
	m.besideRuns(a.S, b.S, a.Name, b.Name, func() {
		m.branches = nil
		m.visit(other)
		m.top().goTo(b.S.PartsFrom(a.S))
	})
	m.beside.Same = b.S.SameUpTo(a.S)
}

// openBeside compares what is looked at with what it comes from: a comparison with the run below it, a branch
// with its parent, the run that was opened with the branch that was looked at before.
func (m *model) openBeside(v *stepper) {
	at := m.tree.At()
	switch {
	case len(m.steps) > 1:
		below := m.steps[len(m.steps)-2]
		m.besideRuns(below.S, v.S, m.tree.Here().Name, v.Variant, func() { v.goTo(v.S.PartsFrom(below.S)) })
	case at > 0:
		m.besideBranches(m.tree.All[at].Parent, at)
	case len(m.tree.All) > 1:
		m.besideBranches(0, m.tree.Before())
	default:
		v.Message = "There is only one run yet: c or F begins a branch, C lists comparisons."
	}
}

func (m *model) besideKey(hit hitFunc) want {
	b, keys := m.beside, m.c.Keys
	switch {
	case hit(keys.Down):
		b.Scroll++
	case hit(keys.Up):
		b.Scroll--
	case hit(keys.Enter), hit(keys.Forward):
		m.beside = nil
		b.open()
	case hit(keys.Help):
		m.openHelp()
	case hit(keys.Escape), hit(keys.Quit), hit(keys.Beside):
		m.beside = nil
	}
	return nothing
}
