package checker

import (
	"cmp"
	"fmt"
	"slices"
)

// bruteAppend is an operation on a partition as a list.
type bruteAppend struct {
	what     string // append, marker, read, end
	from, to int
	offsets  []int64 // where it may be, or what it tells
	record   RecordID
	sub      SubmissionID
	free     bool // it may be left out: nobody saw it
}

// bruteLinearizable: the operations on each partition have an order in which each answers as a list does that only grows.
func bruteLinearizable(h *History) Ruling {
	broken := false
	for _, l := range h.Logs {
		ops, lost := bruteLogOps(h, l.TP)
		s := bruteList{h: h, ops: ops, end: bruteLog(h, l.TP), failed: map[string]bool{}}
		broken = broken || lost || !s.fits(make([]bool, len(ops)), nil)
	}
	return bruteRest(h, broken)
}

// bruteLogOps lists the operations on a partition. lost: an acknowledged record that is nowhere.
func bruteLogOps(h *History, tp TopicPartition) (ops []bruteAppend, lost bool) {
	log := bruteLog(h, tp)
	for _, s := range h.Submissions {
		if s.TP != tp || s.Outcome.Kind == FailedForCertain {
			continue
		}
		o := bruteAppend{what: "append", from: s.SendStep, to: bruteEver, record: s.Record, sub: s.ID}
		for _, e := range log {
			if e.Submission == s.ID {
				o.offsets = append(o.offsets, e.Offset)
			}
		}
		if len(o.offsets) == 0 { // somebody read it, and it is not in the log any more
			for _, r := range h.Reads {
				if by := bruteSent(h, r.TP, r.Offset, r.Record); r.TP == tp && by != nil && by.ID == s.ID {
					o.offsets = append(o.offsets, r.Offset)
				}
			}
		}
		o.free = len(o.offsets) == 0
		if o.free {
			for _, a := range h.Appends {
				if a.AsLeader && a.Submission == s.ID {
					o.offsets = append(o.offsets, a.Offset)
				}
			}
		}
		if s.Outcome.Kind == Acked {
			if s.Outcome.Offset >= 0 {
				o.offsets, o.free = []int64{s.Outcome.Offset}, false
			} else if len(o.offsets) == 0 && h.Quiescence.Reached {
				lost = true
			}
			o.free = o.free && !h.Quiescence.Reached
			o.to = s.Outcome.Step
			for i := range h.Appends {
				if a := &h.Appends[i]; a.AsLeader && a.Submission == s.ID && slices.Contains(o.offsets, a.Offset) {
					o.to = max(o.to, bruteCommitted(h, a))
				}
			}
		}
		ops = append(ops, o)
	}
	for _, e := range log {
		if e.Control {
			ops = append(ops, bruteAppend{what: "marker", from: e.Step, to: bruteEver, offsets: []int64{e.Offset}})
		}
	}
	for _, r := range h.Reads {
		if r.TP == tp {
			o := bruteAppend{what: "read", to: r.Step, offsets: []int64{r.Offset}, record: r.Record}
			if !slices.ContainsFunc(ops, func(b bruteAppend) bool { // the log only grows: once read in time, it is there later
				return b.what == "read" && b.record == o.record && b.offsets[0] == r.Offset && b.to <= o.to
			}) {
				ops = append(ops, o)
			}
		}
	}
	for _, e := range h.EndOffsets {
		if e.TP == tp && !e.FromFollower && e.Isolation == ReadUncommitted {
			ops = append(ops, bruteAppend{what: "end", from: cmp.Or(e.Call, e.Step), to: e.Step, offsets: []int64{e.Offset}})
		}
	}
	return ops, lost
}

// bruteList looks for an order, and remembers what has failed.
type bruteList struct {
	h      *History
	ops    []bruteAppend
	end    []Entry
	failed map[string]bool
}

// bruteHeld is what an offset of the list holds.
type bruteHeld struct {
	record RecordID
	sub    SubmissionID
}

func (s *bruteList) fits(done []bool, list []bruteHeld) bool {
	key := fmt.Sprint(done, list)
	if s.failed[key] {
		return false
	}
	if s.over(done, list) || s.next(done, list) {
		return true
	}
	s.failed[key] = true
	return false
}

// over says that nothing is left that must come, and that the list is what the log holds at the end.
func (s *bruteList) over(done []bool, list []bruteHeld) bool {
	for i, o := range s.ops {
		if !done[i] && !o.free {
			return false
		}
	}
	if !s.h.Quiescence.Reached {
		return true
	}
	return slices.EqualFunc(s.end, list, func(e Entry, b bruteHeld) bool { return e.Record == b.record && e.Submission == b.sub })
}

func (s *bruteList) next(done []bool, list []bruteHeld) bool {
	at := int64(len(list))
	for i, o := range s.ops {
		first := !done[i]
		for k, other := range s.ops {
			first = first && (done[k] && other.from <= o.to || !done[k] && (k == i || other.free || other.to >= o.from))
		}
		if !first {
			continue
		}
		grown := list
		switch o.what {
		case "append", "marker":
			if !slices.Contains(o.offsets, at) {
				continue
			}
			grown = append(slices.Clone(list), bruteHeld{o.record, o.sub})
		case "read":
			if o.offsets[0] >= at || list[o.offsets[0]].record != o.record {
				continue
			}
		case "end":
			if o.offsets[0] != at {
				continue
			}
		}
		done[i] = true
		if s.fits(done, grown) {
			return true
		}
		done[i] = false
	}
	// Of a run that was cut off the log above the high watermark is not known: something of which nobody knows may lie there.
	claimed, more := false, false
	for i, o := range s.ops {
		if o.what == "append" || o.what == "marker" {
			claimed = claimed || !o.free && slices.Contains(o.offsets, at)
		}
		more = more || !done[i] && !o.free && slices.ContainsFunc(o.offsets, func(offset int64) bool { return offset > at })
	}
	if s.h.Quiescence.Reached || at < int64(len(s.end)) || claimed || !more {
		return false
	}
	return s.fits(done, append(slices.Clone(list), bruteHeld{}))
}
