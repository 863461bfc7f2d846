package checker

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/anishathalye/porcupine"
)

type monotonicKind uint8

const (
	opShow   monotonicKind = iota // an offset is seen to hold a record
	opGone                        // at the end the offset is not there, or holds no record
	opAnswer                      // an end offset or a committed offset is answered
	opSet                         // a committed offset is set by a commit
)

// monotonicOp is one observation of one offset, or of one offset that only ever goes forward.
type monotonicOp struct {
	kind   monotonicKind
	record RecordID
	offset int64
}

// monotonicState remembers what was seen: the record at an offset, or the largest answer.
type monotonicState struct {
	record RecordID
	shown  bool
	offset int64
}

// monotonicModel lets an offset hold only the record that was first seen there, and answers only grow. A commit may
// set a committed offset back on purpose; an answer may not fall behind the last commit.
func monotonicModel() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return monotonicState{offset: -1} },
		Step: func(state, input, _ any) (bool, any) {
			st, op := state.(monotonicState), input.(monotonicOp)
			switch op.kind {
			case opShow:
				ok := !st.shown || st.record == op.record
				return ok, monotonicState{record: op.record, shown: true}
			case opGone:
				return !st.shown, st
			case opSet:
				return true, monotonicState{offset: op.offset}
			default:
				return op.offset >= st.offset, monotonicState{offset: max(st.offset, op.offset)}
			}
		},
	}
}

// observed is one observation with the words for it.
type observed struct {
	op         monotonicOp
	call, step int
	words      func() string
}

// strand is a part of the claim: one offset of a partition, or one answer that must not go back.
type strand struct {
	tp    TopicPartition
	cells []observed
}

// strandKey tells strands apart: an offset of a partition, or the answers about a partition that somebody must not see go
// back: everybody, one client, a group.
type strandKey struct {
	tp     TopicPartition
	offset int64 // -1: of answers
	whose  string
}

// strands keeps strands in the order in which they first appear.
type strands struct {
	order []*strand
	byKey map[strandKey]*strand
}

// add adds an observation to its strand. Sights of one record at one offset say the same, and only the first is kept.
func (ss *strands) add(key strandKey, o observed) {
	s := ss.byKey[key]
	if s == nil {
		s = &strand{tp: key.tp}
		ss.byKey[key] = s
		ss.order = append(ss.order, s)
	}
	if o.call == 0 {
		o.call = o.step
	}
	if o.op.kind == opShow {
		same := func(c observed) bool { return c.op == o.op }
		if i := slices.IndexFunc(s.cells, same); i >= 0 {
			if o.step < s.cells[i].step {
				s.cells[i] = o
			}
			return
		}
		if len(s.cells) == 2 {
			return // two records are a contradiction already
		}
	}
	s.cells = append(s.cells, o)
}

// line puts the observations of a strand into the one order that can be legal.
//
// Sights of an offset commute: all orders are legal, or none. Answers that nothing sets back come by size, and those of
// one size, which do not mind each other, in the order of their calls. How answers come between commits, see between.
func (s *strand) line() part {
	if slices.ContainsFunc(s.cells, func(o observed) bool { return o.op.kind == opSet }) {
		s.cells = between(s.cells)
	} else {
		slices.SortStableFunc(s.cells, func(a, b observed) int {
			if a.op.kind == opAnswer {
				return cmp.Or(cmp.Compare(a.op.offset, b.op.offset), a.call-b.call)
			}
			return a.step - b.step
		})
	}
	p := part{name: s.tp.String(), line: true}
	for _, o := range s.cells {
		p.ops = append(p.ops, interval(o.call, o.step, o.op))
	}
	return p
}

// between puts answers between the commits that set what they answer. The commits have their order, that in which the
// coordinator wrote them; what is to be found is after which of them each answer was made.
//
// Each comes as early as it may: after the commits that were over when it was asked for; no earlier than any answer that
// was over by then, and with a commit between the two if that one was larger; and where the last commit is no larger than
// itself. If any order is legal, no answer comes earlier in it than here, for all three only bound it from below and the
// bounds grow with those of the answers before; so this order, in which answers between the same two commits come by
// size, is legal as well. An answer for which there is no place before its end goes to where that is, and has the line
// refused.
func between(cells []observed) []observed {
	var sets, answers []observed
	for _, o := range cells {
		if o.op.kind == opSet {
			sets = append(sets, o)
		} else {
			answers = append(answers, o)
		}
	}
	slices.SortStableFunc(sets, func(a, b observed) int { return a.step - b.step })
	slices.SortStableFunc(answers, func(a, b observed) int { return a.call - b.call })
	before := func(step int) int { // how many commits there were before a step
		n, _ := slices.BinarySearchFunc(sets, step, func(s observed, at int) int { return s.step - at })
		return n
	}
	last := newLowest(sets)
	slot := make([]int, len(answers)) // after how many commits each answer comes
	over := make([]int, len(answers)) // answers by the step in which they were over
	for i := range over {
		over[i] = i
	}
	slices.SortStableFunc(over, func(i, j int) int { return answers[i].step - answers[j].step })
	latest, largest, done := 0, int64(-1), 0 // the last slot of those that are over, and the largest answer in it
	for i, o := range answers {
		for ; done < len(over) && answers[over[done]].step < o.call; done++ {
			switch a := over[done]; {
			case slot[a] > latest:
				latest, largest = slot[a], answers[a].op.offset
			case slot[a] == latest:
				largest = max(largest, answers[a].op.offset)
			}
		}
		from, to := max(before(o.call), latest), before(o.step+1)
		if from == latest && largest > o.op.offset {
			from++
		}
		slot[i] = min(last.from(from, o.op.offset), to)
	}
	order := make([]int, len(answers))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(slot[i]-slot[j], cmp.Compare(answers[i].op.offset, answers[j].op.offset), i-j)
	})
	out := make([]observed, 0, len(cells))
	for k := 0; k <= len(sets); k++ {
		for ; len(order) > 0 && slot[order[0]] == k; order = order[1:] {
			out = append(out, answers[order[0]])
		}
		if k < len(sets) {
			out = append(out, sets[k])
		}
	}
	return out
}

// lowest finds the first of several commits that is no larger than an answer: a tree over what each has set, in whose
// inner nodes is the lowest below. Its first leaf stands for no commit, when the answer is -1.
type lowest []int64

func newLowest(sets []observed) lowest {
	n := 1
	for n < len(sets)+1 {
		n *= 2
	}
	t := make(lowest, 2*n)
	for i := range n {
		switch {
		case i == 0:
			t[n] = -1
		case i <= len(sets):
			t[n+i] = sets[i-1].op.offset
		default:
			t[n+i] = math.MaxInt64
		}
	}
	for i := n - 1; i > 0; i-- {
		t[i] = min(t[2*i], t[2*i+1])
	}
	return t
}

// from gives the first place from a given one on whose commit is at most an offset, or a place beyond the last.
func (t lowest) from(place int, offset int64) int {
	n := len(t) / 2
	if place >= n {
		return n
	}
	at := place + n
	for t[at] > offset {
		for at&1 == 1 { // up from a right child, and over to the next
			at /= 2
		}
		if at == 0 {
			return n
		}
		at++
	}
	for at < n {
		at *= 2
		if t[at] > offset {
			at++
		}
	}
	return at - n
}

// judgeMonotonicRead rules that what was once readable stays readable at the same offset with the same value, and that
// end offsets and committed offsets do not go back. At the log, readable means below the high watermark of a leader;
// at the application it means that somebody read it or was told.
func judgeMonotonicRead(x *index, l Level) Verdict {
	v := Verdict{Claim: MonotonicRead, Level: l, Ruling: Holds}
	ss := &strands{byKey: map[strandKey]*strand{}}
	if l == AtLog {
		x.readableStrands(ss)
	} else {
		if len(x.h.Reads)+len(x.h.EndOffsets) == 0 && !x.positionsTold() {
			return notObserved(v)
		}
		x.readStrands(ss)
		x.endStrands(ss)
		x.commitStrands(ss)
	}
	parts := make([]part, len(ss.order))
	for i, s := range ss.order {
		parts[i] = s.line()
	}
	if bad := x.illegal(monotonicModel(), parts); len(bad) > 0 {
		v.Ruling = Violated
		v.Evidence = explainMonotonic(ss, parts, bad)
	}
	return v
}

// positionsTold says that somebody was told a committed position, or should have been: that there is none tells nothing of
// a group that never committed one.
func (x *index) positionsTold() bool {
	committed := len(x.h.OffsetCommits) > 0 || slices.ContainsFunc(x.h.Txns, func(t Txn) bool {
		return slices.ContainsFunc(t.Offsets, func(o TxnOffset) bool { return o.Applied })
	})
	told := func(f OffsetFetch) bool { return f.Offset >= 0 || committed }
	return slices.ContainsFunc(x.h.OffsetFetches, told)
}

// readableStrands follows every entry that a leader's high watermark passed.
func (x *index) readableStrands(ss *strands) {
	for i := range x.h.Appends {
		a := &x.h.Appends[i]
		step := x.committed[entryKey{a.TP, a.Offset, a.Epoch}]
		if !a.AsLeader || step == 0 {
			continue
		}
		ss.add(strandKey{tp: a.TP, offset: a.Offset}, observed{monotonicOp{kind: opShow, record: a.Record, offset: a.Offset}, step, step, func() string {
			return string(a.Record) + " " + atOffsets(a.Offset) + " of " + a.TP.String() + " became readable " + inSteps(step)
		}})
	}
	x.endOfOffsets(ss)
}

// readStrands follows every offset that somebody read.
func (x *index) readStrands(ss *strands) {
	for i := range x.h.Reads {
		r := &x.h.Reads[i]
		ss.add(strandKey{tp: r.TP, offset: r.Offset}, observed{monotonicOp{kind: opShow, record: r.Record, offset: r.Offset}, r.Call, r.Step, func() string {
			return r.Consumer + " read " + string(r.Record) + " " + atOffsets(r.Offset) + " of " + r.TP.String() + " " + inSteps(r.Step)
		}})
	}
	x.endOfOffsets(ss)
}

// endOfOffsets adds to each offset what the final log holds there. What the topic's policy removed counts as there.
func (x *index) endOfOffsets(ss *strands) {
	end := x.h.End + 1
	for _, s := range ss.order {
		l := x.logs[s.tp]
		first := s.cells[0].op
		if l == nil || !x.h.Quiescence.Reached || first.offset < x.unknownStart(l, x.wholeLog(l)) {
			continue
		}
		o := observed{monotonicOp{kind: opGone, offset: first.offset}, end, end, func() string { return "at the end that offset is empty" }}
		for _, e := range x.holders(s.tp)[first.offset] {
			o.op = monotonicOp{kind: opShow, record: e.Record, offset: e.Offset}
			o.words = func() string { return "at the end that offset holds " + string(e.Record) }
			if e.Control {
				o.op.kind, o.words = opGone, func() string { return "at the end that offset holds a transaction marker" }
			}
		}
		if o.op != first {
			s.cells = append(s.cells, o)
		}
	}
}

// holders gives the final log's entries by offset, made once per partition.
func (x *index) holders(tp TopicPartition) map[int64][]Entry {
	if x.held == nil {
		x.held = make(map[TopicPartition]map[int64][]Entry)
	}
	if x.held[tp] == nil {
		x.held[tp] = make(map[int64][]Entry)
		for _, e := range x.wholeLog(x.logs[tp]) {
			x.held[tp][e.Offset] = append(x.held[tp][e.Offset], e)
		}
	}
	return x.held[tp]
}

// endStrands follows end offsets: what leaders answer, over all clients; and what each client is told, by whomever.
func (x *index) endStrands(ss *strands) {
	for i := range x.h.EndOffsets {
		e := &x.h.EndOffsets[i]
		o := observed{monotonicOp{kind: opAnswer, offset: e.Offset}, e.Call, e.Step, func() string {
			return e.Consumer + " was told " + inSteps(e.Step) + " that " + e.TP.String() + " ends at " + strconv.FormatInt(e.Offset, 10)
		}}
		key := strandKey{e.TP, -1, "end " + e.Isolation.String()}
		if !e.FromFollower {
			ss.add(key, o)
		}
		key.whose += " " + e.Consumer
		ss.add(key, o)
	}
}

// commitStrands follows the committed offsets of each group and partition. A commit takes place when the coordinator
// writes it, and is taken to do so with its answer if that is not known; one in a transaction, when the transaction is
// committed. A look-up may be answered late: it takes place at any time since it was asked for.
func (x *index) commitStrands(ss *strands) {
	set := func(group, who string, tp TopicPartition, offset int64, step int) {
		ss.add(strandKey{tp, -1, "group " + group}, observed{monotonicOp{kind: opSet, offset: offset}, step, step, func() string {
			return who + " committed offset " + strconv.FormatInt(offset, 10) + " of " + tp.String() + " " + inSteps(step)
		}})
	}
	for i := range x.h.OffsetCommits {
		c := &x.h.OffsetCommits[i]
		set(c.Group, c.Consumer, c.TP, c.Offset, cmp.Or(c.Applied, c.Written, c.Step))
	}
	for i := range x.h.Txns {
		for _, o := range x.h.Txns[i].Offsets {
			if at := cmp.Or(o.Effective, x.h.Txns[i].DecidedStep); o.Applied && at > 0 {
				set(o.Group, cmp.Or(o.Consumer, x.h.Txns[i].Producer), o.TP, o.Offset, at)
			}
		}
	}
	for i := range x.h.OffsetFetches {
		f := &x.h.OffsetFetches[i]
		ss.add(strandKey{f.TP, -1, "group " + f.Group}, observed{monotonicOp{kind: opAnswer, offset: f.Offset}, f.Call, f.Step, func() string {
			if f.Offset < 0 {
				return f.Consumer + " was told " + inSteps(f.Step) + " that there is no committed offset"
			}
			return f.Consumer + " was told " + inSteps(f.Step) + " that the committed offset is " + strconv.FormatInt(f.Offset, 10)
		}})
	}
}

// explainMonotonic names the first contradiction of the first strand, and all records that are affected.
func explainMonotonic(ss *strands, parts []part, bad []int) Evidence {
	var ev Evidence
	var records distinct[RecordID]
	for n, i := range bad {
		s := ss.order[i]
		a, b := contradiction(s.cells, parts[i].ops)
		if a.op.record != "" {
			records.add(a.op.record)
		}
		if n > 0 {
			continue
		}
		ev.Partition = s.tp.String()
		ev.Offsets = []int64{a.op.offset}
		ev.Steps = decisive(a.step, b.step)
		ev.Sentence = a.words() + ", but " + b.words() + "."
		switch b.op.kind {
		case opShow:
			ev.JepsenWord = InconsistentOffsets
			records.add(b.op.record)
			ev.Short = "offset " + strconv.FormatInt(a.op.offset, 10) + " held " + string(a.op.record) + ", then " + string(b.op.record)
		case opGone:
			ev.JepsenWord = LostWrite
			ev.Short = "offset " + strconv.FormatInt(a.op.offset, 10) + " was readable, then gone"
		default:
			ev.Offsets = []int64{a.op.offset, b.op.offset}
			ev.Short = strconv.FormatInt(a.op.offset, 10) + " answered, then " + strconv.FormatInt(b.op.offset, 10)
		}
	}
	ev.Records = records.list
	return ev
}

// contradiction finds an observation that another one, from before, forbids.
func contradiction(cells []observed, ops []porcupine.Operation) (before, after observed) {
	wrong, over := fault(monotonicModel(), ops)
	if over >= 0 {
		return cells[over], cells[wrong]
	}
	after = cells[wrong]
	for _, c := range slices.Backward(cells[:wrong]) {
		if after.op.kind != opAnswer || c.op.offset > after.op.offset {
			return c, after
		}
	}
	return cells[0], after
}
