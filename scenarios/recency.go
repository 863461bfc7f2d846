package scenarios

import (
	"slices"

	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// recency is what the claim recent asks of the past of a run, beside the truth: what everybody could know of when each
// reader asked, and which of it a reader was told is not there. It is kept only where somebody asks for the claim.
type recency struct {
	wanted bool
	heard  bool     // somebody has read something, or was told that there is nothing
	known  []known  // in the order in which it could be known
	open   []known  // acknowledged in transactions that have not been committed
	asked  []asked  // the readers' requests that may still be answered
	missed []missed // sorted
}

// known is a record of which anybody could know at some time that it is there.
type known struct {
	step   int // when
	tp     protocol.TopicPartition
	offset int64 // -1: the acknowledgement did not say; it may be anywhere
	id     sentID
	record string
	// acked: it was acknowledged, or its transaction committed. Otherwise a reader at the level has seen it.
	acked bool
	level protocol.IsolationLevel
}

type sentID struct {
	producer   sim.NodeID
	submission int32
}

// asked is a request of a reader, with how many records were known before it was sent.
type asked struct {
	client, broker sim.NodeID
	msg            sim.Message
	known          int
}

// missed is a known record, by its place among them, that a reader at a level was told is not there.
type missed struct {
	known int
	level protocol.IsolationLevel
}

func (c *recency) clone() recency {
	return recency{c.wanted, c.heard, slices.Clone(c.known), slices.Clone(c.open), slices.Clone(c.asked), slices.Clone(c.missed)}
}

// learn adds what can be known from now on, if it could not be known before.
func (c *recency) learn(k known) {
	same := func(o known) bool { k.step = o.step; return k == o }
	if at := k.step; !slices.ContainsFunc(c.known, same) {
		k.step = at
		c.known = append(c.known, k)
	}
}

// event takes what was acknowledged, committed and seen in a step.
func (c *recency) event(r *Run, t *truth, told *sim.Recorded) {
	now := r.World.Steps()
	switch e := told.Event.(type) {
	case *event.BatchAcked:
		b := e.Batch
		for i := range b.Records {
			k := known{step: now, tp: e.TP, offset: -1, id: sentID{sim.NodeID(b.Records[i].Producer), b.Records[i].Submission}, record: b.Records[i].ID, acked: true}
			if e.BaseOffset >= 0 {
				k.offset = e.BaseOffset + int64(i)
			}
			if j, sent := t.find(k.id.producer, k.id.submission); sent && t.sent[j].txn > 0 {
				c.open = append(c.open, k)
			} else {
				c.learn(k)
			}
		}
	case *event.TxnCommitted: // what was acknowledged in it counts from now on
		x := t.transaction(r, told.Node)
		c.open = slices.DeleteFunc(c.open, func(k known) bool {
			j, sent := t.find(k.id.producer, k.id.submission)
			if x == nil || !sent || k.id.producer != told.Node || t.sent[j].txn != x.number {
				return false
			}
			k.step = now
			c.learn(k)
			return true
		})
	case *event.Polled:
		c.heard = true
		for _, got := range e.Records {
			c.learn(known{step: now, tp: got.TP, offset: got.Offset, id: sentID{sim.NodeID(got.Record.Producer), got.Record.Submission}, record: got.Record.ID, level: r.isolation(told.Node)})
		}
	}
}

// isolation is the isolation.level of a consumer's process.
func (r *Run) isolation(n sim.NodeID) protocol.IsolationLevel {
	for i, c := range r.Cluster.Consumers() {
		if v := r.Cluster.Spec.Consumers[i].Config; c == n && v != nil && v.Has("isolation.level") && v.Text("isolation.level") == protocol.ReadCommitted.String() {
			return protocol.ReadCommitted
		}
	}
	return protocol.ReadUncommitted
}

// sent notes a request of a reader. One that was sent earlier to the same broker gets no answer any more.
func (c *recency) sent(r *Run, m *sentMessage) {
	switch q := m.msg.(type) {
	case *protocol.Fetch:
		if q.Replica != protocol.ConsumerReplicaID {
			return
		}
	case *protocol.ListOffsets:
		if q.Replica != protocol.ConsumerReplicaID {
			return
		}
	default:
		return
	}
	n := 0
	for n < len(c.known) && c.known[n].step < r.World.Steps() {
		n++
	}
	c.asked = slices.DeleteFunc(c.asked, func(a asked) bool {
		return a.client == m.from && a.broker == m.to && a.msg.Type() == m.msg.Type()
	})
	c.asked = append(c.asked, asked{m.from, m.to, m.msg, n})
}

// answered finds the request that an answer belongs to, and forgets it.
func (c *recency) answered(s *sim.Step, is func(sim.Message) bool) (asked, bool) {
	i := slices.IndexFunc(c.asked, func(a asked) bool { return a.client == s.Node && a.broker == s.Peer && is(a.msg) })
	if i < 0 {
		return asked{}, false
	}
	a := c.asked[i]
	c.asked = slices.Delete(c.asked, i, i+1)
	return a, true
}

// step takes what readers were told in a step.
func (c *recency) step(s *sim.Step) {
	if s.Kind == sim.StepStart {
		c.asked = slices.DeleteFunc(c.asked, func(a asked) bool { return a.client == s.Node })
	}
	if s.Kind != sim.StepDeliver {
		return
	}
	switch m := s.Msg.(type) {
	case *protocol.FetchResponse:
		if a, ok := c.answered(s, func(q sim.Message) bool { f, ok := q.(*protocol.Fetch); return ok && f.Correlation == m.Correlation }); ok {
			c.fetched(a, a.msg.(*protocol.Fetch), m)
		}
	case *protocol.ListOffsetsResponse:
		if a, ok := c.answered(s, func(q sim.Message) bool {
			f, ok := q.(*protocol.ListOffsets)
			return ok && f.Correlation == m.Correlation
		}); ok {
			q := a.msg.(*protocol.ListOffsets)
			for i := range m.Data {
				d := &m.Data[i]
				latest := func(o protocol.OffsetQuery) bool { return o.TP == d.TP && o.Timestamp == protocol.LatestTimestamp }
				if d.Err == protocol.None && slices.ContainsFunc(q.Data, latest) {
					c.heard = true
					c.miss(a, d.TP, q.Isolation, func(k *known) bool { return k.offset < 0 || k.offset >= d.Offset })
				}
			}
		}
	}
}

// fetched takes an answer to a fetch: there is nothing, or something else than what was known.
func (c *recency) fetched(a asked, q *protocol.Fetch, m *protocol.FetchResponse) {
	for i := range m.Data {
		d := &m.Data[i]
		if d.Err != protocol.None || d.Diverging != nil {
			continue
		}
		for _, p := range q.Data {
			if p.TP == d.TP && len(d.Batches) == 0 {
				c.heard = true
				c.miss(a, d.TP, q.Isolation, func(k *known) bool { return k.offset < 0 || k.offset >= p.Offset })
			}
		}
		for _, b := range d.Batches {
			c.miss(a, d.TP, q.Isolation, func(k *known) bool {
				at := k.offset - b.BaseOffset
				return at >= 0 && at < int64(len(b.Records)) && !same(&b.Records[at], k.id)
			})
		}
	}
}

func same(r *record.Record, id sentID) bool {
	return sentID{sim.NodeID(r.Producer), r.Submission} == id
}

// miss notes what was known when a reader asked, and is not there by the answer. What a reader in read_uncommitted has seen
// binds only such readers.
func (c *recency) miss(a asked, tp protocol.TopicPartition, level protocol.IsolationLevel, gone func(*known) bool) {
	for i := range c.known[:a.known] {
		if k := &c.known[i]; k.tp == tp && (k.acked || k.level >= level) && gone(k) {
			m := missed{i, level}
			at, old := slices.BinarySearchFunc(c.missed, m, func(x, y missed) int { return (x.known-y.known)*2 + int(x.level-y.level) })
			if !old {
				c.missed = slices.Insert(c.missed, at, m)
			}
		}
	}
}

// addTo adds all that can still make a difference. Requests count by their order, not by their numbers.
func (c *recency) addTo(k *sim.Keyer) {
	if !c.wanted {
		return
	}
	for i := range c.known {
		c.known[i].addTo(k)
	}
	for i := range c.open {
		c.open[i].addTo(k)
	}
	k.Int(int64(len(c.known)))
	for i := range c.asked {
		k.Int(int64(c.asked[i].client)<<40 | int64(c.asked[i].broker)<<20 | int64(c.asked[i].known))
		k.Int(int64(c.asked[i].msg.Type()))
	}
	c.addMissed(k)
}

// addMissed adds what the ruling rests on, for a run that has ended.
func (c *recency) addMissed(k *sim.Keyer) {
	sum := int64(0)
	for _, m := range c.missed { // in whatever order it became known
		var one sim.Keyer
		one.Begin()
		c.known[m.known].addTo(&one)
		one.Int(int64(m.level))
		sum += int64(one.Sum())
	}
	k.Int(sum)
	k.Bool(c.heard)
}

func (n *known) addTo(k *sim.Keyer) {
	k.Text(n.tp.Topic)
	k.Int(int64(n.tp.Partition)<<32 | n.offset&0xffffffff)
	k.Int(int64(n.id.producer)<<32 | int64(n.id.submission))
	k.Bool(n.acked)
	k.Int(int64(n.level))
}
