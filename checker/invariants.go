package checker

import (
	"slices"
	"strconv"
)

// Role is what a broker takes itself to be for a partition.
type Role uint8

const (
	NoRole Role = iota
	Follower
	Leader
)

// ReplicaView is one broker's state of one partition.
type ReplicaView struct {
	Broker      int
	Role        Role
	LeaderEpoch int
	LogStart    int64
	LSO         int64 // last stable offset
	HW          int64 // high watermark
	LEO         int64 // log end offset
	// ReaderEnd is the end offset that this broker would answer to a consumer now, -1 if it would refuse. Only a
	// leader's counts.
	ReaderEnd int64
	// CutTo is the smallest offset that this step cut the log back to, -1 if it cut nothing.
	CutTo int64
}

// PartitionView is how the invariants look at one partition after a step.
type PartitionView interface {
	TopicPartition() TopicPartition
	// Controller returns the leader (0: none), the leader epoch and the ISR as the controller has them.
	Controller() (leader, epoch int, isr []int)
	// Replicas returns every replica in ascending order of broker, down or not: a log on a disk is still a log.
	Replicas() []ReplicaView
	// EntryAt returns the leader epoch and a hash of the record at an offset of a broker's log, false if the offset
	// is not in it.
	EntryAt(broker int, offset int64) (epoch int, hash uint64, ok bool)
}

// Ownership says that a member of a group owns a partition in a generation.
type Ownership struct {
	Group      string
	TP         TopicPartition
	Generation int
	Member     string
}

// Names of the invariants.
const (
	OneLeaderPerEpoch    = "at most one leader per epoch"
	EpochsGoForward      = "leader epochs go forward"
	LeaderInISR          = "the leader is in the ISR"
	OffsetsInOrder       = "LSO <= HW <= LEO"
	CommittedOnISR       = "committed prefix on every ISR member"
	LogMatching          = "replicas agree below the high watermark"
	ReaderEndForward     = "high watermark never backward for a reader"
	OneOwnerPerPartition = "one owner per partition and generation"
)

// Breach is an invariant that does not hold after a step.
type Breach struct {
	Invariant string
	TP        TopicPartition
	Step      int
	Brokers   []int
	Offset    int64 // -1 if it is about none
	Sentence  string
}

// Invariants checks safety after every step. It keeps what it has verified, so a step costs time in proportion to what
// changed: call Check only with the partitions that the step touched.
type Invariants struct {
	partitions map[TopicPartition]*watched
	owners     map[ownerKey]string
}

type ownerKey struct {
	group      string
	tp         TopicPartition
	generation int
}

// watched is what is remembered about a partition.
type watched struct {
	leaders   map[int]int // by epoch
	epoch     int         // the controller's newest
	start     int64       // offset of committed[0]
	committed []stamp     // what any leader's high watermark has passed
	readerEnd int64
	readerOf  int // the epoch in which readerEnd was answered
	// verified is, by broker, the offset up to which its log was compared with committed.
	verified map[int]int64
	// reported keeps a standing breach from being reported at every later step.
	reported map[string]bool
}

// stamp identifies the record that was committed at an offset.
type stamp struct {
	epoch int
	hash  uint64
	known bool // false for an offset that holds no record
}

// NewInvariants begins with a cluster of which nothing is known.
func NewInvariants() *Invariants {
	return &Invariants{partitions: map[TopicPartition]*watched{}, owners: map[ownerKey]string{}}
}

// Check looks at a partition after a step and returns what is newly broken, in a fixed order.
func (v *Invariants) Check(step int, p PartitionView) []Breach {
	tp := p.TopicPartition()
	w := v.partitions[tp]
	if w == nil {
		w = &watched{leaders: map[int]int{}, epoch: -1, readerOf: -1, start: -1, verified: map[int]int64{}, reported: map[string]bool{}}
		v.partitions[tp] = w
	}
	c := check{step: step, tp: tp, p: p, w: w, replicas: p.Replicas()}
	c.controller()
	for i := range c.replicas {
		c.roles(&c.replicas[i])
		c.offsets(&c.replicas[i])
	}
	c.readers()
	c.commit()
	c.prefixes()
	return c.breaches
}

// check is one look at one partition.
type check struct {
	step     int
	tp       TopicPartition
	p        PartitionView
	w        *watched
	replicas []ReplicaView
	leader   int
	isr      []int
	breaches []Breach
}

// breach reports a broken invariant once per key until clear is called for it.
func (c *check) breach(invariant, key string, brokers []int, offset int64, sentence string) {
	key = invariant + "/" + key
	if !c.w.reported[key] {
		c.w.reported[key] = true
		c.breaches = append(c.breaches, Breach{invariant, c.tp, c.step, brokers, offset, sentence})
	}
}

// clear forgets a breach that is mended, so that it is reported again if it comes back.
func (c *check) clear(invariant string, id int) {
	if len(c.w.reported) > 0 {
		delete(c.w.reported, invariant+"/"+broker(id))
	}
}

func (c *check) controller() {
	leader, epoch, isr := c.p.Controller()
	c.leader, c.isr = leader, isr
	if epoch < c.w.epoch {
		c.breach(EpochsGoForward, strconv.Itoa(epoch), nil, -1, "The controller's leader epoch of "+c.tp.String()+" goes back from "+
			strconv.Itoa(c.w.epoch)+" to "+strconv.Itoa(epoch)+".")
	}
	c.w.epoch = max(c.w.epoch, epoch)
	if leader != 0 && !slices.Contains(isr, leader) {
		c.breach(LeaderInISR, broker(0), []int{leader}, -1, broker(leader)+" leads "+c.tp.String()+", but is not in its ISR.")
	} else {
		c.clear(LeaderInISR, 0)
	}
}

func (c *check) roles(r *ReplicaView) {
	if r.Role != Leader {
		return
	}
	other, ok := c.w.leaders[r.LeaderEpoch]
	if !ok {
		c.w.leaders[r.LeaderEpoch] = r.Broker
		return
	}
	if other != r.Broker {
		c.breach(OneLeaderPerEpoch, strconv.Itoa(r.LeaderEpoch), []int{other, r.Broker}, -1, broker(other)+" and "+broker(r.Broker)+
			" both lead "+c.tp.String()+" in epoch "+strconv.Itoa(r.LeaderEpoch)+".")
	}
}

func (c *check) offsets(r *ReplicaView) {
	if r.LSO <= r.HW && r.HW <= r.LEO && r.LogStart <= r.LEO {
		c.clear(OffsetsInOrder, r.Broker)
		return
	}
	c.breach(OffsetsInOrder, broker(r.Broker), []int{r.Broker}, r.HW, broker(r.Broker)+"'s offsets of "+c.tp.String()+" are out of order: LSO "+
		strconv.FormatInt(r.LSO, 10)+", high watermark "+strconv.FormatInt(r.HW, 10)+", log end offset "+strconv.FormatInt(r.LEO, 10)+".")
}

// newestLeader returns the replica that leads in the newest epoch, nil if nobody leads.
func (c *check) newestLeader() *ReplicaView {
	var best *ReplicaView
	for i := range c.replicas {
		if r := &c.replicas[i]; r.Role == Leader && (best == nil || r.LeaderEpoch > best.LeaderEpoch) {
			best = r
		}
	}
	return best
}

// readers compares what the newest leader would tell a consumer with what leaders told before. A deposed leader that
// has not heard of it is left out: it tells the past, not less than the past.
func (c *check) readers() {
	r := c.newestLeader()
	if r == nil || r.ReaderEnd < 0 || r.LeaderEpoch < c.w.readerOf {
		return
	}
	if r.ReaderEnd < c.w.readerEnd {
		c.breach(ReaderEndForward, strconv.Itoa(r.LeaderEpoch), []int{r.Broker}, r.ReaderEnd, broker(r.Broker)+" tells readers that "+c.tp.String()+
			" ends at "+strconv.FormatInt(r.ReaderEnd, 10)+", but they were told "+strconv.FormatInt(c.w.readerEnd, 10)+" before.")
		return
	}
	c.w.readerEnd, c.w.readerOf = r.ReaderEnd, r.LeaderEpoch
}

// commit takes over what the newest leader's high watermark has newly passed: from then on it is what every replica is
// compared with, that leader included.
func (c *check) commit() {
	w := c.w
	r := c.newestLeader()
	if r == nil {
		return
	}
	if w.start < 0 {
		w.start = r.LogStart
	}
	for o := w.start + int64(len(w.committed)); o < r.HW; o++ {
		epoch, hash, ok := c.p.EntryAt(r.Broker, o)
		if !ok && o >= r.LEO {
			return // HW > LEO, which offsets reports
		}
		w.committed = append(w.committed, stamp{epoch, hash, ok})
	}
}

// prefixes compares every ISR member, and every replica below its own high watermark, with what is committed, from
// where the last comparison ended.
func (c *check) prefixes() {
	end := c.w.start + int64(len(c.w.committed))
	for i := range c.replicas {
		r := &c.replicas[i]
		done := c.w.verified[r.Broker]
		if r.CutTo >= 0 {
			done = min(done, r.CutTo)
		}
		done = min(done, r.LEO)
		inISR := slices.Contains(c.isr, r.Broker)
		if inISR && r.LEO < end {
			c.breach(CommittedOnISR, broker(r.Broker), []int{r.Broker}, r.LEO, broker(r.Broker)+" is in the ISR of "+c.tp.String()+
				", but its log ends at "+strconv.FormatInt(r.LEO, 10)+", while everything below "+strconv.FormatInt(end, 10)+" is committed.")
		} else {
			c.clear(CommittedOnISR, r.Broker)
		}
		limit := min(end, r.LEO)
		if !inISR {
			limit = min(limit, r.HW)
		}
		c.w.verified[r.Broker] = c.compare(r, max(done, c.w.start), limit)
	}
}

// compare returns the offset up to which the replica's log agrees with what is committed.
func (c *check) compare(r *ReplicaView, from, to int64) int64 {
	for o := max(from, r.LogStart); o < to; o++ {
		epoch, hash, ok := c.p.EntryAt(r.Broker, o)
		want := c.w.committed[o-c.w.start]
		if !ok || !want.known { // compacted away, here or there
			continue
		}
		if want.hash != hash || want.epoch != epoch {
			c.breach(LogMatching, broker(r.Broker)+"@"+strconv.FormatInt(o, 10), []int{r.Broker}, o, broker(r.Broker)+" holds another record "+
				atOffsets(o)+" of "+c.tp.String()+" than the one that was committed there.")
			return o
		}
	}
	return max(from, to)
}

// CheckOwner looks at one ownership and reports a second owner of a partition in the same generation.
func (v *Invariants) CheckOwner(step int, o Ownership) []Breach {
	key := ownerKey{o.Group, o.TP, o.Generation}
	other, ok := v.owners[key]
	if !ok {
		v.owners[key] = o.Member
		return nil
	}
	if other == o.Member {
		return nil
	}
	return []Breach{{Invariant: OneOwnerPerPartition, TP: o.TP, Step: step, Offset: -1, Sentence: other + " and " + o.Member + " of " + o.Group +
		" both own " + o.TP.String() + " in generation " + strconv.Itoa(o.Generation) + "."}}
}
