package checker

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
)

// fakePartition is a partition laid out by hand.
type fakePartition struct {
	ControllerView
	replicas []ReplicaView
	logs     map[int][]BatchView
	looked   int
}

func (f *fakePartition) TopicPartition() TopicPartition { return orders }
func (f *fakePartition) Controller() *ControllerView    { return &f.ControllerView }
func (f *fakePartition) Replicas() []ReplicaView        { return f.replicas }
func (f *fakePartition) BatchAt(b int, o int64) (BatchView, bool) {
	f.looked++
	i := slices.IndexFunc(f.logs[b], func(v BatchView) bool { return v.Next > o })
	if i < 0 {
		return BatchView{}, false
	}
	return f.logs[b][i], true
}

// holds gives a broker other batches from the one at an offset on.
func (f *fakePartition) holds(id int, from int64, more ...BatchView) {
	l := slices.Clone(f.logs[id])
	l = append(l[:slices.IndexFunc(append(l, BatchView{First: 1 << 40}), func(v BatchView) bool { return v.First >= from })], more...)
	f.logs[id] = l
	r := f.replica(id)
	if from < r.LEO {
		r.CutTo = from
	}
	r.LEO = from
	if len(more) > 0 {
		r.LEO = more[len(more)-1].Next
	}
}

func (f *fakePartition) replica(id int) *ReplicaView {
	return &f.replicas[slices.IndexFunc(f.replicas, func(r ReplicaView) bool { return r.Broker == id })]
}

// append puts batches on both logs and commits them.
func (f *fakePartition) append(batches ...BatchView) {
	for id := 1; id <= 2; id++ {
		f.holds(id, f.replica(id).LEO, batches...)
	}
	r := f.replica(1)
	r.HW, r.LSO, r.ReaderEnd, r.ReaderLSO = r.LEO, r.LEO, r.LEO, r.LEO
}

func plain(offset int64, epoch int, hash uint64) BatchView {
	return BatchView{First: offset, Next: offset + 1, Epoch: epoch, Hash: hash, Producer: -1, ProducerEpoch: -1, FirstSequence: -1, LastSequence: -1}
}

// by is a batch of a producer with an id.
func by(offset int64, producerEpoch int, first, last int32) BatchView {
	b := plain(offset, 1, uint64(offset)*100)
	b.Next = offset + max(int64(last)-int64(first)+1, 1)
	b.Producer, b.ProducerEpoch, b.FirstSequence, b.LastSequence = 7, producerEpoch, first, last
	return b
}

func inTxn(b BatchView) BatchView { b.Transactional = true; return b }

func marks(offset int64, producerEpoch, coordinatorEpoch int) BatchView {
	b := by(offset, producerEpoch, -1, -1)
	b.Transactional, b.Control, b.CoordinatorEpoch = true, true, coordinatorEpoch
	return b
}

// pair is a leader and a follower that hold the same two records, both committed.
func pair() *fakePartition {
	return &fakePartition{ControllerView: ControllerView{Leader: 1, Epoch: 1, PartitionEpoch: 5, ISR: []int{1, 2}, Replicas: []int{1, 2}},
		replicas: []ReplicaView{
			{Broker: 1, Role: Leader, Life: 1, LeaderEpoch: 1, LSO: 2, HW: 2, LEO: 2, ReaderEnd: 2, ReaderLSO: 2, MaximalISR: []int{1, 2}, CutTo: -1},
			{Broker: 2, Role: Follower, Life: 1, LeaderEpoch: 1, LSO: 0, HW: 0, LEO: 2, ReaderEnd: -1, ReaderLSO: -1, CutTo: -1},
		},
		logs: map[int][]BatchView{1: {plain(0, 1, 10), plain(1, 1, 11)}, 2: {plain(0, 1, 10), plain(1, 1, 11)}},
	}
}

// elects makes the follower the leader of a new epoch.
func (f *fakePartition) elects(epoch int) {
	f.Leader, f.Epoch, f.PartitionEpoch = 2, epoch, f.PartitionEpoch+1
	r := f.replica(2)
	r.Role, r.LeaderEpoch, r.MaximalISR = Leader, epoch, f.ISR
	f.replica(1).Role = Follower
}

var brokenViews = []struct {
	name      string
	change    func(*fakePartition)
	invariant string // the only one that is broken; empty: none is
	sentence  string
}{
	{"nothing changes", func(*fakePartition) {}, "", ""},
	{"a second leader in the epoch", func(f *fakePartition) { f.replicas[1].Role = Leader }, OneLeaderPerEpoch,
		"b1 and b2 both lead orders-0 in epoch 1."},
	{"a leader of a new epoch", func(f *fakePartition) { f.elects(2) }, "", ""},
	{"a leader of an epoch that nobody was given", func(f *fakePartition) { f.replicas[0].LeaderEpoch = 3 }, LedAsGiven,
		"b1 leads orders-0 in epoch 3, which the controller has not given to anybody."},
	{"a leader of an epoch that is another's", func(f *fakePartition) {
		f.elects(2)
		f.replicas[1].Role, f.replicas[0].Role, f.replicas[0].LeaderEpoch = Follower, Leader, 2
	}, LedAsGiven, "b1 leads orders-0 in epoch 2, which the controller has given to b2."},
	{"an epoch that is given twice", func(f *fakePartition) {
		f.Leader = 2
		f.replicas[0].Role = Follower
	}, LedAsGiven, "The controller gives epoch 1 of orders-0 to b2, though it has given it to b1."},
	{"the controller's epoch goes back", func(f *fakePartition) { f.Epoch = 0 }, EpochsGoForward,
		"The controller's leader epoch of orders-0 goes back from 1 to 0."},
	{"the partition epoch goes back", func(f *fakePartition) { f.PartitionEpoch = 4 }, PartitionEpochForward,
		"The controller's partition epoch of orders-0 goes back from 5 to 4."},
	{"the leader leaves the ISR", func(f *fakePartition) { f.ISR = []int{2} }, LeaderInISR, "b1 leads orders-0, but is not in its ISR."},
	{"a stranger in the ISR", func(f *fakePartition) { f.ControllerView.Replicas = []int{1, 3} }, ISRWithinReplicas,
		"b2 is in the ISR of orders-0, but has no replica of it."},
	{"the leader waits for less than the ISR", func(f *fakePartition) { f.replicas[0].MaximalISR = []int{1} }, MaximalISRCovers,
		"The controller has b2 in the ISR of orders-0, but the leader b1 does not wait for it."},
	{"the leader of an earlier epoch waits for less than the ISR", func(f *fakePartition) {
		f.elects(2)
		f.replicas[1] = ReplicaView{Broker: 2, Role: Follower, LeaderEpoch: 1, LEO: 2, CutTo: -1}
		f.replicas[0].Role, f.replicas[0].MaximalISR = Leader, []int{1}
	}, "", ""},
	{"an eligible leader replica in the ISR", func(f *fakePartition) { f.ELR = []int{2} }, ELRApart,
		"b2 is an eligible leader replica of orders-0, and in its ISR as well."},
	{"HW beyond LEO", func(f *fakePartition) { f.replicas[1].HW = 3 }, OffsetsInOrder,
		"b2's offsets of orders-0 are out of order: LSO 0, high watermark 3, log end offset 2."},
	{"LSO beyond HW", func(f *fakePartition) { f.replicas[1].LSO = 1 }, OffsetsInOrder,
		"b2's offsets of orders-0 are out of order: LSO 1, high watermark 0, log end offset 2."},
	{"the log starts beyond HW", func(f *fakePartition) { f.replicas[1].LogStart = 1 }, StartBelowHW,
		"b2's log of orders-0 starts at 1, beyond its high watermark 0."},
	{"HW goes back within an epoch", func(f *fakePartition) { f.replicas[0].HW, f.replicas[0].LSO = 1, 1 }, HWForward,
		"b1's high watermark of orders-0 goes back from 2 to 1 within epoch 1."},
	{"a new process begins with its checkpoint", func(f *fakePartition) {
		f.replicas[0].HW, f.replicas[0].LSO, f.replicas[0].Life = 1, 1, 2
	}, "", ""},
	{"an ISR member cuts what is committed", func(f *fakePartition) { f.holds(2, 0) }, CommittedOnISR,
		"b2 is in the ISR of orders-0, but its log ends at 0, while everything below 2 is committed."},
	{"a replica outside the ISR may cut", func(f *fakePartition) {
		f.ISR = []int{1}
		f.holds(2, 0)
	}, "", ""},
	{"an ISR member has a hole at its start", func(f *fakePartition) {
		f.logs[2], f.replicas[1].CutTo = f.logs[2][1:], 0
	}, CommittedOnISR, "b2 is in the ISR of orders-0, but holds nothing at offset 0, where something is committed."},
	{"a hole above what is committed", func(f *fakePartition) { f.holds(2, 2, plain(3, 1, 13)) }, OffsetsContiguous,
		"b2's log of orders-0 has nothing at offset 2, between what comes before and what comes after."},
	{"an epoch below the one before", func(f *fakePartition) { f.holds(2, 2, plain(2, 0, 12)) }, EpochsAscend,
		"b2's log of orders-0 goes back at offset 2 from epoch 1 to epoch 0."},
	{"an ISR member has cut and holds a record of another epoch", func(f *fakePartition) { f.holds(2, 1, plain(1, 2, 99)) }, LogMatching,
		"b2 holds another record at offset 1 of orders-0 than the one that was committed there."},
	{"a replica outside the ISR may hold another record above its high watermark", func(f *fakePartition) {
		f.ISR = []int{1}
		f.holds(2, 1, plain(1, 0, 99))
		f.logs[2][0].Epoch, f.replicas[1].CutTo = 0, 0
	}, "", ""},
	{"another record of the same epoch above what is committed", func(f *fakePartition) {
		f.holds(1, 2, plain(2, 1, 12))
		f.holds(2, 2, plain(2, 1, 99))
	}, SamePast, "b1 and b2 hold different records at offset 2 of orders-0, both of epoch 1."},
	{"the same record after another epoch", func(f *fakePartition) {
		f.holds(1, 2, plain(2, 1, 12), plain(3, 3, 13))
		f.holds(2, 2, plain(2, 2, 99), plain(3, 3, 13))
	}, SamePast, "b1 and b2 hold different records before the same one at offset 3 of orders-0, both of epoch 3."},
	{"a new leader tells readers less", func(f *fakePartition) {
		f.ISR = []int{2}
		f.elects(2)
		f.replicas[1].ReaderEnd = 0
	}, ReaderEndForward, "b2 tells readers that orders-0 ends at 0, but they were told 2 before."},
	{"a new leader refuses to tell", func(f *fakePartition) {
		f.ISR = []int{2}
		f.elects(2)
	}, "", ""},
	{"a leader takes back what is stable", func(f *fakePartition) { f.replicas[0].ReaderLSO = 1 }, LSOForward,
		"b1 tells readers that orders-0 is stable up to 1, but they were told 2 before."},
	{"a producer's batches in order, over the largest number", func(f *fakePartition) {
		f.append(by(2, 0, 1<<31-2, 1<<31-1), by(4, 0, 0, 0))
	}, "", ""},
	{"a sequence number is left out", func(f *fakePartition) { f.append(by(2, 0, 0, 1), by(4, 0, 3, 3)) }, SequencesContiguous,
		"The committed log of orders-0 has sequence number 3 of epoch 0 of producer 7 at offset 4, where sequence number 2 of epoch 0 comes next."},
	{"a sequence number comes twice", func(f *fakePartition) { f.append(by(2, 0, 0, 0), by(3, 0, 0, 0)) }, SequencesContiguous,
		"The committed log of orders-0 has sequence number 0 of epoch 0 of producer 7 at offset 3, where sequence number 1 of epoch 0 comes next."},
	{"a new epoch goes on with the old numbers", func(f *fakePartition) { f.append(by(2, 0, 0, 0), by(3, 1, 1, 1)) }, SequencesContiguous,
		"The committed log of orders-0 has sequence number 1 of epoch 1 of producer 7 at offset 3, where sequence number 0 of epoch 1 comes next."},
	{"an old epoch comes after a new one", func(f *fakePartition) { f.append(by(2, 1, 0, 0), by(3, 0, 1, 1)) }, SequencesContiguous,
		"The committed log of orders-0 has sequence number 1 of epoch 0 of producer 7 at offset 3, where sequence number 0 of epoch 1 comes next."},
	{"transactions one after another, the last with the epoch of its fence", func(f *fakePartition) {
		f.append(inTxn(by(2, 0, 0, 0)), marks(3, 0, 1), inTxn(by(4, 0, 1, 1)), marks(5, 1, 2), inTxn(by(6, 1, 0, 0)))
	}, "", ""},
	{"positions in a transaction have no sequence numbers", func(f *fakePartition) {
		f.append(inTxn(by(2, 0, -1, -1)), marks(3, 0, 1), inTxn(by(4, 0, -1, -1)))
	}, "", ""},
	{"a second transaction while one is open", func(f *fakePartition) { f.append(inTxn(by(2, 0, 0, 0)), inTxn(by(3, 1, 0, 0))) }, OneOpenTransaction,
		"Producer 7 writes something else at offset 3 of orders-0 while its transaction of epoch 0 is open."},
	{"a record outside the transaction that is open", func(f *fakePartition) { f.append(inTxn(by(2, 0, 0, 0)), by(3, 0, 1, 1)) }, OneOpenTransaction,
		"Producer 7 writes something else at offset 3 of orders-0 while its transaction of epoch 0 is open."},
	{"a coordinator that was replaced writes a marker", func(f *fakePartition) {
		f.append(inTxn(by(2, 0, 0, 0)), marks(3, 0, 2), inTxn(by(4, 0, 1, 1)), marks(5, 0, 1))
	}, CoordinatorEpochsForward, "The marker for producer 7 at offset 5 of orders-0 is of coordinator epoch 1, after one of 2."},
}

// Each invariant that a view can show goes red alone.
func TestInvariants(t *testing.T) {
	for _, c := range brokenViews {
		t.Run(c.name, func(t *testing.T) {
			inv, f := NewInvariants(), pair()
			if b := inv.Check(1, f); len(b) > 0 {
				t.Fatalf("broken from the start: %v", b)
			}
			c.change(f)
			breaches := inv.Check(2, f)
			if c.invariant == "" {
				if len(breaches) > 0 {
					t.Fatalf("%v", breaches)
				}
				return
			}
			if len(breaches) != 1 || breaches[0].Invariant != c.invariant || breaches[0].Sentence != c.sentence || breaches[0].Step != 2 || breaches[0].GivenUp != "" {
				t.Fatalf("got %+v\nwant %s: %s", breaches, c.invariant, c.sentence)
			}
			if again := inv.Check(3, f); slices.ContainsFunc(again, func(b Breach) bool { return b.Sentence == c.sentence }) {
				t.Errorf("a standing breach is reported again: %v", again)
			}
		})
	}
}

// What happens once: elections of controllers, markers, transitions, positions, answers.
var brokenOnce = []struct {
	name      string
	do        func(v *Invariants) []Breach
	invariant string
	sentence  string
}{
	{"a controller is elected again", func(v *Invariants) []Breach {
		return slices.Concat(v.CheckController(1, "k1", 3), v.CheckController(2, "k2", 4), v.CheckController(3, "k1", 5), v.CheckController(4, "k1", 5))
	}, "", ""},
	{"two controllers of one epoch", func(v *Invariants) []Breach {
		return slices.Concat(v.CheckController(1, "k1", 3), v.CheckController(2, "k2", 3))
	}, OneControllerPerEpoch, "k1 and k2 are both the controller of epoch 3."},
	{"markers as they were decided", func(v *Invariants) []Breach {
		v.Prepared(7, 0, false)
		all := v.CheckMarker(1, Marker{orders, 4, 7, 0, false, true})
		v.Prepared(7, 0, true)
		return slices.Concat(all, v.CheckMarker(2, Marker{orders, 6, 7, 0, true, true}), v.CheckMarker(3, Marker{payments, 1, 7, 0, true, true}))
	}, "", ""},
	{"a marker that nobody prepared", func(v *Invariants) []Breach {
		v.Prepared(7, 0, false)
		return v.CheckMarker(1, Marker{orders, 4, 7, 0, true, true})
	}, MarkerPrepared, "The ABORT marker for producer 7, epoch 0, at offset 4 of orders-0 was written, but no such end of a transaction is in the coordinator's log."},
	{"a marker of an epoch that nobody ended", func(v *Invariants) []Breach {
		v.Prepared(7, 0, false)
		return v.CheckMarker(1, Marker{orders, 4, 7, 1, false, true})
	}, MarkerPrepared, "The COMMIT marker for producer 7, epoch 1, at offset 4 of orders-0 was written, but no such end of a transaction is in the coordinator's log."},
	{"COMMIT here and ABORT there", func(v *Invariants) []Breach {
		v.Prepared(7, 0, false)
		v.Prepared(7, 0, true)
		return slices.Concat(v.CheckMarker(1, Marker{orders, 4, 7, 0, true, true}), v.CheckMarker(2, Marker{payments, 4, 7, 0, false, true}))
	}, SameDecision, "The COMMIT marker for producer 7, epoch 0, at offset 4 of payments-0 was written, though the transaction at hand ends with ABORT, epoch 0."},
	{"a marker of the last transaction, where none is open", func(v *Invariants) []Breach {
		v.Prepared(7, 0, false)
		v.Prepared(7, 0, true)
		return v.CheckMarker(1, Marker{orders, 4, 7, 0, false, false})
	}, "", ""},
	{"the life of a transactional.id", func(v *Invariants) (all []Breach) {
		for _, t := range [][2]string{{"Empty", "Empty"}, {"Empty", "Ongoing"}, {"Ongoing", "Ongoing"}, {"Ongoing", "PrepareCommit"}, {"PrepareCommit", "CompleteCommit"}, {"CompleteCommit", "Ongoing"},
			{"Ongoing", "PrepareAbort"}, {"PrepareAbort", "CompleteAbort"}, {"CompleteAbort", "Empty"}} {
			all = append(all, v.CheckTransition(1, Transition{TransactionalID: "shop", Producer: 7, From: t[0], To: t[1]})...)
		}
		return all
	}, "", ""},
	{"a commit becomes an abort", func(v *Invariants) []Breach {
		return v.CheckTransition(1, Transition{TransactionalID: "shop", Producer: 7, From: "PrepareCommit", To: "CompleteAbort"})
	}, LegalTransition, "The coordinator takes shop from PrepareCommit to CompleteAbort, which Kafka does not know."},
	{"an abort of nothing", func(v *Invariants) []Breach {
		return v.CheckTransition(1, Transition{TransactionalID: "shop", Producer: 7, From: "Empty", To: "PrepareAbort"})
	}, LegalTransition, "The coordinator takes shop from Empty to PrepareAbort, which Kafka does not know."},
	{"an abort of nothing in transactions v2", func(v *Invariants) []Breach {
		return v.CheckTransition(1, Transition{TransactionalID: "shop", Producer: 7, From: "Empty", To: "PrepareAbort", V2: true})
	}, "", ""},
	{"the coordinator takes an epoch back", func(v *Invariants) []Breach {
		return slices.Concat(v.CheckTransition(1, Transition{TransactionalID: "shop", Producer: 7, Epoch: 3, From: "Empty", To: "Empty"}),
			v.CheckTransition(2, Transition{TransactionalID: "shop", Producer: 7, Epoch: 2, From: "Empty", To: "Ongoing"}))
	}, ProducerEpochsForward, "The coordinator takes the epoch of shop back from 3 to 2, for the same producer id."},
	{"another producer id begins with epoch 0", func(v *Invariants) []Breach {
		return slices.Concat(v.CheckTransition(1, Transition{TransactionalID: "shop", Producer: 7, Epoch: 3, From: "Empty", To: "Empty"}),
			v.CheckTransition(2, Transition{TransactionalID: "shop", Producer: 8, From: "CompleteCommit", To: "Empty"}))
	}, "", ""},
	{"a position where the log ends", func(v *Invariants) []Breach {
		v.Check(1, pair())
		return v.CheckPosition(2, Position{"shop", orders, 2})
	}, "", ""},
	{"a position beyond what is committed", func(v *Invariants) []Breach {
		v.Check(1, pair())
		return v.CheckPosition(2, Position{"shop", orders, 3})
	}, PositionBelowHW, "shop has committed position 3 in orders-0, but nothing beyond 2 was ever committed."},
	{"an answer with two copies", func(v *Invariants) []Breach { return v.CheckAnswer(1, pair(), Answer{Leader: 1, First: 1, Min: 2}) }, "", ""},
	{"an answer with one copy, and another record there", func(v *Invariants) []Breach {
		f := pair()
		f.holds(2, 1, plain(1, 1, 99))
		return v.CheckAnswer(1, f, Answer{Leader: 1, First: 1, Min: 2})
	}, MinISRCopies, "b1 acknowledges with acks=all what is at offset 1 of orders-0, of which there is 1 copy; min.insync.replicas is 2."},
	{"one owner", func(v *Invariants) []Breach {
		own := Ownership{"shop", orders, 3, "c"}
		return slices.Concat(v.CheckOwner(1, own), v.CheckOwner(2, own), v.CheckOwner(3, Ownership{"shop", orders, 4, "d"}))
	}, "", ""},
	{"two owners", func(v *Invariants) []Breach {
		return slices.Concat(v.CheckOwner(1, Ownership{"shop", orders, 3, "c"}), v.CheckOwner(2, Ownership{"shop", orders, 3, "d"}))
	}, OneOwnerPerPartition, "c and d of shop both own orders-0 in generation 3."},
}

func TestInvariantsOfEvents(t *testing.T) {
	for _, c := range brokenOnce {
		t.Run(c.name, func(t *testing.T) {
			all := c.do(NewInvariants())
			switch {
			case c.invariant == "" && len(all) > 0:
				t.Errorf("%v", all)
			case c.invariant != "" && (len(all) != 1 || all[0].Invariant != c.invariant || all[0].Sentence != c.sentence || all[0].GivenUp != ""):
				t.Errorf("got %+v\nwant %s: %s", all, c.invariant, c.sentence)
			}
		})
	}
}

// No invariant without a planted breach.
func TestEveryInvariantCanBreak(t *testing.T) {
	for _, name := range InvariantNames() {
		view, once := false, false
		for _, c := range brokenViews {
			view = view || c.invariant == name
		}
		for _, c := range brokenOnce {
			once = once || c.invariant == name
		}
		if !view && !once {
			t.Errorf("no test breaks %q", name)
		}
	}
}

// A producer that a replica has forgotten may begin anywhere.
func TestAForgottenProducerBeginsAnew(t *testing.T) {
	inv, f := NewInvariants(), pair()
	f.append(by(2, 0, 0, 0))
	inv.Check(1, f)
	inv.Forgotten(orders, 7)
	f.append(by(3, 0, 5, 5))
	if b := inv.Check(2, f); len(b) > 0 {
		t.Error(b)
	}
}

// A circumstance names itself in the breaches of its invariants, at its partition, and in no other.
func TestGivenUp(t *testing.T) {
	for _, c := range []struct {
		name      string
		note      func(*Invariants)
		invariant string
		given     string
	}{
		{"an unclean election", func(v *Invariants) { v.NoteAt(orders, UncleanElection) }, CommittedOnISR, UncleanElection.String()},
		{"an unclean election elsewhere", func(v *Invariants) { v.NoteAt(payments, UncleanElection) }, CommittedOnISR, ""},
		{"an old release", func(v *Invariants) { v.Note(BeforeKIP101) }, CommittedOnISR, BeforeKIP101.String()},
		{"an unclean election takes no broker into the ISR that has no replica", func(v *Invariants) { v.NoteAt(orders, UncleanElection) }, ISRWithinReplicas, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			inv, f := NewInvariants(), pair()
			inv.Check(1, f)
			c.note(inv)
			f.holds(2, 0)
			f.ControllerView.Replicas = []int{1}
			all := inv.Check(2, f)
			i := slices.IndexFunc(all, func(b Breach) bool { return b.Invariant == c.invariant })
			if i < 0 || all[i].GivenUp != c.given {
				t.Errorf("%+v", all)
			}
		})
	}
}

func TestABreachThatComesBackIsReportedAgain(t *testing.T) {
	inv, f := NewInvariants(), pair()
	for step, isr := range [][]int{{1, 2}, {2}, {1, 2}, {2}} {
		f.ISR = isr
		if got := len(inv.Check(step+1, f)); got != step%2 {
			t.Errorf("step %d: %d breaches, expected %d", step+1, got, step%2)
		}
	}
}

// A leader that was deposed, and is the only one left, tells the past.
func TestADeposedLeaderIsNoWitness(t *testing.T) {
	inv, f := NewInvariants(), pair()
	inv.Given(1, orders, 1, 1)
	f.elects(2)
	f.replicas[1].LSO, f.replicas[1].HW, f.replicas[1].ReaderEnd, f.replicas[1].ReaderLSO = 2, 2, 2, 2
	f.replicas[0].Role, f.replicas[0].ReaderEnd, f.replicas[0].ReaderLSO, f.replicas[0].HW, f.replicas[0].LSO = Leader, 1, 1, 1, 1
	if b := inv.Check(1, f); len(b) > 0 {
		t.Fatal(b)
	}
	f.replicas[1].Role = NoRole
	if b := inv.Check(2, f); len(b) > 0 {
		t.Fatal(b)
	}
}

func TestInvariantsLookAtEachEntryOnce(t *testing.T) {
	inv, f := NewInvariants(), pair()
	inv.Check(1, f)
	f.looked = 0
	inv.Check(2, f)
	if f.looked != 0 {
		t.Errorf("nothing changed, and %d entries were looked at", f.looked)
	}
}

var update = flag.Bool("update", false, "write docs/invariants.md")

const invariantsDoc = "../docs/invariants.md"

const invariantsHead = `# Invariants

After every step of a run that is watched (property suites, ` + "`hunt --invariant`" + `), each partition that the step touched is held against these. A breach is a
defect of the model, unless one of the circumstances holds that the table names: then the release, a setting or a fault of the run takes the invariant's ground
away. Such a breach is reported all the same, and says which circumstance it is. In the runs of the library every breach has one.

<!-- Made by: go test ./checker -run TestInvariantsDoc -update. -->

`

// TestInvariantsDoc holds the document against the rules.
func TestInvariantsDoc(t *testing.T) {
	var b strings.Builder
	b.WriteString(invariantsHead + "| invariant | why it holds | given up |\n|---|---|---|\n")
	letters := map[Circumstance]string{}
	for c := range numCircumstances {
		letters[c] = string(rune('a' + c))
	}
	for _, r := range invariantRules {
		var given []string
		for _, c := range r.GivenUp {
			given = append(given, letters[c])
		}
		slices.Sort(given)
		b.WriteString("| " + r.Name + " | " + r.Says + " | " + strings.Join(given, " ") + " |\n")
	}
	b.WriteString("\n## Circumstances\n\n")
	for c := range numCircumstances {
		b.WriteString("- **" + letters[c] + "**: " + c.String() + "\n")
	}
	if *update {
		if err := os.WriteFile(invariantsDoc, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(invariantsDoc); err != nil || string(have) != b.String() {
		t.Errorf("%s is not as the rules are (%v): run this test with -update", invariantsDoc, err)
	}
}

func BenchmarkInvariantsPerStep(b *testing.B) {
	inv, f := NewInvariants(), pair()
	b.ReportAllocs()
	for i := range b.N {
		inv.Check(i+1, f)
	}
}
