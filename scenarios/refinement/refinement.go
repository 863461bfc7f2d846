// Package refinement compares a run of the cluster with the bounded model of one partition's replication: every step of the run,
// seen through a mapping, must be an action of the model's generation, several, or none.
//
// The mapping is written down in docs/replication-spec.md. What of a run has no counterpart in the model is an Exception with
// a name, and is counted.
package refinement

import (
	"fmt"
	"slices"
	"strings"

	"kafkatrial/model"
	"kafkatrial/model/protocol"
	"kafkatrial/model/release"
	"kafkatrial/model/replicationspec"
	"kafkatrial/sim"
)

// Refinement watches one run.
type Refinement struct {
	Steps      int // steps looked at
	Actions    int // actions of the bounded model that they were
	Exceptions [numExceptions]int

	c          *model.Cluster
	generation replicationspec.Generation
	partitions []*partition
	seen       int

	handled []delivery   // the messages that the step under way has handled
	line    [][]delivery // by broker id less one: what it has received and not handled yet
}

// delivery is a message that a broker has received.
type delivery struct {
	peer int // which broker has sent it, by id less one; -1 if none
	sent int // the step in which it was sent
	at   int // the step in which it was received
	msg  sim.Message
}

// GenerationOf gives the generation of the bounded model that belongs to a set of rules.
func GenerationOf(r *release.Rules) replicationspec.Generation {
	switch {
	case !r.LeaderEpochTruncation:
		return replicationspec.TruncateToHW
	case r.FetchFencing:
		return replicationspec.KIP320
	case r.EpochInAnswer:
		return replicationspec.KIP279
	}
	return replicationspec.KIP101
}

// New begins to watch a cluster that has not taken a step yet. The error says that the model is too small for it.
func New(c *model.Cluster) (*Refinement, error) {
	if n := len(c.Directory.Brokers); n > replicationspec.MaxReplicas {
		return nil, fmt.Errorf("the bounded model has at most %d replicas; the cluster has %d brokers", replicationspec.MaxReplicas, n)
	}
	return &Refinement{c: c, generation: GenerationOf(c.Rules()), line: make([][]delivery, len(c.Directory.Brokers))}, nil
}

// Look takes the steps that the run has made since the last look. To see each state, look after every step. The error is an
// *Objection.
func (b *Refinement) Look() error {
	t := b.c.World.Trace()
	from := b.seen
	b.seen = len(t.Steps)
	if from == b.seen {
		return nil
	}
	b.Steps += b.seen - from
	for _, tp := range b.c.Partitions() {
		if b.partition(tp) == nil {
			p, err := newPartition(b, tp)
			if err != nil {
				return err
			}
			b.partitions = append(b.partitions, p)
		}
	}
	for i := from; i < b.seen; i++ {
		if s := &t.Steps[i]; s.Kind == sim.StepFault && slices.ContainsFunc(t.Steps[i+1:], func(x sim.Step) bool { return x.Node == s.Node }) {
			continue // the run mends and goes on at once: what the state has become is the next step's doing
		}
		b.handle(t, i)
		for _, p := range b.partitions {
			if err := p.step(t, i); err != nil {
				return err
			}
		}
	}
	return nil
}

// handle finds out which messages a step has handled: the one that it delivers, unless the broker waits for ZooKeeper; and, when
// that answers, those in line.
func (b *Refinement) handle(t *sim.Trace, i int) {
	b.handled = b.handled[:0]
	s := &t.Steps[i]
	id := b.c.Directory.Broker(s.Node)
	if id == protocol.NoBroker {
		return
	}
	line := &b.line[id-1]
	waiting := 0
	if br := b.c.Broker(id); br != nil {
		waiting = br.InLine()
	}
	if s.Kind == sim.StepStart || s.Kind == sim.StepFault && waiting == 0 {
		*line = nil
	}
	if s.Msg != nil && (s.Kind == sim.StepDeliver || s.Kind == sim.StepScript) {
		d := delivery{peer: b.c.Directory.Broker(s.Peer) - 1, sent: int(s.Cause), at: i, msg: s.Msg}
		if s.Peer == sim.Nobody || d.peer < 0 {
			d.peer = -1
		}
		if waiting == len(*line)+1 {
			*line = append(*line, d)
			return
		}
		b.handled = append(b.handled, d)
	}
	if n := len(*line) - waiting; n > 0 {
		b.handled = append(b.handled, (*line)[:n]...)
		*line = (*line)[n:]
	}
}

func (b *Refinement) partition(tp protocol.TopicPartition) *partition {
	for _, p := range b.partitions {
		if p.tp == tp {
			return p
		}
	}
	return nil
}

// Objection says that a step of the run is nothing that the bounded model does.
type Objection struct {
	Step      int // from 1, as shown to people
	Node      string
	Partition protocol.TopicPartition
	What      string   // what the run did
	Nearest   []string // the actions that come nearest, none of which is allowed or leads there
	Before    string   // the state before the step
	After     string   // the state that the actions so far have led to, or what the run has instead
}

// Error implements error.
func (o *Objection) Error() string {
	return fmt.Sprintf("step %d, %s, %v: %s\nnearest: %s\nbefore:\n%safter:\n%s", o.Step, o.Node, o.Partition, o.What,
		strings.Join(o.Nearest, "; "), o.Before, o.After)
}

func (p *partition) object(nearest []string, format string, args ...any) error {
	node := "the script"
	if s := &p.trace.Steps[p.now]; s.Node != sim.Nobody {
		node = p.b.c.World.Name(s.Node)
	}
	return &Objection{Step: p.now + 1, Node: node, Partition: p.tp, What: fmt.Sprintf(format, args...), Nearest: nearest,
		Before: p.before.Table(&p.before), After: p.s.Table(&p.before)}
}
