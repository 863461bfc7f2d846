package groupcoordinator

import (
	"slices"

	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/sim"
)

// txnOffsets are the positions that a producer has committed for a group within its transaction. They count
// once the transaction's commit marker is in the group's partition of __consumer_offsets; nobody starts from
// them before (GroupMetadata.pendingTransactionalOffsetCommits).
type txnOffsets struct {
	producerID int64
	positions  []Position // by partition; LogOffset -1: not yet in the log
}

// CommittedOffsets are positions of a group that a transaction has committed.
type CommittedOffsets struct {
	Group string
	Data  []protocol.CommitData
}

// HandleTxnOffsetCommit takes positions that belong to a producer's transaction, as HandleOffsetCommit takes
// others. The batch to append bears the producer's id and epoch, and the partition's leader refuses it as it
// refuses the producer's records. From 2.5 on the producer also says which member of the group it acts for,
// so that one which has lost its partitions is refused (KIP-447).
//
// Kafka: GroupCoordinator.handleTxnCommitOffsets, doTxnCommitOffsets.
func (g *GroupCoordinator) HandleTxnOffsetCommit(clock sim.Time, conn sim.ConnID, req *protocol.TxnOffsetCommit) (a Answer, ok bool, write Append) {
	commit := &protocol.OffsetCommit{Correlation: req.Correlation, Group: req.Group, Generation: -1, Data: req.Data}
	if g.rules.StableOffsets {
		commit.Generation, commit.Member = req.Generation, req.Member
	}
	w := pendingWrite{conn: conn, req: commit, base: -1, records: len(req.Data), txn: true, producerID: req.ProducerID}
	err := g.validateGroupStatus(req.Group)
	tp := g.PartitionFor(req.Group)
	p := &g.partitions[tp.Partition]
	if err == protocol.None {
		err = g.validateTxnOffsetCommit(p.group(req.Group), commit)
	}
	if err != protocol.None || len(req.Data) == 0 {
		return w.answer(err), true, Append{}
	}
	g.lastID++
	w.id, w.partition = g.lastID, tp.Partition
	group := p.getOrCreateGroup(req.Group)
	records := make([]record.Record, len(req.Data))
	for i := range req.Data {
		records[i] = offsetRecord(req.Group, &req.Data[i], int64(clock/sim.Millisecond))
		group.transaction(req.ProducerID).put(Position{TP: req.Data[i].TP, Offset: req.Data[i].Offset, LeaderEpoch: req.Data[i].LeaderEpoch, LogOffset: -1})
	}
	g.pending = append(g.pending, w)
	batch := record.NewBatch(records).WithProducerState(req.ProducerID, req.ProducerEpoch, record.NoSequence)
	batch.IsTransactional = true
	return Answer{}, false, Append{ID: w.id, TP: tp, Batch: batch, Acks: g.requiredAcks(), Timeout: g.cfg.CommitTimeout}
}

// TxnOffsetCommitFailed answers a TxnOffsetCommit whose transaction the leader could not confirm.
//
// Kafka: postVerificationCallback in GroupCoordinator.handleTxnCommitOffsets.
func (g *GroupCoordinator) TxnOffsetCommitFailed(conn sim.ConnID, req *protocol.TxnOffsetCommit, err protocol.Error) Answer {
	w := pendingWrite{conn: conn, req: &protocol.OffsetCommit{Correlation: req.Correlation, Data: req.Data}, txn: true}
	if err == protocol.NetworkException { // a client does not expect it here; this one makes it try again
		err = protocol.CoordinatorLoadInProgress
	}
	return w.answer(g.commitError(err))
}

// answer gives all partitions of a commit the same outcome.
func (w *pendingWrite) answer(err protocol.Error) Answer {
	a := commitAnswer(w.conn, w.req, err)
	if w.txn {
		r := a.Msg.(*protocol.OffsetCommitResponse)
		a.Msg = &protocol.TxnOffsetCommitResponse{Correlation: r.Correlation, Data: r.Data}
	}
	return a
}

// applyTxn notes where in the log the positions of a transaction stand.
//
// Kafka: GroupMetadata.onTxnOffsetCommitAppend.
func (g *GroupCoordinator) applyTxn(w *pendingWrite) {
	group := g.partitions[w.partition].group(w.req.Group)
	if group == nil {
		return
	}
	i, found := group.findTransaction(w.producerID)
	if !found {
		return // it has ended meanwhile
	}
	for k := range w.req.Data {
		if j, ok := findPosition(group.transactions[i].positions, w.req.Data[k].TP); ok {
			c := &w.req.Data[k]
			group.transactions[i].positions[j] = Position{TP: c.TP, Offset: c.Offset, LeaderEpoch: c.LeaderEpoch, LogOffset: w.base}
		}
	}
}

// failTxn drops positions that could not be written.
//
// Kafka: GroupMetadata.failPendingTxnOffsetCommit.
func (g *GroupCoordinator) failTxn(w *pendingWrite) {
	group := g.partitions[w.partition].group(w.req.Group)
	if group == nil || g.rules.NewGroupCoordinator && w.base >= 0 { // from 4.0 what is in the log stays in the state
		return
	}
	i, found := group.findTransaction(w.producerID)
	if !found {
		return
	}
	t := &group.transactions[i]
	t.positions = slices.DeleteFunc(t.positions, func(p Position) bool {
		return slices.ContainsFunc(w.req.Data, func(c protocol.CommitData) bool { return c.TP == p.TP })
	})
	if len(t.positions) == 0 {
		group.transactions = slices.Delete(group.transactions, i, i+1)
	}
}

// OnTransactionCompleted says that a producer's marker is in a partition of __consumer_offsets, which ends
// before next: its positions count from now on, or are dropped. To 3.9 the marker must be replicated; from 4.0
// on it is enough that it is appended, since those who read wait for what was written before.
//
// Kafka: GroupMetadataManager.handleTxnCompletion; OffsetMetadataManager.replayEndTransactionMarker (4.0).
func (g *GroupCoordinator) OnTransactionCompleted(partition int32, producerID int64, commit bool, next int64) []CommittedOffsets {
	p := &g.partitions[partition]
	if p.state != Active {
		return nil
	}
	p.lastWritten = max(p.lastWritten, next)
	return p.completeTransaction(producerID, commit)
}

// WaitsForMarkerToReplicate says which of the two it is.
func (g *GroupCoordinator) WaitsForMarkerToReplicate() bool { return !g.rules.NewGroupCoordinator }

func (p *offsetsPartition) completeTransaction(producerID int64, commit bool) []CommittedOffsets {
	var out []CommittedOffsets
	for i := range p.groups {
		group := &p.groups[i]
		k, found := group.findTransaction(producerID)
		if !found {
			continue
		}
		t := group.transactions[k]
		group.transactions = slices.Delete(group.transactions, k, k+1)
		done := CommittedOffsets{Group: group.Name}
		for _, pending := range t.positions {
			if pending.LogOffset < 0 || !commit {
				continue
			}
			if pos := group.position(pending.TP); pos.LogOffset < pending.LogOffset {
				pos.Offset, pos.LeaderEpoch, pos.LogOffset = pending.Offset, pending.LeaderEpoch, pending.LogOffset
				done.Data = append(done.Data, protocol.CommitData{TP: pending.TP, Offset: pending.Offset, LeaderEpoch: pending.LeaderEpoch})
			}
		}
		if len(done.Data) > 0 {
			out = append(out, done)
		}
	}
	return out
}

// loadTxn takes over a record of a transaction that has not ended in what was read so far.
func (p *offsetsPartition) loadTxn(r *record.Record, producerID, base int64) {
	if name, c, ok := readOffsetRecord(r); ok && !r.Tombstone {
		p.getOrCreateGroup(name).transaction(producerID).put(Position{TP: c.TP, Offset: c.Offset, LeaderEpoch: c.LeaderEpoch, LogOffset: base})
	}
}

// pendingInTransaction says that a transaction is about to move a group's position
// (GroupMetadata.hasPendingOffsetCommitsForTopicPartition).
func (g *Group) pendingInTransaction(tp protocol.TopicPartition) bool {
	return slices.ContainsFunc(g.transactions, func(t txnOffsets) bool {
		_, found := findPosition(t.positions, tp)
		return found
	})
}

func (g *Group) findTransaction(producerID int64) (int, bool) {
	return slices.BinarySearchFunc(g.transactions, producerID, func(t txnOffsets, id int64) int {
		switch {
		case t.producerID < id:
			return -1
		case t.producerID > id:
			return 1
		}
		return 0
	})
}

// transaction finds or makes the entry of a producer.
func (g *Group) transaction(producerID int64) *txnOffsets {
	i, found := g.findTransaction(producerID)
	if !found {
		g.transactions = slices.Insert(g.transactions, i, txnOffsets{producerID: producerID})
	}
	return &g.transactions[i]
}

func (t *txnOffsets) put(p Position) {
	i, found := findPosition(t.positions, p.TP)
	if !found {
		t.positions = slices.Insert(t.positions, i, p)
	}
	t.positions[i] = p
}

func findPosition(all []Position, tp protocol.TopicPartition) (int, bool) {
	return slices.BinarySearchFunc(all, tp, func(p Position, tp protocol.TopicPartition) int { return p.TP.Compare(tp) })
}
