package checker

import (
	"fmt"
	"testing"

	"github.com/anishathalye/porcupine"
)

// A crowd is a history in which n operations lie in one step, or overlap: for a search that tries orders, 2^n of them.
type crowd struct {
	name   string
	make   func(n int) History
	claim  Claim
	level  Level
	ruling Ruling
}

func name(prefix string, i int) RecordID { return RecordID(fmt.Sprintf("%s%d", prefix, i)) }

// crowded is a run of n records that are sent in one batch, acknowledged, copied and read in one step each.
func crowded(n int) History {
	h := History{Applications: shop, Quiescence: rested, End: 40}
	h.Commits = []Commit{{TP: orders, Broker: 1, Epoch: 1, HighWatermark: int64(n), Step: 8}}
	var log []Entry
	for i := range n {
		r := name("m", i)
		h.Submissions = append(h.Submissions, sub(r, 1, int64(i), 9))
		h.Appends = append(h.Appends, written(1, r, int64(i), 2))
		h.Reads = append(h.Reads, read(r, int64(i), 20))
		h.Effects = append(h.Effects, effect(r, int64(i), 21))
		log = append(log, entry(r, int64(i), 2))
	}
	h.Logs = ordersLog(log...)
	return h
}

// transacted puts all that is sent into one transaction that commits.
func transacted(h History) History {
	h.Txns = []Txn{{ID: "t", Producer: "p", Begin: 1, CommitAsked: 10, Outcome: TxnCommitted, OutcomeStep: 14, Decided: TxnCommitted, DecidedStep: 12}}
	for i := range h.Submissions {
		h.Submissions[i].Txn = "t"
	}
	for i := range h.Logs[0].Entries {
		h.Logs[0].Entries[i].Fate = MarkedCommitted
	}
	for i := range h.Reads {
		h.Reads[i].Isolation = ReadCommitted
	}
	return h
}

// owned gives a partition from c, which takes effect n times in one step under generation 1, to d.
func owned(h History, given int) History {
	h.Grants = []Grant{{Office: OwnerOffice, Name: "shop", TP: orders, Epoch: 1, Holder: "c", Step: 3}, {Office: OwnerOffice, Name: "shop", TP: orders, Epoch: 2, Holder: "d", Step: given}}
	for i := range h.Effects {
		h.Effects[i].Generation = 1
	}
	return h
}

var crowds = []crowd{
	{"a transaction is torn", func(n int) History {
		h := transacted(crowded(n))
		h.Logs[0].Entries[n-1].Fate = MarkedAborted
		return h
	}, Atomic, AtLog, Violated},
	{"a transaction is torn for its readers", func(n int) History {
		h := transacted(crowded(n))
		h.Reads, h.Effects = h.Reads[:n-1], h.Effects[:n-1]
		return h
	}, Atomic, AtApplication, Violated},
	{"many transactions of one record", func(n int) History {
		h := transacted(crowded(n))
		t := h.Txns[0]
		h.Txns = nil
		for i := range n {
			t.ID = TxnID(name("t", i))
			h.Txns, h.Submissions[i].Txn = append(h.Txns, t), t.ID
		}
		return h
	}, Atomic, AtApplication, Holds},
	{"one record is read by many groups, and lost", func(n int) History {
		h := crowded(1)
		h.Applications, h.Reads, h.Effects = nil, nil, nil
		for i := range n {
			app := string(name("g", i))
			r := read("m0", 0, 20)
			r.Application, r.Consumer = app, app
			h.Reads = append(h.Reads, r)
		}
		h.Logs[0].Entries = nil
		return h
	}, MonotonicRead, AtApplication, Violated},
	{"many ends are asked for at the same time", func(n int) History {
		h := crowded(n)
		for i := range n {
			h.EndOffsets = append(h.EndOffsets, EndOffset{Consumer: string(name("c", i)), TP: orders, Offset: int64(n - i), Call: 1, Step: 30})
			h.Submissions[i].SendStep = 1
			h.Submissions[i].Outcome.Step = 30
		}
		return h
	}, MonotonicRead, AtApplication, Holds},
	{"and the log goes along", func(n int) History {
		h := crowded(n)
		h.Reads = nil
		for i := range n {
			h.EndOffsets = append(h.EndOffsets, EndOffset{Consumer: string(name("c", i)), TP: orders, Offset: int64(n - i), Call: 1, Step: 30})
			h.Submissions[i].Outcome.Step = 30
		}
		return h
	}, Linearizable, AtLog, Holds},
	{"an end is told that there never was", func(n int) History {
		h := crowded(n)
		for i := range n {
			h.EndOffsets = append(h.EndOffsets, EndOffset{Consumer: string(name("c", i)), TP: orders, Offset: int64(i + 2), Call: 1, Step: 30})
			h.Submissions[i].Outcome.Step = 30
		}
		return h
	}, Linearizable, AtLog, Violated},
	{"many unknown sends, each read by itself, and one of them in vain", func(n int) History {
		h := crowded(n)
		h.Applications, h.Effects, h.Commits = nil, nil, nil
		for i := range n {
			h.Submissions[i] = timedOut(name("m", i), 1, 5)
			h.Reads[i].Step = 20 + i
		}
		h.End += n
		h.Logs[0].Entries[0].Record, h.Logs[0].Entries[0].Submission = "m1", "m1#1"
		return h
	}, Linearizable, AtLog, Violated},
	{"positions are asked for while they are set", func(n int) History {
		h := crowded(n)
		for i := range n {
			at := int64((i * 7) % n)
			h.OffsetCommits = append(h.OffsetCommits, OffsetCommit{Group: "shop", Consumer: "c", TP: orders, Offset: at, Call: 21, Written: 22 + i%5, Step: 30})
			h.OffsetFetches = append(h.OffsetFetches, OffsetFetch{Group: "shop", Consumer: string(name("d", i)), TP: orders, Offset: at, Call: 20 + i%5, Step: 30})
		}
		return h
	}, MonotonicRead, AtApplication, Holds},
	{"positions are forgotten", func(n int) History {
		h := crowded(n)
		for i := range n {
			h.OffsetCommits = append(h.OffsetCommits, OffsetCommit{Group: "shop", Consumer: "c", TP: orders, Offset: int64(i + 1), Call: 21, Written: 22 + i%5, Step: 29})
			h.OffsetFetches = append(h.OffsetFetches, OffsetFetch{Group: "shop", Consumer: string(name("d", i)), TP: orders, Offset: 0, Call: 31, Step: 32})
		}
		return h
	}, MonotonicRead, AtApplication, Violated},
	{"one poll of records, one of them aborted", func(n int) History {
		h := transacted(crowded(n))
		for i := range h.Reads {
			h.Reads[i].Isolation = ReadUncommitted
		}
		h.Logs[0].Entries[n-1].Fate = MarkedAborted
		return h
	}, NoAbortedRead, AtApplication, Violated},
	{"a batch before that of a zombie", func(n int) History {
		h := crowded(n)
		for i := range h.Submissions {
			h.Submissions[i].TransactionalID = "id"
		}
		h.Grants = []Grant{{Office: ProducerOffice, Name: "id", Holder: "p", Step: 1}, {Office: ProducerOffice, Name: "id", Epoch: 1, Holder: "q", Step: 4}}
		h.Logs[0].Entries[n-1].Step = 7
		return h
	}, Fenced, AtLog, Violated},
	{"a zombie processes a poll", func(n int) History { return owned(crowded(n), 12) }, Fenced, AtApplication, Violated},
	{"an owner processes a poll", func(n int) History { return owned(crowded(n), 25) }, Fenced, AtApplication, Holds},
	{"many owners in one step", func(n int) History {
		h := owned(crowded(n), 12)
		for i := range n {
			h.Grants = append(h.Grants, Grant{Office: OwnerOffice, Name: "shop", TP: orders, Epoch: 3 + i, Holder: string(name("e", i)), Step: 13})
		}
		return h
	}, Fenced, AtApplication, Violated},
	{"many producers of one transactional.id", func(n int) History {
		h := crowded(n)
		for i := range h.Submissions {
			h.Submissions[i].TransactionalID, h.Submissions[i].ProducerID = "id", int64(i)
			h.Grants = append(h.Grants, Grant{Office: ProducerOffice, Name: "id", ProducerID: int64(i), Holder: "p", Step: 1})
		}
		return h
	}, Fenced, AtLog, Holds},
	{"one record takes effect many times in one step", func(n int) History {
		h := crowded(1)
		for i := range n {
			e := effect("m0", 0, 21)
			e.Consumer = string(name("c", i))
			h.Effects = append(h.Effects, e)
		}
		return h
	}, AtMostOnce, AtApplication, Violated},
	{"one record is sent many times, and there many times", func(n int) History {
		h := crowded(n)
		h.Submissions, h.Logs[0].Entries = nil, nil
		for i := range n {
			id := fmt.Sprint(i)
			h.Submissions = append(h.Submissions, sub("m0", 1, int64(i), 9).again(id))
			h.Logs[0].Entries = append(h.Logs[0].Entries, entry("m0", int64(i), 2).of(SubmissionID("m0#"+id)))
			h.Appends[i].Submission, h.Appends[i].Record = SubmissionID("m0#"+id), "m0"
			h.Reads[i].Record, h.Effects[i].Record = "m0", "m0"
		}
		return h
	}, AtMostOnce, AtLog, Violated},
	{"all records are lost", func(n int) History {
		h := crowded(n)
		h.Cuts = []Cut{{TP: orders, Broker: 1, From: 0, To: int64(n), Step: 12}}
		h.Logs[0].Entries, h.Reads, h.Effects = nil, nil, nil
		return h
	}, AtLeastOnce, AtLog, Violated},
	{"all records are read, processed by nobody", func(n int) History {
		h := crowded(n)
		h.Effects = nil
		return h
	}, AtLeastOnce, AtApplication, Violated},
	{"all records may still come", func(n int) History {
		h := crowded(n)
		h.Logs[0].Entries, h.Reads, h.Effects = nil, nil, nil
		h.Quiescence = Quiescence{Moving: []Motion{{What: "b1 fetches"}}}
		return h
	}, AtLeastOnce, AtLog, Undecided},
	{"exactly once, of many at a time", crowded, ExactlyOnce, AtApplication, Holds},
	{"a poll is processed backwards", func(n int) History {
		h := crowded(n)
		for i := range n / 2 {
			h.Effects[i], h.Effects[n-1-i] = h.Effects[n-1-i], h.Effects[i]
		}
		return h
	}, Ordered, AtApplication, Violated},
	{"a poll is processed in order", crowded, Ordered, AtApplication, Holds},
	{"a poll never comes", func(n int) History {
		h := crowded(n)
		h.Reads, h.Effects = nil, nil
		return h
	}, Available, AtApplication, Violated},
	{"no send is answered", func(n int) History {
		h := crowded(n)
		for i := range n {
			h.Submissions[i].Outcome = Outcome{Offset: -1}
		}
		return h
	}, Available, AtLog, Violated},
	{"all is gone, and many ask", func(n int) History {
		h := crowded(n)
		for i := range n {
			h.EmptyReads = append(h.EmptyReads, nothingFrom(int64(i), 10+i%5, 20+i%7))
		}
		return h
	}, Recent, AtApplication, Violated},
	{"all is removed, and many ask", func(n int) History {
		h := crowded(n)
		for _, e := range h.Logs[0].Entries {
			h.Logs[0].Expired = append(h.Logs[0].Expired, Expiry{Entry: e, Cause: DeleteRecords, Step: 21})
		}
		h.Logs[0].Entries, h.Logs[0].Start = nil, int64(n)
		for i := range n {
			h.EmptyReads = append(h.EmptyReads, nothingFrom(int64(i), 2+i%5, 22+i%7))
		}
		return h
	}, Recent, AtApplication, Holds},
	{"two records at every offset", func(n int) History {
		h := crowded(n)
		for i := range n {
			h.Reads = append(h.Reads, Read{Application: "shop", Consumer: "d", TP: orders, Offset: int64(i), Record: name("m", (i+1)%n), Step: 22})
		}
		return h
	}, MonotonicRead, AtApplication, Violated},
}

// Whatever lies in one step, no ruling takes more steps of a model than a small multiple of the operations, and all
// claims have their ruling.
func TestCrowdsAreDecided(t *testing.T) {
	for _, c := range crowds {
		t.Run(c.name, func(t *testing.T) {
			const n = 1000
			h := c.make(n)
			ops, steps := 0, 0
			x := newIndex(&h)
			x.check = func(model porcupine.Model, p part) porcupine.CheckResult {
				ops += len(p.ops)
				step := model.Step
				model.Step = func(state, input, output any) (bool, any) {
					steps++
					return step(state, input, output)
				}
				return askPorcupine(model, p)
			}
			report := x.judgeAll(Options{Claims: []Claim{c.claim}})
			if v, ok := report.Find(c.claim, c.level); !ok || v.Ruling != c.ruling {
				t.Errorf("%s at the %s: %s, expected %s: %s", c.claim, c.level, v.Ruling, c.ruling, v.Evidence.Sentence)
			}
			if steps > 20*ops {
				t.Errorf("%d steps for %d operations", steps, ops)
			}
		})
	}
}
