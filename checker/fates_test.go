package checker

import (
	"slices"
	"testing"

	"kafkatrial/model/record"
)

// The next marker of its producer decides what a batch of a transaction is worth, also one that came late.
func TestFates(t *testing.T) {
	data := func(id int64, txn bool) *record.RecordBatch {
		b := record.NewBatch([]record.Record{{ID: "m"}}).WithProducerState(id, 0, 0)
		b.IsTransactional = txn
		return b
	}
	marker := func(id int64, abort bool) *record.RecordBatch {
		return record.NewMarker(id, 0, record.EndTransactionMarker{Abort: abort}, 0)
	}
	got := fates([]*record.RecordBatch{data(1, true), data(2, true), data(1, false), marker(1, true), data(1, true), marker(2, false), marker(1, false), data(1, true)})
	want := []Fate{MarkedAborted, MarkedCommitted, Plain, Plain, MarkedCommitted, Plain, Plain, Unmarked}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
