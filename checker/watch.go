package checker

import (
	"sort"

	"kafkatrial/model"
	"kafkatrial/model/fact"
	"kafkatrial/model/log"
	"kafkatrial/model/partition"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/model/zookeeper"
	"kafkatrial/sim"
)

// Watch checks the invariants of a running cluster after every step. It looks only at the partitions that a
// step's facts speak of, so that a run can be watched from beginning to end.
type Watch struct {
	c          *model.Cluster
	invariants *Invariants
	views      []*clusterView
	seen       int // steps that were looked at
	touched    []*clusterView
	breaches   []Breach // of groups, in the steps since the last look
}

// NewWatch begins to watch a cluster; every step so far counts as new.
func NewWatch(c *model.Cluster) *Watch {
	w := &Watch{c: c, invariants: NewInvariants()}
	for _, tp := range c.Partitions() {
		w.view(tp)
	}
	return w
}

// Look checks what the steps since the last look have touched, as it is now, and returns what is newly
// broken. To miss nothing, look after every step.
func (w *Watch) Look() []Breach {
	t := w.c.World.Trace()
	w.touched = w.touched[:0]
	for _, v := range w.views {
		v.cuts = v.cuts[:0]
	}
	for ; w.seen < len(t.Steps); w.seen++ {
		w.take(t, w.seen)
	}
	all := w.breaches
	w.breaches = nil
	for _, v := range w.touched {
		all = append(all, w.invariants.Check(w.seen, v)...)
	}
	return all
}

// take notes what a step may have changed. What happens to a disk shows in every partition of the broker.
func (w *Watch) take(t *sim.Trace, i int) {
	s := &t.Steps[i]
	if w.c.Directory.Broker(s.Node) != protocol.NoBroker &&
		(s.Kind == sim.StepStart || s.Kind == sim.StepFault && (s.Op == sim.OpPowerLoss || s.Op == sim.OpDiskLoss)) {
		for _, v := range w.views {
			w.touch(v)
			if s.Kind == sim.StepStart {
				v.restarted(w.c.Directory.Broker(s.Node))
			}
		}
	}
	facts := t.FactsOf(i)
	for k := range facts {
		if facts[k].Kind == fact.GroupRebalanced {
			w.takeOwners(&facts[k], i+1)
		}
		if facts[k].Subject == "" || facts[k].Part < 0 {
			continue
		}
		v := w.view(protocol.TopicPartition{Topic: facts[k].Subject, Partition: facts[k].Part})
		w.touch(v)
		v.take(&facts[k])
	}
}

// takeOwners looks at who has which partition in a group's new generation.
func (w *Watch) takeOwners(f *sim.Fact, step int) {
	members, _ := f.Ref.([]protocol.GroupMember)
	for _, m := range members {
		for _, tp := range m.Assignment {
			w.breaches = append(w.breaches, w.invariants.CheckOwner(step, Ownership{Group: f.Text, TP: toTP(tp), Generation: int(f.A), Member: m.ClientID})...)
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
	v := &clusterView{c: w.c, tp: tp, epoch: -1, path: zookeeper.PartitionStatePath(tp), dir: tp.String()}
	w.views = append(w.views, v)
	return v
}

// clusterView shows the invariants one partition of a cluster.
type clusterView struct {
	c         *model.Cluster
	tp        protocol.TopicPartition
	path, dir string
	// What the controller said last; kept while there is no controller to ask.
	leader, epoch int
	isr           []int
	cuts          []cutTo // of the steps since the last look
	replicas      []ReplicaView
}

type cutTo struct {
	broker int
	to     int64
}

// TopicPartition implements PartitionView.
func (v *clusterView) TopicPartition() TopicPartition { return toTP(v.tp) }

// Controller implements PartitionView: with ZooKeeper, what ZooKeeper holds, since leaders write there too.
func (v *clusterView) Controller() (leader, epoch int, isr []int) {
	if n := v.c.Directory.ZooKeeper; n != sim.Nobody {
		if z, ok := v.c.World.Node(n).(*zookeeper.Server); ok {
			if data, _, ok := z.Get(v.path); ok {
				s := data.(zookeeper.PartitionZNode)
				v.leader, v.epoch, v.isr = s.Leader, s.LeaderEpoch, s.ISR
			}
		}
	} else if s, ok := v.c.State(v.tp); ok {
		v.leader, v.epoch, v.isr = s.Leader, s.LeaderEpoch, s.ISR
	}
	return max(v.leader, 0), v.epoch, v.isr
}

// Replicas implements PartitionView. A replica that no process serves has its file for a log, and no high
// watermark that anybody could act on.
func (v *clusterView) Replicas() []ReplicaView {
	v.replicas = v.replicas[:0]
	for i := range v.c.Directory.Brokers {
		id := i + 1
		r := ReplicaView{Broker: id, LeaderEpoch: -1, ReaderEnd: -1, CutTo: v.cut(id)}
		if p := v.served(id); p != nil {
			l := p.Log()
			r.Role, r.LeaderEpoch = Follower, p.LeaderEpoch()
			r.LogStart, r.LSO, r.HW, r.LEO = l.LogStartOffset(), l.LastStableOffset(), l.HighWatermark(), l.LogEndOffset()
			if p.IsLeader() {
				r.Role = Leader
				if end, err := p.EndOffset(log.FetchHighWatermark, partition.NoEpoch, true); err == protocol.None {
					r.ReaderEnd = end
				}
			}
		} else if blocks := v.blocks(id); len(blocks) > 0 {
			r.LogStart = blocks[0].(*record.Batch).BaseOffset
			r.LSO, r.HW = r.LogStart, r.LogStart
			r.LEO = blocks[len(blocks)-1].(*record.Batch).NextOffset()
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

// EntryAt implements PartitionView.
func (v *clusterView) EntryAt(id int, offset int64) (epoch int, hash uint64, ok bool) {
	blocks := v.blocks(id)
	i := sort.Search(len(blocks), func(i int) bool { return blocks[i].(*record.Batch).LastOffset() >= offset })
	if i == len(blocks) {
		return 0, 0, false
	}
	b := blocks[i].(*record.Batch)
	for k := range b.Records {
		if b.Offset(k) == offset {
			return b.PartitionLeaderEpoch, uint64(uint32(b.Records[k].Producer))<<32 | uint64(uint32(b.Records[k].Submission)), true
		}
	}
	return 0, 0, false
}

// take notes a cut.
func (v *clusterView) take(f *sim.Fact) {
	if f.Kind == fact.Truncated || f.Kind == fact.Recovered {
		v.cuts = append(v.cuts, cutTo{v.c.Directory.Broker(f.Node), f.A})
	}
}

// restarted: the process before may have been cut short in ways no fact tells of, as by a power loss.
func (v *clusterView) restarted(id int) {
	end := int64(0)
	if blocks := v.blocks(id); len(blocks) > 0 {
		end = blocks[len(blocks)-1].(*record.Batch).NextOffset()
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
