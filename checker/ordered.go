package checker

import (
	"slices"
	"strconv"

	"github.com/anishathalye/porcupine"
)

// OrderBy says whose order the claim ordered is about.
type OrderBy uint8

const (
	// PerProducer: the order in which one producer sent to one partition. This is what Kafka promises.
	PerProducer OrderBy = iota
	// PerKey: the order in which records of one key were sent, by whatever partition they went through. Kafka gives
	// it only while the number of partitions stays the same.
	PerKey
	// PerTopic: the order in which one producer sent to one topic, whatever the partitions. People expect it; Kafka
	// gives it only to a topic of one partition.
	PerTopic
	// PerSession: as PerProducer, but what one process of the producer sent is in no order with what another did. What is
	// under way when a process dies may arrive after what the next one sends, and no setting but a transactional.id keeps
	// it out.
	PerSession
)

// orderOp is one effect, in the order in which the effects came.
type orderOp struct {
	sent       int  // position among all submissions
	again      bool // the submission has had an effect before in this line
	generation int  // of the owner that processed it; 0 at the log
	beyond     int  // the latest submission on which an owner of a newer generation has acted before, -1 if none has
}

// orderModel lets effects come in the order of their submissions. A repetition is not out of order: the claim is about
// first occurrences, and repetition is the matter of at-most-once. There is one exception: an owner of an older
// generation that repeats an old record after a newer owner has gone further overwrites newer work with old.
func orderModel() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return -1 }, // the latest submission that took effect
		Step: func(state, input, _ any) (bool, any) {
			last, op := state.(int), input.(orderOp)
			if op.again {
				return op.sent >= op.beyond, last
			}
			return op.sent >= last, max(last, op.sent)
		},
	}
}

// sighting is one effect in a line of order, kept for the evidence.
type sighting struct {
	op     orderOp
	record RecordID
	tp     TopicPartition
	offset int64
	step   int
	by     string
}

// line is what must be in order: one producer's records in one partition or one topic, or one key's records.
type line struct {
	name      string
	sightings []sighting
	furthest  []reached
}

// reached is how far the owners of a generation, or of a newer one, have come.
type reached struct{ generation, sent int }

// beyond says how far owners of newer generations had come before an effect, -1 if none has acted, and notes the effect. What
// is kept is sorted: each newer generation has not come as far as the one before it.
func (l *line) beyond(op orderOp) int {
	i, _ := slices.BinarySearchFunc(l.furthest, op.generation+1, func(r reached, generation int) int { return r.generation - generation })
	before := -1
	if i < len(l.furthest) {
		before = l.furthest[i].sent
	}
	if before < op.sent && (i == 0 || l.furthest[i-1].generation < op.generation || l.furthest[i-1].sent < op.sent) {
		from := i
		for from > 0 && l.furthest[from-1].sent <= op.sent {
			from--
		}
		l.furthest = slices.Replace(l.furthest, from, i, reached{op.generation, op.sent})
	}
	return before
}

// lines collects effects into lines, in the order in which the lines first appear.
type lines struct {
	order []*line
	byKey map[string]*line
	seen  map[string]map[SubmissionID]bool
}

func (ls *lines) add(key string, id SubmissionID, s sighting) {
	l := ls.byKey[key]
	if l == nil {
		l = &line{name: key}
		ls.byKey[key] = l
		ls.order = append(ls.order, l)
		ls.seen[key] = make(map[SubmissionID]bool)
	}
	s.op.again = ls.seen[key][id]
	ls.seen[key][id] = true
	s.op.beyond = l.beyond(s.op)
	l.sightings = append(l.sightings, s)
}

// lineKey names the line a submission belongs to, as seen from a partition; records without a key have no key's order.
func lineKey(by OrderBy, l Level, s *Submission, tp TopicPartition, app string) (string, bool) {
	switch {
	case by == PerProducer:
		return app + "/" + s.Producer + "/" + tp.String(), true
	case by == PerSession:
		return app + "/" + s.Producer + "'" + strconv.Itoa(s.Incarnation) + "/" + tp.String(), true
	case by == PerTopic && l == AtLog: // across partitions a log has no order
		return s.Producer + "/" + tp.String(), true
	case by == PerTopic:
		return app + "/" + s.Producer + "/" + tp.Topic, true
	case s.Key == "":
		return "", false
	case l == AtLog: // across partitions a log has no order
		return s.Key + "/" + tp.String(), true
	}
	return app + "/" + s.Key, true
}

func (x *index) linesAt(l Level, by OrderBy) *lines {
	ls := &lines{byKey: map[string]*line{}, seen: map[string]map[SubmissionID]bool{}}
	if l == AtApplication {
		x.appLines(ls, by)
		return ls
	}
	for _, tp := range x.partitions {
		log := x.logs[tp]
		if log == nil {
			continue
		}
		for _, e := range x.wholeLog(log) {
			s := x.bySub[e.Submission]
			if s == nil || !e.inEffect() {
				continue
			}
			if key, ok := lineKey(by, l, s, tp, ""); ok {
				ls.add(key, s.ID, sighting{op: orderOp{sent: x.order[s.ID]}, record: e.Record, tp: tp, offset: e.Offset, step: e.Step})
			}
		}
	}
	return ls
}

func (x *index) appLines(ls *lines, by OrderBy) {
	for i := range x.h.Effects {
		e := &x.h.Effects[i]
		if !x.counts(e) {
			continue
		}
		s := x.bySub[x.submissionAt(e.TP, e.Offset, e.Record)]
		if s == nil {
			continue
		}
		if key, ok := lineKey(by, AtApplication, s, e.TP, e.Application); ok {
			ls.add(key, s.ID, sighting{op: orderOp{sent: x.order[s.ID], generation: e.Generation}, record: e.Record, tp: e.TP,
				offset: e.Offset, step: e.Step, by: e.Consumer})
		}
	}
}

// judgeOrdered rules that records take effect in the order in which they were sent.
func (x *index) judgeOrdered(l Level, by OrderBy) Verdict {
	v := Verdict{Claim: Ordered, Level: l, Ruling: Holds}
	if l == AtApplication && len(x.h.Applications) == 0 {
		return notObserved(v)
	}
	ls := x.linesAt(l, by)
	parts := make([]part, len(ls.order))
	for i, ln := range ls.order {
		parts[i].name, parts[i].line = ln.name, true
		for n, s := range ln.sightings {
			parts[i].ops = append(parts[i].ops, instant(n+1, s.op)) // their own order is the only time that counts here
		}
	}
	if bad := x.illegal(orderModel(), parts); len(bad) > 0 {
		v.Ruling = Violated
		v.Evidence = explainOrder(l, ls.order[bad[0]])
	}
	return v
}

// explainOrder names the first record that came after one that was sent later: after the latest sent so far, or after one
// that an owner of a newer generation has done.
func explainOrder(l Level, ln *line) Evidence {
	latest := ln.sightings[0]
	for i, s := range ln.sightings[1:] {
		switch {
		case s.op.again && s.op.sent < s.op.beyond:
			for _, before := range ln.sightings[:i+1] {
				if before.op.sent == s.op.beyond && before.op.generation > s.op.generation {
					return tellOrder(l, before, s, true)
				}
			}
		case !s.op.again && s.op.sent < latest.op.sent:
			return tellOrder(l, latest, s, false)
		case s.op.sent > latest.op.sent:
			latest = s
		}
	}
	return Evidence{}
}

func tellOrder(l Level, before, after sighting, late bool) Evidence {
	ev := Evidence{
		Records:   []RecordID{after.record, before.record},
		Partition: after.tp.String(),
		Offsets:   []int64{after.offset, before.offset},
		Steps:     decisive(before.step, after.step),
	}
	if l == AtLog {
		ev.JepsenWord = NonmonotonicSend
		ev.Short = string(before.record) + " lies before " + string(after.record) + ", which was sent first"
		ev.Sentence = string(after.record) + " was sent before " + string(before.record) + ", but lies after it in " + ev.Partition + ": " +
			atOffsets(after.offset) + " and not below " + strconv.FormatInt(before.offset, 10) + "."
		return ev
	}
	ev.JepsenWord = NonmonotonicPoll
	ev.Short = string(before.record) + " processed before " + string(after.record) + ", which was sent first"
	ev.Sentence = string(after.record) + " was sent before " + string(before.record) + ", but processed after it: " +
		string(before.record) + " by " + before.by + " " + inSteps(before.step) + ", " + string(after.record) + " by " + after.by + " " + inSteps(after.step) + "."
	if late {
		ev.Short = string(after.record) + " processed again, by an older owner, after " + string(before.record)
		ev.Sentence = string(after.record) + " was processed again by " + after.by + ", an owner of an older generation, " + inSteps(after.step) +
			", after " + before.by + " had gone on to " + string(before.record) + " " + inSteps(before.step) + "."
	}
	return ev
}

// notObserved turns a verdict into one for which there was no observer.
func notObserved(v Verdict) Verdict {
	v.Ruling, v.NotObserved = Undecided, true
	v.Evidence = Evidence{Sentence: "No application consumes the records, so nobody observed what is processed."}
	return v
}
