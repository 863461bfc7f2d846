package producer

import (
	"slices"

	"kafkatrial/model/protocol"
)

// An application with the policy Abort uses its transactional producer as the documentation of KafkaProducer asks
// (initTransactions, commitTransaction, the example of the class):
//
//   - it calls initTransactions before anything else in each process, whether it was told to or not;
//   - after an exception that is not fatal it calls abortTransaction, and leaves out what else the transaction was to hold;
//   - after one that is fatal (ProducerFencedException and the like) it closes the producer and makes no more calls;
//   - after a TimeoutException of initTransactions, commitTransaction or abortTransaction it makes the same call again,
//     since another is not allowed.
//
// It knows whether it is in a transaction. What it is told to do in one that is no more, because it was aborted or because
// the process that began it is gone, it leaves out.

// prepareCall looks at the first call before it is made: it may have to wait for initTransactions, or be left out. It
// says whether the call, which may now be another, is to be made.
func (p *KafkaProducer) prepareCall() (goesOn bool) {
	switch c := &p.calls[0]; c.kind {
	case callInit, callBegin:
		begins := p.txn.tx.state == Uninitialized && p.txn.failure == protocol.None
		switch {
		case c.kind == callInit && !begins && p.unawaited != callInit:
			p.leaveOut()
			return false
		case c.kind == callBegin && begins:
			p.calls = slices.Insert(p.calls, 0, call{kind: callInit})
		}
	case callSend, callSendOffsets, callCommit, callAbort:
		if !p.inTransaction {
			p.leaveOut()
			return false
		}
	}
	return true
}

// transactionReturned follows how the application stands after a call that succeeded.
func (p *KafkaProducer) transactionReturned(kind callKind) {
	switch kind {
	case callBegin:
		p.inTransaction = true
	case callInit, callCommit, callAbort:
		p.inTransaction = false
	}
}

// transactionThrew is what the application does after a call that threw an exception. The call is still the first.
func (p *KafkaProducer) transactionThrew(kind callKind, err protocol.Error, open bool) {
	if p.app.OnError != Abort {
		return
	}
	again := call{kind: callAbort}
	switch {
	case open && kind != callSendOffsets:
		again.kind = kind
	case p.txn.failure != protocol.None, err == protocol.IllegalState, kind == callAbort, kind == callInit:
		p.stopped, p.inTransaction = true, false
		p.calls = append(p.calls[:1], call{kind: callClose})
		return
	}
	p.calls = slices.Insert(p.calls, 1, again)
}
