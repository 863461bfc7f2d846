package producer

import (
	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

var callNames = [...]string{callInit: "initTransactions", callBegin: "beginTransaction", callSendOffsets: "sendOffsetsToTransaction",
	callCommit: "commitTransaction", callAbort: "abortTransaction", callSend: "send", callFlush: "flush", callClose: "close"}

// transactionCall goes on with a call of initTransactions, beginTransaction, sendOffsetsToTransaction,
// commitTransaction or abortTransaction, and says whether it has returned. Each but beginTransaction waits for its
// outcome, at most max.block.ms; after that the outcome is open, and the same call made again goes on waiting
// (sendOffsetsToTransaction aside: nothing is kept of it, and the transaction may be aborted).
//
// Kafka: KafkaProducer.initTransactions and so on, TransactionalRequestResult.await.
func (p *KafkaProducer) transactionCall(env *sim.Env, c *call) (returns bool) {
	t := &p.txn
	if !c.begun {
		c.begun = true
		p.calledAt = env.Now()
		if err := p.beginTransactionCall(env, c); err != protocol.None {
			p.transactionFailed(env, c, err, false)
			return true
		}
	}
	switch {
	case t.failure != protocol.None:
		p.unawaited = callNone
		p.transactionFailed(env, c, t.failure, false)
	case c.kind != callAbort && t.tx.state == AbortableError:
		p.unawaited = callNone
		p.transactionFailed(env, c, t.tx.lastError, false)
	case c.kind == callSendOffsets && len(t.tx.offsets) == 0:
		for _, d := range c.offsets.Data {
			env.Record(&event.TxnOffsetsSent{TP: d.TP, Offset: d.Offset, Number: int64(t.tx.number), Group: c.offsets.Group})
		}
	case c.kind == callBegin:
		p.transactionReturned(c.kind)
	case (t.tx.state == Ready || c.kind == callAbort && t.tx.initializesForEver()) && c.kind != callSendOffsets:
		env.Record(t.callReturned(c.kind))
		p.unawaited = callNone
		p.transactionReturned(c.kind)
	default:
		bound := p.cfg.MaxBlockMetadata
		if env.Now()-p.calledAt >= bound {
			if c.kind != callSendOffsets {
				p.unawaited = c.kind
			}
			p.transactionFailed(env, c, protocol.TimeoutException, true)
			return true
		}
		p.waiting = forTransaction
		p.maxBlock.set(env, p.calledAt+bound, protocol.TimerMaxBlock)
		return false
	}
	return true
}

// beginTransactionCall is what a call does before it waits: it checks where the producer stands and hands the Sender
// its request.
//
// Kafka: TransactionManager.initializeTransactions, beginTransaction, sendOffsetsToTransaction, beginCommit, beginAbort;
// TransactionManager.handleCachedTransactionRequestResult for a call that comes again.
func (p *KafkaProducer) beginTransactionCall(env *sim.Env, c *call) protocol.Error {
	t, x := &p.txn, &p.txn.tx
	again := p.unawaited == c.kind
	switch {
	case p.closed || !t.transactional() || p.unawaited != callNone && !again:
		return protocol.IllegalState
	case t.failure != protocol.None:
		return t.failure
	case again:
		return protocol.None
	case c.kind != callAbort && x.state == AbortableError:
		return x.lastError
	}
	switch c.kind {
	case callInit:
		if x.state != Uninitialized {
			return protocol.IllegalState
		}
		x.state = Initializing
		x.enqueue(txnRequest{kind: initProducerID})
	case callBegin:
		if x.state != Ready {
			return protocol.IllegalState
		}
		x.state = InTransaction
		x.number++
		env.Record(t.begun())
	case callSendOffsets:
		if x.state != InTransaction {
			return protocol.IllegalState
		}
		x.offsets = append(x.offsets, c.offsets.Data...)
		r := txnRequest{kind: addOffsets, group: c.offsets}
		if t.rules.TransactionV2 { // the group's coordinator tells the transaction's (KIP-890)
			r.kind, x.started = commitOffsets, true
		}
		x.enqueue(r)
	case callCommit, callAbort:
		if x.state != InTransaction && !(c.kind == callAbort && x.state == AbortableError) {
			return protocol.IllegalState
		}
		asked := t.begun()
		if c.kind == callCommit {
			env.Record((*event.TxnCommitAsked)(asked))
		} else {
			env.Record((*event.TxnAbortAsked)(asked))
		}
		t.beginCompleting(c.kind == callCommit)
	}
	return protocol.None
}

// begun is what is told of the transaction at hand: which, and under which epoch.
func (t *TransactionManager) begun() *event.TxnBegan {
	return &event.TxnBegan{Number: int64(t.tx.number), ProducerID: t.id.ID, ProducerEpoch: t.id.Epoch, TransactionalID: t.tx.id}
}

// callReturned is what is told when initTransactions, commitTransaction or abortTransaction returns.
func (t *TransactionManager) callReturned(k callKind) sim.Event {
	switch e := t.begun(); k {
	case callInit:
		return (*event.TxnInitialized)(e)
	case callCommit:
		return (*event.TxnCommitted)(e)
	default:
		return (*event.TxnAborted)(e)
	}
}

func (p *KafkaProducer) transactionFailed(env *sim.Env, c *call, err protocol.Error, open bool) {
	env.Record(&event.TxnFailed{Err: err, Number: int64(p.txn.tx.number), Open: open, Call: callNames[c.kind]})
	p.threw(c.kind, err, open)
	p.transactionThrew(c.kind, err, open)
}
