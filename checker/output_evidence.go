package checker

import "slices"

// What an application that writes has done of a record, in words.

// tellDoubledOutput accounts for a record of which an application has made two things that are in effect.
func tellDoubledOutput(f *flow) account {
	a := account{subjects: []RecordID{f.record}, partition: f.effects[0].TP.String(), offsets: []int64{f.effects[0].Offset}, jepsen: Duplicate}
	same := !slices.ContainsFunc(f.effects, func(e *Effect) bool { return e.Output != f.effects[0].Output })
	var where []string
	for _, e := range f.effects {
		a.steps = append(a.steps, e.Step)
		if same {
			where = append(where, "in "+e.Place)
		} else {
			where = append(where, e.Output+" in "+e.Place)
		}
	}
	output := ""
	if same {
		output = f.effects[0].Output + " stands "
	}
	took := "took effect " + times(len(f.effects))
	a.one = took + " in " + f.app + ", " + inSteps(a.steps...) + ": " + output + and(where) + "."
	a.several = took + " each in " + f.app + ", " + inSteps(a.steps...) + "."
	a.short = took + " in " + f.app + ", " + inSteps(a.steps...)
	return a
}

// neverDone says that a record has had no effect at an application.
func (x *index) neverDone(f *flow) string {
	if x.h.writesFor(f.app) {
		if f.sink != "" {
			return "took no effect in " + f.sink
		}
		return "took no effect in " + f.app
	}
	if len(x.h.Applications) > 1 {
		return "never processed by " + f.app
	}
	return "never processed"
}

// lastOutput tells what became of the last thing that an application made of a record, "" if it made nothing.
func (x *index) lastOutput(r RecordID) (words string, step int) {
	var last *Submission
	for i := range x.h.Submissions {
		if s := &x.h.Submissions[i]; s.From == r {
			last = s
		}
	}
	if last == nil {
		return x.lastRow(r)
	}
	words = "made into " + string(last.Record) + " " + inSteps(last.SendStep)
	switch t := x.txns[last.Txn]; {
	case t != nil && t.Outcome == TxnAborted:
		words += ", whose transaction was aborted " + inSteps(t.OutcomeStep)
		step = t.OutcomeStep
	case t == nil && last.Outcome.Error != "":
		words += ", which failed with " + last.Outcome.Error + " " + inSteps(last.Outcome.Step)
		step = last.Outcome.Step
	}
	return words, step
}

// lastRow tells what became of the last row that was written for a record, if that was rolled back.
func (x *index) lastRow(r RecordID) (words string, step int) {
	var last *RowWrite
	for i := range x.h.RowWrites {
		if w := &x.h.RowWrites[i]; w.Record == r {
			last = w
		}
	}
	if last == nil || last.RolledBack == 0 {
		return "", 0
	}
	return "written to table " + last.Table + " " + inSteps(last.Step) + " in a transaction that was rolled back " + inSteps(last.RolledBack), last.RolledBack
}
