package view

import (
	"fmt"
	"strings"

	"kafkatrial/tui/session"
	"kafkatrial/tui/story"
)

// Side is one of two runs that are compared.
type Side struct {
	S      *session.Session
	Name   string
	Step   int // at which it first does what the other does not, from 1; 0 if it does nothing of the kind
	Claims []Stated
}

// Beside is two runs and where they part.
type Beside struct {
	One, Other Side
	Same       int // up to this step the two are the same in everything; 0 if that is not to be said
	Scroll     int // rows down from where they part
}

// sideBySide is the width from which on two runs stand next to each other.
const sideBySide = 120

// Beside draws two runs around the first step at which they part: side by side if there is room, else one
// above the other. The rows at which they part are in the same place of both.
func (c *Context) Beside(b *Beside) string {
	title := fmt.Sprintf("where %s and %s part", b.One.Name, b.Other.Name)
	if b.One.Step == 0 && b.Other.Step == 0 {
		title = fmt.Sprintf("%s and %s part in nothing that is written, acknowledged, read or processed", b.One.Name, b.Other.Name)
	}
	if b.Same > 0 {
		title += fmt.Sprintf(" (up to step %d they are the same)", b.Same)
	}
	foot := c.footer(c.Keys.ForBeside())
	height := c.Height - 2
	lines := []string{c.Theme.Strong.Render(c.Cut(title, c.Width))}
	if c.Width >= sideBySide {
		left := (c.Width - 3) / 2
		right := c.Width - 3 - left
		lines = append(lines, beside(c.side(&b.One, b.Scroll, left, height), c.side(&b.Other, b.Scroll, right, height), " "+c.Theme.Faint.Render(c.Theme.G.Bar)+" ")...)
	} else {
		lines = append(lines, c.side(&b.One, b.Scroll, c.Width, height-height/2)...)
		lines = append(lines, c.side(&b.Other, b.Scroll, c.Width, height/2)...)
	}
	return c.Screen(append(c.block(lines, c.Width, c.Height-1), foot))
}

// side draws one of the runs: its name, its rows around the parting, its verdicts.
func (c *Context) side(v *Side, scroll, width, height int) []string {
	claims := c.stated(v.Claims, width-1)
	claims = claims[:min(len(claims), max(2, height/5))]
	title := v.Name + ": goes on as the other does"
	if v.Step > 0 {
		title = fmt.Sprintf("%s: parts at step %d, %s", v.Name, v.Step, story.Clock(v.S.Moment(v.S.OfStep(v.Step)).Now))
	}
	body := height - 1 - len(claims)
	lines := append([]string{c.Rule(title, width, true)}, c.block(c.sideRows(v, scroll, width, body), width, body)...)
	for _, l := range claims {
		lines = append(lines, c.Fit(" "+l, width))
	}
	return lines
}

// sideRows draws the time line of a run such that the row at which it parts, less what is scrolled, stands a
// third of the height below the top.
func (c *Context) sideRows(v *Side, scroll, width, height int) []string {
	rows := v.S.Rows()
	at := len(rows)
	for i := range rows {
		if v.Step > 0 && rows[i].Step >= v.Step-1 {
			at = i
			break
		}
	}
	if v.Step == 0 && len(rows) > 0 {
		at = len(rows) - 1
	}
	lead, clock := height/3, 8
	for i := max(0, at+scroll-lead); i < min(len(rows), at+scroll-lead+height); i++ {
		clock = max(clock, textWidth(story.Clock(rows[i].At)))
	}
	var lines []string
	for i := at + scroll - lead; len(lines) < height && i < len(rows); i++ {
		if i < 0 {
			lines = append(lines, "")
			continue
		}
		r := &rows[i]
		mark := " "
		if i == at && v.Step > 0 {
			mark = c.Theme.G.Narrator
		}
		glyph, tone := c.glyph(v.S, r)
		head := fmt.Sprintf("%s%5d %s ", mark, r.Step+1, padLeft(story.Clock(r.At), clock))
		text := Wrap(c.own(r.Text), max(10, width-textWidth(head)-3))
		if i != at && len(text) > 1 {
			text = []string{c.Cut(strings.Join(text, " "), max(10, width-textWidth(head)-3))}
		}
		for k, l := range text {
			switch {
			case k > 0:
				l = strings.Repeat(" ", textWidth(head)+2) + c.Theme.Strong.Render(l)
			case i == at && v.Step > 0:
				l = c.Theme.Strong.Render(head) + glyphStyle(c.Theme, tone).Render(glyph) + " " + c.Theme.Strong.Render(l)
			default:
				l = c.Theme.Faint.Render(head) + glyphStyle(c.Theme, tone).Render(glyph) + " " + l
			}
			lines = append(lines, l)
		}
	}
	return lines
}
