package groupcoordinator

import (
	"slices"
	"testing"

	"kafkatrial/model/event"
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
)

func to(client string, tps ...protocol.TopicPartition) protocol.GroupMember {
	return protocol.GroupMember{ClientID: client, Assignment: tps}
}

// carry appends what an outcome asks for, as the broker does.
func (r *replica) carry(o Outcome) []Answer {
	r.t.Helper()
	if o.Write.ID == 0 {
		return o.Answers
	}
	base := r.end()
	r.batches = append(r.batches, o.Write.Batch.WithOffset(base, 1))
	return append(o.Answers, r.g.OnAppended(o.Write.ID, base, r.end())...)
}

func (r *replica) join(client, member string) Outcome {
	r.conn++
	return r.g.HandleJoinGroup(0, r.conn, &protocol.JoinGroup{Group: "g", ClientID: client, Member: member})
}

// stable brings the group to generation 1 with the members a-1, which has orders-0, and b-1.
func (r *replica) stable() {
	r.t.Helper()
	r.join("a", "")
	r.join("b", "")
	o := r.g.Rebalance(0, &protocol.RebalanceCommand{Group: "g", Members: []protocol.GroupMember{to("a", orders0), to("b")}})
	r.carry(o)
	r.done(o.Write)
	if g := r.group(); g.State != Stable || g.Generation != 1 || len(g.Members) != 2 {
		r.t.Fatalf("the group is %+v", g)
	}
}

func (r *replica) group() *Group { return &r.g.Groups(0)[0] }

func (r *replica) commitOf(member string, generation int32) protocol.Error {
	r.t.Helper()
	a, refused, w := r.g.HandleOffsetCommit(0, 1, &protocol.OffsetCommit{Group: "g", Generation: generation, Member: member, Data: []protocol.CommitData{at(orders0, 4)}})
	if refused {
		return outcome(r.t, a)
	}
	if w.Batch == nil {
		r.t.Fatal("neither refused nor written")
	}
	return protocol.None
}

func (r *replica) txnCommitOf(member string, generation int32) protocol.Error {
	r.t.Helper()
	a, refused, _ := r.g.HandleTxnOffsetCommit(0, 1, &protocol.TxnOffsetCommit{Group: "g", ProducerID: 7, Generation: generation, Member: member, Data: []protocol.CommitData{at(orders0, 4)}})
	if refused {
		return a.Msg.(*protocol.TxnOffsetCommitResponse).Data[0].Err
	}
	return protocol.None
}

func (r *replica) heartbeat(member string, generation int32) protocol.Error {
	return r.g.HandleHeartbeat(1, &protocol.Heartbeat{Group: "g", Generation: generation, Member: member}).Msg.(*protocol.HeartbeatResponse).Err
}

// GroupCoordinator.validateOffsetCommit.
func TestCommitNeedsAMemberOfTheGeneration(t *testing.T) {
	const none, unknown, illegal = protocol.None, protocol.UnknownMemberID, protocol.IllegalGeneration
	for _, tc := range []struct {
		version    string
		state      string // of the group
		member     string
		generation int32
		want       protocol.Error
	}{
		{"3.9", "none", "", -1, none},
		{"3.9", "none", "a-1", 1, illegal},
		{"4.0", "none", "a-1", 1, protocol.GroupIDNotFound},
		{"3.9", "empty", "", -1, none},
		{"2.5", "empty", "a-1", -1, none},
		{"3.9", "empty", "a-1", 1, unknown},
		{"0.9", "stable", "", -1, unknown},
		{"4.0", "stable", "", -1, unknown},
		{"0.9", "stable", "a-1", 1, none},
		{"4.0", "stable", "a-1", 1, none},
		{"3.9", "stable", "a-1", 0, illegal},
		{"3.9", "stable", "a-1", -1, illegal},
		{"3.9", "stable", "c-1", 1, unknown},
		// While members are asked to join again, those of the present generation may commit; who is out may not.
		{"3.9", "preparing", "a-1", 1, none},
		{"3.9", "preparing", "b-1", 1, unknown},
		{"3.9", "completing", "a-1", 2, protocol.RebalanceInProgress},
		{"3.9", "completing", "a-1", 1, illegal},
	} {
		r := newCoordinator(t, tc.version)
		r.elect(1, 0)
		switch tc.state {
		case "empty":
			w, _ := r.commit(at(orders0, 3))
			r.done(w)
		case "stable":
			r.stable()
		case "preparing", "completing":
			r.stable()
			r.g.Rebalance(0, &protocol.RebalanceCommand{Group: "g", Members: []protocol.GroupMember{to("a", orders0)}})
			if tc.state == "completing" {
				r.join("a", "a-1")
			}
		}
		if got := r.commitOf(tc.member, tc.generation); got != tc.want {
			t.Errorf("%+v: %v", tc, got)
		}
	}
	r := newCoordinator(t, "3.9", planted.CommitGeneration)
	r.elect(1, 0)
	r.stable()
	if got := r.commitOf("c-1", 1); got != none {
		t.Errorf("without the guard: %v", got)
	}
}

// GroupCoordinator.doTxnCommitOffsets: nothing is checked before 2.5, and from then on only what the producer says.
func TestTxnOffsetCommitIsCheckedIfItNamesAMember(t *testing.T) {
	for _, tc := range []struct {
		version    string
		member     string
		generation int32
		want       protocol.Error
	}{
		{"0.11", "c-1", 0, protocol.None},
		{"2.4", "a-1", 0, protocol.None},
		{"2.5", "a-1", 0, protocol.IllegalGeneration},
		{"2.5", "c-1", 1, protocol.UnknownMemberID},
		{"2.5", "a-1", 1, protocol.None},
		{"2.5", "", -1, protocol.None},
		{"3.9", "", -1, protocol.None},
		{"4.0", "", -1, protocol.None},
		{"4.0", "a-1", 0, protocol.IllegalGeneration},
		{"4.0", "c-1", 1, protocol.UnknownMemberID},
		{"4.0", "a-1", 1, protocol.None},
	} {
		r := newCoordinator(t, tc.version)
		r.elect(1, 0)
		r.stable()
		if got := r.txnCommitOf(tc.member, tc.generation); got != tc.want {
			t.Errorf("%+v: %v", tc, got)
		}
	}
	for version, want := range map[string]protocol.Error{"3.9": protocol.UnknownMemberID, "4.0": protocol.IllegalGeneration} {
		r := newCoordinator(t, version)
		r.elect(1, 0)
		if got := r.txnCommitOf("a-1", 1); got != want {
			t.Errorf("%s, a group that is not there: %v", version, got)
		}
	}
	r := newCoordinator(t, "3.9", planted.TxnCommitGeneration)
	r.elect(1, 0)
	r.stable()
	if got := r.txnCommitOf("c-1", 1); got != protocol.None {
		t.Errorf("without the guard: %v", got)
	}
}

// A round waits for those who are to be in the next generation; they learn of it once it is replicated.
func TestRoundEndsOnceAllHaveJoinedAndTheGenerationIsWritten(t *testing.T) {
	for _, version := range []string{"0.10", "3.9", "4.0"} {
		r := newCoordinator(t, version)
		r.elect(1, 0)
		r.join("a", "")
		o := r.g.Rebalance(0, &protocol.RebalanceCommand{Group: "g", Members: []protocol.GroupMember{to("a", orders0), to("b", orders1)}})
		if _, began := o.Event.(*event.GroupRebalancing); o.Write.ID != 0 || !began || !slices.Equal(r.group().Awaited(), []string{"b"}) {
			t.Fatalf("%s: b has not joined: %+v, waits for %v", version, o, r.group().Awaited())
		}
		o = r.join("b", "")
		if early := r.carry(o); len(early) != 0 || r.group().State != CompletingRebalance {
			t.Fatalf("%s: before it is replicated: %v, %v", version, early, r.group().State)
		}
		answers := r.done(o.Write)
		if e, ok := answers[0].Event.(*event.GroupRebalanced); len(answers) != 3 || !ok || e.Generation != 1 {
			t.Fatalf("%s: %+v", version, answers)
		}
		for i, want := range []protocol.JoinGroupResponse{
			{Generation: 1, Member: "a-1", Assignment: []protocol.TopicPartition{orders0}},
			{Generation: 1, Member: "b-1", Assignment: []protocol.TopicPartition{orders1}},
		} {
			got := answers[i+1].Msg.(*protocol.JoinGroupResponse)
			if got.Err != protocol.None || got.Generation != want.Generation || got.Member != want.Member || !slices.Equal(got.Assignment, want.Assignment) {
				t.Errorf("%s: %+v", version, got)
			}
		}
	}
}

// GroupCoordinator.handleHeartbeat: how a member learns of a round, and that it is out.
func TestHeartbeatTellsOfARound(t *testing.T) {
	r := newCoordinator(t, "3.9")
	r.elect(1, 0)
	if got := r.heartbeat("a-1", 1); got != protocol.UnknownMemberID {
		t.Errorf("no group: %v", got)
	}
	r.stable()
	for _, tc := range []struct {
		member     string
		generation int32
		want       protocol.Error
	}{{"a-1", 1, protocol.None}, {"a-1", 0, protocol.IllegalGeneration}, {"c-1", 1, protocol.UnknownMemberID}} {
		if got := r.heartbeat(tc.member, tc.generation); got != tc.want {
			t.Errorf("%+v: %v", tc, got)
		}
	}
	r.g.Rebalance(0, &protocol.RebalanceCommand{Group: "g", Members: []protocol.GroupMember{to("b", orders0)}})
	if a, b := r.heartbeat("a-1", 1), r.heartbeat("b-1", 1); a != protocol.UnknownMemberID || b != protocol.RebalanceInProgress {
		t.Errorf("a is out: %v; b is to join again: %v", a, b)
	}
	o := r.join("b", "b-1")
	r.carry(o)
	answers := r.done(o.Write)
	if got := answers[1].Msg.(*protocol.JoinGroupResponse); got.Member != "b-1" || got.Generation != 2 || !slices.Equal(got.Assignment, []protocol.TopicPartition{orders0}) {
		t.Errorf("b keeps its id: %+v", got)
	}
	if o := r.join("a", "a-1"); o.Answers[0].Msg.(*protocol.JoinGroupResponse).Err != protocol.UnknownMemberID {
		t.Errorf("a joins with its old id: %+v", o.Answers)
	}
	if o := r.join("b", "b-1"); o.Answers[0].Msg.(*protocol.JoinGroupResponse).Generation != 2 {
		t.Errorf("b, with no round under way: %+v", o.Answers)
	}
}

// GroupMetadataManager.storeGroup, loadGroup: the next coordinator knows generation and members.
func TestGenerationIsReloaded(t *testing.T) {
	for _, version := range []string{"0.9", "3.9", "4.0"} {
		r := newCoordinator(t, version)
		r.elect(1, 0)
		r.stable()
		before := slices.Clone(r.group().Members)
		r.join("c", "")
		lost := r.g.OnResignation(0, 2)
		if len(lost) != 1 || lost[0].Msg.(*protocol.JoinGroupResponse).Err != protocol.NotCoordinator {
			t.Errorf("%s: c is told %+v", version, lost)
		}
		r.elect(3, r.end())
		g := r.group()
		if g.State != Stable || g.Generation != 1 || !slices.EqualFunc(g.Members, before, func(a, b Member) bool {
			return a.ID == b.ID && a.ClientID == b.ClientID && slices.Equal(a.Assignment, b.Assignment)
		}) {
			t.Errorf("%s: reloaded as %+v", version, g)
		}
		if got := r.commitOf("a-1", 1); got != protocol.None {
			t.Errorf("%s: a-1 commits: %v", version, got)
		}
		if got := r.commitOf("", -1); got != protocol.UnknownMemberID {
			t.Errorf("%s: one who is no member: %v", version, got)
		}
	}
}

// resetAndPropagateAssignmentError: a generation that could not be written is none.
func TestGenerationThatCouldNotBeWritten(t *testing.T) {
	r := newCoordinator(t, "3.9")
	r.elect(1, 0)
	r.stable()
	r.g.Rebalance(0, &protocol.RebalanceCommand{Group: "g", Members: []protocol.GroupMember{to("a", orders0)}})
	o := r.join("a", "a-1")
	answers := r.g.OnAppendFailed(o.Write.ID, protocol.NotEnoughReplicas)
	if len(answers) != 2 || answers[1].Msg.(*protocol.JoinGroupResponse).Err != protocol.CoordinatorNotAvailable || r.group().State != PreparingRebalance {
		t.Fatalf("%+v, %v", answers, r.group().State)
	}
	o = r.join("a", "a-1")
	r.carry(o)
	if a := r.done(o.Write); a[1].Msg.(*protocol.JoinGroupResponse).Generation != 3 {
		t.Errorf("joined again: %+v", a)
	}
}

// A connection that is gone takes the request that waits on it along.
func TestJoinOfAConnectionThatIsGone(t *testing.T) {
	r := newCoordinator(t, "3.9")
	r.elect(1, 0)
	r.join("a", "")
	r.g.OnDisconnected(r.conn)
	if o := r.g.Rebalance(0, &protocol.RebalanceCommand{Group: "g", Members: []protocol.GroupMember{to("a", orders0)}}); o.Write.ID != 0 {
		t.Error("a counts as joined")
	}
}

// KIP-447: a position that is about to move is not told.
func TestStableOffsetFetchGuard(t *testing.T) {
	r := newCoordinator(t, "3.9", planted.StableOffsetFetch)
	r.elect(1, 0)
	r.commit(at(orders0, 3))
	if offset, err, _ := r.position(orders0); offset != -1 || err != protocol.None {
		t.Errorf("without the guard: %d %v", offset, err)
	}
}

// GroupCoordinator.handleJoinGroup: one who comes with a member id makes no group, so that a commit of a generation that
// was lost with its log is still told so.
func TestJoinWithAMemberIDMakesNoGroup(t *testing.T) {
	r := newCoordinator(t, "3.9")
	r.elect(1, 0)
	if o := r.join("a", "a-1"); o.Answers[0].Msg.(*protocol.JoinGroupResponse).Err != protocol.UnknownMemberID {
		t.Errorf("a-1 joins: %+v", o.Answers)
	}
	if got := r.commitOf("a-1", 1); got != protocol.IllegalGeneration {
		t.Errorf("a-1 commits: %v", got)
	}
}
