package explore

import (
	"fmt"
	"sync"
)

// search is one run. It works level by level, and inside a level block by block. A block takes three phases:
//
//  1. expand: the block is cut into pieces. A worker that takes a piece generates the steps of its states, and sorts the states
//     that it reaches into buckets by the shard of their fingerprint;
//  2. remember: a worker that takes a shard goes through the buckets of this shard, in the order of the pieces. What the shard
//     has not seen is kept and checked, the rest is dropped;
//  3. number: the kept states are numbered and queued, shard after shard.
//
// In no phase does a worker read what another one writes, so there is no lock. A shard meets the states in the order in which they
// are generated, whoever does the work; hence the numbers, the links and the first violation are the same for any number of workers.
type search[S comparable, A any] struct {
	model   Model[S, A]
	options Options
	workers []worker[S, A]
	pieces  [pieces]piece[S]
	seen    [shards]table
	links   links
	bad     [shards]violation

	current, next queue[S]
	first         int // the number of the first state of current
	depth         int // the depth of the states in current

	found   violation
	stopped string
}

// violation is the first state in which an invariant does not hold: of a shard in this block, or of the search.
type violation struct {
	invariant string // "" if there is none
	piece     int    // of a shard: whose bucket
	state     int    // of a shard: the place in the bucket; of the search: the number of the state
}

// worker is what one goroutine writes to while it expands a state. The memory is used again for every state.
type worker[S comparable, A any] struct {
	steps []Step[S, A]
	key   []uint64
	_     [64]byte // keeps the workers, which write all the time, in different cache lines
}

// pieces is into how many pieces a block is cut: several for each worker, so that no worker waits long for another. It is
// fixed, for the links and the numbers follow the pieces.
const pieces = 8

// piece is what the states of one piece of a block led to.
type piece[S comparable] struct {
	buckets   [shards][]candidate[S]
	generated int // since the search began
}

// candidate is a state that a step led to and that may be new.
type candidate[S comparable] struct {
	fingerprint uint64
	link        link
	state       S
}

func newSearch[S comparable, A any](m Model[S, A], o Options) *search[S, A] {
	return &search[S, A]{model: m, options: o, workers: make([]worker[S, A], o.Workers)}
}

// start queues the initial states, and says whether there is any.
func (s *search[S, A]) start() bool {
	initial := s.model.Initial()
	s.pieces[0].generated = len(initial)
	for i := range initial {
		s.add(&s.workers[0], &s.pieces[0], &initial[i], link{parent: root, choice: uint32(i)})
	}
	s.parallel(shards, s.remember)
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
	s.parallel(pieces, func(w *worker[S, A], i int) {
		from, to := len(states)*i/pieces, len(states)*(i+1)/pieces
		s.expand(w, &s.pieces[i], states[from:to], number+from)
	})
	s.parallel(shards, s.remember)
	s.number()
}

// parallel runs the tasks 0..n-1, and returns when all are done. Every worker has its own share of the tasks, the same each
// time: so the part of the memory that belongs to a task stays in the cache of one processor.
func (s *search[S, A]) parallel(n int, do func(w *worker[S, A], task int)) {
	work := func(i int) {
		for task := i; task < n; task += len(s.workers) {
			do(&s.workers[i], task)
		}
	}
	var others sync.WaitGroup
	for i := 1; i < len(s.workers); i++ {
		others.Go(func() { work(i) })
	}
	work(0)
	others.Wait()
}

// expand is the first phase for one piece. Its first state has the number given.
func (s *search[S, A]) expand(w *worker[S, A], p *piece[S], states []S, number int) {
	for i := range states {
		w.steps = s.model.AppendNext(w.steps[:0], &states[i])
		p.generated += len(w.steps)
		for choice := range w.steps {
			s.add(w, p, &w.steps[choice].State, link{parent: uint32(number + i), choice: uint32(choice)})
		}
	}
}

// add puts a generated state into its bucket.
func (s *search[S, A]) add(w *worker[S, A], p *piece[S], state *S, from link) {
	w.key = s.model.AppendKey(w.key[:0], state)
	f := Fingerprint(w.key)
	b := &p.buckets[shardOf(f)]
	*b = append(*b, candidate[S]{fingerprint: f, link: from, state: *state})
}

// remember is the second phase for one shard.
func (s *search[S, A]) remember(_ *worker[S, A], shard int) {
	s.bad[shard] = violation{}
	for i := range s.pieces {
		bucket := s.pieces[i].buckets[shard]
		kept := bucket[:0]
		for j := range bucket {
			if !s.seen[shard].insert(bucket[j].fingerprint) {
				continue
			}
			if s.bad[shard].invariant == "" {
				s.bad[shard] = violation{invariant: s.model.Check(&bucket[j].state), piece: i, state: len(kept)}
			}
			kept = append(kept, bucket[j])
		}
		s.pieces[i].buckets[shard] = kept
	}
}

// number is the third phase: it gives the kept states their numbers and links, and queues them for the next level.
func (s *search[S, A]) number() {
	for shard := range shards {
		for i := range s.pieces {
			bucket := s.pieces[i].buckets[shard]
			if bad := s.bad[shard]; bad.invariant != "" && bad.piece == i && s.found.invariant == "" {
				s.found = violation{invariant: bad.invariant, state: s.links.len + bad.state}
			}
			for j := range bucket {
				s.links.add(bucket[j].link)
				s.next.add(&bucket[j].state)
			}
			s.pieces[i].buckets[shard] = bucket[:0]
		}
	}
}

func (s *search[S, A]) result() Result[S, A] {
	r := Result[S, A]{
		Distinct: s.links.len,
		Depth:    s.depth,
		Stopped:  s.stopped,
		Violated: s.found.invariant,
	}
	for i := range s.pieces {
		r.Generated += s.pieces[i].generated
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
