package view

import (
	"strings"

	"kafkatrial/checker"
	"kafkatrial/tui/session"
)

// Claims says how the claims stand: in the course of the run the three famous ones, as far as one can know;
// at its end every claim with its verdict.
func (c *Context) Claims(s *session.Session, width, height int) []string {
	if s.AtEnd() {
		return c.verdicts(s, width, height)
	}
	var short, long, wrapped []string
	for _, st := range s.Standing() {
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
	switch {
	case len(wrapped) <= height:
		return wrapped
	case height >= 3:
		return long
	}
	return c.pack(short, width, height)
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
	var famous, bad, open, holds, proof []string
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
				proof = append(proof, " "+c.Cut(string(claim)+": "+c.own(e), width-1))
			}
		case checker.Undecided:
			text, into = t.Warn.Render(t.G.Undecided+" undecided"), &open
		default:
			text = t.Good.Render(t.G.Holds + " holds")
		}
		if len(famous) < 3 {
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
