package transactioncoordinator

import (
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// pendingWrite is a transition that is being written, and what is to be done then.
type pendingWrite struct {
	id               int64
	kind             writeKind
	transactionalID  string
	coordinatorEpoch int
	transit          TxnTransitMetadata
	waited           bool // the append was not replicated at once

	conn        sim.ConnID // whoever asked
	correlation int32

	end endTxn // of writeEndTxn

	add, transaction int // of writeAddPartitions: the request, and which of its transactions

	partition int32 // of writeTombstones
	expired   []expiredID
}

type writeKind uint8

const (
	writeInitProducerID writeKind = iota
	writeAddPartitions
	writeAddOffsets
	writeEndTxn
	writeComplete
	writeTombstones
)

// written says what came of a transition: the callbacks that Kafka gives to appendTransactionToLog.
func (c *TransactionCoordinator) written(w *pendingWrite, err protocol.Error, now int64) {
	switch w.kind {
	case writeInitProducerID:
		r := initProducerIDResult(w.correlation, c.toClient(err))
		if err == protocol.None {
			r.ProducerID, r.ProducerEpoch = w.transit.ProducerID, w.transit.ProducerEpoch
		}
		c.answer(w.conn, r)
	case writeAddPartitions:
		c.addAnswered(w.add, w.transaction, err)
	case writeAddOffsets:
		c.answer(w.conn, &protocol.AddOffsetsToTxnResponse{Correlation: w.correlation, Err: c.toClient(err)})
	case writeEndTxn:
		c.endWritten(w, err, now)
	case writeComplete:
		c.completionWritten(w, err)
	}
}
