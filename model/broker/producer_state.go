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
		b.producersForgotten(h.tp, h.p.Log().RemoveExpiredProducers(b.env.Clock()), "expired")
	}
}

func (b *Broker) producersForgotten(tp protocol.TopicPartition, ids []int64, why string) {
	for _, id := range ids {
		f := event.About(event.ProducerStateForgotten, tp, id, 0, 0)
		f.Text = why
		b.env.Record(f)
	}
}

// producersLoaded records what a log that was opened knows of the producers.
func (b *Broker) producersLoaded(tp protocol.TopicPartition, l *log.UnifiedLog) {
	if n := len(l.Producers().ActiveProducers()); n > 0 {
		b.record(event.ProducerStateLoaded, tp, int64(n), l.ProducerStateLoad().Snapshot, l.ProducerStateLoad().ReadFrom)
	}
}

// duplicateRecognised records that a leader had a batch already. The producer is answered as if it had
// been appended now, with the offset it has.
func (b *Broker) duplicateRecognised(h *hosted, batch *record.RecordBatch, info log.AppendInfo) {
	f := event.About(event.DuplicateRecognised, h.tp, info.FirstOffset, h.p.Log().LogEndOffset(), 0)
	f.Ref = batch
	b.env.Record(f)
	b.env.Probe("a leader recognised a duplicate batch")
}
