package explore

import (
	"fmt"
	"sync"
)

// search is one run. It works level by level, and inside a level block by block. A block takes three phases:
//
//  1. expand: every worker takes a contiguous piece of the block, generates the steps of its states, and sorts the states it
//     reached into buckets by the shard of their fingerprint;
//  2. remember: every worker takes some of the shards, and goes through the buckets of these shards in the order of the
//     pieces. What the shard has not seen is kept and checked, the rest is dropped;
//  3. number: the kept states are numbered and queued, shard after shard.
//
// No phase writes to what another worker reads, so there is no lock. A shard meets the states in the order of the block,
// whatever the number of pieces; hence the numbering, the parents and the first violation are the same for any number of workers.
type search[S comparable, A any] struct {
	model   Model[S, A]
	options Options
	workers []*worker[S, A]
	seen    [shards]table
	links   links
	bad     [shards]violation

	current, next queue[S]
	first         int // the number of the first state of current
	depth         int // the depth of the states in current

	generated int
	found     violation
	stopped   string
}

// violation is the first state of a block, or of a shard in it, in which an invariant does not hold.
type violation struct {
	invariant string // "" if there is none
	state     int    // the state's number; before it is numbered, its place in the bucket
	worker    int    // whose bucket
}

// worker holds what one goroutine writes to while it expands states. The memory is used again for every block.
type worker[S comparable, A any] struct {
	steps     []Step[S, A]
	key       []uint64
	buckets   [shards][]candidate[S]
	generated int
}

// candidate is a state that a step led to and that may be new.
type candidate[S comparable] struct {
	fingerprint uint64
	link        link
	state       S
}

func newSearch[S comparable, A any](m Model[S, A], o Options) *search[S, A] {
	s := &search[S, A]{model: m, options: o}
	for range o.Workers {
		s.workers = append(s.workers, &worker[S, A]{})
	}
	return s
}

// start queues the initial states, and says whether there is any.
func (s *search[S, A]) start() bool {
	w := s.workers[0]
	for i, state := range s.model.Initial() {
		w.add(s.model, state, link{parent: root, choice: uint32(i)})
	}
	s.generated = w.generated
	s.remember(0)
	s.number()
	s.current.blocks, s.next.blocks = s.next.blocks, nil
	s.depth = 1
	return s.links.len > 0
}

// more says whether there is a level left to expand, and notes the bound that forbids it.
func (s *search[S, A]) more() bool {
	if s.current.len() == 0 || s.found.invariant != "" || s.stopped != "" {
		return false
	}
	if s.depth == s.options.MaxDepth {
		s.stopped = fmt.Sprintf("The search stopped at depth %d, its bound; %d states of this depth were not expanded.",
			s.depth, s.current.len())
		return false
	}
	return !s.full(s.current.len())
}

// full says whether the bound on states is reached, and notes it, with the number of states left unexpanded.
func (s *search[S, A]) full(left int) bool {
	if s.links.len < s.options.MaxStates || left == 0 {
		return false
	}
	s.stopped = fmt.Sprintf("The search stopped at %d distinct states; its bound is %d, and %d states were not expanded.",
		s.links.len, s.options.MaxStates, left)
	return true
}

// level expands the states of one depth.
func (s *search[S, A]) level() {
	expanded := 0
	for _, block := range s.current.blocks {
		s.block(block, s.first+expanded)
		expanded += len(block)
		left := s.current.len() - expanded
		if s.found.invariant != "" || s.full(left+s.next.len()) {
			break
		}
		s.next.recycle(block)
	}
	s.first += s.current.len()
	s.current.blocks, s.next.blocks = s.next.blocks, s.current.blocks[:0]
	if s.current.len() > 0 {
		s.depth++
	}
}

// block runs the three phases for the states of one block, the first of which has the number given.
func (s *search[S, A]) block(states []S, number int) {
	n := len(s.workers)
	s.parallel(func(i int) {
		from, to := len(states)*i/n, len(states)*(i+1)/n
		s.workers[i].expand(s.model, states[from:to], number+from)
	})
	s.parallel(s.remember)
	s.number()
	s.generated = 0
	for _, w := range s.workers {
		s.generated += w.generated
	}
}

// parallel runs f once for every worker and waits for all of them.
func (s *search[S, A]) parallel(f func(worker int)) {
	var others sync.WaitGroup
	for i := 1; i < len(s.workers); i++ {
		others.Go(func() { f(i) })
	}
	f(0)
	others.Wait()
}

// expand is the first phase for one piece of a block.
func (w *worker[S, A]) expand(m Model[S, A], states []S, number int) {
	for i := range states {
		w.steps = m.AppendNext(w.steps[:0], &states[i])
		for choice := range w.steps {
			w.add(m, w.steps[choice].State, link{parent: uint32(number + i), choice: uint32(choice)})
		}
	}
}

// add puts a generated state into its bucket.
func (w *worker[S, A]) add(m Model[S, A], state S, from link) {
	w.generated++
	w.key = m.AppendKey(w.key[:0], &state)
	f := Fingerprint(w.key)
	b := &w.buckets[shardOf(f)]
	*b = append(*b, candidate[S]{fingerprint: f, link: from, state: state})
}

// remember is the second phase for the shards of one worker: all those whose number leaves the rest me when divided by the
// number of workers.
func (s *search[S, A]) remember(me int) {
	for shard := me; shard < shards; shard += len(s.workers) {
		s.rememberShard(shard)
	}
}

func (s *search[S, A]) rememberShard(shard int) {
	for i, w := range s.workers {
		bucket := w.buckets[shard]
		kept := bucket[:0]
		for j := range bucket {
			if !s.seen[shard].insert(bucket[j].fingerprint) {
				continue
			}
			if s.bad[shard].invariant == "" {
				if name := s.model.Check(&bucket[j].state); name != "" {
					s.bad[shard] = violation{invariant: name, state: len(kept), worker: i}
				}
			}
			kept = append(kept, bucket[j])
		}
		w.buckets[shard] = kept
	}
}

// number is the third phase: it gives the kept states their numbers and links, and queues them for the next level.
func (s *search[S, A]) number() {
	for shard := range shards {
		bad := s.bad[shard]
		for i, w := range s.workers {
			if bad.invariant != "" && bad.worker == i && s.found.invariant == "" {
				s.found = violation{invariant: bad.invariant, state: s.links.len + bad.state}
			}
			for j := range w.buckets[shard] {
				s.links.add(w.buckets[shard][j].link)
				s.next.add(&w.buckets[shard][j].state)
			}
			w.buckets[shard] = w.buckets[shard][:0]
		}
	}
}

func (s *search[S, A]) result() Result[S, A] {
	r := Result[S, A]{
		Distinct:  s.links.len,
		Generated: s.generated,
		Depth:     s.depth,
		Stopped:   s.stopped,
		Violated:  s.found.invariant,
	}
	r.Complete = r.Stopped == "" && r.Violated == ""
	if r.Violated != "" {
		r.Trace = s.trace(s.found.state)
		r.Stopped = ""
	}
	return r
}

// trace runs the choices that led to the state with this number again.
func (s *search[S, A]) trace(number int) []Step[S, A] {
	choices := s.links.path(number)
	trace := []Step[S, A]{{State: s.model.Initial()[choices[0]]}}
	for _, c := range choices[1:] {
		last := trace[len(trace)-1].State
		trace = append(trace, s.model.AppendNext(nil, &last)[c])
	}
	return trace
}
