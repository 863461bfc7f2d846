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
	var short, long []string
	for _, st := range s.Standing() {
		head := string(st.Claim) + " " + c.standing(st)
		short = append(short, head)
		if len(st.Records) > 0 {
			head += " " + tail(recordNames(st.Records))
		}
		if st.Why != "" {
			head += " (" + st.Why + ")"
		}
		long = append(long, " "+c.Cut(head, width-1))
	}
	if height >= 3 {
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

// verdicts lists the rulings of the whole run, the violated ones first.
func (c *Context) verdicts(s *session.Session, width, height int) []string {
	t := c.Theme
	var bad, open, holds []string
	for _, claim := range checker.Claims() {
		ruling, judged := s.Result.Report.Overall(claim)
		if !judged {
			continue
		}
		switch ruling {
		case checker.Violated:
			text := string(claim) + " " + t.Bad.Render(t.G.Violated+" violated")
			if e := c.evidence(s, claim); e != "" && height >= 3 {
				text += "  " + e
			}
			bad = append(bad, text)
		case checker.Undecided:
			open = append(open, string(claim)+" "+t.Warn.Render(t.G.Undecided+" undecided"))
		default:
			holds = append(holds, string(claim)+" "+t.Good.Render(t.G.Holds+" holds"))
		}
	}
	stated := "as stated in the file: yes"
	switch {
	case s.Result.Stated == 0:
		stated = "the file states no verdict"
	case !s.Result.AsStated():
		stated = "as stated in the file: NO"
	}
	if height < 3 {
		return c.pack(append(append(append(bad, open...), holds...), stated), width, height)
	}
	var lines []string
	for _, b := range bad {
		if len(lines) < height-2 {
			lines = append(lines, " "+c.Cut(b, width-1))
		}
	}
	return append(lines, c.pack(append(append(open, holds...), stated), width, height-len(lines))...)
}

func (c *Context) evidence(s *session.Session, claim checker.Claim) string {
	for _, v := range s.Result.Report.Verdicts {
		if v.Claim != claim || v.Ruling != checker.Violated {
			continue
		}
		if v.Evidence.As != "" {
			return "as " + string(v.Evidence.As)
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
