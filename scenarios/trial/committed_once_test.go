package trial

import (
	"testing"

	"kafkatrial/checker"
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
