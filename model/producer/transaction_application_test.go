package producer

import (
	"strings"
	"testing"

	"kafkatrial/model/protocol"
)

// An application that uses transactions as the documentation asks aborts what failed and goes on with its next
// transaction, closes after what is fatal, and calls initTransactions itself.
func TestAnApplicationThatKeepsToTheDocumentation(t *testing.T) {
	two := []protocol.Command{beginCall, sendCall, commitCall, beginCall, sendCall, commitCall}
	for _, c := range []struct {
		name, version string
		errors        map[string][]protocol.Error
		calls         []protocol.Command
		told          string
		asked         string // of the coordinator, at the end
	}{
		{"all is well", "3.9", nil, two, "committed, committed", "End commit"},
		{"it was told to initialise", "3.9", nil, append([]protocol.Command{initCall}, two...), "committed, committed", "End commit"},
		{"abortable", "3.9", map[string][]protocol.Error{"Produce": {protocol.MessageTooLarge}}, two,
			"abortable, send: MESSAGE_TOO_LARGE, commitTransaction: MESSAGE_TOO_LARGE, aborted, committed", "End commit"},
		{"fatal", "3.9", map[string][]protocol.Error{"End": {protocol.ProducerFenced}}, two,
			"fatal, commitTransaction: PRODUCER_FENCED", "End commit"},
		{"the rest of an aborted transaction is left out", "3.9", map[string][]protocol.Error{"OffsetCommit": {protocol.IllegalGeneration}},
			[]protocol.Command{beginCall, offsetCall, sendCall, commitCall, beginCall, sendCall, commitCall},
			"abortable, sendOffsetsToTransaction: ILLEGAL_GENERATION, aborted, committed", "End commit"},
		{"what belongs to no transaction is left out", "3.9", nil, []protocol.Command{sendCall, commitCall, abortCall, beginCall, sendCall, {Flush: true}, abortCall}, "aborted", "End abort"},
		{"a commit takes long", "3.9", map[string][]protocol.Error{"End": repeat(protocol.ConcurrentTransactions, 80)}, two,
			"commitTransaction: TimeoutException, committed, committed", "End commit"},
		{"so does initTransactions", "3.9", map[string][]protocol.Error{"Init": repeat(protocol.ConcurrentTransactions, 80)}, two,
			"initTransactions: TimeoutException, committed, committed", "End commit"},
	} {
		got, told := transactAs(t, Application{OnError: Abort}, c.version, c.errors, c.calls...)
		if told != c.told || !strings.HasSuffix(got, c.asked) {
			t.Errorf("%s: told %s; want %s; asked %s", c.name, told, c.told, got)
		}
	}
}

// After a time-out of commitTransaction the call may also end in an exception, and that ends the wait: the application
// may then abort (TransactionalRequestResult.isAcked).
func TestACommitThatFailsWhileItIsRetriedMayBeAborted(t *testing.T) {
	errors := map[string][]protocol.Error{"End": append(repeat(protocol.ConcurrentTransactions, 80), protocol.UnknownProducerID)}
	_, told := transactAs(t, Application{OnError: Abort}, "3.9", errors, beginCall, sendCall, commitCall)
	if want := "commitTransaction: TimeoutException, abortable, commitTransaction: UNKNOWN_PRODUCER_ID, aborted"; told != want {
		t.Errorf("told %s; want %s", told, want)
	}
}

// While a coordinator is asked the Sender does nothing else: a batch whose time is over meanwhile expires afterwards.
func TestABatchDoesNotExpireWhileACoordinatorIsAsked(t *testing.T) {
	settings := [][2]string{{"delivery.timeout.ms", "1000"}, {"request.timeout.ms", "900"}}
	errors := map[string][]protocol.Error{"AddPartitions": repeat(protocol.ConcurrentTransactions, 100)}
	_, told, steps := transactWith(t, Application{OnError: Abort}, settings, "3.9", errors, beginCall, sendCall, commitCall)
	if want := "abortable, send: TimeoutException, commitTransaction: TimeoutException, aborted"; told != want {
		t.Errorf("told %s; want %s", told, want)
	}
	if steps > 1000 {
		t.Errorf("it takes %d steps", steps)
	}
}

// A batch that is given up while the transaction is being aborted has the epoch raised, but by nobody: from 2.5 to 3.9
// abortTransaction returns, and no other transaction can be begun.
func TestABatchThatExpiresInAnAbort(t *testing.T) {
	settings := [][2]string{{"delivery.timeout.ms", "1000"}, {"request.timeout.ms", "900"}}
	for version, want := range map[string]string{
		"2.4": "send: TimeoutException, fatal, abortTransaction: KafkaException",
		"2.5": "send: TimeoutException, aborted, beginTransaction: IllegalStateException",
		"3.9": "send: TimeoutException, aborted, beginTransaction: IllegalStateException",
		"4.0": "send: TimeoutException, aborted, committed",
	} {
		silent := map[string][]protocol.Error{"no answer to Produce": nil}
		_, told, _ := transactWith(t, Application{OnError: Abort}, settings, version, silent, beginCall, sendCall, protocol.Command{}, abortCall, beginCall, commitCall)
		if told != want {
			t.Errorf("%s: told %s; want %s", version, told, want)
		}
	}
}

func repeat(e protocol.Error, n int) (all []protocol.Error) {
	for range n {
		all = append(all, e)
	}
	return all
}
