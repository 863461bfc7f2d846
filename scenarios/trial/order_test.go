package trial

import (
	"testing"

	"kafkatrial/checker"
)

func ordered(inFlight string) Property {
	s := threeCopies()
	s.Producer = append(s.Producer, Set("max.in.flight.requests.per.connection", inFlight))
	s.Records = []int{1, 2, 3}
	s.After = []string{"0", "1ms", "5ms", "3s"}
	return Property{Name: "order with " + inFlight + " in flight",
		Says:  "With max.in.flight.requests.per.connection=" + inFlight + " a producer's records keep their order within a partition.",
		Shape: s, Claims: AtLog(checker.Ordered), MayNotRest: true}
}

func TestOneInFlightKeepsOrder(t *testing.T) {
	p := ordered("1")
	p.Shape.Kafka = append(append([]string{}, kraft...), "2.8", "2.1", "1.1", "0.11")
	Check(t, p)
}

func TestFiveInFlightCanReorder(t *testing.T) { Seek(t, ordered("5"), 3000) }
