package transactioncoordinator

import "kafkatrial/model/protocol"

// State is the state of a transactional.id.
type State = protocol.TransactionState

// The states.
const (
	Empty             = protocol.TxnEmpty
	Ongoing           = protocol.TxnOngoing
	PrepareCommit     = protocol.TxnPrepareCommit
	PrepareAbort      = protocol.TxnPrepareAbort
	CompleteCommit    = protocol.TxnCompleteCommit
	CompleteAbort     = protocol.TxnCompleteAbort
	Dead              = protocol.TxnDead
	PrepareEpochFence = protocol.TxnPrepareEpochFence
	NoState           = protocol.NoTxnState
)

// States lists all states by number.
func States() []State {
	all := make([]State, protocol.NumTxnStates)
	for i := range all {
		all[i] = State(i)
	}
	return all
}

// StateNamed finds a state by its name, NoState if there is none.
func StateNamed(name string) State { return protocol.TxnStateNamed(name) }
