package trial

import (
	"testing"

	"kafkatrial/checker"
	"kafkatrial/scenarios"
)

func atomic(kafka ...string) Property {
	return transactions("transactions are atomic", "A transaction's records become visible all or none.", checker.Atomic, kafka...)
}

func TestTransactionsAreAtomic(t *testing.T) { Check(t, atomic("4.2", "4.1", "4.0")) }

// Up to 3.9 transactions of a producer follow each other under one epoch, and a request to end one that arrives late
// ends the next in the middle (KAFKA-17754). Where the seeds begin is chosen, so that the search is short.
func TestALateEndTearsTheNextTransaction(t *testing.T) {
	if testing.Short() {
		t.Skip("searches hundreds of generated runs for a failure, and shrinks it")
	}
	for kafka, first := range map[string]int{"3.9": 690, "3.5": 60, "0.11": 350} {
		t.Run(kafka, func(t *testing.T) {
			p := stuck(kafka)
			p.Name, p.Says = "torn transactions of "+kafka, "A request that is stuck on its way tears no transaction."
			p.Claims = AtLog(checker.Atomic)
			p.When = func(r *scenarios.Run) bool { return happened(r, lateEnd) }
			seekFrom(t, p, first)
		})
	}
}
