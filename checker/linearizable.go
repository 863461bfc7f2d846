package checker

import (
	"hash/fnv"
	"strconv"

	"github.com/anishathalye/porcupine"
)

type logOpKind uint8

const (
	opAppend logOpKind = iota
	opRead
	opEndOffset
	opFinal
)

// logOp is one operation on a partition as an append-only log.
type logOp struct {
	kind   logOpKind
	offset int64 // where the record went; the answer of an end offset query
	record RecordID
	reads  []logRead // of opRead: all that was read in one step
	chain  uint64    // of opFinal: the chained hash of the whole final log
}

// logRead is one record that a reader got.
type logRead struct {
	offset int64
	record RecordID
}

// logState is the log in constant size: its end and a hash chained over all its records.
type logState struct {
	end   int64
	chain uint64
}

// link chains one more record to a log's hash.
func link(chain uint64, offset int64, record RecordID) uint64 {
	f := fnv.New64a()
	var b [16]byte
	for i := range 8 {
		b[i] = byte(chain >> (8 * i))
		b[8+i] = byte(offset >> (8 * i))
	}
	f.Write(b[:])
	f.Write([]byte(record))
	return f.Sum64()
}

// gaps are offsets that hold nobody's record: transaction markers, and all below the log start offset if the history
// does not say what was there.
type gaps struct {
	start int64
	taken map[int64]bool
}

// next returns the first offset from o on that a record can get.
func (g gaps) next(o int64) int64 {
	o = max(o, g.start)
	for g.taken[o] {
		o++
	}
	return o
}

// logModel is the sequential specification of one partition. An append gets the next free offset; a read returns what
// was appended at its offset; a query for the end returns the end; the log at the end is all that was appended.
//
// content is what the history's appends put at each offset. Looking it up instead of keeping the log in the state is
// sound: if two appends claim one offset, the second finds the end elsewhere and the history is illegal whichever of
// them is looked up. Every append has a fixed offset, so at most one append is legal in any state, and an illegal
// history is found out without trying orders.
func logModel(g gaps, content map[int64]RecordID) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return logState{end: g.next(0)} },
		Step: func(state, input, _ any) (bool, any) {
			st, op := state.(logState), input.(logOp)
			switch op.kind {
			case opAppend:
				if op.offset != st.end {
					return false, st
				}
				return true, logState{g.next(op.offset + 1), link(st.chain, op.offset, op.record)}
			case opRead:
				for _, r := range op.reads {
					if r.offset >= st.end || content[r.offset] != r.record {
						return false, st
					}
				}
				return true, st
			case opEndOffset:
				return g.next(op.offset) == st.end, st
			default:
				return g.next(op.offset) == st.end && op.chain == st.chain, st
			}
		},
		Hash: func(state any) uint64 { return state.(logState).chain },
	}
}

// resolveAppend turns a submission into an append with a known offset, or leaves it out.
//
// An acknowledged send has its offset from the answer. One with an unknown outcome took effect if it was seen, at the
// offset where it was seen; see the package comment for why that is sound. A send that failed for certain is no
// append: if its record is seen, nothing explains it, and the history is illegal.
//
// The append takes effect when the high watermark passes it, which with acks=1 may be after the answer: the operation
// lasts until both have happened.
func (x *index) resolveAppend(s *Submission, seen map[SubmissionID]int64) (op porcupine.Operation, ok bool) {
	at, wasSeen := seen[s.ID]
	if s.Outcome.Kind == Acked && s.Outcome.Offset >= 0 {
		at, wasSeen = s.Outcome.Offset, true
	}
	if s.Outcome.Kind == FailedForCertain {
		return op, false
	}
	if !wasSeen {
		if s.Outcome.Kind == Unknown || !x.atRest(s.TP) {
			return op, false
		}
		at = -1 // acknowledged without an offset and in no log: an append that fits no end of any log
	}
	ret := x.h.End + 1
	if s.Outcome.Kind == Acked {
		ret = s.Outcome.Step
		for _, a := range x.leaderAppends(s.ID) {
			if a.Offset == at {
				ret = max(ret, x.committed[entryKey{s.TP, at, a.Epoch}])
			}
		}
	}
	return interval(s.SendStep, ret, logOp{kind: opAppend, offset: at, record: s.Record}), true
}

// atRest says that the partition's log at the end is known and final.
func (x *index) atRest(tp TopicPartition) bool { return x.h.Quiescence.Reached && x.logs[tp] != nil }

// sightings says at which offset each submission to the partition was seen: in the final log, or else by a reader, or
// else under something that was seen. The last case is an append which nobody saw, but without which a later offset,
// that somebody was told of, could not have been reached.
func (x *index) sightings(tp TopicPartition, entries []Entry) map[SubmissionID]int64 {
	seen := make(map[SubmissionID]int64)
	taken := make(map[int64]bool)
	end := int64(0)
	note := func(id SubmissionID, offset int64) {
		if _, old := seen[id]; !old && id != "" {
			seen[id] = offset
		}
		taken[offset] = true
		end = max(end, offset+1)
	}
	for _, e := range entries {
		note(e.Submission, e.Offset)
	}
	for i := range x.h.Reads {
		if r := &x.h.Reads[i]; r.TP == tp {
			note(x.submissionAt(tp, r.Offset, r.Record), r.Offset)
		}
	}
	for i := range x.h.Submissions {
		if s := &x.h.Submissions[i]; s.TP == tp && s.Outcome.Kind == Acked && s.Outcome.Offset >= 0 {
			note("", s.Outcome.Offset)
		}
	}
	for i := range x.h.EndOffsets {
		if e := &x.h.EndOffsets[i]; e.TP == tp {
			end = max(end, e.Offset)
		}
	}
	for i := range x.h.Submissions {
		s := &x.h.Submissions[i]
		if _, old := seen[s.ID]; old || s.TP != tp || s.Outcome.Kind != Unknown {
			continue
		}
		for _, a := range x.leaderAppends(s.ID) {
			if a.Offset < end && !taken[a.Offset] {
				note(s.ID, a.Offset)
				break
			}
		}
	}
	return seen
}

// submissionAt finds the submission of a record that a reader saw at an offset: the one that was appended there, or
// else the first that was sent to the partition.
func (x *index) submissionAt(tp TopicPartition, offset int64, r RecordID) SubmissionID {
	first := SubmissionID("")
	for _, s := range x.byRecord[r] {
		if s.TP != tp {
			continue
		}
		for _, a := range x.appended[s.ID] {
			if a.TP == tp && a.Offset == offset {
				return s.ID
			}
		}
		if first == "" {
			first = s.ID
		}
	}
	return first
}

// logPart turns the facts about one partition into operations and the model that judges them.
func (x *index) logPart(tp TopicPartition) (part, porcupine.Model) {
	p := part{name: tp.String()}
	var entries []Entry
	g := gaps{taken: map[int64]bool{}}
	l := x.logs[tp]
	if l != nil {
		entries = x.wholeLog(l)
		for _, e := range entries {
			if e.Control {
				g.taken[e.Offset] = true
			}
		}
		g.start = x.unknownStart(l, entries)
	}
	content := make(map[int64]RecordID)
	seen := x.sightings(tp, entries)
	for i := range x.h.Submissions {
		s := &x.h.Submissions[i]
		if s.TP != tp {
			continue
		}
		if op, ok := x.resolveAppend(s, seen); ok {
			o := op.Input.(logOp).offset
			if o >= g.start || o < 0 {
				p.ops = append(p.ops, op)
				content[o] = s.Record
			}
		}
	}
	x.logObservations(tp, g, &p)
	if x.atRest(tp) {
		p.ops = append(p.ops, instant(x.h.End+2, finalOp(entries, g)))
	}
	return p, logModel(g, content)
}

// unknownStart returns the log start offset if the history does not hold the entries that expired below it, or else 0.
func (x *index) unknownStart(l *Log, entries []Entry) int64 {
	if len(entries) > 0 && entries[0].Offset < l.Start {
		return 0
	}
	return l.Start
}

func finalOp(entries []Entry, g gaps) logOp {
	op := logOp{kind: opFinal}
	for _, e := range entries {
		if e.Control {
			continue
		}
		op.chain = link(op.chain, e.Offset, e.Record)
		op.offset = e.Offset + 1
	}
	return op
}

// logObservations adds the reads, and the end offsets of readers that see the whole log. What a follower says about
// the end may be old, and the last stable offset is not the end of the log: neither is an observation of it.
//
// A read is given its answer's step alone and not the whole time since its request. Nothing is lost: a read that is
// legal at some moment is legal ever after, for the log only grows, so if any order is legal, one is in which each
// read comes last in its time. For the same reason all reads of one step are one operation: none of them changes
// the log, so their order among each other means nothing. Both spare the search all the orders of reads; of an
// illegal history with a thousand records in one poll it would otherwise try every subset.
func (x *index) logObservations(tp TopicPartition, g gaps, p *part) {
	var reads []logRead
	step := 0
	flush := func() {
		if len(reads) > 0 {
			p.ops = append(p.ops, instant(step, logOp{kind: opRead, reads: reads}))
			reads = nil
		}
	}
	for i := range x.h.Reads {
		r := &x.h.Reads[i]
		if r.TP != tp || r.Offset < g.start {
			continue
		}
		if r.Step != step {
			flush()
			step = r.Step
		}
		reads = append(reads, logRead{r.Offset, r.Record})
	}
	flush()
	for i := range x.h.EndOffsets {
		if e := &x.h.EndOffsets[i]; e.TP == tp && !e.FromFollower && e.Isolation == ReadUncommitted {
			p.ops = append(p.ops, interval(e.Call, e.Step, logOp{kind: opEndOffset, offset: e.Offset}))
		}
	}
}

// judgeLinearizable rules that each partition behaves as one append-only log: an append gets an offset, a read of that
// offset returns its record, the end offset counts what was appended, and all of it in an order that respects time.
// The effect of an append is the advance of the high watermark.
func judgeLinearizable(x *index, _ Level) Verdict {
	v := Verdict{Claim: Linearizable, Level: AtLog, Ruling: Holds}
	for _, tp := range x.partitions {
		p, model := x.logPart(tp)
		if len(x.illegal(model, []part{p})) > 0 {
			v.Ruling = Violated
			v.Evidence = x.explainLog(tp, p)
			return v
		}
	}
	return v
}

// explainLog looks for the simplest contradiction in an illegal log.
func (x *index) explainLog(tp TopicPartition, p part) Evidence {
	ev := Evidence{Partition: tp.String()}
	holder := x.finalHolders(tp)
	for _, find := range []func(TopicPartition, map[int64]Entry) (Evidence, bool){
		x.twoValues, x.lostFromLog, x.unexplainedEntry, x.staleEnd,
	} {
		if found, ok := find(tp, holder); ok {
			found.Partition = tp.String()
			return found
		}
	}
	ev.Short = tp.String() + " fits no single order"
	ev.Sentence = "No single order of the " + strconv.Itoa(len(p.ops)) + " operations on " + tp.String() +
		" explains what the clients were told."
	return ev
}

func (x *index) finalHolders(tp TopicPartition) map[int64]Entry {
	holder := make(map[int64]Entry)
	if x.atRest(tp) {
		for _, e := range x.wholeLog(x.logs[tp]) {
			holder[e.Offset] = e
		}
	}
	return holder
}

// claimAt is one statement that an offset holds a record.
type claimAt struct {
	record RecordID
	words  string
	step   int
}

// statements lists what was said about the offsets of a partition, by producers' answers and by reads.
func (x *index) statements(tp TopicPartition) (offsets []int64, said map[int64][]claimAt) {
	said = make(map[int64][]claimAt)
	say := func(o int64, c claimAt) {
		if len(said[o]) == 0 {
			offsets = append(offsets, o)
		}
		said[o] = append(said[o], c)
	}
	for i := range x.h.Submissions {
		if s := &x.h.Submissions[i]; s.TP == tp && s.Outcome.Kind == Acked && s.Outcome.Offset >= 0 {
			say(s.Outcome.Offset, claimAt{s.Record, string(s.Record) + " was acknowledged " + atOffsets(s.Outcome.Offset) + " " + inSteps(s.Outcome.Step), s.Outcome.Step})
		}
	}
	for i := range x.h.Reads {
		if r := &x.h.Reads[i]; r.TP == tp {
			say(r.Offset, claimAt{r.Record, r.Consumer + " read " + string(r.Record) + " " + atOffsets(r.Offset) + " " + inSteps(r.Step), r.Step})
		}
	}
	return offsets, said
}

// twoValues finds an offset that held two records.
func (x *index) twoValues(tp TopicPartition, holder map[int64]Entry) (Evidence, bool) {
	offsets, said := x.statements(tp)
	for _, o := range offsets {
		first := said[o][0]
		ev := Evidence{Records: []RecordID{first.record}, Offsets: []int64{o}, JepsenWord: InconsistentOffsets}
		for _, c := range said[o][1:] {
			if c.record != first.record {
				ev.Records = append(ev.Records, c.record)
				ev.Steps = decisive(first.step, c.step)
				ev.Sentence = first.words + ", but " + c.words + "."
				ev.Short = "offset " + strconv.FormatInt(o, 10) + " holds two records: " + comma(ev.Records)
				return ev, true
			}
		}
		if e, ok := holder[o]; ok && e.Record != first.record {
			ev.Records = append(ev.Records, e.Record)
			ev.Steps = decisive(first.step, e.Step)
			ev.Sentence = first.words + ", but that offset holds " + string(e.Record) + " at the end, appended " + inSteps(e.Step) + "."
			ev.Short = "offset " + strconv.FormatInt(o, 10) + " holds two records: " + comma(ev.Records)
			return ev, true
		}
	}
	return Evidence{}, false
}

// lostFromLog finds records that were acknowledged or read and are not in the final log.
func (x *index) lostFromLog(tp TopicPartition, holder map[int64]Entry) (Evidence, bool) {
	if !x.atRest(tp) {
		return Evidence{}, false
	}
	ev := Evidence{JepsenWord: LostWrite}
	offsets, said := x.statements(tp)
	words := ""
	var steps []int
	for _, o := range offsets {
		if _, ok := holder[o]; ok {
			continue
		}
		c := said[o][0]
		if words == "" {
			words = c.words
			steps = []int{c.step}
			for _, s := range x.byRecord[c.record] {
				if cuts := x.cutsOf(s); s.TP == tp && len(cuts) > 0 {
					phrase, at := tellCuts(cuts)
					words += ", it was " + phrase
					steps = append(steps, at...)
				}
			}
		}
		ev.Records = append(ev.Records, c.record)
		ev.Offsets = append(ev.Offsets, o)
	}
	for i := range x.h.Submissions {
		s := &x.h.Submissions[i]
		if s.TP == tp && s.Outcome.Kind == Acked && s.Outcome.Offset < 0 && len(x.entries[s.Record]) == 0 && words == "" {
			words = string(s.Record) + " was acknowledged without an offset " + inSteps(s.Outcome.Step)
			ev.Records, steps = []RecordID{s.Record}, []int{s.Outcome.Step}
		}
	}
	if words == "" {
		return Evidence{}, false
	}
	ev.Steps = decisive(steps...)
	ev.Short = comma(ev.Records) + " gone from the log"
	ev.Sentence = words + ", and it is not in the log at the end"
	if n := len(ev.Records); n > 1 {
		ev.Sentence += "; nor " + verb(n-1, "is ", "are ") + many(ev.Records[1:])
	}
	ev.Sentence += "."
	return ev, true
}

// unexplainedEntry finds an entry of the final log that no append accounts for.
func (x *index) unexplainedEntry(tp TopicPartition, holder map[int64]Entry) (Evidence, bool) {
	l := x.logs[tp]
	if l == nil {
		return Evidence{}, false
	}
	where := make(map[SubmissionID]Entry)
	for _, e := range x.wholeLog(l) {
		if e.Control {
			continue
		}
		s := x.bySub[e.Submission]
		ev := Evidence{Records: []RecordID{e.Record}, Offsets: []int64{e.Offset}, Steps: decisive(e.Step)}
		first, again := where[e.Submission]
		switch {
		case s == nil:
			ev.Sentence = string(e.Record) + " is in the log " + atOffsets(e.Offset) + ", and nobody ever submitted it."
			ev.Short = string(e.Record) + " in the log, though never submitted"
		case s.Outcome.Kind == FailedForCertain:
			ev.Sentence = string(e.Record) + " is in the log " + atOffsets(e.Offset) + ", although its send failed for certain " + inSteps(s.Outcome.Step) + "."
			ev.Short = string(e.Record) + " in the log, though failed for certain"
		case again:
			ev.Offsets = []int64{first.Offset, e.Offset}
			ev.Steps = decisive(first.Step, e.Step)
			ev.JepsenWord = Duplicate
			ev.Sentence = "One send of " + string(e.Record) + " was appended twice, " + atOffsets(ev.Offsets...) + ", " + inSteps(first.Step, e.Step) + "."
			ev.Short = "one send of " + string(e.Record) + " appended twice"
		default:
			where[e.Submission] = e
			continue
		}
		return ev, true
	}
	return Evidence{}, false
}

// staleEnd finds an end offset that does not count a record whose append was complete, or an end that went back.
func (x *index) staleEnd(tp TopicPartition, _ map[int64]Entry) (Evidence, bool) {
	for i := range x.h.EndOffsets {
		e := &x.h.EndOffsets[i]
		if e.TP != tp || e.FromFollower || e.Isolation != ReadUncommitted {
			continue
		}
		call := e.Call
		if call == 0 {
			call = e.Step
		}
		offsets, said := x.statements(tp)
		for _, o := range offsets {
			if c := said[o][0]; c.step < call && o >= e.Offset {
				return Evidence{
					Records: []RecordID{c.record}, Offsets: []int64{o}, Steps: decisive(c.step, e.Step),
					Short:    "end offset " + strconv.FormatInt(e.Offset, 10) + " answered after " + string(c.record) + " " + atOffsets(o),
					Sentence: c.words + ", but " + e.Consumer + " was told " + inSteps(e.Step) + " that the log ends at " + strconv.FormatInt(e.Offset, 10) + ".",
				}, true
			}
		}
	}
	return Evidence{}, false
}
