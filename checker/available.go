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

// errand is one thing that should have been done: a send, or a record that lies in a log and that an application is to
// be handed.
type errand struct {
	record  RecordID
	tp      TopicPartition
	asked   int
	done    int // 0 if it was not
	what    *Submission
	app     string
	place   *placed
	pending bool
	waiting string
}

// judgeAvailable rules that everything was done by the end of the run, or by when its time to come to rest was up: at the log, every send, or a later one of the
// same record, was answered with success, unless its own application aborted the transaction; at the application,
// every copy of a record that lies in the final log of a topic that an application consumes was handed to it.
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
	ask := x.asking(Available, progressModel())
	var failed, waiting []errand
	for _, e := range errands {
		ops := append(ask.room[:0], instant(e.asked, opAsked))
		if e.done > 0 {
			ops = append(ops, instant(e.done, opDone))
		}
		ops = append(ops, instant(x.h.End+1, opTime))
		switch {
		case ask.legal(string(e.record), ops):
		case e.pending && !x.h.Quiescence.TimeUp:
			waiting = append(waiting, e)
		default:
			failed = append(failed, e)
		}
	}
	switch {
	case len(failed) > 0:
		v.Ruling, v.Evidence = Violated, x.explainErrands(failed)
		if failed[0].pending {
			v.Evidence.Sentence += " The time to come to rest is up (" + failed[0].waiting + ")."
		}
	case len(waiting) > 0:
		v.Ruling, v.Evidence = Undecided, x.explainErrands(waiting)
		v.Evidence.Sentence += " The run did not come to rest (" + waiting[0].waiting + ")."
	}
	return v
}

func (x *index) sendErrands() []errand {
	out := make([]errand, 0, len(x.h.Submissions))
	again := x.resends()
	for i := range x.h.Submissions {
		s := &x.h.Submissions[i]
		t := x.txns[s.Txn]
		if t != nil && t.AbortAsked > 0 && s.Outcome.Kind != FailedForCertain {
			continue // its application did not want it any more
		}
		e := errand{record: s.Record, tp: s.TP, asked: s.SendStep, what: s}
		done := x.doneBy(again[s.Record], s)
		if o := x.outcome(s); o.Kind == Acked {
			e.done = o.Step
		} else if done > 0 {
			e.done = max(done, s.SendStep)
		}
		// A loop that is not at rest may come to the same input again, also after a send that failed.
		if s.Outcome.Kind == Unknown && s.Outcome.Step == 0 || t != nil && t.OutcomeStep == 0 || again[s.Record].byLoop {
			e.waiting, e.pending = x.moving(s.Record)
		}
		out = append(out, e)
	}
	return out
}

// tellSend says why a send was not done by the end, in words that follow "was".
func (x *index) tellSend(s *Submission) (story, short string) {
	story, t := "sent "+inSteps(s.SendStep), x.txns[s.Txn]
	switch {
	case s.Outcome.Error != "":
		return story + " and failed with " + s.Outcome.Error + " " + inSteps(s.Outcome.Step), "not acknowledged: the send failed"
	case t != nil && s.Outcome.Kind == Acked && t.Decided == TxnCommitted:
		return story + " in " + string(t.ID) + ", which was committed " + inSteps(t.DecidedStep) + ", but commitTransaction never returned to its application",
			"committed, but commitTransaction never returned"
	case t != nil && s.Outcome.Kind == Acked:
		return story + " in " + string(t.ID) + ", which never committed", "never committed"
	}
	return story + " and never acknowledged", "never acknowledged"
}

// resend is what there is of a record that was sent more than once. The work is the record: an application that sends it
// again after an error has had it done. What a loop makes of what it reads is done by an earlier send as well: whoever
// comes to the same input once more, and is refused, has nothing left to do.
type resend struct {
	byLoop bool // a loop sent it, which made it of another or passed it on from a table, and not the script
	acked  []*Submission
}

func (x *index) resends() map[RecordID]*resend {
	all := make(map[RecordID]*resend, len(x.byRecord))
	for r, subs := range x.byRecord {
		again := &resend{byLoop: slices.ContainsFunc(subs, func(s *Submission) bool { return s.InTable || s.From != "" })}
		for _, s := range subs {
			if x.outcome(s).Kind == Acked {
				again.acked = append(again.acked, s)
			}
		}
		all[r] = again
	}
	return all
}

// doneBy is the step in which another send did the work of one, 0 if none did.
func (x *index) doneBy(r *resend, s *Submission) int {
	if n := len(r.acked); n > 0 && x.order[r.acked[n-1].ID] > x.order[s.ID] {
		return x.outcome(r.acked[n-1]).Step
	}
	for _, other := range r.acked {
		if r.byLoop && other != s && !other.InTable {
			return x.outcome(other).Step
		}
	}
	return 0
}

// readErrands lists, for every application, each copy of a record that lies in a final log: it is to be handed out from
// there. What the topic's policy has removed before the application came to it is not there any more, and only that is
// excused.
func (x *index) readErrands() []errand {
	handed := x.handedOut()
	var out []errand
	for _, f := range x.flowsAt(AtApplication) {
		if f.of.Table {
			continue
		}
		for i := range f.lies {
			place := &f.lies[i]
			if x.expiry(*place) != nil || !slices.Contains(f.of.Topics, place.tp.Topic) {
				continue
			}
			e := errand{record: f.record, tp: place.tp, asked: place.Step, app: f.app, place: place,
				done: handed[handedOver{f.app, place.tp, place.Offset, f.record}]}
			e.waiting, e.pending = x.moving(f.record)
			out = append(out, e)
		}
	}
	return out
}

// handedOver is a record that an application was handed from one place.
type handedOver struct {
	app    string
	tp     TopicPartition
	offset int64
	record RecordID
}

// handedOut gives the steps in which applications were first handed what lies in a place, or were seen to have it.
func (x *index) handedOut() map[handedOver]int {
	out := make(map[handedOver]int, len(x.h.Reads))
	note := func(h handedOver, step int) {
		if out[h] == 0 {
			out[h] = step
		}
	}
	for i := range x.h.Reads {
		r := &x.h.Reads[i]
		note(handedOver{r.Application, r.TP, r.Offset, r.Record}, r.Step)
	}
	for i := range x.h.Effects {
		if e := &x.h.Effects[i]; x.counts(e) {
			note(handedOver{e.Application, e.TP, e.Offset, e.Record}, e.Step)
		}
	}
	return out
}

// tellRead says why a record was not handed out by the end, in words that follow "was".
func (x *index) tellRead(e *errand) (story, short string, blocked int) {
	story = "in " + e.tp.String() + " " + atOffsets(e.place.Offset) + " since step " + strconv.Itoa(e.place.Step) + " and never handed to a consumer"
	if len(x.h.Applications) > 1 {
		story += " of " + e.app
	}
	if b := x.blocker(e.app, *e.place); b != nil {
		story += ", " + tellBlocker(b)
		blocked = b.Step
	}
	return story, "never handed to a consumer", blocked
}

// readsTable says that an application reads a table in place of topics.
func (x *index) readsTable(app string) bool {
	return slices.ContainsFunc(x.h.Applications, func(a Application) bool { return a.Name == app && a.Table })
}

func (x *index) explainErrands(es []errand) Evidence {
	var records, same distinct[RecordID]
	var ev Evidence
	story, short, alike := "", "", true
	for i := range es {
		e := &es[i]
		records.add(e.record)
		if i >= accounts {
			continue
		}
		told, brief, blocked := "", "", 0
		if e.what != nil {
			told, brief = x.tellSend(e.what)
		} else {
			told, brief, blocked = x.tellRead(e)
		}
		if i == 0 {
			story, short = told, brief
			ev.Partition, ev.Steps = e.tp.String(), decisive(e.asked, blocked)
		}
		if told == story {
			same.add(e.record)
		}
		alike = alike && brief == short
	}
	ev.Records = records.list
	ev.Short = comma(ev.Records) + " " + short
	if !alike {
		ev.Short = comma(ev.Records) + " not done by the end"
	}
	ev.Sentence = many(same.list) + " " + verb(len(same.list), "was ", "were ") + story
	if rest := len(ev.Records) - len(same.list); rest > 0 {
		ev.Sentence += "; " + strconv.Itoa(rest) + " more " + verb(rest, "was", "were") + " not done by the end either"
	}
	ev.Sentence += "."
	return ev
}
