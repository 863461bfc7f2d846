// Package explore visits every reachable state of a small model, breadth first, and reports the shortest way to a state
// in which an invariant does not hold.
//
// It is meant for models whose whole state is one small flat value (no pointer, no slice, no map), so that a state is
// copied by assignment and millions of them are visited in a second. It counts as the TLA+ model checker TLC counts, so that a
// model written twice can be compared with TLC to the unit.
//
// A state is remembered by a 64-bit fingerprint of its key and is then forgotten; what is kept of it is one number for the
// state it came from and one for the choice that led to it. A counterexample is rebuilt from these choices by running them
// again from the initial state.
//
// This is the only package below the screens that may start goroutines. The result does not depend on them: for any number of
// workers the states are numbered, counted and checked in the same order.
package explore

import (
	"errors"
	"fmt"
	"math"
)

// Step is one transition: the action that was taken, and the state it led to.
type Step[S comparable, A any] struct {
	Action A
	State  S
}

// Model is a finite transition system. All methods must be pure: several workers call them at the same time, and a
// counterexample is rebuilt by calling them again.
type Model[S comparable, A any] interface {
	// Initial lists the initial states, in a fixed order.
	Initial() []S

	// AppendNext appends one step for every enabled action and choice of s, in a fixed order. A step that leads back to a known
	// state belongs in the list: it is counted as generated. s must not be written to.
	AppendNext(steps []Step[S, A], s *S) []Step[S, A]

	// AppendKey appends the words that identify s: two states are the same state exactly if their keys are equal. A model with
	// symmetry appends the key of a canonical form, for instance the smallest key of all renamings (see Permutations).
	AppendKey(key []uint64, s *S) []uint64

	// Check returns the name of an invariant that does not hold in s, or "" if all of them hold. With symmetry it must answer
	// the same for every renaming of s.
	Check(s *S) string
}

// Options bound the search. The zero value means one worker and no bound.
type Options struct {
	// Workers is the number of goroutines that expand and remember states, at least 1; 0 means 1. It changes the time that
	// the search takes and nothing else. More than 16 do not help.
	Workers int

	// MaxStates ends the search once this many distinct states are known; 0 means no bound. The search looks at this bound
	// after every round of at most 8,192 expanded states, so that more states than the bound may be counted.
	MaxStates int

	// MaxDepth ends the search before it expands a state of this depth; the initial states have depth 1. 0 means no bound.
	MaxDepth int
}

// Result is what a search found. The counts are TLC's: see each field.
type Result[S comparable, A any] struct {
	// Distinct is the number of states with different keys, the initial states included.
	Distinct int

	// Generated is the number of initial states, plus one for every step of every expanded state, whether or not the step
	// led to a new state.
	Generated int

	// Depth is the number of states on the longest of the shortest paths from an initial state; an initial state alone has
	// depth 1.
	Depth int

	// Complete says that every reachable state was visited and checked. It is false if an invariant did not hold or if a
	// bound was hit.
	Complete bool

	// Stopped says in a sentence which bound ended the search. It is empty if none did.
	Stopped string

	// Violated is the name of the invariant that does not hold in the last state of Trace, or "". Distinct and Generated then
	// count up to the end of the round in which the violation was found.
	Violated string

	// Trace is a shortest path from an initial state to the violation. Its first step is an initial state with the zero action.
	Trace []Step[S, A]
}

// maxStates is the bound that always holds, for the number of a state has 32 bits. Half of the numbers are left over, because
// the shards are not equally full, and for the round in which the bound is reached.
const maxStates = math.MaxUint32 / 2

// Run explores m. It returns an error for options out of range, and for a model without an initial state.
func Run[S comparable, A any](m Model[S, A], o Options) (Result[S, A], error) {
	switch {
	case o.Workers < 0:
		return Result[S, A]{}, fmt.Errorf("workers must be at least 1, or 0 for 1; it is %d", o.Workers)
	case o.MaxStates < 0:
		return Result[S, A]{}, fmt.Errorf("the bound on states must not be negative; it is %d", o.MaxStates)
	case o.MaxDepth < 0:
		return Result[S, A]{}, fmt.Errorf("the bound on depth must not be negative; it is %d", o.MaxDepth)
	}
	if o.Workers == 0 {
		o.Workers = 1
	}
	if o.MaxStates == 0 || o.MaxStates > maxStates {
		o.MaxStates = maxStates
	}
	o.Workers = min(o.Workers, shards)
	s := &search[S, A]{model: m, options: o}
	s.run()
	if s.distinct() == 0 {
		return Result[S, A]{}, errors.New("the model has no initial state")
	}
	return s.result(), nil
}
