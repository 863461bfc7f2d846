package broker

import (
	"kafkatrial/model/event"
	"kafkatrial/model/log"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// producerStateConfig reads what a log's producer state needs. Before 3.4 (KIP-854) the settings of
// transactional ids counted for all.
func (b *Broker) producerStateConfig() log.ProducerStateManagerConfig {
	v := b.cfg.Values
	c := log.ProducerStateManagerConfig{MaxTransactionTimeout: v.Ms("transaction.max.timeout.ms").Ms()}
	c.TransactionVerification = b.verifies()
	if t := v.Ms("producer.id.expiration.ms"); t != sim.Never {
		c.ProducerIDExpiration = t.Ms()
	}
	return c
}

func (b *Broker) setProducerExpirationTimer() {
	b.env.SetTimer(b.cfg.Values.Ms("producer.id.expiration.check.interval.ms"), protocol.TimerProducerExpiration, 0, true)
}

// removeExpiredProducers forgets the producers that have been idle for too long.
//
// Kafka: UnifiedLog's task PeriodicProducerExpirationCheck.
func (b *Broker) removeExpiredProducers() {
	for _, h := range b.replicas.hosted {
		b.producersForgotten(h.tp, h.p.Log().RemoveExpiredProducers(b.env.Clock()), event.Expired)
	}
}

func (b *Broker) producersForgotten(tp protocol.TopicPartition, ids []int64, why event.ForgottenBecause) {
	for _, id := range ids {
		b.env.Record(&event.ProducerStateForgotten{TP: tp, ProducerID: id, Why: why})
	}
}

// producersLoaded records what a log that was opened knows of the producers.
func (b *Broker) producersLoaded(tp protocol.TopicPartition, l *log.UnifiedLog) {
	if n := len(l.Producers().ActiveProducers()); n > 0 {
		b.env.Record(&event.ProducerStateLoaded{TP: tp, Producers: int64(n), Snapshot: l.ProducerStateLoad().Snapshot, ReadFrom: l.ProducerStateLoad().ReadFrom})
	}
}

// duplicateRecognised records that a leader had a batch already. The producer is answered as if it had
// been appended now, with the offset it has.
func (b *Broker) duplicateRecognised(h *hosted, batch *record.RecordBatch, info log.AppendInfo) {
	b.env.Record(&event.DuplicateRecognised{TP: h.tp, BaseOffset: info.FirstOffset, LogEndOffset: h.p.Log().LogEndOffset(), Batch: batch})
	b.env.Probe("a leader recognised a duplicate batch")
}
