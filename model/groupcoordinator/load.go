package groupcoordinator

import (
	"slices"

	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
)

// OnElection says that this broker leads a partition of __consumer_offsets from the given leader epoch on.
// Until OnLoaded its groups are told COORDINATOR_LOAD_IN_PROGRESS. It reports false if the news is old.
//
// Kafka: GroupCoordinator.onElection, GroupMetadataManager.scheduleLoadGroupAndOffsets.
func (g *GroupCoordinator) OnElection(partition int32, epoch int) bool {
	p := &g.partitions[partition]
	if epoch <= p.epoch {
		return false
	}
	*p = offsetsPartition{state: Loading, epoch: epoch}
	return true
}

// OnLoaded gives the coordinator the log of a partition it was elected for: all batches that the broker
// has of it, from logStart on, and where it ends.
//
// From 0.11 everything in the log is taken over, also what lies above the high watermark: it was
// acknowledged by the coordinator before, or will be committed by this leader. Until 0.10.2 reading stopped
// once it had come to the high watermark; it reads in pieces of offsets.load.buffer.size (5 MiB), so that a
// log of one piece was taken over whole or, with a high watermark that had not left the log's start, not at
// all. The model's logs are one piece.
//
// Kafka: GroupMetadataManager.doLoadGroupsAndOffsets (loadGroupsAndOffsets until 0.11), CoordinatorLoaderImpl (4.0).
func (g *GroupCoordinator) OnLoaded(partition int32, epoch int, batches []*record.RecordBatch, logStart, hw, logEnd int64) []Answer {
	p := &g.partitions[partition]
	if p.state != Loading || p.epoch != epoch {
		return nil
	}
	p.state, p.lastWritten, p.hw = Active, logEnd, hw
	if !g.rules.LoadToLogEnd && hw <= logStart {
		return nil
	}
	for _, b := range batches {
		if b.IsControl {
			p.completeTransaction(b.ProducerID, !b.Marker.Abort)
			continue
		}
		for i := range b.Records {
			switch {
			case b.Offset(i) < logStart:
			case b.IsTransactional:
				p.loadTxn(&b.Records[i], b.ProducerID, b.BaseOffset)
			default:
				p.load(&b.Records[i], b.BaseOffset)
			}
		}
	}
	return nil
}

// load takes over one record: a later one with the same key replaces an earlier one, a null value removes it.
func (p *offsetsPartition) load(r *record.Record, base int64) {
	if name, ok := groupOf(r); ok {
		p.loadGroup(name, r)
		return
	}
	name, c, ok := readOffsetRecord(r)
	if !ok {
		return
	}
	group := p.getOrCreateGroup(name)
	if r.Tombstone {
		if i, found := group.find(c.TP); found {
			group.Positions = slices.Delete(group.Positions, i, i+1)
		}
		return
	}
	pos := group.position(c.TP)
	pos.Offset, pos.LeaderEpoch, pos.LogOffset = c.Offset, c.LeaderEpoch, base
}

// loadGroup takes over a generation. Its members know of it, or join again.
//
// Kafka: GroupMetadataManager.loadGroup.
func (p *offsetsPartition) loadGroup(name string, r *record.Record) {
	generation, members, ok := readGroupRecord(r)
	if !ok {
		return
	}
	group := p.getOrCreateGroup(name)
	group.Generation, group.Members, group.State = generation, members, Stable
	if len(members) == 0 {
		group.State = Empty
	}
}

// OnResignation says that this broker leads a partition of __consumer_offsets no more, from the given
// leader epoch on. It forgets the groups; what is under way is answered NOT_COORDINATOR.
//
// Kafka: GroupCoordinator.onResignation, GroupMetadataManager.removeGroupsForPartition; DelayedProduce
// ends with NOT_LEADER_OR_FOLLOWER at the same moment.
func (g *GroupCoordinator) OnResignation(partition int32, epoch int) []Answer {
	p := &g.partitions[partition]
	if epoch < p.epoch {
		return nil
	}
	var out []Answer
	for i := 0; i < len(g.pending); {
		if g.pending[i].partition != partition {
			i++
			continue
		}
		out = append(out, g.OnAppendFailed(g.pending[i].id, protocol.NotLeaderOrFollower)...)
	}
	g.reads = slices.DeleteFunc(g.reads, func(r pendingRead) bool {
		if r.partition != partition {
			return false
		}
		a := fetchFailure(r.conn, r.req, protocol.NotCoordinator)
		a.ID = r.id
		out = append(out, a)
		return true
	})
	for i := range p.groups {
		out = append(out, p.groups[i].failJoins(protocol.NotCoordinator)...)
	}
	*p = offsetsPartition{state: NotCoordinator, epoch: epoch}
	return out
}
