package scenarios

import (
	"slices"
	"strings"

	"kafkatrial/model/consumer"
	"kafkatrial/model/event"
	"kafkatrial/model/partition"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/scenarios/format"
	"kafkatrial/sim"
)

// ledger keeps what conditions ask for: which records were acknowledged, which failed, what was processed,
// what was committed, and which produce request carried which records.
type ledger struct {
	acked     map[string]int
	failed    map[string][]protocol.Error
	processed map[string][]sim.NodeID // who processed it, once an effect
	committed map[groupPartition]int64
	carried   map[correlation][]string // the records of a produce request
	shared    bool                     // a copy of the run has the same maps
}

type groupPartition struct {
	group string
	tp    protocol.TopicPartition
}

type correlation struct {
	client sim.NodeID
	id     int32
}

func (l *ledger) start() {
	*l = ledger{acked: map[string]int{}, failed: map[string][]protocol.Error{}, processed: map[string][]sim.NodeID{},
		committed: map[groupPartition]int64{}, carried: map[correlation][]string{}}
}

func (l *ledger) take(r *Run, told *sim.Recorded) {
	switch e := told.Event.(type) {
	case *event.BatchAcked:
		l.own()
		for i := range e.Batch.Records {
			l.acked[e.Batch.Records[i].ID]++
		}
	case *event.BatchFailed:
		l.own()
		for i := range e.Batch.Records {
			id := e.Batch.Records[i].ID
			l.failed[id] = append(l.failed[id], e.Err)
		}
	case *event.RecordRejected:
		l.own()
		l.failed[e.Record] = append(l.failed[e.Record], e.Err)
	case *event.Processed:
		l.own()
		l.processed[e.Record.ID] = append(l.processed[e.Record.ID], told.Node)
	case *event.RowInserted, *event.DatabaseCommitted:
		l.own()
		for _, row := range r.effectRows(told) {
			l.processed[row.Record.ID] = append(l.processed[row.Record.ID], row.Client)
		}
	case *event.OffsetsCommitted:
		l.own()
		l.committed[groupPartition{e.Group, e.TP}] = e.Offset
	}
}

func (l *ledger) sent(from sim.NodeID, m sim.Message) {
	p, ok := m.(*protocol.Produce)
	if !ok {
		return
	}
	var ids []string
	for i := range p.Data {
		ids = append(ids, recordIDs(p.Data[i].Batch)...)
	}
	l.own()
	l.carried[correlation{from, p.Correlation}] = ids
}

func recordIDs(b *record.RecordBatch) []string {
	ids := make([]string, len(b.Records))
	for i := range b.Records {
		ids[i] = b.Records[i].ID
	}
	return ids
}

// carries says that a message has a record in it, or answers a produce request that had.
func (l *ledger) carries(to sim.NodeID, m sim.Message, id string) bool {
	has := func(b *record.RecordBatch) bool {
		return slices.ContainsFunc(b.Records, func(r record.Record) bool { return r.ID == id })
	}
	switch m := m.(type) {
	case *protocol.Produce:
		return slices.ContainsFunc(m.Data, func(d protocol.ProduceData) bool { return has(d.Batch) })
	case *protocol.ProduceResponse:
		return slices.Contains(l.carried[correlation{to, m.Correlation}], id)
	case *protocol.FetchResponse:
		return slices.ContainsFunc(m.Data, func(d protocol.FetchResult) bool { return slices.ContainsFunc(d.Batches, has) })
	case *protocol.DatabaseRequest:
		return slices.ContainsFunc(m.Rows, func(row protocol.Row) bool { return row.Record != nil && row.Record.ID == id })
	}
	return false
}

// holds says that every predicate of a condition is true.
func (d *director) holds(r *Run, predicates []format.Predicate) bool {
	for _, f := range predicates {
		if !d.true(r, f) {
			return false
		}
	}
	return true
}

func (d *director) true(r *Run, f format.Predicate) bool {
	if format.IsEvent(f) {
		for i := range d.watch {
			if d.watch[i].want == f {
				return d.watch[i].met
			}
		}
		return false
	}
	c := r.Cluster
	switch f := f.(type) {
	case *format.Acked:
		return every(f.Records, func(id string) bool { return d.ledger.acked[id] > 0 })
	case *format.Failed:
		return every(f.Records, func(id string) bool {
			return slices.ContainsFunc(d.ledger.failed[id], func(e protocol.Error) bool { return f.Error.IsZero() || e.String() == f.Error.Text })
		})
	case *format.Processed:
		return every(f.Records, func(id string) bool {
			n := 0
			for _, by := range d.ledger.processed[id] {
				if f.Consumer.IsZero() || r.World.Name(by) == f.Consumer.Text {
					n++
				}
			}
			return n >= f.Times
		})
	case *format.InLog:
		return every(f.Records, func(id string) bool { return inLog(r, f.Broker, id) })
	case *format.HighWatermark:
		p := r.replica(f.Partition, f.Broker)
		return p != nil && p.Log().HighWatermark() >= int64(f.AtLeast)
	case *format.LogEnd:
		p := r.replica(f.Partition, f.Broker)
		return p != nil && p.Log().LogEndOffset() >= int64(f.AtLeast)
	case *format.Leader:
		if f.Is.Kind == format.NoNode {
			s, known := c.State(topicPartition(f.Partition))
			return known && s.Leader == protocol.NoBroker
		}
		b := c.Leader(topicPartition(f.Partition))
		return b != nil && protocol.BrokerName(b.ID()) == f.Is.Name
	case *format.ISR:
		s, known := c.State(topicPartition(f.Partition))
		return known && sameSet(s.ISR, f.Is)
	case *format.Committed:
		at, ok := d.ledger.committed[groupPartition{f.Group.Text, topicPartition(f.Partition)}]
		return ok && at >= int64(f.AtLeast)
	case *format.Assigned:
		n, _ := r.World.Lookup(f.Consumer.Text)
		k := c.Consumer(n)
		if k == nil {
			return false
		}
		own := k.Partitions()
		for _, p := range f.Partitions {
			if !slices.ContainsFunc(own, func(o consumer.PartitionState) bool { return o.TP == topicPartition(p) }) {
				return false
			}
		}
		return len(own) == len(f.Partitions)
	case *format.Held:
		return r.World.Held(r.pattern(f.Messages)) >= f.Count
	case *format.Quiet:
		return r.atRest()
	}
	panic("scenarios: nothing tells whether " + format.FactName(f) + " is true")
}

func every(names []format.Name, ok func(string) bool) bool {
	for _, n := range names {
		if !ok(n.Text) {
			return false
		}
	}
	return true
}

func sameSet(ids []protocol.BrokerID, nodes []format.Node) bool {
	if len(ids) != len(nodes) {
		return false
	}
	for _, n := range nodes {
		if !slices.Contains(ids, n.ID) {
			return false
		}
	}
	return true
}

func topicPartition(p format.Partition) protocol.TopicPartition {
	return protocol.TopicPartition{Topic: p.Topic.Text, Partition: int32(p.Index)}
}

// replica finds a broker's replica of a partition; the leader's if no broker is named.
func (r *Run) replica(p format.Partition, n format.Node) *partition.Partition {
	tp := topicPartition(p)
	b := r.Cluster.Leader(tp)
	if !n.IsZero() {
		b = r.Cluster.Broker(r.Cluster.Directory.Broker(r.node(n)))
	}
	if b == nil {
		return nil
	}
	return b.Replica(tp)
}

func inLog(r *Run, n format.Node, id string) bool {
	b := r.Cluster.Broker(r.Cluster.Directory.Broker(r.node(n)))
	if b == nil {
		return false
	}
	for i := 0; ; i++ {
		h, ok := b.Hosted(i)
		if !ok {
			return false
		}
		for _, batch := range h.Partition.Log().Batches() {
			if slices.Contains(recordIDs(batch), id) {
				return true
			}
		}
	}
}

// watcher looks out for one event.
type watcher struct {
	of     int // index of the step that waits for it
	want   format.Predicate
	met    bool
	probes int // how often the probe had been hit before
}

func (w *watcher) event(r *Run, told *sim.Recorded) {
	w.met = w.met || w.meets(r, told)
}

// meets says that an event is the one that is looked for.
func (w *watcher) meets(r *Run, told *sim.Recorded) bool {
	is := func(n format.Node) bool { return n.IsZero() || r.node(n) == told.Node }
	at := func(p format.Partition) bool { return p.IsZero() || topicPartition(p) == event.Partition(told.Event) }
	switch want := w.want.(type) {
	case *format.Append:
		switch told.Event.(type) {
		case *event.LeaderAppended, *event.FollowerAppended:
			return is(want.Broker) && slices.Contains(recordIDs(event.Batch(told.Event)), want.Record.Text)
		}
	case *format.Truncate:
		e, ok := told.Event.(*event.Truncated)
		return ok && is(want.Broker) && at(want.Partition) && (want.To == nil || int64(*want.To) == e.NewEnd)
	case *format.Elected:
		e, ok := told.Event.(*event.LeaderElected)
		return ok && want.Leader.ID == e.Leader && at(want.Partition)
	case *format.Reaches:
		e, ok := told.Event.(*event.VerbBegan)
		return ok && r.World.Name(told.Node) == want.Consumer.Text && e.Verb == string(want.Verb)
	case *format.Timeout:
		e, ok := told.Event.(*event.RequestGivenUp)
		return ok && is(want.Node) && (want.Kind.IsZero() || messageType(want.Kind.Text) == e.Request)
	}
	return false
}

func (w *watcher) step(r *Run, s *sim.Step) {
	if s.Kind != sim.StepDeliver {
		return
	}
	switch want := w.want.(type) {
	case *format.Fetch:
		m, ok := s.Msg.(*protocol.Fetch)
		if !ok || s.Peer != r.node(want.By) {
			return
		}
		for i := range m.Data {
			if m.Data[i].TP == topicPartition(want.Partition) && (want.Offset == nil || int64(*want.Offset) == m.Data[i].Offset) {
				w.met = true
			}
		}
	case *format.Delivered:
		w.met = w.met || r.picks(want.Messages, s.Peer, s.Node, s.Msg)
	case *format.ErrorAt:
		if s.Node == r.node(want.Node) {
			w.met = w.met || slices.ContainsFunc(errorsIn(s.Msg), func(e protocol.Error) bool { return e.String() == want.Code.Text })
		}
	}
}

func (w *watcher) messages(r *Run, sent []sentMessage) {
	switch want := w.want.(type) {
	case *format.Sent:
		for _, m := range sent {
			w.met = w.met || r.picks(want.Messages, m.from, m.to, m.msg)
		}
	case *format.Probe:
		w.met = w.met || probeCount(r, want.Text.Text) > w.probes
	}
}

func probeCount(r *Run, name string) int {
	for _, m := range r.World.Probes() {
		if m.Name == name {
			return m.Count
		}
	}
	return 0
}

func (r *Run) picks(m format.Messages, from, to sim.NodeID, msg sim.Message) bool {
	p := r.pattern(m)
	return r.World.Fits(&p, from, to, msg)
}

// errorsIn lists the error codes that a response bears.
func errorsIn(m sim.Message) []protocol.Error {
	var all []protocol.Error
	add := func(e protocol.Error) {
		if e != protocol.None {
			all = append(all, e)
		}
	}
	switch m := m.(type) {
	case *protocol.ProduceResponse:
		for i := range m.Data {
			add(m.Data[i].Err)
		}
	case *protocol.FetchResponse:
		for i := range m.Data {
			add(m.Data[i].Err)
		}
	case *protocol.ListOffsetsResponse:
		for i := range m.Data {
			add(m.Data[i].Err)
		}
	case *protocol.OffsetForLeaderEpochResponse:
		for i := range m.Data {
			add(m.Data[i].Err)
		}
	case *protocol.OffsetCommitResponse:
		for i := range m.Data {
			add(m.Data[i].Err)
		}
	case *protocol.OffsetFetchResponse:
		add(m.Err)
	case *protocol.FindCoordinatorResponse:
		add(m.Err)
	case *protocol.AlterPartitionResponse:
		add(m.Err)
		for i := range m.Data {
			add(m.Data[i].Err)
		}
	case *protocol.BrokerHeartbeatResponse:
		add(m.Err)
	case *protocol.BrokerRegistrationResponse:
		add(m.Err)
	case *protocol.LeaderAndIsrResponse:
		add(m.Err)
	case *protocol.UpdateMetadataResponse:
		add(m.Err)
	case *protocol.StopReplicaResponse:
		add(m.Err)
	case *protocol.ControlledShutdownResponse:
		add(m.Err)
	}
	return all
}

// describe writes the predicates of a condition as the file does, for the sentence that says it did not come true.
func describe(predicates []format.Predicate) string {
	var all []string
	for _, f := range predicates {
		all = append(all, format.FactText(f))
	}
	return strings.Join(all, " and ")
}
