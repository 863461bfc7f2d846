// Package zookeeper is the part of ZooKeeper that Kafka leans on: one server with sessions, ephemeral and
// sequential nodes, versions to compare and set, and watches that fire once.
package zookeeper

import (
	"slices"
	"strconv"
	"strings"

	"kafkatrial/model/event"
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// Settings is what a server is made from. They are shared and never changed.
type Settings struct {
	Directory *protocol.Directory
	Topics    []protocol.TopicSpec // the tree a run begins with
	// Down lists brokers that do not run when the run begins: they have no session then.
	Down []protocol.BrokerID
	// SessionTimeout is zookeeper.session.timeout.ms, of the sessions that are open when the run begins.
	SessionTimeout sim.Time
	Planted        planted.Set // guards switched off, in tests only
}

// Server is the ZooKeeper node: an ensemble of one, which answers only what is on its disk. What an
// ensemble adds (its own elections, reads that are behind) does not happen here.
type Server struct {
	s        Settings
	env      *sim.Env
	log      *sim.File
	tree     tree
	sessions []session // by id
	watches  []watch   // in the order in which they were set
	timer    sim.TimerID
	timerAt  sim.Time
	routine  bool
}

// session is a client's session. It outlives connections.
type session struct {
	id        int64
	timeout   sim.Time
	client    sim.NodeID
	adoptable bool // open when the run began; the first process of its client takes it over
	conn      sim.ConnID
	lastHeard sim.Time
	overdue   bool // silent for longer than is usual, or its connection is gone
}

// watch is a session's wish to be told of the next change of a path, or of its children. What happens while
// the client has no connection is not told: a client that comes back reads again what it watches, as
// ZooKeeper's own client library sees to (SetWatches).
type watch struct {
	session  int64
	path     string
	children bool
}

// transaction is a block of the transaction log.
type transaction struct {
	kind    txnKind
	path    string
	data    any
	owner   int64 // of a node: the session of an ephemeral one, 0 of others
	session int64
	timeout sim.Time
	client  sim.NodeID
	adopt   bool
}

type txnKind uint8

const (
	txnCreate txnKind = iota
	txnSet
	txnDelete
	txnOpen    // a session begins
	txnClose   // a session ends
	txnAdopted // the session of a client that ran when the run began has been taken over
)

const transactionLog = "log"

// NewServer makes a ZooKeeper that keeps its tree on disk.
func NewServer(s Settings) *Server { return &Server{s: s} }

// Start reads the tree back; the first time, it makes the one a run begins with.
func (z *Server) Start(env *sim.Env) {
	z.env, z.timer, z.timerAt = env, sim.NoTimer, sim.Never
	z.log = env.Disk().File(transactionLog)
	for _, b := range z.log.Blocks() {
		t := b.(transaction)
		z.apply(&t)
	}
	if z.log.Len() == 0 {
		z.plant()
	}
	for i := range z.sessions {
		z.sessions[i].lastHeard = env.Now()
	}
	z.arm()
}

// plant makes the tree of a cluster that has been running: every broker with a session and its node under
// /brokers/ids, every partition led by its first replica in leader epoch 0 at version 0, all replicas in
// sync. There is no controller yet: one is elected at once, with epoch 1.
func (z *Server) plant() {
	for i, node := range z.s.Directory.Brokers {
		b := i + 1
		if slices.Contains(z.s.Down, b) {
			continue
		}
		z.write(transaction{kind: txnOpen, session: int64(b), timeout: z.s.SessionTimeout, client: node, adopt: true})
		z.write(transaction{kind: txnCreate, path: BrokerPath(b), data: BrokerZNode{b}, owner: int64(b)})
	}
	z.write(transaction{kind: txnCreate, path: ControllerEpochPath, data: ControllerEpochZNode{0}})
	for i := range z.s.Topics {
		t := &z.s.Topics[i]
		z.write(transaction{kind: txnCreate, path: TopicPath(t.Name), data: TopicZNode{t.Replicas}})
		if len(t.Config) > 0 {
			values := slices.Clone(t.Config)
			for j := range values {
				values[j].Topic = t.Name
			}
			z.write(transaction{kind: txnCreate, path: TopicConfigPath(t.Name), data: ConfigZNode{values}})
		}
		for n, replicas := range t.Replicas {
			p := protocol.InitialState(protocol.TopicPartition{Topic: t.Name, Partition: int32(n)}, replicas, z.s.Down)
			z.write(transaction{kind: txnCreate, path: PartitionStatePath(p.TP),
				data: PartitionZNode{Leader: p.Leader, ISR: p.ISR, ControllerEpoch: 0}})
		}
	}
}

// write makes a transaction durable and carries it out.
func (z *Server) write(t transaction) {
	z.log.Append(t)
	z.log.Flush()
	z.apply(&t)
}

// apply carries a transaction out and tells who watches.
func (z *Server) apply(t *transaction) {
	switch t.kind {
	case txnCreate:
		z.tree.create(t.path, t.data, t.owner)
		z.fire(t.path, false, protocol.ZkNodeCreated)
		z.fire(parent(t.path), true, protocol.ZkChildrenChanged)
	case txnSet:
		z.tree.set(t.path, t.data)
		z.fire(t.path, false, protocol.ZkDataChanged)
	case txnDelete:
		z.tree.remove(t.path)
		z.fire(t.path, false, protocol.ZkNodeDeleted)
		z.fire(parent(t.path), true, protocol.ZkChildrenChanged)
	case txnOpen:
		z.sessions = append(z.sessions, session{id: t.session, timeout: t.timeout, client: t.client, adoptable: t.adopt, conn: sim.NoConn})
	case txnClose:
		if i := z.find(t.session); i >= 0 {
			z.sessions = slices.Delete(z.sessions, i, i+1)
		}
		z.watches = slices.DeleteFunc(z.watches, func(w watch) bool { return w.session == t.session })
	case txnAdopted:
		if i := z.find(t.session); i >= 0 {
			z.sessions[i].adoptable = false
		}
	}
}

// fire spends the watches on a path.
func (z *Server) fire(path string, children bool, what protocol.ZkEventType) {
	kept := z.watches[:0]
	var told []int64
	for _, w := range z.watches {
		if w.path == path && w.children == children {
			told = append(told, w.session)
		} else {
			kept = append(kept, w)
		}
	}
	z.watches = kept
	for _, id := range told {
		if s := z.session(id); s != nil && s.conn != sim.NoConn {
			z.env.Send(s.conn, &protocol.ZkEvent{Path: path, Event: what})
		}
	}
}

func (z *Server) watch(m *protocol.ZkRequest, children bool) {
	if w := (watch{m.Session, m.Path, children}); m.Watch && !slices.Contains(z.watches, w) {
		z.watches = append(z.watches, w)
	}
}

func (z *Server) find(id int64) int {
	return slices.IndexFunc(z.sessions, func(s session) bool { return s.id == id })
}

func (z *Server) session(id int64) *session {
	if i := z.find(id); i >= 0 {
		return &z.sessions[i]
	}
	return nil
}

// Receive handles a request.
func (z *Server) Receive(env *sim.Env, d sim.Delivery) {
	switch m := d.Msg.(type) {
	case *protocol.ZkRequest:
		r := &protocol.ZkResponse{ID: m.ID, Op: m.Op, Session: m.Session, Path: m.Path, Version: -1}
		if m.Op == protocol.ZkConnect {
			z.open(d, m, r)
		} else {
			z.handle(d.Conn, m, r)
		}
		env.Send(d.Conn, r)
		z.arm()
	case *protocol.Command:
		z.command(m)
	}
}

// open begins a session, or takes one up again on another connection.
func (z *Server) open(d sim.Delivery, m *protocol.ZkRequest, r *protocol.ZkResponse) {
	id := m.Session
	if id == 0 {
		if i := slices.IndexFunc(z.sessions, func(s session) bool { return s.adoptable && s.client == d.From }); i >= 0 {
			id = z.sessions[i].id
			z.write(transaction{kind: txnAdopted, session: id})
		} else {
			id = int64(z.log.Len()) + firstSession
			z.write(transaction{kind: txnOpen, session: id, timeout: m.Timeout, client: d.From})
		}
	}
	s := z.session(id)
	if s == nil {
		r.Err = protocol.ZkSessionExpired
		return
	}
	r.Session = id
	s.conn, s.lastHeard, s.overdue = d.Conn, z.env.Now(), false
}

// firstSession keeps the ids of later sessions apart from those that are open when a run begins.
const firstSession = 1000

// handle carries out one operation of a session (ZooKeeper: PrepRequestProcessor, FinalRequestProcessor).
func (z *Server) handle(conn sim.ConnID, m *protocol.ZkRequest, r *protocol.ZkResponse) {
	s := z.session(m.Session)
	if s == nil {
		r.Err = protocol.ZkSessionExpired
		return
	}
	s.conn, s.lastHeard, s.overdue = conn, z.env.Now(), false
	if m.ControllerEpoch >= 0 { // the check of a multi operation
		if n := z.tree.get(ControllerEpochPath); n == nil || int(n.version) != m.ControllerEpoch {
			r.Err = protocol.ZkControllerMoved
			return
		}
	}
	switch m.Op {
	case protocol.ZkCreate:
		z.create(m, r)
	case protocol.ZkSet:
		z.set(m, r)
	case protocol.ZkGet:
		if n := z.tree.get(m.Path); n != nil {
			r.Data = n.data
		} else {
			r.Err = protocol.ZkNoNode
		}
		z.watch(m, false)
	case protocol.ZkChildren:
		r.Children = z.tree.children(m.Path)
		z.watch(m, true)
	case protocol.ZkDelete:
		switch n := z.tree.get(m.Path); {
		case n == nil:
			r.Err = protocol.ZkNoNode
		case m.Version >= 0 && n.version != m.Version:
			r.Err = protocol.ZkBadVersion
		default:
			z.write(transaction{kind: txnDelete, path: m.Path})
		}
	case protocol.ZkClose:
		z.end(m.Session)
		return
	}
	if n := z.tree.get(r.Path); n != nil {
		r.Version, r.Created = n.version, n.created
	}
}

// create makes a node. A session that has the ephemeral node already is told that all is well
// (KafkaZkClient.CheckedEphemeral).
func (z *Server) create(m *protocol.ZkRequest, r *protocol.ZkResponse) {
	if m.Sequential {
		r.Path = m.Path + padded(z.tree.zxid+1)
	}
	var owner int64
	if m.Ephemeral {
		owner = m.Session
	}
	if n := z.tree.get(r.Path); n != nil {
		if owner == 0 || n.owner != owner {
			r.Err = protocol.ZkNodeExists
		}
		return
	}
	z.write(transaction{kind: txnCreate, path: r.Path, data: m.Data, owner: owner})
}

// set compares the version and sets the data.
func (z *Server) set(m *protocol.ZkRequest, r *protocol.ZkResponse) {
	n := z.tree.get(m.Path)
	tp, isPartition := partitionOf(m.Path)
	switch {
	case n == nil:
		r.Err = protocol.ZkNoNode
	case isPartition && n.version != m.Version && isWrittenAlready(m, n.data):
	case m.Version >= 0 && n.version != m.Version && (!isPartition || z.s.Planted.On(planted.CASPartitionEpoch)):
		r.Err = protocol.ZkBadVersion
		if isPartition {
			z.recordRefusal(tp, m)
		}
	default:
		before := n.data
		z.write(transaction{kind: txnSet, path: m.Path, data: m.Data})
		if isPartition {
			z.recordISR(tp, before.(PartitionZNode), m.Data.(PartitionZNode), n.version)
		}
	}
}

// isWrittenAlready says that a partition's state is there already: it was written, the answer was lost, and the client has sent it
// again. In Kafka the client looks for itself.
//
// Kafka: ReplicationUtils.checkLeaderAndIsrZkData, asked for by KafkaZkClient.conditionalUpdatePath (ZkUtils.
// conditionalUpdatePersistentPath up to 1.0).
func isWrittenAlready(m *protocol.ZkRequest, data any) bool {
	if !m.OrWritten {
		return false
	}
	want, have := m.Data.(PartitionZNode), data.(PartitionZNode)
	return want.Leader == have.Leader && want.LeaderEpoch == have.LeaderEpoch && want.ControllerEpoch == have.ControllerEpoch &&
		slices.Equal(want.ISR, have.ISR)
}

// recordISR tells of a new ISR, whoever wrote it: in ZooKeeper's time the leaders did (before KIP-497).
func (z *Server) recordISR(tp protocol.TopicPartition, before, after PartitionZNode, version int32) {
	if !slices.Equal(before.ISR, after.ISR) {
		z.env.Record(&event.ISRChanged{TP: tp, PartitionEpoch: int32(version), Leader: after.Leader, ISR: after.ISR})
	}
}

// recordRefusal tells of a broker's ISR change that came too late; a controller tries again by itself.
func (z *Server) recordRefusal(tp protocol.TopicPartition, m *protocol.ZkRequest) {
	s := z.session(m.Session)
	if b := z.s.Directory.Broker(s.client); b != protocol.NoBroker {
		z.env.Record(&event.ISRChangeRefused{TP: tp, Err: protocol.InvalidUpdateVersion, Broker: b, ISR: m.Data.(PartitionZNode).ISR})
	}
}

// end closes a session and removes its ephemeral nodes.
func (z *Server) end(id int64) {
	z.write(transaction{kind: txnClose, session: id})
	for _, path := range z.tree.ownedBy(id) {
		z.write(transaction{kind: txnDelete, path: path})
	}
}

// Timer ends sessions that were silent for too long.
func (z *Server) Timer(env *sim.Env, t sim.Timer) {
	z.timerAt = sim.Never
	for i := 0; i < len(z.sessions); {
		s := z.sessions[i]
		if s.lastHeard+s.timeout >= env.Now() {
			i++
			continue
		}
		f := &event.SessionExpired{}
		if b := z.s.Directory.Broker(s.client); b != protocol.NoBroker {
			f.Broker = b
		} else {
			f.Controller = int64(slices.Index(z.s.Directory.Controllers, s.client) + 1)
		}
		env.Record(f)
		z.end(s.id)
		if s.conn != sim.NoConn {
			env.Close(s.conn)
		}
	}
	z.arm()
}

// arm sets the timer for the next session that may end. One whose client is on time keeps no world busy.
func (z *Server) arm() {
	at, routine, now := sim.Never, true, z.env.Now()
	for i := range z.sessions {
		s := &z.sessions[i]
		if now >= s.lastHeard+s.timeout/2 {
			s.overdue = true
		}
		end := s.lastHeard + s.timeout + sim.Microsecond
		if s.overdue {
			routine = false
		} else {
			end = s.lastHeard + s.timeout/2
		}
		at = min(at, end)
	}
	if z.timerAt != sim.Never && z.timerAt > now && z.timerAt <= at && z.routine == routine {
		return
	}
	z.env.CancelTimer(z.timer)
	z.timer, z.timerAt, z.routine = sim.NoTimer, at, routine
	if at != sim.Never {
		z.timer = z.env.SetTimer(at-now, protocol.TimerSession, 0, routine)
	}
}

// Disconnected forgets a connection; the session lives on until it times out.
func (z *Server) Disconnected(env *sim.Env, c sim.ConnID) {
	for i := range z.sessions {
		if s := &z.sessions[i]; s.conn == c {
			s.conn, s.overdue = sim.NoConn, true
		}
	}
	z.arm()
}

// command does what the operator's tools of ZooKeeper's time did: they wrote to ZooKeeper.
func (z *Server) command(m *protocol.Command) {
	switch {
	case m.DeleteController:
		if z.tree.get(ControllerPath) != nil {
			z.write(transaction{kind: txnDelete, path: ControllerPath})
		}
	case m.AlterConfig != nil:
		z.alterConfig(*m.AlterConfig)
	case m.AddPartitions != nil:
		z.addPartitions(m.AddPartitions)
	case m.Elect != nil && !m.Elect.Unclean:
		if z.tree.get(PreferredElectionPath) == nil {
			z.write(transaction{kind: txnCreate, path: PreferredElectionPath, data: PreferredElectionZNode{[]protocol.TopicPartition{m.Elect.TP}}})
		}
	}
}

// alterConfig writes the setting, then a notification (AdminZkClient.changeEntityConfig).
func (z *Server) alterConfig(rec protocol.ConfigRecord) {
	path := ConfigBrokersPath
	if rec.Topic != "" {
		path = TopicConfigPath(rec.Topic)
	}
	var values []protocol.ConfigRecord
	n := z.tree.get(path)
	if n != nil {
		values = slices.DeleteFunc(slices.Clone(n.data.(ConfigZNode).Values), func(r protocol.ConfigRecord) bool { return r.Key == rec.Key })
	}
	if rec.Value != "" {
		values = append(values, rec)
	}
	kind := txnCreate
	if n != nil {
		kind = txnSet
	}
	z.write(transaction{kind: kind, path: path, data: ConfigZNode{values}})
	z.write(transaction{kind: txnCreate, path: ConfigChangePrefix + padded(z.tree.zxid+1), data: rec})
	z.env.Record(&event.ConfigChanged{Topic: rec.Topic, Setting: rec.Key + "=" + rec.Value})
}

// addPartitions writes the larger assignment (AdminZkClient.addPartitions). Without given replicas a
// partition begins with the broker after the one that the partition before it begins with.
func (z *Server) addPartitions(q *protocol.AddPartitionsCommand) {
	n := z.tree.get(TopicPath(q.Topic))
	if n == nil {
		return
	}
	old := n.data.(TopicZNode).Replicas
	have := len(old)
	if int(q.Count) <= have || q.Replicas != nil && len(q.Replicas) != int(q.Count)-have {
		return
	}
	all := slices.Clone(old)
	for p := have; p < int(q.Count); p++ {
		var replicas []protocol.BrokerID
		if q.Replicas != nil {
			replicas = q.Replicas[p-have]
		} else {
			for i := range old[0] {
				replicas = append(replicas, (p+i)%len(z.s.Directory.Brokers)+1)
			}
		}
		all = append(all, replicas)
	}
	z.write(transaction{kind: txnSet, path: TopicPath(q.Topic), data: TopicZNode{all}})
	z.env.Record(&event.TopicChanged{Topic: q.Topic, Partitions: int64(q.Count)})
}

func padded(n int64) string {
	digits := strconv.FormatInt(n, 10)
	return strings.Repeat("0", max(0, 10-len(digits))) + digits
}

// Get reads a node for views; ok is false if there is none.
func (z *Server) Get(path string) (data any, version int32, ok bool) {
	if n := z.tree.get(path); n != nil {
		return n.data, n.version, true
	}
	return nil, 0, false
}

// Children lists the names under a path, in order, for views.
func (z *Server) Children(path string) []string { return z.tree.children(path) }

// Sessions counts the open sessions.
func (z *Server) Sessions() int { return len(z.sessions) }
