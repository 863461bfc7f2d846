package consumer

import (
	"slices"

	"kafkatrial/model/client"
	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// consumerCoordinator is the consumer's side of its group: where the coordinator is, and the commits.
//
// Kafka: ConsumerCoordinator, AbstractCoordinator.
type consumerCoordinator struct {
	known       protocol.BrokerID // the coordinator, NoBroker while it is not known
	finding     int32             // correlation id of the FindCoordinator under way, 0 none
	findRetryAt sim.Time

	fetching     int32 // correlation id of the OffsetFetch under way, 0 none
	fetchRetryAt sim.Time

	commits        []commit // under way or waiting for the coordinator, oldest first
	nextAutoCommit sim.Time // when the interval is over
	closeBy        sim.Time // in close(): when it gives up

	generation int32  // of the group as this consumer knows it, -1: it is no member
	member     string // its member id, empty: it is no member
}

// GroupMetadata is what the consumer is in its group, as of its last join (KafkaConsumer.groupMetadata): -1 and "" before
// the first, and of a consumer that takes its partitions itself.
func (c *Consumer) GroupMetadata() (generation int32, member string) {
	m := c.kafka.group.metadata
	return m.generation, m.member
}

// commit is one call of commitSync or one commit of the auto-commit.
type commit struct {
	sync        bool // the thread waits for it, and it is tried again; otherwise it is sent once
	data        []protocol.CommitData
	correlation int32 // 0: not under way
	attempts    int
	retryAt     sim.Time
	deadline    sim.Time
	done        bool
	err         protocol.Error
	generation  int32 // in which it was sent
}

// coordinatorReady says whether the coordinator is known and can be sent to, and does what is needed for it:
// finds it, connects to it, finds it anew if the connection has failed.
//
// Kafka: AbstractCoordinator.ensureCoordinatorReady, checkAndGetCoordinator.
func (c *Consumer) coordinatorReady(env *sim.Env) bool {
	k := &c.kafka
	if k.coord.known != protocol.NoBroker {
		to := client.Coordinator(k.coord.known)
		if k.net.Ready(env, to) {
			return true
		}
		if k.net.State(to) != "disconnected" {
			return false
		}
		c.markCoordinatorUnknown()
		k.coord.findRetryAt = env.Now() + c.cfg.client.RetryBackoff
	}
	if k.coord.finding != 0 || k.coord.findRetryAt > env.Now() {
		return false
	}
	b, ok := k.net.LeastLoaded(env)
	if !ok {
		k.net.Metadata().RequestUpdate()
		c.lookupFailed(env)
		return false
	}
	if to := client.Destination(b); k.net.Ready(env, to) {
		k.coord.finding = k.net.NextCorrelation()
		k.net.Send(env, to, k.coord.finding, &protocol.FindCoordinator{Correlation: k.coord.finding, Key: c.app.Group}, true)
	}
	return false
}

func (c *Consumer) markCoordinatorUnknown() { c.kafka.coord.known = protocol.NoBroker }

// lookupFailed puts the next look-up off. What the auto-commit had waiting for it has failed, and is due
// again after the backoff.
func (c *Consumer) lookupFailed(env *sim.Env) {
	k := &c.kafka
	k.coord.findRetryAt = env.Now() + c.cfg.client.RetryBackoff
	n := len(k.coord.commits)
	k.coord.commits = slices.DeleteFunc(k.coord.commits, func(op commit) bool { return !op.sync && op.correlation == 0 })
	if len(k.coord.commits) < n {
		k.coord.nextAutoCommit = env.Now() + c.cfg.client.RetryBackoff
	}
}

func (c *Consumer) handleFindCoordinator(env *sim.Env, r *client.Response) {
	k := &c.kafka
	if k.coord.finding != r.Correlation {
		return
	}
	k.coord.finding = 0
	a, ok := r.Answer.(*protocol.FindCoordinatorResponse)
	if !ok || a.Err != protocol.None {
		c.lookupFailed(env)
		return
	}
	k.coord.known = a.Coordinator
}

// initWithCommittedOffsets asks the coordinator for the positions of partitions that have none.
//
// Kafka: ConsumerCoordinator.initWithCommittedOffsetsIfNeeded, fetchCommittedOffsets.
func (c *Consumer) initWithCommittedOffsets(env *sim.Env) {
	k := &c.kafka
	if k.coord.fetching != 0 || k.coord.fetchRetryAt > env.Now() || !k.subs.anyInitializing() || !c.coordinatorReady(env) {
		return
	}
	req := &protocol.OffsetFetch{Correlation: k.net.NextCorrelation(), Group: c.app.Group}
	for i := range k.subs.partitions {
		if p := &k.subs.partitions[i]; p.State == Initializing {
			req.Partitions = append(req.Partitions, p.TP)
		}
	}
	k.coord.fetching = req.Correlation
	k.net.Send(env, client.Coordinator(k.coord.known), req.Correlation, req, true)
}

func (s *subscriptionState) anyInitializing() bool {
	return slices.ContainsFunc(s.partitions, func(p PartitionState) bool { return p.State == Initializing })
}

// handleOffsetFetch takes the committed positions. A partition without one is reset by auto.offset.reset;
// without a policy the application gets NoOffsetForPartitionException.
//
// Kafka: ConsumerCoordinator.OffsetFetchResponseHandler, ConsumerUtils.refreshCommittedOffsets.
func (c *Consumer) handleOffsetFetch(env *sim.Env, r *client.Response) {
	k := &c.kafka
	if k.coord.fetching != r.Correlation {
		return
	}
	k.coord.fetching = 0
	a, ok := r.Answer.(*protocol.OffsetFetchResponse)
	switch {
	case !ok, a.Err == protocol.NotCoordinator, a.Err == protocol.CoordinatorNotAvailable:
		c.markCoordinatorUnknown()
		k.coord.fetchRetryAt = env.Now() + c.cfg.client.RetryBackoff
		return
	case a.Err.Retriable():
		k.coord.fetchRetryAt = env.Now() + c.cfg.client.RetryBackoff
		return
	case a.Err != protocol.None:
		c.cache(exception{err: a.Err, at: -1})
		k.coord.fetchRetryAt = sim.Never
		return
	}
	for i := range a.Data {
		d := &a.Data[i]
		p := k.subs.find(d.TP)
		if p == nil || p.State != Initializing {
			continue
		}
		if p.rewinds {
			c.rewound(env, p, d)
			continue
		}
		if d.Offset < 0 {
			if c.cfg.reset == ResetNone {
				c.cache(exception{err: protocol.NoOffsetForPartition, tp: p.TP, at: -1})
				k.coord.fetchRetryAt = sim.Never
				continue
			}
			p.requestReset(c.cfg.reset)
			continue
		}
		if d.LeaderEpoch >= 0 {
			k.net.Metadata().UpdateLastSeenEpochIfNewer(p.TP, d.LeaderEpoch)
		}
		p.Committed = d.Offset
		p.seekUnvalidated(c.positionAt(p.TP, d.Offset, c.epochOf(d.LeaderEpoch)), c.checksPositions())
		c.recordPosition(env, p, -1, event.FromCommitted)
	}
}

// epochOf drops the epoch of a record or of a committed position where the consumer does not know epochs
// (before 2.3).
func (c *Consumer) epochOf(epoch int) int {
	if !c.rules.ConsumerEpochCheck {
		return -1
	}
	return epoch
}

// maybeAutoCommit commits once auto.commit.interval.ms is over: the positions as they are now. Called at the
// beginning of a poll, that is what earlier polls returned, and nothing of what this one will return.
//
// Kafka: ConsumerCoordinator.maybeAutoCommitOffsetsAsync, autoCommitOffsetsAsync.
func (c *Consumer) maybeAutoCommit(env *sim.Env) {
	k := &c.kafka
	if c.autoCommits() && env.Now() >= k.coord.nextAutoCommit {
		if !c.anythingToCommit() {
			c.skipAutoCommit(env)
			return
		}
		k.coord.nextAutoCommit = env.Now() + c.cfg.autoCommitInterval
		k.coord.commits = append(k.coord.commits, commit{data: k.subs.allConsumed(), deadline: sim.Never})
	}
	c.sendCommits(env)
}

// skipAutoCommit moves the deadline on where Kafka would have sent a commit that changes nothing: at the
// beginning of this poll, and every interval since.
func (c *Consumer) skipAutoCommit(env *sim.Env) {
	next := &c.kafka.coord.nextAutoCommit
	if *next < c.loop.pollBegan {
		*next = c.loop.pollBegan + c.cfg.autoCommitInterval
	}
	if late := env.Now() - *next; late >= 0 && c.cfg.autoCommitInterval > 0 {
		*next += (late/c.cfg.autoCommitInterval + 1) * c.cfg.autoCommitInterval
	}
}

func (c *Consumer) autoCommits() bool { return c.cfg.enableAutoCommit && c.app.Group != "" }

// anythingToCommit says that a position differs from what is committed or about to be.
func (c *Consumer) anythingToCommit() bool {
	k := &c.kafka
	for i := range k.subs.partitions {
		p := &k.subs.partitions[i]
		if p.hasValidPosition() && p.Position.Offset != p.Committed && !k.coord.underWay(p.TP, p.Position.Offset) {
			return true
		}
	}
	return false
}

func (co *consumerCoordinator) underWay(tp protocol.TopicPartition, offset int64) bool {
	for i := range co.commits {
		for _, d := range co.commits[i].data {
			if d.TP == tp && d.Offset == offset {
				return true
			}
		}
	}
	return false
}

// sendCommits sends what waits, in order, as soon as the coordinator can be sent to.
//
// Kafka: ConsumerCoordinator.sendOffsetCommitRequest. A consumer that takes its partitions itself names no
// member and no generation.
func (c *Consumer) sendCommits(env *sim.Env) {
	k := &c.kafka
	for i := 0; i < len(k.coord.commits); i++ {
		if op := &k.coord.commits[i]; op.correlation != 0 || op.done || op.retryAt > env.Now() {
			continue
		}
		if !c.coordinatorReady(env) {
			return
		}
		op := &k.coord.commits[i]
		op.correlation, op.generation = k.net.NextCorrelation(), k.coord.generation
		for _, d := range op.data {
			env.Record(&event.CommitSent{TP: d.TP, Offset: d.Offset})
		}
		k.net.Send(env, client.Coordinator(k.coord.known), op.correlation,
			&protocol.OffsetCommit{Correlation: op.correlation, Group: c.app.Group, Generation: c.kafka.coord.generation, Member: c.kafka.coord.member, Data: op.data}, true)
	}
}

// failCommits ends what waits to be sent, of a consumer that knows it is no member. Nobody hears of it in close.
func (c *Consumer) failCommits(env *sim.Env) {
	co := &c.kafka.coord
	if c.isMember() {
		return
	}
	for i := range co.commits {
		if op := &co.commits[i]; op.correlation == 0 && !op.done {
			if c.loop.state != Closing {
				c.recordCommitFailed(env, op.data, protocol.CommitFailed)
			}
			op.done, op.err = true, protocol.CommitFailed
		}
	}
	co.commits = slices.DeleteFunc(co.commits, func(op commit) bool { return op.done && !op.sync })
}

// handleOffsetCommit takes the outcome of a commit. The first partition with an error decides for all.
//
// Kafka: ConsumerCoordinator.OffsetCommitResponseHandler.
func (c *Consumer) handleOffsetCommit(env *sim.Env, r *client.Response, req *protocol.OffsetCommit) {
	k := &c.kafka
	err := c.commitOutcome(env, r, req)
	i := slices.IndexFunc(k.coord.commits, func(op commit) bool { return op.correlation == r.Correlation })
	if i < 0 {
		return
	}
	op := &k.coord.commits[i]
	op.correlation, op.err = 0, err
	switch {
	case !op.sync:
		if err.Retriable() {
			k.coord.nextAutoCommit = env.Now() + c.cfg.client.RetryBackoff
		}
		k.coord.commits = slices.Delete(k.coord.commits, i, i+1)
	case err.Retriable():
		op.retryAt = env.Now() + client.Backoff(c.cfg.client.RetryBackoff, c.cfg.client.RetryBackoffMax, op.attempts)
		op.attempts++
	default:
		op.done = true
	}
}

func (c *Consumer) commitOutcome(env *sim.Env, r *client.Response, req *protocol.OffsetCommit) protocol.Error {
	a, ok := r.Answer.(*protocol.OffsetCommitResponse)
	if !ok {
		c.markCoordinatorUnknown()
		c.recordCommitFailed(env, req.Data, protocol.NetworkException)
		return protocol.NetworkException
	}
	for i := range a.Data {
		err := a.Data[i].Err
		if err != protocol.None {
			if err == protocol.CoordinatorNotAvailable || err == protocol.NotCoordinator || err == protocol.RequestTimedOut {
				c.markCoordinatorUnknown()
			}
			c.recordCommitFailed(env, req.Data[i:], err)
			c.groupError(env, err, req.Generation)
			return c.commitError(err)
		}
		if p := c.kafka.subs.find(a.Data[i].TP); p != nil {
			p.Committed = req.Data[i].Offset
		}
		env.Record(&event.Committed{TP: a.Data[i].TP, Offset: req.Data[i].Offset})
	}
	return protocol.None
}

// commitError says what a commit's error is to the application: some that are retriable in general are not
// expected here, and end a commitSync at once with a KafkaException.
func (c *Consumer) commitError(err protocol.Error) protocol.Error {
	switch err {
	case protocol.CoordinatorLoadInProgress, protocol.UnknownTopicOrPartition, protocol.CoordinatorNotAvailable,
		protocol.NotCoordinator, protocol.RequestTimedOut:
		return err
	case protocol.UnknownMemberID, protocol.IllegalGeneration:
		return protocol.CommitFailed
	}
	if err.Retriable() {
		return protocol.UnknownServerError
	}
	return err
}

func (c *Consumer) recordCommitFailed(env *sim.Env, data []protocol.CommitData, err protocol.Error) {
	for _, d := range data {
		env.Record(&event.CommitFailed{TP: d.TP, Offset: d.Offset, Err: err})
	}
}

// beginCommitSync begins a commit that the thread waits for. Nothing to commit is done at once.
func (c *Consumer) beginCommitSync(env *sim.Env, deadline sim.Time) {
	op := commit{sync: true, data: c.kafka.subs.allConsumed(), deadline: deadline}
	op.done = len(op.data) == 0 || c.app.Group == ""
	c.kafka.coord.commits = append(c.kafka.coord.commits, op)
}

// commitSync goes on with KafkaConsumer.commitSync: it tries again after errors that may pass, until
// default.api.timeout.ms is over.
//
// Kafka: ConsumerCoordinator.commitOffsetsSync.
func (c *Consumer) commitSync(env *sim.Env) {
	c.lookAtInbox(env)
	c.failCommits(env)
	co := &c.kafka.coord
	i := slices.IndexFunc(co.commits, func(op commit) bool { return op.sync })
	op := co.commits[i]
	switch {
	case !op.done && env.Now() >= op.deadline:
		c.throw(env, exception{err: protocol.TimeoutException, at: -1})
	case !op.done:
		c.sendCommits(env)
	case op.err != protocol.None:
		c.throw(env, exception{err: op.err, at: -1})
	default:
		co.commits = slices.Delete(co.commits, i, i+1)
		c.endVerb(env)
	}
}

// beginClose begins KafkaConsumer.close. With enable.auto.commit it commits the positions, of all that was
// returned by poll: also of records that the application has not processed, if it closes in the middle.
//
// Kafka: ConsumerCoordinator.close, maybeAutoCommitOffsetsSync.
func (c *Consumer) beginClose(env *sim.Env) {
	co := &c.kafka.coord
	co.commits = slices.DeleteFunc(co.commits, func(op commit) bool { return op.sync })
	co.closeBy = env.Now() + c.cfg.closeTimeout
	if c.autoCommits() && c.anythingToCommit() {
		c.beginCommitSync(env, co.closeBy)
	}
}

// closing goes on with it. Errors are swallowed.
func (c *Consumer) closing(env *sim.Env) {
	c.lookAtInbox(env)
	c.failCommits(env)
	co := &c.kafka.coord
	co.commits = slices.DeleteFunc(co.commits, func(op commit) bool { return op.done })
	switch {
	case len(co.commits) > 0 && env.Now() < co.closeBy:
		c.sendCommits(env)
	case c.producer == nil || c.producer.Closed():
		c.closed(env)
	}
}
