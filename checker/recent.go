package checker

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/anishathalye/porcupine"
)

type recentKind uint8

const (
	opWrite recentKind = iota // a record is sent, and acknowledged
	opSight                   // somebody reads it
	opMiss                    // somebody asks, and is told that it is not there
)

// recentModel is a cell that is written once: a read finds the record after the write, and nothing before.
func recentModel() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return false },
		Step: func(state, input, _ any) (bool, any) {
			written := state.(bool)
			switch input.(recentKind) {
			case opWrite:
				return true, true
			case opSight:
				return written, true
			default:
				return !written, written
			}
		},
	}
}

// lookup is an answer that says something about a record in its place, with the words for it.
type lookup struct {
	call, step int
	words      func() string
}

// spot is one acknowledged send of a record, where readers at one isolation level look for it.
type spot struct {
	sub    *Submission
	level  Isolation
	offset int64 // where it lies, or would have: there or later
	lies   bool  // it was appended
	write  Outcome
	sight  *lookup // the one that ended first
	miss   *lookup // the one that was asked for last
}

// part gives the operations on it, three at most, with their true intervals: porcupine finds the order.
//
// A record stays where it is, so a sight may be thought to have been called at any time before it ended: it comes last in
// its time if any order is legal. Of all sights only the one that ended first can contradict a miss, and of all misses
// only the one that was asked for last can contradict the acknowledgement or a sight.
func (c *spot) part() part {
	p := part{name: string(c.sub.ID)}
	p.ops = append(p.ops, interval(c.sub.SendStep, c.write.Step, opWrite))
	if c.sight != nil {
		p.ops = append(p.ops, interval(c.sub.SendStep, c.sight.step, opSight))
	}
	p.ops = append(p.ops, interval(c.miss.call, c.miss.step, opMiss))
	return p
}

// judgeRecent rules that a read which begins after an acknowledgement sees the record. "There is nothing from here on" is an
// answer, and so is where a partition ends, whoever gives it: a leader, one that does not know yet that it is none any
// more, a follower. A record that the topic's policy has removed need not be seen any more.
func judgeRecent(x *index, l Level) Verdict {
	v := Verdict{Claim: Recent, Level: l, Ruling: Holds}
	if len(x.h.Reads)+len(x.h.EmptyReads)+len(x.h.EndOffsets) == 0 {
		return notObserved(v)
	}
	var spots []spot
	for _, tp := range x.partitions {
		for _, level := range []Isolation{ReadUncommitted, ReadCommitted} {
			for _, c := range x.spots(tp, level) {
				if c.miss != nil { // what nobody missed contradicts nothing
					spots = append(spots, c)
				}
			}
		}
	}
	parts := make([]part, len(spots))
	for i := range spots {
		parts[i] = spots[i].part()
	}
	if bad := x.illegal(recentModel(), parts); len(bad) > 0 {
		v.Ruling, v.Evidence = Violated, x.explainRecent(spots, bad)
	}
	return v
}

// spots lists the acknowledged records of a partition, each with the sight and the miss that count. A reader in
// read_committed may see less than one in read_uncommitted, so that what the latter has seen binds the latter alone.
func (x *index) spots(tp TopicPartition, level Isolation) []spot {
	var spots []spot
	for i := range x.h.Submissions {
		s := &x.h.Submissions[i]
		if o := x.outcome(s); s.TP == tp && !s.InTable && o.Kind == Acked {
			at, lies := x.placeSent(s)
			spots = append(spots, spot{sub: s, level: level, offset: at, lies: lies, write: o})
		}
	}
	if len(spots) == 0 {
		return nil
	}
	slices.SortStableFunc(spots, func(a, b spot) int { return cmp.Compare(a.offset, b.offset) })
	until := x.readable(tp)
	seen, held := x.readsAt(tp, level, until)
	nothing := x.nothings(tp, level)
	latest := newLatest(nothing)
	told := 0
	for i := range spots {
		c := &spots[i]
		for ; told < len(nothing) && nothing[told].offset <= c.offset; told++ {
			latest.add(nothing[told].lookup)
		}
		for _, l := range seen[placeOf{tp, c.offset, c.sub.Record}] { // what was read before it was sent is another send's
			if l.step >= c.sub.SendStep && (c.sight == nil || l.step < c.sight.step) {
				c.sight = l
			}
		}
		c.miss = latest.before(until(c.offset))
		for _, other := range held[c.offset] {
			if c.lies && other.record != c.sub.Record {
				if c.miss == nil || other.call > c.miss.call {
					c.miss = other.lookup
				}
				break
			}
		}
	}
	return spots
}

// placeSent is the offset of an acknowledged send: that of the answer, or where a leader appended it. One that was
// acknowledged without ever being appended (acks=0) does not lie anywhere, and would have come no earlier than where the log
// ended then.
func (x *index) placeSent(s *Submission) (at int64, lies bool) {
	if s.Outcome.Offset >= 0 {
		return s.Outcome.Offset, true
	}
	if all := x.leaderAppends(s.ID); len(all) > 0 {
		return all[0].Offset, true
	}
	return x.endAt(s.TP, s.Outcome.Step), false
}

// endAt is where the log of a partition ended at a step, by what leaders had appended up to then.
func (x *index) endAt(tp TopicPartition, step int) int64 {
	if x.ends == nil {
		x.ends = make(map[TopicPartition][]grown)
		for i := range x.h.Appends {
			if a := &x.h.Appends[i]; a.AsLeader {
				x.ends[a.TP] = append(x.ends[a.TP], grown{a.Step, a.Offset + 1})
			}
		}
		for _, all := range x.ends {
			accumulate(all)
		}
	}
	return endBefore(x.ends[tp], step+1)
}

// readable gives the steps from which offsets of a partition need not be seen any more, because the topic's policy removed
// what was there.
func (x *index) readable(tp TopicPartition) (until func(offset int64) int) {
	removed := make(map[int64]int)
	if l := x.logs[tp]; l != nil {
		for _, e := range l.Expired {
			removed[e.Offset] = e.Step
		}
	}
	return func(offset int64) int {
		if step, gone := removed[offset]; gone {
			return step
		}
		return x.h.End + 2
	}
}

// found is what a read found at an offset.
type found struct {
	*lookup
	record RecordID
}

// readsAt gives the reads of a partition that a reader at an isolation level is bound by, of each record at each offset;
// and what was found at an offset while it was to be seen there, of each record the read that was asked for last, and the
// last of all to begin with.
func (x *index) readsAt(tp TopicPartition, level Isolation, until func(int64) int) (map[placeOf][]*lookup, map[int64][]found) {
	seen, last := make(map[placeOf][]*lookup), make(map[placeOf]*lookup)
	var places []placeOf
	for i := range x.h.Reads {
		r := &x.h.Reads[i]
		if r.TP != tp || r.Isolation < level { // read_committed sees no more than read_uncommitted
			continue
		}
		l := &lookup{cmp.Or(r.Call, r.Step), r.Step, func() string {
			return r.Consumer + " read " + string(r.Record) + " " + atOffsets(r.Offset) + " " + inSteps(r.Step)
		}}
		key := placeOf{tp, r.Offset, r.Record}
		seen[key] = append(seen[key], l)
		if r.Isolation != level || r.Step >= until(r.Offset) {
			continue
		}
		switch old := last[key]; {
		case old == nil:
			last[key], places = l, append(places, key)
		case l.call > old.call:
			last[key] = l
		}
	}
	at := make(map[int64][]found)
	for _, key := range places {
		at[key.offset] = append(at[key.offset], found{last[key], key.record})
	}
	for _, all := range at {
		slices.SortStableFunc(all, func(a, b found) int { return b.call - a.call })
	}
	return seen, at
}

// nothing is an answer that there is nothing from an offset on.
type nothing struct {
	offset int64
	lookup
}

// nothings lists the answers of that kind about a partition, at an isolation level, by offset.
func (x *index) nothings(tp TopicPartition, level Isolation) []nothing {
	var all []nothing
	for i := range x.h.EmptyReads {
		if e := &x.h.EmptyReads[i]; e.TP == tp && e.Isolation == level {
			all = append(all, nothing{e.Offset, lookup{cmp.Or(e.Call, e.Step), e.Step, func() string {
				who := ""
				if e.Broker > 0 {
					who = " by " + broker(e.Broker)
				}
				return e.Consumer + " (" + level.String() + "), which asked " + inSteps(cmp.Or(e.Call, e.Step)) + ", was told" + who + " " + inSteps(e.Step) +
					" that there is nothing from offset " + strconv.FormatInt(e.Offset, 10) + " on"
			}}})
		}
	}
	for i := range x.h.EndOffsets {
		if e := &x.h.EndOffsets[i]; e.TP == tp && e.Isolation == level {
			all = append(all, nothing{e.Offset, lookup{cmp.Or(e.Call, e.Step), e.Step, func() string {
				return e.Consumer + " (" + level.String() + "), which asked " + inSteps(cmp.Or(e.Call, e.Step)) + ", was told " + inSteps(e.Step) +
					" that the partition ends at " + strconv.FormatInt(e.Offset, 10)
			}}})
		}
	}
	slices.SortStableFunc(all, func(a, b nothing) int { return cmp.Compare(a.offset, b.offset) })
	return all
}

// latest finds, of the answers added so far that ended before a step, the one that was asked for last. It is a Fenwick tree
// over the steps in which they ended.
type latest struct {
	steps []int
	best  []*lookup
}

func newLatest(all []nothing) *latest {
	t := &latest{}
	for _, n := range all {
		t.steps = append(t.steps, n.step)
	}
	slices.Sort(t.steps)
	t.steps = slices.Compact(t.steps)
	t.best = make([]*lookup, len(t.steps)+1)
	return t
}

func (t *latest) add(l lookup) {
	i, _ := slices.BinarySearch(t.steps, l.step)
	for i++; i < len(t.best); i += i & -i {
		if t.best[i] == nil || l.call > t.best[i].call {
			t.best[i] = &l
		}
	}
}

func (t *latest) before(step int) *lookup {
	var best *lookup
	i, _ := slices.BinarySearch(t.steps, step)
	for ; i > 0; i -= i & -i {
		if l := t.best[i]; l != nil && (best == nil || l.call > best.call) {
			best = l
		}
	}
	return best
}

// firstMiss gives, for the evidence, the first answer to have missed a record that everybody could have known of since a
// step.
func (x *index) firstMiss(c *spot, since int) *lookup {
	miss, until := c.miss, x.readable(c.sub.TP)(c.offset)
	for _, n := range x.nothings(c.sub.TP, c.level) {
		if n.offset <= c.offset && n.call > since && n.step < min(until, miss.step) {
			miss = &n.lookup
		}
	}
	return miss
}

// explainRecent tells how the first of the missed records was missed, and names all.
func (x *index) explainRecent(spots []spot, bad []int) Evidence {
	var ev Evidence
	var records distinct[RecordID]
	for n, i := range bad {
		c := &spots[i]
		records.add(c.sub.Record)
		if n > 0 {
			continue
		}
		known, step := string(c.sub.Record)+" was acknowledged "+inSteps(c.write.Step), c.write.Step
		if c.sub.Outcome.Offset >= 0 {
			known = string(c.sub.Record) + " was acknowledged " + atOffsets(c.offset) + " " + inSteps(c.write.Step)
		}
		if c.sub.Txn != "" {
			known = string(c.sub.Record) + " was acknowledged by the commit of " + string(c.sub.Txn) + " " + inSteps(c.write.Step)
		}
		if c.sight != nil && c.write.Step >= c.miss.call { // it was not yet acknowledged, but somebody had seen it
			known, step = c.sight.words(), c.sight.step
		}
		miss := x.firstMiss(c, step)
		ev.Partition, ev.Offsets = c.sub.TP.String(), []int64{c.offset}
		ev.Steps = decisive(step, miss.step)
		ev.Sentence = known + ", but " + miss.words() + "."
		ev.Short = string(c.sub.Record) + " not seen in step " + strconv.Itoa(miss.step) + ", though known since step " + strconv.Itoa(step)
	}
	ev.Records = records.list
	return ev
}
