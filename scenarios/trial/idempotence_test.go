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

// restarted is an application whose process ends between sends. The next process does not know what became of the
// records that the last one sent, and sends them again.
func restarted() Property {
	s := threeCopies()
	s.Kafka = append(append([]string{}, kraft...), "2.8", "0.11")
	s.Producer = []Setting{Set("acks", "all"), Set("enable.idempotence", "true")}
	s.Restarts = []bool{true}
	return Property{Name: "idempotence over a restart",
		Says:   "With enable.idempotence=true a record is written once, though the application is restarted and sends it again.",
		Shape:  s,
		Claims: AtLog(checker.AtMostOnce), MayNotRest: true}
}

// The session ends with the process: the next one has another producer id, and to a broker its records are new.
func TestIdempotenceEndsWithTheSession(t *testing.T) {
	found := Seek(t, restarted(), 50)
	if n := len(found.Run.Answers()); n != 0 {
		t.Errorf("it takes %d decisions, where none is needed", n)
	}
}

func TestIdempotenceWritesOnce(t *testing.T) { Check(t, idempotent()) }
