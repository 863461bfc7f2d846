package checker

import (
	"cmp"
	"slices"
	"strconv"

	"kafkatrial/model"
	"kafkatrial/model/event"
	"kafkatrial/model/groupcoordinator"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/model/transactioncoordinator"
	"kafkatrial/sim"
)

// Ending says how a run ended, or that it has not.
type Ending struct {
	Ended  bool
	Rested bool
	Moving []string
	TimeUp bool // it did not come to rest in the time that it had for that
}

// Extract makes a History from the events of a run and from the logs as they now are. It reads only what the
// run recorded: nothing of it comes from the scenario's words. Steps are numbered from 1, as transcripts do.
func Extract(c *model.Cluster, end Ending) History {
	x := extractor{c: c, trace: c.World.Trace(), submissions: map[submissionKey]int{}, ends: map[replicaKey]int64{},
		epochs: map[replicaKey]int{}, served: map[readKey]int{}, commitSent: map[readKey]int{}, positions: map[replicaKey][]positioned{},
		struck: map[sim.NodeID]struck{}, lives: map[sim.NodeID]int{}, starts: map[sim.NodeID][]int{}, written: map[offsetKey]int{}, groups: newMemberships(),
		removed: map[TopicPartition][]removal{}, handed: map[handKey][]int{}, elected: map[electionKey]int{}, asked: map[exchange]asked{}}
	x.applications()
	for i := range x.trace.Steps {
		x.step(i)
	}
	x.untold()
	x.logs()
	x.outputs()
	x.h.End = len(x.trace.Steps)
	x.h.Quiescence.Reached, x.h.Quiescence.TimeUp = end.Rested, end.TimeUp
	for _, what := range end.Moving {
		x.h.Quiescence.Moving = append(x.h.Quiescence.Moving, Motion{What: what})
	}
	return x.h
}

type extractor struct {
	c           *model.Cluster
	trace       *sim.Trace
	h           History
	submissions map[submissionKey]int
	ends        map[replicaKey]int64        // log end of each replica, as last recorded
	epochs      map[replicaKey]int          // leader epoch in which a broker leads
	positions   map[replicaKey][]positioned // what a replica's log holds, by offset: for what retention removes
	removed     map[TopicPartition][]removal
	served      map[readKey]int // step in which the request was sent that brought a consumer what it got
	commitSent  map[readKey]int
	struck      map[sim.NodeID]struck // last power or disk loss
	lives       map[sim.NodeID]int    // how many processes a node has had
	starts      map[sim.NodeID][]int  // and the steps in which they began, counted from 0
	inTxn       []transactionOf
	coordinated []coordinated // by place in History.Txns
	groups      memberships
	written     map[offsetKey]int // step of the last append by a leader, else by anybody
	handed      map[handKey][]int // places in History.Reads
	elected     map[electionKey]int
	asked       map[exchange]asked // see inquiry
	call        int                // the step in which the request was sent that this step answers, 0 if it answers none that is followed
}

// handKey is a record in the hands of a consumer.
type handKey struct {
	consumer string
	record   RecordID
}

// electionKey is the office of a leader in one epoch, of which elected knows the step of the election.
type electionKey struct {
	tp    TopicPartition
	epoch int
}

type submissionKey struct {
	producer   sim.NodeID
	submission int32
}

type replicaKey struct {
	node sim.NodeID
	tp   TopicPartition
}

type readKey struct {
	node   sim.NodeID
	tp     TopicPartition
	offset int64
}

type offsetKey struct {
	tp     TopicPartition
	offset int64
}

type positioned struct {
	offset int64
	entry  Entry
	batch  *record.RecordBatch
}

type struck struct {
	step  int
	cause CutCause
}

func toTP(tp protocol.TopicPartition) TopicPartition {
	return TopicPartition{tp.Topic, int(tp.Partition)}
}

// internal says that a topic is the book-keeping of brokers, or of an application that reads a source: positions, which
// are nobody's records.
func (x *extractor) internal(topic string) bool {
	return topic == groupcoordinator.TopicName || topic == transactioncoordinator.TopicName ||
		slices.ContainsFunc(x.c.Spec.Consumers, func(k model.ConsumerSpec) bool {
			return k.App.Source != nil && k.App.Store != nil && k.App.Store.Topic == topic
		})
}

// submissionID names a call of send: producer#number.
func (x *extractor) submissionID(r *record.Record) SubmissionID {
	return SubmissionID(x.c.World.Name(sim.NodeID(r.Producer)) + "#" + strconv.Itoa(int(r.Submission)))
}

func (x *extractor) submission(r *record.Record) *Submission {
	if i, ok := x.submissions[submissionKey{sim.NodeID(r.Producer), r.Submission}]; ok {
		return &x.h.Submissions[i]
	}
	return nil
}

// applications lists the consuming applications, one a group.
func (x *extractor) applications() {
	for n, k := range x.c.Spec.Consumers {
		a := Application{Name: k.App.Group, Topics: slices.Clone(k.App.Topics), Writes: writes(&k.App), Sinks: sinks(&k.App),
			ReadCommitted: x.isolation(x.c.Consumers()[n]) == ReadCommitted}
		if k.App.Source != nil {
			if k.App.Sends.Topic != "" && !a.Writes {
				continue // it passes records on: whether they are there is judged at the log
			}
			a.Topics, a.Table = []string{k.App.Source.Table}, true
		}
		for _, tp := range k.App.Partitions {
			if !slices.Contains(a.Topics, tp.Topic) {
				a.Topics = append(a.Topics, tp.Topic)
			}
		}
		if a.Name == "" {
			a.Name = k.Name
		}
		i := slices.IndexFunc(x.h.Applications, func(b Application) bool { return b.Name == a.Name })
		if i < 0 {
			x.h.Applications = append(x.h.Applications, a)
			continue
		}
		x.h.Applications[i].Writes = x.h.Applications[i].Writes || a.Writes
		x.h.Applications[i].ReadCommitted = x.h.Applications[i].ReadCommitted && a.ReadCommitted
		for _, s := range a.Sinks {
			if !slices.Contains(x.h.Applications[i].Sinks, s) {
				x.h.Applications[i].Sinks = append(x.h.Applications[i].Sinks, s)
			}
		}
		for _, t := range a.Topics {
			if !slices.Contains(x.h.Applications[i].Topics, t) {
				x.h.Applications[i].Topics = append(x.h.Applications[i].Topics, t)
			}
		}
	}
}

// application names the application and the consumer of a node.
func (x *extractor) application(n sim.NodeID) (app, consumer string) {
	for i, node := range x.c.Consumers() {
		if node == n {
			k := &x.c.Spec.Consumers[i]
			if k.App.Group != "" {
				return k.App.Group, k.Name
			}
			return k.Name, k.Name
		}
	}
	return "", x.c.World.Name(n)
}

func (x *extractor) step(i int) {
	s := &x.trace.Steps[i]
	if s.Kind == sim.StepFault && (s.Op == sim.OpPowerLoss || s.Op == sim.OpDiskLoss) {
		cause := PowerLoss
		if s.Op == sim.OpDiskLoss {
			cause = DiskLoss
			x.lostDisk(s.Node, i+1)
		}
		x.struck[s.Node] = struck{i + 1, cause}
	}
	if s.Kind == sim.StepFault && deathWords[s.Op] != "" {
		x.abandon(s.Node, i+1)
	}
	if s.Kind == sim.StepStart {
		x.lives[s.Node] = int(s.Arg)
		x.starts[s.Node] = append(x.starts[s.Node], i)
		x.abandon(s.Node, i+1)
		x.newLife(s.Node)
	}
	x.death(i)
	x.inquiry(i)
	events := x.trace.EventsOf(i)
	for j := range events {
		x.event(&events[j], i)
	}
}

// lostDisk cuts every log of a broker whose disk is gone.
func (x *extractor) lostDisk(n sim.NodeID, step int) {
	for _, tp := range x.c.Partitions() {
		key := replicaKey{n, toTP(tp)}
		if end := x.ends[key]; end > 0 && !x.internal(tp.Topic) {
			x.h.Cuts = append(x.h.Cuts, Cut{TP: key.tp, Broker: x.c.Directory.Broker(n), To: end, Cause: DiskLoss, Step: step})
			x.ends[key] = 0
		}
	}
}

// event takes in what a step tells. Of internal topics only the positions of groups count.
func (x *extractor) event(r *sim.Recorded, i int) {
	step := i + 1
	if e, ok := r.Event.(*event.OffsetsCommitted); ok {
		x.applyOffsets(e, step)
		x.positionApplied(e, step)
		return
	}
	if topic := event.Topic(r.Event); x.internal(topic) {
		if e, ok := r.Event.(*event.LeaderAppended); ok && topic == groupcoordinator.TopicName {
			x.positionsWritten(e.Batch, i)
		}
		return
	}
	switch event.KindOf(r.Event).Group {
	case event.Replication, event.Controller:
		x.brokerEvent(r, step)
	case event.Transactions:
		x.coordinatorEvent(r, step)
	case event.Groups:
		x.groupEvent(r, step)
	case event.Producer:
		x.producerEvent(r, step)
	case event.Consumer, event.Application:
		x.consumerEvent(r, step)
	case event.Database:
		x.databaseEvent(r, step)
	}
}

// brokerEvent takes what happens to logs, and who leads them.
func (x *extractor) brokerEvent(r *sim.Recorded, step int) {
	tp := toTP(event.Partition(r.Event))
	key := replicaKey{r.Node, tp}
	switch e := r.Event.(type) {
	case *event.LeaderElected:
		x.elected[electionKey{tp, int(e.LeaderEpoch)}] = step
	case *event.LeaderAppended:
		x.appended(e, key, true, step)
	case *event.FollowerAppended:
		x.appended((*event.LeaderAppended)(e), key, false, step)
	case *event.Truncated:
		x.cut(key, e.NewEnd, Truncation, step)
	case *event.Recovered:
		if hit, ok := x.struck[r.Node]; ok && x.ends[key] > e.LogEndOffset {
			x.cut(key, e.LogEndOffset, hit.cause, hit.step)
		}
	case *event.BecameLeader:
		x.epochs[key] = int(e.LeaderEpoch)
		// The office counts from when it is taken, not from the election: until then the new leader still follows, and
		// what the old one appends is part of what it begins with.
		x.h.Grants = append(x.h.Grants, Grant{Office: LeaderOffice, TP: tp, Epoch: int(e.LeaderEpoch), Holder: protocol.BrokerName(x.c.Directory.Broker(r.Node)),
			Call: x.elected[electionKey{tp, int(e.LeaderEpoch)}], Step: step})
	case *event.HighWatermark:
		if e.Leader && e.To > e.From {
			x.h.Commits = append(x.h.Commits, Commit{TP: tp, Broker: x.c.Directory.Broker(r.Node), Epoch: x.epochs[key], HighWatermark: e.To, Step: step})
		}
	case *event.LogStart:
		x.logStartMoved(e, key, step)
	}
}

// producerEvent takes what becomes of submissions, and what a producer is told of its transactions.
func (x *extractor) producerEvent(r *sim.Recorded, step int) {
	switch e := r.Event.(type) {
	case *event.RecordSent:
		sent := e.Record
		x.submissions[submissionKey{r.Node, sent.Submission}] = len(x.h.Submissions)
		x.h.Submissions = append(x.h.Submissions, Submission{ID: x.submissionID(sent), Record: RecordID(sent.ID), From: RecordID(sent.From), Key: sent.Key,
			Producer: x.c.World.Name(r.Node), Incarnation: x.lives[r.Node], TP: toTP(e.TP), SendStep: step, Outcome: Outcome{Offset: -1}})
		x.inTransaction(&x.h.Submissions[len(x.h.Submissions)-1], r.Node)
	case *event.RecordsBatched:
		for k := range e.Batch.Records {
			if sub := x.submission(&e.Batch.Records[k]); sub != nil {
				sub.TP = toTP(e.TP)
			}
		}
	case *event.BatchAcked:
		x.outcome(e.Batch, toTP(e.TP), Outcome{Kind: Acked, Step: step}, e.BaseOffset)
	case *event.BatchFailed:
		o := Outcome{Kind: Unknown, Error: e.Err.String(), Step: step}
		if e.NotWritten {
			o.Kind = FailedForCertain
		}
		x.outcome(e.Batch, toTP(e.TP), o, -1)
	case *event.RecordRejected:
		if k, ok := x.submissions[submissionKey{r.Node, e.Submission}]; ok {
			x.h.Submissions[k].Outcome = Outcome{Kind: FailedForCertain, Offset: -1, Error: e.Err.String(), Step: step}
		}
	default:
		x.transactionEvent(r, step)
	}
}

// consumerEvent takes what consumers read and commit, and what their applications make of it.
func (x *extractor) consumerEvent(r *sim.Recorded, step int) {
	switch e := r.Event.(type) {
	case *event.Fetched:
		call := cmp.Or(x.call, step)
		for o := e.FirstOffset; o < e.NextOffset; o++ {
			x.served[readKey{r.Node, toTP(e.TP), o}] = call
		}
	case *event.Polled:
		x.polled(r.Node, e, step)
	case *event.Processed:
		x.processed(r.Node, e, step)
	case *event.EndOffset:
		_, name := x.application(r.Node)
		x.h.EndOffsets = append(x.h.EndOffsets, EndOffset{Consumer: name, TP: toTP(e.TP), Offset: e.Offset, Isolation: x.isolation(r.Node), Call: cmp.Or(x.call, step), Step: step})
	case *event.CommitSent:
		x.commitSent[readKey{r.Node, toTP(e.TP), e.Offset}] = step
	case *event.Committed:
		x.committed(r.Node, e, step)
	case *event.AssignmentTaken:
		x.taken(r.Node, e, step)
	}
}

func (x *extractor) processed(n sim.NodeID, e *event.Processed, step int) {
	app, name := x.application(n)
	if x.h.writesFor(app) {
		return
	}
	tp := toTP(e.TP)
	effect := Effect{Application: app, Consumer: name, Incarnation: x.lives[n], Generation: x.generation(n, tp), TP: tp, Offset: e.Offset,
		Record: RecordID(e.Record.ID), Step: step}
	if r := x.readFor(name, effect.Record, step); r != nil {
		effect.Begun = r.Step
	}
	x.h.Effects = append(x.h.Effects, effect)
}

func (x *extractor) outcome(b *record.RecordBatch, tp TopicPartition, o Outcome, base int64) {
	for k := range b.Records {
		sub := x.submission(&b.Records[k])
		if sub == nil {
			continue
		}
		sub.TP = tp
		o.Offset = -1
		if base >= 0 {
			o.Offset = base + int64(k)
		}
		sub.Outcome = o
	}
}

func (x *extractor) entry(b *record.RecordBatch, k, step int) Entry {
	r := &b.Records[k]
	if b.IsControl { // a marker is nobody's record
		return Entry{Offset: b.Offset(k), Epoch: b.PartitionLeaderEpoch, Control: true, Step: step}
	}
	return Entry{Offset: b.Offset(k), Epoch: b.PartitionLeaderEpoch, Submission: x.submissionID(r), Record: RecordID(r.ID), Step: step}
}

func (x *extractor) appended(told *event.LeaderAppended, key replicaKey, leader bool, step int) {
	b := told.Batch
	for k := range b.Records {
		e := x.entry(b, k, step)
		if !e.Control {
			x.h.Appends = append(x.h.Appends, Append{TP: key.tp, Broker: x.c.Directory.Broker(key.node), AsLeader: leader, Epoch: e.Epoch, Offset: e.Offset,
				Submission: e.Submission, Record: e.Record, Step: step})
		}
		x.positions[key] = append(x.positions[key], positioned{e.Offset, e, b})
		if at := (offsetKey{key.tp, e.Offset}); leader || x.written[at] == 0 {
			x.written[at] = step
		}
	}
	x.ends[key] = told.LogEndOffset
}

func (x *extractor) cut(key replicaKey, to int64, cause CutCause, step int) {
	if from := x.ends[key]; from > to {
		x.h.Cuts = append(x.h.Cuts, Cut{TP: key.tp, Broker: x.c.Directory.Broker(key.node), From: to, To: from, Cause: cause, Step: step})
	}
	x.ends[key] = to
	p := x.positions[key]
	for len(p) > 0 && p[len(p)-1].offset >= to {
		p = p[:len(p)-1]
	}
	x.positions[key] = p
}

func (x *extractor) log(tp TopicPartition) *Log {
	for i := range x.h.Logs {
		if x.h.Logs[i].TP == tp {
			return &x.h.Logs[i]
		}
	}
	x.h.Logs = append(x.h.Logs, Log{TP: tp})
	return &x.h.Logs[len(x.h.Logs)-1]
}

func (x *extractor) polled(n sim.NodeID, e *event.Polled, step int) {
	app, name := x.application(n)
	for _, c := range e.Records {
		tp := toTP(c.TP)
		held := handKey{name, RecordID(c.Record.ID)}
		x.handed[held] = append(x.handed[held], len(x.h.Reads))
		x.h.Reads = append(x.h.Reads, Read{Application: app, Consumer: name, Incarnation: x.lives[n], TP: tp, Offset: c.Offset,
			Record: RecordID(c.Record.ID), Isolation: x.isolation(n), Generation: x.generation(n, tp), Call: x.served[readKey{n, tp, c.Offset}], Step: step})
	}
}
