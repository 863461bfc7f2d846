package transactioncoordinator

import "slices"

// State is the state of a transactional.id.
type State int8

// The states, numbered as __transaction_state has them.
const (
	Empty             State = iota // no transaction since the producer came
	Ongoing                        // partitions are part of it
	PrepareCommit                  // it is committed; markers are being written
	PrepareAbort                   // it is aborted; markers are being written
	CompleteCommit                 // all markers are written
	CompleteAbort                  // all markers are written
	Dead                           // the id has expired and is about to be forgotten
	PrepareEpochFence              // the epoch is about to be raised, to shut out the producer
	numStates
)

// NoState is no state: of a transition when none is under way.
const NoState State = -1

var stateNames = [numStates]string{"Empty", "Ongoing", "PrepareCommit", "PrepareAbort", "CompleteCommit", "CompleteAbort", "Dead", "PrepareEpochFence"}

// String gives the state's name as DescribeTransactions gives it.
func (s State) String() string {
	if s == NoState {
		return "none"
	}
	return stateNames[s]
}

// States lists all states by number.
func States() []State {
	all := make([]State, numStates)
	for i := range all {
		all[i] = State(i)
	}
	return all
}

// StateNamed finds a state by its name, NoState if there is none.
func StateNamed(name string) State { return State(slices.Index(stateNames[:], name)) }

// ValidPreviousStates lists the states from which a transition leads to s. With transactions v2 (KIP-890) an
// abort may also come without a transaction to abort.
//
// Kafka: TransactionState.validPreviousStates.
func (s State) ValidPreviousStates(v2 bool) []State {
	switch s {
	case Empty:
		return []State{Empty, CompleteCommit, CompleteAbort}
	case Ongoing:
		return []State{Ongoing, Empty, CompleteCommit, CompleteAbort}
	case PrepareCommit, PrepareEpochFence:
		return []State{Ongoing}
	case PrepareAbort:
		if v2 {
			return []State{Ongoing, PrepareEpochFence, Empty, CompleteCommit, CompleteAbort}
		}
		return []State{Ongoing, PrepareEpochFence}
	case CompleteCommit:
		return []State{PrepareCommit}
	case CompleteAbort:
		return []State{PrepareAbort}
	case Dead:
		return []State{Empty, CompleteAbort, CompleteCommit}
	}
	return nil
}

// mayExpire says that an idle transactional.id in this state may be forgotten (isExpirationAllowed).
func (s State) mayExpire() bool { return s == Empty || s == CompleteCommit || s == CompleteAbort }
