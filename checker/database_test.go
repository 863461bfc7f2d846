package checker

import (
	"strings"
	"testing"

	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// twoPlaces is an application that writes a record and a row for each record of orders, and m1, which it has read.
func twoPlaces(effects ...Effect) History {
	return History{
		Submissions:  []Submission{sub("m1", 1, 0, 3)},
		Appends:      []Append{written(1, "m1", 0, 2)},
		Logs:         ordersLog(entry("m1", 0, 2)),
		Reads:        []Read{read("m1", 0, 5)},
		Effects:      effects,
		Applications: []Application{{Name: "shop", Topics: []string{"orders"}, Writes: true, Sinks: []string{"out", "table t"}}},
		Quiescence:   rested,
		End:          30,
	}
}

func inTable(row string, step int) Effect {
	e := effect("m1", 0, step)
	e.Output, e.Place, e.Sink = row, "table t", "table t"
	return e
}

func inTopic(step int) Effect {
	e := effect("m1", 0, step)
	e.Output, e.Place, e.Sink = "m1.out", "out-0 at offset 0", "out"
	return e
}

func verdictOf(t *testing.T, h History, c Claim, l Level) Verdict {
	t.Helper()
	for _, v := range Judge(h, Options{}).Verdicts {
		if v.Claim == c && v.Level == l {
			return v
		}
	}
	t.Fatalf("no verdict on %s at the %s", c, l)
	return Verdict{}
}

// An application that writes to two places owes a record to each of them, and once to each.
func TestEachPlaceIsJudgedByItself(t *testing.T) {
	for _, test := range []struct {
		name        string
		effects     []Effect
		most, least Ruling
		words       string
		soFar       [2]string // at the end, of at-most-once and at-least-once
	}{
		{"once in each", []Effect{inTopic(7), inTable("row 1", 8)}, Holds, Holds, "", [2]string{"holds so far", "holds so far"}},
		{"twice in one", []Effect{inTopic(7), inTable("row 1", 8), inTable("row 2", 12)}, Violated, Holds,
			"m1 took effect twice in shop, in steps 8 and 12: row 1 in table t and row 2 in table t.", [2]string{"violated", "holds so far"}},
		{"missing in one", []Effect{inTopic(7)}, Holds, Violated, "took no effect in table t", [2]string{"holds so far", "at risk"}},
	} {
		h := twoPlaces(test.effects...)
		most, least := verdictOf(t, h, AtMostOnce, AtApplication), verdictOf(t, h, AtLeastOnce, AtApplication)
		if most.Ruling != test.most || least.Ruling != test.least {
			t.Errorf("%s: at-most-once %s, at-least-once %s", test.name, most.Ruling, least.Ruling)
		}
		if words := most.Evidence.Sentence + least.Evidence.Sentence; !strings.Contains(words, test.words) {
			t.Errorf("%s: %q", test.name, words)
		}
		h.Appends = append(h.Appends, copied(2, "m1", 0, 3)) // safe in the log, so that only the application is in question
		so := SoFar(h, 20)
		if string(so[0].State) != test.soFar[0] || string(so[1].State) != test.soFar[1] {
			t.Errorf("%s so far: %v", test.name, so)
		}
	}
}

// A row in a table from which rows are passed on is owed to the log.
func TestARowThatIsPassedOnIsOwedToTheLog(t *testing.T) {
	row := Submission{ID: "outbox#1", Record: "m1", Producer: "app", TP: TopicPartition{Topic: "outbox"}, SendStep: 1,
		Outcome: Outcome{Kind: Acked, Offset: 1, Step: 1}, InTable: true}
	table := Log{TP: row.TP, Table: true}
	missing := History{Submissions: []Submission{row, sub("m0", 1, 0, 3)}, Appends: []Append{written(1, "m0", 0, 2)}, Logs: append(ordersLog(entry("m0", 0, 2)), table), Quiescence: rested, End: 30}
	v := verdictOf(t, missing, AtLeastOnce, AtLog)
	if v.Ruling != Violated || v.Evidence.Sentence != "m1 was acknowledged in step 1, never appended to any log, and is in no log at the end." {
		t.Errorf("%s: %s", v.Ruling, v.Evidence.Sentence)
	}
	if got := SoFar(missing, 1)[1].String(); got != "at-least-once: at risk m1 (committed in a table, in no log yet)" {
		t.Errorf("so far %q", got)
	}
	for _, claim := range []Claim{Linearizable, Ordered, MonotonicRead} {
		if v := verdictOf(t, missing, claim, AtLog); v.Ruling != Holds {
			t.Errorf("a table is no log, and %s is %s: %s", claim, v.Ruling, v.Evidence.Sentence)
		}
	}
	passed := missing
	passed.Submissions = append(passed.Submissions, sub("m1", 4, 1, 6))
	passed.Appends = append(passed.Appends, written(1, "m1", 1, 5))
	passed.Logs = append(ordersLog(entry("m0", 0, 2), entry("m1", 1, 5)), table)
	if v := verdictOf(t, passed, ExactlyOnce, AtLog); v.Ruling != Holds {
		t.Errorf("%s: %s", v.Ruling, v.Evidence.Sentence)
	}
	passed.Submissions = append(passed.Submissions, sub("m1", 7, 2, 9).again("2"))
	passed.Appends = append(passed.Appends, Append{TP: orders, Broker: 1, AsLeader: true, Epoch: 1, Offset: 2, Submission: "m1#2", Record: "m1", Step: 8})
	passed.Logs = append(ordersLog(entry("m0", 0, 2), entry("m1", 1, 5), entry("m1", 2, 8).of("m1#2")), table)
	if v := verdictOf(t, passed, AtMostOnce, AtLog); v.Ruling != Violated {
		t.Errorf("passed on twice: %s", v.Ruling)
	}
}

// A row that stays in its database is owed to the application that reads it, and to no log.
func TestARowThatIsKeptIsOwedToNoLog(t *testing.T) {
	row := Submission{ID: "a#1", Record: "m1", Producer: "other", TP: TopicPartition{Topic: "a"}, SendStep: 1,
		Outcome: Outcome{Kind: Acked, Offset: 1, Step: 1}, InTable: true, Kept: true}
	h := History{Submissions: []Submission{row, sub("m0", 1, 0, 3)}, Appends: []Append{written(1, "m0", 0, 2), copied(2, "m0", 0, 3)},
		Logs: append(ordersLog(entry("m0", 0, 2)), Log{TP: row.TP, Table: true}), Quiescence: rested, End: 30,
		Applications: []Application{{Name: "shop", Topics: []string{"a"}, Table: true, Writes: true, Sinks: []string{"table t"}}}}
	if v := verdictOf(t, h, AtLeastOnce, AtLog); v.Ruling != Holds {
		t.Errorf("%s: %s", v.Ruling, v.Evidence.Sentence)
	}
	if got := SoFar(h, 20)[1].String(); got != "at-least-once: at risk m1 (acknowledged, its result not yet committed)" {
		t.Errorf("so far %q", got)
	}
	if v := verdictOf(t, h, AtLeastOnce, AtApplication); v.Ruling != Violated || v.Evidence.Sentence != "m1 was acknowledged in step 1 and took no effect in shop." {
		t.Errorf("%s: %s", v.Ruling, v.Evidence.Sentence)
	}
	h.Applications[0].Table = false // a topic of the same name
	if v := verdictOf(t, h, AtLeastOnce, AtApplication); v.Ruling != Holds {
		t.Errorf("%s: %s", v.Ruling, v.Evidence.Sentence)
	}
}

// What is said of a row whose transaction was rolled back.
func TestARowThatWasRolledBackIsTold(t *testing.T) {
	h := twoPlaces()
	h.Applications[0].Sinks = nil
	h.RowWrites = []RowWrite{{Record: "m1", Consumer: "c", Table: "t", Row: 1, Step: 8, RolledBack: 11}}
	const want = "m1 was acknowledged in step 3, read by c in step 5, written to table t in step 8 in a transaction that was rolled back in step 11, and took no effect in shop."
	if v := verdictOf(t, h, AtLeastOnce, AtApplication); v.Evidence.Sentence != want {
		t.Errorf("%s: %q", v.Ruling, v.Evidence.Sentence)
	}
}

// Each database counts its own transactions: a rollback in one says nothing of the transaction of the same number in another.
func TestARollbackIsOfOneDatabase(t *testing.T) {
	var x extractor
	for _, db := range []sim.NodeID{5, 6} {
		x.databaseEvent(&sim.Recorded{Node: db, Event: &event.RowInserted{Number: 1, Row: &protocol.Row{Table: "t", Client: sim.Nobody}}}, 3)
	}
	x.databaseEvent(&sim.Recorded{Node: 6, Event: &event.DatabaseRolledBack{Number: 1}}, 4)
	if w := x.h.RowWrites; w[0].RolledBack != 0 || w[1].RolledBack != 4 {
		t.Errorf("rolled back in step %d and in step %d", w[0].RolledBack, w[1].RolledBack)
	}
}
