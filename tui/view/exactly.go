package view

import (
	"fmt"
	"slices"
	"strings"

	"kafkatrial/model/protocol"
	"kafkatrial/model/transactioncoordinator"
	"kafkatrial/sim"
	"kafkatrial/tui/session"
)

// Exactly draws everything that exactly-once rests on, at the moment looked at: who the producers are and how they
// count, what the transaction coordinators know, and what each replica remembers. Lines that the last step changed
// stand out; below is what has just happened, so that one can go on stepping.
func (c *Context) Exactly(v *Stepper, scroll int) string {
	s := v.S
	now, before := c.exactlyLines(s.State(), v.Chosen), []string(nil)
	if s.Before() != nil {
		before = c.exactlyLines(s.Before(), v.Chosen)
	}
	height, below := c.exactlyRows()
	first := max(0, min(scroll, len(now)-height))
	title := "what exactly-once rests on"
	if left := len(now) - height - first; left > 0 {
		title += fmt.Sprintf("   (%s: %s)", moreLines(left), c.Theme.G.Down)
	}
	lines := []string{c.Header(s, v.Variant, v.Branch, v.Playing), c.Rule(title, c.Width, true)}
	var body []string
	for _, l := range now[first:min(len(now), first+height)] {
		if before != nil && !slices.Contains(before, l) && strings.HasPrefix(l, " ") {
			l = c.Theme.Strong.Render(l)
		}
		body = append(body, l)
	}
	lines = append(lines, c.block(body, c.Width, height)...)
	nowTitle, told := c.Now(s, nil, v.Trouble, v.Verdicts, c.Width)
	if len(told) > below {
		told = append(told[:below-1:below-1], c.Cut(told[below-1]+strings.Repeat(" ", c.Width), c.Width))
	}
	lines = append(lines, c.Rule(nowTitle, c.Width, false))
	lines = append(lines, c.block(told, c.Width, below)...)
	foot := c.footer(c.Keys.ForExactly())
	if v.Message != "" {
		foot = c.message(v)
	}
	return c.Screen(append(c.block(lines, c.Width, c.Height-1), foot))
}

// exactlyRows are those of the text, and of what has just happened below it.
func (c *Context) exactlyRows() (height, below int) {
	below = 3
	if c.Height < 22 {
		below = 2
	}
	return c.Height - below - 4, below
}

// ExactlyEnd is how many lines the screen can be scrolled down.
func (c *Context) ExactlyEnd(v *Stepper) int {
	height, _ := c.exactlyRows()
	return max(0, len(c.exactlyLines(v.S.State(), v.Chosen))-height)
}

// exactlyLines are all its lines, without what changed.
func (c *Context) exactlyLines(st *session.State, chosen protocol.TopicPartition) []string {
	var lines []string
	head := func(text string) { lines = append(lines, c.Rule(text, c.Width, false)) }
	add := func(indent int, text string) {
		for i, l := range Wrap(c.own(text), c.Width-indent-1) {
			if i > 0 {
				l = "  " + l
			}
			lines = append(lines, strings.Repeat(" ", indent)+l)
		}
	}
	for i := range st.Producers {
		c.producerLines(&st.Producers[i], add)
	}
	for i := range st.Consumers {
		k := &st.Consumers[i]
		c.readerLine(k, add)
		if k.Writes != nil {
			c.producerLines(&session.Producer{Node: k.Node, Identity: *k.Writes}, add)
		}
	}
	if len(st.Transactions) > 0 {
		head("transaction coordinators")
		for i := range st.Transactions {
			c.coordinatorLines(st, &st.Transactions[i], add)
		}
	}
	for _, p := range exactlyPartitions(st, chosen) {
		head(c.partitionTitle(p))
		for i := range p.Replicas {
			lines = append(lines, " "+c.replica(p, &p.Replicas[i], nil, c.Width-2))
		}
		c.rememberedLines(st, p, add)
	}
	return lines
}

// exactlyPartitions picks the partitions: the chosen one first, then all others in which a producer has written,
// without the coordinators' own.
func exactlyPartitions(st *session.State, chosen protocol.TopicPartition) []*session.Partition {
	var all []*session.Partition
	for i := range st.Partitions {
		p := &st.Partitions[i]
		writes := slices.ContainsFunc(p.Replicas, func(r session.Replica) bool { return len(r.Remembers) > 0 || r.Transactional() })
		switch {
		case p.TP.Topic == transactioncoordinator.TopicName, p.TP != chosen && !writes:
		case p.TP == chosen:
			all = append([]*session.Partition{p}, all...)
		default:
			all = append(all, p)
		}
	}
	return all
}

func (c *Context) producerLines(p *session.Producer, add func(int, string)) {
	dot := " " + c.Theme.G.Dot + " "
	parts := []string{}
	switch {
	case p.Never:
		parts = append(parts, "not started")
	case p.State == sim.Down || p.State == sim.Off:
		parts = append(parts, stateWord(p.State, "")+": its process, and with it all that it knew, is gone")
	default:
		if p.State == sim.Paused {
			parts = append(parts, "paused")
		}
		switch {
		case p.TransactionalID != "":
			parts = append(parts, "transactional.id "+p.TransactionalID)
		case p.Idempotent:
			parts = append(parts, "idempotent, without transactions")
		default:
			parts = append(parts, "not idempotent: no broker knows a batch of it again")
		}
		switch {
		case p.Given:
			parts = append(parts, fmt.Sprintf("producer id %d, epoch %d", p.ProducerID, p.ProducerEpoch))
		case p.Idempotent:
			parts = append(parts, "no producer id yet")
		}
		if p.Transaction != "" {
			parts = append(parts, p.Transaction)
		}
	}
	add(1, "producer "+p.Name+": "+strings.Join(parts, dot))
	if p.Next != "" {
		add(3, fmt.Sprintf("after %s the application must %s", p.Error, p.Next))
	}
	for i := range p.Sequences {
		s := &p.Sequences[i]
		text := fmt.Sprintf("%s: next sequence %d", s.TP, s.Next)
		if s.Acked >= 0 {
			text += fmt.Sprintf(", acknowledged up to %d", s.Acked)
		}
		switch n := len(s.InFlight); {
		case n > 0:
			var spans []string
			for _, b := range s.InFlight {
				spans = append(spans, span(b.First, b.Last)+" ("+tail(b.Records)+")")
			}
			text += fmt.Sprintf("; without an answer, %d of at most %d: %s", n, p.Window, strings.Join(spans, ", "))
		default:
			text += "; nothing without an answer"
		}
		if s.Unresolved {
			text += "; a batch expired after it was sent, and what the broker has next is not known"
		}
		add(3, text)
	}
}

// readerLine says what a consumer may read.
func (c *Context) readerLine(k *session.Consumer, add func(int, string)) {
	parts := []string{}
	switch {
	case k.Never:
		parts = append(parts, "not started")
	case k.State == sim.Down || k.State == sim.Off:
		parts = append(parts, stateWord(k.State, ""))
	}
	if k.Isolation != "" {
		parts = append(parts, k.Isolation)
	}
	for _, p := range k.Positions {
		if p.Known {
			parts = append(parts, fmt.Sprintf("%s position %d", p.TP, p.Offset))
		}
	}
	add(1, "consumer "+k.Name+": "+strings.Join(parts, " "+c.Theme.G.Dot+" "))
}

func (c *Context) coordinatorLines(st *session.State, x *session.Transaction, add func(int, string)) {
	dot := " " + c.Theme.G.Dot + " "
	id := "no epoch given out yet"
	if x.Epoch >= 0 {
		id = fmt.Sprintf("producer id %d, epoch %d", x.ProducerID, x.Epoch)
	}
	add(1, x.ID+": "+c.transactionState(x)+dot+id+dot+"times out after "+seconds(x.TimeoutMs)+dot+
		"at "+protocol.BrokerName(x.Coordinator)+", in "+x.TP.String())
	switch names := partitionNames(x.Partitions); {
	case names == "":
		add(3, "no partition is part of a transaction")
	case x.Owed:
		add(3, "decided; its marker is not yet written to "+names)
	default:
		add(3, "part of its transaction: "+names)
	}
	if x.Pending != "" && !(x.Owed && len(x.Partitions) > 0) { // what comes after the markers is not written yet
		add(3, "the step to "+x.Pending+" is being written to "+x.TP.String())
	}
}

// rememberedLines says what the replicas of a partition keep about producers; replicas that keep the same share lines.
func (c *Context) rememberedLines(st *session.State, p *session.Partition, add func(int, string)) {
	type shared struct {
		brokers []protocol.BrokerID
		lines   []string
	}
	var groups []shared
	for _, first := range []bool{true, false} { // the leader's group comes first
		for i := range p.Replicas {
			r := &p.Replicas[i]
			if !r.Hosted || (r.Broker == p.Leader) != first {
				continue
			}
			lines := c.replicaMemory(st, p.TP, r)
			if k := slices.IndexFunc(groups, func(g shared) bool { return slices.Equal(g.lines, lines) }); k >= 0 {
				groups[k].brokers = append(groups[k].brokers, r.Broker)
			} else {
				groups = append(groups, shared{[]protocol.BrokerID{r.Broker}, lines})
			}
		}
	}
	for _, g := range groups {
		slices.Sort(g.brokers)
		if len(g.lines) == 0 {
			add(1, brokers(g.brokers)+": no producer with an id is known here")
			continue
		}
		add(1, "known at "+brokers(g.brokers)+":")
		for _, l := range g.lines {
			add(3, l)
		}
	}
	for i := range p.Replicas {
		if r := &p.Replicas[i]; r.Broker == p.Leader && r.LSO >= 0 && (r.LSO < r.HW || r.Transactional()) {
			text := fmt.Sprintf("last stable offset %d: readers of committed records get what is below it", r.LSO)
			if r.LSO < r.HW {
				text += fmt.Sprintf(", and not what is from there to the high watermark %d", r.HW)
			}
			add(1, text)
		}
	}
}

// replicaMemory is what a replica keeps: per producer the last batches, by whose numbers it knows a batch again, and
// its open transaction; then the transactions that were aborted.
func (c *Context) replicaMemory(st *session.State, tp protocol.TopicPartition, r *session.Replica) []string {
	var lines []string
	for i := range r.Remembers {
		m := &r.Remembers[i]
		text := fmt.Sprintf("producer id %d", m.ID)
		if owner := st.Owner(m.ID); owner != "" {
			text += " (" + owner + ")"
		}
		text += fmt.Sprintf(" epoch %d", m.Epoch)
		switch n := len(m.Batches); n {
		case 0:
			text += ": no batch in this epoch"
		default:
			var spans []string
			for _, b := range m.Batches {
				spans = append(spans, span(b.First, b.Last)+"@"+span64(b.FirstOffset, b.LastOffset))
			}
			what := "last batch"
			if n > 1 {
				what = fmt.Sprintf("last %d batches", n)
			}
			text += ": " + what + " (sequence@offset) " + strings.Join(spans, " ")
		}
		if m.Open >= 0 {
			text += fmt.Sprintf("; transaction open since offset %d", m.Open)
			if st.Hanging(m.ID, tp) {
				text += ", of which its coordinator knows nothing: it hangs"
			}
		}
		lines = append(lines, text)
	}
	for _, a := range r.Aborted {
		lines = append(lines, fmt.Sprintf("aborted: offsets %s of producer id %d", span64(a.First, a.Last), a.ID))
	}
	return lines
}

// seconds writes milliseconds in seconds, if they are whole ones.
func seconds(ms int64) string {
	if ms%1000 == 0 {
		return fmt.Sprintf("%ds", ms/1000)
	}
	return fmt.Sprintf("%dms", ms)
}

func span(first, last int32) string { return span64(int64(first), int64(last)) }

func span64(first, last int64) string {
	if first == last {
		return fmt.Sprint(first)
	}
	return fmt.Sprintf("%d–%d", first, last)
}
