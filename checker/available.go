package checker

import (
	"slices"
	"strconv"

	"github.com/anishathalye/porcupine"
)

type progressKind uint8

const (
	opAsked progressKind = iota
	opDone
	opTime // the end of the run: time is up
)

// progressState remembers whether an answer came.
type progressState struct{ asked, done bool }

// progressModel wants everything that was asked for to be done when time is up. This is a claim about progress, which
// linearizability does not speak of; the end of the run, after healing, is what bounds it.
func progressModel() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return progressState{} },
		Step: func(state, input, _ any) (bool, any) {
			st := state.(progressState)
			switch input.(progressKind) {
			case opAsked:
				st.asked = true
			case opDone:
				st.done = true
			default:
				return !st.asked || st.done, st
			}
			return true, st
		},
	}
}

// errand is one thing that should have been done.
type errand struct {
	record  RecordID
	tp      TopicPartition
	asked   int
	done    int // 0 if it was not
	story   string
	short   string
	blocked int // the step of the append that keeps it from being done, 0 if none does
	pending bool
	waiting string
}

// judgeAvailable rules that everything was done by the end of the run: at the log, every send, or a later one of the
// same record, was answered with success, unless its own application aborted the transaction; at the application,
// every record of the final log that an application consumes was handed to it.
func judgeAvailable(x *index, l Level) Verdict {
	v := Verdict{Claim: Available, Level: l, Ruling: Holds}
	var errands []errand
	if l == AtLog {
		errands = x.sendErrands()
	} else {
		if len(x.h.Applications) == 0 {
			return notObserved(v)
		}
		errands = x.readErrands()
	}
	parts := make([]part, len(errands))
	for i, e := range errands {
		parts[i].name = string(e.record)
		parts[i].ops = append(parts[i].ops, instant(e.asked, opAsked))
		if e.done > 0 {
			parts[i].ops = append(parts[i].ops, instant(e.done, opDone))
		}
		parts[i].ops = append(parts[i].ops, instant(x.h.End+1, opTime))
	}
	var failed, waiting []errand
	for _, i := range x.illegal(progressModel(), parts) {
		if errands[i].pending {
			waiting = append(waiting, errands[i])
		} else {
			failed = append(failed, errands[i])
		}
	}
	switch {
	case len(failed) > 0:
		v.Ruling, v.Evidence = Violated, explainErrands(failed)
	case len(waiting) > 0:
		v.Ruling, v.Evidence = Undecided, explainErrands(waiting)
		v.Evidence.Sentence += " The run did not come to rest (" + waiting[0].waiting + ")."
	}
	return v
}

func (x *index) sendErrands() []errand {
	var out []errand
	for i := range x.h.Submissions {
		s := &x.h.Submissions[i]
		t := x.txns[s.Txn]
		if t != nil && t.AbortAsked > 0 && s.Outcome.Kind != FailedForCertain {
			continue // its application did not want it any more
		}
		e := errand{record: s.Record, tp: s.TP, asked: s.SendStep, story: "sent " + inSteps(s.SendStep) + " and never acknowledged",
			short: "never acknowledged"}
		o := x.outcome(s)
		switch {
		case o.Kind == Acked:
			e.done = o.Step
		case x.sentAgain(s) > 0:
			e.done = max(x.sentAgain(s), s.SendStep)
		case s.Outcome.Error != "":
			e.story = "sent " + inSteps(s.SendStep) + " and failed with " + s.Outcome.Error + " " + inSteps(s.Outcome.Step)
			e.short = "not acknowledged: the send failed"
		case t != nil && s.Outcome.Kind == Acked && t.Decided == TxnCommitted:
			e.story = "sent " + inSteps(s.SendStep) + " in " + string(t.ID) + ", which was committed " + inSteps(t.DecidedStep) +
				", but commitTransaction never returned to its application"
			e.short = "committed, but commitTransaction never returned"
		case t != nil && s.Outcome.Kind == Acked:
			e.story = "sent " + inSteps(s.SendStep) + " in " + string(t.ID) + ", which never committed"
			e.short = "never committed"
		}
		// A loop that is not at rest may come to the same input again, also after a send that failed.
		if s.Outcome.Kind == Unknown && s.Outcome.Step == 0 || t != nil && t.OutcomeStep == 0 || x.byLoop(s) {
			e.waiting, e.pending = x.moving(s.Record)
		}
		out = append(out, e)
	}
	return out
}

// sentAgain is the step in which another send of the same record was acknowledged, 0 if none was. The work is the record:
// an application that sends it again after an error has had it done. What a loop makes of what it reads is done by an
// earlier send as well: whoever comes to the same input once more, and is refused, has nothing left to do.
func (x *index) sentAgain(s *Submission) int {
	for _, other := range x.byRecord[s.Record] {
		if x.order[other.ID] > x.order[s.ID] || x.byLoop(s) && !other.InTable && other != s {
			if o := x.outcome(other); o.Kind == Acked {
				return o.Step
			}
		}
	}
	return 0
}

// byLoop says that a loop sent the record, which it made of another or passed on from a table, and not the script.
func (x *index) byLoop(s *Submission) bool {
	return s.From != "" || slices.ContainsFunc(x.byRecord[s.Record], func(o *Submission) bool { return o.InTable })
}

func (x *index) readErrands() []errand {
	var out []errand
	for _, f := range x.flowsAt(AtApplication) {
		for _, place := range x.entries[f.record] {
			if x.expiry(place) != nil || x.readsTable(f.app) {
				continue
			}
			e := errand{record: f.record, tp: place.tp, asked: place.Step,
				story: "in " + place.tp.String() + " " + atOffsets(place.Offset) + " since step " + strconv.Itoa(place.Step) + " and never handed to a consumer", short: "never handed to a consumer"}
			if len(x.h.Applications) > 1 {
				e.story += " of " + f.app
			}
			if b := x.blocker(f.app, place); b != nil {
				e.story += ", " + tellBlocker(b)
				e.blocked = b.Step
			}
			r, _ := x.readOf(&f, place)
			if r != nil {
				e.done = r.Step
			}
			for _, eff := range f.effects {
				e.done = max(e.done, eff.Step)
			}
			e.waiting, e.pending = x.moving(f.record)
			out = append(out, e)
			break
		}
	}
	return out
}

// readsTable says that an application reads a table in place of topics.
func (x *index) readsTable(app string) bool {
	return slices.ContainsFunc(x.h.Applications, func(a Application) bool { return a.Name == app && a.Table })
}

func explainErrands(es []errand) Evidence {
	first := es[0]
	ev := Evidence{Partition: first.tp.String(), Steps: decisive(first.asked, first.blocked)}
	same := []RecordID{}
	for _, e := range es {
		ev.Records = appendNew(ev.Records, e.record)
		if e.story == first.story {
			same = appendNew(same, e.record)
		}
	}
	ev.Short = comma(ev.Records) + " " + first.short
	for _, e := range es {
		if e.short != first.short {
			ev.Short = comma(ev.Records) + " not done by the end"
		}
	}
	ev.Sentence = many(same) + " " + verb(len(same), "was ", "were ") + first.story
	if rest := len(ev.Records) - len(same); rest > 0 {
		ev.Sentence += "; " + strconv.Itoa(rest) + " more " + verb(rest, "was", "were") + " not done by the end either"
	}
	ev.Sentence += "."
	return ev
}
