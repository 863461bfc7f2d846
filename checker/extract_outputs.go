package checker

import (
	"cmp"
	"slices"

	"kafkatrial/model"
	"kafkatrial/model/consumer"
)

// writes says that an application takes effect by what it writes, and not by what it has processed: whatever its memory
// was told by a record is gone with the process, and what it has written stands. What it passes on unchanged, from a source,
// is judged at the log.
func writes(app *consumer.Application) bool {
	return app.Source == nil && (app.Sends.Topic != "" || app.Updates()) || app.WritesRows()
}

// sinks names the places that an application writes to. Each record is to take effect once in each of them.
func sinks(app *consumer.Application) (all []string) {
	switch {
	case app.Source != nil:
	case app.Sends.Topic != "":
		all = append(all, app.Sends.Topic)
	case app.Updates():
		all = append(all, app.Store.Topic)
	}
	if app.WritesRows() {
		all = append(all, "table "+app.Database.Table)
	}
	return all
}

// outputs adds the effects of applications that write: for every record that one has made of another and that stands in
// effect in a committed log, an effect of the record it was made from. A copy whose transaction is not committed is none.
func (x *extractor) outputs() {
	subs := make(map[SubmissionID]*Submission, len(x.h.Submissions))
	for i := range x.h.Submissions {
		subs[x.h.Submissions[i].ID] = &x.h.Submissions[i]
	}
	txns := make(map[TxnID]*Txn, len(x.h.Txns))
	for i := range x.h.Txns {
		txns[x.h.Txns[i].ID] = &x.h.Txns[i]
	}
	added := false
	for i := range x.h.Logs {
		l := &x.h.Logs[i]
		entries := slices.Clip(l.Entries)
		for _, e := range l.Expired {
			entries = append(entries, e.Entry)
		}
		for _, e := range entries {
			if s := subs[e.Submission]; s != nil && s.From != "" && e.inEffect() && !x.besides(s.Producer, l.TP.Topic) {
				x.h.Effects = append(x.h.Effects, x.output(s, txns, l.TP, e))
				added = true
			}
		}
	}
	if added {
		slices.SortStableFunc(x.h.Effects, func(a, b Effect) int { return cmp.Compare(a.Step, b.Step) })
	}
}

// besides says that a topic is the changelog of an application which sends what it has made of a record elsewhere: what it
// writes there is the memory of that, and no effect of its own.
func (x *extractor) besides(name, topic string) bool {
	return slices.ContainsFunc(x.c.Spec.Consumers, func(k model.ConsumerSpec) bool {
		return k.Name == name && k.App.Updates() && k.App.Sends.Topic != "" && k.App.Store.Topic == topic && k.App.Sends.Topic != topic
	})
}

// output is the effect that one entry is. It took place when the entry was appended, or when the coordinator decided to
// commit its transaction.
func (x *extractor) output(s *Submission, txns map[TxnID]*Txn, tp TopicPartition, e Entry) Effect {
	f := Effect{Consumer: s.Producer, Record: s.From, Step: e.Step, Output: string(s.Record), Sink: tp.Topic, Place: tp.String() + " " + atOffsets(e.Offset)}
	if t := txns[s.Txn]; t != nil && t.Decided == TxnCommitted {
		f.Step, f.Asked = max(f.Step, t.DecidedStep), t.CommitAsked
	}
	for i, k := range x.c.Spec.Consumers {
		if k.Name == s.Producer {
			f.Application, _ = x.application(x.c.Consumers()[i])
		}
	}
	x.madeOf(&f, s.SendStep)
	return f
}

// madeOf fills in which read an effect was made of: the last one of the record before the step given.
func (x *extractor) madeOf(e *Effect, before int) {
	if r := x.readFor(e.Consumer, e.Record, before); r != nil {
		e.TP, e.Offset, e.Incarnation, e.Generation, e.Begun = r.TP, r.Offset, r.Incarnation, r.Generation, r.Step
	}
}

// readFor is the last read of a record by a consumer up to a step, nil if there is none.
func (x *extractor) readFor(consumer string, r RecordID, before int) *Read {
	for _, i := range slices.Backward(x.handed[handKey{consumer, r}]) {
		if x.h.Reads[i].Step <= before {
			return &x.h.Reads[i]
		}
	}
	return nil
}
