package trial

import (
	"testing"

	"kafkatrial/checker"
)

// retrying producers without idempotence.
func retrying() Property {
	s := threeCopies()
	return Property{Name: "retries", Says: "A producer without idempotence that retries writes no record twice.", Shape: s,
		Claims: AtLog(checker.AtMostOnce)}
}

func TestRetriesCanDuplicate(t *testing.T) { Seek(t, retrying(), 1000) }

// Where nothing is sent twice, nothing is written twice. (The network does not double messages here. Over TCP
// it can not; a broker has no way to tell a doubled request of such a producer from a second one.)
func TestWithoutRetriesNoDuplicates(t *testing.T) {
	if testing.Short() {
		t.Skip("carries out hundreds of generated runs")
	}
	for name, set := range map[string][]Setting{
		"retries 0": {Set("acks", "all", "1"), Set("retries", "0"), Set("enable.idempotence", "false")},
		"acks 0":    {Set("acks", "0"), Set("enable.idempotence", "false")},
	} {
		t.Run(name, func(t *testing.T) {
			p := retrying()
			p.Name, p.Says = "no duplicates with "+name, "With "+name+" no record is written twice."
			p.Shape.Producer = set
			p.Shape.Faults.Duplicate = false
			p.Shape.Kafka = append(append([]string{}, kraft...), "2.8", "2.1", "1.1", "0.11", "0.10")
			p.MayNotRest = true
			Check(t, p)
		})
	}
}
