package checker

import (
	"cmp"
	"strconv"

	"kafkatrial/model/event"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/model/transactioncoordinator"
	"kafkatrial/sim"
)

// transactionOf is what a producer's process is in the middle of.
type transactionOf struct {
	node  sim.NodeID
	txn   int // place in History.Txns, -1 none
	id    string
	pid   int64
	epoch int
}

// coordinated is what the coordinator's log is compared with: the transactional.id and the epoch of a transaction.
type coordinated struct {
	id    string
	epoch int
}

func (x *extractor) transaction(n sim.NodeID) *transactionOf {
	for i := range x.inTxn {
		if x.inTxn[i].node == n {
			return &x.inTxn[i]
		}
	}
	x.inTxn = append(x.inTxn, transactionOf{node: n, txn: -1})
	return &x.inTxn[len(x.inTxn)-1]
}

// transactionEvent takes what an application does with its transactions, and what becomes of them.
func (x *extractor) transactionEvent(r *sim.Recorded, step int) {
	switch e := r.Event.(type) {
	case *event.ProducerIDGiven:
		x.granted(r.Node, e, step)
		return
	case *event.EpochBumped:
		x.granted(r.Node, (*event.ProducerIDGiven)(e), step)
		return
	case *event.TxnBegan:
		x.began(r.Node, e, step)
		return
	}
	at := x.transaction(r.Node)
	if at.txn < 0 {
		return
	}
	t := &x.h.Txns[at.txn]
	switch e := r.Event.(type) {
	case *event.TxnCommitAsked:
		t.CommitAsked = step
	case *event.TxnAbortAsked:
		t.AbortAsked = step
	case *event.TxnCommitted:
		t.Outcome, t.OutcomeStep, at.txn = TxnCommitted, step, -1
	case *event.TxnAborted:
		t.Outcome, t.OutcomeStep, at.txn = TxnAborted, step, -1
	case *event.TxnFailed:
		if t.CommitAsked > 0 || t.AbortAsked > 0 {
			t.Outcome, t.OutcomeStep = TxnUnknown, step
		}
	case *event.TxnOffsetsSent:
		tp := toTP(e.TP)
		t.Offsets = append(t.Offsets, TxnOffset{Group: e.Group, Consumer: x.c.World.Name(r.Node), Incarnation: x.lives[r.Node], Generation: x.generation(r.Node, tp),
			TP: tp, Offset: e.Offset, Written: x.acceptedAt(e.Group, tp, e.Offset, t.Begin, step), Step: step})
	}
}

// granted notes that a coordinator gave a transactional.id to a process.
func (x *extractor) granted(n sim.NodeID, e *event.ProducerIDGiven, step int) {
	if e.TransactionalID != "" {
		x.h.Grants = append(x.h.Grants, Grant{Office: ProducerOffice, Name: e.TransactionalID, Epoch: int(e.ProducerEpoch), ProducerID: e.ProducerID,
			Holder: x.c.World.Name(n), Incarnation: x.lives[n], Call: x.answeredAt(step), Step: step})
	}
}

func (x *extractor) began(n sim.NodeID, e *event.TxnBegan, step int) {
	name := x.c.World.Name(n)
	id := TxnID(name + "." + strconv.FormatInt(e.Number, 10))
	if life := x.lives[n]; life > 1 {
		id = TxnID(name + "'" + strconv.Itoa(life) + "." + strconv.FormatInt(e.Number, 10))
	}
	x.abandon(n, step)
	at := x.transaction(n)
	at.txn, at.id, at.pid, at.epoch = len(x.h.Txns), e.TransactionalID, e.ProducerID, int(e.ProducerEpoch)
	x.h.Txns = append(x.h.Txns, Txn{ID: id, Producer: name, Begin: step})
	x.coordinated = append(x.coordinated, coordinated{e.TransactionalID, int(e.ProducerEpoch)})
}

// abandon notes that nobody goes on with the transaction that a process is in the middle of.
func (x *extractor) abandon(n sim.NodeID, step int) {
	at := x.transaction(n)
	if at.txn >= 0 && x.h.Txns[at.txn].Outcome == TxnOpen {
		x.h.Txns[at.txn].Abandoned = step
	}
	at.txn = -1
}

// answeredAt is the step in which the answer was sent that arrived in a step: who answered had done then what it says.
func (x *extractor) answeredAt(step int) int {
	s := &x.trace.Steps[step-1]
	if s.Kind != sim.StepDeliver || s.Cause < 0 {
		return step
	}
	return int(s.Cause) + 1
}

// coordinatorEvent notes what the coordinator's log says of a transaction: the last one of that transactional.id whose epoch is
// not above the one written. An abort that shuts a producer out bears an epoch above its own.
func (x *extractor) coordinatorEvent(r *sim.Recorded, step int) {
	e, ok := r.Event.(*event.TransactionState)
	if !ok {
		return
	}
	outcome := TxnOpen
	switch e.To {
	case transactioncoordinator.PrepareCommit:
		outcome = TxnCommitted
	case transactioncoordinator.PrepareAbort:
		outcome = TxnAborted
	default:
		return
	}
	for i := len(x.h.Txns) - 1; i >= 0; i-- {
		if t := &x.h.Txns[i]; x.coordinated[i].id == e.TransactionalID && x.coordinated[i].epoch <= int(e.ProducerEpoch) {
			if t.Decided == TxnOpen {
				t.Decided, t.DecidedStep = outcome, step
			}
			return
		}
	}
}

// applyOffsets notes that a group's coordinator has made an offset effective that was sent to a transaction. That was
// committed, or it was ended by somebody else before its commit was asked for: what came of the rest is a second decision.
func (x *extractor) applyOffsets(e *event.OffsetsCommitted, step int) {
	for i := range x.h.Txns {
		t := &x.h.Txns[i]
		for k := range t.Offsets {
			if o := &t.Offsets[k]; o.Group == e.Group && o.TP == toTP(e.TP) && o.Offset == e.Offset &&
				(t.Decided == TxnCommitted || t.Decided != TxnOpen && t.CommitAsked > t.DecidedStep) {
				o.Applied, o.Effective = true, cmp.Or(o.Effective, step)
			}
		}
	}
}

// inTransaction marks a submission with the transaction that its producer is in. Once its end was asked for, send() throws whatever becomes
// of that (TransactionManager.failIfNotReadyForSend), and what was not sent is no part of it.
func (x *extractor) inTransaction(s *Submission, n sim.NodeID) {
	if at := x.transaction(n); at.txn >= 0 && x.h.Txns[at.txn].CommitAsked == 0 && x.h.Txns[at.txn].AbortAsked == 0 {
		s.Txn, s.TransactionalID, s.ProducerID, s.ProducerEpoch = x.h.Txns[at.txn].ID, at.id, at.pid, at.epoch
	}
}

// fates tells of every batch what the log says of its transaction: the next marker of its producer decides.
func fates(batches []*record.RecordBatch) []Fate {
	out := make([]Fate, len(batches))
	ends := map[int64]Fate{}
	for i := len(batches) - 1; i >= 0; i-- {
		switch b := batches[i]; {
		case b.IsControl && b.Marker.Abort:
			ends[b.ProducerID] = MarkedAborted
		case b.IsControl:
			ends[b.ProducerID] = MarkedCommitted
		case b.IsTransactional:
			out[i] = Unmarked
			if fate, ok := ends[b.ProducerID]; ok {
				out[i] = fate
			}
		}
	}
	return out
}

// isolation is the isolation.level of a consumer's process.
func (x *extractor) isolation(n sim.NodeID) Isolation {
	for i, node := range x.c.Consumers() {
		if v := x.c.Spec.Consumers[i].Config; node == n && v != nil && v.Has("isolation.level") && v.Text("isolation.level") == protocol.ReadCommitted.String() {
			return ReadCommitted
		}
	}
	return ReadUncommitted
}
