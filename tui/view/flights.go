package view

import (
	"fmt"
	"slices"
	"strings"

	"kafkatrial/tui/session"
	"kafkatrial/tui/story"
)

// flying picks the messages to show: routine ones only if they are kept back, or if routine is unfolded.
func flying(now *session.State, unfolded bool) []session.Flight {
	var all []session.Flight
	for _, f := range now.Flights {
		if !f.Routine || (f.Held || f.Cut) && !f.Lost || unfolded {
			all = append(all, f)
		}
	}
	slices.SortStableFunc(all, func(a, b session.Flight) int { return rank(a) - rank(b) })
	return all
}

// rank puts what is kept back first, and the controller's housekeeping last.
func rank(f session.Flight) int {
	switch {
	case f.Held:
		return 0
	case f.Cut:
		return 1
	case strings.HasPrefix(f.Kind, "Zk"), strings.HasPrefix(f.Kind, "UpdateMetadata"):
		return 3
	}
	return 2
}

// Flights lists the messages on their way, as many as have room.
func (c *Context) Flights(flights []session.Flight, width, height int) []string {
	t := c.Theme
	var lines []string
	for _, f := range flights[:min(len(flights), height)] {
		text, tone := c.fate(&f)
		how := glyphStyle(t, tone).Render(text)
		if tone == neutral {
			how = t.Faint.Render(text)
		}
		kind := f.Kind
		if f.Detail != "" {
			kind += "  " + c.own(f.Detail)
		}
		left := fill(f.From+t.G.Arrow+f.To, 8) + " "
		room := width - textWidth(left) - textWidth(how) - 2
		lines = append(lines, left+c.Fit(kind, max(room, 8))+"  "+how)
	}
	return lines
}

// flightPane is what is on its way. Where there is little room its heading says it in short.
type flightPane struct {
	c   *Context
	all []session.Flight
}

func newFlightPane(c *Context, v *Stepper) *flightPane {
	return &flightPane{c, flying(v.S.State(), v.S.Unfolded())}
}

func (p *flightPane) needs(int) needs {
	n := len(p.all)
	if n == 0 {
		return needs{}
	}
	return needs{1, 1 + min(n, 2), 1 + min(n, max(2, (p.c.Height-7)/5))}
}

func (p *flightPane) draw(width, rows int) []string {
	if rows > 1 {
		title := "in flight"
		if n := len(p.all) - (rows - 1); n > 0 {
			title += fmt.Sprintf(", %d more", n)
		}
		return append([]string{p.c.Rule(title, width, false)}, p.c.Flights(p.all, width, rows-1)...)
	}
	f := &p.all[0]
	title := "in flight: " + f.From + p.c.Theme.G.Arrow + f.To + " " + f.Kind
	if how, _ := p.c.fate(f); how != "" {
		title += ", " + how
	}
	if n := len(p.all) - 1; n > 0 {
		more := fmt.Sprintf(", %d more", n)
		title = p.c.Cut(title, width-4-textWidth(more)) + more
	}
	return []string{p.c.Rule(title, width, false)}
}

// fate says what will become of a message, as far as it is decided.
func (c *Context) fate(f *session.Flight) (string, tone) {
	switch {
	case f.Lost:
		return "will be lost", bad
	case f.Held:
		return "held back", warn
	case f.Cut:
		return "the link is cut", warn
	case f.At >= 0 && f.At < 1<<62:
		return "arrives at " + story.Clock(f.At), neutral
	}
	return "waits behind another", neutral
}
