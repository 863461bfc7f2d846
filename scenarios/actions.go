package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"kafkatrial/model/broker"
	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/scenarios/format"
	"kafkatrial/sim"
)

// perform carries out a step's action. A step that names a role which nobody has ends the script.
func (d *director) perform(r *Run, st *format.Step) {
	r.vacant = ""
	d.do(r, st)
	d.refuse(r, st)
}

// refuse ends the script if the step could not be carried out. Where faults are drawn that is no mistake of
// the script: an application that one of them has stopped sends nothing.
func (d *director) refuse(r *Run, st *format.Step) {
	if r.vacant != "" && !r.drawn {
		d.giveUp(r, fmt.Sprintf("step %d (line %d) names %s", st.Number, st.Pos.Line, r.vacant))
	}
}

func (d *director) do(r *Run, st *format.Step) {
	w := r.World
	if text := arrangement(st.Do); text != "" {
		w.Note(&event.Arranged{Text: text, Step: int64(st.Number)})
	}
	each := func(nodes []format.Node, do func(sim.NodeID)) {
		for _, n := range nodes {
			if id := r.node(n); id != sim.Nobody {
				do(id)
			}
		}
	}
	switch a := st.Do.(type) {
	case nil:
	case *format.Send:
		if a.Every.Duration == 0 {
			d.hand(r, a, a.Records)
			return
		}
		d.going = &ongoing{send: a, due: w.Now()}
		d.sendNext(r)
	case *format.FlushProducer:
		d.command(r, a.Producer.Text, &protocol.Command{Flush: true})
	case *format.InitTransactions:
		d.command(r, a.Producer.Text, &protocol.Command{Transaction: protocol.InitTransactions})
	case *format.BeginTransaction:
		d.command(r, a.Producer.Text, &protocol.Command{Transaction: protocol.BeginTransaction})
	case *format.CommitTransaction:
		d.command(r, a.Producer.Text, &protocol.Command{Transaction: protocol.CommitTransaction})
	case *format.AbortTransaction:
		d.command(r, a.Producer.Text, &protocol.Command{Transaction: protocol.AbortTransaction})
	case *format.SendOffsets:
		d.sendOffsets(r, a)
	case *format.Rebalance:
		r.rebalance(a)
	case *format.CloseProducer:
		d.command(r, a.Producer.Text, &protocol.Command{Close: true})
	case *format.Wait:
		d.going = &ongoing{wait: a, due: w.Now() + duration(a.For)}
	case *format.Predict:
		d.ask(r, a)
	case *format.Crash:
		each(a.Nodes, w.Kill)
	case *format.PowerLoss:
		each(a.Nodes, func(n sim.NodeID) { w.PowerLoss(n, survivors(w, n, a.Keeps)) })
	case *format.LoseDisk:
		each(a.Nodes, w.LoseDisk)
	case *format.Pause:
		each(a.Nodes, w.Pause)
	case *format.Resume:
		each(a.Nodes, w.Resume)
	case *format.Restart:
		d.restart(r, a.Nodes)
	case *format.Start:
		d.startNodes(r, a.Nodes)
	case *format.Shutdown:
		each(a.Nodes, func(n sim.NodeID) { r.shutDown(n) })
	case *format.Cut:
		r.links(a.Link, w.Cut)
	case *format.Heal:
		if a.All {
			w.HealLinks()
		} else {
			r.links(a.Link, func(from, to sim.NodeID) { w.HealOneWay(from, to) })
		}
	case *format.Disconnect:
		if x, y := r.node(a.Between[0]), r.node(a.Between[1]); x != sim.Nobody && y != sim.Nobody {
			w.Disconnect(x, y)
		}
	case *format.Hold:
		r.rule(sim.Hold, a.Messages, a.Count, 0)
	case *format.Drop:
		r.rule(sim.Drop, a.Messages, a.Count, 0)
	case *format.Duplicate:
		r.rule(sim.Duplicate, a.Messages, a.Count, 0)
	case *format.Delay:
		r.rule(sim.Delay, a.Messages, a.Count, duration(a.By))
	case *format.Release:
		p := sim.Pattern{From: sim.Nobody, To: sim.Nobody, AnyType: true}
		if !a.All {
			p = r.pattern(a.Messages)
		}
		w.Release(p, a.Count.N)
	case *format.Elect:
		r.controllerCommand(&protocol.Command{Elect: &protocol.ElectCommand{TP: topicPartition(a.Partition), Unclean: a.Type == format.Unclean}})
	case *format.AlterConfig:
		for _, s := range a.Config {
			r.metadataCommand(&protocol.Command{AlterConfig: &protocol.ConfigRecord{Topic: a.Topic.Text, Key: s.Key.Text, Value: s.Value.Text}})
		}
	case *format.AddPartitions:
		r.metadataCommand(&protocol.Command{AddPartitions: &protocol.AddPartitionsCommand{Topic: a.Topic.Text, Count: int32(a.Count)}})
	case *format.Seek:
		d.command(r, a.Consumer.Text, &protocol.Command{Seek: &protocol.SeekCommand{TP: topicPartition(a.Partition), Offset: int64(a.Offset)}})
	case *format.Throw:
		d.command(r, a.Consumer.Text, &protocol.Command{Throw: true})
	case *format.InsertRowsStep:
		insert := &protocol.InsertRowsCommand{Table: a.Table.Text}
		for _, name := range a.Rows {
			insert.Records = append(insert.Records, record.Record{ID: name.Text, Value: name.Text, Timestamp: record.NoTimestamp})
		}
		d.command(r, a.Database.Text, &protocol.Command{InsertRows: insert})
	case *format.DeleteRecords:
		tp := topicPartition(a.Partition)
		b := r.Cluster.Leader(tp)
		if b == nil {
			r.vacant = "a partition that nobody leads"
			return
		}
		w.Command(r.Cluster.Directory.Node(b.ID()), &protocol.Command{DeleteRecords: &protocol.DeleteRecordsCommand{TP: tp, Before: int64(a.Before)}})
	case *format.Flush:
		each(a.Nodes, func(n sim.NodeID) { w.Command(n, &protocol.Command{Flush: true}) })
	case *format.Clock:
		each(a.Nodes, func(n sim.NodeID) { w.SetSkew(n, duration(a.By)) })
	default:
		panic("scenarios: nothing carries out the action " + format.ActionName(a))
	}
}

// sendNext hands over the next record of a send that is spread over time.
func (d *director) sendNext(r *Run) {
	g := d.going
	d.hand(r, g.send, g.send.Records[g.next:g.next+1])
	g.next++
	g.due += duration(g.send.Every)
	if g.next == len(g.send.Records) {
		d.going = nil
	}
}

// hand lets the application call send() for records, in order.
func (d *director) hand(r *Run, a *format.Send, records []format.Record) {
	c := &protocol.SendCommand{Topic: a.Topic.Text, Partition: -1}
	if a.Partition != nil {
		c.Partition = int32(*a.Partition)
	}
	for _, rec := range records {
		c.Records = append(c.Records, recordOf(r, a, rec))
	}
	d.command(r, a.Producer.Text, &protocol.Command{Send: c})
}

func recordOf(r *Run, a *format.Send, rec format.Record) record.Record {
	out := record.Record{ID: rec.Name.Text, Value: rec.Name.Text, Timestamp: record.NoTimestamp}
	if key := rec.Key; key.Given() || a.Key.Given() {
		if !key.Given() {
			key = a.Key
		}
		out.Key, out.HasKey = key.Text, !key.Null
	}
	if rec.Value.Given() {
		out.Value, out.Tombstone = rec.Value.Text, rec.Value.Null
	}
	if rec.Timestamp.Given() {
		out.Timestamp = (r.World.Now() + duration(rec.Timestamp)).Ms()
	}
	return out
}

func (d *director) command(r *Run, name string, c *protocol.Command) {
	if n, ok := r.World.Lookup(name); !ok || !r.World.Command(n, c) {
		r.vacant = name + ", which is not running"
	}
}

// metadataCommand changes the cluster's metadata where they are kept: in ZooKeeper, where the operator's tools
// or a broker for them wrote, or at KRaft's active controller.
func (r *Run) metadataCommand(c *protocol.Command) {
	if zk := r.Cluster.Directory.ZooKeeper; zk != sim.Nobody {
		r.World.Command(zk, c)
		return
	}
	r.controllerCommand(c)
}

func (r *Run) controllerCommand(c *protocol.Command) {
	n := r.Cluster.ActiveController()
	if n == sim.Nobody {
		r.vacant = "the controller, and there is none"
		return
	}
	r.World.Command(n, c)
}

// restart stops nodes, brokers in order and others by a kill, and starts each once it is down.
func (d *director) restart(r *Run, nodes []format.Node) {
	g := &ongoing{due: r.World.Now() + patience}
	for _, n := range nodes {
		id := r.node(n)
		if id == sim.Nobody {
			continue
		}
		g.lives = append(g.lives, r.World.Incarnation(id))
		r.shutDown(id)
		g.restart = append(g.restart, id)
	}
	d.going = g
}

// startNodes starts nodes; the next step comes when they run.
func (d *director) startNodes(r *Run, nodes []format.Node) {
	g := &ongoing{}
	for _, n := range nodes {
		if id := r.node(n); id != sim.Nobody {
			r.World.Restart(id)
			g.start = append(g.start, id)
		}
	}
	if g.start != nil {
		d.going = g
	}
}

// shutDown stops a node in order: a broker hands over what it leads, a producer sends what it has
// buffered, a consumer commits.
func (r *Run) shutDown(n sim.NodeID) {
	if r.Cluster.Directory.Broker(n) != protocol.NoBroker || slices.Contains(r.Cluster.Producers(), n) {
		r.World.Command(n, &protocol.Command{ShutDown: true})
		return
	}
	if slices.Contains(r.Cluster.Consumers(), n) {
		r.World.Command(n, &protocol.Command{Close: true})
		return
	}
	r.World.Kill(n)
}

// survivors tells how much of each file's unflushed end a power loss leaves, in blocks: those that hold
// the first Keeps.Records records of it.
func survivors(w *sim.World, n sim.NodeID, k format.Keeps) func(string, int) int {
	return func(file string, unflushed int) int {
		switch {
		case k.All:
			return unflushed
		case k.Flushed:
			return 0
		}
		f := w.Disk(n).File(file)
		blocks, records := 0, 0
		for _, b := range f.Blocks()[f.Flushed():] {
			batch, ok := b.(*record.RecordBatch)
			if !ok || records+len(batch.Records) > k.Records {
				break
			}
			records += len(batch.Records)
			blocks++
		}
		return blocks
	}
}

// node finds the node that a file names; a role is whoever has it now. Nobody if nobody has, and then
// r.vacant says which.
func (r *Run) node(n format.Node) sim.NodeID {
	c := r.Cluster
	var b *broker.Broker
	switch n.Kind {
	case format.ActiveController:
		if k := c.ActiveController(); k != sim.Nobody {
			return k
		}
		r.vacant = "the controller, and there is none"
		return sim.Nobody
	case format.LeaderOf:
		b = c.Leader(topicPartition(n.Partition))
	case format.CoordinatorOf:
		b = c.CoordinatorOf(n.Group.Text)
	default:
		id, ok := r.World.Lookup(n.Name)
		if !ok { // k2 or zk, in a comparison that has none
			r.vacant = n.Name + ", and there is none"
			return sim.Nobody
		}
		return id
	}
	if b == nil {
		r.vacant = "the " + n.Name + ", and there is none"
		return sim.Nobody
	}
	return c.Directory.Node(b.ID())
}

// links calls do for every direction that a Link means.
func (r *Run) links(l format.Link, do func(from, to sim.NodeID)) {
	pair := func(a, b sim.NodeID) {
		if a != b && a != sim.Nobody && b != sim.Nobody {
			do(a, b)
		}
	}
	ids := func(nodes []format.Node) []sim.NodeID {
		var out []sim.NodeID
		for _, n := range nodes {
			out = append(out, r.node(n))
		}
		return out
	}
	switch {
	case l.Between != nil:
		x := ids(l.Between)
		pair(x[0], x[1])
		pair(x[1], x[0])
	case l.Groups != nil:
		for i := range l.Groups {
			for j := range l.Groups {
				if i == j {
					continue
				}
				for _, a := range ids(l.Groups[i]) {
					for _, b := range ids(l.Groups[j]) {
						pair(a, b)
					}
				}
			}
		}
	case l.Node != nil:
		apart := ids(l.Node)
		for _, a := range apart {
			for _, b := range r.Cluster.Nodes() {
				if !slices.Contains(apart, b) {
					pair(a, b)
					pair(b, a)
				}
			}
		}
	default:
		for _, a := range ids(l.From) {
			for _, b := range ids(l.To) {
				pair(a, b)
			}
		}
	}
}

func (r *Run) rule(act sim.RuleAct, m format.Messages, count format.Count, by sim.Time) {
	r.World.AddRule(&sim.LinkRule{Pattern: r.pattern(m), Act: act, Count: count.N, By: by})
}

func (r *Run) pattern(m format.Messages) sim.Pattern {
	p := sim.Pattern{From: sim.Nobody, To: sim.Nobody, AnyType: m.Kind.IsZero()}
	if !m.From.IsZero() {
		p.From = r.node(m.From)
	}
	if !m.To.IsZero() {
		p.To = r.node(m.To)
	}
	if !p.AnyType {
		p.Type = messageType(m.Kind.Text)
	}
	p.About = m.Record.Text
	return p
}

// messageType finds a kind of message by Kafka's name; requests may be written with or without "Request".
func messageType(name string) sim.MsgType {
	name = strings.TrimSuffix(name, "Request")
	return sim.MsgType(max(0, slices.Index(protocol.MessageNames, name)))
}
