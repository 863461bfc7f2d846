package session

import (
	"slices"

	"kafkatrial/model/consumer"
	"kafkatrial/model/groupcoordinator"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/model/transactioncoordinator"
	"kafkatrial/scenarios"
	"kafkatrial/sim"
)

// Role says what a node is.
type Role uint8

// The roles.
const (
	Broker Role = iota
	Controller
	ZooKeeper
	Producing
	Consuming
	Storing // a database
)

// State is how everything is at a moment: plain data, in fixed order, for screens.
type State struct {
	Step       int
	Now        sim.Time
	Phase      scenarios.Phase
	Nodes      []Node
	Partitions []Partition
	Flights    []Flight
	Producers  []Producer
	Consumers  []Consumer
	Databases  []Database
	Controller string // name of the active controller, "" if there is none

	Transactions []Transaction // as their coordinators have them, by partition of __transaction_state, then id
}

// Node is a machine and its process.
type Node struct {
	ID     sim.NodeID
	Name   string
	Role   Role
	Broker protocol.BrokerID
	State  sim.State
	Note   string // what else is to be said: fenced, starting, controller
	Never  bool   // it has not been started yet
}

// Partition is a partition as the controller has it, with every replica as its broker has it.
type Partition struct {
	TP       protocol.TopicPartition
	Internal bool
	Known    bool // there is a controller that knows it
	Leader   protocol.BrokerID
	Epoch    int
	ISR, ELR []protocol.BrokerID
	Replicas []Replica // by broker id
}

// Replica is one broker's copy.
type Replica struct {
	Broker   protocol.BrokerID
	State    sim.State
	Note     string // of the broker
	Hosted   bool   // its process has the replica; otherwise only the disk is known
	Believes bool   // it takes itself for the leader
	Epoch    int    // in this leader epoch
	Start    int64  // log start offset
	HW       int64  // -1 while nobody knows it: the process is down
	End      int64  // log end offset
	Flushed  int64  // below it everything survives a power loss
	Doing    string // what its fetcher does, "" if that is nothing to speak of
	Batches  []*record.RecordBatch

	LSO       int64        // last stable offset, -1 while nobody knows it
	Remembers []Remembered // by producer id; nil while its process is down
	Aborted   []Aborted    // as its index of aborted transactions has them
}

// Flight is a message on its way.
type Flight struct {
	From, To string
	Kind     string
	Detail   string
	At       sim.Time
	Held     bool
	Cut      bool
	Lost     bool // it will not arrive: its connection is gone
	Routine  bool
}

// Producer is a producing application.
type Producer struct {
	Node
	Identity
	Doing    string
	Buffered []string // records in the accumulator
	InFlight []string // records sent and not answered
	Acked    []string // since the run began, in order
	Failed   []string
}

// Consumer is a consuming application.
type Consumer struct {
	Node
	Group     string
	Isolation string    // isolation.level
	Writes    *Identity // of the producer in the same process, nil if it has none or is down
	Loop      []string
	PC        int
	Doing     string
	InHand    []string // what the last poll returned
	Done      int      // how many of these are processed
	Positions []Position
	Processed []string // since the run began, in order
}

// Position is where a consumer stands in a partition.
type Position struct {
	TP        protocol.TopicPartition
	Known     bool
	Offset    int64
	Committed int64 // -1 none
	State     string
}

// Partition finds a partition of the state, nil if it has none.
func (s *State) Partition(tp protocol.TopicPartition) *Partition {
	for i := range s.Partitions {
		if s.Partitions[i].TP == tp {
			return &s.Partitions[i]
		}
	}
	return nil
}

// Replica finds a broker's copy, nil if it has none.
func (p *Partition) Replica(id protocol.BrokerID) *Replica {
	for i := range p.Replicas {
		if p.Replicas[i].Broker == id {
			return &p.Replicas[i]
		}
	}
	return nil
}

// snapshot reads how everything is in the run as it now stands.
func (s *Session) snapshot() *State {
	r := s.run
	c, w := r.Cluster, r.World
	st := &State{Step: w.Steps(), Now: w.Now(), Phase: r.Phase()}
	if k := c.ActiveController(); k != sim.Nobody {
		st.Controller = w.Name(k)
	}
	var live []protocol.BrokerID
	k := c.Controller()
	if k != nil {
		live = k.Live()
	}
	for _, n := range c.Nodes() {
		st.Nodes = append(st.Nodes, s.node(n, k != nil, live, st.Controller))
	}
	states := []protocol.PartitionState{}
	if k != nil {
		states = k.Partitions()
	}
	for _, tp := range c.Partitions() {
		st.Partitions = append(st.Partitions, s.partition(tp, states, st.Nodes))
	}
	for _, f := range w.InFlight() {
		st.Flights = append(st.Flights, Flight{From: w.Name(f.From), To: w.Name(f.To), Kind: w.MessageName(f.Msg.Type()), Detail: Detail(f.Msg),
			At: f.At, Held: f.Held, Cut: f.Cut, Lost: f.Lost, Routine: f.Msg.Routine()})
	}
	st.Transactions = s.transactions()
	t := s.tallies(w.Steps())
	for _, n := range c.Producers() {
		st.Producers = append(st.Producers, s.producer(st.Nodes[n], t))
	}
	for _, n := range c.Consumers() {
		st.Consumers = append(st.Consumers, s.consumer(st.Nodes[n], t))
	}
	for _, n := range c.Databases() {
		st.Databases = append(st.Databases, s.database(st.Nodes[n]))
	}
	return st
}

func (s *Session) node(n sim.NodeID, known bool, live []protocol.BrokerID, active string) Node {
	c, w := s.run.Cluster, s.run.World
	node := Node{ID: n, Name: w.Name(n), State: w.State(n), Broker: protocol.NoBroker, Never: c.NeverStarted(n)}
	switch {
	case c.Directory.Broker(n) != protocol.NoBroker:
		node.Role, node.Broker = Broker, c.Directory.Broker(n)
		b := c.Broker(node.Broker)
		switch {
		case b == nil:
		case !b.Registered() && b.State() == "running":
			node.Note = "waits for a controller"
		case !b.Registered():
			node.Note = b.State()
		case known && !slices.Contains(live, node.Broker):
			node.Note = "fenced"
			if !c.Rules().KRaft {
				node.Note = "no session"
			}
		}
	case slices.Contains(c.Directory.Controllers, n):
		node.Role = Controller
		if node.Name == active {
			node.Note = "active"
		}
	case n == c.Directory.ZooKeeper:
		node.Role = ZooKeeper
	case slices.Contains(c.Producers(), n):
		node.Role = Producing
	case slices.Contains(c.Databases(), n):
		node.Role = Storing
	default:
		node.Role = Consuming
	}
	return node
}

func (s *Session) partition(tp protocol.TopicPartition, states []protocol.PartitionState, nodes []Node) Partition {
	c := s.run.Cluster
	p := Partition{TP: tp, Internal: tp.Topic == groupcoordinator.TopicName || tp.Topic == transactioncoordinator.TopicName, Leader: protocol.NoBroker}
	var ids []protocol.BrokerID
	for _, t := range c.Spec.Topics {
		if t.Name == tp.Topic && int(tp.Partition) < len(t.Replicas) {
			ids = slices.Clone(t.Replicas[tp.Partition])
		}
	}
	for i := range states {
		if k := &states[i]; k.TP == tp {
			p.Known, p.Leader, p.Epoch, p.ISR, p.ELR = true, k.Leader, k.LeaderEpoch, k.ISR, k.ELR
			ids = slices.Clone(k.Replicas)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		p.Replicas = append(p.Replicas, s.replica(tp, id, &nodes[c.Directory.Node(id)]))
	}
	return p
}

// replica reads a copy from its broker's process, or, if there is none, from its disk.
func (s *Session) replica(tp protocol.TopicPartition, id protocol.BrokerID, node *Node) Replica {
	r := Replica{Broker: id, State: node.State, Note: node.Note, HW: -1, LSO: -1, Epoch: -1}
	if b := s.run.Cluster.Broker(id); b != nil {
		if p := b.Replica(tp); p != nil {
			l := p.Log()
			r.Hosted, r.Believes, r.Epoch = true, p.IsLeader(), p.LeaderEpoch()
			r.Start, r.HW, r.End, r.Flushed, r.Batches = l.LogStartOffset(), l.HighWatermark(), l.LogEndOffset(), l.RecoveryPoint(), l.Batches()
			r.remembers(p)
			for i := 0; ; i++ {
				h, ok := b.Hosted(i)
				if !ok {
					break
				}
				if h.TP == tp && !r.Believes && h.Fetching > 1 {
					r.Doing = h.Fetching.String()
				}
			}
			return r
		}
	}
	disk := s.run.World.Disk(node.ID)
	if !slices.Contains(disk.Names(), tp.String()) {
		return r
	}
	f := disk.File(tp.String())
	for i, block := range f.Blocks() {
		b, ok := block.(*record.RecordBatch)
		if !ok {
			continue
		}
		if len(r.Batches) == 0 {
			r.Start = b.BaseOffset
		}
		r.Batches = append(r.Batches, b)
		r.End = b.NextOffset()
		if i < f.Flushed() {
			r.Flushed = r.End
		}
	}
	return r
}

func (s *Session) producer(n Node, t *tallies) Producer {
	p := Producer{Node: n, Acked: t.of(n.ID).acked, Failed: t.of(n.ID).failed}
	k := s.run.Cluster.Producer(n.ID)
	if k == nil {
		return p
	}
	p.Doing, p.Identity = k.State(), identity(k)
	for _, q := range k.Queues() {
		for _, b := range q.Batches {
			for i := range b.Records {
				p.Buffered = append(p.Buffered, b.Records[i].ID)
			}
		}
		for _, b := range q.InFlight {
			for i := range b.Records {
				p.InFlight = append(p.InFlight, b.Records[i].ID)
			}
		}
	}
	return p
}

func (s *Session) consumer(n Node, t *tallies) Consumer {
	out := Consumer{Node: n, Processed: t.of(n.ID).processed}
	for i, id := range s.run.Cluster.Consumers() {
		if id == n.ID {
			spec := &s.run.Cluster.Spec.Consumers[i]
			app := &spec.App
			out.Group = app.Group
			if spec.Config.Has("isolation.level") {
				out.Isolation = spec.Config.Text("isolation.level")
			}
			for _, v := range app.Loop {
				out.Loop = append(out.Loop, v.String())
			}
		}
	}
	k := s.run.Cluster.Consumer(n.ID)
	if k == nil {
		out.PC = -1
		return out
	}
	if w := k.Producer(); w != nil {
		x := identity(w)
		out.Writes = &x
	}
	out.PC = k.PC()
	out.Doing = k.State().String()
	batch, done := k.InHand()
	for i := range batch {
		out.InHand = append(out.InHand, batch[i].Record.ID)
	}
	out.Done = done
	for _, ps := range k.Partitions() {
		p := Position{TP: ps.TP, Offset: ps.Position.Offset, Committed: ps.Committed, State: ps.State.String()}
		p.Known = ps.State == consumer.Fetching || ps.State == consumer.AwaitValidation
		out.Positions = append(out.Positions, p)
	}
	return out
}
