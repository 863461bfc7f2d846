package explore

import (
	"fmt"
	"sync"
)

// search is one run. The states are spread over shards by their fingerprints. A shard knows which of its states were seen, where
// they came from, and which of them are to be expanded on this level and on the next one. The work goes in rounds of two phases:
//
//  1. expand: each shard takes one chunk of its states, generates what they lead to, and sorts it by the shard that it
//     belongs to;
//  2. remember: each shard goes through what the shards have for it, in their order. What it has not seen is kept and checked.
//
// A worker looks after some of the shards. In no phase does it read what another worker writes, so there is no lock; and a
// shard meets its states in an order that does not depend on who does the work. Hence the counts, the links and the first violation
// are the same for any number of workers.
type search[S comparable, A any] struct {
	model   Model[S, A]
	options Options
	shards  [shards]shard[S, A]

	depth   int // the depth of the states in the shards' current queues
	stopped string
}

// shard holds what is known of the states whose fingerprints it is responsible for. What a worker writes to is in its shards.
type shard[S comparable, A any] struct {
	seen          table
	links         links
	current, next queue[S]
	first         int // the index of the first state of current

	steps     []Step[S, A] // what the state that is being expanded leads to
	key       []uint64
	out       [shards][]candidate[S] // what the states of this round led to, by the shard that it belongs to
	generated int

	violated string // the first invariant that does not hold in a state of this shard, or ""
	badState number // in which state
}

// candidate is a state that a step led to and that may be new.
type candidate[S comparable] struct {
	fingerprint uint64
	link        link
	state       S
}

// run searches until there is nothing left to expand, an invariant does not hold, or a bound is hit.
func (s *search[S, A]) run() {
	s.start()
	for s.more() {
		for round := 0; s.round(round); round++ {
		}
		s.endLevel()
	}
}

// start remembers the initial states. They enter through the first shard.
func (s *search[S, A]) start() {
	entry := &s.shards[0]
	for i, state := range s.model.Initial() {
		entry.send(s.model, &state, link{parent: root, choice: uint32(i)})
		entry.generated++
	}
	s.parallel(s.remember)
	s.endLevel()
}

// endLevel makes the next level the current one.
func (s *search[S, A]) endLevel() {
	for i := range s.shards {
		sh := &s.shards[i]
		sh.first += sh.current.len()
		sh.current.chunks, sh.next.chunks = sh.next.chunks, sh.current.chunks[:0]
	}
	if s.left() > 0 {
		s.depth++
	}
}

// more says whether the current level is to be expanded, and notes the bound if it forbids that.
func (s *search[S, A]) more() bool {
	left := s.left()
	if left == 0 || s.violation() != nil || s.stopped != "" || s.full() {
		return false
	}
	if s.depth == s.options.MaxDepth {
		s.stopped = fmt.Sprintf("The search stopped at depth %d, its bound; %d states of this depth were not expanded.", s.depth, left)
		return false
	}
	return true
}

// round expands the chunk with this number of every shard, and says whether the level goes on after it.
func (s *search[S, A]) round(n int) bool {
	s.parallel(func(i int) { s.expand(&s.shards[i], number(i), n) })
	s.parallel(s.remember)
	if s.violation() != nil {
		return false
	}
	goesOn := false
	for i := range s.shards {
		goesOn = goesOn || n+1 < len(s.shards[i].current.chunks)
	}
	return goesOn && !s.full()
}

// full says whether the bound on states is reached, and notes it.
func (s *search[S, A]) full() bool {
	known := s.distinct()
	if known < s.options.MaxStates {
		return false
	}
	s.stopped = fmt.Sprintf("The search stopped at depth %d with %d distinct states; its bound is %d states.",
		s.depth, known, s.options.MaxStates)
	return true
}

// parallel does something for every shard, and returns when all of it is done. Every worker has the same shards each time, so
// that what belongs to a shard stays in the cache of one processor.
func (s *search[S, A]) parallel(do func(shard int)) {
	work := func(worker int) {
		for i := worker; i < shards; i += s.options.Workers {
			do(i)
		}
	}
	var others sync.WaitGroup
	for i := 1; i < s.options.Workers; i++ {
		others.Go(func() { work(i) })
	}
	work(0)
	others.Wait()
}

// expand is the first phase for one shard.
func (s *search[S, A]) expand(sh *shard[S, A], me number, round int) {
	if round >= len(sh.current.chunks) {
		return
	}
	chunk := sh.current.chunks[round]
	parent := me + number(sh.first+round*chunkStates)*shards
	for i := range chunk {
		sh.steps = s.model.AppendNext(sh.steps[:0], &chunk[i])
		sh.generated += len(sh.steps)
		for choice := range sh.steps {
			sh.send(s.model, &sh.steps[choice].State, link{parent: parent, choice: uint32(choice)})
		}
		parent += shards
	}
	sh.next.recycle(chunk)
}

// send sorts a generated state by the shard that it belongs to.
func (sh *shard[S, A]) send(m Model[S, A], state *S, from link) {
	sh.key = m.AppendKey(sh.key[:0], state)
	f := Fingerprint(sh.key)
	to := &sh.out[shardOf(f)]
	*to = append(*to, candidate[S]{fingerprint: f, link: from, state: *state})
}

// remember is the second phase for the shard with this number.
func (s *search[S, A]) remember(me int) {
	sh := &s.shards[me]
	for i := range s.shards {
		bucket := s.shards[i].out[me]
		for j := range bucket {
			c := &bucket[j]
			if !sh.seen.insert(c.fingerprint) {
				continue
			}
			if sh.violated == "" {
				sh.violated = s.model.Check(&c.state)
				sh.badState = number(sh.links.len*shards + me)
			}
			sh.links.add(c.link)
			sh.next.add(&c.state)
		}
		s.shards[i].out[me] = bucket[:0]
	}
}

// violation returns the first shard that has a violation, or nil.
func (s *search[S, A]) violation() *shard[S, A] {
	for i := range s.shards {
		if s.shards[i].violated != "" {
			return &s.shards[i]
		}
	}
	return nil
}

func (s *search[S, A]) distinct() int {
	n := 0
	for i := range s.shards {
		n += s.shards[i].links.len
	}
	return n
}

// left counts the states of the current level.
func (s *search[S, A]) left() int {
	n := 0
	for i := range s.shards {
		n += s.shards[i].current.len()
	}
	return n
}

func (s *search[S, A]) result() Result[S, A] {
	r := Result[S, A]{Distinct: s.distinct(), Depth: s.depth, Stopped: s.stopped}
	for i := range s.shards {
		r.Generated += s.shards[i].generated
	}
	if bad := s.violation(); bad != nil {
		r.Violated = bad.violated
		r.Trace = s.trace(bad.badState)
	}
	r.Complete = r.Stopped == "" && r.Violated == ""
	return r
}

// trace takes the choices that led to a state again.
func (s *search[S, A]) trace(to number) []Step[S, A] {
	var choices []uint32
	for to != root {
		l := s.shards[to%shards].links.at(int(to / shards))
		choices = append(choices, l.choice)
		to = l.parent
	}
	last := len(choices) - 1
	trace := []Step[S, A]{{State: s.model.Initial()[choices[last]]}}
	for i := last - 1; i >= 0; i-- {
		state := trace[len(trace)-1].State
		trace = append(trace, s.model.AppendNext(nil, &state)[choices[i]])
	}
	return trace
}
