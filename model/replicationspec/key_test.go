package replicationspec

import (
	"fmt"
	"slices"
	"testing"

	"kafkatrial/sim/explore"
)

// reachable lists every state, by a plain search that knows nothing of words, keys and fingerprints, and counts the steps.
func reachable(m *model) (states []state, generated int) {
	seen := map[string]bool{}
	add := func(s state) {
		generated++
		if name := fmt.Sprintf("%+v", s); !seen[name] {
			seen[name] = true
			states = append(states, s)
		}
	}
	add(initial(m.replicas))
	for i := 0; i < len(states); i++ {
		for _, next := range m.next(nil, &states[i]) {
			add(next.state)
		}
	}
	return states, generated
}

// No two different states share a key, and no fingerprint hides a state: the plain search finds the same counts. The bounds
// here are lopsided, to meet every field at its limits.
func TestKeysAreExact(t *testing.T) {
	if testing.Short() {
		t.Skip("every state within bounds is written in two ways")
	}
	for _, g := range Generations() {
		all := []Config{
			bounds(g, 1, 4, 4, 4), bounds(g, 2, 4, 3, 1), bounds(g, 2, 1, 4, 2), bounds(g, 3, 2, 1, 1), bounds(g, 4, 1, 1, 0), bounds(g, 5, 1, 1, 0),
		}
		if slices.Contains(remembering(), string(g)) { // what is noted is checked in smaller bounds: there are more states
			all = []Config{bounds(g, 1, 4, 4, 4), split(bounds(g, 2, 4, 3, 0)), split(bounds(g, 2, 1, 2, 1)), split(bounds(g, 3, 1, 1, 0))}
		}
		for _, c := range all {
			m, err := newModel(c)
			if err != nil {
				t.Fatal(err)
			}
			states, generated := reachable(m)
			for i := range states {
				var u unpacked
				p := m.pack(&states[i])
				if back := m.unpack(&u, &p); fmt.Sprintf("%+v", *back) != fmt.Sprintf("%+v", states[i]) {
					t.Fatalf("%s: %+v comes back as %+v", c, states[i], *back)
				}
			}
			if r := check(t, c); r.Distinct != len(states) || r.Generated != generated {
				t.Errorf("%s: %d distinct, %d generated; the plain search has %d, %d", c, r.Distinct, r.Generated, len(states), generated)
			}
		}
	}
}

// rename gives replica old the name to[old], field by field.
func rename(s *state, n int, to []int) state {
	renamed := initial(n)
	newLeader := func(l int) int {
		if l == none {
			return none
		}
		return to[l]
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
	for _, q := range s.requests {
		renamed.requests = append(renamed.requests, request{leader: newLeader(q.leader), isr: newSet(q.isr)})
	}
	for l := range n {
		for f := range n {
			renamed.replicas[to[l]].noted[to[f]] = s.replicas[l].noted[f]
		}
	}
	if renamed.served = s.served; s.served != noFetch {
		renamed.served.follower, renamed.served.leader = to[s.served.follower], to[s.served.leader]
	}
	renamed.nextRecord, renamed.isr = s.nextRecord, newSet(s.isr)
	return renamed
}

func keyOf(m *model, s *state) []uint64 {
	p := m.pack(s)
	return m.AppendKey(nil, &p)
}

// With symmetry the key of a state is the smallest plain key of all its renamings; so it is the same for all of them.
func TestSymmetricKeyIsTheSmallest(t *testing.T) {
	for _, c := range []Config{bounds(KIP279, 2, 2, 2, 1), bounds(KIP101, 3, 2, 1, 1), bounds(KIP320, 4, 1, 1, 0), split(bounds(Remembered, 3, 1, 1, 0))} {
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
				if key := keyOf(plain, &renamed); want == nil || slices.Compare(key, want) < 0 {
					want = key
				}
			}
			for _, p := range explore.Permutations(c.Replicas) {
				renamed := rename(&s, c.Replicas, p)
				if got := keyOf(symmetrical, &renamed); !slices.Equal(got, want) {
					t.Fatalf("%s: the key of %+v is %x, want %x", c, renamed, got, want)
				}
			}
		}
	}
}
