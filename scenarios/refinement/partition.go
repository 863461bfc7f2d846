package refinement

import (
	"slices"

	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/model/replicationspec"
	"kafkatrial/model/zookeeper"
	"kafkatrial/sim"
)

// partition is one partition of the run as the bounded model sees it.
type partition struct {
	b    *Refinement
	tp   protocol.TopicPartition
	path string

	s      replicationspec.Unbounded // the state of the bounded model
	before replicationspec.Unbounded // the one before the step under way
	past   []moment                  // where it changed, in order of the steps

	epochs   []int           // by leader epoch of the run: the model's; noEpoch if it was never announced
	isrs     map[int][]isrAt // by leader epoch of the run: the ISRs there were in it
	ids      map[cell]int    // which record of the model a record of the run is
	quorum   protocol.PartitionState
	replicas []replica // by broker id less one

	trace *sim.Trace
	now   int // the step under way
}

// moment is the model's state after a step.
type moment struct {
	step int
	s    replicationspec.Unbounded
}

type isrAt struct {
	step int
	isr  []int
}

const noEpoch = -1

// cell identifies a record of the run: a batch is written once, and is shared by all that copy it.
type cell struct {
	batch *record.RecordBatch
	delta int64
}

// replica is what the refinement remembers of a broker.
type replica struct {
	incarnation int
	hosted      bool // the process has the partition
	struck      bool // its power or its disk has failed since
	// What the process believes, as last seen. It is ahead of the model's state while the replica is pending.
	leader, epoch int
	// pending: it has taken over an epoch in which it follows, and has not yet found out where to truncate.
	pending bool
	// start is where the log ended when the replica became leader of its epoch.
	start   int
	counted [replicationspec.MaxReplicas]counted // what a leader goes by, for each follower
	// The ISR change that it proposed last.
	proposed    []int
	proposedAt  int
	proposedFor int // leader epoch
	countedThen [replicationspec.MaxReplicas]counted
}

// counted is the fetch by which a leader counts a follower.
type counted struct {
	sent  int // the step in which it was sent; -1: there is none
	epoch int // the leader epoch of the run in which the leader served it
}

func newPartition(b *Refinement, tp protocol.TopicPartition) (*partition, error) {
	p := &partition{b: b, tp: tp, path: zookeeper.PartitionStatePath(tp), ids: map[cell]int{}, isrs: map[int][]isrAt{}}
	p.quorum.LeaderEpoch = noEpoch
	for range b.c.Directory.Brokers {
		r := replica{leader: noEpoch, epoch: noEpoch}
		r.forget()
		p.replicas = append(p.replicas, r)
	}
	return p, nil
}

func (r *replica) forget() {
	for i := range r.counted {
		r.counted[i] = counted{-1, noEpoch}
	}
}

// step takes one step of the run.
func (p *partition) step(t *sim.Trace, i int) error {
	p.trace, p.now = t, i
	if err := p.stepQuorum(); err != nil {
		return err
	}
	if p.quorum.Replicas == nil {
		return nil // not created yet
	}
	p.before = p.s
	if id := p.b.c.Directory.Broker(t.Steps[i].Node); id != protocol.NoBroker {
		if err := p.stepBroker(id); err != nil {
			return err
		}
	}
	p.past = append(p.past, moment{i, p.s})
	return nil
}

// at is the model's state after an earlier step.
func (p *partition) at(step int) *replicationspec.Unbounded {
	i, found := slices.BinarySearchFunc(p.past, step, func(m moment, step int) int { return m.step - step })
	if !found {
		i--
	}
	if i < 0 {
		return &p.s
	}
	return &p.past[i].s
}

// did counts an action.
func (p *partition) did(ok bool) bool {
	if ok {
		p.b.Actions++
	}
	return ok
}

func (p *partition) except(e Exception) { p.b.Exceptions[e]++ }

// epochOf gives the model's epoch for one of the run's.
func (p *partition) epochOf(epoch int) int {
	if epoch < 0 || epoch >= len(p.epochs) {
		return noEpoch
	}
	return p.epochs[epoch]
}

func (p *partition) name(replica int) string { return protocol.BrokerName(replica + 1) }

// first finds the step's first event of a kind about this partition, nil if there is none.
func first[E interface {
	comparable
	sim.Event
	Partition() protocol.TopicPartition
}](p *partition) (none E) {
	for _, told := range p.trace.EventsOf(p.now) {
		if e, ok := told.Event.(E); ok && e.Partition() == p.tp {
			return e
		}
	}
	return none
}
