package view

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"kafkatrial/model/protocol"
	"kafkatrial/sim"
	"kafkatrial/tui/session"
)

// partitionTitle is the heading of a partition: who leads it, in which epoch, who is in sync.
func (c *Context) partitionTitle(p *session.Partition) string {
	if !p.Known {
		return p.TP.String() + "  no controller knows of it"
	}
	leader := "no leader"
	if p.Leader != protocol.NoBroker {
		leader = "leader " + protocol.BrokerName(p.Leader)
	}
	dot := " " + c.Theme.G.Dot + " "
	t := p.TP.String() + "  " + leader + dot + fmt.Sprintf("epoch %d", p.Epoch) + dot + "ISR " + brokers(p.ISR)
	if len(p.ELR) > 0 {
		t += dot + "ELR " + brokers(p.ELR)
	}
	return t
}

func brokers(ids []protocol.BrokerID) string {
	if len(ids) == 0 {
		return "empty"
	}
	var names []string
	for _, id := range ids {
		names = append(names, protocol.BrokerName(id))
	}
	return strings.Join(names, " ")
}

// Cluster draws one partition with the log of every replica, and the others in a line each. It gives the
// title of the pane and its lines.
func (c *Context) Cluster(now, before *session.State, chosen protocol.TopicPartition, width, height int) (string, []string) {
	p := now.Partition(chosen)
	if p == nil {
		return "cluster", []string{"no partition yet"}
	}
	var old *session.Partition
	if before != nil {
		old = before.Partition(chosen)
	}
	others := len(now.Partitions) - 1
	rows := min(len(p.Replicas), height)
	if len(p.Replicas) > height {
		rows = max(1, height-1)
	}
	var lines []string
	shown := c.foremost(p, old, rows)
	var rest []session.Replica
	for i := range p.Replicas {
		r := &p.Replicas[i]
		if !shown[i] {
			rest = append(rest, *r)
			continue
		}
		var was *session.Replica
		if old != nil {
			was = old.Replica(r.Broker)
		}
		lines = append(lines, c.replica(p, r, was, width))
	}
	if len(rest) > 0 {
		lines = append(lines, c.Theme.Faint.Render(c.Cut(fmt.Sprintf(" and %d more: %s", len(rest), c.restOf(rest)), width)))
		return c.partitionTitle(p), lines
	}
	free := height - len(lines)
	for i := range now.Partitions {
		q := &now.Partitions[i]
		if q.TP == chosen {
			continue
		}
		if free == 1 && others > 1 {
			lines = append(lines, c.Theme.Faint.Render(fmt.Sprintf(" %s %d more partitions", c.Theme.G.Ellipsis, others)))
			break
		}
		if free <= 0 {
			break
		}
		lines = append(lines, c.partitionLine(q, width))
		free--
		others--
	}
	return c.partitionTitle(p), lines
}

// foremost picks the replicas that are shown if there is no room for all: the leader, those that changed,
// those that are not simply up, then the others in order.
func (c *Context) foremost(p, old *session.Partition, rows int) []bool {
	shown := make([]bool, len(p.Replicas))
	left := rows
	for rank := range 4 {
		for i := range p.Replicas {
			r := &p.Replicas[i]
			changed := false
			if old != nil {
				if was := old.Replica(r.Broker); was != nil {
					changed = was.End != r.End || was.HW != r.HW || was.State != r.State
				}
			}
			first := rank == 3 || rank == 0 && (r.Believes || r.Broker == p.Leader) || rank == 1 && changed || rank == 2 && stateWord(r.State, r.Note) != ""
			if first && !shown[i] && left > 0 {
				shown[i] = true
				left--
			}
		}
	}
	return shown
}

func (c *Context) restOf(rs []session.Replica) string {
	var parts []string
	for i := range rs {
		s := protocol.BrokerName(rs[i].Broker)
		if w := stateWord(rs[i].State, rs[i].Note); w != "" {
			s += " " + w
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, ", ")
}

// partitionLine is a partition in short: the leader, the ISR, the log ends of its replicas.
func (c *Context) partitionLine(p *session.Partition, width int) string {
	leader := "no leader"
	if p.Leader != protocol.NoBroker {
		leader = protocol.BrokerName(p.Leader) + c.Theme.G.Leader
	}
	if !p.Known {
		leader = "?"
	}
	var ends []string
	hw := int64(-1)
	for i := range p.Replicas {
		r := &p.Replicas[i]
		ends = append(ends, fmt.Sprintf("%s:%d", protocol.BrokerName(r.Broker), r.End))
		if r.Broker == p.Leader {
			hw = r.HW
		}
	}
	line := fmt.Sprintf(" %s %s e%d ISR %s HW %s LEO %s", p.TP, leader, p.Epoch, strings.Join(strings.Fields(brokers(p.ISR)), ","), offset(hw), strings.Join(ends, " "))
	return c.Theme.Faint.Render(c.Cut(line, width))
}

func offset(n int64) string {
	if n < 0 {
		return "?"
	}
	return fmt.Sprint(n)
}

// stateWord says in a word how a node is, "" for one that is simply up.
func stateWord(s sim.State, note string) string {
	switch s {
	case sim.Down:
		return "down"
	case sim.Off:
		return "off"
	case sim.Paused:
		return "paused"
	}
	return note
}

// replica draws one copy of the log: who holds it, its records as cells, the high watermark between them.
func (c *Context) replica(p *session.Partition, r, was *session.Replica, width int) string {
	t := c.Theme
	mark := " "
	switch {
	case r.State == sim.Down || r.State == sim.Off:
		mark = t.Bad.Render(t.G.Crash)
	case r.State == sim.Paused:
		mark = t.Warn.Render(t.G.Pause)
	case p.Leader == r.Broker && r.Believes:
		mark = t.Good.Render(t.G.Leader)
	case r.Believes:
		mark = t.Warn.Render(t.G.Believes)
	}
	cut := int64(0)
	if was != nil && was.End > r.End {
		cut = was.End - r.End
	}
	hw := "HW " + offset(r.HW)
	leo := fmt.Sprintf("LEO %d", r.End)
	if was != nil && was.HW != r.HW {
		hw = t.Strong.Render(hw)
	}
	if was != nil && was.End != r.End {
		leo = t.Strong.Render(leo)
	}
	stats := fill(hw, 5) + " " + fill(leo, 6)
	note := stateWord(r.State, r.Note)
	switch {
	case cut > 0:
		note = t.Bad.Render(fmt.Sprintf("%s%d", t.G.Cut, cut)) + style(t.Warn, lead(note))
	case note != "":
		note = t.Warn.Render(note)
	case r.Believes && p.Leader != r.Broker:
		note = t.Warn.Render(fmt.Sprintf("leads in epoch %d", r.Epoch))
	case r.Doing != "":
		note = t.Warn.Render(r.Doing)
	case r.State == sim.Up && !r.Hosted:
		note = t.Faint.Render("no orders yet")
	}
	name := fill(protocol.BrokerName(r.Broker), 3) + mark + " "
	room := width - ansi.StringWidth(name) - ansi.StringWidth(stats) - 2
	noteWidth := min(ansi.StringWidth(note), max(8, room-12))
	if note != "" {
		room -= noteWidth + 1
	}
	cells := c.cells(r, cut, max(room, 5))
	line := name + fill(cells, max(room, 5)) + "  " + stats
	if note != "" {
		line += " " + c.Cut(note, noteWidth)
	}
	return line
}

func lead(s string) string {
	if s == "" {
		return ""
	}
	return " " + s
}

// cells draws the end of a log, as much of it as fits: [m1][m2]|[m3], the bar after what is below the high
// watermark, and empty cells for what was just cut.
func (c *Context) cells(r *session.Replica, cut int64, width int) string {
	t := c.Theme
	type cell struct {
		text  string
		style int
		wide  int
	}
	var out []cell // from the last to the first
	used := 0
	push := func(text string, kind int) bool {
		w := ansi.StringWidth(text)
		if used+w > width {
			return false
		}
		used += w
		out = append(out, cell{text, kind, w})
		return true
	}
	full := false
	for range min(cut, 4) {
		if !push("[  ]", 2) {
			full = true
			break
		}
	}
	bar := r.HW < 0
	for b := len(r.Batches) - 1; b >= 0 && !full; b-- {
		batch := r.Batches[b]
		for i := len(batch.Records) - 1; i >= 0 && !full; i-- {
			o := batch.Offset(i)
			if o < r.Start || o >= r.End {
				continue
			}
			if !bar && o < r.HW {
				bar = true
				full = !push(t.G.Bar, 1)
			}
			kind := 0
			if o >= r.HW && r.HW >= 0 {
				kind = 3
			}
			if !full && !push("["+c.Cut(batch.Records[i].ID, 10)+"]", kind) {
				full = true
			}
		}
	}
	if !bar && !full && r.End > 0 {
		push(t.G.Bar, 1)
	}
	var b strings.Builder
	if full {
		for len(out) > 0 && used+ansi.StringWidth(t.G.Ellipsis) > width {
			used -= out[len(out)-1].wide
			out = out[:len(out)-1]
		}
		b.WriteString(t.G.Ellipsis)
	} else if r.Start > 0 && used+6 <= width {
		b.WriteString(t.Faint.Render(fmt.Sprintf("from %d ", r.Start)))
	}
	for i := len(out) - 1; i >= 0; i-- {
		switch out[i].style {
		case 1:
			b.WriteString(t.Good.Render(out[i].text))
		case 2:
			b.WriteString(t.Bad.Render(out[i].text))
		default:
			b.WriteString(out[i].text)
		}
	}
	if len(out) == 0 && !full {
		b.WriteString(t.Faint.Render("empty"))
	}
	return b.String()
}
