package trial

import (
	"testing"

	"kafkatrial/checker"
	"kafkatrial/scenarios"
)

// stuckBeside is a partition that two producers write to, so that what one leaves open holds up the other's records.
func stuckBeside(kafka string) Property {
	p := stuck(kafka)
	p.Shape.Producers, p.Shape.Partitions = []int{2}, []int{1}
	p.Name, p.Says = "hanging transactions of "+kafka, "What is committed is read, though a request of another producer is stuck on its way."
	p.Claims = AtApplication(checker.AtLeastOnce)
	p.When = func(r *scenarios.Run) bool { return happened(r, hanging) && !happened(r, lateEnd) }
	return p
}

// Up to 3.5 a record that arrives after its transaction was aborted opens one that nobody will ever end, and readers of
// what is committed get nothing behind it (KAFKA-14402). What is left of such a run is short: one request
// that is late.
func TestALateRecordLeavesATransactionHanging(t *testing.T) {
	for _, c := range []struct {
		kafka           string
		first, shortest int
	}{{"3.5", 260, 1}, {"0.11", 1220, 2}} {
		t.Run(c.kafka, func(t *testing.T) {
			found := seekFrom(t, stuckBeside(c.kafka), c.first)
			if n := len(found.Run.Answers()); n > c.shortest {
				t.Errorf("it takes %d decisions, where %d are known to be enough", n, c.shortest)
			}
		})
	}
}

// From 3.6 on a leader asks the coordinator before it appends (KIP-890).
func TestNothingHangs(t *testing.T) {
	for _, kafka := range []string{"4.2", "4.0", "3.9"} {
		p := stuckBeside(kafka)
		for seed := 1; seed <= 100; seed++ {
			if trial := p.Run(seed); len(trial.Findings) > 0 || happened(trial.Run, hanging) && !happened(trial.Run, lateEnd) {
				t.Errorf("Kafka %s, seed %d: %v", kafka, seed, trial.Findings)
			}
		}
	}
}

// lateVerification is a release in which a leader asks the coordinator, another broker, whether a transaction is open, and
// in which the answer can come when it no longer is. Transactions are many, so that one is committed behind what hangs then.
func lateVerification(kafka string) Property {
	p := stuckBeside(kafka)
	p.Name, p.Says = "late verification", "What is committed is read, though answers of brokers are stuck on their way."
	p.Shape.Brokers, p.Allow = []int{2}, only("b")
	p.Shape.Transactions.Count = []int{6, 8}
	return p
}
