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

// illegal asks porcupine about each part and returns the positions of those that have no legal order, ascending.
//
// Parts are asked one by one and not through Model.Partition: porcupine would stop at the first illegal part, in the
// order in which its goroutines happen to end, and the evidence must name all of them, always the same ones.
// The timeout is 0, which means none: a ruling never depends on a clock.
func illegal(model porcupine.Model, parts []part) []int {
	var bad []int
	for i := range parts {
		if porcupine.CheckOperationsTimeout(model, parts[i].ops, 0) == porcupine.Illegal {
			bad = append(bad, i)
		}
	}
	return bad
}
