package view

import (
	"fmt"
	"strings"

	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
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
	lines = append(lines, c.transactionLines(now, before, width, height-len(lines))...)
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
	stats := fill(hw, 5) + " " + fill(leo, 6)
	fits := func() (room, noteWidth int) {
		room = width - textWidth(name) - textWidth(stats) - 2
		noteWidth = min(textWidth(note), max(8, room-12))
		if note != "" {
			room -= noteWidth + 1
		}
		return max(room, 5), noteWidth
	}
	if r.Believes && r.LSO >= 0 && r.LSO < r.HW { // readers of committed records are held up
		lso := t.Warn.Render("LSO " + offset(r.LSO))
		stats = lso + " " + stats
		room, _ := fits()
		if _, full := c.logCells(r, cut, room, true); full && r.End == r.HW { // a figure that another says gives way to records
			stats = lso + " " + hw
		}
	}
	room, noteWidth := fits()
	line := name + fill(c.cells(r, cut, room), room) + "  " + stats
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

// cell is a piece of a drawn log.
type cell struct {
	text string
	how  cellStyle
	wide int
}

type cellStyle uint8

const (
	plainCell  cellStyle = iota
	barCell              // the high watermark, a commit marker
	goneCell             // cut, an abort marker
	openCell             // of an open transaction; the last stable offset
	undoneCell           // of a transaction that was aborted
)

// cells draws the end of a log, as much of it as fits: [m1][m2]|[m3], the bar after what is below the high
// watermark, and empty cells for what was just cut. (m1) is a record of an open transaction, /m1/ of one that was
// aborted; <COMMIT> and <ABORT> are markers, <C> and <A> if there is no room for the words; the dotted bar is the
// last stable offset, where it is not the high watermark.
func (c *Context) cells(r *session.Replica, cut int64, width int) string {
	out, full := c.logCells(r, cut, width, true)
	if full {
		out, full = c.logCells(r, cut, width, false)
	}
	t := c.Theme
	used := 0
	for i := range out {
		used += out[i].wide
	}
	var b strings.Builder
	if full {
		for len(out) > 0 && used+textWidth(t.G.Ellipsis) > width {
			used -= out[len(out)-1].wide
			out = out[:len(out)-1]
		}
		b.WriteString(t.G.Ellipsis)
	} else if r.Start > 0 && used+6 <= width {
		b.WriteString(t.Faint.Render(fmt.Sprintf("from %d ", r.Start)))
	}
	for i := len(out) - 1; i >= 0; i-- {
		switch out[i].how {
		case barCell:
			b.WriteString(t.Good.Render(out[i].text))
		case goneCell:
			b.WriteString(t.Bad.Render(out[i].text))
		case openCell:
			b.WriteString(t.Warn.Render(out[i].text))
		case undoneCell:
			b.WriteString(t.Faint.Render(out[i].text))
		default:
			b.WriteString(out[i].text)
		}
	}
	if len(out) == 0 && !full {
		b.WriteString(t.Faint.Render("empty"))
	}
	return b.String()
}

// logCells lists the cells from the last to the first; full says that not all have room. words spells markers out.
func (c *Context) logCells(r *session.Replica, cut int64, width int, words bool) (out []cell, full bool) {
	t := c.Theme
	used := 0
	push := func(text string, how cellStyle) {
		w := textWidth(text)
		if full = full || used+w > width; !full {
			used += w
			out = append(out, cell{text, how, w})
		}
	}
	for range min(cut, 4) {
		push("[  ]", goneCell)
	}
	bar, stable := r.HW < 0, r.LSO < 0 || r.LSO >= r.HW
	fates := r.Fates()
	for b := len(r.Batches) - 1; b >= 0 && !full; b-- {
		batch := r.Batches[b]
		for i := len(batch.Records) - 1; i >= 0 && !full; i-- {
			o := batch.Offset(i)
			if o < r.Start || o >= r.End {
				continue
			}
			if !bar && o < r.HW {
				bar = true
				push(t.G.Bar, barCell)
			}
			if !stable && o < r.LSO {
				stable = true
				push(t.G.Stable, openCell)
			}
			push(c.recordCell(batch, i, fates[b], words))
		}
	}
	if !bar && r.End > 0 {
		push(t.G.Bar, barCell)
	}
	if !stable && r.End > 0 {
		push(t.G.Stable, openCell)
	}
	return out, full
}

// recordCell is a record in the brackets that say what became of its transaction.
func (c *Context) recordCell(b *record.RecordBatch, i int, fate session.Fate, words bool) (string, cellStyle) {
	id := c.Cut(b.Records[i].ID, 10)
	switch fate {
	case session.TxnMarker:
		how := barCell
		if b.Marker.Abort {
			how = goneCell
		}
		id = b.Marker.String()
		if !words {
			id = id[:1]
		}
		return "<" + id + ">", how
	case session.TxnOpen:
		return "(" + id + ")", openCell
	case session.TxnAborted:
		return "/" + id + "/", undoneCell
	}
	return "[" + id + "]", plainCell
}

// clusterPane is the partition looked at, with the log of each replica, and the other partitions.
type clusterPane struct {
	c *Context
	v *Stepper
}

func (p *clusterPane) focused() bool { return p.v.Focus == ClusterPane }

func (p *clusterPane) needs(int) needs {
	st := p.v.S.State()
	replicas := 1
	if x := st.Partition(p.v.Chosen); x != nil {
		replicas = len(x.Replicas)
	}
	others := len(st.Transactions) + max(0, len(st.Partitions)-1)
	most := max(3, (p.c.Height-7)/3)
	n := 1 + min(replicas+min(others, max(1, (p.c.Height-7)/6)), most)
	return needs{1 + min(replicas, 3), n, n}
}

// body is the pane without its heading, and what the heading says.
func (p *clusterPane) body(width, rows int) (string, []string) {
	return p.c.Cluster(p.v.S.State(), p.v.S.Before(), p.v.Chosen, width, rows)
}

func (p *clusterPane) draw(width, rows int) []string {
	title, lines := p.body(width, rows-1)
	return append([]string{p.c.Rule(title, width, p.focused())}, lines...)
}
