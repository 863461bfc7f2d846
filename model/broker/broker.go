// Package broker is one Kafka broker process: it serves produce and fetch requests, replicates from
// leaders, keeps its session with the controller, and keeps everything it must not forget on its disk.
//
// The files are named after Kafka's classes: KafkaApis, ReplicaManager, ReplicaFetcherThread, the purgatory
// of delayed operations, BrokerLifecycleManager, AlterPartitionManager.
package broker

import (
	"kafkatrial/model/config"
	"kafkatrial/model/groupcoordinator"
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/model/release"
	"kafkatrial/sim"
)

// Config is what a broker process is started with. It is shared by all processes of all brokers and is
// never changed.
type Config struct {
	Directory *protocol.Directory
	Rules     *release.Rules
	Values    *config.Values // broker section
	Topics    []TopicConfig  // settings of the topics the cluster starts with
	Planted   planted.Set    // guards switched off, in tests only
}

// TopicConfig holds a topic's own settings, laid over the broker's.
type TopicConfig struct {
	Topic  string
	Values *config.Values // topic section, as given by config.ForTopic
}

// Broker is one broker process.
type Broker struct {
	cfg   *Config
	id    protocol.BrokerID
	env   *sim.Env
	rules *release.Rules

	meta        metadataCache
	replicas    replicaManager
	fetchers    []*fetcher // one a leader, in order of broker id
	purgatory   purgatory
	lifecycle   lifecycle
	zk          zkSession
	alter       alterPartitionManager
	coordinator *groupcoordinator.GroupCoordinator
	producerIDs producerIDManager
	commits     []pendingCommit

	transactions transactions

	correlation  int32
	shuttingDown bool
	blocked      bool // ZooKeeper mode: the request thread waits for ZooKeeper's answer
	deferred     []sim.Delivery
	changing     sim.ConnID     // ZooKeeper mode: where the order came from that a fetcher's end holds up, NoConn if none is
	orders       []sim.Delivery // behind it
}

// New makes the process of broker id.
func New(cfg *Config, id protocol.BrokerID) *Broker {
	return &Broker{cfg: cfg, id: id, rules: cfg.Rules, changing: sim.NoConn}
}

// ID is the broker's broker.id.
func (b *Broker) ID() protocol.BrokerID { return b.id }

// Start loads the logs, then registers.
func (b *Broker) Start(env *sim.Env) {
	b.env = env
	b.meta.init(b)
	b.coordinator = groupcoordinator.New(b.coordinatorConfig(), b.rules)
	b.startTransactions()
	clean := b.takeCleanShutdownMark()
	b.loadLogs(clean)
	b.startPeriodicTasks()
	if b.rules.KRaft {
		b.lifecycle.start(b)
	} else {
		b.zk.start(b)
	}
}

// Receive handles one message. A broker handles one request at a time.
func (b *Broker) Receive(env *sim.Env, d sim.Delivery) {
	if b.blocked {
		if _, fromZk := d.Msg.(*protocol.ZkResponse); !fromZk {
			b.deferred = append(b.deferred, d)
			return
		}
	}
	b.handle(d)
}

// handle is KafkaApis.handle, and what a broker's own clients get back.
func (b *Broker) handle(d sim.Delivery) {
	if b.waitsForStateChange(d) {
		return
	}
	switch m := d.Msg.(type) {
	case *protocol.ApiVersions:
		b.env.Send(d.Conn, &protocol.ApiVersionsResponse{Correlation: m.Correlation, TransactionVersion: b.transactionVersion()})
	case *protocol.Produce:
		b.handleProduce(d.Conn, d.From, m)
	case *protocol.Fetch:
		b.handleFetch(d.Conn, m)
	case *protocol.FetchResponse:
		b.fetchResponse(d.Conn, m)
	case *protocol.OffsetForLeaderEpoch:
		b.handleOffsetForLeaderEpoch(d.Conn, m)
	case *protocol.OffsetForLeaderEpochResponse:
		b.epochResponse(d.Conn, m)
	case *protocol.ListOffsets:
		b.handleListOffsets(d.Conn, m)
	case *protocol.ListOffsetsResponse:
		b.offsetsResponse(d.Conn, m)
	case *protocol.Metadata:
		b.handleMetadata(d.Conn, m)
	case *protocol.InitProducerId:
		b.handleInitProducerId(d.Conn, m)
	case *protocol.AllocateProducerIdsResponse:
		b.producerIDs.allocated(b, m)
	case *protocol.FindCoordinator:
		b.handleFindCoordinator(d.Conn, m)
	case *protocol.OffsetCommit:
		b.handleOffsetCommit(d.Conn, m)
	case *protocol.OffsetFetch:
		b.handleOffsetFetch(d.Conn, m)
	case *protocol.JoinGroup:
		b.group(b.coordinator.HandleJoinGroup(b.env.Clock(), d.Conn, m))
	case *protocol.Heartbeat:
		b.sendAnswer(b.coordinator.HandleHeartbeat(d.Conn, m))
	case *protocol.AddPartitionsToTxn:
		b.handleAddPartitionsToTxn(d.Conn, m)
	case *protocol.AddPartitionsToTxnResponse:
		b.transactionsVerified(d.Conn, m)
	case *protocol.AddOffsetsToTxn:
		b.handleAddOffsetsToTxn(d.Conn, m)
	case *protocol.TxnOffsetCommit:
		b.handleTxnOffsetCommit(d.Conn, m)
	case *protocol.EndTxn:
		b.handleEndTxn(d.Conn, m)
	case *protocol.WriteTxnMarkers:
		b.handleWriteTxnMarkers(d.Conn, m)
	case *protocol.WriteTxnMarkersResponse:
		b.markersAnswered(d.Conn, m)
	case *protocol.BrokerRegistrationResponse:
		b.lifecycle.registered(b, m)
	case *protocol.BrokerHeartbeatResponse:
		b.lifecycle.heartbeatAnswered(b, m)
	case *protocol.MetadataFetchResponse:
		b.lifecycle.metadataArrived(b, m)
	case *protocol.AlterPartitionResponse:
		b.alter.answered(b, m)
	case *protocol.LeaderAndIsr:
		b.handleLeaderAndIsr(d.Conn, m)
	case *protocol.StopReplica:
		b.handleStopReplica(d.Conn, m)
	case *protocol.UpdateMetadata:
		b.handleUpdateMetadata(d.Conn, m)
	case *protocol.ControlledShutdownResponse:
		b.zk.shutdownAnswered(b, m)
	case *protocol.ZkResponse:
		b.zk.answered(b, m)
	case *protocol.Command:
		b.obey(m)
	}
}

// Timer handles a timer that was set.
func (b *Broker) Timer(env *sim.Env, t sim.Timer) {
	switch t.Kind {
	case protocol.TimerHeartbeat:
		if b.rules.KRaft {
			b.lifecycle.timer(b)
		} else {
			b.zk.ping(b)
		}
	case protocol.TimerControllerRequest:
		b.retryController(t.Arg)
	case protocol.TimerMetadataFetch:
		b.lifecycle.fetchUnanswered(b)
	case protocol.TimerFetchBackoff:
		b.wakeFetcher(int(t.Arg))
	case protocol.TimerFetchTimeout:
		b.fetchTimedOut(int(t.Arg))
	case protocol.TimerDelayedFetch:
		b.purgatory.fetchExpired(b, t.Arg)
	case protocol.TimerDelayedProduce:
		if t.Arg < 0 {
			b.commitExpired(-t.Arg)
		} else {
			b.purgatory.produceExpired(b, t.Arg)
		}
	case protocol.TimerISRShrink:
		b.shrinkISRs()
		b.setISRTimer()
	case protocol.TimerHWCheckpoint:
		b.checkpointHighWatermarks()
		b.setCheckpointTimer()
	case protocol.TimerProducerExpiration:
		b.removeExpiredProducers()
		b.setProducerExpirationTimer()
	case protocol.TimerAlterPartition:
		b.alter.sendPending(b)
	default:
		b.transactionTimer(t)
	}
}

// Disconnected closes whatever used the connection.
func (b *Broker) Disconnected(env *sim.Env, c sim.ConnID) {
	b.purgatory.dropConnection(b, c)
	b.fetcherDisconnected(c)
	if b.rules.KRaft {
		b.lifecycle.disconnected(b, c)
	} else {
		b.zk.disconnected(b, c)
	}
	b.alter.disconnected(b, c)
	b.producerIDs.disconnected(b, c)
	b.transactionsDisconnected(c)
	b.coordinator.OnDisconnected(c)
}

// obey carries out an operator's order.
func (b *Broker) obey(c *protocol.Command) {
	switch {
	case c.Flush:
		for _, h := range b.replicas.hosted {
			b.flush(h)
		}
	case c.ShutDown:
		b.beginControlledShutdown()
	case c.DeleteRecords != nil:
		b.deleteRecords(c.DeleteRecords)
	case c.Rebalance != nil:
		b.group(b.coordinator.Rebalance(b.env.Clock(), c.Rebalance))
	}
}

func (b *Broker) nextCorrelation() int32 {
	b.correlation++
	return b.correlation
}

// release lets the request thread go on after ZooKeeper has answered.
func (b *Broker) release() {
	b.blocked = false
	waiting := b.deferred
	b.deferred = nil
	for i, d := range waiting {
		b.handle(d)
		if b.blocked { // it must wait again: the rest stays in line
			b.deferred = append(b.deferred, waiting[i+1:]...)
			return
		}
	}
}
