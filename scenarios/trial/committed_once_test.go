package trial

import (
	"testing"

	"kafkatrial/checker"
	"kafkatrial/scenarios"
)

// committedOnce: a record counts if its transaction was committed, and is owed if the application was told so.
func committedOnce(kafka ...string) Property {
	return transactions("committed once", "What is in a committed transaction is in the log once, and read once by a reader of what is committed, and nothing else is; whatever is sent again.",
		checker.ExactlyOnce, kafka...)
}

func TestWhatIsCommittedIsThereOnce(t *testing.T) { Check(t, committedOnce("4.2", "4.1", "4.0")) }

// Up to 3.9 neither half of it holds: an application that aborts and sends again in its next transaction may find the
// records twice, and one that was told of a commit may find nothing.
func TestWhatIsCommittedCanBeThereTwiceOrNotAtAll(t *testing.T) {
	for claim, first := range map[checker.Claim]int{checker.AtMostOnce: 60, checker.AtLeastOnce: 60} {
		t.Run(string(claim), func(t *testing.T) {
			p := stuck("3.9")
			p.Name, p.Says = string(claim)+" in transactions", "What is stuck on its way harms no committed transaction."
			p.Claims = AtLog(claim)
			seekFrom(t, p, first)
		})
	}
}

// Before transactions v2 a batch that is given up while its transaction is being aborted gives its sequence numbers back, though it may
// have been written, and the epoch stays. A leader takes the first batch of the next transaction for it, and acknowledges
// what it does not append (Sender.completeBatch, TransactionManager.adjustSequencesDueToFailedBatch).
func TestANumberIsLentToTheNextTransaction(t *testing.T) {
	for kafka, first := range map[string]int{"3.5": 480, "0.11": 180} {
		t.Run(kafka, func(t *testing.T) {
			p := stuck(kafka)
			p.Name, p.Says = "numbers of "+kafka, "What is acknowledged in a committed transaction is in the log."
			p.Claims, p.Allow = AtLog(checker.AtLeastOnce), only("b")
			p.When = func(r *scenarios.Run) bool { return happened(r, takenForAnother) }
			seekFrom(t, p, first)
		})
	}
}
