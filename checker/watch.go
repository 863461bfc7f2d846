package checker

import (
	"slices"
	"sort"
	"strings"

	"kafkatrial/model"
	"kafkatrial/model/event"
	"kafkatrial/model/log"
	"kafkatrial/model/partition"
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/model/transactioncoordinator"
	"kafkatrial/model/zookeeper"
	"kafkatrial/sim"
)

// Watch checks the invariants of a running cluster after every step. It looks only at the partitions that a
// step's events speak of, so that a run can be watched from beginning to end.
type Watch struct {
	c          *model.Cluster
	invariants *Invariants
	views      []*clusterView
	seen       int // steps that were looked at
	touched    []*clusterView
	breaches   []Breach // of what happens once, in the steps since the last look
	answers    []answer // those to acks=all, in the steps since the last look
}

// answer is one that is to be held against the copies.
type answer struct {
	v *clusterView
	a Answer
}

// NewWatch begins to watch a cluster; every step so far counts as new.
func NewWatch(c *model.Cluster) *Watch {
	w := &Watch{c: c, invariants: NewInvariants()}
	rules := c.Rules()
	for _, has := range []struct {
		rule bool
		lack Circumstance
	}{
		{rules.LeaderEpochTruncation, BeforeKIP101}, {rules.EpochInAnswer, BeforeKIP279}, {rules.FetchFencing, BeforeKIP320}, {rules.JoinPastEpochStart, BeforeKAFKA7128},
		{rules.TransactionVerification && c.Spec.Config.Bool("transaction.partition.verification.enable"), NotVerified}, {rules.MarkerVersion, BeforeKIP1228}, {!rules.TruncateOnFetch || rules.DivergingNotCounted, DivergenceCounted},
		{rules.OffsetNotAvailable, BeforeKIP207}, {rules.AlterPartition, BeforeKIP497},
	} {
		if !has.rule {
			w.invariants.Note(has.lack)
		}
	}
	for _, tp := range c.Partitions() {
		w.view(tp)
	}
	return w
}

// Look checks what the steps since the last look have touched, as it is now, and returns what is newly
// broken. To miss nothing, look after every step.
func (w *Watch) Look() []Breach {
	t := w.c.World.Trace()
	w.touched, w.answers = w.touched[:0], w.answers[:0]
	for _, v := range w.views {
		v.cuts = v.cuts[:0]
	}
	for ; w.seen < len(t.Steps); w.seen++ {
		w.take(t, w.seen)
	}
	for _, v := range w.views {
		if v.said.Epoch < 0 { // that a topic is there, no event tells
			if v.ask(); v.said.Epoch >= 0 {
				w.touch(v)
			}
		}
	}
	all := w.breaches
	w.breaches = nil
	for _, v := range w.touched {
		all = append(all, w.invariants.Check(w.seen, v)...)
	}
	for i := range w.answers {
		all = append(all, w.invariants.CheckAnswer(w.seen, w.answers[i].v, w.answers[i].a)...)
	}
	return all
}

// take notes what a step may have changed. What happens to a disk shows in every partition of the broker.
func (w *Watch) take(t *sim.Trace, i int) {
	s := &t.Steps[i]
	lost := s.Kind == sim.StepFault && (s.Op == sim.OpPowerLoss || s.Op == sim.OpDiskLoss)
	if (s.Kind == sim.StepStart || lost) && w.c.Directory.Broker(s.Node) != protocol.NoBroker {
		if lost && s.Op == sim.OpPowerLoss {
			w.invariants.Note(PowerWasLost)
		} else if lost {
			w.invariants.Note(DiskWasLost)
		}
		for _, v := range w.views {
			w.touch(v)
			if s.Kind == sim.StepStart {
				v.restarted(w.c.Directory.Broker(s.Node))
			}
		}
	}
	events := t.EventsOf(i)
	for k := range events {
		w.once(&events[k], i+1)
		tp := event.Partition(events[k].Event)
		if tp.Topic == "" || tp.Partition < 0 {
			continue
		}
		v := w.view(tp)
		w.touch(v)
		v.take(&events[k])
		w.about(v, &events[k], i+1)
	}
}

// once looks at what is about no partition.
func (w *Watch) once(r *sim.Recorded, step int) {
	switch e := r.Event.(type) {
	case *event.ConfigChanged:
		if strings.HasPrefix(e.Setting, "min.insync.replicas=") {
			w.invariants.Note(MinISRChanged)
		}
		w.touchTopic(e.Topic)
	case *event.TopicChanged:
		w.touchTopic(e.Topic)
	case *event.GroupRebalanced:
		w.takeOwners(e, step)
	case *event.ControllerElected:
		w.breaches = append(w.breaches, w.invariants.CheckController(step, w.c.World.Name(r.Node), int(e.ControllerEpoch))...)
	case *event.TransactionState:
		w.takeTransition(r.Node, e, step)
	}
}

// touchTopic looks again at what a change of the topic may concern; what is new of it tells of itself.
func (w *Watch) touchTopic(topic string) {
	if topic != "" {
		w.touch(w.view(protocol.TopicPartition{Topic: topic}))
	}
}

// about looks at what an event says of a partition.
func (w *Watch) about(v *clusterView, r *sim.Recorded, step int) {
	tp := toTP(v.tp)
	switch e := r.Event.(type) {
	case *event.LeaderElected:
		if e.Unclean && v.uncleanAllowed() {
			w.invariants.NoteAt(tp, UncleanElection)
		}
		w.breaches = append(w.breaches, w.invariants.Given(step, tp, e.Leader, int(e.LeaderEpoch))...)
	case *event.BecameLeader:
		w.ledBefore(v, r.Node, int(e.LeaderEpoch))
	case *event.ProducerStateForgotten:
		w.invariants.Forgotten(tp, e.ProducerID)
	case *event.LeaderAppended:
		if v.tp.Topic == transactioncoordinator.TopicName {
			w.takePrepared(e.Batch)
		}
	case *event.MarkerWritten:
		b := e.Batch
		w.breaches = append(w.breaches, w.invariants.CheckMarker(step, Marker{TP: tp, Offset: e.Offset, Producer: b.ProducerID, Epoch: int(b.ProducerEpoch), Abort: b.Marker.Abort, Ends: e.FirstOffset >= 0})...)
	case *event.PositionReset:
		if e.Source == event.FromSeek {
			w.invariants.NoteAt(tp, PositionByHand)
		}
	case *event.TxnOffsetsSent:
		if slices.Contains(w.c.Producers(), r.Node) { // a producer that consumes nothing: the script names the position
			w.invariants.NoteAt(tp, PositionByHand)
		}
	case *event.OffsetsCommitted:
		if !w.consumes(e.Group) {
			w.invariants.NoteAt(tp, PositionByHand)
		}
		w.breaches = append(w.breaches, w.invariants.CheckPosition(step, Position{Group: e.Group, TP: tp, Offset: e.Offset})...)
	case *event.ProduceAnswered:
		id := w.c.Directory.Broker(r.Node)
		if p := v.served(id); p != nil && e.Acks == protocol.AcksAll {
			w.answers = append(w.answers, answer{v, Answer{Leader: id, First: e.BaseOffset, Min: p.EffectiveMinISR()}})
		}
	}
}

// consumes says that a consumer of the run has the group: else its positions are the script's.
func (w *Watch) consumes(group string) bool {
	return slices.ContainsFunc(w.c.Spec.Consumers, func(k model.ConsumerSpec) bool { return k.Config.Text("group.id") == group })
}

// ledBefore looks for a leader that is elected again and knows nothing of a term in between.
func (w *Watch) ledBefore(v *clusterView, n sim.NodeID, epoch int) {
	rules := w.c.Rules()
	id, life := w.c.Directory.Broker(n), w.c.World.Incarnation(n)
	was := v.term(id)
	if was.life == life && was.leads && epoch > was.epoch+1 && !rules.ForgetOnSkippedEpoch && !rules.ForgetOnEveryEpoch && !rules.EpochWithLogEnd {
		w.invariants.NoteAt(toTP(v.tp), SkippedEpoch)
	}
	*was = leading{life: life, epoch: epoch, leads: true}
}

// takePrepared notes the ends of transactions that a batch of the coordinator's log prepares.
func (w *Watch) takePrepared(b *record.RecordBatch) {
	for i := range b.Records {
		if !strings.HasPrefix(b.Records[i].Value, "Prepare") {
			continue
		}
		if m, ok := transactioncoordinator.ReadState(&b.Records[i]); ok {
			w.invariants.Prepared(m.ProducerID, int(m.ProducerEpoch), m.State == transactioncoordinator.PrepareAbort)
		}
	}
}

// takeTransition looks at a change of state that a coordinator has carried out.
func (w *Watch) takeTransition(n sim.NodeID, e *event.TransactionState, step int) {
	b := w.c.Broker(w.c.Directory.Broker(n))
	if b == nil {
		return
	}
	t := Transition{TransactionalID: e.TransactionalID, Producer: -1, Epoch: int(e.ProducerEpoch), From: e.From.String(), To: e.To.String(),
		V2: w.c.Rules().TransactionV2}
	k := b.TransactionCoordinator()
	for _, m := range k.Transactions(k.PartitionFor(e.TransactionalID).Partition) {
		if m.TransactionalID == e.TransactionalID {
			t.Producer = m.ProducerID
		}
	}
	w.breaches = append(w.breaches, w.invariants.CheckTransition(step, t)...)
}

// takeOwners looks at who has which partition in a group's new generation.
func (w *Watch) takeOwners(e *event.GroupRebalanced, step int) {
	for _, m := range e.Members {
		for _, tp := range m.Assignment {
			w.breaches = append(w.breaches, w.invariants.CheckOwner(step, Ownership{Group: e.Group, TP: toTP(tp), Generation: int(e.Generation), Member: m.ClientID})...)
		}
	}
}

func (w *Watch) touch(v *clusterView) {
	for _, t := range w.touched {
		if t == v {
			return
		}
	}
	w.touched = append(w.touched, v)
}

func (w *Watch) view(tp protocol.TopicPartition) *clusterView {
	for _, v := range w.views {
		if v.tp == tp {
			return v
		}
	}
	v := &clusterView{c: w.c, tp: tp, said: ControllerView{Epoch: -1, PartitionEpoch: -1}, path: zookeeper.PartitionStatePath(tp), topicPath: zookeeper.TopicsPath + "/" + tp.Topic, dir: tp.String()}
	w.views = append(w.views, v)
	return v
}

// clusterView shows the invariants one partition of a cluster.
type clusterView struct {
	c                    *model.Cluster
	tp                   protocol.TopicPartition
	path, topicPath, dir string
	said                 ControllerView // what the controller said last; kept while there is no controller to ask
	cuts                 []cutTo        // of the steps since the last look
	replicas             []ReplicaView
	terms                []leading // by broker
	// The batch that was looked at last, and its hash: the same one is looked at in all logs, one after another.
	batch *record.RecordBatch
	hash  uint64
}

type cutTo struct {
	broker int
	to     int64
}

// leading is when a broker last became the leader.
type leading struct {
	life, epoch int
	leads       bool
	proposed    bool // a change of the ISR is under way, as far as events tell
}

func (v *clusterView) term(id int) *leading {
	for len(v.terms) <= id {
		v.terms = append(v.terms, leading{})
	}
	return &v.terms[id]
}

// TopicPartition implements PartitionView.
func (v *clusterView) TopicPartition() TopicPartition { return toTP(v.tp) }

// Controller implements PartitionView: with ZooKeeper, what ZooKeeper holds, since leaders write there too.
func (v *clusterView) Controller() *ControllerView {
	s := &v.said
	epoch, isr, elr := s.Epoch, s.ISR, s.ELR
	v.ask()
	if s.Epoch > epoch && epoch >= 0 && s.Leader != 0 && !slices.Contains(isr, s.Leader) && !slices.Contains(elr, s.Leader) {
		s.Unclean = s.Unclean || v.uncleanAllowed()
	}
	return s
}

// uncleanAllowed says that an unclean election is one that a setting or an operator allows: with a guard off it need not be.
func (v *clusterView) uncleanAllowed() bool {
	off := &v.c.Spec.Planted
	return off.On(planted.CleanElection) && off.On(planted.LastISRMemberKept)
}

// ask brings up to date what the controller says.
func (v *clusterView) ask() {
	if n := v.c.Directory.ZooKeeper; n != sim.Nobody {
		if z, ok := v.c.World.Node(n).(*zookeeper.Server); ok {
			if data, version, ok := z.Get(v.path); ok {
				s := data.(zookeeper.PartitionZNode)
				v.said.Leader, v.said.Epoch, v.said.ISR, v.said.PartitionEpoch = max(s.Leader, 0), s.LeaderEpoch, s.ISR, int(version)
			}
			if data, _, ok := z.Get(v.topicPath); ok {
				if all := data.(zookeeper.TopicZNode).Replicas; int(v.tp.Partition) < len(all) {
					v.said.Replicas = all[v.tp.Partition]
				}
			}
		}
	} else if s, known := v.c.State(v.tp); known {
		v.said.Replicas = s.Replicas
		v.said.Leader, v.said.Epoch, v.said.ISR, v.said.ELR, v.said.PartitionEpoch = max(s.Leader, 0), s.LeaderEpoch, s.ISR, s.ELR, s.PartitionEpoch
	}
}

// Replicas implements PartitionView. A replica that no process serves has its file for a log, and no high
// watermark that anybody could act on.
func (v *clusterView) Replicas() []ReplicaView {
	v.replicas = v.replicas[:0]
	for i := range v.c.Directory.Brokers {
		id := i + 1
		r := ReplicaView{Broker: id, LeaderEpoch: -1, ReaderEnd: -1, ReaderLSO: -1, CutTo: v.cut(id)}
		if p := v.served(id); p != nil {
			l := p.Log()
			r.Life = v.c.World.Incarnation(v.c.Directory.Node(id))
			r.Role, r.LeaderEpoch = Follower, p.LeaderEpoch()
			r.LogStart, r.LSO, r.HW, r.LEO = l.LogStartOffset(), l.LastStableOffset(), l.HighWatermark(), l.LogEndOffset()
			if p.IsLeader() {
				r.Role, r.MaximalISR = Leader, p.MaximalISR()
				r.Forgot = v.term(id).proposed && p.Pending() == nil
				if end, err := p.EndOffset(log.FetchHighWatermark, partition.NoEpoch, true); err == protocol.None {
					r.ReaderEnd, r.ReaderLSO = end, r.LSO
				}
			}
		} else if blocks := v.blocks(id); len(blocks) > 0 {
			r.LogStart = blocks[0].(*record.RecordBatch).BaseOffset
			r.LSO, r.HW = r.LogStart, r.LogStart
			r.LEO = blocks[len(blocks)-1].(*record.RecordBatch).NextOffset()
		} else if _, placed := v.file(id); !placed {
			continue
		}
		v.replicas = append(v.replicas, r)
	}
	return v.replicas
}

func (v *clusterView) served(id int) *partition.Partition {
	if b := v.c.Broker(id); b != nil {
		return b.Replica(v.tp)
	}
	return nil
}

func (v *clusterView) file(id int) (*sim.File, bool) {
	d := v.c.World.Disk(v.c.Directory.Node(id))
	names := d.Names()
	if i := sort.SearchStrings(names, v.dir); i < len(names) && names[i] == v.dir {
		return d.File(v.dir), true
	}
	return nil, false
}

func (v *clusterView) blocks(id int) []sim.Block {
	if f, ok := v.file(id); ok {
		return f.Blocks()
	}
	return nil
}

// BatchAt implements PartitionView.
func (v *clusterView) BatchAt(id int, offset int64) (BatchView, bool) {
	blocks := v.blocks(id)
	i := len(blocks) - 1
	if i < 0 || blocks[i].(*record.RecordBatch).NextOffset() <= offset {
		return BatchView{}, false
	}
	if i > 0 && blocks[i-1].(*record.RecordBatch).NextOffset() > offset { // mostly it is the last
		i = sort.Search(i, func(i int) bool { return blocks[i].(*record.RecordBatch).NextOffset() > offset })
	}
	b := blocks[i].(*record.RecordBatch)
	if b != v.batch {
		v.batch, v.hash = b, contents(b)
	}
	return BatchView{First: b.BaseOffset, Next: b.NextOffset(), Epoch: b.PartitionLeaderEpoch, Hash: v.hash, Producer: b.ProducerID, ProducerEpoch: int(b.ProducerEpoch),
		FirstSequence: b.BaseSequence, LastSequence: b.LastSequence(), Transactional: b.IsTransactional, Control: b.IsControl, Abort: b.Marker.Abort,
		CoordinatorEpoch: int(b.Marker.CoordinatorEpoch)}, true
}

// contents tells batches apart: by the sends that made their records, and those that no application has sent, in
// internal topics and of markers, by what they say.
func contents(b *record.RecordBatch) uint64 {
	h := uint64(b.ProducerID)*0x9E3779B97F4A7C15 ^ uint64(uint16(b.ProducerEpoch))<<32 ^ uint64(uint32(b.BaseSequence))
	mix := func(x uint64) { h = (h ^ x ^ h>>29) * 0xD6E8FEB86659FD93 }
	for i := range b.Records {
		r := &b.Records[i]
		mix(uint64(uint32(r.Producer))<<32 | uint64(uint32(r.Submission)))
		mix(uint64(b.Offset(i)))
		if r.Submission == 0 {
			for _, s := range [...]string{r.Key, r.Value} {
				for k := range len(s) {
					mix(uint64(s[k]))
				}
				mix(uint64(len(s)))
			}
		}
	}
	return h
}

// take notes a cut, and the end of a term.
func (v *clusterView) take(r *sim.Recorded) {
	id := v.c.Directory.Broker(r.Node)
	switch e := r.Event.(type) {
	case *event.Truncated:
		v.cuts = append(v.cuts, cutTo{id, e.NewEnd})
	case *event.Recovered:
		v.cuts = append(v.cuts, cutTo{id, e.LogEndOffset})
	case *event.BecameFollower:
		*v.term(id) = leading{}
	case *event.ISRProposed:
		v.term(id).proposed = true
	case *event.ISRCommitted, *event.ISRRefused:
		v.term(id).proposed = false
	}
}

// restarted: the process before may have been cut short in ways no event tells of, as by a power loss.
func (v *clusterView) restarted(id int) {
	end := int64(0)
	if blocks := v.blocks(id); len(blocks) > 0 {
		end = blocks[len(blocks)-1].(*record.RecordBatch).NextOffset()
	}
	v.cuts = append(v.cuts, cutTo{id, end})
}

func (v *clusterView) cut(id int) int64 {
	lowest := int64(-1)
	for _, c := range v.cuts {
		if c.broker == id && (lowest < 0 || c.to < lowest) {
			lowest = c.to
		}
	}
	return lowest
}
