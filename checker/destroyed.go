package checker

import (
	"slices"
	"strconv"
)

// What kept a record from taking effect, in words.

// deathAfter finds the first death after the last read of a record: of the process that had read it, or of the
// application's database. It is nil if there was none, and then nothing that died had the record in hand.
func (x *index) deathAfter(f *flow) *Death {
	var last *Read
	for i := range x.h.Reads {
		if r := &x.h.Reads[i]; r.Application == f.app && r.Record == f.record {
			last = r
		}
	}
	if last == nil {
		return nil
	}
	for i := range x.h.Deaths {
		d := &x.h.Deaths[i]
		if d.Step > last.Step && slices.Contains(d.Applications, f.app) && (d.Database || d.Node == last.Consumer) {
			return d
		}
	}
	return nil
}

// blocker finds what keeps readers in read_committed from an entry: the first entry before it whose transaction never
// ended, where the last stable offset stays. It is nil if nothing does, or if the application reads uncommitted records.
func (x *index) blocker(app string, e placed) *Entry {
	l := x.logs[e.tp]
	if l == nil || !slices.ContainsFunc(x.h.Applications, func(a Application) bool { return a.Name == app && a.ReadCommitted }) {
		return nil
	}
	for i := range l.Entries {
		switch b := &l.Entries[i]; {
		case b.Offset >= e.Offset:
			return nil
		case !b.Control && b.Fate == Unmarked:
			return b
		}
	}
	return nil
}

// tellBlocker says what stands before a record in the log.
func tellBlocker(b *Entry) string {
	return "kept from readers in read_committed by " + string(b.Record) + " at offset " + strconv.FormatInt(b.Offset, 10) + ", appended " +
		inSteps(b.Step) + " in a transaction that never ended"
}
