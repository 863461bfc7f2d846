package broker

import (
	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// lifecycle keeps a broker's registration and session with the KRaft controller, and reads the metadata
// log.
//
// Kafka: BrokerLifecycleManager; the metadata log by KafkaRaftClient and BrokerMetadataPublisher.
type lifecycle struct {
	state         lifecycleState
	epoch         int64 // broker epoch, -1 before the registration
	previousEpoch int64 // from the clean-shutdown file, -1 none
	conn          sim.ConnID
	raft          sim.ConnID
	fetchWatch    sim.TimerID // of the MetadataFetch under way
	inFlight      bool
	deadline      sim.Time
	watch         sim.TimerID
	next          sim.TimerID
	failures      int
}

type lifecycleState uint8

const (
	notRunning lifecycleState = iota
	starting
	recovery
	running
	pendingControlledShutdown
)

const (
	retryBackoff      = 100 * sim.Millisecond // resendExponentialBackoff begins with it and doubles
	startupHeartbeat  = 10 * sim.Millisecond  // between heartbeats while the broker is starting
	controllerTimeout = 30 * sim.Second       // controller.socket.timeout.ms
	raftBackoff       = 50 * sim.Millisecond  // before the metadata log is asked for again
	raftTimeout       = 2 * sim.Second        // controller.quorum.request.timeout.ms
)

// Arguments of TimerControllerRequest.
const (
	watchLifecycle = iota
	reconnectRaft
	retryZk
	retryAlter
)

func (l *lifecycle) start(b *Broker) {
	l.state, l.epoch, l.conn, l.raft, l.watch, l.next = starting, -1, sim.NoConn, sim.NoConn, sim.NoTimer, sim.NoTimer
	l.fetchWatch = sim.NoTimer
	l.communicate(b)
	l.fetchMetadata(b)
}

// brokerEpoch is the epoch under which this process is registered, -1 if it is not or in ZooKeeper mode
// before broker epochs.
func (b *Broker) brokerEpoch() int64 {
	if b.rules.KRaft {
		return b.lifecycle.epoch
	}
	return b.zk.brokerEpoch
}

func (b *Broker) controllerNode() sim.NodeID {
	if b.rules.KRaft {
		return b.cfg.Directory.Controllers[0]
	}
	return b.zk.controller
}

// communicate sends the registration, or else a heartbeat.
func (l *lifecycle) communicate(b *Broker) {
	if l.inFlight {
		return
	}
	if l.conn == sim.NoConn {
		l.conn = b.env.Connect(b.controllerNode())
	}
	// KAFKA-14392: no longer than half a session, so that there is time for a second try.
	patience := min(controllerTimeout, b.cfg.Values.Ms("broker.session.timeout.ms")/2)
	l.inFlight, l.deadline = true, b.env.Now()+patience
	if l.watch == sim.NoTimer {
		l.watch = b.env.SetTimer(patience, protocol.TimerControllerRequest, watchLifecycle, true)
	}
	if l.epoch < 0 {
		b.env.Send(l.conn, &protocol.BrokerRegistration{Broker: b.id, Incarnation: int64(b.env.Incarnation()),
			PreviousEpoch: l.previousEpoch, DiskID: int64(b.env.Disk().ID())})
		return
	}
	b.env.Send(l.conn, &protocol.BrokerHeartbeat{Broker: b.id, Epoch: l.epoch, MetadataOffset: b.meta.offset - 1,
		WantFence: l.state == starting, WantShutDown: l.state == pendingControlledShutdown})
}

func (l *lifecycle) after(b *Broker, t sim.Time) {
	b.env.CancelTimer(l.next)
	l.next = b.env.SetTimer(t, protocol.TimerHeartbeat, 0, true)
}

func (l *lifecycle) timer(b *Broker) {
	l.next = sim.NoTimer
	l.communicate(b)
}

func (l *lifecycle) failed(b *Broker) {
	l.inFlight = false
	wait := retryBackoff << min(l.failures, 6)
	l.failures++
	l.after(b, min(wait, b.cfg.Values.Ms("broker.session.timeout.ms")/2))
}

func (l *lifecycle) registered(b *Broker, r *protocol.BrokerRegistrationResponse) {
	l.inFlight = false
	if r.Err != protocol.None {
		l.failed(b)
		return
	}
	l.failures = 0
	l.epoch = r.Epoch
	for _, h := range b.replicas.hosted {
		h.p.SetBrokerEpoch(l.epoch)
	}
	b.env.Record(&event.BrokerRegistered{Epoch: l.epoch})
	l.communicate(b)
}

// heartbeatAnswered moves the broker along: it takes over the image once it has caught up with the
// metadata log, so that it never acts on what was decided before its registration.
//
// Kafka: BrokerLifecycleManager.BrokerHeartbeatResponseEvent; BrokerServer.startup waits for
// initialCatchUpFuture before it installs the metadata publishers.
func (l *lifecycle) heartbeatAnswered(b *Broker, r *protocol.BrokerHeartbeatResponse) {
	if r.Err != protocol.None {
		l.failed(b)
		return
	}
	l.inFlight, l.failures = false, 0
	switch l.state {
	case starting:
		if r.CaughtUp {
			l.state = recovery
			b.becomeLeaderOrFollower(b.meta.partitions, 0)
			l.communicate(b)
			return
		}
		l.after(b, startupHeartbeat)
	case recovery:
		if !r.Fenced {
			l.state = running
		}
		l.after(b, b.cfg.Values.Ms("broker.heartbeat.interval.ms"))
	case running:
		l.after(b, b.cfg.Values.Ms("broker.heartbeat.interval.ms"))
	case pendingControlledShutdown:
		if r.ShouldShutDown {
			b.finishShutdown()
			return
		}
		l.after(b, 50*sim.Millisecond)
	}
}

func (b *Broker) retryController(what int64) {
	l := &b.lifecycle
	switch what {
	case watchLifecycle:
		l.watch = sim.NoTimer
		if !l.inFlight {
			return
		}
		if left := l.deadline - b.env.Now(); left > 0 {
			l.watch = b.env.SetTimer(left, protocol.TimerControllerRequest, watchLifecycle, true)
			return
		}
		b.env.Close(l.conn)
		l.conn = sim.NoConn
		l.failed(b)
	case reconnectRaft:
		if l.raft == sim.NoConn {
			l.fetchMetadata(b)
		}
	case retryZk:
		b.zk.connect(b)
	case retryAlter:
		b.alter.sendPending(b)
	}
}

func (l *lifecycle) disconnected(b *Broker, c sim.ConnID) {
	switch c {
	case l.conn:
		l.conn = sim.NoConn
		if l.inFlight {
			l.failed(b)
		}
	case l.raft:
		l.raft = sim.NoConn
		b.env.CancelTimer(l.fetchWatch)
		b.env.SetTimer(raftBackoff, protocol.TimerControllerRequest, reconnectRaft, true)
	}
}

// fetchMetadata asks for the next records of the metadata log; the controller answers when there are some,
// or after a while.
func (l *lifecycle) fetchMetadata(b *Broker) {
	if l.raft == sim.NoConn {
		l.raft = b.env.Connect(b.controllerNode())
	}
	b.env.CancelTimer(l.fetchWatch)
	l.fetchWatch = b.env.SetTimer(raftTimeout, protocol.TimerMetadataFetch, 0, true)
	b.env.Send(l.raft, &protocol.MetadataFetch{Broker: b.id, Offset: b.meta.offset})
}

// fetchUnanswered begins anew on another connection: the controller answers in time even if there is
// nothing to tell, so question or answer was lost.
//
// Kafka: RequestManager, NetworkClient.handleTimedOutRequests.
func (l *lifecycle) fetchUnanswered(b *Broker) {
	b.env.Close(l.raft)
	l.raft = sim.NoConn
	l.fetchMetadata(b)
}

// metadataArrived applies committed records: registrations, then the partitions that changed, then settings. So a partition takes over
// its new state while it goes by its old settings (docs/findings.md, S6).
//
// Kafka: BrokerMetadataPublisher.onMetadataUpdate, ReplicaManager.applyDelta.
func (l *lifecycle) metadataArrived(b *Broker, r *protocol.MetadataFetchResponse) {
	if r.Offset != b.meta.offset { // an answer to an earlier question
		return
	}
	if b.shuttingDown && !b.rules.ShutdownHearsOfLeads { // up to 3.2 (KAFKA-13858)
		b.meta.offset += int64(len(r.Records))
		l.fetchMetadata(b)
		return
	}
	var changed []protocol.PartitionState
	settings := false
	for i := range r.Records {
		rec := &r.Records[i]
		switch {
		case rec.Registration != nil:
			b.meta.register(*rec.Registration)
		case rec.Config != nil:
			b.meta.setConfig(b, rec.Config)
			settings = true
		case rec.Partition != nil:
			b.meta.put(*rec.Partition)
			changed = replaceOrAppend(changed, *rec.Partition)
		}
	}
	b.meta.offset += int64(len(r.Records))
	if settings && b.rules.SettingsFirst {
		b.settingsChanged()
	}
	if l.state >= recovery {
		b.becomeLeaderOrFollower(changed, 0)
	}
	if settings {
		b.settingsChanged()
	}
	l.fetchMetadata(b)
}

func replaceOrAppend(all []protocol.PartitionState, s protocol.PartitionState) []protocol.PartitionState {
	for i := range all {
		if all[i].TP == s.TP {
			all[i] = s
			return all
		}
	}
	return append(all, s)
}

// settingsChanged hands changed settings to the partitions.
func (b *Broker) settingsChanged() {
	for _, h := range b.replicas.hosted {
		h.p.SetConfig(b.partitionConfig(h.tp.Topic))
		h.p.Log().SetConfig(b.logConfig(h.tp.Topic))
	}
}

// beginControlledShutdown asks the controller to move what this broker leads, and ends the process when it
// has done so.
//
// Kafka: BrokerServer.beginShutdown, KafkaServer.controlledShutdown.
func (b *Broker) beginControlledShutdown() {
	if b.shuttingDown {
		return
	}
	b.shuttingDown = true
	b.env.Record(&event.ShutdownBegan{})
	if !b.cfg.Values.Bool("controlled.shutdown.enable") {
		b.finishShutdown()
		return
	}
	if b.rules.KRaft {
		b.lifecycle.state = pendingControlledShutdown
		b.lifecycle.communicate(b)
		return
	}
	b.zk.askShutdown(b)
}

// finishShutdown writes down what the next process needs: the high watermarks, everything flushed, and the
// mark that the process ended in order.
//
// Kafka: ReplicaManager.shutdown, LogManager.shutdown.
func (b *Broker) finishShutdown() {
	b.checkpointHighWatermarks()
	for _, h := range b.replicas.hosted {
		b.flush(h)
		h.p.Log().Close()
	}
	b.env.Disk().Put(cleanShutdownFile, b.brokerEpoch())
	b.env.Record(&event.ShutdownDone{})
	if !b.rules.KRaft {
		b.zk.close(b)
	}
	b.env.Exit()
}
