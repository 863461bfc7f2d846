package checker

import "strconv"

// placeKey is where a batch stands, and who appended it: as in Raft, there is at most one such batch.
type placeKey struct {
	first int64
	epoch int
}

// firstSeen is what is remembered of such a batch: what it holds, and the epoch of what comes before it. That the batches
// before agree in epoch and offset makes them the same, by the same rule, so that whole logs agree up to here.
type firstSeen struct {
	hash   uint64
	before int // -1 none, or not known
	broker int
}

// walk looks at the batches that are new in a replica's log.
func (c *check) walk(r *ReplicaView) {
	was := c.copy(r.Broker)
	if r.CutTo >= 0 && r.CutTo < was.walked || r.LEO < was.walked {
		was.walked = min(r.LEO, max(r.CutTo, 0))
		if r.CutTo < 0 {
			was.walked = r.LEO
		}
		was.lastEpoch = -1
		if b, ok := c.p.BatchAt(r.Broker, was.walked-1); ok && b.Next <= was.walked {
			was.lastEpoch = b.Epoch
		}
	}
	if was.walked < r.LogStart {
		was.walked, was.lastEpoch = r.LogStart, -1
	}
	for was.walked < r.LEO {
		b, ok := c.p.BatchAt(r.Broker, was.walked)
		if !ok {
			return
		}
		c.follows(r, was, &b)
		c.enter(r, was, &b)
		was.walked, was.lastEpoch = b.Next, b.Epoch
	}
}

// follows says that a batch is where the log's end was, and of no older epoch.
func (c *check) follows(r *ReplicaView, was *logTrail, b *BatchView) {
	if b.First > was.walked && was.walked > r.LogStart {
		c.breach(OffsetsContiguous, broker(r.Broker)+"@"+number(was.walked), []int{r.Broker}, was.walked, broker(r.Broker)+"'s log of "+c.tp.String()+" has nothing "+
			atOffsets(was.walked)+", between what comes before and what comes after.")
	}
	if b.Epoch < was.lastEpoch {
		c.breach(EpochsAscend, broker(r.Broker)+"@"+number(b.First), []int{r.Broker}, b.First, broker(r.Broker)+"'s log of "+c.tp.String()+" goes back "+
			atOffsets(b.First)+" from epoch "+strconv.Itoa(was.lastEpoch)+" to epoch "+strconv.Itoa(b.Epoch)+".")
	}
}

// enter compares a batch with the same one in other logs.
func (c *check) enter(r *ReplicaView, was *logTrail, b *BatchView) {
	key := placeKey{b.First, b.Epoch}
	known, ok := c.w.register[key]
	switch {
	case !ok:
		c.w.register[key] = firstSeen{b.Hash, was.lastEpoch, r.Broker}
	case known.hash != b.Hash || known.before != was.lastEpoch && known.before >= 0 && was.lastEpoch >= 0:
		what := " hold different records "
		if known.hash == b.Hash {
			what = " hold different records before the same one "
		}
		c.breach(SamePast, broker(r.Broker)+"@"+number(b.First), []int{known.broker, r.Broker}, b.First, broker(known.broker)+" and "+broker(r.Broker)+what+
			atOffsets(b.First)+" of "+c.tp.String()+", both of epoch "+strconv.Itoa(b.Epoch)+".")
	case known.before < 0 && was.lastEpoch >= 0:
		known.before = was.lastEpoch
		c.w.register[key] = known
	}
}

// producerTrail is where a producer stands in the committed log.
type producerTrail struct {
	epoch            int
	next             int32 // sequence number
	open             bool  // in a transaction
	coordinatorEpoch int
}

// Forgotten notes that a replica no longer knows a producer, as when its id has expired: if it leads, it takes what comes
// next for the beginning.
func (v *Invariants) Forgotten(tp TopicPartition, producer int64) {
	delete(v.watched(tp).producers, producer)
}

// committed follows each producer through the committed log.
func (c *check) committed(r *ReplicaView, b *BatchView) {
	if b.Producer < 0 {
		return
	}
	p := c.w.producers[b.Producer]
	if b.Control {
		c.marker(r, p, b)
		return
	}
	if p == nil {
		p = &producerTrail{epoch: b.ProducerEpoch, next: max(b.FirstSequence, 0), coordinatorEpoch: -1}
		c.w.producers[b.Producer] = p
	}
	key := number(b.Producer) + "@" + number(b.First)
	next := p.next
	if b.ProducerEpoch != p.epoch {
		next = 0
	}
	// Positions in a transaction, which the group coordinator appends for the producer, have no sequence numbers.
	numbered := b.FirstSequence >= 0
	if b.ProducerEpoch < p.epoch || numbered && b.FirstSequence != next {
		c.breach(SequencesContiguous, key, []int{r.Broker}, b.First, "The committed log of "+c.tp.String()+" has "+sequence(b.ProducerEpoch, b.FirstSequence)+
			" of producer "+number(b.Producer)+" "+atOffsets(b.First)+", where "+sequence(max(p.epoch, b.ProducerEpoch), next)+" comes next.")
	}
	if p.open && (b.ProducerEpoch != p.epoch || !b.Transactional) {
		c.breach(OneOpenTransaction, key, []int{r.Broker}, b.First, "Producer "+number(b.Producer)+" writes something else "+atOffsets(b.First)+" of "+c.tp.String()+
			" while its transaction of epoch "+strconv.Itoa(p.epoch)+" is open.")
	}
	p.epoch, p.next, p.open = b.ProducerEpoch, next, b.Transactional
	if numbered {
		p.next = int32(uint32(b.LastSequence+1) & 0x7fffffff) // after 2³¹−1 comes 0
	}
}

func sequence(epoch int, n int32) string {
	return "sequence number " + number(int64(n)) + " of epoch " + strconv.Itoa(epoch)
}

// marker ends a producer's transaction. One of a later epoch, which shuts the producer out, begins the numbers anew.
func (c *check) marker(r *ReplicaView, p *producerTrail, b *BatchView) {
	if p == nil {
		c.w.producers[b.Producer] = &producerTrail{epoch: b.ProducerEpoch, coordinatorEpoch: b.CoordinatorEpoch}
		return
	}
	if b.CoordinatorEpoch < p.coordinatorEpoch {
		c.breach(CoordinatorEpochsForward, number(b.Producer)+"@"+number(b.First), []int{r.Broker}, b.First, "The marker for producer "+number(b.Producer)+" "+
			atOffsets(b.First)+" of "+c.tp.String()+" is of coordinator epoch "+strconv.Itoa(b.CoordinatorEpoch)+", after one of "+strconv.Itoa(p.coordinatorEpoch)+".")
	}
	if b.ProducerEpoch > p.epoch {
		p.epoch, p.next = b.ProducerEpoch, 0
	}
	p.open, p.coordinatorEpoch = false, max(p.coordinatorEpoch, b.CoordinatorEpoch)
}

// Answer is the answer to a produce request with acks=all.
type Answer struct {
	Leader int
	First  int64 // of the batch
	Min    int   // min.insync.replicas
}

// CheckAnswer counts the copies of what is acknowledged, on disks that are not served as well.
func (v *Invariants) CheckAnswer(step int, p PartitionView, a Answer) []Breach {
	c := v.look(step, p)
	mine, ok := p.BatchAt(a.Leader, a.First)
	if !ok || mine.First != a.First {
		return nil // removed meanwhile
	}
	copies := 0
	for i := range c.replicas {
		b, ok := p.BatchAt(c.replicas[i].Broker, a.First)
		if ok && b.First == a.First && b.Epoch == mine.Epoch && b.Hash == mine.Hash || ok && c.replicas[i].LogStart >= mine.Next {
			copies++
		}
	}
	if copies >= a.Min {
		return nil
	}
	return v.one(MinISRCopies, step, c.tp, a.First, broker(a.Leader)+" acknowledges with acks=all what is "+atOffsets(a.First)+" of "+c.tp.String()+", of which there "+
		isAre(copies, "copy", "copies")+"; min.insync.replicas is "+strconv.Itoa(a.Min)+".")
}

func isAre(n int, one, many string) string {
	if n == 1 {
		return "is 1 " + one
	}
	return "are " + strconv.Itoa(n) + " " + many
}
