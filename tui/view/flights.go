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

// Flights lists the messages on their way.
func (c *Context) Flights(flights []session.Flight, width, height int) []string {
	t := c.Theme
	var lines []string
	for i, f := range flights {
		if i == height-1 && len(flights) > height {
			lines = append(lines, t.Faint.Render(fmt.Sprintf("%s %d more", t.G.Ellipsis, len(flights)-i)))
			break
		}
		how := ""
		switch {
		case f.Lost:
			how = t.Bad.Render("will be lost")
		case f.Held:
			how = t.Warn.Render("held back")
		case f.Cut:
			how = t.Warn.Render("the link is cut")
		case f.At >= 0 && f.At < 1<<62:
			how = t.Faint.Render("arrives at " + story.Clock(f.At))
		default:
			how = t.Faint.Render("waits behind another")
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
