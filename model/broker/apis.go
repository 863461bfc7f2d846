package broker

import (
	"slices"

	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// handleOffsetForLeaderEpoch tells a follower or a consumer where an epoch ends.
//
// Kafka: KafkaApis.handleOffsetForLeaderEpochRequest, ReplicaManager.lastOffsetForLeaderEpoch.
func (b *Broker) handleOffsetForLeaderEpoch(c sim.ConnID, req *protocol.OffsetForLeaderEpoch) {
	res := &protocol.OffsetForLeaderEpochResponse{Correlation: req.Correlation, Data: make([]protocol.EpochAnswer, len(req.Data))}
	for i := range req.Data {
		q := &req.Data[i]
		a := protocol.EpochAnswer{TP: q.TP, Epoch: -1, EndOffset: -1}
		if h := b.hostedPartition(q.TP); h == nil {
			a.Err = b.unknownPartition(q.TP)
		} else {
			a.Epoch, a.EndOffset, a.Err = h.p.LastOffsetForLeaderEpoch(q.CurrentLeaderEpoch, q.LeaderEpoch, true)
			if a.Err == protocol.None {
				b.env.Record(&event.EpochAnswered{TP: q.TP, Asked: int32(q.LeaderEpoch), EndOffset: a.EndOffset, Epoch: int32(a.Epoch)})
			}
		}
		res.Data[i] = a
	}
	b.env.Send(c, res)
}

// handleListOffsets tells the end or the start of a partition: to a consumer what it may read, to a
// follower the log's own.
//
// Kafka: KafkaApis.handleListOffsetRequest, Partition.fetchOffsetForTimestamp.
func (b *Broker) handleListOffsets(c sim.ConnID, req *protocol.ListOffsets) {
	isolation := fetchIsolation(req.Replica, req.Isolation)
	res := &protocol.ListOffsetsResponse{Correlation: req.Correlation, Data: make([]protocol.OffsetAnswer, len(req.Data))}
	for i := range req.Data {
		q := &req.Data[i]
		a := protocol.OffsetAnswer{TP: q.TP, Offset: -1, LeaderEpoch: -1}
		if h := b.hostedPartition(q.TP); h == nil {
			a.Err = b.unknownPartition(q.TP)
		} else if q.Timestamp == protocol.EarliestTimestamp {
			a.Offset, a.Err = h.p.StartOffset(q.CurrentLeaderEpoch, true)
			a.LeaderEpoch = h.p.LeaderEpoch()
		} else {
			a.Offset, a.Err = h.p.EndOffset(isolation, q.CurrentLeaderEpoch, true)
			a.LeaderEpoch = h.p.LeaderEpoch()
		}
		res.Data[i] = a
	}
	b.env.Send(c, res)
}

// handleMetadata tells what this broker knows, which may be old.
//
// Kafka: KafkaApis.handleTopicMetadataRequest.
func (b *Broker) handleMetadata(c sim.ConnID, req *protocol.Metadata) {
	b.env.Send(c, &protocol.MetadataResponse{Correlation: req.Correlation, Live: b.meta.liveBrokers(), Partitions: slices.Clone(b.meta.partitions)})
}
