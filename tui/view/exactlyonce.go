package view

import (
	"fmt"
	"strings"

	"kafkatrial/model/protocol"
	"kafkatrial/tui/session"
)

// particulars is the width of a pane from which on it tells by what brokers know a producer, and how it counts.
const particulars = 44

// identity says what a producer is about: where its transaction stands, and what an error leaves it to do. With
// room it also says by what brokers know it, and how it counts.
func (c *Context) identity(p *session.Identity, doing string, width int, how detail) []string {
	if p.Transaction != "" && (doing == "idle" || doing == "failed") {
		doing = "" // the state of the transaction says more
	}
	var parts []string
	if doing != "" {
		parts = append(parts, doing)
	}
	who := ""
	switch {
	case how == inFull && p.Given:
		who = fmt.Sprintf("id %d epoch %d", p.ProducerID, p.ProducerEpoch)
	case p.Transaction != "" && p.Given:
		who = fmt.Sprintf("e%d", p.ProducerEpoch)
	}
	if p.Transaction != "" {
		state := p.Transaction
		if p.Next != "" {
			state = c.Theme.Warn.Render(state)
		}
		short := strings.TrimSpace(who + " " + state)
		if who = p.TransactionalID + " " + short; textWidth(who) > width {
			who = short // the name of the application says nearly as much
		}
	}
	if who != "" {
		parts = append(parts, c.Cut(who, width))
	}
	if p.Next != "" {
		next := c.Theme.G.Arrow + " " + p.Next
		if how == inFull {
			next += " (" + p.Error + ")"
		}
		parts = append(parts, c.Theme.Warn.Render(c.Cut(next, width)))
	}
	if how == inFull {
		for i := range p.Sequences {
			s := &p.Sequences[i]
			text := fmt.Sprintf("%s next seq %d", s.TP, s.Next)
			if len(s.InFlight) > 0 {
				text += fmt.Sprintf(" (%d of %d in flight)", len(s.InFlight), p.Window)
			}
			parts = append(parts, c.Cut(text, width))
		}
	}
	return parts
}

// transactionLines says in a line each how the coordinators have the transactional.ids.
func (c *Context) transactionLines(now, before *session.State, width, height int) []string {
	var lines []string
	for i := range now.Transactions {
		x := &now.Transactions[i]
		if len(lines) == height-1 && len(now.Transactions)-i > 1 {
			return append(lines, c.Theme.Faint.Render(c.Cut(fmt.Sprintf(" %s %d more transactional ids (x)", c.Theme.G.Ellipsis, len(now.Transactions)-i), width)))
		}
		if len(lines) >= height {
			break
		}
		line := " " + c.transactionLine(x, width-1)
		if was := sameTransaction(before, x); before != nil && (was == nil || was.State != x.State || was.Epoch != x.Epoch || was.Pending != x.Pending) {
			line = c.Theme.Strong.Render(line)
		}
		lines = append(lines, line)
	}
	return lines
}

func sameTransaction(s *session.State, x *session.Transaction) *session.Transaction {
	if s == nil {
		return nil
	}
	for i := range s.Transactions {
		if t := &s.Transactions[i]; t.ID == x.ID && t.Coordinator == x.Coordinator {
			return t
		}
	}
	return nil
}

// transactionLine is what a coordinator knows of a transactional.id, in short: txn shop at b1: Ongoing e0, orders-0. What
// there is no room for goes in this order: where the coordinator is, the state that is being written.
func (c *Context) transactionLine(x *session.Transaction, width int) string {
	tail := ""
	if x.Epoch >= 0 {
		tail = fmt.Sprintf(" e%d", x.Epoch)
	}
	switch names := partitionNames(x.Partitions); {
	case names == "":
	case x.Owed:
		tail += ", to mark " + names
	default:
		tail += ", " + names
	}
	line := ""
	for _, head := range []string{
		"txn " + x.ID + " at " + protocol.BrokerName(x.Coordinator) + ": " + c.transactionState(x),
		"txn " + x.ID + ": " + c.transactionState(x),
		"txn " + x.ID + ": " + x.State,
	} {
		if line = head + tail; textWidth(line) <= width {
			return line
		}
	}
	return c.Cut(line, width)
}

// transactionState is a state, with the one that is being written.
func (c *Context) transactionState(x *session.Transaction) string {
	if x.Pending == "" {
		return x.State
	}
	return x.State + c.Theme.G.Arrow + x.Pending
}

func partitionNames(tps []protocol.TopicPartition) string {
	var names []string
	for _, tp := range tps {
		names = append(names, tp.String())
	}
	return strings.Join(names, " ")
}
