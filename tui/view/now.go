package view

import (
	"fmt"
	"strings"

	"kafkatrial/tui/session"
	"kafkatrial/tui/story"
)

// Now says in full sentences what has just happened, with what the narrator says and what it proves. row is
// the selected row of the time line, nil if it is the present.
func (c *Context) Now(s *session.Session, row *session.Row, trouble string, verdicts []string, width int) (string, []string) {
	t := c.Theme
	title := "now"
	if k, act := s.Act(); k > 0 {
		title = fmt.Sprintf("act %d: %s", k, act)
	}
	if row != nil {
		var lines []string
		for _, l := range Wrap(c.own(row.Text), width-1) {
			lines = append(lines, " "+l)
		}
		title := fmt.Sprintf("selected: step %d at %s", row.Step+1, story.Clock(row.At))
		if here := s.Here().Steps; here != row.Step+1 {
			title += fmt.Sprintf(" (the run stands at step %d)", here)
		}
		return title, lines
	}
	var lines []string
	add := func(mark, text string, st interface{ Render(...string) string }) {
		for i, l := range Wrap(c.own(text), width-3) {
			if i > 0 {
				mark = " "
			}
			lines = append(lines, " "+st.Render(mark+" "+l))
		}
	}
	if act := s.ActHere(); act != "" {
		add(t.G.Told, "A new act begins: "+act+".", t.Strong)
	}
	said, ok := s.Said()
	if s.SaidHere() {
		add(t.G.Narrator, said, t.Strong)
	}
	for _, v := range verdicts {
		add(t.G.Told, v, t.Strong)
	}
	rows := s.Rows()
	n := s.RowsUpTo(s.At())
	from, _ := s.Steps()
	first := n
	for first > 0 && rows[first-1].Step >= from {
		first--
	}
	for _, r := range rows[first:n] {
		switch r.Kind {
		case story.Say, story.Act:
		case story.Ask:
			add("?", r.Text, t.Plain)
		case story.Answer:
			if len(verdicts) == 0 {
				add("?", r.Text, t.Plain)
			}
		case story.Healed, story.Stopped:
			add(t.G.Told, r.Text, t.Plain)
		default:
			add(" ", r.Text, t.Plain)
		}
	}
	if s.AtEnd() {
		if why := s.Result.Undecided; why != "" {
			add(t.G.Undecided, "Undecided: "+why, t.Warn)
		}
		if s.Strayed() {
			add(t.G.Narrator, "This is the end of the run. What was decided in it is not in the file, which therefore explains nothing here.", t.Plain)
		} else {
			add(t.G.Narrator, s.Story().Explain(), t.Plain)
		}
	}
	if trouble != "" {
		add(t.G.Violated, trouble, t.Bad)
	}
	if ok && !s.AtEnd() && !s.SaidHere() {
		add(t.G.Narrator, said, t.Plain)
	}
	if s.At() == s.Begin() {
		add(t.G.Narrator, fmt.Sprintf("The cluster has come up (steps 1 to %d). The script begins with the next step.", s.Here().Steps), t.Plain)
		add(" ", s.File.Title.In(c.Lang), t.Plain)
	}
	if len(lines) == 0 && s.Here().Steps > 0 {
		add(" ", s.Words(s.Here().Steps-1)+" (routine, which z unfolds)", t.Faint)
	}
	return title, lines
}

// Why lists the chain of causes that leads to a step, as numbered sentences; selected counts from 0.
func (c *Context) Why(chain []story.Cause, selected, width, height int) (string, []string) {
	t := c.Theme
	var lines []string
	at := 0
	for i, cause := range chain {
		mark, st := "  ", t.Plain
		if i == selected {
			mark, st = t.G.Narrator+" ", t.Strong
			at = len(lines)
		}
		head := fmt.Sprintf("%s%2d. step %d, %s: ", mark, i+1, cause.Step, story.Clock(cause.At))
		for k, l := range Wrap(c.own(cause.Text), width-textWidth(head)) {
			if k > 0 {
				head = strings.Repeat(" ", textWidth(head))
			}
			lines = append(lines, st.Render(head+l))
		}
	}
	title := fmt.Sprintf("why step %d: %d steps led to it", chain[len(chain)-1].Step, len(chain)-1)
	switch len(chain) {
	case 1:
		title = fmt.Sprintf("why step %d: no step led to it", chain[0].Step)
	case 2:
		title = fmt.Sprintf("why step %d: one step led to it", chain[1].Step)
	}
	return title, window(lines, at, height)
}

// window gives height lines of many, such that line at is among them.
func window(lines []string, at, height int) []string {
	if len(lines) <= height {
		return lines
	}
	first := max(0, min(at-height/2, len(lines)-height))
	return lines[first : first+height]
}

// Notes shows the lecturer's notes.
func (c *Context) Notes(s *session.Session, width int) (string, []string) {
	general, here := s.Notes()
	var lines []string
	for _, text := range []string{here, general} {
		for _, l := range Wrap(text, width-1) {
			lines = append(lines, " "+l)
		}
	}
	if len(lines) == 0 {
		lines = []string{" The file has no notes for the speaker (key notes, of the scenario or of a step)."}
	}
	return fmt.Sprintf("speaker's notes, step %d of the script", s.ScriptStep()), lines
}

// Asking is a prediction that waits for an answer.
type Asking struct {
	Question session.Question
	Typed    string // so far, with a mark where the next character goes, if there are no choices
}

// Ask shows the question and the answers to choose from.
func (c *Context) Ask(a *Asking, width int) (string, []string) {
	t := c.Theme
	var lines []string
	for i, l := range Wrap(a.Question.Ask, width-3) {
		mark := "? "
		if i > 0 {
			mark = "  "
		}
		lines = append(lines, " "+t.Strong.Render(mark+l))
	}
	if len(a.Question.Choices) == 0 {
		lines = append(lines, "   your answer: "+a.Typed)
	}
	line := " "
	for i, ch := range a.Question.Choices {
		item := fmt.Sprintf("  %d) %s ", i+1, ch)
		if line != " " && textWidth(line)+textWidth(item) > width {
			lines = append(lines, line)
			line = " "
		}
		line += item
	}
	if strings.TrimSpace(line) != "" {
		lines = append(lines, line)
	}
	return "what do you think?", lines
}

// nowPane is what has just happened and what the narrator says, or what was asked for in its place.
type nowPane struct {
	c *Context
	v *Stepper
}

func (p *nowPane) needs(width int) needs {
	_, lines := p.body(width, 1<<20)
	n := 1 + max(1, len(lines))
	return needs{min(n, 3), n, n}
}

// body is all that the pane could show, and what its heading says. Of a chain of causes it is the part around the chosen one.
func (p *nowPane) body(width, rows int) (title string, lines []string) {
	switch v := p.v; v.Lower {
	case ShowWhy:
		return p.c.Why(v.Chain, v.ChainAt, width, rows)
	case ShowNotes:
		title, lines = p.c.Notes(v.S, width)
	case ShowAsk:
		title, lines = p.c.Ask(v.Ask, width)
	default:
		title, lines = p.c.Now(v.S, v.Row(), v.Trouble, v.Verdicts, width)
	}
	if p.v.Score != "" {
		title += "   " + p.v.Score
	}
	return title, lines
}

func (p *nowPane) draw(width, rows int) []string {
	title, lines := p.body(width, rows-1)
	if left := len(lines) - (rows - 1); left > 0 {
		first := max(0, min(p.v.Scroll, left))
		lines = lines[first : first+rows-1]
		if left -= first; left > 0 {
			more := fmt.Sprintf("   (%s: tab, %s)", moreLines(left), p.c.Theme.G.Down)
			title = p.c.Cut(title, width-4-textWidth(more)) + more
		}
	}
	return append([]string{p.c.Rule(title, width, p.v.Focus == NowPane || p.v.Lower != ShowNow)}, lines...)
}

func moreLines(n int) string {
	if n == 1 {
		return "1 more line"
	}
	return num(n) + " more lines"
}

// NowEnd is how many lines the pane of what has just happened can be scrolled down.
func (c *Context) NowEnd(v *Stepper) int {
	width, rows := c.placed(v, func(p *panes) pane { return p.now })
	_, lines := (&nowPane{c, v}).body(width, max(0, rows-1))
	return max(0, len(lines)-(rows-1))
}
