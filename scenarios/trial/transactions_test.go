package trial

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"kafkatrial/checker"
	"kafkatrial/sim"
)

// rough is how a run of a transactional world is drawn from a seed: a message in thirty is late, and brokers,
// producers and links fail a few times.
var rough = sim.Weights{Fault: 2_000, Repair: 10_000, Late: 30_000, Lost: 1_000}

// ofTransactions are the claims that transactions are there for.
func ofTransactions() []Clause {
	return clauses("", []checker.Claim{checker.Atomic, checker.NoAbortedRead, checker.Fenced, checker.ExactlyOnce})
}

// transactions is a statement about transactions of these releases.
func transactions(name, says string, claim checker.Claim, kafka ...string) Property {
	return Property{Name: name, Says: says, Shape: transactional(kafka...), Claims: []Clause{{Claim: claim}}, Weights: rough}
}

// transactionStorm is a transactional world of one release with every claim on trial.
func transactionStorm(kafka string) Property {
	p := Property{Name: "transactions of " + kafka, Says: "Transactions of Kafka " + kafka + " are atomic, nothing aborted is read, zombies are shut out, and what is committed is there once.",
		Shape: transactional(kafka), Claims: ofTransactions(), Weights: rough}
	if kafka == "4.2" {
		p.Shape = p.Shape.With(lateMarkers)
	}
	p.Reaches = []string{"a coordinator shut out a producer", "a transaction timed out", "a leader recognised a duplicate batch"}
	return p
}

// coordinatorsDie is the same with nothing but brokers that die, often, and start again, so that one does while it has a
// transaction to end.
func coordinatorsDie(kafka string) Property {
	p := transactionStorm(kafka)
	p.Name += " when coordinators die"
	p.Shape.Faults = sim.FaultModel{Node: sim.CanKill, Among: []string{"b1", "b2", "b3"}, Late: []sim.Time{2 * sim.Millisecond, 30 * sim.Millisecond}, Budget: 6, MaxDown: 1}
	p.Weights = sim.Weights{Fault: 10_000, Repair: 10_000, Late: 100_000}
	p.Reaches = []string{"a new coordinator ends what was decided before it"}
	return p
}

// answersComeLate has every claim on trial where a leader hears that a transaction is open when it no longer is, which a storm leads to
// in one run of some hundred.
func answersComeLate(kafka string) Property {
	p := lateVerification(kafka)
	p.Name, p.Says = "transactions of "+kafka+" when answers come late", "What is appended after its transaction has ended is in no other."
	p.Claims, p.When, p.Reaches = ofTransactions(), nil, []string{"a leader refused a record of a transaction that has ended"}
	return p
}

// TestTransactionsKeepEveryClaim makes runs of transactions v2 from seeds, in which nothing may be violated. Requests
// of brokers wait long for their answers, unless the release is 4.2: see TestALateMarkerEndsTheNextTransaction.
func TestTransactionsKeepEveryClaim(t *testing.T) {
	for _, kafka := range []string{"4.2", "4.1", "4.0"} {
		for _, p := range []Property{transactionStorm(kafka), coordinatorsDie(kafka), answersComeLate(kafka)} {
			t.Run(p.Name, func(t *testing.T) {
				t.Parallel()
				seeds := 120
				if testing.Short() {
					seeds = 20
				}
				if n, err := strconv.Atoi(os.Getenv("TRIAL_SEEDS")); err == nil {
					seeds = n // to hunt for more
				}
				met := met{}
				for seed := 1; seed <= seeds; seed++ {
					trial := p.Run(seed)
					if met.note(trial); len(trial.Findings) > 0 {
						report(t, p, trial)
						return
					}
				}
				if missed := met.missed(p.Reaches); len(missed) > 0 && !testing.Short() {
					t.Errorf("no run has met %q", missed)
				}
			})
		}
	}
}

// TestGeneratedTransactionsAreWorthTheirName: worlds without faults have every way in which a transaction can begin, end
// and overlap with others, and all of it goes as the script has it.
func TestGeneratedTransactionsAreWorthTheirName(t *testing.T) {
	p := transactions("calm transactions", "Without faults every transaction ends as it is asked to.", checker.ExactlyOnce, "4.2", "3.9", "0.11")
	p.Shape.Faults = sim.FaultModel{}
	var committed, aborted, open, overlapping, redone, twoPartitions int
	for seed := range 60 {
		trial := p.Run(seed + 1)
		if len(trial.Findings) > 0 {
			t.Fatalf("seed %d: %v", seed+1, trial.Findings)
		}
		h := trial.Run.History()
		redone += strings.Count(string(trial.World.Source), "again: true")
		for i, x := range h.Txns {
			switch {
			case x.Outcome == checker.TxnCommitted:
				committed++
			case x.Outcome == checker.TxnAborted:
				aborted++
			default:
				open++
			}
			for _, y := range h.Txns[:i] {
				if y.Producer != x.Producer && (y.OutcomeStep == 0 || y.OutcomeStep > x.Begin) {
					overlapping++
				}
			}
			partitions := map[checker.TopicPartition]bool{}
			for _, s := range h.Submissions {
				if s.Txn == x.ID {
					partitions[s.TP] = true
				}
			}
			if len(partitions) == 2 {
				twoPartitions++
			}
		}
	}
	t.Logf("%d committed, %d aborted, %d left open; %d overlap, %d over two partitions; %d sends made again", committed, aborted, open, overlapping, twoPartitions, redone)
	for what, n := range map[string]int{"committed": committed, "aborted": aborted, "open": open, "overlapping": overlapping, "redone": redone, "over two partitions": twoPartitions} {
		if n < 10 {
			t.Errorf("only %d are %s", n, what)
		}
	}
}
