package scenarios

import (
	"cmp"
	"slices"

	"kafkatrial/model/event"
	"kafkatrial/model/groupcoordinator"
	"kafkatrial/model/protocol"
	"kafkatrial/model/record"
	"kafkatrial/model/transactioncoordinator"
	"kafkatrial/sim"
)

// truth is what the three famous claims ask of the past of a run, and no more than that: how every
// submission ended, how often each application processed each record, how far each partition was ever
// committed. With the logs as they are at the end, it decides the
// claims: two runs with the same truth and the same logs have the same verdicts. The other claims ask for
// more, and are not told apart by it.
type truth struct {
	kept    bool // somebody wants it
	shared  bool // a copy of the run has the same lists
	sent    []sentRecord
	txns    []txn
	effects []effect
	commits []commitment
	// apart is the run's hash when retention last took something: what the claims ask of that is not kept
	// here, so such runs are not found equal to others.
	apart uint64
	// recent is kept where somebody asks for the claim recent.
	recent recency
}

type sentRecord struct {
	producer   sim.NodeID
	submission int32
	txn        int32 // number of the transaction in the producer's life, 0 if it was sent in none
	record     string
	topic      string
	outcome    outcome
}

// txn is what the application of a producer knows of one of its transactions: it decides what is owed.
type txn struct {
	producer sim.NodeID
	life     int32
	number   int32
	current  bool // what is sent now belongs to it
	asked    bool // for a commit
	outcome  txnOutcome
}

// txnOutcome is what the application was told of the end of its transaction.
type txnOutcome uint8

const (
	toldNothing txnOutcome = iota
	toldCommitted
	toldAborted
	toldFailed
)

type outcome uint8

const (
	open outcome = iota
	acked
	failedForCertain
	failedUnknown // the same as open to a claim, but a producer's next answer may differ
)

type effect struct {
	consumer sim.NodeID
	record   string // of a row: its table, a space, and the record
	times    int    // 2 stands for more
}

type commitment struct {
	tp protocol.TopicPartition
	to int64
}

func (t *truth) own() {
	if t.shared {
		t.shared = false
		t.sent, t.effects, t.commits, t.txns = slices.Clone(t.sent), slices.Clone(t.effects), slices.Clone(t.commits), slices.Clone(t.txns)
		t.recent = t.recent.clone()
	}
}

func (t *truth) take(r *Run, told *sim.Recorded) {
	switch e := told.Event.(type) {
	case *event.RecordSent:
		t.own()
		s := sentRecord{producer: told.Node, submission: e.Submission, record: e.Record.ID, topic: e.TP.Topic}
		if x := t.transaction(r, told.Node); x != nil {
			s.txn = x.number
		}
		i, _ := t.find(told.Node, e.Submission)
		t.sent = slices.Insert(t.sent, i, s)
	case *event.BatchAcked:
		t.end(e.Batch, acked)
	case *event.BatchFailed:
		o := failedUnknown
		if e.NotWritten {
			o = failedForCertain
		}
		t.end(e.Batch, o)
	case *event.RecordRejected:
		if i, ok := t.find(told.Node, e.Submission); ok {
			t.own()
			t.sent[i].outcome = failedForCertain
		}
	case *event.Processed:
		t.processed(told.Node, e.Record.ID)
	case *event.RowInserted, *event.DatabaseCommitted:
		for _, row := range committedRows(e) {
			t.processed(row.Client, row.Table+" "+row.Record.ID)
		}
	case *event.TxnBegan:
		t.began(r, told.Node, int32(e.Number))
	case *event.TxnCommitAsked, *event.TxnCommitted, *event.TxnAborted, *event.TxnFailed:
		t.transactionEvent(r, told)
	case *event.HighWatermark:
		if e.Leader && e.To > e.From && !internal(e.TP.Topic) {
			t.committed(e.TP, e.To)
		}
	case *event.LogStart:
		if e.To > e.From && !internal(e.TP.Topic) {
			t.apart = r.World.Hash()
		}
	}
}

// transaction gives the transaction that a producer's process is in, nil if it is in none.
func (t *truth) transaction(r *Run, p sim.NodeID) *txn {
	life := int32(r.World.Incarnation(p))
	for i := range t.txns {
		if x := &t.txns[i]; x.producer == p && x.life == life && x.current {
			return x
		}
	}
	return nil
}

// began notes a transaction of a producer's process.
func (t *truth) began(r *Run, p sim.NodeID, number int32) {
	t.own()
	if x := t.transaction(r, p); x != nil {
		x.current = false
	}
	n := txn{producer: p, life: int32(r.World.Incarnation(p)), number: number, current: true}
	i, _ := slices.BinarySearchFunc(t.txns, n, func(a, b txn) int {
		return cmp.Or(cmp.Compare(a.producer, b.producer), cmp.Compare(a.life, b.life), cmp.Compare(a.number, b.number))
	})
	t.txns = slices.Insert(t.txns, i, n)
}

// transactionEvent takes what the application did and what it was told, as the checker does.
func (t *truth) transactionEvent(r *Run, told *sim.Recorded) {
	t.own()
	x := t.transaction(r, told.Node)
	if x == nil {
		return
	}
	switch told.Event.(type) {
	case *event.TxnCommitAsked:
		x.asked = true
	case *event.TxnCommitted:
		x.outcome, x.current = toldCommitted, false
	case *event.TxnAborted:
		x.outcome, x.current = toldAborted, false
	case *event.TxnFailed:
		if x.asked { // nothing is owed of a transaction whose commit was never asked for
			x.outcome = toldFailed
		}
	}
}

func (t *truth) find(p sim.NodeID, submission int32) (int, bool) {
	return slices.BinarySearchFunc(t.sent, submission, func(s sentRecord, want int32) int {
		return cmp.Or(cmp.Compare(s.producer, p), cmp.Compare(s.submission, want))
	})
}

func (t *truth) end(b *record.RecordBatch, o outcome) {
	t.own()
	for k := range b.Records {
		if i, ok := t.find(sim.NodeID(b.Records[k].Producer), b.Records[k].Submission); ok {
			t.sent[i].outcome = o
		}
	}
}

func (t *truth) processed(by sim.NodeID, record string) {
	t.own()
	i, ok := slices.BinarySearchFunc(t.effects, record, func(e effect, want string) int {
		return cmp.Or(cmp.Compare(e.consumer, by), cmp.Compare(e.record, want))
	})
	if !ok {
		t.effects = slices.Insert(t.effects, i, effect{consumer: by, record: record})
	}
	t.effects[i].times = min(t.effects[i].times+1, 2)
}

func (t *truth) committed(tp protocol.TopicPartition, to int64) {
	i := slices.IndexFunc(t.commits, func(c commitment) bool { return c.tp == tp })
	switch {
	case i < 0:
		t.own()
		t.commits = append(t.commits, commitment{tp, to})
	case t.commits[i].to < to:
		t.own()
		t.commits[i].to = to
	}
}

func (t *truth) addTo(k *sim.Keyer) {
	k.Int(int64(len(t.sent)))
	for i := range t.sent {
		s := &t.sent[i]
		k.Int(int64(s.producer)<<32 | int64(s.submission))
		k.Text(s.record)
		k.Text(s.topic)
		k.Int(int64(s.outcome) | int64(s.txn)<<8)
	}
	k.Int(int64(len(t.txns)))
	for i := range t.txns {
		x := &t.txns[i]
		k.Int(int64(x.producer)<<48 | int64(x.life)<<32 | int64(x.number))
		k.Bool(x.current)
		k.Bool(x.asked)
		k.Int(int64(x.outcome))
	}
	k.Int(int64(len(t.effects)))
	for i := range t.effects {
		k.Int(int64(t.effects[i].consumer)<<8 | int64(t.effects[i].times))
		k.Text(t.effects[i].record)
	}
	for i := range t.commits {
		k.Text(t.commits[i].tp.Topic)
		k.Int(int64(t.commits[i].tp.Partition)<<32 | t.commits[i].to)
	}
	k.Int(int64(t.apart))
}

// internal says that a topic is Kafka's own.
func internal(topic string) bool {
	return topic == groupcoordinator.TopicName || topic == transactioncoordinator.TopicName
}
