package checker

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/anishathalye/porcupine"
)

type logOpKind uint8

const (
	opEndOffset logOpKind = iota // somebody is told where the log ends
	opAppend                     // a record is appended
	opFill                       // an offset is taken by a marker, or by something that the history does not tell
	opRead                       // somebody reads what is at an offset
	opFinal                      // what is at an offset at the end
)

// logOp is one operation on a partition as an append-only log. Each is about one offset.
type logOp struct {
	kind   logOpKind
	offset int64
	next   int64 // of opAppend and opFill: the offset that comes after it
	// record that was appended or read, and submission if that is known. A final look that finds nothing has neither.
	record     RecordID
	submission SubmissionID
	words      func() string // for the evidence: most are never asked for; nil if nothing is known
	step       int           // the one that a viewer should look at
}

// logState is the log in constant size: its end, and what was appended last.
type logState struct {
	end        int64
	record     RecordID
	submission SubmissionID
}

// logModel is the sequential specification of one partition: an append gets the next free offset; a read of an offset
// returns what was appended there; a query for the end returns the end; and at the end of the run each offset holds what
// was appended there. start is where the log begins, as far as the history tells.
//
// The log only grows, so a read that is legal at some moment is legal ever after. It may therefore be thought to happen
// right after the append of its record, if it may be thought to have been called at any time before its answer, and then
// the last record is all of the log that a state has to hold.
func logModel(start int64) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return logState{end: start} },
		Step: func(state, input, _ any) (bool, any) {
			st, op := state.(logState), input.(logOp)
			switch op.kind {
			case opAppend, opFill:
				return op.offset == st.end, logState{op.next, op.record, op.submission}
			case opEndOffset:
				return op.offset == st.end, st
			}
			same := op.submission == "" || st.submission == "" || op.submission == st.submission
			return op.offset+1 == st.end && op.record == st.record && same, st
		},
		Hash: func(state any) uint64 { return uint64(state.(logState).end) },
	}
}

// sortLog puts the operations on a partition into the one order that can be legal. Each append has its offset, by the
// answer or by where it was seen, so appends come in the order of their offsets. That the log ends at 5 can only be
// answered after the append at offset 4 and before the one at offset 5. Reads and final looks come right after the
// append of their offset, see logModel. What shares a place neither changes the log nor minds the others, and comes in the
// order of the calls; two appends that share one are illegal in every order.
func sortLog(ops []porcupine.Operation) {
	slices.SortStableFunc(ops, func(a, b porcupine.Operation) int {
		p, q := a.Input.(logOp), b.Input.(logOp)
		return cmp.Or(cmp.Compare(p.offset, q.offset), p.kind.turn()-q.kind.turn(), cmp.Compare(a.Call, b.Call))
	})
}

// turn orders the operations on one offset.
func (k logOpKind) turn() int {
	switch k {
	case opEndOffset:
		return 0
	case opAppend, opFill:
		return 1
	}
	return 2
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
	ret, step := x.h.End+1, s.SendStep
	words := func() string {
		return string(s.Record) + " was sent " + inSteps(s.SendStep) + " and lies " + atOffsets(at)
	}
	if s.Outcome.Kind == Acked {
		ret, step = s.Outcome.Step, s.Outcome.Step
		words = func() string { return string(s.Record) + " was acknowledged " + atOffsets(at) + " " + inSteps(step) }
		for _, a := range x.leaderAppends(s.ID) {
			if a.Offset == at {
				ret = max(ret, x.committed[entryKey{s.TP, at, a.Epoch}])
			}
		}
	}
	return interval(s.SendStep, ret, logOp{kind: opAppend, offset: at, next: at + 1, record: s.Record, submission: s.ID, words: words, step: step}), true
}

// atRest says that the partition's log at the end is known and final.
func (x *index) atRest(tp TopicPartition) bool { return x.h.Quiescence.Reached && x.logs[tp] != nil }

// sightings says at which offset each submission to the partition was seen: in the final log, or else by a reader, or
// else under something that was seen. The last case is an append which nobody saw, but without which a later offset,
// that somebody was told of, could not have been reached. It may have been acknowledged, with acks=0, without an offset.
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
		if _, old := seen[s.ID]; old || s.TP != tp || s.Outcome.Kind == FailedForCertain || s.Outcome.Kind == Acked && s.Outcome.Offset >= 0 {
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

// logPart turns the events about one partition into a line of operations and the model that judges it.
func (x *index) logPart(tp TopicPartition) (part, porcupine.Model) {
	p := part{name: tp.String(), line: true}
	var entries []Entry
	start, end := int64(0), int64(0) // of what the history knows of the log
	if l := x.logs[tp]; l != nil {
		entries = x.wholeLog(l)
		start = x.unknownStart(l, entries)
		end = start
	}
	if n := len(entries); n > 0 {
		end = max(end, entries[n-1].Offset+1)
	}
	held := make(map[int64]bool, len(entries))
	for _, e := range entries {
		held[e.Offset] = true
		if e.Control && e.Offset >= start {
			p.ops = append(p.ops, interval(max(e.Step, 1), x.h.End+1, logOp{kind: opFill, offset: e.Offset, next: e.Offset + 1,
				step: e.Step, words: func() string {
					return "a transaction marker was written " + atOffsets(e.Offset) + " " + inSteps(e.Step)
				}}))
		}
	}
	seen := x.sightings(tp, entries)
	for i := range x.h.Submissions {
		s := &x.h.Submissions[i]
		if s.TP != tp {
			continue
		}
		op, ok := x.resolveAppend(s, seen)
		if o := op.Input; !ok || o.(logOp).offset >= 0 && o.(logOp).offset < start {
			continue
		}
		p.ops = append(p.ops, op)
		if at := op.Input.(logOp).offset; x.atRest(tp) && !held[at] && at >= 0 && at < end {
			p.ops = append(p.ops, x.finalLook(Entry{Offset: at}))
		}
	}
	x.logObservations(tp, start, &p)
	if x.atRest(tp) {
		for _, e := range entries {
			if !e.Control && e.Offset >= start {
				p.ops = append(p.ops, x.finalLook(e))
			}
		}
		p.ops = append(p.ops, instant(x.h.End+2, logOp{kind: opEndOffset, offset: end,
			step: x.h.End, words: func() string { return "at the end of the run the log ends at " + strconv.FormatInt(end, 10) }}))
	}
	sortLog(p.ops)
	if !x.atRest(tp) {
		p.ops = x.fillGaps(p.ops, start, end)
	}
	return p, logModel(start)
}

// finalLook is what an offset holds at the end of the run: with an empty entry, nothing. Being a read, it may be thought
// to happen earlier.
func (x *index) finalLook(e Entry) porcupine.Operation {
	words := func() string {
		if e.Record == "" {
			return "at the end that offset is empty"
		}
		told := "at the end that offset holds " + string(e.Record)
		if s := x.bySub[e.Submission]; s != nil {
			told += ", as it was sent " + inSteps(s.SendStep)
		}
		return told
	}
	return porcupine.Operation{Call: 1, Return: int64(x.h.End + 2),
		Input: logOp{kind: opFinal, offset: e.Offset, record: e.Record, submission: e.Submission, words: words, step: cmp.Or(e.Step, x.h.End)}}
}

// fillGaps lets something unknown lie at offsets from end on that nothing is known to have taken: of a run that was cut
// off the history has no log above the high watermark, and a transaction marker may lie there.
func (x *index) fillGaps(line []porcupine.Operation, start, end int64) []porcupine.Operation {
	out := make([]porcupine.Operation, 0, len(line))
	next := start
	for _, op := range line {
		o := op.Input.(logOp)
		if o.offset > next && next >= end {
			out = append(out, porcupine.Operation{Call: 1, Return: int64(x.h.End + 1), Input: logOp{kind: opFill, offset: next, next: o.offset}})
			next = o.offset
		}
		if out = append(out, op); o.kind.turn() == opAppend.turn() {
			next = max(next, o.next)
		}
	}
	return out
}

// unknownStart returns the log start offset if the history does not hold the entries that expired below it, or else 0.
func (x *index) unknownStart(l *Log, entries []Entry) int64 {
	if len(entries) > 0 && entries[0].Offset < l.Start {
		return 0
	}
	return l.Start
}

// logObservations adds the reads, and the end offsets of readers that see the whole log. What a follower says about
// the end may be old, and the last stable offset is not the end of the log: neither is an observation of it.
//
// Of the reads of one record at one offset only that which ended first counts: if the append comes before that one, it
// comes before the others.
func (x *index) logObservations(tp TopicPartition, start int64, p *part) {
	type sight struct {
		offset int64
		record RecordID
	}
	first := make(map[sight]int)
	for i := range x.h.Reads {
		r := &x.h.Reads[i]
		if r.TP != tp || r.Offset < start {
			continue
		}
		at, old := first[sight{r.Offset, r.Record}]
		if old && p.ops[at].Return <= int64(r.Step) {
			continue
		}
		op := porcupine.Operation{Call: 1, Return: int64(r.Step), Input: logOp{kind: opRead, offset: r.Offset, record: r.Record, step: r.Step, words: func() string {
			return r.Consumer + " read " + string(r.Record) + " " + atOffsets(r.Offset) + " " + inSteps(r.Step)
		}}}
		if old {
			p.ops[at] = op
			continue
		}
		first[sight{r.Offset, r.Record}] = len(p.ops)
		p.ops = append(p.ops, op)
	}
	for i := range x.h.EndOffsets {
		if e := &x.h.EndOffsets[i]; e.TP == tp && !e.FromFollower && e.Isolation == ReadUncommitted {
			p.ops = append(p.ops, interval(e.Call, e.Step, logOp{kind: opEndOffset, offset: max(e.Offset, start), step: e.Step, words: func() string {
				return e.Consumer + " was told " + inSteps(e.Step) + " that the log ends at " + strconv.FormatInt(e.Offset, 10)
			}}))
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
			v.Evidence = x.explainLog(tp, p, model)
			return v
		}
	}
	return v
}

// explainLog looks for the simplest contradiction in an illegal log: one that a person knows by name, or else the
// first that the line of operations shows.
func (x *index) explainLog(tp TopicPartition, p part, model porcupine.Model) Evidence {
	holder := x.finalHolders(tp)
	for _, find := range []func(TopicPartition, map[int64]Entry) (Evidence, bool){
		x.twoValues, x.lostFromLog, x.unexplainedEntry, x.staleEnd,
	} {
		if found, ok := find(tp, holder); ok {
			found.Partition = tp.String()
			return found
		}
	}
	ev := explainLogLine(model, p.ops)
	ev.Partition = tp.String()
	return ev
}

// explainLogLine tells what is wrong with an illegal line: an operation that has no place, or two in the wrong order of
// time.
func explainLogLine(model porcupine.Model, ops []porcupine.Operation) Evidence {
	wrong, over := fault(model, ops)
	op := ops[wrong].Input.(logOp)
	ev := Evidence{Offsets: []int64{op.offset}, Steps: decisive(op.step)}
	about := func(o logOp) {
		if o.record != "" {
			ev.Records = appendNew(ev.Records, o.record)
		}
	}
	offset := strconv.FormatInt(op.offset, 10)
	if over >= 0 {
		other := ops[over].Input.(logOp)
		about(other)
		about(op)
		ev.Offsets, ev.Steps = []int64{other.offset, op.offset}, decisive(other.step, op.step)
		switch op.kind {
		case opAppend:
			ev.Steps = decisive(other.step, int(ops[wrong].Call))
			ev.Sentence = other.words() + ", but " + string(op.record) + ", which lies before that " + atOffsets(op.offset) + ", was only sent " + inSteps(int(ops[wrong].Call)) + "."
			ev.Short = string(op.record) + " lies " + atOffsets(op.offset) + ", before what was there first"
		default:
			ev.Sentence = other.words() + ", but later " + op.words() + "."
			ev.Short = "offset " + offset + " comes before what was there first"
			if op.kind == opEndOffset {
				ev.Short = "end offset " + offset + " answered too late"
			}
		}
		return ev
	}
	end, holder := int64(0), logOp{} // where the line has come to, and what lies at the operation's offset
	for _, o := range ops[:wrong] {
		if before := o.Input.(logOp); before.kind.turn() == opAppend.turn() {
			end = before.next
			if before.offset == op.offset {
				holder = before
			}
		}
	}
	switch {
	case op.kind == opAppend && holder.words != nil:
		about(holder)
		about(op)
		ev.Steps = decisive(holder.step, op.step)
		ev.Sentence = holder.words() + ", and " + op.words() + ": one offset was given twice."
		ev.Short = "offset " + offset + " was given twice"
	case op.kind.turn() == opRead.turn() && holder.words != nil:
		about(holder)
		about(op)
		ev.Steps = decisive(holder.step, op.step)
		ev.Sentence = holder.words() + ", but " + op.words() + "."
		ev.Short = "offset " + offset + " does not hold what was appended there"
	default:
		about(op)
		ev.Offsets = append(ev.Offsets, end)
		ev.Sentence = op.words() + ", but nothing that was sent lies " + atOffsets(end) + "."
		ev.Short = "nothing lies " + atOffsets(end) + ", below offset " + offset
		if end == op.offset {
			ev.Offsets = ev.Offsets[:1]
			ev.Short = "nothing that was sent lies " + atOffsets(end)
		}
	}
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
	offsets, said := x.statements(tp)
	var known []grown
	for _, o := range offsets {
		known = append(known, grown{said[o][0].step, o + 1})
	}
	accumulate(known)
	for i := range x.h.EndOffsets {
		e := &x.h.EndOffsets[i]
		if e.TP != tp || e.FromFollower || e.Isolation != ReadUncommitted {
			continue
		}
		call := cmp.Or(e.Call, e.Step)
		if endBefore(known, call) <= e.Offset {
			continue
		}
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

// grown is the end that a log had come to in a step.
type grown struct {
	step int
	end  int64
}

// accumulate sorts ends by their steps, and lets each be that of all before it.
func accumulate(all []grown) {
	slices.SortFunc(all, func(a, b grown) int { return cmp.Or(a.step-b.step, cmp.Compare(a.end, b.end)) })
	for i := 1; i < len(all); i++ {
		all[i].end = max(all[i].end, all[i-1].end)
	}
}

// endBefore gives the end that a log had come to before a step.
func endBefore(all []grown, step int) int64 {
	n, _ := slices.BinarySearchFunc(all, step, func(g grown, step int) int { return g.step - step })
	if n == 0 {
		return 0
	}
	return all[n-1].end
}
