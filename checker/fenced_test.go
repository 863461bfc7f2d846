package checker

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// given is a grant of the transactional.id t, told in a step.
func given(to string, life, epoch, call, step int) Grant {
	return Grant{Office: ProducerOffice, Name: "t", Epoch: epoch, ProducerID: 7, Holder: to, Incarnation: life, Call: call, Step: step}
}

// wrote is a history in which one record was appended under the transactional.id t and is in effect.
func wrote(by string, life, epoch, step int, grants ...Grant) History {
	s := sub("m1", 2, 0, 0)
	s.Producer, s.Incarnation, s.TransactionalID, s.ProducerID, s.ProducerEpoch = by, life, "t", 7, epoch
	s.Outcome = Outcome{Offset: -1}
	return History{Submissions: []Submission{s}, Appends: []Append{written(1, "m1", 0, step)}, Grants: grants,
		Logs: ordersLog(entry("m1", 0, step)), Quiescence: rested, End: 40}
}

func TestFencedKnowsTheProcess(t *testing.T) {
	for _, c := range []struct {
		name string
		h    History
		says string // "" if it holds
	}{
		{"the same process goes on", wrote("p", 1, 0, 20, given("p", 1, 0, 1, 1)), ""},
		{"it has not heard of its own renewal", wrote("p", 1, 0, 20, given("p", 1, 0, 1, 1), given("p", 1, 1, 9, 10)), ""},
		{"it was started again, and its old request came after", wrote("p", 1, 0, 20, given("p", 1, 0, 1, 1), given("p", 2, 1, 9, 10)),
			"p (after restart 1) was given t with producer epoch 1 in step 10, and yet p appended m1 with producer epoch 0 at offset 0 of orders-0 in step 20, by a request of an earlier process."},
		{"its old request came while the new process was being told", wrote("p", 1, 0, 10, given("p", 1, 0, 1, 1), given("p", 2, 1, 9, 11)), ""},
		{"another had it in between", wrote("a", 1, 1, 20, given("a", 1, 1, 1, 1), given("b", 1, 2, 4, 5), given("a", 1, 3, 9, 10)),
			"b was given t with producer epoch 2 in step 5, and yet a appended m1 with producer epoch 1 at offset 0 of orders-0 in step 20."},
		{"another had it in between, and it acts under the epoch it has now", wrote("a", 1, 3, 20, given("a", 1, 1, 1, 1), given("b", 1, 2, 4, 5), given("a", 1, 3, 9, 10)), ""},
		{"another was told first of the later epoch", wrote("b", 1, 2, 12, given("a", 1, 1, 1, 14), given("b", 1, 2, 4, 5)), ""},
		{"and the first acts once it is told", wrote("a", 1, 1, 20, given("a", 1, 1, 1, 14), given("b", 1, 2, 4, 5)),
			"b was given t with producer epoch 2 in step 5, and yet a appended m1 with producer epoch 1 at offset 0 of orders-0 in step 20."},
		{"a renewal is heard of first, and holds", wrote("b", 1, 0, 12, given("a", 1, 1, 1, 14), given("a", 1, 2, 4, 5)),
			"a was given t with producer epoch 2 in step 5, and yet b appended m1 with producer epoch 0 at offset 0 of orders-0 in step 12."},
		{"old and new act in the step in which it passes", edit(wrote("q", 1, 1, 10, given("p", 1, 0, 1, 1), given("q", 1, 1, 9, 11)), func(h *History) {
			s := h.Submissions[0]
			s.ID, s.Record, s.Producer, s.ProducerEpoch = "m2#1", "m2", "p", 0
			h.Submissions = append(h.Submissions, s)
			h.Logs = ordersLog(entry("m1", 0, 10), entry("m2", 1, 10))
		}), ""},
		{"the next holder is told late, and the one after it in time", wrote("a", 1, 1, 7, given("a", 1, 1, 1, 1), given("b", 1, 2, 3, 14), given("c", 1, 3, 4, 5)),
			"c was given t with producer epoch 3 in step 5, and yet a appended m1 with producer epoch 1 at offset 0 of orders-0 in step 7."},
		{"one epoch for two", wrote("a", 1, 1, 20, given("a", 1, 1, 1, 1), given("b", 1, 1, 4, 5)),
			"b was given t with producer epoch 1 in step 5, and yet a appended m1 with producer epoch 1 at offset 0 of orders-0 in step 20."},
	} {
		v, ok := Judge(c.h, Options{Claims: []Claim{Fenced}}).Find(Fenced, AtLog)
		if !ok || (v.Ruling == Holds) != (c.says == "") || v.Evidence.Sentence != c.says {
			t.Errorf("%s: %s: %s", c.name, v.Ruling, v.Evidence.Sentence)
		}
	}
}

// A partition of a group passes for the coordinator when it is given away, and for the applications between that and when
// the new owner hears of it.
func TestOwnersHearOfIt(t *testing.T) {
	own := func(to string, life, generation, call, step int) Grant {
		return Grant{Office: OwnerOffice, Name: "shop", TP: orders, Epoch: generation, Holder: to, Incarnation: life, Call: call, Step: step}
	}
	for _, c := range []struct {
		name     string
		grants   []Grant
		acts     int // the step in which the first process of c acts in generation 1
		log, app Ruling
	}{
		{"before it is given away", []Grant{own("c", 1, 1, 2, 3), own("d", 1, 2, 10, 12)}, 9, Holds, Holds},
		{"before the new owner hears of it", []Grant{own("c", 1, 1, 2, 3), own("d", 1, 2, 10, 12)}, 11, Violated, Holds},
		{"after", []Grant{own("c", 1, 1, 2, 3), own("d", 1, 2, 10, 12)}, 13, Violated, Violated},
		{"the new owner never hears of it", []Grant{own("c", 1, 1, 2, 3), own("d", 1, 2, 10, 0)}, 13, Violated, Holds},
		{"it was started again", []Grant{own("c", 1, 1, 2, 3), own("c", 2, 2, 10, 12)}, 13, Violated, Violated},
		{"it has it again", []Grant{own("c", 1, 1, 2, 3), own("d", 1, 2, 5, 6), own("c", 1, 3, 10, 12)}, 13, Violated, Violated},
	} {
		h := smooth()
		h.Grants = c.grants
		h.OffsetCommits = []OffsetCommit{{Group: "shop", Consumer: "c", Incarnation: 1, Generation: 1, TP: orders, Offset: 1, Written: c.acts, Step: 30}}
		e := effect("m1", 0, c.acts)
		e.Incarnation, e.Generation = 1, 1
		h.Effects = []Effect{e, effect("m2", 1, 22)}
		r := Judge(h, Options{Claims: []Claim{Fenced}})
		log, _ := r.Find(Fenced, AtLog)
		app, _ := r.Find(Fenced, AtApplication)
		if log.Ruling != c.log || app.Ruling != c.app {
			t.Errorf("%s: %s at the log and %s at the application, want %s and %s", c.name, log.Ruling, app.Ruling, c.log, c.app)
		}
	}
}

// naiveOffice tries every place of every grant among the acts of an office, and every order of what happens in one step.
// A grant is {epoch, holder, call, ret}, an act {epoch, holder, step}.
func naiveOffice(grants, acts [][4]int, since, has int) bool {
	if len(acts) == 0 {
		return true
	}
	first := acts[0][2]
	for _, a := range acts {
		first = min(first, a[2])
	}
	for i, a := range acts {
		if a[2] != first || slices.ContainsFunc(grants, func(g [4]int) bool { return g[3] < a[2] }) {
			continue
		}
		if has < 0 || a[1] == has && a[0] >= since && naiveUnder(grants, a[0], has) {
			if naiveOffice(grants, slices.Delete(slices.Clone(acts), i, i+1), since, has) {
				return true
			}
		}
	}
	if len(grants) > 0 && grants[0][2] <= first { // in the order of their epochs
		g, from := grants[0], since
		if g[1] != has {
			from = g[0]
		}
		return naiveOffice(grants[1:], acts, from, g[1])
	}
	return false
}

// naiveUnder says that an epoch belongs to no tenure that is still to come.
func naiveUnder(grants [][4]int, epoch, has int) bool {
	i := slices.IndexFunc(grants, func(g [4]int) bool { return g[1] != has })
	return i < 0 || epoch < grants[i][0]
}

func TestOfficesMatchANaiveSearch(t *testing.T) {
	count := map[Ruling]int{}
	rapid.Check(t, func(t *rapid.T) {
		var h History
		var grants, acts [][4]int
		at := 0
		for i := range rapid.IntRange(0, 3).Draw(t, "grants") {
			at += rapid.IntRange(0, 4).Draw(t, "pause")
			g := [4]int{i + 1, rapid.IntRange(1, 2).Draw(t, "holder"), at + 1, at + 1 + rapid.IntRange(0, 5).Draw(t, "takes")}
			grants = append(grants, g)
			h.Grants = append(h.Grants, given("p", g[1], g[0], g[2], g[3]))
		}
		var log []Entry
		for i := range rapid.IntRange(1, 4).Draw(t, "acts") {
			a := [4]int{rapid.IntRange(1, 3).Draw(t, "epoch"), rapid.IntRange(1, 2).Draw(t, "by"), rapid.IntRange(1, 14).Draw(t, "step")}
			if len(grants) > 0 && a[0] > len(grants) {
				a[0] = len(grants)
			}
			acts = append(acts, a)
			r := RecordID(fmt.Sprint("m", i))
			s := sub(r, 1, int64(i), 20)
			s.Producer, s.Incarnation, s.TransactionalID, s.ProducerID, s.ProducerEpoch = "p", a[1], "t", 7, a[0]
			h.Submissions = append(h.Submissions, s)
			log = append(log, entry(r, int64(i), a[2]))
		}
		h.Logs, h.Quiescence, h.End = ordersLog(log...), rested, 30
		// Each has passed at the latest when a later one has.
		for i := len(grants) - 2; i >= 0; i-- {
			grants[i][3] = min(grants[i][3], grants[i+1][3])
			grants[i][2] = min(grants[i][2], grants[i][3])
		}
		naive := Violated
		if naiveOffice(grants, acts, 0, -1) {
			naive = Holds
		}
		v := judgeFenced(newIndex(&h), AtLog)
		if v.Ruling != naive || v.Ruling == Violated && v.Evidence.Sentence == "" {
			t.Fatalf("%s, by the naive search %s: %s", v.Ruling, naive, v.Evidence.Sentence)
		}
		count[cmp.Or(v.Ruling, Holds)]++
	})
	if count[Holds] == 0 || count[Violated] == 0 {
		t.Errorf("the histories are one-sided: %v", count)
	}
}
