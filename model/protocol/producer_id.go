package protocol

import "kafkatrial/sim"

// InitProducerId asks for a producer id (KIP-98).
type InitProducerId struct {
	Correlation        int32
	TransactionalID    string   // empty, which stands for null: an idempotent producer without transactions
	EmptyID            bool     // the transactional.id is empty and not null, which no client lets through
	TransactionTimeout sim.Time // with a transactional.id: transaction.timeout.ms
	// ProducerID and ProducerEpoch are what a producer that wants its epoch raised has now (KIP-360); -1 none.
	ProducerID    int64
	ProducerEpoch int16
}

// InitProducerIdResponse answers it. ProducerID and ProducerEpoch are -1 with an error.
type InitProducerIdResponse struct {
	Correlation   int32
	Err           Error
	ProducerID    int64
	ProducerEpoch int16
}

// ProducerIDBlockSize is how many producer ids a broker is given at once
// (ProducerIdsBlock.PRODUCER_ID_BLOCK_SIZE).
const ProducerIDBlockSize = 1000

// AllocateProducerIds asks the controller for a block of producer ids (KIP-730).
type AllocateProducerIds struct {
	Broker      BrokerID
	BrokerEpoch int64
}

// AllocateProducerIdsResponse gives the ids from Start on, Len of them, to one broker alone.
type AllocateProducerIdsResponse struct {
	Err   Error
	Start int64
	Len   int64
}

// ProducerIDsRecord says, in the metadata log, which producer id comes next: those below have been given out,
// the last of them to Broker.
type ProducerIDsRecord struct {
	Broker         BrokerID
	BrokerEpoch    int64
	NextProducerID int64
}

func (*InitProducerId) Type() sim.MsgType              { return TInitProducerId }
func (*InitProducerIdResponse) Type() sim.MsgType      { return TInitProducerIdResponse }
func (*AllocateProducerIds) Type() sim.MsgType         { return TAllocateProducerIds }
func (*AllocateProducerIdsResponse) Type() sim.MsgType { return TAllocateProducerIdsResponse }

func (*InitProducerId) Routine() bool              { return false }
func (*InitProducerIdResponse) Routine() bool      { return false }
func (*AllocateProducerIds) Routine() bool         { return false }
func (*AllocateProducerIdsResponse) Routine() bool { return false }
