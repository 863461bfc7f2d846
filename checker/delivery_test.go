package checker

import (
	"fmt"
	"slices"
	"testing"

	"github.com/anishathalye/porcupine"
	"pgregory.net/rapid"
)

// channelOp is an operation on a delivery channel for the naive search.
type channelOp struct {
	call, ret int
	effect    bool
	acked     bool // of a submission
	fails     bool
}

// naiveChannel tries every order of the operations on one record that respects time.
func naiveChannel(ops []channelOp, permitted, owed bool, effects int, ru rule) bool {
	if len(ops) == 0 {
		return ru.mayMiss || !owed || effects > 0
	}
	for i, o := range ops {
		if slices.ContainsFunc(ops, func(p channelOp) bool { return p.ret < o.call }) {
			continue // another must come first
		}
		rest := slices.Delete(slices.Clone(ops), i, i+1)
		switch {
		case o.effect && permitted && (effects == 0 || ru.mayDouble):
			if naiveChannel(rest, permitted, owed, effects+1, ru) {
				return true
			}
		case !o.effect:
			if naiveChannel(rest, permitted || !o.fails, owed || o.acked, effects, ru) {
				return true
			}
		}
	}
	return false
}

// drawChannel makes a history of one record with up to three submissions and three effects, each of which takes its time.
func drawChannel(t *rapid.T) (h History, ops []channelOp) {
	h = History{Applications: shop, Quiescence: rested, End: 12}
	possible := false
	for i := range rapid.IntRange(0, 3).Draw(t, "submissions") {
		s := timedOut("m1", rapid.IntRange(1, 8).Draw(t, "send"), 0).again(fmt.Sprint(i))
		s.Outcome = Outcome{Kind: OutcomeKind(rapid.IntRange(0, 2).Draw(t, "outcome")), Offset: -1, Step: s.SendStep + rapid.IntRange(0, 4).Draw(t, "takes")}
		possible = possible || s.Outcome.Kind != FailedForCertain
		h.Submissions = append(h.Submissions, s)
	}
	for i := range h.Submissions {
		s := &h.Submissions[i]
		o := channelOp{call: s.SendStep, ret: s.Outcome.Step, acked: s.Outcome.Kind == Acked, fails: !possible}
		if !o.acked {
			o.ret = h.End + 1
		}
		ops = append(ops, o)
	}
	for range rapid.IntRange(0, 3).Draw(t, "effects") {
		e := effect("m1", 0, rapid.IntRange(1, 12).Draw(t, "processed"))
		e.Begun = max(1, e.Step-rapid.IntRange(0, 4).Draw(t, "takes"))
		h.Effects = append(h.Effects, e)
		ops = append(ops, channelOp{call: e.Begun, ret: e.Step, effect: true})
	}
	return h, ops
}

func TestDeliveryMatchesANaiveSearch(t *testing.T) {
	count := map[Ruling]int{}
	rapid.Check(t, func(t *rapid.T) {
		h, ops := drawChannel(t)
		for c, ru := range map[Claim]rule{AtMostOnce: {mayMiss: true}, AtLeastOnce: {mayDouble: true}, ExactlyOnce: {}} {
			naive := Violated
			if naiveChannel(ops, false, false, 0, ru) {
				naive = Holds
			}
			v := newIndex(&h).judgeDelivery(c, AtApplication, ru)
			if v.Ruling != naive || v.Ruling == Violated && v.Evidence.Sentence == "" {
				t.Fatalf("%s: %s, by the naive search %s: %s", c, v.Ruling, naive, v.Evidence.Sentence)
			}
			count[v.Ruling]++
		}
	})
	if count[Holds] == 0 || count[Violated] == 0 {
		t.Errorf("the histories are one-sided: %v", count)
	}
}

// Two parts have one shape if their moments come in the same order, and only then.
func TestShapes(t *testing.T) {
	a := []int{3, 3, 5, 9}
	for _, c := range []struct {
		b     []int
		alike bool
	}{{[]int{1, 1, 2, 30}, true}, {[]int{3, 4, 5, 9}, false}, {[]int{3, 3, 3, 9}, false}, {[]int{5, 5, 3, 9}, false}} {
		one := shapeOf(append(instants(a[:2]), interval(a[2], a[3], opDone)))
		two := shapeOf(append(instants(c.b[:2]), interval(c.b[2], c.b[3], opDone)))
		if (one == two) != c.alike {
			t.Errorf("%v and %v: %v", a, c.b, one == two)
		}
	}
	nested := []porcupine.Operation{interval(1, 4, opDone), interval(2, 3, opDone)}
	if shapeOf(nested) == shapeOf([]porcupine.Operation{interval(1, 3, opDone), interval(2, 4, opDone)}) {
		t.Error("an operation within another is like one that goes beyond it")
	}
	if shapeOf(instants([]int{1})) == shapeOf(instants([]int{1, 1})) {
		t.Error("the number of operations makes no difference")
	}
}

func instants(steps []int) (ops []porcupine.Operation) {
	for _, s := range steps {
		ops = append(ops, instant(s, opAsked))
	}
	return ops
}

func init() {
	crowds = append(crowds,
		crowd{"one record is owed to many groups, and lost", func(n int) History {
			h := crowded(1)
			h.Applications, h.Reads, h.Effects, h.Logs[0].Entries = nil, nil, nil, nil
			for i := range n {
				h.Applications = append(h.Applications, Application{Name: string(name("g", i)), Topics: []string{"orders"}})
			}
			return h
		}, AtLeastOnce, AtApplication, Violated},
		crowd{"all was removed before it was read", func(n int) History {
			h := crowded(n)
			for _, e := range h.Logs[0].Entries {
				h.Logs[0].Expired = append(h.Logs[0].Expired, Expiry{Entry: e, Cause: DeleteRecords, Step: 15})
			}
			h.Logs[0].Entries, h.Logs[0].Start, h.Reads, h.Effects = nil, int64(n), nil, nil
			return h
		}, Available, AtApplication, Holds},
		crowd{"one record is sent many times, in vain", func(n int) History {
			h := crowded(1)
			h.Submissions, h.Logs[0].Entries, h.Reads, h.Effects = nil, nil, nil, nil
			for i := range n {
				h.Submissions = append(h.Submissions, timedOut("m0", 1, 9).again(fmt.Sprint(i)))
			}
			return h
		}, Available, AtLog, Violated},
		crowd{"two take turns in an office", func(n int) History {
			h := owned(crowded(n), 12)
			for i := range h.Effects {
				h.Effects[i].Consumer, h.Effects[i].Generation = []string{"c", "d"}[i%2], 1+i%2
			}
			return h
		}, Fenced, AtApplication, Violated},
		crowd{"an office passes all the time", func(n int) History {
			h := crowded(n)
			h.Grants = nil
			for i := range h.Effects {
				who := string(name("c", i))
				h.Grants = append(h.Grants, Grant{Office: OwnerOffice, Name: "shop", TP: orders, Epoch: i + 1, Holder: who, Call: 2, Step: 39})
				h.Effects[i].Consumer, h.Effects[i].Generation = who, i+1
			}
			return h
		}, Fenced, AtApplication, Holds})
}

// An entry has taken effect when a high watermark has passed it and its transaction is decided.
func TestSpansOfEntries(t *testing.T) {
	h := transacted(crowded(1))
	x := newIndex(&h)
	if got := x.flowsAt(AtLog)[0].spans(x); len(got) != 1 || got[0] != (span{2, 12}) {
		t.Errorf("%v", got)
	}
	h.Txns, h.Submissions[0].Txn = nil, ""
	x = newIndex(&h)
	if got := x.flowsAt(AtLog)[0].spans(x); len(got) != 1 || got[0] != (span{2, 8}) {
		t.Errorf("%v", got)
	}
}
