package consumer

import (
	"slices"

	"kafkatrial/model/client"
	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// membership is what a consumer that subscribes is in its group, beside generation and member id.
//
// Kafka: AbstractCoordinator (state, generation, heartbeat thread), ConsumerCoordinator.
type membership struct {
	rejoin   bool  // rejoinNeeded: the next poll joins
	prepared bool  // what it had is committed and given up: it may join
	joining  int32 // correlation id of the JoinGroup under way, 0 none
	retryAt  sim.Time

	heartbeat int32 // correlation id of the heartbeat under way, 0 none
	timer     sim.TimerID

	// What groupMetadata gives: generation and member id of the last join. A member that is out keeps them until it
	// has joined again, and so is known by them for what it is (KIP-447).
	metadata groupMetadata
}

type groupMetadata struct {
	generation int32
	member     string
}

// subscribe begins the life of a consumer that gets its partitions from its group (KafkaConsumer.subscribe).
func (c *Consumer) subscribe() {
	c.kafka.group = membership{rejoin: c.app.Subscribes, timer: sim.NoTimer, metadata: groupMetadata{generation: -1}}
}

// completed takes answers. Those that the heartbeat thread waits for are looked at at once, whatever the
// application is doing; the rest waits for the next call. That thread is of 0.10.1 (KIP-62): before, heartbeats
// were sent and looked at in calls alone, which the model leaves out.
func (c *Consumer) completed(env *sim.Env, all ...client.Response) {
	for i := range all {
		switch all[i].Msg.(type) {
		case *protocol.Heartbeat:
			c.handleHeartbeat(env, &all[i])
			continue
		case *protocol.FindCoordinator:
			if c.app.Subscribes {
				c.handleFindCoordinator(env, &all[i])
				continue
			}
		}
		c.kafka.inbox = append(c.kafka.inbox, all[i])
	}
}

// ensureActiveGroup sees to it that a consumer which subscribes is a member of the group's present generation,
// as far as it knows. Until then poll returns nothing.
//
// Kafka: ConsumerCoordinator.poll, AbstractCoordinator.ensureActiveGroup, joinGroupIfNeeded.
func (c *Consumer) ensureActiveGroup(env *sim.Env) bool {
	k := &c.kafka
	g := &k.group
	if !g.rejoin {
		return true
	}
	if !g.prepared && !c.onJoinPrepare(env) || g.joining != 0 || g.retryAt > env.Now() || !c.coordinatorReady(env) {
		return false
	}
	g.joining = k.net.NextCorrelation()
	k.net.SendWithin(env, client.Coordinator(k.coord.known), g.joining,
		&protocol.JoinGroup{Correlation: g.joining, Group: c.app.Group, ClientID: c.app.ClientID, Member: k.coord.member}, c.cfg.joinTimeout)
	return false
}

// onJoinPrepare gives up what the consumer has before it joins again: it commits its positions, with
// enable.auto.commit, and revokes all partitions (the eager protocol; KIP-429's cooperative one is left out).
// One that knows it is out commits nothing: its partitions are lost already. It waits for the commit, and tries it again, as
// long as the group waits for it; 3.2.0 alone sends it once and goes on. From 3.2.1 on poll returns meanwhile, and the next one
// goes on waiting, which comes to the same.
//
// Kafka: ConsumerCoordinator.onJoinPrepare.
func (c *Consumer) onJoinPrepare(env *sim.Env) bool {
	k := &c.kafka
	c.failCommits(env)
	if i := slices.IndexFunc(k.coord.commits, func(op commit) bool { return op.sync }); i >= 0 {
		if op := &k.coord.commits[i]; !op.done && env.Now() < op.deadline {
			c.sendCommits(env)
			return false
		}
		k.coord.commits = slices.Delete(k.coord.commits, i, i+1)
	} else if wanted := c.autoCommits() && k.coord.generation >= 0 && c.anythingToCommit(); wanted && c.rules.JoinWithoutCommit {
		k.coord.commits = append(k.coord.commits, commit{data: k.subs.allConsumed(), deadline: sim.Never})
		c.sendCommits(env)
	} else if wanted {
		c.beginCommitSync(env, env.Now()+c.cfg.rebalanceTimeout)
		c.sendCommits(env)
		return false
	}
	lost := k.coord.generation < 0
	for i := range k.subs.partitions {
		env.Record(&event.PartitionRevoked{TP: k.subs.partitions[i].TP, Generation: int32(k.group.metadata.generation), Lost: lost})
	}
	k.subs.partitions, k.fetcher.buffer = nil, nil
	k.coord.fetching, k.coord.fetchRetryAt = 0, 0
	k.coord.commits = nil // what they are about is another's now
	k.group.prepared = true
	return true
}

// handleJoinGroup takes the end of a round: the consumer is a member of the generation, and begins with the
// partitions that it is given.
//
// Kafka: AbstractCoordinator.JoinGroupResponseHandler, SyncGroupResponseHandler; ConsumerCoordinator.onJoinComplete.
func (c *Consumer) handleJoinGroup(env *sim.Env, r *client.Response) {
	k := &c.kafka
	g := &k.group
	if g.joining != r.Correlation {
		return
	}
	g.joining = 0
	a, ok := r.Answer.(*protocol.JoinGroupResponse)
	switch {
	case !ok, a.Err == protocol.NotCoordinator, a.Err == protocol.CoordinatorNotAvailable:
		c.markCoordinatorUnknown()
		g.retryAt = env.Now() + c.cfg.client.RetryBackoff
		return
	case a.Err == protocol.UnknownMemberID:
		c.resetGeneration()
		return
	case a.Err != protocol.None:
		g.retryAt = env.Now() + c.cfg.client.RetryBackoff
		return
	}
	k.coord.generation, k.coord.member = a.Generation, a.Member
	g.metadata = groupMetadata{a.Generation, a.Member}
	g.rejoin, g.prepared = false, false
	env.Record(&event.GroupJoined{Generation: int32(a.Generation), Partitions: int64(len(a.Assignment)), Member: a.Member})
	for _, tp := range a.Assignment {
		env.Record(&event.AssignmentTaken{TP: tp, Generation: int32(a.Generation), Member: a.Member})
		k.subs.assign(tp)
	}
	k.coord.nextAutoCommit = env.Now() + c.cfg.autoCommitInterval
	if g.timer == sim.NoTimer {
		c.setHeartbeatTimer(env)
	}
}

// resetGeneration forgets the membership: the consumer joins as a stranger.
//
// Kafka: AbstractCoordinator.resetStateAndGeneration.
func (c *Consumer) resetGeneration() {
	c.kafka.coord.generation, c.kafka.coord.member = -1, ""
	c.kafka.group.rejoin = true
}

func (c *Consumer) setHeartbeatTimer(env *sim.Env) {
	c.kafka.group.timer = env.SetTimer(c.cfg.heartbeatInterval, protocol.TimerGroupHeartbeat, 0, true)
}

func (c *Consumer) stopHeartbeat(env *sim.Env) {
	env.CancelTimer(c.kafka.group.timer)
	c.kafka.group.timer = sim.NoTimer
}

// heartbeatDue sends the next heartbeat, if the consumer is a member as far as it knows.
//
// Kafka: AbstractCoordinator.HeartbeatThread.
func (c *Consumer) heartbeatDue(env *sim.Env) {
	k := &c.kafka
	c.setHeartbeatTimer(env)
	if k.coord.generation < 0 || k.group.prepared || k.group.heartbeat != 0 || !c.coordinatorReady(env) {
		return
	}
	k.group.heartbeat = k.net.NextCorrelation()
	k.net.Send(env, client.Coordinator(k.coord.known), k.group.heartbeat,
		&protocol.Heartbeat{Correlation: k.group.heartbeat, Group: c.app.Group, Generation: k.coord.generation, Member: k.coord.member}, true)
}

// handleHeartbeat: the coordinator says that a round is under way, or that the member is out. The next poll joins again.
//
// Kafka: AbstractCoordinator.HeartbeatResponseHandler.
func (c *Consumer) handleHeartbeat(env *sim.Env, r *client.Response) {
	k := &c.kafka
	if k.group.heartbeat != r.Correlation {
		return
	}
	k.group.heartbeat = 0
	a, ok := r.Answer.(*protocol.HeartbeatResponse)
	sent := r.Msg.(*protocol.Heartbeat)
	if !ok {
		c.markCoordinatorUnknown()
		return
	}
	c.groupError(env, a.Err, sent.Generation)
}

// groupError takes what a coordinator says of a member, in answer to a request that named a generation. It is
// old news if the consumer has joined since.
func (c *Consumer) groupError(env *sim.Env, err protocol.Error, generation int32) {
	if !c.app.Subscribes {
		return
	}
	k := &c.kafka
	before := k.coord.generation >= 0 && !k.group.rejoin
	switch {
	case err == protocol.NotCoordinator, err == protocol.CoordinatorNotAvailable:
		c.markCoordinatorUnknown()
		return
	case generation != k.coord.generation:
		return
	case err == protocol.RebalanceInProgress:
		k.group.rejoin = true
	case err == protocol.UnknownMemberID:
		c.resetGeneration()
	case err == protocol.IllegalGeneration: // the member id may be valid still (from 3.2 on, KAFKA-13419; before, it was given up too)
		k.coord.generation, k.group.rejoin = -1, true
	default:
		return
	}
	if before || k.coord.generation < 0 {
		env.Record(&event.GroupTold{Err: err, Generation: int32(generation), Group: c.app.Group})
	}
}

// isMember says that a commit can be sent: a consumer that subscribes and knows that it is out fails it by itself.
//
// Kafka: ConsumerCoordinator.sendOffsetCommitRequest, generationIfStable (from 0.10.1; before, the coordinator
// refused it as UNKNOWN_MEMBER_ID).
func (c *Consumer) isMember() bool { return !c.app.Subscribes || c.kafka.coord.generation >= 0 }
