package view

import (
	"strings"

	"kafkatrial/checker"
	"kafkatrial/tui/session"
)

// claimsPane says how the claims stand: in the course of the run the three famous ones, as far as one can know, in its heading as long
// as all hold; at its end every claim with its verdict.
type claimsPane struct {
	c *Context
	v *Stepper
}

func (p *claimsPane) needs(width int) needs {
	if p.v.S.AtEnd() {
		n := 1 + len(p.c.verdicts(p.v.S, width, 1<<20))
		return needs{min(n, 3), min(n, max(6, p.c.Height/4)), n}
	}
	if p.v.allHold() {
		return needs{1, 1, 1}
	}
	n := 1 + len(p.wrapped(width))
	return needs{2, n, n}
}

// allHold says that so far none of the claims is violated or at risk.
func (v *Stepper) allHold() bool {
	for _, st := range v.S.Standing() {
		if st.State == checker.AtRisk || st.State == checker.ViolatedSoFar {
			return false
		}
	}
	return true
}

func (p *claimsPane) draw(width, rows int) []string {
	c, s := p.c, p.v.S
	switch {
	case s.AtEnd() && rows < min(3, 1+len(c.verdicts(s, width, 1<<20))):
		return c.verdicts(s, width, rows)
	case s.AtEnd():
		return append([]string{c.Rule("verdict", width, false)}, c.verdicts(s, width, rows-1)...)
	case p.v.allHold():
		var names []string
		for _, st := range s.Standing() {
			names = append(names, string(st.Claim))
		}
		return []string{c.Rule(c.Theme.G.Holds+" hold so far: "+strings.Join(names, ", "), width, false)}
	}
	short, long, wrapped := p.lines(width)
	switch {
	case 1+len(wrapped) <= rows:
		return append([]string{c.Rule("claims so far", width, false)}, wrapped...)
	case rows > len(long):
		return append([]string{c.Rule("claims so far", width, false)}, long...)
	case rows == len(long):
		return long
	}
	return c.pack(short, width, rows)
}

func (p *claimsPane) wrapped(width int) []string {
	_, _, all := p.lines(width)
	return all
}

// lines are the claims in three ways: with nothing but how they stand, a line each, and as many lines as each needs.
func (p *claimsPane) lines(width int) (short, long, wrapped []string) {
	c := p.c
	for _, st := range p.v.S.Standing() {
		head := string(st.Claim) + " " + c.standing(st)
		short = append(short, head)
		if len(st.Records) > 0 {
			head += " " + tail(recordNames(st.Records))
		}
		if st.Why != "" {
			head += " (" + c.own(st.Why) + ")"
		}
		long = append(long, " "+c.Cut(head, width-1))
		for i, l := range Wrap(head, width-4) {
			if i > 0 {
				l = "   " + l
			}
			wrapped = append(wrapped, " "+l)
		}
	}
	return short, long, wrapped
}

func recordNames(ids []checker.RecordID) []string {
	var out []string
	for _, id := range ids {
		out = append(out, string(id))
	}
	return out
}

func (c *Context) standing(st checker.Standing) string {
	t := c.Theme
	switch st.State {
	case checker.AtRisk:
		return t.Warn.Render(t.G.Risk + " at risk")
	case checker.ViolatedSoFar:
		return t.Bad.Render(t.G.Violated + " violated")
	}
	return t.Good.Render(t.G.Holds + " holds so far")
}

// verdicts lists the rulings of the whole run: the three famous claims, then the rest, the violated ones
// first; then, as far as there is room, what proves the violations.
func (c *Context) verdicts(s *session.Session, width, height int) []string {
	t := c.Theme
	var famous, bad, open, holds, proof, whole []string
	for _, claim := range checker.Claims() {
		ruling, judged := s.Result.Report.Overall(claim)
		if !judged {
			continue
		}
		var text string
		into := &holds
		switch ruling {
		case checker.Violated:
			text, into = t.Bad.Render(t.G.Violated+" violated"), &bad
			if e := c.evidence(s, claim); e != "" {
				e = string(claim) + ": " + c.own(e)
				proof = append(proof, " "+c.Cut(e, width-1))
				for i, l := range Wrap(e, width-3) {
					whole = append(whole, strings.Repeat(" ", 1+2*min(i, 1))+l)
				}
			}
		case checker.Undecided:
			text, into = t.Warn.Render(t.G.Undecided+" undecided"), &open
		default:
			text = t.Good.Render(t.G.Holds + " holds")
		}
		if row, _ := checker.RowOf(claim); row.Famous {
			into = &famous
		}
		*into = append(*into, string(claim)+" "+text)
	}
	stated := "as stated in the file: yes"
	switch {
	case s.Result.Stated == 0:
		stated = "the file states no verdict"
	case !s.Result.AsStated():
		stated = t.Warn.Render("as stated in the file: NO")
	}
	items := append(append(append(famous, bad...), open...), holds...)
	if !s.Strayed() {
		items = append(items, stated)
	}
	lines := c.pack(items, width, height)
	if len(lines)+len(whole) <= height {
		return append(lines, whole...)
	}
	return append(lines, proof[:min(len(proof), max(0, height-len(lines)))]...)
}

func (c *Context) evidence(s *session.Session, claim checker.Claim) string {
	for _, v := range s.Result.Report.Verdicts {
		if v.Claim != claim || v.Ruling != checker.Violated {
			continue
		}
		if v.Evidence.As != "" {
			return "" // said there
		}
		return v.Evidence.Short
	}
	return ""
}

// pack puts items side by side on at most height lines.
func (c *Context) pack(items []string, width, height int) []string {
	var lines []string
	line := ""
	for _, it := range items {
		if line != "" && textWidth(line)+3+textWidth(it) > width {
			lines = append(lines, line)
			line = ""
		}
		if line == "" {
			line = " " + it
		} else {
			line += "   " + it
		}
	}
	lines = append(lines, line)
	if len(lines) > height {
		lines = lines[:height]
		lines[height-1] = c.Cut(strings.TrimRight(lines[height-1], " "), width-2) + " " + c.Theme.G.Ellipsis
	}
	return lines
}
