package transactioncoordinator

import (
	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// RemoveExpiredTransactionalIds is the periodic look for ids that have been idle for
// transactional.id.expiration.ms: a tombstone is written for each, and once it is replicated the id is
// forgotten. A producer that comes back with such an id is given another producer id.
//
// Kafka: TransactionStateManager.removeExpiredTransactionalIds.
func (c *TransactionCoordinator) RemoveExpiredTransactionalIds(clock sim.Time) Effects {
	now := clock.Ms()
	for i := range c.state.partitions {
		p := &c.state.partitions[i]
		if p.status != active {
			continue
		}
		w := pendingWrite{kind: writeTombstones, partition: int32(i), coordinatorEpoch: p.epoch}
		var records []record.Record
		for k := range p.transactions {
			m := &p.transactions[k]
			if m.PendingTransition() || !m.State.MayExpire() || m.LastUpdateMs > now-c.cfg.IDExpirationMs {
				continue
			}
			if t, err := m.PrepareDead(); err == protocol.None {
				w.expired = append(w.expired, expiredID{m.TransactionalID, t.ProducerEpoch})
				records = append(records, tombstone(m.TransactionalID, now))
			}
		}
		if len(records) == 0 {
			continue
		}
		c.lastID++
		w.id = c.lastID
		c.writes = append(c.writes, w)
		c.out.Appends = append(c.out.Appends, Append{ID: w.id, TP: protocol.TopicPartition{Topic: TopicName, Partition: int32(i)},
			Batch: record.NewBatch(records), Timeout: c.cfg.RequestTimeout})
	}
	return c.take()
}

// expiredID is a transactional.id whose tombstone is being written, and the epoch it had.
type expiredID struct {
	id    string
	epoch int16
}

// removeExpired forgets the ids whose tombstones are written. If they could not be, the ids stay usable
// (KAFKA-7519, 2.1; before, an id whose tombstone failed was pending for ever).
//
// Kafka: TransactionStateManager.writeTombstonesForExpiredTransactionalIds, removeFromCacheCallback.
func (c *TransactionCoordinator) removeExpired(w *pendingWrite, err protocol.Error) {
	p := &c.state.partitions[w.partition]
	if p.status != active {
		return
	}
	for _, e := range w.expired {
		i, found := p.find(e.id)
		if !found {
			continue
		}
		m := &p.transactions[i]
		if p.epoch != w.coordinatorEpoch || m.PendingState != Dead || m.ProducerEpoch != e.epoch || err != protocol.None {
			if err == protocol.None || c.rules.FailedExpiryUndone {
				m.PendingState = NoState
			}
			continue
		}
		c.out.Events = append(c.out.Events, &event.TransactionalIDExpired{ProducerID: m.ProducerID, ProducerEpoch: m.ProducerEpoch, TransactionalID: e.id})
		p.transactions = append(p.transactions[:i:i], p.transactions[i+1:]...)
	}
}
