package checker

import (
	"cmp"
	"slices"
)

// index holds the lookups that all claims share. It is built once per History and never changes it.
type index struct {
	h          *History
	check      checkFunc
	txns       map[TxnID]*Txn
	logs       map[TopicPartition]*Log
	bySub      map[SubmissionID]*Submission
	order      map[SubmissionID]int // position in Submissions
	records    []RecordID           // in the order of their first submission; then those nobody submitted
	byRecord   map[RecordID][]*Submission
	entries    map[RecordID][]placed // entries in effect in the final logs, expired ones included, by append step
	effects    map[RecordID][]*Effect
	appended   map[SubmissionID][]*Append // on every broker
	committed  map[entryKey]int           // the step in which a high watermark first passed the entry
	partitions []TopicPartition           // sorted; every partition that any event names

	shapes map[any]map[shape]bool // see asking

	flows map[Level][]flow                     // see flowsAt
	whole map[TopicPartition][]Entry           // see wholeLog
	held  map[TopicPartition]map[int64][]Entry // see holders
	sent  map[placeOf]SubmissionID             // see submissionAt
	ends  map[TopicPartition][]grown           // see endAt

	gone        map[entryKey]*Expiry // see expiry
	officeTerms map[term]int         // see terms
}

// placeOf is a record at an offset of a partition; an offset of -1 stands for any.
type placeOf struct {
	tp     TopicPartition
	offset int64
	record RecordID
}

// placed is an entry together with the partition it lies in.
type placed struct {
	Entry
	tp TopicPartition
}

func newIndex(h *History) *index {
	x := &index{
		h:        h,
		check:    askPorcupine,
		txns:     make(map[TxnID]*Txn, len(h.Txns)),
		logs:     make(map[TopicPartition]*Log, len(h.Logs)),
		bySub:    make(map[SubmissionID]*Submission, len(h.Submissions)),
		order:    make(map[SubmissionID]int, len(h.Submissions)),
		byRecord: make(map[RecordID][]*Submission, len(h.Submissions)),
		entries:  make(map[RecordID][]placed, len(h.Submissions)),
		effects:  make(map[RecordID][]*Effect, len(h.Effects)),

		appended:  make(map[SubmissionID][]*Append, len(h.Submissions)),
		committed: make(map[entryKey]int),
	}
	for i := range h.Txns {
		x.txns[h.Txns[i].ID] = &h.Txns[i]
	}
	for i := range h.Submissions {
		s := &h.Submissions[i]
		x.bySub[s.ID] = s
		x.order[s.ID] = i
		if x.byRecord[s.Record] == nil {
			x.records = append(x.records, s.Record)
		}
		x.byRecord[s.Record] = append(x.byRecord[s.Record], s)
	}
	x.indexLogs()
	for i := range h.Effects {
		e := &h.Effects[i]
		x.noteStranger(e.Record)
		x.effects[e.Record] = append(x.effects[e.Record], e)
	}
	for i := range h.Appends {
		a := &h.Appends[i]
		x.appended[a.Submission] = append(x.appended[a.Submission], a)
	}
	x.indexCommits()
	x.indexPartitions()
	return x
}

// noteStranger adds a record that nobody submitted to the list of records, at its first effect.
func (x *index) noteStranger(r RecordID) {
	if len(x.byRecord[r]) == 0 && len(x.entries[r]) == 0 && len(x.effects[r]) == 0 {
		x.records = append(x.records, r)
	}
}

func (x *index) indexLogs() {
	for i := range x.h.Logs {
		l := &x.h.Logs[i]
		x.logs[l.TP] = l
		for _, e := range x.wholeLog(l) {
			if e.inEffect() {
				x.noteStranger(e.Record)
				x.entries[e.Record] = append(x.entries[e.Record], placed{e, l.TP})
			}
		}
	}
	for _, places := range x.entries {
		slices.SortStableFunc(places, func(a, b placed) int { return a.Step - b.Step })
	}
}

// wholeLog returns the entries of a log and those that its topic's policy removed, in offset order. The result is shared
// and must not be changed.
func (x *index) wholeLog(l *Log) []Entry {
	if len(l.Expired) == 0 {
		return l.Entries
	}
	if x.whole == nil {
		x.whole = make(map[TopicPartition][]Entry)
	}
	if out, ok := x.whole[l.TP]; ok {
		return out
	}
	out := make([]Entry, 0, len(l.Entries)+len(l.Expired))
	out = append(out, l.Entries...)
	for _, e := range l.Expired {
		out = append(out, e.Entry)
	}
	slices.SortStableFunc(out, func(a, b Entry) int { return compareInt64(a.Offset, b.Offset) })
	x.whole[l.TP] = out
	return out
}

func compareInt64(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func compareTP(a, b TopicPartition) int {
	switch {
	case a.Topic < b.Topic:
		return -1
	case a.Topic > b.Topic:
		return 1
	}
	return a.Partition - b.Partition
}

func (x *index) indexPartitions() {
	seen := make(map[TopicPartition]bool)
	add := func(tp TopicPartition) {
		if tp.Topic != "" && !seen[tp] {
			seen[tp] = true
			x.partitions = append(x.partitions, tp)
		}
	}
	for i := range x.h.Submissions {
		if !x.h.Submissions[i].InTable {
			add(x.h.Submissions[i].TP)
		}
	}
	for i := range x.h.Logs {
		if !x.h.Logs[i].Table {
			add(x.h.Logs[i].TP)
		}
	}
	for i := range x.h.Reads {
		add(x.h.Reads[i].TP)
	}
	for i := range x.h.EndOffsets {
		add(x.h.EndOffsets[i].TP)
	}
	for i := range x.h.Appends {
		add(x.h.Appends[i].TP)
	}
	slices.SortFunc(x.partitions, compareTP)
}

// doomed says that no record of the transaction may ever be visible: the application was told that it is aborted, or
// never asked for a commit. In a run that was cut off it may still ask, unless it has asked for the abort or is gone.
func (x *index) doomed(t *Txn) bool {
	open := t.Outcome == TxnOpen && t.AbortAsked == 0 && t.Abandoned == 0
	return t.Outcome == TxnAborted || t.CommitAsked == 0 && (x.h.Quiescence.Reached || !open)
}

// outcome is what a submission is owed, after its transaction had its say: a commit turns its sends into
// acknowledged ones, an abort into sends that must never take effect.
func (x *index) outcome(s *Submission) Outcome {
	t := x.txns[s.Txn]
	if t == nil || s.Outcome.Kind == FailedForCertain {
		return s.Outcome
	}
	switch {
	case x.doomed(t):
		step := t.OutcomeStep
		if step == 0 {
			step = t.AbortAsked
		}
		return Outcome{Kind: FailedForCertain, Offset: s.Outcome.Offset, Step: step}
	case t.Outcome == TxnCommitted:
		return Outcome{Kind: Acked, Offset: s.Outcome.Offset, Step: t.OutcomeStep}
	}
	return Outcome{Kind: Unknown, Offset: s.Outcome.Offset, Step: t.OutcomeStep}
}

// duty sums up the submissions of one record. The best outcome counts: a record is acknowledged if one submission of
// it is, and failed for certain only if all are.
type duty struct {
	kind OutcomeKind
	// by is the submission that settled it: the first acknowledged one, or else the first.
	by      *Submission
	outcome Outcome
}

func (x *index) duty(r RecordID) (d duty, submitted bool) {
	subs := x.byRecord[r]
	if len(subs) == 0 {
		return duty{}, false
	}
	d = duty{kind: FailedForCertain, by: subs[0], outcome: x.outcome(subs[0])}
	for _, s := range subs {
		o := x.outcome(s)
		switch {
		case o.Kind == Acked && d.kind != Acked:
			d = duty{Acked, s, o}
		case o.Kind == Unknown && d.kind == FailedForCertain:
			d = duty{Unknown, s, o}
		}
	}
	return d, true
}

// moving says whether the record may still take effect after the history's end, and what is still moving.
func (x *index) moving(r RecordID) (what string, moving bool) {
	q := x.h.Quiescence
	if q.Reached {
		return "", false
	}
	for _, m := range q.Moving {
		if len(m.Records) == 0 || slices.Contains(m.Records, r) {
			return m.What, true
		}
	}
	return "the run was cut off", len(q.Moving) == 0
}

// counts says whether an effect at an application took place: outside a transaction at once, inside one if the
// coordinator decided to commit.
func (x *index) counts(e *Effect) bool {
	t := x.txns[e.Txn]
	return t == nil || t.Decided == TxnCommitted
}

// entryKey is the identity of an entry: an offset may be written again under a later leader epoch.
type entryKey struct {
	tp     TopicPartition
	offset int64
	epoch  int
}

// indexCommits notes for every entry the step in which a high watermark first passed it. A leader commits what lies in
// its own log, so every broker's log is followed through appends and cuts. The epochs of the entries do not tell: a
// leader may never have had what another wrote in a later epoch than its own records bear (KIP-279).
func (x *index) indexCommits() {
	type replica struct {
		tp     TopicPartition
		broker int
	}
	type change struct {
		step int
		what int // 0 a cut, 1 an append, 2 a commit: their order within a step
		do   func()
	}
	held := make(map[replica]map[int64]*Append)
	covered := make(map[replica]int64)
	var changes []change
	for i := range x.h.Cuts {
		c := &x.h.Cuts[i]
		r := replica{c.TP, c.Broker}
		changes = append(changes, change{c.Step, 0, func() {
			for o := c.From; o < c.To; o++ {
				delete(held[r], o)
			}
			covered[r] = min(covered[r], c.From)
		}})
	}
	for i := range x.h.Appends {
		a := &x.h.Appends[i]
		r := replica{a.TP, a.Broker}
		changes = append(changes, change{a.Step, 1, func() {
			if held[r] == nil {
				held[r] = make(map[int64]*Append)
			}
			held[r][a.Offset] = a
		}})
	}
	for i := range x.h.Commits {
		c := &x.h.Commits[i]
		r := replica{c.TP, c.Broker}
		changes = append(changes, change{c.Step, 2, func() {
			for o := covered[r]; o < c.HighWatermark; o++ {
				if a := held[r][o]; a != nil && x.committed[entryKey{c.TP, o, a.Epoch}] == 0 {
					x.committed[entryKey{c.TP, o, a.Epoch}] = c.Step
				}
			}
			covered[r] = max(covered[r], c.HighWatermark)
		}})
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Or(a.step-b.step, a.what-b.what) })
	for _, c := range changes {
		c.do()
	}
}

// submissionAt finds the submission of a record that a reader saw at an offset: the first that was appended there, or
// else the first that was sent to the partition.
func (x *index) submissionAt(tp TopicPartition, offset int64, r RecordID) SubmissionID {
	if x.sent == nil {
		x.sent = make(map[placeOf]SubmissionID, 2*len(x.h.Submissions))
		note := func(at placeOf, id SubmissionID) {
			if _, old := x.sent[at]; !old {
				x.sent[at] = id
			}
		}
		for i := range x.h.Submissions {
			s := &x.h.Submissions[i]
			note(placeOf{s.TP, -1, s.Record}, s.ID)
			for _, a := range x.appended[s.ID] {
				if a.TP == s.TP {
					note(placeOf{s.TP, a.Offset, s.Record}, s.ID)
				}
			}
		}
	}
	if id, ok := x.sent[placeOf{tp, offset, r}]; ok {
		return id
	}
	return x.sent[placeOf{tp, -1, r}]
}

// leaderAppends returns the appends that leaders made for a submission, in order. More than one means that a retry was
// written again.
func (x *index) leaderAppends(id SubmissionID) []*Append {
	var out []*Append
	for _, a := range x.appended[id] {
		if a.AsLeader {
			out = append(out, a)
		}
	}
	return out
}
