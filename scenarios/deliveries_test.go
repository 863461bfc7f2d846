package scenarios

import (
	"strings"
	"testing"

	"kafkatrial/checker"
	"kafkatrial/model/planted"
	"kafkatrial/scenarios/format"
)

// played runs a scenario that is written in a test, with some guards off. It is to come to its end.
func played(t *testing.T, text string, off planted.Set) *Run {
	t.Helper()
	r := cutOff(t, text, off)
	if r.Stopped() != "" {
		t.Fatal(r.Stopped())
	}
	return r
}

// cutOff runs a scenario that need not come to its end.
func cutOff(t *testing.T, text string, off planted.Set) *Run {
	t.Helper()
	f, problems := format.Load("played.yaml", []byte("name: played\ntitle: Played\n"+text), Vocabulary)
	if len(problems) > 0 {
		t.Fatalf("%v\n%s", Problems(problems), text)
	}
	r, err := New(f, Options{Planted: off})
	if err != nil {
		t.Fatal(err)
	}
	r.Finish()
	return r
}

// comesTo compares verdicts, each written as "at-least-once log holds".
func comesTo(t *testing.T, r *Run, want ...string) {
	t.Helper()
	report := r.Report()
	for _, w := range want {
		var c checker.Claim
		var l checker.Level
		var ruling checker.Ruling
		for i, word := range strings.Fields(w) {
			switch i {
			case 0:
				c = checker.Claim(word)
			case 1:
				l = map[string]checker.Level{"log": checker.AtLog, "app": checker.AtApplication}[word]
			case 2:
				ruling = checker.Ruling(word)
			}
		}
		if v, ok := report.Find(c, l); !ok || v.Ruling != ruling {
			t.Errorf("%s at the %s is %q, want %q: %s", c, l, v.Ruling, ruling, v.Evidence.Sentence)
		}
	}
}

var famousHold = []string{"at-most-once log holds", "at-most-once app holds", "at-least-once log holds", "at-least-once app holds",
	"exactly-once log holds", "exactly-once app holds"}

// What was aborted has taken no effect, also when the topic's policy has removed it: with its marker, or before it.
func TestARemovedRecordKeepsTheFateOfItsTransaction(t *testing.T) {
	for _, before := range []string{"1", "2", "3"} {
		r := played(t, `
kafka: "3.9"
cluster: {brokers: 1}
topics: {orders: {}}
producers: {p: {config: {transactional.id: t}}}
consumers: {c: {topics: [orders], config: {auto.offset.reset: earliest, isolation.level: read_committed}}}
script:
  - init-transactions: p
  - begin-transaction: p
  - send: {records: [m1, m2]}
  - wait: {log-end: {broker: 1, partition: orders-0, at-least: 2}}
  - abort-transaction: p
  - wait: {log-end: {broker: 1, partition: orders-0, at-least: 3}, quiet: true}
  - delete-records: {partition: orders-0, before: `+before+`}
  - begin-transaction: p
  - send: {records: [m3]}
  - commit-transaction: p
  - wait: {processed: m3}
`, planted.Set{})
		expired := r.History().Logs[0].Expired
		if len(expired) == 0 || expired[0].Fate != checker.MarkedAborted {
			t.Errorf("before %s: removed is %+v", before, expired)
		}
		comesTo(t, r, append([]string{"atomic log holds", "no-aborted-read log holds", "no-aborted-read app holds"}, famousHold...)...)
	}
}

// What one leader has removed and the next one still holds is one record, in every release.
func TestARecordThatTheNextLeaderHoldsIsNotRemoved(t *testing.T) {
	for _, kafka := range []string{"4.0", "2.8", "0.11"} {
		r := played(t, `
kafka: "`+kafka+`"
cluster: {brokers: 2}
topics: {orders: {replicas: [[1, 2]]}}
producers: {p: {config: {acks: all}}}
consumers: {c: {topics: [orders], config: {auto.offset.reset: earliest}}}
script:
  - send: {records: [m1, m2]}
  - wait: {processed: [m1, m2], quiet: true}
  - cut: {from: 1, to: 2}
  - delete-records: {partition: orders-0, before: 1}
  - crash: 1
  - wait: {leader: {partition: orders-0, is: 2}}
end: {restart: none}
`, planted.Set{})
		for _, l := range r.History().Logs {
			if len(l.Expired) > 0 || len(l.Entries) != 2 {
				t.Errorf("Kafka %s: %+v", kafka, l)
			}
		}
		comesTo(t, r, famousHold...)
	}
}

// Nobody leads, and the only broker that may lead has the record on its disk: it is not lost. It was acknowledged at
// once, and no high watermark has come so far.
func TestWhatTheOnlyEligibleBrokerHasIsNotLost(t *testing.T) {
	r := played(t, `
kafka: "4.0"
cluster: {brokers: 2}
topics: {orders: {replicas: [[1, 2]]}}
producers: {p: {config: {acks: 1}}}
script:
  - wait: {isr: {partition: orders-0, is: [1, 2]}}
  - crash: 2
  - send: {records: [m1]}
  - wait: {acked: m1}
  - after: 3s
    crash: 1
  - after: 30s
    say: Nobody leads.
end: {restart: none}
`, planted.Set{})
	if l := r.History().Logs[0]; l.Leader != 0 || len(r.History().Commits) > 0 {
		t.Errorf("leader %d, committed %v", l.Leader, r.History().Commits)
	}
	comesTo(t, r, "at-least-once log holds", "exactly-once log holds")
}

// What an application tries to send after a commit that it was told nothing of is refused, and is no part of the transaction: that one is
// whole, though the commit took effect after all.
func TestWhatIsSentAfterACommitIsNoPartOfIt(t *testing.T) {
	r := played(t, `
kafka: "4.3"
cluster: {brokers: 1}
topics: {orders: {}}
producers: {p: {config: {transactional.id: shop, max.block.ms: 1000}}}
script:
  - init-transactions: p
  - begin-transaction: p
  - send: {topic: orders, records: [m1]}
  - wait: {acked: m1}
  - hold: {from: 1, to: p, kind: EndTxnResponse}
  - commit-transaction: p
  - after: 3s
    begin-transaction: p
  - send: {topic: orders, records: [m2]}
  - after: 1s
    release: {from: 1, to: p, kind: EndTxnResponse}
  - wait: {quiet: true}
`, planted.Set{})
	for _, s := range r.History().Submissions {
		if want := map[checker.RecordID]bool{"m1": true, "m2": false}[s.Record]; (s.Txn != "") != want {
			t.Errorf("%s is part of %q", s.Record, s.Txn)
		}
	}
	comesTo(t, r, "atomic log holds")
}

// A commit that the coordinator took and that its consumer never heard of is the group's position all the same.
func TestACommitIsThereThoughNobodyHeardOfIt(t *testing.T) {
	r := played(t, `
kafka: "3.9"
cluster: {brokers: 1}
topics: {in: {}}
producers: {p: {}}
consumers: {app: {topics: [in], group: shop, config: {auto.offset.reset: earliest, enable.auto.commit: false}}}
script:
  - rebalance: {group: shop, assign: {app: [in-0]}}
  - wait: {assigned: {consumer: app, partition: in-0}}
  - drop: {from: 1, to: app, kind: OffsetCommitResponse}
  - send: {producer: p, records: [m1]}
  - wait: {processed: m1}
  - after: 1s
    crash: app
  - start: app
  - rebalance: {group: shop, assign: {app: [in-0]}}
  - wait: {quiet: true}
`, planted.Set{})
	var untold []checker.OffsetCommit
	for _, c := range r.History().OffsetCommits {
		if c.Step == 0 {
			untold = append(untold, c)
		}
	}
	if len(untold) != 1 || untold[0].Offset != 1 || untold[0].Incarnation != 1 || untold[0].Generation != 1 || untold[0].Written == 0 || untold[0].Applied < untold[0].Written {
		t.Errorf("%+v", untold)
	}
	comesTo(t, r, "at-most-once app holds", "monotonic-read app holds", "fenced log holds")
	var grants []checker.Grant
	for _, g := range r.History().Grants {
		if g.Office == checker.OwnerOffice {
			grants = append(grants, g)
		}
	}
	if len(grants) != 2 || grants[0].Incarnation != 1 || grants[1].Incarnation != 2 || grants[1].Step <= grants[1].Call {
		t.Errorf("the partition is given anew to a process that was started again: %+v", grants)
	}
}

// A run that was cut off in an open transaction: what a reader in read_uncommitted has processed breaks nothing, for the
// commit may still be asked for. Nor does anything hold.
func TestAnOpenTransactionOfACutOffRunIsUndecided(t *testing.T) {
	const text = `
kafka: "3.9"
cluster: {brokers: 1}
topics: {orders: {}}
producers: {p: {config: {transactional.id: t}}}
consumers: {c: {topics: [orders], config: {auto.offset.reset: earliest}}}
script:
  - init-transactions: p
  - begin-transaction: p
  - send: {records: [m1]}
  - wait: {processed: m1}
  - END
end: {within: 1ms}
`
	for end, ruling := range map[string]string{"wait: {acked: m1}": "undecided", "abort-transaction: p": "violated", "crash: p": "violated"} {
		r := cutOff(t, strings.Replace(text, "END", end, 1), planted.Set{})
		if r.History().Quiescence.Reached {
			t.Fatal("it was not cut off")
		}
		comesTo(t, r, "at-most-once app "+ruling, "at-least-once app "+ruling, "exactly-once app "+ruling, "at-most-once log undecided", "fenced log undecided")
	}
}

// Two copies in the leader's log, and the run is cut off before a high watermark has passed them: not "holds".
func TestTwoCopiesOfACutOffRunAreUndecided(t *testing.T) {
	r := cutOff(t, `
kafka: "2.8"
cluster: {brokers: 2}
topics: {orders: {replicas: [[1, 2]], config: {min.insync.replicas: 1}}}
producers: {p: {config: {acks: 1, enable.idempotence: false}}}
script:
  - cut: {between: [1, 2]}
  - drop: {from: 1, to: p, kind: ProduceResponse}
  - send: {records: [m1]}
  - wait: {log-end: {broker: 1, partition: orders-0, at-least: 2}}
end: {heal: false, within: 1ms}
`, planted.Set{})
	if r.History().Quiescence.Reached {
		t.Fatal("it was not cut off")
	}
	comesTo(t, r, "at-most-once log undecided", "at-least-once log undecided", "exactly-once log undecided", "ordered log undecided", "available log undecided")
}

// A process is started again, and a request of the one before it arrives after the new one has been given the office. With
// the guard it is refused; without it the name of the producer hides a zombie.
func TestAnEarlierProcessIsAZombie(t *testing.T) {
	const text = `
kafka: "2.8"
cluster: {brokers: 1}
topics: {orders: {}}
producers: {p: {config: {transactional.id: t}}}
script:
  - init-transactions: p
  - begin-transaction: p
  - hold: {from: p, to: 1, kind: Produce, record: m1}
  - send: {records: [m1]}
  - after: 1s
    crash: p
  - start: p
  - init-transactions: p
  - after: 1s
    release: all
  - after: 1s
    begin-transaction: p
  - send: {records: [m2]}
  - commit-transaction: p
  - wait: {acked: m2}
`
	comesTo(t, played(t, text, planted.Set{}), "fenced log holds")
	r := played(t, text, planted.Off(planted.ProducerEpoch))
	comesTo(t, r, "fenced log violated")
	v, _ := r.Report().Find(checker.Fenced, checker.AtLog)
	if !strings.Contains(v.Evidence.Sentence, "p (after restart 1) was given t") || !strings.Contains(v.Evidence.Sentence, "p appended m1") ||
		!strings.Contains(v.Evidence.Sentence, "by a request of an earlier process") {
		t.Error(v.Evidence.Sentence)
	}
}

// Of what lies in a log each copy is to be handed out, and exactly what was removed is excused.
func TestEveryCopyIsToBeHandedOut(t *testing.T) {
	r := played(t, `
kafka: "2.8"
cluster: {brokers: 1}
topics: {orders: {}}
producers: {p: {config: {acks: 1}}}
consumers: {c: {topics: [orders], config: {auto.offset.reset: earliest}}}
script:
  - drop: {from: 1, to: p, kind: ProduceResponse}
  - send: {records: [m1]}
  - wait: {processed: m1}
  - crash: c
  - wait: {log-end: {broker: 1, partition: orders-0, at-least: 2}, acked: m1}
end: {restart: none}
`, planted.Set{})
	comesTo(t, r, "available app violated", "at-most-once log violated", "at-most-once app holds", "at-least-once app holds")
	for reset, ruling := range map[string]string{"earliest": "holds", "latest": "violated"} {
		r := played(t, `
kafka: "2.8"
cluster: {brokers: 1}
topics: {orders: {}}
producers: {p: {}}
consumers: {c: {topics: [orders], config: {auto.offset.reset: `+reset+`}, started: false}}
script:
  - send: {records: [m1, m2]}
  - wait: {acked: [m1, m2]}
  - delete-records: {partition: orders-0, before: 1}
  - start: c
  - wait: {quiet: true}
`, planted.Set{})
		comesTo(t, r, "available app "+ruling, "at-least-once log holds", "at-least-once app violated")
		if v, _ := r.Report().Find(checker.Available, checker.AtApplication); strings.Contains(v.Evidence.Sentence, "m1") {
			t.Error(v.Evidence.Sentence)
		}
	}
}

// The same of a member of a group: its last commit arrives when the process is started again and has its partition in the
// next generation.
func TestAnEarlierMemberIsAZombie(t *testing.T) {
	const text = `
kafka: "3.9"
cluster: {brokers: 1}
topics: {in: {}}
producers: {p: {}}
consumers: {app: {topics: [in], group: shop, config: {auto.offset.reset: earliest, enable.auto.commit: false}}}
script:
  - rebalance: {group: shop, assign: {app: [in-0]}}
  - wait: {assigned: {consumer: app, partition: in-0}}
  - hold: {from: app, to: 1, kind: OffsetCommit}
  - send: {producer: p, records: [m1]}
  - wait: {processed: m1}
  - after: 1s
    crash: app
  - start: app
  - rebalance: {group: shop, assign: {app: [in-0]}}
  - wait: {assigned: {consumer: app, partition: in-0}}
  - release: all
  - wait: {quiet: true}
`
	comesTo(t, played(t, text, planted.Set{}), "fenced log holds", "fenced app holds")
	r := played(t, text, planted.Off(planted.CommitGeneration))
	comesTo(t, r, "fenced log violated", "fenced app holds")
	v, _ := r.Report().Find(checker.Fenced, checker.AtLog)
	if !strings.Contains(v.Evidence.Sentence, "app (after restart 1) was given in-0 in generation 2") || !strings.Contains(v.Evidence.Sentence, "app committed offset 1 in generation 1") {
		t.Error(v.Evidence.Sentence)
	}
}

// A leader looks at its followers' ends after every append, also after one in which it only recognises a batch that it has.
// What that commits is told: nothing is acknowledged with acks=all that no high watermark has passed.
func TestADuplicateMayMoveTheHighWatermark(t *testing.T) {
	o, err := Open("no-leader-without-isr")
	if err != nil {
		t.Fatal(err)
	}
	r, e := New(o.File, Options{Planted: planted.Off(planted.EligibleForISR)}) // it holds m1 back for a while
	if e != nil {
		t.Fatal(e)
	}
	r.Finish()
	h := r.History()
	if len(h.Commits) != 1 || h.Commits[0].HighWatermark != 1 || h.Submissions[0].Outcome.Kind != checker.Acked || h.Commits[0].Step > h.Submissions[0].Outcome.Step {
		t.Errorf("m1 ended as %+v; committed: %+v", h.Submissions[0].Outcome, h.Commits)
	}
}
