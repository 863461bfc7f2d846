package broker

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"kafkatrial/model/event"
	"kafkatrial/model/log"
	"kafkatrial/model/partition"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// replicaManager holds the partitions of which this broker has a replica.
//
// Kafka: ReplicaManager.
type replicaManager struct {
	hosted []*hosted // in order of the partition
	// idle holds logs that were on the disk at start and that the controller has not named yet.
	idle []idleLog
	// ordered: the controller has told this process what it leads and follows.
	ordered bool

	fetchWait     sim.Time // replica.fetch.wait.max.ms
	fetchBackoff  sim.Time // replica.fetch.backoff.ms
	socketTimeout sim.Time // replica.socket.timeout.ms
}

// hosted is one replica on this broker.
type hosted struct {
	tp protocol.TopicPartition
	p  *partition.Partition
}

type idleLog struct {
	dir string
	log *log.UnifiedLog
}

const cleanShutdownFile = ".kafka_cleanshutdown"

// takeCleanShutdownMark tells whether the previous process ended in order, and removes the mark, so that a
// crash from now on is known as one.
//
// Kafka: LogManager.loadLogs, CleanShutdownFileHandler. With KIP-966 the file holds the broker epoch.
func (b *Broker) takeCleanShutdownMark() bool {
	v, clean := b.env.Disk().Get(cleanShutdownFile)
	b.lifecycle.previousEpoch = -1
	if clean {
		b.lifecycle.previousEpoch = v.(int64)
		b.env.Disk().Delete(cleanShutdownFile)
	}
	return clean
}

// loadLogs opens every log on the disk. What was not flushed before a power loss may be gone; the rest is
// there, and so is the high watermark as last checkpointed.
//
// Kafka: LogManager.loadLogs.
func (b *Broker) loadLogs(clean bool) {
	for _, dir := range b.env.Disk().Names() {
		tp, ok := parseDir(dir)
		if !ok {
			continue
		}
		l := b.openLog(tp)
		b.replicas.idle = append(b.replicas.idle, idleLog{dir, l})
		b.env.Record(&event.Recovered{TP: tp, LogEndOffset: l.LogEndOffset(), HighWatermark: l.HighWatermark(), Orderly: clean})
		b.producersLoaded(tp, l)
	}
}

func parseDir(dir string) (protocol.TopicPartition, bool) {
	i := strings.LastIndexByte(dir, '-')
	if i < 0 {
		return protocol.TopicPartition{}, false
	}
	n, err := strconv.ParseInt(dir[i+1:], 10, 32)
	return protocol.TopicPartition{Topic: dir[:i], Partition: int32(n)}, err == nil
}

func (b *Broker) openLog(tp protocol.TopicPartition) *log.UnifiedLog {
	hw, _ := log.HighWatermarkCheckpoint(b.env.Disk()).Fetch(tp.String())
	l := log.Open(b.env.Disk(), tp.String(), b.logConfig(tp.Topic), b.rules, hw)
	l.RemoveExpiredProducers(b.env.Clock())
	return l
}

func (b *Broker) logConfig(topic string) log.Config {
	v := b.meta.topic(b, topic)
	return log.Config{
		FlushMessages: v.Int("flush.messages"),
		LogAppendTime: v.Text("message.timestamp.type") == "LogAppendTime",
		Producers:     b.producerStateConfig(),
		Planted:       b.cfg.Planted,
	}
}

func (b *Broker) partitionConfig(topic string) partition.Config {
	return partition.Config{
		MinInsyncReplicas:     int(b.meta.topic(b, topic).Int("min.insync.replicas")),
		ReplicaLagTimeMax:     b.cfg.Values.Ms("replica.lag.time.max.ms"),
		ReplicaLagMaxMessages: b.cfg.Values.Int("replica.lag.max.messages"),
		Planted:               b.cfg.Planted,
	}
}

// hostedPartition finds the replica of tp, nil if this broker has none.
func (b *Broker) hostedPartition(tp protocol.TopicPartition) *hosted {
	hs := b.replicas.hosted
	i, found := sort.Find(len(hs), func(i int) int { return tp.Compare(hs[i].tp) })
	if !found {
		return nil
	}
	return hs[i]
}

// getOrCreatePartition finds the replica of tp or makes one, on the log that was found on the disk or on
// a new one.
//
// Kafka: ReplicaManager.getOrCreatePartition, Partition.createLogIfNotExists.
func (b *Broker) getOrCreatePartition(tp protocol.TopicPartition) *hosted {
	hs := b.replicas.hosted
	i, found := sort.Find(len(hs), func(i int) int { return tp.Compare(hs[i].tp) })
	if found {
		return hs[i]
	}
	var l *log.UnifiedLog
	for _, idle := range b.replicas.idle {
		if idle.dir == tp.String() {
			l = idle.log
		}
	}
	if l == nil {
		l = b.openLog(tp)
	}
	h := &hosted{tp, partition.New(tp.String(), b.id, b.brokerEpoch(), b.rules, b.partitionConfig(tp.Topic), &b.meta, l)}
	b.replicas.hosted = slices.Insert(hs, i, h)
	return h
}

// becomeLeaderOrFollower takes over what the controller decided about partitions of which this broker has
// a replica. Leaders first, as in Kafka, and last the fetchers that have nothing to follow any more. It tells whether the end
// of one of those has to be waited for.
//
// Kafka: ReplicaManager.applyDelta (KRaft), becomeLeaderOrFollower (ZooKeeper).
func (b *Broker) becomeLeaderOrFollower(states []protocol.PartitionState, controllerEpoch int) (wait bool) {
	b.replicas.ordered = true
	b.takeOver(states, controllerEpoch)
	return b.shutdownIdleFetcherThreads()
}

func (b *Broker) takeOver(states []protocol.PartitionState, controllerEpoch int) {
	for _, s := range states {
		if s.Leader == b.id && slices.Contains(s.Replicas, b.id) {
			b.makeLeader(s, controllerEpoch)
		}
	}
	if b.rules.KRaft && b.shuttingDown && !b.rules.ShutdownHearsOfAll {
		return // 3.3.0 and 3.3.1 (KAFKA-14296)
	}
	for _, s := range states {
		if s.Leader != b.id && slices.Contains(s.Replicas, b.id) {
			b.makeFollower(s, controllerEpoch)
		}
	}
}

// mayFetch says whether a broker begins to fetch in a controlled shutdown. In ZooKeeper mode it begins nothing, and what it
// has begun ends when the controller says so (StopReplica). Under KRaft it follows as long as it is in the ISR.
//
// Kafka: ReplicaManager.makeFollowers; applyLocalFollowersDelta.
func (b *Broker) mayFetch(s protocol.PartitionState) bool {
	return !b.shuttingDown || b.rules.KRaft && slices.Contains(s.ISR, b.id)
}

func leaderAndISR(s protocol.PartitionState, controllerEpoch int) partition.LeaderAndISR {
	leader := s.Leader
	if leader == protocol.NoBroker {
		leader = partition.NoLeader
	}
	isr := slices.Clone(s.ISR)
	slices.Sort(isr)
	return partition.LeaderAndISR{Leader: leader, LeaderEpoch: s.LeaderEpoch, ISR: isr, PartitionEpoch: s.PartitionEpoch,
		Replicas: s.Replicas, ControllerEpoch: controllerEpoch}
}

func (b *Broker) makeLeader(s protocol.PartitionState, controllerEpoch int) {
	h := b.getOrCreatePartition(s.TP)
	before := h.p.LeaderEpoch()
	applied, newLeader, hw := h.p.MakeLeader(leaderAndISR(s, controllerEpoch), b.env.Now())
	if !applied {
		return
	}
	if newLeader || before != s.LeaderEpoch {
		b.stopFetching(s.TP)
		l := h.p.Log()
		b.env.Record(&event.BecameLeader{TP: s.TP, LeaderEpoch: int32(s.LeaderEpoch), LogEndOffset: l.LogEndOffset(), HighWatermark: l.HighWatermark()})
		b.electedCoordinator(h)
		if newLeader || b.rules.KRaft {
			b.electedTransactionCoordinator(h)
		}
	}
	b.highWatermarkMoved(h, hw)
	b.purgatory.check(b, h)
}

// makeFollower lets this broker follow the new leader. A replica whose leader is not alive is set up all
// the same, so that its high watermark stays in the checkpoint (KAFKA-1647); Kafka before 0.8.2 did not.
//
// Kafka: ReplicaManager.applyLocalFollowersDelta (KRaft), makeFollowers (ZooKeeper).
func (b *Broker) makeFollower(s protocol.PartitionState, controllerEpoch int) {
	alive := s.Leader != protocol.NoBroker && b.meta.canBeFetchedFrom(s.Leader)
	if !b.rules.KRaft && !alive {
		if b.rules.HWCheckpointKept {
			b.getOrCreatePartition(s.TP)
		}
		return
	}
	h := b.getOrCreatePartition(s.TP)
	led := h.p.IsLeader()
	applied, restart := h.p.MakeFollower(leaderAndISR(s, controllerEpoch))
	if !applied {
		return
	}
	if led {
		b.resignedCoordinator(h)
		b.resignedTransactionCoordinator(h)
	}
	if restart {
		l := h.p.Log()
		b.env.Record(&event.BecameFollower{TP: s.TP, LeaderEpoch: int32(s.LeaderEpoch), Leader: s.Leader, HighWatermark: l.HighWatermark()})
		b.stopFetching(s.TP)
		if alive && b.mayFetch(s) {
			b.startFetching(h)
		}
	} else if b.rules.KRaft && !b.mayFetch(s) {
		b.stopFetching(s.TP)
	}
	b.purgatory.check(b, h)
}

// highWatermarkMoved records the move of a leader's high watermark and completes what waited for it.
func (b *Broker) highWatermarkMoved(h *hosted, c partition.HWChange) {
	if c.From == c.To {
		return
	}
	b.env.Record(&event.HighWatermark{TP: h.tp, From: c.From, To: c.To, Leader: true})
	b.offsetsMoved(h)
	b.purgatory.check(b, h)
}

// apply acts on the effects of a call on a partition this broker leads.
func (b *Broker) apply(h *hosted, e partition.Effects) {
	if e.ISR != nil {
		b.proposeISR(h, e.ISR)
	}
	b.highWatermarkMoved(h, e.HW)
}

// appendWith appends a batch as leader and records it. The returned offset is that after the batch.
//
// Kafka: ReplicaManager.appendToLocalLog.
func (b *Broker) appendWith(h *hosted, batch *record.RecordBatch, acks protocol.Acks, o log.AppendOptions) (base, next int64, err protocol.Error) {
	info, hw, err := h.p.AppendRecordsToLeaderWith(batch, int(acks), b.env.Clock(), o)
	if err != protocol.None {
		b.env.Record(&event.ProduceRefused{TP: h.tp, Err: err, LastSequence: int64(info.LastSequence), Batch: batch})
		if batch.IsTransactional && (err == protocol.InvalidProducerEpoch || err == protocol.InvalidTxnState) {
			b.env.Probe("a leader refused a record of a transaction that has ended")
		}
		if err == protocol.NotEnoughReplicas {
			b.env.Probe("acks=all refused below min.insync.replicas")
		}
		return -1, -1, err
	}
	if info.Duplicate {
		b.duplicateRecognised(h, batch, info)
		if hw.From != hw.To { // the leader looks at its followers' ends after every append, this one as well
			b.highWatermarkMoved(h, hw)
		}
		return info.FirstOffset, info.LastOffset + 1, protocol.None
	}
	batches := h.p.Log().Batches()
	b.env.Record(&event.LeaderAppended{TP: h.tp, BaseOffset: info.FirstOffset, LogEndOffset: info.LastOffset + 1, LeaderEpoch: int32(h.p.LeaderEpoch()), Batch: batches[len(batches)-1]})
	if batch.IsControl {
		b.markerWritten(h, batches[len(batches)-1], info)
	}
	if info.Flushed {
		b.env.Record(&event.Flushed{TP: h.tp, Offset: info.LastOffset + 1})
	}
	if hw.From != hw.To {
		b.highWatermarkMoved(h, hw)
	} else {
		b.purgatory.check(b, h) // followers that wait for records
	}
	return info.FirstOffset, info.LastOffset + 1, protocol.None
}

// startPeriodicTasks sets the timers of the broker's background tasks.
//
// Kafka: ReplicaManager.startup ("isr-expiration"), ReplicaManager.startHighWatermarkCheckPointThread.
func (b *Broker) startPeriodicTasks() {
	v := b.cfg.Values
	b.replicas.fetchWait = v.Ms("replica.fetch.wait.max.ms")
	b.replicas.fetchBackoff = v.Ms("replica.fetch.backoff.ms")
	b.replicas.socketTimeout = v.Ms("replica.socket.timeout.ms")
	b.setISRTimer()
	b.setCheckpointTimer()
	b.setProducerExpirationTimer()
}

// setISRTimer: the look for lagging followers runs twice in replica.lag.time.max.ms, so one is noticed
// within one and a half times that time. Up to 0.10.1 it runs once, and it takes up to twice the time.
//
// Kafka: ReplicaManager.startup ("isr-expiration"); KAFKA-4485.
func (b *Broker) setISRTimer() {
	every := b.cfg.Values.Ms("replica.lag.time.max.ms")
	if b.rules.CaughtUpAtLastFetch {
		every /= 2
	}
	b.env.SetTimer(every, protocol.TimerISRShrink, 0, true)
}

func (b *Broker) setCheckpointTimer() {
	b.env.SetTimer(b.cfg.Values.Ms("replica.high.watermark.checkpoint.interval.ms"), protocol.TimerHWCheckpoint, 0, true)
}

// shrinkISRs looks for followers that have not been caught up for too long.
//
// Kafka: ReplicaManager.maybeShrinkIsr.
func (b *Broker) shrinkISRs() {
	for _, h := range b.replicas.hosted {
		if change := h.p.MaybeShrinkISR(b.env.Now()); change != nil {
			b.proposeISR(h, change)
		}
	}
}

// checkpointHighWatermarks writes the high watermark of every replica this process knows of. What it
// does not know of drops out of the file. It does so from the controller's first order on.
//
// Kafka: ReplicaManager.checkpointHighWatermarks, hwThreadInitialized.
func (b *Broker) checkpointHighWatermarks() {
	if len(b.replicas.hosted) == 0 && (b.rules.HWCheckpointKept || !b.replicas.ordered) {
		return
	}
	lines := make([]log.PartitionOffset, 0, len(b.replicas.hosted))
	for _, h := range b.replicas.hosted {
		lines = append(lines, log.PartitionOffset{Partition: h.tp.String(), Offset: h.p.Log().HighWatermark()})
	}
	log.HighWatermarkCheckpoint(b.env.Disk()).Write(lines)
}

func (b *Broker) flush(h *hosted) {
	l := h.p.Log()
	if l.RecoveryPoint() == l.LogEndOffset() {
		return
	}
	l.Flush()
	b.env.Record(&event.Flushed{TP: h.tp, Offset: l.LogEndOffset()})
}

// deleteRecords raises the log start offset of a partition this broker leads.
//
// Kafka: ReplicaManager.deleteRecordsOnLocalLog.
func (b *Broker) deleteRecords(c *protocol.DeleteRecordsCommand) {
	h := b.hostedPartition(c.TP)
	if h == nil {
		return
	}
	from := h.p.Log().LogStartOffset()
	if _, err := h.p.DeleteRecords(c.Before); err != protocol.None {
		return
	}
	if to := h.p.Log().LogStartOffset(); to != from {
		b.env.Record(&event.LogStart{TP: h.tp, From: from, To: to})
		b.producersForgotten(h.tp, h.p.Log().EvictedProducers(), event.Deleted)
		h.p.Log().DeleteOldest(to)
	}
}
