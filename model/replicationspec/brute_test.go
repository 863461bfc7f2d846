package replicationspec

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
)

// plain is a state of the generations in which leaders remember, written down a second time: lists and numbers, no words, no bits.
// Nothing of the model's code is used for it, so that a rule that was written wrongly there would have to be so here too.
type plain struct {
	Log     [][][2]int // by replica: records, and the epochs they were written in
	HW      []int
	Epoch   []int
	Leader  []int // whom each takes for the leader; -1 for nobody
	ISR     [][]int
	Noted   [][]int // by leader and follower; -1 for nothing
	Given   [][2]any
	Quorum  []int
	Written int
	Served  []int // follower, leader, end; empty for none
}

func (p plain) copy() (q plain) {
	b, _ := json.Marshal(p)
	q.Given = nil
	if json.Unmarshal(b, &q) != nil {
		panic("a state can not be copied")
	}
	return q
}

func (p *plain) given(e int) (leader int, isr []int) {
	for _, v := range p.Given[e][1].([]any) {
		isr = append(isr, int(v.(float64)))
	}
	return int(p.Given[e][0].(float64)), isr
}

func (p *plain) quorumLeader() int {
	if len(p.Given) == 0 {
		return -1
	}
	l, _ := p.given(len(p.Given) - 1)
	return l
}

func without(list []int, x int) []int {
	return slices.DeleteFunc(slices.Clone(list), func(y int) bool { return x == y })
}

func with(list []int, x int) []int {
	return slices.Sorted(slices.Values(append(slices.Clone(list), x)))
}

// plainNext lists what can happen, by the rules as docs/replication-spec.md tells them.
func plainNext(c Config, p plain) (all []plain) {
	add := func(change func(*plain)) {
		q := p.copy()
		change(&q)
		all = append(all, q.copy()) // numbers as JSON has them
	}
	decide := func(leader int, isr []int) {
		add(func(q *plain) {
			q.Given, q.Quorum = append(q.Given, [2]any{leader, isr}), isr
		})
	}
	leads := func(x int) bool { return p.Leader[x] == x }
	together := func(f, l int) bool { return leads(l) && p.Leader[f] == l && p.Epoch[f] == p.Epoch[l] }
	true_ := func(l int) bool {
		return leads(l) && p.quorumLeader() == l && p.Epoch[l] == len(p.Given)-1
	}
	reached := func(l int) bool {
		return p.HW[l] == len(p.Log[l]) || p.Log[l][p.HW[l]][1] == p.Epoch[l]
	}
	answer := func(q *plain, f, l int) {
		if n := len(q.Log[f]); n < len(q.Log[l]) {
			q.Log[f] = append(q.Log[f], q.Log[l][n])
		}
		q.HW[f] = min(q.HW[l], len(q.Log[f]))
	}
	for x := range c.Replicas {
		if ql := p.quorumLeader(); len(p.Given) <= c.Epochs {
			in := slices.Contains(p.Quorum, x)
			if in && ql != x {
				decide(x, p.Quorum)
			}
			switch {
			case ql == x && len(p.Quorum) == 1 && in:
				decide(-1, p.Quorum)
			case ql == x:
				decide(-1, without(p.Quorum, x))
			case in:
				decide(ql, without(p.Quorum, x))
			}
		}
		if leads(x) && p.Written < c.Records && len(p.Log[x]) < c.LogSize {
			add(func(q *plain) {
				q.Log[x], q.Written = append(q.Log[x], [2]int{q.Written, q.Epoch[x]}), q.Written+1
			})
		}
		if leads(x) && p.HW[x] < len(p.Log[x]) {
			everyone := true
			for _, f := range p.ISR[x] {
				everyone = everyone && (f == x || p.Noted[x][f] > p.HW[x])
			}
			if everyone {
				add(func(q *plain) { q.HW[x]++ })
			}
		}
		for e := p.Epoch[x] + 1; e < len(p.Given); e++ {
			leader, isr := p.given(e)
			switch {
			case leader == x:
				add(func(q *plain) {
					skipped := e > p.Epoch[x]+1
					forget := !leads(x) || c.Generation == ForgetOnEveryEpoch || c.Generation == EpochWithLogEnd || c.Generation == ForgetOnSkippedEpoch && skipped
					for f := range q.Noted[x] {
						if forget {
							q.Noted[x][f] = -1
						}
					}
					if c.Generation == EpochWithLogEnd && len(q.Served) > 0 && q.Served[1] == x {
						q.Served = []int{}
					}
					q.Epoch[x], q.Leader[x], q.ISR[x] = e, x, isr
				})
			case leader >= 0 && leads(leader) && p.Epoch[leader] == e:
				add(func(q *plain) {
					keep := 0
					for o := range min(len(p.Log[x]), len(p.Log[leader])) {
						if p.Log[x][o] == p.Log[leader][o] {
							keep = o + 1
						}
					}
					q.Log[x], q.HW[x] = q.Log[x][:keep], min(q.HW[x], keep)
					for f := range q.Noted[x] {
						q.Noted[x][f] = -1
					}
					if len(q.Served) > 0 && q.Served[1] == x {
						q.Served = []int{}
					}
					q.Epoch[x], q.Leader[x], q.ISR[x] = e, leader, isr
				})
			}
		}
	}
	if len(p.Served) > 0 {
		f, l, end := p.Served[0], p.Served[1], p.Served[2]
		noted := func(q *plain) {
			q.Served, q.Noted[l][f] = []int{}, end
			if together(f, l) && len(p.Log[f]) == end {
				answer(q, f, l)
			}
		}
		add(noted)
		if true_(l) && !slices.Contains(p.ISR[l], f) && end >= p.HW[l] && reached(l) {
			add(func(q *plain) {
				noted(q)
				q.ISR[l] = with(q.ISR[l], f)
				q.Quorum = q.ISR[l]
			})
		}
	}
	for l := range c.Replicas {
		for f := range c.Replicas {
			if f == l || !leads(l) {
				continue
			}
			news := len(p.Log[f]) < len(p.Log[l]) || p.HW[f] != min(p.HW[l], len(p.Log[f])) || p.Noted[l][f] != len(p.Log[f])
			joins := true_(l) && !slices.Contains(p.ISR[l], f) && len(p.Log[f]) >= p.HW[l] && reached(l)
			switch {
			case !together(f, l):
			case c.SplitFetch:
				if len(p.Served) == 0 && (news || joins) {
					add(func(q *plain) { q.Served = []int{f, l, len(q.Log[f])} })
				}
			default:
				if news {
					add(func(q *plain) { q.Noted[l][f] = len(q.Log[f]); answer(q, f, l) })
				}
				if joins {
					add(func(q *plain) {
						q.Noted[l][f] = len(q.Log[f])
						q.ISR[l] = with(q.ISR[l], f)
						q.Quorum = q.ISR[l]
					})
				}
			}
			if true_(l) && slices.Contains(p.ISR[l], f) && p.Noted[l][f] < len(p.Log[l]) {
				add(func(q *plain) { q.ISR[l] = without(q.ISR[l], f); q.Quorum = q.ISR[l] })
			}
		}
	}
	return all
}

// broken says that a leader counts a record as committed that a member of the quorum's ISR does not share.
func (p *plain) broken() bool {
	for l := range p.Leader {
		for o := range p.HW[l] {
			for _, m := range p.Quorum {
				if p.Leader[l] == l && (o >= len(p.Log[m]) || p.Log[m][o] != p.Log[l][o]) {
					return true
				}
			}
		}
	}
	return false
}

// plainSearch visits every state, level by level, up to the first in which something is broken, and counts.
func plainSearch(c Config) (distinct, generated, depth int, broken bool) {
	key := func(p plain) string { b, _ := json.Marshal(p); return string(b) }
	var first plain
	for r := range c.Replicas {
		first.Log, first.HW, first.Epoch, first.Leader = append(first.Log, nil), append(first.HW, 0), append(first.Epoch, -1), append(first.Leader, -1)
		first.ISR, first.Quorum = append(first.ISR, nil), append(first.Quorum, r)
		first.Noted = append(first.Noted, slices.Repeat([]int{-1}, c.Replicas))
	}
	first.Served = []int{}
	normal := func(p plain) plain { // what is empty is written in one way
		for i := range p.Log {
			p.Log[i], p.ISR[i] = append([][2]int{}, p.Log[i]...), append([]int{}, p.ISR[i]...)
		}
		p.Given, p.Quorum = append([][2]any{}, p.Given...), append([]int{}, p.Quorum...)
		return p
	}
	first = normal(first)
	seen, level := map[string]bool{key(first): true}, []plain{first}
	distinct, generated = 1, 1
	for len(level) > 0 {
		depth++
		var next []plain
		for _, p := range level {
			for _, q := range plainNext(c, p) {
				generated++
				q = normal(q)
				if k := key(q); !seen[k] {
					seen[k] = true
					distinct++
					if q.broken() {
						return distinct, generated, depth + 1, true
					}
					next = append(next, q)
				}
			}
		}
		level = next
	}
	return distinct, generated, depth, false
}

// The two ways to write the rules come to the same states, steps and levels, and to counterexamples of the same length. Where one
// is found the search ends within a level, whose rest the two visit in another order; so the length alone is compared. With
// SPEC_BRUTE=1 larger bounds, some minutes.
func TestRememberedAgainstASecondWriting(t *testing.T) {
	if testing.Short() {
		t.Skip("visits every state of a bounded model twice")
	}
	all := [][4]int{{2, 1, 1, 2}, {3, 1, 1, 0}}
	if os.Getenv("SPEC_BRUTE") != "" {
		all = [][4]int{{2, 2, 2, 2}, {3, 1, 1, 1}, {3, 1, 1, 2}}
	}
	for _, b := range all {
		for _, name := range remembering() {
			for _, split := range []bool{false, true} {
				c := checking(bounds(Generation(name), b[0], b[1], b[2], b[3]), StrongIsr)
				c.SplitFetch = split
				t.Run(testName(c), func(t *testing.T) {
					distinct, generated, depth, broken := plainSearch(c)
					r := check(t, c)
					if broken != (r.Violation != nil) || depth != r.Depth {
						t.Fatalf("the model has a violation: %v, depth %d; the second writing: %v, depth %d", r.Violation != nil, r.Depth, broken, depth)
					}
					if !broken && (distinct != r.Distinct || generated != r.Generated) {
						t.Errorf("the model has %d states and %d steps; the second writing %d and %d", r.Distinct, r.Generated, distinct, generated)
					}
					t.Log(r.Distinct, r.Generated, r.Depth, broken)
				})
			}
		}
	}
}
