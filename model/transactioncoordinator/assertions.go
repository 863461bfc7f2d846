package transactioncoordinator

import (
	"slices"

	"kafkatrial/sim"
)

// assertTransition is called with a transition that is about to be taken over: it is one that Kafka has, and the producer's epoch
// does not go back, unless another producer id takes over.
//
// Kafka: TransactionState.validPreviousStates, TransactionMetadata.completeTransitionTo.
func (m *TransactionMetadata) assertTransition(t *TxnTransitMetadata) {
	if !slices.Contains(t.State.ValidPreviousStates(t.ClientVersion >= V2), m.State) {
		sim.Broken("a transaction goes from a state to one that follows it", "%s goes from %v to %v", m.TransactionalID, m.State, t.State)
	}
	if t.ProducerID == m.ProducerID && t.ProducerEpoch < m.ProducerEpoch {
		sim.Broken("a producer's epoch does not go back at its coordinator", "%s has epoch %d of producer %d, and goes to %v with epoch %d",
			m.TransactionalID, m.ProducerEpoch, m.ProducerID, t.State, t.ProducerEpoch)
	}
}
