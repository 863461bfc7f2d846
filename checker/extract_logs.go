package checker

import (
	"slices"

	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
)

// removal is an entry that a leader's log start has moved past.
type removal struct {
	positioned
	step int
}

// logStartMoved notes what a leader's log start has moved past. What a follower removes, its leader has removed before it.
func (x *extractor) logStartMoved(e *event.LogStart, key replicaKey, step int) {
	if _, leads := x.epochs[key]; !leads {
		return
	}
	p := x.positions[key]
	for len(p) > 0 && p[0].offset < e.To {
		x.removed[key.tp] = append(x.removed[key.tp], removal{p[0], step})
		p = p[1:]
	}
	x.positions[key] = p
}

// logs reads the committed log of every partition from its leader. Of a partition without a leader it reads
// what those who may lead have on their disks, running or not: nobody can read it now, but it is not lost.
func (x *extractor) logs() {
	for _, tp := range x.c.Partitions() {
		if x.internal(tp.Topic) {
			continue
		}
		l := x.log(toTP(tp))
		b := x.c.Leader(tp)
		if b == nil {
			batches, end := x.onDisk(tp)
			x.fill(l, batches, 0, end)
			continue
		}
		l.Leader = b.ID()
		log := b.Replica(tp).Log()
		x.fill(l, log.Batches(), log.LogStartOffset(), log.HighWatermark())
	}
}

// fill takes the part of a log from start to end, and what was removed of it. A marker at or above end decides nothing:
// it is not committed itself, and another may take its place.
func (x *extractor) fill(l *Log, batches []*record.RecordBatch, start, end int64) {
	l.Start = start
	above := slices.IndexFunc(batches, func(b *record.RecordBatch) bool { return b.BaseOffset >= end })
	if above >= 0 {
		batches = batches[:above]
	}
	fate := fates(batches)
	for i, batch := range batches {
		for k := range batch.Records {
			if o := batch.Offset(k); o >= start && o < end {
				e := x.entry(batch, k, x.written[offsetKey{l.TP, o}])
				e.Fate = fate[i]
				l.Entries = append(l.Entries, e)
			}
		}
	}
	x.expired(l, batches)
}

// expired lists what was removed and is not in the log at the end. A record that one leader has removed and the next one
// still holds is there: it is one record, and not two. What became of a transaction is read from the marker that follows
// in the log, or followed before it was removed as well.
func (x *extractor) expired(l *Log, batches []*record.RecordBatch) {
	type identity struct {
		offset int64
		epoch  int
	}
	had := map[identity]bool{}
	for i := range l.Entries {
		had[identity{l.Entries[i].Offset, l.Entries[i].Epoch}] = true
	}
	var gone []removal
	for _, r := range x.removed[l.TP] {
		if id := (identity{r.offset, r.entry.Epoch}); !had[id] {
			had[id] = true
			gone = append(gone, r)
		}
	}
	slices.SortStableFunc(gone, func(a, b removal) int { return compareInt64(a.offset, b.offset) })
	ends := endsOf(gone, batches)
	for _, r := range gone {
		e := r.entry
		if r.batch.IsTransactional && !e.Control {
			e.Fate = ends.fate(r.batch.ProducerID, e.Offset)
		}
		l.Expired = append(l.Expired, Expiry{Entry: e, Cause: DeleteRecords, Step: r.step})
	}
}

// markers tells of each producer id where its transactions ended, and how.
type markers map[int64][]markedEnd

type markedEnd struct {
	offset int64
	fate   Fate
}

// endsOf collects the markers that were removed from a log and those that are in it.
func endsOf(gone []removal, batches []*record.RecordBatch) markers {
	m := markers{}
	add := func(b *record.RecordBatch) {
		if b.IsControl {
			end := markedEnd{b.BaseOffset, MarkedCommitted}
			if b.Marker.Abort {
				end.fate = MarkedAborted
			}
			m[b.ProducerID] = append(m[b.ProducerID], end)
		}
	}
	for _, r := range gone {
		add(r.batch)
	}
	for _, b := range batches {
		add(b)
	}
	return m
}

// fate is what the next marker of a producer says of what it wrote at an offset.
func (m markers) fate(producerID, offset int64) Fate {
	next, out := int64(-1), Unmarked
	for _, end := range m[producerID] {
		if end.offset > offset && (next < 0 || end.offset < next) {
			next, out = end.offset, end.fate
		}
	}
	return out
}

// onDisk gives the longest log of the members of the ISR and the eligible leader replicas, and the offset up to which it
// counts: as far as it was ever committed, and as far as all have it that may lead. Whoever is elected next, the
// partition goes on with that.
func (x *extractor) onDisk(tp protocol.TopicPartition) (longest []*record.RecordBatch, counts int64) {
	s, _ := x.c.State(tp)
	end := int64(0)
	shared := int64(-1)
	for _, id := range slices.Concat(s.ISR, s.ELR) {
		disk := x.c.World.Disk(x.c.Directory.Node(id))
		var batches []*record.RecordBatch
		if slices.Contains(disk.Names(), tp.String()) {
			for _, block := range disk.File(tp.String()).Blocks() {
				batches = append(batches, block.(*record.RecordBatch))
			}
		}
		mine := int64(0)
		if n := len(batches); n > 0 {
			mine = batches[n-1].NextOffset()
		}
		if shared < 0 || mine < shared {
			shared = mine
		}
		if mine > end {
			longest, end = batches, mine
		}
	}
	return longest, max(shared, x.everCommitted(toTP(tp)))
}

// everCommitted is the highest offset that the high watermark of a leader has come to.
func (x *extractor) everCommitted(tp TopicPartition) int64 {
	end := int64(0)
	for i := range x.h.Commits {
		if c := &x.h.Commits[i]; c.TP == tp {
			end = max(end, c.HighWatermark)
		}
	}
	return end
}
