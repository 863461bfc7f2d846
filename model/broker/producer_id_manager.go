package broker

import (
	"kafkatrial/model/protocol"
	"kafkatrial/model/zookeeper"
	"kafkatrial/sim"
)

// producerIDManager gives out producer ids from a block that belongs to this process alone. A block that was
// not used up is lost with the process: ids are never given twice.
//
// Kafka: ProducerIdManager. In ZooKeeper mode a broker takes the block itself, with a conditional write to
// /latest_producer_id_block; from 3.0 on the controller gives it (KIP-730), under ZooKeeper by the same node, which
// is written by the broker here. Simplified: the first block is asked for when the first producer
// comes, and requests wait for it. Kafka takes it at start (before 3.0), and from 3.6 on answers
// COORDINATOR_LOAD_IN_PROGRESS until it is there; and it asks for the next block when nine tenths of one are used.
type producerIDManager struct {
	next, end int64 // ids from next on, below end
	asking    bool
	askedAt   sim.Time
	conn      sim.ConnID
	connected bool
	waiting   []producerIDRequest
	wanted    zookeeper.ProducerIDBlockZNode // ZooKeeper mode: what is being written
}

type producerIDRequest struct {
	conn        sim.ConnID
	correlation int32
	txn         *protocol.InitProducerId // of a transactional.id: the coordinator goes on with it; nil otherwise
}

// handleInitProducerId gives an idempotent producer an id, with epoch 0. Any broker will do. For a
// transactional.id it is its coordinator's to say.
//
// Kafka: KafkaApis.handleInitProducerIdRequest, TransactionCoordinator.handleInitProducerId with a null
// transactional.id.
func (b *Broker) handleInitProducerId(c sim.ConnID, req *protocol.InitProducerId) {
	m := &b.producerIDs
	r := producerIDRequest{conn: c, correlation: req.Correlation}
	if req.TransactionalID != "" {
		coordinator := b.transactions.coordinator
		if m.next != m.end || !coordinator.Coordinates(coordinator.PartitionFor(req.TransactionalID).Partition) {
			b.initTransactions(c, req)
			return
		}
		r.txn = req // it may need an id
	}
	m.waiting = append(m.waiting, r)
	if m.next == m.end {
		m.requestNextBlock(b)
		return
	}
	m.answer(b, protocol.None)
}

func noProducerID(correlation int32, err protocol.Error) *protocol.InitProducerIdResponse {
	return &protocol.InitProducerIdResponse{Correlation: correlation, Err: err, ProducerID: -1, ProducerEpoch: -1}
}

// answer answers those who wait: with ids while there are some, with an error that makes them ask again if not.
func (m *producerIDManager) answer(b *Broker, err protocol.Error) {
	for i, r := range m.waiting {
		switch {
		case err != protocol.None:
			b.env.Send(r.conn, noProducerID(r.correlation, err))
		case m.next == m.end:
			m.waiting = append(m.waiting[:0], m.waiting[i:]...)
			m.requestNextBlock(b)
			return
		case r.txn != nil:
			b.initTransactions(r.conn, r.txn)
		default:
			b.env.Send(r.conn, &protocol.InitProducerIdResponse{Correlation: r.correlation, ProducerID: m.next})
			m.next++
		}
	}
	m.waiting = m.waiting[:0]
}

// requestNextBlock asks for a block, unless it is under way.
//
// Kafka: RPCProducerIdManager.maybeRequestNextBlock; ZkProducerIdManager.getNewProducerIdBlock.
func (m *producerIDManager) requestNextBlock(b *Broker) {
	if m.asking && b.env.Now()-m.askedAt < controllerTimeout {
		return
	}
	m.asking, m.askedAt = true, b.env.Now()
	if !b.rules.KRaft {
		if b.zk.alive { // else the request waits for the session, as in the queue of a ZooKeeper client
			m.readLastBlock(b)
		}
		return
	}
	if m.connected {
		b.env.Close(m.conn) // an earlier request was never answered
	}
	m.conn, m.connected = b.env.Connect(b.controllerNode()), true
	b.env.Send(m.conn, &protocol.AllocateProducerIds{Broker: b.id, BrokerEpoch: b.brokerEpoch()})
}

func (m *producerIDManager) readLastBlock(b *Broker) {
	b.zk.send(b, &protocol.ZkRequest{Op: protocol.ZkGet, Path: zookeeper.ProducerIDBlockPath, Version: -1, ControllerEpoch: -1})
}

// zkConnected sends what waited for a session.
func (m *producerIDManager) zkConnected(b *Broker) {
	if m.asking {
		m.readLastBlock(b)
	}
}

// take begins to give out of a block that this broker now has.
func (m *producerIDManager) take(b *Broker, start, n int64) {
	m.next, m.end, m.asking = start, start+n, false
	m.answer(b, protocol.None)
}

// failed lets those who wait ask again.
func (m *producerIDManager) failed(b *Broker) {
	m.asking = false
	m.answer(b, protocol.CoordinatorLoadInProgress)
}

func (m *producerIDManager) allocated(b *Broker, r *protocol.AllocateProducerIdsResponse) {
	if m.connected {
		b.env.Close(m.conn)
		m.connected = false
	}
	if r.Err != protocol.None {
		m.failed(b)
		return
	}
	m.take(b, r.Start, r.Len)
}

func (m *producerIDManager) disconnected(b *Broker, c sim.ConnID) {
	if m.connected && c == m.conn {
		m.connected = false
		m.failed(b)
	}
}

// zkAnswered goes on with the next block: read the last one, and write the one after it on condition that nobody
// else has.
func (m *producerIDManager) zkAnswered(b *Broker, r *protocol.ZkResponse) {
	if !m.asking {
		return
	}
	write := protocol.ZkRequest{Path: zookeeper.ProducerIDBlockPath, Version: r.Version, ControllerEpoch: -1}
	next := zookeeper.ProducerIDBlockZNode{Broker: b.id, End: protocol.ProducerIDBlockSize - 1}
	switch {
	case r.Op == protocol.ZkGet && r.Err == protocol.ZkNoNode:
		write.Op, write.Version = protocol.ZkCreate, -1
	case r.Op == protocol.ZkGet && r.Err == protocol.ZkOK:
		next.Start = r.Data.(zookeeper.ProducerIDBlockZNode).End + 1
		next.End = next.Start + protocol.ProducerIDBlockSize - 1
		write.Op = protocol.ZkSet
	case r.Err == protocol.ZkOK:
		m.take(b, m.wanted.Start, m.wanted.End+1-m.wanted.Start)
		return
	default: // another broker was faster
		write.Op, write.Version = protocol.ZkGet, -1
	}
	if write.Op != protocol.ZkGet {
		m.wanted, write.Data = next, next
	}
	b.zk.send(b, &write)
}
