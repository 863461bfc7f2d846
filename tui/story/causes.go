package story

import (
	"slices"

	"kafkatrial/model/event"
	"kafkatrial/model/projection"
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
	kind  *event.Kind
	node  sim.NodeID
	topic string
	part  int32
	n     int64
	text  string
}

// anyFault stands for a fault that struck a node, and aStart for a process that began there: steps, not events.
var anyFault, aStart = &event.Kind{ID: "a fault"}, &event.Kind{ID: "a start"}

// The kinds that something follows from.
var (
	ofAssigned            = kindOf[*event.Assigned]()
	ofAssignmentTaken     = kindOf[*event.AssignmentTaken]()
	ofBatchRetried        = kindOf[*event.BatchRetried]()
	ofBecameFollower      = kindOf[*event.BecameFollower]()
	ofBecameLeader        = kindOf[*event.BecameLeader]()
	ofBrokerFenced        = kindOf[*event.BrokerFenced]()
	ofBrokerGone          = kindOf[*event.BrokerGone]()
	ofBrokerJoined        = kindOf[*event.BrokerJoined]()
	ofBrokerUnfenced      = kindOf[*event.BrokerUnfenced]()
	ofCommitSent          = kindOf[*event.CommitSent]()
	ofDivergenceFound     = kindOf[*event.DivergenceFound]()
	ofFetched             = kindOf[*event.Fetched]()
	ofGroupRebalanced     = kindOf[*event.GroupRebalanced]()
	ofGroupRebalancing    = kindOf[*event.GroupRebalancing]()
	ofHighWatermark       = kindOf[*event.HighWatermark]()
	ofLeaderAppended      = kindOf[*event.LeaderAppended]()
	ofLeaderElected       = kindOf[*event.LeaderElected]()
	ofOffsetsCommitted    = kindOf[*event.OffsetsCommitted]()
	ofPolled              = kindOf[*event.Polled]()
	ofPositionStored      = kindOf[*event.PositionStored]()
	ofProcessFailed       = kindOf[*event.ProcessFailed]()
	ofProcessed           = kindOf[*event.Processed]()
	ofRecordSent          = kindOf[*event.RecordSent]()
	ofRecordsBatched      = kindOf[*event.RecordsBatched]()
	ofRowInserted         = kindOf[*event.RowInserted]()
	ofSessionExpired      = kindOf[*event.SessionExpired]()
	ofShutdownBegan       = kindOf[*event.ShutdownBegan]()
	ofTransactionState    = kindOf[*event.TransactionState]()
	ofTransactionTimedOut = kindOf[*event.TransactionTimedOut]()
	ofTruncationSeen      = kindOf[*event.TruncationSeen]()
	ofTxnBegan            = kindOf[*event.TxnBegan]()
)

func kindOf[E event.Event]() *event.Kind {
	var e E
	return e.Kind()
}

func newCauses(r *scenarios.Run) *causes { return &causes{run: r, last: map[about]int32{}} }

// step takes in step i. before is the state of the partitions before it.
func (c *causes) step(i int, st *sim.Step, events []sim.Recorded, before *projection.State) {
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
func (c *causes) note(i int32, f *sim.Recorded) {
	tp := event.Partition(f.Event)
	kind := event.KindOf(f.Event)
	k := about{kind: kind, node: f.Node, topic: tp.Topic, part: tp.Partition}
	at := func(n int64) { k.n = n; c.last[k] = i }
	span := func(from, to int64) {
		for ; from < to; from++ {
			at(from)
		}
	}
	copied := func(b *record.RecordBatch) {
		k.kind = ofLeaderAppended // a copy is a copy, whoever made it
		span(b.BaseOffset, b.NextOffset())
		at(-1) // the last
	}
	elected := func(epoch int32) {
		k.kind, k.node = ofLeaderElected, 0
		at(int64(epoch))
		at(-1) // whichever
	}
	switch e := f.Event.(type) {
	case *event.LeaderAppended:
		copied(e.Batch)
	case *event.FollowerAppended:
		copied(e.Batch)
	case *event.MarkerWritten:
		copied(e.Batch)
	case *event.Polled:
		span(e.FirstOffset, e.NextOffset)
		for j := range e.Records {
			c.last[about{kind: kind, node: f.Node, text: e.Records[j].Record.ID}] = i
		}
	case *event.HighWatermark:
		span(e.From, e.To)
	case *event.Fetched:
		span(e.FirstOffset, e.NextOffset)
	case *event.Assigned, *event.PositionReset:
		k.kind = ofAssigned
		at(0)
	case *event.RecordSent:
		k.topic, k.part = "", 0 // the partition is chosen later
		at(int64(e.Submission))
	case *event.RecordsBatched, *event.BatchRetried:
		k.topic, k.part = "", 0
		at(submission(f))
	case *event.OffsetsCommitted:
		k.node = 0
		at(e.Offset)
	case *event.PositionStored:
		k.node = 0
		at(e.Offset)
	case *event.Processed:
		at(e.Offset)
		c.last[about{kind: kind, node: f.Node, text: e.Record.ID}] = i
	case *event.CommitSent:
		at(e.Offset)
	case *event.RowInserted:
		c.last[about{kind: ofRowInserted, node: f.Node, n: e.Number}] = i
	case *event.RowMarked:
		c.last[about{kind: ofRowInserted, node: f.Node, n: e.Number}] = i
	case *event.LeaderElected:
		elected(e.LeaderEpoch)
	case *event.PartitionOffline:
		elected(e.LeaderEpoch)
	case *event.DivergenceFound:
		k.node = 0
		at(int64(e.Follower))
	case *event.GroupRebalanced:
		c.last[about{kind: kind, n: int64(e.Generation)}] = i
		c.last[about{kind: kind, n: -1}] = i
	case *event.TxnBegan:
		c.last[about{kind: kind, node: f.Node, n: e.Number}] = i
	default:
		c.noteByName(i, f, func() { at(0) })
	}
}

// noteByName keeps what is looked for by the name of a broker, a group or a transactional.id; all else as otherwise says.
func (c *causes) noteByName(i int32, f *sim.Recorded, otherwise func()) {
	kind := event.KindOf(f.Event)
	broker := func(id protocol.BrokerID) { c.last[about{kind: kind, n: int64(id)}] = i }
	name := func(text string) { c.last[about{kind: kind, text: text}] = i }
	switch e := f.Event.(type) {
	case *event.BrokerFenced:
		broker(e.Broker)
	case *event.BrokerGone:
		broker(e.Broker)
	case *event.BrokerUnfenced:
		broker(e.Broker)
	case *event.BrokerJoined:
		broker(e.Broker)
	case *event.SessionExpired:
		broker(e.Broker)
	case *event.GroupRebalancing:
		name(e.Group)
	case *event.TransactionTimedOut:
		name(e.TransactionalID)
	case *event.TransactionState:
		name(e.TransactionalID)
		c.last[about{kind: kind, node: f.Node}] = i
	default:
		otherwise()
	}
}

// submission names a batch by its first record: how often send() had been called.
func submission(f *sim.Recorded) int64 {
	if b := event.Batch(f.Event); b != nil && len(b.Records) > 0 {
		return int64(b.Records[0].Submission)
	}
	return -1
}

// restsOn names what an event follows from. Where it names nothing, the message or the timer that carried the step says enough.
func (c *causes) restsOn(st *sim.Step, f *sim.Recorded, before *projection.State) []about {
	for _, keys := range [...][]about{c.copied(st, f, before), c.led(f, before), produced(f), c.consumed(f), stored(f), coordinators(f)} {
		if keys != nil { // a kind of event is of one group
			return keys
		}
	}
	return nil
}

// at names something that happened at a node to the partition that an event tells of; here, at the event's own node.
func at(f *sim.Recorded, kind *event.Kind, node sim.NodeID, n int64) about {
	tp := event.Partition(f.Event)
	return about{kind: kind, node: node, topic: tp.Topic, part: tp.Partition, n: n}
}

func here(f *sim.Recorded, kind *event.Kind, n int64) about { return at(f, kind, f.Node, n) }

// copied takes logs: a copy follows from what was copied, a high watermark from the copies below it, or from the leader's.
func (c *causes) copied(st *sim.Step, f *sim.Recorded, before *projection.State) []about {
	switch e := f.Event.(type) {
	case *event.FollowerAppended:
		return []about{at(f, ofLeaderAppended, st.Peer, e.BaseOffset)}
	case *event.HighWatermark:
		if !e.Leader {
			return []about{at(f, ofHighWatermark, st.Peer, e.To-1)}
		}
		return c.copies(e, before)
	case *event.ProduceAnswered:
		if b := e.Batch; b != nil && e.Acks == -1 {
			return []about{here(f, ofHighWatermark, b.LastOffset())}
		}
	}
	return nil
}

// led takes controllers and leaders: a leadership follows from an election, and an election from who went or came.
func (c *causes) led(f *sim.Recorded, before *projection.State) []about {
	switch e := f.Event.(type) {
	case *event.BecameLeader:
		return []about{at(f, ofLeaderElected, 0, int64(e.LeaderEpoch))}
	case *event.BecameFollower:
		return []about{at(f, ofLeaderElected, 0, int64(e.LeaderEpoch))}
	case *event.Truncated:
		return []about{at(f, ofDivergenceFound, 0, int64(c.run.Cluster.Directory.Broker(f.Node))), here(f, ofBecameFollower, 0)}
	case *event.LeaderElected:
		return c.election(e, before)
	case *event.PartitionOffline:
		return c.gone(leader(before, e.TP))
	case *event.ISRProposed:
		return c.otherISR(f, e.ISR, before)
	case *event.ISRChanged:
		return c.otherISR(f, e.ISR, before)
	case *event.BrokerFenced:
		return c.struck(e.Broker)
	case *event.BrokerGone:
		return c.struck(e.Broker)
	case *event.SessionExpired:
		if e.Broker > 0 {
			return c.struck(e.Broker)
		}
		if k := int(e.Controller) - 1; k >= 0 && k < len(c.run.Cluster.Directory.Controllers) {
			return []about{{kind: anyFault, node: c.run.Cluster.Directory.Controllers[k]}}
		}
	case *event.BrokerUnfenced:
		return []about{{kind: aStart, node: c.run.Cluster.Directory.Node(e.Broker)}}
	case *event.BrokerJoined:
		return []about{{kind: aStart, node: c.run.Cluster.Directory.Node(e.Broker)}}
	case *event.BrokerRegistered:
		return []about{{kind: aStart, node: f.Node}}
	case *event.FetchRefused, *event.DivergenceFound, *event.EpochAnswered, *event.ISRRefused:
		return []about{here(f, ofBecameLeader, 0), here(f, ofBecameFollower, 0)}
	case *event.ISRChangeRefused:
		return []about{at(f, ofLeaderElected, 0, -1)}
	case *event.ClientMetadata:
		return []about{at(f, ofLeaderElected, 0, int64(e.LeaderEpoch))}
	}
	return nil
}

// produced takes producers: what an application sends follows from what it has processed, and what a producer does with a batch from what it did with it before.
func produced(f *sim.Recorded) []about {
	switch e := f.Event.(type) {
	case *event.RecordSent:
		if r := e.Record; r.From != "" {
			return []about{{kind: ofProcessed, node: f.Node, text: r.From}, {kind: ofPolled, node: f.Node, text: r.From}}
		}
	case *event.RecordsBatched:
		var keys []about
		if b := e.Batch; b != nil {
			for k := range b.Records {
				keys = append(keys, about{kind: ofRecordSent, node: f.Node, n: int64(b.Records[k].Submission)})
			}
		}
		if e.Attempt > 1 {
			return []about{{kind: ofBatchRetried, node: f.Node, n: submission(f)}}
		}
		return keys
	case *event.BatchRetried, *event.BatchFailed:
		return []about{{kind: ofRecordsBatched, node: f.Node, n: submission(f)}, {kind: ofRecordSent, node: f.Node, n: submission(f)}}
	case *event.RecordRejected:
		return []about{{kind: ofRecordSent, node: f.Node, n: int64(e.Submission)}}
	}
	return nil
}

// consumed takes consumers: a position follows from a commit or from a reset, a poll from its fetches, and what is done with a record from the poll.
func (c *causes) consumed(f *sim.Recorded) []about {
	switch e := f.Event.(type) {
	case *event.Assigned:
		return []about{at(f, ofOffsetsCommitted, 0, e.Offset), at(f, ofPositionStored, 0, e.Offset), here(f, ofAssignmentTaken, 0)}
	case *event.PositionReset:
		return []about{here(f, ofTruncationSeen, 0), here(f, ofProcessFailed, 0)}
	case *event.TruncationSeen:
		return []about{at(f, ofLeaderElected, 0, -1)}
	case *event.EndOffset:
		return []about{at(f, ofHighWatermark, c.node(e.Broker), e.Offset-1)}
	case *event.Fetched:
		if e.NextOffset > e.FirstOffset {
			return []about{at(f, ofHighWatermark, c.node(e.Broker), e.NextOffset-1), at(f, ofLeaderAppended, c.node(e.Broker), e.NextOffset-1), here(f, ofAssigned, 0)}
		}
	case *event.Polled:
		return []about{here(f, ofFetched, e.FirstOffset)}
	case *event.Processed:
		return []about{here(f, ofPolled, e.Offset)}
	case *event.StoreUpdated:
		return []about{here(f, ofPolled, e.Offset)}
	case *event.ProcessFailed:
		return []about{here(f, ofPolled, e.Offset)}
	case *event.CommitSent:
		return []about{here(f, ofProcessed, e.Offset-1), here(f, ofPolled, e.Offset-1)}
	case *event.TxnOffsetsSent:
		return []about{here(f, ofProcessed, e.Offset-1), here(f, ofPolled, e.Offset-1)}
	case *event.Committed:
		return []about{at(f, ofOffsetsCommitted, 0, e.Offset), here(f, ofCommitSent, e.Offset)}
	case *event.CommitFailed:
		return []about{at(f, ofOffsetsCommitted, 0, e.Offset), here(f, ofCommitSent, e.Offset)}
	}
	return nil
}

// stored takes databases: a row follows from the record that was processed, and what a database commits from its rows.
func stored(f *sim.Recorded) []about {
	switch e := f.Event.(type) {
	case *event.RowInserted:
		return []about{{kind: ofProcessed, node: e.Client, text: e.Record}}
	case *event.RowUnchanged:
		return []about{{kind: ofProcessed, node: e.Client, text: e.Record}}
	case *event.DatabaseCommitted:
		return []about{{kind: ofRowInserted, node: f.Node, n: e.Number}}
	case *event.DatabasePrepared:
		return []about{{kind: ofRowInserted, node: f.Node, n: e.Number}}
	case *event.PositionStored:
		return []about{{kind: ofRowInserted, node: f.Node, n: e.Number}}
	}
	return nil
}

// coordinators takes groups and transactions: a generation follows from a rebalance, and what becomes of a transaction from its coordinator's state.
func coordinators(f *sim.Recorded) []about {
	switch e := f.Event.(type) {
	case *event.GroupRebalanced:
		return []about{{kind: ofGroupRebalancing, text: e.Group}}
	case *event.GroupJoined:
		return []about{{kind: ofGroupRebalanced, n: int64(e.Generation)}}
	case *event.AssignmentTaken:
		return []about{{kind: ofGroupRebalanced, n: int64(e.Generation)}}
	case *event.GroupTold, *event.PartitionRevoked:
		return []about{{kind: ofGroupRebalanced, n: -1}}
	case *event.TxnInitialized:
		return []about{{kind: ofTransactionState, text: e.TransactionalID}}
	case *event.TxnCommitted:
		return []about{{kind: ofTransactionState, text: e.TransactionalID}}
	case *event.TxnAborted:
		return []about{{kind: ofTransactionState, text: e.TransactionalID}}
	case *event.TransactionProducerFenced:
		return []about{{kind: ofTransactionState, text: e.TransactionalID}}
	case *event.TransactionTimedOut:
		return []about{{kind: ofTransactionState, text: e.TransactionalID}}
	case *event.TransactionalIDExpired:
		return []about{{kind: ofTransactionState, text: e.TransactionalID}}
	case *event.TxnCommitAsked:
		return []about{{kind: ofTxnBegan, node: f.Node, n: e.Number}}
	case *event.TxnAbortAsked:
		return []about{{kind: ofTxnBegan, node: f.Node, n: e.Number}}
	case *event.TransactionState:
		return []about{{kind: ofTransactionTimedOut, text: e.TransactionalID}}
	case *event.MarkerSent:
		return []about{{kind: ofTransactionState, node: f.Node}}
	}
	return nil
}

// node is the node of a broker, by its number in an event.
func (c *causes) node(broker protocol.BrokerID) sim.NodeID {
	if broker < 1 || broker > len(c.run.Cluster.Directory.Brokers) {
		return sim.Nobody
	}
	return c.run.Cluster.Directory.Node(broker)
}

// copies are what a leader's high watermark rests on: the copies of the last record below it, one in each log of the ISR.
func (c *causes) copies(e *event.HighWatermark, before *projection.State) []about {
	var keys []about
	for _, b := range isr(before, e.TP) {
		keys = append(keys, about{kind: ofLeaderAppended, node: c.node(b), topic: e.TP.Topic, part: e.TP.Partition, n: e.To - 1})
	}
	return keys
}

// otherISR: somebody left the ISR for a reason of their own, or has caught up.
func (c *causes) otherISR(f *sim.Recorded, isr []protocol.BrokerID, before *projection.State) []about {
	var keys []about
	tp := event.Partition(f.Event)
	for _, b := range left(before, tp, isr) {
		keys = append(keys, c.gone(b)...)
	}
	for _, b := range joined(before, tp, isr) {
		keys = append(keys, at(f, ofLeaderAppended, c.node(b), -1), about{kind: aStart, node: c.node(b)})
	}
	return keys
}

// election follows from the end of the leader before or, if that is up, from the return of the one who is elected.
func (c *causes) election(e *event.LeaderElected, before *projection.State) []about {
	var keys []about
	if prev := leader(before, e.TP); prev != protocol.NoBroker && prev != e.Leader {
		keys = c.gone(prev)
	}
	return append(keys, about{kind: ofBrokerUnfenced, n: int64(e.Leader)}, about{kind: ofBrokerJoined, n: int64(e.Leader)})
}

// gone names how a broker can have left: its session is over, it is fenced, it shuts down; at last what struck it.
func (c *causes) gone(b protocol.BrokerID) []about {
	if b == protocol.NoBroker {
		return nil
	}
	return append([]about{{kind: ofBrokerFenced, n: int64(b)}, {kind: ofBrokerGone, n: int64(b)}}, c.struck(b)...)
}

func (c *causes) struck(b protocol.BrokerID) []about {
	n := c.node(b)
	return []about{{kind: ofSessionExpired, n: int64(b)}, {kind: ofShutdownBegan, node: n}, {kind: anyFault, node: n}}
}

// leader is who led a partition, as the controller had it.
func leader(s *projection.State, tp protocol.TopicPartition) protocol.BrokerID {
	if p := s.Partition(tp); p != nil {
		return p.Leader
	}
	return protocol.NoBroker
}

// isr lists the in-sync replicas of a partition, as the controller had them.
func isr(s *projection.State, tp protocol.TopicPartition) []protocol.BrokerID {
	if p := s.Partition(tp); p != nil {
		return slices.Clone(p.ISR)
	}
	return nil
}

// left lists who is in the ISR and not in the set that follows it.
func left(s *projection.State, tp protocol.TopicPartition, set []protocol.BrokerID) []protocol.BrokerID {
	return slices.DeleteFunc(isr(s, tp), func(b protocol.BrokerID) bool { return slices.Contains(set, b) })
}

// joined lists who is in a set and not in the ISR before it.
func joined(s *projection.State, tp protocol.TopicPartition, set []protocol.BrokerID) []protocol.BrokerID {
	isr := isr(s, tp)
	return slices.DeleteFunc(slices.Clone(set), func(b protocol.BrokerID) bool { return slices.Contains(isr, b) })
}
