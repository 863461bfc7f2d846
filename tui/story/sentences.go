package story

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kafkatrial/model/event"
	"kafkatrial/model/projection"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/model/transactioncoordinator"
	"kafkatrial/sim"
)

// clauses says what the events of step i mean, as predicates to be read after the name of the node: "appends
// m1 at offset 0", "HW 0 → 1". Events that say the same thing twice are told once. s.now is the state before
// the step; it is taken through the events on the way.
func (s *Story) clauses(i int) []string {
	t := s.Run.World.Trace()
	st := &t.Steps[i]
	events := t.EventsOf(i)
	c := clause{s: s, st: st, events: events}
	var out []string
	if text := s.order(st); text != "" {
		out = append(out, text)
	}
	reason := len(out) // where what is about to come begins
	for j := range events {
		f := &events[j]
		if topic := event.Topic(f.Event); topic == "" || s.tells(topic) {
			text := c.of(j)
			switch {
			case text == "":
			case isNewsOfABroker(f.Event):
				out = slices.Insert(out, reason, text)
				reason = len(out)
			default:
				out = append(out, text)
			}
		}
		s.now.Event(f)
	}
	return out
}

// isNewsOfABroker: a controller records what follows from it first, and it is told first.
func isNewsOfABroker(e sim.Event) bool {
	switch e.(type) {
	case *event.BrokerFenced, *event.BrokerUnfenced, *event.BrokerGone:
		return true
	}
	return false
}

// transactionState tells the step that a transactional.id has taken.
func transactionState(e *event.TransactionState) string {
	switch id := e.TransactionalID; e.To {
	case transactioncoordinator.Empty:
		return fmt.Sprintf("gives the producer of %s epoch %d", id, e.ProducerEpoch)
	case transactioncoordinator.Ongoing:
		return fmt.Sprintf("begins a transaction of %s, epoch %d", id, e.ProducerEpoch)
	case transactioncoordinator.PrepareCommit:
		return fmt.Sprintf("has decided to commit the transaction of %s (PrepareCommit, epoch %d)", id, e.ProducerEpoch)
	case transactioncoordinator.PrepareAbort:
		return fmt.Sprintf("has decided to abort the transaction of %s (PrepareAbort, epoch %d)", id, e.ProducerEpoch)
	case transactioncoordinator.CompleteCommit:
		return fmt.Sprintf("has all markers of the commit of %s (CompleteCommit)", id)
	default:
		return fmt.Sprintf("has all markers of the abort of %s (CompleteAbort)", id)
	}
}

// clause tells one event among the events of its step.
type clause struct {
	s      *Story
	st     *sim.Step
	events []sim.Recorded
}

// with gives the event of a type that the step also recorded about the same partition, nil if there is none.
func with[E interface {
	comparable
	event.Event
	Partition() protocol.TopicPartition
}](c *clause, tp protocol.TopicPartition) (none E) {
	for j := range c.events {
		if e, ok := c.events[j].Event.(E); ok && e.Partition() == tp {
			return e
		}
	}
	return none
}

func (c *clause) of(j int) string {
	f := &c.events[j]
	switch event.KindOf(f.Event).Group {
	case event.Replication, event.Broker:
		return c.ofBroker(f)
	case event.Transactions:
		return c.ofTransactions(f)
	case event.Groups:
		return c.ofGroups(f)
	case event.Controller:
		return c.ofController(f)
	case event.Producer, event.Client:
		return c.ofProducer(f, j)
	case event.Consumer, event.Application:
		return cmp.Or(c.ofConsumer(f), c.ofDatabase(f))
	case event.Database:
		return c.ofDatabase(f)
	}
	return scriptSentence(f.Event)
}

// truncationRules says by which rule a log is cut.
var truncationRules = map[event.TruncationRule]string{
	event.ToHighWatermark:   "to its own high watermark",
	event.ToEpochEnd:        "to where the leader says its epoch ends (KIP-101)",
	event.ToEpochEndOfEpoch: "to where the leader says its epoch ends (KIP-279)",
	event.ToDivergence:      "to where the leader's answer says the logs part (KIP-595)",
	event.ToLeaderLogEnd:    "to its leader's log end, which is before its own",
	event.FullyToLogStart:   "fully: it is behind the leader's log start",
}

// ofBroker tells what happens to a log and its replica.
func (c *clause) ofBroker(f *sim.Recorded) string {
	switch e := f.Event.(type) {
	case *event.LeaderAppended:
		text := "appends " + records(f) + c.s.at(f, e.BaseOffset, e.LogEndOffset)
		if c.s.now.OpensUnknown(f) {
			text += " and opens a transaction that its coordinator does not know"
		}
		return text
	case *event.FollowerAppended:
		return "copies " + records(f) + c.s.from(c.st) + c.s.of(f)
	case *event.Truncated:
		text := fmt.Sprintf("truncates%s from %d to %d", c.s.logOf(f), e.OldEnd, e.NewEnd)
		if ids := cutNames(e); len(ids) > 0 {
			text = fmt.Sprintf("truncates%s to %d", c.s.logOf(f), e.NewEnd)
		}
		if rule := truncationRules[e.Rule]; rule != "" {
			text += ", " + rule
		}
		if ids := cutNames(e); len(ids) > 0 {
			text += ": " + few(ids) + " cut"
		}
		return text
	case *event.HighWatermark:
		return c.highWatermark(f, e)
	case *event.LogStart:
		return fmt.Sprintf("moves the start of its log%s from %d to %d", c.s.of(f), e.From, e.To)
	case *event.BecameLeader:
		return fmt.Sprintf("leads%s in epoch %d: its log ends at %d, its HW is %d", c.s.nameIt(f), e.LeaderEpoch, e.LogEndOffset, e.HighWatermark)
	case *event.BecameFollower:
		if e.Leader <= 0 {
			return fmt.Sprintf("learns that%s has no leader (epoch %d)", c.s.subject(f), e.LeaderEpoch)
		}
		return fmt.Sprintf("follows %s%s in epoch %d", protocol.BrokerName(e.Leader), c.s.forIt(f), e.LeaderEpoch)
	case *event.Recovered:
		return c.recovered(f, e)
	case *event.Flushed:
		return fmt.Sprintf("flushes its log%s: safe on disk up to %d", c.s.of(f), e.Offset)
	case *event.ISRProposed:
		verb := "shrink"
		if e.Expands {
			verb = "expand"
		}
		return fmt.Sprintf("asks to %s the ISR%s to {%s}", verb, c.s.of(f), brokers(e.ISR))
	case *event.ISRCommitted:
		return fmt.Sprintf("learns that the ISR%s is {%s}", c.s.of(f), brokers(e.ISR))
	case *event.ISRRefused:
		return fmt.Sprintf("is refused the ISR {%s}%s: %s", brokers(e.ISR), c.s.of(f), e.Err)
	case *event.ProduceRefused:
		if e.AfterAppend {
			return fmt.Sprintf("answers %s for %s, which it has appended", e.Err, records(f))
		}
		return fmt.Sprintf("refuses %s: %s%s", records(f), e.Err, notInSequence(e))
	case *event.DuplicateRecognised:
		return fmt.Sprintf("takes %s for the batch that it has%s, and does not append it", records(f), c.s.at(f, e.BaseOffset, e.BaseOffset+int64(len(idsOf(f)))))
	case *event.ProducerStateForgotten:
		if e.Why == event.Expired {
			return fmt.Sprintf("forgets the sequence numbers of producer id %d%s, which has been idle for producer.id.expiration.ms", e.ProducerID, c.s.forIt(f))
		}
		return fmt.Sprintf("forgets the sequence numbers of producer id %d%s with the last of its records", e.ProducerID, c.s.forIt(f))
	case *event.ProducerStateLoaded:
		return fmt.Sprintf("knows the sequence numbers of %s%s from %s", counted(e.Producers, "producer"), c.s.forIt(f), producerStateSource(e))
	case *event.ProduceAnswered:
		return fmt.Sprintf("acknowledges %s (acks=%s)", records(f), e.Acks)
	case *event.FetchRefused:
		who := "a consumer"
		if e.Replica > 0 {
			who = protocol.BrokerName(e.Replica)
		} else if _, asked := c.st.Msg.(*protocol.Fetch); asked {
			who = c.s.peer(c.st, who)
		}
		return fmt.Sprintf("refuses the fetch of %s from offset %d%s: %s", who, e.Offset, c.s.of(f), e.Err)
	case *event.EpochAnswered:
		who := c.s.peer(c.st, "who asks")
		if e.EndOffset < 0 {
			return fmt.Sprintf("tells %s that it does not know where epoch %d%s ends", who, e.Asked, c.s.of(f))
		}
		if e.Epoch >= 0 && e.Epoch != e.Asked {
			return fmt.Sprintf("tells %s, who asked for epoch %d%s: epoch %d ends at %d", who, e.Asked, c.s.of(f), e.Epoch, e.EndOffset)
		}
		return fmt.Sprintf("tells %s that epoch %d%s ends at %d", who, e.Asked, c.s.of(f), e.EndOffset)
	case *event.DivergenceFound:
		return fmt.Sprintf("tells %s that their logs%s part: here epoch %d ends at %d", protocol.BrokerName(e.Follower), c.s.of(f), e.Epoch, e.EndOffset)
	case *event.ShutdownBegan:
		if e.Halts {
			return fmt.Sprintf("stops itself: its log%s ends at %d, its leader's at %d, and unclean elections are not allowed", c.s.of(f), e.LogEndOffset, e.Offset)
		}
		return "begins to shut down in order"
	case *event.ShutdownDone:
		return "has shut down in order: everything is flushed, high watermarks are written down"
	case *event.BrokerRegistered:
		return "learns that it is registered" + brokerEpoch(e.Epoch)
	}
	return ""
}

// ofTransactions tells what a coordinator and the leaders do about transactions.
func (c *clause) ofTransactions(f *sim.Recorded) string {
	switch e := f.Event.(type) {
	case *event.TransactionState:
		return transactionState(e)
	case *event.TransactionPartition:
		return fmt.Sprintf("counts%s as part of the transaction of %s, epoch %d", c.s.subject(f), e.TransactionalID, e.ProducerEpoch)
	case *event.TransactionProducerFenced:
		if e.ProducerEpoch == e.Current {
			return fmt.Sprintf("refuses the producer of %s with producer id %d: another one is in force", e.TransactionalID, e.ProducerID)
		}
		return fmt.Sprintf("refuses the producer of %s with epoch %d: the epoch in force is %d", e.TransactionalID, e.ProducerEpoch, e.Current)
	case *event.TransactionTimedOut:
		return fmt.Sprintf("aborts the transaction of %s: it has been open for longer than its producer's transaction.timeout.ms, %d", e.TransactionalID, e.TimeoutMs)
	case *event.TransactionalIDExpired:
		return fmt.Sprintf("forgets transactional.id %s, which has been idle for transactional.id.expiration.ms", e.TransactionalID)
	case *event.MarkerSent:
		return fmt.Sprintf("orders %s to write %s for producer id %d, epoch %d%s", protocol.BrokerName(e.Leader), e.Marker, e.ProducerID, e.ProducerEpoch, c.s.inIt(f))
	case *event.MarkerWritten:
		if e.FirstOffset < 0 {
			return fmt.Sprintf("ends with it%s no transaction: none of this producer was open", c.s.inIt(f))
		}
		return fmt.Sprintf("ends with it%s the transaction that began at offset %d", c.s.inIt(f), e.FirstOffset)
	case *event.TransactionVerified:
		return fmt.Sprintf("learns that%s is part of the transaction of %s, epoch %d", c.s.subject(f), e.TransactionalID, e.ProducerEpoch)
	case *event.TransactionNotVerified:
		if err := e.Err; err.Retriable() { // the coordinator is away, or the transaction before is not complete
			return fmt.Sprintf("does not learn whether%s is part of the transaction of %s, epoch %d: %s", c.s.subject(f), e.TransactionalID, e.ProducerEpoch, err)
		}
		return fmt.Sprintf("learns that%s is not part of an open transaction of %s, epoch %d: %s", c.s.subject(f), e.TransactionalID, e.ProducerEpoch, e.Err)
	}
	return ""
}

// ofGroups tells what a coordinator does about a group.
func (c *clause) ofGroups(f *sim.Recorded) string {
	switch e := f.Event.(type) {
	case *event.GroupRebalancing:
		return groupRebalancing(e)
	case *event.GroupRebalanced:
		return groupRebalanced(e)
	case *event.OffsetsCommitted:
		return fmt.Sprintf("stores position %d%s for group %s", e.Offset, c.s.of(f), e.Group)
	}
	return ""
}

// highWatermark tells where it has moved and, on a leader, whose fetch moved it.
func (c *clause) highWatermark(f *sim.Recorded, e *event.HighWatermark) string {
	move := fmt.Sprintf("HW%s %d → %d", c.s.of(f), e.From, e.To)
	if e.Leader {
		if by, upTo, ok := c.fetched(f); ok {
			return fmt.Sprintf("sees that %s has all below %d: %s", by, upTo, move)
		}
		return "raises " + move
	}
	if e.To < e.From {
		return "lowers its " + move
	}
	return "learns " + move
}

// fetched says which follower's fetch the step is about, and from where it fetches: it has what is below.
func (c *clause) fetched(f *sim.Recorded) (by string, upTo int64, ok bool) {
	m, isFetch := c.st.Msg.(*protocol.Fetch)
	if !isFetch || c.st.Kind != sim.StepDeliver {
		return "", 0, false
	}
	for i := range m.Data {
		if m.Data[i].TP == event.Partition(f.Event) {
			return c.s.name(c.st.Peer), m.Data[i].Offset, true
		}
	}
	return "", 0, false
}

// recovered tells what a process finds on its disk when it starts, and what a power loss took.
func (c *clause) recovered(f *sim.Recorded, e *event.Recovered) string {
	var kept, lost []string
	if p := c.s.now.Partition(event.Partition(f.Event)); p != nil {
		if r := p.Replica(c.s.Run.Cluster.Directory.Broker(f.Node)); r != nil {
			for _, h := range r.Records {
				if h.Offset < e.LogEndOffset {
					kept = append(kept, h.ID)
				} else {
					lost = append(lost, h.ID)
				}
			}
		}
	}
	what := "nothing"
	if len(kept) > 0 {
		what = few(kept)
	}
	text := fmt.Sprintf("finds %s on its disk%s (log end %d) and HW %d in its checkpoint", what, c.s.of(f), e.LogEndOffset, e.HighWatermark)
	if len(lost) > 0 {
		text += "; " + few(lost) + " had not been flushed and " + isAre(lost) + " gone"
	}
	return text
}

func isAre(of []string) string {
	if len(of) == 1 {
		return "is"
	}
	return "are"
}

// ofController tells what a controller decides, and what ZooKeeper stores.
func (c *clause) ofController(f *sim.Recorded) string {
	switch e := f.Event.(type) {
	case *event.BrokerFenced:
		if e.Asked {
			return fmt.Sprintf("fences %s, which shuts down", protocol.BrokerName(e.Broker))
		}
		return fmt.Sprintf("fences %s: no heartbeat within the session time-out", protocol.BrokerName(e.Broker))
	case *event.BrokerUnfenced:
		return fmt.Sprintf("unfences %s: it may lead and follow again", protocol.BrokerName(e.Broker))
	case *event.BrokerJoined:
		text := "registers " + protocol.BrokerName(e.Broker) + brokerEpoch(e.Epoch)
		if e.Unclean {
			text += ", which had not shut down in order"
		}
		return text
	case *event.BrokerGone:
		return fmt.Sprintf("notices that %s is gone", protocol.BrokerName(e.Broker))
	case *event.LeaderElected:
		text := fmt.Sprintf("elects %s leader%s, epoch %d", protocol.BrokerName(e.Leader), c.s.of(f), e.LeaderEpoch)
		if e.Unclean {
			return text + ", UNCLEANLY: it was not in the ISR, which is now {" + brokers(e.ISR) + "}"
		}
		return text + "; ISR {" + brokers(e.ISR) + "}"
	case *event.PartitionOffline:
		return fmt.Sprintf("finds nobody to lead%s (epoch %d): the ISR is {%s}", c.s.nameIt(f), e.LeaderEpoch, brokers(e.ISR))
	case *event.ISRChanged:
		if with[*event.LeaderElected](c, e.TP) != nil || with[*event.PartitionOffline](c, e.TP) != nil {
			return ""
		}
		return fmt.Sprintf("sets the ISR%s to {%s}", c.s.of(f), brokers(e.ISR))
	case *event.ELRChanged:
		if len(e.ELR) == 0 {
			return fmt.Sprintf("keeps nobody as an eligible leader replica%s any more", c.s.of(f))
		}
		return fmt.Sprintf("keeps {%s} as eligible leader replicas%s", brokers(e.ELR), c.s.of(f))
	case *event.ISRChangeRefused:
		return fmt.Sprintf("refuses %s the ISR {%s}%s: %s", protocol.BrokerName(e.Broker), brokers(e.ISR), c.s.of(f), e.Err)
	case *event.ElectionRefused:
		return fmt.Sprintf("refuses the election%s that an operator asks for: %s", c.s.of(f), e.Err)
	case *event.OrderRefused:
		return fmt.Sprintf("is refused by ZooKeeper (%s): another controller has taken over", e.Err)
	case *event.ControllerElected:
		return fmt.Sprintf("becomes the active controller (epoch %d)", e.ControllerEpoch)
	case *event.ControllerResigned:
		return "is no longer the controller"
	case *event.TopicChanged:
		return fmt.Sprintf("gives %s %d partitions", e.Topic, e.Partitions)
	case *event.ConfigChanged:
		if e.Topic == "" {
			return "sets " + e.Setting + " for the whole cluster"
		}
		return "sets " + e.Setting + " for " + e.Topic
	case *event.SessionExpired:
		if e.Broker > 0 {
			return fmt.Sprintf("ends the session of %s, of which it has not heard in time", protocol.BrokerName(e.Broker))
		}
		return fmt.Sprintf("ends the session of k%d, of which it has not heard in time", e.Controller)
	}
	return ""
}

// ofProducer tells what a producing application and its client do.
func (c *clause) ofProducer(f *sim.Recorded, j int) string {
	switch e := f.Event.(type) {
	case *event.RecordSent:
		return c.sent(j)
	case *event.RecordsBatched:
		if e.Attempt > 1 {
			return fmt.Sprintf("sends %s again%s, attempt %d, to %s", records(f), sequence(f), e.Attempt, protocol.BrokerName(e.Broker))
		}
		return fmt.Sprintf("sends %s%s to %s%s", records(f), sequence(f), protocol.BrokerName(e.Broker), c.s.forIt(f))
	case *event.BatchAcked:
		if e.Acks == 0 {
			return "takes " + records(f) + " for sent, for it waits for no answer (acks=0)"
		}
		return "learns that " + records(f) + " " + isAre(idsOf(f)) + " acknowledged"
	case *event.BatchFailed:
		if e.NotWritten {
			return fmt.Sprintf("gives up %s: %s; nothing was written", records(f), e.Err)
		}
		return fmt.Sprintf("gives up %s: %s; it may have been written", records(f), e.Err)
	case *event.BatchRetried:
		return fmt.Sprintf("will send %s again: %s", records(f), e.Err)
	case *event.ProducerIDGiven:
		return fmt.Sprintf("is given producer id %d", e.ProducerID)
	case *event.ProducerIDDropped:
		return fmt.Sprintf("gives up producer id %d, to ask for another: %s", e.ProducerID, dropped(e))
	case *event.EpochBumped:
		return fmt.Sprintf("raises the epoch of its producer id to %d", e.ProducerEpoch)
	case *event.SequencesReset:
		if e.Batches == 0 {
			return fmt.Sprintf("begins%s at sequence 0 again", c.s.forIt(f))
		}
		return fmt.Sprintf("numbers %s without an outcome%s anew, from sequence 0", counted(e.Batches, "batch"), c.s.forIt(f))
	case *event.TxnInitialized:
		return fmt.Sprintf("returns from initTransactions(): it is %s with producer id %d, epoch %d", e.TransactionalID, e.ProducerID, e.ProducerEpoch)
	case *event.TxnBegan:
		return "begins a transaction"
	case *event.TxnCommitAsked:
		return "calls commitTransaction()"
	case *event.TxnAbortAsked:
		return "calls abortTransaction()"
	case *event.TxnCommitted:
		return "returns from commitTransaction(): the transaction is committed"
	case *event.TxnAborted:
		return "returns from abortTransaction(): the transaction is aborted"
	case *event.TxnOffsetsSent:
		return fmt.Sprintf("makes offset %d of group %s%s part of its transaction", e.Offset, e.Group, c.s.forIt(f))
	case *event.TxnFailed:
		if e.Open {
			return fmt.Sprintf("gets an exception from %s(): %s; it may take effect nevertheless", e.Call, e.Err)
		}
		return fmt.Sprintf("gets an exception from %s(): %s", e.Call, e.Err)
	case *event.TxnAbortable:
		return fmt.Sprintf("can only abort its transaction: %s", e.Err)
	case *event.ProducerFailed:
		if e.Cause != 0 {
			return fmt.Sprintf("can send nothing more: %s (%s)", e.Err, e.Cause)
		}
		return fmt.Sprintf("can send nothing more: %s", e.Err)
	case *event.RecordRejected:
		return fmt.Sprintf("gets an exception from send(%s): %s; nothing was sent", e.Record, e.Err)
	case *event.ClientMetadata:
		if e.Leader <= 0 {
			return fmt.Sprintf("learns that%s has no leader", c.s.subject(f))
		}
		return fmt.Sprintf("learns that %s leads%s", protocol.BrokerName(e.Leader), c.s.nameIt(f))
	case *event.ConnectionLost:
		return "loses its connection to " + c.s.name(e.Peer)
	case *event.RequestGivenUp:
		return fmt.Sprintf("gives up waiting for %s to answer its %s request", c.s.name(e.Peer), c.s.Run.World.MessageName(e.Request))
	}
	return ""
}

// dropped says why a producer gives its id up.
func dropped(e *event.ProducerIDDropped) string {
	switch e.Why {
	case event.BatchesExpired:
		return "batches expired that may have been written"
	case event.BatchExpired:
		return "a batch expired that may have been written"
	}
	return e.Err.String()
}

// sent tells of calls of send(), those of one step together; of none that the same step hands to the network.
func (c *clause) sent(j int) string {
	if j > 0 {
		if _, told := c.events[j-1].Event.(*event.RecordSent); told {
			return ""
		}
	}
	var waiting []string
	for _, f := range c.events[j:] {
		e, ok := f.Event.(*event.RecordSent)
		if !ok {
			break
		}
		if !c.batched(e.Record) {
			waiting = append(waiting, e.Record.ID)
		}
	}
	switch len(waiting) {
	case 0:
		return ""
	case 1:
		return "calls send(" + waiting[0] + ")"
	}
	return "calls send() for " + few(waiting)
}

// batched says that a record goes out in the very step in which it was sent.
func (c *clause) batched(r *record.Record) bool {
	for j := range c.events {
		e, ok := c.events[j].Event.(*event.RecordsBatched)
		if !ok {
			continue
		}
		for i := range e.Batch.Records {
			if e.Batch.Records[i].Submission == r.Submission && e.Batch.Records[i].Producer == r.Producer {
				return true
			}
		}
	}
	return false
}

// ofConsumer tells what a consuming application and its client do.
func (c *clause) ofConsumer(f *sim.Recorded) string {
	switch e := f.Event.(type) {
	case *event.Assigned:
		return fmt.Sprintf("reads%s from offset %d on (%s)", c.s.nameIt(f), e.Offset, e.Source)
	case *event.Fetched:
		if p := with[*event.Polled](c, e.TP); p != nil && p.FirstOffset == e.FirstOffset && p.NextOffset == e.NextOffset {
			return ""
		}
		var ids []string
		for i := range e.Records {
			ids = append(ids, e.Records[i].ID)
		}
		if len(ids) == 0 {
			return fmt.Sprintf("fetches offsets %s%s", span(e.FirstOffset, e.NextOffset), c.s.of(f))
		}
		return "fetches " + few(ids) + c.s.of(f)
	case *event.Polled:
		var ids []string
		for _, k := range e.Records {
			ids = append(ids, k.Record.ID)
		}
		return "gets " + few(ids) + " from poll()"
	case *event.Processed:
		return "processes " + e.Record.ID
	case *event.CommitSent:
		return fmt.Sprintf("commits position %d%s", e.Offset, c.s.of(f))
	case *event.Committed:
		return fmt.Sprintf("learns that position %d%s is committed", e.Offset, c.s.of(f))
	case *event.CommitFailed:
		return fmt.Sprintf("can not commit position %d%s: %s", e.Offset, c.s.of(f), e.Err)
	case *event.PositionReset:
		if e.From < 0 {
			return fmt.Sprintf("begins%s at offset %d (%s)", c.s.nameIt(f), e.To, e.Source)
		}
		return fmt.Sprintf("moves its position%s from %d to %d (%s)", c.s.of(f), e.From, e.To, e.Source)
	case *event.TruncationSeen:
		if e.EndOffset < 0 {
			return fmt.Sprintf("notices that the log%s was truncated: it stands at %d, and the leader does not know the epoch of what it has read", c.s.of(f), e.Position)
		}
		return fmt.Sprintf("notices that the log%s was truncated: it stands at %d, and what it has read ends at %d on the leader", c.s.of(f), e.Position, e.EndOffset)
	case *event.EndOffset:
		if with[*event.Assigned](c, e.TP) != nil || with[*event.PositionReset](c, e.TP) != nil {
			return ""
		}
		return fmt.Sprintf("is told that the log%s ends at %d", c.s.of(f), e.Offset)
	case *event.GroupJoined, *event.AssignmentTaken, *event.PartitionRevoked, *event.GroupTold:
		return ofMember(f)
	case *event.ProcessFailed:
		return fmt.Sprintf("throws an exception while it processes %s", e.Record)
	case *event.CallRepeated:
		return fmt.Sprintf("calls %s() again", e.Call)
	case *event.BatchGivenUp:
		return fmt.Sprintf("goes on behind %s of the transaction it has aborted: its position stays", counted(e.Records, "record"))
	case *event.CommitRedone:
		return fmt.Sprintf("takes the commit for failed: it closes its producer, and will do %s again with another", counted(e.Records, "record"))
	case *event.StoreUpdated:
		return fmt.Sprintf("counts the record at offset %d%s: %s", e.Offset, c.s.of(f), storeEntry(e))
	case *event.StoreRestored:
		if e.Keys == 0 {
			return fmt.Sprintf("has read its changelog%s up to offset %d: its store is empty", c.s.nameIt(f), e.End)
		}
		return fmt.Sprintf("has read its changelog%s up to offset %d, and has its store back: %s", c.s.nameIt(f), e.End, counted(e.Keys, "key"))
	case *event.SourcePositionRead:
		return fmt.Sprintf("reads its position back: row %d of table %s was passed on", e.Row, e.Table)
	case *event.ConsumerFailed:
		if e.From == event.ByDatabase {
			return "leaves its loop with the exception, and closes all it has open"
		}
		if e.From == event.ByProducer {
			return fmt.Sprintf("leaves its loop with the exception %s, and closes its consumer and its producer", e.Err)
		}
		if e.TP.Topic == "" && e.Err == protocol.None {
			return "throws an exception in its own code"
		}
		return fmt.Sprintf("gets an exception: %s", e.Err)
	}
	return ""
}

// scriptSentence tells what the script itself records.
func scriptSentence(e sim.Event) string {
	switch e := e.(type) {
	case *event.Said:
		return e.Text
	case *event.Act:
		return e.Text
	case *event.Asked:
		return e.Text
	case *event.Answered:
		return e.Text
	case *event.Arranged:
		return e.Text
	case *event.Healed:
		return "everything is mended; the run goes on until nothing moves"
	case *event.ScriptEnd:
		if e.GoesOn {
			return "the script goes on all the same: " + e.Text
		}
		return "the script ends here: " + e.Text
	case *event.DefectFound:
		return "a defect of the model ends the run: " + e.Assertion + " does not hold: " + e.Found
	}
	return ""
}

// order tells what a person or the script has told a node to do, where the events of the step do not say so.
func (s *Story) order(st *sim.Step) string {
	m, ok := st.Msg.(*protocol.Command)
	if !ok || st.Kind != sim.StepScript {
		return ""
	}
	broker := s.Run.Cluster.Directory.Broker(st.Node) != protocol.NoBroker
	switch {
	case m.Flush && !broker:
		return "calls flush()"
	case m.Close:
		return "calls close()"
	case m.Elect != nil && m.Elect.Unclean:
		return fmt.Sprintf("is asked by an operator for an unclean election of %v", m.Elect.TP)
	case m.Elect != nil:
		return fmt.Sprintf("is asked by an operator to elect the preferred leader of %v", m.Elect.TP)
	case m.DeleteController:
		return "is told to forget who the controller is"
	case m.Seek != nil:
		return fmt.Sprintf("is told to seek to %d", m.Seek.Offset)
	case m.ProcessTime != nil:
		return fmt.Sprintf("takes %v for a record from now on", m.ProcessTime.Time)
	case m.DeleteRecords != nil:
		return fmt.Sprintf("is asked to delete what lies below offset %d", m.DeleteRecords.Before)
	}
	return ""
}

// faultSentence says what a fault did, and to whom.
func (s *Story) faultSentence(st *sim.Step) (who, what string) {
	who = s.name(st.Node)
	peer := s.name(st.Peer)
	broker := s.Run.Cluster.Directory.Broker(st.Node) != protocol.NoBroker
	switch st.Op {
	case sim.OpKill:
		if broker {
			return who, "crashes: the process is gone, what it has written stays in the page cache"
		}
		return who, "crashes: what it had in memory is gone"
	case sim.OpPowerLoss:
		return who, "loses power: what was not flushed to disk is at risk"
	case sim.OpDiskLoss:
		return who, "loses its disk, and with it every record: an empty one takes its place"
	case sim.OpPause:
		return who, "is paused: it does nothing, and keeps its memory and what it believes"
	case sim.OpResume:
		return who, "runs on after its pause"
	case sim.OpRestart:
		return who, "is started"
	case sim.OpCut:
		return net, fmt.Sprintf("nothing gets from %s to %s any more", who, peer)
	case sim.OpCutBoth:
		return net, fmt.Sprintf("%s and %s no longer reach each other", who, peer)
	case sim.OpHeal:
		if st.Node == sim.Nobody {
			return net, "every link carries again"
		}
		if st.Arg != 0 {
			return net, fmt.Sprintf("%s reaches %s again", who, peer)
		}
		return net, fmt.Sprintf("%s and %s reach each other again", who, peer)
	case sim.OpDisconnect:
		return net, fmt.Sprintf("the connections between %s and %s are reset; what was under way is lost", who, peer)
	case sim.OpSkew:
		return who, "has its clock put off by " + sim.Time(st.Arg).String()
	case sim.OpHold:
		return net, "holds back " + s.message(st) + ", and what is behind it on its connection"
	case sim.OpRelease:
		return net, "lets go of " + s.message(st)
	case sim.OpDuplicate:
		return net, "doubles " + s.message(st) + ": it arrives twice"
	case sim.OpLate:
		return net, "delays " + s.message(st) + " by " + sim.Time(st.Arg).String()
	}
	return who, st.Op.String()
}

// net is who acts when the network does.
const net = "net"

// repairs says that a fault step mends something.
func repairs(op sim.Op) bool {
	return op == sim.OpResume || op == sim.OpRestart || op == sim.OpHeal || op == sim.OpRelease
}

// message names the message of a step.
func (s *Story) message(st *sim.Step) string { return s.Message(st.Peer, st.Node, st.Msg) }

// Message names a message: its kind, the records in it, from whom to whom.
func (s *Story) Message(from, to sim.NodeID, m sim.Message) string {
	about := ""
	if ids := s.carried(m); len(ids) > 0 {
		about = " with " + few(ids)
	}
	return fmt.Sprintf("the %s%s from %s to %s", messageName(s.Run.World.MessageName(m.Type())), about, s.name(from), s.name(to))
}

// lostSentence tells of a message that did not arrive, "" for one that nobody would miss and nobody chose.
func (s *Story) lostSentence(st *sim.Step) string {
	if st.Op == sim.OpLose {
		return s.message(st) + " is lost, and what is behind it on its connection"
	}
	switch st.Msg.Type() {
	case protocol.TProduce, protocol.TProduceResponse, protocol.TFetchResponse, protocol.TOffsetForLeaderEpoch, protocol.TOffsetForLeaderEpochResponse,
		protocol.TOffsetCommit, protocol.TOffsetCommitResponse, protocol.TAlterPartition, protocol.TAlterPartitionResponse, protocol.TLeaderAndIsr:
	default:
		return ""
	}
	if st.Msg.Routine() || !s.concerns(st.Msg) {
		return ""
	}
	return s.message(st) + " is lost"
}

// messageName tells requests from answers, as Kafka's documentation does: "Fetch request", "FetchResponse".
func messageName(name string) string {
	if strings.HasSuffix(name, "Response") || strings.HasSuffix(name, "Event") || strings.HasSuffix(name, "Request") {
		return name
	}
	return name + " request"
}

// concerns says that a message is about a partition that the story tells of.
func (s *Story) concerns(m sim.Message) bool {
	r, ok := m.(*protocol.FetchResponse)
	if !ok {
		return true
	}
	for i := range r.Data {
		if d := &r.Data[i]; s.tells(d.TP.Topic) && (len(d.Batches) > 0 || d.Err != protocol.None || d.Diverging != nil) {
			return true
		}
	}
	return false
}

// carried lists the records in a message.
func (s *Story) carried(m sim.Message) []string {
	var ids []string
	take := func(tp protocol.TopicPartition, b *record.RecordBatch) {
		for i := range b.Records {
			if s.tells(tp.Topic) {
				ids = append(ids, projection.RecordName(b, i))
			}
		}
	}
	switch m := m.(type) {
	case *protocol.Produce:
		for i := range m.Data {
			take(m.Data[i].TP, m.Data[i].Batch)
		}
	case *protocol.FetchResponse:
		for i := range m.Data {
			for _, b := range m.Data[i].Batches {
				take(m.Data[i].TP, b)
			}
		}
	}
	return ids
}

// of, at, forIt, nameIt, subject, logOf name the partition of an event, unless it is the only one in sight.
func (s *Story) named(f *sim.Recorded) bool { return !s.single || event.Partition(f.Event) != s.only }

func (s *Story) of(f *sim.Recorded) string {
	if !s.named(f) {
		return ""
	}
	return " of " + event.Partition(f.Event).String()
}

func (s *Story) forIt(f *sim.Recorded) string {
	if !s.named(f) {
		return ""
	}
	return " for " + event.Partition(f.Event).String()
}

func (s *Story) inIt(f *sim.Recorded) string {
	if !s.named(f) {
		return ""
	}
	return " in " + event.Partition(f.Event).String()
}

func (s *Story) nameIt(f *sim.Recorded) string {
	if !s.named(f) {
		return ""
	}
	return " " + event.Partition(f.Event).String()
}

func (s *Story) subject(f *sim.Recorded) string {
	if !s.named(f) {
		return " the partition"
	}
	return " " + event.Partition(f.Event).String()
}

func (s *Story) logOf(f *sim.Recorded) string {
	if !s.named(f) {
		return " its log"
	}
	return " " + event.Partition(f.Event).String()
}

func (s *Story) at(f *sim.Recorded, from, to int64) string {
	word := " at offset "
	if to-from > 1 {
		word = " at offsets "
	}
	return word + span(from, to) + s.of(f)
}

// from names whom a message came from.
func (s *Story) from(st *sim.Step) string {
	if st.Kind != sim.StepDeliver {
		return ""
	}
	return " from " + s.name(st.Peer)
}

func (s *Story) peer(st *sim.Step, otherwise string) string {
	if st.Kind == sim.StepDeliver && st.Peer >= 0 {
		return s.name(st.Peer)
	}
	return otherwise
}

// brokers writes a set of brokers: "b1 b2".
func brokers(ids []protocol.BrokerID) string {
	var names []string
	for _, id := range ids {
		names = append(names, protocol.BrokerName(id))
	}
	return strings.Join(names, " ")
}

func records(f *sim.Recorded) string {
	ids := idsOf(f)
	if len(ids) == 0 {
		return "?"
	}
	return few(ids)
}

func idsOf(f *sim.Recorded) []string {
	var ids []string
	if b := event.Batch(f.Event); b != nil {
		for i := range b.Records {
			ids = append(ids, projection.RecordName(b, i))
		}
	}
	return ids
}

// few lists names: all of a few, the first and the last of many.
func few(ids []string) string {
	if len(ids) > 6 {
		return fmt.Sprintf("%s %s … %s (%d records)", ids[0], ids[1], ids[len(ids)-1], len(ids))
	}
	return strings.Join(ids, " ")
}

// span writes the offsets from a up to but not including b.
func span(a, b int64) string {
	if b-a <= 1 {
		return strconv.FormatInt(a, 10)
	}
	return fmt.Sprintf("%d–%d", a, b-1)
}

// cutNames lists the records that a truncation took.
func cutNames(e *event.Truncated) []string {
	var ids []string
	for _, b := range e.Cut {
		for i := range b.Records {
			ids = append(ids, projection.RecordName(b, i))
		}
	}
	return ids
}

// brokerEpoch tells a broker epoch, where there is one: ZooKeeper's brokers have it from 2.2 on (KIP-380).
func brokerEpoch(epoch int64) string {
	if epoch < 0 {
		return ""
	}
	return fmt.Sprintf(" (broker epoch %d)", epoch)
}
