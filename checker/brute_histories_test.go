package checker

import (
	"math/rand/v2"
	"slices"
)

// What a history has besides records that were sent and read: leaders that change, clients that ask, offices.

// bruteRestart lets a log lose its end to another leader, which may write something else there, or two records change places.
func bruteRestart(r *rand.Rand, h *History, step int) int {
	for i := range h.Logs {
		l := &h.Logs[i]
		n := len(l.Entries)
		switch r.IntN(9) {
		case 0: // what lies there is not what was appended
			if n > 1 && !l.Entries[n-1].Control && !l.Entries[n-2].Control {
				a, b := &l.Entries[n-2], &l.Entries[n-1]
				*a, *b = *b, *a
				a.Offset, b.Offset = b.Offset, a.Offset
				if r.IntN(2) == 0 { // and was so from the beginning
					for k := range h.Appends {
						e := &h.Appends[k]
						if e.TP == l.TP && e.Offset == a.Offset {
							e.Submission, e.Record, e.Step = a.Submission, a.Record, a.Step
						} else if e.TP == l.TP && e.Offset == b.Offset {
							e.Submission, e.Record, e.Step = b.Submission, b.Record, b.Step
						}
					}
					for k := range h.Submissions {
						s := &h.Submissions[k]
						for _, e := range []*Entry{a, b} {
							if s.ID == e.Submission && s.Outcome.Offset >= 0 {
								s.Outcome.Offset = e.Offset
							}
						}
					}
				}
			}
		case 1: // b2 leads, and has not all
			if n == 0 {
				continue
			}
			step++
			lost := l.Entries[n-1]
			for _, e := range l.Entries[:n-1] {
				if !e.Control {
					h.Appends = append(h.Appends, Append{TP: l.TP, Broker: 2, Epoch: 1, Offset: e.Offset, Submission: e.Submission, Record: e.Record, Step: e.Step})
				}
			}
			l.Entries, l.Leader = slices.Clone(l.Entries[:n-1]), 2
			h.Cuts = append(h.Cuts, Cut{TP: l.TP, Broker: 1, From: lost.Offset, To: lost.Offset + 1, Step: step})
			if r.IntN(2) == 0 {
				again := lost.Record
				if again == "" || r.IntN(2) == 0 {
					again = "m4"
				}
				s := Submission{ID: SubmissionID(string(again) + "#b" + string(rune('0'+i))), Record: again, Producer: "p", Incarnation: 2, TP: l.TP, SendStep: step, Outcome: Outcome{Kind: Acked, Offset: lost.Offset, Step: step + 2}}
				h.Submissions = append(h.Submissions, s)
				h.Appends = append(h.Appends, Append{TP: l.TP, Broker: 2, AsLeader: true, Epoch: 2, Offset: lost.Offset, Submission: s.ID, Record: again, Step: step + 1})
				h.Commits = append(h.Commits, Commit{TP: l.TP, Broker: 2, Epoch: 2, HighWatermark: lost.Offset + 1, Step: step + 1 + r.IntN(2)})
				l.Entries = append(l.Entries, Entry{Offset: lost.Offset, Epoch: 2, Submission: s.ID, Record: again, Step: step + 1})
				step += 3
			}
			if r.IntN(2) == 0 && !lost.Control { // somebody had read it
				h.Reads = append(h.Reads, Read{Application: "shop", Consumer: "c1", TP: l.TP, Offset: lost.Offset, Record: lost.Record, Step: max(lost.Step, step-2)})
			}
		}
	}
	for i := range h.Submissions {
		s := &h.Submissions[i]
		if s.Outcome.Kind == Acked && r.IntN(10) == 0 {
			s.Outcome.Offset = -1 // acks=0, or a duplicate that was recognised
		}
		if s.Outcome.Kind == Unknown && r.IntN(2) == 0 {
			s.Outcome.Step = 0
		}
		if s.Txn != "" && r.IntN(20) == 0 {
			s.Outcome.Kind, s.Outcome.Offset = OutcomeKind(r.IntN(3)/2*2), -1
		}
		if r.IntN(8) == 0 {
			s.From = "m0"
		}
		if r.IntN(8) == 0 {
			s.Producer = "q"
		}
	}
	return step + 1
}

// bruteClients gives readers their intervals and levels, and lets them ask for ends and positions, and be told of nothing.
func bruteClients(r *rand.Rand, h *History) {
	at := func() int { return 1 + r.IntN(h.End) }
	span := func() (call, step int) {
		step = at()
		return max(step-r.IntN(5), 1), step
	}
	for i := range h.Reads {
		d := &h.Reads[i]
		d.Isolation = Isolation(r.IntN(2))
		d.Call = max(d.Step-r.IntN(4), 1)
		if r.IntN(12) == 0 {
			d.Step = max(1, d.Step-r.IntN(20)) // too early
			d.Call = min(d.Call, d.Step)
		}
	}
	for i := range h.Applications {
		if a := &h.Applications[i]; r.IntN(4) == 0 {
			a.Topics = a.Topics[:1]
		} else if r.IntN(4) == 0 {
			a.Sinks = []string{"out", "table rows"}
			for k := range h.Effects {
				if h.Effects[k].Application == a.Name {
					h.Effects = append(h.Effects, h.Effects[k])
					h.Effects[k].Sink = "out"
					h.Effects[len(h.Effects)-1].Sink = "table rows"
				}
			}
		}
	}
	for i := range h.Effects {
		e := &h.Effects[i]
		e.Begun = max(e.Step-r.IntN(3), 0)
		if e.Sink != "" && r.IntN(8) == 0 {
			e.Sink = "out"
		}
		if len(h.Txns) > 0 && r.IntN(6) == 0 {
			t := &h.Txns[r.IntN(len(h.Txns))]
			e.Txn, e.Output, e.Asked = t.ID, string(e.Record)+".out", t.CommitAsked
		}
		if r.IntN(150) == 0 {
			e.Record = "ghost"
		}
	}
	for range r.IntN(3) {
		call, step := span()
		l := &h.Logs[r.IntN(2)]
		n := int64(0)
		for _, e := range bruteLog(h, l.TP) {
			if e.Step <= step {
				n = e.Offset + 1
			}
		}
		n = max(0, n-int64(r.IntN(6)/5))
		level, who := Isolation(r.IntN(2)), []string{"c1", "c2"}[r.IntN(2)]
		if r.IntN(2) == 0 {
			h.EndOffsets = append(h.EndOffsets, EndOffset{Consumer: who, TP: l.TP, Offset: n, Isolation: level, FromFollower: r.IntN(4) == 0, Call: call, Step: step})
		} else {
			h.EmptyReads = append(h.EmptyReads, EmptyRead{Application: "shop", Consumer: who, Broker: 1, TP: l.TP, Offset: n, Isolation: level, Call: call, Step: step})
		}
	}
	position := int64(0)
	for range r.IntN(4) {
		call, step := span()
		position = max(0, position+int64(r.IntN(4))-1)
		c := OffsetCommit{Group: "shop", Consumer: []string{"c1", "c2"}[r.IntN(2)], Generation: r.IntN(4), TP: orders, Offset: position, Call: call, Step: step}
		if r.IntN(2) == 0 {
			c.Written, c.Applied = call, min(call+1, step)
		}
		h.OffsetCommits = append(h.OffsetCommits, c)
	}
	for range r.IntN(4) {
		call, step := span()
		h.OffsetFetches = append(h.OffsetFetches, OffsetFetch{Group: "shop", Consumer: "c1", TP: orders, Offset: int64(r.IntN(5)) - 1, Call: call, Step: step})
	}
	for i := range h.Txns {
		if t := &h.Txns[i]; r.IntN(3) == 0 {
			o := TxnOffset{Group: "shop", Consumer: "c1", Generation: r.IntN(3), TP: orders, Offset: int64(r.IntN(3)), Applied: (t.Decided == TxnCommitted) != (r.IntN(10) == 0), Written: t.Begin + 1, Step: t.Begin + 2}
			t.Offsets = append(t.Offsets, o)
		}
	}
}

// bruteOffices grants leaderships, a transactional.id and a partition of a group, and says who acts under what.
func bruteOffices(r *rand.Rand, h *History) {
	lives := r.IntN(2)
	grant := func(g Grant, step int) int {
		g.Call = step
		g.Step = step + r.IntN(6)
		if r.IntN(8) == 0 {
			g.Step = 0
		}
		h.Grants = append(h.Grants, g)
		return step + r.IntN(max(h.End/3, 2))
	}
	if r.IntN(2) == 0 {
		step := 1
		for epoch := range 1 + r.IntN(3) {
			step = grant(Grant{Office: ProducerOffice, Name: "tx", Epoch: epoch, Holder: []string{"p", "p", "q"}[r.IntN(3)], Incarnation: lives * (1 + epoch/2)}, step)
		}
	}
	for i := range h.Submissions {
		if s := &h.Submissions[i]; r.IntN(3) > 0 {
			s.TransactionalID, s.ProducerEpoch = "tx", 0
			for _, g := range h.Grants {
				if g.Step > 0 && g.Call <= s.SendStep && g.Holder == s.Producer && r.IntN(6) > 0 {
					s.ProducerEpoch = g.Epoch
				}
			}
			s.Incarnation = lives * (1 + s.ProducerEpoch/2)
		}
	}
	for _, l := range h.Logs {
		h.Grants = append(h.Grants, Grant{Office: LeaderOffice, TP: l.TP, Epoch: 1, Holder: "b1", Step: 1})
		if l.Leader == 2 {
			step := h.End
			for _, a := range h.Appends {
				if a.TP == l.TP && a.Broker == 2 && a.AsLeader {
					step = a.Step - r.IntN(4)
				}
			}
			h.Grants = append(h.Grants, Grant{Office: LeaderOffice, TP: l.TP, Epoch: 2, Holder: "b2", Step: max(step, 1)})
		}
	}
	if r.IntN(2) == 0 {
		return
	}
	step := 1
	for generation := range 1 + r.IntN(3) {
		step = grant(Grant{Office: OwnerOffice, Name: "shop", TP: orders, Epoch: generation + 1, Holder: []string{"c1", "c2"}[r.IntN(2)], Incarnation: lives}, step)
	}
	owner := func(at int, who *string, life, generation *int) {
		*life = lives
		for _, g := range h.Grants {
			if g.Office == OwnerOffice && g.Call <= at && (g.Step > 0 || r.IntN(2) == 0) && r.IntN(6) > 0 {
				*who, *generation = g.Holder, g.Epoch
			}
		}
	}
	for i := range h.OffsetCommits {
		c := &h.OffsetCommits[i]
		owner(c.Step, &c.Consumer, &c.Incarnation, &c.Generation)
	}
	for i := range h.Effects {
		if e := &h.Effects[i]; e.Application == "shop" {
			owner(e.Step, &e.Consumer, &e.Incarnation, &e.Generation)
		}
	}
}

// bruteCutOff ends the run before it has come to rest.
func bruteCutOff(r *rand.Rand, h *History) {
	h.Quiescence = Quiescence{TimeUp: r.IntN(4) == 0}
	if r.IntN(3) > 0 {
		h.Quiescence.Moving = []Motion{{What: "b1 is starting"}}
		if r.IntN(3) == 0 {
			h.Quiescence.Moving[0].Records = []RecordID{"m1", "m2"}
		}
	}
	for i := range h.Txns {
		if t := &h.Txns[i]; t.CommitAsked == 0 && t.AbortAsked == 0 && r.IntN(2) == 0 {
			t.Abandoned = h.End
		}
	}
}
