package story

import (
	"slices"
	"strconv"
	"strings"

	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/scenarios"
	"kafkatrial/sim"
)

// causes knows what each step rests on through the data. The trace knows the carrier of a step alone: the message that
// was sent, the timer that was set. That a record is processed follows from a timer; why it is this record follows from the poll that
// brought it, the fetch before that, the copies that made it readable. So causes follow data where there are data, and carriers
// elsewhere. All of it is a fold over events: it says "the last step in which this was written, told or raised".
type causes struct {
	run  *scenarios.Run
	last map[about]int32 // the last step with this
	data [][]int32       // by step: what its events rest on, each once, the nearest first
}

// about names what an event says, as a later event would look for it: its kind, who, the partition, a number and a text. What a
// key does not need stays zero.
type about struct {
	kind  sim.EventKind
	node  sim.NodeID
	topic string
	part  int32
	n     int64
	text  string
}

// anyFault stands for a fault that struck a node, and aStart for a process that began there: steps, not events.
const (
	anyFault = event.NumKinds + iota
	aStart
)

func newCauses(r *scenarios.Run) *causes { return &causes{run: r, last: map[about]int32{}} }

// step takes in step i. before is the state of the partitions before it.
func (c *causes) step(i int, st *sim.Step, events []sim.Event, before *Replicas) {
	switch {
	case st.Kind == sim.StepStart:
		c.last[about{kind: aStart, node: st.Node}] = int32(i)
	case st.Kind == sim.StepFault && !repairs(st.Op):
		c.last[about{kind: anyFault, node: st.Node}] = int32(i)
		if st.Peer != sim.Nobody {
			c.last[about{kind: anyFault, node: st.Peer}] = int32(i)
		}
	}
	var found []int32
	for j := range events {
		for _, k := range c.restsOn(st, &events[j], before) {
			if at, ok := c.last[k]; ok && int(at) < i && !slices.Contains(found, at) {
				found = append(found, at)
			}
		}
		c.note(int32(i), &events[j])
	}
	slices.SortFunc(found, func(a, b int32) int { return int(b - a) })
	c.data = append(c.data, found)
}

// note keeps under which names a later step looks for an event.
func (c *causes) note(i int32, f *sim.Event) {
	k := about{kind: f.Kind, node: f.Node, topic: f.Subject, part: f.Part}
	at := func(n int64) { k.n = n; c.last[k] = i }
	span := func(from, to int64) {
		for ; from < to; from++ {
			at(from)
		}
	}
	switch f.Kind {
	case event.LeaderAppended, event.FollowerAppended, event.MarkerWritten:
		k.kind = event.LeaderAppended // a copy is a copy, whoever made it
		if b := event.Batch(f); b != nil {
			span(b.BaseOffset, b.NextOffset())
			at(-1) // the last
		}
	case event.Polled:
		span(f.A, f.B)
		if got, ok := f.Ref.([]event.Consumed); ok {
			for j := range got {
				c.last[about{kind: f.Kind, node: f.Node, text: got[j].Record.ID}] = i
			}
		}
	case event.HighWatermark, event.Fetched:
		span(f.A, f.B)
	case event.Assigned, event.PositionReset:
		k.kind = event.Assigned
		at(0)
	case event.RecordSent:
		k.topic, k.part = "", 0 // the partition is chosen later
		at(f.A)
	case event.RecordsBatched, event.BatchRetried:
		k.topic, k.part = "", 0
		at(submission(f))
	case event.OffsetsCommitted, event.PositionStored:
		k.node = 0
		at(f.A)
	case event.Processed:
		at(f.A)
		c.last[about{kind: f.Kind, node: f.Node, text: f.Text}] = i
	case event.CommitSent:
		at(f.A)
	case event.RowInserted, event.RowMarked:
		c.last[about{kind: event.RowInserted, node: f.Node, n: f.C}] = i
	case event.LeaderElected, event.PartitionOffline:
		k.kind, k.node = event.LeaderElected, 0
		epoch := f.B
		if f.Kind == event.PartitionOffline {
			epoch = f.A
		}
		at(epoch)
		at(-1) // whichever
	case event.BrokerFenced, event.BrokerGone, event.BrokerUnfenced, event.BrokerJoined, event.SessionExpired:
		c.last[about{kind: f.Kind, n: f.A}] = i
	case event.DivergenceFound:
		k.node = 0
		at(f.C)
	case event.GroupRebalancing, event.TransactionState, event.TransactionTimedOut:
		c.last[about{kind: f.Kind, text: f.Text}] = i
		if f.Kind == event.TransactionState {
			c.last[about{kind: f.Kind, node: f.Node}] = i
		}
	case event.GroupRebalanced:
		c.last[about{kind: f.Kind, n: f.A}] = i
		c.last[about{kind: f.Kind, n: -1}] = i
	case event.TxnBegan:
		c.last[about{kind: f.Kind, node: f.Node, n: f.A}] = i
	default:
		at(0)
	}
}

// submission names a batch by its first record: how often send() had been called.
func submission(f *sim.Event) int64 {
	if b := event.Batch(f); b != nil && len(b.Records) > 0 {
		return int64(b.Records[0].Submission)
	}
	return -1
}

// restsOn names what an event follows from. Where it names nothing, the message or the timer that carried the step says enough.
func (c *causes) restsOn(st *sim.Step, f *sim.Event, before *Replicas) []about {
	for _, keys := range [...][]about{c.copied(st, f, before), c.led(f, before), produced(f), c.consumed(f), stored(f), coordinators(f)} {
		if keys != nil { // a kind of event is of one group
			return keys
		}
	}
	return nil
}

// at names something that happened at a node to the partition that an event tells of; here, at the event's own node.
func at(f *sim.Event, kind sim.EventKind, node sim.NodeID, n int64) about {
	return about{kind: kind, node: node, topic: f.Subject, part: f.Part, n: n}
}

func here(f *sim.Event, kind sim.EventKind, n int64) about { return at(f, kind, f.Node, n) }

// copied takes logs: a copy follows from what was copied, a high watermark from the copies below it, or from the leader's.
func (c *causes) copied(st *sim.Step, f *sim.Event, before *Replicas) []about {
	switch f.Kind {
	case event.FollowerAppended:
		return []about{at(f, event.LeaderAppended, st.Peer, f.A)}
	case event.HighWatermark:
		if f.C == 0 {
			return []about{at(f, event.HighWatermark, st.Peer, f.B-1)}
		}
		return c.copies(f, before)
	case event.ProduceAnswered:
		if b := event.Batch(f); b != nil && f.B == -1 {
			return []about{here(f, event.HighWatermark, b.LastOffset())}
		}
	}
	return nil
}

// led takes controllers and leaders: a leadership follows from an election, and an election from who went or came.
func (c *causes) led(f *sim.Event, before *Replicas) []about {
	switch f.Kind {
	case event.BecameLeader, event.BecameFollower:
		return []about{at(f, event.LeaderElected, 0, f.A)}
	case event.Truncated:
		return []about{at(f, event.DivergenceFound, 0, int64(c.run.Cluster.Directory.Broker(f.Node))), here(f, event.BecameFollower, 0)}
	case event.LeaderElected:
		return c.election(f, before)
	case event.PartitionOffline:
		return c.gone(before.leader(event.TP(f)))
	case event.ISRProposed, event.ISRChanged:
		var keys []about
		for _, b := range before.left(event.TP(f), f.Text) {
			keys = append(keys, c.gone(b)...)
		}
		for _, b := range before.joined(event.TP(f), f.Text) { // it has caught up
			keys = append(keys, at(f, event.LeaderAppended, c.node(int64(b)), -1), about{kind: aStart, node: c.node(int64(b))})
		}
		return keys
	case event.BrokerFenced, event.BrokerGone:
		return c.struck(protocol.BrokerID(f.A))
	case event.SessionExpired:
		if f.A > 0 {
			return c.struck(protocol.BrokerID(f.A))
		}
		if k := int(f.B) - 1; k >= 0 && k < len(c.run.Cluster.Directory.Controllers) {
			return []about{{kind: anyFault, node: c.run.Cluster.Directory.Controllers[k]}}
		}
	case event.BrokerUnfenced, event.BrokerJoined:
		return []about{{kind: aStart, node: c.run.Cluster.Directory.Node(protocol.BrokerID(f.A))}}
	case event.BrokerRegistered:
		return []about{{kind: aStart, node: f.Node}}
	case event.FetchRefused, event.DivergenceFound, event.EpochAnswered, event.ISRRefused:
		return []about{here(f, event.BecameLeader, 0), here(f, event.BecameFollower, 0)}
	case event.ISRChangeRefused:
		return []about{at(f, event.LeaderElected, 0, -1)}
	case event.ClientMetadata:
		return []about{at(f, event.LeaderElected, 0, f.B)}
	}
	return nil
}

// produced takes producers: what an application sends follows from what it has processed, and what a producer does with a batch from what it did with it before.
func produced(f *sim.Event) []about {
	switch f.Kind {
	case event.RecordSent:
		if r, ok := f.Ref.(*record.Record); ok && r.From != "" {
			return []about{{kind: event.Processed, node: f.Node, text: r.From}, {kind: event.Polled, node: f.Node, text: r.From}}
		}
	case event.RecordsBatched:
		var keys []about
		if b := event.Batch(f); b != nil {
			for k := range b.Records {
				keys = append(keys, about{kind: event.RecordSent, node: f.Node, n: int64(b.Records[k].Submission)})
			}
		}
		if f.A > 1 {
			return []about{{kind: event.BatchRetried, node: f.Node, n: submission(f)}}
		}
		return keys
	case event.BatchRetried, event.BatchFailed:
		return []about{{kind: event.RecordsBatched, node: f.Node, n: submission(f)}, {kind: event.RecordSent, node: f.Node, n: submission(f)}}
	case event.RecordRejected:
		return []about{{kind: event.RecordSent, node: f.Node, n: f.B}}
	}
	return nil
}

// consumed takes consumers: a position follows from a commit or from a reset, a poll from its fetches, and what is done with a record from the poll.
func (c *causes) consumed(f *sim.Event) []about {
	switch f.Kind {
	case event.Assigned:
		return []about{at(f, event.OffsetsCommitted, 0, f.A), at(f, event.PositionStored, 0, f.A), here(f, event.AssignmentTaken, 0)}
	case event.PositionReset:
		return []about{here(f, event.TruncationSeen, 0), here(f, event.ProcessFailed, 0)}
	case event.TruncationSeen:
		return []about{at(f, event.LeaderElected, 0, -1)}
	case event.EndOffset:
		return []about{at(f, event.HighWatermark, c.node(f.C), f.A-1)}
	case event.Fetched:
		if f.B > f.A {
			return []about{at(f, event.HighWatermark, c.node(f.C), f.B-1), at(f, event.LeaderAppended, c.node(f.C), f.B-1), here(f, event.Assigned, 0)}
		}
	case event.Polled:
		return []about{here(f, event.Fetched, f.A)}
	case event.Processed, event.StoreUpdated, event.ProcessFailed:
		return []about{here(f, event.Polled, f.A)}
	case event.CommitSent, event.TxnOffsetsSent:
		return []about{here(f, event.Processed, f.A-1), here(f, event.Polled, f.A-1)}
	case event.Committed, event.CommitFailed:
		return []about{at(f, event.OffsetsCommitted, 0, f.A), here(f, event.CommitSent, f.A)}
	}
	return nil
}

// stored takes databases: a row follows from the record that was processed, and what a database commits from its rows.
func stored(f *sim.Event) []about {
	switch f.Kind {
	case event.RowInserted, event.RowUnchanged:
		return []about{{kind: event.Processed, node: sim.NodeID(f.B), text: f.Text}}
	case event.DatabaseCommitted, event.DatabasePrepared:
		return []about{{kind: event.RowInserted, node: f.Node, n: f.A}}
	case event.PositionStored:
		return []about{{kind: event.RowInserted, node: f.Node, n: f.B}}
	}
	return nil
}

// X from a rebalance, and what becomes of a transaction from its coordinator's state.
func coordinators(f *sim.Event) []about {
	switch f.Kind {
	case event.GroupRebalanced:
		return []about{{kind: event.GroupRebalancing, text: f.Text}}
	case event.GroupJoined, event.AssignmentTaken:
		return []about{{kind: event.GroupRebalanced, n: f.A}}
	case event.GroupTold, event.PartitionRevoked:
		return []about{{kind: event.GroupRebalanced, n: -1}}
	case event.TxnInitialized, event.TxnCommitted, event.TxnAborted, event.TransactionProducerFenced, event.TransactionTimedOut, event.TransactionalIDExpired:
		return []about{{kind: event.TransactionState, text: f.Text}}
	case event.TxnCommitAsked, event.TxnAbortAsked:
		return []about{{kind: event.TxnBegan, node: f.Node, n: f.A}}
	case event.TransactionState:
		return []about{{kind: event.TransactionTimedOut, text: f.Text}}
	case event.MarkerSent:
		return []about{{kind: event.TransactionState, node: f.Node}}
	}
	return nil
}

// node is the node of a broker, by its number in an event.
func (c *causes) node(broker int64) sim.NodeID {
	if broker < 1 || broker > int64(len(c.run.Cluster.Directory.Brokers)) {
		return sim.Nobody
	}
	return c.run.Cluster.Directory.Node(protocol.BrokerID(broker))
}

// copies are what a leader's high watermark rests on: the copies of the last record below it, one in each log of the ISR.
func (c *causes) copies(f *sim.Event, before *Replicas) []about {
	var keys []about
	for _, b := range before.isr(event.TP(f)) {
		keys = append(keys, about{kind: event.LeaderAppended, node: c.node(int64(b)), topic: f.Subject, part: f.Part, n: f.B - 1})
	}
	return keys
}

// election follows from the end of the leader before or, if that is up, from the return of the one who is elected.
func (c *causes) election(f *sim.Event, before *Replicas) []about {
	var keys []about
	if prev := before.leader(event.TP(f)); prev != protocol.NoBroker && int64(prev) != f.A {
		keys = c.gone(prev)
	}
	return append(keys, about{kind: event.BrokerUnfenced, n: f.A}, about{kind: event.BrokerJoined, n: f.A})
}

// gone names how a broker can have left: its session is over, it is fenced, it shuts down; at last what struck it.
func (c *causes) gone(b protocol.BrokerID) []about {
	if b == protocol.NoBroker {
		return nil
	}
	return append([]about{{kind: event.BrokerFenced, n: int64(b)}, {kind: event.BrokerGone, n: int64(b)}}, c.struck(b)...)
}

func (c *causes) struck(b protocol.BrokerID) []about {
	n := c.node(int64(b))
	return []about{{kind: event.SessionExpired, n: int64(b)}, {kind: event.ShutdownBegan, node: n}, {kind: anyFault, node: n}}
}

// leader is who led a partition, as the controller had it.
func (s *Replicas) leader(tp protocol.TopicPartition) protocol.BrokerID {
	if p := s.Partition(tp); p != nil {
		return p.Leader
	}
	return protocol.NoBroker
}

// isr lists the in-sync replicas of a partition, as the controller had them.
func (s *Replicas) isr(tp protocol.TopicPartition) []protocol.BrokerID {
	if p := s.Partition(tp); p != nil {
		return brokerIDs(p.ISR)
	}
	return nil
}

// left lists who is in the ISR and not in the set that follows it.
func (s *Replicas) left(tp protocol.TopicPartition, set string) []protocol.BrokerID {
	next := brokerIDs(set)
	return slices.DeleteFunc(s.isr(tp), func(b protocol.BrokerID) bool { return slices.Contains(next, b) })
}

// joined lists who is in a set and not in the ISR before it.
func (s *Replicas) joined(tp protocol.TopicPartition, set string) []protocol.BrokerID {
	isr := s.isr(tp)
	return slices.DeleteFunc(brokerIDs(set), func(b protocol.BrokerID) bool { return slices.Contains(isr, b) })
}

// brokerIDs reads "1,2".
func brokerIDs(set string) []protocol.BrokerID {
	var ids []protocol.BrokerID
	for _, s := range strings.Split(set, ",") {
		if n, err := strconv.Atoi(s); err == nil {
			ids = append(ids, n)
		}
	}
	return ids
}
