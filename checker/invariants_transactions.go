package checker

import (
	"slices"
	"strconv"
)

// transactionTrail is what is remembered about transactions of all partitions.
type transactionTrail struct {
	decisions map[int64][]decision // by producer id, in the order in which they were written
	states    map[string]identity
}

// decision is a prepared end of a transaction: PrepareCommit or PrepareAbort is in the coordinator's log.
type decision struct {
	epoch int // that its markers bear
	abort bool
}

// identity is a transactional.id as it was told last.
type identity struct {
	producer int64
	epoch    int
}

// Prepared notes that the end of a transaction of a producer is written to the coordinator's log.
func (v *Invariants) Prepared(producer int64, epoch int, abort bool) {
	v.txns.decisions[producer] = append(v.txns.decisions[producer], decision{epoch, abort})
}

// Marker is one that a leader has written for a coordinator.
type Marker struct {
	TP       TopicPartition
	Offset   int64
	Producer int64
	Epoch    int
	Abort    bool
	Ends     bool // a transaction is open there
}

// CheckMarker holds a marker against what was decided: it must have been, for that epoch; and the marker must say what
// the newest decision says, for the next transaction does not begin before all markers of this one are written.
func (v *Invariants) CheckMarker(step int, m Marker) []Breach {
	all := v.txns.decisions[m.Producer]
	says := decision{m.Epoch, m.Abort}
	what := "The " + markerName(m.Abort) + " marker for producer " + number(m.Producer) + ", epoch " + strconv.Itoa(m.Epoch) + ", " + atOffsets(m.Offset) + " of " + m.TP.String()
	if !slices.Contains(all, says) {
		return v.one(MarkerPrepared, step, m.TP, m.Offset, what+" was written, but no such end of a transaction is in the coordinator's log.")
	}
	if last := all[len(all)-1]; m.Ends && last != says {
		return v.one(SameDecision, step, m.TP, m.Offset, what+" was written, though the transaction at hand ends with "+markerName(last.abort)+", epoch "+strconv.Itoa(last.epoch)+".")
	}
	return nil
}

func markerName(abort bool) string {
	if abort {
		return "ABORT"
	}
	return "COMMIT"
}

// Transition is a change of state of a transactional.id that has taken effect at its coordinator. States are named as
// Kafka names them.
type Transition struct {
	TransactionalID string
	Producer        int64
	Epoch           int
	From, To        string
	// V2: in transactions v2 an abort may come without a transaction to abort (KIP-890).
	V2 bool
}

// follows lists by state those that it may come after (KIP-98).
var follows = map[string][]string{
	"Empty":          {"Empty", "CompleteCommit", "CompleteAbort"},
	"Ongoing":        {"Empty", "Ongoing", "CompleteCommit", "CompleteAbort"},
	"PrepareCommit":  {"Ongoing"},
	"PrepareAbort":   {"Ongoing", "PrepareEpochFence"},
	"CompleteCommit": {"PrepareCommit"},
	"CompleteAbort":  {"PrepareAbort"},
}

// CheckTransition holds a change of state against those that Kafka knows.
func (v *Invariants) CheckTransition(step int, t Transition) (all []Breach) {
	legal := slices.Contains(follows[t.To], t.From) || t.V2 && t.To == "PrepareAbort" && slices.Contains(follows["Empty"], t.From)
	if !legal {
		all = v.one(LegalTransition, step, TopicPartition{}, -1, "The coordinator takes "+t.TransactionalID+" from "+t.From+" to "+t.To+", which Kafka does not know.")
	}
	was, known := v.txns.states[t.TransactionalID]
	if known && was.producer == t.Producer && t.Epoch < was.epoch {
		all = append(all, v.one(ProducerEpochsForward, step, TopicPartition{}, -1, "The coordinator takes the epoch of "+t.TransactionalID+" back from "+strconv.Itoa(was.epoch)+
			" to "+strconv.Itoa(t.Epoch)+", for the same producer id.")...)
	}
	v.txns.states[t.TransactionalID] = identity{t.Producer, t.Epoch}
	return all
}

// Position is one that a group has committed.
type Position struct {
	Group  string
	TP     TopicPartition
	Offset int64
}

// CheckPosition holds a committed position against the highest that any leader's high watermark has been.
func (v *Invariants) CheckPosition(step int, p Position) []Breach {
	w := v.partitions[p.TP]
	if w == nil || p.Offset <= w.end {
		return nil
	}
	return v.one(PositionBelowHW, step, p.TP, p.Offset, p.Group+" has committed position "+number(p.Offset)+" in "+p.TP.String()+", but nothing beyond "+number(w.end)+" was ever committed.")
}
