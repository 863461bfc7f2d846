package log

import (
	"slices"

	"kafkatrial/sim"
)

// AbortedTxn is one transaction that ended with an abort marker in this partition.
//
// Kafka: AbortedTxn.
type AbortedTxn struct {
	ProducerID              int64
	FirstOffset, LastOffset int64 // LastOffset is the marker's
	// LastStableOffset is the last stable offset once the marker counts, apart from the high watermark.
	LastStableOffset int64
}

// TransactionIndex lists the aborted transactions of one log in the order of their markers. A reader with
// isolation.level=read_committed is told of those that its fetch touches, and passes over their records.
// Entries are only added at the end and cut from either end; a slice on the disk is never written in place.
//
// Simplified: one index a log, where Kafka has one a segment (.txnindex), and it is durable at once. Kafka
// makes the index of what was not flushed anew from the log.
//
// Kafka: TransactionIndex.
type TransactionIndex struct {
	disk    *sim.Disk
	file    string
	entries []AbortedTxn
}

// TransactionIndexFile is where, in a log's directory, the index is.
const TransactionIndexFile = "txnindex"

// OpenTransactionIndex finds the index of the log in dir (such as "orders-0").
func OpenTransactionIndex(disk *sim.Disk, dir string) *TransactionIndex {
	x := &TransactionIndex{disk: disk, file: dir + "/" + TransactionIndexFile}
	if v, ok := disk.Get(x.file); ok {
		x.entries = v.([]AbortedTxn)
	}
	return x
}

// Entries lists all of them. The caller must not change it.
func (x *TransactionIndex) Entries() []AbortedTxn { return x.entries }

// Append adds a transaction that was aborted. Its marker lies behind those of all entries.
func (x *TransactionIndex) Append(t AbortedTxn) { x.set(append(slices.Clip(x.entries), t)) }

// TruncateTo drops the transactions whose marker lies at offset or behind.
func (x *TransactionIndex) TruncateTo(offset int64) {
	n := len(x.entries)
	for n > 0 && x.entries[n-1].LastOffset >= offset {
		n--
	}
	x.set(x.entries[:n:n])
}

// DeleteBelow drops the transactions whose marker was deleted with the front of the log.
func (x *TransactionIndex) DeleteBelow(offset int64) {
	n := 0
	for n < len(x.entries) && x.entries[n].LastOffset < offset {
		n++
	}
	x.set(x.entries[n:])
}

func (x *TransactionIndex) set(entries []AbortedTxn) {
	if len(entries) != len(x.entries) {
		x.entries = entries
		x.disk.Put(x.file, entries)
	}
}

// CollectAbortedTxns lists the aborted transactions that have records from fetchOffset on and below
// upperBound. complete says that an entry was seen whose last stable offset is at the bound or behind it: no
// later one can matter then.
//
// Kafka: TransactionIndex.collectAbortedTxns.
func (x *TransactionIndex) CollectAbortedTxns(fetchOffset, upperBound int64) (aborted []AbortedTxn, complete bool) {
	for _, e := range x.entries {
		if e.LastOffset >= fetchOffset && e.FirstOffset < upperBound {
			aborted = append(aborted, e)
		}
		if e.LastStableOffset >= upperBound {
			return aborted, true
		}
	}
	return aborted, false
}
