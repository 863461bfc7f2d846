package checker

import (
	"cmp"
	"slices"
)

// The second judge's word on the other claims, each from its section in docs/claims.md.

// bruteRest says what a claim comes to that is about the whole run: a breach, else nothing is known of what would have come.
func bruteRest(h *History, broken bool) Ruling {
	switch {
	case broken:
		return Violated
	case !h.Quiescence.Reached:
		return Undecided
	}
	return Holds
}

// bruteMoves says that a record may still take effect after the end.
func bruteMoves(h *History, r RecordID) bool {
	if h.Quiescence.Reached {
		return false
	}
	for _, m := range h.Quiescence.Moving {
		if len(m.Records) == 0 || slices.Contains(m.Records, r) {
			return true
		}
	}
	return len(h.Quiescence.Moving) == 0
}

// bruteAnswer is what became of a submission, its transaction considered.
func bruteAnswer(h *History, s *Submission) (OutcomeKind, int) {
	t := bruteTxn(h, s.Txn)
	switch {
	case t == nil || s.Outcome.Kind == FailedForCertain:
		return s.Outcome.Kind, s.Outcome.Step
	case t.Outcome == TxnCommitted:
		return Acked, t.OutcomeStep
	case bruteBarred(h, t):
		return FailedForCertain, t.OutcomeStep
	}
	return Unknown, 0
}

// bruteBarred says that nothing of a transaction may ever be seen.
func bruteBarred(h *History, t *Txn) bool {
	if t.Outcome == TxnAborted {
		return true
	}
	mayAsk := !h.Quiescence.Reached && t.Outcome == TxnOpen && t.AbortAsked == 0 && t.Abandoned == 0
	return t.CommitAsked == 0 && !mayAsk
}

// bruteLog is a partition's log at the end with what was removed of it, by offset.
func bruteLog(h *History, tp TopicPartition) (all []Entry) {
	for _, l := range h.Logs {
		if l.TP == tp {
			all = append(all, l.Entries...)
			for _, e := range l.Expired {
				all = append(all, e.Entry)
			}
		}
	}
	slices.SortFunc(all, func(a, b Entry) int { return int(a.Offset - b.Offset) })
	return all
}

// bruteSent is the submission that somebody saw at a place: the first that was appended there, else the first of the record.
func bruteSent(h *History, tp TopicPartition, offset int64, r RecordID) *Submission {
	var first *Submission
	for i := range h.Submissions {
		s := &h.Submissions[i]
		if s.TP != tp || s.Record != r {
			continue
		}
		for _, a := range h.Appends {
			if a.Submission == s.ID && a.TP == tp && a.Offset == offset {
				return s
			}
		}
		if first == nil {
			first = s
		}
	}
	return first
}

// bruteCommitted is the step in which a high watermark passed what was appended, 0 if none did: on whatever broker, as long as its
// log held it.
func bruteCommitted(h *History, a *Append) int {
	step := 0
	for _, b := range h.Appends {
		if b.TP != a.TP || b.Offset != a.Offset || b.Epoch != a.Epoch {
			continue
		}
		for _, c := range h.Commits {
			if c.TP != b.TP || c.Broker != b.Broker || c.HighWatermark <= b.Offset || c.Step < b.Step {
				continue
			}
			cut := slices.ContainsFunc(h.Cuts, func(k Cut) bool {
				return k.TP == b.TP && k.Broker == b.Broker && k.From <= b.Offset && b.Offset < k.To && b.Step < k.Step && k.Step <= c.Step
			})
			if !cut && (step == 0 || c.Step < step) {
				step = c.Step
			}
		}
	}
	return step
}

// bruteHappened says that an effect is one: outside a transaction, or in one that was decided to be committed.
func bruteHappened(h *History, e *Effect) bool {
	t := bruteTxn(h, e.Txn)
	return t == nil || t.Decided == TxnCommitted
}

// bruteOrdered: the first effects of a producer's submissions to a partition come in the order of the calls; and nobody of an
// older generation repeats what a newer owner has gone beyond.
func bruteOrdered(h *History, level Level) Ruling {
	type effect struct {
		whose      string
		sent       int
		generation int
	}
	var all []effect
	note := func(place string, s *Submission, generation int) {
		if s == nil {
			return
		}
		sent := slices.IndexFunc(h.Submissions, func(o Submission) bool { return o.ID == s.ID })
		all = append(all, effect{place + " " + s.Producer, sent, generation})
	}
	if level == AtLog {
		for _, l := range h.Logs {
			for _, e := range bruteLog(h, l.TP) {
				if !e.Control && (e.Fate == Plain || e.Fate == MarkedCommitted) {
					if i := slices.IndexFunc(h.Submissions, func(o Submission) bool { return o.ID == e.Submission }); i >= 0 {
						note(l.TP.String(), &h.Submissions[i], 0)
					}
				}
			}
		}
	} else {
		for i := range h.Effects {
			if e := &h.Effects[i]; bruteHappened(h, e) {
				note(e.Application+" "+e.TP.String(), bruteSent(h, e.TP, e.Offset, e.Record), e.Generation)
			}
		}
	}
	broken := false
	for i, e := range all {
		again, overtaken, overwritten := false, false, false
		for _, b := range all[:i] {
			if b.whose == e.whose {
				again = again || b.sent == e.sent
				overtaken = overtaken || b.sent > e.sent
				overwritten = overwritten || b.sent > e.sent && b.generation > e.generation
			}
		}
		broken = broken || overtaken && !again || overwritten && again
	}
	return bruteRest(h, broken)
}

// bruteAborted: nothing of a transaction is seen that is barred, that was undone, or, in read_committed, before its commit was
// asked for.
func bruteAborted(h *History, level Level) Ruling {
	broken := false
	for _, l := range h.Logs {
		for _, e := range bruteLog(h, l.TP) {
			if t := bruteTxn(h, bruteTxnOf(h, e.Submission)); level == AtLog && t != nil && e.Fate == MarkedCommitted {
				broken = broken || bruteBarred(h, t) || t.CommitAsked == 0
			}
		}
	}
	for _, r := range h.Reads {
		s := bruteSent(h, r.TP, r.Offset, r.Record)
		if level == AtLog || s == nil || bruteTxn(h, s.Txn) == nil {
			continue
		}
		t := bruteTxn(h, s.Txn)
		broken = broken || bruteBarred(h, t) || r.Isolation == ReadCommitted && (t.CommitAsked == 0 || r.Step < t.CommitAsked)
		for _, e := range bruteLog(h, r.TP) {
			broken = broken || e.Offset == r.Offset && e.Submission == s.ID && e.Fate == MarkedAborted
		}
	}
	return bruteRest(h, broken)
}

// bruteSends: every send was acknowledged, or a later one of its record, by the end or by when its time was up.
func bruteSends(h *History) Ruling {
	out := bruteRest(h, false)
	for i := range h.Submissions {
		s := &h.Submissions[i]
		t := bruteTxn(h, s.Txn)
		kind, _ := bruteAnswer(h, s)
		if kind == Acked || t != nil && t.AbortAsked > 0 && s.Outcome.Kind != FailedForCertain {
			continue
		}
		done, loop := false, false
		for k := range h.Submissions {
			if o := &h.Submissions[k]; o.Record == s.Record {
				loop = loop || o.From != ""
			}
		}
		for k := range h.Submissions {
			if o := &h.Submissions[k]; o.Record == s.Record && (k > i || loop && k != i) {
				other, _ := bruteAnswer(h, o)
				done = done || other == Acked
			}
		}
		may := s.Outcome.Kind == Unknown && s.Outcome.Step == 0 || t != nil && t.OutcomeStep == 0 || loop
		if !done && (!may || !bruteMoves(h, s.Record) || h.Quiescence.TimeUp) {
			return Violated
		}
	}
	return out
}

// bruteHanded: every copy that is in effect in a log at the end was handed to everybody who reads its topic.
func bruteHanded(h *History) Ruling {
	for _, app := range h.Applications {
		for _, l := range h.Logs {
			for _, e := range l.Entries {
				if e.Control || e.Fate != Plain && e.Fate != MarkedCommitted || !slices.Contains(app.Topics, l.TP.Topic) {
					continue
				}
				handed := slices.ContainsFunc(h.Reads, func(r Read) bool {
					return r.Application == app.Name && r.TP == l.TP && r.Offset == e.Offset && r.Record == e.Record
				}) || slices.ContainsFunc(h.Effects, func(f Effect) bool {
					return f.Application == app.Name && f.TP == l.TP && f.Offset == e.Offset && f.Record == e.Record && bruteHappened(h, &f)
				})
				if !handed && (!bruteMoves(h, e.Record) || h.Quiescence.TimeUp) {
					return Violated
				}
			}
		}
	}
	return bruteRest(h, false)
}

// bruteGrows says that answers can be put in an order in which they only grow, but for where something sets them back.
func bruteGrows(ops []bruteOp) bool {
	return anyOrder(ops, func(so []bruteOp) bool {
		floor, set := int64(-1), -1
		for _, o := range so {
			switch {
			case o.what == "set" && o.turn < set || o.what == "answer" && o.n < floor:
				return false
			case o.what == "set":
				set = o.turn
			}
			floor = o.n
		}
		return true
	})
}

// bruteMonotonic: what was readable at an offset stays there; ends do not go back, nor do positions of a group but by a commit.
func bruteMonotonic(h *History, level Level) Ruling {
	type place struct {
		tp     TopicPartition
		offset int64
	}
	type asked struct { // an end is told by a level to somebody, or to anybody; a position to a group
		what, who string
		tp        TopicPartition
		level     Isolation
	}
	shown := map[place][]RecordID{}
	answers := map[asked][]bruteOp{}
	if level == AtLog {
		for i := range h.Appends {
			if a := &h.Appends[i]; a.AsLeader && bruteCommitted(h, a) > 0 {
				shown[place{a.TP, a.Offset}] = append(shown[place{a.TP, a.Offset}], a.Record)
			}
		}
	} else {
		for _, r := range h.Reads {
			shown[place{r.TP, r.Offset}] = append(shown[place{r.TP, r.Offset}], r.Record)
		}
		for _, e := range h.EndOffsets {
			o := bruteOp{what: "answer", from: cmp.Or(e.Call, e.Step), to: e.Step, n: e.Offset}
			own, all := asked{"end", e.Consumer, e.TP, e.Isolation}, asked{"end", "", e.TP, e.Isolation}
			answers[own] = append(answers[own], o)
			if !e.FromFollower {
				answers[all] = append(answers[all], o)
			}
		}
		for _, c := range h.OffsetCommits {
			at, key := cmp.Or(c.Applied, c.Written, c.Step), asked{what: "group", who: c.Group, tp: c.TP}
			answers[key] = append(answers[key], bruteOp{what: "set", from: at, to: at, n: c.Offset, turn: len(answers[key])})
		}
		for _, t := range h.Txns {
			for _, c := range t.Offsets {
				at, key := cmp.Or(c.Effective, t.DecidedStep), asked{what: "group", who: c.Group, tp: c.TP}
				if c.Applied && at > 0 {
					answers[key] = append(answers[key], bruteOp{what: "set", from: at, to: at, n: c.Offset, turn: len(answers[key])})
				}
			}
		}
		for key := range answers { // the commits of a group come by their steps, those of one step as they are listed
			sets := slices.Clone(answers[key])
			slices.SortStableFunc(sets, func(a, b bruteOp) int { return a.from - b.from })
			for i := range answers[key] {
				answers[key][i].turn = slices.Index(sets, answers[key][i])
			}
		}
		for _, f := range h.OffsetFetches {
			key := asked{what: "group", who: f.Group, tp: f.TP}
			answers[key] = append(answers[key], bruteOp{what: "answer", from: cmp.Or(f.Call, f.Step), to: f.Step, n: f.Offset})
		}
	}
	broken := false
	for at, records := range shown {
		if h.Quiescence.Reached {
			end := RecordID("nothing")
			for _, e := range bruteLog(h, at.tp) {
				if e.Offset == at.offset {
					end = e.Record
				}
			}
			records = append(records, end)
		}
		broken = broken || slices.ContainsFunc(records, func(r RecordID) bool { return r != records[0] })
	}
	for _, ops := range answers {
		broken = broken || !bruteGrows(ops)
	}
	return bruteRest(h, broken)
}

// bruteRecent: every acknowledged send is a cell that is written once, for readers at each isolation level.
func bruteRecent(h *History) Ruling {
	broken := false
	for i := range h.Submissions {
		s := &h.Submissions[i]
		kind, told := bruteAnswer(h, s)
		if kind != Acked {
			continue
		}
		at, nowhere := s.Outcome.Offset, false
		if at < 0 {
			end := int64(0)
			for _, a := range h.Appends {
				if at < 0 && a.AsLeader && a.Submission == s.ID {
					at = a.Offset
				}
				if a.AsLeader && a.TP == s.TP && a.Step <= s.Outcome.Step {
					end = max(end, a.Offset+1)
				}
			}
			if at < 0 { // it would have come there or later
				at, nowhere = end, true
			}
		}
		until := bruteEver
		for _, l := range h.Logs {
			for _, e := range l.Expired {
				if l.TP == s.TP && e.Offset == at {
					until = e.Step
				}
			}
		}
		for _, level := range []Isolation{ReadUncommitted, ReadCommitted} {
			ops := []bruteOp{{what: "write", from: s.SendStep, to: told}}
			look := func(what string, call, step int) {
				ops = append(ops, bruteOp{what: what, from: cmp.Or(call, step), to: step})
			}
			for _, r := range h.Reads {
				switch {
				case r.TP != s.TP || r.Offset != at:
				case r.Record == s.Record && r.Isolation >= level && r.Step >= s.SendStep: // what was read before is another send's
					look("sight", r.Call, r.Step)
				case r.Record != s.Record && r.Isolation == level && r.Step < until && !nowhere:
					look("miss", r.Call, r.Step)
				}
			}
			for _, e := range h.EmptyReads {
				if e.TP == s.TP && e.Isolation == level && e.Offset <= at && e.Step < until {
					look("miss", e.Call, e.Step)
				}
			}
			for _, e := range h.EndOffsets {
				if e.TP == s.TP && e.Isolation == level && e.Offset <= at && e.Step < until {
					look("miss", e.Call, e.Step)
				}
			}
			broken = broken || !anyOrder(ops, func(so []bruteOp) bool {
				written := false
				for _, o := range so {
					if o.what == "write" {
						written = true
					} else if written != (o.what == "sight") {
						return false
					}
				}
				return true
			})
		}
	}
	return bruteRest(h, broken)
}
