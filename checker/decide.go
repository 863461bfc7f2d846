package checker

import "github.com/anishathalye/porcupine"

// part is one independent piece of a history: the operations on one record, one partition, one transaction.
type part struct {
	name string
	ops  []porcupine.Operation
	// line: the operations are listed in the one order that is to be tried, and porcupine says whether that order is
	// legal and respects time.
	//
	// A search among k operations of one moment tries up to 2^k orders before it can say that there is none, so a part
	// may be left without a line only if few of its operations can overlap. A line is sound for any part: an order that
	// porcupine finds legal is a legal order. It is complete if some order is legal only when that one is, and whoever
	// makes a line says in a comment why that is so. There are three reasons: the history has the order (records in a
	// log, effects of one process), the operations commute, or their answers determine it (offsets).
	line bool
}

// instant makes an operation that happens within one step.
func instant(step int, input any) porcupine.Operation {
	return interval(step, step, input)
}

// interval makes an operation that takes effect at some moment from call to ret, both included. An answer cannot come
// before its question; a call of 0 stands for an unknown beginning and is taken as the step of the answer.
func interval(call, ret int, input any) porcupine.Operation {
	if call == 0 || call > ret {
		call = ret
	}
	return porcupine.Operation{Input: input, Call: int64(call), Return: int64(ret)}
}

// checkFunc answers whether a part has a legal order under the model. It is porcupine's, except in the tests which
// prove that nothing else rules.
type checkFunc func(porcupine.Model, part) porcupine.CheckResult

// askPorcupine sets the timeout to 0, which means none: a ruling never depends on a clock.
func askPorcupine(model porcupine.Model, p part) porcupine.CheckResult {
	if p.line {
		return askInLine(model, p.ops)
	}
	return porcupine.CheckOperationsTimeout(model, p.ops, 0)
}

// stretch is how many operations of a line are asked about at a time. What porcupine does and keeps grows with the
// square of that: asked about 100,000 at once it would keep 100,000 sets of 100,000 bits.
const stretch = 63

// turn is an operation of a line, with its place in the stretch. One without an input stands for all that lies before the
// stretch.
type turn struct {
	place int
	input any
}

// turnState is how far a line has come, and the state of the model there.
type turnState struct {
	place int
	state any
}

// inTurn makes a model that takes the operations of a line one after the other. It has one legal operation in every
// state, so that a search never has a choice; the times of the operations are left as they are, and a line that does
// not respect them finds no order.
func inTurn(model porcupine.Model, from any) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return turnState{0, from} },
		Step: func(state, input, output any) (bool, any) {
			st, op := state.(turnState), input.(turn)
			if op.place != st.place {
				return false, st
			}
			ok, next := true, st.state
			if op.input != nil {
				ok, next = model.Step(st.state, op.input, output)
			}
			return ok, turnState{st.place + 1, next}
		},
		Equal: func(a, b any) bool { return a.(turnState).place == b.(turnState).place }, // the place determines the rest
	}
}

// askInLine asks porcupine about a line, stretch by stretch. Each begins in the state that those before have left, and all
// but the first with an operation that happens when the last of those before was called: time is respected between stretches if
// nothing later in the line was over by then.
func askInLine(model porcupine.Model, ops []porcupine.Operation) porcupine.CheckResult {
	state, called := model.Init(), int64(0)
	for len(ops) > 0 {
		n := min(stretch, len(ops))
		turns := make([]porcupine.Operation, 0, n+1)
		if called > 0 {
			turns = append(turns, porcupine.Operation{Input: turn{}, Call: called, Return: called})
		}
		next := state
		for _, op := range ops[:n] {
			_, next = model.Step(next, op.Input, op.Output)
			called = max(called, op.Call)
			op.Input = turn{len(turns), op.Input}
			turns = append(turns, op)
		}
		if r := porcupine.CheckOperationsTimeout(inTurn(model, state), turns, 0); r != porcupine.Ok {
			return r
		}
		state, ops = next, ops[n:]
	}
	return porcupine.Ok
}

// illegal asks porcupine about each part and returns the positions of those that have no legal order, ascending.
//
// Parts are asked one by one and not through Model.Partition: porcupine would stop at the first illegal part, in the
// order in which its goroutines happen to end, and the evidence must name all of them, always the same ones.
func (x *index) illegal(model porcupine.Model, parts []part) []int {
	var bad []int
	for i := range parts {
		if x.check(model, parts[i]) == porcupine.Illegal {
			bad = append(bad, i)
		}
	}
	return bad
}

// fault finds what is wrong with a line that porcupine refused, for the evidence: the operation at the place wrong has no
// legal answer where it stands (over is -1), or it was called only after the one at the place over had ended, which
// comes later in the line.
func fault(model porcupine.Model, ops []porcupine.Operation) (wrong, over int) {
	state, latest := model.Init(), 0
	for i, op := range ops {
		var ok bool
		if ok, state = model.Step(state, op.Input, op.Output); !ok {
			return i, -1
		}
		if op.Call > ops[latest].Call {
			latest = i
		}
		if ops[latest].Call > op.Return {
			return latest, i
		}
	}
	return 0, -1
}
