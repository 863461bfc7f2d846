package producer

import (
	"kafkatrial/model/client"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// Queues lists what is in the accumulator and in flight, by partition. The caller must not change it.
func (p *KafkaProducer) Queues() []PartitionQueue { return p.accumulator.queues }

// Memory tells how many bytes of buffer.memory are free, and how many there are.
func (p *KafkaProducer) Memory() (free, total int64) {
	return p.accumulator.free.available, p.accumulator.free.total
}

// Blocked gives the record whose send() waits, and since when; nil if none does.
func (p *KafkaProducer) Blocked() (r *record.Record, since sim.Time) {
	if p.waiting != forMetadata && p.waiting != forMemory {
		return nil, 0
	}
	return p.calls[0].record, p.waitingSince
}

// Pending counts the calls that the application has not made yet, because an earlier one waits.
func (p *KafkaProducer) Pending() int { return max(len(p.calls)-1, 0) }

// Counts tells how many records were acknowledged, failed after they were in a batch, and rejected by send().
func (p *KafkaProducer) Counts() (acked, failed, rejected int) {
	return p.acked, p.failures, p.rejected
}

// ProducerID gives the producer id and epoch; ok is false if there is none, as with enable.idempotence=false.
func (p *KafkaProducer) ProducerID() (id ProducerIDAndEpoch, ok bool) {
	return p.txn.id, p.txn.hasProducerID()
}

// Transaction tells where a producer with a transactional.id stands; id is empty without one.
func (p *KafkaProducer) Transaction() (id string, state TransactionState) {
	return p.txn.tx.id, p.txn.tx.state
}

// Idempotent says that enable.idempotence is in force.
func (p *KafkaProducer) Idempotent() bool { return p.txn.enabled }

// Incomplete counts the batches without an outcome.
func (p *KafkaProducer) Incomplete() int { return len(p.accumulator.incomplete) }

// Net gives the connections and the metadata.
func (p *KafkaProducer) Net() *client.NetworkClient { return p.net }

// State says in a few words what the producer is about.
func (p *KafkaProducer) State() string {
	switch {
	case p.closed:
		return "closed"
	case p.waiting == forMetadata:
		return "send() waits for metadata"
	case p.waiting == forMemory:
		return "send() waits for memory"
	case p.waiting == forFlush:
		return "flush() waits"
	case p.waiting == forTransaction:
		return callNames[p.calls[0].kind] + "() waits"
	case p.waiting == forClose:
		return "close() waits"
	case p.txn.failure != protocol.None:
		return "failed"
	case p.txn.tx.asking != 0 || len(p.txn.tx.pending) > 0 && p.txn.failure == protocol.None:
		return "in a request to a coordinator"
	case p.txn.enabled && !p.txn.hasProducerID() && len(p.accumulator.incomplete) > 0:
		return "waiting for a producer id"
	case len(p.sent) > 0:
		return "waiting"
	case len(p.accumulator.incomplete) > 0:
		return "buffering"
	}
	return "idle"
}

// ErrorClass says what an application can do with its producer after an error, as KafkaProducer's documentation has it.
type ErrorClass uint8

// The classes.
const (
	NoError     ErrorClass = iota
	Abortable              // the transaction can only be aborted; then the producer goes on
	Fatal                  // the producer can only be closed
	OutcomeOpen            // a call has timed out, and its outcome is open: only the same call can be made again
)

// Error gives the error in which the producer stands, and its class. call names the call whose outcome is open.
//
// Kafka: TransactionManager.State ABORTABLE_ERROR and FATAL_ERROR, TransactionManager.pendingTransition.
func (p *KafkaProducer) Error() (class ErrorClass, err protocol.Error, call string) {
	switch {
	case p.txn.failure != protocol.None:
		return Fatal, p.txn.failure, ""
	case p.txn.tx.state == AbortableError:
		return Abortable, p.txn.tx.lastError, ""
	case p.unawaited != callNone:
		return OutcomeOpen, protocol.TimeoutException, callNames[p.unawaited]
	}
	return NoError, protocol.None, ""
}

// InFlight lists the batches that have a sequence number and no outcome, in that order. The caller must not change it.
func (e *TxnPartitionEntry) InFlight() []*ProducerBatch { return e.inFlight }

// MaxInFlight is max.in.flight.requests.per.connection as it is in force.
func (p *KafkaProducer) MaxInFlight() int { return p.cfg.MaxInFlight }
