package view

import (
	"fmt"

	"kafkatrial/sim"
	"kafkatrial/tui/session"
	"kafkatrial/tui/story"
)

// Chooser is all that the list of what can happen next is drawn from.
type Chooser struct {
	Shown  []session.Choice
	Of     int // without the filter
	At     int
	Filter string
	Typed  string // the filter as it is being typed
	Typing bool
	Note   string // what comes first, or why there is nothing to choose
	Enter  string // what Enter makes of the choice
	Step   int    // of the run, after which it happens
	Now    sim.Time
}

// GroupTitle is the heading of a group of choices.
func GroupTitle(g session.Group) string {
	switch g {
	case session.ByItself:
		return "by itself"
	case session.Unflushed:
		return "what survives of what was not flushed"
	case session.Processes:
		return "processes and machines"
	case session.OnTheWay:
		return "messages on their way"
	case session.OutOfTurn:
		return "another message first"
	}
	return "links"
}

// Chooser draws everything that can happen next, by group, with the chosen thing in a full sentence.
func (c *Context) Chooser(p *Chooser) string {
	t := c.Theme
	title := fmt.Sprintf("step %d, %s: what happens next? (%d)", p.Step, story.Clock(p.Now), p.Of)
	if p.Filter != "" || p.Typing {
		title = fmt.Sprintf("step %d, %s: what happens next? (%d of %d with %q)", p.Step, story.Clock(p.Now), len(p.Shown), p.Of, p.Filter)
	}
	detail := c.choiceDetail(p)
	out := []string{c.Rule(title, c.Width, true)}
	if p.Note != "" {
		for _, l := range Wrap(c.own(p.Note), c.Width-3) {
			out = append(out, " "+t.Warn.Render(l))
		}
	}
	height := c.Height - len(out) - len(detail) - 2
	names := 0
	for _, ch := range p.Shown {
		names = max(names, textWidth(ch.ID))
	}
	names = min(names, c.Width*9/20)
	var lines []string
	at := 0
	for i, ch := range p.Shown {
		if i == 0 || p.Shown[i-1].Group != ch.Group {
			lines = append(lines, t.Faint.Render(GroupTitle(ch.Group)))
		}
		mark := "  "
		if i == p.At {
			mark, at = t.G.Narrator+" ", len(lines)
		}
		line := c.Cut(mark+c.Fit(ch.ID, names)+"  "+c.own(ch.Text), c.Width-1)
		switch {
		case i == p.At:
			line = t.Strong.Render(line)
		case ch.Routine:
			line = t.Faint.Render(line)
		}
		lines = append(lines, line)
	}
	if len(p.Shown) == 0 && p.Of > 0 {
		lines = []string{"", "Nothing that can happen fits the filter. esc clears it."}
	}
	if len(p.Shown) > 0 && at == 1 {
		at = 0 // the first heading stays in sight
	}
	out = append(out, c.block(window(lines, at, height), c.Width, height)...)
	out = append(out, c.Rule("", c.Width, false))
	out = append(out, detail...)
	foot := c.footer(c.Keys.ForChoices())
	if p.Typing {
		foot = "/" + p.Typed + "   (enter keeps the filter, esc clears it)"
	}
	return c.Screen(append(c.block(out, c.Width, c.Height-1), foot))
}

// choiceDetail tells the chosen thing in full, on as many lines whatever it is, so that the list stays where
// it is.
func (c *Context) choiceDetail(p *Chooser) []string {
	height := 5
	if c.Height < 22 {
		height = 4
	}
	if len(p.Shown) == 0 {
		return c.block(nil, c.Width, height)
	}
	ch := p.Shown[p.At]
	group := "  " + c.Theme.G.Dot + " " + GroupTitle(ch.Group)
	name := c.Cut(ch.ID, c.Width-1-textWidth(group))
	lines := []string{c.Theme.Strong.Render(name) + c.Theme.Faint.Render(group)}
	for _, l := range Wrap(c.own(ch.Text)+".", c.Width-2) {
		lines = append(lines, " "+l)
	}
	if len(lines) > height-1 {
		lines = lines[:height-1]
		lines[height-2] = c.Cut(lines[height-2], c.Width-3) + " " + c.Theme.G.Ellipsis
	}
	return c.block(append(lines, " "+c.Theme.Faint.Render(c.Cut(p.Enter, c.Width-2))), c.Width, height)
}
