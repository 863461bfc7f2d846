// Package projection folds the events of a run into its state: what each replica has, who leads, what a coordinator has recorded of
// transactions. It knows nothing but events and what a step did to processes; a test compares it with the live processes after each
// step of every scenario.
package projection

import (
	"slices"

	"kafkatrial/model"

	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// Replica is one broker's copy of a partition, as the events of the run tell it.
type Replica struct {
	Broker        protocol.BrokerID
	Up            bool // the process runs
	Leads         bool
	Follows       protocol.BrokerID // whom it follows, NoBroker if nobody
	LeaderEpoch   int
	LogStart      int64
	HighWatermark int64
	LogEnd        int64
	Records       []Held // from LogStart on, in offset order
}

// Held is a record in a log.
type Held struct {
	Offset  int64
	ID      string
	Control bool
	// Producer is the producer id of its batch, record.NoProducerID of a batch without one.
	Producer int64
	// Transactional says that its batch is part of a transaction, or ends one.
	Transactional bool
}

// LastStableOffset is up to where a read_committed consumer may read: the first offset of a transaction that is open, or whose
// marker is not below the high watermark yet, and else the high watermark.
//
// Kafka: ProducerStateManager.firstUnstableOffset, UnifiedLog.fetchLastStableOffsetMetadata.
func (r *Replica) LastStableOffset() int64 {
	first := map[int64]int64{} // by producer id: where the transaction that is open begins
	stable := r.HighWatermark
	for i := range r.Records {
		h := &r.Records[i]
		if !h.Transactional {
			continue
		}
		from, open := first[h.Producer]
		switch {
		case !h.Control && !open:
			first[h.Producer] = h.Offset
		case h.Control:
			delete(first, h.Producer)
			if open && h.Offset >= r.HighWatermark {
				stable = min(stable, from)
			}
		}
	}
	// order does not matter: the smallest counts
	for _, from := range first {
		stable = min(stable, from)
	}
	return stable
}

// Partition is a partition with all its replicas.
type Partition struct {
	TP          protocol.TopicPartition
	Leader      protocol.BrokerID // as the controller decided last; NoBroker if there is none
	LeaderEpoch int
	ISR         []protocol.BrokerID // as the controller decided last; not to be changed
	Replicas    []Replica
}

// Replica finds the copy on a broker, nil if it has none.
func (p *Partition) Replica(id protocol.BrokerID) *Replica {
	for i := range p.Replicas {
		if p.Replicas[i].Broker == id {
			return &p.Replicas[i]
		}
	}
	return nil
}

// State is the state of every partition after a step. It is computed from the events of the trace alone.
type State struct {
	Partitions []Partition
	dir        *protocol.Directory
	up         []bool // by node

	transactions []coordinated
}

// New is the state before the first step.
func New(c *model.Cluster) *State {
	s := &State{dir: &c.Directory, up: make([]bool, len(c.Nodes()))}
	for _, t := range c.Spec.Topics {
		for i, ids := range t.Replicas {
			p := s.partition(protocol.TopicPartition{Topic: t.Name, Partition: int32(i)})
			sorted := slices.Clone(ids)
			slices.Sort(sorted)
			for _, id := range sorted {
				s.replica(p, id)
			}
			p.Leader, p.ISR = ids[0], ids
		}
	}
	return s
}

// Partition finds a partition, nil if there is none.
func (s *State) Partition(tp protocol.TopicPartition) *Partition {
	for i := range s.Partitions {
		if s.Partitions[i].TP == tp {
			return &s.Partitions[i]
		}
	}
	return nil
}

func (s *State) partition(tp protocol.TopicPartition) *Partition {
	if p := s.Partition(tp); p != nil {
		return p
	}
	s.Partitions = append(s.Partitions, Partition{TP: tp})
	return &s.Partitions[len(s.Partitions)-1]
}

// replica finds or makes a copy, keeping brokers in order.
func (s *State) replica(p *Partition, id protocol.BrokerID) *Replica {
	at := 0
	for at < len(p.Replicas) && p.Replicas[at].Broker < id {
		at++
	}
	if at == len(p.Replicas) || p.Replicas[at].Broker != id {
		p.Replicas = slices.Insert(p.Replicas, at, Replica{Broker: id})
	}
	return &p.Replicas[at]
}

// Up says whether a process runs on the node.
func (s *State) Up(n sim.NodeID) bool { return n >= 0 && s.up[n] }

// Step takes over what a step did to processes. Its events come after it.
func (s *State) Step(st *sim.Step) {
	switch {
	case st.Kind == sim.StepStart:
		s.setUp(st.Node, true)
	case st.Kind == sim.StepFault && (st.Op == sim.OpKill || st.Op == sim.OpPowerLoss || st.Op == sim.OpDiskLoss):
		s.setUp(st.Node, false)
	}
	if st.Kind == sim.StepFault && st.Op == sim.OpDiskLoss {
		s.each(st.Node, func(r *Replica) { *r = Replica{Broker: r.Broker} })
	}
}

func (s *State) setUp(n sim.NodeID, up bool) {
	if n < 0 {
		return
	}
	s.up[n] = up
	s.each(n, func(r *Replica) { r.Up, r.Leads, r.Follows = up, false, protocol.NoBroker })
}

func (s *State) each(n sim.NodeID, do func(*Replica)) {
	id := s.dir.Broker(n)
	if id == protocol.NoBroker {
		return
	}
	for i := range s.Partitions {
		if r := s.Partitions[i].Replica(id); r != nil {
			do(r)
		}
	}
}

// Event takes over what an event says.
func (s *State) Event(told *sim.Recorded) {
	s.transaction(told.Event)
	switch e := told.Event.(type) {
	case *event.ShutdownDone:
		s.setUp(told.Node, false)
	case *event.ShutdownBegan:
		if e.Halts {
			s.setUp(told.Node, false)
		}
	case *event.LeaderElected:
		p := s.partition(e.TP)
		p.Leader, p.LeaderEpoch, p.ISR = e.Leader, int(e.LeaderEpoch), e.ISR
	case *event.PartitionOffline:
		p := s.partition(e.TP)
		p.Leader, p.LeaderEpoch, p.ISR = protocol.NoBroker, int(e.LeaderEpoch), e.ISR
	case *event.ISRChanged:
		s.partition(e.TP).ISR = e.ISR
	case *event.LeaderAppended, *event.FollowerAppended, *event.Truncated, *event.HighWatermark, *event.LogStart, *event.BecameLeader,
		*event.BecameFollower, *event.Recovered:
		if id := s.dir.Broker(told.Node); id != protocol.NoBroker {
			r := s.replica(s.partition(event.Partition(e)), id)
			r.Up = s.up[told.Node]
			r.take(e)
		}
	}
}

func (r *Replica) take(e sim.Event) {
	switch e := e.(type) {
	case *event.LeaderAppended:
		r.append(e.Batch, e.LogEndOffset)
	case *event.FollowerAppended:
		r.append(e.Batch, e.LogEndOffset)
	case *event.Truncated:
		r.cut(e.NewEnd)
		if e.NewEnd > e.OldEnd { // fully, to begin anew where the leader's log begins
			r.LogStart, r.HighWatermark = e.NewEnd, e.NewEnd
		}
	case *event.HighWatermark:
		r.HighWatermark = e.To
	case *event.LogStart:
		r.LogStart = e.To
		for len(r.Records) > 0 && r.Records[0].Offset < e.To {
			r.Records = r.Records[1:]
		}
		r.LogEnd = max(r.LogEnd, e.To)
		r.HighWatermark = max(r.HighWatermark, e.To)
	case *event.BecameLeader:
		r.Leads, r.Follows, r.LeaderEpoch, r.HighWatermark = true, protocol.NoBroker, int(e.LeaderEpoch), e.HighWatermark
	case *event.BecameFollower:
		r.Leads, r.Follows, r.LeaderEpoch, r.HighWatermark = false, e.Leader, int(e.LeaderEpoch), e.HighWatermark
	case *event.Recovered:
		r.cut(e.LogEndOffset)
		r.HighWatermark = e.HighWatermark
	}
}

func (r *Replica) append(b *record.RecordBatch, end int64) {
	if b.BaseOffset > r.LogEnd && len(r.Records) == 0 {
		r.LogStart = b.BaseOffset
	}
	for i := range b.Records {
		r.Records = append(r.Records, Held{b.Offset(i), RecordName(b, i), b.IsControl, b.ProducerID, b.IsTransactional})
	}
	r.LogEnd = end
}

func (r *Replica) cut(end int64) {
	n := len(r.Records)
	for n > 0 && r.Records[n-1].Offset >= end {
		n--
	}
	r.Records = r.Records[:n:n]
	r.LogEnd = end
}

// RecordName is what people call a record of a batch: "·" for one without a name, as a marker or a position.
func RecordName(b *record.RecordBatch, i int) string {
	if b.Records[i].ID == "" {
		return "·"
	}
	return b.Records[i].ID
}
