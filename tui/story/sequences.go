package story

import (
	"fmt"

	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// sequence tells the number of an idempotent producer's batch, "" of another's.
func sequence(f *sim.Recorded) string {
	b := event.Batch(f.Event)
	switch {
	case b == nil || !b.HasProducerID():
		return ""
	case b.ProducerEpoch > 0:
		return fmt.Sprintf(" (epoch %d, sequence %d)", b.ProducerEpoch, b.BaseSequence)
	}
	return fmt.Sprintf(" (sequence %d)", b.BaseSequence)
}

// notInSequence says what the broker expected in the place of a batch that it refuses for its number.
func notInSequence(e *event.ProduceRefused) string {
	b, err := e.Batch, e.Err
	switch {
	case b == nil || err != protocol.OutOfOrderSequenceNumber && err != protocol.UnknownProducerID:
		return ""
	case e.LastSequence < 0:
		return fmt.Sprintf("; its sequence is %d, and nothing is known of its producer", b.BaseSequence)
	}
	return fmt.Sprintf("; its sequence is %d, and the last one appended is %d", b.BaseSequence, e.LastSequence)
}

// producerStateSource says from what a broker that starts has made the state of its producers.
func producerStateSource(e *event.ProducerStateLoaded) string {
	if e.Snapshot < 0 {
		return "its log, read again"
	}
	return fmt.Sprintf("its snapshot at offset %d and what the log holds after it", e.Snapshot)
}

// counted writes "1 batch", "2 batches".
func counted(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if what == "batch" {
		what += "e"
	}
	return fmt.Sprintf("%d %ss", n, what)
}
