package trial

import (
	"fmt"
	"slices"
	"strings"
)

// Transactions makes the producers of a Shape transactional: in place of Sends they carry out rows of transactions.
// Each is begun, holds some sends, and is committed, aborted or cut short by the end of its process, after which another
// process begins with the same transactional.id. The rows of several producers are merged at random, so that
// transactions overlap.
//
// The applications keep to KafkaProducer's documentation (on-error: abort in the scenario file): they call initTransactions
// first in each process, abort after an exception that is not fatal, close after one that is, and call again what has
// timed out. Each makes its next call only when the last has returned.
//
// Of the Shape itself Records is how many records are in one send, After the time before each call, and Partitions what
// the sends are divided among.
type Transactions struct {
	// Shared says whether all producers have one transactional.id, as an instance and its successors have, or each its
	// own.
	Shared []bool
	Count  []int    // how many transactions, over all producers
	Sends  []int    // how many sends in one
	Ends   []string // commit, abort or die
	// Again says whether the application, after it has aborted a transaction or its process has ended in the middle of
	// one, sends the records again in its next.
	Again []bool
}

// The ends of a transaction in a script.
const (
	Commit = "commit"
	Abort  = "abort"
	Die    = "die"
)

// row is what one application does, call by call.
type row struct {
	steps []string
	redo  []string // the sends of the transaction that came to nothing, to be made again
}

func (r *row) add(format string, args ...any) {
	r.steps = append(r.steps, fmt.Sprintf(format, args...))
}

// transactional gives the lines of a producer that a transaction needs.
func (w *writer) transactional(name string) []Setting {
	id := "shop"
	if !w.shared {
		id += "-" + name
	}
	return []Setting{Set("transactional.id", id)}
}

// transactions writes the script of transactional producers.
func (w *writer) transactions(producers []string) {
	t := w.s.Transactions
	rows := make([]row, len(producers))
	record := 0
	for range max(1, pick(w.d, "transactions", t.Count)) {
		who := w.d.roll("who", len(producers))
		w.transaction(&rows[who], producers[who], &record)
	}
	w.line("script:")
	for {
		rows = slices.DeleteFunc(rows, func(r row) bool { return len(r.steps) == 0 })
		if len(rows) == 0 {
			break
		}
		r := &rows[w.d.roll("turn", len(rows))]
		w.step(r.steps[0])
		r.steps = r.steps[1:]
	}
	w.line("  - after: %s", orWord(w.s.Quiet, "5s"))
	if w.s.Within != "" {
		w.line("end: {within: %s}", w.s.Within)
	}
}

// transaction adds one transaction to a row.
func (w *writer) transaction(r *row, who string, record *int) {
	t := w.s.Transactions
	r.add("begin-transaction: %s", who)
	var sends []string
	for _, s := range r.redo {
		r.add("send: {producer: %s, %s, again: true}", who, s)
		sends = append(sends, s)
	}
	r.redo = nil
	for range max(1, pick(w.d, "sends", t.Sends)) {
		var names []string
		for range max(1, pick(w.d, "records", w.s.Records)) {
			*record++
			names = append(names, fmt.Sprintf("m%d", *record))
		}
		s := fmt.Sprintf("partition: %d, records: [%s]", w.d.roll("partition", w.partitions), strings.Join(names, ", "))
		r.add("send: {producer: %s, %s}", who, s)
		sends = append(sends, s)
	}
	switch end := pick(w.d, "end", t.Ends); end {
	case "", Commit:
		r.add("commit-transaction: %s", who)
		return
	case Abort:
		r.add("abort-transaction: %s", who)
	case Die:
		r.add("crash: %s", who)
		r.add("start: %s", who)
	default:
		panic("trial: no transaction ends with " + end)
	}
	if pick(w.d, "again", t.Again) {
		r.redo = sends
	}
}

// step writes a step, after a wait or at once.
func (w *writer) step(does string) {
	if gap := pick(w.d, "after", w.s.After); gap != "" && gap != "0" {
		w.line("  - after: %s\n    %s", gap, does)
		return
	}
	w.line("  - %s", does)
}
