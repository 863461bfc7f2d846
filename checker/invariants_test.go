package checker

import (
	"slices"
	"testing"
)

// fakePartition is a partition laid out by hand.
type fakePartition struct {
	leader, epoch int
	isr           []int
	replicas      []ReplicaView
	logs          map[int][]uint64 // hash by offset; the epoch of every record is 1
	looked        int
}

func (f *fakePartition) TopicPartition() TopicPartition { return orders }
func (f *fakePartition) Controller() (int, int, []int)  { return f.leader, f.epoch, f.isr }
func (f *fakePartition) Replicas() []ReplicaView        { return f.replicas }
func (f *fakePartition) EntryAt(b int, o int64) (int, uint64, bool) {
	f.looked++
	if o < 0 || o >= int64(len(f.logs[b])) || f.logs[b][o] == 0 { // 0 is a record that was compacted away
		return 0, 0, false
	}
	return 1, f.logs[b][o], true
}

// pair is a leader and a follower that hold the same two records, both committed.
func pair() *fakePartition {
	return &fakePartition{leader: 1, epoch: 1, isr: []int{1, 2},
		replicas: []ReplicaView{
			{Broker: 1, Role: Leader, LeaderEpoch: 1, LSO: 2, HW: 2, LEO: 2, ReaderEnd: 2, CutTo: -1},
			{Broker: 2, Role: Follower, LeaderEpoch: 1, LSO: 0, HW: 0, LEO: 2, ReaderEnd: -1, CutTo: -1},
		},
		logs: map[int][]uint64{1: {10, 11}, 2: {10, 11}},
	}
}

func TestInvariants(t *testing.T) {
	for _, c := range []struct {
		name      string
		change    func(*fakePartition)
		invariant string
		sentence  string
	}{
		{"nothing changes", func(*fakePartition) {}, "", ""},
		{"a second leader in the epoch", func(f *fakePartition) { f.replicas[1].Role = Leader }, OneLeaderPerEpoch,
			"b1 and b2 both lead orders-0 in epoch 1."},
		{"a leader of a new epoch", func(f *fakePartition) {
			f.leader, f.epoch = 2, 2
			f.replicas[1].Role, f.replicas[1].LeaderEpoch = Leader, 2
		}, "", ""},
		{"the controller's epoch goes back", func(f *fakePartition) { f.epoch = 0 }, EpochsGoForward,
			"The controller's leader epoch of orders-0 goes back from 1 to 0."},
		{"the leader leaves the ISR", func(f *fakePartition) { f.isr = []int{2} }, LeaderInISR, "b1 leads orders-0, but is not in its ISR."},
		{"HW beyond LEO", func(f *fakePartition) { f.replicas[1].HW = 3 }, OffsetsInOrder,
			"b2's offsets of orders-0 are out of order: LSO 0, high watermark 3, log end offset 2."},
		{"LSO beyond HW", func(f *fakePartition) { f.replicas[1].LSO = 1 }, OffsetsInOrder,
			"b2's offsets of orders-0 are out of order: LSO 1, high watermark 0, log end offset 2."},
		{"an ISR member cuts what is committed", func(f *fakePartition) {
			f.logs[2], f.replicas[1].LEO, f.replicas[1].CutTo = nil, 0, 0
		}, CommittedOnISR, "b2 is in the ISR of orders-0, but its log ends at 0, while everything below 2 is committed."},
		{"a replica outside the ISR may cut", func(f *fakePartition) {
			f.isr = []int{1}
			f.logs[2], f.replicas[1].LEO, f.replicas[1].CutTo = nil, 0, 0
		}, "", ""},
		{"an ISR member has cut and holds another record", func(f *fakePartition) {
			f.logs[2], f.replicas[1].CutTo = []uint64{10, 99}, 1
		}, LogMatching, "b2 holds another record at offset 1 of orders-0 than the one that was committed there."},
		{"a replica outside the ISR may hold another record above its high watermark", func(f *fakePartition) {
			f.isr = []int{1}
			f.logs[2], f.replicas[1].CutTo = []uint64{10, 99}, 1
		}, "", ""},
		{"a record is compacted away", func(f *fakePartition) {
			f.logs[2], f.replicas[1].CutTo = []uint64{0, 11}, 0
		}, "", ""},
		{"a new leader tells readers less", func(f *fakePartition) {
			f.leader, f.epoch, f.isr = 2, 2, []int{2}
			f.replicas[1].Role, f.replicas[1].LeaderEpoch, f.replicas[1].ReaderEnd = Leader, 2, 0
		}, ReaderEndForward, "b2 tells readers that orders-0 ends at 0, but they were told 2 before."},
		{"a new leader refuses to tell", func(f *fakePartition) {
			f.leader, f.epoch, f.isr = 2, 2, []int{2}
			f.replicas[1].Role, f.replicas[1].LeaderEpoch = Leader, 2
		}, "", ""},
	} {
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
			if len(breaches) != 1 || breaches[0].Invariant != c.invariant || breaches[0].Sentence != c.sentence || breaches[0].Step != 2 {
				t.Fatalf("got %+v\nwant %s: %s", breaches, c.invariant, c.sentence)
			}
			if again := inv.Check(3, f); slices.ContainsFunc(again, func(b Breach) bool { return b.Sentence == c.sentence }) {
				t.Errorf("a standing breach is reported again: %v", again)
			}
		})
	}
}

func TestABreachThatComesBackIsReportedAgain(t *testing.T) {
	inv, f := NewInvariants(), pair()
	for step, isr := range [][]int{{1, 2}, {2}, {1, 2}, {2}} {
		f.isr = isr
		if got := len(inv.Check(step+1, f)); got != step%2 {
			t.Errorf("step %d: %d breaches, expected %d", step+1, got, step%2)
		}
	}
}

// A leader that was deposed, and is the only one left, tells the past.
func TestADeposedLeaderIsNoWitness(t *testing.T) {
	inv, f := NewInvariants(), pair()
	f.leader, f.epoch = 2, 2
	f.replicas[1] = ReplicaView{Broker: 2, Role: Leader, LeaderEpoch: 2, LSO: 2, HW: 2, LEO: 2, ReaderEnd: 2, CutTo: -1}
	f.replicas[0].ReaderEnd, f.replicas[0].HW, f.replicas[0].LSO = 1, 1, 1
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

func TestOneOwner(t *testing.T) {
	inv := NewInvariants()
	own := Ownership{"shop", orders, 3, "c"}
	if b := inv.CheckOwner(1, own); b != nil {
		t.Fatal(b)
	}
	if b := inv.CheckOwner(2, own); b != nil {
		t.Fatal(b)
	}
	own.Member = "d"
	b := inv.CheckOwner(3, own)
	if len(b) != 1 || b[0].Sentence != "c and d of shop both own orders-0 in generation 3." {
		t.Fatal(b)
	}
	own.Generation = 4
	if b := inv.CheckOwner(4, own); b != nil {
		t.Fatal(b)
	}
}

func BenchmarkInvariantsPerStep(b *testing.B) {
	inv, f := NewInvariants(), pair()
	b.ReportAllocs()
	for i := range b.N {
		inv.Check(i+1, f)
	}
}
