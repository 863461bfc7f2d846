package checker

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Where a rule says "more than", "below" or "at", what lies on the bound decides, and each condition of a rule decides
// alone. Each of these was found by mutating the rule.

// A line is asked about stretch by stretch: what lies in a later stretch and was over before something in an earlier one was
// called is out of time all the same.
func TestALineRespectsTimeBetweenItsStretches(t *testing.T) {
	for _, last := range []int{stretch - 2, stretch, 3 * stretch} {
		h := cutOff(func(h *History) {
			h.Submissions, h.Appends, h.Logs = nil, nil, nil
			for i := range last + 1 {
				s := sub(RecordID("r"+strconv.Itoa(i)), 1, int64(i), 60)
				switch i {
				case 0:
					s.SendStep = 50
				case last:
					s.Outcome.Step = 40
				}
				h.Submissions = append(h.Submissions, s)
			}
			h.End = 70
		})
		v, _ := Judge(h, Options{}).Find(Linearizable, AtLog)
		if want := "r" + strconv.Itoa(last) + " was acknowledged at offset " + strconv.Itoa(last) + " in step 40, but r0"; !strings.HasPrefix(v.Evidence.Sentence, want) {
			t.Errorf("%d records: %s: %q, want it to begin with %q", last+1, v.Ruling, v.Evidence.Sentence, want)
		}
	}
}

// onTheBound are histories with what the evidence points to.
var onTheBound = []struct {
	name  string
	h     History
	claim Claim
	level Level
	want  Ruling
	ev    Evidence // what of it is given has to be there
}{
	{"an acknowledged record below the end, where there is nothing", edit(smooth(), func(h *History) {
		h.Logs, h.Reads, h.Effects, h.EndOffsets = ordersLog(entry("m2", 1, 2)), nil, nil, nil
	}), Linearizable, AtLog, Violated, Evidence{Records: []RecordID{"m1"}, Offsets: []int64{0}}},
	{"a record that timed out is appended in the last step, after one that was sent then", edit(smooth(), func(h *History) {
		h.Submissions = []Submission{sub("m1", h.End, 0, h.End), timedOut("m2", 1, 9)}
		h.Appends, h.Commits = []Append{written(1, "m1", 0, h.End), written(1, "m2", 1, h.End)}, nil
		h.Logs, h.Reads, h.Effects, h.EndOffsets = ordersLog(entry("m1", 0, h.End), entry("m2", 1, h.End)), nil, nil, nil
	}), Linearizable, AtLog, Holds, Evidence{}},
	{"and so is a marker", edit(smooth(), func(h *History) {
		h.Submissions = []Submission{sub("m1", h.End, 0, h.End)}
		h.Appends, h.Commits = []Append{written(1, "m1", 0, h.End)}, nil
		h.Logs = ordersLog(entry("m1", 0, h.End), Entry{Offset: 1, Control: true, Step: h.End})
		h.Reads, h.Effects, h.EndOffsets = nil, nil, nil
	}), Linearizable, AtLog, Holds, Evidence{}},
	{"a marker where the log starts", edit(smooth(), func(h *History) {
		h.Submissions = []Submission{sub("m2", 1, 2, 9)}
		h.Appends, h.Commits = nil, nil
		h.Logs = []Log{{TP: orders, Leader: 1, Start: 1, Entries: []Entry{{Offset: 1, Control: true, Step: 2}, entry("m2", 2, 3)}}}
		h.Reads, h.Effects, h.EndOffsets = nil, nil, nil
	}), Linearizable, AtLog, Holds, Evidence{}},
	{"what another appended, and lost, where something was acknowledged first of all", cutOff(func(h *History) {
		h.Submissions = []Submission{sub("m1", 1, 0, 9), timedOut("m2", 1, 9)}
		h.Appends = []Append{written(1, "m2", 0, 2)}
		h.Logs = ordersLog()
	}), Linearizable, AtLog, Undecided, Evidence{}},
	{"the offset of what was acknowledged first decides which end is stale", edit(smooth(), func(h *History) {
		h.Submissions[0].Outcome.Step = 15
		h.Appends, h.Commits, h.Reads, h.Effects = nil, nil, nil, nil
		h.EndOffsets = []EndOffset{{Consumer: "c", TP: orders, Offset: 1, Step: 12}}
	}), Linearizable, AtLog, Violated, Evidence{Records: []RecordID{"m2"}, Offsets: []int64{1}, Steps: []int{9, 12},
		Sentence: "m2 was acknowledged at offset 1 in step 9, but c was told in step 12 that the log ends at 1."}},
	{"two records in the wrong order of time", edit(smooth(), func(h *History) {
		h.Submissions = []Submission{sub("m1", 11, 0, 14), sub("m2", 1, 1, 9)}
		h.Appends, h.Commits = nil, nil
		h.Logs = ordersLog(entry("m1", 0, 12), entry("m2", 1, 2))
	}), Linearizable, AtLog, Violated, Evidence{Records: []RecordID{"m2", "m1"}, Offsets: []int64{1, 0}, Short: "m1 lies at offset 0, before what was there first"}},
	{"an end that was told too late", edit(smooth(), func(h *History) {
		h.EndOffsets = []EndOffset{{Consumer: "c", TP: orders, Offset: 0, Call: 9, Step: 12}, {Consumer: "d", TP: orders, Offset: 2, Step: 4}}
		h.Submissions[0].Outcome.Step, h.Submissions[1].Outcome.Step = 10, 10
	}), Linearizable, AtLog, Violated, Evidence{Short: "end offset 0 answered too late"}},
	{"an end where nothing ever was", edit(smooth(), func(h *History) {
		h.EndOffsets = []EndOffset{{Consumer: "c", TP: orders, Offset: 5, Step: 19}}
	}), Linearizable, AtLog, Violated, Evidence{Offsets: []int64{5, 2}, Short: "nothing lies at offset 2, below offset 5"}},
	{"a torn transaction, with what is hidden in its place", txnTrial(Txn{CommitAsked: 5, Outcome: TxnCommitted, OutcomeStep: 8, Decided: TxnCommitted, DecidedStep: 6}, MarkedCommitted, Unmarked),
		Atomic, AtLog, Violated, Evidence{Records: []RecordID{"x", "y"}, Offsets: []int64{0}, Short: "t1 torn: x visible, y not"}},
	{"a torn transaction, and what is hidden was appended", edit(txnTrial(Txn{CommitAsked: 5, Outcome: TxnCommitted, OutcomeStep: 8, Decided: TxnCommitted, DecidedStep: 6}, MarkedCommitted, Unmarked), func(h *History) {
		h.Appends = []Append{{TP: payments, Broker: 1, AsLeader: true, Epoch: 1, Offset: 3, Submission: "y#1", Record: "y", Step: 4}}
	}), Atomic, AtLog, Violated, Evidence{Records: []RecordID{"x", "y"}, Offsets: []int64{0, 3}, Steps: []int{3, 4, 6}, Partition: "orders-0"}},
	{"a torn transaction, with a position", edit(txnTrial(Txn{CommitAsked: 5, Outcome: TxnCommitted, OutcomeStep: 8, Decided: TxnCommitted, DecidedStep: 6}, MarkedCommitted, MarkedCommitted), func(h *History) {
		h.Txns[0].Offsets = []TxnOffset{{Group: "shop", TP: orders, Offset: 2, Written: 4, Step: 4}}
	}), Atomic, AtLog, Violated, Evidence{Records: []RecordID{"x", "y"}, Offsets: []int64{0, 0, 2}}},
	{"grants are listed out of turn", edit(smooth(), func(h *History) {
		h.Grants = []Grant{
			{Office: OwnerOffice, Name: "shop", TP: orders, Epoch: 2, Holder: "d", Step: 10},
			{Office: OwnerOffice, Name: "shop", TP: orders, Epoch: 1, Holder: "c", Step: 5},
		}
		h.OffsetCommits = []OffsetCommit{{Group: "shop", Consumer: "c", Generation: 1, TP: orders, Offset: 1, Step: 8}, {Group: "shop", Consumer: "d", Generation: 2, TP: orders, Offset: 2, Step: 12}}
	}), Fenced, AtLog, Holds, Evidence{}},
	{"grants of one epoch are listed out of turn", edit(smooth(), func(h *History) {
		h.Grants = []Grant{
			{Office: OwnerOffice, Name: "shop", TP: orders, Epoch: 1, Holder: "d", Step: 10},
			{Office: OwnerOffice, Name: "shop", TP: orders, Epoch: 1, Holder: "c", Step: 5},
		}
		h.OffsetCommits = []OffsetCommit{{Group: "shop", Consumer: "c", Generation: 1, TP: orders, Offset: 1, Step: 8}, {Group: "shop", Consumer: "d", Generation: 1, TP: orders, Offset: 2, Step: 12}}
	}), Fenced, AtLog, Holds, Evidence{}},
	{"a zombie commits a position", edit(smooth(), func(h *History) {
		h.Grants = []Grant{{Office: OwnerOffice, Name: "shop", TP: orders, Epoch: 1, Holder: "c", Step: 2}, {Office: OwnerOffice, Name: "shop", TP: orders, Epoch: 2, Holder: "d", Step: 10},
			{Office: OwnerOffice, Name: "shop", TP: orders, Epoch: 3, Holder: "e", Step: 12}}
		h.OffsetCommits = []OffsetCommit{{Group: "shop", Consumer: "c", Generation: 1, TP: orders, Offset: 1, Step: 20}}
	}), Fenced, AtLog, Violated, Evidence{Records: []RecordID{}, Offsets: []int64{1}, Steps: []int{10, 20}, Partition: "orders-0"}},
	{"a zombie processes in the step in which another hears of it", edit(smooth(), func(h *History) {
		h.Grants = []Grant{{Office: OwnerOffice, Name: "shop", TP: orders, Epoch: 1, Holder: "c", Step: 2}, {Office: OwnerOffice, Name: "shop", TP: orders, Epoch: 2, Holder: "d", Step: 10},
			{Office: OwnerOffice, Name: "shop", TP: orders, Epoch: 3, Holder: "e", Step: 21}}
		h.Effects = slices.Clone(h.Effects)
		h.Effects[0].Generation, h.Effects[0].Consumer = 1, "c"
	}), Fenced, AtApplication, Violated, Evidence{Records: []RecordID{"m1"}, Steps: []int{10, 21}}},
	{"reads are listed out of turn, and two say different things", edit(smooth(), func(h *History) {
		h.Reads = []Read{read("m2", 0, 20), read("m1", 0, 10)}
	}), MonotonicRead, AtApplication, Violated, Evidence{Records: []RecordID{"m1", "m2"}, Sentence: "c read m1 at offset 0 of orders-0 in step 10, but c read m2 at offset 0 of orders-0 in step 20."}},
	{"of several reads of one record the first is told of", edit(smooth(), func(h *History) {
		h.Reads = []Read{read("m2", 0, 20), read("m2", 0, 10), read("m2", 0, 15)}
		h.EndOffsets = nil
	}), MonotonicRead, AtApplication, Violated, Evidence{Sentence: "c read m2 at offset 0 of orders-0 in step 10, but at the end that offset holds m1."}},
	{"an answer that was over early, asked for after one that lasts, has another commit come before the next answer", edit(smooth(), func(h *History) {
		h.OffsetCommits = []OffsetCommit{{Group: "shop", Consumer: "c", TP: orders, Offset: 5, Step: 1}, {Group: "shop", Consumer: "c", TP: orders, Offset: 5, Step: 7}}
		h.OffsetFetches = []OffsetFetch{{Group: "shop", Consumer: "c", TP: orders, Offset: 5, Call: 2, Step: 20}, {Group: "shop", Consumer: "c", TP: orders, Offset: 7, Call: 3, Step: 4},
			{Group: "shop", Consumer: "c", TP: orders, Offset: 6, Call: 6, Step: 8}}
	}), MonotonicRead, AtApplication, Holds, Evidence{}},
	{"of several sights the first one binds a miss", edit(smooth(), func(h *History) {
		h.Submissions[0].Outcome.Step = 30
		h.Reads, h.EndOffsets = []Read{read("m1", 0, 5), read("m1", 0, 20)}, nil
		h.EmptyReads = []EmptyRead{{Application: "shop", Consumer: "d", Broker: 1, TP: orders, Offset: 0, Call: 10, Step: 12}}
	}), Recent, AtApplication, Violated, Evidence{Steps: []int{5, 12}}},
	{"a sight in the step of the send", edit(smooth(), func(h *History) {
		h.Submissions[0].SendStep, h.Submissions[0].Outcome.Step = 5, 30
		h.Reads, h.EndOffsets = []Read{read("m1", 0, 5)}, nil
		h.EmptyReads = []EmptyRead{{Application: "shop", Consumer: "d", Broker: 1, TP: orders, Offset: 0, Call: 10, Step: 12}}
	}), Recent, AtApplication, Violated, Evidence{Steps: []int{5, 12}}},
	{"a record is processed from two places", edit(smooth(), func(h *History) {
		h.Effects = append(h.Effects, effect("m1", 2, 25))
		h.Effects[0].Incarnation, h.Effects[2].Incarnation = 1, 1
	}), AtMostOnce, AtApplication, Violated, Evidence{Offsets: []int64{0, 2}, Sentence: "m1 was processed by c in step 21 and again by c in step 25."}},
	{"acknowledged, and in no log: where the answers said", edit(smooth(), func(h *History) {
		h.Appends, h.Commits, h.Logs, h.Reads, h.Effects, h.EndOffsets = nil, nil, ordersLog(), nil, nil, nil
	}), AtLeastOnce, AtLog, Violated, Evidence{Offsets: []int64{0, 1}}},
	{"two sends that were never answered", edit(smooth(), func(h *History) {
		h.Submissions = []Submission{timedOut("m1", 1, 0), timedOut("m2", 1, 0)}
		h.Submissions[0].Outcome, h.Submissions[1].Outcome = Outcome{Offset: -1}, Outcome{Offset: -1}
	}), Available, AtLog, Violated, Evidence{Records: []RecordID{"m1", "m2"}, Short: "m1, m2 never acknowledged"}},
	{"of those that come before a record the latest is named", edit(smooth(), func(h *History) {
		h.Submissions = []Submission{sub("m1", 1, 2, 9), sub("m2", 2, 0, 9), sub("m3", 3, 1, 9)}
		h.Appends, h.Commits, h.Reads, h.Effects, h.EndOffsets = nil, nil, nil, nil, nil
		h.Logs = ordersLog(entry("m2", 0, 4), entry("m3", 1, 5), entry("m1", 2, 6))
	}), Ordered, AtLog, Violated, Evidence{Records: []RecordID{"m1", "m3"}, Offsets: []int64{2, 1}}},
}

func TestEvidenceOnTheBound(t *testing.T) {
	for _, c := range onTheBound {
		v, _ := Judge(c.h, Options{Claims: []Claim{c.claim}}).Find(c.claim, c.level)
		ev := v.Evidence
		if v.Ruling != c.want ||
			c.ev.Records != nil && !slices.Equal(ev.Records, c.ev.Records) || c.ev.Offsets != nil && !slices.Equal(ev.Offsets, c.ev.Offsets) ||
			c.ev.Steps != nil && !slices.Equal(ev.Steps, c.ev.Steps) || c.ev.Partition != "" && ev.Partition != c.ev.Partition ||
			c.ev.Short != "" && ev.Short != c.ev.Short || c.ev.Sentence != "" && ev.Sentence != c.ev.Sentence {
			t.Errorf("%s: %s %s is %q: %+v\nwant %q: %+v", c.name, c.claim, c.level, v.Ruling, ev, c.want, c.ev)
		}
	}
}

// Who is told that there is no committed position, where nobody ever committed one, has observed nothing.
func TestNoPositionOfAGroupThatNeverCommitted(t *testing.T) {
	h := edit(smooth(), func(h *History) {
		h.Reads, h.EndOffsets = nil, nil
		h.OffsetFetches = []OffsetFetch{{Group: "shop", Consumer: "c", TP: orders, Offset: -1, Step: 15}}
	})
	told := func() Verdict {
		v, _ := Judge(h, Options{}).Find(MonotonicRead, AtApplication)
		return v
	}
	if v := told(); !v.NotObserved {
		t.Errorf("nobody committed: %+v", v)
	}
	h.OffsetCommits = []OffsetCommit{{Group: "shop", Consumer: "c", TP: orders, Offset: 1, Step: 10}}
	if v := told(); v.NotObserved || v.Ruling != Violated {
		t.Errorf("a commit is forgotten: %+v", v)
	}
}

// Invariants that are about no offset name none, and the others the one that their sentence names.
func TestABreachNamesItsOffset(t *testing.T) {
	without := []string{OneLeaderPerEpoch, LedAsGiven, EpochsGoForward, PartitionEpochForward, OneControllerPerEpoch, LeaderInISR, ISRWithinReplicas, MaximalISRCovers,
		ELRApart, LegalTransition, ProducerEpochsForward, OneOwnerPerPartition}
	var all []Breach
	for _, c := range brokenViews {
		inv, f := NewInvariants(), pair()
		inv.Check(1, f)
		c.change(f)
		all = append(all, inv.Check(2, f)...)
	}
	for _, c := range brokenOnce {
		all = append(all, c.do(NewInvariants())...)
	}
	for _, b := range all {
		if slices.Contains(without, b.Invariant) {
			if b.Offset != -1 {
				t.Errorf("%s: offset %d", b.Sentence, b.Offset)
			}
		} else if !strings.Contains(b.Sentence, strconv.FormatInt(b.Offset, 10)) {
			t.Errorf("%s: offset %d is not named", b.Sentence, b.Offset)
		}
	}
}

// inEpoch puts all of a pair into one epoch, whose first is 0.
func (f *fakePartition) inEpoch(epoch int) *fakePartition {
	f.Epoch, f.PartitionEpoch = epoch, epoch
	for i := range f.replicas {
		f.replicas[i].LeaderEpoch = epoch
		for k := range f.logs[i+1] {
			f.logs[i+1][k].Epoch = epoch
		}
	}
	return f
}

// startsAt removes what is below an offset from both logs.
func (f *fakePartition) startsAt(offset int64) *fakePartition {
	for i := range f.replicas {
		f.replicas[i].LogStart = offset
		f.replicas[i].HW, f.replicas[i].LSO = max(f.replicas[i].HW, offset), max(f.replicas[i].LSO, offset)
		f.logs[i+1] = slices.DeleteFunc(f.logs[i+1], func(b BatchView) bool { return b.First < offset })
	}
	return f
}

// withTail is a pair of which the follower holds two more batches.
func withTail(epoch int) *fakePartition {
	f := pair()
	f.holds(2, 2, plain(2, epoch, 12), plain(3, epoch, 13))
	return f
}

func TestInvariantsOnTheBound(t *testing.T) {
	for _, c := range []struct {
		name   string
		begin  *fakePartition
		change func(*fakePartition)
		want   string // the invariant
	}{
		{"the first epoch is 0", pair().inEpoch(0), func(*fakePartition) {}, ""},
		{"in epoch 0 the end that readers are told goes back", pair().inEpoch(0), func(f *fakePartition) { f.replicas[0].ReaderEnd = 1 }, ReaderEndForward},
		{"in epoch 0 the stable end goes back", pair().inEpoch(0), func(f *fakePartition) { f.replicas[0].ReaderLSO = 1 }, LSOForward},
		{"an empty log that starts beyond its high watermark", pair(), func(f *fakePartition) { f.replicas[1].LogStart = 2 }, StartBelowHW},
		{"what is committed begins where the log starts", pair().startsAt(1), func(f *fakePartition) { f.holds(2, 1) }, CommittedOnISR},
		{"the same leader in a new epoch", pair(), func(f *fakePartition) { f.Epoch, f.PartitionEpoch, f.replicas[0].LeaderEpoch = 2, 6, 2 }, ""},
		{"the first of the ISR is a stranger", pair(), func(f *fakePartition) { f.ISR, f.replicas[0].MaximalISR = []int{3, 1, 2}, []int{1, 2, 3} }, ISRWithinReplicas},
		{"the leader does not wait for itself", pair(), func(f *fakePartition) { f.replicas[0].MaximalISR = []int{2} }, MaximalISRCovers},
		{"a log was cut, and goes back in epochs from there", withTail(1), func(f *fakePartition) { f.holds(2, 3, plain(3, 0, 14)) }, EpochsAscend},
		{"a log was cut to its beginning", pair(), func(f *fakePartition) {
			f.ISR = []int{1}
			f.holds(2, 0, plain(0, 1, 10), plain(1, 0, 77))
		}, EpochsAscend},
		{"a coordinator in its epoch 0", pair(), func(f *fakePartition) { f.append(inTxn(by(2, 0, 0, 0)), marks(3, 0, 0)) }, ""},
		{"two markers of one coordinator", pair(), func(f *fakePartition) {
			f.append(inTxn(by(2, 0, 0, 0)), marks(3, 0, 1), inTxn(by(4, 0, 1, 1)), marks(5, 0, 1))
		}, ""},
		{"the first of the eligible leader replicas is in the ISR", pair(), func(f *fakePartition) { f.ELR = []int{1, 3} }, ELRApart},
	} {
		inv := NewInvariants()
		if b := inv.Check(1, c.begin); len(b) > 0 {
			t.Errorf("%s: broken from the start: %v", c.name, b)
		}
		c.change(c.begin)
		if b := inv.Check(2, c.begin); c.want == "" && len(b) > 0 || c.want != "" && (len(b) != 1 || b[0].Invariant != c.want) {
			t.Errorf("%s: %+v, want %q", c.name, b, c.want)
		}
	}
}

// What a replica has removed, up to the end of what is acknowledged, it had.
func TestARemovedBatchIsACopy(t *testing.T) {
	f := pair()
	f.logs[2], f.replicas[1].LogStart, f.replicas[1].LEO = []BatchView{plain(2, 1, 12)}, 2, 3
	if b := NewInvariants().CheckAnswer(1, f, Answer{Leader: 1, First: 1, Min: 2}); len(b) > 0 {
		t.Error(b)
	}
	f.replicas[1].LogStart = 1
	if b := NewInvariants().CheckAnswer(1, f, Answer{Leader: 1, First: 1, Min: 2}); len(b) != 1 {
		t.Errorf("the batch was not removed: %v", b)
	}
}

// Of two that lead, one of them in an older epoch, the newer one is held to what readers were told.
func TestTheNewestLeaderIsTheWitness(t *testing.T) {
	inv, f := NewInvariants(), pair()
	inv.Check(1, f)
	f.elects(2)
	f.replicas[0].Role = Leader
	f.replicas[1].LSO, f.replicas[1].HW, f.replicas[1].ReaderEnd, f.replicas[1].ReaderLSO = 2, 2, 2, 2
	if b := inv.Check(2, f); len(b) > 0 {
		t.Fatal(b)
	}
	f.replicas[1].ReaderEnd = 1
	if b := inv.Check(3, f); len(b) != 1 || b[0].Invariant != ReaderEndForward {
		t.Errorf("%+v", b)
	}
}

func TestPartitionsComeByTopicAndNumber(t *testing.T) {
	in := []TopicPartition{{"a", 0}, {"a", 1}, {"a", 10}, {"b", 0}, {"b", 2}}
	for i, a := range in {
		for k, b := range in {
			if got := compareTP(a, b); (got < 0) != (i < k) || (got > 0) != (i > k) {
				t.Errorf("%v and %v: %d", a, b, got)
			}
		}
	}
}

// What was cut before a high watermark came is not committed by it, whatever lies there then.
func TestWhatWasCutIsNotCommitted(t *testing.T) {
	h := History{Appends: []Append{written(1, "m1", 0, 2)}, Cuts: []Cut{{TP: orders, Broker: 1, From: 0, To: 1, Step: 5}},
		Commits: []Commit{{TP: orders, Broker: 1, Epoch: 1, HighWatermark: 1, Step: 8}}}
	if step := newIndex(&h).committed[entryKey{orders, 0, 1}]; step != 0 {
		t.Errorf("committed in step %d", step)
	}
}

// Across partitions a topic has an order for who reads it, and none in its logs; a claim is judged if there is anything to it.
func TestWhatIsJudged(t *testing.T) {
	h := edit(smooth(), func(h *History) {
		other := TopicPartition{"orders", 1}
		h.Submissions[0].TP, h.Submissions[0].Outcome.Offset = other, 0
		h.Submissions[1].Outcome.Offset = 0
		h.Appends, h.Commits, h.EndOffsets = nil, nil, nil
		h.Logs = []Log{{TP: orders, Leader: 1, Entries: []Entry{entry("m2", 0, 2)}}, {TP: other, Leader: 1, Entries: []Entry{entry("m1", 0, 2)}}}
		h.Reads = nil
		h.Effects = []Effect{effect("m2", 0, 21), effect("m1", 0, 22)}
		h.Effects[1].TP = other
	})
	for _, c := range []struct {
		by       OrderBy
		level    Level
		want     Ruling
		sentence string
	}{{PerTopic, AtLog, Holds, ""}, {PerTopic, AtApplication, Violated, "m1 was sent before m2, but processed after it: m2 by c in step 21, m1 by c in step 22."},
		{PerProducer, AtApplication, Holds, ""}, {PerKey, AtApplication, Holds, ""}} {
		if v, _ := Judge(h, Options{OrderBy: c.by}).Find(Ordered, c.level); v.Ruling != c.want || v.Evidence.Sentence != c.sentence {
			t.Errorf("%v at the %s: %+v", c.by, c.level, v)
		}
	}
	r := Judge(smooth(), Options{})
	for _, c := range []Claim{Fenced, Atomic, NoAbortedRead, Recent} {
		if v, ok := r.Find(c, AtLog); ok {
			t.Errorf("there is nothing to it: %+v", v)
		}
	}
	txn := txnTrial(Txn{CommitAsked: 5, Outcome: TxnCommitted, OutcomeStep: 8, Decided: TxnCommitted, DecidedStep: 6}, MarkedCommitted, MarkedCommitted)
	for _, apps := range [][]Application{nil, shop} {
		txn.Applications = apps
		if v, _ := Judge(txn, Options{}).Find(NoAbortedRead, AtApplication); v.NotObserved != (apps == nil) {
			t.Errorf("%d applications: %+v", len(apps), v)
		}
	}
}

// The live line takes what happened by its step, however the history lists it, and an effect in a transaction from its commit on.
func TestTheLiveLineGoesByTime(t *testing.T) {
	h := smooth()
	h.Submissions = []Submission{sub("m1", 1, 0, 9), sub("m2", 14, 1, 15)}
	h.Txns = []Txn{{ID: "t1", Decided: TxnCommitted, DecidedStep: 25}, {ID: "t2", Decided: TxnAborted, DecidedStep: 25}}
	h.Effects = []Effect{effect("m1", 0, 21), effect("m2", 1, 22)}
	h.Effects[0].Txn, h.Effects[1].Txn = "t1", "t2"
	h.Logs = nil
	for step, want := range map[int]string{
		10: "at-least-once: at risk m1 (acknowledged, not yet processed)",
		24: "at-least-once: at risk m1 m2 (acknowledged, not yet processed)",
		25: "at-least-once: at risk m2 (acknowledged, not yet processed)",
	} {
		if got := SoFar(h, step)[1].String(); got != want {
			t.Errorf("step %d: %q, want %q", step, got, want)
		}
	}
}

func TestTwiceInTheLogSoFar(t *testing.T) {
	at := func(broker int, tp TopicPartition, offset int64) Append {
		a := written(broker, "m1", offset, 3)
		a.TP = tp
		return a
	}
	const fine, twice = "at-most-once: holds so far", "at-most-once: at risk m1 (in the log twice)"
	for _, c := range []struct {
		name    string
		appends []Append
		txn     Txn
		step    int
		want    string
	}{
		{"a copy", []Append{at(1, orders, 0), at(2, orders, 0)}, Txn{}, 10, fine},
		{"one broker has it twice", []Append{at(1, orders, 0), at(1, orders, 2)}, Txn{}, 10, twice},
		{"two brokers have it in two places", []Append{at(1, orders, 0), at(2, orders, 1)}, Txn{}, 10, fine},
		{"in two partitions, at one offset", []Append{at(1, orders, 0), at(2, payments, 0)}, Txn{}, 10, twice},
		{"in a transaction", []Append{at(1, orders, 0), at(1, orders, 2)}, Txn{ID: "t"}, 10, twice},
		{"before its abort is asked for", []Append{at(1, orders, 0), at(1, orders, 2)}, Txn{ID: "t", AbortAsked: 7}, 6, twice},
		{"when its abort is asked for", []Append{at(1, orders, 0), at(1, orders, 2)}, Txn{ID: "t", AbortAsked: 7}, 7, fine},
		{"and after that", []Append{at(1, orders, 0), at(1, orders, 2)}, Txn{ID: "t", AbortAsked: 7}, 9, fine},
	} {
		h := edit(smooth(), func(h *History) {
			h.Submissions, h.Appends, h.Effects = []Submission{sub("m1", 1, 0, 9).in(c.txn.ID)}, c.appends, nil
			if c.txn.ID != "" {
				h.Txns = []Txn{c.txn}
			}
		})
		if got := SoFar(h, c.step)[0].String(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestWordsOfMany(t *testing.T) {
	ids := []RecordID{"a", "b", "c", "d", "e", "f", "g", "h"}
	for _, c := range []struct{ got, want string }{
		{comma(ids[:4]), "a, b, c, d"}, {comma(ids[:6]), "a, b, c, d and 2 more"},
		{many(ids[:6]), "a, b, c, d, e and f"}, {many(ids), "a, b, c, d, e, f and 2 more"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
	for _, c := range []struct{ steps, want []int }{
		{nil, nil}, {[]int{0}, nil}, {[]int{3, 0, 3, 1}, []int{1, 3}}, {[]int{6, 5, 4, 3, 2, 1, 0}, []int{1, 2, 5, 6}},
	} {
		if got := decisive(c.steps...); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.steps, got, c.want)
		}
	}
}

func TestWhatIsSortedByStep(t *testing.T) {
	all := []grown{{9, 2}, {5, 4}, {7, 1}}
	if accumulate(all); !slices.Equal(all, []grown{{5, 4}, {7, 4}, {9, 4}}) {
		t.Error(all)
	}
	h := edit(smooth(), func(h *History) {
		h.Logs = []Log{{TP: orders, Leader: 1, Entries: []Entry{entry("m1", 0, 10)}}, {TP: payments, Leader: 1, Entries: []Entry{entry("m1", 0, 3)}}}
	})
	if lies := newIndex(&h).entries["m1"]; lies[0].tp != payments || lies[1].tp != orders {
		t.Error(lies)
	}
}
