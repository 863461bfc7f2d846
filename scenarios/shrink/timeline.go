package shrink

import (
	"fmt"
	"strconv"
	"strings"

	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/scenarios"
	"kafkatrial/scenarios/format"
	"kafkatrial/sim"
)

// acted is a moment at which the script acted.
type acted struct {
	step int // from 0
	at   sim.Time
	seen int // steps of the trace before it
}

// timeline replays the case and puts the steps of its script and its decisions in one order.
func (b *builder) timeline() error {
	acts, nexts, err := b.watch()
	if err != nil {
		return err
	}
	script := b.c.Run.File.Script
	decisions := b.c.Decisions
	if len(decisions) > 0 && len(acts) > 0 && decisions[0].Step < acts[0].seen {
		return fmt.Errorf("%q strikes while the cluster comes up, and a script begins only then", decisions[0].ID)
	}
	d := 0
	moved := false
	before := func(seen int) error {
		for d < len(decisions) && decisions[d].Step < seen {
			it, used, err := b.decision(d, nexts)
			if err != nil {
				return err
			}
			b.items = append(b.items, it)
			d += used
			moved = true
		}
		return nil
	}
	for i := 0; i < len(acts); {
		if err := before(acts[i].seen); err != nil {
			return err
		}
		n := i + 1
		for n < len(acts) && acts[n].step == acts[i].step {
			n++
		}
		st := script[acts[i].step]
		send, spread := st.Do.(*format.Send)
		if spread && n-i > 1 && d < len(decisions) && decisions[d].Step < acts[n-1].seen { // a decision between two of its records
			for j := i; j < n; j++ {
				if err := before(acts[j].seen); err != nil {
					return err
				}
				one := *send
				one.Records, one.Count, one.Prefix, one.Every = send.Records[j-i:j-i+1], 0, format.Name{}, format.Duration{}
				b.items = append(b.items, item{step: &format.Step{Do: &one}, at: acts[j].at, moved: true})
			}
		} else {
			b.items = append(b.items, item{step: &st, at: acts[i].at, moved: moved && (st.After.Given() || st.At.Given())})
		}
		i = n
		moved = false
	}
	return before(1 << 30)
}

// watch replays the case and notes when the script acts and, for each decision, when the next event comes.
func (b *builder) watch() (acts []acted, nexts []sim.Time, err error) {
	o := b.c.Options
	g := newGuide(b.c.Decisions, false)
	o.Source = g
	r, err := scenarios.New(b.c.File, o)
	if err != nil {
		return nil, nil, err
	}
	g.allow, g.run = b.c.Allow, r
	for {
		p, more := r.Pending()
		if !more {
			return acts, nexts, nil
		}
		if p.Site == "script" {
			at, _ := r.Progress()
			acts = append(acts, acted{at - 1, p.Now, p.Step})
		}
		left := g.left
		next := r.World.NextAt()
		if !r.Step() {
			return acts, nexts, nil
		}
		if g.left < left {
			nexts = append(nexts, next)
		}
	}
}

// decision makes a step of a decision, and tells how many decisions it covers: a power loss covers what the
// disks lose.
func (b *builder) decision(d int, nexts []sim.Time) (item, int, error) {
	dec := b.c.Decisions[d]
	it := item{at: dec.At, why: fmt.Sprintf("In the run that was found: %s, at %v.", dec.ID, dec.At)}
	used := 1
	node := func(n sim.NodeID) format.Node { return format.Node{Name: b.c.Run.World.Name(n)} }
	one := []format.Node{node(dec.Chosen.Node)}
	both := func() []format.Node { return []format.Node{node(dec.Chosen.Node), node(dec.Chosen.Peer)} }
	switch dec.Chosen.Op {
	case sim.OpKill:
		it.action = &format.Crash{Nodes: one}
	case sim.OpShutdown:
		it.action = &format.Shutdown{Nodes: one}
	case sim.OpPause:
		it.action = &format.Pause{Nodes: one}
	case sim.OpResume:
		it.action = &format.Resume{Nodes: one}
	case sim.OpRestart:
		it.action = &format.Start{Nodes: one}
	case sim.OpDiskLoss:
		it.action = &format.LoseDisk{Nodes: one}
	case sim.OpPowerLoss:
		p := &format.PowerLoss{Nodes: one, Keeps: format.Keeps{All: true}}
		for d+used < len(b.c.Decisions) && b.c.Decisions[d+used].Kind == sim.Tear {
			torn := b.c.Decisions[d+used]
			p.Keeps = format.Keeps{Flushed: true}
			if left := torn.Of - 1 - int(torn.Chosen.N); left > 0 {
				p.Keeps = format.Keeps{Records: left} // of batches with one record each
			}
			used++
		}
		it.action = p
	case sim.OpCut:
		it.action = &format.Cut{Link: format.Link{From: one, To: both()[1:]}}
	case sim.OpCutBoth:
		it.action = &format.Cut{Link: format.Link{Between: both()}}
	case sim.OpOrder:
		topic, partition, _ := cutLast(strings.TrimPrefix(dec.ID, "elect "), "-")
		index, err := strconv.Atoi(partition)
		if err != nil {
			return it, 0, fmt.Errorf("%q has no counterpart among the actions of a script", dec.ID)
		}
		it.action = &format.Elect{Partition: format.Partition{Topic: format.Name{Text: topic}, Index: index}, Type: format.Preferred}
	case sim.OpHeal:
		it.action = &format.Heal{Link: format.Link{Between: both()}}
	case sim.OpLose, sim.OpDuplicate, sim.OpLate:
		return b.fate(dec, it), 1, nil
	default:
		return it, 0, fmt.Errorf("%q has no counterpart among the actions of a script", dec.ID)
	}
	if when := b.justBefore(dec.Step); when != nil {
		it.places = append(it.places, place{when: when})
	}
	it.places = append(it.places, place{at: duration(roundest(dec.At, nexts[d]))})
	if nexts[d] > dec.At {
		it.places = append(it.places, place{at: duration(dec.At + 1)})
	}
	return it, used, nil
}

// fate makes a step of what becomes of a message. What is lost or doubled is caught under way, what is late must
// be known before it is sent.
func (b *builder) fate(dec Decision, it item) item {
	w := b.c.Run.World
	kind := kindOf(w.MessageName(dec.Chosen.Type))
	m := format.Messages{From: format.Node{Name: w.Name(dec.Chosen.Node)}, To: format.Node{Name: w.Name(dec.Chosen.Peer)}, Kind: format.Name{Text: kind}}
	if ids := b.carried(dec); len(ids) > 0 {
		m.Record = format.Name{Text: ids[0]}
	}
	count := format.Count{N: 1}
	switch dec.Chosen.Op {
	case sim.OpLose:
		it.action = &format.Drop{Messages: m, Count: count}
	case sim.OpDuplicate:
		it.action = &format.Duplicate{Messages: m, Count: count}
	case sim.OpLate:
		it.action = &format.Delay{Messages: m, By: duration(sim.Time(dec.Chosen.N)), Count: count}
		it.places = []place{{at: duration(dec.At)}, {at: duration(dec.At - 1)}}
		return it
	}
	it.places = []place{
		{when: &format.When{Condition: format.Condition{Predicates: []format.Predicate{&format.Sent{Messages: m}}}}},
		{at: duration(dec.At + 1)},
	}
	return it
}

// kindOf is how a scenario file names a kind of message: without "Request", unless that is no name of its own.
func kindOf(message string) string {
	short := strings.TrimSuffix(message, "Request")
	if known, _ := scenarios.Vocabulary.Known(format.MessageKind, short); known {
		return short
	}
	return message
}

// carried lists the records in the message that a decision is about.
func (b *builder) carried(dec Decision) (ids []string) {
	for _, st := range b.c.Run.World.Trace().Steps {
		if (st.Kind != sim.StepDeliver && st.Kind != sim.StepLost) || st.Peer != dec.Chosen.Node || st.Node != dec.Chosen.Peer || st.N != dec.Chosen.Seq || st.Msg.Type() != dec.Chosen.Type {
			continue
		}
		add := func(batch *record.RecordBatch) {
			for i := range batch.Records {
				ids = append(ids, batch.Records[i].ID)
			}
		}
		switch m := st.Msg.(type) {
		case *protocol.Produce:
			for _, d := range m.Data {
				add(d.Batch)
			}
		case *protocol.FetchResponse:
			for _, d := range m.Data {
				for _, batch := range d.Batches {
					add(batch)
				}
			}
		}
		return ids
	}
	return nil
}

// justBefore makes a condition of what the last step before a decision did, nil if a script can not name it.
func (b *builder) justBefore(step int) *format.When {
	t := b.c.Run.World.Trace()
	if step == 0 {
		return nil
	}
	st := &t.Steps[step-1]
	w := b.c.Run.World
	when := func(f format.Predicate) *format.When {
		return &format.When{Condition: format.Condition{Predicates: []format.Predicate{f}}}
	}
	node := func(n sim.NodeID) format.Node { return format.Node{Name: w.Name(n)} }
	broker := func(id int) format.Node { return format.Node{Name: fmt.Sprintf("b%d", id), ID: id} }
	at := func(tp protocol.TopicPartition) format.Partition {
		return format.Partition{Topic: format.Name{Text: tp.Topic}, Index: int(tp.Partition)}
	}
	events := t.EventsOf(step - 1)
	for i := len(events) - 1; i >= 0; i-- {
		told := &events[i]
		if strings.HasPrefix(event.Topic(told.Event), "__") {
			continue
		}
		switch e := told.Event.(type) {
		case *event.BatchAcked:
			return when(&format.Acked{Records: []format.Name{{Text: e.Batch.Records[0].ID}}})
		case *event.LeaderAppended:
			return when(&format.Append{Broker: node(told.Node), Record: format.Name{Text: e.Batch.Records[0].ID}})
		case *event.FollowerAppended:
			return when(&format.Append{Broker: node(told.Node), Record: format.Name{Text: e.Batch.Records[0].ID}})
		case *event.Truncated:
			return when(&format.Truncate{Broker: node(told.Node), Partition: at(e.TP)})
		case *event.LeaderElected:
			return when(&format.Elected{Leader: broker(e.Leader), Partition: at(e.TP)})
		case *event.HighWatermark:
			return when(&format.HighWatermark{Partition: at(e.TP), Broker: node(told.Node), AtLeast: int(e.To)})
		case *event.Processed:
			return when(&format.Processed{Records: []format.Name{{Text: e.Record.ID}}, Consumer: format.Name{Text: w.Name(told.Node)}, Times: 1})
		}
	}
	if st.Kind == sim.StepDeliver {
		kind := kindOf(w.MessageName(st.Msg.Type()))
		return when(&format.Delivered{Messages: format.Messages{From: node(st.Peer), To: node(st.Node), Kind: format.Name{Text: kind}}})
	}
	return nil
}

// cutLast splits a text at the last separator.
func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// roundest gives the moment after one and up to another that is written shortest.
func roundest(after, upTo sim.Time) sim.Time {
	for _, unit := range [...]sim.Time{sim.Second, 500 * sim.Millisecond, 100 * sim.Millisecond, 10 * sim.Millisecond, sim.Millisecond, 100, 10} {
		if t := (after/unit + 1) * unit; t <= upTo && upTo != sim.Never {
			return t
		}
	}
	return after + 1
}
