package groupcoordinator

import (
	"slices"

	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// HandleOffsetCommit takes an OffsetCommit that came in on conn. It gives either an answer to send at once
// (ok) or a batch to append. clock is the broker's time of day, for the records' timestamp.
//
// Kafka: GroupCoordinator.handleCommitOffsets, GroupMetadataManager.storeOffsets.
func (g *GroupCoordinator) HandleOffsetCommit(clock sim.Time, conn sim.ConnID, req *protocol.OffsetCommit) (a Answer, ok bool, write Append) {
	if err := g.validateGroupStatus(req.Group); err != protocol.None {
		return commitAnswer(conn, req, err), true, Append{}
	}
	tp := g.PartitionFor(req.Group)
	p := &g.partitions[tp.Partition]
	if err := g.validateOffsetCommit(p.group(req.Group), req); err != protocol.None {
		return commitAnswer(conn, req, err), true, Append{}
	}
	if len(req.Data) == 0 {
		return commitAnswer(conn, req, protocol.None), true, Append{}
	}
	g.lastID++
	group := p.getOrCreateGroup(req.Group)
	records := make([]record.Record, len(req.Data))
	for i := range req.Data {
		records[i] = offsetRecord(req.Group, &req.Data[i], int64(clock/sim.Millisecond))
		group.position(req.Data[i].TP).staged = g.lastID // GroupMetadata.prepareOffsetCommit
	}
	g.pending = append(g.pending, pendingWrite{id: g.lastID, conn: conn, partition: tp.Partition, req: req, base: -1, records: len(records)})
	return Answer{}, false, Append{ID: g.lastID, TP: tp, Batch: record.NewBatch(records), Acks: g.requiredAcks(), Timeout: g.cfg.CommitTimeout}
}

// requiredAcks says what the append of a commit is held to. To 3.9 a commit is a write with
// offsets.commit.required.acks. From 4.0 it is appended as with acks=1, hence also while the in-sync set is
// below min.insync.replicas, and answered once the high watermark has passed it.
//
// Kafka: GroupMetadataManager.appendForGroup; CoordinatorPartitionWriter.append (4.0).
func (g *GroupCoordinator) requiredAcks() protocol.Acks {
	if g.rules.NewGroupCoordinator || !g.cfg.Planted.On(planted.CommitReplicated) {
		return 1
	}
	return g.cfg.CommitRequiredAcks
}

// OnAppended says that the batch of write id stands in the leader's log from base on, and ends before next.
// It gives what can be answered now: with acks=1 the commit is done.
func (g *GroupCoordinator) OnAppended(id int64, base, next int64) []Answer {
	i := g.findWrite(id)
	if i < 0 {
		return nil
	}
	w := &g.pending[i]
	w.base = base
	p := &g.partitions[w.partition]
	p.lastWritten = max(p.lastWritten, next)
	if g.rules.NewGroupCoordinator && w.group == "" {
		g.apply(w) // the state holds the position from now on, and those who read it wait
	}
	if g.rules.NewGroupCoordinator && g.cfg.Planted.On(planted.CommitReplicated) {
		return g.OnHighWatermark(w.partition, p.hw)
	}
	if g.requiredAcks() != protocol.AcksAll {
		return g.complete(i)
	}
	return nil
}

// OnCommitted says that write id is replicated as acks=all demands.
//
// Kafka: the first half of putCacheCallback in GroupMetadataManager.createPutCacheCallback.
func (g *GroupCoordinator) OnCommitted(id int64) []Answer {
	if i := g.findWrite(id); i >= 0 {
		return g.complete(i)
	}
	return nil
}

// OnAppendFailed says that write id was refused, or that its replication failed or took too long
// (REQUEST_TIMED_OUT). The position may still be in the log, and a later coordinator may load it: a commit
// that failed with an error need not have failed.
//
// Kafka: the second half of putCacheCallback, GroupMetadata.failPendingOffsetWrite.
func (g *GroupCoordinator) OnAppendFailed(id int64, err protocol.Error) []Answer {
	i := g.findWrite(id)
	if i < 0 {
		return nil
	}
	w := g.pending[i]
	g.pending = slices.Delete(g.pending, i, i+1)
	if w.group != "" {
		return g.groupWriteFailed(&w, err)
	}
	if w.txn {
		g.failTxn(&w)
	} else if group := g.partitions[w.partition].group(w.req.Group); group != nil {
		for k := range w.req.Data {
			if j, ok := group.find(w.req.Data[k].TP); ok && group.Positions[j].staged == id {
				group.Positions[j].staged = 0
			}
		}
	}
	a := w.answer(g.commitError(err))
	a.ID = id
	return []Answer{a}
}

// OnHighWatermark says how far a partition of __consumer_offsets is committed. From 4.0 commits and reads
// wait for it.
//
// Kafka: CoordinatorRuntime.HighWatermarkListener (4.0).
func (g *GroupCoordinator) OnHighWatermark(partition int32, hw int64) []Answer {
	p := &g.partitions[partition]
	if hw > p.hw {
		p.hw = hw
	}
	if !g.rules.NewGroupCoordinator {
		return nil
	}
	var out []Answer
	for i := 0; i < len(g.pending); {
		w := &g.pending[i]
		if w.partition != partition || w.base < 0 || w.base+int64(w.records) > p.hw {
			i++
			continue
		}
		out = append(out, g.complete(i)...)
	}
	return append(out, g.completeReads(partition)...)
}

// complete answers write i and lets its positions be seen.
func (g *GroupCoordinator) complete(i int) []Answer {
	w := g.pending[i]
	g.pending = slices.Delete(g.pending, i, i+1)
	if w.group != "" {
		return g.groupWritten(&w)
	}
	if !g.rules.NewGroupCoordinator {
		g.apply(&w)
	}
	a := w.answer(protocol.None)
	a.ID = w.id
	if !w.txn { // otherwise the marker commits them
		a.Group, a.Committed = w.req.Group, w.req.Data
	}
	return []Answer{a}
}

// apply puts the positions of a write where HandleOffsetFetch finds them, unless those are newer by their
// place in the log. Until 3.9 it also skips a partition for which nothing is staged any more: a later commit
// of it has failed meanwhile, and took the mark with it.
//
// Kafka: GroupMetadata.onOffsetCommitAppend; OffsetMetadataManager.replay (4.0).
func (g *GroupCoordinator) apply(w *pendingWrite) {
	if w.txn {
		g.applyTxn(w)
		return
	}
	group := g.partitions[w.partition].getOrCreateGroup(w.req.Group)
	for k := range w.req.Data {
		c := &w.req.Data[k]
		pos := group.position(c.TP)
		if (pos.staged != 0 || g.rules.NewGroupCoordinator) && pos.LogOffset <= w.base {
			pos.Offset, pos.LeaderEpoch, pos.LogOffset = c.Offset, c.LeaderEpoch, w.base
		}
		if pos.staged == w.id {
			pos.staged = 0
		}
	}
}

// commitError translates the error of an append into the one that a client is told.
//
// Kafka: GroupMetadataManager.maybeConvertOffsetCommitError, with NOT_ENOUGH_REPLICAS from 0.10.1
// (KAFKA-3590); CoordinatorOperationExceptionHelper.handleOperationException (4.0).
func (g *GroupCoordinator) commitError(err protocol.Error) protocol.Error {
	switch err {
	case protocol.UnknownTopicOrPartition:
		return protocol.CoordinatorNotAvailable
	case protocol.NotEnoughReplicas, protocol.NotEnoughReplicasAfterAppend:
		if g.rules.CommitErrorForMinISR {
			return protocol.CoordinatorNotAvailable
		}
	case protocol.RequestTimedOut:
		if g.rules.NewGroupCoordinator {
			return protocol.CoordinatorNotAvailable
		}
	case protocol.NotLeaderOrFollower, protocol.KafkaStorageError:
		return protocol.NotCoordinator
	}
	return err
}

func (g *GroupCoordinator) findWrite(id int64) int {
	return slices.IndexFunc(g.pending, func(w pendingWrite) bool { return w.id == id })
}

// commitAnswer gives all partitions of a commit the same outcome.
func commitAnswer(conn sim.ConnID, req *protocol.OffsetCommit, err protocol.Error) Answer {
	data := make([]protocol.CommitResult, len(req.Data))
	for i := range req.Data {
		data[i] = protocol.CommitResult{TP: req.Data[i].TP, Err: err}
	}
	return Answer{Conn: conn, Msg: &protocol.OffsetCommitResponse{Correlation: req.Correlation, Data: data}}
}
