package sim

import (
	"reflect"
	"slices"
	"unsafe"
)

// Keyer makes keys of worlds: 64-bit fingerprints of what can still make a difference to their futures. Two
// worlds of the same configuration with the same key go on alike, whatever led to them.
//
// A key is canonical: moments count from now; connections, timers, and numbers that only name things, count
// by their order and not by how many there were before; connections that are over for both sides, cancelled
// timers, causes, the counts of messages sent and the trace have no part in it. Two different states share
// a key with a chance of about n²/2^65 for n states.
//
// A Keyer remembers the keys of what was written once. It is for one goroutine.
type Keyer struct {
	memory  *Memory
	hash    uint64
	later   []late
	aliases []unsafe.Pointer
	written map[unsafe.Pointer]memo

	now    Time
	keys   []key
	used   []bool   // connections that something on its way belongs to
	ranks  []uint64 // of connections
	timers []uint64 // of timers, by slot
	names  []int64
	uses   []int32 // of timer slots, by the world
}

// memo is the key of a part, as far as it does not depend on the rest of the world: the hash of all that
// is certain, and in order what is to be made relative.
type memo struct {
	valid bool
	hash  uint64
	later []late
}

// late is a value whose meaning depends on the world around it.
type late struct {
	op    op
	value int64
}

// maxWritten bounds how many keys of messages and batches a Keyer remembers.
const maxWritten = 1 << 16

const keySeed = 0x6b61666b61_00_0002

func (k *Keyer) word(x uint64) {
	h := k.hash ^ x*0x9E3779B97F4A7C15
	h ^= h >> 32
	h *= 0xD6E8FEB86659FD93
	k.hash = h ^ h>>29
}

// Text, Int and Bool put what a scenario knows of a run into its key.
func (k *Keyer) Text(s string) { k.word(hashString(s)) }

// Int puts a number into the key.
func (k *Keyer) Int(n int64) { k.word(uint64(n)) }

// Bool puts a yes or no into the key.
func (k *Keyer) Bool(b bool) {
	if b {
		k.word(1)
	} else {
		k.word(2)
	}
}

// Moment puts a moment into the key, relative to now.
func (k *Keyer) Moment(t Time) { k.moment(t) }

// Sum gives the key of all that was put in since World.
func (k *Keyer) Sum() uint64 { return k.hash }

// Begin starts a key that has no world in it.
func (k *Keyer) Begin() { k.hash, k.now = keySeed, 0 }

// World starts a key with a world.
func (k *Keyer) World(w *World) {
	k.memory = w.cfg.Memory
	if k.written == nil || len(k.written) > maxWritten {
		k.written = make(map[unsafe.Pointer]memo, 1024)
	}
	for i := range w.nodes {
		if s := &w.nodes[i]; !s.memo.valid {
			s.memo = k.node(s)
		}
	}
	k.now, k.hash, k.later, k.names = w.now, keySeed, k.later[:0], k.names[:0]
	k.uses = w.timers.uses
	k.place(w)
	for i := range w.nodes {
		s := &w.nodes[i]
		k.word(uint64(s.incarnation)<<3 | bit(s.starting) | bit(s.off)<<1 | bit(s.paused)<<2)
		k.word(uint64(s.skew))
		k.recall(s.memo)
		k.Int(int64(len(s.backlog)))
		for j := range s.backlog {
			k.event(w, &s.backlog[j])
		}
	}
	for i := range k.keys {
		e := &w.queue.pool[k.keys[i].idx]
		k.word(uint64(max(k.keys[i].at-w.now, 0)))
		k.event(w, e)
	}
	k.flights(w, w.waiting)
	k.flights(w, w.outbox)
	k.network(w)
	k.word(uint64(w.faultModel.Budget)<<1 | bit(w.faultModel.Quiet))
	for _, t := range w.tears {
		k.word(uint64(t.node)<<32 | uint64(t.file))
	}
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// place sorts what is queued, and ranks timers and connections.
func (k *Keyer) place(w *World) {
	k.keys = k.keys[:0]
	k.used = zeroed(k.used, len(w.conns))
	k.timers = zeroed(k.timers, len(w.timers.uses))
	for _, q := range w.queue.keys {
		e := &w.queue.pool[q.idx]
		if e.kind == evTimer && !w.timerAlive(e) {
			continue
		}
		if e.conn != NoConn && e.kind != evTimer {
			k.used[e.conn] = true
		}
		k.keys = append(k.keys, q)
	}
	slices.SortFunc(k.keys, func(a, b key) int {
		if a.before(b) {
			return -1
		}
		return 1
	})
	rank := uint64(1)
	for i := range k.keys {
		if e := &w.queue.pool[k.keys[i].idx]; e.kind == evTimer {
			k.timers[int32(e.slot)] = rank
			rank++
		}
	}
	for _, list := range [][]flight{w.waiting, w.outbox} {
		for i := range list {
			k.used[list[i].conn] = true
		}
	}
	for i := range w.nodes {
		for j := range w.nodes[i].backlog {
			switch e := &w.nodes[i].backlog[j]; {
			case e.kind == evTimer:
				if w.timerAlive(e) {
					k.timers[int32(e.slot)] = rank
				}
				rank++
			case e.conn != NoConn:
				k.used[e.conn] = true
			}
		}
	}
	k.ranks = zeroed(k.ranks, len(w.conns))
	rank = 1
	for i := range w.conns {
		if c := &w.conns[i]; k.used[i] || !c.reset && !(c.closed[0] && c.closed[1]) {
			k.ranks[i] = rank
			rank++
		}
	}
}

func zeroed[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, 2*n)
	}
	s = s[:n]
	clear(s)
	return s
}

// network adds the connections that are not over, the links and the rules.
func (k *Keyer) network(w *World) {
	for i := range w.conns {
		if k.ranks[i] == 0 {
			continue
		}
		c := &w.conns[i]
		k.word(uint64(c.client)<<32 | uint64(c.server)<<8 | bit(c.closed[0]) | bit(c.closed[1])<<1 | bit(c.reset)<<2 | bit(c.dead[0])<<3 | bit(c.dead[1])<<4)
		k.word(uint64(max(c.last[0]-w.now, 0)))
		k.word(uint64(max(c.last[1]-w.now, 0)))
	}
	for i := range w.links {
		if l := &w.links[i]; l.cut || l.latency != w.cfg.Latency {
			k.word(uint64(i)<<1 | bit(l.cut))
			k.word(uint64(l.latency))
		}
	}
	for _, r := range w.rules {
		k.word(uint64(r.Act)<<48 | uint64(uint16(r.From))<<32 | uint64(uint16(r.To))<<16 | uint64(r.Type)<<1 | bit(r.AnyType))
		k.word(uint64(r.Count)<<32 | uint64(r.used))
		k.word(uint64(r.By))
		k.Text(r.About)
	}
}

func (k *Keyer) flights(w *World, list []flight) {
	k.Int(int64(len(list)))
	for i := range list {
		f := &list[i]
		k.word(bit(f.held != nil))
		k.word(uint64(f.extra))
		k.event(w, &f.scheduled)
	}
}

func (k *Keyer) event(w *World, e *scheduled) {
	k.word(uint64(e.kind)<<56 | uint64(e.timer)<<48 | uint64(uint16(e.node))<<24 | uint64(uint16(e.peer))<<8 | bit(e.toServer) | bit(e.routine)<<1 | bit(e.exempt)<<2)
	if e.kind == evTimer {
		if w.cfg.Memory.ConnArgs[e.timer] {
			k.resolve(late{opConn, e.arg})
		} else {
			k.word(uint64(e.arg))
		}
		return
	}
	k.word(uint64(e.arg))
	k.resolve(late{opConn, int64(e.conn)})
	if e.msg != nil {
		m := e.msg
		at := (*[2]unsafe.Pointer)(unsafe.Pointer(&m))
		k.recall(k.message(at))
	}
}

// message gives the key of a message, which may be remembered.
func (k *Keyer) message(at *[2]unsafe.Pointer) memo {
	in, data := k.memory.box(k.memory.plan(messageType), unsafe.Pointer(at))
	if in.op == opWritten {
		return k.once(in, *(*unsafe.Pointer)(data))
	}
	k.aliases = k.aliases[:0]
	return k.part(func() { k.word(in.id); k.walk(in, data) })
}

// recall adds a part, and what in it is relative.
func (k *Keyer) recall(m memo) {
	k.word(m.hash)
	for _, l := range m.later {
		k.resolve(l)
	}
}

// resolve adds a relative value.
func (k *Keyer) resolve(l late) {
	switch l.op {
	case opTime:
		k.moment(Time(l.value))
	case opMillis:
		if l.value <= 0 { // none
			k.word(uint64(l.value) ^ 0xABCD<<40)
		} else {
			k.word(uint64(Time(l.value)*Millisecond - k.now))
		}
	case opConn:
		rank := uint64(0)
		if l.value >= 0 && l.value < int64(len(k.ranks)) {
			rank = k.ranks[l.value] + 1
		}
		k.word(rank)
	case opTimer:
		rank := uint64(0)
		if id := TimerID(l.value); id >= 0 && k.uses[int32(id)] == int32(id>>32) {
			rank = k.timers[int32(id)]
		}
		k.word(rank)
	case opName64:
		k.name(l.value)
	}
}

func (k *Keyer) moment(t Time) {
	switch t {
	case 0, Never, -1:
		k.word(uint64(t) ^ 0xABCD<<40)
	default:
		k.word(uint64(t - k.now))
	}
}

func (k *Keyer) name(n int64) {
	if n <= 0 {
		k.word(uint64(n))
		return
	}
	i := slices.Index(k.names, n)
	if i < 0 {
		i = len(k.names)
		k.names = append(k.names, n)
	}
	k.word(uint64(i + 1))
}

// part makes the memo of something.
func (k *Keyer) part(do func()) memo {
	hash, from := k.hash, len(k.later)
	k.hash = keySeed
	do()
	m := memo{valid: true, hash: k.hash}
	if len(k.later) > from {
		m.later = append([]late(nil), k.later[from:]...)
	}
	k.hash, k.later = hash, k.later[:from]
	return m
}

func (k *Keyer) node(s *nodeState) memo {
	k.aliases = k.aliases[:0]
	return k.part(func() {
		if s.node != nil {
			n := s.node
			at := (*[2]unsafe.Pointer)(unsafe.Pointer(&n))
			p := k.memory.boxes[at[0]]
			if p == nil {
				p = k.memory.plan(reflect.TypeOf(n))
				k.memory.boxes[at[0]] = p
			}
			k.walk(p.elem, at[1])
		}
		k.disk(s.disk)
	})
}

func (k *Keyer) disk(d *Disk) {
	k.Int(int64(d.id))
	blocks := k.memory.plan(anyType)
	for i, name := range d.names {
		k.Text(name)
		f := d.files[i]
		k.word(uint64(len(f.blocks))<<32 | uint64(f.flushed))
		for j := range f.blocks {
			k.walk(blocks, unsafe.Pointer(&f.blocks[j]))
		}
	}
	for i := range d.values {
		k.Text(d.values[i].name)
		k.walk(blocks, unsafe.Pointer(&d.values[i].value))
	}
}

// once gives the key of what is written once.
func (k *Keyer) once(p *plan, at unsafe.Pointer) memo {
	if m, ok := k.written[at]; ok {
		return m
	}
	outer := k.aliases // what is written once says nothing of who else holds parts of it
	k.aliases = k.aliases[len(k.aliases):]
	m := k.part(func() { k.word(p.elem.id); k.walk(p.elem, at) })
	k.aliases = outer
	k.written[at] = m
	return m
}

// walk adds a value.
func (k *Keyer) walk(p *plan, at unsafe.Pointer) {
	switch p.op {
	case opBool, opInt8:
		k.word(uint64(*(*uint8)(at)))
	case opInt16:
		k.word(uint64(*(*uint16)(at)))
	case opInt32:
		k.word(uint64(*(*uint32)(at)))
	case opInt64:
		k.word(*(*uint64)(at))
	case opInt:
		k.word(uint64(*(*int)(at)))
	case opString:
		k.word(hashString(*(*string)(at)))
	case opTime, opMillis, opTimer:
		k.later = append(k.later, late{p.op, *(*int64)(at)})
	case opConn:
		k.later = append(k.later, late{opConn, int64(*(*int32)(at))})
	case opName32:
		k.later = append(k.later, late{opName64, int64(*(*int32)(at))})
	case opName64:
		k.later = append(k.later, late{opName64, *(*int64)(at)})
	case opStruct:
		for i := range p.fields {
			if f := &p.fields[i]; f.key {
				k.walk(f.plan, unsafe.Add(at, f.at))
			}
		}
	case opArray:
		for i := range p.len {
			k.walk(p.elem, unsafe.Add(at, uintptr(i)*p.elem.size))
		}
	case opSlice:
		h := (*header)(at)
		k.word(uint64(h.len))
		for i := range h.len {
			k.walk(p.elem, unsafe.Add(h.data, uintptr(i)*p.elem.size))
		}
	case opPointer:
		k.pointer(p, *(*unsafe.Pointer)(at))
	case opWritten:
		k.writtenOnce(p, *(*unsafe.Pointer)(at))
	case opInterface:
		in, data := k.memory.box(p, at)
		if in == nil {
			k.word(0)
			return
		}
		k.word(in.id)
		k.walk(in, data)
	case opFile, opDisk, opEnv, opSkip: // what is on the disk is added with it
	}
}

func (k *Keyer) writtenOnce(p *plan, at unsafe.Pointer) {
	if at == nil {
		k.word(0)
		return
	}
	m := k.once(p, at)
	k.word(m.hash)
	k.later = append(k.later, m.later...)
}

// pointer adds what a pointer leads to, when it is met for the first time in a node; then, that it is the same.
func (k *Keyer) pointer(p *plan, at unsafe.Pointer) {
	if at == nil {
		k.word(0)
		return
	}
	if i := slices.Index(k.aliases, at); i >= 0 {
		k.word(uint64(i) + 2)
		return
	}
	k.aliases = append(k.aliases, at)
	k.word(1)
	k.walk(p.elem, at)
}

// Of is a hash of a kind, a name and a number that has no part in the key: for sums over what has no order.
func (k *Keyer) Of(kind int64, name string, n int64) int64 {
	hash := k.hash
	k.hash = keySeed
	k.Int(kind)
	k.Text(name)
	k.Int(n)
	k.hash, hash = hash, k.hash
	return int64(hash)
}
