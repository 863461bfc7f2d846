package producer

import "kafkatrial/sim"

// deadline is when a batch that waits at a place of its queue expires, sim.Never if it does not.
//
// From 2.1 (KIP-91) a batch has delivery.timeout.ms from its creation, wherever it is. Before, only what
// waits in the accumulator expires: request.timeout.ms after the last append to a full batch, after the end
// of linger.ms otherwise, and after the end of the backoff for a batch that is to be sent again; and not while
// the partition is muted.
//
// Kafka: ProducerBatch.hasReachedDeliveryTimeout; RecordBatch.maybeExpire (0.10.0 to 2.0; 0.9.0's differs in
// that a retried batch counts linger.ms instead of the backoff).
func (a *RecordAccumulator) deadline(q *PartitionQueue, b *ProducerBatch) sim.Time {
	from, timeout := b.Created, a.cfg.DeliveryTimeout
	if !a.rules.DeliveryTimeout {
		timeout = a.cfg.Expiry
		switch {
		case q.Muted:
			return sim.Never
		case b.Attempts > 0:
			from = b.lastAttempt + a.cfg.Net.RetryBackoff
		case b.isFull() || b != q.last():
			from = min(b.lastAppend, b.Created+a.cfg.Linger)
		default:
			from = b.Created + a.cfg.Linger
		}
	}
	if timeout >= sim.Never-from {
		return sim.Never
	}
	return from + timeout
}

// nextExpiry is when the next batch expires. Of each list only the first batch is looked at, as Kafka does:
// a younger one in front of it shields an older one.
func (a *RecordAccumulator) nextExpiry() sim.Time {
	next := sim.Never
	for i := range a.queues {
		q := &a.queues[i]
		if len(q.Batches) > 0 {
			next = min(next, a.deadline(q, q.Batches[0]))
		}
		if len(q.InFlight) > 0 && a.rules.DeliveryTimeout {
			next = min(next, a.deadline(q, q.InFlight[0]))
		}
	}
	return next
}

// takeExpired removes the batches whose time is over and appends them to out: those in the accumulator
// first, then those in flight. What is in flight may still be written.
//
// Kafka: RecordAccumulator.expiredBatches, Sender.getExpiredInflightBatches.
func (a *RecordAccumulator) takeExpired(now sim.Time, out []*ProducerBatch) []*ProducerBatch {
	for i := range a.queues {
		q := &a.queues[i]
		for len(q.Batches) > 0 && a.deadline(q, q.Batches[0]) <= now {
			out = append(out, q.Batches[0])
			q.Batches = pop(q.Batches)
		}
	}
	if !a.rules.DeliveryTimeout {
		return out
	}
	for i := range a.queues {
		q := &a.queues[i]
		for len(q.InFlight) > 0 && a.deadline(q, q.InFlight[0]) <= now {
			out = append(out, q.InFlight[0])
			q.InFlight = pop(q.InFlight)
		}
	}
	return out
}
