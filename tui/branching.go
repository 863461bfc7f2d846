package tui

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"strings"

	"github.com/charmbracelet/bubbles/key"

	"kafkatrial/checker"
	"kafkatrial/sim"
	"kafkatrial/tui/session"
	"kafkatrial/tui/view"
)

// follow puts the branch that is looked at on top, with the screen as it was left there. A branch that is new,
// or has another run since, takes over what its parent's screen knows.
func (m *model) follow() {
	at := m.tree.At()
	b := m.tree.All[at]
	from := m.top()
	for len(m.kept) <= at {
		m.kept = append(m.kept, nil)
	}
	v := m.kept[at]
	if v == nil || v.S != b.S {
		if v != nil {
			from = v
		}
		v = newStepper(m.c, b.S, "")
		v.asking, v.find, v.Focus = from.asking, from.find, from.Focus
		v.Chosen, v.chosen, v.answers = from.Chosen, from.chosen, maps.Clone(from.answers)
		if at > 0 {
			v.Branch = b.Name
		}
		m.kept[at] = v
		v.settle()
	}
	v.Message = ""
	m.show(v)
}

// visit looks at a branch.
func (m *model) visit(at int) {
	m.tree.Go(at)
	m.follow()
}

// back looks at the branch before.
func (m *model) back(v *stepper) {
	switch {
	case len(m.runs()) > 1:
		v.Message = "This is a comparison. esc goes back to the run."
	case !m.tree.Back():
		v.Message = "There is only one run yet: c or F begins a branch."
	default:
		m.follow()
		m.top().Message = "This is " + m.tree.Here().Name + "."
	}
}

// askFork asks for the name of a branch.
func (m *model) askFork(v *stepper) {
	if len(m.runs()) > 1 {
		v.Message = "This is a comparison. esc goes back to the run, where you can fork."
		return
	}
	m.ask(view.PromptFork, m.tree.NextName())
}

func (m *model) fork(v *stepper, name string) {
	if err := m.tree.Fork(name); err != nil {
		v.Message = sentence(err)
		return
	}
	m.follow()
	here := m.tree.Here()
	m.top().Message = fmt.Sprintf("This is %s, from step %d of %s. c chooses what happens.", here.Name, here.Step, m.tree.All[here.Parent].Name)
}

// askSave asks for the path of a file.
func (m *model) askSave(v *stepper) {
	if len(m.runs()) > 1 {
		v.Message = "This is a comparison. esc goes back to the run, which can be saved."
		return
	}
	name := v.S.File.Name.Text
	if m.tree.At() > 0 {
		name += "-" + strings.ReplaceAll(m.tree.Here().Name, " ", "-")
	}
	m.ask(view.PromptSave, strings.ReplaceAll(name, "/", "-")+".answers")
}

// saving is a file that is to be written, and the branch that it is of.
type saving struct {
	path, text string
	branch     int
	steps      int // of the run that is written
}

// saved says how it went.
type saved struct {
	saving
	err error
}

// write creates the file. It writes over none.
func (s saving) write() saved {
	f, err := os.OpenFile(s.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err == nil {
		_, err = f.WriteString(s.text)
		err = errors.Join(err, f.Close())
	}
	return saved{s, err}
}

// toSave puts the run of the branch that is looked at into words.
func (m *model) toSave(v *stepper, path string) {
	m.saving = saving{path: path, text: v.S.Record(path).Text(), branch: m.tree.At(), steps: v.S.Total()}
}

func (m *model) saved(s saved) {
	v := m.top()
	if v == nil {
		return
	}
	switch {
	case errors.Is(s.err, fs.ErrExist):
		v.Message = s.path + " exists already: S asks for another name."
	case s.err != nil:
		v.Message = "Not saved: " + s.err.Error()
	default:
		v.Message = "Saved. kafkatrial step " + quoted(s.path) + " opens it."
		if s.branch < len(m.tree.All) {
			m.files[m.tree.All[s.branch].S] = s.path
		}
	}
}

// quoted writes a path as a shell takes it.
func quoted(path string) string {
	if strings.ContainsAny(path, " '\"$&;()<>|*?#~`\\") {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}

// unsaved counts the branches with decisions that are in no file.
func (m *model) unsaved() int {
	n := 0
	for _, b := range m.tree.All[1:] {
		if _, done := m.files[b.S]; !done && len(b.Chosen()) > 0 {
			n++
		}
	}
	return n
}

// branchList is the list of branches.
type branchList struct{ cursor }

func (m *model) openBranches(v *stepper) {
	switch {
	case len(m.runs()) > 1:
		v.Message = "This is a comparison. esc goes back to the run."
	case len(m.tree.All) == 1:
		v.Message = "There is only one run yet: c or F begins a branch."
	default:
		m.push(&branchList{cursor{m.tree.At()}})
	}
}

func (b *branchList) key(m *model, p press) want {
	k := m.c.Keys
	switch {
	case b.cursor.key(p, k, len(m.tree.All)):
	case p.is(k.Enter), p.is(k.Forward):
		m.visit(b.at)
	case p.is(k.Beside):
		if b.at == m.tree.At() {
			m.openBeside(m.top())
		} else {
			m.besideBranches(m.tree.At(), b.at)
		}
	case p.is(k.Help):
		m.openHelp()
	case p.is(k.Escape), p.is(k.Quit), p.is(k.Branches):
		m.pop()
	}
	return nothing
}

func (b *branchList) view(m *model) string {
	return m.c.Branches(m.top().S.File.Name.Text, m.branchRows(), b.at)
}

func (b *branchList) help(m *model) []key.Binding { return m.c.Keys.ForBranches() }

func (m *model) branchRows() []view.BranchRow {
	var rows []view.BranchRow
	for i, b := range m.tree.All {
		r := view.BranchRow{Name: b.Name, Here: i == m.tree.At(), Steps: b.S.Total(), Claims: famous(b.S), Undecided: b.S.Result.Undecided}
		if b.Parent >= 0 {
			r.From, r.Step = m.tree.All[b.Parent].Name, b.Step
		}
		for _, a := range b.Chosen() {
			r.Decided = append(r.Decided, decision(a))
		}
		if path, ok := m.files[b.S]; ok {
			r.File = quoted(path)
		}
		rows = append(rows, r)
	}
	return rows
}

// decision writes an answer as a person counts steps.
func decision(a sim.Answer) string {
	if a.Kind != sim.Next {
		return a.ID // it makes no step
	}
	return fmt.Sprintf("step %d %s", a.Step+1, a.ID)
}

// famous gives a run's verdicts on the three claims that everybody asks for.
func famous(s *session.Session) []view.Stated {
	var all []view.Stated
	for _, c := range checker.Famous() {
		claim := string(c)
		if ruling, ok := overall(&s.Result, claim); ok {
			all = append(all, view.Stated{Claim: claim, Verdict: ruling})
		}
	}
	return all
}
