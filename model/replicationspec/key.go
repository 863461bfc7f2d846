package replicationspec

import "kafkatrial/sim/explore"

// AppendKey writes s as one word for each replica and one for the rest. With symmetry it is the smallest of all renamings of
// the replicas, compared word by word from the first.
func (m *model) AppendKey(key []uint64, s *state) []uint64 {
	var words [MaxReplicas + 1]uint64
	for r := range m.replicas {
		words[r] = s.replicas[r].word()
	}
	words[m.replicas] = s.restWord()
	smallest := words
	for i := range m.renamings {
		m.renamings[i].lower(&smallest, &words, m.replicas)
	}
	return append(key, smallest[:m.replicas+1]...)
}

// The bits of a word. The log end offset is left out: it follows from the cells that are empty. Whatever names a replica is
// either a leader, kept as its number plus one, or a set.
const (
	isrBits    = MaxReplicas
	isrMask    = 1<<isrBits - 1
	leaderBits = 3
	leaderMask = 1<<leaderBits - 1
	nameBits   = leaderBits + isrBits
	nameMask   = 1<<nameBits - 1
)

func namesOf(leader int8, isr set) uint64 { return uint64(leader+1)<<isrBits | uint64(isr) }

func (r *replica) word() uint64 {
	log := uint64(r.log[0])<<24 | uint64(r.log[1])<<16 | uint64(r.log[2])<<8 | uint64(r.log[3])
	return (log<<8|uint64(r.hw)<<4|uint64(r.epoch+1))<<nameBits | namesOf(r.leader, r.isr)
}

// restWord holds, from the top, the two counters, a place for each request, and the quorum's ISR.
func (s *state) restWord() uint64 {
	w := uint64(s.nextRecord)<<4 | uint64(s.nextEpoch)
	w = w<<((MaxEpochs+1)*nameBits+isrBits) | uint64(s.isr)
	for e := range s.nextEpoch {
		w |= namesOf(s.requests[e].leader, s.requests[e].isr) << requestShift(e)
	}
	return w
}

func requestShift(epoch int8) int { return int(epoch)*nameBits + isrBits }

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

// lower replaces smallest by the renamed words if these are smaller.
func (r *renaming) lower(smallest, words *[MaxReplicas + 1]uint64, n int) {
	var renamed [MaxReplicas + 1]uint64
	less := false
	for x := range n {
		w := words[r.from[x]]
		w = w&^nameMask | uint64(r.names[w&nameMask])
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

// rest renames the word that holds the requests and the quorum's ISR. The place of a request not yet sent is zero, and stays so.
func (r *renaming) rest(w uint64) uint64 {
	renamed := w &^ (1<<requestShift(MaxEpochs+1) - 1)
	for e := range int8(MaxEpochs + 1) {
		renamed |= uint64(r.names[w>>requestShift(e)&nameMask]) << requestShift(e)
	}
	return renamed | uint64(r.sets[w&isrMask])
}
