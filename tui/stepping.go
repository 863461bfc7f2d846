package tui

import (
	"fmt"
	"time"

	"github.com/charmbracelet/bubbles/key"

	"kafkatrial/checker"
	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
	"kafkatrial/tui/session"
	"kafkatrial/tui/view"
)

// key handles a key in the stepper.
func (v *stepper) key(m *model, p press) want {
	k := m.c.Keys
	if v.Lower == view.ShowAsk && !(p.is(k.Predict) && len(v.Ask.Question.Choices) > 0) {
		if v.typeAnswer(p, k) || len(v.Ask.Question.Choices) == 0 {
			return nothing
		}
	}
	v.begin(p, k)
	if w, done := m.moving(v, p); done {
		return w
	}
	return m.looking(v, p)
}

// begin tidies up before a key does what it does.
func (v *stepper) begin(p press, k *view.KeyMap) {
	if !p.is(k.Escape) {
		v.Message = ""
	}
	if !p.is(k.Play) && !p.is(k.Faster) && !p.is(k.Slower) && !p.is(k.Look) {
		v.Playing = v.Playing && p.is(k.Escape)
	}
}

func (v *stepper) view(m *model) string { return m.c.Stepper(&v.Stepper) }

func (v *stepper) help(m *model) []key.Binding { return m.c.StepperKeys(&v.Stepper) }

// exactly is the screen of what exactly-once rests on, over a run that it lets one go on stepping through.
type exactly struct {
	run    *stepper
	scroll int
}

func (x *exactly) key(m *model, p press) want {
	v, k := x.run, m.c.Keys
	v.begin(p, k)
	if w, done := m.moving(v, p); done {
		if v.Lower == view.ShowAsk {
			m.clear()
		}
		return w
	}
	switch {
	case p.is(k.Down):
		x.scroll = min(x.scroll+1, m.c.ExactlyEnd(&v.Stepper))
	case p.is(k.Up):
		x.scroll = max(0, x.scroll-1)
	case p.is(k.Exactly), p.is(k.Escape), p.is(k.Quit):
		m.pop()
	case p.is(k.Look), p.is(k.Help), p.is(k.Unfold), p.is(k.Copy), p.is(k.Command), p.is(k.Find):
		return m.looking(v, p)
	}
	return nothing
}

func (x *exactly) view(m *model) string { return m.c.Exactly(&x.run.Stepper, x.scroll) }

func (x *exactly) help(m *model) []key.Binding { return m.c.Keys.ForExactly() }

// moving handles the keys that go somewhere.
func (m *model) moving(v *stepper, p press) (w want, done bool) {
	keys := m.c.Keys
	switch {
	case v.Lower == view.ShowAsk && (p.is(keys.Forward) || p.is(keys.PageDown) || p.is(keys.Play)):
		m.clear() // the question is put on the run's own screen
		v.Message = "A prediction waits: a number answers, enter or esc skips."
	case p.is(keys.Forward), p.is(keys.PageDown):
		v.forward()
	case p.is(keys.Back), p.is(keys.PageUp):
		v.back()
	case p.is(keys.Play):
		return m.play(v), true
	case p.is(keys.Faster):
		m.setSpeed(v, m.speed/2)
	case p.is(keys.Slower):
		m.setSpeed(v, m.speed*2)
	case p.is(keys.First):
		v.goTo(0)
	case p.is(keys.Last):
		v.goTo(v.S.Len() - 1)
	case p.is(keys.NextFault):
		i, ok := v.S.NextFault()
		v.jump(i, ok, "Nothing breaks after this step.")
	case p.is(keys.PrevFault):
		i, ok := v.S.PrevFault()
		v.jump(i, ok, "Nothing broke before this step.")
	case p.is(keys.NextViolation):
		v.violation(false)
	case p.is(keys.PrevViolation):
		v.violation(true)
	case p.is(keys.FindNext):
		v.search(v.find, false)
	case p.is(keys.FindPrev):
		v.search(v.find, true)
	default:
		return nothing, false
	}
	return nothing, true
}

// looking handles the keys that show something else.
func (m *model) looking(v *stepper, p press) want {
	keys := m.c.Keys
	switch {
	case p.is(keys.Find):
		m.ask(view.PromptFind, "")
	case p.is(keys.Command):
		m.ask(view.PromptCommand, "")
	case p.is(keys.Choose):
		m.openChoices(v)
	case p.is(keys.Fork):
		m.askFork(v)
	case p.is(keys.Previous):
		m.back(v)
	case p.is(keys.Branches):
		m.openBranches(v)
	case p.is(keys.Beside):
		m.openBeside(v)
	case p.is(keys.Save):
		m.askSave(v)
	case p.is(keys.Why):
		v.why()
	case p.is(keys.Exactly):
		if v.Lower != view.ShowAsk {
			v.close()
		}
		if v.exactly() {
			m.push(&exactly{run: v})
		}
	case p.is(keys.Notes):
		v.notes()
	case p.is(keys.Predict):
		v.asking = !v.asking
		v.Message = "Predictions are asked for again."
		if !v.asking {
			v.Message = "No more predictions are asked for."
			if v.Lower == view.ShowAsk {
				v.answers[v.Ask.Question.Number], v.Lower, v.Ask = "", view.ShowNow, nil
			}
		}
	case p.is(keys.Compare):
		m.openCompare(v)
	case p.is(keys.Unfold):
		v.S.Unfold(!v.S.Unfolded())
		v.settle()
	case p.is(keys.Focus):
		v.Focus = (v.Focus + 1) % view.NumPanes
	case p.is(keys.FocusBack):
		v.Focus = (v.Focus + view.NumPanes - 1) % view.NumPanes
	case p.is(keys.Up):
		v.move(-1)
	case p.is(keys.Down):
		v.move(1)
	case p.is(keys.Enter):
		v.enter()
	case p.is(keys.Copy):
		if m.copied = v.sentence(); m.copied != "" {
			v.Message = "Copied: " + m.copied
			return wantCopy
		}
	case p.is(keys.Look):
		m.nextLook()
		v.Message = "Drawn " + m.looks[m.look].name + "."
	case p.is(keys.Help):
		m.openHelp()
	case p.is(keys.Escape):
		if !v.escape() {
			m.close(false)
		}
	case p.is(keys.Quit):
		if v.Lower != view.ShowNow {
			v.close()
		} else if !m.close(true) {
			return wantQuit
		}
	}
	return nothing
}

// close leaves the run on top. It reports false if there is nothing below; then the run stays.
func (m *model) close(quitting bool) bool {
	switch {
	case len(m.runs()) > 1:
		m.pop()
	case topmost[*picker](m) != nil && m.warn():
	case topmost[*picker](m) != nil:
		m.pop()
	case quitting && m.warn():
	default:
		if !quitting {
			m.top().Message = "This is the top. q quits."
		}
		return false
	}
	return true
}

// prompt is a line that is typed under a run.
type prompt struct {
	kind string // its first character says what for
	line
}

// ask lets a line be typed.
func (m *model) ask(kind, text string) { m.push(&prompt{kind, newLine(text)}) }

func (l *prompt) key(m *model, p press) want {
	k := m.c.Keys
	switch {
	case p.is(k.Escape), p.is(k.Erase) && l.Value() == "":
		m.pop()
	case p.is(k.Enter):
		m.clear()
		return m.entered(l.kind, l.Value())
	default:
		l.take(p)
	}
	return nothing
}

func (l *prompt) view(m *model) string {
	v := m.top().Stepper
	v.Prompt = l.kind + l.typed()
	return m.c.Stepper(&v)
}

func (l *prompt) help(m *model) []key.Binding { return m.c.Keys.ForLines() }

// entered does what a line says.
func (m *model) entered(kind, text string) want {
	v := m.top()
	switch {
	case text == "":
	case kind == view.PromptFind:
		v.search(text, false)
	case kind == view.PromptFork:
		m.fork(v, text)
	case kind == view.PromptSave:
		m.toSave(v, text)
		return wantSave
	default:
		v.command(text)
	}
	return nothing
}

// warn says, once, that there are branches that would be lost. It reports whether it did.
func (m *model) warn() bool {
	n := m.unsaved()
	if m.warned || n == 0 {
		return false
	}
	m.warned = true
	what := "A branch with decisions is"
	if n > 1 {
		what = fmt.Sprintf("%d branches with decisions are", n)
	}
	m.top().Message = what + " not saved: S saves one. Press again to leave."
	return true
}

// play starts or stops. With reduced motion it goes to the next pause at once.
func (m *model) play(v *stepper) want {
	if v.Playing {
		v.Playing = false
		return nothing
	}
	if v.S.AtEnd() {
		v.Message = "This is the end of the run. g goes back to its beginning."
		return nothing
	}
	v.Playing = true
	if m.o.ReducedMotion {
		for m.playOn() {
		}
		return nothing
	}
	m.plays++
	m.playOn()
	return wantTick
}

// playOn takes the next step of play. It reports whether play goes on: it pauses where a question is asked,
// where a chapter begins, and at the end.
func (m *model) playOn() bool {
	v := m.top()
	if v == nil || !v.Playing {
		return false
	}
	switch m.stack[len(m.stack)-1].(type) {
	case *stepper, *exactly:
	default:
		return false
	}
	if v.forward(); v.Lower == view.ShowAsk {
		m.clear()
	}
	v.Playing = v.Lower != view.ShowAsk && !v.S.AtEnd() && v.S.ActHere() == ""
	return v.Playing
}

func (m *model) setSpeed(v *stepper, d time.Duration) {
	m.speed = max(50*time.Millisecond, min(d, 6*time.Second))
	v.Message = fmt.Sprintf("A step of play takes %v.", m.speed)
}

// openCompare runs the file's comparisons and lists them.
func (m *model) openCompare(v *stepper) {
	if len(m.runs()) > 1 {
		v.Message = "This is a comparison. esc goes back to the run it is compared with."
		return
	}
	all, err := v.S.Story().Compare(v.S.Answers())
	if err != nil {
		v.Message = err.Error()
		return
	}
	list := &compare{}
	for i, x := range all {
		variant := &v.S.File.Compare[i]
		c := view.Comparison{Label: x.Label, Title: x.Title, PartsAt: x.PartsAt, Refused: x.Refused, Explain: variant.Explain.In(m.c.Lang)}
		for _, claim := range format.ClaimNames() {
			if ruling, ok := overall(&x.Result, claim); ok {
				c.Claims = append(c.Claims, view.Stated{Claim: claim, Verdict: ruling})
			}
		}
		list.all = append(list.all, c)
	}
	m.push(list)
}

// compare is the list of comparisons.
type compare struct {
	cursor
	all []view.Comparison
}

func (l *compare) key(m *model, p press) want {
	k := m.c.Keys
	switch {
	case l.cursor.key(p, k, len(l.all)):
	case p.is(k.Enter), p.is(k.Forward):
		if s := m.comparison(l); s != nil {
			m.layOver(s, &l.all[l.at])
		}
	case p.is(k.Beside):
		if s := m.comparison(l); s != nil {
			chosen := &l.all[l.at]
			m.besideRuns(m.top().S, s, m.tree.Here().Name, chosen.Label, func() { m.layOver(s, chosen) })
		}
	case p.is(k.Help):
		m.openHelp()
	case p.is(k.Escape), p.is(k.Quit), p.is(k.Compare):
		m.pop()
	}
	return nothing
}

func (l *compare) view(m *model) string { return m.c.Compare(m.top().S.File.Name.Text, l.all, l.at) }

func (l *compare) help(m *model) []key.Binding { return m.c.Keys.ForComparisons() }

// comparison carries the chosen comparison out; nil if that is not possible.
func (m *model) comparison(l *compare) *session.Session {
	if len(l.all) == 0 {
		return nil
	}
	base := m.top()
	opened := *base.S.Opened
	opened.File, opened.Base = scenarios.Variants(base.S.File)[l.at], base.S.File
	opened.Answers = nil
	o := scenarios.Options{Seed: base.S.Result.Seed, Source: base.S.Lenient()}
	if o.Source != nil {
		o.FaultModel = base.S.Options.FaultModel
	}
	s, err := session.Open(&opened, o, m.o.Lang)
	if err != nil {
		m.clear()
		base.Message = err.Error()
		return nil
	}
	return s
}

// layOver puts a comparison over the run, where they part.
func (m *model) layOver(s *session.Session, chosen *view.Comparison) {
	base := m.top()
	m.clear()
	if chosen.PartsAt > 0 {
		s.GoTo(s.PartsFrom(base.S))
	}
	v := newStepper(m.c, s, chosen.Label)
	v.asking = false
	if chosen.PartsAt > 0 {
		v.Message = fmt.Sprintf("Here this run parts from the other, which is then at step %d.", chosen.PartsAt)
	}
	m.push(v)
}

// overall is a run's verdict on a claim over all levels; ok is false if it was not judged.
func overall(res *scenarios.Result, claim string) (string, bool) {
	r, ok := res.Report.Overall(checker.Claim(claim))
	return string(r), ok
}
