package checker

import (
	"cmp"
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
	words      string
}

// strand is a part of the claim: one offset of a partition, or one answer that must not go back.
type strand struct {
	tp    TopicPartition
	what  string
	cells []observed
}

// strands keeps strands in the order in which they first appear.
type strands struct {
	order []*strand
	byKey map[string]*strand
}

func (ss *strands) add(key string, tp TopicPartition, o observed) {
	s := ss.byKey[key]
	if s == nil {
		s = &strand{tp: tp, what: key}
		ss.byKey[key] = s
		ss.order = append(ss.order, s)
	}
	s.cells = append(s.cells, o)
}

// judgeMonotonicRead rules that what was once readable stays readable at the same offset with the same value, and that
// end offsets and committed offsets do not go back. At the log, readable means below the high watermark of a leader;
// at the application it means that somebody read it or was told.
func judgeMonotonicRead(x *index, l Level) Verdict {
	v := Verdict{Claim: MonotonicRead, Level: l, Ruling: Holds}
	ss := &strands{byKey: map[string]*strand{}}
	if l == AtLog {
		x.readableStrands(ss)
	} else {
		if len(x.h.Reads)+len(x.h.EndOffsets)+len(x.h.OffsetFetches) == 0 {
			return notObserved(v)
		}
		x.readStrands(ss)
		x.endStrands(ss)
		x.commitStrands(ss)
	}
	parts := make([]part, len(ss.order))
	for i, s := range ss.order {
		parts[i].name = s.what
		for _, o := range s.cells {
			parts[i].ops = append(parts[i].ops, interval(o.call, o.step, o.op))
		}
	}
	if bad := x.illegal(monotonicModel(), parts); len(bad) > 0 {
		v.Ruling = Violated
		v.Evidence = explainMonotonic(ss, bad)
	}
	return v
}

// readableStrands follows every entry that a leader's high watermark passed.
func (x *index) readableStrands(ss *strands) {
	for i := range x.h.Appends {
		a := &x.h.Appends[i]
		step := x.committed[entryKey{a.TP, a.Offset, a.Epoch}]
		if !a.AsLeader || step == 0 {
			continue
		}
		words := string(a.Record) + " " + atOffsets(a.Offset) + " of " + a.TP.String() + " became readable " + inSteps(step)
		ss.add(a.TP.String()+"@"+strconv.FormatInt(a.Offset, 10), a.TP,
			observed{monotonicOp{kind: opShow, record: a.Record, offset: a.Offset}, step, step, words})
	}
	x.endOfOffsets(ss)
}

// readStrands follows every offset that somebody read.
func (x *index) readStrands(ss *strands) {
	for i := range x.h.Reads {
		r := &x.h.Reads[i]
		words := r.Consumer + " read " + string(r.Record) + " " + atOffsets(r.Offset) + " of " + r.TP.String() + " " + inSteps(r.Step)
		ss.add(r.TP.String()+"@"+strconv.FormatInt(r.Offset, 10), r.TP,
			observed{monotonicOp{kind: opShow, record: r.Record, offset: r.Offset}, r.Call, r.Step, words})
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
		o := observed{monotonicOp{kind: opGone, offset: first.offset}, end, end, "at the end that offset is empty"}
		for _, e := range x.holders(s.tp)[first.offset] {
			o.op = monotonicOp{kind: opShow, record: e.Record, offset: e.Offset}
			o.words = "at the end that offset holds " + string(e.Record)
			if e.Control {
				o.op.kind, o.words = opGone, "at the end that offset holds a transaction marker"
			}
		}
		s.cells = append(s.cells, o)
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
		o := observed{monotonicOp{kind: opAnswer, offset: e.Offset}, e.Call, e.Step,
			e.Consumer + " was told " + inSteps(e.Step) + " that " + e.TP.String() + " ends at " + strconv.FormatInt(e.Offset, 10)}
		key := e.TP.String() + " end " + e.Isolation.String()
		if !e.FromFollower {
			ss.add(key, e.TP, o)
		}
		ss.add(key+" "+e.Consumer, e.TP, o)
	}
}

// commitStrands follows the committed offsets of each group and partition: commits and fetches in the order in which
// they were answered.
func (x *index) commitStrands(ss *strands) {
	key := func(group string, tp TopicPartition) string { return group + " " + tp.String() }
	for i := range x.h.OffsetCommits {
		c := &x.h.OffsetCommits[i]
		done := cmp.Or(c.Step, c.Applied)
		ss.add(key(c.Group, c.TP), c.TP, observed{monotonicOp{kind: opSet, offset: c.Offset}, c.Call, done,
			c.Consumer + " committed offset " + strconv.FormatInt(c.Offset, 10) + " of " + c.TP.String() + " " + inSteps(done)})
	}
	for i := range x.h.OffsetFetches {
		f := &x.h.OffsetFetches[i]
		words := f.Consumer + " was told " + inSteps(f.Step) + " that the committed offset is " + strconv.FormatInt(f.Offset, 10)
		if f.Offset < 0 {
			words = f.Consumer + " was told " + inSteps(f.Step) + " that there is no committed offset"
		}
		ss.add(key(f.Group, f.TP), f.TP, observed{monotonicOp{kind: opAnswer, offset: f.Offset}, f.Call, f.Step, words})
	}
}

// explainMonotonic names the first contradiction of the first strand, and all records that are affected.
func explainMonotonic(ss *strands, bad []int) Evidence {
	var ev Evidence
	for n, i := range bad {
		s := ss.order[i]
		a, b := contradiction(s)
		if a.op.record != "" {
			ev.Records = appendNew(ev.Records, a.op.record)
		}
		if n > 0 {
			continue
		}
		ev.Partition = s.tp.String()
		ev.Offsets = []int64{a.op.offset}
		ev.Steps = decisive(a.step, b.step)
		ev.Sentence = a.words + ", but " + b.words + "."
		switch b.op.kind {
		case opShow:
			ev.JepsenWord = InconsistentOffsets
			ev.Records = appendNew(ev.Records, b.op.record)
			ev.Short = "offset " + strconv.FormatInt(a.op.offset, 10) + " held " + string(a.op.record) + ", then " + string(b.op.record)
		case opGone:
			ev.JepsenWord = LostWrite
			ev.Short = "offset " + strconv.FormatInt(a.op.offset, 10) + " was readable, then gone"
		default:
			ev.Offsets = []int64{a.op.offset, b.op.offset}
			ev.Short = strconv.FormatInt(a.op.offset, 10) + " answered, then " + strconv.FormatInt(b.op.offset, 10)
		}
	}
	return ev
}

// contradiction finds the first observation that an earlier one forbids, and that earlier one.
func contradiction(s *strand) (before, after observed) {
	cells := inOrder(s.cells)
	for i, b := range cells {
		for j := i - 1; j >= 0; j-- {
			a := cells[j]
			switch {
			case b.op.kind == opShow && a.op.kind == opShow && a.op.record != b.op.record,
				b.op.kind == opGone && a.op.kind == opShow,
				b.op.kind == opAnswer && a.op.offset > b.op.offset && a.step <= max(b.call, 1):
				return a, b
			}
			if b.op.kind == opAnswer && a.op.kind == opSet {
				break // an older answer counts no more
			}
		}
	}
	return cells[0], cells[len(cells)-1]
}
