package tui

import (
	"fmt"
	"time"

	"kafkatrial/checker"
	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
	"kafkatrial/tui/session"
	"kafkatrial/tui/view"
)

// stepKey handles a key in the stepper.
func (m *model) stepKey(hit hitFunc, k, text string) want {
	v, keys := m.top(), m.c.Keys
	if v.Prompt != "" {
		return m.prompt(k, text)
	}
	if v.Lower == view.ShowAsk && !(hit(keys.Predict) && len(v.Ask.Question.Choices) > 0) {
		if v.typeAnswer(k, text) || len(v.Ask.Question.Choices) == 0 {
			return nothing
		}
		if hit(keys.Forward) || hit(keys.Play) {
			v.Message = "A prediction waits: a number answers, enter or esc skips."
			return nothing
		}
	}
	if !hit(keys.Escape) {
		v.Message = ""
	}
	if !hit(keys.Play) && !hit(keys.Faster) && !hit(keys.Slower) && !hit(keys.Look) {
		v.Playing = v.Playing && hit(keys.Escape)
	}
	if w, done := m.moving(v, hit); done {
		return w
	}
	if v.Exactly && exactlyKey(v, m.c.Keys, hit) {
		return nothing
	}
	return m.looking(v, hit)
}

// exactlyKey handles the keys that mean something else, or nothing, while the screen shows what exactly-once rests on.
// It reports whether the key was used up.
func exactlyKey(v *stepper, keys *view.KeyMap, hit hitFunc) bool {
	switch {
	case hit(keys.Down):
		v.Scroll++
	case hit(keys.Up):
		v.Scroll = max(0, v.Scroll-1)
	case hit(keys.Exactly), hit(keys.Escape), hit(keys.Quit):
		v.Exactly, v.Scroll = false, 0
	case hit(keys.Look), hit(keys.Help), hit(keys.Unfold), hit(keys.Copy), hit(keys.Command), hit(keys.Find):
		return false
	}
	return true
}

// moving handles the keys that go somewhere.
func (m *model) moving(v *stepper, hit hitFunc) (w want, done bool) {
	keys := m.c.Keys
	switch {
	case hit(keys.Forward):
		v.forward()
	case hit(keys.Back):
		v.back()
	case hit(keys.Play):
		return m.play(v), true
	case hit(keys.Faster):
		m.setSpeed(v, m.speed/2)
	case hit(keys.Slower):
		m.setSpeed(v, m.speed*2)
	case hit(keys.First):
		v.goTo(0)
	case hit(keys.Last):
		v.goTo(v.S.Len() - 1)
	case hit(keys.NextFault):
		i, ok := v.S.NextFault()
		v.jump(i, ok, "Nothing breaks after this step.")
	case hit(keys.PrevFault):
		i, ok := v.S.PrevFault()
		v.jump(i, ok, "Nothing broke before this step.")
	case hit(keys.NextViolation):
		v.violation(false)
	case hit(keys.PrevViolation):
		v.violation(true)
	case hit(keys.FindNext):
		v.search(v.find, false)
	case hit(keys.FindPrev):
		v.search(v.find, true)
	default:
		return nothing, false
	}
	return nothing, true
}

// looking handles the keys that show something else.
func (m *model) looking(v *stepper, hit hitFunc) want {
	keys := m.c.Keys
	switch {
	case hit(keys.Find):
		v.Prompt = view.PromptFind
	case hit(keys.Command):
		v.Prompt = view.PromptCommand
	case hit(keys.Choose):
		m.openChoices(v)
	case hit(keys.Fork):
		m.askFork(v)
	case hit(keys.Previous):
		m.back(v)
	case hit(keys.Branches):
		m.openBranches(v)
	case hit(keys.Beside):
		m.openBeside(v)
	case hit(keys.Save):
		m.askSave(v)
	case hit(keys.Why):
		v.why()
	case hit(keys.Exactly):
		v.exactly()
	case hit(keys.Notes):
		v.notes()
	case hit(keys.Predict):
		v.asking = !v.asking
		v.Message = "Predictions are asked for again."
		if !v.asking {
			v.Message = "No more predictions are asked for."
			if v.Lower == view.ShowAsk {
				v.answers[v.Ask.Question.Number], v.Lower, v.Ask = "", view.ShowNow, nil
			}
		}
	case hit(keys.Compare):
		m.openCompare(v)
	case hit(keys.Unfold):
		v.S.Unfold(!v.S.Unfolded())
		v.settle()
	case hit(keys.Focus):
		v.Focus = (v.Focus + 1) % view.NumPanes
	case hit(keys.FocusBack):
		v.Focus = (v.Focus + view.NumPanes - 1) % view.NumPanes
	case hit(keys.Up):
		v.move(-1)
	case hit(keys.Down):
		v.move(1)
	case hit(keys.Enter):
		v.enter()
	case hit(keys.Copy):
		if m.copied = v.sentence(); m.copied != "" {
			v.Message = "Copied: " + m.copied
			return wantCopy
		}
	case hit(keys.Look):
		m.setLook((m.look + 1) % len(m.looks))
		v.Message = "Drawn " + m.looks[m.look].name + "."
	case hit(keys.Help):
		m.openHelp()
	case hit(keys.Escape):
		if !v.escape() {
			m.close(false)
		}
	case hit(keys.Quit):
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
	case len(m.steps) > 1:
		m.steps = m.steps[:len(m.steps)-1]
	case m.pick != nil && m.warn():
	case m.pick != nil:
		m.steps = nil
	case quitting && m.warn():
	default:
		if !quitting {
			m.top().Message = "This is the top. q quits."
		}
		return false
	}
	return true
}

// prompt handles a key while a line is typed.
func (m *model) prompt(k, text string) want {
	v := m.top()
	kind := v.Prompt[:1]
	if k == "backspace" && len(v.Prompt) == 1 {
		v.Prompt = ""
		return nothing
	}
	typing, line := typeLine(true, v.Prompt[1:], k, text)
	if typing {
		v.Prompt = kind + line
		return nothing
	}
	v.Prompt = ""
	switch {
	case line == "":
	case kind == view.PromptFind:
		v.search(line, false)
	case kind == view.PromptFork:
		m.fork(v, line)
	case kind == view.PromptSave:
		m.toSave(v, line)
		return wantSave
	default:
		v.command(line)
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
	if v == nil || !v.Playing || m.compare != nil || m.beside != nil || m.branches != nil || m.choosing != nil || m.help {
		return false
	}
	v.forward()
	v.Playing = v.Lower != view.ShowAsk && !v.S.AtEnd() && v.S.ActHere() == ""
	return v.Playing
}

func (m *model) setSpeed(v *stepper, d time.Duration) {
	m.speed = max(50*time.Millisecond, min(d, 6*time.Second))
	v.Message = fmt.Sprintf("A step of play takes %v.", m.speed)
}

// openCompare runs the file's comparisons and lists them.
func (m *model) openCompare(v *stepper) {
	if len(m.steps) > 1 {
		v.Message = "This is a comparison. esc goes back to the run it is compared with."
		return
	}
	all, err := v.S.Story().Compare(v.S.Answers())
	if err != nil {
		v.Message = err.Error()
		return
	}
	m.compare = &compare{}
	for i, x := range all {
		variant := &v.S.File.Compare[i]
		c := view.Comparison{Label: x.Label, Title: x.Title, PartsAt: x.PartsAt, Refused: x.Refused, Explain: variant.Explain.In(m.c.Lang)}
		for _, claim := range format.ClaimNames() {
			if ruling, ok := overall(&x.Result, claim); ok {
				c.Claims = append(c.Claims, view.Stated{Claim: claim, Verdict: ruling})
			}
		}
		m.compare.all = append(m.compare.all, c)
	}
}

// comparison carries the chosen comparison out; nil if that is not possible.
func (m *model) comparison() *session.Session {
	if len(m.compare.all) == 0 {
		return nil
	}
	base := m.top()
	opened := *base.S.Opened
	opened.File, opened.Base = scenarios.Variants(base.S.File)[m.compare.at], base.S.File
	opened.Answers = nil
	o := scenarios.Options{Seed: base.S.Result.Seed, Source: base.S.Lenient()}
	if o.Source != nil {
		o.FaultModel = base.S.Options.FaultModel
	}
	s, err := session.Open(&opened, o, m.o.Lang)
	if err != nil {
		m.compare = nil
		base.Message = err.Error()
		return nil
	}
	return s
}

// besideComparison shows the chosen comparison beside the run.
func (m *model) besideComparison() {
	s := m.comparison()
	if s == nil {
		return
	}
	m.besideRuns(m.top().S, s, m.tree.Here().Name, m.compare.all[m.compare.at].Label, func() { m.layOver(s) })
}

// openComparison opens the chosen comparison where it parts from the run.
func (m *model) openComparison() {
	if s := m.comparison(); s != nil {
		m.layOver(s)
	}
}

// layOver puts a comparison over the run, where they part.
func (m *model) layOver(s *session.Session) {
	base := m.top()
	chosen := m.compare.all[m.compare.at]
	m.compare = nil
	if chosen.PartsAt > 0 {
		s.GoTo(s.PartsFrom(base.S))
	}
	v := newStepper(m.c, s, chosen.Label)
	v.asking = false
	if chosen.PartsAt > 0 {
		v.Message = fmt.Sprintf("Here this run parts from the other, which is then at step %d.", chosen.PartsAt)
	}
	m.steps = append(m.steps, v)
}

// overall is a run's verdict on a claim over all levels; ok is false if it was not judged.
func overall(res *scenarios.Result, claim string) (string, bool) {
	r, ok := res.Report.Overall(checker.Claim(claim))
	return string(r), ok
}
