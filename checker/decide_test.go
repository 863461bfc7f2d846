package checker

import (
	"reflect"
	"slices"
	"testing"

	"github.com/anishathalye/porcupine"
	"pgregory.net/rapid"
)

// rulings judges a history with a check of the caller's choice.
func rulings(h History, check checkFunc) map[Claim]map[Level]Ruling {
	x := newIndex(&h)
	x.check = check
	out := map[Claim]map[Level]Ruling{}
	for _, v := range x.judgeAll(Options{Also: []Claim{Recent}}).Verdicts {
		if v.NotObserved {
			continue
		}
		if out[v.Claim] == nil {
			out[v.Claim] = map[Level]Ruling{}
		}
		out[v.Claim][v.Level] = v.Ruling
	}
	return out
}

// With a check that finds everything legal no claim may be violated, whatever the history: nothing but the check rules.
func TestNothingButTheCheckRules(t *testing.T) {
	legal := func(porcupine.Model, part) porcupine.CheckResult { return porcupine.Ok }
	for _, trial := range trials {
		for c, levels := range rulings(trial.h, legal) {
			for l, r := range levels {
				if r == Violated {
					t.Errorf("%s: %s at the %s is violated without the check", trial.name, c, l)
				}
			}
		}
	}
}

// The other way round: if the check finds everything illegal, every claim with something to check is violated.
func TestTheCheckCanViolateEveryClaim(t *testing.T) {
	never := func(_ porcupine.Model, p part) porcupine.CheckResult {
		if len(p.ops) == 0 {
			return porcupine.Ok
		}
		return porcupine.Illegal
	}
	violated := map[Claim]bool{}
	for _, trial := range trials {
		for c, levels := range rulings(trial.h, never) {
			for _, r := range levels {
				violated[c] = violated[c] || r == Violated
			}
		}
	}
	for _, c := range Claims() {
		if !violated[c] {
			t.Errorf("%s is never violated, although the check says so", c)
		}
	}
}

// A mutant changes one step of one model. Each must turn the ruling of some trial, or else the trials would not notice
// if the model lost that rule.
func TestPlantedModelFaultsAreCaught(t *testing.T) {
	type step = func(state, input, output any) (bool, any)
	mutants := []struct {
		name  string
		claim Claim
		plant func(step) step
	}{
		{"a record may take effect twice", AtMostOnce, func(s step) step {
			return func(state, input, output any) (bool, any) {
				st, ok := state.(deliveryState)
				if ok && input.(deliveryOp).kind == opEffect && st.effects > 0 {
					return true, st
				}
				return s(state, input, output)
			}
		}},
		{"a record that failed for certain may take effect", AtMostOnce, func(s step) step {
			return func(state, input, output any) (bool, any) {
				if st, ok := state.(deliveryState); ok {
					st.permitted = true
					state = st
				}
				return s(state, input, output)
			}
		}},
		{"an acknowledged record may be missing", AtLeastOnce, legalIf(func(op any) bool { return op == deliveryOp{kind: opEnd} })},
		{"a record may be missing under exactly-once", ExactlyOnce, legalIf(func(op any) bool { return op == deliveryOp{kind: opEnd} })},
		{"an append may go anywhere", Linearizable, func(s step) step {
			return func(state, input, output any) (bool, any) {
				st, ok := state.(logState)
				if op, isLog := input.(logOp); ok && isLog && op.kind == opAppend {
					return true, logState{max(st.end, op.next), op.record, op.submission}
				}
				return s(state, input, output)
			}
		}},
		{"the final log may be anything", Linearizable, legalIf(func(op any) bool { o, ok := op.(logOp); return ok && o.kind == opFinal })},
		{"an end offset may be anything", Linearizable, nil}, // its place in the line is all that is asked of it: it is taken out
		{"a read may return anything", Linearizable, legalIf(func(op any) bool { o, ok := op.(logOp); return ok && o.kind == opRead })},
		{"order does not matter", Ordered, legalIf(func(op any) bool { _, ok := op.(orderOp); return ok })},
		{"an older owner may repeat", Ordered, func(s step) step {
			return func(state, input, output any) (bool, any) {
				if op, ok := input.(orderOp); ok {
					op.beyond = -1
					input = op
				}
				return s(state, input, output)
			}
		}},
		{"a transaction may be torn", Atomic, legalIf(func(op any) bool { _, ok := op.(atomicOp); return ok })},
		{"aborted records may be seen", NoAbortedRead, func(s step) step {
			return func(state, input, output any) (bool, any) {
				if st, ok := state.(txnState); ok {
					st.doomed = false
					if op := input.(txnOp); op.kind == opSee {
						return st.asked || op.free, st
					}
				}
				return s(state, input, output)
			}
		}},
		{"open transactions may be seen", NoAbortedRead, func(s step) step {
			return func(state, input, output any) (bool, any) {
				if st, ok := state.(txnState); ok && input.(txnOp).kind == opSee {
					return !st.doomed, st
				}
				return s(state, input, output)
			}
		}},
		{"an offset may change its record", MonotonicRead, legalIf(func(op any) bool { o, ok := op.(monotonicOp); return ok && o.kind == opShow })},
		{"an offset may vanish", MonotonicRead, legalIf(func(op any) bool { o, ok := op.(monotonicOp); return ok && o.kind == opGone })},
		{"answers may go back", MonotonicRead, legalIf(func(op any) bool { o, ok := op.(monotonicOp); return ok && o.kind == opAnswer })},
		{"a zombie may act", Fenced, legalIf(func(op any) bool { o, ok := op.(officeOp); return ok && !o.grant })},
		{"a record may be missed", Recent, legalIf(func(op any) bool { return op == opMiss })},
		{"nothing needs to be done", Available, legalIf(func(op any) bool { return op == opTime })},
	}
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			broken := func(model porcupine.Model, p part) porcupine.CheckResult {
				if m.plant != nil {
					model.Step = m.plant(model.Step)
				} else {
					p.ops = slices.DeleteFunc(slices.Clone(p.ops), func(o porcupine.Operation) bool {
						op, ok := o.Input.(logOp)
						return ok && op.kind == opEndOffset
					})
				}
				return askPorcupine(model, p)
			}
			for _, trial := range trials {
				right, wrong := rulings(trial.h, askPorcupine), rulings(trial.h, broken)
				for l := range right[m.claim] {
					if right[m.claim][l] != wrong[m.claim][l] {
						return
					}
				}
			}
			t.Error("no trial notices")
		})
	}
}

// legalIf makes a mutant that lets an operation pass without a look, keeping the state that the step would leave.
func legalIf(which func(op any) bool) func(func(state, input, output any) (bool, any)) func(state, input, output any) (bool, any) {
	return func(s func(state, input, output any) (bool, any)) func(state, input, output any) (bool, any) {
		return func(state, input, output any) (bool, any) {
			ok, next := s(state, input, output)
			return ok || which(input), next
		}
	}
}

// A line is a shortcut: of a small history a search of every order finds the same rulings.
func TestLinesRuleAsASearchDoes(t *testing.T) {
	search := func(model porcupine.Model, p part) porcupine.CheckResult {
		p.line = false
		return askPorcupine(model, p)
	}
	for _, trial := range trials {
		if line, free := rulings(trial.h, askPorcupine), rulings(trial.h, search); !reflect.DeepEqual(line, free) {
			t.Errorf("%s: %v in line, %v by search", trial.name, line, free)
		}
	}
	count := map[Ruling]int{}
	rapid.Check(t, func(t *rapid.T) {
		h := drawAnswers(t)
		line := rulings(h, askPorcupine)
		if free := rulings(h, search); !reflect.DeepEqual(line, free) {
			t.Fatalf("%v in line, %v by search", line, free)
		}
		count[line[MonotonicRead][AtApplication]]++
	})
	if count[Holds] == 0 || count[Violated] == 0 {
		t.Errorf("the histories are one-sided: %v", count)
	}
	rapid.Check(t, func(t *rapid.T) {
		h := drawLogHistory(t)
		if line, free := rulings(h, askPorcupine), rulings(h, search); !reflect.DeepEqual(line, free) {
			t.Fatalf("%v in line, %v by search", line, free)
		}
	})
}

// drawAnswers makes a few commits of positions, and look-ups of positions and of ends that overlap them and each other.
func drawAnswers(t *rapid.T) History {
	h := History{Quiescence: rested, End: 30}
	offset := rapid.Int64Range(0, 3)
	lasts := func(what string) (call, step int) {
		call = rapid.IntRange(1, 12).Draw(t, what+" asked")
		return call, call + rapid.IntRange(0, 6).Draw(t, what+" lasts")
	}
	written := 0 // one commit a step: the order of commits is given
	for range rapid.IntRange(0, 4).Draw(t, "commits") {
		written += rapid.IntRange(1, 4).Draw(t, "pause")
		h.OffsetCommits = append(h.OffsetCommits, OffsetCommit{Group: "shop", Consumer: "c", TP: orders, Offset: offset.Draw(t, "committed"), Written: written, Step: written + 1})
	}
	for range rapid.IntRange(1, 5).Draw(t, "look-ups") {
		call, step := lasts("look-up")
		h.OffsetFetches = append(h.OffsetFetches, OffsetFetch{Group: "shop", Consumer: "d", TP: orders, Offset: offset.Draw(t, "position"), Call: call, Step: step})
	}
	for range rapid.IntRange(0, 2).Draw(t, "ends") {
		call, step := lasts("end")
		h.EndOffsets = append(h.EndOffsets, EndOffset{Consumer: "e", TP: orders, Offset: offset.Draw(t, "end"), Call: call, Step: step})
	}
	return h
}
