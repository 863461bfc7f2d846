package replicationspec

import "kafkatrial/sim/explore"

// packed is a state in a few words, one for each replica and one for the rest: what a search keeps of it. It is flat, so that it
// is copied by assignment and compared with ==.
type packed [MaxReplicas + 1]uint64

// AppendKey implements explore.Model: the packed words. With symmetry they are the smallest of all renamings of the replicas,
// compared word by word from the first.
func (m *model) AppendKey(key []uint64, p *packed) []uint64 {
	smallest := *p
	for i := range m.renamings {
		m.renamings[i].lower(&smallest, p, m.replicas)
	}
	return append(key, smallest[:m.replicas+1]...)
}

// The bits of a word. The log end offset is left out: it follows from the cells that are empty. Whatever names a replica is
// either a leader, kept as its number plus one, or a set.
const (
	epochBits  = 3
	epochMask  = 1<<epochBits - 1
	cellBits   = 8
	cellMask   = 1<<cellBits - 1
	smallBits  = 4 // of a high watermark, an epoch plus one, a counter
	smallMask  = 1<<smallBits - 1
	isrBits    = MaxReplicas
	isrMask    = 1<<isrBits - 1
	notedBits  = 3
	notedMask  = 1<<notedBits - 1
	leaderBits = 3
	leaderMask = 1<<leaderBits - 1
	nameBits   = leaderBits + isrBits
	nameMask   = 1<<nameBits - 1
)

func namesOf(leader int, isr set) uint64 { return uint64(leader+1)<<isrBits | uint64(isr) }

func leaderOf(names uint64) int { return int(names>>isrBits&leaderMask) - 1 }
func isrOf(names uint64) set    { return set(names & isrMask) }

// pack writes a state within the bounds as words.
func (m *model) pack(s *state) (p packed) {
	for r := range m.replicas {
		p[r] = s.replicas[r].word()
	}
	p[m.replicas] = s.restWord()
	return p
}

// word holds, from the top, what the replica has noted of each, from the last one on, the cells of the log from the first one on,
// the high watermark, the epoch, leader and ISR.
func (r *replica) word() uint64 {
	log := uint64(0)
	for f, n := range r.noted {
		log |= uint64(n) << notedShift(f)
	}
	for o, rec := range r.log {
		log |= (uint64(rec.id+1)<<epochBits | uint64(rec.epoch)) << cellShift(o)
	}
	return (log<<(2*smallBits)|uint64(r.hw)<<smallBits|uint64(r.epoch+1))<<nameBits | namesOf(r.leader, r.isr)
}

// notedShift is the place of what is noted of a follower, above the cells.
func notedShift(f int) int { return MaxLogSize*cellBits + f*notedBits }

func cellShift(offset int) int { return (MaxLogSize - 1 - offset) * cellBits }

// restWord holds, from the top, the fetch that is served, the two counters, a place for each request, and the quorum's ISR.
func (s *state) restWord() uint64 {
	w := s.served.word()<<(2*smallBits) | uint64(s.nextRecord)<<smallBits | uint64(s.nextEpoch())
	w = w<<((MaxEpochs+1)*nameBits+isrBits) | uint64(s.isr)
	for e, q := range s.requests {
		w |= namesOf(q.leader, q.isr) << requestShift(e)
	}
	return w
}

func requestShift(epoch int) int { return epoch*nameBits + isrBits }

const servedShift = (MaxEpochs+1)*nameBits + isrBits + 2*smallBits

// word holds, from the top, the end, the leader plus one, and the follower plus one: 0 for none.
func (f servedFetch) word() uint64 {
	return uint64(f.end)<<(2*leaderBits) | uint64(f.leader+1)<<leaderBits | uint64(f.follower+1)
}

func servedOf(w uint64) servedFetch {
	return servedFetch{follower: int(w&leaderMask) - 1, leader: int(w>>leaderBits&leaderMask) - 1, end: int(w >> (2 * leaderBits))}
}

// unpacked is a state with the arrays that its slices lie in.
type unpacked struct {
	state    state
	cells    [MaxReplicas][MaxLogSize]record
	requests [MaxEpochs + 1]request
}

// unpack undoes pack. The state lies in u, until u is used again.
func (m *model) unpack(u *unpacked, p *packed) *state {
	for i := range m.replicas {
		w, cells := p[i], &u.cells[i]
		r := replica{leader: leaderOf(w & nameMask), isr: isrOf(w)}
		w >>= nameBits
		r.epoch, r.hw = int(w&smallMask)-1, int(w>>smallBits&smallMask)
		w >>= 2 * smallBits
		if w>>notedShift(0) != 0 {
			for f := range r.noted {
				r.noted[f] = uint8(w >> notedShift(f) & notedMask)
			}
		}
		n := 0
		for n < MaxLogSize && w>>cellShift(n)&cellMask != 0 {
			cell := w >> cellShift(n) & cellMask
			cells[n] = record{id: int(cell>>epochBits) - 1, epoch: int(cell & epochMask)}
			n++
		}
		r.log = cells[:n:n]
		u.state.replicas[i] = r
	}
	w := p[m.replicas]
	u.state.isr = isrOf(w)
	counters := w >> requestShift(MaxEpochs+1)
	u.state.nextRecord = int(counters >> smallBits & smallMask)
	u.state.served = servedOf(w >> servedShift)
	n := int(counters & smallMask)
	for e := range n {
		names := w >> requestShift(e) & nameMask
		u.requests[e] = request{leader: leaderOf(names), isr: isrOf(names)}
	}
	u.state.requests = u.requests[:n:n]
	return &u.state
}

// renaming gives every replica another name.
type renaming struct {
	from  [MaxReplicas]uint8      // by new name: the old name
	names [nameMask + 1]uint8     // by leader and ISR under the old names: the same under the new ones
	sets  [1 << MaxReplicas]uint8 // by set
}

// renamingsOf lists the renamings of n replicas but for the one that changes nothing.
func renamingsOf(n int) []renaming {
	var all []renaming
	for _, p := range explore.Permutations(n)[1:] {
		all = append(all, newRenaming(p))
	}
	return all
}

// newRenaming makes the renaming under which replica p[x] is called x.
func newRenaming(p []int) renaming {
	var r renaming
	for x := range r.from {
		r.from[x] = uint8(x)
	}
	to := [leaderMask + 1]uint64{} // by old leader plus one: the new leader plus one
	for x, old := range p {
		r.from[x] = uint8(old)
		to[old+1] = uint64(x + 1)
	}
	for s := range set(1 << MaxReplicas) {
		for x, old := range p {
			if s.has(old) {
				r.sets[s] |= 1 << x
			}
		}
	}
	for w := range r.names {
		r.names[w] = uint8(to[w>>isrBits]<<isrBits | uint64(r.sets[w&isrMask]))
	}
	return r
}

// to is the new name of a replica: the leader of a request that names it, renamed.
func (r *renaming) to(old int) int { return leaderOf(uint64(r.names[namesOf(old, 0)])) }

// lower replaces smallest by the renamed words if these are smaller.
func (r *renaming) lower(smallest, words *packed, n int) {
	var renamed packed
	less := false
	for x := range n {
		w := words[r.from[x]]
		w = r.noted(w)&^nameMask | uint64(r.names[w&nameMask])
		if w > smallest[x] && !less {
			return
		}
		less = less || w < smallest[x]
		renamed[x] = w
	}
	renamed[n] = r.rest(words[n])
	if less || renamed[n] < smallest[n] {
		*smallest = renamed
	}
}

// noted renames what a replica's word has noted of the others.
func (r *renaming) noted(w uint64) uint64 {
	const shift = 2*smallBits + nameBits
	all := w >> shift >> notedShift(0)
	if all == 0 {
		return w
	}
	renamed := uint64(0)
	for x, old := range r.from {
		renamed |= all >> (int(old) * notedBits) & notedMask << (x * notedBits)
	}
	return w&(1<<(shift+notedShift(0))-1) | renamed<<shift<<notedShift(0)
}

// rest renames the word that holds the requests and the quorum's ISR. The place of a request not yet sent is zero, and stays so.
func (r *renaming) rest(w uint64) uint64 {
	renamed := w &^ (1<<requestShift(MaxEpochs+1) - 1)
	if f := servedOf(w >> servedShift); f != noFetch {
		f.follower, f.leader = r.to(f.follower), r.to(f.leader)
		renamed = renamed&(1<<servedShift-1) | f.word()<<servedShift
	}
	for e := range MaxEpochs + 1 {
		renamed |= uint64(r.names[w>>requestShift(e)&nameMask]) << requestShift(e)
	}
	return renamed | uint64(r.sets[w&isrMask])
}
