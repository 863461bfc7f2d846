package view

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"kafkatrial/checker/columns"
	"kafkatrial/model/event"
	"kafkatrial/sim"
	"kafkatrial/tui/session"
	"kafkatrial/tui/story"
)

// Timeline draws the rows around the selected one: time down, a column a node, a glyph where something
// happened, and what it was. rows ends with the present; selected is the index of a row.
func (c *Context) Timeline(s *session.Session, rows []session.Row, selected int, width, height int) (string, []string) {
	if len(rows) == 0 || height <= 0 {
		return "time", []string{"nothing has happened yet"}
	}
	end := len(rows)
	if selected < end-height {
		end = selected + height
	}
	shown := rows[max(0, end-height):end]
	lanes := c.lanes(s, shown, width)
	clock := 8
	for i := range shown {
		clock = max(clock, textWidth(story.Clock(shown[i].At)))
	}
	head := fill("time", clock+2)
	lead := clock + 2
	for _, n := range lanes {
		head += fill(c.laneName(s, n, lanes), laneWidth)
		lead += laneWidth
	}
	here := s.Moment(s.At()).Steps
	from, _ := s.Steps()
	var lines []string
	last := ""
	for i, r := range shown {
		at := story.Clock(r.At)
		if at == last {
			at = ""
		}
		last = story.Clock(r.At)
		current := r.Moment == s.At() || r.Step >= from && r.Step < here
		lines = append(lines, c.timelineRow(s, &r, lanes, padLeft(at, clock)+"  ", width, lead, current, max(0, end-height)+i == selected))
	}
	return head, lines
}

// timePane is the time line.
type timePane struct {
	c *Context
	v *Stepper
}

func (p *timePane) needs(int) needs {
	n := max(1, p.v.S.RowsUpTo(p.v.S.At()))
	return needs{1 + min(n, timeRows), 1 + min(n, max(timeRows, p.c.Height/3)), 1 + n}
}

func (p *timePane) draw(width, rows int) []string {
	s := p.v.S
	n := s.RowsUpTo(s.At())
	head, lines := p.c.Timeline(s, s.Rows()[:n], max(0, n-1-max(0, p.v.Selected)), width-1, rows-1)
	for i := range lines {
		lines[i] = " " + lines[i]
	}
	return append([]string{p.c.Rule(head, width, p.v.Focus == TimePane)}, lines...)
}

// timelineWidth is the width at which the time line has a column for each node and sentenceWidth places for a sentence.
func (c *Context) timelineWidth(v *Stepper) int {
	rows := v.S.Rows()
	clock := 8
	if n := len(rows); n > 0 {
		clock = max(clock, textWidth(story.Clock(rows[n-1].At)))
	}
	return 1 + clock + 2 + laneWidth*len(c.nodes(v.S)) + sentenceWidth + len(" ") + textWidth(c.Theme.G.Pointer)
}

// laneWidth is the width of a node's column.
const laneWidth = 4

// laneName is a node's name, cut to its column. Of names that would look alike, as app1 and app2, the last letter stays.
func (c *Context) laneName(s *session.Session, n sim.NodeID, lanes []sim.NodeID) string {
	name := s.World().Name(n)
	short := c.Cut(name, laneWidth-1)
	for _, other := range lanes {
		if other != n && c.Cut(s.World().Name(other), laneWidth-1) == short {
			last, _ := utf8.DecodeLastRuneInString(name)
			tail := string(last)
			return c.Cut(name, laneWidth-1-textWidth(tail)) + tail
		}
	}
	return short
}

// lanes picks the nodes that get a column: all of them if there is room, else those with something to show, the latest first, and then
// others as far as there is room: how many there are rests on the width alone.
func (c *Context) lanes(s *session.Session, shown []session.Row, width int) []sim.NodeID {
	all := c.nodes(s)
	room := max(2, (width-11-34)/laneWidth)
	if len(all) <= room {
		return all
	}
	var picked []sim.NodeID
	pick := func(n sim.NodeID) {
		if len(picked) < room && slices.Contains(all, n) && !slices.Contains(picked, n) {
			picked = append(picked, n)
		}
	}
	for i := len(shown) - 1; i >= 0; i-- {
		for _, n := range shown[i].Nodes {
			pick(n)
		}
	}
	for _, n := range all {
		pick(n)
	}
	slices.Sort(picked)
	return picked
}

// nodes lists what could have a column.
func (c *Context) nodes(s *session.Session) []sim.NodeID {
	var all []sim.NodeID
	for _, n := range s.State().Nodes {
		if n.Role != session.ZooKeeper || s.Unfolded() {
			all = append(all, n.ID)
		}
	}
	return all
}

func (c *Context) timelineRow(s *session.Session, r *session.Row, lanes []sim.NodeID, at string, width, lead int, current, selected bool) string {
	t := c.Theme
	glyph, how := c.glyph(s, r)
	var b strings.Builder
	b.WriteString(t.Faint.Render(at))
	for _, n := range lanes {
		if slices.Contains(r.Nodes, n) {
			b.WriteString(glyphStyle(t, how).Render(glyph) + strings.Repeat(" ", laneWidth-textWidth(glyph)))
		} else {
			b.WriteString(fill("", laneWidth))
		}
	}
	text := c.own(r.Text)
	if len(r.Nodes) == 0 {
		text = glyph + " " + text
	}
	pointer := ""
	switch {
	case selected && current:
		pointer = " " + t.G.Pointer
	case selected:
		pointer = " " + t.G.Pointer + " selected"
	}
	text = c.Cut(text, width-lead-textWidth(pointer))
	if current {
		text = t.Strong.Render(text)
	}
	b.WriteString(text + pointer)
	return b.String()
}

func padLeft(s string, width int) string { return columns.PadLeft(s, width) }

// tone is what a glyph's colour says; the glyph says it too.
type tone uint8

const (
	neutral tone = iota
	good
	warn
	bad
)

func glyphStyle(t *Theme, k tone) interface{ Render(...string) string } {
	switch k {
	case good:
		return t.Good
	case warn:
		return t.Warn
	case bad:
		return t.Bad
	}
	return t.Plain
}

// glyph picks the sign of a row, and its tone.
func (c *Context) glyph(s *session.Session, r *session.Row) (string, tone) {
	g := c.Theme.G
	switch r.Kind {
	case story.Act, story.Say, story.Ask, story.Answer, story.Healed, story.Stopped:
		return g.Told, neutral
	}
	tr := s.Trace()
	st := &tr.Steps[r.Step]
	switch st.Kind {
	case sim.StepFault:
		switch st.Op {
		case sim.OpKill, sim.OpPowerLoss, sim.OpDiskLoss:
			return g.Crash, bad
		case sim.OpPause:
			return g.Pause, warn
		case sim.OpResume, sim.OpRestart:
			return g.Start, good
		}
		return g.Net, warn
	case sim.StepLost:
		return g.Lost, warn
	case sim.StepStart:
		return g.Start, good
	}
	var best *event.Kind
	for _, f := range tr.EventsOf(r.Step) {
		if k := event.KindOf(f.Event); best == nil || k.Weight > best.Weight {
			best = k
		}
	}
	return c.sign(best)
}

// sign is how a kind of event is drawn, and its tone; nil stands for a step that tells nothing.
func (c *Context) sign(k *event.Kind) (string, tone) {
	g := c.Theme.G
	if k == nil {
		return g.Other, neutral
	}
	switch k.Sign {
	case event.Append:
		return g.Append, good
	case event.Copy:
		return g.Copy, good
	case event.Cut:
		return g.Cut, bad
	case event.HW:
		return g.HW, good
	case event.Elected:
		return g.Elected, good
	case event.Crash:
		return g.Crash, bad
	case event.ISR:
		return g.ISR, neutral
	case event.Send:
		return g.Send, neutral
	case event.Ack:
		return g.Ack, good
	case event.Fail:
		return g.Fail, bad
	case event.Retry:
		return g.Retry, warn
	case event.Read:
		return g.Read, neutral
	case event.Process:
		return g.Process, good
	case event.CommitSign:
		return g.Commit, good
	case event.Told:
		return g.Told, neutral
	}
	return g.Other, neutral
}

// legend explains the glyphs, for the help.
func (c *Context) legend() []string {
	g := c.Theme.G
	var lines []string
	pairs := [][2]string{{g.Append, "leader appends"}, {g.Copy, "follower copies"}, {g.HW, "high watermark"}, {g.Cut, "log is cut"}, {g.Elected, "leader"},
		{g.Believes, "believes to lead"}, {g.ISR, "ISR changes"}, {g.Send, "sends"}, {g.Ack, "acknowledged"}, {g.Fail, "refused or failed"},
		{g.Retry, "tries again"}, {g.Read, "reads"}, {g.Process, "processed"}, {g.Commit, "committed"}, {g.Crash, "down"}, {g.Pause, "paused"},
		{g.Start, "starts"}, {g.Net, "network cut or mended"}, {g.Told, "the script"}}
	line := ""
	for _, p := range pairs {
		item := fmt.Sprintf("%s %s", p[0], p[1])
		if line != "" && textWidth(line)+3+textWidth(item) > c.Width-6 {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += "   "
		}
		line += item
	}
	return append(lines, line)
}
