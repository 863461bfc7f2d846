// Package model is Kafka as a simulator sees it: the parts in their own packages, named after Kafka's
// classes, put together here as one cluster with its clients.
package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kafkatrial/model/broker"
	"kafkatrial/model/config"
	"kafkatrial/model/consumer"
	"kafkatrial/model/controller"
	"kafkatrial/model/database"
	"kafkatrial/model/groupcoordinator"
	"kafkatrial/model/planted"
	"kafkatrial/model/producer"
	"kafkatrial/model/protocol"
	"kafkatrial/model/release"
	"kafkatrial/model/transactioncoordinator"
	"kafkatrial/model/zookeeper"
	"kafkatrial/sim"
)

// Spec describes a cluster and its clients as they are when a run begins.
type Spec struct {
	Version     release.Version
	Rules       release.Rules
	Brokers     int // ids 1 to Brokers
	Controllers int
	Config      *config.Values // broker section
	Topics      []TopicSpec
	Producers   []ProducerSpec
	Consumers   []ConsumerSpec
	Databases   []DatabaseSpec
	Latency     sim.Time
	Horizon     sim.Time // 0: no bound
	MaxSteps    int      // 0: no bound
	Planted     planted.Set
}

// TopicSpec describes a topic.
type TopicSpec struct {
	Name     string
	Replicas [][]protocol.BrokerID // by partition, the preferred leader first
	Config   *config.Values        // topic section: overrides only
}

// ProducerSpec describes a producing application.
type ProducerSpec struct {
	Name   string
	App    producer.Application
	Config *config.Values // producer section
	Idle   bool           // not started with the cluster
}

// ConsumerSpec describes a consuming application.
type ConsumerSpec struct {
	Name   string
	App    consumer.Application
	Config *config.Values // consumer section
	Idle   bool
}

// DatabaseSpec describes a database.
type DatabaseSpec struct {
	Name string
	Idle bool
}

// Cluster is a world with a Kafka cluster in it.
type Cluster struct {
	World     *sim.World
	Spec      Spec
	Directory protocol.Directory
	producers []sim.NodeID
	consumers []sim.NodeID
	databases []sim.NodeID
	nodes     []sim.NodeID
	rules     release.Rules
}

// New builds the cluster. Nodes come in this order: brokers, controllers, ZooKeeper, producers, consumers,
// databases.
func New(spec Spec) *Cluster {
	c := &Cluster{Spec: spec, rules: spec.Rules}
	c.addOffsetsTopic()
	c.addTransactionTopic()
	spec = c.Spec
	cfg := sim.Config{MessageNames: protocol.MessageNames, TimerNames: protocol.TimerNames, Latency: spec.Latency, Horizon: spec.Horizon, MaxSteps: spec.MaxSteps, Memory: memory()}
	add := func(n sim.NodeSpec) sim.NodeID {
		cfg.Nodes = append(cfg.Nodes, n)
		id := sim.NodeID(len(cfg.Nodes) - 1)
		c.nodes = append(c.nodes, id)
		return id
	}
	dir := &c.Directory
	dir.ZooKeeper = sim.Nobody
	brokerConfig := &broker.Config{Directory: dir, Rules: &c.rules, Values: spec.Config, Planted: spec.Planted}
	for _, t := range spec.Topics {
		brokerConfig.Topics = append(brokerConfig.Topics, broker.TopicConfig{Topic: t.Name, Values: config.ForTopic(spec.Config, t.Config)})
	}
	for i := range spec.Brokers {
		id := i + 1
		dir.Brokers = append(dir.Brokers, add(sim.NodeSpec{Name: protocol.BrokerName(id),
			New:      func() sim.Node { return broker.New(brokerConfig, id) },
			ShutDown: func(w *sim.World, n sim.NodeID) { w.Command(n, &protocol.Command{ShutDown: true}) },
			Faults:   sim.CanKill | sim.CanPause | sim.CanShutDown | sim.CanLosePower | sim.CanLoseDisk}))
	}
	topics := protocolTopics(spec.Topics)
	for i := range spec.Controllers {
		s := controller.Settings{ID: i + 1, Directory: dir, Rules: &c.rules, Config: spec.Config, Topics: topics, Planted: spec.Planted}
		n := sim.NodeSpec{Name: "k" + strconv.Itoa(i+1), Faults: sim.CanKill | sim.CanPause}
		if c.rules.KRaft {
			n.New = func() sim.Node { return controller.NewQuorumController(s) }
		} else {
			n.New = func() sim.Node { return controller.NewKafkaController(s) }
		}
		dir.Controllers = append(dir.Controllers, add(n))
	}
	if !c.rules.KRaft {
		s := zookeeper.Settings{Directory: dir, Topics: topics, SessionTimeout: spec.Config.Ms("zookeeper.session.timeout.ms"), Planted: spec.Planted}
		dir.ZooKeeper = add(sim.NodeSpec{Name: "zk", New: func() sim.Node { return zookeeper.NewServer(s) }})
	}
	for i := range spec.Producers {
		p := spec.Producers[i]
		c.producers = append(c.producers, add(sim.NodeSpec{Name: p.Name, Idle: p.Idle, Faults: sim.CanKill | sim.CanPause,
			New: func() sim.Node { return producer.New(p.Config, dir, &c.rules, p.App) }}))
	}
	for i := range spec.Databases {
		c.databases = append(c.databases, sim.NodeID(len(c.nodes)+len(spec.Consumers)+i))
	}
	for i := range spec.Consumers {
		k := spec.Consumers[i]
		k.App.Planted, k.App.ClientID = spec.Planted, k.Name
		k.App.Database, k.App.Source = k.App.Database.At(c.databaseNode), k.App.Source.At(c.databaseNode)
		c.consumers = append(c.consumers, add(sim.NodeSpec{Name: k.Name, Idle: k.Idle, Faults: sim.CanKill | sim.CanPause,
			New: func() sim.Node { return consumer.New(k.App, k.Config, dir, &c.rules) }}))
	}
	for _, d := range spec.Databases {
		add(sim.NodeSpec{Name: d.Name, Idle: d.Idle, Faults: sim.CanKill | sim.CanPause | sim.CanLosePower, New: func() sim.Node { return database.New() }})
	}
	cfg.Orders = c.orders()
	c.World = sim.New(cfg)
	return c
}

// addOffsetsTopic puts __consumer_offsets in place if a consumer commits and the spec has not placed it: one
// partition, on up to three brokers, led by the last of them, so that a script which strikes the first
// brokers does not also strike the coordinator.
func (c *Cluster) addOffsetsTopic() {
	has := slices.ContainsFunc(c.Spec.Topics, func(t TopicSpec) bool { return t.Name == groupcoordinator.TopicName })
	if has || len(c.Spec.Consumers) == 0 {
		return
	}
	var replicas []protocol.BrokerID
	for b := c.Spec.Brokers; b > 0 && len(replicas) < 3; b-- {
		replicas = append(replicas, b)
	}
	c.Spec.Topics = append(slices.Clone(c.Spec.Topics), TopicSpec{Name: groupcoordinator.TopicName, Replicas: [][]protocol.BrokerID{replicas}})
}

// addTransactionTopic puts __transaction_state in place if a producer has a transactional.id and the spec has not
// placed it: one partition, on up to transaction.state.log.replication.factor brokers, led by the last.
//
// Kafka: TransactionCoordinator.transactionTopicConfigs. Kafka makes the topic when it is first asked for, and
// refuses while there are fewer brokers than replicas; here both settings are at most what the cluster has.
func (c *Cluster) addTransactionTopic() {
	has := slices.ContainsFunc(c.Spec.Topics, func(t TopicSpec) bool { return t.Name == transactioncoordinator.TopicName })
	uses := slices.ContainsFunc(c.Spec.Producers, func(p ProducerSpec) bool { return transactional(p.Config) }) ||
		slices.ContainsFunc(c.Spec.Consumers, func(k ConsumerSpec) bool { return transactional(k.App.Producer) })
	if has || !uses {
		return
	}
	var replicas []protocol.BrokerID
	for b := c.Spec.Brokers; b > 0 && len(replicas) < int(c.Spec.Config.Int("transaction.state.log.replication.factor")); b-- {
		replicas = append(replicas, b)
	}
	topic := config.New(config.Topic, c.Spec.Version)
	set := func(key, value string) {
		if err := topic.Set(key, value); err != nil {
			panic(err)
		}
	}
	set("min.insync.replicas", strconv.Itoa(min(len(replicas), int(c.Spec.Config.Int("transaction.state.log.min.isr")))))
	set("unclean.leader.election.enable", "false")
	c.Spec.Topics = append(slices.Clone(c.Spec.Topics), TopicSpec{Name: transactioncoordinator.TopicName, Replicas: [][]protocol.BrokerID{replicas}, Config: topic})
}

func transactional(v *config.Values) bool {
	return v != nil && v.Has("transactional.id") && v.IsSet("transactional.id") && v.Text("transactional.id") != config.Null
}

func protocolTopics(topics []TopicSpec) []protocol.TopicSpec {
	var all []protocol.TopicSpec
	for _, t := range topics {
		s := protocol.TopicSpec{Name: t.Name, Replicas: t.Replicas}
		if t.Config != nil {
			for _, key := range config.Keys(config.Topic) {
				if !t.Config.Has(key) || !t.Config.IsSet(key) {
					continue
				}
				s.Config = append(s.Config, protocol.ConfigRecord{Topic: t.Name, Key: key, Value: t.Config.Text(key)})
			}
		}
		all = append(all, s)
	}
	return all
}

// Clone is the cluster on a copy of its world: see sim.World.Clone and Branch. What the two have in common is
// never changed.
func (c *Cluster) Clone(w *sim.World) *Cluster {
	copied := *c
	copied.World = w
	return &copied
}

// Rules are the rules in force.
func (c *Cluster) Rules() *release.Rules { return &c.rules }

// Nodes lists all nodes in order.
func (c *Cluster) Nodes() []sim.NodeID { return c.nodes }

// Broker gives the running process of a broker, nil if it is down.
func (c *Cluster) Broker(id protocol.BrokerID) *broker.Broker {
	if id < 1 || id > len(c.Directory.Brokers) {
		return nil
	}
	b, _ := c.World.Node(c.Directory.Node(id)).(*broker.Broker)
	return b
}

// Controller gives the controller that believes to be active, the one with the highest epoch if several
// do; nil if none does.
func (c *Cluster) Controller() controller.Activity {
	var best controller.Activity
	for _, n := range c.Directory.Controllers {
		if k, ok := c.World.Node(n).(controller.Activity); ok && k.Active() && (best == nil || k.Epoch() > best.Epoch()) {
			best = k
		}
	}
	return best
}

// orders are what an operator may do at any time: ask the controller to make each partition's first replica its
// leader again (kafka-leader-election.sh, KIP-460; kafka-preferred-replica-election.sh before 2.4).
func (c *Cluster) orders() (all []sim.Order) {
	for _, t := range c.Spec.Topics {
		for p := range t.Replicas {
			tp := protocol.TopicPartition{Topic: t.Name, Partition: int32(p)}
			if t.Name == groupcoordinator.TopicName {
				continue
			}
			all = append(all, sim.Order{Name: "elect " + tp.String(), Give: func(w *sim.World) {
				of := *c
				of.World = w
				if k := of.ActiveController(); k != sim.Nobody {
					w.Command(k, &protocol.Command{Elect: &protocol.ElectCommand{TP: tp}})
				}
			}})
		}
	}
	return all
}

// ActiveController gives the node of Controller, Nobody if there is none.
func (c *Cluster) ActiveController() sim.NodeID {
	best := c.Controller()
	for _, n := range c.Directory.Controllers {
		if k, ok := c.World.Node(n).(controller.Activity); ok && k == best {
			return n
		}
	}
	return sim.Nobody
}

// State gives what the active controller knows of a partition.
func (c *Cluster) State(tp protocol.TopicPartition) (protocol.PartitionState, bool) {
	if k := c.Controller(); k != nil {
		for _, s := range k.Partitions() {
			if s.TP == tp {
				return s, true
			}
		}
	}
	return protocol.PartitionState{}, false
}

// Leader gives the broker that leads a partition and knows it: of several that believe so, the one with
// the highest leader epoch. nil if there is none.
func (c *Cluster) Leader(tp protocol.TopicPartition) *broker.Broker {
	var best *broker.Broker
	epoch := -1
	for id := range c.Directory.Brokers {
		if b := c.Broker(id + 1); b != nil {
			if p := b.Replica(tp); p != nil && p.IsLeader() && p.LeaderEpoch() > epoch {
				best, epoch = b, p.LeaderEpoch()
			}
		}
	}
	return best
}

// CoordinatorOf gives the broker that coordinates a group, nil if none does.
func (c *Cluster) CoordinatorOf(group string) *broker.Broker {
	n := int32(0)
	for _, t := range c.Spec.Topics {
		if t.Name == groupcoordinator.TopicName {
			n = int32(len(t.Replicas))
		}
	}
	if n == 0 {
		return nil
	}
	return c.Leader(protocol.TopicPartition{Topic: groupcoordinator.TopicName, Partition: groupcoordinator.PartitionFor(group, n)})
}

// Producers lists the nodes of producing applications. One that also consumes is among the Consumers.
func (c *Cluster) Producers() []sim.NodeID { return c.producers }

// Consumers lists the nodes of consuming applications.
func (c *Cluster) Consumers() []sim.NodeID { return c.consumers }

// Producer gives the producer of a running application, also of one that consumes: nil if the process is down, or n
// has none.
func (c *Cluster) Producer(n sim.NodeID) *producer.KafkaProducer {
	switch p := c.World.Node(n).(type) {
	case *producer.KafkaProducer:
		return p
	case *consumer.Consumer:
		return p.Producer()
	}
	return nil
}

// Consumer gives the running process of a consuming application, nil if it is down or n is none.
func (c *Cluster) Consumer(n sim.NodeID) *consumer.Consumer {
	k, _ := c.World.Node(n).(*consumer.Consumer)
	return k
}

// Databases lists the nodes of databases.
func (c *Cluster) Databases() []sim.NodeID { return c.databases }

// databaseNode finds a database by its name.
func (c *Cluster) databaseNode(name string) sim.NodeID {
	for i, d := range c.Spec.Databases {
		if d.Name == name {
			return c.databases[i]
		}
	}
	return sim.Nobody
}

// Database gives the running process of a database, nil if it is down or n is none.
func (c *Cluster) Database(n sim.NodeID) *database.Database {
	d, _ := c.World.Node(n).(*database.Database)
	return d
}

// NeverStarted says that a node was idle from the beginning and still is.
func (c *Cluster) NeverStarted(n sim.NodeID) bool { return c.World.Incarnation(n) == 0 }

// Partitions lists every partition of every topic as it now is, in order, internal ones last.
func (c *Cluster) Partitions() []protocol.TopicPartition {
	var all []protocol.TopicPartition
	for _, t := range c.Spec.Topics {
		n := len(t.Replicas)
		for {
			if _, grown := c.State(protocol.TopicPartition{Topic: t.Name, Partition: int32(n)}); !grown {
				break
			}
			n++
		}
		for p := range n {
			all = append(all, protocol.TopicPartition{Topic: t.Name, Partition: int32(p)})
		}
	}
	return all
}

// Moving lists what has not come to rest and will, in plain words: what keeps a run without faults from
// being over. Empty means at rest, though heartbeats and empty fetches go on for ever.
func (c *Cluster) Moving() []string {
	var moving []string
	say := func(format string, args ...any) { moving = append(moving, fmt.Sprintf(format, args...)) }
	for id := range c.Directory.Brokers {
		b := c.Broker(id + 1)
		if b != nil && !b.Registered() {
			say("%s is %s", protocol.BrokerName(id+1), b.State())
		}
	}
	for _, tp := range c.Partitions() {
		c.movingPartition(tp, say)
	}
	c.movingTransactions(say)
	c.movingGroups(say)
	for _, n := range slices.Concat(c.producers, c.consumers) {
		if p := c.Producer(n); p != nil {
			if s := p.State(); s != "idle" && s != "closed" && s != "failed" {
				say("%s: %s", c.World.Name(n), s)
			}
		}
	}
	for i, n := range c.consumers {
		if k := c.Consumer(n); k != nil {
			c.movingConsumer(i, k, say)
		}
	}
	return moving
}

// coordinators goes through the partitions of an internal topic that somebody leads.
func (c *Cluster) coordinators(topic string, do func(b *broker.Broker, partition int32)) {
	for _, t := range c.Spec.Topics {
		if t.Name != topic {
			continue
		}
		for p := range t.Replicas {
			if b := c.Leader(protocol.TopicPartition{Topic: t.Name, Partition: int32(p)}); b != nil {
				do(b, int32(p))
			}
		}
	}
}

// movingTransactions: a transaction that is open ends, if only by its time-out; one that is ended gets its
// markers.
func (c *Cluster) movingTransactions(say func(string, ...any)) {
	c.coordinators(transactioncoordinator.TopicName, func(b *broker.Broker, partition int32) {
		for _, m := range b.TransactionCoordinator().Transactions(partition) {
			switch m.State {
			case transactioncoordinator.Ongoing:
				say("the transaction of %s is open", m.TransactionalID)
			case transactioncoordinator.PrepareCommit, transactioncoordinator.PrepareAbort:
				say("the transaction of %s has not got all its markers", m.TransactionalID)
			}
		}
	})
}

// movingGroups: a round ends once all have joined whom it waits for, and the generation is written.
func (c *Cluster) movingGroups(say func(string, ...any)) {
	c.coordinators(groupcoordinator.TopicName, func(b *broker.Broker, partition int32) {
		for _, g := range b.Coordinator().Groups(partition) {
			switch g.State {
			case groupcoordinator.PreparingRebalance:
				say("the rebalance of %s waits for %s", g.Name, strings.Join(g.Awaited(), ", "))
			case groupcoordinator.CompletingRebalance:
				say("the next generation of %s is being written", g.Name)
			}
		}
	})
}

// readable tells up to where a consumer could read a partition now, -1 if nobody leads it.
func (c *Cluster) readable(tp protocol.TopicPartition) int64 {
	b := c.Leader(tp)
	if b == nil {
		return -1
	}
	return b.Replica(tp).Log().LastStableOffset()
}

// movingConsumer: an application that has ended, or rests after an exception that nobody clears, is at rest.
func (c *Cluster) movingConsumer(i int, k *consumer.Consumer, say func(string, ...any)) {
	if s := k.State(); s == consumer.Ended || s == consumer.Resting {
		return
	}
	name := c.World.Name(c.consumers[i])
	if table, after := k.Reads(); table != "" {
		if d := c.Database(c.databaseNode(c.Spec.Consumers[i].App.Source.Name)); d != nil && d.Unread(table, after) > 0 {
			say("%s has not read all of table %s", name, table)
		}
	}
	for _, tp := range c.Partitions() {
		if c.Spec.Consumers[i].App.Subscribes || !slices.Contains(c.Spec.Consumers[i].App.Topics, tp.Topic) || c.readable(tp) <= 0 {
			continue
		}
		if !slices.ContainsFunc(k.Partitions(), func(p consumer.PartitionState) bool { return p.TP == tp }) {
			say("%s does not know of %v yet", name, tp)
		}
	}
	if _, member, joining := k.Membership(); joining && member != "" {
		say("%s joins its group again", name)
	}
	switch {
	case k.State() == consumer.Processing || len(k.Queue()) > 0:
		say("%s is processing", name)
	case k.Commits() > 0 || k.State() == consumer.Committing:
		say("%s is committing", name)
	case k.State() == consumer.Restoring:
		say("%s reads back what it keeps in memory", name)
	case k.State() == consumer.Calling, k.State() == consumer.Repeating:
		say("%s waits for its producer", name)
	case k.State() == consumer.Recovering, k.State() == consumer.Asking && !k.Database().Request().Routine():
		say("%s waits for its database", name)
	case k.Buffered() > 0:
		say("%s has records it has not polled", name)
	}
	for _, p := range k.Partitions() {
		end := c.readable(p.TP)
		switch {
		case end < 0:
		case p.State != consumer.Fetching:
			say("%s has no position in %v yet", name, p.TP)
		case p.Position.Offset < end:
			say("%s is at %d of %d in %v", name, p.Position.Offset, end, p.TP)
		}
	}
}

func (c *Cluster) movingPartition(tp protocol.TopicPartition, say func(string, ...any)) {
	s, known := c.State(tp)
	if !known {
		return
	}
	up := func(id protocol.BrokerID) bool { return c.Broker(id) != nil }
	if s.Leader == protocol.NoBroker {
		for _, id := range append(slices.Clone(s.ISR), s.ELR...) {
			if up(id) {
				say("%v has no leader, though %s may lead", tp, protocol.BrokerName(id))
			}
		}
		return
	}
	b := c.Broker(s.Leader)
	if b == nil || b.Replica(tp) == nil || !b.Replica(tp).IsLeader() || b.Replica(tp).LeaderEpoch() != s.LeaderEpoch {
		say("%s does not yet lead %v", protocol.BrokerName(s.Leader), tp)
		return
	}
	p := b.Replica(tp)
	if p.Pending() != nil {
		say("%v waits for the answer to an ISR change", tp)
	}
	end := p.Log().LogEndOffset()
	for _, id := range s.Replicas {
		if id == s.Leader {
			continue
		}
		inISR := slices.Contains(p.ISR(), id)
		switch follower := c.Broker(id); {
		case follower == nil:
			if inISR && p.Log().HighWatermark() < end {
				say("%s is down and still in the ISR of %v", protocol.BrokerName(id), tp)
			}
		case follower.Replica(tp) == nil || follower.Replica(tp).LeaderEpoch() != s.LeaderEpoch:
			say("%s does not yet follow %s for %v", protocol.BrokerName(id), protocol.BrokerName(s.Leader), tp)
		case follower.Replica(tp).Log().LogEndOffset() != end:
			say("%s is at %d of %d in %v", protocol.BrokerName(id), follower.Replica(tp).Log().LogEndOffset(), end, tp)
		case follower.Replica(tp).Log().HighWatermark() != p.Log().HighWatermark():
			say("%s has not yet learned the high watermark of %v", protocol.BrokerName(id), tp)
		case inISR && p.Log().HighWatermark() < end && !(c.rules.HWNeedsMinISR && p.IsUnderMinISR()):
			say("%s does not know yet that %s has all of %v", protocol.BrokerName(s.Leader), protocol.BrokerName(id), tp)
		case !inISR:
			say("%s is caught up and not yet in the ISR of %v", protocol.BrokerName(id), tp)
		}
	}
}
