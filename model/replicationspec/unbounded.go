package replicationspec

import "fmt"

// Unbounded is a generation of the protocol without bounds, in one of its states. It is for comparing a run of something larger
// with the model: whoever has the run says which action it should be, and hears whether its guard allows it.
//
// The actions are those that a search takes. An assignment copies the whole. Replicas are numbered from 0.
type Unbounded struct {
	m *model
	s state
}

// NewUnbounded gives the initial state: empty logs, nobody leads, and the members given are in the quorum's ISR. An error says
// that there is no such generation, or that a member is not below MaxReplicas.
func NewUnbounded(g Generation, members []int) (Unbounded, error) {
	rules, err := rulesOf(g)
	if err != nil {
		return Unbounded{}, err
	}
	n := 0
	for _, r := range members {
		if r < 0 || r >= MaxReplicas {
			return Unbounded{}, fmt.Errorf("a replica must have a number from 0 to %d; one has %d", MaxReplicas-1, r)
		}
		n = max(n, r+1)
	}
	u := Unbounded{m: &model{rules: rules, replicas: n, logSize: noBound, records: noBound, epochs: noBound}, s: initial(n)}
	u.s.isr = newSet(members)
	return u, nil
}

func newSet(replicas []int) (s set) {
	for _, r := range replicas {
		s = s.with(r)
	}
	return s
}

// take goes on to the one state that an action leads to. Where TLC counts a step twice, the two are equal. It reports whether
// the guard allows the action.
func (u *Unbounded) take(next steps) bool {
	if len(next) == 0 {
		return false
	}
	u.s = next[0].state
	return true
}

// ControllerElects is the action "controller elects": x becomes the quorum's leader in a new epoch.
func (u *Unbounded) ControllerElects(x int) bool { return u.take(u.m.controllerElects(nil, &u.s, x)) }

// ControllerDrops is the action "controller drops": x leaves the quorum's ISR in a new epoch.
func (u *Unbounded) ControllerDrops(x int) bool { return u.take(u.m.controllerShrinks(nil, &u.s, x)) }

// BecomesLeader is the action by which x applies the request of an epoch that names x.
func (u *Unbounded) BecomesLeader(x, epoch int) bool {
	return u.isNewer(x, epoch) && u.take(u.m.becomeLeader(nil, &u.s, x, epoch))
}

// BecomesFollower is the action by which f applies the request of an epoch that names another, and truncates its log.
func (u *Unbounded) BecomesFollower(f, epoch int) bool {
	return u.isNewer(f, epoch) && u.take(u.m.becomeFollower(nil, &u.s, f, epoch))
}

func (u *Unbounded) isNewer(r, epoch int) bool {
	return epoch > u.s.replicas[r].epoch && epoch < u.s.nextEpoch()
}

// Writes is the action by which x, believing that it leads, appends a record. Its identity is one that no record has had.
func (u *Unbounded) Writes(x int) bool { return u.take(u.m.leaderWrites(nil, &u.s, x)) }

// Fetches is the action by which f copies the next record from l.
func (u *Unbounded) Fetches(f, l int) bool { return u.take(u.m.fetch(nil, &u.s, f, l)) }

// AdvancesHW is the action by which l raises its high watermark by one.
func (u *Unbounded) AdvancesHW(l int) bool { return u.take(u.m.advanceHW(nil, &u.s, l)) }

// Drops is the action by which the true leader l takes f out of the ISR.
func (u *Unbounded) Drops(l, f int) bool { return u.take(u.m.leaderShrinksISR(nil, &u.s, f, l)) }

// Adds is the action by which the true leader l takes f into the ISR.
func (u *Unbounded) Adds(l, f int) bool { return u.take(u.m.leaderExpandsISR(nil, &u.s, f, l)) }

// What a state holds.

// Log gives the records of replica r. They must not be changed.
func (u *Unbounded) Log(r int) []RecordView {
	log := make([]RecordView, 0, u.s.replicas[r].leo())
	for _, rec := range u.s.replicas[r].log {
		log = append(log, RecordView{ID: rec.id, Epoch: rec.epoch})
	}
	return log
}

// LEO is the log end offset of replica r.
func (u *Unbounded) LEO(r int) int { return u.s.replicas[r].leo() }

// HW is the high watermark of replica r.
func (u *Unbounded) HW(r int) int { return u.s.replicas[r].hw }

// Leader is whom replica r takes for the leader, in which epoch; -1 is nobody, and no epoch yet.
func (u *Unbounded) Leader(r int) (leader, epoch int) {
	return u.s.replicas[r].leader, u.s.replicas[r].epoch
}

// HasInISR says that replica r has member in the ISR it knows of.
func (u *Unbounded) HasInISR(r, member int) bool { return u.s.replicas[r].isr.has(member) }

// Quorum is the quorum's leader, -1 for nobody, its epoch and its ISR.
func (u *Unbounded) Quorum() (leader, epoch int, isr []int) {
	for r := range MaxReplicas {
		if u.s.isr.has(r) {
			isr = append(isr, r)
		}
	}
	return u.s.quorumLeader(), u.s.quorumEpoch(), isr
}

// CommonEnd is the offset up to which f may keep its log under leader l: see (*state).tailMatchPoint.
func (u *Unbounded) CommonEnd(l, f int) int { return u.s.tailMatchPoint(l, f) }

// SharesRecord says that both logs hold the same record at an offset.
func (u *Unbounded) SharesRecord(a, b, offset int) bool { return u.s.sameRecord(a, b, offset) }

// View is the state with names instead of numbers.
func (u *Unbounded) View() StateView { return u.m.view(&u.s) }

// Table shows the state as a story does, marking with a star what has changed since before.
func (u *Unbounded) Table(before *Unbounded) string {
	step := TraceStep{State: u.View(), Changed: u.m.changed(&before.s, &u.s)}
	return step.table()
}

// What a larger system does that the model has no action for. Each of these changes the state by a decree; whoever uses one has
// to say why.

// PutReplica takes over what replica r is in another state.
func (u *Unbounded) PutReplica(r int, from *Unbounded) { u.s.replicas[r] = from.s.replicas[r] }

// PutBelief lets replica r believe in a leader, an epoch and an ISR.
func (u *Unbounded) PutBelief(r, leader, epoch int, isr []int) {
	x := &u.s.replicas[r]
	x.leader, x.epoch, x.isr = leader, epoch, newSet(isr)
}

// PutISR lets replica r know of another ISR.
func (u *Unbounded) PutISR(r int, isr []int) { u.s.replicas[r].isr = newSet(isr) }

// PutLog gives replica r another log. Its high watermark goes down to the end of it if it lies above.
func (u *Unbounded) PutLog(r int, log []RecordView) {
	x := &u.s.replicas[r]
	x.log = make([]record, 0, len(log))
	for _, rec := range log {
		x.log = append(x.log, record{rec.ID, rec.Epoch})
	}
	x.hw = min(x.hw, x.leo())
}

// PutHW sets the high watermark of replica r.
func (u *Unbounded) PutHW(r, hw int) { u.s.replicas[r].hw = hw }

// PutQuorumISR sets the quorum's ISR.
func (u *Unbounded) PutQuorumISR(isr []int) { u.s.isr = newSet(isr) }

// PutRequest lets the controller decide on a leader, -1 for nobody, and an ISR in a new epoch.
func (u *Unbounded) PutRequest(leader int, isr []int) { u.s.controllerUpdate(leader, newSet(isr)) }
