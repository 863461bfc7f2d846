package checker

import (
	"fmt"
	"testing"
)

// A poll may return thousands of records, and the history may be illegal: the reads of one poll are one
// operation, or the search would try every subset of them and not come to an end.
func TestManyRecordsInOnePollAreJudged(t *testing.T) {
	const n = 2000
	h := History{Applications: shop, Quiescence: rested, End: 10}
	for i := range n {
		r := RecordID(fmt.Sprintf("m%d", i+1))
		h.Submissions = append(h.Submissions, sub(r, 1, int64(i), 3))
		h.Appends = append(h.Appends, written(1, r, int64(i), 2))
		h.Reads = append(h.Reads, Read{Application: "shop", Consumer: "c", Incarnation: 1, TP: orders, Offset: int64(i), Record: r, Call: 3, Step: 4})
	}
	l := Log{TP: orders, Leader: 1}
	for i := range n - 1 { // the last record is gone
		l.Entries = append(l.Entries, Entry{Offset: int64(i), Epoch: 1, Submission: h.Submissions[i].ID, Record: h.Submissions[i].Record, Step: 2})
	}
	h.Logs = []Log{l}
	if v, ok := Judge(h, Options{Claims: []Claim{Linearizable}}).Find(Linearizable, AtLog); !ok || v.Ruling != Violated {
		t.Errorf("%+v", v)
	}
}
