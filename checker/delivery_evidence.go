package checker

import (
	"slices"
	"strconv"
	"strings"
)

// Explanations look for the cause of what porcupine has ruled illegal. They find words, they decide nothing.

// ailment is what is wrong with a flow.
type ailment uint8

const (
	stranger ailment = iota // nobody submitted the record
	undead                  // it failed for certain, and took effect
	early                   // it took effect before it was submitted
	doubled
	missing
)

func (x *index) diagnose(f *flow) ailment {
	d := f.duty
	switch {
	case f.count() == 0:
		return missing
	case len(f.subs) == 0:
		return stranger
	case d.kind == FailedForCertain:
		return undead
	case f.count() == 1:
		return early
	}
	return doubled
}

// account is one violation in words. Records with the same words but for their names share a sentence.
type account struct {
	// subjects are the records; one and several are the rest of the sentence for one and for several of them.
	subjects     []RecordID
	one, several string
	short        string
	offsets      []int64
	partition    string
	steps        []int
	jepsen       string
}

// accounts is how many violations are put into words, to see which share a sentence. To look into the past of one takes
// as long as the history is; the rest are named, and counted.
const accounts = 200

// explainDelivery tells what happened to the first of the illegal flows, together with all others that it happened to
// in the same words, and counts the rest.
func (x *index) explainDelivery(l Level, flows []flow, bad []int) Evidence {
	var first account
	var records, alike, rest distinct[RecordID]
	for n, i := range bad {
		f := &flows[i]
		records.add(f.record)
		if n >= accounts {
			rest.add(f.record)
			continue
		}
		a := x.tell(l, f)
		switch {
		case n == 0:
			first = a
			alike.add(f.record)
		case a.one == first.one || sameButOffset(a, first):
			alike.add(f.record)
			first.offsets = append(first.offsets, a.offsets...)
		default:
			rest.add(f.record)
		}
	}
	first.subjects = alike.list
	ev := first.evidence()
	ev.Records = records.list
	others := slices.DeleteFunc(rest.list, func(id RecordID) bool { return alike.seen[id] }) // it is spoken of
	if len(others) > 0 {
		ev.Short += "; also " + comma(others)
		ev.Sentence = strings.TrimSuffix(ev.Sentence, ".") + "; " + many(others) + " " +
			verb(len(others), "is", "are") + " affected too."
	}
	return ev
}

// sameButOffset says that two accounts differ only in the offset of their record.
func sameButOffset(a, b account) bool {
	return a.several != "" && a.several == b.several && a.partition == b.partition
}

func (a account) evidence() Evidence {
	rest := a.one
	if len(a.subjects) > 1 {
		rest = a.several
	}
	return Evidence{
		Partition:  a.partition,
		Offsets:    a.offsets,
		Steps:      decisive(a.steps...),
		Short:      comma(a.subjects) + " " + a.short,
		Sentence:   many(a.subjects) + " " + rest,
		JepsenWord: a.jepsen,
	}
}

func (x *index) tell(l Level, f *flow) account {
	switch x.diagnose(f) {
	case stranger:
		return x.tellUninvited(f, 0, "and nobody ever submitted it", "though never submitted")
	case early:
		sent := x.byRecord[f.record][0].SendStep
		return x.tellUninvited(f, sent, "before it was submitted "+inSteps(sent), "before it was submitted")
	case undead:
		return x.tellUndead(f)
	case doubled:
		if l == AtLog {
			return tellDoubledInLog(f)
		}
		return x.tellDoubledByApp(f)
	}
	if l == AtLog {
		return x.tellLost(f)
	}
	return x.tellUnprocessed(f)
}

// tellUninvited accounts for an effect that must not be.
func (x *index) tellUninvited(f *flow, cause int, why, short string) account {
	a := account{subjects: []RecordID{f.record}}
	where := ""
	if len(f.places) > 0 {
		e := f.places[0]
		where = "is in " + e.tp.String() + " " + atOffsets(e.Offset) + ", appended " + inSteps(e.Step)
		a.short = "in the log"
		a.partition, a.offsets, a.steps = e.tp.String(), []int64{e.Offset}, []int{cause, e.Step}
	} else {
		e := f.effects[0]
		where = "was processed by " + e.Consumer + " " + inSteps(e.Step)
		a.short = "processed"
		if e.Output != "" {
			where = "took effect in " + f.app + " " + inSteps(e.Step) + " as " + e.Output + " in " + e.Place
			a.short = "took effect"
		}
		a.partition, a.offsets, a.steps = e.TP.String(), []int64{e.Offset}, []int{cause, e.Step}
	}
	a.short += ", " + short
	a.one = where + ", " + why + "."
	return a
}

func (x *index) tellUndead(f *flow) account {
	d := f.duty
	if t := x.txns[d.by.Txn]; t != nil && d.by.Outcome.Kind != FailedForCertain {
		why, short := x.notCommitted(t)
		a := x.tellUninvited(f, d.outcome.Step, "although "+why, "though "+short)
		a.jepsen = AbortedRead
		return a
	}
	why := "although its send failed for certain " + inSteps(d.outcome.Step)
	if d.by.Outcome.Error != "" {
		why += " with " + d.by.Outcome.Error
	}
	return x.tellUninvited(f, d.outcome.Step, why, "though failed for certain")
}

// notCommitted says why nobody may see what a transaction wrote, in a clause and in short. That the application
// asked for the abort does not mean that it came to one.
func (x *index) notCommitted(t *Txn) (why, short string) {
	its := "its transaction " + string(t.ID)
	switch {
	case t.Outcome == TxnAborted:
		return its + " was aborted " + inSteps(t.OutcomeStep), "its transaction was aborted"
	case t.AbortAsked > 0:
		return "the abort of " + its + " was asked for " + inSteps(t.AbortAsked), "its application asked for the abort"
	}
	return "a commit of " + its + " was never asked for", "its commit was never asked for"
}

func tellDoubledInLog(f *flow) account {
	first := f.places[0]
	a := account{subjects: []RecordID{f.record}, partition: first.tp.String(), jepsen: Duplicate}
	same := true
	var where []string
	for _, e := range f.places {
		same = same && e.tp == first.tp
		a.offsets = append(a.offsets, e.Offset)
		a.steps = append(a.steps, e.Step)
		where = append(where, e.tp.String()+" "+atOffsets(e.Offset))
	}
	n := len(f.places)
	if same {
		a.one = "is in " + a.partition + " " + times(n) + ", " + atOffsets(a.offsets...) + ", appended " + inSteps(a.steps...) + "."
		a.several = "are in " + a.partition + " " + times(n) + " each, appended " + inSteps(a.steps...) + "."
	} else {
		a.one = "is in the log " + times(n) + ", in " + and(where) + ", appended " + inSteps(a.steps...) + "."
	}
	a.short = "in the log " + times(n) + ", appended " + inSteps(a.steps...)
	return a
}

func (x *index) tellDoubledByApp(f *flow) account {
	first := f.effects[0]
	if first.Output != "" {
		return tellDoubledOutput(f)
	}
	a := account{subjects: []RecordID{f.record}, partition: first.TP.String(), offsets: []int64{first.Offset}, jepsen: Duplicate}
	for _, e := range f.effects {
		a.steps = append(a.steps, e.Step)
		if e.Offset != first.Offset || e.TP != first.TP {
			a.offsets = append(a.offsets, e.Offset)
		}
	}
	if len(f.effects) == 2 {
		second := f.effects[1]
		rest := "processed " + actor(first) + " " + inSteps(first.Step) + " and again " + actor(second) + " " + inSteps(second.Step) + "."
		a.one, a.several = "was "+rest, "were "+rest
	} else {
		rest := "processed " + times(len(f.effects)) + ", " + inSteps(a.steps...) + "."
		a.one, a.several = "was "+rest, "were "+rest
	}
	a.short = "processed " + times(len(f.effects)) + ", " + inSteps(a.steps...)
	return a
}

// actor says by whom an effect was made: "by c", with the generation if it acted in one, and the incarnation from the
// second on.
func actor(e *Effect) string {
	s := "by " + e.Consumer
	var more []string
	if e.Incarnation > 1 {
		more = append(more, "after restart "+strconv.Itoa(e.Incarnation-1))
	}
	if e.Generation > 0 {
		more = append(more, "generation "+strconv.Itoa(e.Generation))
	}
	if len(more) > 0 {
		s += " (" + strings.Join(more, ", ") + ")"
	}
	return s
}

// tellLost accounts for an acknowledged record that is in no log at the end.
func (x *index) tellLost(f *flow) account {
	d := f.duty
	a := x.lostStory(f.record, d)
	a.jepsen = LostWrite
	and := joint(a.one)
	ending := "is in no log at the end."
	if l := x.logs[d.by.TP]; l != nil && l.Leader == 0 && !l.Table {
		ending = "is out of reach: " + d.by.TP.String() + " has no leader at the end."
	}
	a.one, a.several = "was "+a.one+and+ending, "were "+a.several+and+strings.Replace(ending, "is", "are", 1)
	return a
}

// joint puts the last part of an enumeration after the others: one more part needs no comma.
func joint(story string) string {
	if strings.Contains(story, ",") {
		return ", and "
	}
	return " and "
}

// lostStory tells how a record was acknowledged and which logs lost it, without an ending.
func (x *index) lostStory(r RecordID, d duty) account {
	a := account{subjects: []RecordID{r}, partition: d.by.TP.String(), steps: []int{d.outcome.Step}}
	story := "acknowledged " + inSteps(d.outcome.Step)
	a.short = story
	t := x.txns[d.by.Txn]
	if t != nil {
		story = "acknowledged by the commit of " + string(t.ID) + " " + inSteps(d.outcome.Step)
	}
	appends := x.leaderAppends(d.by.ID)
	cuts := x.cutsOf(d.by)
	if len(appends) > 0 {
		a.offsets = []int64{appends[0].Offset}
	} else if d.by.Outcome.Offset >= 0 && d.by.Outcome.Kind == Acked {
		a.offsets = []int64{d.by.Outcome.Offset}
	}
	switch e, hidden := x.hiddenEntry(d.by); {
	case hidden && e.Fate == MarkedAborted:
		story += ", but the log has it as aborted " + atOffsets(e.Offset)
		a.steps = append(a.steps, e.Step)
		a.short += ", aborted in the log"
	case hidden:
		story += ", but no marker ever closed its transaction in the log"
		a.steps = append(a.steps, e.Step)
		a.short += ", never marked"
	case len(cuts) > 0:
		phrase, steps := tellCuts(cuts)
		story += ", " + phrase
		a.short += ", cut " + inSteps(steps...)
		a.steps = append(a.steps, steps...)
	case len(appends) == 0 && len(x.h.Appends) > 0 && !d.by.Kept && len(x.entries[r]) == 0:
		story += ", never appended to any log"
		a.short += ", never appended"
	}
	a.one, a.several = story, story
	return a
}

// hiddenEntry finds the submission's entry in a final log if it is there but not in effect.
func (x *index) hiddenEntry(s *Submission) (Entry, bool) {
	l := x.logs[s.TP]
	if l == nil {
		return Entry{}, false
	}
	for _, e := range l.Entries {
		if e.Submission == s.ID && !e.Control && !e.inEffect() {
			return e, true
		}
	}
	return Entry{}, false
}

// cutsOf returns the cuts that took the submission's record from a broker that had it, in order.
func (x *index) cutsOf(s *Submission) []Cut {
	var out []Cut
	for _, c := range x.h.Cuts {
		if c.TP != s.TP {
			continue
		}
		for _, a := range x.appended[s.ID] {
			if a.Broker == c.Broker && a.TP == c.TP && a.Step <= c.Step && c.From <= a.Offset && a.Offset < c.To {
				out = append(out, c)
				break
			}
		}
	}
	return out
}

// tellCuts says "cut from b2 in step 11 and from b1 in step 24", with other verbs for other causes.
func tellCuts(cuts []Cut) (string, []int) {
	words := map[CutCause][2]string{
		Truncation: {"cut from ", "from "},
		PowerLoss:  {"lost from the page cache of ", "from that of "},
		DiskLoss:   {"lost with the disk of ", "with that of "},
	}
	var phrases []string
	var steps []int
	for i, c := range cuts {
		w := words[c.Cause][0]
		if i > 0 && cuts[i-1].Cause == c.Cause {
			w = words[c.Cause][1]
		}
		phrases = append(phrases, w+broker(c.Broker)+" "+inSteps(c.Step))
		steps = append(steps, c.Step)
	}
	return and(phrases), steps
}

// tellUnprocessed accounts for an acknowledged record that an application never processed.
func (x *index) tellUnprocessed(f *flow) account {
	d := f.duty
	never := x.neverDone(f)
	var a account
	if places := x.entries[f.record]; len(places) == 0 || x.readsTable(f.app) {
		a = x.lostStory(f.record, d)
		a.one, a.several = "was "+a.one+joint(a.one)+never+".", "were "+a.several+joint(a.one)+never+"."
		a.jepsen = LostWrite
	} else {
		a = x.tellOverlooked(f, d, places[0], never)
	}
	a.short = never
	return a
}

// tellOverlooked accounts for a record that is in the log and was not processed.
func (x *index) tellOverlooked(f *flow, d duty, e placed, never string) account {
	a := account{subjects: []RecordID{f.record}, partition: e.tp.String(), offsets: []int64{e.Offset}, steps: []int{d.outcome.Step},
		jepsen: Unseen}
	start := "acknowledged " + inSteps(d.outcome.Step)
	var why string
	ended := 0 // the step in which what the application made of it was undone
	if gone := x.expiry(e); gone != nil {
		start += ", removed by " + expiryWords[gone.Cause] + " " + inSteps(gone.Step)
		a.steps = append(a.steps, gone.Step)
	}
	switch r, later := x.readOf(f, e); {
	case r != nil:
		why = "read by " + r.Consumer + " " + inSteps(r.Step)
		a.steps = append(a.steps, r.Step)
		a.jepsen = ""
		if made, step := x.lastOutput(f.record); made != "" && x.h.writesFor(f.app) {
			why += ", " + made
			if step > 0 {
				a.steps = append(a.steps, step)
			}
			ended = step
		}
		if d := x.deathAfter(f); d != nil && (ended == 0 || d.Step <= ended) {
			// What was aborted or rolled back was so because of it, or at least after it.
			word := ", before "
			if ended > 0 {
				word = ", after "
			}
			why += word + d.Node + " " + d.How + " " + inSteps(d.Step)
			a.steps = append(a.steps, d.Step)
		}
	case later != nil:
		why = "skipped by " + later.Consumer + ", which read offset " + strconv.FormatInt(later.Offset, 10) + " " + inSteps(later.Step)
		a.steps = append(a.steps, later.Step)
		a.jepsen = PollSkip
	default:
		if b := x.blocker(f.app, e); b != nil {
			why = tellBlocker(b)
			a.steps = append(a.steps, b.Step)
		}
	}
	if why != "" {
		start += ", " + why
	}
	a.one = "was " + start + joint(start) + never + "."
	a.several = "were " + start + joint(start) + never + "."
	return a
}

var expiryWords = map[ExpiryCause]string{Retention: "retention", Compaction: "compaction", DeleteRecords: "DeleteRecords"}

// expiry tells how an entry was removed, nil if it was not.
func (x *index) expiry(e placed) *Expiry {
	if x.gone == nil {
		x.gone = make(map[entryKey]*Expiry)
		for i := range x.h.Logs {
			l := &x.h.Logs[i]
			for k := range l.Expired {
				x.gone[entryKey{l.TP, l.Expired[k].Offset, l.Expired[k].Epoch}] = &l.Expired[k]
			}
		}
	}
	return x.gone[entryKey{e.tp, e.Offset, e.Epoch}]
}

// readOf finds the first read of the record by the application, or else the first read of a later offset.
func (x *index) readOf(f *flow, e placed) (read, later *Read) {
	for i := range x.h.Reads {
		r := &x.h.Reads[i]
		if r.Application != f.app || r.TP != e.tp {
			continue
		}
		if r.Record == f.record {
			return r, nil
		}
		if r.Offset > e.Offset && r.Step > e.Step && later == nil {
			later = r
		}
	}
	return nil, later
}
