package protocol

import "slices"

// TransactionState is the state of a transactional.id.
type TransactionState int8

// The states, numbered as __transaction_state has them.
const (
	TxnEmpty             TransactionState = iota // no transaction since the producer came
	TxnOngoing                                   // partitions are part of it
	TxnPrepareCommit                             // it is committed; markers are being written
	TxnPrepareAbort                              // it is aborted; markers are being written
	TxnCompleteCommit                            // all markers are written
	TxnCompleteAbort                             // all markers are written
	TxnDead                                      // the id has expired and is about to be forgotten
	TxnPrepareEpochFence                         // the epoch is about to be raised, to shut out the producer
	NumTxnStates         = iota
)

// NoTxnState is no state: of a transition when none is under way.
const NoTxnState TransactionState = -1

var txnStateNames = [NumTxnStates]string{"Empty", "Ongoing", "PrepareCommit", "PrepareAbort", "CompleteCommit", "CompleteAbort", "Dead", "PrepareEpochFence"}

// String gives the state's name as DescribeTransactions gives it.
func (s TransactionState) String() string {
	if s == NoTxnState {
		return "none"
	}
	return txnStateNames[s]
}

// TxnStateNamed finds a state by its name, NoTxnState if there is none.
func TxnStateNamed(name string) TransactionState {
	return TransactionState(slices.Index(txnStateNames[:], name))
}

// ValidPreviousStates lists the states from which a transition leads to s. With transactions v2 (KIP-890) an
// abort may also come without a transaction to abort.
//
// Kafka: TransactionState.validPreviousStates.
func (s TransactionState) ValidPreviousStates(v2 bool) []TransactionState {
	switch s {
	case TxnEmpty:
		return []TransactionState{TxnEmpty, TxnCompleteCommit, TxnCompleteAbort}
	case TxnOngoing:
		return []TransactionState{TxnOngoing, TxnEmpty, TxnCompleteCommit, TxnCompleteAbort}
	case TxnPrepareCommit, TxnPrepareEpochFence:
		return []TransactionState{TxnOngoing}
	case TxnPrepareAbort:
		if v2 {
			return []TransactionState{TxnOngoing, TxnPrepareEpochFence, TxnEmpty, TxnCompleteCommit, TxnCompleteAbort}
		}
		return []TransactionState{TxnOngoing, TxnPrepareEpochFence}
	case TxnCompleteCommit:
		return []TransactionState{TxnPrepareCommit}
	case TxnCompleteAbort:
		return []TransactionState{TxnPrepareAbort}
	case TxnDead:
		return []TransactionState{TxnEmpty, TxnCompleteAbort, TxnCompleteCommit}
	}
	return nil
}

// MayExpire says that an idle transactional.id in this state may be forgotten.
//
// Kafka: TransactionState.isExpirationAllowed.
func (s TransactionState) MayExpire() bool {
	return s == TxnEmpty || s == TxnCompleteCommit || s == TxnCompleteAbort
}
