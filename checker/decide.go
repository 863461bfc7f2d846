package checker

import "github.com/anishathalye/porcupine"

// part is one independent piece of a history: the operations on one record, one partition, one transaction.
type part struct {
	name string
	ops  []porcupine.Operation
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

// checkFunc answers whether the operations have a legal order under the model. It is porcupine's, except in the tests
// which prove that nothing else rules.
type checkFunc func(porcupine.Model, []porcupine.Operation) porcupine.CheckResult

// askPorcupine sets the timeout to 0, which means none: a ruling never depends on a clock.
func askPorcupine(model porcupine.Model, ops []porcupine.Operation) porcupine.CheckResult {
	return porcupine.CheckOperationsTimeout(model, ops, 0)
}

// illegal asks porcupine about each part and returns the positions of those that have no legal order, ascending.
//
// Parts are asked one by one and not through Model.Partition: porcupine would stop at the first illegal part, in the
// order in which its goroutines happen to end, and the evidence must name all of them, always the same ones.
func (x *index) illegal(model porcupine.Model, parts []part) []int {
	var bad []int
	for i := range parts {
		if x.check(model, parts[i].ops) == porcupine.Illegal {
			bad = append(bad, i)
		}
	}
	return bad
}
