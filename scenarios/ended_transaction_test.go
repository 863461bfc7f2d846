package scenarios

import (
	"testing"

	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/scenarios/format"
)

// KAFKA-19690 changes no verdict, since KafkaProducer takes both errors for the end of the transaction. What its application is told is
// what the scenario is about.
func TestWhatAProducerIsToldOfAnEndedTransaction(t *testing.T) {
	o, err := Open("ended-while-the-leader-asks")
	if err != nil {
		t.Fatal(err)
	}
	told := []protocol.Error{protocol.InvalidProducerEpoch, protocol.InvalidTxnState, protocol.InvalidTxnState}
	files := append([]*format.File{o.File}, Variants(o.File)...)
	if len(files) != len(told) {
		t.Fatalf("%d runs, want %d", len(files), len(told))
	}
	for i, f := range files {
		r, err := New(f, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r.Finish()
		var got []protocol.Error
		for j := range r.World.Trace().Events {
			if e, ok := r.World.Trace().Events[j].Event.(*event.TxnAbortable); ok {
				got = append(got, e.Err)
			}
		}
		if len(got) != 1 || got[0] != told[i] {
			t.Errorf("%s: %v, want %v", variantName(i, f), got, told[i])
		}
	}
}
