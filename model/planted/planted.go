// Package planted names the guards of the model, so that a test can take one away and see whether the
// checker notices. Every guard is a rule that keeps a promise; a model with one guard off is a Kafka with
// one planted fault. Only tests make a Set that is not zero: no scenario file can.
package planted

import "math/bits"

// Guard is one rule of the model that can be switched off by name.
type Guard uint8

// The guards. New ones are added at the end of their group and to the table below.
const (
	// Partition, as leader.
	HWOverMaximalISR Guard = iota
	HWWaitsForCaughtUp
	HWNeedsMinISR
	EpochStartJoin
	EligibleForISR
	CaughtUpShrink
	MinISRBeforeAppend
	MinISRAfterAppend
	AcksAllWaitsForHW
	ReadBelowHW
	FetchEpochFencing
	FetchBrokerEpoch
	ResetReplicasOnElection
	DivergenceInFetch
	OffsetNotAvailable
	StaleMetadata
	StaleAlterPartitionAnswer

	// Partition, as follower, and log.
	HWBelowLEO
	TruncateToEpochEnd
	EpochCacheTruncation
	EpochAtElection
	RecoverEpochs
	ContiguousAppend

	// Controller.
	CASPartitionEpoch
	BrokerEpochInISR
	CleanElection
	LeaderEpochInAlterPartition
	StaleBrokerEpoch
	FencedOutOfISR
	LastISRMemberKept
	UncleanShutdownLeavesELR
	ControllerEpochCAS
	StaleControllerEpoch

	// Producer state.
	DuplicateBatches
	SequenceInOrder
	ProducerEpoch
	ProducerStateRebuilt
	FiveBatches

	// Group coordinator and consumer.
	CommitReplicated
	CoordinatorLoading
	AutoCommitOfPreviousPoll
	FetchAtPosition
	PositionValidation
	CommitGeneration
	TxnCommitGeneration
	StableOffsetFetch

	// Transaction coordinator.
	CoordinatorEpochFencing
	PendingTransition
	AllMarkersWritten
	MarkersAfterLoading
	VerificationGuard

	// Reading of transactions.
	ReadBelowLSO
	AbortedTransactionIndex
	SkipAborted

	numGuards
)

type guardInfo struct{ name, what string }

var guards = [numGuards]guardInfo{
	HWOverMaximalISR:          {"hw-over-maximal-isr", "The high watermark waits for every member of the maximal ISR (off: it counts a proposed ISR that may be refused)."},
	HWWaitsForCaughtUp:        {"hw-waits-for-caught-up", "The high watermark waits for a caught-up replica that is about to join the ISR."},
	HWNeedsMinISR:             {"hw-needs-min-isr", "The high watermark stays while the ISR is below min.insync.replicas (from 3.7)."},
	EpochStartJoin:            {"epoch-start-join", "A follower joins the ISR only once it has reached the start of the leader's epoch (from 2.0.1)."},
	EligibleForISR:            {"eligible-for-isr", "The leader proposes no fenced, shutting-down or restarted broker for the ISR (from 3.3)."},
	CaughtUpShrink:            {"caught-up-shrink", "A follower that is not caught up for replica.lag.time.max.ms leaves the ISR (off: the leader never shrinks it)."},
	MinISRBeforeAppend:        {"min-isr-before-append", "A write with acks=all is refused while the ISR is below min.insync.replicas."},
	MinISRAfterAppend:         {"min-isr-after-append", "A write with acks=all that is below the high watermark fails if the ISR has shrunk below min.insync.replicas."},
	AcksAllWaitsForHW:         {"acks-all-waits-for-hw", "A write with acks=all is acknowledged only once the high watermark has passed it."},
	ReadBelowHW:               {"read-below-hw", "A consumer reads only what is below the high watermark."},
	FetchEpochFencing:         {"fetch-epoch-fencing", "A request that names another leader epoch is refused (from 2.1)."},
	FetchBrokerEpoch:          {"fetch-broker-epoch", "A fetch from an earlier life of a broker does not move what the leader knows of it (from 3.5)."},
	ResetReplicasOnElection:   {"reset-replicas-on-election", "A new leader forgets what it knew of the followers from an earlier term."},
	DivergenceInFetch:         {"divergence-in-fetch", "The leader compares the follower's last epoch before it serves a fetch (from 2.7)."},
	OffsetNotAvailable:        {"offset-not-available", "A new leader tells no end offset before its high watermark has reached the start of its epoch (from 2.2)."},
	StaleMetadata:             {"stale-metadata", "A partition ignores a state with an older leader epoch or partition epoch than its own."},
	StaleAlterPartitionAnswer: {"stale-alter-partition-answer", "A leader ignores an answer to an ISR change that belongs to an earlier state."},

	HWBelowLEO:           {"hw-below-leo", "A replica's high watermark never exceeds its own log end offset."},
	TruncateToEpochEnd:   {"truncate-to-epoch-end", "A follower cuts its log where its own and the leader's last common epoch end (off: it cuts nothing)."},
	EpochCacheTruncation: {"epoch-cache-truncation", "Cutting the log cuts the leader epoch cache too."},
	EpochAtElection:      {"epoch-at-election", "A new leader notes the start of its epoch before it has written anything."},
	RecoverEpochs:        {"recover-epochs", "After an unclean stop the epochs beyond the log end are dropped."},
	ContiguousAppend:     {"contiguous-append", "A follower refuses batches that do not continue its log."},

	CASPartitionEpoch:           {"cas-partition-epoch", "An ISR change is accepted only with the current partition epoch (in ZooKeeper: the node's version)."},
	BrokerEpochInISR:            {"broker-epoch-in-isr", "The controller refuses an ISR member that has restarted since (from 3.5)."},
	LeaderEpochInAlterPartition: {"leader-epoch-in-alter-partition", "An ISR change is accepted only from the leader of the current epoch."},
	StaleBrokerEpoch:            {"stale-broker-epoch", "The controller refuses requests from an earlier life of a broker."},
	FencedOutOfISR:              {"fenced-out-of-isr", "The controller refuses an ISR with a fenced or shutting-down member, or one without a session (from 3.3)."},
	LastISRMemberKept:           {"last-isr-member-kept", "The last member stays in the ISR when it fails (off: the ISR becomes empty, and any live replica is elected)."},
	UncleanShutdownLeavesELR:    {"unclean-shutdown-leaves-elr", "A replica that comes back after an unclean stop leaves ISR and ELR (with ELR)."},
	ControllerEpochCAS:          {"controller-epoch-cas", "A controller's write to ZooKeeper succeeds only while no later controller was elected (from 2.1)."},
	StaleControllerEpoch:        {"stale-controller-epoch", "A broker refuses the orders of a controller that has been replaced (ZooKeeper)."},
	CleanElection:               {"clean-election", "Only a member of the ISR is elected, unless unclean.leader.election.enable says otherwise."},

	DuplicateBatches:     {"duplicate-batches", "A leader recognises a producer's batch that it has appended before (off: it only sees a sequence number that does not come next)."},
	SequenceInOrder:      {"sequence-in-order", "A leader appends a producer's batch only if its first sequence number follows the last one appended."},
	ProducerEpoch:        {"producer-epoch", "A leader refuses a batch with an older epoch of its producer."},
	ProducerStateRebuilt: {"producer-state-rebuilt", "A replica learns the producers' sequence numbers from what it replicates, and from its log and its snapshots at start (off: only from what it appends as leader)."},
	FiveBatches:          {"five-batches", "A replica remembers a producer's last five batches (off: the last one, as in 0.11)."},

	CoordinatorEpochFencing: {"coordinator-epoch-fencing", "The transaction coordinator refuses a producer whose epoch is not the one in force."},
	PendingTransition:       {"pending-transition", "The transaction coordinator lets no end of a transaction overtake another change of its state that is being written."},
	AllMarkersWritten:       {"all-markers-written", "A transaction is complete only once every partition has its marker (off: once one leader has answered)."},
	MarkersAfterLoading:     {"markers-after-loading", "A new transaction coordinator sends the markers of the transactions whose end it finds written."},
	VerificationGuard:       {"verification-guard", "A leader appends a producer's first records of a transaction only if it has asked the coordinator, and nothing has ended the transaction since (from 3.6)."},

	ReadBelowLSO:            {"read-below-lso", "A reader with isolation.level=read_committed is given only what is below the last stable offset (off: below the high watermark)."},
	AbortedTransactionIndex: {"aborted-transaction-index", "A leader notes which transactions were aborted, and tells readers with isolation.level=read_committed."},
	SkipAborted:             {"skip-aborted", "A reader with isolation.level=read_committed passes over the records of transactions that were aborted."},

	CommitReplicated:         {"commit-replicated", "A commit of positions is answered only once it is replicated (off: once the coordinator has written it)."},
	CoordinatorLoading:       {"coordinator-loading", "A coordinator that is still loading answers nothing about its groups (off: it says that nothing is committed)."},
	AutoCommitOfPreviousPoll: {"auto-commit-of-previous-poll", "The auto-commit in a poll covers what earlier polls returned (off: also what this poll returns)."},
	FetchAtPosition:          {"fetch-at-position", "A consumer drops fetched records that do not begin at its position."},
	PositionValidation:       {"position-validation", "A consumer checks its position against the leader's epochs after a change of leader (from 2.3)."},
	CommitGeneration:         {"commit-generation", "The coordinator refuses a commit of positions by one who is not a member of the group's present generation."},
	TxnCommitGeneration:      {"txn-commit-generation", "It refuses one within a transaction as well, if the producer says which member it acts for (from 2.5)."},
	StableOffsetFetch:        {"stable-offset-fetch", "A position that a commit under way or an open transaction is about to move is not told (from 2.5)."},
}

// String gives the guard's name, such as "min-isr-before-append".
func (g Guard) String() string { return guards[g].name }

// Describe says in one sentence what the guard sees to.
func (g Guard) Describe() string { return guards[g].what }

// All lists the guards in the order of the table.
func All() []Guard {
	out := make([]Guard, numGuards)
	for i := range out {
		out[i] = Guard(i)
	}
	return out
}

// ByName finds a guard; ok is false if there is none of that name.
func ByName(name string) (g Guard, ok bool) {
	for i := range guards {
		if guards[i].name == name {
			return Guard(i), true
		}
	}
	return 0, false
}

// Set holds the guards that are switched off. The zero value is the faithful model: all guards on.
type Set struct {
	words [(int(numGuards) + 63) / 64]uint64
	// asserting: see Asserting.
	asserting bool
}

// Off makes a set with these guards switched off.
func Off(gs ...Guard) Set {
	var s Set
	for _, g := range gs {
		s.words[g/64] |= 1 << (g % 64)
	}
	return s
}

// On says that the guard is in force.
func (s Set) On(g Guard) bool { return s.words[g/64]&(1<<(g%64)) == 0 }

// Asserting gives the same set, with which the model goes on to assert what the guards that are off keep: a test then sees the
// model itself find the fault.
func (s Set) Asserting() Set {
	s.asserting = true
	return s
}

// Asserts says that the model asserts what the guard keeps: while it is in force, so that the checker, and not the model, is put to
// the test by a fault that is planted.
func (s Set) Asserts(g Guard) bool { return s.On(g) || s.asserting }

// With gives a set in which g is switched off as well.
func (s Set) With(g Guard) Set {
	s.words[g/64] |= 1 << (g % 64)
	return s
}

// Len counts the guards that are switched off.
func (s Set) Len() int {
	n := 0
	for _, w := range s.words {
		n += bits.OnesCount64(w)
	}
	return n
}
