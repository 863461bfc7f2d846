package replicationspec

import (
	"fmt"
	"strings"
)

// Generation names a generation of the replication protocol.
type Generation string

const (
	// TruncateToHW is Kafka before 0.11: a new follower truncates to its own high watermark. KIP-101 tells what this loses.
	TruncateToHW Generation = "truncate-to-hw"
	// KIP101 is Kafka 0.11: a new follower asks the leader where the epoch of its last record ends.
	KIP101 Generation = "kip-101"
	// KIP279 is Kafka 2.0: a new follower goes back from the end of its log to the last record that the leader has too.
	KIP279 Generation = "kip-279"
	// KIP320FirstTry is a draft of KIP-320 that never shipped: a follower truncates only when a fetch shows that the logs diverge.
	KIP320FirstTry Generation = "kip-320-first-try"
	// KIP320 is Kafka 2.1 and later: leader and follower talk to each other only if they are in the same leader epoch. Its rule for
	// joining the ISR includes KAFKA-7128.
	KIP320 Generation = "kip-320"
	// KIP320Unfenced is KIP-320 with one guard taken out: a new follower asks for its truncation point without fencing.
	KIP320Unfenced Generation = "kip-320-unfenced"
	// Remembered is KIP-320 with a leader's memory, as Kafka has it from 0.10 on: it counts a follower by what the follower's last
	// fetch told, and keeps that when it is elected again, also over an epoch that it has missed.
	Remembered Generation = "remembered"
	// ForgetOnSkippedEpoch is Remembered with a mending that no release has: it forgets if it has missed an epoch.
	ForgetOnSkippedEpoch Generation = "forget-on-skipped-epoch"
	// ForgetOnEveryEpoch forgets with every election.
	ForgetOnEveryEpoch Generation = "forget-on-every-epoch"
	// EpochWithLogEnd keeps the epoch in which a fetch was served beside what it told, and counts only the present epoch.
	EpochWithLogEnd Generation = "epoch-with-log-end"
)

// Generations lists all generations, the oldest first.
func Generations() []Generation {
	return []Generation{TruncateToHW, KIP101, KIP279, KIP320FirstTry, KIP320, KIP320Unfenced,
		Remembered, ForgetOnSkippedEpoch, ForgetOnEveryEpoch, EpochWithLogEnd}
}

// rules are what the generations differ in. Everything else is the same in all of them. A field that is nil is a rule that the
// generation does not have.
type rules struct {
	mayFollow       func(s *state, l int, epoch int) bool // does l answer a replica that wants to follow it in this epoch?
	truncationPoint func(s *state, f, l int) int          // where f truncates its log when it becomes a follower of l
	waysToFollow    func(s *state, f int) int             // how often TLC counts that f becomes a follower

	mayFetch              func(s *state, f, l int) bool // does l answer its follower's fetch with the next record?
	truncatesOnFetchError bool                          // does a follower truncate when a fetch fails?

	mayAdvanceHW    func(s *state, l int) bool            // does l itself allow that its high watermark advances over one record?
	acknowledges    func(s *state, f, l int, o int) bool  // does l count f as having the record at offset o?
	reasonsToShrink func(s *state, f, l int, end int) int // how many reasons has l to take f out of the ISR? end is l's LEO
	mayExpand       func(s *state, f, l int, hw int) bool // may l take f into the ISR? hw is l's high watermark

	remembers      bool                      // does a leader go by what its followers' fetches told it, and not by what they have?
	forgets        func(was, epoch int) bool // does a leader of epoch was forget it when it next leads in epoch? nil: never
	checksAtNoting bool                      // does it look at the epoch of a fetch when it notes it, and not only when it serves it?
}

// rulesOf returns the rules of a generation. Read from top to bottom, each generation says what it changes.
func rulesOf(g Generation) (rules, error) {
	old := rules{
		truncationPoint: ownHighWatermark,
		waysToFollow:    oneWay,
		mayFetch:        always,
		mayAdvanceHW:    presumingLeader,
		acknowledges:    acknowledgedByOffset,
		reasonsToShrink: notCaughtUp,
		mayExpand:       (*state).caughtUp,
	}

	kip101 := old
	kip101.truncationPoint = endOfLastEpoch

	kip279 := kip101
	kip279.truncationPoint = lastCommonRecord
	kip279.waysToFollow = twoWaysIfEmpty

	firstTry := kip279
	firstTry.truncationPoint = nil
	firstTry.waysToFollow = oneWay
	firstTry.mayFetch = lastEpochAgrees
	firstTry.truncatesOnFetchError = true
	firstTry.mayAdvanceHW = presumingLeaderWithRecord
	firstTry.acknowledges = acknowledgedByRecordEpoch
	firstTry.reasonsToShrink = notEpochCaughtUp
	firstTry.mayExpand = epochCaughtUpAndHWReachedEpoch

	kip320 := kip279
	kip320.mayFollow = leaderInEpoch
	kip320.waysToFollow = oneWay
	kip320.mayFetch = (*state).followsEpoch
	kip320.mayAdvanceHW = hasRecordAtHW
	kip320.acknowledges = acknowledgedInEpoch
	kip320.reasonsToShrink = notInEpochOrBehind
	kip320.mayExpand = inEpochAndHWReachedEpoch

	unfenced := kip320
	unfenced.mayFollow = kip279.mayFollow
	unfenced.waysToFollow = kip279.waysToFollow

	remembered := kip320
	remembered.remembers = true
	remembered.acknowledges = acknowledgedByNote
	remembered.reasonsToShrink = notedBehind

	skipped := remembered
	skipped.forgets = func(was, epoch int) bool { return epoch > was+1 }

	every := remembered
	every.forgets = func(int, int) bool { return true }

	withEpoch := every // what is of an earlier epoch does not count, so it may as well be forgotten
	withEpoch.checksAtNoting = true

	switch g {
	case Remembered:
		return remembered, nil
	case ForgetOnSkippedEpoch:
		return skipped, nil
	case ForgetOnEveryEpoch:
		return every, nil
	case EpochWithLogEnd:
		return withEpoch, nil
	case TruncateToHW:
		return old, nil
	case KIP101:
		return kip101, nil
	case KIP279:
		return kip279, nil
	case KIP320FirstTry:
		return firstTry, nil
	case KIP320:
		return kip320, nil
	case KIP320Unfenced:
		return unfenced, nil
	}
	return rules{}, fmt.Errorf("unknown generation %q; the generations are %s", g, generationNames())
}

// remembering lists the generations in which a leader remembers its followers.
func remembering() (names []string) {
	for _, g := range Generations() {
		if r, err := rulesOf(g); err == nil && r.remembers {
			names = append(names, string(g))
		}
	}
	return names
}

func generationNames() string {
	var names []string
	for _, g := range Generations() {
		names = append(names, string(g))
	}
	return strings.Join(names, ", ")
}
