package story

import (
	"slices"
	"strconv"
	"strings"

	"kafkatrial/model/fact"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/scenarios"
	"kafkatrial/sim"
)

// causes knows what each step rests on through the data. The trace knows the carrier of a step alone: the message that
// was sent, the timer that was set. That a record is processed follows from a timer; why it is this record follows from the poll that
// brought it, the fetch before that, the copies that made it readable. So causes follow data where there are data, and carriers
// elsewhere. All of it is a fold over facts: it says "the last step in which this was written, told or raised".
type causes struct {
	run  *scenarios.Run
	last map[about]int32 // the last step with this
	data [][]int32       // by step: what its facts rest on, each once, the nearest first
}

// about names what a fact says, as a later fact would look for it: its kind, who, the partition, a number and a text. What a
// key does not need stays zero.
type about struct {
	kind  sim.FactKind
	node  sim.NodeID
	topic string
	part  int32
	n     int64
	text  string
}

// anyFault stands for a fault that struck a node, and aStart for a process that began there: steps, not facts.
const (
	anyFault = fact.NumKinds + iota
	aStart
)

func newCauses(r *scenarios.Run) *causes { return &causes{run: r, last: map[about]int32{}} }

// step takes in step i. before is the state of the partitions before it.
func (c *causes) step(i int, st *sim.Step, facts []sim.Fact, before *Replicas) {
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
	for j := range facts {
		for _, k := range c.restsOn(st, &facts[j], before) {
			if at, ok := c.last[k]; ok && int(at) < i && !slices.Contains(found, at) {
				found = append(found, at)
			}
		}
		c.note(int32(i), &facts[j])
	}
	slices.SortFunc(found, func(a, b int32) int { return int(b - a) })
	c.data = append(c.data, found)
}

// note keeps under which names a later step looks for a fact.
func (c *causes) note(i int32, f *sim.Fact) {
	k := about{kind: f.Kind, node: f.Node, topic: f.Subject, part: f.Part}
	at := func(n int64) { k.n = n; c.last[k] = i }
	span := func(from, to int64) {
		for ; from < to; from++ {
			at(from)
		}
	}
	switch f.Kind {
	case fact.LeaderAppended, fact.FollowerAppended, fact.MarkerWritten:
		k.kind = fact.LeaderAppended // a copy is a copy, whoever made it
		if b := fact.Batch(f); b != nil {
			span(b.BaseOffset, b.NextOffset())
			at(-1) // the last
		}
	case fact.Polled:
		span(f.A, f.B)
		if got, ok := f.Ref.([]fact.Consumed); ok {
			for j := range got {
				c.last[about{kind: f.Kind, node: f.Node, text: got[j].Record.ID}] = i
			}
		}
	case fact.HighWatermark, fact.Fetched:
		span(f.A, f.B)
	case fact.Assigned, fact.PositionReset:
		k.kind = fact.Assigned
		at(0)
	case fact.RecordSent:
		k.topic, k.part = "", 0 // the partition is chosen later
		at(f.A)
	case fact.RecordsBatched, fact.BatchRetried:
		k.topic, k.part = "", 0
		at(submission(f))
	case fact.OffsetsCommitted, fact.PositionStored:
		k.node = 0
		at(f.A)
	case fact.Processed:
		at(f.A)
		c.last[about{kind: f.Kind, node: f.Node, text: f.Text}] = i
	case fact.CommitSent:
		at(f.A)
	case fact.RowInserted, fact.RowMarked:
		c.last[about{kind: fact.RowInserted, node: f.Node, n: f.C}] = i
	case fact.LeaderElected, fact.PartitionOffline:
		k.kind, k.node = fact.LeaderElected, 0
		epoch := f.B
		if f.Kind == fact.PartitionOffline {
			epoch = f.A
		}
		at(epoch)
		at(-1) // whichever
	case fact.BrokerFenced, fact.BrokerGone, fact.BrokerUnfenced, fact.BrokerJoined, fact.SessionExpired:
		c.last[about{kind: f.Kind, n: f.A}] = i
	case fact.DivergenceFound:
		k.node = 0
		at(f.C)
	case fact.GroupRebalancing, fact.TransactionState, fact.TransactionTimedOut:
		c.last[about{kind: f.Kind, text: f.Text}] = i
		if f.Kind == fact.TransactionState {
			c.last[about{kind: f.Kind, node: f.Node}] = i
		}
	case fact.GroupRebalanced:
		c.last[about{kind: f.Kind, n: f.A}] = i
		c.last[about{kind: f.Kind, n: -1}] = i
	case fact.TxnBegan:
		c.last[about{kind: f.Kind, node: f.Node, n: f.A}] = i
	default:
		at(0)
	}
}

// submission names a batch by its first record: how often send() had been called.
func submission(f *sim.Fact) int64 {
	if b := fact.Batch(f); b != nil && len(b.Records) > 0 {
		return int64(b.Records[0].Submission)
	}
	return -1
}

// restsOn names what a fact follows from. Where it names nothing, the message or the timer that carried the step says enough.
func (c *causes) restsOn(st *sim.Step, f *sim.Fact, before *Replicas) []about {
	for _, keys := range [...][]about{c.copied(st, f, before), c.led(f, before), produced(f), c.consumed(f), stored(f), coordinators(f)} {
		if keys != nil { // a kind of fact is of one group
			return keys
		}
	}
	return nil
}

// at names something that happened at a node to the partition that a fact tells of; here, at the fact's own node.
func at(f *sim.Fact, kind sim.FactKind, node sim.NodeID, n int64) about {
	return about{kind: kind, node: node, topic: f.Subject, part: f.Part, n: n}
}

func here(f *sim.Fact, kind sim.FactKind, n int64) about { return at(f, kind, f.Node, n) }

// copied takes logs: a copy follows from what was copied, a high watermark from the copies below it, or from the leader's.
func (c *causes) copied(st *sim.Step, f *sim.Fact, before *Replicas) []about {
	switch f.Kind {
	case fact.FollowerAppended:
		return []about{at(f, fact.LeaderAppended, st.Peer, f.A)}
	case fact.HighWatermark:
		if f.C == 0 {
			return []about{at(f, fact.HighWatermark, st.Peer, f.B-1)}
		}
		return c.copies(f, before)
	case fact.ProduceAnswered:
		if b := fact.Batch(f); b != nil && f.B == -1 {
			return []about{here(f, fact.HighWatermark, b.LastOffset())}
		}
	}
	return nil
}

// led takes controllers and leaders: a leadership follows from an election, and an election from who went or came.
func (c *causes) led(f *sim.Fact, before *Replicas) []about {
	switch f.Kind {
	case fact.BecameLeader, fact.BecameFollower:
		return []about{at(f, fact.LeaderElected, 0, f.A)}
	case fact.Truncated:
		return []about{at(f, fact.DivergenceFound, 0, int64(c.run.Cluster.Directory.Broker(f.Node))), here(f, fact.BecameFollower, 0)}
	case fact.LeaderElected:
		return c.election(f, before)
	case fact.PartitionOffline:
		return c.gone(before.leader(fact.TP(f)))
	case fact.ISRProposed, fact.ISRChanged:
		var keys []about
		for _, b := range before.left(fact.TP(f), f.Text) {
			keys = append(keys, c.gone(b)...)
		}
		for _, b := range before.joined(fact.TP(f), f.Text) { // it has caught up
			keys = append(keys, at(f, fact.LeaderAppended, c.node(int64(b)), -1), about{kind: aStart, node: c.node(int64(b))})
		}
		return keys
	case fact.BrokerFenced, fact.BrokerGone:
		return c.struck(protocol.BrokerID(f.A))
	case fact.SessionExpired:
		if f.A > 0 {
			return c.struck(protocol.BrokerID(f.A))
		}
		if k := int(f.B) - 1; k >= 0 && k < len(c.run.Cluster.Directory.Controllers) {
			return []about{{kind: anyFault, node: c.run.Cluster.Directory.Controllers[k]}}
		}
	case fact.BrokerUnfenced, fact.BrokerJoined:
		return []about{{kind: aStart, node: c.run.Cluster.Directory.Node(protocol.BrokerID(f.A))}}
	case fact.BrokerRegistered:
		return []about{{kind: aStart, node: f.Node}}
	case fact.FetchRefused, fact.DivergenceFound, fact.EpochAnswered, fact.ISRRefused:
		return []about{here(f, fact.BecameLeader, 0), here(f, fact.BecameFollower, 0)}
	case fact.ISRChangeRefused:
		return []about{at(f, fact.LeaderElected, 0, -1)}
	case fact.ClientMetadata:
		return []about{at(f, fact.LeaderElected, 0, f.B)}
	}
	return nil
}

// produced takes producers: what an application sends follows from what it has processed, and what a producer does with a batch from what it did with it before.
func produced(f *sim.Fact) []about {
	switch f.Kind {
	case fact.RecordSent:
		if r, ok := f.Ref.(*record.Record); ok && r.From != "" {
			return []about{{kind: fact.Processed, node: f.Node, text: r.From}, {kind: fact.Polled, node: f.Node, text: r.From}}
		}
	case fact.RecordsBatched:
		var keys []about
		if b := fact.Batch(f); b != nil {
			for k := range b.Records {
				keys = append(keys, about{kind: fact.RecordSent, node: f.Node, n: int64(b.Records[k].Submission)})
			}
		}
		if f.A > 1 {
			return []about{{kind: fact.BatchRetried, node: f.Node, n: submission(f)}}
		}
		return keys
	case fact.BatchRetried, fact.BatchFailed:
		return []about{{kind: fact.RecordsBatched, node: f.Node, n: submission(f)}, {kind: fact.RecordSent, node: f.Node, n: submission(f)}}
	case fact.RecordRejected:
		return []about{{kind: fact.RecordSent, node: f.Node, n: f.B}}
	}
	return nil
}

// consumed takes consumers: a position follows from a commit or from a reset, a poll from its fetches, and what is done with a record from the poll.
func (c *causes) consumed(f *sim.Fact) []about {
	switch f.Kind {
	case fact.Assigned:
		return []about{at(f, fact.OffsetsCommitted, 0, f.A), at(f, fact.PositionStored, 0, f.A), here(f, fact.AssignmentTaken, 0)}
	case fact.PositionReset:
		return []about{here(f, fact.TruncationSeen, 0), here(f, fact.ProcessFailed, 0)}
	case fact.TruncationSeen:
		return []about{at(f, fact.LeaderElected, 0, -1)}
	case fact.EndOffset:
		return []about{at(f, fact.HighWatermark, c.node(f.C), f.A-1)}
	case fact.Fetched:
		if f.B > f.A {
			return []about{at(f, fact.HighWatermark, c.node(f.C), f.B-1), at(f, fact.LeaderAppended, c.node(f.C), f.B-1), here(f, fact.Assigned, 0)}
		}
	case fact.Polled:
		return []about{here(f, fact.Fetched, f.A)}
	case fact.Processed, fact.StoreUpdated, fact.ProcessFailed:
		return []about{here(f, fact.Polled, f.A)}
	case fact.CommitSent, fact.TxnOffsetsSent:
		return []about{here(f, fact.Processed, f.A-1), here(f, fact.Polled, f.A-1)}
	case fact.Committed, fact.CommitFailed:
		return []about{at(f, fact.OffsetsCommitted, 0, f.A), here(f, fact.CommitSent, f.A)}
	}
	return nil
}

// stored takes databases: a row follows from the record that was processed, and what a database commits from its rows.
func stored(f *sim.Fact) []about {
	switch f.Kind {
	case fact.RowInserted, fact.RowUnchanged:
		return []about{{kind: fact.Processed, node: sim.NodeID(f.B), text: f.Text}}
	case fact.DatabaseCommitted, fact.DatabasePrepared:
		return []about{{kind: fact.RowInserted, node: f.Node, n: f.A}}
	case fact.PositionStored:
		return []about{{kind: fact.RowInserted, node: f.Node, n: f.B}}
	}
	return nil
}

// X from a rebalance, and what becomes of a transaction from its coordinator's state.
func coordinators(f *sim.Fact) []about {
	switch f.Kind {
	case fact.GroupRebalanced:
		return []about{{kind: fact.GroupRebalancing, text: f.Text}}
	case fact.GroupJoined, fact.AssignmentTaken:
		return []about{{kind: fact.GroupRebalanced, n: f.A}}
	case fact.GroupTold, fact.PartitionRevoked:
		return []about{{kind: fact.GroupRebalanced, n: -1}}
	case fact.TxnInitialized, fact.TxnCommitted, fact.TxnAborted, fact.TransactionProducerFenced, fact.TransactionTimedOut, fact.TransactionalIDExpired:
		return []about{{kind: fact.TransactionState, text: f.Text}}
	case fact.TxnCommitAsked, fact.TxnAbortAsked:
		return []about{{kind: fact.TxnBegan, node: f.Node, n: f.A}}
	case fact.TransactionState:
		return []about{{kind: fact.TransactionTimedOut, text: f.Text}}
	case fact.MarkerSent:
		return []about{{kind: fact.TransactionState, node: f.Node}}
	}
	return nil
}

// node is the node of a broker, by its number in a fact.
func (c *causes) node(broker int64) sim.NodeID {
	if broker < 1 || broker > int64(len(c.run.Cluster.Directory.Brokers)) {
		return sim.Nobody
	}
	return c.run.Cluster.Directory.Node(protocol.BrokerID(broker))
}

// copies are what a leader's high watermark rests on: the copies of the last record below it, one in each log of the ISR.
func (c *causes) copies(f *sim.Fact, before *Replicas) []about {
	var keys []about
	for _, b := range before.isr(fact.TP(f)) {
		keys = append(keys, about{kind: fact.LeaderAppended, node: c.node(int64(b)), topic: f.Subject, part: f.Part, n: f.B - 1})
	}
	return keys
}

// election follows from the end of the leader before or, if that is up, from the return of the one who is elected.
func (c *causes) election(f *sim.Fact, before *Replicas) []about {
	var keys []about
	if prev := before.leader(fact.TP(f)); prev != protocol.NoBroker && int64(prev) != f.A {
		keys = c.gone(prev)
	}
	return append(keys, about{kind: fact.BrokerUnfenced, n: f.A}, about{kind: fact.BrokerJoined, n: f.A})
}

// gone names how a broker can have left: its session is over, it is fenced, it shuts down; at last what struck it.
func (c *causes) gone(b protocol.BrokerID) []about {
	if b == protocol.NoBroker {
		return nil
	}
	return append([]about{{kind: fact.BrokerFenced, n: int64(b)}, {kind: fact.BrokerGone, n: int64(b)}}, c.struck(b)...)
}

func (c *causes) struck(b protocol.BrokerID) []about {
	n := c.node(int64(b))
	return []about{{kind: fact.SessionExpired, n: int64(b)}, {kind: fact.ShutdownBegan, node: n}, {kind: anyFault, node: n}}
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
