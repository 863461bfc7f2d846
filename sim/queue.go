package sim

type eventKind uint8

const (
	evMessage    eventKind = iota
	evDisconnect           // the other side's FIN or RST
	evTimer
	evStart
	evCommand // an order from outside that waited while the process was paused
)

// scheduled is something that will happen. Events are data, never closures, so that a world can be exempt.
type scheduled struct {
	msg         Message
	arg         int64
	conn        ConnID
	node, peer  NodeID // receiver, sender
	cause       int32
	n           uint32 // message: which of its type on its link; timer: which of its node
	incarnation int32  // timer: of the process that set it
	slot        TimerID
	kind        eventKind
	toServer    bool
	timer       uint8
	routine     bool
	exempt      bool  // from link rules: one has dealt with it already
	comes       uint8 // how often it has come up before: it was kept back, or has a twin
}

// queue is a heap of events keyed by (time, sequence): the same order on every machine. Events lie in a
// pool and only their keys move.
type queue struct {
	keys []key
	pool []scheduled
	free []int32
	seq  uint64
}

type key struct {
	at  Time
	seq uint64
	idx int32
}

func (k key) before(l key) bool { return k.at < l.at || (k.at == l.at && k.seq < l.seq) }

func (q *queue) push(at Time, e scheduled) {
	var idx int32
	if n := len(q.free); n > 0 {
		idx = q.free[n-1]
		q.free = q.free[:n-1]
		q.pool[idx] = e
	} else {
		idx = int32(len(q.pool))
		q.pool = append(q.pool, e)
	}
	q.seq++
	q.keys = append(q.keys, key{at, q.seq, idx})
	q.up(len(q.keys) - 1)
}

func (q *queue) len() int { return len(q.keys) }

// head gives the earliest event without removing it.
func (q *queue) head() (Time, *scheduled) { return q.keys[0].at, &q.pool[q.keys[0].idx] }

func (q *queue) pop() (Time, scheduled) {
	k := q.keys[0]
	e := q.pool[k.idx]
	q.pool[k.idx] = scheduled{}
	q.free = append(q.free, k.idx)
	last := len(q.keys) - 1
	q.keys[0] = q.keys[last]
	q.keys = q.keys[:last]
	if last > 0 {
		q.down(0)
	}
	return k.at, e
}

// moveToFront makes the event at place i of the heap the next one, whatever its time.
func (q *queue) moveToFront(i int) {
	k := q.keys[i]
	k.at, k.seq = -1, 0
	q.keys[i] = k
	q.up(i)
}

// Four children a node: fewer levels, and the four keys share a cache line or two.
func (q *queue) up(i int) {
	k := q.keys[i]
	for i > 0 {
		parent := (i - 1) / 4
		if !k.before(q.keys[parent]) {
			break
		}
		q.keys[i] = q.keys[parent]
		i = parent
	}
	q.keys[i] = k
}

func (q *queue) down(i int) {
	k := q.keys[i]
	n := len(q.keys)
	for {
		child := 4*i + 1
		if child >= n {
			break
		}
		least := child
		for c := child + 1; c < min(child+4, n); c++ {
			if q.keys[c].before(q.keys[least]) {
				least = c
			}
		}
		if !q.keys[least].before(k) {
			break
		}
		q.keys[i] = q.keys[least]
		i = least
	}
	q.keys[i] = k
}
