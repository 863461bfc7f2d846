package trial

import (
	"testing"

	"kafkatrial/checker"
)

// idempotent producers, whose requests the network may even double.
func idempotent() Property {
	s := threeCopies()
	s.Kafka = append(append([]string{}, kraft...), "2.8", "2.5", "1.1")
	s.Producer = []Setting{Set("acks", "all"), Set("enable.idempotence", "true"), Set("linger.ms", "0", "5"),
		Set("max.in.flight.requests.per.connection", "5", "1")}
	s.Records = []int{1, 2, 3}
	return Property{Name: "idempotence",
		Says:       "With enable.idempotence=true every acknowledged record is in the log once, in the producer's order, whatever is sent again.",
		Shape:      s,
		Claims:     AtLog(checker.AtMostOnce, checker.AtLeastOnce, checker.ExactlyOnce, checker.Ordered),
		MayNotRest: true}
}

func TestIdempotenceWritesOnce(t *testing.T) { Check(t, idempotent()) }
