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
	Life        int // which process of the broker it is, from 1; 0: none runs, and the log is that on its disk
	LeaderEpoch int
	LogStart    int64
	LSO         int64 // last stable offset
	HW          int64 // high watermark
	LEO         int64 // log end offset
	// ReaderEnd and ReaderLSO are the end offsets that this broker would answer to a consumer now, with
	// read_uncommitted and read_committed, -1 if it would refuse. Only a leader's count.
	ReaderEnd, ReaderLSO int64
	// MaximalISR is what the leader's high watermark waits for: the ISR, and whoever is about to join it (KIP-497).
	MaximalISR []int
	// Forgot: this leader no longer knows of a change of the ISR that it has asked for, though it was neither accepted nor refused.
	Forgot bool
	// CutTo is the smallest offset that this step cut the log back to, -1 if it cut nothing.
	CutTo int64
}

// ControllerView is a partition as the controller has it, with ZooKeeper as ZooKeeper has it.
type ControllerView struct {
	Leader         int // 0: none
	Epoch          int // leader epoch
	PartitionEpoch int
	ISR, ELR       []int
	Replicas       []int // the assignment; nil: not known
	// Unclean: there was an unclean election, as unclean.leader.election.enable, or an operator, allows.
	Unclean bool
}

// BatchView is a batch of a log.
type BatchView struct {
	First, Next int64 // the offsets it takes up: Next is that after it
	Epoch       int   // of the leader that appended it
	Hash        uint64
	// Producer is -1 without a producer id. LastSequence may be below FirstSequence, once 2³¹−1 is passed.
	Producer                    int64
	ProducerEpoch               int
	FirstSequence, LastSequence int32
	Transactional               bool
	Control, Abort              bool // a marker: COMMIT, or ABORT
	CoordinatorEpoch            int  // of a marker
}

// PartitionView is how the invariants look at one partition after a step.
type PartitionView interface {
	TopicPartition() TopicPartition
	Controller() *ControllerView
	// Replicas returns every replica in ascending order of broker, down or not: a log on a disk is still a log.
	Replicas() []ReplicaView
	// BatchAt returns the batch of a broker's log in which an offset lies, or the next one, false if there is none.
	BatchAt(broker int, offset int64) (BatchView, bool)
}

// Ownership says that a member of a group owns a partition in a generation.
type Ownership struct {
	Group      string
	TP         TopicPartition
	Generation int
	Member     string
}

// Breach is an invariant that does not hold after a step.
type Breach struct {
	Invariant string
	TP        TopicPartition
	Step      int
	Brokers   []int
	Offset    int64 // -1 if it is about none
	Sentence  string
	// GivenUp says why this is no defect of the model: what in the release, the settings or the faults of the run takes
	// the invariant's ground away, as clauses. Empty: nothing does.
	GivenUp string
	// Assertion says that this is no invariant that was looked at from outside, but an assertion of the model that ended the run.
	Assertion bool
}

// Invariants checks safety after every step. It keeps what it has verified, so a step costs time in proportion to what
// changed: call Check only with the partitions that the step touched.
type Invariants struct {
	partitions  map[TopicPartition]*watched
	owners      map[ownerKey]string
	controllers map[int]string
	txns        transactionTrail
	everywhere  circumstances
	at          check // the look under way, kept for its memory alone
}

type ownerKey struct {
	group      string
	tp         TopicPartition
	generation int
}

// watched is what is remembered about a partition.
type watched struct {
	leaders map[int]int // by epoch, who was seen to lead
	given   map[int]int // by epoch, whom the controller gave it to
	newest  termOf      // the last of them
	epoch   int         // the controller's newest
	// partitionEpoch is the newest of the controller.
	partitionEpoch int
	start          int64   // offset from which on committed knows
	end            int64   // offset up to which
	committed      []stamp // the batches that any leader's high watermark has passed
	readerEnd      told
	readerLSO      told
	copies         []logTrail // by broker
	register       map[placeKey]firstSeen
	producers      map[int64]*producerTrail
	// reported keeps a standing breach from being reported at every later step.
	reported map[string]bool
	here     circumstances
}

type termOf struct{ leader, epoch int }

// stamp is what is remembered of a committed batch.
type stamp struct {
	first, next int64
	epoch       int
	hash        uint64
}

// told is the largest end offset that a leader has told, and in which epoch.
type told struct {
	offset int64
	epoch  int
}

// logTrail is what is remembered about a broker's log.
type logTrail struct {
	verified  int64 // up to here it was compared with committed
	walked    int64 // up to here every batch was looked at
	lastEpoch int   // of the batch before walked, -1 none
	// What its leader said last: in which life and epoch, and its high watermark.
	life, ledEpoch int
	hw             int64
}

// NewInvariants begins with a cluster of which nothing is known.
func NewInvariants() *Invariants {
	return &Invariants{partitions: map[TopicPartition]*watched{}, owners: map[ownerKey]string{}, controllers: map[int]string{},
		txns: transactionTrail{decisions: map[int64][]decision{}, states: map[string]identity{}}}
}

func (v *Invariants) watched(tp TopicPartition) *watched {
	w := v.partitions[tp]
	if w == nil {
		w = &watched{leaders: map[int]int{}, given: map[int]int{}, epoch: -1, partitionEpoch: -1, readerEnd: told{epoch: -1}, readerLSO: told{epoch: -1}, start: -1,
			register: map[placeKey]firstSeen{}, producers: map[int64]*producerTrail{}, reported: map[string]bool{}}
		v.partitions[tp] = w
	}
	return w
}

// Check looks at a partition after a step and returns what is newly broken, in a fixed order.
func (v *Invariants) Check(step int, p PartitionView) []Breach {
	c := v.look(step, p)
	c.controller()
	for i := range c.replicas {
		r := &c.replicas[i]
		c.roles(r)
		c.offsets(r)
		c.highWatermark(r)
		c.walk(r)
	}
	if r := c.newestLeader(); r != nil {
		c.reader(ReaderEndForward, r, r.ReaderEnd, &c.w.readerEnd, "ends at")
		c.reader(LSOForward, r, r.ReaderLSO, &c.w.readerLSO, "is stable up to")
		c.maximalISR(r)
		c.commit(r)
	}
	c.prefixes()
	return c.breaches
}

func (v *Invariants) look(step int, p PartitionView) *check {
	tp := p.TopicPartition()
	v.at = check{v: v, step: step, tp: tp, p: p, w: v.watched(tp), replicas: p.Replicas()}
	return &v.at
}

// check is one look at one partition.
type check struct {
	v        *Invariants
	step     int
	tp       TopicPartition
	p        PartitionView
	w        *watched
	replicas []ReplicaView
	state    *ControllerView
	breaches []Breach
}

// breach reports a broken invariant once per key until clear is called for it.
func (c *check) breach(invariant, key string, brokers []int, offset int64, sentence string) {
	key = invariant + "/" + key
	if !c.w.reported[key] {
		c.w.reported[key] = true
		c.breaches = append(c.breaches, Breach{Invariant: invariant, TP: c.tp, Step: c.step, Brokers: brokers, Offset: offset, Sentence: sentence, GivenUp: c.v.givenUp(invariant, c.w)})
	}
}

// clear forgets a breach that is mended, so that it is reported again if it comes back.
func (c *check) clear(invariant string, id int) {
	if len(c.w.reported) > 0 {
		delete(c.w.reported, invariant+"/"+broker(id))
	}
}

// standing says that a breach, which may be mended, is there, and forgets it once it is not.
func (c *check) standing(broken bool, invariant string, id int) bool {
	if !broken {
		c.clear(invariant, id)
	}
	return broken
}

func (c *check) copy(id int) *logTrail {
	for len(c.w.copies) <= id {
		c.w.copies = append(c.w.copies, logTrail{lastEpoch: -1, ledEpoch: -1})
	}
	return &c.w.copies[id]
}

// offsets holds the bounds of a log against each other.
func (c *check) offsets(r *ReplicaView) {
	if c.standing(r.LSO > r.HW || r.HW > r.LEO || r.LogStart > r.LEO, OffsetsInOrder, r.Broker) {
		c.breach(OffsetsInOrder, broker(r.Broker), []int{r.Broker}, r.HW, broker(r.Broker)+"'s offsets of "+c.tp.String()+" are out of order: LSO "+
			number(r.LSO)+", high watermark "+number(r.HW)+", log end offset "+number(r.LEO)+".")
	}
	if c.standing(r.LogStart > r.HW && r.LogStart <= r.LEO, StartBelowHW, r.Broker) {
		c.breach(StartBelowHW, broker(r.Broker), []int{r.Broker}, r.LogStart, broker(r.Broker)+"'s log of "+c.tp.String()+" starts at "+number(r.LogStart)+
			", beyond its high watermark "+number(r.HW)+".")
	}
}

// highWatermark follows a leader within an epoch, as long as its process lives: the next one begins with the checkpoint.
func (c *check) highWatermark(r *ReplicaView) {
	was := c.copy(r.Broker)
	if r.Role != Leader {
		was.ledEpoch = -1
		return
	}
	if was.ledEpoch == r.LeaderEpoch && was.life == r.Life && r.HW < was.hw {
		c.breach(HWForward, broker(r.Broker)+"@"+strconv.Itoa(r.LeaderEpoch), []int{r.Broker}, r.HW, broker(r.Broker)+"'s high watermark of "+c.tp.String()+
			" goes back from "+number(was.hw)+" to "+number(r.HW)+" within epoch "+strconv.Itoa(r.LeaderEpoch)+".")
	}
	was.ledEpoch, was.life, was.hw = r.LeaderEpoch, r.Life, r.HW
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

// reader compares what the newest leader would tell a consumer with what leaders told before. A deposed leader that
// has not heard of it is left out: it tells the past, not less than the past.
func (c *check) reader(invariant string, r *ReplicaView, end int64, before *told, says string) {
	if end < 0 || r.LeaderEpoch < before.epoch {
		return
	}
	if end < before.offset {
		c.breach(invariant, strconv.Itoa(r.LeaderEpoch), []int{r.Broker}, end, broker(r.Broker)+" tells readers that "+c.tp.String()+
			" "+says+" "+number(end)+", but they were told "+number(before.offset)+" before.")
		return
	}
	*before = told{end, r.LeaderEpoch}
}

// commit takes over what the newest leader's high watermark has newly passed: from then on it is what every replica is
// compared with, that leader included.
func (c *check) commit(r *ReplicaView) {
	w := c.w
	if w.start < 0 {
		w.start, w.end = r.LogStart, r.LogStart
	}
	for w.end < r.HW {
		b, ok := c.p.BatchAt(r.Broker, w.end)
		if !ok || b.Next > r.HW || b.Next > r.LEO {
			return // HW > LEO, which offsets reports
		}
		w.committed = append(w.committed, stamp{b.First, b.Next, b.Epoch, b.Hash})
		w.end = b.Next
		c.committed(r, &b)
	}
}

// prefixes compares every ISR member, and every replica below its own high watermark, with what is committed, from
// where the last comparison ended.
func (c *check) prefixes() {
	for i := range c.replicas {
		r := &c.replicas[i]
		was := c.copy(r.Broker)
		done := was.verified
		if r.CutTo >= 0 {
			done = min(done, r.CutTo)
		}
		done = min(done, r.LEO)
		inISR := slices.Contains(c.state.ISR, r.Broker)
		if c.standing(inISR && r.LEO < c.w.end, CommittedOnISR, r.Broker) {
			c.breach(CommittedOnISR, broker(r.Broker), []int{r.Broker}, r.LEO, broker(r.Broker)+" is in the ISR of "+c.tp.String()+", but its log ends at "+
				number(r.LEO)+", while everything below "+number(c.w.end)+" is committed.")
		}
		limit := min(c.w.end, r.LEO)
		if !inISR {
			limit = min(limit, r.HW)
		}
		was.verified = c.compare(r, max(done, c.w.start, r.LogStart), limit, inISR)
	}
}

// compare returns the offset up to which the replica's log agrees with what is committed.
func (c *check) compare(r *ReplicaView, from, to int64, inISR bool) int64 {
	i := 0
	if from < to {
		i, _ = slices.BinarySearchFunc(c.w.committed, from, func(s stamp, o int64) int {
			if s.next <= o {
				return -1
			}
			return 1
		})
	}
	for ; from < to && i < len(c.w.committed); i++ {
		want := c.w.committed[i]
		b, ok := c.p.BatchAt(r.Broker, from)
		if !ok || b.First > from {
			if inISR {
				c.breach(CommittedOnISR, broker(r.Broker)+"@"+number(from), []int{r.Broker}, from, broker(r.Broker)+" is in the ISR of "+c.tp.String()+
					", but holds nothing "+atOffsets(from)+", where something is committed.")
			}
			return from
		}
		if want.hash != b.Hash || want.epoch != b.Epoch || want.first != b.First {
			c.breach(LogMatching, broker(r.Broker)+"@"+number(from), []int{r.Broker}, from, broker(r.Broker)+" holds another record "+
				atOffsets(from)+" of "+c.tp.String()+" than the one that was committed there.")
			return from
		}
		from = want.next
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
	return v.one(OneOwnerPerPartition, step, o.TP, -1, other+" and "+o.Member+" of "+o.Group+" both own "+o.TP.String()+" in generation "+
		strconv.Itoa(o.Generation)+".")
}

// one is the single breach of what happens only once.
func (v *Invariants) one(invariant string, step int, tp TopicPartition, offset int64, sentence string) []Breach {
	return []Breach{{Invariant: invariant, TP: tp, Step: step, Offset: offset, Sentence: sentence, GivenUp: v.givenUp(invariant, v.partitions[tp])}}
}

func number(n int64) string { return strconv.FormatInt(n, 10) }
