package consumer

import (
	"kafkatrial/model/client"
	"kafkatrial/model/event"
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// poll goes on with KafkaConsumer.poll: it looks at what has arrived, commits if the interval is over, sees
// to it that every partition has a valid position, and returns once there are records. Whatever it returns
// is consumed as far as the next commit is concerned.
//
// Kafka: KafkaConsumer.poll, updateAssignmentMetadataIfNeeded, pollForFetches.
func (c *Consumer) poll(env *sim.Env) {
	k := &c.kafka
	c.lookAtInbox(env)
	c.applySeeks(env)
	if !c.ensureActiveGroup(env) || c.consultDatabase(env) {
		return
	}
	previous := c.app.Planted.On(planted.AutoCommitOfPreviousPoll)
	if previous {
		c.maybeAutoCommit(env)
	}
	k.fetcher.records = k.fetcher.records[:0]
	for again := true; again; {
		if e := c.updateFetchPositions(env); e != nil {
			c.throw(env, *e)
			return
		}
		if c.readsBack(env) {
			return
		}
		var e *exception
		if again, e = c.collectFetch(env); e != nil {
			c.throw(env, *e)
			return
		}
	}
	c.sendFetches(env) // also with records in hand: the next ones come while these are processed
	if !previous {
		c.maybeAutoCommit(env)
	}
	if len(k.fetcher.records) > 0 {
		c.polled(env, append([]event.Consumed(nil), k.fetcher.records...))
	}
}

// lookAtInbox handles what brokers have answered since the last call (ConsumerNetworkClient.poll).
func (c *Consumer) lookAtInbox(env *sim.Env) {
	k := &c.kafka
	for i := range k.inbox {
		r := &k.inbox[i]
		switch m := r.Msg.(type) {
		case *protocol.Fetch:
			if !c.handleReadBack(env, r) {
				c.handleFetch(env, r, m)
			}
		case *protocol.ListOffsets:
			if !c.handleReadBack(env, r) {
				c.handleListOffsets(env, r, m)
			}
		case *protocol.OffsetForLeaderEpoch:
			c.handleEpochs(env, r, m)
		case *protocol.FindCoordinator:
			c.handleFindCoordinator(env, r)
		case *protocol.OffsetFetch:
			if !c.handleCommitted(env, r) {
				c.handleOffsetFetch(env, r)
			}
		case *protocol.JoinGroup:
			c.handleJoinGroup(env, r)
		case *protocol.OffsetCommit:
			c.handleOffsetCommit(env, r, m)
		}
		k.inbox[i] = client.Response{}
	}
	k.inbox = k.inbox[:0]
	c.updateAssignment()
}

// updateAssignment takes the partitions of the application's topics that the metadata tell of.
func (c *Consumer) updateAssignment() {
	if len(c.app.Topics) == 0 || c.app.Subscribes || c.kafka.subs.metadataVersion == c.kafka.net.Metadata().Version() {
		return
	}
	for _, p := range c.kafka.net.Metadata().Partitions() {
		for _, topic := range c.app.Topics {
			if p.TP.Topic == topic {
				c.kafka.subs.assign(p.TP)
			}
		}
	}
}

// updateFetchPositions sees to it that every partition gets a valid position: checked against a new leader,
// read from the coordinator, or reset.
//
// Kafka: KafkaConsumer.updateFetchPositions.
func (c *Consumer) updateFetchPositions(env *sim.Env) *exception {
	k := &c.kafka
	if e := k.cached; e != nil {
		k.cached = nil
		return e
	}
	c.validatePositionsOnMetadataChange()
	c.validatePositions(env)
	if k.subs.hasAllFetchPositions() {
		return nil
	}
	if c.app.Group != "" {
		c.initWithCommittedOffsets(env)
	} else if e := c.resetInitializingPositions(); e != nil {
		return e
	}
	c.resetPositions(env)
	return nil
}

// resetInitializingPositions resets what has no position and no committed one, by auto.offset.reset.
// Without a policy the application gets NoOffsetForPartitionException.
//
// Kafka: SubscriptionState.resetInitializingPositions.
func (c *Consumer) resetInitializingPositions() *exception {
	for i := range c.kafka.subs.partitions {
		if p := &c.kafka.subs.partitions[i]; p.State == Initializing {
			if c.cfg.reset == ResetNone {
				return &exception{err: protocol.NoOffsetForPartition, tp: p.TP, at: -1}
			}
			p.requestReset(c.cfg.reset)
		}
	}
	return nil
}

// applySeeks carries out the application's calls of KafkaConsumer.seek. A position that is sought bears no
// epoch and is not checked.
func (c *Consumer) applySeeks(env *sim.Env) {
	for _, s := range c.loop.seeks {
		p := c.kafka.subs.find(s.TP)
		if p == nil {
			continue
		}
		from := int64(-1)
		if p.hasPosition() {
			from = p.Position.Offset
		}
		p.seekValidated(c.positionAt(s.TP, s.Offset, -1))
		p.assigned = true
		c.recordReset(env, p, from, s.Offset, event.FromSeek)
	}
	c.loop.seeks = c.loop.seeks[:0]
}

// positionAt makes a position as of the leader that the metadata name.
func (c *Consumer) positionAt(tp protocol.TopicPartition, offset int64, offsetEpoch int) Position {
	leader, epoch := c.leader(tp)
	return Position{Offset: offset, OffsetEpoch: offsetEpoch, Leader: leader, CurrentEpoch: epoch}
}

// leader gives the leader that the metadata name and its epoch: NoBroker if there is none, epoch -1 if the
// consumer's protocol knows none (before 2.3).
func (c *Consumer) leader(tp protocol.TopicPartition) (protocol.BrokerID, int) {
	leader, epoch, ok := c.kafka.net.Metadata().Leader(tp)
	if !ok {
		leader = protocol.NoBroker
	}
	if !c.rules.ConsumerEpochCheck {
		epoch = -1
	}
	return leader, epoch
}

// checksPositions says that positions are checked against the leader's epochs.
func (c *Consumer) checksPositions() bool {
	return c.rules.ConsumerEpochCheck && c.app.Planted.On(planted.PositionValidation)
}

func (c *Consumer) recordReset(env *sim.Env, p *PartitionState, from, to int64, why event.PositionSource) {
	env.Record(&event.PositionReset{TP: p.TP, From: from, To: to, Source: why})
}

// recordPosition tells of a partition's first position, or of a reset.
func (c *Consumer) recordPosition(env *sim.Env, p *PartitionState, from int64, why event.PositionSource) {
	if p.assigned {
		c.recordReset(env, p, from, p.Position.Offset, why)
		return
	}
	p.assigned = true
	env.Record(&event.Assigned{TP: p.TP, Offset: p.Position.Offset, Source: why})
}
