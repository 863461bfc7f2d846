package replicationspec

import (
	"slices"
	"testing"

	"kafkatrial/sim/explore"
)

// reachable lists every state, by a plain search that knows nothing of keys and fingerprints, and counts the steps.
func reachable(m *model) (states []state, generated int) {
	seen := map[state]bool{}
	for _, s := range m.Initial() {
		seen[s] = true
		states = append(states, s)
		generated++
	}
	for i := 0; i < len(states); i++ {
		for _, next := range m.AppendNext(nil, &states[i]) {
			generated++
			if !seen[next.State] {
				seen[next.State] = true
				states = append(states, next.State)
			}
		}
	}
	return states, generated
}

// No two different states share a key, and no fingerprint hides a state: the plain search finds the same counts. The bounds
// here are lopsided, to meet every field at its limits.
func TestKeysAreExact(t *testing.T) {
	for _, g := range Generations() {
		for _, c := range []Config{
			bounds(g, 1, 4, 4, 4), bounds(g, 2, 4, 3, 1), bounds(g, 2, 1, 4, 2), bounds(g, 3, 2, 1, 1), bounds(g, 4, 1, 1, 0), bounds(g, 5, 1, 1, 0),
		} {
			m, err := newModel(c)
			if err != nil {
				t.Fatal(err)
			}
			states, generated := reachable(m)
			if r := check(t, c); r.Distinct != len(states) || r.Generated != generated {
				t.Errorf("%s: %d distinct, %d generated; the plain search has %d, %d", c, r.Distinct, r.Generated, len(states), generated)
			}
		}
	}
}

// rename gives replica old the name to[old], field by field.
func rename(s *state, n int, to []int) state {
	renamed := initial(n)
	newLeader := func(l int8) int8 {
		if l == none {
			return none
		}
		return int8(to[l])
	}
	newSet := func(old set) (new set) {
		for r := range n {
			if old.has(r) {
				new = new.with(to[r])
			}
		}
		return new
	}
	for r := range n {
		x := s.replicas[r]
		x.leader, x.isr = newLeader(x.leader), newSet(x.isr)
		renamed.replicas[to[r]] = x
	}
	for e := range s.nextEpoch {
		renamed.requests[e] = request{leader: newLeader(s.requests[e].leader), isr: newSet(s.requests[e].isr)}
	}
	renamed.nextRecord, renamed.nextEpoch, renamed.isr = s.nextRecord, s.nextEpoch, newSet(s.isr)
	return renamed
}

// With symmetry the key of a state is the smallest plain key of all its renamings; so it is the same for all of them.
func TestSymmetricKeyIsTheSmallest(t *testing.T) {
	for _, c := range []Config{bounds(KIP279, 2, 2, 2, 1), bounds(KIP101, 3, 2, 1, 1), bounds(KIP320, 4, 1, 1, 0)} {
		plain, err := newModel(c)
		if err != nil {
			t.Fatal(err)
		}
		symmetrical, err := newModel(symmetric(c))
		if err != nil {
			t.Fatal(err)
		}
		states, _ := reachable(plain)
		for _, s := range states {
			var want []uint64
			for _, p := range explore.Permutations(c.Replicas) {
				renamed := rename(&s, c.Replicas, p)
				if key := plain.AppendKey(nil, &renamed); want == nil || slices.Compare(key, want) < 0 {
					want = key
				}
			}
			for _, p := range explore.Permutations(c.Replicas) {
				renamed := rename(&s, c.Replicas, p)
				if got := symmetrical.AppendKey(nil, &renamed); !slices.Equal(got, want) {
					t.Fatalf("%s: the key of %+v is %x, want %x", c, renamed, got, want)
				}
			}
		}
	}
}
