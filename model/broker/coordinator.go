package broker

import (
	"slices"

	"kafkatrial/model/groupcoordinator"
	"kafkatrial/model/log"
	"kafkatrial/model/protocol"
	"kafkatrial/model/transactioncoordinator"
	"kafkatrial/sim"
)

// pendingCommit is an append to __consumer_offsets that waits for its replication, or a read that waits.
type pendingCommit struct {
	id       int64
	tp       protocol.TopicPartition
	required int64 // the high watermark that completes it; 0 if the coordinator itself watches
	timer    sim.TimerID
	read     bool
}

// handleFindCoordinator tells who coordinates a group or a transactional.id, by what this broker knows.
//
// Kafka: KafkaApis.handleFindCoordinatorRequest.
func (b *Broker) handleFindCoordinator(c sim.ConnID, req *protocol.FindCoordinator) {
	tp := b.coordinator.PartitionFor(req.Key)
	if req.KeyType == protocol.TransactionCoordinator {
		tp = b.transactions.coordinator.PartitionFor(req.Key)
	}
	s, known := b.meta.partition(tp)
	leader := protocol.NoBroker
	if known {
		leader = s.Leader
	}
	b.env.Send(c, groupcoordinator.FindCoordinator(req, leader, b.meta.HasAliveBroker(leader)))
}

// handleOffsetCommit appends the positions to the group's partition of __consumer_offsets and answers when
// they are replicated.
//
// Kafka: KafkaApis.handleOffsetCommitRequest, GroupMetadataManager.storeOffsets.
func (b *Broker) handleOffsetCommit(c sim.ConnID, req *protocol.OffsetCommit) {
	a, done, write := b.coordinator.HandleOffsetCommit(b.env.Clock(), c, req)
	b.commit(a, done, write, log.AppendOptions{Origin: log.OriginCoordinator})
}

// commit answers a commit of positions, or appends them.
func (b *Broker) commit(a groupcoordinator.Answer, done bool, write groupcoordinator.Append, o log.AppendOptions) {
	if done {
		b.sendAnswer(a)
		return
	}
	h := b.hostedPartition(write.TP)
	if h == nil {
		b.sendAnswers(b.coordinator.OnAppendFailed(write.ID, protocol.NotLeaderOrFollower))
		return
	}
	base, next, err := b.appendWith(h, write.Batch, write.Acks, o)
	if err != protocol.None {
		b.sendAnswers(b.coordinator.OnAppendFailed(write.ID, err))
		return
	}
	p := pendingCommit{id: write.ID, tp: write.TP, timer: b.env.SetTimer(write.Timeout, protocol.TimerDelayedProduce, commitTimer(write.ID), false)}
	if write.Acks == protocol.AcksAll {
		p.required = next
	}
	b.commits = append(b.commits, p)
	b.sendAnswers(b.coordinator.OnAppended(write.ID, base, next))
	b.checkCommits(h)
}

// group carries out what the coordinator has decided about a group's members.
func (b *Broker) group(o groupcoordinator.Outcome) {
	if o.Event != nil {
		b.env.Record(o.Event)
	}
	b.sendAnswers(o.Answers)
	if o.Write.ID != 0 {
		b.commit(groupcoordinator.Answer{}, false, o.Write, log.AppendOptions{Origin: log.OriginCoordinator})
	}
}

// commitTimer tells the timers of commits from those of produce requests: they are negative.
func commitTimer(id int64) int64 { return -id }

// checkCommits completes the commits that a change of a partition of __consumer_offsets allows.
func (b *Broker) checkCommits(h *hosted) {
	if h.tp.Topic != groupcoordinator.TopicName {
		return
	}
	for i := 0; i < len(b.commits); i++ {
		p := b.commits[i]
		if p.tp != h.tp || p.required == 0 {
			continue
		}
		done, err := h.p.CheckEnoughReplicasReachOffset(p.required)
		switch {
		case err != protocol.None:
			b.sendAnswers(b.coordinator.OnAppendFailed(p.id, err))
		case done:
			b.sendAnswers(b.coordinator.OnCommitted(p.id))
		default:
			continue
		}
		i = -1 // the answer has taken its entry out of the list
	}
}

// commitExpired ends a commit or a read that has waited too long.
func (b *Broker) commitExpired(id int64) {
	i := slices.IndexFunc(b.commits, func(p pendingCommit) bool { return p.id == id })
	if i < 0 {
		return
	}
	read := b.commits[i].read
	b.commits = slices.Delete(b.commits, i, i+1)
	if read {
		b.sendAnswers(b.coordinator.OnFetchTimeout(id))
		return
	}
	b.sendAnswers(b.coordinator.OnAppendFailed(id, protocol.RequestTimedOut))
}

// handleOffsetFetch tells what a group has committed.
//
// Kafka: KafkaApis.handleOffsetFetchRequest.
func (b *Broker) handleOffsetFetch(c sim.ConnID, req *protocol.OffsetFetch) {
	a, done, wait := b.coordinator.HandleOffsetFetch(c, req)
	if done {
		b.sendAnswer(a)
		return
	}
	b.commits = append(b.commits, pendingCommit{id: wait.ID, read: true,
		timer: b.env.SetTimer(wait.Timeout, protocol.TimerDelayedProduce, commitTimer(wait.ID), false)})
}

func (b *Broker) sendAnswers(all []groupcoordinator.Answer) {
	for _, a := range all {
		b.sendAnswer(a)
	}
}

func (b *Broker) sendAnswer(a groupcoordinator.Answer) {
	if i := slices.IndexFunc(b.commits, func(p pendingCommit) bool { return p.id == a.ID }); a.ID != 0 && i >= 0 {
		b.env.CancelTimer(b.commits[i].timer)
		b.commits = slices.Delete(b.commits, i, i+1)
	}
	a.Send(b.env)
}

// offsetsMoved tells the coordinators how far a partition of __consumer_offsets or __transaction_state is committed.
func (b *Broker) offsetsMoved(h *hosted) {
	if h.tp.Topic == groupcoordinator.TopicName {
		b.sendAnswers(b.coordinator.OnHighWatermark(h.tp.Partition, h.p.Log().HighWatermark()))
	}
	if h.tp.Topic == transactioncoordinator.TopicName && b.rules.LoadWhenReplicated {
		b.loadTransactions(h)
	}
}

// electedCoordinator loads the groups of a partition of __consumer_offsets that this broker now leads.
// Kafka does it on a background thread; here it is done within the step.
//
// Kafka: GroupCoordinator.onElection.
func (b *Broker) electedCoordinator(h *hosted) {
	if h.tp.Topic != groupcoordinator.TopicName {
		return
	}
	if !b.coordinator.OnElection(h.tp.Partition, h.p.LeaderEpoch()) {
		return
	}
	l := h.p.Log()
	b.sendAnswers(b.coordinator.OnLoaded(h.tp.Partition, h.p.LeaderEpoch(), l.Batches(), l.LogStartOffset(), l.HighWatermark(), l.LogEndOffset()))
}

func (b *Broker) resignedCoordinator(h *hosted) {
	if h.tp.Topic == groupcoordinator.TopicName {
		b.sendAnswers(b.coordinator.OnResignation(h.tp.Partition, h.p.LeaderEpoch()))
	}
}

// coordinatorConfig reads the broker's settings; the model has fewer partitions of __consumer_offsets.
func (b *Broker) coordinatorConfig() groupcoordinator.Config {
	c := groupcoordinator.DefaultConfig
	c.Planted = b.cfg.Planted
	return c
}
