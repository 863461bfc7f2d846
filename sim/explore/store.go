package explore

import (
	"math"
	"slices"
)

// root is the parent of an initial state. No state has this number, for a search stops before.
const root = math.MaxUint32

// link says where a state came from: the number of its parent, and which of the parent's steps led to it. For an
// initial state the choice is its place in the model's list of initial states.
type link struct {
	parent uint32
	choice uint32
}

// linkChunk is how many links are allocated at a time. Chunks are never copied, so a growing store leaves no garbage behind.
const linkChunk = 1 << 15

// links holds the link of every state, by number.
type links struct {
	chunks [][]link
	len    int
}

func (l *links) add(k link) {
	if l.len%linkChunk == 0 {
		l.chunks = append(l.chunks, make([]link, 0, linkChunk))
	}
	last := &l.chunks[len(l.chunks)-1]
	*last = append(*last, k)
	l.len++
}

// path lists the choices that lead from the start to the state with this number.
func (l *links) path(number int) []uint32 {
	var choices []uint32
	for n := uint32(number); n != root; {
		k := l.chunks[n/linkChunk][n%linkChunk]
		choices = append(choices, k.choice)
		n = k.parent
	}
	slices.Reverse(choices)
	return choices
}

// queue holds the states of one level in blocks. Blocks that are done with are used again.
type queue[S comparable] struct {
	blocks [][]S
	free   [][]S
}

func (q *queue[S]) len() int {
	if len(q.blocks) == 0 {
		return 0
	}
	return (len(q.blocks)-1)*blockStates + len(q.blocks[len(q.blocks)-1])
}

func (q *queue[S]) add(s *S) {
	if q.len()%blockStates == 0 {
		q.blocks = append(q.blocks, q.block())
	}
	last := &q.blocks[len(q.blocks)-1]
	*last = append(*last, *s)
}

func (q *queue[S]) block() []S {
	if n := len(q.free); n > 0 {
		b := q.free[n-1]
		q.free = q.free[:n-1]
		return b
	}
	return make([]S, 0, blockStates)
}

func (q *queue[S]) recycle(block []S) { q.free = append(q.free, block[:0]) }
