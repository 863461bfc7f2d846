package trial

import (
	"slices"
	"strings"
	"testing"

	"kafkatrial/checker"
	"kafkatrial/scenarios"
)

func noAbortedRead(kafka ...string) Property {
	return transactions("no aborted read", "A reader of what is committed gets no record of a transaction that is aborted, nor of one whose commit nobody has asked for.",
		checker.NoAbortedRead, kafka...)
}

func TestNothingAbortedIsRead(t *testing.T) { Check(t, noAbortedRead("4.2", "4.1", "4.0")) }

// lateRecords says that a record which arrives after its transaction was aborted is never committed.
func lateRecords(p Property) Property {
	p.Name, p.Says = "late records of "+p.Shape.Kafka[0], "A record that arrives after its transaction was aborted is never committed."
	p.Claims = AtLog(checker.NoAbortedRead, checker.AtMostOnce)
	p.When = func(r *scenarios.Run) bool { return happened(r, lateProduceJoins) && !happened(r, lateEnd) }
	return p
}

// A record that is late for its transaction, which was aborted, is taken for one of the next transaction and committed
// with it (KAFKA-14402). From 3.6 on a leader asks the coordinator, which knows of the next transaction only.
func TestALateRecordJoinsTheNextTransaction(t *testing.T) {
	if testing.Short() {
		t.Skip("searches hundreds of generated runs for a failure, and shrinks it")
	}
	for kafka, first := range map[string]int{"3.5": 1, "0.11": 550} {
		t.Run(kafka, func(t *testing.T) { seekFrom(t, lateRecords(stuck(kafka)), first) })
	}
}

// What the coordinator says is not enough where two transactions bear one epoch. A producer raises its epoch after a batch that
// failed, but for one that fails while it aborts (TransactionManager.maybeTransitionToErrorState): there the record
// has to be given up after one request. And the coordinator has to be on another broker than the partition, or the
// request to abort is stuck on the same connection, behind the record, and ends the next transaction too. From 4.0 on
// each transaction has an epoch of its own (KIP-890, part 2).
func TestALateRecordJoinsThoughTheCoordinatorIsAsked(t *testing.T) {
	if testing.Short() {
		t.Skip("searches hundreds of generated runs for a failure, and shrinks it")
	}
	seekFrom(t, lateRecords(givenUp("3.9")), 1)
	for seed := 1; seed <= 250; seed++ {
		if trial := lateRecords(givenUp("4.0")).Run(seed); len(trial.Findings) > 0 {
			t.Fatalf("Kafka 4.0, seed %d: %v", seed, trial.Findings)
		}
	}
}

// A request to commit that is late commits the next transaction, before its application has asked for that, or although
// it then aborts (KAFKA-17754).
func TestALateCommitEndsTheNextTransaction(t *testing.T) {
	for kafka, first := range map[string]int{"3.9": 60, "3.5": 60, "0.11": 20} {
		t.Run(kafka, func(t *testing.T) {
			p := stuck(kafka)
			p.Name, p.Says = "late commits of "+kafka, "A request that is stuck on its way commits no other transaction than its own."
			p.Claims = []Clause{{Claim: checker.NoAbortedRead}}
			p.When = func(r *scenarios.Run) bool { return happened(r, lateEnd) }
			seekFrom(t, p, first)
		})
	}
}

// In 4.0 and 4.1 the marker of a transaction and the records of the next bear the same epoch. A marker that a coordinator
// has given up and sent again, and that arrives late, ends the next transaction (KAFKA-19999). 4.2 refuses it (KIP-1228).
func TestALateMarkerEndsTheNextTransaction(t *testing.T) {
	if testing.Short() {
		t.Skip("searches hundreds of generated runs for a failure, and shrinks it")
	}
	p := stuck("4.0")
	p.Name, p.Says = "late markers of 4.0", "A marker that is stuck on its way ends no other transaction than its own."
	p.Shape.Broker = append(p.Shape.Broker, Set("request.timeout.ms", "1500"))
	p.Claims, p.Allow = ofTransactions(), only("b")
	found := seekFrom(t, p, 20)
	if broken := p.Run(217).Run.Broken(); !slices.ContainsFunc(broken, func(b checker.Breach) bool {
		return b.Invariant == checker.SameDecision && strings.Contains(b.GivenUp, checker.BeforeKIP1228.String())
	}) {
		t.Errorf("the invariants do not see any more that the marker says something else than the decision: look for another seed: %v", broken)
	}
	p.Shape.Kafka = []string{"4.2"}
	Check(t, p)
	if n := len(found.Run.Answers()); n != 1 {
		t.Errorf("it takes %d decisions, where one does", n)
	}
}

// With Kafka's default, isolation.level=read_uncommitted, an application reads what is aborted.
func TestReadUncommittedReadsWhatIsAborted(t *testing.T) {
	p := noAbortedRead("4.2", "3.9", "0.11")
	p.Name, p.Says = "reading uncommitted", "A reader at the default level gets no record of a transaction that is aborted."
	p.Shape.Consumer = []Setting{Set("auto.offset.reset", "earliest")}
	p.Claims = AtApplication(checker.NoAbortedRead)
	p.Shape.Faults.Budget, p.Shape.Faults.Late = 0, nil
	Seek(t, p, 50)
}
