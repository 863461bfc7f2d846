package view

import (
	"fmt"
	"strings"
)

// BranchRow is one run in the list of branches.
type BranchRow struct {
	Name      string
	From      string // the run it was begun from, "" for the one that was opened
	Step      int    // of that run
	Here      bool   // it is the one that is looked at
	Steps     int
	Claims    []Stated
	Undecided string
	Decided   []string // what was chosen in it, with steps
	File      string   // it was written to, "" if it was not
}

// Branches draws the list of branches: where each was begun, what was decided in it, and its verdicts.
func (c *Context) Branches(name string, all []BranchRow, at int) string {
	t := c.Theme
	var lines []string
	cursor := 0
	for i, b := range all {
		mark := "  "
		if i == at {
			mark = t.G.Narrator + " "
			cursor = len(lines)
		}
		head := mark + b.Name
		if b.From != "" {
			head += fmt.Sprintf(": from %s, after its step %d", b.From, b.Step)
		}
		if b.Here {
			head += "  (you are here)"
		}
		head = c.Cut(head, c.Width-1)
		if i == at {
			head = t.Strong.Render(head)
		}
		lines = append(lines, head)
		body := c.stated(b.Claims, c.Width-5)
		if b.Undecided != "" {
			body = append(body, Wrap("undecided: "+c.own(b.Undecided), c.Width-5)...)
		}
		if len(b.Decided) > 0 {
			body = append(body, Wrap("decided: "+strings.Join(b.Decided, ", "), c.Width-5)...)
		} else if b.From != "" {
			body = append(body, "nothing was decided in it yet")
		}
		if b.File != "" {
			body = append(body, c.Cut("written: kafkatrial step "+b.File, c.Width-5))
		}
		for _, l := range body {
			lines = append(lines, "    "+l)
		}
		lines = append(lines, "")
	}
	height := c.Height - 2
	foot := c.footer(c.Keys.ForBranches())
	return c.Screen(append(append([]string{c.Rule(name+": interactive runs, and their verdicts", c.Width, true)},
		c.block(window(lines, cursor, height), c.Width, height)...), foot))
}
