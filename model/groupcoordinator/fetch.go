package groupcoordinator

import (
	"slices"

	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// HandleOffsetFetch takes an OffsetFetch that came in on conn. It gives either an answer to send at once (ok)
// or something to wait for.
//
// Between 2.5 and 3.9 a partition for which a commit is under way answers UNSTABLE_OFFSET_COMMIT, and the
// consumer asks again (KIP-447); before that it answers the position before the commit. From 4.0 the answer
// waits until everything written so far is committed. A position that an open transaction is about to move is
// unstable from 2.5 on, in 4.0 too.
//
// Kafka: GroupCoordinator.handleFetchOffsets, GroupMetadataManager.getOffsets; GroupCoordinatorService.fetchOffsets (4.0).
func (g *GroupCoordinator) HandleOffsetFetch(conn sim.ConnID, req *protocol.OffsetFetch) (a Answer, ok bool, wait Wait) {
	if err := g.validateGroupStatus(req.Group); err != protocol.None {
		return fetchFailure(conn, req, err), true, Wait{}
	}
	partition := g.PartitionFor(req.Group).Partition
	p := &g.partitions[partition]
	if g.rules.NewGroupCoordinator && p.hw < p.lastWritten {
		g.lastID++
		g.reads = append(g.reads, pendingRead{id: g.lastID, conn: conn, partition: partition, req: req, upTo: p.lastWritten})
		return Answer{}, false, Wait{ID: g.lastID, Timeout: g.cfg.CommitTimeout}
	}
	return g.offsets(conn, req), true, Wait{}
}

// offsets reads what is committed; a partition without a position answers -1.
func (g *GroupCoordinator) offsets(conn sim.ConnID, req *protocol.OffsetFetch) Answer {
	group := g.partitions[g.PartitionFor(req.Group).Partition].group(req.Group)
	stable := g.rules.StableOffsets && g.cfg.Planted.On(planted.StableOffsetFetch)
	data := make([]protocol.CommitData, len(req.Partitions))
	result := &protocol.OffsetFetchResponse{Correlation: req.Correlation, Data: data}
	for k, tp := range req.Partitions {
		data[k] = protocol.CommitData{TP: tp, Offset: -1, LeaderEpoch: -1}
		if group == nil {
			continue
		}
		if stable && group.pendingInTransaction(tp) {
			return fetchFailure(conn, req, protocol.UnstableOffsetCommit)
		}
		i, found := group.find(tp)
		if !found {
			continue
		}
		pos := &group.Positions[i]
		if pos.staged != 0 && stable && !g.rules.NewGroupCoordinator {
			return fetchFailure(conn, req, protocol.UnstableOffsetCommit)
		}
		data[k].Offset, data[k].LeaderEpoch = pos.Offset, pos.LeaderEpoch
	}
	return Answer{Conn: conn, Msg: result}
}

// OnFetchTimeout says that a Wait has lasted its Timeout.
func (g *GroupCoordinator) OnFetchTimeout(id int64) []Answer {
	i := slices.IndexFunc(g.reads, func(r pendingRead) bool { return r.id == id })
	if i < 0 {
		return nil
	}
	r := g.reads[i]
	g.reads = slices.Delete(g.reads, i, i+1)
	a := fetchFailure(r.conn, r.req, protocol.CoordinatorNotAvailable)
	a.ID = id
	return []Answer{a}
}

func (g *GroupCoordinator) completeReads(partition int32) []Answer {
	var out []Answer
	hw := g.partitions[partition].hw
	g.reads = slices.DeleteFunc(g.reads, func(r pendingRead) bool {
		if r.partition != partition || r.upTo > hw {
			return false
		}
		a := g.offsets(r.conn, r.req)
		a.ID = r.id
		out = append(out, a)
		return true
	})
	return out
}

func fetchFailure(conn sim.ConnID, req *protocol.OffsetFetch, err protocol.Error) Answer {
	return Answer{Conn: conn, Msg: &protocol.OffsetFetchResponse{Correlation: req.Correlation, Err: err}}
}

// FindCoordinator answers who coordinates a group from what the broker's metadata say of the group's
// partition of __consumer_offsets: its leader, and whether that broker is alive.
//
// Kafka: KafkaApis.getCoordinator.
func FindCoordinator(req *protocol.FindCoordinator, leader protocol.BrokerID, alive bool) *protocol.FindCoordinatorResponse {
	if leader <= 0 || !alive {
		return &protocol.FindCoordinatorResponse{Correlation: req.Correlation, Err: protocol.CoordinatorNotAvailable, Coordinator: protocol.NoBroker}
	}
	return &protocol.FindCoordinatorResponse{Correlation: req.Correlation, Coordinator: leader}
}
