package trial

import (
	"testing"

	"kafkatrial/checker"
)

// endOffset: what a consumer is told to be the end of a partition (KIP-207, KAFKA-2334).
func endOffset(kafka ...string) Property {
	s := threeCopies().With(onZooKeeper)
	s.Kafka, s.Within = kafka, "1m"
	s.Sends = []int{3, 4}
	s.Faults.Budget = 6
	return Property{Name: "end offsets", Says: "The end of a partition that readers are told never goes back.", Shape: s,
		Invariants: []string{checker.ReaderEndForward}, MayNotRest: true}
}

// Before 2.2 a new leader tells its own high watermark, which may be behind that of the leader before.
func TestEndOffsetsCanGoBack(t *testing.T) { Seek(t, endOffset("2.1"), 3000) }

func TestEndOffsetsGoForward(t *testing.T) { Check(t, endOffset("2.8", "2.6", "2.2")) }
