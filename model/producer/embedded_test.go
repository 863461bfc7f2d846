package producer

import (
	"testing"

	"kafkatrial/model/protocol"
)

// What an application is to catch first: the example in KafkaProducer's documentation.
func TestWhichExceptionsAreFatal(t *testing.T) {
	for err, want := range map[protocol.Error]bool{protocol.ProducerFenced: true, protocol.OutOfOrderSequenceNumber: true, protocol.UnknownProducerID: true,
		protocol.IllegalState: true, protocol.TimeoutException: false, protocol.MessageTooLarge: false, protocol.InvalidProducerEpoch: false} {
		if got := (Exception{Err: err}).Fatal(); got != want {
			t.Errorf("%v: fatal %t", err, got)
		}
	}
}
