package view

import (
	"fmt"

	"kafkatrial/sim"
	"kafkatrial/tui/session"
)

// database draws what is committed in a database, the positions in it, and what is under way.
func (c *Context) database(d *session.Database, name, width int) []string {
	var parts []string
	switch {
	case d.Never:
		parts = append(parts, "not started")
	case d.State != sim.Up:
		parts = append(parts, stateWord(d.State, ""))
	case len(d.Tables) == 0:
		parts = append(parts, "empty")
	}
	for _, t := range d.Tables {
		if len(t.Rows) == 0 {
			continue
		}
		text := t.Name + " " + tail(t.Rows)
		if t.Marked > 0 {
			text += fmt.Sprintf(" (%d passed on)", t.Marked)
		}
		parts = append(parts, c.Theme.Good.Render(text))
	}
	for _, p := range d.Positions {
		what := "pos"
		if p.Staged {
			what = "staged"
		}
		parts = append(parts, fmt.Sprintf("%s %s %v %d", what, p.Group, p.TP, p.Offset))
	}
	for _, o := range d.Open {
		text := fmt.Sprintf("open %d of %s", o.Number, o.Client)
		if o.Prepared != "" {
			text = "prepared " + o.Prepared
		}
		if len(o.Rows) > 0 {
			text += " " + tail(o.Rows)
		}
		parts = append(parts, c.Theme.Warn.Render(text))
	}
	return c.flow(c.clientName(&d.Node, name), parts, width)
}
