package explore

import "math"

// number identifies a known state: its index in its shard, times the number of shards, plus the number of the shard.
type number uint32

// root is the parent of an initial state. No state has this number, for a search stops before.
const root number = math.MaxUint32

// link says where a state came from: its parent, and which of the parent's steps led to it. For an initial state the
// choice is its place in the model's list of initial states.
type link struct {
	parent number
	choice uint32
}

// linkChunk is how many links are allocated at a time. Chunks are never copied, so a growing store leaves no garbage behind.
const linkChunk = 1 << 12

// links holds the links of the states of a shard, by index.
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

func (l *links) at(i int) link { return l.chunks[i/linkChunk][i%linkChunk] }

// chunkStates is how many states a shard expands in a round. A small number keeps what they lead to in the processor's
// cache; a large one lets the workers wait less often for each other.
const chunkStates = 512

// queue holds the states of one level in chunks. A chunk that was expanded is used again.
type queue[S comparable] struct {
	chunks [][]S // all are full but the last
	free   [][]S
}

func (q *queue[S]) len() int {
	if len(q.chunks) == 0 {
		return 0
	}
	return (len(q.chunks)-1)*chunkStates + len(q.chunks[len(q.chunks)-1])
}

func (q *queue[S]) add(s *S) {
	if n := len(q.chunks); n == 0 || len(q.chunks[n-1]) == chunkStates {
		q.chunks = append(q.chunks, q.chunk())
	}
	last := &q.chunks[len(q.chunks)-1]
	*last = append(*last, *s)
}

func (q *queue[S]) chunk() []S {
	if n := len(q.free); n > 0 {
		c := q.free[n-1]
		q.free = q.free[:n-1]
		return c
	}
	return make([]S, 0, chunkStates)
}

func (q *queue[S]) recycle(chunk []S) { q.free = append(q.free, chunk[:0]) }
