package checker

import "github.com/anishathalye/porcupine"

// shape is a small part of a history but for its moments: what its operations are, and which of their ends come before
// which. Two parts of one shape have the same legal orders, so porcupine is asked about one of them.
type shape struct {
	n   uint8
	ops [small]shapedOp
}

// small is how many operations a part may have that is asked about by its shape.
const small = 5

type shapedOp struct {
	input     any
	call, ret uint8 // how many different moments come before it
}

// asking puts questions about parts of at most five operations under one model. The inputs must be comparable.
type asking struct {
	x     *index
	model porcupine.Model
	known map[shape]bool
	room  [small]porcupine.Operation // to make a part in
}

// asking keeps the answers under the name of the model.
func (x *index) asking(name any, model porcupine.Model) *asking {
	if x.shapes == nil {
		x.shapes = make(map[any]map[shape]bool)
	}
	if x.shapes[name] == nil {
		x.shapes[name] = make(map[shape]bool)
	}
	return &asking{x: x, model: model, known: x.shapes[name]}
}

// legal says whether porcupine finds an order for a part, of this shape.
func (a *asking) legal(name string, ops []porcupine.Operation) bool {
	s := shapeOf(ops)
	ok, known := a.known[s]
	if !known {
		ok = a.x.check(a.model, part{name: name, ops: append([]porcupine.Operation(nil), ops...)}) != porcupine.Illegal
		a.known[s] = ok
	}
	return ok
}

func shapeOf(ops []porcupine.Operation) shape {
	s := shape{n: uint8(len(ops))}
	var moments [2 * small]int64
	rank(ops, s.ops[:], moments[:])
	return s
}

// rank gives each operation the places of its moments among all of them. There must be room for two of each.
func rank(ops []porcupine.Operation, out []shapedOp, moments []int64) {
	n := 0
	for i := range ops {
		for _, at := range [2]int64{ops[i].Call, ops[i].Return} {
			k := n
			for k > 0 && moments[k-1] > at {
				k--
			}
			if k > 0 && moments[k-1] == at {
				continue
			}
			copy(moments[k+1:n+1], moments[k:n])
			moments[k] = at
			n++
		}
	}
	place := func(at int64) uint8 {
		k := uint8(0)
		for moments[k] != at {
			k++
		}
		return k
	}
	for i := range ops {
		out[i] = shapedOp{ops[i].Input, place(ops[i].Call), place(ops[i].Return)}
	}
}
