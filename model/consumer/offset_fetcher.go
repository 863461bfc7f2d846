package consumer

import (
	"kafkatrial/model/client"
	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// validatePositionsOnMetadataChange compares the positions to the leaders whenever the metadata are new.
//
// Kafka: OffsetFetcherUtils.validatePositionsOnMetadataChange.
func (c *Consumer) validatePositionsOnMetadataChange() {
	k := &c.kafka
	if v := k.net.Metadata().Version(); k.subs.metadataVersion != v {
		k.subs.metadataVersion = v
		for i := range k.subs.partitions {
			p := &k.subs.partitions[i]
			leader, epoch := c.leader(p.TP)
			p.maybeValidatePosition(leader, epoch, c.checksPositions())
			p.fetchAt = 0
		}
	}
}

// validatePositions asks the leaders of partitions that await validation where the epoch of the last
// record read ends in their logs: one request for each broker.
//
// Kafka: OffsetFetcher.validatePositionsIfNeeded; KIP-320, from 2.3.
func (c *Consumer) validatePositions(env *sim.Env) {
	k := &c.kafka
	for b := 1; b <= len(c.dir.Brokers); b++ {
		var req *protocol.OffsetForLeaderEpoch
		for i := range k.subs.partitions {
			p := &k.subs.partitions[i]
			if p.State != AwaitValidation || p.asked != 0 || p.retryAt > env.Now() || p.Position.Leader != b {
				continue
			}
			if req == nil {
				if !k.net.Ready(env, client.Destination(b)) {
					break
				}
				req = &protocol.OffsetForLeaderEpoch{Correlation: k.net.NextCorrelation(), Replica: protocol.ConsumerReplicaID}
			}
			p.asked, p.asking = req.Correlation, p.Position
			req.Data = append(req.Data, protocol.EpochQuery{TP: p.TP, CurrentLeaderEpoch: p.Position.CurrentEpoch, LeaderEpoch: p.Position.OffsetEpoch})
		}
		if req != nil {
			k.net.Send(env, client.Destination(b), req.Correlation, req, true)
		}
	}
}

func (c *Consumer) handleEpochs(env *sim.Env, r *client.Response, req *protocol.OffsetForLeaderEpoch) {
	answer, _ := r.Answer.(*protocol.OffsetForLeaderEpochResponse)
	for i := range req.Data {
		p := c.kafka.subs.find(req.Data[i].TP)
		if p == nil || p.asked != r.Correlation {
			continue // the position has changed meanwhile
		}
		p.asked = 0
		var a *protocol.EpochAnswer
		if answer != nil {
			for j := range answer.Data {
				if answer.Data[j].TP == p.TP && answer.Data[j].Err == protocol.None {
					a = &answer.Data[j]
				}
			}
		}
		if a == nil {
			p.retryAt = env.Now() + c.cfg.client.RetryBackoff
			c.kafka.net.Metadata().RequestUpdate()
			continue
		}
		c.maybeCompleteValidation(env, p, a)
	}
}

// maybeCompleteValidation compares the position to the end of its epoch on the leader. A position beyond it
// means that the log was truncated and that the consumer has read records which are gone. With a reset
// policy it goes on at the end of the epoch, where the logs part; an epoch that the leader does not know at
// all is a case for the policy itself; without a policy the application gets LogTruncationException.
//
// Kafka: SubscriptionState.maybeCompleteValidation; KIP-320, from 2.3.
func (c *Consumer) maybeCompleteValidation(env *sim.Env, p *PartitionState, a *protocol.EpochAnswer) {
	if p.State != AwaitValidation || p.Position != p.asking {
		return
	}
	undefined := a.EndOffset < 0 || a.Epoch < 0
	if !undefined && a.EndOffset >= p.Position.Offset {
		p.State, p.retryAt = Fetching, 0
		return
	}
	from := p.Position.Offset
	env.Record(&event.TruncationSeen{TP: p.TP, Position: from, EndOffset: a.EndOffset})
	switch {
	case c.cfg.reset == ResetNone:
		// The position stays where it is. The next poll throws.
		p.retryAt = sim.Never
		c.cache(exception{err: protocol.LogTruncation, tp: p.TP, at: from})
	case undefined:
		p.requestReset(c.cfg.reset)
	default:
		pos := p.Position
		pos.Offset, pos.OffsetEpoch = a.EndOffset, a.Epoch
		p.seekValidated(pos)
		c.recordReset(env, p, from, a.EndOffset, event.FromTruncation)
	}
}

// cache keeps an exception for the next poll, unless one waits already.
func (c *Consumer) cache(e exception) {
	if c.kafka.cached == nil {
		c.kafka.cached = &e
	}
}

// resetPositions asks the leaders of partitions that await a reset for their start or end: one request for
// each broker.
//
// Kafka: OffsetFetcher.resetPositionsIfNeeded.
func (c *Consumer) resetPositions(env *sim.Env) {
	k := &c.kafka
	for b := 1; b <= len(c.dir.Brokers); b++ {
		var req *protocol.ListOffsets
		for i := range k.subs.partitions {
			p := &k.subs.partitions[i]
			if p.State != AwaitReset || p.asked != 0 || p.retryAt > env.Now() {
				continue
			}
			leader, epoch := c.leader(p.TP)
			if leader == protocol.NoBroker {
				k.net.Metadata().RequestUpdate()
			}
			if leader != b {
				continue
			}
			if req == nil {
				if !k.net.Ready(env, client.Destination(b)) {
					break
				}
				req = &protocol.ListOffsets{Correlation: k.net.NextCorrelation(), Replica: protocol.ConsumerReplicaID, Isolation: c.cfg.isolation}
			}
			p.asked = req.Correlation
			req.Data = append(req.Data, protocol.OffsetQuery{TP: p.TP, CurrentLeaderEpoch: epoch, Timestamp: p.policy.timestamp()})
		}
		if req != nil {
			k.net.Send(env, client.Destination(b), req.Correlation, req, true)
		}
	}
}

// handleListOffsets takes the new positions. Every error is tried again with fresh metadata, among them
// OFFSET_NOT_AVAILABLE (KIP-207; told to clients older than 2.2 as LEADER_NOT_AVAILABLE): a new leader does
// not know yet where its log is committed.
//
// Kafka: OffsetFetcherUtils.handleListOffsetResponse, resetPositionIfNeeded.
func (c *Consumer) handleListOffsets(env *sim.Env, r *client.Response, req *protocol.ListOffsets) {
	answer, _ := r.Answer.(*protocol.ListOffsetsResponse)
	for i := range req.Data {
		p := c.kafka.subs.find(req.Data[i].TP)
		var a *protocol.OffsetAnswer
		if answer != nil {
			for j := range answer.Data {
				if answer.Data[j].TP == req.Data[i].TP && answer.Data[j].Err == protocol.None {
					a = &answer.Data[j]
				}
			}
		}
		if a != nil && req.Data[i].Timestamp == protocol.LatestTimestamp {
			env.Record(&event.EndOffset{TP: a.TP, Offset: a.Offset, LeaderEpoch: int32(a.LeaderEpoch), Broker: r.To.Broker()})
		}
		if p == nil || p.State != AwaitReset || p.asked != r.Correlation {
			continue
		}
		p.asked = 0
		if a == nil {
			p.retryAt = env.Now() + c.cfg.client.RetryBackoff
			c.kafka.net.Metadata().RequestUpdate()
			continue
		}
		from, policy := p.from, p.policy
		p.seekValidated(c.positionAt(p.TP, a.Offset, -1)) // without an epoch there is nothing to check
		if a.LeaderEpoch >= 0 {
			c.kafka.net.Metadata().UpdateLastSeenEpochIfNewer(p.TP, a.LeaderEpoch)
		}
		c.recordPosition(env, p, from, event.PositionSource(policy.String()))
	}
}
