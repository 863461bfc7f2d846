package log

import (
	"testing"

	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/model/release"
)

func verifyingLog(t *testing.T, version string) *UnifiedLog {
	t.Helper()
	v, err := release.Parse(version)
	if err != nil {
		t.Fatal(err)
	}
	rules := release.Of(v)
	return Open(newDisk(), "orders-0", Config{Producers: ProducerStateManagerConfig{TransactionVerification: true}}, &rules, 0)
}

func ofTransaction(epoch int16, sequence int32) *record.RecordBatch {
	b := record.NewBatch([]record.Record{{ID: "m"}}).WithProducerState(7, epoch, sequence)
	b.IsTransactional = true
	return b
}

func endOf(epoch int16) *record.RecordBatch {
	return record.NewMarker(7, epoch, record.EndTransactionMarker{Abort: true}, 0)
}

// A verification is worth nothing once a marker has come between its question and its answer.
func TestAnAnswerIsOnlyGoodForItsOwnVerification(t *testing.T) {
	l := verifyingLog(t, "3.9")
	p := l.Producers()
	write := func(b *record.RecordBatch, guard VerificationGuard) protocol.Error {
		_, err := l.AppendAsLeaderWith(b, 0, 0, AppendOptions{Guard: guard})
		return err
	}
	first := p.MaybeStartVerification(7, 0, 0, false, 1)
	if again := p.MaybeStartVerification(7, 0, 0, false, 1); first == NoGuard || again != first {
		t.Fatalf("guards %d and %d", first, again)
	}
	if err := write(ofTransaction(0, 0), NoGuard); err != protocol.InvalidTxnState {
		t.Errorf("without an answer: %v", err)
	}
	if _, err := l.AppendAsLeaderWith(endOf(0), 0, 0, AppendOptions{Origin: OriginCoordinator}); err != protocol.None {
		t.Fatal(err)
	}
	second := p.MaybeStartVerification(7, 0, 0, false, 1)
	if err := write(ofTransaction(0, 0), first); err != protocol.InvalidTxnState {
		t.Errorf("with the answer to the verification before the marker: %v", err)
	}
	if err := write(ofTransaction(0, 0), second); err != protocol.None {
		t.Errorf("with its own: %v", err)
	}
	if p.MaybeStartVerification(7, 1, 0, false, 1) != NoGuard {
		t.Error("an open transaction is verified again")
	}
	if err := write(ofTransaction(0, 1), NoGuard); err != protocol.None {
		t.Errorf("in an open transaction: %v", err)
	}
}

// With an epoch for every transaction, one that is still open does not stand for the next.
func TestTheNextTransactionIsVerifiedWhileTheLastIsOpen(t *testing.T) {
	for _, c := range []struct {
		version string
		again   bool
	}{{"3.9", false}, {"4.0", true}} {
		l := verifyingLog(t, c.version)
		g := l.Producers().MaybeStartVerification(7, 0, 0, false, 1)
		if _, err := l.AppendAsLeaderWith(ofTransaction(0, 0), 0, 0, AppendOptions{Guard: g}); err != protocol.None {
			t.Fatal(err)
		}
		if again := l.Producers().MaybeStartVerification(7, 0, 1, false, 1) != NoGuard; again != c.again {
			t.Errorf("%s: verified again: %v", c.version, again)
		}
	}
}

// The next transaction begins before the last one's marker is there. The marker bears the next one's epoch, and the answer about the
// next one stays good (KAFKA-18575); any other marker ends the verification, as does every marker for a producer of transactions v1.
func TestTheLastMarkerDoesNotEndTheNextVerification(t *testing.T) {
	for _, c := range []struct {
		what            string
		v2              bool
		epoch, ofMarker int16
		err             protocol.Error
	}{
		{"the marker of the transaction before", true, 1, 1, protocol.None},
		{"the marker of this transaction", true, 1, 2, protocol.InvalidTxnState},
		{"a producer of transactions v1", false, 1, 1, protocol.InvalidTxnState},
	} {
		l := verifyingLog(t, "4.0.1")
		g := l.Producers().MaybeStartVerification(7, 0, 0, c.v2, 1)
		if _, err := l.AppendAsLeaderWith(ofTransaction(0, 0), 0, 0, AppendOptions{Guard: g}); err != protocol.None {
			t.Fatal(err)
		}
		g = l.Producers().MaybeStartVerification(7, 0, c.epoch, c.v2, 1)
		if _, err := l.AppendAsLeaderWith(endOf(c.ofMarker), 0, 0, AppendOptions{Origin: OriginCoordinator}); err != protocol.None {
			t.Fatal(err)
		}
		if _, err := l.AppendAsLeaderWith(ofTransaction(c.epoch, 0), 0, 0, AppendOptions{Guard: g}); err != c.err {
			t.Errorf("%s: %v, want %v", c.what, err, c.err)
		}
	}
}

// A marker of a transaction v2 bears an epoch above the records'; one that does not is late (KIP-1228).
func TestAMarkerThatIsLate(t *testing.T) {
	for _, c := range []struct {
		version, epoch int
		err            protocol.Error
	}{{0, 0, protocol.None}, {2, 0, protocol.InvalidProducerEpoch}, {2, 1, protocol.None}} {
		l := verifyingLog(t, "4.2")
		g := l.Producers().MaybeStartVerification(7, 0, 0, false, 1)
		l.AppendAsLeaderWith(ofTransaction(0, 0), 0, 0, AppendOptions{Guard: g})
		o := AppendOptions{Origin: OriginCoordinator, TransactionVersion: c.version}
		if _, err := l.AppendAsLeaderWith(endOf(int16(c.epoch)), 0, 0, o); err != c.err {
			t.Errorf("version %d, epoch %d: %v, want %v", c.version, c.epoch, err, c.err)
		}
		if c.err == protocol.None && c.version == 2 { // sent twice, since the answer was lost
			if _, err := l.AppendAsLeaderWith(endOf(int16(c.epoch)), 0, 0, o); err != protocol.None {
				t.Errorf("the second marker: %v", err)
			}
		}
	}
}

// The coordinator has aborted a transaction and raised the epoch; the producer's next batch comes with the old one, and was not verified.
func TestEpochBeforeVerification(t *testing.T) {
	for kafka, want := range map[string]protocol.Error{"3.9.1": protocol.InvalidTxnState, "3.9.2": protocol.InvalidProducerEpoch,
		"4.0.1": protocol.InvalidTxnState, "4.0.2": protocol.InvalidProducerEpoch, "4.1.0": protocol.InvalidTxnState, "4.1.1": protocol.InvalidProducerEpoch} {
		l := verifyingLog(t, kafka)
		if _, err := l.AppendAsLeaderWith(endOf(1), 0, 0, AppendOptions{Origin: OriginCoordinator}); err != protocol.None {
			t.Fatal(err)
		}
		if _, err := l.AppendAsLeaderWith(ofTransaction(0, 0), 0, 0, AppendOptions{Guard: NoGuard}); err != want {
			t.Errorf("Kafka %s: %v, want %v", kafka, err, want)
		}
	}
}

// A leader that has no batch of a producer takes only sequence number 0 from it in a transaction v2 (KAFKA-18202, 4.1), also
// if it knows the producer's epoch by a marker.
func TestSequenceZeroFirst(t *testing.T) {
	for version, want := range map[string]protocol.Error{"3.9": protocol.None, "4.0": protocol.None, "4.1.0": protocol.OutOfOrderSequenceNumber} {
		l := verifyingLog(t, version)
		g := l.Producers().MaybeStartVerification(7, 1, 0, false, 1)
		if _, err := l.AppendAsLeaderWith(ofTransaction(0, 1), 0, 0, AppendOptions{Guard: g}); err != want {
			t.Errorf("%s: number 1 first: %v, want %v", version, err, want)
		}
		if want == protocol.None {
			continue
		}
		g = l.Producers().MaybeStartVerification(7, 0, 0, false, 1)
		for sequence, want := range []protocol.Error{protocol.None, protocol.None} {
			if _, err := l.AppendAsLeaderWith(ofTransaction(0, int32(sequence)), 0, 0, AppendOptions{Guard: g}); err != want {
				t.Errorf("%s: then number %d: %v", version, sequence, err)
			}
		}
	}
	plain := verifyingLog(t, "4.1.0")
	if _, err := plain.AppendAsLeader(record.NewBatch([]record.Record{{ID: "m"}}).WithProducerState(8, 0, 5), 0, 0); err != protocol.None {
		t.Errorf("without a transaction any number is a beginning: %v", err)
	}
}

// The marker of a transaction v2 in the last epoch there is can bear none above it; from 4.3 on it is taken (KAFKA-20090).
func TestAMarkerInTheLastEpoch(t *testing.T) {
	for version, want := range map[string]protocol.Error{"4.2": protocol.InvalidProducerEpoch, "4.3.0": protocol.None} {
		l := verifyingLog(t, version)
		g := l.Producers().MaybeStartVerification(7, 0, 1<<15-1, false, 1)
		l.AppendAsLeaderWith(ofTransaction(1<<15-1, 0), 0, 0, AppendOptions{Guard: g})
		if _, err := l.AppendAsLeaderWith(endOf(1<<15-1), 0, 0, AppendOptions{Origin: OriginCoordinator, TransactionVersion: 2}); err != want {
			t.Errorf("%s: %v, want %v", version, err, want)
		}
	}
}
