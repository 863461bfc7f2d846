package replicationspec

import (
	"encoding/json"
	"fmt"
	"strings"

	"kafkatrial/sim/explore"
)

// Trace is a counterexample: a shortest way from the initial state to one in which an invariant does not hold.
type Trace struct {
	Config    string      `json:"config"`    // see Config.String
	Invariant string      `json:"invariant"` // the invariant that does not hold in the last step's state
	Reason    string      `json:"reason"`    // why it does not hold there, in a sentence
	Steps     []TraceStep `json:"steps"`     // the first is the initial state
}

// TraceStep is one action, and the state after it.
type TraceStep struct {
	Number  int       `json:"step"`    // from 1
	Action  string    `json:"action"`  // the action with its choice, for instance "controller elects b2"; "start" for the first step
	Text    string    `json:"text"`    // what happens, in a sentence
	Changed []string  `json:"changed"` // the replicas that the action changed, and "quorum" if it changed that
	State   StateView `json:"state"`
}

// StateView is a state with names instead of numbers. Where nobody leads, the leader is "none"; where there is no epoch yet, the
// epoch is -1.
type StateView struct {
	Replicas []ReplicaView `json:"replicas"`
	Quorum   QuorumView    `json:"quorum"`
	Requests []QuorumView  `json:"requests"` // all LeaderAndIsr requests ever sent, by epoch
	Written  int           `json:"written"`  // how many records were ever written
}

// ReplicaView is what one replica knows.
type ReplicaView struct {
	ID     string       `json:"id"` // b1, b2, …
	Log    []RecordView `json:"log"`
	LEO    int          `json:"leo"`
	HW     int          `json:"hw"`
	Epoch  int          `json:"epoch"`
	Leader string       `json:"leader"`
	ISR    []string     `json:"isr"`
}

// RecordView is one cell of a log: which record it holds, and the leader epoch it was written in.
type RecordView struct {
	ID    int `json:"id"`
	Epoch int `json:"epoch"`
}

// QuorumView is leader, epoch and ISR, as the quorum has them or as a request carries them.
type QuorumView struct {
	Epoch  int      `json:"epoch"`
	Leader string   `json:"leader"`
	ISR    []string `json:"isr"`
}

func (m *model) trace(c Config, violated string, found []explore.Step[packed, action]) *Trace {
	t := &Trace{Config: c.String(), Invariant: violated}
	states := make([]unpacked, len(found))
	for i := range found {
		m.unpack(&states[i], &found[i].State)
		before, after := &states[max(i-1, 0)].state, &states[i].state
		t.Steps = append(t.Steps, TraceStep{
			Number:  i + 1,
			Action:  found[i].Action.name(),
			Text:    found[i].Action.sentence(before, after),
			Changed: m.changed(before, after),
			State:   m.view(after),
		})
	}
	last := &states[len(states)-1].state
	for _, inv := range m.invariants {
		if inv.name == violated {
			b, _ := inv.check(last, m.replicas)
			t.Reason = inv.reason(last, b)
		}
	}
	return t
}

// changed lists the replicas in which two states differ, and "quorum" if they differ there.
func (m *model) changed(before, after *state) []string {
	names := []string{}
	for r := range m.replicas {
		if !before.replicas[r].equal(&after.replicas[r]) {
			names = append(names, replicaName(r))
		}
	}
	if before.isr != after.isr || before.nextEpoch() != after.nextEpoch() {
		names = append(names, "quorum")
	}
	return names
}

func (m *model) view(s *state) StateView {
	v := StateView{
		Quorum:   QuorumView{Epoch: s.quorumEpoch(), Leader: replicaName(s.quorumLeader()), ISR: s.isr.names()},
		Requests: []QuorumView{},
		Written:  s.nextRecord,
	}
	for e := range s.nextEpoch() {
		q := s.requests[e]
		v.Requests = append(v.Requests, QuorumView{Epoch: e, Leader: replicaName(q.leader), ISR: q.isr.names()})
	}
	for i := range m.replicas {
		r := &s.replicas[i]
		rv := ReplicaView{
			ID:     replicaName(i),
			Log:    []RecordView{},
			LEO:    int(r.leo()),
			HW:     int(r.hw),
			Epoch:  int(r.epoch),
			Leader: replicaName(r.leader),
			ISR:    r.isr.names(),
		}
		for o := range r.leo() {
			rv.Log = append(rv.Log, RecordView{ID: r.log[o].id, Epoch: int(r.log[o].epoch)})
		}
		v.Replicas = append(v.Replicas, rv)
	}
	return v
}

// JSON is the trace as indented JSON, with a newline at the end.
func (t *Trace) JSON() ([]byte, error) {
	b, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(b, '\n'), nil
}

// String tells the trace as a numbered story: for each step a sentence, and below it the state of each replica and of the quorum.
// A star marks what the step changed. A cell of a log shows the record and the epoch it was written in, as id/epoch.
func (t *Trace) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s does not hold. A shortest way there has %s:\n", t.Config, t.Invariant, plural(len(t.Steps), "state"))
	for _, step := range t.Steps {
		fmt.Fprintf(&b, "\n%3d  %s\n", step.Number, step.Text)
		b.WriteString(step.table())
	}
	fmt.Fprintf(&b, "\n%s\n", t.Reason)
	return b.String()
}

// table shows the state of a step: one line for each replica, and one for the quorum.
func (t *TraceStep) table() string {
	logs := 0
	for _, r := range t.State.Replicas {
		logs = max(logs, len(cells(r.Log)))
	}
	var b strings.Builder
	for _, r := range t.State.Replicas {
		fmt.Fprintf(&b, "     %s %-6s  log %-*s  leo %d  hw %d  %s\n",
			t.star(r.ID), r.ID, logs, cells(r.Log), r.LEO, r.HW, leadership(r.Epoch, r.Leader, r.ISR))
	}
	q := t.State.Quorum
	fmt.Fprintf(&b, "     %s quorum  %*s%s\n", t.star("quorum"), logs+18, "", leadership(q.Epoch, q.Leader, q.ISR))
	return b.String()
}

func (t *TraceStep) star(name string) string {
	for _, c := range t.Changed {
		if c == name {
			return "*"
		}
	}
	return " "
}

func leadership(epoch int, leader string, isr []string) string {
	e := "-"
	if epoch >= 0 {
		e = fmt.Sprint(epoch)
	}
	return fmt.Sprintf("epoch %s  leader %-4s  isr {%s}", e, leader, strings.Join(isr, " "))
}

func cells(log []RecordView) string {
	var all []string
	for _, r := range log {
		all = append(all, fmt.Sprintf("%d/%d", r.ID, r.Epoch))
	}
	return "[" + strings.Join(all, " ") + "]"
}
