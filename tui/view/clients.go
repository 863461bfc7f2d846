package view

import (
	"fmt"
	"slices"
	"strings"

	"kafkatrial/model/protocol"
	"kafkatrial/sim"
	"kafkatrial/tui/session"
)

// clientPane is the applications.
type clientPane struct {
	c *Context
	v *Stepper
}

func (p *clientPane) needs(width int) needs {
	rows := func(how detail) int {
		return 1 + rowsOf(p.c.clientBlocks(p.v.S.State(), p.v.Chosen, width, how))
	}
	short := rows(inShort)
	most := short
	if width >= particulars {
		most = max(short, rows(inFull))
	}
	return needs{min(short, 1+len(p.v.S.State().Producers)+len(p.v.S.State().Consumers)), short, most}
}

// body is the pane without its heading.
func (p *clientPane) body(width, rows int) []string {
	return p.c.Clients(p.v.S.State(), p.v.Chosen, width, rows)
}

func (p *clientPane) draw(width, rows int) []string {
	return append([]string{p.c.Rule("clients", width, false)}, p.body(width, rows-1)...)
}

// Clients draws the applications: a producer with what is under way and what became of the rest, a consumer
// with the place in its loop and its positions; with particulars where there is room for all of them.
func (c *Context) Clients(now *session.State, chosen protocol.TopicPartition, width, height int) []string {
	var blocks [][]string
	for _, how := range []detail{inFull, inShort, tight} {
		blocks = c.clientBlocks(now, chosen, width, how)
		if (how != inFull || width >= particulars) && rowsOf(blocks) <= height {
			break
		}
	}
	return c.squeeze(blocks, width, height)
}

// detail is how much is said of an application.
type detail uint8

const (
	tight   detail = iota // the loop leaves its line room for what else there is
	inShort               // what matters
	inFull                // and by what brokers know a producer, and how it counts
)

func rowsOf(blocks [][]string) int {
	n := 0
	for _, b := range blocks {
		n += len(b)
	}
	return n
}

// clientBlocks draws each application, in as many lines as it needs.
func (c *Context) clientBlocks(now *session.State, chosen protocol.TopicPartition, width int, how detail) [][]string {
	name := 3
	for i := range now.Nodes {
		if n := &now.Nodes[i]; n.Role >= session.Producing {
			name = max(name, textWidth(n.Name))
		}
	}
	name = min(name, max(4, width/5))
	var blocks [][]string
	for i := range now.Producers {
		blocks = append(blocks, c.producer(&now.Producers[i], name, width, how))
	}
	for i := range now.Consumers {
		blocks = append(blocks, c.consumer(&now.Consumers[i], chosen, name, width, how))
	}
	for i := range now.Databases {
		blocks = append(blocks, c.database(&now.Databases[i], name, width))
	}
	return blocks
}

// squeeze drops second lines of the last blocks, then whole blocks, until the rest fits.
func (c *Context) squeeze(blocks [][]string, width, height int) []string {
	total := rowsOf(blocks)
	for i := len(blocks) - 1; i >= 0 && total > height; i-- {
		for len(blocks[i]) > 1 && total > height {
			blocks[i] = blocks[i][:len(blocks[i])-1]
			total--
		}
	}
	var lines []string
	for i, b := range blocks {
		if len(lines)+len(b) > height || len(lines)+len(b) == height && i < len(blocks)-1 && height > 0 && total > height {
			rest := fmt.Sprintf("%s %d more clients", c.Theme.G.Ellipsis, len(blocks)-i)
			return append(lines, c.Theme.Faint.Render(c.Cut(rest, width)))
		}
		lines = append(lines, b...)
	}
	return lines
}

func (c *Context) clientName(n *session.Node, name int) string {
	mark := " "
	switch {
	case n.State == sim.Paused:
		mark = c.Theme.Warn.Render(c.Theme.G.Pause)
	case n.State != sim.Up && !n.Never:
		mark = c.Theme.Bad.Render(c.Theme.G.Crash)
	}
	return c.Fit(n.Name, name) + mark + " "
}

func (c *Context) producer(p *session.Producer, name, width int, how detail) []string {
	parts := []string{}
	switch {
	case p.Never:
		parts = append(parts, "not started")
	case p.State != sim.Up:
		parts = append(parts, stateWord(p.State, ""))
		if p.State == sim.Paused && p.Transaction != "" { // it keeps what it believes
			parts = append(parts, c.identity(&p.Identity, "", width-name-2, how)...)
		}
	default:
		parts = append(parts, c.identity(&p.Identity, p.Doing, width-name-2, how)...)
	}
	if len(p.Buffered) > 0 {
		parts = append(parts, "buffered "+tail(p.Buffered))
	}
	if len(p.InFlight) > 0 {
		parts = append(parts, "sent "+tail(p.InFlight))
	}
	if len(p.Acked) > 0 {
		parts = append(parts, c.Theme.Good.Render("acked "+tail(p.Acked)))
	}
	if len(p.Failed) > 0 {
		parts = append(parts, c.Theme.Warn.Render("failed "+tail(p.Failed)))
	}
	return c.flow(c.clientName(&p.Node, name), parts, width)
}

// tail lists the last few names of many.
func tail(names []string) string {
	if len(names) > 3 {
		return fmt.Sprintf("%d, last %s", len(names), names[len(names)-1])
	}
	return strings.Join(names, " ")
}

func (c *Context) consumer(k *session.Consumer, chosen protocol.TopicPartition, name, width int, how detail) []string {
	var parts []string
	if k.Writes != nil && k.Writes.Transaction != "" {
		parts = c.identity(k.Writes, "", width-name-2, how)
	}
	positions := slices.Clone(k.Positions)
	slices.SortStableFunc(positions, func(a, b session.Position) int {
		if (a.TP == chosen) != (b.TP == chosen) {
			if a.TP == chosen {
				return -1
			}
			return 1
		}
		return 0
	})
	for i, p := range positions {
		if i == 3 {
			parts = append(parts, fmt.Sprintf("%s %d more", c.Theme.G.Ellipsis, len(positions)-i))
			break
		}
		where := ""
		if len(positions) > 1 {
			where = " " + p.TP.String()
		}
		text := "pos" + where + " " + offset(p.Offset)
		if !p.Known {
			text = "no pos" + where
		}
		if p.Committed >= 0 {
			text += fmt.Sprintf(" (committed %d)", p.Committed)
		}
		parts = append(parts, text)
	}
	if left := k.InHand[min(k.Done, len(k.InHand)):]; len(left) > 0 && k.State == sim.Up {
		parts = append(parts, "in hand "+tail(left))
	}
	if len(k.Processed) > 0 {
		parts = append(parts, c.Theme.Good.Render("processed "+tail(k.Processed)))
	}
	room := width - name - 2
	if how == tight {
		room -= 2 + textWidth(strings.Join(parts, "  "))
	}
	first := ""
	switch {
	case k.Never:
		first = "not started"
	case k.State != sim.Up:
		first = stateWord(k.State, "")
	default:
		first = c.loop(k, room)
	}
	return c.flow(c.clientName(&k.Node, name), append([]string{first}, parts...), width)
}

// loop draws an application's loop with the verb that it has come to; where there is no room for all of it, what is around
// that verb.
func (c *Context) loop(k *session.Consumer, width int) string {
	g := c.Theme.G
	write := func(from, to int) (text string, wide int) {
		var verbs []string
		if from > 0 {
			verbs = append(verbs, g.Ellipsis)
		}
		for i := from; i < to; i++ {
			verb := k.Loop[i]
			if i == k.PC {
				verb = c.Theme.Good.Render(g.Narrator + verb)
			}
			verbs = append(verbs, verb)
		}
		if to < len(k.Loop) {
			verbs = append(verbs, g.Ellipsis)
		}
		text = strings.Join(verbs, " ")
		return text, textWidth(text)
	}
	text, wide := write(0, len(k.Loop))
	if wide <= width || len(k.Loop) == 0 {
		return text
	}
	from := max(0, min(k.PC, len(k.Loop)-1))
	to := from + 1
	text, _ = write(from, to)
	for grown := true; grown; {
		grown = false
		for _, more := range [][2]int{{from, to + 1}, {from - 1, to}} {
			if more[0] < 0 || more[1] > len(k.Loop) {
				continue
			}
			if t, wide := write(more[0], more[1]); wide <= width {
				text, from, to, grown = t, more[0], more[1], true
				break
			}
		}
	}
	return text
}

// flow puts parts one after another, on as many lines as they need, behind a name.
func (c *Context) flow(name string, parts []string, width int) []string {
	indent := strings.Repeat(" ", textWidth(name))
	lines := []string{}
	line := name
	empty := true
	for _, p := range parts {
		if !empty && textWidth(line)+2+textWidth(p) > width {
			lines = append(lines, line)
			line, empty = indent, true
		}
		if !empty {
			line += "  "
		}
		line += p
		empty = false
	}
	return append(lines, line)
}
